"""Iterators that a worker process goes through: what it gives is what threads give."""

import os
import pathlib

import numpy
import pytest

import sluice
from worker_sets import GoesOn, numbers_and_errors

WORKERS = sluice.WorkerOptions(workers=1, deadline_s=30, restarts=3)


def counting(epoch):
    for i in range(30):
        yield 100 * epoch + i, numpy.full((2, 3), i, numpy.uint8), {"row": i}


def failing():
    yield from range(5)
    raise IndexError("no row 5")


def cannot_begin():
    raise OSError("no such database")


class Dies:
    """Ends its process at sample 6, once."""

    def __init__(self, folder):
        self.folder = folder

    def __call__(self):
        with open(os.path.join(self.folder, "begun"), "a") as file:
            file.write(".")
        for i in range(12):
            if i == 6 and not os.path.exists(os.path.join(self.folder, "died")):
                open(os.path.join(self.folder, "died"), "w").close()
                os._exit(5)
            yield i


def always_dies():
    yield from range(2)
    os._exit(5)


class SetUp:
    def __worker_init__(self, worker, workers):
        self.told = (worker, workers)

    def __call__(self):
        yield self.told


def pipe_of(make, returns=int, workers=WORKERS, **options):
    options = {"batch_size": 4, "threads": 2, "on_error": "skip", **options}
    return sluice.pipeline(**options)(lambda: sluice.iterate(make, returns, workers=workers))()


def test_gives_what_threads_give_in_each_epoch():
    def rows(workers):
        pipe = pipe_of(counting, (int, "tensor", "object"), workers)
        return [
            [(batch[0].tolist(), numpy.asarray(batch[1]).tolist(), list(batch[2])) for batch in pipe]
            for _ in range(3)
        ]

    by_worker = rows(WORKERS)
    assert by_worker == rows(0)
    assert by_worker[2][1][0] == [204, 205, 206, 207] and len(by_worker[0]) == 8


def test_an_epoch_that_is_left_leaves_nothing_behind():
    pipe = pipe_of(counting, (int, "tensor", "object"))
    for epoch in (0, 1, 2):
        for batch in pipe:
            assert batch[0].tolist() == [100 * epoch + i for i in range(4)]
            break


def test_goes_on_from_a_state_and_is_looked_into():
    pipe = pipe_of(counting, (int, "tensor", "object"))
    numbers = []
    for batch in pipe:
        numbers += batch[0].tolist()
        if len(numbers) == 12:
            state = pipe.state_dict()
            assert pipe.inspect(25)["values"]["unpickle"] == {"row": 25}
    resumed = pipe_of(counting, (int, "tensor", "object"))
    resumed.load_state_dict(state)
    rest = [i for batch in resumed for i in batch[0].tolist()]
    assert numbers == list(range(30)) and rest == numbers[12:]


def test_what_is_raised_is_the_error_of_its_sample():
    numbers, errors = numbers_and_errors(pipe_of(failing))
    assert numbers == [0, 1, 2, 3, 4] and list(errors) == [5]
    assert "IndexError: no row 5" in errors[5] and "in failing" in errors[5]

    numbers, errors = numbers_and_errors(pipe_of(GoesOn))
    assert numbers == [i for i in range(20) if i % 5 != 3] and list(errors) == [3, 8, 13, 18]

    numbers, errors = numbers_and_errors(pipe_of(cannot_begin))
    assert numbers == [] and "no such database" in errors[0]


def test_a_worker_that_dies_costs_its_sample(tmp_path):
    numbers, errors = numbers_and_errors(pipe_of(Dies(str(tmp_path))))
    assert numbers == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert list(errors) == [6] and "ended with status 5" in errors[6]
    assert pathlib.Path(tmp_path, "begun").read_text() == ".."


def test_an_epoch_ends_that_no_worker_can_go_on_with():
    # One thread requests the samples in order. With two, sample 0 may come after the last restart.
    pipe = pipe_of(always_dies, threads=1)
    numbers, errors = numbers_and_errors(pipe)
    assert numbers == [0, 1] and 2 in errors and len(errors) < 100
    with pytest.raises(sluice.Error, match="no worker of 'iterate' is left"):
        list(pipe)


def test_a_renewed_worker_begins_again_up_to_its_sample():
    options = sluice.WorkerOptions(workers=1, renew_after=7)
    numbers, errors = numbers_and_errors(pipe_of(counting, (int, "tensor", "object"), options))
    assert numbers == list(range(30)) and not errors


def test_is_set_up_in_its_worker():
    assert [list(batch[0]) for batch in pipe_of(SetUp(), "object")] == [[(0, 1)]]


@pytest.mark.parametrize(
    "make, workers, words",
    [
        (counting, 2, "one worker goes through an iterator, not 2"),
        (counting, True, "workers must be a number of processes"),
        (iter([1]), 1, "takes a function that gives an iterator"),
    ],
)
def test_refuses_what_cannot_be(make, workers, words):
    with pytest.raises(sluice.BuildError, match=words):
        pipe_of(make, workers=workers)
