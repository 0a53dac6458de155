"""Trains ResNet-18 (a tiny network without torchvision) with PyTorch, and continues from a checkpoint.

    python python/examples/train_resnet.py [FOLDER [CHECKPOINT [EPOCHS]]]

FOLDER (default: `photos`) has a folder of JPEG files for each class. CHECKPOINT (default: `run.pt`) keeps the
network, the optimizer and the position in the data. To continue, run again with more EPOCHS (default: 2).
"""

import os
import sys

import sluice
from sluice import ops
try:
    import torch
except ModuleNotFoundError as error:
    sys.exit(f"train_resnet: {error.name} is missing; install it with `pip install torch`")
import sluice.torch


@sluice.pipeline(batch_size=4, seed=42, on_error="replace")  # full batches, even if a file is damaged
def training(folder):
    jpeg, label = sluice.files(folder, shuffle=True)
    image = ops.random_resized_crop(jpeg, width=64, height=64)
    return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=0.5, std=0.25), label


def network(classes):
    try:
        from torchvision.models import resnet18
    except ImportError:
        return torch.nn.Sequential(torch.nn.AdaptiveAvgPool2d(8), torch.nn.Flatten(), torch.nn.Linear(192, classes))
    return resnet18(num_classes=classes)


def main(folder="photos", saved="run.pt", epochs=2):
    classes = sluice.classes(folder)
    if not classes:
        sys.exit(f"train_resnet: the folder '{folder}' has no classes; move the files of each class to a folder in it")
    torch.manual_seed(42)  # for the first weights of the network
    model, loader = network(len(classes)), sluice.torch.Loader(training, folder)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    parts = {"model": model, "optimizer": optimizer, "loader": loader}
    for name, state in torch.load(saved, weights_only=True).items() if os.path.exists(saved) else ():
        parts[name].load_state_dict(state)
    for epoch in range(loader.next_epoch, int(epochs)):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: {len(loader)} batches, last loss {loss.item():.3f}")
        torch.save({name: part.state_dict() for name, part in parts.items()}, saved)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except sluice.Error as error:
        sys.exit(f"train_resnet: {error}")
