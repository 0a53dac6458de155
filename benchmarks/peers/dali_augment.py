"""NVIDIA DALI on the work of `sluice bench`, on the CPU or a GPU."""

import json
import time

import nvidia.dali
from nvidia.dali import fn, pipeline_def, types
from nvidia.dali.auto_aug import rand_augment, trivial_augment

import common
import in_threads


def build(given, files, work):
    mixed = "mixed" if given.device == "gpu" else "cpu"
    dtype = types.FLOAT16 if given.device == "gpu" else types.FLOAT

    def region(encoded):
        return fn.decoders.image_random_crop(encoded, device=mixed, output_type=types.RGB)

    def normalized(image, **more):
        return fn.crop_mirror_normalize(
            image,
            dtype=dtype,
            output_layout="CHW",
            crop=(224, 224),
            mean=[255 * mean for mean in in_threads.MEAN],
            std=[255 * std for std in in_threads.STD],
            **more,
        )

    def augmented(encoded, augment):
        image = fn.resize(region(encoded), size=(224, 224))
        if fn.random.coin_flip(probability=0.5, dtype=types.BOOL):
            image = fn.flip(image, horizontal=1)
        return normalized(augment(image))

    @pipeline_def(
        batch_size=given.batch,
        num_threads=given.threads,
        device_id=0 if given.device == "gpu" else None,
        prefetch_queue_depth=2,
        enable_conditionals=True,
    )
    def pipeline():
        encoded, _ = fn.readers.file(files=files)
        if work == "train":
            small = fn.resize(region(encoded), size=(224, 224))
            return normalized(small, mirror=fn.random.coin_flip(probability=0.5))
        if work == "randaugment":
            return augmented(encoded, lambda x: rand_augment.rand_augment(x, n=2, m=9))
        if work == "trivialaugment":
            return augmented(encoded, trivial_augment.trivial_augment_wide)
        image = fn.decoders.image(encoded, device=mixed, output_type=types.RGB)
        if work == "eval":
            return normalized(fn.resize(image, resize_shorter=256))
        if fn.random.coin_flip(probability=0.25, dtype=types.BOOL):
            image = fn.rotate(image, angle=fn.random.uniform(range=[10.0, 30.0]), fill_value=0)
        return fn.resize(image, size=(400, 400))

    pipe = pipeline()
    pipe.build()
    return pipe


def rate(given, files, work):
    """Images a second; so many batches as a pass has warm up."""
    pipe = build(given, files, work)
    for _ in range(max(1, len(files) // given.batch)):
        pipe.run()
    begin, images = time.perf_counter(), 0
    while time.perf_counter() - begin < given.seconds:
        pipe.run()
        images += given.batch
    return images / (time.perf_counter() - begin)


def main():
    given = in_threads.options()
    files = common.jpeg_files(given.data)
    rates = {work: rate(given, files, work) for work in given.work}
    print(json.dumps({"name": "DALI", "version": nvidia.dali.__version__, "rates": rates}))


if __name__ == "__main__":
    main()
