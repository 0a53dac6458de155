"""Runs the program `sluice`, which is part of the package: ``python -m sluice bench train --data photos``."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "sluice"
    if not program.exists():
        sys.exit(
            f"python -m sluice: there is no program {program}; build the module together with the program "
            "(-DSLUICE_BUILD_APPS=ON)"
        )
    try:
        os.execv(program, ["sluice", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"python -m sluice: cannot run {program}: {error.strerror}")


if __name__ == "__main__":
    main()
