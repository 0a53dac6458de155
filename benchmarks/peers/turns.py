"""Runs contenders in interleaved rounds, each in a process of its own, and prints medians."""

import json
import os
import statistics
import subprocess
import sys
import venv

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def add_options(parser):
    parser.add_argument("--data", required=True, help="folder with JPEG files")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--sluice", default=os.path.join(ROOT, "build/release/apps/sluice"))
    parser.add_argument("--environments", default=os.path.join(ROOT, "build/peers"))
    parser.add_argument("--json", help="file for the figures")


def python_of(environments, name, packages):
    """The interpreter of a peer's environment, which is made where it is missing."""
    folder = os.path.join(environments, name)
    python = os.path.join(folder, "bin/python")
    if not os.path.exists(os.path.join(folder, "ready")):
        print(f"making {folder}", flush=True)
        venv.create(folder, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
        open(os.path.join(folder, "ready"), "w").close()
    return python


def output_of(command):
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    if done.returncode != 0:
        sys.stderr.write(done.stderr)
        done.check_returncode()
    return done.stdout


def figures_of(command):
    """What a program tells in its last line."""
    return json.loads(output_of(command).splitlines()[-1])


def figures_of_peer(python, script, arguments):
    return figures_of([python, "-B", "-W", "ignore", os.path.join(HERE, script), *arguments])


def run(contenders, rounds, parts):
    """The figures of each contender, by contender(part): round after round, and part after part of
    the work, so that what is compared runs at about the same time. One that fails is out."""
    figures = {name: [] for name in contenders}
    for number in range(rounds):
        for part in parts:
            for name, measure in list(contenders.items()):
                try:
                    figures[name].append(measure(part))
                except (subprocess.CalledProcessError, ValueError) as error:
                    print(f"{name} is out: {error}", file=sys.stderr)
                    del contenders[name]
        print(f"round {number + 1} of {rounds}", flush=True)
    return figures


def spread(values, form):
    """The median, and in parentheses the least and the most."""
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def tell(figures, work):
    """A line for each kind of work and each contender that did it."""
    for kind in work:
        for name, rounds in figures.items():
            rates = [told["rates"][kind] for told in rounds if kind in told["rates"]]
            if rates:
                print(
                    f"{kind:<16}{name:<14}{statistics.median(rates):>10.0f}"
                    f"  ({min(rates):.0f} to {max(rates):.0f})"
                )


def write(path, figures, **more):
    if path:
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"rounds": figures, **more}, file, indent=2)
