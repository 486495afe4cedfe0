# Loops while the actor walks: a stream of BVH by a pipe, and of VMC by UDP on 127.0.0.1, at the pace of the motion and faster.
#
#   python xtask/peers/live.py LOOPWRIGHT SCRATCH [TAKE.bvh ...]
#
# For a minute of a synthetic walk, and for each take: when the first loop is there, how long after the end of each cycle (median and worst, by
# the program's clock and by this one's), and whether the last loop is that of `make` on the recording, to the byte. Nothing of the program is
# used to read a take or to send it.

import json
import math
import os
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time

PROGRAM, SCRATCH, TAKES = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3:]

BONES = {"Spine1": "Chest", "Spine2": "UpperChest", "LeftArm": "LeftUpperArm", "LeftForeArm": "LeftLowerArm", "RightArm": "RightUpperArm",
         "RightForeArm": "RightLowerArm", "LeftUpLeg": "LeftUpperLeg", "LeftLeg": "LeftLowerLeg", "LeftToeBase": "LeftToes",
         "RightUpLeg": "RightUpperLeg", "RightLeg": "RightLowerLeg", "RightToeBase": "RightToes", "LeftHandIndex1": "LeftIndexProximal",
         "RightHandIndex1": "RightIndexProximal"}


def parted(path):
    """Head, rows and frame time of a file."""
    with open(path, encoding="latin-1", newline="") as file:
        lines = file.read().splitlines(keepends=True)
    end = next(index for index, line in enumerate(lines) if line.lower().startswith("frame time")) + 1
    rows = [line for line in lines[end:] if line.strip()]
    return "".join(lines[:end]), rows, float(lines[end - 1].split(":")[1])


def joints(head):
    """Name, offset and channels of each joint, in file order."""
    found, name = [], None
    for words in (line.split() for line in head.splitlines()):
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            name = " ".join(words[1:])
        elif words[0] == "End":
            name = None
        elif words[0] == "OFFSET" and name:
            found.append([name, [float(word) for word in words[1:4]], []])
        elif words[0] == "CHANNELS":
            found[-1][2] = words[2:]
    return found


def product(one, other):
    x, y, z, w = one
    a, b, c, d = other
    return (w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c)


def message(address, name, numbers):
    def filled(text):
        return text.encode() + b"\0" * (4 - len(text) % 4)
    types = "," + "s" * (name is not None) + "f" * len(numbers)
    return filled(address) + filled(types) + (filled(name) if name is not None else b"") + struct.pack(f">{len(numbers)}f", *numbers)


def bundles(body, row, secs):
    """A frame as a sender in Unity states it: left-handed, metres; a few messages in each bundle."""
    values, parts = iter(map(float, row.split())), [message("/VMC/Ext/Root/Pos", "root", (0, 0, 0, 0, 0, 0, 1))]
    for name, offset, channels in body:
        position, rotation = list(offset), (0, 0, 0, 1)
        for channel in channels:
            axis, value = "XYZ".index(channel[0]), next(values)
            if channel.endswith("position"):
                position[axis] = value
            else:
                half = math.radians(value) / 2
                about = [0, 0, 0, math.cos(half)]
                about[axis] = math.sin(half)
                rotation = product(rotation, about)
        x, y, z = (number / 100 for number in position)
        parts.append(message("/VMC/Ext/Bone/Pos", BONES.get(name, name), (-x, y, z, rotation[0], -rotation[1], -rotation[2], rotation[3])))
    parts += [message("/VMC/Ext/OK", None, ()), message("/VMC/Ext/T", None, (secs,))]
    for first in range(0, len(parts), 8):
        bundle = b"#bundle\0" + struct.pack(">Q", 1)
        yield bundle + b"".join(struct.pack(">I", len(part)) + part for part in parts[first:first + 8])


def listen(name, path, by, pace):
    """Streams a take so many times as fast as it is; 0 is as fast as it goes."""
    head, rows, step = parted(path)
    packets = [list(bundles(joints(head), row, index * step)) for index, row in enumerate(rows)] if by == "VMC" else None
    loop, take = (os.path.join(SCRATCH, f"{name}-{kind}.bvh") for kind in ("loop", "take"))
    flags = ["--port", "0", "--timeout", "2"] if by == "VMC" else []
    child = subprocess.Popen([PROGRAM, "listen", "-o", loop, "--record", take, "--json", "--force", *flags],
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    answers, sent = [], []

    def follow():
        for line in child.stdout:
            answers.append((time.monotonic(), json.loads(line)))

    follower = threading.Thread(target=follow)
    follower.start()
    port = 0
    if by == "VMC":
        port = int(child.stderr.readline().split(b"port ")[1].split()[0])
    threading.Thread(target=child.stderr.read, daemon=True).start()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    began = time.monotonic()
    if by != "VMC":
        child.stdin.write(head.encode("latin-1"))
    for index, row in enumerate(rows):
        if pace:
            time.sleep(max(0, began + index * step / pace - time.monotonic()))
        if packets:
            for packet in packets[index]:
                sender.sendto(packet, ("127.0.0.1", port))
        else:
            child.stdin.write(row.encode("latin-1"))
            if pace:
                child.stdin.flush()
        sent.append(time.monotonic())
    child.stdin.close()
    follower.join()
    status = child.wait()
    live = [(at, answer) for at, answer in answers if answer["format"] == "loopwright-live"]
    row = {"take": name, "by": by, "pace": pace, "seconds": round(len(rows) * step, 1), "status": status, "live_loops": len(live)}
    if live:
        ready = [1000 * answer["ready_secs"] for _, answer in live]
        own = [1000 * (at - sent[min(answer["frames"], len(sent)) - 1]) for at, answer in live]
        row |= {"first_cycle": live[0][1]["cycle"], "first_secs": round(live[0][1]["frames"] * step, 2), "period": live[0][1]["period_secs"],
                "written": sum(answer["is_written"] for _, answer in live), "ready_ms_median": round(statistics.median(ready), 1),
                "ready_ms_worst": round(max(ready), 1)}
        if pace:
            row |= {"own_ms_median": round(statistics.median(own), 1), "own_ms_worst": round(max(own), 1)}
    if status < 2 and os.path.exists(loop):
        def both():
            return [open(loop + end, "rb").read() for end in ("", ".json")]
        heard = both()
        subprocess.run([PROGRAM, "make", take, "-o", loop, "--force", "-q"], stdout=subprocess.DEVNULL, check=False)
        row["same_as_make"] = both() == heard
        if by != "VMC":
            row["same_as_sent"] = open(take, "rb").read() == (head + "".join(rows)).encode("latin-1")
    print(json.dumps(row), flush=True)


os.makedirs(SCRATCH, exist_ok=True)
walk = os.path.join(SCRATCH, "minute.bvh")
subprocess.run([PROGRAM, "synth", "-o", walk, "--seconds", "60", "--fps", "60", "--force"], check=True, stdout=subprocess.DEVNULL)
listen("minute", walk, "pipe", 1)
listen("minute", walk, "VMC", 1)
listen("minute", walk, "pipe", 0)
for take in TAKES:
    listen(os.path.splitext(os.path.basename(take))[0], take, "pipe", 4)
