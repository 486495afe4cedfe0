# How well passages meet their loops and hold their feet, from the files. Shares no code with loopwright: reader and kinematics are
# those of loops.py.
#
#   pip install numpy
#   python xtask/peers/passages.py LOOPWRIGHT SCRATCH TAKE...      (takes in BVH)
#
# Cuts every take with default settings and prints one line a passage:
#   joins   the largest second difference of any joint's path over the three frames of both joins, over its largest elsewhere in the
#           passage and in a cycle of both loops; joints that nowhere exceed 4 m/s^2 do not count
#   jerk    the same of third differences over the joins, over their 99th percentile
#   slide   mean speed of the ball of a foot between its strikes and lifts, cm/s, while its ankle is within 1 cm of its lowest: flat on
#           the ground; and the largest height of the ball over its lowest meanwhile, less that in the take at the same frames, mm

import json
import os
import subprocess
import sys

import numpy as np

from loops import UNITS, about_y, read, turn

UNITS = {**UNITS, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}
UNSEEN = 4.0
FLAT = 0.01


class Root:
    def __init__(self, at, yaw):
        self.at, self.yaw = np.asarray(at, dtype=float), yaw

    def places(self, places):
        return turn(about_y(np.array(self.yaw)), places) + self.at

    def seen(self, places):
        return turn(about_y(np.array(-self.yaw)), places - self.at)

    def on(self, twist, secs):
        (vx, vy, vz), w = twist
        angle = w * secs
        if abs(w) < 1e-12:
            way = np.array([vx, vy, vz]) * secs
        else:
            # The integral of v turned by the angle so far.
            s, c = np.sin(angle) / w, (1 - np.cos(angle)) / w
            way = np.array([s * vx + c * vz, vy * secs, s * vz - c * vx])
        return Root(self.places(way), self.yaw + angle)


class StoredLoop:
    """The body at every sample, seen from the root."""

    def __init__(self, path):
        facts = json.load(open(path + ".json"))
        root, unit = facts["root_motion"], UNITS[facts["take"]["unit"]]
        motion = read(path, unit, facts["take"]["up"].upper())
        self.dt, self.count = motion.dt, facts["playback"]["samples"]
        self.twist = (root["linear_velocity_mps"], root["angular_velocity_radps"][1])
        start = Root(root["start_position_m"], np.radians(root["start_yaw_deg"]))
        self.body = [start.on(self.twist, i * self.dt).seen(motion.places[i]) for i in range(self.count)]

    def at(self, sample):
        return self.body[sample % self.count]


class Stance:
    twist = ([0.0, 0.0, 0.0], 0.0)
    count = 1

    def __init__(self, body):
        self.body = body

    def at(self, sample):
        return self.body


def with_loops(path, loops, ends):
    """The world places of a passage with a cycle of its loops before and after, and where in that it begins and ends."""
    facts = json.load(open(os.path.splitext(path)[0] + ".json"))
    motion = read(path, UNITS[facts["take"]["unit"]], facts["take"]["up"].upper())
    dt, last = motion.dt, len(motion) - 1
    keys = np.array(facts["root"]["translation_m"]).reshape(-1, 3), np.array(facts["root"]["rotation_xyzw"]).reshape(-1, 4)
    root = lambda key: Root(keys[0][key], 2 * np.arctan2(keys[1][key][1], keys[1][key][3]))
    parts = []
    for end, at in ((0, 0), (1, last)):
        name, secs = facts[["from", "to"][end]]["loop"], facts[["from", "to"][end]]["secs"]
        loop = loops.get(name) or Stance(root(at).seen(motion.places[at]))
        sample = int(round(secs / dt))
        assert name not in loops or abs(sample * dt - secs) < 1e-5, (path, secs / dt)
        steps = range(-max(loop.count, 8), 0) if end == 0 else range(1, max(loop.count, 8) + 1)
        parts.append([root(at).on(loop.twist, step * dt).places(loop.at(sample + step)) for step in steps])
    places = np.concatenate([parts[0], motion.places, parts[1]])
    return facts, motion, places, len(parts[0]), len(parts[0]) + last


def joins(places, first, last, dt, order, least, usual):
    """The largest ratio of a joint, by differences of an order over the joins and elsewhere."""
    bends = np.linalg.norm(np.diff(places, order, axis=0), axis=-1) / dt**order
    # Difference i covers frames i to i + order.
    over = lambda at: range(at - order, at + 1) if order > 2 else range(at - 2, at + 1)
    near = sorted({i for at in (first, last) for i in over(at) if 0 <= i < len(bends)})
    elsewhere = np.delete(bends, near, axis=0)
    ratio = bends[near].max(axis=0) / np.maximum(usual(elsewhere), least)
    joint = int(np.argmax(ratio))
    return ratio[joint], joint


def of_take(facts, motion):
    """The places of the take at the frames of a passage that was cut from it."""
    if not facts["source_frames"]:
        return None
    take = read(facts["take"]["file"], UNITS[facts["take"]["unit"]], facts["take"]["up"].upper())
    at = np.linspace(*facts["source_frames"], len(motion))
    before = np.minimum(at.astype(int), len(take) - 2)
    share = (at - before)[:, None, None]
    return (1 - share) * take.places[before] + share * take.places[before + 1]


def feet(facts, motion):
    """Mean speed in cm/s of what stands between events, and its largest range of height in mm, less that of the take there."""
    speeds, heights = [0.0], [0.0]
    take = of_take(facts, motion)
    last = len(motion) - 1
    for side, leg in zip(("left", "right"), motion.body.legs):
        events = [event for event in facts["events"] if event["foot"] == side]
        if not events:
            continue
        stands, since = [], 0 if events[0]["kind"] == "lift" else None
        for event in events:
            frame = int(round(event["secs"] / motion.dt))
            if event["kind"] == "strike":
                since = frame
            elif since is not None:
                stands.append((since, frame - 1))
                since = None
        if since is not None:
            stands.append((since, last))
        for start, end in stands:
            if end - start < 4:
                continue
            # Flat on the ground, neither coming down nor rolling off.
            ankle = motion.places[start : end + 1, leg["ankle"], 1]
            flat = np.flatnonzero(ankle < ankle.min() + FLAT)
            flat = np.arange(start + flat[0], start + flat[-1] + 1)[2:-1]
            ball = motion.places[flat, leg["front"]]
            if len(ball) > 3:
                steps = np.linalg.norm(np.diff(ball, axis=0) * [1, 0, 1], axis=-1)
                speeds.extend(100 * steps / motion.dt)
                ranges = [np.ptp(places[flat, leg["front"], 1]) for places in (motion.places, take) if places is not None]
                heights.append(1000 * (ranges[0] - sum(ranges[1:])))
    return np.mean(speeds), max(heights)


def main():
    program, scratch, takes = sys.argv[1], sys.argv[2], sys.argv[3:]
    print(f"{'passage':44} {'joins':>6} {'jerk':>6} {'slide':>6} {'height':>6}  worst joint")
    for take in takes:
        stem = os.path.splitext(os.path.basename(take))[0]
        folder = os.path.join(scratch, stem)
        command = [program, "cut", take, "-o", folder, "--to", "bvh", "--transitions", "--json", "-f"]
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode > 1:
            print(f"{stem}: {answer.stderr.strip()}")
            continue
        answer = json.loads(answer.stdout)
        loops = {row["name"]: StoredLoop(row["file"]) for row in answer["loops"] if row["file"]}
        for row in answer["passages"]:
            path = os.path.join(folder, row["name"] + ".bvh")
            facts, motion, places, first, last = with_loops(path, loops, row)
            bend, joint = joins(places, first, last, motion.dt, 2, UNSEEN, lambda bends: bends.max(axis=0))
            jerk, _ = joins(places, first, last, motion.dt, 3, UNSEEN / 0.05, lambda bends: np.percentile(bends, 99, axis=0))
            slide, height = feet(facts, motion)
            name = f"{stem[:20]}/{row['name']}"
            print(f"{name:44} {bend:6.2f} {jerk:6.2f} {slide:6.2f} {height:6.1f}  {motion.body.names[joint]}")
        for missing in answer["missing"]:
            print(f"{stem[:20]}: no {missing['kind']}: {missing['why']}")


if __name__ == "__main__":
    main()
