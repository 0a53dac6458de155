"""Runtime: the calls that a rewritten function makes at each `if`, loop and logical expression.

A rewritten function runs its statements in their place. If a plain Python value decides, they run as before. If a Value
decides, both branches run, one after the other, and each is recorded as a branch of the graph. Between them the function's
variables are restored; after them, they hold what the branches have in common. So a body needs no function of its own, and
`break`, `return` and closures keep their meaning.

`Runtime` belongs to one rewritten function and everything defined inside it; it is the cell `_sluice_` of their closures.

Threads: those of the description. Errors: RewriteError; `guard` lets the graph forget what an exception leaves open.
"""

import builtins
import dis
import functools
import re
import sys
import threading
import types
from collections.abc import Callable, Iterable
from typing import Any

from ._alias import reachable
from ._arrays import library_of_arrays, require_no_value
from ._control import WHOLE, choose, for_loop_collect, not_, side, truth
from ._describing import RewriteError, current_graph, refuse
from ._identity import is_instance, is_same, require_no_class, require_no_text, text_of
from ._merge import UNBOUND, OpenChoice, BuildError, Loop, Unset, is_value, kind_of, unbound
from ._mutations import NOTHING, Assigned, MutationDetector, Unseen, kind_of_dict, store, stored
from ._names import IN_PLACE, IN_TRY, RESULT
from ._structure import flatten


class Site:
    """A construct of the source, as the rewriter found it.

    Attributes
    ----------
    kind : str
        "if", "while", "for", "match", "and", "or", "conditional expression", ...
    line : int
    names : tuple of str
        The names that its branches or its body assign; results of `end` and its like are in this order.
    live : set of str
        What is read after it, or from its head on.
    obstacles : list of (line, construct, cure)
        What it must not hold when a Value decides.
    places : list of (path, attribute)
        What it changes in place.
    reads, mentioned : sets of str
        `reads`: the names that its branches or its body read. `mentioned`: also the attributes that they name.
    cases : list of list of int or None
        Of a `match`: the numbers of each case, None for `_`; or None, where a Value cannot be matched.
    asks : str
        A pattern of a `match`, `True` or `int()` say, that no Value takes.
    """

    def __init__(self, kind: str, line: int):
        self.kind = kind
        self.line = line
        self.names: tuple[str, ...] = ()
        self.live: set[str] = set()
        self.obstacles: list[tuple[int, str, str]] = []
        self.places: list[tuple] = []
        self.reads: set[str] = set()
        self.mentioned: set[str] = set()
        self.cases: list | None = None
        self.asks = ""

    @property
    def name(self) -> str:
        return f"{self.kind} in line {self.line}"


_thread = threading.local()


def _open() -> list:
    """Returns the choices and loops that are being described on this thread."""
    return _thread.__dict__.setdefault("open", [])


# The names of the class Value in errors of Python and its library about an argument.
_OF_A_VALUE = re.compile(r"'(sluice\._value\.)?Value'|\b(not|type) Value\b|\bValue (found|object)\b")


class guard:
    """A context for code in which an exception may leave a choice or loop open, also for the body of a `try`.

    Who catches the exception is not known there; where somebody does, the description must not go on as if nothing had been.
    """

    def __enter__(self) -> None:
        self.depth = len(_open())

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        left = _open()[self.depth] if len(_open()) > self.depth else None
        graph = left.graph if left else current_graph()
        if left:
            refuse(left.left_by_exception(), graph)
        elif isinstance(error, TypeError) and _OF_A_VALUE.search(str(error)):
            refuse(error)
        try:
            if error is None and graph is not None:
                graph.aliases.require_unchanged()
            if error is None and graph is not None and graph.refused is not None:
                raise graph.refused
        finally:
            self.forget()

    def forget(self) -> None:
        while len(_open()) > self.depth:
            _open().pop().abandon()


class Place:
    """A place that a construct changes: an attribute of an object, or the contents of a list or dict.

    It reads and writes what is stored, so that no setter and no method of the user's class runs again.
    """

    def __init__(self, label: str, owner: Any, attribute: str | None):
        self.label = label
        self.owner = owner
        self.attribute = attribute
        self.inherited = NOTHING  # the class's attribute of this name, if the object itself has none
        if attribute is not None and stored(owner, attribute) is NOTHING:
            self.inherited = getattr(type(owner), attribute, NOTHING)

    def get(self) -> Any:
        if self.attribute is None:
            if isinstance(self.owner, dict):
                kind = kind_of_dict(self.owner)
                return dict(zip(kind.keys(self.owner), kind.values(self.owner)))
            return list.copy(self.owner)
        held = stored(self.owner, self.attribute)
        if held is not NOTHING:
            return held
        kind = type(self.owner)
        if _runs_python(kind, "__setattr__") and not hasattr(kind, self.attribute) and hasattr(self.owner, self.attribute):
            raise BuildError(
                f"'{self.label}' is assigned here by the __setattr__ of {kind.__name__}, which stores it elsewhere, so that the change "
                "cannot be followed; assign a local variable here, and the attribute after"
            )
        return getattr(self.owner, self.attribute, UNBOUND)

    def set(self, content: Any) -> None:
        if self.attribute is not None:
            store(self.owner, self.attribute, NOTHING if content is UNBOUND or content is self.inherited else content)
        elif isinstance(self.owner, dict):
            kind = kind_of_dict(self.owner)
            kind.clear(self.owner)
            for key, x in content.items():
                kind.__setitem__(self.owner, key, x)
        else:
            list.__setitem__(self.owner, slice(None), content)


def _runs_python(kind: type, *hooks: str) -> bool:
    """True if one of these methods of a class is a function of Python."""
    return any(isinstance(getattr(kind, hook, None), types.FunctionType) for hook in hooks)


def _written(owner: Any, attribute: str) -> list[str] | None:
    """Returns the attributes that `owner.attribute = x` stores; None if that is not known."""
    described = next((vars(one)[attribute] for one in type(owner).__mro__ if attribute in vars(one)), None)
    if isinstance(described, property):
        setter, further = described.fset, []
        if setter is None:  # the assignment raises an exception
            return []
    elif _runs_python(type(described), "__set__"):
        setter, further = type(described).__set__, [attribute, f"_{attribute}"]
    else:
        return [attribute]
    code = getattr(setter, "__code__", None)
    if code is None:
        return None
    names = [one.argval for one in dis.get_instructions(code) if one.opname == "STORE_ATTR" and one.argval != attribute]
    further += [one for one in code.co_consts if isinstance(one, str)]
    names += [name for name in further if stored(owner, name) is not NOTHING]
    found: list[str] = []
    for name in dict.fromkeys(names):
        found += [name] if name == attribute else _written(owner, name) or []
    return found or None


class _Described:
    """A construct that a Value decides. Stores the names and places before it, and restores them."""

    def __init__(self, runtime: "Runtime", site: Site, graph: Any):
        self.runtime = runtime
        self.site = site
        self.graph = graph
        for line, construct, cure in site.obstacles:
            raise runtime.error(
                line, f"{construct} cannot stand in the `{site.kind}` in line {site.line}, which a Value decides; {cure}"
            )

    def keep(self, scope: dict, frame: Any = None) -> None:
        """`frame` is the frame of the rewritten function; by default the caller's."""
        self.before = {name: scope.get(name, UNBOUND) for name in self.site.names}
        code = (frame or sys._getframe(1)).f_code
        outside = self.runtime.outer.intersection(code.co_freevars)
        for name in self.site.names:
            if name in outside:
                raise self.runtime.changes_outside(self.site, name)
        self.places = self.runtime.places(self.site, scope, outside)
        self.contents = self._contents()
        left_out = [(place.owner, place.attribute) for place in self.places]
        self.watch = self.runtime.watch(self.site, scope, left_out, Assigned(code, self.before, self.site.names))

    def now(self, scope: dict) -> dict:
        """Returns the contents of the live names and the places."""
        held = {_label(name): scope.get(name, UNBOUND) for name in self.site.names if name in self.site.live}
        return held | self._contents()

    def _contents(self) -> dict:
        with self.runtime.located(self.site):
            return {place.label: place.get() for place in self.places}

    def back(self) -> tuple:
        """Restores the places; returns the old contents of the names."""
        for place in self.places:
            place.set(self.contents[place.label])
        self.graph.aliases.enter(self.graph.aliases.now)
        self.runtime.require_unchanged(self.site, self.watch.changed())
        return tuple(unbound(name) if x is UNBOUND else x for name, x in self.before.items())

    def after(self, merged: dict, frame: types.FrameType) -> tuple:
        """Sets the places to their contents after the construct; returns the contents of the names of the frame."""
        lost = []
        for place in self.places:
            content = merged.get(place.label, self.contents[place.label])
            if isinstance(content, Unset) and not content.unbound:
                lost.append((place, content))
            else:
                place.set(content)
        names = tuple(self._after(name, merged) for name in self.site.names)
        aliases = self.graph.aliases
        aliases.inherited += [
            (type(place.owner), place.attribute, place.inherited)
            for place in self.places
            if place.inherited is not NOTHING and place.inherited is self.contents[place.label]
        ]
        # Branches may disagree about a container that is no longer reachable, because its name was
        # reassigned.
        found = reachable(frame, self.runtime.dead(self.site, frame), aliases.base, names) if lost else ()
        for place, content in lost:
            if id(place.owner) in found:
                raise self.runtime.error(self.site.line, str(content.error))
        aliases.enter(aliases.now)
        return names

    def _after(self, name: str, merged: dict) -> Any:
        held = merged.get(_label(name), UNBOUND)
        if not isinstance(held, Unset):
            return held
        if held.unbound:
            return self.left_out(name)
        return held if isinstance(held.error, RewriteError) else self.unset(str(held.error))

    def unset(self, message: str) -> Unset:
        """Returns a placeholder for a name without a value: reading the name raises the error."""
        return Unset(RewriteError(self.runtime.filename, self.site.line, message))

    def left_out(self, name: str) -> Any:
        """Returns a placeholder for a name that has no value after the construct."""
        return unbound(name)

    def enter(self) -> None:
        _open().append(self)

    def require_innermost(self) -> None:
        """Raises RewriteError if something that began in here has not ended."""
        if _open()[-1] is not self:
            raise _open()[_open().index(self) + 1].left_by_exception()

    def left_by_exception(self) -> RewriteError:
        return self.runtime.error(
            self.site.line,
            f"an exception left this `{self.site.kind}`, which a Value decides, and was caught outside of it, so that it would decide "
            f"for all samples; catch it inside the `{self.site.kind}`, or let a function of sluice.map raise it",
        )

    def leave(self) -> None:
        left = _open().pop()
        if left is not self:
            raise RuntimeError(f"sluice: left a {type(left).__name__}, not the {type(self).__name__} that was entered last")


class Choice(_Described):
    """An `if` or a `match` on a Value."""

    def __init__(self, runtime: "Runtime", site: Site, branches: list[str], by: str, on: Any):
        super().__init__(runtime, site, on.graph)
        with runtime.located(site):
            self.opened = OpenChoice(on.graph, site.name, branches, by, on)
        self.kept = False
        self.enter()

    def abandon(self) -> None:
        self.opened.abandon()

    def begin(self, scope: dict) -> bool:
        if not self.kept:
            self.keep(scope, sys._getframe(1))
            self.kept = True
        self.opened.begin()
        return True

    def end(self, scope: dict) -> tuple:
        self.require_innermost()
        self.opened.end(self.now(scope))
        back = self.back()
        if len(self.opened.given) < len(self.opened.branches):
            return back
        with self.runtime.located(self.site):
            merged = self.opened.close({place.label for place in self.places})
        self.leave()
        return self.after(merged, sys._getframe(1))


_HOLDS = "the condition"


class Repeat(_Described):
    """A loop on a Value. The `while` or `for` of Python runs once, or again if types were guessed wrong."""

    traced = True

    def __init__(self, runtime: "Runtime", site: Site, graph: Any):
        super().__init__(runtime, site, graph)
        self.loop: Loop | None = None

    def abandon(self) -> None:
        self.loop.abandon()

    def open(self, scope: dict | None, more: dict) -> tuple:
        """Returns the contents of the names in an iteration. `more` is further state."""
        if self.loop is None:
            if scope is not None:
                self.keep(scope, sys._getframe(2))
            begin = {_label(name): x for name, x in self.before.items() if name in self.site.live}
            begin = {name: x for name, x in (begin | self.contents | more).items() if not isinstance(x, Unset)}
            self.loop = Loop(self.graph, self.site.name, self.runtime.max_iterations, begin)
        else:
            self.back()
        with self.runtime.located(self.site):
            self.state = self.loop.open()
        self.enter()
        self.graph.begin_condition()
        self.graph.end_condition(self.holds())
        self.graph.begin_body()
        inside = self.before | {name: self.state[_label(name)] for name in self.site.names if _label(name) in self.state}
        for place in self.places:
            place.set(self.state.get(place.label, self.contents[place.label]))
        self.graph.aliases.enter(self.graph.aliases.now)
        return tuple(unbound(name) if x is UNBOUND else x for name, x in inside.items())

    def end(self, scope: dict, more: dict) -> bool:
        """Ends the body. Returns False if it must be described again."""
        self.require_innermost()
        following = self.now(scope) | more
        begun = {name: following[name] for name in self.state}
        lost = [name for name, x in begun.items() if isinstance(x, Unset)]
        if lost:
            raise self.runtime.error(
                self.site.line, f"'{lost[0]}' has a value before an iteration, but none after it; give it one on every path"
            )
        with self.runtime.located(self.site):
            done = self.loop.end(begun)
        if not done:
            self.leave()
        return done

    def close(self) -> tuple:
        self.back()
        with self.runtime.located(self.site):
            merged = self.loop.close()
        self.leave()
        return self.after(merged, sys._getframe(2))

    def left_out(self, name: str) -> Any:
        return self.unset(
            f"'{name}' has no value after `{self.site.name}`: only the body assigns it, which may never run; assign it before "
            "the loop"
        )


class While(Repeat):
    """`while` on a Value. The state stores the condition's result, so that it is evaluated once for each iteration."""

    def __init__(self, runtime: "Runtime", site: Site):
        self.runtime, self.site = runtime, site
        self.loop = None
        self.traced = False

    def holds_first(self, test: Any) -> bool:
        if not is_value(test):
            return True if test else False
        super().__init__(self.runtime, self.site, test.graph)
        self.traced = True
        self.first = truth(test)
        return True

    def ask(self, test: Any, scope: dict | None) -> bool:
        """True if Python runs the body. `scope` is None as long as plain values decide."""
        if not self.traced:
            return self.holds_first(test)
        if is_value(test):
            test = truth(test)
        else:
            test = True if test else False
        if not self.end(scope, {_HOLDS: test}):
            return True
        self.result = self.close()
        return False

    def enter_body(self, scope: dict) -> tuple:
        return self.open(scope, {_HOLDS: self.first})

    def holds(self) -> Any:
        return self.state[_HOLDS]


class Span:
    """The result of `range(...)` with a Value among its arguments: `count` numbers."""

    def __init__(self, runtime: "Runtime", site: Site, arguments: tuple):
        self.site = site
        self.graph = next(x for x in arguments if is_value(x)).graph
        for x in arguments:
            if x.type not in WHOLE if is_value(x) else not hasattr(x, "__index__"):
                raise runtime.error(site.line, f"range() is given {kind_of(x)}; give whole numbers, with x.cast('i64') if need be")
        # Differences could overflow in narrow or unsigned types.
        arguments = tuple(x.cast("i64") if is_value(x) and x.type != "i64" else x for x in arguments)
        self.start, stop, self.step = (0, arguments[0], 1) if len(arguments) == 1 else (*arguments, 1)[:3]
        if not is_value(self.step) and self.step == 0:
            raise ValueError("range() arg 3 must not be zero")
        self.count = self._trips(self.start, stop, self.step)

    def _trips(self, start: Any, stop: Any, step: Any) -> Any:
        """Returns (stop - start) / step, rounded up. Division truncates, so step - sign(step) is added first."""
        do = self.graph.operator
        way = stop if not is_value(start) and start == 0 else do("subtract", stop, start)
        if is_value(step):
            sign = choose(self.graph, f"{self.site.name}: sign", {"up": 1, "down": -1}, "truth", do("greater", step, 0))
            return do("divide", do("add", way, do("subtract", step, sign)), step)
        if step == 1:
            return way if is_value(way) else self.graph.constant(way)
        return do("divide", do("add", way, step - (1 if step > 0 else -1)), step)

    def number(self, iteration: Any) -> Any:
        """Returns the number of an iteration."""
        if is_value(self.step) or self.step != 1:
            iteration = self.graph.operator("multiply", iteration, self.step)
        if is_value(self.start) or self.start != 0:
            iteration = self.graph.operator("add", iteration, self.start)
        return iteration


class Count(Repeat):
    """`for i in range(...)` with a Value among its arguments."""

    def __init__(self, runtime: "Runtime", site: Site, arguments: tuple):
        super().__init__(runtime, site, next(x for x in arguments if is_value(x)).graph)
        self.span = Span(runtime, site, arguments)
        self.done = False

    def __iter__(self) -> "Count":
        return self

    def __next__(self) -> Any:
        if self.done:
            raise StopIteration
        return None  # the iteration's number is only known once the loop is open

    def holds(self) -> Any:
        return self.span.graph.operator("less", self.loop.iteration, self.span.count)

    def enter_body(self) -> tuple:
        """Returns the contents of the names, and the number for the target. Call it after `keep`."""
        names = self.open(None, {})
        return names, self.span.number(self.loop.iteration)

    def end_body(self, scope: dict) -> None:
        self.done = self.end(scope, {})
        if self.done:
            self.result = self.close()


class Lazy:
    """A logical or conditional expression: decides which operands are evaluated, and merges the results."""

    __slots__ = ("first", "second", "value", "choice", "runtime", "site", "frame", "names", "watch")

    def __init__(self, first: bool, second: bool, value: Any = None):
        self.first = first
        self.second = second
        self.value = value
        self.choice: Choice | None = None

    def give(self, x: Any) -> None:
        """Ends an operand with its value."""
        if self.choice is None:
            self.value = x
            return
        if self.site.kind in ("and", "or"):
            with self.runtime.located(self.site):
                x = side(x, "right", self.site.kind)
        self._branch(x)

    def _branch(self, x: Any) -> None:
        self.choice.require_innermost()
        opened = self.choice.opened
        self.runtime.require_unchanged(self.site, _rebound(self.names, self.frame.f_locals) or self.watch.changed())
        opened.end({"": x})
        if len(opened.given) < 2:
            opened.begin()
            if self.site.kind == "and":
                self._branch(False)
            return
        with self.runtime.located(self.site):
            self.value = opened.close()[""]
        self.frame = self.names = self.watch = None
        self.choice.leave()


class Runtime:
    """The object that the code of one rewritten function calls. `sites` are the constructs of its source."""

    locals = staticmethod(builtins.locals)
    guard = guard
    max_iterations = 1_000_000

    def __init__(self, filename: str, globals_: dict, function: types.FunctionType | None = None):
        """`function`: whose source it is, if that was not made in a description: its closure belongs to code outside of all."""
        self.filename = filename
        self.globals = globals_
        self.outer = frozenset() if function is None else frozenset(function.__code__.co_freevars)
        self.sites: list[Site] = []
        self.statements: list[tuple[int, frozenset[str]]] = []  # for each: its line, and the variables that are read from there on

    def __getstate__(self) -> dict:
        """Pickles only the globals that are used: a function is pickled without its module."""
        asked = {path[0] for site in self.sites for path, _ in site.places}
        used = {name: self.globals[name] for name in asked if name in self.globals}
        return {**self.__dict__, "globals": used}

    def error(self, line: int, message: str, cause: BaseException | None = None) -> BaseException:
        """Makes a refusal: describing fails with it, even if an `except` catches it."""
        return refuse(RewriteError(self.filename, line, message), cause=cause)

    def located(self, site: Site) -> "_Located":
        return _Located(self, site)

    @staticmethod
    def use(x: Any) -> Any:
        """Returns the value of a variable that is read."""
        if type(x) is Unset:
            # If the name has no value for any sample, Python's own error is raised, not a refusal.
            raise (x.error if x.unbound else refuse(x.error)).with_traceback(None)
        return x

    def statement(self, number: int) -> None:
        """Called before a statement that may change something in place."""
        graph = current_graph()
        if graph is not None:
            line, live = self.statements[number]
            frame = sys._getframe(1)
            graph.aliases.require_unchanged()
            graph.aliases.at = self.filename, line
            graph.aliases.forget_unreachable(frame, set(frame.f_locals) - live)

    @staticmethod
    def dead(site: Site, frame: types.FrameType) -> set[str]:
        """Returns the variables of the frame that a construct replaces, or that are not read after it."""
        return {name for name in frame.f_locals if name in site.names or name not in site.live}

    def changes_outside(self, site: Site, what: str) -> BaseException:
        """Makes the error for a change of something that outlives the description."""
        return self.error(
            site.line,
            f"'{what}' is made outside of this function and changed in this `{site.kind}`, which a Value decides, so that it would be "
            "changed once, for all samples; return what differs between samples; stats['branches'] counts the samples of each branch",
        )

    def places(self, site: Site, scope: dict, outside: frozenset[str]) -> list[Place]:
        """Returns the existing places that the construct changes. `outside` are variables of functions outside of the description."""
        found: dict[tuple, Place] = {}

        def add(label: str, owner: Any, attribute: str | None) -> None:
            label = f"{label}.{attribute}" if attribute is not None else f"the {type(owner).__name__} {label}"
            found.setdefault((id(owner), attribute), Place(label, owner, attribute))

        for path, attribute in site.places:
            owner = scope.get(path[0], self.globals.get(path[0], UNBOUND))
            label, is_outside = path[0], path[0] in outside or path[0] not in scope
            for kind, key in path[1:]:
                holder, before = owner, label
                label += f".{key}" if kind == "attribute" else f"[{key!r}]"
                try:
                    if kind == "attribute":
                        owner = getattr(owner, key)
                    else:  # a defaultdict would create the missing item
                        owner = dict.get(owner, key, UNBOUND) if isinstance(owner, dict) else owner[key]
                except (AttributeError, LookupError, TypeError):
                    owner = UNBOUND
                if owner is UNBOUND and kind == "item" and isinstance(holder, dict) and hasattr(holder, "__missing__"):
                    add(before, holder, None)  # reading the key creates it
            if isinstance(owner, Unset) or is_value(owner) or owner is UNBOUND:
                continue
            if is_outside and (attribute not in (None, IN_PLACE) or isinstance(owner, (list, dict))):
                raise self.changes_outside(site, label if attribute in (None, IN_PLACE) else f"{label}.{attribute}")
            if attribute in (None, IN_PLACE):
                if isinstance(owner, (list, dict)):
                    add(label, owner, None)
                elif isinstance(owner, set) or (attribute is None and hasattr(owner, "__setitem__")):
                    raise self.error(
                        site.line,
                        f"'{label}', a {type(owner).__name__}, is changed in this `{site.kind}`, which a Value decides; lists, dicts "
                        "and attributes may be changed there, anything else must be made anew",
                    )
                continue
            names = _written(owner, attribute)
            if names is None:
                raise self.error(
                    site.line,
                    f"'{label}.{attribute}' is assigned in this `{site.kind}`, which a Value decides, and its setter does not show "
                    "where it stores the value; assign a local variable here, and the attribute after",
                )
            for name in names:
                add(label, owner, name)
        return list(found.values())

    def watch(self, site: Site, scope: dict, left_out: Iterable = (), assigned: Assigned | None = None) -> MutationDetector:
        """Watches the objects that the branches or the body of a construct can change."""
        roots = {name: scope.get(name, self.globals.get(name, sys.modules.get(name))) for name in site.reads}
        try:
            watch = MutationDetector(roots, site.mentioned, left_out, assigned)
        except Unseen as unseen:
            raise self.error(
                site.line,
                unseen.message(f"this `{site.kind}`, which a Value decides,"),
            ) from None
        watch.warn_if_incomplete(f"this `{site.kind}`, which a Value decides,", self.filename, site.line, self.globals)
        return watch

    def require_unchanged(self, site: Site, changed: str | None) -> None:
        """Raises RewriteError if `changed` is a name."""
        if changed is not None:
            raise self.error(
                site.line,
                f"'{changed}' is changed in this `{site.kind}`, which a Value decides, in a way that cannot be followed, so that it would "
                "be changed for all samples; assign a new one, as in `x = x + [y]`, or change it by its own name: `x.append(y)`, "
                "`x[0] = y`, `x.y = z`; what samples do not depend on, such as a counter, change before this "
                f"`{site.kind}`, or keep in an attribute such as `self._cache`",
            )

    # Statements.
    def branch(self, number: int, test: Any) -> Any:
        """Returns True or False for a plain test, a Choice for a Value."""
        if not is_value(test):
            return True if test else False
        return Choice(self, self.sites[number], ["then", "otherwise"], "truth", test)

    def goes_on(self, number: int, flag: Any) -> bool:
        """Returns the flag of a `try` or `with`: False if it has returned."""
        if is_value(flag):
            raise self.error(self.sites[number].line, f"some samples return in this `try` or `with`, and others go on after it; {IN_TRY}")
        return flag

    def match(self, number: int, subject: Any) -> Any:
        """Returns -1 for a plain subject, a Choice for a Value."""
        site = self.sites[number]
        if not is_value(subject):
            if site.asks and any(map(is_value, flatten(subject)[0])):
                raise self.error(
                    site.line,
                    f"`match` on a structure with Values, and `case {site.asks}`, which asks Python about the Value itself; write an "
                    "`if` that compares",
                )
            return -1
        if site.cases is None or subject.type not in WHOLE:
            raise self.error(
                site.line,
                f"`match` on {kind_of(subject)}: a Value can be matched if it is a whole number, with cases of whole numbers, "
                "`|` and `_`; write an `if` for anything else",
            )
        branches = [f"case {' | '.join(map(str, case)) if case else '_'}" for case in site.cases]
        if site.cases[-1] is not None:
            branches.append("no case")
        return Choice(self, site, branches, "number", self._case(site, subject))

    def _case(self, site: Site, subject: Any) -> Any:
        """Returns the number of the first case that takes the subject."""
        name = f"{site.name}: case"
        last = next((k for k, case in enumerate(site.cases) if case is None), len(site.cases))
        tests = [(x, k) for k, case in enumerate(site.cases[:last]) for x in case]

        def rest(at: int) -> Any:
            if at == len(tests):
                return last
            x, branch = tests[at]
            found = subject.graph.operator("equal", subject, x)
            return choose(subject.graph, name, {"found": branch, "other": lambda: rest(at + 1)}, "truth", found)

        first = rest(0)
        return first if is_value(first) else subject.graph.constant(first)

    def loop(self, number: int) -> While:
        return While(self, self.sites[number])

    def range(self, number: int, function: Any, *arguments: Any) -> Iterable:
        if function is builtins.range and any(map(is_value, arguments)) and 1 <= len(arguments) <= 3:
            return Count(self, self.sites[number], arguments)
        return function(*arguments)

    def collect(self, number: int, function: Any, each: Callable, *arguments: Any) -> list | Any:
        """`[each(i) for i in function(*arguments)]`, where `function` has the name `range`."""
        if function is not builtins.range or not any(map(is_value, arguments)) or len(arguments) > 3:
            return [each(i) for i in function(*arguments)]
        site = self.sites[number]

        def element(iteration: Any) -> tuple:
            x = each(span.number(iteration))
            if flatten(x)[1] is not None:
                raise BuildError(
                    f"an element of this list is {kind_of(x)}; make a list of each part, or call sluice.for_loop_collect, which does"
                )
            return (), x

        frame = sys._getframe(1)  # the rewritten function's frame
        names = dict(frame.f_locals)
        with self.located(site):
            span = Span(self, site, arguments)
            collected = for_loop_collect(span.count, (), element, self.max_iterations, site.name)[1]
        self.require_unchanged(site, _rebound(names, frame.f_locals))
        return collected

    def range_of_plain(self, number: int, function: Any, *arguments: Any) -> Iterable:
        """`range(...)` of a comprehension of which the graph makes no loop."""
        found = next((x for x in arguments if is_value(x)), None)
        if found is not None and function is builtins.range:
            raise self.error(
                self.sites[number].line,
                f"a comprehension over range() of {kind_of(found)}: a list may be collected so, with one `for` of one name and "
                "without `if` and `:=`; write a loop for anything else",
            )
        return function(*arguments)

    def each(self, number: int, iterable: Any) -> Any:
        if is_value(iterable):
            raise self.error(
                self.sites[number].line,
                f"`for` over {kind_of(iterable)}: there is no sample yet that could be gone through; write `for i in "
                "range(count)`, or do it in a function of sluice.map",
            )
        return iterable

    @staticmethod
    def counts(x: Any) -> bool:
        return type(x) is Count

    # Expressions.
    def both(self, number: int, left: Any) -> Lazy:
        """`left and ...`"""
        if not is_value(left):
            return Lazy(bool(left), False, left)
        return self._lazy(number, left)

    def either(self, number: int, left: Any) -> Lazy:
        """`left or ...`"""
        if not is_value(left):
            return Lazy(not left, False, left)
        lazy = self._lazy(number, left)
        lazy._branch(True)
        return lazy

    def conditional(self, number: int, test: Any) -> Lazy:
        """`... if test else ...`"""
        if not is_value(test):
            holds = bool(test)
            return Lazy(holds, not holds)
        lazy = self._lazy(number, test)
        lazy.second = True
        return lazy

    def _lazy(self, number: int, on: Any) -> Lazy:
        site = self.sites[number]
        lazy = Lazy(True, False)
        lazy.site, lazy.runtime = site, self
        lazy.frame = sys._getframe(2)  # the rewritten function's frame
        lazy.names = dict(lazy.frame.f_locals)
        lazy.watch = self.watch(site, lazy.names)
        branches = {"and": ["right side", "decided"], "or": ["decided", "right side"]}.get(site.kind, ["then", "otherwise"])
        if site.kind in ("and", "or"):
            with self.located(site):
                on = side(on, "left", site.kind)
        lazy.choice = Choice(self, site, branches, "truth", on)
        lazy.choice.opened.begin()
        return lazy

    @staticmethod
    def value(lazy: Lazy, *_evaluated: Any) -> Any:
        return lazy.value

    no = staticmethod(not_)

    # Calls, and tests of a Value itself.
    def call(self, function: Any, line: int) -> Any:
        """Returns what to call in place of `function`, which may check its arguments. Warns of a draw."""
        if function is isinstance or function is str:
            return functools.partial(is_instance if function is isinstance else text_of, functools.partial(self.error, line))
        if function is id:
            return functools.partial(self.identity, line)
        draws = getattr(current_graph(), "draws", None)
        if draws is not None:
            draws.before_call(function, self.globals, self.filename, line)
            library = library_of_arrays(function)
            return draws.remembering(function) if library is None else functools.partial(self.on_arrays, function, library, line)
        return function

    def on_arrays(self, function: Any, library: str, line: int, /, *args: Any, **kwargs: Any) -> Any:
        """Calls a function of a library that computes with arrays. Raises RewriteError for a Value: some functions would return it unchanged."""
        if current_graph() is not None:
            require_no_value(functools.partial(self.error, line), function, library, args, kwargs)
        return function(*args, **kwargs)

    def identity(self, line: int, x: Any) -> int:
        """id(x)"""
        graph = current_graph()
        if graph is not None and graph.aliases.made.get(id(x)) is x and not is_value(x):
            raise self.error(
                line,
                f"id() of a {type(x).__name__} that a branch or a loop assigned: for some samples it is another object; keep a flag, as "
                "in `same = True`",
            )
        return id(x)

    def same(self, x: Any, y: Any, line: int) -> Any:
        """x is y"""
        graph = current_graph()
        if graph is not None and graph.aliases.may_be_one(x, y):
            raise self.error(
                line,
                f"`is` with a {type(x).__name__} that is the same as the other for some samples only, because a branch or a loop "
                "assigned it; keep a flag, as in `same = True`",
            )
        return is_same(functools.partial(self.error, line), x, y)

    def kind(self, x: Any, line: int) -> Any:
        """Raises an error if the class of a Value is compared."""
        return require_no_class(functools.partial(self.error, line), x)

    def text(self, x: Any, line: int) -> Any:
        """Raises an error if a Value would become part of a text."""
        return require_no_text(functools.partial(self.error, line), x)

    def contains(self, number: int, item: Any, container: Any) -> Any:
        """Raises an error for a Value in `item in container`; returns the container."""
        if is_value(item) or is_value(container):
            raise self.error(
                self.sites[number].line,
                f"`in` with {kind_of(item if is_value(item) else container)}: there is no sample yet that could be searched; "
                "compare with each, as in `x == 1 or x == 2`",
            )
        return container

    def plain(self, number: int, test: Any) -> Any:
        """Raises an error for a Value where only a plain Python value can decide; returns the test."""
        if is_value(test):
            site = self.sites[number]
            what, cure = {
                "assert": ("`assert`", "drop samples with sluice.drop_unless, or let a function of sluice.map raise an error"),
                "if of a comprehension": ("`if` in a comprehension", "write a loop and an `if` as statements"),
                "guard of a case": ("`if` after a pattern", "write an `if` inside the case"),
            }[site.kind]
            raise self.error(site.line, f"{what} on {kind_of(test)}: there is no sample yet that could answer; {cure}")
        return test


class _Located:
    """Gives a BuildError the file and the line of a construct."""

    def __init__(self, runtime: Runtime, site: Site):
        self.runtime = runtime
        self.site = site

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if type(error) is BuildError:
            raise self.runtime.error(self.site.line, str(error), error) from None


def _rebound(names: dict, scope: dict) -> str | None:
    """Returns the name of a variable that has changed."""
    return next((name for name, x in names.items() if not name.startswith("_sluice_") and scope.get(name) is not x), None)


def _label(name: str) -> str:
    return "the return value" if name == RESULT else name


