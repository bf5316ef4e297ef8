"""Where the engine's program is."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path


def find() -> str:
    """Return the path of the binary: that which DEEPPSL_BINARY names, or that of this package."""
    named = os.environ.get("DEEPPSL_BINARY")
    if named:
        if shutil.which(named) is None:
            raise FileNotFoundError(f"{named}, which DEEPPSL_BINARY names, is no program")
        return named
    inside = Path(__file__).parent / "_bin" / ("deeppsl.exe" if os.name == "nt" else "deeppsl")
    if not inside.is_file():
        raise FileNotFoundError(
            f"{inside} is not there: install a wheel of deeppsl, or let DEEPPSL_BINARY name the program"
        )
    return str(inside)


def main() -> None:
    """Become the command deeppsl."""
    binary = find()
    if os.name == "nt":
        import subprocess

        sys.exit(subprocess.call([binary, *sys.argv[1:]]))
    os.execv(binary, ["deeppsl", *sys.argv[1:]])
