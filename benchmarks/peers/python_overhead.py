"""Measures the cost of a Python loop over `train`, in interleaved rounds.

    PYTHONPATH=build/release/python build/python-environment/bin/python benchmarks/peers/python_overhead.py \
        --data DIR [--threads N] [--batch N] [--rounds N] [--epochs N]

Prints images a second of both for each round, and the median of the ratio.
"""

import argparse
import statistics
import time

import numpy

import sluice
from sluice import ops


@sluice.pipeline(seed=1)
def train(folder):
    jpeg, label = sluice.files(folder, shuffle=True)
    image = ops.random_resized_crop(jpeg, height=224, width=224)
    image = ops.flip(image, horizontal=ops.coin_flip(0.5))
    mean, std = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
    return ops.crop_mirror_normalize(image, mean=mean, std=std), label


def in_python(pipe, epochs):
    images = 0
    for _ in range(epochs):
        for column, labels in pipe:
            images += numpy.asarray(column).shape[0]
            assert len(labels) == len(column)
    return images


def by_the_library(pipe, epochs):
    return sum(pipe._core.drain() for _ in range(epochs))


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--data", required=True)
    arguments.add_argument("--threads", type=int, default=0)
    arguments.add_argument("--batch", type=int, default=64)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--epochs", type=int, default=5)
    given = arguments.parse_args()
    begin = time.perf_counter()
    pipe = train(given.data, threads=given.threads, batch_size=given.batch)
    first = next(iter(pipe))
    print(f"first batch of {first.size} after {time.perf_counter() - begin:.3f} s")
    ratios = []
    for number in range(given.rounds):
        speed = []
        for run in (in_python, by_the_library):
            pipe.reset()
            begin = time.perf_counter()
            images = run(pipe, given.epochs)
            speed.append(images / (time.perf_counter() - begin))
        ratios.append(speed[0] / speed[1])
        print(f"round {number + 1}: Python {speed[0]:9.1f}/s, the library alone {speed[1]:9.1f}/s, ratio {ratios[-1]:.3f}")
    print(f"ratio {statistics.median(ratios):.3f} (median of {len(ratios)}; {min(ratios):.3f} to {max(ratios):.3f})")


if __name__ == "__main__":
    main()
