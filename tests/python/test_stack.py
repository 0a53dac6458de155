"""Lists as tensors, and operators whose lists of numbers are as long as what they are given."""

import numpy
import pytest

import sluice
from sluice import ops


def outputs(describe, samples=3, **options):
    """The columns of the only batch."""
    return next(iter(sluice.pipeline(batch_size=samples, **options)(describe)()))


def squares(i):
    return numpy.full((2, 3, 3), i, numpy.uint8), numpy.array([i, i + 1], numpy.float32)


def source(samples=3):
    return sluice.source(squares, returns=("image", "tensor"), samples=samples)


def test_images_and_tensors_of_a_list_are_stacked():
    def describe():
        image, tensor = source()
        n = sluice.constant(3)
        images = [ops.brightness_contrast(image, brightness=i * 1.0) for i in range(n)]
        tensors = [tensor for i in range(n)]
        return ops.stack(images, 3), ops.stack(tensors, 4, axis=1), ops.stack(images, 3, reverse=True)

    images, tensors, turned = outputs(describe)
    assert images.shape == (3, 3, 2, 3, 3)
    for s in range(3):
        assert numpy.array_equal(images[s][:, 0, 0, 0], [0, s, 2 * s])
        assert numpy.array_equal(tensors[s].numpy(), [[s, s, s, 0], [s + 1, s + 1, s + 1, 0]])
    assert numpy.array_equal(turned.numpy(), images.numpy()[:, ::-1])


def test_a_list_that_is_stacked_is_still_a_value():
    def describe():
        _, tensor = source()
        views = [tensor for i in range(sluice.constant(2))]
        length = sluice.map(len, views, returns=int)
        return ops.stack(views, 2), ops.stack(views, 3), views, views[1], length

    two, three, lists, second, length = outputs(describe)
    assert two.shape == (3, 2, 2) and three.shape == (3, 3, 2)
    assert [len(one) for one in lists] == [2, 2, 2] == length.tolist()
    assert numpy.array_equal(second.numpy(), two.numpy()[:, 1])


@pytest.mark.parametrize("length, says", [(1, "'list' has 2 elements, more than the length 1"), (-1, "must not be negative")])
def test_a_length_that_does_not_fit_is_the_error_of_its_sample(length, says):
    def describe():
        _, tensor = source()
        return ops.stack([tensor for i in range(sluice.constant(2))], sluice.constant(length))

    batch = outputs(describe, on_error="skip")
    assert batch.size == 0 and len(batch.errors) == 3
    assert says in batch.errors[0]["what"]


def test_shapes_that_differ_are_the_error_of_their_sample():
    def describe():
        image, _ = source(2)
        return ops.stack([ops.resize(image, width=3 + i, height=2) for i in range(sluice.constant(2))], 2)

    batch = outputs(describe, 2, on_error="skip")
    assert "slice 1 is" in batch.errors[0]["what"]


def test_values_are_stacked_and_joined():
    def describe():
        image, tensor = source()
        twice = sluice.map(lambda x: x * 2, tensor, returns="tensor")
        pair = [tensor, twice]
        return (
            ops.stack([image, ops.flip(image, horizontal=True)], axis=3), ops.stack((tensor,)), ops.stack(pair, 3, reverse=True),
            ops.cat(*pair, tensor), ops.cat(pair, axis=-1),
        )

    images, one, filled, joined, pairs = outputs(describe)
    assert images.shape == (3, 2, 3, 3, 2) and one.shape == (3, 1, 2)
    for s in range(3):
        tensor = numpy.array([s, s + 1], numpy.float32)
        assert numpy.array_equal(filled[s].numpy(), [tensor * 2, tensor, tensor * 0])
        assert numpy.array_equal(joined[s].numpy(), [*tensor, *(tensor * 2), *tensor])
        assert numpy.array_equal(pairs[s].numpy(), [*tensor, *(tensor * 2)])


def test_a_list_of_values_is_given_where_a_list_is_taken():
    def describe():
        image, _ = source()
        return ops.weighted_sum([image, image], [sluice.constant(share) for share in (0.25, 0.75)])

    assert numpy.array_equal(outputs(describe)[0][2].numpy(), squares(2)[0])


def test_a_list_of_each_sample_has_no_length_of_its_own():
    def describe():
        image, _ = source()
        return ops.stack([image for i in range(sluice.constant(2))])

    with pytest.raises(sluice.BuildError, match=r"ops.stack\(list, 4\)"):
        sluice.pipeline(describe)()


def test_choices_are_as_many_as_are_given():
    def describe():
        sluice.source(lambda i: i, returns=int, samples=200)
        return (
            ops.choice([0, 90, 180]), ops.choice(range(2), weights=(0, 1)), ops.choice_index([1, 0, 3]),
        )

    angles, ones, places = outputs(describe, 200)
    assert set(angles.tolist()) == {0, 90, 180}
    assert set(ones.tolist()) == {1}
    assert set(places.tolist()) == {0, 2}


def test_shapes_and_weights_are_as_long_as_are_given():
    sharp = [[0, -1, 0], [-1, 5, -1], [0, -1, 0]]

    def describe():
        image, tensor = source()
        return ops.reshape(tensor, [2, -1, 1]), ops.reshape(tensor, -1), ops.filter_2d(image, sharp)

    three, one, filtered = outputs(describe)
    assert three.shape == (3, 2, 1, 1) and one.shape == (3, 2)
    assert numpy.array_equal(filtered[2].numpy(), squares(2)[0])  # of a sum of 1


@pytest.mark.parametrize(
    "make, says",
    [
        (lambda image, tensor: ops.choice([]), "there are 0 numbers; 1 to 64 are possible"),
        (lambda image, tensor: ops.choice([1, 2], weights=[1]), "2 numbers and 1 weights"),
        (lambda image, tensor: ops.choice_index([0, 0]), "all weights are 0; one must be larger"),
        (lambda image, tensor: ops.reshape(tensor, [1] * 7), "there are 7 sizes; 1 to 6 are possible"),
        (lambda image, tensor: ops.filter_2d(image, [[1, 2, 3], [1]]), "rows of one length"),
        (lambda image, tensor: ops.filter_2d(image, [[1, 2]] * 2), "odd"),
        (lambda image, tensor: ops.stack([image, tensor]), "one type (got image, tensor)"),
        (lambda image, tensor: ops.stack([]), "stack is given no tensor; give at least one"),
        (lambda image, tensor: ops.stack([image, 3]), "stack takes a value of each sample, not int"),
        (lambda image, tensor: ops.cat(), "cat is given no tensor; give at least one"),
        (lambda image, tensor: ops.cat(tensor, image), "image"),
        (lambda image, tensor: ops.invert([image, image]), "image must be one value (got 2)"),
        (lambda image, tensor: sluice.map(len, [image, tensor], returns=int), "with a * before it"),
    ],
)
def test_what_cannot_be_is_said(make, says):
    def describe():
        return make(*source())

    with pytest.raises(sluice.BuildError) as error:
        sluice.pipeline(describe)()
    assert says in str(error.value)
