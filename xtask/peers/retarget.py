# Compares where Blender has the joints of loops on characters with where loopwright's own reader has them.
#
#   apt-get install blender python3-numpy        (3.4 was used)
#   loopwright make walk.bvh --rig hero.glb -o hero-walk.glb
#   loopwright convert hero-walk.glb hero-walk.bvh --animation walk-loop
#   blender -b -noaudio -P xtask/peers/retarget.py -- hero-walk.glb:walk-loop ...
#
# Each argument is a GLB file and the animation in it; the BVH file of the same stem beside it, in centimetres, says where the joints are.
# Compared are joints that the animation keys, at about 15 frames. An answer is a line: file, positions, median and worst distance in micrometres,
# and the joint and frame that are worst. Control bones are left out.

import math
import sys

import bpy
import numpy

# Debian's Python is newer than the one that its Blender was made for.
if "bool" not in numpy.__dict__:
    numpy.bool = bool

RATE_HZ = 24
CONTROLS = ("pole", "ik", "control", "ctrl")


def turn(axis, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    rows = {
        "X": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }
    return numpy.array(rows[axis])


class Bvh:
    """Joints of a BVH file: their places by name, in metres."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.joints, above, latest = [], [], None
        for at, line in enumerate(lines):
            words = line.split()
            if words[0] in ("ROOT", "JOINT", "End"):
                name = None if words[0] == "End" else " ".join(words[1:])
                latest = {"name": name, "parent": above[-1] if above else None, "channels": []}
                self.joints.append(latest)
            elif words[0] == "{":
                above.append(len(self.joints) - 1)
            elif words[0] == "}":
                above.pop()
            elif words[0] == "OFFSET":
                latest["offset"] = numpy.array([float(word) for word in words[1:]])
            elif words[0] == "CHANNELS":
                latest["channels"] = words[2:]
            elif words[0] == "MOTION":
                break
        self.step_secs = float(lines[at + 2].split()[2])
        self.frames = [[float(word) for word in line.split()] for line in lines[at + 3 :] if line]

    def places(self, frame):
        values, worlds, places = iter(self.frames[frame]), [], {}
        for joint in self.joints:
            place, rotation = joint["offset"].copy(), numpy.eye(3)
            for channel in joint["channels"]:
                if channel.endswith("position"):
                    place["XYZ".index(channel[0])] = next(values)
                else:
                    rotation = rotation @ turn(channel[0], next(values))
            if joint["parent"] is not None:
                above_rotation, above_place = worlds[joint["parent"]]
                rotation, place = above_rotation @ rotation, above_place + above_rotation @ place
            worlds.append((rotation, place))
            places[joint["name"]] = 0.01 * place
        return places


def play(animation):
    """Has all objects play that animation from their rest alone; the bones and objects that it keys."""
    keyed = set()
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            for bone in thing.pose.bones:
                bone.matrix_basis.identity()
        data = thing.animation_data
        if data is None:
            continue
        data.action = None
        for track in data.nla_tracks:
            track.mute = True
            if track.name != animation:
                continue
            data.action = track.strips[0].action
            for curve in data.action.fcurves:
                is_bone = curve.data_path.startswith('pose.bones["')
                keyed.add(curve.data_path.split('"')[1] if is_bone else thing.name)
    return {name for name in keyed if not any(word in name.lower() for word in CONTROLS)}


def compare(path, animation):
    bvh = Bvh(path.rsplit(".", 1)[0] + ".bvh")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE_HZ
    bpy.ops.import_scene.gltf(filepath=path)
    keyed = play(animation)
    for skin in [thing for thing in bpy.data.objects if thing.type == "MESH" and not thing.children]:
        bpy.data.objects.remove(skin)
    distances, worst = [], (0.0, None, None)
    count = len(bvh.frames)
    for frame in range(0, count, max(1, count // 14)):
        at = frame * bvh.step_secs * RATE_HZ
        bpy.context.scene.frame_set(int(at), subframe=at - int(at))
        wanted, found = bvh.places(frame), {}
        for thing in bpy.data.objects:
            found[thing.name] = thing.matrix_world.translation
            if thing.type == "ARMATURE":
                found.update({bone.name: thing.matrix_world @ bone.head for bone in thing.pose.bones})
        for name in sorted(keyed & wanted.keys() & found.keys()):
            x, y, z = wanted[name]
            distances.append(1e6 * math.dist(found[name], (x, -z, y)))
            if distances[-1] > worst[0]:
                worst = (distances[-1], name, frame)
    distances.sort()
    if not distances:
        return "no joints of one name"
    return f"{len(distances)} positions, median {distances[len(distances) // 2]:.2f}, worst {worst[0]:.2f} um at {worst[1:]}"


for question in sys.argv[sys.argv.index("--") + 1 :]:
    path, animation = question.rsplit(":", 1)
    print("\n" + path, compare(path, animation), flush=True)
