"""Forty programs of torchvision's and albumentations' users: Sluice's versions do the same in as many lines or fewer."""

import importlib.util
import inspect
import json
import struct

import numpy
import pytest
from conftest import draw
from programs_of_peers import of_albumentations, of_torchvision

import sluice

PEERS = {"torchvision": of_torchvision, "albumentations": of_albumentations}
PROGRAMS = [
    pytest.param(peer, program, id=f"{peer}-{name}")
    for peer, module in PEERS.items()
    for name, program in vars(module).items()
    if hasattr(program, "ours")
]

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torchvision", "ignore:Using lambda is incompatible")


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    """A folder to work in, with the files that the programs name."""
    for i in range(8):
        path = tmp_path / "photos" / "ab"[i % 2] / f"{i}.jpg"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(sluice.encode_jpeg(draw(i, 60, 80), 95))
    y, x = numpy.mgrid[0:60, 0:80]
    (tmp_path / "mask.jpg").write_bytes(sluice.encode_jpeg(numpy.where(x > y, 255, 0).astype(numpy.uint8), 95))
    boxes = {"photos/a/0.jpg": [[10, 20, 40, 40], [50, 5, 75, 55]], "photos/b/1.jpg": [[20, 10, 60, 50]], "photos/a/2.jpg": [[0, 0, 30, 60]]}
    rows = [{"path": path, "boxes": all_, "labels": [1, 2, 3][: len(all_)], "mask": "mask.jpg"} for path, all_ in boxes.items()]
    (tmp_path / "train.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    raw = tmp_path / "MNIST" / "raw"
    raw.mkdir(parents=True)
    digits = numpy.random.default_rng(1).integers(0, 256, (3, 28, 28), numpy.uint8)
    for kind in ("train", "t10k"):  # torchvision asks for both
        (raw / f"{kind}-images-idx3-ubyte").write_bytes(struct.pack(">4i", 0x803, 3, 28, 28) + digits.tobytes())
        (raw / f"{kind}-labels-idx1-ubyte").write_bytes(struct.pack(">2i", 0x801, 3) + bytes([7, 2, 1]))
    monkeypatch.chdir(tmp_path)


def present(module):
    return importlib.util.find_spec(module) is not None


def plain(result):
    """A result with arrays of NumPy in place of those of other libraries."""
    if isinstance(result, (tuple, list, sluice.Batch)):
        return [plain(one) for one in result]
    return numpy.asarray(result)


def lines_of(function):
    """The lines of a function's body, without comments and empty lines."""
    lines = [line.strip() for line in inspect.getsource(function).splitlines()[1:]]
    return [line for line in lines if line and not line.startswith("#")]


def assert_near(ours, theirs, levels):
    if isinstance(ours, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            assert_near(one, other, levels)
        return
    assert ours.shape == theirs.shape
    if ours.size:
        assert abs(ours.astype(float) - theirs.astype(float)).max() <= levels


def test_there_are_twenty_programs_of_each_peer():
    assert [sum(one.values[0] == peer for one in PROGRAMS) for peer in PEERS] == [20, 20]


@pytest.mark.parametrize("peer, program", PROGRAMS)
def test_ours_has_no_more_lines(peer, program):
    assert len(lines_of(program.ours)) <= len(lines_of(program.peer))
    assert max(map(len, inspect.getsource(program).splitlines())) <= 140


@pytest.mark.parametrize("peer, program", PROGRAMS)
def test_ours_gives_what_is_wanted(peer, program):
    if hasattr(program, "needs"):
        pytest.importorskip(program.needs)
    program.check(plain(program.ours(draw(1, 60, 80))))


@pytest.mark.parametrize("peer, program", PROGRAMS)
def test_the_peer_gives_the_same(peer, program):
    pytest.importorskip(peer)
    image = draw(1, 60, 80)
    if peer == "torchvision":
        image = pytest.importorskip("PIL.Image").fromarray(image)
    theirs = plain(program.peer(image))
    program.check(theirs)
    if hasattr(program, "levels"):
        assert_near(plain(program.ours(draw(1, 60, 80))), theirs, program.levels)
