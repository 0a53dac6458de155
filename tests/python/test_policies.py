"""apply_random and apply_policy: the same graph as the built-in methods, and augmentations of one's own."""

import collections

import numpy
import pytest

import sluice
from sluice import ops

PIXELS = numpy.random.default_rng(5).integers(0, 256, (16, 24, 32, 3), dtype=numpy.uint8)
AUGMENTATION = sluice.Augmentation


def piped(change, **options):
    @sluice.pipeline(batch_size=16, seed=11, **options)
    def described():
        return change(sluice.memory(PIXELS))

    return described()


def pixels(change, **options):
    return numpy.concatenate([batch[0].numpy() for _ in range(2) for batch in piped(change, **options)])


METHODS = {
    "rand_augment": (
        lambda image: ops.rand_augment(image, n=2, magnitude=9),
        lambda image: sluice.apply_random(image, sluice.rand_augment_list()),
    ),
    "rand_augment, other options": (
        lambda image: ops.rand_augment(image, n=3, magnitude=4, bins=11, ranges="dali", fill=7, excluded=("rotate",)),
        lambda image: sluice.apply_random(
            image, sluice.rand_augment_list(ranges="dali", fill=7, excluded=("rotate",)), n=3, magnitude=4, bins=11
        ),
    ),
    "a magnitude for each sample": (
        lambda image: ops.rand_augment(image, magnitude=ops.randint(0, 31)),
        lambda image: sluice.apply_random(image, sluice.rand_augment_list(), magnitude=ops.randint(0, 31)),
    ),
    **{
        f"auto_augment, {policy}, {ranges}": (
            lambda image, policy=policy, ranges=ranges: ops.auto_augment(image, policy=policy, ranges=ranges),
            lambda image, policy=policy, ranges=ranges: sluice.apply_policy(
                image, sluice.auto_augment_list(ranges=ranges), sluice.auto_augment_policy(policy, ranges=ranges)
            ),
        )
        for policy in ("imagenet", "cifar10", "svhn")
        for ranges in ("torchvision", "dali")
    },
}


@pytest.mark.parametrize("name", METHODS)
def test_the_built_in_methods_are_policies(name):
    built_in, own = METHODS[name]
    assert piped(own).explain() == piped(built_in).explain()
    assert numpy.array_equal(pixels(own, threads=2), pixels(built_in, threads=1))


def test_trivial_augment_and_aug_mix_have_lists():
    names = [one.name for one in sluice.trivial_augment_list()]
    assert names == [one.name for one in sluice.rand_augment_list()] and len(names) == 14
    assert [one.high for one in sluice.trivial_augment_list() if one.name == "rotate"] == [135]
    mixed = sluice.aug_mix_list(excluded=("brightness",))
    assert {"shear_x", "color"} <= {one.name for one in mixed} and "brightness" not in {one.name for one in mixed}
    assert pixels(lambda image: sluice.apply_random(image, mixed, n=1, magnitude=3, bins=11)).shape == (32, 24, 32, 3)


def numbers(change, samples=2000):
    @sluice.pipeline(batch_size=samples, seed=3)
    def described():
        return change(sluice.source(lambda i: float(i), returns=float, samples=samples))

    pipe = described()
    return next(iter(pipe))[0].numpy(), pipe


def test_parameters_follow_the_formula():
    every = [
        AUGMENTATION("up", lambda x, m: x * 0 + 1000 + m, 2, 12),
        AUGMENTATION("both", lambda x, m: x * 0 + 2000 + m, 2, 12, True),
        ("plain", lambda x, m: x * 0 + 3000 + m),
    ]
    seen, pipe = numbers(lambda x: sluice.apply_random(x, every, n=1, magnitude=3, bins=6))
    counts = collections.Counter(seen.tolist())
    assert set(counts) == {1008, 2008, 1992, 3000}  # 2 + (12 - 2) * 3 / (6 - 1)
    assert all(abs(counts[one] - 2000 / 3) < 100 for one in (1008, 3000)) and all(abs(counts[one] - 2000 / 6) < 80 for one in (1992, 2008))
    assert {pipe.inspect(i)["path"] for i in range(20)} == {"apply_random:up", "apply_random:both", "apply_random:plain"}


def test_sub_policies_run_with_their_probabilities():
    every = [AUGMENTATION("a", lambda x, m: x + 1000 * (m + 1), 0, 9), AUGMENTATION("b", lambda x, m: x + 100_000)]
    policy = sluice.AugmentationPolicy([[("a", 1.0, 4), ("b", 0.25)], [sluice.AugmentationStep("a", 0.0)], []])
    seen, pipe = numbers(lambda x: sluice.apply_policy(x * 0, every, policy))
    counts = collections.Counter(seen.tolist())
    assert set(counts) == {0, 5000, 105_000}
    assert abs(counts[0] - 2000 * 2 / 3) < 100 and abs(counts[105_000] - 2000 / 12) < 50
    paths = {pipe.inspect(i)["path"] for i in range(40)}
    assert paths == {"apply_policy:1 a, b/b:then", "apply_policy:1 a, b/b:otherwise", "apply_policy:2 a", "apply_policy:3"}


@sluice.graph_function
def halved_if_large(pair, factor):
    x, y = pair
    if x > 500:
        x = x * factor
    for _ in range(2):
        y = y + 1
    return x, y


def test_functions_of_values_with_branches_and_structures():
    @sluice.pipeline(batch_size=1000)
    def described():
        x = sluice.source(lambda i: float(i), returns=float, samples=1000)
        return x, *sluice.apply_random((x, x), [AUGMENTATION("half", halved_if_large, 0.5, 0.5)], n=1)

    x, first, second = (one.numpy() for one in next(iter(described())))
    assert numpy.array_equal(first, numpy.where(x > 500, x / 2, x)) and numpy.array_equal(second, x + 2)


def same(x, m):
    return x


@pytest.mark.parametrize(
    "change, text",
    [
        (lambda x: sluice.apply_random(x, []), "apply_random: the list of augmentations is empty"),
        (lambda x: sluice.apply_random(x, 3), r"augmentations must be a list of sluice.Augmentation \(got 3\)"),
        (lambda x: sluice.apply_random(x, [same]), "element 0 of augmentations must be sluice.Augmentation"),
        (lambda x: sluice.apply_random(x, [(same, "a")]), "must begin with a name and a function"),
        (lambda x: sluice.apply_random(x, [("a", same, "x")]), "low of 'a' must be a number"),
        (lambda x: sluice.apply_random(x, [("a", same, 0, 1, 2)]), "randomly_negate of 'a' must be True or False"),
        (lambda x: sluice.apply_random(x, [("a", same), ("a", same)]), "two augmentations of the name 'a'"),
        (lambda x: sluice.apply_random(x, [("a", same)], n=-1), r"n must be a whole number from 0 on \(got -1\)"),
        (lambda x: sluice.apply_random(x, [("a", same)], bins=0), "bins must be a whole number from 1 on"),
        (lambda x: sluice.apply_random(x, [("a", same)], magnitude=31), "magnitude must be a whole number from 0 to 30"),
        (lambda x: sluice.apply_random(x, [("a", same), ("b", lambda x, m: "text")]), "apply_random"),
        (lambda x: sluice.apply_policy(x, [("a", same)], [[("a",)]]), "policy must be a sluice.AugmentationPolicy"),
        (lambda x: sluice.apply_policy(x, [("a", same)], sluice.AugmentationPolicy([])), "the policy has no sub-policies"),
        (
            lambda x: sluice.apply_policy(x, [("equalize", same)], sluice.AugmentationPolicy([[], [("equalise",)]])),
            "sub-policy 2: there is no augmentation 'equalise'; there are 'equalize'; did you mean equalize",
        ),
        (
            lambda x: sluice.apply_policy(x, [("a", same)], sluice.AugmentationPolicy([[("a", 2)]])),
            "sub-policy 1: the probability of 'a' must lie between 0 and 1",
        ),
        (
            lambda x: sluice.apply_policy(x, [("a", same)], sluice.AugmentationPolicy([[("a", 1, 10)]])),
            "sub-policy 1: the magnitude of 'a' must be a whole number from 0 to 9",
        ),
        (lambda x: sluice.apply_policy(x, [("a", same)], sluice.AugmentationPolicy([["a"]])), "sub-policy 1 must be a list of steps"),
        (lambda x: sluice.apply_random(x, sluice.rand_augment_list(), n=1), "of rand_augment_list takes an image"),
    ],
)
def test_policies_that_cannot_be(change, text):
    with pytest.raises(sluice.BuildError, match=text):
        numbers(change, 4)


def test_lists_refuse_unknown_names():
    with pytest.raises(sluice.BuildError, match="blur"):
        sluice.rand_augment_list(excluded=("blur",))
    with pytest.raises(sluice.BuildError, match="policy must be one of 'imagenet', 'cifar10', 'svhn', not 'mnist'"):
        sluice.auto_augment_policy("mnist")
    with pytest.raises(sluice.BuildError, match="ranges must be one of 'torchvision', 'dali'"):
        sluice.auto_augment_list(ranges="x")
