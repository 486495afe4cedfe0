//! Reference positions of standing bodies: heights of feet over the ground, tops of legs, and differences between two bodies of
//! one scale.

use glam::DVec3;

use super::{LimbKind, Rig, anatomy::Limb};
use crate::{
    math::{mean, smallest},
    motion::WorldTracks,
};

/// The standing height of the source's feet is the one below which they are for this share of the motion.
const STANDING_SHARE: f64 = 0.05;

/// Returns the tops of the legs that both rigs have, hind legs of animals; the hips of both if there are none.
pub(super) fn tops(source: &Rig, target: &Rig) -> [Vec<usize>; 2] {
    let (theirs, ours): (Vec<usize>, Vec<usize>) = target
        .anatomy
        .legs()
        .filter(|limb| limb.row == 0)
        .filter_map(|limb| source.anatomy.limb(limb)?.top().zip(limb.top()))
        .unzip();
    if ours.is_empty() {
        return [vec![source.anatomy.hips], vec![target.anatomy.hips]];
    }
    [theirs, ours]
}

/// Legs whose tops are farther from the middle than those of the source by less than this share of their length reach the places of its
/// feet: a leg inclined by that much is too short by half a hundredth of its length.
const ASIDE_SHARE: f64 = 0.1;

/// Returns the offset of the foot of a leg from its scaled place, in the axes of the body: ahead, as much as its row begins farther ahead
/// of the hind legs; aside, on a broad body, as much as its legs would not reach. Zero for arms.
pub(super) fn shift(source: &Rig, target: &Rig, from: &Limb, to: &Limb) -> DVec3 {
    if to.kind == LimbKind::Arm {
        return DVec3::ZERO;
    }
    let scale = target.scale_from(source);
    let beside = |rig: &Rig, limb: &Limb| {
        let top = limb.joints.first().map_or(DVec3::ZERO, |&top| rig.in_body(top));
        DVec3::new(
            (top - top_of_row(rig, limb.row)).x,
            0.0,
            (top_of_row(rig, limb.row) - top_of_row(rig, 0)).z,
        )
    };
    let apart = beside(target, to) - scale * beside(source, from);
    let reached = ASIDE_SHARE * target.leg_length();
    DVec3::new(apart.x - apart.x.clamp(-reached, reached), 0.0, apart.z)
}

/// Returns the mean of the first joints of a row of legs, in the axes of the body.
fn top_of_row(rig: &Rig, row: usize) -> DVec3 {
    mean(
        rig.anatomy
            .legs()
            .filter(|limb| limb.row == row)
            .filter_map(|limb| Some(rig.in_body(*limb.joints.first()?))),
    )
}

/// Heights at which feet stand, metres.
#[value(Copy, Default)]
pub(super) struct Standing {
    /// Height at which feet of the source stand, over its motion.
    pub source: f64,
    /// Height at which feet of the target stand, over its ground.
    pub target: f64,
    /// Height of the ground on which the feet of the source stand.
    pub ground_of_source: f64,
}

impl Standing {
    /// Measures the heights; `None` without feet.
    pub(super) fn of(source: &Rig, target: &Rig, motion: &WorldTracks) -> Option<Self> {
        let (theirs, ours): (Vec<usize>, Vec<usize>) = target
            .anatomy
            .legs()
            .filter_map(|limb| {
                let from = source.anatomy.limb(limb)?;
                from.toe
                    .zip(limb.toe)
                    .or_else(|| from.joints.last().copied().zip(limb.joints.last().copied()))
            })
            .unzip();
        if ours.is_empty() {
            return None;
        }
        // The ground is at the lowest joints of the standing feet: a body that runs on its toes never puts a heel down.
        let lowest: Vec<usize> = source
            .anatomy
            .legs()
            .filter_map(|limb| limb.toe.or(limb.joints.last().copied()))
            .collect();
        let mut all: Vec<f64> = (0..motion.num_frames())
            .map(|frame| smallest(lowest.iter().map(|&joint| motion.position(frame, joint).y)))
            .collect();
        let at = (STANDING_SHARE * all.len() as f64) as usize;
        all.sort_unstable_by(f64::total_cmp);
        let ground_of_source = all[at] - over_ground(source, &lowest);
        Some(Self {
            source: ground_of_source + over_ground(source, &theirs),
            target: over_ground(target, &ours),
            ground_of_source,
        })
    }
}

/// Returns the height of the lowest of some joints over the ground at rest, metres: one of the feet may be lifted, in
/// characters that rest in mid-stride.
fn over_ground(rig: &Rig, joints: &[usize]) -> f64 {
    smallest(joints.iter().map(|&joint| rig.world.translations[joint].y)) - rig.ground()
}

/// Returns the vector from the ball of the foot to the ankle in the rest pose, the mean of the legs, in the axes of the body;
/// zero if either rig has no toes.
pub(super) fn ankle_over_ball(rig: &Rig, other: &Rig) -> DVec3 {
    let at = &rig.world.translations;
    let offsets = rig.anatomy.legs().filter_map(|limb| {
        other.anatomy.limb(limb)?.toe?;
        let (toe, ankle) = (limb.toe?, limb.bones?.end?);
        Some(rig.axes.conjugate() * (at[ankle] - at[toe]))
    });
    mean(offsets).with_x(0.0)
}
