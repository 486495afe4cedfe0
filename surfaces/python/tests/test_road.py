"""What is done with takes and loops equals what the command does with their files, and closed forms where there are some."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright

from conftest import command
from test_takes import product, rotated

pytestmark = pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A slow and a fast walk, their loops, and a character of another skeleton."""
    folder = tmp_path_factory.mktemp("road")
    command("synth", "-o", folder / "slow.bvh", "--speed", 1.0, "--period", 1.2)
    command("synth", "-o", folder / "fast.bvh", "--speed", 1.6, "--period", 0.9, "--turn-rate", 20, "--seed", 3)
    for name in ("slow", "fast"):
        command("make", folder / f"{name}.bvh", "-o", folder / f"{name}-loop.bvh")
    command("convert", folder / "slow.bvh", folder / "hero.glb")
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder, in which names of files are short."""
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def loops(here: Path) -> list[loopwright.Loop]:
    return [loopwright.load(f"{name}-loop.bvh") for name in ("slow", "fast")]


def same_files(done: loopwright.Take | loopwright.Loop, name: str, *args: object) -> None:
    """Compares the files of a motion with those that a command writes under the same name."""
    command(*args, "-f")
    paths = [path for path in (Path(name), Path(f"{name}.json")) if path.exists()]
    theirs = [path.read_bytes() for path in paths]
    done.write(name, force=True)
    assert [path.read_bytes() for path in paths] == theirs
    assert len(paths) == 1 + isinstance(done, loopwright.Loop)


@pytest.mark.parametrize("extension", ["bvh", "glb", "fbx", "npz"])
@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({}, []),
        ({"weights": [1, 3]}, ["--weights", "1,3"]),
        ({"speed": 1.3, "lock_feet": "off"}, ["--speed", 1.3, "--lock-feet", "off"]),
        ({"turn_rate": 15, "for_": "unreal"}, ["--turn-rate", 15, "--for", "unreal"]),
        ({"rig": "hero.glb", "recenter": True}, ["--rig", "hero.glb", "--recenter", "on"]),
    ],
)
def test_blends_are_those_of_the_command(
    loops: list[loopwright.Loop], settings: dict[str, Any], flags: list[object], extension: str
) -> None:
    name = f"blend.{extension}"
    blend = loopwright.blend(loops, **settings)
    same_files(blend, name, "blend", "slow-loop.bvh", "fast-loop.bvh", "-o", name, *flags)


def test_the_twist_of_a_blend_is_the_mean_over_time(loops: list[loopwright.Loop]) -> None:
    weights = np.array([1.0, 3.0])
    blend = loopwright.blend(loops, weights)
    share = weights * [loop.period for loop in loops]
    for ours, theirs in zip(blend.twist, zip(*(loop.twist for loop in loops), strict=True), strict=True):
        np.testing.assert_allclose(ours, np.average(theirs, axis=0, weights=share), rtol=1e-9, atol=1e-12)
    period = np.average([loop.period for loop in loops], weights=weights)
    assert abs(blend.period - period) <= 0.5 / blend.fps + 1e-9
    assert blend.facts["blend"]["weights"] == [0.25, 0.75]


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


@pytest.mark.parametrize("extension", ["bvh", "glb", "fbx", "npz"])
@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({}, ["--seed", 0]),
        ({"seed": 5, "fps": 30, "cycles": (2, 4)}, ["--seed", 5, "--fps", 30, "--cycles", "2:4"]),
        ({"fade": "spring", "fade_seconds": 0.2, "seed": 7}, ["--fade", "spring", "--fade-seconds", 0.2]),
        ({"for_": "unreal", "lock_feet": "off", "seed": 7}, ["--for", "unreal", "--lock-feet", "off"]),
    ],
)
def test_performances_are_those_of_the_command(
    loops: list[loopwright.Loop], settings: dict[str, Any], flags: list[object], extension: str
) -> None:
    name = f"long.{extension}"
    played = loopwright.play(loops, 8, name="long", **settings)
    args = ("play", "slow-loop.bvh", "fast-loop.bvh", "-o", name, "--seconds", 8, *flags)
    answer = json.loads(command(*args, "--json", "-f"))
    assert played.played == answer["played"] and played.num_frames == answer["frames"]
    same_files(played, name, *args)


def test_what_was_played_can_be_made_into_a_loop(loops: list[loopwright.Loop]) -> None:
    for engine in (None, "unreal"):
        played = loopwright.play(loops, 12, for_=engine)
        assert played.make().positions.shape[1] == played.num_joints


def test_costs_are_those_of_the_command(loops: list[loopwright.Loop], here: Path) -> None:
    answer = json.loads(command("cost", "slow-loop.bvh", "fast.bvh", "--fade", "quintic", "--top", 3, "--json"))["table"]
    costs = loopwright.cost("slow-loop.bvh", loopwright.read("fast.bvh"), fade="quintic", top=3)
    assert isinstance(costs, loopwright.Costs)
    assert costs.best == answer["best"] and len(costs.best) == 3
    np.testing.assert_array_equal(costs.table, answer["costs_metre_secs"])
    assert list(costs.exits) == answer["exit_frames"] and list(costs.entries) == answer["entry_frames"]
    assert not costs.table.flags.writeable and costs.table.flags.c_contiguous
    whole = loopwright.cost(*loops, size=1000)
    assert isinstance(whole, loopwright.Costs) and whole.table.shape == tuple(loop.num_samples for loop in loops)
    assert whole.table.min() == whole.best[0]["cost_metre_secs"]
    row = loopwright.cost(*loops, frames=(3, None), size=1000)
    assert isinstance(row, loopwright.Costs)
    np.testing.assert_array_equal(row.table, whole.table[3:4])

    among = json.loads(command("cost", "fast-loop.bvh", "fast.bvh", "slow-loop.bvh", "--json"))["among"]
    ours = loopwright.cost(["fast-loop.bvh", loopwright.read("fast.bvh"), loops[0]])
    assert isinstance(ours, loopwright.Costs) and ours.best == among["best"]
    np.testing.assert_array_equal(ours.table, np.array(among["costs_metre_secs"], float))
    assert np.isnan(ours.table.diagonal()).all()


def test_the_cost_of_a_jump_is_the_area_of_its_offset(loops: list[loopwright.Loop]) -> None:
    jump = loopwright.cost(*loops, frames=(5, 9), half_life=0.1)
    answer = json.loads(command("cost", "slow-loop.bvh:5", "fast-loop.bvh:9", "--json"))
    assert jump.facts["pair"] == answer["pair"]
    decay = 2 * np.log(2) / 0.1
    secs = np.linspace(0, 2, 20_001)
    x = np.nan_to_num(jump.positions) * jump.weights[:, None]
    v = jump.velocities * jump.weights[:, None]
    offsets = np.abs((x[..., None] + (v + decay * x)[..., None] * secs) * np.exp(-decay * secs))
    areas = ((offsets[..., 1:] + offsets[..., :-1]) / 2 * np.diff(secs)).sum((-1, -2))
    np.testing.assert_allclose(jump.part_costs[:, 0], areas, rtol=1e-5, atol=1e-9)
    for column, fade in enumerate(("spring", "cubic", "quintic")):
        assert jump.part_costs[:, column].sum() == pytest.approx(jump.costs[fade], rel=1e-12)
    assert jump.parts[-2:] == ("(root's velocity)", "(root's turning)")
    assert np.isnan(jump.positions[-2:]).all() and np.isfinite(jump.positions[:-2]).all()


def test_fits_are_those_of_the_command(here: Path) -> None:
    theirs = json.loads(command("fit", "slow.bvh", "fast.bvh", "--smoothing", 0.2, "--json"))
    assert loopwright.fit(["slow.bvh", "fast.bvh"], smoothing=0.2) == theirs
    assert loopwright.fit([loopwright.read("slow.bvh"), "fast.bvh"], smoothing=0.2) == theirs


@pytest.mark.parametrize("extension", ["glb", "fbx", "bvh", "npz"])
@pytest.mark.parametrize("motion", ["slow.bvh", "fast-loop.bvh"])
@pytest.mark.parametrize(
    ("settings", "flags"),
    [({}, []), ({"for_": "unreal", "bone_stretch": 0.5}, ["--for", "unreal", "--bone-stretch", 0.5])],
)
def test_motions_go_onto_characters_as_with_the_command(
    here: Path, motion: str, settings: dict[str, Any], flags: list[object], extension: str
) -> None:
    name = f"onto.{extension}"
    done = loopwright.retarget(motion, "hero.glb", **settings)
    assert isinstance(done, loopwright.Loop) == motion.endswith("loop.bvh")
    same_files(done, name, "retarget", motion, "--rig", "hero.glb", "-o", name, *flags)
    # A character's file has animations of its own.
    written = loopwright.load(name) if isinstance(done, loopwright.Loop) else loopwright.read(name)
    assert done.names == written.names
    np.testing.assert_allclose(done.positions, written.positions, atol=1e-4)


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
def test_mirror_images_are_those_of_the_command(here: Path, motion: str) -> None:
    image = loopwright.mirror(motion)
    for extension in ("bvh", "glb", "npz"):
        same_files(image, f"image.{extension}", "convert", motion, f"image.{extension}", "--mirror")
    own = loopwright.load(motion) if isinstance(image, loopwright.Loop) else loopwright.read(motion)
    others = {"Left": "Right", "Right": "Left"}
    swapped = [own.names.index(re.sub("Left|Right", lambda side: others[side[0]], name)) for name in own.names]
    assert swapped != list(range(len(swapped)))
    np.testing.assert_allclose(image.positions, own.positions[:, swapped] * [-1, 1, 1], atol=1e-6)
    back = loopwright.mirror(image)
    np.testing.assert_allclose(back.positions, own.positions, atol=1e-9)


def test_checks_are_those_of_the_command(loops: list[loopwright.Loop], here: Path) -> None:
    theirs = json.loads(command("check", "fast-loop.bvh", "--take", "fast.bvh", "--json"))["loops"][0]
    for loop, take in (("fast-loop.bvh", "fast.bvh"), (loops[1], loopwright.read("fast.bvh"))):
        check = loopwright.check(loop, take=take)
        assert check.facts == theirs
        assert (check.grade, check.reason) == (theirs["quality"]["grade"], theirs["quality"]["reason"])
        assert list(check.checks) == [each["id"] for each in theirs["quality"]["checks"]]
    assert loopwright.check(loops[1]).grade == loops[1].grade
    bare = here / "bare-loop.bvh"
    bare.write_bytes((here / "fast-loop.bvh").read_bytes())
    alone = loopwright.check(bare)
    assert alone.facts == loopwright.check(loopwright.read(bare)).facts and "no sidecar" in alone.facts["warnings"][0]


def test_takes_and_files_are_inspected(here: Path) -> None:
    theirs = json.loads(command("inspect", "slow.bvh", "--json"))
    ours = loopwright.inspect(loopwright.read("slow.bvh"))
    assert loopwright.inspect("slow.bvh") == theirs
    theirs["take"].pop("file_sha256"), ours["take"].pop("file_sha256")
    assert ours == theirs
    assert loopwright.list_loops("slow.bvh", "fast.bvh") == json.loads(command("list", "slow.bvh", "fast.bvh", "--json"))


WRONG: list[tuple[Callable[[list[loopwright.Loop]], object], type[Exception], str]] = [
    (lambda loops: loopwright.blend([1]), loopwright.SettingError, r"loops\[0\]: expected a Loop or a path, found int"),  # type: ignore[list-item]
    (lambda loops: loopwright.blend([]), loopwright.SettingError, "loops: expected one or more, found none"),
    (lambda loops: loopwright.blend(loops, [1]), loopwright.SettingError, "there are 2 loops and 1 weights"),
    (lambda loops: loopwright.blend(loops, 3), loopwright.ArrayError, r"weights: expected the shape \(any\), found \(\)"),  # type: ignore[arg-type]
    (lambda loops: loopwright.blend(loops, [1, -1]), loopwright.SettingError, "at least 0, found -1"),
    (lambda loops: loopwright.blend(loops, speed=9), loopwright.SettingError, "speed=9 is outside"),
    (lambda loops: loopwright.blend(loops, speed="x"), loopwright.SettingError, "speed: expected a number, found 'x'"),  # type: ignore[arg-type]
    (lambda loops: loopwright.blend(loops, lock_feet="x"), loopwright.SettingError, 'lock_feet: expected one of "auto"'),
    (lambda loops: loopwright.blend(loops, rig="none.glb"), loopwright.MakeError, "none.glb"),
    (lambda loops: loopwright.blend("none"), loopwright.ReadError, "none"),
    (lambda loops: loopwright.play(loops, -1), loopwright.SettingError, "seconds: expected a positive number, found -1"),
    (lambda loops: loopwright.play(loops, fps=0), loopwright.SettingError, "fps: expected a positive number, found 0"),
    (lambda loops: loopwright.play(loops, cycles=3), loopwright.SettingError, r"cycles: expected \(fewest, most\), whole numbers from 1 in order, found 3"),  # type: ignore[arg-type]
    (lambda loops: loopwright.cost(loops[0]), loopwright.SettingError, "b: expected a second motion"),
    (lambda loops: loopwright.cost(*loops, frames=(1, 999)), loopwright.SettingError, "has no frame 999"),
    (lambda loops: loopwright.cost(*loops, frames=(-1, 1)), loopwright.SettingError, '"-1" is no frame'),
    (lambda loops: loopwright.cost(*loops, frames=3), loopwright.SettingError, r"frames: expected \(exit, entry\), found 3"),  # type: ignore[call-overload]
    (lambda loops: loopwright.cost(*loops, half_life=99), loopwright.SettingError, "half_life: expected 0.001 to 10 seconds, found 99"),
    (lambda loops: loopwright.cost(*loops, size=0), loopwright.SettingError, "size: expected a whole number from 1"),
    (lambda loops: loopwright.fit([]), loopwright.SettingError, "takes: expected one or more"),
    (lambda loops: loopwright.fit(loops), loopwright.SettingError, r"takes\[0\]: expected a Take or a path, found Loop"),  # type: ignore[arg-type]
    (lambda loops: loopwright.mirror(loops[0], {"a": "b"}), loopwright.SettingError, 'no joint named "a"'),
    (lambda loops: loopwright.retarget(3, "x.glb"), loopwright.SettingError, "motion: expected a Take, a Loop or a path"),  # type: ignore[call-overload]
    (lambda loops: loopwright.check("none.bvh"), loopwright.LoopwrightError, "none.bvh"),
]


@pytest.mark.parametrize(("call", "error", "said"), WRONG)
def test_wrong_calls_say_what_is_wrong(
    loops: list[loopwright.Loop], call: Callable[[list[loopwright.Loop]], object], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        call(loops)


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


def test_captured_loops_blend_and_play(mocap: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    loops = []
    for name in ("Neutral_FW", "Neutral_FR"):
        loops.append(loopwright.read(mocap / "100style" / f"{name}.bvh").make())
        loops[-1].write(f"{name}.bvh")
    loops = [loopwright.load(f"{name}.bvh") for name in ("Neutral_FW", "Neutral_FR")]
    blend = loopwright.blend(loops, speed=1.5)
    same_files(blend, "blend.glb", "blend", "Neutral_FW.bvh", "Neutral_FR.bvh", "--speed", 1.5, "-o", "blend.glb")
    played = loopwright.play(loops, 20, seed=7, name="long")
    same_files(played, "long.bvh", "play", "Neutral_FW.bvh", "Neutral_FR.bvh", "--seconds", 20, "-o", "long.bvh")
