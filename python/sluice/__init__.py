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

import os
from typing import Any

from . import _core, ops
from ._arguments import checked as _checked
from ._batch import Array, Batch, Column
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
    BuildError,
    DeviceError,
    Error,
    IoError,
    JpegError,
    JpegIndex,
    StallError,
)
from ._describing import refusing as _refusing
from ._draws import DrawWarning
from ._graph import require_graph
from ._mix import cut_mix, mix_up
from ._mutations import WatchWarning
from ._pipeline import BatchKey, Pipeline, pipeline
from ._rewrite import RewriteError, graph_function
from ._value import Value
from ._workers import WorkerOptions
from .sources import LeftOutWarning, classes, files, iterate, list_file, map, require_same_classes, source, tar

__version__ = _core.__version__


@_refusing(Exception)
def constant(x: Any) -> Value:
    """The same value for every sample, of a bool, a number, a str or a rectangle."""
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
    """A rectangle of a JPEG file: exactly the pixels that decoding all and cutting would give.

    No more of the file is decoded than it takes. Python's lock is free meanwhile.

    Parameters
    ----------
    data : bytes, or anything with a buffer
        The file.
    y, x : int
        The upper left corner, in pixels.
    height, width : int
        Of the rectangle, which must lie inside the image.
    color : {'rgb', 'gray'}
    apply_orientation : bool
        Turns the image as its EXIF data say; the rectangle counts in the turned image.

    Returns
    -------
    Array
        height x width x channels of u8; ``numpy.asarray()`` and ``torch.from_dlpack()`` take it.

    Raises
    ------
    JpegError
        If the data is not a JPEG file, or is damaged, and a rectangle that does not lie inside.
    """
    return Array(_core.decode_and_crop_jpeg(data, y, x, height, width, color, apply_orientation))


@_checked(TypeError)
def decode_jpeg(data: bytes, *, color: str = "rgb", apply_orientation: bool = True) -> Array:
    """The image in a JPEG file: height x width x channels of u8. See decode_and_crop_jpeg()."""
    return Array(_core.decode_jpeg(data, color, apply_orientation))


@_checked(TypeError)
def encode_jpeg(image: Any, quality: int = 90) -> bytes:
    """A JPEG file of an array of u8, height x width, or height x width x 1 or 3."""
    return _core.encode_jpeg(image, quality)


def devices() -> str:
    """What GPUs there are, and why one cannot be used."""
    return _core.devices()


@_refusing(Exception)
def saved_plan(path: Any, *values: Value) -> Any:
    """The steps of a plan that was saved as JSON, by ``pipeline.save`` or the program.

    Parameters
    ----------
    path : path
    *values : Value
        In place of what the plan's source gave, in the same order and of the same types.

    Returns
    -------
    Value, or a tuple of them

    Raises
    ------
    BuildError
        For a file that makes no sense, with the place in it, and for values of other types.
    IoError
        For a file that cannot be read.
    """
    graph = next((one.graph for one in values if isinstance(one, Value)), None)
    graph = graph or require_graph("sluice.saved_plan()")
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"sluice.saved_plan(): path is a path, not {path!r}")
    for one in values:
        if not isinstance(one, Value):
            raise _core.BuildError(f"sluice.saved_plan() takes values of each sample after the path, not {one!r}")
    slots = [graph._own(one, "sluice.saved_plan()") for one in values]
    made = tuple(Value(graph, slot) for slot in graph.core.apply_plan(path, slots))
    return made[0] if len(made) == 1 else made


@_refusing(Exception)
def drop_unless(predicate: Value) -> None:
    """Goes on with samples for which the predicate holds; batches leave the others out."""
    if not isinstance(predicate, Value):
        raise TypeError("drop_unless() takes a value of each sample")
    predicate.graph.operator("filter", predicate=predicate)


__all__ = [
    "Array", "Batch", "BatchError", "BatchKey", "BudgetError", "BuildError", "Column", "DeviceError", "DrawWarning", "Error",
    "IoError", "JpegError", "JpegIndex", "LeftOutWarning", "Pipeline", "RewriteError", "StallError", "Value", "WatchWarning",
    "WorkerOptions",
    "all_of", "any_of", "apply_if", "classes", "cond", "constant", "cut_mix", "decode_and_crop_jpeg", "decode_jpeg", "devices",
    "drop_unless", "encode_jpeg", "files", "for_loop", "for_loop_collect", "graph_function", "if_else", "iterate",
    "list_file", "map", "mix_up", "not_", "ops", "pipeline", "require_same_classes", "saved_plan", "select", "source", "tar",
    "while_loop",
]
