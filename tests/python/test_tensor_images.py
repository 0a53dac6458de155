"""Images of 16 bits and of many channels: decode_tensor, and crop, flip, resize, rotate and normalize on tensors."""

import struct
import zlib

import numpy
import pytest
from conftest import draw

import sluice
from sluice import ops

DTYPES = ["uint8", "uint16", "int16", "float32"]


def bands(channels, dtype, height=20, width=30, seed=1):
    random = numpy.random.default_rng(seed)
    if dtype == "float32":
        return random.random((height, width, channels), "float32")
    return random.integers(numpy.iinfo(dtype).min, numpy.iinfo(dtype).max, (height, width, channels), dtype, endpoint=True)


def piped(function, array, returns="tensor"):
    """What a pipeline returns for one array."""

    @sluice.pipeline(batch_size=1)
    def described():
        return function(sluice.source([array], returns=returns))

    (batch,) = described()
    return numpy.asarray(batch[0])[0]


def png(pixels):
    """A PNG file of 16 bits: gray, or RGB."""
    height, width, channels = pixels.shape
    rows = b"".join(b"\0" + row.astype(">u2").tobytes() for row in pixels)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 16, 0 if channels == 1 else 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def tiff(pixels):
    """A TIFF file with one strip and the numbers as they are."""
    height, width, channels = pixels.shape
    data = pixels.astype(pixels.dtype.newbyteorder("<")).tobytes()
    fields = {256: width, 257: height, 259: 1, 262: 1, 273: 8, 277: channels, 278: height, 279: len(data), 284: 1}
    kinds = {"u": 1, "i": 2, "f": 3}
    beyond = 8 + len(data) + 2 + 12 * 12 + 4
    lists = {258: pixels.dtype.itemsize * 8, 338: 0, 339: kinds[pixels.dtype.kind]}
    entries, after = [], b""
    for tag in sorted(fields | lists):
        if tag in fields:
            entries.append(struct.pack("<HHII", tag, 4, 1, fields[tag]))
        else:
            count = channels - 1 if tag == 338 else channels
            entries.append(struct.pack("<HHII", tag, 3, count, beyond + len(after)))
            after += struct.pack("<H", lists[tag]) * max(count, 3)
    return struct.pack("<2sHI", b"II", 42, 8 + len(data)) + data + struct.pack("<H", 12) + b"".join(entries) + bytes(4) + after


@pytest.mark.parametrize("channels", [1, 3])
def test_png_files_keep_16_bits(channels):
    pixels = bands(channels, "uint16")
    for found in (ops.decode_tensor(png(pixels)), piped(ops.decode_tensor, png(pixels), "bytes")):
        assert found.dtype == numpy.uint16
        numpy.testing.assert_array_equal(found, pixels)
    eight = ops.decode_image(png(pixels), color="gray" if channels == 1 else "rgb")
    numpy.testing.assert_array_equal(eight, pixels >> 8)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [4, 13, 16])
def test_tiff_files_keep_their_numbers(channels, dtype):
    pixels = bands(channels, dtype)
    found = ops.decode_tensor(tiff(pixels))
    assert found.dtype == pixels.dtype
    numpy.testing.assert_array_equal(found, pixels)


def test_a_damaged_file_costs_one_sample():
    file = tiff(bands(5, "uint16"))

    @sluice.pipeline(batch_size=3, on_error="skip")
    def described():
        return ops.decode_tensor(sluice.source([file, file[: len(file) // 2], b"no image"], returns="bytes"))

    (batch,) = described()
    assert batch.size == 1 and [one["step"] for one in batch.errors] == ["decode_tensor"] * 2
    assert "broken TIFF file" in batch.errors[0]["what"] and "not a JPEG, PNG, TIFF" in batch.errors[1]["what"]


OPERATORS = {
    "crop": (lambda x: ops.crop(x, (3, 4, 10, 12)), lambda x: x[3:13, 4:16]),
    "crop, trimmed": (lambda x: ops.crop(x, (-3, 20, 10, 40), out_of_bounds="trim"), lambda x: x[:7, 20:]),
    "crop, padded": (lambda x: ops.crop_padded(x, (-1, 0, 10, 30), fill=7), lambda x: numpy.concatenate([numpy.full_like(x[:1], 7), x[:9]])),
    "flip": (lambda x: ops.flip(x, vertical=True), lambda x: x[::-1, ::-1]),
    "resize, nearest": (lambda x: ops.resize(x, height=10, width=10, interpolation="nearest"), lambda x: x[1::2, 1::3]),
    "rotate by 90": (lambda x: ops.rotate(x, 90), lambda x: numpy.rot90(x)),
    "rotate by 180": (lambda x: ops.rotate(x, 180.0, interpolation="nearest"), lambda x: x[::-1, ::-1]),
    "the whole": (lambda x: ops.resize(image=x, size=(20, 30)), lambda x: x),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("channels", [1, 5, 16])
@pytest.mark.parametrize("name", OPERATORS)
def test_pixels_move_as_in_numpy(name, channels, dtype):
    function, plain = OPERATORS[name]
    array = bands(channels, dtype)
    expected = plain(array)
    for found in (function(array), piped(function, array)):
        assert found.dtype == array.dtype
        numpy.testing.assert_array_equal(found, expected)


def test_boxes_are_means():
    array = bands(9, "uint16")
    found = ops.resize(array, height=10, width=10, interpolation="box")
    mean = array.reshape(10, 2, 10, 3, 9).astype(float).mean((1, 3))
    numpy.testing.assert_allclose(found, mean, atol=1)


@pytest.mark.parametrize("function", [
    lambda x: ops.resize(x, height=25, width=17),
    lambda x: ops.resize(x, longer=100, interpolation="bicubic"),
    lambda x: ops.rotate(x, 25.5),
    lambda x: ops.rotate(x, -100, keep_size=True, interpolation="bicubic"),
])  # fmt: skip
def test_eight_bits_are_those_of_images(function):
    image = draw(3, 40, 52)
    as_image, as_tensor = piped(function, image, "image"), piped(function, image)
    numpy.testing.assert_array_equal(function(image), as_image)
    numpy.testing.assert_array_equal(as_tensor, as_image)
    more_bits = piped(function, image.astype("uint16") * 257)
    assert numpy.abs(as_image - more_bits / 257.0).max() <= 2


@pytest.mark.parametrize("dtype, white", [("uint8", 255), ("uint16", 65535), ("int16", 1), ("float32", 1)])
def test_normalize(dtype, white):
    for channels in (1, 3, 16):
        array = bands(channels, dtype)
        mean, std = numpy.linspace(0, 0.5, channels), numpy.linspace(0.2, 0.9, channels)
        expected = (array / white - mean) / std
        for layout in ("CHW", "HWC"):
            def function(x, layout=layout):
                return ops.normalize(x, mean.tolist(), std.tolist(), layout=layout)

            wanted = expected if layout == "HWC" else expected.transpose(2, 0, 1)
            for found in [piped(function, array)] + ([function(array)] if channels > 4 or dtype != "uint8" else []):
                assert found.dtype == numpy.float32
                numpy.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
        numpy.testing.assert_allclose(piped(lambda x: ops.normalize(x, 0.25, 0.5, layout="HWC"), array), (array / white - 0.25) / 0.5, rtol=1e-4, atol=1e-5)


WRONG = {
    "three fills": (lambda x: ops.rotate(x, 5, fill=(1, 2, 3)), sluice.BuildError, "fill"),
    "a fill that does not fit": (lambda x: ops.rotate(x, 5, fill=70000), sluice.BatchError, "rotate: fill is 70000; for a tensor of u16"),
    "means in other units": (lambda x: ops.normalize(x, 1000, 300), sluice.BatchError, "divide both by 65535, or cast the tensor to f32"),
    "seventeen means": (lambda x: ops.normalize(x, [0.1] * 17, 1), sluice.BuildError, "normalize: there are 17 mean; 1 to 16 are possible"),
    "two means": (lambda x: ops.normalize(x, [0, 0], 1), sluice.BatchError, "mean has 2 numbers, but the tensor has 5 channels"),
    "a tensor on a GPU": (lambda x: ops.sum(x.gpu()), sluice.BuildError, "the operator 'sum' does not run on a GPU, where"),
    "no size": (lambda x: ops.resize(x), sluice.BuildError, "give height and width"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_said(name):
    function, kind, text = WRONG[name]
    with pytest.raises(kind) as caught:
        piped(function, bands(5, "uint16"))
    assert text in str(caught.value)


def test_arithmetic_on_u16():
    array = bands(2, "uint16")
    assert piped(lambda x: x // 2 + 1, array).dtype == numpy.uint16
    numpy.testing.assert_array_equal(piped(lambda x: x.cast("u16"), array.astype("float32")), array)
    numpy.testing.assert_array_equal(piped(lambda x: x > 1000, array), array > 1000)
    label = numpy.uint16(40000)

    @sluice.pipeline(batch_size=2)
    def described():
        return sluice.source([label, label], returns="u16")

    (batch,) = described()
    assert numpy.asarray(batch[0]).dtype == numpy.uint16 and batch[0].tolist() == [40000, 40000]


def of_a_worker(i):
    return bands(2, "uint16", seed=i)


def test_workers_return_u16():
    @sluice.pipeline(batch_size=2)
    def described():
        return sluice.source(of_a_worker, returns="tensor", samples=2, workers=1)

    (batch,) = described()
    numpy.testing.assert_array_equal(numpy.asarray(batch[0]), [of_a_worker(0), of_a_worker(1)])


def test_the_help_names_both():
    for name in ("crop", "crop_padded", "flip", "resize", "rotate"):
        assert "image : Value of image or tensor" in getattr(ops, name).__doc__
        assert not hasattr(ops, name + "_tensor")
