"""Functions whose control flow on values is that of each sample. The numbers C.., L.., S.. are those of the behaviors that
DALI's users know. Functions of numbers alone are in tests/graph/conformance/programs.json."""

import contextlib
import dataclasses
import inspect
import traceback

import numpy
import pytest
from fake_graph import Graph, describing

from sluice._rewrite import RewriteError, graph_function, rewrite


def described(function, types=("i64",)):
    """The graph of the function, and what it returns there."""
    graph = Graph()
    values = [graph.input(one) for one in types]
    with describing(graph):
        return graph, rewrite(function)(*values)


@dataclasses.dataclass
class State:
    a: int = 0
    b: int = 0


def fields_of_an_object(n):  # C2
    state = State()
    if n > 0:
        state.a = -n
    else:
        state.b = 2 * n
    return state.a, state.b


def no_else(n):  # C3
    if n > 0:
        n = -n
    return n


def chain(n):  # C10, C13
    if n == 0:
        result = 42
    elif n > 0:
        result = 6
    else:
        result = 9
    return result


def early_return(n):
    if n > 3:
        return n * 2
    m = n + 1
    if m < 0:
        return -m
    return m


def returns_in_a_chain(n):
    if n > 3:
        return 1, n
    elif n > 0:
        n = n + 1
    else:
        return 2, n
    return 3, n


def lazy(n):  # L5, L6
    return n != 0 and 12 % n == 0


def with_constants(n):  # L2, L3
    return (n > 0 and True, n > 0 or False, True and n > 0, n > 0 and numpy.True_, n > 0 or numpy.False_)


def chained(n):
    return -2 < n + 1 <= 3 != n


def dict_of_results(n):  # S2
    out = {}
    if n > 0:
        out["result"] = n
        out["kind"] = "large"
    else:
        out["result"] = 1
        out["kind"] = "small"
    return out


def list_of_both(n):
    kept = [n]
    if n > 0:
        kept.append(n * 2)
    else:
        kept.append(0)
    kept[0] = 5
    return kept


def containers_in_a_loop(n):
    sums = {"odd": 0, "even": 0}
    for i in range(n):
        if i % 2 == 0:
            sums["even"] += i
        else:
            sums["odd"] += i
    return sums


def tuples(n):  # S3
    if n > 0:
        a, b, c = n, n + 10, n + 20
    else:
        a, (b, c) = -10, (n, n * 2)
    return a, b, c


def structures(n):  # S1
    pair = (n, {"x": 1})
    if n > 0:
        pair = (n + 1, {"x": n})
    one, two = pair
    return one, two["x"]


def while_and_for(n):
    count = 0
    while n > 0:
        n = n // 2
        count += 1
    total = 0
    for i in range(count):
        total = total + i
    else:
        total += 100
    return count, total


def ranges(n):
    found = 0
    for i in range(2, n):
        found = found * 2 + i
    for i in range(n, -5, -2):
        found = found - i
    for i in range(0, n * 2, n + 7):
        found = found + i * i
    for i in range(n, 9, 3):
        pass
    return found


def last_number(n):
    i = -1
    for i in range(n):
        n = n - i
    return i, n


def fractions_from_a_whole_number(n):
    total = 0
    for i in range(n):
        if i > 0:
            total = total + i * 0.5
    return total


def first_plain_then_values(n):
    going = True
    rounds = 0
    while going:
        rounds += 1
        going = n > rounds
    return rounds


def walrus_in_a_condition(n):
    rounds = 0
    while (half := n // 2) > 1:
        n = half
        rounds += 1
    return rounds, half


def numbers_matched(n):
    match n:
        case 0:
            found = 10
        case 1 | 3:
            found = n * 2
        case -2:
            found = n
        case _:
            found = 7
    return found


def no_case(n):
    found = 5
    match n:
        case 1:
            found = n + 1
        case 2:
            found = 20
    return found


def returned_by_cases(n):
    match n:
        case 0:
            return 1
        case _:
            return n + 5


def inner_functions(n):
    def change(x):
        if x > 0:
            return x * 3
        return x - 1

    twice = lambda x: change(x) if x < 3 else x  # noqa: E731
    return change(n), twice(n), [change(k + n) for k in range(2)]


def change_from_inside(n):
    kept = n

    def keep(x):
        nonlocal kept
        kept = x

    if n > 0:
        keep(n * 2)
    else:
        keep(1)
    return kept


def plain_in_graph(n):
    total = n
    for k in range(4):
        if k == 2:
            continue
        if n > k:
            for word in ["a", "bb"]:
                if len(word) > 1:
                    break
                total += len(word)
    return total


def caught_in_a_branch(n):
    if n > 0:
        try:
            m = {}["none"]
        except KeyError:
            m = n
    else:
        m = 0
    return m


def fractions_in_a_loop_in_a_loop(n):
    total = 0
    while n > 0:
        while n % 3 != 0:
            n = n - 1
            total += 0.5
        n = n - 2
    return total


def fields_changed_in_a_loop(n):
    state = State()
    state.b = {"k": [1, 2]}
    for i in range(n):
        if i % 2 == 0:
            state.b["k"][0] = state.b["k"][0] + i
        state.a = i
    return state.a, state.b["k"]


def closures_see_what_is_merged(n):
    x = n
    get = lambda: x  # noqa: E731
    if n > 0:
        x = x * 2
    y = get()
    for i in range(n):
        x = x + get()
    return y, x


def target_changed_in_the_body(n):
    i = 5
    for i in range(n):
        if i > 2:
            i = i * 2
    return i


def returned_inside_with(n):
    with contextlib.nullcontext(3) as limit:
        if n > limit:
            return n
        return limit


FUNCTIONS = [
    fractions_in_a_loop_in_a_loop, fields_changed_in_a_loop, closures_see_what_is_merged, target_changed_in_the_body,
    returned_inside_with, fields_of_an_object, no_else, chain, early_return, returns_in_a_chain, lazy, with_constants,
    chained, dict_of_results, list_of_both, containers_in_a_loop, tuples, structures, while_and_for, ranges, last_number,
    fractions_from_a_whole_number, first_plain_then_values, walrus_in_a_condition, numbers_matched, no_case,
    returned_by_cases, inner_functions, change_from_inside, plain_in_graph, caught_in_a_branch,
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_a_sample_gets_what_python_gives(function):
    graph, result = described(function)
    for n in range(-6, 10):
        assert graph.run(result, n) == function(n), n
        assert rewrite(function)(n) == function(n), n


def test_the_graph_names_the_lines():  # C18
    graph, _ = described(chain)
    line = inspect.getsourcelines(chain)[1]
    opened = [x for x in graph.calls if x.startswith("open")]
    assert opened == [f"open if in line {line + k} ['then', 'otherwise'] by truth" for k in (1, 3)]


def test_only_the_branch_that_is_taken_runs():  # C57
    graph, result = described(lazy)
    assert graph.run(result, 0) is False
    assert [x for x in graph.taken] == [f"and in line {lazy.__code__.co_firstlineno + 1}:decided"]


def test_steps_of_plain_choices_leave_no_trace():
    def function(n, often=True):
        return n + 1 if often and not None else n

    graph, result = described(function)
    assert graph.calls == ["add"]
    assert graph.run(result, 3) == 4


def test_equal_values_stay_plain():
    def function(n):
        if n > 0:
            mode, size = "fast", (1, 2)
        else:
            mode, size = "fast", (1, 2)
        return mode, size, n

    _, (mode, size, _) = described(function)
    assert mode == "fast" and size == (1, 2)


def test_functions_that_are_not_marked_are_left_alone():  # C32
    def helper(x):
        return 1 if x else 2

    helper.__module__ = __name__
    marked = graph_function(helper)

    def outer(call, n):
        return call(n)

    graph = Graph()
    n = graph.input()
    with pytest.raises(TypeError, match="[mM]ark the function"):
        rewrite(outer)(helper, n)
    assert graph.run(rewrite(outer)(marked, n), 5) == 1
    assert rewrite(marked) is marked


class Model:
    """Refers to itself, in a method."""

    def __init__(self, scale):
        self.__scale = scale

    @graph_function
    def apply(self, x):
        if x > 0:
            x = x * self.__scale
        return x

    @staticmethod
    @graph_function
    def low(x):
        return 1 if x < 0 else 0

    @graph_function
    def like(self, x):
        return Model(x if x else 1)

    @graph_function
    @classmethod
    def named(cls, x):
        return cls.__name__ if x else ""


def test_methods():
    graph = Graph()
    n = graph.input()
    model = Model(3)
    assert graph.run((model.apply(n), Model.low(n), Model.named(1)), 2) == (6, 0, "Model")
    assert (rewrite(model.apply)(4), model.apply(-4), Model.low(-1)) == (12, -4, 1)
    assert isinstance(model.like(5), Model)


def test_lambdas():
    graph = Graph()
    n = graph.input()
    assert graph.run(rewrite(lambda x: x if x > 0 else -x)(n), -3) == 3


def test_tracebacks_show_the_lines_of_the_user():
    def function(n):
        if n > 0:
            n = n + 1
        return n.nothing

    _, first = inspect.getsourcelines(function)
    with pytest.raises(AttributeError) as error:
        rewrite(function)(1)
    last = traceback.extract_tb(error.value.__traceback__)[-1]
    assert (last.filename, last.lineno, last.line) == (__file__, first + 3, "return n.nothing")


def test_an_exception_in_a_branch_keeps_its_type():  # C35
    class Mine(Exception):
        pass

    def fail():
        raise Mine("no")

    def function(n):
        if n > 0:
            n = fail()
        return n

    graph = Graph()
    n = graph.input()
    with pytest.raises(Mine, match="no"):
        rewrite(function)(n)
    assert graph.run(rewrite(no_else)(n), 4) == -4, "the graph stays usable"


def test_a_value_that_one_branch_gives_is_an_error_when_it_is_used():  # C22, C23
    def unused(n):
        if n > 0:
            m = n + 1
        return n

    def used(n):
        if n > 0:
            m = n + 1
        n = n + 2
        return m

    described(unused)
    with pytest.raises(RewriteError, match=r"'m' has no value after `if in line \d+`: the branch 'otherwise' does not assign it") as error:
        described(used)
    first = inspect.getsourcelines(used)[1]
    assert error.value.lineno == first + 1 and error.value.filename == __file__
    lines = [one.lineno for one in traceback.extract_tb(error.value.__traceback__) if one.filename == __file__]
    assert lines[-1] == first + 4, "the traceback shows where it is used"
