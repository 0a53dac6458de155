"""OpenCV on the work of `sluice bench`. Images that shrink are averaged (INTER_AREA)."""

import random

import cv2
import numpy

import in_threads
from by_numpy import images, tensors


def decode(file):
    return cv2.imdecode(numpy.frombuffer(file, numpy.uint8), cv2.IMREAD_COLOR)


def resize(image, width, height):
    shrinks = width < image.shape[1] or height < image.shape[0]
    return cv2.resize(
        image, (width, height), interpolation=cv2.INTER_AREA if shrinks else cv2.INTER_LINEAR
    )


NORMAL = cv2.dnn.Image2BlobParams()
NORMAL.scalefactor = tuple(1 / (255 * std) for std in in_threads.STD) + (1,)
NORMAL.mean = tuple(255 * mean for mean in in_threads.MEAN) + (0,)
NORMAL.swapRB = True
NORMAL.ddepth = cv2.CV_32F


def normalize(image, at):
    at[:] = cv2.dnn.blobFromImageWithParams(image, NORMAL)[0]


def train(file, at):
    image = decode(file)
    x, y, width, height = in_threads.random_region(image.shape[1], image.shape[0])
    small = resize(image[y : y + height, x : x + width], 224, 224)
    normalize(cv2.flip(small, 1) if random.random() < 0.5 else small, at)


def evaluate(file, at):
    image = decode(file)
    width, height = in_threads.shorter_side(image.shape[1], image.shape[0], 256)
    small = resize(image, width, height)
    y, x = (height - 224) // 2, (width - 224) // 2
    normalize(numpy.ascontiguousarray(small[y : y + 224, x : x + 224]), at)


def rotate(file, at):
    image = decode(file)
    if random.random() < 0.25:
        height, width = image.shape[:2]
        turn = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), random.uniform(10, 30), 1)
        cos, sin = abs(turn[0, 0]), abs(turn[0, 1])
        wide, tall = round(width * cos + height * sin), round(width * sin + height * cos)
        turn[0, 2] += (wide - width) / 2
        turn[1, 2] += (tall - height) / 2
        image = cv2.warpAffine(image, turn, (wide, tall))
    cv2.cvtColor(resize(image, 400, 400), cv2.COLOR_BGR2RGB, at)


def main():
    cv2.setNumThreads(1)
    kinds = {"train": (tensors, train), "eval": (tensors, evaluate), "rotate": (images, rotate)}
    in_threads.tell("OpenCV", cv2.__version__, in_threads.options(), kinds)


if __name__ == "__main__":
    main()
