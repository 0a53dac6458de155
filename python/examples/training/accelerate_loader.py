"""Trains with Hugging Face Accelerate, and continues in the middle of an epoch.

    python python/examples/training/accelerate_loader.py [FOLDER [CHECKPOINT [EPOCHS [STEPS]]]]
    accelerate launch python/examples/training/accelerate_loader.py [FOLDER ...]

FOLDER (default: `photos`) has a folder of JPEG files for each class. CHECKPOINT (default: `accelerate`) is a folder.
STEPS stops early, after so many batches. To continue, run again without it. EPOCHS is 2 by default.
"""

import os
import sys

import sluice
from sluice import ops
try:
    import accelerate
    import torch
except ModuleNotFoundError as error:
    sys.exit(f"accelerate_loader: {error.name} is missing; install it with `pip install accelerate`")
import sluice.torch


@sluice.pipeline(batch_size=4, seed=42, on_error="replace")
def training(folder, shard):
    jpeg, label = sluice.files(folder, shuffle=True, shard=shard, uneven="wrap")
    image = ops.random_resized_crop(jpeg, width=64, height=64)
    return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=0.5, std=0.25), label


def main(folder="photos", saved="accelerate", epochs=2, steps=-1):
    classes = sluice.classes(folder)
    if not classes:
        sys.exit(f"accelerate_loader: the folder '{folder}' has no classes; move the files of each class to a folder in it")
    accelerator = accelerate.Accelerator()
    accelerate.utils.set_seed(42)  # for the first weights of the network
    model = torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, stride=2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(),
        torch.nn.Linear(256, len(classes)))
    model, optimizer = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.01))
    # The loader has its own shard and device, so prepare() has nothing to do for it.
    loader = sluice.torch.Loader(training, folder, sluice.torch.shard(), to=accelerator.device)
    accelerator.register_for_checkpointing(loader)
    if os.path.exists(saved):
        accelerator.load_state(saved)
    done = 0
    for epoch in range(loader.next_epoch, int(epochs)):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            accelerator.backward(loss)
            optimizer.step()
            done += 1
            if done == int(steps):
                break
        accelerator.print(f"epoch {epoch}: {loader.batch.index + 1} of {len(loader)} batches, last loss {loss.item():.3f}")
        accelerator.save_state(saved)
        if done == int(steps):
            break
    accelerator.end_training()


if __name__ == "__main__":
    try:
        main(*sys.argv[1:5])
    except sluice.Error as error:
        sys.exit(f"accelerate_loader: {error}")
