"""Watch: what a description can reach by its variables, to find changes in place that no statement of it shows."""

import collections
import types
from collections.abc import Iterable, Iterator
from typing import Any

_MOST = 50_000  # containers that are looked at, and elements of one
_ARRAY_BYTES = 1 << 20
_OPAQUE = (
    type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.GeneratorType, str,
    bytes, int, float, complex, type(None), range,
)  # fmt: skip


class Watch:
    """The contents of lists, dicts, sets, deques, small arrays and public attributes, as they are now.

    What `left_out` has, (container or object, attribute or None), is not compared, nor are attributes that are new or begin with an
    underscore: caches come and go. With `names` the variables themselves are compared, too.
    """

    def __init__(self, scope: dict[str, Any], left_out: Iterable[tuple[Any, str | None]] = (), names: bool = False):
        self._skip = {(id(owner), attribute) for owner, attribute in left_out}
        scope = {name: x for name, x in scope.items() if not name.startswith("_sluice_")}
        self._names = scope if names else {}
        self._kept: list[tuple[str, Any, Any]] = []
        seen: set[int] = set()
        rest = collections.deque(scope.items())
        while rest and len(self._kept) < _MOST:
            label, x = rest.popleft()
            if isinstance(x, _OPAQUE) or id(x) in seen or type(x).__module__.partition(".")[0] == "sluice":
                continue
            seen.add(id(x))
            content = self._content(x)
            if content is not None:
                self._kept.append((label, x, content))
                rest.extend((label + step, inner) for step, inner in _inside(x))

    def changed(self, scope: dict[str, Any] | None = None) -> str | None:
        """The name of something that holds something else now."""
        for name, x in self._names.items():
            if scope is not None and scope.get(name) is not x:
                return name
        return next((label for label, x, content in self._kept if self._differs(x, content)), None)

    def _content(self, x: Any) -> Any:
        if isinstance(x, (list, tuple, collections.deque)):
            return tuple(x) if len(x) <= _MOST else None
        if isinstance(x, dict):
            return dict(x) if len(x) <= _MOST else None
        if isinstance(x, set):
            return {id(one): one for one in x} if len(x) <= _MOST else None
        if type(x).__module__ == "numpy" and type(x).__name__ == "ndarray":
            return x.tobytes() if x.nbytes <= _ARRAY_BYTES and not x.dtype.hasobject else None
        held = getattr(x, "__dict__", None)
        if not isinstance(held, dict):
            return None
        return {key: one for key, one in held.items() if isinstance(key, str) and not key.startswith("_")}

    def _differs(self, x: Any, content: Any) -> bool:
        if isinstance(content, bytes):
            return x.tobytes() != content
        if isinstance(x, (list, tuple, dict, set, collections.deque)):
            if (id(x), None) in self._skip:
                return False
            now = self._content(x)
            if now is None or len(now) != len(content):
                return True
            if isinstance(content, tuple):
                return any(one is not other for one, other in zip(now, content))
            return any(now.get(key, self) is not one for key, one in content.items())
        held = x.__dict__
        return any(held.get(key, self) is not one and (id(x), key) not in self._skip for key, one in content.items())


def _inside(x: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(x, (list, tuple, collections.deque)):
        return ((f"[{k}]", one) for k, one in enumerate(x))
    if isinstance(x, dict):
        return ((f"[{key!r}]" if isinstance(key, (str, int)) else "[...]", one) for key, one in x.items())
    if isinstance(x, set) or type(x).__module__ == "numpy":
        return iter(())
    return ((f".{key}", one) for key, one in x.__dict__.items() if isinstance(key, str) and not key.startswith("_"))
