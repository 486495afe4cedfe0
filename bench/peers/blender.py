# Says where Blender has the joints of loops, against where they are meant to be.
#
# It is run by clients.py, with Blender as the module bpy. The argument is a JSON file: a list of questions, each answered in a line of JSON.
#
#   {"file", "before", "format", "unit_metres", "per_metre", "rate_hz", "animation", "joints": names, "keys": [[place]];
#    "importer": "new" for that of FBX in 5.0, "late": part of a key by which all is asked later}
#     -> {"places", "missing", "worst", "worst_joint", "worst_key"}, lengths in metres,
#        or {"error", "before_fails"}: whether the file before a loop was written into it cannot be imported either
#
# Places are in Blender's axes, and "per_metre" are its metres in one of ours. They are compared at every key.

import json
import re
import sys

import bpy


def load(question, path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(question["rate_hz"]))
    scene.render.fps_base = scene.render.fps / question["rate_hz"]
    if question["format"] == "bvh":
        bpy.ops.import_anim.bvh(
            filepath=path, global_scale=question["unit_metres"], axis_forward="Y", axis_up="Z", rotate_mode="QUATERNION"
        )
    elif question.get("importer") == "new":
        bpy.ops.wm.fbx_import(filepath=path)
    elif question["format"] == "fbx":
        bpy.ops.import_scene.fbx(filepath=path)
    else:
        bpy.ops.import_scene.gltf(filepath=path)
    # Skins take time and say nothing here.
    skins = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.name not in question["joints"]]
    for thing in [thing for thing in skins if not thing.children]:
        bpy.data.objects.remove(thing)
    return scene


def joined(thing):
    """Bones that the new importer of FBX joined because they touch, and those below: Blender does not move a joined bone by its curves."""
    strips = [strip for layer in thing.animation_data.action.layers for strip in layer.strips]
    curves = [curve for strip in strips for bag in strip.channelbags for curve in bag.fcurves if re.match(r'pose\.bones\["(.*)"\]\.location$', curve.data_path)]
    moved = set()
    for curve in curves:
        values = [key.co[1] for key in curve.keyframe_points]
        if max(values) - min(values) > 1e-4:
            moved.add(curve.data_path.split('"')[1])
    tops = [bone for bone in thing.data.bones if bone.use_connect and bone.name in moved]
    return {bone.name for top in tops for bone in [top, *top.children_recursive]}


def play(thing, action):
    """Has an object play an action; since 4.4 an action holds many objects, each in a slot of its own."""
    data = thing.animation_data
    data.action = action
    slots = list(getattr(data, "action_suitable_slots", ()))
    mine = [slot for slot in slots if slot.name_display == thing.name] or slots
    if mine:
        data.action_slot = mine[0]


def choose(animation):
    """Has every object play its action of that animation; their first key and their last, in frames."""
    keys, others = [], []
    for thing in bpy.data.objects:
        data = thing.animation_data
        if data is None:
            continue
        named = []
        for track in data.nla_tracks:
            track.mute = True
            if track.name == animation:
                named.append(track.strips[0].action)
        # FBX: object, animation and layer with bars between them.
        named += [action for action in bpy.data.actions if action.name.startswith(f"{thing.name}|{animation}|")]
        named += [action for action in bpy.data.actions if action.name == animation]
        if named:
            play(thing, named[0])
        if data.action is not None:
            # Objects that the animation leaves alone play their own; BVH has but one, of another name.
            (keys if named else others).extend(data.action.frame_range)
    keys = keys or others
    return (min(keys), max(keys)) if keys else None


def places(names):
    """For each name the armature and its bone of that name, or else the object; None without."""
    found = {thing.name: (thing, None) for thing in bpy.data.objects}
    for thing in bpy.data.objects:
        if thing.type == "ARMATURE":
            found |= {bone.name: (thing, bone.name) for bone in thing.pose.bones}
    return [found.get(name) for name in names]


def answer(question):
    scene = load(question, question["file"])
    span = choose(question["animation"])
    if span is None:
        return {"error": "nothing is animated"}
    # Importers go by the whole number of the scene's rate, so keys of a file at 59.999 do not stand on frames.
    start, end = span
    step = (end - start) / max(len(question["keys"]) - 1, 1)
    finders = places(question["joints"])
    if question.get("importer") == "new":
        left_out = {thing.name: joined(thing) for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.animation_data}
        finders = [found if found is None or found[1] not in left_out.get(found[0].name, ()) else None for found in finders]
    count, worst = 0, (-1.0, None, None)
    for key, wanted in enumerate(question["keys"]):
        frame = start + min(key + question.get("late", 0.0), len(question["keys"]) - 1) * step
        whole = int(frame // 1)
        scene.frame_set(whole, subframe=frame - whole)
        graph = bpy.context.evaluated_depsgraph_get()
        evaluated = {}
        for joint, (found, place) in enumerate(zip(finders, wanted)):
            if found is None:
                continue
            thing, bone = found
            if thing.name not in evaluated:
                evaluated[thing.name] = thing.evaluated_get(graph)
            shown = evaluated[thing.name]
            where = shown.matrix_world.translation if bone is None else shown.matrix_world @ shown.pose.bones[bone].head
            distance = sum((p / question["per_metre"] - q) ** 2 for p, q in zip(where, place)) ** 0.5
            count += 1
            if distance > worst[0]:
                worst = (distance, question["joints"][joint], key)
    return {
        "places": count,
        "missing": finders.count(None),
        "worst": worst[0],
        "worst_joint": worst[1],
        "worst_key": worst[2],
    }


def fails_before(question):
    if not question["before"]:
        return False
    try:
        load(question, question["before"])
    except Exception:
        return True
    return False


with open(sys.argv[1], encoding="utf-8") as questions:
    for question in json.load(questions):
        try:
            line = answer(question)
        except Exception as error:
            lines = [line for line in str(error).strip().splitlines() if not line.startswith("Location")]
            line = {"error": lines[-1] if lines else repr(error), "before_fails": fails_before(question)}
        # Importers leave lines of their own open.
        print("\n" + json.dumps(line), flush=True)
