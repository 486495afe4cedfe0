//! How a body stands, by what a take shows of it where its rest pose does not: how high its ankles are over its soles, and how these lie.

use glam::DVec3;

use super::Rig;
use super::anatomy::LimbKind;
use crate::motion::Pose;

/// How a body stands.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Stance {
    /// Whether it stands in the rest pose that its file states. Else it is compared with others in a frame of a take, whatever it does there.
    pub(super) is_at_rest: bool,
    /// How high the lower ankle is over the ground when it is lowest in the take, metres.
    ankle: f64,
    /// Upward normals of soles in the axes of ankles and toes, where neither the rest pose nor a foot that stands shows them.
    soles: Vec<(usize, DVec3)>,
}

/// Heights are those above which feet are in all but one of so many frames: captures have some in which the body sinks into the floor. With one of
/// 50 a take of 2428 frames whose last 96 do puts the ankles 7 cm too low, with one of 20 a dance by jumps puts them 3 cm too high.
const LOWEST_OF: usize = 25;

/// Feet are nearest to the ground in one of so many frames.
const SOLES_OF: usize = 8;

impl Stance {
    /// By poses of a take in the world; `shown` are ankles and toes whose soles are known to be flat in the reference pose.
    pub(super) fn of(rig: &Rig, poses: &[Pose], is_at_rest: bool, shown: &[usize]) -> Self {
        let low = |height: &dyn Fn(&Pose) -> f64| {
            let mut heights: Vec<f64> = poses.iter().map(height).collect();
            heights.sort_by(f64::total_cmp);
            let low = heights.len().saturating_sub(1) / LOWEST_OF;
            heights.get(low).copied().unwrap_or(0.0)
        };
        let ground = rig.ground_under(low(&|pose| rig.lowest_of_feet(pose)));
        let mut soles = Vec::new();
        let legs = (rig.anatomy.limbs.iter()).filter(|limb| limb.kind == LimbKind::Leg && !is_at_rest);
        for limb in legs {
            let Some(ankle) = limb.bones.and_then(|bones| bones.end) else {
                continue;
            };
            let height = |pose: &Pose| pose.translations[ankle].y + pose.translations[limb.toe.unwrap_or(ankle)].y;
            let mut lowest: Vec<&Pose> = poses.iter().collect();
            lowest.sort_by(|one, other| height(one).total_cmp(&height(other)));
            lowest.truncate(poses.len().div_ceil(SOLES_OF));
            for joint in core::iter::once(ankle)
                .chain(limb.toe)
                .filter(|joint| !shown.contains(joint))
            {
                let normals = lowest.iter().map(|pose| pose.rotations[joint].conjugate() * DVec3::Y);
                soles.extend(normals.sum::<DVec3>().try_normalize().map(|normal| (joint, normal)));
            }
        }
        Self {
            is_at_rest,
            ankle: low(&|pose| rig.lower_ankle(pose)) - ground,
            soles,
        }
    }

    /// How high the lower ankle is over the soles when these are on the ground, metres.
    pub(super) fn ankle_over_soles(&self, rig: &Rig) -> f64 {
        match self.is_at_rest && rig.shows_ground() {
            true => rig.lower_ankle(&rig.world) - rig.ground(),
            false => self.ankle,
        }
    }

    /// The upward normal of the sole of an ankle or of toes in the reference pose, in the world.
    pub(super) fn sole(&self, rig: &Rig, joint: usize) -> DVec3 {
        let seen = self.soles.iter().find(|(of, _)| *of == joint);
        seen.map_or(DVec3::Y, |&(_, normal)| rig.world.rotations[joint] * normal)
    }
}
