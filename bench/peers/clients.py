# Opens files of every kind that the command writes in the programs that show them, and compares where these have the joints.
#
#   npm install --prefix FOLDER three gltf-validator
#   pip install --target FOLDER/bpy42 bpy==4.2.23                (CPython 3.11; 5.0.1 likewise)
#   python bench/peers/clients.py LOOPWRIGHT SHARED SCRATCH FOLDER [PART OF A FILE'S NAME...]
#
# LOOPWRIGHT is the command, SHARED the folder with the takes mocap/ and field/ (without it only synthetic ones are used), SCRATCH a folder for the
# files, FOLDER has node_modules/ and bpy*/; what it lacks is passed over with a word. Prints a row for each program and each fault; status 1 for
# faults, 77 where no program is there.
#
# Where a joint is meant to be comes from the same motion written as NPZ in the same run, from memory and not from the file; where that is not
# possible, from the file as the command reads it. A reader of glTF below shares no code with the command.

import base64
import glob
import json
import math
import os
import re
import struct
import subprocess
import sys
import zipfile

MOST_MM = 0.1
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}
# From our axes, in metres with Y up, to those of a file that is up along another.
TURNED_BACK = {
    "y": lambda x, y, z: (x, y, z),
    "z": lambda x, y, z: (x, -z, y),
    "x": lambda x, y, z: (y, -x, z),
    "-y": lambda x, y, z: (x, -y, -z),
    "-z": lambda x, y, z: (x, z, -y),
    "-x": lambda x, y, z: (-y, x, z),
}


def kinds(shared):
    """The files to write: the name of a file without extension, its extensions, and the arguments of the command before its output.

    The first that is named in an argument as {name} must be made before. A * in front: the motion is also written as NPZ, as what is meant."""
    every = ["glb", "gltf", "fbx", "bvh"]
    walk = ["make", "{walk.bvh}"]
    yield "*constant", every, walk
    yield "*travelling", every, [*walk, "--add-root", "--set", "output.recenter=on"]
    for mode in ["in-place", "inertialized", "path", "linear", "keep", "stationary"]:
        forced = ["--set", "output.force-straight=true"] if mode == "linear" else []
        yield f"*{mode}", every, [*walk, "--root-motion", mode, *forced]
    yield "*inertialized-root", every, [*walk, "--root-motion", "inertialized", "--add-root"]
    yield "*stepped", ["glb", "gltf", "fbx"], [*walk, "--set", "output.interpolation=step", "--fps", "12"]
    yield "*slow", every, [*walk, "--fps", "23.976"]
    yield "*no-last-key", every, [*walk, "--set", "output.last-key=drop", "--set", "output.repeat=2"]
    yield "*crossfade", every, [*walk, "--closure", "crossfade"]
    yield "*mirrored", every, [*walk, "--symmetric"]
    for engine in ["godot", "unity", "unreal", "bevy", "blender", "three"]:
        form = {"godot": ["glb", "fbx"], "bevy": ["glb"], "blender": ["bvh"], "three": ["glb"]}.get(engine, ["fbx"])
        yield f"for-{engine}", form, [*walk, "--for", engine]
    for up in ["x", "z", "-y", "-z", "-x"]:
        yield f"*up{up}", every, ["convert", "{short.bvh}", "--up", up]
        yield f"*cm-up{up}", ["fbx"], ["convert", "{short.bvh}", "--up", up, "--unit", "in"]
    yield "*one-frame", every, ["convert", "{one.bvh}"]
    yield "*take", every, ["convert", "{short.bvh}"]
    yield "npz", ["npz"], walk
    yield "from-npz", every, ["convert", "{npz.npz}"]
    for form in every:
        yield f"*from-{form}", every, ["convert", "{constant.%s}" % form]
        yield f"*loop-of-{form}", every, ["make", "{take.%s}" % form]
    yield "*blend", every, ["blend", "{constant.glb}", "{fast.glb}"]
    yield "*played", every, ["play", "{constant.glb}", "{fast.glb}", "--seconds", "6"]
    yield "*spinner", every, ["convert", "{wheel.bvh}"]
    if shared is None:
        return
    field, mocap = (lambda name: os.path.join(shared, "field", name)), (lambda name: os.path.join(shared, "mocap", name))
    for name in ["parent_identity", "parent_with_offset", "parent_turned_180", "face_weights", "cubicspline_10_keys_a_second"]:
        yield f"*{name}", every, ["make", field(name + ".glb")]
    yield "*stepped_12_fps", ["glb", "fbx"], ["make", field("stepped_12_fps.glb"), "--set", "output.interpolation=step"]
    yield "*cycle-fbx", every, ["make", field("cycle.fbx")]
    yield "*door", ["glb", "fbx", "bvh"], ["make", field("door_vertical_hinge.glb")]
    # As glTF it stays as it is, with keys of which not all are frames.
    yield "*two-roots", ["fbx", "bvh"], ["convert", field("two_animated_roots.gltf")]
    for name in ["gltf/RobotExpressive", "mesh2motion/fox-animations"]:
        yield "pack-" + os.path.basename(name), ["glb"], ["make", mocap(name + ".glb"), "--all-animations"]
        yield "split-" + os.path.basename(name), ["glb/", "fbx/", "bvh/"], ["make", mocap(name + ".glb"), "--split", "--all-animations"]
    for name in ["xia/neutral_01.bvh", "cmu/12_01_walk.bvh", "bandai-namco/dataset-1_walk_normal_001.bvh", "isaacgym-cmu/07_01_cmu.fbx", "ozz-pab/run.fbx"]:
        yield "*" + name.replace("/", "-").replace(".", "-"), every, ["make", mocap(name)]
    characters = ["gltf/Knight.glb", "gltf/RobotExpressive.glb", "gltf/CesiumMan.gltf", "mesh2motion/human-male.glb"]
    characters += ["ufbx/blender_293_barbarian_7400_binary.fbx", "ufbx/maya_kenney_character_7700_binary.fbx"]
    characters += ["ozz-pab/run.fbx", "isaacgym-cmu/07_01_cmu.fbx"]
    for path in sorted(glob.glob(mocap("ufbx/*.fbx"))):
        # As FBX it stays as it is.
        yield "*of-" + os.path.basename(path).split(".")[0], ["glb", "gltf", "bvh"], ["convert", path]
    for name in characters:
        path = mocap(name)
        stem, form = os.path.basename(path).split(".")[0], path.split(".")[-1]
        yield f"*on-{stem}", every, ["retarget", "{constant.glb}", "--rig", path]
        yield f"into-one-{stem}", [form], ["retarget", "{constant.glb}", "{fast.glb}", "--into-one", "--rig", path]
        yield f"in-place-on-{stem}", [form], ["retarget", "{in-place.glb}", "--rig", path]
        yield f"inertialized-on-{stem}", [form], ["retarget", "{inertialized.glb}", "--rig", path]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


class Files:
    """The files, each with the motions that it is meant to hold."""

    def __init__(self, command, shared, scratch, wanted):
        self.command, self.scratch, self.files, self.refused = command, scratch, [], []
        # The file that a file was made of, by its path: faults that it had before are not ours.
        self.before = {}
        self.make("synth", "--seconds", "8", "--turn-rate", "12", "-o", self.at("walk.bvh"))
        self.make("synth", "--seconds", "8", "--speed", "2", "-o", self.at("fast.bvh"))
        self.make("synth", "--seconds", "2", "--seed", "3", "-o", self.at("short.bvh"))
        self.make("make", self.at("fast.bvh"), "-o", self.at("fast.glb"))
        head, frames = open(self.at("short.bvh"), encoding="utf-8").read().split("Frames:")
        rows = frames.strip().split("\n")
        open(self.at("one.bvh"), "w", encoding="utf-8").write("\n".join([head + "Frames: 1", *rows[1:3], ""]))
        open(self.at("wheel.bvh"), "w", encoding="utf-8").write(spinner())
        for name, forms, words in kinds(shared):
            is_meant, name = name.startswith("*"), name.lstrip("*")
            if wanted and not any(part in name for part in wanted):
                if not any("{%s." % name in " ".join(other) for _, _, other in kinds(shared)):
                    continue
            words = [self.at(word[1:-1]) if word.startswith("{") else word for word in words]
            meant = None
            if is_meant:
                meant = self.at(name + ".meant.npz")
                if not self.make(*to(words, meant)):
                    meant = None
            for form in forms:
                out = self.at(f"{name}.{form}" if not form.endswith("/") else f"{name}-{form[:-1]}")
                is_folder = form.endswith("/")
                if self.make(*to(words, out), *(["--to", form[:-1]] if is_folder else [])):
                    for path in sorted(glob.glob(out + "/*." + form[:-1])) if is_folder else [out]:
                        self.files.append((path, meant))
                        # A character stands behind the motion.
                        inputs = [word for word in words if format_of(word) == format_of(path) and os.path.exists(word)]
                        self.before[path] = inputs[-1] if inputs else None

    def at(self, name):
        return os.path.join(self.scratch, name)

    def make(self, *words):
        status, _, complaint = run(self.command, "-q", *words)
        # A part of a pack may be left alone.
        if status != 0 and not ("--all-animations" in words and status == 1):
            self.refused.append((words, complaint.split("\n")[0]))
        return status == 0 or os.path.exists(words[words.index("-f") + 2 if words[0] != "convert" else 2])


def to(words, path):
    """A command with where it writes."""
    return [*words[:2], path, *words[2:], "-f"] if words[0] == "convert" else [*words, "-f", "-o", path]


def spinner():
    """A wheel on an axle, that turns by 100 degrees a frame."""
    rows = "\n".join(f"0 90 0 0 0 0 {100 * frame} 0 0" for frame in range(61))
    return (
        "HIERARCHY\nROOT axle\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\nJOINT wheel\n{\n"
        "OFFSET 10 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT rim\n{\nOFFSET 0 40 0\nCHANNELS 0\nEnd Site\n{\nOFFSET 0 5 0\n}\n}\n}\n}\n"
        f"MOTION\nFrames: 61\nFrame Time: 0.033333\n{rows}\n"
    )


def read_npz(path):
    found = {}
    with zipfile.ZipFile(path) as archive:
        for name in ["names", "positions", "fps"]:
            data = archive.read(name + ".npy")
            start = 10 + struct.unpack_from("<H", data, 8)[0]
            header = eval(data[10:start], {"__builtins__": {}})
            kind, shape = header["descr"], header["shape"]
            if "U" in kind:
                size = 4 * int(kind[2:])
                found[name] = [data[at : at + size].decode("utf-32-le").rstrip("\0") for at in range(start, len(data), size)]
            else:
                values = struct.unpack_from("<%d%s" % (math.prod(shape), {"<f4": "f", "<f8": "d"}[kind]), data, start)
                found[name] = values
    joints = len(found["names"])
    places = list(zip(*[iter(found["positions"])] * 3))
    return found["names"], [places[at : at + joints] for at in range(0, len(places), joints)], found["fps"][0]


class Motion:
    """A motion that a file is meant to hold: joints of unambiguous names, their places at every key, and what the file is measured in."""

    def __init__(self, animation, names, keys, rate_hz, unit_metres, up):
        kept = [joint for joint, name in enumerate(names) if names.count(name) == 1]
        self.animation, self.names, self.rate_hz = animation, [names[joint] for joint in kept], rate_hz
        self.keys = [[places[joint] for joint in kept] for places in keys]
        self.unit_metres, self.up = unit_metres, up


def motions(files, path, meant):
    """The motions of a file that the command wrote into it: by its sidecar, or all of it."""
    sidecar = json.load(open(path + ".json")) if os.path.exists(path + ".json") else {}
    names = [found["loop_animation"] for found in sidecar.get("animations", []) if found["outcome"] in ("cut", "closed")]
    names = names or [found for found in [sidecar.get("playback", {}).get("animation")] if found] or [None]
    if os.path.basename(path).startswith("into-one"):
        _, listed, _ = run(files.command, "list", path, "--json")
        names = [found["name"] for found in json.loads(listed)["files"][0]["animations"] if "constant" in found["name"] or "fast" in found["name"]]
    # Files that state their axes are read by them; a BVH is read as its take was.
    up = re.search(r"up(-?[xz]|-y)\.bvh$", path)
    as_taken = ["--up", up[1]] if up else []
    for name in names:
        chosen = [] if name is None else ["--animation", name.replace("[", "[[]")]
        status, facts, complaint = run(files.command, "inspect", path, "--json", *chosen, *as_taken)
        back = path + ".back.npz"
        if status:
            raise ValueError(f"not read back: {complaint}")
        take = json.loads(facts)["take"]
        # The command reads a loop by its sidecar, which holds for the character's file.
        estimated = ["--unit", take["unit"]] if form_of(path) == "bvh" else []
        read, _, complaint = run(files.command, "-q", "convert", path, back, "-f", *chosen, *as_taken, *estimated)
        if read:
            raise ValueError(f"not read back: {complaint}")
        unit = take["unit"]
        unit = UNITS[unit] if unit in UNITS else float(re.match(r"[\d.e-]+", unit)[0])
        joints, keys, rate = read_npz(back)
        motion = Motion(name or take["animation"] or "", joints, keys, rate, unit, take["up"])
        if meant is not None:
            joints, keys, rate = read_npz(meant)
            # A file that holds a character may have joints of other names.
            intended = Motion(motion.animation, joints, keys, rate, unit, take["up"])
            if len(intended.keys) != len(motion.keys):
                raise ValueError(f"{len(motion.keys)} keys, and {len(intended.keys)} are meant")
            if form_of(path) == "bvh":
                # It states no unit, and another may have been estimated.
                intended.unit_metres *= extent(intended) / extent(motion)
            motion = intended
        yield motion


def extent(motion):
    """Largest distance of joints at the first key."""
    first = motion.keys[0]
    return max(math.dist(first[0], place) for place in first) or 1.0


def bytes_of(path):
    with open(path, "rb") as file:
        return file.read()


# glTF, read anew.


class Gltf:
    def __init__(self, path):
        data = bytes_of(path)
        if data[:4] == b"glTF":
            length = struct.unpack_from("<I", data, 12)[0]
            self.json, binary = json.loads(data[20 : 20 + length]), data[28 + length :]
        else:
            self.json, binary = json.loads(data), b""
        load = lambda uri: base64.b64decode(uri.split(",", 1)[1]) if uri.startswith("data:") else bytes_of(os.path.join(os.path.dirname(path), uri))
        self.buffers = [load(buffer["uri"]) if "uri" in buffer else binary for buffer in self.json.get("buffers", [])]
        self.nodes = self.json["nodes"]
        self.names = [node.get("name", f"node{index}") for index, node in enumerate(self.nodes)]
        self.parents = {child: node for node, found in enumerate(self.nodes) for child in found.get("children", [])}

    def accessor(self, number):
        found = self.json["accessors"][number]
        view = self.json["bufferViews"][found["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[found["type"]]
        letter, most = {5126: ("f", 1), 5120: ("b", 127), 5121: ("B", 255), 5122: ("h", 32767), 5123: ("H", 65535)}[found["componentType"]]
        size = width * struct.calcsize(letter)
        start = view.get("byteOffset", 0) + found.get("byteOffset", 0)
        data = self.buffers[view["buffer"]]
        rows = [struct.unpack_from(f"<{width}{letter}", data, start + row * view.get("byteStride", size)) for row in range(found["count"])]
        return rows if most == 1 else [tuple(max(value / most, -1.0) for value in row) for row in rows]

    def start(self, number):
        """The first key of an animation, in seconds."""
        animation = self.json["animations"][number]
        moved = [animation["samplers"][channel["sampler"]] for channel in animation["channels"] if channel["target"]["path"] != "weights"]
        return min((self.accessor(sampler["input"])[0][0] for sampler in moved), default=0.0)

    def places(self):
        """Where the nodes rest."""
        world = {}

        def of(node):
            if node not in world:
                if "matrix" in self.nodes[node]:
                    m = self.nodes[node]["matrix"]
                    local = [[m[4 * column + row] for column in range(4)] for row in range(3)]
                else:
                    local = composed(*(self.nodes[node].get(path, default) for path, default in TRANSFORM))
                above = self.parents.get(node)
                world[node] = local if above is None else product(of(above), local)
            return world[node]

        return [[of(node)[row][3] for row in range(3)] for node in range(len(self.nodes))]


def write_glb(path, document, binary):
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    binary += b"\0" * (-len(binary) % 4)
    head = struct.pack("<4sII", b"glTF", 2, 28 + len(text) + len(binary))
    open(path, "wb").write(head + struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary)


TRANSFORM = [("translation", (0, 0, 0)), ("rotation", (0, 0, 0, 1)), ("scale", (1, 1, 1))]


def composed(translation, rotation, scale):
    size = math.sqrt(sum(value * value for value in rotation))
    x, y, z, w = (value / size for value in rotation)
    turn = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    return [[*(turn[row][column] * scale[column] for column in range(3)), translation[row]] for row in range(3)]


def product(p, q):
    rows = [*q, [0, 0, 0, 1]]
    return [[sum(p[row][k] * rows[k][column] for k in range(4)) for column in range(4)] for row in range(3)]


# The programs.


def stated_unit(path):
    """The metres of a unit that an FBX file states."""
    data = bytes_of(path)
    at = data.find(b"UnitScaleFactor")
    if data.startswith(b"Kaydara"):
        return struct.unpack_from("<d", data, data.find(b"D", data.find(b"Number", at) + 6) + 1)[0] / 100
    return float(re.match(rb'[^\n]*?([\d.e+-]+)\s*\n', data[at:])[1]) / 100


def form_of(path):
    return os.path.splitext(path)[1][1:]


def format_of(path):
    return form_of(path).replace("glb", "gltf")


def lateness(path):
    """By which part of a key a file is asked later: the held poses of stepped ones must last. No program here shows the steps of an FBX."""
    return 0.1 if "stepped" in os.path.basename(path) and form_of(path) != "fbx" else 0.0


def three(folder, files, before):
    questions, asked = [], []
    for path in {path for path in before.values() if path and format_of(path) == "gltf"}:
        questions.append({"what": "valid", "file": path})
        asked.append((path, "before"))
    for path, found in files:
        form = form_of(path)
        if format_of(path) == "gltf":
            questions.append({"what": "valid", "file": path})
            asked.append((path, "Khronos validator"))
            gltf = Gltf(path)
            names = gltf.names
        animations = []
        for motion in found:
            # three.js turns files with Z up, and no others.
            back = TURNED_BACK["y" if form == "fbx" and motion.up == "z" else motion.up] if format_of(path) != "gltf" else TURNED_BACK["y"]
            start, nodes, number = 0.0, None, None
            if format_of(path) == "gltf":
                nodes = [names.index(name) if names.count(name) == 1 else None for name in motion.names]
                titles = [animation.get("name", "") for animation in gltf.json["animations"]]
                number = titles.index(motion.animation) if motion.animation in titles else 0
                start = gltf.start(number)
            late = lateness(path)
            frames = [
                {
                    "secs": start + min(key + late, len(motion.keys) - 1) / motion.rate_hz,
                    "places": [[value / motion.unit_metres for value in back(*place)] for place in places],
                }
                for key, places in enumerate(motion.keys)
            ]
            animations.append({"name": motion.animation, "number": number, "joints": motion.names, "nodes": nodes, "frames": frames})
        what = {"glb": "places", "gltf": "places"}.get(form, form)
        shown = path
        if form == "bvh":
            # three.js adds a joint's positions to its offset; Blender, and the command, have them replace it.
            shown = path + ".three"
            text = re.sub(rb"OFFSET[^\n]*(\s+CHANNELS 6)", rb"OFFSET 0 0 0\1", bytes_of(path))
            open(shown, "wb").write(text)
        questions.append({"what": what, "file": shown, "unit_metres": found[0].unit_metres, "animations": animations})
        asked.append((path, "three.js"))
    asking = os.path.join(os.path.dirname(files[0][0]), "three.json")
    json.dump(questions, open(asking, "w"))
    return zip(asked, lines_of(ask_node(folder, "gltf.mjs", asking), len(asked)))


def ask_node(folder, script, questions):
    """Runs a script beside this one in Node, with the packages of a folder, on a file of questions."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), script)
    environment = {**os.environ, "NODE_PATH": os.path.join(folder, "node_modules")}
    return subprocess.run(["node", script, questions], capture_output=True, text=True, env=environment)


def blender(python_path, files, before):
    questions, asked = [], []
    for path, found in files:
        form = form_of(path)
        for motion in found:
            # Blender shows a BVH in the file's axes, anything else with Z up.
            shown = TURNED_BACK[motion.up] if form == "bvh" else TURNED_BACK["z"]
            stated = stated_unit(path) if form == "fbx" else 1.0
            per_metre = stated / motion.unit_metres if form != "bvh" else 1.0
            question = {
                "file": path,
                "before": before[path],
                "format": format_of(path),
                "unit_metres": motion.unit_metres,
                "per_metre": per_metre,
                "rate_hz": motion.rate_hz,
                "animation": motion.animation,
                # Blender's own names for nodes without any.
                "joints": [re.sub(r"^node(\d+)$", r"Node_\1", name) if format_of(path) == "gltf" else name for name in motion.names],
                "keys": [[shown(*place) for place in places] for places in motion.keys],
                "late": lateness(path),
            }
            importers = [None, "new"] if form == "fbx" and not os.path.basename(python_path).startswith("bpy4") else [None]
            for importer in importers:
                questions.append({**question, "importer": importer})
                title = "Blender " + ".".join(os.path.basename(python_path)[3:]) + ("" if importer is None else ", its new FBX")
                asked.append((path, title))
    asking = os.path.join(os.path.dirname(files[0][0]), os.path.basename(python_path) + ".json")
    json.dump(questions, open(asking, "w"))
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "blender.py")
    done = subprocess.run(
        ["python3.11", script, "--", asking], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": python_path}
    )
    return zip(asked, lines_of(done, len(asked)))


def lines_of(done, count):
    answers = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    if len(answers) < count:
        print(f"{count - len(answers)} of {count} questions are without an answer: {done.stderr.strip()[-600:]}", file=sys.stderr)
    return [*answers, *[{"error": "the program ended"}] * (count - len(answers))]


def main(command, shared, scratch, folder, *wanted):
    os.makedirs(scratch, exist_ok=True)
    shared = shared if os.path.isdir(os.path.join(shared, "field")) else None
    files = Files(command, shared, os.path.abspath(scratch), wanted)
    faults, answers, read = [], [], []
    for words, why in files.refused:
        print("refused:", " ".join(map(str, words)), why, sep=" ")
    for path, meant in files.files:
        if form_of(path) == "npz":
            continue
        try:
            found = list(motions(files, path, meant))
        except ValueError as fault:
            faults.append((path, "loopwright", str(fault)))
            continue
        read.append((path, found))
    if os.path.isdir(os.path.join(folder, "node_modules", "three")):
        answers += three(folder, read, files.before)
    else:
        print("passed over: three.js and the Khronos validator are not in", folder)
    for python_path in sorted(glob.glob(os.path.join(folder, "bpy*"))):
        answers += blender(python_path, read, files.before)
    if not answers:
        sys.exit(77)

    rows = {}
    known = {path: answer["codes"] for (path, program), answer in answers if program == "before"}
    for (path, program), answer in answers:
        if program == "before":
            continue
        row = rows.setdefault((program, form_of(path)), [0, 0, 0, 0.0])
        if "codes" in answer:
            row[0] += 1
            more = {code: count for code, count in answer["codes"].items() if count > known.get(files.before[path], {}).get(code, 0)}
            if more:
                faults.append((path, program, json.dumps(more)))
        elif answer.get("before_fails"):
            print(f"passed over: {os.path.basename(path)}: {program} cannot read {files.before[path]} either: {answer['error']}")
        elif "error" in answer:
            faults.append((path, program, answer["error"]))
        elif not answer["places"]:
            faults.append((path, program, "no joint was found"))
        else:
            row[:] = row[0] + 1, row[1] + answer["places"], row[2] + answer.get("missing", 0), max(row[3], 1e3 * answer["worst"])
            if not 1e3 * answer["worst"] <= MOST_MM:
                faults.append((path, program, f"{1e3 * answer['worst']:.4g} mm {answer.get('worst_joint', '')} {answer.get('worst_key', '')}"))
    print("| program | format | files | places of joints | joints not found or left out | worst, mm |\n| --- | --- | --- | --- | --- | --- |")
    for (program, form), (count, places, missing, worst) in sorted(rows.items()):
        print(f"| {program} | {form} | {count} | {places} | {missing} | {worst:.2g} |")
    for path, program, fault in faults:
        print(f"fault: {os.path.basename(path)}: {program}: {fault}")
    print(f"{len(read)} files, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
