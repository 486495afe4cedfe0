"""The examples of the page about data, as they stand there."""

from __future__ import annotations

import doctest
import os
from pathlib import Path

import pytest

from conftest import command

PAGE = Path(__file__).resolve().parent.parent / "DATA.md"


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for package in ("polars", "pybvh"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    os.mkdir("takes")
    for name, seconds, seed in (("walk_0", 4, 0), ("walk_1", 6, 1), ("short", 1, 2)):
        command("synth", "-o", f"takes/{name}.bvh", "--seconds", seconds, "--fps", 30, "--seed", seed)
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 20 and found.failed == 0
