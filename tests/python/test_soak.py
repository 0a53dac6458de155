"""scripts/soak: a short run of all kinds of cycles, and what its verdict sees."""

import importlib.machinery
import importlib.util
import json
import pathlib
import signal
import subprocess
import sys

import pytest

SOAK = pathlib.Path(__file__).resolve().parents[2] / "scripts/soak"
SHORT = ["--size", "32", "--every", "0.5", "--timed", "0"]


@pytest.fixture(scope="module")
def soak():
    """The script as a module."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SOAK.parent)
        loader = importlib.machinery.SourceFileLoader("soak", str(SOAK))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("soak", loader))
        loader.exec_module(module)
        yield module


def command(path, *options):
    return [sys.executable, "-B", str(SOAK), *SHORT, "--out", str(path), *options]


@pytest.mark.parametrize("device, cycles", [("cpu", 11), ("stand-in", 2)])
def test_runs_all_kinds_of_cycles(soak, tmp_path, device, cycles):
    path = tmp_path / "soak.json"
    done = subprocess.run(command(path, "--device", device, "--cycles", str(cycles)), capture_output=True, text=True, check=False)
    assert done.returncode in (0, 2), done.stderr  # 2: a short run still grows
    told = json.loads(path.read_text())
    assert told["ended"] == "complete" and told["cycles"] == cycles == sum(told["kinds"].values())
    assert set(told["kinds"].values()) == {1}
    assert told["epochs"] > cycles and told["images"] > 40 * cycles
    outcomes = told["outcomes"]
    assert outcomes.pop("admitted") == sum(outcomes.values())
    samples = [dict(zip(told["fields"], row)) for row in told["samples"]]
    assert samples[0]["cycles"] == 0 and samples[-1]["cycles"] == cycles
    assert all(one["memory"] > one["allocated"] >= 0 and one["images_per_second"] > 0 for one in samples)
    assert {one["children"] for one in samples} == {0}
    if device == "cpu":
        assert told["kinds"].keys() == soak.KINDS["cpu"].keys()
        assert len(told["faults"]) == 8 and sum(told["faults"].values()) > 50
    assert "delivered images were compared, and all were right" in " ".join(done.stdout.split())


def test_a_signal_ends_it_with_its_results(tmp_path):
    path = tmp_path / "soak.json"
    with subprocess.Popen(command(path, "--hours", "1"), stdout=subprocess.PIPE, text=True) as process:
        assert " 0 cycles" in process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert process.returncode in (0, 2)
    assert json.loads(path.read_text())["ended"] == "stopped by a signal"


def test_a_wrong_image_ends_it(soak, tmp_path, monkeypatch, capfd):
    before = soak.Soak.sums
    # The reference is right. All later sums are wrong.
    monkeypatch.setattr(soak.Soak, "sums", lambda self, batch: ((key, one + hasattr(self, "stays")) for key, one in before(self, batch)))
    path = tmp_path / "soak.json"
    monkeypatch.setattr(sys, "argv", ["soak", *SHORT, "--seed", "7", "--first", "2", "--out", str(path)])
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        assert soak.main() == 1
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    ended = json.loads(path.read_text())["ended"]
    assert ended.startswith("failed in cycle 2, ") and "with seed 7: Wrong: sample " in ended and "has other pixels" in ended
    assert "--seed 7 --first 2 --cycles 1 runs it again" in capfd.readouterr().err


def samples_of(**changed):
    """Samples of ten hours; each field is a number, or a function of the hour."""
    fields = {"memory": 100e6, "allocated": 50e6, "device_memory": 0, "descriptors": 5, "threads": 8, "children": 0,
              "images_per_second": 900, "images_per_cpu_second": 450, **changed}  # fmt: skip
    return [{"hours": hour, **{name: one(hour) if callable(one) else one for name, one in fields.items()}} for hour in range(41)]


RUN = {"version": "1", "date": "today", "machine": "a machine", "device": "cpu", "seed": 1, "files": {"count": 1, "megabytes": 1, "drawn": True},
       "size": 32, "ended": "complete", "hours": 40, "cycles": 1, "epochs": 1, "images": 1, "faults": {}}  # fmt: skip


def test_the_verdict_sees_what_grows(soak):
    def bad(**changed):
        return [name for name, one in soak.verdict(samples_of(**changed)).items() if not one["flat"]]

    assert bad() == []
    assert bad(memory=lambda hour: 500e6 if hour < 4 else 100e6) == []  # it warms up
    assert bad(memory=lambda hour: 100e6 - 1e6 * hour) == []
    assert bad(memory=lambda hour: 100e6 + 0.1e6 * hour) == ["memory"]
    assert bad(allocated=lambda hour: 50e6 + 1e6 * hour) == ["allocated"]
    assert bad(descriptors=lambda hour: 5 + (hour > 30)) == ["descriptors"]
    assert bad(threads=lambda hour: 8 + hour // 20, children=lambda hour: hour // 39) == ["threads", "children"]
    assert bad(images_per_second=lambda hour: 900 + 100 * (hour % 3)) == []  # noise
    assert bad(images_per_second=lambda hour: 900 + 5 * hour) == []
    assert bad(images_per_second=lambda hour: 900 - 5 * hour) == ["images_per_second"]
    text = soak.text_of({**RUN, "verdict": soak.verdict(samples_of(threads=lambda hour: 8 + hour // 20))})
    assert "| threads | 8 | 9 | +12.50 % | no |" in text and "| child processes | 0 | 0 | +0.00 % | yes |" in text
    growth = soak.verdict(samples_of(memory=lambda hour: 100e6 + 2e6 * hour))["memory"]
    assert growth["megabytes_per_hour"] == 2 and growth["first"] == 116e6 and growth["last"] == 172e6


def test_a_run_that_is_too_short_has_no_verdict(soak):
    assert soak.verdict([]) == {} and soak.verdict(samples_of()[:3]) == {}
