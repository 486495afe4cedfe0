//! Detects the loop in a file without a sidecar: whether its last key closes the loop, and how its root moves.

use glam::DVec3;

use crate::{
    analysis::{Body, Heading},
    loop_clip::{KeyLayout, KeysError},
    math::{
        Rigid,
        fit::{PointPair, fit_planar, fit_rigid},
        greatest, rotation,
    },
    motion::{RootMotion, Skeleton, Tracks, WorldTracks},
    root_motion::{
        RootSpace,
        cycle::{BodyPath, Cycle, GroundPath},
    },
    take::Take,
};

/// Root motion and layout of a loop, detected from its keys alone.
#[value(Copy)]
pub struct Recognised {
    /// How the keys form the loop.
    pub layout: KeyLayout,
    /// The root motion from the first key to the closing one.
    pub root: RootMotion,
    /// Whether the root moves over the ground or in full space.
    pub space: RootSpace,
    /// The joint whose track holds the root motion.
    pub carrier: usize,
}

/// Poses whose joints lie this close after the root motion is removed count as equal keys, metres. The limit is looser than a
/// visible pop, so that a closing key that is slightly off is still recognised and its gap reported.
const SAME_POSE_METRES: f64 = 0.01;

/// Detects, in a file without a sidecar, whether the last key closes the loop, and how the root moves.
///
/// Whole turns are counted from the headings between, as for a take. The root motion is in full space if no motion over the
/// ground maps the first pose to the last but a motion about another axis does. Errors: fewer than four keys.
pub fn recognise(written: &Take, body: &Body, carrier: usize) -> Result<Recognised, KeysError> {
    let num_keys = written.num_frames();
    if num_keys < 4 {
        return Err(KeysError::TooFew { found: num_keys });
    }
    let tail = written.tail();
    let keys = (0..num_keys)
        .map(|key| written.pose(key))
        .chain(tail.map(|tail| tail.pose.as_ref()));
    let world = written.tracks().with_poses(keys).world();
    let last = num_keys - 1;
    let whole = pose_pairs(&world, written.skeleton(), carrier);
    let (on_the_ground, in_full_space) = (fit_planar(&whole), fit_rigid(&whole));
    let [closes_on_ground, closes_in_space] = [on_the_ground, in_full_space].map(|motion| {
        let gaps = whole
            .iter()
            .map(|pair| motion.transform_point(pair.start).distance(pair.end));
        greatest(gaps) < SAME_POSE_METRES
    });
    let space = if !closes_on_ground && closes_in_space {
        RootSpace::Full
    } else {
        RootSpace::Ground
    };
    let (has_closing_key, motion) = match space {
        RootSpace::Full => (true, in_full_space),
        RootSpace::Ground if closes_on_ground => (true, on_the_ground),
        RootSpace::Ground => {
            // Without a closing key both ends are extrapolated by half a step along parabolas, where they meet.
            let pairs: Vec<PointPair> = moving_with_root(written.skeleton(), carrier)
                .map(|joint| {
                    let [start, end] = [[0, 1, 2], [last, last - 1, last - 2]].map(|keys| {
                        let [at, inner, further] = keys.map(|key| world.position(key, joint));
                        (15.0 * at - 10.0 * inner + 3.0 * further) / 8.0
                    });
                    PointPair::new(start, end, 1.0)
                })
                .collect();
            (false, fit_planar(&pairs))
        }
    };
    let layout = KeyLayout {
        seam_sample: 0,
        num_samples: num_keys - usize::from(has_closing_key && tail.is_none()),
        last_step: tail.filter(|_| has_closing_key).map_or(1.0, |tail| tail.frames),
        has_closing_key,
        in_place: false,
        num_cycles: 1,
    };
    let closed = with_closing_key(written, carrier, layout.num_samples, motion);
    let period_secs = layout.num_steps() * written.frame_time_secs();
    let root = root_motion_of_keys(&closed, body, motion, (space, period_secs));
    Ok(Recognised {
        layout,
        root,
        space,
        carrier,
    })
}

/// Returns all joints except those above the carrier: they do not move with the root and would distort the fit.
fn moving_with_root(skeleton: &Skeleton, carrier: usize) -> impl Iterator<Item = usize> {
    let above = skeleton.path_from_root(carrier);
    (0..skeleton.num_joints()).filter(move |joint| *joint == carrier || !above.contains(joint))
}

/// Lever of the points that determine the rotation of the carrier, metres.
const LEVER_METRES: f64 = 0.1;

/// Returns points of the first pose and of the last: every joint that moves with the root, and six about the carrier.
fn pose_pairs(world: &WorldTracks, skeleton: &Skeleton, carrier: usize) -> Vec<PointPair> {
    let point = |joint: usize, lever: DVec3| {
        let [start, end] = [0, world.num_frames() - 1].map(|key| world.joint(key, joint).transform_point(lever));
        PointPair::new(start, end, 1.0)
    };
    let joints = moving_with_root(skeleton, carrier).map(|joint| point(joint, DVec3::ZERO));
    let axes = DVec3::AXES.map(|axis| axis * LEVER_METRES).into_iter();
    let levers = axes.flat_map(|axis| [axis, -axis]);
    joints.chain(levers.map(|lever| point(carrier, lever))).collect()
}

/// Returns the keys of a loop with its closing key, written or not: the first one, moved on by the root motion.
fn with_closing_key(written: &Take, carrier: usize, num_samples: usize, motion: Rigid) -> Tracks {
    let mut closing = written.pose(0).to_pose();
    closing.carry(written.skeleton(), carrier, motion);
    let keys = (0..num_samples).map(|key| written.pose(key));
    written.tracks().with_poses(keys.chain([closing.as_ref()]))
}

/// Returns the constant twist that gives `motion` from the first to the last of these keys, including whole turns.
fn root_motion_of_keys(
    tracks: &Tracks,
    body: &Body,
    motion: Rigid,
    (space, period_secs): (RootSpace, f64),
) -> RootMotion {
    let num_samples = tracks.num_frames() - 1;
    let world = tracks.world();
    let heading = Heading::level(&world, body);
    let frames: Vec<Rigid> = (0..=num_samples).map(|key| world.joint(key, body.hips)).collect();
    let path = match space {
        RootSpace::Ground => BodyPath::Ground(GroundPath {
            heading: &heading,
            first: 0,
            num_intervals: num_samples,
            cycles: 1,
        }),
        RootSpace::Full => BodyPath::Space(&frames),
    };
    let cycle = Cycle {
        path,
        period_secs,
        motion,
    };
    cycle.exact_root_motion()
}

/// Returns the topmost joint on the path to the hips whose pose changes at all: in a written loop, the joint that holds the root
/// motion.
pub fn topmost_moving(written: &Take, body: &Body) -> usize {
    let world = written.world_tracks();
    let mut path = written.skeleton().path_from_root(body.hips).into_iter();
    let moving = path.find(|&joint| {
        (1..written.num_frames()).any(|frame| {
            world.position(frame, joint).distance(world.position(0, joint)) > STANDS_WITHIN
                || rotation::difference(world.rotation(frame, joint), world.rotation(0, joint)).length() > STANDS_WITHIN
        })
    });
    moving.unwrap_or(body.hips)
}

/// A joint that stays within this of its first pose is stationary, metres and radians: above the rounding of any file.
const STANDS_WITHIN: f64 = 1e-5;
