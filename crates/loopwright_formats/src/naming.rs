//! Names that loops get in files.

use loopwright::Skeleton;

/// How the names of loops end: engines take it as a sign to repeat them.
pub(crate) const LOOP_SUFFIX: &str = "-loop";

/// The name of the root joint that `add_root` puts above the joints of a skeleton.
pub fn added_root_name(skeleton: &Skeleton) -> String {
    let joints = skeleton.joints();
    root_name(|name| joints.iter().any(|joint| joint.name.eq_ignore_ascii_case(name)))
}

/// A name for an added root that no joint has yet.
pub(crate) fn root_name(is_taken: impl Fn(&str) -> bool) -> String {
    ["root".to_owned(), "root_motion".to_owned()]
        .into_iter()
        .chain((2_u64..).map(|number| format!("root_motion_{number}")))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
