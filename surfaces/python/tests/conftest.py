"""Takes that the tests share: of walkers whose truth is known, written by the command itself."""

from __future__ import annotations

import os
import warnings
from pathlib import Path

import pytest

import loopwright
from loopwright import _native


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
def mocap() -> Path:
    """The captured takes, where they are."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "mocap"
    folder = Path(os.environ.get("LOOPWRIGHT_MOCAP", beside))
    if not folder.is_dir():
        if os.environ.get("LOOPWRIGHT_REQUIRE_MOCAP"):
            pytest.fail("the captured takes are missing")
        pytest.skip("needs the captured takes")
    return folder
