"""Trains a small ResNet on CIFAR-10, from the binary files of https://www.cs.toronto.edu/~kriz/cifar.html.

    python python/examples/training/cifar.py [FOLDER [EPOCHS [STEPS]]]

FOLDER (default: `cifar-10-batches-bin`) has data_batch_1.bin and so on, and test_batch.bin. EPOCHS is 30 by default.
STEPS ends each epoch after so many batches.
"""

import itertools
import pathlib
import sys

import numpy

import sluice
from sluice import ops
try:
    import torch
    import torchvision
except ModuleNotFoundError as error:
    sys.exit(f"cifar: {error.name} is missing; install it with `pip install torch torchvision`")
import sluice.torch

MEAN, STD = [0.4914, 0.4822, 0.4465], [0.2470, 0.2435, 0.2616]


class Images:
    """The images of some files. Each one is a byte for the label, and 32 x 32 bytes for each of red, green and blue."""

    def __init__(self, paths):
        rows = numpy.concatenate([numpy.fromfile(path, numpy.uint8).reshape(-1, 3073) for path in paths])
        self.labels = rows[:, 0].astype(int)
        self.pixels = rows[:, 1:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1).copy()

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return self.pixels[index], self.labels[index]


def random_crop(image, size, padding):
    image = ops.pad_image(image, left=padding, top=padding, right=padding, bottom=padding)
    height, width = ops.canvas_size(image)
    region, _, _ = ops.scaled_region(height, width, size, size, y=ops.uniform(0, 1), x=ops.uniform(0, 1))
    return ops.crop(image, region)


@sluice.pipeline(batch_size=128, seed=42, last_batch="drop")
def training(images):
    image, label = sluice.source(images, returns=("image", int), shuffle=True)
    image = random_crop(image, 32, padding=4)
    return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=MEAN, std=STD), label


@sluice.pipeline(batch_size=500)
def test(images):
    image, label = sluice.source(images, returns=("image", int))
    return ops.crop_mirror_normalize(image, mean=MEAN, std=STD), label


def network():
    """Returns ResNet-18 whose first layers keep the size of small images."""
    model = torchvision.models.resnet18(num_classes=10)
    model.conv1 = torch.nn.Conv2d(3, 64, kernel_size=3, padding=1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model


@torch.no_grad()
def right(model, loader):
    model.eval()
    count = sum((model(images).argmax(1) == labels).sum().item() for images, labels in loader)
    model.train()
    return count


def main(folder="cifar-10-batches-bin", epochs=30, steps=None):
    paths = sorted(pathlib.Path(folder).glob("data_batch_*.bin"))
    if not paths:
        sys.exit(f"cifar: the folder '{folder}' has no data_batch_1.bin; unpack cifar-10-binary.tar.gz and give its folder")
    epochs, steps = int(epochs), None if steps is None else int(steps)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(42)  # for the first weights of the network
    model = network().to(device)
    loader = sluice.torch.Loader(training, Images(paths), to=device)
    evaluated = sluice.torch.Loader(test, Images([pathlib.Path(folder) / "test_batch.bin"]), to=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=5e-4, nesterov=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        for images, labels in itertools.islice(loader, steps):
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
        schedule.step()
        print(f"epoch {epoch}: loss {loss.item():.3f}, {right(model, evaluated)} of {evaluated.pipeline.samples} are right")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except sluice.Error as error:
        sys.exit(f"cifar: {error}")
