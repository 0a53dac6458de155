"""Batch and its columns: what a pipeline delivers."""

from __future__ import annotations

import operator
from typing import Any, Iterator

from . import _core
from ._structure import rebuild


class Column:
    """Images or tensors of a batch, one for each sample.

    Where all have the same shape they are one block of memory: ``numpy.asarray(column)``,
    ``torch.from_dlpack(column)``, ``jax.numpy.from_dlpack(column)`` and ``cupy.from_dlpack(column)``
    show it without a copy, and keep it alive. Else ``column[i]`` gives one sample. A batch without
    samples has a block of the shape ``(0, ...)``: the sizes and the type are those of the batch before,
    and sizes that are not known are 0.

    Attributes
    ----------
    dense : bool
        Whether they are one block.
    shape : tuple of int
        Of the block; samples first.
    dtype : str
        ``'u8'``, ``'f32'``, ...
    layout : str
        Of a sample: ``'HWC'``, ``'CHW'`` or ``'none'``.
    on_device : bool
        Whether they lie in a GPU's memory.
    """

    def __init__(self, core: Any, name: str = "this column"):
        self._core = core
        self._name = name  # its expression for messages, such as batch[0]
        self._block: Any = None

    def block(self) -> Any:
        """All elements as one array; raises Error where shapes differ."""
        if self._block is None:
            if not self._core.dense:
                raise _core.Error(
                    f"{self._name}: its {len(self)} samples have different shapes, so they are not one array: "
                    f"{_and_others([str(one.shape) for one in self])}; {self._cure()}"
                )
            self._block = self._core.block()
        return self._block

    def _cure(self) -> str:
        """Advice to make the shapes equal."""
        if self.layout == "HWC" and len({one.shape[:-1] for one in self}) == 1:
            return "give all as many channels: ops.grayscale(image, channels=3) keeps three; or take column[i]"
        return "resize them in the pipeline, or take column[i]"

    @property
    def dense(self) -> bool:
        return self._core.dense

    @property
    def shape(self) -> tuple[int, ...]:
        return self.block().shape

    def _any(self) -> Any:
        return self.block() if self._core.dense else self._core.sample(0)

    @property
    def dtype(self) -> str:
        return self._any().dtype

    @property
    def layout(self) -> str:
        return self._core.layout

    @property
    def on_device(self) -> bool:
        return self._any().on_device

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, i: int) -> Array:
        size = len(self)
        try:
            place = operator.index(i)
        except TypeError:
            raise TypeError(
                f"a column is indexed by the number of a sample, not by {i!r}; numpy() gives an array, "
                "which takes slices where all samples have the same shape"
            ) from None
        if not -size <= place < size:
            raise IndexError(f"sample {place} of {size}")
        return Array(self._core.sample(place % size))

    def __iter__(self) -> Iterator[Array]:
        return (self[i] for i in range(len(self)))

    def __eq__(self, other: Any) -> Any:
        return _compared(self, other)

    __hash__ = object.__hash__

    def __dlpack__(self, **how: Any) -> Any:
        return self.block().__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.block().__dlpack_device__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return _to_numpy(self.block(), dtype, copy)

    def numpy(self) -> Any:
        """A NumPy array of the block; a copy where it lies on a GPU."""
        return _to_numpy(self.block())

    def torch(self) -> Any:
        """A PyTorch tensor of the block, where it lies."""
        import torch

        return torch.from_dlpack(self)

    def wait_on(self, stream: int) -> None:
        """What is put into the CUDA stream from now on begins when the elements are ready."""
        self._core.wait_on(stream)

    def release_after(self, stream: int) -> None:
        """The memory is used again only after the work that is in the CUDA stream now."""
        self._core.release_after(stream)

    def __repr__(self) -> str:
        what = f"shape {self.shape}" if self._core.dense else "different shapes"
        return f"<Column of {len(self)}, {what}, {self.dtype}>"


class Array:
    """The elements of one sample, or numbers of all samples; for other libraries, without a copy."""

    def __init__(self, core: Any):
        self._core = core

    @property
    def shape(self) -> tuple[int, ...]:
        return self._core.shape

    @property
    def dtype(self) -> str:
        return self._core.dtype

    @property
    def on_device(self) -> bool:
        return self._core.on_device

    def __len__(self) -> int:
        return len(self._core)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.numpy())

    def __getitem__(self, key: Any) -> Any:
        return self.numpy()[key]

    def __eq__(self, other: Any) -> Any:
        return _compared(self, other)

    __hash__ = object.__hash__

    def __dlpack__(self, **how: Any) -> Any:
        return self._core.__dlpack__(**how)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._core.__dlpack_device__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return _to_numpy(self._core, dtype, copy)

    def numpy(self) -> Any:
        """A NumPy array; a copy where the elements lie on a GPU."""
        return _to_numpy(self._core)

    def torch(self) -> Any:
        """A PyTorch tensor, where the elements lie."""
        import torch

        return torch.from_dlpack(self)

    def tolist(self) -> list:
        return self.numpy().tolist()

    def __repr__(self) -> str:
        return f"<Array of shape {self.shape}, {self.dtype}>"


def _compared(one: Any, other: Any) -> bool:
    """Python would say False where NumPy compares elements."""
    if one is other:
        return True
    raise TypeError(
        f"{one!r} is compared with {type(other).__name__}: .numpy() or .torch() of it has elements that compare"
    )


def _to_numpy(core: Any, dtype: Any = None, copy: bool | None = None) -> Any:
    array = (core.to_host() if core.on_device else core).numpy()
    converts = dtype is not None and array.dtype != dtype
    if copy is False and (converts or core.on_device):
        raise ValueError("this array has another dtype, or lies on a GPU: it cannot be had without a copy")
    if converts:
        return array.astype(dtype)
    return array.copy() if copy else array


def _and_others(texts: list[str]) -> str:
    """Lists a few of the different texts."""
    different = list(dict.fromkeys(texts))
    return ", ".join(different[:4]) + (f" and {len(different) - 4} more" if len(different) > 4 else "")


def _column(core: Any, name: str) -> Any:
    if isinstance(core, _core.ArrayColumn):
        return Column(core, name)
    if isinstance(core, _core.Array):
        return Array(core)
    return core


def _names_of(structure: Any) -> list[str]:
    """The expression for each column: batch[0], batch['image']."""
    if structure is None:
        return ["batch[0]"]

    def visit(shape: Any, path: str) -> list[str]:
        if shape is None:
            return [path]
        by_key = shape.kind in (tuple, list, dict)
        parts = zip(shape.keys, shape.parts)
        return [one for key, part in parts for one in visit(part, f"{path}[{key!r}]" if by_key else f"{path}.{key}")]

    return visit(structure, "batch" if structure.kind in (tuple, list, dict) else "batch.value")


def _short(column: Any) -> str:
    return f"<list of {len(column)}>" if isinstance(column, list) else repr(column)


class Batch:
    """What a pipeline delivers: a column for each output, in the structure that was returned.

    ``for images, labels in pipeline`` and ``batch["image"]`` give columns: a :class:`Column` of
    images and tensors, an :class:`Array` of numbers, a list of anything else.

    Attributes
    ----------
    value : column, tuple, list, dict or dataclass of columns
        As the function returned it.
    size : int
        Samples in it; 0 where all have failed or were dropped. Such a batch comes all the same, so that all
        processes of a job have as many batches as each other.
    index, epoch : int
        Of the batch in its epoch, and of the epoch.
    ids : list of int
        Positions of the samples in the epoch.
    keys : list of (epoch, index, repeat)
        Which samples they are.
    missing : list of int
        Positions of samples that failed, or that a filter dropped.
    replaced : list of int
        Positions of samples whose place another one took.
    errors : list of dict
        Why: position, index, source, step, path, what.
    warnings : list of dict
        What is wrong with samples that are in it all the same.
    padding : int
        How many samples at the end repeat the last one.
    """

    def __init__(self, core: dict, structure: Any):
        self.columns = [_column(*one) for one in zip(core["columns"], _names_of(structure))]
        self.structure = structure
        self.value = rebuild(structure, self.columns)
        # A column of texts is a list as well, so the structure tells whether there are several
        # columns.
        self._several = structure is not None and isinstance(self.value, (tuple, list, dict))
        for name in (
            "index", "epoch", "ids", "keys", "missing", "replaced", "errors", "warnings", "padding",
        ):
            setattr(self, name, core[name])
        self.size = len(self.ids) + self.padding

    def __iter__(self) -> Iterator[Any]:
        if self._several and not isinstance(self.value, dict):
            return iter(self.value)
        return iter((self.value,))

    def __getitem__(self, key: Any) -> Any:
        try:
            return self.value[key] if self._several else (self.value,)[key]
        except (KeyError, IndexError, TypeError) as error:
            raise type(error)(self._no_column(key)) from None

    def _no_column(self, key: Any) -> str:
        if isinstance(self.value, dict):
            return f"a batch of this pipeline has the columns {', '.join(map(repr, self.value))}, not {key!r}"
        return f"a batch of this pipeline has {len(self)} column{'s'[: len(self) > 1]}, by number from 0 on, not {key!r}"

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__.get("value")
        if name.startswith("_") or value is None:
            raise AttributeError(name)
        if isinstance(value, dict):
            where = f"its columns are batch[{next(iter(value))!r}] and so on, and batch.value is the dict"
        elif self._several:
            where = "its columns are batch[0] and so on"
        elif isinstance(value, (Column, Array, list)):
            where = "its column is batch.value, or `for images, in pipeline` with a comma"
        else:
            where = f"batch.value is the {type(value).__name__} that the function returned"
        raise AttributeError(f"a batch has no {name!r}: {where}")

    def __len__(self) -> int:
        """How many columns: what ``a, b = batch`` takes apart. `size` counts samples."""
        return len(self.value) if self._several else 1

    def __repr__(self) -> str:
        columns = ", ".join(_short(one) for one in self.columns)
        return f"<Batch {self.index} of epoch {self.epoch}: {self.size} samples, [{columns}]>"
