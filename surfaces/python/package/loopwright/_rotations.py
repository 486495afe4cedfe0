"""Rotations in arrays: quaternions (..., 4) as x, y, z, w, axis angles (..., 3) in radians, and matrices (..., 3, 3) of columns."""

from __future__ import annotations

import numpy as np

from ._poses import Floats, matrices_of


def product(first: Floats, second: Floats) -> Floats:
    """The rotation by `second`, then by `first`."""
    a, b = np.broadcast_arrays(first, second)
    vector = a[..., 3:] * b[..., :3] + b[..., 3:] * a[..., :3] + np.cross(a[..., :3], b[..., :3])
    scalar = a[..., 3:] * b[..., 3:] - np.sum(a[..., :3] * b[..., :3], axis=-1, keepdims=True)
    return np.concatenate([vector, scalar], axis=-1)


def inverse(rotations: Floats) -> Floats:
    return np.asarray(rotations * (-1.0, -1.0, -1.0, 1.0))


def rotate(rotations: Floats, vectors: Floats) -> Floats:
    """Vectors (..., 3), turned."""
    axes = rotations[..., :3]
    across = 2 * np.cross(axes, vectors)
    return np.asarray(vectors + rotations[..., 3:] * across + np.cross(axes, across))


def to_matrices(rotations: Floats) -> Floats:
    return matrices_of(np.zeros((*rotations.shape[:-1], 3)), rotations)[..., :3, :3]


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
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), axis=-1)
    best = np.take_along_axis(rows, largest[..., None, None], axis=-2)[..., 0, :]
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
