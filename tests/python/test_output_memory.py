"""The option `output_memory`: batches in arrays of the user's."""

import gc
import mmap
import pickle
import weakref

import numpy
import pytest

import sluice

SIDE = 8
BYTES = 4 * SIDE * SIDE * 3  # of a batch of four images


def arrays(count, size=BYTES):
    """Arrays in memory maps, which begin at pages."""
    return [numpy.frombuffer(mmap.mmap(-1, size), numpy.uint8) for _ in range(count)]


def pixels(i):
    return numpy.full((SIDE, SIDE, 3), i % 256, numpy.uint8)


def numbered(ring, samples=22, read=pixels, **options):
    @sluice.pipeline(**{"batch_size": 4, "output_memory": [None, ring], **options})
    def described():
        number = sluice.source(int, samples=samples, returns=int)
        return number, sluice.map(read, number, returns="image")

    return described()


def shares(column, memory):
    return any(numpy.shares_memory(column, one) for one in memory)


@pytest.mark.parametrize("options", [{}, {"threads": 3}, {"compact": True}, {"last_batch": "fill"}, {"last_batch": "drop"}, {"prefetch": 0}])
def test_batches_lie_in_the_arrays(options):
    memory = arrays(5)
    ring = sluice.BufferRing(memory)
    pipe = numbered(ring, **options)
    for _ in range(3):
        batches = 0
        for numbers, images in pipe:
            assert shares(images, memory)
            assert all((image.numpy() == number).all() for number, image in zip(numbers.tolist() + [21, 21], images))
            batches += 1
        assert batches == (5 if options.get("last_batch") == "drop" else 6)
    del numbers, images
    pipe.close()
    assert (len(ring), ring.bytes_each, ring.free) == (5, BYTES, 5)


def test_the_batches_are_those_without_it():
    ring = sluice.BufferRing(arrays(4))
    for mine, other in zip(numbered(ring), numbered(None), strict=True):
        assert numpy.array_equal(mine[1], other[1]) and mine.ids == other.ids


def test_an_array_is_not_used_again_while_it_is_held():
    memory = arrays(5)
    ring = sluice.BufferRing(memory)
    loop = iter(numbered(ring))
    held = numpy.asarray(next(loop)[1])
    for number, (_, images) in enumerate(loop, 1):
        assert not numpy.shares_memory(images, held) and (held[:, 0, 0, 0] == [0, 1, 2, 3]).all(), number


def test_the_ring_keeps_the_arrays_and_the_batches_the_ring():
    class Memory(numpy.ndarray):
        pass

    gone = []
    memory = [one.view(Memory) for one in arrays(4)]
    for one in memory:
        weakref.finalize(one, gone.append, 1)
    pipe = numbered(sluice.BufferRing(memory))
    del memory, one
    batch = next(iter(pipe))
    pipe.close()
    del pipe
    gc.collect()
    assert not gone and (batch[1].numpy()[2] == 2).all()
    del batch
    gc.collect()
    assert len(gone) == 4


def test_batches_that_do_not_fit_fail_alone():
    def read(i):
        return numpy.full((SIDE + (i == 5), SIDE, 3), i, numpy.uint8)

    ring = sluice.BufferRing(arrays(4))
    loop, seen = iter(numbered(ring, samples=16, read=read)), []
    while len(seen) < 4:
        try:
            seen.append(next(loop)[0].tolist())
        except sluice.Error as error:
            seen.append(str(error))
    assert seen[::2] == [[0, 1, 2, 3], [8, 9, 10, 11]] and seen[3] == [12, 13, 14, 15]
    assert "shape" in seen[1], seen[1]


def test_arrays_that_are_too_small():
    loop = iter(numbered(sluice.BufferRing(arrays(4, BYTES - 1))))
    with pytest.raises(sluice.Error, match=f"{BYTES} bytes do not fit into a buffer of {BYTES - 1}"):
        next(loop)


def test_all_arrays_in_use():
    loop, held = iter(numbered(sluice.BufferRing(arrays(4)))), []
    with pytest.raises(sluice.Error, match="all 4 buffers of the ring are in use; add buffers, or release batches"):
        for batch in loop:
            held.append(batch)
    assert 1 <= len(held) <= 4  # the fifth batch may fail before the fourth is delivered
    held.clear()


def test_a_loaded_state_and_a_sheet():
    ring = sluice.BufferRing(arrays(8))
    pipe = numbered(ring)
    first = next(iter(pipe))
    pipe.load_state_dict(pipe.state_dict())
    assert [int(x) for numbers, _ in pipe for x in numbers] == list(range(4, 22))
    assert (first[1].numpy()[3] == 3).all()
    assert pipe.show(6) is not None


@pytest.mark.parametrize(
    "options, text",
    [
        ({"output_memory": arrays(4)[0]}, "output_memory must be a BufferRing or None for each output, not array"),
        ({"output_memory": [3]}, r"output_memory must be a BufferRing or None for each output, not 3; sluice.BufferRing\(arrays\)"),
        ({"output_memory": [sluice.BufferRing(arrays(4))]}, "output_memory of output 0: only images and tensors"),
        ({"output_memory": [None, None, sluice.BufferRing(arrays(4))]}, "output_memory is given for 3 outputs, but the pipeline has 2"),
        ({"output_memory": [None, sluice.BufferRing(arrays(2))]}, "output 1 has only 2 blocks, but 4 batches may be in flight"),
    ],
)
def test_what_cannot_work_is_refused(options, text):
    with pytest.raises(sluice.BuildError, match=text):
        numbered(None, **options)


READ_ONLY = numpy.zeros(64, numpy.uint8)
READ_ONLY.flags.writeable = False
WHOLE = numpy.frombuffer(mmap.mmap(-1, 4096), numpy.uint8)


@pytest.mark.parametrize(
    "given, text",
    [
        (3, r"BufferRing takes a list of arrays \(got <class 'int'>\)"),
        ([], "the list has no arrays"),
        ([b"x" * 64], "array 0 must be a writable array"),
        ([READ_ONLY], "array 0 must be a writable array"),
        (["text"], "array 0 must be a writable array .*got <class 'str'>"),
        ([WHOLE[:0]], "array 0 is empty"),
        ([WHOLE[:64], WHOLE[64:192]], "array 1 has 128 bytes, but array 0 has 64"),
        ([WHOLE[:64], WHOLE[128:192], WHOLE[64:128], WHOLE[:64]], "array 3 shares memory with array 0"),
        ([WHOLE[:128], WHOLE[64:192]], "array 1 shares memory with array 0"),
        ([WHOLE[8:72]], "array 0 begins at an address that is not a multiple of 64"),
        ([WHOLE[:256].reshape(4, 64)[:, :32]], "array 0 must be C-contiguous"),
        ([WHOLE[:256:2]], "array 0 must be C-contiguous"),
    ],
)
def test_what_is_no_ring(given, text):
    with pytest.raises(sluice.BuildError, match=text):
        sluice.BufferRing(given)


def test_rings_are_of_their_process():
    ring = sluice.BufferRing(arrays(4))
    assert repr(ring) == f"<BufferRing of 4 arrays, {BYTES} bytes each, 4 free>"
    with pytest.raises(TypeError, match="refers to memory of its process"):
        pickle.dumps(ring)


def test_tensors_of_pytorch():
    torch = pytest.importorskip("torch")
    memory = [torch.empty(BYTES, dtype=torch.uint8) for _ in range(4)]
    places = [one.data_ptr() for one in memory]
    for numbers, images in numbered(sluice.BufferRing(memory)):
        if len(numbers) == 4:
            assert images.torch().data_ptr() in places
            assert any((one.reshape(4, -1)[:, 0] == torch.tensor(numbers.tolist())).all() for one in memory)
