# What becomes of legs on other characters: how hard their joints are turned by `retarget`, against the motion that they follow, and
# whether `make --rig` of a take is the same motion as `retarget` of its loop.
# Shares no code with loopwright; reader, forward kinematics and contacts are those of loops.py.
#
#   pip install numpy
#   python xtask/peers/characters.py LOOPWRIGHT MOCAP SCRATCH [PART OF A CHARACTER'S NAME...]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes and characters, SCRATCH a folder for loops. SCRATCH/characters.json has the figures
# of every pair.
#
# A joint turns as hard as the largest second difference of its rotation against the joint above it, over that of the joint that it follows
# in the loop of the take. A pop is a frame at which it turns 1.5 times as hard as that joint ever does. Lengths are of bodies whose legs
# are 0.9 m long.

import json
import os
import sys

import numpy as np

from feet import LEG, make
from loops import UNITS, Motion, inverse, mul, parsed, read, to_vector

TAKES = {
    "xia/neutral_01": "CMU",
    "xia/strutting_01": "CMU",
    "cmu/12_01_walk": "CMU",
    "100style/Neutral_FW": "cm",
    "bandai-namco/dataset-1_walk_normal_001": "cm",
    "bandai-namco/dataset-2_run_normal_020": "cm",
    "games-105/walk60": "m",
}
SIDES = ("left", "right")
# Hips, and by side thigh, knee, ankle and toes, as far as there are any.
CHARACTERS = {
    "gltf/Knight.glb": ["hips", "upperleg.{l}", "lowerleg.{l}", "foot.{l}", "toes.{l}"],
    "gltf/RobotExpressive.glb": ["Hips", "UpperLeg.{L}", "LowerLeg.{L}", "Foot.{L}"],
    "gltf/CesiumMan.gltf": ["node11", ["node7", "node8", "node9", "node10"], ["node3", "node4", "node5", "node6"]],
    "mesh2motion/human-male.glb": ["pelvis", "thigh_{l}", "calf_{l}", "foot_{l}", "ball_{l}"],
    "ufbx/blender_293_barbarian_7400_binary.fbx": [
        "bassin",
        ["jambe_gauche", "pied_gauche", "pied_gauche.001"],
        ["jambe_droite", "pied_droit", "pied_droit.001"],
    ],
    "ufbx/maya_kenney_character_7700_binary.fbx": ["Hips", "{Left}UpLeg", "{Left}Leg", "{Left}Foot", "{Left}Toes"],
    "ozz-pab/run.fbx": ["Pelvis", "{Left}UpLeg", "{Left}Leg", "{Left}Foot", "{Left}FootThumb1"],
    "isaacgym-cmu/07_01_cmu.fbx": ["Hips", "{Left}UpLeg", "{Left}Leg", "{Left}Foot", "{Left}ToeBase"],
}
JOINTS = ("thigh", "knee", "ankle", "ball")
POP = 1.5
STILL = 20.0  # radians per second squared, of a joint that is as good as still


def legs_of(hips, *names):
    if isinstance(names[0], list):
        return hips, names
    sides = [{"l": "l", "L": "L", "Left": "Left"}, {"l": "r", "L": "R", "Left": "Right"}]
    return hips, [[name.format(**side) for name in names] for side in sides]


class Character:
    """Joints of a character, with its legs by name."""

    def __init__(self, names, parents, character):
        self.names, self.parents = names, parents
        hips, legs = legs_of(*CHARACTERS[character])
        self.hips = names.index(hips)
        self.legs = [dict(zip(JOINTS, [*map(names.index, leg), None])) for leg in legs]


def read_character(path, character):
    plain = path + ".txt"  # names without spaces
    lines = open(path, encoding="utf-8").read().split("\n")
    joints = ("ROOT ", "JOINT ")
    lines = [word + line.strip()[len(word) :].replace(" ", "_") if (word := next(filter(line.strip().startswith, joints), "")) else line for line in lines]
    open(plain, "w", encoding="utf-8").write("\n".join(lines))
    names, parents, dt, positions, rotations = parsed(plain, 0.01)
    return Motion(Character(names, parents, character), dt, positions, rotations)


def hardness(motion, joint, above):
    """How hard a joint turns against one above it, around a loop, radians per second squared."""
    own = mul(inverse(motion.turns[:-1, above]), motion.turns[:-1, joint])
    around = np.concatenate([own, own[:2]])
    rates = to_vector(mul(inverse(around[:-1]), around[1:]))
    return np.linalg.norm(np.diff(rates, axis=0), axis=-1) / motion.dt**2


def size(motion):
    leg = motion.body.legs[0]
    bone = lambda a, b: np.linalg.norm(motion.places[0, leg[a]] - motion.places[0, leg[b]])
    return LEG / (bone("thigh", "knee") + bone("knee", "ankle"))


def measure(loop, carried, made):
    found = {name: [] for name in (*JOINTS, "place", "pops", "apart")}
    hips = next(joint for joint, parent in enumerate(loop.body.parents) if parent < 0)
    for theirs, ours in zip(loop.body.legs, carried.body.legs):
        above = hips, carried.body.hips
        for name in JOINTS:
            if theirs[name] is None or ours[name] is None:
                continue
            before, after = hardness(loop, theirs[name], above[0]), hardness(carried, ours[name], above[1])
            hardest = max(before.max(), STILL)
            found[name].append(after.max() / hardest)
            found["pops"].append(int(np.sum(after > POP * hardest)))
            above = theirs[name], ours[name]
            if name != "thigh":
                pull = lambda motion, joint: size(motion) * np.linalg.norm(np.diff(motion.places[:, joint], 2, axis=0), axis=-1).max()
                found["place"].append(pull(carried, ours[name]) / pull(loop, theirs[name]))
    joints = [carried.body.hips] + [leg[name] for leg in carried.body.legs for name in JOINTS if leg[name] is not None]
    if len(made) == len(carried):
        apart = made.seen_from_root()[:, joints] - carried.seen_from_root()[:, joints]
        found["apart"].append(1e3 * size(carried) * np.linalg.norm(apart, axis=-1).max())
    return found


def main(command, mocap, scratch, *wanted):
    known, by_pair = os.path.join(scratch, "character-loops.json"), {}
    path = lambda name: os.path.join(scratch, name)
    for take, unit in TAKES.items():
        source = os.path.join(mocap, take + ".bvh")
        into = make(command, source, path("loop.bvh"), "make")
        loop = read(into, UNITS[unit], "Y")
        for character in CHARACTERS:
            if wanted and not any(name in character for name in wanted):
                continue
            rig = ("--rig", os.path.join(mocap, character))
            carried = read_character(make(command, into, path("carried.bvh"), "retarget", *rig), character)
            made = read_character(make(command, source, path("made.bvh"), "make", *rig), character)
            found = measure(loop, carried, made)
            by_pair[f"{take} {character}"] = {name: [round(float(value), 3) for value in values] for name, values in found.items()}
    json.dump(by_pair, open(path("characters.json"), "w"), indent=0)
    of = lambda *names: np.array([value for found in by_pair.values() for name in names for value in found[name]])
    worst = np.array([max(value for name in JOINTS for value in found[name]) for found in by_pair.values()])
    at = lambda values, *ranks: " / ".join(f"{np.percentile(values, rank):.2f}" for rank in ranks) if len(values) else "-"
    print(f"{len(by_pair)} pairs\n| measure | value |\n| --- | --- |")
    print(f"| hardest turn of a leg's joint over its source's, by pair: median, 95th percentile, worst | {at(worst, 50, 95, 100)} |")
    for name in JOINTS:
        print(f"| {name}: the same, by leg | {at(of(name), 50, 95, 100)} |")
    print(f"| second difference of the place of knee, ankle or toes over the scaled source's: the same | {at(of('place'), 50, 95, 100)} |")
    print(f"| pops inside the loop, in all; pairs with any | {of('pops').sum():.0f}; {sum(any(found['pops']) for found in by_pair.values())} |")
    print(f"| make --rig against retarget of the loop, mm: median, 95th percentile, worst | {at(of('apart'), 50, 95, 100)} |")


if __name__ == "__main__":
    main(*sys.argv[1:])
