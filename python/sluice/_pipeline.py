"""@pipeline, and the Pipeline that it makes."""

from __future__ import annotations

import atexit
import functools
import inspect
import operator
import weakref
from typing import Any, Callable, Iterator, NamedTuple

from . import _core
from ._arguments import near, short
from ._batch import Batch
from ._describing import current_graph, refuse, was_taken
from ._graph import Graph, describing
from ._rewrite import rewrite
from ._show import Drawing, Sheet, sheet_of
from ._structure import flatten
from ._value import Value, is_number

OPTIONS = (
    "batch_size", "seed", "threads", "io_threads", "prefetch", "window", "device",
    "max_device_bytes", "max_image_bytes", "decoder", "last_batch", "compact", "compose",
    "on_error", "max_errors", "max_error_rate", "stall_timeout", "profile", "trace", "resume",
)

_live: weakref.WeakSet[Pipeline] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Python's lock cannot be had once the interpreter ends, so threads end before."""
    for one in list(_live):
        core = one._core
        core.close(" as the program ends")
        core.wait_for_others()
    _core.wait_for_elsewhere()


def _whole(number: Any, what: str, least: int = 0) -> int:
    try:
        whole = operator.index(number)
    except TypeError:
        whole = None
    if whole is None or isinstance(number, bool) or not least <= whole < 2**63:
        limit = f"from {least} on" if whole is None or whole < least else f"from {least} to 2**63 - 1"
        raise _core.BuildError(f"{what} is a whole number {limit}, not {number!r}")
    return whole


def _called_in_a_description(name: str) -> str:
    return f"{name} is a pipeline of its own: mark it with @sluice.graph_function instead to call it from a pipeline"


def _is_leaf(x: Any) -> bool:
    return isinstance(x, Value) or is_number(x) or isinstance(x, str)


def _checkpoint_of(state: Any, expected: str) -> str:
    """The checkpoint in what state_dict() returned; `expected` is the text of the error for anything else."""
    checkpoint = state.get("checkpoint") if isinstance(state, dict) else None
    if not isinstance(checkpoint, str) or not checkpoint:
        raise _core.BuildError(f"{expected}, not {short(state)}")
    return checkpoint


class BatchKey(NamedTuple):
    """Which batch it is, for what is drawn for it as a whole: ``random.Random(repr(key))`` gives the
    same in each run."""

    seed: int
    epoch: int
    batch: int


class _Loop:
    """The batches of one epoch, which ends with its last batch, or when the loop is no longer referenced."""

    def __init__(self, pipeline: Pipeline, core: Any, structure: Any, steps: tuple):
        self._pipeline = pipeline  # keeps the pipeline alive
        self._core = core
        self._structure = structure
        self._steps = steps
        self._epoch = core.begin_epoch()

    def __iter__(self) -> _Loop:
        return self

    def __next__(self) -> Batch:
        try:
            data = self._core.next(self._epoch)
            batch = None if data is None else Batch(data, self._structure)
            for step in self._steps if batch is not None else ():
                self._do(step, batch)
            if batch is not None:
                return batch
        except Exception:
            raise
        except BaseException:  # Ctrl-C: the batch has not reached the loop, so it does not count as taken
            self._core.give_back(self._epoch)
            raise
        raise StopIteration

    def _do(self, step: Callable[[Batch, BatchKey], Any], batch: Batch) -> None:
        try:
            step(batch, BatchKey(self._pipeline.seed, batch.epoch, batch.index))
        except StopIteration as error:  # it would end the loop
            raise RuntimeError("a batch step raised StopIteration") from error

    def close(self) -> None:
        """Ends the epoch, unless it is over."""
        epoch = getattr(self, "_epoch", None)  # None if the epoch could not begin
        if epoch is not None:
            self._core.leave(epoch)

    __del__ = close


class Pipeline:
    """Runs a pipeline and delivers its batches in order.

    ``for batch in pipeline`` runs the next epoch, 0 at first. Work goes on in the background while
    you use a batch. Leaving the loop early ends the epoch; the pipeline stays usable. One loop runs at
    a time: when another one begins, the one before it raises Error. Nothing of what a
    sample is depends on the number of threads, the batch size or the number of shards.

    It ends with ``close()``, with ``with``, when it is no longer referenced, or with the program.
    Batches outlive it. Threads: take batches on one at a time; ``cancel()`` and ``stats`` from any.
    Functions that the pipeline calls may use it, but for ``close()`` and its loops.

    Raises
    ------
    BatchError
        From the loop, when a sample failed and ``on_error`` is ``'fail'``.
    BudgetError, StallError
        As the options say.
    """

    def __init__(self, describe: Callable[[], Any], options: dict[str, Any], name: str):
        self._describe = describe
        self._options = dict(options)
        self._name = name
        self._batch_steps: tuple = ()
        self._build(options)
        _live.add(self)

    def _build(self, options: dict[str, Any]) -> None:
        graph = Graph()
        with describing(graph):
            try:
                given = self._describe()
            except RecursionError:
                raise _core.BuildError(
                    f"{self._name}() calls itself endlessly: all branches of an `if` on a value are described, "
                    "so a function that calls itself there never stops; write a `while` or a `for` loop"
                ) from None
            except Exception as error:
                if was_taken(graph.refused, error):  # the error is a consequence of the refusal
                    raise graph.refused from error
                raise
            graph.draws.settle()
            if graph.refused is not None:  # the user's `except` caught it
                raise graph.refused
            outputs, structure = flatten(given)
            if not outputs:
                raise _core.BuildError(
                    f"{self._name}() returns {given!r}: return the values that batches shall have, one or "
                    "a tuple or dict of them"
                )
            slots = []
            for one in outputs:
                if isinstance(one, Pipeline):
                    raise _core.BuildError(f"{self._name}() returns {one!r}; {_called_in_a_description(one._name)}")
                if not _is_leaf(one):
                    raise _core.BuildError(
                        f"{self._name}() returns {one!r} of type {type(one).__name__}, which is no value "
                        "of a sample: return values, numbers or str, in tuples, lists or dicts"
                    )
                slots.append(graph._own(graph.constant(one), f"{self._name}()"))
        self._core = graph.core.build(slots, options)
        self._structure = structure

    # Batches.
    def __iter__(self) -> Iterator[Batch]:
        """Begins the next epoch, and gives its batches."""
        return _Loop(self, self._core, self._structure, self._batch_steps)

    def batch_step(self, step: Callable[[Batch, BatchKey], Any]) -> Pipeline:
        """Does ``step(batch, key)`` to each batch of the loops that begin from now on.

        It is for what concerns several samples, as :func:`sluice.mix_up` does, and may change the
        columns in place. Steps run in the order in which they are said, on the thread that takes
        batches, one batch at a time. What a step draws should follow from the key alone: the seed, the
        epoch and the number of the batch. What it raises, the loop raises; the batch is lost.

        Returns
        -------
        Pipeline
            This one.
        """
        if not callable(step):
            raise _core.BuildError(f"batch_step() takes a function of a batch and its key, not {step!r}")
        self._batch_steps += (step,)
        return self

    def __len__(self) -> int:
        """Batches of an epoch; raises TypeError while their number is unknown."""
        count = self._core.batches
        if count < 0:
            raise TypeError("how many batches there are shows when an epoch has ended")
        return count

    @property
    def samples(self) -> int | None:
        """Samples of an epoch; None while their number is unknown."""
        count = self._core.samples
        return None if count < 0 else count

    @property
    def seed(self) -> int:
        """What random numbers and shuffles follow from."""
        return self._options.get("seed") or 0

    @property
    def next_epoch(self) -> int:
        """The epoch that the next loop runs."""
        return self._core.next_epoch

    def reset(self, epoch: int = 0) -> None:
        """The next loop runs this epoch."""
        self._core.reset(_whole(epoch, "reset(): epoch"))

    def cancel(self) -> None:
        """Ends the epoch that runs; from any thread."""
        self._core.cancel()

    def close(self) -> None:
        """Ends what runs, and waits for the steps that are at work.

        Raises Error in a function that the pipeline itself calls.
        """
        self._core.close()

    @property
    def closed(self) -> bool:
        return self._core.closed

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError(
            f"{self!r} cannot be pickled or copied, because it has threads of this process; pickle the arguments of "
            f"{self._name}() instead, and call {self._name}() in the process that uses the pipeline"
        )

    # Checkpoints.
    def state_dict(self) -> dict[str, Any]:
        """How far the batches have been taken: some 300 bytes of JSON, and 25 for each step."""
        return {"checkpoint": self._core.checkpoint()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Goes on with the first batch that was not taken, bit for bit.

        A loop that runs ends with Error. Raises BuildError where the state is of another seed, dataset
        or program.
        """
        checkpoint = _checkpoint_of(state, "load_state_dict() takes the dict that state_dict() has given")
        old, structure = self._core, self._structure
        self._build({**self._options, "resume": checkpoint})
        try:
            old.close(" by load_state_dict(): begin another loop")
        except _core.Error:  # called inside one of its own steps
            self._core, self._structure = old, structure
            raise

    # Inspection.
    @property
    def stats(self) -> dict[str, Any]:
        """What has been done so far; ``stats['text']`` reads well."""
        return self._core.stats()

    def inspect(self, index: int, epoch: int = 0) -> dict[str, Any]:
        """One sample, run on this thread, with everything that it computes.

        Returns
        -------
        dict
            ``values`` by the name of the step that made them (a tuple where it makes several, with
            None for one that is not made), ``path``, ``dropped``, ``error``, ``warnings``.
        """
        return _Inspected(
            self._core.inspect(_whole(index, "inspect(): index"), _whole(epoch, "inspect(): epoch"))
        )

    def explain(self) -> str:
        """The plan as it was described, and after each pass."""
        return self._core.explain()

    def save(self, path: Any) -> None:
        """Writes the plan as JSON, which `sluice augment --pipeline` and C++ programs run.

        Raises BuildError for steps that are functions of Python's.
        """
        self._core.save(path)

    def graph(self) -> Drawing:
        """The plan as a drawing: of itself in a notebook, where Graphviz is installed."""
        return Drawing(self._core.dot(), self._core.text())

    def show(self, n: int = 16, epoch: int = 0) -> Sheet:
        """The images of the first n samples, side by side; shows itself in a notebook.

        ``show(n).save('sheet.jpg')`` writes them to a file.
        """
        _whole(n, "show(): n", 1)
        sibling = Pipeline(self._describe, {**self._options, "batch_size": n, "prefetch": 0,
                                            "on_error": "skip", "trace": None, "resume": None},
                           self._name)
        sibling._batch_steps = self._batch_steps
        with sibling:
            sibling.reset(epoch)
            for batch in sibling:
                return sheet_of(batch)
        raise _core.Error("there is no sample to show")

    def __repr__(self) -> str:
        if self._core.closed:
            return f"<Pipeline {self._name}, closed>"
        count = self._core.batches
        return f"<Pipeline {self._name}: {'unknown' if count < 0 else count} batches in an epoch>"

    def _repr_html_(self) -> str:
        return self.graph()._repr_html_()


class _Inspected(dict):
    """The result of inspect(); its text shortens files, arrays and long lists."""

    def __repr__(self) -> str:
        return repr({key: _shortened(value) for key, value in self.items()})


class _Short:
    def __init__(self, text: str):
        self.text = text

    def __repr__(self) -> str:
        return self.text


_FEW = 16  # the most elements that are shown one by one


def _shortened(value: Any) -> Any:
    if isinstance(value, (bytes, bytearray)) and len(value) > 4 * _FEW:
        return _Short(f"{bytes(value[:_FEW])!r}... ({len(value)} bytes)")
    if isinstance(value, str) and len(value) > 400:
        return _Short(f"{value[:400]!r}... ({len(value)} characters)")
    if hasattr(value, "dtype") and getattr(value, "size", 0) > _FEW:
        return _Short(f"<array of shape {value.shape}, {value.dtype}{_range_of(value)}>")
    if type(value) is dict:
        return {key: _shortened(one) for key, one in value.items()}
    if type(value) in (list, tuple):
        short = [_shortened(one) for one in value[:_FEW]]
        return type(value)(short + [_Short(f"... {len(value)} in all")] * (len(value) > _FEW))
    return value


def _range_of(array: Any) -> str:
    if array.dtype.kind not in "biuf":
        return ""
    return f", {array.min()} to {array.max()}"


class Description:
    """A function that describes a pipeline; calling it makes one. See :func:`pipeline`."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]):
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            raise _core.BuildError(
                f"a pipeline has no option {unknown[0]!r}; it has {', '.join(OPTIONS)}{near(unknown[0], OPTIONS)}"
            )
        functools.update_wrapper(self, function)
        self._function = rewrite(function)
        self._options = options
        self._signature = inspect.signature(function)

    def __call__(self, *args: Any, **kwargs: Any) -> Pipeline:
        """The Pipeline; options that the function has no parameter for replace the decorator's."""
        return self.over(tuple, *args, **kwargs)

    def over(self, source: Callable[[], tuple], *args: Any, **kwargs: Any) -> Pipeline:
        """As a call, and the function is given the values that `source` describes first."""
        options = dict(self._options)
        for name in list(kwargs):
            if name in OPTIONS and not self.has_parameter(name):
                options[name] = kwargs.pop(name)
        if isinstance(options.get("resume"), dict):
            options["resume"] = _checkpoint_of(options["resume"], "resume takes what state_dict() returned")
        if "seed" in options and options["seed"] is None:
            raise _core.BuildError(
                "seed is a whole number, not None: a pipeline with an unknown seed cannot be repeated; "
                "secrets.randbits(63) makes one"
            )
        function = self._function
        if current_graph() is not None and any(isinstance(one, Value) for one in (*args, *kwargs.values())):
            raise refuse(_core.BuildError(f"{self.__name__}() is given a Value; {_called_in_a_description(self.__name__)}"))

        def describe() -> Any:
            values = source()
            try:
                self._signature.bind(*values, *args, **kwargs)
            except TypeError as error:
                unknown = [name for name in kwargs if not self.takes(name)]
                meant = near(unknown[0], (*self._signature.parameters, *OPTIONS)) if unknown else ""
                raise TypeError(f"{self.__name__}{self._signature}: {error}{meant}") from None
            return function(*values, *args, **kwargs)

        return Pipeline(describe, options, self._function.__name__)

    def has_parameter(self, name: str) -> bool:
        """True if the function has a parameter of this name, which goes before an option."""
        return name in self._signature.parameters

    def takes(self, name: str) -> bool:
        """True if the function takes an argument of this name that is not an option."""
        parameters = self._signature.parameters
        others = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        return name in parameters or (others and name not in OPTIONS)

    def __iter__(self) -> Any:
        raise TypeError(
            f"{self.__name__} describes a pipeline, and calling it makes one: "
            f"for batch in {self.__name__}(...)"
        )

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


def pipeline(function: Callable[..., Any] | None = None, **options: Any) -> Any:
    """Marks a function as the description of a pipeline.

    The function runs once, when you call it, and computes no images: it calls operators on values, and each
    call adds a step to the pipeline. Every sample then runs through the steps on its own. On values, ``if``,
    ``while``, ``for i in range(value)``, ``and``, ``or``, ``not`` and conditional expressions are decided for
    each sample. On anything else they work as usual, while the pipeline is described.

    You can override the options in the call: ``rotated("train", batch_size=8)``.

    Parameters
    ----------
    function : callable, optional
        The function to mark. ``@sluice.pipeline`` without parentheses passes it; with options, leave it out.
    batch_size : int, default 1
        Number of samples in a batch.
    seed : int, default 0
        The seed of all random numbers and shuffles. The same seed produces the same samples.
    threads : int, default 0
        Number of threads that compute. 0 uses all CPUs that the process may use.
    io_threads : int, default -1
        Number of additional threads that read files. -1 uses as many as ``threads``, and at least 4. With 0,
        the computing threads read.
    prefetch : int, default 2
        Number of batches to prepare while you use one.
    window : int, default 0
        The largest number of samples in flight, at least ``batch_size``. 0 chooses it from ``batch_size``,
        ``prefetch`` and ``threads``.
    device : {'cpu', 'gpu'} or int, default 'cpu'
        The GPU for steps whose inputs ``value.gpu()`` has moved there: its number, or ``'gpu'`` for number 0.
    max_device_bytes : int, default 0
        The most memory to use on the device. 0 sets no limit.
    max_image_bytes : int, default 2**29
        The most bytes of an image or tensor that a step makes. A larger one is the error of its sample.
    decoder : {'exact', 'any'}, default 'exact'
        Decoders for images on a GPU. ``'exact'`` decodes the same pixels as the CPU. ``'any'`` may use the JPEG
        engine of the GPU, whose pixels differ slightly.
    last_batch : {'partial', 'drop', 'fill'}, default 'partial'
        What to do if the samples do not fill the last batch: deliver it short, leave it out, or repeat its
        last sample.
    compact : bool, default False
        If True, batches are full even if filters or errors leave samples out. Otherwise such a batch is short.
    compose : bool, default False
        If True, consecutive color operators become one matrix, and consecutive warps become one warp. This is
        faster. Pixels are rounded only once, so they differ slightly.
    on_error : {'fail', 'skip', 'replace'}, default 'fail'
        What to do if a sample fails: raise BatchError, deliver the batch without it, or put another sample in
        its place.
    max_errors : int, optional
        The most samples of an epoch that may fail. By default there is no limit.
    max_error_rate : float, default 1.0
        The largest share of the samples of an epoch that may fail.
    stall_timeout : float, default 0
        Seconds without progress after which the loop raises StallError. 0 waits forever.
    profile : bool, default False
        If True, steps are counted and timed; see ``Pipeline.stats``.
    trace : path, optional
        A file for a trace of what each thread did, for Perfetto (ui.perfetto.dev).
    resume : dict or str, optional
        A state that ``Pipeline.state_dict`` returned, or its checkpoint. The first loop continues there, as
        after ``Pipeline.load_state_dict``.

    Returns
    -------
    Description
        A function with the parameters of ``function``. Calling it returns a :class:`Pipeline`. If ``function``
        is left out, a decorator that returns such a function.

    Raises
    ------
    BuildError
        If an option is unknown, or if ``function`` is not callable. The call that makes the pipeline raises it
        for an option with a wrong value and for a mistake in the description.

    Examples
    --------
    ::

        @sluice.pipeline(batch_size=32, seed=42)
        def rotated(folder):
            jpeg, label = sluice.files(folder)
            image = ops.decode_jpeg(jpeg)
            if ops.coin_flip(0.25):
                image = ops.rotate(image, degrees=ops.uniform(10, 30), fill=0)
            return ops.resize(image, height=400, width=400), label

        for images, labels in rotated("train"):
            ...
    """
    if function is None:
        return lambda real: Description(real, options)
    if not callable(function):
        raise _core.BuildError("@sluice.pipeline marks a function; options are given by name")
    return Description(function, options)
