"""Arguments that stand for others of an operator: a matrix, lists of points, a deviation of pixels from 0 to 1.

The operators take single numbers, each of which may differ per sample. :func:`with_form` adds the form that other libraries have.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from ._arguments import short
from ._core import BuildError
from ._value import Value, is_number

_SIDES = ("top_left", "top_right", "bottom_right", "bottom_left")
_CORNERS = {"startpoints": "from_", "endpoints": "to_"}
_ENTRIES = ("xx", "xy", "x0", "yx", "yy", "y0", "wx", "wy", "w0")


def _numbers(given: Any, rows: int, columns: int, what: str) -> list[Any]:
    """The numbers of `rows` lists of `columns` each, or of one list of all."""
    listed = given.tolist() if hasattr(given, "tolist") else given
    listed = list(listed) if isinstance(listed, (list, tuple)) else []
    flat = [one for row in listed for one in row] if all(isinstance(row, (list, tuple)) for row in listed) else listed
    nested = flat is not listed
    good = len(listed) == (rows if nested else rows * columns) and all(len(row) == columns for row in listed if nested)
    if not good or not all(is_number(one) or isinstance(one, Value) for one in flat):
        raise TypeError(f"{what} must be {rows} lists of {columns} numbers (got {short(given)})")
    return [float(one) if is_number(one) else one for one in flat]


def _put(operator: str, form: str, numbers: dict[str, Any], kwargs: dict[str, Any]) -> None:
    for name in numbers:
        if kwargs.get(name) is not None:
            raise TypeError(f"{operator}: {form}= stands for {name}= and others, but {name}= is given, too; leave out one of the two")
    kwargs.update(numbers)


def _matrix(operator: str, rows: int) -> Callable[[dict[str, Any]], None]:
    def change(kwargs: dict[str, Any]) -> None:
        matrix = kwargs.pop("matrix", None)
        if matrix is not None:
            _put(operator, "matrix", dict(zip(_ENTRIES, _numbers(matrix, rows, 3, f"{operator}: matrix"))), kwargs)

    return change


def _corners(kwargs: dict[str, Any]) -> None:
    given = {form: kwargs.pop(form, None) for form in _CORNERS}
    if all(one is None for one in given.values()):
        return
    for form, points in given.items():
        names = [f"{_CORNERS[form]}{side}_{axis}" for side in _SIDES for axis in "xy"]
        _put("perspective", form, dict(zip(names, _numbers(points, 4, 2, f"perspective: {form}"))), kwargs)


def _share(kwargs: dict[str, Any]) -> None:
    sigma = kwargs.pop("sigma", None)
    if sigma is None:
        return
    if not isinstance(sigma, Value) and not is_number(sigma):
        raise TypeError(f"gaussian_noise: sigma must be a number or Value (got {short(sigma)})")
    if not isinstance(sigma, Value) and not 0 <= sigma < float("inf"):
        raise BuildError(f"gaussian_noise: sigma must be at least 0 (got {sigma:g})")
    _put("gaussian_noise", "sigma", {"stddev": sigma * 255.0 if isinstance(sigma, Value) else float(sigma) * 255}, kwargs)


_POINTS = (
    "startpoints, endpoints : lists of 4 points (x, y), optional\n    In place of the numbers: upper left, upper right, lower right, "
    "lower left corner."
)
_POINT_TYPE = "Sequence[Sequence[float | Value]] | None"

#: For an operator: its forms with their types, the text, and the function that replaces them in the arguments.
_FORMS: dict[str, tuple[dict[str, str], str, Callable[[dict[str, Any]], None]]] = {
    "gaussian_noise": (
        {"sigma": "float | Value | None"}, "sigma : f32 or Value, optional\n    In place of stddev, for pixel values scaled to 0 to 1. At least 0.", _share,
    ),
    "perspective": (dict.fromkeys(_CORNERS, _POINT_TYPE), _POINTS, _corners),
    "warp_affine": (
        {"matrix": _POINT_TYPE}, "matrix : 2 lists of 3 numbers, optional\n    In place of xx, xy, x0, yx, yy and y0.", _matrix("warp_affine", 2),
    ),
    "warp_perspective": (
        {"matrix": _POINT_TYPE}, "matrix : 3 lists of 3 numbers, optional\n    In place of xx to w0.", _matrix("warp_perspective", 3),
    ),
}


def with_form(function: Any) -> Any:
    """Returns a function that also takes the forms of `_FORMS` by name, in place of the numbers that they stand for."""
    form = _FORMS.get(function.__name__)
    if form is None:
        return function
    types, text, change = form
    points = function.__name__ == "perspective"

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        change(kwargs)
        if points and len(args) < 2 and not any(name.startswith(("from_", "to_")) for name in kwargs):
            raise TypeError("perspective() lacks its points; pass startpoints= and endpoints=")
        return function(*args, **kwargs)

    signature, kind = inspect.signature(function), inspect.Parameter
    parameters = [
        one.replace(default=None) if points and one.name.startswith(("from_", "to_")) else one for one in signature.parameters.values()
    ]
    parameters += [kind(name, kind.KEYWORD_ONLY, default=None, annotation=type_) for name, type_ in types.items()]
    setattr(call, "__signature__", signature.replace(parameters=parameters))
    if call.__doc__:
        before, mark, after = inspect.cleandoc(call.__doc__).partition("\n\nReturns\n")
        call.__doc__ = f"{before}\n{text}{mark}{after}"
    return call
