# The formulas of two published articles, written anew from their text, against what the command does. Shares no code with loopwright.
#
#   pip install numpy
#   python bench/articles.py LOOPWRIGHT MOCAP SCRATCH
#
# The articles: D. Holden, "Creating Looping Animations from Motion Capture" and "Inertialization Transition Cost" (both 2022). Prints one
# row for each comparison: article, what is compared, take, the largest difference, and the tolerance. Exit status 1 where one is exceeded.
#
# Where an article and the command are meant to differ (docs/math/articles.md), the article's formula is mended here. Lengths are in metres,
# rotations (w, x, y, z); reader and quaternions are those of loops.py.

import csv
import json
import os
import subprocess
import sys

import numpy as np

from loops import UNITS, about_y, cubic, from_vector, inverse, linear, mul, parsed, read, soft_fade, spring, spring_rate, to_vector, turn

# Take, and the cut that is closed in it.
TAKES = [
    ("cmu/12_01_walk.bvh", 177, 330),
    ("bandai-namco/dataset-2_walk-turn-left_normal_031.bvh", 32, 65),
    ("bandai-namco/dataset-1_dance-short_normal_001.bvh", 1287, 1318),
    ("synthetic", 100, 169),
]
ROTATION, LENGTH = 1e-6, 1e-4  # degrees and mm that rounding in the files may make


class Table:
    def __init__(self):
        self.count, self.failed = 0, 0

    def add(self, article, what, take, value, unit, limit):
        bad = not value <= limit
        self.count, self.failed = self.count + 1, self.failed + bad
        short = take.split("/")[-1].removesuffix(".bvh")
        print(f"| {article} | {what} | {short} | {value:.3g} {unit} | {limit:g}{' **FAILED**' if bad else ''} |", flush=True)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


def degrees(p, q):
    return np.degrees(np.linalg.norm(to_vector(mul(p, inverse(q))), axis=-1))


# "Creating Looping Animations from Motion Capture": closures.

HALF_LIFE, BLEND, FADE, HARDNESS = 0.1, 0.35, 0.4, 16.0


class Closure:
    """Settings of the article, the flags that set it in the command, and the decays of both ends."""

    def __init__(self, flags, start, end, share=0.5):
        self.flags, self.start, self.end, self.share = flags, start, end, share


def closures(period):
    springs = lambda share: ["--closure", "spring", "--blend", HALF_LIFE, "--set", f"closure.share={share}"]
    fades = lambda a, b: [
        *("--closure", "softfade", "--set", f"closure.blend-start={a}", "--set", f"closure.blend-end={b}"),
        *("--set", f"closure.velocity-blend={BLEND}"),
    ]
    blends = lambda method: ["--closure", method, "--blend", BLEND]
    soft = lambda fade: soft_fade(fade, HARDNESS, BLEND)
    return [
        *(Closure(springs(share), spring(HALF_LIFE), spring(HALF_LIFE), share) for share in (1.0, 0.0, 0.5, 0.3)),
        Closure(blends("cubic"), cubic(BLEND), cubic(BLEND)),
        Closure(blends("linear"), linear(period, BLEND), linear(period, BLEND)),
        *(Closure(fades(FADE, end), soft(FADE), soft(end)) for end in (FADE, 2 * FADE)),
    ]


class Tracks:
    """Tracks of a cut with one frame beyond each end: places are vectors, rotations quaternions."""

    def __init__(self, values, dt):
        self.values, self.dt, self.is_turn = values, dt, values.shape[-1] == 4
        cut = values[1:-1]
        self.cut, self.count = cut, len(cut)
        self.x = self.step(cut[0], cut[-1])
        around = lambda k: (self.step(values[k], values[k + 1]) - self.step(values[k], values[k - 1])) / (2 * dt)
        self.central = [around(1), around(len(values) - 2)]

    def step(self, a, b):
        return to_vector(mul(b, inverse(a))) if self.is_turn else b - a

    def with_offset(self, offset):
        return mul(from_vector(offset), self.cut) if self.is_turn else self.cut + offset

    def apart(self, one, other):
        return (degrees(one, other) if self.is_turn else 1e3 * np.linalg.norm(one - other, axis=-1)).max()


def left_jacobian(o):
    """Matrices that turn rates of rotation vectors into angular velocities."""
    angle = np.maximum(np.linalg.norm(o, axis=-1), 1e-9)[..., None, None]
    zero = np.zeros(o.shape[:-1])
    cross = np.stack([zero, -o[..., 2], o[..., 1], o[..., 2], zero, -o[..., 0], -o[..., 1], o[..., 0], zero], axis=-1)
    cross = cross.reshape(*o.shape[:-1], 3, 3)
    return np.eye(3) + (1 - np.cos(angle)) / angle**2 * cross + (angle - np.sin(angle)) / angle**3 * cross @ cross


def exact(tracks, closure):
    """The mixture of the same decays that meets value and slope at both ends, whatever the decays leave there."""
    share, x = closure.share, tracks.x
    share, rate_share = share if isinstance(share, tuple) else (share, share)
    w0, w1 = tracks.central
    period = tracks.dt * (tracks.count - 1)
    slopes = [rate_share * (w1 - w0), -(1 - rate_share) * (w1 - w0)]
    if tracks.is_turn:
        ends = [share * x, -(1 - share) * x]
        carried = [turn(from_vector(o), w) for o, w in zip(ends, (w0, w1))]
        met = (1 - rate_share) * carried[0] + rate_share * carried[1]
        slopes = [np.linalg.solve(left_jacobian(o), (met - w)[..., None])[..., 0] for o, w in zip(ends, carried)]
    p, q, dp, dq = closure.start
    r, s, dr, ds = closure.end
    at = np.array([0.0, period])
    values, rates = [p(at), q(at), r(period - at), s(period - at)], [dp(at), dq(at), -dr(period - at), -ds(period - at)]
    system = np.concatenate([np.transpose(values), np.transpose(rates)])
    wanted = np.stack([share * x, -(1 - share) * x, *slopes])
    mix = np.linalg.solve(system, wanted.reshape(4, -1)).reshape(wanted.shape)
    there = tracks.dt * np.arange(tracks.count)
    decays = [p(there), q(there), r(there[::-1]), s(there[::-1])]
    return sum(np.multiply.outer(decay, m) for decay, m in zip(decays, mix))


class Cut:
    """A take, a cut in it, and the tracks that are closed: local ones below the joint that carries the root motion, and that joint's own
    seen from the root of the sidecar."""

    def __init__(self, path, unit, up, start, end, scratch):
        self.path, self.unit, self.up, self.start, self.end, self.scratch = path, unit, up, start, end, scratch
        self.names, self.parents, self.dt, self.positions, self.rotations = parsed(path, unit)
        self.period = (end - start) * self.dt

    def close(self, command, *flags):
        """Tracks of the cut, and those of the loop that the command closes with these flags."""
        out = os.path.join(self.scratch, "articles-loop.bvh")
        within = ("--range", f"{self.start}:{self.end}", "--lock-feet", "off", "--root-motion", "keep")
        run(command, "close", self.path, *within, "-o", out, "-f", "-q", *flags)
        sidecar, count = json.load(open(out + ".json")), self.end - self.start + 1
        tracks = self.seen(sidecar, self.positions, self.rotations, self.start - 1, count + 2)
        loop = (np.concatenate([np.repeat(values[:1], self.start, axis=0), values]) for values in parsed(out, self.unit)[3:])
        return [Tracks(values, self.dt) for values in tracks], self.seen(sidecar, *loop, self.start, count)

    def root(self, motion, seconds):
        """Places and rotations of the root of a sidecar."""
        twist = np.array(motion["linear_velocity_mps"]), np.array(motion["angular_velocity_radps"])
        place, facing = screw(*twist, seconds)
        first = about_y(np.radians(np.array(motion["start_yaw_deg"])))
        return np.array(motion["start_position_m"]) + turn(first, place), mul(first, facing)

    def seen(self, sidecar, positions, rotations, first, count):
        """Local tracks, those of the carrier from the root; end sites have none."""
        carrier = self.names.index(sidecar["playback"]["carrier_joint"])
        moving = [j for j in range(len(self.names)) if not self.names[j].endswith(" end") and j >= carrier]
        frames = slice(first, first + count)
        place, facing = self.root(sidecar["root_motion"], self.dt * (np.arange(first, first + count) - self.start))
        at, facings = positions[frames].copy(), rotations[frames].copy()
        if np.abs(at[:, :carrier]).max(initial=0) > 1e-9 or np.abs(facings[:, :carrier, 1:]).max(initial=0) > 1e-9:
            raise RuntimeError("joints above the carrier move")
        at[:, carrier] = turn(inverse(facing), at[:, carrier] - place)
        facings[:, carrier] = mul(inverse(facing), facings[:, carrier])
        return at[:, moving], facings[:, moving]


LOOPING = "looping by inertialization"
PIECES = ["--set", "closure.seam-motion=central", "--set", "closure.continuity=c1"]

def worst_apart(command, cut, closure, *flags):
    """How far the loop of a closure is at most from its formula: positions in mm, rotations in degrees."""
    tracks, written = cut.close(command, *PIECES, *closure.flags, *flags)
    return [k.apart(k.with_offset(exact(k, closure)), own) for k, own in zip(tracks, written)]


def compare_closures(table, command, cut, take):
    lengths, rotations = zip(*(worst_apart(command, cut, closure) for closure in closures(cut.period)))
    add_both(table, "the article's closures", take, max(lengths), max(rotations))


def add_both(table, name, take, lengths, rotations):
    table.add(LOOPING, f"{name}: rotations", take, rotations, "deg", ROTATION)
    table.add(LOOPING, f"{name}: positions", take, lengths, "mm", LENGTH)


def random_ends(random, period):
    """Flags of another method at each end, and their decays."""
    flags, ends = [], []
    for side in ("start", "end"):
        method = str(random.choice(["spring", "cubic", "linear", "softfade"]))
        times = np.round(period * random.uniform([0.03, 0.03, 0.05, 0.1], [0.5, 0.5, 1.0, 1.9]), 3)
        one, other, blend, fade = times
        sets = {"blend": {"spring": one, "softfade": fade}.get(method, blend), "method": method}
        if method == "spring":
            sets["velocity-blend"] = other
            place, rate = spring(one), spring(other)
            ends.append([place[0], rate[1], place[2], rate[3]])
        elif method == "softfade":
            sets["velocity-blend"] = blend = round(min(fade, period) * random.uniform(0.2, 1), 3)
            sets["hardness"] = hardness = round(random.uniform(0.5, 40), 2)
            ends.append(soft_fade(fade, hardness, blend))
        else:
            ends.append(cubic(blend) if method == "cubic" else linear(period, blend))
        for key, value in sets.items():
            flags += ["--set", f"closure.{key}-{side}={value}"]
    return flags, *ends


def compare_random(table, command, cut, take, count_of_settings=20):
    random, worst = np.random.default_rng(cut.start), np.zeros(2)
    for _ in range(count_of_settings):
        share = tuple(np.round(random.uniform(0, 1, 2), 3))
        closure = Closure(*random_ends(random, cut.period), share)
        worst = np.maximum(worst, worst_apart(command, cut, closure, "--set", f"closure.share={share[0]},{share[1]}"))
    add_both(table, f"{count_of_settings} random settings, two methods each", take, *worst)


def compare_spread(table, command, cut, take):
    """The article's first linear fade, which leaves velocities as they are."""
    tracks, written = cut.close(command, "--set", "closure.preset=linear-with-kink")
    share = np.linspace(0.5, -0.5, tracks[0].count)[:, None, None]
    add_both(table, "linear without velocities", take, *(k.apart(k.with_offset(share * k.x), own) for k, own in zip(tracks, written)))


def exponential(matrix):
    """exp of square matrices: halved until small, the series, and squared back."""
    halvings = 24
    small = matrix / 2.0**halvings
    power, total = np.broadcast_to(np.eye(matrix.shape[-1]), matrix.shape), 0.0
    for n in range(1, 8):
        power = power @ small / n
        total = total + power
    for _ in range(halvings):  # (1 + a)^2 - 1, so that small turns keep their digits
        total = total @ total + 2 * total
    return total + np.eye(matrix.shape[-1])


def screw(v, w, seconds):
    """Places and rotations after some seconds of a constant twist, by the exponential of its matrix."""
    twist = np.zeros((4, 4))
    twist[:3, :3] = [[0, -w[2], w[1]], [w[2], 0, -w[0]], [-w[1], w[0], 0]]
    twist[:3, 3] = v
    moved = exponential(twist * np.asarray(seconds)[..., None, None])
    return moved[..., :3, 3], from_vector(np.asarray(seconds)[..., None] * np.asarray(w))


# "Inertialization Transition Cost". Frames are compared as the command compares them: joints from the point on the ground below the hips,
# turned the way that thighs and shoulders face.

COST = "transition cost"


def seen_from_facing(motion):
    """Places of the joints from the root, places of the root, and its facing."""
    left, right = (motion.places[:, leg["thigh"]] for leg in motion.body.legs)
    names = [name.lower() for name in motion.body.names]
    arms = [next(j for j, name in enumerate(names) if name in (f"{side}arm", f"upperarm_{side[0]}")) for side in ("left", "right")]
    unit = lambda v: v / np.linalg.norm(v, axis=-1, keepdims=True)
    across = unit(left - right) + unit(motion.places[:, arms[0]] - motion.places[:, arms[1]])
    facing = np.unwrap(np.arctan2(-across[:, 2], across[:, 0]))
    ground = motion.places[:, 0] * [1.0, 0.0, 1.0]
    return turn(about_y(-facing)[:, None], motion.places - ground[:, None]), ground, facing


def gap_curve(x, v, fade, secs):
    """The offset after u of its whole length, and that length."""
    if fade == "spring":
        y = spring_rate(secs)
        return lambda u: np.exp(-60 * u) * (x + (v + x * y) * 60 / y * u), 60 / y
    if fade == "cubic":
        return lambda u: (1 - u) ** 2 * (x + (2 * x + v * secs) * u), secs
    c = v * secs
    return lambda u: (1 - u) ** 3 * (x + (3 * x + c) * u + (6 * x + 3 * c) * u * u), secs


def area_by_sum(x, v, fade, secs, steps=20000):
    """Area under the size of a fading offset, by Simpson's rule on either side of where it crosses zero."""
    curve, length = gap_curve(x, v, fade, secs)
    line = {"spring": 60 * (1 + v / (x * spring_rate(secs))) if x else np.inf, "cubic": 2 + v * secs / x if x else np.inf}
    crossings = [0.0, 1.0]
    if fade in line and line[fade] and 0 < -1 / line[fade] < 1:
        crossings.insert(1, -1 / line[fade])
    if fade == "quintic":
        c = v * secs
        roots = np.roots([6 * x + 3 * c, 3 * x + c, x])
        crossings[1:1] = sorted(root.real for root in roots if abs(root.imag) < 1e-12 and 0 < root.real < 1)
    total = 0.0
    for low, high in zip(crossings[:-1], crossings[1:]):
        u = np.linspace(low, high, steps + 1)
        weights = np.ones(steps + 1)
        weights[1:-1:2], weights[2:-1:2] = 4, 2
        total += abs((weights * curve(u)).sum()) * (high - low) / steps / 3
    return length * total


def feature_form(x, v, fade, secs):
    y = spring_rate(secs)
    a, b = {"spring": (2 / y, 1 / y**2), "cubic": (secs / 2, secs**2 / 12), "quintic": (secs / 2, secs**2 / 10)}[fade]
    return abs(a * x + b * v)


def compare_costs(table, command, cut, take):
    path, motion = cut.path, read(cut.path, cut.unit, cut.up)
    seen, ground, facing = seen_from_facing(motion)
    rate = np.gradient(seen, motion.dt, axis=0)
    walk = turn(about_y(-facing), np.gradient(motion.places[:, 0], motion.dt, axis=0))
    spin = np.gradient(facing, motion.dt)
    worst = dict.fromkeys(["places", "rates", "spring", "cubic", "quintic", "feature form"], 0.0)
    random = np.random.default_rng(1)
    stature = json.loads(run(command, "inspect", path, "--json"))["stature_m"]
    for _ in range(6):
        a, b = random.integers(2, len(motion) - int(0.5 / motion.dt), 2)
        pair = json.loads(run(command, "cost", f"{path}:{a}", f"{path}:{b}", "--json"))["pair"]
        exact_cost, feature = dict.fromkeys(("spring", "cubic", "quintic"), 0.0), 0.0
        for gap in pair["gaps"]:
            if gap["is_joint"]:
                j = motion.body.names.index(gap["part"])
                x, v = seen[a, j] - seen[b, j], rate[a, j] - rate[b, j]
            elif "velocity" in gap["part"]:
                x, v = np.zeros(3), walk[a] - walk[b]
            else:
                x, v = np.zeros(3), np.array([0.5 * stature * (spin[a] - spin[b]), 0, 0])
            worst["places"] = max(worst["places"], 1e3 * np.abs(x - gap["position_m"]).max())
            worst["rates"] = max(worst["rates"], 1e3 * np.abs(v - gap["velocity_mps"]).max())
            for fade, secs in (("spring", 0.1), ("cubic", 0.4), ("quintic", 0.4)):
                exact_cost[fade] += gap["weight"] * sum(area_by_sum(*axis, fade, secs) for axis in zip(x, v) if any(axis))
            feature += gap["weight"] * feature_form(x, v, "spring", 0.1).sum()
        by_fade = {row["decay"]: row for row in pair["costs"]}
        for fade, cost in exact_cost.items():
            worst[fade] = max(worst[fade], abs(cost / by_fade[fade]["cost_metre_secs"] - 1))
        worst["feature form"] = max(worst["feature form"], abs(feature / by_fade["spring"]["feature_cost_metre_secs"] - 1))
    table.add(COST, "features: positions of joints seen from the root", take, worst["places"], "mm", 1e-6)
    table.add(COST, "features: velocities, of the root too", take, worst["rates"], "mm/s", 1e-4)
    for fade in exact_cost:
        table.add(COST, f"cost of 6 jumps, {fade}, by Simpson's rule", take, worst[fade], "relative", 1e-9)
    table.add(COST, "feature form of the spring", take, worst["feature form"], "relative", 1e-10)


# The run.


def main(command, mocap, scratch):
    rows = {row["file"]: row for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"), encoding="utf-8"))}
    table = Table()
    print("| article | what is compared | take | largest difference | tolerance |")
    print("| --- | --- | --- | --- | --- |")
    synthetic = os.path.join(scratch, "synthetic.bvh")
    run(command, "synth", "-o", synthetic, "-f", "--seconds", 6, "--turn-rate", 12)
    cuts = []
    for file, start, end in TAKES:
        unit, up = ("cm", "Y") if file == "synthetic" else (rows[file]["units"], rows[file]["up_axis"])
        path = synthetic if file == "synthetic" else os.path.join(mocap, file)
        cuts.append((file, Cut(path, UNITS[unit.split()[0]], up, start, end, scratch)))
    for compare in (compare_closures, compare_random, compare_spread, compare_costs):
        for file, cut in cuts:
            compare(table, command, cut, file)
    print(f"{table.count} comparisons, {table.failed} above their tolerance")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
