# SPDX-License-Identifier: GPL-3.0-or-later
"""Scenes that the tests share: synthetic walks whose loops are known, and captured takes where they are."""

from __future__ import annotations

import math
import os
import tempfile
import unittest
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from loopwright import _native
from loopwright_blender import actions, loops, pose
from loopwright_blender.rotations import matrices_of

_FOLDER = tempfile.TemporaryDirectory()
TO_Y_UP = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])


def walk(turn_rate: float = 12, seconds: float = 5) -> Path:
    """A synthetic walk."""
    path = Path(_FOLDER.name) / f"walk{turn_rate:g}_{seconds:g}.bvh"
    if not path.exists():
        options = ["--turn-rate", str(turn_rate), "--seconds", str(seconds), "--fps", "30"]
        _native.answer(["loopwright", "synth", "-o", str(path), *options])
    return path


def mocap(name: str) -> Path:
    """A captured take."""
    beside = Path(__file__).resolve().parents[4] / "shared" / "mocap"
    path = Path(os.environ.get("LOOPWRIGHT_MOCAP", beside)) / name
    if not path.exists():
        if os.environ.get("LOOPWRIGHT_REQUIRE_MOCAP"):
            raise AssertionError(f"the captured takes are missing: {path}")
        raise unittest.SkipTest("needs the captured takes")
    return path


def new_scene(path: Path | None = None, **options: Any) -> Any:
    """An empty scene, into which a file is imported; its armature, which is active."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return imported(path, **options) if path else None


def imported(path: Path, **options: Any) -> Any:
    """The armature of a file that is imported into the scene, which is active."""
    before = {*bpy.data.objects}
    match path.suffix:
        case ".bvh":
            options = {"global_scale": 0.01, "axis_forward": "-Z", "axis_up": "Y", "update_scene_fps": True, **options}
            bpy.ops.import_anim.bvh(filepath=str(path), **options)
        case ".fbx":
            bpy.ops.import_scene.fbx(filepath=str(path), **options)
        case _:
            bpy.ops.import_scene.gltf(filepath=str(path), **options)
    armature = next(each for each in bpy.data.objects if each.type == "ARMATURE" and each not in before)
    bpy.context.view_layer.objects.active = armature
    return armature


def walker(turn_rate: float = 12, **options: Any) -> Any:
    """An armature that walks."""
    return new_scene(walk(turn_rate), **options)


def linked(kind: str, name: str) -> Any:
    """A data-block of the scene, linked from a file into which the scene is saved."""
    path = str(Path(_FOLDER.name) / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        setattr(wanted, kind, [name])
    return getattr(wanted, kind)[0]


def curves_of(armature: Any) -> list[Any]:
    """The curves of its action."""
    action = armature.animation_data.action
    return actions.curves(action, actions.slot_for(armature, action))


def state_of(armature: Any) -> Any:
    """What may not change where nothing is done."""
    data = armature.animation_data
    keys = [] if not data or not data.action else [[*key.co] for curve in curves_of(armature) for key in curve.keyframe_points]
    scene = bpy.context.scene
    return (
        data and data.action and data.action.name,
        keys,
        sorted(action.name for action in bpy.data.actions),
        pose.snapshot(armature),
        [*np.array(armature.matrix_world).ravel()],
        scene.frame_current,
        scene.use_preview_range,
        len(scene.timeline_markers),
    )


def shown(armature: Any, frame: float) -> tuple[Any, Any]:
    """Where Blender shows the heads of the bones (B, 3) at a frame, +Y up, and how bones are turned (B, 3, 3), Z up."""
    bpy.context.scene.frame_set(math.floor(frame), subframe=frame % 1)
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrices = np.array([evaluated.matrix_world @ bone.matrix for bone in evaluated.pose.bones])
    # Blender's own rest matrices have axes that are off right angles by 1e-5.
    left, _, right = np.linalg.svd(matrices[:, :3, :3])
    return matrices[:, :3, 3] @ TO_Y_UP.T, left @ right


def made(armature: Any, root: str = "BONE", **settings: Any) -> tuple[Any, Any]:
    """A loop of its action, which moves it from now on, and what it was read from."""
    asked = bpy.context.scene.loopwright
    for name, value in settings.items():
        setattr(asked, name, value)
    source = loops.read(bpy.context, armature, armature.animation_data.action)
    loop = loops.make(source, asked)
    action, slot = loops.write(bpy.context, source, loop, root)
    actions.assign(armature, action, slot)
    return loop, source


def worst_difference(armature: Any, loop: Any, source: Any, times: Any, in_place: bool = False) -> float:
    """The largest difference between what Blender shows and the loop's own samples: metres, and numbers of rotation matrices."""
    recording = source.recording
    bones = [bone.name for bone in armature.pose.bones]
    here = [bones.index(name) for name in recording.bones]
    order = [recording.names.index(name) for name in recording.bones]
    rests = np.array(recording.rest_turns)
    points, quaternions = loop.sample(times, scalar_first=True)
    turns = matrices_of(quaternions)
    if in_place:
        roots, spins = loop.root(times, scalar_first=True)
        spins = matrices_of(spins)
        back = spins[0] @ np.swapaxes(spins, -1, -2)
        points = np.einsum("fij,fbj->fbi", back, points - roots[:, None]) + roots[0]
        turns = back[:, None] @ turns
    start = armature.animation_data.action.frame_start
    worst = 0.0
    for time, wanted, turned in zip(times, points[:, order], turns[:, order]):
        heads, found = (each[here] for each in shown(armature, start + time * recording.fps))
        worst = max(worst, np.abs(heads - wanted).max(), np.abs(found - TO_Y_UP.T @ turned @ TO_Y_UP @ rests).max())
    return worst
