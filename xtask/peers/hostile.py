# Runs the command on changed files of every kind that it reads, in little address space.
#
#   python xtask/peers/hostile.py LOOPWRIGHT SCRATCH [RUNS [SEED]]
#
# Catalogs as Parquet are among them where LOOPWRIGHT has that feature. Changes respect the form of a file more often than not, so that many get past its
# reader. A run must end by itself within 10 s with status 0, 1 or 2, in 512 MiB, with no panic, its input unchanged, and nothing beside
# its output. Prints how many of each kind got past the reader, and ends with 1 after any fault; the input is kept then.

import concurrent.futures
import io
import json
import os
import random
import re
import resource
import shutil
import struct
import subprocess
import sys
import threading
import zipfile

PROGRAM, SCRATCH = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RUNS = int(sys.argv[3]) if len(sys.argv) > 3 else 2000
SEED = int(sys.argv[4]) if len(sys.argv) > 4 else 7
ADDRESS_SPACE = 1 << 30
RESIDENT = 512 << 20

NUMBERS = "0 1 -1 2 3 0.5 -0.0 1e-300 1e300 1e9 -1e9 4294967295 2147483647 -2147483648 18446744073709551615 0.0001 17 65536".split()
WORDS = ["", " ", "a", "\u202e", "x" * 300, "Hips", "..", "/etc/hostname", "-", "/dev/stdin", "nan", "inf", "true", "null", "\u00e4"]


def number_in(text, rng):
    """Another number in place of one of a text."""
    places = list(re.finditer(rb"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?", text))
    if not places:
        return text
    place = rng.choice(places)
    old = place.group()
    new = rng.choice(NUMBERS).encode() if rng.random() < 0.3 else b"%g" % (float(old[:30]) * rng.uniform(-2, 3))
    return text[: place.start()] + new + text[place.end() :]


def bytes_in(data, rng):
    """Changes of a few bytes anywhere."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        if not data:
            break
        at = rng.randrange(len(data))
        to = min(len(data), at + rng.randint(1, 60))
        kind = rng.choice([0, 0, 0, 1, 1, 1, 2, 3, 4, 5])
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 2 and rng.random() < 0.3:
            del data[at:]
        elif kind == 3:
            del data[at:to]
        elif kind == 4:
            data[at:at] = data[at:to]
        else:
            at &= ~3
            data[at : at + 4] = struct.pack("<I", rng.choice([0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x01000000]))
    return bytes(data)


def lines_in(text, rng):
    """Lines left out, repeated or exchanged, and words exchanged."""
    lines = text.split(b"\n")
    at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(4)
    if kind == 0:
        del lines[at]
    elif kind == 1:
        lines.insert(other, lines[at])
    elif kind == 2:
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = lines[at].split(b" ")
        words[rng.randrange(len(words))] = rng.choice(WORDS).encode()
        lines[at] = b" ".join(words)
    return b"\n".join(lines)


def json_in(value, rng):
    """A part of a JSON document left out, exchanged or repeated."""
    parts = []

    def walk(node):
        for key in list(node.keys() if isinstance(node, dict) else range(len(node))):
            parts.append((node, key))
            if isinstance(node[key], (dict, list)):
                walk(node[key])

    walk(value)
    if not parts:
        return
    # Most parts of a file are structure, and most changes of it are refused: numbers and names are changed more often.
    leaves = [part for part in parts if isinstance(part[0][part[1]], (int, float, str))]
    node, key = rng.choice(leaves if leaves and rng.random() < 0.8 else parts)
    old = node[key]
    kind = rng.randrange(6)
    if kind == 0 and rng.random() < 0.5:
        del node[key]
    elif isinstance(old, bool) or old is None:
        node[key] = rng.choice([True, False, None, 1, "a", [], {}])
    elif isinstance(old, (int, float)) and kind < 5:
        node[key] = rng.choice([old + 1, old - 1, 1.1 * old, 0.9 * old, -old, 2 * old, 0, 1, 2**31 - 1, 2**31, 2**53, 1e300])
    elif isinstance(old, str) and kind < 5:
        node[key] = rng.choice([*WORDS, "a\nerror: b", old + "x", old.upper()])
    elif isinstance(old, list) and old and kind < 5:
        at = rng.randrange(len(old))
        old[at:at] = json.loads(json.dumps([old[at]])) * rng.randint(1, 3)
    else:
        node[key] = rng.choice([0, "a", [], {}, None, True, [[[]]], -1.5])


def of_json(text, rng):
    document = json.loads(text)
    for _ in range(rng.choice([1, 1, 2])):
        json_in(document, rng)
    return json.dumps(document).encode()


def of_glb(data, rng):
    length = struct.unpack_from("<I", data, 12)[0]
    text, rest = data[20 : 20 + length], data[20 + length :]
    if rng.random() < 0.7:
        text = of_json(text, rng)
        text += b" " * (-len(text) % 4)
    else:
        rest = rest[:8] + bytes_in(rest[8:], rng)
    return data[:8] + struct.pack("<II4s", 20 + len(text) + len(rest), len(text), b"JSON") + text + rest


def of_npz(data, rng):
    """An array changed, with the check sum of what it is then."""
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        names = old.namelist()
        victim = rng.choice(names)
        for name in names:
            array = old.read(name)
            if name == victim:
                kind = rng.randrange(4)
                if kind == 0:
                    continue
                head = array.index(b"\n") + 1
                array = (number_in(array[10:head], rng) if kind == 1 else array[10:head]).ljust(head - 10), array[head:]
                array = struct.pack("<6sBBH", b"\x93NUMPY", 1, 0, len(array[0])) + array[0] + (
                    bytes_in(array[1], rng) if kind > 1 else array[1]
                )
            new.writestr(name, array)
    return changed.getvalue()


def of_text(text, rng):
    for _ in range(rng.randint(1, 2)):
        text = (number_in if rng.random() < 0.85 else lines_in)(text, rng)
    return text


def of_lines_of_json(text, rng):
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    if lines[at]:
        lines[at] = of_json(lines[at], rng)
    return b"\n".join(lines)


OUT = "out"
TAKE = [
    ["inspect", "IN", "--json"],
    ["find", "IN", "--json"],
    ["list", "IN", "--json"],
    ["make", "IN", "-o", f"{OUT}.bvh"],
    ["make", "IN", "-o", f"{OUT}.glb"],
    ["make", "IN", "--all-animations", "-o", f"{OUT}.glb"],
    ["close", "IN", "--range", "4:28", "-o", f"{OUT}.fbx"],
    ["convert", "IN", f"{OUT}.glb"],
    ["convert", "IN", f"{OUT}.npz"],
    ["render", "IN", "-o", f"{OUT}.svg"],
    ["retarget", "IN", "--rig", "walk.glb", "-o", f"{OUT}.glb"],
    ["retarget", "walk.bvh", "--rig", "IN", "-o", f"{OUT}.glb"],
    ["cost", "IN", "walk.bvh"],
    ["fit", "IN"],
    ["match", "build", "IN", "-o", f"{OUT}.lwmatch"],
]
# For each kind of file: the file, how it is changed beside bytes, and what is run on it.
KINDS = {
    "BVH": ("walk.bvh", of_text, TAKE),
    "glTF": ("walk.gltf", of_json, TAKE),
    "GLB": ("walk.glb", of_glb, TAKE),
    "FBX": ("walk.fbx", None, TAKE),
    "FBX as text": ("text.fbx", of_text, TAKE),
    "NPZ": ("walk.npz", of_npz, TAKE),
    "loop": ("loop.glb", of_glb, [["check", "IN"], ["blend", "IN", "loop.glb", "-o", f"{OUT}.glb"], ["report", "IN", "-o", f"{OUT}.html"]]),
    "sidecar": ("pair.bvh.json", of_json, [["check", "pair.bvh"], ["play", "pair.bvh", "-o", f"{OUT}.bvh"], ["report", "pair.bvh", "-o", f"{OUT}.html"]]),
    "recipe": ("recipe.toml", of_text, [["make", "walk.bvh", "--recipe", "IN", "-o", f"{OUT}.bvh"]]),
    "joint map": ("map.toml", of_text, [["retarget", "walk.bvh", "--rig", "walk.glb", "--map", "IN", "-o", f"{OUT}.glb"]]),
    "settings of a folder": ("loopwright.toml", of_text, [["find", "walk.bvh"], ["make", "walk.bvh", "-o", f"{OUT}.bvh"]]),
    "CSV": ("loops.csv", of_text, [["catalog", "IN", "--json"], ["report", "IN", "-o", f"{OUT}.html"]]),
    "JSON Lines": ("loops.jsonl", of_lines_of_json, [["catalog", "IN", "--json"]]),
    "Parquet": ("loops.parquet", None, [["catalog", "IN", "--json"]]),
    "match database": ("takes.lwmatch", None, [["match", "inspect", "IN"], ["match", "query", "IN", "walk.bvh", "--frame", "9"], ["match", "walk", "IN", "path.csv", "-o", f"{OUT}.bvh"]]),
    "journal": ("loops/.loopwright-batch.jsonl", of_lines_of_json, [["make", "walk.bvh", "short.bvh", "-o", "loops/", "--resume"]]),
}


def has_parquet():
    os.makedirs(SCRATCH, exist_ok=True)
    write(SCRATCH, "empty.parquet", b"")
    done = subprocess.run([PROGRAM, "catalog", "empty.parquet"], cwd=SCRATCH, capture_output=True, text=True)
    return "this build has not" not in done.stderr


def write(folder, name, data):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


HAS_PARQUET = has_parquet()
if not HAS_PARQUET:
    del KINDS["Parquet"]


def seeds(folder):
    def run(*arguments):
        done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
        if done.returncode > 1:
            raise RuntimeError(" ".join(arguments) + "\n" + done.stderr)
        return done.stdout

    os.makedirs(folder)
    run("synth", "-o", "walk.bvh", "--seconds", "2.6", "--fps", "20")
    run("synth", "-o", "short.bvh", "--seconds", "2", "--fps", "20", "--seed", "8")
    for name in ("walk.fbx", "walk.glb", "walk.gltf", "walk.npz"):
        run("convert", "walk.bvh", name)
    run("make", "walk.bvh", "-o", "loop.glb", "--set", "output.root-space=ground")
    run("make", "walk.bvh", "-o", "pair.bvh", "--save-recipe", "recipe.toml", "--smooth", "6", "--set", "joint=*Hand*:spring:0.1")
    run("retarget", "walk.bvh", "--rig", "walk.glb", "-o", "onto.glb", "--save-map", "map.toml")
    run("match", "build", "walk.bvh", "-o", "takes.lwmatch")
    run("make", "walk.bvh", "short.bvh", "-o", "loops/", "--catalog", "loops.csv")
    run("catalog", "loops.csv", "-o", "loops.jsonl")
    if HAS_PARQUET:
        run("catalog", "loops.csv", "-o", "loops.parquet")
    write(folder, "loopwright.toml", b'[take]\nup = "y"\nunit = "cm"\n[closure]\nshare = [0.3]\n[output]\nroot-motion = "in-place"\n[check]\nmax-gap-mm = 1\n')
    write(folder, "path.csv", b"0,0,0\n3,0,3.6\n6,2,6\n")
    # Text FBX of two bones, as the smallest exporter writes it.
    write(folder, "text.fbx", TEXT_FBX.encode())


def curve(number, values):
    keys = ",".join(str(46186158000 * frame // 30) for frame in range(len(values)))
    return f"""\tAnimationCurve: {number}, "AnimCurve::", "" {{
\t\tDefault: 0\n\t\tKeyVer: 4009\n\t\tKeyTime: *{len(values)} {{\n\t\t\ta: {keys}\n\t\t}}
\t\tKeyValueFloat: *{len(values)} {{\n\t\t\ta: {",".join(f"{value:.3f}" for value in values)}\n\t\t}}
\t\tKeyAttrFlags: *1 {{\n\t\t\ta: 24836\n\t\t}}\n\t\tKeyAttrDataFloat: *4 {{\n\t\t\ta: 0,0,0,0\n\t\t}}
\t\tKeyAttrRefCount: *1 {{\n\t\t\ta: {len(values)}\n\t\t}}\n\t}}
"""


TEXT_FBX = f"""; FBX 7.4.0 project file
FBXHeaderExtension:  {{\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}}
GlobalSettings:  {{\n\tVersion: 1000\n\tProperties70:  {{\n\t\tP: "UpAxis", "int", "Integer", "",1\n\t\tP: "TimeMode", "enum", "", "",6\n\t}}\n}}
Objects:  {{
\tModel: 1, "Model::Hips", "LimbNode" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n\t\t\tP: "Lcl Translation", "Lcl Translation", "", "A",0,90,0\n\t\t}}\n\t}}
\tModel: 2, "Model::Leg", "LimbNode" {{\n\t\tVersion: 232\n\t\tProperties70:  {{\n\t\t\tP: "Lcl Translation", "Lcl Translation", "", "A",0,-45,0\n\t\t}}\n\t}}
\tNodeAttribute: 3, "NodeAttribute::Hips", "LimbNode" {{\n\t\tTypeFlags: "Skeleton"\n\t}}
\tNodeAttribute: 4, "NodeAttribute::Leg", "LimbNode" {{\n\t\tTypeFlags: "Skeleton"\n\t}}
\tAnimationStack: 5, "AnimStack::Swing", "" {{\n\t\tProperties70:  {{\n\t\t\tP: "LocalStop", "KTime", "Time", "",92372316000\n\t\t}}\n\t}}
\tAnimationLayer: 6, "AnimLayer::Base", "" {{\n\t}}
\tAnimationCurveNode: 7, "AnimCurveNode::R", "" {{\n\t\tProperties70:  {{\n\t\t\tP: "d|X", "Number", "", "A",0\n\t\t}}\n\t}}
{curve(8, [30 * ((frame % 30) / 15 - 1) ** 2 for frame in range(61)])}}}
Connections:  {{
\tC: "OO",1,0\n\tC: "OO",2,1\n\tC: "OO",3,1\n\tC: "OO",4,2\n\tC: "OO",6,5\n\tC: "OO",7,6\n\tC: "OP",7,2, "Lcl Rotation"\n\tC: "OP",8,7, "d|X"
}}
"""


def read(path):
    with open(path, "rb") as file:
        return file.read()


def tree(folder):
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            found[os.path.relpath(path, folder)] = os.stat(path).st_mtime_ns
    return found


def confined():
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))


def worker(number, runs):
    """So many runs in a folder of its own: by kind how many there were and got past the reader, and faults."""
    folder = os.path.join(SCRATCH, f"worker-{number}")
    shutil.rmtree(folder, ignore_errors=True)
    seeds(folder)
    originals = {kind: read(os.path.join(folder, file)) for kind, (file, _, _) in KINDS.items()}
    # It is there in its own runs alone.
    os.remove(os.path.join(folder, "loopwright.toml"))
    rng = random.Random(f"{SEED} {number}")
    counts, faults, slowest, largest = {kind: [0, 0] for kind in KINDS}, [], 0.0, 0
    for run in range(runs):
        kind = rng.choice(list(KINDS))
        file, change, commands = KINDS[kind]
        data = originals[kind]
        try:
            data = bytes_in(data, rng) if change is None or rng.random() < 0.15 else change(data, rng)
        except (ValueError, OverflowError, RecursionError):
            data = bytes_in(data, rng)
        stem, extension = os.path.splitext(file)
        beside = kind in ("sidecar", "settings of a folder", "journal")
        name = file if beside else f"changed{extension}"
        write(folder, name, data)
        command = [name if word == "IN" else word for word in rng.choice(commands)]
        before = tree(folder)
        child = subprocess.Popen(
            [PROGRAM, *command], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=confined
        )
        fault = None
        stop = threading.Timer(60, child.kill)
        stop.start()
        said = child.stderr.read().decode(errors="replace")
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        child.stderr.close()
        stop.cancel()
        secs = usage.ru_utime + usage.ru_stime
        slowest, largest = max(slowest, secs), max(largest, usage.ru_maxrss << 10)
        if secs > 10 or child.returncode == -9:
            fault = fault or f"takes {secs:.1f} s"
        if child.returncode not in (0, 1, 2) or "panicked" in said:
            fault = fault or f"status {child.returncode}"
        if usage.ru_maxrss << 10 > RESIDENT:
            fault = fault or f"takes {usage.ru_maxrss >> 10} MiB"
        if read(os.path.join(folder, name)) != data and kind != "journal":
            fault = fault or "changes its input"
        after = tree(folder)
        for path in set(before) | set(after):
            is_output = path.startswith(f"{OUT}.") or path.startswith("loops/")
            if before.get(path) != after.get(path) and not is_output:
                fault = fault or f"touches {path}"
        new = [path for path in after if path not in before]
        if child.returncode == 2 and any(path.startswith(f"{OUT}.") for path in new) and not {"--all-animations", "report"} & {*command}:
            fault = fault or "leaves an output of a run that failed"
        counts[kind][0] += 1
        counts[kind][1] += child.returncode in (0, 1) or not re.search("cannot (read|use)", said)
        if fault:
            kept = os.path.join(SCRATCH, f"fault-{number}-{run}{extension}")
            shutil.copy(os.path.join(folder, name), kept)
            faults.append(f"{kind}: {' '.join(command)}: {fault}; {kept}; {said.strip()[-300:]}")
        for path in new:
            if not path.startswith("loops/"):
                os.remove(os.path.join(folder, path))
        if kind == "settings of a folder":
            os.remove(os.path.join(folder, name))
        elif beside:
            write(folder, name, originals[kind])
    return counts, faults, slowest, largest


def main():
    os.makedirs(SCRATCH, exist_ok=True)
    workers = max(1, min(os.cpu_count() or 1, RUNS // 50))
    share = [RUNS // workers + (number < RUNS % workers) for number in range(workers)]
    with concurrent.futures.ProcessPoolExecutor(workers) as pool:
        done = list(pool.map(worker, range(workers), share))
    total = past = 0
    for kind in KINDS:
        runs, deep = (sum(each[0][kind][at] for each in done) for at in (0, 1))
        total, past = total + runs, past + deep
        print(f"{kind:22} {runs:7} runs, {deep:7} past the reader ({100 * deep / max(runs, 1):.0f}%)")
    print(f"{'all':22} {total:7} runs, {past:7} past the reader ({100 * past / total:.0f}%); the slowest took "
          f"{max(each[2] for each in done):.1f} s, the largest {max(each[3] for each in done) >> 20} MiB")
    faults = [fault for each in done for fault in each[1]]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
