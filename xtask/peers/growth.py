# How the command grows: with frames, joints, animations and takes.
#
#   python xtask/peers/growth.py LOOPWRIGHT - SCRATCH      (cargo xtask measure growth runs it so)
#
# Prints a table of docs/benchmark.md as JSON: seconds of the processors and MiB of each run, and the exponent between the last two
# sizes, 1 for what grows as its input does. Says on stderr how far it is.

import json
import math
import os
import struct
import sys

from clients import write_glb
from speed import process

PROGRAM, SCRATCH = os.path.abspath(sys.argv[1]), sys.argv[3]


def run(*arguments):
    """Seconds of the processors, and MiB at most."""
    return process(PROGRAM, *arguments)[1:]


def walk(frames, name):
    """A synthetic walk straight ahead at 60 frames per second; a long one goes on as it began."""
    part = min(frames, 100_000)
    if os.path.exists(name):
        return name
    run("synth", "-o", name, "--force", "--seconds", str(part / 60), "--fps", "60", "--turn-rate", "0")
    if part == frames:
        return name
    with open(name) as file:
        head, motion = file.read().split("Frames:", 1)
    count, frame_time, *lines = motion.strip().splitlines()
    roots = [line.split(" ", 3) for line in lines]
    first, last = ([float(number) for number in root[:3]] for root in (roots[0], roots[-1]))
    with open(name, "w") as file:
        file.write(f"{head}Frames: {len(roots) * (frames // part)}\n{frame_time}\n")
        for times in range(frames // part):
            for root in roots:
                place = (float(at) + times * (end - begin) for at, begin, end in zip(root, first, last))
                file.write(" ".join([*(f"{number:.4f}" for number in place), root[3]]) + "\n")
    return name


def gltf(name, joints, animations, keys=8, secs=2.3):
    """Joints without names that all turn by one accessor."""
    times = [secs * key / (keys - 1) for key in range(keys)]
    data = struct.pack(f"<{keys}f", *times)
    for t in times:
        half = 0.25 * math.sin(t * math.tau)
        data += struct.pack("<4f", math.sin(half), 0, 0, math.cos(half))
    # Chains of ten, as fingers and hair are.
    nodes = [{"translation": [0, 0.1, 0], "children": list(range(1, joints, 10))}]
    for joint in range(1, joints):
        last = joint % 10 == 0 or joint == joints - 1
        nodes.append({"translation": [0, 0.1, 0], **({} if last else {"children": [joint + 1]})})
    channels = [{"sampler": 0, "target": {"node": joint, "path": "rotation"}} for joint in range(min(joints, 30))]
    document = {
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": nodes,
        "skins": [{"joints": list(range(joints))}],
        "buffers": [{"byteLength": len(data)}],
        "bufferViews": [
            {"buffer": 0, "byteLength": 4 * keys},
            {"buffer": 0, "byteOffset": 4 * keys, "byteLength": 16 * keys},
        ],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": keys, "type": "SCALAR", "min": [0], "max": [secs]},
            {"bufferView": 1, "componentType": 5126, "count": keys, "type": "VEC4"},
        ],
        "animations": [
            {"name": f"Move{number}", "samplers": [{"input": 0, "output": 1}], "channels": channels}
            for number in range(animations)
        ],
    }
    write_glb(name, document, data)
    return name


def takes(count):
    folder = f"takes-{count}"
    os.makedirs(folder, exist_ok=True)
    first = walk(180, "short.bvh")
    for number in range(count):
        if not os.path.exists(f"{folder}/{number}.bvh"):
            os.link(first, f"{folder}/{number}.bvh")
    return folder


def rows():
    for command in ("inspect", "find", "make"):
        sizes = (10_000, 100_000, 1_000_000)
        yield f"`{command}`, frames of 24 joints", sizes, lambda n, c=command: run(
            c, walk(n, f"walk-{n}.bvh"), "--max-memory", "21G", *(["-o", "loop.bvh", "--force"] if c == "make" else [])
        )
    yield "`inspect`, joints without names", (1_000, 10_000, 100_000), lambda n: run(
        "inspect", gltf("j.glb", n, 1), "--max-memory", "4G"
    )
    sizes = (100, 1_000, 10_000)
    yield "`list`, animations of 30 joints", sizes, lambda n: run("list", gltf("a.glb", 30, n))
    yield "`make --all-animations`, the same", sizes, lambda n: run(
        "make", gltf("a.glb", 30, n), "--all-animations", "-o", "all.glb", "--force", "--max-memory", "12G"
    )
    sizes = (100, 300, 1_000)
    yield "`list`, takes of 180 frames", sizes, lambda n: run("list", takes(n))
    yield "`make`, the same into a folder", sizes, lambda n: run("make", takes(n), "-o", f"loops-{n}/", "--force")
    yield "`cost` of one take onto itself, frames", (2_000, 8_000, 32_000), lambda n: run(
        "cost", walk(n, f"walk-{n}.bvh"), f"walk-{n}.bvh"
    )


os.makedirs(SCRATCH, exist_ok=True)
os.chdir(SCRATCH)
table = ["| work | sizes | processor s | MiB | exponent of the time | of the memory |", "| --- | --- | --- | --- | --- | --- |"]
for work, sizes, measure in rows():
    measured = [measure(size) for size in sizes]
    steps = math.log(sizes[-1] / sizes[-2])
    time_exponent, memory_exponent = (math.log(b / a) / steps for a, b in zip(*measured[-2:]))
    table.append(
        f"| {work} | {' / '.join(f'{size:,}' for size in sizes)} | {' / '.join(f'{secs:.2f}' for secs, _ in measured)} "
        f"| {' / '.join(f'{mib:,.0f}' for _, mib in measured)} | {time_exponent:.2f} | {memory_exponent:.2f} |"
    )
    print(table[-1], file=sys.stderr, flush=True)
json.dump({"growth": "\n".join(table)}, sys.stdout)
