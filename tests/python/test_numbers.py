"""Arithmetic of values of numbers, beside Python's own: exact, or the error of the sample."""

import operator
import re

import numpy
import pytest

import sluice
from sluice import ops

WHOLE = {f"{kind}{bits}": (-(2 ** (bits - 1)) if kind == "i" else 0, 2 ** (bits - (kind == "i")) - 1) for kind in "iu" for bits in (8, 16, 32, 64)}
NUMPY = {"i": "int", "u": "uint", "f": "float"}


def numbers_of(type_):
    low, high = WHOLE[type_]
    return sorted({n for n in (low, high, -5, -1, 0, 2, 7) if low <= n <= high})


def numpy_type(type_):
    return numpy.dtype(f"{NUMPY[type_[0]]}{type_[1:]}")


def type_of_both(x, y):
    """NumPy's, but i64 where 64 bits have both signs."""
    made = numpy.result_type(numpy_type(x), numpy_type(y))
    return "i64" if made.kind == "f" else f"{made.kind}{made.itemsize * 8}"


def results(function, pairs, types):
    """(value, None) or (None, error) of each pair, and the type."""
    found = {}

    @sluice.pipeline(batch_size=len(pairs), on_error="skip", threads=1)
    def pipe():
        x, y = sluice.source(lambda i: pairs[i], types, samples=len(pairs))
        made = function(x, y)
        found["type"] = made.type
        return made

    all_ = [(None, "lost")] * len(pairs)
    for batch in pipe():
        numbers = batch[0].tolist() if hasattr(batch[0], "tolist") else list(batch[0])
        for id_, number in zip(batch.ids, numbers):
            all_[id_] = (number, None)
        for error in batch.errors:
            all_[error["position"]] = (None, error["what"])
    return all_, found["type"]


@pytest.mark.parametrize(
    "function", [operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod], ids=lambda one: one.__name__
)
def test_whole_numbers_are_those_of_python(function):
    for x_type in WHOLE:
        for y_type in WHOLE:
            pairs = [(x, y) for x in numbers_of(x_type) for y in numbers_of(y_type)]
            got, type_ = results(function, pairs, (x_type, y_type))
            assert type_ == type_of_both(x_type, y_type), (x_type, y_type)
            low, high = WHOLE[type_]
            for (x, y), (number, error) in zip(pairs, got):
                where = (function.__name__, x_type, x, y_type, y, number, error)
                if y == 0 and function in (operator.floordiv, operator.mod):
                    assert error == "integer division by zero", where
                elif low <= function(x, y) <= high:
                    assert number == function(x, y), where
                else:
                    assert f"does not fit into {type_}" in error, where


def test_comparisons_are_those_of_python():
    for x_type in (*WHOLE, "f32", "f64"):
        for y_type in (*WHOLE, "f32", "f64"):
            numbers = [numbers_of(one) if one in WHOLE else [-1.5, 0.0, 2.0**24, 2.0**63, -(2.0**63), float("nan")] for one in (x_type, y_type)]
            pairs = [(x, y) for x in numbers[0] for y in numbers[1]]

            @sluice.pipeline(batch_size=len(pairs), threads=1)
            def pipe():
                x, y = sluice.source(lambda i: pairs[i], (x_type, y_type), samples=len(pairs))
                return x < y, x <= y, x == y, x != y

            columns = [column.tolist() for column in next(iter(pipe()))]
            for (x, y), got in zip(pairs, zip(*columns)):
                assert list(got) == [x < y, x <= y, x == y, x != y], (x_type, x, y_type, y)


@pytest.mark.parametrize("type_", ["i8", "u8", "i16", "u16", "i32", "i64", "f16", "f32", "f64"])
def test_numbers_keep_their_type(type_):
    @sluice.pipeline(batch_size=1)
    def pipe():
        n = sluice.source(lambda i: 5, type_, samples=1)
        kept = [n + 1, 8 - n, n * 2, n // 2, n % 3, n**2, abs(n), ops.minimum(n, 3), ops.clamp(n, 6, 9)]
        assert [value.type for value in kept] == [type_] * len(kept)
        assert (-n).type == type_ and (n < 1000).type == "bool"
        if n > 0:
            n = n - 4
        return (*kept, n)

    assert [column[0] for column in next(iter(pipe()))] == [6, 3, 10, 2, 2, 25, 5, 3, 6, 1]


def test_a_negative_number_in_a_branch():
    @sluice.pipeline(batch_size=2, on_error="skip")
    def pipe(type_):
        n = sluice.source(lambda i: [5, -128][i], type_, samples=2)
        if n > 0:
            n = -n
        else:
            n = abs(n)
        return n

    batch = next(iter(pipe("i8")))
    assert batch[0].tolist() == [-5] and "does not fit into i8" in batch.errors[0]["what"]
    batch = next(iter(pipe("i16")))
    assert batch[0].tolist() == [-5, 128]


@pytest.mark.parametrize(
    "make",
    [lambda n: n + 1000, lambda n: 128 - n, lambda n: n * -129, lambda n: n // 300, lambda n: n + 2**40, lambda n: n + 2**63, lambda n: n & 255],
)
def test_a_constant_beyond_the_type_is_refused(make):
    @sluice.pipeline(batch_size=1)
    def pipe():
        return make(sluice.source(lambda i: 5, "i8", samples=1))

    with pytest.raises(sluice.BuildError, match="does not fit into i8, the type of the value beside it"):
        pipe()


def test_a_constant_beyond_all_types_is_refused():
    @sluice.pipeline(batch_size=1)
    def pipe():
        return sluice.source(lambda i: 5, "i64", samples=1) + 2**64

    with pytest.raises(OverflowError, match="does not fit into 64 bits"):
        pipe()


def test_any_constant_compares():
    @sluice.pipeline(batch_size=1)
    def pipe():
        n, x = sluice.source(lambda i: (5, 0.1), ("u8", "f32"), samples=1)
        return n < 1000, n > -1, n == 2**63, n < 5.5, x == 0.1, x != 1

    assert [column[0] for column in next(iter(pipe()))] == [True, True, False, True, True, True]


def test_fractions_divide_as_in_python():
    infinite = float("inf")
    pairs = [(x, y) for x in (-7.5, -1.0, 0.0, 7.5, 6.0) for y in (-2.0, 0.5, 3.0, infinite, -infinite)]
    for function in (operator.floordiv, operator.mod, operator.truediv, operator.pow):
        some = [(x, y) for x, y in pairs if function is not operator.pow or x > 0]
        got, type_ = results(function, some, ("f64", "f64"))
        assert type_ == "f64"
        assert [number for number, _ in got] == pytest.approx([function(x, y) for x, y in some])


def test_powers():
    got, _ = results(operator.pow, [(2, 10), (-3, 3), (2, 63), (0, 0), (2, -1)], ("i64", "i64"))
    assert [number for number, _ in got] == [1024, -27, None, 1, None]
    assert "does not fit into i64" in got[2][1] and "negative exponent" in got[4][1]


@pytest.mark.parametrize(
    "number, from_, to, says",
    [
        (300, "i32", "u8", "cast: 300 does not fit into 'u8'"),
        (-1, "i8", "u64", "cast: -1 does not fit into 'u64'"),
        (2**64 - 1, "u64", "i64", "cast: 18446744073709551615 does not fit into 'i64'"),
        (float("nan"), "f32", "i32", "cast: nan does not fit into 'i32'"),
        (70000, "i32", "f16", "cast: 70000 does not fit into 'f16'"),
        (1e300, "f64", "f32", r"cast: 1e\+300 does not fit into 'f32'"),
    ],
)
def test_a_cast_that_loses_the_number_is_the_error_of_its_sample(number, from_, to, says):
    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe():
        return sluice.source(lambda i: number, from_, samples=1).cast(to)

    (error,) = next(iter(pipe())).errors
    assert re.match(says, error["what"]), error


@pytest.mark.parametrize("type_, number", [("f16", 1e6), ("f32", 1e39)])
def test_what_a_source_gives_does_not_become_infinite(type_, number):
    @sluice.pipeline(batch_size=1, on_error="skip")
    def pipe():
        return sluice.source(lambda i: number, type_, samples=1)

    (error,) = next(iter(pipe())).errors
    assert f"does not fit into {type_}" in error["what"]


@pytest.mark.parametrize("type_", ["i8", "u8", "i16", "u16", "i32", "u32", "i64"])
def test_ranges_of_all_types(type_):
    @sluice.pipeline(batch_size=1)
    def pipe():
        low, high = sluice.source(lambda i: (1, 100), (type_, type_), samples=1)
        total = 0
        for i in range(low, high, 3):
            total = total + i
        return total

    assert next(iter(pipe()))[0].tolist() == [sum(range(1, 100, 3))]


@pytest.mark.parametrize(
    ("type_", "value", "wanted"),
    [
        ("f64", 1 + 2j, "a number"),
        ("f64", numpy.complex128(3 + 4j), "a number"),
        ("f32", numpy.complex64(3), "a number"),
        ("f32", numpy.array(3 + 4j), "a number"),
        (bytes, numpy.array([1000, 2], "i4"), "bytes"),
        (bytes, numpy.zeros((2, 3), "u1"), "bytes"),
        (bytes, memoryview(b"abcd")[::2], "bytes"),
        (bytes, "ab", "bytes"),
    ],
    ids=str,
)
def test_a_value_that_would_lose_a_part_is_refused(type_, value, wanted):
    @sluice.pipeline(batch_size=1, threads=1, on_error="skip")
    def pipe():
        return sluice.source(lambda i: value, type_, samples=1)

    (batch,) = pipe()
    assert f"{wanted} is expected, not" in batch.errors[0]["what"], batch.errors


def test_a_row_of_bytes_is_bytes():
    given = [b"ab", bytearray(b"ab"), memoryview(b"ab"), numpy.frombuffer(b"ab", "u1")]

    @sluice.pipeline(batch_size=len(given), threads=1)
    def pipe():
        return sluice.source(lambda i: given[i], bytes, samples=len(given))

    (batch,) = pipe()
    assert [bytes(one) for one in batch[0]] == [b"ab"] * len(given)


@pytest.mark.parametrize("name", [*WHOLE, "f16", "f32", "f64", "bool"])
def test_number_types_of_numpy_are_types_of_values(name):
    kind = numpy.bool_ if name == "bool" else numpy_type(name).type

    @sluice.pipeline(batch_size=2)
    def pipe():
        x = sluice.source(lambda i: kind(i), returns=kind, samples=2)
        y = sluice.source(lambda i: i, returns=int, samples=2)
        made = x, sluice.map(lambda x: x, x, returns=kind), y.cast(kind)
        assert [one.type for one in made] == [name] * 3
        return made

    assert [[*column] for column in next(iter(pipe()))] == [[0, 1]] * 3
