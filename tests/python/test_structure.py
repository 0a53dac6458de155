import collections
import dataclasses

import pytest

from sluice._structure import difference, flatten, places_of, rebuild

Pair = collections.namedtuple("Pair", "image label")


@dataclasses.dataclass(frozen=True)
class Boxes:
    corners: list
    labels: tuple


TABLE = [
    # value, leaves, places
    (7, [7], [""]),
    (None, [None], [""]),
    ("text", ["text"], [""]),
    ((1, 2), [1, 2], ["element 0", "element 1"]),
    ((), [], []),
    ([1, [2, 3]], [1, 2, 3], ["element 0", "element 1, element 0", "element 1, element 1"]),
    ({"a": 1, "b": (2,)}, [1, 2], ["'a'", "'b', element 0"]),
    (Pair(1, {"x": 2}), [1, 2], ["'image'", "'label', 'x'"]),
    (Boxes([1], (2, 3)), [1, 2, 3], ["'corners', element 0", "'labels', element 0", "'labels', element 1"]),
]


@pytest.mark.parametrize("value, leaves, places", TABLE)
def test_structures_are_taken_apart_and_put_together(value, leaves, places):
    found, shape = flatten(value)
    assert found == leaves
    assert places_of(shape) == places
    again = rebuild(shape, [leaf * 2 if isinstance(leaf, int) else leaf for leaf in found])
    assert type(again) is type(value)
    assert flatten(again)[0] == [leaf * 2 if isinstance(leaf, int) else leaf for leaf in leaves]
    assert flatten(value)[0] == leaves, "the original stays as it is"


def test_dicts_of_the_same_keys_are_alike_in_any_order():
    _, shape = flatten({"a": 1, "b": {"c": 2, "d": 3}})
    leaves, other = flatten({"b": {"d": 30, "c": 20}, "a": 10}, shape)
    assert leaves == [10, 20, 30]
    assert difference(shape, other) is None


DIFFERENCES = [
    ((1, 2), (1, 2, 3), "a tuple of 2 against a tuple of 3"),
    ((1, 2), [1, 2], "a tuple of 2 against a list of 2"),
    (1, (1,), "one value against a tuple of 1"),
    ({"a": 1}, {"b": 1}, "a dict with the key 'a' against a dict with the key 'b'"),
    ({"a": (1, 2)}, {"a": (1,)}, "at 'a', a tuple of 2 against a tuple of 1"),
    ((0, {"k": [1]}), (0, {"k": []}), "at element 1, 'k', a list of 1 against a list of 0"),
    (Pair(1, 2), (1, 2), "a Pair against a tuple of 2"),
]


@pytest.mark.parametrize("one, other, words", DIFFERENCES)
def test_differences_are_told(one, other, words):
    shape = flatten(one)[1]
    assert difference(shape, flatten(other, shape)[1]) == words


def test_a_structure_that_contains_itself_is_refused():
    endless = [1]
    endless.append(endless)
    with pytest.raises(ValueError, match="a list contains itself"):
        flatten(endless)


def test_one_part_may_stand_in_two_places():
    part = [1]
    assert flatten((part, part))[0] == [1, 1]
