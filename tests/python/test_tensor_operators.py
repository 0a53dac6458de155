"""Sums, parts, padding and bits of tensors, beside NumPy's."""

import re

import numpy
import pytest

import sluice
from sluice import ops

IMAGE = numpy.arange(24, dtype=numpy.uint8).reshape(2, 4, 3) * 10


def result(make, value=IMAGE, type="tensor"):
    """What make() gives for a value, and for the number 3 of the same sample."""

    @sluice.pipeline(batch_size=1)
    def pipe():
        given, n = sluice.source(lambda i: (value, 3), returns=(type, int), samples=1)
        return make(given, n)

    return next(iter(pipe()))[0][0]


def error(make, value=IMAGE):
    """What the error of the sample says."""

    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe():
        given, n = sluice.source(lambda i: (value, 3), returns=("tensor", int), samples=1)
        return make(given, n)

    batch = next(iter(pipe()))
    assert batch.size == 0
    return batch.errors[0]["what"]


@pytest.mark.parametrize("dtype", ["uint8", "int8", "int16", "int32", "int64", "bool"])
def test_the_sum_of_whole_numbers_is_whole(dtype):
    value = (IMAGE // 2).astype(dtype)
    got = result(lambda x, n: ops.sum(x), value)
    assert got.dtype == numpy.int64 and got == value.sum(dtype="i8")
    assert result(lambda x, n: ops.sum(x, to="f32"), value) == float(got)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_sum_of_fractions_is_a_fraction(dtype):
    value = numpy.random.default_rng(1).random((50, 60)).astype(dtype)
    exact = value.sum(dtype="f8")
    assert result(lambda x, n: ops.sum(x, to="f64"), value) == pytest.approx(exact, rel=1e-13)
    assert result(lambda x, n: ops.sum(x, to="f32"), value) == numpy.float32(exact)
    assert "their sum can be f32 or f64" in error(lambda x, n: ops.sum(x), value)


def test_the_sum_of_an_image_is_a_predicate():
    assert result(lambda x, n: sluice.if_else(ops.sum(x) > 2000, lambda: 1, lambda: 2), type="image") == 1


@pytest.mark.parametrize(
    "make, by_numpy",
    [
        (lambda x, n: ops.slice_tensor(x, start=1), lambda p: p[1:]),
        (lambda x, n: ops.slice_tensor(x, axis=1, start=1, length=2), lambda p: p[:, 1:3]),
        (lambda x, n: ops.slice_tensor(x, axis=-1, length=0), lambda p: p[:, :, :0]),
        (lambda x, n: ops.slice_tensor(x, axis=1, start=n, length=4 - n), lambda p: p[:, 3:]),
        (lambda x, n: ops.slice_tensor(x, axis=[1, 2], start=[2, 1], length=[-1, 1]), lambda p: p[:, 2:, 1:2]),
        (lambda x, n: ops.slice_tensor(x, axis=(0, 1), length=(1, n)), lambda p: p[:1, :3]),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "float16", "int64"])
def test_parts_are_those_of_numpy(make, by_numpy, dtype):
    value = IMAGE.astype(dtype)
    got = result(make, value).numpy()
    assert got.dtype == value.dtype and numpy.array_equal(got, by_numpy(value))


def padded(array, *widths, fill=0):
    return numpy.pad(array, [(0, width) for width in widths], constant_values=fill)


@pytest.mark.parametrize(
    "make, by_numpy",
    [
        (lambda x, n: ops.pad_tensor(x, length=5, fill=7), lambda p: padded(p, 3, 0, 0, fill=7)),
        (lambda x, n: ops.pad_tensor(x, axis=1, align=8), lambda p: padded(p, 0, 4, 0)),
        (lambda x, n: ops.pad_tensor(x, axis=-1, length=n + 1, fill=n), lambda p: padded(p, 0, 0, 1, fill=3)),
        (lambda x, n: ops.pad_tensor(x, axis=1, length=2), lambda p: p),
        (
            lambda x, n: ops.pad_tensor(x, axis=[0, 2], length=[n, 4], align=[2, 3], fill=1),
            lambda p: padded(p, 2, 0, 3, fill=1),
        ),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "float32", "int16"])
def test_padding_is_that_of_numpy(make, by_numpy, dtype):
    value = IMAGE.astype(dtype)
    got = result(make, value).numpy()
    assert got.dtype == value.dtype and numpy.array_equal(got, by_numpy(value))


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x, n: ops.slice_tensor(x, start=n), "slice_tensor: start is 3; along dimension 0"),
        (lambda x, n: ops.slice_tensor(x, start=1, length=n), "length is 3; along dimension 0"),
        (lambda x, n: ops.slice_tensor(x, start=n - 4), "slice_tensor: start must "),
        (lambda x, n: ops.slice_tensor(x, axis=3), "there is no dimension 3 of 3"),
        (lambda x, n: ops.pad_tensor(x, length=5, fill=n * 100), "pad_tensor: fill is 300; for a tensor of u8"),
        (lambda x, n: ops.pad_tensor(x, length=n - 4), "pad_tensor: length must "),
    ],
)
def test_what_does_not_fit_is_the_error_of_its_sample(make, says):
    assert says in error(make)


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x, n: ops.slice_tensor(x, start=-1), "slice_tensor: start must "),
        (lambda x, n: ops.slice_tensor(x, axis=[]), "slice_tensor: there are no axes"),
        (lambda x, n: ops.slice_tensor(x, axis=[0, 1], start=[1]), "start has 1 elements, and axis 2"),
        (lambda x, n: ops.slice_tensor(3), "slice_tensor takes a value of each sample, not int"),
        (lambda x, n: ops.pad_tensor(x, length=[1, 2]), "length has 2 elements, and axis 1"),
        (lambda x, n: ops.pad_tensor(x, align=0), "pad_tensor: align must "),
        (lambda x, n: ops.sum(x.cast("f32")), "sum: to is i64, but the elements are f32"),
        (lambda x, n: x.cast("f32") & 1, "bitwise_and: the elements are f32 and f32"),
        (lambda x, n: n & 1.5, "bitwise_and: x and y must be whole numbers; cast them"),
    ],
)
def test_what_cannot_be_is_refused(make, says):
    with pytest.raises(sluice.BuildError) as refused:
        result(make)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    "make",
    [
        lambda x, n: x & 0xF0,
        lambda x, n: 3 | x,
        lambda x, n: x ^ n,
        lambda x, n: n & x,
        lambda x, n: x ^ (x | 85),
        lambda x, n: (x > 100) & (x < 200),
        lambda x, n: (x > 100) ^ (x == 50) | (x < 20),
    ],
)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64"])
def test_bits_of_tensors_are_those_of_numpy(make, dtype):
    value = IMAGE.astype(dtype)
    expected = make(value, value.dtype.type(3))
    got = result(make, value).numpy()
    assert got.dtype == expected.dtype and numpy.array_equal(got, expected)


def test_bits_of_numbers_are_those_of_python():
    def make(x, n):
        return [n & 6, 6 | n, n ^ 5, -n & 0xFF, n & (n + 1), True | n, (n > 2) & n]

    @sluice.pipeline(batch_size=4)
    def pipe():
        return make(None, sluice.source(lambda i: i, returns=int, samples=4))

    columns = next(iter(pipe())).value
    for n in range(4):
        assert [column[n] for column in columns] == make(None, n)


def test_no_bits_of_a_number_are_lost():
    value = numpy.array([-1, 0, 5])
    for make in (lambda x, n: x & 2**53, lambda x, n: x ^ -(2**62), lambda x, n: (x > 0) ^ True):
        assert numpy.array_equal(result(make, value).numpy(), make(value, 3))
    with pytest.raises(OverflowError, match="no f64 holds this number"):
        result(lambda x, n: x & (2**53 + 1), value)
    assert "f64" in error(lambda x, n: x & (n + 2**53), value)


@pytest.mark.parametrize("make", [lambda a: a & True, lambda a: a | a, lambda a: numpy.bool_(True) ^ a])
def test_bools_are_told_of_and_and_or(make):
    with pytest.raises(TypeError, match="write `a and b`"):
        result(lambda x, n: make(n > 2))


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda x, n: ~x, TypeError, "write `mask == 0`"),
        (lambda x, n: ~n, TypeError, "write `x ^ -1`"),
        (lambda x, n: x[1:], TypeError, "Use ops.slice_tensor"),
        (lambda x, n: ops.cat(n), sluice.BuildError, "of type i64> is no tensor"),
        (lambda x, n: ops.cat([x, n]), sluice.BuildError, "of type i64> is no tensor"),
        (lambda x, n: ops.stack(x), sluice.BuildError, "is no list; give several"),
        (lambda x, n: ops.pad_tensor(x, length=9, fill=2**53 + 1), OverflowError, "whole numbers up to 2**53"),
        (lambda x, n: sluice.all_of(x > 3, True), sluice.BuildError, "with `&` or `|`"),
        (lambda x, n: sluice.if_else(x > 3, 1, 2), sluice.BuildError, "`ops.any(x > 0)`"),
    ],
)
def test_what_cannot_be_says_what_to_write(make, error, says):
    with pytest.raises(error, match=re.escape(says)):
        result(make)


def test_what_the_errors_say_to_write_works():
    mask = IMAGE > 100
    assert numpy.array_equal(result(lambda x, n: x == 0, mask).numpy(), ~mask)
    assert result(lambda x, n: n ^ -1) == ~3
    signed = IMAGE.astype("i2") - 100
    assert numpy.array_equal(result(lambda x, n: abs(x), signed).numpy(), abs(signed))
    assert result(lambda x, n: sluice.if_else(ops.sum(x > 3) > 0, lambda: 1, lambda: 2)) == 1


def test_one_tensor_is_joined_to_itself():
    assert numpy.array_equal(result(lambda x, n: ops.cat(x, axis=-1)).numpy(), IMAGE)
    with pytest.raises(sluice.BuildError, match="cat: axis must lie between -6 and 5, not 7"):
        result(lambda x, n: ops.cat(x, axis=7))


def test_a_list_of_each_sample_is_stacked_and_not_joined():
    @sluice.pipeline(batch_size=1)
    def pipe():
        x, n = sluice.source(lambda i: (IMAGE, 3), returns=("tensor", int), samples=1)
        return ops.cat([x for i in range(n)])

    with pytest.raises(sluice.BuildError, match=r"ops.stack\(list, length\)"):
        pipe()


def test_a_sum_that_only_a_fraction_holds():
    value = numpy.full(4, 2**62)
    assert result(lambda x, n: ops.sum(x, to="f64"), value) == 2.0**64
    assert result(lambda x, n: ops.sum(x, to="f32"), value) == 2.0**64


def test_a_fill_of_each_sample_is_not_rounded():
    value = numpy.array([2**53])
    padded = result(lambda x, n: ops.pad_tensor(x, length=2, fill=n), value).numpy()
    assert list(padded) == [2**53, 3]
    assert "f64" in error(lambda x, n: ops.pad_tensor(x, length=2, fill=n + (2**53 - 2)), value)


def test_a_random_crop_may_be_aliased():
    image = numpy.random.default_rng(2).integers(0, 256, (90, 90, 3), dtype=numpy.uint8)

    def make(x, n):
        whole = dict(width=30, height=30, min_area=1, max_area=1, min_ratio=1, max_ratio=1)
        return [ops.random_resized_crop(x, **whole, antialias=antialias) for antialias in (True, False)]

    @sluice.pipeline(batch_size=1)
    def pipe():
        return make(sluice.source(lambda i: image, returns="image", samples=1), None)

    smooth, aliased = next(iter(pipe())).value
    assert not numpy.array_equal(smooth[0], aliased[0])
    assert numpy.array_equal(aliased[0], image[1::3, 1::3])


@pytest.mark.parametrize("make, by_numpy", [
    (lambda x, n: x * 0.5, lambda x, n: x * numpy.float32(0.5)),
    (lambda x, n: x.cast("f32") * n - 100, lambda x, n: x.astype(numpy.float32) * n - 100),
    (lambda x, n: x > 100, lambda x, n: x > 100),
])
def test_what_was_computed_is_an_image_again(make, by_numpy):
    wanted = numpy.floor(numpy.clip(by_numpy(IMAGE, 3).astype(numpy.float32), 0, 255) + 0.5).astype(numpy.uint8)
    back = result(lambda x, n: ops.flip(ops.to_image(make(x, n)), horizontal=True), type="image")
    assert numpy.array_equal(numpy.asarray(back), wanted[:, ::-1])


@pytest.mark.parametrize("white, factor", [(1, 1 / 255), (2, 2 / 255), (255, 1)])
def test_numbers_become_an_image_by_what_is_white(white, factor):
    back = result(lambda x, n: ops.flip(ops.to_image(x * factor, white=white)), type="image")
    assert numpy.array_equal(numpy.asarray(back), IMAGE[:, ::-1])
    assert "give white = 1 for numbers from 0 to 1" in error(lambda x, n: ops.to_image(x / 255), IMAGE)


def test_says_what_is_no_image():
    assert error(lambda x, n: ops.to_image(x), numpy.zeros((2, 3, 5), numpy.float32)).startswith(
        "to_image: a tensor of ")


@pytest.mark.parametrize("make, says", [
    (lambda x, n: numpy.mean(x), "is no array of NumPy's while the pipeline is described"),
    (lambda x, n: numpy.flip(x), "is no array of NumPy's while the pipeline is described"),
    (lambda x, n: float(n), "value.cast('f32') makes one"),
    (lambda x, n: round(n * 1.0), "cannot be rounded while the pipeline is described"),
    (lambda x, n: ops.shear(x, x=10), "shear: image must be an image (got <Value 'source' of type tensor>); ops.to_image(image)"),
])
def test_says_what_computes_with_values(make, says):
    with pytest.raises((TypeError, sluice.BuildError), match=re.escape(says)):
        result(make)


@pytest.mark.parametrize("name", ["sqrt", "exp", "log"])
@pytest.mark.parametrize("dtype", ["uint8", "int64", "bool", "float16", "float32", "float64"])
def test_functions_are_numpys(name, dtype):
    value = numpy.array([0, 1, 2, 9, 80]).astype(dtype)
    got = numpy.asarray(result(lambda x, n: getattr(ops, name)(x), value))
    kind = dtype if dtype.startswith("float") else "float32"
    with numpy.errstate(divide="ignore"):
        right = getattr(numpy, name)(value.astype("float64"))
        if dtype == "float16" and name == "exp":  # too large for it
            right[right > 65504] = numpy.inf
    assert got.dtype == kind
    numpy.testing.assert_allclose(got.astype("f8"), right, rtol={"float16": 5e-4, "float64": 1e-15}.get(kind, 6e-8))
    assert numpy.array_equal(getattr(ops, name)(value), got)  # without a pipeline


def test_functions_of_numbers():
    assert result(lambda x, n: ops.sqrt(n * 3)) == numpy.float32(3)
    assert result(lambda x, n: ops.exp(n)) == numpy.float32(numpy.exp(3.0))
    assert result(lambda x, n: ops.log(n.cast("f64"))) == numpy.log(3.0)
    assert numpy.isnan(result(lambda x, n: ops.log(-n)))
    with pytest.raises(TypeError, match="sqrt takes a value of a number, tensor or image, not 'a'"):
        result(lambda x, n: ops.sqrt("a"))


@pytest.mark.parametrize("axes", [(2, 0, 1), (1, 2, 0), (0, 1, 2), [2, 1, 0], (-1, 0, 1), (-2, -1, -3)])
@pytest.mark.parametrize("type", ["tensor", "image"])
def test_permute_is_transpose(axes, type):
    right = IMAGE.transpose(axes)
    assert numpy.array_equal(result(lambda x, n: ops.permute(x, axes), type=type), right)
    assert numpy.array_equal(ops.permute(IMAGE, axes), right)


@pytest.mark.parametrize(
    "axes, says",
    [
        ((0, 0, 1), "permute: axis 0 is named twice"), ((0, 1, 3), "permute: an axis is 3; for 3 dimensions, 0 to 2 are possible"),
        ((), "permute: there are 0 axes; 1 to 6 are possible"), ((0, 1, 2, 3, 4, 5, 6), "permute: there are 7 axes; 1 to 6 are possible"), (1, "permute: axes"),
        ((0, 2, -1), "permute: axis 2 is named twice"), ((0, 1, -4), "permute: axes\\[2\\] must lie between 0 and 5, not -4"), ((0, 2.5, 1), "permute: axes must be whole numbers \\(got 2.5\\)"),
    ],
)
def test_wrong_axes(axes, says):
    with pytest.raises((sluice.BuildError, TypeError), match=says):
        result(lambda x, n: ops.permute(x, axes))


def test_permute_of_another_rank_is_the_error_of_its_sample():
    assert "there are 2 axes for a tensor of (2, 4, 3)" in error(lambda x, n: ops.permute(x, (1, 0)))


@pytest.mark.parametrize("layout", ["CHW", "HWC"])
def test_normalize_and_to_tensor(layout):
    mean, std = numpy.float32([0.1, 0.2, 0.3]), numpy.float32([0.5, 0.25, 0.2])
    order = (2, 0, 1) if layout == "CHW" else (0, 1, 2)
    right = ((IMAGE / 255 - mean) / std).transpose(order)
    got = result(lambda x, n: ops.normalize(x, mean.tolist(), std.tolist(), layout=layout), type="image")
    numpy.testing.assert_allclose(got, right, atol=2e-6)
    assert numpy.array_equal(ops.normalize(IMAGE, mean.tolist(), std.tolist(), layout=layout), got)
    got = result(lambda x, n: ops.to_tensor(x, layout=layout), type="image")
    numpy.testing.assert_allclose(got, (IMAGE / 255).transpose(order), atol=1e-7)
    levels = ops.to_tensor(IMAGE, layout=layout, dtype="u8")
    assert levels.dtype == numpy.uint8 and numpy.array_equal(levels, IMAGE.transpose(order))
    every = numpy.arange(256, dtype=numpy.uint8).reshape(16, 16, 1)
    assert numpy.array_equal(ops.to_tensor(every, layout="HWC", dtype="u8"), every)
    assert ops.to_tensor(IMAGE, dtype=numpy.float16).dtype == numpy.float16


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x: ops.normalize(x, 0.5, 0.5, dtype="u8"), "normalize: dtype must be one of 'f32', 'f16', 'bf16', not 'u8'"),
        (lambda x: ops.to_tensor(x, dtype="i8"), "to_tensor: dtype must be one of 'f32', 'f16', 'bf16', 'u8', not 'i8'"),
        (lambda x: ops.normalize(x, 128, 0.5), "mean"),
        (lambda x: ops.normalize(x, 0.5, 0.0), "std"),
    ],
)
def test_wrong_normalize(make, says):
    with pytest.raises(sluice.BuildError, match=says):
        result(lambda x, n: make(x), type="image")
