"""Seamless loops from motion capture: arrays in and out.

    import loopwright

    take = loopwright.read("walk.bvh")
    loop = take.make()
    loop.grade, loop.period, loop.speed
    loop.write("walk-loop.bvh")

Lengths are metres, times seconds, +Y is up, +Z forward, left turns are positive. Rotations are unit quaternions as x, y, z, w, or with
``scalar_first=True`` w, x, y, z.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from ._native import __version__

if TYPE_CHECKING:
    from . import bridges, match, plot
    from ._batch import batch, loop_row, tasks
    from ._cycles import Cycle, Cycles, cycles
    from ._errors import (
        ArrayError,
        CommandError,
        FileWarning,
        InternalError,
        LoopwrightError,
        LoopwrightWarning,
        MakeError,
        MissingPackageError,
        MotionWarning,
        NoLoopError,
        ReadError,
        SettingError,
        WriteError,
    )
    from ._gait import Gait, gait
    from ._loop import Loop, load
    from ._poses import Poses
    from ._road import Check, Costs, JumpCost, blend, check, cost, fit, inspect, list_loops, mirror, play, retarget
    from ._set import MotionSet, make_set
    from ._settings import Settings
    from ._rows import table
    from ._tables import Table
    from ._take import Candidate, Found, Take, animations, find, make, read

# Where each name lives: modules are imported when they are used, so that the command starts at once.
_HOMES = {
    "_batch": "batch loop_row tasks",
    "_cycles": "Cycle Cycles cycles",
    "_errors": (
        "ArrayError CommandError FileWarning InternalError LoopwrightError LoopwrightWarning MakeError "
        "MissingPackageError MotionWarning NoLoopError ReadError SettingError WriteError"
    ),
    "_gait": "Gait gait",
    "_loop": "Loop load",
    "_poses": "Poses",
    "_road": "Check Costs JumpCost blend check cost fit inspect list_loops mirror play retarget",
    "_rows": "table",
    "_set": "MotionSet make_set",
    "_settings": "Settings",
    "_tables": "Table",
    "_take": "Candidate Found Take animations find make read",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "ArrayError",
    "Candidate",
    "Check",
    "CommandError",
    "Costs",
    "Cycle",
    "Cycles",
    "FileWarning",
    "Found",
    "Gait",
    "InternalError",
    "JumpCost",
    "Loop",
    "LoopwrightError",
    "LoopwrightWarning",
    "MakeError",
    "MissingPackageError",
    "MotionSet",
    "MotionWarning",
    "NoLoopError",
    "Poses",
    "ReadError",
    "SettingError",
    "Settings",
    "Table",
    "Take",
    "WriteError",
    "__version__",
    "animations",
    "batch",
    "blend",
    "bridges",
    "check",
    "cost",
    "cycles",
    "find",
    "fit",
    "gait",
    "inspect",
    "list_loops",
    "load",
    "loop_row",
    "make",
    "make_set",
    "match",
    "mirror",
    "play",
    "plot",
    "read",
    "retarget",
    "table",
    "tasks",
]


def __getattr__(name: str) -> object:
    if name in ("bridges", "match", "plot"):
        return import_module(f"loopwright.{name}")
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module 'loopwright' has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
