# Whether sets hold what their takes show, and whether their manifests tell the truth of the files beside them.
# Shares no code with loopwright; the reader and the kinematics are those of loops.py.
#
#   pip install numpy
#   python xtask/peers/sets.py LOOPWRIGHT MOCAP SCRATCH
#
# LOOPWRIGHT is the command, MOCAP the folder of takes, SCRATCH a folder for synthetic takes and for sets. Prints, for each set, what its
# takes show against what it has; for each loop speed, turn and direction of the manifest against those of the file (1%, 1 degree per
# second, 1 degree), and how far from the origin its hips begin (10 cm); for loops of synthetic takes strikes and lifts against the truth (one frame); and how long each set took. Exit status 1 where a limit is
# exceeded, or where fewer than 90% of the parts are there.
#
# The step of a loop is the rigid motion over the floor that takes the body of its first frame to that of its last. The root begins at the
# origin, so it ends where that step takes the origin, on an arc.

import json
import os
import subprocess
import sys
import time

import numpy as np

from loops import Loop, from_the_hips, parsed

# The parts that takes show: gaits with direction or side, and what happens once.
SETS = {
    "100style": (["100style"], 0.01, ["idle", "walk", "run", "run left", "run right", "walk back", "start", "stop", "turn left", "turn right"]),
    "bandai normal": (["bandai-namco", "--style", "normal"], 0.01, ["walk", "run", "walk left", "walk right", "turn left", "turn right"]),
    "bandai elderly": (["bandai-namco", "--style", "elderly"], 0.01, ["walk", "run"]),
    "snu metres": (["snu/spiral*.bvh", "snu/uturn.bvh", "snu/slope_16.bvh"], 1.0, ["walk", "walk left", "turn right"]),
    "knight": (["gltf/Knight.glb"], 0.01, ["idle", "walk", "walk back", "run", "run strafe left", "run strafe right", "jump"]),
    "snu raw": (["snu/raw_*.bvh"], 0.01, ["walk", "walk left", "start", "stop"]),
}
SYNTH = {
    "walk": "--speed 1.3 --turn-rate 0 --lead-in 3",
    "left": "--speed 1.2 --turn-rate 40 --seed 3",
    "right": "--speed 1.1 --turn-rate=-35 --seed 4",
    "run": "--speed 3.2 --turn-rate 0 --period 0.7 --seed 5",
    "idle": "--speed 0 --lead-in 9",
}
SPEED_SHARE, TURN_DPS, WAY_DEG, ORIGIN_METRES = 0.01, 1.0, 1.0, 0.1


def kinds(manifest):
    """The parts of a set, as the lists above name them."""
    there = set()
    for clip in manifest["clips"]:
        side = lambda turn, least: " left" if turn >= least else " right" if turn <= -least else ""
        if clip["kind"] == "loop" and clip["gait"] in ("walk", "run"):
            way = clip["direction_deg"]
            way = "" if abs(way) < 45 else " back" if abs(way) > 135 else " strafe left" if way > 0 else " strafe right"
            there.add(clip["gait"] + way + ("" if way else side(clip["turn_rate_dps"], 20)))
        elif clip["kind"] == "loop":
            there.add(clip["gait"].replace("_", " "))
        elif clip["kind"] in ("turn", "turn_in_place"):
            there.add("turn" + side(clip["turn_deg"], 30))
        else:
            there.add(clip["kind"])
    return there


def step_of(path, unit):
    """Speed, turn rate and direction of the root of a written loop, and how far from the origin its hips begin."""
    loop = Loop(from_the_hips(*parsed(path, unit), "Y"), 0, 0)
    angle = loop.motion.yaw[-1] - loop.motion.yaw[0]
    secs = loop.count * loop.motion.dt
    chord = np.hypot(loop.shift[0], loop.shift[2])
    arc = chord * (0.5 * angle / np.sin(0.5 * angle) if abs(angle) > 1e-9 else 1.0)
    way = np.degrees(np.arctan2(loop.shift[0], loop.shift[2]) - 0.5 * angle)
    return arc / secs, np.degrees(angle) / secs, way, np.hypot(*loop.motion.middle[0][[0, 2]])


def made(command, inputs, into, *flags):
    began = time.perf_counter()
    done = subprocess.run([command, "set", *inputs, "-o", into, "--force", "--to", "bvh", "--quiet", *flags], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(done.stderr)
    return json.load(open(os.path.join(into, "set.json"))), time.perf_counter() - began


def check_motion(name, folder, manifest, unit):
    worst = np.zeros(4)
    for clip in manifest["clips"]:
        if clip["kind"] != "loop":
            continue
        speed, turn, way, away = step_of(os.path.join(folder, clip["file"]), unit)
        of_way = abs((way - clip["direction_deg"] + 180) % 360 - 180) if clip["speed_mps"] > 0.3 else 0.0
        apart = [abs(speed - clip["speed_mps"]) / max(clip["speed_mps"], 0.3), abs(turn - clip["turn_rate_dps"]), of_way, away]
        worst = np.maximum(worst, apart)
        if any(np.array(apart) > [SPEED_SHARE, TURN_DPS, WAY_DEG, ORIGIN_METRES]):
            stated = f"{clip['speed_mps']:.3f} {clip['turn_rate_dps']:.2f} {clip['direction_deg']:.1f}"
            print(f"  {clip['name']}: file {speed:.3f} m/s {turn:.2f} deg/s {way:.1f} deg, {away:.2f} m from the origin; manifest {stated}")
    print(f"{name}: worst speed {100 * worst[0]:.3f}%, turn {worst[1]:.3f} deg/s, direction {worst[2]:.2f} deg, hips {100 * worst[3]:.1f} cm from the origin")
    return not any(worst > [SPEED_SHARE, TURN_DPS, WAY_DEG, ORIGIN_METRES])


def check_events(folder, manifest, truths):
    """Strikes and lifts against the truth of synthetic takes, in frames of the set."""
    apart = []
    for clip in manifest["clips"]:
        truth = truths.get(os.path.splitext(os.path.basename(clip["made"]["take"]))[0])
        if clip["kind"] != "loop" or clip["made"]["from"] != "take" or not truth:
            continue
        period, rate = truth["period_secs"], truth["settings"]["frame_rate_hz"]
        slower = clip["seconds"] / period
        # The first frame of the loop, in the time of the take: its seam is at the first frame that was cut.
        seam = json.load(open(os.path.join(folder, clip["file"] + ".json")))["playback"]["seam_sample"]
        begin = clip["made"]["frames"][0] / rate - seam / manifest["fps"] / slower
        # A foot comes down with its heel and lifts with its toes; what stood before the walk began is no step, nor the last.
        edges = lambda foot, joint, edge: [c[edge] / rate for c in truth["contacts"] if c["joint"] == foot + joint and c["start_frame"] > 0][:-1]
        for event in clip["events"]:
            joint, edge = ("Foot", "start_frame") if event["kind"] == "strike" else ("ToeBase", "end_frame")
            here = begin + event["secs"] / slower
            gaps = [abs((at - here + 0.5 * period) % period - 0.5 * period) for at in edges(event["foot"].capitalize(), joint, edge)]
            apart.append((min(gaps) * manifest["fps"], clip["name"], event["foot"], event["kind"]))
    return apart


def main(command, mocap, scratch):
    os.makedirs(scratch, exist_ok=True)
    good, wanted, found = True, 0, 0
    takes = os.path.join(scratch, "takes")
    os.makedirs(takes, exist_ok=True)
    truths = {}
    for name, flags in SYNTH.items():
        path = os.path.join(takes, name + ".bvh")
        subprocess.run([command, "synth", "-o", path, "--force", "--quiet", "--seconds", "9", "--fps", "30", "--drift", "0", *flags.split()], check=True, capture_output=True)
        truths[name] = json.load(open(path + ".truth.json"))
    sets = {"synthetic": ([takes], 0.01, ["idle", "walk", "walk left", "walk right", "run", "start"])}
    for name, (inputs, unit, parts) in SETS.items():
        paths = [os.path.join(mocap, each) if "/" in each or each in ("100style", "bandai-namco") else each for each in inputs]
        sets[name] = (paths, unit, parts)
    for name, (inputs, unit, parts) in sets.items():
        folder = os.path.join(scratch, name.replace(" ", "-"))
        manifest, secs = made(command, inputs, folder)
        there = kinds(manifest)
        lacks = [part for part in parts if part not in there]
        wanted, found = wanted + len(parts), found + len(parts) - len(lacks)
        print(f"{name}: {len(manifest['clips'])} clips in {secs:.1f} s; {len(parts) - len(lacks)} of {len(parts)} parts" + (f", lacks {', '.join(lacks)}" if lacks else ""))
        good &= check_motion(name, folder, manifest, unit)
        if name == "synthetic":
            apart = check_events(folder, manifest, truths)
            worst, frames = max(apart), [each[0] for each in apart]
            print(f"synthetic: {len(apart)} events, median {np.median(frames):.2f} frames, worst {worst[0]:.2f}: {' '.join(worst[1:])}")
            good &= worst[0] <= 1.0
    print(f"parts: {found} of {wanted}")
    return 0 if good and found >= 0.9 * wanted else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:4]))
