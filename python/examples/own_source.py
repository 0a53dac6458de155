"""Gets samples from a Python function, which several threads call. The batches keep the order of the indices.

    python python/examples/own_source.py [FOLDER]

FOLDER has JPEG files; the default is `photos`.
"""

import pathlib
import sys
import threading

import sluice
from sluice import ops


@sluice.pipeline(batch_size=4, on_error="skip")
def own(load, count, name_of):
    types = "bytes", str, int  # of what load() returns
    jpeg, name, thread = sluice.source(load, returns=types, samples=count, threads=4, name_of=name_of)
    return ops.resize(ops.decode_jpeg(jpeg), width=64, height=64), name, thread


def main(folder="photos"):
    if not pathlib.Path(folder).is_dir():
        sys.exit(f"own_source: the folder '{folder}' does not exist; give the path of a folder with JPEG files")
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix.lower() in (".jpg", ".jpeg"))
    if not paths:
        sys.exit(f"own_source: the folder '{folder}' has no JPEG files; give another folder")

    def load(index):  # reading a file releases Python's lock, so other threads go on
        return paths[index].read_bytes(), paths[index].stem, threading.get_ident()

    def name_of(index):  # for errors
        return str(paths[index])

    callers = set()
    for images, names, threads in own(load, len(paths), name_of):
        print(f"batch of {len(names)}: {', '.join(names)}")
        callers.update(threads.tolist())
    print(f"threads that called load(): {len(callers)}")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"own_source: {error}")
