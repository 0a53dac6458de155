"""Worker processes for Python functions: pickles the data and prepares the start of the workers.

A worker is a new process of this Python, never a fork. So it has none of the program's threads, locks and GPU handles. The
dataset is pickled once, into anonymous memory, and each worker unpickles it once. docs/workers.md explains how samples are
returned.
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
    """Options of worker processes, for ``workers=`` of :func:`sluice.source`, :func:`sluice.map` and
    :func:`sluice.iterate`.

    Parameters
    ----------
    workers : int, default 4
        The number of processes. :func:`sluice.iterate` takes 1.
    deadline_s : float, default 60
        The time limit for one sample and for the setup, in seconds. A worker that takes longer is killed.
    retry : bool, default False
        If True, a sample whose worker ended is tried once more, in another process.
    restarts : int, default 10
        The most restarts of ended workers, all workers together.
    renew_after : int, default 0
        A worker is replaced after this many samples, in case its code leaks memory. 0 never replaces it. This does not
        count as a restart.
    mini_batch : int, default 16
        The most samples in a group, the unit of work sent to a worker. If a worker makes one sample at a time, groups are
        smaller: at most a millisecond's work. :func:`sluice.map` and :func:`sluice.iterate` send single samples.
    prefetch : int, default 2
        The number of groups that a worker holds, so that the next one is there when one is done.
    max_bytes : int, default 2**30
        The most bytes of shared memory for values that are being made or used. No single value may be larger.
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
    """Calls `__worker_init__(0, 1)` once for data that this process uses without workers."""
    begin = getattr(data, "__worker_init__", None)
    if begin is None or _set_up.get(id(data)) is data:
        return
    begin(0, 1)
    try:
        _set_up[id(data)] = data
    except TypeError:  # it does not support weak references
        pass


class Call:
    """A function with fixed arguments: Values are passed at some places, constants at the others."""

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
            f"{call}(): workers must be a number of processes, or sluice.WorkerOptions(...) (got {workers!r})"
        )
    return WorkerOptions(workers=operator.index(workers))


class _Memory:
    """Anonymous memory that a child process can open. It is freed with this object."""

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
    """Prepares the start of workers for the data.

    Parameters
    ----------
    call : str
        The name of the caller for messages: "sluice.source".
    sent : list of str
        The types of the values that a worker sends. At the places `pickled`, the bytes are pickled objects.
    ended_by : {'StopIteration', 'IndexError', ''}
        The exception that ends the epoch. 'IndexError' includes StopIteration.
    inputs : list of str, optional
        The types of the function's arguments. At the places `unpickled`, the worker unpickles them. None for a source
        whose samples are requested by index.
    in_order : bool
        True if the data return iterators; see worker_source() in the core.
    together : bool
        True if several samples are requested in one call.

    Returns
    -------
    tuple
        The core's options that start a worker, and an object to keep alive as long as workers are started.

    Raises
    ------
    BuildError
        If the data cannot be pickled, or if this process is a worker.
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
    """Returns the pickled data, and the file or module to run before unpickling them, or None."""
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
    """Raises BuildError if workers would start workers of their own, because they run the program's file, too."""
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
    """Pickles the data with the code of its functions. Returns None if cloudpickle is missing or fails."""
    try:
        import cloudpickle
    except ImportError:
        return None
    try:
        return cloudpickle.dumps(data, pickle.HIGHEST_PROTOCOL)
    except Exception:
        return None


def _main() -> tuple[str, str] | None:
    """Returns how a worker runs the program's own file; None if there is no file."""
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
    """Returns the path and value of the innermost attribute that cannot be pickled; "" for the data themselves."""
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
