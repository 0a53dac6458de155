"""Sluice beside other libraries in one process: their own libjpeg, oneTBB, OpenMP and OpenSSL, loaded in any order."""

import importlib.util
import itertools
import subprocess
import sys

import pytest
from conftest import draw

import sluice

OTHERS = [name for name in ("torch", "torchvision", "cv2") if importlib.util.find_spec(name)]

pytestmark = pytest.mark.skipif(not OTHERS, reason="neither PyTorch nor OpenCV is installed")

# Decodes one JPEG file with each library, runs a pipeline between the others' work, and once more in a child.
PROGRAM = """
import ctypes, importlib, os, sys
path, names = sys.argv[1], sys.argv[2:]
for name in names:
    if name == "libtbb":
        for file in (sys.prefix + "/lib/libtbb.so.12", "libtbb.so.12"):
            try:
                ctypes.CDLL(file, ctypes.RTLD_GLOBAL)
                break
            except OSError:
                pass
    else:
        importlib.import_module(name)
import numpy, sluice
from sluice import ops

def run():
    @sluice.pipeline(batch_size=4, threads=2)
    def decoded():
        jpeg, _ = sluice.memory([open(path, "rb").read()] * 16, [0] * 16)
        image = ops.decode_jpeg(jpeg)
        return image, ops.rotate(ops.resize(image, height=40, width=40), degrees=ops.uniform(10, 30))
    images = [numpy.asarray(image) for batch in decoded() for image in batch.columns[0]]
    assert len(images) == 16
    return images[0]

def is_near(image):
    difference = numpy.abs(numpy.asarray(image).astype(int) - ours.astype(int))
    assert difference.shape == ours.shape and difference.mean() < 2, difference.mean()

ours = run()
if "cv2" in names:
    import cv2
    cv2.setNumThreads(2)
    is_near(cv2.imread(path)[:, :, ::-1])
if "torchvision" in names:
    import torchvision
    is_near(torchvision.io.read_image(path).permute(1, 2, 0).numpy())
if "torch" in names:
    import torch
    torch.set_num_threads(2)
    a = torch.ones(300, 300)
    assert (a @ a)[0, 0] == 300
assert (run() == ours).all()
child = os.fork()
if child == 0:
    os._exit(0 if (run() == ours).all() else 1)
assert os.waitpid(child, 0)[1] == 0
try:
    sluice.decode_jpeg(b"\\xff\\xd8 broken")
    raise SystemExit("no error")
except sluice.Error:
    print("good")
"""


def orders():
    """About twelve of all orders. libtbb: the oneTBB of pip or of the system, if there is one, visible to all."""
    all_orders = list(itertools.permutations([*OTHERS, "libtbb", "sluice"]))
    return all_orders[:: max(1, len(all_orders) // 12)]


@pytest.mark.parametrize("order", orders(), ids=" ".join)
def test_each_decodes(order, tmp_path):
    path = tmp_path / "image.jpg"
    path.write_bytes(sluice.encode_jpeg(draw(1, 96, 128), 95))
    ran = subprocess.run([sys.executable, "-c", PROGRAM, path, *order], capture_output=True, text=True, check=False, timeout=300)
    assert (ran.returncode, ran.stdout) == (0, "good\n"), ran.stderr
