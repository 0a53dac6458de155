"""Trains with Lightning's Trainer, and continues in the middle of an epoch.

    python python/examples/training/lightning_loader.py [FOLDER [CHECKPOINT [EPOCHS [STEPS]]]]

FOLDER (default: `photos`) has a folder of JPEG files for each class. Lightning stores the position of the loader in
CHECKPOINT (default: `lightning.ckpt`), because it has state_dict(). STEPS stops early, after so many batches in all. To
continue, run again without it. EPOCHS is 2 by default.
"""

import os
import sys

import sluice
from sluice import ops
try:
    import lightning
    import torch
except ModuleNotFoundError as error:
    sys.exit(f"lightning_loader: {error.name} is missing; install it with `pip install lightning`")
import sluice.torch


@sluice.pipeline(batch_size=4, seed=42, on_error="replace")
def training(folder, shard):
    jpeg, label = sluice.files(folder, shuffle=True, shard=shard, uneven="wrap")
    image = ops.random_resized_crop(jpeg, width=64, height=64)
    return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=0.5, std=0.25), label


class Data(lightning.LightningDataModule):
    def __init__(self, folder):
        super().__init__()
        self.folder = folder

    def train_dataloader(self):  # Lightning calls it in each process, when the process knows its shard
        return sluice.torch.Loader(training, self.folder, sluice.torch.shard())


class Network(lightning.LightningModule):
    def __init__(self, classes):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 16, 3, stride=2), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(4), torch.nn.Flatten(),
            torch.nn.Linear(256, classes))

    def training_step(self, batch, _):
        images, labels = batch
        self.loss = torch.nn.functional.cross_entropy(self.layers(images), labels)
        return self.loss

    def on_train_epoch_end(self):
        self.print(f"epoch {self.current_epoch}: step {self.global_step}, last loss {self.loss.item():.3f}")

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)


def main(folder="photos", saved="lightning.ckpt", epochs=2, steps=-1):
    classes = sluice.classes(folder)
    if not classes:
        sys.exit(f"lightning_loader: the folder '{folder}' has no classes; move the files of each class to a folder in it")
    lightning.seed_everything(42, verbose=False)  # for the first weights of the network
    place, name = os.path.split(os.path.abspath(saved))
    keep = lightning.pytorch.callbacks.ModelCheckpoint(
        place, os.path.splitext(name)[0], every_n_train_steps=1, enable_version_counter=False)  # 1: for so few files
    trainer = lightning.Trainer(
        max_epochs=int(epochs), max_steps=int(steps), callbacks=[keep], logger=False, enable_progress_bar=False,
        enable_model_summary=False)
    trainer.fit(Network(len(classes)), datamodule=Data(folder), ckpt_path=saved if os.path.exists(saved) else None)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:5])
    except sluice.Error as error:
        sys.exit(f"lightning_loader: {error}")
