"""The decorator `pipeline`, and the class Pipeline."""

from __future__ import annotations

import atexit
import functools
import importlib
import inspect
import operator
import weakref
from typing import Any, Callable, Generic, Iterator, NamedTuple, ParamSpec, Unpack, overload

from . import _core, _peers
from ._arguments import near, short
from ._batch import Batch
from ._describing import current_graph, refuse, was_taken
from ._errors import shortened
from ._graph import Graph, describing
from ._options import DEFAULTS, MOST_SAMPLES, PipelineOptions, takes
from ._rewrite import rewrite
from ._show import Drawing, Sheet, sheet_of
from ._structure import flatten
from ._value import Value, is_number

OPTIONS = tuple(DEFAULTS[PipelineOptions])

_P = ParamSpec("_P")

_live: weakref.WeakSet[Pipeline] = weakref.WeakSet()


@atexit.register
def _close_all() -> None:
    """Ends all threads before the interpreter ends: after that, they cannot take Python's lock."""
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
        raise _core.BuildError(f"{what} must be a whole number {limit} (got {number!r})")
    return whole


def _called_in_a_description(name: str) -> str:
    return f"{name} is a pipeline of its own: mark it with @sluice.graph_function instead to call it from a pipeline"


def _is_leaf(x: Any) -> bool:
    return isinstance(x, Value) or is_number(x) or isinstance(x, str)


def _checkpoint_of(state: Any, expected: str) -> str:
    """Returns the checkpoint in a state_dict(); `expected` is the text of the error for anything else."""
    checkpoint = state.get("checkpoint") if isinstance(state, dict) else None
    if not isinstance(checkpoint, str) or not checkpoint:
        raise _core.BuildError(f"{expected}, not {short(state)}")
    return checkpoint


class BatchKey(NamedTuple):
    """Identifies a batch. Draw the random numbers of a batch step from it, so that runs repeat exactly:
    ``random.Random(repr(key))``.

    Attributes
    ----------
    seed : int
        The seed of the pipeline.
    epoch : int
        The number of the epoch, from 0.
    batch : int
        The number of the batch in the epoch, from 0.
    """

    seed: int
    epoch: int
    batch: int


class _Loop:
    """Iterates over the batches of one epoch. The epoch ends early when this object is deleted."""

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
        except BaseException:  # Ctrl-C: the batch has not reached the loop, so it does not count as delivered
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

    def __reduce_ex__(self, _protocol: Any) -> Any:
        raise TypeError("a loop over a pipeline cannot be pickled or copied; state_dict() of the pipeline can, and resume= continues from it")

    __del__ = close


class Pipeline:
    """Runs a pipeline on background threads and delivers its batches in order.

    Call a function marked with :func:`pipeline` to make one. ``for batch in pipeline`` runs the next epoch, first
    epoch 0. Threads prepare the next batches while you use one. You can leave a loop early: that ends the epoch, and
    the next loop runs the next one. Only one loop runs at a time. If another one begins, the earlier one raises Error.

    Samples do not depend on the number of threads, the batch size or the number of shards.

    ``close()``, the end of a ``with`` block and the end of the program end its threads. So does deleting the pipeline.
    Batches stay valid afterwards.

    If the marked function can be imported by its name, a Pipeline can be pickled and copied: as the function, its arguments,
    the options and the state. Unpickling calls the function again. The new pipeline continues where the old one stood.

    Iterate on one thread at a time. You can call ``cancel()`` and ``stats`` on any thread. Your functions that the
    pipeline calls may use it, except for ``close()`` and loops.

    Raises
    ------
    BatchError
        The loop raises it if a sample failed and ``on_error`` is ``'fail'``.
    BudgetError
        The loop raises it if more samples failed than ``max_errors`` or ``max_error_rate`` allows.
    StallError
        The loop raises it if nothing moved for ``stall_timeout`` seconds.
    """

    # The marked function and the arguments of its call; None if it was made in another way.
    _made_by: tuple[Description, tuple, dict[str, Any]] | None = None

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
        self._subset = graph.subset

    # Batches.
    def __iter__(self) -> Iterator[Batch]:
        """Begins the next epoch and iterates over its batches."""
        return _Loop(self, self._core, self._structure, self._batch_steps)

    def batch_step(self, step: Callable[[Batch, BatchKey], Any]) -> Pipeline:
        """Adds a step that runs on each finished batch, in loops that begin later.

        Use it for steps that need several samples, such as :func:`sluice.mix_up`. Steps run in the order in which you
        add them, on the thread that iterates, one batch at a time.

        Parameters
        ----------
        step : callable
            Called as ``step(batch, key)``. It may change the columns in place. Its result is ignored. Draw random
            numbers only from ``key``, a :class:`BatchKey`. If it raises an exception, the loop raises it, and the
            batch is lost.

        Returns
        -------
        Pipeline
            This pipeline.
        """
        if not callable(step):
            raise _core.BuildError(f"batch_step() takes a function of a batch and its key, not {step!r}")
        self._batch_steps += (step,)
        return self

    def __len__(self) -> int:
        """Returns the number of batches in an epoch; raises TypeError if it is not known yet."""
        count = self._core.batches
        if count < 0:
            raise TypeError("how many batches there are shows when an epoch has ended")
        return count

    @property
    def samples(self) -> int | None:
        """The number of samples in an epoch; None if it is not known yet."""
        count = self._core.samples
        return None if count < 0 else count

    def _samples_of_dataset(self) -> int | None:
        """The number of samples of the dataset, or of its subset; None if it is not known yet."""
        if self._subset is not None:
            return self._subset
        count = self._core.dataset
        return self.samples if count > MOST_SAMPLES else count  # beyond: until the source ends

    @property
    def seed(self) -> int:
        """The seed of all random numbers and shuffles."""
        return self._options.get("seed") or 0

    @property
    def next_epoch(self) -> int:
        """The epoch that the next loop runs."""
        return self._core.next_epoch

    def reset(self, epoch: int = 0) -> None:
        """Makes the next loop run this epoch, from 0."""
        self._core.reset(_whole(epoch, "reset(): epoch"))

    def cancel(self) -> None:
        """Ends the current epoch. You can call it on any thread. The loop then ends normally."""
        self._core.cancel()

    def close(self) -> None:
        """Ends the current epoch and the threads, and waits for running steps.

        Raises Error if a function that the pipeline calls uses it.
        """
        self._core.close()

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._core.closed

    def __enter__(self) -> Pipeline:
        return self

    def __exit__(self, *_error: Any) -> None:
        self.close()

    def __reduce_ex__(self, _protocol: Any) -> Any:
        def refused(why: str) -> TypeError:
            return TypeError(
                f"{self!r} cannot be pickled or copied, because {why}; pickle the arguments of {self._name}() instead, and call "
                f"{self._name}() in the process that uses the pipeline"
            )

        if self._core.closed:
            raise refused("it is closed")
        if self._made_by is None:
            raise refused("it was not made by a call of a function that is marked with @sluice.pipeline")
        function, args, kwargs = self._made_by
        module, name = function.__module__, function.__qualname__
        if _named(module, name) is not function:
            raise refused(f"{name}() cannot be imported from {module}: define it at the top of a module")
        return _unpickled, (module, name, args, kwargs, self.state_dict(), self._batch_steps)

    # Checkpoints.
    def state_dict(self) -> dict[str, Any]:
        """Returns the position in the data as a dict that JSON can store.

        It continues after the last batch that the loop delivered. The size is about 300 bytes, plus 25 for each step.
        After ``break``, it still refers to that epoch until the next loop begins.
        """
        return {"checkpoint": self._core.checkpoint()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues from a state: the next loop begins with the first batch that was not delivered, bit for bit.

        A running loop ends with Error, also if the state is refused. Raises BuildError if the state belongs to another seed, device,
        dataset or program; the message names the difference. Batch size, threads and the number of shards may differ.
        """
        checkpoint = _checkpoint_of(state, "load_state_dict() takes the dict that state_dict() has given")
        old = self._core
        if not old.closed:  # a step that still runs could change an object that the description watches
            old.reset(old.next_epoch)
        self._build({**self._options, "resume": checkpoint})
        old.close(" by load_state_dict(): begin another loop")

    # Inspection.
    @property
    def stats(self) -> dict[str, Any]:
        """Counts, times and memory so far. All but ``epoch`` count from the time when the pipeline was made.

        Returns
        -------
        dict
            - ``text``: a summary to print.
            - ``epoch``, ``total``: counts of samples by outcome: ``delivered``, ``replaced``, ``skipped``,
              ``filtered``, ``failed``, ``cancelled``.
            - ``batches``, ``threads``, ``io_threads``: numbers of each.
            - ``consumer_seconds``: how long the loop waited for batches. ``batches_seconds``: how long the next
              batch waited for the loop.
            - ``bytes_in_use``: the CPU's memory of samples at work and of batches, including those that you hold;
              memory of a GPU and pinned memory are in ``text``.
              ``bytes_bound``: the most that the pipeline reserves, for samples and batches as large as those so far.
              It counts one batch in your hands. If you leave an epoch early, its unfinished batch counts when the next
              epoch begins.
            - ``steps``: a list of dicts with ``name``, ``path``, ``runs`` and ``seconds``, if ``profile`` is set.
              ``seconds`` is the sum over all threads.
            - ``branches``: how many samples took each branch. ``events``: counts of events of the steps.
            - ``sources``: files and bytes read. ``workers``: counts of worker processes.
        """
        return self._core.stats()

    def inspect(self, index: int, epoch: int = 0) -> dict[str, Any]:
        """Runs one sample on this thread and returns everything that it computes.

        Parameters
        ----------
        index : int
            The index of the sample in the dataset, from 0.
        epoch : int, default 0
            The epoch whose random numbers it gets.

        Returns
        -------
        dict
            ``values``: the values by the name of the step that makes them: a tuple if there are several, with None for
            each that was not computed. Also ``path``, ``dropped``, ``error`` and ``warnings``.
        """
        return _Inspected(
            self._core.inspect(_whole(index, "inspect(): index"), _whole(epoch, "inspect(): epoch"))
        )

    def explain(self) -> str:
        """Returns a text with the plan as described and after each pass."""
        return self._core.explain()

    def save(self, path: Any) -> None:
        """Writes the plan to a JSON file. The program (`sluice augment --pipeline`) and C++ programs can run it.

        Raises BuildError if a step is a Python function.
        """
        self._core.save(path)

    def graph(self) -> Drawing:
        """Returns a drawing of the plan. A notebook shows it if Graphviz is installed; ``str()`` is a text."""
        return Drawing(self._core.dot(), self._core.text())

    def show(self, n: int = 16, epoch: int = 0) -> Sheet:
        """Returns a sheet with the images of the first n samples. A notebook shows it.

        ``show(n).save('sheet.jpg')`` writes it to a file. Samples that fail are skipped. Raises Error if there are no
        samples or no output is an image.
        """
        _whole(n, "show(): n", 1)
        sibling = Pipeline(self._describe, {**self._options, "batch_size": n, "prefetch": 0,
                                            "on_error": "skip", "trace": None, "output_memory": None, "resume": None},
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


def _named(module: str, name: str) -> Any:
    """Returns the object of this qualified name in a module; None if there is none."""
    try:
        found: Any = importlib.import_module(module)
    except ImportError:
        return None
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _unpickled(module: str, name: str, args: tuple, kwargs: dict[str, Any], state: dict[str, Any], steps: tuple) -> Pipeline:
    function = _named(module, name)
    if not isinstance(function, Description):
        raise _core.BuildError(
            f"a pipeline was pickled that {module}.{name}() had made, and here that is {short(function)}; import the same module in "
            "both processes"
        )
    pipeline = function._make(tuple, args, kwargs, state)
    pipeline._batch_steps = steps
    return pipeline


class _Inspected(dict):
    """The result of inspect(). Its repr() shortens files, arrays and long lists."""

    def __repr__(self) -> str:
        return repr({key: _shortened(value) for key, value in self.items()})

    def __missing__(self, key: Any) -> Any:
        values = dict.get(self, "values", {})
        raise KeyError(f"{key}: it is in ['values']" if key in values else key)


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


def _meant(option: str, names: tuple[str, ...]) -> str:
    """Returns advice for an unknown option, to add to a message."""
    advice = _peers.OPTIONS.get(option)
    return f"; {_peers.instead(advice)}" if advice else near(option, names)


class Description(Generic[_P]):
    """A function that describes a pipeline. Calling it returns a Pipeline. See :func:`pipeline`."""

    __name__: str

    def __init__(self, function: Callable[_P, Any], options: PipelineOptions):
        unknown = [name for name in options if name not in OPTIONS]
        if unknown:
            known = "" if unknown[0] in _peers.OPTIONS else f"; it has {', '.join(OPTIONS)}"
            raise _core.BuildError(f"a pipeline has no option {unknown[0]!r}{known}{_meant(unknown[0], OPTIONS)}")
        functools.update_wrapper(self, function)
        self._function: Callable[..., Any] = rewrite(function)
        self._options = options
        self._signature = inspect.signature(function)

    # Python's types cannot add options to a ParamSpec. The last overload accepts calls that mix both.
    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, **options: Unpack[PipelineOptions]) -> Pipeline: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Pipeline: ...

    def __call__(self, *args: Any, **kwargs: Any) -> Pipeline:
        """Makes a Pipeline.

        The arguments are those of the function. Options passed in the call override the decorator's, unless the function
        has a parameter of that name.
        """
        try:
            return self.over(tuple, *args, **kwargs)
        except Exception as error:
            raise shortened(error)

    def over(self, source: Callable[[], tuple], *args: Any, **kwargs: Any) -> Pipeline:
        """Like a call, but the function gets the values that `source` describes as its first arguments."""
        return self._make(source, args, kwargs)

    def _make(self, source: Callable[[], tuple], args: tuple, kwargs: dict[str, Any], state: dict[str, Any] | None = None) -> Pipeline:
        """Makes a Pipeline. `state`: where it continues, in place of the option `resume`."""
        made_by = (self, args, dict(kwargs)) if source is tuple else None
        kwargs = dict(kwargs)
        options = dict(self._options)
        for name in list(kwargs):
            if name in OPTIONS and not self.has_parameter(name):
                options[name] = kwargs.pop(name)
        if state is not None:
            options["resume"] = state
        resume = options.get("resume")
        if isinstance(resume, str) and resume and not resume.lstrip().startswith("{"):
            raise _core.BuildError(f"resume takes what state_dict() returned, or its checkpoint, not a path (got {short(resume)})")
        if isinstance(resume, dict):
            options["resume"] = _checkpoint_of(options["resume"], "resume takes what state_dict() returned")
        if "seed" in options and options["seed"] is None:
            raise _core.BuildError(
                "seed must be a whole number (got None): a pipeline with an unknown seed cannot be repeated; "
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
                meant = _meant(unknown[0], (*self._signature.parameters, *OPTIONS)) if unknown else ""
                raise TypeError(f"{self.__name__}{self._signature}: {error}{meant}") from None
            return function(*values, *args, **kwargs)

        pipeline = Pipeline(describe, options, self._function.__name__)
        pipeline._made_by = made_by
        return pipeline

    def has_parameter(self, name: str) -> bool:
        """True if the function has a parameter of this name, which takes precedence over an option."""
        return name in self._signature.parameters

    def takes(self, name: str) -> bool:
        """True if the function takes an argument of this name that is not an option."""
        parameters = self._signature.parameters
        others = any(one.kind is one.VAR_KEYWORD for one in parameters.values())
        return name in parameters or (others and name not in OPTIONS)

    def option(self, name: str, given: dict[str, Any]) -> Any:
        """The value of an option in a call with these keyword arguments; None if it is not given."""
        if name in given and not self.has_parameter(name):
            return given[name]
        return self._options.get(name)

    def __iter__(self) -> Any:
        raise TypeError(
            f"{self.__name__} describes a pipeline, and calling it makes one: "
            f"for batch in {self.__name__}(...)"
        )

    @overload
    def __get__(self, instance: None, owner: Any = None) -> Description[_P]: ...
    @overload
    def __get__(self, instance: object, owner: Any = None) -> functools.partial[Pipeline]: ...

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        return self if instance is None else functools.partial(self, instance)


@overload
def pipeline(function: Callable[_P, Any], **options: Unpack[PipelineOptions]) -> Description[_P]: ...
@overload
def pipeline(function: None = None, **options: Unpack[PipelineOptions]) -> Callable[[Callable[_P, Any]], Description[_P]]: ...


@takes(PipelineOptions)
def pipeline(function: Callable[..., Any] | None = None, **options: Unpack[PipelineOptions]) -> Any:
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
    thread_pool : ThreadPool, optional
        In place of ``threads``: a number of threads that this pipeline shares with others.
    io_threads : int, default -1
        Number of additional threads that read files. -1 uses as many as ``threads``, and at least 4. With 0,
        the computing threads read.
    prefetch : int, default 2
        Number of batches to prepare while you use one.
    window : int, default 0
        The in-flight window: the largest number of samples in flight, at least ``batch_size``. 0 chooses it from
        ``batch_size``, ``prefetch`` and ``threads``.
    device : {'cpu', 'gpu'} or int, default 'cpu'
        The GPU for steps whose inputs ``value.gpu()`` has moved there: its number, or ``'gpu'`` for number 0.
    deliver_on_device : bool, default False
        If True, images and tensors are delivered in the memory of ``device``. Those that the CPU makes are
        copied from pinned memory. When you take a batch, the copies of the complete batches after it start, too.
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
    output_memory : BufferRing or list of BufferRing and None, optional
        Arrays of yours that batches are written into, for each output in the order of the columns; None uses the pipeline's
        own memory. For outputs of images and tensors that have one shape in a batch. If a batch does not fit, the loop raises
        Error, and the next batch follows. See :class:`sluice.BufferRing`.
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
