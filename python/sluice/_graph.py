"""Graph: records the steps of a pipeline while it is described."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any, Iterator

from . import _core
from ._alias import Aliases
from ._arguments import meant, near, require_str, short
from ._arrays import modules_refuse_values
from ._describing import current_graph, graphs, refuse
from ._draws import Draws
from ._value import NUMBER_TYPES, Value, constant_of_type, cure_of_condition, is_number, name_of_type, typed_constant


def require_graph(what: str, outside: str = "") -> Graph:
    """Returns the Graph of the current description; raises BuildError, with the advice `outside`, if there is none."""
    graph = current_graph()
    if graph is None:
        raise _core.BuildError(
            f"{what} describes a step of a pipeline: call it in a function that is marked with @sluice.pipeline, or with values"
            + (f"; {outside}" if outside else "")
        )
    return graph


@contextmanager
def describing(graph: Graph) -> Iterator[Graph]:
    """Makes the graph the current one of this thread."""
    stack = graphs()
    stack.append(graph)
    graph.aliases.base = sys._getframe(2)  # the caller's frame, above contextlib's
    try:
        with modules_refuse_values():
            yield graph
        graph.aliases.require_unchanged()
    finally:
        stack.pop()
        graph.aliases.clear()


# The library's operators by name.
OPERATORS: dict[str, dict] = {schema["name"]: schema for schema in _core.operators()}
_ANY_NUMBER = ("any number", "any whole number", "anything")


def _step_parameters(schema: dict) -> dict[str, dict]:
    return {parameter["name"]: parameter for parameter in schema["parameters"]}


class Graph:
    """Records the steps of one pipeline. Internal: users call sluice.ops, sources and methods of Value."""

    def __init__(self) -> None:
        self.core = _core.Description()
        # The first refused operation. Describing fails with it even if the user's `except` caught
        # it.
        self.refused: BaseException | None = None
        self.draws = Draws()
        self.subset: int | None = None  # how many samples the `subset` of the sources has
        self.ids: set[int] = set()  # slots of images that decode_image(ids=True) made
        self.aliases = Aliases()

    def _own(self, value: Value, user: str) -> int:
        if value.graph is not self:
            raise _core.BuildError(
                f"{user} is given {value!r}, which belongs to another pipeline, or to one that has "
                "been described already"
            )
        return value.slot

    def _values(self, slots: list[int]) -> list[Value]:
        return [Value(self, slot) for slot in slots]

    # Control flow.
    def open_choice(self, name: str, branch_names: list[str], by: str, on: Value) -> None:
        if on.type not in NUMBER_TYPES:
            raise _core.BuildError(
                f"{name}: a condition must be a bool or a number of each sample (got type {on.type!r}); {cure_of_condition(on)}"
            )
        if by == "number" and on.type[0] == "f":
            raise _core.BuildError(
                f"{name}: the number of a branch must be a whole number (got {on!r}); .cast('i64') "
                "cuts its fraction off"
            )
        require_str(name, "a choice: name")
        for one in branch_names:
            require_str(one, f"a branch of {name}: name")
        name = self.core.unique_name(name)
        self.core.open_choice(name, branch_names, by == "number", self._own(on, name))

    def begin_branch(self) -> None:
        self.core.begin_branch()

    def end_branch(self) -> None:
        self.core.end_branch()

    def close_choice(self, results: list[list[Value]], places: list[str]) -> list[Value]:
        """Returns the merged values; `results` has the values of each branch."""
        slots = [[self._own(value, "a branch") for value in branch] for branch in results]
        return self._values(self.core.close_choice(slots, places))

    def open_loop(
        self, name: str, max_iterations: int, init: list[Value]
    ) -> tuple[list[Value], Value]:
        require_str(name, "a loop: name")
        name = self.core.unique_name(name)
        slots = [self._own(value, name) for value in init]
        state, iteration = self.core.open_loop(name, max_iterations, slots)
        return self._values(state), Value(self, iteration)

    def begin_condition(self) -> None:
        self.core.begin_condition()

    def end_condition(self, holds: Value) -> None:
        if holds.type != "bool":
            holds = holds != 0
        self.core.end_condition(self._own(holds, "a loop's condition"))

    def share_condition(self) -> None:
        self.core.share_condition()

    def begin_body(self) -> None:
        self.core.begin_body()

    def end_body(self, next: list[Value], places: list[str]) -> None:
        self.core.end_body([self._own(value, "a loop's body") for value in next], places)

    def close_loop(self) -> list[Value]:
        return self._values(self.core.close_loop())

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """A context for the description of a choice or loop. After an exception, the graph removes what is open."""
        self.core.begin_attempt()
        try:
            yield
        finally:
            self.core.end_attempt()

    # Values.
    def constant(self, x: Any, like: Value | None = None) -> Value:
        """Returns a constant Value; with `like`, of the type of `like` if nothing is lost."""
        if isinstance(x, Value):
            return x
        if isinstance(x, str):
            typed = ("text", x)
        elif is_number(x):
            typed = typed_constant(x, "") if like is None else constant_of_type(x, like.type)
            if typed is None:
                raise TypeError(f"{x!r} cannot be a value of type {like.type!r} without a loss")
        elif isinstance(x, (tuple, list)) and len(x) == 4 and all(isinstance(n, int) for n in x):
            typed = ("rectangle", tuple(x))
        else:
            raise TypeError(
                f"a bool, number or str becomes a value, not {short(x)} of type {type(x).__name__}; let a "
                "source or a function of sluice.map give it"
            )
        slots = self.core.operator("constant", {}, {"value": typed}, "constant")
        return Value(self, slots[0])

    def operator(self, operator_: str, *args: Any, **kwargs: Any):
        """Records a step of an operator. Returns its Value, a tuple of several, or None. An error is a refusal."""
        try:
            return self._operator(operator_, args, kwargs)
        except Exception as error:
            refuse(error, self)
            raise

    def _operator(self, operator_: str, args: tuple, kwargs: dict) -> Any:
        schema = OPERATORS[operator_]
        step = kwargs.pop("name", None) if "name" not in _step_parameters(schema) else None
        if step is not None:
            require_str(step, f"{schema['name']}: name")
        given = _bind(schema, args, kwargs)
        slots: dict[str, int] = {}
        constants: dict[str, Any] = {}
        parameters = _step_parameters(schema)
        for one in schema["inputs"]:
            _require_kind(schema["name"], one, given.get(one["name"]))
        for name, value in given.items():
            if isinstance(value, Value) and name in parameters:
                _require_type(schema["name"], python_name(name), value)
        for name, value in given.items():
            if isinstance(value, Value):
                if name in parameters:
                    _require_several(schema["name"], parameters[name], value)
                slots[name] = self._fit(schema, parameters.get(name), value)
            elif name not in parameters:
                slots[name] = self._constant_input(schema, name, value)
            elif parameters[name]["type"] in _ANY_NUMBER:
                constants[name] = _typed_beside(schema, given, name, value)
            elif _is_tuple_of_values(schema["name"], parameters[name], value):
                slots[name] = self._tensor_of(value)
            else:
                value = _choice(schema["name"], parameters[name], value)
                _require_constant(schema["name"], parameters[name], value)
                constants[name] = value
        made = self.core.operator(schema["name"], slots, constants, step or schema["name"])
        self._note_ids(schema, slots, constants, made)
        values = self._values(made)
        return values[0] if len(values) == 1 else tuple(values) or None

    def _note_ids(self, schema: dict, slots: dict[str, int], constants: dict[str, Any], made: Sequence[int]) -> None:
        """Refuses an interpolation that would mix the ids of a mask. Notes which results are masks."""
        if schema["name"] == "decode_image" and constants.get("ids") is True:
            self.ids.update(made)
        if schema["family"] != "geometry" or self.ids.isdisjoint(slots.values()):
            return
        how = _step_parameters(schema).get("interpolation")
        chosen = how and constants.get("interpolation", how["default"])
        if how and "nearest" in how["choices"] and chosen != "nearest":
            raise _core.BuildError(
                f"{schema['name']}: this image holds ids (decode_image(ids=True)), and interpolation={chosen!r} would mix them; "
                "pass interpolation='nearest'"
            )
        self.ids.update(made)

    def _fit(self, schema: dict, parameter: dict | None, value: Value) -> int:
        """Converts a number to a type that the parameter takes; returns its slot."""
        slot = self._own(value, schema["name"])
        if parameter is None or not parameter["slots"] or value.type in parameter["slots"]:
            return slot
        wanted = parameter["slots"][0]
        if value.type not in NUMBER_TYPES or wanted not in NUMBER_TYPES or wanted == "bool":
            return slot  # the operator's own error message is better
        if wanted[0] == "f":
            return self.operator("cast", x=value, to=wanted).slot
        if value.type[0] == "f":
            raise _core.BuildError(
                f"{schema['name']}: {parameter['name']} must be a whole number (got {value!r}); "
                f".cast({wanted!r}) cuts its fraction off"
            )
        return self.core.operator("convert", {"x": slot}, {"to": wanted}, "convert")[0]

    def list_of(self, values: Sequence[Value]) -> Value:
        """Returns a Value of a list, of copies of values of one type."""
        types = {value.type for value in values}
        if len(types) > 1:
            raise _core.BuildError(f"the elements of a list must have one type (got {', '.join(sorted(types))})")
        made = self.operator("list", type=f"list of {types.pop()}")
        for value in values:
            made = self.operator("appended", made, value)
        return made

    def _list_of_floats(self, numbers: Sequence[Any]) -> Value:
        """Returns a Value of a list of f32, from Values and plain numbers."""
        return self.list_of([self.operator("cast", x=self.constant(one), to="f32") for one in numbers])

    def _tensor_of(self, numbers: Sequence[Any]) -> int:
        """Like _list_of_floats(), but a tensor of one dimension; returns its slot."""
        row = self.operator("rows_of", self._list_of_floats(numbers), columns=len(numbers))
        sizes = [float(len(numbers))] + [0.0] * (_step_parameters(OPERATORS["reshape"])["sizes"]["count"] - 1)
        return self.operator("reshape", row, 1, sizes).slot

    def _constant_input(self, schema: dict, name: str, value: Any) -> int:
        if isinstance(value, (list, tuple)) and value:
            wanted = next(one for one in schema["inputs"] if one["name"] == name)
            for one in value:
                if isinstance(one, Value):
                    _require_type(schema["name"], name, one, [type_.removeprefix("list of ") for type_ in wanted["types"]])
            takes_lists = wanted["any"] == "any list" or any(one.startswith("list of ") for one in wanted["types"])
            if takes_lists and all(isinstance(one, Value) for one in value):
                return self.list_of(value).slot
            if "list of f32" in wanted["types"] and all(isinstance(one, Value) or is_number(one) for one in value):
                return self._list_of_floats(value).slot
            if any(isinstance(one, Value) for one in value):
                raise _core.BuildError(
                    f"{schema['name']}: {name} must be one value (got {len(value)}); "
                    "a source gives several: unpack them (jpeg, label = ...); "
                    "sluice.map(function, *values, returns=...) takes several values"
                )
        raise _core.BuildError(
            f"{schema['name']}: {name} must be a value of each sample (got {type(value).__name__}); what "
            "a source or a step gives is one, and sluice.constant(x) makes one of a number"
        )


def _require_kind(operator: str, wanted: dict, value: Any) -> None:
    """Raises BuildError if an operator gets a value of another type than it takes, and says what converts it."""
    if not isinstance(value, Value) or wanted["any"]:
        return
    name, types = wanted["name"], wanted["types"]
    _require_type(operator, name, value, types)
    if types == ["image"]:
        require_image(operator, name, value)
    elif value.type in NUMBER_TYPES and len(types) == 1 and types[0] in NUMBER_TYPES and value.type != types[0]:
        raise _core.BuildError(f"{operator}: {name} must be of type {types[0]!r} (got {value!r}); .cast({types[0]!r}) converts it")


def require_image(operator: str, name: str, value: Value) -> None:
    """Raises BuildError for a file or a tensor in place of an image, and says what converts it to one."""
    cures = {
        "tensor": f"ops.to_image({name}) makes an image of numbers from 0 to 255, and ops.to_image({name}, white=1) of numbers from 0 to 1",
        "bytes": f"ops.decode_jpeg({name}), or decode_image, gives the image in the file",
        "rectangle": f"ops.region_size({name}) gives the size of a region, and ops.crop(image, {name}) cuts it out of an image",
    }
    if value.type in cures:
        raise _core.BuildError(f"{operator}: {name} must be an image (got {value!r}); {cures[value.type]}")


def _require_type(operator: str, name: str, value: Value, types: Sequence[str] = ()) -> None:
    """Raises BuildError for a value of type object, because operators do not know its content."""
    if value.type == "object" and "object" not in types:
        example = "'image'" if "image" in types else f"{types[0]!r}" if types else "'f32'"
        raise _core.BuildError(
            f"{operator}: {name} is {value!r}, a Python object of unknown type; declare the type where it is made: returns={example}, for instance"
        )


def python_name(name: str) -> str:
    """Converts a name to a valid one in Python: jpeg.color to jpeg__color, `not` to not_."""
    name = name.replace(".", "__")
    return name + "_" if keyword.iskeyword(name) else name


def _is_tuple_of_values(operator: str, parameter: dict, value: Any) -> bool:
    """True for a list of one number for each channel, with Values in it. Raises BuildError if it is wrong."""
    takes = parameter["count"] > 1 and parameter["per_sample"] and isinstance(value, (list, tuple))
    if not takes or not any(isinstance(one, Value) for one in value):
        return False
    called = f"{operator}: {python_name(parameter['name'])}"
    for one in value:
        if not is_number(one) and not (isinstance(one, Value) and one.type in NUMBER_TYPES):
            raise _core.BuildError(f"{called}: a number is expected, not {short(one)} of type {type(one).__name__}")
    if len(value) not in (1, 3, parameter["count"]):
        raise _core.BuildError(f"{called}: 1, 3 or {parameter['count']} numbers are expected, not {len(value)}")
    return True


def _require_several(operator: str, parameter: dict, value: Value) -> None:
    """Raises BuildError for one number in place of a list of them."""
    if parameter["count"] > 1 and parameter["per_sample"] and value.type in NUMBER_TYPES:
        name = python_name(parameter["name"])
        raise _core.BuildError(
            f"{operator}: {name} must be a list of numbers or a tensor (got {value!r}); {name}=[x] uses one number for all channels"
        )


def _choice(operator: str, parameter: dict, value: Any) -> Any:
    """Returns the name of a choice. A class of NumPy names a type, as in Value.cast()."""
    if not parameter["choices"] or isinstance(value, str):
        return value
    name = name_of_type(value)
    if name in parameter["choices"]:
        return name
    raise _core.BuildError(
        f"{operator}: {python_name(parameter['name'])} must be one of {', '.join(parameter['choices'])}, not {short(value)}"
    )


def _require_constant(operator: str, parameter: dict, value: Any) -> None:
    """Raises BuildError for constants whose mistake the library cannot explain."""
    name = python_name(parameter["name"])
    if parameter["optional"] and is_number(value) and value == parameter["default"]:
        raise _core.BuildError(
            f"{operator}: {name} is {value!r}, and has to be {parameter['range']}; leave it out where it is not wanted"
        )
    several = isinstance(value, (list, tuple))
    if several and parameter["type"] == "rectangle" and any(isinstance(one, Value) for one in value):
        raise _core.BuildError(
            f"{operator}: {name} has a Value in it; a region for each sample comes from ops.random_region or ops.scaled_region"
        )
    pair = several and len(value) == 2 and all(is_number(one) for one in value)
    if pair and parameter["count"] <= 1 and parameter["range"] and parameter["per_sample"]:
        raise _core.BuildError(
            f"{operator}: {name} must be one number (got {value!r}); "
            f"ops.uniform{tuple(value)!r} draws one of a range for each sample"
        )


def _by_name(names: list[str]) -> list[str]:
    """How Python calls parameters: `size` stands for height and width."""
    both = {"height", "width"} <= set(names)
    return ["size"] * both + [python_name(one) for one in names]


def _bind(schema: dict, args: tuple, kwargs: dict) -> dict[str, Any]:
    """Returns the arguments by name; raises TypeError like a Python function."""
    inputs = [one["name"] for one in schema["inputs"]]
    names = inputs + [one["name"] for one in schema["parameters"]]
    positional = inputs + [one["name"] for one in schema["parameters"] if one["required"]]
    if schema["family"] in ("arithmetic", "random") or not inputs:
        positional = names
    operator = schema["name"]
    if len(args) > len(positional):
        others = [one for one in names if one not in positional]
        rectangles = [one["name"] for one in schema["parameters"] if one["type"] == "rectangle" and one["name"] in positional]
        raise TypeError(
            f"{operator}() takes {', '.join(positional) or 'nothing'} by place, not {len(args)} arguments"
            + "".join(f"; {one} is one tuple, (y, x, height, width)" for one in rectangles)
            + (f"; give the others by name: {', '.join(f'{one}=' for one in _by_name(others))}" if others else "")
        )
    given = dict(zip(positional, args))
    for name, value in kwargs.items():
        known = next((one for one in names if name in (one, python_name(one))), name)
        if known not in names:
            others = [one for one, its in OPERATORS.items() if operator in one and name in _step_parameters(its)]
            has = _names_of_call(operator, names)
            elsewhere = f"; {name!r} is one of {', '.join(others[:3])}" if others else ""
            raise TypeError(
                f"{operator}() has no argument {name!r}; it has {', '.join(has) or 'none'}"
                + (meant(operator, name, has) or elsewhere or near(name, has))
            )
        if known in given:
            raise TypeError(f"{operator}() is given {name!r} twice")
        given[known] = value
    parameters = _step_parameters(schema)
    for name in names:
        if name not in given and (name not in parameters or parameters[name]["required"]):
            size = "; size= stands for height and width" if name in ("height", "width") and {"height", "width"} <= set(names) else ""
            pair = "; write the two numbers as two arguments" if isinstance(given.get(names[0]), (tuple, list)) else ""
            raise TypeError(f"{operator}() lacks the argument {python_name(name)!r}{size or pair}")
    # None means "not given".
    return {name: value for name, value in given.items() if value is not None}


def _names_of_call(operator: str, names: list[str]) -> list[str]:
    """The arguments that a call may name: these, and those that `ops` adds, such as ``size`` for height and width."""
    from . import ops

    call = getattr(ops, python_name(operator), None) if operator in OPERATORS else None
    return list(call.__signature__.parameters) if hasattr(call, "__signature__") else [python_name(one) for one in names]


def _typed_beside(schema: dict, given: dict, name: str, value: Any) -> tuple[str, Any]:
    """Returns (type, number) of a constant for a parameter that takes any number."""
    if isinstance(value, str):
        return "text", value
    if not is_number(value):
        raise TypeError(
            f"{schema['name']}: {name} must be a number or a value of one (got {type(value).__name__})"
        )
    beside = [other for other in given.values() if isinstance(other, Value)]
    types = [other.type for other in beside if other.type in NUMBER_TYPES]
    return typed_constant(value, types[0] if types else "")
