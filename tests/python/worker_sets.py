"""What tests of sources share: what they give to worker processes, which import this file, and what comes of it."""

import ctypes
import os
import signal
import threading

import numpy


def mixed(index, epoch):
    """Values of all kinds, small ones that travel in messages and larger ones in shared memory."""
    size = 1 + index % 40
    return (
        numpy.full((size, 30, 3), index % 256, numpy.uint8),
        numpy.arange(index * 100, dtype=numpy.float32)[:: 1 + index % 3],
        bytes([index % 256]) * (index * 150),
        f"sample {index} of {epoch}",
        index - 5,
        index / 4,
        index % 2 == 0,
        {"index": index, "list": [epoch]},
        [float(index), 0.5],
    )


MIXED = ("image", "tensor", "bytes", str, int, "f64", bool, object, "list of f32")


class Numbers:
    """The numbers below n."""

    def __init__(self, n=20):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return index


class Wild(Numbers):
    """Does something bad at index 5, by the name of what it does."""

    def __init__(self, deed, once=""):
        super().__init__()
        self.deed = deed
        self.once = once  # a file that whoever does it first makes

    def __getitem__(self, index):
        if index == 5 and self.is_first():
            getattr(self, self.deed)()
        return index

    def is_first(self):
        if not self.once:
            return True
        try:
            os.close(os.open(self.once, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return False
        return True

    def exit(self):
        print("the disk is full")
        os._exit(3)

    def crash(self):
        ctypes.string_at(0)

    def kill(self):
        os.kill(os.getpid(), signal.SIGKILL)

    def fail(self):
        raise ValueError("no such image")

    def index_error(self):
        raise IndexError("five")


class WrongType(Numbers):
    def __getitem__(self, index):
        return "five" if index == 5 else index


class Busy(Numbers):
    """Tells by a FIFO who has begun with the first sample, and never ends it."""

    def __init__(self, fifo):
        super().__init__()
        self.fifo = fifo

    def __getitem__(self, index):
        self.fifo.write_text(str(os.getpid()))
        threading.Event().wait()


class SetUp(Numbers):
    """Tells who makes a sample."""

    def __init__(self):
        super().__init__(40)
        self.calls = 0

    def __worker_init__(self, worker, workers):
        self.calls += 1
        self.lock = threading.Lock()
        self.who = (worker, workers)

    def __getitem__(self, index):
        with self.lock:
            return os.getpid(), *self.who, self.calls, os.environ.get("OMP_NUM_THREADS", "")


class BadSetUp(Numbers):
    def __worker_init__(self, worker, workers):
        raise OSError("the database is closed")


class Locked(Numbers):
    def __init__(self):
        super().__init__()
        self.inner = Numbers()
        self.inner.lock = threading.Lock()


def until_seven(index):
    if index >= 7:
        raise IndexError
    return index


def generated():
    yield 1


def block(index):
    return numpy.full(1_000_000, index % 256, numpy.uint8)


def all_changed(number, image, tensor, data, text, whole, real, flag, thing, numbers):
    """Each value as it came, but for what shows that it was here; writes over what it was given."""
    result = (255 - image, tensor + number, data + b"!", text + "!", whole + 1, real / 2, not flag,
              {**thing, "seen": True}, [*numbers, 1.0])
    if image.size:
        image[...] = 0
    tensor[...] = -1
    return result


class Scaled:
    """A function that is set up once in each worker, and dies at one number."""

    def __init__(self, deed="", at=-1, once=""):
        self.deed, self.at, self.once = deed, at, once
        self.factor = 1

    def __worker_init__(self, worker, workers):
        self.factor = 10

    def __call__(self, number, image, add=0):
        total = int(image.sum()) + add
        image[...] = 255
        if number == self.at:
            wild = Wild(self.deed, self.once)
            if wild.is_first():
                getattr(wild, self.deed)()
        return self.factor * total


def touch(number, folder):
    with open(os.path.join(folder, str(number)), "x"):
        pass


def doubled(number):
    return number * 2


def negated(number):
    return -number


def texts(_number, _image):
    return "a"


def raises_long(_number, _image):
    raise ValueError("x" + "é" * 9001)


_kept = []


def keeps(number, image):
    _kept.append(image)
    return number


class GoesOn:
    """An iterator that raises for each fifth sample, and has another one after it."""

    def __init__(self):
        self.at = -1

    def __iter__(self):
        return self

    def __next__(self):
        self.at += 1
        if self.at == 20:
            raise StopIteration
        if self.at % 5 == 3:
            raise OSError(f"record {self.at}")
        return self.at


def numbers_and_errors(pipe):
    """What an epoch of one column gives, and its errors by index."""
    numbers, errors = [], {}
    for batch in pipe:
        numbers += batch[0].tolist() if batch.size else []
        errors.update({one["index"]: one["what"] for one in batch.errors})
    return numbers, errors
