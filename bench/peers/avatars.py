# Writes VRM animations and plays them by three-vrm on VRM characters of both versions, which are made here by what their formats state.
#
#   npm install --prefix FOLDER three gltf-validator @pixiv/three-vrm @pixiv/three-vrm-animation
#   python bench/peers/avatars.py LOOPWRIGHT SHARED SCRATCH FOLDER
#
# Where a joint is meant to be comes from the same motion written as NPZ. The characters rest in the body of a synthetic walk, their joints turned
# at random and without names, so that only their map of bones says what is what. Each motion is also checked by what its format demands, and
# by the Khronos validator; so are captured takes of SHARED, the folder with them, that have no rest pose which stands. Prints a row for each file and each fault; status 1 for faults, 77 where the programs are not there.

import json
import math
import os
import random
import re
import struct
import sys

from clients import Gltf, ask_node, read_npz, run, write_glb

MOST_MM = 0.1

SIDED = {
    "UpLeg": "UpperLeg",
    "Leg": "LowerLeg",
    "Foot": "Foot",
    "ToeBase": "Toes",
    "Shoulder": "Shoulder",
    "Arm": "UpperArm",
    "ForeArm": "LowerArm",
    "Hand": "Hand",
    "HandIndex1": "IndexProximal",
}
BONES = {"Hips": "hips", "Spine": "spine", "Spine1": "chest", "Spine2": "upperChest", "Neck": "neck", "Head": "head"}
BONES |= {side + joint: side.lower() + bone for side in ["Left", "Right"] for joint, bone in SIDED.items()}

FINGERS = ["ThumbMetacarpal", "ThumbProximal", "ThumbDistal"]
FINGERS += [finger + bone for finger in ["Index", "Middle", "Ring", "Little"] for bone in ["Proximal", "Intermediate", "Distal"]]
LIMBS = ["Shoulder", "UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot", "Toes", *FINGERS]
KNOWN = {*BONES.values(), "jaw", *(side + bone for side in ["left", "right"] for bone in LIMBS)}
# Captured bodies whose rest pose is none, in frames in which they run.
CAPTURED = ["bandai-namco/dataset-1_dash_normal_001.bvh", "bandai-namco/dataset-2_run_normal_020.bvh", "ozz-pab/run.fbx", "ozz-pab/walk.fbx"]
MOST_DEGREES = 10

NEEDED = {"hips", "spine", "head"} | {
    side + bone for side in ["left", "right"] for bone in ["UpperArm", "LowerArm", "Hand", "UpperLeg", "LowerLeg", "Foot"]
}


def multiplied(p, q):
    (a, b, c, d), (e, f, g, h) = p, q
    return [d * e + a * h + b * g - c * f, d * f - a * g + b * h + c * e, d * g + a * f - b * e + c * h, d * h - a * e - b * f - c * g]


def conjugate(q):
    return [-q[0], -q[1], -q[2], q[3]]


def turned(q, v):
    return multiplied(multiplied(q, [*v, 0.0]), conjugate(q))[:3]


def avatar(body, path, version, seed=None):
    """A character of that version of VRM with the body of a GLB; with a seed its joints rest turned and have no names."""
    gltf = Gltf(body)
    document, binary = gltf.json, bytearray(gltf.buffers[0])
    skin = document["skins"][0]
    joints, dice = skin["joints"], random.Random(seed)
    bones = {node: BONES[gltf.names[node]] for node in joints}
    # Those of version 0 face the other way.
    face = [0.0, 1.0, 0.0, 0.0] if version == 0 else [0.0, 0.0, 0.0, 1.0]
    world = {}
    for node in joints:
        above, place = world.get(gltf.parents.get(node), ([0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0]))
        offset = turned(face, document["nodes"][node]["translation"])
        turn = [dice.gauss(0, 1) for _ in range(4)] if seed else [0.0, 0.0, 0.0, 1.0]
        turn = [value / math.sqrt(sum(each * each for each in turn)) for value in turn]
        place = [one + other for one, other in zip(place, offset)]
        world[node] = turn, place
        document["nodes"][node]["rotation"] = multiplied(conjugate(above), turn)
        document["nodes"][node]["translation"] = turned(conjugate(above), offset)
        if seed:
            document["nodes"][node]["name"] = f"J_{node:02}"
    view = document["bufferViews"][document["accessors"][skin["inverseBindMatrices"]]["bufferView"]]
    for index, node in enumerate(joints):
        turn, place = world[node]
        columns = [turned(conjugate(turn), turned(face, axis)) for axis in [(1, 0, 0), (0, 1, 0), (0, 0, 1)]]
        columns.append(turned(conjugate(turn), [-value for value in place]))
        rows = [value for column, last in zip(columns, [0, 0, 0, 1]) for value in (*column, last)]
        struct.pack_into("<16f", binary, view.get("byteOffset", 0) + 64 * index, *rows)
    document.pop("animations", None)
    if version == 1:
        name, stated = "VRMC_vrm", {
            "specVersion": "1.0",
            "meta": {"name": "body", "authors": ["nobody"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {bone: {"node": node} for node, bone in bones.items()}},
            "expressions": {"preset": {"aa": {}, "blink": {}}, "custom": {"wink": {}}},
            "lookAt": {"type": "expression", "offsetFromHeadBone": [0, 0.06, 0], **ranges()},
        }
    else:
        name, stated = "VRM", {
            "specVersion": "0.0",
            "exporterVersion": "0",
            "meta": {"title": "body", "author": "nobody"},
            "humanoid": {"humanBones": [{"bone": bone, "node": node} for node, bone in bones.items() if bone != "jaw"]},
            "blendShapeMaster": {"blendShapeGroups": [{"name": "A", "presetName": "a"}]},
        }
    document["extensions"], document["extensionsUsed"] = {name: stated}, [name]
    write_glb(path, document, bytes(binary))
    return bones


def ranges():
    kinds = ["HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp"]
    return {f"rangeMap{kind}": {"inputMaxValue": 90, "outputScale": 1} for kind in kinds}


def with_face(path, out):
    """A motion with two expressions and a gaze beside it."""
    gltf = Gltf(path)
    document, binary = gltf.json, bytearray(gltf.buffers[0])
    animation = document["animations"][0]
    times = [row[0] for row in gltf.accessor(animation["samplers"][0]["input"])]

    def accessor(rows, kind):
        at = len(binary)
        binary.extend(b"".join(struct.pack(f"<{len(row)}f", *row) for row in rows))
        document["bufferViews"].append({"buffer": 0, "byteOffset": at, "byteLength": len(binary) - at})
        document["accessors"].append({"bufferView": len(document["bufferViews"]) - 1, "componentType": 5126, "type": kind, "count": len(rows)})
        return len(document["accessors"]) - 1

    def moved(name, path, rows, kind):
        document["nodes"].append({"name": name})
        node = len(document["nodes"]) - 1
        document["scenes"][0]["nodes"].append(node)
        animation["samplers"].append({"input": animation["samplers"][0]["input"], "output": accessor(rows, kind)})
        animation["channels"].append({"sampler": len(animation["samplers"]) - 1, "target": {"node": node, "path": path}})
        return node

    weights = [[0.5 - 0.5 * math.cos(2.1 * time), 0, 0] for time in times]
    mouth = moved("aa", "translation", weights, "VEC3")
    wink = moved("wink", "translation", [[1 - row[0], 0, 0] for row in weights], "VEC3")
    yaws = [0.4 * math.sin(1.7 * time) for time in times]
    gaze = moved("gaze", "rotation", [[0, math.sin(yaw / 2), 0, math.cos(yaw / 2)] for yaw in yaws], "VEC4")
    document["buffers"][0]["byteLength"] = len(binary)
    stated = document["extensions"]["VRMC_vrm_animation"]
    stated["expressions"] = {"preset": {"aa": {"node": mouth}}, "custom": {"wink": {"node": wink}}}
    stated["lookAt"] = {"node": gaze}
    write_glb(out, document, bytes(binary))


def demands(path):
    """Yields the demands of the format that a motion does not keep."""
    gltf = Gltf(path)
    stated = gltf.json["extensions"]["VRMC_vrm_animation"]
    assert "VRMC_vrm_animation" in gltf.json["extensionsUsed"] and stated["specVersion"] == "1.0"
    bones = {bone: found["node"] for bone, found in stated["humanoid"]["humanBones"].items()}
    if bones.keys() - KNOWN or NEEDED - bones.keys():
        yield f"bones: unknown {bones.keys() - KNOWN}, missing {NEEDED - bones.keys()}"
    if len({*bones.values()}) != len(bones) or not all(node in range(len(gltf.nodes)) for node in bones.values()):
        yield "two bones are one node, or none"
    if len(gltf.json["animations"]) != 1:
        yield f"{len(gltf.json['animations'])} animations"
    beside = [each["node"] for kind in stated.get("expressions", {}).values() for each in kind.values()]
    gaze = [stated["lookAt"]["node"]] if "lookAt" in stated else []
    for channel in gltf.json["animations"][0]["channels"]:
        node, path = channel["target"]["node"], channel["target"]["path"]
        allowed = {"rotation"} if node in [*bones.values(), *gaze] else {"translation"} if node in beside else set()
        if node == bones["hips"]:
            allowed.add("translation")
        if path not in allowed:
            yield f"{path} of {gltf.names[node]} is animated"
    # The T-pose: upright, legs down, arms aside, toes ahead, soles on the ground.
    places = gltf.places()
    at = {bone: places[node] for bone, node in bones.items()}

    def off(one, other, way, is_level=False):
        along = [0 if is_level and axis == 1 else q - p for axis, (p, q) in enumerate(zip(at[one], at[other]))]
        return math.degrees(math.acos(min(1.0, sum(a * b for a, b in zip(along, way)) / math.hypot(*along))))

    turned_off = {"trunk": off("hips", "head", (0, 1, 0)), "legs": off("rightUpperLeg", "leftUpperLeg", (1, 0, 0))}
    turned_off["shoulders"] = off("rightUpperArm", "leftUpperArm", (1, 0, 0), is_level=True)
    for side, sign in [("left", 1), ("right", -1)]:
        for upper, lower, way in [("UpperArm", "LowerArm", (sign, 0, 0)), ("LowerArm", "Hand", (sign, 0, 0)), ("UpperLeg", "LowerLeg", (0, -1, 0)), ("LowerLeg", "Foot", (0, -1, 0))]:
            turned_off[side + upper] = off(side + upper, side + lower, way)
        if side + "Toes" in at:
            turned_off[side + "Foot"] = off(side + "Foot", side + "Toes", (0, 0, 1), is_level=True)
    for bone, degrees in turned_off.items():
        if degrees > MOST_DEGREES:
            yield f"{bone}: {degrees:.0f} degrees off the T-pose"
    ankle = min(at["leftFoot"][1], at["rightFoot"][1])
    legs = at["leftUpperLeg"][1] - at["leftFoot"][1]
    if not 0.05 * legs < ankle < 0.2 * legs:
        yield f"ankles rest at {ankle:.3f} m, of legs of {legs:.3f} m"


def main(command, shared, scratch, folder):
    if not os.path.isdir(os.path.join(folder, "node_modules", "@pixiv", "three-vrm-animation")):
        print("three-vrm is not in", folder)
        sys.exit(77)
    os.makedirs(scratch, exist_ok=True)
    at = lambda name: os.path.join(scratch, name)
    faults = []

    def loopwright(*words):
        status, out, complaint = run(command, *words)
        if status:
            faults.append((" ".join(words), complaint))
        return out, complaint

    loopwright("-q", "synth", "--seconds", "8", "--turn-rate", "12", "-o", at("walk.bvh"), "-f")
    loopwright("-q", "synth", "--seconds", "8", "--speed", "2", "-o", at("run.bvh"), "-f")
    loopwright("-q", "convert", at("walk.bvh"), at("body.glb"), "-f")
    avatars = {}
    for name, version, seed in [("plain", 1, None), ("new", 1, 5), ("old", 0, 7)]:
        bones = avatar(at("body.glb"), at(name + ".vrm"), version, seed)
        named = {bone: (f"J_{node:02}" if seed else Gltf(at("body.glb")).names[node]) for node, bone in bones.items()}
        avatars[name] = named, version == 0

    asked = []

    def ask(name, words, hero, meant=None):
        """A motion that the words write, on a character, against the same as NPZ."""
        out, npz = at(name + ".vrma"), at((meant or name) + ".npz")
        for path in [out] if meant else [out, npz]:
            loopwright("-q", *([*words[:2], path, *words[2:], "-f"] if words[0] == "convert" else [*words, "-o", path, "-f"]))
        if os.path.exists(out):
            asked.append((name, hero, out, npz))

    for root in [[], ["--root-motion", "in-place"], ["--root-motion", "inertialized"], ["--root-motion", "path"], ["--symmetric"]]:
        ask("of-body" + "".join(root[-1:]), ["make", at("walk.bvh"), *root], "plain")
    ask("take", ["convert", at("walk.bvh")], "plain")
    ask("of-motion", ["make", at("take.vrma")], "plain")
    ask("of-loop", ["convert", at("of-body.vrma")], "plain")
    for hero in ["new", "old"]:
        ask("on-" + hero, ["retarget", at("run.bvh"), "--rig", at(hero + ".vrm")], hero)
        ask("loop-on-" + hero, ["make", at("walk.bvh"), "--rig", at(hero + ".vrm")], hero)
        ask("motion-on-" + hero, ["retarget", at("of-body.vrma"), "--rig", at(hero + ".vrm")], hero)
    with_face(at("take.vrma"), at("face.vrma"))
    ask("of-face", ["make", at("face.vrma")], "plain")

    questions = []
    for _, hero, out, npz in asked:
        _, keys, rate = read_npz(npz)
        questions.append({"avatar": at(hero + ".vrm"), "motion": out, "secs": [key / rate for key in range(len(keys))]})
    json.dump(questions, open(at("questions.json"), "w"))
    json.dump([{"what": "valid", "file": out} for _, _, out, _ in asked], open(at("valid.json"), "w"))

    def answers(script, questions):
        done = ask_node(folder, script, questions)
        found = [json.loads(line) for line in done.stdout.split("\n") if line.startswith("{")]
        return found + [{"error": done.stderr[-600:]}] * (len(asked) - len(found))

    print("| file | on | keys | bones | worst, mm | complaints |\n| --- | --- | --- | --- | --- | --- |")
    for (name, hero, out, npz), shown, valid in zip(asked, answers("avatars.mjs", at("questions.json")), answers("gltf.mjs", at("valid.json"))):
        if "error" in shown or valid.get("errors", 1):
            faults.append((name, shown.get("error", json.dumps(valid))))
            continue
        named, is_old = avatars[hero]
        joints, keys, _ = read_npz(npz)
        sign = -1 if is_old else 1
        worst, count, key_of = 0.0, 0, {joint: index for index, joint in enumerate(joints)}
        for places, meant in zip(shown["places"], keys):
            for bone, (x, y, z) in zip(shown["bones"], places):
                index = key_of.get(named[bone])
                if index is not None:
                    count += 1
                    # Players turn characters of version 0 about, and leaves the motion behind them.
                    worst = max(worst, math.dist([sign * x, y, sign * z], meant[index]))
        print(f"| {name} | {hero} | {len(keys)} | {count // max(len(keys), 1)} | {1e3 * worst:.4f} | {len(shown['warnings'])} |")
        if not (1e3 * worst <= MOST_MM and count >= 15 * len(keys)):
            faults.append((name, f"{1e3 * worst:.3f} mm, {count} places"))
        complaints = [each for each in shown["warnings"] if "createVRMAnimationClip" not in each]
        faults.extend((name, each) for each in [*complaints, *demands(out)])
        if name == "of-face":
            face, gaze = shown["expressions"], [turn[0] for turn in shown["gaze"]]
            for expression in ["aa", "wink"]:
                weights = [each[expression] for each in face]
                steps = [abs(q - p) for p, q in zip(weights, weights[1:])]
                if abs(weights[0] - weights[-1]) > 1e-5 or max(weights) - min(weights) < 0.1 or max(steps) > 0.15:
                    faults.append((name, f"{expression} does not loop: {weights[0]} to {weights[-1]}"))
            if abs(gaze[0] - gaze[-1]) > 1e-3 or max(gaze) - min(gaze) < 5:
                faults.append((name, f"the gaze does not loop: {gaze[0]} to {gaze[-1]} degrees"))
    for take in CAPTURED:
        path, out = os.path.join(shared, "mocap", take), at(os.path.basename(take) + ".vrma")
        if os.path.exists(path):
            loopwright("-q", "convert", path, out, "-f")
            faults.extend((take, each) for each in demands(out))
    for name, fault in faults:
        print(f"fault: {name}: {fault}")
    print(f"{len(asked)} files, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
