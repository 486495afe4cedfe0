//! From a clip in the world to a clip relative to its root.

use glam::DVec3;

use super::{
    RootMode, RootTravel,
    cycle::{Cycle, PointPair, fit_ground_motion},
};
use crate::{
    analysis::{Analysis, body::Body, features::WeightedJoint, heading::Heading},
    math::rigid::{Rigid, Twist},
    take::{Clip, Skeleton, WorldTracks},
};

/// A clip whose first joint is relative to the root, and the root's travel.
#[derive(Clone, Debug, PartialEq)]
pub struct Rooted {
    /// The clip, context included, with the carrier relative to the root: its track nearly repeats.
    pub clip: Clip,
    /// How the root travels.
    pub root: RootTravel,
    /// The joint that carried the travel in the take.
    pub carrier: usize,
}

/// Poses this far on either side of both ends are laid onto each other, seconds.
pub(crate) const WINDOW_SECS: f64 = 0.2;

/// Weight of hips, thighs and shoulders in the fit beside the joints that the search compares: they tell the turn.
const TRUNK_WEIGHT: f64 = 0.5;

/// Weight of every other joint: many poor witnesses average out the noise of a few good ones.
const LIMB_WEIGHT: f64 = 0.1;

/// Takes the travel out of a clip.
///
/// The root starts in the heading frame averaged over the cycle and moves by the constant twist that best lays the window
/// of poses at the start onto the one at the end. Source: docs/math/root.md.
pub fn extract(clip: &Clip, analysis: &Analysis, cycles: u32, mode: RootMode) -> Rooted {
    let carrier = find_carrier(clip.skeleton(), &analysis.world, &analysis.body);
    if mode == RootMode::World {
        let root = RootTravel {
            mode,
            start: Rigid::IDENTITY,
            twist: Twist::ZERO,
        };
        return relative_to(clip, root, carrier);
    }
    let world = clip.world_tracks();
    let heading = Heading::of(&world, &analysis.body, clip.source_step_secs());
    let first = clip.sample_range().start().unsigned_abs();
    let num_intervals = clip.num_intervals();
    let reach = (WINDOW_SECS / clip.step_secs()).round() as usize;
    let motion = fit_window(
        clip.skeleton(),
        &world,
        &analysis.body,
        &analysis.joints,
        first,
        num_intervals,
        reach,
    );
    let travel = Cycle {
        heading: &heading,
        first,
        num_intervals,
        period_secs: clip.period_secs(),
        motion,
        cycles,
    }
    .travel();
    let mut start = travel.start;
    if travel.twist.linear.y != 0.0 {
        // On a climb the root stands where the lowest joint does; on the level, on the take's own ground.
        let climb = travel.twist.linear.y * clip.step_secs();
        start.translation.y = foot_of_climb(&world, first, num_intervals, climb);
    }
    let root = RootTravel {
        // The travel is taken out in every mode; the mode says what is done with it.
        mode,
        start,
        twist: travel.twist,
    };
    relative_to(clip, root, carrier)
}

/// Height at the start of the slope of `climb` metres per sample on which the lowest joints stand.
pub(super) fn foot_of_climb(world: &WorldTracks, first: usize, num_intervals: usize, climb: f64) -> f64 {
    let lowest = |sample: usize| {
        let heights = world.positions(first + sample).iter().map(|place| place.y);
        heights.fold(f64::INFINITY, f64::min)
    };
    (0..=num_intervals)
        .map(|sample| lowest(sample) - climb * sample as f64)
        .fold(f64::INFINITY, f64::min)
}

/// The same clip relative to a root whose travel is known.
///
/// `carrier` is the joint whose track holds the travel; it must be a joint of the clip.
pub fn relative_to(clip: &Clip, root: RootTravel, carrier: usize) -> Rooted {
    let world = clip.world_tracks();
    let travelling = RootTravel {
        mode: RootMode::Screw,
        ..root
    };
    let track: Vec<Rigid> = clip
        .sample_range()
        .enumerate()
        .map(|(index, sample)| {
            let root_now = travelling.at(sample as f64 * clip.step_secs());
            let carrier_now = Rigid::new(world.rotation(index, carrier), world.position(index, carrier));
            // Joints above the carrier keep their tracks, now seen from the root.
            let above = clip.skeleton().parent(carrier).map_or(Rigid::IDENTITY, |parent| {
                Rigid::new(world.rotation(index, parent), world.position(index, parent))
            });
            above.inverse() * root_now.inverse() * carrier_now
        })
        .collect();
    Rooted {
        clip: clip.with_joint_track(carrier, &track),
        root,
        carrier,
    }
}

/// The motion that lays the poses around `first` onto those `num_intervals` later.
pub(crate) fn fit_window(
    skeleton: &Skeleton,
    world: &WorldTracks,
    body: &Body,
    joints: &[WeightedJoint],
    first: usize,
    num_intervals: usize,
    reach: usize,
) -> Rigid {
    let last = first + num_intervals;
    let reach = reach.min(first).min(world.num_frames() - 1 - last);
    let weights = fit_weights(skeleton, body, joints);
    let mut pairs = Vec::new();
    for frame in first - reach..=first + reach {
        for (joint, &weight) in weights.iter().enumerate() {
            pairs.push(PointPair {
                start: world.position(frame, joint),
                end: world.position(frame + num_intervals, joint),
                weight,
            });
        }
    }
    fit_ground_motion(&pairs)
}

/// How much each joint counts where a motion is fitted to poses.
pub(super) fn fit_weights(skeleton: &Skeleton, body: &Body, joints: &[WeightedJoint]) -> Vec<f64> {
    let mut weights = vec![LIMB_WEIGHT; skeleton.num_joints()];
    // A root that stays behind while the hips travel is no part of the body.
    for &joint in skeleton.path_from_root(body.hips).iter().rev().skip(1) {
        weights[joint] = 0.0;
    }
    for joint in [Some([body.hips; 2]), body.thighs, body.shoulders]
        .into_iter()
        .flatten()
        .flatten()
    {
        weights[joint] = TRUNK_WEIGHT;
    }
    for weighted in joints {
        weights[weighted.joint] = weights[weighted.joint].max(weighted.weight);
    }
    weights
}

/// A joint carries the travel when it covers at least this share of the ground that the hips cover.
const CARRIER_SHARE: f64 = 0.5;

/// The topmost joint on the way to the hips that travels with them; the hips themselves when nothing travels.
///
/// In some files the root stays at the origin and the hips travel below it; in others the root does.
pub fn find_carrier(skeleton: &Skeleton, world: &WorldTracks, body: &Body) -> usize {
    let extent = |joint: usize| {
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for frame in 0..world.num_frames() {
            low = low.min(world.position(frame, joint));
            high = high.max(world.position(frame, joint));
        }
        (high - low).length()
    };
    let needed = CARRIER_SHARE * extent(body.hips);
    skeleton
        .path_from_root(body.hips)
        .into_iter()
        .find(|&joint| extent(joint) >= needed)
        .unwrap_or(body.hips)
}
