# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigs whose deform bones are moved by controls: which bones deform, and which control moves which of them.

How a rig works inside does not matter: each control is moved once, and what moves rigidly with it follows it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Context, Object
from mathutils import Matrix, Quaternion, Vector

from . import actions
from .rotations import Floats, crosses

# Custom properties that switch a limb from IK to FK, such as IK_FK of Rigify.
_SWITCH = re.compile(r"ik.?(2|to)?.?fk|fk.?(2|to)?.?ik", re.IGNORECASE)
_PROPERTY = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\["((?:[^"\\]|\\.)*)"\]')
# The channels of poses, which constraints of these kinds do not set by themselves.
_LIMITS = ("LIMIT_LOCATION", "LIMIT_ROTATION", "LIMIT_SCALE", "LIMIT_DISTANCE")
# Rigid, for numbers of single precision, of the size of the body; what bends or stretches differs by a thousand times as much.
_RIGID = 1e-4
# A control that this share of the deform bones follows carries the character. The head may keep its own direction.
_MOST = 0.9
# Ways in which bones follow a control: rigidly, with their axis but not their twist, or with the point where they start.
_WHOLE, _AXIS, _HEAD = range(3)


@dataclass
class Carrier:
    """A control that carries a deform bone."""

    control: str
    bone: str
    # The bone has its twist from the control too.
    twists: bool
    # It carries where the bone starts, but not where it leads; it has what the others cannot show, as tweaks do.
    is_fine: bool
    # Bones that it moves as one with itself, and all that it moves.
    rigid: set[str]
    moves: set[str]


@dataclass
class Rig:
    """How the bones follow the controls, with limbs in FK."""

    # Names of all bones, and their poses in the armature when controls are at rest (B, 4, 4).
    bones: list[str]
    rest: Floats
    # Coarse ones first.
    carriers: list[Carrier]
    # Other controls that move deform bones.
    others: list[str]
    # Custom properties of bones that put limbs into FK.
    switches: dict[tuple[str, str], float]


def deforming(owner: Object) -> list[Any]:
    """The deform bones of a rig, those that other bones of it move by constraints; none for armatures without controls."""
    found = [bone for bone in owner.pose.bones if bone.bone.use_deform]
    return found if any(_is_held(owner, bone) for bone in found) else []


def _is_held(owner: Object, bone: Any) -> bool:
    for each in bone.constraints:
        targets = each.targets if each.type == "ARMATURE" else [each]
        for target in targets:
            if getattr(target, "target", None) == owner and (by := owner.pose.bones.get(target.subtarget)) and not by.bone.use_deform:
                return True
    return False


def is_driven(owner: Object, path: str) -> bool:
    """Whether a driver sets a channel."""
    drivers = owner.animation_data.drivers if owner.animation_data else ()
    return any(driver.data_path == path and not driver.mute for driver in drivers)


def study(context: Context, owner: Object, added: Any) -> Rig:
    """Moves each control once; the armature must have no action then, and is left at rest. A bone that was `added` is no control."""
    found = [bone for bone in owner.pose.bones if bone != added and _is_control(owner, bone)]
    if any(bone.custom_shape for bone in found):
        found = [bone for bone in found if bone.custom_shape]
    for bone in owner.pose.bones:
        bone.matrix_basis = Matrix()

    def tried(values: dict[tuple[str, str], float]) -> tuple[Floats, Any, Any]:
        for (bone, name), value in values.items():
            holder = owner.pose.bones[bone]
            holder[name] = type(holder[name])(value)
        return _followers(context, owner, found)

    names = [bone.name for bone in owner.pose.bones]
    chosen = {}
    if switches := _switches(owner):
        # In FK the bones of a limb follow more controls.
        at_zero, at_one = (tried(dict.fromkeys(switches, value))[1][_AXIS].sum(0) for value in (0.0, 1.0))
        for switch, held in switches.items():
            here = [names.index(each) for each in held]
            chosen[switch] = float(at_one[here].sum() >= at_zero[here].sum())
    return _rig(owner, found, names, tried(chosen), chosen)


def _rig(owner: Object, found: list[Any], names: list[str], tried: tuple[Floats, Any, Any], switches: Any) -> Rig:
    rest, follows, moves = tried
    deform = [names.index(bone.name) for bone in owner.pose.bones if bone.bone.use_deform]
    of_controls = [names.index(bone.name) for bone in found]
    turns = [not all(bone.lock_rotation) for bone in found]
    size = np.ptp(rest[:, :3, 3], axis=0).max()

    def near(control: int, bone: int) -> float:
        return float(np.linalg.norm(rest[of_controls[control], :3, 3] - rest[bone, :3, 3]))

    def finest(by: int, taken: Any) -> dict[int, int]:
        """For each control the nearest deform bone of those that no finer one carries; of equally fine controls, the nearest, or that which carries others."""
        counts, all_of_it = follows[by][:, deform].sum(-1), follows[by].sum(-1)
        chosen: dict[int, int] = {}
        for bone in deform:
            if candidates := [control for control in range(len(found)) if follows[by][control, bone] and turns[control]]:
                control = min(candidates, key=lambda each: (counts[each], round(near(each, bone) / size, 3), -all_of_it[each]))
                if control not in taken and (control not in chosen or near(control, bone) < near(control, chosen[control])):
                    chosen[control] = bone
        return chosen

    coarse = finest(_AXIS, ())
    # The innermost of the controls that carry all moves the character over the ground.
    counts = follows[_AXIS][:, deform].sum(-1)
    carrying = [control for control in range(len(found)) if turns[control] and counts[control] >= _MOST * len(deform)]
    if carrying:
        inner = max(carrying, key=lambda each: sum(follows[_AXIS][other, of_controls[each]] for other in carrying))
        coarse.setdefault(inner, min(deform, key=lambda bone: near(inner, bone)))
    fine = finest(_HEAD, coarse)
    order = sorted(coarse, key=lambda each: -follows[_AXIS][each].sum()) + sorted(fine, key=lambda each: -follows[_HEAD][each].sum())
    both = {**coarse, **fine}
    return Rig(
        bones=names,
        rest=rest,
        carriers=[
            Carrier(
                control=found[control].name,
                bone=names[both[control]],
                twists=bool(follows[_WHOLE][control, both[control]]) or control in fine,
                is_fine=control in fine,
                rigid={names[bone] for bone in np.flatnonzero(follows[_WHOLE][control])},
                moves={names[bone] for bone in np.flatnonzero(moves[control])},
            )
            for control in order
        ],
        others=[bone.name for control, bone in enumerate(found) if control not in both and moves[control, deform].any()],
        switches=switches,
    )


def placed(rig: Rig, carrier: Carrier, wanted: Floats, shown: Floats) -> Floats:
    """Where a control belongs (F, 4, 4), so that its deform bone comes from where it is shown to where it is wanted; both without scale."""
    control = shown[:, rig.bones.index(carrier.control)]
    bone = shown[:, rig.bones.index(carrier.bone)]
    turn = wanted[:, :3, :3] @ np.swapaxes(bone[:, :3, :3], -1, -2)
    if not carrier.twists:
        turn = _arcs(bone[:, :3, 1], wanted[:, :3, 1])
    found = control.copy()
    found[:, :3, :3] = turn @ control[:, :3, :3]
    found[:, :3, 3] = wanted[:, :3, 3] + (turn @ (control - bone)[:, :3, 3:])[..., 0]
    return found


def _arcs(before: Floats, after: Floats) -> Floats:
    """The smallest rotations (F, 3, 3) that bring unit vectors to others."""
    cross = crosses(np.cross(before, after))
    # Opposite directions have no smallest one; they are left to the next round.
    share = 1 / np.maximum(1 + (before * after).sum(-1), 1e-6)
    return np.eye(3) + cross + cross @ cross * share[:, None, None]


def poses_of(context: Context, owner: Object) -> Floats:
    """The poses of all bones in the armature (B, 4, 4), as they are shown now."""
    evaluated = owner.evaluated_get(context.evaluated_depsgraph_get())
    # Blender stores columns.
    return actions.numbers_of(evaluated.pose.bones, "matrix", 16).reshape(-1, 4, 4).swapaxes(-1, -2).astype(float)


def _followers(context: Context, owner: Object, found: list[Any]) -> tuple[Floats, Any, Any]:
    """Poses at rest, which bones follow each control (3 ways, controls, bones), and which it moves (controls, bones)."""
    owner.update_tag()
    context.view_layer.update()
    rest = poses_of(context, owner)
    size = np.ptp(rest[:, :3, 3], axis=0).max()
    # About no axis of a joint, so that nothing moves rigidly by chance.
    turn = Quaternion(Vector((1, 2, 3)).normalized(), 0.4).to_matrix().to_4x4()
    follows, moves = np.zeros((3, len(found), len(rest)), bool), np.zeros((len(found), len(rest)), bool)
    for index, bone in enumerate(found):
        slides = not (bone.bone.use_connect or all(bone.lock_location))
        bone.matrix_basis = Matrix.Translation(Vector((0.03, 0.05, 0.04)) * size * slides) @ turn
        context.view_layer.update()
        moved = poses_of(context, owner)
        bone.matrix_basis = Matrix()
        at = owner.pose.bones.find(bone.name)
        motion = moved[at] @ np.linalg.inv(rest[at])
        off, changed = (np.abs(there - moved).max(1) / [1, 1, 1, size] for there in (motion @ rest, rest))
        moves[index] = changed.max(-1) > _RIGID
        for way, columns in enumerate(([0, 1, 2, 3], [1, 3], [3])):
            follows[way, index] = (off[:, columns].max(-1) < _RIGID) & moves[index]
    context.view_layer.update()
    return rest, follows, moves


def _is_control(owner: Object, bone: Any) -> bool:
    """Whether a bone is where its channels put it."""
    if bone.bone.use_deform or any(each.type not in _LIMITS and not each.mute for each in bone.constraints):
        return False
    return not any(is_driven(owner, actions.path_of(bone.name, channel)) for channel in actions.CHANNELS)


def _switches(owner: Object) -> dict[tuple[str, str], list[str]]:
    """Custom properties of bones that drive the influence of constraints from IK to FK, with the bones of these."""
    found: dict[tuple[str, str], list[str]] = {}
    for driver in owner.animation_data.drivers if owner.animation_data else ():
        held = actions.bone_of(driver.data_path)
        if held is None or not held[1].startswith("constraints["):
            continue
        for variable in driver.driver.variables:
            target = variable.targets[0]
            read = _PROPERTY.fullmatch(target.data_path) if target.id == owner else None
            if read is None:
                continue
            bone, name = (re.sub(r"\\(.)", r"\1", part) for part in read.groups())
            is_number = bone in owner.pose.bones and isinstance(owner.pose.bones[bone].get(name), (int, float))
            if is_number and _SWITCH.search(name):
                found.setdefault((bone, name), []).append(held[0])
    return found
