"""Rows of loops, candidates and gaits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ._errors import ArrayError
from ._gait import Gait
from ._loop import Loop
from ._tables import COLUMNS, Table
from ._take import Candidate


def table(items: Iterable[Any]) -> Table:
    """A row for each candidate, loop or gait; those of loops have the columns of catalogs (docs/formats/catalog.md).

    Dictionaries are rows already. Raises ArrayError for anything else.

    >>> table([loop, walk.make(method="cubic")]).column("closure")
    ['quintic', 'cubic']
    """
    rows = Table()
    for item in items if isinstance(items, Iterable) else [items]:
        if isinstance(item, Candidate):
            rows.append({"kind": item.kind, **_scalars(item.facts)})
        elif isinstance(item, Loop):
            rows.append(row_of(item))
        elif isinstance(item, Gait):
            rows.append(item.summary)
        elif isinstance(item, Mapping):
            rows.append(dict(item))
        else:
            raise ArrayError(f"items: expected candidates, loops or gaits, found {type(item).__name__}")
    return rows


def row_of(loop: Loop, row: int = 1, facts: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The row of a catalog for a loop, or by the sidecar of its file; `output` and its hash are known for those alone."""
    facts = loop.facts if facts is None else facts
    values = {name: _at(facts, where) for name, (_, where) in COLUMNS.items()}
    feet = facts.get("feet") or {}
    values |= {
        "skeleton_sha256": _skeleton_sha256(loop),
        "row": row,
        "contacts": ";".join(
            f"{each['joint']}:{each['start_secs']:.4f}:{each['length_secs']:.4f}" for each in feet.get("contacts", ())
        ),
        "feet_held": bool(values["feet_held"]),
        "kind": values["kind"] or "",
        "output": next(iter(facts.get("outputs") or ()), None),
    }
    return values


def body_of(loop: Loop) -> tuple[tuple[str, ...], tuple[int, ...], np.ndarray[Any, Any]]:
    """Names, parents and offsets of the joints of a sampled pose: without a root joint that was added to the file."""
    added = loop.num_joints - loop.num_body_joints
    return loop.names[added:], tuple(max(int(parent) - added, -1) for parent in loop.parents[added:]), loop.offsets[added:]


def _skeleton_sha256(loop: Loop) -> str:
    names, parents, offsets = body_of(loop)
    tenths = np.trunc(offsets / 1e-4 + np.copysign(0.5, offsets)).astype("<i8")
    digest = hashlib.sha256()
    for name, parent, offset in zip(names, parents, tenths, strict=True):
        text = name.encode()
        digest.update(len(text).to_bytes(8, "little") + text)
        digest.update((parent % 2**64).to_bytes(8, "little") + offset.tobytes())
    return digest.hexdigest()


def _at(facts: Any, where: str) -> Any:
    """A value in nested facts; None where there is none."""
    for key in where.split(".") if where else ():
        if isinstance(facts, list):
            facts = facts[int(key)] if int(key) < len(facts) else None
        else:
            facts = None if facts is None else facts.get(key)
    return facts if where else None


def _scalars(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Facts without lists and tables, but for those of the root motion."""
    return {key: value for key, value in {**facts, **facts.get("root_motion", {})}.items() if not isinstance(value, list | dict)}
