"""Arithmetic and comparison of tensors and pictures, beside NumPy's."""

import numpy
import pytest

import sluice
from sluice import ops

PICTURE = numpy.arange(24, dtype=numpy.uint8).reshape(2, 4, 3) * 10


def result(make, value=PICTURE, type="image"):
    """What make() gives for a value, and for a number 3 and a fraction 0.5 of the same sample."""

    @sluice.pipeline(batch_size=1)
    def pipe():
        given, n, part = sluice.source(lambda i: (value, 3, 0.5), returns=(type, int, float), samples=1)
        return make(given, n, part)

    return next(iter(pipe()))[0][0].numpy()


@pytest.mark.parametrize(
    "make",
    [
        lambda x, n, part: x + x,
        lambda x, n, part: x - 7,
        lambda x, n, part: 7 - x,
        lambda x, n, part: x * n,
        lambda x, n, part: -x,
        lambda x, n, part: x > 100,
        lambda x, n, part: 100 >= x,
        lambda x, n, part: x == x,
        lambda x, n, part: x != numpy.int32(50),
    ],
)
@pytest.mark.parametrize("type", ["image", "tensor"])
def test_whole_numbers_are_those_of_numpy(make, type):
    expected = make(PICTURE, numpy.uint8(3), None)
    got = result(make, type=type)
    assert got.dtype == expected.dtype and numpy.array_equal(got, expected)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, n, part: x / 255,
        lambda x, n, part: 1 / (x + 1.0),
        lambda x, n, part: x * part - n,
        lambda x, n, part: (x / 255 - part) / 0.25 < 0.1,
    ],
)
def test_fractions_are_f32(make):
    expected = make(PICTURE.astype(numpy.float32), numpy.float32(3), numpy.float32(0.5))
    got = result(make)
    assert got.dtype == expected.dtype
    assert numpy.allclose(got, expected, rtol=1e-6)


def test_the_smaller_and_the_larger():
    wide = PICTURE.astype(numpy.float64)
    assert numpy.array_equal(result(lambda x, n, part: ops.minimum(x, 100), wide, "tensor"), numpy.minimum(wide, 100))
    assert numpy.array_equal(result(lambda x, n, part: ops.maximum(n, x), wide, "tensor"), numpy.maximum(wide, 3))


def test_sizes_of_one_stand_for_all():
    mean = numpy.array([1, 2, 3], numpy.float32)

    def make(x, n, part):
        return x - sluice.map(lambda _: mean, x, returns="tensor")

    assert numpy.array_equal(result(make), PICTURE - mean)


def test_elements_are_cast():
    got = result(lambda x, n, part: (x * part).cast("i16"))
    assert got.dtype == numpy.int16 and numpy.array_equal(got, PICTURE // 2)
    assert result(lambda x, n, part: x.cast(float)).dtype == numpy.float32


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x, n: x % 2, "have no %"),
        (lambda x, n: x // 2, "have no //"),
        (lambda x, n: x + numpy.ones(3), "let a function of sluice.map compute with arrays"),
        (lambda x, n: x + sluice.constant("a"), "it takes tensors, pictures and numbers"),
        (lambda x, n: ops.minimum(n, 3), "minimum takes a tensor or a picture"),
        (lambda x, n: ops.maximum(x, "a"), "maximum takes a tensor or a picture"),
        (lambda x, n: x == "a", "only values of numbers, of tensors and of pictures"),
    ],
)
def test_what_cannot_be_is_said(make, says):
    with pytest.raises(TypeError) as error:
        result(lambda x, n, part: make(x, n))
    assert says in str(error.value)


def test_a_tensor_is_no_predicate():
    @sluice.pipeline(batch_size=1)
    def pipe():
        x = sluice.source(lambda i: PICTURE, returns="image", samples=1)
        if x > 3:
            x = ops.invert(x)
        return x

    with pytest.raises((TypeError, sluice.BuildError), match="bool"):
        pipe()


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x: x + 300, "u8 does not hold it; cast the tensor"),
        (lambda x: x + ops.reshape(x.cast("f32"), [-1, 2]), "do not fit together"),
        (lambda x: (x * 100.0).cast("u8"), "which u8 does not hold"),
    ],
)
def test_what_does_not_fit_is_the_error_of_its_sample(make, says):
    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe():
        return make(sluice.source(lambda i: PICTURE, returns="image", samples=1))

    batch = next(iter(pipe()))
    assert batch.size == 0 and says in batch.errors[0]["what"]
