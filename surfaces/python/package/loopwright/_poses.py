"""Poses as arrays, and the checks of arrays that come in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._errors import ArrayError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int32]


class Poses(NamedTuple):
    """Positions (..., 3) in metres and rotations (..., 4) as unit quaternions."""

    positions: Floats
    rotations: Floats


def array(data: bytes, *shape: int) -> Floats:
    """Numbers where they lie in bytes, which cannot be written to."""
    return np.frombuffer(data, np.float64).reshape(shape)


def poses_in(points: bytes, turns: bytes, *shape: int) -> Poses:
    return Poses(array(points, *shape, 3), array(turns, *shape, 4))


def check_keys(data: Mapping[str, Any], needed: Iterable[str]) -> None:
    """Raises ArrayError where one is missing."""
    for key in needed:
        if key not in data:
            raise ArrayError(f"data: expected the key {key!r}, found {', '.join(map(repr, data)) or 'none'}")


def of_numbers(name: str, value: Any) -> np.ndarray[Any, Any]:
    """An argument as an array of numbers of any shape. Errors name what was found."""
    try:
        found = np.asarray(value)
    except (TypeError, ValueError) as error:
        raise ArrayError(f"{name}: expected numbers, found rows of different lengths") from error
    if found.dtype.kind not in "fiu":
        raise ArrayError(f"{name}: expected numbers, found {found.dtype}")
    return found


def numbers(name: str, value: Any, shape: Sequence[int | None], finite: bool = True) -> Floats:
    """An argument as numbers of this shape, where `None` stands for any size. Errors name what was expected and found."""
    found = of_numbers(name, value)
    expected = "(" + ", ".join("any" if size is None else str(size) for size in shape) + ")"
    fits = found.ndim == len(shape) and all(size in (None, has) for size, has in zip(shape, found.shape, strict=True))
    if not fits:
        raise ArrayError(f"{name}: expected the shape {expected}, found {found.shape}")
    result = np.asarray(found, np.float64, order="C")
    if finite and not np.isfinite(result).all():
        at = np.argwhere(~np.isfinite(result))[0].tolist()
        raise ArrayError(f"{name}: expected finite numbers, found {result[tuple(at)]} at {at}")
    return result


def positive(name: str, value: Any) -> float:
    """An argument as a positive number."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not 0 < value < 1e308:
        raise ArrayError(f"{name}: expected a positive number, found {value!r:.60}")
    return float(value)
