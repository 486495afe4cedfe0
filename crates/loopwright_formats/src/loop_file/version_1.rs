//! Loops of version 1: their keys and the current equivalents.
//!
//! A document of version 1 is converted to the current version before it is parsed, so no other code knows the old keys.

use serde_json::{Value, json};

/// Keys of version 1 and the keys that hold the same now; sections come after what was renamed inside them.
const RENAMED: &[(&str, &str)] = &[
    ("candidate.seam_cost", "candidate.seam_cost_metre_secs"),
    ("candidate.energy", "candidate.activity_ratio"),
    ("closure.rho", "closure.start_share_of_position"),
    ("closure.sigma", "closure.start_share_of_velocity"),
    ("closure.tau", "closure.start_share_of_acceleration"),
    ("closure.chosen", "closure.auto_choice"),
    ("closure.layered", "closure.noise_closed_separately"),
    ("root.twist_linear_mps", "root_motion.linear_velocity_mps"),
    ("root.twist_angular_radps", "root_motion.angular_velocity_radps"),
    ("root.turn_dps", "root_motion.turn_rate_dps"),
    ("root.take_twist_linear_mps", "root_motion.take_linear_velocity_mps"),
    ("root.arc_over_path", "root_motion.arc_to_path_ratio"),
    ("root", "root_motion"),
    ("feet.feet", "feet.outcomes"),
    ("feet.skate_before_cmps", "feet.foot_slide_before_cmps"),
    ("feet.skate_after_cmps", "feet.foot_slide_after_cmps"),
    ("quality.c0_deg", "quality.pose_gap_deg"),
    ("quality.c0_mm", "quality.pose_gap_mm"),
    ("quality.c1_dps", "quality.velocity_gap_dps"),
    ("quality.c1_mmps", "quality.velocity_gap_mmps"),
    (
        "quality.seam_acceleration_error",
        "quality.seam_acceleration_error_ratio",
    ),
    ("quality.seam_acceleration_p99", "quality.seam_acceleration_ratio"),
    ("quality.seam_rank", "quality.seam_rank_percent"),
    ("quality.take_rank", "quality.take_rank_percent"),
    ("quality.skate_cmps", "quality.foot_slide_cmps"),
];

/// Converts a document of version 1 to version `today`; missing values and wrong types are left to the parser.
pub(super) fn rewrite(document: &mut Value, today: u32) {
    for (old, new) in RENAMED {
        if let Some(value) = take(document, old) {
            put(document, new, value);
        }
    }
    // Earlier programs of version 1 had no half cycles, no layers, no measured stances and only root motion over the ground.
    for (key, before) in [
        ("candidate.mirrored", json!(false)),
        ("closure.noise_closed_separately", json!(false)),
        ("feet.stances", json!([])),
        ("root_motion.space", json!("ground")),
    ] {
        let (section, key) = split(key);
        if let Some(section) = document.get_mut(section).and_then(Value::as_object_mut) {
            let value = section.entry(key).or_insert_with(|| before.clone());
            if value == "" {
                *value = before;
            }
        }
    }
    put(document, "version", json!(today));
    if let Some(take) = document.get_mut("take").and_then(Value::as_object_mut)
        && let Some(secs) = take.get("frame_time_secs").and_then(Value::as_f64)
    {
        take.entry("fps").or_insert_with(|| json!(1.0 / secs));
    }
}

/// The section of a path and the key in it; a path without a point is a section.
fn split(path: &str) -> (&str, &str) {
    path.split_once('.').unwrap_or((path, ""))
}

fn take(document: &mut Value, path: &str) -> Option<Value> {
    match split(path) {
        (section, "") => document.as_object_mut()?.shift_remove(section),
        (section, key) => document.get_mut(section)?.as_object_mut()?.shift_remove(key),
    }
}

/// Puts a value at a path; a section is merged into an existing one. A value whose path cannot exist is dropped.
fn put(document: &mut Value, path: &str, value: Value) {
    let (section, key) = split(path);
    let Some(document) = document.as_object_mut() else {
        return;
    };
    let there = document.entry(section).or_insert_with(|| json!({}));
    match (value, key) {
        (Value::Object(fields), "") => {
            if let Some(there) = there.as_object_mut() {
                there.extend(fields);
            }
        }
        (value, "") => *there = value,
        (value, key) => {
            if let Some(there) = there.as_object_mut() {
                there.insert(key.to_owned(), value);
            }
        }
    }
}
