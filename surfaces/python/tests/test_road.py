"""What is done with takes and loops, by closed forms and by what it must keep; that it is the command's is said in test_same_as_command.py."""

from __future__ import annotations

import re
import threading
from pathlib import Path

import numpy as np
import pytest

import loopwright

from conftest import command
from test_takes import product, rotated

pytestmark = pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")


def test_a_blend_is_a_loop(loops: list[loopwright.Loop], here: Path) -> None:
    blend = loopwright.blend(["slow-loop.bvh", loops[1]])
    assert blend.grade in ("good", "review", "bad") and blend.recipe is None
    assert blend.positions.shape == (blend.num_frames, blend.num_joints, 3)
    (start, end), (before, after) = blend.sample([0.0, blend.period]).positions, blend.root([0.0, blend.period]).positions
    back, turn = blend.root([0.0, blend.period]).rotations * [[-1, -1, -1, 1], [1, 1, 1, 1]]
    np.testing.assert_allclose(rotated(product(turn, back), start - before) + after, end, atol=1e-9)
    again = loopwright.blend([blend, loops[0]])
    assert 0.95 < again.speed < blend.speed
    with pytest.raises(loopwright.WriteError):
        blend.write("slow-loop.bvh")


def test_what_was_played_can_be_made_into_a_loop(loops: list[loopwright.Loop]) -> None:
    for engine in (None, "unreal"):
        played = loopwright.play(loops, 12, for_=engine)
        assert played.make().positions.shape[1] == played.num_joints


def test_costs_are_tables(loops: list[loopwright.Loop]) -> None:
    whole = loopwright.cost(*loops, size=1000)
    assert isinstance(whole, loopwright.Costs) and whole.table.shape == tuple(loop.num_samples for loop in loops)
    assert whole.table.min() == whole.best[0]["cost_metre_secs"]
    assert not whole.table.flags.writeable and whole.table.flags.c_contiguous
    row = loopwright.cost(*loops, frames=(3, None), size=1000)
    assert isinstance(row, loopwright.Costs)
    np.testing.assert_array_equal(row.table, whole.table[3:4])
    among = loopwright.cost([*loops, loopwright.read("fast.bvh")])
    assert isinstance(among, loopwright.Costs) and np.isnan(among.table.diagonal()).all()


def test_what_a_motion_came_of_is_not_overwritten(loops: list[loopwright.Loop]) -> None:
    came_of: dict[str, list[loopwright.Take | loopwright.Loop]] = {
        "slow-loop.bvh": [loopwright.blend(loops), loopwright.play(loops, 3), loopwright.retarget(loops[0], "hero.glb")],
        "hero.glb": [loopwright.retarget(motion, "hero.glb") for motion in ("slow.bvh", "slow-loop.bvh")],
    }
    for name, motions in came_of.items():
        before = Path(name).read_bytes()
        for motion in motions:
            with pytest.raises(loopwright.WriteError):
                motion.write(name, force=True)
        assert Path(name).read_bytes() == before


@pytest.mark.parametrize("motion", ["slow.bvh", "fast-loop.bvh"])
def test_mirror_images_swap_sides(here: Path, motion: str) -> None:
    image = loopwright.mirror(motion)
    own = loopwright.load(motion) if isinstance(image, loopwright.Loop) else loopwright.read(motion)
    others = {"Left": "Right", "Right": "Left"}
    swapped = [own.names.index(re.sub("Left|Right", lambda side: others[side[0]], name)) for name in own.names]
    assert swapped != list(range(len(swapped)))
    np.testing.assert_allclose(image.positions, own.positions[:, swapped] * [-1, 1, 1], atol=1e-6)
    back = loopwright.mirror(image)
    np.testing.assert_allclose(back.positions, own.positions, atol=1e-9)


def test_loops_are_checked_with_and_without_their_sidecar(loops: list[loopwright.Loop], here: Path) -> None:
    check = loopwright.check(loops[1])
    assert (check.grade, check.reason) == tuple(check.facts["quality"][key] for key in ("grade", "reason")) and check.grade == loops[1].grade
    assert all(name == each["id"] for name, each in check.checks.items()) and check.checks
    bare = here / "bare-loop.bvh"
    bare.write_bytes((here / "fast-loop.bvh").read_bytes())
    alone = loopwright.check(bare)
    assert alone.facts == loopwright.check(loopwright.read(bare)).facts and "no sidecar" in alone.facts["warnings"][0]
    # All but the hash of its file is known of a take.
    theirs, ours = loopwright.inspect("slow.bvh"), loopwright.inspect(loopwright.read("slow.bvh"))
    theirs["take"].pop("file_sha256"), ours["take"].pop("file_sha256")
    assert ours == theirs


def test_threads_may_do_all_of_it_at_once(loops: list[loopwright.Loop]) -> None:
    expected = loopwright.blend(loops).to_bytes("bvh")
    found: list[bytes] = []

    def run() -> None:
        found.append(loopwright.blend(loops).to_bytes("bvh"))
        loopwright.cost(*loops)
        loopwright.play(loops, 3)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 8
