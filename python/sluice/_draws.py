"""Warns if a description draws random numbers or asks for the time with Python, because all samples would get one value.

Each call in a rewritten function is checked for the function that it calls. A called function is plain Python: if it draws, the states
of the random generators have changed at the next call. Its code must also name a function that draws, since other threads draw, too.

Threads: those of the description.
"""

from __future__ import annotations

import random
import sys
import types
from typing import Any

from ._describing import warn_at
from ._mutations import content_of, is_library, names_in


class DrawWarning(UserWarning):
    """A pipeline function draws a random number or reads the time with Python, so all samples get the same one."""

    __module__ = "sluice"


_RANDOM = frozenset(
    """random uniform triangular randint randrange choice choices shuffle sample gauss normalvariate lognormvariate expovariate
    vonmisesvariate gammavariate betavariate paretovariate weibullvariate binomialvariate getrandbits randbytes""".split()
)
_NUMPY_PLAIN = frozenset({"seed", "get_state", "set_state", "spawn", "jumped", "advance"})
_TORCH = frozenset(
    """rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson binomial
    normal_ uniform_ random_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_""".split()
)
_OTHERS = {
    "time": {"time", "time_ns"},
    "os": {"urandom", "getrandom"},
    "posix": {"urandom", "getrandom"},
    "nt": {"urandom"},
    "uuid": {"uuid1", "uuid4", "uuid6", "uuid7"},
    "secrets": {"token_bytes", "token_hex", "token_urlsafe", "randbelow", "choice", "randbits"},
}


def what_draws(function: Any) -> str | None:
    """Returns the name of a function that draws random numbers or returns the time; None for other functions."""
    name = getattr(function, "__name__", None)
    if not isinstance(name, str):
        return None
    owner = getattr(function, "__self__", None)
    if isinstance(owner, random.Random):
        return f"random.{name}" if name in _RANDOM else None
    module = getattr(function, "__module__", None)
    of_numpy = "numpy.random" in (str(type(owner).__module__)[:12], str(module)[:12])
    if of_numpy and not isinstance(function, type):
        draws = name in ("sample", "ranf") if owner is None else name not in _NUMPY_PLAIN and name[:1] != "_"
        return f"numpy.random.{name}" if draws else None
    if name in _TORCH and "torch" in sys.modules:
        torch = sys.modules["torch"]
        return f"torch.{name}" if isinstance(owner, torch.Tensor) or getattr(torch, name, None) is function else None
    if isinstance(module, str) and name in _OTHERS.get(module, ()):
        return f"{module.replace('posix', 'os')}.{name}"
    if isinstance(owner, type) and owner.__module__ == "datetime" and name in ("now", "utcnow", "today"):
        return f"{owner.__name__}.{name}"
    return None


def _cure(name: str) -> str:
    last = name.rpartition(".")[2]
    if name.startswith(("time", "date", "os", "uuid", "secrets.token")):
        return "let a function of sluice.map ask for it"
    if "normal" in last or last in ("gauss", "randn", "randn_like"):
        return "write ops.normal(mean, stddev)"
    if any(part in last for part in ("choice", "shuffle", "sample", "perm")) and last != "random_sample":
        return "write ops.choice(numbers), or sluice.select with ops.choice_index(weights)"
    if "int" in last or last in ("randrange", "randbelow", "getrandbits"):
        return "write ops.randint(low, high), or ops.choice_index(weights)"
    return "write ops.uniform(low, high)"


_MOST = 200  # the most functions to search for calls that draw


class Draws:
    """Watches the calls of one description for draws."""

    def __init__(self) -> None:
        self._seeded: dict[int, Any] = {}  # generators that the description made from a seed, by id
        self._pending: tuple | None = None
        self._known: dict[tuple, str | None] = {}

    def before_call(self, function: Any, globals_: dict, filename: str, line: int) -> None:
        """Warns if the function draws, and stores it if it may draw."""
        self.settle()
        name = what_draws(function)
        if name is not None and id(getattr(function, "__self__", None)) in self._seeded:
            return
        if name is not None:
            _warn(f"{name}() is called", name, globals_, filename, line)
            return
        name = self._drawing_in(function)
        if name is not None:
            called = getattr(function, "__name__", type(function).__name__)
            self._pending = (_states(), f"{called}() calls {name}()", name, globals_, filename, line)

    def remembering(self, function: Any) -> Any:
        """Returns the function. If it makes generators, those with a seed are stored, because they draw the same numbers each time."""
        if not _makes_generator(function):
            return function

        def make(*args: Any, **kwargs: Any) -> Any:
            made = function(*args, **kwargs)
            given = [one for one in (*args, *kwargs.values()) if one is not None]
            if given and all(id(one) in self._seeded or not _is_of_numpy(type(one)) for one in given):
                self._seeded[id(made)] = made
            return made

        return make

    def settle(self) -> None:
        """Warns if the last stored call has drawn."""
        if self._pending is None:
            return
        states, *what = self._pending
        self._pending = None
        if _states() != states:
            _warn(*what)

    def _drawing_in(self, function: Any) -> str | None:
        """Returns the name of a function that draws, if the code of a user's function names it, directly or through other functions."""
        code = _code(function)
        if code is None:
            return None
        key = code, type(getattr(function, "__self__", None))
        if key not in self._known:
            self._known[key] = _search(function)
        return self._known[key]


def _is_of_numpy(x: Any) -> bool:
    return str(getattr(x, "__module__", "")).startswith("numpy.random")


def _makes_generator(function: Any) -> bool:
    """True for classes and functions that make a generator or a seed from their arguments."""
    if isinstance(function, type) and issubclass(function, random.Random):
        return not issubclass(function, random.SystemRandom)  # SystemRandom ignores its seed
    return _is_of_numpy(function) and (isinstance(function, type) or getattr(function, "__name__", "") == "default_rng")


def _search(function: Any) -> str | None:
    rest, seen = [function], set()
    for one in rest:
        code = _code(one)
        if code is None or code in seen or len(seen) == _MOST:
            continue
        seen.add(code)
        for named in _named_by(one):
            name = what_draws(named)
            if name is not None:
                return name
            rest.append(named)
    return None


def _code(function: Any) -> Any:
    """Returns a key that identifies a function or class; None for other objects."""
    return function if isinstance(function, type) else getattr(function, "__code__", None)


def _warn(what: str, name: str, globals_: dict, filename: str, line: int) -> None:
    message = (
        f"{what} while the pipeline is described, once for all samples; {_cure(name)} for a number of each sample, or call it "
        "before the description"
    )
    warn_at(message, DrawWarning, filename, line, globals_)


def _states() -> list:
    """Returns the states of the generators that modules share."""
    states: list = [random.getstate()]
    if "numpy" in sys.modules and hasattr(sys.modules["numpy"], "random"):
        states += [str(one) if not hasattr(one, "tobytes") else one.tobytes() for one in sys.modules["numpy"].random.get_state()]
    if "torch" in sys.modules:
        states.append(sys.modules["torch"].get_rng_state().numpy().tobytes())
    return states


def _named_by(function: Any) -> list:
    """Lists the functions, classes and other objects that the code of a user's function names."""
    owner = getattr(function, "__self__", None)
    if isinstance(function, type):
        owner, function = function, function.__init__
    function = getattr(function, "__func__", function)
    if not isinstance(function, types.FunctionType) or is_library(function.__globals__.get("__name__", "")):
        return []
    names = sorted(names_in(function.__code__), key="random".__eq__)  # "random" last, because it is usually a module
    classes = [each for each in (owner if isinstance(owner, type) else type(owner)).__mro__ if not is_library(each.__module__)]
    held = [place[name] for place in (function.__globals__, *map(vars, classes)) for name in names if name in place]
    modules = [one for one in held if isinstance(one, types.ModuleType)]
    if "random" in names:
        modules += [one.random for one in modules if isinstance(getattr(one, "random", None), types.ModuleType)]
    held += [vars(module)[name] for name in names for module in modules if name in vars(module)]
    return held + [content_of(cell) for cell in function.__closure__ or ()]
