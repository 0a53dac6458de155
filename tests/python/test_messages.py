"""Messages name what is wrong and what to write, in Python's words."""

import pathlib
import re
import textwrap
import traceback
import zlib

import numpy
import pytest

import sluice
from sluice import _core, ops

# Words of C++: scopes, types, initializers, lambdas, constants named so, and nanobind's own words.
CPP = re.compile(
    r"\w::\w|\bstd::|\bk[A-Z][a-z]\w+|\{\.\w|(?<![\w)\]'.])\.[a-z_]+ = |\bconstexpr\b|<T>|\[&\]|\bnullptr\b|"
    r"\b[A-Z]\w+Options\b(?<!WorkerOptions)|incompatible function arguments"
)
ROOT = pathlib.Path(__file__).parents[2]
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|\'(?:[^\'\\]|\\.)\'')


def literals(text):
    """The string literals of a C++ file; those side by side are one."""
    joined, end = [], None
    for found in STRING.finditer(text):
        if not found[0].startswith('"'):
            continue
        between = None if end is None else re.sub(r"//[^\n]*", "", text[end : found.start()]).strip()
        if between == "":
            joined[-1] += found[0][1:-1]
        else:
            joined.append(found[0][1:-1])
        end = found.end()
    return joined


# No Python message uses these: compile-time checks, drawings, steps and sources that Python does
# not have, and expressions that show how an operator is written in C++.
FILES_OF_CPP = (
    "io/http/", "io/workers/values.h", "runtime/take_ownership.h", "io/readers/list.cpp",
    "io/readers/tar_headers.cpp", "graph/plan/plan_text.cpp", "graph/plan/slot.h", "graph/sources/", "graph/arithmetic.h",
    "graph/builder/step_checks.h",
)
EXPRESSIONS = (", {", ", canvas_size", "apply_random(g")


def messages():
    for room in ("runtime", "graph", "io", "ops", "cuda", "python/core"):
        for path in sorted((ROOT / room).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            if path.suffix not in (".cpp", ".h") or name.startswith(FILES_OF_CPP) or name == "python/core/words.cpp":
                continue
            text = re.sub(r"static_assert\((?:[^()\"]|\"(?:[^\"\\\n]|\\.)*\"|\((?:[^()]|\([^()]*\))*\))*\);", "", path.read_text())
            text = re.sub(r"\.in_cpp\((?:[^()\"]|\"(?:[^\"\\\n]|\\.)*\"|\([^()]*\))*\)", "", text)
            for one in literals(text):
                if " " in one and not one.startswith(EXPRESSIONS):
                    yield name, one


def test_no_message_of_the_library_has_words_of_cpp():
    """Each text that C++ may throw is put through the translation that exceptions go through."""
    wrong = [(name, text) for name, text in messages() if CPP.search(_core.in_python(text))]
    assert not wrong, "\n".join(f"{name}: {text}" for name, text in wrong)


@pytest.mark.parametrize(
    ("said", "says"),
    [
        ("takes 'sluice::python::Object'", "takes 'object'"),
        ("a 'std::vector<sluice::Image>'", "a 'list of image'"),
        ("a 'std::vector<sluice::python::Object, std::allocator<sluice::python::Object> >'", "a 'list of object'"),
        ("a 'std::vector<float>' of 'long int'", "a 'list of f32' of 'i64'"),
        ('workers("a"): restarts is 1', "the workers of 'a': restarts is 1"),
        ("no 'int', 'float' or 'bool'", "no 'int', 'float' or 'bool'"),
        ("too long int he end", "too long int he end"),
        ("leave SourceOptions::threads out", "leave threads out"),
        ("leave it out with FilesOptions::unreadable", "leave it out with leave_out_unreadable=True"),
        ("on_error = OnError::skip or OnError::replace.", "on_error = 'skip' or 'replace'."),
        ("'photos/a::b.jpg' is Kept::as it is", "'photos/a::b.jpg' is Kept::as it is"),
    ],
)
def test_words_of_cpp_become_pythons(said, says):
    assert _core.in_python(said) == says


def described(describe, **options):
    return sluice.pipeline(**options)(describe)()


def numbers(**options):
    return sluice.source(lambda i: i, int, samples=4, **options)


def image():
    return sluice.source(lambda i: numpy.full((4, 4, 3), 20 * i, "u1"), "image", samples=4)


def objects():
    return sluice.source(lambda i: i, samples=4)


def tensor():
    return sluice.source(lambda i: numpy.full((4, 4, 3), i, "f4"), "tensor", samples=4)


def files():
    return sluice.source(lambda i: b"", "bytes", samples=4)


def floats():
    return sluice.source(lambda i: [1.0], "list of f32", samples=4)


def fraction():
    return sluice.source(lambda i: i / 2, float, samples=4)


# Mistakes, and the advice in their errors.
WRONG = {
    "an object to an operator": (
        lambda: ops.rotate(objects(), 10), "rotate: image is <Value 'source' of type object>.*returns='image'"),
    "an object as a number": (lambda: ops.rotate(image(), objects()), "degrees is <Value .*returns='f32'"),
    "an object in arithmetic": (lambda: objects() * 2, "multiply: x is <Value .*returns="),
    "objects in a list": (lambda: ops.weighted_sum([objects(), objects()], [1, 2]), "returns='image'|returns='list of"),
    "a list of numbers as a tensor": (
        lambda: ops.mean(floats()), "a value of 'list of f32'"),
    "a device that is not there": (lambda: image().gpu(), "`device` is not set: set it to 'gpu'"),
    "the shape of a value": (lambda: image().shape, r"in its place: ops.canvas_size\(image\).*sluice.map"),
    "a pair as a size": (lambda: ops.center_crop(image(), 32), r"lacks the argument 'width'; size= stands for height and width"),
    "a pair as two numbers": (lambda: ops.uniform((-10, 10)), r"lacks the argument 'hi'; write the two numbers as two arguments"),
    "a corner as a region": (lambda: ops.crop(image(), top=0, left=0), r"in its place: region=\(y, x, height, width\)"),
    "a device of a tensor": (lambda: image().to("cuda"), r"in its place: .gpu\(\) moves it to the GPU"),
    "a method of an array": (lambda: image().astype("f4"), r"in its place: .cast\('f32'\)"),
    "an operator as a method": (lambda: image().resize(3), r"write ops.resize\(value"),
    "a fraction as a branch": (
        lambda: sluice.select(fraction(), [lambda: 1, lambda: 2]), r"select: the number of a branch must be a whole number.*\.cast\('i64'\)"),
    "one number as a shard": (lambda: numbers(shard=3), r"shard cannot be 3; give \(index, count\), \(0, 4\) for the first of four"),
    "three numbers as a shard": (lambda: numbers(shard=(1, 2, 3)), r"shard cannot be \(1, 2, 3\); give \(index, count\)"),
    "a word as a shard": (lambda: numbers(shard="rank"), "shard cannot be 'rank'; give .*'environment'"),
    "a mask as a subset": (lambda: numbers(subset=[True, False, True, True]), "subset: element 0: a whole number .*flatnonzero"),
    "an array's mask as a subset": (lambda: numbers(subset=numpy.array([True, False])), "subset: element 0: .*flatnonzero"),
    "a mask as weights": (lambda: numbers(weights=[True, False, True, True]), "weights: element 0: a number is expected, not True"),
    "a bool in a shard": (lambda: numbers(shard=(False, True)), "shard: element 0: a whole number is expected, not False"),
    "fractions as a subset": (lambda: numbers(subset=[0.0, 1.0]), "subset: element 0: a whole number is expected, not 0.0"),
    "an array as batch_size": (lambda: described(numbers, batch_size=numpy.True_), "batch_size: a whole number"),
    "bools to choose from": (lambda: ops.choice([True, False]), "choice: numbers: a list of numbers .* element 0 is True"),
    "bools as weights of a choice": (lambda: ops.choice_index([True, False]), "choice_index: weights: .* element 0 is True"),
    "a bool as a fill": (lambda: ops.rand_augment(image(), fill=(True, False, 0)), "rand_augment: fill: .* element 0 is True"),
    "two numbers as a fill": (lambda: ops.rotate(image(), 10, fill=(1, 2)), "rotate: fill: 1, 3 or 4 numbers are expected, not 2"),
    "two numbers as a color": (lambda: ops.rand_augment(image(), fill=(1, 2)), "fill: 1, 3 or 4 numbers are expected, not 2"),
    "two means": (
        lambda: ops.crop_mirror_normalize(image(), mean=[0, 0]), "crop_mirror_normalize: mean: 1, 3 or 4 numbers are expected, not 2"),
    "a long list as a constant": (
        lambda: sluice.constant(list(range(1000))), r"not \[0, 1, 2, 3, \.\.\.\] \(1000 elements\) of type list; let a source"),
    "a short list as a constant": (lambda: sluice.constant([1.5, 2]), r"not \[1.5, 2\] of type list; let a source"),
    "a size in floats": (lambda: ops.random_resized_crop(image(), width=22.5), r"width must be a whole number \(got 22.5\)"),
    "a size of each sample": (
        lambda: ops.random_resized_crop(image(), width=numbers()), "width must be a whole number, the same for all samples"),
    "text as a number": (lambda: ops.random_erasing(image(), probability="x"), r"probability must be a number \(got 'x'\)"),
    "no rows": (lambda: ops.filter_2d(image(), 3), r"weights must be rows of numbers, such as \[\[0, 1, 0\]"),
    "an axis": (lambda: ops.cat(tensor(), tensor(), axis="x"), r"cat: axis must be a whole number \(got 'x'\)"),
    "a number as endings": (lambda: sluice.classes(".", endings=3), r"endings must be a list of str, such as \['.jpg'\] \(got 3\)"),
    "a number as a list": (lambda: sluice.list_file(3), r"list_file\(\): path must be a path \(got 3\)"),
    "a number as a column": (lambda: sluice.list_file("a.csv", path_column=3), r"path_column must be a str \(got 3\)"),
    "a number as an archive": (lambda: sluice.tar([3]), r"an archive must be a path \(got 3\)"),
    "a number as archives": (lambda: sluice.tar(3), r"archives must be a path or a list of paths \(got 3\)"),
    "a number as a plan": (lambda: sluice.saved_plan(3), r"path must be a path \(got 3\)"),
    "a number as a fingerprint": (lambda: numbers(fingerprint=3), r"fingerprint must be a str \(got 3\)"),
    "values in a region": (
        lambda: ops.crop(image(), (ops.uniform(0, 1), 0, 2, 2)),
        "^crop: region has a Value in it; a region for each sample comes from ops.random_region or ops.scaled_region$"),
    "an image as a file": (
        lambda: ops.sim_clr(image()),
        "^sim_clr does not take a value of type 'image'; leave out decode_jpeg, because the operator decodes the file itself$"),
    "lists as boxes": (
        lambda: ops.detection_augment(files(), floats(), floats()),
        r"^detection_augment: boxes does not take a value of type 'list of f32'; ops.rows_of\(boxes, 4\) makes a tensor of it$"),
    "lists as labels": (
        lambda: ops.detection_augment(files(), tensor(), sluice.source(lambda i: [i], "list of i64", samples=4)),
        r"^detection_augment: labels does not take a value of type 'list of i64'; ops.labels_of\(labels\) makes a tensor of it$"),
    "braces of missing archives": (lambda: sluice.tar("train-{000..009}.tar"), r"^'train-000.tar' cannot be opened: No such file"),
    "a pattern as an archive": (
        lambda: sluice.tar(["train-*.tar"]),
        r"^sluice.tar\(\): no file matches 'train-\*.tar'$"),
    "an unknown option of a source": (lambda: sluice.source(int, int, sampels=3), r"^sluice.source\(\) has no option 'sampels'; did you mean samples\?$"),
    "an unknown option without a similar one": (
        lambda: sluice.mnist("a", "b", xyz=3), r"^sluice.mnist\(\) has no option 'xyz'; it has images, labels, shuffle, seed, .*threads$"),
    "an unknown option of an iterator": (
        lambda: sluice.iterate(lambda: iter([]), worker=1), r"^sluice.iterate\(\) has no option 'worker'; did you mean workers\?$"),
    "names of a list in one text": (
        lambda: sluice.list_file("a.csv", names="path,label"),
        r"^sluice.list_file\(\): names must be a list of str \(got 'path,label'\); write \['path', 'label'\]$"),
    "a format of a list": (
        lambda: sluice.list_file("a.csv", format="xml"), r"^sluice.list_file\(\): format must be one of 'csv', 'tsv', 'jsonl' \(got 'xml'\)$"),
    "a mean of other pixels": (
        lambda: ops.normalize(image(), [124, 116, 103], [1, 1, 1]), r"^normalize: mean\[0\] must lie between -1 and 1, not 124; "),
    "no archives": (lambda: sluice.tar([]), r"^sluice.tar\(\): archives is empty; pass at least one archive$"),
    "a region as four numbers": (
        lambda: ops.crop(image(), 1, 1, 2, 2),
        r"^crop\(\) takes image, region by place, not 5 arguments; region is one tuple, \(y, x, height, width\); give the others"),
    "a number as a choice": (
        lambda: ops.resize(image(), height=3, width=3, interpolation=2),
        "^resize: interpolation must be one of nearest, box, bilinear, hamming, bicubic, lanczos, not 2$"),
    "a class as a choice": (
        lambda: ops.crop_mirror_normalize(image(), dtype=numpy.int64),
        "^crop_mirror_normalize: dtype must be one of f32, f16, bf16, u8, i8, not <class 'numpy.int64'>$"),
    "a number of each sample as a fill": (
        lambda: ops.rotate(image(), 10, fill=ops.uniform(0, 255)),
        r"^rotate: fill must be a list of numbers or a tensor \(got <Value 'uniform' of type f32>\); "
        r"fill=\[x\] uses one number for all channels$"),
    "a text among numbers of each sample": (
        lambda: ops.rotate(image(), 10, fill=[ops.uniform(0, 255), "a", 3]),
        "^rotate: fill: a number is expected, not 'a' of type str$"),
    "two numbers of each sample as a fill": (
        lambda: ops.rotate(image(), 10, fill=[ops.uniform(0, 255)] * 2), "^rotate: fill: 1, 3 or 4 numbers are expected, not 2$"),
    "a count that is too large": (
        lambda: sluice.for_loop(2**63, image(), lambda i, x: x),
        "^the count of `for_loop` is 9223372036854775808, which does not fit into i64$"),
    "max_iterations that are too large": (
        lambda: sluice.while_loop(image(), lambda x: True, lambda x: x, max_iterations=2**63),
        "^max_iterations of `while_loop` is 9223372036854775808, which does not fit into i64$"),
    "a name that is no text": (
        lambda: sluice.for_loop(2, image(), lambda i, x: x, name="\ud800"),
        r"^a loop: name has a lone surrogate, which is no character \(got '\\ud800'\)$"),
    "a body in the place of the state": (
        lambda: sluice.for_loop(2, lambda i, x: x, image()),
        r"^`for_loop`: body must be a function \(got <Value 'source' of type image>\); write sluice.for_loop\(count, init, body\)$"),
    "a condition in the place of the state": (
        lambda: sluice.while_loop(lambda x: True, image(), lambda x: x),
        r"^`while_loop`: condition must be a function \(got <Value 'source' of type image>\); "
        r"write sluice.while_loop\(init, condition, body\)$"),
    "a path of a checkpoint": (
        lambda: described(numbers, resume="run/state.json"),
        r"^resume takes what state_dict\(\) returned, or its checkpoint, not a path \(got 'run/state.json'\)$"),
    "a device of PyTorch": (
        lambda: described(numbers, device="cuda:1"),
        "or 'stand-in', not 'cuda:1'; sluice.torch.Loader\\(to='cuda'\\) copies batches to a GPU$"),
    "a constant by name": (
        lambda: sluice.map(divmod, numbers(), s=5),
        r"^sluice.map\(\) has no argument 's'; pass a constant with functools.partial\(divmod, s=...\), or a Value with "
        r"sluice.map\(lambda x, s: divmod\(x, s=s\), x, value\)$"),
    "a dataset without a length": (
        lambda: sluice.source(type("Numbers", (), {"__getitem__": None, "__iter__": lambda self: iter([1])})(), int),
        r"Numbers has no __len__: .*; sluice.iterate takes what is only iterated over$"),
    "a result by another name": (
        lambda: sluice.map(abs, numbers(), return_=int), r"^sluice.map\(\) has no argument 'return_'; did you mean returns\?$"),
    "the length of a value": (
        lambda: len(image()), "has no length.*torch.as_tensor\\(\\) and torch.tensor\\(\\) ask for it, too: sluice.ops has operators"),
    "a word as a bool": (lambda: sluice.files(".", leave_out_unreadable="x"), r"leave_out_unreadable must be True or False \(got 'x'\)"),
    "threads to read with": (lambda: described(lambda: numbers(batch=2), io_threads=3), "leave io_threads out"),
    "numbers that are no pixel values": (
        lambda: ops.invert(tensor()), r"ops.to_image\(image\) makes an image of numbers from 0 to 255, and ops.to_image\(image, white=1\)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_told_with_its_cure(name):
    make, says = WRONG[name]

    def describe():
        made = make()
        return made if isinstance(made, sluice.Value) else numbers()

    with pytest.raises((sluice.Error, TypeError, AttributeError, ValueError)) as error:
        list(described(describe))
    assert re.search(says, str(error.value), re.DOTALL), str(error.value)
    assert not CPP.search(str(error.value)), str(error.value)


def test_numpy_has_no_bf16():
    (batch,) = described(lambda: ops.crop_mirror_normalize(image(), dtype="bf16"), batch_size=4)
    for take in (batch[0].numpy, lambda: numpy.asarray(batch[0])):
        with pytest.raises(TypeError, match="^NumPy has no bf16; .*torch.from_dlpack.* or choose dtype='f32' or 'f16'$"):
            take()
    assert batch[0].dtype == "bf16"


def test_a_class_of_numpy_names_a_type():
    (batch,) = described(lambda: ops.crop_mirror_normalize(image(), dtype=numpy.float16), batch_size=4)
    assert batch[0].dtype == "f16"


def test_a_list_without_its_column_says_which_argument_names_it(tmp_path):
    (tmp_path / "a.csv").write_text("file,label\na.jpg,1\n")
    with pytest.raises(sluice.IoError, match="has no column 'path'; .*; name the column of the files with path_column=$"):
        described(lambda: sluice.list_file(tmp_path / "a.csv"))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sluice.encode_jpeg(numpy.zeros((3, 3), "u1"), "x"), "encode_jpeg: quality must be a whole number (got 'x')"),
        (lambda: sluice.decode_jpeg(None), "decode_jpeg: data must be bytes, or anything with a buffer (got None)"),
        (lambda: sluice.decode_and_crop_jpeg(b"", 1.5, 2, 3, 4), "decode_and_crop_jpeg: y must be a whole number (got 1.5)"),
        (lambda: sluice.decode_and_crop_jpeg(b"", 1, 2, 3, 4, colour="rgb"), "unexpected keyword argument 'colour'"),
        (lambda: sluice.encode_jpeg(numpy.zeros((3, 3), "u1"), quality=True), "quality must be a whole number (got True)"),
    ],
)
def test_functions_of_files_say_what_they_take(call, says):
    with pytest.raises(TypeError) as error:
        call()
    assert says in str(error.value) and not CPP.search(str(error.value))


def png():
    """An image of one gray pixel."""

    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")

    header = chunk(b"IHDR", bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0]))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\x80")) + chunk(b"IEND", b"")


def test_other_images_lead_to_what_decodes_them(tmp_path):
    (tmp_path / "a.png").write_bytes(png())
    with pytest.raises(sluice.IoError, match="left out 1 with the ending .png.*give their endings.*decode_image"):
        described(lambda: sluice.files(tmp_path))
    with pytest.raises(sluice.BatchError, match=r"starts with 89 50 4e 47 \(PNG\); decode_image decodes it"):
        list(described(lambda: ops.decode_jpeg(sluice.files(tmp_path, endings=".png")[0])))
    (batch,) = described(lambda: ops.decode_image(sluice.files(tmp_path, endings=[".png"])[0]))
    assert batch[0].numpy().tolist() == [[[[128, 128, 128]]]]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda x: ops.grayscale(x), r"batch\['image'\]: its 4 samples have different shapes.*\(4, 4, 3\), \(4, 4, 1\); .*channels=3"),
        (lambda x: ops.resize(x, width=3, height=2), r"batch\['image'\]: .*\(4, 4, 3\), \(2, 3, 3\); resize them"),
    ],
)
def test_different_shapes_are_told_with_the_column(change, says):
    @sluice.pipeline(batch_size=4)
    def pipe():
        n = numbers()
        pixels = sluice.map(lambda i: numpy.full((4, 4, 3), i, "u1"), n, returns="image")
        if n % 2 == 1:
            pixels = change(pixels)
        return {"image": pixels, "number": n}

    (batch,) = pipe()
    with pytest.raises(sluice.Error, match=says):
        batch["image"].numpy()


def test_a_program_without_a_guard_is_told_before_workers_start(tmp_path, monkeypatch):
    import runpy

    program = """
        import sluice

        def double(index):
            return 2 * index

        @sluice.pipeline
        def described():
            return sluice.source(double, int, workers=1, samples=3)

        described()
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    with pytest.raises(sluice.BuildError) as error:
        runpy.run_path(str(tmp_path / "program.py"), run_name="__main__")
    assert str(error.value).endswith('at line 11; put what runs pipelines under if __name__ == "__main__":')
    assert error.value.__cause__ is None and error.value.__context__ is None


def test_tracebacks_leave_out_the_lines_of_the_library(monkeypatch):
    def helper():
        return ops.rotate(image(), angle=3)  # the line of the mistake

    def frames():
        with pytest.raises(TypeError) as raised:
            described(lambda: ops.flip(helper()))
        return [one.filename for one in traceback.extract_tb(raised.value.__traceback__)]

    short = frames()
    assert sum(one == __file__ for one in short) == len(short) - 1, short  # and where the library raises it again
    monkeypatch.setenv("SLUICE_FULL_TRACEBACK", "1")
    assert len(frames()) > len(short) + 5


def test_an_error_in_the_users_code_shows_that_alone():
    with pytest.raises(ZeroDivisionError) as raised:
        described(lambda: 1 / (numbers() is None))
    last = traceback.extract_tb(raised.value.__traceback__)
    assert last[-1].filename == __file__ and len(last) <= 4
