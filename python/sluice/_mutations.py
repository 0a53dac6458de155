"""MutationDetector: finds changes that code makes to objects, although no statement of the description shows them.

Code reaches what its names hold, and what that leads to: the elements of a container; the attributes, the slots and the class of an
object; the closure, the defaults and the globals of a function, those that its code names; the position of an iterator. Code of
Python's library and of installed packages counts as code that changes what it is given, and nothing else.
"""

import array
import collections
import contextlib
import contextvars
import functools
import gc
import hashlib
import io
import itertools
import mmap
import operator
import sys
import threading
import types
import warnings
import weakref
from collections.abc import Callable, Iterable
from typing import Any

from ._describing import current_graph, warn_at

MOST = 20_000  # the most objects to watch, the nearest first
_SMALL = 4096  # the most bytes to compare without a digest
_ATOMS = frozenset(
    {
        str, bytes, int, float, complex, bool, type(None), type(Ellipsis), type(NotImplemented), range, slice, types.CodeType,
        types.FrameType, types.GetSetDescriptorType, types.MemberDescriptorType, types.WrapperDescriptorType,
        types.MethodDescriptorType, types.ClassMethodDescriptorType, functools.cached_property,
    }
)  # fmt: skip
_PLAIN = frozenset({list, dict, set, collections.deque, tuple, frozenset})
_BUFFERS = (bytearray, memoryview, array.array, mmap.mmap)
# Iterators without a position of their own: they read from other iterators, which are watched
# instead.
_PASSING = (
    map, filter, zip, itertools.chain, itertools.starmap, itertools.takewhile, itertools.dropwhile, itertools.pairwise,
    itertools.compress, itertools.islice, itertools.accumulate, itertools.zip_longest,
)  # fmt: skip
_LRU_CACHE = type(functools.lru_cache(lambda: None))
NOTHING = object()  # stands for a missing value


class Unseen(Exception):
    """A reachable object may change without being noticed: `label` says where it is, `kind` is the name of its class."""

    def __init__(self, label: str = "", kind: str = ""):
        super().__init__(label, kind)
        self.label = label
        self.kind = kind

    def message(self, what: str) -> str:
        """Returns the message that `what` could change it."""
        return (
            f"'{self.label}' is a {self.kind} whose position cannot be known, so {what} could change it for all samples; "
            "make a list of it before"
        )


class WatchWarning(UserWarning):
    """A branch or loop can reach more objects than Sluice compares, so it does not see changes of the others."""

    __module__ = "sluice"


class Assigned:
    """Variables that a statement of a function assigns: a new value in them is not a hidden change."""

    def __init__(self, code: types.CodeType, held: dict[str, Any], names: Iterable[str]):
        self._code = code
        self._held = held
        self._names = frozenset(names)

    def has(self, function: types.FunctionType, name: str, cell: types.CellType) -> bool:
        """True if this name in the closure of `function` is one of them, and not another variable of the same name."""
        if name not in self._names or content_of(cell) is not self._held.get(name, NOTHING):
            return False
        return name in self._code.co_freevars or (name in self._code.co_cellvars and function.__code__ in _codes(self._code))


class MutationDetector:
    """Stores the state of all objects that `roots` can reach.

    Parameters
    ----------
    roots : dict
        The objects that the code begins at, by name.
    mentioned : names
        The names in the code. It reaches nothing else in a module.
    left_out : list of (container or object, attribute or None)
        Places that the code may change.
    assigned : Assigned, optional
        Variables that it may assign.

    Raises
    ------
    Unseen
        For an iterator whose position cannot be known.
    """

    def __init__(
        self, roots: dict[str, Any], mentioned: Iterable[str] = (), left_out: Iterable[tuple[Any, str | None]] = (),
        assigned: Assigned | None = None,
    ):  # fmt: skip
        self._skip = {(id(_namespace(owner)), attribute) for owner, attribute in left_out}
        self._assigned = assigned
        self._places: list[tuple[int, str]] = []  # for each object: the index of its parent place, and the step from there
        self._kept: list[tuple] = []
        # Keeps the objects alive, so that their ids stay valid. Excludes the graph, which changes
        # with each step.
        self._seen: dict[int, Any] = {id(current_graph()): current_graph()}
        self._asked: set[tuple[int, str]] = set()  # variables of modules
        self._rest: collections.deque = collections.deque()
        mentioned = frozenset(mentioned)
        for name, x in roots.items():
            self._reach(x, -1, name, mentioned)
        while self._rest and len(self._seen) < MOST:
            self._visit(*self._rest.popleft())
        self.complete = not self._rest
        self._rest.clear()

    def warn_if_incomplete(self, what: str, filename: str, line: int, globals_: dict) -> None:
        """Warns at this line if `what` reaches more objects than are compared."""
        if not self.complete:
            message = (
                f"{what} reaches more than {MOST:,} objects: Sluice compares the nearest ones, and does not notice if code in it changes "
                "another one; let the code in it use fewer objects"
            )
            warn_at(message, WatchWarning, filename, line, globals_)

    def changed(self) -> str | None:
        """Returns the name of a variable or element that has changed; None if there is none."""
        for x, place, named, parts_of, parts, state in self._kept:
            try:
                now, now_state = parts_of(x)
            except Unseen:
                return self._label(place)
            if len(now) != len(parts) or not all(map(operator.is_, now, parts)) or not _equal(now_state, state):
                return self._label(place) + (named + _differing(parts, now) if named is not None else "")
        return None

    def _label(self, place: int) -> str:
        steps = []
        while place >= 0:
            place, step = self._places[place]
            steps.append(step)
        return "".join(reversed(steps))

    def _reach(self, x: Any, place: int, step: str, mentioned: frozenset = frozenset()) -> None:
        if type(x) in _ATOMS or (id(x) in self._seen and type(x) is not types.ModuleType):
            return
        self._seen[id(x)] = x
        self._places.append((place, step))
        self._rest.append((x, len(self._places) - 1, mentioned))

    def _keep(self, x: Any, place: int, parts_of: Callable, named: str | None = None) -> list:
        """Stores the result of `parts_of(x)`: objects, and a state that must stay equal.

        With `named`, the first half of the objects are names and the second half their contents. Labels have `named` before the name.
        """
        try:
            parts, state = parts_of(x)
        except Unseen:
            raise Unseen(self._label(place), type(x).__name__) from None
        parts = [*parts]
        self._kept.append((x, place, named, parts_of, parts, state))
        return parts

    def _visit(self, x: Any, place: int, mentioned: frozenset) -> None:
        kind = type(x)
        if kind is types.FunctionType:
            self._function(x, place)
        elif kind is types.ModuleType:
            if not is_library(x.__name__):
                self._globals(x.__dict__, mentioned, place, ".")
        elif issubclass(kind, type):
            self._class(x, place)
        elif kind is types.MethodType:
            self._reach(x.__self__, place, "")
            self._reach(x.__func__, place, "")
        elif kind in (types.BuiltinFunctionType, types.MethodWrapperType):
            self._reach(None if isinstance(x.__self__, types.ModuleType) else x.__self__, place, "")
        elif issubclass(kind, functools.partial):
            for one in (x.func, x.args, x.keywords):
                self._reach(one, place, "")
        elif issubclass(kind, property):
            for one in (x.fget, x.fset, x.fdel):
                self._reach(one, place, "")
        elif issubclass(kind, (staticmethod, classmethod, _LRU_CACHE)):
            self._reach(x.__wrapped__, place, "")
        elif package_of(kind.__module__) not in ("sluice", "logging"):
            self._object(x, kind, place)

    def _function(self, x: types.FunctionType, place: int) -> None:
        library = is_library(x.__globals__.get("__name__", ""))
        for name, cell in zip(x.__code__.co_freevars, x.__closure__ or ()):
            if library and "cache" in name:
                continue
            if self._assigned is None or not self._assigned.has(x, name, cell):
                self._places.append((-1, name))
                self._keep(cell, len(self._places) - 1, lambda cell: ([content_of(cell)], None))
            self._reach(content_of(cell), -1, name)
        for one in (*(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()):
            self._reach(one, place, "")
        self._keep(x, place, _attributes_of, ".")
        for name, one in x.__dict__.items():
            if not _is_cache(name):
                self._reach(one, place, f".{name}")
        if not library:
            self._globals(x.__globals__, names_in(x.__code__), -1, "")

    def _globals(self, namespace: dict, mentioned: frozenset, place: int, before: str) -> None:
        """Returns the variables of a module that the code mentions."""
        asked = [name for name in mentioned if (id(namespace), name) not in self._asked]
        if not asked:
            return
        self._asked.update((id(namespace), name) for name in asked)
        names = [name for name in asked if (id(namespace), name) not in self._skip]
        self._keep(namespace, place, lambda held: ([*names, *(held.get(name, NOTHING) for name in names)], None), before)
        for name in asked:  # a function may import a module
            self._reach(namespace.get(name, sys.modules.get(name)), place, before + name, mentioned)

    def _class(self, x: type, place: int) -> None:
        if is_library(x.__module__):
            return
        # Skip double-underscore names, which Python itself uses for caches.
        self._keep(x, place, lambda x: _pairs(vars(x), lambda name: name[:2] != "__" and (id(x), name) not in self._skip), ".")
        for name, one in [*vars(x).items()]:
            self._reach(one, place, f".{name}")
        for base in x.__bases__:
            self._reach(base, place, "")

    def _object(self, x: Any, kind: type, place: int) -> None:
        own = not is_library(kind.__module__) or issubclass(kind, (types.SimpleNamespace, threading.local, contextlib.ExitStack))
        if issubclass(kind, (list, dict, set, collections.deque)):
            kept = (id(x), None) not in self._skip
            content = self._keep(x, place, _contents) if kept else _contents(x)[0]
            self._elements(content, place)
        elif issubclass(kind, (tuple, frozenset)):
            self._elements(x, place)
        elif is_array(x):
            self._elements(self._keep(x, place, _of_array), place)
        elif issubclass(kind, _BUFFERS):
            self._keep(x, place, lambda x: ([], _digest(x)))
        elif issubclass(kind, contextvars.ContextVar):
            self._elements(self._keep(x, place, lambda x: ([x.get(NOTHING)], None)), place)
        elif issubclass(kind, (types.MappingProxyType, weakref.ref)):
            for one in (x(),) if issubclass(kind, weakref.ref) else gc.get_referents(x):
                self._reach(one, place, "")
        elif issubclass(kind, io.IOBase):
            self._keep(x, place, lambda x: ([], _place_in(x)))
        elif package_of(kind.__module__) == "torch" and hasattr(x, "_version"):
            self._keep(x, place, lambda x: ([], (x._version, x.data_ptr())))
        elif kind is types.GeneratorType:
            if not x.gi_running:
                for one in self._keep(x, place, _of_generator):
                    self._reach(one, place, "")
        elif hasattr(kind, "__next__") and not hasattr(x, "__dict__"):  # implemented in C
            for one in self._keep(x, place, _of_iterator):
                self._reach(one, place, "")
        if kind in _PLAIN:
            return
        self._attributes(x, place, not own and not hasattr(kind, "__next__"))
        if own:
            self._reach(kind, place, "")

    def _elements(self, parts: Iterable, place: int) -> None:
        """Follows those of these objects that may change."""
        kinds = set(map(type, parts))
        if _ATOMS.issuperset(kinds):
            return
        if _ATOMS.issuperset(kinds - {tuple}):  # such as the rows of a table
            rows = parts if kinds == {tuple} else [one for one in parts if type(one) is tuple]
            if _ATOMS.issuperset(map(type, itertools.chain.from_iterable(rows))):
                return
        for one in itertools.islice((one for one in parts if type(one) not in _ATOMS), MOST):
            self._reach(one, place, "[...]")

    def _attributes(self, x: Any, place: int, public: bool) -> None:
        """Stores and follows the `__dict__` and the slots of `x`. `public`: only the public attributes that it has now."""
        held = getattr(x, "__dict__", None)
        if not isinstance(held, dict):
            held = {}
        slots = _slots(type(x))
        if not held and not slots and public:
            return
        known = {name for name in held if not _is_private(name)}
        cached = _cached(type(x))

        def followed(name: Any) -> bool:
            if public and name not in known:
                return False
            return not isinstance(name, str) or (name not in cached and not _is_cache(name) and name[:2] != "__")

        def attributes_of(x: Any) -> dict:
            return {**getattr(x, "__dict__", {}), **{name: _slot_of(x, slot) for name, slot in slots.items()}}

        self._keep(x, place, lambda x: _pairs(attributes_of(x), lambda name: followed(name) and (id(x), name) not in self._skip), ".")
        for name, one in attributes_of(x).items():  # follow the objects in places that code may change
            if followed(name):
                self._reach(one, place, f".{name}")


def kind_of_dict(x: dict) -> type:
    """Returns the class whose methods access a dict without calling those of a user's class."""
    return collections.OrderedDict if isinstance(x, collections.OrderedDict) else dict  # an OrderedDict keeps its own order


def _contents(x: Any) -> tuple[Iterable, None]:
    if isinstance(x, dict):
        kind = kind_of_dict(x)
        return [*kind.keys(x), *kind.values(x)], None
    return x if isinstance(x, list) else [*x], None


def _pairs(held: Any, watched: Callable[[Any], bool]) -> tuple[list, None]:
    """Returns names and their contents."""
    names = [name for name in held if watched(name)]
    return [*names, *(held[name] for name in names)], None


def _attributes_of(x: Any) -> tuple[list, None]:
    return [*x.__dict__, *x.__dict__.values()], None


def _differing(parts: list, now: list) -> str:
    """Returns the first name whose content differs."""
    before, after = ({name: x for name, x in zip(one, one[len(one) // 2 :])} for one in (parts, now))
    return str(next((name for name in {**before, **after} if before.get(name, NOTHING) is not after.get(name, NOTHING)), "?"))


def content_of(cell: types.CellType) -> Any:
    """Returns the content of a variable of a closure, or a unique object if it is empty."""
    try:
        return cell.cell_contents
    except ValueError:
        return NOTHING


def _is_private(name: Any) -> bool:
    return isinstance(name, str) and name.startswith("_")


def _is_cache(name: str) -> bool:
    """True if the name is that of a cache."""
    return name.startswith("_") and ("cache" in name or "memo" in name)


@functools.lru_cache(maxsize=1024)
def _cached(kind: type) -> frozenset[str]:
    return frozenset(name for each in kind.__mro__ for name, one in vars(each).items() if isinstance(one, functools.cached_property))


@functools.lru_cache(maxsize=1024)
def _slots(kind: type) -> dict[str, Any]:
    return {
        name: one
        for each in kind.__mro__
        if "__slots__" in vars(each)
        for name, one in vars(each).items()
        if isinstance(one, types.MemberDescriptorType)
    }


def _own_dict(x: Any) -> dict | None:
    """Returns the dict of an object's attributes; None if it has none."""
    try:
        held = object.__getattribute__(x, "__dict__")
    except (AttributeError, TypeError):
        return None
    return held if type(held) is dict else None


def stored(x: Any, attribute: str) -> Any:
    """Returns the object's own attribute of this name, or NOTHING. No code of its class runs."""
    slot = _slots(type(x)).get(attribute)
    if slot is not None:
        return _slot_of(x, slot)
    held = _own_dict(x)
    return NOTHING if held is None else held.get(attribute, NOTHING)


def store(x: Any, attribute: str, content: Any) -> None:
    """Stores an attribute; NOTHING removes it. No setter of the user runs."""
    slot, held = _slots(type(x)).get(attribute), _own_dict(x)
    if slot is not None:
        if content is not NOTHING:
            slot.__set__(x, content)
        elif _slot_of(x, slot) is not NOTHING:
            slot.__delete__(x)
    elif held is not None and not hasattr(getattr(type(x), attribute, None), "__set__"):
        if content is NOTHING:
            held.pop(attribute, None)
        else:
            held[attribute] = content
    elif content is not NOTHING:  # for classes, and attributes stored by C code
        setattr(x, attribute, content)
    elif hasattr(x, attribute):
        delattr(x, attribute)


def _slot_of(x: Any, slot: Any) -> Any:
    try:
        return slot.__get__(x)
    except AttributeError:
        return NOTHING


def _digest(x: Any) -> Any:
    """Returns a key that is equal for equal bytes."""
    view = memoryview(x)
    if view.nbytes <= _SMALL:
        return view.tobytes()
    return hashlib.blake2b(view if view.ndim == 1 and view.c_contiguous else view.tobytes(), digest_size=16).digest()


def is_array(x: Any) -> bool:
    """True if x is an array of NumPy."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(x, numpy.ndarray)


def _of_array(x: Any) -> tuple[list, Any]:
    form = (x.shape, str(x.dtype))
    if x.dtype.hasobject:
        return (x.ravel().tolist() if x.dtype.names is None else []), form
    x = x if x.flags.c_contiguous else x.copy()
    return [], (form, _digest(x.reshape(-1).view("u1") if x.size and x.itemsize else b""))


def _place_in(file: io.IOBase) -> Any:
    if file.closed or not file.readable() or not file.seekable():
        return None
    try:
        return file.tell()
    except OSError:  # text files forbid tell() while next() is in use
        raise Unseen() from None


def _of_generator(x: types.GeneratorType) -> tuple[list, Any]:
    frame = x.gi_frame
    return ([], None) if frame is None else ([*gc.get_referents(x)], frame.f_lasti)


def _of_iterator(x: Any) -> tuple[list, Any]:
    kind = type(x)
    held = gc.get_referents(x)
    if hasattr(kind, "__length_hint__"):
        return held, operator.length_hint(x)
    if issubclass(kind, _PASSING):
        return held, None
    if issubclass(kind, itertools.count):
        return [], repr(x)
    if kind.__reduce__ is object.__reduce__:
        raise Unseen()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated since Python 3.12
        return held, _plain(x.__reduce__())


def _plain(x: Any) -> Any:
    """Returns the numbers and texts of a pickled state, and the states of iterators in it."""
    if isinstance(x, (tuple, list)):
        return [_plain(one) for one in x]
    if hasattr(type(x), "__next__"):
        return _of_iterator(x)[1]
    return x if type(x) in _ATOMS else None


def _equal(x: Any, y: Any) -> bool:
    return x is y or bool(x == y)


def _namespace(x: Any) -> Any:
    return x.__dict__ if isinstance(x, types.ModuleType) else x


def package_of(module: Any) -> str:
    """Returns the first part of a module's name; "" for anything else."""
    return module.partition(".")[0] if isinstance(module, str) else ""


def is_library(module: Any) -> bool:
    """True if a module belongs to Python, to this package or to an installed one."""
    return _known_library(package_of(module), module) if isinstance(module, str) else False


@functools.lru_cache(maxsize=4096)
def _known_library(top: str, module: str) -> bool:
    if top in sys.stdlib_module_names or top in ("sluice", "builtins"):
        return True
    file = getattr(sys.modules.get(module), "__file__", None) or getattr(sys.modules.get(top), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


@functools.lru_cache(maxsize=4096)
def _codes(code: types.CodeType) -> frozenset[types.CodeType]:
    """Returns the code of all functions defined in it."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return frozenset(inner).union(*map(_codes, inner))


@functools.lru_cache(maxsize=4096)
def names_in(code: types.CodeType) -> frozenset[str]:
    """Returns the globals and attributes that the code names, also in functions defined in it."""
    return frozenset(code.co_names).union(*(one.co_names for one in _codes(code)))
