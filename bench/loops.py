# How good loops are on captured takes, against ways to make them that everybody knows. Shares no code with loopwright: its own
# reader of BVH, its own forward kinematics, its own contacts.
#
#   pip install numpy
#   python bench/loops.py LOOPWRIGHT MOCAP SCRATCH [METHOD.py...]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes with its manifest.csv, SCRATCH a folder for the loops it makes. A METHOD is one of
# your own, as bench/example.py is one. Prints the tables of docs/benchmark.md, which defines every measure.

import re
import runpy
import sys
import time
from functools import cached_property
from pathlib import Path

import numpy as np

from command import manifest, said, table
from motion import Motion, about_y, from_vector, inverse, mul, read, to_vector, turn

UNITS = {"m": 1.0, "cm": 0.01, "inch-like": 0.0254, "CMU": 0.0254 / 0.45}
LEAST_SECS, MOST_SECS = 0.4, 10.0  # of a loop, for every method that searches


# A loop: frames 0 to N-1, which are played, and the closing frame N, which should be frame 0 moved on.


class Loop:
    def __init__(self, motion, start, end, secs=()):
        self.motion, self.start, self.end = motion, start, end
        self.secs = secs  # that it took to find and close, where its method says so
        self.count = len(motion) - 1
        self.step = about_y(motion.yaw[-1] - motion.yaw[0])
        self.shift = motion.middle[-1] - turn(self.step, motion.middle[0])

    def moved(self, places):
        return turn(self.step, places) + self.shift

    def played(self, places):
        """Three rounds of the frames of some points."""
        rounds = [places[: self.count]]
        for _ in range(2):
            rounds.append(self.moved(rounds[-1]))
        return np.concatenate(rounds)

    def frames(self):
        """Start and end in the take, to the nearest frame."""
        return int(round(self.start)), int(round(self.end))

    def frames_of_take(self):
        return self.start + (self.end - self.start) * np.arange(self.count) / self.count


def part(take, start, end):
    return Motion(take.body, take.dt, take.positions[start : end + 1].copy(), take.rotations[start : end + 1].copy())


# Ways to close a cut. All see the body from its root, and leave the way over the floor to the root.


def in_root(motion):
    root = about_y(motion.yaw)
    positions, rotations = motion.positions.copy(), motion.rotations.copy()
    ground = motion.positions[:, 0] * [1.0, 0.0, 1.0]
    positions[:, 0] -= ground
    rotations[:, 0] = mul(inverse(root), rotations[:, 0])
    return ground, root, positions, rotations


def rebuilt(motion, ground, root, positions, rotations):
    positions[:, 0] += ground
    rotations[:, 0] = mul(root, rotations[:, 0])
    return Motion(motion.body, motion.dt, positions, rotations)


def with_offsets(motion, offsets_of, root_offsets=None):
    """Adds to every joint what `offsets_of` makes of its gaps of pose and velocity (last minus first)."""
    ground, root, positions, rotations = in_root(motion)
    dt = motion.dt
    rate = lambda a, b: to_vector(mul(b, inverse(a))) / dt
    gaps = [
        (positions[-1] - positions[0], ((positions[-1] - positions[-2]) - (positions[1] - positions[0])) / dt),
        (to_vector(mul(rotations[-1], inverse(rotations[0]))), rate(rotations[-2], rotations[-1]) - rate(rotations[0], rotations[1])),
    ]
    moved, turned = (offsets_of(x, v, len(motion), dt) for x, v in gaps)
    if root_offsets:
        ground, root = root_offsets(ground, root, dt)
    return rebuilt(motion, ground, root, positions + moved, mul(from_vector(turned), rotations))


# Two of the four closures of D. Holden, "Creating Looping Animations from Motion Capture" (2022), with the settings that its demo opens
# with. The soft one comes out like the cubic one; the linear one moves joints farther, and feet off their height.
HALF_LIFE, BLEND, ROOT_BLEND, SHARE = 0.1, 0.2, 0.5, 0.5


def times(count, dt):
    there = dt * np.arange(count)[:, None, None]
    return there, there[::-1]


def spring(half_life):
    """Decays of a unit offset and of a unit velocity."""
    y = 2 * np.log(2) / half_life
    return lambda t: (1 + y * t) * np.exp(-y * t), lambda t: t * np.exp(-y * t)


def cubic(blend):
    u = lambda t: np.clip(t / blend, 0, 1)
    return lambda t: 1 - 3 * u(t) ** 2 + 2 * u(t) ** 3, lambda t: blend * (u(t) - 2 * u(t) ** 2 + u(t) ** 3)


def offsets_by(decays):
    """The offsets of a demo's closure with these decays of offset and velocity."""
    place, rate = decays

    def offsets(x, v, count, dt):
        there, back = times(count, dt)
        return SHARE * (x * place(there) + v * rate(there)) + (1 - SHARE) * (v * rate(back) - x * place(back))

    return offsets


def demo_root(ground, root, dt):
    rate = np.array([to_vector(mul(root[i + 1], inverse(root[i]))) / dt for i in (-2, 0)])
    local, fade = lambda i, v: turn(inverse(root[i]), v), cubic(ROOT_BLEND)[1]
    step = local(-1, ground[-1] - ground[-2]) / dt - local(0, ground[1] - ground[0]) / dt
    spin = local(-1, rate[0]) - local(0, rate[1])

    def offset(v):
        there, back = (t[:, 0] for t in times(len(root), dt))
        at_start, at_end = turn(root[0], v), turn(root[-1], v)
        return SHARE * at_start * fade(there) + (1 - SHARE) * at_end * fade(back)

    return ground + offset(step), mul(from_vector(offset(spin)), root)


# The classic: the length by autocorrelation, the start by the most alike windows, ten frames faded into the first.
WINDOW, FADED = 5, 10


def classic_cut(take):
    _, _, _, rotations = in_root(take)
    rotations[1:] *= np.cumprod(np.where(np.sum(rotations[1:] * rotations[:-1], axis=-1) < 0, -1.0, 1.0), axis=0)[..., None]
    rows = rotations.reshape(len(take), -1)
    rows = rows - rows.mean(axis=0)
    count = len(rows)
    lags = np.arange(int(np.ceil(LEAST_SECS / take.dt)), int(min(MOST_SECS / take.dt, 0.75 * count, count - 2 * WINDOW - 2)))
    size = 1 << int(np.ceil(np.log2(2 * count)))
    products = np.fft.irfft(np.sum(np.abs(np.fft.rfft(rows, size, axis=0)) ** 2, axis=1), size)[lags]
    energy = np.concatenate([[0.0], np.cumsum(np.sum(rows**2, axis=1))])
    likeness = products / np.sqrt(energy[count - lags] * (energy[-1] - energy[lags]))
    peaks = [i for i in range(1, len(lags) - 1) if likeness[i] > likeness[i - 1] and likeness[i] >= likeness[i + 1]]
    lag = lags[max(peaks or range(len(lags)), key=lambda i: likeness[i])]
    apart = np.sum((rotations[lag:] - rotations[:-lag]) ** 2, axis=(1, 2))
    windows = np.convolve(apart, np.ones(2 * WINDOW + 1), "valid")
    start = int(np.argmin(windows)) + WINDOW
    return start, start + int(lag)


def faded(motion):
    ground, root, positions, rotations = in_root(motion)
    count = min(FADED, len(motion) - 1)
    weight = (np.arange(count) / count)[:, None, None]
    first = np.where(np.sum(rotations[-count:] * rotations[0], axis=-1, keepdims=True) < 0, -rotations[0], rotations[0])
    positions[-count:] += weight * (positions[0] - positions[-count:])
    blend = rotations[-count:] + weight * (first - rotations[-count:])
    rotations[-count:] = blend / np.linalg.norm(blend, axis=-1, keepdims=True)
    return rebuilt(motion, ground, root, positions, rotations)


# Measures.


def seam_rank(take, start, end):
    """Share of the seams of similar length, and of no less than half the way, whose poses and velocities differ less, %."""
    seen, length = take.seen_from_root(), end - start
    velocity = turn(about_y(-take.yaw)[:, None], np.gradient(take.places, take.dt, axis=0))
    apart = lambda values, at, lag: np.linalg.norm(values[at + lag] - values[at], axis=-1)
    gap = lambda at, lag: (apart(seen, at, lag) + 0.1 * apart(velocity, at, lag)).mean(axis=-1)
    gaps = []
    for lag in range(int(0.9 * length), int(np.ceil(1.1 * length)) + 1):
        at = np.arange(1, len(take) - lag - 1)
        gaps.append(gap(at[apart(take.middle, at, lag) >= 0.5 * apart(take.middle, start, length)], lag))
    return [100.0 * np.mean(np.concatenate(gaps) < gap(start, length) - 1e-12)]


def speed_drift(take, start, end):
    """Change of the mean speed over a loop's length, from around the start to around the end, %."""
    reach = min((end - start) // 2, start, len(take) - 1 - end)
    if reach < 0.2 * (end - start):
        return []
    one, other = (np.linalg.norm(take.middle[i + reach] - take.middle[i - reach]) / (2 * reach * take.dt) for i in (start, end))
    mean = 0.5 * (one + other)
    return [100.0 * abs(other - one) / mean] if mean > 0.2 else []


class Feet:
    """Points of both feet: name, joint, place on it, whether it is a toe, height of its floor, and the frames of the take in which it stands: low and slow for
    a tenth of a second."""

    LOW, SLOW, LEAST = 0.03, 0.3, 0.1

    def __init__(self, take, start, end):
        self.points = []
        for leg in take.body.legs:
            for name in ("ball", "tip", "heel"):
                joint, place = (leg["ankle"], self.heel(take, leg)) if name == "heel" else (leg[name], np.zeros(3))
                if joint is None or np.median(np.linalg.norm(take.positions[:, joint], axis=-1)) < 1e-3:
                    continue
                way = self.way(take, joint, place)
                floor = np.percentile(way[max(0, start - 2) : end + 3, 1], 2)
                low = way[:, 1] < floor + self.LOW
                slow = np.linalg.norm(np.gradient(way[:, ::2], take.dt, axis=0), axis=-1) < self.SLOW
                stands = np.zeros(len(take), bool)
                for a, b in runs(low & slow):
                    stands[a:b] = (b - a) * take.dt >= self.LEAST
                self.points.append((name, joint, place, joint == leg["front"], floor, stands))

    @staticmethod
    def way(motion, joint, place):
        return motion.places[:, joint] + turn(motion.turns[:, joint], place)

    @staticmethod
    def heel(take, leg):
        """The point of the foot that lies straight below the ankle, as low as its front, while the foot rests."""
        ankle, ball = take.places[:, leg["ankle"]], take.places[:, leg["front"]]
        speed = sum(np.linalg.norm(np.gradient(way, axis=0), axis=-1) for way in (ankle, ball))
        speed[ball[:, 1] > np.percentile(ball[:, 1], 2) + Feet.LOW] = np.inf
        rest = np.argsort(speed)[: max(3, len(speed) // 20)]
        below = np.stack([np.zeros(len(rest)), np.minimum(ball[rest, 1] - ankle[rest, 1], 0), np.zeros(len(rest))], axis=-1)
        return np.median(turn(inverse(take.turns[rest, leg["ankle"]]), below), axis=0)


def runs(mask):
    edges = np.flatnonzero(np.diff(np.concatenate([[0], mask.astype(int), [0]])))
    return list(zip(edges[::2], edges[1::2]))


def slide(way):
    return np.sqrt(np.max(np.sum((way[:, None, ::2] - way[None, :, ::2]) ** 2, axis=-1)))


def feet_of_take(take, feet, start, end):
    slides = {}
    for name, joint, place, _, _, stands in feet.points:
        way = feet.way(take, joint, place)
        slides.setdefault(name, []).extend(1e3 * slide(way[a:b]) for a, b in runs(stands) if start <= a < end or a < start < b)
    return slides


def feet_of_loop(take, feet, loop):
    slides, heights = {}, []
    frames = loop.frames_of_take()
    for name, joint, place, _, _, stands in feet.points:
        own = feet.way(loop.motion, joint, place)
        way = loop.played(own)
        stood = stands[np.minimum(np.round(frames).astype(int), len(stands) - 1)]
        contacts = runs(np.tile(stood, 3))
        if stood.all():
            contacts = [(0, loop.count + 1)]
        taken = feet.way(take, joint, place)[:, 1]
        for a, b in contacts:
            if a < loop.count and not (a == 0 and stood[-1] and not stood.all()) and (b - a) * loop.motion.dt >= feet.LEAST:
                slides.setdefault(name, []).append(1e3 * slide(way[a:b]))
                at = np.arange(a, b) % loop.count
                heights.append(1e3 * np.mean(np.abs(own[at, 1] - np.interp(frames[at], np.arange(len(take)), taken))))
    return slides, heights


def kimodo(places, feet, dt):
    """FootSkateRatio of Kimodo: of the frames with a toe joint below 5 cm, share in which it moves faster than 0.2 m/s, %."""
    on, skates = 0, 0
    for _, joint, _, is_toe, floor, _ in feet.points:
        if is_toe:
            way = places[:, joint]
            low = way[:, 1] < floor + 0.05
            low = low[1:] & low[:-1]
            on, skates = on + low.sum(), skates + (low & (np.linalg.norm(np.diff(way, axis=0), axis=-1) / dt > 0.2)).sum()
    return [100.0 * skates / on] if on else []


def knee_angles(places, body):
    angles = []
    for leg in body.legs:
        thigh, shin = places[:, leg["knee"]] - places[:, leg["thigh"]], places[:, leg["ankle"]] - places[:, leg["knee"]]
        angles.append(np.arctan2(np.linalg.norm(np.cross(thigh, shin), axis=-1), np.sum(thigh * shin, axis=-1)))
    return np.stack(angles, axis=-1)


def sharpest(angles, dt):
    return np.max(np.abs(np.diff(angles, 2, axis=0))) / dt**2


def jerks(places, dt):
    return np.linalg.norm(np.diff(places, 3, axis=0), axis=-1).mean(axis=1) / dt**3


def visibility(series, seam, period):
    """Rank of the three differences that cross a seam among all three that follow each other in a period, %."""
    first = seam - 3 - period // 2
    others = np.array([series[i : i + 3].max() for i in range(first, first + period)])
    own = series[seam - 3 : seam].max()
    return 100.0 * (np.mean(others < own) + 0.5 * np.mean(others == own))


class Results(dict):
    def add(self, measures):
        for measure, values in measures.items():
            self.setdefault(measure, []).extend(values)


def measure_take(take, feet, start, end, results):
    """The limit: the take at the same frames, uncut."""
    edge = end if end + 4 < len(take) else start
    places, dt = take.places, take.dt
    velocity = np.diff(places[edge - 1 : edge + 2], axis=0) / dt
    half = (end - start) // 2
    low, high = max(0, edge - half - 6), min(len(take), edge + half + 6)
    window = min(end - start, 2 * min(edge - low - 6, high - edge - 6))
    results.add(feet_of_take(take, feet, start, end) | {
        "pose gap": [0.0],
        "velocity gap": [1e2 * np.linalg.norm(velocity[1] - velocity[0], axis=-1).mean()],
        "height": [0.0],
        "kimodo": kimodo(places[start : end + 1], feet, dt),
        "visible": [visibility(jerks(places[low:high], dt), edge - low, window)] if window > 8 else [],
        "knee": [1.0],
        "jerk": [1.0],
        "displacement": [0.0],
        "drift": speed_drift(take, start, end),
    })


def measure_loop(take, feet, loop, results):
    motion, count, dt = loop.motion, loop.count, loop.motion.dt
    start, end = loop.frames()
    first = loop.moved(motion.places[:2])
    gap = (motion.places[-1] - motion.places[-2]) - (first[1] - first[0])
    slides, heights = feet_of_loop(take, feet, loop)
    played = loop.played(motion.places)
    series = jerks(played, dt)
    around = take.places[max(0, start - 2) : end + 3]
    frames = loop.frames_of_take()
    low = np.minimum(frames.astype(int), len(take) - 2)
    rest = (frames - low)[:, None, None]
    seen = take.seen_from_root()
    own = (1 - rest) * seen[low] + rest * seen[low + 1]
    results.add(slides | {
        "seam rank": seam_rank(take, start, end),
        "pose gap": [1e3 * np.linalg.norm(motion.places[-1] - first[0], axis=-1).mean()],
        "velocity gap": [1e2 * np.linalg.norm(gap, axis=-1).mean() / dt],
        "height": heights,
        "kimodo": kimodo(played[: count + 1], feet, dt),
        "visible": [visibility(series, 2 * count, count)],
        "jerk": [series[count : 2 * count].max() / jerks(around, take.dt).max()],
        "knee": [sharpest(knee_angles(played, take.body), dt) / sharpest(knee_angles(around, take.body), take.dt)],
        "displacement": [1e3 * np.sqrt(np.sum((motion.seen_from_root()[:count] - own) ** 2, axis=-1).mean())],
        "drift": speed_drift(take, start, end),
    })


# Methods: each makes a loop of a case.


class Case:
    """A take, how its file is read, and the cut at loopwright's seam, for methods that only close."""

    def __init__(self, command, scratch, path, unit, up, take):
        self.command, self.scratch, self.path, self.unit, self.up, self.take = command, scratch, path, unit, up, take

    def made(self, *flags):
        """The loop of `loopwright make` with these flags."""
        into = self.scratch / "loop.bvh"
        begun = time.perf_counter()
        candidate = said(self.command, "make", self.path, "-o", into, "--force", *flags)["candidate"]
        secs = time.perf_counter() - begun
        return Loop(read(into, self.unit, self.up), candidate["start_frame"], candidate["end_frame"], [secs])

    @cached_property
    def ours(self):
        return self.made()

    @cached_property
    def seam(self):
        return self.ours.frames()

    @cached_property
    def cut(self):
        return part(self.take, *self.seam)

    def classic(self):
        begun = time.perf_counter()
        start, end = classic_cut(self.take)
        closed = faded(part(self.take, start, end))
        return Loop(closed, start, end, [time.perf_counter() - begun])

    def demo(self, decays):
        return Loop(with_offsets(self.cut, offsets_by(decays), demo_root), *self.seam)


CLASSIC, OURS, UNCUT = "autocorrelation and cross-fade", "loopwright", "uncut take"
METHODS = {
    "raw cut": lambda case: Loop(case.cut, *case.seam),
    CLASSIC: Case.classic,
    "demo: spring": lambda case: case.demo(spring(HALF_LIFE)),
    "demo: cubic": lambda case: case.demo(cubic(BLEND)),
    OURS: lambda case: case.ours,
    "loopwright, feet free": lambda case: case.made("--lock-feet", "off"),
}

# Measure, its name on the page, which way is better, and decimals.
ROWS = """
seam rank    | seam rank, %                                | lower       | 1
pose gap     | pose gap, mm                                | lower       | 1
velocity gap | velocity gap, cm/s                          | lower       | 1
visible      | visibility of the seam, mean %              | as the take | 0
ball         | slide of a contact: ball, mm                | lower       | 1
tip          | slide of a contact: tip, mm                 | lower       | 1
heel         | slide of a contact: heel, mm                | lower       | 1
kimodo       | foot skate ratio (Kimodo), %                | lower       | 1
height       | height of standing feet off the take's, mm  | lower       | 1
knee         | sharpest knee, over the take's              | 1 or less   | 2
displacement | displacement, mm RMS                        | lower       | 1
drift        | speed drift, %                              | lower       | 1
jerk         | peak jerk, over the take's                  | 1 or less   | 2
time         | time, s                                     | lower       | 3
"""
ROWS = [re.split(r" +\| ", row) for row in ROWS.strip().split("\n")]


def cell(measure, values, decimals):
    if not values:
        return "-"
    if measure == "visible":
        return f"{np.mean(values):.{decimals}f}"
    return f"{np.median(values):.{decimals}f} / {np.percentile(values, 95):.{decimals}f}"


def sample(mocap):
    """Every BVH take on level ground that must loop and has two legs, each motion once."""
    seen = set()
    for row in manifest(mocap):
        if row["format"] != "BVH" or row["expect"] != "loop" or row["units"] == "-" or "slope" in row["content"]:
            continue
        unit, up = UNITS[row["units"].split()[0]], row["up_axis"]
        take = read(mocap / row["file"], unit, up)
        key = (len(take), take.rotations[len(take) // 2].tobytes())
        if key not in seen:
            seen.add(key)
            yield row["file"], unit, up, take


def sections(command, mocap, scratch, methods=METHODS):
    results = {method: Results() for method in [*methods, UNCUT]}
    takes, still = 0, 0
    for file, unit, up, take in sample(mocap):
        takes += 1
        case = Case(command, scratch, mocap / file, unit, up, take)
        feet = {}
        pace = lambda start, end: np.linalg.norm(take.middle[end] - take.middle[start]) / (end - start)
        for method, make in methods.items():
            loop = make(case)
            seam = loop.frames()
            if seam not in feet:
                feet[seam] = Feet(take, *seam)
            measure_loop(take, feet[seam], loop, results[method])
            results[method].add({"time": loop.secs})
            still += method == CLASSIC and pace(*seam) < 0.5 * pace(*case.seam)
        measure_take(take, feet[case.seam], *case.seam, results[UNCUT])
    contacts = sum(len(results[OURS][name]) for name in ("ball", "tip", "heel"))
    rows = [("measure", "better", *results)]
    for measure, name, better, decimals in ROWS:
        rows.append((name, better, *(cell(measure, of_method.get(measure), decimals) for of_method in results.values())))
    counts = f"{takes} takes, a loop of each by every method, {contacts} contacts of points of feet in loopwright's loops. "
    counts += f"Of the autocorrelation's loops {still} travel less than half as fast as loopwright's of the same take."
    return {"sample": counts, "loops": table(*rows)}


def main(command, mocap, scratch, *methods):
    more = {name: make for path in methods for name, make in runpy.run_path(path)["METHODS"].items()}
    print(*sections(command, Path(mocap), Path(scratch), METHODS | more).values(), sep="\n\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
