# When feet stand, against what nobody here wrote: force plates, labels of others, and what is known of people. Shares no code with
# loopwright. docs/benchmark.md (Outside truth) defines every measure.
#
#   pip install numpy
#   python bench/truth.py LOOPWRIGHT MOCAP SCRATCH [STRIKE LIFT]
#
# LOOPWRIGHT is the command, MOCAP the folder of takes, beside which the folder `truth` is, SCRATCH a folder for changed takes. Prints the
# tables of docs/benchmark.md. With STRIKE and LIFT it fails where F1 within 50 ms over all plates, heels hidden, is lower.
#
# Events are {"strike": {"left": [...], "right": [...]}, "lift": ...} in frames from 0 at the rate of the recording, with fractions.

import json
import math
import sys
from pathlib import Path
from statistics import mean, median, pstdev

import numpy as np

from command import said, table

KINDS, SIDES = ("strike", "lift"), ("left", "right")
NOISE_METRES, SEED = 0.003, 1
PARTNER_SECS = 0.1  # two answers to one motion mean the same event up to here
FLIGHT_SECS = 0.02


def answer(program, path):
    """Stances (side, strike, lift) in seconds, None what the take does not show; spans (gait, first, last frame); the rate."""
    found = said(program, "inspect", path)
    stances = [(row["side"], row["strike_secs"], row["lift_secs"]) for row in found["contacts"]]
    return stances, [(span["gait"], span["start_frame"], span["end_frame"]) for span in found["segments"]], found["take"]["fps"]


def events(stances, fps):
    frames = lambda at, side: sorted(s[at] * fps for s in stances if s[0] == side and s[at] is not None)
    return {kind: {side: frames(at, side) for side in SIDES} for at, kind in enumerate(KINDS, 1)}


# Changed takes, as the arrays of their files.


def without_heels(take):
    keep = [joint for joint, name in enumerate(take["names"]) if not name.endswith("Heel")]
    parents = [keep.index(parent) if parent >= 0 else -1 for parent in take["parents"][keep]]
    arrays = {name: take[name][:, keep] for name in ("positions", "world_rotations")}
    return take | arrays | {"names": take["names"][keep], "offsets": take["offsets"][keep], "parents": np.int32(parents)}


def thinned(by):
    return lambda take: take | {"positions": take["positions"][::by], "world_rotations": take["world_rotations"][::by], "fps": take["fps"] / by}


def noisy(take):
    noise = np.random.default_rng(SEED).normal(0, NOISE_METRES, take["positions"].shape)
    return take | {"positions": (take["positions"] + noise).astype(np.float32)}


def mirrored(take):
    """The names and the tree are the same on both sides."""
    names, swap = list(take["names"]), {"Left": "Right", "Right": "Left"}
    order = [next((names.index(swap[side] + name[len(side) :]) for side in swap if name.startswith(side)), joint) for joint, name in enumerate(names)]
    return take | {
        "positions": take["positions"][:, order] * np.float32([-1, 1, 1]),
        "offsets": take["offsets"][order] * [-1, 1, 1],
        "world_rotations": take["world_rotations"][:, order] * np.float32([1, -1, -1, 1]),
    }


CHANGES = {
    "as recorded": lambda take: take,
    "half the rate": thinned(2),
    "a quarter of the rate": thinned(4),
    f"noise of {1000 * NOISE_METRES:.0f} mm": noisy,
    "mirrored": mirrored,
}


def belt_velocity(take, label):
    """Mean velocity of toes in the middle third of the stances that the plates saw, metres per second."""
    moved, secs = np.zeros(3), 0.0
    for side, strike, lift in labelled_stances(label):
        toe = take["positions"][:, list(take["names"]).index(f"{side.title()}ToeBase")].astype(float)
        first, last = (round(strike + share * (lift - strike)) for share in (1 / 3, 2 / 3))
        moved, secs = moved + toe[last] - toe[first], secs + (last - first) / label["fps"]
    return moved / secs * [1, 0, 1]


def labelled_stances(label):
    """Stances of which the plates saw both ends, in frames."""
    for side in SIDES:
        strikes = [*sorted(label["strike"][side]), math.inf]
        for strike, after in zip(strikes, strikes[1:]):
            yield from ((side, strike, lift) for lift in label["lift"][side] if strike < lift < after)


# Scores.


def pairs(found, truth, window):
    """Errors of found events, the nearest pairs within the window first, each event in one pair."""
    near = sorted((abs(f - t), i, j) for i, f in enumerate(found) for j, t in enumerate(truth) if abs(f - t) <= window)
    founds, truths, errors = set(), set(), []
    for _, i, j in near:
        if i not in founds and j not in truths:
            founds.add(i), truths.add(j), errors.append(found[i] - truth[j])
    return errors


def group(label):
    kind = label["kind"]
    return "runs" if "run" in kind else "turning walks" if "turn" in kind else "treadmill walk" if label["treadmill"] else "walks"


class Score:
    """Of one kind of event over takes: sides apart, inside the windows of the plates."""

    def __init__(self, labels, found, kind):
        self.hits, self.found, self.truth, self.errors = {50: 0, 20: 0}, 0, 0, []
        for name, label in labels.items():
            for side in SIDES if not (kind == "strike" and label.get("filtered")) else ():
                self.add(label, label[kind][side], [f for f in found[name][kind][side] if self.known(label, side, f)])

    @staticmethod
    def known(label, side, frame):
        windows = label.get("windows")
        return 2 < frame < label["frames"] - 3 and (windows is None or any(a <= frame <= b for a, b in windows[side]))

    def add(self, label, truth, found):
        fps = label["fps"]
        self.found, self.truth = self.found + len(found), self.truth + len(truth)
        for ms in self.hits:
            self.hits[ms] += len(pairs(found, truth, ms * fps / 1000))
        self.errors += [1000 * error / fps for error in pairs(found, truth, PARTNER_SECS * fps)]

    def f1(self, ms):
        return 2 * self.hits[ms] / max(1, self.found + self.truth)

    def __str__(self):
        error = f"{mean(self.errors):+.0f} ({pstdev(self.errors):.0f})" if self.errors else "-"
        return f"{self.f1(50):.3f} / {self.f1(20):.3f}, {error}"


def shift(found, recorded, labels):
    """How far events of the same takes lie apart: median and largest, ms, and how many are in one answer alone."""
    shifts, alone = [], 0
    for name, label in labels.items():
        for kind in KINDS:
            for side in SIDES:
                one, other = found[name][kind][side], recorded[name][kind][side]
                both = pairs(one, other, PARTNER_SECS * label["fps"])
                shifts += [1000 * abs(error) / label["fps"] for error in both]
                alone += len(one) + len(other) - 2 * len(both)
    return f"{median(shifts):.1f} / {max(shifts):.1f}; {alone} of {len(shifts) + alone}" if shifts else "-"


def cycles(stances):
    """Of every cycle from a strike to the next of the same foot: shares that the foot, both and no foot stand, and seconds of flight."""
    spans = {s: [(-math.inf if a is None else a, math.inf if b is None else b) for side, a, b in stances if side == s] for s in SIDES}
    stand = lambda *spans: max(0.0, min(b for _, b in spans) - max(a for a, _ in spans))
    for side in SIDES:
        own, other = spans[side], spans[SIDES[side == "left"]]
        strikes = sorted(a for a, _ in own if a > -math.inf)
        for cycle in zip(strikes, strikes[1:]):
            length = cycle[1] - cycle[0]
            one, two = (sum(stand(cycle, span) for span in foot) for foot in (own, other))
            both = sum(stand(cycle, a, b) for a in own for b in other)
            flight = length - one - two + both
            yield one / length, both / length, flight / length, flight


# The tables.


class Measured:
    def __init__(self, program, mocap, scratch):
        self.program, self.mocap, self.scratch, self.truth = program, mocap, scratch, mocap / "../truth"
        self.labels = self.read("plates/truth.json")

    def read(self, name):
        return json.loads((self.truth / name).read_text())

    def take(self, name):
        path = self.truth / f"plates/{name}.npz"
        with np.load(path if path.exists() else self.truth / path.name) as arrays:
            return dict(arrays)

    def stances(self, take, name="changed"):
        path = self.scratch / f"{name}.npz"
        np.savez(path, **take)
        return answer(self.program, path)[0]

    def plates(self):
        """Events by change, then by take."""
        swapped = {"left": "right", "right": "left"}
        found = {}
        for change, made in CHANGES.items():
            print(change, file=sys.stderr, flush=True)
            for name, label in self.labels.items():
                stances = self.stances(made(without_heels(self.take(name))), name)
                if change == "mirrored":
                    stances = [(swapped.get(side), *rest) for side, *rest in stances]
                found.setdefault(change, {})[name] = events(stances, label["fps"])
        return found

    def of_plates(self, found, rivals):
        scores = lambda of: (Score(self.labels, of, kind) for kind in KINDS)
        rows = [("events by", "strikes", "lifts", "shift")]
        rows += [(f"loopwright, {change}", *scores(of), shift(of, found["as recorded"], self.labels)) for change, of in found.items()]
        rows += [(name, *scores(of), "-") for name, of in rivals.items()]
        return table(*rows)

    def of_groups(self, found, rivals):
        methods = {"loopwright": found["as recorded"]} | rivals
        rows = [("group", "event", "labels", *methods)]
        for name in dict.fromkeys(map(group, self.labels.values())):
            labels = {take: label for take, label in self.labels.items() if group(label) == name}
            for kind in KINDS:
                scores = [Score(labels, of, kind) for of in methods.values()]
                rows.append((name, kind, scores[0].truth, *scores))
        return table(*rows)

    def of_belt(self, name="vanderzee_p10_trial3"):
        label, take = self.labels[name], without_heels(self.take(name))
        belt = belt_velocity(take, label)
        times = np.arange(len(take["positions"])) / take["fps"]
        over_ground = take | {"positions": (take["positions"] - times[:, None, None] * belt).astype(np.float32)}
        recorded, moved = ({name: events(self.stances(of), label["fps"])} for of in (take, over_ground))
        return np.hypot(*belt[[0, 2]]), shift(moved, recorded, {name: label})

    def of_captured(self):
        rows = [("motion", "takes", "cycles", "duty", "double support", "flight", "cycles with flight, %", "frames named run, %")]
        groups = {"walks": "walk_*", "turning walks": "walk-turn-*", "runs": "run_normal_*", "runs, elderly style": "run_elderly_*"}
        for name, pattern in groups.items():
            paths = sorted(self.mocap.glob(f"bandai-namco/dataset-*_{pattern}.bvh"))
            answers = [answer(self.program, path) for path in paths]
            spans = [(gait, last - first + 1) for _, spans, _ in answers for gait, first, last in spans]
            run = 100 * sum(count for gait, count in spans if gait.startswith("run")) / max(1, sum(count for _, count in spans))
            rows.append((name, len(paths), *self.of_cycles([c for stances, *_ in answers for c in cycles(stances)]), f"{run:.0f}"))
        treadmill = "vanderzee_p10_trial3"
        fps = self.labels[treadmill]["fps"]
        plates = [(side, a / fps, b / fps) for side, a, b in labelled_stances(self.labels[treadmill])]
        for by, stances in (("the plates", plates), ("loopwright", self.stances(without_heels(self.take(treadmill))))):
            rows.append((f"{treadmill}, by {by}", 1, *self.of_cycles(list(cycles(stances))), "-"))
        return table(*rows)

    @staticmethod
    def of_cycles(measured):
        if not measured:
            return 0, "-", "-", "-", "-"
        *shares, secs = zip(*measured)
        return len(measured), *(f"{median(share):.3f}" for share in shares), f"{100 * mean(s > FLIGHT_SECS for s in secs):.1f}"

    def sections(self):
        rivals = {name: self.read(f"plates/{name.lower()}-events.json") for name in ("BIKE", "Zeni")}
        found = self.plates()
        belt, moved = self.of_belt()
        self.floored = [Score(self.labels, found["as recorded"], kind).f1(50) for kind in KINDS]
        return {
            "truth-plates": self.of_plates(found, rivals),
            "truth-groups": self.of_groups(found, rivals),
            "truth-others": f"The treadmill walk with its belt taken out, {belt:.2f} m/s: shift {moved}.",
            "truth-captured": self.of_captured(),
        }


def sections(program, mocap, scratch):
    return Measured(program, mocap, scratch).sections()


def main(program, mocap, scratch, *floors):
    measured = Measured(program, Path(mocap), Path(scratch))
    print(*measured.sections().values(), sep="\n\n")
    low = [f"{kind} {f1:.3f} < {floor}" for kind, f1, floor in zip(KINDS, measured.floored, map(float, floors)) if f1 < floor]
    sys.exit(f"F1 within 50 ms: {', '.join(low)}" if low else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
