"""Arguments that stand for others of an operator, old names of operators, and names that are not public."""

import numpy
import pytest
from conftest import draw

import sluice
from sluice import ops

IMAGE = draw(1, 30, 40)
CORNERS = [(0, 0), (39, 0), (39, 29), (0, 29)]
MOVED = [(2, 1), (37, 3), (38, 28), (1, 27)]
ALL = [float(one) for point in CORNERS + MOVED for one in point]

SAME = {
    "share": (lambda x: ops.gaussian_noise(x, sigma=0.1, seed=1), lambda x: ops.gaussian_noise(x, stddev=25.5, seed=1)),
    "points": (lambda x: ops.perspective(x, startpoints=CORNERS, endpoints=MOVED), lambda x: ops.perspective(x, *ALL)),
    "points in arrays": (
        lambda x: ops.perspective(x, startpoints=numpy.array(CORNERS), endpoints=numpy.array(MOVED)), lambda x: ops.perspective(x, *ALL),
    ),
    "affine matrix": (
        lambda x: ops.warp_affine(x, matrix=[[1, 0.1, 5], [0, 0.9, 3]]), lambda x: ops.warp_affine(x, xy=0.1, x0=5, yy=0.9, y0=3),
    ),
    "affine matrix in one row": (
        lambda x: ops.warp_affine(x, matrix=(1, 0, 5, 0, 1, 3), fill=9), lambda x: ops.warp_affine(x, x0=5, y0=3, fill=9),
    ),
    "projective matrix": (
        lambda x: ops.warp_perspective(x, matrix=numpy.array([[1, 0, 2], [0, 1, 0], [0.001, 0, 1]])),
        lambda x: ops.warp_perspective(x, x0=2, wx=0.001),
    ),
}


@pytest.mark.parametrize("name", SAME)
def test_a_form_is_the_same_as_the_numbers(name):
    form, numbers = SAME[name]
    assert (form(IMAGE) == numbers(IMAGE)).all() and (form(IMAGE) != IMAGE).any()


def test_a_form_takes_values():
    @sluice.pipeline(batch_size=8)
    def both():
        image = sluice.source(lambda i: IMAGE, "image", samples=8)
        shift = ops.uniform(1, 9)
        moved = [(shift, 0), (39, 0), (39, 29), (0, 29)]
        return (
            ops.warp_affine(image, matrix=[[1, 0, shift], [0, 1, 0]]), ops.warp_affine(image, x0=shift),
            ops.perspective(image, startpoints=CORNERS, endpoints=moved), ops.gaussian_noise(image, sigma=shift / 100),
        )

    matrix, numbers, warped, noisy = map(numpy.asarray, next(iter(both())))
    assert (matrix == numbers).all() and len({one.tobytes() for one in matrix}) == 8
    assert len({one.tobytes() for one in warped}) == 8 and (noisy != IMAGE).any()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: ops.gaussian_noise(IMAGE, sigma=0.1, stddev=2), "gaussian_noise: sigma= stands for stddev= and others, but stddev= is given"),
        (lambda: ops.gaussian_noise(IMAGE, sigma="x"), "gaussian_noise: sigma must be a number or Value"),
        (lambda: ops.perspective(IMAGE, startpoints=CORNERS), "perspective: endpoints must be 4 lists of 2 numbers"),
        (lambda: ops.perspective(IMAGE, startpoints=CORNERS, endpoints=MOVED[:3]), "perspective: endpoints must be 4 lists of 2 numbers"),
        (lambda: ops.perspective(IMAGE), "perspective\\(\\) lacks its points; pass startpoints= and endpoints="),
        (lambda: ops.warp_affine(IMAGE, matrix=numpy.eye(3)), "warp_affine: matrix must be 2 lists of 3 numbers"),
        (lambda: ops.warp_affine(IMAGE, matrix=numpy.eye(2, 3), x0=1), "warp_affine: matrix= stands for x0= and others, but x0= is given"),
        (lambda: ops.warp_perspective(IMAGE, matrix=[[1, 2], 3]), "warp_perspective: matrix must be 3 lists of 3 numbers"),
    ],
)
def test_wrong_forms(call, says):
    with pytest.raises(TypeError, match=f"^{says}"):
        call()


@pytest.mark.parametrize("channels", [1, 3])
def test_erasing_with_the_mean(channels):
    image = IMAGE[:, :, :channels]
    erased = ops.random_erasing(image, probability=1, fill="mean", seed=1)
    changed = (erased != image).any(axis=2)
    assert changed.any() and abs(erased[changed].astype(float) - image.mean(axis=(0, 1))).max() <= 1


def test_erasing_with_a_random_color():
    colors = set()
    for seed in range(20):
        erased = ops.random_erasing(IMAGE, probability=1, fill="random", seed=seed)
        inside = {tuple(one) for one in erased[(erased != IMAGE).any(axis=2)].tolist()}
        assert len(inside) == 1  # one color for the whole rectangle
        colors |= inside
    assert len(colors) == 20


def test_erasing_with_noise():
    gray = numpy.full((200, 300, 3), 50, "u1")
    for erase in (
        lambda noise, seed: ops.random_erasing(gray, probability=1, min_area=0.2, fill=(100, 120, 140), noise=noise, seed=seed),
        lambda noise, seed: ops.coarse_dropout(gray, height=60, width=70, fill=(100, 120, 140), noise=noise, seed=seed),
        lambda noise, seed: ops.erase_with_noise(gray, region=(20, 30, 150, 200), fill=(100, 120, 140), noise=noise, seed=seed),
    ):
        noisy, again, other, plain = erase(20, 1), erase(20, 1), erase(20, 2), erase(0, 1)
        numpy.testing.assert_array_equal(noisy, again)
        inside = (plain != gray).any(axis=2)
        assert (noisy[~inside] == 50).all() and (noisy != other).any()
        values = noisy[inside].astype(float)
        assert abs(values.mean(axis=0) - [100, 120, 140]).max() < 1 and abs(values.std(axis=0) - 20).max() < 1
        assert abs(numpy.corrcoef(values.T) - numpy.eye(3)).max() < 0.05


def test_erasing_with_another_word():
    with pytest.raises(sluice.BuildError, match="random_erasing: fill must be a color, 'mean' or 'random' \\(got 'pixel'\\)"):
        ops.random_erasing(IMAGE, fill="pixel")


def test_transpose_has_a_new_name():
    with pytest.warns(DeprecationWarning, match=r"^ops.transpose has a new name: ops.transpose_image$") as warned:
        assert (ops.transpose(IMAGE) == IMAGE.swapaxes(0, 1)).all()
    assert warned[0].filename == __file__
    assert (ops.transpose_image(IMAGE) == IMAGE.swapaxes(0, 1)).all()


def test_filter_has_a_new_name():
    def kept():
        x = sluice.source(lambda i: i, int, samples=4)
        ops.filter(x > 1)
        return x

    with pytest.warns(DeprecationWarning, match=r"^ops.filter has a new name: sluice.drop_unless$"):
        pipe = sluice.pipeline(batch_size=4)(kept)()
    assert [batch[0].tolist() for batch in pipe] == [[2, 3]]


def test_saved_plans_keep_the_librarys_name(tmp_path):
    def turned():
        return ops.transpose_image(sluice.source(lambda i: IMAGE, "image", samples=1))

    sluice.pipeline(turned)().save(tmp_path / "plan.json")
    assert '"transpose"' in (tmp_path / "plan.json").read_text()

    @sluice.pipeline
    def loaded():
        return sluice.saved_plan(tmp_path / "plan.json", sluice.source(lambda i: IMAGE, "image", samples=1))

    assert (numpy.asarray(next(iter(loaded()))[0])[0] == IMAGE.swapaxes(0, 1)).all()


@pytest.mark.parametrize("name", ["aug_mix_weights", "convert", "decode_jpeg_size", "draw", "magnitude"])
def test_parts_of_operators_are_not_public(name):
    assert name not in dir(ops) and not hasattr(ops, name)
