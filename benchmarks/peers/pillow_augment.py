"""Pillow, or Pillow-SIMD, on the work of `sluice bench`."""

import io
import random

import numpy
import PIL
from PIL import Image

import in_threads
from by_numpy import images, normalize, tensors

BILINEAR = Image.Resampling.BILINEAR


def decode(file):
    return Image.open(io.BytesIO(file)).convert("RGB")


def train(file, at):
    image = decode(file)
    x, y, width, height = in_threads.random_region(*image.size)
    small = image.resize((224, 224), BILINEAR, box=(x, y, x + width, y + height))
    if random.random() < 0.5:
        small = small.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    normalize(small, at)


def evaluate(file, at):
    image = decode(file)
    width, height = in_threads.shorter_side(*image.size, 256)
    small = image.resize((width, height), BILINEAR)
    x, y = (width - 224) // 2, (height - 224) // 2
    normalize(small.crop((x, y, x + 224, y + 224)), at)


def rotate(file, at):
    image = decode(file)
    if random.random() < 0.25:
        image = image.rotate(random.uniform(10, 30), BILINEAR, expand=True)
    at[:] = numpy.asarray(image.resize((400, 400), BILINEAR))


def main():
    kinds = {"train": (tensors, train), "eval": (tensors, evaluate), "rotate": (images, rotate)}
    in_threads.tell("Pillow", PIL.__version__, in_threads.options(), kinds)


if __name__ == "__main__":
    main()
