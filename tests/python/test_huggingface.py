"""Hugging Face datasets as sources: a fake one with their interface, and the real package if it is installed."""

import pathlib

import numpy
import pytest
from conftest import draw

import sluice


class Value:
    def __init__(self, dtype):
        self.dtype = dtype


class ClassLabel(Value):
    def __init__(self, names):
        super().__init__("int64")
        self.names = names


class Image:
    def __init__(self, decode=True):
        self.decode = decode


class Sequence:
    def __init__(self, feature):
        self.feature = feature


class Array2D(Value):
    pass


class Translation:
    pass


class Dataset:
    """Five rows, with the interface of datasets.Dataset."""

    def __init__(self, rows, features):
        self.rows, self.features, self.asked = rows, features, []

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        assert not any(isinstance(one, Image) and one.decode for one in self.features.values()), "decoded in Python"
        return self.rows[i]

    def __getitems__(self, indices):
        self.asked.append(len(indices))
        return [self[i] for i in indices]

    def select_columns(self, names):
        return Dataset([{name: row[name] for name in names} for row in self.rows], {name: self.features[name] for name in names})

    def cast_column(self, name, feature):
        return Dataset(self.rows, {**self.features, name: feature})


def jpeg(number):
    return sluice.encode_jpeg(draw(number, 20, 30), 90)


@pytest.fixture
def dataset(tmp_path):
    (tmp_path / "4.jpg").write_bytes(jpeg(4))
    rows = [
        {
            "image": {"bytes": jpeg(i), "path": None} if i < 4 else {"bytes": None, "path": str(tmp_path / "4.jpg")},
            "label": i % 2, "text": f"row {i}", "score": i / 4, "boxes": [float(i)] * 4 * i, "grid": [[i, 2], [3, 4]], "other": {"de": "eins"},
        }
        for i in range(5)
    ]
    features = {
        "image": Image(), "label": ClassLabel(["cat", "dog"]), "text": Value("string"), "score": Value("float32"),
        "boxes": Sequence(Value("float32")), "grid": Array2D("int32"), "other": Translation(),
    }
    return Dataset(rows, features)


def read(dataset, *args, **options):
    @sluice.pipeline(batch_size=5)
    def described():
        return sluice.from_hf(dataset, *args, **options)

    (batch,) = described()
    return batch


KNOWN = ["image", "label", "text", "score", "boxes", "grid"]


@pytest.mark.parametrize("options", [{}, {"batch": 2}, {"workers": 1}], ids=str)
def test_columns_have_the_types_of_the_features(dataset, options):
    images, labels, texts, scores, boxes, grids = read(dataset, KNOWN, **options)
    for i, image in enumerate(numpy.asarray(images)):
        assert (image == numpy.asarray(sluice.decode_jpeg(jpeg(i)))).all()
    assert labels.tolist() == [0, 1, 0, 1, 0] and list(texts) == [f"row {i}" for i in range(5)]
    assert scores.tolist() == [0, 0.25, 0.5, 0.75, 1]
    assert [list(one) for one in boxes] == [[float(i)] * 4 * i for i in range(5)]
    assert numpy.asarray(grids).dtype == numpy.int32 and numpy.asarray(grids)[3].tolist() == [[3, 2], [3, 4]]


def test_types_of_ones_own(dataset):
    files, others = read(dataset, {"image": "bytes", "other": object})
    assert list(files) == [jpeg(i) for i in range(5)] and others[0] == {"de": "eins"}


def test_samplers_options(dataset):
    assert sorted(read(dataset, ["label"], subset=[1, 3], shuffle=True)[0].tolist()) == [1, 1]
    assert read(dataset, "label", subset=[4, 3, 1])[0].tolist() == [0, 1, 1]


def test_a_missing_value_is_the_error_of_its_sample(dataset):
    dataset.rows[2] = {**dataset.rows[2], "image": None}
    dataset.rows[3] = {**dataset.rows[3], "label": None}

    @sluice.pipeline(batch_size=5, on_error="skip")
    def described():
        return sluice.from_hf(dataset, ["image", "label"])

    (batch,) = described()
    assert batch[1].tolist() == [0, 1, 0] and len(batch.errors) == 2
    assert "the column 'image' has no value (None)" in batch.errors[0]["what"]


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda d: sluice.from_hf(d), "the type of column 'other' is unknown .*; pass columns={'other': 'object'}, or leave it out"),
        (lambda d: sluice.from_hf(d, ["labels"]), "there is no column 'labels'; there are image, label, text"),
        (lambda d: sluice.from_hf({"train": d}), "takes a dataset with features .*; choose one of its splits, such as dataset\\['train'\\]"),
        (lambda d: sluice.from_hf([1, 2]), "takes a dataset with features \\(got list\\); sluice.source\\(\\) takes other datasets"),
        (lambda d: sluice.from_hf(d, shufle=True), "sluice.from_hf\\(\\) has no option 'shufle'; did you mean shuffle?"),
    ],
)
def test_mistakes(dataset, make, says):
    with pytest.raises(sluice.BuildError, match=says):
        sluice.pipeline(lambda: make(dataset))()


def test_the_real_package(tmp_path):
    datasets = pytest.importorskip("datasets")
    paths = []
    for i in range(4):
        paths.append(str(tmp_path / f"{i}.jpg"))
        pathlib.Path(paths[-1]).write_bytes(jpeg(i))
    features = datasets.Features({
        "image": datasets.Image(), "label": datasets.ClassLabel(names=["cat", "dog"]), "caption": datasets.Value("string"),
        "numbers": datasets.Sequence(datasets.Value("float32")),
    })
    rows = {"image": paths, "label": [0, 1, 1, 0], "caption": list("abcd"), "numbers": [[1.0, 2.0]] * 4}
    dataset = datasets.Dataset.from_dict(rows, features=features)
    for options in ({}, {"batch": 3}, {"workers": 1}):
        images, labels, captions, numbers = read(dataset, **options)
        for i, image in enumerate(numpy.asarray(images)):
            assert (image == numpy.asarray(sluice.decode_jpeg(jpeg(i)))).all()
        assert labels.tolist() == [0, 1, 1, 0] and list(captions) == list("abcd") and [list(one) for one in numbers] == [[1, 2]] * 4
