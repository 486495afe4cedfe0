"""Arrays as others have them: their rotations, axes, units and joints, and joints in any order."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import ArrayError, Take, bridges
from loopwright._rotations import to_axis_angles

# Orders in which parents are before their children: that of data sets that list bodies by generations, and of robots, whose feet come last.
ORDERS = ["as it is", "by generations", "legs last", "any"]


def ordered(take: Take, order: str) -> tuple[dict[str, Any], list[int]]:
    """The arguments of `from_arrays` with joints in another order."""
    data = take.to_dict()
    parents = [int(each) for each in data["parents"]]
    depth = [0] * len(parents)
    for joint, parent in enumerate(parents):
        depth[joint] = depth[parent] + 1 if parent >= 0 else 0
    is_leg = [any(word in name for word in ("Leg", "Foot", "Toe", "Thigh", "Shin")) for name in data["names"]]
    rng = np.random.default_rng(5)
    sizes = {
        "as it is": [(0, joint) for joint in range(len(parents))],
        "by generations": [(depth[joint], joint) for joint in range(len(parents))],
        "legs last": [(int(is_leg[joint]), joint) for joint in range(len(parents))],
        "any": [(depth[joint], int(at)) for joint, at in enumerate(rng.permutation(len(parents)))],
    }[order]
    new = sorted(range(len(parents)), key=lambda joint: sizes[joint])
    data["names"] = [data["names"][joint] for joint in new]
    data["parents"] = [new.index(parents[joint]) if parents[joint] >= 0 else -1 for joint in new]
    for key, axis in (("offsets", 0), ("tips", 0), ("rotations", 1), ("positions", 1)):
        data[key] = np.take(data[key], new, axis)
    return data, new


@pytest.mark.parametrize("order", ORDERS)
def test_grades_do_not_depend_on_the_order_of_joints(take: Take, tmp_path: Path, order: str) -> None:
    data, new = ordered(take, order)
    given = Take.from_dict(data)
    assert np.abs(given.positions - take.positions[:, new]).max() < 1e-12
    rest = data["offsets"] * ([[0]] + [[1]] * (len(new) - 1))
    amass = {
        "poses": to_axis_angles(data["rotations"]).reshape(len(data["rotations"]), -1),
        "trans": data["positions"][:, 0],
        "mocap_framerate": take.fps,
    }
    npz = io.BytesIO(given.to_bytes("npz"))
    takes = [
        given,
        bridges.from_amass(amass, (data["names"], data["parents"], rest), up="+y"),
        loopwright.read(npz.getvalue()),
        Take.from_positions(given.positions, (data["names"], data["parents"]), fps=take.fps),
    ]
    for format in ("bvh", "glb"):
        takes.append(loopwright.read(given.to_bytes(format), name=f"given.{format}"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        loops = [each.make() for each in takes]
        expected = take.make()
        for loop in loops:
            assert (loop.grade, loop.reason) == (expected.grade, expected.reason)
            assert loop.speed == pytest.approx(expected.speed, abs=1e-4)
        for format in ("bvh", "glb"):
            written = tmp_path / f"{order.replace(' ', '-')}.{format}"
            loops[0].write(written)
            assert loopwright.check(written).grade == expected.grade


def test_rotations_of_every_kind(take: Take) -> None:
    data = take.to_dict()
    matrices = take.matrices(local=True)[..., :3, :3]
    kinds: dict[str, dict[str, Any]] = {
        "matrices": {"rotations": matrices},
        "six": {"rotations": np.concatenate([matrices[..., 0], matrices[..., 1]], axis=-1) * 1.5},
        "w first": {"rotations": take.local_rotations(scalar_first=True), "scalar_first": True},
    }
    for kind, changed in kinds.items():
        found = Take.from_dict({**data, **changed})
        assert np.abs(found.matrices() - take.matrices()).max() < 1e-12, kind
    for wrong in (matrices * 1.1, matrices * -1, np.zeros((*matrices.shape[:2], 6))):
        with pytest.raises(ArrayError, match="rotations: expected"):
            Take.from_dict({**data, "rotations": wrong})


def test_axes_and_units(take: Take) -> None:
    def lying(points: Any) -> Any:
        """With Z up, in centimetres."""
        return np.stack([points[..., 0], -points[..., 2], points[..., 1]], axis=-1) * 100

    data = take.to_dict()
    turned = np.array(data["rotations"])
    turned[:, 0] = Take.from_arrays(["a"], [-1], [[0, 0, 0]], turned[:, :1], fps=1, up="-z").local_rotations()[:, 0]
    local = data["positions"] * 100
    local[:, 0] = lying(data["positions"][:, 0])
    lain = {**data, "offsets": data["offsets"] * 100, "tips": data["tips"] * 100, "positions": local, "rotations": turned}
    found = Take.from_dict({**lain, "up": "z", "unit": 0.01})
    assert np.abs(found.matrices() - take.matrices()).max() < 1e-9
    alone = Take.from_positions(lying(take.positions), (take.names, take.parents), fps=take.fps, up="z", unit=0.01)
    assert np.abs(alone.positions - take.positions).max() < 1e-12


def test_positions_alone_have_rotations_of_least_twist(take: Take) -> None:
    found = Take.from_positions(take.positions, (take.names, take.parents), fps=take.fps, offsets=take.offsets)
    assert np.abs(found.positions - take.positions).max() < 1e-12
    # Bones point where they pointed, so that joints stay where they rest in their parents.
    assert np.abs(found.local_positions[:, 1:] - found.offsets[1:]).max() < 1e-2
    with pytest.raises(ArrayError, match="kimodo77"):
        Take.from_positions(np.zeros((4, 9, 3)), fps=30)
    for count in (22, 24, 30, 34, 52, 55, 65, 77):
        names, parents = bridges.body(count)
        assert len(names) == len(set(names)) == count and all(parent < joint for joint, parent in enumerate(parents))
        assert Take.from_positions(np.zeros((2, count, 3)), fps=30).names == names


def test_robots_and_full_hands_of_kimodo() -> None:
    rng = np.random.default_rng(2)
    for count in (34, 77):
        arrays = {
            "posed_joints": rng.normal(size=(9, count, 3)),
            "global_rot_mats": np.linalg.qr(rng.normal(size=(9, count, 3, 3)))[0],
        }
        arrays["global_rot_mats"][..., 0] *= np.linalg.det(arrays["global_rot_mats"])[..., None]
        found = bridges.from_kimodo(arrays)
        assert np.abs(found.positions - arrays["posed_joints"]).max() < 1e-9
        assert np.abs(found.matrices()[..., :3, :3] - arrays["global_rot_mats"]).max() < 1e-9
