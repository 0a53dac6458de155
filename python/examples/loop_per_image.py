"""A loop for each image: lowers the JPEG quality until the file is small enough.

The `while` is decided for every image. Images with little detail are small at once; others need more iterations.

    python python/examples/loop_per_image.py [FOLDER [BYTES]]

FOLDER (default: `photos`) has JPEG files. BYTES (default: 12000) is the largest size.
"""

import sys

import sluice
from sluice import ops


def encoded_size(pixels, quality):
    return len(sluice.encode_jpeg(pixels, quality))


@sluice.pipeline(batch_size=8, on_error="skip")
def shrunk(folder, budget):
    jpeg, label = sluice.files(folder)
    image = ops.decode_jpeg(jpeg)
    quality = 95
    size = sluice.map(encoded_size, image, quality, returns=int)
    while quality > 5 and size > budget:
        quality = quality - 10
        size = sluice.map(encoded_size, image, quality, returns=int)
    return size, quality


def main(folder="photos", budget=12000):
    for sizes, qualities in shrunk(folder, int(budget)):
        for size, quality in zip(sizes.tolist(), qualities.tolist()):
            print(f"{size:6} bytes at quality {quality}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except sluice.Error as error:
        sys.exit(f"loop_per_image: {error}")
