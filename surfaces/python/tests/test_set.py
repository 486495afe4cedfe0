"""Sets of takes are those of the command, to the byte."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import loopwright

from conftest import command

FLAGS = ["--fps", 30, "--drift", 0, "--turn-rate", 0]


@pytest.fixture(scope="module")
def takes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("set")
    (folder / "takes").mkdir()
    command("synth", "-o", folder / "takes/run.bvh", *FLAGS, "--speed", 3.2, "--period", 0.7, "--seconds", 5)
    command("synth", "-o", folder / "takes/walk.bvh", *FLAGS, "--speed", 1.3, "--lead-in", 4, "--seconds", 9)
    for path in (folder / "takes").glob("*.json"):
        path.unlink()
    return folder


@pytest.mark.parametrize("split", [False, True])
def test_a_set_is_that_of_the_command(takes: Path, split: bool) -> None:
    before = os.getcwd()
    os.chdir(takes)
    try:
        flags = ["--for", "godot", "--to", "glb", "--force", *(["--split"] if split else [])]
        command("set", "takes", "-o", "hero", *flags)
        wanted = {path.name: path.read_bytes() for path in Path("hero").iterdir()}
        for path in Path("hero").iterdir():
            path.unlink()
        hero = loopwright.make_set("takes", "hero", for_="godot", format="glb", split=split)
        written = {path.name: path.read_bytes() for path in Path("hero").iterdir()}
        for path in Path("hero").iterdir():
            path.unlink()
    finally:
        os.chdir(before)
    assert written == wanted
    assert hero.files == wanted
    assert {"idle", "walk", "run"} <= {clip["name"] for clip in hero.manifest["clips"]}


def test_takes_in_memory_make_a_set_and_write_nothing(takes: Path) -> None:
    read = [loopwright.read(takes / "takes" / name) for name in ("run.bvh", "walk.bvh")]
    made = loopwright.make_set(read)
    assert made.manifest["name"] == "set"
    assert {clip["file"] for clip in made.manifest["clips"]} <= set(made.files)
    assert not list(takes.glob("set*"))
