"""Databases for motion matching: their distances are those of their rows, and what they are built of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import loopwright
from loopwright.match import Database

pytestmark = pytest.mark.filterwarnings("ignore::loopwright.LoopwrightWarning")


def test_distances_are_those_of_rows(here: Path) -> None:
    database = Database.build("slow.bvh")
    fast = loopwright.read("fast.bvh")
    asked = database.features_of(fast)[40]
    distances = np.linalg.norm(database.features.astype(float) - asked, axis=1)
    found = database.query(fast, 40, top=4)
    # Each answer is the nearest row that is half a second from those before it.
    apart = 0.5 * loopwright.read("slow.bvh").fps
    nearest: list[int] = []
    for row in np.argsort(distances, kind="stable"):
        if len(nearest) < 4 and all(abs(row - other) >= apart for other in nearest):
            nearest.append(int(row))
    assert [match["row"] for match in found] == nearest
    np.testing.assert_allclose([match["distance"] for match in found], distances[nearest], rtol=1e-5)
    assert database.query(fast, 40, standing="left", top=1)[0]["left_stands"]


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
