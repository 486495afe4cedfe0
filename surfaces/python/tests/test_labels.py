"""Phases, strides and repetitions of takes against motions whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loopwright
from loopwright._labels import repeats_of

from conftest import command


@pytest.mark.parametrize(
    ("speed", "period", "turn", "secs"), [(1.25, 1.1, 0, 8), (0.8, 1.4, 30, 8), (1.6, 0.9, -20, 8), (2.8, 0.7, 0, 8), (1.3, 1.03, 5, 90)]
)
def test_the_phase_of_a_walk_advances_evenly(tmp_path: Path, speed: float, period: float, turn: float, secs: float) -> None:
    command("synth", "-o", tmp_path / "walk.bvh", "--speed", speed, "--period", period, "--turn-rate", turn, "--seconds", secs)
    take = loopwright.read(tmp_path / "walk.bvh")
    phase = take.phase
    known = np.isfinite(phase)
    assert known.mean() > 0.7 and (phase[known] >= 0).all() and (phase[known] < 1).all()
    frames = np.flatnonzero(known)
    truth = frames / take.fps / period
    off = np.angle(np.exp(2j * np.pi * (phase[known] - truth)) / np.exp(2j * np.pi * (phase[known] - truth)).mean())
    assert np.degrees(np.abs(off)).max() < 10
    # Half through a contact of the left foot it is 0.
    left = [each for each in loopwright.inspect(take)["contacts"] if each["side"] == "left" and each["strike_secs"] and each["lift_secs"]]
    for each in left:
        at = round((each["strike_secs"] + each["lift_secs"]) / 2 * take.fps)
        # The first and the last may lie between frames.
        assert np.isnan(phase[at]) or abs((phase[at] + 0.5) % 1 - 0.5) < 0.5 / take.fps / period + 1e-9
    (repeated,) = take.repetitions()
    assert abs(repeated["count"] - take.duration / period) < 0.4 and abs(repeated["period_secs"] / period - 1) < 0.003
    assert take.strides() == loopwright.gait(take).strides


@pytest.mark.parametrize("seed", range(4))
def test_exercises_are_counted(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for _ in range(5):
        count, fps = int(rng.integers(3, 15)), 60.0
        parts = [np.zeros((int(rng.uniform(0, 4) * fps), 2))]
        for _ in range(count):
            frames = int(fps * 1.5 * (1 + 0.08 * rng.normal()))
            turn = 2 * np.pi * np.arange(frames) / frames
            parts.append(np.stack([0.5 - 0.5 * np.cos(turn), 0.5 * np.sin(turn) * np.sin(turn / 2)], axis=1))
        parts.append(np.zeros((int(rng.uniform(0, 4) * fps), 2)))
        shares = np.concatenate(parts)
        poses = np.einsum("fk,kjc->fjc", shares, rng.normal(size=(2, 20, 3)) * 0.15) + rng.normal(size=(20, 3))
        poses += 0.003 * rng.normal(size=poses.shape)
        found = list(repeats_of(poses, fps))
        assert [round(each.times) for each in found] == [count]
        assert found[0].start == pytest.approx(len(parts[0]) / fps, abs=0.5)


def test_what_does_not_repeat_has_no_count() -> None:
    rng = np.random.default_rng(1)
    still = rng.normal(size=(1, 20, 3)) + 0.003 * rng.normal(size=(600, 20, 3))
    wandering = np.cumsum(rng.normal(size=(600, 20, 3)), axis=0) * 0.02
    assert not list(repeats_of(still, 60.0)) and not list(repeats_of(wandering, 60.0)) and not list(repeats_of(still[:3], 60.0))
