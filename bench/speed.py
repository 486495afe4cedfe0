# How long the command takes, against other tools.
#
#   pip install numpy scipy pybvh
#   python bench/speed.py LOOPWRIGHT BATCH_TAKES SCRATCH
#
# LOOPWRIGHT is the command, BATCH_TAKES the script .ci/batch-takes, SCRATCH a folder for files. Prints the tables of docs/benchmark.md.
# A tool that is not installed is left out. Every figure is the median of three runs, files in the cache.

import importlib
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import loops
import motion
from command import process, table

RUNS = 3
FPS = 120
COMPARED = 20_000  # frames that all pairs are compared of
DIMS = 75


def median(work):
    return [statistics.median(column) for column in zip(*(work() for _ in range(RUNS)))]


def timed(work):
    def once():
        begun, on_processors = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - begun, time.process_time() - on_processors

    return median(once)


def row(work, tool, secs, used):
    return work, tool, f"{secs:.2f}", f"{used:.2f}"


def other(module):
    """A module of others. None where it is not installed."""
    try:
        return importlib.import_module(module)
    except ImportError:
        return None


def all_pairs(command, scratch):
    path = scratch / f"walk-{COMPARED}.bvh"
    flags = ["--seconds", str((COMPARED - 1) / FPS), "--fps", str(FPS), "--noise", "0.2", "--variation", "0.02", "--force"]
    process(command, "synth", "-o", path, *flags)
    rows = [("work", "tool", "s", "processor s")]
    rows.append(row(f"the best loops of {COMPARED:,} frames, from the file", "`loopwright find`", *median(lambda: process(command, "find", path))[:2]))
    values = np.random.default_rng(0).normal(size=(COMPARED, DIMS))
    single = values.astype(np.float32)

    def product():
        square = np.sum(single * single, axis=1)
        gram = single @ single.T
        gram *= -2
        gram += square[:, None]
        gram += square
        return gram.argmin()

    name = f"distances of all pairs of {COMPARED:,} frames of {DIMS} numbers, from memory"
    rows.append(row(name, f"numpy {np.__version__}, single precision", *timed(product)))
    if distance := other("scipy.spatial.distance"):
        rows.append(row(name, f"scipy {other('scipy').__version__}, cdist", *timed(lambda: distance.cdist(values, values))))
    megabytes = f"{path.stat().st_size / 1e6:.0f} MB of BVH read"
    again = median(lambda: process(command, "convert", path, scratch / "again.bvh", "--force"))
    rows.append(row(f"{megabytes}, and written again", "`loopwright convert`", *again[:2]))
    if pybvh := other("pybvh"):
        rows.append(row(megabytes, "pybvh", *timed(lambda: pybvh.read_bvh_file(path))))
    return rows


def batch(command, batch_takes, scratch):
    folder, into = scratch / "takes", scratch / "loops"
    count, scripted, frames = 400, 20, 300
    subprocess.run([sys.executable, batch_takes, folder, str(count), command], check=True)
    as_shipped = process(command, "make", folder, "-o", into, "--force")
    less = ("--set", "search.choose=cost", "--lock-feet", "off")
    quick = process(command, "make", folder, "-o", into, "--force", *less)
    takes = sorted(folder.rglob("*.bvh"))[:scripted]

    def script():
        for path in takes:
            take = motion.read(path, 0.01, "Y")
            start, end = loops.classic_cut(take)
            loops.faded(loops.part(take, start, end))

    rates = lambda takes, figures: [f"{takes * frames / secs:,.0f}" for secs in figures[:2]]
    return table(
        (f"loops of takes of {frames} frames and 31 joints, frames a second", "as run", "of one processor"),
        (f"`loopwright make`, {count} takes, {as_shipped[2]:.0f} MiB", *rates(count, as_shipped)),
        (f"the same with `{' '.join(less)}`", *rates(count, quick)),
        (f"autocorrelation and cross-fade in numpy, {scripted} takes, not written", *rates(scripted, timed(script))),
    )


def machine():
    model = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} processors, {platform.system()}, {time.strftime('%Y-%m-%d')}"


def sections(command, batch_takes, scratch):
    return {
        "machine": machine(),
        "other-tools": table(*all_pairs(command, scratch)),
        "many-takes": batch(command, batch_takes, scratch),
    }


if __name__ == "__main__":
    print(*sections(*map(Path, sys.argv[1:])).values(), sep="\n\n")
