"""Sources that worker processes are asked for several samples of at once."""

import os

import numpy
import pytest

import sluice
from worker_sets import numbers_and_errors


class Rows:
    """The numbers below 40, and how many were asked for together."""

    def __len__(self):
        return 40

    def __getitem__(self, i):
        return i, numpy.full((i % 7, 2), i, numpy.float32), {"row": i}, 1

    def __getitems__(self, indices):
        return [(*self[i][:3], len(indices)) for i in indices]


ROWS = (int, "tensor", "object", int)


class Images:
    def __len__(self):
        return 10

    def __getitem__(self, i):
        return i, numpy.full((6, 6, 3), i, numpy.uint8)


def by_epoch(indices, epoch):
    return [1000 * epoch + i for i in indices]


def loads(indices):
    if 5 in indices:
        raise OSError("database gone")
    return list(indices)


def gives_fewer(indices):
    return [i for i in indices if i < 10]


def gives_errors(indices):
    return [i if i % 5 else ValueError(f"bad row {i}") for i in indices]


def some(indices):
    if max(indices) >= 8:
        raise IndexError(indices)
    return list(indices)


def dies(indices):
    if 5 in indices:
        os._exit(4)
    return list(indices)


def gives_a_number(indices):
    return 3


def gives_too_many(indices):
    return [1] * 99


def pipe_of(data, returns=int, batch=4, workers=2, batch_size=5, **source):
    return sluice.pipeline(batch_size=batch_size, threads=2, on_error="skip", seed=3)(
        lambda: sluice.source(data, returns, batch=batch, workers=workers, **source))()


@pytest.mark.parametrize("shuffle", [False, True])
def test_gives_what_threads_give(shuffle):
    def rows(workers):
        pipe = pipe_of(Rows(), ROWS, workers=workers, shuffle=shuffle)
        return [
            [(batch[0].tolist(), [numpy.array(one).tolist() for one in batch[1]], list(batch[2])) for batch in pipe]
            for _ in range(2)
        ]

    assert rows(2) == rows(0) == rows(1)


def test_asks_for_several_at_once():
    together = [n for batch in pipe_of(Rows(), ROWS, workers=1) for n in batch[3].tolist()]
    assert len(together) == 40 and max(together) == 4


def test_an_epoch_is_told():
    pipe = pipe_of(by_epoch, samples=9)
    assert [numbers_and_errors(pipe)[0] for _ in range(2)] == [list(range(9)), list(range(1000, 1009))]
    assert pipe.inspect(7)["values"]["source"] in (7, 1007, 2007)


# The groups of samples depend on chance; the outcomes of samples do not.


@pytest.mark.parametrize("workers", [0, 2])
def test_what_is_raised_is_the_error_of_its_sample(workers):
    numbers, errors = numbers_and_errors(pipe_of(loads, samples=12, workers=workers))
    assert numbers == [i for i in range(12) if i != 5] and list(errors) == [5]
    assert "OSError: database gone (" in errors[5] and "in loads)" in errors[5]


@pytest.mark.parametrize("workers", [0, 2])
def test_what_is_not_given_is_the_error_of_its_sample(workers):
    numbers, errors = numbers_and_errors(pipe_of(gives_fewer, samples=12, workers=workers))
    assert numbers == list(range(10)) and list(errors) == [10, 11]
    assert all(what.endswith("a list of 1 sample is expected, not of 0") for what in errors.values()), errors


@pytest.mark.parametrize("workers", [0, 2])
def test_an_exception_in_the_list_is_the_error_of_its_sample(workers):
    numbers, errors = numbers_and_errors(pipe_of(gives_errors, samples=12, workers=workers))
    assert numbers == [i for i in range(12) if i % 5] and errors == {i: f"ValueError: bad row {i}" for i in (0, 5, 10)}


def bad_at_the_end(indices):
    if max(indices) > 10:
        raise IndexError(indices)
    return [i if i < 10 else OSError("bad row") for i in indices]


@pytest.mark.parametrize("workers", [0, 1])
def test_an_error_is_heard_of_where_short_batches_are_dropped(workers):
    pipe = sluice.pipeline(batch_size=4, on_error="skip", last_batch="drop")(
        lambda: sluice.source(bad_at_the_end, int, batch=4, workers=workers))()
    assert numbers_and_errors(pipe) == (list(range(10)), {10: "OSError: bad row"})


@pytest.mark.parametrize("before, then", [(0, 2), (2, 0), (0, 1)])
@pytest.mark.parametrize("batch", [0, 4])
def test_checkpoints_go_between_threads_and_workers(before, then, batch):
    """Also where what the source gives is used by other steps."""

    def pipe_with(workers):
        def describe():
            row, image = sluice.source(Images(), (int, "image"), batch=batch, workers=workers, shuffle=True)
            return row + 1, sluice.ops.resize(image, width=4, height=4)

        return sluice.pipeline(batch_size=3, seed=3)(describe)()

    def rest_of(batches):
        return [(batch.index, batch[0].tolist(), batch[1].numpy().tolist()) for batch in batches]

    begun = pipe_with(before)
    batches = iter(begun)
    next(batches)
    resumed = pipe_with(then)
    resumed.load_state_dict(begun.state_dict())
    assert rest_of(resumed) == rest_of(batches)


def test_a_function_without_an_end_ends():
    for workers in (1, 3):
        assert numbers_and_errors(pipe_of(some, workers=workers)) == (list(range(8)), {})


def test_a_worker_that_dies_costs_the_sample_that_it_was_at():
    for workers in (1, 3):
        numbers, errors = numbers_and_errors(pipe_of(dies, samples=12, workers=workers))
        assert list(errors) == [5] and "ended with status 4" in errors[5]
        assert numbers == [i for i in range(12) if i != 5]


@pytest.mark.parametrize("gives, words", [
    (gives_a_number, "a list of samples is expected, not <class 'int'>"),
    (gives_too_many, "a list of 1 sample is expected, not of 99"),
])
def test_says_what_is_wrong_with_a_group(gives, words):
    numbers, errors = numbers_and_errors(pipe_of(gives, samples=4))
    assert not numbers and list(errors) == [0, 1, 2, 3]
    assert all(words in what for what in errors.values()), errors


class Sorting:
    """Sorts the indices that it is given, and fails for one of them."""

    def __len__(self):
        return 24

    def __getitems__(self, indices):
        indices.sort(reverse=True)
        if 5 in indices and len(indices) > 1:
            raise ValueError("not together")
        return [i * 100 for i in indices]


def test_indices_that_a_dataset_sorts_are_its_own():
    @sluice.pipeline(batch_size=8)
    def describe():
        return sluice.source(Sorting(), returns=int, batch=4, workers=1)

    values = {place: value for batch in describe() for place, value in zip(batch.ids, batch[0].tolist())}
    assert len(values) == 24 and values[5] == 500  # asked for alone, by its own number
