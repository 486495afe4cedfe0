//! Measures a walk: how far feet slide, and how sharp its jumps are.

use loopwright_core::motion::WorldTracks;

use super::{bit_of, ground};
use crate::{MatchDatabase, MatchSource};

/// Returns the mean speeds of standing feet, in a walk and in the frames that it plays.
pub(super) fn slides(
    database: &MatchDatabase<'_>,
    sources: &[&MatchSource],
    world: &WorldTracks,
    step_secs: f64,
    rows: &[usize],
) -> (Option<f64>, Option<f64>) {
    let (mut here, mut there, mut count) = (0.0, 0.0, 0_u32);
    for (frame, rows) in rows.windows(2).enumerate() {
        let stands = database.standing(rows[0]) & database.standing(rows[1]);
        let at = database.frame_of(rows[0]);
        let source = sources[at.clip];
        let in_take = source.frame_in_take(at.frame);
        for foot in &source.analysis.body.feet {
            let bit = foot.side.map_or(0, bit_of);
            if stands & bit == 0 || rows[1] != rows[0] + 1 {
                continue;
            }
            let joint = foot.lowest_joint();
            let [walked, taken] = [(world, frame), (&source.analysis.world, in_take)].map(|(world, frame)| {
                (ground(world.position(frame + 1, joint)) - ground(world.position(frame, joint))).length()
            });
            here += walked;
            there += taken;
            count += 1;
        }
    }
    [here, there]
        .map(|sum| (count > 0).then(|| sum / (f64::from(count) * step_secs)))
        .into()
}

/// Returns the largest second difference of a joint's position: within the frames after jumps, and elsewhere.
pub(super) fn sharpest(world: &WorldTracks, num_joints: usize, jumps: &[usize]) -> [f64; 2] {
    let mut sharpest = [0.0_f64; 2];
    for frame in 1..world.num_frames().saturating_sub(1) {
        let is_jump = jumps.iter().any(|&jump| jump == frame || jump == frame + 1);
        for joint in 0..num_joints {
            let [before, at, after] = [frame - 1, frame, frame + 1].map(|frame| world.position(frame, joint));
            let change = (after - 2.0 * at + before).length();
            let kind = &mut sharpest[usize::from(!is_jump)];
            *kind = kind.max(change);
        }
    }
    sharpest
}
