"""Loops: sampled at any time, checked and written."""

from __future__ import annotations

import os
from functools import cached_property
from html import escape
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from . import _native
from ._native import Loop as NativeLoop
from ._errors import ArrayError
from ._motion import Motion, warn
from ._poses import Floats, Poses, array, numbers, of_numbers, poses_in
from ._settings import path_of


class Loop(Motion[NativeLoop]):
    """A motion that repeats without a seam, while its root moves on by one constant twist or along a path.

    Its arrays are those of its file: with the last key that repeats the first, where the file has one. `sample` gives poses at any time.
    """

    def __init__(self, native: NativeLoop) -> None:
        """Private: loops come from `Take.make` and `loopwright.load`."""
        self._native = native

    def __repr__(self) -> str:
        return f"<Loop of {self.period:.3f} s at {self.speed:.2f} m/s: {self.grade}, {self.reason}>"

    def _repr_html_(self) -> str:
        """Shows notebooks the player of `loopwright report`, which loads nothing from the network."""
        with TemporaryDirectory() as folder:
            written, page = Path(folder, "loop.glb"), Path(folder, "page.html")
            self.write(written)
            _native.answer(["loopwright", "report", str(written), "-o", str(page)])
            text = page.read_text("utf-8").replace(str(written), f"{self.period:.3f} s at {self.speed:.2f} m/s")
        # Of one loop neither the heading nor the table is needed.
        for tag in ("<header", '<form id="filters"', '<table id="loops"'):
            text = text.replace(tag, f"{tag} hidden", 1)
        return f'<iframe srcdoc="{escape(text)}" sandbox="allow-scripts" style="width: 100%; height: 640px; border: 0"></iframe>'

    @cached_property
    def facts(self) -> dict[str, Any]:
        """All that is known of it: its sidecar (docs/formats/json.md)."""
        return self._native.facts()

    @property
    def grade(self) -> str:
        """"good", "review" or "bad"."""
        return str(self.facts["quality"]["grade"])

    @property
    def reason(self) -> str:
        """Why it has this grade."""
        return str(self.facts["quality"]["reason"])

    @property
    def checks(self) -> dict[str, dict[str, Any]]:
        """The checks behind the grade: each by its name, with its grade, value and limits."""
        return {check["id"]: check for check in self.facts["quality"]["checks"]}

    @property
    def period(self) -> float:
        """Length, seconds."""
        return self._native.period_secs

    @property
    def num_samples(self) -> int:
        """Frames of one period, without the one that repeats the first."""
        return self._native.num_samples

    @cached_property
    def _layout(self) -> tuple[float, int]:
        return self._native.layout()

    @property
    def num_frames(self) -> int:
        return self._layout[1]

    @property
    def fps(self) -> float:
        return self._layout[0]

    @property
    def phase(self) -> Floats:
        """Share of the loop that has passed at each frame (F,), 0 to below 1."""
        return np.arange(self.num_frames) % self.num_samples / self.num_samples

    @property
    def twist(self) -> tuple[Floats, Floats]:
        """Velocity of the root, m/s, and its angular velocity, rad/s, in its own axes: root(t) = root(0) exp(t twist)."""
        linear, angular = self._native.twist()
        return np.array(linear), np.array(angular)

    @property
    def speed(self) -> float:
        """Speed over the ground, m/s."""
        return float(self.facts["root_motion"]["speed_mps"])

    @property
    def turn_rate(self) -> float:
        """Degrees per second, left positive."""
        return float(self.facts["root_motion"]["turn_rate_dps"])

    @property
    def recipe(self) -> str | None:
        """The recipe that makes it again, in TOML; None for a loop that was read from a file."""
        return self._native.recipe()

    def sample(
        self, t: Any, *, local: bool = False, interpolation: str = "cubic", scalar_first: bool = False
    ) -> Poses:
        """The poses at `t`, seconds, of any shape and beyond one period: positions (*t, J, 3) and rotations (*t, J, 4).

        They are in the world; with `local` in the axes of the parents, the first joint in those of the root. Interpolation is "cubic", whose
        velocities are continuous over the seam too, or "linear", as engines play keys.

        >>> loop.sample([0, 0.5, 10]).positions.shape
        (3, 24, 3)
        """
        times = _times(t)
        if interpolation not in ("cubic", "linear"):
            raise ArrayError(f'interpolation: expected "cubic" or "linear", found {interpolation!r}')
        sampled = self._native.sample(times.tobytes(), local, interpolation == "linear", scalar_first)
        return poses_in(*sampled, *times.shape, self.num_body_joints)

    @cached_property
    def num_body_joints(self) -> int:
        """Joints of a sampled pose: those of the take, without a root joint that was added to the file."""
        points, _ = self._native.sample(np.zeros(1).tobytes(), True, True, False)
        return len(points) // 24

    def looped_along(self, values: Any) -> Floats:
        """Other numbers of its take, such as the shapes of a face (frames, W), looped along: at each of its samples (S, W).

        They are cut, sampled and closed as the body is, and stay within the values that each column has. Raises MakeError for a loop that was not
        made of a take here.

        >>> loop.looped_along(np.zeros((481, 2))).shape == (loop.num_samples, 2)
        True
        """
        found = numbers("values", values, (None, None))
        return array(self._native.looped_along(found.tobytes(), found.shape[1]), self.num_samples, found.shape[1])

    def root(self, t: Any, *, scalar_first: bool = False) -> Poses:
        """The root at `t`, seconds: positions (*t, 3) and rotations (*t, 4) in the world.

        >>> loop.root([0, 60]).positions.shape
        (2, 3)
        """
        times = _times(t)
        return poses_in(*self._native.root(times.tobytes(), scalar_first), *times.shape)

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Writes the loop and its sidecar, `path` with .json: both or none, and over other files only with `force`.

        >>> loop.write("walk-loop.bvh").name
        'walk-loop.bvh'
        """
        path = path_of("path", path)
        self._native.write(path, force)
        return Path(path)


def _times(t: Any) -> Floats:
    return numbers("t", t, (None,) * of_numbers("t", t).ndim)


def load(path: str | os.PathLike[str]) -> Loop:
    """Reads a loop with the sidecar beside it (`pack.glb#Walk-loop` names one of several). Raises ReadError.

    >>> load(loop.write("again.bvh")).grade
    'good'
    """
    native, said = _native.load(path_of("path", path))
    warn("FileWarning", said)
    return Loop(native)
