//! Finds joints beside a body that follow one of its joints rigidly, and the joint above the hips that moves with them.

use super::{JointMap, Rig, beside::is_beside};
use crate::math::ordered;

/// Joints above the hips that are nearer to them than this share of the leg move with the hips; those farther away, such as one
/// on the ground, carry only the root motion.
const HIPS_SHARE: f64 = 0.5;

/// Distance within which a joint belongs to one of the body, as a share of the leg. If it is attached to the root, which would otherwise
/// leave it behind: half a leg, ...
const FROM_ROOT_SHARE: f64 = 0.5;

/// ... within which it moves with the hips in any case, about a hand's breadth of a person, ...
const FROM_HIPS_SHARE: f64 = 0.1;

/// ... and its parent follows another joint of the body at the same place: the tip of a sword may be beside a knee.
const SAME_PLACE_SHARE: f64 = 0.02;

impl Rig {
    /// Returns the topmost joint that moves with the hips: the hips, or a joint above and near them, as in rigs whose `Hips`
    /// carry a `Pelvis` with the trunk and the legs.
    ///
    /// `root` is the joint on the ground that carries only the root motion, if there is one.
    pub(super) fn top_below(&self, root: Option<usize>) -> usize {
        let path = self.skeleton.path_from_root(self.body.hips);
        let below_root = root
            .and_then(|root| path.iter().position(|&joint| joint == root))
            .map_or(0, |at| at + 1);
        let at = &self.world.translations;
        let near = HIPS_SHARE * self.leg_length();
        path[below_root..]
            .iter()
            .rev()
            .take_while(|joint| at[**joint].distance(at[self.body.hips]) < near)
            .last()
            .copied()
            .unwrap_or(self.body.hips)
    }

    /// Returns joints beside the body that follow one of its joints rigidly, each with that joint; their descendants move with them.
    ///
    /// A joint that a map lets follow a joint of the source moves with the joint of the body that follows the same one.
    pub(super) fn led_by_body(&self, map: &JointMap) -> Vec<(usize, usize)> {
        let skeleton = &self.skeleton;
        let hips = self.body.hips;
        let (top, carrier) = (self.top(), self.carrier());
        let apart = &self.anatomy.apart;
        let is_foot: Vec<bool> = (0..skeleton.num_joints())
            .map(|joint| apart.iter().any(|(foot, _)| skeleton.is_within(joint, *foot)))
            .collect();
        let of_body: Vec<usize> = (0..is_foot.len())
            .filter(|&joint| is_foot[joint] || skeleton.is_within(joint, hips))
            .collect();
        let above = skeleton.path_from_root(hips);
        let leg = self.leg_length();
        // By joint, the distance within which it belongs to one of the body.
        let mut within = vec![FROM_ROOT_SHARE; is_foot.len()];
        let mut led = Vec::new();
        for joint in 0..is_foot.len() {
            let parent = skeleton.parent(joint);
            if joint == top {
                within[joint] = FROM_HIPS_SHARE;
            } else if let Some(parent) = parent {
                within[joint] = within[parent];
            }
            let is_carried = parent.is_some_and(|parent| skeleton.is_within(parent, carrier));
            if !is_beside(skeleton, joint, hips) || is_foot[joint] || !is_carried {
                continue;
            }
            let found = map.links[joint]
                .filter(|link| link.toward.is_none())
                .and_then(|link| {
                    let mut of_body = of_body.iter().copied();
                    of_body
                        .find(|&other| map.links[other].is_some_and(|of| of.toward.is_none() && of.from == link.from))
                })
                .or_else(|| {
                    let (distance, body) = self.nearest(joint, &of_body)?;
                    let (from_above, _) = self.nearest(joint, &above)?;
                    (distance < within[joint] * leg && distance < from_above).then_some(body)
                });
            if let Some(body) = found {
                led.push((joint, body));
                within[joint] = SAME_PLACE_SHARE;
            }
        }
        led
    }

    /// Returns the nearest to a joint among others, and its distance, metres.
    fn nearest(&self, joint: usize, among: &[usize]) -> Option<(f64, usize)> {
        let at = &self.world.translations;
        among
            .iter()
            .map(|&other| (at[other].distance(at[joint]), other))
            .min_by_key(|(distance, _)| ordered(*distance))
    }
}
