"""Containers that branches and loops rebind, change and share: what Python gives, or an error with the line."""

import array
import collections
import dataclasses
import functools
import pathlib
import types

import numpy
import pytest
from fake_graph import Graph, describing

import sluice
from sluice import RewriteError
from sluice._rewrite import rewrite

SAMPLES = [(1, 5, True), (2, 5, False), (3, 4, True), (0, 2, False)]
STATE = [0, 0]


class Thing:
    pass


@dataclasses.dataclass
class Box:
    x: object


def as_graph(program):
    """Runs the program as a graph, for each sample."""
    graph = Graph()
    values = [graph.input(), graph.input(), graph.input("bool")]
    with describing(graph):
        result = rewrite(program)(*values)
    return [graph.run(result, *sample) for sample in SAMPLES]


def rebound_and_changed(a, b, t):
    xs = [a, b]
    if t:
        xs = [b, a]
    else:
        xs[0] = 100
    xs[1] += 1
    return xs


def changed_and_rebound(a, b, t):
    xs = [a, b]
    if t:
        xs[0] = 100
        xs = [xs[0], 3]
    elif a > 1:
        xs.reverse()
    return xs


def dict_rebound(a, b, t):
    d = {"k": a}
    if t:
        d = {"k": b}
    else:
        d["k"] = 100
    d["k"] += 1
    return d


def nested(a, b, t):
    e = {"in": {"k": a}}
    if t:
        e["in"] = {"k": b}
    else:
        e["in"]["k"] = 100
    e["in"]["k"] += 1
    return e


def attribute(a, b, t):
    o = Thing()
    o.d = {"k": a}
    if t:
        o.d = {"k": b}
    else:
        o.d["k"] = 100
    o.d["k"] += 1
    return o.d


def of_a_dataclass(a, b, t):
    box = Box([a])
    if t:
        box = Box([b])
    else:
        box.x[0] = 77
    box.x[0] += 9
    return box.x


def longer_in_one_branch(a, b, t):
    xs = [a]
    if t:
        xs = [b, a]
    else:
        xs.append(100)
    xs[1] += 1
    return xs


def new_attribute_of_what_is_rebound(a, b, t):
    box = Box([a])
    if t:
        box = Box([b])
        box.x = [b, b]
    else:
        box.x.append(5)
    return box.x


def matched(a, b, t):
    xs = [a, b]
    match a if t else b:
        case 1:
            xs = [7, 8]
        case 5:
            xs[0] = 100
        case _:
            pass
    xs[1] += 1
    return xs


def in_a_loop(a, b, t):
    xs = [a, b]
    for i in range(a + 2):
        if t:
            xs = [xs[1], xs[0]]
        else:
            xs[0] += 100
        xs[1] += i
    xs[0] += 1
    return xs


def in_a_while(a, b, t):
    xs, ys, n = [a, b], [b, a], a
    while n > 0:
        xs, ys = ys, xs
        xs[0] += n
        n -= 1
    ys[1] = 7
    return xs, ys


def changed_and_then_replaced(a, b, t):
    xs, ys = [a, b], [0, 0]
    for i in range(a):
        ys = xs
        xs = [i, b]
        ys[0] = 50
    return xs, ys


def in_an_expression(a, b, t):
    xs = [a, b]
    xs = [b, a] if t else xs
    xs[0] = 5
    return xs


def branches_in_branches(a, b, t):
    xs = [a, b]
    if t:
        if a > 1:
            xs = [1, 2]
        xs[0] = 5
        if b > 4:
            xs[1] = 8
    else:
        xs = [xs[1], xs[0]]
        xs[1] += 3
    xs[0] += 1
    return xs


def exchanged(a, b, t):
    xs, ys = [a], [b]
    rows = [[a], [b]]
    if t:
        xs, ys = ys, xs
        rows[0], rows[1] = rows[1], rows[0]
    xs[0] += 10
    rows[0][0] += 20
    return xs, ys, rows


def shared_in_both(a, b, t):
    if t:
        xs = ys = [3]
    else:
        xs = ys = [b]
    xs[0] += 1
    return xs, ys, xs is ys


def part_that_both_share(a, b, t):
    part = [a]
    rows = [part, [b]]
    if t:
        rows = [part, [7]]
    part[0] = 9
    rows[0][0] += 1
    rows[1][0] += 1
    return rows, part


def read_by_another_name(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        ys = [b, a]
    return xs, ys


def loop_variable_of_before(a, b, t):
    rows, total = [[a], [b]], 0
    for row in rows:
        total = total + row[0]
    if t:
        rows = [[1], [2]]
    rows[1][0] = total
    return rows


RIGHT = [
    rebound_and_changed, changed_and_rebound, dict_rebound, nested, attribute, of_a_dataclass, longer_in_one_branch,
    new_attribute_of_what_is_rebound, matched, in_a_loop, in_a_while, changed_and_then_replaced, in_an_expression,
    branches_in_branches, exchanged, shared_in_both, part_that_both_share, read_by_another_name, loop_variable_of_before,
]  # fmt: skip


@pytest.mark.parametrize("program", RIGHT, ids=lambda one: one.__name__)
def test_rebinding_and_changing_is_as_in_python(program):
    assert as_graph(program) == [program(*sample) for sample in SAMPLES]


def name_of_before(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        xs = [b, a]
    xs[1] = 100
    return ys


def name_given_in_a_branch(a, b, t):
    xs, ys = [a], [0]
    if t:
        ys = xs
    ys[0] = 5
    return xs


def one_row_of_two(a, b, t):
    rows = [[a], [b]]
    row = rows[0]
    if t:
        row = rows[1]
    row[0] = 100
    return rows


def chosen_by_an_expression(a, b, t):
    xs, ys = [a], [b]
    (xs if t else ys).append(3)
    return xs[-1], ys[-1]


def chosen_by_a_call(a, b, t):
    xs, ys = [a], [b]
    zs = sluice.if_else(t, xs, ys)
    zs[0] = 9
    return xs, ys


def no_trips(a, b, t):
    xs = [a, b]
    ys = xs
    for i in range(a - b):
        xs = [b, a]
    xs[1] = 100
    return ys


def the_next_iteration_changes_it(a, b, t):
    xs, ys = [a, b], [0, 0]
    for i in range(a):
        ys[0] = 50
        ys = xs
    return xs, ys


def two_names_after_an_iteration(a, b, t):
    xs, ys = [a, b], [0, 0]
    for i in range(a):
        ys[0] = 50 + i
        xs = ys = [i, 1]
    ys[1] = 8
    return xs


def state_of_a_call(a, b, t):
    xs = [a]

    def body(i, state):
        state[0] = state[0] + 1
        return state

    return sluice.for_loop(a, xs, body), xs


def in_a_tuple(a, b, t):
    xs = [a]
    kept = (xs, 1)
    if t:
        xs = [b]
    xs[0] = 9
    return kept[0]


def in_an_attribute(a, b, t):
    o = Thing()
    o.l = [a]
    xs = o.l
    if t:
        o.l = [b]
    o.l[0] = 9
    return xs


def in_a_class(a, b, t):
    class Kept:
        l = [a]

    xs = Kept.l
    if t:
        xs = [b]
    xs[0] = 9
    return Kept.l


def field_of_a_dataclass(a, b, t):
    box = Box([a])
    other = box
    if t:
        box = Box([b])
    box.x = [9]
    return other.x


def in_a_default(a, b, t):
    xs = [a, b]
    first = lambda held=xs: held[0]  # noqa: E731
    if t:
        xs = [b, a]
    xs[0] = 100
    return first()


def in_a_partial(a, b, t):
    xs = [a, b]
    first = functools.partial(lambda held: held[0], xs)
    if t:
        xs = [b, a]
    xs[0] = 100
    return first()


def in_a_method(a, b, t):
    xs = [a, b]
    add = xs.append
    if t:
        xs = [b, a]
    add(4)
    return len(xs)


def in_a_generator(a, b, t):
    xs = [a, b]
    rest = (x for x in xs)
    if t:
        xs = [b, a]
    xs[1] = 100
    return list(rest)


def gone_through(a, b, t):
    xs, total = [a, b, a], 0
    for x in xs:
        total = total + x
        if t:
            xs = [b, a, b]
        xs[2] = 100
    return total


def of_a_caller(a, b, t):
    xs = [a, b]

    def change(held):
        if t:
            held = [7, 8]
        held[0] = 100
        return held[0]

    return change(xs), xs[0]


def returned_by_a_function(a, b, t):
    xs = [a, b]

    def pick(held):
        if t:
            return held
        return [1, 2]

    ys = pick(xs)
    ys[0] = 9
    return xs


def of_the_module(a, b, t):
    xs = STATE
    if t:
        xs = [a, b]
    xs[0] = 5
    return STATE[0]


def changed_by_a_function(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        xs = [b, a]

    def put(held):
        held[0] = 9

    put(xs)
    return ys


def changed_and_back(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        xs = [b, a]
    xs.append(3)
    last = ys[-1]
    xs.pop()
    return last


def appended_in_turn(a, b, t):
    rows, row = [], [a]
    for k in range(3):
        if t:
            row = [k]
        rows.append(row)
        row[0] = row[0] + 1
    return rows


def deleted_from(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        ys = [0, 1]
    del ys[0]
    return len(xs)


def changed_right_before_a_loop(a, b, t):
    xs = [a, b]
    ys = xs
    if t:
        ys = [b, a]
    ys[0] = 5
    while a > 3:
        ys = [0, 0]
        a = a - 1
    return xs, ys


CHANGED = [
    name_of_before, name_given_in_a_branch, one_row_of_two, chosen_by_an_expression, chosen_by_a_call, no_trips,
    the_next_iteration_changes_it, two_names_after_an_iteration, state_of_a_call, in_a_tuple, in_an_attribute, in_a_class,
    field_of_a_dataclass, in_a_default, in_a_partial, in_a_method, in_a_generator, gone_through, of_a_caller,
    returned_by_a_function, of_the_module, changed_by_a_function, changed_and_back, appended_in_turn, deleted_from, changed_right_before_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", CHANGED, ids=lambda one: one.__name__)
def test_a_change_of_what_is_shared_by_some_samples_is_refused(program):
    STATE[:] = [0, 0]
    with pytest.raises(RewriteError, match="this changes a .* that has two names") as error:
        as_graph(program)
    first = program.__code__.co_firstlineno
    assert error.value.filename == __file__ and first < error.value.lineno < first + 20


def is_a_name_of_before(a, b, t):
    xs = [a]
    ys = xs
    if t:
        ys = [a]
    return xs is ys


def is_not_the_next(a, b, t):
    xs = ys = [a]
    for i in range(a):
        ys = [i]
    return xs is not ys


def id_of_before(a, b, t):
    xs = [a]
    before = id(xs)
    if t:
        xs = [b]
    return id(xs) == before


def id_of_another(a, b, t):
    xs, ys = {"x": a}, {"x": b}
    if t:
        xs, ys = ys, xs
    return id(xs) == id(ys)


def id_in_a_loop(a, b, t):
    xs = [b]
    before = id(xs)
    for _ in range(a):
        xs = [b]
    return id(xs) == before


@pytest.mark.parametrize("program", [id_of_before, id_of_another, id_in_a_loop], ids=lambda one: one.__name__)
def test_id_of_what_a_branch_or_a_loop_assigned_is_refused(program):
    with pytest.raises(RewriteError, match=r"id\(\) of a (list|dict) that a branch or a loop assigned"):
        as_graph(program)


def test_id_of_other_objects_is_as_in_python():
    def program(a, b, t):
        xs = [a]
        before = id(xs)
        if t:
            xs[0] = b
        return 1 if id(xs) == before else 2

    assert as_graph(program) == [1] * len(SAMPLES)


@pytest.mark.parametrize("program", [is_a_name_of_before, is_not_the_next], ids=lambda one: one.__name__)
def test_is_of_what_is_shared_by_some_samples_is_refused(program):
    with pytest.raises(RewriteError, match="`is` with a list that is the same as the other for some samples only"):
        as_graph(program)


class Counted:
    """Equal to others of its key, whatever else it has."""

    def __init__(self):
        self.count = 0

    def __eq__(self, other):
        return True

    def __hash__(self):
        return 1

    def __repr__(self):
        return "Counted"


CHANGEABLE = {
    "set": lambda: {1},
    "deque": lambda: collections.deque([1]),
    "bytearray": lambda: bytearray(b"x"),
    "array": lambda: array.array("i", [1]),
    "ordered dict": lambda: collections.OrderedDict(x=1),
    "namespace": lambda: types.SimpleNamespace(x=1),
    "array of NumPy": lambda: numpy.zeros(1),
    "object": Counted,
    "list of a class of its own": type("Items", (list,), {}),
}


@pytest.mark.parametrize("make", CHANGEABLE.values(), ids=CHANGEABLE)
@pytest.mark.parametrize("how", ["choice", "loop"])
def test_equal_objects_that_can_change_are_not_one(make, how):
    def chosen(a, b, t):
        x, y = make(), make()
        if t:
            y = x
        return y

    def repeated(a, b, t):
        x, y = make(), make()
        for _ in range(a):
            y = x
        return y

    with pytest.raises(RewriteError, match="'y' is a "):
        as_graph({"choice": chosen, "loop": repeated}[how])


def equal_constants(a, b, t):
    x, text, path, found, low = 1.5, "aa", pathlib.Path("x"), frozenset([1]), range(3)
    if t:
        x, text, path, found, low = float("1.5"), "".join(["a", "a"]), pathlib.Path("x"), frozenset([1]), range(3)
    return [x, len(text), len(path.parts), len(found), len(low)]


def zeros_of_both_signs(a, b, t):
    x = 0.0
    if t:
        x = -0.0
    return 1 if x == 0 else 2


def ranges_of_other_ends(a, b, t):
    x = range(0, 3, 2)
    if t:
        x = range(0, 4, 2)
    return x.stop


def test_equal_constants_are_one():
    of_python = [equal_constants(*sample) for sample in SAMPLES]
    assert as_graph(equal_constants) == of_python
    assert as_graph(zeros_of_both_signs) == [1] * len(SAMPLES)
    with pytest.raises(RewriteError, match="'x' is a range in 'then', and another one in 'otherwise'"):
        as_graph(ranges_of_other_ends)


def rebound_in_another_order(a, b, t):
    d = {"k": a, "l": b}
    if t:
        d = {"l": b, "k": a}
    return list(d.values())


def moved_to_the_end(a, b, t):
    d = {"k": a, "l": b}
    if t:
        d["k"] = d.pop("k")
    return next(iter(d.values()))


def moved_in_a_loop(a, b, t):
    d = {"k": a, "l": b}
    for i in range(a):
        d["k"] = d.pop("k")
    return list(d)


def filled_in_another_order(a, b, t):
    d = {}
    if t:
        d["x"] = a
        d["y"] = b
    else:
        d["y"] = a
        d["x"] = b
    return list(d)


def chosen_in_another_order(a, b, t):
    d = {"k": a, "l": b} if t else {"l": a, "k": b}
    return list(d)


ORDERS = [rebound_in_another_order, moved_to_the_end, moved_in_a_loop, filled_in_another_order, chosen_in_another_order]


@pytest.mark.parametrize("program", ORDERS, ids=lambda one: one.__name__)
def test_keys_in_another_order_are_refused(program):
    with pytest.raises(RewriteError, match="a dict with the keys '.', '.' against a dict with the keys '.', '.'"):
        as_graph(program)
