# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of armatures: the evaluated ones read into arrays, and arrays written as actions.

Arrays are in the world, in metres, with +Y up. A joint stands where its bone's head is, and is turned by what turns the bone in the world away
from its rest, so that joints at rest have no rotation, however bones are rolled.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Context, Object
from mathutils import Matrix

from . import actions, rotations
from .refusal import NoLoop, Refusal
from .rotations import TO_Y_UP, Floats

_ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
_CHANNELS = ("location", "scale", *_ROTATIONS)
# The custom property of a root bone that was added.
_ROOT = "loopwright_root"
# Positions of joints that differ by less, of the size of the body, do not move: single precision.
_STILL = 2e-6
# And so much is noise in a bone's own location.
_NOISE = 2e-7


@dataclass
class Recording:
    """The motion of an armature over even frames, and what is needed to write another for it."""

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
    # Channels that the action has.
    object_channels: set[str]
    scaled_bones: set[str]
    moved_bones: set[str]

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
        # What carries the root around a circle has keys beyond the first cycle.
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

    bones = _bones(owner)
    poses, worlds, bases, channel_scales = _watch(context, owner, bones, first, last - first + 1)
    _check_object(owner, all_curves, worlds, bases)
    return _recording(context, owner, bones, first, poses, worlds, bases, channel_scales, all_curves)


def at_rest(context: Context, owner: Object, first: int, frames: int) -> Recording:
    """The armature in its rest pose where it stands, a recording of one frame, for which so many frames are to be written."""
    _check_drivers(owner)
    data = owner.animation_data
    action = data.action if data else None
    all_curves = actions.curves(action, actions.slot_for(owner, action)) if action else []
    bones = _bones(owner)
    _, worlds, bases, _ = _watch(context, owner, bones, first, frames)
    _check_object(owner, all_curves, worlds, bases)
    rest = np.array([[bone.bone.matrix_local for bone in bones]])
    found = _recording(context, owner, bones, first, rest, worlds[:1], bases[:1], np.ones((len(bones), 3)), all_curves)
    # What the pose or strips of the NLA do to the bones would stay.
    has_strips = bool(data) and any(track.strips for track in data.nla_tracks)
    found.scaled_bones |= {bone.name for bone in bones if has_strips or any(abs(scale - 1) > 1e-6 for scale in bone.scale)}
    found.moved_bones |= {bone.name for bone in bones if has_strips}
    return found


def _watch(context: Context, owner: Object, bones: list[Any], first: int, frames: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Poses of the bones in the armature, the object in the world and as its own channels have it, and scales of bones at the first frame."""
    scene, count = context.scene, len(bones)
    poses = np.empty((frames, count, 4, 4), np.float32)
    worlds = np.empty((frames, 4, 4))
    bases = np.empty((frames, 4, 4))
    at = np.array([owner.pose.bones.find(bone.name) for bone in bones])
    flat = np.empty(16 * len(owner.pose.bones), np.float32)
    frame_before = scene.frame_current, scene.frame_subframe
    # Another frame takes away what was posed and has no key yet.
    kept = snapshot(owner)
    if root := root_bone(owner):
        # Where the action has no keys for it, another one left it somewhere.
        root.matrix_basis = Matrix()
    try:
        for index in range(frames):
            scene.frame_set(first + index)
            evaluated = owner.evaluated_get(context.evaluated_depsgraph_get())
            evaluated.pose.bones.foreach_get("matrix", flat)
            # Blender stores columns.
            poses[index] = flat.reshape(-1, 4, 4)[at].swapaxes(-1, -2)
            worlds[index] = evaluated.matrix_world
            bases[index] = evaluated.matrix_basis
            if index == 0:
                channel_scales = np.array([evaluated.pose.bones[bone.name].scale for bone in bones])
    finally:
        scene.frame_set(frame_before[0], subframe=frame_before[1])
        restore(owner, kept)
    return poses, worlds, bases, channel_scales


def _recording(
    context: Context,
    owner: Object,
    bones: list[Any],
    first: int,
    poses: Floats,
    worlds: Floats,
    bases: Floats,
    channel_scales: Floats,
    all_curves: list[Any],
) -> Recording:
    scene = context.scene
    object_turns, _ = rotations.without_scale(worlds[:, :3, :3])
    turns, scales = rotations.without_scale(worlds[:, None, :3, :3] @ poses[..., :3, :3])
    heads = (worlds[:, None] @ poses)[..., :3, 3]
    if (scales < 1e-6).any():
        bone = bones[int(np.argwhere(scales < 1e-6)[0][1])]
        raise Refusal(f'The bone "{bone.name}" has a scale of zero', "Give it another scale, or delete its scale keys")
    if (np.linalg.det(turns) < 0).any():
        bone = bones[int(np.argwhere(np.linalg.det(turns) < 0)[0][1])]
        raise Refusal(f'The bone "{bone.name}" has a negative scale', "Make its scale positive, or delete its scale keys")

    names = [bone.name for bone in bones]
    parents = [names.index(bone.parent.name) if bone.parent in bones else -1 for bone in bones]
    rest = worlds[0] @ np.array([bone.bone.matrix_local for bone in bones])
    rest_turns, _ = rotations.without_scale(rest[:, :3, :3])
    rest_heads = rest[:, :3, 3]
    has_object_joint = parents.count(-1) > 1
    joint_turns = turns @ np.swapaxes(rest_turns, -1, -2)
    tips = _tips(bones, worlds[0], rest_heads)
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
        first=first,
        fps=scene.render.fps / scene.render.fps_base,
        names=names,
        parents=parents,
        has_object_joint=has_object_joint,
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
        object_channels={curve.data_path for curve in all_curves if curve.data_path in _CHANNELS},
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

    The object stays as it was at the first frame of the recording, or is moved by `object_motion` (F, 4, 4), +Y up. A root bone that was
    added is at `root_motion` (F, 4, 4), +Y up, or at rest. What repeats does so after `cycle` frames, by itself; frames beyond are those of
    what carries the root, which then starts again. With `goes_on` it starts each time where it ended.
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
    worlds = np.zeros((len(frames), len(bones), 4, 4))
    worlds[..., :3, :3] = blender_turns @ recording.rest_turns * recording.bone_scales[:, None, :]
    worlds[..., :3, 3] = blender_points
    worlds[..., 3, 3] = 1
    poses = np.linalg.inv(recording.outer @ bases)[:, None] @ worlds

    writer = actions.Writer(owner, name)
    repeat = "REPEAT" if cycle else None
    carries = "REPEAT_OFFSET" if cycle and goes_on else repeat
    once = slice(cycle + 1 if cycle else None)
    moves = slice(None) if object_motion is not None else once
    _write_object(writer, recording, frames[moves], bases[moves], object_motion is not None, repeat, carries)
    size = np.ptp(poses[0, :, :3, 3], axis=0).max() + np.abs(poses[:, :, :3, 3]).max()
    made: dict[str, list[Matrix]] = {}
    if root := root_bone(owner):
        of_root = np.repeat(np.array(root.bone.matrix_local)[None], len(frames), 0)
        if root_motion is not None:
            _, scales = rotations.without_scale((recording.outer @ bases[0] @ of_root[0])[:3, :3])
            of_root[:, :3, :3] = rotations.to_z_up(root_motion[:, :3, :3]) * scales
            of_root[:, :3, 3] = root_motion[:, :3, 3] @ TO_Y_UP
            of_root = np.linalg.inv(recording.outer @ bases) @ of_root
        points, rotated, made[root.name] = _channels(root, of_root, np.ones(3), made, 0)
        for channel, values, again in (("location", points, carries), (*rotations.channels_of(rotated, root.rotation_mode), repeat)):
            writer.add(actions.path_of(root.name, channel), root.name, frames, values, again)
    is_carried = object_motion is not None or root_motion is not None
    for index, bone in enumerate(bones):
        scale = recording.channel_scales[index]
        may_slide = any(bone.location) or bone.name in recording.moved_bones
        carries_root = bone.parent in (None, root) and not is_carried
        of_bone = slice(None) if carries_root else once
        points, rotated, made[bone.name] = _channels(bone, poses[of_bone, index], scale, made, 0 if may_slide else _NOISE * size)

        turn_channel, turn_values = rotations.channels_of(rotated, bone.rotation_mode)
        channels = [(turn_channel, turn_values, repeat)]
        if may_slide or points.any():
            channels.append(("location", points, carries if carries_root else repeat))
        if bone.name in recording.scaled_bones or np.abs(scale - 1).max() > 1e-6:
            channels.append(("scale", np.repeat(scale[None], len(points), 0), repeat))
        for channel, values, again in channels:
            writer.add(actions.path_of(bone.name, channel), bone.name, frames[of_bone], values, again)
        for constraint in acting_constraints(bone):
            path = actions.path_of(bone.name, f'constraints["{bpy.utils.escape_identifier(constraint.name)}"].influence')
            writer.add(path, bone.name, frames[:1], np.zeros((1, 1)), None)
    return writer.finish(frames[0], frames[once][-1], bool(cycle)), writer.slot


def acting_constraints(bone: Any) -> list[Any]:
    """Constraints that move a bone; a loop switches them off, because their effect is in its keys."""
    return [each for each in bone.constraints if not each.mute and each.influence > 0]


def _channels(
    bone: Any, poses: Floats, scale: Floats, made: dict[str, list[Matrix]], noise: float
) -> tuple[Floats, Floats, list[Matrix]]:
    """Locations and rotations of a bone's own channels for poses in the armature, and the poses that Blender makes of them."""
    rest = bone.bone.matrix_local
    size = Matrix.Diagonal((*scale, 1.0))
    above: list[dict[str, Any]] = [{}] * len(poses)
    if bone.parent:
        rest_above = bone.parent.bone.matrix_local
        above = [{"parent_matrix": matrix, "parent_matrix_local": rest_above} for matrix in made[bone.parent.name]]
    convert = bone.bone.convert_local_to_pose
    locals_ = np.array([convert(Matrix(pose), rest, invert=True, **up) for pose, up in zip(poses.tolist(), above)])
    turned, _ = rotations.without_scale(locals_[:, :3, :3] / scale)
    points = locals_[:, :3, 3]
    # Blender does not move connected bones.
    if bone.bone.use_connect or np.abs(points).max() < noise:
        points = np.zeros_like(points)
    shown = np.zeros((len(poses), 4, 4))
    shown[:, :3, :3], shown[:, :3, 3], shown[:, 3, 3] = turned, points, 1
    return points, turned, [convert(Matrix(each) @ size, rest, **up) for each, up in zip(shown.tolist(), above)]


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
    if moves or recording.object_channels & {*_ROTATIONS}:
        channels.append((*rotations.channels_of(turns, owner.rotation_mode), repeat))
    if "scale" in recording.object_channels:
        channels.append(("scale", scales, repeat))
    for channel, values, again in channels:
        writer.add(channel, "Object Transforms", frames, values, again)


def root_bone(owner: Object) -> Any:
    """The bone above all others that `add_root_bone` added. None without."""
    return next((bone for bone in owner.pose.bones if bone.parent is None and bone.bone.get(_ROOT)), None)


def check_root_bone(owner: Object) -> None:
    """Refuses armatures to which no bone can be added."""
    if root_bone(owner) is None and (owner.data.library or owner.data.override_library):
        raise Refusal(f'The bones of "{owner.name}" are linked from another file', "Choose another root motion, or make its data local")
    if root_bone(owner) is None and not owner.visible_get():
        raise Refusal(f'"{owner.name}" is hidden, so that no bone can be added', "Show it in the Outliner")


def add_root_bone(context: Context, owner: Object) -> None:
    """Adds a bone above all others, where the object stands, with the axes of the world; one that was added before stays."""
    if root_bone(owner):
        return
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


def _tips(bones: list[Any], world: Floats, heads: Floats) -> Floats:
    """Where bones without children end, in the world's axes from their heads; not a number where the rig does not say.

    Importers that do not know give bones any direction. So a tail counts only if the tail of the parent lies where this bone starts.
    """
    tips = np.full((len(bones), 3), np.nan)
    for index, bone in enumerate(bones):
        above = bone.parent
        if not bone.children and above and (above.bone.tail_local - bone.bone.head_local).length < 0.1 * above.bone.length:
            tips[index] = (world @ [*bone.bone.tail_local, 1])[:3] - heads[index]
    return tips


def _checked_curves(owner: Object, action: Action, all_curves: list[Any]) -> list[Any]:
    """The curves that move the armature. Refuses what would be read or written wrongly."""
    of_bones = [(curve, *found) for curve in all_curves if (found := actions.bone_of(curve.data_path)) and found[1] in _CHANNELS]
    here = [each for each in of_bones if each[1] in owner.pose.bones]
    if not here:
        what = f'The action "{action.name}" moves no bone of "{owner.name}"'
        raise Refusal(what, "Choose an action with keys on its bones in the Action Editor")
    for curve, bone, channel in here:
        if curve.mute or (curve.group and curve.group.mute):
            raise Refusal(f'The channel {channel} of the bone "{bone}" is muted', "Switch it on, or delete it, in the Graph Editor")
    _check_drivers(owner)
    return [curve for curve, *_ in here] + [curve for curve in all_curves if curve.data_path in _CHANNELS]


def _check_drivers(owner: Object) -> None:
    """Refuses armatures whose drivers would overrule an action."""
    for driver in owner.animation_data.drivers if owner.animation_data else ():
        found = actions.bone_of(driver.data_path)
        if found and not driver.mute and (found[1] in _CHANNELS or _acts(owner, *found)):
            raise Refusal(
                f'The bone "{found[0]}" is moved by a driver, which would overrule a loop',
                "Bake first: Pose > Animation > Bake Action, with Visual Keying, and delete the driver",
            )


def _acts(owner: Object, bone: str, path: str) -> bool:
    """Whether a driver's channel is the influence of a constraint that has to be switched off."""
    found = owner.pose.bones.get(bone)
    return found is not None and any(path == f'constraints["{each.name}"].influence' for each in acting_constraints(found))


def _check_object(owner: Object, all_curves: list[Any], worlds: Floats, bases: Floats) -> None:
    _, scales = rotations.without_scale(worlds[:, :3, :3])
    if (np.abs(scales) < 1e-6).any():
        raise Refusal(f'"{owner.name}" has a scale of zero', "Set its scale to 1 in the sidebar's Item tab")
    uneven = scales.max(-1) > (1 + 1e-4) * scales.min(-1)
    if uneven.any() or (np.linalg.det(worlds[:, :3, :3]) < 0).any():
        what = f'"{owner.name}" is scaled differently along its axes, or mirrored'
        raise Refusal(what, "Apply its scale: Object > Apply > Scale, or give it the same scale along all axes")
    outer = worlds @ np.linalg.inv(bases)
    if np.abs(outer - outer[0]).max() > 1e-4 * max(1.0, np.abs(worlds[:, :3, 3]).max()):
        what = f'"{owner.name}" is moved by its parent or by a constraint'
        raise Refusal(what, "Clear them with Object > Parent > Clear and Keep Transformation, and bake the motion first if it is wanted")
    has_curves = any(curve.data_path in _CHANNELS for curve in all_curves)
    if not has_curves and np.abs(bases - bases[0]).max() > 1e-4 * max(1.0, np.abs(bases[:, :3, 3]).max()):
        raise Refusal(f'"{owner.name}" is moved by a driver or by the NLA', "Delete the driver, or bake its motion into the action")
    if has_curves:
        check_deltas(owner)


def check_deltas(owner: Object) -> None:
    """Refuses to write channels of an object to which Blender adds more."""
    deltas = [*owner.delta_location, *(scale - 1 for scale in owner.delta_scale), *owner.delta_rotation_euler]
    if any(abs(delta) > 1e-6 for delta in [*deltas, *owner.delta_rotation_quaternion[1:]]):
        raise Refusal(f'"{owner.name}" has delta transforms', "Set them to zero in Object Properties > Transform > Delta Transform")


def snapshot(owner: Object) -> str:
    """What an action may leave changed on an armature after it is taken away."""
    bones = {bone.name: [list(getattr(bone, name)) for name in _CHANNELS] for bone in owner.pose.bones}
    influences = [[bone.name, each.name, each.influence] for bone in owner.pose.bones for each in bone.constraints]
    return json.dumps([[list(getattr(owner, name)) for name in _CHANNELS], bones, influences])


def restore(owner: Object, kept: str) -> None:
    """Sets back what `snapshot` kept."""
    own, bones, influences = json.loads(kept)
    for name, values in zip(_CHANNELS, own):
        setattr(owner, name, values)
    for name, channels in bones.items():
        if bone := owner.pose.bones.get(name):
            for channel, values in zip(_CHANNELS, channels):
                setattr(bone, channel, values)
    for name, constraint, influence in influences:
        if (bone := owner.pose.bones.get(name)) and (found := bone.constraints.get(constraint)):
            found.influence = influence
