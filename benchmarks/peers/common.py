"""What the peers share: their options, the files, and the clock."""

import argparse
import json
import os
import time

WAIT_S = 0.005
LARGE_BYTES = 1_000_000
ENDINGS = (".jpg", ".jpeg", ".jpe")


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--workers", type=int, default=4)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=2)
    return parser.parse_args()


def jpeg_files(folder):
    found = []
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found += [
            os.path.join(path, name)
            for name in names
            if name.lower().endswith(ENDINGS) and not name.startswith(".")
        ]
    return sorted(found)


def whole_batches(samples, batch):
    return max(1, round(samples / batch)) * batch


def sample_counts(given, files):
    """So many samples for each kind of work that it takes about as long as asked for."""
    return {
        "wait_workers": whole_batches(given.seconds * given.workers / WAIT_S, given.batch),
        "decode_workers": whole_batches(given.seconds * 500, given.batch),
        "large_workers": whole_batches(given.seconds * 1000, given.batch),
    }


def rate(samples, run_epoch):
    """Samples a second of the second epoch: the first one warms up."""
    run_epoch()
    begin = time.perf_counter()
    delivered = run_epoch()
    seconds = time.perf_counter() - begin
    if delivered != samples:
        raise RuntimeError(f"{delivered} of {samples} samples were delivered")
    return samples / seconds


def tell(name, version, rates):
    print(json.dumps({"name": name, "version": version, "rates": rates}))
