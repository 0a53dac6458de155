"""Sources of files at URLs, of archives, of MNIST and CIFAR, and of values in memory."""

import contextlib
import gzip
import hashlib
import http.server
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import threading
import warnings

import numpy
import pytest
from conftest import draw

import sluice
from sluice import _core, ops
from sluice.sources import _expanded

needs_urls = pytest.mark.skipif(not _core.can_read_urls(), reason="this build has no libcurl")


# A pixel of RGB.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108020000009077"
    "53de0000000c4944415408d763f8cfc000000301010018dd8db00000000049454e44ae426082"
)


def archive(path, samples, compress=False):
    """Writes {name: {ending: bytes}} as a tar archive."""
    opened = gzip.open(path, "wb") if compress else open(path, "wb")
    with opened as file, tarfile.open(fileobj=file, mode="w") as tar:
        for name, columns in samples.items():
            for ending, content in columns.items():
                info = tarfile.TarInfo(f"{name}.{ending}")
                info.size = len(content)
                tar.addfile(info, io.BytesIO(content))
    return str(path)


def write_index(*arguments):
    program = pathlib.Path(sluice.__file__).parent / "bin" / "sluice"
    if not program.exists():
        pytest.skip("the module was built without the program")
    # A sanitizer's library cannot be loaded into the program.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    subprocess.run([program, "index", *arguments], check=True, capture_output=True, env=environment)


def samples_of(first, last):
    return {f"x/{i:04}": {"jpg": b"file %d" % i, "cls": b"%d" % i} for i in range(first, last)}


@contextlib.contextmanager
def serving(files, asked=None):
    """A server of {path: bytes}, which knows ranges. Yields its address. `asked` receives paths and headers."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            if asked is not None:
                asked.append((self.path, dict(self.headers)))
            content = files.get(self.path)
            if content is None:
                return self.send(404, b"no such file")
            if match := re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", "")):
                first, last = int(match.group(1)), min(int(match.group(2)), len(content) - 1)
                return self.send(206, content[first:last + 1], f"bytes {first}-{last}/{len(content)}")
            self.send(200, content)

        def send(self, status, body, content_range=None):
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("ETag", '"1"')
            if content_range:
                self.send_header("Content-Range", content_range)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch):
    monkeypatch.setenv("no_proxy", "*")


def rows_of(describe, *args, epochs=1, **options):
    """All samples of a pipeline, as tuples of Python values."""
    pipe = sluice.pipeline(describe, **{"batch_size": 3, "threads": 2, **options})(*args)
    rows = []
    for _ in range(epochs):
        for batch in pipe:
            rows += zip(*(list(column) for column in batch.columns))
    return rows


@pytest.mark.parametrize(
    "given, expected",
    [
        ("a.tar", ["a.tar"]),
        ("a{08..10}.tar", ["a08.tar", "a09.tar", "a10.tar"]),
        ("a{8..10}.tar", ["a8.tar", "a9.tar", "a10.tar"]),
        ("a{2..0}", ["a2", "a1", "a0"]),
        ("a{0..10}", [f"a{i}" for i in range(11)]),
        ("a{00..2}", ["a00", "a01", "a02"]),
        ("s3://b/{x,y}-{0..1}.tar", ["s3://b/x-0.tar", "s3://b/x-1.tar", "s3://b/y-0.tar", "s3://b/y-1.tar"]),
        ("a{}{b}{0..1}", ["a{}{b}0", "a{}{b}1"]),
        ("{a,}x", ["ax", "x"]),
    ],
)
def test_braces(given, expected):
    assert _expanded(given) == expected


@pytest.mark.parametrize("given", ["{a,{b,c}}", "{{0..1},x}", "a{0..10..2}", "{a..c}.tar", "https://h/{a..c}?key=secret"])
def test_braces_that_only_bash_knows_are_refused(given):
    with pytest.raises(sluice.BuildError, match="nested, have a step or a range of letters") as error:
        _expanded(given)
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("given", ["a{0..99999999999}.tar", "{a,b}" * 60])
def test_braces_for_too_many_paths_are_refused(given):
    with pytest.raises(sluice.BuildError, match="at most 1000000 are possible"):
        _expanded(given)


@needs_urls
def test_a_url_with_a_zero_byte_is_refused():
    asked = []
    with serving({"/a": b"another file"}, asked) as url:
        with pytest.raises(sluice.BatchError, match="is not a URL"):
            rows_of(lambda: sluice.urls([url + "/a\0b"]))
        with pytest.raises(sluice.BuildError, match="is not a URL"):
            rows_of(lambda: sluice.tar(url + "/a\0b.tar"))
    assert not asked


def test_messages_hide_what_may_be_secret():
    url = "https://user:secret@h/a.tar?sig=secret"
    options = sluice.HttpOptions(headers=["Authorization: Bearer secret"])
    assert "secret" not in repr(options)
    for call in (
        lambda: sluice.tar([url, "b.tar"]),
        lambda: sluice.tar_stream(url),
        lambda: sluice.urls([(url, "cat")]),
        lambda: sluice.urls([[url]]),
        lambda: sluice.urls(url),
        lambda: sluice.tar(url, http={"headers": ["secret"]}),
    ):
        with pytest.raises(sluice.Error) as error:
            rows_of(call)
        assert "secret" not in str(error.value), str(error.value)


def test_a_file_with_braces_in_its_name_is_itself(tmp_path):
    path = tmp_path / "a{0..1}.tar"
    path.write_bytes(b"")
    assert _expanded(path) == [path]


def test_tar_with_braces(tmp_path):
    for i in range(3):
        archive(tmp_path / f"t-{i:02}.tar", samples_of(4 * i, 4 * i + 4))
    rows = rows_of(lambda path: sluice.tar(path), str(tmp_path / "t-{00..02}.tar"))
    assert rows == [(b"file %d" % i, i) for i in range(12)]
    assert sluice.webdataset is sluice.tar


@pytest.mark.parametrize("read", [sluice.tar, sluice.tar_stream])
@pytest.mark.parametrize(("pattern", "expected"), [("t-*.tar", [0, 1, 2]), ("t-0[02].tar", [0, 2]), ("{t,u}-?0.tar", [0])])
def test_tar_with_patterns(read, pattern, expected, tmp_path):
    for i in range(3):
        archive(tmp_path / f"t-{i:02}.tar", samples_of(4 * i, 4 * i + 4))
    (tmp_path / "u-10.tar").write_bytes((tmp_path / "t-00.tar").read_bytes())
    rows = rows_of(lambda: read(str(tmp_path / pattern)))
    expected = [4 * i + k for i in expected for k in range(4)] + ([0, 1, 2, 3] if "{" in pattern else [])
    assert rows == [(b"file %d" % i, i) for i in expected]


def test_a_pattern_without_files(tmp_path):
    with pytest.raises(sluice.IoError, match=r"^sluice.tar\(\): no file matches '.*/x-\*.tar'$"):
        rows_of(lambda: sluice.tar(str(tmp_path / "x-*.tar")))


@pytest.mark.parametrize(("lost", "count"), [(0, 4), (700, 3)])  # only the end marker, or the last header, too
def test_cut_archives_are_left_out_or_read_to_the_end(lost, count, tmp_path):
    archive(tmp_path / "a.tar", samples_of(0, 4))
    whole = (tmp_path / "a.tar").read_bytes().rstrip(b"\0")
    whole += b"\0" * (-len(whole) % 512)
    (tmp_path / "cut.tar").write_bytes(whole[: len(whole) - lost])
    if lost == 0:  # as GNU tar does
        with pytest.warns(sluice.LeftOutWarning, match="cut.tar' ends at byte .* without an end marker; files after that may be missing"):
            rows = rows_of(lambda: sluice.tar(tmp_path / "cut.tar"))
        assert rows == [(b"file %d" % i, i) for i in range(4)]
    else:
        with pytest.raises(sluice.IoError, match="it was truncated"):
            rows_of(lambda: sluice.tar(tmp_path / "cut.tar"))
    with pytest.warns(sluice.LeftOutWarning, match="cut.tar"):
        rows = rows_of(lambda: sluice.tar(tmp_path / "cut.tar", leave_out_unreadable=True), on_error="skip")
    assert rows == [(b"file %d" % i, i) for i in range(count)]


@pytest.mark.parametrize(
    ("archives", "flag", "says"),
    [
        ("a.tar", 1, r"leave_out_unreadable must be True or False \(got 1\)"),
        ("http://localhost/a.tar", True, "leave_out_unreadable is for files, and the archives are at URLs"),
    ],
)
def test_wrong_leave_out_unreadable(archives, flag, says):
    with pytest.raises(sluice.BuildError, match=says):
        rows_of(lambda: sluice.tar(archives, leave_out_unreadable=flag))


@pytest.mark.parametrize("with_list", [False, True])
def test_files_that_have_changed_fail_if_they_are_verified(tmp_path, with_list):
    folder = tmp_path / "images"
    folder.mkdir()
    for i in range(20):
        (folder / f"{i:02}.jpg").write_bytes(sluice.encode_jpeg(draw(i), 95))
    index, table = tmp_path / "images.index", tmp_path / "table.csv"
    write_index("--data", folder, "--out", index)
    table.write_text("path,label\n" + "".join(f"{i:02}.jpg,0\n" for i in range(20)))
    (folder / "07.jpg").write_bytes((folder / "08.jpg").read_bytes())

    @sluice.pipeline(batch_size=20, on_error="skip")
    def images(verify):
        kept = {"index": index, "verify": verify}
        jpeg, _ = sluice.list_file(table, folder=folder, **kept) if with_list else sluice.files(folder, **kept)
        return ops.decode_jpeg(jpeg)

    def outcome(verify, epochs=1):
        pipe = images(verify)
        failed = [error for _ in range(epochs) for batch in pipe for error in batch.errors]
        assert all("has changed since the index was made" in error["what"] for error in failed)
        return [error["index"] for error in failed], pipe.stats["sources"][0]["verified"]

    assert outcome("always") == ([7], 19)
    assert outcome("never") == ([], 0)
    assert outcome("sample", epochs=16) == ([7], 19)
    with pytest.raises(sluice.BuildError, match="verify must be one of .*'sometimes'"):
        images("sometimes")


@needs_urls
@pytest.mark.parametrize("with_offsets", [False, True])
def test_tar_at_urls(tmp_path, with_offsets):
    paths = [archive(tmp_path / f"t-{i}.tar", samples_of(5 * i, 5 * i + 5)) for i in range(2)]
    files = {f"/{os.path.basename(path)}": open(path, "rb").read() for path in paths}
    offsets = ""
    if with_offsets:
        offsets = str(tmp_path / "offsets")
        write_index("--tar", *paths, "--out", offsets)
    asked = []
    with serving(files, asked) as url:
        def described(shuffle):
            return sluice.webdataset(
                url + "/t-{0..1}.tar", offsets=offsets, shuffle=shuffle, seed=3,
                http=sluice.HttpOptions(headers=["X-Token: 1"]),
            )

        expected = [(b"file %d" % i, i) for i in range(10)]
        assert rows_of(described, False) == expected
        shuffled = rows_of(described, True)
        assert shuffled != expected and sorted(shuffled) == expected
    assert all(headers["X-Token"] == "1" for _, headers in asked)
    assert any("Range" in headers for _, headers in asked)


@needs_urls
def test_a_missing_archive_and_a_wrong_mixture(tmp_path):
    with serving({}) as url:
        with pytest.raises(sluice.IoError, match="404"):
            rows_of(lambda: sluice.tar(url + "/a.tar", http=sluice.HttpOptions(retries=0)))
        with pytest.raises(sluice.BuildError, match="all files or all URLs"):
            rows_of(lambda: sluice.tar([url + "/a.tar", "b.tar"]))
    with pytest.raises(sluice.BuildError, match="http is for URLs"):
        rows_of(lambda: sluice.tar("b.tar", http=sluice.HttpOptions()))
    with pytest.raises(sluice.BuildError, match=r"http must be sluice.HttpOptions\(...\) \(got int\)"):
        rows_of(lambda: sluice.tar("b.tar", http=3))
    with pytest.raises(sluice.BuildError, match="retries is -1; it must be 0 to 1000"):
        rows_of(lambda: sluice.tar("http://127.0.0.1:1/a.tar", http=sluice.HttpOptions(retries=-1)))


@needs_urls
def test_urls_of_a_python_list():
    with serving({"/a": b"aa", "/b": b"bb"}) as url:
        right = "sha256:" + hashlib.sha256(b"bb").hexdigest()
        items = [url + "/a", (url + "/b", 7, right), (url + "/c", 8), (url + "/a", 9, "crc32:00000000")]

        def described():
            return sluice.urls(items, http=sluice.HttpOptions(retries=0))

        pipe = sluice.pipeline(described, batch_size=4, threads=2, on_error="skip")()
        files, labels = next(iter(pipe))
        assert list(files) == [b"aa", b"bb"] and list(labels) == [-1, 7]
        assert pipe.stats["epoch"]["skipped"] == 2


@needs_urls
def test_urls_of_a_list_file(tmp_path):
    listed = tmp_path / "train.csv"
    listed.write_text("where,label,weight\na b,1,0.5\nc,2,1.5\n")
    with serving({"/photos/a%20b": b"ab", "/photos/c": b"cc"}) as url:
        def described(path, **more):
            columns = {"label": "i64", "weight": "f32"}
            return sluice.urls(path, columns, url_column="where", base=url + "/photos", **more)

        assert rows_of(described, listed) == [(b"ab", 1, 0.5), (b"cc", 2, 1.5)]
        bare = tmp_path / "bare"
        bare.write_text("a b\t1\t0.5\nc\t2\t1.5\n")
        rows = rows_of(lambda: described(bare, format="tsv", names=["where", "label", "weight"]))
        assert rows == [(b"ab", 1, 0.5), (b"cc", 2, 1.5)]
        with pytest.raises(sluice.BuildError, match="a column cannot be 'bytes'"):
            rows_of(lambda: sluice.urls(listed, {"label": "bytes"}, url_column="where"))


@needs_urls
@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: sluice.urls([]), "no URLs are given"),
        (lambda: sluice.urls([3]), r"must be a URL, \(url, label\) or \(url, label, checksum\), whose label is a whole number \(got 3\)"),
        (lambda: sluice.urls([("a", 1, "", 2)]), "must be a URL"),
        (lambda: sluice.urls([("a", True)]), "must be a URL"),
        (lambda: sluice.urls(["http://h/a"], base="http://h"), "base is for list files"),
        (lambda: sluice.urls("a.csv", format="xml"), "format must be one of 'csv', 'tsv', 'jsonl'"),
        (lambda: sluice.urls(5), "urls must be a path"),
        (lambda: sluice.urls("http://h/a.jpg"), "urls is a URL; pass a list of URLs"),
        (lambda: sluice.urls([("http://h/a", 2**70)]), "whose label is a whole number"),
        (lambda: sluice.urls(["http://h/a"], url_column="x"), "url_column is for list files"),
        (lambda: sluice.urls(["http://h/a"], http=sluice.HttpOptions(headers=None)), "headers must be a list of str"),
        (lambda: sluice.urls(["http://h/a"], http=sluice.HttpOptions(ca_file=None)), "ca_file must be a path"),
    ],
)
def test_wrong_urls(call, message):
    with pytest.raises((sluice.BuildError, sluice.IoError), match=message):
        rows_of(call)


@needs_urls
def test_google_buckets(monkeypatch):
    asked = []
    with serving({"/bucket/a/b.txt": b"text"}, asked) as url:
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", url)
        http = sluice.HttpOptions(headers=["Authorization: Bearer x"])
        assert rows_of(lambda: sluice.urls(["gs://bucket/a/b.txt"], http=http)) == [(b"text", -1)]
    assert asked[0][1]["Authorization"] == "Bearer x"


@needs_urls
def test_urls_resume_in_the_middle():
    files = {f"/{i}": b"%d" % i for i in range(20)}
    with serving(files) as url:
        @sluice.pipeline(batch_size=4, threads=2, seed=5)
        def described():
            file, label = sluice.urls([(f"{url}/{i}", i) for i in range(20)], shuffle=True)
            return file, label

        whole = [list(labels) for _, labels in described()]
        first = described()
        for _ in zip(range(2), first):
            pass
        resumed = described(resume=first.state_dict()["checkpoint"])
        assert [list(labels) for _, labels in resumed] == whole[2:]


@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_tar_stream(tmp_path, compress, shuffle):
    paths = [archive(tmp_path / f"{i}.tar", samples_of(6 * i, 6 * i + 6), compress) for i in range(3)]

    def described():
        return sluice.tar_stream(paths, {"__key__": "text", "jpg": "bytes", "cls": "i64"}, shuffle=shuffle, window=5, seed=2)

    try:
        rows = rows_of(described, epochs=2)
    except sluice.IoError as error:
        if "libarchive" in str(error):
            pytest.skip("this build has no libarchive")
        raise
    expected = [(f"x/{i:04}", b"file %d" % i, i) for i in range(18)]
    assert sorted(rows[:18]) == expected and sorted(rows[18:]) == expected
    assert (rows[:18] == expected) != shuffle
    assert (rows[:18] == rows[18:]) != shuffle
    assert rows == rows_of(described, epochs=2, threads=1, batch_size=5)


@pytest.mark.parametrize("shuffle", [False, True])
def test_the_key_of_tar(tmp_path, shuffle):
    paths = [archive(tmp_path / f"{i}.tar", samples_of(6 * i, 6 * i + 6)) for i in range(2)]
    rows = rows_of(lambda: sluice.tar(paths, {"cls": "i64", "__key__": "text", "jpg": "bytes"}, shuffle=shuffle))
    expected = [(i, f"x/{i:04}", b"file %d" % i) for i in range(12)]
    assert sorted(rows) == expected and (rows == expected) != shuffle
    assert rows_of(lambda: sluice.tar(paths[:1], {"__key__": "bytes", "cls": "i64"}))[:2] == [(b"x/0000", 0), (b"x/0001", 1)]
    with pytest.raises(sluice.BuildError, match=r"sluice.tar\(\): columns names no file; pass one besides '__key__'"):
        rows_of(lambda: sluice.tar(paths, {"__key__": "text"}))
    with pytest.raises(sluice.BuildError, match="joins the sample's name with files"):
        rows_of(lambda: sluice.tar(paths, {"__key__;txt": "text", "jpg": "bytes"}))


def test_tar_stream_shards_and_warns(tmp_path):
    paths = [archive(tmp_path / f"{i}.tar", {**samples_of(6 * i, 6 * i + 6), "plain": {"txt": b""}}) for i in range(4)]
    seen = []
    for part in range(2):
        with pytest.warns(sluice.LeftOutWarning, match=r"sluice.tar_stream\(\): left out 2") as warned:
            seen += [label for _, label in rows_of(lambda: sluice.tar_stream(paths, shard=(part, 2)))]
        assert {one.filename for one in warned} == {__file__}
    assert sorted(seen) == list(range(24))


def test_a_warning_that_is_an_error_is_printed(tmp_path):
    path = archive(tmp_path / "a.tar", {**samples_of(0, 3), "plain": {"txt": b""}})
    program = f"import sluice\nfor _ in sluice.pipeline(lambda: sluice.tar_stream({path!r}))(): pass\nprint('through')\n"
    (tmp_path / "program.py").write_text(program)
    done = subprocess.run([sys.executable, "-W", "error", str(tmp_path / "program.py")], capture_output=True, text=True, check=False)
    assert "LeftOutWarning: sluice.tar_stream(): left out 1" in done.stderr and done.stdout == "through\n"


def test_tar_stream_cannot_be_sampled(tmp_path):
    path = archive(tmp_path / "a.tar", samples_of(0, 6))
    with pytest.raises(TypeError, match="weights"):
        rows_of(lambda: sluice.tar_stream(path, weights=[1.0]))
    with pytest.raises(sluice.BuildError, match="cycle must be one of 'raise', 'quiet', 'off'"):
        rows_of(lambda: sluice.tar_stream(path, cycle="x"))
    with pytest.raises(sluice.BuildError, match="is a URL"):
        rows_of(lambda: sluice.tar_stream("http://h/a.tar"))
    with pytest.raises(sluice.BuildError, match="commands .* are not run"):
        rows_of(lambda: sluice.tar_stream("pipe:cat a.tar"))
    with pytest.raises(sluice.BuildError, match="columns names no file"):
        rows_of(lambda: sluice.tar_stream(path, {"__key__": "text"}))
    with pytest.raises(sluice.IoError, match="missing.tar"):
        rows_of(lambda: sluice.tar_stream(str(tmp_path / "missing.tar")))


def test_tar_stream_of_a_damaged_archive_fails_one_sample(tmp_path):
    good = open(archive(tmp_path / "a.tar", samples_of(0, 6)), "rb").read()
    cut = tmp_path / "cut.tar"
    cut.write_bytes(good[:512 * 9 + 100])
    rows = rows_of(lambda: sluice.tar_stream([str(cut), str(tmp_path / "a.tar")]), on_error="skip")
    assert [label for _, label in rows][-6:] == list(range(6)) and len(rows) >= 7


def test_tar_stream_from_standard_input(tmp_path):
    path = archive(tmp_path / "a.tar", samples_of(0, 6))
    program = (
        "import sluice\n"
        "@sluice.pipeline(batch_size=3)\n"
        "def described():\n"
        "    file, label = sluice.tar_stream('-')\n"
        "    return label\n"
        "print([[int(x) for x in batch[0]] for batch in described()])\n"
    )
    script = tmp_path / "program.py"
    script.write_text(program)
    with open(path, "rb") as stdin:
        done = subprocess.run([sys.executable, str(script)], stdin=stdin, capture_output=True, text=True, check=False)
    assert done.stdout == "[[0, 1, 2], [3, 4, 5]]\n", done.stderr


def test_mnist(tmp_path):
    pixels = numpy.arange(3 * 4 * 5, dtype=numpy.uint8)
    (tmp_path / "images").write_bytes(b"\0\0\x08\x03" + b"".join(n.to_bytes(4, "big") for n in (3, 4, 5)) + pixels.tobytes())
    (tmp_path / "labels").write_bytes(b"\0\0\x08\x01" + (3).to_bytes(4, "big") + bytes([7, 8, 9]))
    rows = rows_of(lambda: sluice.mnist(tmp_path / "images", tmp_path / "labels"))
    assert [label for _, label in rows] == [7, 8, 9]
    assert numpy.array_equal(numpy.stack([image for image, _ in rows]), pixels.reshape(3, 4, 5, 1))
    with pytest.raises(sluice.IoError, match="missing"):
        rows_of(lambda: sluice.mnist(tmp_path / "missing", tmp_path / "labels"))


@pytest.mark.parametrize("coarse", [False, True])
def test_cifar(tmp_path, coarse):
    drawn = numpy.random.default_rng(1)
    planes = drawn.integers(0, 256, (4, 3, 32, 32), dtype=numpy.uint8)
    for part in range(2):
        content = b""
        for i in range(2 * part, 2 * part + 2):
            content += bytes([5, i] if coarse else [i]) + planes[i].tobytes()
        (tmp_path / f"{part}.bin").write_bytes(content)
    files = [tmp_path / "0.bin", tmp_path / "1.bin"]
    rows = rows_of(lambda: (sluice.cifar100 if coarse else sluice.cifar10)(files))
    assert [row[1] for row in rows] == [0, 1, 2, 3]
    assert [row[2:] for row in rows] == [(5,) if coarse else ()] * 4
    assert numpy.array_equal(numpy.stack([row[0] for row in rows]), planes.transpose(0, 2, 3, 1))
    with pytest.raises(sluice.BuildError, match="files must be a path or a list of paths"):
        rows_of(lambda: sluice.cifar10([]))


def test_memory():
    images = numpy.arange(5 * 2 * 3 * 3, dtype=numpy.uint8).reshape(5, 2, 3, 3)
    boxes = numpy.arange(20, dtype=numpy.float32).reshape(5, 4)
    labels = numpy.arange(5)
    names = list("abcde")

    def described():
        return sluice.memory(images, labels, boxes, names, shuffle=True)

    rows = rows_of(described, seed=4)
    assert sorted(row[1] for row in rows) == list(range(5))
    for image, label, box, name in rows:
        assert numpy.array_equal(image, images[label])
        assert numpy.array_equal(box, boxes[label])
        assert name == names[label]


@pytest.mark.parametrize(
    "column, kind",
    [
        ([b"a", b"bc"], "bytes"), ([True, False], "bool"), ([1, 2], "i64"), ([0.5, 1.5], "f64"), (["a", "b"], "text"),
        (numpy.array([1, 2], numpy.uint8), "u8"), (numpy.array([1, 2], numpy.float32), "f32"),
        (numpy.zeros((2, 3, 3), numpy.uint8), "image"), (numpy.zeros((2, 3), numpy.float32), "tensor"),
        (numpy.zeros((2, 3), numpy.uint8), "tensor"), (numpy.array(["a", "b"]), "text"), (numpy.array([True, False]), "bool"),
        (numpy.zeros((2, 5, 6, 7, 8), numpy.uint8), "tensor"),
    ],
)
def test_types_of_memory(column, kind):
    def described():
        value = sluice.memory(column)
        assert value.type == kind
        return value

    assert len(rows_of(described)) == 2


class OfAnotherLength(list):
    """Says that it is longer than it is."""

    def __len__(self):
        return 2000


def test_memory_counts_what_it_reads():
    with pytest.raises(sluice.BuildError, match=r"same length \(got 3 for column 1, expected 2000\)"):
        rows_of(lambda: sluice.memory(list(range(2000)), OfAnotherLength([1, 2, 3])))
    assert rows_of(lambda: sluice.memory(OfAnotherLength([1, 2, 3]))) == [(1,), (2,), (3,)]


def test_memory_is_copied():
    images = numpy.zeros((2, 4, 4, 3), numpy.uint8)

    @sluice.pipeline(batch_size=2)
    def described():
        return ops.invert(sluice.memory(images))

    pipe = described()
    images[:] = 100
    for _ in range(2):
        for batch in pipe:
            assert (numpy.asarray(batch[0]) == 255).all()


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: sluice.memory(), "there are no columns"),
        (lambda: sluice.memory([]), "column 0 is empty"),
        (lambda: sluice.memory([1, 2], [1]), r"same length \(got 1 for column 1, expected 2\)"),
        (lambda: sluice.memory([1, "a"]), "column 0: .*'a'"),
        (lambda: sluice.memory([object()]), "the type of a object is not known; pass types="),
        (lambda: sluice.memory([[1.0, 2.0]]), "the type of a list is not known; pass types=.*arrays in place of lists"),
        (lambda: sluice.memory(numpy.zeros((2, 3, 8, 8), "u1")), r"images of shape \(3, 8, 8\); images are \(height, width, channels\)"),
        (lambda: sluice.memory("ab"), "column 0 must be a list or an array"),
        (lambda: sluice.memory([1], types=("i64", "i64")), "types names 2, but there are 1 columns"),
        (lambda: sluice.memory([300], types="u8"), "300"),
        (lambda: sluice.memory([1], shufle=True), "shufle"),
    ],
)
def test_wrong_memory(call, message):
    with pytest.raises(sluice.BuildError, match=message):
        rows_of(call)


def cats(folder, count):
    """Writes JPEG files to the class "cat", and returns their paths."""
    (folder / "cat").mkdir()
    paths = [folder / "cat" / f"{i}.jpg" for i in range(count)]
    for i, path in enumerate(paths):
        path.write_bytes(sluice.encode_jpeg(draw(i)))
    return paths


def test_image_folder_reads_all_types(tmp_path):
    drawn = cats(tmp_path, 3)
    (tmp_path / "dog").mkdir()
    (tmp_path / "dog" / "b.png").write_bytes(PNG)
    (tmp_path / "dog" / "notes.txt").write_text("no image")
    with pytest.warns(sluice.LeftOutWarning) as warned:
        rows = rows_of(lambda: sluice.image_folder(tmp_path, with_names=True))
    assert warned[0].filename == __file__
    assert [label for _, label, _ in rows] == [0, 0, 0, 1]
    assert [name for *_, name in rows] == [*map(str, drawn), str(tmp_path / "dog" / "b.png")]
    assert [row[0].shape for row in rows] == [(48, 64, 3)] * 3 + [(1, 1, 3)]


def test_files_with_names(tmp_path):
    cats(tmp_path, 4)
    rows = rows_of(lambda: sluice.files(tmp_path, with_names=True, shuffle=True), seed=3)
    for content, label, name in rows:
        assert label == 0 and open(name, "rb").read() == content
    assert len(rows) == 4
    with pytest.raises(sluice.BuildError, match="with_names must be True or False"):
        rows_of(lambda: sluice.files(tmp_path, with_names=1))


def test_lists_without_a_header(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"aa")
    (tmp_path / "list").write_text("a.txt,3\n")
    rows = rows_of(
        lambda: sluice.list_file(tmp_path / "list", {"label": "i64"}, format="csv", names=["path", "label"])
    )
    assert rows == [(b"aa", 3)]
    with pytest.raises(sluice.BuildError, match="format must be one of"):
        rows_of(lambda: sluice.list_file(tmp_path / "list", format="parquet"))


def test_no_warning_without_left_out_files(tmp_path):
    path = archive(tmp_path / "a.tar", samples_of(0, 3))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(rows_of(lambda: sluice.tar_stream(path))) == 3
