# Faults put into captured walks, once in every cycle, and whether the command says so. Shares no code with loopwright; the reader is that of
# motion.py.
#
#   pip install numpy
#   python bench/garbage.py LOOPWRIGHT MOCAP SCRATCH [--only KIND,...] [--most UNSEEN] [--most-false SHARE]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes with its manifest.csv, SCRATCH a folder for changed takes and loops. A fault is in
# every cycle, so the loop and all that the take says of itself have it, too. Prints as Markdown what `make` says of each kind in each walk
# (the checks that name it, "silent", or "refused"), then the sound takes, of which no other check speaks, but these do. With limits it fails
# where more faults are silent, or a larger share of sound takes is not.
#
# Lengths are in units of the file; one is METRE of a walk's `metre`.

import argparse
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from command import manifest, said, table
from motion import from_vector, inverse, mul, parsed, to_vector, turn, world, write

CHECKS = ("spike", "shake", "stutter", "bears", "anatomy", "stiff")
LEFT, SIDES = ("left",), ("left", "right")

# Take, the length of a metre, and the joints of the parts named PARTS.
PARTS = ("hips", "spine", "chest", "head", "arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
WALKS = {
    "bandai-namco/dataset-2_walk_normal_020.bvh": (100.0, "Hips Spine Chest Head UpperArm_* LowerArm_* Hand_* UpperLeg_* LowerLeg_* Foot_* Toes_*", "LR"),
    "100style/Neutral_FW.bvh": (100.0, "Hips Chest Chest4 Head *Shoulder *Elbow *Wrist *Hip *Knee *Ankle *Toe", ("Left", "Right")),
    "games-105/walk60.bvh": (1.0, "RootJoint pelvis_lowerback lowerback_torso torso_head *Shoulder *Elbow *Wrist *Hip *Knee *Ankle *ToeJoint", "lr"),
}
LEG, ARM = "thigh shin foot toe", "arm forearm hand"
CHANNELS = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
X, Y, Z = np.eye(3)


def about(axis, degrees):
    """Rotations about an axis, by an angle or one for each frame."""
    return from_vector(np.multiply.outer(np.radians(degrees), axis))


class Walk:
    """Local positions and rotations (frames, joints), read from a BVH file and written back with positions of all, and the cycle of its loop in frames."""

    def __init__(self, path, metre, names, letters, start, end):
        with open(path, encoding="utf-8", errors="replace") as file:
            self.head = re.sub(r"CHANNELS [^\n]*", CHANNELS, file.read().split("MOTION")[0])
        all_names, parents, self.dt, positions, rotations = parsed(path, 1.0)
        # Ends of chains do not move.
        joints = [joint for joint, name in enumerate(all_names) if not name.endswith(" end")]
        self.parents = [joints.index(parents[joint]) if parents[joint] >= 0 else -1 for joint in joints]
        self.places, self.turns = positions[:, joints], rotations[:, joints]
        self.metre, self.start, self.period = metre, start, end - start
        self.thirtieth = max(1, round(1 / 30 / self.dt))
        index = {all_names[joint]: at for at, joint in enumerate(joints)}
        parts = dict(zip(PARTS, names.split()))
        self.joints = {(part, side): index[name.replace("*", letter)] for part, name in parts.items() for side, letter in zip(SIDES, letters)}

    def __len__(self):
        return len(self.places)

    @property
    def cycles(self):
        """Cycles since the start of the loop, by frame."""
        return (np.arange(len(self)) - self.start) / self.period

    def wave(self, times=1):
        return np.sin(2 * np.pi * times * self.cycles)

    def moment(self, frames=1, phase=0.3):
        """The frames of one moment in every cycle."""
        first = self.start + (np.arange(-200, 200) + phase) * self.period
        near = np.concatenate([np.round(first) + by for by in range(frames)]).astype(int)
        return near[(near > 0) & (near < len(self) - 1)]

    def of(self, parts, sides=LEFT):
        """The joints of parts."""
        return [self.joints[part, side] for side in sides for part in parts.split()]

    def keep(self, frames):
        self.places, self.turns = self.places[frames], self.turns[frames]

    def write(self, path):
        values = np.concatenate([self.places, angles(self.turns)], axis=-1).reshape(len(self), -1)
        write(path, self.head, self.dt, values)


def angles(turns):
    """Angles about Z, X and Y, degrees, unwrapped."""
    x, y, z = (turn(turns, axis) for axis in (X, Y, Z))
    second = np.arcsin(np.clip(y[..., 2], -1, 1))
    first = np.arctan2(-y[..., 0], y[..., 1])
    return np.degrees(np.unwrap(np.stack([first, second, np.arctan2(-x[..., 2], z[..., 2])], -1), axis=0))


# Faults: functions of a walk, which they change. Phases are shares of the cycle; without them a fault lasts.


def fault(change):
    """A change of a walk by some values, as a function of these: the change of any walk."""
    return lambda *values, **named: lambda walk: change(walk, *values, **named)


@fault
def turned(walk, parts, axis, degrees, frames=1, sides=LEFT):
    """Turns joints for some frames of every cycle; for all where `degrees` is a function of the walk."""
    at = slice(None) if callable(degrees) else walk.moment(frames)
    for joint in walk.of(parts, sides):
        walk.turns[at, joint] = mul(walk.turns[at, joint], about(axis, degrees(walk) if callable(degrees) else degrees))


@fault
def moved(walk, part, way, once=False):
    """Moves a joint by metres; `way` is of one frame, or a function of the walk."""
    at = walk.moment() if once else slice(None)
    walk.places[at, walk.of(part)[0]] += walk.metre * np.asarray(way(walk) if callable(way) else way)


def within(walk, first, last):
    """Whether frames are between two phases."""
    return (walk.cycles % 1.0 >= first) & (walk.cycles % 1.0 < last)


@fault
def held(walk, which, joints=None):
    """Repeats the frame before where `which` is true: of all, or of some joints, whose places stay."""
    true = np.broadcast_to(which(walk), len(walk)).copy()
    true[0] = False
    last = np.maximum.accumulate(np.where(true, 0, np.arange(len(walk))))
    if joints is None:
        walk.keep(last)
    else:
        of = joints(walk)
        walk.turns[:, of] = walk.turns[last][:, of]


def frozen(parts, sides=LEFT, phases=(0.0, 1.0)):
    return held(lambda walk: within(walk, *phases), lambda walk: walk.of(parts, sides))


def in_steps(frames):
    return held(lambda walk: np.arange(len(walk)) % (frames * walk.thirtieth) != 0)


def but_legs(walk):
    return [joint for joint in range(len(walk.parents)) if joint not in walk.of(LEG, SIDES) + [0, *walk.of("hips")]]


@fault
def kept(walk, frames):
    walk.keep(frames(walk))


@fault
def in_moments(walk, length, order):
    """Changes the order of frames within each moment."""
    frames, count = np.arange(len(walk)), length(walk)
    for first in walk.moment():
        if first + count < len(walk):
            frames[first : first + count] = order(walk, frames[first : first + count])
    walk.keep(frames)


@fault
def rounded_turns(walk, degrees):
    first, second, third = np.moveaxis(np.round(angles(walk.turns) / degrees) * degrees, -1, 0)
    walk.turns = mul(mul(about(Z, first), about(X, second)), about(Y, third))


@fault
def rounded_places(walk, metres):
    grid, hips = metres * walk.metre, walk.of("hips")
    walk.places[:, hips] = np.round(walk.places[:, hips] / grid) * grid


@fault
def noise(walk, degrees, parts=None, sides=LEFT):
    rng = np.random.default_rng(1)
    for joint in range(len(walk.parents)) if parts is None else walk.of(parts, sides):
        walk.turns[:, joint] = mul(walk.turns[:, joint], from_vector(np.radians(rng.normal(0, degrees, (len(walk), 3)))))


def noise_of_hips(metres):
    return moved("hips", lambda walk: np.random.default_rng(1).normal(0, metres, (len(walk), 3)))


@fault
def changed(walk, parts, change, sides=LEFT):
    """Replaces the rotations (frames, joints) of parts."""
    joints = walk.of(parts, sides)
    walk.turns[:, joints] = change(walk, walk.turns[:, joints])


def negated(walk, turns):
    return inverse(turns)


def late(share):
    return changed(LEG, lambda walk, turns: turns[np.clip(np.arange(len(walk)) - round(share * walk.period), 0, None)])


def at_double_speed(walk, turns):
    first = round(walk.start)
    return turns[(first + 2 * (np.arange(len(walk)) - first)) % len(walk)]


@fault
def swapped(walk, at):
    one, other = np.ix_(at(walk), walk.of(LEG)), np.ix_(at(walk), walk.of(LEG, SIDES[1:]))
    walk.turns[one], walk.turns[other] = walk.turns[other], walk.turns[one]


def mirrored_leg(walk):
    walk.turns[:, walk.of(LEG)] = walk.turns[:, walk.of(LEG, SIDES[1:])]


@fault
def twisted(walk, part, degrees):
    """Turns a joint about the bone to its first child."""
    (joint,) = walk.of(part)
    bone = walk.places[:, walk.parents.index(joint)].mean(axis=0)
    walk.turns[:, joint] = mul(walk.turns[:, joint], about(bone / np.linalg.norm(bone), degrees))


@fault
def about_vertical(walk, part, *degrees):
    """Turns the joints of a part, those of the left first, about the vertical of the world."""
    for joint, by in zip(walk.of(part, SIDES), degrees):
        above = world(walk.parents, walk.places, walk.turns)[1][:, walk.parents[joint]]
        walk.turns[:, joint] = mul(inverse(above), mul(about(Y, by), mul(above, walk.turns[:, joint])))


@fault
def grown(walk, parts, by, at=lambda walk: slice(None)):
    """Scales the bones that end in these joints, by a number or one for each frame."""
    for joint in walk.of(parts):
        walk.places[at(walk), joint] *= np.reshape(by(walk) if callable(by) else by, (-1, 1))


def bobbing(metres, share=Walk.wave):
    """Moves the hips up and down by a share of some metres."""
    return moved("hips", lambda walk: np.outer(metres * share(walk), Y))


def once_up(walk):
    return 0.5 - 0.5 * np.cos(2 * np.pi * walk.cycles)


@fault
def travels(walk, by, degrees=0):
    (hips,) = walk.of("hips")
    ways = np.diff(walk.places[:, hips], axis=0, prepend=walk.places[:1, hips]) * [1, 0, 1]
    walk.places[:, hips] += np.cumsum(by * turn(about(Y, degrees), ways) - ways, axis=0)


@fault
def joined_by_lines(walk, hertz):
    """Keys so many times a second, and lines between them."""
    step, at = max(1, round(1 / hertz / walk.dt)), np.arange(len(walk))
    low = at // step * step
    high, share = np.minimum(low + step, at[-1]), ((at - low) / step)[:, None, None]
    walk.places = walk.places[low] * (1 - share) + walk.places[high] * share
    walk.turns = mul(walk.turns[low], from_vector(share * to_vector(mul(inverse(walk.turns[low]), walk.turns[high]))))


FAULTS = {
    "whole body up 0.1 m, a frame": moved("hips", 0.1 * Y, once=True),
    "whole body up 1.0 m, a frame": moved("hips", Y, once=True),
    "whole body aside 20 cm, a frame": moved("hips", 0.2 * X, once=True),
    "knee 60 deg, a frame": turned("shin", X, 60),
    "knee 45 deg, two frames": turned("shin", X, 45, frames=2),
    "arm 150 deg, a frame": turned("arm", Z, 150),
    "arm 40 deg, a frame": turned("arm", Z, 40),
    "hand 60 deg, a frame": turned("hand", Y, 60),
    "head 60 deg, a frame": turned("head", Y, 60),
    "head 30 deg, a frame": turned("head", X, 30),
    "foot 60 deg, a frame": turned("foot", X, 60),
    "spine 40 deg, a frame": turned("spine", Y, 40),
    "hips turn round, a frame": turned("hips", Y, 180),
    "leg frozen for half a cycle, then snaps": frozen(LEG, phases=(0.2, 0.7)),
    "arm frozen for half a cycle, then snaps": frozen(ARM, phases=(0.0, 0.5)),
    "leg frozen": frozen(LEG),
    "both legs frozen": frozen(LEG, SIDES),
    "arm frozen, all the time": frozen(ARM),
    "all above the hips frozen": held(lambda walk: True, but_legs),
    "each 2 frames held": in_steps(2),
    "each 3 frames held": in_steps(3),
    "each 4 frames held": in_steps(4),
    "held for .15 s in every cycle": held(lambda walk: within(walk, 0.3, 0.3 + 0.15 / walk.dt / walk.period)),
    "a third of the frames lost": held(lambda walk: np.random.default_rng(1).random(len(walk)) < 1 / 3),
    "three frames lost in every cycle": kept(lambda walk: np.setdiff1d(np.arange(len(walk)), walk.moment(3 * walk.thirtieth))),
    "rotations rounded to 3 deg": rounded_turns(3),
    "rotations rounded to 5 deg": rounded_turns(5),
    "rotations rounded to 10 deg": rounded_turns(10),
    "places rounded to 5 cm": rounded_places(0.05),
    "places rounded to 10 cm": rounded_places(0.1),
    "noise of 2 deg, all joints": noise(2),
    "noise of 2 deg, legs": noise(2, LEG, SIDES),
    "noise of 6 deg, head": noise(6, "head"),
    "noise of 8 deg, hand": noise(8, "hand"),
    "noise of 8 deg, ankles": noise(8, "foot", SIDES),
    "noise of 1 cm, hips": noise_of_hips(0.01),
    "noise of 3 cm, hips": noise_of_hips(0.03),
    "two frames exchanged in every cycle": in_moments(lambda walk: 2 * walk.thirtieth, lambda walk, frames: np.roll(frames, walk.thirtieth)),
    "time runs back for .15 s in every cycle": in_moments(lambda walk: round(0.15 / walk.dt), lambda walk, frames: frames[::-1]),
    "legs exchanged for a frame": swapped(Walk.moment),
    "legs exchanged for half a cycle": swapped(lambda walk: within(walk, 0.2, 0.7)),
    "knee frozen": frozen("shin"),
    "both knees frozen": frozen("shin", SIDES),
    "noise of 4 deg, hips": noise(4, "hips"),
    "shin doubled, a frame": grown("foot", 2.0, Walk.moment),
    "body tips by 50 deg and back": turned("hips", Z, lambda walk: 50 * np.maximum(walk.wave(), 0)),
    "thigh spread by 45 deg": turned("thigh", Z, lambda walk: 45.0),
    "leg negated": changed(LEG, negated),
    "leg mirrored": mirrored_leg,
    "leg a quarter late": late(0.25),
    "leg half a cycle late": late(0.5),
    "leg at double speed": changed(LEG, at_double_speed),
    "knees bend backwards": changed("shin", negated, SIDES),
    "thigh twisted 90 deg": twisted("thigh", 90),
    "feet turned out 90 deg": about_vertical("foot", 90, -90),
    "shoulders turned 90 deg": about_vertical("spine", 90),
    "shin breathes by 40 %": grown("foot", lambda walk: 1 + 0.4 * walk.wave()),
    "shin breathes by 15 %": grown("foot", lambda walk: 1 + 0.15 * walk.wave()),
    "leg longer by half": grown("shin foot", 1.5),
    "arm longer by half": grown("forearm hand", 1.5),
    "hips bob by 15 cm, once a cycle": bobbing(0.15),
    "hips bob by 10 cm, once a cycle": bobbing(0.1),
    "hips bob by 5 cm, three times a cycle": bobbing(0.05, lambda walk: walk.wave(3)),
    "body sinks by 30 cm in every cycle": bobbing(-0.3, once_up),
    "travels at .3 of its speed": travels(0.3),
    "travels at half its speed": travels(0.5),
    "travels at 1.6 times its speed": travels(1.6),
    "travels sideways": travels(1.0, 90),
    "shoulder 1 m off": moved("arm", Y),
    "leg three times as long": grown("shin foot", 3.0),
    "body rises by 30 cm in every cycle": bobbing(0.3, once_up),
    "hand flips by 180 deg for three frames": turned("hand", Z, 180, frames=3),
    "head spins": turned("head", Y, lambda walk: 720 * walk.cycles),
    "head turns over in a quarter of the cycle": turned("head", Y, lambda walk: 170 * np.clip(2 * walk.wave(), -0.5, 0.5)),
    "triple speed": kept(lambda walk: np.arange(0, len(walk), 3)),
    "four keys a second, joined by lines": joined_by_lines(4),
    "eight keys a second, joined by lines": joined_by_lines(8),
}


# What the command says.


def made(program, path, out):
    """What `make` says of a loop that it writes."""
    found = said(program, "make", path, "-o", out, "-f")
    return found if "quality" in found else None


def words(found):
    """Grade, and the checks that speak, each with its value; those of these faults first."""
    checks = [check for check in found["quality"]["checks"] if check["grade"] in ("review", "bad") or check["id"] in CHECKS and (check["value"] or 0) > 1]
    checks.sort(key=lambda check: check["id"] not in CHECKS)
    return found["quality"]["grade"], checks


def walks(program, mocap, scratch):
    """The walks by their names, each as the arguments of one that is read anew."""
    for path, (metre, names, letters) in WALKS.items():
        candidate = made(program, mocap / path, scratch / "loop.bvh")["candidate"]
        yield Path(path).stem, (mocap / path, metre, names, letters, candidate["start_frame"], candidate["end_frame"])


def judge(program, scratch, name, kind, arguments):
    walk = Walk(*arguments)
    FAULTS[kind](walk)
    stem = f"{name}-{list(FAULTS).index(kind)}"
    walk.write(scratch / f"{stem}.bvh")
    found = made(program, scratch / f"{stem}.bvh", scratch / f"{stem}-loop.bvh")
    if found is None:
        return "refused"
    grade, checks = words(found)
    told = ", ".join(f"{check['id']} {check['value']:.1f}" for check in checks)
    return f"{grade}: {told}" if told else "silent"


def false_alarms(program, mocap, scratch, pool):
    """How many loops are sound, those of which no other check speaks, and what these checks say of them."""
    rows = [row for row in manifest(mocap) if row["expect"] in ("loop", "warn")]
    loops = pool.map(lambda row: made(program, mocap / row["file"], scratch / row["file"].replace("/", "-")), rows)
    checked = [(row["file"], words(found)[1]) for row, found in zip(rows, loops) if found]
    sound = [(file, checks) for file, checks in checked if all(check["id"] in CHECKS for check in checks)]
    return len(sound), [(file, check) for file, checks in sound for check in checks]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program"), parser.add_argument("mocap", type=Path), parser.add_argument("scratch", type=Path)
    parser.add_argument("--only"), parser.add_argument("--most", type=int, default=np.inf), parser.add_argument("--most-false", type=float, default=np.inf)
    asked = parser.parse_args()
    asked.scratch.mkdir(parents=True, exist_ok=True)
    kinds = [kind for kind in FAULTS if not asked.only or any(word in kind for word in asked.only.split(","))]
    bases = dict(walks(asked.program, asked.mocap, asked.scratch))
    with ThreadPoolExecutor(2) as pool:
        of_kind = lambda kind: [judge(asked.program, asked.scratch, name, kind, arguments) for name, arguments in bases.items()]
        rows = [[kind, *told] for kind, told in zip(kinds, pool.map(of_kind, kinds))]
        count, bad = (0, []) if asked.only else false_alarms(asked.program, asked.mocap, asked.scratch, pool)
    silent = sum(row.count("silent") for row in rows)
    print(table(["fault", *bases], *rows), f"\n{silent} of {len(kinds) * len(bases)} silent", sep="\n")
    for file, check in bad:
        print(f"- {file}: {check['id']} {check['value']:.2f} {check['joint']} {check['time_secs']}")
    print(f"{len({file for file, _ in bad})} of {count} sound takes")
    sys.exit(silent > asked.most or len(bad) > asked.most_false * count)


if __name__ == "__main__":
    main()
