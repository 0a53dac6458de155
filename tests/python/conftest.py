"""Images that tests draw themselves, what they are made of, and counts of trials."""

import collections
import os
import subprocess
import sys

import numpy
import pytest

import sluice


def draw(number: int, height: int = 48, width: int = 64) -> numpy.ndarray:
    """An image that no other number has: smooth, with an edge."""
    y, x = numpy.mgrid[0:height, 0:width]
    red = (x * 3 + number * 17) % 256
    green = (y * 4 + number * 29) % 256
    blue = numpy.where(x > y, 200, 40) + number % 8
    return numpy.stack([red, green, blue], axis=-1).astype(numpy.uint8)


def import_error(module: str, without: str) -> str:
    """Imports a module where another one cannot be imported, and returns the error that ends the program."""
    program = f"import sys; sys.modules[{without!r}] = None; import {module}"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    return ran.stderr.splitlines()[-1]


def assert_explains_itself(example: str, most_lines: int, command: str) -> None:
    """Checks that the source of an example is short and says at its top how to run it."""
    assert 25 <= len(example.splitlines()) <= most_lines
    assert example.startswith('"""')
    assert command in example.split('"""')[1]


_trials = collections.Counter()


def tried(row: str, count: int = 1) -> None:
    """Adds trials of the current test to a row of docs/reliability.md, as tried() of tests/tried.h does."""
    _trials[row] += count


def pytest_runtest_logreport(report):
    """With SLUICE_TRIALS set to a file, appends a line for each row when a test ends: row, count, "passed" or "failed", test."""
    if report.when != "call":
        return
    text = "".join(f"{row}\t{count}\t{report.outcome}\t{report.nodeid}\n" for row, count in _trials.items())
    _trials.clear()
    if text and (path := os.environ.get("SLUICE_TRIALS")):
        with open(path, "a") as file:
            file.write(text)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Twelve JPEG files in three classes."""
    root = tmp_path_factory.mktemp("images")
    for number in range(12):
        place = root / "abc"[number % 3]
        place.mkdir(exist_ok=True)
        image = draw(number, 40 + number, 60 + 2 * number)
        (place / f"{number:02}.jpg").write_bytes(sluice.encode_jpeg(image, 95))
    return root


@pytest.fixture(scope="session")
def paths(folder):
    """The files of the folder, in the order in which they are read."""
    return sorted(folder.rglob("*.jpg"))
