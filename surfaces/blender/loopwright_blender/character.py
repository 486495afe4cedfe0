# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature with its meshes as a file, which the library takes as a character: by the meshes it knows the soles of the feet."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from bpy.types import Context, Object

from .actions import numbers_of
from .pose import Recording
from .rotations import TO_Y_UP, Floats

# Joints that carry a point.
_MOST_JOINTS = 4
# The kinds of numbers in glTF.
_UNSIGNED_SHORT, _UNSIGNED_INT, _FLOAT = 5123, 5125, 5126


def write(context: Context, recording: Recording, rest: Any, folder: Path) -> Path:
    """The file of an armature, whose `rest` pose is a take of the library; without meshes, of its bones alone."""
    surface = _surface(context, recording)
    if surface is None:
        written: Path = rest.write(folder / "rig.npz")
        return written
    points, joints, weights, triangles = surface
    heads = recording.offsets.copy()
    for joint, parent in enumerate(recording.parents[1:], 1):
        heads[joint] += heads[parent]
    # Columns of matrices; joints at rest are not turned.
    binds = np.tile(np.eye(4), (len(heads), 1, 1))
    binds[:, 3, :3] = -heads
    arrays = (
        (binds, np.float32, _FLOAT, "MAT4"),
        (points, np.float32, _FLOAT, "VEC3"),
        (joints, np.uint16, _UNSIGNED_SHORT, "VEC4"),
        (weights, np.float32, _FLOAT, "VEC4"),
        (triangles, np.uint32, _UNSIGNED_INT, "SCALAR"),
    )
    numbers = b""
    views: list[dict[str, Any]] = []
    accessors: list[dict[str, Any]] = []
    for array, kind, component, shape in arrays:
        part = np.ascontiguousarray(array, kind).tobytes()
        views.append({"buffer": 0, "byteOffset": len(numbers), "byteLength": len(part)})
        accessors.append({"bufferView": len(accessors), "componentType": component, "type": shape, "count": len(array)})
        numbers += part
    singles = np.asarray(points, np.float32)
    accessors[1] |= {"min": singles.min(0).tolist(), "max": singles.max(0).tolist()}
    nodes: list[dict[str, Any]] = []
    for joint, name in enumerate(recording.names):
        below = [other for other, parent in enumerate(recording.parents) if parent == joint]
        nodes.append({"name": name, "translation": recording.offsets[joint].tolist(), **({"children": below} if below else {})})
    body = {"attributes": {"POSITION": 1, "JOINTS_0": 2, "WEIGHTS_0": 3}, "indices": 4}
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0, len(nodes)]}],
        "nodes": [*nodes, {"mesh": 0, "skin": 0}],
        "skins": [{"joints": [*range(len(nodes))], "inverseBindMatrices": 0}],
        "meshes": [{"primitives": [body]}],
        "accessors": accessors,
        "bufferViews": views,
        "buffers": [{"byteLength": len(numbers)}],
    }
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    path = folder / "rig.glb"
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(numbers), b"BIN\0") + numbers
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def _surface(context: Context, recording: Recording) -> tuple[Floats, ...] | None:
    """The meshes that the armature moves, at rest: points (V, 3) in the world of the recording, the joints that carry them and their weights (V, 4), and
    the corners of triangles. None without."""
    owner = recording.owner
    data, shown = owner.data, owner.data.pose_position
    parts: list[tuple[Floats, ...]] = []
    count = 0
    # Meshes are taken with their other modifiers.
    data.pose_position = "REST"
    try:
        context.view_layer.update()
        graph = context.evaluated_depsgraph_get()
        to_recording = recording.outer @ recording.basis @ np.linalg.inv(owner.evaluated_get(graph).matrix_world)
        for mesh in context.view_layer.objects:
            if mesh.type == "MESH" and mesh.visible_get(view_layer=context.view_layer):
                points, joints, weights, corners = _carried(mesh, mesh.evaluated_get(graph), recording)
                if len(corners):
                    points = points @ to_recording[:3, :3].T + to_recording[:3, 3]
                    parts.append((points @ TO_Y_UP.T, joints, weights, corners + count))
                    count += len(points)
    finally:
        data.pose_position = shown
        context.view_layer.update()
    return tuple(np.concatenate(each) for each in zip(*parts)) if parts else None


def _carried(mesh: Object, evaluated: Object, recording: Recording) -> tuple[Floats, ...]:
    """Points, joints, weights and corners of one mesh, in the world as it is shown; no triangles that no bone carries."""
    owner = recording.owner
    joint_of = {name: joint for joint, name in enumerate(recording.names)}
    is_skin = any(modifier.type == "ARMATURE" and modifier.object == owner for modifier in mesh.modifiers)
    above = joint_of.get(mesh.parent_bone) if mesh.parent == owner and mesh.parent_type == "BONE" else None
    if not is_skin and above is None:
        return (np.empty(0),) * 4
    shape = evaluated.to_mesh()
    points = numbers_of(shape.vertices, "co", 3)
    shape.calc_loop_triangles()
    corners = numbers_of(shape.loop_triangles, "vertices", 3, np.int32)
    joints = np.zeros((len(shape.vertices), _MOST_JOINTS), int)
    weights = np.zeros((len(shape.vertices), _MOST_JOINTS))
    if is_skin:
        groups = {group.index: joint_of[group.name] for group in mesh.vertex_groups if group.name in joint_of}
        for index, vertex in enumerate(shape.vertices):
            found = sorted(((each.weight, groups[each.group]) for each in vertex.groups if each.group in groups), reverse=True)
            for slot, (weight, joint) in enumerate(found[:_MOST_JOINTS]):
                weights[index, slot], joints[index, slot] = weight, joint
    else:
        joints[:, 0], weights[:, 0] = above, 1
    evaluated.to_mesh_clear()
    world = np.array(evaluated.matrix_world)
    totals = weights.sum(1)
    corners = corners.reshape(-1, 3)
    corners = corners[(totals[corners] > 0).all(1)].ravel()
    weights[totals == 0] = [1, 0, 0, 0]
    return points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3], joints, weights / weights.sum(1, keepdims=True), corners
