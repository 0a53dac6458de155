"""Messages name what is wrong and what to write, in Python's words."""

import pathlib
import re
import textwrap
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
        lambda: ops.mean(sluice.source(lambda i: [1.0], "list of f32", samples=4)), "a value of 'list of f32'"),
    "a device that is not there": (lambda: image().gpu(), "`device` is not set: set it to 'gpu'"),
    "the shape of a value": (lambda: image().shape, r"in its place: ops.canvas_size\(image\).*sluice.map"),
    "a method of an array": (lambda: image().astype("f4"), r"in its place: .cast\('f32'\)"),
    "an operator as a method": (lambda: image().resize(3), r"write ops.resize\(value"),
    "a fraction as a branch": (
        lambda: sluice.select(fraction(), [lambda: 1, lambda: 2]), r"select: the number of a branch is a whole number.*\.cast\('i64'\)"),
    "one number as a shard": (lambda: numbers(shard=3), r"shard: cannot be 3; give \(index, count\), \(0, 4\) for the first of four"),
    "three numbers as a shard": (lambda: numbers(shard=(1, 2, 3)), r"shard: cannot be \(1, 2, 3\); give \(index, count\)"),
    "a word as a shard": (lambda: numbers(shard="rank"), "shard: cannot be 'rank'; give .*'environment'"),
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
    "a size in floats": (lambda: ops.random_resized_crop(image(), width=22.5), "width is a whole number, not 22.5"),
    "a size of each sample": (
        lambda: ops.random_resized_crop(image(), width=numbers()), "width is a whole number, the same for all samples"),
    "text as a number": (lambda: ops.random_erasing(image(), probability="x"), "probability is a number, not 'x'"),
    "no rows": (lambda: ops.filter_2d(image(), 3), r"weights are rows of numbers, \[\[0, 1, 0\]"),
    "an axis": (lambda: ops.cat(tensor(), tensor(), axis="x"), "cat: axis is a whole number, not 'x'"),
    "a number as endings": (lambda: sluice.classes(".", endings=3), r"endings is a list of str, \['.jpg'\] say, not 3"),
    "a number as a list": (lambda: sluice.list_file(3), "list_file\\(\\): path is a path, not 3"),
    "a number as a column": (lambda: sluice.list_file("a.csv", path_column=3), "path_column is a str, not 3"),
    "a number as an archive": (lambda: sluice.tar([3]), "an archive is a path, not 3"),
    "a number as archives": (lambda: sluice.tar(3), "archives is a path or a list of paths, not 3"),
    "a number as a plan": (lambda: sluice.saved_plan(3), "path is a path, not 3"),
    "a number as a fingerprint": (lambda: numbers(fingerprint=3), "fingerprint is a str, not 3"),
    "a word as a bool": (lambda: sluice.files(".", leave_out_unreadable="x"), "leave_out_unreadable is True or False, not 'x'"),
    "threads to read with": (lambda: described(lambda: numbers(batch=2), io_threads=3), "leave io_threads out"),
    "numbers that are no pixel values": (
        lambda: ops.flip(tensor()), r"ops.to_image\(image\) makes an image of numbers from 0 to 255, and ops.to_image\(image, white=1\)"),
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


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: sluice.encode_jpeg(numpy.zeros((3, 3), "u1"), "x"), "encode_jpeg: quality is a whole number, not 'x'"),
        (lambda: sluice.decode_jpeg(None), "decode_jpeg: data is bytes, or anything with a buffer, not None"),
        (lambda: sluice.decode_and_crop_jpeg(b"", 1.5, 2, 3, 4), "decode_and_crop_jpeg: y is a whole number, not 1.5"),
        (lambda: sluice.decode_and_crop_jpeg(b"", 1, 2, 3, 4, colour="rgb"), "unexpected keyword argument 'colour'"),
        (lambda: sluice.encode_jpeg(numpy.zeros((3, 3), "u1"), quality=True), "quality is a whole number, not True"),
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
