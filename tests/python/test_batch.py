"""What a batch and its columns say of themselves, and what is said of samples that are missing."""

import dataclasses

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
    with pytest.raises(sluice.BuildError, match="is a path, not None"):
        sluice.classes(None)


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
    with pytest.raises(sluice.BudgetError, match=r"more than 1 % allowed by on_error; the last: .*is broken"):
        list(pipe)
