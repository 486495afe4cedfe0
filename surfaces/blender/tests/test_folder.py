# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of the takes of a folder."""

import shutil
import tempfile
import unittest
from pathlib import Path

import bpy
import loopwright
import numpy as np
import scenes
from loopwright_blender import folder


class Folder(unittest.TestCase):
    def setUp(self) -> None:
        scenes.new_scene()
        self.scene = bpy.context.scene
        self.scene.render.fps, self.scene.render.fps_base = 30, 1.001
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.scene.loopwright.folder = str(self.folder)

    def fill(self) -> None:
        """A walk in three formats, a stretch too short for a loop, a broken file, and one of another kind."""
        walk = loopwright.read(scenes.walk(0))
        shutil.copy(scenes.walk(0), self.folder / "a.bvh")
        walk.write(self.folder / "b.fbx")
        walk.write(self.folder / "c.glb")
        shutil.copy(scenes.walk(0, 0.5), self.folder / "d.BVH")
        (self.folder / "e.fbx").write_text("no FBX")
        (self.folder / "f.txt").write_text("no take")

    def refused(self, what: str, remedy: str) -> None:
        with self.assertRaises(RuntimeError) as raised:
            bpy.ops.loopwright.folder()
        self.assertRegex(str(raised.exception), what)
        self.assertIn(remedy, str(raised.exception))
        self.assertNotIn("Traceback", str(raised.exception))

    def test_each_format_gives_the_same_loop_at_the_rate_of_the_scene(self) -> None:
        self.fill()
        self.assertEqual(bpy.ops.loopwright.folder(), {"FINISHED"})
        self.assertAlmostEqual(self.scene.render.fps / self.scene.render.fps_base, 30 / 1.001, places=4)
        armatures = [each for each in bpy.data.objects if each.type == "ARMATURE"]
        made = sorted((each.animation_data.action for each in armatures), key=lambda action: action.name)
        self.assertEqual([action.name for action in made], ["a-loop", "b-loop", "c-loop"])
        for action in made:
            self.assertTrue(action.use_cyclic)
            self.assertAlmostEqual(action["loopwright_period"], 35 / 30, delta=0.04)
            self.assertAlmostEqual(action["loopwright_speed"], made[0]["loopwright_speed"], delta=0.02)
        self.assertEqual(sorted(action.name for action in bpy.data.actions), ["a", "a-loop", "b", "b-loop", "c", "c-loop"])
        self.assertEqual(len(bpy.data.armatures), 3)
        size = [np.ptp(scenes.shown(each, 1)[0][:, 1]) for each in armatures]
        self.assertLess(np.ptp(size), 0.02)

    def test_what_became_of_each_file(self) -> None:
        self.fill()
        work = folder.open_folder(self.scene.loopwright)
        said = []
        while work.waiting:
            said.append(work.status)
            work.step(bpy.context)
        self.assertIn("d.BVH (4 of 5)", said[3])
        self.assertEqual(work.made, 3)
        self.assertRegex("\n".join(work.none), "^d.BVH: ")
        self.assertRegex("\n".join(work.failed), "^e.fbx: It cannot be imported: ")
        self.assertEqual(work.report(), "3 loops made of 5 files, 1 without a loop, 1 failed")

    def test_nothing_is_left_of_files_without_a_loop(self) -> None:
        armature = scenes.walker()
        (self.folder / "broken.bvh").write_text("HIERARCHY\nROOT")
        loopwright.read(scenes.walk(0, 0.5)).write(self.folder / "short.glb")
        self.scene = bpy.context.scene
        self.scene.loopwright.folder = str(self.folder)
        before, blocks = scenes.state_of(armature), folder._datablocks()
        self.refused("No loop was made of 2 files. broken.bvh: ", "")
        self.assertEqual(scenes.state_of(armature), before)
        self.assertEqual(folder._datablocks(), blocks)
        self.assertEqual(bpy.context.view_layer.objects.active, armature)

    def test_folders_without_takes(self) -> None:
        self.refused("holds no BVH, FBX or GLB files", "Choose the one")
        self.scene.loopwright.folder = str(self.folder / "none")
        self.refused("cannot be read", "Choose another")
        self.scene.loopwright.folder = ""
        self.refused("No folder is chosen", "Choose one")
