"""Imports the set of loopwright beside this file into Unreal, by its Python console:

    py "C:/hero/import_set.py" /Game/Hero /Game/Hero/SK_Hero_Skeleton

Without a skeleton the files must hold a mesh. SPDX-License-Identifier: MIT OR Apache-2.0
"""
import json, sys
from pathlib import Path
import unreal

folder = Path(__file__).parent
motions = json.loads((folder / "set.json").read_text(encoding="utf-8"))
into = sys.argv[1] if len(sys.argv) > 1 else "/Game/" + motions["name"]
skeleton = unreal.load_asset(sys.argv[2]) if len(sys.argv) > 2 else None


def moves(clip):
    twist = clip.get("twist") or {"linear": clip["travel_m"], "angular": [clip["turn_deg"]]}
    return any(abs(part) > 1e-6 for part in twist["linear"] + twist["angular"])


for file in dict.fromkeys(clip["file"] for clip in motions["clips"]):
    clips = [clip for clip in motions["clips"] if clip["file"] == file]
    options, task = unreal.FbxImportUI(), unreal.AssetImportTask()
    kind = unreal.FBXImportType.FBXIT_ANIMATION if skeleton else unreal.FBXImportType.FBXIT_SKELETAL_MESH
    options.set_editor_properties({"automated_import_should_detect_type": False, "mesh_type_to_import": kind, "import_as_skeletal": True,
                                   "import_mesh": skeleton is None, "import_animations": True, "skeleton": skeleton})
    # Without it Unreal takes the numbers of the file for centimetres.
    for data in options.anim_sequence_import_data, options.skeletal_mesh_import_data:
        data.set_editor_property("convert_scene_unit", True)
    options.anim_sequence_import_data.set_editor_properties({
        "use_default_sample_rate": False, "custom_sample_rate": round(motions["fps"]),
        "animation_length": unreal.FBXAnimationLengthImportType.FBXALIT_EXPORTED_TIME})
    task.set_editor_properties({"filename": str(folder / file), "destination_path": into, "automated": True, "replace_existing": True,
                                "save": True, "options": options, "factory": unreal.FbxFactory()})
    unreal.AssetToolsHelpers.get_asset_tools().import_asset_tasks([task])
    for asset in map(unreal.load_asset, task.get_editor_property("imported_object_paths")):
        if isinstance(asset, unreal.SkeletalMesh):
            skeleton = skeleton or asset.get_editor_property("skeleton")
        if isinstance(asset, unreal.AnimSequence):
            ends = lambda clip: asset.get_name().lower().endswith((clip["animation"] or clip["name"]).lower().replace(" ", "_"))
            clip = clips[0] if len(clips) == 1 else next((clip for clip in sorted(clips, key=lambda clip: -len(clip["name"])) if ends(clip)), None)
            asset.set_editor_property("enable_root_motion", bool(clip and moves(clip) and motions["root_joint"]))
            unreal.EditorAssetLibrary.save_loaded_asset(asset)
