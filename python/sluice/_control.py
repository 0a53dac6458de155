"""Choices and loops as function calls. The functions that @pipeline and @graph_function rewrite use the same code.

If the predicate, index or count is a plain Python value, it decides once, while the pipeline is described: one branch is
called, as in Python. If it is a Value, it decides for each sample: every branch is called once, to record its steps, and the
steps run for the samples that take it. Branches and bodies return structures: a Value, a plain number or str, or tuples,
lists, dicts, named tuples and dataclasses of them.

Threads: call them on the thread that describes the pipeline. Errors: BuildError. Exceptions from a branch pass through
unchanged. In both cases the graph removes the choice or loop and stays usable.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ._describing import current_graph, refuse, refusing
from ._merge import OpenChoice, BuildError, Loop, graph_of, is_plain_number, is_value, kind_of
from ._mutations import MutationDetector, Unseen, package_of
from ._structure import flatten, rebuild
from ._value import cure_of_condition, is_bool, is_number

__all__ = ["if_else", "cond", "select", "while_loop", "for_loop", "for_loop_collect", "all_of", "any_of", "not_", "apply_if"]

_RESULT = ""  # the name of a branch's only result; messages call it "the result"
_STATE = "the state"


def _give(branch: Any) -> Any:
    return branch() if callable(branch) else branch


def choose(graph: Any, name: str, branches: dict[str, Any], by: str, on: Any) -> Any:
    """Records a choice among branches, which are callables or their results. Returns the merged result."""
    choice = OpenChoice(graph, name, list(branches), by, on, ordered=False)
    try:
        watch = _watch(name, *branches.values())
        for branch in branches.values():
            choice.begin()
            given = _give(branch)
            _require_unchanged(name, watch)
            choice.end({_RESULT: given})
        return choice.close()[_RESULT]
    except BaseException as error:
        choice.abandon()
        refuse(error, graph)  # an `except` around it would apply to all samples
        raise


def _watch(name: str, *functions: Any) -> MutationDetector:
    """Watches the objects that the branches of a choice or the body of a loop can change."""
    try:
        watch = MutationDetector({f"function {k}": one for k, one in enumerate(functions) if callable(one)})
    except Unseen as unseen:
        raise BuildError(unseen.message(f"`{name}`")) from None
    frame = sys._getframe(1)
    while frame.f_back is not None and package_of(frame.f_globals.get("__name__")) == "sluice":
        frame = frame.f_back
    watch.warn_if_incomplete(f"`{name}`", frame.f_code.co_filename, frame.f_lineno, frame.f_globals)
    return watch


def _require_unchanged(name: str, watch: MutationDetector) -> None:
    changed = watch.changed()
    if changed is not None:
        raise BuildError(
            f"'{changed}' is changed by a function of `{name}`, so it would change for all samples; return the new value instead"
        )


@refusing(BuildError)
def if_else(predicate: Any, then: Any, otherwise: Any, name: str | None = None) -> Any:
    """Chooses between two branches for each sample.

    Parameters
    ----------
    predicate : Value or any
        A Value of bool or a number decides for each sample; zero is false. A plain Python value decides once, while the
        pipeline is described.
    then, otherwise : callable or structure
        The branches. A callable is called without arguments while the pipeline is described. Its steps run only for the
        samples that take the branch. Anything else is the result itself.
    name : str, default "if_else"
        The name of the choice in errors, paths and statistics.

    Returns
    -------
    structure
        The result of ``then`` if the predicate is true, otherwise that of ``otherwise``. Both have the same structure. Keys
        of dicts are in the order of the first one. A plain value that is the same in both stays a plain value. A plain
        number beside a Value takes its type, if nothing is lost.

    Raises
    ------
    BuildError
        If the branches return different structures or types.

    Examples
    --------
    >>> turned = sluice.if_else(ops.coin_flip(0.25), lambda: ops.rotate(image, angle), image)
    """
    if not is_value(predicate):
        return _give(then if predicate else otherwise)
    return choose(predicate.graph, name or "if_else", {"then": then, "otherwise": otherwise}, "truth", predicate)


cond = if_else  # its name in PyTorch and JAX


@refusing(BuildError)
def select(index: Any, branches: Sequence, names: Sequence[str] | None = None, name: str | None = None, *more: Any) -> Any:
    """Chooses one of several branches by number, for each sample.

    Parameters
    ----------
    index : Value or int
        The number of the branch, from 0. A Value is a whole number that decides for each sample; if it is out of range, the
        sample fails. A plain int decides once; if it is out of range, it raises IndexError.
    branches : sequence of callables or structures
        At least one; each as in `if_else`.
    names : sequence of str, optional
        A name for each branch. By default "branch 0", "branch 1", and so on.
    name : str, default "select"
        The name of the choice in errors, paths and statistics.

    Returns
    -------
    structure
        The result of the branch, as in `if_else`.

    Raises
    ------
    BuildError
        If there are no branches, if the numbers of names and branches differ, if two names are the same, or if the branches
        return different structures or types.

    Examples
    --------
    >>> image = sluice.select(ops.choice_index([1, 1, 1]), [image, lambda: ops.gaussian_blur(image), lambda: ops.invert(image)])
    """
    if more or callable(branches) or is_value(branches) or isinstance(branches, (str, dict)) or not isinstance(branches, Iterable):
        raise BuildError("`select`: the branches are one list; write sluice.select(index, [first, second, ...])")
    branches = list(branches)
    called = name or "select"
    if not branches:
        raise BuildError(f"`{called}` has no branches; give at least one")
    names = [f"branch {k}" for k in range(len(branches))] if names is None else list(names)
    if len(names) != len(branches):
        raise BuildError(f"`{called}` has {len(branches)} branches, but {len(names)} names; give one name for each branch")
    if len(set(names)) < len(names):
        twice = next(one for one in names if names.count(one) > 1)
        raise BuildError(f"`{called}` has two branches of the name '{twice}'; give each branch a name of its own")
    if is_value(index):
        return choose(index.graph, called, dict(zip(names, branches)), "number", index)
    if not hasattr(index, "__index__"):
        raise BuildError(f"`{called}` chooses by a whole number, not by {kind_of(index)}")
    if not 0 <= index < len(branches):
        raise IndexError(f"the index of `{called}` is {index}, but the branches are numbered 0 to {len(branches) - 1}")
    return _give(branches[index])


def apply_if(predicate: Any, value: Any, change: Callable[[Any], Any], name: str | None = None) -> Any:
    """Returns `change(value)` if the predicate is true, otherwise the unchanged value.

    Parameters
    ----------
    predicate : Value or any
        As in `if_else`.
    value : structure
        The value to change.
    change : callable
        Takes the value and returns one of the same structure and types.
    name : str, default "apply_if"
        The name of the choice in errors, paths and statistics.

    Examples
    --------
    >>> image = sluice.apply_if(ops.coin_flip(0.5), image, ops.flip)
    """
    return if_else(predicate, lambda: change(value), value, name or "apply_if")


def side(x: Any, side: str, of: str) -> Any:
    """Checks a side of `and` or `or`: a Value of bool, or a plain bool."""
    if is_value(x) and x.type == "bool":
        return x
    if is_number(x) and is_bool(x):
        return bool(x)
    cure = cure_of_condition(x) if is_value(x) or is_plain_number(x) else "give a bool"
    raise BuildError(f"the {side} side of `{of}` is {kind_of(x)}, not a bool; {cure}")


@refusing(BuildError)
def all_of(a: Any, b: Any, name: str | None = None) -> Any:
    """Logical and, for each sample. The right side runs only for samples whose left side is true.

    Parameters
    ----------
    a : Value of bool, or any plain value
        The left side.
    b : callable, Value of bool, or bool
        The right side. A callable is called once, to record its steps.
    name : str, default "all_of"
        The name of the choice in errors, paths and statistics. Its branches are "right side" and "decided".

    Returns
    -------
    Value of bool
        If `a` is a plain value: the result of Python's `a and b`.

    Raises
    ------
    BuildError
        If a side is not a bool.

    Examples
    --------
    >>> dark_and_large = sluice.all_of(pixels >= 200000, lambda: ops.mean(ops.decode_jpeg(jpeg)) < 100)
    """
    if not is_value(a):
        return _give(b) if a else a
    name = name or "all_of"
    right = lambda: side(_give(b), "right", name)  # noqa: E731
    return choose(a.graph, name, {"right side": right, "decided": False}, "truth", side(a, "left", name))


@refusing(BuildError)
def any_of(a: Any, b: Any, name: str | None = None) -> Any:
    """Logical or, for each sample. The right side runs only for samples whose left side is false.

    Parameters, result and errors are those of `all_of`. The default name is "any_of".

    Examples
    --------
    >>> odd_one = sluice.any_of(width < 32, lambda: height < 32)
    """
    if not is_value(a):
        return a if a else _give(b)
    name = name or "any_of"
    right = lambda: side(_give(b), "right", name)  # noqa: E731
    return choose(a.graph, name, {"decided": True, "right side": right}, "truth", side(a, "left", name))


def not_(a: Any) -> Any:
    """Logical not, for each sample.

    Parameters
    ----------
    a : Value of bool or of a number, or any plain value
        Zero is false.

    Returns
    -------
    Value of bool
        If `a` is a plain value: the result of Python's `not a`.

    Examples
    --------
    >>> kept = sluice.not_(ops.coin_flip(0.1))
    """
    return a.graph.operator("not", a) if is_value(a) else not a


def truth(x: Any) -> Any:
    """Converts a Value of a bool or a number to bool."""
    return x if x.type == "bool" else x.graph.operator("not_equal", x, 0)


def _call(function: Callable, *args: Any) -> Any:
    """Calls a function with the state as its last argument; a tuple is unpacked."""
    *before, state = args
    return function(*before, *state) if type(state) is tuple else function(*before, state)


def _check_most(name: str, most: Any) -> None:
    if isinstance(most, bool) or not hasattr(most, "__index__") or most < 1:
        raise BuildError(f"max_iterations of `{name}` is {most!r}; give a whole number of at least 1")
    _check_fits(most, f"max_iterations of `{name}`")


def _check_fits(number: Any, what: str) -> None:
    if not -(2**63) <= number < 2**63:
        raise BuildError(f"{what} is {number}, which does not fit into i64")


def _check_functions(name: str, call: str, **functions: Any) -> None:
    for parameter, function in functions.items():
        if not callable(function):
            raise TypeError(f"`{name}`: {parameter} must be a function (got {function!r}); write sluice.{call}")


def _goes_on(name: str, most: int) -> RuntimeError:
    return RuntimeError(f"`{name}` goes on after {most} iterations; raise max_iterations if it should")


def _loop(graph: Any, name: str, most: int, init: Any) -> Loop:
    _check_most(name, most)
    return Loop(graph, name, most, {_STATE: init}, ordered=False)


def _run(loop: Loop, condition: Callable, body: Callable, *called: Callable) -> Any:
    """Records a loop. `called` are the user's functions that `condition` and `body` call."""
    graph = loop.graph
    watch = _watch(loop.name, *called)
    try:
        while True:
            state = loop.open()[_STATE]
            graph.begin_condition()
            holds = condition(loop.iteration, state)
            if is_value(holds):
                holds = truth(holds)
            elif is_number(holds):
                holds = graph.constant(bool(holds))
            else:
                raise BuildError(f"the condition of `{loop.name}` gives {kind_of(holds)}; give a bool or a number")
            graph.end_condition(holds)
            graph.begin_body()
            following = body(loop.iteration, state)
            _require_unchanged(loop.name, watch)
            if loop.end({_STATE: following}):
                return loop.close()[_STATE]
    except BaseException as error:
        loop.abandon()
        refuse(error, graph)
        raise


@refusing(BuildError)
def while_loop(
    init: Any, condition: Callable, body: Callable, max_iterations: int = 1_000_000, name: str | None = None
) -> Any:
    """Repeats the body while the condition is true. Each sample makes its own number of iterations.

    Parameters
    ----------
    init : structure
        The state before the first iteration. Plain numbers become constants of the type that the body returns for them.
    condition : callable
        Takes the state and returns a bool or a number. It runs before each iteration.
    body : callable
        Takes the state and returns the next one, of the same structure and types. If the state is a tuple, both callables
        get its elements as separate arguments.
    max_iterations : int, default 1_000_000
        At least 1. A sample whose condition is still true after this many iterations fails.
    name : str, default "while_loop"
        The name of the loop in errors, paths and statistics.

    Returns
    -------
    structure
        The state after the last iteration. Without a Value and outside a pipeline, the loop runs at once.

    Raises
    ------
    BuildError
        If the body returns another structure or type than the state has.

    Examples
    --------
    >>> quality, jpeg = sluice.while_loop(
    ...     (95, encode(95)),
    ...     lambda q, jpeg: sluice.all_of(q > 5, lambda: size(jpeg) > budget),
    ...     lambda q, jpeg: (q - 10, encode(q - 10)),
    ... )
    """
    graph = graph_of(init)
    name = name or "while_loop"
    _check_functions(name, "while_loop(init, condition, body)", condition=condition, body=body)
    if graph is None:
        _check_most(name, max_iterations)
        state = init
        for _ in range(max_iterations):
            if not _call(condition, state):
                return state
            state = _call(body, state)
        if _call(condition, state):
            raise _goes_on(name, max_iterations)
        return state
    loop = _loop(graph, name, max_iterations, init)
    return _run(loop, lambda _, state: _call(condition, state), lambda _, state: _call(body, state), condition, body)


def _check_count(count: Any, name: str) -> None:
    whole = count.type in WHOLE if is_value(count) else hasattr(count, "__index__")
    if not whole:
        raise BuildError(f"the count of `{name}` is {kind_of(count)}; give a whole number, with x.cast('i64') if need be")


def _counted(graph: Any, count: Any, name: str, max_iterations: int | None, init: Any) -> tuple[Loop, Callable]:
    """Returns the loop and its condition."""
    most = max_iterations
    if most is None:
        most = 1_000_000 if is_value(count) else max(1, int(count))
        _check_fits(most, f"the count of `{name}`")
    elif not is_value(count):
        _check_most(name, most)
        if int(count) > most:
            raise BuildError(f"`{name}` goes round {int(count)} times, but max_iterations is {most}; raise it, or leave it out")
    return _loop(graph, name, most, init), lambda i, _: graph.operator("less", i, count)


def _plain_range(count: Any, name: str, max_iterations: int | None) -> range:
    if max_iterations is not None:
        _check_most(name, max_iterations)
        if int(count) > max_iterations:
            raise _goes_on(name, max_iterations)
    return range(count)


@refusing(BuildError)
def for_loop(count: Any, init: Any, body: Callable, max_iterations: int | None = None, name: str | None = None) -> Any:
    """Repeats the body `count` times. The count may differ from sample to sample.

    Parameters
    ----------
    count : Value or int
        A whole number. Negative numbers count as 0.
    init : structure
        The state before the first iteration, as in `while_loop`.
    body : callable
        Takes the number of the iteration, from 0, and the state, and returns the next state. If the state is a tuple, the
        body gets its elements as separate arguments: `body(i, a, b)`.
    max_iterations : int, optional
        A sample with a larger count fails. By default 1,000,000 for a Value, and no limit for a plain count.
    name : str, default "for_loop"
        The name of the loop in errors, paths and statistics.

    Returns
    -------
    structure
        The state after the last iteration. Without a Value and outside a pipeline, the loop runs at once.

    Raises
    ------
    BuildError
        As in `while_loop`, if the count is not a whole number, or if a plain count is larger than `max_iterations`.
    RuntimeError
        If a plain count is larger than `max_iterations` outside a pipeline.

    Examples
    --------
    >>> image = sluice.for_loop(ops.choice_index([1, 1, 1]), image, lambda i, image: ops.gaussian_blur(image))
    """
    graph = graph_of(count, init)
    name = name or "for_loop"
    _check_functions(name, "for_loop(count, init, body)", body=body)
    _check_count(count, name)
    if graph is None:
        state = init
        for k in _plain_range(count, name, max_iterations):
            state = _call(body, k, state)
        return state
    loop, goes_on = _counted(graph, count, name, max_iterations, init)
    return _run(loop, goes_on, lambda i, state: _call(body, i, state), body)


@refusing(BuildError)
def for_loop_collect(
    count: Any, init: Any, body: Callable, max_iterations: int | None = None, name: str | None = None, reverse: bool = False
) -> tuple:
    """Repeats the body as `for_loop` does, and collects a list with one element for each iteration.

    Parameters
    ----------
    count, init, max_iterations, name
        As in `for_loop`. The default name is "for_loop_collect".
    body : callable
        As in `for_loop`, but it returns a tuple of two: the next state, and the element to collect. If the element is a
        structure, each part gets its own list.
    reverse : bool, default False
        If True, the last element comes first.

    Returns
    -------
    state : structure
        The state after the last iteration.
    list : structure of Value
        The list, as long as the sample has iterations: a Value of type "list of f32", for instance. In a batch it is a
        Python list. Without a Value and outside a pipeline, both are computed at once.

    Raises
    ------
    BuildError
        As in `for_loop`, if the body does not return a tuple of two, or if a list cannot hold the element.

    Examples
    --------
    >>> image, means = sluice.for_loop_collect(3, image, lambda i, image: (ops.gaussian_blur(image, sigma=2), ops.mean(image)))
    """
    name = name or "for_loop_collect"
    _check_functions(name, "for_loop_collect(count, init, body)", body=body)
    graph = graph_of(count, init) or current_graph()
    _check_count(count, name)

    def two(given: Any) -> tuple:
        if type(given) is not tuple or len(given) != 2:
            raise BuildError(f"the body of `{name}` gives {kind_of(given)}; give two things: the next state, and what to keep")
        return given

    if graph is None:
        state, rows, shape = init, [], None
        for k in _plain_range(count, name, max_iterations):
            state, kept = two(_call(body, k, state))
            leaves, shape = flatten(kept)
            rows.append(leaves)
        lists = [list(column)[:: -1 if reverse else 1] for column in zip(*rows)]
        return state, rebuild(shape, lists) if rows else []
    loop, goes_on = _counted(graph, count, name, max_iterations, init)
    shapes = []

    def keeping(i: Any, state: Any) -> Any:
        following, kept = two(_call(body, i, state))
        leaves, shape = flatten(kept)
        loop.keep([_to_keep(graph, x, name) for x in leaves])
        shapes.append(shape)
        return following

    state = _run(loop, goes_on, keeping, body)
    lists = [graph.operator("reverse", one) for one in loop.lists] if reverse else loop.lists
    return state, rebuild(shapes[-1], lists)


def _to_keep(graph: Any, x: Any, name: str) -> Any:
    """Returns the element as a Value that a list can hold."""
    if not is_value(x):
        try:
            x = graph.constant(x)
        except TypeError as error:
            raise BuildError(f"`{name}` cannot keep {kind_of(x)}: {error}") from None
    if x.type == "bool":
        raise BuildError(f"`{name}` cannot keep a Value of type bool; cast it, as in x.cast('u8')")
    if x.type == "object" or x.type.startswith("list of "):
        raise BuildError(f"`{name}` cannot keep {kind_of(x)}; keep numbers, texts, bytes, images, tensors or rectangles")
    return x


WHOLE = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
