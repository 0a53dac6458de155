"""The use of names by statements: which they assign, which are read later, and what no branch of a choice may contain.

Works on the syntax tree of one function. Pure functions; the tree stays as it is, except for `lift_returns`.
"""

import ast
import copy
from collections.abc import Iterable, Iterator

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
RESULT = "_sluice_result_"  # the result of a function whose branches return
ITERATED = "_sluice_over_"  # prefix of the names that hold what a `for` iterates over
GOES_ON = "_sluice_goes_on_"  # prefix of the flags that a `try` or `with` sets to False if it returns
IN_PLACE = "+="  # used as an attribute: the content that `+=` and similar operators may change


def within(nodes: Iterable[ast.AST], stop: tuple = _SCOPES) -> Iterator[ast.AST]:
    """Yields all nodes of these that belong to the same function, in order."""
    rest = [*nodes][::-1]
    while rest:
        node = rest.pop()
        yield node
        if not isinstance(node, stop):
            rest += [*ast.iter_child_nodes(node)][::-1]


def assigned(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the names that these statements assign or delete in their function's scope."""
    names: set[str] = set()
    for node in within(nodes, (*_SCOPES, *_COMPREHENSIONS)):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            names.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update((one.asname or one.name).split(".")[0] for one in node.names)
        elif isinstance(node, (ast.MatchAs, ast.MatchStar)) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        elif isinstance(node, _COMPREHENSIONS):
            names.update(one.target.id for one in within([node]) if isinstance(one, ast.NamedExpr))
    return names


def read(nodes: Iterable[ast.AST]) -> set[str]:
    """Returns the names that these read, also in functions that are defined there."""
    return {
        node.id
        for root in nodes
        for node in ast.walk(root)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def declared(nodes: Iterable[ast.AST], kind: type) -> set[str]:
    """Returns the names that these declare `global` or `nonlocal`."""
    return {name for node in within(nodes) if isinstance(node, kind) for name in node.names}


def ends(statements: list[ast.stmt], trusting: bool = False) -> bool:
    """True if every path through these returns or raises. `trusting`: if no `with` suppresses an exception."""
    last = statements[-1] if statements else None
    if isinstance(last, ast.Match) and not any(map(_takes_all, last.cases)):
        return False
    if isinstance(last, ast.Try) and not _is_regular(last) or isinstance(last, ast.With) and not trusting:
        return False
    if isinstance(last, (ast.If, ast.Match, ast.Try, ast.With)):
        return all(ends(branch, trusting) for branch in _branches(last))
    return isinstance(last, (ast.Return, ast.Raise))


def _is_regular(one: ast.Try) -> bool:
    """True if a `try` returns only at the end: not in `finally`, and not before an `else`."""
    return not _returns(one.finalbody) and not (one.orelse and _returns(one.body))


def _takes_all(case: ast.match_case) -> bool:
    return case.guard is None and isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None


def _returns(statements: list[ast.stmt]) -> bool:
    """True if one of these returns, itself or in a branch."""
    return any(
        isinstance(one, ast.Return)
        or (isinstance(one, (ast.If, ast.Match, ast.Try, ast.With)) and any(map(_returns, _blocks(one))))
        for one in statements
    )


#: How many nodes of the syntax tree lift_returns copies into branches, in all.
_MOST_COPIED = 4_000


class _Copies:
    """Copies of statements for several branches, up to a total size, and new names."""

    def __init__(self) -> None:
        self.left = _MOST_COPIED
        self._names = 0

    def name(self) -> str:
        self._names += 1
        return f"{GOES_ON}{self._names}_"

    def of(self, statements: list[ast.stmt], count: int) -> list[list[ast.stmt]] | None:
        """Returns `count` equal lists, the first of which are the statements themselves; None if they are too large."""
        every = [node for one in statements for node in ast.walk(one)]
        self.left -= len(every) * (count - 1)
        declares = any(isinstance(node, (ast.Global, ast.Nonlocal)) for node in every)
        if count > 1 and (self.left < 0 or declares):  # a name may be declared once only
            return None
        return [statements, *(copy.deepcopy(statements) for _ in range(count - 1))]


def lift_returns(statements: list[ast.stmt], last: bool, inside: bool = False, copies: _Copies | None = None) -> list[ast.stmt]:
    """Returns equivalent statements without `return` in branches.

    Branches of which every path returns assign RESULT, and one `return` follows. If only some paths return, the statements
    after the branch become a part of each branch that does not. A `try` or `with` in a branch is changed alike; if only some of its
    paths return, a flag decides about the statements after it.
    `last`: the function ends after these statements. `inside`: they are a branch.
    """
    copies = copies or _Copies()
    done: list[ast.stmt] = []
    for k, one in enumerate(statements):
        rest = statements[k + 1 :]
        guards = isinstance(one, (ast.Try, ast.With))
        choice = (isinstance(one, (ast.If, ast.Match)) or guards and inside) and _returns([one])
        returning = _returning([one]) if choice and (guards or ends([one], trusting=True)) else None
        if choice and not ends([one]) and (last or ends(rest)):
            following = rest if ends(rest) else [*rest, ast.copy_location(ast.Return(None), one)]
            if guards and returning is not None:
                following = _to_result(lift_returns(following, True, True, copies))
                return [*done, *_flagged(one, returning, following, [], copies), _return_result(one)]
            if isinstance(one, ast.Match) and not any(map(_takes_all, one.cases)):
                one.cases.append(ast.match_case(ast.copy_location(ast.MatchAs(), one), None, []))
            opened = [branch for branch in _branches(one) if not ends(branch)]
            copied = None if guards else copies.of(following, len(opened))
            if copied is not None:
                for branch, more in zip(opened, copied):
                    branch.extend(more)
                rest = []
        if choice and ends([one]):
            for branch in _branches(one):
                branch[:] = _to_result(lift_returns(branch, True, True, copies))
            return [*done, one, _return_result(one), *rest]
        if returning is not None and ends([one], trusting=True):
            done += _flagged(one, returning, [], [_return_result(one)], copies)
            continue
        for branch in _blocks(one):
            branch[:] = lift_returns(branch, False, inside, copies)
        done.append(one)
    return done


def _returning(block: list[ast.stmt]) -> list[list[ast.stmt]] | None:
    """Returns the blocks in this one that return at their end; None if it also returns elsewhere."""
    if not _returns(block):
        return []
    if ends(block):
        return [block]
    *before, one = block
    if _returns(before) or isinstance(one, ast.Try) and not _is_regular(one):
        return None
    found = [_returning(branch) for branch in _branches(one)]
    return None if None in found else [each for part in found for each in part or ()]


def _flagged(one: ast.stmt, returning: list, following: list[ast.stmt], returned: list[ast.stmt], copies: _Copies) -> list[ast.stmt]:
    """Returns a statement, and one that runs `returned` if a path of the first has returned, and `following` otherwise."""
    name = copies.name()

    def flag(goes_on: bool) -> ast.stmt:
        assign = ast.Assign([ast.Name(name, ast.Store())], ast.Constant(goes_on))
        return ast.fix_missing_locations(ast.copy_location(assign, one))

    for block in returning:
        block[:] = [*_to_result(lift_returns(block, True, True, copies)), flag(False)]
    after = ast.If(ast.copy_location(ast.Name(name, ast.Load()), one), following or [ast.copy_location(ast.Pass(), one)], returned)
    return [flag(True), one, ast.copy_location(after, one)]


def _return_result(one: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Return(ast.copy_location(ast.Name(RESULT, ast.Load()), one)), one)


def _branches(one: ast.stmt) -> list[list[ast.stmt]]:
    """Returns the blocks at whose ends the paths through the statement end."""
    if isinstance(one, ast.Try):
        return [one.orelse or one.body, *(part.body for part in one.handlers)]
    if isinstance(one, ast.With):
        return [one.body]
    return [one.body, one.orelse] if isinstance(one, ast.If) else [case.body for case in one.cases]


def _blocks(one: ast.stmt) -> list[list[ast.stmt]]:
    """Returns the blocks of a statement."""
    if isinstance(one, _SCOPES):
        return []
    blocks = [getattr(one, name) for name in ("body", "orelse", "finalbody") if getattr(one, name, None)]
    return blocks + [part.body for part in (*getattr(one, "handlers", ()), *getattr(one, "cases", ()))]


def _to_result(branch: list[ast.stmt]) -> list[ast.stmt]:
    """Replaces the first `return` among a branch's own statements by an assignment."""
    done = []
    for one in branch:
        if isinstance(one, ast.Return):
            value = one.value or ast.copy_location(ast.Constant(None), one)
            if not (isinstance(value, ast.Name) and value.id == RESULT):
                target = ast.copy_location(ast.Name(RESULT, ast.Store()), one)
                done.append(ast.copy_location(ast.Assign([target], value), one))
            break
        done.append(one)
    return done or [ast.copy_location(ast.Pass(), branch[0])]


class Liveness:
    """Which names are read after each choice, from the head of each loop on, and from each statement on.

    `after[node]` for an `if` or `match`, `head[node]` for a loop, `before[node]` for any statement. It may say too much, never too little: what an exception, a
    function defined inside or a `locals()` might read counts as read.
    """

    def __init__(self, function: ast.AST):
        self.after: dict[ast.AST, set[str]] = {}
        self.head: dict[ast.AST, set[str]] = {}
        self.before: dict[ast.AST, set[str]] = {}
        body = function.body
        inner = [node for node in within(body) if isinstance(node, (*_SCOPES, ast.GeneratorExp))]
        self.always = read(inner) | declared(body, ast.Nonlocal) | declared(inner_bodies(inner), ast.Nonlocal)
        if read(body) & {"locals", "vars", "eval", "exec"}:
            self.always |= assigned(body) | read(body)
        self._thrown: set[str] = set()
        self._breaks: list[set[str]] = []
        self._continues: list[set[str]] = []
        self._block(body, set(self.always))

    def _block(self, statements: list[ast.stmt], out: set[str]) -> set[str]:
        for one in reversed(statements):
            out = self.before[one] = self._statement(one, out) | self._thrown
        return out

    def _statement(self, one: ast.stmt, out: set[str]) -> set[str]:
        special = getattr(self, "_" + type(one).__name__, None)
        if special is not None:
            return special(one, out)
        uses = read([one])
        if isinstance(one, ast.AugAssign) and isinstance(one.target, ast.Name):
            uses.add(one.target.id)
        kills = set() if isinstance(one, ast.Expr) else assigned([one]) - _walrus(one)
        return (out - kills) | uses

    def _Return(self, one, out):
        return read([one]) | self.always

    def _Raise(self, one, out):
        return read([one]) | self.always

    def _Break(self, one, out):
        return self._breaks[-1] if self._breaks else out

    def _Continue(self, one, out):
        return self._continues[-1] if self._continues else out

    def _If(self, one, out):
        self.after[one] = out
        return read([one.test]) | self._block(one.body, out) | self._block(one.orelse, out)

    def _Match(self, one, out):
        self.after[one] = out
        tests = [part for case in one.cases for part in (case.pattern, case.guard) if part is not None]
        return out.union(read([one.subject, *tests]), *(self._block(case.body, out) for case in one.cases))

    def _loop(self, one, out, test: set[str], target: set[str]):
        leave = self._block(one.orelse, out)
        head = leave | test
        while True:
            self._breaks.append(out)
            self._continues.append(head)
            again = head | (self._block(one.body, head) - target)
            self._breaks.pop()
            self._continues.pop()
            if again == head:
                break
            head = again
        self.head[one] = head
        return head

    def _While(self, one, out):
        return self._loop(one, out, read([one.test]), set())

    def _For(self, one, out):
        target = {one.target.id} if isinstance(one.target, ast.Name) else set()
        return read([one.iter]) | self._loop(one, out, read([one.target]), target)

    _AsyncFor = _For

    def _With(self, one, out):
        before, self._thrown = self._thrown, self._thrown | out  # a context manager may suppress an exception
        inside = self._block(one.body, out)
        self._thrown = before
        return inside | read([part for item in one.items for part in (item.context_expr, item.optional_vars) if part])

    _AsyncWith = _With

    def _Try(self, one, out):
        last = self._block(one.finalbody, out) if one.finalbody else out
        before = self._thrown
        if one.finalbody:
            self._thrown = self._thrown | last
        caught = last.union(*(self._block(part.body, last) | read([part.type] if part.type else []) for part in one.handlers))
        orelse = self._block(one.orelse, last)
        self._thrown = self._thrown | caught
        inside = self._block(one.body, orelse)
        self._thrown = before
        return inside | caught

    _TryStar = _Try


def inner_bodies(scopes: Iterable[ast.AST]) -> list[ast.AST]:
    """Returns the statements of these functions and classes, also of those inside them."""
    return [node for scope in scopes for node in ast.walk(scope) if isinstance(node, ast.stmt) and node is not scope]


def _walrus(one: ast.AST) -> set[str]:
    return {node.target.id for node in within([one]) if isinstance(node, ast.NamedExpr)}


IN_TRY = "let all paths of a block return, or none; or assign a variable there, and return it after"
_CURES = {
    ast.Break: ("`break`", "end the loop by its condition: `while going: ...`"),
    ast.Continue: ("`continue`", "put the rest of the body into an `if`"),
    ast.Return: (
        "`return`",
        "let every path of the `if` return, or none: assign a variable there, and return it after",
    ),
    ast.Yield: ("`yield`", "assign a variable there, and yield it after"),
    ast.YieldFrom: ("`yield from`", "yield before or after"),
    ast.Raise: (
        "`raise`",
        "it would be raised while the pipeline is described, for all samples; let a function of sluice.map raise it",
    ),
}


def obstacles(statements: list[ast.AST], globals_: set[str], loop: bool = False) -> list[tuple[int, str, str]]:
    """(line, construct, cure) of what these must not hold where a Value decides whether, or how often, they run.

    `loop`: they are the body of a loop.
    """
    found: list[tuple[int, str, str]] = []

    def add(node: ast.AST, kind: type) -> None:
        found.append((node.lineno, *_CURES[kind]))

    def visit(node: ast.AST, in_loop: bool, in_try: bool) -> None:
        kind = type(node)
        if kind in (ast.Break, ast.Continue) and not in_loop or kind in (ast.Yield, ast.YieldFrom):
            add(node, kind)
        elif kind is ast.Return:
            if in_try:
                found.append((node.lineno, "`return` inside `try` or `with`", IN_TRY))
            elif in_loop or loop:
                found.append((node.lineno, "`return` inside a loop", "assign a variable there, and return it after"))
            else:
                add(node, kind)
        elif isinstance(node, ast.stmt) and not _blocks(node) and assigned([node]) & globals_:
            name = sorted(assigned([node]) & globals_)[0]
            found.append(
                (node.lineno, f"an assignment to the global '{name}'", "assign a local variable, and return what it holds")
            )
        if isinstance(node, _SCOPES):
            return
        loops = isinstance(node, (ast.For, ast.While, ast.AsyncFor))
        guards = isinstance(node, (ast.Try, ast.With, getattr(ast, "TryStar", ast.Try)))
        for child in ast.iter_child_nodes(node):
            after = loops and child in node.orelse
            visit(child, (in_loop or loops) and not (after and not in_loop), in_try or guards)

    for one in statements:
        if isinstance(one, ast.Raise):
            add(one, ast.Raise)
        visit(one, False, False)
    return found


_CHANGES = {
    "append", "extend", "insert", "update", "setdefault", "pop", "popitem", "clear", "remove", "reverse", "sort", "add",
    "discard", "appendleft",
}  # fmt: skip


def changed_in_place(statements: list[ast.AST]) -> tuple[list[tuple], list[tuple[int, str]]]:
    """Lists the places that these change, and the changes that cannot be followed.

    The first are (path, attribute): the attribute of an object. If it is None or IN_PLACE, the contents of a container. A path is
    a name, and steps ("attribute", name) or ("item", key). The second are (line, text).
    """
    places: dict[tuple, None] = {}
    strange: list[tuple[int, str]] = []
    for node in within(statements):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            path = _path(node.value)
            if path is None:
                strange.append((node.lineno, ast.unparse(node)))
            else:
                places[path, node.attr if isinstance(node, ast.Attribute) else None] = None
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _CHANGES:
            path = _path(node.func.value)
            if path is not None:
                places[path, None] = None
        elif isinstance(node, ast.AugAssign):  # x += [y] extends a list
            path = _path(node.target)
            if path is not None:
                places[path, IN_PLACE] = None
    return list(places), strange


def _path(node: ast.AST) -> tuple | None:
    if isinstance(node, ast.Name):
        return (node.id,)
    if isinstance(node, ast.Attribute):
        before = _path(node.value)
        return None if before is None else (*before, ("attribute", node.attr))
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        before = _path(node.value)
        return None if before is None else (*before, ("item", node.slice.value))
    return None
