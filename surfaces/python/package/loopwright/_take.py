"""Takes: read, searched, and made into loops."""

from __future__ import annotations

import os
from collections import Counter
from html import escape
from difflib import get_close_matches
from functools import cached_property
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native
from ._native import Take as NativeTake
from ._bodies import body as known_body
from ._errors import ArrayError, SettingError
from ._labels import phase_of, repeats_of
from ._loop import Loop
from ._motion import Motion, warn, warn_each
from ._poses import Floats, Ints, check_keys, numbers, of_numbers, positive
from ._rotations import inverse, least_twist, product, rotate, rotations_of, upright
from ._settings import RecipeLike, asked, check_count, path_of, text_of
from ._tables import Table

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import Settings

# Settings that say how a file is read.
READING = ("up", "unit", "animation", "skin", "speed_up", "robot")


class Take(Motion[NativeTake]):
    """A recording: the poses of a skeleton at even times. `loopwright.read` reads one; `Take.from_arrays` makes one.

    Arrays cannot be written to: a take never changes.
    """

    def __init__(self, native: NativeTake) -> None:
        """Private: takes come from `loopwright.read` and `Take.from_arrays`."""
        self._native = native
        self._played: list[dict[str, Any]] | None = None
        # Warnings of its file that were shown when it was read.
        self._said: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return f"<Take {self.name!r}: {self.num_frames} frames at {self.fps:.6g} fps, {self.num_joints} joints>"

    def _repr_html_(self) -> str:
        """Shows notebooks what `inspect` says of it."""
        return f"<p>{escape(repr(self))}</p>{Table(self._inspected['segments'])._repr_html_()}"

    @classmethod
    def from_arrays(
        cls,
        names: Sequence[str],
        parents: Sequence[int] | Ints,
        offsets: Any,
        rotations: Any,
        positions: Any = None,
        *,
        fps: float,
        scalar_first: bool = False,
        tips: Any = None,
        up: str = "+y",
        unit: float = 1.0,
        name: str = "take",
    ) -> Take:
        """A take of arrays.

        `names` (J,), `parents` (J,) with -1 for the first joint and each parent before its children, `offsets` (J, 3), `rotations` in the
        axes of the parents: quaternions (F, J, 4), matrices (F, J, 3, 3), or the first two columns of these, one after the other (F, J, 6).
        `positions` are those of the first joint (F, 3), or of all joints in the axes of their parents (F, J, 3); without them joints stay at their
        offsets. `tips` (J, 3) may be nan. `up` is the axis of the world that points up, `unit` the metres of one unit of length.

        Raises ArrayError, which names the argument, what was expected and what was found.

        >>> turned = np.tile(np.eye(3), (30, 2, 1, 1))
        >>> Take.from_arrays(["hips", "head"], [-1, 0], [[0, 90, 0], [0, 60, 0]], turned, fps=30, unit=0.01)
        <Take 'take': 30 frames at 30 fps, 2 joints>
        """
        of_parents = _parents(names, parents)
        count = len(of_parents)
        scale, turned = positive("unit", unit), upright(up)
        of_offsets = numbers("offsets", offsets, (count, 3)) * scale
        of_rotations = rotations_of("rotations", rotations, count, scalar_first).copy()
        frames = len(of_rotations)
        if frames == 0:
            raise ArrayError("rotations: expected one frame or more, found none")
        local = np.repeat(of_offsets[None], frames, axis=0)
        if positions is not None:
            if of_numbers("positions", positions).ndim == 2:
                local[:, 0] = numbers("positions", positions, (frames, 3)) * scale
            else:
                local = numbers("positions", positions, (frames, count, 3)) * scale
        local[:, 0] = rotate(turned, local[:, 0])
        of_rotations[:, 0] = product(turned, of_rotations[:, 0])
        of_tips = None if tips is None else numbers("tips", tips, (count, 3), finite=False) * scale
        rate = positive("fps", fps)
        return cls(
            _native.Take.of_arrays(
                text_of("name", name),
                [text_of("names", each) for each in names],
                of_parents,
                of_offsets.tobytes(),
                None if of_tips is None else of_tips.tobytes(),
                local.tobytes(),
                of_rotations.tobytes(),
                rate,
            )
        )

    @classmethod
    def from_positions(
        cls,
        positions: Any,
        body: str | tuple[Sequence[str], Sequence[int] | Ints] | None = None,
        *,
        fps: float,
        offsets: Any = None,
        up: str = "+y",
        unit: float = 1.0,
        name: str = "take",
    ) -> Take:
        """A take of positions in the world (F, J, 3) alone, as generators and markers give them, kept as they are.

        `body` is a name that `bridges.body` knows, such as "humanml3d" or "smpl", or names and parents; without it the number of joints says
        which. Rotations are those of least twist against the body at rest: about a bone they say nothing. `offsets` (J, 3) are its joints at
        rest in the axes of the world; without them it rests as in the first frame. `up` and `unit` are as in `from_arrays`. Raises ArrayError.

        >>> standing = np.zeros((30, 22, 3))
        >>> standing[..., 1] = np.linspace(0, 1.7, 22)
        >>> Take.from_positions(standing, fps=20)
        <Take 'take': 30 frames at 20 fps, 22 joints>
        """
        found = numbers("positions", positions, (None, None, 3))
        if len(found) == 0:
            raise ArrayError("positions: expected one frame or more, found none")
        names, parents = body if isinstance(body, tuple | list) and len(body) == 2 else known_body(found.shape[1] if body is None else body)
        of_parents = _parents(names, parents)
        turned = upright(up)
        world = rotate(turned, numbers("positions", found, (None, len(of_parents), 3)) * positive("unit", unit))
        if offsets is None:
            rest = world[0] - world[0, [max(parent, 0) for parent in of_parents]]
            rest[0] = world[0, 0]
        else:
            rest = rotate(turned, numbers("offsets", offsets, (len(of_parents), 3)) * unit)
        return of_world(names, of_parents, world, least_twist(world, of_parents, rest), rest, fps=fps, name=name)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Take:
        """A take of the arguments of `Take.from_arrays`, such as `to_dict` gives. Raises ArrayError.

        >>> Take.from_dict(walk.to_dict()).num_frames
        481
        """
        if not isinstance(data, Mapping):
            raise ArrayError(f"data: expected a dictionary, found {type(data).__name__}")
        needed = ("names", "parents", "offsets", "rotations", "fps")
        known = (*needed, "positions", "scalar_first", "tips", "up", "unit", "name")
        check_keys(data, needed)
        for key in data:
            if key not in known:
                raise ArrayError(f"data: expected the keys {', '.join(known)}, found {key!r}")
        return cls.from_arrays(**data)

    @property
    def name(self) -> str:
        """Its name: of the animation, or of the file."""
        return self._native.name

    @property
    def path(self) -> Path | None:
        """The file that it was read from."""
        path = self._native.path
        return None if path is None else Path(path)

    @property
    def num_frames(self) -> int:
        return self._native.num_frames

    @property
    def fps(self) -> float:
        return self._native.fps

    @property
    def duration(self) -> float:
        """Seconds from the first frame to the last."""
        return (self.num_frames - 1) / self.fps

    @property
    def facts(self) -> dict[str, Any]:
        """Facts about its file, with the keys of `take` in sidecars (docs/formats/json.md)."""
        return self._native.facts()

    @cached_property
    def phase(self) -> Floats:
        """The phase of the gait at each frame (F,), 0 to below 1 and continuous between frames; nan where there is none.

        It is 0 half through a contact of the left foot and 1/2 half through one of the right, as in sets (docs/formats/set.md), and passes evenly
        in between. Before the first of these, behind the last and in pauses there is none.

        >>> walk.phase[200:203].round(2)
        array([0.36, 0.38, 0.4 ])
        """
        found = phase_of(self._inspected["contacts"], self.num_frames, self.fps)
        found.flags.writeable = False
        return found

    def strides(self) -> Table:
        """Every stride with its parameters, whether it loops or not: `loopwright.gait(take).strides`.

        >>> len(walk.strides())
        12
        """
        return Table(self._inspected["gait"]["strides"])

    def repetitions(self) -> Table:
        """The stretches in which a motion is repeated twice or more: exercises as well as gaits.

        `start_secs` and `end_secs`, `start_frame` and `end_frame`, `period_secs` in the middle, `count` with parts of a period, and `strength`,
        which is 1 where poses repeat exactly and 0 where they are no more alike than others. Poses are seen from the hips: where they go and
        which way they face is left out. Of stretches that overlap the one that repeats better is listed.

        >>> [round(row["count"]) for row in walk.repetitions()]
        [7]
        """
        joint = self.names.index(self._inspected["hips"])
        turns = self.world_rotations()[:, joint] * (0.0, 1.0, 0.0, 1.0)
        lengths = np.linalg.norm(turns, axis=1, keepdims=True)
        turns = np.where(lengths > 1e-6, turns / np.maximum(lengths, 1e-6), (0.0, 0.0, 0.0, 1.0))
        # What the hips hang on does not go with them.
        body = [joint]
        for each in range(joint + 1, self.num_joints):
            if self.parents[each] in body:
                body.append(each)
        return Table(
            {
                "start_secs": each.start,
                "end_secs": each.end,
                "start_frame": round(each.start * self.fps),
                "end_frame": round(each.end * self.fps),
                "period_secs": each.period,
                "count": each.times,
                "strength": each.strength,
            }
            for each in repeats_of(rotate(inverse(turns)[:, None], self.positions[:, body] - self.positions[:, [joint]]), self.fps)
        )

    @property
    def _inspected(self) -> dict[str, Any]:
        return _native.inspect(self._native, asked({}))

    @property
    def played(self) -> list[dict[str, Any]] | None:
        """Which loop plays when, of a take that `loopwright.play` made, with the keys of `played` in `loopwright play --json`; else None."""
        return self._played

    def find(self, *, top: int = 10, recipe: RecipeLike | None = None, **settings: Unpack[Settings]) -> Found:
        """The stretches that loop, the recommended one first; empty where there is none.

        Raises SettingError where settings cannot be followed.

        >>> best = walk.find(cycles=2, speed=(1, 1.5))[0]
        >>> best.kind, best.grade, best.cycles
        ('walk', 'good', 2)
        """
        check_count("top", top)
        facts, stretches, said = self._native.find(asked(settings, recipe), top)
        self._warn(said)
        return Found((Candidate(native, row) for native, row in zip(stretches, facts.pop("candidates"), strict=True)), facts)

    def make(
        self,
        recipe: RecipeLike | None = None,
        *,
        candidate: Candidate | None = None,
        pick: int | None = None,
        **settings: Unpack[Settings],
    ) -> Loop:
        """Makes a loop: the recommended one, that of a `candidate`, or of row `pick` of the list, counted from 1.

        Raises NoLoopError where there is none, SettingError where settings cannot be followed, MakeError where it cannot be made.

        >>> walk.make(method="quintic", fps=30).fps
        30.0
        """
        return self._make(recipe, candidate, None if pick is None else [pick], False, settings)[0]

    def make_all(self, recipe: RecipeLike | None = None, **settings: Unpack[Settings]) -> list[Loop]:
        """Makes a loop of each row of the list; with `every_cycle=True` of each cycle of a gait.

        >>> len(walk.make_all(every_cycle=True))
        6
        """
        return self._make(recipe, None, None, True, settings)

    def close(
        self, start: float, end: float, recipe: RecipeLike | None = None, **settings: Unpack[Settings]
    ) -> Loop:
        """Makes a loop of the frames from `start` to `end`, whose pose repeats that of `start`.

        >>> walk.close(100, 169, method="spring").num_samples
        69
        """
        ends = {"start": numbers("start", start, (), False), "end": numbers("end", end, (), False)}
        return self._make(recipe, None, None, False, {**settings, **ends})[0]

    def _make(
        self,
        recipe: RecipeLike | None,
        candidate: Candidate | None,
        rows: list[int] | None,
        every: bool,
        settings: Mapping[str, Any],
    ) -> list[Loop]:
        for row in rows or ():
            check_count("pick", row)
        if candidate is not None and not isinstance(candidate, Candidate):
            raise SettingError(f"candidate: expected one of take.find(), found {type(candidate).__name__}")
        loops = self._loops(asked(settings, recipe, rows is not None or every or candidate is not None), candidate, rows, every)
        for loop in loops:
            self._warn(loop._native.warnings())
        return loops

    def _warn(self, said: Iterable[tuple[str, str]]) -> None:
        warn_each(each for each in said if each[1] not in self._said)

    def _loops(
        self,
        asked: _native.Asked,
        candidate: Candidate | None = None,
        rows: list[int] | None = None,
        every: bool = False,
    ) -> list[Loop]:
        """The loops themselves, whose warnings are left to the caller."""
        native = None if candidate is None else candidate._native
        return [Loop(made) for made in self._native.make(asked, native, rows, every)]

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Writes the take into a file, by its extension: whole or not at all, and over another file only with `force`.

        >>> read(walk.write("copy.glb")).num_frames
        481
        """
        path = path_of("path", path)
        warn("FileWarning", self._native.write(path, force))
        return Path(path)


class Candidate:
    """A stretch of a take that loops."""

    def __init__(self, native: _native.Candidate, facts: dict[str, Any]) -> None:
        """Private: candidates come from `Take.find`."""
        self._native = native
        self.facts: dict[str, Any] = facts
        """All that is known of it, with the keys of `candidates` in `loopwright find --json`."""

    def __repr__(self) -> str:
        return (
            f"<Candidate {self.rank}: frames {self.start:.0f}-{self.end:.2f}, {self.period:.3f} s, "
            f"{self.speed:.2f} m/s, {self.grade or 'not graded'}>"
        )

    @property
    def rank(self) -> int:
        """Its row in the list, from 1."""
        return int(self.facts["rank"])

    @property
    def start(self) -> float:
        """Frame at which the loop starts."""
        return float(self.facts["start_frame"])

    @property
    def end(self) -> float:
        """Frame whose pose repeats that of the start."""
        return float(self.facts["end_frame"])

    @property
    def period(self) -> float:
        """Length, seconds."""
        return float(self.facts["source_period_secs"])

    @property
    def kind(self) -> str:
        """What the body does in it, such as "walk" or "turning_walk"."""
        return "idle" if self.facts["idle"] else str(self.facts["segment"])

    @property
    def cycles(self) -> int:
        """Cycles of the motion in it."""
        return int(self.facts["cycles"])

    @property
    def speed(self) -> float:
        """Speed over the ground, m/s."""
        return float(self.facts["root_motion"]["speed_mps"])

    @property
    def turn_rate(self) -> float:
        """Degrees per second, left positive."""
        return float(self.facts["root_motion"]["turn_rate_dps"])

    @property
    def grade(self) -> str | None:
        """"good", "review" or "bad"."""
        grade: str | None = self.facts["grade"]
        return grade

    @property
    def reason(self) -> str | None:
        """Why it has this grade."""
        reason: str | None = self.facts["reason"]
        return reason


class Found(Sequence[Candidate]):
    """The list of loops of a take, the recommended one first."""

    def __init__(self, candidates: Iterable[Candidate], facts: dict[str, Any]) -> None:
        self._candidates = list(candidates)
        self.facts = facts
        """Further results of the search, with the keys of `loopwright find --json`: rhythm, segments, nearest_miss."""

    def __len__(self) -> int:
        return len(self._candidates)

    def __getitem__(self, index: Any) -> Any:
        return self._candidates[index]

    def __repr__(self) -> str:
        return repr(self._candidates)


def _parents(names: Any, parents: Any) -> list[int]:
    """The parents of joints with these names. Raises ArrayError where either are none of a body."""
    listed = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    if isinstance(names, str) or not all(isinstance(each, str) for each in listed):
        raise ArrayError(f"names: expected a list of strings, found {names!r:.60}", hint='*bridges.body("smpl"), or another of its bodies')
    if not listed:
        raise ArrayError("names: expected one joint or more, found none")
    twice = next((name for name, count in Counter(listed).items() if count > 1), None)
    if twice is not None:
        raise ArrayError(f"names: expected each once, found {twice!r:.60} again")
    found = numbers("parents", parents, (len(listed),))
    for joint, parent in enumerate(found):
        low, high = 0 if joint else -1, joint - 1
        if not low <= parent <= high or parent != int(parent):
            expected = f"0 to {high}" if joint else "-1"
            raise ArrayError(f"parents: expected {expected} for joint {joint}, found {parent:g}")
    return [int(parent) for parent in found]


def of_world(
    names: Sequence[str], parents: Sequence[int], positions: Floats, rotations: Floats, offsets: Floats | None = None, *, fps: float, name: str
) -> Take:
    """A take of positions (F, J, 3) and rotations (F, J, 4) in the world; without offsets joints rest at the middle of where they are."""
    of_parents = [max(parent, 0) for parent in parents]
    above = rotations[:, of_parents].copy()
    slid = positions - positions[:, of_parents]
    above[:, 0], slid[:, 0] = (0.0, 0.0, 0.0, 1.0), positions[:, 0]
    local = rotate(inverse(above), slid)
    rest = np.median(local, axis=0) if offsets is None else offsets
    return Take.from_arrays(names, parents, rest, product(inverse(above), rotations), local, fps=fps, name=name)


def read(
    source: str | os.PathLike[str] | bytes, *, name: str = "take", **settings: Unpack[Settings]
) -> Take:
    """Reads a take from a file (BVH, FBX, glTF, NPZ or VRMA; `pack.glb#Walk` names an animation), or from the bytes of one.

    Settings say how it is read, such as `up`, `unit`, `animation`, `skin`, `speed_up` and `robot` (the MJCF or URDF file of the robot whose
    motion it is), and what is seen in it, such as `feet` and `contact_speed`, which its contacts and its gait follow. Raises ReadError.

    >>> read(walk.to_bytes("bvh"), name="walk.bvh", contact_speed=0.1)
    <Take 'walk.bvh': 481 frames at 60 fps, 24 joints>
    """
    if isinstance(source, bytes | bytearray | memoryview):
        native, said = _native.Take.parse(bytes(source), text_of("name", name), asked(settings))
    else:
        native, said = _native.Take.open(path_of("source", source), asked(settings))
    warn("FileWarning", said)
    take = Take(native)
    take._said = frozenset(said)
    named = settings.get("feet") or ()
    for joint in [*([named] if isinstance(named, str) else named), *filter(None, [settings.get("hips")])]:
        if joint not in take.names:
            near = get_close_matches(str(joint), take.names, 1)
            raise SettingError(f"there is no joint named {joint!r:.60}", hint=repr(near[0]) if near else "take.names, which lists all")
    return take


def animations(path: str | os.PathLike[str]) -> list[str]:
    """Names of the animations in a file; empty where its format gives them none.

    >>> animations("walk.bvh")
    ['walk']
    """
    return _native.animation_names(path_of("path", path))


def find(take: Take | str | os.PathLike[str], **settings: Any) -> Found:
    """The stretches of a take that loop: see `Take.find`.

    >>> find("walk.bvh", cycles=2)[0].cycles
    2
    """
    return _take_of(take, settings).find(**settings)


def make(take: Take | str | os.PathLike[str], recipe: RecipeLike | None = None, **settings: Any) -> Loop:
    """Makes a loop of a take: see `Take.make`.

    >>> make("walk.bvh", fps=30).fps
    30.0
    """
    return _take_of(take, settings).make(recipe, **settings)


def _take_of(take: Any, settings: dict[str, Any]) -> Take:
    """A take, or that in a file, which is read by the settings that say how."""
    if isinstance(take, Take):
        return take
    return read(take, **{name: settings.pop(name) for name in READING if name in settings})


def opened(path: str | os.PathLike[str], settings: Mapping[str, Any], recipe: RecipeLike | None) -> Take:
    """The take in a file, read as settings and a recipe say, without a warning."""
    reading = {name: value for name, value in settings.items() if name in READING}
    return Take(_native.Take.open(path_of("path", path), asked(reading, recipe))[0])
