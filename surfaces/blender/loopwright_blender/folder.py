# SPDX-License-Identifier: GPL-3.0-or-later
"""The takes of a folder: each file is imported by Blender, and its actions are made into loops."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Context, Object

from . import actions, loops
from .library import library, spoken
from .refusal import NoLoop, Refusal
from .work import Work

_SUFFIXES = (".bvh", ".fbx", ".glb", ".gltf")
# Data that an armature's file may bring along. Shape keys come and go with their meshes.
_KINDS = [each.identifier for each in bpy.types.BlendData.bl_rna.properties if each.type == "COLLECTION" and each.identifier != "shape_keys"]
_METRES = {"m": 1.0, "cm": 0.01, "in": 0.0254, "cmu": 0.0254 / 0.45, "mm": 0.001}
# By the axis that is up, the one that Blender's importer takes for forward: characters look along -Y then.
_FORWARD = {"Y": "-Z", "Z": "Y", "X": "-Z", "-Y": "Z", "-Z": "-Y", "-X": "-Z"}


@dataclass
class _Row:
    """Characters beside each other along X, which look along -Y."""

    # Where the last one ends. None without.
    edge: float | None = None

    def place(self, owner: Object, tops: set[Object], takes: list[Action], made: list[Action]) -> None:
        """Moves an armature, by those of the objects without parents that it hangs from, beside the last one; takes and loops go with it."""
        heads = np.array([owner.matrix_world @ bone.head_local for bone in owner.data.bones])
        size = float(np.ptp(heads, axis=0).max())
        away = 0.0 if self.edge is None else self.edge + size / 2
        # Meshes that it moves may stand beside it. Armatures that hang from one object have one place.
        moved = tops & {_top(each) for each in bpy.data.objects if each == owner or (each.type == "MESH" and each.find_armature() == owner)}
        if _top(owner) not in moved:
            return
        tops -= moved
        for each in moved:
            each.location.x += away
            for action in {*_used(each), *(takes if each == owner else ()), *(made if each == owner else ())}:
                for curve in actions.curves(action, actions.slot_for(each, action)):
                    if (curve.data_path, curve.array_index) == ("location", 0):
                        actions.move_keys(curve, by=away)
        for action in made:
            x, y, z = action["loopwright_root_start"]
            action["loopwright_root_start"] = [x + away, y, z]
        self.edge = away + size / 2


def _top(each: Object) -> Object:
    return _top(each.parent) if each.parent else each


def open_folder(settings: Any) -> Work:
    """The files of the folder in the settings."""
    library()
    loops.asked(settings)
    if not settings.folder:
        raise Refusal("No folder is chosen", "Choose one in the Folder panel, in the sidebar's tab loopwright")
    folder = Path(bpy.path.abspath(settings.folder))
    try:
        paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in _SUFFIXES and path.is_file())
    except OSError as error:
        raise Refusal(f'The folder "{folder}" cannot be read: {error.strerror}', "Choose another one in the Folder panel") from error
    if not paths:
        raise Refusal(f'The folder "{folder}" holds no BVH, FBX or GLB files', "Choose the one that holds them; folders inside it are left out")
    row = _Row()
    return Work("Loops from Folder", "file", paths, lambda context, path: _loops_of(context, path, row))


def _loops_of(context: Context, path: Path, row: _Row) -> tuple[int, list[str]]:
    """Imports a file and makes the loops of its actions: how many, and why others have none. Removes all of it where there is none."""
    scene, objects = context.scene, context.view_layer.objects
    render, before = scene.render, {*_datablocks()}
    kept, frame = (render.fps, render.fps_base, scene.frame_start, scene.frame_end), scene.frame_current
    active, selected = objects.active, [each for each in objects if each.select_get()]
    rate = render.fps / render.fps_base
    # Importers count in whole frames per second, and FBX sets those of its file.
    render.fps, render.fps_base = max(round(rate), 1), 1
    try:
        try:
            _import(path)
            new = [each for each in _datablocks() if each not in before]
            _retime([each for each in new if isinstance(each, Action)], rate / render.fps)
        finally:
            render.fps, render.fps_base, scene.frame_start, scene.frame_end = kept
        return _made(context, path, new, row)
    except Refusal:
        # At once what is linked to each other.
        bpy.data.batch_remove([each for each in _datablocks() if each not in before])
        objects.active = active
        for each in selected:
            each.select_set(True)
        raise
    finally:
        scene.frame_set(frame)


def _made(context: Context, path: Path, new: list[Any], row: _Row) -> tuple[int, list[str]]:
    owners = [each for each in new if isinstance(each, Object) and each.type == "ARMATURE"]
    takes = [each for each in new if isinstance(each, Action)]
    users = {take: [owner for owner in owners if take in _used(owner)] for take in takes}
    # Armatures of one file may have the same bones.
    of_owners = [[take for take in takes if actions.moves(owner, take) and owner in (users[take] or [owner])] for owner in owners]
    named = [take for of_owner in of_owners for take in of_owner]
    if not named:
        raise NoLoop("It has no armature with an action", "")
    if len(named) == 1:
        # Names in FBX files are mostly the same in all.
        named[0].name = path.stem
    tops = {each for each in new if isinstance(each, Object) and each.parent is None}
    count, refused, said = 0, [], []
    rigs: dict[str, Any] = {}
    for owner, of_owner in zip(owners, of_owners):
        made = []
        for take in of_owner:
            try:
                *loop, notes = loops.make_one(context, owner, take, rigs)
                made.append(loop)
                said += [f"{take.name}: {note}" for note in notes]
            except Refusal as refusal:
                refused.append(refusal)
                said.append(f"{take.name}: {refusal}")
        if made:
            loops.assign(owner, *made[0])
            row.place(owner, tops, of_owner, [action for action, _ in made])
        count += len(made)
    if not count:
        raise next((each for each in refused if not isinstance(each, NoLoop)), refused[0])
    return count, said


def _used(owner: Object) -> list[Action]:
    data = owner.animation_data
    return [data.action, *(strip.action for strip in actions.strips(owner))] if data else []


def _datablocks() -> list[Any]:
    return [each for kind in _KINDS for each in getattr(bpy.data, kind)]


def _import(path: Path) -> None:
    """Imports a file by Blender's importer, in metres with its keys at the scene's whole frames per second."""
    file = str(path)
    try:
        match path.suffix.lower():
            case ".bvh":
                # BVH does not state its unit and axes; the library tells them by the body.
                with spoken():
                    facts = library().read(path).facts
                unit, up = facts["unit"], facts["up"].upper()
                metres = _METRES.get(unit) or float(unit.split()[0])
                axes = {"axis_forward": _FORWARD[up], "axis_up": up}
                bpy.ops.import_anim.bvh(filepath=file, global_scale=metres, use_fps_scale=True, **axes)
            case ".fbx":
                bpy.ops.import_scene.fbx(filepath=file)
            case _:
                bpy.ops.import_scene.gltf(filepath=file)
    except AttributeError as error:
        what = f"Blender's importer of {path.suffix[1:].upper()} files is switched off"
        raise Refusal(what, "Switch it on in Edit > Preferences > Add-ons") from error
    except RuntimeError as error:
        raise Refusal(_reason(str(error)), "") from error


def _reason(said: str) -> str:
    """The message of an importer, without its place in the code."""
    lines = [line.strip() for line in said.splitlines() if line.strip() and not line.startswith("Location:")]
    line = lines[-1] if "Traceback" in said else lines[0]
    return f"It cannot be imported: {line.removeprefix('Error: ')}"


def _retime(takes: list[Action], factor: float) -> None:
    """Moves all keys, to other frames per second."""
    if abs(factor - 1) < 1e-9:
        return
    for take in takes:
        for slot in actions.slots(take) or [None]:
            for curve in actions.curves(take, slot):
                actions.move_keys(curve, factor)
