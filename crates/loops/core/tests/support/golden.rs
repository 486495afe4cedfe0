//! Reference numbers from files beside the checkout, which are no part of the project.

use std::path::Path;

use glam::{DQuat, DVec3};
use serde_json::Value;

/// A golden file, or `None` with a message if the folder does not exist.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
pub(crate) fn golden(name: &str) -> Option<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../../shared/golden");
    if !folder.is_dir() {
        eprintln!("skipped: no golden numbers in {}", folder.display());
        return None;
    }
    let text = std::fs::read_to_string(folder.join(name)).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

pub(crate) fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(number).collect()
}

pub(crate) fn vector(value: &Value) -> DVec3 {
    DVec3::from_slice(&numbers(value))
}

/// Quaternions of the files are (w, x, y, z).
pub(crate) fn quaternion(value: &Value) -> DQuat {
    let wxyz = numbers(value);
    DQuat::from_xyzw(wxyz[1], wxyz[2], wxyz[3], wxyz[0])
}

pub(crate) fn list(value: &Value) -> &[Value] {
    let list = value.as_array().unwrap();
    assert!(!list.is_empty());
    list
}

#[track_caller]
pub(crate) fn assert_near(found: DVec3, expected: DVec3, tolerance: f64) {
    let is_near = (found - expected).length() <= tolerance;
    assert!(is_near, "found {found}, expected {expected}");
}
