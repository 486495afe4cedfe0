# Writes VRM animations and plays them by three-vrm on VRM characters of both versions, which are made here by what their formats state.
#
#   pip install numpy
#   npm install --prefix FOLDER three gltf-validator @pixiv/three-vrm @pixiv/three-vrm-animation
#   python bench/peers/avatars.py LOOPWRIGHT SHARED SCRATCH FOLDER
#
# Where a joint is meant to be comes from the same motion written as NPZ. The characters rest in the body of a synthetic walk, their joints turned
# at random and without names, so that only their map of bones says what is what. Each motion is also checked by what its format demands, and
# by the Khronos validator; so are captured takes of SHARED, the folder with them, that have no rest pose which stands. Prints a row for each file and each fault; status 1 for faults, 77 where the programs are not there.

import sys
from pathlib import Path

import numpy as np

from clients import answered, read_npz, run, to
from gltf import Gltf
from set_player import NONE, q_back, q_mul, q_turn

MOST_MM = 0.1

# Joints of the walk, and the bones that they are.
MIDDLE = {"Hips": "hips", "Spine": "spine", "Spine1": "chest", "Spine2": "upperChest", "Neck": "neck", "Head": "head"}
SIDED = "UpLeg Leg Foot ToeBase Shoulder Arm ForeArm Hand HandIndex1"
SIDED_BONES = "UpperLeg LowerLeg Foot Toes Shoulder UpperArm LowerArm Hand IndexProximal"
FINGERS = "ThumbMetacarpal ThumbProximal ThumbDistal " + " ".join(
    finger + bone for finger in "Index Middle Ring Little".split() for bone in "Proximal Intermediate Distal".split()
)


def both(bones):
    return [side + bone for side in ("left", "right") for bone in bones.split()]


BONES = MIDDLE | dict(zip((side + joint for side in ("Left", "Right") for joint in SIDED.split()), both(SIDED_BONES)))
KNOWN = {*BONES.values(), "jaw", *both(FINGERS)}
NEEDED = {"hips", "spine", "head", *both("UpperArm LowerArm Hand UpperLeg LowerLeg Foot")}
# The T-pose: from bone to bone along X, Y and Z. What is level may slope.
T_POSE = """
hips          head          0 1 0
rightUpperLeg leftUpperLeg  1 0 0
rightUpperArm leftUpperArm  1 0 0 level
leftUpperArm  leftLowerArm  1 0 0
leftLowerArm  leftHand      1 0 0
rightUpperArm rightLowerArm -1 0 0
rightLowerArm rightHand     -1 0 0
leftUpperLeg  leftLowerLeg  0 -1 0
leftLowerLeg  leftFoot      0 -1 0
rightUpperLeg rightLowerLeg 0 -1 0
rightLowerLeg rightFoot     0 -1 0
leftFoot      leftToes      0 0 1 level
rightFoot     rightToes     0 0 1 level
"""
# Captured bodies whose rest pose is none, in frames in which they run.
CAPTURED = ["bandai-namco/dataset-1_dash_normal_001.bvh", "bandai-namco/dataset-2_run_normal_020.bvh", "ozz-pab/run.fbx", "ozz-pab/walk.fbx"]
MOST_DEGREES = 10


def avatar(body, path, version, seed=None):
    """A character of that version of VRM with the body of a GLB; with a seed its joints rest turned and have no names. Its bones by their nodes."""
    gltf = Gltf.read(body)
    nodes, parents, skin = gltf.json["nodes"], gltf.parents, gltf.json["skins"][0]
    bones = {node: BONES[gltf.names[node]] for node in skin["joints"]}
    dice = np.random.default_rng(seed)
    # Those of version 0 face the other way.
    face = NONE if version else np.array([0.0, 1.0, 0.0, 0.0])
    world, binds = {}, []
    for index, node in enumerate(skin["joints"]):
        above, place = world.get(parents.get(node), (NONE, np.zeros(3)))
        offset = q_turn(face, np.array(nodes[node]["translation"]))
        turn = dice.normal(size=4) if seed else NONE
        turn, place = turn / np.linalg.norm(turn), place + offset
        world[node] = turn, place
        nodes[node] |= {"rotation": q_mul(q_back(above), turn).tolist(), "translation": q_turn(q_back(above), offset).tolist()}
        if seed:
            nodes[node]["name"] = f"J_{node:02}"
        # Columns of a matrix.
        axes = [[*q_turn(q_back(turn), q_turn(face, axis)), 0] for axis in np.eye(3)]
        binds.append(np.concatenate([*axes, [*q_turn(q_back(turn), -place), 1]]))
    skin["inverseBindMatrices"] = gltf.add(binds, "MAT4")
    gltf.json.pop("animations", None)
    if version == 1:
        kinds = ["HorizontalInner", "HorizontalOuter", "VerticalDown", "VerticalUp"]
        ranges = {f"rangeMap{kind}": {"inputMaxValue": 90, "outputScale": 1} for kind in kinds}
        name, stated = "VRMC_vrm", {
            "specVersion": "1.0",
            "meta": {"name": "body", "authors": ["nobody"], "licenseUrl": "https://vrm.dev/licenses/1.0/"},
            "humanoid": {"humanBones": {bone: {"node": node} for node, bone in bones.items()}},
            "expressions": {"preset": {"aa": {}, "blink": {}}, "custom": {"wink": {}}},
            "lookAt": {"type": "expression", "offsetFromHeadBone": [0, 0.06, 0], **ranges},
        }
    else:
        name, stated = "VRM", {
            "specVersion": "0.0",
            "exporterVersion": "0",
            "meta": {"title": "body", "author": "nobody"},
            "humanoid": {"humanBones": [{"bone": bone, "node": node} for node, bone in bones.items() if bone != "jaw"]},
            "blendShapeMaster": {"blendShapeGroups": [{"name": "A", "presetName": "a"}]},
        }
    gltf.json["extensions"], gltf.json["extensionsUsed"] = {name: stated}, [name]
    gltf.write(path)
    return {bone: gltf.names[node] for node, bone in bones.items()}


def with_face(path, out):
    """A motion with two expressions and a gaze beside it."""
    gltf = Gltf.read(path)
    document, animation = gltf.json, gltf.json["animations"][0]
    times = animation["samplers"][0]["input"]
    secs = gltf.accessor(times)[:, 0]

    def moved(name, path, rows, kind):
        node = len(document["nodes"])
        document["nodes"].append({"name": name})
        document["scenes"][0]["nodes"].append(node)
        animation["channels"].append({"sampler": len(animation["samplers"]), "target": {"node": node, "path": path}})
        animation["samplers"].append({"input": times, "output": gltf.add(np.stack(rows, -1), kind)})
        return {"node": node}

    weights, yaws, still = 0.5 - 0.5 * np.cos(2.1 * secs), 0.4 * np.sin(1.7 * secs), 0 * secs
    mouth = moved("aa", "translation", [weights, still, still], "VEC3")
    wink = moved("wink", "translation", [1 - weights, still, still], "VEC3")
    gaze = moved("gaze", "rotation", [still, np.sin(yaws / 2), still, np.cos(yaws / 2)], "VEC4")
    document["extensions"]["VRMC_vrm_animation"] |= {"expressions": {"preset": {"aa": mouth}, "custom": {"wink": wink}}, "lookAt": gaze}
    gltf.write(out)


def demands(path):
    """Yields the demands of the format that a motion does not keep."""
    gltf = Gltf.read(path)
    stated = gltf.json["extensions"]["VRMC_vrm_animation"]
    assert "VRMC_vrm_animation" in gltf.json["extensionsUsed"] and stated["specVersion"] == "1.0"
    bones = {bone: found["node"] for bone, found in stated["humanoid"]["humanBones"].items()}
    if bones.keys() - KNOWN or NEEDED - bones.keys():
        yield f"bones: unknown {bones.keys() - KNOWN}, missing {NEEDED - bones.keys()}"
    if len({*bones.values()}) != len(bones) or not all(node in range(len(gltf.names)) for node in bones.values()):
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
    places = gltf.places()
    at = {bone: places[node] for bone, node in bones.items()}
    for bone, other, *way in map(str.split, T_POSE.strip().split("\n")):
        if other not in at:
            continue
        along = (at[other] - at[bone]) * [1, "level" not in way, 1]
        degrees = np.degrees(np.arccos(min(1.0, along @ np.array(way[:3], float) / np.linalg.norm(along))))
        if degrees > MOST_DEGREES:
            yield f"{bone}: {degrees:.0f} degrees off the T-pose"
    ankle = min(at["leftFoot"][1], at["rightFoot"][1])
    legs = at["leftUpperLeg"][1] - at["leftFoot"][1]
    if not 0.05 * legs < ankle < 0.2 * legs:
        yield f"ankles rest at {ankle:.3f} m, of legs of {legs:.3f} m"


def compared(shown, bones, npz, is_old):
    """Metres that bones are off their joints at most, and how many places were compared."""
    joints, meant, _ = read_npz(npz)
    found = [(bone, joints.index(joint)) for bone, joint in enumerate(map(bones.get, shown["bones"])) if joint in joints]
    # Players turn characters of version 0 about, and leave the motion behind them.
    places = np.array(shown["places"]) * ([-1, 1, -1] if is_old else 1)
    off = np.linalg.norm(places[:, [bone for bone, _ in found]] - meant[:, [joint for _, joint in found]], axis=-1)
    return off.max(initial=0.0), off.size


def face_faults(shown):
    """Yields what does not loop of two expressions and a gaze."""
    for expression in ["aa", "wink"]:
        weights = np.array([each[expression] for each in shown["expressions"]])
        if abs(weights[0] - weights[-1]) > 1e-5 or np.ptp(weights) < 0.1 or np.abs(np.diff(weights)).max() > 0.15:
            yield f"{expression} does not loop: {weights[0]} to {weights[-1]}"
    gaze = [turn[0] for turn in shown["gaze"]]
    if abs(gaze[0] - gaze[-1]) > 1e-3 or np.ptp(gaze) < 5:
        yield f"the gaze does not loop: {gaze[0]} to {gaze[-1]} degrees"


def main(command, shared, scratch, folder):
    modules, scratch = Path(folder).absolute() / "node_modules", Path(scratch)
    if not (modules / "@pixiv/three-vrm-animation").is_dir():
        print("three-vrm is not in", folder)
        sys.exit(77)
    scratch.mkdir(parents=True, exist_ok=True)
    faults = []

    def loopwright(*words):
        status, _, complaint = run(command, "-q", *words)
        if status:
            faults.append((" ".join(map(str, words)), complaint))

    walk, fast, body = (scratch / name for name in ("walk.bvh", "run.bvh", "body.glb"))
    loopwright("synth", "--seconds", "8", "--turn-rate", "12", "-o", walk, "-f")
    loopwright("synth", "--seconds", "8", "--speed", "2", "-o", fast, "-f")
    loopwright("convert", walk, body, "-f")
    versions = {"plain": (1, None), "new": (1, 5), "old": (0, 7)}
    heroes = {name: avatar(body, scratch / f"{name}.vrm", *version) for name, version in versions.items()}
    # Motions that the words write, each with its hero, against the same as NPZ.
    asked = []

    def ask(name, words, hero="plain"):
        out = scratch / f"{name}.vrma"
        for path in (out, out.with_suffix(".npz")):
            loopwright(*to(words, path))
        if out.exists():
            asked.append((out, hero))
        return out

    of_body = ask("of-body", ["make", walk])
    for root in (["--root-motion", "in-place"], ["--root-motion", "inertialized"], ["--root-motion", "path"], ["--symmetric"]):
        ask("of-body" + root[-1], ["make", walk, *root])
    take = ask("take", ["convert", walk])
    ask("of-motion", ["make", take])
    ask("of-loop", ["convert", of_body])
    for hero in ["new", "old"]:
        rig = ["--rig", scratch / f"{hero}.vrm"]
        ask(f"on-{hero}", ["retarget", fast, *rig], hero)
        ask(f"loop-on-{hero}", ["make", walk, *rig], hero)
        ask(f"motion-on-{hero}", ["retarget", of_body, *rig], hero)
    with_face(take, scratch / "face.vrma")
    ask("of-face", ["make", scratch / "face.vrma"])

    questions = []
    for out, hero in asked:
        _, keys, rate = read_npz(out.with_suffix(".npz"))
        questions.append((out, hero, {"avatar": str(scratch / f"{hero}.vrm"), "secs": (np.arange(len(keys)) / rate).tolist()}))
    played = answered(questions, scratch, "node", "avatars.mjs", NODE_PATH=str(modules))
    checked = answered([(out, hero, {"what": "valid"}) for out, hero in asked], scratch, "node", "gltf.mjs", NODE_PATH=str(modules))
    print("| file | on | keys | bones | worst, mm | complaints |\n| --- | --- | --- | --- | --- | --- |")
    for (out, hero, shown), (_, _, valid) in zip(played, checked):
        name = out.stem
        if "error" in shown or valid.get("errors", 1):
            faults.append((name, shown.get("error", str(valid))))
            continue
        worst, count = compared(shown, heroes[hero], out.with_suffix(".npz"), versions[hero][0] == 0)
        keys = len(shown["places"])
        print(f"| {name} | {hero} | {keys} | {count // max(keys, 1)} | {1e3 * worst:.4f} | {len(shown['warnings'])} |")
        if not (1e3 * worst <= MOST_MM and count >= 15 * keys):
            faults.append((name, f"{1e3 * worst:.3f} mm, {count} places"))
        complaints = [each for each in shown["warnings"] if "createVRMAnimationClip" not in each]
        faults += [(name, each) for each in [*complaints, *demands(out), *(face_faults(shown) if name == "of-face" else ())]]
    for captured in CAPTURED:
        path = Path(shared) / "mocap" / captured
        if path.exists():
            out = scratch / f"{path.name}.vrma"
            loopwright("convert", path, out, "-f")
            faults += [(captured, each) for each in demands(out)]
    for name, fault in faults:
        print(f"fault: {name}: {fault}")
    print(f"{len(asked)} files, {len(faults)} faults")
    sys.exit(bool(faults))


if __name__ == "__main__":
    main(*sys.argv[1:])
