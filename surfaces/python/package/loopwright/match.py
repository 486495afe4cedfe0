"""Motion matching: the frames of many takes and loops, and the one that fits best to a motion.

    database = loopwright.match.Database.build(["walk.bvh", "run.bvh"])
    database.query(take, 30, speed=1.4)
    database.save("walks.lwmatch")
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import ReadError, SettingError
from ._native import Loop as NativeLoop
from ._native import Take as NativeTake
from ._loop import Loop
from ._motion import warn
from ._road import Motionlike, Pathlike, has_sidecar, motion_of
from ._settings import bytes_of, given, is_path, listed, path_of
from ._take import Take

if TYPE_CHECKING:
    from typing_extensions import Unpack

    Rows = npt.NDArray[np.float32]

__all__ = ["Database"]


class _Wish(TypedDict, total=False):
    """Options of `Database.query`."""

    speed: float | None
    turn_rate: float | None
    tags: Mapping[str, str] | None
    gait: str | Sequence[str] | None
    standing: str | None
    top: int


class Database:
    """The frames of many motions, arranged for the search of the best one. It never changes."""

    def __init__(self, native: _native.Database, facts: dict[str, Any]) -> None:
        """Private: databases come from `Database.build` and `Database.load`."""
        self._native = native
        self.facts: dict[str, Any] = facts
        """Its contents, with the keys of `loopwright match inspect --json`."""

    def __repr__(self) -> str:
        return f"<Database of {self.num_rows} rows of {len(self.clips)} clips by {self.kind}>"

    @classmethod
    def build(
        cls,
        motions: Motionlike | Iterable[Motionlike],
        *,
        features: str = "future",
        ahead: Sequence[float] | None = None,
        fade: str | None = None,
        half_life: float | None = None,
        blend: float | None = None,
        weights: Mapping[str, float] | None = None,
        add: Database | None = None,
        tags: Mapping[str, str] | None = None,
        hips: str | None = None,
        feet: Sequence[str] | None = None,
    ) -> Database:
        """Builds one of takes, loops, and those in files and folders: by pose and "future", or by the "cost" of a jump.

        `ahead` are three times ahead, seconds; `fade`, `half_life`, `blend` and `weights` of joints say what a jump costs. With `add` the
        rows of that database stay as they are, its settings too. `tags` are those of all these motions. Raises MakeError.

        >>> len(Database.build(walk).clips)
        1
        """
        several = listed("motions", motions, (Take, Loop), "takes, loops")
        if add is not None and not isinstance(add, Database):
            raise SettingError(f"add: expected a Database, found {type(add).__name__}")
        natives = [native for index, each in enumerate(several) for native in _all_of(f"motions[{index}]", each)]
        stated = given(ahead=ahead, fade=fade, half_life=half_life, blend=blend, weights=weights)
        if features != "future":
            stated["features"] = features
        for name in stated if add is not None else ():
            raise SettingError(f"{name}: the rows of a database keep their settings, and add is given")
        settings = {**stated, **given(tags=tags, hips=hips, feet=feet)}
        native, said = _native.Database.build(natives, None if add is None else add._native, settings)
        warn("MotionWarning", said)
        return cls._of(native.bytes(), "")

    @classmethod
    def _of(cls, data: bytes, name: str) -> Database:
        native, facts = _native.Database.parse(name, data)
        return cls(native, facts)

    @classmethod
    def load(cls, path: Pathlike) -> Database:
        """Reads the file of one. Raises ReadError.

        >>> Database.load(Database.build(walk).save("walk.lwmatch")).kind
        'future'
        """
        named = path_of("path", path)
        return cls._of(bytes_of(named), named)

    def save(self, path: Pathlike, *, force: bool = False) -> Path:
        """Writes it into a file, as `loopwright match` reads it; over another one only with `force`."""
        named = path_of("path", path)
        self._native.write(named, force)
        return Path(named)

    def to_bytes(self) -> bytes:
        """The bytes of its file."""
        return self._native.bytes()

    @property
    def kind(self) -> str:
        """Its features: "future" or "cost"."""
        return str(self.facts["features"])

    @property
    def clips(self) -> list[dict[str, Any]]:
        """Its motions, in the order of their rows."""
        clips: list[dict[str, Any]] = self.facts["clips"]
        return clips

    @property
    def num_rows(self) -> int:
        """Frames that can be found."""
        return len(self.features)

    @cached_property
    def features(self) -> Rows:
        """The numbers of its rows (rows, columns), whose distances are compared: those of `loopwright match export`."""
        return _rows(*self._native.rows(None))

    def features_of(self, motion: Motionlike) -> Rows:
        """The numbers that the frames of a motion have in it (frames, columns); frames without a known future have none."""
        return _rows(*self._native.rows(motion_of("motion", motion)._native))

    @overload
    def query(self, motion: Motionlike, frame: int, **options: Unpack[_Wish]) -> list[dict[str, Any]]: ...

    @overload
    def query(
        self, motion: Motionlike, frame: Sequence[int] | npt.NDArray[np.integer[Any]], **options: Unpack[_Wish]
    ) -> list[list[dict[str, Any]]]: ...

    def query(
        self,
        motion: Motionlike,
        frame: int | Sequence[int] | npt.NDArray[np.integer[Any]],
        *,
        speed: float | None = None,
        turn_rate: float | None = None,
        tags: Mapping[str, str] | None = None,
        gait: str | Sequence[str] | None = None,
        standing: str | None = None,
        top: int = 5,
    ) -> list[dict[str, Any]] | list[list[dict[str, Any]]]:
        """The frames that fit best to a frame of a motion, the best first, with the keys of `found` in `loopwright match query --json`.

        `speed` (m/s) and `turn_rate` (deg/s) steer it; `tags`, `gait` and `standing` ("left", "right" or "both") say which frames pass. Of
        several frames there is a list of each. Raises NoLoopError where none passes.

        >>> len(Database.build(walk).query(walk, 240, top=1))
        1
        """
        frames = np.asarray(frame)
        if frames.dtype.kind not in "iu" or frames.ndim > 1:
            raise SettingError(f"frame: expected a whole number or a list of them, found {frame!r}")
        settings = given(speed=speed, turn_rate=turn_rate, tags=tags, gait=gait, standing=standing, top=top)
        found, said = self._native.query(motion_of("motion", motion)._native, [int(each) for each in frames.reshape(-1)], settings)
        warn("MotionWarning", said)
        return found if frames.ndim else found[0]


def _all_of(name: str, value: Any) -> list[tuple[NativeTake | NativeLoop, bool]]:
    """A motion, or all of a file, a folder or a pattern; and whether it is named. A file that nobody named may be none."""
    if not is_path(value):
        return [(motion_of(name, value)._native, True)]
    natives: list[tuple[NativeTake | NativeLoop, bool]] = []
    named = path_of(name, value)
    for path in map(os.fspath, _native.motions_in(named)):
        try:
            if has_sidecar(path):
                found, said = _native.loops_in([path])
                warn("FileWarning", said)
                natives += [(each, path == named) for each in found]
            else:
                natives.append((motion_of(name, path)._native, path == named))
        except ReadError as error:
            if path == named:
                raise
            warn("FileWarning", [f"left out: {error.what}"])
    return natives


def _rows(data: bytes, columns: int) -> Rows:
    return np.frombuffer(data, np.float32).reshape(-1, columns)
