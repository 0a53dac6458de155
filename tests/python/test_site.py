"""The documentation site builds without a warning, and all its links lead somewhere."""

import pathlib
import subprocess
import sys

import pytest

import sluice

ROOT = pathlib.Path(__file__).parents[2]
ENVIRONMENT = ROOT / "build/docs-environment"


def _check(folder):
    program = "import sys, check_links; print(*check_links.check(sys.argv[1])[2], sep='\\n')"
    ran = subprocess.run(
        [sys.executable, "-c", program, folder], cwd=ROOT / "docs/site", check=True, capture_output=True, text=True
    )
    return ran.stdout.split("\n")[:-1]


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>'
        '<a href="https://x.org/">x</a><img src="gone.png" alt=""><img src="b.html"><script src="https://x.org/x.js"></script>'
        '<a href="#top">top</a><a href="/b.html">b</a>'
    )
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    assert sorted(_check(tmp_path)) == [
        "a.html: an absolute link: /b.html",
        "a.html: an image without a description: b.html",
        "a.html: loads from elsewhere: https://x.org/x.js",
        "a.html: no such anchor: b.html#gone",
        "a.html: no such file: c.html",
        "a.html: no such file: gone.png",
    ]


def test_site_is_built(tmp_path):
    if not (ENVIRONMENT / "complete").exists():
        pytest.skip("the packages of the site are not installed: run scripts/docs once")
    program = pathlib.Path(sluice.__file__).parent / "bin/sluice"
    ran = subprocess.run(
        [ROOT / "scripts/docs", "--sluice", program, "--out", tmp_path / "site"],
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert " 0 wrong" in ran.stdout
    for page in (
        "index.html",
        "operators/rotate.html",
        "cpp/graph-pipeline.html",
        "reference/sources.html",
        "gallery.html",
        "search/search_index.json",
    ):
        assert (tmp_path / "site" / page).is_file()
    rotate = (tmp_path / "site/operators/rotate.html").read_text()
    for expected in ("images/rotate.jpg", "RotateOptions", "keep_size", "RandomRotation"):
        assert expected in rotate
