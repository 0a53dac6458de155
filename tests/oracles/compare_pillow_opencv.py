#!/usr/bin/env python3
"""Compares the image kernels with Pillow and OpenCV on random images.

  tests/oracles/compare_pillow_opencv.py PATH/TO/kernel_dump [--seed N] [--images N]

Needs numpy, pillow and opencv-python-headless. Prints one line per comparison: how many images, the
largest difference, the share of values that differ by more than 1 (for nearest neighbors: at all) and
what is allowed. Exit status 1 when a comparison exceeds what is allowed, 2 when something is missing.
"""
import argparse
import io
import pathlib
import subprocess
import sys
import tempfile

try:
    import cv2
    import numpy as np
    import PIL
    from PIL import Image, ImageEnhance, ImageOps
except ImportError as error:
    sys.exit(print(f"compare_pillow_opencv: {error}; install numpy, pillow and "
                   "opencv-python-headless", file=sys.stderr) or 2)

R = Image.Resampling
PILLOW_FILTERS = {"nearest": R.NEAREST, "box": R.BOX, "bilinear": R.BILINEAR, "hamming": R.HAMMING,
                  "bicubic": R.BICUBIC, "lanczos": R.LANCZOS}
MEAN = np.array([0.485, 0.456, 0.406])
STD = np.array([0.229, 0.224, 0.225])


def write_pnm(path, pixels):
    height, width = pixels.shape[:2]
    magic = b"P5" if pixels.ndim == 2 else b"P6"
    path.write_bytes(magic + b" %d %d 255\n" % (width, height) + pixels.tobytes())


def random_image(rng, height, width, channels):
    """Noise of a random strength on a smooth pattern: steep edges and flat parts."""
    y, x = np.mgrid[0:height, 0:width].astype(np.float64)
    planes = []
    for _ in range(channels):
        fy, fx, phase = rng.uniform(0, 0.3), rng.uniform(0, 0.3), rng.uniform(0, 6)
        wave = 127.5 + 127.5 * np.sin(fy * y + fx * x + phase)
        planes.append(wave + rng.normal(0, rng.choice([0, 10, 120]), (height, width)))
    pixels = np.clip(np.stack(planes, -1), 0, 255).astype(np.uint8)
    return np.ascontiguousarray(pixels[..., 0] if channels == 1 else pixels)


class Comparison:
    """All the images of one kernel with one reference, and what they may differ by."""

    def __init__(self, name, allowed, allowed_share=0.0, beyond=1):
        # `allowed` is the largest difference; at most `allowed_share` of the values may exceed
        # `beyond`.
        self.name, self.allowed, self.allowed_share, self.beyond = (name, allowed, allowed_share,
                                                                    beyond)
        self.cases = []
        self.count = self.values = self.exceeding = 0
        self.largest = 0.0
        self.wrong_sizes = []

    def add(self, pixels, command, expected, frame=0):
        """`frame`: border pixels that are left out of the comparison."""
        self.cases.append((pixels, command, expected, frame))

    def judge(self, command, got, expected, frame):
        self.count += 1
        if got.shape != expected.shape:
            self.wrong_sizes.append(f"{command}: {got.shape} instead of {expected.shape}")
            return
        difference = np.abs(got.astype(np.float64) - expected.astype(np.float64))
        if frame:
            difference = difference[frame:-frame, frame:-frame]
        if difference.size:
            self.values += difference.size
            self.exceeding += int((difference > self.beyond).sum())
            self.largest = max(self.largest, float(difference.max()))

    def passed(self):
        return (not self.wrong_sizes and self.values > 0 and self.largest <= self.allowed
                and self.exceeding <= self.allowed_share * self.values)

    def line(self):
        share = 100.0 * self.exceeding / max(1, self.values)
        return (f"{self.name:44} {self.count:5} {self.largest:10.3g} {share:10.5f} % "
                f"{self.allowed:8g} {100 * self.allowed_share:8g} % "
                f"{'ok' if self.passed() else 'EXCEEDED'}")


def pillow_resize(image, height, width, method):
    # One axis at a time, which is what one call did until Pillow 12. Since Pillow 13 one call goes
    # vertically first when it shrinks the height much more than the width.
    return image.resize((width, image.height), method).resize((width, height), method)


def resizes(rng, count):
    result = []
    for name, pil in PILLOW_FILTERS.items():
        c = (Comparison(f"resize {name} / Pillow", 0) if name == "nearest" else
             Comparison(f"resize {name} / Pillow", 2, 1e-4))
        for _ in range(count):
            height, width = (int(v) for v in rng.integers(1, 400, 2))
            to_height, to_width = (int(v) for v in rng.integers(1, 400, 2))
            pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
            expected = pillow_resize(Image.fromarray(pixels), to_height, to_width, pil)
            c.add(pixels, f"resize {to_height} {to_width} {name}", np.asarray(expected))
        result.append(c)
    # Enlarging has the same taps in both, but OpenCV rounds once and we round after either axis.
    # Shrinking by whole factors is a mean.
    larger = Comparison("resize bilinear, enlarging / OpenCV exact", 2, 1e-4)
    aliased = Comparison("resize bilinear, not antialiased / OpenCV exact", 2, 1e-4)
    mean = Comparison("resize box, whole factors / OpenCV area", 1)
    for _ in range(count):
        height, width = (int(v) for v in rng.integers(2, 200, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        to = int(height * rng.uniform(1, 4)), int(width * rng.uniform(1, 4))
        larger.add(pixels, f"resize {to[0]} {to[1]} bilinear",
                   cv2.resize(pixels, to[::-1], interpolation=cv2.INTER_LINEAR_EXACT))
        to = tuple(int(v) for v in rng.integers(1, 200, 2))
        aliased.add(pixels, f"resize {to[0]} {to[1]} bilinear aliased",
                    cv2.resize(pixels, to[::-1], interpolation=cv2.INTER_LINEAR_EXACT))
        factor = rng.integers(2, 6, 2)
        pixels = random_image(rng, int(factor[0]) * int(rng.integers(1, 60)),
                              int(factor[1]) * int(rng.integers(1, 60)), 3)
        to = pixels.shape[0] // int(factor[0]), pixels.shape[1] // int(factor[1])
        mean.add(pixels, f"resize {to[0]} {to[1]} box",
                 cv2.resize(pixels, to[::-1], interpolation=cv2.INTER_AREA))
    return result + [larger, aliased, mean]


def opencv_rotation(pixels, degrees, fill):
    height, width = pixels.shape[:2]
    matrix = cv2.getRotationMatrix2D(((width - 1) / 2, (height - 1) / 2), degrees, 1)
    return cv2.warpAffine(pixels, matrix, (width, height), flags=cv2.INTER_LINEAR,
                          borderMode=cv2.BORDER_CONSTANT, borderValue=(fill,) * 3)


def rotations(rng, count):
    # A place exactly on the image's border may get a pixel in one and the fill in the other.
    bilinear = {mode: Comparison(f"rotate bilinear, {mode} / Pillow", 255, 1e-5)
                for mode in ("expand", "keep")}
    # Pillow rounds its steps to 16 bits for nearest neighbors.
    nearest = Comparison("rotate nearest, expand / Pillow", 255, 1e-3, beyond=0)
    quarter = Comparison("rotate by quarters / Pillow", 0)
    # OpenCV's coordinates are multiples of 1/32 pixel, and its frame is blended with the fill. So
    # this uses smooth images, and shows only that center, direction and angle agree.
    opencv = Comparison("rotate bilinear, keep, inside / OpenCV", 8)
    for i in range(count):
        height, width = (int(v) for v in rng.integers(1, 300, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        degrees = float(np.float32(rng.uniform(-400, 400)))
        if i % 5 == 0:
            degrees = float(rng.choice([30, 45, 60, 135, 150, 225, 330]))
        fill = int(rng.integers(0, 256))
        color = fill if pixels.ndim == 2 else (fill,) * 3
        image = Image.fromarray(pixels)
        for mode, c in bilinear.items():
            expected = image.rotate(degrees, R.BILINEAR, expand=mode == "expand", fillcolor=color)
            c.add(pixels, f"rotate {degrees!r} {mode} bilinear {fill}", np.asarray(expected))
        expected = image.rotate(degrees, R.NEAREST, expand=True, fillcolor=color)
        nearest.add(pixels, f"rotate {degrees!r} expand nearest {fill}", np.asarray(expected))
        turns = int(rng.integers(-8, 9)) * 90
        quarter.add(pixels, f"rotate {turns} expand bilinear 0",
                    np.asarray(image.rotate(turns, R.BILINEAR, expand=True)))
        # A disc on the background color, so that nothing reaches the frame where OpenCV blends.
        y, x = np.mgrid[0:160, 0:200].astype(np.float64)
        bump = np.clip(75 - np.hypot(y - 79.5 + rng.uniform(-5, 5), x - 99.5), 0, 40) / 40
        wave = 40 * np.sin(x * rng.uniform(0.02, 0.1)) * bump
        disc = np.clip(fill + (128 - fill + wave) * bump, 0, 255).astype(np.uint8)
        disc = np.ascontiguousarray(np.stack([disc] * 3, -1))
        opencv.add(disc, f"rotate {degrees!r} keep bilinear {fill}",
                   opencv_rotation(disc, degrees, fill), frame=2)
    return [*bilinear.values(), nearest, quarter, opencv]


def warps(rng, count):
    """Maps from the output to the input; Pillow's and ours begin at the corner, OpenCV's half a
    pixel further in."""
    # As for rotations: a place on the border itself may get a pixel in one and the fill in the
    # other.
    affine = Comparison("warp_affine bilinear / Pillow", 255, 1e-5)
    nearest = Comparison("warp_affine nearest / Pillow", 255, 1e-3, beyond=0)
    shear = Comparison("shear bilinear / Pillow", 255, 1e-5)
    move = Comparison("translate, whole pixels / Pillow", 0)
    edge = Comparison("warp_affine bilinear, edge / OpenCV", 8)
    for _ in range(count):
        height, width = (int(v) for v in rng.integers(1, 300, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        fill = int(rng.integers(0, 256))
        color = fill if pixels.ndim == 2 else (fill,) * 3
        image = Image.fromarray(pixels)
        to = tuple(int(v) for v in rng.integers(1, 300, 2))

        def pillow(matrix, size, method):
            return np.asarray(image.transform(size[::-1], Image.Transform.AFFINE, matrix, method,
                                              fillcolor=color))

        m = [float(v) for v in (*rng.uniform(-1.5, 1.5, 2), rng.uniform(-50, width),
                                *rng.uniform(-1.5, 1.5, 2), rng.uniform(-50, height))]
        text = " ".join(map(repr, m))
        affine.add(pixels, f"warp_affine {text} {to[0]} {to[1]} bilinear constant {fill}",
                   pillow(m, to, R.BILINEAR))
        nearest.add(pixels, f"warp_affine {text} {to[0]} {to[1]} nearest constant {fill}",
                    pillow(m, to, R.NEAREST))
        slope, center = float(rng.uniform(-1, 1)), float(rng.uniform(0, 1))
        shear.add(pixels, f"shear {slope!r} 0 0 {center!r} bilinear {fill}",
                  pillow((1, -slope, slope * center * height, 0, 1, 0), (height, width), R.BILINEAR))
        x, y = (int(v) for v in rng.integers(-100, 100, 2))
        move.add(pixels, f"translate {x} {y} bilinear {fill}",
                 pillow((1, 0, -x, 0, 1, -y), (height, width), R.NEAREST))
        # Smooth, since OpenCV may round places to 1/32 pixel.
        rows, columns = np.mgrid[0:height, 0:width].astype(np.float64)
        smooth = 127 + 60 * np.sin(columns * 0.08) + 60 * np.cos(rows * 0.06)
        smooth = np.ascontiguousarray(np.stack([smooth, smooth[::-1], 255 - smooth], -1), np.uint8)
        shifted = np.array(m).reshape(2, 3)
        shifted[:, 2] += shifted[:, :2].sum(1) / 2 - 0.5
        edge.add(smooth, f"warp_affine {text} {to[0]} {to[1]} bilinear edge 0",
                 cv2.warpAffine(smooth, shifted, to[::-1],
                                flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
                                borderMode=cv2.BORDER_REPLICATE))
    return [affine, nearest, shear, move, edge]


def point_operators(rng, count):
    brightness = Comparison("brightness / Pillow", 1)
    contrast = Comparison("contrast / OpenCV convertScaleAbs", 1)
    flip = Comparison("flip / Pillow", 0)
    crop = Comparison("crop / Pillow", 0)
    # The same allowance as for the resize itself, in the unit of the result.
    level = 1 / 255 / STD.min()
    normalize = Comparison("resize_mirror_normalize / Pillow + numpy", 2.05 * level, 1e-4,
                           beyond=1.05 * level)
    for _ in range(count):
        height, width = (int(v) for v in rng.integers(1, 200, 2))
        pixels = random_image(rng, height, width, 3)
        image = Image.fromarray(pixels)
        factor = float(np.float32(rng.uniform(0, 3)))
        brightness.add(pixels, f"brightness_contrast {factor!r} 1 128",
                       np.asarray(ImageEnhance.Brightness(image).enhance(factor)))
        # (x - 128) f + 128, cut off to 0 .. 255: cv2 takes the absolute value, so keep it positive.
        gain = float(np.float32(rng.uniform(0, 1)))
        contrast.add(pixels, f"brightness_contrast 1 {gain!r} 128",
                     cv2.convertScaleAbs(pixels, alpha=gain, beta=128 * (1 - gain)))
        mirror, turn = int(rng.integers(0, 2)), int(rng.integers(0, 2))
        expected = ImageOps.mirror(image) if mirror else image
        flip.add(pixels, f"flip {mirror} {turn}",
                 np.asarray(ImageOps.flip(expected) if turn else expected))
        y, x = int(rng.integers(0, height)), int(rng.integers(0, width))
        h, w = int(rng.integers(1, height - y + 1)), int(rng.integers(1, width - x + 1))
        crop.add(pixels, f"crop {y} {x} {h} {w}", np.asarray(image.crop((x, y, x + w, y + h))))
        to_height, to_width = (int(v) for v in rng.integers(1, 200, 2))
        small = np.asarray(pillow_resize(image, to_height, to_width, R.BILINEAR)) / 255.0
        small = small[:, ::-1] if mirror else small
        normalize.add(pixels, f"normalize {to_height} {to_width} {mirror}",
                      ((small - MEAN) / STD).transpose(2, 0, 1))
    return [brightness, contrast, flip, crop, normalize]


def gamma_table(gamma, gain):
    """torchvision's adjust_gamma for Pillow's images."""
    return [min(255, int((255 + 1 - 1e-3) * gain * (x / 255) ** gamma)) for x in range(256)]


def hsv_hue(pixels, degrees):
    """Turned by HSV in floats, by OpenCV, since Pillow's HSV has 8 bits."""
    hsv = cv2.cvtColor(pixels.astype(np.float32) / 255, cv2.COLOR_RGB2HSV)
    hsv[..., 0] = np.mod(hsv[..., 0] + degrees, 360)
    return 255 * cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)


def colors(rng, count):
    autocontrast = Comparison("autocontrast / Pillow", 1)
    equalize = Comparison("equalize / Pillow", 0)
    ycbcr = Comparison("color_space_conversion / Pillow", 1)
    permute = Comparison("permute_channels / numpy", 0)
    hue = Comparison("hue / OpenCV, floats", 0.6)
    posterize = Comparison("posterize / Pillow", 0)
    solarize = Comparison("solarize / Pillow", 0)
    gamma = Comparison("gamma_correction / torchvision's table", 1)
    gray = Comparison("grayscale / Pillow", 0)
    contrast = Comparison("contrast, 0 to 2 / Pillow", 1)
    saturation = Comparison("saturation, 0 to 2 / Pillow", 1)
    for _ in range(count):
        height, width = (int(v) for v in rng.integers(1, 200, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        image = Image.fromarray(pixels)
        color, degrees = random_image(rng, height, width, 3), float(rng.integers(-360, 360))
        hue.add(color, f"hue {degrees!r}", hsv_hue(color, degrees))
        autocontrast.add(pixels, "autocontrast", np.asarray(ImageOps.autocontrast(image)))
        equalize.add(pixels, "equalize", np.asarray(ImageOps.equalize(image)))
        ycbcr.add(color, "color_space_conversion to",
                  np.asarray(Image.fromarray(color).convert("YCbCr")))
        ycbcr.add(color, "color_space_conversion from",
                  np.asarray(Image.fromarray(color, "YCbCr").convert("RGB")))
        order = rng.permutation(3)
        permute.add(color, f"permute_channels {order[0]} {order[1]} {order[2]}",
                    color[..., order])
        gray.add(pixels, "grayscale 1", np.asarray(image.convert("L")))
        factor = float(np.float32(rng.uniform(0, 2)))
        contrast.add(pixels, f"contrast {factor!r}",
                     np.asarray(ImageEnhance.Contrast(image).enhance(factor)))
        saturation.add(pixels, f"saturation {factor!r}",
                       np.asarray(ImageEnhance.Color(image).enhance(factor)))
        bits, threshold = int(rng.integers(1, 9)), int(rng.integers(0, 257))
        posterize.add(pixels, f"posterize {bits}", np.asarray(ImageOps.posterize(image, bits)))
        solarize.add(pixels, f"solarize {threshold}",
                     np.asarray(ImageOps.solarize(image, threshold)))
        power, gain = (float(np.float32(v)) for v in rng.uniform(0, 3, 2))
        gamma.add(pixels, f"gamma_correction {power!r} {gain!r}",
                  np.asarray(image.point(gamma_table(power, gain) * (1 if pixels.ndim == 2 else 3))))
    return [posterize, solarize, gamma, gray, contrast, saturation, hue,
            autocontrast, equalize, ycbcr, permute]
def filters(rng, count):
    # OpenCV has weights of 8 bits for 8-bit images, which may be wrong by several per cent in long
    # windows. For images of floats it has floats.
    blur = Comparison("gaussian_blur / OpenCV, floats", 1)
    blur_bytes = Comparison("gaussian_blur / OpenCV, bytes", 4, 1e-3)
    sharp = Comparison("sharpness / Pillow", 1)
    box = Comparison("box_blur / OpenCV", 1)
    any_filter = Comparison("filter_2d / OpenCV", 1)
    median = Comparison("median_blur / OpenCV", 0)
    for i in range(count):
        height, width = (int(v) for v in rng.integers(1, 200, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        sigma = float(np.float32(rng.uniform(0.1, 8)))
        window = 2 * int(np.ceil(3 * np.float32(sigma))) + 1
        given = (f"{sigma!r} 0", (window, window), sigma)
        if i % 3 == 1:
            window = int(rng.integers(0, 20)) * 2 + 1
            given = (f"0 {window}", (window, window), 0.15 * window + 0.35)
        command = f"gaussian_blur {given[0]}"
        exact = cv2.GaussianBlur(pixels.astype(np.float32), *given[1:])
        blur.add(pixels, command, np.rint(exact).astype(np.uint8))
        blur_bytes.add(pixels, command, cv2.GaussianBlur(pixels, *given[1:]))
        factor = float(np.float32(rng.uniform(0, 3)))
        enhanced = ImageEnhance.Sharpness(Image.fromarray(pixels)).enhance(factor)
        sharp.add(pixels, f"sharpness {factor!r}", np.asarray(enhanced))
        window = int(rng.integers(0, 8)) * 2 + 1
        box.add(pixels, f"box_blur {window}",
                cv2.blur(pixels, (window, window), borderType=cv2.BORDER_REFLECT_101))
        window = int(rng.choice([3, 5]))
        median.add(pixels, f"median_blur {window}", cv2.medianBlur(pixels, window))
        weights = rng.normal(0, 0.3, rng.choice([1, 3, 5, 7], 2)).astype(np.float32)
        numbers = " ".join(str(v) for v in (*weights.shape, *weights.flat))
        any_filter.add(pixels, f"filter_2d {numbers}",
                       cv2.filter2D(pixels, -1, weights))
    return [blur, blur_bytes, sharp, box, median, any_filter]


def window_filters(rng, count):
    dilate = Comparison("dilate / OpenCV", 0)
    erode = Comparison("erode / OpenCV", 0)
    laplacian = Comparison("laplacian / OpenCV", 1)
    clahe = Comparison("clahe / OpenCV", 1)
    jpeg = Comparison("jpeg_distortion / Pillow", 0)
    # OpenCV before 5 rounds places to 1/32 of a pixel.
    perspective = Comparison("perspective, bilinear / OpenCV", 8, 0.05)
    nearest = Comparison("perspective, nearest / OpenCV", 255, 5e-3, beyond=0)
    for i in range(count):
        height, width = (int(v) for v in rng.integers(8, 200, 2))
        pixels = random_image(rng, height, width, int(rng.choice([1, 3])))
        down, across = (int(v) for v in rng.integers(1, 12, 2))
        window = np.ones((down, across), np.uint8)
        dilate.add(pixels, f"dilate {down} {across}", cv2.dilate(pixels, window))
        erode.add(pixels, f"erode {down} {across}", cv2.erode(pixels, window))
        side, scale = int(rng.choice([1, 3, 5, 7])), float(np.float32(rng.uniform(0.01, 1)))
        laplacian.add(pixels, f"laplacian {side} {scale!r}",
                      cv2.Laplacian(pixels, cv2.CV_8U, ksize=side, scale=scale))
        gray = random_image(rng, height, width, 1)
        limit = float(np.float32(rng.choice([0, 1, 2, 3.5, 40])))
        tiles = (int(rng.integers(1, 9)), int(rng.integers(1, 9)))
        clahe.add(gray, f"clahe {limit!r} {tiles[0]} {tiles[1]}",
                  cv2.createCLAHE(limit, (tiles[1], tiles[0])).apply(gray))
        file, quality = io.BytesIO(), int(rng.integers(1, 101))
        Image.fromarray(pixels).save(file, "JPEG", quality=quality)
        jpeg.add(pixels, f"jpeg_distortion {quality}", np.asarray(Image.open(file)))
        corners = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        moved = corners + rng.uniform(-0.2, 0.2, (4, 2)).astype(np.float32) * [width, height]
        there = cv2.getPerspectiveTransform(moved.astype(np.float32), corners)
        numbers = " ".join(repr(float(v)) for v in there.flat)
        half = np.array([[1, 0, 0.5], [0, 1, 0.5], [0, 0, 1]])
        centerd = np.linalg.inv(half) @ there @ half  # OpenCV's pixels have their middle at 0
        smooth = cv2.GaussianBlur(pixels, (0, 0), 3)
        for comparison, name, method, what in ((perspective, "bilinear", cv2.INTER_LINEAR, smooth),
                                               (nearest, "nearest", cv2.INTER_NEAREST, pixels)):
            comparison.add(what, f"perspective {numbers} {name}",
                           cv2.warpPerspective(what, centerd, (width, height),
                                               flags=method | cv2.WARP_INVERSE_MAP,
                                               borderMode=cv2.BORDER_REPLICATE))
    return [dilate, erode, laplacian, clahe, jpeg, perspective, nearest]


def run(dump, comparisons, folder):
    lines = []
    numbered = [(c, *case) for c in comparisons for case in c.cases]
    for i, (_, pixels, command, _, _) in enumerate(numbered):
        write_pnm(folder / f"{i}.in", pixels)
        lines.append(f"{folder}/{i}.in {folder}/{i}.out {command}\n")
    subprocess.run([dump], input="".join(lines), text=True, check=True)
    for i, (c, _, command, expected, frame) in enumerate(numbered):
        path = folder / f"{i}.out"
        if command.startswith("normalize"):
            got = np.fromfile(path, np.float32).reshape(expected.shape)
        else:
            got = np.asarray(Image.open(path, formats=["PPM"]))
        c.judge(command, got, expected, frame)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("kernel_dump", help="the program of that name from the build folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--images", type=int, default=60, help="per comparison")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    comparisons = [*resizes(rng, options.images), *rotations(rng, options.images),
                   *warps(rng, options.images), *point_operators(rng, options.images),
                   *colors(rng, options.images), *filters(rng, options.images),
                   *window_filters(rng, options.images)]
    with tempfile.TemporaryDirectory() as folder:
        run(options.kernel_dump, comparisons, pathlib.Path(folder))
    print(f"Pillow {PIL.__version__}, OpenCV {cv2.__version__}, seed {options.seed}")
    print(f"{'kernel / reference':44} {'count':>5} {'largest':>10} {'exceeding':>12} {'allowed':>8} "
          f"{'share':>10}")
    for c in comparisons:
        print(c.line())
        for text in c.wrong_sizes[:3]:
            print("   ", text)
    return 0 if all(c.passed() for c in comparisons) else 1


if __name__ == "__main__":
    sys.exit(main())
