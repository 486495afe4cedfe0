//! Axes and units: how a file's space relates to ours, stated or guessed.
//!
//! Internally everything is in metres, +Y up, right-handed. A file with another up axis is rotated as a whole by a quarter turn,
//! which changes only the root's track:
//!
//! | up in the file | turn | where (x, y, z) goes |
//! |---|---|---|
//! | Y | none | (x, y, z) |
//! | Z | -90 degrees about X | (x, z, -y) |
//! | X | +90 degrees about Z | (-y, x, z) |
//! | -Y | 180 degrees about X | (x, -y, -z) |
//! | -Z | +90 degrees about X | (x, -z, y) |
//! | -X | -90 degrees about Z | (y, -x, z) |

use core::fmt;

use glam::{DQuat, DVec3};

pub(crate) mod choice;
pub(crate) mod guess;

#[cfg(feature = "fbx")]
pub(crate) mod stated;
pub(crate) mod warning;

pub use choice::{SpaceError, SpaceSettings, UnitChoice, UpChoice};

/// An axis of space.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
pub enum Axis {
    /// The first.
    X,
    /// The second.
    Y,
    /// The third.
    Z,
}

impl Axis {
    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the unit vector along it.
    pub fn unit(self) -> DVec3 {
        DVec3::AXES[self.index()]
    }
}

loopwright_core::words!(Axis { X: "X", Y: "Y", Z: "Z" });

/// The direction that is up in a file: along an axis, or against it.
#[handed_over(Copy, Eq)]
pub struct Up {
    /// The axis.
    pub axis: Axis,
    /// Whether it points down.
    pub is_against: bool,
}

impl Up {
    /// +X is up.
    pub const X: Self = Self::along(Axis::X);
    /// +Y is up.
    pub const Y: Self = Self::along(Axis::Y);
    /// +Z is up.
    pub const Z: Self = Self::along(Axis::Z);

    /// All six.
    pub const ALL: [Self; 6] = [
        Self::X,
        Self::Y,
        Self::Z,
        Self::against(Axis::X),
        Self::against(Axis::Y),
        Self::against(Axis::Z),
    ];

    /// Creates an axis that points up.
    pub const fn along(axis: Axis) -> Self {
        Self {
            axis,
            is_against: false,
        }
    }

    /// Creates an axis that points down.
    pub const fn against(axis: Axis) -> Self {
        Self { axis, is_against: true }
    }

    /// Returns the unit vector that points up.
    pub fn unit(self) -> DVec3 {
        if self.is_against {
            -self.axis.unit()
        } else {
            self.axis.unit()
        }
    }
}

impl fmt::Display for Up {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}{}", if self.is_against { "-" } else { "" }, self.axis)
    }
}

/// Metres in the unit of the CMU database's skeletons: an inch over 0.45.
pub const CMU_UNIT_METRES: f64 = 0.0254 / 0.45;

/// Units that have a name: the name, and the metres in one. The order is the order of preference when guessing.
pub const NAMED_UNITS: [(&str, f64); 5] = [
    ("m", 1.0),
    ("cm", 0.01),
    ("in", 0.0254),
    ("cmu", CMU_UNIT_METRES),
    ("mm", 0.001),
];

/// Shortest and longest unit in metres; beyond this range, plausible bodies have no plausible numbers.
pub(crate) const UNIT_RANGE: core::ops::RangeInclusive<f64> = 1e-6..=1e6;

/// How a file's space relates to ours.
#[handed_over(Copy)]
pub struct Space {
    /// The direction that is up in the file.
    pub up: Up,
    /// Whether the caller stated it; otherwise it is guessed.
    pub up_given: bool,
    /// Metres in the file's unit.
    pub unit_metres: f64,
    /// Whether the caller stated it; otherwise it is guessed.
    pub unit_given: bool,
}

impl Space {
    /// Centimetres with Y up: the default for writing.
    pub const CENTIMETRES_Y_UP: Self = Self {
        up: Up::Y,
        up_given: true,
        unit_metres: 0.01,
        unit_given: true,
    };

    /// Metres with Y up: ours.
    pub const METRES_Y_UP: Self = Self {
        unit_metres: 1.0,
        ..Self::CENTIMETRES_Y_UP
    };

    /// Short name of the unit if it has one, else its metres, such as `0.3 m`.
    pub fn unit_name(&self) -> String {
        NAMED_UNITS
            .iter()
            .find(|(_, metres)| (metres / self.unit_metres - 1.0).abs() < 1e-9)
            .map_or_else(|| format!("{} m", self.unit_metres), |(name, _)| (*name).to_owned())
    }

    /// Returns the rotation from what is up in the file to +Y.
    pub fn turn(&self) -> DQuat {
        let half = core::f64::consts::FRAC_1_SQRT_2;
        let side = if self.up.is_against { -half } else { half };
        match (self.up.axis, self.up.is_against) {
            (Axis::X, _) => DQuat::from_xyzw(0.0, 0.0, side, half),
            (Axis::Y, false) => DQuat::IDENTITY,
            (Axis::Y, true) => DQuat::from_xyzw(1.0, 0.0, 0.0, 0.0),
            (Axis::Z, _) => DQuat::from_xyzw(-side, 0.0, 0.0, half),
        }
    }

    /// Returns a vector of the file's world in our axes, without a change of unit; exact.
    pub fn turned(&self, v: DVec3) -> DVec3 {
        match (self.up.axis, self.up.is_against) {
            (Axis::X, false) => DVec3::new(-v.y, v.x, v.z),
            (Axis::X, true) => DVec3::new(v.y, -v.x, v.z),
            (Axis::Y, false) => v,
            (Axis::Y, true) => DVec3::new(v.x, -v.y, -v.z),
            (Axis::Z, false) => DVec3::new(v.x, v.z, -v.y),
            (Axis::Z, true) => DVec3::new(v.x, -v.z, v.y),
        }
    }

    /// Undoes [`Self::turned`].
    pub fn turned_back(&self, v: DVec3) -> DVec3 {
        let up = match self.up.axis {
            // A half turn undoes itself, a quarter turn is undone by the other one.
            Axis::Y => self.up,
            axis => Up {
                axis,
                is_against: !self.up.is_against,
            },
        };
        Self { up, ..*self }.turned(v)
    }

    /// Converts poses from the file's axes and unit to ours, frame after frame: the first joint is rotated, and everything else
    /// is relative to its parent.
    pub(crate) fn settle(&self, num_joints: usize, translations: &mut [DVec3], rotations: &mut [DQuat]) {
        let num_joints = num_joints.max(1);
        for (translations, rotations) in translations
            .chunks_exact_mut(num_joints)
            .zip(rotations.chunks_exact_mut(num_joints))
        {
            translations[0] = self.turned(translations[0]);
            rotations[0] = self.turn() * rotations[0];
            for translation in translations {
                *translation *= self.unit_metres;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_lay_the_up_axis_on_y_and_undo() {
        for up in Up::ALL {
            let space = Space {
                up,
                ..Space::CENTIMETRES_Y_UP
            };
            assert_eq!(space.turned(up.unit()), DVec3::Y);
            let v = DVec3::new(1.0, -2.0, 3.0);
            assert_eq!(space.turned_back(space.turned(v)), v);
            assert!((space.turn() * v - space.turned(v)).length() < 1e-14);
        }
        assert_eq!(
            Space {
                unit_metres: 0.3,
                ..Space::CENTIMETRES_Y_UP
            }
            .unit_name(),
            "0.3 m"
        );
        assert_eq!(Space::CENTIMETRES_Y_UP.unit_name(), "cm");
    }
}
