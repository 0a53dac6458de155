"""`return` in inner branches, `del` of names, and functions that branches define: as in Python, for each sample."""

import contextlib
import functools

import pytest

import sluice
from sluice._names import _MOST_COPIED

NUMBERS = range(-3, 7)


def return_in_an_inner_branch(x):
    if x > 1:
        if x > 2:
            return x * 100
        x = x + 1
    return x


def two_levels_down(x):
    y = x
    if x > 0:
        y = y + 1
        if x > 1:
            y = y * 2
            if x > 2:
                return y * 100
            y = y - 5
        y = y + 7
    return x + y


def in_both_branches(x):
    if x > 1:
        if x == 3:
            return 30
        x = x * 2
    else:
        if x == -1:
            return -10
        x = x - 1
    x = x + 1
    if x > 9:
        return 99
    return x


def in_an_elif(x):
    if x == 0:
        y = 5
    elif x > 0:
        if x > 4:
            return 1
        y = x
    else:
        return 2
    return y * 3


def after_a_match(x):
    match x:
        case 1:
            return 10
        case 2:
            if x > 5:
                return 20
            x = x + 50
    return x * 2


def in_a_try(x):
    if x > 1:
        try:
            return x * 10
        finally:
            x = 0
    return x


def in_a_handler(x):
    if x > 1:
        try:
            if x > 3:
                return x * 10
            return x * 20
        except ValueError:
            return -1
    return x


def in_a_with(x):
    if x > 1:
        with contextlib.nullcontext():
            return x * 10
    return x


def in_a_with_of_an_inner_branch(x):
    with contextlib.nullcontext(2) as two:
        if x > 1:
            with contextlib.nullcontext(3) as three:
                if x > 3:
                    return x * three
                return x * two
        return x


TABLE = {2: 20, 3: 30}


found = TABLE.__getitem__


def in_a_handler_and_after(x):
    if x > 1:
        try:
            factor = found(5)
        except KeyError:
            return x * 10
        return x * factor
    return x


def in_the_body_and_after(x):
    if x > 1:
        try:
            return x * found(5)
        except KeyError as error:
            factor = error.args[0]
        x = x + 1
        if x > 4:
            return x * factor
        factor = factor + 1
        return factor
    return x


def in_an_else(x):
    if x > 1:
        try:
            factor = found(2)
        except KeyError:
            return -x
        else:
            if x > 3:
                return x * factor
            return x
    return x * 2


def in_some_handlers(x):
    def by_handlers(x, key):
        if x > 2:
            try:
                factor = found(key) if key is not None else found(int("no"))
            except KeyError as error:
                if error.args == ("a",):
                    factor = 7
                else:
                    factor = 8
            except ValueError:
                return x
            else:
                x = x + 1
            finally:
                x = x * 2
            return x * factor
        return 1

    return by_handlers(x, 2) + by_handlers(x, "a") * 10 + by_handlers(x, 5) * 1000 + by_handlers(x, None) * 5


def finally_runs_before_what_follows(x):
    steps = []
    if x > 1:
        try:
            found(5)
        except KeyError:
            steps.append(1)
        else:
            return -1
        finally:
            steps.append(2)
        steps.append(3)
        return x + steps[0] * 100 + steps[1] * 10 + steps[2]
    return x


def in_nested_tries(x):
    if x > 1:
        try:
            with contextlib.nullcontext(3) as three:
                try:
                    return x * found(2)
                finally:
                    x = x + three
        except KeyError:
            pass
        return -x
    return x


def a_with_that_suppresses(x):
    if x > 1:
        with contextlib.suppress(KeyError):
            return x * found(5)
        x = x + 5
        return x * 7
    return x


def a_with_that_suppresses_at_the_end(x):
    if x > 1:
        with contextlib.suppress(KeyError):
            return x * found(5)
    return x * 2


def a_with_that_suppresses_in_a_try(x):
    if x > 1:
        try:
            with contextlib.suppress(KeyError):
                return x * found(5)
        except ValueError:
            return 3
        if x > 3:
            return 4
    else:
        x = x - 1
    return x * 2


def a_try_in_a_branch_of_a_plain_one(x):
    if x > 1:
        if TABLE:
            try:
                factor = found(3)
            except KeyError:
                return 5
        else:
            factor = 7
        return x * factor
    return x


def a_handler_that_raises(x):
    if x > 1:
        try:
            try:
                return x * found(5)
            except KeyError:
                raise ValueError from None
        except ValueError:
            x = x + 1
        return x
    return x


def functions_of_inner_branches(x):
    if x > 1:
        if x > 2:
            def change(a):
                return a * 10
        else:
            if x == 2:
                def change(a):
                    return a * 100
            else:
                def change(a):
                    return a
    else:
        def change(a):
            return a + 1
    return change(x) + change(x * 3)


def functions_of_an_inner_match(x):
    if x > 1:
        match x:
            case 2:
                def change(a, more=1):
                    return a * more
            case 3 | 4:
                change = functools.partial(lambda a, b: a - b, b=2)
            case _:
                def change(a):
                    return -a
    else:
        change = lambda a: a * 5  # noqa: E731
    return change(x)


def delete_in_a_branch(x):
    if x > 1:
        t = x * 2
        x = t + 1
        del t
    return x


def delete_before_assigning(x):
    t = x * 2
    if x > 1:
        x = t + 1
        del t
    else:
        del t
    t = x + 1
    return t


def delete_in_a_loop(x):
    for i in range(x):
        t = i * 2
        x = x + t
        del t
    return x


def functions_of_both_branches(x):
    if x > 1:
        def change(a):
            return a * 10
    else:
        def change(a):
            return a + 1
    return change(x) + change(2)


def lambdas_with_a_choice_inside(x):
    scale = 3
    if x > 1:
        change = lambda a: a * scale if a > 2 else -a  # noqa: E731
    else:
        change = functools.partial(lambda a, b: a + b, b=7)
    scale = 5
    return change(x)


def functions_of_a_match(x):
    match x:
        case 0:
            change = lambda a: a + 1  # noqa: E731
        case 1:
            change = lambda a: a + 20  # noqa: E731
        case _:
            change = lambda a: a * 2  # noqa: E731
    return change(x)


def map_of_a_chosen_function(x):
    change = (lambda a: a * 10) if x > 1 else (lambda a: a + 1)
    return mapped(change, x) + mapped(change, 3)


def map_of_one_of_many(x):
    match x:
        case 0:
            change = lambda a, b: a + b + 1  # noqa: E731
        case 1 | 2:
            change = functools.partial(lambda a, b, c: a + b + c, c=20)
        case _:
            change = (lambda a, b: a * b) if x > 4 else (lambda a, b: a - b)
    return mapped(change, x, 2)


def map_in_a_loop(x):
    change = lambda a: a + 2  # noqa: E731
    if x > 1:
        change = lambda a: a + 5  # noqa: E731
    while x < 9:
        x = mapped(change, x)
    return x


FUNCTIONS = [one for one in dict(globals()).values() if getattr(one, "__module__", "") == __name__]


def mapped(function, *given):
    """A step of a pipeline; outside of it, the result."""
    values = [one for one in given if isinstance(one, sluice.Value)]
    if values or sluice._describing.current_graph() is not None:
        return sluice.map(function, *given[:-1], given[-1] if values else sluice.constant(given[-1]), returns=int)
    return function(*given)


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_each_sample_is_as_in_python(function):
    @sluice.pipeline(batch_size=len(NUMBERS))
    def described():
        return sluice.graph_function(function)(sluice.source(lambda i: NUMBERS[i], int, samples=len(NUMBERS)))

    (batch,) = described()
    assert batch[0].tolist() == [function(x) for x in NUMBERS]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda one: one.__name__)
def test_plain_numbers_are_as_in_python(function):
    again = sluice.graph_function(function)
    assert [again(x) for x in NUMBERS] == [function(x) for x in NUMBERS]


def test_the_branch_that_is_not_taken_does_not_run():
    called = []

    @sluice.pipeline(batch_size=len(NUMBERS))
    def described():
        x = sluice.source(lambda i: NUMBERS[i], int, samples=len(NUMBERS))
        if x > 1:
            change = lambda a: sluice.map(lambda n: called.append(n) or n, a, returns=int)  # noqa: E731
        else:
            change = lambda a: a  # noqa: E731
        return change(x)

    (batch,) = described()
    assert batch[0].tolist() == list(NUMBERS) and sorted(called) == [2, 3, 4, 5, 6]


def chosen(x):
    return (lambda a: a + 1) if x > 1 else abs_of


def abs_of(a):
    return abs(a)


NOT_CALLED_BY_SAMPLES = {
    "a partial": lambda x, f: sluice.map(functools.partial(f), x, returns=int),
    "an argument of a partial": lambda x, f: sluice.map(functools.partial(sorted, key=f), x),
    "a lambda": lambda x, f: sluice.map(lambda a: f(a) + 1, x, returns=int),
    "a constant": lambda x, f: sluice.map(lambda a, one: one(a), x, f, returns=int),
    "worker processes": lambda x, f: sluice.map(functools.partial(f), x, returns=int, workers=1),
    "a lambda in a partial": lambda x, f: sluice.map(functools.partial(lambda k, a: f(a) + k, 3), x, returns=int),
    "a default": lambda x, f: sluice.map(lambda a, f=f: f(a), x, returns=int),
    "a method": lambda x, f: sluice.map(Holder(f).call, x, returns=int),
}


class Holder:
    def __init__(self, f):
        self.f = f

    def call(self, a):
        return self.f(a)


@pytest.mark.parametrize("name", NOT_CALLED_BY_SAMPLES)
def test_samples_do_not_call_a_chosen_function(name):
    @sluice.pipeline
    def described():
        x = sluice.source(lambda i: i, int, samples=4)
        f = sluice.graph_function(chosen)(x)
        return NOT_CALLED_BY_SAMPLES[name](x, f)

    message = "one of the functions '<lambda>' and 'abs_of', which `conditional expression in .*pass the chosen function itself to sluice.map"
    with pytest.raises(sluice.BuildError, match=message):
        described()


def test_a_chosen_function_is_not_called_after_the_description():
    kept = []

    @sluice.pipeline
    def described():
        x = sluice.source(lambda i: i, int, samples=4)
        kept.append(sluice.graph_function(chosen)(x))
        return x

    described()
    with pytest.raises(sluice.BuildError, match="chooses for each sample, is called outside of the description of its pipeline"):
        kept[0](1)


def test_steps_of_a_chosen_function_keep_their_options():
    called = []

    @sluice.pipeline(batch_size=len(NUMBERS), on_error="skip")
    def described():
        x = sluice.source(lambda i: NUMBERS[i], int, samples=len(NUMBERS))
        note = (lambda n: called.append(n)) if x > 1 else (lambda n: 1 // n)
        assert sluice.map(note, x, returns=None) is None
        pair = (lambda n: (n, str(n))) if x > 1 else (lambda n: (-n, "small"))
        return sluice.map(pair, x, returns=(int, str), name="pair")

    (batch,) = described()
    assert batch[0].tolist() == [-n if n < 2 else n for n in NUMBERS if n != 0]
    assert [*batch[1]] == ["small" if n < 2 else str(n) for n in NUMBERS if n != 0]
    assert sorted(called) == [n for n in NUMBERS if n > 1] and "ZeroDivisionError" in batch.errors[0]["what"]


def test_a_deleted_name_has_no_value():
    @sluice.pipeline
    def described():
        x = sluice.source(lambda i: i, int, samples=2)
        if x > 0:
            y = x
            del y
        else:
            y = 1
        return y

    with pytest.raises(sluice.RewriteError, match="'y' has no value after `if"):
        described()


def test_many_returns_are_copied_up_to_a_limit(tmp_path):
    count = _MOST_COPIED.bit_length()
    lines = ["def long(x):"]
    for i in range(count):
        lines += [f"    if x > {i}:", f"        if x == {100 + i}:", f"            return {i}", "        x = x + 1"]
    (tmp_path / "long.py").write_text("\n".join([*lines, "    return x", ""]))
    scope = {}
    exec(compile((tmp_path / "long.py").read_text(), str(tmp_path / "long.py"), "exec"), scope)
    again = sluice.graph_function(scope["long"])
    assert [again(x) for x in range(130)] == [scope["long"](x) for x in range(130)]
