"""from_hf: a source of the samples of a Hugging Face dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Unpack

from . import _core, ops
from ._arguments import short
from ._options import SamplerOptions, takes
from ._value import Value
from ._workers import WorkerOptions
from .sources import _SAMPLER, source, type_names

_TYPES = {
    "string": "text", "large_string": "text", "binary": "bytes", "large_binary": "bytes", "bool": "bool",
    **{f"{sign}int{bits}": f"{'u' if sign else 'i'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
}


def _type_of(feature: Any) -> str | None:
    """The type of a column's values; None if this source does not know the feature."""
    kind = type(feature).__name__
    if kind == "ClassLabel":
        return "i64"
    if kind == "Value":
        return _TYPES.get(str(feature.dtype))
    if kind.startswith("Array") and kind.endswith("D"):
        return "tensor"
    if kind in ("Sequence", "List", "LargeList") and type(feature.feature).__name__ in ("Value", "ClassLabel"):
        element = _type_of(feature.feature) or ""
        return "list of i64" if element[:1] in ("i", "u") else "list of f32" if element[:1] == "f" else None
    return None


class _Rows:
    """The rows of a dataset as tuples, or the values of a single column. Images stay files, so that the pipeline's threads decode them."""

    def __init__(self, dataset: Any, types: dict[str, str], files: Sequence[str]):
        self._dataset, self._types, self._files = dataset, types, frozenset(files)

    def __len__(self) -> int:
        return len(self._dataset)

    def __getitem__(self, index: int) -> Any:
        return self._row(self._dataset[index])

    def __getitems__(self, indices: list[int]) -> list:
        get = getattr(self._dataset, "__getitems__", None)
        return [self._row(one) for one in (get(indices) if get else map(self._dataset.__getitem__, indices))]

    def _row(self, row: Mapping[str, Any]) -> Any:
        values = tuple(self._value(name, row[name]) for name in self._types)
        return values if len(values) > 1 else values[0]

    def _value(self, name: str, value: Any) -> Any:
        if value is None:
            raise ValueError(f"the column {name!r} has no value (None)")
        if name in self._files:
            return _file(name, value)
        if self._types[name] == "tensor" and isinstance(value, list):
            import numpy

            return numpy.asarray(value, getattr(self._dataset.features[name], "dtype", None))
        return value


def _file(name: str, value: Any) -> bytes:
    """The content of a file that a dataset gives as {"bytes": ..., "path": ...}."""
    if isinstance(value, Mapping):
        if value.get("bytes") is not None:
            return value["bytes"]
        if value.get("path"):
            with open(value["path"], "rb") as file:
                return file.read()
    raise ValueError(f"the column {name!r} has no file: neither bytes nor a path (got {short(value)})")


@takes(SamplerOptions)
def from_hf(
    dataset: Any,
    columns: Sequence[str] | Mapping[str, Any] | None = None,
    *,
    workers: int | WorkerOptions = 0,
    batch: int = 0,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads the samples of a Hugging Face dataset: an object of `datasets.Dataset`.

    The pipeline's threads decode the images; for a crop, only the region.

    Parameters
    ----------
    dataset : datasets.Dataset
        With ``__len__``, ``__getitem__``, ``features``, ``select_columns`` and ``cast_column``. For streaming datasets, use :func:`iterate`.
    columns : list of str, or dict of column: type, optional
        The columns to return. By default all. Their types follow from ``dataset.features``: images become 'image', a
        ClassLabel 'i64', a ``datasets.Value`` its dtype, sequences of numbers 'list of i64' or 'list of f32', arrays 'tensor'. A dict gives
        other types, as in :func:`source`: 'bytes' for the file of an image, 'object' for anything else.
    workers : int or WorkerOptions, default 0
        The number of worker processes that read the dataset, as in :func:`source`.
    batch : int, default 0
        The most rows to request in one call, as in :func:`source`.{sampler}

    Returns
    -------
    *columns : Value
        One for each of `columns`.

    Raises
    ------
    BuildError
        If `dataset` is another object, or if a column does not exist or has an unknown type.
    """
    features = getattr(dataset, "features", None)
    if not isinstance(features, Mapping) or not hasattr(dataset, "__getitem__"):
        what = "choose one of its splits, such as dataset['train']" if isinstance(dataset, dict) else "sluice.source() takes other datasets"
        raise _core.BuildError(f"sluice.from_hf() takes a dataset with features (got {type(dataset).__name__}); {what}")
    if not hasattr(dataset, "__len__"):
        raise _core.BuildError("sluice.from_hf() takes no streaming dataset; sluice.iterate(lambda: iter(dataset), ...) does")
    named = dict(columns) if isinstance(columns, Mapping) else dict.fromkeys([columns] if isinstance(columns, str) else features if columns is None else columns)
    if not named:
        raise _core.BuildError("sluice.from_hf(): columns is empty; name at least one")
    types: dict[str, str] = {}
    files, decoded = [], set()
    for name, wanted in named.items():
        if name not in features:
            raise _core.BuildError(f"sluice.from_hf(): there is no column {name!r}; there are {', '.join(map(str, features))}")
        is_image = type(features[name]).__name__ == "Image"
        type_ = wanted if wanted is not None else "image" if is_image else _type_of(features[name])
        if type_ is None:
            raise _core.BuildError(
                f"sluice.from_hf(): the type of column {name!r} is unknown ({short(features[name])}); pass columns={{{name!r}: 'object'}}, or "
                "leave it out"
            )
        types[name] = type_names(type_, "sluice.from_hf()")[0][0]
        if is_image and types[name] in ("image", "bytes"):
            files.append(name)
            if types[name] == "image":
                decoded.add(name)
                types[name] = "bytes"
    dataset = dataset.select_columns(list(types))  # others would be read and decoded, too
    for name in files:
        dataset = dataset.cast_column(name, type(features[name])(decode=False))
    made = source(
        _Rows(dataset, types, files), tuple(types.values()), name="from_hf", workers=workers, batch=batch,
        fingerprint=str(getattr(dataset, "_fingerprint", "")), **sampler,
    )
    return tuple(ops.decode_image(value) if name in decoded else value for name, value in zip(types, made))


if __doc__:  # python -OO removes docstrings
    from_hf.__doc__ = from_hf.__doc__.replace("{sampler}", _SAMPLER)
