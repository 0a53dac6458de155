"""Functions of Python's in worker processes: values, errors, deaths, and what is left behind."""

import os
import select
import signal
import subprocess
import sys
import textwrap
import types

import numpy
import pytest

import sluice
import worker_sets


def pipe_of(data, returns=int, workers=1, batch_size=8, on_error="skip", **source):
    @sluice.pipeline(batch_size=batch_size, on_error=on_error)
    def described():
        return sluice.source(data, returns, workers=workers, **source)

    return described()


def samples_of(pipe):
    """All that an epoch gives, sample by sample; no batch of it is kept."""
    samples = []
    for batch in pipe:
        columns = [[copied(one) for one in column] for column in batch]
        samples += zip(*columns)
    return samples


def copied(value):
    return numpy.array(value) if hasattr(value, "__dlpack__") else value


def same(a, b):
    return len(a) == len(b) and all(
        numpy.array_equal(x, y) if isinstance(x, numpy.ndarray) else x == y
        for one, other in zip(a, b, strict=True)
        for x, y in zip(one, other, strict=True)
    )


def errors_of(pipe):
    """The errors of an epoch, by index."""
    return {error["index"]: error["what"] for batch in pipe for error in batch.errors}


@pytest.fixture(scope="module")
def by_threads():
    pipe = pipe_of(worker_sets.mixed, worker_sets.MIXED, workers=0, samples=60, shuffle=True)
    return [samples_of(pipe) for _ in range(2)]


@pytest.mark.parametrize("workers", [1, 3])
def test_gives_what_threads_give_in_their_order(by_threads, workers):
    options = sluice.WorkerOptions(workers, mini_batch=3)
    pipe = pipe_of(worker_sets.mixed, worker_sets.MIXED, options, samples=60, shuffle=True)
    for epoch in by_threads:
        assert same(samples_of(pipe), epoch)


def test_gives_large_arrays_that_outlive_the_workers():
    with pipe_of(worker_sets.block, "tensor", 2, samples=24) as pipe:
        batches = [numpy.asarray(blocks) for (blocks,) in pipe]
    for number, blocks in enumerate(batches):
        assert blocks.shape == (8, 1_000_000)
        for i, block in enumerate(blocks):
            assert (block == 8 * number + i).all()


def test_a_sample_is_looked_at_alone():
    pipe = pipe_of(worker_sets.Numbers())
    assert list(pipe.inspect(7)["values"].values()) == [7]


def test_an_epoch_of_unknown_length_ends_by_an_index_error():
    pipe = pipe_of(worker_sets.until_seven, workers=2)
    for _ in range(2):
        assert samples_of(pipe) == [(i,) for i in range(7)]


def test_each_worker_is_set_up_once():
    pipe = pipe_of(worker_sets.SetUp(), (int, int, int, int, str), sluice.WorkerOptions(2, renew_after=8))
    samples = samples_of(pipe)
    assert len(samples) == 40
    (told,) = pipe.stats["workers"]
    assert told["step"] == "source" and told["workers"] == 2 and told["samples"] >= 40
    # Both workers are replaced, but the second one may still end when the last sample is there.
    assert told["renewals"] >= 1 and told["restarts"] == 0
    pids = {pid for pid, *_ in samples}
    assert os.getpid() not in pids and len(pids) >= 3  # some were replaced
    assert {worker for _, worker, *_ in samples} <= {0, 1}
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    assert {tuple(rest) for _, _, *rest in samples} == {(2, 1, threads)}


DEATHS = [
    ("exit", "ended with status 3; its last output: the disk is full"),
    ("crash", "was killed by signal 11 (Segmentation fault)"),
    ("kill", "was killed by signal 9 (Killed)"),
]


@pytest.mark.parametrize("deed, words", DEATHS)
def test_a_worker_that_dies_costs_its_sample(deed, words, capfd):
    pipe = pipe_of(worker_sets.Wild(deed), name="wild")
    errors = errors_of(pipe)
    assert list(errors) == [5]
    assert errors[5].startswith("worker 0 of 'wild' (pid ") and words in errors[5]
    if deed == "crash":
        assert "in crash" in errors[5]  # where Python was


def test_a_sample_is_tried_once_more_if_asked(tmp_path):
    data = worker_sets.Wild("kill", str(tmp_path / "done"))
    pipe = pipe_of(data, workers=sluice.WorkerOptions(1, retry=True))
    assert samples_of(pipe) == [(i,) for i in range(20)]


def test_what_is_raised_is_the_error_of_the_sample():
    for data, words in [
        (worker_sets.Wild("fail"), "ValueError: no such image ("),
        (worker_sets.Wild("index_error"), "IndexError: five ("),
        (worker_sets.WrongType(), "a whole number is expected, not 'five' of type str"),
    ]:
        pipe = pipe_of(data)
        errors = errors_of(pipe)
        assert list(errors) == [5] and words in errors[5], errors
        if "(" in words:
            assert f"{worker_sets.__file__}:" in errors[5] and "called at" in errors[5]


def test_without_workers_left_all_samples_fail(capfd):
    pipe = pipe_of(worker_sets.BadSetUp(), workers=1)
    errors = errors_of(pipe)
    assert len(errors) == 20
    assert "cannot be set up: OSError: the database is closed" in errors[0]
    assert "from now on each sample of the workers 'source' fails: worker 0 of" in capfd.readouterr().err
    assert pipe.stats["workers"][0]["restarts"] == 1 and pipe.stats["workers"][0]["ready"] == 0
    with pytest.raises(sluice.Error, match="the database is closed"):
        iter(pipe)


def local_function():
    def inside(index):
        return index

    return inside


REFUSED = [
    (lambda: local_function(), r"cannot hand local_function.<locals>.inside to worker processes: it cannot "
     r"be pickled .*top of a module"),
    (lambda: worker_sets.Locked(), r"a Locked to .* its attribute .inner.lock, a lock, cannot be pickled .*"
     r"__worker_init__"),
    (lambda: worker_sets.generated, r"generated\(\) is a generator, .*sluice.iterate\(\)"),
    (lambda: iter([1]), "a dataset with __len__ and __getitem__"),
]


@pytest.mark.parametrize("make, words", REFUSED)
def test_refuses_what_cannot_be_handed_over(make, words, monkeypatch):
    monkeypatch.setitem(sys.modules, "cloudpickle", None)  # as if it were not installed
    with pytest.raises(sluice.BuildError, match=words):
        pipe_of(make(), samples=3)


def test_refuses_what_a_session_defines(monkeypatch):
    session = types.ModuleType("__main__")  # without a file
    exec("def double(index): return 2 * index", session.__dict__)
    monkeypatch.setitem(sys.modules, "__main__", session)
    monkeypatch.setitem(sys.modules, "cloudpickle", None)
    with pytest.raises(sluice.BuildError, match="cannot hand double .* defined in a session.* cloudpickle"):
        pipe_of(session.double, samples=3)


@pytest.mark.parametrize("workers, words", [
    (-1, "must be at least 1"),
    ("4", "workers must be a number of processes"),
    (True, "workers must be a number of processes"),
    (2.0, "workers must be a number of processes"),
    (sluice.WorkerOptions(1, deadline_s=float("nan")), "deadline_s"),
    (sluice.WorkerOptions(1, max_bytes=-1), "max_bytes"),
    (sluice.WorkerOptions(2**40), "workers"),
])
def test_refuses_options_that_cannot_be(workers, words):
    with pytest.raises(sluice.BuildError, match=words):
        pipe_of(worker_sets.Numbers(), workers=workers)


def test_closes_while_workers_are_busy(tmp_path):
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    pipe = pipe_of(worker_sets.Busy(fifo), workers=1)
    batches = iter(pipe)
    pid = int(fifo.read_text())  # it is at its first sample
    worker = os.pidfd_open(pid)
    pipe.close()
    wait_for_end([worker])
    with pytest.raises(sluice.Error, match="closed"):
        next(batches)


def wait_for_end(processes):
    for descriptor in processes:
        assert select.select([descriptor], [], [], 60)[0], "a worker is left"
        os.close(descriptor)


# Programs of their own.


def program(tmp_path, text):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(text))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.Popen([sys.executable, str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, env=environment)


GUARDED = """
    import os, sluice, sys

    class Own:
        def __len__(self):
            return 10
        def __getitem__(self, index):
            return index, os.getpid()

    def double(index):
        return 2 * index

    if __name__ == "__main__":
        @sluice.pipeline(batch_size=10)
        def both():
            return *sluice.source(Own(), (int, int), workers=1), sluice.source(double, int, workers=1, samples=10)
        pipe = both()
        numbers, pids, doubled = next(iter(pipe))
        assert numbers.tolist() == list(range(10)) and doubled.tolist() == list(range(0, 20, 2))
        print(*set(pids.tolist()), flush=True)
        {end}
"""


@pytest.mark.parametrize("end, status", [
    ("raise ValueError('done')", 1),
    ("os.kill(os.getpid(), 9)", -9),
    ("while True: pass", -signal.SIGINT),
])
def test_workers_end_with_the_program_however_it_ends(tmp_path, end, status):
    running = program(tmp_path, GUARDED.replace("{end}", end))
    line = running.stdout.readline()
    assert line, running.stderr.read()
    watched = []
    for pid in line.split():
        try:
            watched.append(os.pidfd_open(int(pid)))
        except ProcessLookupError:  # it has ended already
            pass
    if status == -signal.SIGINT:
        running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == status, errors
    wait_for_end(watched)


def test_a_program_that_does_not_guard_its_start_is_told(tmp_path):
    running = program(tmp_path, """
        import sluice

        def double(index):
            return 2 * index

        @sluice.pipeline(batch_size=10)
        def described():
            return sluice.source(double, int, workers=1, samples=10)

        list(described())
    """)
    _, errors = running.communicate(timeout=60)
    assert running.returncode == 1
    assert 'put what runs pipelines under if __name__ == "__main__":' in errors


class SetUp:
    def __init__(self):
        self.told = []

    def __worker_init__(self, worker, workers):
        self.told.append((worker, workers))

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return len(self.told)

    def __call__(self, *_):
        return len(self.told)

    def __iter__(self):
        return iter([len(self.told)] * 2)


@pytest.mark.parametrize("describe", [
    lambda data: sluice.source(data, int),
    lambda data: sluice.source(data, int, batch=2),
    lambda data: sluice.map(data, sluice.source(range(2), int), returns=int),
    lambda data: sluice.map(data, sluice.source(range(2), int), 7, returns=int),
])
def test_without_workers_this_process_is_set_up_once(describe):
    data = SetUp()
    for _ in range(2):  # described again, as load_state_dict() and show() do
        pipe = sluice.pipeline(batch_size=2)(lambda: describe(data))()
        assert [batch[0].tolist() for batch in pipe] == [[1, 1]]
    assert data.told == [(0, 1)]


def test_an_iterator_is_set_up_without_workers():
    class Rows:
        def __worker_init__(self, worker, workers):
            self.rows = [worker, workers]

        def __call__(self):
            return iter(self.rows)

    pipe = sluice.pipeline(batch_size=2)(lambda: sluice.iterate(Rows(), int))()
    assert [batch[0].tolist() for batch in pipe] == [[0, 1]]


def test_what_setting_up_raises_is_raised_at_once():
    class Fails(SetUp):
        def __worker_init__(self, worker, workers):
            raise OSError("no database")

    with pytest.raises(OSError, match="no database"):
        sluice.pipeline(lambda: sluice.source(Fails(), int))()
