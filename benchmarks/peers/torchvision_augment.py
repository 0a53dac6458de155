"""torchvision's transforms, version 2, on the work of `sluice bench`."""

import random

import torch
import torchvision
from torchvision.io import ImageReadMode, decode_jpeg
from torchvision.transforms import v2
from torchvision.transforms.v2 import functional

import in_threads

BILINEAR = v2.InterpolationMode.BILINEAR


def decode(file):
    # Copy, because torch wants writable memory.
    return decode_jpeg(torch.frombuffer(bytearray(file), dtype=torch.uint8), mode=ImageReadMode.RGB)


def chain(*transforms):
    both = v2.Compose(
        [
            *transforms,
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(in_threads.MEAN, in_threads.STD),
        ]
    )

    def make(file, at):
        at.copy_(both(decode(file)))

    return make


def rotate(file, at):
    image = decode(file)
    if random.random() < 0.25:
        image = functional.rotate(image, random.uniform(10, 30), BILINEAR, expand=True)
    at.copy_(functional.resize(image, [400, 400], BILINEAR, antialias=True))


def tensors(size):
    return torch.empty((size, 3, 224, 224))


def images(size):
    return torch.empty((size, 3, 400, 400), dtype=torch.uint8)


def main():
    torch.set_num_threads(1)
    region = [v2.RandomResizedCrop(224, antialias=True), v2.RandomHorizontalFlip()]
    kinds = {
        "train": (tensors, chain(*region)),
        "eval": (tensors, chain(v2.Resize(256, antialias=True), v2.CenterCrop(224))),
        "rotate": (images, rotate),
        "randaugment": (tensors, chain(*region, v2.RandAugment())),
        "trivialaugment": (tensors, chain(*region, v2.TrivialAugmentWide())),
    }
    in_threads.tell("torchvision", torchvision.__version__, in_threads.options(), kinds)


if __name__ == "__main__":
    main()
