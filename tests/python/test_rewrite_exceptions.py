"""Exceptions that leave a choice or a loop and are caught outside of it would decide for all samples: they are refused."""

import collections
import collections.abc
import contextlib
import copy
import dataclasses
import pprint
import types

import pytest
from per_sample import by_name, of_python, of_sluice

import sluice
from sluice import ops

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


# The function that catches may be rewritten or not.
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


# A refusal fails the description, even if the error is caught.
class Swallows:
    def __enter__(self):
        return self

    def __exit__(self, *error):
        return True


def tried(function, otherwise):
    """Like the code of a library, which is not rewritten."""
    try:
        return function()
    except Exception:
        return otherwise


def name_of_one_branch(a, b, t):
    if t:
        z = b
    try:
        p = z
    except (ValueError, NameError):
        p = -1
    return p


def name_of_a_body(a, b):
    for i in range(b):
        pass
    try:
        p = i
    except ValueError:
        p = -1
    return p


def types_that_differ(a, b, t):
    try:
        if t:
            v = a
        else:
            v = a * 0.5
        p = v
    except Exception:
        p = -1
    return p


def search(a):
    try:
        p = 1 if a in (1, 2) else 0
    except Exception:
        p = -1
    return p


def largest(a, b):
    try:
        p = max(a, b)
    except TypeError:
        p = -1
    return p


def asserted(a):
    try:
        assert a < 3
        p = a
    except Exception:
        p = -1
    return p


def guarded_case(a):
    try:
        match a:
            case x if x > 1:
                p = 7
            case _:
                p = 8
    except Exception:
        p = -1
    return p


def side_that_is_no_bool(a, b):
    try:
        p = a or b
    except:  # noqa: E722
        p = -1
    return p


def break_in_a_loop(a, b):
    p = b
    try:
        for i in range(a):
            if i == 1:
                break
    except Exception:
        p = -1
    return p


def index(a):
    p = -1
    with Swallows():
        p = [10, 20, 30, 40][a]
    return p


def by_contextlib(a):
    p = -1
    with contextlib.suppress(Exception):
        p = 1 if a in (1, 2) else 0
    return p


def text(a, b):
    try:
        p = len(f"{a}{b}")
    except TypeError:
        p = -1
    return p


def power_and_remainder(a):
    try:
        p = pow(a, 2, 3)
    except TypeError:
        p = -1
    return p


def shifted(a):
    try:
        p = a << 1
    except TypeError:
        p = -1
    return p


def text_beside_a_text(a, b, t, s):
    try:
        p = len(s + ".jpg")
    except TypeError:
        p = -1
    return p


def texts_compared(a, b, t, s):
    try:
        p = 1 if s < "y" else 0
    except TypeError:
        p = -1
    return p


def key(a):
    try:
        p = {1: 10, 2: 20, 3: 30}[a]
    except Exception:
        p = -1
    return p


def by_a_library(a):
    return tried(lambda: int(a), -1)


def left_by_break(a, b, t):
    p = -1
    if t:
        z = b
    for _ in range(1):
        try:
            p = z
        finally:
            break
    return p


def left_by_return(a, b, t):
    if t:
        z = b
    try:
        return z
    finally:
        return -1


def operator_of_another_type(a):
    try:
        p = ops.mean(a)
    except sluice.BuildError:
        p = -1
    return p


def choice_of_other_types(a, b, t):
    try:
        p = sluice.if_else(t, 1, "x")
    except sluice.BuildError:
        p = -1
    return p


def error_in_a_branch_of_a_call(a, b, t):
    try:
        p = sluice.if_else(t, lambda: NOTHING["k"], 3)
    except KeyError:
        p = -1
    return p


def value_in_a_map(a):
    try:
        p = sluice.map(lambda x: x, [a], returns=int)
    except sluice.BuildError:
        p = -1
    return p


class SetsBack:
    """Catches an error and restores a list, so that its change is no longer visible."""

    def __init__(self, held):
        self.held = held
        self.before = list(held)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.held[:] = self.before
        return True


def change_of_a_list_with_two_names(a, b, t):
    xs, ys, p = [a], [b], -1
    if t:
        ys = xs
    with SetsBack(ys):
        ys[0] = 5
        p = xs[0]
    return p


def change_of_a_list_of_the_state(a, b):
    xs, ys, p = [a], [b], -1
    for _ in range(a):
        ys = xs
    with SetsBack(ys):
        ys.append(5)
        p = len(xs)
    return p


def change_in_a_branch_of_a_list_with_two_names(a, b, t):
    xs, ys, p = [a], [b], -1
    if t:
        ys = xs
    if b > 4:
        with SetsBack(xs):
            xs[0] = 5
            p = ys[0]
    return p


def identity_of_a_list_with_two_names(a, b, t):
    xs, ys, p = [a], [b], -1
    if t:
        ys = xs
    try:
        p = 1 if ys is xs else 0
    except Exception:
        pass
    return p


TAKEN = [
    name_of_one_branch, name_of_a_body, types_that_differ, search, largest, asserted, guarded_case, side_that_is_no_bool, break_in_a_loop,
    index, by_contextlib, text, power_and_remainder, shifted, text_beside_a_text, texts_compared, key, by_a_library, left_by_break, left_by_return,
    operator_of_another_type, choice_of_other_types, error_in_a_branch_of_a_call, value_in_a_map,
    change_of_a_list_with_two_names, change_of_a_list_of_the_state, change_in_a_branch_of_a_list_with_two_names,
    identity_of_a_list_with_two_names,
]  # fmt: skip


@pytest.mark.parametrize("program", **by_name(TAKEN))
def test_a_refusal_that_is_taken_fails_the_description(program):
    with pytest.raises((sluice.BuildError, TypeError, KeyError)):
        of_sluice(program)


def test_the_first_refusal_is_what_is_said():
    def program(a):
        for what in (lambda: int(a), lambda: len(a), lambda: a**2):
            tried(what, 0)
        return a

    with pytest.raises(TypeError, match="is not a number of Python's"):
        of_sluice(program)


def test_an_error_that_comes_of_a_taken_refusal_is_not_what_is_said():
    def program(a):
        found = tried(lambda: int(a), None)
        return found + 1

    with pytest.raises(TypeError, match="is not a number of Python's"):
        of_sluice(program)


def test_an_error_that_tells_of_a_refusal_stays():
    def program(a):
        try:
            return int(a)
        except TypeError as error:
            raise LookupError("mine") from error

    with pytest.raises(LookupError, match="mine"):
        of_sluice(program)


def by_zero(a):
    try:
        p = a % 0
    except ZeroDivisionError:
        p = -1
    return p


def never_set(a, b, t):
    try:
        p = nothing  # noqa: F821
    except NameError:
        p = a
    return p


def asked_to_find_the_way(a, b):
    found = hasattr(a, "shape") or getattr(a, "items", None) is not None
    copied = copy.deepcopy({"k": [copy.copy(a)]})["k"][0]
    pprint.pformat({"k": a})
    repr(a)
    isinstance(a, collections.abc.Mapping)
    return copied + (100 if found else b)


def of_a_dataclass(a, b):
    return dataclasses.asdict(dataclasses.replace(Pair(a, a), y=b))["y"]


def compared_by_a_merge(a, b, t):
    held = types.SimpleNamespace(x=collections.deque([a]))
    if t:
        held.x = collections.deque([b])
    return a


@dataclasses.dataclass
class Pair:
    x: int
    y: int


@pytest.mark.parametrize("program", **by_name([by_zero, never_set, asked_to_find_the_way, of_a_dataclass, compared_by_a_merge]))
def test_what_is_no_refusal_may_be_taken(program):
    assert of_sluice(program) == of_python(program)
