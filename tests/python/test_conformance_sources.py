"""What external sources promise, by the numbers of tests/conformance.md, of Python's sources.

Elsewhere: X12, X13, X59 (test_workers.py: deaths, words of errors, what is pickled), X14 (test_iterate.py: states), X19
(test_pipeline.py: a child of fork()), X22 (test_batches.py). Not here:

- X11, X46 to X49: how shared memory grows; the library's own matter, which C++ tests.
- X20: fewer iterators than workers; an iterator has one worker, always.
- X21, X54: data fed by hand; there is no such call.
- X55, X56: memory that is not copied; arrays are, or come from shared memory.
- X58: inputs whose batches differ in size; batches are made of samples.
"""

import itertools

import numpy
import pytest

import sluice

COUNT = 50


def value(index, epoch):
    return (
        index,
        epoch,
        numpy.random.default_rng([index, epoch]).integers(0, 99, (1 + index % 3, 4)).astype(numpy.int16),
    )


VALUE = (int, int, "tensor")


def values(indices, epoch):
    return [value(i, epoch) for i in indices]


def each(epoch):
    for i in range(COUNT):
        yield value(i, epoch)


def open_value(index, epoch):
    if index >= COUNT:
        raise IndexError(index)
    return value(index, epoch)


def open_values(indices, epoch):
    if max(indices) >= COUNT:
        raise StopIteration
    return values(indices, epoch)


class Shuffles:
    """A dataset whose own order differs from epoch to epoch."""

    def __call__(self, index, epoch):
        return int(numpy.random.default_rng(42 + epoch).permutation(COUNT)[index])


WAYS = {
    "function": lambda **how: sluice.source(value, VALUE, samples=COUNT, **how),
    "function in workers": lambda **how: sluice.source(value, VALUE, samples=COUNT, workers=3, **how),
    "several": lambda **how: sluice.source(values, VALUE, samples=COUNT, batch=7, threads=2, **how),
    "several in workers": lambda **how: sluice.source(values, VALUE, samples=COUNT, batch=7, workers=2, **how),
    "ends": lambda: sluice.source(open_value, VALUE),
    "ends in workers": lambda: sluice.source(open_value, VALUE, workers=2),
    "several end": lambda: sluice.source(open_values, VALUE, batch=5),
    "several end in workers": lambda: sluice.source(open_values, VALUE, batch=7, workers=2),
    "iterator": lambda: sluice.iterate(each, VALUE),
    "iterator in a worker": lambda: sluice.iterate(each, VALUE, workers=1),
}
OF_LENGTH = list(WAYS)[:4]


def pipe_of(source, **options):
    return sluice.pipeline(**{"batch_size": 8, "threads": 2, "seed": 7, **options})(source)()


def rows_of(pipe):
    return [
        [(int(i), int(epoch), numpy.array(one).tolist()) for i, epoch, one in zip(*batch)] for batch in pipe
    ]


def expected(epoch, batch_size, last_batch="partial"):
    rows = [(i, epoch, value(i, epoch)[2].tolist()) for i in range(COUNT)]
    batches = [rows[i:i + batch_size] for i in range(0, COUNT, batch_size)]
    return batches if last_batch == "partial" else [one for one in batches if len(one) == batch_size]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("last_batch", ["partial", "drop"])
def test_X1_X2_X4_X9_X27_X28_X32_X35_X36_all_ways_give_the_same_in_each_epoch(way, last_batch):
    for batch_size in (1, 16):
        pipe = pipe_of(WAYS[way], batch_size=batch_size, last_batch=last_batch)
        for epoch in range(3):
            assert rows_of(pipe) == expected(epoch, batch_size, last_batch), epoch


@pytest.mark.parametrize("way", ["ends", "ends in workers", "several end", "iterator", "iterator in a worker"])
def test_X3_X44_the_end_comes_after_all_that_is_before_it(way):
    pipe = pipe_of(WAYS[way], batch_size=7, prefetch=8)
    run = iter(pipe)
    batches = [next(run) for _ in range(8)]
    assert [batch.size for batch in batches] == [7] * 7 + [1]
    for _ in range(3):
        with pytest.raises(StopIteration):
            next(run)


def test_X5_X41_X42_the_first_to_end_ends_the_epoch_for_all():
    asked = []

    def other(index, epoch):
        asked.append((index, epoch))
        return index

    def pair():
        short = sluice.iterate(lambda: iter(range(6)), int)
        return short, sluice.source(other, int), sluice.source(value, VALUE, samples=COUNT, workers=2)[0]

    pipe = sluice.pipeline(batch_size=4, threads=2)(pair)()
    for epoch in range(3):
        got = [tuple(map(int, row)) for batch in pipe for row in zip(*batch)]
        assert got == [(i, i, i) for i in range(6)]
        assert {i for i, of in asked if of == epoch} >= set(range(6))


def test_X6_X17_X18_X24_X25_what_cannot_be_is_refused():
    generator = each(0)
    table = [
        (lambda: sluice.iterate(each, VALUE, workers=4), "one worker goes through an iterator, not 4"),
        (lambda: sluice.source(each, VALUE, samples=4, workers=2), "each\\(\\) is a generator"),
        (lambda: sluice.source(generator, VALUE), "sluice.iterate\\(\\) takes what is gone through once"),
        (lambda: sluice.iterate(generator, VALUE), "a function that gives an iterator for each epoch, not generator"),
        (lambda: sluice.source(value, VALUE, samples=4, workers=-1), "workers is -1; it must be at least 1"),
        (lambda: sluice.source(value, VALUE, samples=4, workers=sluice.WorkerOptions(prefetch=0)), "prefetch is 0"),
        (lambda: sluice.source(value, VALUE, samples=-1), "samples must be a whole number from 0 on"),
        (lambda: sluice.source(value, "number", samples=1), "there are i8, u8"),
    ]
    for source, words in table:
        with pytest.raises(sluice.BuildError, match=words):
            pipe_of(source)


@pytest.mark.parametrize("workers", [0, 1])
def test_X7_arrays_that_change_afterwards_are_what_they_were(workers):
    assert [int(one[0]) for batch in pipe_of(lambda: sluice.iterate(reused, "tensor", workers=workers)) for one in batch[0]] \
        == list(range(20))


def reused():
    array = numpy.zeros(300, numpy.int32)
    for i in range(20):
        array[:] = i
        yield array


def test_X8_X37_X38_X39_X40_what_follows_the_end():
    def rounds(make, epochs=3):
        pipe = pipe_of(lambda: sluice.iterate(make, int), batch_size=2, last_batch="drop")
        return [[n for batch in pipe for n in batch[0].tolist()] for _ in range(epochs)]

    once = iter(range(4))
    assert rounds(lambda: iter(range(4))) == [[0, 1, 2, 3]] * 3  # "raise"
    assert rounds(lambda: once) == [[0, 1, 2, 3], [], []]  # off: it has ended for good

    endless = pipe_of(lambda: sluice.iterate(lambda: itertools.cycle(range(3)), int), batch_size=3)
    assert [batch[0].tolist() for batch in itertools.islice(iter(endless), 5)] == [[0, 1, 2]] * 5  # "quiet"


def test_X10_X31_groups_are_cut_out_of_the_order_and_come_back_in_it():
    groups = []

    def kept(indices):
        groups.append(list(indices))
        return list(indices)

    pipe = pipe_of(lambda: sluice.source(kept, int, samples=COUNT, batch=16, shuffle=True), batch_size=10)
    order = [n for batch in pipe for n in batch[0].tolist()]
    assert sorted(map(len, groups)) == [2, 16, 16, 16]
    assert sorted(groups) == sorted(order[i:i + 16] for i in range(0, COUNT, 16))


@pytest.mark.parametrize(
    "function, words",
    [
        (lambda: 1, "cannot be called as data\\(index\\), or data\\(index, epoch\\)"),  # X15
        (lambda a, b, c: 1, "<lambda>\\(a, b, c\\) cannot be called as data"),  # X16
        (lambda *, key: 1, "cannot be called as data"),
    ],
)
@pytest.mark.parametrize("workers", [0, 2])
def test_X15_X16_functions_of_other_arguments_are_refused(function, words, workers):
    with pytest.raises(sluice.BuildError, match=words):
        pipe_of(lambda: sluice.source(function, int, samples=4, workers=workers))
    with pytest.raises(sluice.BuildError, match="cannot be called as make\\(\\), or make\\(epoch\\)"):
        pipe_of(lambda: sluice.iterate(lambda a, b: iter(()), int))


def test_X23_X26_what_does_not_fit_is_the_error_of_its_sample():
    table = [
        (lambda i: numpy.zeros((2,) * (1 + i % 2)), "tensor", [1, 3], "make all agree in type, layout and number"),
        (lambda i: {1} if i == 2 else numpy.zeros(3), "tensor", [2], "expected an array in host memory"),
    ]
    for function, type_, failed, words in table:
        (batch,) = pipe_of(lambda: sluice.source(function, type_, samples=4), on_error="skip")
        assert batch.missing == failed and all(words in one["what"] for one in batch.errors), batch.errors


def test_X29_X30_pipelines_and_sources_side_by_side():
    pairs = [(pipe_of(WAYS["function in workers"]), pipe_of(WAYS["function"])) for _ in range(3)]
    for _ in range(2):
        for run in zip(*(itertools.chain(pair) for pair in pairs)):
            assert rows_of(run[0]) == rows_of(run[1]) == rows_of(run[2])

    def mixed():
        here = sluice.source(value, VALUE, samples=COUNT)
        return here[0], sluice.iterate(each, VALUE, workers=1)[0], sluice.source(value, VALUE, samples=COUNT, workers=3)[0]

    rows = [tuple(map(int, row)) for batch in sluice.pipeline(batch_size=9)(mixed)() for row in zip(*batch)]
    assert rows == [(i, i, i) for i in range(COUNT)]


@pytest.mark.parametrize("workers", [0, 2])
def test_X33_layouts_stay_to_the_end(workers):
    pipe = pipe_of(lambda: sluice.source(image_of, "image", samples=30, workers=workers), batch_size=7)
    assert [(batch[0].layout, batch[0].shape[1:]) for batch in pipe] == [("HWC", (4, 5, 3))] * 5


def image_of(index):
    return numpy.full((4, 5, 3), index, numpy.uint8)


class OwnError(Exception):
    pass


def fails(index):
    if index == 20:
        raise OwnError("row 20 is broken")
    return index


@pytest.mark.parametrize("workers", [0, 1, 4])
def test_X34_an_error_comes_with_its_batch_and_an_end_ends(workers):
    pipe = pipe_of(lambda: sluice.source(fails, int, samples=COUNT, workers=workers), batch_size=8)
    run = iter(pipe)
    assert [next(run)[0].tolist() for _ in range(2)] == [list(range(8)), list(range(8, 16))]
    with pytest.raises(sluice.BatchError, match="OwnError: row 20 is broken"):
        next(run)


@pytest.mark.parametrize("workers", [0, 2])
def test_X43_a_source_shuffles_by_itself(workers):
    pipe = pipe_of(lambda: sluice.source(Shuffles(), int, samples=COUNT, workers=workers))
    epochs = [[n for batch in pipe for n in batch[0].tolist()] for _ in range(3)]
    assert all(sorted(one) == list(range(COUNT)) for one in epochs)
    assert epochs == [numpy.random.default_rng(42 + e).permutation(COUNT).tolist() for e in range(3)]


@pytest.mark.parametrize("way", OF_LENGTH)
def test_X45_shards_are_parts_of_the_epoch(way):
    rows = [
        row
        for shard in range(3)
        for batch in rows_of(pipe_of(lambda: WAYS[way](shuffle=True, shard=(shard, 3))))
        for row in batch
    ]
    assert sorted(rows) == expected(0, COUNT)[0]


def test_X50_X51_X52_X53_collections_and_calls():
    class Calls:
        def __init__(self):
            self.count = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.count += 1
            return self.count - 1

    array = numpy.arange(24).reshape(6, 4)
    table = [
        (lambda: sluice.source(array, "tensor"), array.tolist()),
        (lambda: sluice.iterate(lambda: iter(array), "tensor"), array.tolist()),
        (lambda: sluice.source([3, 1, 2], int), [3, 1, 2]),
        (lambda: sluice.source([3, 1, 2], (int,)), [3, 1, 2]),
    ]
    for source, wanted in table:
        got = [numpy.array(one).tolist() for batch in pipe_of(source, batch_size=4) for one in batch[0]]
        assert got == wanted
    calls = pipe_of(lambda: sluice.iterate(Calls, int), batch_size=4)
    assert [batch[0].tolist() for batch in itertools.islice(iter(calls), 3)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]


def test_X57_an_output_that_nobody_uses():
    pipe = pipe_of(lambda: sluice.source(value, VALUE, samples=COUNT, workers=2)[0])
    assert [n for batch in pipe for n in batch[0].tolist()] == list(range(COUNT))
