"""The operators, as functions on values.

Most are generated from the library's declarations, which also determine the checks. ``help(sluice.ops.rotate)`` shows the
parameters, ranges and defaults of one. A parameter marked "or Value" may differ per sample; all others are the same for
all samples.
"""

from __future__ import annotations

import builtins as _builtins
import functools as _functools
import inspect as _inspect
import os as _os
import sys as _sys
import warnings as _warnings
from collections.abc import Sequence
from typing import Any

from . import _core, _peers
from ._arguments import checked as _checked, list_of_numbers as _list_of_numbers, meant as _meant, near as _near, short as _short
from ._describing import refuse as _refuse, refusing as _refusing
from ._eager import eager as _eager
from ._forms import with_form as _with_form
from ._graph import OPERATORS as _OPERATORS, python_name as _python_name, require_graph as _require_graph
from ._graph import require_image as _require_image
from ._value import Value as _Value
from ._value import NUMBER_TYPES as _NUMBER_TYPES, computed as _computed, is_number as _is_number, name_of_type as _name_of_type

# Operators that also take tensors of height x width x channels. The form of the operator for these has the same parameters,
# except that `fill` is one number.
_TAKES_TENSORS = {"crop": "crop_tensor", "crop_padded": "crop_padded_tensor", "flip": "flip_tensor", "resize": "resize_tensor", "rotate": "rotate_tensor"}

# Not public: loops and their lists, which programs write as `for` and sluice.for_loop; `cpu`, `gpu` and casts, which are
# methods of a Value; the operators behind + and < of tensors; the forms of operators for tensors; `filter`, which is
# sluice.drop_unless; and parts of other operators, which the library adds itself.
_HIDDEN = {
    *_TAKES_TENSORS.values(), "normalize_tensor",
    "absolute_elements", "append", "appended", "aug_mix_weights", "cast_elements", "constant", "convert", "count", "cpu", "decode_image_size",
    "decode_jpeg_size", "draw", "element", "elementwise", "elementwise_number", "exp_elements", "filter", "gpu", "list", "log_elements",
    "magnitude", "pad", "reduce_axes", "reverse", "slice", "sqrt_elements",
}

# Reductions to one number, which take `axis`, too.
_ALONG_AXES = {"mean", "min", "max", "standard_deviation", "sum", "any", "all"}

#: Operators with another name in Python. The second one is the library's, which saved plans contain.
_NAMES = {"transpose_image": "transpose"}
_PYTHON_NAMES = {name: python for python, name in _NAMES.items()}

#: Old names, which still work, and what to write.
_DEPRECATED = {"filter": "sluice.drop_unless", "transpose": "ops.transpose_image"}


#: What inputs are, where names and types do not say it.
_INPUTS = {
    "take_rows": {
        "tensor": "One row for each of `boxes`, such as their labels.",
        "boxes": "The boxes that filter_boxes was given, not those that it returns.",
        "rows": "The rows to take: the second result of filter_boxes.",
    },
}


def _name_in_python(operator: str) -> str:
    return _PYTHON_NAMES.get(operator) or _python_name(operator)


def _type_text(parameter: dict) -> str:
    text = parameter["type"]
    if parameter["choices"]:
        text = "{" + ", ".join(repr(choice) for choice in parameter["choices"]) + "}"
    if parameter["count"] > 1:
        # One number for each channel. A single number is for all of them, and the fourth may be left out.
        of_channels = parameter["count"] == 4 and parameter["per_sample"] and not parameter["required"]
        text = f"{'1, 3 or ' if of_channels else ''}{parameter['count']} numbers"
    if parameter["per_sample"]:
        text += " or Value of a tensor" if parameter["count"] > 1 else " or Value"
    if parameter["optional"]:
        text += ", optional"
    elif not parameter["required"]:
        text += f", default {parameter['default']!r}"
    return text


def _doc_of(schema: dict) -> str:
    lines = [schema["summary"], ""]
    if schema["draws"]:
        lines += [
            "Draws random numbers, which depend only on the seed, the epoch and the sample.",
            "",
        ]
    if schema["effect"]:
        lines += ["Runs even if its output is unused.", ""]
    lines += ["Parameters", "----------"]
    for one in schema["inputs"]:
        types = " or ".join(one["types"]) or one["any"] or "any value"
        lines.append(f"{_python_name(one['name'])} : Value of {types}")
        if one["name"] in _INPUTS.get(schema["name"], {}):
            lines.append(f"    {_INPUTS[schema['name']][one['name']]}")
        if schema["name"] in _TAKES_TENSORS:
            names = [its["name"] for its in schema["parameters"]]
            has = [its["name"] for its in _OPERATORS[_TAKES_TENSORS[schema["name"]]]["parameters"]]
            rules = ["`fill` is one number"] if "fill" in names else []
            rules += [f"there is no `{name}`" for name in names if name not in has]
            lines.append(
                "    A tensor has the shape (height, width, channels), with any number of channels;\n"
                f"    the result is a tensor of the same type{''.join(f', and {rule}' for rule in rules)}."
            )
    for one in schema["parameters"]:
        lines.append(f"{_python_name(one['name'])} : {_type_text(one)}")
        what = one["help"]
        if one["range"]:
            what = f"{what + '; ' if what else ''}{one['range']}"
        if what:
            lines.append(f"    {what[0].upper()}{what[1:]}.")
    if not schema["inputs"] and not schema["parameters"]:
        lines.append("None.")
    if schema["outputs"]:
        lines += ["", "Returns", "-------"]
        for one in schema["outputs"]:
            lines.append(f"{one['name']} : Value of {one['type'] or 'a type that follows from the arguments'}")
    lines += [
        "",
        "Raises",
        "------",
        "BuildError",
    ]
    if _builtins.any(one["range"] for one in schema["parameters"]):
        lines += [
            "    If a constant is out of range, or if a Value has another type. If a Value is out of range,",
            "    its sample fails.",
        ]
    else:
        lines.append("    If a Value has another type.")
    return "\n".join(lines)


def _signature_of(schema: dict) -> _inspect.Signature:
    kind = _inspect.Parameter
    made = [
        kind(_python_name(one["name"]), kind.POSITIONAL_OR_KEYWORD, annotation=_Value)
        for one in schema["inputs"]
    ]
    by_place = schema["family"] in ("arithmetic", "random") or not schema["inputs"]
    required = [one for one in schema["parameters"] if one["required"]]
    others = [one for one in schema["parameters"] if not one["required"]]
    for one in required + others:
        default = kind.empty if one["required"] else one["default"]
        by_name = not (by_place or one["required"])
        how = kind.KEYWORD_ONLY if by_name else kind.POSITIONAL_OR_KEYWORD
        made.append(kind(_python_name(one["name"]), how, default=default))
    count = len(schema["outputs"])
    result = _Value if count == 1 else tuple[(_Value,) * count] if count else None
    return _inspect.Signature(made, return_annotation=result)


def _with_tensors(schema: dict) -> dict:
    """Returns the schema; its image may also be a tensor, channels last, if the operator has a form for that."""
    if schema["name"] not in _TAKES_TENSORS:
        return schema
    image = schema["inputs"][0]
    return {**schema, "inputs": [{**image, "types": [*image["types"], "tensor"]}, *schema["inputs"][1:]], "channels_last": True}


def _outside(args: tuple, schema: dict) -> str:
    """Advice for a call outside of a pipeline that has neither values nor arrays."""
    if args and isinstance(args[0], (str, _os.PathLike)):
        return "a path is not read: outside of a pipeline, give the bytes of the file, open(path, 'rb').read(), or an array"
    return "outside of a pipeline, seed= or generator= draws one number" if schema["draws"] and not schema["inputs"] else ""


def _function_of(schema: dict):
    name = schema["name"]
    of_tensors = _TAKES_TENSORS.get(name)

    def function(*args: Any, **kwargs: Any):
        image = args[0] if args else kwargs.get("image")
        if of_tensors is not None and isinstance(image, _Value) and image.type == "tensor":
            return image.graph.operator(of_tensors, *args, **kwargs)
        for value in (*args, *kwargs.values()):
            if isinstance(value, _Value):
                return value.graph.operator(name, *args, **kwargs)
        return _require_graph(f"ops.{_name_in_python(name)}()", _outside(args, schema)).operator(name, *args, **kwargs)

    function.__name__ = _name_in_python(name)
    function.__qualname__ = function.__name__
    function.__module__ = __name__
    function.__doc__ = _doc_of(schema)
    function.__signature__ = _signature_of(schema)
    return function


for _schema in _OPERATORS.values():
    if _schema["name"] not in _HIDDEN:
        globals()[_name_in_python(_schema["name"])] = _function_of(_with_tensors(_schema))


_NOT_DECODED = {"image": "leave out decode_jpeg, because the operator decodes the file itself"}


def _slot(value: Any, user: str, cures: dict[str, str] | None = None) -> tuple[Any, int]:
    """Returns the graph and slot of a value. `cures` has advice for wrong types; "list" is a list of any type."""
    if not isinstance(value, _Value):
        raise _core.BuildError(f"{user} takes a value of each sample, not {type(value).__name__}")
    cure = (cures or {}).get(value.type.split(" of ")[0])
    if cure is not None:
        raise _core.BuildError(f"{user} does not take a value of type {value.type!r}; {cure}")
    return value.graph, value.slot


def _image_slot(image: Any, user: str) -> tuple[Any, int]:
    """Like _slot(), for an image."""
    found = _slot(image, user)
    _require_image(user, "image", image)
    return found


def _fill_values(fill: Any, operator: str) -> list[int] | None:
    if fill is None:
        return None
    several = [fill] if _is_number(fill) else _list_of_numbers(fill, f"{operator}: fill")
    if not _builtins.all(float(one).is_integer() and not isinstance(one, bool) for one in several):
        raise _core.BuildError(f"{operator}: fill must be a whole number, or 3 or 4 of them (got {_short(fill)})")
    return [int(one) for one in several]


def _names(excluded: Any, operator: str) -> list[str]:
    if not isinstance(excluded, (list, tuple, set, frozenset)) or not _builtins.all(isinstance(one, str) for one in excluded):
        raise _core.BuildError(f"{operator}: excluded must be a list of names of operators (got {_short(excluded)})")
    return list(excluded)


def _padded(numbers: Any, most: int, operator: str, what: str) -> list[float]:
    """Fills a list with zeros up to `most` numbers, for an operator that takes a list of fixed length and a count."""
    given = _list_of_numbers(numbers, f"{operator}: {what}")
    if not 1 <= len(given) <= most:
        raise _core.BuildError(f"{operator}: there are {len(given)} {what}; 1 to {most} are possible")
    return given + [0.0] * (most - len(given))


def _count_of(operator: str, parameter: str) -> int:
    return next(one["count"] for one in _OPERATORS[operator]["parameters"] if one["name"] == parameter)


@_checked(_core.BuildError)
def choice(numbers: Sequence[float], weights: Sequence[float] | None = None) -> _Value:
    """Draws one of several numbers for each sample.

    Parameters
    ----------
    numbers : list of 1 to 64 numbers
    weights : list of as many numbers, optional
        The probability of each number, up to a common factor. By default all are equal.

    Returns
    -------
    number : Value of f32
    """
    numbers = _list_of_numbers(numbers, "choice: numbers")
    weights = [1.0] * len(numbers) if weights is None else _list_of_numbers(weights, "choice: weights")
    if len(weights) != len(numbers):
        raise _core.BuildError(
            f"choice: there are {len(numbers)} numbers and {len(weights)} weights; give one for each, or none"
        )
    most = _count_of("choice", "numbers")
    return _require_graph("ops.choice()").operator(
        "choice", len(numbers), _padded(numbers, most, "choice", "numbers"),
        _padded(weights, most, "choice", "weights"),
    )


@_checked(_core.BuildError)
def choice_index(weights: Sequence[float]) -> _Value:
    """Draws an index, from 0 on, for each sample with probabilities given by weights.

    Parameters
    ----------
    weights : list of 1 to 64 numbers
        The probability of each index, up to a common factor.

    Returns
    -------
    index : Value of i32
        From 0 to the number of weights minus 1.
    """
    weights = _list_of_numbers(weights, "choice_index: weights")
    most = _count_of("choice_index", "weights")
    return _require_graph("ops.choice_index()").operator(
        "choice_index", len(weights), _padded(weights, most, "choice_index", "weights")
    )


@_checked(_core.BuildError)
def cat(*tensors: _Value | Sequence[_Value], axis: int = 0) -> _Value:
    """Concatenates tensors along an axis.

    Parameters
    ----------
    tensors : Values of tensor, or a list of them
        Their sizes agree in all other dimensions.
    axis : int, default 0
        From 0, or from -1, the last one, backward.

    Returns
    -------
    tensor : Value of tensor
    """
    given = _several(tensors, "cat")
    for one in given:
        if one.type != "tensor":
            raise _core.BuildError(f"cat: {one!r} is no tensor; {_way_to_tensor(one)}")
    if not -6 <= axis <= 5:
        raise _core.BuildError(f"cat: axis must lie between -6 and 5, not {axis}")
    joined = given[0]
    for one in given[1:]:
        joined = joined.graph.operator("cat", joined, one, axis=axis)
    return joined


@_checked(_core.BuildError)
def stack(list: _Value | Sequence[_Value], length: int | _Value | None = None, *, reverse: bool = False, name: str = "list",
          axis: int = 0) -> _Value:
    """Stacks tensors or images of one shape along a new axis.

    Parameters
    ----------
    list : Value of a list of tensors or of images, or a list of Values
    length : int or Value, optional
        The size of the new dimension. Zeros fill up a shorter list. A longer list fails its sample. By default the length
        of a list of Values; a Value of a list has none.
    reverse : bool, default False
        If True, the last element comes first.
    name : str, default 'list'
        The name of the list in errors.
    axis : int, default 0
        The place of the new dimension, from 0.

    Returns
    -------
    tensor : Value of tensor
    """
    if not isinstance(list, _Value):
        list = _several((list,), "stack")
        length = len(list) if length is None else length
        graph = list[0].graph
    elif not list.type.startswith("list of "):
        raise _core.BuildError(f"stack: {list!r} is no list; give several, as in ops.stack([a, b])")
    elif length is None:
        raise _core.BuildError(
            f"stack: {list!r} is as long as each sample makes it; say how long the new dimension is: ops.stack(list, 4)"
        )
    else:
        graph = list.graph
    return graph.operator("stack", list, length, reverse=reverse, name=name, axis=axis)


def _way_to_tensor(value: _Value) -> str:
    if value.type == "image":
        return ".cast('u8') makes a tensor of its pixels"
    if value.type.startswith("list of "):
        return "ops.stack(list, length) makes one of a list that each sample makes"
    return "cat joins Values of tensors"


def _several(given: tuple, user: str) -> list[_Value]:
    """Values that come one by one or as a list; at least one."""
    values = list(given[0]) if len(given) == 1 and isinstance(given[0], (list, tuple)) else list(given)
    if not values:
        raise _core.BuildError(f"{user} is given no tensor; give at least one")
    for value in values:
        _slot(value, user)
    return values


def minimum(x: _Value | float, y: _Value | float) -> _Value:
    """Returns the smaller of two numbers, or of each pair of elements of tensors or images.

    Parameters
    ----------
    x, y : Value of a number, tensor or image, or a number
        At least one is a Value.

    Returns
    -------
    result : Value
        NaN if one of the two is NaN.
    """
    return _extreme("minimum", x, y)


def maximum(x: _Value | float, y: _Value | float) -> _Value:
    """Returns the larger of two numbers, or of each pair of elements of tensors or images.

    Parameters
    ----------
    x, y : Value of a number, tensor or image, or a number
        At least one is a Value.

    Returns
    -------
    result : Value
        NaN if one of the two is NaN.
    """
    return _extreme("maximum", x, y)


def clamp(x: _Value, low: _Value | float, high: _Value | float) -> _Value:
    """Limits a number, or each element of a tensor or image, to `low` to `high`.

    Parameters
    ----------
    x : Value of a number, tensor or image
    low, high : numbers, or Values of them

    Returns
    -------
    result : Value
    """
    return minimum(maximum(x, low), high)


def sqrt(x: _Value) -> _Value:
    """Returns the square root of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        NaN for a negative number. The result of whole numbers is f32.
    """
    return _function_on("sqrt", x)


def exp(x: _Value) -> _Value:
    """Returns e to the power of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        The result of whole numbers is f32.
    """
    return _function_on("exp", x)


def log(x: _Value) -> _Value:
    """Returns the natural logarithm of a number, or of each element of a tensor or image.

    Parameters
    ----------
    x : Value of a number, tensor or image

    Returns
    -------
    result : Value
        NaN for a negative number, and minus infinity for 0. The result of whole numbers is f32.
    """
    return _function_on("log", x)


def _function_on(name: str, x: _Value) -> _Value:
    if not isinstance(x, _Value) or x.type not in (*_NUMBER_TYPES, "tensor", "image"):
        raise TypeError(f"{name} takes a value of a number, tensor or image, not {x!r}")
    if x.type in ("tensor", "image"):
        return x.graph.operator(f"{name}_elements", x)
    return x.graph.operator(name, x=x)


def _extreme(name: str, x: _Value | float, y: _Value | float) -> _Value:
    takes = (*_NUMBER_TYPES, "tensor", "image")
    good = _builtins.all(one.type in takes if isinstance(one, _Value) else _is_number(one) for one in (x, y))
    if not good or not _builtins.any(isinstance(one, _Value) for one in (x, y)):
        raise TypeError(f"{name} takes values of numbers, tensors or images, or one and a number, not {x!r} and {y!r}")
    return _computed(name, x, y)


@_checked(_core.BuildError)
def reshape(tensor: _Value, sizes: int | Sequence[int], *, layout: str = "none") -> _Value:
    """Returns the same elements in another shape.

    Parameters
    ----------
    tensor : Value of tensor
    sizes : list of int
        The sizes of up to 6 dimensions. One may be -1: it is computed from the others.
    layout : {'none', 'HWC', 'CHW'}, default 'none'
        The meaning of the dimensions of the result.

    Returns
    -------
    tensor : Value of tensor
    """
    graph, _ = _slot(tensor, "reshape")
    sizes = [sizes] if _is_number(sizes) else sizes
    sizes = _list_of_numbers(sizes, "reshape: sizes")
    most = _count_of("reshape", "sizes")
    padded = _padded(sizes, most, "reshape", "sizes") if sizes else [0.0] * most
    return graph.operator("reshape", tensor, len(sizes), padded, layout=layout)


@_checked(_core.BuildError)
def permute(data: _Value, axes: Sequence[int]) -> _Value:
    """Reorders the dimensions of a tensor or image, as ``numpy.transpose`` and ``torch.permute``.

    Parameters
    ----------
    data : Value of tensor or image
        With up to 6 dimensions.
    axes : list of int
        Dimension i of the result is dimension ``axes[i]`` of `data`. ``(2, 0, 1)`` makes CHW of an image. -1 is the last one.

    Returns
    -------
    tensor : Value of tensor
    """
    graph, _ = _slot(data, "permute")
    numbers = _list_of_numbers(axes, "permute: axes")
    for one in numbers:
        if one != int(one):
            raise _core.BuildError(f"permute: axes must be whole numbers (got {one})")
    if not numbers:
        raise _core.BuildError("permute: there are 0 axes; 1 to 6 are possible")
    numbers = [one + len(numbers) if -len(numbers) <= one < 0 else one for one in numbers]
    return graph.operator("permute", data, len(numbers), _padded(numbers, _count_of("permute", "axes"), "permute", "axes"))


@_checked(_core.BuildError)
def normalize(
    image: _Value, mean: Sequence[float] | float, std: Sequence[float] | float, *, dtype: Any = "f32", layout: str = "CHW"
) -> _Value:
    """Converts an image to a normalized tensor: (pixel / 255 - mean) / std for each channel.

    ``crop_mirror_normalize`` does the same, and crops and mirrors in the same pass.

    Parameters
    ----------
    image : Value of image or tensor
        A tensor has the shape (height, width, channels), with up to 16 different means or deviations. Numbers of type u8
        are divided by 255, those of u16 by 65535. Other types are not divided: mean and std are in units of the elements.
    mean, std : list of 1, 3 or 4 floats, or float
        In units of 0 to 1, as in torchvision. A mean must be from -1 to 1, a std above 0 and at most 1. For a tensor, one
        float, or one for each channel.
    dtype : {'f32', 'f16', 'bf16'}, default 'f32'
    layout : {'CHW', 'HWC'}, default 'CHW'

    Returns
    -------
    tensor : Value of tensor
    """
    dtype = _name_of_type(dtype)
    if dtype not in ("f32", "f16", "bf16"):
        raise _core.BuildError(f"normalize: dtype must be one of 'f32', 'f16', 'bf16', not {dtype!r}")
    graph, _ = _slot(image, "normalize")
    if image.type != "tensor":
        return _normalized("normalize", graph, image, mean=mean, std=std, dtype=dtype, layout=layout)
    most = _count_of("normalize_tensor", "mean")
    lists = {}
    for what, numbers, count in (("mean", mean, "means"), ("std", std, "deviations")):
        given = [numbers] if _is_number(numbers) else _list_of_numbers(numbers, f"normalize: {what}")
        lists |= {what: _padded(given, most, "normalize", what), count: len(given)}
    return graph.operator("normalize_tensor", image, dtype=dtype, layout=layout, **lists)


def _normalized(name: str, graph: Any, image: _Value, **options: Any) -> _Value:
    """Records crop_mirror_normalize; errors name the function that the program calls."""
    try:
        return graph.operator("crop_mirror_normalize", image, **options)
    except _core.BuildError as error:
        text = str(error)
        if not text.startswith("crop_mirror_normalize"):
            raise
        raise _refuse(_core.BuildError(name + text.removeprefix("crop_mirror_normalize")), cause=error) from error


@_checked(_core.BuildError)
def to_tensor(image: _Value, *, dtype: Any = "f32", layout: str = "CHW") -> _Value:
    """Converts an image to a tensor.

    Parameters
    ----------
    image : Value of image
    dtype : {'f32', 'f16', 'bf16', 'u8'}, default 'f32'
        Pixels become 0 to 1, but stay 0 to 255 as 'u8'.
    layout : {'CHW', 'HWC'}, default 'CHW'

    Returns
    -------
    tensor : Value of tensor
    """
    dtype = _name_of_type(dtype)
    if dtype not in ("f32", "f16", "bf16", "u8"):
        raise _core.BuildError(f"to_tensor: dtype must be one of 'f32', 'f16', 'bf16', 'u8', not {dtype!r}")
    graph, _ = _slot(image, "to_tensor")
    scale = 255.0 if dtype == "u8" else 1.0
    return _normalized("to_tensor", graph, image, dtype=dtype, layout=layout, scale=scale)


@_checked(_core.BuildError)
def slice_tensor(
    tensor: _Value,
    *,
    axis: int | Sequence[int] = 0,
    start: int | _Value | Sequence[int | _Value] = 0,
    length: int | _Value | Sequence[int | _Value] = -1,
) -> _Value:
    """Cuts a part out of a tensor along one or more axes.

    Parameters
    ----------
    tensor : Value of tensor
    axis : int, or a list of them, default 0
        From 0, or from -1, the last one, backward.
    start : int or Value, or a list of them, default 0
        The first element, from 0. A list has one number for each axis.
    length : int or Value, or a list of them, default -1
        The number of elements. -1 takes the rest.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If the lists have different lengths. If the elements are not in the tensor, its sample fails.
    """
    return _along("slice_tensor", tensor, axis, start=start, length=length)


@_checked(_core.BuildError)
def pad_tensor(
    tensor: _Value,
    *,
    axis: int | Sequence[int] = 0,
    length: int | _Value | Sequence[int | _Value] = 0,
    align: int | _Value | Sequence[int | _Value] = 1,
    fill: float | _Value = 0.0,
) -> _Value:
    """Pads a tensor at the end of one or more axes with a number.

    Parameters
    ----------
    tensor : Value of tensor
    axis : int, or a list of them, default 0
        From 0, or from -1, the last one, backward.
    length : int or Value, or a list of them, default 0
        The least length of the result. A longer tensor is not cut. A list has one number for each axis.
    align : int or Value, or a list of them, default 1
        The length of the result is a multiple of this.
    fill : float or Value, default 0
        The value of the added elements. Whole numbers up to 2**53.

    Returns
    -------
    tensor : Value of tensor

    Raises
    ------
    BuildError
        If the lists have different lengths. If `fill` does not fit into the type of the elements, the sample fails.
    """
    if isinstance(fill, int) and not -(2**53) <= fill <= 2**53:
        raise OverflowError(f"pad_tensor: fill is {fill}; whole numbers up to 2**53 are possible")
    if isinstance(fill, _Value) and fill.type in ("i64", "u64"):
        fill = fill.graph.operator("convert", x=fill, to="f64")  # f64, so that it is not rounded
    return _along("pad_tensor", tensor, axis, {"fill": fill}, length=length, align=align)


def _along(operator: str, tensor: _Value, axis: Any, same: dict | None = None, **each: Any) -> _Value:
    """Records the operator once for each axis. `each` has single arguments for all axes, or lists."""
    graph, _ = _slot(tensor, operator)
    axes = list(axis) if isinstance(axis, (list, tuple)) else [axis]
    if not axes:
        raise _core.BuildError(f"{operator}: there are no axes; give at least one")
    lists = {}
    for name, given in each.items():
        lists[name] = list(given) if isinstance(given, (list, tuple)) else [given] * len(axes)
        if len(lists[name]) != len(axes):
            raise _core.BuildError(
                f"{operator}: {name} has {len(lists[name])} elements, and axis {len(axes)}; give one for each axis"
            )
    for i, one in enumerate(axes):
        tensor = graph.operator(
            operator, tensor, axis=one, **{name: values[i] for name, values in lists.items()}, **(same or {})
        )
    return tensor


@_checked(_core.BuildError)
def filter_2d(image: _Value, weights: Sequence[Sequence[float]]) -> _Value:
    """Replaces each pixel value with a weighted sum of a window; reflects borders.

    Parameters
    ----------
    image : Value of image
    weights : list of lists of numbers, or array
        The rows of the kernel. Height and width are odd, and at most 7.

    Returns
    -------
    image : Value of image
    """
    graph, _ = _slot(image, "filter_2d")
    if isinstance(weights, str) or not hasattr(weights, "__iter__"):
        raise _core.BuildError(
            f"filter_2d: weights must be rows of numbers, such as [[0, 1, 0], [1, 4, 1], [0, 1, 0]] (got {_short(weights)})"
        )
    rows = [_list_of_numbers(row, "filter_2d: weights") for row in weights]
    columns = len(rows[0]) if rows else 0
    if _builtins.any(len(row) != columns for row in rows):
        raise _core.BuildError("filter_2d: the weights must be rows of one length")
    most = _count_of("filter_2d", "weights")
    numbers = _padded([one for row in rows for one in row], most, "filter_2d", "weights")
    return graph.operator("filter_2d", image, numbers, rows=len(rows), columns=columns)


@_checked(_core.BuildError)
def random_resized_crop(
    image: _Value,
    *,
    height: int = 224,
    width: int = 224,
    min_area: float = 0.08,
    max_area: float = 1.0,
    min_ratio: float = 3 / 4,
    max_ratio: float = 4 / 3,
    interpolation: str = "bilinear",
    antialias: bool = True,
    shrink: bool = False,
) -> _Value:
    """Crops a random rectangle and resizes it; decodes only that region of a JPEG file.

    Parameters
    ----------
    image : Value of bytes or image
        A JPEG file, or an image.
    height, width : int, default 224
        The size of the result, in pixels. 1 to 65535.
    min_area, max_area : float, default 0.08 and 1
        The range of the rectangle's area, as a share of the image's area. Above 0, up to 1.
    min_ratio, max_ratio : float, default 3/4 and 4/3
        The range of the rectangle's width divided by its height. Above 0.
    interpolation : {'nearest', 'box', 'bilinear', 'hamming', 'bicubic', 'lanczos'}, default 'bilinear'
        How pixels are interpolated.
    antialias : bool, default True
        If True, all pixels contribute when the rectangle is made smaller. Otherwise only the nearest ones do.
    shrink : bool, default False
        If True, the decoder may shrink large rectangles of JPEG files. This is faster, but changes the pixels.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _slot(image, "random_resized_crop")
    made = graph.core.random_resized_crop(
        slot, height, width, min_area, max_area, min_ratio, max_ratio, interpolation, antialias, shrink
    )
    return _Value(graph, made)


def _margins(padding: Any, operator: str) -> list[int]:
    """Returns the pixels added at the top, left, bottom and right, for a number or a list in torchvision's order."""
    given = [padding] if _is_number(padding) else _list_of_numbers(padding, f"{operator}: padding")
    if len(given) not in (1, 2, 4) or not _builtins.all(float(one).is_integer() for one in given):
        raise _core.BuildError(
            f"{operator}: padding must be 1, 2 or 4 whole numbers: all sides; left and right, top and bottom; "
            f"or left, top, right, bottom (got {_short(padding)})"
        )
    left, top, right, bottom = [int(one) for one in (given * 4)[:4]]
    return [top, left, bottom, right]


@_checked(_core.BuildError)
def random_crop(
    image: _Value,
    height: int = 224,
    width: int = 224,
    *,
    padding: int | Sequence[int] = 0,
    top: int = 0,
    left: int = 0,
    bottom: int = 0,
    right: int = 0,
    pad_if_needed: bool = False,
    border: str = "constant",
    fill: int | tuple[int, int, int] = 0,
) -> _Value:
    """Cuts out a window of a fixed size at a random position.

    All positions are equally likely. Without padding, the decoder before it decodes only the window.

    Parameters
    ----------
    image : Value of image
    height, width : int, default 224
        The size of the window, in pixels. 1 to 65535.
    padding : int, or list of 2 or 4 ints, default 0
        Pixels to add. One number: all sides. Two: left and right, top and bottom. Four: left, top, right, bottom.
    top, left, bottom, right : int, default 0
        Pixels to add on one side, besides ``padding``.
    pad_if_needed : bool, default False
        If a side is shorter than the window by n pixels, adds n pixels at both ends. Needs the border 'constant'.
    border : {'constant', 'edge', 'reflect'}, default 'constant'
        The content of the padding.
    fill : int, or list of 3 or 4 ints, default 0
        The color of constant padding, 0 to 255.

    Returns
    -------
    image : Value of image

    Raises
    ------
    BuildError
        If an argument is out of range. If the window does not fit into a padded image, its sample fails.
    """
    graph, slot = _image_slot(image, "random_crop")
    margins = [one + other for one, other in zip(_margins(padding, "random_crop"), (top, left, bottom, right))]
    made = graph.core.random_crop(
        slot, height, width, margins, pad_if_needed, border, _fill_values(fill, "random_crop")
    )
    return _Value(graph, made)


def _jitter_range(given: Any, name: str, neutral: float) -> tuple[float, float]:
    if given is None:
        return neutral, neutral
    if _is_number(given):
        if not given >= 0:
            raise _core.BuildError(f"color_jitter: {name} must be at least 0, or a range (got {_short(given)})")
        return (_builtins.max(0.0, neutral - given) if neutral else -given), neutral + given
    ends = _list_of_numbers(given, f"color_jitter: {name}")
    if len(ends) != 2:
        raise _core.BuildError(f"color_jitter: {name} must be a number or a range of 2 numbers (got {_short(given)})")
    return ends[0], ends[1]


@_checked(_core.BuildError)
def color_jitter(
    image: _Value,
    *,
    brightness: float | Sequence[float] | None = None,
    contrast: float | Sequence[float] | None = None,
    saturation: float | Sequence[float] | None = None,
    hue: float | Sequence[float] | None = None,
) -> _Value:
    """Changes brightness, contrast, saturation and hue by random amounts in random order, as in torchvision.

    Parameters
    ----------
    image : Value of image
    brightness, contrast, saturation : float, or list of 2 floats, optional
        The range of the factor. A number x stands for max(0, 1 - x) to 1 + x. By default nothing changes.
    hue : float, or list of 2 floats, optional
        The range of the rotation of hues, in degrees. A number x stands for -x to x. torchvision's ``hue=0.1`` is 36 here.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "color_jitter")
    if _is_number(hue) and 0 < hue <= 0.5:
        _warnings.warn(
            f"color_jitter: hue={hue:g} changes hues by at most {hue:g} degrees; torchvision's hue={hue:g} is hue={360 * hue:g} here",
            stacklevel=6,
        )
    made = graph.core.color_jitter(
        slot, _jitter_range(brightness, "brightness", 1.0), _jitter_range(contrast, "contrast", 1.0),
        _jitter_range(saturation, "saturation", 1.0), _jitter_range(hue, "hue", 0.0),
    )
    return _Value(graph, made)


def _drawn_fill(image: _Value, fill: str) -> _Value:
    """Returns a color for each sample as a tensor."""
    if fill == "mean":
        pixel = image.graph.operator("resize", image, height=1, width=1, interpolation="box")
        return reshape(pixel.cast("f32"), -1)
    if fill != "random":
        raise _core.BuildError(f"random_erasing: fill must be a color, 'mean' or 'random' (got {fill!r})")
    colors = [image.graph.operator("uniform", 0, 255) for _ in range(3)]
    return _Value(image.graph, image.graph._tensor_of(colors))


@_checked(_core.BuildError)
def random_erasing(
    image: _Value,
    *,
    probability: float = 0.5,
    min_area: float = 0.02,
    max_area: float = 0.33,
    min_ratio: float = 0.3,
    max_ratio: float = 3.3,
    fill: int | tuple[int, int, int] | str | _Value = 0,
    noise: float = 0.0,
) -> _Value:
    """Fills a random rectangle with a color or with noise, with the given probability.

    Parameters
    ----------
    image : Value of image
    probability : float, default 0.5
        The probability of erasing. 0 to 1.
    min_area, max_area : float, default 0.02 and 0.33
        The range of the rectangle's area, as a share of the image's area.
    min_ratio, max_ratio : float, default 0.3 and 3.3
        The range of the rectangle's height divided by its width.
    fill : int, list of 3 or 4 ints, Value of a tensor, 'mean' or 'random', default 0
        The color, 0 to 255. 'mean' is the mean of the image. 'random' is one color for the whole rectangle, drawn for
        each sample; the image must have 3 or 4 channels.
    noise : float, default 0
        The standard deviation of the normal noise around the color, in pixel values.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "random_erasing")
    if isinstance(fill, str):
        fill = _drawn_fill(image, fill)
    of_sample = fill.slot if isinstance(fill, _Value) else None
    made = graph.core.random_erasing(
        slot, probability, min_area, max_area, min_ratio, max_ratio,
        None if of_sample is not None else _fill_values(fill, "random_erasing"), of_sample, noise,
    )
    return _Value(graph, made)


@_checked(_core.BuildError)
def rand_augment(
    image: _Value,
    *,
    n: int = 2,
    magnitude: int | _Value = 9,
    bins: int = 31,
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> _Value:
    """Applies n of 14 operators, drawn for each sample, with this magnitude (RandAugment).

    Parameters
    ----------
    image : Value of image
    n : int, default 2
        The number of operators to apply, one after the other.
    magnitude : int or Value of i32, default 9
        From 0 to bins - 1.
    bins : int, default 31
        The number of magnitudes.
    ranges : {'torchvision', 'dali'}, default 'torchvision'
        The library whose parameter ranges to use.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, optional
        The interpolation of warps. By default that of the library.
    fill : int, or list of 3 or 4 ints, optional
        The color outside the image, 0 to 255. By default that of the library.
    excluded : list of str, optional
        Names of operators to leave out.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "rand_augment")
    of_sample = magnitude.slot if isinstance(magnitude, _Value) else None
    made = graph.core.rand_augment(
        slot, n, 0 if of_sample is not None else magnitude, of_sample, bins, ranges, interpolation,
        _fill_values(fill, "rand_augment"), _names(excluded, "rand_augment"),
    )
    return _Value(graph, made)


@_checked(_core.BuildError)
def trivial_augment_wide(
    image: _Value,
    *,
    bins: int = 31,
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> _Value:
    """Applies one of 14 operators with any magnitude, both drawn per sample (TrivialAugmentWide).

    Parameters
    ----------
    image : Value of image
    bins : int, default 31
        The number of magnitudes.
    ranges, interpolation, fill, excluded
        As in :func:`rand_augment`.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "trivial_augment_wide")
    made = graph.core.trivial_augment_wide(
        slot, bins, ranges, interpolation, _fill_values(fill, "trivial_augment_wide"), _names(excluded, "trivial_augment_wide")
    )
    return _Value(graph, made)


@_checked(_core.BuildError)
def auto_augment(
    image: _Value,
    *,
    policy: str = "imagenet",
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> _Value:
    """Applies one of 25 pairs of operators found for 'imagenet', 'cifar10' or 'svhn' (AutoAugment).

    Parameters
    ----------
    image : Value of image
    policy : {'imagenet', 'cifar10', 'svhn'}, default 'imagenet'
        The dataset that the pairs were found for.
    ranges, interpolation, fill, excluded
        As in :func:`rand_augment`.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "auto_augment")
    made = graph.core.auto_augment(
        slot, policy, ranges, interpolation, _fill_values(fill, "auto_augment"), _names(excluded, "auto_augment")
    )
    return _Value(graph, made)


@_checked(_core.BuildError)
def aug_mix(
    image: _Value,
    *,
    severity: int = 3,
    mixture_width: int = 3,
    chain_depth: int = 0,
    alpha: float = 1.0,
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> _Value:
    """Mixes the image with versions made by chains of operators (AugMix).

    Parameters
    ----------
    image : Value of image
    severity : int, default 3
        The strongest magnitude, 1 to 10.
    mixture_width : int, default 3
        The number of chains, at least 1.
    chain_depth : int, default 0
        The number of operators of a chain. 0 draws 1 to 3.
    alpha : float, default 1
        The parameter of the Beta and Dirichlet distributions of the weights. 0.000001 to 1000.
    interpolation, fill, excluded
        As in :func:`rand_augment`. By default 'bilinear' and 0.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "aug_mix")
    made = graph.core.aug_mix(
        slot, severity, mixture_width, chain_depth, alpha, interpolation, _fill_values(fill, "aug_mix"),
        _names(excluded, "aug_mix"),
    )
    return _Value(graph, made)


@_checked(_core.BuildError)
def sim_clr(
    jpeg: _Value,
    *,
    height: int = 224,
    width: int = 224,
    min_area: float = 0.08,
    color_strength: float = 1.0,
    color_probability: float = 0.8,
    gray_probability: float = 0.2,
    blur_probability: float = 0.5,
) -> tuple[_Value, _Value]:
    """Makes SimCLR's two views from one decode of a JPEG file.

    Each view is a random region, resized, and flipped with probability 0.5. Its colors change, it becomes gray, and it is
    blurred, each with its probability.

    Parameters
    ----------
    jpeg : Value of bytes
    height, width : int, default 224
        The size of a view, in pixels.
    min_area : float, default 0.08
        The least area of a region, as a share of the image's area.
    color_strength : float, default 1
        0 to 1. With 1, brightness, contrast and saturation change by up to 0.8, and the hue by up to 72 degrees.
    color_probability, gray_probability, blur_probability : float, default 0.8, 0.2 and 0.5

    Returns
    -------
    first, second : Value of image
    """
    graph, slot = _slot(jpeg, "sim_clr", _NOT_DECODED)
    made = graph.core.sim_clr(
        slot, height, width, min_area, color_strength, color_probability, gray_probability,
        blur_probability,
    )
    return _Value(graph, made[0]), _Value(graph, made[1])


@_checked(_core.BuildError)
def dino(
    jpeg: _Value,
    *,
    global_size: int = 224,
    local_size: int = 96,
    locals: int = 8,
    min_global_area: float = 0.4,
    min_local_area: float = 0.05,
    max_local_area: float = 0.4,
) -> tuple[list[_Value], list[_Value]]:
    """Makes DINO's 2 global views and its local views from one decode of a JPEG file.

    Parameters
    ----------
    jpeg : Value of bytes
    global_size, local_size : int, default 224 and 96
        The width and height of a view, in pixels.
    locals : int, default 8
        The number of local views, 0 to 64.
    min_global_area : float, default 0.4
        The least area of a global view, as a share of the image's area.
    min_local_area, max_local_area : float, default 0.05 and 0.4
        The range of the area of a local view.

    Returns
    -------
    global_views : list of 2 Values of image
    local_views : list of Values of image
    """
    graph, slot = _slot(jpeg, "dino", _NOT_DECODED)
    whole, parts = graph.core.dino(
        slot, global_size, local_size, locals, min_global_area, min_local_area, max_local_area
    )
    return [_Value(graph, one) for one in whole], [_Value(graph, one) for one in parts]


@_checked(_core.BuildError)
def detection_augment(
    jpeg: _Value,
    boxes: _Value,
    labels: _Value,
    *,
    height: int = 300,
    width: int = 300,
    zoom_probability: float = 0.5,
    max_zoom: float = 4.0,
    fill: int | tuple[int, int, int] = (124, 116, 104),
    mirror_probability: float = 0.5,
    color_probability: float = 0.5,
) -> tuple[_Value, _Value, _Value]:
    """Crops a random region of an image with its boxes and labels, as SSD's training does.

    The image may first be placed on a larger canvas. The region is resized and may be flipped, and its colors change. Boxes
    are clipped to the region. A box is dropped if its center is outside, or if less than a pixel of it remains.

    Parameters
    ----------
    jpeg : Value of bytes
    boxes : Value of tensor
        Shape (n, 4), f32: left, top, right and bottom edges in pixels.
    labels : Value of tensor
        One row for each box.
    height, width : int, default 300
        The size of the result, in pixels.
    zoom_probability : float, default 0.5
        The probability of a canvas.
    max_zoom : float, default 4
        The largest width and height of the canvas, relative to the image. At least 1.
    fill : int, or list of 3 or 4 ints, default (124, 116, 104)
        The color of the canvas.
    mirror_probability : float, default 0.5
    color_probability : float, default 0.5
        The probability of each of the four changes of :func:`photometric_distort`.

    Returns
    -------
    image : Value of image
    boxes, labels : Value of tensor
        The boxes that remain, and their labels.
    """
    graph, slot = _slot(jpeg, "detection_augment", _NOT_DECODED)
    _, rows = _slot(boxes, "detection_augment: boxes", {"list": "ops.rows_of(boxes, 4) makes a tensor of it"})
    _, classes = _slot(labels, "detection_augment: labels", {"list": "ops.labels_of(labels) makes a tensor of it"})
    made = graph.core.detection_augment(
        slot, rows, classes, height, width, zoom_probability, max_zoom, _fill_values(fill, "detection_augment"),
        mirror_probability, color_probability,
    )
    return tuple(_Value(graph, one) for one in made)


@_checked(_core.BuildError)
def segmentation_augment(
    jpeg: _Value,
    mask: _Value,
    *,
    height: int = 512,
    width: int = 512,
    min_scale: float = 0.5,
    max_scale: float = 2.0,
    fill: int | tuple[int, int, int] = (124, 116, 104),
    ignored: int = 255,
    mirror_probability: float = 0.5,
    color_probability: float = 0.5,
) -> tuple[_Value, _Value]:
    """Scales an image and its mask, and cuts out a random window.

    Both are scaled by the same factor, padded if too small, cropped, and flipped together. The colors of the image change.
    Pixel values of the mask are copied, never blended.

    Parameters
    ----------
    jpeg : Value of bytes
    mask : Value of image
        One channel, and the size of the image. Decode it with ``ops.decode_image(file, ids=True)``.
    height, width : int, default 512
        The size of the result, in pixels.
    min_scale, max_scale : float, default 0.5 and 2
        The range of the scale factor.
    fill : int, or list of 3 or 4 ints, default (124, 116, 104)
        The color of the image's padding.
    ignored : int, default 255
        The pixel value of the mask's padding, 0 to 255.
    mirror_probability : float, default 0.5
    color_probability : float, default 0.5
        The probability of each of the four changes of :func:`photometric_distort`.

    Returns
    -------
    image, mask : Value of image
    """
    graph, slot = _slot(jpeg, "segmentation_augment", _NOT_DECODED)
    made = graph.core.segmentation_augment(
        slot, _slot(mask, "segmentation_augment")[1], height, width, min_scale, max_scale,
        _fill_values(fill, "segmentation_augment"), ignored, mirror_probability, color_probability,
    )
    return _Value(graph, made[0]), _Value(graph, made[1])


@_checked(_core.BuildError)
def photometric_distort(image: _Value, *, probability: float = 0.5) -> _Value:
    """Changes brightness, contrast, saturation and hue as SSD does, each with this probability.

    Brightness changes by a factor of 0.875 to 1.125, contrast and saturation by a factor of 0.5 to 1.5, and hue by up to
    18 degrees.

    Parameters
    ----------
    image : Value of image
    probability : float, default 0.5
        0 to 1.

    Returns
    -------
    image : Value of image
    """
    graph, slot = _image_slot(image, "photometric_distort")
    return _Value(graph, graph.core.photometric_distort(slot, probability))


__all__ = sorted(
    name for name, thing in globals().items() if callable(thing) and not name.startswith("_")
)
__all__ = [name for name in __all__ if name not in ("annotations", "Any", "Sequence")]

_SCHEMAS = {_name_in_python(_one["name"]): _with_tensors(_one) for _one in _OPERATORS.values()}
_DECLARED = {_name for _name in __all__ if hasattr(globals()[_name], "__signature__")}  # made from the library's declarations

# Arguments that stand for two others, as torchvision, DALI and NumPy have them.
_PAIRS = {
    "size": ("height", "width"), "area": ("min_area", "max_area"), "ratio": ("min_ratio", "max_ratio"), "range": ("lo", "hi"),
}


def _both(operator: str, pair: str, given: Any, kwargs: dict[str, Any]) -> dict[str, Any]:
    """Returns the two arguments that a pair stands for."""
    both = _PAIRS[pair]
    for one in both:
        if kwargs.get(one) is not None:
            raise TypeError(f"{operator}: {pair}= stands for {both[0]}= and {both[1]}=, but {one}= is given, too; leave out one of the two")
    if pair == "size" and (isinstance(given, _Value) or _is_number(given)):
        if operator == "resize":
            raise TypeError(
                "resize: size= must be (height, width) (got one number); write shorter= for the shorter side, longer= for the longer one"
            )
        return {one: given for one in both}
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        one_number = ", or one number for both" if pair == "size" and operator != "resize" else ""
        raise TypeError(f"{operator}: {pair}= must be a pair, ({both[0]}, {both[1]}){one_number} (got {_short(given)})")
    return dict(zip(both, given))


def _with_pairs(function: Any) -> Any:
    """Returns a function that also takes `_PAIRS` for which it has both arguments, and resize `longer`."""
    signature, operator = _inspect.signature(function), function.__name__
    names = signature.parameters
    required = [one.name for one in names.values() if one.default is one.empty]
    pairs = [
        pair for pair, both in _PAIRS.items()
        if pair not in names and _builtins.all(one in names for one in both)
        and (tuple(required[-2:]) == both or not set(both) & set(required))
    ]
    longer = operator == "resize"
    if not pairs:
        return function

    @_functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        for pair in pairs:
            if pair in kwargs and (given := kwargs.pop(pair)) is not None:
                kwargs.update(_both(operator, pair, given, kwargs))
        if longer and kwargs.get("longer") is not None:
            for one in ("height", "width", "shorter", "mode"):
                if kwargs.get(one) is not None:
                    raise TypeError(f"resize: longer= and {one}= exclude each other; leave out one of the two")
            side = kwargs.pop("longer")
            kwargs.update(height=side, width=side, mode="not_larger")
        elif longer:
            kwargs.pop("longer", None)
        return function(*args, **kwargs)

    kind = _inspect.Parameter
    parameters = [
        one.replace(default=None) if one.default is one.empty and _builtins.any(name in _PAIRS[pair] for pair in pairs) else one
        for name, one in names.items()
    ]
    text = ""
    for pair in pairs:
        both = _PAIRS[pair]
        one_number = ", or one number for both" if pair == "size" and not longer else ""
        annotation = "Sequence[float | Value]" if pair != "size" else "Sequence[int | Value]" if longer else "int | Value | Sequence[int | Value]"
        parameters.append(kind(pair, kind.KEYWORD_ONLY, default=None, annotation=f"{annotation} | None"))
        text += f"{pair} : ({both[0]}, {both[1]}){one_number}, optional\n    In place of {both[0]} and {both[1]}.\n"
    if longer:
        parameters.append(kind("longer", kind.KEYWORD_ONLY, default=None, annotation="int | Value | None"))
        text += "longer : int or Value, optional\n    The length of the longer side; the other one follows.\n"
    call.__signature__ = signature.replace(parameters=parameters)
    if call.__doc__:
        before, mark, after = _inspect.cleandoc(call.__doc__).partition("\n\nReturns\n")
        call.__doc__ = f"{before}\n{text.rstrip()}{mark}{after}"
    return call


def _axes_of(axis: Any, operator: str) -> tuple[int, ...]:
    """The axes as whole numbers. They are a part of the plan, so they are checked before it is looked up."""
    if isinstance(axis, _Value):
        raise _core.BuildError(f"{operator}: axis must be the same for all samples, not {axis!r}")
    listed = axis.tolist() if hasattr(axis, "tolist") else axis
    listed = list(listed) if isinstance(listed, (tuple, list)) else [listed]
    for one in listed:
        if isinstance(one, bool) or not hasattr(one, "__index__"):
            raise _core.BuildError(f"{operator}: axis must be a whole number or several (got {_short(axis)})")
    return tuple(one.__index__() for one in listed)


def _with_axis(function: Any, schema: dict) -> Any:
    """Returns a reduction that also takes the axes along which it reduces, as NumPy's."""
    operator = function.__name__
    names = [*_inspect.signature(function).parameters, "axis", "keepdims"]

    def along(data: _Value, to: Any = None, *, axis: tuple, keepdims: bool) -> _Value:
        if to is not None:
            raise TypeError(f"{operator} takes to= or axis=, not both; cast the elements before, for another type")
        graph, _ = _slot(data, operator)
        numbers = _padded(axis, _count_of("reduce_axes", "axes"), operator, "axes")
        return graph.operator("reduce_axes", data, len(axis), numbers, operation=operator, keep_dims=keepdims)

    along.__name__ = operator
    # An array is a tensor here: a matrix of bytes has two axes, not the three of an image.
    of_tensors = {**schema, "inputs": [{**schema["inputs"][0], "types": ["tensor"]}]}
    along = _eager(_refusing(Exception)(_checked(_core.BuildError)(along)), of_tensors)
    plain = _eager(_refusing(Exception)(function), schema)

    @_functools.wraps(function)
    def call(*args: Any, axis: Any = None, keepdims: bool = False, **kwargs: Any) -> Any:
        for name in kwargs:
            if name not in names:
                raise TypeError(f"{operator}() has no argument {name!r}; it has {', '.join(names)}{_meant(operator, name, names) or _near(name, names)}")
        if axis is not None:
            return along(*args, axis=_axes_of(axis, operator), keepdims=bool(keepdims), **kwargs)
        if keepdims:
            raise TypeError(f"{operator}: keepdims= needs axis=")
        return plain(*args, **kwargs)

    kind = _inspect.Parameter
    signature = _inspect.signature(function)
    parameters = [
        *signature.parameters.values(),
        kind("axis", kind.KEYWORD_ONLY, default=None, annotation="int | Sequence[int] | None"),
        kind("keepdims", kind.KEYWORD_ONLY, default=False, annotation="bool"),
    ]
    setattr(call, "__signature__", signature.replace(parameters=parameters))
    elements = {"min": "of the same type", "max": "of the same type", "any": "bool", "all": "bool",
                "sum": "i64 for whole numbers, f64 for f64, else f32"}.get(operator, "f64 for f64, else f32")  # fmt: skip
    text = (
        "axis : int or list of int, optional\n    The axes along which to reduce; -1 is the last one. With `axis`, the result is a tensor;\n"
        f"    its elements are {elements}.\n"
        "keepdims : bool, default False\n    The reduced axes stay, with size 1. Needs `axis`."
    )
    before, mark, after = _inspect.cleandoc(function.__doc__).partition("\n\nReturns\n")
    call.__doc__ = f"{before}\n{text}{mark}{after}"
    return call


def _sums_fractions(function: Any) -> Any:
    """Returns a `sum` for which an array of fractions, outside of a pipeline, has a sum of the type f64."""

    @_functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        data = args[0] if args else kwargs.get("data")
        if len(args) < 2 and kwargs.get("to") is None and kwargs.get("axis") is None and str(getattr(data, "dtype", "")).removeprefix("torch.").startswith(("f", "bf")):
            kwargs["to"] = "f64"
        return function(*args, **kwargs)

    return call


for _name in __all__:
    _function = _with_pairs(globals()[_name])
    if _name in _ALONG_AXES:
        _function = _with_axis(_function, _SCHEMAS[_name])
    else:
        _function = _eager(_refusing(Exception)(_function), _SCHEMAS.get(_name) if _name in _DECLARED else None)
    if _name == "sum":
        _function = _sums_fractions(_function)
    globals()[_name] = _refusing(Exception)(_with_form(_function))


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    if name in _DEPRECATED:
        _warnings.warn(f"ops.{name} has a new name: {_DEPRECATED[name]}", DeprecationWarning, stacklevel=2)
        return _sys.modules[__package__].drop_unless if name == "filter" else globals()[_DEPRECATED[name].removeprefix("ops.")]
    advice = _peers.for_name(name)
    if advice is not None:
        raise AttributeError(f"there is no operator {name!r}; {_peers.instead(advice)}")
    raise AttributeError(f"there is no operator {name!r}{_near(name, __all__) or '; dir(sluice.ops) names all'}")
