"""OpenChoice and Loop: a choice or loop while it is described. They merge the results of its parts.

Both use the Graph. The result of a part is a dict of structures by name; the names are those of messages. The common
structure of the branches and the types of constants are known only when the last branch has been described. So `end_branch()`
takes no results, and `close_choice(results, places)` takes those of all branches. `results[branch][i]` is a Value that the
branch sees, of one type in all branches, and `places[i]` says where it stands. Of `constant(x, like)` only the type of `like` counts, which
may be a Value of something that was forgotten.

Threads: those of the description, one. Errors: `BuildError`; the graph forgets what was open and stays usable.
"""

import dataclasses
import functools
import re
import sys
import types
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any

from ._alias import World, linked, reachable
from ._alias import merged as merge_worlds
from ._chosen import ChosenFunction, FunctionLeaf
from ._core import BuildError
from ._describing import current_graph
from ._mutations import is_library
from ._structure import Shape, assemble, difference, flatten, places_of, rebuild
from ._value import is_value


class Unset:
    """A placeholder for a name without a value after a choice or loop. Reading the name raises the error."""

    __slots__ = ("error", "unbound")

    def __init__(self, error: Exception, unbound: bool = False):
        self.error = error
        self.unbound = unbound  # it never had a value: the error is Python's own


def unbound(name: str) -> Unset:
    """Returns a placeholder for a variable that has no value yet."""
    message = f"cannot access local variable '{name}' where it is not associated with a value"
    return Unset(UnboundLocalError(message), unbound=True)


# The same, where the message is never shown.
UNBOUND = unbound("?")


def graph_of(*structures: Any):
    """Returns the Graph of the first Value in these structures; otherwise that of the current description, or None."""
    for structure in structures:
        for leaf in flatten(structure)[0]:
            if is_value(leaf):
                return leaf.graph
    return current_graph()


def is_plain_number(x: Any) -> bool:
    """True if the Graph can make a constant of x: a bool, a number or a str, of Python or NumPy."""
    return isinstance(x, (bool, int, float, str)) or (hasattr(x, "item") and getattr(x, "shape", None) == ())


def same(x: Any, y: Any) -> bool:
    """True if two plain values are interchangeable: one object, or equal immutable ones."""
    if x is y:
        return True
    if type(x) is not type(y) or type(x).__hash__ is None or is_value(x) or not is_library(type(x).__module__):
        return False
    # == is not enough: 0.0 and -0.0 are equal, and so are times in two zones. The hash of a PyTorch
    # tensor depends on the object, so two different tensors never count as the same.
    return repr(x) == repr(y) and hash(x) == hash(y) and bool(x == y)


def kind_of(x: Any) -> str:
    """Describes x for messages."""
    if is_value(x):
        return f"a Value of type {x.type}"
    if x is None:
        return "None"
    if is_plain_number(x):
        return repr(x)
    name = getattr(x, "__name__", None)
    return f"{name!r} (a {type(x).__name__})" if isinstance(name, str) else f"a {type(x).__name__}"


class _Leaf:
    """A plain value that is the same in all branches, or the merged value with this number."""

    def __init__(self, plain: Any, row: int | None = None):
        self.plain = plain
        self.row = row

    def built(self, merged: list) -> Any:
        return self.plain if self.row is None else merged[self.row]


class _Node:
    """A container that differs between the branches. It is built once, however many names it has."""

    def __init__(self, shapes: list[Shape], parts: list):
        self.shapes = shapes
        self.parts = parts
        self.new: Any = None

    def built(self, merged: list) -> Any:
        if self.new is None:
            self.new = assemble(self.shapes[0], [part.built(merged) for part in self.parts])
        return self.new


def _taken(x: Any, like: Shape | None) -> tuple[list, Shape | None]:
    try:
        return flatten(x, like, keep=True)
    except ValueError:  # it contains itself, so it cannot be rebuilt
        return [x], None


def _one(shapes: list) -> bool:
    """True if all branches return the same container."""
    return None not in shapes and all(shape.original is shapes[0].original for shape in shapes)


def _split(leaves: list, shape: Shape) -> list[tuple]:
    """Returns the leaves and the shape of each part."""
    parts, at = [], 0
    for part in shape.parts:
        size = 1 if part is None else part.size
        parts.append((leaves[at : at + size], part))
        at += size
    return parts


def _cure_of_shapes(one: Shape | None, other: Shape | None) -> str:
    if one and other and one.kind is other.kind is dict and one.keys != other.keys and set(one.keys) == set(other.keys):
        return "give the keys of both in one order"
    return "give both the same kind, lengths and keys"


def _further(shape: Shape) -> dict:
    """Returns the attributes of a dataclass that are not fields."""
    held = getattr(shape.original, "__dict__", {}) if dataclasses.is_dataclass(shape.original) else {}
    return {name: id(x) for name, x in held.items() if name not in shape.keys}


_FUNCTIONS = (types.FunctionType, types.MethodType, functools.partial)


class OpenChoice:
    """A choice: open it, begin and end each branch, then close it, which returns what the branches have in common.

    Parameters
    ----------
    graph : Graph
    name : str
        What errors, paths and statistics call it.
    branches : list of str
        The names of the branches.
    by : "truth" or "number"
        "truth": `on` is true for the first branch. "number": `on` is the number of a branch.
    on : Value
    ordered : bool
        True if dicts must have the same order of keys in all branches; otherwise the order of the first one is used.
    """

    def __init__(self, graph: Any, name: str, branches: list[str], by: str, on: Any, ordered: bool = True):
        self.graph = graph
        self.name = name
        self.by, self.on = by, on
        self.branches = branches
        self.ordered = ordered
        self.given: list[dict[str, tuple]] = []  # for each name: (leaves, shape)
        graph.aliases.require_unchanged()
        self.entry = graph.aliases.now
        self._worlds: list[World] = []
        self._attempt = ExitStack()
        self._attempt.enter_context(graph.attempt())
        try:
            graph.open_choice(name, branches, by, on)
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Makes the graph forget the choice. Call it if an exception occurs before the choice is closed."""
        kind, error, trace = sys.exc_info()
        self._attempt.__exit__(kind, error, trace)

    def begin(self) -> None:
        self.graph.begin_branch()

    def end(self, given: dict) -> None:
        """Stores the result of the branch with its present contents: the next branch may change the same containers."""
        self.graph.aliases.require_unchanged()
        self.graph.end_branch()
        likes = {} if self.ordered or not self.given else {name: shape for name, (_, shape) in self.given[0].items()}
        self.given.append({name: _taken(x, likes.get(name)) for name, x in given.items()})
        self._worlds.append(self.graph.aliases.now)
        self.graph.aliases.enter(self.entry)

    def close(self, optional: Iterable[str] = ()) -> dict:
        """Returns the merged values.

        A name is an `Unset` if a branch does not set it, or if it is in `optional` and the branches disagree.
        """
        self._rows: list[list] = []
        self._places: list[str] = []
        self._nodes: dict[tuple, _Node] = {}
        plans = {name: self._plan(name, name in optional) for name in self.given[0]}
        merged = self.graph.close_choice([list(column) for column in zip(*self._rows)] or [[] for _ in self.branches], self._places)
        self._attempt.close()
        result = {name: plan.built(merged) if isinstance(plan, (_Node, _Leaf, FunctionLeaf)) else plan for name, plan in plans.items()}
        made = [(node.new, [shape.original for shape in node.shapes]) for node in self._nodes.values()]
        self.graph.aliases.made.update((id(new), new) for new, _ in made)
        self.graph.aliases.enter(merge_worlds(made, self._worlds))
        return result

    def _plan(self, name: str, optional: bool) -> Any:
        """Plans the value of a name after the branch; returns an Unset if it has none."""
        given = [branch.get(name, ([UNBOUND], None)) for branch in self.given]
        if all(shape is None and leaves[0] is given[0][0][0] for leaves, shape in given) and not self._is_of_only_branch(given[0][0][0]):
            return _Leaf(given[0][0][0])
        lacking = [branch for branch, (leaves, shape) in zip(self.branches, given) if shape is None and isinstance(leaves[0], Unset)]
        if lacking:
            return Unset(self._not_set(name, lacking, [leaves[0] for leaves, _ in given]))
        label = name if name.startswith("the ") or not name else f"'{name}'"
        rows, nodes = len(self._rows), dict(self._nodes)
        try:
            return self._part(given, label, "")
        except BuildError as error:
            if not optional:
                raise
            del self._rows[rows:], self._places[rows:]
            self._nodes = nodes
            return Unset(error)

    def _part(self, given: list[tuple], label: str, place: str) -> Any:
        """Plans a structure from its leaves and its shape in each branch."""
        shapes = [shape for _, shape in given]
        what = label or "the result"
        for branch, shape in zip(self.branches, shapes):
            if (shape and (shape.kind, shape.keys)) != (shapes[0] and (shapes[0].kind, shapes[0].keys)) and not _one(shapes):
                raise BuildError(
                    f"{what} has one structure in '{self.branches[0]}' and another in '{branch}' of `{self.name}`: "
                    f"{difference(shapes[0], shape, place)}; {_cure_of_shapes(shapes[0], shape)}"
                )
        if shapes[0] is None:
            functions = [leaves[0] for leaves, _ in given]
            if all(isinstance(x, (*_FUNCTIONS, ChosenFunction)) for x in functions) and not all(same(functions[0], x) for x in functions):
                return self._function(functions, label)
            plain, values = self._row([leaves[0] for leaves, _ in given], f"{place} of {what}" if place else what)
            if values is None:
                return _Leaf(plain)
            self._rows.append(values)
            self._places.append(", ".join(filter(None, (label, place))))
            return _Leaf(None, len(self._rows) - 1)
        if _one(shapes) and len(shapes) > 1:
            return _Leaf(shapes[0].original)  # changes to it are merged as separate places
        key = tuple(id(shape.original) for shape in shapes)
        if key not in self._nodes:
            if any(_further(shape) != _further(shapes[0]) for shape in shapes):
                raise BuildError(
                    f"{what} has other attributes beside its fields in each branch of "
                    f"`{self.name}`; declare them as fields"
                )
            columns = [_split(leaves, shape) for leaves, shape in given]
            places = [", ".join(filter(None, (place, here))) for here in shapes[0].steps()]
            node = _Node(shapes, [self._part([*parts], label, here) for here, parts in zip(places, zip(*columns))])
            self._nodes[key] = node
        return self._nodes[key]

    def _function(self, functions: list, label: str) -> FunctionLeaf:
        """Plans a function from those of the branches."""
        chosen = ChosenFunction(self.name, self.by, self.on, functions)
        first = len(self._rows)
        for branch, one in enumerate(functions):
            for on in one.conditions() if isinstance(one, ChosenFunction) else ():
                unused = self.graph.constant(False if on.type == "bool" else 0, like=on)  # the function is not called there
                self._rows.append([on if k == branch else unused for k in range(len(functions))])
                self._places.append(f"the choice of {label}")
        return FunctionLeaf(chosen, [*range(first, len(self._rows))])

    def _is_of_only_branch(self, x: Any) -> bool:
        """True for a Value if there is one branch, which may have made it. With several, a Value that all have is from outside."""
        return len(self.branches) == 1 and is_value(x)

    def _not_set(self, name: str, lacking: list[str], given: list) -> Exception:
        errors = [one.error for one in given if isinstance(one, Unset) and not one.unbound]
        if errors:
            return errors[0]
        return BuildError(
            f"'{name}' has no value after `{self.name}`: {_listed(lacking)}; assign it in every branch, or before"
        )

    def _row(self, row: list, what: str) -> tuple:
        """Returns one leaf of all branches: a plain one if it is the same in all, else a Value for each."""
        if all(same(row[0], x) for x in row) and not self._is_of_only_branch(row[0]):
            return row[0], None
        like = next((x for x in row if is_value(x)), None)
        for branch, x in zip(self.branches, row):
            if not is_value(x) and not is_plain_number(x):
                raise self._disagree(row, what, _cure(x, what))
        if like is None:
            # If one branch has a float, the constants of all branches become floats.
            like = self.graph.constant(next((x for x in row if isinstance(x, float)), row[0]))
        values = []
        for x in row:
            try:
                values.append(x if is_value(x) else self.graph.constant(x, like=like))
            except TypeError:
                raise self._disagree(row, what, _cure_of_constants(row, like)) from None
        if any(x.type != like.type for x in values):
            values = _settled(values)
        if any(x.type != values[0].type for x in values):
            raise self._disagree(row, what, cast_cure(values))
        return None, values

    def _disagree(self, row: list, what: str, cure: str) -> BuildError:
        first = next(
            (k for k, x in enumerate(row) if is_value(x)),
            0,
        )
        other = next((k for k, x in enumerate(row) if kind_of(x) != kind_of(row[first]) and not _fits(x, row[first])), None)
        if other is None:
            other = next(k for k, x in enumerate(row) if k != first)
        one, two = sorted((first, other))
        if kind_of(row[one]) == kind_of(row[two]):
            return BuildError(
                f"{what} is {kind_of(row[one])} in '{self.branches[one]}', and another one in '{self.branches[two]}' of `{self.name}`: these "
                f"are two objects; {cure}"
            )
        return BuildError(
            f"{what} is {kind_of(row[one])} in '{self.branches[one]}', but {kind_of(row[two])} in '{self.branches[two]}' of "
            f"`{self.name}`; {cure}"
        )


def _fits(x: Any, like: Any) -> bool:
    return not is_value(x) and is_plain_number(x) and is_value(like) and not isinstance(x, (str, float))


def _listed(branches: list[str]) -> str:
    if len(branches) == 1:
        return f"the branch '{branches[0]}' does not assign it"
    return f"the branches {', '.join(repr(branch) for branch in branches)} do not assign it"


def _cure(x: Any, what: str) -> str:
    if x is None and what == "the return value":
        return "return a value on every path"
    if x is None:
        return "give a value there, too; None cannot be a value of a sample"
    if callable(x):
        return "call it in each branch, or write functions with `def`"
    return "give the same one in all branches, or make Values of it before: only numbers and texts become constants"


# Values that represent plain numbers in the state of an open loop. Their types are only assumed:
# (loop, number of the leaf).
_assumed: dict[tuple[int, int], tuple["Loop", int]] = {}


def _settled(values: list) -> list:
    """Returns the structure with a Value of the right type for each Value of an assumed type. The loop is described again."""
    firm = [x for x in values if (id(x.graph), x.slot) not in _assumed]
    if not firm or firm[0].type not in _NUMBERS:
        return values
    done = []
    for x in values:
        loop, leaf = _assumed.get((id(x.graph), x.slot), (None, 0))
        if loop is None or x.type == firm[0].type:
            done.append(x)
            continue
        loop.likes[leaf] = firm[0]
        loop.again = True
        done.append(x.graph.constant(0, like=firm[0]) if firm[0].type != "bool" else x)
    return done


def _cure_of_constants(row: list, like: Any) -> str:
    if any(is_value(x) for x in row):
        return f"give a constant that {like.type} can hold" + (", or cast the Value" if like.type in _NUMBERS else "")
    return "give constants of one type"


_NUMBERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")


def cast_cure(values: list) -> str:
    """Returns advice for Values of different types."""
    if all(x.type in _NUMBERS for x in values):
        return f"cast one of them, as in x.cast('{values[0].type}')"
    return "give values of one type"


def _containers(shape: Shape | None) -> list[Shape]:
    """Yields the shapes of a structure, in the order of `rebuild`."""
    return [] if shape is None else [*(one for part in shape.parts for one in _containers(part)), shape]


_ROUNDS = 4  # how many times a loop is described again because it assumed wrong types


class Loop:
    """A loop: open it, describe its condition and its body, then close it, which returns the final state.

    The state is a dict of structures. Plain numbers in it become constants, of the type that the body returns for them. If
    that is another type than assumed, `end` returns False, and the loop is described again. Other plain values must stay
    the same.
    """

    def __init__(self, graph: Any, name: str, max_iterations: int, init: dict, ordered: bool = True):
        self.graph = graph
        self.ordered = ordered  # as in OpenChoice
        self.name = name
        self.max_iterations = max_iterations
        self.likes: dict[int, Any] = {}  # by number of a leaf: the Value whose type a constant gets
        self.leaves, self.shape = flatten(init, keep=True)
        self.places = [re.sub("^'(the [^']*)'", r"\1", place) for place in places_of(self.shape)]
        self.rounds = 0
        self.state: dict[int, Any] = {}
        self.kept: list[str] = []  # the types of the values passed to `keep`
        self.lists: list = []  # the lists that `keep` fills
        graph.aliases.require_unchanged()
        self.entry = graph.aliases.now
        # Numbers of the state's containers that are one object after an iteration, or the same
        # object as one from outside.
        self._shared: list[tuple[int, int]] = []
        self._shared_outside: list[tuple[int, Any]] = []
        some = len(_containers(self.shape)) > 1
        self._outside = reachable(sys._getframe(1), base=graph.aliases.base) if some else set()
        self._attempt = ExitStack()

    def open(self) -> dict:
        """Opens the loop; returns the state inside an iteration. `iteration` is its number, from 0."""
        self.moving = [k for k, x in enumerate(self.leaves) if is_value(x) or is_plain_number(x)]
        begin = []
        for k in self.moving:
            x = self.leaves[k]
            try:
                begin.append(x if is_value(x) else self.graph.constant(x, like=self.likes.get(k)))
            except TypeError:
                raise BuildError(
                    f"{self.places[k]} is {kind_of(x)} before `{self.name}`, but {kind_of(self.likes[k])} after an "
                    "iteration; begin with a constant that this type can hold"
                ) from None
        self._attempt = ExitStack()
        self._attempt.enter_context(self.graph.attempt())
        try:
            self.lists = [self.graph.operator("list", type=f"list of {x}") for x in self.kept]
            state, self.iteration = self.graph.open_loop(self.name, self.max_iterations, begin)
        except BaseException:
            self.abandon()
            raise
        self.state = dict(zip(self.moving, state))
        self.again = False
        if self.rounds < _ROUNDS:
            for k, x in self.state.items():
                if not is_value(self.leaves[k]):
                    _assumed[id(self.graph), x.slot] = self, k
        made: list[tuple] = []
        state = self._rebuilt(self.state, made)
        world = merge_worlds([(new, [old]) for new, old in made], [self.entry])
        self._state = [new for new, _ in made]
        self._world = linked(world, [(self._state[k], self._state[other]) for k, other in self._shared])
        self._world = linked(self._world, [(self._state[k], x) for k, x in self._shared_outside])
        self.graph.aliases.enter(self._world)
        return state

    def _forget_types(self) -> None:
        for x in self.state.values():
            _assumed.pop((id(self.graph), x.slot), None)

    def abandon(self) -> None:
        """Removes the loop from the graph."""
        self._forget_types()
        kind, error, trace = sys.exc_info()
        self._attempt.__exit__(kind, error, trace)

    def keep(self, values: list) -> None:
        """Appends one value to each of `lists`. Call it once in a body, before `end`.

        The lists are made before the loop, but their types are known only here. So the loop is described again.
        """
        types = [x.type for x in values]
        if types == self.kept:
            for one, x in zip(self.lists, values):
                self.graph.operator("append", one, x)
        elif self.rounds > _ROUNDS:
            raise BuildError(f"each time `{self.name}` is described, its body gives values of other types to keep; give the same")
        else:
            self.kept = types
            self.again = True

    def end(self, given: dict) -> bool:
        """Ends the body with the next state. Returns False if the loop must be described again, from `open` on."""
        self._forget_types()
        self.graph.aliases.require_unchanged()
        leaves, shape = flatten(given, None if self.ordered else self.shape, keep=True)
        found = difference(self.shape, shape)
        if found is not None:
            found = re.sub("'(the [^']*)'", r"\1", found)
            raise BuildError(
                f"the state of `{self.name}` has another structure after an iteration than before: {found}; a list keeps its "
                "length there, and a dict its keys; a list is collected by `[... for i in range(n)]`"
            )
        self._following = [part.original for part in _containers(shape)[:-1]]
        shared = self._find_shared()
        following, again = [], self.again
        for k, (x, begin) in enumerate(zip(leaves, self.leaves)):
            if k not in self.state:
                if not same(x, begin):
                    raise self._changed(k, begin, x)
                continue
            state = self.state[k]
            if is_value(x) and x.type != state.type and not is_value(begin) and self.rounds < _ROUNDS:
                self.likes[k] = x
                again = True
            elif is_value(x) and x.type != state.type:
                outer, leaf = _assumed.get((id(self.graph), getattr(begin, "slot", -1)), (None, 0))
                if outer is None or x.type not in _NUMBERS[1:]:
                    raise self._changed(k, state, x)
                # A loop around this one assumed the type and is described again. Until then any
                # number will do.
                outer.likes[leaf] = self.likes[k] = x
                outer.again = again = True
                self.leaves[k] = 0
            elif not is_value(x):
                try:
                    x = self.graph.constant(x, like=state)
                except TypeError:
                    raise self._changed(k, state, x) from None
            following.append(x)
        if again or shared:
            self.rounds += again
            forget = BuildError("described again")
            self._attempt.__exit__(BuildError, forget, None)
            return False
        self.graph.end_body(following, [self.places[k] for k in self.moving])
        return True

    def close(self) -> dict:
        """Returns the state after the loop."""
        results = self.graph.close_loop()
        self._attempt.close()
        made: list[tuple] = []
        result = self._rebuilt(dict(zip(self.moving, results)), made)
        olds = zip(made, self._following)
        world = merge_worlds([(new, [old, following]) for (new, old), following in olds], [self.entry, self.graph.aliases.now])
        self.graph.aliases.enter(world)
        return result

    def _rebuilt(self, moving: dict, made: list[tuple]) -> dict:
        result = rebuild(self.shape, [moving.get(k, x) for k, x in enumerate(self.leaves)], made)
        made.pop()  # the dict of the names itself
        self.graph.aliases.made.update((id(new), new) for new, _ in made)
        return result

    def _find_shared(self) -> bool:
        """True if an iteration shows new pairs: two containers of the state, or one and one from outside, are one object."""
        known = len(self._shared), len(self._shared_outside)
        numbers: dict[int, list[int]] = {}
        for k, x in enumerate(self._following):
            numbers.setdefault(id(x), []).append(k)
        for k, x in enumerate(self._following):
            assumed = {id(one) for one in (self._state[k], *self._world.beside(self._state[k]))}
            for other in (x, *self.graph.aliases.now.beside(x)):
                numbered = numbers.get(id(other), ())
                self._shared += [(k, one) for one in numbered if one < k and id(self._state[one]) not in assumed]
                if id(other) in self._outside - assumed:
                    self._shared_outside.append((k, other))
        return known != (len(self._shared), len(self._shared_outside))

    def _changed(self, k: int, before: Any, after: Any) -> BuildError:
        cure = cast_cure([before, after]) if is_value(before) and is_value(after) else _cure_of_loop(before, after)
        if kind_of(before) == kind_of(after):
            return BuildError(
                f"{self.places[k]} is {kind_of(before)} before an iteration of `{self.name}`, and another one after it: these are two "
                f"objects; {cure}"
            )
        return BuildError(
            f"{self.places[k]} is {kind_of(before)} before an iteration of `{self.name}`, but {kind_of(after)} after it; {cure}"
        )


def _cure_of_loop(before: Any, after: Any) -> str:
    if before is None or after is None:
        return "begin with a value of that type; None cannot be a value of a sample"
    return "keep one type; what is neither a number nor a text must stay what it is"
