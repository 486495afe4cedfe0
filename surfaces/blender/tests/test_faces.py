# SPDX-License-Identifier: GPL-3.0-or-later
"""Shape keys that are animated with a take loop with it."""

import unittest
from typing import Any

import bpy
import numpy as np
import scenes
from loopwright_blender import actions, faces, loops


class Faces(unittest.TestCase):
    def setUp(self) -> None:
        self.armature = scenes.walker(0)
        self.take = self.armature.animation_data.action
        self.mesh = self.face(self.armature)
        self.key = self.mesh.data.shape_keys
        self.face_take = self.key.animation_data.action
        self.scene = bpy.context.scene

    def face(self, armature: Any, name: str = "Face", skinned: bool = False) -> Any:
        """A mesh of the armature: one shape moves with the steps, one drifts, one does not move."""
        data = bpy.data.meshes.new(name)
        data.from_pydata([(0, 0, 1), (0.1, 0, 1), (0, 0.1, 1)], [], [(0, 1, 2)])
        mesh = bpy.data.objects.new(name, data)
        bpy.context.collection.objects.link(mesh)
        if skinned:
            mesh.vertex_groups.new(name="Head").add([0, 1, 2], 1, "REPLACE")
            mesh.modifiers.new("Armature", "ARMATURE").object = armature
        mesh.parent = armature
        mesh.shape_key_add(name="Basis")
        for index, shape in enumerate(("Smile", "Drift", "Still")):
            block = mesh.shape_key_add(name=shape)
            block.data[0].co.z += 0.1 * (index + 1)
        blocks = data.shape_keys.key_blocks
        for frame in range(1, 152):
            for shape, value in (("Smile", 0.6 + 0.6 * np.sin(2 * np.pi * frame / 35)), ("Drift", frame / 200)):
                blocks[shape].value = value
                blocks[shape].keyframe_insert("value", frame=frame)
        blocks["Still"].value = 0.3
        return mesh

    def shown(self, frame: float) -> Any:
        self.scene.frame_set(int(frame), subframe=frame % 1)
        evaluated = self.mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
        return np.array([block.value for block in evaluated.data.shape_keys.key_blocks])[1:]

    def test_they_show_what_the_library_closes(self) -> None:
        source = loops.read(bpy.context, self.armature, self.take)
        loop = loops.make(source, self.scene.loopwright)
        recorded = np.array([self.shown(source.recording.first + frame) for frame in range(source.take.num_frames)])
        self.assertEqual(bpy.ops.loopwright.make(), {"FINISHED"})
        made = self.key.animation_data.action
        self.assertEqual(made.name, f"{self.take.name}-loop-Face")
        self.assertTrue(made.use_cyclic and made.use_fake_user and self.face_take.use_fake_user)
        wanted = loop.looped_along(recorded)
        start, count = self.armature.animation_data.action.frame_start, loop.num_samples
        step = source.recording.fps / loop.fps
        found = np.array([self.shown(start + sample * step) for sample in range(3 * count)])
        self.assertLess(np.abs(found - np.tile(wanted, (3, 1))).max(), 1e-5)
        self.assertTrue(0 <= found.min() and found.max() <= 1, "within the sliders")
        self.assertGreater(np.ptp(found[:, 0]), 0.8)
        # No step over the seam.
        self.assertLess(np.abs(np.diff(found[:, 1])).max(), 0.08)

    def test_accept_and_reject_go_with_the_body(self) -> None:
        key, take = self.key, self.face_take
        self.scene.frame_set(40)
        values = [block.value for block in self.key.key_blocks]
        names = sorted(action.name for action in bpy.data.actions)
        bpy.ops.loopwright.make()
        self.assertNotEqual(key.animation_data.action, take)
        bpy.ops.loopwright.reject()
        self.assertEqual(key.animation_data.action, take)
        if actions.HAS_SLOTS:
            self.assertTrue(key.animation_data.action_slot)
        self.assertEqual(sorted(action.name for action in bpy.data.actions), names)
        self.assertEqual([block.value for block in key.key_blocks], values)
        bpy.ops.loopwright.make()
        made = key.animation_data.action
        bpy.ops.loopwright.accept()
        self.assertEqual(key.animation_data.action, made)

    def test_what_does_not_belong_to_the_take_stays(self) -> None:
        for name, low in (("later", 500), ("other", 1)):
            with self.subTest(name):
                for curve in actions.curves(self.face_take, self.face_take.slots[0] if actions.HAS_SLOTS else None):
                    times = actions.times_of([curve])
                    for key in curve.keyframe_points:
                        key.co.x += low - times[0]
                if name == "other":
                    self.mesh.parent = None
                bpy.ops.loopwright.make()
                self.assertEqual(self.key.animation_data.action, self.face_take)
                bpy.ops.loopwright.reject()

    def test_a_mesh_that_is_gone(self) -> None:
        bpy.ops.loopwright.make()
        bpy.data.meshes.remove(self.mesh.data)
        self.assertEqual(bpy.ops.loopwright.reject(), {"FINISHED"})
        self.assertEqual(self.armature.animation_data.action, self.take)
        self.assertFalse([each for each in bpy.data.actions if "-loop" in each.name])

    def test_make_all(self) -> None:
        other = self.take.copy()
        other.name = "Other"
        bpy.ops.loopwright.make_all()
        self.assertEqual(self.key.animation_data.action, self.face_take)
        made = faces.of(bpy.data.actions[f"{self.take.name}-loop"])
        self.assertEqual([each.name for each in made], [f"{self.take.name}-loop-Face"])
        self.assertFalse(faces.of(bpy.data.actions["Other-loop"]), "it is not the action with which the face plays")
