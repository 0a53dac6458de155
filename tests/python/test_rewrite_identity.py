"""Questions that Python answers about the Value itself: they get the answer of the sample, or are refused."""

import collections
import enum
import numbers

import numpy
import pytest
from per_sample import by_name, of_python, of_sluice

import sluice


def is_true(a, b, t):
    return 1 if t is True else 0


def is_not_true(a, b, t):
    return 1 if t is not True else 0


def is_false(a):
    return 1 if (a > 1) is False else 0


def is_what_a_variable_has(a, b, t):
    wanted = True
    return 1 if wanted is t else 0


def flag(a):
    done = False
    if a > 1:
        done = True
    if done is True:
        return 1
    return 0


def is_another_bool(a, b, t):
    return 1 if (a > 1) is t else 0


def chained(a, b, t):
    return 1 if t is (a > 0) is True else 0


def whole_number_is_true(a):
    return 1 if a is True else 0


def is_none(a):
    return 1 if a is None else 2


def optional(a, b):
    return with_defaults(a, b)


@sluice.graph_function
def with_defaults(a, b, extra=None, more=(1, 2)):
    if extra is None:
        extra = b
    if more is not None:
        extra = extra + more[0]
    return a + extra


def itself(a):
    c = a
    return 1 if c is a else 0


def sentinel(a):
    nothing = object()
    return 1 if a is nothing else 2


def instances(a, b, t, s, x):
    kinds = (int, float, bool, str, (float, str), int | str, numbers.Number, collections.abc.Iterable, numpy.ndarray, object)
    return sum(2**k for k, kind in enumerate(kinds) for one in (a, t, s, x) if isinstance(one, kind))


def one_or_two(a):
    def pair(size):
        if isinstance(size, int):
            size = (size, size)
        return size[0] * size[1]

    return pair(a) + pair((a, 3))


def plain_questions(a):
    x, y = [1], (1, True)
    found = 0
    if x is not y and isinstance(y, tuple) and type(x) is list and type(x) in (list, dict) and x.__class__ == list:
        found = len(str(y)) + {1: 3}.get(1) + len("%s %d" % (y[0], 4))
    return a + found


def value_itself(a):
    return 1 if type(a) is sluice.Value or isinstance(a, int) else 2


def class_of_plain_values(a):
    kinds = [kind for kind in (int, float) if kind is not sluice.Value and type(3) == kind]
    return a + len(kinds) + (1 if type(kinds) is sluice.Value else 2)


def arrays_and_none(a):
    x, y = numpy.zeros(2), numpy.ones(2)
    return a + (1 if x is not y else 0) + (2 if x is not None else 0) + (4 if x is numpy.ndarray else 0)


def divided(a, b):
    quotient, rest = divmod(b, a)
    return quotient * 10 + rest


def beside_numpy(a, b):
    return numpy.int64(3) * a - numpy.int32(1) + b


ANSWERED = [
    is_true, is_not_true, is_false, is_what_a_variable_has, flag, is_another_bool, chained, whole_number_is_true, is_none, optional,
    itself, sentinel, instances, one_or_two, plain_questions, value_itself,
    class_of_plain_values, arrays_and_none, divided, beside_numpy,
]  # fmt: skip


@pytest.mark.parametrize("program", **by_name(ANSWERED))
def test_answers_are_those_of_the_sample(program):
    assert of_sluice(program) == of_python(program)


def key(a):
    return {1: 10, 2: 20, 3: 30}[a]


def got(a):
    return {1: 10, 2: 20, 3: 30}.get(a, 0)


def number_of_keys(a):
    return len({a: 1, 2: 2})


def number_of_elements(a):
    return len({a, 1})


def frozen(a):
    return len(frozenset((a, 1)))


def of_a_comprehension(a):
    return len({k: 1 for k in (a, 1)})


def counted(a):
    return len(collections.Counter([a, 1, 2]))


def set_by_default(a):
    return {1: 100}.setdefault(a, -1)


def in_a_dict(a):
    found = {1: 100}.__contains__(a)
    return 1 if found else 0


def in_a_set_of_a_lambda(a):
    return (lambda x: 1 if x in {1, 2} else 0)(a)


class Color(enum.Enum):
    RED = 1
    GREEN = 2
    BLUE = 3


def member(a):
    return Color(a).value * 2


def hashed(a):
    return hash(a)


def class_is(a):
    return 1 if type(a) is int else 0


def class_equals(a):
    return 1 if int == type(a) else 0


def class_among(a):
    return 1 if type(a) in (int, float) else 0


def class_of_a_variable(a):
    kind = type(a)
    return 1 if kind is int else 0


def class_by_name(a):
    return 1 if a.__class__ is int else 0


def case_of_a_constant(a, b, t):
    match (t, a):
        case (True, _):
            return 1
        case _:
            return 0


def case_of_a_class(a):
    match (a,):
        case (int(),):
            return 1
        case _:
            return 0


def is_a_number(a):
    two = 2
    return 1 if a is two else 0


def is_another(a, b):
    return 1 if a is b else 0


def text(a):
    return len(str(a))


def formatted(a):
    return len("%s and %s" % (a, 2))


def converted(a):
    return len(f"{a!s}")


def attribute(a, b, t, s):
    try:
        return len(s.upper())
    except AttributeError:
        return 0


def of_numpy(a, b, t, s, x):
    try:
        return int(numpy.sqrt(x) * 10)
    except TypeError:
        return 0


REFUSED = {
    key: "a key of a dict", got: "a key of a dict", number_of_keys: "Write an `if` for each key", number_of_elements: "an element of a set",
    frozen: "an element of a set", of_a_comprehension: "a key", counted: "a key", set_by_default: "a key", in_a_dict: "a key",
    in_a_set_of_a_lambda: "`in` with a Value", member: "is not a bool", hashed: "a key",
    class_is: "isinstance", class_equals: "isinstance", class_among: "isinstance", class_of_a_variable: "isinstance",
    class_by_name: "isinstance", case_of_a_constant: "`case True`", case_of_a_class: "`case int", is_a_number: "write `==`",
    is_another: "write `==`", text: "make the text in", formatted: "make the text in", converted: "make the text in",
    attribute: "has no 'upper'", of_numpy: "numpy.sqrt",
}  # fmt: skip


@pytest.mark.parametrize("program, words", REFUSED.items(), ids=[one.__name__ for one in REFUSED])
def test_what_the_sample_alone_knows_is_refused(program, words):
    with pytest.raises((TypeError, AttributeError, sluice.BuildError), match=words):
        of_sluice(program)


def none(x):
    return 1 if x is None else 0


def a_dict(x):
    return 1 if isinstance(x, dict) else 0


def true(x):
    return 1 if x is True else 0


def a_value(x):
    return 1 if isinstance(x, sluice.Value) else 0


def of_objects(question):
    @sluice.pipeline
    def describe():
        return sluice.graph_function(question)(sluice.source(lambda i: None, returns=object, samples=1))

    return describe()


@pytest.mark.parametrize("question", **by_name([none, a_dict, true]))
def test_objects_may_be_anything(question):
    with pytest.raises(sluice.RewriteError, match="the answer may differ between samples"):
        of_objects(question)


def test_an_object_is_a_value():
    (batch,) = of_objects(a_value)
    assert batch[0].tolist() == [1]


def test_lists_and_rectangles_are_one_value():
    @sluice.pipeline
    def describe(kind):
        n = sluice.source(lambda i: 2, returns=int, samples=1)
        views = [i for i in range(n)]
        return 1 if isinstance(views, kind) else 2

    with pytest.raises(sluice.RewriteError, match="ask `isinstance\\(x, sluice.Value\\)` first"):
        describe((list, tuple))
    (batch,) = describe(dict)
    assert batch[0].tolist() == [2]
