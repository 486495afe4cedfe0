"""Bodies whose joints are known by name, or by their number alone."""

from __future__ import annotations

from collections.abc import Iterator

from ._errors import ArrayError

def _fingers(side: str, names: str, joints: str) -> Iterator[str]:
    """Fingers of a hand, the first joint of each below `side` + "Hand"."""
    for finger in names.split():
        for at, joint in enumerate(joints.split()):
            yield f"{side}Hand{finger}{joint}" + (f"<{side}Hand" if at == 0 else "")


def _arm(side: str, chest: str, fingers: str, joints: str) -> str:
    arm = f"{side}Shoulder<{chest} {side}Arm {side}ForeArm {side}Hand"
    thumb = _fingers(side, "Thumb", joints.replace("4 ", "") if "End" in joints else joints)
    return " ".join([arm, *thumb, *_fingers(side, fingers, joints)])


def _hand_of_smpl(side: str) -> str:
    fingers = ("index", "middle", "pinky", "ring", "thumb")
    return " ".join(f"{side}_{name}{at}" + (f"<{side}_wrist" if at == 1 else "") for name in fingers for at in (1, 2, 3))


def _legs(sides: str, names: str, hips: str) -> str:
    return " ".join(side + names.replace(" ", f" {side}").replace(" ", f"<{hips} ", 1) for side in sides.split())


_SMPL = (
    "pelvis left_hip right_hip<pelvis spine1<pelvis left_knee<left_hip right_knee<right_hip spine2<spine1 left_ankle<left_knee "
    "right_ankle<right_knee spine3<spine2 left_foot<left_ankle right_foot<right_ankle neck<spine3 left_collar<spine3 right_collar<spine3 "
    "head<neck left_shoulder<left_collar right_shoulder<right_collar left_elbow<left_shoulder right_elbow<right_shoulder "
    "left_wrist<left_elbow right_wrist<right_elbow"
)
_HANDS = " ".join(map(_hand_of_smpl, ("left", "right")))
_SOMA = "Hips Spine1 Spine2 Chest Neck1 Neck2 Head {}Jaw<Head LeftEye<Head RightEye<Head"
_G1_LEGS = "_hip_pitch_skel _hip_roll_skel _hip_yaw_skel _knee_skel _ankle_pitch_skel _ankle_roll_skel _toe_base"
_G1_ARMS = (
    "_shoulder_pitch_skel _shoulder_roll_skel _shoulder_yaw_skel _elbow_skel _wrist_roll_skel _wrist_pitch_skel _wrist_yaw_skel "
    "_hand_roll_skel"
)
_SOMA_77 = [_arm(side, "Chest", "Index Middle Ring Pinky", "1 2 3 4 End") for side in ("Left", "Right")]
_SOMA_30 = [
    f"{side}Shoulder<Chest {side}Arm {side}ForeArm {side}Hand {side}HandThumbEnd {side}HandMiddleEnd<{side}Hand"
    for side in ("Left", "Right")
]
_MIXAMO = [_arm(side, "Spine2", "Index Middle Ring Pinky", "1 2 3 4") for side in ("Left", "Right")]

# Joints in their order: each below the one before it, or below the one that is named behind "<".
_JOINTS = {
    "smpl": f"{_SMPL} left_hand<left_wrist right_hand<right_wrist",
    "smplh": f"{_SMPL} {_HANDS}",
    "smplx": f"{_SMPL} jaw<head left_eye<head right_eye<head {_HANDS}",
    "humanml3d": _SMPL,
    "kimodo30": f"{_SOMA.format('')} {' '.join(_SOMA_30)} {_legs('Left Right', 'Leg Shin Foot ToeBase', 'Hips')}",
    "kimodo77": f"{_SOMA.format('HeadEnd ')} {' '.join(_SOMA_77)} {_legs('Left Right', 'Leg Shin Foot ToeBase ToeEnd', 'Hips')}",
    "kimodo34": (
        f"pelvis_skel {_legs('left right', _G1_LEGS, 'pelvis_skel')} waist_yaw_skel<pelvis_skel waist_roll_skel waist_pitch_skel "
        f"{_legs('left right', _G1_ARMS, 'waist_pitch_skel')}"
    ),
    "mixamo": f"Hips Spine Spine1 Spine2 Neck Head HeadTop_End {' '.join(_MIXAMO)} {_legs('Left Right', 'UpLeg Leg Foot ToeBase Toe_End', 'Hips')}",
}


def body(known: str | int) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names and parents of the joints of a body, in the order in which its arrays have them.

    `known` is "smpl" (24 joints), "smplh" (52), "smplx" (55), "humanml3d" (22, which SMPL's bodies begin with), "kimodo30", "kimodo34" (the
    robot G1), "kimodo77" or "mixamo" (65); or the number of joints. Raises ArrayError.

    >>> names, parents = body("humanml3d")
    >>> names[:3], parents[:3]
    (('pelvis', 'left_hip', 'right_hip'), (-1, 0, 0))
    """
    listed = {name: text.split() for name, text in _JOINTS.items()}
    name = next((name for name, joints in listed.items() if str(known) in (name, str(len(joints)))), None)
    if name is None:
        each = ", ".join(f"{name} ({len(joints)})" for name, joints in listed.items())
        raise ArrayError(f"body: expected one of {each}, found {known!r:.60}", hint="its own names and parents")
    names: list[str] = []
    parents: list[int] = []
    for joint in listed[name]:
        own, _, above = joint.partition("<")
        parents.append(names.index(above) if above else len(names) - 1)
        names.append(own)
    return tuple(names), tuple(parents)
