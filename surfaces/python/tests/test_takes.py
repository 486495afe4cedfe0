"""Takes: their arrays against kinematics of our own in NumPy, and how they are read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright



Array = np.ndarray[Any, np.dtype[Any]]


def rotated(quaternion: Array, vector: Array) -> Array:
    """Vectors turned by x, y, z, w."""
    axis, w = quaternion[..., :3], quaternion[..., 3:]
    across = 2 * np.cross(axis, vector)
    turned: Array = vector + w * across + np.cross(axis, across)
    return turned


def product(left: Array, right: Array) -> Array:
    """Quaternions x, y, z, w, one after the other."""
    a, b = left[..., :3], right[..., :3]
    v, w = left[..., 3:], right[..., 3:]
    return np.concatenate([v * b + w * a + np.cross(a, b), v * w - (a * b).sum(-1, keepdims=True)], -1)


def world(parents: Any, points: Array, local: Array) -> tuple[Array, Array]:
    """Forward kinematics: places and rotations (..., J, 3 and 4) in the world, of those in the axes of the parents."""
    positions, rotations = points.copy(), local.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            positions[..., joint, :] = positions[..., parent, :] + rotated(rotations[..., parent, :], points[..., joint, :])
            rotations[..., joint, :] = product(rotations[..., parent, :], local[..., joint, :])
    return positions, rotations


def test_the_world_is_that_of_forward_kinematics(take: loopwright.Take) -> None:
    positions, rotations = world(take.parents, take.local_positions, take.local_rotations())
    np.testing.assert_allclose(take.positions, positions, atol=1e-12)
    same = np.abs((take.world_rotations() * rotations).sum(-1))
    np.testing.assert_allclose(same, 1, atol=1e-12)
    matrices = take.matrices()
    np.testing.assert_allclose(matrices[..., :3, 3], positions, atol=1e-12)
    np.testing.assert_allclose(matrices[..., :3, 2], rotated(rotations, np.array([0.0, 0, 1])), atol=1e-12)
    assert (np.linalg.norm(np.diff(take.world_rotations(), axis=0), axis=-1) < 1).all()


def test_arrays_are_contiguous_and_cannot_be_written_to(take: loopwright.Take) -> None:
    arrays: list[Array] = [take.positions, take.local_positions, take.world_rotations(), take.offsets, take.parents, take.contacts]
    for array in arrays:
        assert array.flags.c_contiguous and not array.flags.writeable
    first = take.world_rotations(scalar_first=True)
    np.testing.assert_array_equal(np.roll(first, -1, -1), take.world_rotations())
    assert take.contacts.dtype == bool and take.contacts.shape == (take.num_frames, len(take.contact_joints))


def test_bytes_paths_and_arrays_give_the_same_take(take: loopwright.Take, walk: Path) -> None:
    of_bytes = loopwright.read(walk.read_bytes(), name="walk")
    np.testing.assert_array_equal(of_bytes.positions, take.positions)
    of_arrays = loopwright.Take.from_arrays(
        take.names,
        take.parents,
        take.offsets,
        take.local_rotations(scalar_first=True),
        take.local_positions,
        fps=take.fps,
        scalar_first=True,
        tips=take.tips,
    )
    np.testing.assert_allclose(of_arrays.positions, take.positions, atol=1e-13)
    assert of_arrays.find()[0].period == pytest.approx(take.find()[0].period, abs=1e-9)
    root_alone = loopwright.Take.from_arrays(
        take.names, take.parents, take.offsets, take.local_rotations(), take.local_positions[:, 0], fps=take.fps
    )
    np.testing.assert_allclose(root_alone.positions, take.positions, atol=1e-9)


def test_names_of_animations(walk: Path, take: loopwright.Take, tmp_path: Path) -> None:
    assert loopwright.animations(walk) == ["walk"]
    take.write(tmp_path / "walk.glb")
    name = loopwright.animations(tmp_path / "walk.glb")[0]
    assert loopwright.read(f"{tmp_path / 'walk.glb'}#{name}").num_frames == take.num_frames


def test_warnings_name_the_code_that_calls_and_are_said_once(tmp_path: Path, walk: Path) -> None:
    """A file that states another number of frames than it has."""
    odd = tmp_path / "odd.bvh"
    odd.write_text(walk.read_text().replace("Frames: 481", "Frames: 480"))
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        loopwright.make(odd)
        loopwright.read(odd).make()
    of_file = [each for each in said if each.category is loopwright.FileWarning]
    assert of_file and len({str(each.message) for each in of_file}) == len(of_file) / 2
    assert {each.filename for each in said} == {__file__}


def test_warnings_are_in_words_of_python(take: loopwright.Take) -> None:
    """Feet of joints without names are found by shape, or not at all: the warning says how to name them."""
    unnamed = loopwright.Take.from_dict({**take.to_dict(), "names": [f"j{joint}" for joint in range(take.num_joints)]})
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        unnamed.find()
    texts = [str(each.message) for each in said]
    assert any("feet=LEFT,RIGHT" in text for text in texts) and not any("--" in text or "take.feet" in text for text in texts)
    # The add-on for Blender reads those of the command.
    assert any("--set take.feet=" in vars(each.message)["of_command"] for each in said)


def test_the_rhythm_of_a_range_is_its_own(take: loopwright.Take) -> None:
    found = take.find(within=(60, 300))
    rhythm = found.facts["rhythm"]
    assert rhythm["period_secs"] == pytest.approx(found[0].period / found[0].cycles) and rhythm["multiples"] == []
