"""What the chapters on Python and the notebook show, run on images that are drawn."""

import ast
import importlib.util
import json
import linecache
import os
import pathlib
import re
import subprocess
import sys

import pytest
from conftest import draw

import sluice

ROOT = pathlib.Path(__file__).parents[2]
PAGES = (
    "README.md",
    "docs/first-hour.md",
    "docs/python.md",
    "docs/from-torchvision.md",
    "docs/from-dali.md",
    "docs/from-others.md",
    "docs/side-by-side.md",
    "docs/boxes-and-masks.md",
    "docs/sources.md",
    "docs/readers.md",
    "docs/packs.md",
    "docs/epochs.md",
    "docs/workers.md",
    "docs/tensors.md",
    "docs/saved-plans.md",
    "docs/control-flow.md",
    "docs/automatic-augmentation.md",
    "docs/errors.md",
)
NOTEBOOK = ROOT / "docs/first-hour.ipynb"

# Written for other libraries, for comparison: never run.
OTHERS = ("# DALI", "# FFCV", "# PyTorch", "# WebDataset", "# albumentations", "# torchvision")
# Modules that a block needs and not every machine has, by a word of the block's text.
NEEDS = {"sluice.torch": "torch", "import torch": "torch", "sluice.ray": "ray"}
# Settings for large machines, and the replacements that are run.
SMALLER = {'to="cuda"': 'to="cpu"', "range(90)": "range(2)", "epochs = 90": "epochs = 2", "shards=32": "shards=2"}


def blocks_of(text):
    """(line, code) of each block of Python."""
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [(text[: one.start(1)].count("\n") + 1, one.group(1)) for one in found]


def run(code, scope, place):
    """Runs code as if it stood in a file, whose source can be read: pipelines need it.

    Returns the value of its last line, as a notebook shows it; None if that is no expression.
    """
    linecache.cache[place] = (len(code), None, code.splitlines(True), place)
    tree = ast.parse(code)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, place, "exec"), scope)
    return None if last is None else eval(compile(ast.Expression(last.value), place, "eval"), scope)


@pytest.fixture
def desk(tmp_path, monkeypatch):
    """A folder to work in, with the images that the pages name."""
    for folder in ("photos", "out/images"):
        for number, name in enumerate("ab"):
            place = tmp_path / folder / name
            place.mkdir(parents=True, exist_ok=True)
            for i in range(number, 8, 2):
                (place / f"{i}.jpg").write_bytes(sluice.encode_jpeg(draw(i, 60, 80), 90))
    row = {"path": "photos/a/0.jpg", "boxes": [[10, 20, 30, 20]], "labels": [3], "mask": "photos/b/1.jpg"}
    (tmp_path / "train.jsonl").write_text(json.dumps(row) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def present(module):
    return importlib.util.find_spec(module) is not None


@pytest.mark.parametrize("page", PAGES)
def test_blocks_run(page, desk):
    blocks = blocks_of((ROOT / page).read_text())
    assert blocks
    scope, left_out = {"__name__": "page"}, 0
    for line, code in blocks:
        if code.startswith(OTHERS):
            continue
        if any(word in code and not present(module) for word, module in NEEDS.items()):
            left_out += 1
            continue
        for large, small in SMALLER.items():
            code = code.replace(large, small)
        try:
            run("\n" * (line - 1) + code, scope, f"{page}:{line}")
        except NameError:
            if not left_out:  # else the name may be one of a block that was left out
                raise


def test_readme_shows_what_its_program_prints(desk, capsys):
    page = (ROOT / "README.md").read_text()
    (line, code), *_ = blocks_of(page)
    assert len(code.splitlines()) <= 16
    if not present("torch"):  # without the loader, the pipeline's own batches print the same
        code = code.replace("import sluice.torch", "import sluice").replace("sluice.torch.Loader(rotated, ", "rotated(")
        assert "torch" not in code
    run(code, {"__name__": "page"}, f"README.md:{line}")
    shown = re.search(r"^```text\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert capsys.readouterr().out == shown.group(1)


def check_output(stored, printed, value, error):
    """Compares an output that the notebook stores with what its cell does. Images and drawings are not compared."""
    if stored["output_type"] == "stream":
        assert "".join(stored["text"]) == printed
    elif stored["output_type"] == "error":
        assert stored["evalue"] == str(error)
    else:
        text = "".join(stored["data"].get("text/plain", ""))
        if " at 0x" not in text:  # else the text is an address
            assert text.split() == repr(value).split()  # notebooks wrap long lines


def test_the_notebook_runs_and_shows_its_outputs(desk, capsys):
    cells = json.loads(NOTEBOOK.read_text())["cells"]
    assert sum(len(cell["outputs"]) for cell in cells if cell["cell_type"] == "code") >= 5
    scope = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        code = "".join(cell["source"])
        if "import torch" in code and not present("torch"):
            continue
        raises = "raises-exception" in cell["metadata"].get("tags", ())
        value = error = None
        capsys.readouterr()
        try:
            value = run(code, scope, f"cell {number}")
        except sluice.Error as caught:
            error = caught
        assert (error is not None) == raises, code
        printed = capsys.readouterr().out
        for stored in cell["outputs"]:
            check_output(stored, printed, value, error)


def test_one_command_makes_the_outputs_of_the_notebook(tmp_path):
    def stored(path):
        cells = json.loads(path.read_text())["cells"]
        for output in [one for cell in cells for one in cell.get("outputs", ())]:
            output.get("data", {}).pop("text/html", None)  # a drawing if Graphviz is installed
        return cells

    again = tmp_path / "notebook.ipynb"
    again.write_text(NOTEBOOK.read_text())
    package = str(pathlib.Path(sluice.__file__).parents[1])
    command = [sys.executable, "-B", str(ROOT / "scripts/notebook"), str(again)]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": package})
    assert stored(again) == stored(NOTEBOOK), "scripts/notebook stores them anew"
    images = [one for cell in stored(again) for one in cell.get("outputs", ()) if "image/jpeg" in one.get("data", {})]
    assert len(images) >= 2


def options_of_headers():
    """The fields of each options struct of the operators, in order; and the declarations of functions."""
    fields, functions = {}, []
    for header in sorted((ROOT / "ops").rglob("*.h")):
        text = re.sub(r"//.*", "", header.read_text())
        for name, body in re.findall(r"struct (\w+Options) \{(.*?)\n\};", text, re.S):
            statements = re.sub(r"\{[^{}]*\}|<[^<>;]*>|\([^()]*\)", "", body).split(";")
            fields[name] = [part.split("=")[0].split()[-1] for one in statements if one.strip() for part in one.split(",") if part.split("=")[0].split()]
        functions += [(name, given) for name, given in re.findall(r"Value<\w+> (\w+)\(([^;{}]*?)\);", text, re.S)]
    return fields, functions


def test_parameters_stand_in_the_order_of_the_fields_of_cpp():
    fields, functions = options_of_headers()
    chapter = (ROOT / "docs/operators.md").read_text()
    seen = 0
    for name, text in re.findall(r"^### (\w+)\n(.*?)(?=^##|\Z)", chapter, re.S | re.M):
        documented = re.findall(r"^\| parameter \| `(\w+)`", text, re.M)
        for options in {one for function, given in functions if function == name for one in re.findall(r"(\w+Options)\b", given)}:
            both = [one for one in fields.get(options, []) if one in documented]
            assert [one for one in documented if one in both] == both, (name, options)
            seen += len(both) > 1
    assert seen > 20


@pytest.mark.parametrize("program", [("measure", "pages"), ("reliability", "page"), ("soak", "page")])
def test_pages_show_the_results(program):
    """README.md and the pages on performance and reliability show the figures of benchmarks/results/."""
    check = [sys.executable, "-B", str(ROOT / "scripts" / program[0]), program[1], "--check"]
    subprocess.run(check, check=True)
