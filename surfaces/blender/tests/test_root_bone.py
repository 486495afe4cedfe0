# SPDX-License-Identifier: GPL-3.0-or-later
"""A root bone that is added, and carries the character."""

import unittest

import bpy
import numpy as np
import scenes
from loopwright_blender import actions, pose
from loopwright_blender.rotations import matrices_of, to_z_up


class RootBone(unittest.TestCase):
    def setUp(self) -> None:
        self.armature = scenes.walker()
        self.take = self.armature.animation_data.action
        self.scene = bpy.context.scene
        self.scene.loopwright.root = "NEW_BONE"

    def back_to_the_take(self) -> None:
        actions.assign(self.armature, self.take, actions.slot_for(self.armature, self.take))

    def test_it_stands_on_the_ground_and_faces_forward(self) -> None:
        self.armature.rotation_euler, self.armature.location, self.armature.scale = (0.5, 0, 1), (1, 2, 3), (2, 2, 2)
        loop, source = scenes.made(self.armature, "NEW_BONE", origin=False)
        root = self.armature.pose.bones["root"]
        self.assertEqual([bone.name for bone in self.armature.pose.bones if bone.parent is None], ["root"])
        index = self.armature.pose.bones.find("root")
        for frame in (0, 10, 30):
            points, turns = loop.root(frame / loop.fps, scalar_first=True)
            heads, found = scenes.shown(self.armature, self.scene.frame_start + frame)
            self.assertLess(np.abs(heads[index] - points).max(), 1e-4)
            self.assertLess(np.abs(found[index] - to_z_up(matrices_of(turns))).max(), 1e-4)
        moving = [each.data_path for each in scenes.curves_of(self.armature) if "Hips" in each.data_path and each.data_path.endswith("location")]
        self.assertTrue(moving)
        self.assertFalse(root.bone.use_deform)

    def test_what_is_rejected_leaves_no_bone_and_one_that_was_there(self) -> None:
        before, bones = scenes.state_of(self.armature), [bone.name for bone in self.armature.data.bones]
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.loopwright.make()
        self.assertEqual(self.armature.mode, "POSE")
        self.assertIn("root", self.armature.data.bones)
        bpy.ops.loopwright.reject()
        self.assertEqual(self.armature.mode, "POSE")
        bpy.ops.object.mode_set(mode="OBJECT")
        self.assertEqual([bone.name for bone in self.armature.data.bones], bones)
        self.assertEqual([bone.name for bone in self.armature.data.bones if bone.parent is None], [bones[0]])
        self.assertEqual(scenes.state_of(self.armature), before)
        bpy.ops.loopwright.make()
        bpy.ops.loopwright.accept()
        self.back_to_the_take()
        bpy.ops.loopwright.make()
        bpy.ops.loopwright.reject()
        self.assertEqual([bone.name for bone in self.armature.data.bones if bone.parent is None], ["root"])

    def test_one_bone_for_all_actions(self) -> None:
        self.take.copy().name = "Other"
        self.assertEqual(bpy.ops.loopwright.make_all(), {"FINISHED"})
        roots = [bone.name for bone in self.armature.data.bones if bone.name.startswith("root")]
        self.assertEqual(roots, ["root"])

    def test_another_bone_of_that_name_stays(self) -> None:
        self.armature.data.bones["Spine"].name = "root"
        bpy.ops.loopwright.make()
        self.assertEqual(pose.root_bone(self.armature).name, "root.001")
        self.assertEqual(self.armature.pose.bones["root"].parent.name, "Hips")
