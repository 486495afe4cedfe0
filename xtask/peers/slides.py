"""Measures how feet slide while a set plays: the horizontal speed of the toe joint in the middle 80% of contacts where the heaviest loop and all of
weight .25 and more bear. Frames of correcting steps are left out, and counted.

    trace FOLDER SCRIPT [free] | python xtask/peers/slides.py FOLDER

`trace` is the example of crates/sets/player. Prints a line of JSON. Needs numpy.
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


def main(folder):
    manifest = json.loads((Path(folder) / "set.json").read_text())
    clips = {clip["name"]: clip for clip in manifest["clips"]}
    names, *frames = [json.loads(line) for line in sys.stdin]
    joints = np.array([frame["joints"] for frame in frames])
    moving, alone, millimetres, steps = [], [], [], 0
    for foot in ("left", "right"):
        at = joints[:, names.index(manifest["skeleton"][foot + "_foot"])][:, [0, 2]]
        speeds = np.linalg.norm(np.diff(at, axis=0), axis=1) * RATE
        run = 0.0
        for index, speed in enumerate(speeds):
            before, frame = frames[index], frames[index + 1]
            heavy = max(frame["clips"], key=lambda part: part[1])
            counted = [part for part in frame["clips"] if part[1] >= 0.25 or part is heavy]
            stands = all(bears(clips[name], foot, secs, 0.2) for name, _, secs in counted)
            is_step = frame["stepping"][foot == "right"]
            steps += bool(is_step and not before["stepping"][foot == "right"])
            if not stands or is_step or speed > 20:
                if run:
                    millimetres.append(run)
                run = 0.0
                continue
            own = before["clips"][0][0] == frame["clips"][0][0] and len(frame["clips"]) == 1 == len(before["clips"]) and not before["fading"]
            (alone if own else moving).append(100 * speed)
            run += 0 if own else 1000 * speed / RATE
    second = np.linalg.norm(np.diff(joints, 2, axis=0), axis=2)
    figures = lambda v: {"mean": round(float(np.mean(v)), 2), "p95": round(float(np.percentile(v, 95)), 2), "frames": len(v)} if len(v) else None
    print(json.dumps({"alone_cmps": figures(alone), "moving_cmps": figures(moving), "most_mm": round(max(millimetres, default=0.0)), "steps": steps,
                      "second_difference_m": [round(float(np.percentile(second, q)), 4) for q in (50, 99, 100)],
                      "knee_deg": round(knee(frames, joints, names), 1)}))


def knee(frames, joints, names):
    """The least bend of a knee: in front of the line from thigh to ankle is positive, by the direction of the toes."""
    least = 180.0
    for side in ("Left", "Right", "L", "R"):
        found = [next((name for name in names if name in options), None) for options in (
            (side + "UpLeg", side + "Hip", "UpperLeg_" + side), (side + "Leg", side + "Knee", "LowerLeg_" + side),
            (side + "Foot", side + "Ankle", "Foot_" + side), (side + "ToeBase", side + "Toe", "Toes_" + side))]
        if None in found:
            continue
        thigh, knee, ankle, toe = (joints[:, names.index(name)] for name in found)
        up, down, ahead = knee - thigh, ankle - knee, toe - ankle
        bend = np.degrees(np.arccos(np.clip((up * down).sum(1) / np.linalg.norm(up, axis=1) / np.linalg.norm(down, axis=1), -1, 1)))
        along = (ankle - thigh) / np.linalg.norm(ankle - thigh, axis=1)[:, None]
        out = up - (up * along).sum(1)[:, None] * along
        front = ahead - (ahead * along).sum(1)[:, None] * along
        least = min(least, float(np.min(bend * np.sign((out * front).sum(1)))))
    return least


main(sys.argv[1])
