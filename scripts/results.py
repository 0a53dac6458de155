"""What the scripts share that write results into the documentation: tables between markers in pages.

A page has `<!-- results: NAME -->` before a table and `<!-- end -->` after it. The figures are in benchmarks/results/.
"""

import os
import pathlib
import platform
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
RESULTS = ROOT / "benchmarks/results"


def machine(device):
    """The machine in words. `device`: "gpu" names the GPU, too."""
    model = next(
        (line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if line.startswith("model name")),
        platform.machine(),
    )
    model = re.sub(r"\((R|TM)\)", "", model)
    words = f"{len(os.sched_getaffinity(0))} CPUs of {'an' if model[0] in 'AEIO' else 'a'} {model}"
    if device == "gpu":
        asked = ["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]
        words = f"one {subprocess.run(asked, capture_output=True, text=True, check=True).stdout.splitlines()[0]} and {words}"
    return words


def table(head, rows, align=()):
    """A table in Markdown. Columns are aligned to the right, except for the first, or as `align` says."""
    align = align or ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, align, *rows])


def filled(text, name, content):
    """The page with the content between its markers."""
    pattern = re.compile(rf"(<!-- results: {name} -->\n).*?(\n<!-- end -->)", re.DOTALL)
    if not pattern.search(text):
        sys.exit(f"a page lacks the markers of '{name}'")
    return pattern.sub(lambda found: found[1] + content + found[2], text)


def write_pages(wanted, command, check):
    """Writes {path in the repository: text}. With `check`, ends the program if a file has another text; `command` writes it."""
    stale = [name for name, text in wanted.items() if not (ROOT / name).exists() or (ROOT / name).read_text() != text]
    if check and stale:
        sys.exit(f"{', '.join(stale)} does not show what benchmarks/results/ holds; run {command}")
    for name in stale:
        (ROOT / name).write_text(wanted[name])
        print(f"wrote {name}")
