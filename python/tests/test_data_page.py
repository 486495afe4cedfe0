"""The examples of the page about data, as they stand there."""

import doctest
import os
from pathlib import Path

import pytest

from loopwright import _native

PAGE = Path(__file__).resolve().parent.parent / "DATA.md"


def test_examples(tmp_path, monkeypatch):
    for package in ("polars", "pybvh"):
        pytest.importorskip(package)
    monkeypatch.chdir(tmp_path)
    os.mkdir("takes")
    for name, seconds, seed in (("walk_0", 4, 0), ("walk_1", 6, 1), ("short", 1, 2)):
        asked = ["synth", "-o", f"takes/{name}.bvh", "--seconds", str(seconds), "--fps", "30", "--seed", str(seed)]
        _native.answer(["loopwright", *asked])
    found = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert found.attempted > 20 and found.failed == 0
