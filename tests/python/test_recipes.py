"""The program's recipes written in Python give the batches of the saved plans, byte for byte."""

import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

import sluice
from conftest import draw
from sluice import ops

RECIPES = pathlib.Path(sluice.__file__).parent / "recipes"
if not RECIPES.exists():
    pytest.skip("only a build of the program writes the recipes", allow_module_level=True)
SIZE = {"width": 224, "height": 224}


def rotate(jpeg):
    image = ops.decode_jpeg(jpeg)
    degrees = ops.uniform(10, 30)
    if ops.coin_flip(0.25):
        image = ops.rotate(image, degrees)
    return ops.resize(image, width=400, height=400)


def train(jpeg):
    region = ops.random_region_of_file(jpeg)
    mirrored = ops.coin_flip()
    image = ops.resize(ops.decode_jpeg_region(jpeg, region), **SIZE)
    return ops.flip(image, horizontal=mirrored)


def evaluate(jpeg):
    return ops.center_crop(ops.resize(ops.decode_jpeg(jpeg), shorter=256), **SIZE)


IMAGE_RECIPES = {
    "rotate": rotate,
    "train": train,
    "eval": evaluate,
    "randaugment": lambda jpeg: ops.rand_augment(train(jpeg)),
    "trivialaugment": lambda jpeg: ops.trivial_augment_wide(train(jpeg)),
    "autoaugment": lambda jpeg: ops.auto_augment(train(jpeg)),
    "augmix": lambda jpeg: ops.aug_mix(train(jpeg)),
    "simclr": lambda jpeg: ops.sim_clr(jpeg),
    "dino": lambda jpeg: sum(ops.dino(jpeg), []),
}
for _name in ("rotate", "train"):
    IMAGE_RECIPES[_name] = sluice.graph_function(IMAGE_RECIPES[_name])


def bytes_of(pipe):
    return [numpy.array(one) for batch in pipe for column in batch.columns for one in column]


@pytest.mark.parametrize("name", IMAGE_RECIPES)
def test_is_the_saved_plan(folder, name):
    @sluice.pipeline(batch_size=4, seed=5)
    def written(folder):
        return IMAGE_RECIPES[name](sluice.files(folder)[0])

    @sluice.pipeline(batch_size=4, seed=5)
    def saved(folder):
        made = sluice.saved_plan(sluice.recipe(name), *sluice.files(folder))
        # The views lie between the image that shows them all and the label.
        return made[1:-1] if len(made) > 2 else made[0]

    mine, theirs = bytes_of(written(folder)), bytes_of(saved(folder))
    assert len(mine) == len(theirs) and all(map(numpy.array_equal, mine, theirs))


def test_detection_and_segmentation_are_the_saved_plans():
    files = [sluice.encode_jpeg(draw(i, 90, 120), 95) for i in range(4)]
    box = numpy.array([[10, 10, 80, 70], [40, 20, 110, 85]], numpy.float32)

    def sample(i):
        return files[i], box, numpy.array([1, 2], numpy.int64)

    def detected(how):
        @sluice.pipeline(batch_size=2, seed=6)
        def described():
            return how(*sluice.source(sample, ("bytes", "tensor", "tensor"), samples=4))

        return bytes_of(described())

    plan = RECIPES / "detection.json"
    mine = detected(ops.detection_augment)
    theirs = detected(lambda *given: sluice.saved_plan(plan, *given))
    assert all(map(numpy.array_equal, mine, theirs))

    def segmented(how):
        @sluice.pipeline(batch_size=2, seed=6)
        def described():
            return how(*sluice.source(lambda i: (files[i], files[i - 1]), ("bytes",) * 2, samples=4))

        return bytes_of(described())

    plan = RECIPES / "segmentation.json"
    mine = segmented(
        lambda jpeg, mask: ops.segmentation_augment(jpeg, ops.decode_image(mask, ids=True))
    )
    theirs = segmented(lambda *given: sluice.saved_plan(plan, *given))
    assert all(map(numpy.array_equal, mine, theirs))


def test_says_what_a_plan_takes(folder, tmp_path):
    @sluice.pipeline
    def wrong(folder):
        return sluice.saved_plan(RECIPES / "train.json", sluice.files(folder)[1])

    with pytest.raises(sluice.BuildError, match="takes 2 values, of the types bytes, i64"):
        wrong(folder)
    broken = json.loads((RECIPES / "train.json").read_text())
    broken["steps"][0]["operator"] = "no_such"
    (tmp_path / "broken.json").write_text(json.dumps(broken))

    @sluice.pipeline
    def unknown(folder):
        return sluice.saved_plan(tmp_path / "broken.json", *sluice.files(folder))

    with pytest.raises(sluice.BuildError, match="broken.json at /steps/0"):
        unknown(folder)


def test_an_unknown_recipe_is_named_with_the_others():
    with pytest.raises(ValueError, match="no recipe 'trian'; there are .*train, trivialaugment"):
        sluice.recipe("trian")


@pytest.mark.skipif("LD_PRELOAD" in os.environ, reason="a sanitizer's library cannot be loaded into the program")
def test_the_program_runs_as_a_module(tmp_path):
    def run(*arguments):
        return subprocess.run([sys.executable, "-m", "sluice", *arguments], capture_output=True, text=True, check=False)

    assert run("--version").stdout.split()[1] == sluice.__version__
    assert run("demo-images", "--out", str(tmp_path / "images")).returncode == 0
    shown = run("cat", "--data", str(tmp_path / "images"), "--head", "2")
    assert shown.returncode == 0 and len(shown.stdout.splitlines()) >= 2
    wrong = run("no-such-command")
    assert wrong.returncode != 0 and "no-such-command" in wrong.stderr
