"""Arithmetic and comparison of tensors and images, beside NumPy's."""

import operator

import numpy
import pytest

import sluice
from sluice import ops

IMAGE = numpy.arange(7, 31, dtype=numpy.uint8).reshape(2, 4, 3) * 2


def result(make, value=IMAGE, type="image"):
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
        lambda x, n, part: 90 - x,
        lambda x, n, part: x * n,
        lambda x, n, part: x // 7,
        lambda x, n, part: 100 % x,
        lambda x, n, part: (x // 10) ** 2,
        lambda x, n, part: abs(x),
        lambda x, n, part: x > 50,
        lambda x, n, part: 50 >= x,
        lambda x, n, part: x < 1000,
        lambda x, n, part: x == x,
        lambda x, n, part: x != numpy.int32(50),
    ],
)
@pytest.mark.parametrize("type", ["image", "tensor"])
def test_whole_numbers_are_those_of_numpy(make, type):
    expected = make(IMAGE, numpy.uint8(3), None)
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
    expected = make(IMAGE.astype(numpy.float32), numpy.float32(3), numpy.float32(0.5))
    got = result(make)
    assert got.dtype == expected.dtype
    assert numpy.allclose(got, expected, rtol=1e-6)


def test_the_smaller_and_the_larger():
    wide = IMAGE.astype(numpy.float64)
    assert numpy.array_equal(result(lambda x, n, part: ops.minimum(x, 100), wide, "tensor"), numpy.minimum(wide, 100))
    assert numpy.array_equal(result(lambda x, n, part: ops.maximum(n, x), wide, "tensor"), numpy.maximum(wide, 3))


def test_sizes_of_one_stand_for_all():
    mean = numpy.array([1, 2, 3], numpy.float32)

    def make(x, n, part):
        return x - sluice.map(lambda _: mean, x, returns="tensor")

    assert numpy.array_equal(result(make), IMAGE - mean)


def test_elements_are_cast():
    got = result(lambda x, n, part: (x * part).cast("i16"))
    assert got.dtype == numpy.int16 and numpy.array_equal(got, IMAGE // 2)
    assert result(lambda x, n, part: x.cast(float)).dtype == numpy.float32


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x, n: x + numpy.ones(3), "let a function of sluice.map compute with arrays"),
        (lambda x, n: x + sluice.constant("a"), "it takes tensors, images and numbers"),
        (lambda x, n: ops.minimum(2, 3), "minimum takes values of numbers, tensors or images"),
        (lambda x, n: ops.maximum(x, "a"), "maximum takes values of numbers, tensors or images"),
        (lambda x, n: x == "a", "only values of numbers, of tensors and of images"),
    ],
)
def test_what_cannot_be_is_said(make, says):
    with pytest.raises(TypeError) as error:
        result(lambda x, n, part: make(x, n))
    assert says in str(error.value)


def test_a_tensor_is_no_predicate():
    @sluice.pipeline(batch_size=1)
    def pipe():
        x = sluice.source(lambda i: IMAGE, returns="image", samples=1)
        if x > 3:
            x = ops.invert(x)
        return x

    with pytest.raises((TypeError, sluice.BuildError), match="bool"):
        pipe()


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda x: x + 300, "u8 does not hold it; cast the tensor"),
        (lambda x: x + ops.reshape(x.cast("f32"), [-1, 2]), "cannot be broadcast"),
        (lambda x: (x * 100.0).cast("u8"), "does not fit into 'u8'"),
        (lambda x: (x * 4).cast("i8"), "does not fit into 'i8'"),
        (lambda x: (x * 1e9).cast("f16"), "does not fit into 'f16'"),
        (lambda x: x * x, "does not fit into u8"),
        (lambda x: -x, "does not fit into u8"),
        (lambda x: x - 200, "does not fit into u8"),
        (lambda x: x // (x - 14), "integer division by zero"),
    ],
)
def test_what_does_not_fit_is_the_error_of_its_sample(make, says):
    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe():
        return make(sluice.source(lambda i: IMAGE, returns="image", samples=1))

    batch = next(iter(pipe()))
    assert batch.size == 0 and says in batch.errors[0]["what"]


WHOLE = ("bool", "i1", "u1", "i2", "i4", "i8")


def ends(type_):
    if type_ == "bool":
        return [False, True]
    info = numpy.iinfo(type_)
    return [info.min, info.max, 0, 3, *([-1, -7] if info.min < 0 else [])]


@pytest.mark.parametrize("x_type", WHOLE)
@pytest.mark.parametrize("y_type", WHOLE)
def test_all_pairs_of_types_are_exact_or_fail(x_type, y_type):
    pairs = [(x, y) for x in ends(x_type) for y in ends(y_type)]
    made = "i8" if x_type == y_type == "bool" else numpy.result_type(x_type, y_type).str[1:]
    info = numpy.iinfo(made)

    @sluice.pipeline(batch_size=len(pairs), on_error="skip", threads=1)
    def pipe(function):
        return function(
            *sluice.source(
                lambda i: (numpy.array([pairs[i][0]], x_type), numpy.array([pairs[i][1]], y_type)),
                ("tensor", "tensor"),
                samples=len(pairs),
            )
        )

    for function in (operator.add, operator.mul, operator.floordiv):
        batch = next(iter(pipe(function)))
        got = dict(zip(batch.ids, (batch[0][k].numpy() for k in range(batch.size))))
        for k, (x, y) in enumerate(pairs):
            if function is operator.floordiv and y == 0:
                assert k not in got
                continue
            expected = function(int(x), int(y))
            assert (k in got) == (info.min <= expected <= info.max), (function, x, y)
            if k in got:
                assert got[k].dtype.str[1:] == made and got[k].tolist() == [expected], (function, x, y)


@pytest.mark.parametrize("type_", ["bool", "u1", "i1", "i2", "i4", "i8", "f2", "f4", "f8"])
def test_reductions_of_all_types_are_those_of_numpy(type_):
    array = (numpy.arange(12).reshape(3, 4) % 5).astype(type_)

    @sluice.pipeline(batch_size=1)
    def pipe():
        x = sluice.source(lambda i: array, "tensor", samples=1)
        return (
            ops.sum(x, to="f64"), ops.mean(x), ops.min(x), ops.max(x), ops.standard_deviation(x), ops.any(x), ops.all(x),
            ops.reduce(x, operation="max", to="f64"),
        )  # fmt: skip

    got = [column[0] for column in next(iter(pipe()))]
    wide = array.astype("f8")
    assert got == pytest.approx([wide.sum(), wide.mean(), wide.min(), wide.max(), wide.std(), array.any(), array.all(), wide.max()])


ARRAY = (numpy.arange(60).reshape(3, 4, 5) * 37) % 101
BESIDE_NUMPY = [
    (ops.mean, numpy.mean), (ops.min, numpy.min), (ops.max, numpy.max), (ops.standard_deviation, numpy.std), (ops.sum, numpy.sum),
    (ops.any, numpy.any), (ops.all, numpy.all),
]  # fmt: skip


@pytest.mark.parametrize("type_", ["bool", "u1", "i1", "u2", "i2", "i4", "i8", "f2", "f4", "f8"])
@pytest.mark.parametrize("axis", [0, 2, -1, -3, (0, 1), (2, 0), (0, 1, 2)])
@pytest.mark.parametrize("keepdims", [False, True])
def test_reductions_along_axes_are_those_of_numpy(type_, axis, keepdims):
    array = ARRAY.astype(type_)
    for ours, theirs in BESIDE_NUMPY:
        got = ours(array, axis=axis, keepdims=keepdims)
        wide = array if ours in (ops.min, ops.max, ops.any, ops.all) else array.astype("f8")
        expected = numpy.asarray(theirs(wide, axis=axis, keepdims=keepdims))
        assert got.shape == expected.shape, ours
        if wide is array:
            assert got.dtype == expected.dtype and (got == expected).all(), ours
        else:
            assert got.dtype == ("f8" if type_ == "f8" else "f4" if ours is not ops.sum or type_[0] == "f" else "i8"), ours
            numpy.testing.assert_allclose(got, expected, rtol=1e-6)


@pytest.mark.parametrize("shape", [(4,), (4, 6), (3, 4, 5), (2, 3, 4, 5), (0, 4), (4, 6, 3)])
def test_arrays_of_bytes_have_the_axes_of_their_shape(shape):
    """An operator on images takes them as height x width x channels."""
    array = (numpy.arange(numpy.prod(shape)).reshape(shape) % 251).astype("u1")
    for axis in range(-len(shape), len(shape)):
        got = ops.sum(array, axis=axis)
        assert got.shape == array.sum(axis).shape and (got == array.sum(axis)).all()


@pytest.mark.parametrize("axis", [numpy.int64(1), numpy.array([0, 1]), [1], (numpy.int8(-1), 0)])
def test_axes_may_be_numpys(axis):
    expected = ARRAY.sum(tuple(numpy.atleast_1d(axis).tolist()))
    assert (ops.sum(ARRAY, axis=axis) == expected).all()


def test_reductions_along_axes_in_a_pipeline():
    def centered(x, n, part):
        return x.cast("f32") - ops.mean(x, axis=(0, 1), keepdims=True)

    numpy.testing.assert_allclose(result(centered), IMAGE - IMAGE.mean((0, 1), keepdims=True), rtol=1e-6)
    assert result(lambda x, n, part: ops.sum(x, axis=-1)).tolist() == IMAGE.sum(-1, dtype="i8").tolist()


@pytest.mark.parametrize(
    ("call", "error", "says"),
    [
        (lambda x: ops.mean(x, axis=3), sluice.Error, "there is no dimension 3 of 3"),
        (lambda x: ops.mean(x, axis=(0, -3)), sluice.Error, "mean: axis 0 is named twice"),
        (lambda x: ops.mean(x, axis=()), sluice.BuildError, "there are 0 axes; 1 to 6 are possible"),
        (lambda x: ops.mean(x, axis=0.5), sluice.BuildError, "axis must be a whole number"),
        (lambda x: ops.mean(x, axis=float("nan")), sluice.BuildError, "axis must be a whole number"),
        (lambda x: [ops.sum(x, axis=(0, 1)), ops.sum(x, axis=(False, True))], sluice.BuildError, "axis must be a whole number"),
        (lambda x: ops.mean(x, keepdims=True), TypeError, "keepdims= needs axis="),
        (lambda x: ops.mean(x, dim=0), TypeError, r"mean\(\) has no argument 'dim'.*axis="),
        (lambda x: ops.sum(x, axis=0, to="f32"), TypeError, "sum takes to= or axis=, not both"),
        (lambda x: ops.max(x[:0], axis=0), sluice.Error, "no elements along these axes"),
    ],
)
def test_wrong_axes(call, error, says):
    with pytest.raises(error, match=says):
        call(ARRAY)


@pytest.mark.parametrize(("type_", "kind"), [("f4", float), ("f8", float), ("i4", int), ("u1", int)])
def test_the_sum_of_an_array_is_a_number_of_its_kind(type_, kind):
    total = ops.sum(ARRAY.astype(type_))
    assert type(total) is kind and total == ARRAY.sum()


def test_a_reduction_that_does_not_fit_is_the_error_of_its_sample():
    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe(reduce):
        return reduce(sluice.source(lambda i: numpy.array([2**62, 2**62 + 1]), "tensor", samples=1))

    assert "sum: i64 does not hold it" in next(iter(pipe(ops.sum))).errors[0]["what"]
    assert "is no f32; ask for i64" in next(iter(pipe(ops.max))).errors[0]["what"]
    assert next(iter(pipe(lambda x: ops.reduce(x, operation="max", to="i64"))))[0].tolist() == [2**62 + 1]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: (x / 255 - 0.5) / 0.25,
        lambda x: ops.clamp(x.cast("i32") * 3 - 90, 0, 99),
        lambda x: ops.sqrt(x) + ops.exp(x.cast("f32") * 0.01) ** 2,
        lambda x: (x > 20).cast("u8") * x // 3 % 5,
    ],
)
def test_a_gpu_computes_the_same(make):
    @sluice.pipeline(batch_size=1, device="stand-in")
    def pipe():
        image = sluice.source(lambda i: IMAGE, returns="image", samples=1)
        return make(image), make(image.gpu()).cpu()

    here, there = next(iter(pipe()))
    assert here[0].numpy().dtype == there[0].numpy().dtype
    numpy.testing.assert_array_equal(here[0].numpy(), there[0].numpy())


def test_a_gpu_fails_the_samples_that_the_cpu_fails():
    @sluice.pipeline(batch_size=4, device="stand-in", on_error="skip")
    def pipe():
        image = sluice.source(lambda i: IMAGE + numpy.uint8(60 * i), returns="image", samples=4)
        return (image.gpu() * 2).cpu(), (image.gpu().cast("i8")).cpu()

    batch = next(iter(pipe()))
    assert batch.size == 2 and [one["position"] for one in batch.errors] == [2, 3]
    assert "multiply: a result does not fit into the type of the tensor; cast to a wider or a signed type first; on a CPU" in batch.errors[0]["what"]
