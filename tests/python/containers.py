"""Random functions that rebind, share and change containers, and their results as a graph."""

import random

from fake_graph import Graph, describing, function_of

from sluice import BuildError
from sluice._rewrite import rewrite

# The functions use this beside Python's own containers.
PRELUDE = """\
import dataclasses

@dataclasses.dataclass
class Pair:
    x: object
    y: object

class Thing:
    @property
    def twice(self):
        return self.n

    @twice.setter
    def twice(self, x):
        self.n = x * 2

def put(xs, x):
    xs[0] = x

"""


class Writer:
    """Writes a function of two numbers and a bool.

    Variables hold lists of two numbers (L, M, N), dicts of two numbers (D, E), lists of two lists (R), dicts of a list (H), objects
    with a list, a number and a property (O), dataclasses with a list and a number (P) and numbers (p, q). With `aliases` containers get further names.
    """

    def __init__(self, seed, aliases):
        self.random = random.Random(seed)
        self.aliases = aliases
        self.lines = []
        self.serial = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self):
        return self.pick("a", "b", "p", "q", str(self.random.randint(-3, 9)), f"{self.lists()}[0]", f"{self.lists()}[1]", f"{self.dicts()}['k']")

    def lists(self):
        """An expression that is a list of two numbers."""
        return self.pick("L", "M", "N", "L", "M", "R[0]", "R[1]", "H['l']", "O.l", "P.x")

    def dicts(self):
        return self.pick("D", "E")

    def truth(self):
        return self.pick("t", "not t", "a > 2", "b > a", "p > 3", f"{self.number()} < {self.number()}", "t and a > 2", "a > 4 or b < 2")

    def new_list(self):
        plain = f"[{self.number()}, {self.number()}]"
        if self.random.random() < 0.15:
            return f"({plain} if {self.truth()} else [{self.number()}, {self.number()}])"
        if self.random.random() < 0.1:
            return f"({self.pick('L', 'M')})[::-1]"
        return plain

    def rebinding(self, depth):
        target = self.random.random()
        name = self.pick("L", "M", "N")
        if self.aliases and target < 0.35:
            other = self.lists()
            place = self.pick(name, name, "R[0]", "H['l']", "O.l", "P.x")
            return self.pick(
                f"{place} = {other}", f"{place} = {other}", f"{place} = {other} if {self.truth()} else {self.lists()}",
                f"{place} = {other} if {self.truth()} else {self.new_list()}", f"{name}, {self.pick('L', 'M')} = {other}, {self.lists()}",
                f"E = D", f"D = D if {self.truth()} else E", f"F = ({other}, {self.lists()})", f"{name} = F[0]", f"f = lambda x={other}: x[0]" if depth == 1 else "p = f()", "p = f()",
                f"g = iter({other})", f"R = [{other}, {self.lists()}]", f"it = {other}",
            )  # fmt: skip
        return self.pick(
            f"{name} = {self.new_list()}", f"{name} = {self.new_list()}", f"{name} = {self.new_list()} if {self.truth()} else {name}",
            f"D = {{'k': {self.number()}, 'l': {self.number()}}}", f"E = {{'k': {self.number()}, 'l': {self.number()}}}",
            f"R = [{self.new_list()}, {self.new_list()}]", f"R[{self.pick(0, 1)}] = {self.new_list()}", f"H = {{'l': {self.new_list()}}}",
            f"H['l'] = {self.new_list()}", f"O.l = {self.new_list()}", f"P.x = {self.new_list()}", f"P = Pair({self.new_list()}, {self.number()})",
            "L, M = M, L", "R[0], R[1] = R[1], R[0]", f"p = {self.number()} % 9", f"q = {self.number()} + p",
        )  # fmt: skip

    def change(self):
        one = self.lists()
        dict_ = self.dicts()
        return self.pick(
            f"{one}[{self.pick(0, 1)}] = {self.number()}", f"{one}[{self.pick(0, 1)}] = {self.number()}", f"{one}[0] += {self.number()}",
            f"{dict_}['k'] = {self.number()}", f"{dict_}['l'] += {self.number()}", f"O.n = {self.number()}", f"P.y = {self.number()}",
            f"{one}.reverse()", f"{one}.append({one}.pop(0))", f"{one}[0], {one}[1] = {one}[1], {one}[0]", f"{dict_}.update(k={self.number()})",
            f"{dict_}['k'] = {dict_}.pop('k')" if self.random.random() < 0.2 else f"{one}.insert(0, {one}.pop())",
            f"{one} += [{one}.pop(0)]", f"{one} *= 1", f"{dict_} |= {{'k': {self.number()}}}", f"O.twice = {self.number()}",
            f"O.twice += {self.number()}", f"put({one}, {self.number()})" if self.random.random() < 0.2 else f"{one}[1] = {self.number()}",
        )  # fmt: skip

    def block(self, depth):
        for _ in range(self.random.randint(1, 2)):
            self.statement(depth)

    def statement(self, depth):
        kind = self.random.random()
        if kind < 0.3 or depth > 2 and kind > 0.6:
            self.line(depth, self.rebinding(depth))
        elif kind < 0.6:
            self.line(depth, self.change())
        elif kind < 0.8:
            self.line(depth, f"if {self.truth()}:")
            self.block(depth + 1)
            if self.random.random() < 0.3:
                self.line(depth, f"elif {self.truth()}:")
                self.block(depth + 1)
            if self.random.random() < 0.6:
                self.line(depth, "else:")
                self.block(depth + 1)
        elif kind < 0.86:
            self.line(depth, f"match {self.pick('a', 'b', 'p')} % 4:")
            for case in ("0", "1 | 3", "_")[: self.random.randint(1, 3)]:
                self.line(depth + 1, f"case {case}:")
                self.block(depth + 2)
        elif kind < 0.93:
            self.serial += 1
            over = self.pick("a % 3", "b % 4", "1, a % 4", "2")
            self.line(depth, f"for i{self.serial} in range({over}):")
            self.block(depth + 1)
        elif kind < 0.96:
            self.serial += 1
            self.line(depth, f"for x in {self.pick('R', '(L, M)', '[N]', 'L')}:")
            self.block(depth + 1)
            self.line(depth + 1, self.pick("pass", "x[0] = 5", "p = x[0]") if self.aliases and "in L" not in self.lines[-2] else "pass")
        else:
            self.serial += 1
            name = f"w{self.serial}"
            self.line(depth, f"{name} = {self.pick('2', 'a % 4')}")
            self.line(depth, f"while {name} > 0:")
            self.line(depth + 1, f"{name} -= 1")
            self.block(depth + 1)

    def source(self):
        self.line(0, "def program(a, b, t):")
        self.line(1, "p, q = 2, -1")
        self.line(1, "L, M, N = [a, b], [b, 1], [3, 4]")
        self.line(1, "D, E = {'k': a, 'l': b}, {'k': 1, 'l': 2}")
        self.line(1, "R, H = [[a, 1], [b, 2]], {'l': [a, a]}")
        self.line(1, "O, P = Thing(), Pair([b, a], a)")
        self.line(1, "O.l, O.n = [b, b], 7")
        if self.aliases:
            self.line(1, "F, f = ([a, 7], [b, 8]), lambda: 0")
        for _ in range(self.random.randint(0, 2)):
            self.statement(1)
        self.line(1, f"if {self.truth()}:")
        self.block(2)
        self.line(1, "else:")
        self.block(2)
        for _ in range(self.random.randint(1, 3)):
            self.statement(1)
        names = ["L", "M", "N", "list(D.items())", "E", "R", "H", "O.l", "O.n", "P.x", "P.y", "p", "q"] + (["F", "f()"] if self.aliases else [])
        kept = [one for one in names if self.random.random() < 0.6] or ["L"]
        self.line(1, f"return ({', '.join(kept)},)")
        return PRELUDE + "\n".join(self.lines) + "\n"


def verdict(source, seed):
    """("right" or "wrong" or "refused" or "fails", why) for a function of two numbers and a bool."""
    plain = function_of(source, file=f"containers_{seed}")
    randomly = random.Random(seed)
    samples = [(randomly.randint(0, 6), randomly.randint(0, 6), truth) for truth in (True, False) * 5]
    try:
        expected = [plain(*sample) for sample in samples]
    except (TypeError, IndexError, AttributeError) as error:
        return "fails", str(error)
    graph = Graph()
    values = [graph.input("i64"), graph.input("i64"), graph.input("bool")]
    try:
        with describing(graph):
            result = rewrite(plain)(*values)
    except (BuildError, TypeError) as error:
        return "refused", str(error)
    for sample, one in zip(samples, expected):
        given = graph.run(result, *sample)
        if given != one:
            return "wrong", f"{sample}: {given}, not {one}"
    return "right", ""
