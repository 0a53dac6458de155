"""The programs of python/examples run on images that are drawn, and print what they are meant to show."""

import importlib.util
import os
import pathlib
import re
import runpy
import subprocess
import sys

import numpy
import pytest
from conftest import assert_explains_itself, draw

import sluice

EXAMPLES = pathlib.Path(__file__).parents[2] / "python" / "examples"

# The lines that each example prints for the eight images of `photos`, as patterns.
LINES = {
    "albumentations_step": [r"\(4, 96, 128, 3\) with 1 box each, labels \[\[1\], \[1\], \[1\], \[1\]\]"] * 2,
    "detection": [r"class 0 at \[(0, 75, 150, 225|150, 75, 300, 225)\]"] * 8,
    "evaluate": [
        r"[0-8] of 8 images are right, 0 could not be read",
        r"the same with one thread and batches of 3: True",
    ],
    "loop_per_image": [r" +\d+ bytes at quality 95"] * 8,
    "own_source": [
        r"batch of 4: 0, 2, 4, 6",
        r"batch of 4: 1, 3, 5, 7",
        r"threads that called load\(\): [1-9]\d*",
    ],
    "resume": [
        r"stopped after 2 of 4 batches; the state has \d+ bytes",
        r"2 more batches; all have the same bytes: True",
    ],
    "rotate_some": [r"\(8, 400, 400, 3\) uint8 \[0, 0, 0, 0, 1, 1, 1, 1\]"],
    "skip_damaged": [
        r"batch 0: 4 delivered",
        r"batch 1: 4 delivered",
        r"8 delivered, 0 damaged",
    ],
    "torchvision_step": [r"\(4, 96, 96, 3\) \[0, 0, 0, 0\]", r"\(4, 96, 96, 3\) \[1, 1, 1, 1\]"],
    "train_resnet": [r"epoch 0: 2 batches, last loss \d+\.\d{3}", r"epoch 1: 2 batches, last loss \d+\.\d{3}"],
    "two_views": [r"\(8, 96, 96, 3\) and \(8, 96, 96, 3\): 8 of 8 pairs differ"],
}


@pytest.fixture
def photos(tmp_path):
    """Eight JPEG files in two classes, in the folder that examples read by default."""
    for number in range(8):
        place = tmp_path / "photos" / "ab"[number % 2]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number}.jpg").write_bytes(sluice.encode_jpeg(draw(number, 60, 80), 90))
    return tmp_path / "photos"


# Modules that examples need and not every machine has.
NEEDS = {"albumentations_step": "albumentations", "torchvision_step": "torchvision", "train_resnet": "torch"}


def require(name):
    if name in NEEDS and importlib.util.find_spec(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is missing")


def run(name, *arguments, cwd):
    """Runs an example in a process of its own, which imports the same sluice."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(sluice.__file__)))
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, EXAMPLES / f"{name}.py", *map(str, arguments)],
        cwd=cwd, env={**os.environ, "PYTHONPATH": path}, capture_output=True, text=True, timeout=300, check=False,
    )


def lines_of(name, *arguments, cwd):
    ran = run(name, *arguments, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == "" or name in NEEDS  # they may warn
    return ran.stdout.splitlines()


def assert_match(lines, patterns):
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns):
        assert re.fullmatch(pattern, line), (line, pattern)


def test_no_example_is_left_out():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(LINES)


@pytest.mark.parametrize("name", LINES)
def test_examples_are_short_and_say_how_to_run_them(name):
    assert_explains_itself((EXAMPLES / f"{name}.py").read_text(), 60, f"python python/examples/{name}.py [FOLDER")


@pytest.mark.parametrize("name", LINES)
def test_examples_print_what_they_show(name, photos):
    require(name)
    assert_match(lines_of(name, photos, cwd=photos.parent), LINES[name])


@pytest.mark.parametrize("name", LINES)
def test_examples_say_that_the_folder_is_missing(name, tmp_path):
    require(name)
    ran = run(name, cwd=tmp_path)
    assert ran.returncode == 1 and ran.stdout == ""
    wanted = f"{name}: the folder 'photos' does not exist; give the path of a folder with JPEG files"
    assert ran.stderr.splitlines()[-1] == wanted
    assert "Traceback" not in ran.stderr


def test_boxes_of_a_list(photos):
    row = '{"path": "b/3.jpg", "boxes": [[0.5, 0.5, 0.5, 1], [0.5, 0.5, 1, 0.5]], "labels": [7, 8]}\n'
    (photos / "boxes.jsonl").write_text(row)
    lines = lines_of("detection", photos, cwd=photos)
    assert lines == ["class 7 at [75, 0, 225, 300]; class 8 at [0, 75, 300, 225]"]


def test_detection_needs_images_or_a_list(tmp_path):
    ran = run("detection", tmp_path, cwd=tmp_path)
    assert ran.returncode == 1 and ran.stderr.startswith(f"detection: the folder '{tmp_path}' has neither JPEG files nor")


def test_quality_falls_until_the_file_is_small(photos):
    def smallest(path):
        pixels, quality = numpy.asarray(sluice.decode_jpeg(path.read_bytes())), 95
        while quality > 5 and len(sluice.encode_jpeg(pixels, quality)) > 900:
            quality -= 10
        return len(sluice.encode_jpeg(pixels, quality)), quality

    expected = [smallest(path) for path in sorted(photos.rglob("*.jpg"))]
    assert any(quality < 95 for _, quality in expected)
    lines = lines_of("loop_per_image", photos, 900, cwd=photos)
    assert lines == [f"{size:6} bytes at quality {quality}" for size, quality in expected]


def test_a_damaged_file_costs_one_sample(photos):
    bad = photos / "a" / "1.jpg"
    bad.write_bytes(b"no image")
    patterns = [
        "batch 0: 3 delivered",
        rf"  {re.escape(str(bad))} failed in \w+: not a JPEG file: starts with 6e 6f 20 69",
        "batch 1: 4 delivered",
        "batch 2: 1 delivered",
        "8 delivered, 1 damaged",
    ]
    assert_match(lines_of("skip_damaged", photos, cwd=photos), patterns)


def test_training_continues_from_its_checkpoint(photos):
    require("train_resnet")
    first = lines_of("train_resnet", photos, "first.pt", 1, cwd=photos.parent)
    assert_match(first, LINES["train_resnet"][:1])
    second = lines_of("train_resnet", photos, "first.pt", 2, cwd=photos.parent)
    assert_match(second, LINES["train_resnet"][1:])


@pytest.mark.parametrize("name", ["train_resnet", "evaluate"])
def test_labels_need_classes(name, photos):
    require(name)
    ran = run(name, photos / "a", cwd=photos)
    wanted = f"{name}: the folder '{photos / 'a'}' has no classes; move the files of each class to a folder in it"
    assert ran.returncode == 1 and ran.stdout == "" and ran.stderr.splitlines()[-1] == wanted


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("name", ["albumentations_step", "torchvision_step"])
def test_steps_of_other_libraries_run_here_and_in_workers(name, workers, photos):
    require(name)
    assert_match(lines_of(name, photos, workers, cwd=photos.parent), LINES[name])


@pytest.mark.parametrize("name", ["albumentations_step", "torchvision_step"])
def test_steps_of_missing_libraries_say_what_to_install(name, monkeypatch):
    monkeypatch.setitem(sys.modules, NEEDS[name], None)  # as if it were not installed
    wanted = rf"^{name}: \w+ is missing; install it with `pip install {NEEDS[name]}`$"
    with pytest.raises(SystemExit, match=wanted):
        runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")


def test_training_without_pytorch_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)  # as if it were not installed
    with pytest.raises(SystemExit, match="^train_resnet: torch is missing; install it with `pip install torch`$"):
        runpy.run_path(str(EXAMPLES / "train_resnet.py"), run_name="__main__")
