# SPDX-License-Identifier: GPL-3.0-or-later
"""From an armature's action to loops, and from loops to actions."""

from __future__ import annotations

import hashlib
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bpy.types import Action, Context, Object

from . import actions, character, faces, pose, rotations
from .library import library, spoken
from .refusal import Refusal

# Loops that turn by less over a cycle, radians, go straight.
_STRAIGHT = 1e-4


def active_armature(context: Context) -> Object:
    """The active armature, or that of the active mesh."""
    active = context.view_layer.objects.active
    owner = active if active is None or active.type == "ARMATURE" else active.find_armature()
    if owner is None:
        raise Refusal("No armature is active", "Click an armature, or a mesh that it moves, in the 3D View")
    return _checked(owner)


def other_armature(context: Context, owner: Object) -> Object:
    """The armature whose motion is retargeted onto another one."""
    other = owner.loopwright.other
    if other is None:
        raise Refusal("No armature to retarget from is chosen", "Choose one at From in the Retarget panel, in the sidebar's tab loopwright")
    if other == owner:
        raise Refusal(f'"{owner.name}" is to be retargeted from itself', "Choose another one at From, or make the other one active")
    if other.type != "ARMATURE":
        raise Refusal(f'"{other.name}" is no armature', "Choose an armature at From")
    # Blender does not evaluate what is hidden.
    if not other.visible_get(view_layer=context.view_layer):
        raise Refusal(f'"{other.name}" is hidden, or not in this scene', "Show it in the Outliner")
    return _checked(other)


def _checked(owner: Object) -> Object:
    if owner.library or owner.override_library:
        kind = "linked from another file" if owner.library else "a library override"
        raise Refusal(f'"{owner.name}" is {kind}', "Make it local: Object > Relations > Make Local > Selected Objects and Data")
    if owner.mode == "EDIT":
        raise Refusal(f'"{owner.name}" is in Edit Mode', "Go to Object Mode or Pose Mode")
    if not owner.pose or not owner.pose.bones:
        raise Refusal(f'"{owner.name}" has no bones', "Click the armature of a character")
    if owner.data.pose_position == "REST":
        raise Refusal(f'"{owner.name}" shows its rest position', "Switch to Pose Position in Armature Properties > Skeleton")
    return owner


def active_action(owner: Object) -> Action:
    """The action that moves the armature."""
    data = owner.animation_data
    check_nla(owner)
    if not data or not data.action:
        if strips := _playing_strips(owner):
            if len(strips) == 1 and _is_plain(strips[0]):
                return strips[0].action
            what = f'"{owner.name}" is moved by {len(strips)} NLA strips' if len(strips) > 1 else f'The NLA strip "{strips[0].name}" changes its action'
            raise Refusal(what, "Choose an action in the Action Editor, or bake the strips: Strip > Bake Action in the NLA Editor")
        raise Refusal(f'"{owner.name}" has no action', "Choose one in the Action Editor, or import a BVH, FBX or glTF file")
    if actions.HAS_SLOTS and not data.action_slot:
        raise Refusal(f'The action "{data.action.name}" has no slot for "{owner.name}"', "Choose a slot beside it in the Action Editor")
    return data.action


def _playing_strips(owner: Object) -> list[Any]:
    """The strips of the NLA that may move an object."""
    tracks = actions.tracks(owner)
    if not (tracks and owner.animation_data.use_nla):
        return []
    tracks = [track for track in tracks if track.is_solo] or [track for track in tracks if not track.mute]
    return [strip for track in tracks for strip in track.strips if not strip.mute]


def _is_plain(strip: Any) -> bool:
    """Whether a strip shows its action as it is."""
    changes = strip.use_reverse or strip.use_animated_influence or strip.use_animated_time or strip.modifiers
    blends = strip.blend_type != "REPLACE" or strip.blend_in or strip.blend_out
    moves = abs(strip.frame_start - strip.action_frame_start) > 1e-3 or abs(strip.scale - 1) > 1e-6 or strip.repeat > 1
    return strip.type == "CLIP" and strip.action is not None and not (changes or blends or moves)


def check_nla(owner: Object) -> None:
    """Refuses armatures that would show something else than their action."""
    data = owner.animation_data
    if data and data.use_tweak_mode:
        raise Refusal("The action is in tweak mode", "Leave it: press Tab in the NLA Editor")
    if actions.strips(owner) and data.action and (data.action_influence < 1 or data.action_blend_type != "REPLACE"):
        what = f'The action "{data.action.name}" is mixed with NLA strips'
        raise Refusal(what, "Set its blending to Replace and its influence to 1 in the NLA Editor, or bake the strips")


@dataclass
class Source:
    """An action as it was read."""

    action: Action
    recording: pose.Recording
    take: Any
    faces: list[faces.Face]
    warnings: list[str]

    @property
    def digest(self) -> str:
        """Equal for equal motion."""
        motion = self.recording
        numbers = (motion.positions, motion.rotations, motion.offsets, np.array([motion.first, motion.fps]))
        found = hashlib.sha256(json.dumps([self.action.name, motion.names, motion.parents]).encode())
        for each in numbers:
            found.update(np.ascontiguousarray(each).tobytes())
        return found.hexdigest()


def read(context: Context, owner: Object, action: Action, is_active: bool = True) -> Source:
    """An action as a take of the library; `is_active` says whether it is what the armature shows."""
    with spoken() as said, actions.assigned(owner, action):
        recording = pose.read(context, owner, action)
        take = library().Take.from_arrays(**pose.arrays_of(recording), name=action.name)
    found, linked = faces.read(owner, action, is_active, recording.first, take.num_frames)
    return Source(action, recording, take, found, said + linked)


def asked(settings: Any, searches: bool = True) -> dict[str, Any]:
    """The settings as the library names them, with those of the search. Refuses a recipe that cannot be read."""
    found: dict[str, Any] = {"recipe": None, **(settings.searched() if searches else {}), **settings.keywords()}
    if settings.recipe:
        import tomllib

        try:
            found["recipe"] = tomllib.loads(settings.recipe.as_string())
        except tomllib.TOMLDecodeError as error:
            what = f'The recipe "{settings.recipe.name}" cannot be read: {error}'
            raise Refusal(what, "Correct it in the Text Editor, or choose none") from error
    return found


# The last search: what was searched, and what it found. Candidates of the library cannot be stored in a file.
_last: tuple[str, Any] = ("", None)


def _search_key(source: Source, settings: Any) -> str:
    return source.digest + json.dumps(asked(settings), default=str)


def find(source: Source, settings: Any) -> Any:
    """The list of loops."""
    global _last
    with spoken() as said:
        found = source.take.find(**asked(settings))
        if not found:
            # Says why there is none.
            source.take.make(**asked(settings))
    source.warnings += said
    _last = _search_key(source, settings), found
    return found


def make(source: Source, settings: Any, row: int | None = None) -> Any:
    """The recommended loop, or that of a row of the list, counted from 0."""
    with spoken() as said:
        if row is None:
            loop = source.take.make(**asked(settings))
        else:
            if _last[0] != _search_key(source, settings):
                find(source, settings)
            loop = source.take.make(candidate=_last[1][row], **asked(settings, searches=False))
    source.warnings += said
    return loop


def make_one(context: Context, owner: Object, take: Action, rigs: dict[str, Any]) -> tuple[Action, Any, list[str]]:
    """The recommended loop of an action, as a new one, with its slot and what is to be said of it. The armature stays as it is.

    Rigs that were studied are kept by the names of their armatures.
    """
    settings = context.scene.loopwright
    with pose.unchanged(owner):
        source = read(context, owner, take, bool(owner.animation_data) and take == owner.animation_data.action)
        source.recording.rigs = rigs
        action, slot = write(context, source, make(source, settings), settings.root)
        keep(take)
    return action, slot, source.recording.said


def keep(take: Action) -> None:
    """Sees to it that a take is saved although nothing uses it any more."""
    if take.library is None:
        take.use_fake_user = True


def write(context: Context, source: Source, loop: Any, root: str) -> tuple[Action, Any]:
    """The loop as a new action of the armature, with those of its faces, which are not assigned, and its slot."""
    with spoken():
        looped = [loop.looped_along(face.values) for face in source.faces]
    action, slot = _write(context, source.recording, f"{source.action.name}-loop", loop, root)
    # Of one cycle.
    frames = context.scene.frame_start + np.arange(loop.num_samples + 1) / loop.fps * source.recording.fps
    faces.write(source.faces, looped, frames, action)
    return action, slot


def assign(owner: Object, action: Action, slot: Any) -> None:
    """Lets a loop play, its faces too."""
    actions.assign(owner, action, slot)
    faces.assign(action)


def _write(context: Context, recording: pose.Recording, name: str, loop: Any, root: str) -> tuple[Action, Any]:
    linear, angular = loop.twist
    # Blender repeats a straight way, but no circle.
    turns_on = root != "IN_PLACE" and np.linalg.norm(angular) * loop.period >= _STRAIGHT
    repeats = context.scene.loopwright.repeats if turns_on else 1
    times = np.arange(repeats * loop.num_samples + 1) / loop.fps
    frames = context.scene.frame_start + times * recording.fps
    points, quaternions = loop.sample(times, scalar_first=True)
    # A root joint that was added for an engine is none of the samples.
    order = _order(loop.names[loop.num_joints - loop.num_body_joints :], recording)
    points, turns = points[:, order], rotations.matrices_of(quaternions[:, order])
    action, slot = _carry(
        context,
        recording,
        name,
        frames,
        points,
        turns,
        _roots(loop, times),
        root,
        cycle=loop.num_samples,
        goes_on=root != "IN_PLACE" and not turns_on,
    )
    action["loopwright_grade"] = loop.grade
    action["loopwright_reason"] = loop.reason
    action["loopwright_period"] = loop.period
    action["loopwright_speed"] = loop.speed
    action["loopwright_turn_rate"] = loop.turn_rate
    # In the root's own axes as Blender has them: X left, Y back, Z up.
    action["loopwright_velocity"] = (linear @ rotations.TO_Y_UP).tolist()
    action["loopwright_angular_velocity"] = (angular @ rotations.TO_Y_UP).tolist()
    action["loopwright_root_start"] = (loop.root(0.0).positions @ rotations.TO_Y_UP).tolist()
    action["loopwright_root_motion"] = root
    action["loopwright_recipe"] = loop.recipe or ""
    return action, slot


def _roots(loop: Any, times: Any) -> Any:
    """Where the root is (F, 4, 4)."""
    points, quaternions = loop.root(times, scalar_first=True)
    return rotations.transforms(rotations.matrices_of(quaternions), points)


def _carry(
    context: Context,
    recording: pose.Recording,
    name: str,
    frames: Any,
    points: Any,
    turns: Any,
    roots: Any,
    root: str,
    **repeats: Any,
) -> tuple[Action, Any]:
    """A new action, and its slot, of joints at points with turns, whose root is where `roots` says, carried as the settings say."""
    had_root = pose.root_bone(recording.owner) is not None
    if root == "OBJECT":
        pose.check_deltas(recording.owner)
    elif root == "NEW_BONE":
        pose.add_root_bone(context, recording.owner)
    away = roots @ np.linalg.inv(roots[0])
    if root == "IN_PLACE":
        back = np.linalg.inv(away)
        points = (back[:, None, :3, :3] @ points[..., None])[..., 0] + back[:, None, :3, 3]
        turns = back[:, None, :3, :3] @ turns
    moved = {"OBJECT": {"object_motion": away}, "NEW_BONE": {"root_motion": roots}}.get(root, {})
    try:
        return pose.write(recording, name, frames, points, turns, **moved, **repeats)
    except Refusal:
        if not had_root:
            pose.remove_root_bone(context, recording.owner)
        raise


def mirror(context: Context, source: Source) -> tuple[Action, Any]:
    """The action with left and right exchanged, as a new one, and its slot."""
    name, root = f"{source.action.name}-mirrored", source.action.get("loopwright_root_motion")
    with spoken():
        if root and source.action.use_cyclic:
            return _write(context, source.recording, name, library().mirror(_loop_of(source, "mirrored")), root)
        other = library().mirror(source.take)
    return _write_take(context, source.recording, name, other, repeats=bool(source.action.use_cyclic))


def _loop_of(source: Source, done: str) -> Any:
    """An action that is marked as cyclic as the loop that it is."""
    take, first = source.take, source.recording.first
    start, end = source.action.frame_range
    if max(abs(start - first), abs(end - first - take.num_frames + 1)) > 1e-3:
        what = f'"{source.action.name}" repeats from frame {start:g} to {end:g}, but its keys on whole frames go from {first} to {first + take.num_frames - 1}'
        raise Refusal(what, f"Set its Manual Frame Range to those, or switch off Cyclic Animation there, and it is {done} as a take")
    # Keeps what loops already.
    loop = take.make()
    return loop if loop.num_samples == take.num_frames - 1 else take.close(0, take.num_frames - 1)


def _write_take(
    context: Context, recording: pose.Recording, name: str, take: Any, root: str = "BONE", repeats: bool = False
) -> tuple[Action, Any]:
    order = _order(take.names, recording)
    turns = rotations.matrices_of(take.world_rotations(scalar_first=True))
    frames = recording.first + np.arange(len(turns), dtype=float)
    roots = np.tile(np.eye(4), (len(turns), 1, 1))
    if root != "BONE":
        # A take has no root of its own: it is on the ground below the hips, and turns about the vertical as they do.
        hips = list(take.names).index(library().inspect(take)["hips"])
        roots[:, :3, :3] = rotations.about_vertical(turns[:, hips])
        roots[:, [0, 2], 3] = take.positions[:, hips][:, [0, 2]]
    cycle = len(turns) - 1 if repeats else 0
    return _carry(context, recording, name, frames, take.positions[:, order], turns[:, order], roots, root, cycle=cycle)


def _order(names: Sequence[str], recording: pose.Recording) -> list[int]:
    """Where the joints of a recording are among those of the library, which may have another order."""
    return [names.index(name) for name in recording.names]


def retarget(context: Context, source: Source, owner: Object, settings: Any) -> tuple[Action, Any, str]:
    """The motion of another armature on this one, as a new action, its slot, and the grade of a loop.

    An action that is marked as cyclic is a loop.
    """
    with spoken("Choose an armature with the same kind of body at From") as said:
        motion = _loop_of(source, "retargeted") if source.action.use_cyclic else source.take
        recording = pose.at_rest(context, owner, source.recording.first, source.take.num_frames)
        still = np.tile([1.0, 0.0, 0.0, 0.0], (1, len(recording.names), 1))
        rest = library().Take.from_arrays(**{**pose.arrays_of(recording), "rotations": still}, name=owner.name)
        with tempfile.TemporaryDirectory() as folder:
            rig = character.write(context, recording, rest, Path(folder))
            motion = library().retarget(motion, rig, recenter=True if settings.origin else None, **_pose_of(context, source, owner))
    name = f"{source.action.name}-{owner.name}"
    if source.action.use_cyclic:
        done = *_write(context, recording, name, motion, settings.root), f": {motion.grade}, {motion.reason}"
    else:
        done = *_write_take(context, recording, name, motion, settings.root), ""
    source.warnings += said + recording.said
    return done


def _pose_of(context: Context, source: Source, owner: Object) -> dict[str, Any]:
    """The pose in which a motion is compared with an armature, and how much higher it looks, as the library names them."""
    asked: dict[str, Any] = {}
    if (reference := owner.loopwright.reference) != "auto":
        asked["reference"] = context.scene.frame_current - source.recording.first if reference == "frame" else reference
    if gaze := owner.loopwright.gaze:
        asked["gaze"] = float(np.degrees(gaze))
    return asked


def check(source: Source) -> Any:
    """Checks how the action plays over its seam."""
    # The warning about a missing sidecar says nothing here.
    with spoken():
        return library().check(source.take)
