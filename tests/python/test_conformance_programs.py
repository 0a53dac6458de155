"""The programs of tests/graph/conformance/programs.json as Python functions, by their numbers.

Each becomes the text of a function with real `if`, `while` and `for`. Python runs it for each sample, and the
library describes and runs it; both give the same. The C++ front ends run the same file, in programs_test.cpp.
"""

import pytest
from conformance import check
from programs import PROGRAMS, columns, function

import sluice

NAMES = [one["name"] for one in PROGRAMS]


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_gives_what_python_gives(program):
    if why := program.get("not in", {}).get("python"):
        with pytest.raises((AssertionError, sluice.Error)):  # else take "not in" out of the data
            check(function(program), *columns(program))
        pytest.skip(f"as the data says: {why}")
    check(function(program), *columns(program))


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_plain_values_decide_at_once(program):
    """With plain values, a graph_function returns what the plain function returns."""
    plain = function(program)
    marked = sluice.graph_function(plain)
    for row in zip(*columns(program)):
        assert marked(*row) == plain(*row)


@pytest.mark.parametrize("program", PROGRAMS, ids=NAMES)
def test_gives_its_example(program):
    """C++ is held to the examples, too, so both languages mean the same."""
    values, wanted = program["example"]
    given = function(program)(**values)
    assert list(given if isinstance(given, tuple) else (given,)) == wanted


@pytest.mark.parametrize("inputs", ["n", "pqk", "k"])
def test_many_in_one_pipeline(inputs):
    """All programs of these inputs, called by one function."""
    same = [one for one in PROGRAMS if "".join(one["inputs"]) == inputs and "not in" not in one]
    marked = [sluice.graph_function(function(one)) for one in same]

    def together(*values):
        return [one(*values) for one in marked]

    check(together, *columns(same[0]))


def test_names_differ():
    assert len(set(NAMES)) == len(NAMES)
