"""pad_batch: ragged columns as one array."""

import numpy
import pytest

import sluice
from sluice import pad_batch


def ragged(shapes, dtype="f4"):
    """The column of a batch of tensors of these shapes, filled with 1, 2, ..."""

    @sluice.pipeline(batch_size=len(shapes))
    def described():
        return sluice.source(lambda i: numpy.full(shapes[i], i + 1, dtype), "tensor", samples=len(shapes))

    return next(iter(described()))[0]


@pytest.mark.parametrize(
    ("shapes", "options", "shape"),
    [
        ([(2, 4), (0, 4), (3, 4)], {}, (3, 3, 4)),
        ([(2, 4), (1, 4)], {"fill": -1}, (2, 2, 4)),
        ([(2, 4), (1, 4)], {"length": 5, "fill": 9}, (2, 5, 4)),
        ([(2, 3), (4, 1)], {}, (2, 4, 3)),
        ([(2, 3), (4, 1)], {"length": [4, 6]}, (2, 4, 6)),
        ([(2, 2), (2, 2)], {}, (2, 2, 2)),
    ],
)
def test_shorter_samples_are_filled_up(shapes, options, shape):
    padded = pad_batch(ragged(shapes), **options)
    assert padded.shape == shape and padded.dtype == numpy.float32
    for i, own in enumerate(shapes):
        inside = numpy.zeros(shape[1:], bool)
        inside[tuple(map(slice, own))] = True
        assert (padded[i][inside] == i + 1).all() and (padded[i][~inside] == options.get("fill", 0)).all()


def test_integers_keep_their_type():
    assert pad_batch(ragged([(1,), (3,)], "i8"), fill=-1).tolist() == [[1, -1, -1], [2, 2, 2]]


def test_lists_of_numbers():
    assert pad_batch([[1, 2, 3], [4]]).tolist() == [[1, 2, 3], [4, 0, 0]]


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    padded = pad_batch([torch.ones(2, 4), torch.zeros(0, 4)], fill=7)
    assert isinstance(padded, torch.Tensor) and padded.shape == (2, 2, 4) and padded[1].eq(7).all()


@pytest.mark.parametrize(
    ("column", "options", "says"),
    [
        ([], {}, "pad_batch: the column has no samples"),
        ([numpy.zeros(3), numpy.zeros((3, 1))], {}, "pad_batch: the samples must have the same number of dimensions"),
        ([numpy.zeros(3), numpy.zeros(4)], {"length": 3}, r"pad_batch: length=3 is too small for sample 1 of shape \(4,\)"),
    ],
)
def test_mistakes(column, options, says):
    with pytest.raises(ValueError, match=says):
        pad_batch(column, **options)
