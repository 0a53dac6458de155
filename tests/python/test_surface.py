"""Compares what the public headers declare with what the Python module has. Both must have the same functions and options.

The exceptions are listed below, with reasons. The reasons in `ONLY_CPP` are also a list in docs/python.md.
"""

import inspect
import pathlib
import re
import shutil
import subprocess

import pytest

import sluice
from sluice import ops
from sluice._pipeline import OPTIONS

ROOT = pathlib.Path(__file__).parents[2]

# C++ functions whose Python counterparts have other names.
OTHER_NAMES = {
    "abs": "ops.absolute", "apply_operator": "sluice.operator", "declare_operator": "sluice.operator", "all_of": "sluice.all_of", "anchor_boxes": "sluice.constant", "batches_of": "sluice.source",
    "cifar100_in": "sluice.cifar100", "cifar10_in": "sluice.cifar10", "coin_flip": "ops.coin_flip",
    "digest_of": "sluice.JpegIndex", "files_in": "sluice.files", "filter": "sluice.drop_unless", "gpu": "sluice.pipeline",
    "list_in": "sluice.list_file", "load_plan": "sluice.saved_plan", "look_for_gpus": "sluice.devices",
    "make_pipeline": "sluice.pipeline", "map_into": "sluice.map", "memory_in": "sluice.memory", "mnist_in": "sluice.mnist",
    "normal": "ops.normal", "operators": "ops.__dir__", "pack_in": "sluice.packs", "read": "sluice.files", "read_file": "sluice.files",
    "shard_of_environment": "sluice.files", "tap": "sluice.map", "pack_at": "sluice.packs", "tar_at": "sluice.tar", "tar_in": "sluice.tar",
    "to_dot": "sluice.Pipeline.graph", "to_string": "sluice.Pipeline.explain", "transpose": "ops.transpose_image", "uniform": "ops.uniform",
    "reduce_axes": "ops.mean", "unpack_jpeg": "sluice.unpack", "urls_in": "sluice.urls", "urls_of": "sluice.urls", "values_of": "sluice.iterate", "words_of": "sluice.LeftOutWarning",
    "workers": "sluice.WorkerOptions",
}

# Functions and options that only C++ has. The keys are the list in docs/python.md.
ONLY_CPP = {
    "operators and types of values of your own in saved plans": {"register_operator", "register_value_type", "find_operator"},
    "asynchronous steps (`map_async`); random steps of your own, which draw from the sample's generator": {
        "map_async", "random", "random_of",
    },
    "[explicit boundaries](control-flow.md#explicit-boundaries), and declared shapes of tensors": {
        "add_conditional", "add_loop", "declare",
    },
    "allocators (`MemoryResource`), log handlers (`set_log_handler`) and worker programs of your own": set(),
    "values that are lists of lists, or lists of bools": {"list_of"},
}

# C++ functions that do not describe a pipeline.
HELPERS = {
    "kernels and the decoder as plain functions; Python calls operators on arrays": {
        "can_decode", "decode_and_crop", "decode_image_file", "decode_jpeg_image", "decode_jpeg_shrunk", "doubt_about_ids",
        "decode_tensor_file", "how_it_starts", "image_format", "is_packed_jpeg", "jpeg_options", "learn_jpeg", "peek_image", "peek_jpeg_orientation", "name_of",
    },
    "parts of other functions": {
        "can_read_urls", "checked", "checked_threads", "mix_key", "moved_on", "rank_of_environment", "run_worker_if_asked",
    },
}

# Python's functions without a C++ function of the name.
ONLY_PYTHON = {
    "C++ has an operator sign or a member function for it": {
        "add", "bitwise_and", "bitwise_or", "bitwise_xor", "cast", "divide", "equal", "greater", "greater_equal", "less",
        "less_equal", "multiply", "negate", "not_", "not_equal", "remainder", "subtract", "absolute",
    },
    "C++ has an overload, or an option of another function": {
        "crop_padded", "decode_and_resize", "erase_region", "erase_with_noise", "paste_masked", "random_crop_region", "random_region_of_file", "reduce", "region_size",
    },
    "Python's classes and errors": {
        "Array", "Augmentation", "AugmentationPolicy", "AugmentationStep", "Batch", "BatchError", "BatchKey", "BudgetError", "BufferRing", "BuildError", "Column", "DeviceError", "DrawWarning",
        "Error", "HttpOptions", "IoError", "JpegError", "JpegIndex", "LeftOutWarning", "Mosaic", "Operator", "PackStats", "Parameter", "Pipeline",
        "RewriteError", "StallError", "ThreadPool", "Value", "WatchWarning", "WorkerOptions",
    },
    "Python's own ways: decorators, `if`, classes, recipes and modules": {
        "classes", "cond", "decode_and_crop_jpeg", "drop_unless", "from_hf", "graph_function", "image_folder", "ops",
        "pack", "pad_batch", "pipeline", "recipe", "saved_plan", "transforms", "webdataset", "devices",
    },
}


def public_headers(folders):
    listed = (ROOT / "tests/house/installed_headers.txt").read_text().split()
    return [ROOT / name for name in listed if name.startswith(folders) and not name.startswith("ops/kernels")]


def functions_of(header):
    """The free functions that a header declares in the namespace sluice, without operators."""
    found, namespaces = set(), []
    for line in header.read_text().splitlines():
        if opened := re.match(r"namespace ([\w:]*) ?\{", line):
            namespaces.append(opened.group(1))
        elif line.startswith("}  // namespace"):
            namespaces.pop()
        elif namespaces == ["sluice"]:
            declared = re.match(r"(?:inline |constexpr )*(?:const )?[\w:]+(?:<.*>)?[ &*]+(\w+)\(", line)
            if declared and not re.match(r"(return|class|struct|using|requires|explicit|template)\b", line):
                found.add(declared.group(1))
    return found


def members_of(header, name):
    """The public member functions of a class."""
    body = re.search(rf"^class {name} .*?^ public:\n(.*?)^ (?:private|protected):", header.read_text(), re.DOTALL | re.MULTILINE)
    declared = re.findall(r"^  (?:auto|void|[\w:]+(?:<.*>)?) (\w+)\(", body.group(1), re.MULTILINE)
    return set(declared) - {"Graph", "builder"}


def fields_of(header, name):
    """The fields of a struct."""
    body = re.search(rf"^struct {name} \{{\n(.*?)^\}};", header.read_text(), re.DOTALL | re.MULTILINE)
    return set(re.findall(r"^  [\w:<>]+(?:<.*>)? (\w+)(?: = .*|\{.*)?;", body.group(1), re.MULTILINE))


CPP = set().union(*(functions_of(one) for one in public_headers(("graph/", "io/", "ops/", "cuda/")))) | members_of(
    ROOT / "graph/graph.h", "Graph"
)
PYTHON = {name for name in dir(ops) if not name.startswith("_")} | set(sluice.__all__)


def names_in(exceptions):
    return set().union(*exceptions.values())


def test_the_headers_are_understood():
    assert {"rotate", "files_in", "mix_up", "clamp", "if_else", "while_loop", "map_async"} <= CPP and len(CPP) > 190


def test_python_has_what_cpp_has():
    known = PYTHON | set(OTHER_NAMES) | names_in(ONLY_CPP) | names_in(HELPERS)
    assert CPP - known == set(), "bind these, or add them to one of the tables above"


def test_cpp_has_what_python_has():
    assert PYTHON - CPP - names_in(ONLY_PYTHON) - {name.split(".")[1] for name in OTHER_NAMES.values()} == set()


def test_the_exceptions_are_some():
    assert names_in(ONLY_CPP) - CPP == set()
    assert names_in(HELPERS) - CPP == set()
    assert names_in(ONLY_PYTHON) - PYTHON == set()
    assert names_in(ONLY_PYTHON) & CPP == set()


@pytest.mark.parametrize("name", sorted(set(OTHER_NAMES.values())))
def test_the_other_names_exist(name):
    value = {"sluice": sluice, "ops": ops}[name.split(".")[0]]
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    assert value is not None


def test_options_of_pipelines():
    fields = fields_of(ROOT / "graph/options.h", "PipelineOptions")
    assert {"batch_size", "seed", "prefetch", "output_memory", "trace"} <= fields
    assert fields - set(OPTIONS) == set()
    assert set(OPTIONS) - fields == {"max_errors", "max_error_rate"}  # of OnError


@pytest.mark.parametrize(
    "header, name, function, renamed",
    [
        ("io/readers/files.h", "FilesOptions", sluice.files, {"unreadable": "leave_out_unreadable", "parts": None}),
        ("io/readers/list.h", "ListOptions", sluice.list_file, {"path": "path_column", "parts": None}),
        ("io/readers/tar.h", "TarOptions", sluice.tar, {"parts": None, "unreadable": "leave_out_unreadable"}),
        ("io/readers/tar_stream.h", "TarStreamOptions", sluice.tar_stream, {}),
        ("io/packs/pack_writer.h", "PackWriterOptions", sluice.pack, {"limits": None}),
        ("io/http/urls.h", "UrlListOptions", sluice.urls, {"url": "url_column", "checksum": "checksum_column"}),
        ("io/http/urls.h", "TarUrlOptions", sluice.tar, {}),
        ("io/http/request.h", "HttpOptions", sluice.HttpOptions, {}),
        ("graph/sampling/sampler.h", "Sampler", sluice.files, {}),
    ],
)
def test_options_of_sources(header, name, function, renamed):
    fields = fields_of(ROOT / header, name)
    assert len(fields) >= 4
    documented = set(inspect.signature(function).parameters) | set(re.findall(r"^    (\w+) : ", function.__doc__, re.MULTILINE))
    assert {renamed.get(one, one) for one in fields} - {None} <= documented


def test_the_docs_name_what_is_missing():
    page = (ROOT / "docs/python.md").read_text()
    listed = re.search(r"These exist only in C\+\+:\n\n(.*?)\n\n", page, re.DOTALL).group(1)
    assert [" ".join(one.split()) for one in re.split(r"^- ", listed, flags=re.MULTILINE)[1:]] == list(ONLY_CPP)


@pytest.mark.skipif(shutil.which("nm") is None, reason="there is no nm")
def test_the_module_exports_one_function():
    """A name of the C++ library that it exported would take the place of PyTorch's."""
    listing = subprocess.run(["nm", "-D", "--defined-only", sluice._core.__file__], capture_output=True, text=True, check=True)
    assert [line.split()[-1] for line in listing.stdout.splitlines()] == ["PyInit__core"]
