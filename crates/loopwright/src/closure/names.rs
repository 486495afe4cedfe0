//! Closure methods by name.

use crate::words;

/// A closure method by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosureName {
    /// The least visible of a grid of methods, found by trying them: `auto`.
    Auto,
    /// [`super::Shape::Quintic`].
    Quintic,
    /// [`super::Shape::Cubic`].
    Cubic,
    /// [`super::Shape::Spring`].
    Spring,
    /// [`super::Shape::Least`].
    Least,
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

words!(ClosureName {
    Auto: "auto",
    Quintic: "quintic",
    Cubic: "cubic",
    Spring: "spring",
    Least: "least",
    Linear: "linear",
    SoftFade: "softfade",
    Adjustment: "adjustment",
    Crossfade: "crossfade",
    Open: "open",
});

impl ClosureName {
    /// Methods that can close a whole body.
    pub const OF_BODIES: [Self; 9] = [
        Self::Auto,
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Least,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
    ];

    /// Methods that can close single joints.
    pub const OF_JOINTS: [Self; 9] = [
        Self::Quintic,
        Self::Cubic,
        Self::Spring,
        Self::Least,
        Self::Linear,
        Self::SoftFade,
        Self::Adjustment,
        Self::Crossfade,
        Self::Open,
    ];
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written_and_lead_to_their_shapes() {
        for name in ClosureName::ALL {
            assert_eq!(name.to_string().parse(), Ok(name));
            if !matches!(name, ClosureName::Auto | ClosureName::Crossfade) {
                let of_shape = name.shape(None, None, None).map(ClosureName::from);
                assert_eq!(of_shape.unwrap_or(ClosureName::Open), name);
            }
        }
    }
}
