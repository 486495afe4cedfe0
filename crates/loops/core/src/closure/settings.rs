//! Settings of a closure: a method for each joint, and the errors of invalid settings.

use super::{BoundaryError, End, Method, Shares};
use crate::unit::Unit;

/// How velocities and accelerations at the seam are measured.
#[handed_over(Copy, Default, Eq)]
#[in_words]
pub enum SeamMotion {
    /// By least squares over nine samples, which the method closes; a quintic over 8 samples closes the remainder up to the
    /// central differences. The seam is then as rough as the capture, and no limb swings to match noise. If the take does not
    /// have four frames beyond both ends of the cut, [`Self::Central`] is used.
    ///
    /// Such seams are the hardest to find at every frame rate, and the take is moved least (514 cuts of captured takes).
    #[default]
    Layered,
    /// By central differences, noise included: the method closes all of it.
    Central,
}

/// Samples over which the noise of a layered seam fades.
///
/// Measured: with 4 the seam acceleration errs by half as much again; with 9 seams are a little easier to find.
pub(crate) const NOISE_SAMPLES: usize = 8;

/// Settings of a closure: a method for all joints, and others for chosen ones.
#[handed_over(Default)]
pub struct ClosureSettings {
    /// The method of all joints without their own.
    pub method: Method,
    /// How velocities and accelerations at the seam are measured.
    pub motion: SeamMotion,
    /// Joints with their own method, by index; the last entry for a joint applies, and `None` leaves it open.
    pub joints: Vec<(usize, Option<Method>)>,
}

impl From<Method> for ClosureSettings {
    fn from(method: Method) -> Self {
        Self {
            method,
            ..Self::default()
        }
    }
}

impl ClosureSettings {
    /// Returns the method of a joint; `None` if it is left open.
    pub fn method_of(&self, joint: usize) -> Option<Method> {
        self.joints
            .iter()
            .rev()
            .find(|(index, _)| *index == joint)
            .map_or(Some(self.method), |(_, method)| *method)
    }

    /// Errors: a time, hardness or share out of range; a joint that is not there.
    pub(super) fn check(&self, num_joints: usize) -> Result<(), ClosureError> {
        self.method.check()?;
        for (joint, method) in &self.joints {
            if *joint >= num_joints {
                return Err(ClosureError::Joint {
                    joint: *joint,
                    num_joints,
                });
            }
            if let Some(method) = method {
                method.check()?;
            }
        }
        Ok(())
    }
}

impl Method {
    fn check(&self) -> Result<(), ClosureError> {
        for (end, shape) in [(End::Start, self.start), (End::End, self.end)] {
            for (parameter, found) in shape.values() {
                if found > 0.0 && found.is_finite() {
                    continue;
                }
                return Err(match parameter.unit {
                    Unit::Secs => ClosureError::Time { end, found },
                    _ => ClosureError::Number {
                        end,
                        noun: parameter.noun,
                        found,
                    },
                });
            }
            if let Some(found) = self.crossfade_secs.filter(|found| !(*found > 0.0 && found.is_finite())) {
                return Err(ClosureError::Time { end, found });
            }
        }
        let Shares { rho, sigma, tau } = self.shares;
        for (share, found) in [("rho", rho), ("sigma", sigma), ("tau", tau)] {
            if !(0.0..=1.0).contains(&found) {
                return Err(ClosureError::Share { share, found });
            }
        }
        Ok(())
    }
}

/// Why a clip cannot be closed.
#[error_kinds]
pub enum ClosureError {
    #[error("the blend at the {end} must last a positive number of seconds, found {found}")]
    Time { end: End, found: f64 },
    /// Another number of a shape, such as a hardness, is not positive.
    #[error("the {noun} at the {end} must be a positive number, found {found}")]
    Number { end: End, noun: &'static str, found: f64 },
    #[error("{share} must lie between 0 and 1, found {found}")]
    Share {
        /// Name of the share: rho, sigma or tau.
        share: &'static str,
        found: f64,
    },
    #[error("joint {joint} has its own method, but the skeleton has {num_joints} joints")]
    Joint { joint: usize, num_joints: usize },
    /// The boundary system has no solution.
    Boundary(BoundaryError),
}
