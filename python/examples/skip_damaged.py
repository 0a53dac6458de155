"""Skips damaged files: each one costs one sample, and the batch says which file failed and why.

    python python/examples/skip_damaged.py [FOLDER]

FOLDER has JPEG files; the default is `photos`. To try it, put a text file with the ending `.jpg` there.
"""

import sys

import sluice
from sluice import ops


# With max_errors or max_error_rate, a run ends if too many files fail.
@sluice.pipeline(batch_size=4, on_error="skip", max_error_rate=0.5)
def thumbnails(folder):
    jpeg, label = sluice.files(folder)
    return ops.resize(ops.decode_jpeg(jpeg), width=64, height=64), label


def main(folder="photos"):
    delivered = damaged = 0
    for batch in thumbnails(folder):
        print(f"batch {batch.index}: {batch.size} delivered")
        for error in batch.errors:
            print(f"  {error['source']} failed in {error['step']}: {error['what']}")
        delivered += batch.size
        damaged += len(batch.errors)
    print(f"{delivered} delivered, {damaged} damaged")


if __name__ == "__main__":
    try:
        main(*sys.argv[1:2])
    except sluice.Error as error:
        sys.exit(f"skip_damaged: {error}")
