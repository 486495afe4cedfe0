//! Closing a seam: offsets that make a cut meet itself in pose, velocity and, for C2 shapes, acceleration.
//!
//! Measure the motion at both ends ([`seam`]), derive the offsets wanted there ([`seam::point_targets`],
//! [`rotation::rotation_targets`]), spread them over the clip ([`boundary`], [`shapes`]), apply: points get o(t) added,
//! rotations become exp(o(t)) q(t). Exact for every shape, share and clip, because what each shape leaves at the far
//! end is part of the system that is solved. Whatever else moves a joint towards the seam, a crossfade or a first layer for
//! the smooth part of a noisy track, is offsets as well, and what it leaves is closed the same way. Derivations: docs/math,
//! from boundary.md to layers.md.

use core::fmt;

use glam::DVec3;

use crate::{math, motion::Tracks, take::Clip};

pub mod seam;

pub mod boundary;

pub mod shapes;

pub mod rotation;

mod crossfade;

pub mod image;

use boundary::{Boundary, BoundaryError, Progress, Weights};
use crossfade::Crossfade;
pub use image::Image;
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

impl Shares {
    /// Half to each end.
    pub const EVEN: Self = Self::all(0.5);

    /// The start moves to the end, which stays as it is.
    pub const START: Self = Self::all(1.0);

    /// The end moves to the start, which stays as it is.
    pub const END: Self = Self::all(0.0);

    /// One share of all gaps.
    pub const fn all(share: f64) -> Self {
        Self {
            rho: share,
            sigma: share,
            tau: share,
        }
    }
}

/// How the seam of a joint is closed.
///
/// The default is quintic C2 over [`DEFAULT_BLEND_SECS`] with equal shares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Decay of the offsets from the start.
    pub start: Shape,
    /// Decay of the offsets from the end, backwards in time.
    pub end: Shape,
    /// Shares of the gaps that the start takes; the end takes the rest.
    pub shares: Shares,
    /// How far the seam is closed.
    pub order: Order,
    /// Seconds over which the clip blends into the take's frames beyond the other end first; no crossfade where `None`.
    pub crossfade_secs: Option<f64>,
}

impl Default for Method {
    fn default() -> Self {
        Self::of(Shape::Quintic {
            blend_secs: DEFAULT_BLEND_SECS,
        })
    }
}

impl Method {
    /// One shape at both ends, equal shares, as smooth as the shape allows.
    pub fn of(shape: Shape) -> Self {
        Self {
            start: shape,
            end: shape,
            shares: Shares::EVEN,
            order: Order::C2,
            crossfade_secs: None,
        }
    }

    /// A crossfade; where the take has no frames for it, the default offsets.
    pub fn crossfade(secs: f64) -> Self {
        Self {
            crossfade_secs: Some(secs),
            ..Self::default()
        }
    }

    fn check(&self) -> Result<(), ClosureError> {
        for (end, shape) in [(End::Start, self.start), (End::End, self.end)] {
            for found in shape.times().into_iter().chain([self.crossfade_secs]).flatten() {
                if !(found > 0.0 && found.is_finite()) {
                    return Err(ClosureError::Time { end, found });
                }
            }
            if let Shape::SoftFade { hardness, .. } = shape
                && !(hardness > 0.0 && hardness.is_finite())
            {
                return Err(ClosureError::Hardness { end, found: hardness });
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

/// What velocities and accelerations at the seam are taken for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Motion {
    /// What least squares over nine samples say; the method closes that, and a quintic over [`NOISE_SAMPLES`] closes what
    /// central differences say besides: the seam is as rough as the capture without a limb swinging for it. Where the take
    /// has no four frames beyond both ends of the cut, [`Self::Central`].
    ///
    /// Told least at every rate of frames, and it moves the take least: docs/measurements/closure.md.
    #[default]
    Layered,
    /// What central differences say, noise included: the method closes all of it.
    Central,
}

/// Samples over which the noise of a layered seam fades.
///
/// Measured: with 4 the seam acceleration errs by half as much again, with 9 seams are told a little more.
pub const NOISE_SAMPLES: usize = 8;

/// Blend time of the default method, seconds.
///
/// Measured on 556 cuts: at 0.3 s seams rank 51 of 100, at 0.35 s 49.6, at 0.4 s 48.3, where 49.2 are the take's own frames; the
/// take is moved by a fourth more for every 0.05 s.
pub const DEFAULT_BLEND_SECS: f64 = 0.35;

/// How a seam is closed: a method for all joints, and others for chosen ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClosureSettings {
    /// The method of all joints that have none of their own.
    pub method: Method,
    /// What velocities and accelerations at the seam are taken for.
    pub motion: Motion,
    /// Joints with a method of their own, by index, the last entry counting; without one they are left open.
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
    /// The method of a joint; `None` where it is left open.
    pub fn method_of(&self, joint: usize) -> Option<Method> {
        let own = self.joints.iter().rev().find(|(index, _)| *index == joint);
        own.map_or(Some(self.method), |(_, method)| *method)
    }

    fn check(&self, num_joints: usize) -> Result<(), ClosureError> {
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

/// A setting that did not fit and what was used in its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Clamp {
    /// A shape was too long for the period, or too soft.
    Shape {
        /// Which end.
        end: End,
        /// The shape asked for.
        asked: Shape,
        /// The shape used.
        used: Shape,
    },
    /// A crossfade was longer than the period or than the frames that the take has beyond the seam.
    Crossfade {
        /// Seconds asked for.
        asked_secs: f64,
        /// Seconds used; 0 where the take has no frames to blend into, and offsets close the seam alone.
        used_secs: f64,
    },
}

impl fmt::Display for Clamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shape { end, asked, used } => {
                let time = match asked {
                    Shape::Spring { .. } => "half-life",
                    Shape::SoftFade { .. } => "duration",
                    _ => "blend",
                };
                let times = asked
                    .times()
                    .into_iter()
                    .zip(used.times())
                    .zip([time, "velocity's blend"]);
                let mut told = false;
                for ((asked, used), time) in times {
                    let (Some(asked), Some(used)) = (asked, used) else {
                        continue;
                    };
                    if asked != used {
                        let joint = if told { "; " } else { "" };
                        write!(
                            f,
                            "{joint}the {time} at the {end} was shortened from {asked:.3} s to {used:.3} s to fit into the loop"
                        )?;
                        told = true;
                    }
                }
                match (hardness(asked), hardness(used)) {
                    (Some(asked), Some(used)) if asked != used => {
                        let joint = if told { "; " } else { "" };
                        write!(f, "{joint}the hardness at the {end} was raised from {asked} to {used}")
                    }
                    _ => Ok(()),
                }
            }
            Self::Crossfade { asked_secs, used_secs } if used_secs > 0.0 => write!(
                f,
                "the crossfade was shortened from {asked_secs:.3} s to {used_secs:.3} s, which is what the take has around the loop"
            ),
            Self::Crossfade { .. } => {
                f.write_str("the take has no frames around the loop to crossfade into; offsets close the seam alone")
            }
        }
    }
}

/// Why a clip cannot be closed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ClosureError {
    /// A blend time, half-life or duration is not a positive number.
    #[error("the blend at the {end} must last a positive number of seconds, found {found}")]
    Time {
        /// Which end.
        end: End,
        /// Seconds given.
        found: f64,
    },
    /// A hardness is not a positive number.
    #[error("the hardness at the {end} must be a positive number, found {found}")]
    Hardness {
        /// Which end.
        end: End,
        /// Value given.
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
    /// A joint that is to be closed in its own way is not there.
    #[error("joint {joint} is to be closed in its own way, there are {num_joints}")]
    Joint {
        /// Index given.
        joint: usize,
        /// Joints of the skeleton.
        num_joints: usize,
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
    /// The N unique samples. Over the seam, too, signs are continuous, except for a joint that makes an odd number of whole
    /// turns per period, where no choice of signs is.
    pub tracks: Tracks,
    /// Offsets added to the translations, metres, for samples 0 to N inclusive.
    pub translation_offsets: Vec<DVec3>,
    /// Offsets of the rotations, rotation vectors multiplied on the left, radians, for samples 0 to N inclusive.
    pub rotation_offsets: Vec<DVec3>,
    /// Gaps of every joint before closing.
    pub seam: SeamGaps,
    /// Largest gaps after closing, of the joints that are not left open, from the closed values and the offsets' own
    /// derivatives at both ends: rounding, except for the accelerations when only C1 was met.
    pub residual: Gaps,
    /// The method used for the joints that have none of their own, after fitting; a crossfade of `None` where the take has
    /// no frames for it. Its order is what was met: C2 only where it was asked for and both shapes carry it.
    pub method: Method,
    /// Whether the joints were closed in two layers, their motion and their noise apart.
    pub is_layered: bool,
    /// Settings that did not fit.
    pub clamps: Vec<Clamp>,
}

/// Closes every joint's local track of a clip.
///
/// Velocities and accelerations at both ends are measured with the clip's context. Afterwards the pose at sample N,
/// were it kept, equals the pose at sample 0 to rounding, and so do velocities (and accelerations for C2) as measured
/// at the ends plus those of the offsets. A clip that repeats already comes back unchanged to rounding; a track that
/// stands still, and samples that no blend reaches, come back bit for bit.
/// Errors: a time, share or joint out of range; shapes that cannot be told apart over the clip. Source: docs/math.
pub fn close(clip: &Clip, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    close_against(clip, settings, None)
}

/// Closes half a cycle whose image follows: both seams, from the half to its image and back, meet as [`close`] has it.
///
/// The clip holds N intervals, the answer 2N samples, of which the second N are exactly the image of the first. What a body
/// always does otherwise on its left than on its right is evened out over the whole half first, so that no joint has to move
/// from one side's habit to the other's and back; gaps are those that remain between the start and the image of the end. A crossfade has no frames to blend into, so offsets close the seam alone; a
/// joint is left open where its partner is. Errors: as [`close`]. Source: docs/math/mirror.md.
pub fn close_half(clip: &Clip, image: &Image<'_>, settings: &ClosureSettings) -> Result<Closed, ClosureError> {
    let (even, shifts) = image.evened(clip);
    let half = close_against(&even, settings, Some(image))?;
    Ok(image.unfold_closed(clip, half, &shifts))
}

/// Closes a clip whose end meets its start, or the image of its start.
fn close_against(clip: &Clip, settings: &ClosureSettings, image: Option<&Image<'_>>) -> Result<Closed, ClosureError> {
    let num_joints = clip.skeleton().num_joints();
    settings.check(num_joints)?;
    let mut tables = Tables::new(clip);
    let mut clamps = Vec::new();
    let can_fade = image.is_none();
    let default_method = fitted(clip, &settings.method, can_fade, &mut clamps);
    let partner = |joint: usize| image.map_or(joint, |image| image.partner(joint));
    let methods: Vec<Option<Method>> = (0..num_joints)
        .map(|joint| {
            let asked = settings.method_of(joint)?;
            settings.method_of(partner(joint))?;
            Some(fitted(clip, &asked, can_fade, &mut clamps))
        })
        .collect();
    let ends: Vec<JointEnds> = (0..num_joints).map(|joint| seam::measure(clip, joint)).collect();
    // A joint's start, and what meets it: its own end, or the image of its partner's.
    let met = |ends: &[JointEnds], joint: usize| match image {
        Some(image) => image.meets(joint, &ends[joint], &ends[partner(joint)]),
        None => ends[joint],
    };
    let seam = SeamGaps {
        joints: (0..num_joints).map(|joint| JointGap::of(&met(&ends, joint))).collect(),
    };
    let mut plans: Vec<Plan> = (0..num_joints)
        .map(|joint| Plan::new(clip, joint, &ends[joint], methods[joint].as_ref()))
        .collect();

    // First the motion, where it can be told from the noise, ...
    let wide: Vec<Option<JointEnds>> = (0..num_joints)
        .map(
            |joint| match (settings.motion, &methods[joint], plans[joint].crossfade) {
                (Motion::Layered, Some(_), None) => seam::measure_wide(clip, joint),
                _ => None,
            },
        )
        .collect();
    let first: Vec<JointEnds> = (wide.iter().zip(&plans))
        .map(|(wide, plan)| wide.unwrap_or(plan.closed))
        .collect();
    add_layer(clip, image, &met, &first, &methods, &mut plans, &mut tables)?;
    // ... then what is left.
    let noise: Vec<Option<Method>> = (wide.iter().zip(&methods))
        .map(|(wide, method)| {
            wide.as_ref()
                .and(method.as_ref())
                .map(|method| noise_method(clip, method))
        })
        .collect();
    let is_layered = noise.iter().any(Option::is_some);
    if is_layered {
        let left: Vec<JointEnds> = plans.iter().map(|plan| plan.closed).collect();
        add_layer(clip, image, &met, &left, &noise, &mut plans, &mut tables)?;
    }

    let closed_ends: Vec<JointEnds> = plans.iter().map(|plan| plan.closed).collect();
    let mut residual = Gaps::default();
    for joint in (0..num_joints).filter(|&joint| methods[joint].is_some()) {
        residual.take_in(&JointGap::of(&met(&closed_ends, joint)));
    }
    let order = Boundary::new(
        default_method.start,
        default_method.end,
        clip.period_secs(),
        default_method.order,
    )?
    .order();
    let mut closed = Closed {
        tracks: Tracks::empty(clip.skeleton().clone(), clip.step_secs(), clip.num_intervals()),
        translation_offsets: Vec::new(),
        rotation_offsets: Vec::new(),
        seam,
        residual,
        method: Method {
            order,
            ..default_method
        },
        is_layered,
        clamps,
    };
    apply(clip, &plans, &tables, &mut closed);
    Ok(closed)
}

/// What closes the noise that a method leaves.
fn noise_method(clip: &Clip, method: &Method) -> Method {
    let blend_secs = (NOISE_SAMPLES as f64 * clip.step_secs()).min(clip.period_secs());
    Method {
        shares: method.shares,
        // Shapes without accelerations leave that of the motion as it is, and their own beside it: no noise.
        order: if method.start.is_c2() && method.end.is_c2() {
            method.order
        } else {
            Order::C1
        },
        ..Method::of(Shape::Quintic { blend_secs })
    }
}

/// Adds to every joint with a method offsets that close the gap between its start and what meets it, measured at `ends`.
fn add_layer(
    clip: &Clip,
    image: Option<&Image<'_>>,
    met: &dyn Fn(&[JointEnds], usize) -> JointEnds,
    ends: &[JointEnds],
    methods: &[Option<Method>],
    plans: &mut [Plan],
    tables: &mut Tables,
) -> Result<(), BoundaryError> {
    let targets: Vec<[Targets; 2]> = (0..plans.len())
        .map(|joint| {
            let Some(method) = methods[joint] else {
                return Default::default();
            };
            let met = met(ends, joint);
            [
                seam::point_targets(&met.translation[0], &met.translation[1], &method.shares),
                rotation::rotation_targets(&met.rotation[0], &met.rotation[1], &method.shares),
            ]
        })
        .collect();
    for (joint, plan) in plans.iter_mut().enumerate() {
        let Some(method) = methods[joint] else {
            continue;
        };
        // What is wanted at the end was found where its image meets the partner's start.
        let own = match image {
            Some(image) => image.wanted(joint, &targets[joint], &targets[image.partner(joint)]),
            None => targets[joint],
        };
        plan.add_layer(clip, joint, own, &ends[joint], &method, tables)?;
    }
    Ok(())
}

/// The method as it fits into a clip; what had to be changed is added to `clamps` once.
fn fitted(clip: &Clip, asked: &Method, can_fade: bool, clamps: &mut Vec<Clamp>) -> Method {
    let mut method = *asked;
    let mut note = |clamp: Clamp| {
        if !clamps.contains(&clamp) {
            clamps.push(clamp);
        }
    };
    for (end, shape) in [(End::Start, &mut method.start), (End::End, &mut method.end)] {
        let (asked, used) = (*shape, shape.fitted(clip.period_secs()));
        if used != asked {
            note(Clamp::Shape { end, asked, used });
        }
        *shape = used;
    }
    if let Some(asked_secs) = asked.crossfade_secs {
        let fade = Crossfade::fitted(clip, asked_secs).filter(|_| can_fade);
        let used_secs = fade.map_or(0.0, |fade| fade.secs(clip));
        // Half a sample is lost by blending over whole ones.
        if used_secs < asked_secs - 0.5001 * clip.step_secs() {
            note(Clamp::Crossfade { asked_secs, used_secs });
        }
        method.crossfade_secs = fade.map(|_| used_secs);
    }
    method
}

fn hardness(shape: Shape) -> Option<f64> {
    match shape {
        Shape::SoftFade { hardness, .. } => Some(hardness),
        _ => None,
    }
}

/// Weights of the boundary conditions at every sample, solved and tabulated once for each pair of shapes.
struct Tables {
    period_secs: f64,
    step_secs: f64,
    num_samples: usize,
    keys: Vec<Option<(Shape, Shape, Order)>>,
    tables: Vec<Table>,
}

struct Table {
    /// At both ends, with derivatives.
    ends: [Weights; 2],
    /// Weights of the value at samples 0 to N; `None` where no blend reaches.
    samples: Vec<Option<[f64; boundary::MAX_CONDITIONS]>>,
}

impl Tables {
    fn new(clip: &Clip) -> Self {
        Self {
            period_secs: clip.period_secs(),
            step_secs: clip.step_secs(),
            num_samples: clip.num_intervals() + 1,
            keys: Vec::new(),
            tables: Vec::new(),
        }
    }

    /// The table of a pair of shapes for a track; tracks share it unless the shapes follow the track.
    fn of(
        &mut self,
        start: Shape,
        end: Shape,
        order: Order,
        progress: impl FnOnce() -> Option<Progress>,
    ) -> Result<usize, BoundaryError> {
        let follows = start.follows_the_track() || end.follows_the_track();
        let key = (!follows).then_some((start, end, order));
        if key.is_some()
            && let Some(found) = self.keys.iter().position(|have| *have == key)
        {
            return Ok(found);
        }
        let progress = if follows { progress() } else { None };
        let boundary = Boundary::of_track(start, end, self.period_secs, order, progress)?;
        self.keys.push(key);
        self.tables.push(Table {
            ends: [0.0, self.period_secs].map(|t| boundary.weights(t)),
            samples: (0..self.num_samples)
                .map(|sample| {
                    let is_last = sample + 1 == self.num_samples;
                    let t = if is_last {
                        self.period_secs
                    } else {
                        sample as f64 * self.step_secs
                    };
                    Some(boundary.weights(t).value).filter(|weights| weights.iter().any(|&weight| weight != 0.0))
                })
                .collect(),
        });
        Ok(self.tables.len() - 1)
    }
}

impl Tables {
    /// The weights of a track's offsets at a sample; `None` where they leave it as it is.
    fn weights(&self, spread: &Spread, sample: usize) -> Option<&[f64; boundary::MAX_CONDITIONS]> {
        let weights = self.tables[spread.table].samples[sample].as_ref()?;
        (!spread.is_nothing).then_some(weights)
    }
}

/// Offsets of one track: what is wanted at its ends, and the table that spreads it.
#[derive(Clone, Copy)]
struct Spread {
    targets: Targets,
    table: usize,
    /// The track has no gap: most joints never leave their place.
    is_nothing: bool,
}

impl Spread {
    fn new(targets: Targets, table: usize) -> Self {
        Self {
            is_nothing: targets == Targets::default(),
            targets,
            table,
        }
    }
}

/// What is done to one joint: first a crossfade, then layers of offsets of its translation and its rotation.
#[derive(Default)]
struct Plan {
    crossfade: Option<Crossfade>,
    /// Offsets of the crossfade, away from the seam.
    faded: Vec<[DVec3; 2]>,
    layers: Vec<[Spread; 2]>,
    /// The motion at both ends when all is done.
    closed: JointEnds,
}

impl Plan {
    fn new(clip: &Clip, joint: usize, ends: &JointEnds, method: Option<&Method>) -> Self {
        let fade_secs = method.and_then(|method| method.crossfade_secs);
        let crossfade = fade_secs.and_then(|secs| Crossfade::fitted(clip, secs));
        Self {
            crossfade,
            faded: crossfade.map_or_else(Vec::new, |fade| fade.offsets(clip, joint)),
            layers: Vec::new(),
            closed: crossfade.map_or(*ends, |fade| fade.faded(ends)),
        }
    }

    /// Adds offsets of the translation and of the rotation that are as wanted at both ends, and moves the ends by them.
    fn add_layer(
        &mut self,
        clip: &Clip,
        joint: usize,
        [point, turn]: [Targets; 2],
        ends: &JointEnds,
        method: &Method,
        tables: &mut Tables,
    ) -> Result<(), BoundaryError> {
        let Method { start, end, order, .. } = *method;
        let point = Spread::new(
            point,
            tables.of(start, end, order, || translation_progress(clip, joint, ends))?,
        );
        let turn = Spread::new(
            turn,
            tables.of(start, end, order, || rotation_progress(clip, joint, ends))?,
        );
        for end in 0..2 {
            let rows = |spread: &Spread| {
                let weights = &tables.tables[spread.table].ends[end];
                [weights.value, weights.rate, weights.bend].map(|row| spread.targets.mix(&row))
            };
            let [o, rate, bend] = rows(&point);
            let before = self.closed.translation[end];
            self.closed.translation[end] = PointEnd {
                position: before.position + o,
                velocity: before.velocity + rate,
                acceleration: before.acceleration + bend,
            };
            let [o, rate, bend] = rows(&turn);
            self.closed.rotation[end] = rotation::offset_motion(&self.closed.rotation[end], o, rate, bend);
        }
        self.layers.push([point, turn]);
        Ok(())
    }
}

/// How far a joint's translation has come at every sample.
fn translation_progress(clip: &Clip, joint: usize, ends: &JointEnds) -> Option<Progress> {
    let at = |sample: usize| clip.translations(sample as isize)[joint];
    let steps: Vec<f64> = (0..clip.num_intervals())
        .map(|sample| at(sample).distance(at(sample + 1)))
        .collect();
    Progress::new(
        &steps,
        clip.step_secs(),
        ends.translation.map(|end| end.velocity.length()),
    )
}

/// How far a joint's rotation has come at every sample.
fn rotation_progress(clip: &Clip, joint: usize, ends: &JointEnds) -> Option<Progress> {
    let at = |sample: usize| clip.rotations(sample as isize)[joint];
    let steps: Vec<f64> = (0..clip.num_intervals())
        .map(|sample| rotation::pose_gap(at(sample), at(sample + 1)).length())
        .collect();
    Progress::new(&steps, clip.step_secs(), ends.rotation.map(|end| end.velocity.length()))
}

/// Applies the plans to all samples.
fn apply(clip: &Clip, plans: &[Plan], tables: &Tables, closed: &mut Closed) {
    let (num_joints, num_intervals) = (plans.len(), clip.num_intervals());
    let count = num_intervals * num_joints;
    closed.translation_offsets.reserve(count + num_joints);
    closed.rotation_offsets.reserve(count + num_joints);
    for sample in 0..=num_intervals {
        let pose = clip.pose(sample as isize);
        let is_faded = plans
            .iter()
            .any(|plan| plan.crossfade.is_some_and(|fade| fade.at(clip, sample).is_some()));
        if !is_faded && tables.tables.iter().all(|table| table.samples[sample].is_none()) {
            closed
                .translation_offsets
                .resize((sample + 1) * num_joints, DVec3::ZERO);
            closed.rotation_offsets.resize((sample + 1) * num_joints, DVec3::ZERO);
            if sample < num_intervals {
                closed.tracks.push(pose);
            }
            continue;
        }
        let mut closed_pose = pose.to_pose();
        for (joint, plan) in plans.iter().enumerate() {
            let (mut aside, mut turn) = (DVec3::ZERO, DVec3::ZERO);
            let mut rotation = pose.rotations[joint];
            let mut num_turns = 0;
            let mut turn_further = |o: DVec3| {
                if o != DVec3::ZERO {
                    rotation = rotation::turn_by(o, rotation);
                    turn = o;
                    num_turns += 1;
                }
            };
            if let Some(fade) = &plan.crossfade
                && let Some([o, o_turn]) = plan.faded.get(fade.away(clip, sample))
            {
                aside += *o;
                turn_further(*o_turn);
            }
            for [point, spread] in &plan.layers {
                if let Some(weights) = tables.weights(point, sample) {
                    aside += point.targets.mix(weights);
                }
                if let Some(weights) = tables.weights(spread, sample) {
                    turn_further(spread.targets.mix(weights));
                }
            }
            if num_turns > 1 {
                // Offsets of several layers do not add up; their product has one rotation vector.
                turn = math::rotation::difference(rotation, pose.rotations[joint]);
            }
            closed.translation_offsets.push(aside);
            closed.rotation_offsets.push(turn);
            // Adding zero would lose the sign of a zero.
            if aside != DVec3::ZERO {
                closed_pose.translations[joint] += aside;
            }
            closed_pose.rotations[joint] = rotation;
        }
        if sample < num_intervals {
            closed.tracks.push(closed_pose.as_ref());
        }
    }
}
