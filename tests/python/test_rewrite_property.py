"""Random functions: traced once and run for a sample, they give what Python gives for its numbers."""

import os
import random

import containers
import pytest
from fake_graph import Graph, describing, function_of

from sluice._rewrite import rewrite

INPUTS = ("a", "b", "c")


class Writer:
    """Writes a function of INPUTS. Variables hold whole numbers, flags hold bools; p and q begin as plain numbers."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.names = [*INPUTS, "p", "q"]
        self.flags = []
        self.serial = 0

    def line(self, depth, text):
        self.lines.append("    " * depth + text)

    def pick(self, *choices):
        return self.random.choice(choices)

    def number(self, depth=0):
        kind = self.random.random()
        if depth > 2 or kind < 0.45:
            return self.pick(*self.names, str(self.random.randint(-4, 9)))
        if kind < 0.9:
            return f"({self.number(depth + 1)} {self.pick('+', '-', '*')} {self.number(depth + 1)})"
        return f"({self.number(depth + 1)} if {self.truth(depth + 1)} else {self.number(depth + 1)})"

    def truth(self, depth=0):
        kind = self.random.random()
        if self.flags and kind < 0.15:
            return self.pick(*self.flags)
        compare = self.pick("<", "<=", ">", ">=", "==", "!=")
        if depth > 2 or kind < 0.5:
            return f"{self.number(2)} {compare} {self.number(2)}"
        if kind < 0.6:
            return f"({self.number(2)} {compare} {self.number(2)} {self.pick('<', '!=')} {self.number(2)})"
        if kind < 0.7:
            return f"(not {self.truth(depth + 1)})"
        return f"({self.truth(depth + 1)} {self.pick('and', 'or')} {self.truth(depth + 1)})"

    def fresh(self):
        self.serial += 1
        return f"t{self.serial}"

    def block(self, depth, budget):
        for _ in range(self.random.randint(1, budget)):
            self.statement(depth, budget)

    def within(self, depth, budget):
        """A block whose own variables are gone after it."""
        names, flags = list(self.names), list(self.flags)
        self.block(depth, budget)
        self.names, self.flags = names, flags

    def statement(self, depth, budget):
        kind = self.random.random()
        if kind < 0.3 or depth > 4:
            self.line(depth, f"{self.pick(*self.names)} = {self.number()} % 23")
        elif kind < 0.4:
            self.line(depth, f"{self.pick(*self.names)} {self.pick('+', '-')}= {self.number()}")
        elif kind < 0.45:
            one, two = self.pick(*self.names), self.pick(*self.names)
            self.line(depth, f"{one}, {two} = {two}, {one}" if one != two else "pass")
        elif kind < 0.5:
            name = self.fresh()
            self.line(depth, f"{name} = {self.number()} % 7")
            self.names.append(name)
        elif kind < 0.55:
            name = self.fresh()
            self.line(depth, f"{name} = {self.truth()}")
            self.flags.append(name)
        elif kind < 0.58:
            self.line(depth, f"d['k'] = {self.number()} % 11")
        elif kind < 0.6:
            self.line(depth, f"{self.pick(*self.names)} = d['k']")
        elif kind < 0.78:
            self.line(depth, f"if {self.truth()}:")
            self.within(depth + 1, budget - 1 or 1)
            if self.random.random() < 0.4:
                self.line(depth, f"elif {self.truth()}:")
                self.within(depth + 1, budget - 1 or 1)
            if self.random.random() < 0.6:
                self.line(depth, "else:")
                self.within(depth + 1, budget - 1 or 1)
        elif kind < 0.84:
            self.line(depth, f"match {self.pick(*self.names)} % 5:")
            for case in ("0", "1 | 3", "_")[: self.random.randint(1, 3)]:
                self.line(depth + 1, f"case {case}:")
                self.within(depth + 2, 1)
        elif kind < 0.92:
            name = self.fresh()
            steps = self.pick("{0} % 4", "1, {0} % 6", "{0} % 5, -1, -2", "2")
            self.line(depth, f"for {name} in range({steps.format(self.pick(*self.names))}):")
            names, flags = list(self.names), list(self.flags)
            self.names.append(name)
            self.block(depth + 1, budget - 1 or 1)
            self.names, self.flags = names, flags
        else:
            name = self.fresh()
            self.line(depth, f"{name} = {self.pick('3', 'a % 4')}")
            self.line(depth, f"while {name} > 0{self.pick('', f' and {self.truth(2)}')}:")
            self.line(depth + 1, f"{name} -= 1")
            self.within(depth + 1, budget - 1 or 1)

    def source(self):
        self.line(0, "def program(a, b, c):")
        self.line(1, "p, q = 2, -1")
        self.line(1, "d = {'k': 5}")
        self.block(1, 4)
        if self.random.random() < 0.5:
            self.line(1, f"if {self.truth()}:")
            self.within(2, 2)
            self.line(2, f"return ({', '.join(self.names[:5])}, d['k'] + 1, 0)")
        self.block(1, 3)
        self.line(1, f"return ({', '.join(self.names[:5])}, d['k'], 1)")
        return "\n".join(self.lines) + "\n"


@pytest.mark.parametrize("seed", range(120))
def test_random_program(seed):
    source = Writer(seed).source()
    plain = function_of(source, file=f"program_{seed}")
    rewritten = rewrite(plain)
    graph = Graph()
    values = [graph.input() for _ in INPUTS]
    with describing(graph):
        result = rewritten(*values)
    randomly = random.Random(seed)
    for _ in range(12):
        sample = [randomly.randint(-6, 9) for _ in INPUTS]
        expected = plain(*sample)
        assert rewritten(*sample) == expected, f"plainly, {sample}\n{source}"
        assert graph.run(result, *sample) == expected, f"as a graph, {sample}\n{source}"


class Returning(Writer):
    """Writes functions that return in `try` and `with`. Their exceptions are the same for all samples."""

    def block(self, depth, budget):
        for _ in range(self.random.randint(1, 3)):
            kind = self.random.random()
            if depth > 5 or kind < 0.35:
                self.line(depth, self.pick("a = a + 1", "b = b * 2 + a", "b = b + table[2]", "b = b + table[9]", "b = b - a"))
            elif kind < 0.5:
                self.line(depth, f"return {self.pick('a + b', 'b', 'a * table[3]')}")
            elif kind < 0.7:
                self.line(depth, f"if {self.pick('a > 2', 'b > 3', 'a == 1', 'table', 'not table')}:")
                self.block(depth + 1, budget)
                self.maybe(0.5, depth, "else:", budget)
            elif kind < 0.9:
                self.line(depth, "try:")
                self.block(depth + 1, budget)
                if self.maybe(0.8, depth, "except KeyError:", budget):
                    self.maybe(0.2, depth, "except ValueError:", budget)
                    self.maybe(0.4, depth, "else:", budget)
                else:
                    self.line(depth, "finally:")
                    self.line(depth + 1, "b = b + 1")
            else:
                self.line(depth, f"with contextlib.{self.pick('suppress(KeyError)', 'nullcontext()')}:")
                self.block(depth + 1, budget)

    def maybe(self, probability, depth, head, budget):
        if self.random.random() < probability:
            self.line(depth, head)
            self.block(depth + 1, budget)
            return True
        return False

    def source(self):
        self.line(0, "import contextlib")
        self.line(0, "table = {2: 20, 3: 30}")
        self.line(0, "def program(a):")
        self.line(1, "b = a + 1")
        self.line(1, "if a > 1:")
        self.block(2, 0)
        self.line(1, "b = b + 7")
        self.line(1, "return a + b")
        return "\n".join(self.lines) + "\n"


def result_of(function, x):
    try:
        return function(x)
    except (KeyError, UnboundLocalError) as error:
        return type(error)


def test_random_programs_that_return_in_try_and_with():
    right = 0
    for seed in range(100):
        source = Returning(seed).source()
        plain = function_of(source, file=f"returning_{seed}")
        rewritten = rewrite(plain)
        expected = [result_of(plain, x) for x in range(-1, 6)]
        assert [result_of(rewritten, x) for x in range(-1, 6)] == expected, f"plainly\n{source}"
        graph = Graph()
        value = graph.input()
        try:
            with describing(graph):
                result = rewritten(value)
        except (ValueError, KeyError):  # refused, a BuildError mostly; or an exception in a branch that no sample takes
            continue
        assert [graph.run(result, x) for x in range(-1, 6)] == expected, f"as a graph\n{source}"
        right += 1
    assert right > 40


PROGRAMS = 5000 if os.environ.get("SLUICE_THOROUGH") else 150


@pytest.mark.parametrize("aliases", [False, True], ids=["without aliases", "with aliases"])
def test_random_programs_with_containers(aliases):
    found = {"right": 0, "refused": 0, "fails": 0}
    for seed in range(PROGRAMS):
        source = containers.Writer(seed, aliases).source()
        verdict, why = containers.verdict(source, seed)
        assert verdict in found, f"{why}\n{source}"
        found[verdict] += 1
    # Without aliases only two kinds are refused: changes by a called function, and keys in another order.
    assert found["refused"] < PROGRAMS * (0.4 if aliases else 0.12), found
