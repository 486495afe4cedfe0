//! The words for closures, and for other choices of this stage, as people write them.

use core::{fmt, str::FromStr};

use super::{method::DEFAULT_BLEND_SECS, shapes::Shape};

/// What closes a seam, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureName {
    /// The least visible of all, found by trying: [`crate::pipeline::auto`].
    Auto,
    /// [`Shape::Quintic`].
    Quintic,
    /// [`Shape::Cubic`].
    Cubic,
    /// [`Shape::Spring`].
    Spring,
    /// [`Shape::Linear`].
    Linear,
    /// [`Shape::SoftFade`].
    SoftFade,
    /// [`Shape::Adjustment`].
    Adjustment,
    /// The moving crossfade: [`super::Method::crossfade`].
    Crossfade,
    /// Nothing: the seam keeps its jump.
    Open,
}

/// Half-life of a spring unless given, seconds.
const HALF_LIFE_SECS: f64 = 0.1;

/// Hardness of a soft fade unless given, and its duration, seconds: those of the article.
const HARDNESS: f64 = 16.0;
const DURATION_SECS: f64 = 0.4;

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

    /// The shape of that name with its leading time and its hardness, each with its default where not given.
    ///
    /// `auto` starts from quintics, and what a crossfade leaves is closed by them. `None` where nothing is closed.
    pub fn shape(self, secs: Option<f64>, hardness: Option<f64>) -> Option<Shape> {
        let blend_secs = secs.unwrap_or(DEFAULT_BLEND_SECS);
        Some(match self {
            Self::Auto | Self::Quintic | Self::Crossfade => Shape::Quintic { blend_secs },
            Self::Cubic => Shape::Cubic { blend_secs },
            Self::Spring => Shape::Spring {
                half_life_secs: secs.unwrap_or(HALF_LIFE_SECS),
            },
            Self::Linear => Shape::Linear { blend_secs },
            Self::SoftFade => Shape::SoftFade {
                duration_secs: secs.unwrap_or(DURATION_SECS),
                hardness: hardness.unwrap_or(HARDNESS),
                blend_secs,
            },
            Self::Adjustment => Shape::Adjustment { blend_secs },
            Self::Open => return None,
        })
    }
}

impl From<Shape> for ClosureName {
    fn from(shape: Shape) -> Self {
        match shape {
            Shape::Quintic { .. } => Self::Quintic,
            Shape::Cubic { .. } => Self::Cubic,
            Shape::Spring { .. } => Self::Spring,
            Shape::Linear { .. } => Self::Linear,
            Shape::SoftFade { .. } => Self::SoftFade,
            Shape::Adjustment { .. } => Self::Adjustment,
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
