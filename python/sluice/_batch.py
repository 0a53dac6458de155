"""Batch, and the columns of a batch: Column and Array."""

from __future__ import annotations

import operator
import sys
from typing import TYPE_CHECKING, Any, Iterator, Sequence

from . import _core
from ._structure import rebuild


class _Shares:
    """Base of Column and Array, which share the pipeline's memory."""

    def __copy__(self) -> Any:
        return self

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(
            f"{self!r} cannot be pickled or deep-copied, because it shares the pipeline's memory; numpy.array(x) makes a copy of "
            "x that can, or x.torch().clone() a tensor"
        )


class Column(_Shares):
    """The images or tensors of a batch, one for each sample.

    If all samples have the same shape, the column is dense: one block of memory. Then ``numpy.asarray(column)``,
    ``torch.from_dlpack(column)``, ``jax.numpy.from_dlpack(column)`` and ``cupy.from_dlpack(column)`` return arrays
    that share the block and keep it alive. ``column[i]`` returns one sample as an :class:`Array`, dense or not.

    A batch without samples has a block of shape ``(0, ...)``. The other sizes are those of the previous batch, or 0
    if they are unknown.

    Attributes
    ----------
    dense : bool
        True if all samples have the same shape.
    shape : tuple of int
        The shape of the block: (samples, height, width, channels) for images. Raises Error if the column is not dense.
    dtype : str
        The type of an element: ``'u8'``, ``'f32'`` and so on.
    layout : {'HWC', 'CHW', 'none'}
        The meaning of a sample's dimensions.
    on_device : bool
        True if the elements are in the memory of a GPU.
    """

    def __init__(self, core: Any, name: str = "this column"):
        self._core = core
        self._name = name  # its expression for messages, such as batch[0]
        self._block: Any = None

    def block(self) -> Any:
        """Returns all elements as one array; raises Error if the shapes differ."""
        if self._block is None:
            if not self._core.dense:
                raise _core.Error(
                    f"{self._name}: its {len(self)} samples have different shapes, so they are not one array: "
                    f"{and_others([str(one.shape) for one in self])}; {self._cure()}"
                )
            self._block = self._core.block()
        return self._block

    def _forget(self) -> None:
        """Forgets the block, because a function has replaced the elements."""
        self._block = None

    def _cure(self) -> str:
        """Returns advice to make the shapes equal."""
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

    if not TYPE_CHECKING:  # so that type checkers report unknown names

        def __getattr__(self, name: str) -> Any:
            numpy = sys.modules.get("numpy")
            if not name.startswith("_") and numpy is not None and hasattr(numpy.ndarray, name):
                raise AttributeError(f"a column has no {name!r}, but its array has: {self._name}.numpy().{name}")
            if name in ("to", "cuda", "cpu", "permute", "float"):
                raise AttributeError(f"a column has no {name!r}, but its tensor has: torch.from_dlpack({self._name}).{name}")
            raise AttributeError(f"'Column' object has no attribute {name!r}")

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
        """Returns the block as a NumPy array. Copies only from a GPU. Raises Error if shapes differ."""
        return _to_numpy(self.block())

    def torch(self) -> Any:
        """Returns the block as a PyTorch tensor on the same device, without a copy."""
        import torch

        return torch.from_dlpack(self)

    def wait_on(self, stream: int) -> None:
        """Makes later work in a CUDA stream wait until the elements are ready.

        `stream` is its address, such as ``torch.cuda.current_stream().cuda_stream``.
        """
        self._core.wait_on(_address(stream, "wait_on"))

    def release_after(self, stream: int) -> None:
        """Keeps the memory until the work that is now in a CUDA stream has finished. `stream` is as in wait_on()."""
        self._core.release_after(_address(stream, "release_after"))

    def __repr__(self) -> str:
        what = f"shape {self.shape}" if self._core.dense else "different shapes"
        return f"<Column of {len(self)}, {what}, {self.dtype}>"


class Array(_Shares):
    """The elements of one image or tensor, or one number for each sample of a batch.

    ``numpy.asarray(array)`` and ``torch.from_dlpack(array)`` share its memory. Indexing and iteration work as
    in NumPy.

    Attributes
    ----------
    shape : tuple of int
        (height, width, channels) for an image; (samples,) for numbers.
    dtype : str
        The type of an element: ``'u8'``, ``'i64'``, ``'f32'`` and so on.
    on_device : bool
        True if the elements are in the memory of a GPU.
    """

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
        """Returns a NumPy array. Copies only from a GPU."""
        return _to_numpy(self._core)

    def torch(self) -> Any:
        """Returns a PyTorch tensor on the same device, without a copy."""
        import torch

        return torch.from_dlpack(self)

    def tolist(self) -> list[Any]:
        return self.numpy().tolist()

    def __repr__(self) -> str:
        return f"<Array of shape {self.shape}, {self.dtype}>"


def _address(stream: Any, user: str) -> int:
    """Checks the address of a CUDA stream."""
    if isinstance(stream, bool) or not isinstance(stream, int) or not 0 <= stream < 2**64:
        raise TypeError(
            f"{user}: stream must be the address of a CUDA stream (got {stream!r}); pass torch.cuda.current_stream().cuda_stream"
        )
    return stream


def _compared(one: Any, other: Any) -> bool:
    """Raises TypeError: NumPy users expect a comparison of elements, and Python's default would return False."""
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


def and_others(texts: list[str]) -> str:
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
    """Returns the expression for each column: batch[0], batch['image']."""
    if structure is None:
        return ["batch[0]"]
    return _names_at(structure, "batch" if structure.kind in (tuple, list, dict) else "batch.value")


def _names_at(shape: Any, path: str) -> list[str]:
    if shape is None:
        return [path]
    by_key = shape.kind in (tuple, list, dict)
    parts = zip(shape.keys, shape.parts)
    return [one for key, part in parts for one in _names_at(part, f"{path}[{key!r}]" if by_key else f"{path}.{key}")]


def _short(column: Any) -> str:
    return f"<list of {len(column)}>" if isinstance(column, list) else repr(column)


class Batch:
    """A batch: one column for each output of the pipeline's function, in the same structure.

    A column is a :class:`Column` for images and tensors, an :class:`Array` for numbers, and a list for anything else.
    If the function returns a tuple, unpack it: ``for images, labels in pipeline``. If it returns a dict, index it:
    ``batch["image"]``. If it returns one value, write ``for images, in pipeline`` with a comma, or ``batch[0]``:
    the batch itself is not an array.

    Attributes
    ----------
    value : column, or tuple, list, dict or dataclass of columns
        The structure that the function returned, with columns in it.
    columns : list of columns
        All columns, without the structure.
    size : int
        Number of samples. It is 0 if all samples failed or were dropped. Such a batch is still delivered, so that all
        processes of a job get equally many batches. ``len(batch)`` is the number of columns.
    index : int
        The number of the batch in its epoch, from 0.
    epoch : int
        The number of the epoch, from 0.
    ids : list of int
        The position in the epoch of each sample, from 0.
    keys : list of (epoch, index, repeat)
        The identity of each sample: ``index`` is its index in the dataset.
    missing : list of int
        Positions of samples that failed or were dropped.
    replaced : list of int
        Positions of samples that failed and were replaced, with ``on_error='replace'``.
    errors : list of dict
        One for each sample that failed, with the keys ``position``, ``epoch``, ``index``, ``seed``, ``source``,
        ``step``, ``path``, ``what`` and ``kept``.
    warnings : list of dict
        The same keys, for samples that are in the batch although something is wrong with them.
    padding : int
        How many samples at the end repeat the last one, with ``last_batch='fill'``.
    """

    index: int
    epoch: int
    ids: list[int]
    keys: list[tuple[int, int, int]]
    missing: list[int]
    replaced: list[int]
    errors: list[dict[str, Any]]
    warnings: list[dict[str, Any]]
    padding: int

    def __init__(self, core: dict[str, Any], structure: Any):
        self.columns: list[Any] = [_column(*one) for one in zip(core["columns"], _names_of(structure))]
        self.structure: Any = structure
        self.value: Any = rebuild(structure, self.columns)
        # A column of texts is a list as well, so the structure tells whether there are several
        # columns.
        self._several = structure is not None and isinstance(self.value, (tuple, list, dict))
        for name in (
            "index", "epoch", "ids", "keys", "missing", "replaced", "errors", "warnings", "padding",
        ):
            setattr(self, name, core[name])
        self.size: int = len(self.ids) + self.padding

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

    if not TYPE_CHECKING:  # so that type checkers report unknown names

        def __getattr__(self, name: str) -> Any:
            if name.startswith("_") or self.__dict__.get("value") is None:
                raise AttributeError(name)
            raise AttributeError(f"a batch has no {name!r}: {self._column_hint()}")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Raises TypeError. Otherwise NumPy would stack the columns along a new dimension."""
        raise TypeError(f"a batch is not an array: {self._column_hint()}")

    def _column_hint(self) -> str:
        """Says where the columns are, for messages."""
        if isinstance(self.value, dict):
            return f"its columns are batch[{next(iter(self.value))!r}] and so on, and batch.value is the dict"
        if self._several:
            return "its columns are batch[0] and so on"
        if isinstance(self.value, (Column, Array, list)):
            return "its column is batch.value, or `for images, in pipeline` with a comma"
        return f"batch.value is the {type(self.value).__name__} that the function returned"

    def __len__(self) -> int:
        """Returns the number of columns. ``size`` is the number of samples."""
        return len(self.value) if self._several else 1

    def __repr__(self) -> str:
        columns = ", ".join(_short(one) for one in self.columns)
        return f"<Batch {self.index} of epoch {self.epoch}: {self.size} samples, [{columns}]>"


def pad_batch(column: Any, *, fill: float = 0, length: int | Sequence[int] | None = None) -> Any:
    """Joins the samples of a ragged column into one array, and fills up the shorter ones.

    Boxes, points and other tensors differ in length between samples. ``len(column[i])`` is the length of a sample.

    Parameters
    ----------
    column : Column, or list of arrays or PyTorch tensors
        All have the same number of dimensions.
    fill : number, default 0
        The value of the added elements.
    length : int, or list of int, optional
        The size of the first dimension, or of all dimensions. By default the largest in the column.

    Returns
    -------
    array
        Shape (samples, ...), a new NumPy array; a PyTorch tensor on the device of the first one for a list of tensors.

    Raises
    ------
    ValueError
        If the samples differ in their number of dimensions, if a sample is larger than `length`, or if there is no sample and
        no shape.
    """
    import numpy

    if isinstance(column, Column) and column.dense and not len(column):
        return numpy.array(column)
    samples = list(column)
    if not samples:
        raise ValueError("pad_batch: the column has no samples, so its shape is not known")
    in_torch = hasattr(samples[0], "new_full")
    if not in_torch:
        samples = [numpy.asarray(one) for one in samples]
    shapes = [tuple(one.shape) for one in samples]
    if len(set(map(len, shapes))) > 1:
        raise ValueError(f"pad_batch: the samples must have the same number of dimensions (got the shapes {and_others([str(one) for one in shapes])})")
    sizes = [max(those) for those in zip(*shapes)]
    if length is not None:
        wanted = list(length) if isinstance(length, (list, tuple)) else [length]
        if any(isinstance(size, bool) or not hasattr(size, "__index__") for size in wanted):
            raise ValueError(f"pad_batch: length must be a whole number or a list of them (got {length!r})")
        if len(wanted) > len(sizes):
            raise ValueError(f"pad_batch: length has {len(wanted)} sizes, but the samples have {len(sizes)} dimensions")
        sizes = [*wanted, *sizes[len(wanted) :]]
        for i, shape in enumerate(shapes):
            if any(size < own for size, own in zip(sizes, shape)):
                raise ValueError(f"pad_batch: length={length!r} is too small for sample {i} of shape {shape}; leave it out, or cut the sample")
    full = (len(samples), *sizes)
    padded = samples[0].new_full(full, fill) if in_torch else numpy.full(full, fill, samples[0].dtype)
    for place, one in zip(padded, samples):
        place[tuple(slice(size) for size in one.shape)] = one
    return padded
