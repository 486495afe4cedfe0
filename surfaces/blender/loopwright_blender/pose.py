# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of armatures: the evaluated ones read into arrays, and arrays written as actions.

Arrays are in the world, in metres, with +Y up. A joint stands where its bone's head is, and is turned by what turns the bone in the world away
from its rest, so that joints at rest have no rotation, however bones are rolled.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Context, Object
from mathutils import Matrix

from . import actions, controls, rotations
from .refusal import NoLoop, Refusal
from .rotations import TO_Y_UP, Floats

# The custom property of a root bone that was added.
_ROOT = "loopwright_root"
# Positions of joints that differ by less, of the size of the body, do not move: single precision.
_STILL = 2e-6
# And so much is noise in a bone's own location.
_NOISE = 2e-7
# Where a rig shows a loop, of the size of the body: so near is exact, so far is said, and so far is refused.
_EXACT, _SEEN, _OFF = 2e-6, 1e-3, 1e-2
# A control that is moved by less has come to its place.
_SETTLED = 1e-4
# Rounds of correction of controls; most rigs need two.
_ROUNDS = 24


@dataclass
class Recording:
    """The motion of an armature over even frames, and what is needed to write another for it.

    Joints are all bones, or the deform bones of a rig that has controls.
    """

    owner: Object
    # The first frame, and the scene's frames per second.
    first: int
    fps: float
    # Joints, parents before their children. The first one is the object itself where several bones have no parent.
    names: list[str]
    parents: list[int]
    has_object_joint: bool
    offsets: Floats
    tips: Floats
    positions: Floats
    rotations: Floats
    # Bones at rest in the world, at the first frame, in Blender's axes.
    rest_turns: Floats
    # The object at the first frame: what its parents do, and what its own channels do.
    outer: Floats
    basis: Floats
    # Of the first frame: lengths of the bones' axes in the world, and the scales of their channels.
    bone_scales: Floats
    channel_scales: Floats
    # Whether other bones move the joints, by constraints; and whether these are to be written.
    is_rig: bool
    on_controls: bool
    # Channels that the action has.
    object_channels: set[str]
    scaled_bones: set[str]
    moved_bones: set[str]
    # Rigs that were studied, by the names of their armatures, and what is to be said of what was written.
    rigs: dict[str, controls.Rig] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)

    @property
    def bones(self) -> list[str]:
        """Names of the bones, without the joint that stands for the object."""
        return self.names[1:] if self.has_object_joint else self.names


def read(context: Context, owner: Object, action: Action) -> Recording:
    """The motion of the object's action, which must be the one that moves it, over the frames that have keys."""
    all_curves = actions.curves(action, actions.slot_for(owner, action))
    moving = _checked_curves(owner, action, all_curves)
    times = actions.times_of(moving)
    if action.use_frame_range and action.use_cyclic:
        # A bone that carries the root around a circle has keys beyond the first cycle.
        within = times[(times > action.frame_start - 1e-3) & (times < action.frame_end + 1e-3)]
        times = within if len(within) else times
    if len(times) < 2:
        raise NoLoop(
            f'"{action.name}" has keys at one frame alone, {times[0]:g}', "A loop needs an action of several steps: choose another in the Dope Sheet"
        )
    if times[0] < 0:
        raise Refusal(
            f'"{action.name}" has keys before frame 0, from {times[0]:g}, which Blender does not play',
            "Move its keys in the Dope Sheet, so that they start at frame 1",
        )
    first, last = int(np.ceil(times[0])), int(np.floor(times[-1]))
    if last - first < 2:
        raise NoLoop(f'"{action.name}" is {times[-1] - times[0]:g} frames long', "A loop needs a longer action: choose another in the Dope Sheet")

    return _record(context, owner, all_curves, np.arange(first, last + 1))


def at_rest(context: Context, owner: Object, first: int, frames: int) -> Recording:
    """The armature in its rest pose where it stands, a recording of one frame, for which so many frames are to be written."""
    data = owner.animation_data
    action = data.action if data else None
    all_curves = actions.curves(action, actions.slot_for(owner, action)) if action else []
    found = _record(context, owner, all_curves, np.arange(first, first + frames), in_rest=True)
    bones = [owner.pose.bones[bone] for bone in found.bones]
    # Changes by the pose or by strips of the NLA would stay.
    has_strips = bool(actions.strips(owner))
    found.scaled_bones |= {bone.name for bone in bones if has_strips or any(abs(scale - 1) > 1e-6 for scale in bone.scale)}
    found.moved_bones |= {bone.name for bone in bones if has_strips}
    return found


def _watch(context: Context, owner: Object, bones: list[Any], frames: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """At some frames poses of the bones in the armature, the object in the world and as its own channels have it, and scales of bones at the first frame."""
    scene, count = context.scene, len(bones)
    poses = np.empty((len(frames), count, 4, 4), np.float32)
    worlds = np.empty((len(frames), 4, 4))
    bases = np.empty((len(frames), 4, 4))
    at = np.array([owner.pose.bones.find(bone.name) for bone in bones])
    frame_before = scene.frame_current, scene.frame_subframe
    # Another frame takes away what was posed and has no key yet.
    with unchanged(owner):
        if root := root_bone(owner):
            # Where the action has no keys for it, another one left it somewhere.
            root.matrix_basis = Matrix()
        try:
            for index, frame in enumerate(frames):
                scene.frame_set(int(frame), subframe=float(frame % 1))
                evaluated = owner.evaluated_get(context.evaluated_depsgraph_get())
                poses[index] = controls.poses_of(context, owner)[at]
                worlds[index] = evaluated.matrix_world
                bases[index] = evaluated.matrix_basis
                if index == 0:
                    channel_scales = np.array([evaluated.pose.bones[bone.name].scale for bone in bones])
        finally:
            scene.frame_set(frame_before[0], subframe=frame_before[1])
    return poses, worlds, bases, channel_scales


def _record(context: Context, owner: Object, all_curves: list[Any], frames: Floats, in_rest: bool = False) -> Recording:
    """The bones whose motion counts at some frames; or in the rest pose, at the first of these."""
    scene, (bones, parents) = context.scene, _joints(owner)
    poses, worlds, bases, channel_scales = _watch(context, owner, bones, frames)
    _check_object(owner, all_curves, worlds, bases)
    if in_rest:
        poses, worlds, bases = np.array([[bone.bone.matrix_local for bone in bones]]), worlds[:1], bases[:1]
        channel_scales = np.ones((len(bones), 3))
    object_turns, _ = rotations.without_scale(worlds[:, :3, :3])
    turns, scales = rotations.without_scale(worlds[:, None, :3, :3] @ poses[..., :3, :3])
    heads = (worlds[:, None] @ poses)[..., :3, 3]
    for is_wrong, what, remedy in (
        ((scales < 1e-6).any(-1), "a scale of zero", "Give it another scale"),
        (np.linalg.det(turns) < 0, "a negative scale", "Make its scale positive"),
    ):
        if is_wrong.any():
            bone = bones[int(np.argwhere(is_wrong)[0][1])]
            raise Refusal(f'The bone "{bone.name}" has {what}', f"{remedy}, or delete its scale keys")

    names = [bone.name for bone in bones]
    is_rig = bool(controls.deforming(owner))
    rest = worlds[0] @ np.array([bone.bone.matrix_local for bone in bones])
    rest_turns, _ = rotations.without_scale(rest[:, :3, :3])
    rest_heads = rest[:, :3, 3]
    has_object_joint = parents.count(-1) > 1
    joint_turns = turns @ np.swapaxes(rest_turns, -1, -2)
    tips = _tips(bones, parents, worlds[0], rest_heads)
    if has_object_joint:
        name = owner.name if owner.name not in names else f"{owner.name} (object)"
        names, parents = [name, *names], [-1, *(parent + 1 for parent in parents)]
        rest_heads = np.concatenate([worlds[:1, :3, 3], rest_heads])
        joint_turns = np.concatenate([(object_turns @ object_turns[0].T)[:, None], joint_turns], 1)
        heads = np.concatenate([worlds[:, None, :3, 3], heads], 1)
        tips = np.concatenate([np.full((1, 3), np.nan), tips])

    found = [channel for curve in all_curves if (channel := actions.bone_of(curve.data_path))]
    above = np.array(parents)
    offsets = rest_heads - np.where(above[:, None] >= 0, rest_heads[above], 0)
    return Recording(
        owner=owner,
        first=int(frames[0]),
        fps=scene.render.fps / scene.render.fps_base,
        names=names,
        parents=parents,
        has_object_joint=has_object_joint,
        is_rig=is_rig,
        on_controls=is_rig and context.scene.loopwright.write_to == "CONTROLS",
        offsets=offsets @ TO_Y_UP.T,
        tips=tips @ TO_Y_UP.T,
        positions=heads @ TO_Y_UP.T,
        rotations=rotations.to_y_up(joint_turns),
        rest_turns=rest_turns,
        outer=worlds[0] @ np.linalg.inv(bases[0]),
        basis=bases[0],
        bone_scales=np.where(np.ptp(scales[0], axis=-1, keepdims=True) < 1e-4 * scales[0], scales[0].mean(-1, keepdims=True), scales[0]),
        # Keys of importers are off by their noise, which would shear what hangs below.
        channel_scales=np.where(np.abs(channel_scales - 1) < 1e-4, 1, channel_scales),
        object_channels={curve.data_path for curve in all_curves if curve.data_path in actions.CHANNELS},
        scaled_bones={bone for bone, channel in found if channel == "scale"},
        moved_bones={bone for bone, channel in found if channel == "location"},
    )


def arrays_of(recording: Recording) -> dict[str, Any]:
    """The arguments of `loopwright.Take.from_arrays`."""
    above = np.array(recording.parents)
    turns, points = recording.rotations, recording.positions
    local_turns, local_points = turns.copy(), points.copy()
    local_turns[:, 1:] = np.swapaxes(turns[:, above[1:]], -1, -2) @ turns[:, 1:]
    away = points[:, 1:] - points[:, above[1:]]
    local_points[:, 1:] = (np.swapaxes(turns[:, above[1:]], -1, -2) @ away[..., None])[..., 0]
    # Joints that do not slide along their parents stay where they are exactly.
    offsets = recording.offsets.copy()
    means = local_points.mean(0)
    size = np.ptp(points[0], axis=0).max() + np.abs(points).max()
    still = np.abs(local_points - means).max((0, 2)) < _STILL * size
    still[0] = False
    offsets[still] = means[still]
    local_points[:, still] = means[still]
    return {
        "names": recording.names,
        "parents": recording.parents,
        "offsets": offsets,
        "rotations": rotations.quaternions_of(local_turns),
        "positions": local_points,
        "scalar_first": True,
        "tips": recording.tips,
        "fps": recording.fps,
    }


def write(
    recording: Recording,
    name: str,
    frames: Floats,
    positions: Floats,
    turns: Floats,
    object_motion: Floats | None = None,
    *,
    root_motion: Floats | None = None,
    cycle: int = 0,
    goes_on: bool = False,
) -> tuple[Action, Any]:
    """A new action, and its slot, that shows the joints at positions (F, J, 3) with rotations (F, J, 3, 3).

    Of a rig with controls, its deform bones show them. The object stays as it was at the first frame of the recording, or is moved by
    `object_motion` (F, 4, 4), +Y up. A root bone that was added is at `root_motion` (F, 4, 4), +Y up, or at rest. What repeats does so after
    `cycle` frames, by itself; frames beyond are those of what carries the root, which then starts again. With `goes_on` it starts each time
    where it ended.
    """
    owner = recording.owner
    bones = [owner.pose.bones[bone] for bone in recording.bones]
    blender_turns, blender_points = rotations.to_z_up(turns), positions @ TO_Y_UP
    if recording.has_object_joint:
        blender_turns, blender_points = blender_turns[:, 1:], blender_points[:, 1:]
    bases = np.repeat(recording.basis[None], len(frames), 0)
    if object_motion is not None:
        axes = np.eye(4)
        axes[:3, :3] = TO_Y_UP
        moved = axes.T @ object_motion @ axes @ recording.outer @ recording.basis
        bases = np.linalg.inv(recording.outer) @ moved
    worlds = rotations.transforms(blender_turns @ recording.rest_turns * recording.bone_scales[:, None, :], blender_points)
    poses = np.linalg.inv(recording.outer @ bases)[:, None] @ worlds

    once = slice(cycle + 1 if cycle else None)
    size = np.ptp(poses[0, :, :3, 3], axis=0).max() + np.abs(poses[once, :, :3, 3]).max()
    is_carried = object_motion is not None or root_motion is not None
    repeat = "REPEAT" if cycle else None
    carries = "REPEAT_OFFSET" if cycle and goes_on else repeat
    root = root_bone(owner)

    def started() -> tuple[actions.Writer, dict[str, Any]]:
        """A new action with the object and the root bone, and the poses of that."""
        writer = actions.Writer(owner, name)
        moves = slice(None) if object_motion is not None else once
        _write_object(writer, recording, frames[moves], bases[moves], object_motion is not None, repeat, carries)
        made: dict[str, Any] = {}
        if root:
            of_root = np.repeat(np.array(root.bone.matrix_local)[None], len(frames), 0)
            if root_motion is not None:
                _, scales = rotations.without_scale((recording.outer @ bases[0] @ of_root[0])[:3, :3])
                in_world = rotations.transforms(rotations.to_z_up(root_motion[:, :3, :3]) * scales, root_motion[:, :3, 3] @ TO_Y_UP)
                of_root = np.linalg.inv(recording.outer @ bases) @ in_world
            points, rotated, made[root.name] = _channels(root, of_root, np.ones(3), made, 0)
            channels = [("location", points, carries), (*rotations.channels_of(rotated, root.rotation_mode), repeat)]
            writer.add_of_bone(root.name, frames, channels)
        return writer, made

    if recording.on_controls:
        seen = once if is_carried else slice(None)
        return _Fit(recording, started, size, cycle, repeat if is_carried else carries).write(frames[seen], poses[seen])
    writer, made = started()
    joints = {bone.name: index for index, bone in enumerate(bones)}
    # Parents of the deform bones of a rig hold still.
    still = {above.name for bone in bones for above in bone.parent_recursive} - {*joints}
    for bone in _bones(owner):
        if bone.name in still:
            made[bone.name] = _local_to_pose(bone, [Matrix()] * len(frames), made)
            _hold(writer, bone, frames[0])
        elif bone.name in joints:
            index = joints[bone.name]
            scale = recording.channel_scales[index]
            may_slide = any(bone.location) or bone.name in recording.moved_bones
            carries_root = not is_carried and not any(above.name in joints for above in bone.parent_recursive)
            of_bone = slice(None) if carries_root else once
            points, rotated, made[bone.name] = _channels(bone, poses[of_bone, index], scale, made, 0 if may_slide else _NOISE * size)
            channels = [(*rotations.channels_of(rotated, bone.rotation_mode), repeat)]
            if may_slide or points.any():
                channels.append(("location", points, carries if carries_root else repeat))
            if bone.name in recording.scaled_bones or np.abs(scale - 1).max() > 1e-6:
                channels.append(("scale", np.repeat(scale[None], len(points), 0), repeat))
            writer.add_of_bone(bone.name, frames[of_bone], channels)
        else:
            continue
        for constraint in acting_constraints(bone):
            path = actions.path_of(bone.name, f'constraints["{bpy.utils.escape_identifier(constraint.name)}"]')
            # A driver would set the influence again.
            channel = "enabled" if controls.is_driven(owner, f"{path}.influence") else "influence"
            writer.add(f"{path}.{channel}", bone.name, frames[:1], np.zeros((1, 1)), None)
    action = writer.finish(frames[0], frames[once][-1], bool(cycle))
    if recording.is_rig or (owner.animation_data and owner.animation_data.drivers):
        # Carried by the object or the root bone, the pose is the same in each cycle.
        seen = _samples(len(frames[once] if is_carried else frames), cycle)
        _check_shown(recording, action, poses[seen], _shown(recording, action, frames[seen])[1], size)
    return action, writer.slot


class _Fit:
    """An action of the controls of a rig, by which its deform bones have poses in the armature.

    How the rig works inside is not known: controls are moved by what bones are off, until these are where they belong. First by controls that
    turn whole limbs, then by tweaks too, if the rig has some and they are needed.
    """

    def __init__(self, recording: Recording, started: Any, size: float, cycle: int, carries: str | None) -> None:
        self.recording, self.owner = recording, recording.owner
        # A root bone may have been added since.
        known = recording.rigs.get(self.owner.name)
        if known is None or known.bones != [bone.name for bone in self.owner.pose.bones]:
            with unchanged(self.owner), actions.assigned(self.owner, None):
                known = controls.study(bpy.context, self.owner, root_bone(self.owner))
        self.rig = recording.rigs[self.owner.name] = known
        # A new action, with the poses of a root bone that was added.
        self.started = started
        self.size, self.cycle, self.carries = size, cycle, carries
        self.repeat = "REPEAT" if cycle else None
        # The action, how far the worst joint is off, and the poses of all bones that it shows; controls are at rest first.
        self.action: Any = None
        self.off = np.inf
        self.shown = self.rig.rest[None]
        # Locations and rotations of controls, and whether tweaks are moved.
        self.channels: dict[str, tuple[Floats, Floats]] = {}
        self.fine = False

    def write(self, frames: Floats, poses: Floats) -> tuple[Action, Any]:
        """The action, and its slot, for poses (F, J, 4, 4) of the joints."""
        end = self.cycle + 1 if self.cycle else len(frames)
        self._find(frames[:end], poses[:end])
        if end < len(frames) and not self._carry_on(frames, poses):
            self.shown, _ = _shown(self.recording, self.action, frames)
            self._find(frames, poses)
        return self.action, next(iter(actions.slots(self.action)), None)

    def _find(self, frames: Floats, poses: Floats) -> None:
        """Brings the joints to their poses, from where they are shown."""
        owner, rig = self.owner, self.rig
        joints = {name: index for index, name in enumerate(self.recording.bones)}
        wanted = _rigid(poses)
        if not self.action:
            self.shown = np.repeat(self.shown, len(frames), 0)
            self.channels = {each.control: (np.zeros((len(frames), 3)), np.repeat(np.eye(3)[None], len(frames), 0)) for each in rig.carriers}
        best = np.inf
        for _ in range(_ROUNDS):
            writer, made = self.started()
            rigid = _rigid(self.shown)
            moved: list[tuple[controls.Carrier, Floats]] = []
            waits = False
            for carrier in rig.carriers:
                if carrier.is_fine != self.fine:
                    continue
                bone = owner.pose.bones[carrier.control]
                above = dict(made)
                if bone.parent and bone.parent.name not in made:
                    up = bone.parent.name
                    by = [(each, motion) for each, motion in moved if up in each.moves]
                    # Where controls above that are not in their places yet will bring it is known only if it moves with them as one.
                    if any(up not in each.rigid for each, _ in by):
                        waits = True
                        continue
                    above[up] = [Matrix(each) for each in (by[-1][1] if by else np.eye(4)) @ self.shown[:, rig.bones.index(up)]]
                after = controls.placed(rig, carrier, wanted[:, joints[carrier.bone]], rigid)
                points, rotated, now = _channels(bone, after, np.ones(3), above, np.inf if all(bone.lock_location) else 0)
                self.channels[bone.name] = points, rotated
                motion = _rigid(np.array(now)) @ np.linalg.inv(rigid[:, rig.bones.index(bone.name)])
                if (np.abs(motion - np.eye(4)) / [1, 1, 1, self.size]).max() > _SETTLED:
                    moved.append((carrier, motion))
            self._key(writer, frames)
            self.shown, of_joints = _shown(self.recording, self.action, frames)
            off = _off(poses, of_joints, self.size).max()
            if off < _EXACT:
                break
            if off > best / 2 and not waits:
                if self.fine or not any(each.is_fine for each in rig.carriers):
                    break
                self.fine, off = True, np.inf
            best = off
        self.off = _check_shown(self.recording, self.action, poses, of_joints, self.size)

    def _carry_on(self, frames: Floats, poses: Floats) -> bool:
        """Lets the first control carry the character through further cycles, while the others do in each what they do in the first.

        Whether the rig shows it then.
        """
        count, again = np.divmod(np.arange(len(frames)), self.cycle)
        self.channels = {name: (points[again], turns[again]) for name, (points, turns) in self.channels.items()}
        bone = self.owner.pose.bones[self.rig.carriers[0].control]
        writer, above = self.started()
        if bone.parent and bone.parent.name not in above:
            above[bone.parent.name] = [Matrix(each) for each in self.shown[again, self.rig.bones.index(bone.parent.name)]]
        on = _rigid(poses[count * self.cycle, 0]) @ np.linalg.inv(_rigid(poses[0, 0]))
        points, rotated, _ = _channels(bone, on @ _rigid(self.shown[again, self.rig.bones.index(bone.name)]), np.ones(3), above, 0)
        self.channels[bone.name] = points, rotated
        self._key(writer, frames, {each.control for each in self.rig.carriers} - {bone.name})
        seen = _samples(len(frames), self.cycle)
        off = _off(poses[seen], _shown(self.recording, self.action, frames[seen])[1], self.size).max()
        return bool(off < max(_SEEN, 2 * self.off))

    def _key(self, writer: actions.Writer, frames: Floats, cyclic: Collection[str] = ()) -> None:
        """The action with the keys of all controls; those that are cyclic get one cycle."""
        if self.action:
            # The new one was made beside it, and so has another name.
            name = self.action.name
            bpy.data.actions.remove(self.action)
            writer.action.name = name
        for (name, channel), value in self.rig.switches.items():
            path = f'{actions.path_of(name, "")[:-1]}["{bpy.utils.escape_identifier(channel)}"]'
            writer.add(path, name, frames[:1], np.full((1, 1), value), None)
        carriers = [each.control for each in self.rig.carriers if self.fine or not each.is_fine]
        for name in [*self.rig.others, *(each.control for each in self.rig.carriers if each.control not in carriers)]:
            _hold(writer, self.owner.pose.bones[name], frames[0])
        for name in carriers:
            bone = self.owner.pose.bones[name]
            keyed = slice(self.cycle + 1 if name in cyclic else None)
            points, rotated = (values[keyed] for values in self.channels[name])
            again = self.carries if np.abs(points[-1] - points[0]).max() > _SEEN * self.size else self.repeat
            channels = [("location", points, again), (*rotations.channels_of(rotated, bone.rotation_mode), self.repeat)]
            writer.add_of_bone(name, frames[keyed], channels)
            writer.add(actions.path_of(name, "scale"), name, frames[:1], np.ones((1, 3)), None)
        self.action = writer.finish(frames[0], frames[self.cycle or -1], bool(self.cycle))


def _samples(count: int, cycle: int) -> Any:
    """Which of so many frames show whether bones are where they belong: those of one cycle, and some of each other."""
    if not cycle:
        return np.arange(count)
    return np.concatenate([np.arange(min(cycle + 1, count)), np.arange(cycle + 1, count, cycle // 3 + 1)])


def _hold(writer: actions.Writer, bone: Any, frame: float) -> None:
    """One key of a bone at rest."""
    turn, still = rotations.channels_of(np.eye(3)[None], bone.rotation_mode)
    channels = [("location", np.zeros((1, 3)), None), (turn, still, None), ("scale", np.ones((1, 3)), None)]
    writer.add_of_bone(bone.name, [frame], channels)


def _rigid(poses: Floats) -> Floats:
    """Poses (..., 4, 4) without their scales."""
    found = poses.copy()
    found[..., :3, :3], _ = rotations.without_scale(poses[..., :3, :3])
    return found


def _shown(recording: Recording, action: Action, frames: Floats) -> tuple[Floats, Floats]:
    """The poses that Blender shows of an action at some frames, of all bones in the armature, and of the joints."""
    owner = recording.owner
    with actions.assigned(owner, action):
        poses, *_ = _watch(bpy.context, owner, list(owner.pose.bones), frames)
    return poses, poses[:, [owner.pose.bones.find(name) for name in recording.bones]]


def _off(wanted: Floats, found: Floats, size: float) -> Floats:
    """How far joints (J,) are from where they belong, of the size of the body."""
    return (np.abs(_rigid(wanted) - _rigid(found)) / [1, 1, 1, size]).max((0, 2, 3))


def _check_shown(recording: Recording, action: Action, wanted: Floats, found: Floats, size: float) -> float:
    """How far the worst joint is off, of the size of the body. Refuses an action that the rig does not show as it should."""
    off = _off(wanted, found, size)
    bone = recording.bones[int(off.argmax())]
    if off.max() < _OFF:
        if off.max() > _SEEN:
            recording.said.append(f'The rig brings the bone "{bone}" to where it belongs but for {100 * off.max():.1f} % of the body\'s size')
        return float(off.max())
    bpy.data.actions.remove(action)
    if recording.on_controls:
        raise Refusal(f'The controls cannot bring the bone "{bone}" to where the motion has it', "Choose Deform bones at Write to")
    raise Refusal(
        f'The bone "{bone}" is moved by a driver, or stretched, which would overrule a loop',
        "Bake first: Pose > Animation > Bake Action, with Visual Keying, and delete the driver",
    )


def acting_constraints(bone: Any) -> list[Any]:
    """Constraints that move a bone; a loop on its keys switches them off, because their effect is in these."""
    path = actions.path_of(bone.name, 'constraints["{}"].influence')
    driven = [each.name for each in bone.constraints if controls.is_driven(bone.id_data, path.format(bpy.utils.escape_identifier(each.name)))]
    return [each for each in bone.constraints if not each.mute and (each.influence > 0 or each.name in driven)]


def _channels(
    bone: Any, poses: Floats, scale: Floats, made: dict[str, list[Matrix]], noise: float
) -> tuple[Floats, Floats, list[Matrix]]:
    """Locations and rotations of a bone's own channels for poses in the armature, and the poses that Blender makes of them."""
    size = Matrix.Diagonal((*scale, 1.0))
    locals_ = np.array(_local_to_pose(bone, [Matrix(pose) for pose in poses.tolist()], made, invert=True))
    turned, _ = rotations.without_scale(locals_[:, :3, :3] / scale)
    points = locals_[:, :3, 3]
    # Blender does not move connected bones.
    if bone.bone.use_connect or np.abs(points).max() < noise:
        points = np.zeros_like(points)
    shown = rotations.transforms(turned, points)
    return points, turned, _local_to_pose(bone, [Matrix(each) @ size for each in shown.tolist()], made)


def _local_to_pose(bone: Any, matrices: list[Matrix], made: dict[str, list[Matrix]], invert: bool = False) -> list[Matrix]:
    """Poses in the armature of what a bone's channels say, or the other way; `made` are those of its parent."""
    rest, above = bone.bone.matrix_local, bone.parent
    ups: list[dict[str, Any]] = [{}] * len(matrices)
    if above:
        ups = [{"parent_matrix": matrix, "parent_matrix_local": above.bone.matrix_local} for matrix in made[above.name]]
    return [bone.bone.convert_local_to_pose(matrix, rest, invert=invert, **up) for matrix, up in zip(matrices, ups)]


def _write_object(
    writer: actions.Writer,
    recording: Recording,
    frames: Floats,
    bases: Floats,
    moves: bool,
    repeat: str | None,
    carries: str | None,
) -> None:
    """The channels of the object: those that the take has, which hold still, and those that carry the root."""
    owner = recording.owner
    turns, scales = rotations.without_scale(bases[:, :3, :3])
    channels = []
    if moves or "location" in recording.object_channels:
        channels.append(("location", bases[:, :3, 3], carries if moves else repeat))
    if moves or recording.object_channels & {*actions.ROTATIONS}:
        channels.append((*rotations.channels_of(turns, owner.rotation_mode), repeat))
    if "scale" in recording.object_channels:
        channels.append(("scale", scales, repeat))
    for channel, values, again in channels:
        writer.add(channel, "Object Transforms", frames, values, again)


def root_bone(owner: Object) -> Any:
    """The bone above all others that `add_root_bone` added. None without."""
    return next((bone for bone in owner.pose.bones if bone.parent is None and bone.bone.get(_ROOT)), None)


def add_root_bone(context: Context, owner: Object) -> None:
    """Adds a bone above all others, where the object stands, with the axes of the world; one that was added before stays.

    Refuses armatures to which no bone can be added.
    """
    if root_bone(owner):
        return
    if owner.data.library or owner.data.override_library:
        raise Refusal(f'The bones of "{owner.name}" are linked from another file', "Choose another root motion, or make its data local")
    if not owner.visible_get():
        raise Refusal(f'"{owner.name}" is hidden, so that no bone can be added', "Show it in the Outliner")
    turn, _ = rotations.without_scale(np.array(owner.matrix_world)[:3, :3])
    size = max((bone.head_local.length for bone in owner.data.bones), default=0) or 1
    with _edited(context, owner) as bones:
        tops = [bone for bone in bones if bone.parent is None]
        root = bones.new("root")
        root.tail = (0, size / 4, 0)
        root.matrix = Matrix(turn.T.tolist()).to_4x4()
        root.use_deform = False
        root[_ROOT] = True
        for bone in tops:
            bone.parent = root


def remove_root_bone(context: Context, owner: Object) -> None:
    """Takes away what `add_root_bone` added."""
    if found := root_bone(owner):
        name = found.name
        with _edited(context, owner) as bones:
            bones.remove(bones[name])


@contextmanager
def _edited(context: Context, owner: Object) -> Iterator[Any]:
    """The bones of an armature in Edit Mode, which Blender has for the active object alone."""
    objects = context.view_layer.objects
    active, mode = objects.active, context.mode
    was = active.mode if active else "OBJECT"
    if mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    objects.active = owner
    bpy.ops.object.mode_set(mode="EDIT")
    try:
        yield owner.data.edit_bones
    finally:
        bpy.ops.object.mode_set(mode="OBJECT")
        objects.active = active
        if was != "OBJECT":
            bpy.ops.object.mode_set(mode=was)


def _bones(owner: Object) -> list[Any]:
    """The bones of the pose, parents before their children, without a root that was added: poses in the world have its effect."""
    found: list[Any] = []
    root = root_bone(owner)
    waiting = [bone for bone in reversed(owner.pose.bones) if bone != root and bone.parent in (None, root)]
    while waiting:
        bone = waiting.pop()
        found.append(bone)
        waiting += reversed(bone.children)
    return found


def _joints(owner: Object) -> tuple[list[Any], list[int]]:
    """The bones whose motion counts, parents before their children, with the parent of each, -1 for none.

    In a rig with controls these are the deform bones. What hangs from another bone of the rig hangs from the deform bone in its place.
    """
    bones = _bones(owner)
    above = {bone.name: bone.parent.name if bone.parent in bones else "" for bone in bones}
    if deforming := controls.deforming(owner):
        bones = [bone for bone in bones if bone in deforming]
        above = {}
        for bone in bones:
            names = (name for each in bone.parent_recursive for name in _in_place_of(each, deforming) if not _hangs(above, name, bone.name))
            above[bone.name] = next(names, "")
    order, waiting = [], [bone for bone in reversed(bones) if not above[bone.name]]
    while waiting:
        bone = waiting.pop()
        order.append(bone)
        waiting += [each for each in reversed(bones) if above[each.name] == bone.name]
    names = [bone.name for bone in order]
    return order, [names.index(above[name]) if above[name] else -1 for name in names]


def _in_place_of(bone: Any, deforming: list[Any]) -> list[str]:
    """The deform bones that are, or rest like, a bone."""
    scale = [1, 1, 1, max(bone.bone.length, 1e-6)]
    rest = np.array(bone.bone.matrix_local) / scale
    return [each.name for each in deforming if np.abs(np.array(each.bone.matrix_local) / scale - rest).max() < 1e-4]


def _hangs(above: dict[str, str], name: str, other: str) -> bool:
    """Whether a bone is another, or hangs from it."""
    while name:
        if name == other:
            return True
        name = above.get(name, "")
    return False


def _tips(bones: list[Any], parents: list[int], world: Floats, heads: Floats) -> Floats:
    """Where bones without children end, in the world's axes from their heads; not a number where the rig does not say.

    Importers that do not know give bones any direction. So a tail counts only if the tail of the parent lies where this bone starts.
    """
    tips = np.full((len(bones), 3), np.nan)
    for index, bone in enumerate(bones):
        above = bones[parents[index]] if parents[index] >= 0 else None
        if index not in parents and above and (above.bone.tail_local - bone.bone.head_local).length < 0.1 * above.bone.length:
            tips[index] = (world @ [*bone.bone.tail_local, 1])[:3] - heads[index]
    return tips


def _checked_curves(owner: Object, action: Action, all_curves: list[Any]) -> list[Any]:
    """The curves that move the armature. Refuses what would be read or written wrongly."""
    of_bones = [(curve, *found) for curve in all_curves if (found := actions.bone_of(curve.data_path)) and found[1] in actions.CHANNELS]
    here = [each for each in of_bones if each[1] in owner.pose.bones]
    if not here:
        what = f'The action "{action.name}" moves no bone of "{owner.name}"'
        raise Refusal(what, "Choose an action with keys on its bones in the Action Editor")
    for curve, bone, channel in here:
        if actions.is_muted(curve):
            raise Refusal(f'The channel {channel} of the bone "{bone}" is muted', "Switch it on, or delete it, in the Graph Editor")
    return [curve for curve, *_ in here] + [curve for curve in all_curves if curve.data_path in actions.CHANNELS]


def _check_object(owner: Object, all_curves: list[Any], worlds: Floats, bases: Floats) -> None:
    _, scales = rotations.without_scale(worlds[:, :3, :3])
    if (np.abs(scales) < 1e-6).any():
        raise Refusal(f'"{owner.name}" has a scale of zero', "Set its scale to 1 in the sidebar's Item tab")
    uneven = scales.max(-1) > (1 + 1e-4) * scales.min(-1)
    if uneven.any() or (np.linalg.det(worlds[:, :3, :3]) < 0).any():
        what = f'"{owner.name}" is scaled differently along its axes, or mirrored'
        raise Refusal(what, "Apply its scale: Object > Apply > Scale, or give it the same scale along all axes")

    def moves(found: Floats, around: Floats) -> Any:
        return np.abs(found - found[0]).max() > 1e-4 * max(1.0, np.abs(around[:, :3, 3]).max())

    if moves(worlds @ np.linalg.inv(bases), worlds):
        what = f'"{owner.name}" is moved by its parent or by a constraint'
        raise Refusal(what, "Clear them with Object > Parent > Clear and Keep Transformation, and bake the motion first if it is wanted")
    has_curves = any(curve.data_path in actions.CHANNELS for curve in all_curves)
    if not has_curves and moves(bases, bases):
        raise Refusal(f'"{owner.name}" is moved by a driver or by the NLA', "Delete the driver, or bake its motion into the action")
    if has_curves:
        check_deltas(owner)


def check_deltas(owner: Object) -> None:
    """Refuses to write channels of an object to which Blender adds more."""
    deltas = [*owner.delta_location, *(scale - 1 for scale in owner.delta_scale), *owner.delta_rotation_euler]
    if any(abs(delta) > 1e-6 for delta in [*deltas, *owner.delta_rotation_quaternion[1:]]):
        raise Refusal(f'"{owner.name}" has delta transforms', "Set them to zero in Object Properties > Transform > Delta Transform")


def snapshot(owner: Object) -> str:
    """The state of an armature that an action may leave changed after it is taken away: paths, names of properties there, and values."""
    found: list[Any] = [["", name, list(getattr(owner, name))] for name in actions.CHANNELS]
    for bone in owner.pose.bones:
        path = bone.path_from_id()
        found += [[path, name, list(getattr(bone, name))] for name in actions.CHANNELS]
        found += [[each.path_from_id(), name, getattr(each, name)] for each in bone.constraints for name in ("influence", "mute")]
        # Custom properties are known by a list.
        found += [[path, [name], value] for name, value in bone.items() if isinstance(value, (bool, int, float))]
    return json.dumps(found)


def restore(owner: Object, kept: str) -> None:
    """Sets back what `snapshot` kept."""
    for path, name, value in json.loads(kept):
        try:
            holder = owner.path_resolve(path) if path else owner
        except ValueError:
            # A bone or a constraint may be gone.
            continue
        if isinstance(name, str):
            setattr(holder, name, value)
        elif name[0] in holder:
            holder[name[0]] = value
    # Blender does not see for itself that properties changed.
    owner.update_tag()


@contextmanager
def unchanged(owner: Object) -> Iterator[None]:
    """Leaves an armature in the end as it was."""
    kept = snapshot(owner)
    try:
        yield
    finally:
        restore(owner, kept)
