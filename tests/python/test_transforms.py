"""`sluice.transforms`: the operators they add, what they draw, what the image becomes, and what they refuse."""

import copy
import math
import pickle

import numpy
import pytest
from conftest import draw

import sluice
from sluice import ops
from sluice import transforms as T

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Images:
    """Samples of one image, or of several."""

    def __init__(self, images, count=None):
        self.images, self.count = images, count or len(images)

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return self.images[i % len(self.images)]


def results(change, images=None, count=None, **options):
    """The outputs of a pipeline that only changes images."""
    images = images or [draw(number, 40 + number, 52) for number in range(4)]

    @sluice.pipeline(batch_size=1, seed=3, **options)
    def changed():
        return change(sluice.source(Images(images, count), returns="image"))

    return [numpy.asarray(batch[0])[0].copy() for batch in changed()]


SAME = {
    "resize a side": (T.Resize(24), lambda x: ops.resize(x, shorter=24)),
    "resize": (T.Resize((20, 30), "bicubic"), lambda x: ops.resize(x, height=20, width=30, interpolation="bicubic")),
    "resize by pillow's number": (T.Resize([20, 30], 0), lambda x: ops.resize(x, height=20, width=30, interpolation="nearest")),
    "resize up to": (T.Resize(24, max_size=28), lambda x: ops.resize(x, shorter=24, max_size=28)),
    "resize the longer side": (
        T.Resize(None, max_size=26), lambda x: ops.resize(x, height=ops.canvas_size(x)[0] // 2, width=26),
    ),
    "center crop": (T.CenterCrop((20, 31)), lambda x: ops.center_crop(x, 20, 31)),
    "pad": (T.Pad(3, fill=9), lambda x: ops.pad_image(x, left=3, top=3, right=3, bottom=3, fill=9)),
    "pad two": (T.Pad([3, 5]), lambda x: ops.pad_image(x, left=3, top=5, right=3, bottom=5)),
    "pad four": (
        T.Pad([1, 2, 3, 4], padding_mode="reflect"),
        lambda x: ops.pad_image(x, left=1, top=2, right=3, bottom=4, border="reflect"),
    ),
    "flip": (T.RandomHorizontalFlip(1), ops.flip),
    "flip vertically": (T.RandomVerticalFlip(1), lambda x: ops.flip(x, horizontal=False, vertical=True)),
    "flip twice": (T.Compose([T.RandomHorizontalFlip(1), T.RandomHorizontalFlip(1)]), lambda x: ops.flip(x, horizontal=False)),
    "flip and rotate": (
        T.Compose([T.RandomHorizontalFlip(1), T.RandomRotation((9, 9))]),
        lambda x: ops.rotate(ops.flip(x), 9.0, keep_size=True, interpolation="nearest"),
    ),
    "rotate": (
        T.RandomRotation((9, 9), "bilinear", fill=(1, 2, 3)), lambda x: ops.rotate(x, 9.0, keep_size=True, fill=(1, 2, 3)),
    ),
    "rotate and grow": (T.RandomRotation((9, 9), "bilinear", expand=True), lambda x: ops.rotate(x, 9.0)),
    "rotate about a corner": (
        T.RandomRotation((9, 9), "bilinear", center=(0, 0)), lambda x: ops.affine(x, degrees=9.0, center_y=0.0, center_x=0.0),
    ),
    "affine": (
        T.RandomAffine((9, 9), scale=(2, 2), shear=(5, 5, 7, 7), interpolation="bilinear"),
        lambda x: ops.affine(x, degrees=-9.0, scale=2.0, shear_x=-5.0, shear_y=-7.0),
    ),
    "jitter": (T.ColorJitter(brightness=(1.5, 1.5)), lambda x: ops.brightness_contrast(x, brightness=1.5)),
    "jitter the hue": (T.ColorJitter(hue=(0.1, 0.1)), lambda x: ops.hue(x, 36.0)),
    "no jitter": (T.ColorJitter(), lambda x: ops.flip(x, horizontal=False)),
    "gray": (T.Grayscale(), ops.grayscale),
    "gray, 3 channels": (T.RandomGrayscale(1), lambda x: ops.grayscale(x, channels=3)),
    "invert": (T.RandomInvert(1), ops.invert),
    "posterize": (T.RandomPosterize(3, 1), lambda x: ops.posterize(x, 3)),
    "solarize": (T.RandomSolarize(99, 1), lambda x: ops.solarize(x, threshold=99)),
    "sharpen": (T.RandomAdjustSharpness(3, 1), lambda x: ops.sharpness(x, 3)),
    "autocontrast": (T.RandomAutocontrast(1), ops.autocontrast),
    "equalize": (T.RandomEqualize(1), ops.equalize),
    "blur": (T.GaussianBlur(9, 1.5), lambda x: ops.gaussian_blur(x, sigma=1.5, window_size=9)),
    "jpeg": (T.JPEG(20), lambda x: ops.jpeg_distortion(x, quality=20)),
    "never": (T.RandomApply([T.RandomInvert(1)], 0), lambda x: ops.flip(x, horizontal=False)),
    "always": (T.RandomApply([T.RandomInvert(1), T.Resize(9)], 1), lambda x: ops.resize(ops.invert(x), shorter=9)),
    "padded with the color in units of the result": (
        T.Compose([T.ToImage(), T.Pad(2, fill=9)]),
        lambda x: ops.crop_mirror_normalize(
            ops.pad_image(x, left=2, top=2, right=2, bottom=2, fill=9), dtype="u8", layout="CHW", scale=255.0
        ),
    ),
    "the only choice": (T.RandomChoice([T.Resize(9)]), lambda x: ops.resize(x, shorter=9)),
    "one choice": (T.RandomChoice([T.RandomInvert(1), T.Resize(9)], [0, 1]), lambda x: ops.resize(x, shorter=9)),
    "a function": (T.Compose([ops.invert, T.Resize(9)]), lambda x: ops.resize(ops.invert(x), shorter=9)),
    "a function of arrays": (T.Lambda(lambda array: array[:20, 3:]), lambda x: ops.crop(x, (0, 3, 20, 49))),
}


@pytest.mark.parametrize("name", SAME)
def test_a_transform_adds_these_operators(name):
    transform, plain = SAME[name]
    found, expected = results(transform), results(plain)
    assert len(found) == 4
    for one, other in zip(found, expected):
        numpy.testing.assert_array_equal(one, other)


# The draws are those of the same operators in the same order.
RANDOM = {
    "random_resized_crop": (
        T.RandomResizedCrop(24, (0.3, 0.9), (0.5, 2)),
        lambda x: ops.random_resized_crop(x, height=24, width=24, min_area=0.3, max_area=0.9, min_ratio=0.5, max_ratio=2),
    ),
    "random_crop": (T.RandomCrop((20, 30), padding=2), lambda x: ops.random_crop(x, 20, 30, padding=2)),
    "color_jitter": (
        T.ColorJitter(0.4, (0.5, 1.5), 0.3, 0.1),
        lambda x: ops.color_jitter(x, brightness=0.4, contrast=(0.5, 1.5), saturation=0.3, hue=36),
    ),
    "noise": (T.GaussianNoise(sigma=0.05), lambda x: ops.gaussian_noise(x, stddev=12.75)),
    "elastic": (T.ElasticTransform(20.0, 3.0), lambda x: ops.elastic(x, alpha=20.0, sigma=3.0)),
    "perspective": (
        T.RandomPerspective(0.4, p=0.9, fill=7),
        lambda x: ops.random_perspective(x, distortion_scale=0.4, probability=0.9, fill=7),
    ),
    "rand_augment": (T.RandAugment(1, 5), lambda x: ops.rand_augment(x, n=1, magnitude=5, interpolation="nearest", fill=0)),
    "trivial_augment": (T.TrivialAugmentWide(), lambda x: ops.trivial_augment_wide(x, interpolation="nearest", fill=0)),
    "auto_augment": (T.AutoAugment("cifar10"), lambda x: ops.auto_augment(x, policy="cifar10", interpolation="nearest", fill=0)),
    "aug_mix": (
        T.AugMix(all_ops=False),
        lambda x: ops.aug_mix(x, interpolation="bilinear", fill=0, excluded=("brightness", "color", "contrast", "sharpness")),
    ),
    "random_erasing": (
        T.RandomErasing(1, value=7),
        lambda x: ops.random_erasing(x, probability=1, min_ratio=0.3, max_ratio=3.3, fill=7),
    ),
}


@pytest.mark.parametrize("name", RANDOM)
def test_a_random_transform_draws_as_its_operator(name):
    transform, plain = RANDOM[name]
    found, expected = results(transform), results(plain)
    assert any(not numpy.array_equal(found[0], one) for one in found[1:])
    for one, other in zip(found, expected):
        numpy.testing.assert_array_equal(one, other)


def counts(change, images, key, count=3000):
    """How often each result is drawn, by key(result)."""
    found = {}
    for one in results(change, images, count):
        found[key(one)] = found.get(key(one), 0) + 1
    return found


def chi_square(found, expected):
    """Checks the numbers of draws against their expectations; a right one fails less than once in a million times."""
    assert set(found) <= set(expected)
    statistic = sum((found.get(one, 0) - many) ** 2 / many for one, many in expected.items())
    freedom = len(expected) - 1
    assert statistic < freedom + 7 * math.sqrt(2 * freedom) + 7, (found, expected)


NUMBERED = numpy.arange(60, dtype=numpy.uint8).reshape(6, 10, 1).repeat(3, axis=2)


def test_windows_are_everywhere_equally_often():
    place = {y * 10 + x: 3000 / 15 for y in range(3) for x in range(5)}
    chi_square(counts(T.RandomCrop((4, 6)), [NUMBERED], lambda one: int(one[0, 0, 0])), place)


@pytest.mark.parametrize("transform", [T.RandomHorizontalFlip(0.3), T.RandomVerticalFlip(0.3), T.RandomInvert(0.3),
                                       T.RandomApply([T.RandomInvert(1)], 0.3)], ids=repr)
def test_probabilities(transform):
    found = counts(transform, [NUMBERED], lambda one: bool((one != NUMBERED).any()))
    chi_square(found, {True: 900, False: 2100})


def test_choices_have_their_weights():
    solid = [numpy.full((2, 2, 3), 100, numpy.uint8)]
    values = [ops.invert, lambda x: ops.posterize(x, 1), lambda x: ops.flip(x)]
    found = counts(T.RandomChoice(values, p=[1, 2, 3]), solid, lambda one: int(one[0, 0, 0]))
    chi_square(found, {155: 500, 0: 1000, 100: 1500})


def test_orders_are_equally_likely():
    solid = [numpy.full((2, 2, 3), 100, numpy.uint8)]
    # From 100: invert, double (clipped) and posterize, whose results tell the order.
    steps = [T.RandomInvert(1), lambda x: ops.brightness_contrast(x, brightness=2.0), lambda x: ops.posterize(x, 2)]
    expected = {}
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)):
        value = 100
        for step in order:
            value = (255 - value, min(255, 2 * value), value & 0xC0)[step]
        expected[value] = expected.get(value, 0) + 500
    chi_square(counts(T.RandomOrder(steps), solid, lambda one: int(one[0, 0, 0])), expected)


def test_factors_fill_their_range():
    solid = [numpy.full((1, 1, 3), 100, numpy.uint8)]
    found = counts(T.ColorJitter(brightness=0.4), solid, lambda one: min((int(one[0, 0, 0]) - 60) // 10, 7))
    chi_square(found, {i: 3000 / 8 for i in range(8)})


def test_moves_are_of_whole_pixels():
    image = numpy.zeros((21, 21, 3), numpy.uint8)
    image[10, 10] = 255
    found = counts(T.RandomAffine(0, translate=(0.1, 0.0)), [image], lambda one: tuple(numpy.argwhere(one[..., 0] == 255)[0]))
    # round() of a uniform number from -2.1 to 2.1
    shares = {-2: 0.6, -1: 1, 0: 1, 1: 1, 2: 0.6}
    chi_square(found, {(10, 10 + x): 3000 * share / 4.2 for x, share in shares.items()})


def normalized(image):
    return ((image / 255 - MEAN) / STD).transpose(2, 0, 1)


ENDS = {
    "an image": ([], lambda x: x, "uint8"),
    "channels first": ([T.ToImage()], lambda x: x.transpose(2, 0, 1), "uint8"),
    "uint8": ([T.ToImage(), T.ToDtype("uint8", scale=True)], lambda x: x.transpose(2, 0, 1), "uint8"),
    "float": ([T.ToImage(), T.ToDtype("float32")], lambda x: x.transpose(2, 0, 1), "float32"),
    "scaled": ([T.ToImage(), T.ToDtype("torch.float32", scale=True)], lambda x: x.transpose(2, 0, 1) / 255, "float32"),
    "a tensor": ([T.ToTensor()], lambda x: x.transpose(2, 0, 1) / 255, "float32"),
    "half": ([T.ToTensor(), T.Normalize(MEAN, STD)], normalized, "float32"),
    "numpy's dtype": ([T.ToImage(), T.ToDtype(numpy.float16, scale=True), T.Normalize(MEAN, STD)], normalized, "float16"),
    "rows of pixels": ([T.ToDtype(numpy.dtype("float32"), scale=True)], lambda x: x / 255, "float32"),
    "not scaled": (
        [T.ToImage(), T.ToDtype("float32"), T.Normalize([127.5], [63.75])], lambda x: (x.transpose(2, 0, 1) - 127.5) / 63.75,
        "float32",
    ),
    "a large std": ([T.ToTensor(), T.Normalize([0.5], [2.0])], lambda x: (x.transpose(2, 0, 1) / 255 - 0.5) / 2, "float32"),
    "uint8 is not scaled": (
        [T.ToImage(), T.ToDtype("uint8", scale=True), T.ToDtype("float32")], lambda x: x.transpose(2, 0, 1), "float32",
    ),
    "the same dtype twice": ([T.ToTensor(), T.ToDtype("float32")], lambda x: x.transpose(2, 0, 1) / 255, "float32"),
    "padded late": (
        [T.ToTensor(), T.Normalize([0.5], [0.5]), T.Pad(1)],
        lambda x: numpy.pad((x.transpose(2, 0, 1) / 255 - 0.5) / 0.5, [(0, 0), (1, 1), (1, 1)], constant_values=1 / 255), "float32",
    ),
    "flipped late": ([T.ToTensor(), T.RandomHorizontalFlip(1)], lambda x: x[:, ::-1].transpose(2, 0, 1) / 255, "float32"),
    "cropped late": ([T.ToTensor(), T.CenterCrop(20)], lambda x: x[10:30, 16:36].transpose(2, 0, 1) / 255, "float32"),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_image_becomes(name):
    steps, formula, dtype = ENDS[name]
    image = draw(5, 40, 52)
    (found,) = results(T.Compose([T.RandomVerticalFlip(0), *steps]), [image])
    assert found.dtype == dtype
    expected = formula(image.astype(numpy.float64))
    numpy.testing.assert_allclose(found, expected, atol=4e-3 if dtype == "float16" else 1e-5, rtol=1e-3 if dtype == "float16" else 1e-6)


def test_erasing_after_normalizing_counts_in_its_units():
    solid = [numpy.full((30, 30, 3), 200, numpy.uint8)]
    steps = [T.ToTensor(), T.Normalize(MEAN, STD), T.RandomErasing(1, value=0)]
    (found,) = results(T.Compose(steps), solid)
    erased = numpy.abs(found) < 0.5 / 255 / min(STD) + 1e-5
    assert erased.any() and not erased.all()
    assert (erased[0] == erased[1]).all() and (erased[0] == erased[2]).all()


def test_erasing_with_noise_is_for_normalized_values():
    solid = [numpy.full((90, 90, 3), 123, numpy.uint8)]
    erase = T.RandomErasing(1, scale=(0.3, 0.3), value="random")
    (found,) = results(T.Compose([T.ToTensor(), T.Normalize([0.5] * 3, [0.2] * 3), erase]), solid)
    erased = numpy.abs(found - (123 / 255 - 0.5) / 0.2) > 1e-5
    assert 0.25 < erased.mean() < 0.31
    assert abs(found[erased].mean()) < 0.05 and abs(found[erased].std() - 1) < 0.05
    with pytest.raises(sluice.BuildError, match="value='random' is noise in normalized units; put RandomErasing after Normalize, or call ops"):
        results(T.Compose([T.ToTensor(), erase]), solid)


@pytest.mark.parametrize("suffix", ["jpg", "png"])
def test_files_are_decoded(folder, paths, suffix, tmp_path):
    files = [path.read_bytes() for path in paths]
    if suffix == "png":
        pil = pytest.importorskip("PIL.Image")
        for i, path in enumerate(paths):
            pil.open(path).save(tmp_path / f"{i}.png")
        files = [(tmp_path / f"{i}.png").read_bytes() for i in range(len(paths))]
    transform = T.Compose([T.RandomResizedCrop(16), T.RandomHorizontalFlip()])

    @sluice.pipeline(batch_size=1, seed=3)
    def of_files():
        return transform(sluice.source(Images(files), returns="bytes"))

    @sluice.pipeline(batch_size=1, seed=3)
    def of_images():
        return transform(ops.decode_image(sluice.source(Images(files), returns="bytes")))

    for one, other in zip(of_files(), of_images()):
        numpy.testing.assert_array_equal(numpy.asarray(one[0]), numpy.asarray(other[0]))


@pytest.mark.parametrize("transform", [T.MixUp(), T.CutMix(alpha=0.5), T.RandomChoice([T.CutMix(), T.MixUp(alpha=0.2)])], ids=repr)
def test_batches_are_mixed(folder, transform):
    @sluice.pipeline(batch_size=6, seed=1)
    def labeled():
        file, label = sluice.files(folder)
        return T.Compose([T.Resize((16, 16)), T.ToTensor()])(file), ops.one_hot(label, classes=3)

    plain = [numpy.asarray(labels).copy() for _, labels in labeled()]
    mixed = [numpy.asarray(labels).copy() for _, labels in labeled().batch_step(transform)]
    assert any(not numpy.array_equal(one, other) for one, other in zip(plain, mixed))
    for one in mixed:
        numpy.testing.assert_allclose(one.sum(axis=1), 1, atol=1e-6)


def test_a_choice_of_batches_chooses_each():
    chosen = []

    class Marked(T.BatchTransform):
        num_classes = None

        def __init__(self, name):
            self.name = name

        def __call__(self, batch, key):
            chosen.append(self.name)

    choice = T.RandomChoice([Marked("a"), Marked("b")], p=[1, 3])
    for batch in range(2000):
        choice(None, (0, 0, batch))
    chi_square({name: chosen.count(name) for name in "ab"}, {"a": 500, "b": 1500})


class torchvision_like:
    """Stands for a transform of another library."""

    def __call__(self, image):
        return image


torchvision_like.__module__ = "torchvision.transforms.v2"


WRONG = {
    "p": (lambda: T.RandomHorizontalFlip(1.5), "RandomHorizontalFlip: p must lie between 0 and 1 (got 1.5)"),
    "size": (lambda: T.RandomCrop(0), "RandomCrop: size must be a whole number of at least 1, or (height, width) (got 0)"),
    "cubic without antialias": (
        lambda: T.Resize(9, "bicubic", antialias=False),
        "Resize: antialias=False is available for 'nearest' and 'bilinear' (got 'bicubic'); leave it out",
    ),
    "max_size": (lambda: T.Resize(9, max_size=9), "Resize: max_size needs size to be one number below it (got 9 and 9)"),
    "no size": (lambda: T.Resize(None), "Resize: pass size, or max_size for the longer side"),
    "scale": (
        lambda: T.RandomResizedCrop(9, scale=(1, 0.5)), "RandomResizedCrop: scale must be a range of 2 numbers, smallest first (got (1, 0.5))",
    ),
    "degrees": (lambda: T.RandomRotation(-3), "RandomRotation: degrees must be at least 0, or a range (got -3)"),
    "hue": (lambda: T.ColorJitter(hue=0.6), "ColorJitter: hue must lie between -0.5 and 0.5 (got 0.6)"),
    "symmetric": (
        lambda: T.Pad(1, padding_mode="symmetric"),
        "Pad: padding_mode must be 'constant', 'edge' or 'reflect'; 'symmetric' is not available (got 'symmetric')",
    ),
    "a word": (lambda: T.RandomErasing(value="rand"), "RandomErasing: value must be a number, one for each channel, or 'random' (got 'rand')"),
    "dtype": (
        lambda: T.ToDtype("int64"), "ToDtype: dtype must be uint8, float32, float16 or bfloat16, as a dtype of PyTorch or a str (got 'int64')",
    ),
    "weights": (lambda: T.RandomChoice([T.RandomInvert()], [1, 2]), "RandomChoice: p must have one weight for each transform, 1, at least 0 and not all 0 (got [1, 2])"),
    "too many orders": (lambda: T.RandomOrder([T.RandomInvert()] * 6), "RandomOrder takes at most 5 transforms (got 6)"),
    "empty": (lambda: T.Compose([]), "Compose takes at least 1 transform (got 0)"),
    "no weight": (
        lambda: T.RandomChoice([T.MixUp(), T.CutMix()], [0, 0]),
        "RandomChoice: p must have one weight for each transform, 2, at least 0 and not all 0 (got [0, 0])",
    ),
    "two lengths": (
        lambda: T.RandomChoice([T.MixUp(num_classes=3), T.CutMix(num_classes=5)]),
        "RandomChoice: num_classes must be the same for all transforms (got [3, 5])",
    ),
    "not a number": (
        lambda: T.RandomErasing(value=math.nan), "RandomErasing: value must be 1 or 3 finite numbers (got nan)",
    ),
    "no transform": (lambda: T.Compose([3]), "Compose takes transforms, and functions of a Value, not 3"),
    "batches": (
        lambda: T.Compose([T.MixUp()]),
        "Compose: MixUp(alpha=1.0, num_classes=None) changes whole batches; pass it as batch_transform= of ImageFolder",
    ),
    "torchvision": (
        lambda: T.Compose([torchvision_like()]),
        "Compose: torchvision_like is of torchvision, not of sluice.transforms; use sluice.transforms.torchvision_like, or "
        "sluice.map to call it for each sample",
    ),
    "a class": (lambda: T.Compose([T.ToTensor]), "Compose: ToTensor is a class; write ToTensor()"),
    "half a pixel": (lambda: T.Resize(224.5), "Resize: size must be whole numbers (got [224.5])"),
    "4 means, 3 deviations": (
        lambda: T.Normalize([0, 0, 0, 0], [1, 1, 1]), "Normalize: mean and std must have equally many numbers, or one (got [0, 0, 0, 0] and [1, 1, 1])",
    ),
    "alpha": (lambda: T.MixUp(alpha=-1), "MixUp: alpha must be a number from 0.000001 to 1000 (got -1)"),
    "shear": (
        lambda: T.RandomAffine(3, shear=95), "RandomAffine: shear must be 1, 2 or 4 numbers from -89 to 89 (got (-95.0, 95.0))",
    ),
    "quality": (lambda: T.JPEG(0), "JPEG: quality must be a whole number from 1 to 100, or a range of 2 (got 0)"),
    "blur": (lambda: T.GaussianBlur([3, 5]), "GaussianBlur: kernel_size must be the same in both directions (got [3, 5])"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    make, message = WRONG[name]
    with pytest.raises(sluice.BuildError) as error:
        make()
    assert str(error.value) == message


MISPLACED = {
    "resize": ([T.ToTensor(), T.Resize(9)], "Resize works on images of uint8, but ToTensor, ToDtype or Normalize comes before it; put Resize before them"),
    "twice": ([T.ToTensor(), T.Normalize(MEAN, STD), T.Normalize(MEAN, STD)], "Normalize must come once, after ToDtype with a floating-point dtype in the same Compose"),
    "too early": ([T.Normalize(MEAN, STD)], "Normalize must come once, after ToDtype with a floating-point dtype in the same Compose"),
    "dtypes": ([T.ToTensor(), T.ToDtype("float16")], "ToDtype: the image has another floating-point dtype already; leave out one of the two"),
    "in a branch": (
        [T.RandomApply([T.ToImage()])], "RandomApply cannot contain ToImage, ToDtype or Normalize; put them after RandomApply",
    ),
}


@pytest.mark.parametrize("name", MISPLACED)
def test_wrong_places(name):
    steps, message = MISPLACED[name]
    with pytest.raises(sluice.BuildError) as error:
        results(T.Compose(steps))
    assert str(error.value) == message


LOOK = [T.ColorJitter(0.1), T.RandomApply([T.RandomInvert()]), T.RandomCrop(8), T.RandomHorizontalFlip()]
# Steps before Normalize, the channels of the array, how many means and deviations, and whether they fit.
CHANNELS = {
    "one for all, gray": ([], 1, (1, 1), True),
    "one for all, 2 channels": ([], 2, (1, 1), True),
    "one for all, RGBA": ([], 4, (1, 1), True),
    "RGB": (LOOK, 3, (3, 3), True),
    "RGB, one deviation": ([], 3, (3, 1), True),
    "RGB, one mean": ([], 3, (1, 3), True),
    "RGBA": ([], 4, (4, 4), True),
    "3 for gray": ([T.CenterCrop(8)], 1, (3, 3), False),
    "3 means for gray": ([], 1, (3, 1), False),
    "3 deviations for gray": ([], 1, (1, 3), False),
    "3 for 2 channels": ([], 2, (3, 3), False),
    "4 for RGB": (LOOK, 3, (4, 4), False),
    "3 for RGBA": ([], 4, (3, 3), False),
    "3 means for RGBA": ([], 4, (3, 1), False),
    "3 deviations for RGBA": ([], 4, (1, 3), False),
    "a gray one": ([T.Grayscale()], 3, (3, 3), False),
    "gray of 3": ([T.Grayscale(3)], 1, (3, 3), True),
    "gray of 3 at times": ([T.RandomGrayscale(1)], 1, (3, 3), True),
    "gray of 3 by a function": ([T.Grayscale(), lambda x: ops.grayscale(x, channels=3)], 3, (3, 3), True),
    "gray of 3 by an array": ([T.Lambda(lambda x: x.repeat(3, 2))], 1, (3, 3), True),
}


@pytest.mark.parametrize("name", CHANNELS)
def test_normalize_needs_a_number_for_each_channel(name):
    steps, channels, (means, deviations), fit = CHANNELS[name]
    image = draw(5, 10, 12)[:, :, [0, 1, 2, 0][:channels]]
    mean, std = [0.1, 0.2, 0.3, 0.4][:means], [0.9, 0.8, 0.7, 0.6][:deviations]
    transform = T.Compose([*steps, T.ToTensor(), T.Normalize(mean, std)])
    if fit:
        found, plain = transform(image, seed=1), T.Compose([*steps, T.ToTensor()])(image, seed=1)
        expected = (plain - numpy.reshape(mean, (-1, 1, 1))) / numpy.reshape(std, (-1, 1, 1))
        numpy.testing.assert_allclose(found, expected, atol=1e-6)
        return
    with pytest.raises(sluice.BuildError, match=f"Normalize: mean and std have {max(means, deviations)} numbers, but the image has . channel"):
        transform(image)


def test_normalize_counts_the_channels_of_files_and_of_images_of_pil(paths):
    four = T.Compose([T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize([0.5] * 4, [0.5])])
    message = "mean and std have 4 numbers, but the image has 3 channels; pass one number, or one for each channel"
    with pytest.raises(sluice.BuildError, match=message):
        four(paths[0].read_bytes())
    pil = pytest.importorskip("PIL.Image")
    with pytest.raises(sluice.BuildError, match=message):
        four(pil.fromarray(draw(1)))
    assert four(pil.fromarray(draw(1)).convert("RGBA")).shape[0] == 4
    with pytest.raises(sluice.BuildError, match="but the image has 1 channel; .*; Grayscale.3. before it makes 3 channels"):
        T.Compose([T.ToTensor(), T.Normalize(MEAN, STD)])(pil.fromarray(draw(1)).convert("L"))


@pytest.mark.parametrize("numbers", [(MEAN, STD), (MEAN, [0.5]), ([0.5], STD)])
def test_a_sample_of_4_channels_fails_if_3_are_normalized(numbers):
    with pytest.raises(sluice.BatchError, match="std of channel 3 is 0"):
        results(T.Compose([T.ToTensor(), T.Normalize(*numbers)]), [draw(1)[:, :, [0, 1, 2, 0]]])


def test_transforms_one_after_the_other_stop_at_a_tensor():
    with pytest.raises(sluice.BuildError) as error:
        results(lambda x: T.Normalize(MEAN, STD)(T.ToTensor()(x)))
    assert "Normalize must come once, after ToDtype" in str(error.value)
    with pytest.raises(sluice.BuildError) as error:
        results(lambda x: T.Resize(9)(T.ToTensor()(x)))
    assert str(error.value).startswith("Resize takes an image or a file, not a tensor: ")


def test_an_operators_error_names_the_transform():
    with pytest.raises(sluice.BuildError) as error:
        results(T.Compose([T.GaussianBlur(4)]))
    assert str(error.value).startswith("GaussianBlur: gaussian_blur: window_size must be")


@pytest.mark.parametrize("wrong", [None, 3, (1, 2)])
def test_a_step_that_returns_no_image(wrong):
    class Own(T.Transform):
        def _change(self, image):
            return wrong

    for steps in ([Own()], [lambda image: wrong]):
        with pytest.raises(sluice.BuildError, match="a transform must return a Value of an image"):
            results(T.Compose(steps))


def test_a_subclass_may_be_a_function():
    class Inverted(T.Transform):
        def __call__(self, image):
            return ops.invert(image)

    for one, other in zip(results(T.Compose([Inverted()])), results(ops.invert)):
        numpy.testing.assert_array_equal(one, other)


def test_large_distortions_do_not_fail():
    image = [draw(1, 9, 9)]
    assert len(results(T.RandomPerspective(1, 1), image, 500)) == 500


def test_transforms_can_be_copied():
    for make in (copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x))):
        transform = T.Compose([T.RandomChoice([T.Resize(9), T.RandomInvert(1)]), T.ToTensor()])
        transform(draw(1))
        assert repr(make(transform)) == repr(transform)
        numpy.testing.assert_array_equal(make(transform)(draw(1), seed=3), transform(draw(1), seed=3))


def test_names_of_other_transforms_have_advice():
    with pytest.raises(AttributeError, match="there is no transform 'FiveCrop'; in its place: ops.crop"):
        T.FiveCrop
    for name, says in (
        ("RandomResizeCrop", "did you mean RandomResizedCrop"), ("Mixup", "did you mean MixUp"), ("PILToTensor", "in its place: ToImage()"),
        ("RGB", "leave it out"), ("InterpolationMode", "in its place: 'nearest'"),
    ):
        with pytest.raises(AttributeError, match=f"there is no transform '{name}'; {says}"):
            getattr(T, name)
    assert "RandomResizedCrop" in dir(T) and "_State" not in dir(T)


def test_a_transform_prints_as_it_is_made():
    assert repr(T.Compose([T.CenterCrop(9), T.RandomSolarize(7, 0.1), T.ToTensor()])) == (
        "Compose(\n    CenterCrop(size=(9, 9))\n    RandomSolarize(threshold=7, p=0.1)\n    ToTensor()\n)"
    )
    both = [T.CutMix(), T.MixUp(alpha=0.2)]
    assert repr(T.RandomChoice(both, p=[1, 2])) == f"RandomChoice(transforms={both}, p=[1.0, 2.0])"
