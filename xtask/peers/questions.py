# Three questions that two articles leave open, answered by measuring captured takes. Shares no code with loopwright.
#
#   pip install numpy
#   python xtask/peers/questions.py LOOPWRIGHT MOCAP SCRATCH
#
# 1. "Skeletal Animation Looping with Autocorrelation" (2012) ends with an observation: where the second difference of its sequence
#    crosses zero, loops seem to start and end well. Is there more to it than chance?
# 2. D. Holden, "Inertialization Transition Cost" (2022) warns that joints whose local rotations are inertialized do not move as its
#    estimate in character space assumes. How often does that change which jump is cheapest?
# 3. The same article leaves the cost of offsets that fade by a polynomial to its readers. How often is another jump then cheapest?
#
# Prints a table in Markdown for each. Lengths are in metres; reader, quaternions and root are those of loops.py.

import csv
import json
import os
import subprocess
import sys

import numpy as np

from articles import area_by_sum, continuous, peaks, sequence, spring_rate
from loops import UNITS, LEAST_SECS, from_vector, in_root, inverse, mul, read, to_vector, turn

SEEDS = 2000


def takes(mocap, wanted):
    """BVH takes of the manifest that have two legs, each motion once."""
    seen = set()
    for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"), encoding="utf-8")):
        if row["format"] != "BVH" or row["units"] == "-" or not wanted(row):
            continue
        path = os.path.join(mocap, row["file"])
        try:
            take = read(path, UNITS[row["units"].split()[0]], row["up_axis"])
        except (StopIteration, IndexError, KeyError, RuntimeError):
            continue  # no legs by the names that loops.py knows
        key = (len(take), take.rotations[len(take) // 2].tobytes())
        if key not in seen:
            seen.add(key)
            yield row["file"], path, take


# 1. Zero crossings of the second difference.


class Gaps:
    """Gaps between frames of a take, seen from the root: mean distance of the joints plus 0.1 s times the mean difference of velocity."""

    def __init__(self, take):
        self.seen = take.seen_from_root()
        self.rate = np.gradient(self.seen, take.dt, axis=0)

    def between(self, a, b):
        mean = lambda values: 1e3 * np.linalg.norm(values[b] - values[a], axis=-1).mean(axis=-1)
        return mean(self.seen), mean(self.rate)

    def sum(self, a, b):
        pose, velocity = self.between(a, b)
        return pose + 0.1 * velocity


def crossings(values, both):
    """Frames at which the first difference of a sequence is least, and with `both` also where it is largest."""
    second = np.diff(values, 2)
    rises = (second[:-1] < 0) & (second[1:] >= 0)
    falls = (second[:-1] > 0) & (second[1:] <= 0)
    return np.flatnonzero(rises | falls if both else rises) + 1


def pairs_of(frames, period, slack):
    found = []
    for a in frames:
        b = frames[np.argmin(np.abs(frames - a - period))]
        if b > a and abs(b - a - period) <= slack:
            found.append((a, b))
    return np.array(found).reshape(-1, 2)


def near(frames, good, reach):
    """Which frames have a good one within `reach`."""
    return np.min(np.abs(frames[:, None] - good[None]), axis=1, initial=10**9) <= reach


def zero_crossings(command, mocap, both, results):
    random = np.random.default_rng(7)
    for file, path, take in takes(mocap, lambda row: row["expect"] == "loop"):
        done = subprocess.run([command, "find", path, "--json", "--set", "search.shifted=true", "--top", "1000"], capture_output=True)
        candidates = json.loads(done.stdout).get("candidates") or []
        if not candidates:
            continue
        ends = np.round([[row["start_frame"], row["end_frame"]] for row in candidates]).astype(int)
        done = subprocess.run([command, "find", path, "--json"], capture_output=True)
        best = json.loads(done.stdout)["candidates"][0]
        _, _, _, rotations = in_root(take)
        rotations = continuous(rotations)
        curve = sequence(rotations)
        tops, _ = peaks(curve, int(LEAST_SECS / take.dt), len(take) // 2)
        if not len(tops):
            continue
        period = int(round(tops[0]))
        frames = crossings(curve, both)
        pairs = pairs_of(frames, period, max(2, 0.05 * period))
        if not len(pairs):
            results.append({"file": file, "pairs": 0})
            continue
        gaps = Gaps(take)
        row = {"file": file, "pairs": len(pairs), "period": period * take.dt, "better": [], "shifted": []}
        row["near"], row["chance"], row["listed"], row["listed_chance"] = ([] for _ in range(4))
        row["gap"], row["least"], row["mean"] = [], [], []
        shifts = random.integers(0, len(take), SEEDS)
        for a, b in pairs:
            length = b - a
            starts = np.arange(1, len(take) - length - 1)
            if len(starts) < 10 or not 1 <= a < len(take) - length - 1:
                continue
            of_all = gaps.sum(starts, starts + length)
            own = gaps.sum(np.array([a]), np.array([b]))[0]
            share = lambda gap: np.mean(of_all < gap) + 0.5 * np.mean(of_all == gap)
            row["better"].append(100 * share(own))
            ranks = 100 * (np.argsort(np.argsort(of_all)) + 0.5) / len(of_all)
            row["shifted"].append(ranks[(a - 1 + shifts) % len(starts)])
            good = starts[of_all <= np.percentile(of_all, 10)]
            row["near"].append([near(np.array([a]), good, k)[0] for k in (1, 2, 3)])
            row["chance"].append([near(starts, good, k).mean() for k in (1, 2, 3)])
            both_near = lambda s, k: ((np.abs(s[:, None] - ends[:, 0]) <= k) & (np.abs(s[:, None] + length - ends[:, 1]) <= k)).any(axis=1)
            row["listed"].append([both_near(np.array([a]), k)[0] for k in (1, 2, 3)])
            row["listed_chance"].append([both_near(starts, k).mean() for k in (1, 2, 3)])
            row["gap"].append([*(value[0] for value in gaps.between(np.array([a]), np.array([b]))), own])
            least = starts[np.argmin(of_all)]
            row["least"].append([*(value[0] for value in gaps.between(np.array([least]), np.array([least + length]))), of_all.min()])
            pose, velocity = gaps.between(starts, starts + length)
            row["mean"].append([pose.mean(), velocity.mean(), of_all.mean()])
        if not row["gap"]:
            row["pairs"] = 0
        start, end = (np.array([int(round(best[key]))]) for key in ("start_frame", "end_frame"))
        end = np.minimum(end, len(take) - 1)
        row["command"] = [*(value[0] for value in gaps.between(start, end)), gaps.sum(start, end)[0]]
        results.append(row)


def tell_crossings(command, mocap):
    for both in (False, True):
        results = []
        zero_crossings(command, mocap, both, results)
        rows = [row for row in results if row["pairs"]]
        mean = lambda key: np.mean([np.mean(row[key], axis=0) for row in rows], axis=0)
        print(f"\n{'All crossings' if both else 'Crossings at which the first difference is least'}: {len(results)} takes, ", end="")
        print(f"{len(rows)} of them with {sum(len(row['gap']) for row in rows)} pairs one period apart\n")
        print("| within frames | 1 | 2 | 3 |\n| --- | --- | --- | --- |")
        for name, key in [("of the best tenth of starts, pairs", "near"), ("the same, any start of that length", "chance")]:
            print(f"| {name} | " + " | ".join(f"{100 * value:.0f}%" for value in mean(key)) + " |")
        for name, key in [("of a loop that the command lists, pairs", "listed"), ("the same, any start of that length", "listed_chance")]:
            print(f"| {name} | " + " | ".join(f"{100 * value:.0f}%" for value in mean(key)) + " |")
        print("\n| seam | pose gap, mm | velocity gap, mm/s | both, mm |\n| --- | --- | --- | --- |")
        cells = lambda values: " | ".join(f"{value:.0f}" for value in np.median(values, axis=0))
        for name, key in [("pairs", "gap"), ("best start of that length", "least"), ("any start of that length, mean", "mean")]:
            print(f"| {name} | {cells([np.mean(row[key], axis=0) for row in rows])} |")
        print(f"| the command's | {cells([row['command'] for row in rows])} |")
        own = np.mean([np.mean(row["better"]) for row in rows])
        by_chance = np.mean([np.mean(row["shifted"], axis=0) for row in rows], axis=0)
        better = sum(np.mean(row["better"]) < 50 for row in rows)
        low, high = np.percentile(by_chance, [2.5, 97.5])
        as_good = 100 * np.mean(by_chance <= own)
        print(f"\nRank of a pair among all starts of its length: {own:.1f}%. By chance it is 50%, and {low:.1f} to {high:.1f}% ", end="")
        print(f"in 95% of {SEEDS} seeds that shift all pairs of a take by one random number of frames; {as_good:.1f}% of ", end="")
        print(f"the seeds are as good as the pairs. Below 50% in {better} of {len(rows)} takes.")


# 2 and 3. Jumps.

HALF_LIFE, AHEAD, APART = 0.1, 0.8, 0.5
SOURCES, TARGETS = 200, 100


def areas_spring(x, v, secs):
    y = spring_rate(secs)
    slope = v + x * y
    whole = (2 * x * y + v) / y**2
    crosses = x * slope < 0
    rest = np.where(crosses, slope / y**2 * np.exp(x * y / np.where(crosses, slope, 1.0)), 0.0)
    return np.abs(whole - rest) + np.abs(rest)


def areas_cubic(x, v, secs):
    """o(u) = (1 - u)^2 (x + k u) with k = 2 x + v secs; it crosses zero at u = -x/k, and beyond there lies (x + k)^4 / (12 k^3)."""
    k = 2 * x + v * secs
    whole = x / 2 + v * secs / 12
    crosses = (x * k < 0) & (np.abs(k) > np.abs(x))
    rest = np.where(crosses, (x + k) ** 4 / (12 * np.where(crosses, k, 1.0) ** 3), 0.0)
    return secs * (np.abs(whole - rest) + np.abs(rest))


def areas_quintic(x, v, secs):
    """o = s^3 (e - g s + k s^2) with s = 1 - u, e = 10 x + 4 c, g = 15 x + 7 c, k = 6 x + 3 c, c = v secs; at most one root in between."""
    c = v * secs
    e, g, k = 10 * x + 4 * c, 15 * x + 7 * c, 6 * x + 3 * c
    whole = x / 2 + c / 10
    crosses = x * e < 0
    root = np.sqrt(np.maximum(g * g - 4 * k * e, 0))
    q = 0.5 * (g + np.where(g < 0, -1, 1) * root)
    safe = lambda a, b: a / np.where(b == 0, np.inf, b)
    one, other = safe(q, k), safe(e, q)
    s = np.where((one > 0) & (one < 1), one, other)
    rest = np.where(crosses, e * s**4 / 4 - g * s**5 / 5 + k * s**6 / 6, 0.0)
    return secs * (np.abs(whole - rest) + np.abs(rest))


def check_areas():
    random = np.random.default_rng(3)
    worst = 0.0
    for name, areas, secs in [("spring", areas_spring, 0.1), ("cubic", areas_cubic, 0.4), ("quintic", areas_quintic, 0.4)]:
        for x, v in random.normal(size=(200, 2)) * [0.1, 2.0]:
            worst = max(worst, abs(areas(np.array(x), np.array(v), secs) / area_by_sum(x, v, name, secs) - 1))
    return worst


class Sampled:
    """A take seen from its root, at about 60 frames per second: local rotations, heights of the hips, their rates, and places of joints."""

    def __init__(self, take):
        step = max(1, int(round(1 / 60 / take.dt)))
        _, _, positions, rotations = in_root(take)
        positions, rotations = positions[::step], continuous(rotations[::step])
        self.dt = take.dt * step
        if self.dt > 1 / 40:  # a frame between all two
            middle = mul(from_vector(0.5 * to_vector(mul(rotations[1:], inverse(rotations[:-1])))), rotations[:-1])
            between = 0.5 * (positions[1:] + positions[:-1])
            weave = lambda a, b: np.concatenate([np.stack([a[:-1], b], axis=1).reshape(-1, *a.shape[1:]), a[-1:]])
            positions, rotations = weave(positions, between), weave(rotations, middle)
            self.dt /= 2
        self.parents, self.positions, self.rotations = take.body.parents, positions, rotations
        self.feet = [leg[key] for leg in take.body.legs for key in ("ankle", "front")]
        self.places = self.forward(positions, rotations)
        self.rates = np.gradient(self.places, self.dt, axis=0)
        self.spins = np.zeros(rotations.shape[:-1] + (3,))
        self.spins[1:-1] = to_vector(mul(rotations[2:], inverse(rotations[:-2]))) / (2 * self.dt)
        self.lifts = np.gradient(positions[:, 0], self.dt, axis=0)

    def __len__(self):
        return len(self.places)

    def forward(self, positions, rotations):
        places, turns = np.empty(positions.shape), np.empty(rotations.shape)
        for joint, parent in enumerate(self.parents):
            if parent < 0:
                places[..., joint, :], turns[..., joint, :] = positions[..., joint, :], rotations[..., joint, :]
            else:
                places[..., joint, :] = places[..., parent, :] + turn(turns[..., parent, :], positions[..., joint, :])
                turns[..., joint, :] = mul(turns[..., parent, :], rotations[..., joint, :])
        return places

    def moved(self, sources, targets):
        """For every jump and joint the area, summed over axes, under the size of what inertialized local rotations move it by."""
        steps = int(round(AHEAD / self.dt))
        y, t = spring_rate(HALF_LIFE), self.dt * np.arange(steps)[:, None, None]
        p, q = (1 + y * t) * np.exp(-y * t), t * np.exp(-y * t)
        turned = to_vector(mul(self.rotations[sources], inverse(self.rotations[targets])))
        spun = self.spins[sources] - self.spins[targets]
        raised, lifted = self.positions[sources, 0] - self.positions[targets, 0], self.lifts[sources] - self.lifts[targets]
        frames = targets[None] + np.arange(steps)[:, None]
        rotations = mul(from_vector(turned * p[..., None] + spun * q[..., None]), self.rotations[frames])
        positions = self.positions[frames].copy()
        positions[:, :, 0] += raised * p + lifted * q
        apart = np.abs(self.forward(positions, rotations) - self.places[frames]).sum(axis=-1)
        return self.dt * (apart.sum(axis=0) - 0.5 * (apart[0] + apart[-1]))


def ranks(values):
    return np.argsort(np.argsort(values))


def measure_jumps(take, results):
    sampled = Sampled(take)
    last = len(sampled) - int(round(AHEAD / sampled.dt)) - 2
    if last < 2 * TARGETS:
        return False
    sources = np.linspace(1, len(sampled) - 2, SOURCES).astype(int)
    targets = np.linspace(1, last, TARGETS).astype(int)
    own = {"all joints": [], "feet": []}
    for source in sources:
        to = targets[np.abs(targets - source) * sampled.dt >= APART]
        x = sampled.places[source] - sampled.places[to]
        v = sampled.rates[source] - sampled.rates[to]
        moved = sampled.moved(np.full(len(to), source), to)
        y = spring_rate(HALF_LIFE)
        costs = {
            "estimate": areas_spring(x, v, HALF_LIFE),
            "feature form": np.abs(2 * x / y + v / y**2),
            "places and 0.1 s of velocity": np.abs(x) + 0.1 * np.abs(v),
            "places alone": np.abs(x),
            "cubic, same area (0.29 s)": areas_cubic(x, v, 4 / y),
            "quintic, same area (0.29 s)": areas_quintic(x, v, 4 / y),
            "cubic, 0.4 s": areas_cubic(x, v, 0.4),
            "quintic, 0.4 s": areas_quintic(x, v, 0.4),
        }
        for name, joints in (("all joints", slice(None)), ("feet", sampled.feet)):
            row = {key: cost[:, joints].sum(axis=(1, 2)) for key, cost in costs.items()}
            row["moved"] = moved[:, joints].sum(axis=1)
            own[name].append(row)
    for name, rows in own.items():
        results[name].append(rows)
    return True


def chosen(rows, by, under):
    """Of every source: whether `by` chooses the cheapest by `under`, the rank of its choice, its excess, the correlation of ranks."""
    out = []
    for row in rows:
        choice, best = np.argmin(row[by]), np.argmin(row[under])
        rank = np.sum(row[under] < row[under][choice]) + 1
        likeness = np.corrcoef(ranks(row[by]), ranks(row[under]))[0, 1]
        out.append([choice == best, rank, row[under][choice] / row[under][best] - 1, likeness])
    return np.array(out, float)


JUMPS = ["walk", "run", "turn", "dance", "boxing", "jump", "hop", "idle", "strafe"]


def tell_jumps(mocap):
    results, files = {"all joints": [], "feet": []}, []
    wanted = lambda row: any(word in row["content"] for word in JUMPS) and float(row["seconds"] or 0) >= 6 and "scaled" not in row["file"]
    sources = {}
    for file, _, take in takes(mocap, wanted):
        group = file.split("/")[0]
        if sources.get(group, 0) < 4 and measure_jumps(take, results):
            sources[group] = sources.get(group, 0) + 1
            files.append(file)
    print(f"\n{len(files)} takes, {SOURCES} frames of each left for {TARGETS} others at least {APART} s away. ", end="")
    print(f"Closed forms against Simpson's rule: {check_areas():.1g} relative.\n")
    heads = ["joints", "chosen by", "cheapest chosen", "rank of the choice, median / 95%", "excess, median / mean / 95%"]
    print(f"| {' | '.join(heads)} | correlation of ranks |\n| --- | --- | --- | --- | --- | --- |")
    for joints, of_takes in results.items():
        every = [row for rows in of_takes for row in rows]
        print_choices(joints, every, ["estimate", "feature form", "places and 0.1 s of velocity", "places alone"], "moved")
        excess = np.mean([np.mean(row["moved"]) / np.min(row["moved"]) - 1 for row in every])
        print(f"| {joints} | at random | {100 / TARGETS:.0f}% | - | - / {100 * excess:.0f}% / - | - |")
    print()
    for joints, of_takes in results.items():
        both = np.concatenate([[row["estimate"], row["moved"]] for rows in of_takes for row in rows], axis=1)
        least, middle, most = np.percentile(both[1] / both[0], [5, 50, 95])
        print(f"Moved over estimated, {joints}: {middle:.3f} in the median, {least:.3f} to {most:.3f} in 90% of ", end="")
        print(f"{both.shape[1]} jumps; correlation of both {np.corrcoef(both)[0, 1]:.4f}.")
    print("\n| take | cheapest chosen | excess, mean | correlation of ranks |\n| --- | --- | --- | --- |")
    for file, rows in zip(files, results["all joints"]):
        own = chosen(rows, "estimate", "moved").mean(axis=0)
        print(f"| {file} | {100 * own[0]:.0f}% | {100 * own[2]:.1f}% | {own[3]:.3f} |")
    print("\n| joints | fade | the spring's cheapest chosen | rank of the choice | excess by the spring's cost | correlation of ranks |")
    print("| --- | --- | --- | --- | --- | --- |")
    for joints, of_takes in results.items():
        every = [row for rows in of_takes for row in rows]
        print_choices(joints, every, [key for key in every[0] if key[:5] in ("cubic", "quint")], "estimate")


def print_choices(joints, every, by, under):
    for name in by:
        same, rank, excess, likeness = chosen(every, name, under).T
        spread = f"{np.median(rank):.0f} / {np.percentile(rank, 95):.0f}"
        excess = f"{100 * np.median(excess):.1f}% / {100 * np.mean(excess):.1f}% / {100 * np.percentile(excess, 95):.0f}%"
        print(f"| {joints} | {name} | {100 * same.mean():.0f}% | {spread} | {excess} | {likeness.mean():.3f} |")


def main(command, mocap, _scratch):
    tell_crossings(command, mocap)
    tell_jumps(mocap)


if __name__ == "__main__":
    main(*sys.argv[1:])
