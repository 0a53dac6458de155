"""Writes ops.pyi, what editors and type checkers know of the operators, anew from their declarations.

    PYTHONPATH=build/release/python python python/tools/make_stubs.py
"""

import inspect
import pathlib
import textwrap
from collections.abc import Callable

from sluice import ops
from sluice._graph import OPERATORS
from sluice._value import Value

FILE = pathlib.Path(__file__).parents[1] / "sluice" / "ops.pyi"
_TYPES = {"bool": "bool", "text": "str", "choice": "str", "rectangle": "tuple[int, int, int, int]"}


def _annotation(parameter: dict) -> str:
    kind = parameter["type"]
    if parameter["choices"]:
        text = "Literal[" + ", ".join(repr(one) for one in parameter["choices"]) + "]"
    elif parameter["count"]:
        text = "float | Sequence[float]"
    elif kind in ("any number", "any whole number", "anything") or kind[0] == "f":
        text = "float"
    elif kind in ("i32", "i64"):
        text = "int"
    else:
        text = _TYPES.get(kind, "str" if "type" in kind else "float")
    if parameter["per_sample"]:
        text += " | Value"
    return text


def _default(default: object) -> str:
    return repr(default) if default is None or isinstance(default, (bool, int, float, str, tuple, list)) else "..."


def _stub(name: str, function: object, annotation_of: Callable[[inspect.Parameter], str], returns: str, takes_arrays: bool, draws: bool = False) -> str:
    text = textwrap.indent(inspect.getdoc(function).replace("\\", "\\\\"), "    ").lstrip()
    stub = f'def {name}({", ".join(_parameters(function, annotation_of))}) -> {returns}:\n    """{text}\n    """\n'
    if not takes_arrays and not draws:
        return stub
    eager = _parameters(function, lambda one: annotation_of(one).replace("Value", "AnyArray"))
    if not any(one.startswith("*") for one in eager):
        eager.append("*")
    eager += ["seed: int | None = None", "generator: Any = None"]
    if draws:  # random numbers need a seed outside of a pipeline; calls without one use the first overload
        return f'@overload\n{stub}@overload\ndef {name}({", ".join(eager)}) -> {returns.replace("Value", "Any")}: ...\n'
    # The overload for arrays comes first: checkers use it for arguments of type Any.
    return f'@overload\ndef {name}({", ".join(eager)}) -> {returns.replace("Value", "Any")}: ...\n@overload\n{stub}'


def _parameters(function: object, annotation_of: Callable[[inspect.Parameter], str]) -> list[str]:
    kinds, parts, named = inspect.Parameter, [], False
    for one in inspect.signature(function).parameters.values():
        if one.kind is kinds.KEYWORD_ONLY and not named:
            parts.append("*")
            named = True
        if one.kind is kinds.VAR_POSITIONAL:
            named = True
        stars = {kinds.VAR_POSITIONAL: "*", kinds.VAR_KEYWORD: "**"}.get(one.kind, "")
        default = "" if one.default is one.empty else f" = {_default(one.default)}"
        parts.append(f"{stars}{one.name}: {annotation_of(one)}{default}")
    return parts


def _stub_of_operator(name: str, schema: dict) -> str:
    known = {ops._python_name(one["name"]): one for one in schema["parameters"]}
    count = len(schema["outputs"])
    returns = {0: "None", 1: "Value"}.get(count, "tuple[" + ", ".join(["Value"] * count) + "]")

    def annotation_of(one: inspect.Parameter) -> str:
        if one.name not in known:
            return "Value" if one.annotation in (Value, one.empty) else str(one.annotation)
        return _annotation(known[one.name]) + (" | None" if one.default is None else "")

    inputs = bool(schema["inputs"])
    return _stub(name, getattr(ops, name), annotation_of, returns, takes_arrays=inputs, draws=schema["draws"] and not inputs)


def text() -> str:
    """What the file says."""
    by_name = {ops._name_in_python(one["name"]): one for one in OPERATORS.values()}
    lines = [
        "# Made by python/tools/make_stubs.py of the operators' declarations.",
        "from typing import Any, Literal, Sequence, overload",
        "",
        "from ._eager import AnyArray",
        "from ._value import Value",
        "",
        f"__all__ = {sorted(ops.__all__)}",
        "",
    ]
    for name in sorted(ops.__all__):
        function = getattr(ops, name)
        if name in ops._DECLARED:
            lines.append(_stub_of_operator(name, by_name[name]))
            continue
        returns = str(inspect.signature(function).return_annotation).replace("_Value", "Value")
        annotations = {one: str(one.annotation).replace("_Value", "Value") for one in inspect.signature(function).parameters.values()}
        takes_arrays = any("Value" in text and one.default is one.empty for one, text in annotations.items())
        lines.append(_stub(name, function, annotations.__getitem__, returns, takes_arrays, draws=name in ("choice", "choice_index")))
    return "\n".join(lines)


if __name__ == "__main__":
    FILE.write_text(text())
    print(f"wrote {FILE}")
