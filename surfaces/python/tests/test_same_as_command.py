"""Files, documents and arrays are those that the command makes of the same files, whatever the settings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright

from conftest import command

pytestmark = pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")

# A call, and what the command is asked for.
FILES = [
    ("read('slow.bvh')", "convert slow.bvh OUT"),
    ("mirror('slow.bvh')", "convert slow.bvh OUT --mirror"),
    ("mirror('fast-loop.bvh')", "convert fast-loop.bvh OUT --mirror"),
    ("make('slow.bvh')", "make slow.bvh -o OUT"),
    ("make('slow.bvh', cycles=2, method='cubic', blend=0.2)", "make slow.bvh -o OUT --cycles 2 --closure cubic --blend 0.2"),
    ("make('slow.bvh', for_='unity', start_at='left-contact')", "make slow.bvh -o OUT --for unity --set output.start-at=left-contact"),
    (
        "make('slow.bvh', root_motion='in-place', last_key='drop', frames=30)",
        "make slow.bvh -o OUT --root-motion in-place --set output.last-key=drop --set output.frames=30",
    ),
    (
        "make('slow.bvh', joint={'pattern': '*Hand*', 'method': 'spring', 'blend': 0.1})",
        "make slow.bvh -o OUT --set joint=*Hand*:spring:0.1",
    ),
    ("make('slow.bvh', pick=2, shifted=True)", "make slow.bvh -o OUT --pick 2 --set search.shifted=true"),
    ("blend(loops)", "blend slow-loop.bvh fast-loop.bvh -o OUT"),
    ("blend(loops, weights=[1, 3])", "blend slow-loop.bvh fast-loop.bvh -o OUT --weights 1,3"),
    ("blend(loops, speed=1.3, lock_feet='off')", "blend slow-loop.bvh fast-loop.bvh -o OUT --speed 1.3 --lock-feet off"),
    ("blend(loops, turn_rate=15, for_='unreal')", "blend slow-loop.bvh fast-loop.bvh -o OUT --turn-rate 15 --for unreal"),
    (
        "blend(loops, rig='hero.glb', recenter=True)",
        "blend slow-loop.bvh fast-loop.bvh -o OUT --rig hero.glb --recenter on",
    ),
    ("play(loops, 8, name='done')", "play slow-loop.bvh fast-loop.bvh -o OUT --seconds 8 --seed 0"),
    (
        "play(loops, 8, name='done', seed=5, fps=30, cycles=(2, 4))",
        "play slow-loop.bvh fast-loop.bvh -o OUT --seconds 8 --seed 5 --fps 30 --cycles 2:4",
    ),
    (
        "play(loops, 8, name='done', fade='spring', fade_seconds=0.2, seed=7)",
        "play slow-loop.bvh fast-loop.bvh -o OUT --seconds 8 --fade spring --fade-seconds 0.2",
    ),
    (
        "play(loops, 8, name='done', for_='unreal', lock_feet='off', seed=7)",
        "play slow-loop.bvh fast-loop.bvh -o OUT --seconds 8 --for unreal --lock-feet off",
    ),
    ("retarget('slow.bvh', 'hero.glb')", "retarget slow.bvh --rig hero.glb -o OUT"),
    ("retarget('fast-loop.bvh', 'hero.glb')", "retarget fast-loop.bvh --rig hero.glb -o OUT"),
    (
        "retarget('fast-loop.bvh', 'hero.glb', for_='unreal', bone_stretch=0.5)",
        "retarget fast-loop.bvh --rig hero.glb -o OUT --for unreal --bone-stretch 0.5",
    ),
]


@pytest.mark.parametrize("extension", ["bvh", "glb", "fbx", "npz"])
@pytest.mark.parametrize(("call", "asked"), FILES)
def test_files(names: dict[str, Any], call: str, asked: str, extension: str) -> None:
    """A file, and for a loop its sidecar, under the same name in the same folder."""
    path = Path(f"done.{extension}")
    path.with_name(f"{path.name}.json").unlink(missing_ok=True)
    command(*asked.replace("OUT", path.name).split(), "-f")
    done = eval(call, names)
    paths = [path, Path(f"{path.name}.json")][: 1 + isinstance(done, loopwright.Loop)]
    theirs = [each.read_bytes() for each in paths]
    assert done.write(path, force=True) == path
    assert [each.read_bytes() for each in paths] == theirs
    assert isinstance(done, loopwright.Loop) or done.to_bytes(extension) == theirs[0]
    if call.startswith("retarget"):
        # A character's file has animations of its own.
        written = loopwright.load(path) if isinstance(done, loopwright.Loop) else loopwright.read(path)
        assert done.names == written.names
        np.testing.assert_allclose(done.positions, written.positions, atol=1e-4)


# A call, what the command is asked for, and where in its answer the same is.
DOCUMENTS = [
    ("inspect('slow.bvh')", "inspect slow.bvh", ""),
    ("list_loops('slow.bvh', 'fast.bvh')", "list slow.bvh fast.bvh", ""),
    ("[each.facts for each in read('slow.bvh').find(cycles=2)]", "find slow.bvh --cycles 2", "candidates"),
    ("read('slow.bvh').find(cycles=2).facts['rhythm']", "find slow.bvh --cycles 2", "rhythm"),
    ("fit(['slow.bvh', 'fast.bvh'], smoothing=0.2)", "fit slow.bvh fast.bvh --smoothing 0.2", ""),
    ("fit([read('slow.bvh'), 'fast.bvh'], smoothing=0.2)", "fit slow.bvh fast.bvh --smoothing 0.2", ""),
    ("check('fast-loop.bvh', take='fast.bvh').facts", "check fast-loop.bvh --take fast.bvh", "loops.0"),
    ("check(loops[1], take=read('fast.bvh')).facts", "check fast-loop.bvh --take fast.bvh", "loops.0"),
    ("list(check(loops[1]).checks.values())", "check fast-loop.bvh", "loops.0.quality.checks"),
    (
        "cost('slow-loop.bvh', read('fast.bvh'), fade='quintic', top=3).best",
        "cost slow-loop.bvh fast.bvh --fade quintic --top 3",
        "table.best",
    ),
    ("cost('slow-loop.bvh', 'fast.bvh').table.tolist()", "cost slow-loop.bvh fast.bvh", "table.costs_metre_secs"),
    ("cost('slow-loop.bvh', 'fast.bvh').exits.tolist()", "cost slow-loop.bvh fast.bvh", "table.exit_frames"),
    ("cost('slow-loop.bvh', 'fast.bvh').entries.tolist()", "cost slow-loop.bvh fast.bvh", "table.entry_frames"),
    (
        "cost(['fast-loop.bvh', read('fast.bvh'), loops[0]]).best",
        "cost fast-loop.bvh fast.bvh slow-loop.bvh",
        "among.best",
    ),
    ("cost(*loops, frames=(5, 9)).facts['pair']", "cost slow-loop.bvh:5 fast-loop.bvh:9", "pair"),
    ("play(loops, 8, name='done', seed=5).played", "play slow-loop.bvh fast-loop.bvh -o done.bvh -f --seconds 8 --seed 5", "played"),
    ("Database.load('walks.db').clips", "match inspect walks.db", "clips"),
    (
        "Database.load('walks.db').query('slow.bvh', 30, speed=1.4, top=3)",
        "match query walks.db slow.bvh:30 --speed 1.4 --top 3",
        "found",
    ),
    (
        "Database.load('walks.db').query(read('slow.bvh'), np.array([31, 30]), speed=1.4, top=3)[1]",
        "match query walks.db slow.bvh:30 --speed 1.4 --top 3",
        "found",
    ),
]


@pytest.mark.parametrize(("call", "asked", "where"), DOCUMENTS)
def test_documents(names: dict[str, Any], call: str, asked: str, where: str) -> None:
    if "walks.db" in call:
        command("match", "build", "slow.bvh", "fast-loop.bvh", "-o", "walks.db", "-f")
    theirs = json.loads(command(*asked.split(), "--json"))
    for key in where.split(".") if where else ():
        theirs = theirs[int(key) if key.isdigit() else key]
    assert eval(call, names) == theirs


@pytest.mark.parametrize(
    ("call", "asked"),
    [("read('slow.bvh')", "convert slow.bvh all.npz -f"), ("make('slow.bvh', cycles=2)", "make slow.bvh -o all.npz --cycles 2 -f")],
)
def test_arrays_are_those_of_the_npz_to_the_bit(names: dict[str, Any], call: str, asked: str) -> None:
    command(*asked.split())
    motion = eval(call, names)
    arrays = motion.arrays()
    with np.load("all.npz") as file:
        assert set(arrays) == set(file)
        for name in file:
            np.testing.assert_array_equal(arrays[name], file[name], strict=True)
    for name, own in {
        "positions": motion.positions,
        "local_rotations": motion.local_rotations(),
        "world_rotations": motion.world_rotations(),
    }.items():
        np.testing.assert_array_equal(own.astype(np.float32), arrays[name])
    np.testing.assert_array_equal(motion.contacts, arrays["contacts"])
    assert list(motion.names) == list(arrays["names"]) and motion.fps == arrays["fps"]
    if isinstance(motion, loopwright.Loop):
        np.testing.assert_array_equal(motion.phase, arrays["phase"])
        np.testing.assert_array_equal(motion.twist[0], arrays["linear_velocity"])


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({}, ""),
        ({"ahead": [0.2, 0.4, 0.6], "tags": {"style": "walk"}}, "--ahead 0.2,0.4,0.6 --tag style=walk"),
        ({"features": "cost", "weights": {"Head": 0.5}}, "--features cost --joint-weight Head=0.5"),
        ({"features": "cost", "fade": "quintic", "blend": 0.3}, "--features cost --fade quintic --blend 0.3"),
    ],
)
def test_databases(names: dict[str, Any], settings: dict[str, Any], flags: str) -> None:
    command("match", "build", "slow.bvh", "fast-loop.bvh", "-o", "theirs.db", "-f", *flags.split())
    command("match", "export", "theirs.db", "--npy", "theirs.npy", "-f")
    build = names["Database"].build
    ours = build([loopwright.read("slow.bvh"), loopwright.load("fast-loop.bvh")], **settings)
    assert build(["slow.bvh", "fast-loop.bvh"], **settings).to_bytes() == ours.to_bytes() == Path("theirs.db").read_bytes()
    ours.save("ours.db", force=True)
    assert Path("ours.db").read_bytes() == ours.to_bytes()
    np.testing.assert_array_equal(ours.features, np.load("theirs.npy"))
    assert not ours.features.flags.writeable
