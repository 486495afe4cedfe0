# The formulas of five published articles, written anew from their text, against what the command does. Shares no code with loopwright.
#
#   pip install numpy
#   python xtask/peers/articles.py LOOPWRIGHT MOCAP SCRATCH
#
# The articles: D. Holden, "Creating Looping Animations from Motion Capture", "Inertialization Transition Cost" and "Fitting Code Driven
# Displacement" (all 2022); "Skeletal Animation Looping with Autocorrelation" (2012); C. Muratori, "Periodic decomposition for animated
# root nodes" (2002). Prints one row for each comparison: article, what is compared, take, the largest difference, the tolerance where
# the article is right, and the cause of the difference. Exit status 1 where a tolerance is exceeded.
#
# Where an article and the command are meant to differ, the article's formula is mended step by step, each step has its row, and the last
# step must equal the command. Lengths are in metres, rotations (w, x, y, z); reader and quaternions are those of loops.py.

import csv
import json
import os
import subprocess
import sys

import numpy as np

from loops import UNITS, about_y, from_vector, inverse, mul, parsed, read, to_vector, turn

# Take, the cut that is closed in it, and the joint that the legs hang from.
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

    def add(self, article, what, take, value, unit, limit, cause):
        bad = limit is not None and not value <= limit
        self.count, self.failed = self.count + 1, self.failed + bad
        bound = "-" if limit is None else f"{limit:g}"
        short = take.split("/")[-1].removesuffix(".bvh")
        print(f"| {article} | {what} | {short} | {value:.3g} {unit} | {bound} | {cause}{' **FAILED**' if bad else ''} |", flush=True)


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode > 1:
        raise RuntimeError(f"{words}: {done.stderr}")
    return done.stdout


def degrees(p, q):
    return np.degrees(np.linalg.norm(to_vector(mul(p, inverse(q))), axis=-1))


# "Creating Looping Animations from Motion Capture": closures.

HALF_LIFE, BLEND, FADE, HARDNESS = 0.1, 0.35, 0.4, 16.0
EPS = 1e-5  # which the article adds to half-lives


def spring_rate(half_life, eps=0.0):
    return 2 * np.log(2) / (half_life + eps)


def spring(half_life, eps=0.0):
    """Decays of a unit offset and of a unit velocity, and their slopes."""
    y = spring_rate(half_life, eps)
    return [
        lambda t: (1 + y * t) * np.exp(-y * t),
        lambda t: t * np.exp(-y * t),
        lambda t: -y * y * t * np.exp(-y * t),
        lambda t: (1 - y * t) * np.exp(-y * t),
    ]


def cubic(blend):
    u = lambda t: np.clip(t / blend, 0, 1)
    return [
        lambda t: 1 - 3 * u(t) ** 2 + 2 * u(t) ** 3,
        lambda t: blend * (u(t) - 2 * u(t) ** 2 + u(t) ** 3),
        lambda t: 6 * (u(t) ** 2 - u(t)) / blend,
        lambda t: 1 - 4 * u(t) + 3 * u(t) ** 2,
    ]


def linear(period, blend):
    return [lambda t: 1 - t / period, cubic(blend)[1], lambda t: -1 / period + 0 * t, cubic(blend)[3]]


def soft_fade(fade, hardness, blend):
    z = lambda t: hardness * (1 - 2 * t / fade)
    place = lambda t: np.logaddexp(0, z(t)) / hardness
    return [place, cubic(blend)[1], lambda t: -2 / fade / (1 + np.exp(-z(t))), cubic(blend)[3]]


class Closure:
    """What the article sets, the flags that set it in the command, and the decays of both ends."""

    def __init__(self, name, flags, start, end, share=0.5, published=None):
        self.name, self.flags, self.start, self.end, self.share, self.published = name, flags, start, end, share, published


def closures(period):
    springs = lambda share: ["--closure", "spring", "--blend", HALF_LIFE, "--set", f"closure.share={share}"]
    fades = lambda a, b: [
        *("--closure", "softfade", "--set", f"closure.blend-start={a}", "--set", f"closure.blend-end={b}"),
        *("--set", f"closure.velocity-blend={BLEND}"),
    ]
    blends = lambda method: ["--closure", method, "--blend", BLEND]
    soft = lambda fade: soft_fade(fade, HARDNESS, BLEND)
    return [
        Closure("spring, start", springs(1), spring(HALF_LIFE), spring(HALF_LIFE), 1.0, "spring"),
        Closure("spring, end", springs(0), spring(HALF_LIFE), spring(HALF_LIFE), 0.0, "spring"),
        Closure("spring, both, 0.5", springs(0.5), spring(HALF_LIFE), spring(HALF_LIFE), 0.5, "spring"),
        Closure("spring, both, 0.3", springs(0.3), spring(HALF_LIFE), spring(HALF_LIFE), 0.3, "spring"),
        Closure("cubic", blends("cubic"), cubic(BLEND), cubic(BLEND)),
        Closure("linear", blends("linear"), linear(period, BLEND), linear(period, BLEND), 0.5, "linear"),
        Closure("soft fade, equal", fades(FADE, FADE), soft(FADE), soft(FADE), 0.5, (FADE, FADE)),
        Closure("soft fade, 0.4 and 0.8 s", fades(0.4, 0.8), soft(0.4), soft(0.8), 0.5, (0.4, 0.8)),
    ]


def softness(fade):
    """Slope of the article's soft fade at zero, over its length."""
    return -2 * np.exp(HARDNESS) / (1 + np.exp(HARDNESS)) / fade


class Tracks:
    """Tracks of a cut with one frame beyond each end: places are vectors, rotations quaternions; gaps as the article takes them."""

    def __init__(self, values, dt):
        self.values, self.dt, self.is_turn = values, dt, values.shape[-1] == 4
        cut = values[1:-1]
        self.cut, self.count = cut, len(cut)
        self.x = self.step(cut[0], cut[-1])
        self.first = [self.step(cut[0], cut[1]) / dt, self.step(cut[-2], cut[-1]) / dt]
        around = lambda k: (self.step(values[k], values[k + 1]) - self.step(values[k], values[k - 1])) / (2 * dt)
        self.central = [around(1), around(len(values) - 2)]

    def step(self, a, b):
        return to_vector(mul(b, inverse(a))) if self.is_turn else b - a

    def with_offset(self, offset):
        return mul(from_vector(offset), self.cut) if self.is_turn else self.cut + offset

    def apart(self, one, other):
        return (degrees(one, other) if self.is_turn else 1e3 * np.linalg.norm(one - other, axis=-1)).max()


class Published:
    """The article's offset from both ends, added up, and its slope."""

    def __init__(self, tracks, closure, v, repaired=False):
        self.share, self.x, self.v, self.closure = closure.share, tracks.x, v, closure
        self.period = tracks.dt * (tracks.count - 1)
        self.start, self.end = closure.start, closure.end
        if closure.published == "spring":
            self.start = self.end = spring(HALF_LIFE, EPS)
        if isinstance(closure.published, tuple):
            one, other = (softness(fade) for fade in closure.published)
            wrong = (self.share * one - (1 - self.share) * other) * tracks.dt
            right = (1 - self.share) * other - self.share * one
            self.v = v + (right if repaired else wrong) * self.x

    def mixed(self, t, p, q, r, s, sign):
        t = np.asarray(t, float).reshape(*np.shape(t), *[1] * self.x.ndim)
        there = self.share * (self.x * p(t) + self.v * q(t))
        return there + sign * (1 - self.share) * (-self.x * r(self.period - t) + self.v * s(self.period - t))

    def value(self, t):
        return self.mixed(t, *self.start[:2], *self.end[:2], 1)

    def slope(self, t):
        return self.mixed(t, *self.start[2:], *self.end[2:], -1)


def published(tracks, closure, v, repaired=False):
    return Published(tracks, closure, v, repaired).value(tracks.dt * np.arange(tracks.count))


def left_jacobian(o):
    """What turns the rate of a rotation vector into an angular velocity; also its inverse."""
    angle = np.maximum(np.linalg.norm(o, axis=-1), 1e-9)[..., None, None]
    zero = np.zeros(o.shape[:-1])
    cross = np.stack([zero, -o[..., 2], o[..., 1], o[..., 2], zero, -o[..., 0], -o[..., 1], o[..., 0], zero], axis=-1)
    cross = cross.reshape(*o.shape[:-1], 3, 3)
    return np.eye(3) + (1 - np.cos(angle)) / angle**2 * cross + (angle - np.sin(angle)) / angle**3 * cross @ cross


def exact(tracks, closure, on_sphere=True):
    """The mixture of the same decays that meets value and slope at both ends, whatever the decays leave there."""
    share, x = closure.share, tracks.x
    share, rate_share = share if isinstance(share, tuple) else (share, share)
    w0, w1 = tracks.central
    period = tracks.dt * (tracks.count - 1)
    slopes = [rate_share * (w1 - w0), -(1 - rate_share) * (w1 - w0)]
    if tracks.is_turn and on_sphere:
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

    def close(self, command, *flags, into="articles-loop.bvh"):
        out = os.path.join(self.scratch, into)
        run(command, "close", self.path, "--range", f"{self.start}:{self.end}", "--lock-feet", "off", "-o", out, "-f", "-q", *flags)
        return out, json.load(open(out + ".json"))

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
CAUSES = {
    "central differences": "one-sided first differences",
    "ends exchanged back": "soft fade's ends exchanged, times dt",
    "ends met": {
        "spring": "tail at the other end, and 1e-5 s in the half-life",
        "linear": "the fade's own velocity, taken out at each end",
        "soft fade": "the fade's own velocity and start value, taken out at each end",
    },
    "rates on the sphere": "rotation vectors taken for rates",
}


def compare_closures(table, command, cut, take):
    pieces = ["--root-motion", "keep", "--set", "closure.seam-motion=central", "--set", "closure.continuity=c1"]
    worst = [0.0, 0.0]
    for closure in closures(cut.period):
        out, sidecar = cut.close(command, *pieces, *closure.flags)
        count = cut.end - cut.start + 1
        tracks = [Tracks(values, cut.dt) for values in cut.seen(sidecar, cut.positions, cut.rotations, cut.start - 1, count + 2)]
        loop = parsed(out, cut.unit)
        written = cut.seen(sidecar, *shifted(loop[3], loop[4], cut.start), cut.start, count)
        steps = {
            "first differences": lambda k: published(k, closure, k.first[1] - k.first[0]),
            "central differences": lambda k: published(k, closure, k.central[1] - k.central[0]),
            "ends exchanged back": lambda k: published(k, closure, k.central[1] - k.central[0], True),
            "ends met": lambda k: exact(k, closure, False),
            "rates on the sphere": lambda k: exact(k, closure),
        }
        for which, joints, part in [(1, slice(None), "rotations"), (0, slice(0, 1), "position of the hips")]:
            k = Tracks(tracks[which].values[:, joints], cut.dt)
            made = [k.with_offset(step(k)) for step in steps.values()]
            sizes = [(k.apart(made[i], made[i + 1]), name) for i, name in enumerate(list(steps)[1:])]
            kind = closure.name.split(",")[0]
            say = lambda name: CAUSES[name] if isinstance(CAUSES[name], str) else CAUSES[name].get(kind, "")
            cause = "; ".join(f"{say(name)}: {size:.2g}" for size, name in sizes if size > 1e-3)
            unit = "deg" if k.is_turn else "mm"
            table.add(LOOPING, f"{closure.name}: {part}", take, k.apart(made[0], written[which][:, joints]), unit, None, cause)
            worst[which] = max(worst[which], k.apart(made[-1], written[which][:, joints]))
        if closure.name in ("cubic", "soft fade, 0.4 and 0.8 s"):
            raw, left, mended = velocity_gaps(closure, tracks[1])
            if closure.name == "cubic":
                cause = f"the two steps beside the seam are made equal, whatever the take's acceleration; {raw:.0f} before closing"
                table.add(LOOPING, "cubic: gap of central differences it leaves", take, left, "deg/s", None, cause)
            else:
                cause = f"ends exchanged, times dt; {raw:.0f} before closing"
                table.add(LOOPING, "soft fade, 0.4 and 0.8 s: velocity gap its slopes leave", take, mended[0], "deg/s", None, cause)
                table.add(LOOPING, "the same, ends exchanged back", take, mended[1], "deg/s", 1e-3, "tail")
    table.add(LOOPING, "all closures, mended: rotations", take, worst[1], "deg", ROTATION, "rounding of the files")
    table.add(LOOPING, "all closures, mended: position of the hips", take, worst[0], "mm", LENGTH, "rounding of the files")
    long_spring(table, command, cut, take, pieces)
    plain_spread(table, command, cut, take)


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
        flags, *ends = random_ends(random, cut.period)
        flags += ["--set", f"closure.share={share[0]},{share[1]}", "--set", "closure.seam-motion=central"]
        out, sidecar = cut.close(command, "--root-motion", "keep", "--set", "closure.continuity=c1", *flags)
        count = cut.end - cut.start + 1
        loop = parsed(out, cut.unit)
        written = cut.seen(sidecar, *shifted(loop[3], loop[4], cut.start), cut.start, count)
        tracks = [Tracks(values, cut.dt) for values in cut.seen(sidecar, cut.positions, cut.rotations, cut.start - 1, count + 2)]
        closure = Closure("random", flags, *ends, share)
        worst = np.maximum(worst, [k.apart(k.with_offset(exact(k, closure)), own) for k, own in zip(tracks, written)])
    name = f"{count_of_settings} random settings, two methods each"
    table.add(LOOPING, f"{name}: rotations", take, worst[1], "deg", ROTATION, "rounding of the files")
    table.add(LOOPING, f"{name}: positions", take, worst[0], "mm", LENGTH, "rounding of the files")


def long_spring(table, command, cut, take, pieces):
    """A half-life of 0.4 of the period: what is left of the pose gap at the seam."""
    half_life = 0.4 * cut.period
    out, sidecar = cut.close(command, *pieces, "--closure", "spring", "--blend", half_life)
    count = cut.end - cut.start + 1
    k = Tracks(cut.seen(sidecar, cut.positions, cut.rotations, cut.start - 1, count + 2)[1], cut.dt)
    offset = Published(k, Closure("spring", [], spring(half_life), spring(half_life)), k.first[1] - k.first[0])
    size = lambda gap: np.degrees(np.linalg.norm(gap, axis=-1)).max()
    left = size(k.x + offset.value(offset.period) - offset.value(0))
    cause = f"the tail is not in the offset; {size(k.x):.2g} before closing"
    table.add(LOOPING, "spring, half-life 0.4 T: pose gap it leaves", take, left, "deg", None, cause)
    loop = parsed(out, cut.unit)
    own = cut.seen(sidecar, *shifted(loop[3], loop[4], cut.start), cut.start, count)[1]
    table.add(LOOPING, "the same, by the command", take, degrees(own[-1], own[0]).max(), "deg", ROTATION, "rounding of the files")


def plain_spread(table, command, cut, take):
    """The article's first linear fade, which leaves velocities as they are."""
    if "preset" not in run(command, "recipe", "closure"):
        return
    out, sidecar = cut.close(command, "--root-motion", "keep", "--set", "closure.preset=linear-with-kink")
    count = cut.end - cut.start + 1
    tracks = [Tracks(values, cut.dt) for values in cut.seen(sidecar, cut.positions, cut.rotations, cut.start - 1, count + 2)]
    loop = parsed(out, cut.unit)
    written = cut.seen(sidecar, *shifted(loop[3], loop[4], cut.start), cut.start, count)
    share = 0.5 - np.arange(count)[:, None, None] / (count - 1)
    apart = [k.apart(k.with_offset(share * k.x), own) for k, own in zip(tracks, written)]
    table.add(LOOPING, "linear without velocities: rotations", take, apart[1], "deg", ROTATION, "rounding of the files")
    table.add(LOOPING, "linear without velocities: positions", take, apart[0], "mm", LENGTH, "rounding of the files")


def shifted(positions, rotations, start):
    """Frames of a loop at their place in the take."""
    front = lambda values: np.concatenate([np.repeat(values[:1], start, axis=0), values])
    return front(positions), front(rotations)


def velocity_gaps(closure, k):
    """Largest gap of angular velocity, degrees per second: raw, with the published offsets, and with those from central differences, as
    published and with the ends of the soft fade exchanged back."""
    v = k.central[1] - k.central[0]
    size = lambda gap: np.degrees(np.linalg.norm(gap, axis=-1)).max()
    left = lambda offset: size(v + offset.slope(offset.period) - offset.slope(0))
    own = [left(Published(k, closure, v, repaired)) for repaired in (False, True)]
    return size(v), left(Published(k, closure, k.first[1] - k.first[0])), own


# The root, closed in velocity alone.


def velocity_fade(v, blend, t):
    u = np.clip(t / blend, 0, 1)[:, None]
    return v * blend * (u - 2 * u * u + u**3)


def root_inertialized(place, facing, dt, blend_start=0.5, blend_end=0.5, ratio=0.5, wide=False):
    """The article's root: both ends move towards a mean velocity in character space, places at the ends stay. With `wide` velocities
    come from central differences, and the tracks hold one frame more at both ends."""
    if wide:
        pairs, cut = ((0, 2), (-3, -1)), slice(1, -1)
    else:
        pairs, cut = ((0, 1), (-2, -1)), slice(None)
    span = 2 * dt if wide else dt
    first, last = facing[cut][0], facing[cut][-1]
    moved = [turn(inverse(q), place[b] - place[a]) / span for q, (a, b) in zip((first, last), pairs)]
    turned = [turn(inverse(q), to_vector(mul(facing[b], inverse(facing[a])))) / span for q, (a, b) in zip((first, last), pairs)]
    place, facing = place[cut], facing[cut]
    there = dt * np.arange(len(place))
    offsets = [
        velocity_fade(ratio * turn(first, end - start), blend_start, there)
        + velocity_fade((1 - ratio) * turn(last, end - start), blend_end, there[::-1])
        for start, end in (moved, turned)
    ]
    return place + offsets[0], mul(from_vector(offsets[1]), facing)


def played_gap(place, facing, dt, cycles=100):
    """Largest change of velocity from frame to frame, seen from the root, over the seams of many cycles that are played one after another:
    mm/s and degrees per second."""
    step = mul(facing[-1], inverse(facing[0]))
    shift = place[-1] - turn(step, place[0])
    moved, turned, worst = place, facing, np.zeros(2)
    for _ in range(cycles):
        following, onwards = turn(step, moved) + shift, mul(step, turned)
        rates = []
        for places, turns, (a, b), at in ((moved, turned, (-2, -1), -1), (following, onwards, (0, 1), 0)):
            seen = inverse(turns[at])
            rates.append((turn(seen, places[b] - places[a]) / dt, turn(seen, to_vector(mul(turns[b], inverse(turns[a])))) / dt))
        worst = np.maximum(worst, [np.linalg.norm(rates[1][i] - rates[0][i]) for i in (0, 1)])
        moved, turned = following, onwards
    return worst * [1e3, np.degrees(1)]


def angles_about(q, axes):
    """Angles about three axes, in radians, in the order in which BVH files list them."""
    i, j, k = axes
    column = [turn(q, np.eye(3)[n]) for n in range(3)]
    sign = 1 if (j - i) % 3 == 1 else -1
    middle = np.arcsin(np.clip(sign * column[k][..., i], -1, 1))
    return [np.arctan2(-sign * column[k][..., j], column[k][..., k]), middle, np.arctan2(-sign * column[j][..., i], column[i][..., i])]


def write_rooted(cut, into, ground, facing):
    """The take with a joint on the ground above all others, which carries these positions and facings; nothing moves in the world."""
    head, body = open(cut.path, encoding="utf-8", errors="replace").read().split("MOTION")
    before, tree = head[: head.index("ROOT")], head[head.index("ROOT") :]
    blocks = [line.split()[2:] for line in tree.splitlines() if "CHANNELS" in line]
    hips = cut.names.index("Hips")
    first, own = sum(map(len, blocks[:hips])), [channel[0].upper() for channel in blocks[hips]]
    rows = body.strip().splitlines()
    values = np.array([row.split() for row in rows[2:]], float)
    root = about_y(facing)
    place = turn(inverse(root), cut.positions[:, hips] - ground) / cut.unit
    values[:, first : first + 3] = place[:, ["XYZ".index(axis) for axis in own[:3]]]
    turns = angles_about(mul(inverse(root), cut.rotations[:, hips]), ["XYZ".index(axis) for axis in own[3:]])
    values[:, first + 3 : first + 6] = np.degrees(np.transpose(turns))
    carried = np.column_stack([ground / cut.unit, np.degrees(facing), 0 * facing, 0 * facing])
    channels = "CHANNELS 6 Xposition Yposition Zposition Yrotation Xrotation Zrotation"
    with open(into, "w", encoding="utf-8") as file:
        file.write(f"{before}ROOT Reference\n{{\nOFFSET 0 0 0\n{channels}\nJOINT{tree[4:].rstrip()}\n}}\n")
        file.write("\n".join(["MOTION", *rows[:2]]) + "\n")
        file.writelines(" ".join(f"{value:.9f}" for value in row) + "\n" for row in np.hstack([carried, values]))


def compare_roots(table, command, cut, take):
    motion = read(cut.path, cut.unit, cut.up)
    _, ground, facing = seen_from_facing(motion)
    wide = slice(cut.start - 1, cut.end + 2)
    place, turned = ground[wide], about_y(facing[wide])
    raw = played_gap(place[1:-1], turned[1:-1], cut.dt)
    left = played_gap(*root_inertialized(place[1:-1], turned[1:-1], cut.dt, BLEND, BLEND), cut.dt)
    steps = turn(inverse(turned[1:-1]), np.diff(place, 2, axis=0)) / cut.dt
    cause = f"fade bends within a frame; raw {raw[0]:.0f}; the take's own steps {1e3 * np.median(np.linalg.norm(steps, axis=-1)):.0f}"
    table.add(LOOPING, "root as published: change of velocity over 100 seams", take, left[0], "mm/s", None, cause)
    table.add(LOOPING, "root as published: change of turn rate there", take, left[1], "deg/s", None, f"the same; raw {raw[1]:.1f}")
    if "inertialized" not in run(command, "make", "--help"):
        return
    rooted = os.path.join(cut.scratch, "articles-rooted.bvh")
    write_rooted(cut, rooted, ground, facing)
    flags = ["--root-motion", "inertialized", "--closure", "cubic", "--blend", BLEND, "--set", "closure.seam-motion=central"]
    out, _ = Cut(rooted, cut.unit, cut.up, cut.start, cut.end, cut.scratch).close(command, *flags)
    loop = parsed(out, cut.unit)
    at, faces = loop[3][:, 0], loop[4][:, 0]
    first = root_inertialized(place[1:-1], turned[1:-1], cut.dt, BLEND, BLEND)
    own = root_inertialized(place, turned, cut.dt, BLEND, BLEND, wide=True)
    apart = lambda one: 1e3 * np.linalg.norm(one[0] - at, axis=-1).max()
    since = lambda q: mul(q, inverse(q[:1]))
    table.add(LOOPING, "inertialized root joint: path as published", take, apart(first), "mm", None, "one-sided first differences")
    cause = "central differences in the axes of the mean motion"
    table.add(LOOPING, "inertialized root joint: path by central differences", take, apart(own), "mm", 0.1, cause)
    turned_apart = degrees(since(own[1]), since(faces)).max()
    table.add(LOOPING, "inertialized root joint: turn by them", take, turned_apart, "deg", ROTATION, "rounding of the files")
    cause = "0: the captured facing; else that of the body's mean"
    table.add(LOOPING, "inertialized root joint: facing at the start", take, degrees(own[1][0], faces[0]), "deg", None, cause)
    gap = played_gap(at, faces, cut.dt)
    cause = "the take's own acceleration is kept there"
    table.add(LOOPING, "inertialized root joint: change of velocity over 100 seams", take, gap[0], "mm/s", None, cause)
    table.add(LOOPING, "inertialized root joint: change of turn rate there", take, gap[1], "deg/s", None, cause)


# "Periodic decomposition for animated root nodes".


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


PERIODIC = "periodic decomposition"
PATHS = {  # flags of synth
    "straight": ["--turn-rate", 0],
    "turning": ["--turn-rate", 40],
    "climbing": ["--turn-rate", 0, "--climb", 0.25],
    "spiral stairs": ["--turn-rate", -50, "--climb", 0.2],
    "turn on the spot": ["--speed", 0, "--turn-rate", 45],
    "steps on the spot": ["--speed", 0, "--turn-rate", 0],
}


def compare_paths(table, command, scratch):
    for name, flags in PATHS.items():
        path, out = (os.path.join(scratch, file) for file in ("articles-path.bvh", "articles-path-loop.bvh"))
        run(command, "synth", "-o", path, "-f", "--seconds", 5, *flags)
        run(command, "make", path, "-o", out, "-f", "--add-root", "--lock-feet", "off")
        sidecar = json.load(open(out + ".json"))
        motion = sidecar["root_motion"]
        loop = motion["periodic_loop"]
        seconds = np.arange(0, 60, 1 / 60)
        v, w = np.array(motion["linear_velocity_mps"]), np.array(motion["angular_velocity_radps"])
        place, facing = screw(v, w, seconds)
        first = about_y(np.radians(np.array(motion["start_yaw_deg"])))
        place, facing = turn(first, place), mul(mul(first, facing), inverse(first))
        angle = loop["angle_radps"] * seconds[:, None]
        x, y, axis = (np.array(loop[key]) for key in ("basis_x", "basis_y", "axis"))
        radius = loop["radius_m"] or 0.0
        moved = loop["climb_mps"] * seconds[:, None] * axis + radius * (np.cos(angle) - 1) * x + radius * np.sin(angle) * y
        apart = 1e3 * np.linalg.norm(moved - place, axis=-1).max()
        what = f"{name}: position after up to 60 s, radius {radius:.3g} m"
        table.add(PERIODIC, what, "synthetic", apart, "mm", 1e-6, "rounding; cos - 1 times the radius")
        table.add(PERIODIC, f"{name}: facing", "synthetic", degrees(facing, from_vector(angle * axis)).max(), "deg", 1e-6, "rounding")
        written = parsed(out, 0.01)
        keys = written[2] * np.arange(len(written[3]))
        at, _ = screw(v, w, keys)
        at = turn(first, at) + np.array(motion["start_position_m"])
        apart = 1e3 * np.linalg.norm(written[3][:, 0] - at, axis=-1).max()
        table.add(PERIODIC, f"{name}: root joint as written", "synthetic", apart, "mm", LENGTH, "rounding of the file")


# "Inertialization Transition Cost". Frames are compared as the command compares them: joints from the point on the ground below the hips,
# turned the way that thighs and shoulders face.

COST = "transition cost"


def joint_named(body, *names):
    return next(j for j, name in enumerate(body.names) if name.lower() in names)


def seen_from_facing(motion):
    """Places of the joints from the root, places of the root, and its facing."""
    left, right = (motion.places[:, leg["thigh"]] for leg in motion.body.legs)
    arms = [joint_named(motion.body, f"{side}arm", f"upperarm_{side[0]}") for side in ("left", "right")]
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


def area_published(x, v, half_life):
    y = spring_rate(half_life, EPS)
    with np.errstate(all="ignore"):
        t = -x / (v + x * y)
        whole = (2 * x * y + v) / y**2
        rest = np.exp(-y * t) / y**2 * (t * v * y + x * y * (t * y + 2) + v)
        return np.where(t > 0, abs(whole - rest) + abs(rest), abs(whole))


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
    worst = dict.fromkeys(["places", "rates", "spring", "cubic", "quintic", "feature form", "published"], 0.0)
    random = np.random.default_rng(1)
    stature = json.loads(run(command, "inspect", path, "--json"))["stature_m"]
    for _ in range(6):
        a, b = random.integers(2, len(motion) - int(0.5 / motion.dt), 2)
        pair = json.loads(run(command, "cost", f"{path}:{a}", f"{path}:{b}", "--json"))["pair"]
        exact_cost, feature, article = dict.fromkeys(("spring", "cubic", "quintic"), 0.0), 0.0, 0.0
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
            article += gap["weight"] * sum(area_published(*axis, 0.1) for axis in zip(x, v) if any(axis))
        by_fade = {row["decay"]: row for row in pair["costs"]}
        for fade, cost in exact_cost.items():
            worst[fade] = max(worst[fade], abs(cost / by_fade[fade]["cost_metre_secs"] - 1))
        worst["feature form"] = max(worst["feature form"], abs(feature / by_fade["spring"]["feature_cost_metre_secs"] - 1))
        worst["published"] = max(worst["published"], abs(article / by_fade["spring"]["cost_metre_secs"] - 1))
    table.add(COST, "features: positions of joints seen from the root", take, worst["places"], "mm", 1e-6, "rounding")
    table.add(COST, "features: velocities, of the root too", take, worst["rates"], "mm/s", 1e-4, "rounding")
    for fade in exact_cost:
        table.add(COST, f"cost of 6 jumps, {fade}, by Simpson's rule", take, worst[fade], "relative", 1e-9, "rounding")
    table.add(COST, "feature form of the spring", take, worst["feature form"], "relative", 1e-10, "rounding")
    table.add(COST, "article's listing", take, worst["published"], "relative", None, "1e-5 s added to the half-life")


# "Fitting Code Driven Displacement".

FIT = "fitting displacement"
WORKED = [  # flags, key of the answer, what the article prints, unit, half a unit of its last digit
    (["--half-life", 0.2, "--speed", 5], ("velocity", "acceleration_mps2"), 0.14, "m/s^2", 0.005),
    (["--speed", 5, "--acceleration", 2], ("velocity", "half_life_secs"), 1.27, "s", 0.005),
    (["--speed", 4.86, "--acceleration", 3.94], ("velocity", "half_life_secs"), 0.63, "s", 0.005),
    (["--angle", 180, "--turn-rate", 154.68], ("facing", "half_life_secs"), 0.60, "s", 0.005),
    (["--speed", 10.44, "--acceleration", 2.80], ("velocity", "half_life_secs"), 1.90, "s", 0.005),
]


def stepped_peak(half_life, goal):
    """Largest rate of a spring from rest to a goal, and when, by Runge and Kutta's method on its differential equation."""
    y, h = spring_rate(half_life), half_life / 2000
    force = lambda s: np.array([s[1], y * y * (goal - s[0]) - 2 * y * s[1]])
    state, rates = np.zeros(2), [0.0]
    for _ in range(6000):
        a = force(state)
        b = force(state + h / 2 * a)
        c = force(state + h / 2 * b)
        state = state + h / 6 * (a + 2 * b + 2 * c + force(state + h * c))
        rates.append(state[1])
    k = int(np.argmax(rates))
    low, mid, high = rates[k - 1 : k + 2]
    top = 0.5 * (low - high) / (low - 2 * mid + high)
    return mid - 0.25 * (low - high) * top, h * (k + top)


def compare_fit(table, command, scratch):
    for flags, (part, key), printed, unit, rounding in WORKED:
        answer = json.loads(run(command, "fit", *flags, "--json"))[part]
        given = dict(zip(flags[::2], flags[1::2]))
        size = given.get("--speed", given.get("--angle"))
        half_life = given.get("--half-life") or 2 * np.log(2) * size / np.e / flags[3]
        own = spring_rate(half_life) * size / np.e if "--half-life" in given else half_life
        name = " ".join(map(str, flags)).replace("--", "")
        table.add(FIT, f"{name}: {own:.4g} {unit}, command", "-", abs(answer[key] / own - 1), "relative", 1e-12, "rounding")
        peak, at = stepped_peak(answer["half_life_secs"], size)
        top = answer["acceleration_mps2" if part == "velocity" else "turn_rate_dps"]
        apart = max(abs(peak / top - 1), abs(at / answer["peak_secs"] - 1))
        table.add(FIT, f"{name}: peak and its time, stepped", "-", apart, "relative", 1e-6, "steps")
        off = abs(printed - own)
        cause = "rounding" if off <= 1.01 * rounding else "printed is the time of the peak, 0.144 s" if size == 5 else "a slip in print"
        table.add(FIT, f"{name}: article prints {printed:.2f} {unit}", "-", off, unit, None, cause)
    profile = os.path.join(scratch, "articles-profile.csv")
    at = np.arange(0, 6, 0.25)
    u = spring_rate(0.7) * np.maximum(at - 0.4, 0)
    with open(profile, "w", encoding="utf-8") as file:
        file.write("time,speed\n" + "".join(f"{t},{6 * (1 - (1 + k) * np.exp(-k)):.12f}\n" for t, k in zip(at, map(float, u))))
    answer = json.loads(run(command, "fit", "--profile", profile, "--json"))["velocity"]
    table.add(FIT, "table of speeds of a spring of 0.7 s", "-", abs(answer["half_life_secs"] / 0.7 - 1), "relative", 1e-3, "search")
    path = os.path.join(scratch, "articles-springs.bvh")
    springs_take(command, path, scratch)
    pool = json.loads(run(command, "fit", path, "--json"))["pools"][0]["all"]
    for name, half_life in (("velocity", 0.4), ("facing", 0.3)):
        for key, limit, cause in (("fitted_secs", 1e-3, "search"), ("closed_secs", 0.05, "the change is measured before it has ended")):
            found = pool[name][key]["median"]
            what = f"a body on springs, {name}: {key.split('_')[0]} half-life"
            table.add(FIT, what, "synthetic", abs(found / half_life - 1), "relative", limit, cause)


def springs_take(command, path, scratch, velocity=0.4, facing=0.3):
    """A stiff body on springs: it starts, stops, and turns about on the spot."""
    model = os.path.join(scratch, "articles-model.bvh")
    run(command, "synth", "-o", model, "-f", "--seconds", 2, "--fps", 60)
    text = open(model, encoding="utf-8").read()
    head, body = text.split("MOTION")
    channels = [word for line in head.splitlines() if "CHANNELS" in line for word in line.split()[2:]]
    first = np.array(body.splitlines()[3].split(), float)
    t = np.arange(0, 24, 1 / 60)
    step = lambda t0, half_life: (lambda u: 1 - (1 + u) * np.exp(-u))(spring_rate(half_life) * np.maximum(t - t0, 0))
    way = lambda t0: (lambda u: (u - 2 + (u + 2) * np.exp(-u)) / spring_rate(velocity))(spring_rate(velocity) * np.maximum(t - t0, 0))
    values = np.zeros((len(t), len(channels)))
    for column, channel in enumerate(channels[:6]):
        if channel == "Yposition":
            values[:, column] = first[column]
        if channel == "Zposition":
            values[:, column] = 100 * 3 * (way(2) - way(8))
        if channel == "Yrotation":
            values[:, column] = 90 * (step(14, facing) - step(19, facing))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{head}MOTION\nFrames: {len(t)}\nFrame Time: {1 / 60:.9f}\n")
        file.writelines(" ".join(f"{value:.6f}" for value in row) + "\n" for row in values)


# "Skeletal Animation Looping with Autocorrelation".

RHYTHM = "autocorrelation"


def sequence(rotations):
    """The article's sequence: the mean over frames of the products of a pose's quaternions with those some frames later, around the end."""
    flat = rotations.reshape(len(rotations), -1)
    spectrum = np.abs(np.fft.rfft(flat, axis=0)) ** 2
    return np.fft.irfft(spectrum.sum(axis=1), len(flat)) / len(flat)


def continuous(rotations):
    """The same rotations with the signs that neighbours share."""
    signs = np.cumprod(np.where(np.sum(rotations[1:] * rotations[:-1], axis=-1, keepdims=True) < 0, -1.0, 1.0), axis=0)
    return np.concatenate([rotations[:1], rotations[1:] * signs])


def peaks(values, low, high):
    """Local maxima, highest first, with the places between samples that a parabola gives them."""
    k = np.arange(max(low, 1), min(high, len(values) - 1))
    k = k[(values[k] > values[k - 1]) & (values[k] >= values[k + 1])]
    k = k[np.argsort(-values[k], kind="stable")]
    a, b, c = values[k - 1], values[k], values[k + 1]
    top = 0.5 * (a - c) / (a - 2 * b + c)
    return k + top, b - 0.25 * (a - c) * top


def unbiased(seen):
    """Autocorrelation of axes without their straight lines, over the overlap, as a share of that at no lag."""
    count = len(seen)
    t = np.arange(count) - (count - 1) / 2
    level = seen - seen.mean(axis=0)
    level -= np.multiply.outer(t, t @ level / (t @ t))
    size = 1 << (2 * count - 1).bit_length()
    sums = np.fft.irfft((np.abs(np.fft.rfft(level, size, axis=0)) ** 2).sum(axis=1), size)[:count]
    return sums / (count - np.arange(count)) / (sums[0] / count)


def compare_rhythm(table, command, cut, take):
    motion = read(cut.path, cut.unit, cut.up)
    inspected = json.loads(run(command, "inspect", cut.path, "--json"))
    found = json.loads(run(command, "find", cut.path, "--json"))["rhythm"]
    weights = {row["joint"]: row["weight"] for row in inspected["weights"]}
    seen, _, _ = seen_from_facing(motion)
    axes = np.concatenate([weight * seen[:, motion.body.names.index(name)] for name, weight in weights.items()], axis=1)
    good = np.setdiff1d(np.arange(len(axes)), [row["frame"] for row in inspected["bad_frames"]])
    nearest = good[np.argmin(np.abs(np.arange(len(axes))[:, None] - good), axis=1)]
    curve = unbiased(axes[nearest])  # a bad frame holds the nearest good one
    own, strength = peaks(curve, 3, 3 * len(curve) // 4)
    apart = np.zeros(2)
    for peak in inspected["rhythm_peaks"]:
        near = np.argmin(np.abs(own * cut.dt - peak["period_secs"]))
        apart = np.maximum(apart, [abs(own[near] * cut.dt / peak["period_secs"] - 1), abs(strength[near] - peak["repeat_strength"])])
    name = f"{len(inspected['rhythm_peaks'])} peaks of the rhythm"
    table.add(RHYTHM, f"{name}: periods", take, apart[0], "relative", 1e-6, "values are rounded to nine decimals")
    table.add(RHYTHM, f"{name}: strengths", take, apart[1], "of 1", 1e-6, "values are rounded to nine decimals")
    ends = [name.endswith(" end") for name in motion.body.names]
    rotations = continuous(motion.rotations[:, ~np.array(ends)])
    lags, _ = peaks(sequence(rotations), int(0.4 / cut.dt), len(rotations) // 2)
    ratio = lags[0] * cut.dt / found["period_secs"]
    cause = f"{lags[0] * cut.dt:.3f} s, {ratio:.3f} of the command's cycle of {found['period_secs']:.3f} s; ends wrap, means stay in"
    table.add(RHYTHM, "article's highest peak, off the nearest multiple", take, abs(ratio - max(1, round(ratio))), "cycles", None, cause)


def compare_crossfades(table, command, cut, take):
    """The moving crossfade of the command, and the article's into the frozen first frame."""
    blend = np.floor(0.3 / cut.dt) * cut.dt  # the command fades over whole frames
    out, sidecar = cut.close(command, "--root-motion", "keep", "--closure", "crossfade", "--blend", blend)
    count, before = cut.end - cut.start + 1, int(np.ceil(blend / cut.dt)) + 1
    into = parsed(out, cut.unit)
    written = cut.seen(sidecar, *shifted(into[3], into[4], cut.start), cut.start, count)
    tracks = cut.seen(sidecar, cut.positions, cut.rotations, cut.start - before, count + before)
    u = np.clip((cut.dt * np.arange(count) - cut.period) / blend + 1, 0, 1)
    w = u**3 * (10 - 15 * u + 6 * u * u)
    worst, frozen = [0.0, 0.0], []
    for which, values in enumerate(tracks):
        x, y = values[before:], values[: before + 1]
        y = np.concatenate([np.repeat(y[:1], count - len(y), axis=0), y])
        w_of = w.reshape(-1, *[1] * (x.ndim - 1))
        made = mul(from_vector(w_of * to_vector(mul(y, inverse(x)))), x) if which else x + w_of * (y - x)
        worst[which] = (degrees(made, written[which]) if which else 1e3 * np.linalg.norm(made - written[which], axis=-1)).max()
    table.add(RHYTHM, "moving crossfade, 0.3 s: rotations", take, worst[1], "deg", ROTATION, "rounding of the files")
    table.add(RHYTHM, "moving crossfade, 0.3 s: position of the hips", take, worst[0], "mm", LENGTH, "rounding of the files")
    x = tracks[1][before:]
    part = np.clip((np.arange(count - 1) - (count - 1 - 10)) / 10, 0, 1)[:, None, None]
    target = x[:1] * np.sign(np.sum(x[:1] * x[:-1], axis=-1, keepdims=True))
    faded = (1 - part) * x[:-1] + part * target
    faded /= np.linalg.norm(faded, axis=-1, keepdims=True)
    kinks = []
    for loop in (x[:-1], faded, written[1][:-1]):
        around = np.concatenate([loop[-3:], loop[:3]])
        rate = to_vector(mul(around[1:], inverse(around[:-1]))) / cut.dt
        kinks.append(np.degrees(np.linalg.norm(np.diff(rate, axis=0), axis=-1)).max())
    cause = f"frozen first frame as the target; raw cut {kinks[0]:.0f}, the command's crossfade {kinks[2]:.0f}"
    table.add(RHYTHM, "article's fade of 10 frames: change of rate at the seam", take, kinks[1], "deg/s", None, cause)


# The run.


def main(command, mocap, scratch):
    rows = {row["file"]: row for row in csv.DictReader(open(os.path.join(mocap, "manifest.csv"), encoding="utf-8"))}
    table = Table()
    print("| article | what is compared | take | largest difference | tolerance | cause |")
    print("| --- | --- | --- | --- | --- | --- |")
    synthetic = os.path.join(scratch, "synthetic.bvh")
    run(command, "synth", "-o", synthetic, "-f", "--seconds", 6, "--turn-rate", 12)
    cuts = []
    for file, start, end in TAKES:
        unit, up = ("cm", "Y") if file == "synthetic" else (rows[file]["units"], rows[file]["up_axis"])
        path = synthetic if file == "synthetic" else os.path.join(mocap, file)
        cuts.append((file, Cut(path, UNITS[unit.split()[0]], up, start, end, scratch)))
    for compare in (compare_closures, compare_random, compare_roots, compare_costs, compare_rhythm, compare_crossfades):
        for file, cut in cuts:
            compare(table, command, cut, file)
    compare_fit(table, command, scratch)
    compare_paths(table, command, scratch)
    print(f"{table.count} comparisons, {table.failed} above their tolerance")
    return 1 if table.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
