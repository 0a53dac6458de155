"""Samples that an iterator gives: their order, their errors, and sample by sample."""

import functools

import pytest

import sluice
from worker_sets import GoesOn, numbers_and_errors


def pipe_of(make, returns=int, **options):
    options = {"batch_size": 4, "threads": 2, "io_threads": 4, "on_error": "skip", **options}
    return sluice.pipeline(**options)(lambda: sluice.iterate(make, returns))()


def failing(error):
    def make():
        yield from range(5)
        raise error
    return make


@pytest.mark.parametrize("error", [ValueError("no more"), IndexError("out of range"), KeyError("x")])
def test_what_a_generator_raises_is_an_error_and_its_end(error):
    for _ in range(20):
        numbers, errors = numbers_and_errors(pipe_of(failing(error)))
        assert numbers == [0, 1, 2, 3, 4]
        assert list(errors) == [5] and type(error).__name__ in errors[5] and "in make" in errors[5]
    with pytest.raises(sluice.BatchError, match=type(error).__name__):
        list(pipe_of(failing(error), on_error="fail"))


class FailsAt:
    """Makes iterators of the numbers below 12 that fail at one of them."""

    def __init__(self, index):
        self.index = index

    def __call__(self):
        for i in range(12):
            if i == self.index:
                raise OSError("the database is gone")
            yield i


@pytest.mark.parametrize("last, compact, workers", [
    *((last, compact, 0) for last in ("partial", "drop", "fill") for compact in (False, True)), ("drop", False, 1)])
def test_its_error_is_heard_of_whatever_becomes_of_short_batches(last, compact, workers):
    for index in (0, 1, 3, 4, 6) if workers == 0 else (5,):
        for on_error in ("fail", "skip", "replace"):
            pipe = sluice.pipeline(batch_size=4, threads=2, last_batch=last, compact=compact, on_error=on_error)(
                lambda: sluice.iterate(FailsAt(index), int, workers=workers))()
            told, thrown = [], []
            batches = iter(pipe)
            while True:
                try:
                    told += [(e["index"], e["what"]) for e in next(batches).errors]
                except sluice.BatchError as error:
                    thrown += [e["index"] for e in error.errors]
                except StopIteration:
                    break
            assert [i for i, what in told if "the database is gone" in what] == [index]
            assert thrown == ([index] if on_error == "fail" or on_error == "replace" and index == 0 else [])
        with pytest.raises(sluice.BudgetError, match="the database is gone"):
            list(sluice.pipeline(batch_size=4, last_batch=last, compact=compact, on_error="skip", max_errors=0)(
                lambda: sluice.iterate(FailsAt(index), int, workers=workers))())


@pytest.mark.parametrize("workers", [0, 1])
def test_what_takes_the_place_of_a_sample_is_taken_from_nobody(workers):
    pipe = sluice.pipeline(batch_size=4, threads=2, on_error="replace")(
        lambda: sluice.iterate(GoesOn, int, workers=workers))()
    numbers, replaced = [], []
    for batch in pipe:
        numbers += batch[0].tolist()
        replaced += batch.replaced
    assert replaced == [3, 8, 13, 18] and len(numbers) == 20
    assert [n for i, n in enumerate(numbers) if i not in replaced] == [i for i in range(20) if i % 5 != 3]
    assert all(numbers[i] < i and numbers[i] % 5 != 3 for i in replaced)


def test_an_iterator_that_goes_on_is_gone_on_with():
    wanted = [i for i in range(20) if i % 5 != 3]
    for _ in range(20):
        numbers, errors = numbers_and_errors(pipe_of(GoesOn))
        assert numbers == wanted
        assert {i: f"OSError: record {i}" in what for i, what in errors.items()} == {
            3: True, 8: True, 13: True, 18: True}


def test_what_making_the_iterator_raises_ends_the_loop():
    def make():
        raise OSError("no such stream")

    pipe = pipe_of(make)
    for _ in range(2):
        with pytest.raises(sluice.Error, match="OSError: no such stream"):
            iter(pipe)


def test_a_generator_is_closed_when_its_epoch_ends():
    closed = []

    def make(epoch):
        try:
            yield from range(100)
        finally:
            closed.append(epoch)

    pipe = pipe_of(make)
    list(pipe)
    for _ in pipe:
        break
    pipe.close()
    assert closed == [0, 1]


def test_a_sample_is_inspected_without_disturbing_the_loop():
    made = []

    def make(epoch):
        made.append(epoch)
        yield from range(10 * epoch, 10 * epoch + 10)

    pipe = pipe_of(make)
    batches = iter(pipe)
    seen = next(batches)[0].tolist()
    (value,) = pipe.inspect(2)["values"].values()
    assert value == 2
    (value,) = pipe.inspect(7, epoch=3)["values"].values()
    assert value == 37
    assert seen + [n for (batch,) in batches for n in batch] == list(range(10))
    assert made == [0, 0, 3]


def test_goes_on_from_a_state():
    def make(epoch):
        yield from range(100 * epoch, 100 * epoch + 10)

    pipe = pipe_of(make)
    batches = iter(pipe)
    next(batches)
    state = pipe.state_dict()
    other = pipe_of(make)
    other.load_state_dict(state)
    assert [n for (batch,) in other for n in batch] == list(range(4, 10))
    assert [n for (batch,) in other for n in batch] == list(range(100, 110))


def test_an_epoch_is_begun_again():
    pipe = pipe_of(lambda: iter(range(6)))
    for batch in pipe:
        break
    pipe.reset(0)
    assert numbers_and_errors(pipe) == ([0, 1, 2, 3, 4, 5], {})


def test_what_has_no_signature_takes_no_argument():
    pipe = pipe_of(functools.partial(range, 4))
    for _ in range(3):
        assert numbers_and_errors(pipe) == ([0, 1, 2, 3], {})
    assert numbers_and_errors(pipe_of({1: 2, 3: 4}.values)) == ([2, 4], {})


class Cancels(GoesOn):
    def __next__(self):
        self.at += 1
        if self.at == 6:
            raise StopIteration
        if self.at == 3:
            raise KeyboardInterrupt("meant for this sample")
        return self.at


def test_any_exception_is_that_of_its_sample():
    for _ in range(10):
        numbers, errors = numbers_and_errors(pipe_of(Cancels))
        assert numbers == [0, 1, 2, 4, 5] and list(errors) == [3]
