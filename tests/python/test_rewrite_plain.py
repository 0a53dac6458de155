"""Rewritten functions of which plain Python values decide: everything is as Python has it."""

import contextlib
import dataclasses
import inspect

import fake_graph  # noqa: F401
import pytest

from sluice._rewrite import rewrite


@dataclasses.dataclass
class State:
    a: int = 0
    b: int = 0


def generator(n):
    for k in range(n):
        if k == 3:
            return "end"
        got = yield k
        if got:
            yield got


def run_generator(n):
    made = generator(n)
    found = [next(made), made.send("sent")]
    try:
        while True:
            found.append(next(made))
    except StopIteration as stop:
        return found, stop.value


def loops_with_else(n):
    found = []
    for k in range(n):
        if k == 4:
            break
    else:
        found.append("no break")
    while n > 0:
        n -= 1
        if n == 2:
            continue
        if n == 5:
            break
    else:
        found.append("to the end")
    return found, n


def finally_and_return(n):
    log = []

    def inner():
        try:
            if n > 2:
                return "early"
            if n < 0:
                raise ValueError(n)
        except ValueError as error:
            return repr(error)
        finally:
            log.append("last")
        return "late"

    return inner(), log


def evaluation_order(n):
    log = []

    def see(x):
        log.append(x)
        return x

    result = see(n) and see(0) or see("or") if not see(n) < see(3) < see(5) else see([]) or see(None)
    return result, log


def scopes(n):
    x = n
    squares = [x * x for x in range(3) if x or not x]
    last = [y := k for k in range(3)][-1]
    pairs = {k: v for k, v in ([(1, 2)] if n > 0 else [])}
    words = sorted(["bb", "a"], key=lambda w: len(w) if n else 0)
    found = next((k for k in squares if k > 1 and k < 9), None)
    del x
    try:
        return x
    except NameError as error:
        return squares, last, y, pairs, words, found, type(error)


def unbound(n):
    if n > 3:
        m = 1
    try:
        return m
    except UnboundLocalError:
        return "unbound"


def classes(n):
    class Base:
        label = "base" if n > 0 else "low"

        def __init__(self, x):
            self.__x = x

        def get(self):
            return self.__x if self.__x > 0 else None

    class Derived(Base):
        def get(self):
            found = super().get()
            return found or "nothing"

    return Derived(n).get(), Base.label, Derived.__qualname__, Derived.get.__qualname__


def patterns(n):
    found = []
    for subject in (n, [n, 2], {"k": n}, State(1, n), "text"):
        match subject:
            case [first, *rest] if first > 1:
                found.append((first, rest))
            case {"k": value, **others}:
                found.append((value, others))
            case State(a=1, b=b):
                found.append(b)
            case str() | [_, _] as other:
                found.append(other)
            case _:
                continue
    return found


def swallowed(n):
    with contextlib.suppress(ZeroDivisionError):
        if n == 0:
            1 / n
        return 12 // n
    return "nothing"


def star(*args, one=1, **more):
    total = one
    for a in args:
        total += a if a > 0 else 0
    return total, sorted(more) if more else None


def raises(n):
    if n > 2:
        raise KeyError(n)
    return {1: 2}[n]


def recursive(n):
    return 1 if n <= 0 else n * recursive(n - 1)


PLAIN = [
    recursive, run_generator, loops_with_else, finally_and_return, evaluation_order, scopes, unbound, classes, patterns, swallowed, star, raises,
]  # fmt: skip


@pytest.mark.parametrize("function", PLAIN, ids=lambda one: one.__name__)
def test_plain_values_decide_as_ever(function, monkeypatch):
    def outcome(call, n):
        try:
            return call(n)
        except Exception as error:
            return repr(error)

    expected = [outcome(function, n) for n in range(-2, 8)]
    monkeypatch.setitem(globals(), "generator", rewrite(generator))
    assert [outcome(rewrite(function), n) for n in range(-2, 8)] == expected


def test_what_a_function_is_stays():
    bound = 5

    def function(a: int, /, b: "str" = "x", *, c=[]) -> int:
        """Says what it does."""
        return (a if a > bound else b), c, limit

    function.mark = "mine"
    new = rewrite(function)
    assert new is not function and rewrite(new) is new
    for name in ("__name__", "__qualname__", "__doc__", "__module__", "__defaults__", "__kwdefaults__", "__annotations__", "mark"):
        assert getattr(new, name) == getattr(function, name), name
    assert new.__globals__ is globals()
    assert inspect.signature(new) == inspect.signature(function)
    assert new(6)[0] == 6
    bound = 9
    assert new(6)[0] == "x", "the closure is the same"
    globals()["limit"] = 2
    assert new(6)[2] == 2, "so are the globals"


limit = 1
