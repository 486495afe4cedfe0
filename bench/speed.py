# How long the command takes, against other tools.
#
#   pip install numpy scipy pybvh
#   python bench/speed.py LOOPWRIGHT BATCH_TAKES SCRATCH      (cargo xtask measure runs it so)
#
# LOOPWRIGHT is the command, BATCH_TAKES the script .ci/batch-takes, SCRATCH a folder for files. Prints the tables of docs/benchmark.md
# as JSON. A tool that is not installed is left out. Every figure is the median of three runs, files in the cache.

import json
import os
import platform
import statistics
import subprocess
import sys
import time

import numpy as np

import loops

RUNS = 3
FPS = 120
COMPARED = 20_000  # frames that all pairs are compared of
DIMS = 75


def process(*command):
    """Seconds on the wall, of the processors, and MiB at most, of a process."""
    begun = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak, status = 0, None
    # The peak that wait4 reports starts from the memory of this program.
    while not status:
        peak = max(peak, highest(child.pid))
        time.sleep(0.002)
        pid, code, usage = os.wait4(child.pid, os.WNOHANG)
        status = pid and (code, usage)
    code, usage = status
    if os.waitstatus_to_exitcode(code) > 1:
        raise RuntimeError(" ".join(command) + " failed")
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, peak / 1024


def highest(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def median(work):
    return [statistics.median(column) for column in zip(*(work() for _ in range(RUNS)))]


def timed(work):
    def once():
        begun, on_processors = time.perf_counter(), time.process_time()
        work()
        return time.perf_counter() - begun, time.process_time() - on_processors

    return median(once)


def table(*rows):
    head, *rest = rows
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rest])


def all_pairs(command, scratch):
    path = os.path.join(scratch, f"walk-{COMPARED}.bvh")
    flags = ["--seconds", str((COMPARED - 1) / FPS), "--fps", str(FPS), "--noise", "0.2", "--variation", "0.02", "--force"]
    process(command, "synth", "-o", path, *flags)
    rows = [("work", "tool", "s", "processor s")]
    secs, used, _ = median(lambda: process(command, "find", path))
    rows.append((f"the best loops of {COMPARED:,} frames, from the file", "`loopwright find`", f"{secs:.2f}", f"{used:.2f}"))
    rng = np.random.default_rng(0)
    values = rng.normal(size=(COMPARED, DIMS))
    single = values.astype(np.float32)

    def product():
        square = np.sum(single * single, axis=1)
        gram = single @ single.T
        gram *= -2
        gram += square[:, None]
        gram += square
        return gram.argmin()

    name = f"distances of all pairs of {COMPARED:,} frames of {DIMS} numbers, from memory"
    rows.append((name, f"numpy {np.__version__}, single precision", *(f"{value:.2f}" for value in timed(product))))
    try:
        import scipy
        from scipy.spatial.distance import cdist

        rows.append((name, f"scipy {scipy.__version__}, cdist", *(f"{value:.2f}" for value in timed(lambda: cdist(values, values)))))
    except ImportError:
        pass
    secs, used, _ = median(lambda: process(command, "convert", path, os.path.join(scratch, "again.bvh"), "--force"))
    megabytes = os.path.getsize(path) / 1e6
    rows.append((f"{megabytes:.0f} MB of BVH read, and written again", "`loopwright convert`", f"{secs:.2f}", f"{used:.2f}"))
    try:
        import pybvh

        name = f"{megabytes:.0f} MB of BVH read"
        rows.append((name, "pybvh", *(f"{value:.2f}" for value in timed(lambda: pybvh.read_bvh_file(path)))))
    except ImportError:
        pass
    return rows


def batch(command, batch_takes, scratch):
    folder, into = os.path.join(scratch, "takes"), os.path.join(scratch, "loops")
    count, scripted, frames = 400, 20, 300
    subprocess.run([sys.executable, batch_takes, folder, str(count), command], check=True)
    secs, used, mebibytes = process(command, "make", folder, "-o", into, "--force")
    less = ("--set", "search.choose=cost", "--lock-feet", "off")
    quick, quick_used, _ = process(command, "make", folder, "-o", into, "--force", *less)
    takes = [os.path.join(parent, name) for parent, _, names in os.walk(folder) for name in sorted(names)][:scripted]

    def script():
        for path in takes:
            take = loops.read(path, 0.01, "Y")
            start, end = loops.classic_cut(take)
            loops.faded(loops.part(take, start, end))

    by_script, script_used = timed(script)
    name = f"loops of takes of {frames} frames and 31 joints, frames a second"
    rate = lambda takes, secs: f"{takes * frames / secs:,.0f}"
    return table(
        (name, "as run", "of one processor"),
        (f"`loopwright make`, {count} takes, {mebibytes:.0f} MiB", rate(count, secs), rate(count, used)),
        (f"the same with `{' '.join(less)}`", rate(count, quick), rate(count, quick_used)),
        (f"autocorrelation and cross-fade in numpy, {scripted} takes, not written", rate(scripted, by_script), rate(scripted, script_used)),
    )


def machine():
    model = next((line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    return f"{model}, {os.cpu_count()} processors, {platform.system()}, {time.strftime('%Y-%m-%d')}"


def main(command, batch_takes, scratch):
    sections = {"machine": machine()}
    sections["other-tools"] = table(*all_pairs(command, scratch))
    sections["many-takes"] = batch(command, batch_takes, scratch)
    print(json.dumps(sections))


if __name__ == "__main__":
    main(*sys.argv[1:])
