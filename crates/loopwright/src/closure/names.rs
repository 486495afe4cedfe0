//! The words for closures, and for other choices of this stage, as people write them.

use core::{fmt, str::FromStr};

/// What closes a seam, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureName {
    /// The least visible of all, found by trying: [`crate::pipeline::auto`].
    Auto,
    /// [`super::Shape::Quintic`].
    Quintic,
    /// [`super::Shape::Cubic`].
    Cubic,
    /// [`super::Shape::Spring`].
    Spring,
    /// [`super::Shape::Linear`].
    Linear,
    /// [`super::Shape::SoftFade`].
    SoftFade,
    /// [`super::Shape::Adjustment`].
    Adjustment,
    /// The moving crossfade: [`super::Method::crossfade`].
    Crossfade,
    /// Nothing: the seam keeps its jump.
    Open,
}

impl ClosureName {
    /// What closes a whole body.
    pub const OF_BODIES: [Self; 8] = [
        Self::Auto,
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
    ];

    /// What closes single joints.
    pub const OF_JOINTS: [Self; 8] = [
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
        Self::Open,
    ];

    /// The name as people write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Quintic => "quintic",
            Self::Cubic => "cubic",
            Self::Spring => "spring",
            Self::Linear => "linear",
            Self::SoftFade => "softfade",
            Self::Adjustment => "adjustment",
            Self::Crossfade => "crossfade",
            Self::Open => "open",
        }
    }
}

impl fmt::Display for ClosureName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for ClosureName {
    type Err = UnknownWord;

    fn from_str(text: &str) -> Result<Self, UnknownWord> {
        let all = [&Self::OF_BODIES[..], &[Self::Open]].concat();
        named(&all, Self::as_str, text)
    }
}

/// A word that names none of the choices.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be one of {}, found \"{found}\"", .known.join(", "))]
pub struct UnknownWord {
    /// The word given.
    pub found: String,
    /// The words there are.
    pub known: Vec<&'static str>,
}

/// The choice that a word names, exactly as written.
pub(super) fn named<T: Copy>(all: &[T], word: fn(T) -> &'static str, text: &str) -> Result<T, UnknownWord> {
    let found = all.iter().copied().find(|&choice| word(choice) == text);
    found.ok_or_else(|| UnknownWord {
        found: text.to_owned(),
        known: all.iter().copied().map(word).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::closure::{Order, SeamMotion};

    #[test]
    fn words_are_read_as_they_are_written() {
        for name in [ClosureName::OF_BODIES, ClosureName::OF_JOINTS].concat() {
            assert_eq!(name.to_string().parse(), Ok(name));
            if !matches!(name, ClosureName::Auto | ClosureName::Crossfade) {
                assert_eq!(
                    name.shape(None, None).map_or(ClosureName::Open, ClosureName::from),
                    name
                );
            }
        }
        assert_eq!(("c1".parse(), "c2".parse()), (Ok(Order::C1), Ok(Order::C2)));
        for motion in [SeamMotion::Layered, SeamMotion::Central] {
            assert_eq!(motion.to_string().parse(), Ok(motion));
        }
        assert_eq!(
            "C1".parse::<Order>().unwrap_err().to_string(),
            "must be one of c1, c2, found \"C1\""
        );
    }
}
