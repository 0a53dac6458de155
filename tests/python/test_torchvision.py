"""Comparisons with torchvision: the same pixels for fixed parameters, the same distributions for drawn ones."""

import functools
import os
import pathlib

import numpy
import pytest
from conftest import draw

torchvision = pytest.importorskip("torchvision")

import PIL.Image  # noqa: E402
import torch  # noqa: E402
from torchvision.transforms import v2  # noqa: E402

import sluice  # noqa: E402
import sluice.torch  # noqa: E402
from sluice import transforms as T  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning:torchvision", "ignore:The given NumPy array is not")

DATA = os.environ.get("SLUICE_TEST_DATA")
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


@pytest.fixture(scope="module", autouse=True)
def _one_thread():
    """Makes PyTorch compute its small images on one thread, which is faster."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def photographs(count):
    return sorted(pathlib.Path(DATA, "photos").glob("*.JPEG"))[:count] if DATA else []


@functools.cache
def pictures():
    """Drawn images of several shapes, noise, and photographs if there are any."""
    drawn = [draw(number, *size) for number, size in enumerate([(180, 240), (241, 163), (97, 311), (128, 128)])]
    noise = numpy.random.default_rng(1).integers(0, 256, (120, 150, 3), numpy.uint8)
    return [*drawn, noise, *(numpy.asarray(PIL.Image.open(path).convert("RGB")) for path in photographs(3))]


def made(text, module):
    """Makes the transform that a text describes, of torchvision or of Sluice."""
    return eval(text, {**vars(module), "torch": torch, "torchvision": torchvision, "MEAN": MEAN, "STD": STD})


@sluice.pipeline(batch_size=1)
def one_by_one(transform, images):
    return transform(sluice.source(images, returns="image"))


def of_sluice(text, images):
    return [batch[0].clone() for batch in sluice.torch.Loader(one_by_one, made(text, T), images)]


def of_torchvision(text, images):
    transform = made(text, v2)
    return [transform(chw(image)) for image in images]


def chw(image):
    return torch.from_numpy(numpy.array(image)).permute(2, 0, 1)


def pairs(text):
    """Results of both libraries for each picture, in CHW."""
    for ours, theirs in zip(of_sluice(text, pictures()), of_torchvision(text, pictures()), strict=True):
        ours = ours if "ToImage" in text or "ToTensor" in text else ours.permute(2, 0, 1)
        assert ours.dtype == theirs.dtype
        assert ours.shape == theirs.shape
        yield ours, theirs


def distances(ours, theirs):
    return (ours.to(torch.int32) - theirs.to(torch.int32)).abs()


# --- Fixed parameters. ---


@pytest.mark.parametrize(
    "text",
    [
        "Resize(100)",
        "Resize([100])",
        "Resize(300)",
        "Resize((90, 130))",
        "Resize((300, 500))",
        "Resize((40, 400))",
        "Resize((90, 130), antialias=False)",
        "Resize((290, 130), antialias=False)",
        "Resize((90, 130), interpolation='bicubic')",
        "Resize(100, max_size=140)",
        "Resize(300, max_size=301)",
        "Resize(None, max_size=140)",
        "Resize(None, max_size=400)",
        "CenterCrop(64)",
        "CenterCrop([97])",
        "CenterCrop((61, 90))",
        "CenterCrop((90, 61))",
        "Pad(7)",
        "Pad((3, 8))",
        "Pad([3, 8, 5, 1])",
        "Pad([3, 8, 5, 1], fill=77)",
        "Pad([3, 8, 5, 1], fill=(10, 20, 30))",
        "Pad((3, 8), padding_mode='edge')",
        "Pad((0, 8, 13, 0), padding_mode='edge')",
        "Pad(9, padding_mode='reflect')",
        "Pad((5, 8, 3, 1), padding_mode='reflect')",
        "Grayscale()",
        "Grayscale(3)",
        "RandomGrayscale(p=1)",
        "RandomInvert(p=1)",
        "RandomPosterize(1, p=1)",
        "RandomPosterize(3, p=1)",
        "RandomPosterize(8, p=1)",
        "RandomSolarize(0, p=1)",
        "RandomSolarize(77, p=1)",
        "RandomSolarize(128, p=1)",
        "RandomSolarize(255, p=1)",
        "RandomAdjustSharpness(0, p=1)",
        "RandomAdjustSharpness(0.4, p=1)",
        "RandomAdjustSharpness(1, p=1)",
        "RandomAdjustSharpness(3.5, p=1)",
        "RandomAutocontrast(p=1)",
        "RandomEqualize(p=1)",
        "RandomHorizontalFlip(p=1)",
        "RandomHorizontalFlip(p=0)",
        "RandomVerticalFlip(p=1)",
        "RandomVerticalFlip(p=0)",
        "ColorJitter()",
        "ColorJitter(0, 0, 0, 0)",
        "ColorJitter(brightness=(1.3, 1.3))",
        "ColorJitter(brightness=(0.6, 0.6))",
        "ColorJitter(contrast=(1.4, 1.4))",
        "ColorJitter(contrast=(0.3, 0.3))",
        "ColorJitter(contrast=(0, 0))",
        "ColorJitter(saturation=(1.7, 1.7))",
        "ColorJitter(saturation=(0, 0))",
        "ColorJitter(hue=(0.1, 0.1))",
        "ColorJitter(hue=(-0.2, -0.2))",
        "ColorJitter(hue=(0.5, 0.5))",
        "GaussianBlur(9, sigma=(1.5, 1.5))",
        "GaussianBlur((3, 3), sigma=(2, 2))",
        "GaussianBlur(5, sigma=0.7)",
        "GaussianBlur(23, sigma=(5, 5))",
        "GaussianNoise(mean=0.1, sigma=0)",
        "ElasticTransform(alpha=0.0)",
        "JPEG(5)",
        "JPEG(50)",
        "JPEG((95, 95))",
        "RandomPerspective(0, p=1)",
        "RandomPerspective(0.5, p=0)",
        "RandomErasing(p=0)",
        "RandomRotation((180, 180))",
        "RandomRotation((90, 90), expand=True)",
        "RandomAffine(0)",
        "RandomResizedCrop(64, scale=(1, 1), ratio=(1, 1))",
        "RandomResizedCrop((64, 48), scale=(1, 1), ratio=(9, 9))",
        "RandomResizedCrop(64, scale=(1, 1), ratio=(1, 1), antialias=False)",
        "RandomApply([RandomInvert(p=1), RandomHorizontalFlip(p=1)], p=1)",
        "RandomApply([RandomInvert(p=1)], p=0)",
        "RandomChoice([RandomInvert(p=1)])",
        "RandomChoice([RandomInvert(p=1), RandomVerticalFlip(p=1)], p=[0, 1])",
        "RandomOrder([RandomInvert(p=1)])",
        "RandomOrder([RandomInvert(p=1), RandomHorizontalFlip(p=1)])",
        "Compose([Resize(100), CenterCrop(80), RandomHorizontalFlip(p=1), RandomInvert(p=1), RandomVerticalFlip(p=1)])",
        "Compose([RandomHorizontalFlip(p=1), CenterCrop((50, 60)), ToImage()])",
        "ToDtype(torch.uint8)",
        "ToImage()",
    ],
)
def test_pixels_differ_by_one_level_at_most(text):
    for ours, theirs in pairs(text):
        assert int(distances(ours, theirs).max()) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "Resize((290, 430), interpolation='bicubic')",
        "Resize((90, 130), interpolation='lanczos')",
        "RandomRotation((17, 17))",
        "RandomRotation((-50, -50))",
        "RandomRotation((17, 17), expand=True)",
        "RandomRotation((-100, -100), expand=True)",
        "RandomRotation((17, 17), center=(20, 30))",
        "RandomRotation((17, 17), fill=99)",
        "RandomRotation((17, 17), fill=(5, 60, 99))",
        "RandomAffine((17, 17))",
        "RandomAffine((0, 0), scale=(0.8137, 0.8137))",
        "RandomAffine((0, 0), shear=(12, 12))",
        "RandomAffine((0, 0), shear=(0, 0, 15, 15))",
        "RandomAffine((25, 25), scale=(0.8, 0.8), shear=(12, 12, -9, -9))",
        "RandomAffine((-25, -25), scale=(1.2, 1.2), shear=(12, 12, -9, -9), center=(10, 50), fill=30)",
    ],
)
def test_few_pixels_differ_by_more_than_one_level(text):
    """Rounding moves a pixel to its neighbor where a position lies halfway between both."""
    for ours, theirs in pairs(text):
        assert float((distances(ours, theirs) > 1).double().mean()) <= 0.0002


@pytest.mark.parametrize(
    "text",
    [
        "Resize((90, 130), interpolation='nearest')",
        "Resize((290, 430), interpolation='nearest')",
        "Resize((90, 130), interpolation='nearest-exact')",
        "RandomRotation((90, 90))",
        "RandomRotation((-90, -90), expand=True)",
        "RandomAffine((0, 0), scale=(0.8, 0.8))",
        "RandomAffine((0, 0), scale=(0.83, 0.83), fill=(5, 60, 99))",
    ],
)
def test_nearest_pixels_are_those_of_pillow(text):
    """For images of Pillow, torchvision takes other pixels than for tensors, where a position lies halfway between two."""
    expected = [numpy.asarray(made(text, v2)(PIL.Image.fromarray(image)))
                for image in pictures()]
    for ours, theirs in zip(of_sluice(text, pictures()), expected, strict=True):
        assert numpy.array_equal(ours, theirs)


def test_low_saturation_differs_from_pillow_by_one_level_at_most():
    """For tensors, torchvision rounds the gray value and the result down."""
    text = "ColorJitter(saturation=(0.2, 0.2))"
    for ours, image in zip(of_sluice(text, pictures()), pictures(), strict=True):
        expected = torch.from_numpy(numpy.array(made(text, v2)(PIL.Image.fromarray(image))))
        assert int(distances(ours, expected).max()) <= 1


@pytest.mark.parametrize(
    "text",
    [
        "RandomRotation((17, 17), interpolation='bilinear')",
        "RandomRotation((-130, -130), interpolation='bilinear')",
        "RandomRotation((90, 90), interpolation='bilinear')",
        "RandomRotation((45, 45), expand=True, interpolation='bilinear')",
        "RandomRotation((17, 17), center=(20, 30), interpolation='bilinear')",
        "RandomAffine((17, 17), interpolation='bilinear')",
        "RandomAffine((0, 0), scale=(0.8, 0.8), interpolation='bilinear')",
        "RandomAffine((0, 0), scale=(1.3, 1.3), interpolation='bilinear')",
        "RandomAffine((0, 0), shear=(12, 12), interpolation='bilinear')",
        "RandomAffine((0, 0), shear=(0, 0, 15, 15), interpolation='bilinear')",
        "RandomAffine((25, 25), scale=(0.8, 0.8), shear=(12, 12, -9, -9), interpolation='bilinear')",
        "RandomAffine((-25, -25), scale=(1.2, 1.2), shear=(12, 12, -9, -9), center=(10, 50), interpolation='bilinear')",
    ],
)
def test_bilinear_warps_differ_by_one_level_inside(text):
    """Pixels that torchvision mixes with the color outside are left out."""
    inside = of_torchvision(text, [numpy.full_like(image, 255) for image in pictures()])
    for (ours, theirs), mask in zip(pairs(text), inside, strict=True):
        assert float((mask == 255).double().mean()) > 0.2
        assert int(distances(ours, theirs)[mask == 255].max()) <= 1


@pytest.mark.parametrize(
    ("text", "tolerance"),
    [
        ("ToDtype(torch.float32)", 0),
        ("ToDtype(torch.float32, scale=True)", 1e-6),
        ("Compose([ToImage(), ToDtype(torch.uint8)])", 0),
        ("Compose([ToImage(), ToDtype(torch.float32)])", 0),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True)])", 1e-6),
        ("Compose([ToImage(), ToDtype(torch.float16, scale=True)])", 0.0005),
        ("Compose([ToImage(), ToDtype(torch.bfloat16, scale=True)])", 0.004),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True), Normalize(MEAN, STD)])", 2e-6),
        ("Compose([ToImage(), ToDtype(torch.float16, scale=True), Normalize(MEAN, STD)])", 0.004),
        ("Compose([ToImage(), ToDtype(torch.float32), Normalize([120, 110, 100], [50, 60, 70])])", 2e-6),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True), Normalize([0.5], [0.25])])", 2e-6),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True), RandomHorizontalFlip(p=1), Normalize(MEAN, STD)])", 2e-6),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True), Normalize(MEAN, STD), RandomVerticalFlip(p=1)])", 2e-6),
        ("Compose([ToImage(), ToDtype(torch.float32, scale=True), Normalize(MEAN, STD), CenterCrop(60)])", 2e-6),
    ],
)
def test_numbers_are_the_same(text, tolerance):
    for ours, theirs in pairs(text):
        assert float((ours.double() - theirs.double()).abs().max()) <= tolerance


def test_to_tensor_gives_shares_of_255():
    expected = [torchvision.transforms.ToTensor()(image) for image in pictures()]
    for ours, theirs in zip(of_sluice("ToTensor()", pictures()), expected, strict=True):
        assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
        assert torch.allclose(ours, theirs, rtol=0, atol=1e-6)


def test_erasing_after_normalize_fills_with_the_value():
    text = "Compose([ToImage(), ToDtype(torch.float32, scale=True), Normalize(MEAN, STD), RandomErasing(p=1, value=0.4)])"
    plain = of_torchvision(text.replace(", RandomErasing(p=1, value=0.4)", ""), pictures())
    for ours, before in zip(of_sluice(text, pictures()), plain, strict=True):
        changed = (ours - before).abs() > 1e-5
        assert 0.01 < float(changed.double().mean()) < 0.34
        assert float((ours[changed] - 0.4).abs().max()) <= 0.5 / 255 / min(STD) + 1e-5  # the nearest level


# --- Distributions. ---


def coordinates(height, width, step=1):
    """An image of step * x and step * y, with 255 in the third channel."""
    y, x = numpy.mgrid[0:height, 0:width]
    return numpy.stack([step * x, step * y, numpy.full_like(x, 255)], axis=-1).astype(numpy.uint8)


def position(image):
    """Where the upper left corner of the result lies in the image of coordinates."""
    y, x = numpy.unravel_index(numpy.argmax(image[:, :, 2]), image.shape[:2])
    return {"position": (int(image[y, x, 1]) - int(y), int(image[y, x, 0]) - int(x))}


def region(image):
    """The rectangle of which all columns and rows are in the result."""
    left, top = int(image[:, :, 0].min()), int(image[:, :, 1].min())
    width, height = int(image[:, :, 0].max()) - left + 1, int(image[:, :, 1].max()) - top + 1
    return {"area": width * height, "log ratio": numpy.log(width / height), "left": left, "top": top}


def erased(image):
    rows, columns = numpy.nonzero(image[:, :, 2] != 255)
    if rows.size == 0:
        return {"erased": False}
    height, width = int(rows.max() - rows.min()) + 1, int(columns.max() - columns.min()) + 1
    assert rows.size == height * width
    return {
        "erased": True, "area": height * width, "log ratio": numpy.log(height / width), "top": int(rows.min()),
        "left": int(columns.min()),
    }


def slopes(image):
    """How coordinates change around the center: their scale, angle, and shear."""
    c, far = image.shape[0] // 2, 10
    right = image[c, c + far].astype(float) - image[c, c - far]
    down = image[c + far, c].astype(float) - image[c - far, c]
    across, along = numpy.arctan2(right[1], right[0]), numpy.arctan2(down[0], down[1])
    return {"angle": across, "scale": numpy.hypot(right[0], right[1]), "shear": along, "sum": across + along}


def corners(image):
    """How far the corners of the visible part lie from the corners of the image."""
    y, x = numpy.nonzero(image[:, :, 2] > 127)
    up, left = image.shape[0] - 1 - y, image.shape[1] - 1 - x
    names = ("upper left", "upper right", "lower right", "lower left")
    return {name: int((a + b).min()) for name, a, b in zip(names, (x, left, left, x), (y, y, up, up))} | {"visible": y.size}


def center(image):
    return {"center": tuple(int(one) for one in image[image.shape[0] // 2, image.shape[1] // 2, :1])}


def displacement(image):
    c = image.shape[0] // 2
    return {"x": float(image[c, c, 0]), "y": float(image[c, c, 1]), "x far": float(image[c, 2 * c - 8, 0])}


def content(image):
    """Each content is a category of its own."""
    return {"content": image.tobytes()}


def first_pixel(image):
    return {f"channel {i}": float(image[0, 0, i]) for i in range(3)}


def contrast(image):
    return {"contrast": float(image[0, 0, 0]) - float(image[-1, -1, 0])}


def saturation(image):
    return {"saturation": float(image[0, 0, 0]) - float(image[0, 0, 1])}


def hue(image):
    red, green, blue = (float(one) for one in image[0, 0])
    return {"hue": float(numpy.arctan2(numpy.sqrt(3) * (green - blue), 2 * red - green - blue))}


SMOOTH, TINY, GRAY = coordinates(51, 51, 5), draw(0, 16, 24), numpy.full((4, 4, 3), 100, numpy.uint8)
HALVES = numpy.repeat(numpy.array([[[80] * 3], [[120] * 3]], numpy.uint8), 2, axis=1)
POINT = numpy.zeros((15, 15, 3), numpy.uint8)
POINT[7, 7] = 255
RED = numpy.full((2, 2, 3), (160, 100, 100), numpy.uint8)


@sluice.pipeline(batch_size=100)
def many(transform, image, count):
    return transform(sluice.source(lambda i: image, returns="image", samples=count))


def readings(text, image, read, count):
    """What is read from `count` results of each library: dicts of lists."""
    torch.manual_seed(3)
    transform, input = made(text, v2), chw(image)
    theirs = [read(transform(input).permute(1, 2, 0).numpy()) for _ in range(count)]
    ours = [read(numpy.asarray(one)) for batch in many(made(text, T), image, count, seed=5) for one in batch.columns[0]]
    assert len(ours) == count
    return [{name: [one[name] for one in some if name in one] for name in ours[0] | theirs[0]} for some in (ours, theirs)]


def cells(ours, theirs, most=25):
    """Numbers of readings in each cell: ranges of numbers, or equal values."""
    if all(isinstance(one, (int, float)) for one in ours + theirs) and len(set(ours + theirs)) > most:
        edges = numpy.unique(numpy.quantile(ours + theirs, numpy.linspace(0, 1, most + 1)))
        edges[-1] += 1
        return [numpy.histogram(some, edges)[0] for some in (ours, theirs)]
    values = {value: number for number, value in enumerate(dict.fromkeys(ours + theirs))}
    return [numpy.bincount([values[one] for one in some], minlength=len(values)) for some in (ours, theirs)]


def assert_same_distribution(ours, theirs, what):
    """Two samples of one distribution fail with a probability of less than one in a million.

    The statistic of chi square exceeds df + 2 sqrt(df x) + 2 x with a probability of at most exp(-x) (Laurent, Massart).
    """
    a, b = (some.astype(float) for some in cells(ours, theirs))
    rare = a + b < 10
    a, b = (numpy.append(some[~rare], some[rare].sum()) for some in (a, b))
    total, ratio = a + b, numpy.sqrt(b.sum() / a.sum())
    used = total > 0
    statistic = float((((a * ratio - b / ratio) ** 2)[used] / total[used]).sum())
    freedom = int(used.sum()) - 1
    limit = freedom + 2 * numpy.sqrt(14 * freedom) + 28
    assert statistic < limit, f"{what}: {statistic:.1f} of {limit:.1f}, cells {a.tolist()} and {b.tolist()}"


def test_the_comparison_of_distributions_sees_differences():
    random = numpy.random.default_rng(7)
    some, others = (random.uniform(0, 1, 3000).tolist() for _ in range(2))
    assert_same_distribution(some, others, "the same")
    for wrong in ([one**1.3 for one in others], [one * 1.1 for one in others], [0.05 + 0.9 * one for one in others]):
        with pytest.raises(AssertionError, match="wrong: "):
            assert_same_distribution(some, wrong, "wrong")
    with pytest.raises(AssertionError, match="wrong: "):
        assert_same_distribution([one < 0.5 for one in some], [one < 0.35 for one in others], "wrong")


@pytest.mark.parametrize(
    ("text", "image", "read", "count"),
    [
        ("RandomCrop(5)", coordinates(8, 9), position, 3000),
        ("RandomCrop((7, 3))", coordinates(8, 9), position, 3000),
        ("RandomCrop(5, padding=2)", coordinates(7, 8), position, 3000),
        ("RandomCrop(6, padding=(1, 3))", coordinates(7, 8), position, 3000),
        ("RandomCrop((6, 5), padding=[0, 1, 2, 3], fill=9)", coordinates(5, 6), content, 3000),
        ("RandomCrop(7, padding=2, padding_mode='reflect')", coordinates(8, 8), content, 3000),
        ("RandomCrop(7, padding=2, padding_mode='edge')", coordinates(8, 8), content, 3000),
        ("RandomCrop((8, 9), pad_if_needed=True)", coordinates(6, 6), content, 3000),
        ("RandomCrop((9, 4), pad_if_needed=True, padding=1)", coordinates(6, 6), content, 3000),
        ("RandomHorizontalFlip()", TINY, content, 3000),
        ("RandomHorizontalFlip(0.3)", TINY, content, 3000),
        ("RandomVerticalFlip(0.7)", TINY, content, 3000),
        ("RandomResizedCrop(128, interpolation='nearest-exact')", coordinates(100, 120), region, 3000),
        ("RandomResizedCrop(64, (0.2, 0.4), (0.5, 3), interpolation='nearest-exact')", coordinates(60, 50), region, 3000),
        ("RandomResizedCrop(128, (0.3, 1), interpolation='nearest-exact')", coordinates(40, 120), region, 3000),
        ("RandomRotation(60, interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomRotation((-10, 80), interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomAffine((-10, 80), interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomAffine(0, scale=(0.5, 1.5), interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomAffine(0, shear=20, interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomAffine(0, shear=(5, 30, -20, 10), interpolation='bilinear')", SMOOTH, slopes, 2000),
        ("RandomAffine(0, translate=(0.2, 0.3))", coordinates(20, 30), position, 3000),
        ("RandomAffine(0, translate=(0, 0.1))", coordinates(35, 30), position, 3000),
        ("RandomPerspective(0.5, p=1)", coordinates(40, 50), corners, 2000),
        ("RandomPerspective(0.2)", coordinates(40, 50), corners, 2000),
        ("RandomErasing(p=1)", coordinates(60, 80), erased, 3000),
        ("RandomErasing(0.3, scale=(0.1, 0.2), ratio=(0.5, 3))", coordinates(60, 80), erased, 3000),
        ("ElasticTransform(100.0, 4.0)", SMOOTH, displacement, 1000),
        ("ColorJitter(brightness=0.4)", GRAY, first_pixel, 3000),
        ("ColorJitter(brightness=1.5)", GRAY, first_pixel, 3000),
        ("ColorJitter(contrast=(0.5, 1.8))", HALVES, contrast, 3000),
        ("ColorJitter(saturation=0.7)", RED, saturation, 3000),
        ("ColorJitter(hue=0.2)", RED, hue, 3000),
        ("ColorJitter(hue=(-0.1, 0.4))", RED, hue, 3000),
        ("GaussianBlur(9)", POINT, center, 2000),
        ("GaussianBlur(9, sigma=(1.0, 3.0))", POINT, center, 2000),
        ("GaussianNoise(mean=0.1, sigma=0.1)", GRAY, first_pixel, 3000),
        ("JPEG((20, 60))", TINY, content, 3000),
        ("RandomInvert()", TINY, content, 3000),
        ("RandomPosterize(3)", TINY, content, 3000),
        ("RandomSolarize(128)", TINY, content, 3000),
        ("RandomEqualize()", TINY, content, 3000),
        ("RandomApply([RandomInvert(p=1), RandomPosterize(2, p=0.5)], p=0.3)", TINY, content, 3000),
        ("RandomApply([RandomInvert(p=1)])", TINY, content, 3000),
        ("RandomChoice([RandomInvert(p=1), RandomPosterize(2, p=1), RandomVerticalFlip(p=1)])", TINY, content, 3000),
        ("RandomChoice([RandomInvert(1), RandomPosterize(2, 1), RandomVerticalFlip(1)], p=[1, 5, 2])", TINY, content, 3000),
        ("RandomOrder([RandomInvert(p=1), RandomPosterize(2, p=1), RandomSolarize(90, p=1)])", TINY, content, 3000),
        ("Compose([RandomHorizontalFlip(), RandomInvert(0.2), RandomVerticalFlip()])", TINY, content, 3000),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_draws_follow_the_same_distribution(text, image, read, count):
    ours, theirs = readings(text, image, read, count)
    for name in ours:
        assert_same_distribution(ours[name], theirs[name], name)


@pytest.mark.parametrize(
    "text", ["RandomAutocontrast()", "RandomAdjustSharpness(3)", "RandomGrayscale()", "RandomGrayscale(0.4)"]
)
def test_changes_have_the_same_probability(text):
    """Both libraries round in their own way, so only whether an image changes is compared."""
    image = draw(0, 12, 12) // 2
    ours, theirs = readings(text, image, lambda result: {"changed": not numpy.array_equal(result, image)}, 3000)
    assert_same_distribution(ours["changed"], theirs["changed"], "changed")


@pytest.mark.parametrize(
    "text",
    [
        "RandAugment(num_ops=1)",
        "RandAugment(num_ops=1, magnitude=30)",
        "RandAugment(1, 3, 5, interpolation='bilinear', fill=90)",
        "TrivialAugmentWide(num_magnitude_bins=5)",
        "AutoAugment()",
        "AutoAugment(torchvision.transforms.AutoAugmentPolicy.CIFAR10, fill=(9, 80, 200))",
        "AutoAugment(torchvision.transforms.AutoAugmentPolicy.SVHN)",
    ],
)
def test_automatic_augmentation_has_the_same_outcomes(text):
    """Outcomes that differ by little count as one. Each result of Sluice is an outcome of torchvision as well."""
    image = draw(3, 24, 32)
    both = readings(text, image, lambda one: {"pixels": one.copy()}, 2500)
    ours, theirs = (torch.from_numpy(numpy.stack(some["pixels"])).flatten(1).float() for some in both)
    outcomes = theirs[:1]
    for one in theirs:
        if float((outcomes - one).abs().mean(dim=1).min()) > 1.5:
            outcomes = torch.cat([outcomes, one[None]])
    nearest = [torch.cdist(some, outcomes, p=1).min(dim=1) for some in (ours, theirs)]
    share = float((nearest[0].values / theirs.shape[1] > 2).double().mean())
    assert share <= 0.01, f"{share:.1%} of the results of Sluice are far from all outcomes of torchvision"
    assert_same_distribution(*([f"outcome {i}" for i in one.indices.tolist()] for one in nearest), "outcome")


# --- Folders. ---


@pytest.fixture(scope="module")
def classes(tmp_path_factory):
    """PNG files of three classes, of several sizes and kinds, one of them in a folder of its own."""
    root = tmp_path_factory.mktemp("classes")
    for number in range(11):
        place = root / ("cat", "Dog", "a bird")[number % 3]
        place = place / "more" if number == 7 else place
        place.mkdir(parents=True, exist_ok=True)
        name = f"{'Za'[number % 2]}{number:02}.{'PNG' if number == 4 else 'png'}"
        image = PIL.Image.fromarray(draw(number, 70 + 9 * number, 120 - 4 * number))
        image.convert({5: "L", 6: "RGBA", 8: "P", 9: "1"}.get(number, "RGB")).save(place / name)
    return root


PLAIN = "Compose([Resize(64), CenterCrop(56), ToImage(), ToDtype(torch.float32, scale=True), Normalize(MEAN, STD)])"


def both_folders(root, batch_size):
    """Images and labels of torchvision's ImageFolder with DataLoader, and of Sluice's."""
    theirs = torchvision.datasets.ImageFolder(root, made(PLAIN, v2))
    ours = sluice.torch.ImageFolder(root, made(PLAIN, T), batch_size=batch_size)
    assert ours.classes == theirs.classes and ours.class_to_idx == theirs.class_to_idx
    return ours, torch.utils.data.DataLoader(theirs, batch_size=batch_size)


def assert_same_batches(ours, theirs):
    assert len(ours) == len(theirs)
    for (images, labels), (other_images, other_labels) in zip(ours, theirs, strict=True):
        assert torch.equal(labels, other_labels)
        assert images.dtype == other_images.dtype and images.shape == other_images.shape
        levels = (images - other_images).abs() * torch.tensor(STD)[:, None, None] * 255
        assert float(levels.max()) <= 1.001


def test_image_folder_gives_the_same_batches(classes):
    assert_same_batches(*both_folders(classes, 4))


def test_image_folder_gives_the_same_batches_of_photographs(tmp_path):
    if not DATA:
        pytest.skip("SLUICE_TEST_DATA is not set")
    for number, path in enumerate(photographs(12)):
        place = tmp_path / "abc"[number % 3]
        place.mkdir(exist_ok=True)
        (place / path.name).symlink_to(path.resolve())
    assert_same_batches(*both_folders(tmp_path, 5))


def test_a_shuffled_folder_gives_each_file_once(classes):
    ours, _ = both_folders(classes, 4)
    shuffled = sluice.torch.ImageFolder(classes, made(PLAIN, T), batch_size=4, shuffle=True)
    first, second, third = (whole(loader) for loader in (ours, shuffled, shuffled))
    order = [next(i for i, image in enumerate(first[0]) if torch.equal(image, one)) for one in second[0]]
    assert sorted(order) == list(range(11)) and order != sorted(order)
    assert torch.equal(second[1], first[1][order])
    assert not torch.equal(second[0], third[0])


def whole(loader):
    """All images and all labels of an epoch."""
    return [torch.cat(parts) for parts in zip(*((images.clone(), labels.clone()) for images, labels in loader))]


def test_drop_last_leaves_out_the_same_batch(classes):
    ours = sluice.torch.ImageFolder(classes, made(PLAIN, T), batch_size=4, drop_last=True)
    files = torchvision.datasets.ImageFolder(classes, made(PLAIN, v2))
    theirs = torch.utils.data.DataLoader(files, batch_size=4, drop_last=True)
    assert_same_batches(ours, theirs)


def test_mix_up_mixes_as_torchvision_with_the_same_weight(classes):
    plain, _ = both_folders(classes, 4)
    mixed = sluice.torch.ImageFolder(classes, made(PLAIN, T), batch_size=4, batch_transform=T.MixUp(alpha=0.8))
    theirs, weights = v2.MixUp(alpha=0.8, num_classes=3), []
    for (images, labels), (ours, our_labels) in zip(plain, mixed, strict=True):
        before = torch.nn.functional.one_hot(labels, 3).float()
        assert our_labels.dtype == torch.float32
        assert torch.allclose(our_labels.sum(dim=1), torch.ones(len(labels)), atol=1e-6)
        difference = images - images.roll(1, 0)
        weight = float((difference * (ours - images.roll(1, 0))).sum() / (difference**2).sum())
        weights.append(weight)
        expected = theirs.transform(images, {"lam": weight, "labels": labels, "batch_size": len(labels)})
        assert float((ours - expected).abs().max()) < 1e-4
        assert torch.allclose(our_labels, weight * before + (1 - weight) * before.roll(1, 0), atol=1e-4)
    assert len(set(weights)) == len(weights) and 0 <= min(weights) and max(weights) <= 1


def test_cut_mix_labels_are_shares_of_the_area(classes):
    plain, _ = both_folders(classes, 4)
    mixed = sluice.torch.ImageFolder(classes, made(PLAIN, T), batch_size=4, batch_transform=T.CutMix())
    for (images, labels), (ours, our_labels) in zip(plain, mixed, strict=True):
        before = torch.nn.functional.one_hot(labels, 3).float()
        assert torch.allclose(our_labels.sum(dim=1), torch.ones(len(labels)), atol=1e-6)
        rows, columns = torch.nonzero((ours != images).any(dim=1).any(dim=0), as_tuple=True)
        expected = images.clone()
        box = (..., slice(int(rows.min()), int(rows.max()) + 1), slice(int(columns.min()), int(columns.max()) + 1))
        expected[box] = images.roll(1, 0)[box]
        assert torch.equal(ours, expected)
        weight = 1 - expected[box][0, 0].numel() / images[0, 0].numel()
        assert torch.allclose(our_labels, weight * before + (1 - weight) * before.roll(1, 0), atol=1e-5)


@pytest.mark.parametrize("name", ["MixUp", "CutMix"])
def test_weights_of_mixed_labels_follow_the_same_distribution(tmp_path, name):
    for number in range(2):
        (tmp_path / "ab"[number]).mkdir()
        PIL.Image.fromarray(draw(number, 30, 40)).save(tmp_path / "ab"[number] / "0.png")
    ours = sluice.torch.ImageFolder(tmp_path, T.Resize((30, 40)), batch_size=2, batch_transform=getattr(T, name)(alpha=0.7))
    weights = [float(labels[0, 0]) for _ in range(600) for _, labels in ours]
    transform, images, labels = getattr(v2, name)(alpha=0.7, num_classes=2), torch.zeros(2, 3, 30, 40), torch.tensor([0, 1])
    torch.manual_seed(4)
    assert_same_distribution(weights, [float(transform(images, labels)[1][0, 0]) for _ in range(600)], "weight")


def test_a_choice_of_both_mixes_each_batch_by_one(classes):
    plain, _ = both_folders(classes, 4)
    either = T.RandomChoice([T.MixUp(num_classes=5), T.CutMix(num_classes=5)])
    mixed = sluice.torch.ImageFolder(classes, made(PLAIN, T), batch_size=4, batch_transform=either)
    cut = []
    for _ in range(6):
        for (images, _), (ours, labels) in zip(plain, mixed, strict=True):
            assert labels.shape == (len(images), 5)
            assert torch.allclose(labels.sum(dim=1), torch.ones(len(images)), atol=1e-6)
            cut.append(bool(((ours == images) | (ours == images.roll(1, 0))).all()))
    assert any(cut) and not all(cut)
