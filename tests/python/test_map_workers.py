"""Steps that are functions of Python's in worker processes: values, errors, deaths, and how many."""

import os
import signal
import subprocess
import sys

import numpy
import pytest

import sluice
import worker_sets
from test_workers import errors_of, local_function, program, same, samples_of


def filled(number):
    return numpy.full((40, 40, 3), number % 256, numpy.uint8)


def pipe_of(function, *more, workers=1, samples=20, **options):
    @sluice.pipeline(**{"batch_size": 8, "on_error": "skip", **options})
    def described():
        number = sluice.source(lambda i: i, int, samples=samples)
        image = sluice.map(filled, number, returns="image")
        return number, sluice.map(function, number, image, *more, returns=int, name="scale", workers=workers)

    return described()


def expected(numbers, factor=10, add=0):
    return [(i, factor * (4800 * i + add)) for i in numbers]


@pytest.mark.parametrize("workers", [1, 3])
def test_gives_what_threads_give(workers):
    def described(processes):
        values = sluice.source(worker_sets.mixed, worker_sets.MIXED, samples=60)
        number = sluice.source(lambda i: i, int, samples=60)
        changed = sluice.map(worker_sets.all_changed, number, *values, returns=worker_sets.MIXED, workers=processes)
        return *changed, *values

    here, there = (sluice.pipeline(batch_size=7)(described)(processes) for processes in (0, workers))
    for _ in range(2):
        assert same(samples_of(there), samples_of(here))
    assert there.inspect(5)["values"]["all_changed"][4] == 1


def test_other_arguments_go_along_and_a_worker_is_set_up_once():
    assert samples_of(pipe_of(worker_sets.Scaled(), workers=2)) == expected(range(20))
    assert samples_of(pipe_of(worker_sets.Scaled(), 7, workers=2)) == expected(range(20), add=7)


def test_each_sample_calls_the_function_of_its_branch():
    @sluice.pipeline(batch_size=8)
    def described():
        number = sluice.source(lambda i: i, int, samples=8)
        change = worker_sets.doubled if number > 3 else worker_sets.negated
        return sluice.map(change, number, returns=int, workers=1)

    (batch,) = described()
    assert batch[0].tolist() == [0, -1, -2, -3, 8, 10, 12, 14]


def test_runs_in_branches_and_loops():
    @sluice.pipeline(batch_size=8)
    def described():
        number = sluice.source(lambda i: i, int, samples=30)
        value = number
        if number % 3 == 0:
            value = sluice.map(abs, -number, returns=int, workers=1)
        while value < 20:
            value = sluice.map(divmod, value * 6 + 7, 2, returns=(int, int), workers=2)[0]
        return value

    def alone(number):
        while number < 20:
            number = (number * 6 + 7) // 2
        return number

    assert samples_of(described()) == [(alone(i),) for i in range(30)]


def test_what_it_does_counts_where_it_gives_nothing(tmp_path):
    @sluice.pipeline(batch_size=8)
    def described():
        number = sluice.source(lambda i: i, int, samples=20)
        sluice.map(worker_sets.touch, number, str(tmp_path), returns=None, workers=2)
        return number

    assert samples_of(described()) == [(i,) for i in range(20)]
    assert sorted(int(one.name) for one in tmp_path.iterdir()) == list(range(20))


def test_what_is_raised_is_the_error_of_the_sample():
    errors = errors_of(pipe_of(worker_sets.Scaled("fail", 5)))
    assert list(errors) == [5]
    assert "ValueError: no such image (" in errors[5] and f"{worker_sets.__file__}:" in errors[5]
    errors = errors_of(pipe_of(worker_sets.texts))
    assert len(errors) == 20 and "a whole number is expected, not 'a' of type str" in errors[3]


@pytest.mark.parametrize("deed, words", [("exit", "ended with status 3"), ("kill", "was killed by signal 9 (Killed)")])
def test_a_worker_that_dies_costs_its_sample(deed, words):
    errors = errors_of(pipe_of(worker_sets.Scaled(deed, 5)))
    assert list(errors) == [5]
    assert errors[5].startswith("worker 0 of 'scale' (pid ") and words in errors[5]


def test_a_second_try_finds_the_values_as_they_were(tmp_path):
    function = worker_sets.Scaled("kill", 5, str(tmp_path / "done"))
    pipe = pipe_of(function, workers=sluice.WorkerOptions(1, retry=True))
    assert samples_of(pipe) == expected(range(20))


def test_leaving_a_loop_early_leaves_nothing_behind():
    pipe = pipe_of(worker_sets.Scaled(), workers=2, samples=200)
    for _ in range(10):
        for number, scaled in pipe:
            assert scaled[0] == 48000 * number[0]
            break
    assert samples_of(pipe) == expected(range(200))


def test_more_samples_may_wait_than_a_process_has_descriptors(tmp_path):
    running = program(tmp_path, """
        import resource
        import numpy, sluice

        def total(image):
            return int(image.sum(dtype=numpy.int64))

        if __name__ == "__main__":
            resource.setrlimit(resource.RLIMIT_NOFILE, (80, 80))
            @sluice.pipeline(batch_size=300, prefetch=3, threads=2)
            def described():
                number = sluice.source(lambda i: i, int, samples=900)
                image = sluice.map(lambda i: numpy.full((40, 40, 3), i % 256, numpy.uint8), number, returns="image")
                return number, sluice.map(total, image, returns=int, workers=2)
            for numbers, totals in described():
                assert totals.tolist() == [4800 * (i % 256) for i in numbers.tolist()]
            print("done")
    """)
    out, errors = running.communicate(timeout=120)
    assert out == "done\n", errors


REFUSED = [
    (local_function(), (), r"sluice.map\(workers=...\) cannot hand local_function.<locals>.inside .*top of a module"),
    (local_function(), (3,), r"sluice.map\(workers=...\) cannot hand local_function.<locals>.inside .*top of a module"),
    (worker_sets.Scaled(), (lambda: 3,), r"sluice.map\(workers=...\) cannot hand <function .*which a Scaled is called with"),
    (worker_sets.Scaled(), (worker_sets.Locked(),), r"cannot hand <worker_sets.Locked .*which a Scaled is called with: it cannot be pickled"),
]


@pytest.mark.parametrize("function, more, words", REFUSED)
def test_refuses_what_cannot_be_handed_over(function, more, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)  # as if it were not installed
    with pytest.raises(sluice.BuildError, match=words):
        pipe_of(function, *more)


@pytest.mark.parametrize("workers", [-1, "4", True, 2.0, None])
def test_refuses_options_that_cannot_be(workers):
    with pytest.raises(sluice.BuildError, match="must be at least 1|sluice.map.*: workers must be a number of processes"):
        pipe_of(worker_sets.Scaled(), workers=workers)


def test_objects_of_the_programs_own_classes_travel(tmp_path):
    (tmp_path / "elsewhere.py").write_text("def same(thing):\n    return thing\n")
    text = """
        import sluice, elsewhere

        class Thing:
            def __init__(self, number):
                self.number = number

        def doubled(number):
            return Thing(2 * number)

        if __name__ == "__main__":
            @sluice.pipeline(batch_size=4)
            def described():
                number = sluice.source(lambda i: i, int, samples=4)
                made = sluice.map(doubled, number, returns=object, workers=1)
                return made, sluice.map(elsewhere.same, made, returns=object, workers=1)
            for batch in described():
                for column in batch:
                    print(*(one.number for one in column if isinstance(one, Thing)))
    """
    running = program(tmp_path, text)
    out, errors = running.communicate(timeout=60)
    assert out == "0 2 4 6\n0 2 4 6\n", errors
    # As a folder with a __main__.py, too.
    (tmp_path / "program.py").rename(tmp_path / "__main__.py")
    done = subprocess.run([sys.executable, str(tmp_path)], capture_output=True, text=True, timeout=60,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    assert done.stdout == out, done.stderr


def test_workers_are_renewed_while_a_child_of_fork_lives():
    pipe = pipe_of(worker_sets.Scaled(), workers=sluice.WorkerOptions(1, renew_after=4, restarts=0))
    # The child has the sockets, too: if they were only closed here, each worker would end only at
    # the deadline.
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        assert samples_of(pipe) == expected(range(20))
        pipe.close()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def test_long_words_keep_their_beginning_and_their_end():
    errors = errors_of(pipe_of(worker_sets.raises_long))
    assert errors[3].encode() and errors[3].startswith("ValueError: xé") and " ... " in errors[3]
    assert f"{worker_sets.__file__}:" in errors[3] and 7000 < len(errors[3].encode()) < 8100


def test_what_a_function_keeps_is_its_own_memory():
    pipe = pipe_of(worker_sets.keeps, workers=sluice.WorkerOptions(1, max_bytes=1 << 20), samples=400)
    assert samples_of(pipe) == [(i, i) for i in range(400)]


def test_refuses_what_workers_cannot_be_told():
    def described(name, count):
        number = sluice.source(lambda i: i, int, samples=3)
        return sluice.map(max, *[number] * count, returns=int, workers=1, name=name)

    for name, count, words in [("a\0b", 2, r"name holds a NUL"), ("a", 400, "400 values of a sample are sent")]:
        with pytest.raises(sluice.BuildError, match=words):
            sluice.pipeline(described)(name, count)
