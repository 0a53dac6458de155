"""Changes in place that no statement of a branch shows: they are refused, and what is followed or harmless is not."""

import array
import collections
import contextlib
import contextvars
import csv
import functools
import heapq
import io
import itertools
import logging
import os
import queue
import types

import numpy
import pytest

import sluice
from sluice import _mutations


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


GLOBAL = [0]
NUMBER = 0


class Shared:
    items: list = []
    count = 0

    def add(self):
        self.items.append(1)

    @staticmethod
    def up():
        Shared.count += 1


class Child(Shared):
    pass


class Hidden:
    late = 0

    def __init__(self):
        self._n = 0
        self.__k = 0

    def up(self):
        self._n += 1

    def up_mangled(self):
        self.__k += 1

    def make(self):
        self.late = self.late + 1

    @property
    def asked(self):
        self._n += 1
        return self._n

    def __call__(self):
        self._n += 1

    def __add__(self, x):
        self._n += 1
        return x

    def __iter__(self):
        return self

    def __next__(self):
        self._n += 1
        return self._n


class Slots:
    __slots__ = ("items", "late")

    def __init__(self):
        self.items = [1]


def set_global():
    GLOBAL[0] += 1


def set_number():
    global NUMBER
    NUMBER += 1


def set_new():
    global NEW
    NEW = object()


def factory():
    n = 0

    def add(by):
        nonlocal n
        n += by
        return n

    return add


def with_default(x, found=[]):  # noqa: B006
    found.append(x)


def steps(n):
    yield from range(n)


def each_the_same(n):
    for _ in "x" * n:
        yield 1


def wrapped(function):
    calls = []

    @functools.wraps(function)
    def call(*args):
        calls.append(args)
        return function(*args)

    return call


CONTEXT: contextvars.ContextVar = contextvars.ContextVar("CONTEXT", default=0)

# Each entry makes the function that a branch calls, so that each test has its own.
HIDDEN = {
    "a global by a function": lambda: set_global,
    "a global that is assigned": lambda: set_number,
    "a global that is new": lambda: set_new,
    "a closure": lambda: functools.partial(factory(), 1),
    "a closure, by itself": lambda: (lambda add: lambda: add(1))(factory()),
    "a default": lambda: lambda: with_default(1),
    "an attribute of a function": lambda: (lambda f: lambda: setattr(f, "n", 1))(lambda: 0),
    "a decorator": lambda: wrapped(lambda: 1),
    "a class attribute": lambda: lambda: Child.up(),
    "a list of a class": lambda: Child().add,
    "a class attribute that is new": lambda: (lambda kind: lambda: setattr(kind, "n", 1))(type("Own", (), {})),
    "a private attribute": lambda: Hidden().up,
    "a mangled attribute": lambda: Hidden().up_mangled,
    "a new attribute": lambda: Hidden().make,
    "a property": lambda: (lambda one: lambda: one.asked)(Hidden()),
    "a call of an object": lambda: Hidden(),
    "an operator": lambda: (lambda one: lambda: one + 1)(Hidden()),
    "an iterator of a class": lambda: (lambda one: lambda: next(one))(Hidden()),
    "a slot": lambda: (lambda one: lambda: one.items.append(2))(Slots()),
    "a slot that was empty": lambda: (lambda one: lambda: setattr(one, "late", 2))(Slots()),
    "a namespace": lambda: (lambda one: lambda: setattr(one, "late", 2))(types.SimpleNamespace()),
    "a bound method of a list": lambda: functools.partial([].append, 1),
    "a bound method": lambda: collections.deque([1, 2]).popleft,
    "a default dict": lambda: (lambda one: lambda: one["x"])(collections.defaultdict(list)),
    "the order of keys": lambda: (lambda one: lambda: one.move_to_end("a"))(collections.OrderedDict(a=1, b=2)),
    "a counter": lambda: functools.partial(collections.Counter().update, "x"),
    "a queue": lambda: (lambda q: lambda: q.put(1))(queue.Queue()),
    "a context variable": lambda: lambda: CONTEXT.set(object()),
    "a list in a tuple in a dict": lambda: (lambda one: lambda: one["k"][0].append(1))({"k": ([],)}),
    "a list in an array": lambda: (lambda one: lambda: one[0].append(1))(numpy.array([[], None], dtype=object)),
    "an array": lambda: (lambda one: lambda: one.__setitem__(1, 7))(numpy.zeros(3)),
    "a large array": lambda: (lambda one: lambda: one.__setitem__(-1, 7))(numpy.zeros(3_000_000, "u1")),
    "an array with gaps": lambda: (lambda one: lambda: one.__setitem__((1, 1), 7))(numpy.zeros((9, 9))[::2, ::3]),
    "a bytearray": lambda: (lambda one: lambda: one.__setitem__(0, 7))(bytearray(2)),
    "bytes that are seen": lambda: (lambda one: lambda: one.__setitem__(0, 7))(memoryview(bytearray(2))),
    "an array of numbers": lambda: functools.partial(array.array("i").append, 1),
    "a long list": lambda: (lambda one: lambda: one.__setitem__(-1, 7))(list(range(200_000))),
    "a file": lambda: io.StringIO("a\nb\n").readline,
    "rows of a file": lambda: csv.reader(["a", "b"]).__next__,
    **{
        f"an iterator: {kind}": functools.partial(lambda make: make().__next__, make)
        for kind, make in {
            "list": lambda: iter([1, 2]), "tuple": lambda: iter((1, 2)), "dict": lambda: iter({1: 2}), "set": lambda: iter({1, 2}),
            "str": lambda: iter("ab"), "range": lambda: iter(range(2)), "reversed": lambda: reversed([1, 2]), "zip": lambda: zip("ab"),
            "map": lambda: map(str, "ab"), "filter": lambda: filter(None, "ab"), "enumerate": lambda: enumerate("ab"),
            "count": itertools.count, "cycle": lambda: itertools.cycle("ab"), "chain": lambda: itertools.chain("ab"),
            "islice": lambda: itertools.islice("ab", 2), "repeat": lambda: itertools.repeat(1, 2), "generator": lambda: steps(2),
            "generator of one value": lambda: each_the_same(4), "product": lambda: itertools.product("ab"),
        }.items()
    },
}  # fmt: skip


CONSTRUCTS = ("for", "while", "conditional expression", "and", "if_else", "while_loop")
PLACES = [("if", one) for one in HIDDEN] + [(one, kind) for one in CONSTRUCTS for kind in ("a closure", "a private attribute")]


@pytest.mark.parametrize("construct, kind", PLACES, ids=[" of ".join(one) for one in PLACES])
def test_hidden_changes_are_refused(construct, kind):
    change = HIDDEN[kind]()

    def describe():
        v = sluice.source(lambda i: i, int, samples=4)
        x = 0
        if construct == "if":
            if v > 1:
                change()
        elif construct == "for":
            for _ in range(v):
                change()
        elif construct == "while":
            while v > 1:
                change()
                v = v - 1
        elif construct == "conditional expression":
            x = (change(), 1)[1] if v > 1 else 2
        elif construct == "and":
            x = v > 1 and (change(), True)[1]
        elif construct == "if_else":
            x = sluice.if_else(v > 1, lambda: (change(), 1)[1], 2)
        else:
            x = sluice.while_loop(v, lambda n: n > 1, lambda n: (change(), n - 1)[1])
        return v, x

    with pytest.raises(sluice.BuildError, match="is changed|cannot be known"):
        sluice.pipeline(batch_size=4)(describe)()


def put(xs):
    xs[0] = 7


class WithSlot:
    __slots__ = ("l",)


PLACES_OF_LISTS = {
    "object": types.SimpleNamespace, "slot": WithSlot, "class": lambda: type("Own", (), {}), "module": lambda: types.ModuleType("own"),
}  # fmt: skip


@pytest.mark.parametrize("make", PLACES_OF_LISTS.values(), ids=PLACES_OF_LISTS)
def test_what_a_place_held_before_is_watched_where_a_branch_rebinds_it(make):
    def program(v):
        one = make()
        one.l = [v]
        before = one.l
        if v > 1:
            put(one.l)
        else:
            one.l = [1]
        return before[0]

    with pytest.raises(sluice.RewriteError, match="'one.l' is changed in this `if`"):
        described(program)


def made_for_an_attribute(v):
    held = collections.defaultdict(types.SimpleNamespace)
    if v > 1:
        held["x"].n = v
    return len(held)


def made_for_an_element(v):
    held = collections.defaultdict(lambda: [0])
    for i in range(v):
        held["x"][0] = i
    return len(held)


MODULE = types.ModuleType("own")


def of_a_module(v):
    MODULE.items = [1]
    if v > 1:
        MODULE.items.append(2)
    return len(MODULE.items)


OTHER_STRUCTURES = {
    made_for_an_attribute: "the defaultdict held has one structure in 'then'",
    made_for_an_element: "a dict with no keys against a dict with the key 'x'",
    plus_list: "the list xs has one structure in 'then'",
    times_list: "the list xs has one structure in 'then'",
    of_a_module: "'MODULE.items' is made outside of this function and changed in this `if`",
}


@pytest.mark.parametrize("program", OTHER_STRUCTURES, ids=lambda one: one.__name__)
def test_a_container_with_another_structure_in_one_branch_is_refused(program):
    with pytest.raises(sluice.RewriteError, match=OTHER_STRUCTURES[program]):
        described(program)


def test_objects_beyond_the_limit_warn_at_the_line(monkeypatch):
    monkeypatch.setattr(_mutations, "MOST", 40)
    things = [[k] for k in range(100)]

    def program(v):
        if v > 0:
            v = v + len(things)
        return v

    def by_a_call(v):
        return sluice.if_else(v > 0, lambda: v + len(things), v)

    for one, line in ((program, 1), (by_a_call, 1)):
        with pytest.warns(sluice.WatchWarning, match="reaches more than 40 objects") as said:
            described(one)
        assert [(each.filename, each.lineno) for each in said] == [(__file__, one.__code__.co_firstlineno + line)]


def test_an_iterator_of_unknown_position_is_refused(tmp_path):
    entries = os.scandir(tmp_path)

    def program(v):
        if v > 0:
            next(entries, None)
        return v

    with pytest.raises(sluice.RewriteError, match="'entries' is a ScandirIterator whose position cannot be known"):
        described(program)
    entries.close()


def of_an_exit_stack(v):
    xs = [0]
    with contextlib.ExitStack() as stack:
        if v > 0:
            stack.callback(xs.__setitem__, 0, 5)
    return xs[0]


class WithDefault:
    n = 0


def of_the_class_after_the_branch(v):
    one = WithDefault()
    if v > 1:
        one.n = v
    WithDefault.n = 7
    found = one.n
    WithDefault.n = 0
    return found


REFUSED = [
    of_an_exit_stack, of_the_class_after_the_branch, plus_array, or_set, by_key, by_another_name, by_a_loop,
    by_a_function_inside, by_a_function_of_a_library, by_a_method, by_a_method_that_counts, of_a_deque_in_a_dict,
    in_a_conditional_expression, in_a_logical_expression, of_a_nonlocal, in_a_comprehension, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("program", REFUSED, ids=lambda one: one.__name__)
def test_what_cannot_be_followed_is_refused(program):
    assert program(1) is not None  # plain Python
    with pytest.raises(sluice.RewriteError) as error:
        described(program)
    assert "change" in str(error.value) and str(error.value).startswith(__file__)


def test_a_hidden_change_says_what_to_do_with_a_counter():
    thing = Thing()

    def program(v):
        if v > 0:
            count(thing)
        return v

    def count(one):
        one.count += 1

    with pytest.raises(sluice.RewriteError, match="change before this `if`, or keep in an attribute such as `self._cache`"):
        described(program)


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


@functools.lru_cache
def table(k):
    return [k]


def keeps_a_table(v):
    if v > 1:
        y = table(5)[0]
    else:
        y = table(7)[0]
    return y


class Lazy:
    @functools.cached_property
    def table(self):
        return [3]


def makes_an_attribute_once(v):
    lazy = Lazy()
    if v > 1:
        y = v + lazy.table[0]
    else:
        y = v - lazy.table[0]
    return y


def logs(v):
    log = logging.getLogger("sluice.tests")
    if v > 1:
        log.debug("one")
        y = v
    else:
        log.info("two")
        y = 2
    return y


def reads_what_others_hold(v):
    weights = {"x": [1, 2]}
    names = iter(["a"])

    def weighted(k):
        return k * weights["x"][1]

    if v > 1:
        y = weighted(v)
    else:
        y = weighted(3)
    return y + len(list(names))


def variable_of_a_closure(v):
    n = 1

    def get():
        return n

    if v > 1:
        n = v
    return get()


def counts_in_a_closure(v):
    n = 0

    def up():
        nonlocal n
        n = n + 1

    if v > 1:
        up()
    return n


@functools.singledispatch
def dispatched(x):
    return 5


def dispatches(v):
    if v > 1:
        y = dispatched("x")
    else:
        y = 6
    return y


def of_the_branch_alone(v):
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


def plus_list_in_both(v):
    views = [v]
    if v > 1:
        views += [v + 1]
    else:
        views += [0]
    return views[1] * 10 + len(views)


def plus_list_of_a_dict(v):
    held = {"x": [1]}
    if v > 1:
        held["x"] += [v]
    else:
        held["x"] += [4]
    return held["x"][1]


def plus_list_of_an_attribute(v):
    thing = Thing()
    before = thing.items
    if v > 1:
        thing.items += [v]
    else:
        thing.items += (0,)
    return before[1]


def times_list_in_both(v):
    xs = [v]
    if v > 1:
        xs *= 3
    else:
        xs *= 3
    return xs[2]


def or_dict(v):
    held = {"x": v, "y": 1}
    before = held
    if v > 1:
        held |= {"x": 7}
    return before["x"] + held["y"]


def plus_number_in_a_loop(v):
    xs = [0]
    n = 1
    for i in range(v):
        n += i
        xs[0] += n
    return n * 10 + xs[0]


def fills_a_default_dict(v):
    held = collections.defaultdict(list)
    if v > 1:
        held["x"].append(v)
    else:
        held["x"].append(9)
    return held["x"][0] * 10 + len(held)


def adds_to_a_default_dict(v):
    held = collections.defaultdict(list)
    if v > 1:
        held["x"] += [v]
    else:
        held["x"] += [9]
    return held["x"][0]


def leaves_the_class_alone(v):
    one, other = WithDefault(), WithDefault()
    if v > 1:
        one.n = v
        if v is None:
            other.n = 5
    return one.n * 10 + len(vars(other))


FOLLOWED = [
    leaves_the_class_alone, plus_list_in_both, plus_list_of_a_dict, plus_list_of_an_attribute, times_list_in_both, or_dict,
    plus_number_in_a_loop, fills_a_default_dict, adds_to_a_default_dict, appends, makes_anew, keeps_a_cache, keeps_a_table,
    makes_an_attribute_once, logs, reads_what_others_hold, variable_of_a_closure, counts_in_a_closure, dispatches,
    of_the_branch_alone, attribute, nested, large,
]  # fmt: skip


@pytest.mark.parametrize("program", FOLLOWED, ids=lambda one: one.__name__)
def test_what_is_followed_or_harmless_is_as_in_python(program):
    (column,) = next(iter(described(program)))
    assert column.tolist() == [program(v) for v in range(4)]


class Doubles:
    def __init__(self):
        self._n, self.set = 0, 0

    @property
    def n(self):
        return self._n

    @n.setter
    def n(self, x):
        self._n = x * 2
        self.set += 1

    @property
    def through(self):
        return self.n

    @through.setter
    def through(self, x):
        self.n = x + 1


class DoublesInSlots:
    __slots__ = ("_n",)

    def __init__(self):
        self._n = 0

    n = property(lambda self: self._n + 1, lambda self, x: setattr(self, "_n", x * 2))


class Doubled:
    def __get__(self, owner, kind):
        return owner.__dict__["stored"]

    def __set__(self, owner, x):
        owner.__dict__["stored"] = x * 2


class WithDescriptor:
    n = Doubled()

    def __init__(self):
        self.__dict__["stored"] = 0


class SetsAttributes:
    def __init__(self):
        self.__dict__["n"] = 0

    def __setattr__(self, name, x):
        object.__setattr__(self, name, x * 2)


class GetsAttributes:
    def __init__(self):
        self.n = 0

    def __getattribute__(self, name):
        x = object.__getattribute__(self, name)
        return x + 1 if name == "n" else x


class Delegates:
    def __init__(self):
        self.inner = types.SimpleNamespace(n=3)

    def __getattr__(self, name):
        return getattr(self.inner, name)


def in_one_branch(make, v):
    one = make()
    if v > 1:
        one.n = v
    return one.n


def in_both_branches(make, v):
    one = make()
    if v > 1:
        one.n += 1
    else:
        one.n += v
        one.n = one.n + 2
    return one.n


def in_a_loop(make, v):
    one = make()
    for i in range(v):
        one.n = one.n + i + 1
    return one.n


def through_another(make, v):
    one = make()
    if v > 1:
        one.through = v
    return one.n * 100 + getattr(one, "set", 0)


SETTERS = [Doubles, DoublesInSlots, WithDescriptor, SetsAttributes, GetsAttributes, Delegates]
ASSIGNMENTS = [(one, kind) for one in (in_one_branch, in_both_branches, in_a_loop) for kind in SETTERS] + [(through_another, Doubles)]


@pytest.mark.parametrize("assigns, kind", ASSIGNMENTS, ids=[f"{one.__name__} {kind.__name__}" for one, kind in ASSIGNMENTS])
def test_a_setter_runs_once(assigns, kind):
    (column,) = next(iter(described(lambda v: sluice.graph_function(assigns)(kind, v))))
    assert column.tolist() == [assigns(kind, v) for v in range(4)]


class StoresElsewhere:
    def __init__(self):
        object.__setattr__(self, "_held", {"n": 0})

    def __getattr__(self, name):
        return self._held[name]

    def __setattr__(self, name, x):
        self._held[name] = x


class StoresInAList:
    n = property(lambda self: self.held[0], lambda self, x: self.held.__setitem__(0, x))

    def __init__(self):
        self.held = [0]


class StoresByAnotherFunction:
    n = property(lambda self: self._n, functools.partial(setattr))


@pytest.mark.parametrize("kind", [StoresElsewhere, StoresInAList, StoresByAnotherFunction], ids=lambda one: one.__name__)
def test_a_setter_that_cannot_be_followed_is_refused(kind):
    with pytest.raises(sluice.RewriteError, match="'one.n' is assigned (here|in this `if`).* assign a local variable here"):
        described(lambda v: sluice.graph_function(in_one_branch)(kind, v))


class WritesItsElements(list):
    def __setitem__(self, at, x):
        super().__setitem__(at, x * 2)


class WritesItsItems(dict):
    def __setitem__(self, key, x):
        super().__setitem__(key, x * 2)

    def __getitem__(self, key):
        return super().__getitem__(key) + 1


@pytest.mark.parametrize("make", [lambda: WritesItsElements([1]), lambda: WritesItsItems({0: 1})], ids=["list", "dict"])
def test_a_container_of_the_user_is_written_once(make):
    def program(v):
        one = make()
        if v > 1:
            one[0] = v
        return one[0]

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
