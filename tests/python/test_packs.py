"""Packs: what sluice.pack writes, sluice.packs reads, with the pixels and bytes of the original files."""

import _thread
import collections
import io
import os
import pathlib
import re
import shutil
import tarfile
import threading

import numpy
import pytest
from conftest import draw
from test_readers import needs_urls, serving

import sluice
from sluice import ops

FILES = 12


@pytest.fixture(scope="module")
def photos(tmp_path_factory):
    """Twelve JPEG files in three classes."""
    root = tmp_path_factory.mktemp("photos")
    for number in range(FILES):
        place = root / "abc"[number % 3]
        place.mkdir(exist_ok=True)
        image = draw(number, 150 + number, 260 - 3 * number)
        (place / f"{number:02}.jpg").write_bytes(sluice.encode_jpeg(image[:, :, :1] if number == 4 else image, 90))
    return root


@pytest.fixture(scope="module")
def paths(photos):
    return sorted(photos.rglob("*.jpg"))


@pytest.fixture(scope="module")
def packed(photos, tmp_path_factory):
    """The files in several packs."""
    out = tmp_path_factory.mktemp("packs") / "packed"
    stats = sluice.pack(photos, out, pack_bytes=25_000, threads=2)
    assert stats.packs >= 3
    return out


def rows_of(describe, *args, epochs=1, **options):
    """All samples of a pipeline, as tuples of arrays and Python values."""
    pipe = sluice.pipeline(describe, **{"batch_size": 4, "threads": 2, **options})(*args)
    rows = []
    for _ in range(epochs):
        for batch in pipe:
            rows += zip(*([numpy.array(one) if hasattr(one, "numpy") else one for one in column] for column in batch.columns))
    return rows


def assert_same(rows, others):
    assert len(rows) == len(others)
    for row, other in zip(rows, others):
        assert len(row) == len(other)
        for one, another in zip(row, other):
            if isinstance(one, numpy.ndarray):
                numpy.testing.assert_array_equal(one, another)
            else:
                assert one == another


def contents(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).iterdir())}


def test_the_numbers_of_a_folder(photos, paths, tmp_path):
    stats = sluice.pack(photos, tmp_path / "out", pack_bytes=25_000)
    files = contents(tmp_path / "out")
    assert list(files) == [f"part-{i:05}.pack" for i in range(stats.packs)]
    assert stats == sluice.PackStats(
        files=FILES, skipped=0, packed=FILES, stored=0, file_bytes=sum(path.stat().st_size for path in paths),
        pack_bytes=sum(map(len, files.values())), packs=len(files), reasons={},
    )


def test_packs_do_not_depend_on_threads(photos, packed, tmp_path):
    sluice.pack(str(photos), str(tmp_path / "one"), pack_bytes=25_000, threads=1)
    assert contents(tmp_path / "one") == contents(packed)


def test_names_and_labels(photos, paths, packed):
    rows = rows_of(lambda: sluice.packs(packed, {"name": "text", "label": "i64"})[1:])
    assert rows == [(str(path.relative_to(photos)), "abc".index(path.parent.name)) for path in paths]


def decoded(file, label):
    return ops.decode_jpeg(file), label


def decoded_gray(file, label):
    return ops.decode_image(file, color="gray"), label


def cropped(file, label):
    return ops.random_resized_crop(file, height=32, width=40), label


def cut(file, label):
    image = ops.decode_jpeg(file)
    return ops.crop(image, ops.random_region(image)), label


def centered(file, label):
    return ops.center_crop(ops.decode_jpeg(file), 40, 30), label


def shrunk(file, label):
    return ops.random_resized_crop(file, height=16, width=16, shrink=True), label


@pytest.mark.parametrize("steps", [decoded, decoded_gray, cropped, cut, centered, shrunk])
def test_pixels_are_those_of_the_files(photos, packed, steps):
    both = [
        rows_of(lambda: steps(*sluice.files(photos, shuffle=True)), seed=3, epochs=2),
        rows_of(lambda: steps(*sluice.packs(packed, shuffle=True)), seed=3, epochs=2),
    ]
    assert_same(*both)


def test_stats_name_the_decoder(packed):
    pipe = sluice.pipeline(batch_size=4, threads=2)(lambda: decoded(*sluice.packs(packed)))()
    assert sum(len(labels) for _, labels in pipe) == FILES
    assert pipe.stats["events"]["decode_jpeg: packed"] == FILES


@pytest.mark.parametrize(
    "options",
    [
        {"shuffle": True, "window": 5},
        {"shuffle": True, "shard": (1, 3), "uneven": "wrap"},
        {"subset": [7, 2, 2 + 3]},
        {"weights": [1] * 6 + [0] * 6, "draws": 20},
        {"order": lambda epoch: [epoch, 11, 3]},
    ],
)
def test_samplers(photos, packed, options):
    both = [
        rows_of(lambda: sluice.files(photos, **options)[1], seed=8, epochs=2),
        rows_of(lambda: sluice.packs(packed, **options)[1], seed=8, epochs=2),
    ]
    assert both[0] == both[1] and both[0]


def test_packs_one_by_one_and_patterns(packed):
    names = sorted(map(str, packed.iterdir()))
    whole = rows_of(lambda: sluice.packs(packed))
    assert rows_of(lambda: sluice.packs(names)) == whole
    assert rows_of(lambda: sluice.packs([names[0], *names[1:]], {"label": "i64"})) == whole
    assert rows_of(lambda: sluice.packs(str(packed / "part-*.pack"))) == whole
    assert rows_of(lambda: sluice.packs(str(packed / f"part-{{00000..{len(names) - 1:05}}}.pack"))) == whole
    assert rows_of(lambda: sluice.packs(names[-1])) == whole[-len(rows_of(lambda: sluice.packs(names[-1]))):]


def test_columns_of_all_types(paths, tmp_path):
    items = [
        {"text": f"ä {i}", "number": i - 2, "half": i / 2, "flag": i % 2 == 0, "boxes": [[1.5, 2, 3, i]], "ids": (1, 2**40, -i),
         "array": numpy.arange(3) + i, "small": numpy.float32(0.1), "empty": []}
        for i in range(FILES)
    ]
    stats = sluice.pack(((path, item) for path, item in zip(paths, items)), tmp_path / "out")
    assert stats.files == stats.packed == FILES
    types = {
        "number": "i32", "text": str, "half": "f32", "flag": bool, "boxes": "list of f32", "ids": "list of i64", "array": "list of i64",
        "small": "f32", "empty": "list of f32",
    }
    pipe = sluice.pipeline(batch_size=FILES)(lambda: sluice.packs(tmp_path / "out", types)[1:])()
    rows = [row for batch in pipe for row in zip(*(list(column) for column in batch.columns))]
    for i, (number, text, half, flag, boxes, ids, array, small, empty) in enumerate(rows):
        assert (number, text, half, bool(flag)) == (i - 2, f"ä {i}", i / 2, i % 2 == 0)
        assert list(boxes) == [1.5, 2, 3, i] and list(ids) == [1, 2**40, -i] and list(array) == [i, i + 1, i + 2]
        assert small == numpy.float32(0.1) and list(empty) == []
    assert rows_of(lambda: sluice.packs(tmp_path / "out", {"text": "bytes"})[1])[3] == ("ä 3".encode(),)
    with pytest.raises(sluice.BatchError, match=r"column 'text': .*'ä 0'"):
        rows_of(lambda: sluice.packs(tmp_path / "out", {"text": "i64"})[1])


def test_samples_as_tuples_and_without_columns(paths, tmp_path):
    data = [path.read_bytes() for path in paths]
    sluice.pack(zip(data, range(FILES), "abcdefghijkl"), tmp_path / "tuples", columns=["label", "letter"])
    assert rows_of(lambda: sluice.packs(tmp_path / "tuples", {"letter": "text", "label": "i64"})[1:])[2] == ("c", 2)
    sluice.pack([(memoryview(one),) for one in data], tmp_path / "bare", columns=[])
    rows = rows_of(lambda: sluice.packs(tmp_path / "bare", {}))
    assert [sluice.unpack(file) for file, in rows] == data


def test_unpack_returns_the_files(paths, packed):
    rows = rows_of(lambda: sluice.packs(packed)[0])
    assert all(file.startswith(b"SLUICEPJ") for file, in rows)
    assert [sluice.unpack(file) for file, in rows] == [path.read_bytes() for path in paths]
    assert sluice.unpack(bytearray(rows[0][0])) == paths[0].read_bytes()
    assert sluice.unpack(b"not a packed file") == b"not a packed file"
    with pytest.raises(sluice.JpegError, match="damaged"):
        sluice.unpack(rows[0][0][:-1])
    with pytest.raises(TypeError, match="unpack: packed must be bytes"):
        sluice.unpack("text")


def test_eager_decoding(paths, packed):
    ((file, _), *_) = rows_of(lambda: sluice.packs(packed))
    original = paths[0].read_bytes()
    numpy.testing.assert_array_equal(ops.decode_jpeg(file), ops.decode_jpeg(original))
    numpy.testing.assert_array_equal(ops.decode_image(file), ops.decode_image(original))
    numpy.testing.assert_array_equal(sluice.decode_jpeg(file), sluice.decode_jpeg(original))
    numpy.testing.assert_array_equal(
        sluice.decode_and_crop_jpeg(file, 8, 4, 20, 30), sluice.decode_and_crop_jpeg(original, 8, 4, 20, 30))


def test_in_worker_processes(paths, packed):
    rows = rows_of(lambda: sluice.map(sluice.unpack, sluice.packs(packed)[0], returns="bytes", workers=1))
    assert [file for file, in rows] == [path.read_bytes() for path in paths]


def cropped_alone(file):
    return ops.random_resized_crop(file, height=20, width=30)


@pytest.mark.parametrize("workers", [0, 2])
def test_packed_bytes_from_other_sources(paths, packed, workers):
    files = [file for file, in rows_of(lambda: sluice.packs(packed, {}))]
    assert_same(
        rows_of(lambda: cropped_alone(sluice.source(files, bytes, workers=workers)), seed=1),
        rows_of(lambda: cropped_alone(sluice.source([path.read_bytes() for path in paths], bytes)), seed=1))


def test_saved_plans_run_on_packs_and_on_files(photos, packed, tmp_path):
    sluice.pipeline(lambda: cropped(*sluice.files(photos)))().save(tmp_path / "of_files.json")
    sluice.pipeline(lambda: cropped(*sluice.packs(packed)))().save(tmp_path / "of_packs.json")
    expected = rows_of(lambda: cropped(*sluice.files(photos)), seed=6)
    for plan in ("of_files.json", "of_packs.json"):
        for read in (lambda: sluice.files(photos), lambda: sluice.packs(packed)):
            assert_same(rows_of(lambda: sluice.saved_plan(tmp_path / plan, *read()), seed=6), expected)


def test_stats_count_what_is_read(packed):
    """A crop reads its rows only, at least while the packs are in the system's file cache."""
    sizes = [size for data in contents(packed).values() for _, size, _ in entries_of(data)]
    pipe = sluice.pipeline(lambda: cropped(*sluice.packs(packed)), batch_size=FILES, seed=1)()
    assert sum(len(labels) for _, labels in pipe) == FILES
    ((source),) = pipe.stats["sources"]
    assert (source["step"], source["files"], source["file_bytes"]) == ("read", FILES, sum(sizes))
    assert 0 < source["bytes_read"] <= sum(sizes)


def test_other_files_are_stored(paths, tmp_path):
    cmyk_or_not = b"\xff\xd8\xff\xdb broken"
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
        "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
    )
    stats = sluice.pack([(paths[0], 0), (png, 1), (cmyk_or_not, 2), (b"", 3)], tmp_path / "out", columns=["label"])
    assert (stats.files, stats.packed, stats.stored, sum(stats.reasons.values())) == (4, 1, 3, 3)
    rows = rows_of(lambda: sluice.packs(tmp_path / "out"))
    assert [file for file, _ in rows[1:]] == [png, cmyk_or_not, b""]
    assert rows_of(lambda: ops.decode_image(sluice.packs(tmp_path / "out", subset=[0, 1])[0]))[1][0].shape == (1, 1, 3)


def test_a_folder_with_other_endings(photos, tmp_path):
    shutil.copytree(photos, tmp_path / "photos")
    (tmp_path / "photos/d").mkdir()
    (tmp_path / "photos/d/x.png").write_bytes(b"no image")
    with pytest.raises(sluice.IoError, match="d"):
        sluice.pack(tmp_path / "photos", tmp_path / "none")
    with pytest.warns(sluice.LeftOutWarning, match=r"^sluice.pack\(\): left out .* 1 with the ending .png"):
        sluice.pack(tmp_path / "photos", tmp_path / "jpeg", allow_empty=True)
    stats = sluice.pack(tmp_path / "photos", tmp_path / "all", endings=[".jpg", ".png"], classes=["d", "c", "b", "a"], columns=["label"])
    assert (stats.packed, stats.stored) == (FILES, 1)
    counts = collections.Counter(label for label, in rows_of(lambda: sluice.packs(tmp_path / "all")[1]))
    assert counts == {3: 4, 2: 4, 1: 4, 0: 1}


def test_a_checkpoint_is_resumed(packed):
    def describe(folder):
        return cropped(*sluice.packs(folder, shuffle=True))

    pipe = sluice.pipeline(describe, batch_size=4, seed=5)(packed)
    rest = []
    for batch in pipe:
        if batch.index == 0:
            state = pipe.state_dict()
        else:
            rest += [numpy.array(image) for image in batch[0]]
    other = sluice.pipeline(describe, batch_size=4, seed=5)(packed)
    other.load_state_dict(state)
    again = [numpy.array(image) for batch in other for image in batch[0]]
    assert_same([rest], [again])
    names = sorted(map(str, packed.iterdir()))
    fewer = sluice.pipeline(describe, batch_size=4, seed=5)(names[:-1])
    with pytest.raises(sluice.BuildError):
        fewer.load_state_dict(state)


def number(data, at, size=4):
    return int.from_bytes(data[at:at + size], "little")


def entries_of(data):
    """(offset, bytes, bytes of the head) of each sample: docs/packs.md."""
    index, samples = number(data, len(data) - 40, 8), number(data, len(data) - 24, 8)
    at = index + 4
    for _ in range(number(data, index)):
        at += 4 + number(data, at)
    return [(number(data, at + 24 * i, 8), number(data, at + 24 * i + 8), number(data, at + 24 * i + 12)) for i in range(samples)]


@pytest.fixture
def copied(packed, tmp_path):
    """A pack of its own, which a test may damage."""
    return pathlib.Path(shutil.copy(packed / "part-00001.pack", tmp_path / "x.pack"))


@pytest.mark.parametrize("steps", [decoded, cropped])
@pytest.mark.parametrize("place", ["head", "rows"])
def test_a_damaged_sample_fails_alone(copied, steps, place):
    whole = rows_of(lambda: steps(*sluice.packs(copied)), seed=1)
    data = bytearray(copied.read_bytes())
    offset, size, head = entries_of(data)[1]
    at = offset + (50 if place == "head" else head + number(data, offset + 4) // 2)
    data[at] ^= 4
    copied.write_bytes(data)
    pipe = sluice.pipeline(batch_size=8, seed=1, on_error="skip")(lambda: steps(*sluice.packs(copied)))()
    ((batch),) = pipe
    if not batch.errors:  # a crop does not read the other rows
        assert steps is cropped and place == "rows"
        return
    ((error),) = batch.errors
    assert error["index"] == 1 and "x.pack:" in error["source"] and "damaged" in error["what"]
    assert_same(list(zip(*([numpy.array(one) if hasattr(one, "numpy") else one for one in column] for column in batch.columns))),
                whole[:1] + whole[2:])


def test_damaged_bytes_are_never_returned(copied):
    data = bytearray(copied.read_bytes())
    offset, size, _ = entries_of(data)[0]
    data[offset + size - 1] ^= 1  # of the restoring part
    copied.write_bytes(data)
    with pytest.raises((sluice.BatchError, sluice.JpegError), match="damaged"):
        for file, _ in rows_of(lambda: sluice.packs(copied)):
            sluice.unpack(file)


@pytest.mark.parametrize("bytes_left", [-1, -60, 5000, 40, 0])
def test_a_cut_pack(copied, bytes_left):
    data = copied.read_bytes()
    copied.write_bytes(data[:bytes_left])
    with pytest.raises(sluice.IoError, match=r"x.pack' is (damaged|not a pack)"):
        rows_of(lambda: sluice.packs(copied))


def test_another_version_and_another_file(copied, tmp_path):
    data = bytearray(copied.read_bytes())
    data[8] = 2
    copied.write_bytes(data)
    with pytest.raises(sluice.IoError, match="has version 2, but this is a program for version 1"):
        rows_of(lambda: sluice.packs(copied))
    copied.write_bytes(b"something else" * 20)
    with pytest.raises(sluice.IoError, match="is not a pack of Sluice"):
        rows_of(lambda: sluice.packs(copied))
    with pytest.raises(sluice.IoError, match="No such file"):
        rows_of(lambda: sluice.packs(tmp_path / "missing.pack"))
    (tmp_path / "empty").mkdir()
    with pytest.raises(sluice.IoError, match=r"holds no packs \(.pack\); sluice.pack\(\) writes them"):
        rows_of(lambda: sluice.packs(tmp_path / "empty"))


def test_a_pack_that_is_replaced_while_in_use(packed, copied):
    pipe = sluice.pipeline(batch_size=2, on_error="skip")(lambda: decoded(*sluice.packs(copied)))()
    other = copied.with_suffix(".new")
    other.write_bytes((packed / "part-00000.pack").read_bytes())
    os.replace(other, copied)
    errors = [error for batch in pipe for error in batch.errors]
    assert errors and all("has changed since it was opened" in error["what"] for error in errors)


def test_packs_of_other_columns_are_not_mixed(packed, paths, tmp_path):
    sluice.pack([(paths[0], 7)], tmp_path / "other", columns=["label"])
    with pytest.raises(sluice.IoError, match="has the columns 'label', but .* has 'name', 'label'"):
        rows_of(lambda: sluice.packs([packed, tmp_path / "other"]))
    with pytest.raises(sluice.IoError, match="has no column 'weight'; its columns: 'name', 'label'"):
        rows_of(lambda: sluice.packs(packed, {"weight": "f32"}))


@pytest.mark.parametrize(
    "read, why",
    [
        (lambda: sluice.packs(3), r"^sluice.packs\(\): paths must be a path or a list of paths \(got 3\)$"),
        (lambda: sluice.packs([3]), r"^sluice.packs\(\): a pack must be a path \(got 3\)$"),
        (lambda: sluice.packs([]), r"^sluice.packs\(\): paths is empty; pass at least one pack$"),
        (lambda: sluice.packs(["https://host/a.pack", "b.pack"]), r"^sluice.packs\(\): paths must be all files or all URLs \(got 'b.pack' and 'https://host/a.pack'\)$"),
        (lambda: sluice.packs("a.pack", http={"retries": 1}), r"^sluice.packs\(\): http"),
        (lambda: sluice.packs("x", ["label"]), r"^sluice.packs\(\): columns must be a dict"),
        (lambda: sluice.packs("x", {"label": "int64"}), r"^sluice.packs\(\): the type of column 'label' must be"),
        (lambda: sluice.packs("x", {"label": "i64"}, suffle=True), r"^sluice.packs\(\) has no option 'suffle'; did you mean shuffle\?$"),
    ],
)
def test_mistakes_of_readers(read, why):
    with pytest.raises(sluice.BuildError, match=why) as error:
        rows_of(read)
    assert "secret" not in str(error.value)


@needs_urls
def test_packs_at_urls(packed):
    def rows(paths, **options):
        def described():
            file, name, label = sluice.packs(paths, {"name": "text", "label": "i64"}, shuffle=True, seed=2, **options)
            return ops.resize(ops.decode_jpeg(file), height=32, width=32), name, label

        return rows_of(described)

    names = sorted(path.name for path in pathlib.Path(packed).glob("*.pack"))
    asked = []
    with serving({f"/{name}": (pathlib.Path(packed) / name).read_bytes() for name in names}, asked) as url:
        http = sluice.HttpOptions(headers=["X-Token: 1"])
        assert_same(rows([f"{url}/{name}" for name in names], http=http), rows(packed))
        assert all(headers["X-Token"] == "1" for _, headers in asked)
        with pytest.raises(sluice.IoError, match="404"):
            rows(f"{url}/missing.pack", http=sluice.HttpOptions(retries=0))


def test_a_column_of_another_type(packed):
    with pytest.raises(sluice.BuildError, match="a column cannot be read as 'image'"):
        rows_of(lambda: sluice.packs(packed, {"label": "image"}))


@pytest.mark.parametrize(
    "source, options, why",
    [
        (3, {}, r"source must be a folder, or an iterable of samples \(got 3\)"),
        ([b"file"], {}, r"sample 0 must be \(file, \{column: value\}\) or \(file, value, ...\)"),
        ([(b"file", 3)], {}, "sample 0 has no names for its columns; pass columns=, or a dict"),
        ([(b"file", {"a": 3}), (b"file", {"b": 3})], {}, r"sample 1 has the columns \['b'\], expected \['a'\]"),
        ([(b"file", 3)], {"columns": ["a", "b"]}, r"sample 0 has 1 values for the columns \['a', 'b'\]"),
        ([(3, {"a": 3})], {}, r"sample 0: the file must be bytes, or a path \(got 3\)"),
        ([(b"file", {"a": None})], {}, r"sample 0, column 'a': a finite number, a bool, a str or a list of numbers is expected \(got None\)"),
        ([(b"file", {"a": float("nan")})], {}, r"sample 0, column 'a': a finite number, .* \(got nan\)"),
        ([(b"file", {"a": b"bytes"})], {}, r"sample 0, column 'a': .* \(got b'bytes'\)"),
        ([(b"file", {3: "a"})], {}, r"a column must be a str \(got 3\)"),
        ([(b"file", 1, 2)], {"columns": ["a", "a"]}, "a column has no name, or the name of another one"),
        ([], {"columns": "label", "pack_bytes": 0}, "pack_bytes must be a whole number from 1 to .* \\(got 0\\)"),
        ([], {"threads": True}, r"threads must be a whole number from 0 to .* \(got True\)"),
        ([], {"resume": 1}, r"resume must be True or False \(got 1\)"),
        ([], {"endings": ".png"}, "endings is for folders"),
        ("photos", {"columns": ["weight"]}, r"a folder has the columns 'name' and 'label' \(got 'weight'\)"),
    ],
)
def test_mistakes_of_writers(source, options, why, tmp_path):
    with pytest.raises(sluice.BuildError, match=r"^sluice.pack\(\): " + why):
        sluice.pack(source, tmp_path / "out", **options)
    assert not (tmp_path / "out").exists() or not contents(tmp_path / "out")


def test_errors_of_files(photos, paths, tmp_path):
    with pytest.raises(sluice.IoError, match="missing.jpg"):
        sluice.pack([(paths[0], 0), (tmp_path / "missing.jpg", 1)], tmp_path / "out", columns=["label"])
    assert contents(tmp_path / "out") == {}
    with pytest.raises(sluice.IoError):
        sluice.pack(tmp_path / "nowhere", tmp_path / "out")
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(sluice.IoError, match="file' cannot be made"):
        sluice.pack(photos, tmp_path / "file")
    with pytest.raises(sluice.BuildError, match="out is a URL"):
        sluice.pack(photos, "s3://bucket/packs")


def test_packing_is_resumed(photos, packed, tmp_path):
    out = tmp_path / "out"

    def files(last=FILES):
        for path in sorted(photos.rglob("*.jpg"))[:last]:
            if len(passed) == stop:
                raise KeyboardInterrupt
            passed.append(path)
            yield path, {"name": str(path.relative_to(photos)), "label": "abc".index(path.parent.name)}

    passed, stop = [], 9
    with pytest.raises(KeyboardInterrupt):
        sluice.pack(files(), out, pack_bytes=25_000)
    begun = contents(out)
    assert 0 < len(begun) < len(contents(packed)) and all(name.endswith(".pack") for name in begun)
    passed, stop = [], None
    with pytest.raises(sluice.IoError, match="has packs already; .* continue them with resume=True$"):
        sluice.pack(files(), out, pack_bytes=25_000)
    stats = sluice.pack(photos, out, pack_bytes=25_000, resume=True)
    assert contents(out) == contents(packed)
    assert stats.skipped > 0 and stats.files + stats.skipped == FILES and stats.packs == len(contents(out)) - len(begun)
    assert sluice.pack(files(), out, pack_bytes=25_000, resume=True).skipped == FILES
    with pytest.raises(sluice.IoError, match=f"hold {FILES} samples, but only 3 were passed again"):
        sluice.pack(files(3), out, resume=True)
    with pytest.raises(sluice.IoError, match="has other columns than those to be written"):
        sluice.pack(photos, out, columns=["label"], resume=True)
    with pytest.raises(sluice.IoError, match="are of other files: sample 0 has name 'a/00.jpg' there, but 'x' here"):
        sluice.pack([(b"", {"name": "x", "label": 0})], out, resume=True)
    assert contents(out) == contents(packed)


def test_ctrl_c_ends_a_pack_that_is_being_made(paths, tmp_path, monkeypatch):
    """All files are in one pack, so a call packs them. Ctrl-C comes when it has begun."""
    out, made = tmp_path / "out", []

    def open_writer(*args, real=sluice._core.PackWriter):
        made.append(real(*args))
        return made[-1]

    def interrupt():
        while not made or made[0].stats()["packed"] == 0:
            pass
        _thread.interrupt_main()

    monkeypatch.setattr(sluice._core, "PackWriter", open_writer)
    other = threading.Thread(target=interrupt)
    other.start()
    file = paths[0].read_bytes()
    with pytest.raises(KeyboardInterrupt):
        sluice.pack(((file, i) for i in range(4000)), out, columns=["label"])
        other.join()  # the pack was complete before Ctrl-C came
    other.join()
    stats = made[0].stats()
    assert len(contents(out)) == stats["packs"] and stats["packed"] == 4000 * stats["packs"]
    monkeypatch.undo()
    assert sluice.pack([(file, i) for i in range(4000)], out, columns=["label"], resume=True).packs == 1 - stats["packs"]
    assert list(contents(out)) == ["part-00000.pack"]


def test_packs_hold_the_images_of_an_archive(paths, tmp_path):
    """Any source of Python can be packed."""
    with tarfile.open(tmp_path / "a.tar", "w") as archive:
        for i, path in enumerate(paths[:3]):
            archive.add(path, f"{i}.jpg")
            info = tarfile.TarInfo(f"{i}.cls")
            info.size = 1
            archive.addfile(info, io.BytesIO(b"%d" % i))
    samples = sluice.pipeline(batch_size=1)(lambda: sluice.tar(tmp_path / "a.tar"))()
    sluice.pack(((files[0], labels[0]) for files, labels in samples), tmp_path / "out", columns=["label"])
    assert_same(
        rows_of(lambda: decoded(*sluice.packs(tmp_path / "out"))), rows_of(lambda: decoded(*sluice.tar(tmp_path / "a.tar"))))


ZIGZAG = sorted(range(64), key=lambda i: (i // 8 + i % 8, (i // 8 if (i // 8 + i % 8) % 2 else i % 8)))


def tokens_of(dictionary):
    """Each token as (zeros, magnitudes, extra bits, True if it ends the block)."""
    tokens, at = [], 1
    for _ in range(4096):
        run, length, extra = dictionary[at:at + 3]
        tokens.append((run & 63, dictionary[at + 3:at + 3 + length], extra, run >= 64))
        at += 3 + length
    assert dictionary[0] == 1 and at == len(dictionary)
    return tokens


def blocks_of(segment, tokens, components):
    """The blocks of a segment, as quantized coefficients in natural order. `components`: that of each block."""
    raw, taken = int.from_bytes(segment, "little"), 0
    upwards = "".join(f"{byte:08b}" for byte in reversed(segment))  # from the end downwards
    blocks, at, dc = [], 0, collections.Counter()
    for component in components:
        zigzag, k, ended = [0] * 64, 0, False
        while k < 64 and not ended:
            run, magnitudes, extra, ended = tokens[int(upwards[at:at + 12], 2)]
            at, k = at + 12, k + run
            first = taken
            taken += extra
            for i, value in enumerate(magnitudes):
                value += (raw >> first) % 2**extra if i == 0 else 0
                if magnitudes[i] or (i == 0 and extra):
                    value = -value if raw >> taken & 1 else value
                    taken += 1
                zigzag[k], k = value, k + 1
        dc[component] += zigzag[0]
        zigzag[0] = dc[component]
        natural = numpy.zeros(64)
        natural[ZIGZAG] = zigzag
        blocks.append(natural.reshape(8, 8))
    assert max(20, -(-taken // 8) + -(-at // 8)) == len(segment)
    return blocks


def sample_named(packed, name):
    """The dictionary and the bytes of the sample with this name."""
    for path in sorted(packed.iterdir()):
        data = path.read_bytes()
        assert data[:8] == b"SLUICEPK" and number(data, 8) == 1 and data[-48:-40] == b"SLUICEPE"
        entries = entries_of(data)
        index = number(data, len(data) - 40, 8)
        at, columns = index + 4, []
        for _ in range(number(data, index)):
            columns.append(data[at + 4:at + 4 + number(data, at)])
            at += 4 + number(data, at)
        assert columns == [b"name", b"label"]
        at += 24 * len(entries)
        sizes = [number(data, at + 4 * i) for i in range(2 * len(entries))]
        texts, at = [], at + 4 * len(sizes)
        for size in sizes:
            texts.append(data[at:at + size])
            at += size
        assert at == len(data) - 48
        if name.encode() in texts:
            offset, size, head = entries[texts.index(name.encode()) // 2]
            sample = data[offset:offset + size]
            assert number(sample, 0) == head and head + number(sample, 4) + number(sample, 8) == size
            return data[32:32 + number(data, 12)], sample
    raise KeyError(name)


@pytest.mark.parametrize("name", ["b/04.jpg", "c/05.jpg"])  # gray, and color
def test_the_format_is_that_of_the_chapter(photos, packed, name):
    """A reader after docs/packs.md. It decodes the luma, and checks no checksums."""
    dictionary, sample = sample_named(packed, name)
    head, header, grain, rows, per_row = number(sample, 0), number(sample, 12, 2), sample[14], number(sample, 16), number(sample, 20)
    jpeg = sample[40:40 + header]
    frame = jpeg.index(b"\xff\xc1")
    height, width = (int.from_bytes(jpeg[frame + i:frame + i + 2], "big") for i in (5, 7))
    sampling = [divmod(jpeg[frame + 11 + 3 * c], 16) for c in range(jpeg[frame + 9])]
    assert len(sampling) == (1 if name == "b/04.jpg" else 3)
    across, down = sampling[0] if len(sampling) > 1 else (1, 1)
    group = [c for c, (h, v) in enumerate(sampling) for _ in range(h * v)] if len(sampling) > 1 else [0]
    quantizers = numpy.zeros(64)  # the first table, which is that of the luma
    quantizers[ZIGZAG] = list(jpeg[jpeg.index(b"\xff\xdb") + 5:][:64])
    x, u = numpy.meshgrid(numpy.arange(8), numpy.arange(8))
    basis = numpy.where(u == 0, numpy.sqrt(0.5), 1) * numpy.cos((2 * x + 1) * u * numpy.pi / 16) / 2
    tokens, segments = tokens_of(dictionary), -(-per_row // grain)
    image = numpy.zeros((8 * down * rows, 8 * across * per_row))
    table, at = 40 + header, head
    for row in range(rows):
        for segment in range(segments):
            length = number(sample, table + 4 + 2 * segment, 2)
            groups = min(grain, per_row - grain * segment)
            blocks = blocks_of(sample[at:at + length], tokens, group * groups)
            at += length
            for i in range(groups):
                for k in range(across * down):
                    block = basis.T @ (blocks[i * len(group) + k] * quantizers.reshape(8, 8)) @ basis
                    y = 8 * (row * down + k // across)
                    x = 8 * ((grain * segment + i) * across + k % across)
                    image[y:y + 8, x:x + 8] = block
        table += 4 + 2 * segments
    assert table == head and at == head + number(sample, 4)
    pixels = numpy.clip(numpy.rint(image + 128), 0, 255)[:height, :width]
    expected = numpy.asarray(sluice.decode_jpeg((photos / name).read_bytes(), color="gray")).astype(int)[:, :, 0]
    assert numpy.abs(pixels - expected).max() <= 1


@pytest.mark.skipif("SLUICE_TEST_DATA" not in os.environ, reason="SLUICE_TEST_DATA names no folder with photographs")
def test_photographs(tmp_path):
    found = sorted((pathlib.Path(os.environ["SLUICE_TEST_DATA"]) / "photos").glob("*.JPEG"))[:8]
    stats = sluice.pack(((path, i) for i, path in enumerate(found)), tmp_path / "out", columns=["label"])
    assert stats.files == len(found) and stats.packed > 0
    rows = rows_of(lambda: sluice.packs(tmp_path / "out")[0])
    assert [sluice.unpack(file) for file, in rows] == [path.read_bytes() for path in found]
    for steps in (decoded, cropped):
        listed = tmp_path / "list.csv"
        listed.write_text("path,label\n" + "".join(f'"{path}",{i}\n' for i, path in enumerate(found)))
        assert_same(
            rows_of(lambda: steps(*sluice.packs(tmp_path / "out")), seed=4), rows_of(lambda: steps(*sluice.list_file(listed)), seed=4))


def test_doc_strings_have_no_braces_of_the_template():
    for function in (sluice.packs, sluice.pack):
        assert function.__doc__ is None or not re.search(r"\{sampler|\{\{|\}\}", function.__doc__)
