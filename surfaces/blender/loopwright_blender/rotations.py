# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations as matrices, quaternions (w, x, y, z), Euler angles and axis with angle: continuous along their first axis, frames."""

from __future__ import annotations

from typing import Any

import numpy as np

Floats = np.ndarray[Any, Any]

# From Blender's axes to those of the library: +Y up there.
TO_Y_UP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


def to_y_up(rotations: Floats) -> Floats:
    """Rotations (..., 3, 3) in the axes of the library."""
    return TO_Y_UP @ rotations @ TO_Y_UP.T


def to_z_up(rotations: Floats) -> Floats:
    """Rotations (..., 3, 3) in Blender's axes."""
    return TO_Y_UP.T @ rotations @ TO_Y_UP


def about_vertical(matrices: Floats) -> Floats:
    """The nearest rotations about the vertical alone to rotations (..., 3, 3) in the axes of the library."""
    halves = np.arctan2(matrices[..., 0, 2] - matrices[..., 2, 0], matrices[..., 0, 0] + matrices[..., 2, 2]) / 2
    zero = np.zeros_like(halves)
    return matrices_of(np.stack([np.cos(halves), zero, np.sin(halves), zero], -1))


def without_scale(matrices: Floats) -> tuple[Floats, Floats]:
    """The rotations (..., 3, 3) nearest to matrices, and the lengths of their columns."""
    scales = np.linalg.norm(matrices, axis=-2)
    turns = matrices / np.maximum(scales, 1e-30)[..., None, :]
    products = np.swapaxes(turns, -1, -2) @ turns
    # Columns of a sheared bone are not at right angles; those of others are, but for single precision, which one step of Newton's corrects.
    if np.abs(products - np.eye(3)).max(initial=0) > 1e-4:
        left, _, right = np.linalg.svd(turns)
        return left @ right, scales
    return turns @ (3 * np.eye(3) - products) / 2, scales


def crosses(vectors: Floats) -> Floats:
    """The matrices (..., 3, 3) that multiply by vectors as the cross product does."""
    found = np.zeros((*vectors.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        found[..., i, j], found[..., j, i] = -vectors[..., k], vectors[..., k]
    return found


def matrices_of(quaternions: Floats) -> Floats:
    """Rotations (..., 3, 3) of unit quaternions."""
    cross = crosses(quaternions[..., 1:])
    return np.eye(3) + 2 * (quaternions[..., :1, None] * cross + cross @ cross)


def transforms(turns: Floats, points: Floats) -> Floats:
    """Matrices (..., 4, 4) that turn, or turn and scale, by (..., 3, 3), then move by (..., 3)."""
    found = np.zeros((*points.shape[:-1], 4, 4))
    found[..., :3, :3], found[..., :3, 3], found[..., 3, 3] = turns, points, 1
    return found


def quaternions_of(matrices: Floats) -> Floats:
    """Unit quaternions of rotations (..., 3, 3), through the largest of their four numbers (Shepperd 1978)."""
    m = matrices
    trace = m[..., 0, 0] + m[..., 1, 1] + m[..., 2, 2]
    # Each row is the quaternion times four times one of its own numbers.
    rows = np.empty((*m.shape[:-2], 4, 4))
    rows[..., 0, 0], of_axes = 1 + trace, rows[..., 1:, 1:]
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        of_axes[..., i, i] = 1 + 2 * m[..., i, i] - trace
        of_axes[..., i, j] = of_axes[..., j, i] = m[..., i, j] + m[..., j, i]
        rows[..., 0, i + 1] = rows[..., i + 1, 0] = m[..., k, j] - m[..., j, k]
    largest = np.argmax(np.diagonal(rows, axis1=-2, axis2=-1), -1)
    found = np.take_along_axis(rows, largest[..., None, None], -2)[..., 0, :]
    return found / np.linalg.norm(found, axis=-1, keepdims=True)


def channels_of(matrices: Floats, mode: str) -> tuple[str, Floats]:
    """The channel of a rotation mode, and its values (F, 3 or 4) for rotations (F, 3, 3)."""
    if mode == "QUATERNION":
        return "rotation_quaternion", _continuous_quaternions(matrices)
    if mode == "AXIS_ANGLE":
        return "rotation_axis_angle", _axis_angles(matrices)
    return "rotation_euler", _eulers(matrices, mode)


def _continuous_quaternions(matrices: Floats) -> Floats:
    found = quaternions_of(matrices)
    if found[0, 0] < 0:
        found[0] = -found[0]
    flips = np.where((found[1:] * found[:-1]).sum(-1) < 0, -1.0, 1.0)
    found[1:] *= np.cumprod(flips)[:, None]
    return found


def _axis_angles(matrices: Floats) -> Floats:
    found = np.empty((len(matrices), 4))
    axis, angle = np.array([0.0, 1.0, 0.0]), 0.0
    for frame, (w, *vector) in enumerate(_continuous_quaternions(matrices)):
        length = float(np.linalg.norm(vector))
        turned = 2 * np.arctan2(length, w)
        # A rotation by nothing, or by a whole turn, has every axis.
        if length > 1e-9:
            new = np.array(vector) / length
            if frame and new @ axis < 0:
                new, turned = -new, -turned
            axis = new
        angle = turned + 2 * np.pi * np.round((angle - turned) / (2 * np.pi)) if frame else turned
        found[frame] = [angle, *axis]
    return found


def _eulers(matrices: Floats, order: str) -> Floats:
    """Angles about x, y, z; `order` names the axis that turns first, first. Of the two triples of a rotation, the one nearer to the last."""
    first, second, third = ("XYZ".index(letter) for letter in order)
    sign = 1.0 if (second - first) % 3 == 1 else -1.0
    m = matrices
    near = np.hypot(m[:, first, first], m[:, second, first])
    b = np.arctan2(-sign * m[:, third, first], near)
    # Where the middle axis is turned by a right angle the others are one. So the first angle is that which is left when the last is undone.
    c = np.where(near < 1e-7, 0.0, sign * np.arctan2(m[:, second, first], m[:, first, first]))
    undone = np.cos(c)[:, None] * m[:, second] - sign * np.sin(c)[:, None] * m[:, first]
    a = np.arctan2(-sign * undone[:, third], undone[:, second])
    found = np.empty((len(m), 3))
    found[:, first], found[:, second], found[:, third] = a, b, c
    other = found + np.pi
    other[:, second] = np.pi - found[:, second]
    for frame in range(1, len(found)):
        last = found[frame - 1]
        both = np.stack([found[frame], other[frame]])
        both += 2 * np.pi * np.round((last - both) / (2 * np.pi))
        found[frame] = both[np.argmin(np.abs(both - last).sum(-1))]
    return found
