//! The matched features of a motion: positions and velocities of the feet, velocity of the hips, and future positions and
//! facings of the body.
//!
//! Everything is seen from the root: below the hips on the ground, along the facing, both smoothed, because hips sway but a path
//! does not. Source of the set: Clavet, "Motion matching and the road to next-gen animation", GDC 2016; Holden et al., "Learned
//! motion matching", ACM Transactions on Graphics 39, 2020.

use glam::DVec3;

use loopwright_core::{
    Analysis,
    analysis::{FoundBy, Side},
    math::{Rigid, TimeStep, kernel, ops, percentile},
};

/// Number of future times per frame.
pub const NUM_TIMES: usize = 3;

/// Number of pose features: positions and velocities of two feet, and the velocity of the hips.
const NUM_POSE_FEATURES: usize = 5 * 3;

/// Number of features of a frame: those of its pose, and for every future time a position and a direction on the ground.
pub const NUM_FEATURES: usize = NUM_POSE_FEATURES + NUM_TIMES * 4;

/// Sizes of the vectors of features; each has one unit and one spread.
const GROUPS: [usize; 5 + 2 * NUM_TIMES] = [3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2];

/// Longest time ahead, seconds: nobody steers further ahead.
const MOST_AHEAD_SECS: f64 = 10.0;

/// The future times of a frame's features, seconds: by default 1/3, 2/3 and 1.
///
/// Nearer times follow a stick at once, farther times choose steps that suit the future.
#[value(Copy)]
pub struct Horizon([f64; NUM_TIMES]);

impl Default for Horizon {
    fn default() -> Self {
        Self([1.0 / 3.0, 2.0 / 3.0, 1.0])
    }
}

impl Horizon {
    /// Creates a horizon of these times.
    ///
    /// Errors: [`MatchError::Times`] unless each is later than the one before, the first above 0 and the last at most 10.
    pub fn new(secs: [f64; NUM_TIMES]) -> Result<Self, MatchError> {
        let rise = secs.windows(2).all(|pair| pair[0] < pair[1]);
        if rise && secs[0] > 0.0 && secs[NUM_TIMES - 1] <= MOST_AHEAD_SECS {
            Ok(Self(secs))
        } else {
            Err(MatchError::Times { found: secs })
        }
    }

    /// The times, seconds.
    pub fn secs(&self) -> [f64; NUM_TIMES] {
        self.0
    }

    /// Returns the last of the times, seconds.
    pub fn farthest_secs(&self) -> f64 {
        self.0[NUM_TIMES - 1]
    }
}

/// Standard deviation of the Gaussian that smooths the root's path, seconds; with less, it sways with the hips.
const SMOOTH_SECS: f64 = 0.2;

/// Why a motion cannot be matched.
#[error_kinds(Copy)]
pub enum MatchError {
    #[error(
        "the feet move at {feet_mps:.2} m/s, the body only at {root_mps:.2}: the take stays in place, and its speed is unknown"
    )]
    InPlace { feet_mps: f64, root_mps: f64 },
    #[error("a left foot and a right foot are needed, and are not found in the skeleton")]
    Feet,
    /// The take is too short for the future of any frame.
    #[error("the take lasts {found_secs:.2} s, matching looks {ahead_secs} s ahead")]
    Short { found_secs: f64, ahead_secs: f64 },
    /// The future times are not in order, or too far ahead.
    #[error("times ahead must rise, from above 0 to at most {MOST_AHEAD_SECS} s, found {found:?}")]
    Times { found: [f64; NUM_TIMES] },
}

/// The features of one frame, in metres and metres per second, not yet standardized.
pub type RawFeatures = [f64; NUM_FEATURES];

/// Computes the features of every frame of a take with a known future: all but the last ones, up to the farthest time ahead.
pub fn of_take(analysis: &Analysis, horizon: Horizon) -> Result<Vec<RawFeatures>, MatchError> {
    let [left, right] = both_feet(analysis).ok_or(MatchError::Feet)?;
    let (take, world) = (&analysis.take, &analysis.world);
    let step = TimeStep::new(take.frame_time_secs());
    let ahead = horizon.secs().map(|secs| step.nearest_from_one(secs));
    let farthest = ahead[ahead.len() - 1];
    let count = take.num_frames().saturating_sub(farthest);
    if count < 3 {
        return Err(MatchError::Short {
            found_secs: take.duration_secs(),
            ahead_secs: horizon.farthest_secs(),
        });
    }
    let roots = smoothed_roots(analysis, step);
    refuse_in_place(analysis, &roots, [left, right])?;
    let velocity = |frame: usize, joint: usize| {
        let (before, after) = (frame.saturating_sub(1), (frame + 1).min(take.num_frames() - 1));
        let moved = world.position(after, joint) - world.position(before, joint);
        moved / ((after - before) as f64 * take.frame_time_secs())
    };
    Ok((0..count)
        .map(|frame| -> RawFeatures {
            let (root, back) = (roots[frame].inverse(), roots[frame].rotation.conjugate());
            let vectors = [
                root.transform_point(world.position(frame, left)),
                root.transform_point(world.position(frame, right)),
                back * velocity(frame, left),
                back * velocity(frame, right),
                back * velocity(frame, analysis.body.hips),
            ];
            let futures = ahead.map(|ahead| root * roots[frame + ahead]);
            let places = futures.map(|future| future.translation);
            let directions = futures.map(|future| future.rotation * DVec3::Z);
            let on_ground = places
                .into_iter()
                .chain(directions)
                .flat_map(|vector| [vector.x, vector.z]);
            let mut numbers = vectors
                .into_iter()
                .flat_map(|vector| vector.to_array())
                .chain(on_ground);
            core::array::from_fn(|_| numbers.next().unwrap_or_default())
        })
        .collect())
}

/// Returns the ankles of the left and the right foot, if both are known.
pub(super) fn both_feet(analysis: &Analysis) -> Option<[usize; 2]> {
    let body = &analysis.body;
    let [left, right] = [Side::Left, Side::Right].map(|side| {
        body.feet
            .iter()
            .filter(|_| body.found_by != FoundBy::AllLeaves)
            .find(|foot| foot.side == Some(side))
            .map(|foot| foot.ankle)
    });
    Some([left?, right?])
}

/// Refuses motion in place. Errors: the feet walk, but the root does not travel.
pub(super) fn refuse_in_place(
    analysis: &Analysis,
    roots: &[Rigid],
    [left, right]: [usize; 2],
) -> Result<(), MatchError> {
    let (take, world) = (&analysis.take, &analysis.world);
    if take.num_frames() < 2 {
        return Ok(());
    }
    let step = TimeStep::new(take.frame_time_secs());
    let frames = 0..take.num_frames() - 1;
    let of_feet = frames.clone().map(|frame| {
        let [left, right] =
            [left, right].map(|foot| ops::over_ground(world.position(frame + 1, foot) - world.position(frame, foot)));
        left.max(right)
    });
    let of_root = frames.map(|frame| ops::over_ground(roots[frame + 1].translation - roots[frame].translation));
    let [feet_mps, root_mps] =
        [percentile::upper_median(of_feet), percentile::upper_median(of_root)].map(|moved| moved / step.secs(1));
    if feet_mps > WALKING_FEET_MPS && root_mps < IN_PLACE_SHARE * feet_mps {
        return Err(MatchError::InPlace { feet_mps, root_mps });
    }
    Ok(())
}

/// Feet faster than this walk, metres per second ...
const WALKING_FEET_MPS: f64 = 0.5;

/// ... and if the root is slower than this share of their speed, root motion was removed. In a walk it has half their speed.
const IN_PLACE_SHARE: f64 = 0.15;

/// Returns the root at every frame: smoothed position on the ground, and smoothed facing.
pub(super) fn smoothed_roots(analysis: &Analysis, step: TimeStep) -> Vec<Rigid> {
    let heading = &analysis.heading;
    let frames = 0..heading.num_frames();
    let weights = kernel::gaussian(SMOOTH_SECS / step.secs(1));
    let places: Vec<DVec3> = frames.clone().map(|frame| heading.ground(frame)).collect();
    let turns = frames.map(|frame| DVec3::X * heading.yaw(frame)).collect();
    let [places, turns] = [places, turns].map(|values| kernel::averaged_mirrored(&values, &weights));
    places
        .into_iter()
        .zip(turns)
        .map(|(place, turn)| Rigid::from_yaw(turn.x, place))
        .collect()
}

/// Standardizes features: subtracts their mean and divides by the spread of their group.
#[value]
pub struct Standard {
    pub(super) mean: RawFeatures,
    /// Factors by which features less their means become numbers of a row.
    pub(super) scale: RawFeatures,
}

impl Standard {
    /// Computes the standard of many frames: for each vector the mean, and the root mean square of its spread over its axes.
    pub fn new(frames: &[RawFeatures]) -> Self {
        let count = frames.len().max(1) as f64;
        let mut standard = Self {
            mean: [0.0; NUM_FEATURES],
            scale: [1.0; NUM_FEATURES],
        };
        for frame in frames {
            for (mean, number) in standard.mean.iter_mut().zip(frame) {
                *mean += number / count;
            }
        }
        let mut first = 0;
        for size in GROUPS {
            let of_group = first..first + size;
            let squares = frames.iter().flat_map(|frame| {
                let group = of_group.clone();
                let mean = &standard.mean;
                group.map(move |at| (frame[at] - mean[at]) * (frame[at] - mean[at]))
            });
            let spread = (squares.sum::<f64>() / (count * size as f64)).sqrt();
            // A constant vector carries no information.
            let scale = if spread > STILL { 1.0 / spread } else { 0.0 };
            standard.scale[of_group].fill(scale);
            first += size;
        }
        standard
    }

    /// Creates the standard with these means and scales; `None` if their number is wrong, or one is not finite.
    pub(super) fn from_parts(mean: &[f64], scale: &[f64]) -> Option<Self> {
        let is_finite = mean.iter().chain(scale).all(|number| number.is_finite());
        is_finite.then_some(Self {
            mean: mean.try_into().ok()?,
            scale: scale.try_into().ok()?,
        })
    }

    /// Returns a row with another future.
    pub fn steered(&self, row: &[f32; NUM_FEATURES], futures: [Future; NUM_TIMES]) -> [f32; NUM_FEATURES] {
        let mut features = [0.0; NUM_FEATURES];
        steer(&mut features, futures);
        let wished = self.apply(&features);
        core::array::from_fn(|at| if at < NUM_POSE_FEATURES { row[at] } else { wished[at] })
    }

    /// Standardizes features for the search.
    pub fn apply(&self, features: &RawFeatures) -> [f32; NUM_FEATURES] {
        core::array::from_fn(|at| ((features[at] - self.mean[at]) * self.scale[at]) as f32)
    }
}

/// A spread below this is rounding, metres or metres per second.
const STILL: f64 = 1e-9;

/// The desired state of the body at a future time, relative to the root.
#[value(Copy)]
pub struct Future {
    /// Position on the ground, metres: to the left (x) and ahead (z).
    pub position: [f64; 2],
    /// Facing, radians to the left.
    pub facing: f64,
}

/// Replaces the future in the features of a frame, one entry for each future time.
pub fn steer(features: &mut RawFeatures, futures: [Future; NUM_TIMES]) {
    for (at, Future { position, facing }) in futures.into_iter().enumerate() {
        let positions = NUM_POSE_FEATURES + 2 * at;
        let directions = positions + 2 * NUM_TIMES;
        features[positions..positions + 2].copy_from_slice(&position);
        features[directions..directions + 2].copy_from_slice(&[ops::sin(facing), ops::cos(facing)]);
    }
}
