//! glTF through the commands: reading, writing, choice of animation, `check`, `blend`, `play`, `convert`.

use crate::harness::Folder;
use serde_json::json;

#[test]
fn every_command_takes_and_gives_gltf() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.glb");
    let (bvh, glb) = (
        folder.answer("inspect walk.bvh --json"),
        folder.answer("inspect walk.glb --json"),
    );
    assert_eq!(glb["take"]["frames"], bvh["take"]["frames"]);
    assert_eq!((&glb["take"]["unit"], &glb["take"]["up"]), (&json!("m"), &json!("y")));
    folder.succeed("find walk.glb");
    for output in ["loop.glb", "loop.gltf", "loop.bvh"] {
        let made = folder.answer(&format!("make walk.glb -o {output} --json"));
        let of_bvh = output.ends_with("bvh");
        assert_eq!(made["playback"]["root_joint_added"], json!(!of_bvh));
        let name = made["playback"]["animation"].as_str();
        assert_eq!(name.is_some_and(|name| name.ends_with("-loop")), !of_bvh, "{name:?}");
        for beside in [true, false] {
            if !beside {
                std::fs::remove_file(folder.file(&format!("{output}.json"))).unwrap();
            }
            let checked = folder.succeed(&format!("check {output}"));
            checked.begins(&format!("{output}: good: "));
        }
    }
    folder.succeed("make walk.bvh -o a.glb --json");
    folder.succeed("make walk.bvh -o b.glb --set search.shifted=true --pick 2 --json");
    folder.succeed("blend a.glb b.glb -o mixed.glb");
    folder.succeed("check mixed.glb");
    folder.succeed("play a.glb b.glb --seconds 5 -o long.gltf");
    folder.succeed("render a.glb -o seam.png --onion");
}

#[test]
fn a_loop_of_a_take_in_another_unit_keeps_its_size() {
    // The take is in centimetres and the loop in metres; the loop, read back, is compared with the take.
    let folder = Folder::with_walk();
    let made = folder.answer("make walk.bvh -o loop.glb --json");
    assert_eq!(
        (&made["take"]["unit"], &made["playback"]["unit"]),
        (&json!("cm"), &json!("m"))
    );
    let checked = folder.answer("check loop.glb --take walk.bvh --json");
    let moved = &checked["loops"][0]["quality"]["displacement_mm"];
    assert_eq!(moved.as_f64().map(|moved| moved < 20.0), Some(true), "{checked}");
    // Through every format and back.
    folder.succeed("convert loop.glb other.gltf");
    folder.succeed("convert loop.glb other.bvh");
    assert!(
        folder
            .succeed("check other.bvh")
            .stdout
            .starts_with("other.bvh: good: ")
    );
}

#[test]
fn the_default_output_is_of_the_same_kind_and_holds_both_animations() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.glb");
    folder.succeed("make walk.glb");
    assert!(folder.file("walk-loop.glb").exists() && folder.file("walk-loop.glb.json").exists());
    let answer = folder.succeed("inspect walk-loop.glb --animation walk");
    assert!(!answer.stderr.contains("animations"), "{}", answer.stderr);
    let refused = folder.fail("inspect walk-loop.glb --animation stroll");
    refused.says("there is no animation \"stroll\"; there are: walk, walk-loop");
    let answer = folder.run("inspect walk-loop.glb --set take.skin=4");
    answer.says("there is no skin \"4\"; there are: skeleton");
}

#[test]
fn buffers_from_elsewhere_are_not_fetched() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.gltf");
    let text = folder.text("walk.gltf");
    let from = text.rfind("data:application").unwrap();
    let to = from + text[from..].find('"').unwrap();
    for uri in ["../walk.bin", "/etc/passwd", "gone.bin"] {
        folder.write("broken.gltf", format!("{}{uri}{}", &text[..from], &text[to..]));
        folder.refuse("inspect broken.gltf", &format!("\"{uri}\" cannot be read"));
    }
}

#[test]
fn a_loop_is_named_after_the_animation_that_was_asked_for() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.glb");
    folder.succeed("make walk.glb --animation 0");
    assert!(folder.file("walk-0-loop.glb").exists());
    folder.succeed("make walk.glb");
    assert!(folder.file("walk-loop.glb").exists());
}

/// The root joint of a straight walk accelerates only by rounding to single precision, which is no pop.
#[test]
fn rounding_of_a_root_that_goes_evenly_is_no_pop() {
    let folder = Folder::with_synth("--seconds 4 --fps 30 --turn-rate 0");
    for output in ["loop.glb", "loop.fbx", "loop.bvh"] {
        let made = folder.succeed(&format!("make walk.bvh --add-root -o {output}"));
        assert!(!made.stderr.contains("pops"), "{output}: {}", made.stderr);
        folder.succeed(&format!("check {output}"));
    }
}
