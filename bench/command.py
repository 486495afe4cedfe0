# The command to be judged: what it prints as JSON, and what it takes. The list of takes, and tables in Markdown.

import csv
import json
import os
import subprocess
import time


def said(command, *arguments):
    """What the command prints as JSON; nothing where it refuses. Errors go to stderr."""
    done = subprocess.run([command, "-q", *arguments, "--json"], stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout or "{}")


def manifest(takes):
    """The rows of the list of takes in their folder."""
    with open(takes / "manifest.csv", encoding="utf-8", newline="") as rows:
        return list(csv.DictReader(rows))


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
        raise RuntimeError(" ".join(map(str, command)) + " failed")
    return time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, peak / 1024


def highest(pid):
    try:
        with open(f"/proc/{pid}/status") as status:
            return next((int(line.split()[1]) for line in status if line.startswith("VmHWM")), 0)
    except OSError:
        return 0


def table(*rows):
    head, *rest = rows
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [head, ["---"] * len(head), *rest])
