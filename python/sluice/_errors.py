"""Exceptions as users see them: without the library's lines, and as the text of a sample's error.

Threads: any.
"""

from __future__ import annotations

import os
import traceback
import types

from ._core import Error

_OWN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "")
_MOST = 8  # the most calls and notes of an exception, and the most exceptions of a chain, in a text


def shortened(error: BaseException) -> BaseException:
    """Returns the error without the library's frames in its traceback.

    Unchanged are errors that are raised in the library and are no sluice.Error, TypeError or AttributeError, which are probably bugs. With
    SLUICE_FULL_TRACEBACK set, all are unchanged.
    """
    if os.environ.get("SLUICE_FULL_TRACEBACK", "0") not in ("", "0"):
        return error
    frames, is_own = [], True
    at = error.__traceback__
    while at is not None:
        is_own = at.tb_frame.f_code.co_filename.startswith(_OWN)
        if not is_own:
            frames.append(at)
        at = at.tb_next
    if is_own and not isinstance(error, (TypeError, AttributeError, Error)):
        return error
    made = None
    for one in reversed(frames):
        made = types.TracebackType(made, one.tb_frame, one.tb_lasti, one.tb_lineno)
    return error.with_traceback(made)


def text_of(error: BaseException) -> str:
    """Returns the text of an exception that fails a sample, with its notes and the exceptions that led to it. The core calls it.

    Example: ``OSError: no image (load.py:12 in read, called at load.py:30 in load); note: row 7; caused by KeyError: 'a' (load.py:9 in find)``.
    """
    text, seen = _alone(error), [error]
    while True:
        if error.__cause__ is not None:
            link, error = "caused by", error.__cause__
        elif error.__context__ is not None and not error.__suppress_context__:
            link, error = "raised while handling", error.__context__
        else:
            break
        if any(error is one for one in seen):
            break
        if len(seen) == _MOST:
            return f"{text}; ..."
        seen.append(error)
        text += f"; {link} {_alone(error)}"
    return text


def _alone(error: BaseException) -> str:
    """Returns the type, the message, the user's calls with the innermost first, and the notes."""
    text = _named(error)
    calls = [
        f"{frame.f_code.co_filename}:{line} in {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(_OWN)
    ]
    if calls:
        more = ", ..." if len(calls) > _MOST else ""
        text += f" ({', called at '.join(calls[: -_MOST - 1 : -1])}{more})"
    notes = getattr(error, "__notes__", None)
    notes = notes if isinstance(notes, (list, tuple)) else ()
    for note in notes[:_MOST]:
        text += f"; note: {_str(note)}"
    if isinstance(error, BaseExceptionGroup):
        inner = [_named(one) for one in error.exceptions[:_MOST]] + ["..."] * (len(error.exceptions) > _MOST)
        text += f"; of {', '.join(inner)}"
    return text


def _named(error: BaseException) -> str:
    """Returns the type and the message."""
    name, message = type(error).__name__, _str(error)
    return f"{name}: {message}" if message else name


def _str(x: object) -> str:
    try:
        return str(x)
    except Exception:
        return "(an object whose __str__ raises)"
