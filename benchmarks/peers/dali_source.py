"""NVIDIA DALI's parallel external source on the work of `sluice bench source`, without a GPU."""

import os
import time

import numpy
import nvidia.dali as dali
from nvidia.dali import fn, pipeline_def
from PIL import Image

import common


class Waits:
    def __init__(self, samples):
        self.samples = samples

    def sample(self, index):
        time.sleep(common.WAIT_S)
        return numpy.array([index], dtype=numpy.int64)

    def __call__(self, info):
        if info.idx_in_epoch >= self.samples:
            raise StopIteration
        return self.sample(info.idx_in_epoch)


class Reads(Waits):
    def __init__(self, samples, files):
        super().__init__(samples)
        self.files = files

    def sample(self, index):
        return numpy.fromfile(self.files[index % len(self.files)], dtype=numpy.uint8)


class Decodes(Reads):
    def sample(self, index):
        with Image.open(self.files[index % len(self.files)]) as image:
            return numpy.asarray(image.convert("RGB"))


class Copies(Waits):
    def __init__(self, samples):
        super().__init__(samples)
        self.block = numpy.full(common.LARGE_BYTES, 7, dtype=numpy.uint8)

    def sample(self, index):
        return self.block.copy()


@pipeline_def
def pipeline_of(source, decode):
    data = fn.external_source(source=source, batch=False, parallel=True)
    return fn.decoders.image(data, device="cpu") if decode else data


def epoch_of(pipeline):
    delivered = 0
    try:
        while True:
            delivered += len(pipeline.run()[0])
    except StopIteration:
        pipeline.reset()
    return delivered


def main():
    given = common.options()
    files = common.jpeg_files(given.data)
    counts = common.sample_counts(given, files)
    sources = {
        "wait_workers": Waits(counts["wait_workers"]),
        "decode_workers": Reads(counts["decode_workers"], files),
        "pillow_workers": Decodes(counts["decode_workers"], files),
        "large_workers": Copies(counts["large_workers"]),
    }
    rates = {}
    for name, source in sources.items():
        pipeline = pipeline_of(
            source,
            name == "decode_workers",
            batch_size=given.batch,
            num_threads=len(os.sched_getaffinity(0)),
            device_id=None,
            py_num_workers=given.workers,
            py_start_method="spawn",
        )
        pipeline.build()
        rates[name] = common.rate(source.samples, lambda: epoch_of(pipeline))
        del pipeline
    common.tell("DALI", dali.__version__, rates)


if __name__ == "__main__":
    main()
