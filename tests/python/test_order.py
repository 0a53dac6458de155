"""The option `order` of sources: the order that a function returns, its errors, and how a run resumes."""

import gc
import json
import weakref

import numpy
import pytest

import sluice

SAMPLES = 20


def forward(epoch):
    return list(range(SAMPLES))


def rotated(epoch):
    return numpy.roll(numpy.arange(SAMPLES), epoch)


def growing(epoch):
    return [5] * (3 * epoch) + [1, 2]


def numbers(order, read=None, batch_size=4, **options):
    options, sampler = {**options}, {}
    for name in ("shard", "uneven", "shuffle", "window", "draws", "subset", "stick_to_shard", "workers", "batch", "weights"):
        if name in options:
            sampler[name] = options.pop(name)

    @sluice.pipeline(batch_size=batch_size, **options)
    def described():
        return sluice.source(read or int, samples=SAMPLES, returns=int, order=order, **sampler)

    return described()


def epoch_of(pipe):
    return [int(x) for batch in pipe for x in batch[0]]


@pytest.mark.parametrize(
    "order",
    [forward, rotated, growing, lambda epoch: (), lambda epoch: range(SAMPLES - 1, -1, -1), lambda epoch: numpy.arange(3, dtype="u1")],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_samples_come_in_the_order(order, threads):
    pipe = numbers(order, threads=threads, batch_size=3)
    for epoch in range(4):
        assert epoch_of(pipe) == [int(i) for i in order(epoch)]
    pipe.reset(1)
    assert epoch_of(pipe) == [int(i) for i in order(1)]
    assert len(numbers(order, batch_size=1)) == len(order(0))


def test_shards_cut_the_order():
    def shards(uneven):
        return [epoch_of(numbers(lambda epoch: [7, 3, 3, 9, 0], shard=(i, 2), uneven=uneven)) for i in range(2)]

    assert shards("keep") == [[7, 3], [3, 9, 0]]
    assert shards("wrap") == [[7, 3, 7], [3, 9, 0]]


def test_other_sources_have_the_order(tmp_path):
    @sluice.pipeline(batch_size=4)
    def several():
        return sluice.memory(list(range(SAMPLES)), order=rotated), sluice.source(int, samples=SAMPLES, returns=int)

    pipe = several()
    for epoch in range(2):
        assert [(int(a), int(b)) for x, y in pipe for a, b in zip(x, y)] == [(i, i) for i in rotated(epoch)]
    for i in range(6):
        (tmp_path / f"{i}.jpg").write_bytes(sluice.encode_jpeg(numpy.zeros((8, 8, 3), numpy.uint8)))

    @sluice.pipeline(batch_size=4)
    def files():
        return sluice.files(tmp_path, with_names=True, order=lambda epoch: [5, 0, 5])[2]

    assert [name[-5:] for batch in files() for name in batch[0]] == ["5.jpg", "0.jpg", "5.jpg"]


def whole(given):
    return [int(x) for x in given] if isinstance(given, list) else int(given)


@pytest.mark.parametrize("options", [{"batch": 4}, {"workers": 2}, {"workers": 2, "batch": 3}])
def test_batches_and_workers(options):
    pipe = numbers(rotated, read=whole, **options)
    assert [epoch_of(pipe) for _ in range(2)] == [rotated(epoch).tolist() for epoch in range(2)]


def raising(epoch):
    if epoch == 1:
        raise KeyError("no order")
    return [1, 2]


@pytest.mark.parametrize(
    "order, text",
    [
        (lambda epoch: [0, SAMPLES], r"returned index 20 at place 1; the dataset has 20 samples, counted from 0"),
        (lambda epoch: [0, 3, -1], r"returned index -1 at place 2; the dataset has 20 samples"),
        (lambda epoch: [0.5], "the result: .*0.5"),
        (lambda epoch: None, "the result: .*indices of samples"),
        (lambda epoch: 3, "the result: .*indices of samples"),
        (lambda epoch: "123", "the result: .*indices of samples"),
        (lambda: [1], "TypeError: .*positional argument"),
        (lambda epoch: {}[epoch], "KeyError: 0"),
        (lambda epoch: iter(()).__next__(), "StopIteration"),
    ],
)
def test_what_is_no_order(order, text):
    with pytest.raises(sluice.Error, match=r"order: .*<lambda>\(0\) .*" + text):
        numbers(order)


def test_an_error_of_a_later_epoch():
    pipe = numbers(raising)
    assert epoch_of(pipe) == [1, 2]
    with pytest.raises(sluice.Error, match=r"order: raising\(1\) failed: KeyError: 'no order' \(.*test_order.py:\d+ in raising\)"):
        iter(pipe)
    pipe.reset(2)
    assert epoch_of(pipe) == [1, 2]


@pytest.mark.parametrize(
    "order, options, text",
    [
        ([3, 1, 2], {}, r"order must be a function of an epoch's number that returns indices, not \[3, 1, 2\]; subset=\[...\]"),
        (forward, {"shuffle": True}, "custom order .* only `shard` and `uneven`"),
        (forward, {"weights": [1.0] * SAMPLES}, "custom order .* only `shard` and `uneven`"),
        (forward, {"subset": [1]}, "custom order .* only `shard` and `uneven`"),
        (forward, {"stick_to_shard": True}, "custom order .* only `shard` and `uneven`"),
    ],
)
def test_options_that_do_not_go_together(order, options, text):
    with pytest.raises(sluice.BuildError, match=text):
        numbers(order, **options)


def test_two_orders_in_a_pipeline():
    def described(first, second):
        @sluice.pipeline
        def two():
            return sluice.source(int, samples=SAMPLES, returns=int, order=first), sluice.memory([1] * SAMPLES, order=second)

        return two()

    assert len(described(forward, forward)) == SAMPLES
    one, other = (lambda epoch: [1]), (lambda epoch: [2])
    with pytest.raises(sluice.BuildError, match="order: is another function .* than that of the source before"):
        described(one, other)
    with pytest.raises(sluice.BuildError, match="cannot be said of it"):
        sluice.pipeline(lambda: sluice.iterate(lambda: iter([1]), int, order=forward))()  # type: ignore[call-arg]


@pytest.mark.parametrize("epoch, batches", [(0, 0), (0, 1), (0, 3), (2, 2), (2, 5)])
def test_runs_resume(epoch, batches):
    whole = numbers(rotated)
    rest = [epoch_of(whole) for _ in range(4)]
    first = numbers(rotated)
    first.reset(epoch)
    loop = iter(first)
    for _ in range(batches):
        next(loop)
    state = json.loads(json.dumps(first.state_dict()))
    for again in (numbers(rotated, batch_size=2, threads=1), numbers(rotated, resume=state), numbers(rotated, resume=state["checkpoint"])):
        again.load_state_dict(state)
        left = rest[epoch][4 * batches :]
        assert (epoch_of(again) if left else []) == left  # after the last batch, the next epoch follows
        assert epoch_of(again) == rest[epoch + 1]


def test_runs_resume_with_other_shards():
    firsts = [numbers(rotated, shard=(i, 2)) for i in range(2)]
    seen = []
    for pipe in firsts:
        seen += [int(x) for x in next(iter(pipe))[0]]
    states = [pipe.state_dict() for pipe in firsts]
    assert states[0] == states[1]
    for i in range(5):
        seen += epoch_of(numbers(rotated, shard=(i, 5), resume=states[0]))
    assert sorted(seen) == list(range(SAMPLES))


def test_another_order_does_not_resume():
    chosen = [3, 1, 2, 0] * 3

    def order(epoch):
        return chosen

    pipe = numbers(order)
    at_start = pipe.state_dict()
    next(iter(pipe))
    state = pipe.state_dict()
    chosen = [3, 1, 2, 0, 9] * 3
    assert epoch_of(numbers(order, resume=at_start)) == chosen  # nothing was delivered
    with pytest.raises(sluice.BuildError, match=r"another order: '.*order' returned 12 indices .* now returns 15 indices .* in epoch 0"):
        numbers(order, resume=state)
    with pytest.raises(sluice.BuildError, match="another order"):
        numbers(order).load_state_dict(state)
    with pytest.raises(sluice.BuildError, match="the checkpoint is of another sampler: it was .*order.* and is"):
        numbers(forward, resume=at_start)
    with pytest.raises(sluice.BuildError, match="the checkpoint is of another sampler: it was .*order.* and is .in order"):
        numbers(None, resume=state)


def test_the_function_is_released():
    class Order:
        def __call__(self, epoch):
            return [1, 2, 3]

    order = Order()
    pipe = numbers(order)
    order.pipe = pipe  # a cycle
    assert epoch_of(pipe) == [1, 2, 3]
    gone = weakref.ref(order)
    del order, pipe
    gc.collect()
    assert gone() is None
