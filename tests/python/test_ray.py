"""What users of a Ray cluster get; left out where there is no Ray."""

import asyncio
import os
import threading

import numpy
import pytest
from conftest import import_error

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from ray.cluster_utils import Cluster  # noqa: E402

import sluice  # noqa: E402
import sluice.ray  # noqa: E402
from sluice import ops  # noqa: E402


@sluice.pipeline(batch_size=2, seed=3)
def views(folder, wait_for=None, shard=None):
    jpeg, label = sluice.files(folder, shuffle=True, shard=shard)
    image = ops.random_resized_crop(jpeg, width=9, height=8)
    if ops.coin_flip(0.5):
        image = ops.flip(image, horizontal=True)
    if wait_for is not None:
        label = sluice.map(wait_for, label, returns=int)
    return {"image": image, "label": label}


@sluice.pipeline(seed=3)
def view(jpeg, size=8):
    return {"image": ops.random_resized_crop(jpeg, width=size, height=size)}


def whole(pipe):
    """Samples of a single run: (number, image, label), in its order."""
    return [
        (key[1], numpy.array(image), label)
        for batch in pipe
        for key, image, label in zip(batch.keys, batch["image"], batch["label"].tolist())
    ]


def same(rows, samples):
    pairs = zip(rows, samples)
    return len(rows) == len(samples) and all(
        row["sample"] == number and row["label"] == label and numpy.array_equal(row["image"], image)
        for row, (number, image, label) in pairs
    )


@pytest.fixture(scope="module")
def cluster():
    """Nodes of their own, on this machine: a head without CPUs, and one that has room for a task."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    memory = 80 * 2**20
    made = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": 0, "object_store_memory": memory, "resources": {"head": 1}},
    )
    made.add_node(num_cpus=2, object_store_memory=memory)
    ray.init(address=made.address, log_to_driver=False)
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    yield made
    ray.shutdown()
    made.shutdown()


@pytest.mark.parametrize("shards", [1, 3, 20])
def test_rows_are_those_of_a_single_run(cluster, folder, shards):
    rows = sluice.ray.read_images(views, folder, shards=shards, epoch=1, batch_size=3).take_all()
    pipe = views(folder)
    pipe.reset(1)
    samples = whole(pipe)
    assert [row["sample"] for row in rows] == [one[0] for one in samples]
    assert same(rows, samples)


def gate_of(doomed):
    """An actor that lets samples pass once the node has been killed, which waits for a sample on it."""

    @ray.remote(num_cpus=0, resources={"head": 0.1})
    class Gate:
        def __init__(self):
            self.begun, self.killed = asyncio.Event(), asyncio.Event()

        async def enter(self, node):
            if node == doomed:
                self.begun.set()
            await self.killed.wait()

        async def begins(self):
            await self.begun.wait()

        async def open(self):
            self.killed.set()

    return Gate.remote()


def test_a_node_that_is_killed_costs_nothing_and_doubles_nothing(cluster, folder):
    """All tasks wait in the middle of a shard until the node on which one of them runs is gone."""
    doomed = cluster.add_node(num_cpus=1, object_store_memory=80 * 2**20)
    cluster.wait_for_nodes()
    gate = gate_of(doomed.node_id)

    def wait(label):
        ray.get(gate.enter.remote(ray.get_runtime_context().get_node_id()))
        return label

    def kill():
        try:
            ray.get(gate.begins.remote(), timeout=200)
            killed.append(doomed)
            cluster.remove_node(doomed, allow_graceful=False)
        finally:
            ray.get(gate.open.remote())

    killed = []
    killer = threading.Thread(target=kill)
    killer.start()
    rows = sluice.ray.read_images(views, folder, wait, shards=6).take_all()
    killer.join()
    assert killed and same(rows, whole(views(folder)))


@pytest.mark.parametrize("batch_size", [1, 5, 12])
def test_augments_the_files_of_a_column(cluster, paths, batch_size):
    files = [{"bytes": path.read_bytes(), "number": i} for i, path in enumerate(paths)]
    step = sluice.ray.Augment(view, number="number", size=6)
    rows = ray.data.from_items(files).map_batches(step, batch_size=batch_size).take_all()

    @sluice.pipeline(seed=3, batch_size=12)
    def single():
        jpeg = sluice.source([one["bytes"] for one in files], bytes)
        return ops.random_resized_crop(jpeg, width=6, height=6)

    (images,) = next(iter(single()))
    assert [row["number"] for row in rows] == list(range(12)) and "bytes" not in rows[0]
    assert all(numpy.array_equal(row["image"], image) for row, image in zip(rows, images))


@sluice.pipeline(batch_size=2, seed=3)
def views_of_packs(folder, shard=None):
    jpeg, label = sluice.packs(folder, shuffle=True, shard=shard)
    return {"image": ops.random_resized_crop(jpeg, width=9, height=8), "label": label}


def test_packs_are_read_and_packed_files_are_augmented(cluster, folder, paths, tmp_path):
    sluice.pack(folder, tmp_path / "packed", pack_bytes=5000)
    rows = sluice.ray.read_images(views_of_packs, tmp_path / "packed", shards=3).take_all()
    assert same(rows, whole(views_of_packs(tmp_path / "packed")))

    packed = sluice.pipeline(batch_size=12)(lambda: sluice.packs(tmp_path / "packed", {"name": "text"}))()
    ((files, names),) = packed
    original = [(folder / name).read_bytes() for name in names]
    assert [sluice.unpack(file) for file in files] == original != list(files)
    of_packs, of_files = (
        ray.data.from_items([{"bytes": one, "number": i} for i, one in enumerate(column)])
        .map_batches(sluice.ray.Augment(view, number="number", size=6), batch_size=5).take_all()
        for column in (files, original)
    )
    assert all(numpy.array_equal(one["image"], other["image"]) for one, other in zip(of_packs, of_files))
    assert len(of_packs) == len(of_files) == 12


def test_augments_alike_without_numbers_and_in_actors(cluster, paths):
    files = [{"bytes": path.read_bytes(), "name": path.name} for path in (*paths, paths[0])]
    files[4]["bytes"] = b"no image"
    dataset = ray.data.from_items(files)
    options = {"on_error": "skip", "inputs": {"bytes": bytes, "name": str}}
    a, b = (
        dataset.map_batches(sluice.ray.Augment(named, **options), batch_size=3).take_all(),
        dataset.map_batches(
            sluice.ray.Augment, fn_constructor_args=[named], fn_constructor_kwargs=options,
            concurrency=1, num_cpus=1, batch_size=13,
        ).take_all(),
    )
    assert [row["name"] for row in a] == [one["name"] for i, one in enumerate(files) if i != 4]
    assert [row["copy"] for row in a] == [row["name"] for row in a]
    assert all(numpy.array_equal(x["image"], y["image"]) for x, y in zip(a, b)) and len(b) == 12
    assert numpy.array_equal(a[0]["image"], a[-1]["image"])


@sluice.pipeline(seed=3)
def named(jpeg, name):
    return {"image": ops.random_resized_crop(jpeg, width=8, height=8), "copy": name}


def test_samples_that_fail_are_left_out_or_end_the_dataset(cluster, folder, tmp_path):
    (tmp_path / "bad.jpg").write_bytes(b"no image")
    (tmp_path / "good.jpg").write_bytes(next(folder.rglob("*.jpg")).read_bytes())
    rows = sluice.ray.read_images(views, tmp_path, shards=2, on_error="skip").take_all()
    assert [row["sample"] for row in rows] == [1]
    with pytest.raises(Exception, match="bad.jpg"):
        sluice.ray.read_images(views, tmp_path, shards=2).take_all()


@sluice.pipeline
def without_shard(folder):
    return {"jpeg": sluice.files(folder)[0]}


@sluice.pipeline
def unused_shard(folder, shard=None):
    return {"jpeg": sluice.files(folder)[0]}


@sluice.pipeline
def unnamed(folder, shard=None):
    return sluice.files(folder, shard=shard)


@sluice.pipeline
def taken(folder, shard=None):
    return {"sample": sluice.files(folder, shard=shard)[1]}


@pytest.mark.parametrize(
    "describe, options, words",
    [
        (without_shard, {}, "def without_shard(..., shard=None), and give shard=shard to its source"),
        (unused_shard, {}, "does not use its parameter 'shard'"),
        (unnamed, {}, "say columns=['image', ...]"),
        (unnamed, {"columns": ["jpeg"]}, "returns 2 values, and columns names 1"),
        (taken, {}, "'sample' is taken"),
        (views, {"shards": 0}, "shards must be a whole number from 1 on (got 0)"),
        (views, {"shard": (0, 2)}, "say shards=n in place of shard"),
        (len, {}, "takes a function that is marked with @sluice.pipeline, not builtin_function"),
    ],
)
def test_says_what_is_wrong(folder, describe, options, words):
    with pytest.raises(sluice.BuildError) as raised:
        sluice.ray.read_images(describe, folder, **{"shards": 2, **options})
    assert words in str(raised.value)


def test_says_what_is_wrong_with_rows():
    for rows, words in (
        ({"image": []}, "takes the column 'bytes', and the rows have 'image'"),
        ({"bytes": [b"", b""], "n": [1, 1]}, "the same number in 'n'"),
        ({"bytes": [b""], "n": [-1]}, "must have whole numbers from 0 on (got [-1] of type int64)"),
        ({"bytes": [b""], "n": [0.5]}, "must have whole numbers from 0 on (got [0.5] of type float64)"),
    ):
        with pytest.raises(sluice.BuildError) as raised:
            sluice.ray.Augment(view, number="n" if "n" in rows else None)(rows)
        assert words in str(raised.value)
    with pytest.raises(sluice.BuildError, match="runs on its workers"):
        sluice.ray.shard()


@pytest.mark.parametrize(
    ("missing", "says"),
    [("ray", "sluice.ray needs Ray: pip install 'ray[data]'"), ("ray._raylet", "import of ray._raylet halted; None in sys.modules")],
)
def test_tells_a_missing_ray_from_a_broken_one(missing, says):
    assert import_error("sluice.ray", missing) == f"ModuleNotFoundError: {says}"


def test_workers_of_ray_train_take_their_shards(cluster, folder, tmp_path):
    train = pytest.importorskip("ray.train", exc_type=ImportError)
    from ray.train.v2.api.data_parallel_trainer import DataParallelTrainer

    def work():
        index, count = part = sluice.ray.shard()
        labels = [n for batch in views(folder, shard=part) for n in batch["label"].tolist()]
        (tmp_path / f"{index} of {count}").write_text(" ".join(map(str, labels)))

    scaling = train.ScalingConfig(num_workers=2, resources_per_worker={"CPU": 0.5})
    running = train.RunConfig(storage_path=str(tmp_path))
    DataParallelTrainer(work, scaling_config=scaling, run_config=running).fit()
    parts = " ".join((tmp_path / f"{i} of 2").read_text() for i in range(2))
    assert parts.split() == [str(label) for _, _, label in whole(views(folder))]
