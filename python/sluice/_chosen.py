"""Functions that differ between the branches of a choice. A call of one is a choice between calls.

Threads: those of the description.
"""

import functools
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ._core import BuildError
from ._describing import graphs
from ._mutations import content_of


class ChosenFunction:
    """A function that differs between the branches of a choice: each call is a choice of the same samples."""

    def __init__(self, name: str, by: str, on: Any, functions: list):
        self.__name__ = getattr(functions[0], "__name__", "function")
        self._choice = name, by, on
        self._functions = functions

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.each(lambda one: one(*args, **kwargs))

    def each(self, call: Callable[[Any], Any]) -> Any:
        """Records a choice with `call(function)` as the branch of each function. Returns the merged result."""
        from ._control import if_else, select

        name, by, on = self._choice
        if on.graph not in graphs():
            raise BuildError(f"{self} is called outside of the description of its pipeline; {_CURE}")
        calls = [functools.partial(call, one) for one in self._functions]
        called = f"{self.__name__} of {name}"
        return if_else(on, *calls, name=called) if by == "truth" else select(on, calls, name=called)

    def conditions(self) -> list:
        """Returns the Values that decide: its own, and those of chosen functions in it."""
        inner = [one.conditions() for one in self._functions if isinstance(one, ChosenFunction)]
        return [self._choice[2], *(on for listed in inner for on in listed)]

    def decided_by(self, conditions: Iterator) -> "ChosenFunction":
        """Returns the same function, decided by other Values: as many as `conditions()` lists, taken one by one."""
        name, by, _ = self._choice
        on = next(conditions)
        return ChosenFunction(name, by, on, [one.decided_by(conditions) if isinstance(one, ChosenFunction) else one for one in self._functions])

    def __str__(self) -> str:
        names = [repr(getattr(one, "__name__", "function")) for one in self._functions]
        return f"one of the functions {', '.join(names[:-1])} and {names[-1]}, which `{self._choice[0]}` chooses for each sample,"


class FunctionLeaf:
    """A function that differs between branches, where a branch may itself hold a `ChosenFunction`.

    `rows` are the numbers of the merged values that replace the conditions of those inner functions.
    """

    def __init__(self, function: ChosenFunction, rows: list[int]):
        self.function, self.rows = function, rows

    def built(self, merged: list) -> Any:
        own = self.function.conditions()[0]
        return self.function.decided_by(iter([own, *(merged[row] for row in self.rows)]))


_CURE = "pass the chosen function itself to sluice.map, or call sluice.map in each branch"


def require_none_chosen(user: str, function: Any, arguments: Iterable[Any]) -> None:
    """Raises BuildError if a function that runs for each sample could call a chosen function, which only a description can call."""
    held, seen = [*arguments, *_held_by(function)], {id(function)}
    for one in held:
        if isinstance(one, ChosenFunction):
            raise BuildError(f"{user}: {one} is used by its function; {_CURE}")
        if id(one) not in seen:
            seen.add(id(one))
            held += _held_by(one)


def _held_by(function: Any) -> list:
    """Returns what a function holds beside its globals; nothing for other objects."""
    if isinstance(function, functools.partial):
        return [function.func, *function.args, *function.keywords.values()]
    if isinstance(function, types.MethodType):
        return [function.__func__, *getattr(function.__self__, "__dict__", {}).values()]
    if isinstance(function, types.FunctionType):
        cells = [content_of(cell) for cell in function.__closure__ or ()]
        return [*cells, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    return []
