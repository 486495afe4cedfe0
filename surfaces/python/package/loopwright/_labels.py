"""Labels of a take: its phase at every frame, and what repeats in it how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ._poses import Floats

# A stride is a pause if it takes this many times the median, and longer than a slow step; frames in it have no phase.
_PAUSE, _PAUSE_SECS = 2.0, 2.0

# Poses are compared this many times a second.
_RATE_HZ = 15.0

# Periods that are looked for, seconds.
_PERIODS = (0.4, 12.0)

# Bodies move at least by this, metres from their mean pose: more than somebody sways who stands.
_MOVING = 0.02

# Poses repeat where those one period apart differ by less than this share of what poses differ by at random, ...
_ALIKE = 0.45

# ... the shortest period is meant whose share is at most this much above the best, ...
_SHORTEST = 0.3

# Of stretches that share more than this of the weaker one the stronger counts.
_SHARED = 0.4

# It starts and ends where a body moves faster than this share of its root mean square, ...
_RESTS = 0.3

# ... and goes on while periods change by less than this from frame to frame, as logarithms.
_STEADY = 0.15


def phase_of(contacts: Sequence[dict[str, Any]], frames: int, fps: float) -> Floats:
    """The phase of the gait at each frame: 0 half through a contact of the left foot, 1/2 half through one of the right, even in between; nan
    before the first, behind the last, and where the body pauses. By the contacts of `inspect`, of the first foot of each side."""
    feet = {side: next((each["joint"] for each in contacts if each["side"] == side), None) for side in ("left", "right")}
    middles = sorted(
        ((each["strike_secs"] + each["lift_secs"]) / 2, 0.0 if each["side"] == "left" else 0.5)
        for each in contacts
        if each["joint"] == feet.get(each["side"]) and each["strike_secs"] is not None and each["lift_secs"] is not None
    )
    if len(middles) < 2 or None in feet.values():
        return np.full(frames, np.nan)
    times, sides = np.array(middles).T
    passed = np.diff(sides) % 1
    passed[passed == 0] = 1
    strides = np.diff(times) / passed
    at = np.arange(frames) / fps
    phases = np.interp(at, times, np.concatenate([[0.0], np.cumsum(passed)]) + sides[0], np.nan, np.nan)
    pauses = strides > max(_PAUSE * np.median(strides), _PAUSE_SECS)
    phases[pauses[np.clip(np.searchsorted(times, at, "right") - 1, 0, len(pauses) - 1)]] = np.nan
    return np.asarray(phases % 1)


class Repeats(NamedTuple):
    """A stretch in which poses repeat."""

    start: float
    """Where it starts, seconds."""
    end: float
    period: float
    """The middle one, seconds."""
    times: float
    """How often the motion is done, with parts of it."""
    strength: float
    """1 where poses repeat exactly, 0 where they are no more alike than others."""


def repeats_of(poses: Floats, fps: float) -> Iterator[Repeats]:
    """The stretches of poses (F, J, 3), seen from the body, in which they repeat twice or more.

    Between poses u and u + T the squared distance is compared with that of two poses of the 2 T around: their ratio, over one T, is low at a
    period. From the first to the last pose that is like the one a period later, the periods add up to the count.
    """
    every = max(round(fps / _RATE_HZ), 1)
    rate = fps / every
    values = poses[::every].reshape(len(poses[::every]), -1)
    count, joints = len(values), poses.shape[1]
    lags = np.arange(max(int(_PERIODS[0] * rate), 2), min(int(_PERIODS[1] * rate), count // 2) + 1)
    if len(lags) == 0:
        return
    sums = np.concatenate([np.zeros((1, values.shape[1])), np.cumsum(values, axis=0)])
    squares = np.concatenate([[0.0], np.cumsum(np.sum(values * values, axis=1))])
    shares = np.full((len(lags), count), np.inf)
    # Squared distances of poses a lag apart.
    apart = np.full((len(lags), count + lags[-1]), np.inf)
    for row, lag in enumerate(lags):
        apart[row, : count - lag] = np.sum((values[lag:] - values[:-lag]) ** 2, axis=1)
        over = np.concatenate([[0.0], np.cumsum(apart[row])])
        starts = np.arange(count - 2 * lag + 1)
        mean = (sums[starts + 2 * lag] - sums[starts]) / (2 * lag)
        spread = (squares[starts + 2 * lag] - squares[starts]) / (2 * lag) - np.sum(mean * mean, axis=1)
        moves = spread > joints * _MOVING**2
        shares[row, starts] = np.where(moves, (over[starts + lag] - over[starts]) / lag / np.maximum(2 * spread, 1e-12), np.inf)
    inner = np.pad(shares, ((1, 1), (0, 0)), constant_values=np.inf)
    low = (shares <= inner[:-2]) & (shares <= inner[2:]) & (shares < np.minimum(_ALIKE, shares.min(axis=0) + _SHORTEST))
    chosen = np.where(low.any(axis=0), np.argmax(low, axis=0), -1)
    # A parabola finds periods between poses.
    before, there, after = (inner[chosen + row, np.arange(count)] for row in range(3))
    with np.errstate(all="ignore"):
        between = (before - after) / (2 * (before - 2 * there + after))
    periods = lags[chosen] + np.where(np.abs(between) <= 0.5, between, 0.0)
    found: list[Repeats] = []
    breaks = np.abs(np.diff(np.log(lags[chosen]))) >= _STEADY
    breaks |= (chosen[1:] < 0) | (chosen[:-1] < 0)
    for run in np.split(np.arange(count), np.flatnonzero(breaks) + 1):
        if chosen[run[0]] >= 0 and (stretch := _stretch(values, rate, chosen[run], periods[run], int(run[0]), lags, apart, shares)):
            found.append(stretch)
    kept: list[Repeats] = []
    for each in sorted(found, key=lambda each: -each.strength):
        if all(min(each.end, other.end) - max(each.start, other.start) < _SHARED * (each.end - each.start) for other in kept):
            kept.append(each)
    yield from sorted(kept)


def _stretch(
    values: Floats,
    rate: float,
    chosen: np.ndarray[Any, Any],
    periods: np.ndarray[Any, Any],
    start: int,
    lags: np.ndarray[Any, Any],
    apart: Floats,
    shares: Floats,
) -> Repeats | None:
    """The stretch of a run of periods, of poses at a rate; None where it is too short."""
    row = int(np.median(chosen))
    lag = int(lags[row])
    if len(chosen) < 0.25 * lag:
        return None
    # Periods behind the last window go on as in it.
    rows = np.pad(chosen, (0, lag), "edge")
    at = np.arange(start, start + len(rows))
    known = np.isfinite(apart[rows, at])
    rows, at = rows[known], at[known]
    each = apart[rows, at]
    share = float(np.mean(shares[chosen, np.arange(start, start + len(chosen))]))
    scale = float(np.mean(each)) / max(share, 1e-9)
    alike = np.flatnonzero(each < _ALIKE * scale)
    if len(alike) < lag:
        return None
    first, last = int(at[alike[0]]), int(at[alike[-1]] + lags[rows[alike[-1]]])
    # A body that rests before it begins, or after, rests in the pose in which it begins.
    over = max(lag // 8, 2)
    steps = np.linalg.norm(values[first + over : last + 1] - values[first : last + 1 - over], axis=1)
    moves = np.flatnonzero(steps > _RESTS * np.sqrt(np.mean(steps * steps)))
    first, last = first + int(moves[0]) + over // 2, first + int(moves[-1]) + over - over // 2
    middle = float(np.median(periods))
    passed = np.pad(periods, (max(int(at[0]) - first, 0), 2 * lag), constant_values=middle)
    done = float(np.sum(1 / passed[max(first - int(at[0]), 0) :][: last - first]))
    return Repeats(first / rate, last / rate, middle / rate, done, 1 - share)
