//! NPZ files: takes and loops as arrays, and back.

use crate::harness::{Folder, items, number, rows};

#[test]
fn takes_and_loops_go_through_arrays() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.npz");
    let bvh = folder.answer("inspect walk.bvh --json");
    let npz = folder.answer("inspect walk.npz --json");
    assert_eq!(npz["take"]["frames"], bvh["take"]["frames"]);
    assert_eq!((&npz["take"]["unit"], &npz["take"]["up"]), (&"m".into(), &"y".into()));
    let names = |answer: &serde_json::Value| -> Vec<String> {
        let joints = items(&answer["skeleton"]);
        joints.map(|joint| joint["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&npz), names(&bvh));

    // The loop is the same, whichever the take was read from.
    let of_bvh = folder.answer("make walk.bvh -o a.npz --json");
    let of_npz = folder.answer("make walk.npz -o b.npz --json");
    for key in [
        "candidate/period_secs",
        "root_motion/speed_mps",
        "root_motion/turn_rate_dps",
    ] {
        assert!((number(&of_bvh, key) - number(&of_npz, key)).abs() < 1e-4, "{key}");
    }
    for made in ["a.npz", "b.npz"] {
        folder
            .succeed(&format!("check {made}"))
            .begins(&format!("{made}: good: "));
    }
    // On to another format, with its sidecar, and in place.
    folder.succeed("convert a.npz a.glb");
    folder.succeed("check a.glb");
    folder.succeed("make walk.npz -o place.npz --root-motion in-place");
    folder.succeed("check place.npz");
    folder.succeed("make walk.bvh -o rooted.npz --add-root");
    folder.succeed("check rooted.npz");
    folder.succeed("retarget a.npz --rig walk.npz -o onto.npz");

    folder.make_folder("takes");
    folder.copy("walk.bvh", "takes/one.bvh");
    folder.copy("walk.npz", "takes/two.npz");
    folder.succeed("convert takes/ arrays/ --to npz");
    // The same motion gives the same bytes.
    assert_eq!(folder.read("arrays/one.npz"), folder.read("walk.npz"));
    assert!(folder.file("arrays/two.npz").exists());

    let refused = "
        make walk.npz --all-animations -o all.npz | or to NPZ
        make walk.npz --for unity -o x.npz | does not read .npz
    ";
    for [command, said] in rows(refused) {
        folder.run(command).says(said);
    }
    folder.write("broken.npz", &folder.read("walk.npz")[..9000]);
    folder.refuse("inspect broken.npz", "no directory at its end");
}
