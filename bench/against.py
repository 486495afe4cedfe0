# How long two builds of the command take, beside each other.
#
#   python bench/against.py NEW OLD TAKES SCRATCH [LIMIT]
#
# NEW and OLD are commands, TAKES the folder with the captured takes and their manifest, SCRATCH a folder for files. Prints a table in
# Markdown. With LIMIT it fails where a row takes more than so many times as long as it did.
#
# Times are those of the processors, of whole processes that take turns, the least of all runs: what else the machine does delays both
# alike, and never makes one faster.

import csv
import math
import os
import sys

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


def processor_ms(command):
    """Milliseconds of the processors. Spawned, since a fork takes as long as the shortest of these commands."""
    nowhere = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_WRONLY, 0) for fd in (1, 2)]
    child = os.posix_spawn(command[0], command, os.environ, file_actions=nowhere)
    _, status, usage = os.wait4(child, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        raise RuntimeError(" ".join(command) + " failed")
    return 1e3 * (usage.ru_utime + usage.ru_stime)


def least(programs, arguments, runs):
    """The least time of each program."""
    programs = [os.path.abspath(program) for program in programs]
    rounds = [[processor_ms([program, *arguments]) for program in programs] for _ in range(runs)]
    return [min(times) for times in zip(*rounds)]


def works(new, takes, scratch):
    """What is measured: a name, the arguments and the number of runs of each."""
    into = ["-o", os.path.join(scratch, "loop.bvh"), "--force"]
    walk = os.path.join(takes, next(iter(CAPTURED.values())))
    yield "`--version`", ["--version"], RUNS
    yield "`inspect`, " + next(iter(CAPTURED)), ["inspect", walk], RUNS
    for name, path in CAPTURED.items():
        yield f"`make`, {name}", ["make", os.path.join(takes, path), *into], RUNS
    for secs in (9, 20):
        path = os.path.join(scratch, f"synthetic-{secs}.bvh")
        processor_ms([os.path.abspath(new), "synth", "-o", path, "--seconds", str(secs), "--force"])
        yield f"`make`, synthetic walk, {secs} s at 60 fps", ["make", path, *into], RUNS
    loops = os.path.join(scratch, "loops")
    knight = os.path.join(takes, "gltf/Knight.glb")
    yield "`make`, 76 animations of one file", ["make", knight, "--all-animations", "-o", os.path.join(scratch, "knight.glb"), "--force"], FOLDER_RUNS
    folder = os.path.join(scratch, "public")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(takes, "manifest.csv"), newline="") as manifest:
        looping = [row["file"] for row in csv.DictReader(manifest) if row["format"] == "BVH" and row["expect"] == "loop"]
    for path in looping:
        link = os.path.join(folder, path.replace("/", "-"))
        if not os.path.lexists(link):
            os.symlink(os.path.abspath(os.path.join(takes, path)), link)
    yield f"`make`, a folder of {len(looping)} takes", ["make", folder, "-o", loops, "--jobs", "1", "--force"], FOLDER_RUNS


def main(new, old, takes, scratch, limit=math.inf):
    os.makedirs(scratch, exist_ok=True)
    slower = []
    print("| work | before, ms | now, ms | now / before |\n| --- | --- | --- | --- |")
    for name, arguments, runs in works(new, takes, scratch):
        now, before = least([new, old], arguments, runs)
        print(f"| {name} | {before:.1f} | {now:.1f} | {now / before:.2f} |", flush=True)
        if now > float(limit) * before:
            slower.append(name)
    if slower:
        sys.exit("error: slower than before: " + "; ".join(slower))


if __name__ == "__main__":
    main(*sys.argv[1:])
