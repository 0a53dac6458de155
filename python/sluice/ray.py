"""Sluice on a Ray cluster.

:func:`read_images` makes a Ray Dataset from a pipeline, with one task for each shard. :class:`Augment` runs a pipeline as a
step of an existing Dataset. :func:`shard` returns the part of a worker of Ray Train.

A row depends only on the pipeline, the seed, the epoch and the sample, not on shards, blocks or nodes. So if a node is lost
and Ray runs a task again, the rows are the same.
"""

from __future__ import annotations

import inspect
import logging
import zlib
from typing import Any, Iterable, Iterator, Sequence, Unpack, overload

import numpy

try:
    import ray
    import ray.data
except ModuleNotFoundError as error:
    if error.name not in ("ray", "ray.data", "fsspec", "pandas", "pyarrow"):  # what ray[data] installs
        raise
    raise ModuleNotFoundError("sluice.ray needs Ray: pip install 'ray[data]'", name=error.name) from error

from . import _core
from ._batch import Array, Batch, Column
from ._options import PipelineOptions
from ._pipeline import Description, Pipeline
from ._structure import Shape
from .sources import source

_log = logging.getLogger(__name__)
_MOST = 2**31 - 1  # the most samples of a source


# Here and in `Augment` below: the last overload accepts options of `describe` itself, too; see Description.__call__.
@overload
def read_images(
    describe: Description,
    *args: Any,
    shards: int | None = None,
    epoch: int = 0,
    columns: Sequence[str] | None = None,
    num_cpus: float = 1,
    remote: dict[str, Any] | None = None,
    **options: Unpack[PipelineOptions],
) -> ray.data.Dataset: ...
@overload
def read_images(
    describe: Description,
    *args: Any,
    shards: int | None = None,
    epoch: int = 0,
    columns: Sequence[str] | None = None,
    num_cpus: float = 1,
    remote: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset: ...


def read_images(
    describe: Description,
    *args: Any,
    shards: int | None = None,
    epoch: int = 0,
    columns: Sequence[str] | None = None,
    num_cpus: float = 1,
    remote: dict[str, Any] | None = None,
    **options: Any,
) -> ray.data.Dataset:
    """Makes a Ray Dataset from a pipeline, with one task for each shard.

    ::

        @sluice.pipeline(batch_size=64, seed=42)
        def train(folder, shard=None):
            jpeg, label = sluice.files(folder, shuffle=True, shard=shard)
            return {"image": ops.random_resized_crop(jpeg, height=224, width=224), "label": label}

        dataset = sluice.ray.read_images(train, "/shared/photos", shards=32)

    The values of the rows do not depend on the number of shards. If ``DataContext.execution_options.preserve_order`` is
    set, the rows have the order of a single run. If a node is lost, its tasks run again, and no row is lost or doubled.
    If a sample fails, the Dataset fails, or the sample is left out with a line in the log: see ``on_error``.

    Parameters
    ----------
    describe : function marked with @sluice.pipeline
        It has a parameter `shard` and passes it to its source. All nodes must be able to read the files.
    *args
        Arguments of the function.
    shards : int, optional
        The number of tasks. By default twice as many as the cluster can run at once.
    epoch : int, default 0
        The epoch whose shuffle and random numbers to use.
    columns : list of str, optional
        The names of the outputs. By default the keys of a dict, or the fields of a dataclass.
    num_cpus : float, default 1
        The CPUs of a task. Its pipeline uses as many threads, unless `threads` is given.
    remote : dict, optional
        More options of Ray for a task: {'num_gpus': 1, 'max_retries': 10}.
    **options
        Arguments of the function by name, and options of the pipeline. `batch_size` is the number of rows in a block.
        `last_batch` is always 'partial', so that no sample is left out.

    Returns
    -------
    ray.data.Dataset
        One column for each output, and the column `sample`: the index of the sample in its source. Images of different
        shapes become tensors of different shapes.

    Raises
    ------
    BuildError
        If the function has no parameter `shard` or does not use it, or if outputs have no names. The check builds the
        pipeline on this machine, so it must be able to read the source.
    """
    _check_describe(describe, "sluice.ray.read_images()")
    if "shard" not in inspect.signature(describe).parameters:
        raise _core.BuildError(
            f"{describe.__name__}() has no parameter 'shard', so the pipeline cannot be cut: write "
            f"def {describe.__name__}(..., shard=None), and give shard=shard to its source"
        )
    if "shard" in options:
        raise _core.BuildError(
            "sluice.ray.read_images() gives each task its shard: say shards=n in place of shard"
        )
    if shards is None:
        shards = max(1, 2 * int(ray.cluster_resources().get("CPU", 1) // max(num_cpus, 0.01)))
    if isinstance(shards, bool) or not isinstance(shards, int) or shards < 1:
        raise _core.BuildError(f"shards must be a whole number from 1 on (got {shards!r})")
    options["last_batch"] = "partial"
    with describe(*args, **options, shard=(0, 1)) as whole:
        names = _column_names(whole._structure, columns, describe.__name__)
        if shards > 1 and (whole.samples or 0) > 1:
            with describe(*args, **options, shard=(0, shards)) as part:
                if part.samples == whole.samples:
                    raise _core.BuildError(
                        f"{describe.__name__}() does not use its parameter 'shard', so every task "
                        "would give every sample: give shard=shard to its source"
                    )
    numbers = [{"shard": number} for number in range(shards)]
    return ray.data.from_items(numbers, override_num_blocks=shards).map_batches(
        _rows_of_shards,
        batch_size=1,
        fn_args=(describe, args, options, names, shards, epoch),
        num_cpus=num_cpus,
        **(remote or {}),
    )


def _rows_of_shards(
    numbers: dict, describe: Description, args: tuple, options: dict, names: list, shards: int,
    epoch: int,
) -> Iterator[dict]:
    for number in numbers["shard"].tolist():
        # In epoch e, shard i reads range (i + e) of the epoch's order, unless the source sticks to
        # shards. This task returns range `number`, so it asks for shard (number - e).
        part = ((number - epoch) % shards, shards)
        with describe(*args, **_with_threads(describe, options), shard=part) as pipe:
            pipe.reset(epoch)
            for batch in pipe:
                _log_missing(batch)
                if batch.size:
                    yield {**_named(batch, names), "sample": _samples_of(batch)}


class Augment:
    """Runs a pipeline on the rows of a Ray Dataset, as a step of ``map_batches``.

    ::

        @sluice.pipeline(seed=42)
        def small(jpeg):
            return {"image": ops.random_resized_crop(jpeg, height=224, width=224)}

        files = ray.data.read_binary_files("/shared/photos")
        images = files.map_batches(sluice.ray.Augment(small), batch_size=256)

    The first arguments of the function are the values of a row, followed by `args`. A row keeps its other columns. If a
    sample fails, the Dataset fails, or the row is left out with a line in the log: see ``on_error``. To run it in actors:
    ``map_batches(sluice.ray.Augment, fn_constructor_args=[small], concurrency=4)``.

    The random numbers of a row depend on the seed, the epoch and the row: its number in the column `number`, otherwise a
    hash of its inputs. They do not depend on blocks or actors. Equal rows get the same random numbers. The hash has 31
    bits. If two different rows of a batch have the same hash, the later one gets the next number.

    Parameters
    ----------
    describe : function marked with @sluice.pipeline
        The pipeline.
    *args
        Arguments of the function after the values.
    inputs : dict of column: type, default {'bytes': bytes}
        The columns to pass to the function, with types as in `returns` of :func:`sluice.source`. Columns of bytes are
        removed from the result; others stay.
    number : str, optional
        A column with the number of the row, a whole number from 0. With it, a row is the sample that a single run with
        ``sluice.source`` would make of it.
    epoch : int, default 0
        The epoch whose random numbers to use.
    columns : list of str, optional
        The names of the outputs. By default the keys of a dict, or the fields of a dataclass.
    **options
        Arguments of the function by name, and options of the pipeline, except for `batch_size` and `last_batch`.

    Raises
    ------
    BuildError
        If a column is missing, or if numbers of rows are not unique whole numbers from 0.
    """

    @overload
    def __init__(
        self,
        describe: Description,
        *args: Any,
        inputs: dict[str, Any] | None = None,
        number: str | None = None,
        epoch: int = 0,
        columns: Sequence[str] | None = None,
        **options: Unpack[PipelineOptions],
    ): ...
    @overload
    def __init__(
        self,
        describe: Description,
        *args: Any,
        inputs: dict[str, Any] | None = None,
        number: str | None = None,
        epoch: int = 0,
        columns: Sequence[str] | None = None,
        **options: Any,
    ): ...

    def __init__(
        self,
        describe: Description,
        *args: Any,
        inputs: dict[str, Any] | None = None,
        number: str | None = None,
        epoch: int = 0,
        columns: Sequence[str] | None = None,
        **options: Any,
    ):
        _check_describe(describe, "sluice.ray.Augment()")
        self._describe = describe
        self._args = args
        self._inputs = {"bytes": bytes} if inputs is None else dict(inputs)
        if not self._inputs:
            raise _core.BuildError("sluice.ray.Augment(): inputs names a column at least")
        self._number = number
        self._epoch = epoch
        self._columns = columns
        self._options = options

    def __call__(self, rows: dict[str, Any]) -> dict[str, Any]:
        """Returns the rows with the outputs of the pipeline. A batch is a dict of NumPy arrays, Ray's default format."""
        for name in [*self._inputs, *([self._number] if self._number else [])]:
            if name not in rows:
                raise _core.BuildError(
                    f"sluice.ray.Augment() takes the column {name!r}, and the rows have "
                    f"{', '.join(map(repr, rows))}: inputs={{'column': type}} and number='column' name them"
                )
        keys = self._keys(rows)
        types = self._inputs
        old = [name for name in rows if types.get(name) not in (bytes, "bytes")]
        left, made = self._run(rows, keys) if keys else ([], {})
        return {**{name: numpy.asarray(rows[name])[left] for name in old}, **made}

    def _keys(self, rows: dict[str, Any]) -> list[int]:
        """Returns a number for each row, which determines its random numbers."""
        if self._number is None:
            return _keys_of(zip(*(rows[name] for name in self._inputs)))
        keys = numpy.asarray(rows[self._number])
        if keys.dtype.kind not in "iu" or (keys.size and keys.min() < 0):
            raise _core.BuildError(
                f"sluice.ray.Augment(): the column {self._number!r} must have whole numbers from 0 on "
                f"(got {keys.tolist()[:4]} of type {keys.dtype})"
            )
        if len(numpy.unique(keys)) < len(keys):
            raise _core.BuildError(
                f"sluice.ray.Augment(): rows of one batch have the same number in {self._number!r}"
            )
        return keys.tolist()

    def _run(self, rows: dict[str, Any], keys: list[int]) -> tuple[list[int], dict]:
        """Returns the places of the rows that did not fail, and their outputs."""
        place_of = {key: place for place, key in enumerate(keys)}
        given = [rows[name] for name in self._inputs]

        def read(key: int) -> Any:
            values = tuple(column[place_of[key]] for column in given)
            return values if len(values) > 1 else values[0]

        def values() -> tuple:
            return source(
                read, tuple(self._inputs.values()), samples=max(keys) + 1, subset=keys, name="row",
                name_of=lambda key: f"row {place_of[key]}",
            )

        options = {**_with_threads(self._describe, self._options), "batch_size": len(keys),
                   "last_batch": "partial"}
        with self._describe.over(values, *self._args, **options) as pipe:
            names = _column_names(pipe._structure, self._columns, self._describe.__name__)
            pipe.reset(self._epoch)
            (batch,) = pipe
            _log_missing(batch)
            return batch.ids, _named(batch, names)


def shard() -> tuple[int, int]:
    """Returns the part of a worker of Ray Train, for ``shard=`` of a source.

    Returns
    -------
    (index, count) : tuple of int
        The rank of the worker and the number of workers.

    Raises
    ------
    BuildError
        If it is called outside a training function of Ray Train.
    """
    try:
        from ray import train

        context = train.get_context()
        index, count = context.get_world_rank(), context.get_world_size()
    except (ImportError, RuntimeError, AttributeError) as error:
        raise _core.BuildError(
            f"sluice.ray.shard() is called in the function that Ray Train runs on its workers ({error})"
        ) from error
    if index is None or count is None:
        raise _core.BuildError(
            "sluice.ray.shard() is called in the function that Ray Train runs on its workers; this is none"
        )
    return index, count


def _check_describe(describe: Any, user: str) -> None:
    if isinstance(describe, Pipeline):
        raise _core.BuildError(
            f"{user} takes the function that is marked with @sluice.pipeline, and its arguments, not the "
            "Pipeline that it gives, since each task makes its own"
        )
    if not isinstance(describe, Description):
        raise _core.BuildError(
            f"{user} takes a function that is marked with @sluice.pipeline, not "
            f"{type(describe).__name__}"
        )


def _with_threads(describe: Description, options: dict) -> dict:
    """Returns the options, with one thread for each CPU that Ray assigned to this task or actor."""
    cpus = ray.get_runtime_context().get_assigned_resources().get("CPU", 1)
    own = {"threads": max(1, int(cpus)), "io_threads": max(1, int(cpus))}
    return {**{name: n for name, n in own.items() if name not in describe._options}, **options}


def _column_names(structure: Shape | None, columns: Sequence[str] | None, user: str) -> list[str]:
    found: list[tuple] = []

    def visit(shape: Shape | None, path: tuple) -> None:
        if shape is None:
            found.append(path)
            return
        for key, part in zip(shape.keys, shape.parts):
            visit(part, (*path, key))

    visit(structure, ())
    if columns is not None:
        names = [columns] if isinstance(columns, str) else list(columns)
        if len(names) != len(found):
            raise _core.BuildError(
                f"{user}() returns {len(found)} values, and columns names {len(names)}: {names}"
            )
    elif all(path and isinstance(path[0], str) for path in found):
        names = [".".join(map(str, path)) for path in found]
    else:
        raise _core.BuildError(
            f"{user}() returns values without names, and columns of a Dataset have names: return a dict, "
            "{'image': image, ...}, or say columns=['image', ...]"
        )
    if len(set(names)) < len(names) or "sample" in names:
        raise _core.BuildError(
            f"{user}(): names of columns are different, and 'sample' is taken: {', '.join(names)}"
        )
    return names


def _array(column: Any) -> numpy.ndarray:
    """Returns a column of a batch as an array, of objects if the shapes differ."""
    if isinstance(column, Array) or (isinstance(column, Column) and column.dense):
        return column.numpy()
    several = [one.numpy() if isinstance(one, Array) else one for one in column]
    array = numpy.empty(len(several), object)
    for place, one in enumerate(several):
        array[place] = one
    return array


def _named(batch: Batch, names: list[str]) -> dict[str, numpy.ndarray]:
    return {name: _array(column) for name, column in zip(names, batch.columns)}


def _samples_of(batch: Batch) -> numpy.ndarray:
    return numpy.array([index for _, index, _ in batch.keys], numpy.int64)


def _keys_of(rows: Iterable[tuple]) -> list[int]:
    """Returns a number for each row. Only equal rows have equal numbers."""
    keys: list[int] = []
    known: dict[int, tuple] = {}
    for values in rows:
        key = _hash_of(values)
        while key in known and not _same(known[key], values):
            key = (key + 1) % _MOST
        known.setdefault(key, values)
        keys.append(key)
    return keys


def _same(some: tuple, others: tuple) -> bool:
    return all(
        numpy.array_equal(a, b) if isinstance(a, numpy.ndarray) else a == b
        for a, b in zip(some, others)
    )


def _hash_of(values: tuple) -> int:
    """Returns a number below 2^31 - 1: a hash of the bytes of files and arrays, and of the repr() of anything else."""
    found = 0
    for one in values:
        if isinstance(one, numpy.ndarray):
            one = numpy.ascontiguousarray(one).tobytes()
        data = one if isinstance(one, (bytes, bytearray, memoryview)) else repr(one).encode()
        found = zlib.crc32(data, found)
    return found % _MOST


def _log_missing(batch: Batch) -> None:
    for error in batch.errors:
        _log.warning("left out: %s: %s: %s", error["source"], error["step"], error["what"])


__all__ = ("Augment", "read_images", "shard")
