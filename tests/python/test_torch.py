"""What PyTorch's users get; left out where there is no PyTorch."""

import copy
import functools
import sys
import threading
import types

import numpy
import pytest
from conftest import import_error

torch = pytest.importorskip("torch")

import sluice  # noqa: E402
import sluice.torch  # noqa: E402
from sluice import ops  # noqa: E402


@sluice.pipeline(batch_size=5, seed=2)
def shuffled(folder, shard=None):
    jpeg, label = sluice.files(folder, shuffle=True, shard=shard)
    return {"image": ops.random_resized_crop(jpeg, width=16, height=16), "label": label}


def epoch_of(loader):
    return [(one["image"].clone(), one["label"].clone()) for one in loader]


def equal(some, others):
    pairs = [(a, b) for one, other in zip(some, others) for a, b in zip(one, other)]
    return len(some) == len(others) and all(torch.equal(a, b) for a, b in pairs)


def test_loader_gives_tensors_without_a_copy(folder):
    loader = sluice.torch.Loader(shuffled, folder)
    assert len(loader) == 3
    batch = next(iter(loader))
    assert batch["image"].shape == (5, 16, 16, 3) and batch["image"].dtype == torch.uint8
    assert batch["label"].dtype == torch.int64
    raw = next(iter(shuffled(folder)))["image"]
    assert raw.torch().data_ptr() == numpy.asarray(raw).ctypes.data


@pytest.mark.parametrize("name, dtype", [("f16", torch.float16), ("bf16", torch.bfloat16)])
def test_images_have_the_networks_dtype(folder, name, dtype):
    @sluice.pipeline(batch_size=4)
    def normalized(folder, dtype):
        jpeg, _ = sluice.files(folder)
        return ops.resize_mirror_normalize(ops.decode_jpeg(jpeg), height=9, width=8, dtype=dtype)

    for batch, numbers in zip(sluice.torch.Loader(normalized, folder, name), sluice.torch.Loader(normalized, folder, "f32")):
        assert batch.dtype == dtype
        assert torch.equal(batch, numbers.to(dtype))


def test_loader_goes_by_epochs_and_states(folder):
    loader = sluice.torch.Loader(shuffled, folder, drop_last=True)
    assert len(loader) == 2
    first, second = epoch_of(loader), epoch_of(loader)
    assert not equal(first, second)
    loader.set_epoch(0)
    assert equal(epoch_of(loader), first)
    for _ in loader:
        state = loader.state_dict()
        break
    again = sluice.torch.Loader(shuffled, folder, drop_last=True)
    again.load_state_dict(state)
    assert equal(epoch_of(again), second[1:])


def test_the_epoch_is_set_as_lightning_does(folder):
    loader = sluice.torch.Loader(shuffled, folder)
    loader.batch_sampler.sampler.set_epoch(3)
    assert loader.next_epoch == 3


def test_shards_are_parts_of_the_whole(folder):
    whole = [n for one in sluice.torch.Loader(shuffled, folder) for n in one["label"].tolist()]
    parts = [
        [n for one in sluice.torch.Loader(shuffled, folder, shard=(i, 2)) for n in one["label"].tolist()]
        for i in range(2)
    ]
    assert sorted(whole) == sorted(parts[0] + parts[1]) and sluice.torch.shard() == (0, 1)


def test_decodes_crops_as_an_operator(paths):
    data = [torch.frombuffer(bytearray(path.read_bytes()), dtype=torch.uint8) for path in paths]
    whole = torch.from_dlpack(sluice.decode_jpeg(paths[3].read_bytes()))
    crop = torch.ops.sluice.decode_and_crop_jpeg(data[3], 4, 5, 20, 30)
    assert torch.equal(crop, whole[4:24, 5:35])
    regions = torch.tensor([[i, 2 * i] for i in range(12)])
    several = sluice.torch.decode_and_crop_jpegs(data, regions, 10, 12, threads=3)
    assert torch.equal(several[7], sluice.torch.decode_and_crop_jpeg(data[7], 7, 14, 10, 12))
    for wrong in (regions > 3, regions / 2):
        with pytest.raises(ValueError, match=r"regions must be of whole numbers \(got torch"):
            sluice.torch.decode_and_crop_jpegs(data, wrong, 10, 12, threads=3)
    torch.library.opcheck(sluice.torch.decode_and_crop_jpeg, (data[0], 0, 0, 8, 9))


@pytest.mark.parametrize(
    "arguments, kind, words",
    [
        ((torch.zeros(4), 0, 0, 1, 1), ValueError, "a tensor of uint8 with one dimension"),
        ((torch.zeros(9, dtype=torch.uint8), 0, 0, 1, 1), sluice.JpegError, "JPEG"),
    ],
)
def test_says_what_is_wrong_with_a_file(arguments, kind, words):
    with pytest.raises(kind, match=words):
        sluice.torch.decode_and_crop_jpeg(*arguments)


def test_loader_knows_its_next_epoch(folder):
    loader = sluice.torch.Loader(small, folder)
    assert loader.next_epoch == 0
    list(loader)
    assert loader.next_epoch == 1
    loader.set_epoch(5)
    next(iter(loader))
    resumed = sluice.torch.Loader(small, folder)
    resumed.load_state_dict(loader.state_dict())
    assert resumed.next_epoch == 5 and len(list(resumed)) == 2
    assert resumed.next_epoch == 6


def test_a_model_goes_on_as_it_would_have(folder):
    """Losses of a run that was broken off are those of one that was not."""

    def train(steps, state=None):
        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(16 * 16 * 3, 3))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        loader = sluice.torch.Loader(shuffled, folder)
        losses = []
        if state is not None:
            model.load_state_dict(state["model"])
            loader.load_state_dict(state["loader"])
        while len(losses) < steps:
            for one in loader:
                optimizer.zero_grad()
                loss = torch.nn.functional.cross_entropy(model(one["image"] / 255), one["label"])
                loss.backward()
                optimizer.step()
                losses.append(loss.item())
                if len(losses) == steps:
                    return losses, {"model": model.state_dict(), "loader": loader.state_dict()}
        raise AssertionError

    whole, _ = train(7)
    begun, state = train(4)
    rest, _ = train(3, state)
    assert begun + rest == whole


@pytest.mark.parametrize(
    "options, says",
    [
        ({"num_workers": 4}, "Loader has no 'num_workers'; in its place: threads=N"),
        ({"shuffle": True}, "Loader has no 'shuffle'; in its place: shuffle=True of the source"),
        ({"shard": (0, 2), "persistent_workers": True}, "Loader has no 'persistent_workers'; leave it out: threads and workers persist between epochs"),
        ({"drop_lasst": True}, "Loader has no 'drop_lasst'; did you mean drop_last?"),
        ({"drop_last": True, "last_batch": "fill"}, "drop_last and last_batch say the same"),
    ],
)
def test_loader_says_where_options_of_dataloader_are(folder, options, says):
    with pytest.raises(sluice.BuildError) as error:
        sluice.torch.Loader(shuffled, folder, **options)
    assert says in str(error.value)


@pytest.mark.parametrize(
    ("missing", "says"),
    [("torch", "sluice.torch needs PyTorch: pip install torch"), ("torch._C", "import of torch._C halted; None in sys.modules")],
)
def test_tells_a_missing_pytorch_from_a_broken_one(missing, says):
    assert import_error("sluice.torch", missing) == f"ModuleNotFoundError: {says}"


@pytest.mark.parametrize("make", [torch.as_tensor, torch.tensor])
def test_a_value_is_no_tensor(make):
    with pytest.raises(sluice.RewriteError, match=f"{make.__name__} of torch takes arrays, not <Value .*sluice.map"):
        sluice.pipeline(lambda: make(sluice.source(lambda i: i, int, samples=4)))()


class Doubled(torch.nn.Module):
    def forward(self, x):
        return x * 2


class Wrapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Identity()

    def forward(self, x):
        return self.inner(x)


def applied(function, *args, **kwargs):
    """A helper that is not marked, so its calls are not rewritten."""
    return function(*args, **kwargs)


IDENTITY = torch.nn.Identity()
#: Code of a user that calls a module with a Value, and the name of the module in the error.
MODULES = {
    "a helper": (lambda x: applied(IDENTITY, x), "Identity of torch"),
    "a helper, by name": (lambda x: applied(IDENTITY, input=x), "Identity of torch"),
    "a helper, in a structure": (lambda x: applied(IDENTITY, {"image": [x]}), "Identity of torch"),
    "map": (lambda x: [*map(IDENTITY, [x])][0], "Identity of torch"),
    "partial": (lambda x: functools.partial(IDENTITY, x)(), "Identity of torch"),
    "a module in the user's module": (lambda x: Wrapped()(x), "Identity of torch"),
    "a transform": (lambda x: applied(torchvision().RandomHorizontalFlip(), x), "RandomHorizontalFlip of torchvision"),
    "a transform of the user's": (lambda x: applied(of_user(), x), "OfUser of torchvision"),
    "a composition": (lambda x: applied(torchvision().Compose([torchvision().ToImage()]), x), "Compose of torchvision"),
}


def torchvision():
    return pytest.importorskip("torchvision.transforms.v2")


def of_user():
    class OfUser(torchvision().Transform):
        def transform(self, inpt, params):
            return inpt

    return OfUser()


def described_with(function):
    return sluice.pipeline(batch_size=4)(lambda: function(sluice.source(lambda i: i, int, samples=4)))()


def hooks():
    return len(torch.nn.modules.module._global_forward_pre_hooks)


@pytest.mark.parametrize("name", MODULES)
def test_modules_take_no_value(name):
    function, module = MODULES[name]

    def caught(x):
        try:
            return function(x)
        except sluice.RewriteError:
            return x

    for each in (function, caught):
        with pytest.raises(sluice.RewriteError, match=f"test_torch.py:.*: {module} takes arrays, not <Value 'source' .*sluice.map") as error:
            described_with(each)
        assert error.value.lineno in (applied.__code__.co_firstlineno + 2, Wrapped.forward.__code__.co_firstlineno + 1, *range_of(function))
    assert hooks() == 0


def range_of(function):
    return [line for *_, line in function.__code__.co_lines() if line is not None]


def test_a_function_of_torchvision_that_refuses_a_value_cannot_be_caught():
    flip = pytest.importorskip("torchvision.transforms.v2.functional").hflip

    @sluice.pipeline
    def caught():
        x = sluice.source(lambda i: i, int, samples=4)
        try:
            return applied(flip, x)
        except TypeError:
            return x

    with pytest.raises(TypeError, match="sluice._value.Value"):
        caught()


def test_modules_work_beside_a_description():
    """The user's own forward() may take Values, and tensors are computed as before, on this thread and on others."""
    found = []

    def beside(x):
        thread = threading.Thread(target=lambda: found.append(IDENTITY("other thread")))
        thread.start()
        thread.join()
        loop = []
        loop.append(loop)
        assert applied(IDENTITY, loop) is loop
        return Doubled()(x) + int(IDENTITY(torch.tensor(1)))

    assert next(iter(described_with(beside)))[0].tolist() == [1, 3, 5, 7]
    assert found == ["other thread"] and hooks() == 0 and IDENTITY(3) == 3


def test_hooks_of_descriptions_on_many_threads_are_removed():
    barrier, refused = threading.Barrier(8), []

    def describe():
        barrier.wait()
        for _ in range(20):
            inner = lambda x: [described_with(lambda y: y), applied(IDENTITY, x)]  # noqa: E731
            with pytest.raises(sluice.RewriteError):
                described_with(inner)
            refused.append(1)

    threads = [threading.Thread(target=describe) for _ in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(refused) == 160 and hooks() == 0


@pytest.mark.parametrize("loaded", [None, types.ModuleType("torch.nn.modules.module")])
def test_describes_without_a_pytorch_that_has_hooks(monkeypatch, loaded):
    monkeypatch.setitem(sys.modules, "torch.nn.modules.module", loaded)
    assert len(next(iter(described_with(lambda x: x)))[0]) == 4


def test_a_question_about_a_value_is_answered():
    pipe = sluice.pipeline(batch_size=4)(lambda: 1 if torch.is_tensor(numbers := sluice.source(lambda i: i, int, samples=4)) else numbers)()
    assert next(iter(pipe))[0].tolist() == [0, 1, 2, 3]


def test_loader_has_the_batch_of_its_tensors(folder, tmp_path):
    (tmp_path / "a.jpg").write_bytes(next(folder.rglob("*.jpg")).read_bytes())
    (tmp_path / "b.jpg").write_bytes(b"no image")
    loader = sluice.torch.Loader(shuffled, tmp_path, on_error="skip")
    assert loader.batch is None
    (tensors,) = loader
    assert len(tensors["image"]) == 1 == loader.batch.size
    assert len(loader.batch.missing) == 1 and "b.jpg" in loader.batch.errors[0]["source"]


@sluice.pipeline(batch_size=4)
def small(folder):
    jpeg, label = sluice.files(folder)
    return ops.resize(ops.decode_jpeg(jpeg), width=8, height=8), label


@sluice.pipeline(batch_size=4)
def moved(folder):
    jpeg, label = sluice.files(folder)
    return ops.mean(ops.decode_jpeg(jpeg.gpu())), label


def test_loader_tells_devices_of_pytorch_from_those_of_the_pipeline(folder):
    loader = sluice.torch.Loader(moved, folder, device="stand-in")
    assert loader.to is None and [len(means) for means, _ in loader] == [4, 4, 4]
    for made in (small, small(folder)):
        loader = sluice.torch.Loader(made, *[folder] * (made is small), to="cpu")
        assert loader.to == torch.device("cpu") and [len(images) for images, _ in loader] == [4, 4, 4]
    for to in ("gpux", 1.5, 10**30):
        with pytest.raises(sluice.BuildError, match="to must be a device of PyTorch, such as 'cuda:1'"):
            sluice.torch.Loader(small, folder, to=to)
    with pytest.raises(sluice.BuildError, match="has its options already"):
        sluice.torch.Loader(small(folder), device="gpu")
    with pytest.raises(sluice.BuildError, match="unknown|must be|gpux"):
        sluice.torch.Loader(small, folder, device="gpux")


# A loader, and what `to` becomes.
DEVICES = {
    "to": (lambda folder: sluice.torch.Loader(small, folder, to="meta"), "meta"),
    "device": (lambda folder: sluice.torch.Loader(small, folder, device="meta"), "meta"),
    "a device of PyTorch": (lambda folder: sluice.torch.Loader(small, folder, device=torch.device("cpu")), "cpu"),
    "of a Pipeline": (lambda folder: sluice.torch.Loader(small(folder), device="meta"), "meta"),
    "the pipeline's": (lambda folder: sluice.torch.Loader(small, folder, device="cpu"), None),
    "both": (lambda folder: sluice.torch.Loader(small, folder, to="meta", device="cpu"), "meta"),
    "a folder": (lambda folder: sluice.torch.ImageFolder(folder, to="meta"), "meta"),
    "a folder by place": (lambda folder: sluice.torch.ImageFolder(folder, None, 2, False, "meta"), "meta"),
    "a folder's device": (lambda folder: sluice.torch.ImageFolder(folder, device=torch.device("meta")), "meta"),
    "a folder's cpu": (lambda folder: sluice.torch.ImageFolder(folder, device="cpu"), "cpu"),
}


@pytest.mark.parametrize("name", DEVICES)
def test_to_and_device_name_a_device_of_pytorch(folder, name):
    make, to = DEVICES[name]
    loader = make(folder)
    assert loader.to == (None if to is None else torch.device(to))
    images, _ = next(iter(loader))
    assert {one.device.type for one in images} == {to or "cpu"}


def test_to_and_device_cannot_both_be_given(folder):
    for made in (small, small(folder), sluice.torch.ImageFolder):
        arguments = [] if isinstance(made, sluice.Pipeline) else [folder]
        make = made if made is sluice.torch.ImageFolder else lambda *args, **kwargs: sluice.torch.Loader(made, *args, **kwargs)
        with pytest.raises(sluice.BuildError, match="to and device are the same; pass one of them"):
            make(*arguments, to="meta", device="meta")
    with pytest.raises(sluice.BuildError, match="ImageFolder: to must be a device of PyTorch, such as 'cuda:1' .got 'gpux'."):
        sluice.torch.ImageFolder(folder, device="gpux")


@pytest.mark.parametrize(
    "given, asked",
    [
        ({}, {"device": 1, "deliver_on_device": True}),
        ({"device": 1}, {"device": 1, "deliver_on_device": True}),
        ({"device": "cpu"}, {"device": 1, "deliver_on_device": True}),
        ({"deliver_on_device": False}, {"deliver_on_device": False}),
        ({"device": "gpu"}, "to is 'cuda:1', but device is 'gpu'; pass the same GPU, or leave out one of them"),
        ({"device": 2}, "to is 'cuda:1', but device is 2"),
    ],
)
def test_the_pipeline_delivers_on_a_gpu_that_it_can_use(folder, monkeypatch, given, asked):
    seen = {}

    class Stopped(Exception):
        pass

    def over(description, source, *arguments, **options):
        seen.update(options)
        raise Stopped

    monkeypatch.setattr(sluice._core, "has_gpu", lambda index: index == 1)
    monkeypatch.setattr(type(small), "over", over)
    if isinstance(asked, str):
        with pytest.raises(sluice.BuildError, match=asked):
            sluice.torch.Loader(small, folder, to="cuda:1", **given)
        return
    with pytest.raises(Stopped):
        sluice.torch.Loader(small, folder, to="cuda:1", **given)
    assert seen == asked
    seen.clear()
    with pytest.raises(Stopped):
        sluice.torch.Loader(small, folder, to="cuda:0", **given)
    assert seen == given


def test_what_the_function_takes_is_the_functions(folder):
    seen = {}

    @sluice.pipeline(batch_size=4)
    def own(folder, shuffle=False, device="none", drop_last=None, timeout=0):
        seen.update(shuffle=shuffle, device=device, drop_last=drop_last, timeout=timeout)
        return sluice.files(folder, shuffle=shuffle)[1]

    wanted = {"shuffle": True, "device": "cuda:7", "drop_last": True, "timeout": 3}
    loader = sluice.torch.Loader(own, folder, **wanted)
    assert seen == wanted and loader.to is None and len(loader) == 3

    @sluice.pipeline(batch_size=5)
    def several(folder, **options):
        seen.clear()
        seen.update(options)
        return sluice.files(folder)[1]

    loader = sluice.torch.Loader(several, folder, shuffle=True, num_workers=3, drop_last=True, threads=1)
    assert seen == {"shuffle": True, "num_workers": 3} and len(loader) == 2

    class Data:
        @sluice.pipeline(batch_size=4)
        def described(self, folder):
            return sluice.files(folder)[1]

    assert len(list(sluice.torch.Loader(Data().described, folder, batch_size=6))) == 2


def test_a_mask_of_pytorch_is_no_list_of_indices():
    for given, says in (({"subset": torch.tensor([True, False])}, "subset: element 0: a whole number"),
                        ({"subset": [torch.tensor(True)]}, "subset: element 0: a whole number"),
                        ({"weights": torch.tensor([True, False])}, "weights: element 0: a number"),
                        ({"shard": torch.tensor([False, True])}, "shard: element 0: a whole number")):
        with pytest.raises(sluice.BuildError, match=says):
            sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=2, **given))()
    pipe = sluice.pipeline(batch_size=9)(lambda: sluice.source(lambda i: i, int, samples=9, subset=torch.tensor([7, 2])))()
    assert [batch[0].tolist() for batch in pipe] == [[7, 2]]


def test_batches_of_nothing_are_empty_tensors(tmp_path, folder):
    for number in range(5):
        (tmp_path / f"{number}.jpg").write_bytes(b"damaged" if number in (0, 4) else next(folder.rglob("*.jpg")).read_bytes())
    loader = sluice.torch.Loader(small, tmp_path, batch_size=1, on_error="skip")
    for _ in range(2):
        shapes = [(tuple(images.shape), tuple(labels.shape)) for images, labels in loader]
        assert shapes[1:] == [((1, 8, 8, 3), (1,))] * 3 + [((0, 8, 8, 3), (0,))]
    assert shapes[0] == ((0, 8, 8, 3), (0,)) and len(loader) == 5


@sluice.pipeline(batch_size=2)
def of_any_size(folder):
    jpeg, label = sluice.files(folder)
    return ops.decode_jpeg(jpeg), label


def test_samples_of_different_shapes_say_why_they_are_no_tensor(folder):
    images = next(one for one, _ in sluice.torch.Loader(of_any_size, folder) if isinstance(one, list))
    assert len(images) == 2 and images[0].dtype == torch.uint8
    with pytest.raises(AttributeError, match=r"the 2 samples of this batch have different shapes, .* without 'cuda': \(.*resize or crop"):
        images.cuda
    assert not hasattr(images, "shape") and not hasattr(images, "__array_interface__")
    assert torch.equal(copy.deepcopy(images)[1], images[1])


def test_samples_of_different_shapes_are_moved_to_the_device(folder):
    @sluice.pipeline(batch_size=4)
    def ragged(folder):
        jpeg, label = sluice.files(folder)
        return ops.decode_jpeg(jpeg), label

    images, labels = next(iter(sluice.torch.Loader(ragged, folder, to="meta")))
    assert isinstance(images, list) and [one.device.type for one in (*images, labels)] == ["meta"] * 5
    with pytest.raises(AttributeError, match="have different shapes"):
        images.shape


def test_a_failed_batch_does_not_end_the_epoch(folder, tmp_path):
    names = sorted(folder.rglob("*.jpg"))[:6]
    for place, name in enumerate(names):
        (tmp_path / f"{place}.jpg").write_bytes(b"damaged" if place in (1, 2) else name.read_bytes())

    @sluice.pipeline(batch_size=1)
    def small():
        jpeg, _ = sluice.files(tmp_path)
        return ops.resize(ops.decode_jpeg(jpeg), height=8, width=8)

    batches, arrived, failed = iter(sluice.torch.Loader(small)), [], 0
    while True:
        try:
            arrived.append(len(next(batches)))
        except sluice.BatchError:
            failed += 1
        except StopIteration:
            break
    assert failed == 2 and sum(arrived) == 4


def test_loader_has_what_programs_ask_of_dataloader(folder):
    loader = sluice.torch.Loader(shuffled, folder, drop_last=True)
    assert (loader.batch_size, loader.drop_last) == (5, True)
    loader.sampler.set_epoch(3)
    assert loader.next_epoch == 3
    assert not sluice.torch.Loader(shuffled, folder, batch_size=2).drop_last


@sluice.pipeline(batch_size=4)
def counted(samples=10, **options):
    return sluice.source(lambda i: i, samples=samples, returns=int, **options)


@sluice.pipeline(batch_size=4)
def counted_as_it_goes():
    return sluice.iterate(lambda epoch: iter(range(10)), int)


@sluice.pipeline
def counted_twice(subset):
    return [sluice.source(lambda i: i, samples=samples, returns=int, subset=subset) for samples in (10, 10)]


# A loader, the length of its dataset, and its number of batches.
LENGTHS = {
    "all": (lambda: sluice.torch.Loader(counted), 10, 3),
    "one": (lambda: sluice.torch.Loader(counted, 1), 1, 1),
    "none": (lambda: sluice.torch.Loader(counted, 0), 0, 0),
    "drop_last": (lambda: sluice.torch.Loader(counted, drop_last=True), 10, 2),
    "fill": (lambda: sluice.torch.Loader(counted, last_batch="fill"), 10, 3),
    "shard": (lambda: sluice.torch.Loader(counted, shard=(0, 2)), 10, 2),
    "draws": (lambda: sluice.torch.Loader(counted, replacement=True, draws=30), 10, 8),
    "weights": (lambda: sluice.torch.Loader(counted, weights=[1] * 10, draws=3, drop_last=True), 10, 0),
    "subset": (lambda: sluice.torch.Loader(counted, subset=torch.arange(7), drop_last=True, shard=(0, 3)), 7, 0),
    "an empty subset": (lambda: sluice.torch.Loader(counted, subset=[]), 0, 0),
    "an order": (lambda: sluice.torch.Loader(counted, order=lambda epoch: [1, 2]), 10, 1),
    "two sources": (lambda: sluice.torch.Loader(counted_twice, [3, 4, 5]), 3, 3),
}


@pytest.mark.parametrize("name", LENGTHS)
def test_the_length_of_the_dataset_is_that_of_all_samples(name):
    make, samples, batches = LENGTHS[name]
    loader = make()
    assert (len(loader.dataset), len(loader)) == (samples, batches)
    loader.load_state_dict(loader.state_dict())
    assert (len(loader.dataset), len(loader)) == (samples, batches)


def test_the_length_of_an_iterator_is_known_after_an_epoch():
    loader = sluice.torch.Loader(counted_as_it_goes, drop_last=True)
    with pytest.raises(TypeError, match="the number of samples is known after the first epoch"):
        len(loader.dataset)
    assert len(list(loader)) == 2
    assert len(loader.dataset) == 10


def test_an_image_folder_has_its_classes_as_a_dataset(folder):
    loader = sluice.torch.ImageFolder(folder, batch_size=2)
    assert loader.dataset.classes == loader.classes and loader.dataset.class_to_idx == loader.class_to_idx


def test_an_image_folder_learns_an_index_that_changes_no_pixel(folder):
    from sluice import transforms as T

    def epochs(**options):
        loader = sluice.torch.ImageFolder(folder, T.RandomResizedCrop(8), 4, seed=5, **options)
        images = [torch.cat([images.clone() for images, _ in loader]) for _ in range(2)]
        return images, loader.pipeline.stats["events"].get("decode_image: indexed", 0)

    learned, indexed = epochs()
    plain, without = epochs(index=None)
    assert indexed >= len(learned[0]) and without == 0
    assert all(torch.equal(a, b) for a, b in zip(learned, plain))


def test_mixed_labels_have_room_for_all_classes(folder):
    from sluice import transforms as T

    with pytest.raises(sluice.BuildError, match="num_classes of batch_transform is 1, but there are . classes"):
        sluice.torch.ImageFolder(folder, T.Resize((8, 8)), 2, batch_transform=T.MixUp(num_classes=1))


def test_transforms_of_a_tensor_keep_channels_first():
    from sluice import transforms as T

    x = torch.arange(3 * 40 * 60, dtype=torch.uint8).reshape(3, 40, 60)
    for steps, dtype in (
        ([T.Resize((20, 30))], torch.uint8),
        ([T.Resize((20, 30)), T.ToDtype(torch.float32, scale=True)], torch.float32),
        ([T.Resize((20, 30)), T.ToDtype(torch.float32, scale=True), T.Normalize([0.5] * 3, [0.5] * 3)], torch.float32),
    ):
        given = T.Compose(steps)(x)
        assert given.shape == (3, 20, 30) and given.dtype == dtype


def test_normalize_counts_channels_as_torchvision(folder):
    from sluice import transforms as T

    four = T.Compose([T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize([0.5] * 4, [0.5] * 4)])
    message = "Normalize: mean and std have 4 numbers, but the image has 3 channels"
    with pytest.raises(sluice.BuildError, match=message):
        sluice.torch.ImageFolder(folder, four)
    with pytest.raises(sluice.BuildError, match=message):
        four(torch.zeros(3, 40, 60, dtype=torch.uint8))
    assert four(torch.zeros(4, 40, 60, dtype=torch.uint8)).shape == (4, 40, 60)
