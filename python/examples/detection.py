"""Moves boxes with their images: both are flipped by the same coin and resized by the same factors.

    python python/examples/detection.py [FOLDER]

FOLDER (default: `photos`) has JPEG files. If it also has `boxes.jsonl`, the boxes and labels come from there, one
line for each image: {"path": "a.jpg", "boxes": [[0.25, 0.5, 0.5, 0.5]], "labels": [0]}. The four numbers are center
x and y, width and height, as fractions of the image. Otherwise, every image gets this box.
"""

import json
import pathlib
import sys
import tempfile

import sluice
from sluice import ops


@sluice.pipeline(batch_size=4, seed=42, on_error="skip")
def detection(path, folder):
    columns = {"boxes": "list of f32", "labels": "list of i64"}
    file, numbers, classes = sluice.list_file(path, columns, folder=folder)
    image = ops.decode_jpeg(file)
    height, width = ops.canvas_size(image)
    boxes = ops.convert_boxes(ops.rows_of(numbers, columns=4), from_="cxcywh")
    boxes = ops.absolute_boxes(boxes, height, width)

    mirror = ops.coin_flip(0.5)
    image = ops.flip(image, horizontal=mirror)
    boxes = ops.flip_boxes(boxes, height, width, horizontal=mirror)

    image = ops.resize(image, height=300, width=300)
    boxes = ops.resize_boxes(boxes, height, width, 300, 300)
    return image, boxes, ops.labels_of(classes)


def main(folder="photos"):
    if not pathlib.Path(folder).is_dir():
        sys.exit(f"detection: the folder '{folder}' does not exist; give the path of a folder with JPEG files")
    with tempfile.TemporaryDirectory() as scratch:
        path = pathlib.Path(folder) / "boxes.jsonl"
        if not path.exists():
            path = pathlib.Path(scratch) / "boxes.jsonl"
            files = (file for file in pathlib.Path(folder).rglob("*") if file.suffix.lower() in (".jpg", ".jpeg"))
            names = sorted(str(file.relative_to(folder)) for file in files)
            if not names:
                sys.exit(f"detection: the folder '{folder}' has neither JPEG files nor boxes.jsonl; give another folder")
            rows = [{"path": name, "boxes": [[0.25, 0.5, 0.5, 0.5]], "labels": [0]} for name in names]
            path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        for images, boxes, labels in detection(path, folder):
            for some, classes in zip(boxes, labels):  # one image: n x 4 numbers, and n labels
                both = zip(classes.tolist(), some.numpy().round().astype(int).tolist())
                print("; ".join(f"class {label} at {box}" for label, box in both))


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"detection: {error}")
