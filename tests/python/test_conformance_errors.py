"""What choices, logic and structures refuse when a pipeline is described: C, L and S by their numbers."""

import traceback

import numpy
import pytest

import sluice
from sluice import ops


def number():
    return sluice.source(lambda i: i, int, samples=4)


def tensor():
    return sluice.source(lambda i: numpy.zeros(3, numpy.float32), "tensor", samples=4)


def c22():
    if number() > 0:
        only = 1
    return only


def c23():
    n = number()
    if n > 0:
        only = n * 2
    return only + 1


def c24():
    n = number()
    if n > 0:
        return n


def c25_source():
    n = number()
    if n > 0:
        n = number()
    return n


def c30():
    if tensor():
        return 1
    return 2


def c43():
    n = number()
    if n > 0:
        out = n
    else:
        out = ops.uniform(0, 1)
    return out


def l8_left():
    x, n = tensor(), number()
    return x and n > 0


def l8_right():
    x, n = tensor(), number()
    return n > 0 or x


def l8_not():
    return not tensor()


def l9_left():
    n = number()
    return n and n > 0


def l9_right():
    n = number()
    return n > 0 or n


def s4_keys():
    n = number()
    return {"a": n} if n > 0 else {"b": n}


def s4_kinds():
    n = number()
    return (n, n) if n > 0 else [n, n]


def s4_lengths():
    n = number()
    return (n, n) if n > 0 else (n, n, n)


@pytest.mark.parametrize(
    "describe, words",
    [
        (c22, ["'only' has no value", "'otherwise' does not assign it"]),
        (c23, ["'only' has no value", "'otherwise' does not assign it"]),
        (c24, ["the return value", "None in 'otherwise'"]),
        (c25_source, ["'source#2' stands inside the branch 'then'", "move it to the top"]),
        (c30, ["a condition must be a bool or a number", "(got type 'tensor')"]),
        (c43, ["'out'", "type i64 in 'then'", "type f32 in 'otherwise'"]),
        (l8_left, ["the left side of `and` is a Value of type tensor, not a bool"]),
        (l8_right, ["the right side of `or` is a Value of type tensor, not a bool"]),
        (l8_not, ["'x' is given a value of 'tensor'"]),
        (l9_left, ["the left side of `and` is a Value of type i64, not a bool"]),
        (l9_right, ["the right side of `or` is a Value of type i64, not a bool"]),
        (s4_keys, ["a dict with the key 'a'", "a dict with the key 'b'"]),
        (s4_kinds, ["a tuple of 2", "a list of 2"]),
        (s4_lengths, ["a tuple of 2", "a tuple of 3"]),
    ],
)
def test_says_when_it_is_described(describe, words):
    with pytest.raises(sluice.BuildError) as raised:
        sluice.pipeline(describe)()
    assert [one for one in words if one not in str(raised.value)] == []


def test_a_function_that_is_not_marked_says_so():
    """C32."""

    def asks(n):
        if n > 0:
            return 1
        return 2

    with pytest.raises(TypeError, match="Mark the function that asks with @sluice.pipeline or"):
        sluice.pipeline(lambda: asks(number()))()


def test_exceptions_of_a_branch_keep_type_and_place():
    """C35."""

    def of_the_user():
        raise KeyError("mine")

    @sluice.pipeline
    def described():
        n = number()
        if n > 0:
            n = of_the_user()
        return n

    with pytest.raises(KeyError, match="mine") as raised:
        described()
    places = [(one.filename, one.name) for one in traceback.extract_tb(raised.value.__traceback__)]
    assert (__file__, "of_the_user") in places and (__file__, "described") in places
