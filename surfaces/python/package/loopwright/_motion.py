"""Joints and their poses at even times, which takes and loops share, and warnings."""

from __future__ import annotations

import io
import sys
import warnings
from collections.abc import Iterable
from functools import cached_property
from typing import Any, Generic, TypeVar

import numpy as np

from . import _errors, _native
from ._native import Loop as NativeLoop
from ._native import Take as NativeTake
from ._poses import Bools, Floats, Ints, Poses, array, poses_in
from ._rotations import transforms
from ._settings import text_of


def warn(category: str, said: Iterable[str]) -> None:
    """Warns of what is odd in a category."""
    warn_each((category, text) for text in said)


def warn_each(said: Iterable[tuple[str, str]]) -> None:
    """Warns of what is odd; each text is shown once for each place in the code that calls this package, as Python does it."""
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").startswith(f"{__package__}."):
        level, frame = level + 1, frame.f_back
    for category, text in said:
        warning = getattr(_errors, category)(_native.in_python(text))
        # The add-on for Blender cuts off flags, which keywords and functions hide.
        warning.of_command = text
        warnings.warn(warning, stacklevel=level)


NativeT = TypeVar("NativeT", NativeTake, NativeLoop)


class Motion(Generic[NativeT]):
    """Joints and their poses at even times: shared by takes and loops."""

    _native: NativeT

    @cached_property
    def _skeleton(self) -> tuple[tuple[str, ...], Ints, Floats, Floats]:
        names, parents, offsets, tips = self._native.skeleton()
        count = len(names)
        of_parents = np.array(parents, np.int32)
        of_parents.flags.writeable = False
        return tuple(names), of_parents, array(offsets, count, 3), array(tips, count, 3)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, parents before their children."""
        return self._skeleton[0]

    @property
    def parents(self) -> Ints:
        """The parent of each joint (J,); -1 for the first, which has none."""
        return self._skeleton[1]

    @property
    def offsets(self) -> Floats:
        """Where each joint rests in the axes of its parent (J, 3), metres."""
        return self._skeleton[2]

    @property
    def tips(self) -> Floats:
        """Where the bones of joints without children end, in their axes (J, 3), metres; nan where that is not known."""
        return self._skeleton[3]

    @property
    def num_frames(self) -> int:
        """Number of frames."""
        raise NotImplementedError

    @property
    def fps(self) -> float:
        """Frames per second."""
        raise NotImplementedError

    @property
    def num_joints(self) -> int:
        """Number of joints."""
        return len(self.names)

    def _poses(self, local: bool, scalar_first: bool = False) -> Poses:
        return poses_in(*self._native.poses(local, scalar_first), self.num_frames, self.num_joints)

    @cached_property
    def positions(self) -> Floats:
        """Positions of all joints in the world (F, J, 3), metres."""
        return self._poses(local=False).positions

    @cached_property
    def local_positions(self) -> Floats:
        """Positions of all joints in the axes of their parents (F, J, 3), metres: their offsets, but for joints that move there."""
        return self._poses(local=True).positions

    def world_rotations(self, *, scalar_first: bool = False) -> Floats:
        """Rotations of all joints in the world (F, J, 4); signs are continuous along each joint.

        >>> walk.world_rotations().shape
        (481, 24, 4)
        """
        return self._poses(False, scalar_first).rotations

    def local_rotations(self, *, scalar_first: bool = False) -> Floats:
        """Rotations of all joints in the axes of their parents (F, J, 4); signs are continuous along each joint.

        >>> walk.local_rotations(scalar_first=True).shape
        (481, 24, 4)
        """
        return self._poses(True, scalar_first).rotations

    def matrices(self, *, local: bool = False) -> Floats:
        """Transforms of all joints (F, J, 4, 4), which act on columns: in the world, or in the axes of their parents.

        >>> walk.matrices().shape
        (481, 24, 4, 4)
        """
        return transforms(*self._poses(local))

    @cached_property
    def _contacts(self) -> tuple[tuple[int, ...], Bools]:
        joints, stands = self._native.contacts()
        return tuple(joints), np.frombuffer(stands, np.bool_).reshape(self.num_frames, len(joints))

    @property
    def contact_joints(self) -> tuple[int, ...]:
        """Indices of the joints that touch the ground, the columns of `contacts`; empty for a body without feet."""
        return self._contacts[0]

    @property
    def contacts(self) -> Bools:
        """Whether each foot stands (F, feet)."""
        return self._contacts[1]

    def to_dict(self) -> dict[str, Any]:
        """The arguments of `Take.from_arrays`, in double precision: `Take.from_dict` makes the same motion of them."""
        return {
            "names": list(self.names),
            "parents": self.parents,
            "offsets": self.offsets,
            "rotations": self.local_rotations(),
            "positions": self.local_positions,
            "fps": self.fps,
            "tips": self.tips,
        }

    def to_bytes(self, format: str) -> bytes:
        """The bytes of a file of a format: "bvh", "fbx", "glb", "gltf" or "npz".

        >>> walk.to_bytes("bvh")[:9]
        b'HIERARCHY'
        """
        written, said = self._native.bytes_as(f"motion.{text_of('format', format)}")
        warn("FileWarning", said)
        return written

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """All arrays, in single precision: those of the NPZ file that `loopwright convert` writes, to the bit."""
        written, _ = self._native.bytes_as("motion.npz")
        with np.load(io.BytesIO(written)) as file:
            return dict(file)
