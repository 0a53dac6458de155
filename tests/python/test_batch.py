"""What a batch and its columns say of themselves, and what is said of samples that are missing."""

import base64
import copy
import dataclasses
import io
import pickle
import tarfile

import numpy
import pytest

import sluice
from sluice import ops


def test_a_batch_says_what_it_has_in_place_of_what_is_asked_for(folder):
    @dataclasses.dataclass
    class Pair:
        image: object
        label: object

    def batch_of(make):
        def describe():
            jpeg, label = sluice.files(folder)
            return make(ops.resize(ops.decode_jpeg(jpeg), width=8, height=8), label)

        return next(iter(sluice.pipeline(batch_size=4)(describe)()))

    named = batch_of(lambda image, label: {"image": image, "label": label})
    with pytest.raises(KeyError, match="has the columns 'image', 'label', not 'x'"):
        named["x"]
    with pytest.raises(AttributeError, match=r"batch\.value is the dict"):
        named.items()
    assert list(named.value) == ["image", "label"]
    one = batch_of(lambda image, label: image)
    with pytest.raises(AttributeError, match=r"its column is batch\.value"):
        one.shape
    with pytest.raises(IndexError, match="has 1 column, by number from 0 on, not 1"):
        one[1]
    pair = batch_of(Pair)
    with pytest.raises(AttributeError, match=r"batch\.value is the Pair that the function returned"):
        pair.image
    assert pair.value.image.shape == (4, 8, 8, 3)
    assert not hasattr(pair, "__len") and hasattr(pair, "size")


def test_columns_are_not_compared_in_silence(folder):
    @sluice.pipeline(batch_size=4)
    def describe():
        jpeg, label = sluice.files(folder)
        return ops.resize(ops.decode_jpeg(jpeg), width=8, height=8), label

    images, labels = next(iter(describe()))
    for one in (images, labels, images[0]):
        with pytest.raises(TypeError, match=r"\.numpy\(\) or \.torch\(\) of it has elements that compare"):
            one == 0
        assert one == one and one in [one] and len({one}) == 1
    assert (labels.numpy() == numpy.asarray(labels)).all()


def of_each(batch):
    return [column if isinstance(column, list) else numpy.asarray(column) for column in batch]


@pytest.mark.parametrize("size", [1, 2, 4, 5, 12])
@pytest.mark.parametrize("bad", [{4}, {0, 1}, {2, 3}, set(range(6)), {5}])
@pytest.mark.parametrize("how", ["error", "filter"])
def test_a_batch_of_which_nothing_is_left_does_not_end_the_loop(size, bad, how):
    def get(i):
        if how == "error" and i in bad:
            raise ValueError("broken")
        return numpy.full((4, 5, 3), i, numpy.uint8), i, f"number {i}"

    @sluice.pipeline(batch_size=size, on_error="skip")
    def described():
        image, number, text = sluice.source(get, ("image", int, str), samples=6)
        if how == "filter":
            sluice.drop_unless(sluice.map(lambda i: i not in bad, number, returns=bool))
        return image, ops.crop_mirror_normalize(image), number, text

    pipe = described()
    for epoch in range(2):
        batches = list(pipe)
        assert [batch.index for batch in batches] == list(range(-(-6 // size)))
        left, seen = [], False
        for batch in batches:
            pixels, tensor, number, text = of_each(batch)
            assert len(pixels) == len(tensor) == len(number) == len(text) == batch.size
            assert pixels.dtype == numpy.uint8 and tensor.dtype == numpy.float32 and number.dtype == numpy.int64
            assert pixels.ndim == tensor.ndim == 4 and batch[0].dense and batch[1].layout == "CHW"
            seen = seen or batch.size > 0
            if seen or (epoch > 0 and len(bad) < 6):  # the sizes of a batch before are known
                assert pixels.shape[1:] == (4, 5, 3) and tensor.shape[1:] == (3, 4, 5)
            else:
                assert pixels.shape == tensor.shape == (0, 0, 0, 0)
            left += number.tolist()
        assert left == [i for i in range(6) if i not in bad]


def test_the_memory_of_an_empty_batch_is_handed_over():
    @sluice.pipeline(batch_size=2)
    def described():
        n = sluice.source(lambda i: i, int, samples=4)
        image = sluice.map(lambda i: numpy.zeros((2, 3, 3), "u1"), n, returns="image")
        sluice.drop_unless(n < 2)
        return image, n

    _, batch = described()
    for column, shape in zip(batch, [(0, 2, 3, 3), (0,)]):
        assert column.shape == shape and column.__dlpack_device__() == (1, 0)
        assert numpy.from_dlpack(column).shape == shape


def test_the_text_of_a_batch_is_short():
    pipe = sluice.pipeline(batch_size=3)(lambda: sluice.source(lambda i: "x" * 5000, returns=str, samples=3))()
    assert repr(next(iter(pipe))) == "<Batch 0 of epoch 0: 3 samples, [<list of 3>]>"


def test_classes_are_those_that_labels_number(folder, tmp_path):
    assert sluice.classes(folder) == ["a", "b", "c"]
    assert sluice.classes(str(folder / "a")) == []
    assert sluice.classes(folder, endings=".jpg") == ["a", "b", "c"]
    with pytest.raises(sluice.IoError):
        sluice.classes(tmp_path / "nothing")
    with pytest.raises(sluice.BuildError, match=r"must be a path \(got None\)"):
        sluice.classes(None)


def write_classes(root, *names):
    """A file in each of these classes; "bee/1.png" names it."""
    for name in names:
        path = root / (name if "." in name else f"{name}/1.jpg")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sluice.encode_jpeg(numpy.zeros((8, 8), numpy.uint8)))
    return root


def labels_of(folder, **options):
    pipe = sluice.pipeline(batch_size=100)(lambda: sluice.files(folder, **options)[1])()
    return [label for batch in pipe for label in numpy.asarray(batch.value).tolist()]


@pytest.mark.parametrize("without", ["bee/1.png", "bee/.1.jpg", "bee/deep/1.txt"])
def test_a_class_without_files_keeps_its_label_or_is_an_error(tmp_path, without):
    folder = write_classes(tmp_path, "ant", without, "cow")
    with pytest.raises(sluice.IoError, match="has classes without JPEG files .*: bee"):
        labels_of(folder)
    with pytest.warns(sluice.LeftOutWarning, match="left out .*of the classes, without files"):
        assert labels_of(folder, allow_empty=True) == [0, 2]
    assert sluice.classes(folder) == ["ant", "bee", "cow"]


def test_a_list_of_classes_fixes_their_labels(tmp_path):
    train = write_classes(tmp_path / "train", "ant", "bee", "cow")
    val = write_classes(tmp_path / "val", "ant", "cow")
    assert labels_of(val, classes=sluice.classes(train)) == [0, 2]
    assert labels_of(val, classes=("cow", "ant")) == [1, 0]
    with pytest.raises(sluice.IoError, match="not in classes: cow; classes has ant, bee"):
        labels_of(val, classes=["ant", "bee"])
    for wrong in (["ant", "ant", "cow"], [1, 2], [], 3):
        with pytest.raises(sluice.BuildError, match="classes"):
            labels_of(val, classes=wrong)
    with pytest.raises(sluice.IoError, match="differ; only '.*train' has bee"):
        sluice.require_same_classes(train, val)
    sluice.require_same_classes(val, str(val))


def test_what_is_left_out_is_counted(tmp_path):
    folder = write_classes(tmp_path, "ant", "ant/1.png", "ant/2.png", ".bee/1.jpg")
    with pytest.warns(sluice.LeftOutWarning) as told:
        assert labels_of(folder) == [0]
    assert "sluice.files(): left out" in str(told[0].message) and told[0].filename == __file__
    assert "2 with the ending .png" in str(told[0].message) and "1 hidden" in str(told[0].message)


def write_tar(path, names):
    with tarfile.open(path, "w") as tar:
        for name in names:
            content = b"7" if name.endswith("cls") else b"x"
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return path


def test_names_with_several_dots_are_told_of(tmp_path):
    columns = {"jpg": "bytes", "cls": "i64"}
    lost = write_tar(tmp_path / "lost.tar", ["1.jpg", "1.cls", "v1.2.jpg", "v1.2.cls", "v1.3.jpg"])
    pipe = sluice.pipeline(batch_size=10, on_error="skip")(lambda: sluice.tar(lost, columns)[1])()
    (batch,) = pipe
    assert len(batch) == 1
    (error,) = batch.errors
    assert "v1" in error["source"] and "ends at the first dot" in error["what"] and "3.jpg" in error["what"]
    beside = write_tar(tmp_path / "beside.tar", ["1.jpg", "1.2.jpg", "1.cls", "README"])
    with pytest.warns(sluice.LeftOutWarning, match="sluice.tar.*1 that end like a wanted column.*README"):
        list(sluice.pipeline(batch_size=10)(lambda: sluice.tar(beside, columns)[1])())


# Pillow 13 wrote this in mode P: 4 x 2 pixels of 4 colors, in 2 bits each.
PALETTE_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAQAAAACAgMAAAACxpXwAAAADFBMVEUAAAAlWw1KthpvEScvrAcJAAAADElEQVR4nGOQZngCAAE5AQBFZJGbAAAA"
    "AElFTkSuQmCC"
)


def test_a_mask_with_a_palette_gives_its_ids():
    def decoded(**options):
        make = lambda: ops.decode_image(sluice.source(lambda i: PALETTE_PNG, returns="bytes", samples=2), **options)
        (batch,) = sluice.pipeline(batch_size=2)(make)()
        return numpy.asarray(batch.value[0]), batch.warnings

    ids = [[0, 1, 2, 3], [3, 2, 1, 0]]
    for options in ({"ids": True}, {"ids": True, "color": "gray"}):
        image, warnings = decoded(**options)
        assert image.reshape(2, 4).tolist() == ids and not warnings
    image, warnings = decoded(color="gray")
    assert image.reshape(2, 4).tolist() != ids
    assert len(warnings) == 1 and "decode it with `ids`" in warnings[0]["what"]


@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_columns_say_how_to_copy_them(take, folder):
    def describe():
        jpeg, label = sluice.files(folder)
        return ops.resize(ops.decode_jpeg(jpeg), width=8, height=8), label

    batch = next(iter(sluice.pipeline(batch_size=4)(describe)()))
    for one, shown in ((batch[0], "<Column of 4, shape (4, 8, 8, 3), u8>"), (batch[0][0], "<Array of shape (8, 8, 3), u8>"),
                       (batch[1], "<Array of shape (4,), i64>"), (batch, "<Column of 4, shape (4, 8, 8, 3), u8>")):
        with pytest.raises(TypeError) as error:
            take(one)
        assert str(error.value) == (
            f"{shown} cannot be pickled or deep-copied, because it shares the pipeline's memory; numpy.array(x) makes a copy of x "
            "that can, or x.torch().clone() a tensor"
        )
    assert copy.copy(batch[0]) is batch[0] and copy.copy(batch)[0] is batch[0]
    assert (pickle.loads(pickle.dumps(numpy.array(batch[0]))) == batch[0].numpy()).all()


@pytest.mark.parametrize("bad, samples, raises", [(range(3), 170, True), (range(3), 400, True), ([169], 170, False), ([5], 100, False), ([0, 1], 100, True), ([0], 20, True)])
def test_a_rate_of_errors_counts_those_before_it_counts(bad, samples, raises):
    """At most 1 %, from the 100th sample on or at the end of a shorter epoch."""

    def get(i):
        if i in bad:
            raise ValueError(f"number {i} is broken")
        return i

    pipe = sluice.pipeline(batch_size=10, on_error="skip", max_error_rate=0.01)(
        lambda: sluice.source(get, returns=int, samples=samples)
    )()
    if not raises:
        assert sum(batch.size for batch in pipe) == samples - len(bad)
        return
    with pytest.raises(sluice.BudgetError, match=r"more than the 1 % that max_rate \(in Python: max_error_rate\) allows; the last: .*is broken"):
        list(pipe)
