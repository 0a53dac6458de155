"""Choices and loops by calls. The numbers C.., L.., S.. are those of the behaviors that DALI's users know."""

import fake_graph
import numpy
import pytest
from fake_graph import Graph, Stop, describing

from sluice import _control as c
from sluice._merge import BuildError


@pytest.fixture
def g():
    graph = Graph()
    with describing(graph):
        yield graph


def nested(n):
    for i in range(3):
        if n > i:
            while n > i:
                n = n - 3
        else:
            n = n + 1
    return n


def nested_by_calls(n):
    def body(i, n):
        return c.if_else(n > i, lambda: c.while_loop(n, lambda n: n > i, lambda n: n - 3), lambda: n + 1)

    return c.for_loop(3, n, body)


PREDICATES = [lambda i: i - 3, lambda i: -1 if i % 2 == 0 else 1, lambda _: 1, lambda _: 0, lambda _: -1]  # PI1 to PI6


@pytest.mark.parametrize("predicate", PREDICATES)
def test_both_branches_give_a_pair(g, predicate):  # C1, C2
    n = g.input()
    result = c.if_else(n > 0, lambda: (-n, 0), lambda: (0, n * 2))
    for i in range(10):
        x = predicate(i)
        assert g.run(result, x) == ((-x, 0) if x > 0 else (0, 2 * x))


TABLE = [
    # Name, description with one value, and the same for a number.
    ("no else: C3", lambda n: c.apply_if(n > 0, n, lambda n: -n), lambda n: -abs(n)),
    ("a constant in a branch: C4", lambda n: c.if_else(n > 0, 3, n), lambda n: 3 if n > 0 else n),
    ("made in both branches: C7", lambda n: c.if_else(n == 0, lambda: n - 1, lambda: n + 1), lambda n: -1 if n == 0 else n + 1),
    (
        "a chain: C10",
        lambda n: c.if_else(n == 0, lambda: n + 10, lambda: c.if_else(n > 0, lambda: n + 100, lambda: n - 50)),
        lambda n: n + 10 if n == 0 else n + 100 if n > 0 else n - 50,
    ),
    ("constants in both: C12", lambda n: c.if_else(n < 3, 6, 9), lambda n: 6 if n < 3 else 9),
    ("a fraction and a whole number", lambda n: c.if_else(n < 3, 1, 2.5), lambda n: 1.0 if n < 3 else 2.5),
    ("texts", lambda n: c.if_else(n < 3, "low", "high"), lambda n: "low" if n < 3 else "high"),
    ("the same constant", lambda n: (c.if_else(n < 3, 6, 6), n)[0], lambda n: 6),
    ("a number as predicate: C31", lambda n: c.if_else(n, 42, 0), lambda n: 42 if n else 0),
    ("a tuple: S3", lambda n: c.if_else(n > 0, (n, n + 10), lambda: (-10, n * 2)), lambda n: (n, n + 10) if n > 0 else (-10, n * 2)),
    (
        "a dict: S2",
        lambda n: c.if_else(n > 0, {"out": 2, "in": n}, {"in": 0, "out": n}),
        lambda n: {"out": 2, "in": n} if n > 0 else {"out": n, "in": 0},
    ),
    ("not: L1", lambda n: c.not_(n > 0), lambda n: not n > 0),
    ("not of a number: L10", lambda n: c.not_(n), lambda n: not n),
    ("and: L2", lambda n: c.all_of(n > 0, lambda: n < 3), lambda n: 0 < n < 3),
    ("and with a constant: L2", lambda n: c.all_of(n > 0, False), lambda n: False),
    ("and with NumPy's constant", lambda n: c.all_of(n > 0, numpy.False_), lambda n: False),
    ("or with NumPy's constant", lambda n: c.any_of(n > 0, lambda: numpy.True_), lambda n: True),
    ("a loop with NumPy's constant", lambda n: c.while_loop(n, lambda n: numpy.False_, lambda n: n + 1), lambda n: n),
    ("or: L3", lambda n: c.any_of(n > 0, lambda: n < -3), lambda n: n > 0 or n < -3),
    (
        "precedence: L4",
        lambda n: c.any_of(n > 5, lambda: c.any_of(c.all_of(n > 0, lambda: n < 3), lambda: c.not_(n > -3))),
        lambda n: n > 5 or n > 0 and n < 3 or not n > -3,
    ),
    (
        "select",
        lambda n: c.select(n % 3, [lambda: n * 2, 7, lambda: -n], names=["twice", "seven", "minus"]),
        lambda n: [n * 2, 7, -n][n % 3],
    ),
    ("while", lambda n: c.while_loop((n, 0), lambda n, k: n > 0, lambda n, k: (n - 2, k + 1))[1], lambda n: max(0, (n + 1) // 2)),
    ("for", lambda n: c.for_loop(n, 0, lambda i, s: s + i), lambda n: sum(range(n))),
    ("for with a plain count", lambda n: c.for_loop(3, n, lambda i, s: s * 2), lambda n: n * 8),
    (
        "a constant of the type that the body gives",
        lambda n: c.for_loop(n, 0, lambda i, s: s + i * 0.5),
        lambda n: sum(i * 0.5 for i in range(n)),
    ),
    ("loops in branches in loops", nested_by_calls, nested),
]


@pytest.mark.parametrize("what, describe, plainly", TABLE, ids=[row[0] for row in TABLE])
def test_for_each_sample(g, what, describe, plainly):
    n = g.input()
    result = describe(n)
    for x in range(-6, 8):
        assert g.run(result, x) == plainly(x)


@pytest.mark.parametrize("what, describe, plainly", TABLE, ids=[row[0] for row in TABLE])
def test_plain_values_decide_at_once(what, describe, plainly):
    for x in range(-6, 8):
        assert describe(x) == plainly(x)


def test_only_the_branch_that_is_taken_runs(g):  # C57, L6
    n = g.input()
    result = c.if_else(n != 0, lambda: g.operator("divide", 12, n), 0)
    assert g.run(result, 0) == 0
    assert g.run(result, 5) == 2
    guarded = c.all_of(n != 0, lambda: g.operator("divide", 12, n) > 3)
    assert g.run(guarded, 0) is False


def test_a_branch_without_steps_gives_the_outer_value(g):
    n = g.input()
    c.if_else(n > 0, n, n)
    assert g.run(c.if_else(n > 0, n, n), 4) == 4


def test_names(g):
    n = g.input()
    c.select(n, [1, 2], names=["one", "two"], name="number")
    c.if_else(n > 0, 1, 2)
    assert [x for x in g.calls if x.startswith("open")] == [
        "open number ['one', 'two'] by number",
        "open if_else ['then', 'otherwise'] by truth",
    ]


def test_a_sample_that_goes_round_too_often_fails(g):
    n = g.input()
    result = c.while_loop(n, lambda n: n > 0, lambda n: n - 1, max_iterations=3)
    assert g.run(result, 3) == 0
    with pytest.raises(Stop):
        g.run(result, 4)


def test_a_plain_loop_that_goes_round_too_often_fails():
    with pytest.raises(RuntimeError, match="goes on after 3 iterations"):
        c.while_loop(4, lambda n: n > 0, lambda n: n - 1, max_iterations=3)


def test_a_plain_count_that_is_too_large_is_refused_in_a_description(g):
    n = g.input()
    with pytest.raises(BuildError, match="`for_loop` goes round 5 times, but max_iterations is 3; raise it, or leave it out"):
        c.for_loop(5, n, lambda i, n: n - 1, max_iterations=3)
    assert g.run(c.for_loop(3, n, lambda i, n: n - 1, max_iterations=3), 7) == 4


@pytest.mark.parametrize("loop", [c.for_loop, c.for_loop_collect])
def test_a_plain_count_is_held_to_its_limit(loop):
    def body(i, total):
        return total + i if loop is c.for_loop else (total + i, i)

    assert loop(3, 0, body, max_iterations=3) == (3 if loop is c.for_loop else (3, [0, 1, 2]))
    with pytest.raises(RuntimeError, match=f"`{loop.__name__}` goes on after 2 iterations"):
        loop(3, 0, body, max_iterations=2)
    for wrong in (0, -1, 2.5, True):
        with pytest.raises(BuildError, match=f"max_iterations of `{loop.__name__}` is {wrong}; give"):
            loop(3, 0, body, max_iterations=wrong)


def test_an_exception_in_a_branch_goes_through_and_the_graph_stays_usable(g):  # C35
    n = g.input()

    def broken():
        raise KeyError("mine")

    for describe in (
        lambda: c.if_else(n > 0, n, broken),
        lambda: c.select(n, [broken]),
        lambda: c.while_loop(n, lambda n: broken(), lambda n: n),
        lambda: c.for_loop(n, n, lambda i, n: broken()),
        lambda: c.if_else(n > 0, lambda: c.for_loop(n, n, lambda i, n: broken()), n),
    ):
        with pytest.raises(KeyError, match="mine"):
            describe()
    assert g.run(c.if_else(n > 0, 1, 2), 5) == 1


WRONG = [
    (lambda g, n: c.if_else(n, None, n), "the result is None in 'then', but a Value of type i64 in 'otherwise' of `if_else`; "
     "give a value there, too; None cannot be a value of a sample"),
    (lambda g, n: c.if_else(n, n > 0, n), "the result is a Value of type bool in 'then', but a Value of type i64 in 'otherwise' "
     "of `if_else`; cast one of them, as in x.cast('bool')"),
    (lambda g, n: c.if_else(n, (n, 1), (n, n, 1)), "the result has one structure in 'then' and another in 'otherwise' of `if_else`: "
     "a tuple of 2 against a tuple of 3; give both the same kind, lengths and keys"),
    (lambda g, n: c.if_else(n, n, 0.5), "the result is a Value of type i64 in 'then', but 0.5 in 'otherwise' of `if_else`; give "
     "a constant that i64 can hold, or cast the Value"),
    (lambda g, n: c.if_else(n, (n, [1]), (n, ["x"]), name="turn"), "element 1, element 0 of the result is 1 in 'then', but 'x' in "
     "'otherwise' of `turn`; give constants of one type"),
    (lambda g, n: c.select(n, []), "`select` has no branches; give at least one"),
    (lambda g, n: c.select(n, [1, 2], names=["a"]), "`select` has 2 branches, but 1 names; give one name for each branch"),
    (lambda g, n: c.select(n, [1, 2], names=["a", "a"]), "`select` has two branches of the name 'a'; give each branch a name of its own"),
    (lambda g, n: c.select("x", [1, 2]), "`select` chooses by a whole number, not by 'x'"),
    (lambda g, n: c.all_of(n, True), "the left side of `all_of` is a Value of type i64, not a bool; compare it first, as in `x != 0`"),
    (lambda g, n: c.any_of(n > 0, n), "the right side of `any_of` is a Value of type i64, not a bool; compare it first, as in "
     "`x != 0`"),
    (lambda g, n: c.all_of(n > 0, lambda: None), "the right side of `all_of` is None, not a bool; give a bool"),
    (lambda g, n: c.while_loop(n, lambda n: "x", lambda n: n), "the condition of `while_loop` gives 'x'; give a bool or a number"),
    (lambda g, n: c.while_loop(n, lambda n: n, lambda n: n, max_iterations=0), "max_iterations of `while_loop` is 0; give a whole "
     "number of at least 1"),
    (lambda g, n: c.while_loop((n, n), lambda n, m: n, lambda n, m: n), "the state of `while_loop` has another structure after "
     "an iteration than before: at the state, a tuple of 2 against one value; a list keeps its length there, and a dict its keys; a "
     "list is collected by `[... for i in range(n)]`"),
    (lambda g, n: c.while_loop(n, lambda n: n, lambda n: n > 0), "the state is a Value of type i64 before an iteration of "
     "`while_loop`, but a Value of type bool after it; cast one of them, as in x.cast('i64')"),
    (lambda g, n: c.for_loop(n, 0, lambda i, n: None), "the state is a Value of type i64 before an iteration of `for_loop`, but None "
     "after it; begin with a value of that type; None cannot be a value of a sample"),
    (lambda g, n: c.for_loop(n > 0, n, lambda i, n: n), "the count of `for_loop` is a Value of type bool; give a whole number, with "
     "x.cast('i64') if need be"),
]  # fmt: skip


@pytest.mark.parametrize("describe, message", WRONG, ids=range(len(WRONG)))
def test_errors(g, describe, message):  # C43, L9, S4
    n = g.input()
    with pytest.raises(BuildError) as error:
        describe(g, n)
    assert str(error.value) == message
    assert g.run(c.if_else(n > 0, 1, 2), 5) == 1, "the graph stays usable"


def test_an_index_outside(g):
    with pytest.raises(IndexError, match="the index of `select` is 2, but the branches are numbered 0 to 1"):
        c.select(2, [1, 2])
