# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys of an armature's meshes: those animated with a take are looped along with the body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object

from . import actions
from .rotations import Floats

# Custom properties of an action with shape keys: the action of the body that it plays with, what it is for, and what Reject brings back.
_BODY, _KEY, _TAKE, _BEFORE = "loopwright_body", "loopwright_key", "loopwright_take", "loopwright_before"


@dataclass
class Face:
    """The animated shape keys of a mesh over the frames of a take."""

    key: Any
    # A mesh that shows them.
    mesh: str
    paths: list[str]
    # (F, paths)
    values: Floats


def read(owner: Object, take: Action, is_active: bool, first: int, frames: int) -> tuple[list[Face], list[str]]:
    """The faces of an armature that move with a take over these frames, and warnings; the active take is what the armature shows."""
    found: dict[Any, Face] = {}
    said = []
    for mesh in bpy.data.objects:
        key = getattr(mesh.data, "shape_keys", None)
        if key is None or key in found or owner not in (mesh.parent, mesh.find_armature()):
            continue
        action, slot = _action_for(key, mesh, owner, take, is_active)
        blocks = {f'key_blocks["{bpy.utils.escape_identifier(block.name)}"].value': block for block in key.key_blocks}
        curves = [each for each in actions.curves(action, slot) if each.data_path in blocks and not actions.is_muted(each)] if action else []
        times = actions.times_of(curves)
        if not len(times) or times[0] > first + frames - 1 or times[-1] < first:
            continue
        if mesh.library or mesh.override_library or key.library or key.override_library:
            said.append(f'The shape keys of "{mesh.name}" are linked from another file, and not looped: make the mesh local')
            continue
        values = np.array([[each.evaluate(first + frame) for each in curves] for frame in range(frames)])
        # Blender shows no others.
        sliders = np.array([[blocks[each.data_path].slider_min, blocks[each.data_path].slider_max] for each in curves])
        found[key] = Face(key, mesh.name, [each.data_path for each in curves], values.clip(*sliders.T))
    return list(found.values()), said


def write(faces: list[Face], looped: list[Floats], frames: Floats, body: Action) -> None:
    """New actions for faces with their values at the samples of a loop, `body`; frames are those of its keys. They are not assigned."""
    for face, found in zip(faces, looped):
        writer = actions.Writer(face.key, f"{body.name}-{face.mesh}")
        for path, values in zip(face.paths, np.concatenate([found, found[:1]]).T):
            writer.add(path, "Shape Keys", frames, values[:, None], "REPEAT")
        action = writer.finish(frames[0], frames[-1], True)
        action[_BODY], action[_KEY] = body, face.key


def of(body: Action) -> list[Action]:
    """The actions of faces that play with an action of a body."""
    return [each for each in bpy.data.actions if each.get(_BODY) == body]


def assign(body: Action) -> None:
    """Lets the faces of an action of a body play."""
    for action in of(body):
        # A mesh may be gone.
        key = action.get(_KEY)
        if key is None:
            continue
        data = key.animation_data or key.animation_data_create()
        slot = actions.slot_of(data)
        if data.action:
            action[_TAKE] = data.action
            if data.action.library is None:
                data.action.use_fake_user = True
        action[_BEFORE] = json.dumps([slot.identifier if slot else "", [[block.name, block.value] for block in key.key_blocks]])
        actions.assign(key, action, _key_slot(action))


def reject(body: Action) -> None:
    """Deletes the faces of an action of a body, and brings back what `assign` replaced."""
    for action in of(body):
        if key := action.get(_KEY):
            take = action.get(_TAKE)
            slot, values = json.loads(action[_BEFORE])
            actions.assign(key, take, actions.slot_named(take, slot))
            for name, value in values:
                if block := key.key_blocks.get(name):
                    block.value = value
        bpy.data.actions.remove(action)


def _action_for(key: Any, mesh: Object, owner: Object, take: Action, is_active: bool) -> tuple[Action | None, Any]:
    """The action of shape keys, with its slot, that belongs to a take of a body: as it plays now, or as importers lay them out."""
    data = key.animation_data
    if is_active and data and data.action:
        return data.action, actions.slot_of(data)
    if slot := _key_slot(take, mesh.name, mesh.data.name, key.name):
        return take, slot
    # glTF: strips in tracks of the same name.
    tracks = {track.name for track in actions.tracks(owner) if any(strip.action == take for strip in track.strips)}
    strips = [strip for track in actions.tracks(key) if track.name in tracks for strip in track.strips if strip.action]
    if strips:
        return strips[0].action, actions.slot_of(strips[0]) or _key_slot(strips[0].action)
    # FBX: "Armature|Walk" and "Key|Walk".
    _, bar, name = take.name.partition("|")
    action = bpy.data.actions.get(f"{key.name}|{name}") if bar else None
    return action, _key_slot(action)


def _key_slot(action: Action | None, *names: str) -> Any:
    """The slot of an action for shape keys, of those of these names if there are any."""
    found = [slot for slot in actions.slots(action) if slot.target_id_type == "KEY" and (not names or slot.name_display in names)]
    return next(iter(found), None)
