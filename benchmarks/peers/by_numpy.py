"""Normalizing images with NumPy."""

import numpy

import in_threads

SCALE = numpy.array([1 / (255 * std) for std in in_threads.STD], numpy.float32)[:, None, None]
SHIFT = numpy.array(
    [mean / std for mean, std in zip(in_threads.MEAN, in_threads.STD)], numpy.float32
)[:, None, None]


def normalize(image, at):
    """Height x width x 3 bytes to 3 x height x width floats."""
    numpy.multiply(numpy.asarray(image).transpose(2, 0, 1), SCALE, out=at)
    numpy.subtract(at, SHIFT, out=at)


def tensors(size):
    return numpy.empty((size, 3, 224, 224), numpy.float32)


def images(size):
    return numpy.empty((size, 400, 400, 3), numpy.uint8)
