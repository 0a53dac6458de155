"""Names and words that are no UTF-8."""

import os
import re

import numpy
import pytest

import sluice
from sluice import ops
from sluice._errors import text_of


@pytest.fixture
def odd_folder(tmp_path):
    """A sound image and a damaged one, in a folder and of names that are no UTF-8."""
    folder = os.path.join(os.fsencode(tmp_path), b"caf\xe9")
    os.mkdir(folder)
    image = sluice._core.encode_jpeg(memoryview(bytes(16 * 16 * 3)).cast("B", (16, 16, 3)), 90)
    with open(os.path.join(folder, b"a\xff.jpg"), "wb") as file:
        file.write(image)
    with open(os.path.join(folder, b"b\xff.jpg"), "wb") as file:
        file.write(b"no image")
    return folder


@sluice.pipeline(batch_size=4, on_error="skip")
def decoded(folder):
    jpeg, label = sluice.files(folder)
    return ops.decode_jpeg(jpeg)


def test_files_of_any_name(odd_folder):
    for folder in (odd_folder, os.fsdecode(odd_folder)):
        (batch,) = decoded(folder)
        assert batch.size == 1
        (error,) = batch.errors
        assert os.fsencode(error["source"]) == os.path.join(odd_folder, b"b\xff.jpg")
    with pytest.raises(sluice.BatchError) as raised:
        list(decoded(odd_folder, on_error="fail"))
    assert "/b\\xff.jpg)" in str(raised.value)
    with pytest.raises(sluice.IoError) as raised:
        decoded(odd_folder + b"\xfe")
    assert "caf\\xe9\\xfe" in str(raised.value)


def test_exceptions_of_any_words():
    class Silent(Exception):
        def __str__(self):
            raise ValueError("says nothing")

    raised = [ValueError("lone \udcff and \ud800"), Silent()]

    def fails(i):
        raise raised[i]

    pipe = sluice.pipeline(batch_size=2, on_error="skip")(lambda: sluice.source(fails, int, samples=2))()
    (batch,) = pipe
    first, second = (one["what"] for one in batch.errors)
    assert first.startswith(r"ValueError: lone \udcff and \ud800 (")
    assert second.startswith("Silent: (an object whose __str__ raises)")


def noted():
    error = ValueError("no image")
    error.add_note("row 7")
    error.add_note("of the list")
    raise error


def found():
    return {}["a"]


def caused():
    try:
        found()
    except KeyError as error:
        error.add_note("no such key")
        raise OSError("no image") from error


def handled():
    try:
        caused()
    except OSError:
        raise ValueError from None
    finally:
        try:
            found()
        except KeyError:
            noted()


def hidden():
    try:
        found()
    except KeyError:
        raise OSError("no image") from None


def circular():
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    raise first


def many():
    error = ValueError(0)
    for number in range(1, 20):
        before, error = error, ValueError(number)
        error.__cause__ = before
    raise error


def grouped():
    raise ExceptionGroup("tasks", [ValueError("no image"), OSError()])


def deep(left=12):
    if left == 0:
        raise ValueError(left)
    deep(left - 1)


class Odd(Exception):
    __notes__ = 3


class OddNote:
    def __str__(self):
        raise ValueError("says nothing")


def odd():
    error = Odd()
    error.__cause__ = ValueError()
    error.__cause__.__notes__ = [OddNote(), 4]
    raise error


class Raising(Exception):
    @property
    def __notes__(self):
        raise ValueError("no notes")


def raising():
    raise Raising("no image")


#: A function that raises, and the text of its exception; (AT) stands for a line in the function.
RAISED = {
    "notes": (noted, "ValueError: no image (AT); note: row 7; note: of the list"),
    "a cause": (caused, "OSError: no image (AT); caused by KeyError: 'a' (AT in found, called at AT); note: no such key"),
    "a context": (
        handled,
        "ValueError: no image (AT in noted, called at AT); note: row 7; note: of the list; raised while handling KeyError: 'a' (AT in found, called "
        "at AT); raised while handling ValueError (AT)",
    ),
    "a hidden context": (hidden, "OSError: no image (AT)"),
    "a cause of itself": (circular, "ValueError: first (AT); caused by ValueError: second"),
    "many causes": (many, "ValueError: 19 (AT)" + "".join(f"; caused by ValueError: {number}" for number in range(18, 11, -1)) + "; ..."),
    "a group": (grouped, "ExceptionGroup: tasks (2 sub-exceptions) (AT); of ValueError: no image, OSError"),
    "many calls": (deep, f"ValueError: 0 ({', called at '.join(['AT'] * 8)}, ...)"),
    "odd notes": (odd, "Odd (AT); caused by ValueError; note: (an object whose __str__ raises); note: 4"),
}


def matches(text, function, expected):
    for name in ("found", "noted"):
        expected = expected.replace(f"AT in {name}", f"{__file__}:LINE in {name}")
    expected = expected.replace("AT", f"{__file__}:LINE in {function.__name__}")
    return re.fullmatch(re.escape(expected).replace("LINE", r"\d+"), text) is not None


@pytest.mark.parametrize("name", RAISED)
def test_texts_of_exceptions(name):
    function, expected = RAISED[name]
    with pytest.raises(Exception) as raised:
        function()
    error = raised.value
    error.__traceback__ = error.__traceback__.tb_next  # without this test
    assert matches(text_of(error), function, expected), text_of(error)


@pytest.mark.parametrize("workers", [0, 1])
def test_errors_of_samples_show_notes_and_causes(workers):
    @sluice.pipeline(batch_size=len(RAISED), on_error="skip")
    def described():
        return sluice.map(call, sluice.source(lambda i: i, int, samples=len(RAISED)), returns=int, workers=workers)

    (batch,) = described()
    assert len(batch.errors) == len(RAISED)
    for error, (function, expected) in zip(batch.errors, RAISED.values()):
        what = re.sub(r", called at \S*:\d+ in call\b", "", error["what"])
        assert matches(what, function, expected), what


def call(number):
    [*RAISED.values()][number][0]()


def test_an_exception_whose_notes_raise_has_its_message():
    (batch,) = sluice.pipeline(on_error="skip")(lambda: sluice.source(lambda i: raising(), int, samples=1))()
    assert batch.errors[0]["what"].startswith("Raising: no image")


def test_texts_of_any_bytes():
    def texts(i):
        return ["plain", "caf\udce9", "\ud800"][i]

    pipe = sluice.pipeline(batch_size=3, on_error="skip")(lambda: sluice.source(texts, str, samples=3))()
    (batch,) = pipe
    assert list(batch[0]) == ["plain", "caf\udce9"]
    (error,) = batch.errors
    assert "a lone surrogate that stands for no byte" in error["what"]


def test_paths_as_options(tmp_path):
    pipe = sluice.pipeline(trace=tmp_path / "trace.json")(lambda: sluice.source(lambda i: i, int, samples=2))()
    list(pipe)
    pipe.close()
    assert (tmp_path / "trace.json").stat().st_size > 0
    pipe = decoded_numbers()
    pipe.save(os.fsencode(tmp_path / "plan.json"))
    assert (tmp_path / "plan.json").exists()


def decoded_numbers():
    folder = os.path.dirname(os.path.abspath(__file__))
    return sluice.pipeline(lambda: ops.decode_jpeg(sluice.files(folder, endings=".py")[0]))()


@pytest.mark.parametrize("text, says", [
    ("before\0after", "ValueError: before\\0after"), ("\0", "ValueError: \\0"), ("ä\0", "ValueError: ä\\0")])
@pytest.mark.parametrize("kind", ["source", "map", "batch"])
def test_a_nul_does_not_cut_an_error(text, says, kind):
    def fails(*_):
        raise ValueError(text)

    def describe():
        if kind == "source":
            return sluice.source(fails, int, samples=1)
        if kind == "batch":
            return sluice.source(fails, int, samples=1, batch=2)
        return sluice.map(fails, sluice.source(lambda i: 0, int, samples=1), returns=int)

    (batch,) = sluice.pipeline(on_error="skip")(describe)()
    assert batch.errors[0]["what"].startswith(says) and "in fails)" in batch.errors[0]["what"]


def test_a_long_error_is_cut_in_the_middle():
    def fails(i):
        raise ValueError("begin " + "ä" * 1_000_000 + " end")

    (batch,) = sluice.pipeline(on_error="skip")(lambda: sluice.source(fails, int, samples=1))()
    what = batch.errors[0]["what"]
    assert len(what) < 5000 and what.startswith("ValueError: begin ä") and "in fails)" in what and " end (" in what
    assert "bytes were left out here)" in what and what.isprintable()


def test_classes_of_any_name(tmp_path):
    names = [b"abc", b"\xff\xfe", "ä".encode()]
    for name in names:
        place = os.path.join(os.fsencode(tmp_path), name)
        os.mkdir(place)
        with open(os.path.join(place, b"1.jpg"), "wb") as file:
            file.write(sluice.encode_jpeg(numpy.zeros((2, 2), numpy.uint8)))
    assert [os.fsencode(name) for name in sluice.classes(tmp_path)] == sorted(names)
