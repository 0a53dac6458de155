"""benchmarks/training/train on the CPU: the contenders that run there, and the reasons of those that do not."""

import json
import pathlib
import subprocess
import sys

import pytest

TRAIN = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/training/train"
SMALL = ["--device", "cpu", "--network", "resnet18", "--batch", "2", "--rounds", "1", "--seconds", "0.1", "--warm-up", "0"]


def run(*options):
    pytest.importorskip("torchvision")
    command = [sys.executable, "-B", str(TRAIN), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_trains_and_says_what_is_left_out(folder, tmp_path):
    path = tmp_path / "figures.json"
    done = run("--data", folder, *SMALL, "--contenders", "sluice-cpu,sluice-cpu-index,sluice-gpu", "--json", path)
    assert done.returncode == 0, done.stderr
    assert "sluice-gpu is left out: it needs --device cuda\n" in done.stdout
    told = json.loads(path.read_text())
    assert set(told["left_out"]) == {"sluice-cpu-index", "sluice-gpu"}
    assert list(told["rounds"]) == ["synthetic", "sluice-cpu", "synthetic again"]
    for rounds in told["rounds"].values():
        assert len(rounds) == 1 and rounds[0]["images_per_second"] > 0 and 0 <= rounds[0]["stalls"] <= 1


@pytest.mark.parametrize(
    "options, message",
    [
        (["--contenders", "slice"], "unknown: slice; there are synthetic, sluice-cpu,"),
        (["--cuda-graph"], "--cuda-graph: there are none on the CPU; leave it out, or pass --device cuda"),
        (["--data", "nowhere"], "--data: wrong number of class folders in nowhere (got 0, expected 1 to 1000); make one for each class"),
    ],
)
def test_wrong_options(folder, options, message):
    done = run("--data", folder, "--device", "cpu", *options)
    assert done.returncode == 2 and message in done.stderr
