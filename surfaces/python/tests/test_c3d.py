"""C3D files: of every kind of number, written here by the description of the format, and those of ezc3d, which others wrote."""

from __future__ import annotations

import struct
from pathlib import Path
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


# Metres of a unit, frames per second, the number of the first frame, markers, frames, and channels of a force plate.
_FILES = [
    ("mm", 1e-3, 100.0, 0, 8, 50, 0),
    ("cm", 1e-2, 59.94, 40, 300, 20, 6),
    ("m", 1.0, 200.0, 3, 5, 10, 2),
    ("in", 0.0254, 120.0, 65_000, 2, 2000, 0),
    ("mm", 1e-3, 240.0, 0, 2, 70_000, 0),
    ("furlong", 201.168, 23.976, 1, 3, 4, 0),
]


@pytest.mark.parametrize(("named", "metres", "fps", "first", "count", "frames", "channels"), _FILES)
def test_files_of_ezc3d(
    tmp_path: Path, named: str, metres: float, fps: float, first: int, count: int, frames: int, channels: int
) -> None:
    ezc3d = pytest.importorskip("ezc3d")
    rng = np.random.default_rng(count)
    seen = rng.normal(size=(frames, count, 3)).astype(np.float32).astype(np.float64)
    seen[1, 0] = np.nan
    made = ezc3d.c3d()
    points, analog = (made["parameters"][group] for group in ("POINT", "ANALOG"))
    points["RATE"]["value"], points["UNITS"]["value"] = [fps], [named]
    points["LABELS"]["value"] = names = ["Zoé:LASI", *(f"M{at}" for at in range(1, count))]
    made["header"]["points"]["first_frame"] = first
    made["data"]["points"] = np.concatenate([seen.T, np.ones((1, count, frames))])
    if channels:
        analog["RATE"]["value"], analog["LABELS"]["value"] = [10 * fps], [f"F{at}" for at in range(channels)]
        made["data"]["analogs"] = rng.normal(size=(1, channels, 10 * frames))
    # More frames than ezc3d can count.
    if frames > 65_535:
        made.add_parameter("POINT", "LONG_FRAMES", [float(frames)])
    # In the second file no event has a side.
    events = [(0, 1.25, "Left" if first != 40 else "", "Foot Strike"), (61, 2.5, "", "Foot Off")]
    for minutes, secs, context, label in events[: 1 if first == 3 else 2]:
        made.add_event([minutes, secs], context, label)
    made.write(str(path := tmp_path / "theirs.c3d"))
    if named == "furlong":
        with pytest.raises(ReadError, match="unit="):
            bridges.from_c3d(path)
    found = bridges.from_c3d(path, unit=metres if named == "furlong" else None)
    assert found.names == tuple(names) and found.fps == pytest.approx(fps, rel=1e-6)
    expected = np.stack([seen[..., 0], seen[..., 2], -seen[..., 1]], axis=-1) * metres
    assert np.allclose(found.positions, expected, rtol=0, atol=1e-9 * metres, equal_nan=True)
    # ezc3d itself reads the same.
    theirs = ezc3d.c3d(str(path))
    again = theirs["data"]["points"][:3].T * metres
    assert np.allclose(again, np.stack([*(found.positions[: len(again), :, axis] for axis in (0, 2, 1))], axis=-1) * (1, -1, 1), equal_nan=True)
    times = theirs["parameters"]["EVENT"]["TIMES"]["value"].T @ (60, 1)
    assert [row["secs"] for row in found.events] == pytest.approx(list(times - theirs["header"]["points"]["first_frame"] / fps), abs=1e-3)
    assert [(row["context"], row["label"]) for row in found.events] == [each[2:] for each in events[: len(times)]]


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
