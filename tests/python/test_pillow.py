"""Images of PIL as the samples of sources and steps."""

import numpy
import pytest
from conftest import draw

import sluice

Image = pytest.importorskip("PIL.Image")

MODES = {"RGB": draw(1, 12, 16), "L": draw(2, 12, 16)[:, :, 0], "RGBA": numpy.dstack([draw(3, 12, 16), draw(4, 12, 16)[:, :, 0]])}


class Images:
    def __init__(self, pixels):
        self.pixels = pixels

    def __len__(self):
        return 3

    def __getitem__(self, i):
        return Image.fromarray(numpy.roll(self.pixels, i, axis=0)), i


def column(describe):
    (batch,) = sluice.pipeline(describe, batch_size=3)()
    return numpy.asarray(batch[0])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("workers", [0, 1])
@pytest.mark.parametrize("batch", [0, 2])
def test_a_source_may_give_images_of_pil(mode, workers, batch):
    images = column(lambda: sluice.source(Images(MODES[mode]), ("image", int), workers=workers, batch=batch))
    for i, one in enumerate(images):
        assert (one == numpy.roll(MODES[mode], i, axis=0).reshape(one.shape)).all()


def test_an_iterator_may_give_images_of_pil():
    images = column(lambda: sluice.iterate(lambda: (image for image, _ in map(Images(MODES["RGB"]).__getitem__, range(3))), "image"))
    assert (images[2] == numpy.roll(MODES["RGB"], 2, axis=0)).all()


def test_a_step_may_give_images_of_pil():
    def described():
        image = sluice.source(lambda i: MODES["RGB"], "image", samples=3)
        return sluice.map(lambda pixels: Image.fromarray(pixels).rotate(180), image, returns="image")

    assert (column(described)[0] == MODES["RGB"][::-1, ::-1]).all()


@pytest.mark.parametrize("mode", ["P", "CMYK", "1", "I", "F"])
def test_other_modes_fail_their_sample(mode):
    with pytest.raises(sluice.BatchError, match=f"images of PIL must be L, RGB or RGBA, not {mode}; image.convert\\('RGB'\\) makes one"):
        column(lambda: sluice.source(lambda i: Image.new(mode, (4, 4)), "image", samples=3))
