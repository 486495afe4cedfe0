//! Units of settings, as people read and write them.

/// The unit of a setting.
#[value(Copy, Eq)]
pub enum Unit {
    /// A number without unit.
    Number,
    /// Seconds.
    Secs,
    /// Degrees.
    Degrees,
    /// Metres.
    Metres,
    /// Hertz.
    Hertz,
}

impl Unit {
    /// Returns the text after a number of this unit, with the space before it.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Number => "",
            Self::Secs => " s",
            Self::Degrees => "°",
            Self::Metres => " m",
            Self::Hertz => " Hz",
        }
    }
}
