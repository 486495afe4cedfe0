"""The command `loopwright`, from the same library as the package."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of the process."""
    return _native.command(["loopwright", *sys.argv[1:]])
