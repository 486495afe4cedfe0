# How long two builds of the command take, beside each other.
#
#   python bench/against.py NEW OLD TAKES SCRATCH [LIMIT]
#
# NEW and OLD are commands, TAKES the folder with the captured takes and their manifest, SCRATCH a folder for files. Prints a table in
# Markdown. With LIMIT it fails where a row takes more than so many times as long as it did.
#
# Times are those of the processors, of whole processes that take turns, the least of all runs: what else the machine does delays both
# alike, and never makes one faster.

import math
import sys
from pathlib import Path

from command import manifest, process

RUNS = 15
FOLDER_RUNS = 5

CAPTURED = {
    "captured walk, 9.7 s at 30 fps": "bandai-namco/dataset-2_walk_normal_020.bvh",
    "captured walk, 20 s at 60 fps": "100style/Neutral_FW.bvh",
    "captured walk, 4 s at 120 fps": "cmu/12_01_walk.bvh",
    "idle take with a gesture": "bandai-namco/dataset-2_wave-left-hand_normal_010.bvh",
    "take without a loop": "bandai-namco/dataset-1_kick_normal_001.bvh",
    "take whose first loop is not good": "xia/neutral_01.bvh",
}


def works(new, takes, scratch):
    """What is measured: a name, the arguments and the number of runs of each."""
    into = ["-o", scratch / "loop.bvh", "--force"]
    walk = takes / next(iter(CAPTURED.values()))
    yield "`--version`", ["--version"], RUNS
    yield "`inspect`, " + next(iter(CAPTURED)), ["inspect", walk], RUNS
    for name, path in CAPTURED.items():
        yield f"`make`, {name}", ["make", takes / path, *into], RUNS
    for secs in (9, 20):
        path = scratch / f"synthetic-{secs}.bvh"
        process(new, "synth", "-o", path, "--seconds", str(secs), "--force")
        yield f"`make`, synthetic walk, {secs} s at 60 fps", ["make", path, *into], RUNS
    all_of_one = ["--all-animations", "-o", scratch / "knight.glb", "--force"]
    yield "`make`, 76 animations of one file", ["make", takes / "gltf/Knight.glb", *all_of_one], FOLDER_RUNS
    folder = scratch / "public"
    folder.mkdir(parents=True, exist_ok=True)
    looping = [row["file"] for row in manifest(takes) if row["format"] == "BVH" and row["expect"] == "loop"]
    for path in looping:
        link = folder / path.replace("/", "-")
        if not link.is_symlink():
            link.symlink_to((takes / path).resolve())
    yield f"`make`, a folder of {len(looping)} takes", ["make", folder, "-o", scratch / "loops", "--jobs", "1", "--force"], FOLDER_RUNS


def main(new, old, takes, scratch, limit=math.inf):
    slower = []
    print("| work | before, ms | now, ms | now / before |\n| --- | --- | --- | --- |")
    for name, arguments, runs in works(new, Path(takes), Path(scratch)):
        rounds = [[process(program, *arguments)[1] for program in (new, old)] for _ in range(runs)]
        now, before = (1e3 * min(secs) for secs in zip(*rounds))
        print(f"| {name} | {before:.1f} | {now:.1f} | {now / before:.2f} |", flush=True)
        if now > float(limit) * before:
            slower.append(name)
    if slower:
        sys.exit("error: slower than before: " + "; ".join(slower))


if __name__ == "__main__":
    main(*sys.argv[1:])
