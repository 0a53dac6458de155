"""What outlives what: pipelines that their own functions hold, threads, and the end of the program."""

import gc
import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
import weakref

import numpy
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


@pytest.mark.parametrize("result", [
    lambda image: image, lambda image: (image,), lambda image: {"image": image, "more": [image]},
])
@pytest.mark.parametrize("to_torch", [False, True])
def test_a_batch_is_released_without_the_garbage_collector(result, to_torch):
    @sluice.pipeline(batch_size=2)
    def images():
        return result(sluice.source(lambda i: numpy.full((4, 4, 3), i, numpy.uint8), "image", samples=4))

    convert = pytest.importorskip("sluice.torch").to_torch if to_torch else list
    gc.disable()
    try:
        for batch in images():
            columns = [weakref.ref(column) for column in batch.columns]
            converted = convert(batch)
            del converted, batch
            assert [column() for column in columns] == [None] * len(columns)
    finally:
        gc.enable()


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


def test_no_step_runs_while_a_loaded_state_is_described():
    """Else the `if` would see that a step changes its own object."""

    class Step:
        calls = 0

        def __call__(self, i):
            self.calls += 1
            return i

    step = Step()

    def let_others_run():
        for _ in range(2000):
            os.sched_yield()

    def describe():
        i = sluice.source(lambda i: i, int, samples=10**6)
        if i > 3:
            let_others_run()
            i = sluice.map(step, i, returns=int)
        return i

    pipe = sluice.pipeline(prefetch=3)(describe)()
    for _ in range(3):
        batches = iter(pipe)
        assert next(batches)[0].tolist() == [0]
        pipe.load_state_dict(pipe.state_dict())
        assert next(iter(pipe))[0].tolist() == [1]
        pipe.reset()


@pytest.mark.parametrize("state", [{}, {"checkpoint": None}, {"checkpoint": ""}, {"checkpoint": 3}, None, "x"])
def test_refuses_what_is_no_state(state):
    pipe = sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))()
    with pytest.raises(sluice.BuildError, match="load_state_dict"):
        pipe.load_state_dict(state)
    assert len(list(pipe)) == 4
    if isinstance(state, dict):
        with pytest.raises(sluice.BuildError, match=r"resume takes what state_dict\(\) returned"):
            sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))(resume=state)


@pytest.mark.parametrize(("text", "says"), [
    ("{", "the checkpoint is not JSON"),
    ("{}", r"the checkpoint was not made by state_dict\(\)"),
    (None, "the checkpoint is of another seed: it was 0 and is 1; use it for the run that it was taken from, or start without it"),
])
def test_says_what_is_wrong_with_a_state_without_words_of_cpp(text, says):
    def described():
        return sluice.source(lambda i: i, int, samples=4)

    state = sluice.pipeline(described)().state_dict() if text is None else {"checkpoint": text}
    with pytest.raises(sluice.BuildError, match=says) as error:
        sluice.pipeline(seed=1)(described)().load_state_dict(state)
    assert "resume" not in str(error.value)


def said_to_a_loop_that_waits(interrupt):
    """What a loop in another thread raises when ``interrupt(pipe)`` is called while it waits for a sample.

    There are so many samples that it does not end by itself. Should it have a batch before ``interrupt`` begins, it asks for
    the next one afterwards, and not in between, where it would be told that two threads are at work."""
    inside, ends, interrupted = threading.Event(), threading.Event(), threading.Event()

    def wait(i):
        inside.set()
        ends.wait()
        return i

    pipe = sluice.pipeline(lambda: sluice.source(wait, int, samples=10**9))()
    said = []

    def work():
        try:
            for _ in pipe:
                interrupted.wait()
        except sluice.Error as error:
            said.append(str(error))

    def interrupts():
        try:
            interrupt(pipe)
        finally:
            interrupted.set()

    loop, other = threading.Thread(target=work), threading.Thread(target=interrupts)
    loop.start()
    inside.wait()
    other.start()
    ends.set()
    other.join()
    loop.join()
    return pipe, said


def test_close_from_another_thread_ends_the_loop():
    pipe, said = said_to_a_loop_that_waits(sluice.Pipeline.close)
    assert pipe.closed and said and "closed" in said[0]


def test_threads_that_loop_over_one_pipeline_do_no_harm():
    """Each loop gives its batches in order, or says who ended it."""
    pipe = sluice.pipeline(batch_size=8, threads=2)(lambda: sluice.source(lambda i: i, int, samples=200))()
    wrong, ended = [], []

    def work(seed):
        chance = random.Random(seed)
        for _ in range(60):
            try:
                leaves, seen = chance.random() < 0.5, 0
                for seen, batch in enumerate(pipe):
                    if batch.index != seen:
                        wrong.append((batch.index, seen))
                    if leaves and seen == 2:
                        break
                if not leaves and seen != 24:
                    wrong.append(seen)
            except sluice.Error as error:
                ended.append(str(error))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    words = ("ended before its last batch by another loop", "another thread takes batches")
    assert not wrong and all(any(known in error for known in words) for error in ended), (wrong, set(ended))
    assert [n for (batch,) in pipe for n in batch] == list(range(200))


def test_a_loop_that_waits_is_told_who_ended_it():
    _, said = said_to_a_loop_that_waits(sluice.Pipeline.reset)
    assert said and "epoch 0 was ended before its last batch by reset()" in said[0]


def test_a_signal_between_batches_loses_none():
    """Whatever the moment is at which Ctrl-C comes, the state points to the first batch that was not had."""
    describe = sluice.pipeline(batch_size=5)(lambda: sluice.source(lambda i: i, int, samples=1000))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        for attempt in range(60):
            pipe, had = describe(), []
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.0004 * (attempt + 1))
                for batch in pipe:
                    had = batch.ids
            except KeyboardInterrupt:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            last = had[-1] if had else -1
            other = describe()
            other.load_state_dict(pipe.state_dict())
            rest = [n for (batch,) in other for n in batch]
            assert rest[0] == (last + 1) % 1000, attempt
    finally:
        signal.signal(signal.SIGALRM, before)


def test_a_handler_may_close_while_the_loop_waits():
    assert ended("""
        import signal, sluice, threading

        ends = threading.Event()

        def wait(i):
            ends.wait()
            return i

        pipe = sluice.pipeline(batch_size=1)(lambda: sluice.source(wait, int, samples=4))()

        def handler(*_):
            pipe.close()
            ends.set()

        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        try:
            list(pipe)
        except sluice.Error as error:
            print(error)
    """) == "the pipeline has been closed\n"


def test_a_batch_step_that_ends_an_iterator_is_no_end_of_the_loop():
    pipe = sluice.pipeline(lambda: sluice.source(lambda i: i, int, samples=4))()
    some = iter([1, 2])
    pipe.batch_step(lambda batch, key: next(some))
    with pytest.raises(RuntimeError, match="a batch step raised StopIteration"):
        list(pipe)


def test_loading_a_state_inside_an_own_step_changes_nothing():
    def describe():
        return sluice.map(lambda i: pipe.load_state_dict(state), sluice.source(lambda i: i, int, samples=4))

    pipe = sluice.pipeline(on_error="skip")(describe)()
    state = pipe.state_dict()
    batches = list(pipe)
    assert all("inside a step of the same pipeline" in batch.errors[0]["what"] for batch in batches)
    assert len(batches) == 4 and pipe.next_epoch == 1 and not pipe.closed


def test_batches_of_nothing_have_columns():
    def describe():
        n = sluice.source(lambda i: i, int, samples=4)
        image = sluice.map(lambda i: numpy.zeros((2, 2, 3), "u1"), n, returns="image")
        sluice.drop_unless(n >= 2)
        return image, n

    first, second = sluice.pipeline(batch_size=2)(describe)()
    images, numbers = first
    assert first.size == 0 and numbers.tolist() == [] and numbers.dtype == "i64"
    assert images.shape == (0, 0, 0, 0) and images.dtype == "u8" and list(images) == [] and not images.on_device
    assert images.numpy().shape == (0, 0, 0, 0) and images.numpy().dtype == numpy.uint8 and images.layout == "HWC"
    assert second[1].tolist() == [2, 3]


@pytest.mark.parametrize("how", ["pipe.inspect(0)", "iter(pipe)"])
def test_ctrl_c_in_a_function_of_the_main_thread_is_the_programs(how):
    assert ended(f"""
        import signal, sluice, time

        def slow(*_):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            for _ in range(1000):
                time.sleep(0.02)
            return iter([1])

        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        described = (lambda: sluice.iterate(slow, int)) if "iter" in {how!r} else (
            lambda: sluice.source(slow, int, samples=4))
        pipe = sluice.pipeline(described)()
        try:
            {how}
            time.sleep(5)
        except KeyboardInterrupt:
            print("interrupted")
        except sluice.Error:
            try:
                time.sleep(5)
            except KeyboardInterrupt:
                print("interrupted")
    """) == "interrupted\n"


@pytest.mark.parametrize("option", ["-O", "-OO"])
def test_decides_for_each_sample_when_python_leaves_out_assertions(tmp_path, option):
    program = tmp_path / "program.py"
    program.write_text(
        "import sluice\n"
        "@sluice.pipeline(batch_size=4)\n"
        "def numbers():\n"
        "    x = sluice.source(lambda i: i, int, samples=4)\n"
        "    if x > 1:\n"
        "        x = x * 10\n"
        "    while x < 7:\n"
        "        x = x + 5 if x > 0 else x + 1\n"
        "    return x\n"
        "for x in numbers():\n"
        "    print(x)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    done = subprocess.run([sys.executable, option, program], env=environment, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    with_assertions = subprocess.run([sys.executable, program], env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout == with_assertions.stdout != ""
