"""SPDL, which decodes and filters by FFmpeg, on the work of `sluice bench`."""

import importlib.metadata
import random

import spdl.io

import in_threads
from by_numpy import normalize, tensors


def load(packets, filters):
    frames = spdl.io.decode_packets(packets, filter_desc=f"{filters},format=pix_fmts=rgb24")
    return spdl.io.to_numpy(spdl.io.convert_frames(frames))


def train(file, at):
    packets = spdl.io.demux_image(file)
    x, y, width, height = in_threads.random_region(packets.width, packets.height)
    mirror = ",hflip" if random.random() < 0.5 else ""
    normalize(
        load(packets, f"crop={width}:{height}:{x}:{y},scale=224:224:flags=bilinear{mirror}"), at
    )


def evaluate(file, at):
    packets = spdl.io.demux_image(file)
    width, height = in_threads.shorter_side(packets.width, packets.height, 256)
    normalize(load(packets, f"scale={width}:{height}:flags=bilinear,crop=224:224"), at)


def main():
    kinds = {"train": (tensors, train), "eval": (tensors, evaluate)}
    version = importlib.metadata.version("spdl-io")
    in_threads.tell("SPDL", version, in_threads.options(), kinds)


if __name__ == "__main__":
    main()
