"""What editors and type checkers know of the package. mypy and pyright check the programs of the chapters, and wrong programs."""

import ast
import importlib.util
import inspect
import json
import os
import pathlib
import re
import subprocess
import sys
import typing

import pytest
from test_docs import OTHERS, PAGES, ROOT, blocks_of

import sluice
from sluice import _core, _options
from sluice._options import DEFAULTS, PipelineOptions, SamplerOptions

PACKAGE = pathlib.Path(sluice.__file__).parent

# Each line is a program that a checker accepts.
RIGHT = """\
import glob
import os
import typing
import numpy
import sluice, sluice.torch
from sluice import ops, transforms as T
@sluice.pipeline(batch_size=8, seed=1, on_error="skip", device=0, thread_pool=sluice.ThreadPool(2), trace="trace.json", resume=None)
def train(folder: str, size: int = 224) -> object: return sluice.files(folder, shuffle=True, shard=(0, 4), uneven="wrap")
@sluice.pipeline
def plain() -> object: return typing.assert_type(sluice.files("x", window=8, seed=None, threads=2)[0], sluice.Value)
@sluice.graph_function
def brighter(image: sluice.Value) -> sluice.Value: return typing.assert_type(ops.brightness_contrast(image, brightness=1.5), sluice.Value)
class Photos:
    @sluice.pipeline(seed=1)
    def read(self, folder: str) -> object: return sluice.files(folder)
typing.assert_type(train("x"), sluice.Pipeline)
typing.assert_type(train(folder="x", batch_size=4), sluice.Pipeline)
typing.assert_type(train("x", 32, batch_size=4, seed=2), sluice.Pipeline)
typing.assert_type(plain(), sluice.Pipeline)
typing.assert_type(Photos().read("x", batch_size=2), sluice.Pipeline)
sluice.files("x", subset=numpy.flatnonzero(numpy.ones(3)), weights=numpy.ones(3))
sluice.files("x", subset=range(9), weights=[1, 2.5], replacement=True, draws=3, shard="environment")
sluice.source([1], int, shuffle=True, workers=sluice.WorkerOptions(2))
sluice.iterate(lambda: iter([1]), int, threads=1)
sluice.files("x", order=lambda epoch: [epoch, 1], shard=(0, 2))
sluice.files("x", order=lambda epoch: numpy.arange(epoch))
sluice.pipeline(output_memory=[None, sluice.BufferRing([numpy.zeros(64)])])
typing.assert_type(sluice.BufferRing([]).free, int)
darken = sluice.operator(inputs={"x": "image"}, parameters={"by": sluice.Parameter(float, low=0)}, returns=("image", int), workers=2)(abs)
darken(sluice.constant(1), by=2)
sluice.apply_random(sluice.constant(1), [sluice.Augmentation("a", lambda x, m: x, 0, 1), *sluice.rand_augment_list(fill=1)], n=1)
sluice.apply_policy(sluice.constant(1), sluice.auto_augment_list(), sluice.AugmentationPolicy([[("a", 0.5, 3)]], bins=4))
ops.rotate(numpy.zeros((4, 4, 3), numpy.uint8), 10, seed=1).shape
ops.decode_jpeg(b"").shape
ops.cat([numpy.zeros(3), numpy.zeros(3)], axis=0).shape
ops.rotate(sluice.decode_jpeg(b""), 10, fill=(1, 2, 3)).shape
T.Compose([T.Resize(9)])(numpy.zeros((4, 4, 3), numpy.uint8), seed=3).shape
sluice.torch.Loader(train, "x", to="cuda", drop_last=True, batch_size=4)
sluice.torch.Loader(train, folder="x", batch_size=4)
sluice.torch.Loader(train("x"), to="cuda")
sluice.torch.ImageFolder("x", T.Resize(9), 4, True, seed=3, on_error="skip", subset=[1, 2], allow_empty=True)
def use(batch: sluice.Batch) -> object: return batch.errors[0]["what"], batch.ids[0] + 1, batch[0], batch["image"]
def why(error: sluice.BatchError) -> object: return error.batch + 1, error.errors[0]["what"]
"""

# Each of these is an error: an unknown name, or a value of a wrong type.
WRONG = (
    'sluice.files("x", shufle=True)',
    'sluice.files("x", window="a")',
    'sluice.files("x", uneven="wrapped")',
    'sluice.files("x", shard="1/4")',
    'sluice.list_file("x", sead=1)',
    'sluice.tar("x", shuffle=2)',
    'sluice.packs("x", sead=1)',
    'sluice.pack("x", "y", pack_bytes="all")',
    'sluice.unpack("x.jpg")',
    'sluice.source([1], int, weights=3)',
    'sluice.files("x", order=[1, 2])',
    'sluice.pipeline(output_memory=3)',
    'sluice.operator(inputs={"x": int})',
    'sluice.operator(inputs={"x": int}, returns=int, parameters={"y": 3})',
    'sluice.Parameter(int, lowest=3)',
    'sluice.apply_random(sluice.constant(1), [], m=3)',
    'sluice.mosaic([1], sluice.BatchKey(1, 2, 3))',
    'sluice.iterate(lambda: iter([1]), int, shuffle=True)',
    'sluice.pipeline(batch_sise=8)',
    'sluice.pipeline(batch_size="8")',
    'sluice.pipeline(on_error="ignore")',
    'sluice.pipeline(thread_pool=4)',
    'sluice.torch.ImageFolder("x", sead=1)',
    'sluice.torch.ImageFolder("x", decoder="best")',
    'sluice.filez("x")',
    'sluice.decode_jpeg("x.jpg")',
    'sluice.constant(1, 2)',
    'ops.rotate(image, degree=3)',
    'ops.rotate("x", 10)',
    'ops.rotate(image, 10, seed=1)',
    'ops.rotate_image(image, 10)',
    'image.shape',
    'batch.images',
    'pipe.batches',
)
WRONG_START = """\
import sluice, sluice.torch
from sluice import ops
def wrong(image: sluice.Value, batch: sluice.Batch, pipe: sluice.Pipeline) -> None:
"""


def program_of(page):
    """The blocks of a chapter as one program. Each stands at the line that it has in the chapter."""
    program = ""
    for line, code in blocks_of((ROOT / page).read_text()):
        if not code.startswith(OTHERS):
            program += "\n" * (line - 1 - program.count("\n")) + code
    return program


def mypy(folder, files):
    """(path, line, text) of each error that mypy finds.

    It looks into functions without annotations, too. A name may be of another type later on: in a chapter, each block is a program
    of its own.
    """
    options = ["--check-untyped-defs", "--allow-redefinition", "--no-error-summary", "--hide-error-context", "--no-color-output"]
    own = [] if "site-packages" in PACKAGE.parts else [str(PACKAGE.parent)]
    command = [sys.executable, "-m", "mypy", "--config-file=", "--cache-dir", folder / "cache", *options, *files]
    ran = subprocess.run(command, cwd=folder, env={**os.environ, "MYPYPATH": ":".join(own)}, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    found = re.findall(r"^(.+?):(\d+): error: (.*)$", ran.stdout, re.MULTILINE)
    return [(path, int(line), text) for path, line, text in found if not text.endswith("[import-not-found]")]


def pyright(folder, files):
    """(path, line, text) of each error that pyright finds. It reads sys.path of this Python."""
    search = os.pathsep.join([str(PACKAGE.parent), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, *files]
    ran = subprocess.run(command, cwd=folder, env={**os.environ, "PYTHONPATH": search}, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    found = [one for one in json.loads(ran.stdout)["generalDiagnostics"] if one["severity"] == "error"]
    return [
        (one["file"], one["range"]["start"]["line"] + 1, one["message"])
        for one in found if one.get("rule") != "reportMissingImports"  # such as PyTorch, which not every machine has
    ]


@pytest.fixture(scope="module", params=[mypy, pyright], ids=["mypy", "pyright"])
def errors(request, tmp_path_factory):
    """The errors by file: of the chapters, the programs above and the package. The checker runs once for all of them."""
    if importlib.util.find_spec(request.param.__name__) is None:
        pytest.skip(f"{request.param.__name__} is not installed")
    folder = tmp_path_factory.mktemp(request.param.__name__)
    programs = {page: program_of(page) for page in PAGES}
    programs["right"] = RIGHT
    programs["wrong"] = WRONG_START + "".join(f"    {one}\n" for one in WRONG)
    names = {re.sub(r"\W", "_", name) + "_.py": name for name in programs}  # no name is that of a module
    for file, name in names.items():
        (folder / file).write_text(programs[name])
    own = sorted(str(one) for one in PACKAGE.glob("*.py*") if one.suffix in (".py", ".pyi"))
    # mypy refuses a module twice, and a stub stands for its module.
    own = [one for one in own if not (one.endswith(".py") and f"{one}i" in own)]
    by_file = {}
    for path, line, text in request.param(folder, [*names, *own]):
        name = pathlib.Path(path).name
        by_file.setdefault(names.get(name, name), []).append((line, text))
    return by_file


@pytest.mark.parametrize("page", [*PAGES, "right"])
def test_programs_have_no_errors(page, errors):
    assert errors.get(page, []) == []


def test_wrong_programs_have_errors(errors):
    first = WRONG_START.count("\n") + 1
    found = {line - first for line, _ in errors["wrong"]}
    assert found == set(range(len(WRONG))), [one for place, one in enumerate(WRONG) if place not in found]


def signatures_of(file):
    """(first line, last line) of the signature of each function of a file."""
    for node in ast.walk(ast.parse(file.read_text())):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, max(node.lineno, node.body[0].lineno - 1)


def test_signatures_of_the_package_have_no_errors(errors):
    wrong = [
        (file.name, line, text)
        for file in PACKAGE.glob("*.py*") if file.name in errors
        for line, text in errors[file.name]
        if file.suffix == ".pyi" or any(first <= line <= last for first, last in signatures_of(file))
    ]
    assert wrong == []


def options_in(text):
    """The name and the default of each parameter in a doc string; None for one that is optional."""
    section = re.search(r"Parameters\n *-+\n(.*?)(?:\n\n *Returns|\Z)", inspect.cleandoc(text), re.DOTALL).group(1)
    found = re.findall(r"^(\w+) : .*?(?:, default (.*)|, optional)$", section, re.MULTILINE)
    return {name: eval(default) if default else None for name, default in found}


@pytest.mark.skipif(not PipelineOptions.__doc__, reason="Python runs without doc strings")
@pytest.mark.parametrize("options, text", [(SamplerOptions, SamplerOptions.__doc__), (PipelineOptions, sluice.pipeline.__doc__)])
def test_options_are_those_of_the_documentation(options, text):
    documented = options_in(text)
    documented.pop("function", None)
    assert list(documented.items()) == list(DEFAULTS[options].items())


@pytest.mark.parametrize("options", DEFAULTS)
def test_each_option_has_a_type_and_a_default_of_this_type(options):
    types = typing.get_type_hints(options)
    assert types.keys() == DEFAULTS[options].keys()
    for name, default in DEFAULTS[options].items():
        members = typing.get_args(types[name]) or (types[name],)
        values = [value for one in members for value in typing.get_args(one) or (one,)]
        assert default in values or type(default) in values or (type(default) is int and float in values), name


def test_options_are_those_of_the_core():
    def known(describe):
        with pytest.raises(sluice.BuildError, match="has no option 'x'; it has ") as caught:
            describe()
        return set(re.search("it has ([a-z_, ]+)", str(caught.value)).group(1).split(", "))

    graph = sluice._graph.Graph()
    assert known(lambda: graph.core.python_source("source", int, 1, ["i64"], {"x": 1})) == DEFAULTS[SamplerOptions].keys()
    assert known(lambda: graph.core.build([], {"x": 1})) == DEFAULTS[PipelineOptions].keys()


def test_signatures_show_the_options():
    for function in (sluice.files, sluice.list_file, sluice.tar, sluice.packs, sluice.source):
        parameters = inspect.signature(function).parameters
        shown = {name: one.default for name, one in parameters.items() if name in DEFAULTS[SamplerOptions]}
        assert shown == DEFAULTS[SamplerOptions]
        assert parameters["shuffle"].kind is inspect.Parameter.KEYWORD_ONLY
        assert parameters["shuffle"].annotation is bool
    assert list(inspect.signature(sluice.pipeline).parameters) == ["function", *DEFAULTS[PipelineOptions]]
    assert inspect.signature(sluice.iterate).parameters["threads"].default == 0


def test_no_function_takes_any_keyword():
    for name in sluice.__all__:
        thing = getattr(sluice, name)
        if inspect.isfunction(thing):
            kinds = {one.kind for one in inspect.signature(thing).parameters.values()}
            assert inspect.Parameter.VAR_KEYWORD not in kinds, name


def test_image_folder_shows_the_options():
    pytest.importorskip("torch")
    shown = inspect.signature(sluice.torch.ImageFolder).parameters
    assert DEFAULTS[_options.FolderOptions].keys() < shown.keys()
    assert "options" not in shown


def test_the_stub_of_the_core_is_right():
    stub = {one.name: one for one in ast.parse((PACKAGE / "_core.pyi").read_text()).body if isinstance(one, ast.ClassDef)}
    public = {name for name in sluice.__all__ if getattr(sluice, name) is getattr(_core, name, None) and name in vars(_core)}
    assert public - {"devices"} == stub.keys()
    for name, declared in stub.items():
        real = getattr(_core, name)
        assert [one.__name__ for one in real.__bases__] == ([one.id for one in declared.bases] or ["object"])
        assert all(hasattr(real, one.name) for one in declared.body if isinstance(one, ast.FunctionDef))
