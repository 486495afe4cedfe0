//! Estimates how the ground moves below a body that stays in place: the belt of a treadmill, or a clip without its travel.

use glam::DVec3;

use super::{Point, SPEED_SECS, Times};
use crate::math::{mean, ops, ordered, percentile};

/// The velocity of the ground, metres per second.
#[handed_over(Default)]
pub enum Ground {
    /// It rests.
    #[default]
    Rests,
    /// It moves evenly, as a belt.
    Even(DVec3),
    /// At every frame.
    Uneven(Vec<DVec3>),
}

impl Ground {
    /// Returns the velocity at a frame, metres per second.
    pub fn velocity(&self, frame: usize) -> DVec3 {
        match self {
            Self::Rests => DVec3::ZERO,
            Self::Even(velocity) => *velocity,
            Self::Uneven(velocities) => velocities[frame.min(velocities.len() - 1)],
        }
    }

    /// Returns its mean speed, metres per second; `None` if it rests.
    pub fn mean_mps(&self) -> Option<f64> {
        match self {
            Self::Rests => None,
            Self::Even(velocity) => Some(velocity.length()),
            Self::Uneven(velocities) => Some(mean(velocities.iter().map(|of| of.length()))),
        }
    }

    /// Converts ground at the finer times to ground at frames.
    pub(super) fn at_frames(self, times: &Times) -> Self {
        match self {
            Self::Uneven(velocities) => Self::Uneven(velocities.into_iter().step_by(times.per_frame).collect()),
            other => other,
        }
    }
}

/// A body whose hips usually exceed this speed over a second travels, metres per second at the size of an adult: its ground rests.
const TRAVELS_MPS: f64 = 0.35;

/// Points that are lower than this, metres, and rise or fall more slowly than this, metres per second, may stand.
const LOW_METRES: f64 = 0.025;
const LEVEL_MPS: f64 = 0.12;

/// Velocities of the ground agree within this, metres per second: of an even one over the motion, of an uneven one at a time.
const AGREE_MPS: [f64; 2] = [0.25, 0.6];

/// The ground rests if resting has this share of the support of any other velocity, or if it moves more slowly than this, metres per
/// second.
const RESTS_SHARE: f64 = 0.5;
const RESTS_MPS: f64 = 0.3;

/// The ground moves evenly if this share of the points that may stand agree in velocity within this, metres per second.
const EVEN_SHARE: f64 = 0.65;
const EVEN_MPS: f64 = 0.2;

/// An uneven ground is estimated this often, seconds, from points that may stand, weighted with this standard deviation, seconds.
const KNOT_SECS: f64 = 0.05;
const WINDOW_SECS: f64 = 0.07;

/// Most velocities from which the best supported one is found.
const MOST_VELOCITIES: usize = 800;

/// Finds the ground from the points of the feet of a body of a size.
pub(super) fn find(times: &Times, points: &[&Point], hips: &[DVec3], size: f64) -> Ground {
    let second = times.lasting(1.0).min(hips.len() - 1).max(1);
    let travels = hips.windows(second + 1).step_by(times.per_frame);
    let travels = travels.map(|way| ops::over_ground(way[second] - way[0]) / (second as f64 * times.step_secs));
    if percentile::of(travels, 0.5) > TRAVELS_MPS * size {
        return Ground::Rests;
    }
    let half = times.lasting(0.5 * SPEED_SECS);
    let mut may_stand: Vec<(usize, DVec3)> = Vec::new();
    for at in (0..hips.len()).step_by(times.lasting(1.0 / 60.0)) {
        for point in points.iter().filter(|point| point.heights[at] < LOW_METRES * size) {
            let velocity = point.velocity(times, at, half);
            if velocity.y.abs() < LEVEL_MPS * size {
                may_stand.push((at, velocity.with_y(0.0)));
            }
        }
    }
    let stride = may_stand.len().div_ceil(MOST_VELOCITIES).max(1);
    let some: Vec<(DVec3, f64)> = may_stand
        .iter()
        .step_by(stride)
        .map(|(_, velocity)| (*velocity, 1.0))
        .collect();
    let support = |velocity| supported(&some, velocity, AGREE_MPS[0] * size);
    // No velocity has more support than all points together.
    if support(DVec3::ZERO) > RESTS_SHARE * some.len() as f64 {
        return Ground::Rests;
    }
    let Some(even) = most_supported(&some, AGREE_MPS[0] * size) else {
        return Ground::Rests;
    };
    if even.length() < RESTS_MPS * size || support(DVec3::ZERO) > RESTS_SHARE * support(even) {
        return Ground::Rests;
    }
    let agree = some
        .iter()
        .filter(|(velocity, _)| velocity.distance(even) < EVEN_MPS * size);
    if agree.count() as f64 >= EVEN_SHARE * some.len() as f64 {
        return Ground::Even(even);
    }
    uneven(times, &may_stand, size).map_or(Ground::Rests, Ground::Uneven)
}

/// Returns the weight of the velocities that agree with a given one.
fn supported(weighted: &[(DVec3, f64)], velocity: DVec3, agree_mps: f64) -> f64 {
    let agree = |of: DVec3| (1.0 - of.distance_squared(velocity) / (agree_mps * agree_mps)).max(0.0);
    weighted.iter().map(|(of, weight)| weight * agree(*of)).sum()
}

/// Returns the velocity with the most support: the mean of those around the best supported one.
fn most_supported(weighted: &[(DVec3, f64)], agree_mps: f64) -> Option<DVec3> {
    let supports = weighted
        .iter()
        .map(|(of, _)| (*of, supported(weighted, *of, agree_mps)));
    let (best, _) = supports.max_by_key(|(_, support)| ordered(*support))?;
    let (mut sum, mut total) = (DVec3::ZERO, 0.0);
    for (of, weight) in weighted.iter().filter(|(of, _)| of.distance(best) < agree_mps) {
        sum += *of * *weight;
        total += weight;
    }
    (total > 0.0).then(|| sum / total)
}

/// Returns the velocity of the ground at all times, from points that may stand around each; `None` if none ever does.
fn uneven(times: &Times, may_stand: &[(usize, DVec3)], size: f64) -> Option<Vec<DVec3>> {
    let (knot, deviation) = (times.lasting(KNOT_SECS), times.lasting(WINDOW_SECS) as f64);
    let mut known: Vec<(usize, DVec3)> = Vec::new();
    let mut first = 0;
    for at in (0..times.count()).step_by(knot) {
        let reach = (3.0 * deviation) as usize;
        while first < may_stand.len() && may_stand[first].0 + reach < at {
            first += 1;
        }
        let near: Vec<(DVec3, f64)> = may_stand[first..]
            .iter()
            .take_while(|(when, _)| *when <= at + reach)
            .map(|(when, velocity)| {
                let away = when.abs_diff(at) as f64 / deviation;
                (*velocity, ops::exp(-0.5 * away * away))
            })
            .collect();
        known.extend(most_supported(&near, AGREE_MPS[1] * size).map(|velocity| (at, velocity)));
    }
    let (earliest, latest) = (*known.first()?, *known.last()?);
    let mut next = 0;
    let velocities = (0..times.count()).map(|at| {
        while next < known.len() && known[next].0 < at {
            next += 1;
        }
        let (before, after) = (
            next.checked_sub(1).map_or(earliest, |before| known[before]),
            known.get(next).copied().unwrap_or(latest),
        );
        let length = after.0.saturating_sub(before.0).max(1) as f64;
        let share = (at.saturating_sub(before.0) as f64 / length).min(1.0);
        before.1.lerp(after.1, share)
    });
    Some(velocities.collect())
}
