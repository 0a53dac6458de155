"""Packed datasets: their source, their writer, and the unpacking of one file. docs/packs.md explains them."""

from __future__ import annotations

import json
import operator
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Unpack

from . import _core
from ._arguments import checked, require_str, short
from ._graph import require_graph
from ._http import HttpOptions, http_options
from ._options import SamplerOptions, takes
from ._value import Value, is_bool
from .sources import (
    _SAMPLER,
    _archives,
    _columns,
    _endings,
    _is_url,
    _names,
    _require_path,
    _shown,
    _tell,
    _values,
    type_names,
)


@takes(SamplerOptions)
def packs(
    paths: str | os.PathLike | Sequence[str | os.PathLike],
    columns: dict[str, Any] | None = None,
    *,
    http: HttpOptions | None = None,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads the samples in packs, which :func:`pack` or the program ``sluice pack`` wrote.

    Pass the bytes to any operator that takes a JPEG file. The pixels are those of the original file, and decoding takes
    less time. A crop reads only its rows of the file. A damaged sample fails alone.

    Parameters
    ----------
    paths : path, or list of paths
        Packs, and folders of packs. The packs of a folder are read in the order of their names. Or URLs of packs:
        http://, https://, s3:// or gs://. Braces and patterns are expanded, as in :func:`tar`. All packs must have the
        same columns.
    columns : dict of column: type, default {{'label': 'i64'}}
        The columns to return, and their types: 'i32', 'i64', 'f32', 'f64', 'bool', 'text', 'list of f32', 'list of i64'
        or 'bytes'. The dict may be empty.
    http : HttpOptions, optional
        Options of the requests for URLs. A sample is one request for all its bytes.{sampler}

    Returns
    -------
    file : Value of bytes
        A packed JPEG, or the content of a file that is stored as it is.
    *columns : Value
        One for each of `columns`.

    Raises
    ------
    IoError
        If a pack is missing, damaged or of another version, or lacks a column.
    """
    graph = require_graph("sluice.packs()")
    several = _archives(paths, "sluice.packs()", "paths", "a pack")
    options = http_options(http, "sluice.packs()")
    at_urls = [os.fsdecode(one) for one in several if _is_url(one)]
    if at_urls and len(at_urls) < len(several):
        other = next(one for one in several if not _is_url(one))
        raise _core.BuildError(
            f"sluice.packs(): paths must be all files or all URLs (got {os.fsdecode(other)!r} and {_shown(at_urls[0])})"
        )
    if not at_urls and http is not None:
        raise _core.BuildError("sluice.packs(): http is for URLs, and the packs are files")
    if columns is None:
        wanted: dict[str, Any] = {"label": "i64"}
    else:
        wanted = {} if columns == {} else _columns(columns, "sluice.packs()", "label")
    kinds = type_names(tuple(wanted.values()), "sluice.packs()")[0] if wanted else []
    if at_urls:
        return _values(graph, graph.core.read_packs_at(at_urls, list(wanted), kinds, sampler, options))
    return _values(graph, graph.core.read_packs(several, list(wanted), kinds, sampler))


class PackStats(NamedTuple):
    """What :func:`pack` has done."""

    #: Files that were added, without those that were skipped.
    files: int
    #: Files that were in finished packs already.
    skipped: int
    #: JPEG files that were packed.
    packed: int
    #: Files that are stored as they are.
    stored: int
    #: Bytes of the files in the packs that were written.
    file_bytes: int
    #: Bytes of these packs.
    pack_bytes: int
    #: Packs that were written.
    packs: int
    #: For each reason, the number of files that are stored as they are.
    reasons: dict[str, int]


_MOST_BYTES = 2**62
_MOST_THREADS = 2**16


def pack(
    source: str | os.PathLike | Iterable[Any],
    out: str | os.PathLike,
    *,
    columns: Sequence[str] | None = None,
    pack_bytes: int = 256_000_000,
    threads: int = 0,
    resume: bool = False,
    endings: Sequence[str] | None = None,
    classes: Sequence[str] | None = None,
    allow_empty: bool = False,
) -> PackStats:
    """Writes files and their columns into packs, which :func:`packs` reads.

    JPEG files are re-coded without loss: they decode in less time, to the same pixels, and :func:`unpack` returns the
    original bytes. Each is rebuilt and compared before it counts. Other files, and JPEG files that cannot be rebuilt, are
    stored as they are. A pack appears under its name when it is complete. Other Python threads run in the meantime. Ctrl-C
    ends it soon: the packs that are complete remain, and `resume` continues.

    Parameters
    ----------
    source : path, or iterable
        A folder, whose files :func:`files` would read. Or samples: ``(file, {{column: value}})``, or
        ``(file, value, ...)`` with one value for each of `columns`. `file` is bytes, or a path. A value is a number, a
        bool, a str, or a list of numbers.
    out : path
        The folder of the packs; made if it is missing.
    columns : list of str, optional
        The names of the columns, in their order. For a folder, some of 'name' and 'label', by default both. 'name' is the
        path below the folder, and 'label' the class. For samples with a dict, by default its keys in the first sample.
    pack_bytes : int, default 256_000_000
        A pack is written when its files have this many bytes in all. They are held in memory until then.
    threads : int, default 0
        The threads that pack. 0: one for each CPU of the process.
    resume : bool, default False
        If True, continue after the packs that are in `out`. Pass the same samples again: those that are there already are
        compared by their columns and skipped. Otherwise such packs raise IoError.
    endings : str or list of str, optional
        For a folder, as in :func:`files`. ['.jpg', '.png'] stores PNG files as they are.
    classes : list of str, optional
        For a folder, as in :func:`files`.
    allow_empty : bool, default False
        For a folder, as in :func:`files`.

    Returns
    -------
    PackStats
        The numbers of files, and the reasons why some are stored as they are.

    Raises
    ------
    IoError
        If a file cannot be read or a pack cannot be written, or if `out` has packs already, or packs of other samples.
    BuildError
        If an argument is wrong, or a sample has other columns. Packs that are finished remain.
    """
    user = "sluice.pack()"
    _require_path(out, f"{user}: out")
    if _is_url(out):
        raise _core.BuildError(f"{user}: out is a URL; packs are written to a disk")
    for name, flag in (("resume", resume), ("allow_empty", allow_empty)):
        if not isinstance(flag, bool):
            raise _core.BuildError(f"{user}: {name} must be True or False (got {flag!r})")
    most = _whole(pack_bytes, f"{user}: pack_bytes", 1, _MOST_BYTES)
    count = _whole(threads, f"{user}: threads", 0, _MOST_THREADS)
    names = [] if columns is not None and not columns else _names(columns, f"{user}: columns must be a list of str")
    for one in names or ():
        require_str(one, f"{user}: a column")

    def open_writer(names: list[str]) -> Any:
        return _core.PackWriter(out, names, most, count, resume)

    if isinstance(source, (str, bytes, os.PathLike)):
        writer = _pack_folder(source, names, open_writer, _endings(endings, user), classes, allow_empty)
    else:
        for name, given in (("endings", endings is not None), ("classes", classes is not None), ("allow_empty", allow_empty)):
            if given:
                raise _core.BuildError(f"{user}: {name} is for folders")
        writer = _pack_samples(source, names, open_writer)
    writer.finish()
    return PackStats(**writer.stats())


def _whole(given: Any, what: str, least: int, most: int) -> int:
    if is_bool(given) or not hasattr(given, "__index__") or not least <= operator.index(given) <= most:
        raise _core.BuildError(f"{what} must be a whole number from {least} to {most} (got {short(given)})")
    return operator.index(given)


def _pack_folder(
    folder: Any, columns: list[str] | None, open_writer: Callable[[list[str]], Any], endings: Any, classes: Any, allow_empty: bool
) -> Any:
    """Adds the files of a folder, and returns the writer."""
    user = "sluice.pack()"
    names = ["name", "label"] if columns is None else columns
    for one in names:
        if one not in ("name", "label"):
            raise _core.BuildError(f"{user}: a folder has the columns 'name' and 'label' (got {one!r})")
    listed = _names(classes, f"{user}: classes must be a list of str, such as ['cat', 'dog']")
    files, left_out = _core.files_to_pack(folder, endings, listed or [], allow_empty)
    _tell(user, left_out)
    writer = open_writer(names)
    for path, name, label in files:
        cells = {"name": name, "label": str(label)}
        writer.add_file(path, [cells[one] for one in names])
    return writer


def _pack_samples(samples: Any, columns: list[str] | None, open_writer: Callable[[list[str]], Any]) -> Any:
    """Adds samples, and returns the writer."""
    user = "sluice.pack()"
    if not hasattr(samples, "__iter__"):
        raise _core.BuildError(f"{user}: source must be a folder, or an iterable of samples (got {short(samples)})")
    writer = None
    for number, sample in enumerate(samples):
        where = f"{user}: sample {number}"
        if not isinstance(sample, (tuple, list)) or not sample:
            raise _core.BuildError(f"{where} must be (file, {{column: value}}) or (file, value, ...) (got {short(sample)})")
        file, *values = sample
        by_name = len(values) == 1 and isinstance(values[0], dict)
        if columns is None:
            if not by_name:
                raise _core.BuildError(f"{where} has no names for its columns; pass columns=, or a dict")
            columns = list(values[0])
            for one in columns:
                require_str(one, f"{user}: a column")
        if by_name:
            if set(values[0]) != set(columns):
                raise _core.BuildError(f"{where} has the columns {list(values[0])!r}, expected {columns!r}")
            values = [values[0][one] for one in columns]
        elif len(values) != len(columns):
            raise _core.BuildError(f"{where} has {len(values)} values for the columns {columns!r}")
        if writer is None:
            writer = open_writer(columns)
        cells = [_text(value, f"{where}, column {name!r}") for name, value in zip(columns, values)]
        if isinstance(file, (bytes, bytearray, memoryview)):
            writer.add(bytes(file), cells)
        elif isinstance(file, (str, os.PathLike)):
            writer.add_file(file, cells)
        else:
            raise _core.BuildError(f"{where}: the file must be bytes, or a path (got {short(file)})")
    return open_writer(columns or []) if writer is None else writer


def _text(value: Any, what: str) -> str:
    """Returns the text of a value, which :func:`packs` reads back as its type."""
    if hasattr(value, "tolist"):  # of NumPy or PyTorch
        value = value.tolist()
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, list, tuple)):
        try:
            return json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            pass
    elif hasattr(value, "__index__"):
        return str(operator.index(value))
    raise _core.BuildError(f"{what}: a finite number, a bool, a str or a list of numbers is expected (got {short(value)})")


@checked(TypeError)
def unpack(packed: bytes) -> bytes:
    """Returns the file from which a packed JPEG was made, byte for byte.

    Other Python threads run in the meantime.

    Parameters
    ----------
    packed : bytes, or an object with the buffer protocol
        The bytes of a sample, as :func:`packs` returns them. Bytes that are no packed JPEG are returned as they are, since
        packs store some files unchanged.

    Returns
    -------
    bytes

    Raises
    ------
    JpegError
        If the packed JPEG is damaged.
    """
    return _core.unpack(bytes(packed))


for _function in (packs, pack) if __doc__ else ():  # python -OO removes docstrings
    _function.__doc__ = _function.__doc__.replace("{sampler}", _SAMPLER).replace("{{", "{").replace("}}", "}")
