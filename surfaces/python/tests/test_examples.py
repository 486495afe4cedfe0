"""The examples in docstrings show what they say."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
import warnings
from pathlib import Path

import numpy as np
import pytest

import loopwright

_MODULES = [each.name for each in pkgutil.iter_modules(loopwright.__path__) if each.name not in ("_native", "__main__")]


def test_examples(walk: Path, take: loopwright.Take, loop: loopwright.Loop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("walk.bvh").write_bytes(walk.read_bytes())
    run = 0
    for name in _MODULES:
        module = importlib.import_module(f"loopwright.{name}")
        given = {**vars(loopwright), **vars(module), "np": np, "loopwright": loopwright, "walk": take, "loop": loop}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = doctest.testmod(module, extraglobs=given)
        assert not result.failed, name
        run += result.attempted
    assert run > 50


@pytest.mark.parametrize("shown", ["take", "gait(take)", "cycles(take)", "take.strides()"])
def test_notebooks_show_values(take: loopwright.Take, shown: str) -> None:
    value = eval(shown, {"take": take, **{name: getattr(loopwright, name) for name in ("gait", "cycles")}})
    assert "<table>" in value._repr_html_() and len(repr(value)) < 400
