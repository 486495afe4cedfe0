"""Databases for motion matching are those of the command, and their distances those of their rows."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright.match import Database

from conftest import command

pytestmark = pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("match")
    command("synth", "-o", folder / "slow.bvh", "--speed", 1.0, "--period", 1.2)
    command("synth", "-o", folder / "fast.bvh", "--speed", 1.6, "--period", 0.9, "--seed", 3)
    command("make", folder / "fast.bvh", "-o", folder / "fast-loop.bvh")
    return folder


@pytest.fixture
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.parametrize(
    ("settings", "flags"),
    [
        ({}, []),
        ({"ahead": [0.2, 0.4, 0.6], "tags": {"style": "walk"}}, ["--ahead", "0.2,0.4,0.6", "--tag", "style=walk"]),
        ({"features": "cost", "weights": {"Head": 0.5}}, ["--features", "cost", "--joint-weight", "Head=0.5"]),
        ({"features": "cost", "fade": "quintic", "blend": 0.3}, ["--features", "cost", "--fade", "quintic", "--blend", 0.3]),
    ],
)
def test_databases_are_those_of_the_command(here: Path, settings: dict[str, Any], flags: list[object]) -> None:
    command("match", "build", "slow.bvh", "fast-loop.bvh", "-o", "theirs.db", "-f", *flags)
    command("match", "export", "theirs.db", "--npy", "theirs.npy", "-f")
    ours = Database.build([loopwright.read("slow.bvh"), loopwright.load("fast-loop.bvh")], **settings)
    assert ours.to_bytes() == Path("theirs.db").read_bytes()
    assert Database.build(["slow.bvh", "fast-loop.bvh"], **settings).to_bytes() == ours.to_bytes()
    ours.save("ours.db", force=True)
    assert Path("ours.db").read_bytes() == ours.to_bytes()
    np.testing.assert_array_equal(ours.features, np.load("theirs.npy"))
    assert not ours.features.flags.writeable
    inspected = json.loads(command("match", "inspect", "theirs.db", "--json"))
    assert ours.clips == inspected["clips"] and ours.kind == inspected["features"]

    query = ["match", "query", "theirs.db", "slow.bvh:30", "--speed", 1.4, "--top", 3, "--json"]
    loaded = Database.load("theirs.db")
    found = loaded.query("slow.bvh", 30, speed=1.4, top=3)
    assert found == json.loads(command(*query))["found"]
    take = loopwright.read("slow.bvh")
    assert loaded.query(take, np.array([30, 31]), speed=1.4, top=3)[0] == found
    assert loaded.query(take, 30, standing="left", top=1)[0]["left_stands"]


def test_distances_are_those_of_rows(here: Path) -> None:
    database = Database.build("slow.bvh")
    fast = loopwright.read("fast.bvh")
    asked = database.features_of(fast)[40]
    distances = np.linalg.norm(database.features.astype(float) - asked, axis=1)
    found = database.query(fast, 40, top=4)
    assert [match["row"] for match in found] == list(np.argsort(distances, kind="stable")[:4])
    np.testing.assert_allclose([match["distance"] for match in found], np.sort(distances)[:4], rtol=1e-5)


def test_motions_are_added(here: Path, tmp_path: Path) -> None:
    first = Database.build("slow.bvh", tags={"style": "slow"})
    both = Database.build("fast.bvh", add=first, tags={"style": "fast"})
    np.testing.assert_array_equal(both.features[: first.num_rows], first.features)
    assert [clip["tags"] for clip in both.clips] == [[{"name": "style", "value": name}] for name in ("slow", "fast")]
    assert both.query("slow.bvh", 3, tags={"style": "fast"})[0]["clip"] == "fast.bvh"
    with pytest.raises(loopwright.NoLoopError, match="no frame of the database passes"):
        both.query("slow.bvh", 3, tags={"style": "none"})
    with pytest.raises(loopwright.MakeError, match="is in the database already"):
        Database.build("fast.bvh", add=both)


def test_folders_are_built_of_what_they_hold(here: Path, tmp_path: Path) -> None:
    for name in ("slow.bvh", "fast-loop.bvh", "fast-loop.bvh.json"):
        (tmp_path / name).write_bytes((here / name).read_bytes())
    (tmp_path / "bad.bvh").write_text("HIERARCHY")
    with pytest.warns(loopwright.FileWarning, match="left out"):
        database = Database.build(tmp_path)
    assert [Path(clip["name"]).name for clip in database.clips] == ["fast-loop.bvh", "slow.bvh"]


def test_wrong_calls_say_what_is_wrong(here: Path) -> None:
    database: Any = Database.build("slow.bvh")
    build: Any = Database.build
    wrong: list[tuple[Callable[[], object], type[Exception], str]] = [
        (lambda: build([]), loopwright.SettingError, "motions: expected one or more"),
        (lambda: build([3]), loopwright.SettingError, r"motions\[0\]: expected a Take, a Loop or a path"),
        (lambda: build("slow.bvh", features="x"), loopwright.SettingError, "features: expected one of"),
        (lambda: build("slow.bvh", ahead=[1, 2]), loopwright.LoopwrightError, r"ahead: expected three times.* found \[1, 2\]"),
        (lambda: build("slow.bvh", add=3), loopwright.SettingError, "add: expected a Database, found int"),
        (lambda: Database.load("slow.bvh"), loopwright.ReadError, "not a match database"),
        (lambda: Database.load("none"), loopwright.ReadError, 'cannot read "none"'),
        (lambda: database.query("slow.bvh", 99_999), loopwright.SettingError, "has no frame 99999"),
        (lambda: database.query("slow.bvh", 1.5), loopwright.SettingError, "frame: expected a whole number"),
        (lambda: database.query("slow.bvh", 1, speed=1e9), loopwright.SettingError, "speed: expected a number from -100 to 100"),
        (lambda: database.query("slow.bvh", 1, gait="x"), loopwright.SettingError, "gait: expected one of"),
    ]
    for call, error, said in wrong:
        with pytest.raises(error, match=said):
            call()
