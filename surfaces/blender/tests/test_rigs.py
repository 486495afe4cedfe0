# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose deform bones follow controls through constraints and drivers: the loop is written on the controls, or on the deform bones."""

import contextlib
import io
import math
import unittest
from typing import Any
from unittest import mock

import bpy
import numpy as np
import scenes
from loopwright_blender import actions, controls, operators, pose
from mathutils import Matrix, Quaternion, Vector

SWITCH = '["IK_FK"]'


def rigged(in_ik: bool, turn_rate: float = 0) -> Any:
    """A walker as the FK controls of a rig: deform bones copy mechanism bones, and these FK controls or, for the legs, an IK chain."""
    armature = scenes.walker(turn_rate)
    names = [bone.name for bone in armature.data.bones]
    legs = {side: [f"{side}{part}" for part in ("UpLeg", "Leg", "Foot")] for side in ("Left", "Right")}
    feet = np.array([[Matrix(matrix) for matrix in _matrices(armature, frame, [legs[side][2] for side in legs])] for frame in range(1, 152)])
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones

    def like(name: str, new: str, parent: str | None, deforms: bool = False) -> None:
        bone = bones.new(new)
        bone.head, bone.tail, bone.roll = bones[name].head, bones[name].tail, bones[name].roll
        bone.parent, bone.use_deform = bones[parent] if parent else None, deforms

    for name in names:
        bones[name].use_deform = False
        above = bones[name].parent and bones[name].parent.name
        like(name, f"ORG-{name}", above and f"ORG-{above}")
        like(name, f"DEF-{name}", f"ORG-{name}", deforms=True)
    for upper, lower, foot in legs.values():
        like(upper, f"IK-{upper}", bones[upper].parent.name)
        like(lower, f"IK-{lower}", f"IK-{upper}")
        like(foot, f"{foot}_ik", None)
        # As in Rigify, toes hang from what the foot becomes.
        bones[f"{foot.removesuffix('Foot')}ToeBase"].parent = bones[f"ORG-{foot}"]
    bpy.ops.object.mode_set(mode="OBJECT")
    posed = armature.pose.bones

    def copy(bone: str, target: str, kind: str = "COPY_TRANSFORMS") -> Any:
        constraint = posed[bone].constraints.new(kind)
        constraint.target, constraint.subtarget = armature, target
        return constraint

    for name in names:
        copy(f"DEF-{name}", f"ORG-{name}")
        copy(f"ORG-{name}", name)
    for index, (upper, lower, foot) in enumerate(legs.values()):
        copy(f"IK-{lower}", f"{foot}_ik", "IK").chain_count = 2
        # Knees bend forward.
        posed[f"IK-{lower}"].rotation_quaternion = Quaternion((1, 0, 0), -0.3)
        posed[upper]["IK_FK"] = 0.0 if in_ik else 1.0
        for name, target in ((upper, f"IK-{upper}"), (lower, f"IK-{lower}"), (foot, f"{foot}_ik")):
            driver = copy(f"ORG-{name}", target).driver_add("influence").driver
            driver.type, variable = "SCRIPTED", driver.variables.new()
            variable.name, variable.targets[0].id = "fk", armature
            variable.targets[0].data_path = f'pose.bones["{upper}"]{SWITCH}'
            driver.expression = "1 - fk"
        ik = posed[f"{foot}_ik"]
        for frame, matrix in enumerate(feet[:, index], 1):
            ik.matrix_basis = ik.bone.matrix_local.inverted() @ Matrix(matrix)
            ik.keyframe_insert("location", frame=frame)
            ik.keyframe_insert("rotation_quaternion", frame=frame)
        if in_ik:
            # What the FK controls of the legs do is another motion then.
            for curve in scenes.curves_of(armature):
                if f'"{upper}"' in curve.data_path or f'"{lower}"' in curve.data_path:
                    for key in curve.keyframe_points:
                        key.co.y = 0
    # Drivers set what they drive.
    armature.update_tag()
    bpy.context.scene.frame_set(1)
    return armature


def _matrices(armature: Any, frame: int, bones: list[str]) -> list[Any]:
    bpy.context.scene.frame_set(frame)
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [evaluated.pose.bones[bone].matrix.copy() for bone in bones]


class Rigs(unittest.TestCase):
    def check(self, armature: Any, root: str, limit: float, **settings: Any) -> tuple[Any, Any]:
        loop, source = scenes.made(armature, root, **settings)
        times = np.arange(loop.num_samples + 1) / loop.fps
        worst = scenes.worst_difference(armature, loop, source, times, in_place=root == "IN_PLACE")
        self.assertLess(worst, limit)
        return loop, source

    def test_deform_bones_show_the_loop_of_the_library(self) -> None:
        for in_ik in (False, True):
            for write_to in ("CONTROLS", "BONES"):
                for root in ("BONE", "OBJECT", "NEW_BONE", "IN_PLACE") if in_ik else ("BONE",):
                    with self.subTest(write_to, in_ik=in_ik, root=root):
                        armature = rigged(in_ik)
                        _, source = self.check(armature, root, 1e-5, write_to=write_to)
                        self.assertTrue(all(name.startswith("DEF-") for name in source.recording.bones))

    def test_loops_go_on(self) -> None:
        for write_to in ("CONTROLS", "BONES"):
            for root in ("BONE", "OBJECT", "NEW_BONE"):
                for turn_rate in (0, 12):
                    with self.subTest(write_to, root=root, turn_rate=turn_rate):
                        armature = rigged(True, turn_rate)
                        loop, source = scenes.made(armature, root, write_to=write_to, straight=not turn_rate, repeats=6)
                        far = np.round(np.linspace(0, 5.9 * loop.period, 9) * loop.fps) / loop.fps
                        self.assertLess(scenes.worst_difference(armature, loop, source, far), 1e-4)
                        # What does not carry the character has one cycle.
                        bone = "LeftLeg" if write_to == "CONTROLS" else "DEF-LeftLeg"
                        keys = max(len(curve.keyframe_points) for curve in scenes.curves_of(armature) if f'"{bone}"' in curve.data_path)
                        if write_to == "CONTROLS" or root != "BONE":
                            self.assertEqual(keys, loop.num_samples + 1)

    def test_controls_get_the_keys_and_the_rig_goes_on_working(self) -> None:
        armature = rigged(True)
        before = scenes.state_of(armature)
        take = armature.animation_data.action
        bpy.context.scene.loopwright.write_to = "CONTROLS"
        self.assertEqual(bpy.ops.loopwright.make(), {"FINISHED"})
        self.assertEqual(armature.animation_data.action.name, f"{take.name}-loop")
        found = {each for curve in scenes.curves_of(armature) if (each := actions.bone_of(curve.data_path))}
        self.assertFalse([bone for bone, _ in found if bone.startswith(("DEF-", "ORG-", "IK-"))])
        self.assertFalse([channel for _, channel in found if "constraints" in channel])
        self.assertEqual(armature.pose.bones["LeftUpLeg"]["IK_FK"], 1)
        bpy.ops.loopwright.reject()
        self.assertEqual(armature.animation_data.action, take)
        self.assertEqual(scenes.state_of(armature), before)

    def test_deform_bones_get_the_keys_and_their_constraints_are_off(self) -> None:
        armature = rigged(False)
        before = scenes.state_of(armature)
        bpy.context.scene.loopwright.write_to = "BONES"
        self.assertEqual(bpy.ops.loopwright.make(), {"FINISHED"})
        self.assertEqual(armature.pose.bones["DEF-Spine"].constraints[0].influence, 0)
        bpy.ops.loopwright.reject()
        self.assertEqual(scenes.state_of(armature), before)

    def test_what_a_rig_does_not_show_exactly_is_said(self) -> None:
        armature = rigged(False)
        other = armature.loopwright.other = scenes.imported(scenes.walk(0))
        for active, name, seen in ((armature, "mirror", 1e-9), (armature, "retarget", 1e-9), (other, "make", 1), (armature, "retarget", 1e-9)):
            bpy.context.view_layer.objects.active = active
            with self.subTest(name), mock.patch.object(operators._Loopwright, "warn") as warn, mock.patch.object(pose, "_SEEN", seen):
                self.assertEqual(getattr(bpy.ops.loopwright, name)(), {"FINISHED"})
                self.assertEqual("The rig brings the bone " in " ".join(warn.call_args.args[0]), active == armature)
        self.assertTrue(armature.animation_data.action.use_cyclic, "the last was of a loop")
        self.assertFalse([curve for curve in scenes.curves_of(armature) if "DEF-" in curve.data_path])

    def test_a_rig_that_does_not_follow_is_refused(self) -> None:
        armature = rigged(False)
        armature.pose.bones["ORG-Spine"].driver_add("location", 0).driver.expression = "sin(frame) / 5"
        armature.pose.bones["ORG-Spine"].constraints[0].mute = True
        bpy.context.scene.frame_set(bpy.context.scene.frame_current)
        before = scenes.state_of(armature)
        bpy.context.scene.loopwright.root = "NEW_BONE"
        bones = len(armature.data.bones)
        for write_to, remedy in (("CONTROLS", "Choose Deform bones"), ("BONES", "Bake first")):
            bpy.context.scene.loopwright.write_to = write_to
            with self.subTest(write_to), self.assertRaisesRegex(RuntimeError, remedy):
                bpy.ops.loopwright.make()
        self.assertEqual(len(armature.data.bones), bones)
        self.assertEqual(scenes.state_of(armature), before)


class Rigify(unittest.TestCase):
    def rig(self, in_ik: bool) -> Any:
        """Rigify's human, walking by its controls."""
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                bpy.ops.preferences.addon_enable(module="rigify")
                bpy.ops.object.armature_basic_human_metarig_add()
                meta = bpy.context.object
                bpy.ops.pose.rigify_generate()
        except (AttributeError, RuntimeError) as error:
            raise unittest.SkipTest("needs Rigify") from error
        rig = bpy.context.object
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.data.objects.remove(meta)
        bpy.context.scene.render.fps = 30
        period, speed, stand = 36, 1.2, 0.6
        for frame in range(1, 181):
            at, ahead = 2 * math.pi * frame / period, speed * frame / 30
            self.key(rig, "torso", frame, at=(0.02 * math.sin(at), -ahead, 0.02 * math.cos(2 * at) - 0.06), turn=(0.02, 0.05 * math.sin(at), 0))
            self.key(rig, "chest", frame, turn=(0, 0.1 * math.sin(at + 0.5), 0))
            for side, phase in (("L", at), ("R", at + math.pi)):
                self.key(rig, f"upper_arm_fk.{side}", frame, turn=(-0.4 * math.sin(phase), 0, 0.2))
                self.key(rig, f"forearm_fk.{side}", frame, turn=(0.3, 0.1 * math.sin(phase), 0))
                if in_ik:
                    share = phase / (2 * math.pi) % 1
                    step = speed * period / 30 * stand
                    swung = 0.5 - 0.5 * math.cos(math.pi * max(share - stand, 0) / (1 - stand))
                    back = step * (0.5 - share / stand) if share < stand else step * (swung - 0.5)
                    lift = 0.1 * math.sin(math.pi * max(share - stand, 0) / (1 - stand)) ** 2
                    self.key(rig, f"foot_ik.{side}", frame, at=(0, -ahead - back, lift))
                else:
                    self.key(rig, f"thigh_fk.{side}", frame, turn=(0.45 * math.sin(phase), 0, 0))
                    self.key(rig, f"shin_fk.{side}", frame, turn=(0.5 + 0.45 * math.sin(phase + 1.9), 0, 0))
        for side in "LR":
            for limb in ("thigh", "upper_arm"):
                rig.pose.bones[f"{limb}_parent.{side}"]["IK_FK"] = 0.0 if in_ik and limb == "thigh" else 1.0
        rig.update_tag()
        return rig

    def key(self, rig: Any, name: str, frame: int, at: Any = None, turn: Any = None) -> None:
        bone = rig.pose.bones[name]
        bone.rotation_mode = "XYZ"
        if at:
            bone.location = bone.bone.matrix_local.to_3x3().inverted() @ Vector(at)
            bone.keyframe_insert("location", frame=frame)
        if turn:
            bone.rotation_euler = turn
            bone.keyframe_insert("rotation_euler", frame=frame)

    def test_the_controls_of_a_human(self) -> None:
        for in_ik, limit in ((False, 2e-4), (True, 1e-3)):
            with self.subTest(in_ik=in_ik):
                rig = self.rig(in_ik)
                loop, source = scenes.made(rig)
                self.assertEqual(rig.animation_data.action.name, f"{source.action.name}-loop")
                times = np.arange(loop.num_samples + 1) / loop.fps
                self.assertLess(scenes.worst_difference(rig, loop, source, times), limit)
                keyed = {found[0] for curve in scenes.curves_of(rig) if (found := actions.bone_of(curve.data_path)) and len(curve.keyframe_points) > 1}
                self.assertTrue({"torso", "thigh_fk.L", "shin_fk.R", "foot_fk.L", "upper_arm_fk.R", "hand_fk.L", "neck", "head"} <= keyed)
                self.assertFalse([name for name in keyed if name.startswith(("DEF-", "ORG-", "MCH-"))])
