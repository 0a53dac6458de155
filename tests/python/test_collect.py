"""Lists that loops collect: by a comprehension over range(), and by for_loop_collect. O3, O4 and O9 of the conformance list."""

import dataclasses

import numpy
import pytest

import sluice
from sluice import ops

COUNTS = [3, 0, 1, -2, 5]


def lists(describe, **options):
    """What a pipeline over COUNTS gives, sample by sample."""
    pipe = sluice.pipeline(batch_size=2, **options)(describe)()
    return [one for (column,) in pipe for one in column]


def numbers():
    return sluice.source(COUNTS, returns="i64")


def by_count(n):
    return [n * i for i in range(n)]


def from_start(n):
    return [i for i in range(1, n)]


def by_step(n):
    return [i + n for i in range(0, n, 2)]


def backwards(n):
    return [i for i in range(n, 0, -2)]


def a_step_of_each_sample(n):
    return [i for i in range(0, 6, n + 3)]


def a_constant(n):
    return [7 for _ in range(n)]


def with_a_choice(n):
    return [i * 10 if i % 2 == 0 else n for i in range(n)]


def with_and(n):
    return [1 if i > 0 and n > 3 else 0 for i in range(n)]


def what_is_outside_changes(n):
    k = n + 1
    if n > 2:
        k = n * 2
    return [i + k for i in range(n)]


def the_name_of_the_outside(n):
    i = n * 100
    found = [i + 1 for i in range(n)]
    return [i + k for k in range(n)] if n < 0 else found


def in_a_branch(n):
    if n > 1:
        found = [n + i for i in range(n)]
    else:
        found = [n for i in range(n * 0 + 1)]
    return found


def in_a_loop(n):
    found = [0 for _ in range(n)]
    k = 0
    while k < n:
        found = [i + k for i in range(k + 1)]
        k = k + 1
    return found


def a_loop_inside(n):
    def total(i):
        s = 0
        for k in range(i):
            s = s + k
        return s

    return [total(i) for i in range(n)]


def called(n):
    @sluice.graph_function
    def squares(m):
        return [i * i for i in range(m)]

    return squares(n + 1)


PROGRAMS = [
    by_count, from_start, by_step, backwards, a_step_of_each_sample, a_constant, with_a_choice, with_and,
    what_is_outside_changes, the_name_of_the_outside, in_a_branch, in_a_loop, a_loop_inside, called,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("threads", [1, 2])
def test_a_comprehension_is_what_python_makes_of_it(program, threads):
    def describe():
        return sluice.graph_function(program)(numbers())

    counts = [n for n in COUNTS if program is not a_step_of_each_sample or n + 3 != 0]
    assert counts == COUNTS
    assert lists(describe, threads=threads) == [program(n) for n in COUNTS]


def test_plain_numbers_keep_pythons_meaning():
    def plain(n):
        shifted = [k + 1 for k in range(3)]
        nested = [[n + j for j in range(2)] for i in range(2)]
        chosen = [k for k in range(5) if k % 2 == 0]
        pairs = {k: j for k in range(2) for j in range(2)}
        total = sum(k for k in range(4))
        walrus = [(last := k) for k in range(3)]
        return n + shifted[2] + nested[1][1] + chosen[-1] + pairs[1] + total + walrus[0] + last

    def describe():
        value = sluice.graph_function(plain)(numbers())
        assert isinstance(value, sluice.Value)
        return value

    assert lists(describe) == [plain(n) for n in COUNTS]


def test_a_range_of_ones_own_is_left_alone():
    def own(n):
        range = lambda x: [x, x + 1]  # noqa: A001, E731
        return [x * 2 for x in range(n)]

    def describe():
        return tuple(sluice.graph_function(own)(numbers()))

    pipe = sluice.pipeline(batch_size=len(COUNTS))(describe)()
    assert [column.tolist() for column in next(iter(pipe))] == [[n * 2 for n in COUNTS], [n * 2 + 2 for n in COUNTS]]


def test_images_are_collected(folder):

    @sluice.graph_function
    def views(n):
        jpeg, _ = sluice.files(folder)
        image = ops.decode_jpeg(jpeg)
        small = ops.resize(image, width=16, height=12)
        return [ops.rotate(small, i * 30.0) for i in range(n)]

    @sluice.pipeline(batch_size=4)
    def several():
        return views(sluice.constant(3)), views(sluice.constant(0))

    @sluice.pipeline(batch_size=4)
    def one_by_one():
        return tuple(views(3))

    for made, single in zip(several(), one_by_one(), strict=True):
        for sample, (shown, none) in enumerate(zip(*made)):
            assert none == []
            assert len(shown) == 3
            for at, output in enumerate(shown):
                numpy.testing.assert_array_equal(output, numpy.asarray(single[at])[sample])


# Calls.


def test_state_and_list_by_call():
    def describe():
        n = numbers()
        last, each = sluice.for_loop_collect(n, 1, lambda i, s: (s * 2, s + i))
        assert each.type == "list of i64"
        return last, each, sluice.for_loop_collect(n, 1, lambda i, s: (s * 2, s + i), reverse=True)[1]

    def plain(n):
        s, each = 1, []
        for i in range(n):
            each.append(s + i)
            s *= 2
        return s, each

    pipe = sluice.pipeline(batch_size=len(COUNTS))(describe)()
    last, each, reversed_ = next(iter(pipe))
    assert last.tolist() == [plain(n)[0] for n in COUNTS]
    assert list(each) == [plain(n)[1] for n in COUNTS]
    assert list(reversed_) == [plain(n)[1][::-1] for n in COUNTS]
    assert [sluice.for_loop_collect(n, 1, lambda i, s: (s * 2, s + i)) for n in COUNTS] == [plain(n) for n in COUNTS]


@dataclasses.dataclass
class Pair:
    number: object
    text: object


def test_each_part_of_a_structure_has_its_list():
    def body(i, a, b):
        return (b, a + b), {"a": a, "pair": Pair(b * 0.5, "x")}

    def describe():
        n = numbers()
        state, kept = sluice.for_loop_collect(n, (0, 1), body)
        return *state, kept["a"], kept["pair"].number, kept["pair"].text

    pipe = sluice.pipeline(batch_size=len(COUNTS))(describe)()
    got = [list(column) for column in next(iter(pipe))]
    for at, n in enumerate(COUNTS):
        a, b, kept = 0, 1, []
        for _ in range(n):
            kept.append((a, b * 0.5, "x"))
            a, b = b, a + b
        assert (got[0][at], got[1][at]) == (a, b)
        assert [list(got[k][at]) for k in (2, 3, 4)] == [[one[k] for one in kept] for k in range(3)]


def test_plain_structures_without_a_pipeline():
    state, kept = sluice.for_loop_collect(3, 0, lambda i, s: (s + i, (i, str(i))), reverse=True)
    assert (state, kept) == (3, ([2, 1, 0], ["2", "1", "0"]))
    assert sluice.for_loop_collect(0, 5, lambda i, s: (s, i)) == (5, [])


def test_types_that_are_known_late():
    """The state begins as a whole number and becomes a fraction, also in a loop around it."""

    def describe():
        n = numbers()

        def outer(i, total):
            last, each = sluice.for_loop_collect(2, total, lambda k, s: (s + k * 0.5, s))
            assert each.type in ("list of i64", "list of f32")
            return last

        return sluice.for_loop(n, 0, outer)

    assert lists(describe) == [max(n, 0) * 0.5 for n in COUNTS]


def test_a_list_goes_to_a_function_and_through_an_operator(folder):
    @sluice.pipeline(batch_size=4)
    def mean_of_views():
        jpeg, _ = sluice.files(folder)
        image = ops.resize(ops.decode_jpeg(jpeg), width=8, height=8)
        _, views = sluice.for_loop_collect(3, image, lambda i, image: (ops.flip(image, horizontal=True), image))
        _, weights = sluice.for_loop_collect(3, (), lambda i: ((), ops.uniform(0.0, 0.0) + (i == 1).cast("f32")))
        mixed = ops.weighted_sum(views, weights)
        counted = sluice.map(lambda views: len(views), views, returns="i64")
        return mixed, ops.flip(image, horizontal=True), counted

    for mixed, flipped, counted in mean_of_views():
        numpy.testing.assert_array_equal(numpy.asarray(mixed), numpy.asarray(flipped))
        assert counted.tolist() == [3] * len(counted.tolist())


def test_elements_by_number(folder):
    @sluice.graph_function
    def program(n):
        squares = [i * i for i in range(n + 3)]
        return squares[0], squares[n + 2], squares[(n + 2).cast("u8")], squares[numpy.int32(1)]

    def describe():
        return program(numbers())

    pipe = sluice.pipeline(batch_size=len(COUNTS), on_error="skip")(describe)()
    batch = next(iter(pipe))
    good = [n for n in COUNTS if n + 3 > 1]
    assert [column.tolist() for column in batch] == [
        [0] * len(good), [(n + 2) ** 2 for n in good], [(n + 2) ** 2 for n in good], [1] * len(good)
    ]  # fmt: skip
    assert "there is no element 1 in a list that has 1" in str(batch.errors)


@pytest.mark.parametrize("key", [-1, 0.5, True, slice(0, 2), "x", None, "a fraction of each sample"], ids=repr)
def test_indices_that_no_list_has(key):
    def describe():
        n = numbers()
        found = sluice.for_loop_collect(n, 0, lambda i, s: (s, i))[1]
        return found[n * 0.5 if key == "a fraction of each sample" else key]

    with pytest.raises(IndexError, match="is indexed with .*; give a whole number from 0 on, which may be a Value"):
        lists(describe)


def test_a_failing_iteration_costs_its_sample():
    def describe():
        n = numbers()
        return sluice.for_loop_collect(n, 0, lambda i, s: (s, i), max_iterations=4)[1]

    pipe = sluice.pipeline(batch_size=5, on_error="skip")(describe)()
    (column,) = batch = next(iter(pipe))
    assert list(column) == [[0, 1, 2], [], [0], []]
    assert "for_loop_collect" in str(batch.errors[0])


class Types:
    def __init__(self):
        self._cache = iter(["i8", "i16"] * 100)  # a cache is not watched

    def next(self):
        return next(self._cache)


def changes_type(n):
    types = Types()
    return sluice.for_loop_collect(n, 0, lambda i, s: (s, i.cast(types.next())))


def with_if(n):
    return [i for i in range(n) if i > 1]


def with_two(n):
    return [i + k for i in range(n) for k in range(2)]


def as_set(n):
    return {i for i in range(n)}


def as_generator(n):
    return sum(i for i in range(n))


def with_walrus(n):
    return [(k := i) for i in range(n)], k


def of_pairs(n):
    return [(i, n) for i in range(n)]


def of_lists(n):
    return [[k for k in range(i)] for i in range(n)]


def of_bools(n):
    return [i > 1 for i in range(n)]


def of_nothing(n):
    return [None for i in range(n)]


def of_fractions(n):
    return [i for i in range(n * 0.5)]


WRONG = [
    (lambda n: sluice.for_loop_collect(n, 0, lambda i, s: s), "gives a Value of type i64; give two things: the next state, and what"),
    (lambda n: sluice.for_loop_collect(n, 0, lambda i, s: (s, None)), "`for_loop_collect` cannot keep None: "),
    (lambda n: sluice.for_loop_collect(n, 0, lambda i, s: (s, i > 0)), "cannot keep a Value of type bool; cast it, as in x.cast('u8')"),
    (lambda n: sluice.for_loop_collect(n * 0.5, 0, lambda i, s: (s, i)), "the count of `for_loop_collect` is a Value of type f32; give"),
    (lambda n: sluice.for_loop_collect(0.5, 0, lambda i, s: (s, i)), "the count of `for_loop_collect` is 0.5; give a whole number"),
    (lambda n: sluice.for_loop_collect(n, 0, lambda i, s: (s, i), max_iterations=-1), "max_iterations of `for_loop_collect` is -1"),
    (changes_type, "each time `for_loop_collect` is described, its body gives values of other types to keep; give the same"),
    (with_if, "without `if` and `:=`; write a loop for anything else"),
    (with_two, "with one `for` of one name"),
    (as_set, "a comprehension over range() of a Value of type i64"),
    (as_generator, "a comprehension over range() of a Value of type i64"),
    (with_walrus, "without `if` and `:=`"),
    (of_pairs, "an element of this list is a tuple; make a list of each part, or call sluice.for_loop_collect, which does"),
    (of_lists, "cannot keep a Value of type list of i64; keep numbers, texts, bytes, images, tensors or rectangles"),
    (of_bools, "cannot keep a Value of type bool"),
    (of_nothing, "cannot keep None"),
    (of_fractions, "range() is given a Value of type f32; give whole numbers"),
]


@pytest.mark.parametrize("program, words", WRONG, ids=[words[:40] for _, words in WRONG])
def test_wrong_programs(program, words):
    taken = []

    def describe():
        n = numbers()
        try:
            sluice.graph_function(program)(n) if program.__name__ != "<lambda>" else program(n)
        except sluice.BuildError as error:
            taken.append(error)
        return n + 1  # the graph stays usable, but the description is refused

    with pytest.raises(sluice.BuildError) as caught:
        lists(describe)
    assert words in str(caught.value)
    assert taken == [caught.value]
    if program.__name__ not in ("<lambda>", "changes_type"):
        assert f"{__file__}:{program.__code__.co_firstlineno + 1}: " in str(caught.value)
