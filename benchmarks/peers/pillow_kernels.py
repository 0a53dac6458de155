"""Pillow on the work of benchmarks/peers_benchmark.cpp."""

import PIL
from PIL import Image, ImageFilter, ImageOps

from kernel_times import HEIGHT, WIDTH, pixels, tell

IN = Image.fromarray(pixels(HEIGHT, WIDTH))
PATCH = Image.fromarray(pixels(200, 200))
MAP = (0.9, 0.1, 5, -0.1, 1.1, 9, 1e-4, -2e-4)


def weights(side):
    numbers = [0.01 * (i % 7 - 3) for i in range(side * side)]
    numbers[side * side // 2] = 1.5
    return ImageFilter.Kernel((side, side), numbers, 1)


WEIGHTS_3, WEIGHTS_5 = weights(3), weights(5)


def perspective(interpolation):
    return IN.transform((WIDTH, HEIGHT), Image.Transform.PERSPECTIVE, MAP, interpolation)


def paste():
    out = IN.copy()
    out.paste(PATCH, (100, 100))
    return out


def erase():
    out = IN.copy()
    out.paste((128, 128, 128), (60, 50, 220, 250))
    return out


tell(
    "Pillow",
    PIL.__version__,
    {
        "resize": lambda: IN.resize((400, 400), Image.Resampling.BILINEAR),
        "rotate": lambda: IN.rotate(20, Image.Resampling.BILINEAR, expand=True),
        "transpose": lambda: IN.transpose(Image.Transpose.TRANSPOSE),
        "filter_3x3": lambda: IN.filter(WEIGHTS_3),
        "filter_5x5": lambda: IN.filter(WEIGHTS_5),
        "perspective_nearest": lambda: perspective(Image.Resampling.NEAREST),
        "perspective_bilinear": lambda: perspective(Image.Resampling.BILINEAR),
        "perspective_bicubic": lambda: perspective(Image.Resampling.BICUBIC),
        "paste": paste,
        "erase": erase,
        "pad": lambda: ImageOps.expand(IN, 32, (128, 128, 128)),
        "equalize": lambda: ImageOps.equalize(IN),
        "autocontrast": lambda: ImageOps.autocontrast(IN),
    },
)
