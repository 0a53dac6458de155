"""Value: a placeholder for one value of each sample, while a pipeline is described."""

from __future__ import annotations

import dis
import operator
import sys
import types
from typing import TYPE_CHECKING, Any, Callable, NoReturn

from . import _peers
from ._describing import refuse, refusing
from ._mutations import is_library

_FLOATS = ("f16", "f32", "f64")
_RANGES = {
    "bool": (0, 1),
    **{f"i{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"u{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
}
NUMBER_TYPES = (*_RANGES, *_FLOATS)
_ELEMENTS = ("tensor", "image")
# NumPy's names of operators, with Python's.
_UFUNCS = {
    "add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "floor_divide": "floordiv", "remainder": "mod",
    "equal": "eq", "not_equal": "ne", "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge",
    "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor", "power": "pow",
}  # fmt: skip


_CLASSES = {"bool": bool, "text": str, "bytes": bytes, "rectangle": tuple}


def class_of(value: Value) -> type | None:
    """Returns the class that the value has in a sample; None if any class is possible."""
    if value.type in _CLASSES:
        return _CLASSES[value.type]
    if value.type in NUMBER_TYPES:
        return float if value.type in _FLOATS else int
    if value.type.startswith("list of "):
        return list
    if value.type in _ELEMENTS:
        numpy = sys.modules.get("numpy")
        return numpy.ndarray if numpy is not None else Value
    return None


_NAMES = {bool: "bool", int: "i64", float: "f32", str: "text", bytes: "bytes", object: "object"}


def name_of_type(x: Any) -> Any:
    """Returns the name of a type: "i64" for int, "i32" for numpy.int32; None for other classes; a str as it is."""
    if isinstance(x, type) and x.__module__ == "numpy":
        name = x.__name__.rstrip("_").replace("uint", "u").replace("int", "i").replace("float", "f")
        return name if name in (*NUMBER_TYPES, "bool") else None
    return _NAMES.get(x) if isinstance(x, type) else x


def is_number(x: Any) -> bool:
    """True if x is a number of Python or NumPy."""
    return isinstance(x, (bool, int, float)) or (
        hasattr(x, "dtype") and getattr(x, "shape", None) == () and hasattr(x, "item") and not hasattr(x, "mask")
    )  # numpy.ma.masked would become NaN


def is_bool(x: Any) -> bool:
    """True if x is a bool of Python, NumPy or PyTorch, which are numbers as well, or a Value of bool."""
    if isinstance(x, Value):
        return x.type == "bool"
    return isinstance(x, bool) or str(getattr(x, "dtype", "")) in ("bool", "torch.bool")


def typed_constant(x: Any, type_: str) -> tuple[str, Any]:
    """Returns the type and the value of the constant for a plain number beside a Value of this type.

    The operator converts it to the Value's type (runtime/arithmetic.h). A whole number is exact until then. A float is
    an f32 beside a type without fractions.
    """
    if hasattr(x, "item") and not isinstance(x, (bool, int, float)):
        x = x.item()
    if isinstance(x, bool):
        return "bool", x
    if isinstance(x, int):
        for wide in ("i64", "u64"):
            if _RANGES[wide][0] <= x <= _RANGES[wide][1]:
                return wide, x
        raise OverflowError(f"the constant {x} does not fit into 64 bits")
    return (type_ if type_ in _FLOATS else "f32"), x


def constant_of_type(x: Any, type_: str) -> tuple[str, Any] | None:
    """Returns the number as a constant of this type; None if the conversion would lose something."""
    typed, x = typed_constant(x, type_)
    if typed in ("i64", "u64"):
        if type_ in _FLOATS:
            return type_, float(x)
        low, high = _RANGES.get(type_, (0, -1))
        return (type_, x) if type_ != "bool" and low <= x <= high else None
    return (type_, x) if typed == type_ else None


def _none(operator: str, cure: str) -> Callable[..., NoReturn]:
    """Returns the method for an operator that values do not have."""

    def method(self: Value, *_other: Any) -> NoReturn:
        raise self._refuse(TypeError(f"values have no {operator}: {cure}"))

    return method


class Value:
    """A placeholder for one value of each sample: an image, tensor, number, text or object.

    Sources and operators return Values while a pipeline is described. A Value has no content: that exists only when a
    sample runs. To look at it, use ``Pipeline.inspect``, or a function of :func:`sluice.map`.

    Numbers have ``+ - * / // % ** == != < <= > >=`` and ``abs()``, with each other and with plain numbers; whole numbers
    also ``& | ^``. Tensors and images have them, too, element by element. In a function marked with
    :func:`sluice.pipeline`, ``if``, ``while``, ``for i in range(value)``, ``and``, ``or`` and ``not`` on Values are
    evaluated for each sample.

    Attributes
    ----------
    type : str
        ``"bool"``, ``"i8"`` to ``"u64"``, ``"f16"``, ``"f32"``, ``"f64"``, ``"text"``, ``"bytes"``, ``"image"``,
        ``"tensor"``, ``"rectangle"``, ``"object"``, or a list: ``"list of f32"``.
    name : str
        The name of the step that makes it.
    on_device : bool
        True if it is in the memory of the pipeline's device.
    """

    __slots__ = ("graph", "slot", "type")

    def __init__(self, graph: Any, slot: int):
        self.graph: Any = graph
        self.slot: int = slot
        self.type: str = graph.core.type_of(slot)

    @property
    def name(self) -> str:
        return self.graph.core.name_of(self.slot)

    @property
    def on_device(self) -> bool:
        return self.graph.core.on_device(self.slot)

    @refusing(Exception)
    def gpu(self) -> Value:
        """Returns the image, tensor or file in the memory of the pipeline's device. Later steps run there."""
        return Value(self.graph, self.graph.core.gpu(self.slot))

    @refusing(Exception)
    def cpu(self) -> Value:
        """Returns the image or tensor in host memory. Later steps run on the CPU."""
        return Value(self.graph, self.graph.core.cpu(self.slot))

    def cast(self, to: str | type) -> Value:
        """Converts a number, or the elements of a tensor or image, to another type.

        Fractions are cut off. If a number does not fit into the type, its sample fails.

        Parameters
        ----------
        to : str or type
            ``"f32"``, ``numpy.float32``, and so on. ``int`` is i64, ``float`` is f32.
        """
        to = name_of_type(to) or to
        if _has_elements(self):
            return self.graph.operator("cast_elements", self, to=to)
        return self.graph.operator("cast", x=self, to=to)

    def __repr__(self) -> str:
        return f"<Value {self.name!r} of type {self.type}>"

    def _no(self, what: str, cure: str) -> BaseException:
        return self._refuse(TypeError(f"{self!r} {what} while the pipeline is described: there is no sample yet. {cure}"))

    def _refuse(self, error: Exception) -> BaseException:
        return refuse(error, self.graph)

    def __bool__(self) -> bool:
        frame = sys._getframe(1)
        if "_sluice_" in frame.f_code.co_freevars or is_library(frame.f_globals.get("__name__")):
            raise self._no(
                "is not a bool",
                "Functions of Python and of libraries cannot ask a sample: write sluice.any_of(a, b) for any(), sluice.all_of(a, b) "
                "for all(), ops.maximum(a, b) for max() and ops.minimum(a, b) for min(). Compare the elements of a list one "
                "by one, in place of `[x] == [1]`, sorted() and .count()",
            )
        raise self._no(
            "is not a bool",
            "Mark the function that asks with @sluice.pipeline or @sluice.graph_function, so that "
            "`if`, `while`, `and`, `or` and `not` are those of each sample, or call "
            "sluice.if_else(value, then, otherwise). max(a, b) asks, too: write ops.maximum(a, b)",
        )

    def __iter__(self) -> NoReturn:
        raise self._no(
            "cannot be gone through",
            "Loop with `for i in range(value)` in a function that is marked, or do it in a function "
            "that sluice.map calls for each sample",
        )

    def __len__(self) -> int:
        raise self._no(
            "has no length",
            "Ask for it in a function that sluice.map calls. torch.as_tensor() and torch.tensor() ask for it, too: "
            "sluice.ops has operators for images and tensors",
        )

    def __delitem__(self, _key: Any) -> None:
        raise self._no("cannot be changed", "Make a new value, or change it in a function that sluice.map calls")

    def __setitem__(self, _key: Any, _x: Any) -> None:
        raise self._no("cannot be changed", "Make a new value, or change it in a function that sluice.map calls")

    if not TYPE_CHECKING:  # so that type checkers report unknown names

        def __getattr__(self, name: str) -> Any:
            if name in Value.__slots__:  # not set yet
                raise AttributeError(name)
            raise self._lacks(name, sys._getframe(1))

    def _lacks(self, name: str, frame: types.FrameType) -> BaseException:
        """Makes the error for an attribute. It is a refusal only if the user's code reads it; hasattr() and libraries only test for it."""
        error = self._attribute_error(name)
        used = dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith("LOAD_") and not is_library(frame.f_globals.get("__name__"))
        kind = class_of(self)
        has = name[:2] != "__" and (kind is None or hasattr(kind, name))
        return self._refuse(error) if used and has else error

    def _attribute_error(self, name: str) -> AttributeError:
        if name in ("append", "extend", "insert", "pop", "remove", "sort", "reverse", "clear", "count"):
            return AttributeError(
                f"{self!r} has no {name!r}: a list that samples make is done when its loop is; collect all of it in one "
                "[... for i in range(n)], or change it in a function that sluice.map calls"
            )
        return AttributeError(f"{self!r} has no {name!r}; {_peers.for_attribute(name)}")

    def __contains__(self, _item: Any) -> bool:
        raise self._no("cannot be searched", "Search it in a function that sluice.map calls")

    def __index__(self) -> int:
        raise self._no(
            "is not a number of Python's",
            "Give it to an operator that takes a value for each sample; `for i in range(value)` and "
            "[... for i in range(value)] loop in a function that is marked, and sluice.select chooses one of several",
        )

    def __int__(self) -> int:
        raise self._no("is not a number of Python's", "value.cast('i64') cuts its fraction off for each sample")

    def __float__(self) -> float:
        raise self._no(
            "is not a number of Python's",
            "value.cast('f32') makes one of each sample's, and a function of sluice.map computes with it, math.sqrt(x) say",
        )

    def __round__(self, _digits: Any = None) -> int:
        raise self._no("cannot be rounded", "(value + 0.5).cast('i64') rounds what is not below zero")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise self._no(
            "is no array of NumPy's",
            "sluice.ops has operators for images and tensors (ops.mean, ops.flip, ops.maximum), and a function of "
            "sluice.map is given each sample's array",
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Computes `number + value` for NumPy's numbers; refuses anything else."""
        if method == "__call__" and ufunc.__name__ in _UFUNCS and not options:
            x, y = (one.item() if is_number(one) and hasattr(one, "item") else one for one in inputs)
            array = next((one for one in (x, y) if hasattr(one, "__array__") and not isinstance(one, Value)), None)
            return getattr(operator, _UFUNCS[ufunc.__name__])(x, y) if array is None else self._beside(ufunc.__name__, array)
        raise self._no(
            f"cannot be given to numpy.{ufunc.__name__}()",
            "sluice.ops has operators, and a function of sluice.map is given each sample's array or number",
        )

    def __getitem__(self, key: Any) -> Value:
        """Returns an element of a list. A sample whose list is too short fails."""
        if self.type.startswith("list of "):
            return self.graph.operator("element", self, self._index(key))
        raise self._no(
            "cannot be indexed",
            "Use ops.slice_tensor for tensors, ops.crop for images, or index it in a function of sluice.map",
        )

    def _index(self, key: Any) -> Value:
        if isinstance(key, Value) and key.type in _RANGES and key.type != "bool":
            return key if key.type == "i64" else key.cast("i64")
        if not isinstance(key, (Value, bool)) and hasattr(key, "__index__") and key.__index__() >= 0:
            return self.graph.constant(key.__index__())
        raise self._refuse(
            IndexError(f"{self!r} is indexed with {key!r}; give a whole number from 0 on, which may be a Value")
        )

    def __format__(self, _spec: str) -> str:
        raise self._no("has no text", "Make the text in a function that sluice.map calls")

    def __hash__(self) -> int:
        raise self._no(
            "cannot be a key of a dict or an element of a set",
            "Write an `if` for each key, or sluice.select for the numbers from 0 on; or look it up in a function that "
            "sluice.map calls",
        )

    def __copy__(self) -> Value:
        return self

    def __deepcopy__(self, _memo: dict) -> Value:
        return self

    def _binary(self, name: str, other: Any, swapped: bool = False):
        if not isinstance(other, Value) and not is_number(other):
            return self._beside(name, other)
        return computed(name, *((other, self) if swapped else (self, other)))

    def _beside(self, name: str, other: Any) -> Any:
        """Returns NotImplemented if the class of the other operand may know the operation."""
        if hasattr(other, "__array__"):
            raise self._refuse(
                TypeError(
                    f"{name} of {self!r} and an array: a value stands for one sample; let a function of "
                    "sluice.map compute with arrays"
                )
            )
        if type(other).__module__ == "builtins":
            # Python's own TypeError would not count as refused, so an `except TypeError` could hide
            # it.
            raise self._refuse(
                TypeError(
                    f"{name} of {self!r} and {type(other).__name__} {other!r}: values compute with values and with plain "
                    "numbers; let a function of sluice.map do it"
                )
            )
        return NotImplemented

    def _divided(self, name: str, other: Any, swapped: bool = False):
        if not swapped and not isinstance(other, Value) and is_number(other) and not isinstance(other, float) and other == 0:
            raise ZeroDivisionError("a value // 0" if name == "floor_divide" else "a value % 0")
        return self._binary(name, other, swapped)

    def __add__(self, other: Any) -> Value:
        return self._binary("add", other)

    def __radd__(self, other: Any) -> Value:
        return self._binary("add", other, True)

    def __sub__(self, other: Any) -> Value:
        return self._binary("subtract", other)

    def __rsub__(self, other: Any) -> Value:
        return self._binary("subtract", other, True)

    def __mul__(self, other: Any) -> Value:
        return self._binary("multiply", other)

    def __rmul__(self, other: Any) -> Value:
        return self._binary("multiply", other, True)

    def __truediv__(self, other: Any) -> Value:
        return _quotient(self, other)

    def __rtruediv__(self, other: Any) -> Value:
        return _quotient(other, self)

    def __floordiv__(self, other: Any) -> Value:
        return self._divided("floor_divide", other)

    def __rfloordiv__(self, other: Any) -> Value:
        return self._divided("floor_divide", other, True)

    def __mod__(self, other: Any) -> Value:
        return self._divided("modulo", other)

    def __rmod__(self, other: Any) -> Value:
        return self._divided("modulo", other, True)

    def __divmod__(self, other: Any) -> tuple[Value, Value]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Value, Value]:
        return other // self, other % self

    def __neg__(self) -> Value:
        if _has_elements(self):
            return elementwise("subtract", 0, self)
        return self.graph.operator("negate", x=self)

    def __pos__(self) -> Value:
        return self

    def __invert__(self) -> Value:
        if self.type == "bool":
            return self.graph.operator("not", x=self)
        cure = (
            "write `mask == 0` for the opposite of a mask"
            if _has_elements(self)
            else "write `x ^ -1` for the bits of a whole number that has a sign"
        )
        raise self._refuse(TypeError(f"{self!r} has no ~: {cure}"))

    def _bits(self, name: str, other: Any, swapped: bool = False):
        if is_bool(self) and is_bool(other):
            raise self._refuse(
                TypeError("bools have no & | ^: write `a and b`, `a or b`, `a != b` in a function that is marked")
            )
        return self._binary(name, other, swapped)

    def __and__(self, other: Any) -> Value:
        return self._bits("bitwise_and", other)

    def __rand__(self, other: Any) -> Value:
        return self._bits("bitwise_and", other, True)

    def __or__(self, other: Any) -> Value:
        return self._bits("bitwise_or", other)

    def __ror__(self, other: Any) -> Value:
        return self._bits("bitwise_or", other, True)

    def __xor__(self, other: Any) -> Value:
        return self._bits("bitwise_xor", other)

    def __rxor__(self, other: Any) -> Value:
        return self._bits("bitwise_xor", other, True)

    def __pow__(self, other: Any, modulus: Any = None) -> Value:
        if modulus is not None:
            raise self._refuse(TypeError("pow() of values takes two numbers; write x ** y % z"))
        return self._binary("power", other)

    def __rpow__(self, other: Any) -> Value:
        return self._binary("power", other, True)

    def __abs__(self) -> Value:
        if _has_elements(self):
            return self.graph.operator("absolute_elements", self)
        return self.graph.operator("absolute", x=self)

    __matmul__ = __rmatmul__ = _none("@", "compute it in a function of sluice.map")
    __lshift__ = __rlshift__ = _none("<<", "multiply by a power of 2, or compute it in a function of sluice.map")
    __rshift__ = __rrshift__ = _none(">>", "divide with // by a power of 2, or compute it in a function of sluice.map")
    __trunc__ = _none("math.trunc()", "value.cast('i64') cuts the fraction off")

    def _compared(self, name: str, other: Any):
        """Raises the error here, because Python treats NotImplemented as "not equal"."""
        takes = self.type in NUMBER_TYPES or _has_elements(self)
        plain = isinstance(other, Value) or is_number(other) or hasattr(other, "__array__")
        result = self._binary(name, other) if takes and plain else NotImplemented
        if result is NotImplemented:
            raise self._refuse(
                TypeError(
                    f"{self!r} is compared with {type(other).__name__} {other!r}: only values of numbers, of tensors "
                    "and of images, and numbers compare; compare anything else in a function "
                    "that sluice.map calls for each sample"
                )
            )
        return result

    def __eq__(self, other: Any) -> Value:  # type: ignore[override]
        return self._compared("equal", other)

    def __ne__(self, other: Any) -> Value:  # type: ignore[override]
        return self._compared("not_equal", other)

    def __lt__(self, other: Any) -> Value:
        return self._binary("less", other)

    def __le__(self, other: Any) -> Value:
        return self._binary("less_equal", other)

    def __gt__(self, other: Any) -> Value:
        return self._binary("greater", other)

    def __ge__(self, other: Any) -> Value:
        return self._binary("greater_equal", other)


def is_value(x: Any) -> bool:
    """True if x is a Value."""
    return isinstance(x, Value)


def cure_of_condition(x: Any) -> str:
    """Returns what to write instead of x where a bool is expected."""
    if _has_elements(x):
        return (
            "combine comparisons of elements with `&` or `|`; `ops.any(x > 0)` tells whether any element is above 0"
        )
    return "compare it first, as in `x != 0`"


def _has_elements(*sides: Any) -> bool:
    """True if one of them is a tensor or an image."""
    return any(isinstance(one, Value) and one.type in _ELEMENTS for one in sides)


def computed(name: str, x: Any, y: Any) -> Value:
    """Records an operation on two numbers, or element by element if x or y is a tensor or image."""
    return elementwise(name, x, y) if _has_elements(x, y) else _graph_of(x, y).operator(name, x=x, y=y)


def elementwise(operation: str, x: Any, y: Any) -> Value:
    """Records an operation element by element."""
    graph = _graph_of(x, y)
    if _has_elements(x) and _has_elements(y):
        return graph.operator("elementwise", x, y, operation=operation)
    first = _has_elements(y)
    data, number = (y, x) if first else (x, y)
    if isinstance(number, Value) and number.type not in NUMBER_TYPES:
        raise refuse(TypeError(f"{operation} of {data!r} and {number!r}: it takes tensors, images and numbers"), graph)
    if not isinstance(number, Value) and hasattr(number, "item"):
        number = number.item()
    whole = _is_whole(number)
    if isinstance(number, Value):
        exact = whole and number.type != "bool"
        number = graph.operator("convert", x=number, to="f64") if exact else number.cast("f64")
    elif whole:
        if int(float(number)) != number:
            raise refuse(OverflowError(f"{operation} of {data!r} and {number}: no f64 holds this number"), graph)
        number = int(number)
    return graph.operator(
        "elementwise_number", data, number=number, operation=operation, whole=whole, number_first=first
    )


def _graph_of(x: Any, y: Any):
    return x.graph if isinstance(x, Value) else y.graph


def _beside(x: Any, y: Any, operator: str) -> Any:
    value, other = (x, y) if isinstance(x, Value) else (y, x)
    return value._beside(operator, other)


def _is_whole(x: Any) -> bool:
    return x.type not in _FLOATS if isinstance(x, Value) else not isinstance(x, float)


def _quotient(x: Any, y: Any):
    """Records x / y as in Python: whole numbers become f32 first."""
    if not all(isinstance(n, Value) or is_number(n) for n in (x, y)):
        return _beside(x, y, "/")
    if _has_elements(x, y):
        return elementwise("divide", x, y)
    if _is_whole(x) and _is_whole(y):
        x, y = (n.cast("f32") if isinstance(n, Value) else float(n) for n in (x, y))
    return _graph_of(x, y).operator("divide", x=x, y=y)
