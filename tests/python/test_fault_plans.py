"""Random pipelines under random faults: steps and sources that raise or take long, workers that die, files that are damaged, and
loops that are cancelled or left. Each sample is delivered as plain Python computes it, or ends once with the fault's error. The
next epoch is whole, and no thread, process or file descriptor is left.

  SLUICE_PYTHON_PLANS=10000   the number of programs to try instead of 240
  SLUICE_RANDOM_SEED=5       the first seed; a failure prints its seed
"""

import faulthandler
import functools
import gc
import os
import pathlib
import random
import re
import shutil
import tempfile
import threading

import faults
import numpy
import pytest
from conftest import draw, tried
from fake_graph import function_of
from test_rewrite_property import Writer

import sluice
from sluice import ops

FIRST = int(os.environ.get("SLUICE_RANDOM_SEED", "1"))
PROGRAMS = int(os.environ.get("SLUICE_PYTHON_PLANS", "240"))
SOURCES = ["list", "memory", "dataset", "groups", "until end", "groups until end", "generator", "iterator", "files"]
STEPS = 3
IMAGES = 24
HANG_SECONDS = 300

# The rewriting of `if` reads the file of a function, so these are files of their own, and short.
POSITIONS = """\
def described():
    return read()
"""
DESCRIBED = """\
def described():
    return program(*read())
"""
WITH_FILES = """\
def described():
    file, i, a, b, c = read()
    image = ops.decode_jpeg(file)
    if a > b:
        image = ops.flip(image)
    return *program(i, a, b, c), image
"""


@functools.lru_cache
def marked(text):
    """The function that this text defines, its globals, and the same function marked for a description."""
    mark = sluice.pipeline if "def described" in text else sluice.graph_function
    plain, described = (function_of(text, re.search(r"def (\w+)", text)[1], f"plan_{hash(text)}") for _ in range(2))
    described.__globals__["ops"] = ops
    return plain, described.__globals__, mark(described)


class Dropped(Exception):
    """A filter dropped the sample."""


class Steps(Writer):
    """Writes functions that also call step0, step1, ... and drop samples. Numbers stay small, so that 64 bits hold them."""

    def source(self):
        self.line(0, "def program(i, a, b, c):")
        self.line(1, "p, q = 2, -1")
        self.line(1, "d = {'k': 5}")
        self.line(1, "a = first(i, a, b)")
        self.block(1, 2)
        if self.random.random() < 0.3:
            self.line(1, f"if {self.truth()}:")
            self.within(2, 2)
            self.line(2, "return i, a, b, c, p, q, d['k'] + 1")
        self.block(1, 2)
        self.line(1, "return i, a, b, c, p, q, d['k']")
        return "\n".join(self.lines) + "\n"

    def line(self, depth, text):
        super().line(depth, text)
        if added := re.match(r"(\w+) [+-]= ", text):
            super().line(depth, f"{added[1]} = {added[1]} % 23")

    def truth(self, depth=1):  # short conditions, where Writer's begin at 0
        return super().truth(depth)

    def number(self, depth=1):
        if depth < 3 and self.random.random() < 0.12:
            return f"step{self.random.randrange(STEPS)}(i, {self.number(depth + 1)}, {self.number(depth + 1)})"
        return super().number(depth)

    def statement(self, depth, budget):
        if self.random.random() < 0.04:
            self.line(depth, f"keep((i + {self.number(1)}) % 7 != 0)")
        else:
            super().statement(depth, budget)


class Plan:
    """A program, its source, its options, what goes wrong, and what the loop does: all drawn from the seed."""

    def __init__(self, seed, folder):
        chance = self.chance = random.Random(seed)
        self.seed, self.folder = seed, folder
        self.text = Steps(seed // 16).source()  # to rewrite it takes as long as all the rest
        self.samples = chance.randint(1, 24)
        self.source = chance.choice(SOURCES)
        self.workers = 0  # of the source
        self.step_workers = 0  # of step0
        if chance.random() < 0.03:  # starting processes takes most of the time
            if self.source in ("list", "memory", "files") or chance.random() < 0.5:
                self.step_workers = chance.randint(1, 2)
            else:
                self.workers = 1 if self.in_order else chance.randint(1, 2)
        self.retry = chance.random() < 0.3
        self.as_operator = chance.random() < 0.3
        self.options = {
            "seed": seed,
            "batch_size": chance.randint(1, 6),
            "threads": chance.choice([1, 2, 4]),
            "prefetch": chance.randint(1, 3),
            "window": chance.choice([0, 0, 0, 24]),
            "on_error": chance.choice(["fail", "skip", "replace"]),
            "max_errors": chance.choice([None, None, None, 0, 1, 3]),
            "max_error_rate": chance.choice([1.0, 1.0, 1.0, 0.1]),
            "last_batch": chance.choice(["partial", "partial", "fill", "drop"]),
            "compact": chance.random() < 0.15,
        }
        self.sampler = {"shuffle": True} if not self.in_order and not self.until_end and chance.random() < 0.3 else {}
        self.draw_faults()
        self.ending = chance.choice(["whole"] * 4 + ["leave", "cancel", "close", "loop", "resume", "resume elsewhere", "delete"])
        self.after = chance.randint(0, 3)  # batches
        if self.place != "step" or self.step_workers:
            return
        if chance.random() < 0.15:  # the loop ends while a step runs
            self.deed, self.ending = "hold", chance.choice(["cancel", "close", "loop"])
            self.hits = {"calls": {chance.randint(1, 2 * self.samples)}}
        elif chance.random() < 0.1:
            self.deed, self.ending = "cancel", "whole"

    @property
    def in_order(self):
        return self.source in ("generator", "iterator")

    @property
    def until_end(self):
        return self.source.endswith("until end")

    @property
    def in_groups(self):
        """True if the source is asked for several samples at once, and it has the fault."""
        return self.source.startswith("groups") and self.place == "source"

    def draw_faults(self):
        """Chooses the place of the fault, its deed, and when it is met."""
        chance = self.chance
        self.place = chance.choice(["step", "step", "source"])
        self.bad_files = {}
        if self.source in ("list", "memory"):
            self.place = "step"
        some = range(self.samples)
        if self.source == "files" and self.place == "source":
            self.place, self.deed, self.hits = "files", "", {}
            kinds = ["gone", "folder", "cut", "text", "empty"]
            self.bad_files = {i: chance.choice(kinds) for i in chance.sample(some, min(len(some), chance.randint(1, 3)))}
            return
        in_worker = self.workers if self.place == "source" else self.step_workers
        deeds = [name for name in faults.EXCEPTIONS if self.place == "step" or self.may_raise(name)]
        self.deed = "spin" if chance.random() < 0.08 else chance.choice(deeds)
        if in_worker and chance.random() < 0.6:
            self.deed = chance.choice(list(faults.DEATHS))
        if chance.random() < 0.5:
            self.hits = {"samples": set(chance.sample(some, min(len(some), chance.randint(1, 3))))}
        else:
            self.hits = {"calls": {chance.randint(1, 2 * self.samples) for _ in range(chance.randint(1, 2))}}
        # A worker that dies for the same sample in each process would use up all restarts.
        self.hits["once"] = self.deed in faults.DEATHS

    def may_raise(self, name):
        if self.source in ("generator", "iterator"):
            return name != "StopIteration"
        return not self.until_end or name not in faults.ENDS

    def exceeds_budget(self, errors, samples):
        most = self.options["max_errors"]
        return most is not None and errors > most or errors > self.options["max_error_rate"] * samples

    @property
    def dies(self):
        return self.deed in faults.DEATHS

    @property
    def is_silent(self):
        """True if the fault is no error of a sample."""
        return self.deed in ("spin", "hold", "cancel")

    @property
    def each_met_fails(self):
        """True if each sample that met the fault fails; else another request for it may succeed."""
        asked_again = self.options["on_error"] == "replace" or self.in_groups
        asked_again = asked_again or self.in_order and self.place == "source" and self.workers
        return not self.is_silent and not (self.dies and self.retry) and ("samples" in self.hits or not asked_again)

    def __str__(self):
        told = {name: one for name, one in vars(self).items() if name not in ("chance", "text", "folder", "seed", "fault")}
        return f"{told}\n{self.text}"


class Held:
    """Holds a step until the loop has been ended, or ends the loop in a step."""

    def __init__(self):
        self.inside, self.release = threading.Event(), threading.Event()
        self.pipe = None

    def hold(self):
        self.inside.set()
        self.release.wait()

    def cancel(self):
        assert self.pipe.stats["epoch"]["admitted"] > 0
        self.pipe.cancel()


def keep(wanted):
    if not wanted:
        raise Dropped


def step_of(plan, number, fault):
    """A step as the program calls it. Faults are in step0, and its first call has the workers."""
    name, function = f"step{number}", faults.Step(number, fault)
    if plan.as_operator and not plan.step_workers:

        def called(i, x, y):
            return function(i, x, y)

        called.__name__ = called.__qualname__ = name
        whole = sluice.Parameter(int)
        return sluice.operator(inputs={"i": int}, parameters={"x": whole, "y": whole}, returns=int)(called)
    if not plan.step_workers or number > 0:
        return lambda i, x, y: sluice.map(function, i, x, y, returns=int, name=name)
    options, without = sluice.WorkerOptions(plan.step_workers, retry=plan.retry), faults.Step(number)

    def first(i, x, y):
        return sluice.map(function, i, x, y, returns=int, name=name, workers=options)

    return first, lambda i, x, y: sluice.map(without, i, x, y, returns=int, name=name)


class Run:
    """Builds the pipeline of a plan, and knows what plain Python computes for each sample."""

    def __init__(self, plan, images):
        self.plan, self.images = plan, images
        self.fault, self.held = faults.Fault(plan.folder, plan.deed, **plan.hits), Held()
        self.fault.act = getattr(self.held, plan.deed, None)
        self.pipe = self.loop = None
        plain, _, _ = marked(plan.text)
        plain.__globals__.update({f"step{number}": faults.Step(number) for number in range(STEPS)}, first=faults.Step(0), keep=keep)
        self.expected = [self.outputs_of(plain, index) for index in range(plan.samples)]

    @staticmethod
    def outputs_of(plain, index):
        """The sample's outputs; None if it is dropped."""
        try:
            return plain(*faults.row(index))
        except Dropped:
            return None

    def image_of(self, index):
        _, a, b, _ = faults.row(index)
        return self.images[index][1][:, ::-1] if a > b else self.images[index][1]

    def read(self):
        """The sample's numbers, after its file if it has one."""
        plan, types = self.plan, (int, int, int, int)
        fault = self.fault if plan.place == "source" else None
        workers = sluice.WorkerOptions(plan.workers, retry=plan.retry) if plan.workers else 0
        rows = faults.Rows(plan.samples, fault)
        if plan.source == "files":
            return sluice.list_file(self.list, dict.fromkeys("iabc", int), **plan.sampler)
        if plan.source in ("list", "memory"):
            rows = [faults.row(index) for index in range(plan.samples)]
            if plan.source == "list":
                return sluice.source(rows, types, **plan.sampler)
            return [sluice.memory(list(column), **(plan.sampler if n == 0 else {})) for n, column in enumerate(zip(*rows))]
        if plan.source == "until end":
            return sluice.source(faults.UntilEnd(plan.samples, fault), types, workers=workers)
        if plan.source == "groups until end":
            return sluice.source(faults.GroupsUntilEnd(plan.samples, fault), types, workers=workers, batch=4)
        if plan.in_order:
            make = (faults.Generated if plan.source == "generator" else faults.Iterated)(plan.samples, fault)
            return sluice.iterate(make, types, workers=workers)
        return sluice.source(rows, types, workers=workers, batch=4 if plan.source == "groups" else 0, **plan.sampler)

    def build(self):
        plan = self.plan
        steps = [step_of(plan, number, self.fault if number == 0 and plan.place == "step" else None) for number in range(STEPS)]
        first, steps[0] = steps[0] if isinstance(steps[0], tuple) else (steps[0], steps[0])
        _, names, program = marked(plan.text)
        names.update({f"step{number}": step for number, step in enumerate(steps)}, first=first, keep=sluice.drop_unless)
        _, names, described = marked(WITH_FILES if plan.source == "files" else DESCRIBED)
        names.update(program=program, read=self.read)
        self.pipe = self.held.pipe = described(**plan.options)

    # Files.
    @property
    def list(self):
        return os.path.join(self.plan.folder, "list.csv")

    def write_files(self):
        lines = ["path,i,a,b,c"]
        for index in range(self.plan.samples):
            lines.append(",".join(map(str, (f"{index}.jpg", *faults.row(index)))))
            self.write_file(index)
        pathlib.Path(self.list).write_text("\n".join(lines) + "\n")

    def write_file(self, index):
        pathlib.Path(self.plan.folder, f"{index}.jpg").write_bytes(self.images[index][0])

    def damage_files(self):
        for index, how in self.plan.bad_files.items():
            file = pathlib.Path(self.plan.folder, f"{index}.jpg")
            if how in ("gone", "folder"):
                file.unlink()
                if how == "folder":
                    file.mkdir()
            else:
                file.write_bytes({"cut": file.read_bytes()[:-200], "text": b"no image", "empty": b""}[how])

    def mend_files(self):
        for index, how in self.plan.bad_files.items():
            if how == "folder":
                pathlib.Path(self.plan.folder, f"{index}.jpg").rmdir()
            self.write_file(index)

    def end_faults(self):
        if not self.fault.is_over():
            self.fault.end()
            self.mend_files()

    def met(self):
        return set(self.plan.bad_files) | set(self.fault.met())


class Seen:
    """What a loop delivered, and how it ended."""

    def __init__(self, run):
        self.run = run
        self.keys = {}  # of delivered samples, by position
        self.errors = {}  # by position
        self.thrown = {}
        self.replaced = set()
        self.batches = 0
        self.ended_by = ""  # the text of an Error
        self.over_budget = False

    def take(self, loop, batches=None):
        """Takes all batches, or some of them; returns True if the loop has not ended then."""
        while batches is None or self.batches < batches:
            try:
                self.note(next(loop))
            except StopIteration:
                return False
            except sluice.BatchError as error:
                self.note_errors(error.errors, self.thrown)
                first = error.errors[0]
                assert f"sample {first['index']} " in str(error) and f"failed in step '{first['step']}'" in str(error), error
            except sluice.BudgetError:
                self.over_budget = True
                return False
            except sluice.Error as error:
                self.ended_by = str(error)
                return False
        return True

    def note_errors(self, errors, place):
        for error in errors:
            assert error["position"] not in place, f"two errors of a sample: {error}"
            place[error["position"]] = error

    def note(self, batch):
        self.batches += 1
        self.note_errors(batch.errors, self.errors)
        assert not batch.warnings
        self.replaced |= set(batch.replaced)
        columns = [column if isinstance(column, list) else list(column) for column in batch.columns]
        assert {len(column) for column in columns} == {batch.size}
        assert not set(batch.missing) & set(batch.ids)
        for position, key, outputs in zip(batch.ids, batch.keys, zip(*columns)):
            assert position > max(self.keys, default=-1), "samples are not in order"
            self.keys[position] = key
            self.check(key[1], outputs)

    def check(self, index, outputs):
        wanted = self.run.expected[index]
        assert wanted is not None, f"sample {index} should be dropped"
        if self.run.plan.source == "files":
            *outputs, image = outputs
            assert numpy.array_equal(image, self.run.image_of(index)), f"sample {index}: other pixels"
        assert tuple(int(one) for one in outputs) == wanted, f"sample {index}: {outputs}, expected {wanted}"


def positions_of(run, epoch):
    """For each position of the epoch, the index of its sample."""
    if not run.plan.sampler:
        return range(run.plan.samples)

    _, names, described = marked(POSITIONS)
    names["read"] = lambda: sluice.source(int, samples=run.plan.samples, returns=int, **run.plan.sampler)
    with described(seed=run.plan.seed, threads=1) as pipe:
        pipe.reset(epoch)
        return [batch.keys[0][1] for batch in pipe]


def check_errors(run, seen):
    """Each error is that of the fault, and of a sample that met it."""
    plan, met = run.plan, run.met()
    assert not seen.thrown or plan.options["on_error"] != "skip"
    if seen.over_budget:
        ended = plan.source == "generator" and plan.place == "source" and met
        count = max(met) + 1 if ended else plan.samples
        if plan.options["last_batch"] == "drop":  # what is dropped does not count
            count -= plan.options["batch_size"] - 1
        assert plan.exceeds_budget(len(met), count) or plan.dies and plan.in_groups
    for position, error in {**seen.thrown, **seen.errors}.items():
        index, what, step = error["index"], error["what"], error["step"].split("#")[0]
        assert not plan.is_silent, error
        assert index in met or plan.dies and plan.in_groups, error
        assert (error["seed"], error["epoch"], error["kept"]) == (plan.seed, 0, False)
        if position in seen.thrown and position in seen.errors:
            assert seen.thrown[position] == seen.errors[position]
        assert position not in seen.keys or position in seen.replaced, error
        if plan.place == "files":
            how = plan.bad_files[index]
            assert error["source"].endswith(f"{index}.jpg"), error
            assert step == ("read" if how in ("gone", "folder") else "decode_jpeg"), error
            words = {"gone": "No such file or directory", "folder": "is a folder", "cut": "damaged", "text": "JPEG", "empty": "empty"}
            assert words[how] in what, error
            continue
        name = "step0" if plan.place == "step" else "iterate" if plan.in_order else "source"
        assert step == name, error
        if plan.dies:
            assert faults.DEATHS[plan.deed] in what, error
        else:
            assert what.startswith(faults.EXCEPTIONS[plan.deed][1]), error
            assert "faults.py:" in what or plan.deed in ("long", "very unprintable"), error


def check_whole(run, seen, positions, is_faulty):
    """All samples of an epoch that was not ended early have an outcome, and stats() says the same."""
    plan, count = run.plan, run.plan.samples
    last_batch, batch_size = plan.options["last_batch"], plan.options["batch_size"]
    failed = set(seen.errors) | set(seen.thrown)
    end = count
    if is_faulty and plan.source == "generator" and plan.place == "source" and not plan.dies and failed:
        end = max(failed) + 1
    kept = {p for p in range(end) if run.expected[positions[p]] is not None}
    delivered = set(seen.keys) - seen.replaced
    assert seen.replaced <= failed and seen.replaced <= set(seen.keys)
    left_out = set()
    if last_batch == "drop":
        left_out = kept - delivered - failed
        most = batch_size - 1
        if plan.options["compact"] and is_faulty:  # samples of the last batch that failed are not told
            most += len(run.met())
        assert len(left_out) <= most and (not left_out or min(left_out) > max(set(seen.keys), default=-1)), f"lost {left_out}"
    assert delivered == kept - failed - left_out, f"delivered {sorted(delivered)} of {sorted(kept)}; errors of {sorted(failed)}"
    if last_batch != "drop":  # else there may be no batch after a BatchError
        assert set(seen.thrown) <= set(seen.errors)
        assert plan.options["on_error"] != "fail" or set(seen.thrown) == set(seen.errors)
    assert not plan.exceeds_budget(len(failed), end), f"{len(failed)} errors"
    if is_faulty and plan.each_met_fails and not left_out and last_batch != "drop":
        wanted = {p for p in range(end) if positions[p] in run.met()}
        # A dropped sample may end before it meets a file's damage.
        unsure = {p for p in wanted if plan.place == "files" and run.expected[positions[p]] is None}
        assert wanted - unsure <= failed, f"positions {sorted(wanted - failed)} met the fault without an error"
    if not is_faulty:
        assert not failed
    counts = run.pipe.stats["epoch"]
    assert counts["admitted"] == sum(n for name, n in counts.items() if name != "admitted"), counts
    assert counts["replaced"] == len(seen.replaced), counts
    if last_batch == "drop":
        return
    lost = len(failed - seen.replaced)
    dropped = 0
    if plan.options["on_error"] == "replace" and None in run.expected:  # a filter may drop the sample that replaces another
        dropped = lost - counts["failed"]
        assert 0 <= dropped <= lost, counts
    assert counts["delivered"] == len(delivered), counts
    assert counts["skipped"] + counts["failed"] + dropped == lost, counts
    assert counts["failed" if plan.options["on_error"] == "skip" else "skipped"] == 0, counts
    assert counts["filtered"] == end - len(delivered) - len(failed) + dropped, counts


def check_prefix(run, seen, positions):
    """Of an epoch that was ended early, all samples before the last delivered one have an outcome."""
    last = max(seen.keys, default=-1)
    for position in range(last):
        known = position in seen.keys or position in seen.errors or run.expected[positions[position]] is None
        assert known, f"sample at {position} is lost, but {last} was delivered"


def end_loop(run, seen):
    """Ends the loop as the plan says, and leaves the pipeline, or a loop of it, for the next epoch."""
    ending = run.plan.ending
    if ending == "cancel":
        run.pipe.cancel()
        seen.take(run.loop)
        assert not seen.ended_by, seen.ended_by
    elif ending == "close":
        run.pipe.close()
        seen.take(run.loop)
        assert "the pipeline has been closed" in seen.ended_by
        run.build()
    elif ending == "loop":
        run.end_faults()
        loop, run.loop = run.loop, iter(run.pipe)
        seen.take(loop)
        assert "was ended before its last batch by another loop" in seen.ended_by
        return
    elif ending.startswith("resume"):
        resume(run, seen)
    elif ending == "delete":
        run.loop = run.pipe = run.held.pipe = None
        gc.collect()
        run.build()
    run.loop = None


def resume(run, seen):
    """Resumes the epoch without faults: no sample is lost or comes twice."""
    state = run.pipe.state_dict()
    run.end_faults()
    if run.plan.ending == "resume elsewhere":
        run.pipe.close()
        run.build()
    run.pipe.load_state_dict(state)
    resumed = Seen(run)
    resumed.take(iter(run.pipe))
    assert not resumed.ended_by and not resumed.errors
    if resumed.over_budget:  # the state has the number of errors
        assert run.plan.exceeds_budget(len(seen.errors), run.plan.samples)
        return
    if any(key[0] == 1 for key in resumed.keys.values()):  # the state was that after the last batch
        return
    positions, last_batch = positions_of(run, 0), run.plan.options["last_batch"]
    assert not set(resumed.keys) & set(seen.keys)
    wanted = {p for p in range(run.plan.samples) if run.expected[positions[p]] is not None}
    lost = wanted - set(resumed.keys) - set(seen.keys) - set(seen.errors)
    assert not lost or last_batch == "drop" and len(lost) < run.plan.options["batch_size"], f"lost {lost}"


def take_while_held(run, seen):
    """Takes batches while another thread ends the loop as soon as a step is inside."""
    pipe, ending, others, problems = run.pipe, run.plan.ending, [], []

    def act():
        try:
            if ending == "loop":
                others.append(iter(pipe))
            else:
                getattr(pipe, ending)()
        except BaseException as error:
            problems.append(error)

    def wait():
        run.held.inside.wait()
        other = threading.Thread(target=act)
        other.start()
        run.held.release.set()
        other.join()

    helper = threading.Thread(target=wait)
    helper.start()
    try:
        seen.take(run.loop)
    finally:
        run.held.inside.set()  # the loop may have ended without it
        helper.join()
    assert not problems, problems
    words = {"cancel": "", "close": "the pipeline has been closed", "loop": "another "}[ending]
    assert not seen.ended_by or words and words in seen.ended_by, seen.ended_by
    run.loop = others[0] if others else None
    if ending == "close":
        run.build()


def leftovers():
    """The numbers of threads, child processes and file descriptors."""
    tasks, children = os.listdir("/proc/self/task"), []
    for task in tasks:
        try:
            children += pathlib.Path(f"/proc/self/task/{task}/children").read_text().split()
        except (FileNotFoundError, ProcessLookupError):  # it has ended
            pass
    return len(tasks), len(children), len(os.listdir("/proc/self/fd"))


def run_plan(plan, images):
    run = Run(plan, images)
    if plan.source == "files":
        run.write_files()
    positions = positions_of(run, 0)
    run.build()
    run.damage_files()
    seen, run.loop = Seen(run), iter(run.pipe)
    early = False
    if plan.deed == "hold":
        take_while_held(run, seen)
        early = bool(run.met())
    elif seen.take(run.loop, None if plan.ending == "whole" else plan.after):
        end_loop(run, seen)
        early = True
    else:
        run.loop = None
        assert not seen.ended_by, seen.ended_by
        early = plan.deed == "cancel" and bool(run.met())
        if not seen.over_budget and not early:
            check_whole(run, seen, positions, True)
    check_errors(run, seen)
    check_prefix(run, seen, positions)
    met = len(run.met())
    run.end_faults()
    check_later_epoch(run)
    run.pipe.close()
    count_trials(plan, met, early)


def check_later_epoch(run):
    """Without faults, the next epoch is whole."""
    loop, run.loop = run.loop or iter(run.pipe), None
    epoch = run.pipe.next_epoch - 1
    later = Seen(run)
    later.take(loop)
    assert not later.ended_by and not later.over_budget and not later.errors, vars(later)
    check_whole(run, later, positions_of(run, epoch), False)
    counts = run.pipe.stats["total"]
    assert counts["admitted"] == sum(n for name, n in counts.items() if name != "admitted"), counts


def count_trials(plan, met, early):
    """`met`: how many samples met the fault. `early`: true if the loop was ended early."""
    if plan.place == "files":
        tried("unreadable-files", sum(how in ("gone", "folder") for how in plan.bad_files.values()))
    elif plan.dies:
        tried("killed-workers", met)
    elif met and plan.deed == "spin":
        tried("slow-step")
    elif met and plan.deed in faults.EXCEPTIONS:
        tried("python")
    if early:
        tried("cancelled")


@pytest.fixture(scope="module")
def images():
    """A file and its pixels for each index."""
    files = [sluice.encode_jpeg(draw(number, 16, 24), 95) for number in range(IMAGES)]
    return [(file, numpy.asarray(ops.decode_jpeg(file))) for file in files]


def end_with_traces(again):
    """Ends the process: a program hangs, or left something behind."""
    os.write(2, f"hangs, or leaves threads, processes or descriptors {leftovers()}: {again}\n".encode())
    faulthandler.dump_traceback(2)
    os._exit(1)


def test_faults_cost_only_the_samples_that_meet_them(images, tmp_path, capfd):
    for seed in range(FIRST, FIRST + PROGRAMS):
        folder = tempfile.mkdtemp(dir=tmp_path)
        plan = Plan(seed, folder)
        again = f"SLUICE_RANDOM_SEED={seed} SLUICE_PYTHON_PLANS=1 python -m pytest tests/python/test_fault_plans.py"
        with capfd.disabled():  # for the traces
            limit = threading.Timer(HANG_SECONDS, end_with_traces, [again])
            limit.daemon = True
            limit.start()
            before = leftovers()
            try:
                run_plan(plan, images)
                while any(now > then for now, then in zip(leftovers(), before)):
                    os.sched_yield()  # a thread that has been joined may still be listed
            except BaseException as error:
                error.add_note(f"{again}\n{plan}")
                raise
            finally:
                limit.cancel()
                limit.join()
        shutil.rmtree(folder)
