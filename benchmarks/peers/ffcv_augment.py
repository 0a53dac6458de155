"""FFCV on the work of `sluice bench`, on the CPU.

FFCV reads its own datasets, so this script writes one first. `--stored files` keeps the JPEG files,
`jpg` encodes them again as FFCV does, and `raw` stores their pixels. FFCV decodes whole images.
"""

import argparse
import contextlib
import importlib.metadata
import io
import json
import os
import tempfile
import time

import numpy as np
from ffcv.fields import RGBImageField
from ffcv.fields.rgb_image import (
    IMAGE_MODES,
    CenterCropRGBImageDecoder,
    RandomResizedCropRGBImageDecoder,
)
from ffcv.loader import Loader, OrderOption
from ffcv.transforms import NormalizeImage, RandomHorizontalFlip, ToTensor, ToTorchImage
from ffcv.writer import DatasetWriter
from PIL import Image

import in_threads

WARM_UP_BATCHES = 4
EPOCH = 1_000_000  # images; long, because FFCV allocates its buffers anew for each epoch


class FileField(RGBImageField):
    """Keeps JPEG files as they are. FFCV's own field takes pixels and encodes them again."""

    def encode(self, destination, file, malloc):
        image = Image.open(io.BytesIO(file))
        destination["mode"] = IMAGE_MODES["jpg"]
        destination["width"], destination["height"] = image.size
        destination["data_ptr"], storage = malloc(len(file))
        storage[:] = np.frombuffer(file, np.uint8)


class Samples:
    def __init__(self, files, stored):
        self.files = files
        self.stored = stored

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        file = self.files[i]
        return (file if self.stored == "files" else Image.open(io.BytesIO(file)).convert("RGB"),)


def options():
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--stored", choices=["files", "jpg", "raw"], default="files")
    stored, others = parser.parse_known_args()
    given = in_threads.options(others)
    given.stored = stored.stored
    return given


def transforms(work):
    size = (224, 224)
    if work == "train":
        first = [RandomResizedCropRGBImageDecoder(size), RandomHorizontalFlip()]
    else:
        # The same region as after a resize of the shorter side to 256.
        first = [CenterCropRGBImageDecoder(size, 224 / 256)]
    mean, std = (255 * np.array(values) for values in (in_threads.MEAN, in_threads.STD))
    return [
        *first,
        NormalizeImage(mean, std, np.float32),
        ToTensor(),
        ToTorchImage(channels_last=False),
    ]


def rate(given, dataset, count, work):
    """Images a second, after a few batches that compile and warm up."""
    loader = Loader(
        dataset,
        batch_size=given.batch,
        num_workers=given.threads,
        order=OrderOption.RANDOM,
        indices=np.resize(np.arange(count, dtype=np.uint64), max(count, EPOCH)),
        pipelines={"image": transforms(work)},
        custom_fields={"image": FileField} if given.stored == "files" else {},
    )
    epoch = iter(loader)
    for _ in range(WARM_UP_BATCHES):
        next(epoch)
    begin, images = time.perf_counter(), 0
    while time.perf_counter() - begin < given.seconds:
        (batch,) = next(epoch)
        assert tuple(batch.shape[1:]) == (3, 224, 224)
        images += len(batch)
    seconds = time.perf_counter() - begin
    epoch.close()
    epoch.join()
    return images / seconds


def main():
    given = options()
    files = in_threads.files_in_memory(given.data)
    field = FileField() if given.stored == "files" else RGBImageField(write_mode=given.stored)
    with tempfile.TemporaryDirectory() as folder:
        dataset = os.path.join(folder, "photographs.beton")
        with contextlib.redirect_stderr(io.StringIO()):  # a progress bar
            DatasetWriter(dataset, {"image": field}, num_workers=1).from_indexed_dataset(
                Samples(files, given.stored)
            )
        rates = {
            work: rate(given, dataset, len(files), work)
            for work in given.work
            if work in ("train", "eval")
        }
    version = importlib.metadata.version("ffcv")
    print(json.dumps({"name": "FFCV", "version": version, "rates": rates}))


if __name__ == "__main__":
    main()
