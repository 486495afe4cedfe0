"""Rows with named columns: lists that pandas and polars take, and Parquet."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from ._errors import ArrayError, MissingPackageError, ReadError, WriteError, package
from ._settings import path_of


# Rows that notebooks show.
_SHOWN = 20


def _short(value: Any) -> str:
    """A value as people read it."""
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else f"{value!s:.60}"


def _columns(kind: type, section: str, names: str) -> dict[str, tuple[type, str]]:
    """Columns of one type that a section of sidecars has under the same names."""
    return {name: (kind, f"{section}.{name}") for name in names.split()}


# The columns of a catalog (docs/formats/catalog.md): their types, and where a sidecar states them.
COLUMNS: dict[str, tuple[type, str]] = {
    "path": (str, "take.file"),
    "take_sha256": (str, "take.file_sha256"),
    "skeleton_sha256": (str, ""),
    "animation": (str, "take.animation"),
    "frames": (int, "take.frames"),
    "fps": (float, "take.fps"),
    "joints": (int, "take.joints"),
    "row": (int, ""),
    **_columns(float, "candidate", "start_frame end_frame"),
    "kind": (str, "kind"),
    "period_secs": (float, "candidate.period_secs"),
    "cycles": (int, "candidate.cycles"),
    "samples": (int, "playback.samples"),
    "mirrored": (bool, "candidate.mirrored"),
    "root_motion": (str, "root_motion.mode"),
    "in_place": (bool, "in_place"),
    "linear_x_mps": (float, "root_motion.linear_velocity_mps.0"),
    "linear_y_mps": (float, "root_motion.linear_velocity_mps.1"),
    "linear_z_mps": (float, "root_motion.linear_velocity_mps.2"),
    "angular_x_radps": (float, "root_motion.angular_velocity_radps.0"),
    "angular_y_radps": (float, "root_motion.angular_velocity_radps.1"),
    "angular_z_radps": (float, "root_motion.angular_velocity_radps.2"),
    **_columns(float, "root_motion", "speed_mps turn_rate_dps climb_mps radius_m"),
    "contacts": (str, ""),
    "first_contact_phase": (float, "feet.outcomes.0.strike_phase"),
    "feet_held": (bool, "feet.held"),
    **_columns(str, "quality", "grade reason seam_joint"),
    **_columns(
        float,
        "quality",
        "seam_step_ratio seam_step_mm seam_step_deg seam_velocity_step_mps seam_velocity_step_dps pose_gap_deg pose_gap_mm "
        "velocity_gap_dps velocity_gap_mmps seam_acceleration_error_ratio seam_acceleration_ratio seam_rank_percent "
        "take_rank_percent displacement_mm displacement_deg foot_slide_cmps foot_slide_mm",
    ),
    **_columns(float, "candidate", "seam_cost_metre_secs cost_ratio steadiness activity_ratio"),
    "closure": (str, "closure.method"),
    **_columns(float, "closure", "blend_start_secs blend_end_secs"),
    "engine": (str, "target.name"),
    "recipe_sha256": (str, "recipe_sha256"),
    "licence": (str, "take.licence"),
    "output": (str, ""),
    "output_sha256": (str, "file_sha256"),
}
CATALOG = {name: kind for name, (kind, _) in COLUMNS.items()}


class Table(list[dict[str, Any]]):
    """Rows with the same columns; `pandas.DataFrame` and `polars.DataFrame` take it as it is.

    >>> Table([{"speed": 1.2, "grade": "good"}, {"speed": 0.9, "grade": "bad"}]).where(grade="good").column("speed")
    [1.2]
    """

    def __repr__(self) -> str:
        return f"<Table of {len(self)} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        """Shows notebooks the first rows."""
        shown, columns = self[:_SHOWN], self.columns
        head = "".join(f"<th>{escape(name)}</th>" for name in columns)
        rows = ("".join(f"<td>{escape(_short(row.get(name)))}</td>" for name in columns) for row in shown)
        more = f"<p>and {len(self) - _SHOWN} more</p>" if len(self) > _SHOWN else ""
        return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>{more}"

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""
        return list(dict.fromkeys(chain.from_iterable(self)))

    def column(self, name: str) -> list[Any]:
        """The values of a column."""
        if self and not any(name in row for row in self):
            raise ArrayError(f"name: expected one of the columns {', '.join(self.columns)}, found {name!r}")
        return [row.get(name) for row in self]

    def where(self, **values: Any) -> Table:
        """The rows whose columns have these values: `rows.where(grade="good")`."""
        return Table(row for row in self if all(row.get(name) == value for name, value in values.items()))

    def to_pandas(self) -> Any:
        """A DataFrame of pandas."""
        return package("pandas", "pandas").DataFrame(list(self), columns=self.columns)

    def to_polars(self) -> Any:
        """A DataFrame of polars."""
        return package("polars", "catalog").DataFrame({name: self.column(name) for name in self.columns}, strict=False)

    def to_csv(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Writes a CSV file with a line of names; what is not known is empty.

        >>> Table([{"speed": 1.2}, {"speed": None}]).to_csv("rows.csv").name
        'rows.csv'
        """
        target = new_file(path, force)
        with made_whole(target) as part, part.open("w", encoding="utf-8", newline="") as file:
            rows = csv.DictWriter(file, self.columns)
            rows.writeheader()
            rows.writerows(self)
        return target

    def to_parquet(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """Writes a Parquet file, with polars or pyarrow; columns of catalogs have their types, so that `loopwright catalog` reads it."""
        return write_parquet({name: self.column(name) for name in self.columns}, path, force)


def write_parquet(columns: Mapping[str, Sequence[Any]], path: str | os.PathLike[str], force: bool) -> Path:
    """Writes columns of numbers, texts, arrays and lists of texts. Raises MissingPackageError without polars and pyarrow."""
    target = new_file(path, force)
    kinds = {name: _kind_of(name, values) for name, values in columns.items()}
    plain = {name: _plain(values) for name, values in columns.items()}
    write = _by_arrow if _has_no_polars() else _by_polars
    with made_whole(target) as part:
        write(plain, kinds, part)
    return target


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """A file beside the target, whose folder may be new, that takes its name at the end, and goes where something fails."""
    part = target.with_name(target.name + ".part")
    try:
        os.makedirs(target.parent, exist_ok=True)
        yield part
        os.replace(part, target)
    except OSError as error:
        raise WriteError(f'cannot write "{target}": {error.strerror or error}') from error
    finally:
        part.unlink(missing_ok=True)


def _by_polars(columns: Mapping[str, list[Any]], kinds: Mapping[str, str], path: Path) -> None:
    polars = package("polars", "catalog")
    series = []
    for name, values in columns.items():
        kind, _, of = kinds[name].partition(" ")
        each = of or kind
        known = getattr(polars, {"text": "String", "bool": "Boolean"}.get(each, each.capitalize()))
        # Arrays of one length would be a column of fixed length, and others a column of lists.
        column = polars.Series(name, values, None if of else known, strict=False)
        series.append(column.cast(polars.List(known)) if of else column)
    polars.DataFrame(series).write_parquet(path)


def _by_arrow(columns: Mapping[str, list[Any]], kinds: Mapping[str, str], path: Path) -> None:
    arrow, parquet = package("pyarrow", "catalog"), package("pyarrow.parquet", "catalog")
    arrays = []
    for name, values in columns.items():
        kind, _, of = kinds[name].partition(" ")
        each = of or kind
        known = getattr(arrow, {"text": "string", "bool": "bool_"}.get(each, each))()
        arrays.append(arrow.array(values, arrow.list_(known) if of else known))
    parquet.write_table(arrow.table(arrays, names=list(columns)), path, compression="zstd")


def _has_no_polars() -> bool:
    """Whether pyarrow must do, since polars is not installed."""
    return find_spec("polars") is None and find_spec("pyarrow") is not None


def read_parquet(path: str | os.PathLike[str]) -> dict[str, list[Any]]:
    """The columns of a Parquet file, lists as arrays. Raises ReadError."""
    source = path_of("path", path)
    try:
        if _has_no_polars():
            found = package("pyarrow.parquet", "catalog").read_table(source)
            return {name: [_value(cell) for cell in column] for name, column in zip(found.column_names, found.columns, strict=True)}
        return {
            column.name: [cell.to_numpy() for cell in column] if column.dtype.is_nested() else column.to_list()
            for column in package("polars", "catalog").read_parquet(source)
        }
    except MissingPackageError:
        raise
    except Exception as error:
        raise ReadError(f'cannot read "{source}": {error}', hint="a Parquet file that this package wrote") from error


def new_file(path: str | os.PathLike[str], force: bool) -> Path:
    """A path that may be written to. Raises WriteError where there is a file, without `force`."""
    target = Path(path_of("path", path))
    if target.exists() and not force:
        raise WriteError(f'"{target}" exists already', hint="force=True to overwrite it, or another name")
    return target


def _value(cell: Any) -> Any:
    """A cell of pyarrow."""
    values = getattr(cell, "values", None)
    return cell.as_py() if values is None else values.to_numpy(zero_copy_only=False)


def _plain(values: Sequence[Any]) -> list[Any]:
    """Scalars as Python has them, and arrays as one row."""
    return [
        value.ravel() if isinstance(value, np.ndarray) else value.item() if isinstance(value, np.generic) else value
        for value in values
    ]


def _kind_of(name: str, values: Sequence[Any]) -> str:
    """The type of a column, of lists with "list" before it: that of the catalog, else of its first known value."""
    known = next((value for value in values if value is not None), "")
    if isinstance(known, np.ndarray):
        return f"list {known.dtype}"
    if isinstance(known, list | tuple):
        return "list text"
    kind = CATALOG.get(name) or type(known)
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | np.integer):
        return "int64"
    return "float64" if issubclass(kind, float | np.floating) else "text"
