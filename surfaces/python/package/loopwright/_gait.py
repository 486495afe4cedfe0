"""Steps, from when feet stand: strikes and lifts, lengths, cadence, duty factors and symmetry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import ArrayError
from ._loop import Loop
from ._poses import Bools, Floats
from ._tables import Table
from ._take import Take

# Below this way of the body, metres, a step has no direction.
_LEAST_WAY = 0.01
# Times between strikes above so many medians, of steps those of the same foot, are pauses.
_PAUSE = 1.5


@dataclass(frozen=True)
class Gait:
    """The steps of a body. Values that are not defined are nan: cadence without two strikes, symmetry without two feet."""

    steps: Table
    """A row for each contact, in the order of the strikes: `foot`, `strike_secs`, `lift_secs`, `stance_secs`; from the strike of another
    foot before it `step_secs` and `step_length_m`, from that of the same foot `stride_secs` and `stride_length_m`. Lengths are along the way
    of the body. In a take that begins or ends while a foot stands its strike or lift is nan; of a loop all belong to one cycle."""
    cadence: float
    """Steps per minute."""
    duty_factors: dict[str, float]
    """The share of a stride for which each foot stands."""
    symmetry: dict[str, float]
    """Of two feet: the smaller over the larger mean of `step_secs`, `step_length` and `duty_factor`, without pauses; 1 is even."""

    @property
    def summary(self) -> dict[str, Any]:
        """All but the steps, with their means without pauses, as a row."""
        return {
            "steps": sum(bool(np.isfinite(step["strike_secs"])) for step in self.steps),
            "cadence_spm": self.cadence,
            **{
                f"mean_{name}": _mean(step[name] for step in _steady(self.steps, f"{name.split('_')[0]}_secs"))
                for name in ("step_secs", "step_length_m", "stride_secs", "stride_length_m", "stance_secs")
            },
            "duty_factor": _mean(self.duty_factors.values()),
            **{f"duty_factor_{foot}": share for foot, share in self.duty_factors.items()},
            **{f"{name}_symmetry": value for name, value in self.symmetry.items()},
        }


def gait(motion: Take | Loop) -> Gait:
    """The steps of a take or a loop, by its contacts; empty for a body without feet."""
    if not isinstance(motion, Take | Loop):
        raise ArrayError(f"motion: expected a take or a loop, found {type(motion).__name__}")
    cycle = motion.num_samples if isinstance(motion, Loop) else None
    joints, stands = contacts_of(motion)
    steps: list[dict[str, Any]] = []
    for column, joint in enumerate(joints):
        for start, end in _contacts(stands[:, column], cycle):
            steps.append({"joint": joint, "start": start, "end": end, "place": _place(motion, joint, start, end)})
    steps.sort(key=lambda step: (step["start"], step["joint"]))
    rows = Table(_row(motion, steps, at) for at in range(len(steps)))
    feet = [motion.names[joint] for joint in joints]
    duty = {}
    for column, foot in enumerate(feet):
        strides = [row["stance_secs"] / row["next_secs"] for row in _steady(rows, "next_secs") if row["foot"] == foot]
        duty[foot] = float(stands[:, column].mean()) if cycle else _mean(strides)
    for row in rows:
        del row["next_secs"]
    times = [row["strike_secs"] for row in rows if np.isfinite(row["strike_secs"])]
    if cycle:
        cadence = 60 * len(times) / (cycle / motion.fps) if len(times) > 1 else np.nan
    else:
        between = np.diff(times)
        # Where the body pauses no step is taken.
        steady = between[between <= _PAUSE * np.median(between)] if len(between) else between
        cadence = 60 / float(steady.mean()) if len(steady) and steady.mean() > 0 else np.nan
    symmetry = {"step_secs": np.nan, "step_length": np.nan, "duty_factor": np.nan}
    if len(feet) == 2:
        steady = _steady(rows, "step_secs")
        for name, column_of in (("step_secs", "step_secs"), ("step_length", "step_length_m")):
            symmetry[name] = _evenness(*(_mean(row[column_of] for row in steady if row["foot"] == foot) for foot in feet))
        symmetry["duty_factor"] = _evenness(*duty.values())
    return Gait(rows, float(cadence), duty, symmetry)


def _steady(steps: Table, secs: str) -> Table:
    """The steps but those with a pause in this time."""
    longest = {}
    for foot in {step["foot"] for step in steps}:
        known = [step[secs] for step in steps if step["foot"] == foot and np.isfinite(step[secs])]
        longest[foot] = _PAUSE * float(np.median(known)) if known else np.inf
    return Table(step for step in steps if not step[secs] > longest[step["foot"]])


def contacts_of(motion: Take | Loop) -> tuple[tuple[int, ...], Bools]:
    """Joints of feet and whether each stands: of a take at its frames, of a loop at the samples of one period."""
    count = motion.num_samples if isinstance(motion, Loop) else motion.num_frames
    return motion.contact_joints, motion.contacts[:count]


def _contacts(stands: Bools, cycle: int | None) -> list[tuple[float, float]]:
    """First frames of contacts and of what follows them; of a cycle each starts in it, and nan is what a take does not hold."""
    if cycle:
        if stands.all():
            return []
        begins = np.flatnonzero(stands & ~np.roll(stands, 1))
        ends = np.flatnonzero(~stands & np.roll(stands, 1))
        after = [int(ends[ends > begin][0]) if (ends > begin).any() else int(ends[0]) + cycle for begin in begins]
        return [(float(begin), float(end)) for begin, end in zip(begins, after, strict=True)]
    edges = np.diff(np.concatenate([[0], stands.astype(np.int8), [0]]))
    found = []
    for begin, end in zip(np.flatnonzero(edges > 0), np.flatnonzero(edges < 0), strict=True):
        found.append((float(begin) if begin else -np.inf, float(end) if end < len(stands) else np.inf))
    return found


def _place(motion: Take | Loop, joint: int, start: float, end: float) -> Floats:
    """Where a foot stands: the mean over its contact, of a loop at any frames."""
    if isinstance(motion, Loop):
        # A root joint that was added to the file is none of a pose.
        added = motion.num_joints - motion.num_body_joints
        return np.asarray(motion.sample(np.arange(start, end) / motion.fps).positions[:, joint - added].mean(axis=0))
    frames = np.arange(max(start, 0.0), min(end, float(motion.num_frames)))
    return np.asarray(motion.positions[frames.astype(int), joint].mean(axis=0))


def _body(motion: Take | Loop, frame: float) -> Floats:
    """Where the body is: its root, or of a take the mean of its joints."""
    if isinstance(motion, Loop):
        return motion.root(frame / motion.fps).positions
    return np.asarray(motion.positions[int(frame)].mean(axis=0))


def _row(motion: Take | Loop, steps: list[dict[str, Any]], at: int) -> dict[str, Any]:
    step = steps[at]
    start, end = _known(step["start"]), _known(step["end"])
    other = _before(motion, steps, at, lambda each: each["joint"] != step["joint"])
    same = _before(motion, steps, at, lambda each: each["joint"] == step["joint"])
    later = next((each["start"] for each in steps[at + 1 :] if each["joint"] == step["joint"]), np.nan)
    return {
        "foot": motion.names[step["joint"]],
        "strike_secs": start / motion.fps,
        "lift_secs": end / motion.fps,
        "stance_secs": (end - start) / motion.fps,
        "step_secs": other[0],
        "step_length_m": other[1],
        "stride_secs": same[0],
        "stride_length_m": same[1],
        "next_secs": (later - start) / motion.fps,
    }


def _before(motion: Take | Loop, steps: list[dict[str, Any]], at: int, fits: Callable[[dict[str, Any]], bool]) -> tuple[float, float]:
    """Seconds and metres since the last strike that fits; of a loop it may lie in the cycle before."""
    step = steps[at]
    earlier = [(each["start"], each["place"]) for each in steps[:at] if fits(each) and each["start"] < step["start"]]
    if isinstance(motion, Loop) and not earlier:
        fitting = [each for each in steps if fits(each)]
        if fitting:
            last = max(fitting, key=lambda each: each["start"])
            start, end = last["start"] - motion.num_samples, last["end"] - motion.num_samples
            earlier = [(start, _place(motion, last["joint"], start, end))]
    if not earlier or not np.isfinite(step["start"]) or not np.isfinite(earlier[-1][0]):
        return np.nan, np.nan
    start, place = earlier[-1]
    way = (_body(motion, step["start"]) - _body(motion, start)) * (1.0, 0.0, 1.0)
    length = float(np.linalg.norm(way))
    along = float((step["place"] - place) @ way / length) if length > _LEAST_WAY else np.nan
    return (step["start"] - start) / motion.fps, along


def _known(frame: float) -> float:
    return frame if np.isfinite(frame) else np.nan


def _mean(values: Any) -> float:
    known = [value for value in values if np.isfinite(value)]
    return float(np.mean(known)) if known else np.nan


def _evenness(one: float, other: float) -> float:
    largest = max(abs(one), abs(other))
    return min(one, other) / largest if np.isfinite(largest) and largest > 0 else np.nan
