"""Operators and transforms that are called on single arrays, outside of a pipeline."""

import os
import random
import subprocess
import sys
import threading

import numpy
import pytest
from conftest import draw
from test_transforms import RANDOM, SAME, results

import sluice
from sluice import ops
from sluice import transforms as T

IMAGE = draw(3, 40, 52)


@pytest.mark.parametrize("name", [*SAME, *RANDOM])
def test_a_call_computes_what_a_pipeline_does(name):
    transform, plain = {**SAME, **RANDOM}[name]
    expected = results(plain, [IMAGE])[0]
    for _ in range(2):
        found = transform(IMAGE, seed=3)
        assert type(found) is numpy.ndarray
        numpy.testing.assert_array_equal(found, expected)


CALLS = {
    "a constant": (lambda x: ops.posterize(x, 3), [(draw(1),), (draw(2, 9, 7),)]),
    "numbers": (lambda x, angle: ops.rotate(x, angle, keep_size=True), [(draw(1), 10.5), (draw(1), -3.25), (draw(1), 90)]),
    "two images": (lambda x, y: ops.blend(x, y, weight=0.25), [(draw(1), draw(2))]),
    "several outputs": (lambda x: ops.canvas_size(x), [(draw(1, 9, 7),)]),
    "a number": (lambda x: ops.mean(x), [(draw(1),)]),
    "a color": (lambda x: ops.rotate(x, 45.0, fill=(1, 2, 3)), [(draw(1),)]),
    "a rectangle": (lambda x: ops.crop(x, (1, 2, 5, 6)), [(draw(1),)]),
    "gray": (lambda x: ops.invert(x), [(draw(1)[:, :, :1],), (numpy.ascontiguousarray(draw(1)[:, :, 0]),)]),
}


@pytest.mark.parametrize("name", CALLS)
def test_operators_compute_at_once(name):
    function, calls = CALLS[name]
    for arguments in calls:
        arrays = [one for one in arguments if isinstance(one, numpy.ndarray)]

        @sluice.pipeline(batch_size=1)
        def described():
            values = [sluice.source([one], returns="image") if isinstance(one, numpy.ndarray) else one for one in arguments]
            return function(*values)

        if len(arrays) == 1:
            (batch,) = described()
            expected = [numpy.asarray(column)[0] for column in batch.columns]
            found = function(*arguments)
            found = found if isinstance(found, tuple) else (found,)
            for one, other in zip(found, expected, strict=True):
                numpy.testing.assert_array_equal(one, other)
        else:
            numpy.testing.assert_allclose(function(*arguments), 0.75 * arguments[0] + 0.25 * arguments[1], atol=1)


VIEWS = {
    "upside down": lambda x: x[::-1], "mirrored": lambda x: x[:, ::-1], "every second": lambda x: x[::2, ::2],
    "bgr": lambda x: x[:, :, ::-1], "a part": lambda x: x[3:9, 5:30], "transposed": lambda x: x.transpose(1, 0, 2),
    "read-only": lambda x: numpy.frombuffer(x.tobytes(), numpy.uint8).reshape(x.shape),
}


@pytest.mark.parametrize("name", VIEWS)
def test_any_array_is_read_where_it_is(name):
    view = VIEWS[name](IMAGE)
    numpy.testing.assert_array_equal(ops.invert(view), 255 - view)
    numpy.testing.assert_array_equal(ops.flip(view, vertical=True), view[::-1, ::-1])


def test_results_are_new():
    image = IMAGE.copy()
    first = ops.invert(image)
    second = ops.invert(draw(5, 40, 52))
    numpy.testing.assert_array_equal(first, 255 - image)  # the second call has other memory
    assert not numpy.shares_memory(first, second)
    same = T.RandomApply([T.RandomInvert(1)], p=0)(image)
    same[:] = 0
    numpy.testing.assert_array_equal(image, IMAGE)


def test_files_and_tensors():
    file = sluice.encode_jpeg(IMAGE, 95)
    decoded = numpy.asarray(sluice.decode_jpeg(file))
    for given in (file, bytearray(file), memoryview(file), numpy.frombuffer(file, numpy.uint8).tobytes()):
        numpy.testing.assert_array_equal(ops.decode_jpeg(given), decoded)
    numpy.testing.assert_array_equal(T.Resize(20)(file), T.Resize(20)(decoded))
    numpy.testing.assert_array_equal(ops.invert(sluice.decode_jpeg(file)), 255 - decoded)
    boxes = numpy.array([[1, 2, 10, 20]], numpy.float32)
    numpy.testing.assert_array_equal(ops.flip_boxes(boxes, 40, 52), [[42, 2, 51, 20]])
    numpy.testing.assert_array_equal(ops.cat([boxes, boxes + 1]), numpy.concatenate([boxes, boxes + 1]))


def test_masks_boxes_and_points_follow_a_field():
    field = numpy.zeros((40, 52, 2), numpy.float32)
    field[..., 0], field[..., 1] = 3, -2  # shows what is 3 pixels to the right and 2 above
    for interpolation in ("nearest", "bilinear", "bicubic"):
        moved = ops.remap(IMAGE, field, interpolation=interpolation, border="edge")
        numpy.testing.assert_array_equal(moved[2:, :-3], IMAGE[:-2, 3:])
    boxes, points = numpy.array([[10, 20, 30, 25]], numpy.float32), numpy.array([[7, 9]], numpy.float32)
    numpy.testing.assert_array_equal(ops.remap_boxes(boxes, field), [[7, 22, 27, 27]])
    numpy.testing.assert_array_equal(ops.remap_points(points, field), [[4, 11]])
    with pytest.raises(sluice.Error, match="the image has 40 x 52 pixels .* but the field 52 x 40"):
        ops.remap(IMAGE, field.transpose(1, 0, 2).copy())


def test_images_of_pillow():
    pil = pytest.importorskip("PIL.Image")
    found = T.RandomInvert(1)(pil.fromarray(IMAGE))
    assert isinstance(found, pil.Image)
    numpy.testing.assert_array_equal(numpy.asarray(found), 255 - IMAGE)
    assert T.Grayscale()(pil.fromarray(IMAGE)).mode == "L"
    assert T.ToTensor()(pil.fromarray(IMAGE)).shape == (3, 40, 52)
    with pytest.raises(sluice.BuildError, match=r"images of PIL must be L, RGB or RGBA, not P; image.convert\('RGB'\)"):
        T.Resize(9)(pil.fromarray(IMAGE).convert("P"))


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    chw = torch.from_numpy(IMAGE).permute(2, 0, 1)
    assert torch.equal(T.RandomInvert(1)(chw), 255 - chw)
    assert T.Compose([T.Resize((8, 9)), T.ToTensor()])(chw).shape == (3, 8, 9)
    assert torch.equal(ops.invert(torch.from_numpy(IMAGE)), 255 - torch.from_numpy(IMAGE))
    generator = torch.Generator().manual_seed(5)
    first = T.RandomCrop(9)(chw, generator=generator)
    assert torch.equal(first, T.RandomCrop(9)(chw, generator=torch.Generator().manual_seed(5)))
    assert not torch.equal(first, T.RandomCrop(9)(chw, generator=generator))


@pytest.mark.parametrize(
    "draw_one",
    [
        lambda **how: ops.uniform(2, 5, **how), lambda **how: ops.randint(2, 5, **how), lambda **how: ops.normal(3, 0.1, **how),
        lambda **how: ops.choice([2, 3, 4], **how), lambda **how: ops.choice_index([0, 0, 1, 1], **how), lambda **how: 3 + ops.coin_flip(0.5, **how),
    ],
)
def test_random_numbers_outside_of_a_pipeline(draw_one):
    drawn = [draw_one(seed=seed) for seed in range(30)]
    assert drawn == [draw_one(seed=seed) for seed in range(30)] and len(set(drawn)) > 1
    assert all(2 <= one <= 5 for one in drawn)
    assert draw_one(generator=random.Random(3)) == draw_one(generator=random.Random(3))
    with pytest.raises(sluice.BuildError, match="describes a step of a pipeline"):
        draw_one()


def test_seeds_and_generators():
    crop = T.RandomCrop(9)
    for make in (lambda: random.Random(7), lambda: numpy.random.default_rng(7)):
        generator = make()
        several = [crop(IMAGE, generator=generator) for _ in range(5)]
        numpy.testing.assert_array_equal(several[0], crop(IMAGE, generator=make()))
        assert any(not numpy.array_equal(several[0], one) for one in several)
    numpy.testing.assert_array_equal(crop(IMAGE, seed=numpy.int64(4)), crop(IMAGE, seed=4))
    assert any(not numpy.array_equal(crop(IMAGE), crop(IMAGE)) for _ in range(5))
    numpy.testing.assert_array_equal(ops.random_crop(IMAGE, 9, 9, seed=4), crop(IMAGE, seed=4))


def test_a_child_process_draws_other_numbers():
    program = (
        "import os, numpy\nfrom sluice import transforms as T\n"
        "image = numpy.arange(3000, dtype=numpy.uint16).astype(numpy.uint8).reshape(20, 50, 3)\n"
        "crop = T.RandomCrop(3)\ncrop(image)\n"
        "for _ in range(3):\n"
        "    child = os.fork()\n"
        "    if child == 0:\n"
        "        print([int(crop(image)[0, 0, 0]) for _ in range(8)], flush=True)\n"
        "        os._exit(0)\n"
        "    os.waitpid(child, 0)\n"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)
    assert len(set(ran.stdout.splitlines())) == 3


def test_threads_call_at_once():
    found = {}

    def work(number):
        image = draw(number, 30, 40)
        found[number] = all(
            numpy.array_equal(ops.invert(image), 255 - image) and T.RandomInvert(1)(image)[0, 0, 0] == 255 - image[0, 0, 0]
            for _ in range(200)
        )

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert found == dict.fromkeys(range(4), True)


def test_functions_of_python_are_called():
    assert (T.Lambda(lambda array: array[:5])(IMAGE) == IMAGE[:5]).all()
    inner = T.Lambda(lambda array: T.RandomInvert(1)(array))
    numpy.testing.assert_array_equal(inner(IMAGE), 255 - IMAGE)

    def fails(array):
        raise ValueError("no")

    with pytest.raises(sluice.Error, match="ValueError: no"):
        T.Lambda(fails)(IMAGE)
    numpy.testing.assert_array_equal(inner(IMAGE), 255 - IMAGE)


def test_a_changed_transform_is_described_anew():
    resize = T.Resize(9)
    both = T.Compose([resize, T.RandomInvert(1)])
    assert resize(IMAGE).shape[0] == 9 and both(IMAGE).shape[0] == 9
    resize.size = [5]
    assert resize(IMAGE).shape[0] == 5 and both(IMAGE).shape[0] == 5


def test_many_different_calls_keep_a_bounded_number_of_plans():
    for value in range(300):
        assert ops.pad_image(IMAGE, left=1, fill=(value % 256, value // 256, 0))[0, 0, 0] == value % 256


MASKED = numpy.ma.masked_array(IMAGE, mask=IMAGE > 200)
FLOATS = numpy.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0])


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.invert(MASKED), lambda: ops.rotate(MASKED, 10), lambda: ops.blend(IMAGE, MASKED, weight=0.5), lambda: ops.mean(MASKED),
        lambda: ops.mean(FLOATS), lambda: ops.sum(FLOATS, axis=0), lambda: ops.cat([FLOATS, FLOATS]), lambda: ops.cat(FLOATS.filled(0), FLOATS),
        lambda: ops.invert(numpy.ma.masked_array(IMAGE)), lambda: T.Resize(9)(MASKED), lambda: T.Compose([T.ToTensor()])(MASKED),
        lambda: results(lambda x: sluice.memory(MASKED[None])), lambda: results(lambda x: sluice.memory([IMAGE, MASKED])),
        lambda: results(lambda x: sluice.memory([1, 2], [FLOATS.data, FLOATS])),
    ],
)
def test_a_masked_array_is_refused(call):
    with pytest.raises(sluice.BuildError, match="an array of numpy.ma would lose its mask; x.filled.0. makes a plain array"):
        call()


@pytest.mark.parametrize(
    "source",
    [
        lambda: sluice.source(lambda i: MASKED, "image", samples=3),
        lambda: sluice.map(lambda i: FLOATS, sluice.source(lambda i: i, int, samples=3), returns="tensor"),
        lambda: sluice.iterate(lambda epoch: iter([FLOATS]), "tensor"),
    ],
)
def test_a_masked_result_fails_its_sample(source):
    with pytest.raises(sluice.BatchError, match="an array of numpy.ma would lose its mask; x.filled.0. makes a plain array"):
        next(iter(sluice.pipeline(batch_size=1)(source)()))


def test_a_masked_number_is_refused():
    for call in (lambda: T.Normalize(numpy.ma.masked_array([0.1, 0.2, 0.3], mask=[0, 1, 0]), [1]), lambda: T.RandomInvert(FLOATS[1])):
        with pytest.raises(sluice.BuildError, match="masked"):
            call()
    with pytest.raises(TypeError, match="multiply of <Value"):
        results(lambda x: x * FLOATS[1])


WRONG = {
    "an operator's value": (lambda: ops.rotate(IMAGE, float("nan")), sluice.Error, "rotate: degrees must be a finite number, not nan"),
    "an argument": (lambda: ops.rotate(IMAGE, 10, angle=3), TypeError, "rotate() has no argument 'angle'"),
    "a path": (lambda: ops.flip("a.jpg"), sluice.BuildError, "a path is not read: outside of a pipeline, give the bytes of the file"),
    "a file's path": (lambda: ops.decode_jpeg("a.jpg"), sluice.BuildError, "open(path, 'rb').read(), or an array"),
    "a pair as two sides": (lambda: T.Resize(9, 9)(IMAGE), sluice.BuildError, "a pair is one argument, (height, width)"),
    "floats": (lambda: ops.rotate(IMAGE / 255, 10), sluice.Error, "rotate: the tensor has elements of type f64; cast it to"),
    "channels first": (
        lambda: ops.rotate(IMAGE.transpose(2, 0, 1), 10), sluice.BuildError,
        "rotate: an array of shape (3, 40, 52) would have 52 channels, because channels are last; x.transpose(1, 2, 0)",
    ),
    "a file": (lambda: ops.decode_jpeg(b"xx"), sluice.Error, "not a JPEG file"),
    "a seed": (lambda: T.RandomCrop(9)(IMAGE, seed=-1), TypeError, "seed must be a whole number from 0 to 2**64 - 1 (got -1)"),
    "a generator": (lambda: T.RandomCrop(9)(IMAGE, generator=3), TypeError, "generator must be one of random, NumPy or PyTorch (got 3)"),
    "both": (lambda: T.RandomCrop(9)(IMAGE, seed=1, generator=random), TypeError, "seed and generator say the same; pass one of them"),
    "no array": (lambda: T.Resize(9)("a.jpg"), TypeError, "Resize takes a Value of a pipeline, an array, the bytes of a file or an image"),
    "a mask, too": (lambda: T.Resize(9)(IMAGE, IMAGE), TypeError, "Resize takes one image (got 2 arguments); boxes and masks move with their image by operators"),
    "no call": (lambda: ops.uniform(0, 1), sluice.BuildError, "outside of a pipeline, seed= or generator= draws one number"),
    "a float image": (lambda: T.Resize(9)(IMAGE / 255), sluice.BuildError, "Resize takes an image or a file, not a tensor: pass arrays of uint8 with 2 or 3 dimensions"),
    "in a pipeline": (
        lambda: results(lambda x: T.Resize(9)(IMAGE)), sluice.BuildError, "Resize: in a pipeline, pass a Value, not ndarray",
    ),
    "a gpu": (lambda: T.Compose([lambda x: x.gpu()])(IMAGE), sluice.BuildError, "a single call runs on the CPU: leave out .gpu()"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_calls(name):
    call, kind, message = WRONG[name]
    with pytest.raises(kind) as error:
        call()
    assert message in str(error.value)
    numpy.testing.assert_array_equal(ops.invert(IMAGE), 255 - IMAGE)
