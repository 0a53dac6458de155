"""Sluice for PyTorch: a replacement for DataLoader, and operators that decode a crop of a JPEG file."""

from __future__ import annotations

import functools
import inspect
import os
import types
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Iterator, Sequence, Unpack, overload

try:
    import torch
except ModuleNotFoundError as error:
    if error.name != "torch":  # a module that PyTorch imports
        raise
    raise ModuleNotFoundError("sluice.torch needs PyTorch: pip install torch", name="torch") from error

from . import _core, _peers, ops
from ._arguments import near
from ._batch import Array, Batch, Column, and_others
from ._options import FolderOptions, PipelineOptions, takes
from ._pipeline import OPTIONS, Description, Pipeline, pipeline
from ._readers import IMAGE_ENDINGS, image_folder
from ._structure import flatten, rebuild
from .sources import classes as _classes
from .transforms import BatchTransform, Compose, Transform, require_transforms


def _decoded(data: torch.Tensor, y: int, x: int, height: int, width: int) -> torch.Tensor:
    if data.dtype != torch.uint8 or data.dim() != 1 or data.device.type != "cpu":
        raise ValueError(
            "decode_and_crop_jpeg: data must be a file's bytes, a tensor of uint8 with one dimension on the "
            f"CPU (got one of {data.dtype} with {data.dim()} on {data.device})"
        )
    file = data.contiguous().numpy()
    return torch.from_dlpack(_core.decode_and_crop_jpeg(file, y, x, height, width, "rgb", True))


@torch.library.custom_op("sluice::decode_and_crop_jpeg", mutates_args=())
def decode_and_crop_jpeg(
    data: torch.Tensor, y: int, x: int, height: int, width: int
) -> torch.Tensor:
    """Decodes a rectangle of a JPEG file, without the rest of the image.

    The pixels are the same as those of a full decode. It is also ``torch.ops.sluice.decode_and_crop_jpeg``, and works
    with ``torch.compile``.

    Parameters
    ----------
    data : Tensor
        The content of the file: dtype uint8, one dimension, on the CPU.
    y, x : int
        The upper left corner of the rectangle, in pixels.
    height, width : int
        The size of the rectangle, in pixels. It must lie inside the image.

    Returns
    -------
    Tensor
        Shape (height, width, 3) and dtype uint8, in RGB.

    Raises
    ------
    ValueError
        If ``data`` is another tensor.
    JpegError
        If the data are not a JPEG file or are damaged, or if the rectangle is not inside the image.
    """
    return _decoded(data, y, x, height, width)


@decode_and_crop_jpeg.register_fake
def _(data: torch.Tensor, y: int, x: int, height: int, width: int) -> torch.Tensor:
    return data.new_empty((height, width, 3))


@torch.library.custom_op("sluice::decode_and_crop_jpegs", mutates_args=())
def decode_and_crop_jpegs(
    data: list[torch.Tensor], regions: torch.Tensor, height: int, width: int, threads: int
) -> torch.Tensor:
    """Decodes a rectangle of each of several JPEG files, on several threads. All have the same size.

    Parameters
    ----------
    data : list of n Tensors
        The files, as in :func:`decode_and_crop_jpeg`.
    regions : Tensor
        The upper left corners (y, x), in pixels: shape (n, 2), of integers.
    height, width : int
        The size of the rectangles, in pixels.
    threads : int
        The most threads to use.

    Returns
    -------
    Tensor
        Shape (n, height, width, 3) and dtype uint8, in RGB.

    Raises
    ------
    ValueError, JpegError
        As in :func:`decode_and_crop_jpeg`, and ValueError if ``regions`` has another shape or type.
    """
    if regions.shape != (len(data), 2):
        raise ValueError(
            f"decode_and_crop_jpegs: regions must be of shape {(len(data), 2)} (got {tuple(regions.shape)})"
        )
    if regions.dtype == torch.bool or regions.is_floating_point() or regions.is_complex():
        raise ValueError(f"decode_and_crop_jpegs: regions must be of whole numbers (got {regions.dtype})")
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
    """Returns the part of this process, for ``shard=`` of a source.

    It comes from torch.distributed if that is initialized, otherwise from the environment of torchrun, MPI or Slurm.

    Returns
    -------
    (index, count) : tuple of int
        The rank of the process and the number of processes; (0, 1) without a launcher.
    """
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        return torch.distributed.get_rank(), torch.distributed.get_world_size()
    index, count, _ = _core.rank_of_environment()
    return index, count


def to_torch(batch: Batch) -> Any:
    """Returns the columns of a batch as PyTorch tensors that share its memory, in the structure of the batch.

    Images and tensors of different shapes become a list of tensors. Lists, such as those of str, stay lists.
    """

    def convert(column: Any) -> Any:
        if isinstance(column, Column):
            if column.dense:
                return torch.from_dlpack(column)
            return _Ragged(torch.from_dlpack(one) for one in column)
        return torch.from_dlpack(column) if isinstance(column, Array) else column

    return rebuild(batch.structure, [convert(one) for one in batch.columns])


class _Ragged(list):
    """Tensors of different shapes. Its errors tell why it is not one tensor."""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and hasattr(torch.Tensor, name):
            shapes = list(dict.fromkeys(str(tuple(one.shape)) for one in self))
            raise AttributeError(
                f"the {len(self)} samples of this batch have different shapes, so they are a list of tensors, without {name!r}: "
                f"{and_others(shapes)}; resize or crop them to one size in the pipeline, or take them one by one"
            )
        raise AttributeError(f"a list of tensors has no {name!r}")


class _Tensors:
    """Iterates over the tensors of one epoch. A failed batch does not end it."""

    def __init__(self, loader: Loader):
        self._loader = loader
        self._batches = iter(loader.pipeline)

    def __iter__(self) -> _Tensors:
        return self

    def __next__(self) -> Any:
        loader = self._loader
        loader.batch = next(self._batches)
        given = to_torch(loader.batch)
        return given if loader.to is None else _moved(given, loader.to)


class _Samples:
    """What `Loader.dataset` returns. It has no items, because samples exist only while an epoch runs."""

    def __init__(self, loader: Loader):
        self._pipeline = loader.pipeline
        for name in ("classes", "class_to_idx"):
            if hasattr(loader, name):
                setattr(self, name, getattr(loader, name))

    def __len__(self) -> int:
        samples = self._pipeline._samples_of_dataset()
        if samples is None:
            raise TypeError("the number of samples is known after the first epoch")
        return samples


class Loader:
    """Drop-in replacement for `torch.utils.data.DataLoader`.

    Iterating runs the next epoch and delivers tensors in the structure that the function returns. They share the
    pipeline's memory. Images have the shape (samples, height, width, channels) and dtype uint8, unless the pipeline
    converts them. ``len(loader)`` is the number of batches.

    ::

        loader = sluice.torch.Loader(train_pipeline, "photos/train", batch_size=256, to="cuda")
        for epoch in range(90):
            loader.set_epoch(epoch)
            for images, labels in loader:
                ...

    Parameters
    ----------
    describe : function marked with @sluice.pipeline, or Pipeline
        The pipeline.
    *args, **kwargs
        Arguments of the function, and options of :func:`sluice.pipeline`, such as ``batch_size``. If the function has a
        parameter with the name of an option, the function gets the argument. This also holds for ``to`` and
        ``drop_last``.
    to : torch.device or str, optional
        The PyTorch device for all tensors, such as ``'cuda'``. By default they stay where the pipeline makes them. If
        Sluice can use that GPU, this also sets the pipeline's options ``device`` and ``deliver_on_device``: the pipeline
        copies images and tensors there, ahead of use. For a :class:`Pipeline`, the loader copies them itself, which is
        slower: give the Pipeline these options. ``device='cuda'`` and ``device=torch.device(...)`` are the same as ``to``;
        ``device='gpu'`` and ``device=0`` are the pipeline's option.
    drop_last : bool, optional
        True leaves out a last batch that is not full: the same as ``last_batch='drop'``.

    Attributes
    ----------
    pipeline : Pipeline
        The pipeline.
    batch : Batch or None
        The batch of the last tensors, with its ``errors``, ``missing`` and ``keys``; None before the first one.

    Notes
    -----
    A Loader can be pickled if its :class:`sluice.Pipeline` can, and without `batch`.

    Raises
    ------
    BuildError
        If an option is one of DataLoader that Loader does not have; the message says what to write instead. Also for a
        mistake in the pipeline.
    """

    @overload
    def __init__(self, describe: Pipeline, *, to: Any = None): ...
    @overload
    def __init__(
        self, describe: Any, *args: Any, to: Any = None, drop_last: bool | None = None, **options: Unpack[PipelineOptions]
    ): ...
    @overload
    def __init__(self, describe: Any, *args: Any, to: Any = None, drop_last: bool | None = None, **kwargs: Any): ...

    def __init__(
        self,
        describe: Any,
        *args: Any,
        to: Any = None,
        drop_last: bool | None = None,
        **kwargs: Any,
    ):
        while isinstance(describe, functools.partial):  # such as a method
            args, kwargs = (*describe.args, *args), {**describe.keywords, **kwargs}
            describe = describe.func
        is_own = isinstance(describe, Description) and describe.has_parameter("device")
        device = kwargs.pop("device") if not is_own and _is_of_pytorch(kwargs.get("device")) else None
        if isinstance(describe, Pipeline) and kwargs.get("device") == "cpu":
            device = kwargs.pop("device")  # its options are set, so PyTorch's is meant
        if isinstance(describe, Description):
            if to is not None and describe.has_parameter("to"):
                kwargs["to"], to = to, None
            if drop_last is not None and describe.has_parameter("drop_last"):
                kwargs["drop_last"], drop_last = drop_last, None
            for name in kwargs:
                if name in _peers.OPTIONS and not describe.takes(name):
                    raise _core.BuildError(f"Loader has no {name!r}; {_peers.instead(_peers.OPTIONS[name])}")
                meant = near(name, ("to", "drop_last"))
                if meant and name not in OPTIONS and not describe.takes(name):
                    raise _core.BuildError(f"Loader has no {name!r}{meant}")
            if drop_last is not None:
                if "last_batch" in kwargs:
                    raise _core.BuildError("Loader: drop_last and last_batch say the same; give one of them")
                kwargs["last_batch"] = "drop" if drop_last else "partial"
            self.to = _device(to, device, "Loader")
            self.pipeline = describe(*args, **_delivering(describe, kwargs, self.to))
        elif isinstance(describe, Pipeline):
            if args or kwargs or drop_last is not None:
                raise _core.BuildError(
                    "a Pipeline has its options already: give them to the function that makes it"
                )
            self.pipeline = describe
            self.to = _device(to, device, "Loader")
        else:
            raise _core.BuildError(
                "Loader takes a function that is marked with @sluice.pipeline, or what it gives, not "
                f"{type(describe).__name__}"
            )
        self.batch: Batch | None = None

    def __iter__(self) -> Iterator[Any]:
        return _Tensors(self)

    def __len__(self) -> int:
        return len(self.pipeline)

    @property
    def next_epoch(self) -> int:
        """The epoch that the next loop runs; after :meth:`load_state_dict`, the one that it continues."""
        return self.pipeline.next_epoch

    def set_epoch(self, epoch: int) -> None:
        """Makes the next loop run this epoch: its shuffle and its random numbers. Optional."""
        if epoch != self.next_epoch:
            self.pipeline.reset(epoch)

    @property
    def batch_size(self) -> int:
        """The number of samples of a full batch."""
        return self.pipeline._options.get("batch_size") or 1

    @property
    def drop_last(self) -> bool:
        """True if a last batch that is not full is left out."""
        return self.pipeline._options.get("last_batch") == "drop"

    @property
    def dataset(self) -> Any:
        """For programs that use ``len(loader.dataset)`` or the classes of an ImageFolder.

        The length is that of the whole dataset, or of its ``subset``: ``drop_last``, ``shard`` and ``draws`` do not change it.
        """
        return _Samples(self)

    @property
    def sampler(self) -> Any:
        """For programs that call ``loader.sampler.set_epoch(epoch)``: this loader."""
        return self

    @property
    def batch_sampler(self) -> Any:
        """For Lightning, which calls ``batch_sampler.sampler.set_epoch(epoch)`` before each epoch."""
        return types.SimpleNamespace(sampler=self)

    def state_dict(self) -> dict[str, Any]:
        """Returns the position in the data; see :meth:`sluice.Pipeline.state_dict`."""
        return self.pipeline.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continues from a state; see :meth:`sluice.Pipeline.load_state_dict`."""
        self.pipeline.load_state_dict(state)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "batch": None}  # it shares memory with the pipeline

    def close(self) -> None:
        """Ends the pipeline and its threads."""
        self.pipeline.close()


#: What to write for options of DataLoader and torchvision's ImageFolder.
_FOLDER_OPTIONS = {
    "num_workers": "threads=N; by default all CPUs", "sampler": "shuffle, subset, weights or shard",
    "loader": "leave it out: files are decoded by this class", "collate_fn": "batch_transform, or a function marked with @sluice.pipeline",
    "target_transform": "sluice.map in a function marked with @sluice.pipeline", "is_valid_file": "endings, or subset",
    "window": "window of sluice.files in a function marked with @sluice.pipeline",
}


@pipeline()
def _augmented(root: Any, transform: Any, labels: int | None, apply_orientation: bool, reader: dict[str, Any]) -> Any:
    image, label = image_folder(root, apply_orientation=apply_orientation, **reader)
    # Files are decoded to 3 channels.
    image = transform._of_value(image, channels=3) if isinstance(transform, Transform) else transform(image)
    return image, label if labels is None else ops.one_hot(label, classes=labels)


class ImageFolder(Loader):
    """Loads batches of augmented images and labels from a folder of classes: torchvision's ImageFolder and DataLoader in one.

    ::

        from sluice import transforms as T

        transform = T.Compose([T.RandomResizedCrop(224), T.RandomHorizontalFlip(), T.ToTensor()])
        for images, labels in sluice.torch.ImageFolder("train", transform, batch_size=256, shuffle=True, to="cuda"):
            ...

    Images are decoded by the threads of this process. Without a transform they have the shape (height, width, channels)
    and dtype uint8. Images of different sizes become a list of tensors.

    Parameters
    ----------
    root : path
        The folder. Each folder in it is a class. JPEG, PNG, WebP and GIF files are read; a LeftOutWarning counts others.
    transform : transform, or function of a Value, optional
        A transform of :mod:`sluice.transforms`, or a function that adds operators of :mod:`sluice.ops` to an image. Those
        of torchvision itself do not work here.
    batch_size : int, default 1
        The number of images of a batch.
    shuffle : bool, default False
        If True, shuffles in each epoch. The order depends only on the seed and the epoch.
    to : torch.device or str, optional
        The PyTorch device of the tensors, such as 'cuda'. Batches are copied there ahead of use. With ``batch_transform``,
        each batch is copied when the loop takes it. ``device`` is another name for it.
    batch_transform : MixUp, CutMix, or RandomChoice of both, optional
        Changes each batch. Labels then are vectors of probabilities, of dtype float32.
    drop_last : bool, default False
        If True, leaves out a last batch that is not full.
    shard : (index, count) or 'environment', optional
        The part of this process; see :func:`sluice.files`. For DistributedDataParallel, pass :func:`shard`.
    uneven : {'keep', 'repeat_last', 'wrap', 'drop'}, default 'wrap'
        How to treat parts of different length. Only used with ``shard``. 'wrap' repeats samples, as DistributedSampler does.
    classes : list of str, optional
        The names of the classes in the order of their labels. For validation, pass the ``classes`` of the training data.
    endings : list of str, optional
        The file name endings to read. By default :data:`IMAGE_ENDINGS`.
    apply_orientation : bool, default True
        If True, applies the EXIF orientation of JPEG files. torchvision's ImageFolder ignores it.
    index : 'memory', path or None, default 'memory'
        The JPEG index, see :func:`sluice.files`. 'memory' learns in the first epoch where in each file the rows of the
        image begin, so that later epochs decode random crops faster. It takes up to 1 GiB of memory. The pixels are
        the same without an index.
    **options
        Options of :func:`sluice.pipeline`, such as ``seed``, ``threads``, ``prefetch`` and ``on_error``; and ``subset``,
        ``weights``, ``replacement``, ``draws`` and ``allow_empty`` of :func:`sluice.files`.

    Attributes
    ----------
    batch, pipeline
        As for :class:`Loader`: ``loader.batch.errors`` lists the files that could not be used.
    classes : list of str
        The names of the classes, by label.
    class_to_idx : dict
        The label of each class.
    """

    def __repr__(self) -> str:
        return f"<ImageFolder of {len(self.classes)} classes: {len(self)} batches in an epoch>"

    @takes(FolderOptions)
    def __init__(
        self,
        root: Any,
        transform: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        to: Any = None,
        *,
        device: Any = None,
        batch_transform: Any = None,
        drop_last: bool = False,
        shard: Any = None,
        uneven: str = "wrap",
        classes: Sequence[str] | None = None,
        endings: Sequence[str] | None = None,
        apply_orientation: bool = True,
        index: Any = "memory",
        **options: Unpack[FolderOptions],
    ):
        if isinstance(transform, (list, tuple)):
            transform = Compose(transform)
        elif transform is not None:
            require_transforms([transform], "ImageFolder")
        if batch_transform is not None and not isinstance(batch_transform, BatchTransform):
            raise _core.BuildError(f"ImageFolder: batch_transform must be MixUp, CutMix or another BatchTransform of sluice.transforms (got {batch_transform!r})")
        endings = IMAGE_ENDINGS if endings is None else [endings] if isinstance(endings, str) else list(endings)
        found = _classes(root, endings=list(endings))
        if isinstance(classes, str):
            raise _core.BuildError(f"ImageFolder: classes must be a list of str (got {classes!r})")
        self.classes = found if classes is None else list(classes)
        if not self.classes:
            raise _core.BuildError(f"ImageFolder: {os.fspath(root)!r} has no folders of classes; sluice.files reads a folder without")
        stray = [one.name for one in os.scandir(root) if one.is_file() and one.name.lower().endswith(tuple(one_ending.lower() for one_ending in endings))]
        if stray:
            raise _core.BuildError(f"ImageFolder: {sorted(stray)[0]!r} is beside the folders of classes; move it into one, or away")
        self.class_to_idx = {name: label for label, name in enumerate(self.classes)}
        labels = None
        if batch_transform is not None:
            labels = len(self.classes) if batch_transform.num_classes is None else batch_transform.num_classes
            if labels < len(self.classes):
                raise _core.BuildError(f"ImageFolder: num_classes of batch_transform is {labels}, but there are {len(self.classes)} classes")
            options.setdefault("deliver_on_device", False)  # it changes batches in host memory
        reader = {name: options.pop(name) for name in ("subset", "weights", "replacement", "draws", "allow_empty") if name in options}
        reader.update(shuffle=shuffle, classes=classes, endings=list(endings), shard=shard, uneven=uneven, index=index)
        for name in options:
            if name not in OPTIONS:
                advice = _FOLDER_OPTIONS.get(name) or _peers.OPTIONS.get(name)
                known = (*inspect.signature(ImageFolder).parameters, *OPTIONS)
                what_to_do = f"; {_peers.instead(advice)}" if advice else near(name, known)
                raise _core.BuildError(f"ImageFolder has no {name!r}{what_to_do}")
        super().__init__(
            _augmented, root, transform or _unchanged, labels, apply_orientation, reader,
            to=_device(to, device, "ImageFolder"), drop_last=True if drop_last else None,
            batch_size=batch_size, **options,
        )
        if batch_transform is not None:
            self.pipeline.batch_step(batch_transform)


def _unchanged(image: Any) -> Any:
    return image


def _device(to: Any, device: Any, user: str) -> torch.device | None:
    """The device that `to` or `device` names, which are the same; None if neither is given."""
    if to is not None and device is not None:
        raise _core.BuildError(f"{user}: to and device are the same; pass one of them")
    given = device if to is None else to
    if given is None:
        return None
    try:
        found = torch.device(given)
    except (OverflowError, RuntimeError, TypeError, ValueError) as error:
        raise _core.BuildError(f"{user}: to must be a device of PyTorch, such as 'cuda:1' (got {given!r})") from error
    if found.type == "cuda" and found.index is None and torch.cuda.is_available():
        return torch.device("cuda", torch.cuda.current_device())
    return found


def _is_of_pytorch(device: Any) -> bool:
    """True for a device of PyTorch; False for the pipeline's option of the same name."""
    if not isinstance(device, str):
        return isinstance(device, torch.device)
    try:
        return device not in ("cpu", "gpu", "stand-in") and torch.device(device) is not None
    except RuntimeError:
        return False


def _delivering(describe: Description, options: dict[str, Any], to: torch.device | None) -> dict[str, Any]:
    """Makes the pipeline copy its batches to the device, if Sluice can use that GPU."""
    if to is None or to.type != "cuda" or to.index is None or not _core.has_gpu(to.index):
        return options
    if describe.has_parameter("device") or describe.has_parameter("deliver_on_device"):
        return options  # the call passes these to the function
    if describe.option("deliver_on_device", options) is False:
        return options
    device = describe.option("device", options)
    own = {"gpu": 0, "cpu": None}.get(device, device)
    if own not in (None, to.index):
        raise _core.BuildError(f"Loader: to is {str(to)!r}, but device is {device!r}; pass the same GPU, or leave out one of them")
    return {**options, "device": to.index, "deliver_on_device": True}


def _moved(given: Any, device: torch.device) -> Any:
    def moved(leaf: Any) -> Any:
        if isinstance(leaf, _Ragged):
            return _Ragged(_on(device, one) for one in leaf)
        return _on(device, leaf) if isinstance(leaf, torch.Tensor) else leaf

    leaves, shape = flatten(given)
    return rebuild(shape, [moved(one) for one in leaves])


def _on(device: torch.device, tensor: torch.Tensor) -> torch.Tensor:
    if device.type != "cuda" or tensor.device.type != "cpu":
        return tensor.to(device, non_blocking=True)
    if tensor.is_pinned():
        return tensor.to(device)  # waits for the copy, because the pipeline may reuse this memory
    return tensor.pin_memory().to(device, non_blocking=True)  # a copy from other memory would block this thread


__all__: Sequence[str] = (
    "IMAGE_ENDINGS", "ImageFolder", "Loader", "decode_and_crop_jpeg", "decode_and_crop_jpegs", "shard", "to_torch",
)
