# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings and results: properties of the scene and of armatures."""

from __future__ import annotations

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Action, PropertyGroup, Scene

# Markers of the chosen loop.
MARKERS = ("Loop start", "Loop end")

ROOTS = [
    ("BONE", "Root bone", "The topmost bone carries the character over the ground"),
    ("OBJECT", "Object", "The armature object carries the character over the ground"),
    ("NEW_BONE", "New root bone", "A bone named root is added above all others, and carries the character over the ground"),
    ("IN_PLACE", "In place", "The character stays where it starts"),
]
WRITE_TO = [
    ("CONTROLS", "Controls", "In a rig, such as one of Rigify, the controls get the keys, with limbs in FK; its constraints and drivers go on working"),
    ("BONES", "Deform bones", "The deform bones get the keys, and their constraints are switched off"),
]
CLOSURES = [
    ("default", "Automatic", "The smooth way; another one where it is less visible"),
    ("auto", "Try several", "Several ways are tried, and the least visible one taken"),
    ("quintic", "Quintic", "Pose, velocity and acceleration meet"),
    ("cubic", "Cubic", "Pose and velocity meet"),
    ("spring", "Spring", "Pose and velocity meet; the correction fades like a spring"),
    ("least", "Least", "As Spring, with the smallest correction"),
    ("linear", "Linear", "The difference of the poses is spread evenly over the loop"),
    ("softfade", "Soft fade", "The difference of the poses is spread with a soft bend"),
    ("adjustment", "Adjustment", "The difference of the poses is spread to where a bone moves"),
    ("crossfade", "Cross-fade", "The end blends into the frames before the start"),
]
FEET = [
    ("auto", "Automatic", "Planted feet are locked where that makes them slide less"),
    ("solve", "Locked", "Planted feet are always locked"),
    ("off", "As they are", "Feet are not locked"),
]
REFERENCES = [
    ("auto", "Automatic", "The rest position, where a body may rest so; else one worked out from the motion"),
    ("rest", "Rest position", "The rest position, whatever it is"),
    ("motion", "From the motion", "One worked out from the motion"),
    ("frame", "Current frame", "The pose of the current frame, such as a T-pose before the motion"),
]
ENGINES = [
    ("none", "None", "No engine in particular"),
    ("unity", "Unity", "As Unity needs it"),
    ("unity-humanoid", "Unity Humanoid", "As Unity's humanoids need it"),
    ("unreal", "Unreal", "As Unreal Engine needs it"),
    ("godot", "Godot", "As Godot needs it"),
    ("bevy", "Bevy", "As Bevy needs it"),
    ("three", "three.js", "As three.js needs it"),
]


class LoopwrightSettings(PropertyGroup):
    """Settings of the search and of loops."""

    root: EnumProperty(name="Root", description="What carries the character over the ground", items=ROOTS)
    write_to: EnumProperty(name="Write to", description="Which bones of a rig get the keys", items=WRITE_TO)
    straight: BoolProperty(
        name="Straight",
        description="The character goes straight, so that it plays on and on; for loops that turn by less than 5 degrees",
    )
    origin: BoolProperty(
        name="Start at origin",
        description="The character starts at the origin of the world, facing forward; else where the take has it at that time",
        default=True,
    )
    closure: EnumProperty(name="Seam", description="How the end is brought to the start", items=CLOSURES)
    blend: FloatProperty(
        name="Blend", description="Time over which the ends are changed; 0 is automatic", min=0, soft_max=1, unit="TIME_ABSOLUTE"
    )
    feet: EnumProperty(name="Feet", items=FEET)
    engine: EnumProperty(name="Engine", description="Where the loop goes to", items=ENGINES)
    cycles: IntProperty(name="Cycles", description="Cycles in a loop, such as 2 for four steps; 0 is automatic", min=0, soft_max=8)
    repeats: IntProperty(
        name="Repeats",
        description="How many times a loop that turns walks on around its circle, before it starts again. Straight ones go on for ever",
        default=20,
        min=1,
        soft_max=100,
        max=1000,
    )
    symmetric: BoolProperty(name="Symmetric", description="Half a cycle and its mirror image")
    recipe: PointerProperty(
        name="Recipe", description="A text with all settings of loopwright, in TOML; the settings above come on top", type=bpy.types.Text
    )

    folder: StringProperty(name="Folder", description="The folder with BVH, FBX and GLB files", subtype="DIR_PATH")

    def keywords(self) -> dict[str, Any]:
        """The settings that differ from those of the library, as it names them."""
        # Some engines want loops in place; here the root motion is chosen.
        moves = "constant" if self.engine != "none" and self.recipe is None else None
        asked = {
            "method": self.closure if self.closure != "default" else None,
            # Six digits, because Blender's numbers are in single precision.
            "blend": float(f"{self.blend:.6g}") or None,
            "lock_feet": self.feet if self.feet != "auto" else None,
            "for_": self.engine if self.engine != "none" else None,
            "root_motion": "linear" if self.straight else moves,
            "symmetric": self.symmetric or None,
            "recenter": self.origin or None,
        }
        return {name: value for name, value in asked.items() if value is not None}

    def searched(self) -> dict[str, Any]:
        """The settings of the search alone."""
        return {"cycles": self.cycles} if self.cycles else {}


def show_range(scene: Any, first: int, last: int, is_used: bool = True) -> None:
    """Sets the preview range."""
    scene.use_preview_range = is_used
    # Ranges keep their start before their end while they are set.
    scene.frame_preview_end = max(last, scene.frame_preview_start)
    scene.frame_preview_start, scene.frame_preview_end = first, last


def _show_chosen(state: Any, context: Any) -> None:
    """Sets the preview range and the markers to the chosen loop."""
    if not 0 <= state.chosen < len(state.loops):
        return
    scene, row = context.scene, state.loops[state.chosen]
    start, end = round(row.start), round(row.end)
    show_range(scene, start, end - 1)
    for name, frame in zip(MARKERS, (start, end)):
        marker = scene.timeline_markers.get(name) or scene.timeline_markers.new(name)
        marker.frame = frame


class LoopwrightLoop(PropertyGroup):
    """A stretch that loops: a row of the list."""

    start: FloatProperty()
    end: FloatProperty()
    seconds: FloatProperty()
    speed: FloatProperty()
    turn_rate: FloatProperty()
    grade: StringProperty()
    reason: StringProperty()


class LoopwrightFinding(PropertyGroup):
    """A measure of a check."""

    label: StringProperty()
    text: StringProperty()
    grade: StringProperty()
    bone: StringProperty()
    frame: FloatProperty(default=-1)


def _is_other(state: Any, other: Any) -> bool:
    return other.type == "ARMATURE" and other != state.id_data


class LoopwrightState(PropertyGroup):
    """What an armature is retargeted from and how, the loops found for it, and the one that waits to be accepted."""

    other: PointerProperty(
        name="From",
        description="The armature whose action, or loop, is put onto this one",
        type=bpy.types.Object,
        poll=_is_other,
    )

    reference: EnumProperty(name="Stands in", description="The pose of the other armature that is laid onto the rest position of this one", items=REFERENCES)
    gaze: FloatProperty(name="Raise gaze", description="By how much the motion looks higher", subtype="ANGLE", soft_min=-0.7, soft_max=0.7)

    loops: CollectionProperty(type=LoopwrightLoop)
    chosen: IntProperty(name="Loop", default=-1, update=_show_chosen)
    # Digest of the motion in which the list was found.
    found_in: StringProperty()
    # Name of the action that was checked.
    checked: StringProperty()
    findings: CollectionProperty(type=LoopwrightFinding)
    verdict: StringProperty()
    loop: PointerProperty(type=Action)
    take: PointerProperty(type=Action)
    # Further state that Reject restores.
    before: StringProperty()


_CLASSES = (LoopwrightSettings, LoopwrightLoop, LoopwrightFinding, LoopwrightState)


_register, _unregister = bpy.utils.register_classes_factory(_CLASSES)


def register() -> None:
    _register()
    Scene.loopwright = PointerProperty(type=LoopwrightSettings)
    bpy.types.Object.loopwright = PointerProperty(type=LoopwrightState)


def unregister() -> None:
    del bpy.types.Object.loopwright
    del Scene.loopwright
    _unregister()
