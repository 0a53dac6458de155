"""The keyword arguments that several functions share: their names, types, texts and defaults.

A function takes them as ``**name: Unpack[SamplerOptions]``, so that editors complete them and type checkers check them. :func:`takes`
shows them in the function's signature.
"""

import functools
import inspect
import numbers
import os
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, TypedDict, TypeVar, cast, get_type_hints

from ._arguments import meant, near
from ._core import BufferRing, BuildError, ThreadPool
from ._describing import current_graph

MOST_SAMPLES = 2**62

_F = TypeVar("_F", bound=Callable[..., Any])


class _Array(Protocol):
    """An array of NumPy or PyTorch, for example."""

    def tolist(self) -> Any: ...


class _Drawing(TypedDict, total=False):
    subset: Sequence[int] | _Array | None
    replacement: bool
    weights: Sequence[float] | _Array | None
    draws: int | None


class SourceOptions(TypedDict, total=False):
    """Options of each source; see :class:`SamplerOptions`."""

    threads: int


class SamplerOptions(_Drawing, SourceOptions, total=False):
    """Options of a source that chooses its samples and their order.

    Parameters
    ----------
    shuffle : bool, default False
        If True, shuffle; each epoch has a different order. It depends only on the seed and the epoch.
    seed : int, optional
        The seed of the order. By default that of the pipeline.
    window : int, optional
        The shuffle buffer: no sample moves by this many places or more. By default there is no limit.
    shard : (index, count) or 'environment', optional
        The part of this process, such as (0, 4) for the first of four. 'environment' asks torchrun, Open MPI, MPICH,
        Intel MPI or Slurm. By default the process reads all samples.
    uneven : {'keep', 'repeat_last', 'wrap', 'drop'}, default 'keep'
        Some shards may be longer by one sample. 'repeat_last' and 'wrap' make the short ones repeat their last or first
        sample; 'drop' leaves out the last sample of the long ones.
    stick_to_shard : bool, default False
        If True, the process gets the same samples in each epoch. Otherwise shards rotate.
    subset : list of int, optional
        The indices of the samples to use, in this order. For a mask, pass ``numpy.flatnonzero(mask)``.
    replacement : bool, default False
        If True, draw samples with replacement.
    weights : list of float, optional
        One for each sample: draw with replacement, in proportion to them.
    draws : int, optional
        The number of draws of an epoch, for all processes together. By default as many as there are samples.
    order : callable, optional
        ``order(epoch)`` returns the indices of all samples of this epoch, for all processes together, as a list or an
        array. An index may occur more than once, and epochs may differ in length. The function must return the same for
        the same epoch. It is called when the pipeline is made and when an epoch begins. If it raises an exception, or
        returns an index that the dataset does not have, that raises Error. Of the other options, only `shard`, `uneven`
        and `threads` go with it. A state that was saved within an epoch has a hash of the epoch's indices: if they differ
        then, loading it raises BuildError.
    threads : int, default 0
        Threads that only call this source. 0 uses those of the pipeline.
    """

    shuffle: bool
    seed: int | None
    window: int | None
    shard: Sequence[int] | Literal["environment"] | None
    uneven: Literal["keep", "repeat_last", "wrap", "drop"]
    stick_to_shard: bool
    order: Callable[[int], Sequence[int] | _Array] | None


class _RunOptions(TypedDict, total=False):
    seed: int
    threads: int
    thread_pool: ThreadPool | None
    io_threads: int
    prefetch: int
    window: int
    deliver_on_device: bool
    max_device_bytes: int
    max_image_bytes: int
    decoder: Literal["exact", "any"]
    last_batch: Literal["partial", "drop", "fill"]
    compact: bool
    compose: bool
    on_error: Literal["fail", "skip", "replace"]
    max_errors: int | None
    max_error_rate: float
    stall_timeout: float
    profile: bool
    trace: str | os.PathLike[str] | None
    output_memory: BufferRing | Sequence[BufferRing | None] | None
    resume: dict[str, Any] | str | None


class PipelineOptions(_RunOptions, total=False):
    """Options of :func:`sluice.pipeline`, which explains them."""

    batch_size: int
    device: Literal["cpu", "gpu", "stand-in"] | int


class FolderOptions(_RunOptions, _Drawing, total=False):
    """Options of :class:`sluice.torch.ImageFolder` beside its own parameters: those of a pipeline and of :func:`sluice.files`."""

    allow_empty: bool


_SOURCE_DEFAULTS: SourceOptions = {"threads": 0}
_DRAWING_DEFAULTS: _Drawing = {"subset": None, "replacement": False, "weights": None, "draws": None}
_SAMPLER_DEFAULTS: SamplerOptions = {
    "shuffle": False, "seed": None, "window": None, "shard": None, "uneven": "keep", "stick_to_shard": False,
    **_DRAWING_DEFAULTS, "order": None, **_SOURCE_DEFAULTS,
}
_PIPELINE_DEFAULTS: PipelineOptions = {
    "batch_size": 1, "seed": 0, "threads": 0, "thread_pool": None, "io_threads": -1, "prefetch": 2, "window": 0, "device": "cpu",
    "deliver_on_device": False, "max_device_bytes": 0, "max_image_bytes": 2**29, "decoder": "exact", "last_batch": "partial",
    "compact": False, "compose": False, "on_error": "fail", "max_errors": None, "max_error_rate": 1.0, "stall_timeout": 0,
    "profile": False, "trace": None, "output_memory": None, "resume": None,
}
_FOLDER_DEFAULTS: dict[str, object] = {
    **{name: one for name, one in _PIPELINE_DEFAULTS.items() if name not in ("batch_size", "device")},
    **_DRAWING_DEFAULTS, "allow_empty": False,
}

#: The defaults of each kind of options, in the order of the documentation.
DEFAULTS: dict[Any, dict[str, Any]] = {
    SourceOptions: {**_SOURCE_DEFAULTS},
    SamplerOptions: {**_SAMPLER_DEFAULTS},
    PipelineOptions: {**_PIPELINE_DEFAULTS},
    FolderOptions: _FOLDER_DEFAULTS,
}


def takes(options: Any) -> Callable[[_F], _F]:
    """Decorates a function that takes ``**name: Unpack[options]``: its signature names each option, with its type and default."""

    def mark(function: _F) -> _F:
        signature, types = inspect.signature(function), get_type_hints(options)
        kinds = inspect.Parameter
        own = [one for one in signature.parameters.values() if one.kind is not kinds.VAR_KEYWORD]
        named = [kinds(name, kinds.KEYWORD_ONLY, default=one, annotation=types[name]) for name, one in DEFAULTS[options].items()]
        shown = signature.replace(parameters=own + named)
        call = _knowing(function, shown) if options is SamplerOptions else function
        setattr(call, "__signature__", shown)
        return call

    return mark


def _knowing(function: _F, signature: inspect.Signature) -> _F:
    """Returns a function of a source that raises BuildError for unknown options, with its own ones and those of the sampler."""
    user = f"sluice.{function.__name__}()"

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        names = list(signature.parameters)
        for name in kwargs:
            if name not in names:
                advice = meant(function.__name__, name, names) or near(name, names) or f"; it has {', '.join(names)}"
                raise BuildError(f"{user} has no option {name!r}{advice}")
        draws = kwargs.get("draws")
        if isinstance(draws, numbers.Integral) and draws > MOST_SAMPLES:  # the library takes 2**63 - 1 for an unknown number
            raise BuildError(f"{user}: draws must be a whole number up to 2**62 (got {draws})")
        made, graph = function(*args, **kwargs), current_graph()
        if graph is not None and kwargs.get("subset") is not None:
            graph.subset = len(kwargs["subset"])  # the same for all sources of a pipeline
        return made

    return cast(_F, call)


def parameters_of(options: Any) -> str:
    """Returns the section "Parameters" of the doc string of the options, to add to that of a function; "" without doc strings."""
    _, _, text = (options.__doc__ or "").partition("----------\n")
    return "\n" + text.rstrip() if text else ""
