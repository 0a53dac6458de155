"""Where samples come from: files as the library reads them, and functions of Python's."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import itertools
import operator
import os
import pickle
import threading
import warnings
from typing import Any, Callable, Sequence

from . import _core, _workers
from ._describing import refusing
from ._graph import require_graph
from ._value import Value, name_of_type
from ._workers import WorkerOptions

#: The types of a sample's values; see :class:`sluice.Value`.
TYPES = (
    "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "text",
    "bytes", "image", "tensor", "rectangle", "object",
)
_TRAVEL = frozenset(TYPES) - {"rectangle", "object"}  # the types that workers can send


def type_names(returns: Any, user: str) -> tuple[list[str], bool]:
    """The names of the types that a function gives, and whether it gives just one value."""
    single = not isinstance(returns, (tuple, list))
    if not single and not returns:
        raise _core.BuildError(
            f"{user}: returns={returns!r} names no type: say what the function gives, or None of sluice.map "
            "for one that gives nothing"
        )
    names = []
    for one in (returns,) if single else returns:
        name = name_of_type(one)
        if name in ("int", "float", "str"):
            raise _core.BuildError(f"{user}: returns={one!r}: there is no type of this name; write {one}, without quotes")
        if not isinstance(name, str):
            raise _core.BuildError(
                f"{user}: returns is the name of a type or a tuple of them ('image', 'i64', ...), not "
                f"{one!r}; there are {', '.join(TYPES)}, and lists ('list of f32')"
            )
        names.append(name)
    return names, single


def _columns(columns: Any, user: str, example: str) -> dict[str, Any]:
    if not isinstance(columns, dict) or not columns:
        raise _core.BuildError(
            f"{user}: columns is a dict that gives each column its type, {{{example!r}: 'i64'}} say, not {columns!r}"
        )
    for name, type_ in columns.items():
        known = name_of_type(type_)
        if known not in TYPES and not str(known).startswith("list of "):
            raise _core.BuildError(
                f"{user}: the type of column {name!r} is 'bytes' for a file, or 'i64', 'f32', 'text', 'list of f32' "
                f"and the like, not {type_!r}"
            )
    return columns


def _require_text(text: Any, what: str) -> None:
    if not isinstance(text, str):
        raise _core.BuildError(f"{what} is a str, not {text!r}")


def _require_path(path: Any, what: str) -> None:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"{what} is a path, not {path!r}")


def _require_no_nul(text: str, what: str) -> None:
    if "\0" in text:
        raise _core.BuildError(f"{what} holds a NUL, which worker processes cannot be told: {text!r}")


def _values(graph: Any, slots: Sequence[int], single: bool = False) -> Any:
    values = tuple(Value(graph, slot) for slot in slots)
    return values[0] if single else values


class LeftOutWarning(UserWarning):
    """A source leaves out files of its dataset; the warning says how many, why, and which is the first."""


def _tell(source: str, left_out: str) -> None:
    if left_out:
        warnings.warn(f"{source}: {left_out}", LeftOutWarning, stacklevel=3)


def _names(names: Any, what: str) -> list[str] | None:
    """A list of str; a single str becomes a list."""
    if names is None:
        return None
    listed = [names] if isinstance(names, str) else list(names) if isinstance(names, (list, tuple)) else []
    if not listed or not all(isinstance(one, str) for one in listed):
        raise _core.BuildError(f"{what}, not {names!r}")
    return listed


def _endings(endings: Any, user: str) -> list[str] | None:
    return _names(endings, f"{user}: endings is a list of str, ['.jpg'] say")


def _index(index: Any) -> Any:
    if index is None or isinstance(index, _core.JpegIndex):
        return index
    if isinstance(index, str) and index == "memory":
        return _core.JpegIndex.in_memory()
    if not isinstance(index, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"index is the path of a file, or 'memory', not {index!r}")
    return _core.JpegIndex.open(index)


_SAMPLER = """
    shuffle : bool
        Another order in each epoch, which follows from the seed and the epoch alone.
    seed : int, optional
        Seed of the shuffle. Default: the pipeline's seed.
    window : int, optional
        No sample is moved by so many places or more.
    shard : (index, count) or 'environment', optional
        This process's part of each epoch. 'environment' asks torchrun, Open MPI, MPICH or Slurm.
    subset, weights, replacement, draws, stick_to_shard, uneven, threads : optional
        As in the library: which samples there are, how often each is drawn, and by how many threads
        they are read."""


def files(
    folder: str | os.PathLike,
    *,
    index: Any = None,
    endings: Sequence[str] | None = None,
    leave_out_unreadable: bool = False,
    classes: Sequence[str] | None = None,
    allow_empty: bool = False,
    **sampler: Any,
) -> tuple[Value, Value]:
    """The JPEG files of a folder and those below it.

    A :class:`LeftOutWarning` counts hidden files, files with other endings, and all others that are not read.

    Parameters
    ----------
    folder : path
        Files lie in it, or in folders that are their classes.
    index : path or 'memory', optional
        A JPEG index, which makes regions faster: a file that `sluice index` wrote, or 'memory' to build one while reading.
    endings : str or list of str, optional
        File name endings to read. Default: ['.jpg', '.jpeg', '.jpe'].
    leave_out_unreadable : bool
        Folders that cannot be read are left out; else they are an error.
    classes : list of str, optional
        The names of the classes in the order of their labels, such as ``sluice.classes("train")`` for
        files of "val". A class of the list may have no files. By default the folders in `folder`, sorted.
    allow_empty : bool
        If True, a folder without files is a class, too, and keeps its label; otherwise it raises IoError.{sampler}

    Returns
    -------
    jpeg : Value of bytes
    label : Value of i64
        The number of the class, from 0; -1 where there are no classes.

    Raises
    ------
    IoError
        For a folder that is missing, unreadable or without such files, for a class without files, and
        for a class that is not in `classes`.
    """
    graph = require_graph("sluice.files()")
    _require_path(folder, "sluice.files(): folder")
    wanted = _endings(endings, "sluice.files()")
    for name, flag in (("leave_out_unreadable", leave_out_unreadable), ("allow_empty", allow_empty)):
        if not isinstance(flag, bool):
            raise _core.BuildError(f"sluice.files(): {name} is True or False, not {flag!r}")
    listed = _names(classes, "sluice.files(): classes is a list of str, ['cat', 'dog'] say")
    made, left_out = graph.core.read_files(
        folder, sampler, _index(index), wanted, leave_out_unreadable, listed or [], allow_empty
    )
    _tell("sluice.files()", left_out)
    return _values(graph, made)


def classes(folder: str | os.PathLike, *, endings: Sequence[str] | None = None) -> list[str]:
    """The names of the classes that :func:`files` numbers: those of the folders in `folder`.

    ``sluice.classes(folder)[label]`` is the class of a label. Folders without files are among them.
    Empty where the files lie in `folder` itself. For validation give :func:`files` the classes of the
    training: ``sluice.files("val", classes=sluice.classes("train"))``.

    Raises
    ------
    IoError
        For a folder that is missing, unreadable or without files.
    """
    _require_path(folder, "sluice.classes(): folder")
    return _core.classes(folder, _endings(endings, "sluice.classes()"))


def require_same_classes(
    one: str | os.PathLike, other: str | os.PathLike, *, endings: Sequence[str] | None = None
) -> None:
    """Raises IoError that names the difference unless two folders have the same classes.

    Call it with the folders for training and validation, so that a label means the same in both.
    """
    for folder in (one, other):
        _require_path(folder, "sluice.require_same_classes(): a folder")
    _core.require_same_classes(one, other, _endings(endings, "sluice.require_same_classes()"))


def list_file(
    path: str | os.PathLike,
    columns: dict[str, Any] | None = None,
    *,
    path_column: str = "path",
    folder: str | os.PathLike = "",
    index: Any = None,
    **sampler: Any,
) -> tuple[Value, ...]:
    """The files that a list names, CSV, TSV or JSON lines, with what it says of them.

    Parameters
    ----------
    path : path
        Of the list.
    columns : dict of column: type
        What is wanted of each row; {{'label': 'i64'}}. 'bytes' is a file that the column names.
    path_column : str
        The column that names the file.
    folder : path, optional
        Where paths begin; where the list lies.
    index : path or 'memory', optional
        As in :func:`files`.{sampler}

    Returns
    -------
    file : Value of bytes
    columns : a Value each, of its type
    """
    graph = require_graph("sluice.list_file()")
    _require_path(path, "sluice.list_file(): path")
    _require_path(folder, "sluice.list_file(): folder")
    _require_text(path_column, "sluice.list_file(): path_column")
    wanted = {"label": "i64"} if columns is None else _columns(columns, "sluice.list_file()", "label")
    types, _ = type_names(tuple(wanted.values()), "sluice.list_file()")
    made = graph.core.read_list(
        path, path_column, list(wanted), types, sampler, _index(index), folder
    )
    return _values(graph, made)


def tar(
    archives: str | os.PathLike | Sequence[str | os.PathLike],
    columns: dict[str, Any] | None = None,
    *,
    index: Any = None,
    offsets: str | os.PathLike = "",
    **sampler: Any,
) -> tuple[Value, ...]:
    """The samples in tar archives, in WebDataset's manner.

    A sample's name ends at the first dot of its files' names. A :class:`LeftOutWarning` counts files
    that belong to no sample.

    Parameters
    ----------
    archives : path or list of paths
    columns : dict of column: type
        What is wanted of each sample; {{'jpg;jpeg': 'bytes', 'cls': 'i64'}}.
    index : path or 'memory', optional
        As in :func:`files`.
    offsets : path, optional
        What `sluice index --tar` wrote: where files lie in the archives.{sampler}

    Returns
    -------
    columns : a Value each, of its type
    """
    graph = require_graph("sluice.tar()")
    wanted = {"jpg;jpeg": "bytes", "cls": "i64"} if columns is None else _columns(columns, "sluice.tar()", "cls")
    types, _ = type_names(tuple(wanted.values()), "sluice.tar()")
    several = [archives] if isinstance(archives, (str, bytes, os.PathLike)) else archives
    if not isinstance(several, (list, tuple)):
        raise _core.BuildError(f"sluice.tar(): archives is a path or a list of paths, not {archives!r}")
    several = list(several)
    for one in several:
        _require_path(one, "sluice.tar(): an archive")
    _require_path(offsets, "sluice.tar(): offsets")
    made, left_out = graph.core.read_tar(several, list(wanted), types, sampler, _index(index), offsets)
    _tell("sluice.tar()", left_out)
    return _values(graph, made)


def source(
    data: Any,
    returns: Any = "object",
    *,
    samples: int | None = None,
    name_of: Callable[[int], str] | None = None,
    fingerprint: str = "",
    name: str = "source",
    workers: int | WorkerOptions = 0,
    batch: int = 0,
    **sampler: Any,
) -> Any:
    """Reads samples from a Python dataset or function.

    Parameters
    ----------
    data : a dataset or a function
        A dataset has ``__len__`` and ``__getitem__``, as PyTorch's have. A function is called as
        ``data(index)``, or ``data(index, epoch)`` where it takes two arguments. It gives one value,
        or a tuple of as many as `returns` has, if those are several. It is called on several threads, in no order.
    returns : type, or tuple of types
        What it gives: 'image', 'tensor', 'bytes', 'text', 'i64', 'f32', 'bool', ..., or 'object'
        for anything else. Arrays are copied.
    samples : int, optional
        In an epoch; ``len(data)``. Of a function without it the epoch ends with the first index for
        which it raises IndexError or StopIteration.
    name_of : function, optional
        ``name_of(index)`` is what errors call a sample.
    fingerprint : str, optional
        Tells the data from others, for checkpoints.
    name : str
        Of the source, in errors and drawings.
    workers : int or WorkerOptions
        Number of worker processes. 0 uses threads of this process, under Python's lock. `data` is
        pickled, and unpickled once in each; ``data.__worker_init__(worker, workers)`` is called
        then, where there is such a method; with 0 workers it is called here, once, with 0 and 1. A worker that dies costs the sample that it was at.
    batch : int
        So many samples are asked for together: of a dataset by ``data.__getitems__(indices)``, as
        PyTorch does, of a function as ``data(indices)`` or ``data(indices, epoch)``. It gives a list
        of samples in the order of the indices, which are up to so many. An exception in it is the error
        of that sample. Where it raises something, or gives another number of samples, it is asked for
        each of them alone: what it raises then is the error of that sample, and so is a list that is not
        of one. Alone is asked for a sample that is inspected, too, or that stands in for another one.
        `threads` call it; 0: those of the pipeline. What it has given it must leave as it is.
        Worker processes are asked for up to so many samples each, which need not follow each other, and
        may take `deadline_s` for them.{sampler}

    Returns
    -------
    Value, or a tuple of them

    Raises
    ------
    BuildError
        If a type does not exist, and for data that cannot be handed to workers. What `data`
        raises is the error of that sample.
    """
    graph = require_graph("sluice.source()")
    types, single = type_names(returns, "sluice.source()")
    _require_text(name, "sluice.source(): name")
    _require_text(fingerprint, "sluice.source(): fingerprint")
    if isinstance(batch, bool) or not hasattr(batch, "__index__") or not 0 <= operator.index(batch) < 2**31:
        raise _core.BuildError(f"sluice.source(): batch is a whole number from 0 to 2^31, not {batch!r}")
    if name_of is not None and not callable(name_of):
        raise _core.BuildError(f"sluice.source(): name_of is a function of an index, not {name_of!r}")
    get = call_of(data, together=batch > 0)
    if samples is None and _is_dataset(data):
        if not hasattr(data, "__len__"):
            raise _core.BuildError(
                f"sluice.source(): {type(data).__name__} has no __len__: say samples=N, or give a function "
                "of an index, which may end by itself"
            )
        samples = len(data)
    if samples is not None and (
        isinstance(samples, bool) or not hasattr(samples, "__index__") or not 0 <= operator.index(samples) < 2**63
    ):
        limit = "from 0 to 2**63 - 1" if isinstance(samples, int) and samples > 0 else "from 0 on"
        raise _core.BuildError(
            f"sluice.source(): samples is a whole number {limit}, not {samples!r}; None of a function "
            "that ends by itself"
        )
    count = -1 if samples is None else operator.index(samples)
    if _wants_workers(workers):
        options = _workers.options_of(workers, "sluice.source")
        if batch:
            options = dataclasses.replace(options, mini_batch=operator.index(batch))
        return _sampled_in_workers(
            graph, "sluice.source", name, data, types, single, options, sampler, count, name_of, fingerprint,
            ended_by="IndexError" if samples is None else "", together=batch > 0,
        )
    _workers.set_up_here(data)
    if batch:
        several = Several(get, ends=samples is None)
        made = graph.core.python_batches(
            name, several, count, operator.index(batch), types, sampler, name_of, fingerprint
        )
    else:
        made = graph.core.python_source(name, get, count, types, sampler, name_of, fingerprint)
    return _values(graph, made, single)


def _sampled_in_workers(
    graph: Any, call: str, name: str, data: Any, types: list[str], single: bool, options: WorkerOptions,
    sampler: dict, count: int = -1, name_of: Any = None, fingerprint: str = "", *, ended_by: str,
    in_order: bool = False, together: bool = False,
) -> Any:
    """A source whose samples worker processes make; see the core's worker_source()."""
    _require_no_nul(name, f"{call}(): name")
    sent, pickled = _wire_types(types)
    program, kept = _workers.program_of(
        call, data, sent, pickled, ended_by=ended_by, in_order=in_order, together=together,
        inputs=graph.core.place_types() if in_order else None,
    )
    made = graph.core.worker_source(
        name, count, sent, sampler, {**dataclasses.asdict(options), **program}, kept, name_of, fingerprint,
        in_order=in_order, together=together,
    )
    return _arrived(graph, made, types, pickled, single)


def _wants_workers(workers: Any) -> bool:
    return isinstance(workers, bool) or not hasattr(workers, "__index__") or operator.index(workers) != 0


def _wire_types(types: list[str]) -> tuple[list[str], list[int]]:
    """As what values of these types travel, and the places of those that do so pickled."""
    pickled = [i for i, one in enumerate(types) if one not in _TRAVEL]
    return ["bytes" if i in pickled else one for i, one in enumerate(types)], pickled


def _arrived(graph: Any, made: list[int], types: list[str], pickled: list[int], single: bool) -> Any:
    """What workers gave; what came pickled a step unpickles."""
    values = list(_values(graph, made))
    for i in pickled:
        values[i] = map(pickle.loads, values[i], returns=types[i], name="unpickle")
    return values[0] if single else tuple(values)


def _is_dataset(data: Any) -> bool:
    return not callable(data) or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))


def call_of(data: Any, together: bool = False) -> Callable[[Any, int], Any]:
    """The function of an index, or of several, and an epoch that gives a dataset's samples."""
    get = data
    if _is_dataset(data) and together and hasattr(data, "__getitems__"):
        get = data.__getitems__
    elif _is_dataset(data) and together:
        def get(indices: list[int]) -> list:
            return [data[index] for index in indices]
    elif _is_dataset(data):
        if not hasattr(data, "__getitem__"):
            raise _core.BuildError(
                f"sluice.source() takes a dataset with __len__ and __getitem__, or a function of an "
                f"index, not {type(data).__name__}; sluice.iterate() takes what is gone through once"
            )
        get = data.__getitem__
    if inspect.isgeneratorfunction(get):
        raise _core.BuildError(
            f"sluice.source(): {getattr(get, '__qualname__', 'the function')}() is a generator, which gives "
            "samples one after the other, not the one of an index: sluice.iterate() takes it; worker "
            "processes need a function of an index, or a dataset"
        )
    what = "indices" if together else "index"
    _require_arguments("sluice.source()", get, 1, f"data({what}), or data({what}, epoch)")
    if _takes_epoch(get):
        return get
    return lambda index, _epoch: get(index)


class Several:
    """Samples that a function gives together, a list of them for a list of indices.

    What a sample is does not depend on which are asked for with it: each is asked for alone where the function
    raises something, or gives another number of samples.
    """

    def __init__(self, get: Callable[[list[int], int], Any], ends: bool):
        self._get = get
        self._ends = ends  # true if IndexError, StopIteration or an empty result ends the epoch
        self._given: Sequence | None = None

    def take(self, indices: list[int], epoch: int, place: int) -> Any:
        """In a worker process, for one place after the other: its sample."""
        if place == 0:
            self._given = None
            self._given = self._all(indices, epoch)
        return self._alone(indices[place], epoch) if self._given is None else _sample(self._given[place])

    def __call__(self, indices: list[int], epoch: int) -> Sequence:
        """In this process: what `each` makes the samples of; fewer where the epoch ends."""
        given = self._all(indices, epoch)
        if given is not None:
            return given
        if len(indices) > 1 and not self._ends:
            return [_Alone(index, epoch) for index in indices]
        # An error refers to the frames in which it was raised. These frames must not hold the other
        # samples.
        ones = (self._one(index, epoch) for index in indices)
        return list(itertools.takewhile(lambda one: one is not _END, ones))

    def each(self, given: Any) -> Any:
        if isinstance(given, _Alone):
            return self._alone(given.index, given.epoch)
        try:
            return _sample(given.error if isinstance(given, _Failed) else given)
        finally:
            del given  # it refers to the error, and the error to this frame

    def _one(self, index: int, epoch: int) -> Any:
        try:
            return _own(self._alone(index, epoch))
        except BaseException as error:
            return _END if self._ends and isinstance(error, (StopIteration, IndexError)) else _Failed(error)

    def _alone(self, index: int, epoch: int) -> Any:
        given = self._get([index], epoch)
        if not isinstance(given, (list, tuple)):
            raise ValueError(f"for a list of indices a list of samples is expected, not {type(given)!r}")
        if not given and self._ends:
            raise StopIteration
        if len(given) != 1:
            raise ValueError(f"for a list of 1 index a list of 1 sample is expected, not of {len(given)}")
        return _sample(given[0])

    def _all(self, indices: list[int], epoch: int) -> Sequence | None:
        if len(indices) == 1:
            return None
        try:
            given = self._get(list(indices), epoch)  # a copy, because the function may sort it
            given = list(given) if isinstance(given, (list, tuple)) else []
        except BaseException:
            return None
        return given if len(given) == len(indices) else None


def _sample(given: Any) -> Any:
    """What stands for a sample in a list of several: it, or the error that it is to have."""
    if not isinstance(given, BaseException):
        return given
    try:
        raise given
    finally:
        del given


class _Alone:
    """Stands for a sample that is requested alone, until its values are made."""

    def __init__(self, index: int, epoch: int):
        self.index = index
        self.epoch = epoch

    def __repr__(self) -> str:
        return f"<sample {self.index}, asked for alone>"


_END = object()  # stands for a missing sample, after which there are none


def _cure_of_iterable(data: Any) -> str:
    # An iterator's own __iter__ returns itself and can only be iterated once.
    if hasattr(data, "__iter__") and not hasattr(data, "__next__"):
        return "give its method __iter__, as in sluice.iterate(data.__iter__, ...)"
    return "write lambda: iter(...), or the name of a generator function"


def iterate(
    make: Callable[..., Any], returns: Any = "object", *, name: str = "iterate",
    workers: int | WorkerOptions = 0, **sampler: Any,
) -> Any:
    """Reads samples from an iterator until it ends.

    Parameters
    ----------
    make : function
        ``make()``, or ``make(epoch)`` where it takes an argument, gives an iterator for an epoch. It
        is gone through by one thread at a time, in order, and no further than the pipeline reads
        ahead. What it raises is the error of the sample that it should have given. A generator has
        ended then; an iterator that goes on is gone on with. A generator is closed when its epoch
        ends. For ``inspect()``, a replacement sample and a loaded state it is begun again, and read up to
        their sample.
    returns : type, or tuple of types
        As in :func:`source`.
    workers : 0, 1 or WorkerOptions
        1: a worker process goes through the iterator; 0: threads of this one, under Python's lock.
        `make` is pickled, as the function of :func:`map` is. A worker that dies costs the sample that
        it was at, and the next one begins the iterator again, up to where it was; so does one that
        is renewed.

    Returns
    -------
    Value, or a tuple of them
    """
    if not callable(make):
        raise _core.BuildError(
            "sluice.iterate() takes a function that gives an iterator for each epoch, not "
            f"{type(make).__name__}: {_cure_of_iterable(make)}"
        )
    _require_arguments("sluice.iterate()", make, 0, "make(), or make(epoch)")
    if sampler.keys() - {"threads"}:
        raise _core.BuildError(
            "sluice.iterate() goes through samples in their own order: "
            f"{', '.join(sorted(sampler))} cannot be said of it; sluice.source() takes them"
        )
    graph = require_graph("sluice.iterate()")
    types, single = type_names(returns, "sluice.iterate()")
    _require_text(name, "sluice.iterate(): name")
    if not _wants_workers(workers):
        _workers.set_up_here(make)
        made = graph.core.python_source(name, _InOrder(make), -1, types, sampler, in_order=True)
        return _values(graph, made, single)
    how = _workers.options_of(workers, "sluice.iterate")
    if how.workers != 1:
        raise _core.BuildError(
            f"sluice.iterate(): one worker goes through an iterator, not {how.workers}: say workers=1; of a "
            "dataset, or a function of an index, sluice.source(workers=...) lets several make samples"
        )
    return _sampled_in_workers(
        graph, "sluice.iterate", name, make, types, single, how, sampler, ended_by="StopIteration", in_order=True
    )


class _Failed:
    """Stands for a value that an iterator raised an exception for."""

    def __init__(self, error: BaseException):
        self.error = error


def _own(value: Any) -> Any:
    """The value, with arrays of its own: an iterator may fill the same one again."""
    if type(value) in (tuple, list):
        return type(value)(_own(one) for one in value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if any(hasattr(value, how) for how in ("__dlpack__", "__array_interface__", "__array__")):
        return copy.deepcopy(value)
    return value


class _Iteration:
    """What an iterator gives, by index from `first` on; kept until it has been asked for.

    The iterator stands still from take() to done(), so that what it gave can be copied meanwhile.
    """

    def __init__(self, iterator: Any, first: int):
        self._iterator = iterator
        self._lock = threading.Lock()
        self._first = first
        self._kept: dict[int, Any] = {}
        self._next = 0
        self._ended = False

    def take(self, index: int) -> Any:
        self._lock.acquire()
        try:
            while self._next <= index and not self._ended:
                try:
                    value = next(self._iterator)
                    if self._first <= self._next < index:
                        value = _own(value)
                except StopIteration:
                    self._ended = True
                    break
                except BaseException as error:  # raised for the sample that asks for this value
                    value = _Failed(error)
                if self._next >= self._first:
                    self._kept[self._next] = value
                self._next += 1
            if index not in self._kept:
                raise StopIteration
            value = self._kept.pop(index)
            if isinstance(value, _Failed):
                raise value.error
        except BaseException:
            self._lock.release()
            raise
        return value

    def done(self) -> None:
        self._lock.release()

    def keep(self, index: int, value: Any) -> None:
        self._kept[index] = value

    def close(self) -> None:
        """A generator's own end; other iterators have none."""
        close = getattr(self._iterator, "close", None)
        if inspect.isgenerator(self._iterator) and close is not None:
            close()


class _InOrder:
    """A source's samples, of which each epoch has an iterator; see the core's python_source()."""

    def __init__(self, make: Callable[..., Any]):
        self._make = make
        self._takes_epoch = _arguments_of(make, unknown=0) >= 1
        self._now: _Iteration | None = None

    def _iterate(self, epoch: int, first: int) -> _Iteration:
        return _Iteration(iter(self._make(epoch) if self._takes_epoch else self._make()), first)

    def begin(self, epoch: int, first: int) -> None:
        self._now = self._iterate(epoch, first)

    def fail(self, error: BaseException, first: int, last: int) -> None:
        """There is no iterator, which is the error of these samples, and the end after them."""
        self._now = _Iteration(iter(()), first)
        for index in range(first, last + 1):
            self._now.keep(index, _Failed(error))

    def end(self) -> None:
        now, self._now = self._now, None
        if now is not None:
            now.close()

    def take(self, index: int) -> tuple[Any, Callable[[], None]]:
        """A sample, and what to call when it was copied."""
        now = self._now
        return now.take(index), now.done

    def alone(self, index: int, epoch: int) -> Any:
        own = self._iterate(epoch, index)
        try:
            return own.take(index)
        finally:
            own.close()


class InOrderByPlace:
    """The same in a worker process, which is told of no beginning and of no end: a place says them."""

    def __init__(self, make: Callable[..., Any]):
        self._samples = _InOrder(make)
        self._round = 0

    def __call__(self, index: int, epoch: int, round_: int, oldest: int) -> Any:
        if round_ == 0:
            return self._samples.alone(index, epoch)
        if round_ != self._round:
            self._round = round_
            try:
                self._samples.end()
            except Exception:
                pass  # an error while the user's iterator is closed
            try:
                self._samples.begin(epoch, oldest)
            except BaseException as error:
                self._samples.fail(error, oldest, index)
        value, done = self._samples.take(index)
        done()  # only this process uses the iterator, so it can go on at once
        return value


def _arguments_of(function: Callable, unknown: int = 1) -> int:
    """How many arguments without a default it takes by place; many for *args."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return unknown
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return 1
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in by_place and one.default is one.empty for one in parameters)


def _require_arguments(call: str, function: Callable, least: int, called: str) -> None:
    """Refuses what can be called neither with `least` arguments nor with one more."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    for count in (least, least + 1):
        try:
            signature.bind(*[None] * count)
        except TypeError:
            continue
        return
    name = getattr(function, "__qualname__", type(function).__qualname__)
    raise _core.BuildError(f"{call}: {name}{signature} cannot be called as {called}")


def _takes_epoch(function: Callable) -> bool:
    return _arguments_of(function) >= 2


@refusing(Exception)
def map(
    function: Callable[..., Any], *values: Any, returns: Any = "object", name: str = "",
    workers: int | WorkerOptions = 0,
) -> Any:
    """A step of your own: ``function(*values)`` for each sample.

    Parameters
    ----------
    function : callable
        It gets the sample's values: NumPy arrays for images and tensors, numbers, str, bytes.
        It runs on several threads, under Python's lock, and must not change what it shares.
    *values : Value
        Anything else is given as it is.
    returns : type, tuple of types, or None
        What it gives, as in :func:`source`; None if only its side effect matters.
    name : str, optional
        Of the step, in errors and drawings; that of the function.
    workers : int or WorkerOptions
        So many processes call it, each sample in one of them; 0: threads of this one, under Python's
        lock. The function is pickled, and unpickled once in each, and
        ``function.__worker_init__(worker, workers)`` is called then, where there is such a method;
        with 0 workers it is called here, once, with 0 and 1.
        Images, tensors and bytes travel in shared memory, objects pickled. A worker that dies costs
        the sample that it was at.

    Returns
    -------
    Value, a tuple of them, or None

    Raises
    ------
    BuildError
        If a type does not exist. What the function raises is the error of that sample: its
        type, its words, and where.
    """
    graph = next((one.graph for one in values if isinstance(one, Value)), None)
    if graph is None:
        graph = require_graph("sluice.map()")
    if not callable(function):
        raise _core.BuildError(
            f"sluice.map() takes a function first, not {type(function).__name__}"
        )
    types, single = ([], False) if returns is None else type_names(returns, "sluice.map()")
    for place, one in enumerate(values):
        if isinstance(one, (list, tuple)) and any(isinstance(x, Value) for x in one):
            raise _core.BuildError(
                f"sluice.map(): value {place} is a {type(one).__name__} with values of each sample in it; give "
                "them one by one, with a * before it"
            )
    places = [i for i, one in enumerate(values) if isinstance(one, Value)]
    call = function if len(places) == len(values) else _workers.Call(function, list(values), places)
    _require_text(name, "sluice.map(): name")
    step = name or getattr(function, "__name__", "map").strip("<>") or "map"
    if _wants_workers(workers):
        given = [values[i] for i in places]
        made = _map_in_workers(graph, step, call, given, types, single, workers)
        return None if returns is None else made
    slots = [graph._own(values[i], f"sluice.map({step!r})") for i in places]
    _workers.set_up_here(function)
    made = graph.core.python_step(step, call, slots, types)
    return None if returns is None else _values(graph, made, single)


def _map_in_workers(
    graph: Any, step: str, function: Callable[..., Any], given: list[Value], types: list[str],
    single: bool, workers: int | WorkerOptions,
) -> Any:
    options = dataclasses.asdict(_workers.options_of(workers, "sluice.map"))
    _require_no_nul(step, "sluice.map(): name")
    for one in given:
        if one.on_device:
            raise _core.BuildError(
                f"sluice.map({step!r}): {one.name!r} lies in the device's memory, which worker processes "
                "do not have: give it value.cpu()"
            )
    inputs, unpickled = _wire_types([one.type for one in given])
    for i in unpickled:
        given[i] = map(_dumped, given[i], returns="bytes", name="pickle")
    sent, pickled = _wire_types(types)
    program, kept = _workers.program_of(
        "sluice.map", function, sent, pickled, inputs=inputs, unpickled=unpickled
    )
    slots = [graph._own(one, f"sluice.map({step!r})") for one in given]
    made = graph.core.worker_step(step, slots, sent, {**options, **program}, kept)
    return _arrived(graph, made, types, pickled, single)


def _dumped(value: Any) -> bytes:
    return pickle.dumps(value, pickle.HIGHEST_PROTOCOL)


for _function in (files, list_file, tar, source) if __doc__ else ():  # python -OO removes docstrings
    _function.__doc__ = _function.__doc__.replace("{sampler}", _SAMPLER).replace("{{", "{").replace("}}", "}")
