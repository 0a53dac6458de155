"""Sources of samples, in files and in Python, and steps in Python."""

from __future__ import annotations

import copy
import dataclasses
import glob
import inspect
import itertools
import math
import operator
import os
import pickle
import re
import sys
import threading
import warnings
from typing import Any, Callable, Literal, Mapping, Never, Sequence, Unpack

from . import _core, _workers
from ._arguments import near, require_str
from ._chosen import ChosenFunction, require_none_chosen
from ._describing import refusing
from ._graph import require_graph
from ._http import HttpOptions, http_options
from ._options import DEFAULTS, MOST_SAMPLES, SamplerOptions, SourceOptions, parameters_of, takes
from ._value import Value, name_of_type
from ._workers import WorkerOptions

#: The types of values; see :class:`sluice.Value`.
TYPES = (
    "bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64", "text",
    "bytes", "image", "tensor", "rectangle", "object",
)
_TRAVEL = frozenset(TYPES) - {"rectangle", "object"}  # the types that workers can send


def type_names(returns: Any, user: str) -> tuple[list[str], bool]:
    """Returns the names of the types that a function returns, and True if it returns a single value."""
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
                f"{user}: returns must be the name of a type, such as 'image', or a tuple of names (got "
                f"{one!r}); there are {', '.join(TYPES)}, and lists ('list of f32')"
            )
        names.append(name)
    return names, single


def _columns(columns: Any, user: str, example: str) -> dict[str, Any]:
    if not isinstance(columns, dict) or not columns:
        raise _core.BuildError(
            f"{user}: columns must be a dict that gives each column its type, such as {{{example!r}: 'i64'}} (got {columns!r})"
        )
    for name, type_ in columns.items():
        require_str(name, f"{user}: the name of a column")
        known = name_of_type(type_)
        if known not in TYPES and not str(known).startswith("list of "):
            raise _core.BuildError(
                f"{user}: the type of column {name!r} must be 'bytes' for a file, or 'i64', 'f32', 'text', 'list of f32' "
                f"and the like (got {type_!r})"
            )
    return columns


def _require_path(path: Any, what: str) -> None:
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"{what} must be a path (got {path!r})")


def _is_url(path: Any) -> bool:
    return "://" in os.fsdecode(path)


def _globbed(path: Any, user: str) -> list[Any]:
    """Returns the files that a pattern with *, ? or [] stands for, sorted; raises IoError if there are none.

    A path that exists, and a URL, stands for itself.
    """
    text = os.fsdecode(path)
    if _is_url(path) or not re.search(r"[*?\[]", text) or os.path.exists(path):
        return [path]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise _core.IoError(f"{user}: no file matches {text!r}")
    return found


_BRACES = re.compile(r"\{([^{}]*)\}")
_MOST_PATHS = 1_000_000


def _count(inside: str) -> int:
    """Returns the number of texts that braces with this content stand for."""
    if bounds := re.fullmatch(r"(\d+)\.\.(\d+)", inside):
        return abs(int(bounds.group(2)) - int(bounds.group(1))) + 1
    return inside.count(",") + 1


def _shown(path: str) -> str:
    """Returns a path or URL for a message, without what may be secret."""
    return repr(_core.shown_url(path) if _is_url(path) else path)


def _expanded(path: Any) -> list[Any]:
    """Returns the paths that a path with braces stands for, as in bash: 'a{08..10}' and 'a{x,y}'.

    A path that exists stands for itself, and so do braces without a range and a comma. Raises BuildError for braces that
    bash knows and this function does not.
    """
    text = os.fsdecode(path)
    if os.path.exists(path):
        return [path]
    many = math.prod(_count(found.group(1)) for found in _BRACES.finditer(text))
    if many > _MOST_PATHS:
        raise _core.BuildError(f"the braces of {_shown(text)} stand for {many} paths (at most {_MOST_PATHS} are possible)")
    if re.search(r"\{[^{}]*\{[^{}]*\}|\{[^{}]*\}[^{}]*,[^{}]*\}|\{\w+\.\.\w+\.\.\w+\}|\{[a-zA-Z]\.\.[a-zA-Z]\}", text):
        raise _core.BuildError(
            f"the braces of {_shown(text)} are nested, have a step or a range of letters; pass a list of paths"
        )
    for found in _BRACES.finditer(text):
        inside = found.group(1)
        if bounds := re.fullmatch(r"(\d+)\.\.(\d+)", inside):
            first, last = bounds.groups()
            padded = any(len(bound) > 1 and bound.startswith("0") for bound in (first, last))
            width = max(len(first), len(last)) if padded else 0
            step = 1 if int(first) <= int(last) else -1
            parts = [str(number).zfill(width) for number in range(int(first), int(last) + step, step)]
        elif "," in inside:
            parts = inside.split(",")
        else:
            continue
        return [one for part in parts for one in _expanded(text[: found.start()] + part + text[found.end():])]
    return [path]


def _tar_columns(columns: Any, user: str) -> tuple[list[str], list[str]]:
    """Returns the names of the columns of archives, and their types."""
    wanted = {"jpg;jpeg": "bytes", "cls": "i64"} if columns is None else _columns(columns, user, "cls")
    if list(wanted) == ["__key__"]:
        raise _core.BuildError(f"{user}: columns names no file; pass one besides '__key__', such as 'jpg'")
    return list(wanted), type_names(tuple(wanted.values()), user)[0]


def _archives(archives: Any, user: str, name: str = "archives", one: str = "an archive") -> list[Any]:
    """Returns the paths or URLs of archives, with braces and patterns expanded. `name` and `one` are for messages."""
    several = [archives] if isinstance(archives, (str, bytes, os.PathLike)) else archives
    if not isinstance(several, (list, tuple)):
        raise _core.BuildError(f"{user}: {name} must be a path or a list of paths (got {archives!r})")
    if not several:
        raise _core.BuildError(f"{user}: {name} is empty; pass at least one {one.split()[-1]}")
    for path in several:
        _require_path(path, f"{user}: {one}")
    expanded = [path for given in several for path in _expanded(given)]
    return [path for given in expanded for path in _globbed(given, user)]


def _require_no_nul(text: str, what: str) -> None:
    if "\0" in text:
        raise _core.BuildError(f"{what} holds a NUL, which worker processes cannot be told: {text!r}")


def _values(graph: Any, slots: Sequence[int], single: bool = False) -> Any:
    values = tuple(Value(graph, slot) for slot in slots)
    return values[0] if single else values


class LeftOutWarning(UserWarning):
    """A source leaves out files of its dataset, or an archive lacks its end marker, so that files may be missing.

    The message says how many, why, and names the first one.
    """


def _tell(source: str, left_out: str) -> None:
    """Warns at the line outside of this package that called the source."""
    if left_out:
        level, frame = 2, sys._getframe(1)
        while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
            level, frame = level + 1, frame.f_back
        warnings.warn(f"{source}: {left_out}", LeftOutWarning, stacklevel=level)


def _names(names: Any, what: str) -> list[str] | None:
    """Returns a list of str; a single str becomes a list."""
    if names is None:
        return None
    listed = [names] if isinstance(names, str) else list(names) if isinstance(names, (list, tuple)) else []
    if not listed or not all(isinstance(one, str) for one in listed):
        raise _core.BuildError(f"{what} (got {names!r})")
    return listed


def _endings(endings: Any, user: str) -> list[str] | None:
    return _names(endings, f"{user}: endings must be a list of str, such as ['.jpg']")


def _index(index: Any) -> Any:
    if index is None or isinstance(index, _core.JpegIndex):
        return index
    if isinstance(index, str) and index == "memory":
        return _core.JpegIndex.in_memory()
    if not isinstance(index, (str, bytes, os.PathLike)):
        raise _core.BuildError(f"index must be the path of a file, 'memory', or None for none (got {index!r})")
    return _core.JpegIndex.open(index)


_SAMPLER = parameters_of(SamplerOptions)


@takes(SamplerOptions)
def files(
    folder: str | os.PathLike,
    *,
    index: Any = None,
    verify: Literal["never", "sample", "always"] = "never",
    endings: Sequence[str] | None = None,
    leave_out_unreadable: bool = False,
    classes: Sequence[str] | None = None,
    allow_empty: bool = False,
    with_names: bool = False,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads the JPEG files in a folder and in the folders below it.

    The folders directly in it are the classes. A :class:`LeftOutWarning` counts files that are not read: hidden files and
    files with other endings, for instance.

    Parameters
    ----------
    folder : path
        The folder.
    index : path or 'memory', optional
        A JPEG index, which makes decoding of regions faster: a file that `sluice index` wrote, or 'memory' to build one
        while reading.
    verify : {{'never', 'sample', 'always'}}, default 'never'
        Which files are compared with their digests in `index`, a file that `sluice index` wrote for this folder: none,
        one of 16 in each epoch, or all. A file that has changed fails its sample. `stats` counts those that match.
    endings : str or list of str, optional
        File name endings to read. By default ['.jpg', '.jpeg', '.jpe'].
    leave_out_unreadable : bool, default False
        If True, leave out folders that cannot be read. Otherwise they raise IoError.
    classes : list of str, optional
        The names of the classes in the order of their labels, such as ``sluice.classes("train")`` for files of "val".
        A class of the list may have no files. By default the folders in `folder`, sorted.
    allow_empty : bool, default False
        If True, a folder without files is a class, too, and keeps its label. Otherwise it raises IoError.
    with_names : bool, default False
        If True, return the path of the file, too.{sampler}

    Returns
    -------
    jpeg : Value of bytes
        The content of the file.
    label : Value of i64
        The number of the class, from 0; -1 for files in no class.
    name : Value of text
        With `with_names`: the path of the file, beginning with `folder`.

    Raises
    ------
    IoError
        If the folder does not exist, cannot be read or has no such files, if a class has no files, if a class is not in
        `classes`, or if `index` has no digests of files in this folder to verify.
    """
    graph = require_graph("sluice.files()")
    _require_path(folder, "sluice.files(): folder")
    wanted = _endings(endings, "sluice.files()")
    for name, flag in (("leave_out_unreadable", leave_out_unreadable), ("allow_empty", allow_empty), ("with_names", with_names)):
        if not isinstance(flag, bool):
            raise _core.BuildError(f"sluice.files(): {name} must be True or False (got {flag!r})")
    listed = _names(classes, "sluice.files(): classes must be a list of str, such as ['cat', 'dog']")
    made, left_out = graph.core.read_files(
        folder, sampler, _index(index), verify, wanted, leave_out_unreadable, listed or [], allow_empty, with_names
    )
    _tell("sluice.files()", left_out)
    return _values(graph, made)


def classes(folder: str | os.PathLike, *, endings: Sequence[str] | None = None) -> list[str]:
    """Returns the names of the classes of :func:`files`: the folders in `folder`, sorted.

    ``sluice.classes(folder)[label]`` is the name of a label. Folders without files are included. The list is empty if
    the files are in `folder` itself. For validation, use the classes of the training data:
    ``sluice.files("val", classes=sluice.classes("train"))``.

    Parameters
    ----------
    folder : path
        The folder.
    endings : str or list of str, optional
        As in :func:`files`.

    Returns
    -------
    list of str

    Raises
    ------
    IoError
        If the folder does not exist, cannot be read or has no such files.
    """
    _require_path(folder, "sluice.classes(): folder")
    return _core.classes(folder, _endings(endings, "sluice.classes()"))


def require_same_classes(
    one: str | os.PathLike, other: str | os.PathLike, *, endings: Sequence[str] | None = None
) -> None:
    """Raises IoError if two folders have different classes. The message names the difference.

    Call it with the folders for training and validation, so that a label means the same in both. `endings` is as in
    :func:`files`.
    """
    for folder in (one, other):
        _require_path(folder, "sluice.require_same_classes(): a folder")
    _core.require_same_classes(one, other, _endings(endings, "sluice.require_same_classes()"))


@takes(SamplerOptions)
def list_file(
    path: str | os.PathLike,
    columns: dict[str, Any] | None = None,
    *,
    path_column: str = "path",
    folder: str | os.PathLike = "",
    format: str | None = None,
    names: Sequence[str] | None = None,
    index: Any = None,
    verify: Literal["never", "sample", "always"] = "never",
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads the files that a list names: a CSV, TSV or JSON lines file. :func:`urls` reads lists of URLs.

    Parameters
    ----------
    path : path
        The list.
    columns : dict of column: type, default {{'label': 'i64'}}
        The columns to return, and their types: 'i32', 'i64', 'f32', 'f64', 'bool', 'text', 'list of f32', 'list of i64',
        or 'bytes' for the content of a file that the column names.
    path_column : str, default 'path'
        The column that names the file.
    folder : path, optional
        The folder that relative paths start from. By default the folder of the list.
    format : {{'csv', 'tsv', 'jsonl'}}, optional
        The format of the list. By default the ending of its name.
    names : list of str, optional
        The names of all columns, for a list whose first row is already a sample.
    index : path or 'memory', optional
        A JPEG index, as in :func:`files`.
    verify : {{'never', 'sample', 'always'}}, default 'never'
        See :func:`files`. The index is of `folder`. Files of 'bytes' columns are not compared.{sampler}

    Returns
    -------
    file : Value of bytes
        The content of the file.
    *columns : Value
        One for each of `columns`.

    Raises
    ------
    IoError
        If the list cannot be read.
    """
    graph = require_graph("sluice.list_file()")
    _require_path(path, "sluice.list_file(): path")
    _require_path(folder, "sluice.list_file(): folder")
    require_str(path_column, "sluice.list_file(): path_column")
    if format not in (None, "csv", "tsv", "jsonl"):
        raise _core.BuildError(f"sluice.list_file(): format must be one of 'csv', 'tsv', 'jsonl' (got {format!r})")
    if isinstance(names, str):
        raise _core.BuildError(f"sluice.list_file(): names must be a list of str (got {names!r}); write {names.split(',')!r}")
    wanted = {"label": "i64"} if columns is None else _columns(columns, "sluice.list_file()", "label")
    types, _ = type_names(tuple(wanted.values()), "sluice.list_file()")
    made = graph.core.read_list(
        path, path_column, list(wanted), types, sampler, _index(index), verify, folder, format,
        _names(names, "sluice.list_file(): names must be a list of str, such as ['path', 'label']") or [],
    )
    return _values(graph, made)


@takes(SamplerOptions)
def tar(
    archives: str | os.PathLike | Sequence[str | os.PathLike],
    columns: dict[str, Any] | None = None,
    *,
    index: Any = None,
    offsets: str | os.PathLike = "",
    leave_out_unreadable: bool = False,
    http: HttpOptions | None = None,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads samples from tar archives in WebDataset's format, which are files or at URLs.

    Files with the same name up to the first dot are one sample; the rest of the name is the column. A
    :class:`LeftOutWarning` counts files that belong to no sample.

    Parameters
    ----------
    archives : path, URL, or list of them
        The archives. Braces are expanded: 'train-{{000..009}}.tar', 's3://bucket/{{train,extra}}.tar'; so are patterns of
        files, 'train-*.tar', in sorted order. URLs begin with http://, https://, s3:// or gs://; :func:`urls` says where credentials come from. Sluice requests only the needed
        parts of an archive at a URL.
    columns : dict of column: type, default {{'jpg;jpeg': 'bytes', 'cls': 'i64'}}
        The columns to return, and their types, as in :func:`list_file`. 'bytes' is the content of the file.
        'jpg;jpeg' is either of the two. '__key__', a 'text', is the sample's name in its archive.
    index : path or 'memory', optional
        A JPEG index, as in :func:`files`.
    offsets : path, optional
        An archive index that `sluice index --tar` wrote, so that the archives need not be scanned. It may be a URL for
        archives at URLs.
    leave_out_unreadable : bool, default False
        If True, read the samples before the place where an archive is cut or damaged, and leave out the rest with a
        :class:`LeftOutWarning`. Otherwise such an archive raises IoError. Not for URLs. An archive that lacks only its end
        marker is read in both cases, with that warning; at a URL it raises IoError.
    http : HttpOptions, optional
        Connections, retries and time limits, for URLs.{sampler}

    Returns
    -------
    *columns : Value
        One for each of `columns`.

    Raises
    ------
    IoError
        If an archive cannot be read.
    """
    graph = require_graph("sluice.tar()")
    names, types = _tar_columns(columns, "sluice.tar()")
    several = _archives(archives, "sluice.tar()")
    _require_path(offsets, "sluice.tar(): offsets")
    options = http_options(http, "sluice.tar()")
    if not isinstance(leave_out_unreadable, bool):
        raise _core.BuildError(f"sluice.tar(): leave_out_unreadable must be True or False (got {leave_out_unreadable!r})")
    at_urls = [os.fsdecode(one) for one in several if _is_url(one)]
    if at_urls and leave_out_unreadable:
        raise _core.BuildError("sluice.tar(): leave_out_unreadable is for files, and the archives are at URLs")
    if not at_urls:
        if http is not None:
            raise _core.BuildError("sluice.tar(): http is for URLs, and the archives are files")
        made, left_out = graph.core.read_tar(several, names, types, sampler, _index(index), offsets, leave_out_unreadable)
    elif len(at_urls) < len(several):
        other = next(one for one in several if not _is_url(one))
        raise _core.BuildError(
            f"sluice.tar(): archives must be all files or all URLs (got {os.fsdecode(other)!r} and {_shown(at_urls[0])})"
        )
    else:
        made, left_out = graph.core.read_tar_at(
            at_urls, names, types, sampler, _index(index), offsets, options
        )
    _tell("sluice.tar()", left_out)
    return _values(graph, made)


@takes(SamplerOptions)
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
    **sampler: Unpack[SamplerOptions],
) -> Any:
    """Reads samples from a Python dataset or function.

    If `data` raises an exception, only that sample fails.

    Parameters
    ----------
    data : dataset or function
        A dataset has ``__len__`` and ``__getitem__``, as in PyTorch. A function is called as ``data(index)``, or as
        ``data(index, epoch)`` if it has two parameters. It returns one value, or a tuple with one value for each type of
        `returns`. It is called on several threads, in any order.
    returns : type or tuple of types, default 'object'
        The types of the values: int, float, bool, str, bytes, a NumPy type, 'u8' to 'f64', 'image', 'tensor',
        'rectangle', 'list of f32', or 'object' for anything else. An 'image' is an array of u8 and shape
        (height, width) or (height, width, channels). Arrays are copied.
    samples : int, optional
        The number of samples in an epoch. By default ``len(data)``. For a function without `samples`, the epoch ends at
        the first index for which it raises IndexError or StopIteration.
    name_of : function, optional
        ``name_of(index)`` returns the name of a sample, for error messages.
    fingerprint : str, optional
        A text that identifies the data. A checkpoint of a pipeline with another fingerprint is refused.
    name : str, default 'source'
        The name of the source in errors and drawings.
    workers : int or WorkerOptions, default 0
        The number of worker processes. 0 calls `data` on threads of this process, under Python's lock. `data` is pickled,
        and unpickled once in each worker. Then ``data.__worker_init__(worker, workers)`` is called, if it exists. With 0
        workers it is called once in this process, with 0 and 1. If a worker crashes, only its sample fails.
    batch : int, default 0
        The most samples to request in one call: ``data.__getitems__(indices)`` of a dataset, as in PyTorch;
        ``data(indices)`` or ``data(indices, epoch)`` of a function. 0 requests single samples. The call returns a
        list of samples in the order of the indices. An exception in the list is the error of its sample. If the call
        raises an exception, or returns another number of samples, each sample is requested again alone. Replacement and
        inspected samples are also requested alone, so results must depend on the index and epoch only. Do not change
        the returned samples later. With workers, the indices need not be consecutive, and ``deadline_s`` is the limit
        for the call.{sampler}

    Returns
    -------
    Value, or tuple of Value
        One for each type of `returns`. A tuple if `returns` is a tuple.

    Raises
    ------
    BuildError
        If a type does not exist, or if `data` cannot be pickled for workers.
    """
    graph = require_graph("sluice.source()")
    types, single = type_names(returns, "sluice.source()")
    require_str(name, "sluice.source(): name")
    require_str(fingerprint, "sluice.source(): fingerprint")
    if isinstance(batch, bool) or not hasattr(batch, "__index__") or not 0 <= operator.index(batch) < 2**31:
        raise _core.BuildError(f"sluice.source(): batch must be a whole number from 0 to 2^31 (got {batch!r})")
    if name_of is not None and not callable(name_of):
        raise _core.BuildError(f"sluice.source(): name_of must be a function of an index (got {name_of!r})")
    get = call_of(data, together=batch > 0)
    if samples is None and _is_dataset(data):
        if not hasattr(data, "__len__"):
            iterates = "; sluice.iterate takes what is only iterated over" if hasattr(data, "__iter__") else ""
            raise _core.BuildError(
                f"sluice.source(): {type(data).__name__} has no __len__: say samples=N, or give a function "
                f"of an index, which may end by itself{iterates}"
            )
        samples = len(data)
    if samples is not None and (
        isinstance(samples, bool) or not hasattr(samples, "__index__") or not 0 <= operator.index(samples) <= MOST_SAMPLES
    ):
        limit = "from 0 to 2**62" if isinstance(samples, int) and samples > 0 else "from 0 on"
        raise _core.BuildError(
            f"sluice.source(): samples must be a whole number {limit} (got {samples!r}); None of a function "
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
    sampler: Mapping[str, Any], count: int = -1, name_of: Any = None, fingerprint: str = "", *, ended_by: str,
    in_order: bool = False, together: bool = False,
) -> Any:
    """Adds a source whose samples come from worker processes; see worker_source() in the core."""
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
    """Returns the types in which workers send values of these types, and the places of those that are pickled."""
    pickled = [i for i, one in enumerate(types) if one not in _TRAVEL]
    return ["bytes" if i in pickled else one for i, one in enumerate(types)], pickled


def _arrived(graph: Any, made: list[int], types: list[str], pickled: list[int], single: bool) -> Any:
    """Returns the Values of workers, with a step that unpickles those that are pickled."""
    values = list(_values(graph, made))
    for i in pickled:
        values[i] = map(pickle.loads, values[i], returns=types[i], name="unpickle")
    return values[0] if single else tuple(values)


def _is_dataset(data: Any) -> bool:
    return not callable(data) or (hasattr(data, "__getitem__") and hasattr(data, "__len__"))


def call_of(data: Any, together: bool = False) -> Callable[[Any, int], Any]:
    """Returns a function of an index, or with `together` of a list of indices, and an epoch that returns samples."""
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
    """Calls a function that returns a list of samples for a list of indices.

    If the call raises an exception or returns another number of samples, each sample is requested alone. So a sample
    does not depend on the others in the call.
    """

    def __init__(self, get: Callable[[list[int], int], Any], ends: bool):
        self._get = get
        self._ends = ends  # true if IndexError, StopIteration or an empty result ends the epoch
        self._given: Sequence | None = None

    def take(self, indices: list[int], epoch: int, place: int) -> Any:
        """Returns the sample at a place of the list; a worker process calls it for place 0, 1, ..."""
        if place == 0:
            self._given = None
            self._given = self._all(indices, epoch)
        return self._alone(indices[place], epoch) if self._given is None else _sample(self._given[place])

    def __call__(self, indices: list[int], epoch: int) -> Sequence:
        """Returns a list whose elements `each` makes samples of; it is shorter if the epoch ends."""
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
    """Returns an element of the list; raises it if it is an exception."""
    if not isinstance(given, BaseException):
        return given
    try:
        raise given
    finally:
        del given


class _Alone:
    """A placeholder for a sample that is requested alone later."""

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


@takes(SourceOptions)
def iterate(
    make: Callable[..., Any], returns: Any = "object", *, name: str = "iterate",
    workers: int | WorkerOptions = 0, **sampler: Unpack[SourceOptions],
) -> Any:
    """Reads samples from an iterator, in its order, until it ends.

    Parameters
    ----------
    make : function
        ``make()``, or ``make(epoch)`` if it has a parameter, returns the iterator of an epoch. One thread at a time uses
        it, and at most the in-flight window is read ahead. If it raises an exception, that sample fails. After that a
        generator has ended; other iterators continue. A generator is closed when its epoch ends. ``inspect()``,
        replacement samples and loaded states start a new iterator and read it up to their sample.
    returns : type or tuple of types, default 'object'
        The types of the values, as in :func:`source`.
    name : str, default 'iterate'
        The name of the source in errors and drawings.
    workers : {0, 1} or WorkerOptions, default 0
        1 uses the iterator in a worker process; 0 on threads of this process, under Python's lock. `make` is pickled. If
        the worker crashes, its sample fails, and a new worker reads a new iterator up to the next sample. A worker that
        is renewed does the same.
    threads : int, default 0
        Threads that only call this source. 0 uses those of the pipeline.

    Returns
    -------
    Value, or tuple of Value
        As in :func:`source`.

    Raises
    ------
    BuildError
        If `make` is not such a function, or for options of a sampler: an iterator has its own order.
    """
    if not callable(make):
        raise _core.BuildError(
            "sluice.iterate() takes a function that gives an iterator for each epoch, not "
            f"{type(make).__name__}: {_cure_of_iterable(make)}"
        )
    _require_arguments("sluice.iterate()", make, 0, "make(), or make(epoch)")
    unknown = [one for one in sampler if one not in DEFAULTS[SamplerOptions]]
    if unknown:
        known = ["make", "returns", "name", "workers", "threads"]
        advice = near(unknown[0], known) or f"; it has {', '.join(known)}"
        raise _core.BuildError(f"sluice.iterate() has no option {unknown[0]!r}{advice}")
    if sampler.keys() - {"threads"}:
        raise _core.BuildError(
            "sluice.iterate() goes through samples in their own order: "
            f"{', '.join(sorted(sampler))} cannot be said of it; sluice.source() takes them"
        )
    graph = require_graph("sluice.iterate()")
    types, single = type_names(returns, "sluice.iterate()")
    require_str(name, "sluice.iterate(): name")
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
    """A placeholder for a sample for which an iterator raised an exception."""

    def __init__(self, error: BaseException):
        self.error = error


def _own(value: Any) -> Any:
    """Copies the arrays of a value, because an iterator may reuse them."""
    if type(value) in (tuple, list):
        return type(value)(_own(one) for one in value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if any(hasattr(value, how) for how in ("__dlpack__", "__array_interface__", "__array__")):
        return copy.deepcopy(value)
    return value


class _Iteration:
    """Returns an iterator's values by index, from `first` on. Keeps a value until it is requested.

    From take() to done() the iterator does not advance, so that the caller can copy the value.
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
        """Closes a generator. Other iterators need no end."""
        close = getattr(self._iterator, "close", None)
        if inspect.isgenerator(self._iterator) and close is not None:
            close()


class _InOrder:
    """The samples of a source that makes an iterator for each epoch; see python_source() in the core."""

    def __init__(self, make: Callable[..., Any]):
        self._make = make
        self._takes_epoch = _arguments_of(make, unknown=0) >= 1
        self._now: _Iteration | None = None

    def _iterate(self, epoch: int, first: int) -> _Iteration:
        return _Iteration(iter(self._make(epoch) if self._takes_epoch else self._make()), first)

    def begin(self, epoch: int, first: int) -> None:
        self._now = self._iterate(epoch, first)

    def fail(self, error: BaseException, first: int, last: int) -> None:
        """Makes these samples fail because there is no iterator. The epoch ends after them."""
        self._now = _Iteration(iter(()), first)
        for index in range(first, last + 1):
            self._now.keep(index, _Failed(error))

    def end(self) -> None:
        now, self._now = self._now, None
        if now is not None:
            now.close()

    def take(self, index: int) -> tuple[Any, Callable[[], None]]:
        """Returns a sample, and a function to call when it is copied."""
        now = self._now
        return now.take(index), now.done

    def alone(self, index: int, epoch: int) -> Any:
        own = self._iterate(epoch, index)
        try:
            return own.take(index)
        finally:
            own.close()


class InOrderByPlace:
    """_InOrder in a worker process. It gets no begin() and end(); the arguments of a request show them."""

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
    """Returns the number of positional parameters without a default; 1 for *args."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return unknown
    if any(one.kind is one.VAR_POSITIONAL for one in parameters):
        return 1
    by_place = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in by_place and one.default is one.empty for one in parameters)


def _require_arguments(call: str, function: Callable, least: int, called: str) -> None:
    """Raises BuildError if the function takes neither `least` arguments nor one more."""
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
    workers: int | WorkerOptions = 0, **others: Never,
) -> Any:
    """Calls a Python function for each sample, as a step of the pipeline.

    If the function raises an exception, only that sample fails. Its error has the type, the message, the lines, the notes and
    the causes.

    Parameters
    ----------
    function : callable
        Called as ``function(*values)``. Images and tensors are NumPy arrays; numbers, str and bytes are Python's. It runs
        on several threads, under Python's lock, so it must not change shared objects. If branches chose the function, each
        sample calls the one of its branch.
    *values : Value or any
        The arguments. What is not a Value is passed as it is. They have no names: ``functools.partial(function, name=3)``
        passes a constant by name, and ``lambda x, y: function(x, name=y)`` a Value.
    returns : type, tuple of types, or None, default 'object'
        The types of the results, as in :func:`source`. None if the function is only called for its side effect.
    name : str, optional
        The name of the step in errors and drawings. By default that of the function.
    workers : int or WorkerOptions, default 0
        The number of worker processes that call the function. 0 uses threads of this process. The function is pickled,
        and unpickled once in each worker. Then ``function.__worker_init__(worker, workers)`` is called, if it exists.
        With 0 workers it is called once in this process, with 0 and 1. Images, tensors and bytes are sent through shared
        memory; objects are pickled. If a worker crashes, only its sample fails.

    Returns
    -------
    Value, tuple of Value, or None
        As `returns` says.

    Raises
    ------
    BuildError
        If a type does not exist, or if the function cannot be pickled for workers.
    """
    for one in others:
        called = getattr(function, "__name__", "function").replace("<lambda>", "function")
        by_name = (
            f"; pass a constant with functools.partial({called}, {one}=...), or a Value with "
            f"sluice.map(lambda x, {one}: {called}(x, {one}={one}), x, value)"
        )
        raise TypeError(f"sluice.map() has no argument {one!r}{near(one, ('returns', 'name', 'workers')) or by_name}")
    if isinstance(function, ChosenFunction):
        return function.each(lambda one: map(one, *values, returns=returns, name=name, workers=workers))
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
    require_none_chosen("sluice.map()", function, values)
    places = [i for i, one in enumerate(values) if isinstance(one, Value)]
    call = function if len(places) == len(values) else _workers.Call(function, list(values), places)
    require_str(name, "sluice.map(): name")
    step = name or getattr(function, "__name__", "map").strip("<>") or "map"
    if _wants_workers(workers):
        given = [values[i] for i in places]
        made = _map_in_workers(graph, step, call, given, types, single, workers)
        return None if returns is None else made
    slots = [graph._own(values[i], f"sluice.map({step!r})") for i in places]
    _workers.set_up_here(function)
    made = graph.core.python_step(step, call, slots, types)
    return None if returns is None else _values(graph, made, single)


_signature = inspect.signature(map)
setattr(map, "__signature__", _signature.replace(parameters=[one for one in _signature.parameters.values() if one.name != "others"]))


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
