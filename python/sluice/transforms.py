"""torchvision's transforms for pipelines: the names, argument orders, units and defaults of `torchvision.transforms.v2`.

::

    from sluice import transforms as T

    transform = T.Compose([
        T.RandomResizedCrop(224),
        T.RandomHorizontalFlip(),
        T.ToImage(),
        T.ToDtype("float32", scale=True),
        T.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225]),
    ])
    loader = sluice.torch.ImageFolder("train", transform, batch_size=256, shuffle=True)

In a function that is marked with :func:`sluice.pipeline`, a transform takes a Value: an image, or the bytes of an image
file. It adds operators of :mod:`sluice.ops` to the pipeline, and returns the new Value. So the decoder decodes only what
a crop needs, and each sample runs only the branches that it draws.

Outside of a pipeline, a transform takes one image and returns the result: a NumPy array (height, width, channels), a
PyTorch tensor (channels, height, width), an image of PIL, or the bytes of a file. ``seed=`` or ``generator=`` make random
transforms repeatable.

Images are (height, width, channels) of dtype u8 until the end. ``ToImage`` makes the result (channels, height, width).
``ToDtype`` and ``Normalize`` set its dtype and scale. After a floating-point ``ToDtype``, only flips, ``CenterCrop``,
``RandomCrop``, ``Pad``, ``RandomErasing`` and ``Normalize`` are possible. Wrong arguments raise BuildError, some of them
when the pipeline is described.
"""

from __future__ import annotations

import inspect
import itertools
import math
import random
import statistics
from collections.abc import Callable, Sequence
from typing import Any, Never

from . import _core, _peers, ops
from ._arguments import list_of_numbers, near, short
from ._control import apply_if, select
from ._describing import current_graph, refuse
from ._eager import Plans, channels_of, is_array
from ._mix import cut_mix, mix_up
from ._value import Value, is_number
from .sources import map as _map

_DTYPES = {"uint8": "u8", "float32": "f32", "float": "f32", "float16": "f16", "half": "f16", "bfloat16": "bf16"}
_PILLOW = {0: "nearest", 1: "lanczos", 2: "bilinear", 3: "bicubic", 4: "box", 5: "hamming"}
_MOST_ORDERED = 5


class _State:
    """The state while transforms are added: the Value of the image, and layout, dtype and scale of the result."""

    def __init__(self, value: Value, channels: int | None = None):
        self._value = value
        self._mirror: Value | None = None  # a deferred flip
        self.channels_first = False
        self.channels = 3 if self.is_file else channels  # if known; files are decoded to RGB
        self.dtype: str | None = None
        self.scaled = False  # to 0 .. 1
        self.mean: list[float] | None = None
        self.std: list[float] | None = None

    @property
    def is_file(self) -> bool:
        return self._value.type in ("bytes", "byte_span")

    @property
    def floating(self) -> bool:
        return self.dtype not in (None, "u8") or self.mean is not None

    def image(self, user: str, copies: bool = False) -> Value:
        """The image so far. `copies`: the transform only copies pixels, or replaces them by a color."""
        if self.floating and not copies:
            raise _core.BuildError(
                f"{user} works on images of uint8, but ToTensor, ToDtype or Normalize comes before it; put {user} before them"
            )
        if self.is_file:
            self._value = ops.decode_image(self._value)
        if self._value.type == "tensor":
            raise _core.BuildError(
                f"{user} takes an image or a file, not a tensor: pass arrays of uint8 with 2 or 3 dimensions, one image a call, and put all "
                "transforms into one Compose"
            )
        if self._value.type != "image":
            raise _core.BuildError(f"{user} takes an image or a file, not {self._value!r}")
        if self._mirror is not None:
            self._value, self._mirror = ops.flip(self._value, horizontal=self._mirror), None
        return self._value

    def set(self, image: Value) -> None:
        self._value = image

    def require_value(self, user: str) -> None:
        if not isinstance(self._value, Value) or self._value.type not in ("image", "bytes", "byte_span"):
            raise _core.BuildError(f"{user}: a transform must return a Value of an image (got {short(self._value)})")

    def flip_later(self, mirror: Value) -> None:
        self._value, self._mirror = self.image("RandomHorizontalFlip", copies=True), mirror

    def fill(self, values: Any) -> Any:
        """A color in units of the values so far, as pixel values."""
        if not self.floating:
            return values
        given = [float(values)] if is_number(values) else [float(one) for one in values]
        mean, std = self.mean or [0.0], self.std or [1.0]
        count = max(len(given), len(mean), len(std))
        given, mean, std = (one * count if len(one) == 1 else one for one in (given, mean, std))
        unit = 255 if self.scaled else 1
        pixel = [min(255, max(0, round(unit * (x * s + m)))) for x, m, s in zip(given, mean, std)]
        return pixel[0] if count == 1 else tuple(pixel)

    def deviation(self) -> float:
        """Returns a normalized standard deviation of 1 in pixel values, averaged over the channels."""
        return statistics.fmean(self.std or [1.0]) * (255 if self.scaled else 1)

    def finish(self) -> Value:
        if not self.channels_first and not self.floating:
            return self.image("the result")
        mirror = False if self._mirror is None else self._mirror
        self._mirror = None
        image = self.image("the result", copies=True)
        layout = "CHW" if self.channels_first else "HWC"
        if self.mean is None:
            scale = 1.0 if self.scaled and self.floating else 255.0
            return ops.crop_mirror_normalize(image, mirror=mirror, dtype=self.dtype or "u8", layout=layout, scale=scale)
        unit = 1.0 if self.scaled else 255.0
        if any(abs(one) > unit for one in self.mean):
            advice = "; divide mean and std by 255" if self.scaled else ""
            raise _core.BuildError(f"Normalize: mean must lie between {-unit:g} and {unit:g} (got {short(self.mean)}){advice}")
        std = [one / unit for one in self.std or []]
        if len(std) == 1 and len(self.mean) == 3:
            std *= 3
        if len(std) == 3:
            std.append(0.0)  # an image of 4 channels fails, because a fourth number is missing
        most = max(1.0, *std)  # the operator takes at most 1
        return ops.crop_mirror_normalize(
            image, mirror=mirror, mean=[one / unit for one in self.mean], std=[one / most for one in std], scale=1 / most,
            dtype=self.dtype or "f32", layout=layout,
        )


#: Counts changes of transforms that described plans contain: the plans are then described anew.
_changes = [0]


def _add(transform: Any, state: _State) -> None:
    """Adds a transform, or a function of a Value. An error names it."""
    is_own = isinstance(transform, Transform)
    name = type(transform).__name__ if is_own else getattr(transform, "__name__", "a function")
    if is_own:
        transform.__dict__["_used"] = True
    if not is_own or type(transform).__call__ is not Transform.__call__:
        state.set(transform(state.image(name)))
        state.channels = None
    else:
        try:
            transform._add(state)
        except _core.BuildError as error:
            if str(error).startswith(name) or isinstance(transform, (Compose, _Branching)):
                raise
            raise refuse(_core.BuildError(f"{name}: {error}"), cause=error) from error
        if not isinstance(transform, (Compose, Grayscale)) and not _keeps_channels(transform):
            state.channels = None
    state.require_value(name)


def _keeps_channels(transform: Any) -> bool:
    """True if the result is known to have as many channels as the image."""
    if isinstance(transform, (Compose, _Branching)):
        return all(map(_keeps_channels, transform.transforms))
    return type(transform).__module__ == __name__ and not isinstance(transform, (Grayscale, RandomGrayscale, Lambda))


class Transform:
    """The base of all transforms. For a transform of your own, write a function of a Value and put it into Compose."""

    def __call__(self, image: Any, *others: Never, seed: int | None = None, generator: Any = None) -> Any:
        if others:
            raise TypeError(
                f"{type(self).__name__} takes one image (got {1 + len(others)} arguments); boxes and masks move with their image by operators, "
                "such as ops.crop_boxes after ops.crop, or in ops.segmentation_augment and ops.detection_augment"
            )
        if isinstance(image, Value):
            return self._of_value(image)
        if not is_array(image):
            raise TypeError(
                f"{type(self).__name__} takes a Value of a pipeline, an array, the bytes of a file or an image of PIL, not "
                f"{type(image).__name__}"
            )
        if current_graph() is not None:
            raise _core.BuildError(f"{type(self).__name__}: in a pipeline, pass a Value, not {type(image).__name__}")
        plans, changes = self.__dict__.get("_plans", (None, -1))
        if changes != _changes[0]:
            plans = Plans(self._of_value, chw=True)
            self.__dict__["_plans"] = plans, _changes[0]
        return plans.call((image, channels_of(image)), {}, seed, generator)

    def _of_value(self, image: Value, channels: int | None = None) -> Value:
        state = _State(image, channels)
        _add(self, state)
        return state.finish()

    def __setattr__(self, name: str, value: Any) -> None:
        if "_used" in self.__dict__:
            _changes[0] += 1
        super().__setattr__(name, value)

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_plans", "_used")}

    def _add(self, state: _State) -> None:
        """Adds the operators to the pipeline."""
        state.set(self._change(state.image(type(self).__name__)))

    def _change(self, image: Value) -> Value:
        raise NotImplementedError

    def __repr__(self) -> str:
        names = [name for name in inspect.signature(type(self).__init__).parameters if name in vars(self)]
        return f"{type(self).__name__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


class BatchTransform:
    """The base of transforms of whole batches, for :meth:`sluice.Pipeline.batch_step` or `ImageFolder(batch_transform=)`.

    A subclass defines ``__call__(batch, key)``, which changes the batch in place. ``key`` is the batch's
    :class:`sluice.BatchKey`.
    """

    num_classes: int | None = None  # the length of labels; None: the number of classes of ImageFolder

    def __call__(self, batch: Any, key: Any) -> None:
        raise NotImplementedError

    __repr__ = Transform.__repr__


# --- Arguments. ---


def require_transforms(given: Any, user: str, least: int = 1) -> list[Any]:
    """Returns the transforms of a list; raises BuildError for anything else in it."""
    if not isinstance(given, Sequence) and not hasattr(given, "__iter__"):
        raise _core.BuildError(f"{user} takes a list of transforms (got {short(given)})")
    found = list(given)
    if len(found) < least:
        raise _core.BuildError(f"{user} takes at least {least} transform{'s' if least > 1 else ''} (got {len(found)})")
    for one in found:
        library = type(one).__module__.split(".")[0]
        if library in ("torchvision", "albumentations", "kornia", "torch"):
            raise _core.BuildError(
                f"{user}: {type(one).__name__} is of {library}, not of sluice.transforms; use sluice.transforms.{type(one).__name__}, "
                "or sluice.map to call it for each sample"
            )
        if isinstance(one, type):
            raise _core.BuildError(f"{user}: {one.__name__} is a class; write {one.__name__}()")
        if not callable(one):
            raise _core.BuildError(f"{user} takes transforms, and functions of a Value, not {short(one)}")
        if isinstance(one, BatchTransform):
            raise _core.BuildError(f"{user}: {one!r} changes whole batches; pass it as batch_transform= of ImageFolder")
    return found


def _probability(p: Any, user: str) -> float:
    if not is_number(p) or not 0 <= p <= 1:
        raise _core.BuildError(f"{user}: p must lie between 0 and 1 (got {short(p)})")
    return float(p)


def _range(given: Any, user: str, what: str, low: float = -math.inf) -> tuple[float, float]:
    """A range of two numbers, smallest first."""
    ends = list_of_numbers(given, f"{user}: {what}")
    if len(ends) != 2 or not low <= ends[0] <= ends[1]:
        limit = "" if low == -math.inf else f" of at least {low:g}"
        raise _core.BuildError(f"{user}: {what} must be a range of 2 numbers{limit}, smallest first (got {short(given)})")
    return ends[0], ends[1]


def _around_zero(given: Any, user: str, what: str) -> tuple[float, float]:
    """A range, or a number x for the range -x to x."""
    if not is_number(given):
        return _range(given, user, what)
    if not given >= 0:
        raise _core.BuildError(f"{user}: {what} must be at least 0, or a range (got {short(given)})")
    return -float(given), float(given)


def _size(given: Any, user: str, what: str = "size") -> tuple[int, int]:
    """A height and a width; one number is both."""
    sizes = [given] if is_number(given) else list_of_numbers(given, f"{user}: {what}")
    sizes = sizes * 2 if len(sizes) == 1 else sizes
    if len(sizes) != 2 or not all(float(one).is_integer() and one >= 1 for one in sizes):
        raise _core.BuildError(f"{user}: {what} must be a whole number of at least 1, or (height, width) (got {short(given)})")
    return int(sizes[0]), int(sizes[1])


def _whole(given: Any, user: str, what: str) -> list[int]:
    numbers = list_of_numbers(given, f"{user}: {what}")
    if not all(one.is_integer() for one in numbers):
        raise _core.BuildError(f"{user}: {what} must be whole numbers (got {short(given)})")
    return [int(one) for one in numbers]


def _interpolation(given: Any, user: str) -> str:
    name = getattr(given, "value", given)  # torchvision's InterpolationMode and Pillow's Resampling
    name = _PILLOW.get(name, name) if is_number(name) else name
    if not isinstance(name, str):
        two_sides = "; a pair is one argument, (height, width)" if is_number(given) else ""
        raise _core.BuildError(f"{user}: interpolation must be a name such as 'bilinear' (got {short(given)}){two_sides}")
    return "nearest" if name == "nearest-exact" else name


def _antialias(given: Any, interpolation: str, user: str) -> bool:
    given = given is None or bool(given)
    if not given and interpolation not in ("nearest", "bilinear"):
        raise _core.BuildError(f"{user}: antialias=False is available for 'nearest' and 'bilinear' (got {interpolation!r}); leave it out")
    return given


def _fill(given: Any, user: str) -> Any:
    if isinstance(given, dict):
        raise _core.BuildError(f"{user}: fill must be a number or one for each channel, not a dict")
    return 0 if given is None else given


def _border(padding_mode: str, user: str) -> str:
    if padding_mode not in ("constant", "edge", "reflect"):
        known = "'constant', 'edge' or 'reflect'"
        raise _core.BuildError(f"{user}: padding_mode must be {known}; 'symmetric' is not available (got {short(padding_mode)})")
    return padding_mode


def _drawn(ends: tuple[float, float]) -> Value | float:
    return ends[0] if ends[0] == ends[1] else ops.uniform(*ends)


def _by_chance(p: float, image: Value, change: Callable[[Value], Value], name: str) -> Value:
    return change(image) if p == 1 else apply_if(ops.coin_flip(p), image, change, name=name)


# --- Containers. ---


class Compose(Transform):
    """Applies transforms one after the other.

    Parameters
    ----------
    transforms : list
        Transforms of this module, and functions that take and return a Value of an image.
    """

    def __init__(self, transforms: Sequence[Any]):
        self.transforms = require_transforms(transforms, "Compose")

    def _add(self, state: _State) -> None:
        for one in self.transforms:
            _add(one, state)

    def __repr__(self) -> str:
        lines = "".join(f"\n    {line}" for one in self.transforms for line in f"{one!r}".splitlines())
        return f"{type(self).__name__}({lines}\n)"


class _Branching(Transform):
    """Transforms that run in a branch. They cannot contain ToImage, ToDtype and Normalize."""

    def _branch(self, transforms: Sequence[Any]) -> Callable[[Value], Value]:
        def run(image: Value) -> Value:
            state = _State(image)
            Compose(transforms)._add(state)
            if state.channels_first or state.floating:
                name = type(self).__name__
                raise _core.BuildError(f"{name} cannot contain ToImage, ToDtype or Normalize; put them after {name}")
            return state.finish()

        return run


class RandomApply(_Branching):
    """Applies all transforms of a list with probability `p`, or none."""

    def __init__(self, transforms: Sequence[Any], p: float = 0.5):
        self.transforms = require_transforms(transforms, "RandomApply")
        self.p = _probability(p, "RandomApply")

    def _change(self, image: Value) -> Value:
        return _by_chance(self.p, image, self._branch(self.transforms), "RandomApply")


class RandomChoice(_Branching):
    """Applies one transform, chosen at random. `p`: the weight of each; by default all are equal.

    A list of MixUp and CutMix makes a transform of batches.
    """

    def __new__(cls, transforms: Sequence[Any] = (), p: Sequence[float] | None = None) -> Any:
        if isinstance(transforms, (list, tuple)) and transforms and all(isinstance(one, BatchTransform) for one in transforms):
            return _BatchChoice(transforms, _weights(p, len(transforms)))
        return super().__new__(cls)

    def __init__(self, transforms: Sequence[Any], p: Sequence[float] | None = None):
        self.transforms = require_transforms(transforms, "RandomChoice")
        self.p = _weights(p, len(self.transforms))

    def _change(self, image: Value) -> Value:
        branches = [lambda run=self._branch([one]): run(image) for one in self.transforms]
        if len(branches) == 1:
            return branches[0]()
        return select(ops.choice_index(self.p), branches, name="RandomChoice")


def _weights(p: Sequence[float] | None, count: int) -> list[float]:
    weights = [1.0] * count if p is None else list_of_numbers(p, "RandomChoice: p")
    if len(weights) != count or not all(0 <= one < math.inf for one in weights) or not any(weights):
        raise _core.BuildError(f"RandomChoice: p must have one weight for each transform, {count}, at least 0 and not all 0 (got {short(p)})")
    return weights


class _BatchChoice(BatchTransform):
    def __init__(self, transforms: Sequence[BatchTransform], weights: list[float]):
        self.transforms, self.p = list(transforms), weights
        counts = {one.num_classes for one in transforms if one.num_classes is not None}
        if len(counts) > 1:
            raise _core.BuildError(f"RandomChoice: num_classes must be the same for all transforms (got {sorted(counts)})")
        self.num_classes = counts.pop() if counts else None

    def __repr__(self) -> str:
        return f"RandomChoice(transforms={self.transforms!r}, p={self.p!r})"

    def __call__(self, batch: Any, key: Any) -> None:
        (chosen,) = random.Random(repr(("RandomChoice", *key))).choices(self.transforms, self.p)
        chosen(batch, key)



class RandomOrder(_Branching):
    """Applies all transforms of a list, at most 5, in a random order."""

    def __init__(self, transforms: Sequence[Any]):
        self.transforms = require_transforms(transforms, "RandomOrder")
        if len(self.transforms) > _MOST_ORDERED:
            raise _core.BuildError(f"RandomOrder takes at most {_MOST_ORDERED} transforms (got {len(self.transforms)})")

    def _change(self, image: Value) -> Value:
        orders = list(itertools.permutations(self.transforms))
        if len(orders) == 1:
            return self._branch(self.transforms)(image)
        branches = [lambda run=self._branch(order): run(image) for order in orders]
        return select(ops.randint(0, len(orders)), branches, name="RandomOrder")


class Lambda(Transform):
    """Calls a Python function for each sample. It gets an array (height, width, channels) of u8, and returns one."""

    def __init__(self, lambd: Callable[[Any], Any]):
        if not callable(lambd):
            raise _core.BuildError(f"Lambda takes a function (got {short(lambd)})")
        self.lambd = lambd

    def _change(self, image: Value) -> Value:
        return _map(self.lambd, image, returns="image")


# --- Geometry. ---


class Resize(Transform):
    """Resizes. A number is the new length of the shorter side, and (height, width) the new size."""

    def __init__(self, size: Any, interpolation: Any = "bilinear", max_size: int | None = None, antialias: bool | None = True):
        self.size = None if size is None else _whole([size] if is_number(size) else size, "Resize", "size")
        if max_size is not None:
            (max_size,) = _whole([max_size], "Resize", "max_size")
            if max_size < 1:
                raise _core.BuildError(f"Resize: max_size must be at least 1 (got {max_size})")
        if self.size is None and max_size is None:
            raise _core.BuildError("Resize: pass size, or max_size for the longer side")
        if self.size is not None and len(self.size) not in (1, 2):
            raise _core.BuildError(f"Resize: size must be a number or (height, width) (got {short(size)})")
        if self.size is not None and max_size is not None and (len(self.size) == 2 or max_size <= self.size[0]):
            raise _core.BuildError(f"Resize: max_size needs size to be one number below it (got {short(max_size)} and {short(size)})")
        self.interpolation, self.max_size = _interpolation(interpolation, "Resize"), max_size
        self.antialias = _antialias(antialias, self.interpolation, "Resize")

    def _change(self, image: Value) -> Value:
        how = {"interpolation": self.interpolation, "antialias": self.antialias}
        if self.size is None:
            height, width = ops.canvas_size(image)
            longer = ops.maximum(height, width)
            return ops.resize(
                image, height=ops.maximum(height * self.max_size // longer, 1), width=ops.maximum(width * self.max_size // longer, 1),
                **how,
            )
        if len(self.size) == 2:
            return ops.resize(image, height=self.size[0], width=self.size[1], **how)
        if self.max_size is not None:
            how["max_size"] = self.max_size
        return ops.resize(image, shorter=self.size[0], **how)


class CenterCrop(Transform):
    """Crops the center. A sample fails if its image is smaller: put Resize or Pad before."""

    def __init__(self, size: Any):
        self.size = _size(size, "CenterCrop")

    def _add(self, state: _State) -> None:
        state.set(ops.center_crop(state.image("CenterCrop", copies=True), *self.size))


class RandomCrop(Transform):
    """Crops a window of a fixed size at a random position, after padding."""

    def __init__(self, size: Any, padding: Any = None, pad_if_needed: bool = False, fill: Any = 0, padding_mode: str = "constant"):
        self.size, self.padding, self.pad_if_needed = _size(size, "RandomCrop"), padding, pad_if_needed
        self.fill, self.padding_mode = _fill(fill, "RandomCrop"), _border(padding_mode, "RandomCrop")

    def _add(self, state: _State) -> None:
        state.set(
            ops.random_crop(
                state.image("RandomCrop", copies=True), *self.size, padding=0 if self.padding is None else self.padding,
                pad_if_needed=self.pad_if_needed, border=self.padding_mode, fill=state.fill(self.fill),
            )
        )


class RandomResizedCrop(Transform):
    """Crops a random region and resizes it. Given a JPEG file, the decoder computes that region only."""

    def __init__(
        self, size: Any, scale: Sequence[float] = (0.08, 1.0), ratio: Sequence[float] = (3 / 4, 4 / 3),
        interpolation: Any = "bilinear", antialias: bool | None = True,
    ):
        self.size = _size(size, "RandomResizedCrop")
        self.scale, self.ratio = _range(scale, "RandomResizedCrop", "scale"), _range(ratio, "RandomResizedCrop", "ratio")
        self.interpolation = _interpolation(interpolation, "RandomResizedCrop")
        self.antialias = _antialias(antialias, self.interpolation, "RandomResizedCrop")

    def _change(self, image: Value) -> Value:
        return ops.random_resized_crop(
            image, height=self.size[0], width=self.size[1], min_area=self.scale[0], max_area=self.scale[1],
            min_ratio=self.ratio[0], max_ratio=self.ratio[1], interpolation=self.interpolation, antialias=self.antialias,
        )


class Pad(Transform):
    """Pads with a color, the edge or the reflection. `padding`: all sides; or left and right, top and bottom; or all four."""

    def __init__(self, padding: Any, fill: Any = 0, padding_mode: str = "constant"):
        self.padding = _whole([padding] if is_number(padding) else padding, "Pad", "padding")
        if len(self.padding) not in (1, 2, 4):
            raise _core.BuildError(f"Pad: padding must be 1, 2 or 4 numbers (got {short(padding)})")
        self.fill, self.padding_mode = _fill(fill, "Pad"), _border(padding_mode, "Pad")

    def _add(self, state: _State) -> None:
        left, top, right, bottom = (self.padding * 4)[:4]
        image = state.image("Pad", copies=True)
        fill = state.fill(self.fill)
        state.set(ops.pad_image(image, left=left, top=top, right=right, bottom=bottom, border=self.padding_mode, fill=fill))


class RandomHorizontalFlip(Transform):
    """Swaps left and right with probability `p`."""

    def __init__(self, p: float = 0.5):
        self.p = _probability(p, "RandomHorizontalFlip")

    def _add(self, state: _State) -> None:
        state.flip_later(ops.coin_flip(self.p))


class RandomVerticalFlip(Transform):
    """Swaps top and bottom with probability `p`."""

    def __init__(self, p: float = 0.5):
        self.p = _probability(p, "RandomVerticalFlip")

    def _add(self, state: _State) -> None:
        image = state.image("RandomVerticalFlip", copies=True)
        state.set(ops.flip(image, horizontal=False, vertical=ops.coin_flip(self.p)))


class RandomRotation(Transform):
    """Rotates by a random angle, in degrees counter-clockwise. `degrees`: a range, or x for -x to x."""

    def __init__(self, degrees: Any, interpolation: Any = "nearest", expand: bool = False, center: Any = None, fill: Any = 0):
        self.degrees = _around_zero(degrees, "RandomRotation", "degrees")
        self.interpolation, self.expand = _interpolation(interpolation, "RandomRotation"), bool(expand)
        self.center, self.fill = center, _fill(fill, "RandomRotation")
        if self.center is not None and self.expand:
            raise _core.BuildError("RandomRotation: center and expand=True cannot be combined")

    def _change(self, image: Value) -> Value:
        degrees, how = _drawn(self.degrees), {"interpolation": self.interpolation, "fill": self.fill}
        if self.center is not None:
            return ops.affine(image, degrees=degrees, **_center(image, self.center), **how)
        return ops.rotate(image, degrees, keep_size=not self.expand, **how)


def _center(image: Value, center: Any) -> dict[str, Value]:
    height, width = ops.canvas_size(image)
    x, y = list_of_numbers(center, "center")
    return {"center_y": y / height.cast("f32"), "center_x": x / width.cast("f32")}


class RandomAffine(Transform):
    """Shears, scales, rotates and moves by random amounts, in one warp.

    Parameters
    ----------
    degrees : float, or (low, high)
        The angle, clockwise. A number x stands for -x to x.
    translate : (x, y), optional
        The largest shift, as a share of width and height, from 0 to 1. Shifts are whole pixels.
    scale : (low, high), optional
        The factor of the size.
    shear : float, or 2 or 4 floats, optional
        The angle along x: x for -x to x, or (low, high). With four, the last two are the range along y. -89 to 89 degrees.
    interpolation : {'nearest', 'bilinear', 'bicubic'}, default 'nearest'
    fill : int, or 3 ints, default 0
        The color outside the image, 0 to 255.
    center : (x, y), optional
        The fixed point, in pixels. By default the middle of the image.
    """

    def __init__(
        self, degrees: Any, translate: Sequence[float] | None = None, scale: Sequence[float] | None = None, shear: Any = None,
        interpolation: Any = "nearest", fill: Any = 0, center: Any = None,
    ):
        self.degrees = _around_zero(degrees, "RandomAffine", "degrees")
        self.translate = None if translate is None else list_of_numbers(translate, "RandomAffine: translate")
        if self.translate is not None and (len(self.translate) != 2 or not all(0 <= one <= 1 for one in self.translate)):
            raise _core.BuildError(f"RandomAffine: translate must be 2 numbers from 0 to 1 (got {short(translate)})")
        self.scale = (1.0, 1.0) if scale is None else _range(scale, "RandomAffine", "scale", 0)
        if shear is None:
            shear = [0.0, 0.0]
        elif is_number(shear):
            shear = _around_zero(shear, "RandomAffine", "shear")
        ends = list_of_numbers(shear, "RandomAffine: shear")
        if len(ends) not in (2, 4) or not all(-89 <= one <= 89 for one in ends):
            raise _core.BuildError(f"RandomAffine: shear must be 1, 2 or 4 numbers from -89 to 89 (got {short(shear)})")
        self.shear = (*ends, 0.0, 0.0)[:4]
        self.interpolation, self.fill, self.center = _interpolation(interpolation, "RandomAffine"), _fill(fill, "RandomAffine"), center

    def _change(self, image: Value) -> Value:
        how: dict[str, Any] = {"interpolation": self.interpolation, "fill": self.fill}
        if self.translate is not None:
            height, width = ops.canvas_size(image)
            for name, share, side in (("x", self.translate[0], width), ("y", self.translate[1], height)):
                most = side.cast("f32") * share
                how[name] = (ops.uniform(-most, most) + 0.5) // 1.0  # whole pixels
        if self.center is not None:
            how.update(_center(image, self.center))
        degrees = _drawn((-self.degrees[1], -self.degrees[0]))
        x, y = self.shear[:2], self.shear[2:]
        return ops.affine(
            image, degrees=degrees, scale=_drawn(self.scale), shear_x=_drawn((-x[1], -x[0])), shear_y=_drawn((-y[1], -y[0])), **how
        )


class RandomPerspective(Transform):
    """Moves the four corners by random amounts, with probability `p`.

    `distortion_scale`: how far they move at most, as a share of half of the width and height, from 0 to 1.
    """

    def __init__(self, distortion_scale: float = 0.5, p: float = 0.5, interpolation: Any = "bilinear", fill: Any = 0):
        self.p = _probability(p, "RandomPerspective")
        if not is_number(distortion_scale) or not 0 <= distortion_scale <= 1:
            raise _core.BuildError(f"RandomPerspective: distortion_scale must lie between 0 and 1 (got {short(distortion_scale)})")
        self.distortion_scale = float(distortion_scale)
        self.interpolation, self.fill = _interpolation(interpolation, "RandomPerspective"), _fill(fill, "RandomPerspective")

    def _change(self, image: Value) -> Value:
        return ops.random_perspective(
            image, distortion_scale=self.distortion_scale, probability=self.p, interpolation=self.interpolation, fill=self.fill
        )


class ElasticTransform(Transform):
    """Deforms by a smoothed random displacement field. `alpha`: its strength; `sigma`: its smoothness, both in pixels."""

    def __init__(self, alpha: float = 50.0, sigma: float = 5.0, interpolation: Any = "bilinear", fill: Any = 0):
        self.alpha, self.sigma = alpha, sigma
        self.interpolation, self.fill = _interpolation(interpolation, "ElasticTransform"), _fill(fill, "ElasticTransform")

    def _change(self, image: Value) -> Value:
        return ops.elastic(image, alpha=self.alpha, sigma=self.sigma, interpolation=self.interpolation, fill=self.fill)


# --- Color. ---


class ColorJitter(Transform):
    """Changes brightness, contrast, saturation and hue by random amounts, in random order.

    A number x of the first three stands for factors from max(0, 1 - x) to 1 + x; a hue of x stands for -x to x, in turns
    of 360 degrees.
    """

    def __init__(self, brightness: Any = None, contrast: Any = None, saturation: Any = None, hue: Any = None):
        self.brightness, self.contrast, self.saturation = brightness, contrast, saturation
        self.hue = None if hue is None else _around_zero(hue, "ColorJitter", "hue")
        if self.hue is not None and not -0.5 <= self.hue[0] <= self.hue[1] <= 0.5:
            raise _core.BuildError(f"ColorJitter: hue must lie between -0.5 and 0.5 (got {short(hue)})")

    def _change(self, image: Value) -> Value:
        return ops.color_jitter(
            image, brightness=self.brightness, contrast=self.contrast, saturation=self.saturation,
            hue=None if self.hue is None else [360 * one for one in self.hue],
        )


class _Sometimes(Transform):
    """A change of the image with probability `p`."""

    def __init__(self, p: float):
        self.p = _probability(p, type(self).__name__)

    def _change(self, image: Value) -> Value:
        return _by_chance(self.p, image, self._by(), type(self).__name__)

    def _by(self) -> Callable[[Value], Value]:
        raise NotImplementedError


class Grayscale(Transform):
    """Converts to grayscale, with 1 or 3 channels."""

    def __init__(self, num_output_channels: int = 1):
        self.num_output_channels = num_output_channels

    def _add(self, state: _State) -> None:
        state.set(ops.grayscale(state.image("Grayscale"), channels=self.num_output_channels))
        state.channels = self.num_output_channels


class RandomGrayscale(_Sometimes):
    """Converts to luma of 3 equal channels, with probability `p`."""

    def __init__(self, p: float = 0.1):
        super().__init__(p)

    def _by(self) -> Callable[[Value], Value]:
        return lambda image: ops.grayscale(image, channels=3)


class RandomInvert(_Sometimes):
    """Inverts pixel values, with probability `p`."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def _by(self) -> Callable[[Value], Value]:
        return ops.invert


class RandomPosterize(_Sometimes):
    """Keeps the upper bits of pixel values, with probability `p`."""

    def __init__(self, bits: int, p: float = 0.5):
        super().__init__(p)
        self.bits = bits

    def _by(self) -> Callable[[Value], Value]:
        return lambda image: ops.posterize(image, self.bits)


class RandomSolarize(_Sometimes):
    """Inverts pixel values from `threshold` on, with probability `p`."""

    def __init__(self, threshold: float, p: float = 0.5):
        super().__init__(p)
        self.threshold = threshold

    def _by(self) -> Callable[[Value], Value]:
        return lambda image: ops.solarize(image, threshold=self.threshold)


class RandomAdjustSharpness(_Sometimes):
    """Sharpens by a factor above 1, or smooths by one below, with probability `p`."""

    def __init__(self, sharpness_factor: float, p: float = 0.5):
        super().__init__(p)
        self.sharpness_factor = sharpness_factor

    def _by(self) -> Callable[[Value], Value]:
        return lambda image: ops.sharpness(image, self.sharpness_factor)


class RandomAutocontrast(_Sometimes):
    """Stretches each channel to 0 to 255, with probability `p`."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def _by(self) -> Callable[[Value], Value]:
        return ops.autocontrast


class RandomEqualize(_Sometimes):
    """Equalizes the histogram of each channel, with probability `p`."""

    def __init__(self, p: float = 0.5):
        super().__init__(p)

    def _by(self) -> Callable[[Value], Value]:
        return ops.equalize


class GaussianBlur(Transform):
    """Blurs with a window of `kernel_size`, which is odd. `sigma`: a number, or a range to draw from."""

    def __init__(self, kernel_size: Any, sigma: Any = (0.1, 2.0)):
        self.kernel_size = _size(kernel_size, "GaussianBlur", "kernel_size")
        if self.kernel_size[0] != self.kernel_size[1]:
            raise _core.BuildError(f"GaussianBlur: kernel_size must be the same in both directions (got {short(kernel_size)})")
        self.sigma = (float(sigma), float(sigma)) if is_number(sigma) else _range(sigma, "GaussianBlur", "sigma", 0)

    def _change(self, image: Value) -> Value:
        return ops.gaussian_blur(image, sigma=_drawn(self.sigma), window_size=self.kernel_size[0])


class GaussianNoise(Transform):
    """Adds noise. `mean` and `sigma` are fractions of 255, and values are clipped."""

    def __init__(self, mean: float = 0.0, sigma: float = 0.1, clip: bool = True):
        for name, one in (("mean", mean), ("sigma", sigma)):
            if not is_number(one):
                raise _core.BuildError(f"GaussianNoise: {name} must be a number (got {short(one)})")
        if not clip:
            raise _core.BuildError("GaussianNoise: images of uint8 are always clipped; leave out clip")
        self.mean, self.sigma = mean, sigma

    def _change(self, image: Value) -> Value:
        return ops.gaussian_noise(image, mean=255 * self.mean, stddev=255 * self.sigma)


class JPEG(Transform):
    """Adds JPEG compression artifacts. `quality`: 1 to 100, or a range to draw from."""

    def __init__(self, quality: Any):
        ends = _whole([quality, quality] if is_number(quality) else quality, "JPEG", "quality")
        if len(ends) != 2 or not 1 <= ends[0] <= ends[1] <= 100:
            raise _core.BuildError(f"JPEG: quality must be a whole number from 1 to 100, or a range of 2 (got {short(quality)})")
        self.quality = (ends[0], ends[1])

    def _change(self, image: Value) -> Value:
        low, high = self.quality
        return ops.jpeg_distortion(image, quality=low if low == high else ops.randint(low, high + 1))


# --- Automatic augmentation. ---


class RandAugment(Transform):
    """Applies `num_ops` random operators of one magnitude."""

    def __init__(
        self, num_ops: int = 2, magnitude: int = 9, num_magnitude_bins: int = 31, interpolation: Any = "nearest", fill: Any = None
    ):
        self.num_ops, self.magnitude, self.num_magnitude_bins = num_ops, magnitude, num_magnitude_bins
        self.interpolation, self.fill = _interpolation(interpolation, "RandAugment"), _fill(fill, "RandAugment")

    def _change(self, image: Value) -> Value:
        return ops.rand_augment(
            image, n=self.num_ops, magnitude=self.magnitude, bins=self.num_magnitude_bins, interpolation=self.interpolation,
            fill=self.fill,
        )


class TrivialAugmentWide(Transform):
    """Applies one random operator of a random magnitude."""

    def __init__(self, num_magnitude_bins: int = 31, interpolation: Any = "nearest", fill: Any = None):
        self.num_magnitude_bins = num_magnitude_bins
        self.interpolation, self.fill = _interpolation(interpolation, "TrivialAugmentWide"), _fill(fill, "TrivialAugmentWide")

    def _change(self, image: Value) -> Value:
        return ops.trivial_augment_wide(image, bins=self.num_magnitude_bins, interpolation=self.interpolation, fill=self.fill)


class AutoAugment(Transform):
    """Applies one of 25 learned pairs of operators. `policy`: 'imagenet', 'cifar10' or 'svhn'."""

    def __init__(self, policy: Any = "imagenet", interpolation: Any = "nearest", fill: Any = None):
        self.policy = getattr(policy, "value", policy)
        self.interpolation, self.fill = _interpolation(interpolation, "AutoAugment"), _fill(fill, "AutoAugment")

    def _change(self, image: Value) -> Value:
        return ops.auto_augment(image, policy=self.policy, interpolation=self.interpolation, fill=self.fill)


class AugMix(Transform):
    """Mixes the image with versions made by chains of random operators."""

    def __init__(
        self, severity: int = 3, mixture_width: int = 3, chain_depth: int = -1, alpha: float = 1.0, all_ops: bool = True,
        interpolation: Any = "bilinear", fill: Any = None,
    ):
        (depth,) = _whole([chain_depth], "AugMix", "chain_depth")
        self.severity, self.mixture_width, self.chain_depth, self.alpha = severity, mixture_width, depth, alpha
        self.all_ops = bool(all_ops)
        self.interpolation, self.fill = _interpolation(interpolation, "AugMix"), _fill(fill, "AugMix")

    def _change(self, image: Value) -> Value:
        return ops.aug_mix(
            image, severity=self.severity, mixture_width=self.mixture_width, chain_depth=max(0, self.chain_depth),
            alpha=self.alpha, interpolation=self.interpolation, fill=self.fill,
            excluded=() if self.all_ops else ("brightness", "color", "contrast", "sharpness"),
        )


class RandomErasing(Transform):
    """Fills a random rectangle with a color, with probability `p`.

    `scale` is the range of the area, as a share of the image. `ratio` is height divided by width. `value` is from 0 to 255;
    after Normalize it is in normalized units, and is rounded to the nearest pixel value. 'random', after Normalize, is noise
    with a mean of 0 and a standard deviation of 1 in normalized units. All channels use one standard deviation, the mean of
    Normalize's, and the noise is clipped to pixel values.
    """

    def __init__(
        self, p: float = 0.5, scale: Sequence[float] = (0.02, 0.33), ratio: Sequence[float] = (0.3, 3.3), value: Any = 0,
        inplace: bool = False,
    ):
        self.p, self.scale = _probability(p, "RandomErasing"), _range(scale, "RandomErasing", "scale", 0)
        low, high = _range(ratio, "RandomErasing", "ratio", 0)
        if low == 0:
            raise _core.BuildError(f"RandomErasing: ratio must be above 0 (got {short(ratio)})")
        self.ratio = (low, high)
        self.noise = isinstance(value, str)
        if self.noise:
            if value != "random":
                raise _core.BuildError(f"RandomErasing: value must be a number, one for each channel, or 'random' (got {value!r})")
            value = 0
        self.value = [float(value)] if is_number(value) else list_of_numbers(value, "RandomErasing: value")
        if len(self.value) not in (1, 3) or not all(map(math.isfinite, self.value)):
            raise _core.BuildError(f"RandomErasing: value must be 1 or 3 finite numbers (got {short(value)})")

    def _add(self, state: _State) -> None:
        image = state.image("RandomErasing", copies=True)
        if self.noise and state.mean is None:
            raise _core.BuildError(
                "RandomErasing: value='random' is noise in normalized units; put RandomErasing after Normalize, or call "
                "ops.random_erasing(image, fill=128, noise=64) for noise in pixel values"
            )
        state.set(
            ops.random_erasing(
                image, probability=self.p, min_area=self.scale[0], max_area=self.scale[1], min_ratio=self.ratio[0],
                max_ratio=self.ratio[1], fill=state.fill(self.value[0] if len(self.value) == 1 else self.value), noise=state.deviation() if self.noise else 0.0,
            )
        )


# --- What the image becomes. ---


class ToImage(Transform):
    """Makes channels the first dimension, as in torchvision's tensors."""

    def _add(self, state: _State) -> None:
        state.image("ToImage", copies=True)
        state.channels_first = True


class ToDtype(Transform):
    """Converts to another dtype at the end. `scale`: maps 0 to 255 to 0 to 1 for floating-point types."""

    def __init__(self, dtype: Any, scale: bool = False):
        name = str(dtype).removeprefix("torch.").removeprefix("<class 'numpy.").removesuffix("'>")
        if name not in _DTYPES:
            known = "uint8, float32, float16 or bfloat16"
            raise _core.BuildError(f"ToDtype: dtype must be {known}, as a dtype of PyTorch or a str (got {short(dtype)})")
        self.dtype, self.scale = name, bool(scale)

    def _add(self, state: _State) -> None:
        dtype = _DTYPES[self.dtype]
        if state.floating and dtype == state.dtype:
            return
        if state.floating:
            raise _core.BuildError("ToDtype: the image has another floating-point dtype already; leave out one of the two")
        state.dtype, state.scaled = dtype, self.scale and dtype != "u8"


class Normalize(Transform):
    """Subtracts the mean and divides by the standard deviation of each channel, in units of the values so far.

    `mean` and `std` have one number for all channels, or one for each channel.
    """

    def __init__(self, mean: Sequence[float], std: Sequence[float], inplace: bool = False):
        self.mean, self.std = list_of_numbers(mean, "Normalize: mean"), list_of_numbers(std, "Normalize: std")
        if len(self.mean) not in (1, 3, 4) or len(self.std) not in (1, 3, 4):
            raise _core.BuildError(f"Normalize: mean and std must be 1, 3 or 4 numbers (got {short(mean)} and {short(std)})")
        if len({len(self.mean), len(self.std)} - {1}) > 1:
            raise _core.BuildError(f"Normalize: mean and std must have equally many numbers, or one (got {short(mean)} and {short(std)})")
        if not all(0 < one < math.inf for one in self.std):
            raise _core.BuildError(f"Normalize: std must be above 0 (got {short(std)})")

    def _add(self, state: _State) -> None:
        if not state.floating or state.mean is not None:
            raise _core.BuildError("Normalize must come once, after ToDtype with a floating-point dtype in the same Compose")
        numbers = max(len(self.mean), len(self.std))
        if numbers > 1 and state.channels not in (None, numbers):
            has = "1 channel" if state.channels == 1 else f"{state.channels} channels"
            raise _core.BuildError(
                f"Normalize: mean and std have {numbers} numbers, but the image has {has}; pass one number, or one for each channel"
                + ("; Grayscale(3) before it makes 3 channels" if state.channels == 1 and numbers == 3 else "")
            )
        state.mean, state.std = self.mean, self.std


class ToTensor(Compose):
    """ToImage and ToDtype('float32', scale=True): torchvision's older name for both."""

    def __init__(self) -> None:
        super().__init__([ToImage(), ToDtype("float32", scale=True)])

    __repr__ = Transform.__repr__


# --- Batches. ---


def _alpha(alpha: Any, user: str) -> float:
    if not is_number(alpha) or not 1e-6 <= alpha <= 1000:
        raise _core.BuildError(f"{user}: alpha must be a number from 0.000001 to 1000 (got {short(alpha)})")
    return float(alpha)


class MixUp(BatchTransform):
    """Mixes each image, and its label, with another one of the batch (MixUp).

    `num_classes`: the length of the labels that ImageFolder makes; by default its number of classes.
    """

    def __init__(self, *, alpha: float = 1.0, num_classes: int | None = None):
        self.alpha, self.num_classes = _alpha(alpha, type(self).__name__), num_classes

    def __call__(self, batch: Any, key: Any) -> None:
        mix_up(batch[0], batch[1], key, self.alpha)


class CutMix(BatchTransform):
    """Copies a rectangle of another image of the batch into each image, and mixes the labels (CutMix).

    `num_classes`: as for :class:`MixUp`.
    """

    def __init__(self, *, alpha: float = 1.0, num_classes: int | None = None):
        self.alpha, self.num_classes = _alpha(alpha, type(self).__name__), num_classes

    def __call__(self, batch: Any, key: Any) -> None:
        cut_mix(batch[0], batch[1], key, self.alpha)


__all__ = sorted(
    name for name, thing in globals().items()
    if isinstance(thing, type) and issubclass(thing, (Transform, BatchTransform)) and not name.startswith("_")
)


#: What to write for other names of torchvision.
_OTHERS = {
    "AutoAugmentPolicy": "'imagenet', 'cifar10' or 'svhn'", "ConvertImageDtype": "ToDtype(dtype, scale=True)",
    "Identity": "leave it out: an empty step has no use", "InterpolationMode": "'nearest', 'bilinear' or 'bicubic'",
    "PILToTensor": "ToImage()", "RGB": "leave it out: files are decoded to RGB", "ToPureTensor": "leave it out: results are tensors",
}


def __dir__() -> list[str]:
    return list(__all__)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    same = [one for one in __all__ if one.lower() == name.lower().replace("_", "")]
    meant = f"; did you mean {same[0]}?" if same else near(name, __all__)
    advice = None if meant else _OTHERS.get(name) or _peers.for_name(name)
    what_to_do = meant or (f"; {_peers.instead(advice)}" if advice else "; dir(sluice.transforms) names all")
    raise AttributeError(f"there is no transform {name!r}{what_to_do}")
