"""C3D files of every kind of number, written here by the description of the format."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import loopwright
from loopwright import ReadError, bridges

_MARKERS = {
    "LASI": "LeftUpLeg", "RASI": "RightUpLeg", "LKNE": "LeftLeg", "RKNE": "RightLeg", "LANK": "LeftFoot", "RANK": "RightFoot",
    "LTOE": "LeftToeBase", "RTOE": "RightToeBase",
}  # fmt: skip
_EVENTS = [(0.0, 1.5, "Left", "Foot Strike"), (1.0, 2.25, "Right", "Foot Off")]


def written(places: Any, fps: float, processor: int, whole: bool) -> bytes:
    """A file of places (F, M, 3) in millimetres, of floating numbers or of whole ones, which count halves."""
    order = ">" if processor == 86 else "<"

    def reals(values: Any) -> bytes:
        raw = (np.asarray(values, np.float64) * (4 if processor == 85 else 1)).astype(f"{order}f4").tobytes()
        return np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1].tobytes() if processor == 85 else raw

    def entry(owner: int, name: str, rest: bytes) -> bytes:
        return struct.pack("bb", len(name), owner) + name.encode() + struct.pack(f"{order}h", len(rest) + 2) + rest

    def parameter(owner: int, name: str, kind: int, sizes: list[int], raw: bytes) -> bytes:
        return entry(owner, name, struct.pack("bb", kind, len(sizes)) + bytes(sizes) + raw + b"\0")

    def texts(owner: int, name: str, values: list[str]) -> bytes:
        return parameter(owner, name, -1, [16, len(values)], b"".join(each.encode().ljust(16) for each in values))

    entries = b"".join(
        [
            entry(-1, "POINT", b"\0"),
            entry(-2, "EVENT", b"\0"),
            texts(1, "LABELS", list(_MARKERS)),
            texts(1, "UNITS", ["mm"]),
            parameter(1, "RATE", 4, [], reals([fps])),
            texts(2, "CONTEXTS", [each[2] for each in _EVENTS]),
            texts(2, "LABELS", [each[3] for each in _EVENTS]),
            parameter(2, "TIMES", 4, [2, len(_EVENTS)], reals([each[:2] for each in _EVENTS])),
        ]
    )
    blocks = -(-(len(entries) + 6) // 512)
    frames, count = places.shape[:2]
    scale = 0.5 if whole else -1.0
    head = struct.pack(f"{order}5H", count, 2, 11, frames + 10, 0) + reals([scale]) + struct.pack(f"{order}2H", 2 + blocks, 1)
    points = np.concatenate([np.nan_to_num(places), np.where(np.isnan(places[..., :1]), -1, 0)], axis=-1)
    rows = np.concatenate([points.reshape(frames, -1) / (0.5 if whole else 1), np.zeros((frames, 2))], axis=1)
    if whole:
        rows[:, 3 : 4 * count : 4] = points[..., 3]
    data = rows.round().astype(f"{order}i2").tobytes() if whole else reals(rows)
    header = (b"\x02\x50" + head + reals([fps])).ljust(512, b"\0")
    return header + (bytes([1, 0x50, blocks, processor]) + entries).ljust(512 * blocks, b"\0") + data


@pytest.mark.parametrize("processor", [84, 85, 86])
@pytest.mark.parametrize("whole", [False, True])
def test_markers_and_events(take: loopwright.Take, processor: int, whole: bool) -> None:
    joints = [take.names.index(name) for name in _MARKERS.values()]
    places = take.positions[:, joints]
    lain = np.stack([places[..., 0], -places[..., 2], places[..., 1]], axis=-1) * 1000
    lain[5, 3] = np.nan
    found = bridges.from_c3d(written(lain, take.fps, processor, whole))
    assert found.names == tuple(_MARKERS) and found.fps == pytest.approx(take.fps, rel=1e-6)
    assert np.isnan(found.positions).sum() == 3 and np.isnan(found.positions[5, 3]).all()
    assert np.nanmax(np.abs(found.positions - places)) < (2.6e-4 if whole else 1e-6)
    assert [row["label"] for row in found.events] == ["Foot Strike", "Foot Off"]
    assert [row["secs"] for row in found.events] == pytest.approx([1.5 - 10 / take.fps, 62.25 - 10 / take.fps], abs=1e-5)
    motion = found.take()
    assert motion.names == ("Hips", "LeftLeg", "LeftFoot", "LeftToeBase", "RightLeg", "RightFoot", "RightToeBase")
    mine, theirs = loopwright.gait(motion), loopwright.gait(take)
    assert mine.cadence == pytest.approx(theirs.cadence, rel=0.03)
    # A marker that is never seen moves no joint.
    unseen = np.full_like(found.positions[:, :1], np.nan)
    more = bridges.Markers((*found.names, "LPSI"), np.concatenate([found.positions, unseen], axis=1), found.fps, found.events)
    assert np.array_equal(more.take().positions, motion.positions)


def test_what_is_no_c3d(take: loopwright.Take) -> None:
    good = written(np.zeros((4, len(_MARKERS), 3)), 100.0, 84, False)
    for wrong in (b"", good[:700], b"\0" * 2000, good.replace(b"mm ", b"ly "), good[: len(good) // 2]):
        with pytest.raises(ReadError):
            bridges.from_c3d(wrong)
    rng = np.random.default_rng(0)
    for _ in range(300):
        spoiled = bytearray(good)
        for at in rng.integers(0, len(good), 3):
            spoiled[at] = int(rng.integers(256))
        try:
            bridges.from_c3d(bytes(spoiled))
        except ReadError:
            pass
