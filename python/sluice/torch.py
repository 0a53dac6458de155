"""Sluice for PyTorch: a loader in place of DataLoader, and the operator that decodes a crop."""

from __future__ import annotations

import functools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator, Sequence

try:
    import torch
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("sluice.torch needs PyTorch: pip install torch", name="torch") from error

from . import _core
from ._batch import Array, Batch, Column
from ._pipeline import Description, Pipeline
from ._structure import flatten, rebuild


def _decoded(data: torch.Tensor, y: int, x: int, height: int, width: int) -> torch.Tensor:
    if data.dtype != torch.uint8 or data.dim() != 1 or data.device.type != "cpu":
        raise ValueError(
            "decode_and_crop_jpeg: data is a file's bytes, a tensor of uint8 with one dimension on the "
            f"CPU, not one of {data.dtype} with {data.dim()} on {data.device}"
        )
    file = data.contiguous().numpy()
    return torch.from_dlpack(_core.decode_and_crop_jpeg(file, y, x, height, width, "rgb", True))


@torch.library.custom_op("sluice::decode_and_crop_jpeg", mutates_args=())
def decode_and_crop_jpeg(
    data: torch.Tensor, y: int, x: int, height: int, width: int
) -> torch.Tensor:
    """A rectangle of a JPEG file: exactly the pixels that decoding all and cutting would give.

    Registered as ``torch.ops.sluice.decode_and_crop_jpeg``, with what torch.compile asks of it.

    Parameters
    ----------
    data : uint8 tensor of one dimension, on the CPU
        The file.
    y, x : int
        The upper left corner, in pixels.
    height, width : int
        Of the rectangle, which must lie inside the image.

    Returns
    -------
    uint8 tensor of height x width x 3
    """
    return _decoded(data, y, x, height, width)


@decode_and_crop_jpeg.register_fake
def _(data: torch.Tensor, y: int, x: int, height: int, width: int) -> torch.Tensor:
    return data.new_empty((height, width, 3))


@torch.library.custom_op("sluice::decode_and_crop_jpegs", mutates_args=())
def decode_and_crop_jpegs(
    data: list[torch.Tensor], regions: torch.Tensor, height: int, width: int, threads: int
) -> torch.Tensor:
    """Rectangles of the same size of several JPEG files, decoded on several threads.

    Parameters
    ----------
    data : list of uint8 tensors
        The files.
    regions : int tensor of n x 2
        The upper left corner (y, x) in each.
    height, width : int
        Of every rectangle.
    threads : int
        At most so many at once.

    Returns
    -------
    uint8 tensor of n x height x width x 3
    """
    if regions.shape != (len(data), 2):
        raise ValueError(
            f"decode_and_crop_jpegs: regions is {len(data)} x 2, not {tuple(regions.shape)}"
        )
    if regions.dtype == torch.bool or regions.is_floating_point() or regions.is_complex():
        raise ValueError(f"decode_and_crop_jpegs: regions has whole numbers, not {regions.dtype}")
    corners = regions.tolist()
    out = torch.empty((len(data), height, width, 3), dtype=torch.uint8)

    def decode(i: int) -> None:
        out[i] = _decoded(data[i], *corners[i], height, width)

    if threads <= 1 or len(data) <= 1:
        for i in range(len(data)):
            decode(i)
        return out
    with ThreadPoolExecutor(max_workers=threads) as pool:
        list(pool.map(decode, range(len(data))))
    return out


@decode_and_crop_jpegs.register_fake
def _(
    data: list[torch.Tensor], regions: torch.Tensor, height: int, width: int, threads: int
) -> torch.Tensor:
    return torch.empty((len(data), height, width, 3), dtype=torch.uint8)


def shard() -> tuple[int, int]:
    """This process's part: by torch.distributed where it is set up, else by the environment.

    Returns
    -------
    (index, count) : what ``shard=`` of a source takes
    """
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    index, count, _ = _core.rank_of_environment()
    return index, count


def to_torch(batch: Batch) -> Any:
    """The columns as tensors, in the structure of the batch, without a copy.

    Images of different shapes become a list of tensors; what is not a number stays as it is.
    """

    def convert(column: Any) -> Any:
        if isinstance(column, Column):
            if column.dense:
                return torch.from_dlpack(column)
            return [torch.from_dlpack(one) for one in column]
        return torch.from_dlpack(column) if isinstance(column, Array) else column

    return rebuild(batch.structure, [convert(one) for one in batch.columns])


# Arguments of DataLoader, with their equivalents here.
_OF_DATALOADER = {
    "num_workers": "threads=N of the pipeline; workers=N of a source whose samples Python makes",
    "shuffle": "shuffle=True of the source, sluice.files(folder, shuffle=True) say",
    "sampler": "shuffle, subset, weights, shard of the source",
    "batch_sampler": "batch_size of the pipeline, and the sampler options of the source",
    "pin_memory": "nothing: what the pipeline copies to a GPU is pinned by itself",
    "collate_fn": "what the function returns; `to_torch` makes tensors of it",
    "generator": "seed=N of the pipeline",
    "worker_init_fn": "__worker_init__(worker, workers) of the source's or step's object",
    "prefetch_factor": "prefetch=N of the pipeline, in batches",
    "persistent_workers": "nothing: threads and workers stay from epoch to epoch",
    "timeout": "stall_timeout=SECONDS of the pipeline",
    "multiprocessing_context": "nothing: worker processes are new ones of the same Python",
    "pin_memory_device": "nothing: what the pipeline copies to a GPU is pinned by itself",
    "in_order": "nothing: batches come in order",
}
# Values of the pipeline's own option `device`; PyTorch has no device with these names.
_OF_PIPELINE = ("gpu", "stand-in")


class Loader:
    """Drop-in replacement for `torch.utils.data.DataLoader`.

    ::

        loader = sluice.torch.Loader(train_pipeline, "photos/train", batch_size=256)
        for epoch in range(90):
            loader.set_epoch(epoch)
            for images, labels in loader:
                ...

    Parameters
    ----------
    describe : a function marked with @sluice.pipeline, or a Pipeline
    *args, **kwargs
        Its arguments, and options of the pipeline. If the function has a parameter of that name, it gets the
        argument, also ``device`` and ``drop_last``.
    device : torch device, optional
        Where tensors go; they stay where they are without it. ``'gpu'`` and ``'stand-in'`` are passed to
        the pipeline's own option `device`: its steps run there after ``.gpu()``.
    drop_last : bool
        A last batch that is not full is left out.

    Attributes
    ----------
    pipeline : Pipeline
    batch : Batch
        The one whose tensors came last, with its `errors`, `missing` and `keys`; None before the first.
    """

    def __init__(
        self,
        describe: Any,
        *args: Any,
        device: Any = None,
        drop_last: bool | None = None,
        **kwargs: Any,
    ):
        while isinstance(describe, functools.partial):  # such as a method
            args, kwargs = (*describe.args, *args), {**describe.keywords, **kwargs}
            describe = describe.func
        if isinstance(describe, Description):
            if device is not None and (describe.has_parameter("device") or device in _OF_PIPELINE):
                kwargs["device"], device = device, None
            if drop_last is not None and describe.has_parameter("drop_last"):
                kwargs["drop_last"], drop_last = drop_last, None
            for name in kwargs:
                if name in _OF_DATALOADER and not describe.takes(name):
                    raise _core.BuildError(f"Loader has no {name!r}; in its place: {_OF_DATALOADER[name]}")
            if drop_last is not None:
                if "last_batch" in kwargs:
                    raise _core.BuildError("Loader: drop_last and last_batch say the same; give one of them")
                kwargs["last_batch"] = "drop" if drop_last else "partial"
            self.pipeline = describe(*args, **kwargs)
        elif isinstance(describe, Pipeline):
            if args or kwargs or drop_last is not None or device in _OF_PIPELINE:
                raise _core.BuildError(
                    "a Pipeline has its options already: give them to the function that makes it"
                )
            self.pipeline = describe
        else:
            raise _core.BuildError(
                "Loader takes a function that is marked with @sluice.pipeline, or what it gives, not "
                f"{type(describe).__name__}"
            )
        self.device = None if device is None else _device(device)
        self.batch: Batch | None = None

    def __iter__(self) -> Iterator[Any]:
        for batch in self.pipeline:
            self.batch = batch
            given = to_torch(batch)
            yield given if self.device is None else _moved(given, self.device)

    def __len__(self) -> int:
        return len(self.pipeline)

    def set_epoch(self, epoch: int) -> None:
        """The next loop runs this epoch: its shuffle and its random numbers."""
        if epoch != self.pipeline.next_epoch:
            self.pipeline.reset(epoch)

    def state_dict(self) -> dict[str, Any]:
        return self.pipeline.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.pipeline.load_state_dict(state)

    def close(self) -> None:
        self.pipeline.close()


def _device(given: Any) -> torch.device:
    try:
        return torch.device(given)
    except (RuntimeError, TypeError) as error:
        raise _core.BuildError(
            f"Loader: device is where tensors go, 'cuda' or 'cuda:1' say, or 'gpu' as the pipeline's own option, not {given!r}"
        ) from error


def _moved(given: Any, device: Any) -> Any:
    leaves, shape = flatten(given)
    moved = [
        one.to(device, non_blocking=True) if isinstance(one, torch.Tensor) else one
        for one in leaves
    ]
    return rebuild(shape, moved)


__all__: Sequence[str] = (
    "Loader", "decode_and_crop_jpeg", "decode_and_crop_jpegs", "shard", "to_torch",
)
