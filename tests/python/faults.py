"""Steps and sources that fail by plan, in threads and in worker processes, which import this file.

A Fault is met in the process that runs the step or the source. It appends a line to a file of its folder first, so that the
test knows which samples met it, whatever becomes of them. A fault is over when the file "over" is in its folder.
"""

import itertools
import os
import signal


class OwnBase(BaseException):
    """No Exception, so that an `except Exception` misses it."""


class Unprintable(Exception):
    """An exception whose message cannot be had; `raises` is what asking for it raises."""

    def __init__(self, raises):
        super().__init__(raises)
        self.raises = raises

    def __str__(self):
        raise self.raises("no message")


class NotText(Exception):
    def __str__(self):
        return 5


def caused():
    error = ValueError("bad record")
    error.add_note("of shard 7")
    error.__cause__ = KeyError("label")
    return error


# By name: the exception, and how the error of its sample begins.
EXCEPTIONS = {
    "ValueError": (lambda: ValueError("bad record"), "ValueError: bad record ("),
    "OSError": (lambda: OSError(5, "Input/output error", "a.bin"), "OSError: [Errno 5] Input/output error: 'a.bin' ("),
    "MemoryError": (MemoryError, "MemoryError ("),
    "RecursionError": (lambda: RecursionError("too deep"), "RecursionError: too deep ("),
    "AssertionError": (AssertionError, "AssertionError ("),
    "LookupError": (lambda: LookupError("none"), "LookupError: none ("),
    "KeyboardInterrupt": (KeyboardInterrupt, "KeyboardInterrupt ("),
    "SystemExit": (lambda: SystemExit(3), "SystemExit: 3 ("),
    "GeneratorExit": (GeneratorExit, "GeneratorExit ("),
    "OwnBase": (lambda: OwnBase("own"), "OwnBase: own ("),
    "group": (lambda: ExceptionGroup("several", [ValueError("one"), OSError("two")]), "ExceptionGroup: several (2 sub-exceptions) ("),
    "caused": (caused, "ValueError: bad record ("),
    "unprintable": (lambda: Unprintable(ValueError), "Unprintable: (an object whose __str__ raises) ("),
    "very unprintable": (lambda: Unprintable(KeyboardInterrupt), "Unprintable"),
    "not text": (NotText, "NotText"),
    "surrogates": (lambda: ValueError("\udcff and \0"), "ValueError: "),
    "long": (lambda: ValueError("x" * 100_000), "ValueError: xxx"),
    "StopIteration": (lambda: StopIteration(4), "StopIteration: 4 ("),
    "IndexError": (lambda: IndexError("five"), "IndexError: five ("),
}
ENDS = ("StopIteration", "IndexError")  # these end the epoch of a source that does not know its length
DEATHS = {"kill": "was killed by signal 9 (Killed)", "exit": "ended with status 3"}


class Fault:
    """Is met by some samples, and at some calls in its process.

    `deed` is the name of an exception, a death, or "spin" for a call that takes long. For any other deed, it calls `act`, which
    the test sets. With `once`, each of the samples meets it once, and one call in one process.
    """

    def __init__(self, folder, deed, samples=(), calls=(), once=False):
        self.folder, self.deed, self.samples, self.calls, self.once = folder, deed, frozenset(samples), frozenset(calls), once
        self._cache = itertools.count(1)  # may change while another pipeline is described
        self.act = None

    def __call__(self, index):
        call = next(self._cache)
        if index not in self.samples and call not in self.calls or self.is_over():
            return
        if self.once:
            try:
                once = f"once-{index}" if index in self.samples else "once"
                os.close(os.open(os.path.join(self.folder, once), os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return
        self.write_down(index)
        if self.deed in EXCEPTIONS:
            raise EXCEPTIONS[self.deed][0]()
        if self.deed == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        elif self.deed == "exit":
            os._exit(3)
        elif self.deed == "spin":
            sum(range(200_000))
        else:
            self.act()

    def write_down(self, index):
        file = os.open(os.path.join(self.folder, "met"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            os.write(file, f"{index}\n".encode())
        finally:
            os.close(file)

    def met(self):
        """The index of each sample that met it, as often as it did."""
        try:
            with open(os.path.join(self.folder, "met")) as file:
                return [int(line) for line in file]
        except FileNotFoundError:
            return []

    def end(self):
        with open(os.path.join(self.folder, "over"), "w"):
            pass

    def is_over(self):
        return os.path.exists(os.path.join(self.folder, "over"))


def row(index):
    """What each source gives: the sample's index and three numbers."""
    return index, index * 5 % 16 - 6, index * 3 % 11 - 4, index * 11 % 16 - 6


class Step:
    """A step of three numbers, of which the first is the sample's index."""

    def __init__(self, number, fault=None):
        self.number, self.fault = number, fault

    def __call__(self, i, x, y):
        if self.fault is not None:
            self.fault(i)
        return (x * 7 + y * 3 + self.number) % 23


class Rows:
    """A dataset."""

    def __init__(self, samples, fault):
        self.samples, self.fault = samples, fault

    def __len__(self):
        return self.samples

    def __getitem__(self, index):
        if self.fault is not None:
            self.fault(index)
        return row(index)


class UntilEnd:
    """A function of an index that raises IndexError where the epoch ends."""

    def __init__(self, samples, fault):
        self.rows = Rows(samples, fault)

    def __call__(self, index):
        if index >= self.rows.samples:
            raise IndexError(index)
        return self.rows[index]


class GroupsUntilEnd(UntilEnd):
    """A function of several indices, which returns fewer samples where the epoch ends."""

    def __call__(self, indices):
        return [self.rows[index] for index in indices if index < self.rows.samples]


class Generated:
    """Makes generators, which end when they raise."""

    def __init__(self, samples, fault):
        self.rows = Rows(samples, fault)

    def __call__(self):
        for index in range(self.rows.samples):
            yield self.rows[index]


class Iterated(Generated):
    """Makes iterators that continue after they raised."""

    def __call__(self):
        return Iterator(self.rows)


class Iterator:
    def __init__(self, rows):
        self.rows, self.next = rows, 0

    def __iter__(self):
        return self

    def __next__(self):
        index, self.next = self.next, self.next + 1
        if index >= self.rows.samples:
            raise StopIteration
        return self.rows[index]
