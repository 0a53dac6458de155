"""What the conformance tests share: predicates for 5 batches of 10, and a check against plain Python."""

import numpy

import sluice
from sluice._structure import flatten

BATCH, BATCHES = 10, 5
ROWS = [(i, it) for it in range(BATCHES) for i in range(BATCH)]
RANDOM = numpy.random.default_rng(5)

WHOLE = {
    "PI1": lambda i, it: i - 3,
    "PI2": lambda i, it: -1 if i % 2 == 0 else 1,
    "PI3": lambda i, it: (i % 3 == 0) - 1,
    "PI4": lambda i, it: 1,
    "PI5": lambda i, it: 0,
    "PI6": lambda i, it: -1,
    "PI7": lambda i, it: int(RANDOM.choice([-2, 0, 2])),
}
TRUTH = {
    "PB1": lambda i, it: i < 3,
    "PB2": lambda i, it: i % 2 == 0,
    "PB3": lambda i, it: i % 3 == 0,
    "PB4": lambda i, it: (i + it % 2) % 2 == 0,
    "PB5": lambda i, it: False,
    "PB6": lambda i, it: bool(RANDOM.integers(2)),
}
WHOLE = {name: [int(f(*row)) for row in ROWS] for name, f in WHOLE.items()}
TRUTH = {name: [bool(f(*row)) for row in ROWS] for name, f in TRUTH.items()}
# By the kind of an input in programs.json.
VALUES = {"number": WHOLE, "bool": TRUTH}


def described(function, columns, **options):
    """A pipeline that calls `function` on the rows of `columns`."""
    graph_function = sluice.graph_function(function)
    types = tuple(type(column[0]) for column in columns)

    @sluice.pipeline(**{"batch_size": BATCH, "threads": 2, **options})
    def pipe():
        rows = [row if len(row) > 1 else row[0] for row in zip(*columns)]
        return graph_function(*sluice.source(rows, returns=types))

    return pipe()


def check(function, *columns):
    """Python, sample by sample, and the library say the same, also about structures."""
    wanted = [flatten(function(*row))[0] for row in zip(*columns)]
    given = []
    for batch in described(function, columns):
        lists = [one if isinstance(one, list) else one.tolist() for one in batch.columns]
        given += [list(row) for row in zip(*lists)]
        assert str(batch.structure) == str(flatten(function(*(column[0] for column in columns)))[1])
    assert given == wanted
