"""Refuses Values as arguments of other array libraries: some functions, such as torchvision's transforms, would return them unchanged.

A rewritten function checks the calls that it makes itself: `require_no_value`. A hook of PyTorch checks the modules that other code
calls, such as a helper, map() or a functools.partial: `modules_refuse_values`.

Threads: any. The hook only checks calls on threads that describe a pipeline.
"""

from __future__ import annotations

import sys
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ._describing import RewriteError, current_graph, refuse
from ._mutations import is_library
from ._peers import for_name, instead
from ._structure import flatten
from ._value import is_value

_LIBRARIES = frozenset("torch torchvision albumentations cv2 PIL kornia skimage scipy tensorflow imgaug".split())


def library_of_arrays(function: Any) -> str | None:
    """Returns the library of a function or callable object, such as 'torch', if it is one of `_LIBRARIES`; else None.

    Returns None for questions such as torch.is_tensor, too, because code may ask them about a Value.
    """
    owner = getattr(function, "__self__", None)
    if isinstance(owner, types.ModuleType):
        module: Any = owner.__name__
    else:
        module = getattr(function, "__module__", None) or getattr(owner, "__module__", None)
    if str(getattr(function, "__name__", "")).startswith("is_"):
        return None
    name = module.partition(".")[0] if isinstance(module, str) else ""
    return name if name in _LIBRARIES else None


def require_no_value(error: Callable[[str], BaseException], function: Any, library: str, *arguments: Any) -> None:
    """Raises `error(message)` if an argument of a library's function is a Value, or a structure with one."""
    try:
        leaves = flatten(arguments)[0]
    except ValueError:  # a list that contains itself
        return
    value = next((one for one in leaves if is_value(one)), None)
    if value is not None:
        name = getattr(function, "__name__", None) or type(function).__name__
        advice = for_name(name)
        raise error(
            f"{name} of {library} takes arrays, not {value!r}, which stands for the values of all samples; "
            + (f"{instead(advice)}; or " if advice else "")
            + "call it in a function that you pass to sluice.map, which gets one sample's array"
        )


_lock = threading.Lock()  # PyTorch does not protect its table of hooks


@contextmanager
def modules_refuse_values() -> Iterator[None]:
    """A context in which PyTorch's modules raise RewriteError for a Value. Without effect if PyTorch is not loaded."""
    register = getattr(sys.modules.get("torch.nn.modules.module"), "register_module_forward_pre_hook", None)
    if register is None:
        yield
        return
    with _lock:
        handle = register(_before_forward)
    try:
        yield
    finally:
        with _lock:
            handle.remove()


def _before_forward(module: Any, arguments: tuple) -> None:
    """PyTorch calls it before the forward() of each module. A forward() that the user wrote may take Values."""
    if current_graph() is None:
        return
    library = library_of_arrays(getattr(module, "forward", None))
    if library is None:
        return
    frame = sys._getframe(1)
    named = frame.f_locals.get("kwargs")  # PyTorch passes only positional arguments to hooks of all modules
    while frame.f_back is not None and is_library(frame.f_globals.get("__name__")):
        frame = frame.f_back
    require_no_value(
        lambda message: refuse(RewriteError(frame.f_code.co_filename, frame.f_lineno, message)), module, library, arguments, named
    )
