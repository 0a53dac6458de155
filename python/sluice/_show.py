"""Shows a pipeline in a notebook: a drawing of its plan, and a sheet of images."""

from __future__ import annotations

import html
import math
import os
import shutil
import subprocess
from typing import Any

from . import _core
from ._batch import Batch, Column


class Drawing:
    """A drawing of a plan, which a notebook shows.

    Attributes
    ----------
    dot : str
        The plan in Graphviz's language.
    text : str
        The plan as text.
    """

    def __init__(self, dot: str, text: str):
        self.dot = dot
        self.text = text

    def svg(self) -> str:
        """Returns the drawing as SVG. Raises Error if Graphviz is not installed."""
        if shutil.which("dot") is None:
            raise _core.Error(
                "svg() needs Graphviz, whose program `dot` is not on the PATH; install it (apt install graphviz, brew install "
                "graphviz, conda install graphviz), or use .text, the steps in words, or .dot, which other programs draw"
            )
        made = subprocess.run(
            ["dot", "-Tsvg"], input=self.dot, capture_output=True, text=True, check=False
        )
        if made.returncode != 0:
            raise _core.Error(f"svg(): Graphviz's dot ended with status {made.returncode}: {made.stderr.strip()}")
        return made.stdout

    def _repr_html_(self) -> str:
        return self.svg() if shutil.which("dot") else f"<pre>{html.escape(self.text)}</pre>"

    def __str__(self) -> str:
        return self.text


class Sheet:
    """Images side by side, which a notebook shows."""

    def __init__(self, pixels: Any):
        self.pixels = pixels

    def jpeg(self) -> bytes:
        """Returns the sheet as a JPEG file."""
        return _core.encode_jpeg(self.pixels, 90)

    def save(self, path: Any) -> None:
        """Writes the sheet to a JPEG file. The name ends in .jpg or .jpeg, or has no ending.

        Raises IoError if it cannot be written; an old file of that name then stays.
        """
        if os.path.splitext(os.fspath(path))[1].lower() not in ("", ".jpg", ".jpeg"):
            raise _core.Error(f"a sheet is a JPEG file: its name must end in .jpg or .jpeg (got {os.fspath(path)!r})")
        _core.write_file(path, self.jpeg())

    def _repr_jpeg_(self) -> bytes:
        return self.jpeg()


def _as_image(array: Any, layout: str) -> Any:
    """Converts an array to shape (height, width, 3) and dtype u8. Other dtypes are scaled to 0 to 255."""
    import numpy

    if layout == "CHW":
        array = numpy.moveaxis(array, 0, -1)
    if array.ndim == 2:
        array = array[:, :, None]
    if array.dtype != numpy.uint8:
        array = array.astype(numpy.float32)
        low, high = float(array.min()), float(array.max())
        array = ((array - low) * (255 / max(high - low, 1e-12))).astype(numpy.uint8)
    if array.shape[2] == 1:
        array = numpy.repeat(array, 3, axis=2)
    return array[:, :, :3]


def sheet_of(batch: Batch) -> Sheet:
    """Returns a sheet with the images of the first column that has images."""
    import numpy

    for column in batch.columns:
        if not isinstance(column, Column) or len(column) == 0 or len(column[0].shape) not in (2, 3):
            continue
        images = [_as_image(one.numpy(), column.layout) for one in column]
        height = max(one.shape[0] for one in images)
        width = max(one.shape[1] for one in images)
        across = math.ceil(math.sqrt(len(images)))
        down = math.ceil(len(images) / across)
        gap = 4
        sheet = numpy.full(
            (down * (height + gap) + gap, across * (width + gap) + gap, 3), 255, numpy.uint8
        )
        for i, one in enumerate(images):
            y = gap + i // across * (height + gap)
            x = gap + i % across * (width + gap)
            sheet[y : y + one.shape[0], x : x + one.shape[1]] = one
        return Sheet(sheet)
    raise _core.Error("none of the pipeline's outputs is an image")
