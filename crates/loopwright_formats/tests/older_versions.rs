//! Loops of older versions have the same meaning today; how they were made: testdata/README.md.

use loopwright_formats::{
    Sidecar, facts_in,
    loop_file::{
        FORMAT, SidecarError, VERSION,
        facts::{Grade, TakeFacts},
    },
};
use serde_json::{Value, json};

/// Sidecars of version 1, and of version 2 by its first program.
const PAIRS: [[&str; 2]; 6] = [
    [
        include_str!("../testdata/version_1/walk.json"),
        include_str!("../testdata/version_2/walk.json"),
    ],
    [
        include_str!("../testdata/version_1/path.json"),
        include_str!("../testdata/version_2/path.json"),
    ],
    [
        include_str!("../testdata/version_1/half.json"),
        include_str!("../testdata/version_2/half.json"),
    ],
    [
        include_str!("../testdata/version_1/full.json"),
        include_str!("../testdata/version_2/full.json"),
    ],
    [
        include_str!("../testdata/version_1/blend.json"),
        include_str!("../testdata/version_2/blend.json"),
    ],
    GLB,
];

const GLB: [&str; 2] = [
    include_str!("../testdata/version_1/slow.json"),
    include_str!("../testdata/version_2/slow.json"),
];

/// A sidecar without what version 1 did not have.
fn ungraded(text: &str) -> Sidecar {
    let mut sidecar = Sidecar::from_json(text.as_bytes()).unwrap();
    sidecar.quality.grade = None;
    sidecar
}

#[test]
fn sidecars_of_version_1_say_what_those_of_version_2_say() {
    for [old, new] in PAIRS {
        let document: Value = serde_json::from_str(old).unwrap();
        assert_eq!(document["version"], 1);
        let read = Sidecar::from_json(old.as_bytes()).unwrap();
        assert_eq!(read.quality.grade, None);
        assert_eq!(read, ungraded(new));
    }
    let grades = PAIRS.map(|[_, new]| Sidecar::from_json(new.as_bytes()).unwrap().quality.grade);
    assert!(grades.iter().all(Option::is_some));
    assert_eq!(grades[0], Some(Grade::Good));
}

#[test]
fn a_sidecar_that_was_read_is_written_as_one_of_today() {
    let read = Sidecar::from_json(PAIRS[0][0].as_bytes()).unwrap();
    let document: Value = serde_json::from_str(&read.to_json().unwrap()).unwrap();
    assert_eq!(
        (&document["format"], &document["version"]),
        (&json!(FORMAT), &json!(VERSION))
    );
    assert_eq!(
        document["root_motion"]["turn_rate_dps"],
        json!(read.root_motion.turn_rate_dps)
    );
    assert!(document.get("root").is_none());
}

#[test]
fn extras_of_version_1_are_read_as_its_sidecar_is() {
    let [old, _] = GLB;
    let mut expected = Sidecar::from_json(old.as_bytes()).unwrap();
    let name = expected.playback.animation.clone().unwrap();
    (expected.take, expected.warnings, expected.outputs) = (TakeFacts::default(), Vec::new(), Vec::new());
    let extras: Value = serde_json::from_str(include_str!("../testdata/version_1/extras.json")).unwrap();
    let file = json!({"asset": {"version": "2.0"}, "animations": [{"name": name, "extras": extras}]}).to_string();
    assert_eq!(facts_in(file.as_bytes(), &name), Some(Ok(expected)));
    assert_eq!(facts_in(file.as_bytes(), "no such animation"), None);
    assert_eq!(facts_in(b"HIERARCHY", &name), None);
}

/// The first programs of version 1 had only motion over the ground, no half cycles and no layers.
#[test]
fn what_early_programs_of_version_1_left_out_has_its_old_meaning() {
    let whole = Sidecar::from_json(PAIRS[0][0].as_bytes()).unwrap();
    let mut document: Value = serde_json::from_str(PAIRS[0][0]).unwrap();
    document["root"]["space"] = json!("");
    document["candidate"].as_object_mut().unwrap().remove("mirrored");
    assert_eq!(Sidecar::from_json(document.to_string().as_bytes()), Ok(whole.clone()));
    for (section, keys) in [
        ("root", vec!["space", "start_rotation_xyzw", "arc_over_path"]),
        ("closure", vec!["layered", "chosen"]),
        ("feet", vec!["stances"]),
    ] {
        for key in keys {
            assert!(
                document[section].as_object_mut().unwrap().remove(key).is_some(),
                "{section}.{key}"
            );
        }
    }
    let early = Sidecar::from_json(document.to_string().as_bytes()).unwrap();
    assert_eq!(early.root_motion.space, whole.root_motion.space);
    assert_eq!(early.root_motion.arc_to_path_ratio, None);
    assert!(!early.closure.noise_closed_separately && whole.closure.noise_closed_separately);
    assert_eq!(early.feet.unwrap().stances, []);
}

#[test]
fn broken_sidecars_of_version_1_are_errors() {
    let document: Value = serde_json::from_str(PAIRS[0][0]).unwrap();
    for (section, broken) in [
        ("root", json!(3)),
        ("quality", json!([])),
        ("take", json!("walk")),
        ("feet", json!(1)),
    ] {
        let mut document = document.clone();
        document[section] = broken;
        let error = Sidecar::from_json(document.to_string().as_bytes()).unwrap_err();
        assert!(matches!(error, SidecarError::Version1 { .. }), "{section}: {error}");
    }
    // A current section in a document of version 1 is merged, or blocks the conversion.
    let mut mixed = document.clone();
    mixed["root_motion"] = json!(7);
    assert!(Sidecar::from_json(mixed.to_string().as_bytes()).is_err());
    let array = Sidecar::from_json(br#"["loopwright-loop", 1]"#);
    assert!(array.is_err(), "{array:?}");
}
