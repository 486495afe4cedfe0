"""Rotations in arrays: quaternions (..., 4) as x, y, z, w, axis angles (..., 3) in radians, and matrices (..., 3, 3) of columns."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._errors import ArrayError
from ._poses import Floats, numbers, of_numbers

_HALF = 0.5**0.5

# The rotation that brings an axis up.
_UPRIGHT = {
    axis: np.array(turn, np.float64)
    for axis, turn in {
        "+y": (0, 0, 0, 1),
        "-y": (1, 0, 0, 0),
        "+z": (-_HALF, 0, 0, _HALF),
        "-z": (_HALF, 0, 0, _HALF),
        "+x": (0, 0, _HALF, _HALF),
        "-x": (0, 0, -_HALF, _HALF),
    }.items()
}

# Farthest that a matrix may be from a rotation: beyond the rounding of half precision.
_NO_ROTATION = 0.01


def product(first: Floats, second: Floats) -> Floats:
    """The rotation by `second`, then by `first`."""
    a, b = np.broadcast_arrays(first, second)
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    return np.concatenate([vector, a[..., 3:] * b[..., 3:] - np.sum(a[..., :3] * b[..., :3], axis=-1, keepdims=True)], axis=-1)


def inverse(rotations: Floats) -> Floats:
    return np.asarray(rotations * (-1.0, -1.0, -1.0, 1.0))


def rotate(rotations: Floats, vectors: Floats) -> Floats:
    """Vectors (..., 3), turned."""
    axes = rotations[..., :3]
    across = 2 * np.cross(axes, vectors)
    return np.asarray(vectors + rotations[..., 3:] * across + np.cross(axes, across))


def to_matrices(rotations: Floats) -> Floats:
    """Their columns are the axes, turned."""
    return np.swapaxes(rotate(rotations[..., None, :], np.eye(3)), -1, -2)


def transforms(positions: Floats, rotations: Floats) -> Floats:
    """Matrices (..., 4, 4) of positions and rotations; they act on columns."""
    matrices = np.zeros((*rotations.shape[:-1], 4, 4))
    matrices[..., :3, :3], matrices[..., :3, 3], matrices[..., 3, 3] = to_matrices(rotations), positions, 1
    return matrices


def from_matrices(matrices: Floats) -> Floats:
    """Quaternions of matrices, each taken from its largest component, which loses no digits."""
    m = matrices
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # Row k is four times component k times the quaternion.
    rows = np.empty((*m.shape[:-2], 4, 4))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rows[..., i, i] = 1 + 2 * m[..., i, i] - trace
        rows[..., i, j] = rows[..., j, i] = m[..., i, j] + m[..., j, i]
        rows[..., i, 3] = rows[..., 3, i] = m[..., k, j] - m[..., j, k]
    rows[..., 3, 3] = 1 + trace
    best = np.take_along_axis(rows, np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)[..., None, None], axis=-2)[..., 0, :]
    return np.asarray(best / np.linalg.norm(best, axis=-1, keepdims=True))


def to_axis_angles(rotations: Floats) -> Floats:
    """By at most half a turn."""
    short = np.where(rotations[..., 3:] < 0, -rotations, rotations)
    sine = np.linalg.norm(short[..., :3], axis=-1, keepdims=True)
    angle = 2 * np.arctan2(sine, short[..., 3:])
    # Towards no rotation the quotient tends to 2.
    return short[..., :3] * np.where(sine > 1e-12, angle / np.maximum(sine, 1e-12), 2.0)


def from_axis_angles(vectors: Floats) -> Floats:
    angle = np.linalg.norm(vectors, axis=-1, keepdims=True)
    share = np.where(angle > 1e-12, np.sin(angle / 2) / np.maximum(angle, 1e-12), 0.5)
    return np.concatenate([vectors * share, np.cos(angle / 2)], axis=-1)


def unrolled(rotations: Floats, axis: int) -> Floats:
    """The same rotations with signs that are continuous along an axis, and with w above 0 at its start."""
    moved = np.moveaxis(rotations, axis, 0)
    steps = np.sum(moved[1:] * moved[:-1], axis=-1, keepdims=True)
    start = np.where(moved[:1, ..., 3:] < 0, -1.0, 1.0)
    signs = np.concatenate([start, start * np.cumprod(np.where(steps < 0, -1.0, 1.0), axis=0)])
    # A sign is relative to the one before, which is given as it was.
    return np.moveaxis(moved * signs, 0, axis)


def upright(up: str) -> Floats:
    """The rotation that brings the axis `up` of an argument to +Y. Raises ArrayError."""
    axis = str(up).lower()
    axis = axis if axis.startswith(("+", "-")) else f"+{axis}"
    if axis not in _UPRIGHT:
        raise ArrayError(f"up: expected one of {', '.join(_UPRIGHT)}, found {up!r:.60}")
    return _UPRIGHT[axis]


def rotations_of(name: str, value: Any, count: int, scalar_first: bool) -> Floats:
    """An argument as rotations (F, J, 4): of quaternions, of matrices (F, J, 3, 3), or of their first two columns (F, J, 6).

    The six numbers are those of Zhou and others, "On the Continuity of Rotation Representations in Neural Networks" (2019): the first column,
    then the second; they are made orthonormal in this order. Raises ArrayError.
    """
    found = of_numbers(name, value)
    if found.ndim == 4:
        matrices = numbers(name, found, (None, count, 3, 3))
        off = np.abs(matrices @ np.swapaxes(matrices, -1, -2) - np.eye(3)).max(axis=(-1, -2), initial=0.0)
        off = np.where(np.linalg.det(matrices) < 0, np.inf, off)
        if off.size and off.max() > _NO_ROTATION:
            at = [int(index) for index in np.unravel_index(np.argmax(off), off.shape)]
            raise ArrayError(f"{name}: expected matrices of rotations, found another at {at}")
        return from_matrices(matrices)
    if found.ndim == 3 and found.shape[2] == 6:
        columns = numbers(name, found, (None, count, 6)).reshape(*found.shape[:2], 2, 3)
        first = _unit(name, columns[..., 0, :], "two columns of a rotation")
        second = columns[..., 1, :]
        second = _unit(name, second - np.sum(first * second, axis=-1, keepdims=True) * first, "two columns of a rotation")
        return from_matrices(np.stack([first, second, np.cross(first, second)], axis=-1))
    result = numbers(name, found, (None, count, 4))
    _unit(name, result, "unit quaternions")
    return np.roll(result, -1, axis=-1) if scalar_first else result


def _unit(name: str, vectors: Floats, expected: str) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    if (lengths < 1e-6).any():
        at = np.argwhere(lengths < 1e-6)[0].tolist()
        raise ArrayError(f"{name}: expected {expected}, found one of length {lengths[tuple(at)]:.3g} at {at[:-1]}")
    return np.asarray(vectors / lengths)


def between(start: Floats, end: Floats) -> Floats:
    """The shortest rotations between directions (..., 3), of opposite ones about any axis across; none where one has no length."""
    a, b = (each / np.maximum(np.linalg.norm(each, axis=-1, keepdims=True), 1e-12) for each in (start, end))
    scalar = 1 + np.sum(a * b, axis=-1, keepdims=True)
    across = np.cross(a, np.where(np.abs(a[..., :1]) < 0.7, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]))
    vector = np.where(scalar > 1e-9, np.cross(a, b), across)
    found = np.concatenate([vector, np.where(scalar > 1e-9, scalar, 0.0)], axis=-1)
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True))


def fitted(rest: Floats, seen: Floats) -> Floats:
    """The rotations (F, 4) that bring directions (K, 3) nearest to those seen (F, K, 3), by their singular values (Kabsch)."""
    left, _, right = np.linalg.svd(np.einsum("fki,kj->fij", seen, rest))
    left[..., 2] *= np.sign(np.linalg.det(left @ right))[:, None]
    return from_matrices(left @ right)


def least_twist(positions: Floats, parents: Any, offsets: Floats) -> Floats:
    """Rotations (F, J, 4) in the world that bring joints from where they rest to positions (F, J, 3).

    Of one child: the least rotation against the parent, without a twist about the bone, which positions do not show. Of several: the nearest to
    all. Without a child: that of the parent.
    """
    world = np.zeros((*positions.shape[:2], 4))
    for joint, parent in enumerate(parents):
        above = np.array([0.0, 0.0, 0.0, 1.0]) if parent < 0 else world[:, parent]
        children = [child for child in range(joint + 1, len(parents)) if parents[child] == joint and offsets[child].any()]
        if not children:
            world[:, joint] = above
            continue
        rest, seen = offsets[children], positions[:, children] - positions[:, [joint]]
        if np.linalg.matrix_rank(rest, 1e-3 * np.abs(rest).max()) > 1:
            scale = 1 / np.linalg.norm(rest, axis=-1, keepdims=True)
            world[:, joint] = fitted(rest * scale, seen * scale)
        else:
            farthest = int(np.argmax(np.linalg.norm(rest, axis=-1)))
            world[:, joint] = product(between(rotate(above, np.broadcast_to(rest[farthest], seen[:, 0].shape)), seen[:, farthest]), above)
    return world
