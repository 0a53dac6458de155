"""Worker processes for functions of Python's: what is handed to them, and how they are started.

A worker is a new process of this Python, never a fork: it has none of the program's threads, locks
and GPU handles. The dataset is pickled once, into memory that has no name in the file system, and
each worker unpickles it once. Samples come back as docs/workers.md says.
"""

from __future__ import annotations

import ast
import dataclasses
import operator
import os
import pickle
import subprocess
import sys
import tokenize
import types
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from . import _core

#: True in a worker process, and true while it runs the program's own file. A source with workers
#: raises an error in both cases; in the second one it explains the missing __main__ guard.
in_worker = runs_main = False


@dataclasses.dataclass(frozen=True)
class WorkerOptions:
    """How :func:`sluice.source` and :func:`sluice.map` have worker processes compute.

    Parameters
    ----------
    workers : int
        Processes.
    deadline_s : float
        Seconds that a worker may take for one sample, or to set itself up. One that takes longer is
        killed.
    retry : bool
        Whether a sample whose worker ended is given to another process, once.
    restarts : int
        How often a worker that ended is started anew, all workers together.
    renew_after : int
        Samples after which a worker is replaced by a new one, for code that leaks. 0: never.
    mini_batch, prefetch : int
        A worker is given samples in groups of at most so many, and so many groups ahead. Where it
        makes one after the other, a group is not more than a millisecond's work; those of a map and
        of an iterator are given one by one.
    max_bytes : int
        Shared memory of the values that come from workers, under way or in use. None may be larger.
    """

    workers: int = 4
    deadline_s: float = 60.0
    retry: bool = False
    restarts: int = 10
    renew_after: int = 0
    mini_batch: int = 16
    prefetch: int = 2
    max_bytes: int = 1 << 30


# Objects whose __worker_init__ has been called in this process.
_set_up: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()


def set_up_here(data: Any) -> None:
    """Calls `__worker_init__` once for data that this process uses without workers, as the only worker."""
    begin = getattr(data, "__worker_init__", None)
    if begin is None or _set_up.get(id(data)) is data:
        return
    begin(0, 1)
    try:
        _set_up[id(data)] = data
    except TypeError:  # it does not support weak references
        pass


class Call:
    """A function of the values at some places, with what stands at the others."""

    def __init__(self, function: Callable[..., Any], arguments: list, places: list[int]):
        self.function = function
        self.arguments = [None if i in places else one for i, one in enumerate(arguments)]
        self.places = places
        self.__qualname__ = _name(function)
        if hasattr(function, "__worker_init__"):
            self.__worker_init__ = function.__worker_init__

    def __call__(self, *given: Any) -> Any:
        arguments = list(self.arguments)
        for place, one in zip(self.places, given):
            arguments[place] = one
        return self.function(*arguments)


def options_of(workers: int | WorkerOptions, call: str) -> WorkerOptions:
    if isinstance(workers, WorkerOptions):
        return workers
    if isinstance(workers, bool) or not hasattr(workers, "__index__"):
        raise _core.BuildError(
            f"{call}(): workers is a number of processes, or sluice.WorkerOptions(...), not {workers!r}"
        )
    return WorkerOptions(workers=operator.index(workers))


class _Memory:
    """Bytes that a child process can open; they go with this."""

    def __init__(self, content: bytes):
        self.descriptor = os.memfd_create("sluice-dataset")
        with open(self.descriptor, "wb", closefd=False) as file:
            file.write(content)

    def __del__(self) -> None:
        os.close(self.descriptor)


def program_of(
    call: str, data: Any, sent: list[str], pickled: list[int], *, ended_by: str = "",
    inputs: list[str] | None = None, unpickled: Sequence[int] = (), in_order: bool = False, together: bool = False,
) -> tuple[dict, Any]:
    """What starts a worker for the data, as options of the core; and what it reads, which has to be
    kept for as long as workers are started.

    Parameters
    ----------
    call : str
        What messages name: "sluice.source".
    sent : list of str
        Of the values that a worker sends, of which those at the places `pickled` are bytes that it
        has pickled itself.
    ended_by : 'StopIteration', 'IndexError' or nothing
        What ends the epoch when it is raised; the second includes the first.
    inputs : list of str, optional
        Of the values that a function is called with, of which those at the places `unpickled` come
        pickled; None for a source whose samples are asked for by index.
    in_order : bool
        The data give iterators; they are asked as the core's worker_source() says.
    together : bool
        The data are asked for several samples at once.

    Raises
    ------
    BuildError
        For data that cannot be pickled, and in a worker.
    """
    if in_worker and not runs_main:
        raise _core.BuildError(f"{call}(workers=...): a worker process cannot have workers of its own")
    if in_worker:
        raise _core.BuildError(
            f"{call}(workers=...) is called while a worker process runs the program's own file: "
            'put what runs pipelines under if __name__ == "__main__":'
        )
    if not sys.executable:
        raise _core.BuildError(
            f"{call}(workers=...) starts the Python that this program runs in, and "
            "sys.executable does not say which that is"
        )
    data_pickled, main = _pickled(call, data)
    if main is not None:
        _require_guard(call)
    # Workers pickle objects of the program's own file with this module name.
    sys.modules["__mp_main__"] = sys.modules["__main__"]
    told = {
        "path": [entry or os.getcwd() for entry in sys.path],
        "argv": list(sys.argv),
        "main": main,
        "main_of_inputs": _main() if unpickled and main is None else None,
        "types": sent,
        "pickled": pickled,
        "ended_by": ended_by,
        "in_order": in_order,
        "together": together,
        "inputs": inputs,
        "unpickled": list(unpickled),
        "what": "dataset" if inputs is None else "iterator's function" if in_order else "function",
    }
    # A restarted worker reads it again from the beginning.
    memory = _Memory(pickle.dumps(told) + data_pickled)
    arguments = [
        *subprocess._args_from_interpreter_flags(),
        "-P",  # keep the file's folder out of sys.path, so that "import torch" finds PyTorch
        os.path.join(os.path.dirname(os.path.abspath(__file__)), "_worker.py"),
        f"/proc/{os.getpid()}/fd/{memory.descriptor}",
    ]
    return {"program": sys.executable, "program_arguments": arguments}, memory


def _pickled(call: str, data: Any) -> tuple[bytes, tuple[str, str] | None]:
    """The data, and the file or module that has to be run before they are unpickled."""
    try:
        pickled = pickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    except Exception as error:
        by_value = _by_value(data)
        if by_value is None:
            raise _core.BuildError(_refusal(call, data, error)) from error
        return by_value, None
    if b"__main__" not in pickled:
        return pickled, None
    main = _main()
    if main is None:  # a notebook, an interactive session or python -c
        by_value = _by_value(data)
        if by_value is None:
            raise _core.BuildError(
                f"{call}(workers=...) cannot hand {_name(data)} to worker processes: it is defined in "
                "a session, not in a file that they could run. Put it into a module and import it, "
                "or pip install cloudpickle"
            )
        return by_value, None
    return pickled, main


def _require_guard(call: str) -> None:
    """Refuses a program that would start workers in each worker, because workers run its file, too."""
    frame = sys._getframe()
    while frame is not None and not (frame.f_code.co_name == "<module>" and frame.f_globals.get("__name__") == "__main__"):
        frame = frame.f_back
    if frame is None:  # another thread, or a call at exit
        return
    try:
        with tokenize.open(frame.f_code.co_filename) as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, UnicodeDecodeError):
        return
    asks = [one for one in tree.body if isinstance(one, ast.If) and "__name__" in ast.unparse(one.test)]
    if any(one.lineno <= frame.f_lineno for one in asks):
        return
    file = os.path.basename(frame.f_code.co_filename)
    raise _core.BuildError(
        f"{call}(workers=...): workers run {file}, too, for what it defines, and would start workers of their own at line "
        f'{frame.f_lineno}; put what runs pipelines under if __name__ == "__main__":'
    )


def _by_value(data: Any) -> bytes | None:
    """Pickled with the code of its functions, where cloudpickle is installed and can do it."""
    try:
        import cloudpickle
    except ImportError:
        return None
    try:
        return cloudpickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    except Exception:
        return None


def _main() -> tuple[str, str] | None:
    """How a worker runs the program's own file; None where there is none."""
    main = sys.modules["__main__"]
    spec = getattr(main, "__spec__", None)
    if spec is not None and spec.name == "__main__":  # a folder or an archive with a __main__.py
        return ("file", os.path.abspath(sys.argv[0])) if os.path.exists(sys.argv[0]) else None
    if spec is not None:
        return "module", spec.name
    file = getattr(main, "__file__", None)
    if file is None or not os.path.isfile(file):
        return None
    return "file", os.path.abspath(file)


def _name(data: Any) -> str:
    return getattr(data, "__qualname__", None) or f"a {type(data).__qualname__}"


def _refusal(call: str, data: Any, error: Exception) -> str:
    if isinstance(data, Call):
        data, arguments = data.function, data.arguments
        bad = next((one for one in arguments if not _can_be_pickled(one)), None)
        if bad is not None and _can_be_pickled(data):
            return (
                f"{call}(workers=...) cannot hand {bad!r} to worker processes, which {_name(data)} is called "
                f"with: it cannot be pickled ({type(error).__name__}: {error})"
            )
    path, culprit = _culprit(data)
    if path:
        what = f"its attribute {path}, {_name(culprit)},"
        cure = (
            f"Make {path} in __worker_init__(self, worker, workers), which each worker calls once, and leave "
            "it out in __getstate__"
        )
    else:
        what = "it"
        cure = (
            "Define it at the top of a module, not in a function and not as a lambda, or pip install "
            "cloudpickle"
        )
    return (
        f"{call}(workers=...) cannot hand {_name(data)} to worker processes: {what} cannot be "
        f"pickled ({type(error).__name__}: {error}). {cure}"
    )


def _culprit(data: Any) -> tuple[str, Any]:
    """The innermost attribute that cannot be pickled, and its path; no path: the data themselves."""
    path = ""
    for _ in range(4):
        inside = {} if isinstance(data, (type, types.ModuleType)) else getattr(data, "__dict__", {})
        bad = next((name for name, value in inside.items() if not _can_be_pickled(value)), None)
        if bad is None:
            break
        path, data = f"{path}.{bad}", inside[bad]
    return path, data


def _can_be_pickled(value: Any) -> bool:
    try:
        pickle.dumps(value)
    except Exception:
        return False
    return True
