//! `check --together`: which loops of a set do not fit the others, by the ids of docs/checks.md.

use serde_json::Value;

use crate::harness::{Folder, holds, items, rows, texts};

#[test]
fn loops_that_do_not_fit_the_others_are_named() {
    let folder = Folder::new();
    folder.make_folder("set");
    folder.runs(
        "
        synth -o slow.bvh --seconds 6 --speed 1.2 --turn-rate 0
        synth -o quick.bvh --seconds 6 --speed 1.6 --period 1.0 --turn-rate 0
        make slow.bvh --set output.start-at=passing -o set/slow.bvh
        make quick.bvh --set output.start-at=passing -o set/quick.bvh
        make slow.bvh --set output.start-at=passing --closure cubic -o set/again.bvh
        ",
    );
    let fits = folder.answer("check set --together --json");
    for of_loop in items(&fits["loops"]) {
        holds(of_loop, "failed = []");
        assert!(
            texts(&of_loop["together"], "grade")
                .iter()
                .all(|grade| *grade == "good")
        );
    }
    holds(&folder.answer("check set --json"), "loops/0/together = null");

    folder.write("other.bvh", folder.text("slow.bvh").replace("Head", "Kopf"));
    folder.runs(
        "
        make slow.bvh --set output.start-at=right-contact -o set/late.bvh
        make slow.bvh --set output.start-at=passing --fps 24 -o set/rate.bvh
        make slow.bvh --set output.start-at=passing --cycles 2 -o set/twice.bvh
        make slow.bvh --set output.start-at=passing -o set/speed.bvh
        make slow.bvh --set output.start-at=passing --root-motion in-place -o set/place.bvh
        make other.bvh --set output.start-at=passing -o set/joint.bvh
        make slow.bvh --set output.start-at=passing --add-root -o set/root.bvh
        ",
    );
    for name in ["speed", "place"] {
        let mut sidecar: Value = folder.json(&format!("set/{name}.bvh.json"));
        let velocity = &mut sidecar["root_motion"]["linear_velocity_mps"][2];
        *velocity = (1.4 * velocity.as_f64().unwrap()).into();
        folder.write(&format!("set/{name}.bvh.json"), sidecar.to_string());
    }
    let checked = folder.run("check set --together --json").ended(1).json();
    for (of_loop, [name, id]) in items(&checked["loops"]).zip(rows(
        "
        again |
        joint | set-skeleton
        late  | set-phase
        place | set-speed
        quick |
        rate  | set-rate
        root  | set-root
        slow  |
        speed | set-speed
        twice | set-duration
        ",
    )) {
        assert_eq!(of_loop["file"], format!("set/{name}.bvh"));
        let bad = items(&of_loop["together"]).filter(|check| check["grade"] == "bad");
        let bad: Vec<&str> = bad.filter_map(|check| check["id"].as_str()).collect();
        assert_eq!(bad.join(" "), id, "{name}");
        let is_failed = texts(&of_loop["failed"], "measure").contains(&id);
        assert_eq!(is_failed, !id.is_empty(), "{name}");
    }
    folder
        .runs("1 check set --together --junit report.xml | set/late.bvh: does not fit the others | --set output.start-at=passing");
    assert!(folder.text("report.xml").contains("name=\"set-phase\"><failure"));
}
