"""Motion of others: each way back within what the other holds, and against their own forward kinematics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import Loop, Take, bridges

Array = np.ndarray[Any, np.dtype[Any]]


@pytest.fixture(params=["take", "loop"])
def motion(request: pytest.FixtureRequest, take: Take, loop: Loop) -> Take | Loop:
    return take if request.param == "take" else loop


def apart(one: Take | Loop, other: Take | Loop) -> tuple[float, float]:
    """How far joints of the same names are from each other at most, metres, and how far they are turned, as a distance of matrices."""
    order = [other.names.index(name) for name in one.names]
    turned = one.matrices()[..., :3, :3] - other.matrices()[:, order, :3, :3]
    return np.abs(one.positions - other.positions[:, order]).max(), np.abs(turned).max()


def test_dictionaries(motion: Take | Loop) -> None:
    back = Take.from_dict(motion.to_dict())
    assert apart(back, motion) < (1e-12, 1e-12) and back.fps == pytest.approx(motion.fps, rel=1e-12)
    assert np.array_equal(back.tips, motion.tips, equal_nan=True)


def test_arrays_of_npz(motion: Take | Loop, tmp_path: Path) -> None:
    arrays = bridges.to_npz(motion)
    np.savez(tmp_path / "walk.npz", **arrays)  # type: ignore[arg-type]
    for source in (arrays, tmp_path / "walk.npz"):
        back = bridges.from_npz(source)
        assert max(apart(back, motion)) < 1e-6 and back.fps == pytest.approx(motion.fps)


def test_pybvh(motion: Take | Loop, tmp_path: Path) -> None:
    pybvh = pytest.importorskip("pybvh")
    bvh = bridges.to_pybvh(motion)
    order = [motion.names.index(name) for name in bvh.joint_names]
    # Its own forward kinematics, in centimetres.
    assert np.abs(bvh.joint_positions() / 100 - motion.positions[:, order]).max() < 1e-9
    assert max(apart(bridges.from_pybvh(bvh), motion)) < 1e-9
    assert max(apart(bridges.from_pybvh(bridges.to_pybvh(motion, unit=1, order="YXZ"), unit=1), motion)) < 1e-9
    bvh.write(tmp_path / "walk.bvh")
    assert max(apart(loopwright.read(tmp_path / "walk.bvh"), motion)) < 1e-5
    assert apart(bridges.from_pybvh(pybvh.read_bvh_file(tmp_path / "walk.bvh")), motion) < (1e-5, 1e-5)


@pytest.mark.parametrize("axis", ["+y", "-y", "+z", "-z", "+x", "-x"])
def test_pybvh_with_another_axis_up(take: Take, axis: str) -> None:
    pytest.importorskip("pybvh")
    up = bridges.from_pybvh(bridges.to_pybvh(take), up=axis)
    column = "xyz".index(axis[1])
    height = take.positions[..., column] * (1 if axis[0] == "+" else -1)
    assert np.abs(up.positions[..., 1] - height).max() < 1e-9


def rodrigues(vectors: Any) -> Array:
    """Matrices of axis angles."""
    angle = np.linalg.norm(vectors, axis=-1)[..., None, None]
    x, y, z = np.moveaxis(vectors / np.maximum(angle[..., 0], 1e-300), -1, 0)
    zero = np.zeros_like(x)
    cross = np.moveaxis(np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]]), (0, 1), (-2, -1))
    matrices: Array = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return matrices


def test_amass(motion: Take | Loop, tmp_path: Path) -> None:
    arrays = bridges.to_amass(motion)
    # Forward kinematics as body models do it: the first joint at its offset and trans, +Z up.
    turns = rodrigues(arrays["poses"].reshape(motion.num_frames, -1, 3))
    places = np.zeros((motion.num_frames, motion.num_joints, 3))
    for joint, parent in enumerate(motion.parents):
        if parent < 0:
            places[:, joint] = motion.offsets[0] + arrays["trans"]
        else:
            turns[:, joint] = turns[:, parent] @ turns[:, joint]
            places[:, joint] = places[:, parent] + turns[:, parent] @ motion.offsets[joint]
    x, y, z = np.moveaxis(motion.positions, -1, 0)
    assert np.abs(places - np.stack([x, -z, y], axis=-1)).max() < 1e-9
    np.savez(tmp_path / "poses.npz", gender=np.array("x", object), **arrays)
    for data in (arrays, tmp_path / "poses.npz"):
        for skeleton in (motion, (motion.names, motion.parents, motion.offsets)):
            assert max(apart(bridges.from_amass(data, skeleton), motion)) < 1e-9
    # Arrays with +Y up, as they are there: the first joint turns and moves in our own axes.
    level = bridges.from_amass({**arrays, "trans": motion.local_positions[:, 0] - motion.offsets[0]}, motion, up="y")
    assert np.abs(level.positions[:, 0] - motion.positions[:, 0]).max() < 1e-9
    # A body of fewer joints leaves out what follows.
    fewer = bridges.from_amass(arrays, (motion.names[:9], motion.parents[:9], motion.offsets[:9]))
    assert np.abs(fewer.positions - motion.positions[:, :9]).max() < 1e-9
    # Half turns and none are as exact.
    half = {"poses": np.array([[np.pi, 0, 0], [0, 0, 0], [0, 1e-9, 0]]), "trans": np.zeros((3, 3))}
    back = bridges.from_amass(half, (["Hips"], [-1], np.zeros((1, 3))), fps=60)
    assert np.abs(bridges.to_amass(back)["poses"] - half["poses"]).max() < 1e-9


def of_kimodo() -> Take:
    """A motion with the joints of Kimodo: each swings by itself."""
    names = list(bridges._KIMODO)
    above = {"Hips": None, "LeftLeg": "Hips", "RightLeg": "Hips", "LeftShoulder": "Chest", "RightShoulder": "Chest"}
    above |= dict.fromkeys(("Jaw", "LeftEye", "RightEye"), "Head")
    above |= {f"{side}HandMiddleEnd": f"{side}Hand" for side in ("Left", "Right")}
    parents = [
        -1 if not at else names.index(above.get(name) or names[at - 1]) for at, name in enumerate(names)
    ]
    chance = np.random.default_rng(5)
    offsets = chance.uniform(-0.2, 0.2, (30, 3))
    turns = chance.normal(size=(20, 30, 4))
    hips = np.linspace([0, 1, 0], [0, 1, 1], 20)
    return Take.from_arrays(names, parents, offsets, turns / np.linalg.norm(turns, axis=-1, keepdims=True), hips, fps=30)


def test_kimodo(tmp_path: Path) -> None:
    take = of_kimodo()
    arrays = bridges.to_kimodo(take)
    assert {name: (array.shape, str(array.dtype)) for name, array in arrays.items()} == {
        "posed_joints": ((20, 30, 3), "float32"),
        "global_rot_mats": ((20, 30, 3, 3), "float32"),
        "foot_contacts": ((20, 4), "bool"),
    }
    np.savez(tmp_path / "kimodo.npz", **arrays)  # type: ignore[arg-type]
    for data in (arrays, tmp_path / "kimodo.npz"):
        back = bridges.from_kimodo(data)
        assert back.names == take.names and list(back.parents) == list(take.parents)
        assert max(apart(back, take)) < 1e-6 and back.fps == 30
    again = bridges.to_kimodo(back)
    assert all(np.abs(again[name] * 1.0 - arrays[name]).max() < 1e-6 for name in ("posed_joints", "global_rot_mats"))
