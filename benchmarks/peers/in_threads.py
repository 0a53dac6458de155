"""A loop over files in memory by Python threads, for libraries that release the interpreter's lock.

Threads write their samples into the batch's memory, and two batches are under way at a time.
"""

import argparse
import collections
import concurrent.futures
import json
import math
import random
import time

import common

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)
AHEAD = 2


def options(arguments=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--work", nargs="+", required=True)
    return parser.parse_args(arguments)


def files_in_memory(folder):
    files = []
    for path in common.jpeg_files(folder):
        with open(path, "rb") as file:
            files.append(file.read())
    return files


def random_region(width, height, chance=random):
    """x, y, width and height, as torchvision's RandomResizedCrop draws them."""
    for _ in range(10):
        area = width * height * chance.uniform(0.08, 1)
        ratio = math.exp(chance.uniform(math.log(3 / 4), math.log(4 / 3)))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            return chance.randint(0, width - w), chance.randint(0, height - h), w, h
    w, h = min(width, round(height * 4 / 3)), min(height, round(width * 4 / 3))
    return (width - w) // 2, (height - h) // 2, w, h


def shorter_side(width, height, size):
    """Width and height of an image whose shorter side is to be `size`."""
    if width <= height:
        return size, round(height * size / width)
    return round(width * size / height), size


def rate(given, files, new_batch, make):
    """Images a second. make(file, at) writes into at = new_batch(size)[i]; the first pass over the
    files warms up, and whole passes follow for as long as asked for."""

    def fill(batch, i, number):
        make(files[number], batch[i])

    def one_pass(pool):
        under_way = collections.deque()
        for begin in range(0, len(files), given.batch):
            size = min(given.batch, len(files) - begin)
            batch = new_batch(size)
            under_way.append([pool.submit(fill, batch, i, begin + i) for i in range(size)])
            if len(under_way) > AHEAD:
                for sample in under_way.popleft():
                    sample.result()
        for samples in under_way:
            for sample in samples:
                sample.result()

    with concurrent.futures.ThreadPoolExecutor(given.threads) as pool:
        one_pass(pool)
        begin, images = time.perf_counter(), 0
        while time.perf_counter() - begin < given.seconds:
            one_pass(pool)
            images += len(files)
        return images / (time.perf_counter() - begin)


def tell(name, version, given, kinds):
    """`kinds`: from the name of a kind of work to (new_batch, make)."""
    files = files_in_memory(given.data)
    rates = {work: rate(given, files, *kinds[work]) for work in given.work if work in kinds}
    print(json.dumps({"name": name, "version": version, "rates": rates}))
