# Faults put into captured walks, once in every cycle, and whether the command says so. Shares no code with loopwright; the reader is that of
# loops.py.
#
#   pip install numpy
#   python bench/garbage.py LOOPWRIGHT MOCAP SCRATCH [--only KIND,...] [--most UNSEEN] [--most-false SHARE]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes with its manifest.csv, SCRATCH a folder for changed takes and loops. A fault is in
# every cycle, so the loop and all that the take says of itself have it, too. Prints as Markdown what `make` says of each kind in each walk
# (the checks that name it, "silent", or "refused"), then the sound takes, of which no other check speaks, but these do. With limits it fails
# where more faults are silent, or a larger share of sound takes is not.
#
# Rotations are 3 by 3 matrices, lengths in units of the file; one is METRE of a walk's `metre`.

import argparse
import csv
import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np

import loops

CHECKS = ("spike", "shake", "stutter", "bears", "anatomy", "stiff")
SIDES = ("left", "right")

# Take, the length of a metre, and the joints of the parts named PARTS.
PARTS = ("hips", "spine", "chest", "head", "arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
WALKS = {
    "bandai-namco/dataset-2_walk_normal_020.bvh": (100.0, "Hips Spine Chest Head UpperArm_* LowerArm_* Hand_* UpperLeg_* LowerLeg_* Foot_* Toes_*", "LR"),
    "100style/Neutral_FW.bvh": (100.0, "Hips Chest Chest4 Head *Shoulder *Elbow *Wrist *Hip *Knee *Ankle *Toe", ("Left", "Right")),
    "games-105/walk60.bvh": (1.0, "RootJoint pelvis_lowerback lowerback_torso torso_head *Shoulder *Elbow *Wrist *Hip *Knee *Ankle *ToeJoint", "lr"),
}


def about(axis, degrees):
    """Rotation matrices about unit axes, by angles of any shape."""
    angle = np.radians(np.asarray(degrees, float))[..., None, None]
    x, y, z = np.broadcast_to(axis, np.shape(degrees) + (3,)).T if np.ndim(degrees) else axis
    zero = np.zeros_like(x)
    cross = np.array([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    cross = np.moveaxis(cross, (0, 1), (-2, -1)) if np.ndim(degrees) else cross
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


X, Y, Z = np.eye(3)


def vector(turn):
    """Rotation vectors, degrees."""
    angle = np.arccos(np.clip((np.trace(turn, axis1=-2, axis2=-1) - 1) / 2, -1, 1))
    odd = np.stack([turn[..., 2, 1] - turn[..., 1, 2], turn[..., 0, 2] - turn[..., 2, 0], turn[..., 1, 0] - turn[..., 0, 1]], -1)
    return np.degrees(odd * (0.5 / np.maximum(np.sinc(angle / np.pi), 1e-9))[..., None])


def turned(vectors):
    angle = np.linalg.norm(vectors, axis=-1)
    return about(vectors / np.maximum(angle, 1e-12)[..., None], angle)


class Walk:
    """Local rotations and positions of each joint by frame, read from a BVH file and written back with positions of all."""

    def __init__(self, path):
        with open(path, encoding="utf-8", errors="replace") as file:
            self.head = re.sub(r"CHANNELS [^\n]*", CHANNELS, file.read().split("MOTION")[0])
        names, parents, self.dt, positions, rotations = loops.parsed(path, 1.0)
        # Ends of chains do not move.
        joints = [joint for joint, name in enumerate(names) if not name.endswith(" end")]
        self.names, self.parents = [names[joint] for joint in joints], [joints.index(parents[joint]) if parents[joint] >= 0 else -1 for joint in joints]
        self.places = [positions[:, joint] for joint in joints]
        self.turns = [turned(np.degrees(loops.to_vector(rotations[:, joint]))) for joint in joints]

    def __len__(self):
        return len(self.places[0])

    def joint(self, part, side="left"):
        return self.joints[part, side]

    def world(self):
        turns, places = [], []
        for joint, parent in enumerate(self.parents):
            turns.append(self.turns[joint] if parent < 0 else turns[parent] @ self.turns[joint])
            places.append(self.places[joint] if parent < 0 else places[parent] + (turns[parent] @ self.places[joint][..., None])[..., 0])
        return turns, places

    def write(self, path):
        values = np.concatenate([part for places, turns in zip(self.places, self.turns) for part in (places, angles(turns))], axis=1)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f"{self.head}MOTION\nFrames: {len(values)}\nFrame Time: {self.dt}\n")
            np.savetxt(file, values, fmt="%.5f")


CHANNELS = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"


def angles(turn):
    """Angles about Z, X and Y, degrees, unwrapped."""
    second = np.arcsin(np.clip(turn[:, 2, 1], -1, 1))
    first = np.arctan2(-turn[:, 0, 1], turn[:, 1, 1])
    third = np.arctan2(-turn[:, 2, 0], turn[:, 2, 2])
    return np.degrees(np.unwrap(np.stack([first, second, third], -1), axis=0))


# Faults: functions of a walk, which they change. Phases are shares of the cycle.

FAULTS = {}


def fault(name, change):
    FAULTS[name] = change


def moment(walk, phase=0.3, frames=1):
    """The frames of one moment in every cycle."""
    first = walk.start + np.arange(-200, 200) * walk.period + phase * walk.period
    near = np.concatenate([np.round(first) + by for by in range(frames)]).astype(int)
    return near[(near > 0) & (near < len(walk) - 1)]


def span(walk, first, last):
    """Whether frames are between two phases."""
    phase = (np.arange(len(walk)) - walk.start) / walk.period % 1.0
    return (phase >= first) & (phase < last)


def phase_wave(walk, times=1):
    return np.sin(2 * np.pi * times * (np.arange(len(walk)) - walk.start) / walk.period)


def leg(walk, side="left"):
    return [walk.joint(part, side) for part in ("thigh", "shin", "foot", "toe")]


def arm(walk, side="left"):
    return [walk.joint(part, side) for part in ("arm", "forearm", "hand")]


def turn_once(part, degrees, axis=X, frames=1, side="left"):
    def put(walk):
        at = moment(walk, frames=frames)
        walk.turns[walk.joint(part, side)][at] = walk.turns[walk.joint(part, side)][at] @ about(axis, degrees)

    return put


def move_root(walk, way, at=slice(None)):
    walk.places[walk.joint("hips")][at] += np.asarray(way) * walk.metre


for metres in (0.1, 1.0):
    fault(f"whole body up {metres} m, a frame", lambda walk, metres=metres: move_root(walk, [0, metres, 0], moment(walk)))
fault("whole body aside 20 cm, a frame", lambda walk: move_root(walk, [0.2, 0, 0], moment(walk)))
fault("knee 60 deg, a frame", turn_once("shin", 60))
fault("knee 45 deg, two frames", turn_once("shin", 45, frames=2))
fault("arm 150 deg, a frame", turn_once("arm", 150, Z))
fault("arm 40 deg, a frame", turn_once("arm", 40, Z))
fault("hand 60 deg, a frame", turn_once("hand", 60, Y))
fault("head 60 deg, a frame", turn_once("head", 60, Y))
fault("head 30 deg, a frame", turn_once("head", 30, X))
fault("foot 60 deg, a frame", turn_once("foot", 60, X))
fault("spine 40 deg, a frame", turn_once("spine", 40, Y))
fault("hips turn round, a frame", turn_once("hips", 180, Y))


def frozen(walk, joints, which):
    """Holds joints in each stretch of frames where `which` is true."""
    for at in range(1, len(which)):
        if which[at]:
            for joint in joints:
                walk.turns[joint][at] = walk.turns[joint][at - 1]


def hold(walk, which):
    for at in range(1, len(which)):
        if which[at]:
            for joint in range(len(walk.turns)):
                walk.turns[joint][at], walk.places[joint][at] = walk.turns[joint][at - 1], walk.places[joint][at - 1]


def keep(walk, frames):
    walk.turns = [turns[frames] for turns in walk.turns]
    walk.places = [places[frames] for places in walk.places]


fault("leg frozen for half a cycle, then snaps", lambda walk: frozen(walk, leg(walk), span(walk, 0.2, 0.7)))
fault("arm frozen for half a cycle, then snaps", lambda walk: frozen(walk, arm(walk), span(walk, 0.0, 0.5)))
fault("leg frozen", lambda walk: frozen(walk, leg(walk), np.ones(len(walk), bool)))
fault("both legs frozen", lambda walk: frozen(walk, leg(walk) + leg(walk, "right"), np.ones(len(walk), bool)))
fault("arm frozen, all the time", lambda walk: frozen(walk, arm(walk), np.ones(len(walk), bool)))
fault("all above the hips frozen", lambda walk: frozen(walk, [joint for joint in range(len(walk.names)) if joint not in leg(walk) + leg(walk, "right") + [0, walk.joint("hips")]], np.ones(len(walk), bool)))
for every in (2, 3, 4):
    fault(f"each {every} frames held", lambda walk, every=every: hold(walk, np.arange(len(walk)) % (every * walk.thirtieth) != 0))
fault("held for .15 s in every cycle", lambda walk: hold(walk, span(walk, 0.3, 0.3 + 0.15 / walk.dt / walk.period)))
fault("a third of the frames lost", lambda walk: hold(walk, np.random.default_rng(1).random(len(walk)) < 1 / 3))
fault("three frames lost in every cycle", lambda walk: keep(walk, np.setdiff1d(np.arange(len(walk)), moment(walk, frames=3 * walk.thirtieth))))


def round_turns(degrees):
    def put(walk):
        for joint, turns in enumerate(walk.turns):
            one, two, three = (about(axis, np.round(angle / degrees) * degrees) for axis, angle in zip((Z, X, Y), angles(turns).T))
            walk.turns[joint] = one @ two @ three

    return put


for degrees in (3, 5, 10):
    fault(f"rotations rounded to {degrees} deg", round_turns(degrees))


def rounded(walk, metres):
    grid = metres * walk.metre
    walk.places[walk.joint("hips")] = np.round(walk.places[walk.joint("hips")] / grid) * grid


for metres in (0.05, 0.1):
    fault(f"places rounded to {100 * metres:.0f} cm", lambda walk, metres=metres: rounded(walk, metres))


def noise(parts, degrees):
    def put(walk):
        rng = np.random.default_rng(1)
        for joint in parts(walk):
            walk.turns[joint] = walk.turns[joint] @ turned(rng.normal(0, degrees, (len(walk), 3)))

    return put


fault("noise of 2 deg, all joints", noise(lambda walk: range(len(walk.names)), 2))
fault("noise of 2 deg, legs", noise(lambda walk: leg(walk) + leg(walk, "right"), 2))
fault("noise of 6 deg, head", noise(lambda walk: [walk.joint("head")], 6))
fault("noise of 8 deg, hand", noise(lambda walk: [walk.joint("hand")], 8))
fault("noise of 8 deg, ankles", noise(lambda walk: [walk.joint("foot", side) for side in SIDES], 8))
for metres in (0.01, 0.03):
    fault(f"noise of {100 * metres:.0f} cm, hips", lambda walk, metres=metres: move_root(walk, np.random.default_rng(1).normal(0, metres, (len(walk), 3))))


def mapped(joints, change):
    def put(walk):
        for joint in joints(walk):
            walk.turns[joint] = change(walk, walk.turns[joint])

    return put


def later(share):
    return lambda walk, turns: turns[np.clip(np.arange(len(turns)) - round(share * walk.period), 0, None)]


def swapped(walk, at):
    for one, other in zip(leg(walk), leg(walk, "right")):
        first = walk.turns[one][at].copy()
        walk.turns[one][at], walk.turns[other][at] = walk.turns[other][at], first


def in_moments(walk, length, change):
    """Changes the order of frames within each moment."""
    order = np.arange(len(walk))
    for first in moment(walk):
        if first + length < len(order):
            order[first : first + length] = change(order[first : first + length])
    keep(walk, order)


fault("two frames exchanged in every cycle", lambda walk: in_moments(walk, 2 * walk.thirtieth, lambda frames: np.roll(frames, walk.thirtieth)))
fault("time runs back for .15 s in every cycle", lambda walk: in_moments(walk, round(0.15 / walk.dt), lambda frames: frames[::-1]))
fault("legs exchanged for a frame", lambda walk: swapped(walk, moment(walk)))
fault("legs exchanged for half a cycle", lambda walk: swapped(walk, span(walk, 0.2, 0.7)))
fault("knee frozen", lambda walk: frozen(walk, [walk.joint("shin")], np.ones(len(walk), bool)))
fault("both knees frozen", lambda walk: frozen(walk, [walk.joint("shin", side) for side in SIDES], np.ones(len(walk), bool)))
fault("noise of 4 deg, hips", noise(lambda walk: [walk.joint("hips")], 4))
fault("shin doubled, a frame", lambda walk: walk.places[walk.joint("foot")].__setitem__(moment(walk), 2 * walk.places[walk.joint("foot")][moment(walk)]))
fault("body tips by 50 deg and back", lambda walk: mapped(lambda walk: [walk.joint("hips")], lambda walk, turns: turns @ about(Z, 50 * np.maximum(phase_wave(walk), 0)))(walk))
fault("thigh spread by 45 deg", lambda walk: mapped(lambda walk: [walk.joint("thigh")], lambda walk, turns: turns @ about(Z, np.full(len(turns), 45.0)))(walk))
fault("leg negated", mapped(leg, lambda walk, turns: turned(-vector(turns))))
fault("leg mirrored", lambda walk: [walk.turns.__setitem__(one, walk.turns[other].copy()) for one, other in zip(leg(walk), leg(walk, "right"))])
fault("leg a quarter late", mapped(leg, later(0.25)))
fault("leg half a cycle late", mapped(leg, later(0.5)))
fault("leg at double speed", mapped(leg, lambda walk, turns: turns[(walk.start_frame + 2 * (np.arange(len(turns)) - walk.start_frame)) % len(turns)]))
fault("knees bend backwards", mapped(lambda walk: [walk.joint("shin", side) for side in SIDES], lambda walk, turns: turned(-vector(turns))))
fault("thigh twisted 90 deg", lambda walk: twist(walk, "thigh", 90))
fault("feet turned out 90 deg", lambda walk: [around_up(walk, "foot", side, by) for side, by in zip(SIDES, (90, -90))])
fault("shoulders turned 90 deg", lambda walk: around_up(walk, "spine", "left", 90))


def twist(walk, part, degrees):
    """Turns a joint about the bone to its first child."""
    joint = walk.joint(part)
    child = next(child for child, parent in enumerate(walk.parents) if parent == joint)
    bone = walk.places[child].mean(axis=0)
    walk.turns[joint] = walk.turns[joint] @ about(bone / np.linalg.norm(bone), degrees)


def around_up(walk, part, side, degrees):
    """Turns a joint about the vertical of the world."""
    joint = walk.joint(part, side)
    above = walk.world()[0][walk.parents[joint]]
    walk.turns[joint] = above.swapaxes(1, 2) @ about(Y, degrees) @ above @ walk.turns[joint]


def grown(parts, by):
    """Scales the bones that end in these joints."""

    def put(walk):
        for part in parts:
            walk.places[walk.joint(part)] = walk.places[walk.joint(part)] * np.reshape(by(walk), (-1, 1))

    return put


fault("shin breathes by 40 %", grown(["foot"], lambda walk: 1 + 0.4 * phase_wave(walk)))
fault("shin breathes by 15 %", grown(["foot"], lambda walk: 1 + 0.15 * phase_wave(walk)))
fault("leg longer by half", grown(["shin", "foot"], lambda walk: 1.5))
fault("arm longer by half", grown(["forearm", "hand"], lambda walk: 1.5))
fault("hips bob by 15 cm, once a cycle", lambda walk: move_root(walk, np.outer(0.15 * phase_wave(walk), Y)))
fault("hips bob by 10 cm, once a cycle", lambda walk: move_root(walk, np.outer(0.1 * phase_wave(walk), Y)))
fault("hips bob by 5 cm, three times a cycle", lambda walk: move_root(walk, np.outer(0.05 * phase_wave(walk, 3), Y)))
fault("body sinks by 30 cm in every cycle", lambda walk: move_root(walk, np.outer(-0.3 * (0.5 - 0.5 * np.cos(2 * np.pi * (np.arange(len(walk)) - walk.start) / walk.period)), Y)))


def travel(by, turn=0):
    def put(walk):
        hips = walk.places[walk.joint("hips")]
        ways = np.diff(hips, axis=0, prepend=hips[:1]) * [1, 0, 1]
        hips += np.cumsum(by * (about(Y, turn) @ ways[..., None])[..., 0] - ways, axis=0)

    return put


fault("travels at .3 of its speed", travel(0.3))
fault("travels at half its speed", travel(0.5))
fault("travels at 1.6 times its speed", travel(1.6))
fault("travels sideways", travel(1.0, 90))
fault("shoulder 1 m off", lambda walk: walk.places.__setitem__(walk.joint("arm"), walk.places[walk.joint("arm")] + walk.metre * Y))
fault("leg three times as long", grown(["shin", "foot"], lambda walk: 3.0))
fault("body rises by 30 cm in every cycle", lambda walk: move_root(walk, np.outer(0.15 - 0.15 * np.cos(2 * np.pi * (np.arange(len(walk)) - walk.start) / walk.period), Y)))
fault("hand flips by 180 deg for three frames", turn_once("hand", 180, Z, frames=3))
fault("head spins", lambda walk: mapped(lambda walk: [walk.joint("head")], lambda walk, turns: turns @ about(Y, 360 * (np.arange(len(turns)) - walk.start) / walk.period * 2))(walk))
fault("head turns over in a quarter of the cycle", lambda walk: mapped(lambda walk: [walk.joint("head")], lambda walk, turns: turns @ about(Y, 170 * np.clip(2 * phase_wave(walk), -0.5, 0.5)))(walk))
fault("triple speed", lambda walk: keep(walk, np.arange(0, len(walk), 3)))


def linear(walk, hertz):
    step = max(1, round(1 / hertz / walk.dt))
    at = np.arange(len(walk))
    low = at // step * step
    high, share = np.minimum(low + step, at[-1]), ((at - low) / step)[:, None]
    walk.places = [places[low] * (1 - share) + places[high] * share for places in walk.places]
    walk.turns = [turns[low] @ turned(share * vector(turns[low].swapaxes(1, 2) @ turns[high])) for turns in walk.turns]


for word, hertz in (("four", 4), ("eight", 8)):
    fault(f"{word} keys a second, joined by lines", lambda walk, hertz=hertz: linear(walk, hertz))


# What the command says.


def made(program, path, out, *flags):
    done = subprocess.run([program, "make", path, "-o", out, "-f", "--json", *flags], capture_output=True, text=True)
    said = json.loads(done.stdout or "{}")
    return said if "quality" in said else None


def words(said):
    """Grade, and the checks that speak, each with its value; those of these faults first."""
    checks = [check for check in said["quality"]["checks"] if check["grade"] in ("review", "bad") or check["id"] in CHECKS and (check["value"] or 0) > 1]
    checks.sort(key=lambda check: check["id"] not in CHECKS)
    return said["quality"]["grade"], checks


def walks(program, mocap, scratch):
    for path, (metre, names, sides) in WALKS.items():
        said = made(program, os.path.join(mocap, path), os.path.join(scratch, "loop.bvh"))
        start, end = (said["candidate"][end] for end in ("start_frame", "end_frame"))

        def load(path=path, metre=metre, names=names, sides=sides, start=start, end=end):
            walk = Walk(os.path.join(mocap, path))
            walk.metre, walk.start, walk.period, walk.start_frame = metre, start, end - start, round(start)
            walk.thirtieth = max(1, round(1 / 30 / walk.dt))
            parts = dict(zip(PARTS, names.split()))
            walk.joints = {(part, side): walk.names.index(name.replace("*", letter)) for part, name in parts.items() for side, letter in zip(SIDES, sides)}
            return walk

        yield os.path.basename(path).removesuffix(".bvh"), load


def judge(program, scratch, name, kind, load):
    walk = load()
    FAULTS[kind](walk)
    stem = os.path.join(scratch, f"{name}-{list(FAULTS).index(kind)}")
    walk.write(stem + ".bvh")
    said = made(program, stem + ".bvh", stem + "-loop.bvh")
    if said is None:
        return "refused"
    grade, checks = words(said)
    told = ", ".join(f"{check['id']} {check['value']:.1f}" for check in checks)
    return f"{grade}: {told}" if told else "silent"


def false_alarms(program, mocap, scratch, pool):
    rows = [row for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"))) if row["expect"] in ("loop", "warn")]

    def alarm(row):
        out = os.path.join(scratch, row["file"].replace("/", "-"))
        said = made(program, os.path.join(mocap, row["file"]), out)
        return said and (row["file"], *words(said))

    # Sound are loops of which no other check speaks.
    found = [said for said in pool.map(alarm, rows) if said and all(check["id"] in CHECKS for check in said[2])]
    bad = [(file, check) for file, _, checks in found for check in checks if check["id"] in CHECKS]
    return len(found), bad


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("mocap"), parser.add_argument("scratch")
    parser.add_argument("--only"), parser.add_argument("--most", type=int), parser.add_argument("--most-false", type=float)
    asked = parser.parse_args()
    os.makedirs(asked.scratch, exist_ok=True)
    kinds = [kind for kind in FAULTS if not asked.only or any(word in kind for word in asked.only.split(","))]
    bases = dict(walks(asked.program, asked.mocap, asked.scratch))
    print("| fault |", " | ".join(bases), "|")
    print("| --- |", " | ".join("---" for _ in bases), "|")
    silent = 0
    with ThreadPoolExecutor(2) as pool:
        tasks = [[pool.submit(judge, asked.program, asked.scratch, name, kind, load) for name, load in bases.items()] for kind in kinds]
        for kind, row in zip(kinds, tasks):
            told = [task.result() for task in row]
            silent += told.count("silent")
            print("|", kind, "|", " | ".join(told), "|", flush=True)
        print(f"\n{silent} of {len(kinds) * len(bases)} silent")
        count, bad = (0, []) if asked.only else false_alarms(asked.program, asked.mocap, asked.scratch, pool)
    for file, check in bad:
        print(f"- {file}: {check['id']} {check['value']:.2f} {check['joint']} {check['time_secs']}")
    print(f"{len({file for file, _ in bad})} of {count} sound takes")
    too_many = asked.most is not None and silent > asked.most
    sys.exit(too_many or asked.most_false is not None and len(bad) > asked.most_false * count)


if __name__ == "__main__":
    main()
