"""Rewrites a Python function so that `if`, loops and logical expressions on Values are evaluated for each sample.

`rewrite(function)` takes the function's own source, puts calls of a `Runtime` where a Value may decide, and compiles it under
the same file name and with the same lines. The new function has the globals, the closure, the defaults and the
annotations of the old one; nothing is executed to make it. See _traced.py for what the calls do.

Threads: any. Errors: RewriteError; TypeError for what is no function.
"""

# The problem: a pipeline's function runs once, before there is any image. So Python cannot evaluate
# `if coin:`, where `coin` is a Value that differs from sample to sample. Both branches must be
# recorded, and the variables must then hold what the taken branch assigns.
#
# The idea: replace each construct that asks for a truth value by a call of the Runtime. `$` stands
# for `_sluice_`, the name of the Runtime, and `k` for a new temporary name:
#
#     if coin:                        k = $.branch(0, coin)
#         image = invert(image)       if k is True or k is not False and k.begin($.locals()):
#     return image                        image = $.call(invert, 3)($.use(image))
#                                         if k is not True: [image] = k.end($.locals())
#                                     if k is False or k is not True and k.begin($.locals()):
#                                         pass
#                                         if k is not False: [image] = k.end($.locals())
#                                     return $.use(image)
#
# The 3 is the line of the call. For a plain Python value, `branch` returns True or False, and one
# block runs as before. For a Value, it returns a Choice, and both blocks run, one after the other.
# `begin` opens a branch of the graph. The first `end` restores the variables; the second returns
# their merged values.
#
# 1. _find parses the file and copies the function's tree. It compares bytecode to make sure that
#    the file has not changed since it was imported.
# 2. lift_returns (_names.py) replaces `return` in branches by an assignment and one `return` below.
# 3. _Rewriter replaces the constructs. Each gets a number and a Site. The Site lists the names that
#    the construct assigns, those that are read later (Liveness), and its obstacles.
# 4. A `while` asks `k.ask(...)`. A `for` iterates over `$.range(...)` or `$.each(...)`. `x and y`
#    becomes `$.value((k := $.both(1, x)), k.give(y) if k.first else None)`.
# 5. _compile puts the tree into `def outer(_sluice_, ...)`, so that the closure's names become free
#    variables. It compiles that, takes the inner code object, and attaches the old cells and the
#    Runtime.
#
# Invariants:
# - If only plain values decide, the same statements run in the same order.
# - New nodes have the line of the old ones, so tracebacks show the user's source.
# - Cached trees are shared. Only copies of them may be changed.
# - Sites do not change after `rewrite` returns, and each thread has its own list of open branches
#   (_traced.py). So several threads may call the new function.
#
# Errors: an obstacle, such as a `break`, raises RewriteError only when a Value decides. Bodies with
# constructs stand in `with $.guard()`, not shown above. If an exception leaves an open branch, the
# description fails, even if an `except` catches it. A function without source is returned unchanged
# if its bytecode has no branch, loop or `not`.
#
# Read _Rewriter.visit_If first, then _compile.

import __future__
import ast
import copy
import dis
import functools
import inspect
import types
from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from ._describing import RewriteError, current_graph
from ._names import GOES_ON, ITERATED, Liveness, assigned, changed_in_place, declared, inner_bodies, lift_returns, obstacles, read, within
from ._traced import Runtime, Site

__all__ = ["RewriteError", "graph_function", "rewrite"]

_CELL = "_sluice_"  # the runtime, in the closure of each rewritten function
_PART = "_sluice_part_"
_MARK = "__sluice_original__"
_FUTURE = functools.reduce(int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_F = TypeVar("_F")


def rewrite(function: _F) -> _F:
    """The same function, whose control flow on Values is that of each sample.

    Functions and lambdas that are defined inside are rewritten, too; functions that it calls are not, unless they are marked
    with `graph_function`. Where plain Python values decide, everything is as it was.

    Parameters
    ----------
    function : callable
        A function, a method, a static or class method, with its source at hand. One that has been rewritten is given back.

    Returns
    -------
    callable
        Of the same kind.

    Raises
    ------
    RewriteError
        When there is no source and the function branches, it is asynchronous, or a decorator has wrapped it.

    Examples
    --------
    >>> @sluice.graph_function
    ... def brighter(image, often):
    ...     if ops.coin_flip(often):
    ...         image = ops.brightness_contrast(image, brightness=1.5)
    ...     return image
    """
    if isinstance(function, (staticmethod, classmethod)):
        return cast(_F, type(function)(rewrite(function.__func__)))
    if isinstance(function, types.MethodType):
        return cast(_F, types.MethodType(rewrite(function.__func__), function.__self__))
    if not isinstance(function, types.FunctionType):
        raise TypeError(
            f"only functions and methods can be rewritten, not a {type(function).__name__}: {function!r}; write a `def` that calls it"
        )
    if hasattr(function, _MARK):
        return function
    code = function.__code__
    if hasattr(function, "__wrapped__"):
        raise RewriteError(
            code.co_filename,
            code.co_firstlineno,
            f"a decorator has wrapped '{function.__name__}', and what it wraps cannot be rewritten from outside; put "
            "@sluice.graph_function next to the `def`, under the other decorators",
        )
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise RewriteError(
            code.co_filename, code.co_firstlineno, f"'{function.__name__}' is asynchronous; describe a pipeline in a plain `def`"
        )
    try:
        node, class_name = _find(function)
    except RewriteError:
        if _branches(code):
            raise
        return function  # for example a one-liner of `python -c`
    runtime = Runtime(code.co_filename, function.__globals__, function if current_graph() is None else None)
    rewritten = _compile(node, class_name, function, runtime)
    return function if rewritten is None else cast(_F, rewritten)


graph_function = rewrite


def _branches(code: types.CodeType) -> bool:
    """True if the code has a construct that a Value could decide."""
    return any(
        ("JUMP" in one.opname and "_IF_" in one.opname) or one.opname in ("FOR_ITER", "UNARY_NOT") for one in dis.get_instructions(code)
    )


@functools.lru_cache(maxsize=8)
def _parsed(source: str) -> ast.Module:
    return ast.parse(source)


def _find(function: types.FunctionType) -> tuple[ast.AST, str | None]:
    """Returns a copy of the function's node, and the name of the class around it."""
    code = function.__code__

    def unavailable(why: str) -> RewriteError:
        return RewriteError(
            code.co_filename,
            code.co_firstlineno,
            f"{why}, so that the control flow of '{function.__name__}' cannot be read; define it in a file, or write "
            "sluice.if_else, sluice.while_loop and their like",
        )

    try:
        lines, _ = inspect.findsource(code)
        tree = _parsed("".join(lines))
    except (OSError, SyntaxError):
        raise unavailable("its source is not available") from None
    wanted = [name for name in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    found: list[tuple[ast.AST, str | None]] = []

    def visit(node: ast.AST, class_name: str | None) -> None:
        if isinstance(node, _FUNCTIONS):
            line = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            arguments = node.args
            names = [one.arg for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
            names = [_mangled(name, class_name) for name in names]
            if line == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name and names == wanted:
                found.append((node, class_name))
        inside = node.name if isinstance(node, ast.ClassDef) else class_name
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, None)
    if not found:
        raise unavailable("its source has changed since it was imported")
    if len({ast.dump(node) for node, _ in found}) > 1:
        # Several lambdas on one line: select the one whose body is at one of the code's positions.
        spans = set(code.co_positions())
        found = [(node, owner) for node, owner in found if isinstance(node, ast.Lambda) and _span(node.body) in spans] or found
    # The code also differs if a test runner rewrote `assert`, or if the enclosing function was
    # rewritten.
    known = _CELL in code.co_freevars or any(isinstance(node, ast.Assert) for node in ast.walk(found[0][0]))
    if not known and not any(_same_code(code, other) for other in _codes("".join(lines), code.co_flags & _FUTURE)):
        raise unavailable("its source has changed since it was imported")
    if len({ast.dump(node) for node, _ in found}) > 1:
        raise unavailable(f"there are {len(found)} such functions in line {code.co_firstlineno}")
    return copy.deepcopy(found[0][0]), found[0][1]


@functools.lru_cache(maxsize=8)
def _codes(source: str, flags: int) -> tuple[types.CodeType, ...]:
    """Returns the code of all functions in a file."""
    found = [compile(source, "source", "exec", flags, dont_inherit=True)]
    for code in found:
        found += [one for one in code.co_consts if isinstance(one, types.CodeType)]
    return tuple(found)


def _same_code(one: types.CodeType, other: types.CodeType) -> bool:
    if (one.co_firstlineno, one.co_name, one.co_code) != (other.co_firstlineno, other.co_name, other.co_code):
        return False
    if one.co_names != other.co_names or len(one.co_consts) != len(other.co_consts):
        return False
    return all(
        _same_code(a, b) if isinstance(a, types.CodeType) and isinstance(b, types.CodeType) else repr(a) == repr(b)
        for a, b in zip(one.co_consts, other.co_consts)
    )


def _span(node: ast.AST) -> tuple:
    return node.lineno, node.end_lineno, node.col_offset, node.end_col_offset


def _mangled(name: str, class_name: str | None) -> str:
    private = name.startswith("__") and not name.endswith("__") and class_name and class_name.strip("_")
    return f"_{class_name.lstrip('_')}{name}" if private else name


def _compile(node: ast.AST, class_name: str | None, function: types.FunctionType, runtime: Runtime):
    """Returns the new function; None if there is nothing to rewrite."""
    code = function.__code__
    if not isinstance(node, ast.Lambda):
        node.decorator_list, node.returns, node.type_params = [], None, []
    arguments = node.args
    for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if one is not None:
            one.annotation = None
    # The placeholders are replaced by the old function's defaults.
    arguments.defaults = [ast.copy_location(ast.Constant(None), node) for _ in arguments.defaults]
    arguments.kw_defaults = [one and ast.copy_location(ast.Constant(None), node) for one in arguments.kw_defaults]
    rewriter = _Rewriter(runtime)
    node = rewriter.visit(node)
    if not runtime.sites and not runtime.statements and not rewriter.asked:
        return None
    statement = ast.copy_location(ast.Expr(node), node) if isinstance(node, ast.Lambda) else node
    if class_name is not None:
        wrapper = ast.parse(f"class {class_name}: pass").body[0]
        wrapper.body = [statement]
        statement = wrapper
    # Parameters of an enclosing function make the names of its closure free variables.
    outer = ast.parse(f"def outer({', '.join(dict.fromkeys((_CELL, *code.co_freevars)))}): pass")
    outer.body[0].body = [statement]
    defined = class_name or code.co_name
    if not isinstance(node, ast.Lambda) and defined not in code.co_freevars:
        outer.body[0].body.insert(0, ast.Global([defined]))  # this name refers to an object outside
    ast.fix_missing_locations(outer)
    try:
        compiled = compile(outer, code.co_filename, "exec", code.co_flags & _FUTURE, dont_inherit=True)
    except SyntaxError as error:
        raise RewriteError(
            code.co_filename,
            error.lineno or code.co_firstlineno,
            f"'{function.__name__}' cannot be compiled with its control flow: {error.msg}; move a part of it into a function",
        ) from None
    new = _code_in(compiled, code.co_name, node)
    cells = dict(zip(code.co_freevars, function.__closure__ or ()))
    cells[_CELL] = types.CellType(runtime)
    new = _renamed(new, new.co_qualname, code.co_qualname)
    result = types.FunctionType(
        new, function.__globals__, function.__name__, function.__defaults__, tuple(cells[name] for name in new.co_freevars)
    )
    result.__kwdefaults__ = function.__kwdefaults__
    result.__annotations__ = function.__annotations__
    result.__qualname__ = function.__qualname__
    result.__doc__ = function.__doc__
    result.__module__ = function.__module__
    if hasattr(function, "__type_params__"):
        result.__type_params__ = function.__type_params__
    result.__dict__.update(function.__dict__)
    setattr(result, _MARK, function)
    return result


def _code_in(code: types.CodeType, name: str, node: ast.AST) -> types.CodeType:
    """Returns the code of the outermost function of this name."""
    for one in code.co_consts:
        if isinstance(one, types.CodeType):
            if one.co_name == name and one.co_firstlineno == node.lineno and one.co_flags & inspect.CO_NEWLOCALS:
                return one
            found = _code_in(one, name, node)
            if found is not None:
                return found
    return None


def _renamed(code: types.CodeType, before: str, after: str) -> types.CodeType:
    """Returns the code, and that of inner functions, with another prefix of the qualified name."""
    name = after + code.co_qualname.removeprefix(before)
    consts = tuple(
        _renamed(one, before, after) if isinstance(one, types.CodeType) else name if one == code.co_qualname else one
        for one in code.co_consts
    )
    return code.replace(co_qualname=name, co_consts=consts)


class _Rewriter(ast.NodeTransformer):
    """Puts calls of the runtime around constructs. One object rewrites a function and all functions inside it."""

    def __init__(self, runtime: Runtime):
        self.runtime = runtime
        self.live: Liveness | None = None
        self.globals: set[str] = set()
        self.guarded: set[str] = set()  # names that may be unbound after a branch
        self.closures: set[str] = set()  # names of this function that inner functions assign
        self.temporaries = 0
        self.asked = 0  # the number of calls and tests that go through the runtime
        self.in_iterable = False  # of a comprehension, where Python allows no `:=`, not even in lambdas

    # Making nodes.
    def _site(self, kind: str, node: ast.AST) -> tuple[int, Site]:
        site = Site(kind, node.lineno)
        self.runtime.sites.append(site)
        return len(self.runtime.sites) - 1, site

    def _temporary(self, begin: str = "_sluice_") -> str:
        self.temporaries += 1
        return f"{begin}{self.temporaries}_"

    def _expression(self, node: ast.AST, text: str, **parts: ast.expr) -> ast.expr:
        """Returns an expression of this text, with parts in place of %NAME and the location of the node."""
        return self._statements(node, text, **parts)[0].value

    def _statements(self, node: ast.AST, text: str, **parts: Any) -> list[ast.stmt]:
        """Returns statements of this text, with parts or blocks in place of %NAME."""
        tree = ast.parse(text.replace("$", _CELL).replace("%", _PART))
        for one in ast.walk(tree):
            if hasattr(one, "lineno"):
                ast.copy_location(one, node)
        return _Filler({_PART + name: part for name, part in parts.items()}).visit(tree).body

    # Functions.
    def _function(self, node: ast.AST) -> None:
        """Rewrites the body of a function."""
        before = self.live, self.globals, self.guarded, self.closures
        node.body = lift_returns(node.body, True)
        self.live = Liveness(node)
        self.globals = declared(node.body, ast.Global)
        # Inner functions change these without a visible assignment in a branch.
        changed = declared(inner_bodies([one for one in within(node.body) if isinstance(one, _FUNCTIONS)]), ast.Nonlocal)
        own = assigned(node.body) | {one.arg for one in ast.walk(node.args) if isinstance(one, ast.arg)}
        self.closures = (changed & own) - self.globals
        choices = [one for one in within(node.body) if isinstance(one, (ast.If, ast.While, ast.For, ast.Match))]
        self.guarded = self.guarded | assigned(choices) | self.closures
        sites = len(self.runtime.sites)
        body = self._block(node.body)
        if len(self.runtime.sites) > sites and not any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in within(body)):
            body = self._guarded(body)
        node.body = body
        self.live, self.globals, self.guarded, self.closures = before

    def _guarded(self, body: list[ast.stmt]) -> list[ast.stmt]:
        first = body[0]
        is_text = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
        head, rest = (body[:1], body[1:]) if is_text else ([], body)
        return head + self._statements(rest[0], "with $.guard():\n    %BODY", BODY=rest) if rest else body

    def visit_FunctionDef(self, node):
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        if self.live is not None:  # an inner function: its defaults are evaluated here
            self._defaults(node)
        self._function(node)
        return node

    def _defaults(self, node):
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [one and self.visit(one) for one in node.args.kw_defaults]

    def visit_AsyncFunctionDef(self, node):
        return node

    def visit_Lambda(self, node):
        self._defaults(node)
        node.body = self.visit(node.body)
        return node

    def visit_ClassDef(self, node):
        """Rewrites only the methods. The class's own statements, and the defaults of methods, are not part of a function."""
        node.bases = [self.visit(one) for one in node.bases]
        node.keywords = [self.visit(one) for one in node.keywords]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        uses = _Uses(self)
        for at, one in enumerate(node.body):
            if isinstance(one, ast.FunctionDef):
                uses.visit_head(one)
                self._function(one)
            else:
                node.body[at] = uses.visit(one)
        return node

    # Statements.
    def _block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        done = []
        for one in statements:
            if self.live is not None and _may_change(one):
                self.runtime.statements.append((one.lineno, frozenset(self.live.before[one])))
                done += self._statements(one, f"$.statement({len(self.runtime.statements) - 1})")
            new = self.visit(one)
            done += new if isinstance(new, list) else [new]
        return done

    def _reads(self, site: Site, nodes: list[ast.AST]) -> None:
        """Fills in the names that the code of the construct reads."""
        every = [one for node in nodes for one in ast.walk(node)]
        targets = {one.target.id for one in every if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name)}
        site.reads = read(nodes) | targets
        site.mentioned = site.reads | {one.attr for one in every if isinstance(one, ast.Attribute)}

    def _describe(
        self, site: Site, blocks: list[list[ast.stmt]], names: set[str], live: set[str], tests: Sequence[ast.expr] = ()
    ) -> str:
        """Fills in the Site of a statement; returns the target that takes its names. `tests` are evaluated repeatedly."""
        every = [one for block in blocks for one in block]
        names = (names | assigned(every) | self.closures) - self.globals
        site.names = tuple(sorted(names))
        site.live = live | self.closures
        self._reads(site, [*every, *tests])
        site.obstacles = [found for block in blocks for found in obstacles(block, self.globals, site.kind in ("while", "for"))]
        site.places, strange = changed_in_place(every)
        site.obstacles += [
            (line, f"a change of `{text}`", "give what is changed a name first, as in `one = ...`") for line, text in strange
        ]
        return f"[{', '.join(site.names)}] = " if site.names else ""

    def visit_If(self, node):
        number, site = self._site("if", node)
        names = self._describe(site, [node.body, node.orelse], set(), self.live.after[node])
        k = self._temporary()
        test = self.visit(node.test)
        if isinstance(node.test, ast.Name) and node.test.id.startswith(GOES_ON):
            test = self._expression(node, f"$.goes_on({number}, %FLAG)", FLAG=test)
        body, orelse = self._block(node.body), self._block(node.orelse)
        return self._statements(
            node,
            f"{k} = $.branch({number}, %TEST)\n"
            f"if {k} is True or {k} is not False and {k}.begin($.locals()):\n"
            "    %BODY\n"
            f"    if {k} is not True: {names}{k}.end($.locals())\n"
            f"if {k} is False or {k} is not True and {k}.begin($.locals()):\n"
            "    %ORELSE\n"
            f"    if {k} is not False: {names}{k}.end($.locals())\n",
            TEST=test,
            BODY=body,
            ORELSE=orelse,
        )

    def visit_While(self, node):
        number, site = self._site("while", node)
        names = self._describe(site, [node.body], assigned([node.test]), self.live.head[node], [node.test])
        k = self._temporary()
        test = self.visit(node.test)
        body, orelse = self._block(node.body), self._block(node.orelse)
        return self._statements(
            node,
            f"{k} = $.loop({number})\n"
            f"while {k}.ask(%TEST, $.locals() if {k}.traced else None):\n"
            f"    if {k}.traced: {names}{k}.enter_body($.locals())\n"
            "    %BODY\n"
            "else:\n"
            f"    if {k}.traced: {names}{k}.result\n"
            "    %ORELSE\n",
            TEST=test,
            BODY=body,
            ORELSE=orelse,
        )

    def visit_For(self, node):
        number, site = self._site("for", node)
        target = self.visit(node.target)
        names = self._describe(site, [node.body], assigned([target]), self.live.head[node])
        k = self._temporary(ITERATED)
        if _is_range(node.iter):
            over = self._over_range("range", number, node.iter)
        else:
            over = self._expression(node.iter, f"$.each({number}, %OVER)", OVER=self.visit(node.iter))
        body, orelse = self._block(node.body), self._block(node.orelse)
        entered = f"[{', '.join(site.names)}], %TARGET = {k}.enter_body()"
        return self._statements(
            node,
            f"{k} = %OVER\n"
            f"if $.counts({k}): {k}.keep($.locals())\n"
            f"for %TARGET in {k}:\n"
            f"    if $.counts({k}): {entered}\n"
            "    %BODY\n"
            f"    if $.counts({k}): {k}.end_body($.locals())\n"
            "else:\n"
            f"    if $.counts({k}): {names}{k}.result\n"
            "    %ORELSE\n"
            f"{k} = None\n",
            OVER=over,
            TARGET=target,
            BODY=body,
            ORELSE=orelse,
        )

    def _over_range(self, call: str, number: int, over: ast.Call, *parts: ast.expr) -> ast.expr:
        """`call` of the runtime instead of range()."""
        made = self._expression(over, f"$.{call}({number}, %F)", F=self.visit(over.func))
        made.args += [*parts, *(self.visit(one) for one in over.args)]
        return made

    def visit_Match(self, node):
        number, site = self._site("match", node)
        blocks = [case.body for case in node.cases]
        names = self._describe(site, blocks, set(), self.live.after[node])
        site.cases, site.asks = _numbers_of(node.cases), _asking(node.cases)
        k, subject = self._temporary(), self._temporary()
        value = self.visit(node.subject)
        chosen = []
        for at, case in enumerate(node.cases):
            guard = case.guard and self._plain("guard of a case", case.guard)
            chosen.append(ast.match_case(case.pattern, guard, self._statements(case.pattern, f"{k} = {at}")))
        branches = []
        # A Value that matches no case gets an extra branch, which changes nothing.
        extra = [] if site.cases is None or site.cases[-1] is None else [[]]
        for at, block in enumerate([*blocks, *extra]):
            branches += self._statements(
                block[0] if block else node,
                f"if {k} == {at} if {k}.__class__ is int else {k}.begin($.locals()):\n"
                "    %BODY\n"
                f"    if {k}.__class__ is not int: {names}{k}.end($.locals())\n",
                BODY=self._block(block),
            )
        match = ast.copy_location(ast.Match(ast.Name(subject, ast.Load()), chosen), node)
        return self._statements(
            node,
            f"{subject} = %SUBJECT\n{k} = $.match({number}, {subject})\nif {k}.__class__ is int:\n    %MATCH\n%ARMS",
            SUBJECT=value,
            MATCH=[match],
            ARMS=branches,
        )

    def visit_Try(self, node):
        node.body = self._guarded_block(node.body)
        for part in node.handlers:
            part.type = part.type and self.visit(part.type)
            part.body = self._block(part.body)
        node.orelse, node.finalbody = self._block(node.orelse), self._block(node.finalbody)
        return node

    visit_TryStar = visit_Try

    def _guarded_block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """Rewrites the block of a statement that may catch exceptions. A generator leaves and enters it without an exception."""
        sites = len(self.runtime.sites)
        yields = any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in within(statements))
        body = self._block(statements)
        return self._guarded(body) if len(self.runtime.sites) > sites or not yields else body

    def visit_With(self, node):
        node.items = [self.generic_visit(one) for one in node.items]
        node.body = self._guarded_block(node.body)
        return node

    def visit_Assert(self, node):
        node.test = self._plain("assert", node.test)
        node.msg = node.msg and self.visit(node.msg)
        return node

    def visit_AugAssign(self, node):
        done = self.generic_visit(node)
        if isinstance(node.target, ast.Name) and node.target.id in self.guarded:
            return [*self._statements(node, f"$.use({node.target.id})"), done]
        return done

    def visit_AnnAssign(self, node):
        node.value = node.value and self.visit(node.value)
        node.target = self.visit(node.target)
        return node

    # Expressions.
    def visit_Name(self, node):
        if isinstance(node.ctx, ast.Load) and node.id in self.guarded:
            return self._expression(node, f"$.use({node.id})")
        return node

    def _asked(self, node: ast.AST, text: str, **parts: ast.expr) -> ast.expr:
        """Returns a question that is passed through the runtime; %LINE is its line."""
        self.asked += 1
        return self._expression(node, text.replace("%LINE", str(node.lineno)), **parts)

    def visit_Call(self, node):
        node = self.generic_visit(node)
        node.func = self._asked(node.func, "$.call(%F, %LINE)", F=node.func)
        return node

    def visit_BinOp(self, node):
        is_text = isinstance(node.left, ast.JoinedStr) or (isinstance(node.left, ast.Constant) and isinstance(node.left.value, str))
        node = self.generic_visit(node)
        if is_text and isinstance(node.op, ast.Mod):
            node.right = self._asked(node.right, "$.text(%X, %LINE)", X=node.right)
        return node

    def visit_FormattedValue(self, node):
        node = self.generic_visit(node)
        if node.conversion == ord("s"):
            node.value = self._asked(node.value, "$.text(%X, %LINE)", X=node.value)
        return node

    def _plain(self, kind: str, test: ast.expr) -> ast.expr:
        number, _ = self._site(kind, test)
        return self._expression(test, f"$.plain({number}, %TEST)", TEST=self.visit(test))

    def _lazy(self, node: ast.expr, call: str, first: ast.expr, operands: list[ast.expr]) -> ast.expr:
        """Rewrites a logical expression. `call` gets the first operand and decides which of the others are evaluated."""
        if self.in_iterable and any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in within([node])):
            return self.generic_visit(node)
        kind = {"both": "and", "either": "or", "conditional": "conditional expression"}[call]
        number, site = self._site(kind, node)
        self._reads(site, operands)
        for one in operands:
            site.obstacles += obstacles([one], self.globals)
            walrus = [inner for inner in within([one]) if isinstance(inner, ast.NamedExpr)]
            site.obstacles += [(inner.lineno, "`:=`", "assign in a line of its own, before") for inner in walrus]
        k = self._temporary()
        asked = self._expression(node, f"$.{call}({number}, %FIRST)", FIRST=self.visit(first))
        parts = {f"X{at}": self.visit(one) for at, one in enumerate(operands)}
        given = [f"{k}.give(%{part}) if {k}.{('first', 'second')[at]} else None" for at, part in enumerate(parts)]
        if self.in_iterable:
            return self._expression(node, f"(lambda {k}: $.value({k}, {', '.join(given)}))(%ASKED)", ASKED=asked, **parts)
        return self._expression(node, f"$.value(({k} := %ASKED), {', '.join(given)})", ASKED=asked, **parts)

    def visit_BoolOp(self, node):
        call = "both" if isinstance(node.op, ast.And) else "either"
        first, *rest = node.values
        following = rest[0] if len(rest) == 1 else ast.copy_location(ast.BoolOp(node.op, rest), rest[0])
        return self._lazy(node, call, first, [following])

    def visit_IfExp(self, node):
        return self._lazy(node, "conditional", node.test, [node.body, node.orelse])

    def visit_UnaryOp(self, node):
        if not isinstance(node.op, ast.Not):
            return self.generic_visit(node)
        # Counts as a site, so that a function with only a `not` is rewritten too.
        self._site("not", node)
        return self._expression(node, "$.no(%X)", X=self.visit(node.operand))

    def visit_Compare(self, node):
        if len(node.ops) > 1:
            return self._chain(node)
        sides = [node.left, *node.comparators]
        if any(map(_is_named_value, sides)):  # type(x) is sluice.Value, which tests the Value itself
            return self.generic_visit(node)
        classes = [_asks_class(one) for one in sides]
        node = self.generic_visit(node)
        sides = [
            self._asked(one, "$.kind(%X, %LINE)", X=one) if asks else one for one, asks in zip([node.left, *node.comparators], classes)
        ]
        node.left, node.comparators = sides[0], sides[1:]
        if isinstance(node.ops[0], (ast.Is, ast.IsNot)):
            call = "$.same(%X, %Y, %LINE)" if isinstance(node.ops[0], ast.Is) else "$.no($.same(%X, %Y, %LINE))"
            return self._asked(node, call, X=node.left, Y=node.comparators[0])
        if isinstance(node.ops[0], (ast.In, ast.NotIn)):
            number, _ = self._site("in", node)
            k = self._temporary()
            if self.in_iterable and any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in within(sides)):
                return node
            if self.in_iterable:
                test = "in" if isinstance(node.ops[0], ast.In) else "not in"
                return self._expression(node, f"(lambda {k}: {k} {test} $.contains({number}, {k}, %Y))(%X)", X=sides[0], Y=sides[1])
            left = self._expression(node, f"({k} := %X)", X=node.left)
            right = self._expression(node, f"$.contains({number}, {k}, %Y)", Y=node.comparators[0])
            return ast.copy_location(ast.Compare(left, node.ops, [right]), node)
        return node

    def _chain(self, node):
        """Rewrites a < b < c as `a < b and b < c`, with b evaluated once."""
        if self.in_iterable:
            return self._chain_in_iterable(node)
        shared = self._temporary()
        middle = self._expression(node.comparators[0], f"({shared} := %X)", X=node.comparators[0])
        first = ast.copy_location(ast.Compare(node.left, node.ops[:1], [middle]), node)
        again = ast.copy_location(ast.Name(shared, ast.Load()), node.comparators[0])
        second = ast.copy_location(ast.Compare(again, node.ops[1:], node.comparators[1:]), node)
        return self._lazy(node, "both", first, [second])

    def _chain_in_iterable(self, node):
        if any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in within([node])):
            return self.generic_visit(node)
        left, shared = self._temporary(), self._temporary()
        names = [ast.copy_location(ast.Name(one, ast.Load()), node) for one in (left, shared, shared)]
        first = ast.copy_location(ast.Compare(names[0], node.ops[:1], [names[1]]), node)
        second = ast.copy_location(ast.Compare(names[2], node.ops[1:], node.comparators[1:]), node)
        both = self._lazy(node, "both", first, [second])
        sides = {"X": self.visit(node.left), "Y": self.visit(node.comparators[0])}
        return self._expression(node, f"(lambda {left}, {shared}: %BOTH)(%X, %Y)", BOTH=both, **sides)

    def visit_ListComp(self, node):
        first = node.generators[0]
        plain = len(node.generators) > 1 or first.ifs or first.is_async or not isinstance(first.target, ast.Name)
        inside = any(isinstance(one, (ast.NamedExpr, ast.Await)) for one in ast.walk(node.elt))
        if plain or inside or not _is_range(first.iter):
            return self.generic_visit(node)
        number, _ = self._site("comprehension", node)
        each = self._expression(node.elt, f"lambda {first.target.id}: 0")
        each.body = self.visit(node.elt)
        return self._over_range("collect", number, first.iter, each)

    def visit_comprehension(self, node):
        before, self.in_iterable = self.in_iterable, True
        if _is_range(node.iter):
            number, _ = self._site("comprehension", node.iter)
            node.iter = self._over_range("range_of_plain", number, node.iter)
        else:
            node.iter = self.visit(node.iter)
        self.in_iterable = before
        node.target = self.visit(node.target)
        node.ifs = [self._plain("if of a comprehension", one) for one in node.ifs]
        return node

    def visit_NamedExpr(self, node):
        node.value = self.visit(node.value)
        return node


def _asks_class(node: ast.expr) -> bool:
    """True if a node is type(x) or x.__class__."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "type" and len(node.args) == 1 and not node.keywords
    return isinstance(node, ast.Attribute) and node.attr == "__class__"


def _is_named_value(node: ast.expr) -> bool:
    return isinstance(node, (ast.Name, ast.Attribute)) and (node.id if isinstance(node, ast.Name) else node.attr) == "Value"


def _asking(cases: list[ast.match_case]) -> str:
    """Returns the first pattern that needs the Python type of a value: True, False, or a class of numbers or texts."""
    for node in (node for case in cases for node in ast.walk(case.pattern)):
        if isinstance(node, ast.MatchSingleton) and node.value is not None:
            return repr(node.value)
        if isinstance(node, ast.MatchClass) and ast.unparse(node.cls) in ("bool", "int", "float", "str", "bytes"):
            return ast.unparse(node)
    return ""


class _Uses(ast.NodeTransformer):
    """Finds variables without a value in the statements of a class, and rewrites nothing else there."""

    def __init__(self, rewriter: _Rewriter):
        self.rewriter = rewriter

    def visit_Name(self, node):
        return self.rewriter.visit_Name(node)

    def visit_head(self, node: ast.FunctionDef) -> None:
        """Visits the expressions that a `def` evaluates at once."""
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        node.args.defaults = [self.visit(one) for one in node.args.defaults]
        node.args.kw_defaults = [one and self.visit(one) for one in node.args.kw_defaults]


def _may_change(one: ast.stmt) -> bool:
    """True if the statement, without its blocks, may change something in place."""
    parts = within(ast.iter_child_nodes(one), (ast.stmt, ast.Lambda))
    return isinstance(one, ast.AugAssign) or any(
        isinstance(node, ast.Call) or isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load)
        for node in parts
    )


def _is_range(node: ast.expr) -> bool:
    """True if it is a call of the name `range`, without keywords."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range" and not node.keywords


def _numbers_of(cases: list[ast.match_case]) -> list | None:
    """Returns the whole numbers of each case, None for `_`; None if a case is something else."""
    numbers: list = []
    for at, case in enumerate(cases):
        found = _number_of(case.pattern)
        if case.guard is not None or found is None or (found == [] and at + 1 < len(cases)):
            return None
        numbers.append(found or None)
    return numbers


def _number_of(pattern: ast.pattern) -> list[int] | None:
    if isinstance(pattern, ast.MatchOr):
        parts = [_number_of(one) for one in pattern.patterns]
        return None if not all(parts) else [x for part in parts for x in part]
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None and pattern.name is None:
        return []
    if isinstance(pattern, ast.MatchValue):
        try:
            value = ast.literal_eval(pattern.value)
        except ValueError:
            return None
        return [value] if type(value) is int else None
    return None


class _Filler(ast.NodeTransformer):
    def __init__(self, parts: dict):
        self.parts = parts

    def visit_Name(self, node):
        part = self.parts.get(node.id, node)
        if isinstance(node.ctx, ast.Load) or part is node:
            return part
        return copy.deepcopy(part)

    def visit_Expr(self, node):
        if isinstance(node.value, ast.Name) and node.value.id in self.parts:
            block = self.parts[node.value.id]
            if isinstance(block, list):
                return block or ast.Pass()
        return self.generic_visit(node)
