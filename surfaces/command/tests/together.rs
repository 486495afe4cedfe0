//! `check --together`: which loops of a set do not fit the others, by the ids of docs/checks.md.

use serde_json::Value;

use crate::harness::Folder;

#[test]
fn loops_that_do_not_fit_the_others_are_named() {
    let folder = Folder::new();
    folder.succeed("synth -o slow.bvh --seconds 6 --speed 1.2 --turn-rate 0");
    folder.succeed("synth -o quick.bvh --seconds 6 --speed 1.6 --period 1.0 --turn-rate 0");
    let make = |take: &str, flags: &str, name: &str| {
        folder.succeed(&format!("make {take}.bvh {flags} -o set/{name}.bvh"));
    };
    folder.make_folder("set");
    make("slow", "--start-at left-contact", "slow");
    make("quick", "--start-at left-contact", "quick");
    make("slow", "--start-at left-contact --closure cubic", "again");
    let fits = folder.answer("check set --together --json");
    for of_loop in fits["loops"].as_array().unwrap() {
        assert_eq!(of_loop["failed"], serde_json::json!([]));
        let checks = of_loop["together"].as_array().unwrap();
        assert!(checks.iter().all(|check| check["grade"] == "good"), "{checks:?}");
    }
    assert!(folder.answer("check set --json")["loops"][0]["together"].is_null());

    make("slow", "--start-at right-contact", "late");
    make("slow", "--start-at left-contact --fps 24", "rate");
    make("slow", "--start-at left-contact --cycles 2", "twice");
    make("slow", "--start-at left-contact", "speed");
    make("slow", "--start-at left-contact --root-motion in-place", "place");
    for name in ["speed", "place"] {
        let mut sidecar: Value = folder.json(&format!("set/{name}.bvh.json"));
        let velocity = &mut sidecar["root_motion"]["linear_velocity_mps"][2];
        *velocity = (1.4 * velocity.as_f64().unwrap()).into();
        folder.write(&format!("set/{name}.bvh.json"), sidecar.to_string());
    }
    folder.write("other.bvh", folder.text("slow.bvh").replace("Head", "Kopf"));
    make("other", "--start-at left-contact", "joint");
    let checked = folder.run("check set --together --json").ended(1).json();
    let expected = [
        ("again", None),
        ("joint", Some("set-skeleton")),
        ("late", Some("set-phase")),
        ("place", Some("set-speed")),
        ("quick", None),
        ("rate", Some("set-rate")),
        ("slow", None),
        ("speed", Some("set-speed")),
        ("twice", Some("set-duration")),
    ];
    for (of_loop, (name, id)) in checked["loops"].as_array().unwrap().iter().zip(expected) {
        assert_eq!(of_loop["file"], format!("set/{name}.bvh"));
        let checks = of_loop["together"].as_array().unwrap();
        let bad: Vec<&str> = checks
            .iter()
            .filter(|check| check["grade"] == "bad")
            .filter_map(|check| check["id"].as_str())
            .collect();
        assert_eq!(bad, id.into_iter().collect::<Vec<_>>(), "{name}: {checks:?}");
        let failed = of_loop["failed"].as_array().unwrap();
        assert_eq!(
            failed
                .iter()
                .any(|failed| Some(failed["measure"].as_str().unwrap()) == id),
            id.is_some(),
            "{name}"
        );
    }
    let said = folder.run("check set --together --junit report.xml").ended(1);
    said.shows("set/late.bvh: does not fit the others");
    said.shows("--start-at left-contact");
    assert!(folder.text("report.xml").contains("name=\"set-phase\"><failure"));
}
