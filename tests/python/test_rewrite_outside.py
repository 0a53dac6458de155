"""Changes of what is made outside of a pipeline function: they would be made once, for all samples."""

import types

import pytest

import sluice
from sluice import ops

COUNT, SEEN, OBJECT = {"n": 0}, [], types.SimpleNamespace(n=0)


def numbers():
    return sluice.source(lambda i: i, int, samples=4)


def of_closures():
    """Functions that change what is in their closure, by the name of what they change."""
    count, seen, held, n, rows = {"n": 0}, [], types.SimpleNamespace(n=0), 0, {"a": {"b": [1]}}

    def item():
        if numbers() > 1:
            count["n"] += 1

    def element():
        if numbers() > 1:
            seen.append(1)

    def attribute():
        if numbers() > 1:
            held.n = 1

    def variable():
        nonlocal n
        if numbers() > 1:
            n += 1

    def deeper():
        if numbers() > 1:
            rows["a"]["b"].append(1)

    def of_an_inner_function():
        def inner(x):
            if x > 1:
                seen.append(1)
            return x

        inner(numbers())

    def in_a_loop():
        x = numbers()
        while x < 3:
            x += 1
            count["n"] = x

    def in_a_match():
        match numbers():
            case 1:
                seen.append(1)

    return {
        "count": item, "seen": element, "held.n": attribute, "n": variable, "rows['a']['b']": deeper, "seen ": of_an_inner_function,
        "count ": in_a_loop, "seen  ": in_a_match,
    }  # fmt: skip


def global_item():
    if numbers() > 1:
        COUNT["n"] += 1


def global_element():
    if numbers() > 1:
        SEEN.append(1)


def global_attribute():
    if numbers() > 1:
        OBJECT.n = 1


GLOBAL = {"COUNT": global_item, "SEEN": global_element, "OBJECT.n": global_attribute}


@pytest.mark.parametrize("name", [*of_closures(), *GLOBAL])
def test_is_refused(name):
    function = (of_closures() | GLOBAL)[name]
    wanted = f"'{name.strip()}' is made outside of this function and changed in this `"
    with pytest.raises(sluice.RewriteError) as error:
        sluice.pipeline(sluice.graph_function(function))()
    assert wanted in str(error.value)
    assert (COUNT, SEEN, OBJECT.n) == ({"n": 0}, [], 0)


def test_what_the_function_makes_may_be_changed():
    @sluice.pipeline(batch_size=4)
    def pipe():
        x = numbers()
        count, seen, n = {"n": 0}, [0], 0

        def more(y):
            nonlocal n
            if y > 1:
                count["n"] += 1
                seen[0] = y
                n += 2
            return y

        more(x)
        return count["n"], seen[0], n

    assert [list(column) for column in next(iter(pipe()))] == [[0, 0, 1, 1], [0, 0, 2, 3], [0, 0, 2, 2]]


def test_plain_branches_may_change_anything():
    count = {"n": 0}

    @sluice.pipeline(batch_size=4)
    def pipe(more):
        if more:
            count["n"] += 1
        return ops.clamp(numbers(), 0, 9)

    pipe(True)
    assert count == {"n": 1}
