"""Small programs over a few samples: what plain Python gives for each, and what a pipeline gives."""

import sluice

SAMPLES = [(1, 5, True, "x", 1.5), (2, 5, False, "y", 2.5), (3, 4, True, "z", 0.5)]
TYPES = (int, int, bool, str, float)


def of_python(program):
    """Runs the program for each sample; an error counts as its type."""
    given = []
    for sample in SAMPLES:
        try:
            given.append(program(*sample[: program.__code__.co_argcount]))
        except Exception as error:
            given.append(type(error))
    return given


def of_sluice(program):
    """The same by a pipeline, in which the program is described once."""
    count = program.__code__.co_argcount

    @sluice.pipeline(batch_size=len(SAMPLES))
    def describe():
        values = sluice.source(lambda i: SAMPLES[i], returns=TYPES, samples=len(SAMPLES))
        return sluice.graph_function(program)(*values[:count])

    (batch,) = describe()
    (column,) = batch.columns
    return column.tolist() if hasattr(column, "tolist") else list(column)


def by_name(programs):
    """Arguments of pytest.mark.parametrize."""
    return {"argvalues": programs, "ids": [one.__name__ for one in programs]}
