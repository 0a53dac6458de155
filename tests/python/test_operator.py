"""sluice.operator: operators of one's own, with declared inputs and parameters."""

import inspect
import json
import os
import pickle
import subprocess
import sys

import numpy
import pytest

import sluice
from sluice import Parameter, ops

PIXELS = numpy.random.default_rng(2).integers(0, 256, (12, 4, 5, 3), dtype=numpy.uint8)


@sluice.operator(
    inputs={"image": "image"},
    parameters={
        "strength": Parameter(float, default=0.5, low=0, high=1, help="0 keeps the image"),
        "channel": Parameter("i32", default=-1, low=-1, high=2),
        "mode": Parameter(str, default="scale", choices=("scale", "shift")),
        "inverted": Parameter(bool, default=False),
    },
    returns="image",
)
def darken(image, strength, channel, mode, inverted):
    """Makes the image darker."""
    assert type(strength) is float and type(channel) is int and type(inverted) is bool
    made = image.astype("f4") * (1 - strength) if mode == "scale" else image - 255.0 * strength
    made = numpy.clip(made, 0, 255).astype("u1")
    if channel >= 0:
        made = numpy.where(numpy.arange(3) == channel, made, image)
    return 255 - made if inverted else made


@sluice.operator(inputs={"x": float, "y": "object"}, parameters={"power": Parameter(int)}, returns=("f64", str))
def raised(x, y, power):
    return x**power, f"{y}"


PLAIN = darken.function


def piped(change, **options):
    @sluice.pipeline(batch_size=12, seed=4, **options)
    def described():
        return change(sluice.memory(PIXELS))

    return described()


def first(change, **options):
    return next(iter(piped(change, **options)))


@pytest.mark.parametrize(
    "arguments",
    [{}, {"strength": 0.25}, {"strength": 1, "channel": 2, "inverted": True}, {"mode": "shift"}, {"strength": numpy.float32(0.5), "channel": numpy.int64(0)}],
)
@pytest.mark.parametrize("threads", [1, 3])
def test_calls_in_a_pipeline_and_on_arrays(arguments, threads):
    usual = {"strength": 0.5, "channel": -1, "mode": "scale", "inverted": False}
    plain = {name: type(usual[name])(one) for name, one in {**usual, **arguments}.items()}
    expected = numpy.stack([PLAIN(image, **plain) for image in PIXELS])
    (images,) = first(lambda image: darken(image, **arguments), threads=threads)
    assert numpy.array_equal(images, expected)
    for image, wanted in zip(PIXELS, expected):
        assert numpy.array_equal(darken(image, **arguments), wanted)
        assert numpy.array_equal(darken(image=image, **arguments), wanted)


def test_parameters_of_samples():
    @sluice.pipeline(batch_size=12, seed=4)
    def described():
        image = sluice.memory(PIXELS)
        strength, channel, inverted = ops.uniform(0, 1), ops.randint(0, 3), ops.coin_flip()
        return darken(image, strength=strength, channel=channel, inverted=inverted), strength, channel, inverted

    images, strengths, channels, inverted = next(iter(described()))
    assert len(set(strengths.tolist())) == 12
    rows = zip(PIXELS, images, strengths.tolist(), channels.tolist(), inverted.tolist())
    for image, made, strength, channel, flipped in rows:
        assert numpy.array_equal(made, PLAIN(image, strength, channel, "scale", flipped))


def test_several_results_and_any_input():
    @sluice.pipeline(batch_size=3)
    def described():
        x = sluice.source(float, samples=3, returns=float)
        return raised(x, sluice.map(lambda x: {x}, x), 2), raised(x=x, y=x, power=x.cast("i32"))

    (numbers, texts), (others, _) = next(iter(described())).value
    assert numbers.tolist() == [0, 1, 4] and texts == ["{0.0}", "{1.0}", "{2.0}"] and others.tolist() == [1, 1, 4]
    assert numbers.dtype == "f64"


def test_branches_and_steps_around_it():
    @sluice.pipeline(batch_size=12, seed=4)
    def described():
        image = ops.flip(sluice.memory(PIXELS))
        if ops.mean(image) > 127:
            image = darken(image, name="night")
        return ops.invert(image)

    pipe = described()
    (images,) = next(iter(pipe))
    for image, made in zip(PIXELS[:, :, ::-1], images):
        wanted = PLAIN(image, 0.5, -1, "scale", False) if image.mean() > 127 else image
        assert numpy.array_equal(made, 255 - wanted)
    assert "night(" in str(pipe.graph()) and "darken" not in str(pipe.graph())
    assert "darken(" in str(piped(darken).graph()) and "darken(" in piped(darken).explain()


def test_a_range_is_checked_for_each_sample():
    pipe = piped(lambda image: darken(image, strength=ops.uniform(0, 2)), on_error="skip")
    (batch,) = list(pipe)
    assert 0 < len(batch.errors) < 12
    for error in batch.errors:
        assert error["step"] == "darken" and "ValueError: strength must be at least 0.0 and at most 1.0, not 1." in error["what"]
    pipe = piped(lambda image: darken(image, strength=ops.uniform(0, 1) / 0.0), on_error="skip")
    assert "strength must be a finite number, not inf" in next(iter(pipe)).errors[0]["what"]


def test_errors_of_the_function_are_those_of_the_sample():
    @sluice.operator(inputs={"image": "image"}, returns="image")
    def odd(image):
        if image[0, 0, 0] % 2:
            raise KeyError("odd")
        return image

    (batch,) = list(piped(odd, on_error="skip"))
    assert batch.size == sum(PIXELS[:, 0, 0, 0] % 2 == 0)
    assert "KeyError: 'odd' (" in batch.errors[0]["what"] and batch.errors[0]["step"] == "odd"
    with pytest.raises(sluice.Error, match="KeyError: 'odd'"):
        odd(numpy.ones((2, 2, 3), numpy.uint8))


@pytest.mark.parametrize(
    "call, error, text",
    [
        (lambda x: darken(), TypeError, r"darken\(\) lacks the argument 'image'"),
        (lambda x: darken(x, 0.5), TypeError, r"darken\(\) takes image by place, not 2 arguments; give the others by name: strength=, channel="),
        (lambda x: darken(x, strenght=1), TypeError, r"darken\(\) has no argument 'strenght'; it has image, strength.*did you mean strength"),
        (lambda x: darken(x, image=x), TypeError, r"darken\(\) is given 'image' twice"),
        (lambda x: darken(x, strength=1.5), sluice.BuildError, "darken: strength must be at least 0.0 and at most 1.0, not 1.5"),
        (lambda x: darken(x, strength=float("nan")), sluice.BuildError, "darken: strength must be a finite number, not nan"),
        (lambda x: darken(x, strength="x"), sluice.BuildError, "darken: strength: a number is expected, not 'x' of type str"),
        (lambda x: darken(x, strength=True), sluice.BuildError, "darken: strength: a number is expected, not True of type bool"),
        (lambda x: darken(x, channel=1.5), sluice.BuildError, "darken: channel must be a whole number from -2147483648 to 2147483647, not 1.5"),
        (lambda x: darken(x, channel=3), sluice.BuildError, "darken: channel must be at least -1 and at most 2, not 3"),
        (lambda x: darken(x, channel=ops.uniform(0, 1)), sluice.BuildError, r"darken: channel must be a whole number .*\.cast\('i32'\)"),
        (lambda x: darken(x, mode="cut"), sluice.BuildError, "darken: mode must be one of 'scale', 'shift', not 'cut'"),
        (lambda x: darken(x, mode=ops.mean(x)), sluice.BuildError, "darken: mode must be a str, the same for all samples"),
        (lambda x: darken(x, inverted=1), sluice.BuildError, "darken: inverted: True or False is expected, not 1 of type int"),
        (lambda x: darken(x, inverted=ops.mean(x)), sluice.BuildError, "darken: inverted must be of type 'bool'"),
        (lambda x: darken(x, strength=x), sluice.BuildError, "darken: strength must be of type 'f32'"),
        (lambda x: darken(ops.mean(x)), sluice.BuildError, "darken: image must be of type 'image' .*mean"),
        (lambda x: darken(3), sluice.BuildError, "darken: image must be a value of each sample .*got int"),
        (lambda x: raised(ops.mean(x), x), TypeError, r"raised\(\) lacks the argument 'power'"),
    ],
)
def test_wrong_calls(call, error, text):
    with pytest.raises(error, match=text):
        piped(call)


def test_calls_outside_of_a_pipeline():
    with pytest.raises(sluice.BuildError, match=r"darken\(\) describes a step of a pipeline"):
        darken(3)
    with pytest.raises(TypeError, match="has no argument 'seed'"):
        darken(PIXELS[0], seed=1)
    with pytest.raises(sluice.BuildError, match="strength must be at least 0"):
        darken(PIXELS[0], strength=-1)


def test_help():
    text = darken.__doc__
    assert text.startswith("Makes the image darker.\n") and "strength : f32 or Value, default 0.5" in text
    assert "0 keeps the image; 0.0 <= x <= 1.0." in text and "mode : {'scale', 'shift'}, default 'scale'" in text
    assert str(inspect.signature(darken)).startswith("(image: ") and darken.__name__ == "darken" and darken.__module__ == __name__
    parameters = inspect.signature(darken).parameters
    assert parameters["strength"].default == 0.5 and parameters["strength"].kind is inspect.Parameter.KEYWORD_ONLY
    assert inspect.signature(raised).parameters["power"].default is inspect.Parameter.empty
    assert "<operator darken(image" in repr(darken)


def declared(function=lambda image: image, **declaration):
    def named(*args, **kwargs):
        return function(*args, **kwargs)

    named.__wrapped__ = function
    return sluice.operator(**{"inputs": {"image": "image"}, "returns": "image", **declaration})(named)


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: declared(inputs={}), r"named\(\) has no inputs"),
        (lambda: declared(inputs=["image"]), r"inputs of named\(\) must be a dict"),
        (lambda: declared(inputs={"image": 3}), r"inputs of named\(\)"),
        (lambda: declared(inputs={"image": "picture"}), "picture"),
        (lambda: declared(returns="picture"), "picture"),
        (lambda: declared(returns=None), "returns must be a type"),
        (lambda: declared(lambda image, x: image), r"named\(image, x\) cannot be called as named\(image\): missing a required argument: 'x'"),
        (lambda: declared(parameters={"x": Parameter(int)}), r"cannot be called as named\(image, x=...\)"),
        (lambda: declared(lambda image, x: image, parameters={"x": 3}), r"parameter 'x' of named\(\) must be a sluice.Parameter"),
        (lambda: declared(parameters={"image": Parameter(int)}), "an input and a parameter of the name 'image'"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(list)}), "type must be float, int, bool, str"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(int, default=0.5)}), "default must be a whole number"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(int, default=5, high=4)}), "default must be at most 4, not 5"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(int, low=5, high=4)}), "high must be at least 5, not 4"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(str, low=1)}), "low and high are for numbers"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(int, choices=("a",))}), "choices must be a tuple of str, for a parameter of type str"),
        (lambda: declared(lambda image, x: image, parameters={"x": Parameter(str, default="b", choices=("a",))}), "default must be one of 'a', not 'b'"),
        (lambda: sluice.operator(inputs={"image": "image"}, returns="image")(lambda image: image), "has no name; write a function with def"),
    ],
)
def test_wrong_declarations(make, text):
    with pytest.raises(sluice.BuildError, match=text):
        make()


@sluice.operator(inputs={"image": "image"}, parameters={"by": Parameter(int, low=0)}, returns="image", workers=2)
def shifted(image, by):
    return numpy.roll(image, by, axis=0)


@sluice.operator(inputs={"image": "image"}, returns=int, workers=1)
def process_of(image):
    return os.getpid()


def test_worker_processes():
    (images,) = first(lambda image: shifted(image, sluice.constant(1)))
    assert numpy.array_equal(images, numpy.roll(PIXELS, 1, axis=1))
    (pids,) = first(process_of)
    assert len(set(pids.tolist())) == 1 and pids.tolist()[0] != os.getpid()
    pipe = piped(lambda image: shifted(image, ops.randint(-3, 1)), on_error="skip")
    assert any("by must be at least 0" in one["what"] for one in next(iter(pipe)).errors)
    assert numpy.array_equal(shifted(PIXELS[0], 1), numpy.roll(PIXELS[0], 1, axis=0))  # without workers


def test_operators_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(darken)) is darken


PROGRAM = """\
import json, sluice

@sluice.operator(inputs={"x": int}, parameters={"by": sluice.Parameter(int, default=2)}, returns=int, workers=1)
def multiplied(x, by):
    return x * by

@sluice.pipeline(batch_size=4)
def described():
    return multiplied(sluice.source(int, samples=4, returns=int), by=3)

if __name__ == "__main__":
    print(json.dumps([batch[0].tolist() for batch in described()]))
"""


def test_workers_of_the_programs_own_file(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(tmp_path / "program.py")], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout) == [[0, 3, 6, 9]], done.stderr


def test_workers_of_a_session_say_what_they_need():
    text = PROGRAM.replace('if __name__ == "__main__":\n    ', "")
    program = f"import sys\nsys.modules['cloudpickle'] = None\n{text}"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert "cannot hand multiplied to worker processes: it cannot be pickled" in done.stderr, done.stderr
    assert "Define it at the top of a module, not in a function and not as a lambda, or pip install cloudpickle" in done.stderr


def test_a_function_is_set_up_once():
    calls = []

    def counted(x):
        return x + len(calls)

    counted.__worker_init__ = lambda worker, workers: calls.append((worker, workers))
    operator = sluice.operator(inputs={"x": int}, returns=int)(counted)

    @sluice.pipeline(batch_size=4)
    def described():
        return operator(operator(sluice.source(int, samples=4, returns=int)))

    assert next(iter(described()))[0].tolist() == [2, 3, 4, 5] and calls == [(0, 1)]


def test_a_plan_with_an_operator_cannot_be_saved(tmp_path):
    with pytest.raises(sluice.BuildError, match="darken"):
        piped(darken).save(tmp_path / "plan.json")
