//! Names of loops in files.

use loopwright_core::Skeleton;

/// The suffix of loop names: engines repeat animations with this suffix.
pub const LOOP_SUFFIX: &str = "-loop";

/// Returns the name of a loop: the name of its motion with the suffix, once.
pub fn loop_name(name: &str) -> String {
    format!("{}{LOOP_SUFFIX}", name.strip_suffix(LOOP_SUFFIX).unwrap_or(name))
}

/// Returns the name of the root joint that `add_root` puts above the joints of a skeleton.
pub fn added_root_name(skeleton: &Skeleton) -> String {
    let joints = skeleton.joints();
    root_name(|name| joints.iter().any(|joint| joint.name.eq_ignore_ascii_case(name)))
}

pub(crate) fn root_name(is_taken: impl Fn(&str) -> bool) -> String {
    ["root".to_owned(), "root_motion".to_owned()]
        .into_iter()
        .chain((2_u64..).map(|number| format!("root_motion_{number}")))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
