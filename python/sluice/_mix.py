"""MixUp, CutMix and mosaics, as steps on batches."""

from __future__ import annotations

from typing import Any, NamedTuple

from . import _core
from ._batch import Column
from ._pipeline import BatchKey


def _core_of(column: Any, what: str, cure: str = "") -> Any:
    if not isinstance(column, Column):
        raise TypeError(f"{what} must be a column of images or tensors of a batch (got {type(column).__name__}){cure}")
    return column._core


_ONE_HOT = "; ops.one_hot(label, classes=...) makes tensors of numbers"


def _require_key(user: str, key: Any) -> None:
    if not isinstance(key, tuple) or len(key) != 3 or not all(isinstance(one, int) for one in key):
        raise TypeError(f"{user}: key must be the BatchKey (seed, epoch, batch) of a batch step (got {key!r})")


def _require_number(user: str, name: str, x: Any) -> None:
    if isinstance(x, bool) or not isinstance(x, (int, float)):
        raise TypeError(f"{user}: {name} must be a number (got {x!r})")


def _arguments(user: str, images: Any, labels: Any, key: Any, alpha: Any) -> tuple:
    _require_key(user, key)
    _require_number(user, "alpha", alpha)
    return _core_of(images, f"{user}: images"), _core_of(labels, f"{user}: labels", _ONE_HOT), *key, alpha


def mix_up(images: Column, labels: Column, key: BatchKey, alpha: float = 0.2) -> float:
    """Mixes each sample of a batch, and its label, with the one before it, in place (MixUp).

    The first sample is mixed with the last. A batch of one sample does not change.

    ::

        pipe.batch_step(lambda batch, key: sluice.mix_up(batch[0], batch[1], key))

    Parameters
    ----------
    images : Column
        Images or tensors of one shape, of dtype u8, f16, bf16 or f32, in host memory.
    labels : Column
        Tensors of one shape and dtype f32, such as those of ``ops.one_hot``.
    key : BatchKey
        The key that the batch step gets. It determines the weight.
    alpha : float, default 0.2
        The weight is drawn from the distribution Beta(alpha, alpha), once for each batch. From 0.000001 to 1000.

    Returns
    -------
    float
        The weight of the sample itself, from 0 to 1. The sample before it has the rest.

    Raises
    ------
    TypeError
        If an argument has another type.
    Error
        If the columns cannot be mixed. They are unchanged then.
    """
    return _core.mix_up(*_arguments("mix_up", images, labels, key, alpha))[0]


def cut_mix(
    images: Column, labels: Column, key: BatchKey, alpha: float = 1.0
) -> tuple[float, tuple[int, int, int, int]]:
    """Copies a rectangle from the sample before into each sample of a batch, in place (CutMix).

    Labels are mixed in proportion to the areas.

    Parameters
    ----------
    images : Column
        Images or tensors of one shape, of any dtype, in host memory.
    labels, key
        As in :func:`mix_up`.
    alpha : float, default 1.0
        The share of the image that stays is drawn from Beta(alpha, alpha). From 0.000001 to 1000.

    Returns
    -------
    weight : float
        The weight of the sample's own label, from 0 to 1.
    rectangle : tuple of int
        (y, x, height, width) in pixels.

    Raises
    ------
    TypeError, Error
        As in :func:`mix_up`.
    """
    return _core.cut_mix(*_arguments("cut_mix", images, labels, key, alpha))


class Mosaic(NamedTuple):
    """What :func:`mosaic` has done to a sample.

    Attributes
    ----------
    y, x : int
        The point where the four images meet, in pixels from the upper left corner.
    quadrant : int
        The quadrant that shows the sample itself: 0 upper left, 1 upper right, 2 lower left, 3 lower right.
    """

    y: int
    x: int
    quadrant: int


def mosaic(
    images: Column,
    key: BatchKey,
    boxes: Column | None = None,
    labels: Column | None = None,
    *,
    min_center: float = 0.25,
    max_center: float = 0.75,
    probability: float = 1.0,
    min_area: float = 0.0,
    min_visibility: float = 0.0,
) -> list[Mosaic | None]:
    """Replaces each image of a batch by four images around a random point, in place, and moves their boxes (mosaic).

    The four are the sample and the three before it in the batch, wrapping around. Nothing is resized:
    each image touches the point with a corner and is cut off at the edges. A batch of one sample does not change.

    ::

        pipe.batch_step(lambda batch, key: sluice.mosaic(batch[0], key, batch[1], batch[2], min_visibility=0.2))

    Parameters
    ----------
    images : Column
        Images or tensors of one shape, of any dtype, in host memory.
    key : BatchKey
        The key that the batch step gets. It determines the points.
    boxes : Column, optional
        A tensor of f32 and shape (n, 4) for each sample: the edges left, top, right and bottom, in pixels. They are cut
        off at the edge of their part.
    labels : Column, optional
        A tensor for each sample, with a row for each box. Pass it together with `boxes`.
    min_center, max_center : float, default 0.25 and 0.75
        The range of the common point, as shares of width and height, from 0 to 1.
    probability : float, default 1.0
        The probability that a sample changes, from 0 to 1.
    min_area : float, default 0.0
        Drops boxes with a smaller visible area, in square pixels.
    min_visibility : float, default 0.0
        Drops boxes with a smaller visible share, from 0 to 1.

    Returns
    -------
    list of Mosaic or None
        One for each sample; None if it did not change. The columns of boxes and labels have other numbers of rows
        afterwards. Arrays that were taken from these two columns before keep the old rows.

    Raises
    ------
    TypeError
        If an argument has another type.
    Error
        If the columns do not fit, or a number is out of range. They are unchanged then.
    """
    _require_key("mosaic", key)
    numbers = {
        "min_center": min_center, "max_center": max_center, "probability": probability, "min_area": min_area,
        "min_visibility": min_visibility,
    }
    for name, x in numbers.items():
        _require_number("mosaic", name, x)
    if (boxes is None) != (labels is None):
        raise TypeError("mosaic: boxes and labels belong together: pass both, or none of them")
    beside = [None if one is None else _core_of(one, f"mosaic: {what}") for one, what in ((boxes, "boxes"), (labels, "labels"))]
    done = _core.mosaic(_core_of(images, "mosaic: images"), *beside, *key, **numbers)
    for one in (boxes, labels):
        if one is not None:
            one._forget()
    return [None if one is None else Mosaic(*one) for one in done]
