# SPDX-License-Identifier: GPL-3.0-or-later
"""Inside a Blender with a window: imports a synthetic take of 20 s, and answers what pictures.py asks: blender --python window.py -- FOLDER."""

import sys
from pathlib import Path
from typing import Any

import bpy
import loopwright
import numpy as np
from loopwright import _native
from mathutils import Euler

folder = Path(sys.argv[sys.argv.index("--") + 1])


def view() -> Any:
    """The 3D View."""
    return next(area for area in bpy.context.window_manager.windows[0].screen.areas if area.type == "VIEW_3D")


def sidebar() -> tuple[int, int, int, int]:
    """The left, right, top and bottom of the sidebar in pixels of the window, from its top."""
    window, region = bpy.context.window_manager.windows[0], next(each for each in view().regions if each.type == "UI")
    top = window.height - region.y - region.height
    return region.x, region.x + region.width, top, top + region.height


def state() -> dict[str, Any]:
    """What clicks change."""
    armature = bpy.context.view_layer.objects.active
    return {
        "action": armature.animation_data.action.name,
        "found": len(armature.loopwright.loops),
        "waits": armature.loopwright.loop is not None,
        "plays": bpy.context.window_manager.windows[0].screen.is_animation_playing,
        "made": sum("loopwright_grade" in action for action in bpy.data.actions),
    }


def answer() -> float:
    """Evaluates the expression in the file "ask", if there is one."""
    question = folder / "ask"
    if question.exists():
        text = question.read_text()
        question.unlink()
        part = folder / "part"
        part.write_text(repr(eval(text, globals())))
        part.rename(folder / "answer")
    return 0.02


bpy.context.preferences.view.show_splash = False
bpy.ops.preferences.addon_enable(module="loopwright_blender")
for each in [*bpy.data.objects]:
    bpy.data.objects.remove(each)
options = "--turn-rate 12 --seconds 20 --fps 30 --period 1.2 --variation 0.3 --noise 0.3 --seed 6"
_native.answer(["loopwright", "synth", "-o", str(folder / "take.bvh"), *options.split()])
# Debian's importer is of older days than its NumPy.
np.bool = bool
# With a mesh, by which it is better seen.
loopwright.read(folder / "take.bvh").write(folder / "take.glb")
bpy.context.scene.render.fps = 30
bpy.ops.import_scene.gltf(filepath=str(folder / "take.glb"))
bpy.context.view_layer.objects.active = next(each for each in bpy.data.objects if each.type == "ARMATURE")
space = view().spaces.active
space.show_region_ui = True
# One colour, so that pictures are small.
space.shading.background_type, space.shading.background_color = "VIEWPORT", (0.06, 0.06, 0.06)
space.region_3d.view_rotation = Euler((1.25, 0, 0.6)).to_quaternion()
space.region_3d.view_location, space.region_3d.view_distance = (-0.35, 0.2, 0.85), 3.6
bpy.ops.ed.undo_push(message="Import")
bpy.app.timers.register(answer, first_interval=0.5)
