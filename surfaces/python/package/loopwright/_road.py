"""Mixes, plays, compares, measures and checks takes and loops, and puts them onto characters."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict, TypeVar, overload

import numpy as np
import numpy.typing as npt

from . import _native
from ._errors import SettingError
from ._loop import Loop, load
from ._motion import warn, warn_each
from ._poses import Floats, array, numbers
from ._settings import asked, check_count, given, is_path, listed, path_of, text_of
from ._take import Take, read

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._native import Loop as NativeLoop
    from ._settings import Settings

Pathlike: TypeAlias = "str | os.PathLike[str]"
Motionlike: TypeAlias = "Take | Loop | Pathlike"
MotionT = TypeVar("MotionT", Take, Loop)
Indices = npt.NDArray[np.int64]


def document(command: str, *paths: str) -> dict[str, Any]:
    """The JSON document that a command prints about files."""
    _, printed, said = _native.answer(["loopwright", command, "--json", "--", *paths])
    return warned(json.loads(printed), said)


def warned(facts: dict[str, Any], said: Iterable[str]) -> dict[str, Any]:
    """Facts, once it is warned of what is odd in them."""
    warn("MotionWarning", said)
    return facts


def motion_of(name: str, value: Any) -> Take | Loop:
    """A take or a loop, or what a file holds: a loop where its sidecar is beside it, else a take."""
    if isinstance(value, Take | Loop):
        return value
    if not is_path(value):
        raise SettingError(f"{name}: expected a Take, a Loop or a path, found {type(value).__name__}")
    path = path_of(name, value)
    if not has_sidecar(path):
        return read(path)
    return load(path)


def has_sidecar(path: str) -> bool:
    file = path if os.path.exists(path) else path.rpartition("#")[0]
    return os.path.exists(f"{file}.json")


def take_of(name: str, value: Any) -> Take:
    if isinstance(value, Take):
        return value
    if not is_path(value):
        raise SettingError(f"{name}: expected a Take or a path, found {type(value).__name__}")
    return read(path_of(name, value))


def _loops(loops: Any) -> list[NativeLoop]:
    """Loops, and those in files and folders."""
    natives: list[NativeLoop] = []
    for index, each in enumerate(listed("loops", loops, Loop, "loops")):
        if isinstance(each, Loop):
            natives.append(each._native)
        elif is_path(each):
            found, said = _native.loops_in([path_of(f"loops[{index}]", each)])
            warn("FileWarning", said)
            natives += found
        else:
            raise SettingError(f"loops[{index}]: expected a Loop or a path, found {type(each).__name__}")
    return natives


def blend(
    loops: Loop | Pathlike | Iterable[Loop | Pathlike],
    weights: Sequence[float] | Floats | None = None,
    *,
    speed: float | None = None,
    turn_rate: float | None = None,
    lock_feet: str = "auto",
    for_: str | None = None,
    recenter: bool | None = None,
    rig: Pathlike | None = None,
    map: Pathlike | None = None,
    bone_stretch: float | None = None,
    reference: Pathlike | int | None = None,
    gaze: Pathlike | float | None = None,
    hips: str | None = None,
    feet: Sequence[str] | None = None,
) -> Loop:
    """Mixes loops of one skeleton into one, with `weights`, or by the `speed` (m/s) or `turn_rate` (deg/s) that it is to have.

    With `rig`, a character's file, loops of any skeletons are mixed on that. Raises MakeError.

    >>> blend([loop, mirror(loop)], [0.5, 0.5]).grade
    'good'
    """
    settings = given(
        weights=None if weights is None else numbers("weights", weights, (None,)),
        speed=speed,
        turn_rate=turn_rate,
        lock_feet=lock_feet,
        for_=for_,
        recenter=recenter,
        rig=rig,
        map=map,
        bone_stretch=bone_stretch,
        reference=reference,
        gaze=gaze,
        hips=hips,
        feet=feet,
    )
    return _loop(_native.blend(_loops(loops), settings))


def _loop(native: NativeLoop) -> Loop:
    warn_each(native.warnings())
    return Loop(native)


def play(
    loops: Loop | Pathlike | Iterable[Loop | Pathlike],
    seconds: float = 60.0,
    *,
    seed: int = 0,
    fps: float | None = None,
    cycles: tuple[int, int] = (1, 3),
    fade: str = "quintic",
    fade_seconds: float | None = None,
    lock_feet: str = "auto",
    for_: str | None = None,
    recenter: bool | None = None,
    hips: str | None = None,
    feet: Sequence[str] | None = None,
    name: str = "played",
) -> Take:
    """Plays loops of one skeleton one after the other in a random order, which `Take.played` tells. Raises MakeError.

    Each plays for `cycles`, fewest and most, and on to its best exit; the same `seed` gives the same motion.

    >>> play([loop], seconds=10, seed=1).num_frames
    601
    """
    settings = given(
        seconds=seconds,
        seed=seed,
        fps=fps,
        cycles=cycles,
        fade=fade,
        fade_seconds=fade_seconds,
        lock_feet=lock_feet,
        for_=for_,
        recenter=recenter,
        hips=hips,
        feet=feet,
    )
    native, played, said = _native.play(_loops(loops), text_of("name", name), settings)
    warn("MotionWarning", said)
    take = Take(native)
    take._played = played
    return take


@dataclass(frozen=True, repr=False)
class Costs:
    """Costs of jumps, metre-seconds: weighted distances of joints from their target, summed over joints, axes and the fade."""

    table: Floats
    """From each exit into each entry (exits, entries); nan where there is no jump."""
    exits: Indices
    """Frames of the rows, of many motions their numbers."""
    entries: Indices
    """Frames of the columns, of many motions their numbers."""
    best: list[dict[str, Any]]
    """The cheapest jumps, the cheapest first, with the keys of `best` in `loopwright cost --json`."""
    facts: dict[str, Any]
    """Further facts, with the keys of `table` or `among` in `loopwright cost --json`."""

    def __repr__(self) -> str:
        return f"<Costs of {self.table.shape[0]} exits and {self.table.shape[1]} entries>"


@dataclass(frozen=True, repr=False)
class JumpCost:
    """Costs of one jump, and its parts: joints, then the velocity and the turning of the root."""

    costs: dict[str, float]
    """The whole cost by fade: "spring", "cubic" and "quintic", metre-seconds."""
    parts: tuple[str, ...]
    """Names of the parts."""
    weights: Floats
    """Their weights (P,), factors on metres."""
    positions: Floats
    """Gaps of position (P, 3), metres; nan for the root, which goes on where it is."""
    velocities: Floats
    """Gaps of velocity (P, 3), m/s; of the root's turning the first number, times half the height of the body."""
    part_costs: Floats
    """Costs (P, 3) of the parts with a spring, a cubic and a quintic."""
    facts: dict[str, Any]
    """The answer of `loopwright cost --json`."""

    def __repr__(self) -> str:
        return f"<JumpCost {self.costs}>"


class _Jumps(TypedDict, total=False):
    """Options of `cost`."""

    fade: str
    half_life: float
    blend: float
    top: int
    weights: Mapping[str, float] | None
    size: int
    hips: str | None
    feet: Sequence[str] | None


@overload
def cost(a: Motionlike, b: Motionlike, *, frames: tuple[int, int], **options: Unpack[_Jumps]) -> JumpCost: ...


@overload
def cost(
    a: Motionlike | Sequence[Motionlike],
    b: Motionlike | None = None,
    *,
    frames: tuple[int | None, int | None] | None = None,
    **options: Unpack[_Jumps],
) -> Costs | JumpCost: ...


def cost(
    a: Motionlike | Sequence[Motionlike],
    b: Motionlike | None = None,
    *,
    frames: tuple[int | None, int | None] | None = None,
    fade: str = "spring",
    half_life: float = 0.1,
    blend: float = 0.4,
    top: int = 10,
    weights: Mapping[str, float] | None = None,
    size: int = 128,
    hips: str | None = None,
    feet: Sequence[str] | None = None,
) -> Costs | JumpCost:
    """Costs of leaving motion `a` and entering `b`: a table over their frames, at most `size` of each, and the best jumps.

    With `frames`, an exit and an entry, the parts of that jump; of several motions `a` alone, or a folder, the cheapest jump from each into
    each other. `weights` are those of joints, by pattern. Raises NoLoopError where there is no jump.

    >>> cost(loop, loop)
    <Costs of 69 exits and 69 entries>
    """
    check_count("size", size)
    settings = given(fade=fade, half_life=half_life, blend=blend, top=top, weights=weights, hips=hips, feet=feet)
    if b is None and is_path(a):
        facts = warned(*_native.cost_among(path_of("a", a), settings))["among"]
        return _among(facts, np.array(facts.pop("costs_metre_secs"), np.float64))
    if b is None:
        if isinstance(a, Take | Loop) or not isinstance(a, Iterable):
            raise SettingError(f"b: expected a second motion, or a list of motions as a, found {type(a).__name__} alone")
        motions = [motion_of(f"a[{index}]", each) for index, each in enumerate(a)]
        if len(motions) < 2:
            raise SettingError(f"a: expected two motions or more, found {len(motions)}")
        if frames is not None:
            raise SettingError("frames: expected two motions, a and b, found a list of motions")
        if len(motions) == 2:
            raise SettingError("a: two motions are compared as a and b")
        wanted: list[int | None] = [None] * len(motions)
    else:
        motions = [motion_of("a", a), motion_of("b", b)]
        try:
            first, second = frames or (None, None)
            wanted = [None if frame is None else int(frame) for frame in (first, second)]
        except (TypeError, ValueError) as error:
            raise SettingError(f"frames: expected (exit, entry), found {frames!r}") from error
    jumps = [(motion._native, frame) for motion, frame in zip(motions, wanted, strict=True)]
    facts, costs, said = _native.cost(jumps, settings, int(size))
    warn("MotionWarning", said)
    if facts["among"] is not None:
        return _among(facts["among"], array(costs, len(motions), len(motions)))
    if facts["pair"] is not None:
        return _jump(facts)
    of_table = facts["table"]
    exits, entries = (_frozen(of_table.pop(key), np.int64) for key in ("exit_frames", "entry_frames"))
    of_table.pop("costs_metre_secs")
    return Costs(array(costs, len(exits), len(entries)), exits, entries, of_table.pop("best"), of_table)


def _among(facts: dict[str, Any], table: Floats) -> Costs:
    facts.pop("costs_metre_secs", None)
    table.flags.writeable = False
    each = _frozen(range(len(table)), np.int64)
    return Costs(table, each, each, facts.pop("best"), facts)


def _jump(facts: dict[str, Any]) -> JumpCost:
    gaps = facts["pair"]["gaps"]
    costs = {cost["decay"]: float(cost["cost_metre_secs"]) for cost in facts["pair"]["costs"]}
    positions = [gap["position_m"] if gap["is_joint"] else [np.nan] * 3 for gap in gaps]
    return JumpCost(
        costs=costs,
        parts=tuple(str(gap["part"]) for gap in gaps),
        weights=_frozen([gap["weight"] for gap in gaps]),
        positions=_frozen(positions),
        velocities=_frozen([gap["velocity_mps"] for gap in gaps]),
        part_costs=_frozen([gap["costs_metre_secs"] for gap in gaps]),
        facts=facts,
    )


def _frozen(values: Any, kind: type = np.float64) -> Any:
    found: Any = np.array(values, kind)
    found.flags.writeable = False
    return found


def fit(
    takes: Take | Pathlike | Iterable[Take | Pathlike],
    *,
    mode: str | None = None,
    smoothing: float | None = None,
    hips: str | None = None,
    feet: Sequence[str] | None = None,
) -> dict[str, Any]:
    """Figures for a character controller from takes or folders of them: the document of `loopwright fit --json`.

    >>> fit(walk, smoothing=0.2)["smoothing_secs"]
    0.2
    """
    several = listed("takes", takes, Take, "takes")
    settings = given(mode=mode, smoothing=smoothing, hips=hips, feet=feet)
    if all(is_path(take) for take in several):
        return warned(*_native.fit_files([path_of("takes", take) for take in several], settings))
    return warned(*_native.fit([take_of(f"takes[{index}]", take)._native for index, take in enumerate(several)], settings))


def inspect(take: Take | Pathlike, **settings: Unpack[Settings]) -> dict[str, Any]:
    """Describes a take: the document of `loopwright inspect --json`. Settings say how a file is read, as those of `read`.

    >>> inspect(walk)["feet"]
    ['LeftFoot', 'RightFoot']
    """
    if settings and isinstance(take, Take):
        raise SettingError("the take is read already", hint="these settings for loopwright.read")
    if settings:
        take = read(path_of("take", take), **settings)
    if is_path(take):
        return document("inspect", path_of("take", take))
    return _native.inspect(take_of("take", take)._native, asked({}))


def list_loops(*paths: Pathlike) -> dict[str, Any]:
    """The animations of files and the loops in them: the document of `loopwright list --json`."""
    return document("list", *(path_of("paths", path) for path in paths))


class _Onto(TypedDict, total=False):
    """Options of `retarget`."""

    map: Pathlike | None
    bone_stretch: float | None
    reference: Pathlike | int | None
    gaze: Pathlike | float | None
    for_: str | None
    recenter: bool | None
    hips: str | None
    feet: Sequence[str] | None


@overload
def retarget(motion: MotionT, rig: Pathlike, **options: Unpack[_Onto]) -> MotionT: ...


@overload
def retarget(motion: Pathlike, rig: Pathlike, **options: Unpack[_Onto]) -> Take | Loop: ...


def retarget(motion: Motionlike, rig: Pathlike, **options: Unpack[_Onto]) -> Take | Loop:
    """Puts a take or a loop onto the character in the file `rig`, its feet held; it is then written as a copy of that file.

    `map` is a file of which joints follow which, `bone_stretch` by how much bones of legs may grow, percent.
    `reference` is the pose of the motion's skeleton that is laid onto the character's rest pose ("rest", "motion", a frame, or a file), `gaze` by how
    many degrees the motion looks higher ("keep", a number, or a file of neutral motion). Raises MakeError, and SettingError for another option.

    >>> retarget(walk, "walk.bvh").num_frames
    481
    """
    for name in options.keys() - _Onto.__annotations__.keys():
        near = get_close_matches(name, _Onto.__annotations__, 1)
        raise SettingError(f"there is no setting '{name}'", hint=f"{near[0]}=" if near else None)
    settings = given(rig=path_of("rig", rig), **options)
    return _motion(*_native.retarget(motion_of("motion", motion)._native, settings))


def _motion(native: _native.Take | _native.Loop, said: list[str]) -> Take | Loop:
    warn("MotionWarning", said)
    return Take(native) if isinstance(native, _native.Take) else _loop(native)


@overload
def mirror(
    motion: MotionT,
    pairs: Mapping[str, str] | Iterable[str] | None = ...,
    *,
    hips: str | None = ...,
    feet: Sequence[str] | None = ...,
) -> MotionT: ...


@overload
def mirror(
    motion: Pathlike,
    pairs: Mapping[str, str] | Iterable[str] | None = ...,
    *,
    hips: str | None = ...,
    feet: Sequence[str] | None = ...,
) -> Take | Loop: ...


def mirror(
    motion: Motionlike,
    pairs: Mapping[str, str] | Iterable[str] | None = None,
    *,
    hips: str | None = None,
    feet: Sequence[str] | None = None,
) -> Take | Loop:
    """The mirror image of a motion across X: left and right are exchanged by the names of joints and by `pairs`, left to right.

    Raises SettingError where they cannot be exchanged.

    >>> mirror(loop).grade
    'good'
    """
    if isinstance(pairs, Mapping):
        pairs = [f"{left}={right}" for left, right in pairs.items()]
    if isinstance(pairs, str):
        raise SettingError(f"pairs: expected a dict of left and right joints, found {pairs!r}")
    settings = given(hips=hips, feet=feet)
    return _motion(*_native.mirror(motion_of("motion", motion)._native, list(pairs or ()), settings))


@dataclass(frozen=True, repr=False)
class Check:
    """The verdict on a loop."""

    grade: str
    """"good", "review" or "bad"."""
    reason: str
    """Why it has this grade."""
    checks: dict[str, dict[str, Any]]
    """The checks behind the grade: each by its name, with its grade, value and limits."""
    facts: dict[str, Any]
    """All that was measured, with the keys of `loops` in `loopwright check --json`."""

    def __repr__(self) -> str:
        return f"<Check {self.grade}: {self.reason}>"


def check(loop: Motionlike, *, take: Take | Pathlike | None = None, only: Sequence[str] | None = None) -> Check:
    """Measures a loop again, beside the `take` that it was made of where that is given; a file, or a take, needs no sidecar.

    >>> check(loop, take=walk)
    <Check good: the seam does not show>
    """
    settings = given(only=only)
    if is_path(loop) and (take is None or is_path(take)):
        beside = None if take is None else path_of("take", take)
        found = warned(*_native.check_file(path_of("loop", loop), beside, settings))
    else:
        beside_it = None if take is None else take_of("take", take)._native
        found = warned(*_native.check(motion_of("loop", loop)._native, beside_it, settings))
    if len(found["loops"]) != 1:
        raise SettingError(f"loop: expected one loop, found {len(found['loops'])} in {loop!r}")
    facts = found["loops"][0]
    warn("MotionWarning", facts["warnings"])
    quality = facts["quality"]
    return Check(quality["grade"], quality["reason"], {check["id"]: check for check in quality["checks"]}, facts)
