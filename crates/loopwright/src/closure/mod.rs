//! Closing a seam: offsets that make a cut meet itself in pose, velocity and, for C2 shapes, acceleration.
//!
//! Measure the motion at both ends ([`crate::analysis::velocity`]), derive the offsets wanted there ([`seam`]), spread them
//! over the clip ([`boundary`], [`shapes`]), apply: points get o(t) added, rotations become exp(o(t)) q(t). Exact for every
//! shape, share and clip, because what each shape leaves at the far end is part of the system that is solved.
//! Derivations: docs/math/closure.md.

use core::fmt;

use glam::{DQuat, DVec3};

use crate::{
    analysis::velocity::{self, Around},
    math::rotation,
    take::Clip,
};

pub mod seam;

pub mod boundary;

pub mod shapes;

use boundary::{Boundary, BoundaryError};
pub use seam::Gaps;
use seam::{PointEnd, RotationEnd, Targets};
pub use shapes::Shape;

/// How far a seam is closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// Pose and velocity.
    C1,
    /// Acceleration as well, where both shapes carry it.
    #[default]
    C2,
}

/// Shares of the gaps that the start takes; the end takes the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shares {
    /// Of the pose gap, 0 to 1.
    pub rho: f64,
    /// Of the velocity gap, 0 to 1.
    pub sigma: f64,
    /// Of the acceleration gap, 0 to 1.
    pub tau: f64,
}

impl Default for Shares {
    fn default() -> Self {
        Self {
            rho: 0.5,
            sigma: 0.5,
            tau: 0.5,
        }
    }
}

/// How a seam is closed. The default, quintic C2 over 0.4 s, measured best: its seams cannot be told from other frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosureSettings {
    /// Decay of the offsets at the start.
    pub start: Shape,
    /// Decay of the offsets at the end, backwards in time.
    pub end: Shape,
    /// Shares of the gaps that the start takes.
    pub shares: Shares,
    /// How far the seam is closed.
    pub order: Order,
}

impl Default for ClosureSettings {
    fn default() -> Self {
        let shape = Shape::Quintic { blend_secs: 0.4 };
        Self {
            start: shape,
            end: shape,
            shares: Shares::default(),
            order: Order::C2,
        }
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

/// A time that did not fit into the clip and was shortened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamp {
    /// Which end.
    pub end: End,
    /// Seconds asked for.
    pub asked_secs: f64,
    /// Seconds used.
    pub used_secs: f64,
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = match self.end {
            End::Start => "start",
            End::End => "end",
        };
        write!(
            f,
            "the blend at the {end} was shortened from {:.3} s to {:.3} s to fit into the loop",
            self.asked_secs, self.used_secs
        )
    }
}

/// Why a clip cannot be closed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// A blend time or half-life is not a positive number.
    #[error("a blend must last a positive number of seconds, found {found}")]
    Time {
        /// Seconds given.
        found: f64,
    },
    /// A share is outside 0 to 1.
    #[error("{share} must lie between 0 and 1, found {found}")]
    Share {
        /// Which share.
        share: &'static str,
        /// Value given.
        found: f64,
    },
    /// The boundary system has no solution.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
}

/// A closed clip and what was done to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// Local translations of the N unique samples, metres; frame-major.
    pub translations: Vec<DVec3>,
    /// Local rotations likewise, signs continuous from sample to sample.
    pub rotations: Vec<DQuat>,
    /// Offsets of the translations, metres, over samples 0..=N; frame-major.
    pub translation_offsets: Vec<DVec3>,
    /// Offsets of the rotations as rotation vectors, radians, over samples 0..=N; frame-major.
    pub rotation_offsets: Vec<DVec3>,
    /// Largest gaps before closing.
    pub gaps: Gaps,
    /// Largest gaps after closing, from the offsets' own derivatives: rounding, unless only C1 was asked for.
    pub residual: Gaps,
    /// The shape used at the start, after clamping.
    pub start: Shape,
    /// The shape used at the end, after clamping.
    pub end: Shape,
    /// Times that were shortened to fit.
    pub clamps: Vec<Clamp>,
}

impl ClosureSettings {
    /// Errors: a time that is not positive, a share outside 0 to 1.
    fn check(&self) -> Result<(), ClosureError> {
        for shape in [self.start, self.end] {
            let found = shape.secs();
            if !(found > 0.0 && found.is_finite()) {
                return Err(ClosureError::Time { found });
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

    /// The shapes that fit into a period, and what was shortened for it.
    fn fitted(&self, period_secs: f64) -> (Shape, Shape, Vec<Clamp>) {
        let mut clamps = Vec::new();
        let mut fit = |shape: Shape, end: End| {
            let longest = shape.longest_secs(period_secs);
            if shape.secs() <= longest {
                return shape;
            }
            clamps.push(Clamp {
                end,
                asked_secs: shape.secs(),
                used_secs: longest,
            });
            shape.with_secs(longest)
        };
        let (start, end) = (fit(self.start, End::Start), fit(self.end, End::End));
        (start, end, clamps)
    }
}

/// Gaps below which a track without frames around it counts as looping already, metres or radians: then the frames beyond
/// an end are those inside the other one.
///
/// A tenth of a millimetre or of a milliradian is below what any capture resolves; a seam that large is not seen.
const ALREADY_LOOPS: f64 = 1e-4;

/// Closes every joint's local track of a clip.
///
/// Velocities and accelerations at both ends are measured with the clip's context. Afterwards the pose at sample N, were it
/// kept, equals the pose at sample 0 to rounding, and so do the analytic velocities (and accelerations for C2). A clip that
/// repeats already comes back unchanged. Tracks that do not move keep their bits.
/// Errors: settings out of range, or shapes that cannot be told apart over the clip.
pub fn close(clip: &Clip, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    settings.check()?;
    let (start, end, clamps) = settings.fitted(clip.period_secs());
    let boundary = Boundary::new(start, end, clip.period_secs(), settings.order == Order::C2)?;
    let num_conditions = boundary.num_conditions();
    let num_samples = clip.num_intervals();
    let num_joints = clip.skeleton().num_joints();
    let last = num_samples as isize;

    let mut gaps = Gaps::default();
    let mut residual = Gaps::default();
    let mut point_conditions: Vec<Targets> = Vec::with_capacity(num_joints);
    let mut rotation_conditions: Vec<Targets> = Vec::with_capacity(num_joints);
    let at_ends = [boundary.weights(0.0), boundary.weights(clip.period_secs())];
    for joint in 0..num_joints {
        let ends = point_ends(clip, joint);
        let mut targets = seam::point_targets(&ends[0], &ends[1], &settings.shares);
        targets.conditions[num_conditions..].fill(DVec3::ZERO);
        gaps.add_points(&ends[0], &ends[1]);
        let closed = [0, 1].map(|end| {
            let [o, rate, bend] = at_ends[end].map(|weights| mix(&weights, &targets));
            PointEnd {
                position: ends[end].position + o,
                velocity: ends[end].velocity + rate,
                acceleration: ends[end].acceleration + bend,
            }
        });
        residual.add_points(&closed[0], &closed[1]);
        point_conditions.push(targets);

        let ends = rotation_ends(clip, joint);
        let mut targets = seam::rotation_targets(&ends[0], &ends[1], &settings.shares);
        targets.conditions[num_conditions..].fill(DVec3::ZERO);
        gaps.add_rotations(&ends[0], &ends[1]);
        let closed = [0, 1].map(|end| {
            let [o, rate, bend] = at_ends[end].map(|weights| mix(&weights, &targets));
            seam::closed_rotation(&ends[end], o, rate, bend)
        });
        residual.add_rotations(&closed[0], &closed[1]);
        rotation_conditions.push(targets);
    }

    let count = num_samples * num_joints;
    let mut closed = Closed {
        translations: Vec::with_capacity(count),
        rotations: Vec::with_capacity(count),
        translation_offsets: Vec::with_capacity(count + num_joints),
        rotation_offsets: Vec::with_capacity(count + num_joints),
        gaps,
        residual,
        start,
        end,
        clamps,
    };
    for sample in 0..=last {
        let [weights, ..] = boundary.weights(sample as f64 * clip.step_secs());
        let (translations, rotations) = (clip.translations(sample), clip.rotations(sample));
        for joint in 0..num_joints {
            let moved = mix(&weights, &point_conditions[joint]);
            let turned = mix(&weights, &rotation_conditions[joint]);
            closed.translation_offsets.push(moved);
            closed.rotation_offsets.push(turned);
            if sample == last {
                continue;
            }
            closed.translations.push(translations[joint] + moved);
            closed.rotations.push(if turned == DVec3::ZERO {
                rotations[joint]
            } else {
                (rotation::exp(turned) * rotations[joint]).normalize()
            });
        }
    }
    for index in num_joints..closed.rotations.len() {
        let before = closed.rotations[index - num_joints];
        closed.rotations[index] = rotation::on_side_of(closed.rotations[index], before);
    }
    Ok(closed)
}

/// The offset (or its derivative) that the weights make of the conditions.
fn mix(weights: &[f64; boundary::MAX_CONDITIONS], targets: &Targets) -> DVec3 {
    weights.iter().zip(&targets.conditions).map(|(&weight, &target)| weight * target).sum()
}

/// Position, velocity and acceleration of a joint's translation at both ends.
fn point_ends(clip: &Clip, joint: usize) -> [PointEnd; 2] {
    let at = |sample: isize| clip.translations(sample)[joint];
    let last = clip.num_intervals() as isize;
    let loops = (at(last) - at(0)).length() < ALREADY_LOOPS;
    // Carried over the seam by the gap itself, which is tiny where this is used.
    let gap = at(last) - at(0);
    let windows = windows(clip, at, loops, |x| x - gap, |x| x + gap);
    [0, 1].map(|end| {
        let found = velocity::of_points(windows[end], clip.step_secs());
        PointEnd {
            position: at(if end == 0 { 0 } else { last }),
            velocity: found.velocity,
            acceleration: found.acceleration,
        }
    })
}

/// Rotation, angular velocity and acceleration of a joint at both ends.
fn rotation_ends(clip: &Clip, joint: usize) -> [RotationEnd; 2] {
    let at = |sample: isize| clip.rotations(sample)[joint];
    let last = clip.num_intervals() as isize;
    let gap = at(last) * at(0).conjugate();
    let loops = rotation::log(gap).length() < ALREADY_LOOPS;
    let windows = windows(clip, at, loops, |q| gap.conjugate() * q, |q| gap * q);
    [0, 1].map(|end| {
        let found = velocity::of_rotations(windows[end], clip.step_secs());
        RotationEnd {
            rotation: at(if end == 0 { 0 } else { last }),
            velocity: found.velocity,
            acceleration: found.acceleration,
        }
    })
}

/// Samples around start and end: with context where the clip has it, across the seam where the track loops already, and
/// inwards otherwise. `to_start` carries a sample before the end to before the start, `to_end` one after the start to after
/// the end.
fn windows<T: Copy>(
    clip: &Clip,
    at: impl Fn(isize) -> T,
    loops: bool,
    to_start: impl Fn(T) -> T,
    to_end: impl Fn(T) -> T,
) -> [Around<T>; 2] {
    let range = clip.sample_range();
    let last = clip.num_intervals() as isize;
    let start = if range.contains(&-1) {
        Around::Both([at(-1), at(0), at(1)])
    } else if loops {
        Around::Both([to_start(at(last - 1)), at(0), at(1)])
    } else {
        Around::After([at(0), at(1), at(2)])
    };
    let end = if range.contains(&(last + 1)) {
        Around::Both([at(last - 1), at(last), at(last + 1)])
    } else if loops {
        Around::Both([at(last - 1), at(last), to_end(at(1))])
    } else {
        Around::Before([at(last - 2), at(last - 1), at(last)])
    };
    [start, end]
}
