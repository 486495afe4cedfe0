# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender shows of a loop are the library's own samples of it, whatever the rig."""

import unittest

import bpy
import loopwright
import numpy as np
import scenes
from loopwright_blender import actions, loops, rotations
from mathutils import Euler, Quaternion

ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


class Rotations(unittest.TestCase):
    def setUp(self) -> None:
        # A random walk, so that neighbours are near, through all of space.
        steps = np.random.default_rng(1).normal(size=(2000, 3)) * 0.1
        turn, found = Quaternion(), []
        for step in steps:
            turn = (turn @ Quaternion(step, float(np.linalg.norm(step)))).normalized()
            found.append(turn.to_matrix())
        self.matrices = np.array(found, float)

    def test_every_mode_is_blenders_and_continuous(self) -> None:
        for mode in ("QUATERNION", "AXIS_ANGLE", *ORDERS):
            with self.subTest(mode):
                _, values = rotations.channels_of(self.matrices, mode)
                if mode == "QUATERNION":
                    back = [Quaternion(value) for value in values]
                elif mode == "AXIS_ANGLE":
                    back = [Quaternion(value[1:], value[0]) for value in values]
                else:
                    back = [Euler(value, mode) for value in values]
                self.assertLess(np.abs(np.array([each.to_matrix() for each in back]) - self.matrices).max(), 3e-6)
                # Euler angles are fast near their lock, but never by a whole turn.
                jump = np.abs(np.diff(values, axis=0)).max()
                self.assertLess(jump, 0.5 if mode == "QUATERNION" else 3.2)

    def test_a_middle_axis_at_a_right_angle(self) -> None:
        for order in ORDERS:
            for angle in (np.pi / 2, -np.pi / 2):
                angles = [0.3, 0.3, 0.3]
                angles["XYZ".index(order[1])] = angle
                matrix = np.array(Euler(angles, order).to_matrix(), float)
                _, values = rotations.channels_of(matrix[None], order)
                self.assertLess(np.abs(np.array(Euler(values[0], order).to_matrix()) - matrix).max(), 2e-6)


class Poses(unittest.TestCase):
    def check(self, armature, root="BONE", **settings) -> None:
        loop, source = scenes.made(armature, root, **settings)
        times = np.arange(loop.num_samples + 1) / loop.fps
        if root == "IN_PLACE" or np.abs(loop.twist[1]).max() < 1e-6:
            # Over the second seam too.
            times = np.concatenate([times, np.arange(2 * loop.num_samples - 3, 2 * loop.num_samples + 4) / loop.fps])
        size = max(1.0, np.abs(loop.positions).max())
        worst = scenes.worst_difference(armature, loop, source, times, in_place=root == "IN_PLACE")
        self.assertLess(worst, 1e-5 * size)

    def test_the_take_is_that_of_the_library(self) -> None:
        armature = scenes.walker()
        take = loops.read(bpy.context, armature, armature.animation_data.action).take
        theirs = loopwright.read(scenes.walk())
        self.assertEqual(take.names, theirs.names)
        self.assertLess(np.abs(take.positions - theirs.positions).max(), 2e-5)
        turned = np.abs((take.world_rotations() * theirs.world_rotations()).sum(-1))
        self.assertGreater(turned.min(), 1 - 1e-6)

    def test_each_rotation_mode(self) -> None:
        for mode in ("QUATERNION", "NATIVE", *ORDERS):
            with self.subTest(mode):
                self.check(scenes.walker(rotate_mode=mode))

    def test_each_root(self) -> None:
        for turn_rate in (0, 12):
            for root in ("BONE", "OBJECT", "NEW_BONE", "IN_PLACE"):
                with self.subTest(root, turn_rate=turn_rate):
                    self.check(scenes.walker(turn_rate), root, straight=not turn_rate)

    def test_turned_scaled_and_parented_objects(self) -> None:
        for root in ("BONE", "OBJECT", "NEW_BONE", "IN_PLACE"):
            for mode in ("XYZ", "QUATERNION", "AXIS_ANGLE"):
                with self.subTest(root, mode=mode):
                    armature = scenes.walker()
                    above = bpy.data.objects.new("Above", None)
                    bpy.context.collection.objects.link(above)
                    above.location, above.rotation_euler, above.scale = (1, 2, 3), (0, 0, 0.7), (1.5, 1.5, 1.5)
                    armature.parent = above
                    armature.rotation_mode = mode
                    armature.location, armature.scale = (0.5, -1, 0), (0.8, 0.8, 0.8)
                    armature.rotation_euler = (0, 0, 2)
                    armature.rotation_axis_angle = (2, 0, 0, 1)
                    armature.rotation_quaternion = Quaternion((0, 0, 1), 2)
                    self.check(armature, root)

    def test_an_object_that_is_animated(self) -> None:
        armature = scenes.walker()
        slot = actions.slot_for(armature, armature.animation_data.action)
        for frame, at in ((1, 0.0), (150, 2.0)):
            armature.location = (at, 0, 0)
            armature.keyframe_insert("location", frame=frame)
        self.assertTrue(slot is None or slot == actions.slot_for(armature, armature.animation_data.action))
        self.check(armature)
        self.check(armature)
