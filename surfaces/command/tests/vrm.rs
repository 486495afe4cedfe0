//! VRM animations and characters.

use serde_json::{Value, json};

use crate::harness::{Folder, glb_of, parts_of_glb};

/// The JSON of a binary glTF file.
fn json_of(folder: &Folder, name: &str) -> Value {
    parts_of_glb(&folder.read(name)).0
}

/// Writes a copy of a binary glTF file with that JSON.
fn write_with_json(folder: &Folder, name: &str, json: &Value, copy: &str) {
    let bytes = folder.read(name);
    folder.write(copy, glb_of(json, parts_of_glb(&bytes).1));
}

/// `hero.vrm`, a character with the body and the bones of the animation `walk.vrma`, its joints without names.
fn make_avatar(folder: &Folder) {
    folder.succeed("convert walk.bvh walk.vrma");
    let mut json = json_of(folder, "walk.vrma");
    for (node, stated) in json["nodes"].as_array_mut().unwrap().iter_mut().enumerate() {
        stated["name"] = format!("j{node}").into();
    }
    let bones = json["extensions"]["VRMC_vrm_animation"]["humanoid"].take();
    json["extensionsUsed"] = json!(["VRMC_vrm"]);
    json["extensions"] = json!({"VRMC_vrm": {"specVersion": "1.0", "humanoid": bones}});
    json.as_object_mut().unwrap().remove("animations");
    write_with_json(folder, "walk.vrma", &json, "hero.vrm");
    folder.remove("walk.vrma");
}

/// Root motion is the hips' own: of a loop that had a joint for it, and where one is asked for.
#[test]
fn loops_of_animations_for_avatars_are_such_animations() {
    let folder = Folder::with_walk();
    folder.write(
        "door.bvh",
        b"HIERARCHY\nROOT post\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n\
          JOINT door\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site\n{\nOFFSET 1 0 0\n}\n}\n}\n\
          MOTION\nFrames: 3\nFrame Time: 0.1\n0 0 0 0 0 0 0 0 0\n0 0 0 0 0 0 0 0 9\n0 0 0 0 0 0 0 0 20\n",
    );
    folder.runs(
        "
        convert walk.bvh walk.vrma
        make walk.vrma                                          | walk-loop.vrma: good
        list walk.vrma                                          | walk
        make walk.bvh -o rooted.glb --add-root
        convert rooted.glb rooted.vrma
        check rooted.vrma                                       | rooted.vrma: good:
        make walk.bvh -o asked.vrma --add-root                  | travel by their hips
        make walk.bvh -o unity.vrma --for unity                 | does not read .vrma
        check asked.vrma unity.vrma
        2 make walk.vrma --all-animations -o all.vrma           | a VRM animation, which holds one
        2 convert door.bvh door.vrma                            | these bones of it are not found
        ",
    );
    assert!(!folder.has("door.vrma"));
}

/// In a folder a character is passed over, and outputs are named for what they are.
#[test]
fn a_character_takes_motion_and_is_no_take() {
    let folder = Folder::with_walk();
    make_avatar(&folder);
    folder.make_folder("pack");
    folder.copy("hero.vrm", "pack/hero.vrm");
    folder.runs(
        "
        retarget walk.bvh --rig hero.vrm -o pack/one.vrma               |! guess
        make walk.bvh --rig hero.vrm
        check walk-loop.vrma                                            | walk-loop.vrma: good:
        retarget walk-loop.vrma --rig hero.vrm -o again.vrma
        check again.vrma                                                | again.vrma: good:
        make walk.bvh --rig hero.vrm --for godot
        make walk.bvh --rig hero.vrm -o whole.glb -f
        2 retarget walk.bvh --rig hero.vrm -o x.vrm                     | a name that ends in .vrma for the motion alone, or in .glb
        2 make walk.bvh -o x.VRM                                        | a name that ends in .vrma for the motion alone, or in .glb
        make pack -o loops/
        retarget pack --rig hero.vrm -o onto/
        make pack -o named/ --name {stem}-x.vrma
        ",
    );
    assert!(folder.has("loops/one-loop.vrma onto/one.vrma named/one-x.vrma"));
    let whole = json_of(&folder, "whole.glb");
    assert!(
        whole["extensions"]["VRMC_vrm"].is_object(),
        "the character stays in a GLB"
    );
}
