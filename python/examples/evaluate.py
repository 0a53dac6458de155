"""Counts how many images a network gets right. An evaluation draws no random numbers, so runs repeat exactly.

The last line shows it: neither threads nor the batch size change the count.

    python python/examples/evaluate.py [FOLDER]

FOLDER has a folder of JPEG files for each class. The default is `photos`.
"""

import sys

import numpy

import sluice
from sluice import ops


@sluice.pipeline(batch_size=32, on_error="skip")
def evaluation(folder):
    jpeg, label = sluice.files(folder)
    image = ops.center_crop(ops.resize(ops.decode_jpeg(jpeg), shorter=256), height=224, width=224)
    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    return ops.crop_mirror_normalize(image, mean=mean, std=std), label


def predict(images):
    """Stands for your network: bright images are of class 1."""
    return (images.mean(axis=(1, 2, 3)) > 0).astype(int)


def count(folder, **options):
    right = seen = failed = 0
    for batch in evaluation(folder, **options):
        images, labels = batch
        failed += len(batch.errors)
        if batch.size:
            seen += batch.size
            right += int((predict(numpy.asarray(images)) == labels.numpy()).sum())
    return right, seen, failed


def main(folder="photos"):
    if not sluice.classes(folder):
        sys.exit(f"evaluate: the folder '{folder}' has no classes; move the files of each class to a folder in it")
    counts = count(folder)
    print("{} of {} images are right, {} could not be read".format(*counts))
    print("the same with one thread and batches of 3:", count(folder, threads=1, batch_size=3) == counts)


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"evaluate: {error}")
