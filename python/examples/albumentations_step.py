"""Runs a transform of albumentations as a step, in worker processes, on images with their boxes.

    python python/examples/albumentations_step.py [FOLDER [WORKERS]]

FOLDER has JPEG files; the default is `photos`. WORKERS is 2 by default. Each image gets one box here: its middle.
"""

import sys

import numpy

import sluice
from sluice import ops

try:
    import albumentations as A
except ModuleNotFoundError as error:
    sys.exit(f"albumentations_step: {error.name.partition('.')[0]} is missing; install it with `pip install albumentations`")


class Step:
    def __init__(self):
        boxes = A.BboxParams(format="pascal_voc", label_fields=["labels"])
        self.transform = A.Compose([A.RandomSunFlare(p=1), A.GridDistortion(p=1), A.HorizontalFlip(p=0.5)], bbox_params=boxes)

    def __worker_init__(self, worker, workers):  # once in each process
        self.transform.set_random_seed(worker)

    def __call__(self, image, boxes, labels):
        found = self.transform(image=image, bboxes=boxes, labels=labels)
        return found["image"], numpy.array(found["bboxes"], numpy.float32).reshape(-1, 4), numpy.array(found["labels"], numpy.int64)


@sluice.pipeline(batch_size=4, on_error="skip")
def flared(folder, workers):
    jpeg, label = sluice.files(folder)
    image = ops.resize(ops.decode_jpeg(jpeg), height=96, width=128)
    boxes, labels = numpy.array([[32, 24, 96, 72]], numpy.float32), numpy.array([1])
    return sluice.map(Step(), image, boxes, labels, returns=("image", "tensor", "tensor"), workers=workers)


def main(folder="photos", workers="2"):
    for images, boxes, labels in flared(folder, int(workers)):
        print(f"{numpy.asarray(images).shape} with {sluice.pad_batch(boxes).shape[1]} box each, labels {sluice.pad_batch(labels).tolist()}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:3])
    except sluice.Error as error:
        sys.exit(f"albumentations_step: {error}")
