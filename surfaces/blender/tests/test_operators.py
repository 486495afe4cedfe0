# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators: what they leave behind, and that it lasts."""

import tempfile
import unittest
from pathlib import Path
from types import MethodType, SimpleNamespace
from unittest import mock

import bpy
import numpy as np
import scenes
from loopwright_blender import actions, loops, operators
from loopwright_blender.settings import CLOSURES, ENGINES, FEET


class Operators(unittest.TestCase):
    def setUp(self) -> None:
        self.armature = scenes.walker()
        self.take = self.armature.animation_data.action
        self.scene = bpy.context.scene

    def test_find_lists_loops_and_shows_the_recommended_one(self) -> None:
        before = scenes.state_of(self.armature)[:6]
        self.assertEqual(bpy.ops.loopwright.find(), {"FINISHED"})
        self.assertEqual(scenes.state_of(self.armature)[:6], before)
        row = self.armature.loopwright.loops[0]
        self.assertIn(row.grade, ("good", "review"))
        self.assertTrue(row.reason)
        self.assertTrue(self.scene.use_preview_range)
        self.assertEqual(self.scene.frame_preview_start, round(row.start))
        self.assertEqual(self.scene.frame_preview_end, round(row.end) - 1)
        self.assertEqual(self.scene.timeline_markers["Loop start"].frame, round(row.start))
        # Another row moves them, and adds none.
        other = self.armature.loopwright.loops.add()
        other.start, other.end = 500, 540
        self.armature.loopwright.chosen = len(self.armature.loopwright.loops) - 1
        self.assertEqual((self.scene.frame_preview_start, self.scene.frame_preview_end), (500, 539))
        self.assertEqual(len(self.scene.timeline_markers), 2)

    def test_what_is_posed_without_a_key_stays(self) -> None:
        self.armature.pose.bones[0].location.x = 5
        bpy.ops.loopwright.find()
        self.assertEqual(self.armature.pose.bones[0].location.x, 5)

    def test_make_writes_an_action_that_repeats(self) -> None:
        keys = scenes.state_of(self.armature)[1]
        bpy.ops.loopwright.find()
        row = self.armature.loopwright.loops[0]
        self.assertEqual(bpy.ops.loopwright.make(), {"FINISHED"})
        loop = self.armature.animation_data.action
        self.assertNotEqual(loop, self.take)
        self.assertAlmostEqual(loop["loopwright_period"], row.seconds, delta=0.04)
        self.assertTrue(loop.use_cyclic and loop.use_frame_range and loop.use_fake_user and self.take.use_fake_user)
        for curve in scenes.curves_of(self.armature):
            self.assertEqual({key.interpolation for key in curve.keyframe_points}, {"LINEAR"})
            self.assertEqual([modifier.type for modifier in curve.modifiers], ["CYCLES"])
        self.assertEqual((self.scene.frame_preview_start, self.scene.frame_preview_end), (1, round(loop.frame_end) - 1))
        self.assertAlmostEqual(np.linalg.norm(loop["loopwright_velocity"]), loop["loopwright_speed"], delta=0.01)
        self.assertLess(loop["loopwright_velocity"][1], 0, "forward is -Y")
        actions.assign(self.armature, self.take, actions.slot_for(self.armature, self.take))
        self.assertEqual(scenes.state_of(self.armature)[1], keys)

    def test_what_is_rejected_leaves_nothing(self) -> None:
        before = scenes.state_of(self.armature)
        self.scene.loopwright.root = "OBJECT"
        bpy.ops.loopwright.make()
        self.scene.frame_set(20)
        self.assertEqual(bpy.ops.loopwright.reject(), {"FINISHED"})
        self.assertEqual(scenes.state_of(self.armature), before)

    def test_a_list_of_another_action_is_not_followed(self) -> None:
        bpy.ops.loopwright.find()
        for curve in scenes.curves_of(self.armature):
            for key in curve.keyframe_points:
                key.co.x += 7
        bpy.ops.loopwright.make()
        self.assertEqual(self.armature.animation_data.action["loopwright_grade"], "good")

    def test_what_is_accepted_stays(self) -> None:
        bpy.ops.loopwright.make()
        loop = self.armature.animation_data.action
        self.assertEqual(bpy.ops.loopwright.accept(), {"FINISHED"})
        self.assertEqual(self.armature.animation_data.action, loop)
        with self.assertRaisesRegex(RuntimeError, "No loop waits"):
            bpy.ops.loopwright.reject()

    def test_a_straight_walk_goes_on(self) -> None:
        self.scene.loopwright.straight = True
        for turn_rate, root in ((0, "BONE"), (0, "OBJECT"), (0, "NEW_BONE")):
            armature = scenes.walker(turn_rate)
            loop, source = scenes.made(armature, root, straight=True)
            far = np.linspace(0, 10 * loop.period, 9)
            self.assertLess(scenes.worst_difference(armature, loop, source, np.round(far * loop.fps) / loop.fps), 1e-4)

    def test_a_turning_walk_goes_on_around_its_circle(self) -> None:
        for root in ("BONE", "OBJECT", "NEW_BONE"):
            with self.subTest(root):
                armature = scenes.walker(12)
                bpy.context.scene.loopwright.repeats = 4
                loop, source = scenes.made(armature, root)
                samples = np.array([0, 11, loop.num_samples - 1])
                times = np.concatenate([(samples + cycle * loop.num_samples) / loop.fps for cycle in range(4)])
                self.assertLess(scenes.worst_difference(armature, loop, source, times), 1e-5)
                # By hand: what the root does in a cycle, as often as there were cycles.
                start, end = loops._roots(loop, np.array([0, loop.period]))
                on = np.linalg.matrix_power(end @ np.linalg.inv(start), 3)
                once, later = (scenes.shown(armature, 12 + cycle * loop.num_samples)[0] for cycle in (0, 3))
                self.assertLess(np.abs(later - (once @ on[:3, :3].T + on[:3, 3])).max(), 1e-5)
                # One cycle is what is read and repeats; then it starts again.
                action = armature.animation_data.action
                self.assertEqual(action.frame_end - action.frame_start, loop.num_samples)
                again = loops.read(bpy.context, armature, action)
                self.assertEqual(again.take.num_frames, loop.num_samples + 1)
                first, after = (scenes.shown(armature, 12 + cycle * loop.num_samples)[0] for cycle in (0, 4))
                self.assertLess(np.abs(after - first).max(), 1e-5)

    def test_make_all(self) -> None:
        other = self.take.copy()
        other.name = "Other"
        still = bpy.data.actions.new("Still")
        before = scenes.state_of(self.armature)
        self.assertEqual(bpy.ops.loopwright.make_all(), {"FINISHED"})
        self.assertEqual(self.armature.animation_data.action, self.take)
        names = {action.name for action in bpy.data.actions}
        self.assertEqual(names - {*before[2]}, {f"{self.take.name}-loop", "Other-loop"})
        self.assertFalse(still.use_fake_user)
        after = scenes.state_of(self.armature)
        self.assertEqual(after[:2] + after[3:], before[:2] + before[3:])
        # Loops are none of the takes of the next run.
        bpy.ops.loopwright.make_all()
        self.assertFalse([action.name for action in bpy.data.actions if action.name.endswith("-loop-loop")])

    def test_all_actions_in_the_background(self) -> None:
        self.take.copy().name = "Other"
        short = self.take.copy()
        short.name = "Short"
        for curve in actions.curves(short, actions.slot_for(self.armature, short)):
            for _ in range(len(curve.keyframe_points) - 12):
                curve.keyframe_points.remove(curve.keyframe_points[0], fast=True)
        run = operators.MakeAll
        timer, escape = (SimpleNamespace(type=kind, value="PRESS") for kind in ("TIMER", "ESC"))
        for events, said in (
            ([timer, escape], "1 loop made of 1 action; stopped before Short"),
            ([timer] * 3, "2 loops made of 3 actions, 1 without a loop"),
        ):
            with self.subTest(said):
                work = run.open(mock.Mock(bl_label=run.bl_label), bpy.context)
                running = SimpleNamespace(work=work, report=mock.Mock(), cancel=mock.Mock(), warn=mock.Mock())
                for name in ("told", "attempt", "finish"):
                    setattr(running, name, MethodType(getattr(run, name), running))
                self.assertEqual(running.work.status, "Make All Actions: Other (1 of 3)    Esc: stop")
                outcomes = [run.modal(running, bpy.context, event) for event in events]
                self.assertEqual(outcomes, [{"RUNNING_MODAL"}] * (len(events) - 1) + [{"FINISHED"}])
                running.cancel.assert_called_once()
                running.report.assert_called_once_with({"INFO"}, said)
                self.assertIn("Other-loop", bpy.data.actions)
                self.assertEqual(self.armature.animation_data.action, self.take)

    def test_check_names_what_shows_and_leads_there(self) -> None:
        bpy.ops.loopwright.check()
        state = self.armature.loopwright
        self.assertIn(": bad, ", state.verdict)
        index = next(index for index, finding in enumerate(state.findings) if finding.bone and finding.frame > 0)
        self.assertEqual(bpy.ops.loopwright.show(index=index), {"FINISHED"})
        self.assertEqual(self.armature.data.bones.active.name, state.findings[index].bone)
        bpy.ops.loopwright.make()
        bpy.ops.loopwright.check()
        self.assertIn(": good, ", state.verdict)

    def test_mirror(self) -> None:
        source = loops.read(bpy.context, self.armature, self.take)
        self.assertEqual(bpy.ops.loopwright.mirror(), {"FINISHED"})
        mirrored = loops.read(bpy.context, self.armature, self.armature.animation_data.action)
        names = source.recording.names
        left, right = names.index("LeftFoot"), names.index("RightFoot")
        heights = source.recording.positions[..., 1], mirrored.recording.positions[..., 1]
        self.assertLess(np.abs(heights[0][:, left] - heights[1][:, right]).max(), 0.01)
        bpy.ops.loopwright.mirror()
        twice = loops.read(bpy.context, self.armature, self.armature.animation_data.action)
        self.assertLess(np.abs(twice.recording.positions - source.recording.positions).max(), 1e-4)

    def test_settings_and_a_recipe(self) -> None:
        text = bpy.data.texts.new("Recipe")
        text.from_string('[closure]\nmethod = "cubic"\n[output]\nlock-feet = "off"\n')
        settings = self.scene.loopwright
        settings.recipe = text
        loop, _ = scenes.made(self.armature, blend=0.2)
        self.assertEqual(loop.facts["closure"]["method"], "cubic")
        self.assertAlmostEqual(loop.facts["closure"]["blend_start_secs"], 0.2)
        self.assertFalse(loop.facts["feet"]["held"])
        actions.assign(self.armature, self.take, actions.slot_for(self.armature, self.take))
        settings.recipe, source = None, loops.read(bpy.context, self.armature, self.take)
        for name, items in (("closure", CLOSURES), ("engine", ENGINES), ("feet", FEET)):
            for value, *_ in reversed(items):
                setattr(settings, name, value)
                self.assertIn(loops.make(source, settings).grade, ("good", "review", "bad"))

    def test_engines_leave_the_root_motion_as_chosen(self) -> None:
        loop, _ = scenes.made(self.armature, engine="three")
        self.assertGreater(np.linalg.norm(loop.twist[0]), 1)

    def test_a_file_keeps_the_loop(self) -> None:
        loop, source = scenes.made(self.armature)
        times = np.arange(loop.num_samples) / loop.fps
        name, armature = self.armature.animation_data.action.name, self.armature.name
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "scene.blend")
            bpy.ops.wm.save_as_mainfile(filepath=path)
            bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
            bpy.ops.wm.open_mainfile(filepath=path)
        again = bpy.data.objects[armature]
        self.assertEqual(again.animation_data.action.name, name)
        self.assertIn("loopwright_grade", again.animation_data.action)
        self.assertLess(scenes.worst_difference(again, loop, source, times), 1e-5 * 5)
        if actions.HAS_SLOTS:
            self.assertTrue(again.animation_data.action_slot)
        self.assertIn("walk", " ".join(action.name for action in bpy.data.actions if action.users or action.use_fake_user))

    @unittest.skipUnless(actions.HAS_SLOTS, "actions have no slots before 4.4")
    def test_slots_of_others_are_left_alone(self) -> None:
        box = bpy.data.objects.new("Box", None)
        bpy.context.collection.objects.link(box)
        box.animation_data_create().action = self.take
        slot = self.take.slots.new(id_type="OBJECT", name="Box")
        box.animation_data.action_slot = slot
        box.keyframe_insert("location", frame=9999)
        source = loops.read(bpy.context, self.armature, self.take)
        self.assertLess(source.take.num_frames, 9999)
        scenes.made(self.armature)
        self.assertEqual(len(self.armature.animation_data.action.slots), 1)
        self.assertEqual(box.animation_data.action, self.take)
