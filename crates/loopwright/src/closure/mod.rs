//! Closing a seam: offsets that make a cut meet itself in pose, velocity and, for C2 shapes, acceleration.
//!
//! Measure the motion at both ends ([`seam`]), derive the offsets wanted there ([`seam::point_targets`],
//! [`rotation::rotation_targets`]), spread them over the clip ([`boundary`], [`shapes`]), apply: points get o(t) added,
//! rotations become exp(o(t)) q(t). Exact for every shape, share and clip, because what each shape leaves at the far
//! end is part of the system that is solved. Derivation: docs/math/closure.md.

use core::fmt;

use glam::{DQuat, DVec3};

use crate::{math, take::Clip};

pub mod seam;

pub mod boundary;

pub mod shapes;

pub mod rotation;

use boundary::{Boundary, BoundaryError, Weights};
pub use seam::{Gaps, SeamGaps};
use seam::{JointEnds, JointGap, PointEnd};
pub use shapes::Shape;

/// How far a seam is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Pose and velocity.
    C1,
    /// Acceleration as well, where both shapes carry it (quintic); pose and velocity otherwise.
    #[default]
    C2,
}

impl Order {
    /// Number of boundary conditions at both ends together.
    pub fn num_conditions(self) -> usize {
        match self {
            Self::C1 => 4,
            Self::C2 => 6,
        }
    }
}

/// Shares of the gaps that the start takes, each from 0 to 1; the end takes the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Of the pose gap.
    pub rho: f64,
    /// Of the velocity gap.
    pub sigma: f64,
    /// Of the acceleration gap.
    pub tau: f64,
}

/// How a seam is closed.
///
/// The default is quintic C2 over 0.4 s with equal shares: over 291 cuts from 20 takes its seams ranked 49.6% among the
/// other frames, where 50% means that they cannot be told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosureSettings {
    /// Decay of the offsets from the start.
    pub start: Shape,
    /// Decay of the offsets from the end, backwards in time.
    pub end: Shape,
    /// Share of the pose gap that the start takes, 0 to 1; the end takes the rest.
    pub rho: f64,
    /// Share of the velocity gap that the start takes, 0 to 1.
    pub sigma: f64,
    /// Share of the acceleration gap that the start takes, 0 to 1.
    pub tau: f64,
    /// How far the seam is closed.
    pub order: Order,
}

impl Default for ClosureSettings {
    fn default() -> Self {
        let shape = Shape::Quintic { blend_secs: 0.4 };
        Self {
            start: shape,
            end: shape,
            rho: 0.5,
            sigma: 0.5,
            tau: 0.5,
            order: Order::C2,
        }
    }
}

impl ClosureSettings {
    /// The shares of the three gaps.
    pub fn shares(&self) -> Shares {
        Shares {
            rho: self.rho,
            sigma: self.sigma,
            tau: self.tau,
        }
    }

    fn check(&self) -> Result<(), ClosureError> {
        for (end, shape) in [(End::Start, self.start), (End::End, self.end)] {
            let found = shape.secs();
            if !(found > 0.0 && found.is_finite()) {
                return Err(ClosureError::Time { end, found });
            }
        }
        for (share, found) in [("rho", self.rho), ("sigma", self.sigma), ("tau", self.tau)] {
            if !(0.0..=1.0).contains(&found) {
                return Err(ClosureError::Share { share, found });
            }
        }
        Ok(())
    }

    /// The shapes that fit into a period, start first, and what was shortened for it.
    fn fitted(&self, period_secs: f64) -> ([Shape; 2], Vec<Clamp>) {
        let mut clamps = Vec::new();
        let shapes = [(End::Start, self.start), (End::End, self.end)].map(|(end, asked)| {
            let longest = asked.longest_secs(period_secs);
            if asked.secs() <= longest {
                return asked;
            }
            let used = asked.with_secs(longest);
            clamps.push(Clamp { end, asked, used });
            used
        });
        (shapes, clamps)
    }
}

/// An end of a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Where the loop starts.
    Start,
    /// Where it meets its start.
    End,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::End => "end",
        })
    }
}

/// A shape that did not fit into the period and was shortened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Which end.
    pub end: End,
    /// The shape asked for.
    pub asked: Shape,
    /// The shape used.
    pub used: Shape,
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = match self.asked {
            Shape::Quintic { .. } | Shape::Cubic { .. } => "blend",
            Shape::Spring { .. } => "half-life",
        };
        write!(
            f,
            "the {time} at the {} was shortened from {:.3} s to {:.3} s to fit into the loop",
            self.end,
            self.asked.secs(),
            self.used.secs()
        )
    }
}

/// Why a clip cannot be closed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// A blend time or half-life is not a positive number.
    #[error("the blend at the {end} must last a positive number of seconds, found {found}")]
    Time {
        /// Which end.
        end: End,
        /// Seconds given.
        found: f64,
    },
    /// A share is outside 0 to 1.
    #[error("{share} must lie between 0 and 1, found {found}")]
    Share {
        /// Name of the share: rho, sigma or tau.
        share: &'static str,
        /// Value given.
        found: f64,
    },
    /// The boundary system has no solution.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
}

/// Offsets wanted at both ends of a track, start first, with their derivatives: the conditions of the boundary system.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Targets {
    /// o(0) and o(T), metres or radians.
    pub value: [DVec3; 2],
    /// o'(0) and o'(T), per second.
    pub rate: [DVec3; 2],
    /// o''(0) and o''(T), per second squared; left out where only C1 is met.
    pub bend: [DVec3; 2],
}

impl Targets {
    /// The offset, or the derivative of it whose weights are given.
    pub fn mix(&self, weights: &[f64; boundary::MAX_CONDITIONS]) -> DVec3 {
        let [start, end, start_rate, end_rate, start_bend, end_bend] = *weights;
        self.value[0] * start
            + self.value[1] * end
            + self.rate[0] * start_rate
            + self.rate[1] * end_rate
            + self.bend[0] * start_bend
            + self.bend[1] * end_bend
    }
}

/// A closed clip and what was done to it.
///
/// N is the number of intervals of the clip. Arrays are frame-major: the value of (sample, joint) stands at
/// sample * num_joints + joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// Local translations of the N unique samples, metres.
    pub translations: Vec<DVec3>,
    /// Local rotations of the N unique samples, signs continuous from sample to sample. Over the seam they are
    /// continuous too, except for a joint that makes an odd number of whole turns per period, where no choice of signs
    /// is.
    pub rotations: Vec<DQuat>,
    /// Offsets added to the translations, metres, for samples 0 to N inclusive.
    pub translation_offsets: Vec<DVec3>,
    /// Offsets of the rotations, rotation vectors multiplied on the left, radians, for samples 0 to N inclusive.
    pub rotation_offsets: Vec<DVec3>,
    /// Gaps of every joint before closing.
    pub seam: SeamGaps,
    /// Largest gaps after closing, from the closed values and the offsets' own derivatives at both ends: rounding,
    /// except for the accelerations when only C1 was met.
    pub residual: Gaps,
    /// The shape used at the start, after clamping.
    pub start: Shape,
    /// The shape used at the end, after clamping.
    pub end: Shape,
    /// What was met: C2 only where it was asked for and both shapes carry it.
    pub order: Order,
    /// Shapes that were shortened to fit.
    pub clamps: Vec<Clamp>,
}

/// Closes every joint's local track of a clip.
///
/// Velocities and accelerations at both ends are measured with the clip's context. Afterwards the pose at sample N,
/// were it kept, equals the pose at sample 0 to rounding, and so do velocities (and accelerations for C2) as measured
/// at the ends plus those of the offsets. A clip that repeats already comes back unchanged to rounding; a track that
/// stands still, and samples that no blend reaches, come back bit for bit.
/// Errors: a time or share out of range; shapes that cannot be told apart over the clip. Source: docs/math/closure.md.
pub fn close(clip: &Clip, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    settings.check()?;
    let period = clip.period_secs();
    let ([start, end], clamps) = settings.fitted(period);
    let boundary = Boundary::new(start, end, period, settings.order)?;
    let shares = settings.shares();
    let num_joints = clip.skeleton().num_joints();
    let num_intervals = clip.num_intervals();

    let at_ends = [0.0, period].map(|t| boundary.weights(t));
    let mut seam = SeamGaps::default();
    let mut residual = Gaps::default();
    let mut targets = Vec::with_capacity(num_joints);
    for joint in 0..num_joints {
        let ends = seam::measure(clip, joint);
        let joint_targets = JointTargets {
            translation: seam::point_targets(&ends.translation[0], &ends.translation[1], &shares),
            rotation: rotation::rotation_targets(&ends.rotation[0], &ends.rotation[1], &shares),
        };
        seam.joints.push(JointGap::of(&ends));
        residual.take_in(&JointGap::of(&closed_ends(&ends, &joint_targets, &at_ends)));
        targets.push(joint_targets);
    }

    let count = num_intervals * num_joints;
    let mut closed = Closed {
        translations: Vec::with_capacity(count),
        rotations: Vec::with_capacity(count),
        translation_offsets: Vec::with_capacity(count + num_joints),
        rotation_offsets: Vec::with_capacity(count + num_joints),
        seam,
        residual,
        start,
        end,
        order: boundary.order(),
        clamps,
    };
    for sample in 0..=num_intervals {
        let weights = boundary.weights(sample as f64 * clip.step_secs()).value;
        for targets in &targets {
            closed.translation_offsets.push(targets.translation.mix(&weights));
            closed.rotation_offsets.push(targets.rotation.mix(&weights));
        }
        if sample == num_intervals {
            break;
        }
        let of_sample = sample * num_joints..(sample + 1) * num_joints;
        let points = clip
            .translations(sample as isize)
            .iter()
            .zip(&closed.translation_offsets[of_sample.clone()]);
        // Adding zero would lose the sign of a zero.
        closed
            .translations
            .extend(points.map(|(&x, &o)| if o == DVec3::ZERO { x } else { x + o }));
        let turns = clip
            .rotations(sample as isize)
            .iter()
            .zip(&closed.rotation_offsets[of_sample]);
        closed.rotations.extend(turns.map(|(&q, &o)| rotation::turn_by(o, q)));
    }
    for index in num_joints..count {
        let before = closed.rotations[index - num_joints];
        closed.rotations[index] = math::rotation::on_side_of(closed.rotations[index], before);
    }
    Ok(closed)
}

/// Targets of one joint's two tracks.
struct JointTargets {
    translation: Targets,
    rotation: Targets,
}

/// The motion at both ends with the offsets applied.
fn closed_ends(raw: &JointEnds, targets: &JointTargets, weights: &[Weights; 2]) -> JointEnds {
    let mut closed = *raw;
    for end in 0..2 {
        let rows = [weights[end].value, weights[end].rate, weights[end].bend];
        let [o, rate, bend] = rows.map(|row| targets.translation.mix(&row));
        let point = &raw.translation[end];
        closed.translation[end] = PointEnd {
            position: point.position + o,
            velocity: point.velocity + rate,
            acceleration: point.acceleration + bend,
        };
        let [o, rate, bend] = rows.map(|row| targets.rotation.mix(&row));
        closed.rotation[end] = rotation::offset_motion(&raw.rotation[end], o, rate, bend);
    }
    closed
}
