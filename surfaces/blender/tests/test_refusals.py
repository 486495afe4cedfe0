# SPDX-License-Identifier: GPL-3.0-or-later
"""What cannot be done is said with what to do, and nothing is changed."""

import contextlib
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import bpy
import loopwright
import scenes
from loopwright_blender import actions

OPERATORS = ("find", "make", "check", "mirror")


class Refusals(unittest.TestCase):
    def setUp(self) -> None:
        self.armature = scenes.walker()
        self.action = self.armature.animation_data.action

    def refused(self, what: str, remedy: str = "", operators: tuple[str, ...] = OPERATORS, linked: bool = False) -> None:
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)
        before = None if linked else scenes.state_of(self.armature)
        for name in operators:
            with self.subTest(name), self.assertRaises(RuntimeError) as raised:
                getattr(bpy.ops.loopwright, name)()
            self.assertRegex(str(raised.exception), what)
            self.assertIn(remedy, str(raised.exception))
            self.assertNotIn("Traceback", str(raised.exception))
        if not linked:
            self.assertEqual(scenes.state_of(self.armature), before)

    def test_no_armature(self) -> None:
        bpy.context.view_layer.objects.active = None
        self.refused("No armature is active", "Click", (*OPERATORS, "make_all"))
        box = bpy.data.objects.new("Box", None)
        bpy.context.collection.objects.link(box)
        bpy.context.view_layer.objects.active = box
        self.refused("No armature is active", "Click", (*OPERATORS, "make_all"))

    def test_no_action(self) -> None:
        self.armature.animation_data.action = None
        self.refused("has no action", "Action Editor")
        self.armature.animation_data_clear()
        self.refused("has no action", "Action Editor")

    def test_an_action_without_bones(self) -> None:
        self.armature.animation_data.action = None
        self.armature.keyframe_insert("location", frame=1)
        self.armature.keyframe_insert("location", frame=50)
        self.refused("moves no bone", "keys on its bones")
        bpy.data.actions.remove(self.action)
        self.refused("No action moves bones", "Import", ("make_all",))

    def test_one_key(self) -> None:
        self.armature.animation_data.action = None
        self.armature.pose.bones[0].keyframe_insert("location", frame=5)
        self.refused("keys at one frame alone, 5", "several steps")

    def test_keys_before_frame_zero(self) -> None:
        for curve in scenes.curves_of(self.armature):
            for key in curve.keyframe_points:
                key.co.x -= 20
        self.refused("before frame 0", "start at frame 1")

    def test_muted_channels(self) -> None:
        curve = next(each for each in scenes.curves_of(self.armature) if "Spine" in each.data_path)
        curve.mute = True
        self.refused("muted", "Graph Editor")
        curve.mute = False
        curve.group.mute = True
        self.refused("muted", "Graph Editor")

    def test_locked_channels_do_not_matter(self) -> None:
        for curve in scenes.curves_of(self.armature):
            curve.lock = True
        self.armature.pose.bones[0].lock_location = (True, True, True)
        bpy.ops.loopwright.make()
        self.assertNotEqual(self.armature.animation_data.action, self.action)

    def test_scales(self) -> None:
        self.armature.scale = (0, 0, 0)
        self.refused("scale of zero", "Set its scale")
        self.armature.scale = (1, 2, 1)
        self.refused("scaled differently", "Apply its scale")
        self.armature.scale = (-1, 1, 1)
        self.refused("mirrored", "Apply its scale")
        self.armature.scale = (1, 1, 1)
        self.armature.pose.bones["Spine"].scale = (0, 0, 0)
        self.refused('"Spine" has a scale of zero', "scale keys")
        self.armature.pose.bones["Spine"].scale = (1, -1, 1)
        self.refused('"Spine" has a negative scale', "positive")

    def test_parents_that_move_and_drivers(self) -> None:
        above = bpy.data.objects.new("Above", None)
        bpy.context.collection.objects.link(above)
        above.keyframe_insert("location", frame=1)
        above.location.x = 3
        above.keyframe_insert("location", frame=100)
        self.armature.parent = above
        self.refused("moved by its parent", "bake")
        self.armature.parent = None
        self.armature.pose.bones["Spine"].driver_add("location", 0).driver.expression = "frame / 100"
        self.refused("moved by a driver", "Bake", ("make", "mirror"))
        self.assertEqual(bpy.ops.loopwright.check(), {"FINISHED"})

    def test_nla(self) -> None:
        data = self.armature.animation_data
        strip = data.nla_tracks.new().strips.new("strip", 1, self.action)
        data.action_blend_type = "ADD"
        self.refused("mixed with NLA strips", "Replace")
        data.action_blend_type = "REPLACE"
        data.action = None
        strip.scale = 2
        self.refused(f'The NLA strip "{strip.name}" changes its action', "bake")
        strip.scale = 1
        strip.action_frame_start, strip.frame_start, strip.frame_end = 1, 20, 170
        self.refused("changes its action", "bake")
        strip.frame_start, strip.frame_end = 1, 151
        strip.influence = 0.5
        strip.use_animated_influence = True
        self.refused("changes its action", "bake")
        strip.use_animated_influence = False
        strip.blend_type = "ADD"
        self.refused("changes its action", "bake")
        strip.blend_type = "REPLACE"
        other = data.nla_tracks.new()
        other.strips.new("other", 1, self.action)
        self.refused("moved by 2 NLA strips", "bake")
        other.mute = True
        self.plays_from_the_strip()

    def plays_from_the_strip(self) -> None:
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

    def test_edit_mode_and_rest_position(self) -> None:
        self.armature.data.pose_position = "REST"
        self.refused("rest position", "Pose Position")
        self.armature.data.pose_position = "POSE"
        bpy.ops.object.mode_set(mode="EDIT")
        self.refused("Edit Mode", "Pose Mode")
        bpy.ops.object.mode_set(mode="OBJECT")

    def test_linked_and_overridden_armatures(self) -> None:
        name = self.armature.name
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "library.blend")
            bpy.ops.wm.save_as_mainfile(filepath=path)
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            with bpy.data.libraries.load(path, link=True) as (_, wanted):
                wanted.objects = [name]
            linked = wanted.objects[0]
            bpy.context.collection.objects.link(linked)
            bpy.context.view_layer.objects.active = linked
            self.refused("linked from another file", "Make it local", (*OPERATORS, "make_all"), linked=True)
            override = linked.override_create()
            bpy.context.collection.objects.link(override)
            bpy.context.view_layer.objects.active = override
            self.refused("library override", "Make it local", (*OPERATORS, "make_all"), linked=True)

    def test_a_take_that_does_not_repeat(self) -> None:
        for curve in scenes.curves_of(self.armature):
            for _ in range(len(curve.keyframe_points) - 12):
                curve.keyframe_points.remove(curve.keyframe_points[0], fast=True)
        self.refused("no loop", "two cycles", ("find", "make"))

    def test_a_missing_and_another_library(self) -> None:
        with mock.patch.dict(sys.modules, {"loopwright": None}):
            self.refused("library of the add-on is missing", "Install")
        with mock.patch.object(loopwright, "__version__", "9.9.9"):
            self.refused("found 9.9.9", "Install")

    def test_a_wrong_recipe(self) -> None:
        text = bpy.data.texts.new("Recipe")
        bpy.context.scene.loopwright.recipe = text
        text.from_string("closure = [")
        self.refused('The recipe "Recipe" cannot be read', "Text Editor", ("find", "make"))
        text.clear()
        text.from_string('[closure]\nmethode = "cubic"\n')
        self.refused("methode", "", ("find", "make"))

    def test_nothing_waits(self) -> None:
        self.refused("No loop waits", "Make Loop", ("accept", "reject"))
        self.refused("nothing to show", "Check", ("show",))

    @unittest.skipUnless(actions.HAS_SLOTS, "actions have no slots before 4.4")
    def test_an_action_without_a_slot(self) -> None:
        self.armature.animation_data.action_slot = None
        self.refused("has no slot", "Choose a slot")
        with contextlib.suppress(RuntimeError):
            bpy.ops.loopwright.make_all()
