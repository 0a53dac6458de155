"""The programs of tests/graph/conformance/programs.json as Python functions, and the columns of inputs."""

import itertools
import json
import linecache
import pathlib

import conformance

FILE = pathlib.Path(__file__).parent.parent / "graph" / "conformance" / "programs.json"
PROGRAMS = json.loads(FILE.read_text())["programs"]


def block(statements, depth):
    """The lines of these statements."""
    for one in statements:
        if isinstance(one, str):
            yield depth, one
        elif "if" in one:
            yield depth, f"if {one['if']}:"
            yield from block(one["then"], depth + 1)
            if "else" in one:
                yield depth, "else:"
                yield from block(one["else"], depth + 1)
        elif "for" in one:
            yield depth, f"for {one['for']} in range({one['times']}):"
            yield from block(one["do"], depth + 1)
        elif "at most" in one:
            # Python's while has no limit of its own. The names are of this loop only.
            trips, most = f"trips_{depth}", f"most_{depth}"
            yield depth, f"{trips}, {most} = 0, {one['at most']}"
            yield depth, f"while {trips} < {most} and ({one['while']}):"
            yield from block(one["do"], depth + 1)
            yield depth + 1, f"{trips} = {trips} + 1"
        else:
            yield depth, f"while {one['while']}:"
            yield from block(one["do"], depth + 1)


def source(program):
    """The text of a Python function."""
    lines = [(0, f"def {program['name']}({', '.join(program['inputs'])}):")]
    lines += block(program["do"], 1)
    lines.append((1, f"return {program['gives']}"))
    return "".join("    " * depth + line + "\n" for depth, line in lines)


def function(program):
    """Compiles the program. Registers its text in linecache, so that `inspect` finds it."""
    text = source(program)
    file = f"{program['name']}.py"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    scope = {}
    exec(compile(text, file, "exec"), scope)
    return scope[program["name"]]


def columns(program):
    """One column of values for each input: all combinations of predicates, each for all samples."""
    kinds = list(program["inputs"].values())
    predicates = [conformance.VALUES[kind].values() for kind in kinds if kind != "index"]
    # A program without predicates runs for four times as many samples.
    combinations = list(itertools.product(*predicates)) if predicates else [()] * 4
    by_input = iter(zip(*combinations))
    return [
        list(range(len(combinations) * len(conformance.ROWS)))
        if kind == "index"
        else list(itertools.chain.from_iterable(next(by_input)))
        for kind in kinds
    ]
