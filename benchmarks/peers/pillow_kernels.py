"""Pillow on the work of benchmarks/peers_benchmark.cpp."""

import PIL
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

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


def resize(interpolation):
    return IN.resize((400, 400), interpolation)


LEVELS = 3 * [round(255 * (level / 255) ** 1.5) for level in range(256)]


def hue():
    colors = IN.convert("HSV")
    planes = list(colors.split())
    planes[0] = planes[0].point([(level + 21) % 256 for level in range(256)])
    return Image.merge("HSV", planes).convert("RGB")


tell(
    "Pillow",
    PIL.__version__,
    {
        "resize_nearest": lambda: resize(Image.Resampling.NEAREST),
        "resize_box": lambda: resize(Image.Resampling.BOX),
        "resize_bilinear": lambda: resize(Image.Resampling.BILINEAR),
        "resize_bicubic": lambda: resize(Image.Resampling.BICUBIC),
        "resize_lanczos": lambda: resize(Image.Resampling.LANCZOS),
        "rotate_nearest": lambda: IN.rotate(20, Image.Resampling.NEAREST, expand=True),
        "rotate_bilinear": lambda: IN.rotate(20, Image.Resampling.BILINEAR, expand=True),
        "flip_horizontal": lambda: IN.transpose(Image.Transpose.FLIP_LEFT_RIGHT),
        "flip_vertical": lambda: IN.transpose(Image.Transpose.FLIP_TOP_BOTTOM),
        "transpose": lambda: IN.transpose(Image.Transpose.TRANSPOSE),
        "filter_3x3": lambda: IN.filter(WEIGHTS_3),
        "filter_5x5": lambda: IN.filter(WEIGHTS_5),
        "perspective_nearest": lambda: perspective(Image.Resampling.NEAREST),
        "perspective_bilinear": lambda: perspective(Image.Resampling.BILINEAR),
        "perspective_bicubic": lambda: perspective(Image.Resampling.BICUBIC),
        "paste": paste,
        "erase": erase,
        "pad": lambda: ImageOps.expand(IN, 32, (128, 128, 128)),
        "gaussian_blur_1": lambda: IN.filter(ImageFilter.GaussianBlur(1)),
        "gaussian_blur_3": lambda: IN.filter(ImageFilter.GaussianBlur(3)),
        "gaussian_blur_8": lambda: IN.filter(ImageFilter.GaussianBlur(8)),
        "box_blur_5": lambda: IN.filter(ImageFilter.BoxBlur(2)),
        "median_blur_3": lambda: IN.filter(ImageFilter.MedianFilter(3)),
        "median_blur_5": lambda: IN.filter(ImageFilter.MedianFilter(5)),
        "dilate_3": lambda: IN.filter(ImageFilter.MaxFilter(3)),
        "sharpness": lambda: ImageEnhance.Sharpness(IN).enhance(1.7),
        "table": lambda: IN.point(LEVELS),
        "matrix": lambda: ImageEnhance.Color(IN).enhance(1.4),
        "hue": hue,
        "grayscale": lambda: IN.convert("L").convert("RGB"),
        "equalize": lambda: ImageOps.equalize(IN),
        "autocontrast": lambda: ImageOps.autocontrast(IN),
    },
)
