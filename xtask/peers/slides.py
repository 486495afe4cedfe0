"""Measures how feet slide while a set plays: the horizontal speed of the toe joint in the middle 80% of contacts where the heaviest loop and all of
weight .25 and more bear, and the toe is within 2 cm of its lowest 5%. Frames of correcting steps are left out, and counted.

    trace FOLDER loops > OWN; trace FOLDER SCRIPT [free] | python xtask/peers/slides.py FOLDER OWN

`trace` is the example of crates/sets/player. `beyond` leaves out what the loops that bear slide in their own files, by OWN. Prints a line of JSON.
Needs numpy.
"""
import json, sys
from pathlib import Path
import numpy as np

RATE = 60


def bears(clip, foot, secs, shrink):
    """Whether a foot stands at a time of a clip, in the middle of its contact; 0.5 for one that always stands."""
    events = [event for event in clip["events"] if event["foot"] == foot]
    if not events:
        return True
    T, is_loop = clip["seconds"], clip["kind"] == "loop"
    strikes = [event["secs"] for event in events if event["kind"] == "strike"]
    lifts = [event["secs"] for event in events if event["kind"] == "lift"]
    if is_loop:
        strikes, lifts = [s + n * T for s in strikes for n in (-1, 0, 1)], [s + n * T for s in lifts for n in (-1, 0, 1, 2)]
    for strike in strikes:
        after = [lift for lift in lifts if lift > strike]
        lift = min(after) if after else T
        margin = shrink * (lift - strike) / 2
        if strike + margin <= secs <= lift - margin:
            return True
    return False


def own_slides(path, names, toes):
    """The speed of each toe over the share of each loop that plays alone."""
    _, *frames = [json.loads(line) for line in open(path)]
    joints, found = np.array([frame["joints"] for frame in frames]), {}
    for index in range(1, len(frames)):
        (name, _, secs), (before, _, last) = frames[index]["clips"][0], frames[index - 1]["clips"][0]
        if name == before and index % 360:
            speeds = np.linalg.norm((joints[index, toes] - joints[index - 1, toes])[:, [0, 2]], axis=1) * RATE
            found.setdefault(name, []).append((secs, *speeds))
    return {name: np.array(sorted(rows)) for name, rows in found.items()}


def main(folder, own_path):
    manifest = json.loads((Path(folder) / "set.json").read_text())
    clips = {clip["name"]: clip for clip in manifest["clips"]}
    names, *frames = [json.loads(line) for line in sys.stdin]
    joints = np.array([frame["joints"] for frame in frames])
    toes = [names.index(manifest["skeleton"][foot + "_foot"]) for foot in ("left", "right")]
    slides = own_slides(own_path, names, toes)
    moving, beyond, alone, millimetres, steps = [], [], [], [], 0
    for foot in ("left", "right"):
        toe = joints[:, names.index(manifest["skeleton"][foot + "_foot"])]
        at, low = toe[:, [0, 2]], toe[:, 1] < np.percentile(toe[:, 1], 5) + 0.02
        speeds = np.linalg.norm(np.diff(at, axis=0), axis=1) * RATE
        run = 0.0
        for index, speed in enumerate(speeds):
            before, frame = frames[index], frames[index + 1]
            heavy = max(frame["clips"], key=lambda part: part[1])
            counted = [part for part in frame["clips"] if part[1] >= 0.25 or part is heavy]
            stands = all(bears(clips[name], foot, secs, 0.2) for name, _, secs in counted)
            is_step = frame["stepping"][foot == "right"]
            steps += bool(is_step and not before["stepping"][foot == "right"])
            if not (stands and low[index] and low[index + 1]) or is_step or speed > 20:
                if run:
                    millimetres.append(run)
                run = 0.0
                continue
            own = before["clips"][0][0] == frame["clips"][0][0] and len(frame["clips"]) == 1 == len(before["clips"]) and not before["fading"]
            (alone if own else moving).append(100 * speed)
            if not own:
                rows = [slides[name][np.argmin(abs(slides[name][:, 0] - secs))] for name, _, secs in counted if name in slides]
                beyond.append(max(0, 100 * speed - 100 * max((row[1 + (foot == "right")] for row in rows), default=0)))
            run += 0 if own else 1000 * speed / RATE
    second = np.linalg.norm(np.diff(joints, 2, axis=0), axis=2)
    figures = lambda v: {"mean": round(float(np.mean(v)), 2), "p95": round(float(np.percentile(v, 95)), 2), "frames": len(v)} if len(v) else None
    print(json.dumps({"alone_cmps": figures(alone), "moving_cmps": figures(moving), "beyond_cmps": figures(beyond), "most_mm": round(max(millimetres, default=0.0)), "steps": steps,
                      "second_difference_m": [round(float(np.percentile(second, q)), 4) for q in (50, 99, 100)],
                      "knee_deg": round(knee(frames, joints, names), 1)}))


def knee(frames, joints, names):
    """The least bend of a knee: in front of the line from thigh to ankle is positive."""
    tops, bends = {}, []
    for side in ("Left", "Right", "L", "R"):
        found = [next((name for name in names if name in options), None) for options in (
            (side + "UpLeg", side + "Hip", "UpperLeg_" + side), (side + "Leg", side + "Knee", "LowerLeg_" + side),
            (side + "Foot", side + "Ankle", "Foot_" + side))]
        if None in found:
            continue
        thigh, knee, ankle = (joints[:, names.index(name)] for name in found)
        tops[side[0]] = thigh
        up, down = knee - thigh, ankle - knee
        bend = np.degrees(np.arccos(np.clip((up * down).sum(1) / np.linalg.norm(up, axis=1) / np.linalg.norm(down, axis=1), -1, 1)))
        along = (ankle - thigh) / np.linalg.norm(ankle - thigh, axis=1)[:, None]
        out = up - (up * along).sum(1)[:, None] * along
        bends.append((bend, out))
    front = np.cross(tops["L"] - tops["R"], [0, 1, 0])
    return min(float(np.min(bend * np.sign((out * front).sum(1)))) for bend, out in bends)


main(*sys.argv[1:])
