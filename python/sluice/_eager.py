"""Calls on single arrays, outside of a pipeline: ``ops.rotate(array, 10)``.

A call describes its steps once, and later calls with arguments of the same kinds run them again. The steps are those of a
pipeline, so results are equal.
"""

from __future__ import annotations

import functools
import operator
import os
import random
import sys
import warnings
from collections.abc import Callable
from typing import Any, NoReturn, Protocol

from . import _core
from ._arguments import refuse_masked, short
from ._batch import Array
from ._describing import current_graph
from ._graph import Graph, describing, python_name
from ._structure import flatten, rebuild
from ._value import Value


class _SharesMemory(Protocol):
    def __dlpack__(self, *args: Any, **kwargs: Any) -> Any: ...


class _PillowImage(Protocol):
    @property
    def mode(self) -> str: ...
    @property
    def size(self) -> tuple[int, int]: ...


#: Arguments of a call outside of a pipeline: arrays, the bytes of a file, and images of PIL; see is_array().
AnyArray = bytes | bytearray | memoryview | _SharesMemory | _PillowImage

_MOST_PLANS = 256
_seeds = random.Random()  # seeded by the operating system
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_seeds.seed)


class _Kind:
    """How arguments of one kind become values of a sample, and results return."""

    def __init__(self, type: str, given: Callable[[Any], Any], returned: Callable[[Any], Any]):
        self.type, self.given, self.returned = type, given, returned


def _same(x: Any) -> Any:
    return x


def _numpy(array: Any) -> Any:
    return array.numpy() if isinstance(array, _core.Array) else array


def _torch(array: Any) -> Any:
    return sys.modules["torch"].from_dlpack(array) if isinstance(array, _core.Array) else array


def _torch_chw(array: Any) -> Any:
    tensor = _torch(array)
    channels_last = isinstance(array, _core.Array) and (array.layout == "HWC" or (array.dtype == "u8" and array.layout != "CHW"))
    return tensor.permute(2, 0, 1) if channels_last and len(array.shape) == 3 else tensor


def _pillow(array: Any) -> Any:
    if not isinstance(array, _core.Array) or array.dtype != "u8" or len(array.shape) != 3 or array.layout == "CHW":
        return _numpy(array)
    pixels = array.numpy()
    return sys.modules["PIL.Image"].fromarray(pixels[:, :, 0] if pixels.shape[2] == 1 else pixels)


def pixels_of_pillow(image: Any) -> Any:
    """Returns the pixels of an image of PIL as an array; raises BuildError for modes that are no gray or RGB image."""
    import numpy

    if image.mode not in ("L", "RGB", "RGBA"):
        raise _core.BuildError(f"images of PIL must be L, RGB or RGBA, not {image.mode}; image.convert('RGB') makes one")
    return numpy.asarray(image)


_IMAGE = _Kind("image", _same, _numpy)
_TENSOR = _Kind("tensor", _same, _numpy)
_BYTES = _Kind("bytes", _same, _numpy)
_TORCH_IMAGE = _Kind("image", _same, _torch)
_TORCH_TENSOR = _Kind("tensor", _same, _torch)
_TORCH_CHW = _Kind("image", lambda tensor: tensor.permute(1, 2, 0), _torch_chw)
_PILLOW = _Kind("image", pixels_of_pillow, _pillow)
_ARRAY = _Kind("image", lambda array: array._core.numpy(), _numpy)
_ARRAY_TENSOR = _Kind("tensor", lambda array: array._core.numpy(), _numpy)
_FLOAT = _Kind("f32", _same, _same)
_INT = _Kind("i32", _same, _same)

_NO_ARRAYS = frozenset((Value, int, float, str, bool, tuple, list, dict, type(None)))


def is_array(x: Any) -> bool:
    """True for an array, the bytes of a file, and an image of PIL."""
    kind = type(x)
    if kind in _NO_ARRAYS:
        return False
    if isinstance(x, (bytes, bytearray, memoryview, Array)) or hasattr(x, "__dlpack__"):
        return getattr(x, "ndim", 1) != 0  # NumPy's numbers are no arrays
    return kind.__module__.startswith("PIL.")


def _kind_of(x: Any, wanted: tuple[str, ...], chw: bool) -> _Kind:
    """The kind of an array. `wanted`: the types that the operator takes; empty if they are not known."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and type(x) is numpy.ndarray:  # the most frequent kind
        of_bytes = x.dtype.char == "B"
        if not _is_image(x.shape, of_bytes, wanted):
            return _TENSOR
        if not of_bytes:
            _refuse_image(x.dtype, "astype('uint8')")
        return _IMAGE
    refuse_masked(x)
    if isinstance(x, (bytes, bytearray, memoryview)):
        return _BYTES
    if type(x).__module__.startswith("PIL."):
        return _PILLOW
    torch = sys.modules.get("torch")
    is_tensor = torch is not None and isinstance(x, torch.Tensor)
    shape = tuple(x.shape)
    of_bytes = str(x.dtype) in ("uint8", "u8", "torch.uint8")
    if is_tensor and chw and len(shape) == 3 and shape[0] <= 4:
        if not of_bytes:
            _refuse_image(x.dtype, "to(torch.uint8)")
        return _TORCH_CHW
    if _is_image(shape, of_bytes, wanted):
        if not of_bytes:
            _refuse_image(x.dtype, "to(torch.uint8)" if is_tensor else "astype('uint8')")
        return _TORCH_IMAGE if is_tensor else _ARRAY if isinstance(x, Array) else _IMAGE
    return _TORCH_TENSOR if is_tensor else _ARRAY_TENSOR if isinstance(x, Array) else _TENSOR


def channels_of(x: Any) -> int | None:
    """The channels of one image, channels first for tensors of PyTorch; None for a file and for other arrays."""
    if hasattr(x, "getbands"):  # an image of PIL
        return len(x.getbands())
    shape = tuple(getattr(x, "shape", ()))
    if len(shape) not in (2, 3):
        return None
    torch = sys.modules.get("torch")
    first = torch is not None and isinstance(x, torch.Tensor) and shape[0] <= 4
    return 1 if len(shape) == 2 else shape[0] if first else shape[2]


def _refuse_image(dtype: Any, cast: str) -> NoReturn:
    raise _core.BuildError(
        f"an image is an array of uint8, not of {dtype}; x.{cast} if the numbers are 0 to 255, (x * 255).{cast} if they are 0 to 1"
    )


def _require_channels_last(operator: str, shape: tuple[int, ...]) -> None:
    """Raises BuildError for the shape (channels, height, width)."""
    if len(shape) == 3 and shape[0] <= 4 and shape[2] > 16:
        raise _core.BuildError(
            f"{operator}: an array of shape {shape} would have {shape[2]} channels, because channels are last; x.transpose(1, 2, 0) makes them "
            "last, and x.permute(1, 2, 0) of a PyTorch tensor"
        )


def _is_image(shape: tuple[int, ...], bytes: bool, wanted: tuple[str, ...]) -> bool:
    if wanted and ("image" not in wanted or "tensor" not in wanted):
        return "image" in wanted
    return bytes and (len(shape) == 2 or (len(shape) == 3 and 1 <= shape[2] <= 4))


class Evaluation:
    """Described steps that run for the given values at once."""

    def __init__(self, describe: Callable[[list[Value]], Any], types: list[str]):
        graph = Graph()
        with describing(graph):
            inputs = graph._values(graph.core.inputs(types))
            result = describe(inputs)
            graph.draws.settle()
            if graph.refused is not None:
                raise graph.refused
            leaves, self._shape = flatten(result)
            slots = [graph._own(graph.constant(one), "a call") for one in leaves]
        self._core = _core.Evaluator(graph.core, slots)

    def __call__(self, values: tuple, seed: int, returned: Callable[[Any], Any]) -> Any:
        made, warned = self._core.run(values, seed)
        for text in warned:
            warnings.warn(text, stacklevel=4)
        leaves = [returned(one) for one in made]
        return leaves[0] if self._shape is None else rebuild(self._shape, leaves)


def _seed_of(seed: Any, generator: Any) -> int:
    if generator is not None:
        if seed is not None:
            raise TypeError("seed and generator say the same; pass one of them")
        if hasattr(generator, "getrandbits"):  # random.Random
            return generator.getrandbits(63)
        if hasattr(generator, "integers"):  # numpy.random.Generator
            return int(generator.integers(2**63))
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(generator, torch.Generator):
            return int(torch.randint(2**63 - 1, (), generator=generator))
        raise TypeError(f"generator must be one of random, NumPy or PyTorch (got {short(generator)})")
    if seed is None:
        return _seeds.getrandbits(63)
    whole = operator.index(seed) if hasattr(seed, "__index__") and not isinstance(seed, bool) else -1
    if not 0 <= whole < 2**64:
        raise TypeError(f"seed must be a whole number from 0 to 2**64 - 1 (got {short(seed)})")
    return whole


class Plans:
    """The described steps of one function, by the kinds of its arguments."""

    def __init__(self, function: Callable[..., Any], schema: dict | None = None, chw: bool = False):
        self._function, self._chw = function, chw
        self._channels_last = bool(schema and schema.get("channels_last"))
        self._wanted: dict[Any, tuple[str, ...]] = {}  # the types of inputs, by place and name
        self._numbers: dict[Any, _Kind] = {}  # parameters that may differ between calls of one plan
        for place, one in enumerate(schema["inputs"] if schema else ()):
            self._wanted[place] = self._wanted[python_name(one["name"])] = tuple(one["types"])
        for one in schema["parameters"] if schema else ():
            kind = {"f32": _FLOAT, "i32": _INT}.get(one["type"])
            if kind is not None and one["per_sample"] and one["count"] <= 1 and not one["choices"] and not one["optional"]:
                self._numbers[python_name(one["name"])] = kind
        inputs = len(schema["inputs"]) if schema else 0
        for place, one in enumerate([one for one in schema["parameters"] if one["required"]] if schema else ()):
            if python_name(one["name"]) in self._numbers:
                self._numbers[inputs + place] = self._numbers[python_name(one["name"])]
        self._plans: dict[tuple, Evaluation] = {}

    def call(self, args: tuple, kwargs: dict[str, Any], seed: Any = None, generator: Any = None) -> Any:
        key: list[Any] = []
        kinds: list[_Kind] = []
        values: list[Any] = []
        for place, x in enumerate(args):
            self._note(place, x, key, kinds, values)
        for name, x in kwargs.items():
            key.append(name)
            self._note(name, x, key, kinds, values)
        found = self._plans.get(tuple(key))
        if found is None:
            found = Evaluation(lambda inputs: self._described(args, kwargs, inputs), [kind.type for kind in kinds])
            while len(self._plans) >= _MOST_PLANS:
                self._plans.pop(next(iter(self._plans)), None)
            self._plans[tuple(key)] = found
        returned = _numpy
        for kind in kinds:
            if kind.returned is not _same:
                returned = kind.returned
                break
        return found(tuple(values), _seed_of(seed, generator), returned)

    def _note(self, place: Any, x: Any, key: list[Any], kinds: list[_Kind], values: list[Any]) -> None:
        """Adds an argument to the key of its plan, and its value to the inputs."""
        kind = self._kind(place, x)
        if kind is not None:
            kinds.append(kind)
            values.append(kind.given(x))
            key.append(kind)
        elif _is_list_of_arrays(x):
            key.append((type(x), len(x)))
            for one in x:
                self._note(place, one, key, kinds, values)
        else:
            key.append(_hashable(x))

    def _kind(self, place: Any, x: Any) -> _Kind | None:
        """The kind of an argument that becomes an input of the plan; None for one that is part of the plan."""
        if is_array(x):
            kind = _kind_of(x, self._wanted.get(place, ()), self._chw)
            if self._channels_last and kind.type == "tensor":
                _require_channels_last(self._function.__name__, tuple(x.shape))
            return kind
        number = self._numbers.get(place)
        return number if type(x) is float or (type(x) is int and number is _INT) else None

    def _described(self, args: tuple, kwargs: dict[str, Any], inputs: list[Value]) -> Any:
        left = iter(inputs)

        def value(place: Any, x: Any) -> Any:
            if self._kind(place, x) is not None:
                return next(left)
            if _is_list_of_arrays(x):
                return type(x)(value(place, one) for one in x)
            return x

        given = [value(place, x) for place, x in enumerate(args)]
        return self._function(*given, **{name: value(name, x) for name, x in kwargs.items()})


def _hashable(x: Any) -> Any:
    try:
        hash(x)
    except TypeError:
        return type(x), repr(x)
    return type(x), x


def eager(function: Callable[..., Any], schema: dict | None = None) -> Callable[..., Any]:
    """Makes an operator's function compute at once if it is given arrays outside of a pipeline."""
    plans = Plans(function, schema)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        draws = "seed" in kwargs or "generator" in kwargs  # such as ops.uniform(0, 1, seed=7), which takes no array
        if current_graph() is not None or not (draws or _has_array(args, kwargs)):
            return function(*args, **kwargs)
        seed, generator = kwargs.pop("seed", None), kwargs.pop("generator", None)
        return plans.call(args, kwargs, seed, generator)

    return call


def _has_array(args: tuple, kwargs: dict[str, Any]) -> bool:
    for x in args:  # the first one nearly always
        if is_array(x) or _is_list_of_arrays(x):
            return True
    return any(is_array(x) or _is_list_of_arrays(x) for x in kwargs.values())


def _is_list_of_arrays(x: Any) -> bool:
    kind = type(x)
    return (kind is list or kind is tuple) and any(map(is_array, x))
