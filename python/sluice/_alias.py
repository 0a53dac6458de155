"""Aliases: containers that are one object for some samples and two objects for others.

After `if t: ys = xs` the description has two lists: `xs`, and the one that `ys` got. For the samples of one branch Python has a
single list. Reading either list is correct. Changing one in place is not, because the other would miss the change. So Aliases
remembers such pairs when branches and loops merge, and forgets pairs that the function can no longer reach. A change of a
remaining pair raises RewriteError.

Threads: that of the description. Errors: RewriteError, which names the line of the change.
"""

import gc
import sys
import types
from collections.abc import Iterable
from typing import Any

from ._describing import RewriteError, refuse
from ._mutations import is_array, is_library, package_of
from ._names import ITERATED, RESULT
from ._structure import parts_of


class World:
    """Pairs of containers that may be one object. It is immutable, and keeps the containers alive."""

    __slots__ = ("objects", "pairs")

    def __init__(self, pairs: dict[int, frozenset[int]], objects: dict[int, Any]):
        self.pairs = pairs  # for each id: the ids of the containers that may be the same object
        self.objects = objects

    def beside(self, x: Any) -> list:
        """Returns the containers that may be the same object as x."""
        return [self.objects[one] for one in self.pairs.get(id(x), ())]


_EMPTY = World({}, {})


def merged(made: list[tuple[Any, list]], worlds: list[World]) -> World:
    """Returns the world after a merge: `made` lists each new container and, for each world, the container that it replaces."""
    links: list[tuple[Any, Any]] = []
    for k, world in enumerate(worlds):
        links += [(world.objects[one], world.objects[other]) for one, others in world.pairs.items() for other in others]
        standing: dict[int, list] = {}
        for new, olds in made:
            standing.setdefault(id(olds[k]), []).append(new)
        for new, olds in made:
            for old in (olds[k], *world.beside(olds[k])):
                links += [(new, other) for other in (old, *standing.get(id(old), ()))]
    return linked(_EMPTY, links)


def linked(world: World, links: Iterable[tuple[Any, Any]]) -> World:
    """Returns a world with these pairs added."""
    pairs = {one: set(others) for one, others in world.pairs.items()}
    objects = dict(world.objects)
    for x, y in links:
        if x is not y:
            pairs.setdefault(id(x), set()).add(id(y))
            pairs.setdefault(id(y), set()).add(id(x))
            objects[id(x)], objects[id(y)] = x, y
    return World({one: frozenset(others) for one, others in pairs.items()}, objects)


class Aliases:
    """The pairs of one description. `at` is the file and the line of the statement that runs."""

    def __init__(self) -> None:
        self.base: types.FrameType | None = None  # the frame that runs the description
        self.at: tuple[str, int] = ("the description", 0)
        self.now = _EMPTY
        self.made: dict[int, Any] = {}  # the containers that merges made, by id; each sample has its own object
        self.inherited: list[tuple[type, str, Any]] = []  # attributes of classes that only some samples' objects have
        self._contents: dict[int, tuple] = {}

    def enter(self, world: World) -> None:
        """Makes this the current world, and stores the present contents of its containers."""
        self.now = world
        self._contents = {one: parts_of(x) for one, x in world.objects.items()}

    def clear(self) -> None:
        self.enter(_EMPTY)
        self.made.clear()
        self.inherited.clear()
        self.base = None

    def require_unchanged(self) -> None:
        """Raises RewriteError if the contents of a container of a pair have changed, or an inherited attribute."""
        for kind, attribute, before in self.inherited:
            if getattr(kind, attribute, None) is not before:
                raise refuse(
                    RewriteError(
                        *self.at,
                        f"this changes {kind.__name__}.{attribute}, which an object inherits for some samples only, because a branch or a "
                        f"loop may assign its own '{attribute}'; assign that in the __init__ of {kind.__name__}",
                    )
                )
        for one, x in self.now.objects.items():
            if _differ(x, parts_of(x), self._contents[one]):
                raise self._error(type(x).__name__)

    def forget_unreachable(self, frame: types.FrameType, dead: Iterable[str]) -> None:
        """Drops pairs unless the function can reach both containers. Nothing reads the frame's variables `dead` any more."""
        if not self.now.pairs:
            return
        found = reachable(frame, dead, self.base)
        links = [(self.now.objects[one], self.now.objects[two]) for one, others in self.now.pairs.items() for two in others]
        self.enter(linked(_EMPTY, [(x, y) for x, y in links if id(x) in found and id(y) in found]))

    def may_be_one(self, x: Any, y: Any) -> bool:
        """True if these are one object for some samples and two for others."""
        return id(y) in self.now.pairs.get(id(x), ())

    def _error(self, kind: str) -> BaseException:
        return refuse(
            RewriteError(
                *self.at,
                f"this changes a {kind} that has two names: for some samples both name one {kind}, for others they name two, because "
                f"a branch or a loop assigned one of them, so that the change cannot be followed; copy the {kind} where it "
                "gets its second name",
            )
        )


def _differ(x: Any, now: tuple, before: tuple) -> bool:
    """True if the contents of x have changed; those of a list or tuple have numbers as keys."""
    columns = [1] if isinstance(x, (list, tuple)) else [0, 1]
    return len(now[0]) != len(before[0]) or any(one is not other for k in columns for one, other in zip(now[k], before[k]))


_OPAQUE = (
    types.CodeType, types.FrameType, types.TracebackType, str, bytes, int, float, complex, type(None), range,
)  # fmt: skip


def _variables(globals_: dict[str, Any]) -> list:
    """Returns the variables of a module, without those of Python's import system."""
    return [x for name, x in globals_.items() if not (name.startswith("__") and name.endswith("__"))]


def reachable(
    frame: types.FrameType, dead: Iterable[str] = (), base: types.FrameType | None = None, more: Iterable[Any] = ()
) -> set[int]:
    """The ids of all objects that functions can reach. It starts at the variables of the frame without `dead`, those of its callers
    up to `base`, globals, and `more`. Installed packages are left out, unless one of the frames belongs to them."""
    rest: list[Any] = [*more]
    packages: set[str] = set()
    now: types.FrameType | None = frame
    while now is not None and now is not base:
        module = now.f_globals.get("__name__")
        if package_of(module) != "sluice":
            for name, x in now.f_locals.items():
                own = name.startswith("_sluice_")
                if name.startswith((RESULT, ITERATED)) if own else now is not frame or name not in dead:
                    rest.append(x)
            if package_of(module) not in sys.stdlib_module_names:
                packages.add(package_of(module))
                rest += _variables(now.f_globals)
        now = now.f_back

    def of_user(module: Any) -> bool:
        return package_of(module) in packages or not is_library(module)

    seen: set[int] = set()
    while rest:
        x = rest.pop()
        if id(x) in seen or isinstance(x, _OPAQUE):
            continue
        seen.add(id(x))
        if isinstance(x, types.FunctionType):
            rest += [x.__closure__, x.__defaults__, x.__kwdefaults__, x.__dict__]
            if of_user(x.__module__) and id(x.__globals__) not in seen:
                seen.add(id(x.__globals__))
                rest += _variables(x.__globals__)
        elif isinstance(x, types.ModuleType):
            if of_user(x.__name__) and id(vars(x)) not in seen:
                seen.add(id(vars(x)))
                rest += _variables(vars(x))
        elif isinstance(x, type):
            if of_user(x.__module__):
                rest += vars(x).values()
        elif package_of(type(x).__module__) == "sluice":
            continue
        elif is_array(x) and x.dtype.hasobject:
            rest += x.ravel().tolist()
        else:
            rest += gc.get_referents(x)
    return seen
