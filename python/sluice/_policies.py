"""Policies of augmentations: apply_random and apply_policy, and the published lists and policies to start from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from . import _core, ops
from ._arguments import checked, near, short
from ._control import apply_if, choose, select
from ._describing import refusing
from ._graph import require_graph
from ._merge import graph_of
from ._value import Value, is_number

class Augmentation(NamedTuple):
    """An augmentation that :func:`apply_random` and :func:`apply_policy` choose from.

    Attributes
    ----------
    name : str
        Its name in errors, paths and policies.
    apply : callable
        Called as ``apply(value, magnitude)``, while the pipeline is described, where `magnitude` is a Value of f32. Returns
        the changed value, of the same structure and types. Mark a function that has an `if` or a loop on values with
        :func:`sluice.graph_function`.
    low, high : float, default 0.0
        The function's `magnitude` at the policy's magnitude 0, and at `bins` - 1.
    randomly_negate : bool, default False
        If True, `magnitude` gets a random sign.
    """

    name: str
    apply: Callable[[Any, Value], Any]
    low: float = 0.0
    high: float = 0.0
    randomly_negate: bool = False


class AugmentationStep(NamedTuple):
    """A step of a sub-policy of :class:`AugmentationPolicy`.

    Attributes
    ----------
    augmentation : str
        The name of the augmentation in the list.
    probability : float, default 1.0
        From 0 to 1.
    magnitude : int, default 0
        From 0 to bins - 1.
    """

    augmentation: str
    probability: float = 1.0
    magnitude: int = 0


class AugmentationPolicy(NamedTuple):
    """Short programs of augmentations, of which :func:`apply_policy` draws one for each sample.

    Attributes
    ----------
    sub_policies : list of list of AugmentationStep
        Each is a list of steps, which may also be tuples ``("rotate", 0.9, 3)``. An empty list changes nothing.
    bins : int, default 10
        The number of magnitudes.
    """

    sub_policies: Sequence[Sequence[AugmentationStep | tuple]]
    bins: int = 10


def _whole(user: str, name: str, x: Any, least: int, most: int | None = None) -> int:
    whole = hasattr(x, "__index__") and not isinstance(x, bool)
    if not whole or x < least or (most is not None and x > most):
        limit = f"from {least} on" if most is None else f"from {least} to {most}"
        raise _core.BuildError(f"{user}: {name} must be a whole number {limit} (got {short(x)})")
    return int(x)


def _augmentations(user: str, given: Any) -> list[Augmentation]:
    if isinstance(given, (str, dict)) or not isinstance(given, Iterable):
        raise _core.BuildError(f"{user}: augmentations must be a list of sluice.Augmentation (got {short(given)})")
    found = []
    for i, one in enumerate(given):
        if not isinstance(one, tuple) or not 2 <= len(one) <= len(Augmentation._fields):
            raise _core.BuildError(
                f"{user}: element {i} of augmentations must be sluice.Augmentation(name, apply, low, high) (got {short(one)})"
            )
        one = Augmentation(*one)
        if not isinstance(one.name, str) or not callable(one.apply):
            raise _core.BuildError(f"{user}: element {i} of augmentations must begin with a name and a function (got {short(one)})")
        for field in ("low", "high"):
            if not is_number(getattr(one, field)):
                raise _core.BuildError(f"{user}: {field} of {one.name!r} must be a number (got {short(getattr(one, field))})")
        if not isinstance(one.randomly_negate, bool):
            raise _core.BuildError(f"{user}: randomly_negate of {one.name!r} must be True or False (got {short(one.randomly_negate)})")
        if any(one.name == other.name for other in found):
            raise _core.BuildError(f"{user}: there are two augmentations of the name {one.name!r}; give each a name of its own")
        found.append(one)
    return found


def _magnitude(graph: Any, one: Augmentation, negative: Value, magnitude: Any, bins: int) -> Value:
    return graph.operator("magnitude", negative, magnitude, one.low, one.high, randomly_negate=one.randomly_negate, bins=bins)


def _graph_for(user: str, value: Any) -> Any:
    return graph_of(value) or require_graph(f"sluice.{user}()")


@refusing(_core.BuildError)
def apply_random(
    value: Any, augmentations: Iterable[Augmentation], *, n: int = 2, magnitude: int | Value = 9, bins: int = 31
) -> Any:
    """Applies n augmentations of a list, each drawn at random for each sample, as RandAugment does.

    Each step draws an augmentation, uniformly and with replacement, and a sign. Only the drawn augmentation runs. Its
    parameter is ``low + (high - low) * magnitude / (bins - 1)``.

    Parameters
    ----------
    value : structure
        The value to change, of any type: an image, or a tuple of an image and its boxes.
    augmentations : list of Augmentation
        :func:`rand_augment_list` returns one to start from.
    n : int, default 2
        The number of steps. 0 changes nothing.
    magnitude : int or Value, default 9
        From 0 to bins - 1.
    bins : int, default 31
        The number of magnitudes.

    Returns
    -------
    structure
        The changed value.

    Raises
    ------
    BuildError
        If a number is out of range, the list is wrong or empty, or an augmentation returns another structure or type.

    Examples
    --------
    >>> blur = sluice.Augmentation("blur", lambda image, sigma: ops.gaussian_blur(image, sigma=sigma), 0.1, 2)
    >>> image = sluice.apply_random(image, [*sluice.rand_augment_list(), blur])
    """
    graph = _graph_for("apply_random", value)
    every = _augmentations("apply_random", augmentations)
    _whole("apply_random", "n", n, 0)
    _whole("apply_random", "bins", bins, 1)
    if not isinstance(magnitude, Value):
        _whole("apply_random", "magnitude", magnitude, 0, bins - 1)
    if n > 0 and not every:
        raise _core.BuildError("apply_random: the list of augmentations is empty; give at least one, or n = 0")
    for _ in range(n):
        chosen, negative = graph.operator("draw", len(every))

        def branch(one: Augmentation, value: Any = value, negative: Value = negative) -> Callable[[], Any]:
            return lambda: one.apply(value, _magnitude(graph, one, negative, magnitude, bins))

        value = choose(graph, "apply_random", {one.name: branch(one) for one in every}, "number", chosen)
    return value


def _policy(every: list[Augmentation], policy: Any) -> tuple[list[list[AugmentationStep]], int]:
    names = [one.name for one in every]
    if not isinstance(policy, AugmentationPolicy):
        raise _core.BuildError(f"apply_policy: policy must be a sluice.AugmentationPolicy (got {short(policy)})")
    bins = _whole("apply_policy", "bins", policy.bins, 1)
    programs = []
    if not isinstance(policy.sub_policies, (list, tuple)) or not policy.sub_policies:
        raise _core.BuildError("apply_policy: the policy has no sub-policies; give a list of at least one")
    for i, steps in enumerate(policy.sub_policies, 1):
        place = f"sub-policy {i}"
        if not isinstance(steps, (list, tuple)) or not all(isinstance(one, tuple) and 1 <= len(one) <= 3 for one in steps):
            raise _core.BuildError(f"apply_policy: {place} must be a list of steps ('name', probability, magnitude) (got {short(steps)})")
        program = [AugmentationStep(*one) for one in steps]
        for step in program:
            if step.augmentation not in names:
                hint = near(step.augmentation, names) if isinstance(step.augmentation, str) else ""
                raise _core.BuildError(
                    f"apply_policy: {place}: there is no augmentation {step.augmentation!r}; there are {', '.join(map(repr, names))}{hint}"
                )
            if not is_number(step.probability) or not 0 <= step.probability <= 1:
                raise _core.BuildError(
                    f"apply_policy: {place}: the probability of {step.augmentation!r} must lie between 0 and 1 (got {short(step.probability)})"
                )
            _whole(f"apply_policy: {place}", f"the magnitude of {step.augmentation!r}", step.magnitude, 0, bins - 1)
        programs.append(program)
    return programs, bins


@refusing(_core.BuildError)
def apply_policy(value: Any, augmentations: Iterable[Augmentation], policy: AugmentationPolicy) -> Any:
    """Applies one of several short programs of augmentations, drawn for each sample, as AutoAugment does.

    Each sample draws a sub-policy, uniformly, and runs its steps in order, each with the step's probability. Only the drawn
    steps run.

    Parameters
    ----------
    value : structure
        The value to change, of any type.
    augmentations : list of Augmentation
        :func:`auto_augment_list` returns one to start from.
    policy : AugmentationPolicy
        The programs. :func:`auto_augment_policy` returns one to start from.

    Returns
    -------
    structure
        The changed value.

    Raises
    ------
    BuildError
        If a step names no augmentation of the list, a number is out of range, there are no sub-policies, or an augmentation
        returns another structure or type.

    Examples
    --------
    >>> policy = sluice.AugmentationPolicy([[("shear_x", 0.9, 4), ("invert", 0.2)], [("equalize", 0.6)], [("contrast", 1.0, 7)]])
    >>> image = sluice.apply_policy(image, sluice.auto_augment_list(), policy)
    """
    graph = _graph_for("apply_policy", value)
    every = _augmentations("apply_policy", augmentations)
    programs, bins = _policy(every, policy)
    by_name = {one.name: one for one in every}

    def changed(x: Any, step: AugmentationStep) -> Any:
        one = by_name[step.augmentation]
        if step.probability <= 0:
            return x

        def change(x: Any) -> Any:
            negative = graph.operator("coin_flip") if one.randomly_negate else graph.constant(False)
            return one.apply(x, _magnitude(graph, one, negative, step.magnitude, bins))

        if step.probability >= 1:
            return change(x)
        return apply_if(graph.operator("coin_flip", step.probability), x, change, one.name)

    def branch(steps: list[AugmentationStep]) -> Callable[[], Any]:
        def run() -> Any:
            x = value
            for step in steps:
                x = changed(x, step)
            return x

        return run

    chosen, _ = graph.operator("draw", len(programs))
    names = [" ".join([str(i), ", ".join(step.augmentation for step in steps)]).strip() for i, steps in enumerate(programs, 1)]
    return select(chosen, [branch(steps) for steps in programs], names, "apply_policy")


class _Listed:
    """An augmentation of one of the library's lists."""

    def __init__(self, arguments: tuple, place: int, name: str):
        self._arguments, self._place, self._name = arguments, place, name

    def __call__(self, image: Value, magnitude: Value) -> Value:
        graph, slot = ops._slot(image, self._name)
        if image.type != "image":
            raise _core.BuildError(f"{self._name} of {self._arguments[0]} takes an image (got {image!r})")
        of = _core.Description.AugmentationList(*self._arguments)
        return Value(graph, graph.core.augmented(of, self._place, slot, magnitude.slot))


def _listed(name: str, ranges: str, interpolation: str | None, fill: Any, excluded: Any) -> list[Augmentation]:
    arguments = (name, ranges, interpolation, ops._fill_values(fill, name), ops._names(excluded, name))
    items = _core.Description.AugmentationList(*arguments).items()
    return [Augmentation(one[0], _Listed(arguments, place, one[0]), *one[1:]) for place, one in enumerate(items)]


@checked(_core.BuildError)
def rand_augment_list(
    *,
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> list[Augmentation]:
    """Returns the 14 augmentations of RandAugment, to change and to pass to :func:`apply_random`.

    Parameters
    ----------
    ranges, interpolation, fill, excluded
        As in :func:`sluice.ops.rand_augment`.

    Raises
    ------
    BuildError
        If an argument is wrong, or `excluded` has a name that is not in the list.
    """
    return _listed("rand_augment_list", ranges, interpolation, fill, excluded)


@checked(_core.BuildError)
def trivial_augment_list(
    *,
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> list[Augmentation]:
    """Returns the 14 augmentations of TrivialAugmentWide, with its wide ranges. Parameters and errors are those of
    :func:`rand_augment_list`.
    """
    return _listed("trivial_augment_list", ranges, interpolation, fill, excluded)


@checked(_core.BuildError)
def auto_augment_list(
    *,
    ranges: str = "torchvision",
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> list[Augmentation]:
    """Returns the augmentations of AutoAugment, for :func:`apply_policy`. Parameters and errors are those of
    :func:`rand_augment_list`.
    """
    return _listed("auto_augment_list", ranges, interpolation, fill, excluded)


@checked(_core.BuildError)
def aug_mix_list(
    *,
    interpolation: str | None = None,
    fill: int | tuple[int, int, int] | None = None,
    excluded: tuple[str, ...] = (),
) -> list[Augmentation]:
    """Returns the augmentations of AugMix, for :func:`apply_random`.

    Parameters
    ----------
    interpolation, fill, excluded
        As in :func:`sluice.ops.aug_mix`.

    Raises
    ------
    BuildError
        As :func:`rand_augment_list`.
    """
    return _listed("aug_mix_list", "torchvision", interpolation, fill, excluded)


@checked(_core.BuildError)
def auto_augment_policy(policy: str = "imagenet", *, ranges: str = "torchvision") -> AugmentationPolicy:
    """Returns one of AutoAugment's policies, to change and to pass to :func:`apply_policy`.

    Parameters
    ----------
    policy : {'imagenet', 'cifar10', 'svhn'}, default 'imagenet'
        The dataset that the policy was found for.
    ranges : {'torchvision', 'dali'}, default 'torchvision'
        The library whose policy it is. Use the list with the same ranges.

    Raises
    ------
    BuildError
        If there is no such policy.
    """
    programs, bins = _core.Description.auto_augment_policy(policy, ranges)
    return AugmentationPolicy([[AugmentationStep(*step) for step in steps] for steps in programs], bins)
