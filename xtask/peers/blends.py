# A walk blended into a run: do its feet stand, and its knees move like those of the two loops? Shares no code with loopwright; reader,
# forward kinematics and contacts are those of loops.py.
#
#   pip install numpy
#   python xtask/peers/blends.py LOOPWRIGHT MOCAP SCRATCH [OTHER LOOPWRIGHT]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes, SCRATCH a folder for loops. Each walk is blended into the run of its skeleton at
# nine weights. With a second command, whose blends are compared, the loops are made by the first. Prints the table of docs/benchmark.md.
#
# A foot stands where a point of it is low and slow for a tenth of a second (loops.py), in the blend itself. So that a foot which slides too
# fast to count is seen, too: the time for which feet stand is compared with the mean of the loops'.

import json
import os
import subprocess
import sys

import numpy as np

from feet import LEG, leg_length, scaled, turning
from loops import Feet, Loop, read, runs

PAIRS = [
    ("100STYLE", "100style/Neutral_FW.bvh", "100style/Neutral_FR.bvh", 0.01),
    ("Bandai Namco 1", "bandai-namco/dataset-1_walk_normal_001.bvh", "bandai-namco/dataset-1_run_normal_001.bvh", 0.01),
    ("Bandai Namco 2", "bandai-namco/dataset-2_walk_normal_020.bvh", "bandai-namco/dataset-2_run_normal_020.bvh", 0.01),
]
WEIGHTS = [tenth / 10 for tenth in range(1, 10)]


def run(command, *arguments):
    done = subprocess.run([command, *arguments, "--force"], capture_output=True, text=True)
    if done.returncode > 1:  # 1: written, and bad
        raise RuntimeError(done.stderr)


def knees(motion, count):
    """The angle of each knee around the loop, degrees, 0 for a straight leg, and how hard it turns, radians per second squared."""
    angles, hardest = [], []
    for leg in motion.body.legs:
        at = [motion.places[:count, leg[joint]] for joint in ("thigh", "knee", "ankle")]
        above, below = at[1] - at[0], at[2] - at[1]
        cosine = np.sum(above * below, axis=-1) / np.linalg.norm(above, axis=-1) / np.linalg.norm(below, axis=-1)
        angles.append(np.degrees(np.arccos(np.clip(cosine, -1, 1))))
        turns = motion.rotations[:count, leg["knee"]]
        rate = turning(np.concatenate([turns, turns[:3]]), motion.dt)
        hardest.append(np.max(np.linalg.norm(np.diff(rate, axis=0), axis=-1)) / motion.dt)
    return np.min(angles), np.max(angles), max(hardest)


def measure(path, unit):
    """Figures of a loop on a body whose legs are 0.9 m long."""
    motion = read(path, unit, "Y")
    motion = scaled(motion, LEG / leg_length(motion))
    loop = Loop(motion, 0, len(motion) - 1)
    feet = Feet(motion, 0, len(motion) - 1)
    count, dt = loop.count, motion.dt
    slides, heights, stands, lows = [], [], [], []
    for (name, joint, place), toes in zip(feet.points, feet.toes):
        if name == "heel":
            continue  # it rolls on
        ways = loop.played(feet.way(motion, joint, place))
        floor = np.percentile(ways[:count, 1], 2)
        speed = np.linalg.norm(np.gradient(ways[:, ::2], dt, axis=0), axis=-1)
        stood = np.zeros(len(ways), bool)
        for a, b in runs((ways[:, 1] < floor + feet.LOW) & (speed < feet.SLOW)):
            if (b - a) * dt >= feet.LEAST and a > 0:
                stood[a:b] = True
                if count <= a < 2 * count or a < count <= b - 1 < 2 * count and b - a > count:
                    way = np.linalg.norm(np.diff(ways[a:b, ::2], axis=0), axis=-1)
                    slides.append((np.sum(way), (b - a - 1) * dt))
                    heights.append((name, toes, joint, np.median(ways[a:b, 1]), np.ptp(ways[a:b, 1])))
        stands.append(np.mean(stood[count : 2 * count]))
        lows.append(floor)
    slide = 100 * sum(way for way, _ in slides) / max(1e-9, sum(secs for _, secs in slides))
    by_joint = {}
    for name, _, joint, height, _ in heights:
        by_joint.setdefault((name, joint), []).append(height)
    return {"slide": slide, "heights": {key: np.mean(values) for key, values in by_joint.items()}, "stands": np.mean(stands), "knees": knees(motion, count)}


def floor(heights):
    return np.mean([height for (name, _), height in heights.items() if name == "ball"])


def compared(found, ends, weight):
    walk, run_ = ends
    floors = [floor(end["heights"]) for end in ends]
    share = lambda key: (1 - weight) * walk[key] + weight * run_[key]
    apart = []
    for point, height in found["heights"].items():
        # A blend stands on the floor of its first loop.
        known = [end["heights"][point] - level + floors[0] for end, level in zip(ends, floors) if point in end["heights"]]
        if len(known) == 2:
            low, high = sorted(known)
            apart.append(1e3 * max(low - height, height - high, 0.0))
    least, most, hardest = found["knees"]
    return {
        "slide": found["slide"],
        "height": max(apart, default=0.0),
        "stands": found["stands"] / share("stands"),
        "straighter": max(0.0, min(end["knees"][0] for end in ends) - least),
        "sharper": max(0.0, most - max(end["knees"][1] for end in ends)),
        "harder": hardest / max(end["knees"][2] for end in ends),
    }


def main(command, mocap, scratch, *others):
    os.makedirs(scratch, exist_ok=True)
    rows, all_of = [], {}
    for name, walk, run_take, unit in PAIRS:
        loops = [os.path.join(scratch, f"{name.replace(' ', '-')}-{gait}.bvh") for gait in ("walk", "run")]
        for take, into in zip((walk, run_take), loops):
            run(command, "make", os.path.join(mocap, take), "-o", into)
        ends = [measure(path, unit) for path in loops]
        print(name, *(f"{end['slide']:.2f} cm/s, stands {end['stands']:.2f}, knees {end['knees'][0]:.1f} {end['knees'][1]:.1f} {end['knees'][2]:.0f}" for end in ends), sep="; ", file=sys.stderr)
        for kind, by in zip(("warped", "shifted"), (command, *others)):
            for weight in WEIGHTS:
                into = os.path.join(scratch, f"{kind}.bvh")
                run(by, "blend", *loops, "--weights", f"{1 - weight},{weight}", "-o", into)
                found = compared(measure(into, unit), ends, weight)
                all_of.setdefault((kind, name), []).append(found)
                print(kind, weight, {key: round(float(value), 2) for key, value in found.items()}, file=sys.stderr)
    print("| takes | blends | slide, cm/s: mean, worst | height, mm: worst | time: least, most | knee straighter, sharper, degrees: worst | knee's acceleration: most |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for (kind, name), found in sorted(all_of.items(), key=lambda each: (each[0][1], each[0][0] != "warped")):
        of = lambda key: np.array([each[key] for each in found])
        print(
            f"| {name} | {kind} | {of('slide').mean():.2f}, {of('slide').max():.2f} | {of('height').max():.1f} | {of('stands').min():.2f}, {of('stands').max():.2f} |"
            f" {of('straighter').max():.1f}, {of('sharper').max():.1f} | {of('harder').max():.2f} |"
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
