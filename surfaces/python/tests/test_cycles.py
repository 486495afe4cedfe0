"""Cycles as data, tables and gait: against the command, and against what NumPy alone says of the same loops."""

from __future__ import annotations

import csv
import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import Cycles

from conftest import command
from test_takes import rotated, world


def synth(path: Path, *flags: object, seconds: float = 6) -> None:
    """A take of a walker, without the file of its truth."""
    command("synth", "-o", path, "--seconds", seconds, "--fps", 30, *flags)
    os.remove(f"{path}.truth.json")


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five takes of one body, two of which are copies, one that is cut off, and one that is too short."""
    folder = tmp_path_factory.mktemp("takes")
    for seed in range(4):
        synth(folder / f"walk_{seed}.bvh", "--seed", seed, "--turn-rate", 0)
    (folder / "copies").mkdir()
    (folder / "copies/walk.bvh").write_bytes((folder / "walk_0.bvh").read_bytes())
    (folder / "cut.bvh").write_bytes((folder / "walk_0.bvh").read_bytes()[:3000])
    synth(folder / "short.bvh", seconds=1)
    return folder


@pytest.fixture(scope="module")
def cycles(takes: Path) -> Cycles:
    return loopwright.cycles(takes, 40)


def test_every_cycle_of_every_take_is_there_and_failures_stop_nothing(takes: Path, cycles: Cycles) -> None:
    paths = [each.facts["path"] for each in cycles]
    assert paths == sorted(paths) and len(set(paths)) == 5
    for path in set(paths):
        found = loopwright.read(path).find(every_cycle=True, start_at="left-contact", top=1000)
        rows = cycles.where(path=path).table()
        assert [row["start_frame"] for row in rows] == [each.start for each in found]
        assert [row["cycle"] for row in rows] == list(range(len(found)))
    failed = {Path(row["path"]).name: row["verdict"] for row in cycles.failures}
    assert failed == {"cut.bvh": "unreadable", "short.bvh": "no-loop"}
    assert all(row["reason"] for row in cycles.failures)


def test_arrays_are_the_loops_at_even_phases(takes: Path, cycles: Cycles) -> None:
    count, phases, joints = len(cycles), 40, 24
    assert cycles.positions.shape == (count, phases, joints, 3) and cycles.rotations.shape == (count, phases, joints, 4)
    assert cycles.contacts.shape == (count, phases, 2) and cycles.feet == ("LeftToeBase", "RightToeBase")
    assert cycles.offsets.shape == (count, joints, 3) and cycles.positions.dtype == np.float32
    loops = loopwright.read(takes / "walk_1.bvh").make_all(every_cycle=True, start_at="left-contact")
    mine = cycles.where(path=str(takes / "walk_1.bvh"))
    for loop, cycle in zip(loops, mine, strict=True):
        times = loop.period * np.arange(phases) / phases
        places, root = loop.sample(times).positions, loop.root(times)
        # From the cycle's own root back into the world of the loop.
        start = rotated(root.rotations[0], cycle.root_positions)
        assert np.abs(start + root.positions[0] - root.positions).max() < 1e-6
        back = rotated(root.rotations[:, None], cycle.positions)
        assert np.abs(back + root.positions[:, None] - places).max() < 1e-5
        assert cycle.facts["period_secs"] == pytest.approx(loop.period)
        assert cycle.facts["speed_mps"] == loop.speed and cycle.facts["grade"] == loop.grade


def test_rotations_and_offsets_give_the_positions(cycles: Cycles) -> None:
    points = np.broadcast_to(cycles.offsets[:, None], cycles.positions.shape).astype(np.float64)
    points[:, :, 0] = cycles.positions[:, :, 0]
    places, _ = world(cycles.parents, points, cycles.rotations.astype(np.float64))
    assert np.abs(places - cycles.positions).max() < 1e-5


def test_parts_are_chosen_by_slices_masks_and_values(cycles: Cycles) -> None:
    quick = cycles[cycles.speed > np.median(cycles.speed)]
    assert 0 < len(quick) < len(cycles) and quick.speed.min() > np.median(cycles.speed)
    assert cycles[1:3].table() == cycles[[1, 2]].table() == cycles.table()[1:3]
    assert cycles[-1] is list(cycles)[-1]
    with pytest.raises(IndexError):
        cycles[cycles.speed[1:] > 0]
    with pytest.raises(loopwright.ArrayError, match="found 'kid'"):
        cycles.where(kid="walk")


def test_phases_begin_at_the_strike_and_signs_are_continuous(cycles: Cycles) -> None:
    assert all(row["starts_at_contact"] for row in cycles.table())
    left = cycles.contacts[:, :, 0]
    assert left[:, 0].all() and not left[:, -1].any()
    assert (np.diff(np.concatenate([left, left[:, :1]], axis=1).astype(int), axis=1) > 0).sum() == len(cycles)
    # Phases between the last frame and the first are still before the strike.
    assert not loopwright.cycles(cycles[0].facts["path"], 300).contacts[:, -5:, 0].any()
    steps = np.sum(cycles.rotations[:, 1:] * cycles.rotations[:, :-1], axis=-1)
    assert (steps > 0).all() and (cycles.rotations[:, 0, :, 3] >= 0).all()
    right = loopwright.cycles(cycles[0].facts["path"], 40, start_at="right-contact")
    assert all(row["starts_at_contact"] for row in right.table())
    assert right.contacts[:, 0, 1].all() and not right.contacts[:, -1, 1].any()
    # The root ends where the speed brings it, short of one phase.
    way = np.linalg.norm(cycles.root_positions[:, -1], axis=-1)
    assert np.allclose(way, cycles.speed * cycles.period * 39 / 40, rtol=1e-3)


def test_settings_reach_every_cycle(takes: Path) -> None:
    """A root joint that is added to files is none of the body's."""
    plain = loopwright.cycles(takes / "walk_1.bvh", 8, licence="CC-BY-4.0")
    assert {row["licence"] for row in plain.table()} == {"CC-BY-4.0"}
    added = loopwright.cycles(takes / "walk_1.bvh", 8, add_root=True)
    assert added.skeleton == plain.skeleton and np.abs(added.positions - plain.positions).max() < 1e-5
    still = loopwright.cycles(loopwright.read(takes / "walk_1.bvh"), 8, recipe={"output": {"root-motion": "in-place"}})
    assert np.abs(still.root_positions).max() < 1e-6 and len(still) == len(plain)
    assert len(loopwright.cycles(takes / "walk_1.bvh", 8, speed=(50, 60))) == 0


def test_a_split_parts_takes_with_their_copies(cycles: Cycles) -> None:
    train, test = cycles.split(0.25, seed=3)
    assert len(train) + len(test) == len(cycles) and len(test) > 0
    of = [{row["take_sha256"] for row in part.table()} for part in (train, test)]
    assert not of[0] & of[1] and (len(of[0]), len(of[1])) == (3, 1)
    for seed in range(9):
        of = [{row["take_sha256"] for row in part.table()} for part in cycles.split(0.4, seed=seed)]
        assert not of[0] & of[1] and len(of[1]) == 2
    backwards = Cycles(reversed(list(cycles)))
    assert {row["path"] for row in backwards.split(0.25, seed=3)[1].table()} == {row["path"] for row in test.table()}
    sides = {tuple(sorted({row["take_sha256"] for row in cycles.split(0.25, seed=seed)[1].table()})) for seed in range(9)}
    assert len(sides) > 1
    shares: list[Any] = [0, 1, True, "half"]
    for wrong in shares:
        with pytest.raises(loopwright.SettingError, match="test: expected a share"):
            cycles.split(wrong)
    with pytest.raises(loopwright.ArrayError, match="two or more"):
        cycles.where(path=cycles[0].facts["path"]).split()


def same(one: Cycles, other: Cycles) -> bool:
    names = ("offsets", "positions", "rotations", "root_positions", "root_rotations", "contacts")
    return one.table() == other.table() and all(
        a.skeleton == b.skeleton and all((getattr(a, name) == getattr(b, name)).all() for name in names)
        for a, b in zip(one, other, strict=True)
    )


def test_skeletons_are_named_apart_and_grouped(takes: Path, tmp_path: Path) -> None:
    walk = loopwright.read(takes / "walk_0.bvh")
    renamed = walk.to_dict() | {"names": [f"b_{name}" for name in walk.names]}
    both = loopwright.cycles([walk, loopwright.Take.from_dict(renamed | {"name": "other"})], 8)
    with pytest.raises(loopwright.ArrayError) as raised:
        both.positions
    assert 'joints "Hips" and "b_Hips"' in str(raised.value) and "other" in str(raised.value)
    groups = both.groups()
    assert [group.names[0] for group in groups] == ["Hips", "b_Hips"]
    assert sum(map(len, groups)) == len(both) and groups[0].positions.shape[1:] == (8, 24, 3)
    with pytest.raises(loopwright.ArrayError, match="2 skeletons"):
        both.save(tmp_path / "both.npz")


def test_a_take_without_a_loop_gives_no_cycle(takes: Path) -> None:
    none = loopwright.cycles(takes / "short.bvh")
    assert len(none) == 0 and none.groups() == [] and none.table() == []


def test_tables_go_into_data_frames(cycles: Cycles, tmp_path: Path) -> None:
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    rows = cycles.table()
    assert list(rows.to_pandas().columns) == rows.columns == rows.to_polars().columns
    assert rows.to_pandas()["speed_mps"].tolist() == cycles.speed.tolist() == rows.to_polars()["speed_mps"].to_list()
    assert len(pandas.DataFrame(rows)) == len(polars.DataFrame(rows)) == len(rows)
    with rows.to_csv(tmp_path / "rows.csv").open(newline="") as file:
        assert [row["path"] for row in csv.DictReader(file)] == rows.column("path")
    back = polars.read_parquet(rows.to_parquet(tmp_path / "rows.parquet"))
    assert back["period_secs"].to_list() == cycles.period.tolist() and back["animation"].dtype == polars.String


def test_a_package_that_is_missing_is_named(cycles: Cycles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars", "pyarrow", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("loopwright._tables._has_no_polars", lambda: False)
    with pytest.raises(loopwright.MissingPackageError, match=r"pip install 'loopwright\[pandas\]'"):
        cycles.table().to_pandas()
    with pytest.raises(ImportError, match=r"pip install 'loopwright\[catalog\]'"):
        cycles.to_parquet(tmp_path / "cycles.parquet")
    assert os.listdir(tmp_path) == []


def test_gait_of_a_walk_of_known_speed(tmp_path: Path) -> None:
    synth(tmp_path / "walk.bvh", "--turn-rate", 0, "--period", 1.1, "--speed", 1.3)
    take = loopwright.read(tmp_path / "walk.bvh")
    for motion in (take, take.make()):
        gait = loopwright.gait(motion)
        assert gait.cadence == pytest.approx(2 * 60 / 1.1, rel=0.03)
        row = gait.summary
        assert row["path"].endswith("walk.bvh") and row["duty_factor_left"] == next(iter(gait.duty_factors.values()))
        assert row["mean_stride_length_m"] == pytest.approx(1.3 * 1.1, rel=0.03)
        assert row["mean_stride_length_m"] == pytest.approx(2 * row["mean_step_length_m"], rel=0.02)
        assert row["speed_mps"] == pytest.approx(1.3, rel=0.02)
        assert all(share is not None and 0.4 < share < 0.7 for share in gait.duty_factors.values())
        assert all(share is not None and 0.8 < share <= 1 for share in gait.symmetry.values())
        means = gait.means["step_secs"]
        times = gait.strides.column("step_secs")
        assert means["count"] == len(times) and means["mean"] == pytest.approx(np.mean(times))
        assert means["std_dev"] == pytest.approx(np.std(times, ddof=1), abs=1e-12)
    assert loopwright.inspect(take)["gait"] == {"summary": loopwright.gait(take).means, "strides": loopwright.gait(take).strides}


def test_what_gait_leaves_open_is_none() -> None:
    still = loopwright.Take.from_arrays(["Hips"], [-1], np.zeros((1, 3)), np.tile([0.0, 0, 0, 1], (9, 1, 1)), fps=30)
    gait = loopwright.gait(still)
    assert gait.strides == [] and gait.cadence is None and gait.duty_factors == {}
    assert list(gait.symmetry.values()) == [None] * 3
