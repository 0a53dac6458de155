"""Structures of values: the results of the branches of a choice and of the body of a loop.

A structure is a tuple, a list, a dict, a named tuple or a dataclass of structures. Everything else is a leaf. ``flatten``
takes a structure apart into its leaves and a ``Shape``, ``rebuild`` puts leaves together again. Both leave the original
as it is. A structure that contains itself is a ``ValueError``.
"""

import copy
import dataclasses
from typing import Any, Iterator


class Shape:
    """A structure without its leaves. The shape of a leaf is None."""

    __slots__ = ("kind", "keys", "parts", "original", "size")

    def __init__(self, kind: type, keys: tuple, parts: list["Shape | None"], original: Any = None):
        self.kind = kind
        self.keys = keys  # indices, field names, or keys of a dict
        self.parts = parts
        self.original = original  # the flattened structure; only for dataclasses, or if `flatten` was called with keep
        self.size = sum(1 if part is None else part.size for part in parts)  # the number of leaves

    def steps(self) -> list[str]:
        """Returns the place of each part, in words."""
        return [f"element {key}" if self.kind in (tuple, list) else repr(key) for key in self.keys]

    def places(self) -> list[str]:
        """Returns the place of each leaf, in words: ``element 1``, ``'image'``, ``'boxes', element 0``."""
        places = []
        for here, part in zip(self.steps(), self.parts):
            places += [here] if part is None else [f"{here}, {place}" for place in part.places()]
        return places

    def __str__(self) -> str:
        if self.kind in (tuple, list):
            return f"a {self.kind.__name__} of {len(self.keys)}"
        if self.kind is dict:
            keys = ", ".join(map(repr, self.keys)) or "no keys"
            return f"a dict with {('', 'the key ')[len(self.keys)] if len(self.keys) < 2 else 'the keys '}{keys}"
        return f"a {self.kind.__name__}"


def parts_of(value: Any) -> tuple[tuple, list] | None:
    """Returns the keys and the parts of a structure; None for a leaf."""
    kind = type(value)
    if kind is tuple or kind is list:
        return tuple(range(len(value))), list(value)
    if kind is dict:
        return tuple(value), list(value.values())
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return kind._fields, list(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = tuple(field.name for field in dataclasses.fields(value) if hasattr(value, field.name))
        return names, [getattr(value, name) for name in names]
    return None


def flatten(value: Any, like: Shape | None = None, keep: bool = False) -> tuple[list, Shape | None]:
    """Returns the leaves of a structure, in order, and its shape. With ``keep``, the shape keeps the structure.

    The order of a dict's keys is its own. With ``like``, a dict of the same keys takes the order that they have there.
    """
    leaves: list = []
    return leaves, _visit(value, like, keep, leaves, set())


# A function that calls itself from a closure would hold the leaves until the garbage collector runs.
def _visit(value: Any, like: Shape | None, keep: bool, leaves: list, around: set[int]) -> Shape | None:
    found = parts_of(value)
    if found is None:
        leaves.append(value)
        return None
    if id(value) in around:
        raise ValueError(f"a {type(value).__name__} contains itself; give a structure that ends")
    around.add(id(value))
    keys, parts = found
    same = like is not None and like.kind is type(value) and len(like.keys) == len(keys)
    if same and type(value) is dict and all(key in value for key in like.keys):
        keys, parts = like.keys, [value[key] for key in like.keys]
    likes = like.parts if same and like.keys == keys else [None] * len(keys)
    kept = value if keep or dataclasses.is_dataclass(value) else None
    shape = Shape(type(value), keys, [_visit(part, one, keep, leaves, around) for part, one in zip(parts, likes)], kept)
    around.remove(id(value))
    return shape


def rebuild(shape: Shape | None, leaves: list, made: list | None = None) -> Any:
    """Returns the structure of this shape with these leaves. `made` gets each new container and the original one."""
    return _build(shape, iter(leaves), made)


def _build(shape: Shape | None, rest: Iterator, made: list | None) -> Any:
    if shape is None:
        return next(rest)
    result = assemble(shape, [_build(part, rest, made) for part in shape.parts])
    if made is not None:
        made.append((result, shape.original))
    return result


def assemble(shape: Shape, parts: list) -> Any:
    """Returns a container of this shape with these parts."""
    if shape.kind is tuple or shape.kind is list:
        return shape.kind(parts)
    if shape.kind is dict:
        return dict(zip(shape.keys, parts))
    if issubclass(shape.kind, tuple):
        return shape.kind(*parts)
    result = copy.copy(shape.original)
    for key, part in zip(shape.keys, parts):
        object.__setattr__(result, key, part)  # a frozen dataclass only allows this
    return result


def places_of(shape: Shape | None) -> list[str]:
    """Returns the place of each leaf; "" if there is only one value."""
    return [""] if shape is None else shape.places()


def difference(one: Shape | None, other: Shape | None, place: str = "") -> str | None:
    """Describes the first difference of two shapes: its place, and both sides. Returns None if they are equal."""
    where = f"at {place}, " if place else ""
    if one is None and other is None:
        return None
    if one is None or other is None or one.kind is not other.kind or one.keys != other.keys:
        return f"{where}{_named(one)} against {_named(other)}"
    for here, mine, theirs in zip(one.steps(), one.parts, other.parts):
        found = difference(mine, theirs, f"{place}, {here}" if place else here)
        if found is not None:
            return found
    return None


def _named(shape: Shape | None) -> str:
    return "one value" if shape is None else str(shape)
