# Loops that never repeat (output.vary) and loops that go there and back (--ping-pong), measured on the files that are written.
# Shares no code with loopwright; reader, quaternions and forward kinematics are those of loops.py.
#
#   pip install numpy
#   python xtask/peers/layers.py LOOPWRIGHT MOCAP SCRATCH [PART OF A FILE'S NAME...]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes with its manifest.csv, SCRATCH a folder for loops. Ends with status 1 where a figure is
# beyond its bound, which is marked by an exclamation mark.
#
# Places are seen from the hips' own root (loops.py), millimetres of bodies whose legs are 0.9 m long. The cycles of a take are those that
# `--mean-cycles all` lists, each read at even phases; deviations are rotation vectors from their mean. Bends are second differences.

import json
import os
import re
import subprocess
import sys

import numpy as np

from feet import LEG, leg_length, scaled, takes
from loops import from_vector, inverse, mul, read, to_vector

SECS, SEED = 60.0, 3
LEAST_DEG = 1.0  # joints that deviate by less in the take tell of nothing but rounding

# Least and most of each figure: rounding of the file for what is equal to the bit, else what smooth motion explains.
ROUNDING_MM = (0.0, 0.01)
VARY = {
    "legs": ROUNDING_MM,  # from those of the one loop
    "hip_way": ROUNDING_MM,
    "closes": ROUNDING_MM,
    "ratio": (0.1, 1.25),  # the largest that is added, over the largest in the take
    "rms": (0.6, 1.25),
    "step": (0.0, 1.5),  # the largest turn from key to key, over that of the loop and of the take's cycles
    "joins": (0.0, 1.5),  # the largest bend at a join of cycles, over that elsewhere
    "wrap": (0.0, 1.5),
    "added": (0.0, 1.5),  # the same of third differences of what is added
    "same": (True, True),  # the same seed, the same bytes
    "other": (0.1, 1e3),  # from another seed
}
PING_PONG = {
    "mirror": ROUNDING_MM,  # the way back from the way there
    "whole": ROUNDING_MM,  # whole frames from those of the take
    "velocity": ROUNDING_MM,  # at the turn
    "start": (0.0, 1.25),  # the largest bend at the turn, over the take's
    "end": (0.0, 1.25),
    "third": (0.0, 1.25),
    "told": (0.0, 0.06),  # metres by which the way that a warning states is off
}


def run(command, path, into, *flags):
    """The sidecar of what was written; None and what was said where nothing was."""
    if os.path.exists(into):
        os.remove(into)
    done = subprocess.run([command, "make", path, "-o", into, "--force", *flags], capture_output=True, text=True)
    if not os.path.exists(into) or done.returncode > 1 or (done.returncode and done.stderr.startswith("error")):
        return None, done.stderr
    return json.load(open(into + ".json")), done.stderr


def at_frames(values, frames):
    """Rotations or places between frames."""
    frames = np.clip(frames, 0, len(values) - 1)
    low = np.minimum(frames.astype(int), len(values) - 2)
    share = (frames - low)[:, None, None]
    one, other = values[low], values[low + 1]
    if values.shape[-1] == 4:
        other = np.where(np.sum(one * other, axis=-1, keepdims=True) < 0, -other, other)
        mixed = (1 - share) * one + share * other
        return mixed / np.linalg.norm(mixed, axis=-1, keepdims=True)
    return (1 - share) * one + share * other


def deviations(take, cycles, count):
    """By cycle, sample and joint."""
    phases = np.arange(count) / count
    turns = np.array([at_frames(take.rotations, a + (b - a) * phases) for a, b in cycles])
    mean = turns[len(turns) // 2].copy()
    for _ in range(8):
        mean = mul(from_vector(np.mean(to_vector(mul(turns, inverse(mean)[None])), axis=0)), mean)
    return to_vector(mul(turns, inverse(mean)[None]))


def below(body, joints):
    found = set(joints)
    for joint, parent in enumerate(body.parents):
        if parent in found:
            found.add(joint)
    return sorted(found)


def cyclic(values, order):
    """Differences around a loop; entry k belongs to the middle of its samples."""
    if order == 2:
        found = np.roll(values, 1, 0) - 2 * values + np.roll(values, -1, 0)
    else:
        found = np.roll(values, -2, 0) - 3 * np.roll(values, -1, 0) + 3 * values - np.roll(values, 1, 0)
    return np.max(np.linalg.norm(found, axis=-1), axis=-1)


def steps(rotations):
    """Turns from key to key, radians, by key and joint."""
    return np.linalg.norm(to_vector(mul(rotations[1:], inverse(rotations[:-1]))), axis=-1)


def of_vary(command, path, unit, up, scratch):
    at = lambda name: os.path.join(scratch, name + ".bvh")
    plain_facts, said = run(command, path, at("plain"))
    if plain_facts is None:
        return None, said
    asked = f"output.vary={SECS}"
    facts, said = run(command, path, at("vary"), "--set", asked, "--set", f"output.vary-seed={SEED}")
    if facts is None:
        return None, said
    mean, said = run(command, path, at("mean"), "--mean-cycles", "all")
    if mean is None:
        return None, said
    run(command, path, at("again"), "--set", asked, "--set", f"output.vary-seed={SEED}")
    run(command, path, at("other"), "--set", asked, "--set", f"output.vary-seed={SEED + 1}")
    take = read(path, unit, up)
    size = LEG / leg_length(take)
    plain, vary, other = (scaled(read(at(name), unit, up), size) for name in ("plain", "vary", "other"))
    count, many = len(plain) - 1, len(vary) - 1
    copies = many // count
    index = np.arange(many) % count
    legs = below(take.body, [leg["thigh"] for leg in take.body.legs])
    # A body that climbs does so evenly.
    rise = (plain.places[count, 0, 1] - plain.places[0, 0, 1]) / count * np.array([0.0, 1.0, 0.0])
    level = lambda motion: motion.seen_from_root() - np.arange(len(motion))[:, None, None] * rise
    seen, seen_plain = level(vary)[:many], level(plain)[:count]
    added = to_vector(mul(vary.rotations[:many], inverse(plain.rotations[:count])[index]))
    added[:, 0] = 0  # the hips of the file are in the world
    sizes = np.linalg.norm(added, axis=-1)
    varies = [joint for joint in range(len(take.body.names)) if sizes[:, joint].max() > 1e-5]
    cycles = [(cycle["start_frame"], cycle["end_frame"]) for cycle in mean["mean_cycle"]["cycles"]]
    own = np.linalg.norm(deviations(take, cycles, count), axis=-1)
    shown = [joint for joint in varies if own[:, :, joint].max() > np.radians(LEAST_DEG)]
    rounds = seen.reshape(copies, count, *seen.shape[1:])
    apart = [np.sqrt(np.mean(np.sum((rounds[i] - rounds[j])[:, varies] ** 2, -1))) for i in range(copies) for j in range(i)]
    places = take.seen_from_root()
    rows = [at_frames(places, a + (b - a) * np.arange(count) / count)[:, varies] for a, b in cycles]
    of_take = [np.sqrt(np.mean(np.sum((one - two) ** 2, -1))) for i, one in enumerate(rows) for two in rows[:i]]
    joins = (np.arange(many) % count <= 1) | (np.arange(many) % count == count - 1)
    bend = cyclic(seen, 2)
    of_plain = cyclic(seen_plain, 2)
    third = cyclic(added, 3)
    # Within cycles, since the take may jump between them.
    plain_steps = steps(plain.rotations)[:, varies].max()
    own_steps = max(steps(at_frames(take.rotations, np.linspace(a, b, count + 1)))[:, varies].max() for a, b in cycles)
    in_bytes = lambda name: open(at(name), "rb").read()
    return {
        "secs": many * vary.dt,
        "copies": copies,
        "cycles": len(cycles),
        "legs": 1e3 * np.max(np.linalg.norm(seen[:, legs] - seen_plain[index][:, legs], axis=-1)),
        "hip_way": 1e3 * np.max(np.abs(seen[:, 0, 1] - seen_plain[index][:, 0, 1])),
        "ratio": max(sizes[:, joint].max() / own[:, :, joint].max() for joint in shown) if shown else 0.0,
        "step": steps(vary.rotations)[:, varies].max() / max(plain_steps, own_steps),
        "rms": np.sqrt(np.mean(sizes[:, shown] ** 2) / np.mean(own[:, :, shown] ** 2)) if shown else 0.0,
        "apart": (1e3 * min(apart), 1e3 * float(np.median(apart)), 1e3 * min(of_take), 1e3 * float(np.median(of_take))),
        "joins": bend[joins].max() / bend[~joins].max(),
        "joins_plain": of_plain[[0, 1, -1]].max() / of_plain[2:-1].max(),
        "wrap": bend[[0, 1, -1]].max() / bend[~joins].max(),
        "added": third[joins].max() / third[~joins].max(),
        "closes": 1e3 * np.max(np.linalg.norm(level(vary)[many] - seen[0], axis=-1)),
        "same": in_bytes("vary") == in_bytes("again"),
        "other": 1e3 * np.sqrt(np.mean(np.sum((level(other)[:many] - seen)[:, varies] ** 2, -1))),
    }, ""


def of_ping_pong(command, path, unit, up, scratch, *flags):
    into = os.path.join(scratch, "pp.bvh")
    facts, said = run(command, path, into, "--ping-pong", *flags)
    if facts is None:
        return None, said
    take, loop = read(path, unit, up), read(into, unit, up)
    size = LEG / leg_length(take)
    take, loop = scaled(take, size), scaled(loop, size)
    count = len(loop) - 1
    start, end = facts["candidate"]["start_frame"], facts["candidate"]["end_frame"]
    held = (count - 2 * (end - start)) / 4
    half = 8 * held / 3
    places, seen = loop.places[:count], loop.seen_from_root()[:count]
    key = np.arange(count)
    mirror = np.max(np.linalg.norm(places[1:] - places[1:][::-1], axis=-1))
    # Time of the take that a key shows: there and back, its speed an odd cubic in the turns.
    there = np.minimum(key, count - key).astype(float)
    until = count / 2 - there
    eased = lambda t: half * (0.75 * (t / half) ** 2 - 0.125 * (t / half) ** 4)
    shown = np.where(there < half, start + eased(there), np.where(until < half, end - eased(until), start + there - held))
    whole = np.abs(shown - np.round(shown)) < 1e-9
    off = np.linalg.norm(seen - at_frames(take.seen_from_root(), shown), axis=-1)
    turning = (there < half + 1) | (until < half + 1)
    at_start, at_end = there < half + 1, until < half + 1
    bend, third = cyclic(places, 2), cyclic(places, 3)
    low, high = int(start) + 1, int(np.ceil(end))
    hips = loop.places[:count, 0][:, [0, 2]] / size
    way = np.linalg.norm(hips - hips[0], axis=-1).max()
    told = re.search(r"the body goes ([0-9.]+) m", said)
    middle = take.places[low - 1 : high + 1]
    own = np.max(np.linalg.norm(middle[:-2] - 2 * middle[1:-1] + middle[2:], axis=-1))
    own3 = np.max(np.linalg.norm(np.diff(middle, 3, axis=0), axis=-1))
    return {
        "frames": (start, end),
        "secs": count * loop.dt,
        "held": held,
        "mirror": 1e3 * mirror,
        "whole": 1e3 * off[whole].max(),
        "between": 1e3 * off[~whole].max() if (~whole).any() else 0.0,
        "velocity": 1e3 * np.max(np.linalg.norm(places[1] - places[-1], axis=-1)),
        "start": bend[at_start].max() / own,
        "end": bend[at_end].max() / own,
        "third": third[turning].max() / own3,
        "way": way,
        "told": abs(float(told.group(1)) - way) if told else 0.0,
    }, ""


def twirled(command, scratch):
    """The largest turn from key to key of a walker who twirls a stick, with cycles that vary over that without, and the joints that do not."""
    at = lambda name: os.path.join(scratch, name + ".bvh")
    subprocess.run([command, "synth", "-o", at("synth"), "--force", "--seconds", "24", "--noise", "0.5"], check=True, capture_output=True)
    lines = open(at("synth")).read().splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith("Frame Time")) + 1
    secs, columns, hand = float(lines[start - 1].split(":")[1]), 0, None
    for words in map(str.split, lines[:start]):
        if words[:1] in (["ROOT"], ["JOINT"]):
            name = words[1]
        elif words[:1] == ["CHANNELS"]:
            hand = columns + len(words) - 3 if name == "LeftHand" else hand
            columns += int(words[1])
    for index in range(start, len(lines)):
        numbers = lines[index].split()
        numbers[hand] = f"{(360 * 0.73 * (index - start) * secs + 180) % 360 - 180:.6f}"
        lines[index] = " ".join(numbers)
    open(at("twirled"), "w").write("\n".join(lines) + "\n")
    run(command, at("twirled"), at("plain"))
    facts, said = run(command, at("twirled"), at("vary"), "--set", "output.vary=20")
    assert facts, said
    plain, vary = (steps(read(at(name), 0.01, "Y").rotations).max() for name in ("plain", "vary"))
    return vary / plain, facts["variation"].get("joints_left_out", [])


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def figures(found, bounds):
    """Cells of the figures, and how many are beyond their bounds."""
    cells, beyond = [], 0
    for key, (least, most) in bounds.items():
        is_beyond = not least <= found[key] <= most
        beyond += is_beyond
        cells.append((f"{found[key]:.3f}" if isinstance(found[key], float) else str(found[key])) + " !" * is_beyond)
    return cells, beyond


def main(command, mocap, scratch, *wanted):
    os.makedirs(scratch, exist_ok=True)
    chosen = list(takes(mocap, wanted))
    refused, beyond = {}, 0
    row("take", "s", "loops of cycles", *VARY, "between two cycles, mm: least, median; of the take")
    row(*["---"] * (len(VARY) + 4))
    for name, unit, up in chosen:
        found, said = of_vary(command, os.path.join(mocap, name), unit, up, scratch)
        if found is None:
            # Below the line that says that it failed.
            lines = [line.strip() for line in said.splitlines()]
            failed = next(index for index, line in enumerate(lines) if line.startswith("error"))
            reason = (lines[failed + 1 :] or lines)[0]
            refused.setdefault(reason, []).append(name.split("/")[-1])
            continue
        cells, more = figures(found, VARY)
        beyond += more
        row(name.split("/")[-1], f"{found['secs']:.2f}", f"{found['copies']} of {found['cycles']}", *cells, "{:.1f}, {:.1f}; {:.1f}, {:.1f}".format(*found["apart"]))
    print(f"\n{sum(map(len, refused.values()))} of {len(chosen)} takes do not show how their cycles vary:")
    for reason, names in sorted(refused.items()):
        print(f"- {reason}: {', '.join(names)}")
    times, left_out = twirled(command, scratch)
    beyond += times > 1.2 or left_out != ["LeftHand"]
    print(f"\nA twirled stick: largest turn from key to key {times:.2f} times that of the loop; {', '.join(left_out)} as in the loop\n")
    row("take", "frames", "s", "held", *PING_PONG, "between frames, mm", "way, m")
    row(*["---"] * (len(PING_PONG) + 6))
    for name, unit, up in chosen:
        found, said = of_ping_pong(command, os.path.join(mocap, name), unit, up, scratch)
        if found is None:
            beyond += 1
            row(name.split("/")[-1], said.strip().splitlines()[0])
            continue
        cells, more = figures(found, PING_PONG)
        beyond += more
        row(name.split("/")[-1], "{:.0f}-{:.0f}".format(*found["frames"]), f"{found['secs']:.2f}", found["held"], *cells, f"{found['between']:.2f}", f"{found['way']:.2f}")
    print(f"\n{beyond} figures are beyond their bounds")
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
