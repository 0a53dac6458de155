"""Pickled and copied pipelines: made again from the function and its arguments, in the state that they had."""

import copy
import functools
import multiprocessing
import pickle
import subprocess
import sys

import numpy
import pytest

import sluice


@sluice.pipeline(batch_size=3, seed=7)
def described(samples, resume=None, *, times=1):
    """With a parameter that has the name of an option."""
    number = sluice.source(int, samples=samples, returns=int, shuffle=True)
    return number * times, sluice.ops.uniform(0, 1)


class Holder:
    times = 5

    @sluice.pipeline(seed=2)
    def method(self, samples):
        return sluice.source(int, samples=samples, returns=int) * self.times


def doubled(batch, key):
    batch[0].numpy()[:] *= 2


def rows(pipe):
    return [row for batch in pipe for row in zip(*(one.tolist() for one in batch))]


COPIES = {
    "pickle": lambda x: pickle.loads(pickle.dumps(x)),
    "the oldest protocol": lambda x: pickle.loads(pickle.dumps(x, 0)),
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
}


@pytest.mark.parametrize("how", COPIES)
@pytest.mark.parametrize("epoch, batches", [(0, 0), (0, 2), (3, 1), (1, 4)])
def test_a_copy_continues(how, epoch, batches):
    pipe = described(10, times=4, batch_size=2 + epoch)
    pipe.reset(epoch)
    loop = iter(pipe)
    for _ in range(min(batches, len(pipe))):
        next(loop)
    twin = COPIES[how](pipe)
    assert twin is not pipe and twin.state_dict() == pipe.state_dict() and len(twin) == len(pipe)
    rest = rows(loop)
    assert (rows(twin) if rest else []) == rest  # after the last batch, the next epoch follows
    assert twin.next_epoch == pipe.next_epoch and rows(twin) == rows(pipe)


def test_a_method_and_options_and_batch_steps():
    pipe = Holder().method(6, batch_size=2)
    pipe.batch_step(doubled)
    next(iter(pipe))
    twin = pickle.loads(pickle.dumps(pipe))
    assert [one.tolist() for batch in twin for one in batch] == [[20, 30], [40, 50]]
    again = pickle.loads(pickle.dumps(twin))  # after the epoch
    assert [one.tolist() for batch in again for one in batch] == [[0, 10], [20, 30], [40, 50]]


def test_a_state_that_was_loaded():
    pipe = described(10)
    loop = iter(pipe)
    next(loop)
    twin = described(10)
    twin.load_state_dict(pipe.state_dict())
    assert rows(pickle.loads(pickle.dumps(twin))) == rows(loop)


def rows_in_child(pipe, connection):
    connection.send(rows(pipe))


def test_a_process_that_is_spawned_continues():
    pipe = described(10)
    loop = iter(pipe)
    next(loop)
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("spawn").Process(target=rows_in_child, args=(pipe, there))
    child.start()
    assert here.recv() == rows(loop)
    child.join()
    assert child.exitcode == 0


PROGRAM = """\
import pickle, sluice

@sluice.pipeline(batch_size=2)
def main(samples):
    return sluice.source(int, samples=samples, returns=int)

if __name__ == "__main__":
    pipe = main(6)
    next(iter(pipe))
    print([int(x) for batch in pickle.loads(pickle.dumps(pipe)) for x in batch[0]])
    other = pickle.dumps(pipe)
    del main
    try:
        pickle.loads(other)
    except sluice.BuildError as error:
        print(error)
"""


def test_the_programs_own_file(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, check=False)
    assert done.stdout == (
        "[2, 3, 4, 5]\n"
        "a pipeline was pickled that __main__.main() had made, and here that is None; import the same module in both processes\n"
    ), done.stderr


def local():
    @sluice.pipeline
    def nested():
        return sluice.source(int, samples=4, returns=int)

    return nested()


def closed():
    pipe = described(4)
    pipe.close()
    return pipe


UNDEFINED = sluice.pipeline(lambda: sluice.source(int, samples=4, returns=int))


@pytest.mark.parametrize(
    "make, why",
    [
        (local, r"because local.<locals>.nested\(\) cannot be imported from test_pickling: define it at the top of a module; pickle the arguments"),
        (UNDEFINED, r"because <lambda>\(\) cannot be imported"),
        (closed, "because it is closed"),
        (lambda: described.over(lambda: (4,)), r"because it was not made by a call of a function that is marked with @sluice.pipeline"),
        (lambda: described(4, thread_pool=sluice.ThreadPool(1)), "a ThreadPool belongs to its process"),
    ],
)
@pytest.mark.parametrize("take", [pickle.dumps, copy.deepcopy])
def test_says_why_not(make, why, take):
    with pytest.raises(TypeError, match=why):
        take(make())


def test_arguments_and_steps_that_cannot_be_pickled():
    pipe = described(4)
    pipe.batch_step(lambda batch, key: None)
    with pytest.raises((pickle.PicklingError, AttributeError), match="lambda"):
        pickle.dumps(pipe)


def test_loaders(tmp_path):
    torch = pytest.importorskip("torch")
    from sluice import transforms

    loader = sluice.torch.Loader(described, 10, times=3, drop_last=True)
    loop = iter(loader)
    next(loop)
    twin = pickle.loads(pickle.dumps(loader))
    assert twin.batch is None and loader.batch is not None and len(twin) == 3
    for mine, others in zip(twin, loop, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(mine, others))
    for i in range(6):
        (tmp_path / str(i % 2)).mkdir(exist_ok=True)
        (tmp_path / str(i % 2) / f"{i}.jpg").write_bytes(sluice.encode_jpeg(numpy.full((8, 8, 3), 40 * i, numpy.uint8)))
    folder = sluice.torch.ImageFolder(tmp_path, transforms.Resize(4), 2, shuffle=True, seed=3)
    loop = iter(folder)
    next(loop)
    twin = copy.deepcopy(folder)
    assert twin.classes == folder.classes
    for mine, others in zip(twin, loop, strict=True):
        assert all(torch.equal(one, other) for one, other in zip(mine, others))


def test_partial_calls():
    make = functools.partial(described, 10, times=2)
    assert rows(pickle.loads(pickle.dumps(make()))) == rows(make())
