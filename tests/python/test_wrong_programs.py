"""What is said to mistakes."""

import functools
import types

import numpy
import pytest

import sluice
from sluice import ops


def described(describe, **options):
    return sluice.pipeline(**options)(describe)()


def numbers():
    return sluice.source(lambda i: i, int, samples=4)


def image():
    return sluice.source(lambda i: None, "image", samples=4)


def images():
    return sluice.source(lambda i: numpy.zeros((2, 2), "u1"), "image", samples=1)


def down():
    def to_zero(n):
        if n > 0:
            return to_zero(n - 1)
        return n

    return to_zero(numbers())


def down_by_another():
    def less(n):
        return to_zero(n - 1)

    def to_zero(n):
        if n > 0:
            return less(n)
        return n

    return to_zero(numbers())


def lists_are_compared():
    return 1 if [numbers()] == [1] else 2


@sluice.pipeline
def of_a_folder(folder):
    return sluice.files(folder)


WRONG = {
    "a pipeline that is not made": (
        lambda: list(of_a_folder),
        TypeError,
        "of_a_folder describes a pipeline, and calling it makes one: for batch in of_a_folder(...)",
    ),
    "an argument that is missing": (
        lambda: of_a_folder(),
        TypeError,
        "of_a_folder(folder): missing a required argument: 'folder'",
    ),
    "an argument that there is not": (
        lambda: of_a_folder("a", foo=1),
        TypeError,
        "of_a_folder(folder): got an unexpected keyword argument 'foo'",
    ),
    "a seed that is none": (
        lambda: described(numbers, seed=None),
        sluice.BuildError,
        "seed must be a whole number (got None)",
    ),
    "a folder that is none": (
        lambda: of_a_folder(None),
        sluice.BuildError,
        "sluice.files(): folder must be a path (got None)",
    ),
    "a list that is changed": (
        lambda: described(lambda: [i for i in range(numbers())].append(3)),
        AttributeError,
        "a list that samples make is done when its loop is",
    ),
    "an element that is changed": (
        lambda: described(lambda: numbers().__setitem__(0, 1)),
        TypeError,
        "cannot be changed while the pipeline is described",
    ),
    "a list of Python by a value": (
        lambda: described(lambda: [1, 2, 3][numbers()]),
        TypeError,
        "sluice.select chooses one of several",
    ),
    "a fraction as a width": (
        lambda: described(lambda: ops.resize(image(), width=ops.uniform(3, 5), height=3)),
        sluice.BuildError,
        ".cast('i32') cuts its fraction off",
    ),
    "samples of a float": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=3.5)),
        sluice.BuildError,
        "samples must be a whole number from 0 on (got 3.5)",
    ),
    "fewer samples than none": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=-5)),
        sluice.BuildError,
        "samples must be a whole number from 0 on (got -5)",
    ),
    "more samples than there can be": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=2**70)),
        sluice.BuildError,
        "samples must be a whole number from 0 to 2**62 (got 1180591620717411303424)",
    ),
    "the number of samples that stands for an unknown one": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=2**63 - 1)),
        sluice.BuildError,
        "samples must be a whole number from 0 to 2**62 (got 9223372036854775807)",
    ),
    "more draws than there can be": (
        lambda: described(lambda: sluice.memory([1, 2], weights=[1, 2], draws=numpy.int64(2**63 - 1))),
        sluice.BuildError,
        "sluice.memory(): draws must be a whole number up to 2**62 (got 9223372036854775807)",
    ),
    "an epoch that is too large": (
        lambda: described(numbers).reset(2**70),
        sluice.BuildError,
        "reset(): epoch must be a whole number from 0 to 2**63 - 1 (got 1180591620717411303424)",
    ),
    "a class of Python by its name": (
        lambda: described(lambda: sluice.source(lambda i: i, "int", samples=3)),
        sluice.BuildError,
        "returns='int': there is no type of this name; write int, without quotes",
    ),
    "no columns of archives": (
        lambda: described(lambda: sluice.tar("a.tar", {})),
        sluice.BuildError,
        "sluice.tar(): columns must be a dict that gives each column its type, such as {'cls': 'i64'} (got {})",
    ),
    "branches one by one": (
        lambda: described(lambda: sluice.select(numbers(), lambda: 1, lambda: 2, lambda: 3, lambda: 4)),
        sluice.BuildError,
        "`select`: the branches are one list; write sluice.select(index, [first, second, ...])",
    ),
    "branches in a dict": (
        lambda: described(lambda: sluice.select(numbers(), {"a": 1, "b": 2})),
        sluice.BuildError,
        "`select`: the branches are one list",
    ),
    "a pipeline in a pipeline": (
        lambda: described(lambda: of_a_folder(numbers())),
        sluice.BuildError,
        "of_a_folder is a pipeline of its own: mark it with @sluice.graph_function instead",
    ),
    "a pipeline that a pipeline returns": (
        lambda: described(lambda: sluice.pipeline(numbers)()),
        sluice.BuildError,
        "numbers is a pipeline of its own: mark it with @sluice.graph_function instead",
    ),
    "a partial function": (
        lambda: sluice.pipeline(functools.partial(numbers)),
        TypeError,
        "write a `def` that calls it",
    ),
    "any of some values": (
        lambda: described(lambda: any([numbers() > 1])),
        TypeError,
        "write sluice.any_of(a, b) for any()",
    ),
    "lists of values that are compared": (
        lambda: described(lists_are_compared),
        TypeError,
        "Compare the elements of a list one by one, in place of `[x] == [1]`",
    ),
    "a name that is none": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=3, name=3)),
        sluice.BuildError,
        "sluice.source(): name must be a str (got 3)",
    ),
    "an epoch of a float": (
        lambda: described(numbers).reset(1.5),
        sluice.BuildError,
        "reset(): epoch must be a whole number from 0 on (got 1.5)",
    ),
    "an epoch before the first": (
        lambda: described(numbers).reset(-1),
        sluice.BuildError,
        "reset(): epoch must be a whole number from 0 on (got -1)",
    ),
    "an inspected sample that is not a number": (
        lambda: described(numbers).inspect("x"),
        sluice.BuildError,
        "inspect(): index must be a whole number from 0 on (got 'x')",
    ),
    "a trace that is not a path": (
        lambda: described(numbers, trace=3),
        sluice.BuildError,
        "trace: expected str, bytes or os.PathLike object, not int",
    ),
    "a state that is none": (
        lambda: described(numbers, resume=3),
        sluice.BuildError,
        "resume must be the str that state_dict()['checkpoint'] is, not 3",
    ),
    "weights that are none": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=3, weights="abc")),
        sluice.BuildError,
        "weights cannot be 'abc'",
    ),
    "no endings": (
        lambda: described(lambda: sluice.files("/tmp", endings=[])),
        sluice.BuildError,
        "endings must be a list of str, such as ['.jpg'] (got [])",
    ),
    "an index that is none": (
        lambda: described(lambda: sluice.files("/tmp", index=3)),
        sluice.BuildError,
        "index must be the path of a file, 'memory', or None for none (got 3)",
    ),
    "a column by a slice": (
        lambda: next(iter(described(images)))[0][0:1],
        TypeError,
        "a column is indexed by the number of a sample, not by slice(0, 1, None)",
    ),
    "an image of the wrong type": (
        lambda: list(described(lambda: sluice.source(lambda i: numpy.zeros((2, 2), "u2"), "image", samples=1))),
        sluice.BatchError,
        "not one of uint16; x.astype('uint8') if the numbers are 0 to 255",
    ),
    "bits of values": (
        lambda: described(lambda: (numbers() > 1) & (numbers() < 3)),
        TypeError,
        "write `a and b`",
    ),
    "a power with a modulus": (
        lambda: described(lambda: pow(numbers(), 2, 7)),
        TypeError,
        "write x ** y % z",
    ),
    "an array and a value": (
        lambda: described(lambda: numpy.arange(3) + numbers()),
        TypeError,
        "and an array: a value stands for one sample; let a function of sluice.map compute with arrays",
    ),
    "a division by zero": (
        lambda: described(lambda: numbers() // 0),
        ZeroDivisionError,
        "a value // 0",
    ),
    "a cast to no type": (
        lambda: described(lambda: numbers().cast(3)),
        sluice.BuildError,
        "cast: to must be one of bool, i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64, not 3",
    ),
    "an argument of another operator": (
        lambda: described(lambda: ops.crop(image(), width=3)),
        TypeError,
        "'width' is one of center_crop, ",
    ),
    "a function that calls itself on values": (
        lambda: described(down),
        sluice.BuildError,
        "is nested too deeply (got 501 levels of choices and loops, expected at most 500); "
        "write a long else-if chain as one select",
    ),
    "a function that calls itself by another": (
        lambda: described(down_by_another),
        sluice.BuildError,
        "calls itself endlessly",
    ),
    "an unknown option": (
        lambda: sluice.pipeline(batchsize=3)(numbers)(),
        sluice.BuildError,
        "a pipeline has no option 'batchsize'; it has batch_size",
    ),
    "an option that is misspelled": (
        lambda: sluice.pipeline(batchsize=3)(numbers)(),
        sluice.BuildError,
        ", resume; did you mean batch_size?",
    ),
    "an option of DataLoader": (
        lambda: sluice.pipeline(num_workers=4)(numbers)(),
        sluice.BuildError,
        "a pipeline has no option 'num_workers'; in its place: threads=N of the pipeline; workers=N of a source",
    ),
    "an option of a source": (
        lambda: sluice.pipeline(shuffle=True)(numbers)(),
        sluice.BuildError,
        "a pipeline has no option 'shuffle'; in its place: shuffle=True of the source",
    ),
    "an option of DataLoader in a call": (
        lambda: of_a_folder("a", drop_last=True),
        TypeError,
        "got an unexpected keyword argument 'drop_last'; in its place: last_batch='drop' of the pipeline",
    ),
    "a name of a step that is none": (
        lambda: described(lambda: ops.flip(image(), name=3)),
        sluice.BuildError,
        "flip: name must be a str (got 3)",
    ),
    "a name of a choice that is none": (
        lambda: described(lambda: sluice.if_else(numbers() > 1, 1, 2, name=3)),
        sluice.BuildError,
        "a choice: name must be a str (got 3)",
    ),
    "a name of a branch that is none": (
        lambda: described(lambda: sluice.select(numbers(), [1, 2], names=["a", 3])),
        sluice.BuildError,
        "a branch of select: name must be a str (got 3)",
    ),
    "a name of a loop that is none": (
        lambda: described(lambda: sluice.for_loop(numbers(), 0, lambda i, n: n + 1, name=3)),
        sluice.BuildError,
        "a loop: name must be a str (got 3)",
    ),
    "a name of a column that is none": (
        lambda: described(lambda: sluice.tar("a.tar", {3: "i64"})),
        sluice.BuildError,
        "sluice.tar(): the name of a column must be a str (got 3)",
    ),
    "operators that are left out by number": (
        lambda: described(lambda: ops.rand_augment(image(), excluded=[3])),
        sluice.BuildError,
        "rand_augment: excluded must be a list of names of operators (got [3])",
    ),
    "a width that is too large": (
        lambda: described(lambda: ops.random_resized_crop(image(), width=2**40)),
        sluice.BuildError,
        "random_resized_crop: width must be a whole number of 32 bits (got 1099511627776)",
    ),
    "a stream that is not an address": (
        lambda: next(iter(described(images)))[0].wait_on("default"),
        TypeError,
        "wait_on: stream must be the address of a CUDA stream (got 'default'); pass torch.cuda.current_stream().cuda_stream",
    ),
    "a batch as an array": (
        lambda: numpy.asarray(next(iter(described(images)))),
        TypeError,
        "a batch is not an array: its column is batch.value, or `for images, in pipeline` with a comma",
    ),
    "a batch of two columns as an array": (
        lambda: numpy.array(next(iter(described(lambda: (images(), 1))))),
        TypeError,
        "a batch is not an array: its columns are batch[0] and so on",
    ),
    "an option of a call that is misspelled": (
        lambda: of_a_folder("a", batchsize=3),
        TypeError,
        "got an unexpected keyword argument 'batchsize'; did you mean batch_size?",
    ),
    "an option of a source that is misspelled": (
        lambda: described(lambda: sluice.source(lambda i: i, int, samples=4, shufle=True)),
        sluice.BuildError,
        "sluice.source() has no option 'shufle'; did you mean shuffle?",
    ),
    "an option that cannot be": (
        lambda: sluice.pipeline(batch_size=0)(numbers)(),
        sluice.BuildError,
        "batch_size",
    ),
    "a batch size of a float": (
        lambda: sluice.pipeline(batch_size=2.5)(numbers)(),
        sluice.BuildError,
        "a pipeline: batch_size: a whole number is expected, not 2.5 of type float",
    ),
    "a policy that there is not": (
        lambda: sluice.pipeline(on_error="ignore")(numbers)(),
        sluice.BuildError,
        "on_error must be one of 'fail', 'skip', 'replace', not 'ignore'",
    ),
    "a device that there is not": (
        lambda: sluice.pipeline(device="tpu")(numbers)(),
        sluice.BuildError,
        "device must be 'cpu', 'gpu', the number of a GPU, or 'stand-in', not 'tpu'",
    ),
    "a folder that is missing": (
        lambda: described(lambda: sluice.files("/no/such/folder")),
        sluice.IoError,
        "/no/such/folder",
    ),
    "nothing is returned": (
        lambda: described(lambda: None),
        sluice.BuildError,
        "return values",
    ),
    "a value as bool": (
        lambda: bool(described(lambda: _bool(numbers()))),
        TypeError,
        "is not a bool while the pipeline is described",
    ),
    "a value as text": (
        lambda: described(lambda: f"{numbers()}"),
        TypeError,
        "has no text while the pipeline is described",
    ),
    "a loop over a value": (
        lambda: described(lambda: list(numbers())),
        TypeError,
        "cannot be gone through",
    ),
    "an index of a value": (
        lambda: described(lambda: image()[0]),
        TypeError,
        "cannot be indexed",
    ),
    "a comparison with a text": (
        lambda: described(lambda: numbers() == "three"),
        TypeError,
        "is compared with str 'three': only values of numbers, of tensors and of images, and numbers compare",
    ),
    "an operator outside": (
        lambda: ops.coin_flip(0.5),
        sluice.BuildError,
        "ops.coin_flip() describes a step of a pipeline",
    ),
    "an argument that there is not": (
        lambda: described(lambda: ops.rotate(image(), angle=3)),
        TypeError,
        "rotate() has no argument 'angle'; it has image, degrees",
    ),
    "an argument that lacks": (
        lambda: described(lambda: ops.rotate(image())),
        TypeError,
        "rotate() lacks the argument 'degrees'",
    ),
    "a constant out of range": (
        lambda: described(lambda: ops.coin_flip(2)),
        sluice.BuildError,
        "coin_flip: probability must lie between 0 and 1, not 2",
    ),
    "a choice that there is not": (
        lambda: described(lambda: ops.resize(image(), width=4, height=4, interpolation="cubic")),
        sluice.BuildError,
        "interpolation",
    ),
    "a value of another type": (
        lambda: described(lambda: ops.invert(numbers())),
        sluice.BuildError,
        "invert",
    ),
    "a text for a number": (
        lambda: described(lambda: ops.rotate(image(), degrees="3")),
        ValueError,
        "degrees: a number is expected, not '3' of type str",
    ),
    "a fraction for a whole number": (
        lambda: described(lambda: ops.resize(image(), width=ops.uniform(1, 9), height=3)),
        sluice.BuildError,
        "resize: width must be a whole number (got <Value 'uniform' of type f32>); .cast('i32') cuts its fraction off",
    ),
    "a type that there is not": (
        lambda: described(lambda: sluice.source(len, "photo", samples=1)),
        sluice.BuildError,
        "there is no type 'photo' of values",
    ),
    "no types": (
        lambda: described(lambda: sluice.source(lambda i: i, (), samples=1)),
        sluice.BuildError,
        "returns=() names no type",
    ),
    "a dataset that is none": (
        lambda: described(lambda: sluice.source(3, int)),
        sluice.BuildError,
        "takes a dataset with __len__ and __getitem__",
    ),
    "an iterator in place of a function": (
        lambda: described(lambda: sluice.iterate(iter([1]), int)),
        sluice.BuildError,
        "takes a function that gives an iterator",
    ),
    "a step without a function": (
        lambda: described(lambda: sluice.map(3, numbers())),
        sluice.BuildError,
        "takes a function first, not int",
    ),
    "a number in place of an image": (
        lambda: described(lambda: ops.invert(3)),
        sluice.BuildError,
        "invert: image must be a value of each sample (got int)",
    ),
}


def _bool(value):
    return bool(value)


@pytest.mark.parametrize("name", WRONG)
def test_says(name):
    run, kind, words = WRONG[name]
    with pytest.raises(kind) as raised:
        run()
    assert words in str(raised.value)


def test_a_value_of_a_pipeline_that_was_described():
    kept = []

    @sluice.pipeline
    def first():
        kept.append(numbers())
        return kept[0]

    first()
    with pytest.raises(sluice.BuildError, match="described already"):
        kept[0] + 1

    @sluice.pipeline
    def second():
        return numbers() + kept[0]

    with pytest.raises(sluice.BuildError, match="another pipeline|described already"):
        second()


SAMPLES = {
    "another type": (lambda i: "x", int, "a whole number is expected, not 'x' of type str"),
    "too many values": (lambda i: (1, 2, 3), (int, int), "a tuple of 2 values is expected, not one of 3"),
    "one value": (lambda i: 1, (int, int), "a tuple of 2 values is expected, not int"),
    "nothing": (
        lambda i: None, int,
        "a whole number is expected, not None of type NoneType; the declared type is 'i64'; is a `return` missing?",
    ),
    "nothing for several": (
        lambda i: None, (int, int), "a tuple of 2 values is expected, not NoneType; is a `return` missing?",
    ),
    "no image": (lambda i: [1, 2], "image", "expected an array in host memory"),
    "an array of texts": (lambda i: numpy.array(["a"]), "tensor", "an array of numbers is expected, of bool, i8 to u64 or f16 to f64, not of <U1"),
    "an operator in a function": (
        lambda i: ops.uniform(0, 1), int, "BuildError: ops.uniform() describes a step of a pipeline",
    ),
    "a number that is too large": (lambda i: 300, "u8", "300 does not fit into u8 (0 to 255)"),
    "an array as a whole number": (
        lambda i: numpy.array([1, 2], "i8"), "i32",
        "a whole number is expected, not an array of int64 of shape (2,); the declared type is 'i32'",
    ),
    "an array as a number": (
        lambda i: (i, numpy.zeros((2, 3), "f4")), (int, "f32"),
        "value 1 of 2: a number is expected, not an array of float32 of shape (2, 3); the declared type is 'f32'",
    ),
    "a number as a list": (
        lambda i: numpy.array(3), "list of i32", "a list is expected, not array(3) of type ndarray; the declared type is 'list of i32'",
    ),
    "an array as a rectangle": (
        lambda i: numpy.array(3), "rectangle", "a rectangle (y, x, height, width) is expected, not array(3) of type ndarray",
    ),
    "a division": (lambda i: 1 / 0, int, "ZeroDivisionError: division by zero"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_says_of_a_sample(name):
    function, returns, words = SAMPLES[name]

    @sluice.pipeline(batch_size=2)
    def wrong():
        return sluice.source(function, returns, samples=2)

    with pytest.raises(sluice.BatchError) as raised:
        list(wrong())
    assert words in raised.value.errors[0]["what"]


class bool_:  # noqa: N801
    """Of NumPy's name."""

    def __bool__(self):
        raise ValueError("neither")


def test_what_a_truth_raises_is_the_error_of_its_sample():
    @sluice.pipeline(batch_size=4, on_error="skip")
    def wrong():
        return sluice.source(lambda i: bool_() if i == 1 else True, bool, samples=4)

    (batch,) = wrong()
    assert batch.missing == [1] and "ValueError: neither" in batch.errors[0]["what"]


def test_functions_of_other_libraries_take_no_value(monkeypatch):
    """Some return what they do not know unchanged, as torchvision's transforms do."""
    library = types.ModuleType("kornia")
    exec("def hflip(x): return x\ndef is_image(x): return False\nclass Flip:\n    def __call__(self, x): return x\n", vars(library))
    for call in (library.hflip, library.Flip()):
        with pytest.raises(sluice.RewriteError, match=r"of kornia takes arrays, not <Value 'source' .*sluice.map"):
            described(lambda call=call: call(images()))
    assert library.hflip(3) == 3

    def asks():
        image = images()
        return 1 if library.is_image(image) else image

    (batch,) = described(asks)
    assert len(batch[0]) == 1
