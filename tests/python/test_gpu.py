"""Batches in a GPU's memory; left out unless SLUICE_TEST_DEVICE has the number of one."""

import os

import numpy
import pytest

import sluice
from sluice import ops

DEVICE = os.environ.get("SLUICE_TEST_DEVICE")
pytestmark = pytest.mark.skipif(DEVICE is None, reason="SLUICE_TEST_DEVICE is not set")


@sluice.pipeline(batch_size=4, seed=9)
def trained(folder, there):
    jpeg, label = sluice.files(folder)
    image = ops.random_resized_crop(jpeg.gpu() if there else jpeg, width=32, height=32)
    if ops.coin_flip(0.5):
        image = ops.invert(image)
    return image, ops.crop_mirror_normalize(image, mean=(0.5, 0.5, 0.5), std=(0.25, 0.25, 0.25)), label


def test_gives_the_hosts_bytes(folder):
    here = [[numpy.array(one) for one in batch] for batch in trained(folder, False)]
    batches = list(trained(folder, True, device=int(DEVICE)))
    assert batches[0][0].on_device and not batches[0][2].on_device
    there = [[one.numpy() for one in batch] for batch in batches]
    assert all(numpy.array_equal(a, b) for mine, theirs in zip(here, there) for a, b in zip(mine, theirs))


def test_goes_to_torch_without_a_copy(folder):
    torch = pytest.importorskip("torch")
    host = [one[1].numpy().copy() for one in trained(folder, False)]
    with pytest.raises(sluice.BuildError, match="device"):
        trained(folder, True)
    pipe = trained(folder, True, device=int(DEVICE))
    for batch, wanted in zip(pipe, host):
        tensors = torch.from_dlpack(batch[1])
        assert tensors.is_cuda and tensors.device.index == int(DEVICE)
        # Work on the stream that the tensors were requested for sees them ready.
        doubled = tensors * 2
        assert torch.equal(doubled.cpu(), torch.from_numpy(wanted) * 2)


def test_goes_to_cupy_without_a_copy(folder):
    cupy = pytest.importorskip("cupy")
    for batch, other in zip(trained(folder, True, device=int(DEVICE)), trained(folder, False)):
        assert (cupy.asnumpy(cupy.from_dlpack(batch[0])) == numpy.asarray(other[0])).all()
