"""Trains torchvision's SSDlite to find objects, with boxes that move with their images.

    python python/examples/training/detect.py [LIST [STEPS [CHECKPOINT]]]

LIST (default: `train.jsonl`) names the images, one line for each:
{"path": "a.jpg", "boxes": [[10, 20, 30, 40]], "labels": [3]}. The numbers of a box are its left, top, right and bottom
edges in pixels. Labels count from 0. STEPS is 1000 by default. CHECKPOINT (default: `detect.pt`) keeps the network and
the position in the data. To continue, run again with more STEPS.
"""

import os
import sys

import sluice
from sluice import ops
try:
    import torch
    import torchvision
except ModuleNotFoundError as error:
    sys.exit(f"detect: {error.name} is missing; install it with `pip install torch torchvision`")
import sluice.torch

CLASSES = 90  # of COCO


@sluice.pipeline(batch_size=8, seed=42, on_error="replace", last_batch="fill")
def training(path):
    file, numbers, classes = sluice.list_file(
        path, {"boxes": "list of f32", "labels": "list of i64"}, shuffle=True)
    boxes, labels = ops.rows_of(numbers, columns=4), ops.labels_of(classes)
    image, boxes, labels = ops.detection_augment(file, boxes, labels, height=320, width=320)
    return ops.crop_mirror_normalize(image), boxes, labels  # pixels from 0 to 1; SSDlite normalizes them


def main(path="train.jsonl", steps=1000, saved="detect.pt"):
    if not os.path.isfile(path):
        sys.exit(f"detect: the list '{path}' does not exist; give the path of a list of images with boxes")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    torch.manual_seed(42)  # for the first weights of the network
    model = torchvision.models.detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=CLASSES + 1).to(device)  # class 0 is the background
    loader = sluice.torch.Loader(training, path, to=device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=4e-5)
    parts = {"model": model, "optimizer": optimizer, "loader": loader}
    step = 0
    if os.path.exists(saved):
        states = torch.load(saved, map_location=device, weights_only=True)
        step = states.pop("step")
        for name, state in states.items():
            parts[name].load_state_dict(state)
    while step < int(steps):
        for images, boxes, labels in loader:
            # Each image has its own number of boxes, so `boxes` and `labels` are lists of tensors.
            targets = [{"boxes": some, "labels": classes + 1} for some, classes in zip(boxes, labels)]
            losses = model(list(images), targets)
            loss = sum(losses.values())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            if step % 100 == 0 or step == int(steps):
                print(f"step {step}: " + ", ".join(f"{name} {value.item():.3f}" for name, value in losses.items()))
            if step == int(steps):
                break
        torch.save({"step": step, **{name: part.state_dict() for name, part in parts.items()}}, saved)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:4])
    except sluice.Error as error:
        sys.exit(f"detect: {error}")
