//! Keeps the tips of the toes above the floor.
//!
//! The lock holds the ball of a foot and leaves the foot its rotation, which closing changes by a few degrees: the tip of a toe of 7 cm
//! then sinks by millimetres, up to two centimetres. The toes bend up by as much as it takes to keep the tip where it is lowest in
//! the take. Ball, ankle and leg stay as they are. Derivation: docs/math/feet.md.

use glam::DVec3;

use super::stage::Stage;
use crate::{
    analysis::body::Body,
    loop_clip::LoopClip,
    math::{kernel, ops, percentile, rigid::Rigid, rotation},
    motion::{Skeleton, WorldTracks},
    root_motion::RootRelativeClip,
};

/// The share of the heights of a tip that may be lower than its floor: stray frames of the capture.
const STRAY_SHARE: f64 = 0.02;

/// Tips that sink by less than this are left, metres at the size of a man: nobody sees it, and toes that do not move stay still.
const UNSEEN_METRES: f64 = 1e-3;

/// Toes bend up and down over this long, seconds.
const BEND_SECS: f64 = 0.06;

/// Toes bend up by no more than this, radians.
const MOST_BENT: f64 = 0.5;

/// The tip of the toes: a point fixed to a joint.
#[derive(Clone, Copy, Debug)]
struct Tip {
    toe: usize,
    joint: usize,
    offset: DVec3,
}

impl Tip {
    /// The tip beyond a toe joint; `None` where the rig ends there.
    fn of(skeleton: &Skeleton, toe: usize) -> Option<Self> {
        let (joint, offset) = match (skeleton.children(toe).first(), skeleton.joint(toe).tip) {
            (Some(&end), _) => (end, DVec3::ZERO),
            (None, Some(tip)) if tip != DVec3::ZERO => (toe, tip),
            _ => return None,
        };
        Some(Self { toe, joint, offset })
    }

    fn place(self, world: &WorldTracks, frame: usize) -> DVec3 {
        world.position(frame, self.joint) + world.rotation(frame, self.joint) * self.offset
    }
}

/// The loop with toes bent up where their tips were below their floor in the take; `None` where none was.
pub(crate) fn above_floor(clip: &LoopClip, body: &Body, source: &RootRelativeClip) -> Option<LoopClip> {
    let skeleton = clip.skeleton();
    let tips: Vec<Tip> = (body.feet.iter())
        .filter_map(|foot| Tip::of(skeleton, foot.toe?))
        .collect();
    let (stage, uncut) = (Stage::of(clip), source.clip.world_tracks());
    let up = |sample: usize| stage.up(sample);
    let count = clip.num_samples();
    let first = source.clip.sample_range().start().unsigned_abs();
    let mut tracks = clip.tracks().clone();
    let mut is_bent = false;
    let unseen = UNSEEN_METRES * body.size_in(skeleton, clip.body_pose(0));
    for tip in tips {
        let heights = (0..=count).map(|sample| up(sample).dot(tip.place(&uncut, first + sample)));
        let floor = percentile::of(heights.collect(), STRAY_SHARE);
        let lacks = |sample: usize| floor - up(sample).dot(tip.place(&stage.world, sample));
        let deepest = (0..count).map(lacks).fold(0.0, f64::max);
        if deepest < unseen {
            continue;
        }
        let needs: Vec<f64> = (0..count)
            .map(|sample| {
                let (toe, at) = (stage.world.position(sample, tip.toe), tip.place(&stage.world, sample));
                let (length, rise) = ((at - toe).length(), up(sample).dot(at - toe));
                if lacks(sample) <= 0.0 || length <= f64::MIN_POSITIVE {
                    return 0.0;
                }
                let elevation = |rise: f64| {
                    let share = (rise / length).clamp(-1.0, 1.0);
                    ops::atan2(share, (1.0 - share * share).sqrt())
                };
                (elevation(rise + lacks(sample)) - elevation(rise)).min(MOST_BENT)
            })
            .collect();
        is_bent = true;
        let bends = kernel::envelope_around(&needs, stage.samples_in(BEND_SECS));
        let bent: Vec<Rigid> = (0..count)
            .map(|sample| {
                let along = tip.place(&stage.world, sample) - stage.world.position(sample, tip.toe);
                let axis = along.cross(up(sample)).normalize_or_zero();
                let turned = rotation::exp(axis * bends[sample]) * stage.world.rotation(sample, tip.toe);
                let local = stage.rotation_above(sample, tip.toe).conjugate() * turned;
                Rigid::new(local.normalize(), clip.body_pose(sample).translations[tip.toe])
            })
            .collect();
        tracks.set_joint(tip.toe, |sample| bent[sample]);
    }
    is_bent.then(|| clip.clone().with_tracks(tracks))
}
