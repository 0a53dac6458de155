"""OpenCV on the work of benchmarks/peers_benchmark.cpp, on one thread."""

import cv2
import numpy

from kernel_times import HEIGHT, WIDTH, pixels, tell

cv2.setNumThreads(1)
IN = pixels(HEIGHT, WIDTH)
PATCH = pixels(200, 200)


def turn(interpolation):
    matrix = cv2.getRotationMatrix2D(((WIDTH - 1) / 2, (HEIGHT - 1) / 2), 20, 1)
    cos, sin = abs(matrix[0, 0]), abs(matrix[0, 1])
    wide, tall = round(WIDTH * cos + HEIGHT * sin), round(WIDTH * sin + HEIGHT * cos)
    matrix[0, 2] += (wide - WIDTH) / 2
    matrix[1, 2] += (tall - HEIGHT) / 2
    return cv2.warpAffine(IN, matrix, (wide, tall), flags=interpolation)


def weights(side):
    numbers = [0.01 * (i % 7 - 3) for i in range(side * side)]
    numbers[side * side // 2] = 1.5
    return numpy.array(numbers, numpy.float32).reshape(side, side)


WEIGHTS_3, WEIGHTS_5 = weights(3), weights(5)
MAP = numpy.array([[0.9, 0.1, 5], [-0.1, 1.1, 9], [1e-4, -2e-4, 1]])


def perspective(interpolation):
    return cv2.warpPerspective(IN, MAP, (WIDTH, HEIGHT), flags=interpolation | cv2.WARP_INVERSE_MAP)


def random_perspective():
    draw = numpy.random.default_rng(1).integers
    near, far = (WIDTH // 4 + 1, HEIGHT // 4 + 1), numpy.array([WIDTH - 1, HEIGHT - 1])
    corners = numpy.array([[0, 0], [far[0], 0], far, [0, far[1]]], numpy.float32)
    inwards = numpy.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    moved = (corners + inwards * draw(0, near, (4, 2))).astype(numpy.float32)
    return cv2.warpPerspective(IN, cv2.getPerspectiveTransform(corners, moved), (WIDTH, HEIGHT))


CAMERA = numpy.array([[WIDTH, 0, WIDTH / 2], [0, WIDTH, HEIGHT / 2], [0, 0, 1]])
BENT = numpy.array([0.2, 0.1, 0, 0])
COLUMNS, ROWS = numpy.meshgrid(
    numpy.arange(WIDTH, dtype=numpy.float32), numpy.arange(HEIGHT, dtype=numpy.float32)
)


def shifts():
    numbers = numpy.empty((HEIGHT, WIDTH), numpy.float32)
    cv2.randu(numbers, -1, 1)
    return 25 * cv2.GaussianBlur(numbers, (41, 41), 5)


def elastic():
    return cv2.remap(IN, COLUMNS + shifts(), ROWS + shifts(), cv2.INTER_LINEAR)


def gaussian_noise():
    numbers = numpy.empty(IN.shape, numpy.int16)
    cv2.randn(numbers, 0, 10)
    return cv2.add(IN, numbers, dtype=cv2.CV_8U)


def iso_noise(color_shift=0.05, intensity=0.5):
    colors = cv2.cvtColor(IN.astype(numpy.float32) / 255, cv2.COLOR_RGB2HLS)
    deviation = cv2.meanStdDev(colors)[1][1]
    draw = numpy.random.default_rng(1)
    hue, light = colors[..., 0], colors[..., 1]
    hue += draw.normal(0, 360 * color_shift * intensity, hue.shape)
    hue %= 360
    light += draw.poisson(255 * intensity * deviation, light.shape) / 255 * (1 - light)
    return (cv2.cvtColor(colors, cv2.COLOR_HLS2RGB) * 255).astype(numpy.uint8)


def paste(alpha):
    out = IN.copy()
    part = out[100:300, 100:300]
    if alpha == 1:
        part[:] = PATCH
    else:
        cv2.addWeighted(part, 1 - alpha, PATCH, alpha, 0, part)
    return out


def erase():
    return cv2.rectangle(IN.copy(), (60, 50), (219, 249), (128, 128, 128), -1)


HOLES = numpy.random.default_rng(1).integers((0, 0), (HEIGHT - 40, WIDTH - 40), (8, 2))


def coarse_dropout():
    out = IN.copy()
    for y, x in HOLES:
        out[y : y + 40, x : x + 40] = 128
    return out


def channel_dropout():
    out = IN.copy()
    out[..., 1] = 0
    return out


def downscale():
    small = cv2.resize(IN, (WIDTH // 4, HEIGHT // 4), interpolation=cv2.INTER_NEAREST)
    return cv2.resize(small, (WIDTH, HEIGHT), interpolation=cv2.INTER_NEAREST)


def pad(border):
    return cv2.copyMakeBorder(IN, 32, 32, 32, 32, border, value=(128, 128, 128))


def resize(interpolation):
    return cv2.resize(IN, (400, 400), interpolation=interpolation)


def blur(sigma):
    side = 2 * int(numpy.ceil(3 * sigma)) + 1
    return cv2.GaussianBlur(IN, (side, side), sigma)


def disk(radius, alias_blur):
    line = numpy.arange(-max(8, radius), max(8, radius) + 1)
    inside = (line[:, None] ** 2 + line**2 <= radius**2).astype(numpy.float32)
    side = 3 if radius <= 8 else 5
    return cv2.GaussianBlur(inside / inside.sum(), (side, side), alias_blur)


DISK_3, DISK_10 = disk(3, 0.1), disk(10, 0.5)


def motion_blur():
    line = numpy.zeros((15, 15), numpy.float32)
    line[7] = 1 / 15
    turned = cv2.warpAffine(line, cv2.getRotationMatrix2D((7, 7), 30, 1), (15, 15))
    return cv2.filter2D(IN, -1, turned / turned.sum())


def zoom_blur():
    sums = 2 * IN.astype(numpy.float32)
    for step in range(1, 11):
        factor = 1 + 0.01 * step
        tall, wide = -(-HEIGHT // factor), -(-WIDTH // factor)
        top, left = int(HEIGHT - tall) // 2, int(WIDTH - wide) // 2
        part = IN[top : top + int(tall), left : left + int(wide)]
        sums += cv2.resize(part, (WIDTH, HEIGHT), interpolation=cv2.INTER_LINEAR)
    return (sums / 12).round().astype(numpy.uint8)


SOFT = numpy.array([[1, 1, 1], [1, 5, 1], [1, 1, 1]], numpy.float32) / 13
LEVELS = (255 * (numpy.arange(256) / 255) ** 1.5).round().astype(numpy.uint8)
LUMA = numpy.array([0.299, 0.587, 0.114], numpy.float32)
COLORS = 1.4 * numpy.eye(3, dtype=numpy.float32) - 0.4 * LUMA


def sharpness():
    return cv2.addWeighted(IN, 1.7, cv2.filter2D(IN, -1, SOFT), -0.7, 0)


def hue():
    colors = cv2.cvtColor(IN, cv2.COLOR_RGB2HSV_FULL)
    planes = list(cv2.split(colors))
    planes[0] += numpy.uint8(21)
    return cv2.cvtColor(cv2.merge(planes), cv2.COLOR_HSV2RGB_FULL)


def grayscale():
    return cv2.cvtColor(cv2.cvtColor(IN, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)


def normalize():
    planes = cv2.dnn.blobFromImage(IN, 1, mean=(123.7, 116.3, 103.5))
    for plane, deviation in zip(planes[0], (58.4, 57.1, 57.4)):
        cv2.multiply(plane, 1 / deviation, plane)
    return planes


tell(
    "OpenCV",
    cv2.__version__,
    {
        "resize_nearest": lambda: resize(cv2.INTER_NEAREST),
        "resize_box": lambda: resize(cv2.INTER_AREA),
        "resize_bilinear": lambda: resize(cv2.INTER_LINEAR),
        "resize_bicubic": lambda: resize(cv2.INTER_CUBIC),
        "resize_lanczos": lambda: resize(cv2.INTER_LANCZOS4),
        "rotate_nearest": lambda: turn(cv2.INTER_NEAREST),
        "rotate_bilinear": lambda: turn(cv2.INTER_LINEAR),
        "flip_horizontal": lambda: cv2.flip(IN, 1),
        "flip_vertical": lambda: cv2.flip(IN, 0),
        "transpose": lambda: cv2.transpose(IN),
        "rot90": lambda: cv2.rotate(IN, cv2.ROTATE_90_COUNTERCLOCKWISE),
        "downscale": downscale,
        "filter_3x3": lambda: cv2.filter2D(IN, -1, WEIGHTS_3),
        "filter_5x5": lambda: cv2.filter2D(IN, -1, WEIGHTS_5),
        "perspective_nearest": lambda: perspective(cv2.INTER_NEAREST),
        "perspective_bilinear": lambda: perspective(cv2.INTER_LINEAR),
        "perspective_bicubic": lambda: perspective(cv2.INTER_CUBIC),
        "random_perspective": random_perspective,
        "lens_distortion": lambda: cv2.undistort(IN, CAMERA, BENT),
        "elastic": elastic,
        "gaussian_noise": gaussian_noise,
        "iso_noise": iso_noise,
        "paste": lambda: paste(1),
        "paste_half": lambda: paste(0.5),
        "erase": erase,
        "coarse_dropout": coarse_dropout,
        "pad": lambda: pad(cv2.BORDER_CONSTANT),
        "pad_reflect": lambda: pad(cv2.BORDER_REFLECT_101),
        "gaussian_blur_1": lambda: blur(1),
        "gaussian_blur_3": lambda: blur(3),
        "gaussian_blur_8": lambda: blur(8),
        "box_blur_5": lambda: cv2.blur(IN, (5, 5)),
        "motion_blur_15": motion_blur,
        "defocus_3": lambda: cv2.filter2D(IN, -1, DISK_3),
        "defocus_10": lambda: cv2.filter2D(IN, -1, DISK_10),
        "zoom_blur": zoom_blur,
        "median_blur_3": lambda: cv2.medianBlur(IN, 3),
        "median_blur_5": lambda: cv2.medianBlur(IN, 5),
        "dilate_3": lambda: cv2.dilate(IN, numpy.ones((3, 3), numpy.uint8)),
        "sharpness": sharpness,
        "table": lambda: cv2.LUT(IN, LEVELS),
        "matrix": lambda: cv2.transform(IN, COLORS),
        "channel_dropout": channel_dropout,
        "rgb_shift": lambda: cv2.add(IN, (20.0, -10.0, 5.0, 0.0)),
        "hue": hue,
        "grayscale": grayscale,
        "normalize": normalize,
        "equalize": lambda: cv2.merge([cv2.equalizeHist(plane) for plane in cv2.split(IN)]),
    },
)
