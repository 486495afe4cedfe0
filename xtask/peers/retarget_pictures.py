# Draws motions on characters with Blender, beside the takes that they come from, to be looked at.
#
#   pip install bpy pillow        (bpy 4.5 was used)
#   loopwright retarget walk-loop.bvh --rig hero.glb -o hero-walk.glb
#   python xtask/peers/retarget_pictures.py sheet.png walk-loop.bvh hero-walk.glb run-loop.bvh hero-run.glb ...
#
# Files come in pairs, a loop and the same on a character. A pair makes two rows of the sheet, from the right and from ahead: at four even
# times of the loop first the source, as capsules (left limbs blue, right ones red), then the mesh of the character. Characters without a mesh
# are drawn as capsules too. SOURCE:START:END are frames of a longer take. Squares of the ground are an eighth of the height of the body, and
# the ground is at zero, where takes have it. Cameras face the source's way, so a character that faces another way shows.
#
# A line of JSON per pair has how high the lowest point of the mesh is, in parts of the body's height: least and most of 25 even times, and
# at the four; and the speed. In the environment LOOPWRIGHT is the path of loopwright, and HIDE has words: meshes whose names have one of them
# are left out, such as "shield,sword".

import json
import math
import os
import re
import sys
import tempfile

import bpy
import numpy
from mathutils import Vector
from PIL import Image, ImageDraw

import retarget

NUM_TIMES = 4
HIDDEN = os.environ.get("HIDE", "").lower().split(",")
CELL = (240, 320)
VIEWS = {"right": (-90, 0), "ahead": (-35, 14)}


def capsules(path, animation, folder):
    """A GLB file of the same motion with a capsule on each bone."""
    # From glTF to glTF the file would stay as it is.
    named = [] if animation is None else ["--animation", animation]
    if not path.endswith(".bvh"):
        retarget.run("convert", path, f"{folder}/bones.bvh", "-f", *named)
        path = f"{folder}/bones.bvh"
    retarget.run("convert", path, f"{folder}/bones.glb", "-f")
    return f"{folder}/bones.glb"


def material(name, colour):
    made = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    made.diffuse_color = (*colour, 1)
    return made


def side(name):
    name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name.rsplit(":", 1)[-1]).lower()
    if re.search(r"(^|[^a-z])(left|l)([^a-z]|$)|^l(shoulder|arm|hip|knee|thigh|foot|elbow|hand|toe|femur|tibia|humerus)", name):
        return "left"
    if re.search(r"(^|[^a-z])(right|r)([^a-z]|$)|^r(shoulder|arm|hip|knee|thigh|foot|elbow|hand|toe|femur|tibia|humerus)", name):
        return "right"
    return "middle"


def colour_sides(mesh):
    """Left limbs blue, right ones red."""
    sides = ["middle", "left", "right"]
    colours = [(0.7, 0.7, 0.65), (0.15, 0.4, 0.9), (0.9, 0.25, 0.15)]
    mesh.data.materials.clear()
    for name, colour in zip(sides, colours):
        mesh.data.materials.append(material(name, colour))
    groups = [sides.index(side(group.name)) for group in mesh.vertex_groups]
    for face in mesh.data.polygons:
        weights = [(entry.weight, entry.group) for at in face.vertices for entry in mesh.data.vertices[at].groups]
        face.material_index = groups[max(weights)[1]] if weights else 0


def on_armature(thing):
    while thing is not None and thing.type != "ARMATURE":
        thing = thing.find_armature() or thing.parent
    return thing is not None


def keep_meshes(hidden):
    """The meshes of the character; what else there is to see in the scene is removed."""
    kept = []
    for thing in list(bpy.data.objects):
        if thing.type != "MESH":
            continue
        # Icosphere is the shape that the importer gives to bones.
        of_body = len(thing.data.polygons) and on_armature(thing) and not thing.name.startswith("Icosphere")
        if of_body and not any(word and word in thing.name.lower() for word in hidden):
            kept.append(thing)
        else:
            thing.hide_render = True
    return kept


def vertices(meshes):
    graph = bpy.context.evaluated_depsgraph_get()
    found = []
    for thing in meshes:
        shown = thing.evaluated_get(graph)
        mesh = shown.to_mesh()
        flat = numpy.empty(3 * len(mesh.vertices), dtype=numpy.float32)
        mesh.vertices.foreach_get("co", flat)
        world = numpy.array(shown.matrix_world)
        found.append(flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3])
        shown.to_mesh_clear()
    return numpy.concatenate(found)


def set_frame(at):
    bpy.context.scene.frame_set(math.floor(at), subframe=at - math.floor(at))


def ground(centre, heading, height):
    """A slab of squares below zero, and beyond the body for the view along the ground."""
    tile, count = height / 8, 12
    corners, faces, shades = [], [], []
    origin = numpy.floor(centre[:2] / tile) * tile
    for row in range(-count, count):
        for column in range(-count, count):
            at = len(corners)
            x, y = origin + tile * numpy.array([row, column])
            corners += [(x, y, 0), (x + tile, y, 0), (x + tile, y + tile, 0), (x, y + tile, 0)]
            faces.append((at, at + 1, at + 2, at + 3))
            shades.append(int(round((x + y) / tile)) % 2)
    mesh = bpy.data.meshes.new("ground")
    mesh.from_pydata(corners, [], faces)
    mesh.materials.append(material("ground a", (0.35, 0.38, 0.4)))
    mesh.materials.append(material("ground b", (0.5, 0.53, 0.55)))
    for face, shade in zip(mesh.polygons, shades):
        face.material_index = shade
    plane = bpy.data.objects.new("ground", mesh)
    bpy.context.scene.collection.objects.link(plane)
    # Behind the body, seen from its right.
    left = Vector((-heading.y, heading.x, 0))
    along = Vector((heading.x, heading.y, 0))
    middle = Vector((*centre[:2], 0)) + 2 * height * left
    corners = [middle + 3 * height * s * along + Vector((0, 0, z)) for z in (0, -0.3 * height) for s in (-1, 1)]
    mesh = bpy.data.meshes.new("below")
    mesh.from_pydata(corners, [], [(0, 1, 3, 2)])
    mesh.materials.append(material("ground a", (0.35, 0.38, 0.4)))
    below = bpy.data.objects.new("below", mesh)
    bpy.context.scene.collection.objects.link(below)
    return plane, below


def draw(path, animation, folder, heading, span=None, bones=False):
    """Cells by view and time, the heading, and figures."""
    file = path
    if bones:
        file = capsules(path, animation, folder)
    playing = retarget.last_animation(file) if bones or animation is None else animation
    first, last = retarget.load_playing(file, playing, 1.0, folder)
    meshes = keep_meshes(HIDDEN)
    if not meshes:
        return draw(path, animation, folder, heading, span, True)
    if bones:
        for mesh in meshes:
            colour_sides(mesh)
    if span is not None:
        num_keys = retarget.Bvh(path).num_keys
        first, last = (first + (last - first) * float(at) / (num_keys - 1) for at in span)
    scene = bpy.context.scene
    lows, middles = [], []
    steps = 24
    for key in range(steps + 1):
        set_frame(first + (last - first) * key / steps)
        body = vertices(meshes)
        lows.append(body[:, 2].min())
        middles.append(numpy.median(body, axis=0))
        if key == 0:
            height = float(body[:, 2].max() - body[:, 2].min())
            level = 0.5 * float(body[:, 2].max() + body[:, 2].min())
    travel = middles[-1] - middles[0]
    if heading is None:
        heading = Vector((*travel[:2], 0)).normalized()
    scene.render.engine = "BLENDER_WORKBENCH"
    scene.render.resolution_x, scene.render.resolution_y = CELL
    scene.render.resolution_percentage = 100
    shading = scene.display.shading
    shading.light, shading.color_type = "STUDIO", "TEXTURE"
    shading.show_cavity = shading.show_object_outline = True
    if scene.world is None:
        scene.world = bpy.data.worlds.new("world")
    scene.world.color = (0.85, 0.87, 0.9)
    scene.view_settings.view_transform = "Standard"
    lens = bpy.data.cameras.new("camera")
    lens.type, lens.ortho_scale, lens.clip_end = "ORTHO", 1.2 * height, 100 * height
    lens.clip_start = 0.01 * height
    camera = bpy.data.objects.new("camera", lens)
    scene.collection.objects.link(camera)
    scene.camera = camera
    cells = {}
    for time in range(NUM_TIMES):
        share = time / NUM_TIMES
        set_frame(first + (last - first) * share)
        centre = middles[0] + travel * share
        plane, below = ground(centre, heading, height)
        for view, (azimuth, elevation) in VIEWS.items():
            plane.hide_render, below.hide_render = view == "right", view != "right"
            angle = math.atan2(heading.y, heading.x) + math.radians(azimuth)
            up = math.radians(elevation)
            towards = Vector((math.cos(up) * math.cos(angle), math.cos(up) * math.sin(angle), math.sin(up)))
            aim = Vector((*centre[:2], level + travel[2] * share))
            camera.location = aim + 10 * height * towards
            camera.rotation_euler = towards.to_track_quat("Z", "Y").to_euler()
            scene.render.filepath = f"{folder}/cell.png"
            bpy.ops.render.render(write_still=True)
            with Image.open(f"{folder}/cell.png") as image:
                cells[view, time] = image.convert("RGB")
        for thing in (plane, below):
            bpy.data.objects.remove(thing)
    length_secs = (last - first) / (scene.render.fps / scene.render.fps_base)
    figures = {
        "height_m": round(height, 3),
        "lowest_over_height": [round(float(min(lows)) / height, 4), round(float(max(lows)) / height, 4)],
        "at_times": [round(float(lows[steps * time // NUM_TIMES]) / height, 4) for time in range(NUM_TIMES)],
        "speed_heights_per_sec": round(float(numpy.linalg.norm(travel[:2])) / height / length_secs, 3),
    }
    return cells, heading, figures


def main(arguments):
    sheet, files = arguments[0], arguments[1:]
    label = 16
    width, height = 2 * NUM_TIMES * CELL[0], len(VIEWS) * CELL[1] + label
    picture = Image.new("RGB", (width, height * (len(files) // 2)), "white")
    for row, (source, target) in enumerate(zip(files[::2], files[1::2])):
        source, *span = source.split(":")
        target, _, animation = target.partition(":")
        with tempfile.TemporaryDirectory() as folder:
            theirs, heading, source_figures = draw(source, None, folder, None, span or None, True)
            # BVH has no mesh, and other skins are drawn as they are.
            name = animation or retarget.last_animation(target)
            ours, _, figures = draw(target, name, folder, heading, None, target.endswith(".bvh"))
        for down, view in enumerate(VIEWS):
            for time in range(NUM_TIMES):
                for right, cells in enumerate((theirs, ours)):
                    place = ((2 * time + right) * CELL[0], row * height + label + down * CELL[1])
                    picture.paste(cells[view, time], place)
        ImageDraw.Draw(picture).text((4, row * height + 2), f"{os.path.basename(source)} on {target}", fill="black")
        print(json.dumps({"file": target, **figures, "source": source_figures}), flush=True)
    picture.save(sheet)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1 :] if "--" in sys.argv else sys.argv[1:])
