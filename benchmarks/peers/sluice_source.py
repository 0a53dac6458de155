"""Functions of Python's in the worker processes of Sluice's Python module, on the work of `sluice bench source`."""

import time

import numpy
from PIL import Image

import common
import sluice


class Waits:
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(common.WAIT_S)
        return index


class Reads(Waits):
    def __init__(self, samples, files):
        super().__init__(samples)
        self.files = files

    def __getitem__(self, index):
        with open(self.files[index % len(self.files)], "rb") as file:
            return file.read()


class Decodes(Reads):
    def __getitem__(self, index):
        with Image.open(self.files[index % len(self.files)]) as image:
            return numpy.asarray(image.convert("RGB"))


class Copies(Waits):
    def __init__(self, samples):
        super().__init__(samples)
        self.block = numpy.full(common.LARGE_BYTES, 7, dtype=numpy.uint8)

    def __getitem__(self, index):
        return self.block.copy()


def epoch_of(pipe):
    return sum(batch.size for batch in pipe)


def main():
    given = common.options()
    files = common.jpeg_files(given.data)
    counts = common.sample_counts(given, files)
    sets = {
        "wait_workers": (Waits(counts["wait_workers"]), int),
        "decode_workers": (Reads(counts["decode_workers"], files), "bytes"),
        "pillow_workers": (Decodes(counts["decode_workers"], files), "image"),
        "large_workers": (Copies(counts["large_workers"]), "tensor"),
    }
    rates = {}
    for name, (data, returns) in sets.items():

        @sluice.pipeline(batch_size=given.batch)
        def described(data=data, returns=returns):
            sample = sluice.source(data, returns, workers=given.workers)
            return sluice.ops.decode_image(sample) if returns == "bytes" else sample

        with described() as pipe:
            rates[name] = common.rate(len(data), lambda: epoch_of(pipe))
    common.tell("Sluice", sluice.__version__, rates)


if __name__ == "__main__":
    main()
