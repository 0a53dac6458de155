"""Writes ops.pyi, what editors and type checkers know of the operators, anew from their declarations.

    PYTHONPATH=build/release/python python python/tools/make_stubs.py
"""

import inspect
import pathlib

from sluice import ops
from sluice._graph import OPERATORS

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


def _stub_of(name: str, schema: dict) -> str:
    known = {ops._python_name(one["name"]): one for one in schema["parameters"]}
    parts, named = [], False
    for one in inspect.signature(getattr(ops, name)).parameters.values():
        if one.kind is one.KEYWORD_ONLY and not named:
            parts.append("*")
            named = True
        annotation = _annotation(known[one.name]) if one.name in known else "Value"
        default = "" if one.default is one.empty else " = ..."
        parts.append(f"{one.name}: {annotation}{default}")
    count = len(schema["outputs"])
    given = {0: "None", 1: "Value"}.get(count, "tuple[" + ", ".join(["Value"] * count) + "]")
    summary = schema["summary"].replace('"', "'").replace("\\", "\\\\")
    return f'def {name}({", ".join(parts)}) -> {given}:\n    """{summary}"""\n'


def text() -> str:
    """What the file says."""
    by_name = {ops._python_name(one["name"]): one for one in OPERATORS.values()}
    lines = [
        "# Made by python/tools/make_stubs.py of the operators' declarations.",
        "from typing import Literal, Sequence",
        "",
        "from ._value import Value",
        "",
    ]
    for name in sorted(ops.__all__):
        function = getattr(ops, name)
        if hasattr(function, "__signature__"):  # made from the declaration
            lines.append(_stub_of(name, by_name[name]))
            continue
        summary = inspect.getdoc(function).splitlines()[0]
        signature = str(inspect.signature(function)).replace("_Value", "Value").replace("'", "")
        lines.append(f'def {name}{_defaults_left_out(signature)}:\n    """{summary}"""\n')
    return "\n".join(lines)


def _defaults_left_out(signature: str) -> str:
    import re

    return re.sub(r" = (\([^)]*\)|[^,)]+)", " = ...", signature)


if __name__ == "__main__":
    FILE.write_text(text())
    print(f"wrote {FILE}")
