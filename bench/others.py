# Motion whose data cannot lie here, for whoever has it: clips that say that they wrap, and the pairs of a retargeter. Shares no code with
# loopwright.
#
#   pip install numpy
#   python bench/others.py LOOPWRIGHT FOLDER SCRATCH
#
# LOOPWRIGHT is the command, SCRATCH a folder for files. FOLDER has one or both of
#   wrap/*.txt             clips of DeepMimic's humanoid (also AMP's), in folders below, too; those count whose loop is "wrap"
#   pairs/taken/*.bvh      takes in centimetres with Y up, and
#   pairs/retargeted/*.bvh the same frames on another body, under the same names
# Prints the table of docs/benchmark.md, which defines every measure. A row without its data is empty.

import json
import re
import sys
from pathlib import Path

import numpy as np

from command import said, table
from garbage import Z, about, angles
from loops import ROWS, Case, Feet, Loop, Results, cell, measure_loop, runs, slide
from motion import read, write

SHOWN = "pose gap", "velocity gap", "visible", "ball", "tip", "heel", "height", "jerk"
CM = 0.01

# DeepMimic's data/characters/humanoid3d.txt as the head of a BVH file, X ahead, with the end of a foot's box as the tip.
CHANNELS = "CHANNELS 3 Zrotation Xrotation Yrotation"
HUMANOID = f"""HIERARCHY
ROOT Hips {{ OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Chest {{ OFFSET 0 23.6151 0 {CHANNELS}
    JOINT Neck {{ OFFSET 0 22.3894 0 {CHANNELS} End Site {{ OFFSET 0 17.5 0 }} }}
    JOINT RightShoulder {{ OFFSET -2.405 24.35 18.311 {CHANNELS}
      JOINT RightElbow {{ OFFSET 0 -27.4788 0 {CHANNELS} End Site {{ OFFSET 0 -25.8947 0 }} }} }}
    JOINT LeftShoulder {{ OFFSET -2.405 24.35 -18.311 {CHANNELS}
      JOINT LeftElbow {{ OFFSET 0 -27.4788 0 {CHANNELS} End Site {{ OFFSET 0 -25.8947 0 }} }} }} }}
  JOINT RightHip {{ OFFSET 0 0 8.4887 {CHANNELS}
    JOINT RightKnee {{ OFFSET 0 -42.1546 0 {CHANNELS}
      JOINT RightAnkle {{ OFFSET 0 -40.987 0 {CHANNELS} End Site {{ OFFSET 13.35 -5 0 }} }} }} }}
  JOINT LeftHip {{ OFFSET 0 0 -8.4887 {CHANNELS}
    JOINT LeftKnee {{ OFFSET 0 -42.1546 0 {CHANNELS}
      JOINT LeftAnkle {{ OFFSET 0 -40.987 0 {CHANNELS} End Site {{ OFFSET 13.35 -5 0 }} }} }} }} }}
"""
# A frame: its duration, where the hips are, then for each joint a quaternion (w, x, y, z), or the angle of a hinge about Z.
FRAME = "Hips Chest Neck RightHip RightKnee RightAnkle RightShoulder RightElbow LeftHip LeftKnee LeftAnkle LeftShoulder LeftElbow".split()
HINGES = "Knee", "Elbow"
WIDTH = 44


def wrapping(path, out):
    """Writes a clip as BVH; false where it does not wrap, or is of another body. Its last frame closes it."""
    stated = json.loads(path.read_text())
    rows = np.array(stated["Frames"])
    if str(stated.get("Loop", stated.get("LoopMode"))).lower() != "wrap" or rows.shape[1] != WIDTH:
        return False
    turns, at = {}, 4
    for name in FRAME:
        width = 1 if name.endswith(HINGES) else 4
        values = rows[:, at : at + width]
        turns[name] = about(Z, np.degrees(values[:, 0])) if width == 1 else values / np.linalg.norm(values, axis=1, keepdims=True)
        at += width
    order = re.findall(r"(?:ROOT|JOINT) (\w+)", HUMANOID)
    write(out, HUMANOID, rows[:-1, 0].mean(), np.hstack([rows[:, 1:4] / CM, *(angles(turns[name]) for name in order)]))
    return True


def wraps(command, folder, scratch):
    """How many clips there are, and results of them as they are, and closed: `make` of all their frames, since their authors say that these are a cycle."""
    results, path, count = {"as published": Results(), "loopwright": Results()}, scratch / "wrap.bvh", 0
    for clip in sorted(folder.glob("wrap/**/*.txt")):
        if wrapping(clip, path):
            take, count = read(path, CM, "Y"), count + 1
            last = len(take) - 1
            closed = Case(command, scratch, path, CM, "Y", take).made("--range", f"0:{last}")
            for loop, of_all in zip((Loop(take, 0, last), closed), results.values()):
                measure_loop(take, Feet(take, 0, last), loop, of_all)
    return count, results


def points(motion):
    """Points of the feet by name and side, with the frames in which they stand."""
    feet, sides = Feet(motion, 0, len(motion)), {}
    for name, joint, place, _, _, stands in feet.points:
        sides.setdefault(name, []).append((feet.way(motion, joint, place), stands))
    return sides


def pairs(command, folder, scratch):
    """How many pairs there are, and results of their contacts: of the takes themselves, a retargeter's and loopwright's."""
    results, out, count = {"uncut take": Results(), "the retargeter": Results(), "loopwright": Results()}, scratch / "pair.bvh", 0
    for count, taken in enumerate(sorted(folder.glob("pairs/taken/*.bvh")), 1):
        theirs = folder / "pairs/retargeted" / taken.name
        said(command, "retarget", taken, "--rig", theirs, "-o", out, "--force")
        feet = points(read(taken, CM, "Y"))
        for path, of_all in zip((taken, theirs, out), results.values()):
            for name, sides in points(read(path, CM, "Y")).items():
                for (way, _), (_, stands) in zip(sides, feet.get(name, ())):
                    contacts = [way[a:b] for a, b in runs(stands[: len(way)])]
                    heights = np.array([contact[:, 1].mean() for contact in contacts])
                    of_all.add({name: [1e3 * slide(contact) for contact in contacts], "height": 1e3 * np.abs(heights - np.median(heights))})
    return count, results


def sections(command, folder, scratch):
    shown = [row for row in ROWS if row[0] in SHOWN]
    rows = [("data", "by", "clips", *(name for _, name, *_ in shown))]
    for data, methods in (('"Wrap" clips', wraps), ("pairs", pairs)):
        count, results = methods(command, folder, scratch)
        for by, of_all in results.items():
            rows.append((data, by, count, *(cell(measure, of_all.get(measure), decimals) for measure, *_, decimals in shown)))
    return {"others": table(*rows)}


def main(command, folder, scratch):
    print(*sections(command, Path(folder), Path(scratch)).values())


if __name__ == "__main__":
    main(*sys.argv[1:])
