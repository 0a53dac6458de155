"""Changes in place that no statement of an arm shows: they are refused, and what is followed or harmless is not."""

import collections
import heapq

import numpy
import pytest

import sluice


class Thing:
    def __init__(self):
        self.items = [1]
        self.count = 0
        self._cache = {}

    def add(self, x):
        self.items.append(x)

    def next(self):
        self.count += 1
        return self.count

    def cached(self, x):
        return self._cache.setdefault(x, x + 1)


def plus_list(v):
    xs = [1]
    if v > 0:
        xs += [2]
    return len(xs)


def times_list(v):
    xs = [1]
    if v > 0:
        xs *= 2
    return len(xs)


def plus_array(v):
    a = numpy.zeros(3)
    if v > 0:
        a += 1
    return float(a[0])


def or_set(v):
    s = {1}
    if v > 0:
        s |= {2}
    return len(s)


def by_key(v):
    d = {"x": []}
    k = "x"
    if v > 0:
        d[k].append(1)
    return len(d["x"])


def by_another_name(v):
    xs = [1]
    if v > 0:
        ys = xs
        ys.append(2)
    return len(xs)


def by_a_loop(v):
    a, b = [], []
    if v > 0:
        for each in (a, b):
            each.append(1)
    return len(a)


def by_a_function_inside(v):
    out = []

    def add(x):
        out.append(x)

    if v > 0:
        add(1)
    return len(out)


def by_a_function_of_a_library(v):
    heap = [3]
    if v > 0:
        heapq.heappush(heap, 1)
    return len(heap)


def by_a_method(v):
    thing = Thing()
    if v > 0:
        thing.add(2)
    return len(thing.items)


def by_a_method_that_counts(v):
    thing = Thing()
    if v > 0:
        thing.next()
    return thing.count


def of_a_deque_in_a_dict(v):
    d = {"q": collections.deque([1])}
    q = d["q"]
    if v > 0:
        q.rotate(1)
        q.extend([2])
    return len(d["q"])


def in_a_conditional_expression(v):
    out = []

    def f(x):
        out.append(x)
        return x

    y = f(1) if v > 0 else f(2)
    return y + len(out)


def in_a_logical_expression(v):
    out = []

    def f(x):
        out.append(x)
        return x

    y = v > 0 and f(v) > 1
    return len(out)


def of_a_nonlocal(v):
    c = 0

    def f(x):
        nonlocal c
        c += 1
        return x

    y = f(1) if v > 0 else 2
    return y + c


def in_a_comprehension(v):
    out = []

    def f(x):
        out.append(x)
        return x

    return [f(i) for i in range(v)]


def in_a_loop(v):
    d = {"x": []}
    k = "x"
    for i in range(v):
        d[k].append(1)
    return len(d["x"])


REFUSED = [
    plus_list, times_list, plus_array, or_set, by_key, by_another_name, by_a_loop, by_a_function_inside, by_a_function_of_a_library,
    by_a_method, by_a_method_that_counts, of_a_deque_in_a_dict, in_a_conditional_expression, in_a_logical_expression, of_a_nonlocal,
    in_a_comprehension, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", REFUSED, ids=lambda one: one.__name__)
def test_what_cannot_be_followed_is_refused(program):
    assert program(1) is not None  # plain Python
    with pytest.raises(sluice.RewriteError) as error:
        described(program)
    assert "changed" in str(error.value) and str(error.value).startswith(__file__)


def described(program):
    def describe():
        return sluice.graph_function(program)(sluice.source(lambda i: i, int, samples=4))

    return sluice.pipeline(batch_size=4)(describe)()


def appends(v):
    xs = [1]
    if v > 1:
        xs.append(2)
    else:
        xs.append(3)
    return xs[1]


def makes_anew(v):
    xs = [1]
    if v > 1:
        xs = xs + [2]
    else:
        xs = [4] + xs
    return xs[0] * 10 + xs[1]


def keeps_a_cache(v):
    thing = Thing()
    if v > 1:
        y = thing.cached(5)
    else:
        y = thing.cached(7)
    return y


def of_the_arm_alone(v):
    if v > 1:
        xs = []
        for k in range(3):
            xs.append(k)
        y = len(xs)
    else:
        y = 0
    return y


def attribute(v):
    thing = Thing()
    if v > 1:
        thing.count = 5
        thing.extra = 1
    else:
        thing.count = 7
        thing.extra = 2
    return thing.count + thing.extra


def nested(v):
    xs = [1, 2]
    if v > 0:
        xs[0] = 5
        if v > 2:
            xs[1] = 7
    return xs[0] * 10 + xs[1]


def large(v):
    big = list(range(200_000))
    array = numpy.zeros(3_000_000, numpy.uint8)
    return len(big) + len(array) if v > 1 else 1


@pytest.mark.parametrize(
    "program", [appends, makes_anew, keeps_a_cache, of_the_arm_alone, attribute, nested, large], ids=lambda one: one.__name__
)
def test_what_is_followed_or_harmless_is_as_in_python(program):
    (column,) = next(iter(described(program)))
    assert column.tolist() == [program(v) for v in range(4)]


def test_numbers_at_the_end_of_their_range():
    cases = [
        ("i32", 10**9, 2_000_000_000), ("i32", 1, 2**31 - 1), ("u32", 3 * 10**9, 4 * 10**9), ("i64", 5, 2**63 - 1),
        ("i32", -(2**31), 5), ("i32", -7, 3), ("i32", 7, -3), ("i32", -7, -3), ("i32", 6, -3), ("i8", -128, 7), ("i64", -(2**63), 3),
    ]
    for type_, x, y in cases:

        @sluice.pipeline
        def describe():
            a, b = sluice.source(lambda i: (x, y), (type_, type_), samples=1)
            return (a % b).cast("i64"), (a // b).cast("i64"), (a % y).cast("i64"), (a // y).cast("i64")

        given = [column.tolist()[0] for column in next(iter(describe()))]
        assert given == [x % y, x // y] * 2, (type_, x, y)


@pytest.mark.parametrize("type_", ["u8", "u32", "u64"])
def test_ranges_of_numbers_without_a_sign(type_):
    @sluice.pipeline(batch_size=3)
    def describe():
        a, b = sluice.source(lambda i: ([5, 3, 250][i], [3, 5, 253][i]), (type_, type_), samples=3)
        total = 0
        for i in range(a, b):
            total = total + i
        return total, [i for i in range(b, a, -1)]

    totals, lists = next(iter(describe()))
    assert totals.tolist() == [0, 3 + 4, 250 + 251 + 252]
    assert lists == [[], [5, 4], [253, 252, 251]]


def test_a_function_whose_file_has_changed_is_refused(tmp_path, monkeypatch):
    file = tmp_path / "changing_module.py"
    file.write_text("def f(n):\n    if n > 1:\n        n = n * 2\n    return n\n")
    monkeypatch.syspath_prepend(tmp_path)
    import changing_module

    assert sluice.graph_function(changing_module.f)(3) == 6
    file.write_text("def f(n):\n    if n > 1:\n        n = n * 200\n    return n\n")
    with pytest.raises(sluice.RewriteError, match="its source has changed since it was imported"):
        sluice.graph_function(changing_module.f)
