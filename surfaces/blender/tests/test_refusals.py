# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be done is said with what to do, and nothing is changed."""

import contextlib
import sys
import unittest
from typing import Any
from unittest import mock

import bpy
import loopwright
import scenes
from loopwright_blender import actions
from mathutils import Matrix

OPERATORS = ("find", "make", "check", "mirror")
SEARCHES = ("find", "make")
RETARGET = ("retarget",)
ANY = (*OPERATORS, "make_all")

# What is done to a scene with a walk, or for retargeting to its character; what is said, what to do, and by which operators.
REFUSED = [
    ("view_layer.objects.active = None", "No armature is active", "Click", ANY),
    ("view_layer.objects.active = new_object()", "No armature is active", "Click", ANY),
    ("data.action = None", "has no action", "Action Editor", OPERATORS),
    ("armature.animation_data_clear()", "has no action", "Action Editor", OPERATORS),
    ("data.action = None; moves(armature, 1, 50)", "moves no bone", "keys on its bones", OPERATORS),
    ("actions.remove(action); moves(armature, 1, 50)", "No action moves bones", "Import", ("make_all",)),
    ("data.action = None; spine.keyframe_insert('location', frame=5)", "keys at one frame alone, 5", "several steps", OPERATORS),
    ("shift(-20)", "before frame 0", "start at frame 1", OPERATORS),
    ("curves()[9].mute = True", "muted", "Graph Editor", OPERATORS),
    ("curves()[9].group.mute = True", "muted", "Graph Editor", OPERATORS),
    ("armature.scale = (0, 0, 0)", "scale of zero", "Set its scale", OPERATORS),
    ("armature.scale = (1, 2, 1)", "scaled differently", "Apply its scale", OPERATORS),
    ("armature.scale = (-1, 1, 1)", "mirrored", "Apply its scale", OPERATORS),
    ("spine.scale = (0, 0, 0)", '"Spine" has a scale of zero', "scale keys", OPERATORS),
    ("spine.scale = (1, -1, 1)", '"Spine" has a negative scale', "positive", OPERATORS),
    ("armature.parent = moves(new_object(), 1, 100)", "moved by its parent", "bake", OPERATORS),
    ("drive(spine, 'frame / 100')", "moved by a driver", "Bake", ("make", "mirror")),
    ("strip(); data.action_blend_type = 'ADD'", "mixed with NLA strips", "Replace", OPERATORS),
    ("strip().scale = 2; data.action = None", 'The NLA strip "strip" changes its action', "bake", OPERATORS),
    ("strip().frame_start = 20; data.action = None", "changes its action", "bake", OPERATORS),
    ("change(strip(), use_animated_influence=True, influence=0.5); data.action = None", "changes its action", "bake", OPERATORS),
    ("strip().blend_type = 'ADD'; data.action = None", "changes its action", "bake", OPERATORS),
    ("strip(); strip(); data.action = None", "moved by 2 NLA strips", "bake", OPERATORS),
    ("armature.data.pose_position = 'REST'", "rest position", "Pose Position", OPERATORS),
    ("ops.object.mode_set(mode='EDIT')", "Edit Mode", "Pose Mode", OPERATORS),
    ("view_layer.objects.active = linked()", "linked from another file", "Make it local", ANY),
    ("view_layer.objects.active = link(linked().override_create())", "library override", "Make it local", ANY),
    ("shorten()", "no loop", "two cycles", SEARCHES),
    ("modules['loopwright'] = None", "library of the add-on is missing", "Install", OPERATORS),
    ("loopwright.__version__ = '9.9.9'", "found 9.9.9", "Install", OPERATORS),
    ("recipe('closure = [')", 'The recipe "Recipe" cannot be read', "Text Editor", SEARCHES),
    ("recipe('[closure]\\nmethode = \"cubic\"\\n')", "methode", "", SEARCHES),
    ("", "No loop waits", "Make Loop", ("accept", "reject")),
    ("", "nothing to show", "Check", ("show",)),
    ("character.loopwright.other = None", "No armature to retarget from is chosen", "Choose one", RETARGET),
    ("character.loopwright.other = character", "from itself", "Choose another one", RETARGET),
    ("armature.hide_set(True)", "is hidden", "Show it", RETARGET),
    (
        "change(action, use_frame_range=True, use_cyclic=True, frame_start=1, frame_end=40.5)",
        "repeats from frame 1 to 40.5, but its keys on whole frames go from 1 to 40",
        "Manual Frame Range",
        RETARGET,
    ),
    ("data.action = None", "has no action", "Action Editor", RETARGET),
    ("drive(character.pose.bones['Spine'], '1')", "moved by a driver", "Bake", RETARGET),
    ("character.scale = (1, 2, 1)", "scaled differently", "Apply its scale", RETARGET),
    ("chain()", "no joint of the rig has a counterpart", "same kind", RETARGET),
]
if actions.HAS_SLOTS:
    REFUSED.append(("data.action_slot = None", "has no slot", "Choose a slot", OPERATORS))


class Refusals(unittest.TestCase):
    def setUp(self) -> None:
        self.armature = scenes.walker()
        self.action = self.armature.animation_data.action

    def names(self, operators: tuple[str, ...]) -> dict[str, Any]:
        """What the table may name."""
        armature, action = self.armature, self.action
        names = {"armature": armature, "action": action, "data": armature.animation_data, "spine": armature.pose.bones["Spine"]}
        names |= {"view_layer": bpy.context.view_layer, "ops": bpy.ops, "actions": bpy.data.actions}
        names |= {"modules": sys.modules, "loopwright": loopwright, "curves": lambda: scenes.curves_of(armature)}
        if operators == RETARGET:
            names["character"] = character = scenes.imported(scenes.walk(0), global_scale=0.02)
            character.animation_data_clear()
            for bone in character.pose.bones:
                bone.matrix_basis = Matrix()
            character.loopwright.other = armature

        def link(each: Any) -> Any:
            bpy.context.collection.objects.link(each)
            return each

        def moves(each: Any, *frames: int) -> Any:
            for frame in frames:
                each.location.x = frame
                each.keyframe_insert("location", frame=frame)
            return each

        def drive(bone: Any, expression: str) -> None:
            bone.driver_add("location", 0).driver.expression = expression

        def strip() -> Any:
            return names["data"].nla_tracks.new().strips.new("strip", 1, action)

        def change(each: Any, **values: Any) -> None:
            for name, value in values.items():
                setattr(each, name, value)

        def shift(frames: int) -> None:
            for curve in scenes.curves_of(armature):
                for key in curve.keyframe_points:
                    key.co.x += frames

        def shorten() -> None:
            for curve in scenes.curves_of(armature):
                for _ in range(len(curve.keyframe_points) - 12):
                    curve.keyframe_points.remove(curve.keyframe_points[0], fast=True)

        def recipe(text: str) -> None:
            bpy.context.scene.loopwright.recipe = bpy.data.texts.new("Recipe")
            bpy.context.scene.loopwright.recipe.from_string(text)

        def chain() -> None:
            data = bpy.data.armatures.new("Chain")
            made = bpy.context.view_layer.objects.active = link(bpy.data.objects.new("Chain", data))
            bpy.ops.object.mode_set(mode="EDIT")
            for index, name in enumerate("ABC"):
                bone = data.edit_bones.new(name)
                bone.head, bone.tail = (0, 0, index), (0, 0, index + 1)
                bone.parent = data.edit_bones.get("ABC"[index - 1]) if index else None
            bpy.ops.object.mode_set(mode="OBJECT")
            made.loopwright.other = armature

        names |= {"new_object": lambda: link(bpy.data.objects.new("Box", None)), "linked": lambda: link(scenes.linked("objects", armature.name))}
        return names | {each.__name__: each for each in (link, moves, drive, strip, change, shift, shorten, recipe, chain)}

    def test_what_cannot_be_done(self) -> None:
        for change, what, remedy, operators in REFUSED:
            with self.subTest(change), mock.patch.dict(sys.modules), mock.patch.object(loopwright, "__version__", loopwright.__version__):
                self.setUp()
                exec(change, self.names(operators))
                bpy.context.view_layer.update()
                bpy.context.scene.frame_set(bpy.context.scene.frame_current)
                shown = bpy.context.view_layer.objects.active or self.armature
                before = scenes.state_of(shown) if shown.type == "ARMATURE" else None
                for name in operators:
                    with self.subTest(name), self.assertRaises(RuntimeError) as raised:
                        getattr(bpy.ops.loopwright, name)()
                    self.assertRegex(str(raised.exception), what)
                    self.assertIn(remedy, str(raised.exception))
                    self.assertNotIn("Traceback", str(raised.exception))
                self.assertEqual(scenes.state_of(shown) if before else None, before)

    def test_locked_channels_do_not_matter(self) -> None:
        for curve in scenes.curves_of(self.armature):
            curve.lock = True
        self.armature.pose.bones[0].lock_location = (True, True, True)
        bpy.ops.loopwright.make()
        self.assertNotEqual(self.armature.animation_data.action, self.action)

    def test_drivers_are_checked(self) -> None:
        self.armature.pose.bones["Spine"].driver_add("location", 0).driver.expression = "frame / 100"
        self.assertEqual(bpy.ops.loopwright.check(), {"FINISHED"})

    def test_a_strip_plays_where_no_other_does(self) -> None:
        data = self.armature.animation_data
        data.nla_tracks.new().strips.new("strip", 1, self.action)
        other = data.nla_tracks.new()
        other.strips.new("other", 1, self.action)
        other.mute, data.action = True, None
        bpy.context.scene.frame_set(1)
        before = scenes.state_of(self.armature)
        for name in ("find", "check", "make"):
            self.assertEqual(getattr(bpy.ops.loopwright, name)(), {"FINISHED"})
            if name != "make":
                self.assertIsNone(self.armature.animation_data.action)
        self.assertEqual(self.armature.animation_data.action.name, f"{self.action.name}-loop")
        bpy.ops.loopwright.reject()
        self.assertIsNone(self.armature.animation_data.action)
        self.assertEqual(scenes.state_of(self.armature)[:4], before[:4])

    @unittest.skipUnless(actions.HAS_SLOTS, "actions have no slots before 4.4")
    def test_all_actions_without_a_slot(self) -> None:
        self.armature.animation_data.action_slot = None
        with contextlib.suppress(RuntimeError):
            bpy.ops.loopwright.make_all()
