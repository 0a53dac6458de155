"""Twenty short programs that albumentations' users write, each with the same program in Sluice.

Each class is one program, as in of_torchvision.py. `image` is an array (height, width, channels) for both.
"""

import itertools
import json
import pathlib
import pickle

import numpy
from conftest import draw

import sluice
from sluice import ops
from sluice import transforms as T

try:
    import albumentations as A
    import cv2
except ModuleNotFoundError:  # then only Sluice's versions run
    pass

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
IMAGE = draw(1, 60, 80)  # what the programs are given


class First:
    """A first transform of one image."""

    def peer(image):
        transform = A.Compose([A.RandomCrop(height=40, width=40), A.HorizontalFlip(p=0.5), A.RandomBrightnessContrast(p=0.2)])
        return transform(image=image)["image"]

    def ours(image):
        transform = T.Compose([T.RandomCrop(40), T.RandomHorizontalFlip(p=0.5), T.RandomApply([T.ColorJitter(0.2, 0.2)], p=0.2)])
        return transform(image)

    def check(image):
        assert image.shape == (40, 40, 3) and image.dtype == numpy.uint8


class ToTensor:
    """A normalized tensor, channels first."""

    levels = 1e-5

    def peer(image):
        transform = A.Compose([A.Normalize(mean=MEAN, std=STD), A.ToTensorV2()])
        return transform(image=image)["image"]

    def ours(image):
        return ops.normalize(image, MEAN, STD)

    def check(tensor):
        assert tensor.shape == (3, 60, 80) and tensor.dtype == numpy.float32


class OneOf:
    """One of three blurs, with a probability."""

    def peer(image):
        blurs = [A.GaussianBlur(p=1), A.MotionBlur(blur_limit=5, p=1), A.MedianBlur(blur_limit=5, p=1)]
        return A.Compose([A.OneOf(blurs, p=0.7)])(image=image)["image"]

    def ours(image):
        motion, median = lambda x: ops.motion_blur(x, length=5), lambda x: ops.median_blur(x, window_size=5)
        return T.RandomApply([T.RandomChoice([T.GaussianBlur(5), motion, median])], p=0.7)(image)

    def check(image):
        assert image.shape == (60, 80, 3)


class SomeOf:
    """Two of four steps."""

    def peer(image):
        steps = [A.HorizontalFlip(p=1), A.InvertImg(p=1), A.Equalize(p=1), A.ToGray(p=1)]
        return A.SomeOf(steps, n=2, replace=False, p=1)(image=image)["image"]

    def ours(image):
        steps = [T.RandomHorizontalFlip(p=1), ops.invert, ops.equalize, T.Grayscale(3)]
        return T.RandomChoice([T.Compose(two) for two in itertools.combinations(steps, 2)])(image)

    def check(image):
        assert image.shape == (60, 80, 3)


class Resizing:
    """A size in pixels, without antialiasing."""

    levels = 1

    def peer(image):
        return A.Resize(height=48, width=100)(image=image)["image"]

    def ours(image):
        return ops.resize(image, height=48, width=100, antialias=False)

    def check(image):
        assert image.shape == (48, 100, 3)


class ShorterSide:
    """A size of the shorter side, and the middle."""

    levels = 1

    def peer(image):
        transform = A.Compose([A.SmallestMaxSize(max_size=48), A.CenterCrop(height=40, width=40)])
        return transform(image=image)["image"]

    def ours(image):
        image = ops.resize(image, shorter=48, antialias=False)
        return ops.center_crop(image, 40, 40)

    def check(image):
        assert image.shape == (40, 40, 3)


class Padding:
    """A least size."""

    levels = 0

    def peer(image):
        pad = A.PadIfNeeded(min_height=96, min_width=96, position="top_left", border_mode=cv2.BORDER_CONSTANT, fill=9)
        return pad(image=image)["image"]

    def ours(image):
        return ops.pad_image(image, height=96, width=96, fill=9)

    def check(image):
        assert image.shape == (96, 96, 3) and (image[-1, -1] == 9).all()


class Pixels:
    """Steps that change single pixels."""

    levels = 1

    def peer(image):
        transform = A.Compose([A.InvertImg(p=1), A.Posterize(num_bits=4, p=1), A.ToGray(p=1)])
        return transform(image=image)["image"]

    def ours(image):
        image = ops.posterize(ops.invert(image), 4)
        return ops.grayscale(image, channels=3)

    def check(image):
        assert image.shape == (60, 80, 3) and (image[..., 0] == image[..., 2]).all()


class Colors:
    """Random changes of colors."""

    def peer(image):
        transform = A.Compose([A.HueSaturationValue(p=0.5), A.RandomGamma(p=0.5), A.CLAHE(p=0.5)])
        return transform(image=image)["image"]

    def ours(image):
        gamma = lambda x: ops.gamma_correction(x, ops.uniform(0.8, 1.2))  # noqa: E731
        return T.Compose([T.RandomApply([one]) for one in (T.ColorJitter(saturation=0.2, hue=0.1), gamma, ops.clahe)])(image)

    def check(image):
        assert image.shape == (60, 80, 3)


class Noise:
    """Noise of a random strength."""

    def peer(image):
        noise = A.GaussNoise(std_range=(0.1, 0.2), p=1)
        return noise(image=image)["image"]

    def ours(image):
        noise = T.Compose([lambda x: ops.gaussian_noise(x, sigma=ops.uniform(0.1, 0.2))])
        return noise(image)

    def check(image):
        assert 10 < abs(image.astype(int) - IMAGE).mean() < 45


class Holes:
    """Rectangles that are filled with black."""

    def peer(image):
        return A.CoarseDropout(num_holes_range=(6, 6), hole_height_range=(8, 8), hole_width_range=(8, 8), p=1)(image=image)["image"]

    def ours(image):
        return ops.coarse_dropout(image, holes=6, height=8, width=8)

    def check(image):
        assert 64 <= (image == 0).all(axis=2).sum() <= 6 * 64 + 10


class Turns:
    """A turn or a reflection of a square, at random."""

    def peer(image):
        transform = A.Compose([A.CenterCrop(height=50, width=50), A.SquareSymmetry(p=1)])
        return transform(image=image)["image"]

    def ours(image):
        transform = T.Compose([T.CenterCrop(50), lambda x: ops.d4(x, ops.randint(0, 8))])
        return transform(image)

    def check(image):
        corners = {tuple(image[y, x]) for y in (0, -1) for x in (0, -1)}
        square = IMAGE[5:55, 15:65]
        assert corners == {tuple(square[y, x]) for y in (0, -1) for x in (0, -1)}


class Affine:
    """A random scale, shift and turn in one warp."""

    def peer(image):
        warp = A.Affine(scale=(0.9, 1.1), translate_percent=(-0.1, 0.1), rotate=(-15, 15), fill=7, p=1)
        return warp(image=image)["image"]

    def ours(image):
        warp = T.RandomAffine(15, translate=(0.1, 0.1), scale=(0.9, 1.1), interpolation="bilinear", fill=7)
        return warp(image)

    def check(image):
        assert image.shape == (60, 80, 3) and (image != IMAGE).any()


class Compression:
    """What a bad camera does."""

    def peer(image):
        transform = A.Compose([A.Downscale(scale_range=(0.5, 0.5), p=1), A.ImageCompression(quality_range=(30, 60), p=1)])
        return transform(image=image)["image"]

    def ours(image):
        transform = T.Compose([lambda x: ops.downscale(x, 0.5), T.JPEG((30, 60))])
        return transform(image)

    def check(image):
        assert image.shape == (60, 80, 3) and (image != IMAGE).any()


class MasksAndBoxes:
    """An image, its mask and boxes, flipped together."""

    levels = 1e-4

    def peer(image):
        boxes = A.BboxParams(format="pascal_voc", label_fields=[])
        flip = A.Compose([A.VerticalFlip(p=1)], bbox_params=boxes)
        found = flip(image=image, mask=image[:, :, 0], bboxes=numpy.array([[10.0, 20, 40, 50]]))
        return found["image"], found["mask"][..., None], found["bboxes"]

    def ours(image):
        both = {"horizontal": False, "vertical": True}
        boxes = ops.flip_boxes(numpy.array([[10.0, 20, 40, 50]], "f4"), size=image.shape[:2], **both)
        return ops.flip(image, **both), ops.flip(image[:, :, 0], **both), boxes

    def check(results):
        image, mask, boxes = results
        assert (image[..., 0] == mask[..., 0]).all() and numpy.allclose(boxes, [[10, 10, 40, 40]], atol=1e-4)


class SafeCrop:
    """A random crop that keeps boxes, of a list of images."""

    def peer(image):
        crop = A.Compose([A.BBoxSafeRandomCrop(p=1), A.Resize(64, 64)], bbox_params=A.BboxParams("pascal_voc", label_fields=["labels"]))

        def load(row):
            image = cv2.cvtColor(cv2.imread(row["path"]), cv2.COLOR_BGR2RGB)
            found = crop(image=image, bboxes=numpy.array(row["boxes"], float), labels=row["labels"])
            return found["image"], found["bboxes"], found["labels"]

        with open("train.jsonl") as rows:
            return [load(json.loads(row)) for row in rows]

    def ours(image):
        @sluice.pipeline(batch_size=1)
        def load(path):
            file, boxes, labels = sluice.list_file(path, {"boxes": "list of f32", "labels": "list of i64"})
            only_crop = {"zoom_probability": 0, "mirror_probability": 0, "color_probability": 0}
            return ops.detection_augment(file, ops.rows_of(boxes, 4), ops.labels_of(labels), height=64, width=64, **only_crop)

        return [(images[0], boxes[0], labels[0]) for images, boxes, labels in load("train.jsonl")]

    def check(samples):
        for image, boxes, labels in samples:
            assert image.shape == (64, 64, 3) and len(boxes) == len(labels) >= 1
            assert (boxes >= -0.01).all() and (boxes <= 64.01).all()


class Dataset:
    """A dataset of files for training: read, augment, batch."""

    def peer(image):
        class Photos(list):
            def __getitem__(self, i):
                image = cv2.cvtColor(cv2.imread(super().__getitem__(i)), cv2.COLOR_BGR2RGB)
                return transform(image=image)["image"]

        transform = A.Compose([A.RandomResizedCrop(size=(32, 32)), A.HorizontalFlip(), A.Normalize(), A.ToTensorV2()])
        photos = Photos(["photos/a/0.jpg", "photos/b/1.jpg", "photos/a/2.jpg", "photos/b/3.jpg"])
        return numpy.stack([photos[i] for i in range(len(photos))])

    def ours(image):
        @sluice.pipeline(batch_size=4)
        def photos(folder):
            file, label = sluice.files(folder)
            image = ops.random_resized_crop(file, size=32)
            return ops.crop_mirror_normalize(image, mirror=ops.coin_flip(), mean=MEAN, std=STD)

        return next(iter(photos("photos")))[0]

    def check(batch):
        assert batch.shape == (4, 3, 32, 32) and batch.dtype == numpy.float32


class Replay:
    """The same random crop for each image of a video."""

    def peer(image):
        crop = A.ReplayCompose([A.RandomCrop(height=30, width=30), A.HorizontalFlip()])
        first = crop(image=image)
        second = A.ReplayCompose.replay(first["replay"], image=255 - image)
        return first["image"], second["image"]

    def ours(image):
        crop = T.Compose([T.RandomCrop(30), T.RandomHorizontalFlip()])
        return crop(image, seed=7), crop(255 - image, seed=7)

    def check(images):
        first, second = images
        assert first.shape == (30, 30, 3) and (second == 255 - first).all()


class OwnStep:
    """A step of one's own in a transform."""

    levels = 0

    def peer(image):
        swap = A.Lambda(image=lambda image, **kwargs: image[:, :, ::-1].copy(), p=1)
        return A.Compose([swap, A.HorizontalFlip(p=1)])(image=image)["image"]

    def ours(image):
        swap = lambda x: sluice.map(lambda image: image[:, :, ::-1].copy(), x, returns="image")  # noqa: E731
        return T.Compose([swap, T.RandomHorizontalFlip(p=1)])(image)

    def check(image):
        assert (image == IMAGE[:, ::-1, ::-1]).all()


class Saving:
    """A transform that is saved, and loaded by another program."""

    levels = 1

    def peer(image):
        A.save(A.Compose([A.Resize(30, 40), A.InvertImg(p=1)]), "transform.json")
        return A.load("transform.json")(image=image)["image"]

    def ours(image):
        pathlib.Path("transform").write_bytes(pickle.dumps(T.Compose([T.Resize((30, 40), antialias=False), T.RandomInvert(p=1)])))
        return pickle.loads(pathlib.Path("transform").read_bytes())(image)

    def check(image):
        assert image.shape == (30, 40, 3)
