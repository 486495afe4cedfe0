# The Python package beside other packages, and beside the command.
#
#   python xtask/peers/python.py LOOPWRIGHT - SCRATCH      (cargo xtask measure python runs it so)
#
# Needs the package itself, pybvh, bvhtoolbox and upc-pymotion. Prints a table of docs/benchmark.md as JSON: medians of seven runs in turn.
# The take is a synthetic walk of ten minutes.

import json
import os
import resource
import statistics
import subprocess
import sys
import time
import warnings

PROGRAM, SCRATCH = os.path.abspath(sys.argv[1]), sys.argv[3]
RUNS = 7
warnings.simplefilter("ignore")


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def in_turn(works):
    """Median seconds of each, all of them run one after the other, several times."""
    secs = {name: [] for name in works}
    for _ in range(RUNS):
        for name, work in works.items():
            secs[name].append(timed(work)[0])
    return {name: statistics.median(times) for name, times in secs.items()}


walk = os.path.join(SCRATCH, "walk.bvh")
subprocess.run([PROGRAM, "synth", "-o", walk, "--seconds", "600", "--fps", "60", "--force"], check=True, capture_output=True)
megabytes = os.path.getsize(walk) / 1e6

import numpy as np  # noqa: E402

secs, _ = timed(lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True))
imports = in_turn({
    "numpy": lambda: subprocess.run([sys.executable, "-c", "import numpy"], check=True),
    "loopwright": lambda: subprocess.run([sys.executable, "-c", "import numpy, loopwright; loopwright.Take"], check=True),
})

import bvhtoolbox  # noqa: E402
import loopwright  # noqa: E402
import pybvh  # noqa: E402
from pymotion.io.bvh import BVH  # noqa: E402
from pymotion.ops.skeleton import fk  # noqa: E402


def pymotion():
    file = BVH()
    file.load(walk)
    return file


def toolbox():
    with open(walk) as file:
        return bvhtoolbox.BvhTree(file.read())


reading = in_turn({
    "loopwright": lambda: loopwright.read(walk),
    "pybvh": lambda: pybvh.read_bvh_file(walk),
    "upc-pymotion": pymotion,
    "bvhtoolbox": toolbox,
})
# Each computes positions once, and may keep them: so of takes that are fresh.
positions = {name: [] for name in ("loopwright", "pybvh", "upc-pymotion")}
for _ in range(RUNS):
    take = loopwright.read(walk)
    secs, ours = timed(lambda: take.positions)
    positions["loopwright"].append(secs)
    theirs = pybvh.read_bvh_file(walk)
    positions["pybvh"].append(timed(theirs.node_positions)[0])
    rotations, places, parents, offsets, _, _ = pymotion().get_data()
    secs, (points, _) = timed(lambda: fk(rotations, places[:, 0, :], offsets, parents))
    positions["upc-pymotion"].append(secs)
    # All of them agree, in centimetres of the file and metres of ours.
    assert np.abs(points / 100 - ours).max() < 1e-3
positions = {name: statistics.median(times) for name, times in positions.items()}

made = os.path.join(SCRATCH, "python-loop.bvh")
against = in_turn({
    "find": lambda: loopwright.read(walk).find(),
    "command find": lambda: subprocess.run([PROGRAM, "find", walk], check=True, capture_output=True),
    "make": lambda: loopwright.read(walk).make().write(made, force=True),
    "command make": lambda: subprocess.run([PROGRAM, "make", walk, "-o", made, "--force"], check=True, capture_output=True),
})

short = os.path.join(SCRATCH, "short.bvh")
subprocess.run([PROGRAM, "synth", "-o", short, "--seconds", "4", "--fps", "30", "--force"], check=True, capture_output=True)
take = loopwright.read(short)
loops = int(os.environ.get("LOOPWRIGHT_LOOPS", "10000"))


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize() / 2**20


for index in range(loops):
    loop = take.make(blend=0.2 + 1e-6 * index)
    loop.sample([0.1, 5.0])
    if index == loops // 100:
        before = resident()
grown = resident() - before


def others(secs, scale, digits):
    return "; ".join(f"{name}: {scale * value:.{digits}f}" for name, value in secs.items() if name != "loopwright")


def share(ours, theirs):
    return f"{100 * (ours / theirs - 1):+.0f}%"


table = [
    "| work | loopwright | others |",
    "| --- | --- | --- |",
    f"| a BVH file of {megabytes:.0f} MB read, ms | {1e3 * reading['loopwright']:.0f} | {others(reading, 1e3, 0)} |",
    f"| positions of {len(ours):,} frames of {ours.shape[1]} joints in the world, ms | {1e3 * positions['loopwright']:.0f} | {others(positions, 1e3, 0)} |",
    f"| `find` from the file, ms | {1e3 * against['find']:.0f} | the command: {1e3 * against['command find']:.0f} ({share(against['find'], against['command find'])}) |",
    f"| `make` from file to file, ms | {1e3 * against['make']:.0f} | the command: {1e3 * against['command make']:.0f} ({share(against['make'], against['command make'])}) |",
    f"| imported and used, beside numpy, ms | {1e3 * (imports['loopwright'] - imports['numpy']):.0f} | numpy alone: {1e3 * imports['numpy']:.0f} |",
    f"| memory after {loops:,} loops beside that after {loops // 100}, MiB | {grown:+.1f} | |",
]
json.dump({"python": "\n".join(table)}, sys.stdout)
