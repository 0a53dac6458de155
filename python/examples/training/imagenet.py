"""Trains torchvision's ResNet-50 on ImageNet, on one process or several, and continues in the middle of an epoch.

    python python/examples/training/imagenet.py [FOLDER] [--steps N]
    torchrun --nproc-per-node 8 python/examples/training/imagenet.py [FOLDER] [--batch-size N]

FOLDER (default: `photos`) has the folders `train` and `val`. Each has a folder of JPEG files for each class. It trains
on GPUs if there are any, with mixed precision, and on the CPU otherwise. --steps stops early. To continue, run the same
command again: the checkpoint has the position in the data, so the network becomes the same as without the stop.
"""

import argparse
import os
import sys

import sluice
from sluice import ops
try:
    import torch
    import torchvision
except ModuleNotFoundError as error:
    sys.exit(f"imagenet: {error.name} is missing; install it with `pip install torch torchvision`")
import sluice.torch

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@sluice.pipeline(seed=42, on_error="replace")  # full batches, even if a file is damaged
def training(folder, size, shard):
    jpeg, label = sluice.files(folder, shuffle=True, shard=shard, uneven="wrap")  # as many batches in each process
    image = ops.random_resized_crop(jpeg, height=size, width=size)
    return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=MEAN, std=STD), label


@sluice.pipeline(on_error="skip")
def validation(folder, size, classes, shard):
    jpeg, label = sluice.files(folder, classes=classes, shard=shard)
    image = ops.resize(ops.decode_jpeg(jpeg), shorter=size * 256 // 224)
    return ops.crop_mirror_normalize(image, height=size, width=size, mean=MEAN, std=STD), label


@torch.no_grad()
def top1(model, loader, device):
    """Returns the share of images that the network gets right, over all processes."""
    model.eval()
    counts = torch.zeros(2, device=device)
    for images, labels in loader:
        counts += torch.stack([(model(images).argmax(1) == labels).sum(), torch.tensor(len(labels), device=device)])
    if torch.distributed.is_initialized():
        torch.distributed.all_reduce(counts)
    model.train()
    return (counts[0] / counts[1]).item()


def main(folder, epochs, batch_size, size, lr, amp, steps, saved):
    train, val = os.path.join(folder, "train"), os.path.join(folder, "val")
    classes = sluice.classes(train)
    if not classes:
        sys.exit(f"imagenet: the folder '{train}' has no classes; move the files of each class to a folder in it")
    shard, cuda = sluice.torch.shard(), torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ.get("LOCAL_RANK", 0))) if cuda else torch.device("cpu")
    if shard[1] > 1:
        if cuda:
            torch.cuda.set_device(device)
        torch.distributed.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(42)  # for the first weights of the network
    model = torchvision.models.resnet50(num_classes=len(classes)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    loader = sluice.torch.Loader(training, train, size, shard, batch_size=batch_size, to=device)
    evaluated = sluice.torch.Loader(validation, val, size, classes, shard, batch_size=batch_size, to=device)
    parts = {
        "model": model, "optimizer": optimizer, "schedule": torch.optim.lr_scheduler.StepLR(optimizer, 30),
        "scaler": torch.amp.GradScaler(device.type, enabled=cuda and amp), "loader": loader,
    }
    if os.path.exists(saved):
        for name, state in torch.load(saved, map_location=device, weights_only=True).items():
            parts[name].load_state_dict(state)

    def save():
        if shard[0] == 0:  # one position is for all processes
            torch.save({name: part.state_dict() for name, part in parts.items()}, saved)

    parallel = torch.nn.parallel.DistributedDataParallel(model) if shard[1] > 1 else model
    done = 0
    for epoch in range(loader.next_epoch, epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            with torch.autocast(device.type, torch.float16 if cuda else torch.bfloat16, enabled=amp):
                loss = torch.nn.functional.cross_entropy(parallel(images), labels, label_smoothing=0.1)
            parts["scaler"].scale(loss).backward()
            parts["scaler"].step(optimizer)
            parts["scaler"].update()
            done += 1
            if done == steps:
                break
        if loader.batch.index + 1 == len(loader):
            parts["schedule"].step()
            right = top1(model, evaluated, device)
            if shard[0] == 0:
                print(f"epoch {epoch}: loss {loss.item():.3f}, top-1 {right:.1%}", flush=True)
        save()
        if done == steps:
            break
    if shard[1] > 1:
        torch.distributed.destroy_process_group()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="photos")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--batch-size", type=int, default=64, help="of each process")
    parser.add_argument("--size", type=int, default=224)
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--amp", action=argparse.BooleanOptionalAction, default=torch.cuda.is_available())
    parser.add_argument("--steps", type=int, help="stop after so many batches")
    parser.add_argument("--saved", default="imagenet.pt", help="the checkpoint")
    try:
        main(**vars(parser.parse_args()))
    except sluice.Error as error:
        sys.exit(f"imagenet: {error}")
