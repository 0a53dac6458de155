"""Twenty short programs that torchvision's users write, each with the same program in Sluice.

Each class is one program: ``peer`` is torchvision's version, ``ours`` is Sluice's in as many lines or fewer, and ``check``
says what both results must be. ``levels`` is how far pixel values, or numbers, may differ if nothing is drawn at random.
The working folder holds ``photos`` and ``mnist``, and ``train.jsonl``, which lists images with boxes, labels and masks.
`image` is an image of PIL for torchvision, and an array (height, width, channels) for Sluice.
"""

import json

import numpy

import sluice
from sluice import ops
from sluice import transforms as T

try:
    import PIL.Image
    import torch
    import torchvision
    from torch.utils.data import DataLoader, Dataset, IterableDataset, Subset, WeightedRandomSampler
    from torchvision import tv_tensors
    from torchvision.datasets import MNIST, ImageFolder
    from torchvision.transforms import v2
    from torchvision.transforms.v2 import functional as F
except ModuleNotFoundError:  # then only Sluice's versions run
    Dataset = IterableDataset = object

MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


class Training:
    """The usual transform for training, applied to one image."""

    def peer(image):
        transform = v2.Compose([
            v2.RandomResizedCrop(32),
            v2.RandomHorizontalFlip(p=0.5),
            v2.ToImage(),
            v2.ToDtype(torch.float32, scale=True),
            v2.Normalize(mean=MEAN, std=STD),
        ])
        return transform(image)

    def ours(image):
        transform = T.Compose([
            T.RandomResizedCrop(32),
            T.RandomHorizontalFlip(p=0.5),
            T.ToImage(),
            T.ToDtype("float32", scale=True),
            T.Normalize(mean=MEAN, std=STD),
        ])
        return transform(image)

    def check(tensor):
        assert tensor.shape == (3, 32, 32) and tensor.dtype == numpy.float32
        assert -2.2 < tensor.min() < tensor.max() < 2.7


class Evaluation:
    """The usual transform for evaluation: nothing is drawn at random."""

    levels = 2 / 255 / 0.224

    def peer(image):
        steps = [v2.Resize(40), v2.CenterCrop(32), v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)]
        return v2.Compose(steps)(image)

    def ours(image):
        steps = [T.Resize(40), T.CenterCrop(32), T.ToTensor(), T.Normalize(MEAN, STD)]
        return T.Compose(steps)(image)

    def check(tensor):
        assert tensor.shape == (3, 32, 32)


class Functional:
    """Single functions on single images."""

    levels = 1

    def peer(image):
        image = F.adjust_brightness(F.horizontal_flip(image), 1.3)
        return F.rotate(F.gaussian_blur(image, 5, 1.2), 90, expand=True)

    def ours(image):
        image = ops.brightness_contrast(ops.flip(image), brightness=1.3)
        return ops.rotate(ops.gaussian_blur(image, sigma=1.2, window_size=5), 90)

    def check(image):
        assert image.shape == (80, 60, 3) and image.dtype == numpy.uint8


class Colors:
    """Random changes of colors."""

    def peer(image):
        jitter = v2.ColorJitter(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1)
        return v2.Compose([v2.RandomApply([jitter], p=0.8), v2.RandomGrayscale(p=0.2), v2.GaussianBlur(5)])(image)

    def ours(image):
        jitter = T.ColorJitter(brightness=0.4, contrast=0.4, saturation=0.4, hue=0.1)
        return T.Compose([T.RandomApply([jitter], p=0.8), T.RandomGrayscale(p=0.2), T.GaussianBlur(5)])(image)

    def check(image):
        assert image.shape == (60, 80, 3)


class Policies:
    """A policy of automatic augmentation, chosen at random."""

    def peer(image):
        policies = [v2.RandAugment(), v2.TrivialAugmentWide(), v2.AutoAugment(), v2.AugMix()]
        return v2.RandomChoice(policies)(image)

    def ours(image):
        policies = [T.RandAugment(), T.TrivialAugmentWide(), T.AutoAugment(), T.AugMix()]
        return T.RandomChoice(policies)(image)

    def check(image):
        assert image.shape == (60, 80, 3) and image.dtype == numpy.uint8


class Geometry:
    """Random warps, in random order."""

    def peer(image):
        warps = [v2.RandomAffine(15, translate=(0.1, 0.1), scale=(0.9, 1.1)), v2.RandomPerspective(p=1), v2.ElasticTransform()]
        return v2.RandomOrder(warps)(image)

    def ours(image):
        warps = [T.RandomAffine(15, translate=(0.1, 0.1), scale=(0.9, 1.1)), T.RandomPerspective(p=1), T.ElasticTransform()]
        return T.RandomOrder(warps)(image)

    def check(image):
        assert image.shape == (60, 80, 3) and (image == 0).any()  # black, where nothing came from the image


class OwnTransform:
    """A transform of one's own, between two others."""

    levels = 1

    def peer(image):
        darker = v2.Lambda(lambda image: F.adjust_brightness(F.invert(image), 0.5))
        return v2.Compose([v2.Pad(4), darker, v2.CenterCrop(50)])(image)

    def ours(image):
        darker = lambda image: ops.brightness_contrast(ops.invert(image), brightness=0.5)  # noqa: E731
        return T.Compose([T.Pad(4), darker, T.CenterCrop(50)])(image)

    def check(image):
        assert image.shape == (50, 50, 3) and image.max() < 130


class Erasing:
    """A rectangle of normalized numbers is erased."""

    def peer(image):
        erase = v2.RandomErasing(p=1, scale=(0.1, 0.1), ratio=(1, 1))
        return v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD), erase])(image)

    def ours(image):
        erase = T.RandomErasing(p=1, scale=(0.1, 0.1), ratio=(1, 1))
        return T.Compose([T.ToTensor(), T.Normalize(MEAN, STD), erase])(image)

    def check(tensor):
        assert 400 < (abs(tensor).max(axis=0) < 0.01).sum() < 560  # a tenth of 60 x 80 pixels


class Decoding:
    """A part of a file."""

    levels = 0

    def peer(image):
        photo = torchvision.io.decode_image("photos/a/0.jpg")
        return photo[:, 10:30, 20:60].permute(1, 2, 0)

    def ours(image):
        with open("photos/a/0.jpg", "rb") as file:
            return sluice.decode_and_crop_jpeg(file.read(), y=10, x=20, height=20, width=40)

    def check(image):
        assert image.shape == (20, 40, 3) and image.dtype == numpy.uint8


class Folder:
    """A folder of classes, in batches."""

    needs = "torch"

    def peer(image):
        transform = v2.Compose([v2.RandomResizedCrop(32), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)])
        dataset = ImageFolder("photos", transform)
        loader = DataLoader(dataset, batch_size=4, shuffle=True, drop_last=True)
        return [(images, labels) for images, labels in loader]

    def ours(image):
        transform = T.Compose([T.RandomResizedCrop(32), T.ToTensor()])
        loader = sluice.torch.ImageFolder("photos", transform, batch_size=4, shuffle=True, drop_last=True)
        return [(images, labels) for images, labels in loader]

    def check(batches):
        assert [images.shape for images, _ in batches] == [(4, 3, 32, 32)] * 2
        assert sorted(int(label) for _, labels in batches for label in labels) == [0] * 4 + [1] * 4


class MixedBatches:
    """CutMix or MixUp, chosen at random for each batch."""

    needs = "torch"

    def peer(image):
        mix = v2.RandomChoice([v2.CutMix(num_classes=2), v2.MixUp(num_classes=2)])
        dataset = ImageFolder("photos", v2.Compose([v2.Resize((32, 32)), v2.ToImage(), v2.ToDtype(torch.float32, scale=True)]))
        loader = DataLoader(dataset, batch_size=8, collate_fn=lambda samples: mix(*torch.utils.data.default_collate(samples)))
        return next(iter(loader))

    def ours(image):
        mix = T.RandomChoice([T.CutMix(), T.MixUp()])
        loader = sluice.torch.ImageFolder("photos", T.Compose([T.Resize((32, 32)), T.ToTensor()]), batch_size=8, batch_transform=mix)
        return next(iter(loader))

    def check(batch):
        images, labels = batch
        assert images.shape == (8, 3, 32, 32) and labels.shape == (8, 2)
        assert numpy.allclose(labels.sum(axis=1), 1)


class Weights:
    """Samples that are drawn by weights."""

    needs = "torch"

    def peer(image):
        dataset = ImageFolder("photos", v2.Compose([v2.Resize((32, 32)), v2.ToImage()]))
        sampler = WeightedRandomSampler([1, 1, 1, 1, 0, 0, 0, 0], num_samples=12)
        return [labels for _, labels in DataLoader(dataset, batch_size=6, sampler=sampler)]

    def ours(image):
        options = {"weights": [1, 1, 1, 1, 0, 0, 0, 0], "draws": 12}
        return [labels for _, labels in sluice.torch.ImageFolder("photos", T.Resize((32, 32)), batch_size=6, **options)]

    def check(labels):
        assert [one.tolist() for one in labels] == [[0] * 6] * 2


class PartOfDataset:
    """Some of the samples, in an order of one's own."""

    needs = "torch"
    levels = 1

    def peer(image):
        dataset = Subset(ImageFolder("photos", v2.Compose([v2.Resize((30, 40)), v2.ToImage()])), [7, 0, 3])
        return next(iter(DataLoader(dataset, batch_size=3)))

    def ours(image):
        transform = T.Compose([T.Resize((30, 40)), T.ToImage()])
        return next(iter(sluice.torch.ImageFolder("photos", transform, batch_size=3, subset=[7, 0, 3])))

    def check(batch):
        images, labels = batch
        assert images.shape == (3, 3, 30, 40) and labels.tolist() == [1, 0, 0]


class OwnDataset:
    """A dataset in Python, and random steps after it."""

    class Squares(Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, i):
            return numpy.full((8, 8, 3), 10 * i, numpy.uint8), i * i

    def peer(image):
        class Flipped(OwnDataset.Squares):
            def __getitem__(self, i):
                image, square = super().__getitem__(i)
                return v2.RandomHorizontalFlip()(v2.functional.to_image(image)), square

        images, squares = next(iter(DataLoader(Flipped(), batch_size=6)))
        return images.permute(0, 2, 3, 1), squares

    def ours(image):
        @sluice.pipeline(batch_size=6)
        def flipped():
            image, square = sluice.source(OwnDataset.Squares(), returns=("image", int))
            return T.RandomHorizontalFlip()(image), square

        return next(iter(flipped()))

    def check(batch):
        images, squares = batch
        assert images.shape == (6, 8, 8, 3) and squares.tolist() == [0, 1, 4, 9, 16, 25]
        assert images[5].max() == 50


class Iterable:
    """Samples that come from an iterator."""

    levels = 0

    def peer(image):
        class Numbers(IterableDataset):
            def __iter__(self):
                return iter(range(0, 50, 10))

        return list(DataLoader(Numbers(), batch_size=2))

    def ours(image):
        @sluice.pipeline(batch_size=2)
        def numbers():
            return sluice.iterate(lambda: iter(range(0, 50, 10)), int)

        return [batch[0] for batch in numbers()]

    def check(batches):
        assert [one.tolist() for one in batches] == [[0, 10], [20, 30], [40]]


class Boxes:
    """Boxes that move with their images."""

    levels = 1

    def peer(image):
        def load(row):
            image = PIL.Image.open(row["path"])
            edges = tv_tensors.BoundingBoxes(row["boxes"], format="XYXY", canvas_size=image.size[::-1])
            image, edges = v2.Compose([v2.RandomHorizontalFlip(p=1), v2.Resize((120, 160)), v2.ToImage()])(image, edges)
            return image.permute(1, 2, 0), edges

        with open("train.jsonl") as rows:
            return [load(json.loads(row)) for row in rows]

    def ours(image):
        @sluice.pipeline(batch_size=1)
        def load(path):
            file, edges = sluice.list_file(path, {"boxes": "list of f32"})
            image = ops.flip(ops.decode_jpeg(file))
            edges = ops.flip_boxes(ops.rows_of(edges, 4), size=ops.canvas_size(image))
            return ops.resize(image, size=(120, 160)), ops.resize_boxes(edges, *ops.canvas_size(image), 120, 160)

        return [(images[0], edges[0]) for images, edges in load("train.jsonl")]

    def check(samples):
        assert [image.shape for image, _ in samples] == [(120, 160, 3)] * 3
        assert [edges.shape for _, edges in samples] == [(2, 4), (1, 4), (1, 4)]
        assert samples[0][1][0].tolist() == [80, 40, 140, 80]  # (10, 20, 40, 40) in 60 x 80, flipped and doubled


class Detection:
    """The random crops and colors of SSD's training, with boxes and labels."""

    def peer(image):
        augment = v2.Compose([
            v2.RandomPhotometricDistort(),
            v2.RandomZoomOut(fill=(124, 116, 104)),
            v2.RandomIoUCrop(),
            v2.RandomHorizontalFlip(),
            v2.Resize((64, 64)),
            v2.SanitizeBoundingBoxes(),
        ])

        def load(row):
            image = tv_tensors.Image(PIL.Image.open(row["path"]))
            boxes = tv_tensors.BoundingBoxes(row["boxes"], format="XYXY", canvas_size=image.shape[-2:])
            image, target = augment(image, {"boxes": boxes, "labels": torch.tensor(row["labels"])})
            return image.permute(1, 2, 0), target["boxes"], target["labels"]

        with open("train.jsonl") as rows:
            return [load(json.loads(row)) for row in rows]

    def ours(image):
        @sluice.pipeline(batch_size=1)
        def load(path):
            file, boxes, labels = sluice.list_file(path, {"boxes": "list of f32", "labels": "list of i64"})
            return ops.detection_augment(file, ops.rows_of(boxes, 4), ops.labels_of(labels), height=64, width=64)

        return [(images[0], boxes[0], labels[0]) for images, boxes, labels in load("train.jsonl")]

    def check(samples):
        for image, boxes, labels in samples:
            assert image.shape == (64, 64, 3) and boxes.shape == (len(labels), 4)
            assert (boxes >= 0).all() and (boxes <= 64).all() and set(labels) <= {1, 2, 3}


class Segmentation:
    """Masks that are cropped with their images."""

    def peer(image):
        def load(row):
            image, mask = PIL.Image.open(row["path"]), tv_tensors.Mask(PIL.Image.open(row["mask"]))
            image, mask = v2.RandomCrop((40, 48))(image, mask[None] if mask.ndim == 2 else mask)
            return image, mask.permute(1, 2, 0)

        with open("train.jsonl") as rows:
            return [load(json.loads(row)) for row in rows]

    def ours(image):
        @sluice.pipeline(batch_size=1)
        def load(path):
            image, mask = map(ops.decode_image, sluice.list_file(path, {"mask": "bytes"}))
            region = ops.random_crop_region(*ops.canvas_size(image), 40, 48)
            return ops.crop(image, region), ops.grayscale(ops.crop(mask, region))

        return [(images[0], masks[0]) for images, masks in load("train.jsonl")]

    def check(samples):
        for image, mask in samples:
            assert image.shape == (40, 48, 3) and mask.shape == (40, 48, 1)
            assert ((image[..., 2] > 100) == (mask[..., 0] > 100)).mean() > 0.95  # the mask shows where images are blue


class TwoViews:
    """Two views of each image, for contrastive training."""

    def peer(image):
        jitter = v2.ColorJitter(0.8, 0.8, 0.8, 0.2)
        view = v2.Compose([
            v2.RandomResizedCrop(32),
            v2.RandomHorizontalFlip(),
            v2.RandomApply([jitter], p=0.8),
            v2.RandomGrayscale(p=0.2),
            v2.RandomApply([v2.GaussianBlur(3)]),
        ])
        return view(image), view(image)

    def ours(image):
        with open("photos/a/0.jpg", "rb") as file:
            return ops.sim_clr(file.read(), height=32, width=32)

    def check(views):
        first, second = views
        assert first.shape == second.shape == (32, 32, 3) and (first != second).any()


class Digits:
    """MNIST, in batches."""

    levels = 0

    def peer(image):
        dataset = MNIST(".", transform=v2.ToImage())
        images, labels = next(iter(DataLoader(dataset, batch_size=3)))
        return images.permute(0, 2, 3, 1), labels

    def ours(image):
        files = [f"MNIST/raw/train-{kind}-ubyte" for kind in ("images-idx3", "labels-idx1")]
        return next(iter(sluice.pipeline(batch_size=3)(lambda: sluice.mnist(*files))()))

    def check(batch):
        images, labels = batch
        assert images.shape == (3, 28, 28, 1) and labels.tolist() == [7, 2, 1]
