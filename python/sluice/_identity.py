"""Questions about a sample that Python would answer about the Value itself: `x is True`, `isinstance(x, int)`.

Each function takes `error`, which makes an error of a message. If all samples have the same answer, the function returns it.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable
from typing import Any

from ._merge import kind_of
from ._structure import flatten
from ._value import Value, class_of

_Error = Callable[[str], BaseException]


def is_instance(error: _Error, x: Any, kinds: Any) -> bool:
    """Returns isinstance(x, kinds). For a Value, the result for the samples; an error if they may differ."""
    if not isinstance(x, Value):
        return builtins.isinstance(x, kinds)
    if isinstance(kinds, tuple):
        return any(is_instance(error, x, kind) for kind in kinds)
    if isinstance(kinds, types.UnionType):
        return any(is_instance(error, x, kind) for kind in kinds.__args__)
    if isinstance(kinds, type) and kinds in Value.__mro__:
        return True
    own = class_of(x)
    if own is None:
        raise error(f"isinstance() of {kind_of(x)}: the answer may differ between samples; ask in a function of sluice.map")
    found = issubclass(own, kinds)
    if found and own in (list, tuple):
        raise error(
            f"isinstance() of {kind_of(x)}: a sample has a {own.__name__} there, the description one Value for all; ask "
            "`isinstance(x, sluice.Value)` first"
        )
    return found


def is_same(error: _Error, x: Any, y: Any) -> Any:
    """x is y; a Value if the samples may differ."""
    if x is y:
        return True
    if isinstance(y, Value):
        x, y = y, x
    if not isinstance(x, Value):
        if (x is Value or y is Value) and isinstance(x, type) and isinstance(y, type):
            raise _of_class(error)
        return False
    if x.type == "object":
        raise error(f"`is` with {kind_of(x)}: the answer may differ between samples; ask in a function of sluice.map")
    if isinstance(y, Value):
        if x.type == y.type == "bool":
            return x == y
        raise error(f"`is` with two Values, of type {x.type} and of type {y.type}: write `==`, which each sample answers")
    if isinstance(y, bool):
        return (x if y else x.graph.operator("not", x)) if x.type == "bool" else False
    if class_of(x) in (int, float, str, bytes) and type(y) in (int, float, str, bytes):
        raise error(f"`is` with {kind_of(x)} and {y!r}: write `==`, which each sample answers")
    return False


def _of_class(error: _Error) -> BaseException:
    return error("type() of a Value is sluice.Value, not what a sample has; ask `isinstance(x, int)`, or compare `x.type`, "
                 "such as 'i64' or 'i32'")


def require_no_class(error: _Error, kind: Any) -> Any:
    """Raises an error if the class Value is compared."""
    if kind is Value:
        raise _of_class(error)
    return kind


def require_no_text(error: _Error, x: Any) -> Any:
    """Raises an error if a Value would become part of a text."""
    found = next((leaf for leaf in flatten(x)[0] if isinstance(leaf, Value)), None)
    if found is not None:
        raise error(f"the text of {kind_of(found)}: there is no sample yet; make the text in a function of sluice.map")
    return x


def text_of(error: _Error, *args: Any, **kwargs: Any) -> str:
    """str(x)"""
    if args and isinstance(args[0], Value):
        require_no_text(error, args[0])
    return str(*args, **kwargs)
