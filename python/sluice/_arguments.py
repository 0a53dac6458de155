"""Checks the arguments of the package's functions. The messages name the function and the argument."""

from __future__ import annotations

import difflib
import functools
import inspect
import operator
import sys
import types
import typing
from collections.abc import Iterable
from typing import Any, Callable, TypeVar, cast

from . import _core, _peers
from ._value import Value, is_bool, is_number

_F = TypeVar("_F", bound=Callable[..., Any])
_KINDS = {int: "a whole number", float: "a number", bool: "True or False", str: "a str", bytes: "bytes, or anything with a buffer"}


def short(x: Any) -> str:
    """Returns x for a message: the first elements of a long list, or the beginning of a long text."""
    most, few = 8, 4
    if type(x) in (list, tuple) and len(x) > most:
        return f"[{', '.join(_cut(repr(one), 40) for one in x[:few])}, ...] ({len(x)} elements)"
    return _cut(repr(x), 200)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}..."


def near(name: str, names: Iterable[str]) -> str:
    """Suggests up to three names that are similar, to add to a message; "" if no name is similar."""
    asked = name.lower().strip("_")
    known = {one.strip("_"): one for one in names}
    found = difflib.get_close_matches(asked, known, 3, 0.75)
    words = set(asked.split("_"))
    for one in known:  # names with the same words, and more or fewer
        others = set(one.split("_"))
        if one not in found and (words <= others or others <= words):
            found.append(one)
    return f"; did you mean {' or '.join(known[one] for one in found[:3])}?" if found else ""


def require_str(text: Any, what: str) -> None:
    """Raises BuildError for anything but a str of characters."""
    if not isinstance(text, str):
        raise _core.BuildError(f"{what} must be a str (got {short(text)})")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _core.BuildError(f"{what} has a lone surrogate, which is no character (got {short(text)})") from None


def refuse_masked(x: Any, where: str = "") -> None:
    """Raises BuildError for an array of numpy.ma, because its mask would be lost."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(x, masked.MaskedArray):
        raise _core.BuildError(f"{where}an array of numpy.ma would lose its mask; x.filled(0) makes a plain array")


def list_of_numbers(given: Any, what: str) -> list[float]:
    """Returns a list of floats. Raises BuildError for anything but a list of numbers; a bool is none."""
    try:
        numbers = list(given)
    except TypeError:
        numbers = None
    if numbers is None or isinstance(given, (str, bytes)):
        raise _core.BuildError(f"{what}: a list of numbers is expected, not {short(given)}")
    for place, one in enumerate(numbers):
        if is_bool(one) or not is_number(one):
            raise _core.BuildError(f"{what}: a list of numbers is expected, and element {place} is {short(one)}")
    return [float(one) for one in numbers]


def _as(kind: type, given: Any) -> Any:
    """Returns the argument as this kind; None if it is of another kind."""
    if kind is bool:
        return bool(given) if is_bool(given) else None
    if is_bool(given):
        return None
    if kind is int:
        try:
            return operator.index(given)
        except TypeError:
            return None
    if kind is float:
        return (given if isinstance(given, (int, float)) else given.item()) if is_number(given) else None
    if kind is bytes:
        try:
            memoryview(given)
        except TypeError:
            return None
        return given
    return given if isinstance(given, kind) else None


def _fit(what: str, hint: Any, given: Any, error: type) -> Any:
    several = typing.get_origin(hint) in (typing.Union, types.UnionType)
    members = typing.get_args(hint) if several else (hint,)
    kinds = [one for one in members if one in _KINDS]
    if isinstance(given, Value):
        if Value in members or not kinds:
            return given
        raise error(f"{what} must be {_KINDS[kinds[0]]}, the same for all samples (got {given!r})")
    if not kinds or (given is None and type(None) in members):
        return given
    for kind in kinds:
        fits = _as(kind, given)
        if hint is int and fits is not None and not -(2**31) <= fits < 2**31:
            raise error(f"{what} must be a whole number of 32 bits (got {fits})")
        if fits is not None:
            return fits
    if any(one not in (*kinds, Value, type(None)) for one in members):  # such as a tuple, which the function itself checks
        return given
    raise error(f"{what} must be {' or '.join(_KINDS[one] for one in kinds)} (got {short(given)})")


def checked(error: type[Exception]) -> Callable[[_F], _F]:
    """Decorates a function: it checks its arguments by their annotations and raises `error`. For an unknown name it raises a
    TypeError that says what to write instead."""

    def mark(function: _F) -> _F:
        signature = inspect.signature(function)
        name = function.__name__
        hints = functools.cache(lambda: typing.get_type_hints(function))

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                bound = signature.bind(*args, **kwargs)
            except TypeError as wrong:
                raise TypeError(f"{name}(): {wrong}{_meant(name, signature, kwargs) or _by_name(signature, args)}") from None
            for key, given in bound.arguments.items():
                by_itself = signature.parameters[key].kind not in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
                if by_itself and key in hints():
                    bound.arguments[key] = _fit(f"{name}: {key}", hints()[key], given, error)
            return function(*bound.args, **bound.kwargs)

        return cast(_F, call)

    return mark


def _meant(function: str, signature: inspect.Signature, kwargs: dict[str, Any]) -> str:
    for name in kwargs:
        if name not in signature.parameters:
            names = list(signature.parameters)
            return meant(function, name, names) or near(name, names)
    return ""


def _by_name(signature: inspect.Signature, args: tuple) -> str:
    """Returns the arguments that are given by name, if too many are given by place."""
    parameters = signature.parameters.values()
    by_place = [one for one in parameters if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]
    others = [f"{one.name}=" for one in parameters if one.kind is one.KEYWORD_ONLY]
    if len(args) <= len(by_place) or not others:
        return ""
    return f"; {', '.join(one.name for one in by_place)} can be positional, the others need names: {', '.join(others)}"


def meant(function: str, name: str, names: list[str]) -> str:
    """Returns advice for an argument that a function does not have, to add to a message."""
    same = [one for one in names if one.lower() == name.lower()]
    advice = f"{same[0]}=" if same else _peers.for_argument(function, name)
    return f"; {_peers.instead(advice)}" if advice else ""
