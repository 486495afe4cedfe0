//! Every format through the commands: as take, as loop with each kind of root and last key, and on to the next command.

use crate::harness::{Folder, holds, items, lines, near, number, rows};

#[test]
fn takes_and_loops_of_every_format_go_through_every_command() {
    let folder = Folder::with_walk();
    folder.succeed("synth -o straight.bvh --seconds 4 --fps 30 --turn-rate 0");
    let of_bvh = folder.answer("make walk.bvh --range 11:45.6 -o plain.bvh --json");
    for [format, unit, facts] in rows(
        "
        bvh  | cm | playback/root_joint_added = false; playback/animation = null
        fbx  | cm | playback/root_joint_added = false; playback/animation = walk-loop
        glb  | m  | playback/root_joint_added = true; playback/root_joint = root; playback/animation = walk-loop
        gltf | m  | playback/root_joint_added = true; playback/root_joint = root; playback/animation = walk-loop
        npz  | m  | playback/root_joint_added = false; playback/animation = null
        vrma | m  | playback/root_joint_added = false; playback/animation = walk-loop
        ",
    ) {
        folder.succeed(&format!("convert walk.bvh take.{format}"));
        let inspected = folder.answer(&format!("inspect take.{format} --json"));
        let take = format!("frames = 121\njoints = 24\nup = y\nunit = {unit}");
        holds(&inspected["take"], &take);
        // The loop of the same frames is the same, whichever the take was read from.
        let made = folder.answer(&format!("make take.{format} --range 11:45.6 -o loop.{format} --json"));
        holds(&made, facts);
        holds(&made, "playback/carrier_joint = Hips");
        for key in lines("candidate/period_secs\nroot_motion/speed_mps\nroot_motion/turn_rate_dps") {
            near(number(&made, key), number(&of_bvh, key), 1e-4);
        }
        folder.copy(&format!("loop.{format}"), &format!("alone.{format}"));
        // The root joint of a straight walk accelerates only by rounding to single precision, which is no pop.
        let road = "
            find take.F
            check loop.F                                            | loop.F: good:
            check alone.F                                           | no sidecar | alone.F: good:
            make straight.bvh --add-root -o rooted.F                |! pops
            check rooted.F                                          | rooted.F: good:
            convert rooted.F other.glb -f
            check other.glb                                         | other.glb: good:
            make walk.bvh --root-motion in-place -o place.F
            check place.F                                           | place.F: good:
            make walk.bvh --set output.last-key=drop -o dropped.F
            check dropped.F                                         | dropped.F: good:
            convert loop.F back.bvh -f
            check back.bvh                                          | back.bvh: good:
            blend loop.F loop.F -o mixed.F
            check mixed.F                                           | good: the seam does not show
            play loop.F --seconds 3 -o long.F                       | 3.00 s, 91 frames
            retarget loop.F --rig take.F -o onto.F
            check onto.F                                            | onto.F: good:
            render loop.F -o seam.png --onion --size 32 -f
        ";
        folder.runs(&road.replace(".F", &format!(".{format}")));
        // Compared with the take in centimetres.
        if format != "vrma" {
            let checked = folder.answer(&format!("check loop.{format} --take walk.bvh --json"));
            holds(&checked, "loops/0/quality/displacement_mm < 20");
        }
    }
    // Arrays: the same motion gives the same bytes.
    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/one.bvh");
    folder.copy("take.npz", "takes/two.npz");
    folder.write("broken.npz", &folder.read("take.npz")[..9000]);
    folder.runs(
        "
        convert takes/ arrays/ --to npz
        2 make take.npz --all-animations -o all.npz     | or to NPZ
        make take.npz --for unity -o x.npz              | does not read .npz
        2 inspect broken.npz                            | no directory at its end
        ",
    );
    assert_eq!(folder.read("arrays/one.npz"), folder.read("take.npz"));
    assert!(folder.has("arrays/two.npz"));
}

#[test]
fn the_default_output_is_of_the_same_kind_and_holds_both_animations() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        convert walk.bvh walk.glb
        make walk.glb                                       | walk-loop.glb: good
        inspect walk-loop.glb --animation walk              |! animations
        2 inspect walk-loop.glb --animation stroll          | there is no animation \"stroll\"; there are: walk, walk-loop | loopwright list walk-loop.glb
        2 inspect walk-loop.glb --set take.skin=4           | there is no skin \"4\"; there are: skeleton
        make walk.glb --animation 0                         | walk-0-loop.glb: good
        ",
    );
    assert!(folder.has("walk-loop.glb walk-loop.glb.json walk-0-loop.glb"));
}

#[test]
fn a_changing_scale_that_a_file_loses_is_not_good() {
    let folder = Folder::with_walk();
    folder.runs("convert walk.bvh walk.gltf");
    let mut file = folder.json("walk.gltf");
    // An end of a limb, whose size shows nowhere else.
    let end = items(&file["nodes"]).position(|node| node["children"].is_null());
    let channels = file["animations"][0]["channels"].as_array_mut().unwrap();
    let mut scaled = channels
        .iter()
        .find(|channel| channel["target"]["path"] == "translation")
        .unwrap()
        .clone();
    scaled["target"] = serde_json::json!({"node": end, "path": "scale"});
    channels.push(scaled);
    folder.write("scaled.gltf", file.to_string());
    for [output, grade] in [["loop.glb", "good"], ["loop.bvh", "review"], ["loop.fbx", "review"]] {
        let made = folder.answer(&format!("make scaled.gltf -o {output} --json"));
        let check = items(&made["quality"]["checks"])
            .find(|check| check["id"] == "scale")
            .unwrap();
        holds(check, &format!("grade = {grade}"));
    }
}
