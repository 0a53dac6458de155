"""The examples that train networks run for a few steps on images that are drawn, and continue where they stopped."""

import importlib.util
import json
import os
import pathlib
import re
import subprocess
import sys

import numpy
import pytest
from conftest import assert_explains_itself, draw

import sluice

EXAMPLES = pathlib.Path(__file__).parents[2] / "python/examples/training"

# The packages that each example imports, and those that it says to install.
NEEDS = {
    "accelerate_loader": (["torch", "accelerate"], "accelerate"),
    "cifar": (["torch", "torchvision"], "torch torchvision"),
    "detect": (["torch", "torchvision"], "torch torchvision"),
    "imagenet": (["torch", "torchvision"], "torch torchvision"),
    "lightning_loader": (["torch", "lightning"], "lightning"),
    "simclr": (["torch", "torchvision"], "torch torchvision"),
}


def test_no_example_is_left_out():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(NEEDS)


def require(name):
    for package in NEEDS[name][0]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is missing")


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Eight images to train with and four to validate with, in two classes, and a list with boxes."""
    root = tmp_path_factory.mktemp("training") / "photos"
    for part, count in (("train", 8), ("val", 4)):
        for number in range(count):
            place = root / part / "ab"[number % 2]
            place.mkdir(parents=True, exist_ok=True)
            (place / f"{number}.jpg").write_bytes(sluice.encode_jpeg(draw(number, 60, 80), 90))
    rows = []
    for number in range(8):
        boxes = [[5, 5, 50, 40]] * (number % 3)
        rows.append({"path": f"train/{'ab'[number % 2]}/{number}.jpg", "boxes": boxes, "labels": [7] * len(boxes)})
    (root / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return root


@pytest.fixture
def batches(tmp_path):
    """Files in the binary format of CIFAR-10: 128 images to train with and 10 to test with."""
    numbers = numpy.random.default_rng(0)
    for name, count in (("data_batch_1", 128), ("test_batch", 10)):
        rows = numbers.integers(0, 256, (count, 3073), dtype=numpy.uint8)
        rows[:, 0] %= 10
        rows.tofile(tmp_path / f"{name}.bin")
    return tmp_path


def start(*arguments, cwd):
    """Runs Python on the CPU in a process of its own, which imports the same sluice."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(sluice.__file__)))
    path = os.pathsep.join([package, *filter(None, [os.environ.get("PYTHONPATH")])])
    own = {"PYTHONPATH": path, "CUDA_VISIBLE_DEVICES": "", "ACCELERATE_USE_CPU": "true", "OMP_NUM_THREADS": "1"}
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd, env={**os.environ, **own}, capture_output=True, text=True, timeout=600, check=False,
    )


def lines_of(name, *arguments, cwd, launcher=()):
    """Returns what the example prints, without the lines of Lightning."""
    ran = start(*launcher, EXAMPLES / f"{name}.py", *arguments, cwd=cwd)
    assert ran.returncode == 0, ran.stderr
    return [line for line in ran.stdout.splitlines() if re.match(r"(epoch|step) \d", line)]


def assert_match(lines, patterns):
    assert len(lines) == len(patterns), lines
    for line, pattern in zip(lines, patterns):
        assert re.fullmatch(pattern, line), (line, pattern)


def weights_of(path):
    import torch

    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        return load_file(path)
    states = torch.load(path, weights_only=True)
    return states.get("model", states.get("state_dict", states))


def assert_same_weights(one, other):
    one, other = weights_of(one), weights_of(other)
    assert one.keys() == other.keys()
    assert all(bool((one[name] == other[name]).all()) for name in one)


@pytest.mark.parametrize("name", NEEDS)
def test_examples_are_short_and_say_how_to_run_them(name):
    assert_explains_itself((EXAMPLES / f"{name}.py").read_text(), 120, f"python python/examples/training/{name}.py ")


@pytest.mark.parametrize(("name", "package"), [(name, package) for name, (packages, _) in NEEDS.items() for package in packages])
def test_examples_say_which_package_is_missing(name, package, tmp_path):
    path, packages = str(EXAMPLES / f"{name}.py"), NEEDS[name][0]
    modules = ", ".join(f"{one!r}: {'None' if one == package else f'types.ModuleType({one!r})'}" for one in packages)
    program = f"import runpy, sys, types; sys.modules.update({{{modules}}}); runpy.run_path({path!r}, run_name='__main__')"
    ran = start("-c", program, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (
        1, f"{name}: {package} is missing; install it with `pip install {NEEDS[name][1]}`\n"
    )


@pytest.mark.parametrize("name, words", {
    "accelerate_loader": "the folder 'none' does not exist; give the path of a folder with JPEG files",
    "cifar": "the folder 'none' has no data_batch_1.bin; unpack cifar-10-binary.tar.gz and give its folder",
    "detect": "the list 'none' does not exist; give the path of a list of images with boxes",
    "imagenet": f"the folder '{os.path.join('none', 'train')}' does not exist; give the path of a folder with JPEG files",
    "lightning_loader": "the folder 'none' does not exist; give the path of a folder with JPEG files",
    "simclr": "the folder 'none' does not exist; give the path of a folder with JPEG files",
}.items())
def test_examples_say_that_their_images_are_missing(name, words, tmp_path):
    require(name)
    ran = start(EXAMPLES / f"{name}.py", "none", cwd=tmp_path)
    assert ran.returncode == 1 and ran.stdout == "" and "Traceback" not in ran.stderr
    assert ran.stderr.splitlines()[-1] == f"{name}: {words}"


@pytest.mark.parametrize("name", ["accelerate_loader", "imagenet", "lightning_loader"])
def test_labels_need_classes(name, photos, tmp_path):
    require(name)
    place = tmp_path / "train"
    place.mkdir()
    (place / "0.jpg").write_bytes((photos / "train" / "a" / "0.jpg").read_bytes())
    ran = start(EXAMPLES / f"{name}.py", tmp_path if name == "imagenet" else place, cwd=tmp_path)
    wanted = f"{name}: the folder '{place}' has no classes; move the files of each class to a folder in it"
    assert ran.returncode == 1 and ran.stderr.splitlines()[-1] == wanted


IMAGENET = ("--batch-size", 2, "--size", 32, "--epochs", 2)


def test_imagenet_continues_in_the_middle_of_an_epoch(photos, tmp_path):
    require("imagenet")
    patterns = [rf"epoch {epoch}: loss \d+\.\d{{3}}, top-1 \d+\.\d%" for epoch in range(2)]
    whole = lines_of("imagenet", photos, *IMAGENET, "--saved", "whole.pt", cwd=tmp_path)
    assert_match(whole, patterns)
    stopped = (photos, *IMAGENET, "--saved", "stopped.pt")
    assert lines_of("imagenet", *stopped, "--steps", 3, cwd=tmp_path) == []
    assert lines_of("imagenet", *stopped, "--steps", 1, cwd=tmp_path) == whole[:1]  # with the last batch of the epoch
    assert lines_of("imagenet", *stopped, cwd=tmp_path) == whole[1:]
    assert_same_weights(tmp_path / "whole.pt", tmp_path / "stopped.pt")


def test_imagenet_with_two_processes_and_mixed_precision(photos, tmp_path):
    require("imagenet")
    launcher = ("-m", "torch.distributed.run", "--standalone", "--nproc-per-node", 2)
    short = (*IMAGENET[:-1], 1, "--amp")
    whole = lines_of("imagenet", photos, *short, "--saved", "whole.pt", cwd=tmp_path, launcher=launcher)
    assert len(whole) == 1  # of the first process
    stopped = (photos, *short, "--saved", "stopped.pt")
    assert lines_of("imagenet", *stopped, "--steps", 1, cwd=tmp_path, launcher=launcher) == []
    assert lines_of("imagenet", *stopped, cwd=tmp_path, launcher=launcher) == whole
    assert_same_weights(tmp_path / "whole.pt", tmp_path / "stopped.pt")


def test_cifar(batches):
    require("cifar")
    lines = lines_of("cifar", batches, 2, 1, cwd=batches)
    assert_match(lines, [rf"epoch {epoch}: loss \d+\.\d{{3}}, \d+ of 10 are right" for epoch in range(2)])


def test_detect_continues_from_its_checkpoint(photos, tmp_path):
    require("detect")
    losses = r"bbox_regression \d+\.\d{3}, classification \d+\.\d{3}"
    assert_match(lines_of("detect", photos / "train.jsonl", 1, cwd=tmp_path), [f"step 1: {losses}"])
    assert_match(lines_of("detect", photos / "train.jsonl", 3, cwd=tmp_path), [f"step 3: {losses}"])


def test_simclr(photos, tmp_path):
    require("simclr")
    assert_match(lines_of("simclr", photos, 2, cwd=tmp_path), [r"step 2: loss \d+\.\d{3}"])
    weights = weights_of(tmp_path / "simclr.pt")
    assert weights["conv1.weight"].shape == (64, 3, 7, 7) and "fc.weight" not in weights


@pytest.mark.parametrize("name, saved, weights, line", [
    ("accelerate_loader", "", "model.safetensors", "epoch {epoch}: {batch} of 2 batches, "),
    ("lightning_loader", ".ckpt", "", "epoch {epoch}: step {step}, "),
], ids=["accelerate", "lightning"])
def test_training_continues_exactly(name, saved, weights, line, photos, tmp_path):
    require(name)
    whole = lines_of(name, photos / "train", f"whole{saved}", cwd=tmp_path)
    ends = [line.format(epoch=epoch, batch=2, step=2 * epoch + 2) for epoch in range(2)]
    assert_match(whole, [end + r"last loss \d\.\d{3}" for end in ends])
    for step in (2, 3):  # after the first epoch, and in the middle of the second one
        stopped = f"stopped-{step}{saved}"
        lines = lines_of(name, photos / "train", stopped, 2, step, cwd=tmp_path)
        epoch, batch = divmod(step - 1, 2)
        assert lines[-1].startswith(line.format(epoch=epoch, batch=batch + 1, step=step))
        assert lines_of(name, photos / "train", stopped, 2, cwd=tmp_path) == whole[1:]
        assert_same_weights(tmp_path / f"whole{saved}" / weights, tmp_path / stopped / weights)
