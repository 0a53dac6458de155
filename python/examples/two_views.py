"""Makes two random views of each image, as SimCLR does. Each image is read and decoded once.

    python python/examples/two_views.py [FOLDER]

FOLDER has JPEG files; the default is `photos`. `ops.sim_clr` makes SimCLR's views in one call.
"""

import sys

import numpy

import sluice
from sluice import ops


@sluice.graph_function  # its `if` is decided for every image, too
def view(image):
    image = ops.random_resized_crop(image, height=96, width=96)
    image = ops.flip(image, horizontal=ops.coin_flip())
    if ops.coin_flip(0.8):
        image = ops.color_twist(
            image, brightness=ops.uniform(0.6, 1.4), saturation=ops.uniform(0.6, 1.4), hue=ops.uniform(-36, 36))
    if ops.coin_flip(0.2):
        image = ops.grayscale(image, channels=3)
    return image


@sluice.pipeline(batch_size=32, seed=42, on_error="skip")
def two_views(folder):
    jpeg, label = sluice.files(folder)
    image = ops.decode_jpeg(jpeg)
    return view(image), view(image)  # each call draws its own random numbers


def main(folder="photos"):
    for batch in two_views(folder):
        first, second = (numpy.asarray(views) for views in batch)
        different = sum(bool((one != other).any()) for one, other in zip(first, second))
        print(f"{first.shape} and {second.shape}: {different} of {batch.size} pairs differ")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"two_views: {error}")
