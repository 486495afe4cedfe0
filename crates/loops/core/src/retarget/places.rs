//! Where bodies stand: heights of feet over the ground, tops of legs, and what differs between two bodies of one scale.

use glam::DVec3;

use super::Rig;
use super::anatomy::{Limb, LimbKind};
use crate::motion::WorldTracks;

/// Feet of the source stand at the height below which they are for this share of the motion.
const STANDING_SHARE: f64 = 0.05;

/// Tops of the legs that both rigs have, hind legs of animals; the hips of both where there are none.
pub(super) fn tops(source: &Rig, target: &Rig) -> [Vec<usize>; 2] {
    let top = |limb: &Limb| {
        limb.bones
            .map_or(limb.joints.first().copied(), |bones| Some(bones.upper))
    };
    let mut tops = [Vec::new(), Vec::new()];
    for limb in target
        .anatomy
        .limbs
        .iter()
        .filter(|limb| limb.kind == LimbKind::Leg && limb.row == 0)
    {
        if let Some((from, to)) = source.anatomy.limb(limb).and_then(top).zip(top(limb)) {
            tops[0].push(from);
            tops[1].push(to);
        }
    }
    if tops[0].is_empty() {
        return [vec![source.anatomy.hips], vec![target.anatomy.hips]];
    }
    tops
}

/// How far ahead of the hind legs the row of a leg begins at rest, in the axes of the body; zero for the hind legs themselves, and for
/// arms.
pub(super) fn row_ahead(rig: &Rig, limb: &Limb) -> DVec3 {
    let top = |row: usize| {
        let legs = rig.anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg);
        let tops: Vec<DVec3> = (legs.filter(|limb| limb.row == row))
            .filter_map(|limb| limb.joints.first())
            .map(|&top| rig.axes.conjugate() * rig.world.translations[top])
            .collect();
        tops.iter().sum::<DVec3>() / tops.len().max(1) as f64
    };
    match (limb.kind, limb.row) {
        (LimbKind::Arm, _) | (_, 0) => DVec3::ZERO,
        (_, row) => DVec3::Z * (top(row) - top(0)).z,
    }
}

/// Heights at which feet stand, metres.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Standing {
    /// Of the source, over its motion.
    pub(super) source: f64,
    /// Of the target, over its ground.
    pub(super) target: f64,
    /// The ground on which those of the source stand.
    pub(super) ground_of_source: f64,
}

impl Standing {
    /// `None` without feet.
    pub(super) fn of(source: &Rig, target: &Rig, motion: &WorldTracks) -> Option<Self> {
        let mut pairs = Vec::new();
        for limb in target.anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg) {
            let Some(from) = source.anatomy.limb(limb) else {
                continue;
            };
            pairs.extend(match from.toe.zip(limb.toe) {
                Some(toes) => Some(toes),
                None => from.joints.last().copied().zip(limb.joints.last().copied()),
            });
        }
        if pairs.is_empty() {
            return None;
        }
        let over_ground = |rig: &Rig, joints: &[usize]| {
            // One of the feet may be lifted, in characters that rest in mid-stride.
            let heights = joints.iter().map(|&joint| rig.world.translations[joint].y);
            heights.fold(f64::INFINITY, f64::min) - rig.ground()
        };
        let (theirs, ours): (Vec<usize>, Vec<usize>) = pairs.into_iter().unzip();
        // The ground is where the lowest joints of its feet stand: a body that runs on its toes never puts a heel down.
        let legs = source.anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg);
        let lowest: Vec<usize> = legs
            .filter_map(|limb| limb.toe.or(limb.joints.last().copied()))
            .collect();
        let height = |frame: usize| {
            let heights = lowest.iter().map(|&joint| motion.position(frame, joint).y);
            heights.fold(f64::INFINITY, f64::min)
        };
        let mut all: Vec<f64> = (0..motion.num_frames()).map(height).collect();
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

/// From the ball of the foot to the ankle in the rest pose, the mean of the legs, in the axes of the body; zero where either rig
/// has no toes.
pub(super) fn ankle_over_ball(rig: &Rig, other: &Rig) -> DVec3 {
    let mut offsets = Vec::new();
    for limb in rig.anatomy.limbs.iter().filter(|limb| limb.kind == LimbKind::Leg) {
        let both = other.anatomy.limb(limb).is_some_and(|theirs| theirs.toe.is_some());
        if let (true, Some(toe), Some(ankle)) = (both, limb.toe, limb.bones.and_then(|bones| bones.end)) {
            let at = &rig.world.translations;
            offsets.push(rig.axes.conjugate() * (at[ankle] - at[toe]));
        }
    }
    let mean = offsets.iter().sum::<DVec3>() / offsets.len().max(1) as f64;
    DVec3::new(0.0, mean.y, mean.z)
}
