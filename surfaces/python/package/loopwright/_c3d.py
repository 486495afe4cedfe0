"""C3D: markers and events of motion capture, as laboratories of gait write them (c3d.org, "The C3D File Format", 2021)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import ArrayError, ReadError
from ._poses import Floats
from ._rotations import rotate
from ._tables import Table
from ._take import Take

_BLOCK = 512

# Metres of the units that files name.
_UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "dm": 0.1, "in": 0.0254, "inch": 0.0254}

# Joints at the middle of markers, by the names of Plug-in Gait without their side, and what each is below.
_JOINTS = {
    "Hips": ("", "LASI RASI LPSI RPSI SACR"),
    "Spine": ("Hips", "C7 CLAV T10 STRN"),
    "Head": ("Spine", "LFHD RFHD LBHD RBHD"),
    **{
        f"{side}{joint}": (above if above in ("Hips", "Spine") else f"{side}{above}", " ".join(side[0] + each for each in markers.split()))
        for side in ("Left", "Right")
        for joint, above, markers in (
            ("Arm", "Spine", "SHO"),
            ("ForeArm", "Arm", "ELB"),
            ("Hand", "ForeArm", "WRA WRB WRI"),
            ("Leg", "Hips", "KNE"),
            ("Foot", "Leg", "ANK"),
            ("Heel", "Foot", "HEE HEEL"),
            ("ToeBase", "Foot", "TOE MT2"),
        )
    },
}


@dataclass(frozen=True, repr=False)
class Markers:
    """What a C3D file holds: markers in metres with +Y up, and events."""

    names: tuple[str, ...]
    """Labels of the markers (M)."""
    positions: Floats
    """Where each is (F, M, 3); nan where it was not seen."""
    fps: float
    events: Table
    """A row for each: `label` such as "Foot Strike", `context` such as "Left", `secs` from the first frame."""

    def __repr__(self) -> str:
        frames = len(self.positions)
        return f"<Markers: {len(self.names)} over {frames} frames at {self.fps:.6g} fps, {len(self.events)} events>"

    def take(self, name: str = "take") -> Take:
        """The motion of joints at the middle of markers that are named as in Plug-in Gait, gaps bridged by straight lines.

        Rotations are those of least twist. Markers that are never seen are left out. Raises ArrayError where the pelvis or a foot has no marker.

        >>> seen = np.random.default_rng(1).normal(size=(9, 3, 3))
        >>> Markers(("LASI", "LANK", "RANK"), seen, 100.0, Table()).take()
        <Take 'take': 9 frames at 100 fps, 3 joints>
        """
        shown = [at for at in range(len(self.names)) if np.isfinite(self.positions[:, at]).any()]
        labels = {self.names[at].rpartition(":")[2].upper(): at for at in shown}
        seen = {joint: [labels[each] for each in markers.split() if each in labels] for joint, (_, markers) in _JOINTS.items()}
        for needed in ("Hips", "LeftFoot", "RightFoot"):
            if not seen[needed]:
                raise ArrayError(
                    f"names: expected {' or '.join(_JOINTS[needed][1].split())} for the joint {needed}, found {', '.join(list(labels)[:8])}",
                    hint="Take.from_positions(markers.positions, (names, parents), fps=markers.fps)",
                )
        joints = [joint for joint, markers in seen.items() if markers]
        parents = [-1]
        for joint in joints[1:]:
            above = _JOINTS[joint][0]
            while above not in joints:
                above = _JOINTS[above][0]
            parents.append(joints.index(above))
        whole = _bridged(self.positions)
        places = np.stack([whole[:, seen[joint]].mean(axis=1) for joint in joints], axis=1)
        return Take.from_positions(places, (joints, parents), fps=self.fps, name=name)


def _bridged(positions: Floats) -> Floats:
    """Positions with gaps bridged by straight lines; those of a marker that is never seen stay unknown."""
    found = np.array(positions)
    at = np.arange(len(found))
    for marker in range(found.shape[1]):
        known = np.isfinite(found[:, marker, 0])
        for axis in range(3) if known.any() else ():
            found[:, marker, axis] = np.interp(at, at[known], found[known, marker, axis])
    return found


def parsed(data: bytes, name: str, turned: Floats, unit: float | None) -> Markers:
    """The markers in the bytes of a C3D file. Raises ReadError."""
    try:
        return _parsed(data, turned, unit)
    except (IndexError, KeyError, TypeError, ValueError, OverflowError) as error:
        raise ReadError(f'cannot read "{name}" as C3D: {error}', hint="a file whose second byte is 0x50") from error


def _parsed(data: bytes, turned: Floats, unit: float | None) -> Markers:
    if len(data) < 2 * _BLOCK or data[1] != 0x50:
        raise ValueError("it has no header of C3D")
    section = (data[0] - 1) * _BLOCK
    processor = data[section + 3]
    order = ">" if processor == 86 else "<"

    def floats(raw: bytes) -> np.ndarray[Any, Any]:
        """Numbers of Intel and MIPS; those of DEC have their words exchanged and an exponent that is two higher."""
        if processor == 85:
            raw = np.frombuffer(raw, "<u2").reshape(-1, 2)[:, ::-1].tobytes()
        return np.frombuffer(raw, f"{order}f4").astype(np.float64) / (4 if processor == 85 else 1)

    facts = dict(_parameters(data, section + 4, order, floats))
    head = np.frombuffer(data[:24], f"{order}u2")
    count, analog, first, last = (int(each) for each in head[1:5])
    # The header holds 16 bits of each; other fields have more, or the frames that were kept.
    length = int(facts.get(("POINT", "LONG_FRAMES"), facts.get(("POINT", "FRAMES"), [last - first + 1]))[0])
    trial = [facts.get(("TRIAL", f"ACTUAL_{end}_FIELD"), ()) for end in ("START", "END")]
    if all(len(each) > 1 for each in trial):
        first, last = (int(each[0]) + 65536 * int(each[1]) for each in trial)
        length = last - first + 1
    scale = float(floats(data[12:16])[0])
    fps = float(facts.get(("POINT", "RATE"), floats(data[20:24]))[0])
    size = 4 if scale < 0 else 2
    row = (4 * count + analog) * size
    start = (int(head[8]) - 1) * _BLOCK
    frames = min(length, (len(data) - start) // row if row else 0)
    if frames < 1 or count < 1 or not fps > 0:
        raise ValueError(f"it has {count} points in {max(frames, 0)} frames at {fps:g} per second")
    raw = np.frombuffer(data, np.uint8, frames * row, start).reshape(frames, row)[:, : 4 * count * size].tobytes()
    values = floats(raw) if scale < 0 else np.frombuffer(raw, f"{order}i2").astype(np.float64)
    points = values.reshape(frames, count, 4)
    named = str(facts.get(("POINT", "UNITS"), ["mm"])[0]).strip().lower() or "mm"
    if unit is None and named not in _UNITS:
        raise ValueError(f"it is in units of {named!r}, whose metres only unit= can tell")
    places = points[..., :3] * (1.0 if scale < 0 else scale) * (unit or _UNITS[named])
    places[points[..., 3] < 0] = np.nan
    labels: list[str] = []
    for suffix in ("", *range(2, 20)):
        labels += facts.get(("POINT", f"LABELS{suffix}"), [])
    labels += [""] * count
    names = [label or f"point {at}" for at, label in enumerate(labels[:count], 1)]
    return Markers(tuple(names), rotate(turned, places), fps, Table(_events(facts, (first - 1) / fps)))


def _events(facts: dict[tuple[str, str], Any], start_secs: float) -> Iterator[dict[str, Any]]:
    """Events; their times are minutes and seconds since frame 1."""
    times = np.reshape(facts.get(("EVENT", "TIMES"), []), (-1, 2))
    # Texts that are all empty have no width, and so are not listed.
    labels, contexts = ([*facts.get(("EVENT", each), []), *[""] * len(times)] for each in ("LABELS", "CONTEXTS"))
    for (minutes, seconds), label, context in sorted(zip(times.tolist(), labels, contexts, strict=False)):
        yield {"label": label, "context": context, "secs": 60 * minutes + seconds - start_secs}


def _parameters(data: bytes, at: int, order: str, floats: Any) -> Iterator[tuple[tuple[str, str], Any]]:
    """Each parameter by its group and name: texts, or numbers."""
    groups: dict[int, str] = {}
    found: list[tuple[int, str, Any]] = []
    while at + 2 < len(data):
        length, owner = np.frombuffer(data[at : at + 2], np.int8).tolist()
        name = data[at + 2 : at + 2 + abs(length)].decode("latin-1").strip().upper()
        body = at + 2 + abs(length)
        step = int(np.frombuffer(data[body : body + 2], f"{order}i2")[0])
        if length == 0 or owner == 0:
            break
        if owner < 0:
            groups[-owner] = name
        else:
            kind, dimensions = np.frombuffer(data[body + 2 : body + 4], np.int8).tolist()
            sizes = list(data[body + 4 : body + 4 + dimensions])
            total = int(np.prod(sizes, dtype=np.int64))
            raw = data[body + 4 + dimensions :][: total * abs(kind)]
            if kind == -1:
                width = sizes[0] if sizes else 1
                value: Any = [raw[each : each + width].decode("utf-8", "replace").strip(" \0") for each in range(0, total, max(width, 1))]
            else:
                value = floats(raw) if kind == 4 else np.frombuffer(raw, np.int8 if kind == 1 else f"{order}u2")
            found.append((owner, name, value))
        if step == 0:
            break
        at = body + step
    yield from (((groups.get(owner, ""), name), value) for owner, name, value in found)
