# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of one armature on another."""

import unittest

import bpy
import numpy as np
import scenes
from loopwright_blender import actions, loops, settings
from mathutils import Matrix


def heads(armature, frame: float) -> dict[str, np.ndarray]:
    return dict(zip([bone.name for bone in armature.pose.bones], scenes.shown(armature, frame)[0]))


class Retarget(unittest.TestCase):
    def setUp(self) -> None:
        self.source = scenes.walker(0)
        self.take = self.source.animation_data.action
        self.scene = bpy.context.scene

    def character(self, **options):
        """Twice as large, without an action, and the one that is active."""
        found = scenes.imported(scenes.walk(0), **{"global_scale": 0.02, "rotate_mode": "QUATERNION", **options})
        found.animation_data_clear()
        for bone in found.pose.bones:
            bone.matrix_basis = Matrix()
        found.loopwright.other = self.source
        return found

    def test_a_take_at_the_characters_size(self) -> None:
        self.scene.loopwright.origin = False
        for mode in ("QUATERNION", "AXIS_ANGLE", "ZXY"):
            with self.subTest(mode):
                character = self.character()
                for bone in character.pose.bones:
                    bone.rotation_mode = mode
                self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
                action = character.animation_data.action
                self.assertEqual(self.source.animation_data.action, self.take)
                self.assertFalse(action.use_cyclic)
                self.assertTrue(action.use_fake_user)
                self.assertEqual(action.frame_range[:], self.take.frame_range[:])
                for frame in (1, 60, 120):
                    wanted, found = heads(self.source, frame), heads(character, frame)
                    self.assertLess(max(np.abs(found[name] - 2 * wanted[name]).max() for name in found), 0.04)

    def test_a_loop_stays_one_with_each_root_motion(self) -> None:
        self.scene.loopwright.straight = True
        bpy.ops.loopwright.make()
        bpy.ops.loopwright.accept()
        loop = self.source.animation_data.action
        for root in ("BONE", "OBJECT", "IN_PLACE"):
            with self.subTest(root):
                self.scene.loopwright.root = root
                character = self.character()
                self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
                action = character.animation_data.action
                self.assertTrue(action.use_cyclic)
                self.assertEqual(action["loopwright_root_motion"], root)
                self.assertAlmostEqual(action["loopwright_period"], loop["loopwright_period"], places=6)
                self.assertAlmostEqual(action["loopwright_speed"], 2 * loop["loopwright_speed"], delta=0.02)
                first, last = action.frame_range
                self.assertEqual((first, last), tuple(loop.frame_range))
                away = 0 if root == "IN_PLACE" else np.linalg.norm(action["loopwright_velocity"]) * action["loopwright_period"]
                for frame in (first, first + 0.5 * (last - first), first + 3 * (last - first)):
                    once, again = heads(character, frame), heads(character, frame + last - first)
                    gaps = np.array([again[name] - once[name] for name in once])
                    self.assertLess(np.ptp(gaps, axis=0).max(), 1e-4)
                    self.assertAlmostEqual(np.linalg.norm(gaps[0]), away, delta=1e-4)
                self.assertEqual(any(curve.data_path == "location" for curve in scenes.curves_of(character)), root == "OBJECT")

    def test_the_soles_of_the_mesh_stand_on_the_ground(self) -> None:
        for is_skin in (True, False):
            with self.subTest(is_skin=is_skin):
                character = self.character()
                soles = [self.sole(character, side, is_skin) for side in ("Left", "Right")]
                self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
                self.assertEqual(character.data.pose_position, "POSE")
                lowest = []
                for frame in range(30, 120, 5):
                    self.scene.frame_set(frame)
                    graph = bpy.context.evaluated_depsgraph_get()
                    evaluated = [sole.evaluated_get(graph) for sole in soles]
                    lowest.append(min((each.matrix_world @ point.co).z for each in evaluated for point in each.data.vertices))
                self.assertLess(np.abs(lowest).max(), 0.03)

    def sole(self, character, side: str, is_skin: bool):
        """A thick sole below a foot, which is the whole of the mesh."""
        foot, toe = (np.array(character.matrix_world @ character.data.bones[f"{side}{name}"].head_local) for name in ("Foot", "ToeBase"))
        around = np.array([[x, y, z] for x in (-0.1, 0.1) for y in (0.15, toe[1] - foot[1] - 0.15) for z in (-foot[2], -foot[2] - 0.2)])
        mesh = bpy.data.meshes.new("Sole")
        quads = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        mesh.from_pydata([*map(tuple, foot + around)], [], quads)
        found = bpy.data.objects.new("Sole", mesh)
        bpy.context.collection.objects.link(found)
        found.parent = character
        if is_skin:
            found.matrix_parent_inverse = character.matrix_world.inverted()
            found.modifiers.new("Armature", "ARMATURE").object = character
            found.vertex_groups.new(name=f"{side}Foot").add(range(8), 1, "REPLACE")
        else:
            found.parent_type, found.parent_bone = "BONE", f"{side}Foot"
            bpy.context.view_layer.update()
            found.matrix_world = np.eye(4).tolist()
        return found

    def test_a_character_that_is_posed_moved_and_has_its_own_action(self) -> None:
        self.scene.loopwright.origin = False
        character = self.character(rotate_mode="NATIVE")
        plain = self.character()
        bpy.ops.loopwright.retarget()
        bpy.context.view_layer.objects.active = character
        bpy.ops.object.mode_set(mode="EDIT")
        character.data.edit_bones.new("Target").tail = (0, 0, 1)
        bpy.ops.object.mode_set(mode="OBJECT")
        character.location, character.rotation_euler, character.scale = (3, 2, 0), (0, 0, 1), (0.5, 0.5, 0.5)
        character.pose.bones["Head"].constraints.new("DAMPED_TRACK").target = self.source
        spine = character.pose.bones["Spine"]
        spine.scale = (1.2, 1.2, 1.2)
        spine.location = (0.1, 0, 0)
        spine.keyframe_insert("location", frame=1)
        own = character.animation_data.action
        self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
        self.assertNotEqual(character.animation_data.action, own)
        self.assertTrue(own.use_fake_user)
        for frame in (1, 100):
            wanted, found = heads(plain, frame), heads(character, frame)
            # Half as large; where it stands in the world is the take's.
            gaps = {name: found[name] - wanted[name] / 2 for name in wanted}
            self.assertLess(max(np.abs(gap).max() for gap in gaps.values()), 0.03, gaps)

    def test_other_skeletons(self) -> None:
        for name in ("ozz-pab/walk.fbx", "gltf/RobotExpressive.glb"):
            with self.subTest(name):
                source = scenes.new_scene(scenes.mocap("cmu/12_01_walk.bvh"))
                take = source.animation_data.action
                bpy.ops.loopwright.make()
                bpy.ops.loopwright.accept()
                character = scenes.imported(scenes.mocap(name))
                character.loopwright.other = source
                self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
                action = character.animation_data.action
                self.assertIn(action["loopwright_grade"], ("good", "review"))
                actions.assign(source, take, actions.slot_for(source, take))
                self.assertEqual(bpy.ops.loopwright.retarget(), {"FINISHED"})
                again = loops.read(bpy.context, character, character.animation_data.action)
                self.assertLess(np.abs(again.recording.positions).max(), 10)

    def test_the_poll_offers_other_armatures(self) -> None:
        character = self.character()
        box = bpy.data.objects.new("Box", None)
        offered = [each for each in (character, self.source, box) if settings._is_other(character.loopwright, each)]
        self.assertEqual(offered, [self.source])
