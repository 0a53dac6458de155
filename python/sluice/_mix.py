"""Samples of a batch mixed with each other, as steps on batches."""

from __future__ import annotations

from typing import Any

from . import _core
from ._batch import Column
from ._pipeline import BatchKey


def _core_of(column: Any, what: str) -> Any:
    if not isinstance(column, Column):
        cure = "; ops.one_hot(label, classes=...) makes tensors of numbers" if what.endswith("labels") else ""
        raise TypeError(f"{what} is a column of images or tensors of a batch, not {type(column).__name__}{cure}")
    return column._core


def _arguments(user: str, images: Any, labels: Any, key: Any, alpha: Any) -> tuple:
    if not isinstance(key, tuple) or len(key) != 3 or not all(isinstance(one, int) for one in key):
        raise TypeError(f"{user}: key is the BatchKey (seed, epoch, batch) that a batch step is given, not {key!r}")
    if isinstance(alpha, bool) or not isinstance(alpha, (int, float)):
        raise TypeError(f"{user}: alpha is a number, not {alpha!r}")
    return _core_of(images, f"{user}: images"), _core_of(labels, f"{user}: labels"), *key, alpha


def mix_up(images: Column, labels: Column, key: BatchKey, alpha: float = 0.2) -> float:
    """Mixes each sample of a batch with the one before it, in place, and the labels as well.

    ::

        pipe.batch_step(lambda batch, key: sluice.mix_up(batch[0], batch[1], key))

    Parameters
    ----------
    images : Column
        Of one size; u8, f16 or f32, in the host's memory.
    labels : Column
        f32, of one shape: what ``ops.one_hot`` gives.
    key : BatchKey
        From which the weight is drawn.
    alpha : float
        The weight is drawn from Beta(alpha, alpha).

    Returns
    -------
    float
        The weight of a sample itself.

    Raises
    ------
    Error
        For what cannot be mixed, before anything is changed.
    """
    return _core.mix_up(*_arguments("mix_up", images, labels, key, alpha))[0]


def cut_mix(
    images: Column, labels: Column, key: BatchKey, alpha: float = 1.0
) -> tuple[float, tuple[int, int, int, int]]:
    """Copies a rectangle of the sample before into each sample of a batch, in place, and mixes the labels
    as the areas are.

    Parameters
    ----------
    images, labels, key, alpha
        As of :func:`mix_up`; images may have any elements.

    Returns
    -------
    float
        The part of the labels that stays.
    tuple of int
        The rectangle: y, x, height, width.

    Raises
    ------
    Error
        For what cannot be mixed, before anything is changed.
    """
    return _core.cut_mix(*_arguments("cut_mix", images, labels, key, alpha))
