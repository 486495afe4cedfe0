//! Measures the take's own acceleration at a seam: if a foot strikes there, the seam looks like a pop however well it is closed.

use super::{SeamPair, describe::SearchedTake};
use crate::{
    analysis::seam_peak::{self, floor, second_difference},
    math::rotation,
};

impl SearchedTake<'_> {
    /// Returns the take's acceleration at both ends over the 99th percentile of the acceleration between them, for the worst
    /// joint of the body: of world positions, and of local rotations, which alone show the motion of toes and hands.
    pub(super) fn abruptness(&self, pair: &SeamPair) -> f64 {
        let world = &self.analysis.world;
        let last = self.analysis.take.last_frame();
        let around = |frame: usize| {
            let frame = frame.clamp(1, last - 1);
            [frame - 1, frame, frame + 1]
        };
        let joints = (0..world.num_joints()).filter(|&joint| !self.analysis.body.is_control(joint));
        joints.fold(0.0, |worst, joint| {
            let joints = [joint, self.pairing.partner(joint)];
            let moved = |joint: usize, frame: usize| {
                second_difference(around(frame).map(|frame| world.position(frame, joint))).length()
            };
            let worst = standing_out(pair, joints, &moved, floor::SEEN_METRES, worst);
            let turned = |joint: usize, frame: usize| {
                self.uneven_turns.get(frame, joint, || {
                    let [before, at, after] = around(frame).map(|frame| self.analysis.take.rotations(frame)[joint]);
                    (rotation::difference(before, at) + rotation::difference(after, at)).length()
                })
            };
            standing_out(pair, joints, &turned, floor::SEEN_RADIANS, worst)
        })
    }
}

/// Returns a size at the seam of a pair over the 99th percentile of the sizes inside, which is at least `floor`; at least
/// `least`.
///
/// Most joints do not stand out, and a few frames inside show it: those whose sizes would be in the upper hundredth. The sizes
/// are those of the joint after the seam and of the joint before it. Closing gives the seam the mean of both ends, and leaves
/// the frame before the end nearly unchanged.
fn standing_out(
    pair: &SeamPair,
    joints: [usize; 2],
    size: &dyn Fn(usize, usize) -> f64,
    floor: f64,
    least: f64,
) -> f64 {
    let ([after, before], end) = (joints, pair.end_frame);
    let seam = (0.5 * (size(after, pair.start_frame) + size(before, end))).max(size(before, end - 1));
    if seam <= least * floor {
        return least;
    }
    let inside = pair.start_frame + 1..end - 1;
    let partner = if before == after { 0..0 } else { inside.clone() };
    let all = inside
        .map(|frame| (after, frame))
        .chain(partner.map(|frame| (before, frame)));
    let enough = seam_peak::num_at_peak(all.clone().count());
    let (mut sizes, mut num_large) = (Vec::new(), 0);
    for (joint, frame) in all {
        let inside = size(joint, frame);
        num_large += usize::from(inside * least >= seam);
        if num_large >= enough {
            return least;
        }
        sizes.push(inside);
    }
    least.max(seam / seam_peak::usual(sizes, floor))
}
