"""MixUp and CutMix, as steps on batches."""

from __future__ import annotations

from typing import Any

from . import _core
from ._batch import Column
from ._pipeline import BatchKey


def _core_of(column: Any, what: str) -> Any:
    if not isinstance(column, Column):
        cure = "; ops.one_hot(label, classes=...) makes tensors of numbers" if what.endswith("labels") else ""
        raise TypeError(f"{what} must be a column of images or tensors of a batch (got {type(column).__name__}){cure}")
    return column._core


def _arguments(user: str, images: Any, labels: Any, key: Any, alpha: Any) -> tuple:
    if not isinstance(key, tuple) or len(key) != 3 or not all(isinstance(one, int) for one in key):
        raise TypeError(f"{user}: key must be the BatchKey (seed, epoch, batch) of a batch step (got {key!r})")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
        raise TypeError(f"{user}: alpha must be a number (got {alpha!r})")
    return _core_of(images, f"{user}: images"), _core_of(labels, f"{user}: labels"), *key, alpha


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
