"""Functions that cannot be described, and what their authors are told."""

import pickle
import textwrap

import pytest
from fake_graph import Graph, describing, function_of

from sluice._rewrite import RewriteError, rewrite

WRONG = [
    (
        """
        def f(n):
            if n > 0:
                return n
            elif n < -3:
                n = n + 1
            n = n + 2
        """,
        "wrong.py:2: the return value is a Value of type i64 in 'then', but None in 'otherwise' of `if in line 2`; "
        "return a value on every path",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = n
            return m
        """,
        "wrong.py:2: 'm' has no value after `if in line 2`: the branch 'otherwise' does not "
        "assign it; assign it in every "
        "branch, or before",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = n
            else:
                m = None
            return m
        """,
        "wrong.py:2: 'm' is a Value of type i64 in 'then', but None in 'otherwise' of `if in line 2`; give a value "
        "there, too; None cannot be a value of a sample",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = n
            else:
                m = n > 3
            return m
        """,
        "wrong.py:2: 'm' is a Value of type i64 in 'then', but a Value of type bool in 'otherwise' of `if in line 2`; "
        "cast one of them, as in x.cast('i64')",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = (n, 1)
            else:
                m = [n, 2]
            return m
        """,
        "wrong.py:2: 'm' has one structure in 'then' and another in 'otherwise' of `if in line 2`: a tuple of 2 against "
        "a list of 2; give both the same kind, lengths and keys",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = n
            else:
                m = 0.5
            return m
        """,
        "wrong.py:2: 'm' is a Value of type i64 in 'then', but 0.5 in 'otherwise' of `if in line 2`; give a constant "
        "that i64 can hold, or cast the Value",
    ),
    (
        """
        def f(n):
            for i in range(n):
                if i > 3:
                    break
            return n
        """,
        "wrong.py:4: `break` cannot stand in the `for` in line 2, which a Value decides; end the loop by its condition: "
        "`while going: ...`",
    ),
    (
        """
        def f(n):
            while n > 0:
                n = n - 1
                if n == 2:
                    continue
            return n
        """,
        "wrong.py:5: `continue` cannot stand in the `while` in line 2, which a Value decides; put the rest of the body "
        "into an `if`",
    ),
    (
        """
        def f(n):
            while n > 0:
                return n
        """,
        "wrong.py:3: `return` inside a loop cannot stand in the `while` in line 2, which a Value decides; assign a "
        "variable there, and return it after",
    ),
    (
        """
        def f(n):
            if n > 0:
                with memoryview(b""):
                    if n > 1:
                        return n
                    n = n + 1
            return 2
        """,
        "wrong.py:5: `return` inside `try` or `with` cannot stand in the `if` in line 2, which a Value decides; let all "
        "paths of a block return, or none; or assign a variable there, and return it after",
    ),
    (
        """
        def f(n):
            if n > 0:
                with memoryview(b""):
                    if n > 1:
                        return n
            return 2
        """,
        "wrong.py:3: some samples return in this `try` or `with`, and others go on after it; let all paths of a block "
        "return, or none; or assign a variable there, and return it after",
    ),
    (
        """
        def f(n):
            if n > 0:
                try:
                    n = n + 1
                finally:
                    return n
            return 2
        """,
        "wrong.py:6: `return` inside `try` or `with` cannot stand in the `if` in line 2, which a Value decides; let all "
        "paths of a block return, or none; or assign a variable there, and return it after",
    ),
    (
        """
        def f(n):
            if n > 0:
                yield n
            yield 2
        """,
        "wrong.py:3: `yield` cannot stand in the `if` in line 2, which a Value decides; assign a variable there, and "
        "yield it after",
    ),
    (
        """
        def f(n):
            global total
            if n > 0:
                total = n
            return n
        """,
        "wrong.py:4: an assignment to the global 'total' cannot stand in the `if` in line 3, which a Value decides; "
        "assign a local variable, and return what it holds",
    ),
    (
        """
        def f(n):
            m = n
            if n > 0:
                del m
            return m
        """,
        "wrong.py:3: 'm' has no value after `if in line 3`: the branch 'then' does not assign it; assign it in every branch, or before",
    ),
    (
        """
        def f(n):
            if n > 5:
                raise ValueError(n)
            return n
        """,
        "wrong.py:3: `raise` cannot stand in the `if` in line 2, which a Value decides; it would be raised while the "
        "pipeline is described, for all samples; let a function of sluice.map raise it",
    ),
    (
        """
        def f(n):
            return (m := n) if n > 0 else 2
        """,
        "wrong.py:2: `:=` cannot stand in the `conditional expression` in line 2, which a Value decides; assign in a "
        "line of its own, before",
    ),
    (
        """
        def f(n):
            for x in n:
                pass
        """,
        "wrong.py:2: `for` over a Value of type i64: there is no sample yet that could be gone through; write `for i in "
        "range(count)`, or do it in a function of sluice.map",
    ),
    (
        """
        def f(n):
            assert n > 0
            return n
        """,
        "wrong.py:2: `assert` on a Value of type bool: there is no sample yet that could answer; drop samples with "
        "sluice.drop_unless, or let a function of sluice.map raise an error",
    ),
    (
        """
        def f(n):
            return n in (1, 2)
        """,
        "wrong.py:2: `in` with a Value of type i64: there is no sample yet that could be searched; compare with each, "
        "as in `x == 1 or x == 2`",
    ),
    (
        """
        def f(n):
            return n and n > 3
        """,
        "wrong.py:2: the left side of `and` is a Value of type i64, not a bool; compare it first, as in `x != 0`",
    ),
    (
        """
        def f(n):
            return n > 3 or n
        """,
        "wrong.py:2: the right side of `or` is a Value of type i64, not a bool; compare it first, as in `x != 0`",
    ),
    (
        """
        def f(n):
            match n:
                case [a, b]:
                    n = 2
                case 1:
                    n = 3
            return n
        """,
        "wrong.py:2: `match` on a Value of type i64: a Value can be matched if it is a whole number, with cases of "
        "whole numbers, `|` and `_`; write an `if` for anything else",
    ),
    (
        """
        def f(n):
            while n > 0:
                m = n
                n = n - 1
            return m
        """,
        "wrong.py:2: 'm' has no value after `while in line 2`: only the body assigns it, which may never run; assign it "
        "before the loop",
    ),
    (
        """
        def f(n):
            m = "x"
            while n > 0:
                m = n
                n = n - 1
            return m
        """,
        "wrong.py:3: 'm' is 'x' before `while in line 3`, but a Value of type i64 after an iteration; begin with a "
        "constant that this type can hold",
    ),
    (
        """
        def f(n):
            found = []
            for i in range(n):
                found.append(i)
            return found
        """,
        "wrong.py:3: the state of `for in line 3` has another structure after an iteration than before: at the list "
        "found, a list of 0 against a list of 1; a list keeps its length there, and a dict its keys; a "
        "list is collected by `[... for i in range(n)]`",
    ),
    (
        """
        def f(n):
            found = {}
            if n > 0:
                found["a"] = n
            return found
        """,
        "wrong.py:3: the dict found has one structure in 'then' and another in 'otherwise' of `if in line 3`: a dict "
        "with the key 'a' against a dict with no keys; give both the same kind, lengths and keys",
    ),
    (
        """
        def f(n):
            kinds = {1}
            if n > 0:
                kinds.add(n)
            return kinds
        """,
        "wrong.py:3: 'kinds', a set, is changed in this `if`, which a Value decides; lists, dicts and attributes may be "
        "changed there, anything else must be made anew",
    ),
    (
        """
        def f(n):
            for i in range(n * 0.5):
                n = n + i
            return n
        """,
        "wrong.py:2: range() is given a Value of type f32; give whole numbers, with x.cast('i64') if need be",
    ),
    (
        """
        def f(n):
            return [x for x in (1, 2) if n > x]
        """,
        "wrong.py:2: `if` in a comprehension on a Value of type bool: there is no sample yet that could answer; write a "
        "loop and an `if` as statements",
    ),
    (
        """
        def f(n):
            rows = [[1], [2]]
            for k in (0, 1):
                if n > k:
                    rows[k][0] = n
            return rows
        """,
        "wrong.py:5: a change of `rows[k][0]` cannot stand in the `if` in line 4, which a Value decides; give what is "
        "changed a name first, as in `one = ...`",
    ),
    (
        """
        def f(n):
            m = object()
            if n > 0:
                m = object()
            return m
        """,
        "wrong.py:3: 'm' is a object in 'then', and another one in 'otherwise' of `if in line 3`: these are two objects; give "
        "the same one in all branches, or make Values of it before: only numbers and texts become constants",
    ),
    (
        """
        def f(n):
            m = object()
            for i in range(n):
                m = object()
            return m
        """,
        "wrong.py:3: 'm' is a object before an iteration of `for in line 3`, and another one after it: these are two "
        "objects; keep one type; what is neither a number nor a text must stay what it is",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = print
            else:
                m = len
            return m
        """,
        "wrong.py:2: 'm' is 'print' (a builtin_function_or_method) in 'then', but 'len' (a builtin_function_or_method) "
        "in 'otherwise' of `if in line 2`; call it in each branch, or write functions with `def`",
    ),
    (
        """
        def f(n):
            if n > 0:
                return n
        """,
        "wrong.py:2: the return value is a Value of type i64 in 'then', but None in 'otherwise' of `if in line 2`; "
        "return a value on every path",
    ),
    (
        """
        async def f(n):
            return n
        """,
        "wrong.py:1: 'f' is asynchronous; describe a pipeline in a plain `def`",
    ),
    (
        """
        def f(n):
            if n > 0:
                m = n
            n = n + 1
            m += 1
            return m
        """,
        "wrong.py:2: 'm' has no value after `if in line 2`: the branch 'otherwise' does not "
        "assign it; assign it in every "
        "branch, or before",
    ),
    (
        """
        def f(n):
            m = None
            while n > 0:
                n = n - 1
                m = n
            return m
        """,
        "wrong.py:3: 'm' is None before an iteration of `while in line 3`, but a Value of type i64 after it; begin with "
        "a value of that type; None cannot be a value of a sample",
    ),
]


@pytest.mark.parametrize("source, message", WRONG, ids=range(len(WRONG)))
def test_errors_say_what_where_and_what_to_do(source, message):
    function = function_of(textwrap.dedent(source).lstrip(), "f", "wrong")
    graph = Graph()
    n = graph.input()
    with pytest.raises(RewriteError) as error:
        with describing(graph):
            result = rewrite(function)(n)
            list(result)  # of a generator
    assert str(error.value) == message
    assert (error.value.filename, error.value.lineno) == ("wrong.py", int(message.split(":")[1]))
    assert not graph.open and graph.now == [graph.top], "the graph stays usable"


def wrapped(function):
    import functools

    return functools.wraps(function)(lambda *args: function(*args))


def no_source():
    scope = {}
    exec("def f(n): return not n", scope)
    return scope["f"]


def test_a_function_that_does_not_branch_needs_no_source():
    scope = {}
    exec("def f(n): return n + 1", scope)
    assert rewrite(scope["f"]) is scope["f"]


def source_has_changed():
    function = function_of("def f(n): return not n", "f", "changed")
    function_of("# a new line\ndef f(n): return not n", "f", "changed")
    return function


def two_lambdas():
    return [lambda x: not x, lambda x: x and 1][0]


def test_functions_of_one_line_are_told_apart():
    first, second = lambda x: not x, lambda x: x and 1
    assert rewrite(first)(0) is True and rewrite(second)(2) == 1


UNFIT = [
    (lambda: wrapped(two_lambdas), "a decorator has wrapped 'two_lambdas', and what it wraps cannot be rewritten from outside"),
    (no_source, "its source is not available, so that the control flow of 'f' cannot be read; define it in a file"),
    (source_has_changed, "changed.py:1: its source has changed since it was imported, so that"),
]


@pytest.mark.parametrize("make, message", UNFIT, ids=[row[0].__name__ for row in UNFIT])
def test_functions_that_cannot_be_read(make, message):
    with pytest.raises(RewriteError) as error:
        rewrite(make())
    assert message in str(error.value)


def test_only_functions():
    with pytest.raises(TypeError, match="only functions and methods can be rewritten, not a int: 3; write a `def` that calls it"):
        rewrite(3)


def nested_loops(depth):
    lines = ["def f(n):"] + [" " * k + f"for i{k} in range(2):" for k in range(1, depth + 1)] + [" " * (depth + 1) + "n = n + 1"]
    return function_of("\n".join(lines), "f", "deep")


def test_more_blocks_than_python_compiles():
    depth = 20
    while True:
        try:
            function = nested_loops(depth)
        except SyntaxError:
            break
        depth += 1
    function = nested_loops(depth - 1)
    with pytest.raises(RewriteError, match="too many statically nested blocks; move a part of it into a function"):
        rewrite(function)


def test_an_error_comes_back_from_another_process():
    error = RewriteError("a.py", 3, "no")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.filename, again.lineno) == (str(error), "a.py", 3)
