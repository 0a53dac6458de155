"""The operators as functions: what they say of themselves, and what they do."""

import importlib.util
import inspect
import pathlib

import numpy
import pytest

import sluice
from sluice import ops
from sluice._graph import OPERATORS

ROOT = pathlib.Path(__file__).parents[2]


def test_every_operator_is_a_function_that_tells_what_it_takes():
    for schema in OPERATORS.values():
        if schema["name"] in ops._HIDDEN:
            continue
        function = getattr(ops, ops._python_name(schema["name"]))
        if not hasattr(function, "__signature__"):  # lists are written there as long as they are
            assert schema["name"] in (
                "cat", "choice", "choice_index", "filter_2d", "maximum", "minimum", "pad_tensor", "reshape", "slice_tensor", "stack",
            )
            continue
        names = list(inspect.signature(function).parameters)
        for one in (*schema["inputs"], *schema["parameters"]):
            assert ops._python_name(one["name"]) in names
        assert inspect.getdoc(function).startswith(schema["summary"].splitlines()[0])


def test_stubs_are_those_of_the_operators():
    path = ROOT / "python" / "tools" / "make_stubs.py"
    spec = importlib.util.spec_from_file_location("make_stubs", path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    assert made.FILE.read_text() == made.text(), "python python/tools/make_stubs.py writes them anew"


PICTURE = numpy.arange(6 * 8 * 3, dtype=numpy.uint8).reshape(6, 8, 3)

# What an operator does to a picture, and the same by NumPy.
SAME = {
    "invert": (lambda x: ops.invert(x), lambda p: 255 - p),
    "flip": (lambda x: ops.flip(x, horizontal=True), lambda p: p[:, ::-1]),
    "flip of some": (lambda x: ops.flip(x, horizontal=sluice.constant(True)), lambda p: p[:, ::-1]),
    "crop": (lambda x: ops.crop(x, region=(1, 2, 3, 4)), lambda p: p[1:4, 2:6]),
    "transpose": (lambda x: ops.transpose(x), lambda p: p.swapaxes(0, 1)),
    "posterize": (lambda x: ops.posterize(x, 3), lambda p: p & 0xE0),
    "solarize": (lambda x: ops.solarize(x, threshold=100), lambda p: numpy.where(p >= 100, 255 - p, p)),
    "permute_channels": (
        lambda x: ops.permute_channels(x, first=2, second=1, third=0), lambda p: p[:, :, ::-1],
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_does_what_numpy_does(name):
    change, by_numpy = SAME[name]

    @sluice.pipeline(batch_size=2)
    def changed():
        return change(sluice.source(lambda i: PICTURE, "image", samples=2))

    (images,) = next(iter(changed()))
    assert numpy.array_equal(numpy.asarray(images)[1], by_numpy(PICTURE))


def test_several_numbers_differ_from_sample_to_sample():
    means = numpy.array([[0, 0.25, 0.5], [0.5, 0.125, 0]], dtype="f4")
    fills = numpy.array([[1, 2, 3], [250, 0, 9]])

    @sluice.pipeline(batch_size=2)
    def described():
        image, mean, fill = sluice.source(
            lambda i: (PICTURE, means[i], fills[i]), ("image", "tensor", "tensor"), samples=2
        )
        tensor = ops.crop_mirror_normalize(image, mean=mean, std=0.5, scale=mean_of(image) / 100, layout="HWC")
        whole = (0, 0, *PICTURE.shape[:2])
        some = ops.random_erasing(image, probability=1.0, fill=fill)
        return tensor, ops.erase_region(image, region=whole, fill=fill), some

    def mean_of(image):
        return ops.mean(image)

    tensors, erased, some = next(iter(described()))
    for i in range(2):
        normal = (PICTURE / 255 - means[i]) / 0.5 * PICTURE.mean() / 100
        assert numpy.allclose(numpy.asarray(tensors)[i], normal, atol=1e-4)
        assert (numpy.asarray(erased)[i] == fills[i]).all()
        changed = (numpy.asarray(some)[i] != PICTURE).any(axis=2)
        assert changed.any() and (numpy.asarray(some)[i][changed] == fills[i]).all()


def test_several_numbers_of_one_value_are_refused():
    @sluice.pipeline(batch_size=2)
    def described():
        image = sluice.source(lambda i: PICTURE, "image", samples=2)
        return ops.erase_region(image, region=(0, 0, 2, 2), fill=ops.uniform(0, 255))

    with pytest.raises(sluice.BuildError, match="fill.*must be one of 'tensor'"):
        described()


@pytest.mark.parametrize(
    "augment",
    [
        lambda jpeg: ops.rand_augment(ops.decode_jpeg(jpeg), magnitude=5),
        lambda jpeg: ops.rand_augment(ops.decode_jpeg(jpeg), magnitude=ops.cast(ops.uniform(0, 9), to="i32")),
        lambda jpeg: ops.trivial_augment_wide(ops.decode_jpeg(jpeg), ranges="dali"),
        lambda jpeg: ops.auto_augment(ops.decode_jpeg(jpeg), policy="svhn"),
        lambda jpeg: ops.aug_mix(ops.random_resized_crop(jpeg, width=32, height=32)),
        lambda jpeg: ops.random_erasing(ops.decode_jpeg(jpeg), probability=1.0, fill=(1, 2, 3)),
        lambda jpeg: ops.photometric_distort(ops.decode_jpeg(jpeg)),
        lambda jpeg: ops.sim_clr(jpeg, width=24, height=24),
        lambda jpeg: ops.dino(jpeg, global_size=32, local_size=16, locals=2),
    ],
)
def test_automatic_augmentation_runs(folder, augment):
    @sluice.pipeline(batch_size=6, seed=3)
    def augmented(folder):
        return augment(sluice.files(folder)[0])

    batches = list(augmented(folder))
    assert sum(batch.size for batch in batches) == 12
    again = list(augmented(folder, threads=1))
    first = [numpy.array(one[0]) for batch in batches for one in batch.columns]
    assert all(
        numpy.array_equal(a, numpy.array(b))
        for a, b in zip(first, [one[0] for batch in again for one in batch.columns])
    )


def picture_of(change, **options):
    """What becomes of PICTURE."""

    @sluice.pipeline(batch_size=2, **options)
    def described():
        return change(sluice.source(lambda i: PICTURE, "image", samples=2))

    (images,) = next(iter(described()))
    return numpy.asarray(images)


def test_names_that_are_words_of_python_end_in_an_underscore():
    swapped = picture_of(lambda x: ops.color_space_conversion(x, from_="bgr", to="rgb"))
    assert numpy.array_equal(swapped[0], PICTURE[:, :, ::-1])
    with pytest.raises(TypeError, match="it has image, from_, to$"):
        picture_of(lambda x: ops.color_space_conversion(x, form="bgr"))


def test_numbers_of_a_sample_stand_beside_constants():
    padded = picture_of(lambda x: ops.pad_image(x, left=1, fill=(ops.uniform(200, 255), 7, sluice.constant(9))))
    first, second = padded[:, 0, 0]
    assert first[0] >= 200 and first[0] != second[0]
    assert (padded[:, :, 0, 1:] == (7, 9)).all()
    mixed = picture_of(lambda x: ops.weighted_sum([x, ops.invert(x)], [1, sluice.constant(0.0)]))
    assert numpy.array_equal(mixed[0], PICTURE)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: ops.gaussian_blur(x, sigma=0, window_size=3), "sigma is 0, and has to be 0 < x <= 42; leave it out"),
        (lambda x: ops.resize(x, width=0, height=4), "width is 0, and has to be 1 <= x <= 65535; leave it out"),
        (lambda x: ops.gaussian_noise(x, stddev=(1, 20)), r"stddev is one number.*ops.uniform\(1, 20\) draws one"),
        (lambda x: ops.solarize(x, 128), r"solarize\(\) takes image by place.*by name: threshold="),
        (lambda x: ops.gausian_blur(x), "no operator 'gausian_blur'; near it are gaussian_blur"),
        (lambda x: ops.blur(x), "no operator 'blur'; near it are box_blur, gaussian_blur"),
    ],
)
def test_mistakes_are_told_with_what_may_be_meant(change, message):
    with pytest.raises((sluice.BuildError, TypeError, AttributeError), match=message):
        picture_of(change)


def test_colours_in_a_row_are_composed_where_that_is_wanted():
    def change(x):
        return ops.saturation(ops.brightness_contrast(ops.brightness_contrast(x, brightness=4.0), brightness=0.25), 1.0)

    assert picture_of(change)[0].max() < 70  # what was white on the way
    assert numpy.array_equal(picture_of(change, compose=True)[0], PICTURE)


def test_what_is_inspected_is_short_in_print(folder):
    @sluice.pipeline(batch_size=2)
    def described():
        jpeg, _ = sluice.files(folder)
        return jpeg

    pipe = described()
    sample = pipe.inspect(0)
    assert len(sample["values"]["read"][0]) > 500
    assert len(repr(sample)) < 300 and "bytes)" in repr(sample)


def test_a_sheet_is_a_jpeg_file(tmp_path, folder):
    @sluice.pipeline(batch_size=2)
    def described():
        jpeg, _ = sluice.files(folder)
        return ops.resize(ops.decode_jpeg(jpeg), width=8, height=8)

    sheet = described().show(2)
    sheet.save(tmp_path / "sheet.JPG")
    assert (tmp_path / "sheet.JPG").read_bytes()[:2] == b"\xff\xd8"
    with pytest.raises(sluice.Error, match="its name ends in .jpg"):
        sheet.save(tmp_path / "sheet.png")


def test_columns_of_a_list_are_a_dict(tmp_path):
    (tmp_path / "list.csv").write_text("path,label\n")

    def listed(columns):
        @sluice.pipeline(batch_size=2)
        def described():
            return sluice.list_file(tmp_path / "list.csv", columns)

        return described()

    with pytest.raises(sluice.BuildError, match=r"columns is a dict .*not \['label'\]"):
        listed(["label"])
    with pytest.raises(sluice.BuildError, match="type of column 'label' is .*not <class 'list'>"):
        listed({"label": list})
