# Opens files of every kind that the command writes in the programs that show them, and compares where these have the joints.
#
#   pip install numpy
#   npm install --prefix FOLDER three gltf-validator
#   pip install --target FOLDER/bpy42 bpy==4.2.23                (CPython 3.11; 5.0.1 likewise)
#   python bench/peers/clients.py LOOPWRIGHT SHARED SCRATCH FOLDER [PART OF A FILE'S NAME...]
#
# LOOPWRIGHT is the command, SHARED the folder with the takes mocap/ and field/ (without it only synthetic ones are used), SCRATCH a folder for the
# files, FOLDER has node_modules/ and bpy*/; what it lacks is passed over with a word. Prints a row for each program and each fault; status 1 for
# faults, 77 where no program is there.
#
# Where a joint is meant to be comes from the same motion written as NPZ in the same run, from memory and not from the file; where that is not
# possible, from the file as the command reads it.

import json
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

from gltf import Gltf

MOST_MM = 0.1
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254, "cmu": 0.0254 / 0.45}
# From our axes, in metres with Y up, to those of a file that is up along another: which of our axes, and with which sign.
TURNED_BACK = {"y": "+x +y +z", "z": "+x -z +y", "x": "+y -x +z", "-y": "+x -y -z", "-z": "+x +z -y", "-x": "-y +x +z"}


def turned_back(places, up):
    return np.stack([float(sign + "1") * places[..., "xyz".index(axis)] for sign, axis in TURNED_BACK[up].split()], axis=-1)


INPUTS = """
synth --seconds 8 --turn-rate 12 -o walk.bvh
synth --seconds 8 --speed 2 -o fast.bvh
synth --seconds 2 --seed 3 -o short.bvh
make fast.bvh -o fast.glb
"""
# The files to write: the name of a file without extension, its extensions, and the arguments of the command before its output.
#
# The first that is named in an argument as {name} must be made before. A * in front: the motion is also written as NPZ, as what is meant.
EVERY = "glb,gltf,fbx,bvh"
KINDS = """
*constant                  every          make {walk.bvh}
*travelling                every          make {walk.bvh} --add-root --set output.recenter=on
*in-place                  every          make {walk.bvh} --root-motion in-place
*inertialized              every          make {walk.bvh} --root-motion inertialized
*path                      every          make {walk.bvh} --root-motion path
*linear                    every          make {walk.bvh} --root-motion linear --set output.force-straight=true
*keep                      every          make {walk.bvh} --root-motion keep
*stationary                every          make {walk.bvh} --root-motion stationary
*inertialized-root         every          make {walk.bvh} --root-motion inertialized --add-root
*stepped                   glb,gltf,fbx   make {walk.bvh} --set output.interpolation=step --fps 12
*slow                      every          make {walk.bvh} --fps 23.976
*no-last-key               every          make {walk.bvh} --set output.last-key=drop --set output.repeat=2
*crossfade                 every          make {walk.bvh} --closure crossfade
*mirrored                  every          make {walk.bvh} --symmetric
for-godot                  glb,fbx        make {walk.bvh} --for godot
for-unity                  fbx            make {walk.bvh} --for unity
for-unreal                 fbx            make {walk.bvh} --for unreal
for-bevy                   glb            make {walk.bvh} --for bevy
for-blender                bvh            make {walk.bvh} --for blender
for-three                  glb            make {walk.bvh} --for three
*upx                       every          convert {short.bvh} --up x
*cm-upx                    fbx            convert {short.bvh} --up x --unit in
*upz                       every          convert {short.bvh} --up z
*cm-upz                    fbx            convert {short.bvh} --up z --unit in
*up-y                      every          convert {short.bvh} --up -y
*cm-up-y                   fbx            convert {short.bvh} --up -y --unit in
*up-z                      every          convert {short.bvh} --up -z
*cm-up-z                   fbx            convert {short.bvh} --up -z --unit in
*up-x                      every          convert {short.bvh} --up -x
*cm-up-x                   fbx            convert {short.bvh} --up -x --unit in
*one-frame                 every          convert {one.bvh}
*take                      every          convert {short.bvh}
npz                        npz            make {walk.bvh}
from-npz                   every          convert {npz.npz}
*from-glb                  every          convert {constant.glb}
*loop-of-glb               every          make {take.glb}
*from-gltf                 every          convert {constant.gltf}
*loop-of-gltf              every          make {take.gltf}
*from-fbx                  every          convert {constant.fbx}
*loop-of-fbx               every          make {take.fbx}
*from-bvh                  every          convert {constant.bvh}
*loop-of-bvh               every          make {take.bvh}
*blend                     every          blend {constant.glb} {fast.glb}
*played                    every          play {constant.glb} {fast.glb} --seconds 6
*spinner                   every          convert {wheel.bvh}
*parent_identity           every          make shared/field/parent_identity.glb
*parent_with_offset        every          make shared/field/parent_with_offset.glb
*parent_turned_180         every          make shared/field/parent_turned_180.glb
*face_weights              every          make shared/field/face_weights.glb
*cubicspline_10_keys_a_second every          make shared/field/cubicspline_10_keys_a_second.glb
*stepped_12_fps            glb,fbx        make shared/field/stepped_12_fps.glb --set output.interpolation=step
*cycle-fbx                 every          make shared/field/cycle.fbx
*door                      glb,fbx,bvh    make shared/field/door_vertical_hinge.glb
*two-roots                 fbx,bvh        convert shared/field/two_animated_roots.gltf
pack-RobotExpressive       glb            make shared/mocap/gltf/RobotExpressive.glb --all-animations
split-RobotExpressive      glb/,fbx/,bvh/ make shared/mocap/gltf/RobotExpressive.glb --split --all-animations
pack-fox-animations        glb            make shared/mocap/mesh2motion/fox-animations.glb --all-animations
split-fox-animations       glb/,fbx/,bvh/ make shared/mocap/mesh2motion/fox-animations.glb --split --all-animations
*xia-neutral_01-bvh        every          make shared/mocap/xia/neutral_01.bvh
*cmu-12_01_walk-bvh        every          make shared/mocap/cmu/12_01_walk.bvh
*bandai-namco-dataset-1_walk_normal_001-bvh every          make shared/mocap/bandai-namco/dataset-1_walk_normal_001.bvh
*isaacgym-cmu-07_01_cmu-fbx every          make shared/mocap/isaacgym-cmu/07_01_cmu.fbx
*ozz-pab-run-fbx           every          make shared/mocap/ozz-pab/run.fbx
"""
CHARACTERS = """
gltf/Knight.glb gltf/RobotExpressive.glb gltf/CesiumMan.gltf mesh2motion/human-male.glb ufbx/blender_293_barbarian_7400_binary.fbx
ufbx/maya_kenney_character_7700_binary.fbx ozz-pab/run.fbx isaacgym-cmu/07_01_cmu.fbx
"""


def kinds(shared):
    """The rows of KINDS, and those of captured takes and characters where these are."""
    rows = [line.split() for line in KINDS.strip().replace(" every ", f" {EVERY} ").split("\n")]
    if shared:
        mocap = shared / "mocap"
        # As FBX they stay as they are.
        rows += [[f"*of-{path.stem}", "glb,gltf,bvh", "convert", path] for path in sorted(mocap.glob("ufbx/*.fbx"))]
        for path in map(mocap.joinpath, CHARACTERS.split()):
            on, form = ["--rig", path], form_of(path)
            rows.append([f"*on-{path.stem}", EVERY, "retarget", "{constant.glb}", *on])
            rows.append([f"into-one-{path.stem}", form, "retarget", "{constant.glb}", "{fast.glb}", "--into-one", *on])
            rows += [[f"{mode}-on-{path.stem}", form, "retarget", "{%s.glb}" % mode, *on] for mode in ["in-place", "inertialized"]]
    for name, forms, *words in rows:
        if shared or not any(str(word).startswith("shared/") for word in words):
            yield name, forms.split(","), [shared / word[len("shared/") :] if str(word).startswith("shared/") else word for word in words]


def run(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr.strip()


class Files:
    """The files, each with the motions that it is meant to hold."""

    def __init__(self, command, shared, scratch, wanted):
        self.command, self.scratch, self.files, self.refused = command, scratch, [], []
        # The file that a file was made of, by its path: faults that it had before are not ours.
        self.before = {}
        for line in INPUTS.strip().split("\n"):
            self.make(*(self.at(word) if "." in word else word for word in line.split()))
        head, frames = self.at("short.bvh").read_text().split("Frames:")
        self.at("one.bvh").write_text("\n".join([head + "Frames: 1", *frames.strip().split("\n")[1:3], ""]))
        self.at("wheel.bvh").write_text(spinner())
        for name, forms, words in kinds(shared):
            is_meant, name = name.startswith("*"), name.lstrip("*")
            if wanted and not any(part in name for part in wanted) and not any("{%s." % name in " ".join(map(str, other)) for _, _, other in kinds(shared)):
                continue
            words = [self.at(word[1:-1]) if str(word).startswith("{") else word for word in words]
            meant = self.at(name + ".meant.npz") if is_meant else None
            if meant and not self.make(*to(words, meant)):
                meant = None
            for form in forms:
                is_folder, form = form.endswith("/"), form.rstrip("/")
                out = self.at(f"{name}-{form}" if is_folder else f"{name}.{form}")
                if self.make(*to(words, out), *(["--to", form] if is_folder else [])):
                    for path in sorted(out.glob("*." + form)) if is_folder else [out]:
                        self.files.append((path, meant))
                        # A character stands behind the motion.
                        inputs = [Path(word) for word in words if format_of(Path(word)) == format_of(path) and Path(word).exists()]
                        self.before[path] = inputs[-1] if inputs else None

    def at(self, name):
        return self.scratch / name

    def make(self, *words):
        status, _, complaint = run(self.command, "-q", *words)
        # A part of a pack may be left alone.
        if status != 0 and not ("--all-animations" in words and status == 1):
            self.refused.append((words, complaint.split("\n")[0]))
        return status == 0 or Path(words[words.index("-f") + 2 if words[0] != "convert" else 2]).exists()


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
    """Names of joints, their places (keys, joints, 3), and keys a second."""
    with np.load(path) as found:
        return [str(name) for name in found["names"]], found["positions"].astype(float), float(found["fps"])


class Motion:
    """A motion that a file is meant to hold: joints of unambiguous names, their places at every key, and what the file is measured in."""

    def __init__(self, animation, npz, unit_metres, up):
        names, keys, self.rate_hz = read_npz(npz)
        kept = [joint for joint, name in enumerate(names) if names.count(name) == 1]
        self.animation, self.names, self.keys = animation, [names[joint] for joint in kept], keys[:, kept]
        self.unit_metres, self.up = unit_metres, up

    def secs(self, late):
        """When the keys are, a part of one later, but never after the last."""
        return np.minimum(np.arange(len(self.keys)) + late, len(self.keys) - 1) / self.rate_hz

    def extent(self):
        """Largest distance of joints at the first key."""
        return np.linalg.norm(self.keys[0] - self.keys[0, 0], axis=-1).max() or 1.0


def motions(files, path, meant):
    """The motions of a file that the command wrote into it: by its sidecar, or all of it."""
    beside = Path(f"{path}.json")
    sidecar = json.loads(beside.read_text()) if beside.exists() else {}
    names = [found["loop_animation"] for found in sidecar.get("animations", []) if found["outcome"] in ("cut", "closed")]
    names = names or [found for found in [sidecar.get("playback", {}).get("animation")] if found] or [None]
    if path.name.startswith("into-one"):
        _, listed, _ = run(files.command, "list", path, "--json")
        names = [found["name"] for found in json.loads(listed)["files"][0]["animations"] if "constant" in found["name"] or "fast" in found["name"]]
    # Files that state their axes are read by them; a BVH is read as its take was.
    up = re.search(r"up(-?[xz]|-y)\.bvh$", path.name)
    as_taken = ["--up", up[1]] if up else []
    for name in names:
        chosen = [] if name is None else ["--animation", name.replace("[", "[[]")]
        status, facts, complaint = run(files.command, "inspect", path, "--json", *chosen, *as_taken)
        back = f"{path}.back.npz"
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
        motion = Motion(name or take["animation"] or "", back, unit, take["up"])
        if meant is not None:
            # A file that holds a character may have joints of other names.
            intended = Motion(motion.animation, meant, unit, take["up"])
            if len(intended.keys) != len(motion.keys):
                raise ValueError(f"{len(motion.keys)} keys, and {len(intended.keys)} are meant")
            if form_of(path) == "bvh":
                # It states no unit, and another may have been estimated.
                intended.unit_metres *= intended.extent() / motion.extent()
            motion = intended
        yield motion


# The programs.


def stated_unit(path):
    """The metres of a unit that an FBX file states."""
    data = path.read_bytes()
    at = data.find(b"UnitScaleFactor")
    if data.startswith(b"Kaydara"):
        return struct.unpack_from("<d", data, data.find(b"D", data.find(b"Number", at) + 6) + 1)[0] / 100
    return float(re.match(rb'[^\n]*?([\d.e+-]+)\s*\n', data[at:])[1]) / 100


def form_of(path):
    return path.suffix[1:]


def format_of(path):
    return form_of(path).replace("glb", "gltf")


def lateness(path):
    """By which part of a key a file is asked later: the held poses of stepped ones must last. No program here shows the steps of an FBX."""
    return 0.1 if "stepped" in path.name and form_of(path) != "fbx" else 0.0


def three(files, before):
    """What three.js and the validator are asked: file, title and question."""
    for path in {path for path in before.values() if path and format_of(path) == "gltf"}:
        yield path, "before", {"what": "valid"}
    for path, found in files:
        form, is_gltf, shown = form_of(path), format_of(path) == "gltf", path
        if is_gltf:
            yield path, "Khronos validator", {"what": "valid"}
            gltf = Gltf.read(path)
            names, titles = gltf.names, [animation.get("name", "") for animation in gltf.json["animations"]]
        animations = []
        for motion in found:
            # three.js turns files with Z up, and no others.
            up = "y" if is_gltf or (form == "fbx" and motion.up == "z") else motion.up
            start, nodes, number = 0.0, None, None
            if is_gltf:
                nodes = [names.index(name) if names.count(name) == 1 else None for name in motion.names]
                number = titles.index(motion.animation) if motion.animation in titles else 0
                start = gltf.start(number)
            places = turned_back(motion.keys, up) / motion.unit_metres
            frames = [{"secs": start + secs, "places": shown} for secs, shown in zip(motion.secs(lateness(path)), places.tolist())]
            animations.append({"name": motion.animation, "number": number, "joints": motion.names, "nodes": nodes, "frames": frames})
        if form == "bvh":
            # three.js adds a joint's positions to its offset; Blender, and the command, have them replace it.
            shown = f"{path}.three"
            Path(shown).write_text(re.sub(r"OFFSET[^\n]*(\s+CHANNELS 6)", r"OFFSET 0 0 0\1", path.read_text()))
        yield path, "three.js", {"what": "places" if is_gltf else form, "file": str(shown), "unit_metres": found[0].unit_metres, "animations": animations}


def blender(files, before, version):
    """What Blender is asked: file, title and question."""
    for path, found in files:
        form = form_of(path)
        for motion in found:
            # Blender shows a BVH in the file's axes, anything else with Z up.
            shown = turned_back(motion.keys, motion.up if form == "bvh" else "z")
            stated = stated_unit(path) if form == "fbx" else 1.0
            for importer in ["", "new"] if form == "fbx" and version[0] != "4" else [""]:
                yield path, "Blender " + ".".join(version) + (importer and ", its new FBX"), {
                    "before": before[path] and str(before[path]),
                    "format": format_of(path),
                    "importer": importer,
                    "unit_metres": motion.unit_metres,
                    "per_metre": 1.0 if form == "bvh" else stated / motion.unit_metres,
                    "rate_hz": motion.rate_hz,
                    "animation": motion.animation,
                    # Blender's own names for nodes without any.
                    "joints": [re.sub(r"^node(\d+)$", r"Node_\1", name) if format_of(path) == "gltf" else name for name in motion.names],
                    "keys": shown.tolist(),
                    "late": lateness(path),
                }


def answered(asked, scratch, *program, **environment):
    """Runs a program beside this one on a file of questions: each asked, its file and title, with its answer, a line of JSON."""
    asked, asking = list(asked), scratch / "questions.json"
    asking.write_text(json.dumps([{"file": str(path)} | question for path, _, question in asked]))
    words = [*program[:-1], Path(__file__).parent / program[-1], asking]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | environment)
    answers = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
    answers += [{"error": f"the program ended: {done.stderr.strip()[-600:]}"}] * (len(asked) - len(answers))
    return [(path, title, answer) for (path, title, _), answer in zip(asked, answers)]


def main(command, shared, scratch, folder, *wanted):
    shared, scratch, folder = (Path(path).absolute() for path in (shared, scratch, folder))
    scratch.mkdir(parents=True, exist_ok=True)
    files = Files(command, shared if (shared / "field").is_dir() else None, scratch, wanted)
    faults, answers, read = [], [], []
    for words, why in files.refused:
        print("refused:", *words, why)
    for path, meant in files.files:
        try:
            if form_of(path) != "npz":
                read.append((path, list(motions(files, path, meant))))
        except ValueError as fault:
            faults.append((path, "loopwright", str(fault)))
    if (folder / "node_modules/three").is_dir():
        answers += answered(three(read, files.before), scratch, "node", "gltf.mjs", NODE_PATH=str(folder / "node_modules"))
    else:
        print("passed over: three.js and the Khronos validator are not in", folder)
    for python_path in sorted(folder.glob("bpy*")):
        answers += answered(blender(read, files.before, python_path.name[3:]), scratch, "python3.11", "blender.py", PYTHONPATH=str(python_path))
    if not answers:
        sys.exit(77)

    rows = {}
    known = {path: answer["codes"] for path, program, answer in answers if program == "before"}
    for path, program, answer in answers:
        if program == "before":
            continue
        forms, row = rows.setdefault(program, (set(), [0, 0, 0, 0.0]))
        forms.add(form_of(path))
        if "codes" in answer:
            row[0] += 1
            more = {code: count for code, count in answer["codes"].items() if count > known.get(files.before[path], {}).get(code, 0)}
            if more:
                faults.append((path, program, json.dumps(more)))
        elif answer.get("before_fails"):
            print(f"passed over: {path.name}: {program} cannot read {files.before[path]} either: {answer['error']}")
        elif "error" in answer:
            faults.append((path, program, answer["error"]))
        elif not answer["places"]:
            faults.append((path, program, "no joint was found"))
        else:
            off_mm = 1e3 * answer["worst"]
            row[:] = row[0] + 1, row[1] + answer["places"], row[2] + answer.get("missing", 0), max(row[3], off_mm)
            if not off_mm <= MOST_MM:
                faults.append((path, program, f"{off_mm:.4g} mm {answer.get('worst_joint', '')} {answer.get('worst_key', '')}"))
    print("| program | formats | files | places of joints | joints not found or left out | worst, mm |\n| --- | --- | --- | --- | --- | --- |")
    for program, (forms, (count, places, missing, worst)) in sorted(rows.items()):
        print(f"| {program} | {', '.join(sorted(forms))} | {count} | {places} | {missing} | {worst:.2g} |")
    for path, program, fault in faults:
        print(f"fault: {path.name}: {program}: {fault}")
    print(f"{len(read)} files, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
