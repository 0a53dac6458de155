"""operator: turns a Python function into an operator, with declared inputs and parameters, as those of `sluice.ops` have."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import _core, _workers
from ._arguments import require_str, short
from ._describing import current_graph, refusing
from ._eager import Plans, is_array
from ._graph import _bind, require_graph
from ._value import _FLOATS, _RANGES, NUMBER_TYPES, Value, is_bool, is_number, name_of_type
from ._workers import WorkerOptions
from .ops import _doc_of, _signature_of
from .sources import TYPES, map, type_names

_REQUIRED: Any = type("required", (), {"__repr__": lambda self: "required"})()


@dataclass(frozen=True)
class Parameter:
    """Declares a parameter of an operator; see :func:`sluice.operator`.

    Parameters
    ----------
    type : type
        float, int, bool, str, or the name of a type of numbers: 'f64', 'u8' and so on. float is 'f32', int is 'i64'.
    default : optional
        The value if the parameter is left out. Without a default, it must be passed.
    low, high : number, optional
        The least and the largest value. By default all values of the type are valid, except infinity and NaN.
    choices : tuple of str, optional
        The valid values of a str.
    help : str, optional
        Its meaning, for ``help(operator)``.
    """

    type: Any
    default: Any = _REQUIRED
    low: float | None = None
    high: float | None = None
    choices: tuple[str, ...] = ()
    help: str = ""


def _range_text(low: Any, high: Any) -> str:
    """Describes a range in the way of `help(ops.rotate)`."""
    if low is None and high is None:
        return ""
    return f"{'' if low is None else f'{low} <= '}x{'' if high is None else f' <= {high}'}"


def _types(given: Any, what: str) -> tuple[list[str], bool]:
    """Like type_names(), but refuses types that do not exist."""
    names, single = type_names(given, what)
    for one in names:
        if one.removeprefix("list of ") not in TYPES:
            raise _core.BuildError(f"{what}: there is no type {one!r}; there are {', '.join(TYPES)}, and lists ('list of f32')")
    return names, single


class _Checked:
    """A declared parameter: checks constants, and the numbers of samples."""

    def __init__(self, operator: str, name: str, declared: Any):
        what = f"sluice.operator: parameter {name!r} of {operator}()"
        if not isinstance(declared, Parameter):
            raise _core.BuildError(f"{what} must be a sluice.Parameter (got {short(declared)})")
        self.name = name
        self.type = name_of_type(declared.type)
        if self.type not in (*NUMBER_TYPES, "text"):
            raise _core.BuildError(f"{what}: type must be float, int, bool, str, or the name of a type of numbers (got {short(declared.type)})")
        require_str(declared.help, f"{what}: help")
        self.help = declared.help
        self.choices = tuple(declared.choices)
        if self.choices and (self.type != "text" or isinstance(declared.choices, str) or not all(isinstance(one, str) for one in self.choices)):
            raise _core.BuildError(f"{what}: choices must be a tuple of str, for a parameter of type str (got {short(declared.choices)})")
        self.low = self.high = None
        if declared.low is not None or declared.high is not None:
            if self.type in ("bool", "text"):
                raise _core.BuildError(f"{what}: low and high are for numbers, and this is a {self.type}")
            for end, x in (("low", declared.low), ("high", declared.high)):
                if x is not None:
                    setattr(self, end, self.constant(f"{what}: {end}", x))
        self.required = declared.default is _REQUIRED
        self.default = None if self.required else self.constant(f"{what}: default", declared.default)

    def problem(self, x: Any) -> str | None:
        """Says what is wrong with a number of this type; None if it is valid."""
        if self.type in _FLOATS and not -float("inf") < x < float("inf"):
            return f"must be a finite number, not {x}"
        if (self.low is not None and x < self.low) or (self.high is not None and x > self.high):
            least, most = f"at least {self.low}", f"at most {self.high}"
            return f"must be {most if self.low is None else least if self.high is None else f'{least} and {most}'}, not {x}"
        return None

    def constant(self, what: str, x: Any) -> Any:
        """Returns the constant as the type that the function gets; raises BuildError if it is wrong."""
        if self.type == "text":
            require_str(x, what)
            if self.choices and x not in self.choices:
                raise _core.BuildError(f"{what} must be one of {', '.join(repr(one) for one in self.choices)}, not {x!r}")
            return x
        if self.type == "bool":
            if not is_bool(x):
                raise _core.BuildError(f"{what}: True or False is expected, not {short(x)} of type {type(x).__name__}")
            return bool(x)
        if is_bool(x) or not is_number(x):
            raise _core.BuildError(f"{what}: a number is expected, not {short(x)} of type {type(x).__name__}")
        x = x.item() if hasattr(x, "item") else x
        if self.type in _FLOATS:
            x = float(x)
        else:
            low, high = _RANGES[self.type]
            if x != x // 1 or not low <= x <= high:
                raise _core.BuildError(f"{what} must be a whole number from {low} to {high}, not {x}")
            x = int(x)
        problem = self.problem(x)
        if problem is not None:
            raise _core.BuildError(f"{what} {problem}")
        return x

    def schema(self) -> dict[str, Any]:
        per_sample = self.type != "text"
        return {
            "name": self.name, "type": "str" if self.type == "text" else self.type, "slots": [self.type] if per_sample else [],
            "required": self.required, "default": self.default, "optional": False, "range": _range_text(self.low, self.high),
            "choices": list(self.choices), "count": 0, "per_sample": per_sample, "help": self.help,
        }


class _Run:
    """What `map` calls for each sample: checks the parameters and calls the function. It has the function's name and setup."""

    __slots__ = ("_operator", "__weakref__")

    def __init__(self, operator: Operator):
        self._operator = operator

    def __getattr__(self, name: str) -> Any:
        if name in ("__qualname__", "__worker_init__"):
            return getattr(self._operator.function, name)
        raise AttributeError(name)

    def __reduce__(self) -> tuple:
        return _Run, (self._operator,)

    def __call__(self, *given: Any) -> Any:
        operator = self._operator
        inputs = len(operator.inputs)
        for one, x in zip(operator.parameters, given[inputs:]):
            problem = None if one.type in ("text", "bool") else one.problem(x)
            if problem is not None:
                raise ValueError(f"{one.name} {problem}")
        names = [one.name for one in operator.parameters]
        return operator.function(*given[:inputs], **dict(zip(names, given[inputs:])))


class Operator:
    """An operator that :func:`sluice.operator` has made of a Python function. Call it like those of ``sluice.ops``.

    Attributes
    ----------
    function : callable
        The function itself.
    """

    def __init__(self, function: Callable[..., Any], declared: dict[str, Any]):
        functools.update_wrapper(self, function)
        self.function = function
        self._declared = declared
        name = getattr(function, "__name__", "")
        if not name.isidentifier():
            raise _core.BuildError(f"sluice.operator: {short(function)} has no name; write a function with def")
        self.__name__ = name
        inputs, parameters = declared["inputs"], declared["parameters"]
        for what, given in (("inputs", inputs), ("parameters", parameters)):
            if not isinstance(given, dict) or not all(isinstance(one, str) for one in given):
                raise _core.BuildError(f"sluice.operator: {what} of {name}() must be a dict of names (got {short(given)})")
        if not inputs:
            raise _core.BuildError(f"sluice.operator: {name}() has no inputs; declare at least one, such as inputs={{'image': 'image'}}")
        if both := inputs.keys() & parameters.keys():
            raise _core.BuildError(f"sluice.operator: {name}() has an input and a parameter of the name {sorted(both)[0]!r}")
        kinds, _ = _types(tuple(inputs.values()), f"sluice.operator: inputs of {name}()")
        self.inputs = dict(zip(inputs, kinds))
        self.parameters = [_Checked(name, *one) for one in parameters.items()]
        self._require_function()
        self._returns, self._workers = declared["returns"], declared["workers"]
        results, single = _types(self._returns, f"sluice.operator: returns of {name}()")
        summary = inspect.getdoc(function) or f"Calls {name}() for each sample."
        self.schema: dict[str, Any] = {
            "name": name, "family": "own", "summary": summary, "draws": False, "effect": False,
            "inputs": [{"name": one, "types": [] if kind == "object" else [kind], "any": ""} for one, kind in self.inputs.items()],
            "parameters": [one.schema() for one in self.parameters],
            "outputs": [{"name": "result" if single else f"result {i}", "type": one} for i, one in enumerate(results)],
        }
        self.__doc__ = _doc_of(self.schema)
        self.__signature__ = _signature_of(self.schema)
        self._run = _Run(self)
        self._plans = Plans(functools.partial(self._record, 0), self.schema)

    def _require_function(self) -> None:
        """Raises BuildError if the function does not take the inputs by position and the parameters by name."""
        if hasattr(self.function, "__signature__") or not callable(self.function):
            raise _core.BuildError(f"sluice.operator: {self.__name__} must be a plain function (got {short(self.function)})")
        try:
            signature = inspect.signature(self.function)
            signature.bind(*[None] * len(self.inputs), **{one.name: None for one in self.parameters})
        except TypeError as error:
            names = ", ".join([*self.inputs, *(f"{one.name}=..." for one in self.parameters)])
            raise _core.BuildError(f"sluice.operator: {self.__name__}{signature} cannot be called as {self.__name__}({names}): {error}") from None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if current_graph() is None and any(is_array(one) for one in (*args, *kwargs.values())):
            return self._plans.call(args, kwargs)
        return self._record(self._workers, *args, **kwargs)

    @refusing(Exception)
    def _record(self, workers: int | WorkerOptions, *args: Any, **kwargs: Any) -> Any:
        step = kwargs.pop("name", self.__name__) if "name" not in (*self.inputs, *(one.name for one in self.parameters)) else self.__name__
        given = _bind(self.schema, args, kwargs)
        name = self.__name__
        graph = next((one.graph for one in given.values() if isinstance(one, Value)), None) or require_graph(f"{name}()")
        values = []
        for key, kind in self.inputs.items():
            value = given.get(key)
            if not isinstance(value, Value):
                raise _core.BuildError(
                    f"{name}: {key} must be a value of each sample (got {type(value).__name__}); what a source or a step returns is one, and "
                    "sluice.constant(x) makes one of a number"
                )
            if kind not in ("object", value.type):
                raise _core.BuildError(f"{name}: {key} must be of type {kind!r} (got {value!r})")
            values.append(value)
        for one, declared in zip(self.parameters, self.schema["parameters"]):
            x = given.get(one.name, one.default)
            if not isinstance(x, Value):
                values.append(one.constant(f"{name}: {one.name}", x))
                continue
            if one.type == "text":
                raise _core.BuildError(f"{name}: {one.name} must be a str, the same for all samples (got {x!r})")
            slot = graph._fit(self.schema, declared, x)
            x = Value(graph, slot)
            if x.type != one.type:
                raise _core.BuildError(f"{name}: {one.name} must be of type {one.type!r} (got {x!r})")
            values.append(x)
        return map(self._run, *values, returns=self._returns, name=step, workers=workers)

    def __reduce_ex__(self, _protocol: Any) -> Any:
        # A reference, as for a function. If other processes cannot look it up, cloudpickle takes the function by value.
        found: Any = sys.modules.get(self.__module__)
        for part in self.__qualname__.split("."):
            found = getattr(found, part, None)
        session = self.__module__ == "__main__" and _workers._main() is None
        return self.__qualname__ if found is self and not session else (Operator, (self.function, self._declared))

    def __repr__(self) -> str:
        return f"<operator {self.__qualname__}{self.__signature__}>"


def operator(
    *, inputs: dict[str, Any], returns: Any, parameters: dict[str, Parameter] | None = None, workers: int | WorkerOptions = 0
) -> Callable[[Callable[..., Any]], Operator]:
    """Makes an operator of a function, for use like those of ``sluice.ops``.

    The function runs for each sample, as that of :func:`sluice.map`. Arguments are checked when the pipeline is described:
    names, types and ranges, with the messages of built-in operators. Parameters of numbers may be Values, which are checked
    for each sample. Outside of a pipeline, the operator takes arrays and computes at once. ``help(operator)`` shows the
    declaration. Steps have the function's name in errors, drawings and statistics; ``name=`` in a call sets another one.

    ::

        @sluice.operator(
            inputs={"image": "image"},
            parameters={"strength": sluice.Parameter(float, default=0.5, low=0, high=1, help="0 keeps the image")},
            returns="image",
        )
        def darken(image, strength):
            \"\"\"Makes the image darker.\"\"\"
            return (image * (1 - strength)).astype("uint8")

        image = darken(image, strength=ops.uniform(0, 0.8))

    Parameters
    ----------
    inputs : dict of name: type
        The inputs, in the order of the function's parameters: 'image', 'tensor', 'f32' and so on, as in :func:`sluice.source`;
        'object' takes any value.
    returns : type or tuple of types
        The types of the results, as in :func:`sluice.map`.
    parameters : dict of name: Parameter, optional
        The parameters. Those with a default can be left out, and are passed by name.
    workers : int or WorkerOptions, default 0
        Worker processes that call the function, as in :func:`sluice.map`. Calls on arrays do not use them.

    Returns
    -------
    decorator
        Takes a function and returns an :class:`Operator`.

    Raises
    ------
    BuildError
        If the declaration is wrong, or does not fit the function.
    """
    declared = {"inputs": inputs, "returns": returns, "parameters": {} if parameters is None else parameters, "workers": workers}
    if returns is None:
        raise _core.BuildError("sluice.operator: returns must be a type or a tuple of types; sluice.map calls a function without a result")
    return lambda function: Operator(function, declared)
