"""Arrays as others have them: their rotations, axes, units and joints, and joints in any order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import ArrayError, Loop, Take, bridges


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


@pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")
@pytest.mark.parametrize("side", [1, -1])
def test_joints_in_the_order_of_data_sets_keep_the_grade(take: Take, loop: Loop, tmp_path: Path, side: int) -> None:
    """Joints of SMPL and HumanML3D are listed by their distance from the hips, those of others from the right to the left."""
    depths: list[int] = []
    for parent in take.parents:
        depths.append(0 if parent < 0 else depths[parent] + 1)
    order = sorted(range(take.num_joints), key=lambda joint: (depths[joint], side * joint))
    parents = [-1 if take.parents[joint] < 0 else order.index(int(take.parents[joint])) for joint in order]
    wide = Take.from_arrays(
        [take.names[joint] for joint in order],
        parents,
        take.offsets[order],
        take.local_rotations()[:, order],
        take.local_positions[:, order],
        fps=take.fps,
        tips=take.tips[order],
    )
    entrances = [wide, bridges.from_amass(bridges.to_amass(wide), wide), bridges.from_npz(bridges.to_npz(wide))]
    entrances += [loopwright.read(wide.to_bytes(kind), name=f"wide.{kind}") for kind in ("npz", "bvh", "glb")]
    for number, motion in enumerate(entrances):
        made = motion.make()
        assert made.grade == loop.grade and made.checks["foot-slide"]["value"] < 5, number
        for kind in ("npz", "bvh", "glb"):
            assert loopwright.check(made.write(tmp_path / f"{number}.{kind}")).grade == loop.grade, (number, kind)


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
