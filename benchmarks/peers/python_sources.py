#!/usr/bin/env python3
"""Python datasets in worker processes: `sluice.source(workers=4)` against PyTorch's DataLoader and
DALI's parallel external source.

They run in interleaved rounds, each in a process of its own: see README.md.
"""

import argparse
import os

import turns

PEERS = {
    "sluice": ["numpy", "pillow"],
    "torch": ["torch", "numpy", "pillow"],
    "dali": ["nvidia-dali-cuda120", "numpy", "pillow"],
}
WORK = ["wait_workers", "pillow_workers", "decode_workers", "large_workers"]


def options():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    turns.add_options(parser)
    parser.add_argument("--module", default=os.path.join(turns.ROOT, "build/release/python"),
                        help="folder with the package sluice, as it was built")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--seconds", type=float, default=2, help="of each kind of work, about")
    parser.add_argument("--workers", type=int, default=4)
    return parser.parse_args()


def main():
    given = options()
    os.environ["PYTHONPATH"] = given.module
    arguments = [
        "--data", given.data,
        "--workers", str(given.workers),
        "--batch", str(given.batch),
        "--seconds", str(given.seconds),
    ]  # fmt: skip
    contenders = {}
    for name in given.peers.split(","):
        python = turns.python_of(given.environments, name, PEERS[name])
        contenders[name] = lambda _, name=name, python=python: turns.figures_of_peer(
            python, f"{name}_source.py", arguments
        )
    figures = turns.run(contenders, given.rounds, ["all"])
    print(f"samples/s with {given.workers} workers, medians of {given.rounds} (smallest to largest)")
    turns.tell(figures, WORK)
    turns.write(given.json, figures)


if __name__ == "__main__":
    main()
