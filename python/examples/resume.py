"""Stops in the middle of an epoch, saves the state, and goes on in another pipeline: the bytes are the same.

    python python/examples/resume.py [FOLDER]

FOLDER has at least three JPEG files; the default is `photos`.
"""

import hashlib
import json
import sys

import numpy

import sluice
from sluice import ops


@sluice.pipeline(batch_size=2, seed=42, on_error="skip")
def training(folder):
    jpeg, label = sluice.files(folder, shuffle=True)
    return ops.random_resized_crop(jpeg, width=64, height=64), label


def digest(images):
    return hashlib.sha256(numpy.asarray(images).tobytes()).hexdigest()


def main(folder="photos"):
    whole = [digest(images) for images, labels in training(folder)]

    stopped = training(folder)
    taken = []
    for images, labels in stopped:
        taken.append(digest(images))
        if len(taken) == (len(whole) + 1) // 2:
            break
    text = json.dumps(stopped.state_dict())  # write it beside the weights of the network
    print(f"stopped after {len(taken)} of {len(whole)} batches; the state has {len(text)} bytes")

    resumed = training(folder)
    resumed.load_state_dict(json.loads(text))
    rest = [digest(images) for images, labels in resumed]
    print(f"{len(rest)} more batches; all have the same bytes: {taken + rest == whole}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"resume: {error}")
