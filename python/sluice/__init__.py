"""Sluice turns image files into augmented batches for training and inference.

::

    import sluice
    from sluice import ops

    @sluice.pipeline(batch_size=32, seed=42)
    def rotated(folder):
        jpeg, label = sluice.files(folder)
        image = ops.decode_jpeg(jpeg)
        if ops.coin_flip(0.25):
            image = ops.rotate(image, degrees=ops.uniform(10, 30), fill=0)
        return ops.resize(image, height=400, width=400), label

    for images, labels in rotated("train"):
        ...
"""

from __future__ import annotations

import importlib as _importlib
import os
from typing import TYPE_CHECKING, Any

try:
    from . import _core
except ImportError as _error:
    if "_core" not in str(_error) or getattr(_error, "path", None) not in (None, __file__):
        raise
    raise ImportError(
        f"sluice: its compiled module _core is not in {os.path.dirname(__file__)}; install a wheel, or build it (pip install .). It cannot be "
        "imported from a zip file"
    ) from None
from . import _peers, ops, transforms
from ._arguments import checked as _checked, near as _near
from ._batch import Array, Batch, Column, pad_batch
from ._control import (
    all_of,
    any_of,
    apply_if,
    cond,
    for_loop,
    for_loop_collect,
    if_else,
    not_,
    select,
    while_loop,
)
from ._core import (
    BatchError,
    BudgetError,
    BufferRing,
    BuildError,
    DeviceError,
    Error,
    IoError,
    JpegError,
    JpegIndex,
    StallError,
    ThreadPool,
)
from ._describing import refusing as _refusing
from ._draws import DrawWarning
from ._graph import require_graph
from ._http import HttpOptions
from ._huggingface import from_hf
from ._mix import Mosaic, cut_mix, mix_up, mosaic
from ._mutations import WatchWarning
from ._operator import Operator, Parameter, operator
from ._packs import PackStats, pack, packs, unpack
from ._pipeline import BatchKey, Pipeline, pipeline
from ._policies import (
    Augmentation,
    AugmentationPolicy,
    AugmentationStep,
    apply_policy,
    apply_random,
    aug_mix_list,
    auto_augment_list,
    auto_augment_policy,
    rand_augment_list,
    trivial_augment_list,
)
from ._readers import cifar10, cifar100, image_folder, memory, mnist, tar_stream, urls
from ._rewrite import RewriteError, graph_function
from ._value import Value
from ._workers import WorkerOptions
from .sources import LeftOutWarning, classes, files, iterate, list_file, map, require_same_classes, source, tar
from .sources import tar as webdataset

__version__ = _core.__version__


@_refusing(Exception)
def constant(x: Any) -> Value:
    """Makes a Value that is the same for every sample.

    Parameters
    ----------
    x : bool, int, float, str, or (y, x, height, width)
        A rectangle is a tuple or list of four ints.

    Returns
    -------
    Value

    Raises
    ------
    TypeError
        If ``x`` is of another type.
    BuildError
        If no pipeline is being described.
    """
    return require_graph("sluice.constant()").constant(x)


@_checked(TypeError)
def decode_and_crop_jpeg(
    data: bytes,
    y: int,
    x: int,
    height: int,
    width: int,
    *,
    color: str = "rgb",
    apply_orientation: bool = True,
) -> Array:
    """Decodes a rectangle of a JPEG file, without the rest of the image.

    The pixels are the same as those of a full decode. Other Python threads run in the meantime.

    Parameters
    ----------
    data : bytes, or an object with the buffer protocol
        The content of the file.
    y, x : int
        The upper left corner of the rectangle, in pixels.
    height, width : int
        The size of the rectangle, in pixels. It must lie inside the image.
    color : {'rgb', 'gray'}, default 'rgb'
        The channels of the result.
    apply_orientation : bool, default True
        If True, rotate and flip the image as its EXIF data say. The rectangle is in the rotated image.

    Returns
    -------
    Array
        Shape (height, width, channels) and dtype u8. ``numpy.asarray()`` and ``torch.from_dlpack()`` take it.

    Raises
    ------
    JpegError
        If the data are not a JPEG file or are damaged, or if the rectangle is not inside the image.
    """
    return Array(_core.decode_and_crop_jpeg(data, y, x, height, width, color, apply_orientation))


@_checked(TypeError)
def decode_jpeg(data: bytes, *, color: str = "rgb", apply_orientation: bool = True) -> Array:
    """Decodes a JPEG file into an Array of shape (height, width, channels) and dtype u8.

    The parameters and errors are those of :func:`decode_and_crop_jpeg`.
    """
    return Array(_core.decode_jpeg(data, color, apply_orientation))


@_checked(TypeError)
def encode_jpeg(image: Any, quality: int = 90) -> bytes:
    """Encodes an image as a JPEG file.

    Parameters
    ----------
    image : array
        dtype u8 and shape (height, width), (height, width, 1) or (height, width, 3).
    quality : int, default 90
        From 1, small files, to 100, little loss.

    Returns
    -------
    bytes
        The content of the file.
    """
    return _core.encode_jpeg(image, quality)


def devices() -> str:
    """Returns a text that lists the GPUs. If one cannot be used, it says why."""
    return _core.devices()


@_refusing(Exception)
def saved_plan(path: Any, *values: Value) -> Any:
    """Adds the steps of a saved plan to the pipeline that is being described.

    Parameters
    ----------
    path : path
        A JSON file that ``Pipeline.save`` or the program `sluice` wrote.
    *values : Value
        The inputs of the steps. They replace the outputs of the plan's source: the same types, in the same order.

    Returns
    -------
    Value or tuple of Value
        The outputs of the plan.

    Raises
    ------
    BuildError
        If the file is not a valid plan, with the place of the mistake, or if the values have other types.
    IoError
        If the file cannot be read.
    """
    graph = next((one.graph for one in values if isinstance(one, Value)), None)
    graph = graph or require_graph("sluice.saved_plan()")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"sluice.saved_plan(): path must be a path (got {path!r})")
    for one in values:
        if not isinstance(one, Value):
            raise _core.BuildError(f"sluice.saved_plan() takes values of each sample after the path, not {one!r}")
    slots = [graph._own(one, "sluice.saved_plan()") for one in values]
    made = tuple(Value(graph, slot) for slot in graph.core.apply_plan(path, slots))
    return made[0] if len(made) == 1 else made


def recipe(name: str) -> str:
    """Returns the path of a recipe: a saved plan that is part of the package, for :func:`saved_plan`.

    ``sluice.saved_plan(sluice.recipe("train"), jpeg, label)`` applies the same steps as
    ``python -m sluice augment --recipe train``. The values are a file and its label, as :func:`files` returns them. For
    'detection' they are a file, its boxes and their labels; for 'segmentation' an image file and the file of its mask.

    Parameters
    ----------
    name : str
        Such as 'train', 'eval', 'randaugment' or 'simclr'.

    Raises
    ------
    ValueError
        If there is no such recipe. The message names all.
    """
    folder = os.path.join(os.path.dirname(__file__), "recipes")
    found = sorted(file[: -len(".json")] for file in os.listdir(folder)) if os.path.isdir(folder) else []
    if name not in found:
        there_are = f"there are {', '.join(found)}" if found else "build the module together with the program"
        raise ValueError(f"sluice.recipe(): there is no recipe {name!r}; {there_are}")
    return os.path.join(folder, f"{name}.json")


@_refusing(Exception)
def drop_unless(predicate: Value) -> None:
    """Drops each sample for which the predicate is false. Batches do not contain it.

    Parameters
    ----------
    predicate : Value of bool

    Raises
    ------
    TypeError
        If ``predicate`` is not a Value.
    """
    if not isinstance(predicate, Value):
        raise TypeError("drop_unless() takes a value of each sample")
    predicate.graph.operator("filter", predicate=predicate)


__all__ = [
    "Array", "Augmentation", "AugmentationPolicy", "AugmentationStep", "Batch", "BatchError", "BatchKey", "BudgetError", "BufferRing", "BuildError", "Column", "DeviceError", "DrawWarning", "Error",
    "HttpOptions", "IoError", "JpegError", "JpegIndex", "LeftOutWarning", "Mosaic", "Operator", "PackStats", "Parameter", "Pipeline", "RewriteError", "StallError", "ThreadPool", "Value",
    "WatchWarning", "WorkerOptions",
    "all_of", "any_of", "apply_if", "apply_policy", "apply_random", "aug_mix_list", "auto_augment_list", "auto_augment_policy", "cifar10", "cifar100", "classes", "cond", "constant", "cut_mix", "decode_and_crop_jpeg", "decode_jpeg", "devices",
    "drop_unless", "encode_jpeg", "files", "for_loop", "for_loop_collect", "from_hf", "graph_function", "if_else", "image_folder",
    "iterate",
    "list_file", "map", "memory", "mix_up", "mnist", "mosaic", "not_", "operator", "ops", "pack", "packs", "pad_batch", "pipeline", "rand_augment_list", "recipe", "require_same_classes", "saved_plan",
    "select", "source", "tar", "tar_stream", "transforms", "trivial_augment_list", "unpack", "urls", "webdataset", "while_loop",
]


if TYPE_CHECKING:
    from . import ray as ray, torch as torch
else:  # so that type checkers report unknown names

    def __getattr__(name: str) -> Any:
        """Imports the submodules `torch` and `ray` at their first use. Other names raise AttributeError, with advice."""
        if name in _peers.SUBMODULES:
            try:
                return _importlib.import_module(f"{__name__}.{name}")
            except ModuleNotFoundError as error:  # hasattr() expects an AttributeError
                raise AttributeError(str(error)) from error
        if name.startswith("__"):
            raise AttributeError(name)
        advice = _peers.for_name(name)
        what_to_do = f"; {_peers.instead(advice)}" if advice else _near(name, __all__) or "; sluice.__all__ names all"
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{what_to_do}")
