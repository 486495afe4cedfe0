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
    if is_taken("root") {
        free_name("root_motion", is_taken)
    } else {
        "root".to_owned()
    }
}

/// Returns the first of `walk`, `walk_2` ... that is not in use; numbers of loops stand before the suffix, `walk_2-loop`.
pub(crate) fn free_name(name: &str, is_taken: impl Fn(&str) -> bool) -> String {
    let (stem, suffix) = match name.strip_suffix(LOOP_SUFFIX) {
        Some(stem) => (stem, LOOP_SUFFIX),
        None => (name, ""),
    };
    core::iter::once(name.to_owned())
        .chain((2_u64..).map(|number| format!("{stem}_{number}{suffix}")))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_suffix() {
        let is_taken = |name: &str| ["walk-loop", "walk_2-loop", "walk"].contains(&name);
        for (name, free) in [
            ("run-loop", "run-loop"),
            ("walk-loop", "walk_3-loop"),
            ("walk", "walk_2"),
        ] {
            assert_eq!(free_name(name, is_taken), free);
        }
    }
}
