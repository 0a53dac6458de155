"""Random numbers and times that a description asks Python for are one for all samples: a warning names the line."""

import datetime
import os
import random
import secrets
import time
import uuid
import warnings
from random import uniform as drawn_evenly

import numpy
import pytest

import sluice
from sluice import ops

GENERATOR = random.Random(3)
NUMPY = numpy.random.default_rng(3)


def helper():
    return random.uniform(0, 1)


def deeper():
    return by_numpy()


def by_numpy():
    return numpy.random.normal()


class Jitter:
    def __init__(self, scale=1.0):
        self.scale = scale

    def draw(self):
        return self.scale * self.inner()

    def inner(self):
        return random.gauss(0, 1)


class Drawn:
    def __init__(self):
        self.scale = random.random()


JITTER = Jitter()
DRAWS = {
    "random.uniform": lambda: random.uniform(0, 1),
    "random.random": lambda: random.random(),
    "random.randint": lambda: random.randint(0, 3),
    "random.choice": lambda: random.choice([1, 2]),
    "by another name": lambda: drawn_evenly(0, 1),
    "of a generator": lambda: GENERATOR.random(),
    "numpy.random.uniform": lambda: numpy.random.uniform(0, 1),
    "numpy.random.rand": lambda: numpy.random.rand(),
    "numpy.random.sample": lambda: numpy.random.sample(),
    "of a generator of NumPy's": lambda: NUMPY.random(),
    "of a generator without a seed": lambda: random.Random().random(),
    "of a generator that ignores its seed": lambda: random.SystemRandom(3).random(),
    "of a generator of NumPy's without a seed": lambda: numpy.random.default_rng(None).random(),
    "of a generator of NumPy's over one without a seed": lambda: numpy.random.Generator(numpy.random.PCG64()).random(),
    "time.time": lambda: time.time(),
    "datetime.now": lambda: datetime.datetime.now().second,
    "os.urandom": lambda: os.urandom(1)[0],
    "uuid.uuid4": lambda: uuid.uuid4().int % 7,
    "secrets.randbelow": lambda: secrets.randbelow(7),
    "secrets.choice": lambda: secrets.choice([1, 2]),
    "in a comprehension": lambda: [random.random() for _ in range(1)][0],
    "in a function": lambda: helper(),
    "in a function of a function": lambda: deeper(),
    "in a method": lambda: JITTER.draw(),
    "in a constructor": lambda: Drawn().scale,
}


def numbers():
    return sluice.source(lambda i: 1.0, float, samples=2)


def drawn(draw):
    """The warnings of a description that calls this, and of its first epoch."""

    @sluice.pipeline(batch_size=2)
    def describe():
        return numbers() * float(draw())

    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        next(iter(describe()))
    return [one for one in said if issubclass(one.category, sluice.DrawWarning)]


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_a_draw_in_a_description_warns_at_its_line(draw):
    (said,) = drawn(sluice.graph_function(draw))
    assert said.filename == __file__
    assert said.lineno == draw.__code__.co_firstlineno
    assert "while the pipeline is described, once for all samples" in str(said.message)


@pytest.mark.parametrize(
    "draw, cure",
    [
        ("random.uniform", "ops.uniform("), ("random.randint", "ops.randint("), ("random.choice", "ops.choice("),
        ("in a function of a function", "ops.normal("), ("time.time", "a function of sluice.map"),
        ("uuid.uuid4", "a function of sluice.map"),
    ],
)  # fmt: skip
def test_the_warning_says_what_to_write(draw, cure):
    (said,) = drawn(sluice.graph_function(DRAWS[draw]))
    assert cure in str(said.message)


class Dataset:
    def __len__(self):
        return random.randint(2, 2)

    def __getitem__(self, i):
        return random.random()


def plain(x):
    return x + 1


def seeds():
    random.seed(3)
    numpy.random.seed(3)
    return numbers()


def asks_for_a_generator():
    rng = numpy.random.default_rng(3)
    state = random.Random(3).getstate()
    return numbers() * (len(state) if rng is not None else 0)


def by_a_seed():
    rng, of_numpy, old = random.Random(3), numpy.random.default_rng(3), numpy.random.RandomState(seed=3)
    made = numpy.random.Generator(numpy.random.PCG64(3))
    return numbers() * (rng.random() + of_numpy.random() + old.rand() + made.uniform(0, 1) + rng.choice([1, 2]))


def of_samples():
    return sluice.source(lambda i: random.random(), float, samples=2) + sluice.source(Dataset(), float)


def of_steps():
    def step(x):
        return x + random.random() + numpy.random.rand() + time.time()

    return sluice.map(step, numbers(), returns=float) * sluice.map(lambda x: helper(), numbers(), returns=float)


def of_operators():
    return numbers() * ops.uniform(0, 1) * plain(2)


def of_a_branch_that_is_not_taken(wanted=False):
    return numbers() * (random.random() if wanted else 2)


def times_its_own_description():
    begun = time.perf_counter()
    return numbers() * (1 if time.perf_counter() >= begun else 2)


QUIET = [
    by_a_seed, seeds, asks_for_a_generator, of_samples, of_steps, of_operators, of_a_branch_that_is_not_taken, times_its_own_description,
]  # fmt: skip


@pytest.mark.parametrize("describe", QUIET, ids=[one.__name__ for one in QUIET])
def test_nothing_else_warns(describe):
    scale = random.random()  # outside of the description
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pipe = sluice.pipeline(batch_size=2)(describe)()
        next(iter(pipe))
    assert scale >= 0


def test_a_warning_that_is_an_error_is_one_of_the_description():
    with warnings.catch_warnings(), pytest.raises(sluice.DrawWarning):
        warnings.simplefilter("error")
        sluice.pipeline(lambda: numbers() * random.random())()
