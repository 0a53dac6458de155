"""Functions of several samples at once: sources, and steps on batches."""

import gc
import random
import threading
import weakref

import numpy
import pytest

import sluice
from sluice import ops


def numbers_of(pipe):
    return [n for (batch,) in pipe for n in batch.tolist()]


@pytest.mark.parametrize("threads", [0, 3])
@pytest.mark.parametrize("size", [1, 4, 7])
def test_a_function_is_asked_for_several(threads, size):
    asked, lock = [], threading.Lock()

    def squares(indices, epoch):
        with lock:
            asked.append(tuple(indices))
        return [i * i + 1000 * epoch for i in indices]

    pipe = sluice.pipeline(batch_size=3)(
        lambda: sluice.source(squares, int, samples=10, batch=size, threads=threads))()
    for epoch in range(2):
        asked.clear()
        assert numbers_of(pipe) == [i * i + 1000 * epoch for i in range(10)]
        assert sorted(asked) == [tuple(range(i, min(i + size, 10))) for i in range(0, 10, size)]


def test_a_column_says_where_the_methods_of_arrays_are():
    pipe = sluice.pipeline(batch_size=2)(lambda: sluice.source(lambda i: numpy.zeros((2, 3), "u1"), "image", samples=2))()
    (column,) = next(iter(pipe))
    with pytest.raises(AttributeError, match=r"a column has no 'mean', but its array has: batch\[0\]\.numpy\(\)\.mean"):
        column.mean()
    with pytest.raises(AttributeError, match=r"torch\.from_dlpack\(batch\[0\]\)\.to"):
        column.to("cuda")
    assert not hasattr(column, "anything") and not hasattr(column, "__cuda_array_interface__")


def test_shuffled_groups_are_those_of_the_epoch():
    asked = []

    def same(indices):
        asked.extend(indices)
        return list(indices)

    pipe = sluice.pipeline(batch_size=5, seed=3)(
        lambda: sluice.source(same, int, samples=20, batch=20, shuffle=True))()
    got = numbers_of(pipe)
    assert got == asked and sorted(got) == list(range(20)) and got != sorted(got)


class Dataset:
    def __len__(self):
        return 6

    def __getitem__(self, i):
        return numpy.full((2,), i, numpy.float32), f"row {i}"


class Together(Dataset):
    def __getitems__(self, indices):
        return [(numpy.full((2,), 10 * i, numpy.float32), "together") for i in indices]


@pytest.mark.parametrize("data, factor, texts", [
    (Dataset(), 1, ["row 0", "row 1", "row 2"]), (Together(), 10, ["together"] * 3)])
def test_datasets_give_several(data, factor, texts):
    pipe = sluice.pipeline(batch_size=3)(lambda: sluice.source(data, ("tensor", str), batch=4))()
    first, second = list(pipe)
    assert numpy.asarray(first[0])[:, 0].tolist() == [0, factor, 2 * factor] and first[1] == texts
    assert second.size == 3


def test_what_is_raised_is_the_error_of_its_sample():
    def loads(indices):
        if 5 in indices:
            raise OSError("database gone")
        return list(indices)

    pipe = sluice.pipeline(batch_size=4, on_error="skip")(
        lambda: sluice.source(loads, int, samples=12, batch=4, name_of=lambda i: f"row {i}"))()
    batches = list(pipe)
    assert [batch.missing for batch in batches] == [[], [5], []]
    (error,) = batches[1].errors
    assert error["source"] == "row 5" and error["step"] == "source"
    assert error["what"].startswith("OSError: database gone (") and error["what"].endswith(" in loads)")


def test_what_is_not_given_is_the_error_of_its_sample():
    def even(indices):
        return [i for i in indices if i % 2 == 0]

    pipe = sluice.pipeline(batch_size=5, on_error="skip")(lambda: sluice.source(even, int, samples=10, batch=4))()
    batches = list(pipe)
    assert [batch[0].tolist() for batch in batches] == [[0, 2, 4], [6, 8]]
    assert [batch.missing for batch in batches] == [[1, 3], [5, 7, 9]]
    assert batches[0].errors[0]["what"] == "ValueError: for a list of 1 index a list of 1 sample is expected, not of 0"


def test_an_exception_in_the_list_is_the_error_of_its_sample():
    def rows(indices):
        return [OSError("bad row") if i == 5 else i for i in indices]

    pipe = sluice.pipeline(batch_size=4, on_error="skip")(lambda: sluice.source(rows, int, samples=8, batch=4))()
    batches = list(pipe)
    assert [batch.missing for batch in batches] == [[], [5]]
    assert batches[1].errors[0]["what"] == "OSError: bad row"


def test_each_is_asked_for_when_its_turn_comes():
    def loads(indices):
        if 5 in indices:
            raise OSError("gone")
        buffer[: len(indices), 0] = indices
        return list(buffer[: len(indices)])

    buffer = numpy.zeros((8, 1), numpy.int64)  # filled anew by each call
    for samples in (8, None):
        pipe = sluice.pipeline(batch_size=8, threads=1, on_error="skip")(
            lambda: sluice.source(lambda i: loads(i) if max(i) < 8 else [], "tensor", samples=samples, batch=8))()
        assert [int(x) for (batch,) in pipe for x in numpy.asarray(batch)[:, 0]] == [0, 1, 2, 3, 4, 6, 7]


def test_what_failed_keeps_nothing_alive():
    class Row(numpy.ndarray):
        pass

    def loads(indices):
        rows = [numpy.zeros(4).view(Row) for _ in indices]
        alive.extend(weakref.ref(row) for row in rows)
        if 5 in indices:
            raise OSError("gone")
        return rows

    alive = []
    for samples in (8, None):
        pipe = sluice.pipeline(batch_size=8, on_error="skip")(
            lambda: sluice.source(lambda i: loads(i) if max(i) < 8 else [], "tensor", samples=samples, batch=8))()
        gc.collect()
        gc.disable()
        try:
            assert sum(batch.size for batch in pipe) == 7
            pipe.close()
            assert not [one for one in alive if one() is not None]
        finally:
            gc.enable()


@pytest.mark.parametrize("gives, words", [
    (lambda indices: 3, "for a list of indices a list of samples is expected, not <class 'int'>"),
    (lambda indices: [1] * 9, "a list of 1 sample is expected, not of 9"),
    (lambda indices: ["x"] * 4, "a whole number is expected, not 'x' of type str"),
])
def test_says_what_is_wrong_with_a_group(gives, words):
    pipe = sluice.pipeline(batch_size=4, on_error="skip")(
        lambda: sluice.source(gives, int, samples=4, batch=4, name="rows"))()
    (batch,) = pipe
    assert batch.size == 0 and words in batch.errors[0]["what"], batch.errors
    assert batch.errors[0]["step"] == "rows"


@pytest.mark.parametrize("last", ["partial", "drop"])
@pytest.mark.parametrize("end", [StopIteration, IndexError, None])
def test_a_function_without_an_end_ends(end, last):
    def some(indices):
        if max(indices) >= 10 and end is not None:
            raise end
        return [i for i in indices if i < 10]

    pipe = sluice.pipeline(batch_size=4, last_batch=last)(lambda: sluice.source(some, int, batch=16))()
    for _ in range(2):
        sizes = [batch.size for batch in pipe]
        assert sizes == ([4, 4, 2] if last == "partial" else [4, 4])
    assert pipe.samples == 10


def test_a_sample_of_a_group_is_inspected():
    pipe = sluice.pipeline(batch_size=4)(lambda: sluice.source(lambda i: [3 * n for n in i], int, samples=9, batch=4))()
    assert 15 in pipe.inspect(5)["values"].values()


@pytest.mark.parametrize("how, words", [
    (dict(batch=-1), r"batch must be a whole number from 0 to 2\^31 \(got -1\)"),
    (dict(batch=2.5), r"batch must be a whole number from 0 to 2\^31 \(got 2.5\)"),
    (dict(batch=2000, workers=2), "mini_batch and prefetch must be at most 1024, not 2000"),
])
def test_refuses_groups_that_cannot_be(how, words):
    with pytest.raises(sluice.BuildError, match=words):
        sluice.pipeline(lambda: sluice.source(Dataset(), "object", **how))()


# Steps on batches.


def labeled(alpha_steps, **options):
    pixels = numpy.arange(8 * 6 * 5 * 3, dtype=numpy.uint32).reshape(8, 6, 5, 3) % 251

    def describe():
        image, label = sluice.source(lambda i: (pixels[i].astype(numpy.uint8), i % 3), ("image", int), samples=8)
        return image, ops.one_hot(label, classes=3)

    pipe = sluice.pipeline(**{"batch_size": 4, "seed": 9, **options})(describe)()
    for step in alpha_steps:
        pipe.batch_step(step)
    return pipe, pixels


def test_batches_are_mixed_as_the_formula_says():
    weights = []
    pipe, pixels = labeled([lambda batch, key: weights.append(sluice.mix_up(*batch, key, alpha=0.4))])
    for number, (images, labels) in enumerate(pipe):
        own = pixels[4 * number : 4 * number + 4].astype(numpy.float64)
        w = weights[number]
        assert 0 < w < 1
        wanted = w * own + (1 - w) * numpy.roll(own, 1, axis=0)
        assert numpy.abs(numpy.asarray(images) - wanted).max() <= 0.51
        one_hot = numpy.eye(3)[[i % 3 for i in range(4 * number, 4 * number + 4)]]
        assert numpy.allclose(numpy.asarray(labels), w * one_hot + (1 - w) * numpy.roll(one_hot, 1, axis=0), atol=1e-6)


def test_rectangles_of_batches_are_cut():
    told = []
    pipe, pixels = labeled([lambda batch, key: told.append(sluice.cut_mix(*batch, key))])
    for number, (images, _) in enumerate(pipe):
        wanted = pixels[4 * number : 4 * number + 4].copy()
        _, (y, x, height, width) = told[number]
        cut = numpy.roll(wanted, 1, axis=0)[:, y : y + height, x : x + width]
        wanted[:, y : y + height, x : x + width] = cut
        assert numpy.array_equal(numpy.asarray(images), wanted)


BOXES = [numpy.array([[1, 2, 9, 7], [0, 0, 3, 3]][: i % 3], numpy.float32).reshape(-1, 4) + i % 2 for i in range(12)]


def boxed(batch_size=4, samples=12):
    pixels = numpy.random.default_rng(3).integers(0, 256, (samples, 8, 12, 3), dtype=numpy.uint8)

    @sluice.pipeline(batch_size=batch_size, seed=5)
    def described():
        return sluice.source(
            lambda i: (pixels[i], BOXES[i], numpy.full((len(BOXES[i]), 1), i)), samples=samples, returns=("image", "tensor", "tensor")
        )

    return described(), pixels


def parts_of(done, i, count):
    """For each part of a mosaic: the sample, its shift, and the part's rectangle (y0, y1, x0, x1)."""
    for k in range(4):
        quadrant = (done.quadrant + k) % 4
        left, upper = quadrant % 2 == 0, quadrant < 2
        rows = (0, done.y) if upper else (done.y, 8)
        columns = (0, done.x) if left else (done.x, 12)
        yield (i - k) % count, done.y - 8 * upper, done.x - 12 * left, (*rows, *columns)


@pytest.mark.parametrize(
    "batch_size, options",
    [
        (4, {}),
        (6, {"min_center": 0, "max_center": 1}),
        (3, {"min_visibility": 0.5}),
        (4, {"probability": 0.5, "min_area": 4}),
        (1, {}),
    ],
)
def test_mosaics(batch_size, options):
    pipe, pixels = boxed(batch_size)
    joined = []
    for batch in pipe:
        images, boxes, labels = batch
        before = [one.numpy() for one in boxes]
        done = sluice.mosaic(images, sluice.BatchKey(5, 0, batch.index), boxes, labels, **options)
        assert len(done) == batch.size and [numpy.array_equal(one, BOXES[i]) for one, i in zip(before, batch.ids)]
        joined += [one is not None for one in done]
        for i, one in enumerate(done):
            own = batch.ids[i]
            wanted, rows = pixels[own].copy(), [(*box, own) for box in BOXES[own]]
            if one is not None:
                rows = []
                for place, dy, dx, (y0, y1, x0, x1) in parts_of(one, i, batch.size):
                    sample = batch.ids[place]
                    wanted[y0:y1, x0:x1] = pixels[sample][y0 - dy : y1 - dy, x0 - dx : x1 - dx]
                    for left, top, right, bottom in BOXES[sample]:
                        cut = numpy.clip([left + dx, right + dx], x0, x1), numpy.clip([top + dy, bottom + dy], y0, y1)
                        area = (cut[0][1] - cut[0][0]) * (cut[1][1] - cut[1][0])
                        whole = (right - left) * (bottom - top)
                        if area > 0 and area >= options.get("min_area", 0) and area >= options.get("min_visibility", 0) * whole:
                            rows.append((cut[0][0], cut[1][0], cut[0][1], cut[1][1], sample))
            assert numpy.array_equal(images[i], wanted)
            assert sorted(map(tuple, numpy.hstack([boxes[i].numpy(), labels[i].numpy()]))) == sorted(rows)
    assert any(joined) == (batch_size > 1) and all(joined) == (batch_size > 1 and "probability" not in options)


def test_mosaics_without_boxes_and_as_a_step():
    pipe, _ = boxed()
    pipe.batch_step(lambda batch, key: sluice.mosaic(batch[0], key))
    twin, _ = boxed()
    for stepped, batch in zip(pipe, twin):
        sluice.mosaic(batch[0], (5, 0, batch.index), batch[1], batch[2])
        assert numpy.array_equal(stepped[0], batch[0])


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda b: sluice.mosaic(b[0], 3), TypeError, "mosaic: key must be the BatchKey"),
        (lambda b: sluice.mosaic([1], (5, 0, 0)), TypeError, "mosaic: images must be a column"),
        (lambda b: sluice.mosaic(b[0], (5, 0, 0), b[1]), TypeError, "boxes and labels belong together"),
        (lambda b: sluice.mosaic(b[0], (5, 0, 0), b[1], [1]), TypeError, r"mosaic: labels must be a column .* \(got list\)$"),
        (lambda b: sluice.mosaic(b[0], (5, 0, 0), b[0], b[2]), sluice.Error, "mosaic: boxes are tensors, not images"),
        (lambda b: sluice.mosaic(b[0], (5, 0, 0), probability=2), sluice.Error, "probability is 2; it must lie between 0 and 1"),
        (lambda b: sluice.mosaic(b[0], (5, 0, 0), probability="x"), TypeError, r"mosaic: probability must be a number \(got 'x'\)"),
    ],
)
def test_mosaics_that_cannot_be(call, error, text):
    pipe, pixels = boxed()
    batch = next(iter(pipe))
    with pytest.raises(error, match=text):
        call(batch)
    assert numpy.array_equal(batch[0], pixels[:4])


def test_steps_run_in_order_and_draw_by_their_key():
    drawn, order = [], []
    steps = [
        lambda batch, key: drawn.append((key, random.Random(repr(key)).random())),
        lambda batch, key: order.append(batch.index),
    ]
    runs = []
    for threads in (1, 3):
        drawn.clear()
        order.clear()
        pipe, _ = labeled(steps, threads=threads)
        for _ in range(2):
            assert len(list(pipe)) == 2
        assert order == [0, 1, 0, 1]
        runs.append(list(drawn))
    assert runs[0] == runs[1]
    assert [key for key, _ in runs[0]] == [(9, 0, 0), (9, 0, 1), (9, 1, 0), (9, 1, 1)]


def test_says_what_cannot_be_mixed():
    pipe, _ = labeled([lambda batch, key: sluice.mix_up(batch[0], batch[0], key)])
    with pytest.raises(sluice.Error, match="mix_up: labels are tensors, not images"):
        list(pipe)
    with pytest.raises(sluice.BuildError, match="batch_step"):
        pipe.batch_step(3)
    pipe, _ = labeled([lambda batch, key: sluice.mix_up(*batch, (1, 2))])
    with pytest.raises(TypeError, match=r"mix_up: key must be the BatchKey \(seed, epoch, batch\)"):
        list(pipe)
    pipe, _ = labeled([lambda batch, key: sluice.cut_mix(*batch, key, alpha="x")])
    with pytest.raises(TypeError, match=r"cut_mix: alpha must be a number \(got 'x'\)"):
        list(pipe)
    pipe, _ = labeled([lambda batch, key: sluice.mix_up([1], batch[1], key)])
    with pytest.raises(TypeError, match="mix_up: images must be a column"):
        list(pipe)
