"""Loops: samples repeat, their root is a twist, and files and recipes bring them back."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import loopwright


def test_other_numbers_loop_along(take: loopwright.Take, loop: loopwright.Loop, tmp_path: Path) -> None:
    frames = np.arange(take.num_frames)
    values = np.column_stack([np.sin(2 * np.pi * frames / loop.num_samples), frames])
    looped = loop.looped_along(values)
    assert looped.shape == (loop.num_samples, 2)
    assert (looped >= values.min(axis=0)).all() and (looped <= values.max(axis=0)).all()
    # What drifts comes back without a step.
    steps = np.abs(np.diff(np.vstack([looped, looped[:1]]), axis=0))
    assert steps[-1, 0] < 1.5 * steps[:, 0].max() and steps[-1, 1] < 1.5 * steps[:-1, 1].max()
    assert loop.looped_along(values[:, :0]).shape == (loop.num_samples, 0)
    with pytest.raises(loopwright.ArrayError, match=f"expected {take.num_frames} frames"):
        loop.looped_along(values[1:])
    with pytest.raises(loopwright.MakeError, match="made of a take"):
        loopwright.load(loop.write(tmp_path / "loop.bvh")).looped_along(values)


def test_a_loop_comes_back_from_its_file(loop: loopwright.Loop, tmp_path: Path) -> None:
    path = loop.write(tmp_path / "loop.bvh")
    read = loopwright.load(path)
    assert (read.grade, read.num_samples) == (loop.grade, loop.num_samples)
    assert read.period == pytest.approx(loop.period)
    t = np.linspace(0, 2, 7)
    np.testing.assert_allclose(read.sample(t).positions, loop.sample(t).positions, atol=1e-5)
    read.write(tmp_path / "again.glb")
    assert json.loads((tmp_path / "again.glb.json").read_text())["quality"]["grade"] == loop.grade
    assert read.recipe is None


def test_a_recipe_makes_the_same_loop_again(take: loopwright.Take, tmp_path: Path) -> None:
    loop = take.make(cycles=2, method="spring", blend=0.2)
    assert loop.recipe is not None
    file = tmp_path / "recipe.toml"
    file.write_text(loop.recipe)
    again = take.make(file)
    as_dict = take.make({"stretch": {"start": loop.facts["candidate"]["start_frame"],
                                     "end": loop.facts["candidate"]["end_frame"], "cycles": 2},
                         "closure": {"method": "spring", "blend": 0.2}})
    for other in (again, as_dict):
        assert other.to_bytes("bvh") == loop.to_bytes("bvh")
    candidate = loop.facts["candidate"]
    closed = take.close(candidate["start_frame"], candidate["end_frame"], cycles=2, method="spring", blend=0.2)
    np.testing.assert_array_equal(closed.positions, loop.positions)


def test_contacts_are_those_of_the_sidecar(take: loopwright.Take, tmp_path: Path) -> None:
    loop = take.make(start_at="left-contact")
    feet = loop.facts["feet"]
    stands = np.zeros((loop.num_samples, len(feet["outcomes"])), bool)
    for contact in feet["contacts"]:
        column = [foot["joint"] for foot in feet["outcomes"]].index(contact["joint"])
        first, last = (int(secs * loop.fps + 1e-6) for secs in (contact["start_secs"], contact["start_secs"] + contact["length_secs"]))
        stands[np.arange(first, last) % loop.num_samples, column] = True
    np.testing.assert_array_equal(loop.contacts[:-1], stands)
    left = [foot["joint"].startswith("Left") for foot in feet["outcomes"]].index(True)
    assert loop.contacts[0, left] and not loop.contacts[-2, left]
    loop.write(tmp_path / "loop.bvh")
    np.testing.assert_array_equal(loopwright.load(tmp_path / "loop.bvh").contacts, loop.contacts)


def test_candidates_and_rows(take: loopwright.Take) -> None:
    found = take.find()
    np.testing.assert_array_equal(take.make(candidate=found[0]).positions, take.make(pick=1).positions)
    every = take.make_all(every_cycle=True)
    assert len(every) == len(take.find(every_cycle=True, top=100)) >= 3
    assert all(loop.facts["candidate"]["cycles"] == 1 for loop in every)


def test_both_files_or_none(loop: loopwright.Loop, walk: Path, tmp_path: Path) -> None:
    (tmp_path / "loop.bvh.json").write_text("mine")
    with pytest.raises(loopwright.WriteError, match="already"):
        loop.write(tmp_path / "loop.bvh")
    assert not (tmp_path / "loop.bvh").exists()
    loop.write(tmp_path / "loop.bvh", force=True)
    with pytest.raises(loopwright.WriteError, match="the take itself"):
        loop.write(walk, force=True)
