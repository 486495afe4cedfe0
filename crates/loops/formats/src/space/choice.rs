//! The caller's settings for a file's axes and unit.

use core::str::FromStr;

use super::{NAMED_UNITS, Space, UNIT_RANGE, Up};

/// The up axis of a file.
#[value(Copy, Default, Eq)]
pub enum UpChoice {
    /// Detect what is up: the head above the feet.
    #[default]
    Auto,
    /// The given direction.
    Given(Up),
}

impl UpChoice {
    /// X is up.
    pub const X: Self = Self::Given(Up::X);
    /// Y is up.
    pub const Y: Self = Self::Given(Up::Y);
    /// Z is up.
    pub const Z: Self = Self::Given(Up::Z);
}

/// The length of a file's unit.
#[value(Copy, Default)]
pub enum UnitChoice {
    /// Detect the known unit that makes the body as tall as a person.
    #[default]
    Auto,
    /// The given number of metres, 1e-6 to 1e6.
    Metres(f64),
}

/// Why a word is not a choice of axis or unit.
#[error_kinds]
pub enum SpaceError {
    #[error("\"{found}\" is not an up axis; use x, y, z, -x, -y, -z or auto")]
    Up { found: String },
    /// Neither the name of a unit nor a plausible number.
    #[error(
        "\"{found}\" is not a unit; use m, cm, mm, in, cmu, auto, or the metres in one unit as a number from 1e-6 to 1e6"
    )]
    Unit { found: String },
}

impl FromStr for UpChoice {
    type Err = SpaceError;

    /// Parses `x`, `y`, `z`, one of them behind a minus, or `auto`, in any case.
    fn from_str(word: &str) -> Result<Self, SpaceError> {
        if word.eq_ignore_ascii_case("auto") {
            return Ok(Self::Auto);
        }
        Up::ALL
            .into_iter()
            .find(|up| up.to_string().eq_ignore_ascii_case(word))
            .map(Self::Given)
            .ok_or_else(|| SpaceError::Up { found: word.to_owned() })
    }
}

impl FromStr for UnitChoice {
    type Err = SpaceError;

    /// Parses `m`, `cm`, `mm`, `in`, `cmu` or `auto` in any case, or a number of metres.
    fn from_str(word: &str) -> Result<Self, SpaceError> {
        let lower = word.to_ascii_lowercase();
        if lower == "auto" {
            return Ok(Self::Auto);
        }
        NAMED_UNITS
            .iter()
            .find(|(name, _)| *name == lower)
            .map(|&(_, metres)| metres)
            .or_else(|| lower.parse().ok())
            .filter(|metres| UNIT_RANGE.contains(metres))
            .map(Self::Metres)
            .ok_or_else(|| SpaceError::Unit { found: word.to_owned() })
    }
}

/// The caller's settings for a file's space.
#[value(Copy, Default)]
pub struct SpaceSettings {
    /// The up axis; default: detected from the body.
    pub up: UpChoice,
    /// The unit; default: detected from the body.
    pub unit: UnitChoice,
}

impl SpaceSettings {
    /// Creates an up axis and a unit.
    pub const fn new(up: UpChoice, unit: UnitChoice) -> Self {
        Self { up, unit }
    }
}

/// Fixes the axis and the unit to those of a known file.
impl From<&Space> for SpaceSettings {
    fn from(space: &Space) -> Self {
        Self::new(UpChoice::Given(space.up), UnitChoice::Metres(space.unit_metres))
    }
}

#[cfg(test)]
mod tests {
    use super::{super::CMU_UNIT_METRES, *};

    #[test]
    fn words_for_axes_and_units() {
        assert_eq!("Z".parse(), Ok(UpChoice::Z));
        assert_eq!("auto".parse(), Ok(UpChoice::Auto));
        assert_eq!("-y".parse(), Ok(UpChoice::Given(Up::against(super::super::Axis::Y))));
        assert!("up".parse::<UpChoice>().is_err());
        assert_eq!("cm".parse(), Ok(UnitChoice::Metres(0.01)));
        assert_eq!("CMU".parse(), Ok(UnitChoice::Metres(CMU_UNIT_METRES)));
        assert_eq!("0.3048".parse(), Ok(UnitChoice::Metres(0.3048)));
        assert_eq!("auto".parse(), Ok(UnitChoice::Auto));
        for word in ["", "yard", "0", "-1", "nan", "inf", "1e9"] {
            assert!(word.parse::<UnitChoice>().is_err(), "{word}");
        }
    }
}
