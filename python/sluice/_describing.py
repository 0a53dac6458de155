"""The descriptions that run on this thread, and their refusals.

A refusal is an error of the description: Python asks a Value a question that only a sample can answer, or an operator gets a wrong
argument. An `except` that catches it would decide for all samples. So `refuse` stores it in the graph, and describing fails with it
at the end. Questions that ordinary Python code asks are not refusals: `hasattr`, `copy`, `repr`, `isinstance`.

Threads: any; each has its own descriptions.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from ._core import BuildError
from ._errors import shortened

_F = TypeVar("_F", bound=Callable[..., Any])
_local = threading.local()


class RewriteError(BuildError):
    """A statement of a pipeline's function cannot become a part of the graph. Has `filename` and `lineno`."""

    def __init__(self, filename: str, lineno: int, message: str):
        super().__init__(f"{filename}:{lineno}: {message}")
        self.filename = filename
        self.lineno = lineno
        self._message = message

    def __reduce__(self) -> tuple:
        return RewriteError, (self.filename, self.lineno, self._message)

    __module__ = "sluice"  # the public name, for tracebacks


def graphs() -> list:
    """Returns the Graphs of the descriptions that run on this thread, the innermost last."""
    return _local.__dict__.setdefault("graphs", [])


def current_graph() -> Any:
    """Returns the Graph of the description that runs on this thread, or None."""
    stack = graphs()
    return stack[-1] if stack else None


def refuse(error: BaseException, graph: Any = None, cause: BaseException | None = None) -> BaseException:
    """Makes the description fail with this error, unless it has failed already. Returns the error.

    `graph` is the graph of a Value, which may belong to another description than the current one. If `cause` is stored, this
    error replaces it, because its message is better.
    """
    for one in (graph, current_graph()):
        if one is not None and (one.refused is None or one.refused is cause):
            one.refused = error
    return error


def warn_at(message: str, category: type[Warning], filename: str, line: int, globals_: dict) -> None:
    """Warns at a line of the user's code, whose globals these are."""
    warnings.warn_explicit(
        message, category, filename, line, globals_.get("__name__") or "sluice", globals_.setdefault("__warningregistry__", {})
    )


def was_taken(refusal: BaseException | None, error: BaseException) -> bool:
    """True if code caught a refusal before this error, and the error does not refer to it."""
    if refusal is None or refusal.__traceback__ is None:
        return False
    chain: list = [error]
    for one in chain:
        chain += [each for each in (one.__cause__, one.__context__) if each is not None and all(each is not other for other in chain)]
    return all(one is not refusal for one in chain)


def refusing(*kinds: type[BaseException]) -> Callable[[_F], _F]:
    """Decorates a function: errors of these kinds that leave it are refusals."""

    def decorated(function: _F) -> _F:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except kinds as error:
                refuse(error)
                raise shortened(error)

        return cast(_F, call)

    return decorated
