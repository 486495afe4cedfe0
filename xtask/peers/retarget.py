# Compares where Blender has the joints of motions on characters with where loopwright's own reader has them.
#
#   apt-get install blender python3-numpy        (3.4 was used; or pip install bpy, 4.5 was used)
#   loopwright retarget walk-loop.bvh --rig hero.glb -o hero-walk.glb
#   blender -b -noaudio -P xtask/peers/retarget.py -- hero-walk.glb hero-walk.fbx ...
#   python xtask/peers/retarget.py -- hero-walk.glb hero-walk.fbx ...
#
# Files are GLB, glTF, FBX or BVH. FILE:ANIMATION names an animation; by default it is the last of the file, where loops are written.
# The reference is what `loopwright convert` makes of the same animation; LOOPWRIGHT in the environment is the path of that program.
#
# All joints are compared at all keys. A line of JSON per file: the number of joints, of keys and of positions; the median and worst
# distance in micrometres, with joint and key; the largest angle in degrees between the turns of a joint from the first key on, in which
# the axes that Blender gives its bones do not count; how far apart the two lengths of the motion are; joints that Blender does not have.

import json
import os
import re
import struct
import subprocess
import sys
import tempfile

import bpy
import numpy
from io_anim_bvh import import_bvh
from mathutils import Matrix

# Debian's 3.4 runs on a newer Python than it was made for. Its importer of glTF asks for a name that numpy has dropped, its
# importer of BVH for a way to open files that Python has.
if "bool" not in numpy.__dict__:
    numpy.bool = bool
import_bvh.open = lambda path, mode="r", **others: open(path, mode.replace("U", ""), encoding="utf-8")

LOOPWRIGHT = os.environ.get("LOOPWRIGHT", "loopwright")
# Takes are Y up, Blender's scenes Z up.
TO_BLENDER = numpy.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def turns(axis, degrees):
    c, s = numpy.cos(numpy.radians(degrees)), numpy.sin(numpy.radians(degrees))
    o, l = numpy.zeros_like(c), numpy.ones_like(c)
    rows = {"X": [l, o, o, o, c, -s, o, s, c], "Y": [c, o, s, o, l, o, -s, o, c], "Z": [c, -s, o, s, c, o, o, o, l]}
    return numpy.stack(rows[axis], axis=-1).reshape(-1, 3, 3)


class Bvh:
    """Joints of a BVH file: positions and rotations at all keys by name, in the file's unit."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        joints, above = [], []
        for at, line in enumerate(lines):
            words = line.split()
            if words[0] in ("ROOT", "JOINT", "End"):
                name = None if words[0] == "End" else " ".join(words[1:])
                joints.append({"name": name, "parent": above[-1] if above else None, "channels": []})
            elif words[0] == "{":
                above.append(len(joints) - 1)
            elif words[0] == "}":
                above.pop()
            elif words[0] == "OFFSET":
                joints[-1]["offset"] = numpy.array([float(word) for word in words[1:]])
            elif words[0] == "CHANNELS":
                joints[-1]["channels"] = words[2:]
            elif words[0] == "MOTION":
                break
        self.step_secs = float(lines[at + 2].split()[2])
        values = numpy.array([[float(word) for word in line.split()] for line in lines[at + 3 :] if line])
        self.num_keys = len(values)
        self.bones = sum(numpy.linalg.norm(joint["offset"]) for joint in joints[1:] if joint["name"])
        self.joints, worlds, columns = {}, [], iter(values.T)
        for joint in joints:
            position = numpy.tile(joint["offset"], (self.num_keys, 1))
            rotation = numpy.tile(numpy.eye(3), (self.num_keys, 1, 1))
            for channel in joint["channels"]:
                if channel.endswith("position"):
                    position[:, "XYZ".index(channel[0])] = next(columns)
                else:
                    rotation = rotation @ turns(channel[0], next(columns))
            if joint["parent"] is not None:
                above_position, above_rotation = worlds[joint["parent"]]
                position = above_position + (above_rotation @ position[:, :, None])[:, :, 0]
                rotation = above_rotation @ rotation
            worlds.append((position, rotation))
            if joint["name"] is not None:
                self.joints[joint["name"]] = (position, rotation)


def run(*arguments):
    return subprocess.run([LOOPWRIGHT, *arguments], check=True, capture_output=True, text=True).stdout


def reference(path, animation, folder):
    """What loopwright's reader makes of a file: in centimetres, Y up."""
    named = [] if animation is None else ["--animation", animation]
    # From BVH to BVH axes and unit stay those of the file.
    if path.endswith(".bvh"):
        run("convert", path, f"{folder}/take.glb", "-f")
        path, named = f"{folder}/take.glb", []
    run("convert", path, f"{folder}/take.bvh", "-f", *named)
    return Bvh(f"{folder}/take.bvh")


def without_animations(path, folder):
    """A copy of a glTF file whose nodes stand as it has them."""
    with open(path, "rb") as file:
        data = file.read()
    binary = data[:4] == b"glTF"
    length = struct.unpack("<I", data[12:16])[0] if binary else len(data)
    document = json.loads(data[20 : 20 + length] if binary else data)
    document.pop("animations", None)
    text = json.dumps(document).encode()
    copy = os.path.join(folder, "still" + os.path.splitext(path)[1])
    if binary:
        text += b" " * (-len(text) % 4)
        rest = data[20 + length :]
        text = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest
    with open(copy, "wb") as file:
        file.write(text)
    return copy


def load(path, unit_metres, still):
    """Imports a file into an empty scene, with its animations or still."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    if path.endswith(".bvh"):
        bpy.ops.import_anim.bvh(filepath=path, global_scale=unit_metres, update_scene_fps=True, rotate_mode="NATIVE")
    elif path.endswith(".fbx"):
        # Properties of users say nothing here, and 3.4 stops at those of some exporters.
        bpy.ops.import_scene.fbx(filepath=path, use_anim=not still, use_custom_props=False)
    else:
        # With 4.5's other default, meshes that hang from bones without weights are off, in the character's own file too.
        bpy.ops.import_scene.gltf(filepath=path, bone_heuristic="TEMPERANCE")


def load_playing(path, animation, unit_metres, folder):
    """Imports a file and has it play an animation; that one's first frame and last."""
    still = {}
    if not path.endswith(".bvh"):
        load(path if path.endswith(".fbx") else without_animations(path, folder), unit_metres, True)
        still = poses()
    load(path, unit_metres, False)
    return play(animation, still)


def last_animation(path):
    """The name of the last animation of a file, where loops are written."""
    return None if path.endswith(".bvh") else json.loads(run("list", "--json", path))["files"][0]["animations"][-1]["name"]


def poses():
    found = {}
    for thing in bpy.data.objects:
        found[thing.name, None] = thing.matrix_basis.copy()
        for bone in thing.pose.bones if thing.type == "ARMATURE" else []:
            found[thing.name, bone.name] = bone.matrix_basis.copy()
    return found


def play(animation, still):
    """Has all objects play that animation from the pose of a file without one; its first key and its last."""
    spans = []
    for thing in bpy.data.objects:
        data = thing.animation_data
        chosen = slot = None
        if data is not None:
            for track in data.nla_tracks:
                track.mute = True
                if track.name == animation:
                    chosen, slot = track.strips[0].action, getattr(track.strips[0], "action_slot", None)
            # FBX: object, animation and layer with bars between them, cut at 63 bytes.
            for action in bpy.data.actions:
                if f"{action.name}|".startswith(f"{thing.name}|{animation}|"):
                    chosen, slot = action, (list(getattr(action, "slots", [])) or [None])[0]
            if animation is None:
                chosen = data.action
            elif data.action is not chosen:
                data.action = None
        if (thing.name, None) in still:
            thing.matrix_basis = still[thing.name, None]
        for bone in thing.pose.bones if thing.type == "ARMATURE" else []:
            bone.matrix_basis = still.get((thing.name, bone.name), Matrix())
        if chosen is not None:
            data.action = chosen
            if slot is not None:
                data.action_slot = slot
            spans.extend(chosen.frame_range)
    return min(spans), max(spans)


def blender_name(name, names):
    """How a joint is called in Blender: nodes without a name have numbers there, and BVH has no spaces in names."""
    return next((other for other in (name, re.sub(r"^node(\d+)$", r"Node_\1", name), name.replace(" ", "_")) if other in names), None)


def compare(path, animation):
    animation = animation or last_animation(path)
    with tempfile.TemporaryDirectory() as folder:
        bvh = reference(path, animation, folder)
        # BVH states no unit.
        unit_metres = 0.01 * bvh.bones / Bvh(path).bones if path.endswith(".bvh") else 1.0
        first, last = load_playing(path, animation, unit_metres, folder)
    # Skins take time and say nothing here.
    for skin in [thing for thing in bpy.data.objects if thing.type == "MESH" and not thing.children]:
        if skin.find_armature():
            bpy.data.objects.remove(skin)
    scene = bpy.context.scene
    # The importer of BVH has a key at each frame; the others have times, at the whole number of the scene's rate.
    step = 1.0 if path.endswith(".bvh") else bvh.step_secs * scene.render.fps
    finders = {}
    for thing in bpy.data.objects:
        finders[thing.name] = (thing, None)
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            finders.update({bone.name: (thing, bone) for bone in thing.pose.bones})
    pairs = {name: finders[blender_name(name, finders)] for name in bvh.joints if blender_name(name, finders)}
    found = {name: [] for name in pairs}
    for key in range(bvh.num_keys):
        at = first + key * step
        scene.frame_set(int(at), subframe=at - int(at))
        for name, (thing, bone) in pairs.items():
            world = thing.matrix_world if bone is None else thing.matrix_world @ bone.matrix
            turn = world.to_3x3().normalized().to_quaternion().to_matrix()
            found[name].append((tuple(world.translation), [tuple(row) for row in turn]))
    names, distances, angles = list(pairs), [], []
    for name in names:
        positions, rotations = bvh.joints[name]
        here = numpy.array([position for position, _ in found[name]])
        distances.append(1e6 * numpy.linalg.norm(here - 0.01 * positions @ TO_BLENDER.T, axis=1))
        here = numpy.array([rotation for _, rotation in found[name]])
        wanted = TO_BLENDER @ (rotations @ rotations[0].T) @ TO_BLENDER.T
        chords = numpy.linalg.norm(here @ here[0].T - wanted, axis=(1, 2)) / 8**0.5
        angles.append(numpy.degrees(2 * numpy.arcsin(numpy.minimum(chords, 1))))
    distances, angles = numpy.array(distances), numpy.array(angles)
    joint, key = numpy.unravel_index(distances.argmax(), distances.shape)
    turned = numpy.unravel_index(angles.argmax(), angles.shape)
    return {
        "joints": len(names),
        "keys": bvh.num_keys,
        "positions": distances.size,
        "median_um": round(float(numpy.median(distances)), 2),
        "worst_um": round(float(distances.max()), 2),
        "worst_at": [names[joint], int(key)],
        "angle_deg": round(float(angles.max()), 5),
        "angle_at": [names[turned[0]], int(turned[1])],
        "length_differs_ms": round(1e3 * abs((last - first) / step - bvh.num_keys + 1) * bvh.step_secs, 3),
        "missing": sorted(bvh.joints.keys() - pairs.keys()),
    }


def main():
    for question in sys.argv[sys.argv.index("--") + 1 :]:
        path, _, animation = question.partition(":")
        try:
            answer = compare(path, animation or None)
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"[-300:]}
        print(json.dumps({"file": path, "blender": bpy.app.version_string, **answer}, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
