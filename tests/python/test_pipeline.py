"""Pipelines as users write them: sources, operators, control flow, batches."""

import gc
import inspect
import os
import pickle
import re
import threading
import weakref

import numpy
import pytest

import sluice
from sluice import ops
from sluice._pipeline import OPTIONS


def arrays(pipe):
    """Everything that an epoch gives, as arrays."""
    return [[numpy.array(one) for one in batch] for batch in pipe]


@sluice.pipeline(batch_size=5, seed=42)
def thumbnails(folder):
    jpeg, label = sluice.files(folder)
    image = ops.decode_jpeg(jpeg)
    return ops.resize(image, width=32, height=24), label


def test_gives_batches_in_order(folder, paths):
    pipe = thumbnails(folder)
    assert len(pipe) == 3 and pipe.samples == 12
    batches = list(pipe)
    assert [batch.size for batch in batches] == [5, 5, 2]
    images, labels = batches[0]
    assert images.shape == (5, 24, 32, 3) and images.dtype == "u8" and images.layout == "HWC"
    assert [label for batch in batches for label in batch[1].tolist()] == [0] * 4 + [1] * 4 + [2] * 4
    assert batches[1].ids == [5, 6, 7, 8, 9]
    assert batches[1].keys == [(0, i, 0) for i in range(5, 10)]


@pytest.mark.parametrize("options", [{"threads": 1}, {"threads": 4}, {"batch_size": 1}, {"batch_size": 12}])
def test_samples_do_not_depend_on_how_they_are_run(folder, options):
    @sluice.pipeline(seed=7)
    def random(folder):
        jpeg, _ = sluice.files(folder, shuffle=True)
        image = ops.random_resized_crop(jpeg, width=20, height=20)
        if ops.coin_flip(0.5):
            image = ops.flip(image, horizontal=True)
        return image

    def samples(**how):
        return numpy.concatenate([numpy.asarray(one) for (one,) in random(folder, **how)])

    assert numpy.array_equal(samples(batch_size=4), samples(**options))


def test_shows_memory_without_a_copy_and_keeps_it(folder):
    pipe = thumbnails(folder)
    images = next(iter(pipe))[0]
    first, second = numpy.asarray(images), numpy.from_dlpack(images)
    assert first.ctypes.data == second.ctypes.data
    before = first.copy()
    pipe.close()
    del pipe, images, second
    gc.collect()
    assert numpy.array_equal(first, before)


DTYPES = ["uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3, 4), (5,), (0, 3), ()], ids=str)
def test_arrays_of_numpy_go_there_and_back(dtype, shape):
    """Also to functions, which may write to what they get; by any NumPy."""
    given = [(numpy.arange(numpy.prod(shape, dtype=int)) % 2 + i).reshape(shape).astype(dtype) for i in range(3)]
    seen = []

    def changed(x):
        seen.append((x.dtype.name, x.shape, x.flags.writeable))
        x[...] = 1
        return x

    @sluice.pipeline(batch_size=3, threads=1)
    def both():
        x = sluice.source(given, returns="tensor")
        return x, sluice.map(changed, x, returns="tensor")

    columns = next(iter(both()))
    assert seen == [(dtype, shape, True)] * 3
    for column, expected in zip(columns, (given, [numpy.ones(shape, dtype)] * 3)):
        block = numpy.asarray(column)
        assert block.dtype.name == dtype
        assert block.flags.writeable
        numpy.testing.assert_array_equal(block, expected)
        for one, x in zip(column, expected):
            numpy.testing.assert_array_equal(numpy.asarray(one), x)


def test_structures_come_back_as_they_were_returned(folder):
    @sluice.pipeline(batch_size=4)
    def structured(folder):
        jpeg, label = sluice.files(folder)
        image = ops.decode_jpeg(jpeg)
        return {"image": image, "more": (label, [label * 2, 7])}

    batch = next(iter(structured(folder)))
    label, (twice, seven) = batch["more"]
    assert (twice.numpy() == 2 * label.numpy()).all() and seven.tolist() == [7] * 4
    assert not batch["image"].dense
    assert batch["image"][1].shape[2] == 3
    with pytest.raises(sluice.Error, match="different shapes"):
        numpy.asarray(batch["image"])


def test_decodes_what_the_operator_for_single_files_decodes(folder, paths):
    @sluice.pipeline(batch_size=1)
    def regions(folder):
        jpeg, _ = sluice.files(folder)
        return ops.crop(ops.decode_jpeg(jpeg), region=(5, 7, 20, 30))

    for path, batch in zip(paths, regions(folder)):
        data = path.read_bytes()
        region = numpy.asarray(sluice.decode_and_crop_jpeg(data, 5, 7, 20, 30))
        assert numpy.array_equal(region, numpy.asarray(sluice.decode_jpeg(data))[5:25, 7:37])
        assert numpy.array_equal(region, numpy.asarray(batch[0])[0])


def test_python_functions_are_steps_and_sources():
    class Squares:
        def __len__(self):
            return 9

        def __getitem__(self, i):
            return numpy.full((2, 3), i, numpy.float32), i * i

    @sluice.pipeline(batch_size=4)
    def computed():
        tensor, square = sluice.source(Squares(), returns=("tensor", int))
        total, text = sluice.map(
            lambda t, add: (float(t.sum()) + add, f"{t[0, 0]:.0f}"), tensor, 1, returns=(float, str)
        )
        thing = sluice.map(lambda s: {"square": s}, square)
        return tensor, total, text, thing

    batches = list(computed())
    assert [b.size for b in batches] == [4, 4, 1]
    assert batches[0][0].shape == (4, 2, 3) and batches[0][0].dtype == "f32"
    assert batches[1][1].tolist() == [6 * i + 1 for i in range(4, 8)]
    assert batches[1][2] == ["4", "5", "6", "7"]
    assert batches[2][3] == [{"square": 64}]


def test_images_of_python_become_images():
    original = numpy.arange(4 * 5 * 3, dtype=numpy.uint8).reshape(4, 5, 3)

    @sluice.pipeline(batch_size=2)
    def drawn():
        image = sluice.source(lambda i: original[::-1] + numpy.uint8(i), "image", samples=4)
        gray = sluice.map(lambda p: p[:, :, 0], image, returns="image")
        return ops.flip(image, horizontal=True), gray

    images, gray = next(iter(drawn()))
    assert numpy.array_equal(numpy.asarray(images)[1], original[::-1, ::-1] + 1)
    assert gray.shape == (2, 4, 5, 1)


def test_generators_end_epochs():
    @sluice.pipeline(batch_size=4)
    def counted():
        return sluice.iterate(lambda epoch: range(10 * epoch, 10 * epoch + 10), int)

    pipe = counted()
    for epoch in range(2):
        assert [n for (b,) in pipe for n in b.tolist()] == list(range(10 * epoch, 10 * epoch + 10))


def test_errors_of_functions_are_those_of_their_samples():
    def load(i):
        if i == 3:
            raise KeyError("no such thing")
        return i

    @sluice.pipeline(batch_size=4, on_error="skip")
    def some():
        return sluice.source(load, int, samples=8, name_of=lambda i: f"thing {i}")

    batches = list(some())
    assert batches[0].missing == [3] and batches[0][0].tolist() == [0, 1, 2]
    error = batches[0].errors[0]
    assert error["source"] == "thing 3" and error["step"] == "source" and error["index"] == 3
    assert error["what"].startswith("KeyError: 'no such thing' (") and "in load" in error["what"]
    with pytest.raises(sluice.BatchError, match="thing 3") as raised:
        list(some(on_error="fail"))
    assert raised.value.errors[0]["index"] == 3 and raised.value.batch == 0
    assert "on_error = 'skip' or 'replace'" in str(raised.value)


def test_the_help_of_a_pipeline_names_all_options():
    text = inspect.getdoc(sluice.pipeline)
    for option in OPTIONS:
        assert re.search(f"^{option} : .*(, default |, optional$)", text, re.MULTILINE), option
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert f"\n{section}\n{'-' * len(section)}\n" in text


def test_goes_on_from_its_state(folder):
    @sluice.pipeline(batch_size=2, seed=3)
    def shuffled(folder):
        jpeg, label = sluice.files(folder, shuffle=True)
        return ops.random_resized_crop(jpeg, width=8, height=8), label

    whole = [batch for _ in range(2) for batch in arrays_of_epoch(shuffled(folder))]
    first, second = shuffled(folder), shuffled(folder)
    taken = []
    for number, batch in enumerate(first):
        taken.append([numpy.array(one) for one in batch])
        if number == 2:
            state = first.state_dict()
            break
    second.load_state_dict(state)
    rest = [[numpy.array(one) for one in batch] for batch in second]
    for mine, theirs in zip(taken + rest, whole):
        assert all(numpy.array_equal(a, b) for a, b in zip(mine, theirs))
    with pytest.raises(sluice.BuildError, match="seed"):
        shuffled(folder, seed=4).load_state_dict(state)


def arrays_of_epoch(pipe):
    return [[numpy.array(one) for one in batch] for batch in pipe]


def test_a_state_is_as_long_as_the_program(folder):
    """The figures of docs/python.md."""

    def size(steps, samples=6, **options):
        def described():
            n = sluice.source(lambda i: i, int, samples=samples)
            for _ in range(steps):
                n = n + 1
            return n

        pipe = sluice.pipeline(batch_size=2, on_error="skip", **options)(described)()
        list(pipe)
        return len(pipe.state_dict()["checkpoint"])

    assert 250 < size(0) < 400
    assert abs((size(40) - size(0)) / 40 - 25) < 5
    assert abs(size(3) - size(3, samples=10_000, seed=2**63)) < 40


def test_leaving_a_loop_ends_its_epoch(folder):
    pipe = thumbnails(folder)
    for _ in pipe:
        break
    assert len(list(pipe)) == 3 and pipe.next_epoch == 2
    pipe.reset()
    assert next(iter(pipe)).epoch == 0


@pytest.mark.parametrize("of", [list, tuple, numpy.array, lambda xs: numpy.array(xs, "u2"), lambda xs: [numpy.int64(x) for x in xs]])
def test_a_subset_is_any_list_of_whole_numbers(of):
    pipe = sluice.pipeline(batch_size=9)(
        lambda: sluice.source(lambda i: i, int, samples=9, subset=of([7, 2, 2]), shard=of([0, 1])))()
    assert [batch[0].tolist() for batch in pipe] == [[7, 2, 2]]


def test_filters_leave_samples_out(folder):
    @sluice.pipeline(batch_size=12)
    def odd(folder):
        jpeg, label = sluice.files(folder)
        sluice.drop_unless(label == 1)
        return label

    (batch,) = odd(folder)
    assert batch[0].tolist() == [1] * 4 and len(batch.missing) == 8


def test_inspects_and_explains(folder):
    pipe = thumbnails(folder)
    sample = pipe.inspect(3)
    assert sample["values"]["resize"].shape == (24, 32, 3) and sample["error"] is None
    assert "decode_jpeg" in pipe.explain() and "digraph" in pipe.graph().dot
    assert pipe.show(4).jpeg().startswith(b"\xff\xd8")
    assert pipe.stats["total"]["delivered"] == 0
    list(pipe)
    assert pipe.stats["total"]["delivered"] == 12 and "12 delivered" in pipe.stats["text"]


def test_inspects_steps_of_several_values():
    @sluice.pipeline
    def halves():
        number = sluice.source(lambda i: i, int, samples=9)
        quotient, rest = sluice.map(divmod, number, 2, returns=(int, int))
        return quotient, sluice.map(lambda n: None, rest, returns=object)

    values = halves().inspect(7)["values"]
    assert (3, 1) in values.values() and 7 in values.values() and None in values.values()


def test_an_array_in_another_order_of_bytes_is_refused_with_the_cure():
    @sluice.pipeline(on_error="skip")
    def described():
        return sluice.source(lambda i: numpy.zeros(3, ">f4"), "tensor", samples=1)

    (batch,) = described()
    assert "expected an array of float32 in this machine's byte order; array.astype(" in batch.errors[0]["what"]
    with pytest.raises(sluice.BuildError, match=r"name_of must be a function of an index \(got 5\)"):
        sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=1, name_of=5))()


def test_saves_plans(folder, tmp_path):
    thumbnails(folder).save(tmp_path / "plan.json")
    assert "decode_jpeg" in (tmp_path / "plan.json").read_text()

    @sluice.pipeline
    def own(folder):
        return sluice.map(len, sluice.files(folder)[0], returns=int)

    with pytest.raises(sluice.BuildError, match="len"):
        own(folder).save(tmp_path / "own.json")


def test_ends_when_nobody_has_it(folder):
    pipe = thumbnails(folder)
    next(iter(pipe))
    gone = weakref.ref(pipe)
    del pipe
    gc.collect()
    assert gone() is None


def test_closing_ends_a_step_that_waits():
    inside, go_on = threading.Event(), threading.Event()

    def wait(i):
        inside.set()
        go_on.wait(20)
        return i

    @sluice.pipeline(batch_size=1, threads=1)
    def waiting():
        return sluice.source(wait, int, samples=4)

    pipe = waiting()
    said = []

    def consume():
        try:
            list(pipe)
        except sluice.Error as error:
            said.append(str(error))

    consumer = threading.Thread(target=consume)
    consumer.start()
    inside.wait(20)
    closer = threading.Thread(target=pipe.close)
    closer.start()
    go_on.set()
    closer.join(20)
    consumer.join(20)
    assert not closer.is_alive() and not consumer.is_alive() and pipe.closed and len(said) == 1
    with pytest.raises(sluice.Error, match="closed"):
        next(iter(pipe))


def test_runs_on_a_device_as_on_the_host(folder):
    @sluice.pipeline(batch_size=4, seed=1)
    def moved(folder, there):
        jpeg, _ = sluice.files(folder)
        image = ops.decode_jpeg(jpeg.gpu() if there else jpeg)
        image = ops.resize(image, width=16, height=16)
        if ops.coin_flip(0.5):
            image = ops.invert(image)
        return image.cpu() if there else image

    here = arrays_of_epoch(moved(folder, False))
    there = arrays_of_epoch(moved(folder, True, device="stand-in"))
    assert all(numpy.array_equal(a, b) for (a,), (b,) in zip(here, there))


def test_a_device_that_no_step_uses_is_refused(folder):
    @sluice.pipeline(batch_size=4, device="stand-in")
    def described(moves):
        jpeg, label = sluice.files(folder)
        image = ops.decode_jpeg(jpeg.gpu() if moves else jpeg)
        return image.cpu() if moves else image, label

    assert len(described(True)) == 3 and len(described(False, device="cpu")) == 3
    with pytest.raises(sluice.BuildError, match=r"device is '.*', but no step .* call \.gpu\(\) on a value"):
        described(False)


def test_numbers_compute_as_pythons_do():
    @sluice.pipeline(batch_size=8)
    def computed():
        n = sluice.source(lambda i: i - 4, int, samples=8)
        return n + 1, 10 - n, n * 2, n / 2, n // 3, n % 3, -n, (n > 0) != (n < 2), n == 1, 1.5 * n

    (batch,) = computed()
    for i in range(8):
        n = i - 4
        wanted = (n + 1, 10 - n, n * 2, n / 2, n // 3, n % 3, -n, (n > 0) != (n < 2), n == 1, 1.5 * n)
        assert tuple(column.tolist()[i] for column in batch) == wanted


def test_a_child_of_fork_lets_go_of_it(folder):
    pipe = thumbnails(folder)
    next(iter(pipe))
    child = os.fork()
    if child == 0:
        code = 1
        try:
            try:
                next(iter(pipe))
            except sluice.Error as error:
                code = 0 if "fork" in str(error) else 2
            pipe.close()
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert len(list(pipe)) == 3


@pytest.mark.parametrize("how", ["rotate", "resize"])
def test_a_small_file_asks_for_no_gigabytes(how):
    file = sluice.encode_jpeg(numpy.zeros((1, 65500, 3), numpy.uint8), 50)

    @sluice.pipeline(on_error="skip", threads=1, prefetch=0)
    def turned():
        image = ops.decode_jpeg(sluice.source(lambda i: file, returns="bytes", samples=1))
        if how == "rotate":
            return ops.rotate(image, degrees=ops.uniform(44, 46), keep_size=False)
        return ops.resize(image, width=65000, height=40000)

    errors = [error for batch in turned() for error in batch.errors]
    assert [error["step"] for error in errors] == [how]
    assert errors[0]["what"].startswith(f"{how}: a value of shape (")
    assert "max_image_bytes = 536870912" in errors[0]["what"]


def test_the_largest_image_is_an_option():
    @sluice.pipeline(on_error="skip", max_image_bytes=299)
    def images():
        return sluice.source(lambda i: numpy.zeros((10, 10, 3), numpy.uint8), returns="image", samples=1)

    with pytest.raises(sluice.BuildError, match="max_image_bytes must be at least 1, not 0"):
        images(max_image_bytes=0)
    assert [batch.size for batch in images()] == [0]
    assert [batch.size for batch in images(max_image_bytes=300)] == [1]


def test_pipelines_share_threads(folder):
    wanted = arrays(thumbnails(folder, threads=2))
    pool = sluice.ThreadPool(2)
    assert pool.threads == 2 and repr(pool) == "<ThreadPool of 2 threads>" and repr(sluice.ThreadPool(1)) == "<ThreadPool of 1 thread>"
    pipes = [thumbnails(folder, thread_pool=pool) for _ in range(3)]
    got = [None] * len(pipes)

    def take(i):
        got[i] = arrays(pipes[i])

    takers = [threading.Thread(target=take, args=(i,)) for i in range(len(pipes))]
    for one in takers:
        one.start()
    for one in takers:
        one.join()
    for each in got:
        for batch, expected in zip(each, wanted, strict=True):
            assert all((one == other).all() for one, other in zip(batch, expected, strict=True))
    assert all(pipe.stats["threads"] == 2 for pipe in pipes)


def numbers_with(**options):
    return sluice.pipeline(**options)(lambda: sluice.source(int, int, samples=1))()


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: sluice.ThreadPool(-1), "threads must be at least 1"),
        (lambda: sluice.ThreadPool(5000), "threads must be at most 4096, not 5000"),
        (lambda: sluice.ThreadPool(2**40), "ThreadPool: threads: "),
        (lambda: sluice.ThreadPool("3"), "ThreadPool: threads: "),
        (lambda: sluice.ThreadPool(True), "ThreadPool: threads: "),
        (lambda: numbers_with(thread_pool=8), r"thread_pool must be a ThreadPool, not 8; sluice.ThreadPool\(8\) makes one"),
        (lambda: numbers_with(thread_pool=sluice.ThreadPool), "thread_pool must be a ThreadPool, not <class 'sluice.ThreadPool'>"),
        (lambda: numbers_with(threads=2, thread_pool=sluice.ThreadPool(3)),
         "threads is 2 and thread_pool has 3 threads: give only one of them, or set threads to 0"),
        (lambda: numbers_with(deliver_on_device=True, device="cpu"), "deliver_on_device needs a device"),
    ],
)
def test_says_what_is_wrong_with_shared_threads_and_devices(make, says):
    with pytest.raises(sluice.BuildError, match=says):
        make()
    with pytest.raises(TypeError, match="a ThreadPool belongs to its process and cannot be pickled or copied; make one in each process"):
        pickle.dumps(sluice.ThreadPool(1))


def test_says_that_a_loop_cannot_be_pickled(folder):
    with thumbnails(folder) as pipeline, pytest.raises(TypeError, match=r"a loop .* cannot be pickled or copied; state_dict\(\)"):
        pickle.dumps(iter(pipeline))


def test_delivers_on_a_device_what_the_cpu_makes(folder):
    on_cpu = thumbnails(folder)
    delivered = thumbnails(folder, device="stand-in", deliver_on_device=True)
    kept = []
    for epoch in range(2):
        for one, other in zip(delivered, on_cpu, strict=True):
            kept.append((one, other))
    for (images, labels), (expected, its_labels) in kept:
        assert images.on_device and not labels.on_device and not expected.on_device
        assert (numpy.asarray(images) == numpy.asarray(expected)).all() and labels.tolist() == its_labels.tolist()
    assert "GPU" in delivered.stats["text"] or "device" in delivered.stats["text"]


@pytest.mark.parametrize("crop", [lambda x: ops.crop(x, (0, 0, 9, 8)), lambda x: ops.random_crop(x, 9, 8)])
def test_inspect_shows_a_crop_that_the_decoder_makes(folder, crop):
    @sluice.pipeline(batch_size=1)
    def cropped():
        return crop(ops.decode_jpeg(sluice.files(folder)[0]))

    seen = cropped().inspect(0)
    assert seen["values"]["crop"].shape == (9, 8, 3)


def test_a_choice_of_one_branch():
    @sluice.pipeline(batch_size=3)
    def described():
        x = sluice.source(float, float, samples=3)
        return sluice.select(x.cast("i64") * 0, [lambda: [x * 2, (x, 1)]]), sluice.select(x.cast("i64") * 0, [x])

    batch = next(iter(described()))
    assert [one.tolist() for one in batch.columns] == [[0, 2, 4], [0, 1, 2], [1, 1, 1], [0, 1, 2]]
