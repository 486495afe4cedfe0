# What holding feet costs, on captured takes: heights, knees, ankles and toes of loops against their takes and against feet left free.
# Shares no code with loopwright; reader, forward kinematics and contacts are those of loops.py.
#
#   pip install numpy
#   python xtask/peers/feet.py LOOPWRIGHT MOCAP SCRATCH [PART OF A FILE'S NAME...]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes with its manifest.csv, SCRATCH a folder for loops. The cuts that `make` finds are
# kept in SCRATCH/cuts.json, so that a second command closes the same frames. SCRATCH/feet.json has the figures of every take.
#
# Lengths are of bodies whose legs are 0.9 m long. A contact is a span over which a point is low and slow in the take (loops.py).

import csv
import json
import os
import subprocess
import sys

import numpy as np

from loops import UNITS, Feet, Loop, inverse, mul, read, runs, slide, to_vector

LEG = 0.9
NOISE, SEEDS = (0.3, 0.5, 0.7), int(os.environ.get("SEEDS", 20))
TREMOR_HZ = 6.0  # no step turns a joint to and fro as fast


def takes(mocap, wanted):
    for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"), encoding="utf-8")):
        if row["format"] != "BVH" or row["expect"] != "loop" or row["units"] == "-":
            continue
        if not wanted or any(name in row["file"] for name in wanted):
            yield row["file"], UNITS[row["units"].split()[0]], row["up_axis"]


def make(command, path, into, *flags):
    done = subprocess.run([command, *flags, *filter(None, [path]), "-o", into, "--force"], capture_output=True)
    if done.returncode > 1:  # 1: written, and bad
        raise RuntimeError(done.stderr)
    return into


def cut_of(command, path, scratch, cuts, name):
    if name not in cuts:
        found = json.load(open(make(command, path, os.path.join(scratch, "cut.bvh"), "make") + ".json"))["candidate"]
        cuts[name] = [found["start_frame"], found["end_frame"], found["cycles"]]
    return cuts[name]


def scaled(motion, size):
    for lengths in (motion.positions, motion.places, motion.middle):
        lengths *= size
    return motion


def leg_length(take):
    bone = lambda joint: np.linalg.norm(take.positions[0, joint])
    leg = take.body.legs[0]
    return bone(leg["knee"]) + bone(leg["ankle"]) + 0.05 * bone(leg["knee"])


def turning(rotations, dt):
    """Angular velocity of a joint against the one above it, in its own axes."""
    return to_vector(mul(inverse(rotations[:-1]), rotations[1:])) / dt


def hardest(rotations, dt):
    return np.max(np.linalg.norm(np.diff(turning(rotations, dt), axis=0), axis=-1)) / dt


def tremor(rotations, dt):
    """Angular velocity above 6 Hz around a loop, RMS."""
    spectrum = np.fft.rfft(turning(rotations, dt), axis=0)
    spectrum[np.fft.rfftfreq(len(rotations) - 1, dt) < TREMOR_HZ] = 0
    return np.sqrt(np.mean(np.sum(np.fft.irfft(spectrum, len(rotations) - 1, axis=0) ** 2, axis=-1)))


def angle(p, q):
    return np.degrees(np.linalg.norm(to_vector(mul(inverse(p), q)), axis=-1))


def measure(take, feet, loop, free):
    """Figures of a loop; `free` is the same with its feet left free."""
    found = {name: [] for name in ("height", "below", "ball", "tip", "heel", "knee", "ankle", "toe", "tremor", "turned", "moved")}
    motion, count, dt = loop.motion, loop.count, loop.motion.dt
    start, end = int(round(loop.start)), int(round(loop.end))
    around = slice(max(0, start - 2), end + 3)
    frames, below = loop.frames_of_take(), []
    for (name, joint, place), stands in zip(feet.points, feet.stands):
        own, taken = feet.way(motion, joint, place), feet.way(take, joint, place)
        played, heights = loop.played(own), np.interp(frames, np.arange(len(take)), taken[:, 1])
        below.append(1e3 * max(0.0, taken[start : end + 1, 1].min() - own[:, 1].min()))
        stood = stands[np.minimum(np.round(frames).astype(int), len(stands) - 1)]
        for a, b in [(0, count)] if stood.all() else runs(np.tile(stood, 3)):
            if a < count and (stood.all() or not (a == 0 and stood[-1])) and (b - a) * dt >= feet.LEAST:
                at = np.arange(a, b) % count
                found["height"].append(1e3 * np.median(own[at, 1] - heights[at]))
                found[name].append(1e3 * slide(played[a:b]))
    found["below"].append(max(below))
    for leg in take.body.legs:
        for name, joint in (("knee", leg["knee"]), ("ankle", leg["ankle"]), ("toe", leg["ball"])):
            if joint is None:
                continue
            own = motion.rotations[:count, joint]
            round_again = np.concatenate([own, own[:3]])
            before = hardest(take.rotations[around, joint], take.dt)
            if before < 1.0:
                continue  # a joint that is never turned
            found[name].append(hardest(round_again, dt) / before)
            if name != "knee":
                whole = motion.rotations[: count + 1, joint], free.motion.rotations[: count + 1, joint]
                found["tremor"].append(tremor(whole[0], dt) / tremor(whole[1], dt))
                found["turned"].append(np.max(angle(*whole)))
    rest = (frames - np.floor(frames))[:, None, None]
    low = np.minimum(frames.astype(int), len(take) - 2)
    seen = take.seen_from_root()
    apart = motion.seen_from_root()[:count] - ((1 - rest) * seen[low] + rest * seen[low + 1])
    found["moved"].append(1e3 * np.median(np.sqrt(np.mean(np.sum(apart**2, axis=-1), axis=0))))
    return found


def cells(all_of):
    of = lambda *names: np.concatenate([np.array(found[name], float) for found in all_of for name in names] or [np.zeros(0)])
    share = lambda values, limit: f"{100 * np.mean(values > limit):.0f}%"
    at = lambda values, *ranks: " / ".join(f"{np.percentile(values, rank):.2f}" for rank in ranks) if len(values) else "-"
    heights = of("height")
    return [
        ("height of a contact over the take's, mm: median, 95th percentile and worst by size", f"{np.median(heights):.2f} / {at(abs(heights), 95, 100)}"),
        ("a point below its lowest place in the cut, mm: 95th percentile, worst", at(of("below"), 95, 100)),
        ("slide of a contact, mm, 95th percentile: ball and tip; heel", f"{at(of('ball', 'tip'), 95)}; {at(of('heel'), 95)}"),
        ("knee: angular acceleration over the take's: 95th percentile, worst, above 1.1", f"{at(of('knee'), 95, 100)}, {share(of('knee'), 1.1)}"),
        ("ankle and toe: the same", f"{at(of('ankle', 'toe'), 95, 100)}, {share(of('ankle', 'toe'), 1.1)}"),
        ("their angular velocity above 6 Hz over that with feet free: 90th percentile", at(of("tremor"), 90)),
        ("turned by holding feet, degrees: median, 95th percentile, worst", at(of("turned"), 50, 95, 100)),
        ("joints moved, mm: median of medians", at(of("moved"), 50)),
    ]


def noisy(command, scratch, degrees, seeds):
    """How far ankles and toes of noisy synthetic walks are turned by holding feet, and their fastest turn over that with feet free."""
    turned, rates = [], []
    for seed in range(seeds):
        path = os.path.join(scratch, "noisy.bvh")
        make(command, None, path, "synth", "--noise", str(degrees), "--seed", str(seed))
        found = json.load(open(make(command, path, os.path.join(scratch, "cut.bvh"), "make") + ".json"))["candidate"]
        cut = ("--range", f"{found['start_frame']}:{found['end_frame']}", "--cycles", str(found["cycles"]))
        held, free = (
            read(make(command, path, os.path.join(scratch, f"{lock}.bvh"), "close", *cut, "--lock-feet", lock), 0.01, "Y") for lock in ("auto", "off")
        )
        for leg in held.body.legs:
            for joint in (leg["ankle"], leg["ball"]):
                turned.append(np.max(angle(held.rotations[:, joint], free.rotations[:, joint])))
                fastest = [np.max(np.linalg.norm(turning(motion.rotations[:, joint], motion.dt), axis=-1)) for motion in (held, free)]
                rates.append(fastest[0] / fastest[1])
    return turned, rates


def main(command, mocap, scratch, *wanted):
    known = os.path.join(scratch, "cuts.json")
    cuts = json.load(open(known)) if os.path.exists(known) else {}
    held, free, by_take = [], [], {}
    for name, unit, up in takes(mocap, wanted):
        path = os.path.join(mocap, name)
        start, end, cycles = cut_of(command, path, scratch, cuts, name)
        take = read(path, unit, up)
        size = LEG / leg_length(take)
        scaled(take, size)
        loops = []
        for lock in ("auto", "off"):
            flags = ("close", "--range", f"{start}:{end}", "--cycles", str(cycles), "--lock-feet", lock)
            into = make(command, path, os.path.join(scratch, f"{lock}.bvh"), *flags)
            loops.append(Loop(scaled(read(into, unit, up), size), start, end))
        feet = Feet(take, int(round(start)), int(round(end)))
        of_take = [measure(take, feet, loop, loops[1]) for loop in loops]
        held.append(of_take[0])
        free.append(of_take[1])
        by_take[name] = [{measure: [round(float(value), 2) for value in values] for measure, values in found.items()} for found in of_take]
    json.dump(cuts, open(known, "w"))
    json.dump(by_take, open(os.path.join(scratch, "feet.json"), "w"), indent=0)
    print("| measure | held | free |\n| --- | --- | --- |")
    for (measured, value), (_, other) in zip(cells(held), cells(free)):
        print(f"| {measured} | {value} | {other} |")
    for degrees in [] if wanted else NOISE:
        turned, rates = noisy(command, scratch, degrees, SEEDS)
        print(f"| synthetic walks with {degrees} degrees of noise: most that an ankle or toe is turned, and its peak rate, 95th percentile and worst"
              f" | {max(turned):.1f} deg; {np.percentile(rates, 95):.2f} / {max(rates):.2f} | 0; 1 |")


if __name__ == "__main__":
    main(*sys.argv[1:])
