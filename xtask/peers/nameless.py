# How skeletons are matched whose names were taken away, against the same with their names, as the motion and as the character: which joint of
# one follows which of the other, by the joint maps that `retarget --save-map` writes.
# Shares no code with loopwright; files are renamed as text and JSON.
#
#   python xtask/peers/nameless.py LOOPWRIGHT SCRATCH CHARACTER MOTION FILE...
#
# LOOPWRIGHT is the command, SCRATCH a folder for files, CHARACTER and MOTION keep their names: each FILE goes onto CHARACTER, and MOTION onto
# each FILE. FBX is converted to GLB first. A row tells what differs, of trunk, limbs and head, and of all.

import json
import pathlib
import re
import struct
import subprocess
import sys
import tomllib

program, scratch, character, motion, *files = sys.argv[1:]
scratch = pathlib.Path(scratch)
scratch.mkdir(parents=True, exist_ok=True)
FINGER = re.compile("thumb|index|mid|ring|pinky|finger|hand_?end", re.IGNORECASE)


def run(*words):
    return subprocess.run([program, "-q", *map(str, words)], capture_output=True, text=True, check=False)


def without_names(path):
    """The file in a format that can be renamed, the same with names that say nothing, and the names by those."""
    names = {}

    def renamed(old):
        names[name := f"bone_{len(names)}"] = old
        return name

    if path.suffix == ".bvh":
        head, frames = re.split(r"(?m)^\s*MOTION", path.read_text(errors="replace"), maxsplit=1)
        head = re.sub(r"(?m)^(\s*(?:ROOT|JOINT)[ \t]+)(\S.*?)[ \t]*$", lambda found: found[1] + renamed(found[2]), head)
        bare = scratch / f"{path.stem}-bare.bvh"
        bare.write_text(head + "MOTION" + frames)
        return path, bare, names
    if path.suffix != ".glb":
        converted = scratch / f"{path.stem}.glb"
        if (done := run("convert", path, converted, "--force")).returncode:
            raise ValueError(done.stderr)
        path = converted
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    document, rest = json.loads(data[20 : 20 + length]), data[20 + length :]
    for index, node in enumerate(document["nodes"]):
        node["name"] = renamed(node.get("name") or f"node{index}")
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    bare = scratch / f"{path.stem}-bare.glb"
    bare.write_bytes(struct.pack("<5I", 0x46546C67, 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A) + text + rest)
    return path, bare, names


def joint_map(take, rig, names):
    """What each joint of the rig follows, by their names; None where there is no map."""
    stored = scratch / "map.toml"
    stored.unlink(missing_ok=True)
    run("retarget", take, "--rig", rig, "-o", scratch / "out.bvh", "--force", "--save-map", stored)
    if not stored.exists():
        return None
    links = tomllib.loads(stored.read_text())["joints"]

    def named(text):
        return re.sub(r"bone_\d+", lambda found: names.get(found[0], found[0]), text)

    return {named(joint): named(str(follows)) for joint, follows in links.items()}


same, tried = {"motion": [0, 0], "character": [0, 0]}, {"motion": 0, "character": 0}
for file in map(pathlib.Path, files):
    try:
        path, bare, names = without_names(file)
    except (ValueError, KeyError) as error:
        print(file.name, "is left out:", str(error).strip().splitlines()[0])
        continue
    for role in same:
        with_names, without = (
            joint_map(*((each, character) if role == "motion" else (motion, each)), names) for each in (path, bare)
        )
        if with_names is None:
            continue
        tried[role] += 1
        without = without or {}
        off = {joint for joint in with_names | without if with_names.get(joint) != without.get(joint)}
        of_body = {joint for joint in off if not FINGER.search(joint)}
        same[role][0] += not of_body
        same[role][1] += not off
        if off:
            shown = ", ".join(f"{joint}: {with_names.get(joint)} -> {without.get(joint)}" for joint in sorted(of_body or off)[:4])
            print(f"{file.name} as {role}: {len(of_body)} of the body and {len(off)} of {len(with_names)} in all differ: {shown}", flush=True)
for role, (of_body, of_all) in same.items():
    print(f"as {role}: {tried[role]} tried, trunk, limbs and head the same {of_body}, all the same {of_all}")
