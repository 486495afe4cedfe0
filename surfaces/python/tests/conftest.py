"""Takes that the tests share: of walkers whose truth is known, written by the command itself."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import _native, bridges, plot
from loopwright.match import Database


def command(*args: object) -> str:
    """What the command prints."""
    return _native.answer(["loopwright", *map(str, args)])[1]


@pytest.fixture(scope="session")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("takes") / "walk.bvh"
    command("synth", "-o", path)
    return path


@pytest.fixture(scope="session")
def take(walk: Path) -> loopwright.Take:
    return loopwright.read(walk)


@pytest.fixture(scope="session")
def loop(take: loopwright.Take) -> loopwright.Loop:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return take.make()


@pytest.fixture(scope="session")
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


@pytest.fixture
def names(here: Path, loops: list[loopwright.Loop], take: loopwright.Take, loop: loopwright.Loop) -> dict[str, Any]:
    """What the calls of tables may name: the package, its modules, and motions."""
    modules = {"loopwright": loopwright, "bridges": bridges, "plot": plot, "np": np, "Database": Database}
    return {**{name: getattr(loopwright, name) for name in loopwright.__all__}, **modules, "loops": loops, "take": take, "loop": loop}


@pytest.fixture(scope="session")
def mocap() -> Path:
    """The captured takes, where they are."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "mocap"
    folder = Path(os.environ.get("LOOPWRIGHT_MOCAP", beside))
    if not folder.is_dir():
        if os.environ.get("LOOPWRIGHT_REQUIRE_MOCAP"):
            pytest.fail("the captured takes are missing")
        pytest.skip("needs the captured takes")
    return folder
