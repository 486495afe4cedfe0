//! Motion of robots for trackers, as BeyondMimic and mjlab hold it: positions and velocities of joints and bodies.

use glam::DVec3;
use loopwright_core::{
    Skeleton,
    math::Rigid,
    motion::{Hinges, RobotLink},
};

use super::{
    array::{doubles, singles},
    read::Arrays,
    zip::Archive,
};
use crate::{
    error::ReadError,
    robot::{
        error::RobotMotionError,
        motion::{Moving, RobotMotion, Written, wxyz},
        source::Bodies,
    },
    settings::ReadSettings,
};

/// Least duration to which a loop is repeated, seconds: trackers restart elsewhere when a motion ends.
pub(crate) const UNROLLED_SECS: f64 = 10.0;

/// Largest deviation of bodies from their computed places, metres; larger ones are of another robot.
const MOST_METRES: f64 = 0.02;

/// Frames that show the order of bodies.
const NUM_SHOWN: usize = 5;

/// Returns the bodies in an order, and for each number in the file the hinge that it moves.
fn ordered<'a>(robot: &Skeleton, hinges: &'a Hinges, bodies: Bodies) -> (Vec<&'a RobotLink>, Vec<usize>) {
    let mut links: Vec<&RobotLink> = hinges.links.iter().collect();
    if bodies.by_depth {
        let above = |link: &&RobotLink| link.parent.and_then(|parent| hinges.links.get(parent));
        // Links are listed depth first, so that those of one depth keep the order of their parents.
        links.sort_by_cached_key(|link| core::iter::successors(Some(*link), above).count());
    }
    let moved_here = |link: &&&RobotLink| {
        let above = link.parent.and_then(|above| hinges.links.get(above));
        above.is_none_or(|above| above.joint != link.joint)
    };
    let moving: Vec<&RobotLink> = links.iter().filter(moved_here).copied().collect();
    let numbers: Vec<usize> = hinges.each().map(|(joint, _)| joint).collect();
    let mut hinge_of = Vec::with_capacity(numbers.len());
    for link in &moving {
        // A body with several hinges has them one below the other.
        let above = link
            .parent
            .and_then(|above| hinges.links.get(above))
            .map_or(0, |above| above.joint);
        hinge_of.extend(
            robot
                .path_from_root(link.joint)
                .iter()
                .skip_while(|joint| **joint != above)
                .skip(1)
                .filter_map(|joint| numbers.iter().position(|number| number == joint)),
        );
    }
    let kept = if bodies.moved_only { moving } else { links };
    (kept, hinge_of)
}

/// Reads arrays, in the order of bodies and joints that fits them.
pub(super) fn read(
    bytes: &[u8],
    (robot, hinges): (&Skeleton, &Hinges),
    settings: &ReadSettings,
) -> Result<(RobotMotion, Bodies), ReadError> {
    let arrays = Arrays::new(bytes, &settings.limits)?;
    let count = hinges.each().count();
    let fps = arrays.array("fps")?.numbers()?;
    let (angles, sizes) = arrays.numbers("joint_pos", &[None, Some(count)])?;
    let frames = Some(sizes[0]);
    let (places, sizes) = arrays.vectors("body_pos_w", &[frames, None, Some(3)])?;
    let (quats, _) = arrays.numbers("body_quat_w", &[frames, Some(sizes[1]), Some(4)])?;
    let (frames, num_bodies) = (sizes[0], sizes[1]);
    let quat = |index: usize| wxyz(&quats[4 * index..]);
    let mut best: Option<(f64, RobotMotion, Bodies)> = None;
    for choice in 0..8 {
        let bodies = Bodies {
            with_world: choice & 1 != 0,
            by_depth: choice & 2 != 0,
            moved_only: choice & 4 != 0,
        };
        let (links, hinge_of) = ordered(robot, hinges, bodies);
        let first = usize::from(bodies.with_world);
        if links.len() + first != num_bodies || hinge_of.len() != count {
            continue;
        }
        let mut motion = RobotMotion::new(fps.first().copied().unwrap_or_default());
        for frame in 0..frames {
            let mut own = vec![0.0; count];
            for (&hinge, angle) in hinge_of.iter().zip(&angles[frame * count..][..count]) {
                own[hinge] = *angle;
            }
            let base = frame * num_bodies + first;
            motion.push(places[base], quat(base), own)?;
        }
        let off = (0..frames).step_by((frames / NUM_SHOWN).max(1)).flat_map(|frame| {
            let world = motion.world(frame, robot, hinges);
            links
                .iter()
                .enumerate()
                .map(|(body, link)| {
                    (world.joint(link.joint) * link.at)
                        .translation
                        .distance(places[frame * num_bodies + first + body])
                })
                .collect::<Vec<_>>()
        });
        let off = off.fold(0.0, f64::max);
        if best.as_ref().is_none_or(|(least, ..)| off < *least) {
            best = Some((off, motion, bodies));
        }
    }
    match best {
        Some((off, motion, bodies)) if off <= MOST_METRES => Ok((motion, bodies)),
        other => Err(RobotMotionError::OtherRobot {
            centimetres: other.map_or(f64::INFINITY, |(off, ..)| 100.0 * off),
        }
        .into()),
    }
}

/// Writes arrays; velocities continue over the seam of a loop.
pub(crate) fn write(written: &Written<'_, '_>, bodies: Bodies, step_secs: f64) -> Vec<u8> {
    let mut archive = Archive::default();
    let (links, hinge_of) = ordered(&written.skeleton, &written.hinges, bodies);
    let (mut angles, mut speeds, mut moving, mut keys) = (Vec::new(), Vec::new(), Vec::<Moving>::new(), 0);
    for key in written.keys() {
        let of_key = key.speeds();
        angles.extend(hinge_of.iter().map(|&hinge| key.own.angles[hinge]));
        speeds.extend(hinge_of.iter().map(|&hinge| of_key[hinge]));
        if bodies.with_world {
            moving.push(Moving {
                at: Rigid::IDENTITY,
                linear: DVec3::ZERO,
                angular: DVec3::ZERO,
            });
        }
        moving.extend(links.iter().map(|link| key.moving(link.joint, link.at)));
        keys += 1;
    }
    let (count, num_bodies) = (hinge_of.len(), links.len() + usize::from(bodies.with_world));
    let mut add = |name: &str, bytes: Vec<u8>| archive.add(&format!("{name}.npy"), &bytes);
    add("fps", doubles(&[1], core::iter::once(1.0 / step_secs)));
    add("joint_pos", singles(&[keys, count], angles.into_iter()));
    add("joint_vel", singles(&[keys, count], speeds.into_iter()));
    let vectors = |of: fn(&Moving) -> DVec3| {
        singles(
            &[keys, num_bodies, 3],
            moving.iter().flat_map(move |body| of(body).to_array()),
        )
    };
    add("body_pos_w", vectors(|body| body.at.translation));
    let quats = moving.iter().flat_map(|body| {
        let quat = body.at.rotation;
        [quat.w, quat.x, quat.y, quat.z]
    });
    add("body_quat_w", singles(&[keys, num_bodies, 4], quats));
    add("body_lin_vel_w", vectors(|body| body.linear));
    add("body_ang_vel_w", vectors(|body| body.angular));
    archive.finish()
}
