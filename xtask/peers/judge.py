# Grades of loops against faults that are measured from outside. Shares no code with loopwright: reader, kinematics and contacts are
# those of loops.py.
#
#   pip install numpy
#   python xtask/peers/judge.py LOOPWRIGHT MOCAP SCRATCH
#
# Makes the recommended loop of every BVH take of MOCAP that has two legs, with default settings, and prints one line a loop: file, grade,
# faults with their size over the limit; then how often both agree.

import csv
import json
import os
import subprocess
import sys

import numpy as np

from loops import UNITS, Feet, Loop, about_y, feet_of_loop, read, speed_drift, turn

# Largest values without a fault, at the size of a body of 1.7 m.
LIMITS = {
    "seam acceleration": 1.6,
    "pace, %": 8.0,
    "turn in a third, %": 45.0,
    "slide of the ball, mm": 21.0,
    "height of standing feet, mm": 10.0,
    "displacement, mm": 25.0,
    "kink": 2.0,
}


def bends(places):
    return np.linalg.norm(np.diff(places, 2, axis=0), axis=-1)


def faults(take, loop):
    motion, count, dt = loop.motion, loop.count, loop.motion.dt
    start, end = int(round(loop.start)), int(round(loop.end))
    size = np.median(take.places[:, :, 1].max(axis=1) - take.places[:, :, 1].min(axis=1)) / 1.6
    unseen = 4.0 * size * dt * dt
    played = loop.played(motion.places)
    # From the root: what the root does is meant.
    climb = (motion.places[-1, 0, 1] - motion.places[0, 0, 1]) * np.arange(count + 1) / count
    seen = turn(about_y(-motion.yaw)[:, None], motion.places - motion.middle[:, None])[:count]
    seen[..., 1] -= climb[:count, None]
    around = bends(np.concatenate([seen, seen, seen]))[count - 1 : 2 * count - 1]
    usual = np.maximum(np.percentile(around, 99, axis=0), unseen)
    found = {"seam acceleration": np.max(np.maximum(around[0], around[-1]) / usual)}
    drift = speed_drift(take, start, end)
    found["pace, %"] = drift[0] if drift else 0.0
    whole = take.yaw[end] - take.yaw[start]
    if abs(whole) >= np.radians(30):
        third = max(1, (end - start) // 3)
        shares = (take.yaw[start + third : end + 1] - take.yaw[start : end + 1 - third]) / whole
        found["turn in a third, %"] = 100 * shares.max()
    feet = Feet(take, start, end)
    slides, _ = feet_of_loop(take, feet, loop)
    walks = np.linalg.norm(loop.shift) / (count * dt) > 0.3
    if walks and slides["ball"]:
        found["slide of the ball, mm"] = max(slides["ball"]) / size
    heights = []
    frames = loop.frames_of_take()
    for (name, joint, place), stands in zip(feet.points, feet.stands):
        stood = stands[np.minimum(np.round(frames).astype(int), len(stands) - 1)]
        if name == "ball" and stood.any():
            own = feet.way(motion, joint, place)[:count, 1]
            taken = np.interp(frames, np.arange(len(take)), feet.way(take, joint, place)[:, 1])
            heights.append(1e3 * abs(np.median((own - taken)[stood])) / size)
    if heights:
        found["height of standing feet, mm"] = max(heights)
    low = np.minimum(frames.astype(int), len(take) - 2)
    rest = (frames - low)[:, None, None]
    taken = take.seen_from_root()
    own = (1 - rest) * taken[low] + rest * taken[low + 1]
    own[..., 1] -= climb[:count, None]
    found["displacement, mm"] = 1e3 * np.linalg.norm(seen - own, axis=-1).mean() / size
    source = bends(taken[max(0, start - 2) : end + 3])
    found["kink"] = np.max(around.max(axis=0) / np.maximum(source.max(axis=0), unseen))
    return {name: value / LIMITS[name] for name, value in found.items()}


def main(command, mocap, scratch):
    rows = []
    for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"), encoding="utf-8")):
        if row["format"] != "BVH" or row["units"] == "-":
            continue
        path, into = os.path.join(mocap, row["file"]), os.path.join(scratch, "loop.bvh")
        unit, up = UNITS[row["units"].split()[0]], row["up_axis"]
        try:
            take = read(path, unit, up)
        except (StopIteration, IndexError, ValueError):
            continue
        if os.path.exists(into):
            os.remove(into)
        subprocess.run([command, "make", path, "-o", into, "--force"], capture_output=True)
        if not os.path.exists(into):
            continue
        sidecar = json.load(open(into + ".json"))
        if sidecar["candidate"]["whole_clip"]:
            continue
        loop = Loop(read(into, unit, up), sidecar["candidate"]["start_frame"], sidecar["candidate"]["end_frame"])
        ratios = faults(take, loop)
        over = {name: round(float(ratio), 2) for name, ratio in ratios.items() if ratio > 1}
        rows.append((sidecar["quality"]["grade"], max(ratios.values())))
        print(f'{row["file"]:60} {rows[-1][0]:7} {sidecar["quality"]["reason"][:70]:70} {over}')
    of = lambda grade: [worst for found, worst in rows if found == grade]
    sound = [grade for grade, worst in rows if worst <= 1]
    gross = [grade for grade, worst in rows if worst >= 2]
    share = lambda hits, among: f"{hits} of {among}"
    print("good with a fault:", share(sum(worst > 1 for worst in of("good")), len(of("good"))))
    print("bad with a fault:", share(sum(worst > 1 for worst in of("bad")), len(of("bad"))))
    print("without a fault and good:", share(sound.count("good"), len(sound)))
    print("twice the limit and bad:", share(gross.count("bad"), len(gross)))


if __name__ == "__main__":
    main(*sys.argv[1:])
