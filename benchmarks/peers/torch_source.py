"""PyTorch's DataLoader on the work of `sluice bench source`."""

import time

import numpy
import torch
from PIL import Image
from torch.utils.data import DataLoader, Dataset

import common


class Waits(Dataset):
    def __init__(self, samples):
        self.samples = samples

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        time.sleep(common.WAIT_S)
        return index


class Decodes(Waits):
    def __init__(self, samples, files):
        super().__init__(samples)
        self.files = files

    def __getitem__(self, index):
        with Image.open(self.files[index % len(self.files)]) as image:
            return torch.from_numpy(numpy.array(image.convert("RGB")))


class Copies(Waits):
    def __init__(self, samples):
        super().__init__(samples)
        self.block = torch.full((common.LARGE_BYTES,), 7, dtype=torch.uint8)

    def __getitem__(self, index):
        return self.block.clone()


def as_list(samples):
    """Images of different sizes, and blocks that need not be assembled."""
    return samples


def main():
    given = common.options()
    files = common.jpeg_files(given.data)
    counts = common.sample_counts(given, files)
    sets = {
        "wait_workers": Waits(counts["wait_workers"]),
        "pillow_workers": Decodes(counts["decode_workers"], files),
        "large_workers": Copies(counts["large_workers"]),
    }
    rates = {}
    for name, data in sets.items():
        loader = DataLoader(
            data,
            batch_size=given.batch,
            num_workers=given.workers,
            persistent_workers=True,
            collate_fn=as_list,
        )
        rates[name] = common.rate(len(data), lambda: sum(len(batch) for batch in loader))
        del loader
    rates["decode_workers"] = rates["pillow_workers"]  # the dataset's decoder is the only one
    common.tell("PyTorch", torch.__version__, rates)


if __name__ == "__main__":
    main()
