"""What choices, logic and structures promise, of the module that runs: C, L and S by their numbers.

A plain function of one sample is run by Python for each sample, and described once and run by the library;
both give the same. The numbers are those of the list that tests/conformance.md checks for C++; those that are
errors are in test_conformance_errors.py. Programs of numbers and bools are in test_conformance_programs.py,
which shares them with C++. Here is the rest: structures, types, functions, images, draws. Not here:

- C26 to C28: batch permutations; Python has no steps on batches.
- C29: a condition on a GPU; numbers are in the host's memory always.
- C33: a switch for conditionals; there is none.
- C37: addresses of what branches pass through; batches are complete before Python sees them.
- C38 to C42, C45: split and merge by hand; samples travel alone, so no batch is split.
- C44: pinned memory; the library's own matter.
- L7: operands on a GPU; as C29.
"""

import dataclasses

import numpy
import pytest
from conformance import BATCH, ROWS, TRUTH, WHOLE, check, described

import sluice
from sluice import ops

# Choices by whole numbers.


@dataclasses.dataclass
class Two:
    a: object
    b: object


def c2(n):
    two = Two(n * 0, n * 0)
    if n > 0:
        two.a = -n
    else:
        two.b = 2 * n
    return two


def c34(n):
    both = [n * 5, n]
    if n > 0:
        both = [one + 1 for one in both]
    return both


def c46(n):
    def callback(k):
        if k > 2:
            return k
        return -k

    return n + callback(3) + callback(1)


@pytest.mark.parametrize("predicate", WHOLE)
@pytest.mark.parametrize("function", [c2, c34, c46])
def test_by_a_whole_number(function, predicate):
    check(function, WHOLE[predicate])


# Choices by bools.


def s2(p):
    if p:
        out = {"out": 2}
    else:
        out = {"out": 1}
    return out


@pytest.mark.parametrize("predicate", TRUTH)
def test_by_a_bool(predicate):
    check(s2, TRUTH[predicate])


# Any number decides; `not` takes any number.


@pytest.mark.parametrize(
    "type_", "bool u8 u16 u32 u64 i8 i16 i32 i64 f16 f32 f64".split()
)
def test_any_type_of_number_decides(type_):
    """C31, L10."""

    def c31(n):
        number = n.cast(type_)
        if number:
            out = 42
        else:
            out = 0
        return out, not number

    seven = [7 if i < BATCH / 2 else 0 for i, _ in ROWS]
    given = [(x, y) for b in described(c31, [seven]) for x, y in zip(b[0].tolist(), b[1].tolist())]
    assert given == [(42, False) if n else (0, True) for n in seven]


def test_logic_stops_where_it_is_decided():
    """L6: what is not needed does not run, so it does not fail."""

    def fails(i):
        if i != 2:
            raise IndexError("out of bounds")
        return True

    def l6(p, i):
        return p or sluice.map(fails, i, returns=bool)

    (batch,) = described(l6, [[True, True, False], [0, 1, 2]])
    assert batch[0].tolist() == [True, True, True]


# Images, draws and devices.


def image_of(i):
    y, x = numpy.mgrid[0:6, 0:8]
    return numpy.stack([x + i, y * 3, x * y + i], axis=-1).astype(numpy.uint8)


def columns_of(describe, **options):
    @sluice.pipeline(**{"batch_size": 10, "seed": 9, **options})
    def pipe():
        image, i = sluice.source(lambda i: (image_of(i), i), ("image", int), samples=50)
        return describe(image, i)

    return [[numpy.array(one) for one in column] for batch in pipe() for column in batch]


def alike(some, others):
    return len(some) == len(others) and all(
        numpy.array_equal(a, b)
        for one, other in zip(some, others)
        for a, b in zip(one, other, strict=True)
    )


def test_a_choice_is_what_calls_make_of_it():
    """C19: `if` gives bit for bit what if_else gives."""

    @sluice.graph_function
    def written(image, i):
        if ops.coin_flip(0.5):
            image = ops.rotate(image, degrees=30, fill=0, keep_size=True)
        else:
            image = ops.flip(image, horizontal=True)
        return image

    def called(image, i):
        return sluice.if_else(
            ops.coin_flip(0.5),
            lambda: ops.rotate(image, degrees=30, fill=0, keep_size=True),
            lambda: ops.flip(image, horizontal=True),
        )

    assert alike(columns_of(written), columns_of(called))


@pytest.mark.parametrize("branches", ["one", "both"])
def test_branches_go_to_a_device_and_back(branches):
    """C20, C36: each branch moves its own samples, and the results are those of the host."""

    @sluice.graph_function
    def moved(image, i):
        if i % 2 == 0:
            there = ops.invert(image.gpu())
        else:
            there = ops.flip(image).gpu() if branches == "one" else ops.flip(image.gpu())
        if branches == "both":
            if i % 3 == 0:
                there = there.cpu()
            else:
                there = ops.flip(there.cpu())
            return there
        return there.cpu()

    def stays(i):
        there = 255 - image_of(i) if i % 2 == 0 else image_of(i)[:, ::-1]
        return there[:, ::-1] if branches == "both" and i % 3 else there

    given = [one for column in columns_of(moved, device="stand-in") for one in column]
    assert alike([given], [[stays(i) for i in range(50)]])


def test_draws_in_a_branch_are_those_outside():
    """C25, C58: a draw does not depend on the branch that other samples take, nor on where it is described."""

    @sluice.graph_function
    def inside(image, i, modulus):
        drawn = 0.0
        if i % modulus == 0:
            drawn = ops.uniform(0, 1)
        return drawn

    def outside(image, i):
        return ops.uniform(0, 1)

    every = numpy.concatenate(columns_of(outside))
    for modulus in (1, 2, 7):
        given = numpy.concatenate(columns_of(lambda image, i, m=modulus: inside(image, i, m)))
        taken = numpy.arange(50) % modulus == 0
        assert (given == numpy.where(taken, every, 0)).all() and len(set(every)) > 40


def test_steps_without_data_belong_to_their_branch():
    """C21: the matrix of an angle is made for the samples that are turned, and is the same outside."""
    made = []

    def matrix(angle):
        made.append(angle)
        c, s = numpy.cos(numpy.radians(angle)), numpy.sin(numpy.radians(angle))
        return float(c + 10 * s)

    @sluice.graph_function
    def within(image, i):
        level = 0.0
        if i < 7:
            level = sluice.map(matrix, ops.uniform(10, 30), returns=float)
        return level

    given = numpy.concatenate(columns_of(within))
    assert len(made) == 7 and numpy.count_nonzero(given) == 7

    def without(image, i):
        return sluice.map(matrix, ops.uniform(10, 30), returns=float)

    assert (numpy.concatenate(columns_of(without))[:7] == given[:7]).all()


def test_tuples_of_operators_by_halves():
    """S1: a choice of many by halves, whose branches give a tuple that is passed on whole or taken apart."""
    operators = [
        lambda image, k: (image, k),
        lambda image, k: (ops.flip(image), k + 10),
        lambda image, k: (ops.invert(image), k + 20),
        lambda image, k: (ops.flip(image, horizontal=False, vertical=True), k + 30),
    ]

    @sluice.graph_function
    def choose(image, k, which, among):
        if len(among) == 1:
            return among[0](image, k)
        half = len(among) // 2
        if which % len(among) < half:
            image, k = choose(image, k, which, among[:half])
        else:
            both = choose(image, k, which - half, among[half:])
            image, k = both
        return image, k

    of = [lambda p: p, lambda p: p[:, ::-1], lambda p: 255 - p, lambda p: p[::-1]]
    columns = columns_of(lambda image, i: choose(image, i, i % 4, operators))
    images = [one for column in columns[0::2] for one in column]
    assert alike([images], [[of[i % 4](image_of(i)) for i in range(50)]])
    assert numpy.concatenate(columns[1::2]).tolist() == [i + 10 * (i % 4) for i in range(50)]
