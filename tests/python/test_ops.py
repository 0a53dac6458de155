"""The operators as functions: what they say of themselves, and what they do."""

import ast
import builtins
import importlib.util
import inspect
import pathlib
import re
import resource
import warnings

import numpy
import pytest

import sluice
from conftest import draw
from sluice import _peers, ops
from sluice._graph import OPERATORS
from sluice._pipeline import OPTIONS

ROOT = pathlib.Path(__file__).parents[2]


def test_no_operator_takes_the_place_of_a_function_of_python():
    tree = ast.parse(pathlib.Path(ops.__file__).read_text())
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    assert not used & set(ops.__all__) & set(dir(builtins))


def test_every_operator_is_a_function_that_tells_what_it_takes():
    for schema in OPERATORS.values():
        if schema["name"] in ops._HIDDEN:
            continue
        function = getattr(ops, ops._name_in_python(schema["name"]))
        if ops._name_in_python(schema["name"]) not in ops._DECLARED:  # lists are written there as long as they are
            assert schema["name"] in (
                "cat", "choice", "choice_index", "exp", "filter_2d", "log", "maximum", "minimum", "pad_tensor", "permute", "reshape",
                "slice_tensor", "sqrt", "stack",
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


IMAGE = numpy.arange(6 * 8 * 3, dtype=numpy.uint8).reshape(6, 8, 3)

# Operators on an image, and the same in NumPy.
SAME = {
    "invert": (lambda x: ops.invert(x), lambda p: 255 - p),
    "flip": (lambda x: ops.flip(x, horizontal=True), lambda p: p[:, ::-1]),
    "flip of some": (lambda x: ops.flip(x, horizontal=sluice.constant(True)), lambda p: p[:, ::-1]),
    "crop": (lambda x: ops.crop(x, region=(1, 2, 3, 4)), lambda p: p[1:4, 2:6]),
    "transpose": (lambda x: ops.transpose_image(x), lambda p: p.swapaxes(0, 1)),
    "rot90": (lambda x: ops.rot90(x, turns=3), lambda p: numpy.rot90(p, 3)),
    "rot90 clockwise": (lambda x: ops.rot90(x, -1), lambda p: numpy.rot90(p, -1)),
    "d4": (lambda x: ops.d4(x, 7), lambda p: numpy.rot90(p[:, ::-1], 3)),
    "channel_dropout": (lambda x: ops.channel_dropout(x, 1, fill=9), lambda p: numpy.where(numpy.arange(3) == 1, 9, p)),
    "rgb_shift": (
        lambda x: ops.rgb_shift(x, red=200, blue=-100),
        lambda p: numpy.clip(p.astype(int) + [200, 0, -100], 0, 255),
    ),
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
        return change(sluice.source(lambda i: IMAGE, "image", samples=2))

    (images,) = next(iter(changed()))
    assert numpy.array_equal(numpy.asarray(images)[1], by_numpy(IMAGE))


def test_several_numbers_differ_from_sample_to_sample():
    means = numpy.array([[0, 0.25, 0.5], [0.5, 0.125, 0]], dtype="f4")
    fills = numpy.array([[1, 2, 3], [250, 0, 9]])

    @sluice.pipeline(batch_size=2)
    def described():
        image, mean, fill = sluice.source(
            lambda i: (IMAGE, means[i], fills[i]), ("image", "tensor", "tensor"), samples=2
        )
        tensor = ops.crop_mirror_normalize(image, mean=mean, std=0.5, scale=mean_of(image) / 100, layout="HWC")
        whole = (0, 0, *IMAGE.shape[:2])
        some = ops.random_erasing(image, probability=1.0, fill=fill)
        return tensor, ops.erase_region(image, region=whole, fill=fill), some

    def mean_of(image):
        return ops.mean(image)

    tensors, erased, some = next(iter(described()))
    for i in range(2):
        normal = (IMAGE / 255 - means[i]) / 0.5 * IMAGE.mean() / 100
        assert numpy.allclose(numpy.asarray(tensors)[i], normal, atol=1e-4)
        assert (numpy.asarray(erased)[i] == fills[i]).all()
        changed = (numpy.asarray(some)[i] != IMAGE).any(axis=2)
        assert changed.any() and (numpy.asarray(some)[i][changed] == fills[i]).all()


def test_several_numbers_of_one_value_are_refused():
    @sluice.pipeline(batch_size=2)
    def described():
        image = sluice.source(lambda i: IMAGE, "image", samples=2)
        return ops.erase_region(image, region=(0, 0, 2, 2), fill=ops.uniform(0, 255))

    with pytest.raises(sluice.BuildError, match="fill must be a list of numbers or a tensor"):
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


@pytest.mark.parametrize("made", [
    lambda jpeg, boxes, labels: ops.random_resized_crop(jpeg, height=16, width=20),
    lambda jpeg, boxes, labels: ops.sim_clr(jpeg, height=16, width=20)[0],
    lambda jpeg, boxes, labels: ops.detection_augment(jpeg, boxes, labels, height=16, width=20)[0],
    lambda jpeg, boxes, labels: ops.segmentation_augment(jpeg, ops.decode_image(jpeg, ids=True), height=16, width=20)[0],
])
def test_height_and_width_are_not_exchanged(made):
    file = sluice.encode_jpeg(draw(1), 95)
    box, label = numpy.array([[10, 10, 40, 30]], numpy.float32), numpy.array([1], numpy.int64)

    @sluice.pipeline(batch_size=2, seed=4)
    def described():
        return made(*sluice.source(lambda i: (file, box, label), ("bytes", "tensor", "tensor"), samples=2))

    (images,) = next(iter(described()))
    assert numpy.asarray(images).shape == (2, 16, 20, 3)


def image_of(change, **options):
    """What becomes of IMAGE."""

    @sluice.pipeline(batch_size=2, **options)
    def described():
        return change(sluice.source(lambda i: IMAGE, "image", samples=2))

    (images,) = next(iter(described()))
    return numpy.asarray(images)


def test_names_that_are_words_of_python_end_in_an_underscore():
    swapped = image_of(lambda x: ops.color_space_conversion(x, from_="bgr", to="rgb"))
    assert numpy.array_equal(swapped[0], IMAGE[:, :, ::-1])
    with pytest.raises(TypeError, match=r"it has image, from_, to; did you mean from_\?$"):
        image_of(lambda x: ops.color_space_conversion(x, form="bgr"))


def test_numbers_of_a_sample_stand_beside_constants():
    padded = image_of(lambda x: ops.pad_image(x, left=1, fill=(ops.uniform(200, 255), 7, sluice.constant(9))))
    first, second = padded[:, 0, 0]
    assert first[0] >= 200 and first[0] != second[0]
    assert (padded[:, :, 0, 1:] == (7, 9)).all()
    mixed = image_of(lambda x: ops.weighted_sum([x, ops.invert(x)], [1, sluice.constant(0.0)]))
    assert numpy.array_equal(mixed[0], IMAGE)


@pytest.mark.parametrize(
    ("fill", "color"), [(7, (7, 7, 7)), ([7], (7, 7, 7)), ((7, 8, 9), (7, 8, 9)), ((7, 8, 9, 1), (7, 8, 9))]
)
def test_a_fill_is_1_3_or_4_numbers(fill, color):
    assert "fill : 1, 3 or 4 numbers or Value of a tensor" in ops.erase_region.__doc__
    erased = image_of(lambda x: ops.erase_region(x, region=(0, 0, 2, 2), fill=fill))
    assert (erased[:, :2, :2] == color).all()
    some = image_of(lambda x: ops.random_erasing(x, probability=1.0, fill=fill))
    changed = (some != IMAGE).any(axis=3)
    assert changed.any() and (some[changed] == color).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda x: ops.gaussian_blur(x, sigma=0, window_size=3), "sigma is 0, and has to be 0 < x <= 42; leave it out"),
        (lambda x: ops.resize(x, width=0, height=4), "width is 0, and has to be 1 <= x <= 65535; leave it out"),
        (lambda x: ops.gaussian_noise(x, stddev=(1, 20)), r"stddev must be one number.*ops.uniform\(1, 20\) draws one"),
        (lambda x: ops.solarize(x, 128), r"solarize\(\) takes image by place.*by name: threshold="),
        (lambda x: ops.gausian_blur(x), r"no operator 'gausian_blur'; did you mean gaussian_blur\?$"),
        (lambda x: ops.rotat(x), r"no operator 'rotat'; did you mean rotate\?$"),
        (lambda x: ops.blur(x), r"no operator 'blur'; did you mean box_blur or gaussian_blur or median_blur\?$"),
        (lambda x: ops.if_else(x), "no operator 'if_else'; in its place: sluice.if_else$"),
        (lambda x: ops.read(x), r"no operator 'read'; dir\(sluice.ops\) names all$"),
        (lambda x: ops.rotate(x, degres=3), r"rotate\(\) has no argument 'degres'; it has .*; did you mean degrees\?$"),
        (lambda x: ops.rotate(x, 3, tuna=3), r"rotate\(\) has no argument 'tuna'; it has [^;]*$"),
        (lambda x: ops.random_erasing(x, probabilty=1), r"unexpected keyword argument 'probabilty'; did you mean probability\?$"),
        (lambda x: ops.color_jitter(x, 0.4, 0.4), r"too many positional arguments; image can be positional, the others need names: brightness=, contrast="),
        (lambda x: ops.random_crop(sluice.constant("a").slot, 4, 4), "random_crop takes a value of each sample, not int"),
        (lambda x: ops.color_jitter(ops.to_tensor(x)), r"color_jitter: image must be an image \(got .*; ops.to_image\(image\) makes"),
        (lambda x: ops.canvas_size(ops.random_region(x)), r"canvas_size: image must be an image \(got .*ops.region_size\(image\) gives the size"),
        (lambda x: ops.one_hot(ops.uniform(0, 1), classes=4), r"one_hot: label must be of type 'i64' \(got .*; .cast\('i64'\) converts it"),
    ],
)
def test_mistakes_are_told_with_what_may_be_meant(change, message):
    with pytest.raises((sluice.BuildError, TypeError, AttributeError), match=message):
        image_of(change)


def test_the_hue_of_torchvision_is_told_apart():
    with pytest.warns(UserWarning, match=r"hue=0.1 changes hues by at most 0.1 degrees; torchvision's hue=0.1 is hue=36 here") as said:
        image_of(lambda x: ops.color_jitter(x, hue=0.1))
    assert said[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        image_of(lambda x: ops.color_jitter(x, hue=(0.1, 0.4)))


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda ids: ops.resize(ids, height=8, width=8), "resize: this image holds ids .* interpolation='bilinear' would mix them; pass interpolation='nearest'"),
        (lambda ids: ops.rotate(ops.flip(ops.crop(ids, (0, 0, 8, 8)), horizontal=True), 10), "rotate: this image holds ids"),
        (lambda ids: ops.rotate(ops.resize(ids, height=8, width=8, interpolation="nearest"), 10, interpolation="bilinear"), "rotate: .* ids"),
        (lambda ids: ops.rotate(ops.resize(ids, height=8, width=8, interpolation="nearest"), 10, interpolation="nearest"), None),
    ],
)
def test_ids_of_a_mask_are_not_mixed(change, expected):
    file = sluice.encode_jpeg(numpy.repeat(draw(1)[:, :, :1], 3, axis=2), 95)

    @sluice.pipeline()
    def described():
        return change(ops.decode_image(sluice.source(lambda i: file, "bytes", samples=1), ids=True))

    if expected is None:
        described()
    else:
        with pytest.raises(sluice.BuildError, match=expected):
            described()


@pytest.mark.parametrize(("name", "says"), [
    ("color_jiggle", "ops.color_jitter(image, brightness="), ("ColorJitter", "ops.color_jitter, or sluice.transforms.ColorJitter"), ("RandomCrop", "ops.random_crop"), ("hsv", "ops.color_twist("),
    ("random_resize_crop", "ops.random_resized_crop(jpeg, height=224"), ("pil_to_tensor", "ops.to_tensor(image)"),
    ("ZoomBlur", "ops.zoom_blur"), ("Defocus", "ops.defocus"), ("ISONoise", "ops.iso_noise"), ("RandomPerspective", "ops.random_perspective"),
    ("CoarseDropout", "ops.coarse_dropout"), ("randrange", "ops.randint(low, high)"), ("Resize", "ops.resize"),
    ("RandomHorizontalFlip", "ops.flip(image, horizontal=ops.coin_flip(0.5))"), ("RandAugment", "ops.rand_augment"),
    ("readers", "sluice.files(folder)"), ("MIXUP", "pipe.batch_step(lambda batch, key: sluice.mix_up(batch[0], batch[1], key))"), ("GaussianBlur", "ops.gaussian_blur"),
])
def test_names_of_other_libraries_lead_to_ours(name, says):
    with pytest.raises(AttributeError) as error:
        getattr(ops, name)
    assert f"there is no operator '{name}'; in its place: {says}" in str(error.value)
    assert not hasattr(ops, name)


PEERS = {
    "torchvision": """
        AugMix AutoAugment CenterCrop ClampBoundingBoxes ColorJitter Compose ConvertBoundingBoxFormat ConvertImageDtype CutMix
        ElasticTransform FiveCrop GaussianBlur GaussianNoise Grayscale Identity JPEG Lambda LinearTransformation MixUp Normalize
        PILToTensor Pad RGB RandAugment RandomAdjustSharpness RandomAffine RandomApply RandomAutocontrast
        RandomChannelPermutation RandomChoice RandomCrop RandomEqualize RandomErasing RandomGrayscale RandomHorizontalFlip
        RandomInvert RandomIoUCrop RandomOrder RandomPerspective RandomPhotometricDistort RandomPosterize RandomResize
        RandomResizedCrop RandomRotation RandomShortestSize RandomSolarize RandomVerticalFlip RandomZoomOut Resize
        SanitizeBoundingBoxes ScaleJitter TenCrop ToDtype ToImage ToPILImage ToPureTensor ToTensor TrivialAugmentWide
        adjust_brightness adjust_gamma hflip vflip five_crop resized_crop rgb_to_grayscale gaussian_blur pad to_tensor""",
    "albumentations": """
        AdvancedBlur CLAHE ChannelDropout ChannelShuffle CoarseDropout CropAndPad D4 Defocus Downscale Emboss Equalize Erasing FDA
        FancyPCA FromFloat GaussNoise GlassBlur GridDistortion GridDropout HueSaturationValue ISONoise ImageCompression InvertImg
        LongestMaxSize MedianBlur Morphological MotionBlur NoOp OneOf OpticalDistortion PadIfNeeded Perspective PiecewiseAffine
        PixelDropout Posterize RGBShift RandomBrightnessContrast RandomCropFromBorders RandomFog RandomGamma RandomGridShuffle
        RandomRotate90 RandomScale RandomSizedCrop RandomToneCurve Rotate SafeRotate Sharpen ShiftScaleRotate ShotNoise
        SmallestMaxSize SomeOf Superpixels ToFloat ToGray ToSepia ToTensorV2 Transpose UnsharpMask VerticalFlip XYMasking ZoomBlur""",
    "DALI": """
        brightness coord_transform decoders external_source fast_resize_crop_mirror full hsv multi_paste noise normalize pad
        peek_image_shape python_function random readers reinterpret resize_crop_mirror roi_random_crop slice sphere squeeze
        transforms water bb_flip box_encoder coord_flip expand_dims jpeg_compression_distortion""",
    "others": """
        RandomFlip RandomZoom RandomTranslation Rescaling stateless_random_crop random_jpeg_quality adjust_hue central_crop
        resize_with_pad Fliplr Sometimes GammaContrast ColorJiggle Brightness Color fit exif_transpose thumbnail imread cvtColor
        warpAffine randint rand randn bernoulli""",
}


@pytest.mark.parametrize("library", PEERS)
def test_every_name_of_a_library_has_an_answer(library):
    for name in PEERS[library].split():
        if name not in ops.__all__:
            with pytest.raises(AttributeError, match=f"there is no operator '{name}'; (in its place|leave it out): "):
                getattr(ops, name)


@pytest.mark.parametrize(("module", "name", "says"), [
    (sluice, "pipline", "module 'sluice' has no attribute 'pipline'; did you mean pipeline or Pipeline?"),
    (sluice, "Files", "module 'sluice' has no attribute 'Files'; in its place: sluice.files"),
    (sluice, "Loader", "module 'sluice' has no attribute 'Loader'; in its place: sluice.torch.Loader"),
    (sluice, "shard", "module 'sluice' has no attribute 'shard'; in its place: sluice.ray.shard or sluice.torch.shard"),
    (sluice, "decode_image", "module 'sluice' has no attribute 'decode_image'; in its place: ops.decode_image"),
    (sluice, "ColorJitter", "module 'sluice' has no attribute 'ColorJitter'; in its place: ops.color_jitter, or sluice.transforms.ColorJitter"),
    (sluice, "DataLoader", "module 'sluice' has no attribute 'DataLoader'; in its place: sluice.torch.Loader(function, ...)"),
    (sluice, "CIFAR10", "module 'sluice' has no attribute 'CIFAR10'; in its place: sluice.cifar10"),
    (sluice, "fashion_mnist", "module 'sluice' has no attribute 'fashion_mnist'; in its place: sluice.mnist(images, labels)"),
    (ops, "Normalize", "there is no operator 'Normalize'; in its place: ops.normalize"),
    (ops, "ToTensor", "there is no operator 'ToTensor'; in its place: ops.to_tensor"),
    (sluice, "compose", "module 'sluice' has no attribute 'compose'; leave it out: call one operator after the other"),
    (sluice, "xyzzy", "module 'sluice' has no attribute 'xyzzy'; sluice.__all__ names all"),
    (ops, "reesize", "there is no operator 'reesize'; did you mean resize"),
    (ops, "Rotate", "there is no operator 'Rotate'; in its place: ops.rotate"),
    (ops, "Compose", "there is no operator 'Compose'; in its place: sluice.transforms.Compose"),
    (sluice, "ImageFolder", "module 'sluice' has no attribute 'ImageFolder'; in its place: sluice.image_folder or sluice.torch.ImageFolder"),
    (ops, "pipeline", "there is no operator 'pipeline'; in its place: sluice.Pipeline or sluice.pipeline"),
    (ops, "Loader", "there is no operator 'Loader'; in its place: sluice.torch.Loader"),
    (ops, "drop_unless", "there is no operator 'drop_unless'; in its place: sluice.drop_unless"),
    (ops, "xyzzy", "there is no operator 'xyzzy'; dir(sluice.ops) names all"),
])
def test_an_unknown_name_is_told_with_what_to_write(module, name, says):
    with pytest.raises(AttributeError) as error:
        getattr(module, name)
    assert str(error.value).startswith(says)


@pytest.mark.parametrize("module", [sluice, ops])
def test_modules_have_no_special_name_that_python_asks_for(module):
    assert not hasattr(module, "__wrapped__")


@pytest.mark.parametrize("name", _peers.SUBMODULES)
def test_a_submodule_is_imported_at_its_first_use(name, monkeypatch):
    monkeypatch.delattr(sluice, name, raising=False)
    if importlib.util.find_spec(name) is None:
        with pytest.raises(AttributeError, match=rf"^sluice\.{name} needs \w+: pip install"):
            getattr(sluice, name)
        return
    module = getattr(sluice, name)
    assert module.__name__ == f"sluice.{name}"
    assert set(module.__all__) - set(sluice.__all__) - set(ops.__all__) == set(_peers.SUBMODULES[name])


def test_what_peers_names_lead_to_is_there():
    names = [name for _, several in _peers.OPERATORS for name in several.split()]
    assert len({_peers._plain(name) for name in names}) == len(names), "a name stands there twice"
    for advice, several in _peers.OPERATORS:
        called = re.findall(r"\b(ops|sluice)\.(\w+)(\(?)", advice)
        assert called or advice.startswith(("value.cast(", "leave it out: ")), advice
        for module, name, _ in called:
            assert name in _peers.SUBMODULES or hasattr({"ops": ops, "sluice": sluice}[module], name), advice
        for name, arguments in re.findall(r"\bops\.(\w+)\(([^()]*)\)", advice):
            takes = inspect.signature(getattr(ops, name)).parameters
            assert set(re.findall(r"(\w+)=", arguments)) <= set(takes), advice
        for name in several.split():
            assert name not in ops.__all__, f"{name} is an operator"
            assert _peers.for_operator(name) == advice and _peers.for_operator(name.upper()) == advice


def test_what_peers_arguments_lead_to_is_there():
    for name, rows in _peers.ARGUMENTS.items():
        for advice, operators in rows:
            for operator in operators or ():
                takes = list(inspect.signature(getattr(ops, operator)).parameters)
                assert name not in takes, f"{operator} has {name}"
                told = re.sub(r"`[^`]*`|ops\.\w+\([^()]*(\([^()]*\))?[^()]*\)", "", advice)
                for word in re.findall(r"(\w+)=", told):
                    assert word in takes, f"{operator}: {advice}"
                assert _peers.for_argument(operator, name.upper()) == advice


def test_loader_option_advice_names_real_options():
    of_sources = {"shuffle", "shard", "subset", "returns", "workers"}
    for name, advice in _peers.OPTIONS.items():
        assert name not in OPTIONS
        assert set(re.findall(r"(\w+)=", advice)) <= {*OPTIONS, *of_sources}, advice


@pytest.mark.parametrize(("change", "says"), [
    (lambda x: ops.random_resized_crop(x, scale=(0.5, 1)), "random_resized_crop(): got an unexpected keyword argument 'scale'; in its place: area="),
    (lambda x: ops.resize(x, dsize=3), "resize() has no argument 'dsize'; it has image, height, "),
    (lambda x: ops.resize(x, tuna=3), "antialias, size, longer"),
    (lambda x: ops.resize(x, resize_longer=3), "in its place: longer="),
    (lambda x: ops.rotate(x, angle=10), "in its place: degrees"),
    (lambda x: ops.invert(x, p=0.5), "in its place: every sample is changed; put the call in `if ops.coin_flip(0.5):`"),
    (lambda x: ops.flip(x, P=0.5), "in its place: horizontal=ops.coin_flip(0.5)"),
    (lambda x: ops.gaussian_blur(x, kernel_size=3), "in its place: window_size="),
    (lambda x: ops.resize(x, Width=3), "in its place: width="),
    (lambda x: ops.dino(x, size=224), "in its place: global_size= and local_size="),
    (lambda x: ops.gaussian_noise(x, std=3), "in its place: stddev="),
    (lambda x: ops.invert(x, mean=0.5, std=3), "in its place: ops.crop_mirror_normalize(image, mean=, std=) after it"),
])
def test_arguments_of_other_libraries_lead_to_ours(change, says):
    with pytest.raises(TypeError) as error:
        image_of(change)
    assert says in str(error.value)


@pytest.mark.parametrize(("pair", "both"), [
    (lambda x: ops.resize(x, size=(3, 5)), lambda x: ops.resize(x, height=3, width=5)),
    (lambda x: ops.resize(x, longer=4), lambda x: ops.resize(x, height=4, width=4, mode="not_larger")),
    (lambda x: ops.center_crop(x, size=3), lambda x: ops.center_crop(x, 3, 3)),
    (lambda x: ops.center_crop(x, size=[3, 4]), lambda x: ops.center_crop(x, 3, 4)),
    (lambda x: ops.random_resized_crop(x, size=4, area=(0.5, 1), ratio=(0.5, 2)),
     lambda x: ops.random_resized_crop(x, height=4, width=4, min_area=0.5, max_area=1, min_ratio=0.5, max_ratio=2)),
    (lambda x: ops.resize(x, size=(ops.randint(4, 5), 5)), lambda x: ops.resize(x, height=4, width=5)),
    (lambda x: ops.brightness_contrast(x, brightness=ops.uniform(range=(0.5, 1.5))),
     lambda x: ops.brightness_contrast(x, brightness=ops.uniform(0.5, 1.5))),
])
def test_a_pair_stands_for_two_arguments(pair, both):
    assert numpy.array_equal(image_of(pair), image_of(both))


@pytest.mark.parametrize(("change", "says"), [
    (lambda x: ops.resize(x, size=3), "resize: size= must be (height, width) (got one number); write shorter= for the shorter side"),
    (lambda x: ops.resize(x, size=(3,)), "resize: size= must be a pair, (height, width) (got (3,))"),
    (lambda x: ops.resize(x, size=(3, 4), height=3), "size= stands for height= and width=, but height= is given, too"),
    (lambda x: ops.resize(x, longer=3, shorter=4), "longer= and shorter= exclude each other"),
    (lambda x: ops.center_crop(x, 10, size=3), "center_crop() is given 'height' twice"),
    (lambda x: ops.center_crop(x, size="ab"), "must be a pair, (height, width), or one number for both (got 'ab')"),
    (lambda x: ops.random_resized_crop(x, area=0.5), "area= must be a pair, (min_area, max_area) (got 0.5)"),
    (lambda x: ops.center_crop(x), "center_crop() lacks the argument 'height'"),
])
def test_wrong_pairs(change, says):
    with pytest.raises(TypeError) as error:
        image_of(change)
    assert says in str(error.value)


@pytest.mark.parametrize("draw", ["elastic", "grid"])
def test_an_image_and_its_points_follow_one_field(draw):
    @sluice.pipeline(batch_size=4, seed=3)
    def deformed():
        image = sluice.source(lambda i: numpy.full((40, 52, 3), 7 * i, numpy.uint8), "image", samples=4)
        height, width = ops.canvas_size(image)
        field = ops.elastic_field(height, width, alpha=90, sigma=4) if draw == "elastic" else ops.grid_field(height, width)
        points = ops.rows_of(sluice.source(lambda i: [20.0, 10.0 + i], "list of f32", samples=4), columns=2)
        image = ops.remap(image, field, border="edge")
        return image, ops.remap_points(points, field), field, ops.grid_distortion(image, steps=3, limit=0.2)

    batch, = deformed()
    images, points, fields, again = (numpy.asarray(column) for column in batch)
    assert fields.shape == (4, 40, 52, 2) and fields.dtype == numpy.float32
    for i in range(4):
        assert (images[i] == 7 * i).all() and (again[i] == 7 * i).all()
        x, y = points[i][0]
        dx, dy = fields[i][int(y), int(x)]  # of the nearest pixel
        assert abs(x + dx - 20) < 1 and abs(y + dy - 10 - i) < 1
    assert not (fields[0] == fields[1]).all()


def test_labels_of_filtered_boxes_are_taken_by_the_boxes_before(folder):
    def described(wrong):
        boxes = ops.rows_of(sluice.source(lambda i: [0.0, 0, 9, 9] * (i + 1), "list of f32", samples=2), 4)
        labels = ops.labels_of(sluice.source(lambda i: list(range(i + 1)), "list of i64", samples=2))
        left, kept = ops.filter_boxes(boxes, 10, 10)  # none is too small
        return ops.take_rows(labels, left if wrong else boxes, kept)

    batches = list(sluice.pipeline(lambda: described(False))())
    assert [batch[0][0].tolist() for batch in batches] == [[0], [0, 1]]
    with pytest.raises(sluice.BuildError, match="take_rows: boxes are those after filter_boxes"):
        sluice.pipeline(lambda: described(True))()
    assert "boxes : Value of tensor\n    The boxes that filter_boxes was given, not those that it returns.\n" in ops.take_rows.__doc__


def test_colors_in_a_row_are_composed_where_that_is_wanted():
    def change(x):
        return ops.saturation(ops.brightness_contrast(ops.brightness_contrast(x, brightness=4.0), brightness=0.25), 1.0)

    assert image_of(change)[0].max() < 70  # what was white on the way
    assert numpy.array_equal(image_of(change, compose=True)[0], IMAGE)


def test_what_is_inspected_is_short_in_print(folder):
    @sluice.pipeline(batch_size=2)
    def described():
        jpeg, _ = sluice.files(folder)
        return jpeg

    pipe = described()
    sample = pipe.inspect(0)
    assert len(sample["values"]["read"][0]) > 500
    assert len(repr(sample)) < 300 and "bytes)" in repr(sample)


def test_arrays_that_are_inspected_are_short_in_print(folder):
    @sluice.pipeline(batch_size=2)
    def described():
        jpeg, label = sluice.files(folder)
        image = ops.decode_jpeg(jpeg)
        several = sluice.map(lambda n: list(range(1000)), label, returns="list of i64")
        return ops.crop_mirror_normalize(image), several, sluice.map(lambda n: "x" * 5000, label, returns=str)

    sample = described().inspect(0)
    text = str(sample)
    assert len(text) < 1800 and text.count("\n") == 0
    assert "<array of shape (40, 60, 3), uint8, " in text and "float32" in text
    assert "... 1000 in all" in text and "(5000 characters)" in text
    assert sample["values"]["decode_jpeg"].shape == (40, 60, 3)  # what is short is the print alone


def test_a_drawing_says_what_draws_it(folder, tmp_path, monkeypatch):
    drawing = sluice.pipeline(lambda: sluice.files(folder))().graph()
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(sluice.Error, match="Graphviz, whose program `dot` is not on the PATH; install it"):
        drawing.svg()
    assert drawing._repr_html_().startswith("<pre>")
    dot = tmp_path / "dot"
    dot.write_text("#!/bin/sh\nread line; echo \"<svg>$1</svg>\"")
    dot.chmod(0o755)
    assert drawing.svg() == "<svg>-Tsvg</svg>\n" == drawing._repr_html_()
    dot.write_text("#!/bin/sh\nread line; echo no font >&2; exit 3")
    with pytest.raises(sluice.Error, match="dot ended with status 3: no font"):
        drawing.svg()


def test_a_sheet_is_a_jpeg_file(tmp_path, folder):
    @sluice.pipeline(batch_size=2)
    def described():
        jpeg, _ = sluice.files(folder)
        return ops.resize(ops.decode_jpeg(jpeg), width=8, height=8)

    sheet = described().show(2)
    sheet.save(tmp_path / "sheet.JPG")
    assert (tmp_path / "sheet.JPG").read_bytes()[:2] == b"\xff\xd8"
    with pytest.raises(sluice.Error, match="its name must end in .jpg"):
        sheet.save(tmp_path / "sheet.png")
    # A limit for the size of files stands for a full disk. Python ignores its signal.
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, limit[1]))
    try:
        for name in ("sheet.JPG", "other.jpg"):
            with pytest.raises(sluice.IoError, match=f"{name}' cannot be written: File too large"):
                sheet.save(tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limit)
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.JPG"]
    assert (tmp_path / "sheet.JPG").read_bytes() == sheet.jpeg()


def test_columns_of_a_list_are_a_dict(tmp_path):
    (tmp_path / "list.csv").write_text("path,label\n")

    def listed(columns):
        @sluice.pipeline(batch_size=2)
        def described():
            return sluice.list_file(tmp_path / "list.csv", columns)

        return described()

    with pytest.raises(sluice.BuildError, match=r"columns must be a dict .*got \['label'\]"):
        listed(["label"])
    with pytest.raises(sluice.BuildError, match="type of column 'label' must be .*got <class 'list'>"):
        listed({"label": list})
