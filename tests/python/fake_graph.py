"""A Graph for tests: it records what is described, and runs it for one sample as a plain interpreter."""

import contextlib
import linecache
import operator
import sys
import threading
import types

try:
    from sluice._value import Value
except ImportError:  # the parts under test are tried alone

    class Value:
        def __init__(self, graph, slot):
            self.graph, self.slot, self.type = graph, slot, graph.core.type_of(slot)

        def __repr__(self):
            return f"<Value {self.slot} of type {self.type}>"

        def __bool__(self):
            raise TypeError("a Value is no bool; mark the function with @sluice.graph_function")

        def __iter__(self):
            raise TypeError("a Value cannot be gone through")

        def __len__(self):
            raise TypeError("a Value has no length")

        def cast(self, to):
            return self.graph.operator("cast", x=self, to=to)

        def __neg__(self):
            return self.graph.operator("negate", x=self)

        __hash__ = object.__hash__

    def _binary(name, swapped=False):
        def call(self, other):
            if not isinstance(other, (Value, bool, int, float)):
                return NotImplemented
            x, y = (other, self) if swapped else (self, other)
            return self.graph.operator(name, x=x, y=y)

        return call

    for _name, _operator in [
        ("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "quotient"),
        ("floordiv", "floor_divide"), ("mod", "modulo"),
    ]:  # fmt: skip
        setattr(Value, f"__{_name}__", _binary(_operator))
        setattr(Value, f"__r{_name}__", _binary(_operator, True))
    for _name, _operator in [
        ("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"), ("eq", "equal"), ("ne", "not_equal"),
    ]:  # fmt: skip
        setattr(Value, f"__{_name}__", _binary(_operator))

    sys.modules["sluice._value"] = types.ModuleType("sluice._value")
    sys.modules["sluice._value"].Value = Value
    sys.modules["sluice._value"].is_value = lambda x: isinstance(x, Value)

from sluice._alias import Aliases

_local = threading.local()

try:
    from sluice import _graph
except ImportError:
    _graph = types.ModuleType("sluice._graph")
    sys.modules["sluice._graph"] = _graph
    _graph.current_graph = lambda: getattr(_local, "graph", None)


def _cut(x, y):
    if y == 0:
        raise ZeroDivisionError("division by zero")
    return x / y if isinstance(x, float) or isinstance(y, float) else int(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1))


_RUN = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "quotient": operator.truediv,
    "floor_divide": operator.floordiv, "modulo": operator.mod, "divide": _cut, "remainder": lambda x, y: x - _cut(x, y) * y,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne, "negate": operator.neg, "not": operator.not_,
    "cast": lambda x, to: {"b": bool, "f": float}.get(to[0], int)(x),
}  # fmt: skip
_TRUTHS = ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "not")
_RANK = ("bool", "i64", "f32", "f64")


def _type_of(x):
    if type(x) not in (bool, int, float, str):
        raise TypeError(f"{x!r} is no constant")
    return {bool: "bool", int: "i64", float: "f32", str: "text"}[type(x)]


class Stop(Exception):
    """A loop that goes round too often."""


class Block:
    def __init__(self, parent):
        self.parent = parent
        self.nodes = []

    def sees(self, other):
        return self is other or (self.parent is not None and self.parent.sees(other))


class Graph:
    """`calls` lists the names of all calls; `inputs` are the values that a run is given."""

    def __init__(self):
        self.core = self
        self.calls = []
        self.types = []
        self.blocks = []
        self.top = Block(None)
        self.now = [self.top]
        self.open = []
        self.inputs = []
        self.names = {}
        self.refused = None
        self.aliases = Aliases()

    # Values.
    def type_of(self, slot):
        return self.types[slot]

    def name_of(self, slot):
        return f"value {slot}"

    def value(self, type_, block=None):
        self.types.append(type_)
        self.blocks.append(block or self.now[-1])
        return Value(self, len(self.types) - 1)

    def input(self, type_="i64"):
        self.inputs.append(self.value(type_))
        return self.inputs[-1]

    def require(self, value, block=None):
        assert isinstance(value, Value) and value.graph is self, f"not a value of this graph: {value!r}"
        if not (block or self.now[-1]).sees(self.blocks[value.slot]):
            raise ValueError(f"{value!r} is used outside of where it exists")
        return value.slot

    def constant(self, x, like=None):
        type_ = _type_of(x)
        if like is not None and like.type != type_:
            if like.type not in ("f32", "f64", "i32") or type_ != "i64":
                raise TypeError(f"{x!r} is not of type {like.type}")
            type_ = like.type
        x = float(x) if type_[0] == "f" else x
        result = self.value(type_)
        self.calls.append("constant")
        self.now[-1].nodes.append(("constant", result.slot, x))
        return result

    def operator(self, name, *args, **kwargs):
        given = [*args, *kwargs.values()]
        self.calls.append(name)
        slots = [self.require(x) if isinstance(x, Value) else None for x in given]
        if name in _TRUTHS:
            type_ = "bool"
        elif name == "cast":
            type_ = given[1]
        else:
            types_ = [x.type if isinstance(x, Value) else None for x in given]
            known = [one for one in types_ if one in _RANK]
            type_ = max(known, key=_RANK.index) if known else (types_[0] or "i64")
            type_ = "i64" if type_ == "bool" and name in ("add", "subtract", "multiply") else type_
            if type_ == "i64" and any(isinstance(x, float) for x in given):
                type_ = "f32"
        result = self.value(type_)
        self.now[-1].nodes.append(("step", result.slot, name, [(s, x) for s, x in zip(slots, given)]))
        return result

    # Control flow.
    @contextlib.contextmanager
    def attempt(self):
        depth, blocks = len(self.open), len(self.now)
        try:
            yield
        finally:
            del self.open[depth:]
            del self.now[blocks:]

    def _unique(self, name):
        self.names[name] = self.names.get(name, 0) + 1
        return name if self.names[name] == 1 else f"{name}#{self.names[name]}"

    def open_choice(self, name, branch_names, by, on):
        self.calls.append(f"open {name} {branch_names} by {by}")
        self.open.append({"name": self._unique(name), "by": by, "on": self.require(on), "branches": [], "names": branch_names})

    def begin_branch(self):
        self.now.append(Block(self.now[-1]))

    def end_branch(self):
        self.open[-1]["branches"].append(self.now.pop())

    def close_choice(self, results, places):
        choice = self.open.pop()
        assert len(results) == len(choice["branches"]) == len(choice["names"])
        assert all(len(row) == len(places) for row in results), (results, places)
        for branch, row in zip(choice["branches"], results):
            branch.results = [self.require(x, branch) for x in row]
        merged = []
        for column in zip(*results):
            assert len({x.type for x in column}) == 1, column
            merged.append(self.value(column[0].type))
        choice["merged"] = [x.slot for x in merged]
        self.calls.append(f"close {choice['name']}")
        self.now[-1].nodes.append(("choice", choice))
        return merged

    def open_loop(self, name, max_iterations, init):
        self.calls.append(f"open {name}")
        outer = Block(self.now[-1])
        loop = {"name": self._unique(name), "most": max_iterations, "init": [self.require(x) for x in init], "outer": outer}
        state = [self.value(x.type, outer) for x in init]
        iteration = self.value("i64", outer)
        loop |= {"state": [x.slot for x in state], "iteration": iteration.slot}
        self.open.append(loop)
        return state, iteration

    def begin_condition(self):
        self.now.append(Block(self.open[-1]["outer"]))

    def end_condition(self, holds):
        assert holds.type == "bool", holds
        self.open[-1]["holds"] = self.require(holds)
        self.open[-1]["condition"] = self.now.pop()

    def begin_body(self):
        self.now.append(Block(self.open[-1]["outer"]))

    def end_body(self, next, places):
        loop = self.open[-1]
        assert len(next) == len(loop["state"]) == len(places)
        assert [x.type for x in next] == [self.types[s] for s in loop["state"]]
        loop["next"] = [self.require(x) for x in next]
        loop["body"] = self.now.pop()

    def close_loop(self):
        loop = self.open.pop()
        results = [self.value(self.types[slot]) for slot in loop["state"]]
        loop["results"] = [x.slot for x in results]
        self.calls.append(f"close {loop['name']}")
        self.now[-1].nodes.append(("loop", loop))
        return results

    # Running.
    def run(self, result, *inputs):
        """What a structure of values and plain values is for a sample with these inputs. `taken` lists the branches."""
        self.taken = []
        memory = {value.slot: x for value, x in zip(self.inputs, inputs, strict=True)}
        assert not self.open and self.now == [self.top], "something is still open"
        self._block(self.top, memory)

        def read(x):
            if isinstance(x, Value):
                self.require(x, self.top)
                return memory[x.slot]
            if isinstance(x, (tuple, list)):
                return type(x)(map(read, x))
            return {key: read(one) for key, one in x.items()} if isinstance(x, dict) else x

        return read(result)

    def _block(self, block, memory):
        for kind, *node in block.nodes:
            getattr(self, "_" + kind)(memory, *node)

    def _constant(self, memory, slot, x):
        memory[slot] = x

    def _step(self, memory, slot, name, given):
        memory[slot] = _RUN[name](*(x if s is None else memory[s] for s, x in given))

    def _choice(self, memory, choice):
        on = memory[choice["on"]]
        number = on if choice["by"] == "number" else 0 if on else 1
        if not 0 <= number < len(choice["branches"]):
            raise IndexError(f"the index is {number}")
        self.taken.append(f"{choice['name']}:{choice['names'][number]}")
        branch = choice["branches"][number]
        self._block(branch, memory)
        memory.update(zip(choice["merged"], [memory[slot] for slot in branch.results]))

    def _loop(self, memory, loop):
        state, number = [memory[slot] for slot in loop["init"]], 0
        while True:
            memory.update(zip(loop["state"], state))
            memory[loop["iteration"]] = number
            self._block(loop["condition"], memory)
            if not memory[loop["holds"]]:
                break
            if number == loop["most"] or number > 10_000:
                raise Stop(loop["name"])
            self._block(loop["body"], memory)
            state, number = [memory[slot] for slot in loop["next"]], number + 1
        self.taken.append(f"{loop['name']}:{number}")
        memory.update(zip(loop["results"], state))


@contextlib.contextmanager
def _describing(graph):
    """Makes the graph the current one of this thread."""
    _local.graph = graph
    try:
        yield graph
    finally:
        _local.graph = None


describing = getattr(_graph, "describing", _describing)


def function_of(source, name="program", file="program"):
    """The function that this source defines, with the source at hand as if it stood in a file."""
    filename = f"{file}.py"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope = {}
    exec(compile(source, filename, "exec"), scope)
    return scope[name]
