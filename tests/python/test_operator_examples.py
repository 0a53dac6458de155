"""The examples in Python on the documentation's pages of operators: each describes a pipeline that runs."""

import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy
import pytest

import sluice
from sluice import ops

ROOT = pathlib.Path(__file__).parents[2]
# A header stays inside of the pipeline, and the image of the test has no file that keeps all bits.
ONLY_DESCRIBED = ("ops.peek_jpeg(jpeg)", "ops.decode_tensor(file)")


def _module(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _examples():
    printed = subprocess.run(
        [sys.executable, "-m", "sluice", "operators", "--json"], capture_output=True, text=True, check=True
    ).stdout
    pages = _module(ROOT / "docs/site/operator_pages.py")
    operators = json.loads(printed)
    return operators, pages.examples(operators, pages.python_signatures(ROOT / "python/sluice/ops.pyi"))


OPERATORS, EXAMPLES = _examples()


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A list of one image, with boxes and classes."""
    folder = tmp_path_factory.mktemp("listed")
    image = numpy.random.default_rng(1).integers(0, 256, (240, 320, 3), dtype=numpy.uint8)
    (folder / "a.jpg").write_bytes(sluice.encode_jpeg(image))
    line = {"path": "a.jpg", "boxes": [[10, 20, 200, 150], [4, 4, 90, 90]], "labels": [1, 2], "numbers": [1, 2, 3, 4]}
    (folder / "list.jsonl").write_text(json.dumps(line) + "\n")
    return folder / "list.jsonl"


def _values(path):
    """The values that examples name."""
    columns = {"boxes": "list of f32", "labels": "list of i64", "numbers": "list of f32"}
    file, boxes, classes, weights = sluice.list_file(path, columns)
    image = ops.decode_jpeg(file)
    x, y = sluice.map(lambda pixels: (7, 2), image, returns=(int, int))
    boxes = ops.rows_of(boxes, 4)
    return {
        "anchors": boxes,
        "boxes": boxes,
        "classes": classes,
        "file": file,
        "image": image,
        "jpeg": file,
        "label": x,
        "labels": ops.labels_of(classes),
        "points": ops.rows_of(weights, 2),
        "region": sluice.constant((10, 20, 100, 120)),
        "tensor": image.cast("f32"),
        "weights": weights,
        "x": x,
        "y": y,
    }


@pytest.mark.parametrize("call", [call for calls in EXAMPLES.values() for call in calls])
def test_example_runs(call, listed):
    if ".gpu()" in call:
        pytest.skip("needs a GPU")

    @sluice.pipeline(batch_size=1)
    def described():
        values = _values(listed)
        made = eval(call, {"ops": ops, "sluice": sluice}, values)
        return values["x"] if made is None or call in ONLY_DESCRIBED else (values["x"], made)

    assert described().inspect(0)["error"] is None


def test_every_operator_of_python_has_an_example():
    missing = [one["name"] for one in OPERATORS if one["python"] and one["name"] not in EXAMPLES]
    assert not missing
    assert len(EXAMPLES) > 150
