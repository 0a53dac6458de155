"""Rotates a quarter of the images and resizes all of them. The batches are NumPy arrays.

The `if` is decided for every image: each one draws its own coin and its own angle.

    python python/examples/rotate_some.py [FOLDER]

FOLDER has JPEG files; the folders directly below it are the classes. The default is `photos`.
"""

import sys

import numpy

import sluice
from sluice import ops


@sluice.pipeline(batch_size=32, seed=42, on_error="skip")
def rotated(folder):
    jpeg, label = sluice.files(folder)
    image = ops.decode_jpeg(jpeg)
    if ops.coin_flip(0.25):
        image = ops.rotate(image, degrees=ops.uniform(10, 30), fill=0)
    return ops.resize(image, width=400, height=400), label


def main(folder="photos"):
    for images, labels in rotated(folder):
        pixels = numpy.asarray(images)  # shares the memory of the batch
        print(pixels.shape, pixels.dtype, labels.tolist())


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"rotate_some: {error}")
