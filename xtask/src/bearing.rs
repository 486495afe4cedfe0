//! Feet and knees of loops, measured without any part of what holds them.
//!
//! A point of a foot bears where the uncut take says so, by height and speed alone. Points: the ankle, the ball (the toe joint) and
//! the tip of the toes, of which the lock touches the ball alone. Lengths are those of a body of 1.7 m.

use glam::DVec3;
use loopwright::{
    LoopClip, MadeLoop, Skeleton,
    analysis::{Body, FoundBy},
    math::ops,
};

/// A point bears within this of the 2nd percentile of its heights, metres, ...
pub(crate) const BEARING_METRES: f64 = 0.03;

/// ... while it is slower than this over the ground, metres per second, ...
pub(crate) const BEARING_MPS: f64 = 0.3;

/// ... for this long or longer, seconds.
pub(crate) const BEARING_SECS: f64 = 0.1;

/// The share of heights that is taken for the lowest.
pub(crate) const LOWEST_SHARE: f64 = 0.02;

/// Height of the body in whose size lengths are given, metres.
pub(crate) const USUAL_HEIGHT: f64 = 1.7;

/// Frames of the take beyond both ends that knees and heights are compared with.
const BEYOND: isize = 2;

/// A point of a foot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PointKind {
    Ankle,
    Ball,
    Tip,
}

/// What a point of a foot does in a loop, and in the stretch of take that was cut; metres.
#[derive(Clone, Debug)]
pub(crate) struct PointFigures {
    pub(crate) kind: PointKind,
    /// Largest distance over the ground between two places of the point, one entry a contact.
    pub(crate) slides: Vec<f64>,
    /// The same in the take.
    pub(crate) own_slides: Vec<f64>,
    /// How far the lowest place is below the 2nd percentile of the take's heights.
    pub(crate) below: f64,
    /// The same in the take.
    pub(crate) own_below: f64,
}

/// What feet and knees do in a loop.
#[derive(Clone, Debug, Default)]
pub(crate) struct BearingFigures {
    pub(crate) points: Vec<PointFigures>,
    /// Of each knee, its largest second difference over that in the take.
    pub(crate) knees: Vec<f64>,
}

/// A point fixed to a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub(crate) kind: PointKind,
    pub(crate) joint: usize,
    pub(crate) offset: DVec3,
}

/// The points of the feet of a body.
pub(crate) fn points_of(skeleton: &Skeleton, body: &Body) -> Vec<Point> {
    let mut points = Vec::new();
    if body.found_by == FoundBy::AllLeaves {
        return points;
    }
    for foot in &body.feet {
        let mut add = |kind, joint, offset| points.push(Point { kind, joint, offset });
        add(PointKind::Ankle, foot.ankle, DVec3::ZERO);
        let Some(toe) = foot.toe else { continue };
        add(PointKind::Ball, toe, DVec3::ZERO);
        match (skeleton.children(toe).first(), skeleton.joint(toe).tip) {
            (Some(&end), _) => add(PointKind::Tip, end, DVec3::ZERO),
            (None, Some(tip)) if tip.length() > 0.0 => add(PointKind::Tip, toe, tip),
            _ => {}
        }
    }
    points
}

impl BearingFigures {
    /// Measures a loop of this body made from a stretch of take.
    pub(crate) fn new(made: &MadeLoop, clip: &LoopClip) -> Self {
        let (skeleton, body, source) = (clip.skeleton(), &made.body, &made.source);
        let scale = body.stature(&made.take).map_or(1.0, |height| USUAL_HEIGHT / height);
        let step = source.clip.step_secs();
        let uncut = source.clip.world_tracks();
        let (first, last) = (*source.clip.sample_range().start(), *source.clip.sample_range().end());
        let count = clip.num_samples() as isize;
        // Places seen from the root, in the take and in the loop, and moved with the root over the ground.
        let of_take = |sample: isize, joint: usize, offset: DVec3| {
            let index = (sample.clamp(first, last) - first) as usize;
            uncut.position(index, joint) + uncut.rotation(index, joint) * offset
        };
        let looped: Vec<_> = (0..count as usize)
            .map(|key| clip.body_pose(key).world(skeleton))
            .collect();
        let of_loop = |key: isize, joint: usize, offset: DVec3| {
            let pose = &looped[key.rem_euclid(count) as usize];
            pose.translations[joint] + pose.rotations[joint] * offset
        };
        let moved = |sample: isize, place: DVec3| source.root.at(sample as f64 * step).transform_point(place);
        let around = (-BEYOND).max(first)..=(count + BEYOND).min(last);
        let points = points_of(skeleton, body)
            .into_iter()
            .map(|Point { kind, joint, offset }| {
                let mut heights: Vec<f64> = around.clone().map(|sample| of_take(sample, joint, offset).y).collect();
                heights.sort_by(f64::total_cmp);
                let lowest = heights[(LOWEST_SHARE * (heights.len() - 1) as f64).round() as usize];
                let take_at = |sample: isize| moved(sample, of_take(sample, joint, offset));
                let bears: Vec<bool> = (0..count)
                    .map(|sample| {
                        let (before, after) = ((sample - 1).max(first), (sample + 1).min(last));
                        let secs = (after - before) as f64 * step;
                        let speed = over_ground(take_at(after) - take_at(before)) / secs;
                        scale * (of_take(sample, joint, offset).y - lowest) <= BEARING_METRES
                            && scale * speed <= BEARING_MPS
                    })
                    .collect();
                let least = (BEARING_SECS / step).round() as usize;
                let spread = |places: Vec<DVec3>| {
                    let pairs = places
                        .iter()
                        .flat_map(|one| places.iter().map(move |other| *one - *other));
                    scale * pairs.map(over_ground).fold(0.0, f64::max)
                };
                let runs = runs(&bears).into_iter().filter(|(_, length)| *length > least);
                let (mut slides, mut own_slides) = (Vec::new(), Vec::new());
                for (start, length) in runs {
                    let samples = start as isize..(start + length) as isize;
                    slides.push(spread(
                        samples
                            .clone()
                            .map(|key| moved(key, of_loop(key, joint, offset)))
                            .collect(),
                    ));
                    // Over the seam the take has two contacts.
                    for part in [samples.start..samples.end.min(count), count..samples.end] {
                        let places: Vec<DVec3> = part.map(|sample| take_at(sample.rem_euclid(count))).collect();
                        if places.len() > least {
                            own_slides.push(spread(places));
                        }
                    }
                }
                let least_height = |height: &dyn Fn(isize) -> f64| (0..count).map(height).fold(f64::INFINITY, f64::min);
                let below = |height: f64| (scale * (lowest - height)).max(0.0);
                PointFigures {
                    kind,
                    slides,
                    own_slides,
                    below: below(least_height(&|key| of_loop(key, joint, offset).y)),
                    own_below: below(least_height(&|sample| of_take(sample, joint, offset).y)),
                }
            });
        let points = points.collect();
        let feet = body.feet.iter().filter(|_| body.found_by != FoundBy::AllLeaves);
        let knees = feet
            .filter_map(|foot| skeleton.parent(foot.ankle))
            .filter(|&knee| knee != body.hips);
        let bend =
            |at: &dyn Fn(isize) -> DVec3, sample: isize| (at(sample + 1) - 2.0 * at(sample) + at(sample - 1)).length();
        let knees = knees.map(|knee| {
            let take_at = |sample: isize| moved(sample, of_take(sample, knee, DVec3::ZERO));
            let loop_at = |key: isize| moved(key, of_loop(key, knee, DVec3::ZERO));
            let inner = (around.start() + 1)..=(around.end() - 1);
            let own = inner.map(|sample| bend(&take_at, sample)).fold(0.0, f64::max);
            (0..count).map(|key| bend(&loop_at, key)).fold(0.0, f64::max) / own.max(f64::MIN_POSITIVE)
        });
        Self {
            knees: knees.collect(),
            points,
        }
    }
}

pub(crate) fn over_ground(way: DVec3) -> f64 {
    ops::hypot(way.x, way.z)
}

/// Runs of `true` around a circle: where each starts, and how long it is.
pub(crate) fn runs(flags: &[bool]) -> Vec<(usize, usize)> {
    let count = flags.len();
    let Some(off) = flags.iter().position(|flag| !flag) else {
        return vec![(0, count)];
    };
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut was = false;
    for at in off..off + count {
        let is = flags[at % count];
        match runs.last_mut() {
            Some(run) if is && was => run.1 += 1,
            _ if is => runs.push((at % count, 1)),
            _ => {}
        }
        was = is;
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::runs;

    #[test]
    fn runs_go_on_over_the_seam() {
        assert_eq!(runs(&[true, false, true, true, false, true]), [(2, 2), (5, 2)]);
        assert_eq!(runs(&[true; 3]), [(0, 3)]);
        assert_eq!(runs(&[false; 3]), []);
    }
}
