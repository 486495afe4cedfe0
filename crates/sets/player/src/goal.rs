//! The goal of a character.

/// The motion that a character is to show.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Goal {
    /// Over the ground, metres per second.
    pub speed: f64,
    /// Radians per second, to the left positive.
    pub turn_rate: f64,
    /// Where it goes against where it faces, radians, to the left positive.
    pub direction: f64,
    /// Metres per second.
    pub climb: f64,
    /// Once, by a passage that turns, radians.
    pub turn: f64,
}
