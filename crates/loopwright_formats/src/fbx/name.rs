//! The name of an animation in an FBX file.

use crate::naming::LOOP_SUFFIX;

/// The name of an animation, in two parts, so that a number can be inserted between them.
pub(super) struct Name {
    stem: String,
    suffix: &'static str,
}

impl Name {
    pub(super) fn of_take(name: &str) -> Self {
        Self {
            stem: name.to_owned(),
            suffix: "",
        }
    }

    pub(super) fn of_loop(name: &str) -> Self {
        Self {
            stem: name.strip_suffix(LOOP_SUFFIX).unwrap_or(name).to_owned(),
            suffix: LOOP_SUFFIX,
        }
    }

    pub(super) fn whole(&self) -> String {
        format!("{}{}", self.stem, self.suffix)
    }

    /// The name with a number, `walk_2-loop`.
    pub(super) fn numbered(&self, number: u64) -> String {
        format!("{}_{number}{}", self.stem, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_loops_end_so_once() {
        assert_eq!(Name::of_loop("walk").whole(), "walk-loop");
        assert_eq!(Name::of_loop("walk-loop").whole(), "walk-loop");
        assert_eq!(Name::of_loop("walk").numbered(2), "walk_2-loop");
        assert_eq!(Name::of_take("walk").numbered(3), "walk_3");
    }
}
