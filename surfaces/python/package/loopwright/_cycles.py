"""Cycles as data: every cycle of many takes, at the same phases from the same contact."""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._batch import PathLike, Progress, check_settings, failure_of, in_threads, takes_in
from ._errors import ArrayError, LoopwrightError, ReadError, SettingError
from ._gait import contacts_of
from ._loop import Loop
from ._poses import Bools, Floats
from ._rotations import inverse, product, rotate, unrolled
from ._rows import body_of, row_of
from ._settings import RecipeLike, asked, check_count, listed, path_of
from ._tables import Table, made_whole, new_file, read_parquet, write_parquet
from ._take import Take, opened

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._settings import Settings

Singles = npt.NDArray[np.float32]

# Which columns of a catalog a cycle has, besides its own.
_COLUMNS = (
    "path take_sha256 animation frames fps start_frame end_frame kind period_secs cycles speed_mps turn_rate_dps climb_mps "
    "grade reason foot_slide_cmps licence"
).split()
# Poses of a cycle stay within megabytes.
_MOST_PHASES = 10_000
_ARRAYS = ("offsets", "positions", "rotations", "root_positions", "root_rotations", "contacts")


class Skeleton(NamedTuple):
    """The joints and feet that cycles must share to be one array."""

    names: tuple[str, ...]
    """Names of the joints (J), parents before their children."""
    parents: tuple[int, ...]
    """The parent of each joint (J); -1 for the first."""
    feet: tuple[str, ...]
    """Joints that touch the ground, the columns of `contacts`, the left one first where sides are known."""


@dataclass(frozen=True, repr=False)
class Cycle:
    """One cycle at N phases. Arrays are in single precision."""

    skeleton: Skeleton
    offsets: Singles
    """Where each joint rests in the axes of its parent (J, 3), metres."""
    positions: Singles
    """Positions of the joints in the axes of the root (N, J, 3), metres."""
    rotations: Singles
    """Rotations of the joints in the axes of their parents, of the first in those of the root (N, J, 4)."""
    root_positions: Singles
    """The root from its start (N, 3), metres: in its axes at phase 0."""
    root_rotations: Singles
    """Rotations of the root (N, 4), likewise."""
    contacts: Bools
    """Whether each foot stands (N, feet)."""
    facts: dict[str, Any]
    """Where it is from and what it is: a row of `Cycles.table`."""

    def __repr__(self) -> str:
        return f"<Cycle {self.facts['cycle']} of {self.facts['name']!r}: {self.facts['kind']}, {self.facts['period_secs']:.3f} s>"


class Cycles(Sequence[Cycle]):
    """Cycles at the same phases: arrays (C, N, ...) of one skeleton; `groups` gives those of each where there are several.

    A part of it is `cycles[3:7]`, `cycles[cycles.speed > 1]` or `cycles.where(grade="good")`.
    """

    def __init__(self, cycles: Iterable[Cycle], failures: Iterable[dict[str, Any]] = ()) -> None:
        """Private: cycles come from `loopwright.cycles` and `Cycles.load`."""
        self._cycles = list(cycles)
        self.failures = Table(failures)
        """The takes that gave none: `path`, `verdict` ("no-loop", "unreadable" or "failed") and `reason`."""

    def __len__(self) -> int:
        return len(self._cycles)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return Cycles(self._cycles[index])
        if np.ndim(index) == 0:
            return self._cycles[index]
        # A mask, or indices; NumPy says what is wrong with them.
        return Cycles(self._cycles[at] for at in np.arange(len(self))[np.asarray(index)])

    def __repr__(self) -> str:
        takes = len({_take_of(cycle) for cycle in self})
        return f"<Cycles: {len(self)} of {takes} takes, {self.phases} phases, skeletons: {len(self._skeletons())}>"

    def _repr_html_(self) -> str:
        """Shows notebooks the first rows."""
        return f"<p>{escape(repr(self))}</p>{self.table()._repr_html_()}"

    @property
    def phases(self) -> int:
        """Number of phases N; 0 where there is no cycle."""
        return len(self._cycles[0].positions) if self._cycles else 0

    @property
    def phase(self) -> Floats:
        """The phases (N,), 0 to below 1."""
        return np.arange(self.phases) / max(self.phases, 1)

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of all. Raises ArrayError where there are several, or no cycle."""
        skeletons = self._skeletons()
        if len(skeletons) > 1:
            (one, first), (other, second) = list(skeletons.items())[:2]
            why = _difference(one, other)
            raise ArrayError(
                f"the cycles are of {len(skeletons)} skeletons, and arrays need one",
                [f"{first[0].facts['path']} and {second[0].facts['path']}: {why}"],
                "for each in cycles.groups(): ...",
            )
        if not skeletons:
            raise ArrayError("there is no cycle", hint="cycles.failures says why")
        return next(iter(skeletons))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints (J)."""
        return self.skeleton.names

    @property
    def parents(self) -> npt.NDArray[np.int32]:
        """The parent of each joint (J,); -1 for the first."""
        return np.array(self.skeleton.parents, np.int32)

    @property
    def feet(self) -> tuple[str, ...]:
        """Joints that touch the ground, the columns of `contacts`."""
        return self.skeleton.feet

    @property
    def offsets(self) -> Singles:
        """Where each joint rests in the axes of its parent (C, J, 3), metres: bodies of one skeleton may differ in size."""
        return self._stacked("offsets")

    @property
    def positions(self) -> Singles:
        """Positions of the joints in the axes of the root (C, N, J, 3), metres."""
        return self._stacked("positions")

    @property
    def rotations(self) -> Singles:
        """Rotations in the axes of the parents, of the first joint in those of the root (C, N, J, 4), signs continuous over the phases."""
        return self._stacked("rotations")

    @property
    def root_positions(self) -> Singles:
        """The root from its start (C, N, 3), metres: in its axes at phase 0."""
        return self._stacked("root_positions")

    @property
    def root_rotations(self) -> Singles:
        """Rotations of the root (C, N, 4), likewise."""
        return self._stacked("root_rotations")

    @property
    def contacts(self) -> Bools:
        """Whether each foot stands (C, N, feet)."""
        return self._stacked("contacts").astype(np.bool_)

    @property
    def period(self) -> Floats:
        """Length (C,), seconds."""
        return self._numbers("period_secs")

    @property
    def speed(self) -> Floats:
        """Speed over the ground (C,), m/s."""
        return self._numbers("speed_mps")

    @property
    def turn_rate(self) -> Floats:
        """Degrees per second (C,), left positive."""
        return self._numbers("turn_rate_dps")

    @property
    def climb(self) -> Floats:
        """Rate of climb (C,), m/s."""
        return self._numbers("climb_mps")

    def table(self) -> Table:
        """A row for each cycle, with the columns of catalogs (docs/formats/catalog.md).

        `name` is that of the take, `folder` that in which it lies, `cycle` counts those of a take from 0, and `starts_at_contact` says whether a foot strikes at phase 0.

        >>> cycles(walk, 32).table().column("cycle")
        [0, 1, 2, 3, 4, 5]
        """
        return Table(dict(cycle.facts) for cycle in self)

    def where(self, **values: Any) -> Cycles:
        """The cycles whose rows have these values: `cycles.where(grade="good", kind="walk")`.

        >>> len(cycles(walk, 32).where(cycle=0))
        1
        """
        for name in values:
            self.table().column(name)
        return Cycles(each for each in self if all(each.facts[name] == value for name, value in values.items()))

    def groups(self) -> list[Cycles]:
        """The cycles of each skeleton, in the order in which they come.

        >>> [len(group) for group in cycles(walk, 32).groups()]
        [6]
        """
        return [Cycles(each) for each in self._skeletons().values()]

    def split(self, test: float = 0.2, seed: int = 0) -> tuple[Cycles, Cycles]:
        """Cycles for training and for tests, `test` of the takes: all cycles of a take, and of its copies, are on one side.

        The same takes and seed give the same sides, in whatever order and folders they are.
        """
        if isinstance(test, bool) or not isinstance(test, int | float | np.number) or not 0 < test < 1:
            raise SettingError(f"test: expected a share above 0 and below 1, found {test!r}")
        takes = sorted({_take_of(each) for each in self}, key=lambda take: hashlib.sha256(f"{seed}:{take}".encode()).digest())
        if len(takes) < 2:
            raise ArrayError(f"a split by takes needs two or more, and these cycles are of {len(takes)}", hint="cycles of more takes")
        chosen = set(takes[: min(max(round(test * len(takes)), 1), len(takes) - 1)])
        for_tests = np.array([_take_of(each) in chosen for each in self])
        return self[~for_tests], self[for_tests]

    def save(self, path: PathLike, *, force: bool = False) -> Path:
        """Writes all arrays and rows of one skeleton into an NPZ file; over another file only with `force`."""
        target = new_file(path, force)
        skeleton, table = self.skeleton, self.table()
        arrays: dict[str, Any] = {name: self._stacked(name) for name in _ARRAYS}
        arrays |= {"names": np.array(skeleton.names), "parents": self.parents, "feet": np.array(skeleton.feet, np.str_)}
        arrays |= {"phase": self.phase, "period_secs": self.period, "speed_mps": self.speed}
        arrays |= {"turn_rate_dps": self.turn_rate, "climb_mps": self.climb, "rows": np.array(json.dumps(table))}
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        with made_whole(target) as part:
            part.write_bytes(buffer.getbuffer())
        return target

    def to_parquet(self, path: PathLike, *, force: bool = False) -> Path:
        """Writes a row for each cycle, of any number of skeletons: the columns of `table`, arrays as flat lists, `phases`, `names`,
        `parents` and `feet`; over another file only with `force`."""
        table = self.table()
        columns: dict[str, list[Any]] = {name: table.column(name) for name in table.columns}
        columns["phases"] = [self.phases] * len(self)
        columns["names"] = [list(each.skeleton.names) for each in self]
        columns["parents"] = [np.array(each.skeleton.parents, np.int32) for each in self]
        columns["feet"] = [list(each.skeleton.feet) for each in self]
        columns |= {name: [getattr(each, name) for each in self] for name in _ARRAYS}
        return write_parquet(columns, path, force)

    @classmethod
    def load(cls, path: PathLike) -> Cycles:
        """The cycles in a file that `save` or `to_parquet` wrote. Raises ReadError.

        >>> len(Cycles.load(cycles(walk, 32).save("cycles.npz")))
        6
        """
        source = path_of("path", path)
        try:
            if source.lower().endswith(".parquet"):
                return cls(_of_columns(read_parquet(source)))
            if os.path.isfile(source) and not zipfile.is_zipfile(source):
                raise ValueError("it is neither NPZ nor Parquet")
            with np.load(source, allow_pickle=False) as file:
                return cls(_of_arrays(dict(file)))
        except LoopwrightError:
            raise
        except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
            why = f"there is no {error}" if isinstance(error, KeyError) else str(error)
            raise ReadError(f'cannot read "{source}" as cycles: {why}', hint="a file of Cycles.save or Cycles.to_parquet") from error

    def _skeletons(self) -> dict[Skeleton, list[Cycle]]:
        groups: dict[Skeleton, list[Cycle]] = {}
        for cycle in self._cycles:
            groups.setdefault(cycle.skeleton, []).append(cycle)
        return groups

    def _stacked(self, name: str) -> Singles:
        one = self.skeleton
        return np.stack([getattr(each, name) for each in self._cycles if each.skeleton == one])

    def _numbers(self, name: str) -> Floats:
        return np.array([np.nan if each.facts[name] is None else each.facts[name] for each in self._cycles], np.float64)


def cycles(
    source: PathLike | Take | Sequence[PathLike | Take],
    phases: int = 64,
    *,
    recipe: RecipeLike | None = None,
    threads: int | None = None,
    progress: Progress = None,
    **settings: Unpack[Settings],
) -> Cycles:
    """Every cycle of every take, closed to a loop and sampled at `phases` times from the strike of the left foot.

    `source` is a folder, the path or pattern of takes, a take, or several of these. Settings are those of `Take.make`:
    `start_at="right-contact"` begins elsewhere, `speed=(1, 2)` leaves others out. A take that gives none is listed in `failures` and stops
    nothing. The order is that of the paths, behind takes that are read already, whatever the number of threads. `progress` is called with the
    number of takes that are done and their total; True shows a bar.

    Raises SettingError where settings cannot be followed, ReadError where there is no take.

    >>> cycles(walk, 32)
    <Cycles: 6 of 1 takes, 32 phases, skeletons: 1>
    """
    check_count("phases", phases)
    if phases > _MOST_PHASES:
        raise SettingError(f"phases: expected at most {_MOST_PHASES}, found {phases}")
    wanted: dict[str, Any] = {"every_cycle": True, "start_at": "left-contact", **settings}
    check_settings(wanted, recipe)
    given = listed("source", source, Take, "a folder, a file, a take")
    takes: list[Take | str] = [each for each in given if isinstance(each, Take)]
    if paths := [each for each in given if not isinstance(each, Take)]:
        takes += [path for path, _ in takes_in(paths)]

    def of_take(take: Take | str) -> tuple[list[Cycle], dict[str, Any] | None]:
        try:
            read = take if isinstance(take, Take) else opened(take, wanted, recipe)
            loops = read._loops(asked(wanted, recipe, True), every=True)
            return [_cycle(read, loop, at, int(phases)) for at, loop in enumerate(loops)], None
        except LoopwrightError as error:
            path = str(take.path or take.name) if isinstance(take, Take) else take
            return [], {"path": path, **failure_of(error)}

    results = in_threads(of_take, takes, threads, progress)
    return Cycles(
        (cycle for found, _ in results for cycle in found), (failure for _, failure in results if failure is not None)
    )


def _cycle(take: Take, loop: Loop, at: int, phases: int) -> Cycle:
    times = loop.period * np.arange(phases) / phases
    local = loop.sample(times, local=True)
    world = loop.sample(times)
    root = loop.root(times)
    back = inverse(root.rotations)[:, None]
    start = inverse(root.rotations[0])
    names, parents, offsets = body_of(loop)
    # Frame k says what holds until frame k + 1.
    frames = np.floor(np.arange(phases) / phases * loop.num_samples + 1e-9).astype(int)
    feet, stands = contacts_of(loop)
    strikes = bool((stands[0] & ~stands[-1]).any())
    row = row_of(loop, at + 1)
    facts = {name: row[name] for name in _COLUMNS}
    facts["take_sha256"] = facts["take_sha256"] or _sha256_of(take)
    facts |= {"name": take.name, "folder": take.path.parent.name if take.path else None, "cycle": at, "starts_at_contact": strikes}
    facts["warnings"] = "\n".join(text for _, text in loop._native.warnings())
    return Cycle(
        Skeleton(names, parents, tuple(loop.names[joint] for joint in feet)),
        _single(offsets),
        _single(rotate(back, world.positions - root.positions[:, None])),
        _single(unrolled(local.rotations, 0)),
        _single(rotate(start, root.positions - root.positions[0])),
        _single(unrolled(product(start, root.rotations), 0)),
        np.ascontiguousarray(stands[frames]),
        facts,
    )


def _single(values: Floats) -> Singles:
    return np.ascontiguousarray(values, np.float32)


def _sha256_of(take: Take) -> str:
    """The hash of the poses of a take that has no file."""
    return hashlib.sha256(take.local_positions.tobytes() + take.local_rotations().tobytes()).hexdigest()


def _take_of(cycle: Cycle) -> str:
    """A name that the cycles of a take, and of its copies, share."""
    return f"{cycle.facts['take_sha256']}#{cycle.facts['animation'] or ''}"


def _difference(one: Skeleton, other: Skeleton) -> str:
    """Says how two skeletons differ."""
    if len(one.names) != len(other.names):
        return f"{len(one.names)} and {len(other.names)} joints"
    for first, second in zip(one.names, other.names, strict=True):
        if first != second:
            return f'joints "{first}" and "{second}"'
    if one.parents != other.parents:
        return "joints of one name have other parents"
    return f"feet {', '.join(one.feet) or 'none'} and {', '.join(other.feet) or 'none'}"


def _of_arrays(arrays: dict[str, Any]) -> Iterable[Cycle]:
    parents = tuple(int(parent) for parent in arrays["parents"])
    skeleton = Skeleton(tuple(map(str, arrays["names"])), parents, tuple(map(str, arrays["feet"])))
    rows = json.loads(str(arrays["rows"]))
    return [
        Cycle(skeleton=skeleton, facts=row, **{name: arrays[name][at] for name in _ARRAYS}) for at, row in enumerate(rows)
    ]


def _of_columns(columns: dict[str, list[Any]]) -> Iterable[Cycle]:
    own = ("phases", "names", "parents", "feet", *_ARRAYS)
    shared: dict[Skeleton, Skeleton] = {}
    cycles = []
    for at, phases in enumerate(columns["phases"]):
        names, parents, feet = (tuple(columns[name][at].tolist()) for name in ("names", "parents", "feet"))
        skeleton = Skeleton(names, parents, feet)
        shapes: dict[str, tuple[int, ...]] = {
            "offsets": (len(names), 3),
            "positions": (phases, len(names), 3),
            "rotations": (phases, len(names), 4),
            "root_positions": (phases, 3),
            "root_rotations": (phases, 4),
            "contacts": (phases, len(feet)),
        }
        cycles.append(
            Cycle(
                skeleton=shared.setdefault(skeleton, skeleton),
                facts={name: values[at] for name, values in columns.items() if name not in own},
                **{name: np.asarray(columns[name][at]).reshape(shapes[name]) for name in _ARRAYS},
            )
        )
    return cycles
