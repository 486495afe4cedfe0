# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions of both kinds: with curves of their own, and since 4.4 with slots, layers and strips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, FCurve, Object

from .rotations import Floats

HAS_SLOTS = bpy.app.version >= (4, 4, 0)
# Channels that place an object or a bone.
ROTATIONS = ("rotation_quaternion", "rotation_euler", "rotation_axis_angle")
CHANNELS = ("location", "scale", *ROTATIONS)
_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(.*)')
_LINEAR, _AUTO_CLAMPED = 1, 4


def bone_of(path: str) -> tuple[str, str] | None:
    """The bone that a channel moves, and which of its properties."""
    found = _BONE.fullmatch(path)
    return (re.sub(r"\\(.)", r"\1", found[1]), found[2]) if found else None


def path_of(bone: str, channel: str) -> str:
    """The channel of a bone."""
    return f'pose.bones["{bpy.utils.escape_identifier(bone)}"].{channel}'


def tracks(owner: Any) -> list[Any]:
    """The tracks of the NLA of an object, or of shape keys."""
    return list(owner.animation_data.nla_tracks) if owner.animation_data else []


def strips(owner: Object) -> list[Any]:
    """The strips of an object's NLA."""
    return [strip for track in tracks(owner) for strip in track.strips]


def slots(action: Action | None) -> list[Any]:
    """The slots of an action."""
    return list(getattr(action, "slots", ()))


def slot_of(data: Any) -> Any:
    """The slot that animation data or a strip uses. None without."""
    return getattr(data, "action_slot", None)


def slot_named(action: Action | None, identifier: str) -> Any:
    """The slot of an action by its identifier. None without."""
    return next((slot for slot in slots(action) if slot.identifier == identifier), None)


def slot_for(owner: Object, action: Action) -> Any:
    """The slot of an action that moves this object: the one in use, that of its NLA, the one with its name, or the first. None without."""
    in_use = [each for each in (owner.animation_data, *strips(owner)) if each and each.action == action and slot_of(each)]
    if in_use:
        return slot_of(in_use[0])
    fitting = [slot for slot in slots(action) if slot.target_id_type in ("OBJECT", "UNSPECIFIED")]
    named = [slot for slot in fitting if slot.name_display == owner.name]
    return next(iter(named or fitting), None)


def curves(action: Action, slot: Any) -> list[FCurve]:
    """The curves of an action, those of the slot."""
    if not HAS_SLOTS:
        return list(action.fcurves)
    if slot is None:
        return []
    bags = (strip.channelbag(slot) for layer in action.layers for strip in layer.strips if strip.type == "KEYFRAME")
    return [curve for bag in bags if bag for curve in bag.fcurves]


def is_muted(curve: FCurve) -> Any:
    """Whether a curve does nothing, by itself or in its group."""
    return curve.mute or (curve.group and curve.group.mute)


def moves(owner: Object, action: Action) -> bool:
    """Whether an action moves bones of an armature."""
    found = (bone_of(curve.data_path) for curve in curves(action, slot_for(owner, action)))
    return any(bone and bone[0] in owner.pose.bones for bone in found)


def assign(owner: Any, action: Action | None, slot: Any = None) -> None:
    """Lets an action move the object, or shape keys."""
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if HAS_SLOTS and action is not None and slot is not None:
        data.action_slot = slot


@contextmanager
def assigned(owner: Object, action: Action | None) -> Iterator[None]:
    """Lets an action move the object for a while, or none."""
    data = owner.animation_data or (action and owner.animation_data_create())
    if not data:
        yield
        return
    before, slot = data.action, slot_of(data)
    if before == action and (not HAS_SLOTS or slot is not None):
        yield
        return
    assign(owner, action, slot_for(owner, action))
    try:
        yield
    finally:
        assign(owner, before, slot)


def numbers_of(items: Any, name: str, width: int, kind: type = np.float32) -> Floats:
    """A property of so many numbers of all items of a collection, one after the other."""
    found = np.empty(width * len(items), kind)
    items.foreach_get(name, found)
    return found


def times_of(all_curves: Iterable[FCurve]) -> Floats:
    """The frames of all keys, each once, in order."""
    return np.unique(np.concatenate([np.empty(0, np.float32), *(numbers_of(curve.keyframe_points, "co", 2)[::2] for curve in all_curves)]))


def move_keys(curve: FCurve, factor: float = 1, by: float = 0) -> None:
    """Multiplies the frames of all keys, and adds a number to their values."""
    for name in ("co", "handle_left", "handle_right"):
        points = numbers_of(curve.keyframe_points, name, 2)
        points[::2] *= factor
        points[1::2] += by
        curve.keyframe_points.foreach_set(name, points)
    curve.update()


class Writer:
    """A new action, and its curves."""

    def __init__(self, owner: Any, name: str) -> None:
        self.action = bpy.data.actions.new(name)
        self.slot = None
        kind = "KEY" if isinstance(owner, bpy.types.Key) else "OBJECT"
        self._curves: Any = None
        if HAS_SLOTS:
            self.slot = self.action.slots.new(id_type=kind, name=owner.name)
            strip = self.action.layers.new("Layer").strips.new(type="KEYFRAME")
            bag = strip.channelbag(self.slot, ensure=True)
            self._curves, self._groups = bag.fcurves, bag.groups
        else:
            self.action.id_root = kind
            self._curves, self._groups = self.action.fcurves, self.action.groups

    def add(self, path: str, group: str, frames: Any, values: Any, repeat: str | None) -> None:
        """Curves with all their keys for the values (F, axes) of a channel.

        They repeat by "REPEAT", or by "REPEAT_OFFSET", where each time starts where the last ended, or not.
        """
        interpolations = np.full(len(frames), _LINEAR, np.int32)
        handles = np.full(len(frames), _AUTO_CLAMPED, np.int32)
        for axis, numbers in enumerate(values.T):
            curve = self._curves.new(path, index=axis)
            curve.group = self._groups.get(group) or self._groups.new(group)
            keys = curve.keyframe_points
            keys.add(len(frames))
            keys.foreach_set("co", np.column_stack([frames, numbers]).astype(np.float32).ravel())
            keys.foreach_set("interpolation", interpolations)
            keys.foreach_set("handle_left_type", handles)
            keys.foreach_set("handle_right_type", handles)
            curve.update()
            if repeat:
                cycles = curve.modifiers.new("CYCLES")
                cycles.mode_before = cycles.mode_after = repeat

    def add_of_bone(self, bone: str, frames: Any, channels: Iterable[tuple[str, Any, str | None]]) -> None:
        """Curves of channels of a bone, with their values and how they repeat."""
        for channel, values, repeat in channels:
            self.add(path_of(bone, channel), bone, frames, values, repeat)

    def finish(self, first: float, last: float, cyclic: bool) -> Action:
        """The action, whose range is stated as that of one repetition."""
        self.action.use_frame_range = True
        self.action.frame_start, self.action.frame_end = first, last
        self.action.use_cyclic = cyclic
        self.action.use_fake_user = True
        return self.action
