"""Sources of files at URLs, of archives that are read from front to end, of image folders, of MNIST and CIFAR, and of
values in memory.
"""

from __future__ import annotations

import functools
import operator
import os
import sys
import traceback
import warnings
from typing import Any, Literal, Sequence, Unpack

from . import _core, ops
from ._arguments import refuse_masked, require_str, short
from ._graph import require_graph
from ._http import HttpOptions, http_options
from ._options import SamplerOptions, takes
from ._value import NUMBER_TYPES, Value
from .sources import (
    _SAMPLER,
    LeftOutWarning,
    _archives,
    _columns,
    _index,
    _is_url,
    _names,
    _require_path,
    _shown,
    _tar_columns,
    _values,
    files,
    type_names,
)


@takes(SamplerOptions)
def urls(
    urls: str | os.PathLike | Sequence[Any],
    columns: dict[str, Any] | None = None,
    *,
    url_column: str = "url",
    base: str = "",
    checksum_column: str = "",
    format: str | None = None,
    names: Sequence[str] | None = None,
    index: Any = None,
    http: HttpOptions | None = None,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads files at URLs: http://, https://, s3:// and gs://.

    Many requests run at once, and no thread of the pipeline waits for them. An error in one file is the error of its
    sample. Credentials for s3:// come from the environment, as for Amazon's tools: AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL. For gs:// pass an access token in ``HttpOptions.headers``.

    Parameters
    ----------
    urls : path, or list
        A list file (CSV, TSV or JSON lines) with a column of URLs. Or a Python list: each element is a URL,
        ``(url, label)``, or ``(url, label, checksum)`` with a checksum such as 'sha256:...'.
    columns : dict of column: type, default {{'label': 'i64'}}
        The columns of the list file to return, and their types, as in :func:`list_file` without 'bytes'.
    url_column : str, default 'url'
        The column that names the file. This and all further parameters up to `index` are for list files only.
    base : str, optional
        The prefix for entries that are not URLs, such as 's3://bucket/train'.
    checksum_column : str, optional
        The column of checksums.
    format : {{'csv', 'tsv', 'jsonl'}}, optional
        The format of the list file. By default the ending of its name.
    names : list of str, optional
        The names of all columns, for a list file without a header row.
    index : path or 'memory', optional
        A JPEG index, as in :func:`files`.
    http : HttpOptions, optional
        Connections, retries and time limits.{sampler}

    Returns
    -------
    file : Value of bytes
        The content of the file.
    *columns : Value
        One for each of `columns`. For a Python list the label, an 'i64'; -1 where there is none.

    Raises
    ------
    BuildError
        If this build has no libcurl, or an option is wrong.
    IoError
        If the list file cannot be read.
    """
    graph = require_graph("sluice.urls()")
    options = http_options(http, "sluice.urls()")
    if isinstance(urls, (list, tuple)):
        given = {
            "columns": columns is not None, "url_column": url_column != "url", "base": base, "checksum_column": checksum_column,
            "format": format, "names": names, "index": index,
        }
        for name, value in given.items():
            if value:
                raise _core.BuildError(f"sluice.urls(): {name} is for list files; a Python list has URLs and labels")
        made = graph.core.read_url_items([_item(one) for one in urls], sampler, options)
        return _values(graph, made)
    _require_path(urls, "sluice.urls(): urls")
    if _is_url(urls):
        raise _core.BuildError("sluice.urls(): urls is a URL; pass a list of URLs, or the path of a list file")
    for name, text in (("url_column", url_column), ("base", base), ("checksum_column", checksum_column)):
        require_str(text, f"sluice.urls(): {name}")
    wanted = {"label": "i64"} if columns is None else _columns(columns, "sluice.urls()", "label")
    kinds, _ = type_names(tuple(wanted.values()), "sluice.urls()")
    made = graph.core.read_url_list(
        urls, list(wanted), kinds, sampler, _index(index), options, url_column, base, checksum_column, format,
        _names(names, "sluice.urls(): names must be a list of str") or [],
    )
    return _values(graph, made)


def _item(given: Any) -> tuple[str, int, str]:
    parts = given if isinstance(given, tuple) else (given,)
    if 1 <= len(parts) <= 3:
        url, label, checksum = parts + ("", -1, "")[len(parts):]
        is_number = hasattr(label, "__index__") and not isinstance(label, bool)
        if isinstance(url, str) and is_number and isinstance(checksum, str) and -(2**63) <= operator.index(label) < 2**63:
            return url, operator.index(label), checksum
    # A URL may hold secrets.
    got = short(given) if "://" not in str(given) else f"{_core.shown_url(str(parts[0]))!r} and {short(parts[1:])}"
    raise _core.BuildError(
        "sluice.urls(): an element must be a URL, (url, label) or (url, label, checksum), whose label is a whole number "
        f"(got {got})"
    )


def tar_stream(
    archives: str | os.PathLike | Sequence[str | os.PathLike],
    columns: dict[str, Any] | None = None,
    *,
    shuffle: bool = False,
    window: int = 1000,
    seed: int = 0,
    shard: Any = None,
    interleave: int = 0,
    threads: int = 2,
    cycle: str = "raise",
    read_ahead: int = 4 << 20,
    max_sample_bytes: int = 1 << 30,
    max_link_bytes: int = 4 << 20,
    max_expansion: int = 200,
    index: Any = None,
) -> tuple[Value, ...]:
    """Reads samples from tar archives in WebDataset's format, each from front to end.

    It needs no archive index, and reads compressed archives (gzip, zstd, xz, bzip2) and pipes. Its order is its own: it
    takes no sampler, and a single sample cannot be inspected. A :class:`LeftOutWarning` at the end of an epoch counts
    files that belong to no sample.

    Parameters
    ----------
    archives : path or list of paths
        The archives. Braces and patterns are expanded: 'train-{{000..009}}.tar.zst', 'train-*.tar'. '-' is the standard input.
    columns : dict of column: type, default {{'jpg;jpeg': 'bytes', 'cls': 'i64'}}
        As in :func:`tar`.
    shuffle : bool, default False
        If True, the archives are permuted, and then their samples are shuffled in a shuffle buffer.
    window : int, default 1000
        The size of the shuffle buffer, in samples.
    seed : int, default 0
        The seed of the order. The pipeline's seed has no effect on it.
    shard : (index, count) or 'environment', optional
        The part of this process, as in :func:`files`. Archive i is read by shard i modulo `count`.
    interleave : int, default 0
        The number of archives that are open and provide samples in turn. 0: 4 if shuffled, else 1.
    threads : int, default 2
        The threads that read and decompress.
    cycle : {{'raise', 'quiet', 'off'}}, default 'raise'
        The behavior after the last sample. 'raise': the epoch ends, and the next one starts over. 'quiet': the samples
        start over in the same epoch. 'off': later epochs are empty.
    read_ahead : int, default 2**22
        The bytes of each open archive that are read ahead.
    max_sample_bytes : int, default 2**30
        The most bytes of a sample's columns together.
    max_link_bytes : int, default 2**22
        The most bytes of earlier files kept for links, in compressed archives and pipes.
    max_expansion : int, default 200
        The largest expansion factor of a compressed archive.
    index : path or 'memory', optional
        A JPEG index, as in :func:`files`.

    Returns
    -------
    *columns : Value
        One for each of `columns`.

    Raises
    ------
    IoError
        If an archive is missing.
    BuildError
        If an option is wrong, or there are fewer archives than shards.
    """
    graph = require_graph("sluice.tar_stream()")
    wanted, kinds = _tar_columns(columns, "sluice.tar_stream()")
    options = {
        "shuffle": shuffle, "window": window, "seed": seed, "shard": shard, "interleave": interleave,
        "threads": threads, "cycle": cycle, "read_ahead": read_ahead, "max_sample_bytes": max_sample_bytes,
        "max_link_bytes": max_link_bytes, "max_expansion": max_expansion,
    }
    several = _archives(archives, "sluice.tar_stream()")
    for one in several:
        if os.fsdecode(one).startswith("pipe:"):
            raise _core.BuildError(
                "sluice.tar_stream(): commands ('pipe:...') are not run; pass '-' and give the program their output, or a "
                "named pipe"
            )
        if _is_url(one):
            raise _core.BuildError(
                f"sluice.tar_stream(): {_shown(os.fsdecode(one))} is a URL; sluice.tar() reads archives at URLs, if they are not compressed"
            )
    caller = sys._getframe(1)
    tell = functools.partial(_tell_of_stream, caller.f_code.co_filename, caller.f_lineno)
    made = graph.core.read_tar_stream(several, wanted, kinds, options, _index(index), tell)
    return _values(graph, made)


def _tell_of_stream(filename: str, line: int, left_out: str) -> None:
    # An epoch ends here, and nothing can be raised. So an error is printed.
    try:
        warnings.warn_explicit(f"sluice.tar_stream(): {left_out}", LeftOutWarning, filename, line)
    except Exception as error:
        traceback.print_exception(error)


@takes(SamplerOptions)
def mnist(images: str | os.PathLike, labels: str | os.PathLike, **sampler: Unpack[SamplerOptions]) -> tuple[Value, Value]:
    """Reads MNIST, and other images in its format: two idx files of bytes, not compressed.

    Parameters
    ----------
    images, labels : path
        Such as 'train-images-idx3-ubyte' and 'train-labels-idx1-ubyte'.{sampler}

    Returns
    -------
    image : Value of image
        With 1 channel.
    label : Value of i64

    Raises
    ------
    IoError
        If a file is missing, compressed, of another kind, or too short or long, or if the two do not belong together.
    """
    graph = require_graph("sluice.mnist()")
    for path, name in ((images, "images"), (labels, "labels")):
        _require_path(path, f"sluice.mnist(): {name}")
    return _values(graph, graph.core.read_mnist(images, labels, sampler))


def _cifar(user: str, files: Any, of_100: bool, sampler: dict[str, Any]) -> tuple[Value, ...]:
    graph = require_graph(user)
    several = [files] if isinstance(files, (str, bytes, os.PathLike)) else files
    if not isinstance(several, (list, tuple)) or not several:
        raise _core.BuildError(f"{user}: files must be a path or a list of paths (got {files!r})")
    for one in several:
        _require_path(one, f"{user}: a file")
    return _values(graph, graph.core.read_cifar(list(several), of_100, sampler))


@takes(SamplerOptions)
def cifar10(files: str | os.PathLike | Sequence[str | os.PathLike], **sampler: Unpack[SamplerOptions]) -> tuple[Value, Value]:
    """Reads the binary version of CIFAR-10.

    Parameters
    ----------
    files : path or list of paths
        Such as ['data_batch_1.bin', 'data_batch_2.bin'].{sampler}

    Returns
    -------
    image : Value of image
        32 x 32 pixels of 3 channels.
    label : Value of i64

    Raises
    ------
    IoError
        If a file is missing, or does not consist of whole records.
    """
    image, label = _cifar("sluice.cifar10()", files, False, sampler)
    return image, label


@takes(SamplerOptions)
def cifar100(files: str | os.PathLike | Sequence[str | os.PathLike], **sampler: Unpack[SamplerOptions]) -> tuple[Value, Value, Value]:
    """Reads the binary version of CIFAR-100.

    Parameters
    ----------
    files : path or list of paths
        Such as 'train.bin'.{sampler}

    Returns
    -------
    image : Value of image
        32 x 32 pixels of 3 channels.
    label : Value of i64
        The class, 0 to 99.
    coarse : Value of i64
        The coarse class, 0 to 19.

    Raises
    ------
    IoError
        If a file is missing, or does not consist of whole records.
    """
    image, label, coarse = _cifar("sluice.cifar100()", files, True, sampler)
    return image, label, coarse


#: The file name endings that image_folder() reads.
IMAGE_ENDINGS = (".jpg", ".jpeg", ".jpe", ".png", ".webp", ".gif")


@takes(SamplerOptions)
def image_folder(
    folder: str | os.PathLike,
    *,
    endings: Sequence[str] | None = None,
    apply_orientation: bool = True,
    index: Any = None,
    verify: Literal["never", "sample", "always"] = "never",
    leave_out_unreadable: bool = False,
    classes: Sequence[str] | None = None,
    allow_empty: bool = False,
    with_names: bool = False,
    **sampler: Unpack[SamplerOptions],
) -> tuple[Value, ...]:
    """Reads and decodes the images in a folder of classes: JPEG, PNG, WebP and GIF.

    It is :func:`files` with the endings of all these types, and ``ops.decode_image``. Operators that crop or resize next
    decode only what they need.

    Parameters
    ----------
    folder : path
        The folder. The folders directly in it are the classes.
    endings : str or list of str, optional
        File name endings to read. By default those of JPEG, PNG, WebP and GIF.
    apply_orientation : bool, default True
        If True, JPEG images are turned as their EXIF orientation says. Other formats have none here.
    index : path or 'memory', optional
        See :func:`files`.
    verify : {{'never', 'sample', 'always'}}, default 'never'
        See :func:`files`. A JPEG index has digests of JPEG files only, so files of other types fail.
    leave_out_unreadable : bool, default False
        See :func:`files`.
    classes : list of str, optional
        See :func:`files`.
    allow_empty : bool, default False
        See :func:`files`.
    with_names : bool, default False
        See :func:`files`.{sampler}

    Returns
    -------
    image : Value of image
    label : Value of i64
        The number of the class, from 0; -1 for files in no class.
    name : Value of text
        With `with_names`: the path of the file.

    Raises
    ------
    IoError
        As :func:`files`.
    """
    file, *others = files(
        folder, index=index, verify=verify, endings=IMAGE_ENDINGS if endings is None else endings, leave_out_unreadable=leave_out_unreadable, classes=classes,
        allow_empty=allow_empty, with_names=with_names, **sampler,
    )
    return (ops.decode_image(file, apply_orientation=apply_orientation), *others)


_KINDS = {bool: "bool", int: "i64", float: "f64", str: "text", bytes: "bytes", bytearray: "bytes", memoryview: "bytes"}


def _kind_of(column: Any, place: int) -> str:
    first = column[0]
    if type(first) in _KINDS:
        return _KINDS[type(first)]
    shape, dtype = getattr(first, "shape", None), str(getattr(first, "dtype", "")).removeprefix("torch.")
    if shape and dtype == "uint8" and len(shape) in (2, 3):
        if len(shape) == 3 and shape[2] > 4:
            raise _core.BuildError(
                f"sluice.memory(): column {place} has images of shape {tuple(shape)}; images are (height, width, channels) with "
                "up to 4 channels: transpose them, or pass types='tensor'"
            )
        return "image"
    if shape:
        return "tensor"
    name = dtype.replace("uint", "u").replace("int", "i").replace("float", "f")
    if type(first).__name__ == "str_":  # of NumPy
        return "text"
    if shape == () and name in (*NUMBER_TYPES, "bool"):
        return name
    raise _core.BuildError(
        f"sluice.memory(): column {place}: the type of a {type(first).__name__} is not known; pass types=, such as "
        "('bytes', 'i64'), and arrays in place of lists of numbers"
    )


@takes(SamplerOptions)
def memory(*columns: Any, types: Sequence[Any] | None = None, fingerprint: str = "", **sampler: Unpack[SamplerOptions]) -> Any:
    """Reads samples that are in memory: encoded files, images, tensors, numbers and texts.

    Sample i consists of element i of each column. The values are copied once, when the pipeline is described. After that,
    the pipeline reads them without Python's lock.

    Parameters
    ----------
    *columns : list or array
        Each has one element for each sample, such as a list of bytes and an array of labels. The first axis of an array
        counts the samples.
    types : sequence of types, optional
        One for each column, as in :func:`source`. By default, an element that is a u8 array with 2 or 3 dimensions is
        an 'image' (height, width, channels), another array a 'tensor'; bytes are 'bytes', int 'i64', float 'f64', str
        'text'.
    fingerprint : str, optional
        A text that identifies the data. A checkpoint of a pipeline with another fingerprint is refused.{sampler}

    Returns
    -------
    Value, or tuple of Value
        One for each column. A single Value if there is one column.

    Raises
    ------
    BuildError
        If columns are empty or of different lengths, or a value does not fit its type.
    """
    graph = require_graph("sluice.memory()")
    require_str(fingerprint, "sluice.memory(): fingerprint")
    if not columns:
        raise _core.BuildError("sluice.memory(): there are no columns; pass at least one list")
    for place, column in enumerate(columns):
        if isinstance(column, (str, bytes, dict)) or not hasattr(column, "__len__") or not hasattr(column, "__getitem__"):
            raise _core.BuildError(f"sluice.memory(): column {place} must be a list or an array (got {type(column).__name__})")
        refuse_masked(column, f"sluice.memory(): column {place}: ")
    lists = [list(column) for column in columns]
    for place, column in enumerate(lists):
        for one in column:
            refuse_masked(one, f"sluice.memory(): column {place}: ")
    lengths = [len(column) for column in lists]
    if lengths[0] == 0:
        raise _core.BuildError("sluice.memory(): column 0 is empty; pass at least one value")
    for place, length in enumerate(lengths):
        if length != lengths[0]:
            raise _core.BuildError(
                f"sluice.memory(): columns must have the same length (got {length} for column {place}, expected {lengths[0]})"
            )
    if types is None:
        kinds = [_kind_of(column, place) for place, column in enumerate(lists)]
    else:
        kinds, _ = type_names(tuple(types) if isinstance(types, list) else types, "sluice.memory(): types")
        if len(kinds) != len(columns):
            raise _core.BuildError(f"sluice.memory(): types names {len(kinds)}, but there are {len(columns)} columns")
    made = graph.core.read_memory(lists, kinds, sampler, fingerprint)
    return _values(graph, made, single=len(columns) == 1)


for _function in (urls, image_folder, tar_stream, mnist, cifar10, cifar100, memory) if __doc__ else ():  # python -OO removes docstrings
    _function.__doc__ = _function.__doc__.replace("{sampler}", _SAMPLER).replace("{{", "{").replace("}}", "}")
