"""Runs a transform of torchvision as a step, in worker processes. Sluice reads, decodes and batches around it.

    python python/examples/torchvision_step.py [FOLDER [WORKERS]]

FOLDER has JPEG files; the default is `photos`. WORKERS is 2 by default. `sluice.transforms` has the usual transforms
without Python in the loop; a step like this one is for the others.
"""

import sys

import numpy

import sluice
from sluice import ops

try:
    import torch
    from torchvision.transforms import v2
except ModuleNotFoundError as error:
    sys.exit(f"torchvision_step: {error.name.partition('.')[0]} is missing; install it with `pip install torchvision`")


class Step:
    def __init__(self):
        self.transform = v2.Compose([v2.RandomZoomOut(p=1, side_range=(1, 2)), v2.RandomChannelPermutation(), v2.Resize((96, 96))])

    def __worker_init__(self, worker, workers):  # once in each process; forked seeds would be equal
        torch.set_num_threads(1)
        torch.manual_seed(worker)

    def __call__(self, image):
        tensor = torch.from_numpy(image.copy()).permute(2, 0, 1)
        return self.transform(tensor).permute(1, 2, 0).contiguous().numpy()


@sluice.pipeline(batch_size=4, on_error="skip")
def zoomed(folder, workers):
    jpeg, label = sluice.files(folder)
    image = ops.resize(ops.decode_jpeg(jpeg), shorter=96)
    return sluice.map(Step(), image, returns="image", workers=workers), label


def main(folder="photos", workers="2"):
    for images, labels in zoomed(folder, int(workers)):
        print(f"{numpy.asarray(images).shape} {labels.tolist()}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except sluice.Error as error:
        sys.exit(f"torchvision_step: {error}")
