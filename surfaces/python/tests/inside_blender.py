"""Makes a loop inside Blender, whose own Python and NumPy the package meets there: run by `.ci/python hosts`."""

import tempfile
from pathlib import Path

import bpy  # type: ignore[import-not-found]
import numpy as np

import loopwright
from loopwright import _native

with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "walk.bvh"
    _native.answer(["loopwright", "synth", "-o", str(path)])
    loop = loopwright.read(path).make()
    assert loop.grade == "good", loop
    bpy.ops.import_anim.bvh(filepath=str(path), axis_forward="-Z", axis_up="Y", global_scale=0.01)
    armature = bpy.context.object
    take = loopwright.read(path)
    # What Blender shows of the take is what the package says: Z is up there.
    for frame in (0, 100):
        bpy.context.scene.frame_set(frame + 1)
        heads = [armature.matrix_world @ armature.pose.bones[name].head for name in take.names]
        theirs = np.array([[head.x, head.z, -head.y] for head in heads])
        worst = np.abs(theirs - take.positions[frame]).max()
        assert worst < 1e-4, worst
print(f"Blender {bpy.app.version_string}, NumPy {np.__version__}: {loop}")
