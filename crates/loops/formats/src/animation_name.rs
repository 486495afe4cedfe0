//! The name of an animation in a file that holds several.

use crate::{keyed_motion::KeyedMotion, naming::LOOP_SUFFIX};

/// The name of an animation, in two parts, so that a number can be inserted between them.
pub(crate) struct Name {
    stem: String,
    suffix: &'static str,
}

impl Name {
    /// Creates the name of a motion; the name of a loop ends in the suffix of loops, once.
    pub(crate) fn new(motion: &KeyedMotion) -> Self {
        let suffix = motion.as_loop().map_or("", |_| LOOP_SUFFIX);
        Self {
            stem: motion.name.strip_suffix(suffix).unwrap_or(motion.name).to_owned(),
            suffix,
        }
    }

    pub(crate) fn whole(&self) -> String {
        format!("{}{}", self.stem, self.suffix)
    }

    /// Returns the first of `walk-loop`, `walk_2-loop` ... that is not in use.
    pub(crate) fn free(&self, is_taken: impl Fn(&str) -> bool) -> String {
        core::iter::once(self.whole())
            .chain((2..).map(|number| self.numbered(number)))
            .find(|name| !is_taken(name))
            .unwrap_or_default()
    }

    /// Returns the name with a number, `walk_2-loop`.
    fn numbered(&self, number: u64) -> String {
        format!("{}_{number}{}", self.stem, self.suffix)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_before_the_suffix() {
        let name = |stem: &str, suffix| Name {
            stem: stem.to_owned(),
            suffix,
        };
        assert_eq!(name("walk", LOOP_SUFFIX).whole(), "walk-loop");
        assert_eq!(name("walk", LOOP_SUFFIX).numbered(2), "walk_2-loop");
        assert_eq!(name("walk", "").numbered(3), "walk_3");
    }
}
