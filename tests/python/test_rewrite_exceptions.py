"""Exceptions that leave a choice or a loop and are caught outside of it would decide for all samples: they are refused."""

import contextlib

import pytest

import sluice

NOTHING: dict = {}


@sluice.graph_function
def fails(v):
    if v > 1:
        NOTHING["k"]
    return v


def around_an_if(v):
    try:
        if v > 1:
            NOTHING["k"]
        x = v
    except KeyError:
        x = v + 100
    return x


def around_a_raise(v):
    x = v
    try:
        if v > 1:
            raise ValueError("v")
    except ValueError:  # takes what refuses the `raise`, too
        x = x + 1
    return x


def inside_another_if(v):
    x = v
    if v > 0:
        try:
            if v > 1:
                NOTHING["k"]
        except KeyError:
            x = x + 100
    return x


def around_an_expression(v):
    x = v
    for _ in range(v):
        try:
            x = x + (NOTHING["k"] if v > 1 else 1)
        except KeyError:
            x = x + 100
    return x


def around_a_loop(v):
    for _ in range(3):
        try:
            while v > 1:
                NOTHING["k"]
        except KeyError:
            continue
    return v


def by_suppress(v):
    with contextlib.suppress(KeyError):
        if v > 1:
            NOTHING["k"]
        v = v + 1
    return v


def again_and_again(v):
    for _ in range(2):
        try:
            if v > 1:
                NOTHING["k"]
        except Exception:
            v = v + 1
    try:
        v = v + 1
    except Exception:
        v = v + 2
    return v


def of_a_function(v):
    try:
        return fails(v)
    except KeyError:
        return v + 7


REFUSED = {
    around_an_if: (2, "if"),
    around_a_raise: (4, "`raise`"),
    inside_another_if: (4, "if"),
    around_an_expression: (4, "conditional expression"),
    around_a_loop: (3, "while"),
    by_suppress: (2, "if"),
    again_and_again: (3, "if"),
}


def piped(function):
    @sluice.pipeline(batch_size=4)
    def pipe():
        return function(sluice.source(lambda i: i, returns=int, samples=4))

    return pipe


@pytest.mark.parametrize("function", REFUSED, ids=lambda one: one.__name__)
def test_exceptions_that_are_caught_outside_are_refused(function):
    line, what = REFUSED[function]
    with pytest.raises(sluice.RewriteError) as error:
        piped(sluice.graph_function(function))()
    if what == "`raise`":
        assert "`raise` cannot stand in the `if`" in str(error.value)
    else:
        assert f"an exception left this `{what}`, which a Value decides, and was caught outside of it" in str(error.value)
    assert error.value.lineno == function.__code__.co_firstlineno + line


# Whoever catches it: a function that is rewritten, or one that is not.
@pytest.mark.parametrize("catches", [of_a_function, sluice.graph_function(of_a_function)], ids=["plain", "rewritten"])
def test_those_of_functions_that_are_called_are_refused(catches):
    with pytest.raises(sluice.RewriteError, match="an exception left this `if`"):
        piped(catches)()


def caught_inside(v):
    if v > 1:
        try:
            v = v + NOTHING["k"]
        except KeyError:
            v = v + 100
    return v


def of_plain_values(v, k=3):
    try:
        if k > 1:
            NOTHING["k"]
    except KeyError:
        v = v + 1
    return v


@pytest.mark.parametrize("function", [caught_inside, of_plain_values], ids=lambda one: one.__name__)
def test_exceptions_that_are_caught_inside_are_not(function):
    (batch,) = piped(sluice.graph_function(function))()
    assert batch.columns[0].tolist() == [function(v) for v in range(4)]


def test_exceptions_that_nobody_catches_keep_their_type():
    with pytest.raises(KeyError):
        piped(fails)()
    (batch,) = piped(sluice.graph_function(caught_inside))()
    assert batch.columns[0].tolist() == [0, 1, 102, 103]
