"""What outlives what: pipelines that their own functions hold, threads, and the end of the program."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import weakref

import pytest

import sluice


def ended(program):
    """What a program of its own prints, once it has ended well."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], env=environment, timeout=120,
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


def test_close_inside_an_own_step_is_refused():
    @sluice.pipeline(batch_size=2)
    def closing():
        return sluice.map(lambda _: pipe.close(), sluice.source(lambda i: i, int, samples=2))

    pipe = closing()
    with pytest.raises(sluice.BatchError, match=r"close\(\) was called inside a step of the same pipeline"):
        list(pipe)
    assert not pipe.closed
    pipe.close()
    assert pipe.closed


def test_the_last_reference_may_go_inside_an_own_step():
    assert ended("""
        import gc, sluice, threading

        held, let_go = [], threading.Event()

        @sluice.pipeline(batch_size=1, prefetch=3)
        def dropping():
            def drop(i):
                if i == 3:
                    let_go.wait()
                    held.clear()
                    gc.collect()
                return i
            return sluice.map(drop, sluice.source(lambda i: i, int, samples=8))

        held.append(dropping())
        batches = iter(held[0])
        next(batches)
        del batches
        let_go.set()
        held.clear()
        print("done")
    """) == "done\n"


def test_a_pipeline_that_its_own_function_holds_is_freed():
    class Model:
        def __init__(self):
            self.pipe = sluice.pipeline(batch_size=2)(self.describe)()

        def describe(self):
            return sluice.map(self.twice, sluice.source(lambda i: i, int, samples=4))

        def twice(self, i):
            return 2 * i + 0 * self.pipe.next_epoch

    model = Model()
    assert [n for (batch,) in model.pipe for n in batch] == [0, 2, 4, 6]
    gone = weakref.ref(model), weakref.ref(model.pipe)
    del model
    gc.collect()
    assert [one() for one in gone] == [None, None]


def test_a_description_that_a_function_holds_is_freed():
    class Thing:
        pass

    thing = Thing()

    def describe():
        thing.value = sluice.source(lambda i: thing and i, int, samples=4)
        return thing.value

    sluice.pipeline(describe)()
    gone = weakref.ref(thing)
    del thing, describe
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("how", ["next(batches)", "pipe.close()", "pipe.inspect(0)"])
def test_the_program_may_end_while_a_daemon_thread_is_inside(how):
    assert ended(f"""
        import sluice, threading

        inside, ends = threading.Event(), threading.Event()

        def wait(i):
            inside.set()
            ends.wait()
            return i

        pipe = sluice.pipeline(batch_size=1)(lambda: sluice.source(wait, int, samples=4))()
        batches = iter(pipe)

        begun = threading.Event()

        def work():
            begun.set()
            try:
                {how}
            except sluice.Error:
                pass

        inside.wait()
        threading.Thread(target=work, daemon=True).start()
        begun.wait()
        import atexit
        atexit.register(ends.set)
        print("ends")
    """) == "ends\n"


def test_one_loop_runs_at_a_time():
    pipe = sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))()
    first, second = iter(pipe), iter(pipe)
    assert next(second).epoch == 1
    with pytest.raises(sluice.Error, match="epoch 0 was ended before its last batch by another loop, which "
                                           "began epoch 1"):
        next(first)
    first.close()  # ends nothing of the second
    assert [batch.index for batch in second] == [1, 2, 3]
    with pytest.raises(StopIteration):
        next(second)


def test_loading_a_state_ends_the_loop_that_runs():
    pipe = sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))()
    batches = iter(pipe)
    next(batches)
    state = pipe.state_dict()
    pipe.load_state_dict(state)
    with pytest.raises(sluice.Error, match=r"closed by load_state_dict\(\): begin another loop"):
        next(batches)
    assert [n for (batch,) in pipe for n in batch] == [1, 2, 3]


@pytest.mark.parametrize("state", [{}, {"checkpoint": None}, {"checkpoint": ""}, {"checkpoint": 3}, None, "x"])
def test_refuses_what_is_no_state(state):
    pipe = sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))()
    with pytest.raises(sluice.BuildError, match="load_state_dict"):
        pipe.load_state_dict(state)
    assert len(list(pipe)) == 4


def test_close_from_another_thread_ends_the_loop():
    inside, ends = threading.Event(), threading.Event()

    def wait(i):
        inside.set()
        ends.wait()
        return i

    pipe = sluice.pipeline(lambda: sluice.source(wait, int, samples=4))()
    said = []

    def work():
        try:
            list(pipe)
        except sluice.Error as error:
            said.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    inside.wait()
    closer = threading.Thread(target=pipe.close)
    closer.start()
    ends.set()
    closer.join()
    thread.join()
    assert pipe.closed and said and "closed" in said[0]
