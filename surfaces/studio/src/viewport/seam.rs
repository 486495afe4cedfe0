//! The path of a joint over the seam, and feet that slide or change height while they stand.

use glam::DVec3;
use loopwright_core::{
    loop_clip::LoopKeys,
    quality::{Stand, farthest_slide_of_stances, stands},
};
use loopwright_job::checks::{GOOD_FOOT_HEIGHT_METRES, GOOD_FOOT_SLIDE_METRES};

use crate::model::{Made, Model};

/// Duration of the drawn path before and after the seam, seconds.
const AROUND_SECS: f64 = 0.5;

/// The path of a joint around the seam, relative to the root, by time from the seam.
pub struct Trail {
    /// The loop, and the joint.
    of: (u64, usize),
    closed: Vec<(f64, DVec3)>,
    /// Up to the seam, and from it on: uncut, the two do not meet.
    uncut: [Vec<(f64, DVec3)>; 2],
}

/// A path for drawing, in the world.
#[derive(Default)]
pub struct Paths {
    pub closed: [Vec<DVec3>; 2],
    pub uncut: [Vec<DVec3>; 2],
}

impl Trail {
    /// Returns the path of a joint: the last one, if it is still right.
    pub fn of<'a>(slot: &'a mut Option<Self>, model: &Model, made: &Made, joint: usize) -> &'a Self {
        slot.take_if(|trail| trail.of != (model.num_made, joint));
        slot.get_or_insert_with(|| Self::new(model, made, joint))
    }

    fn new(model: &Model, made: &Made, joint: usize) -> Self {
        let clip = made.clip();
        let source = &made.done.made.source.clip;
        let tracks = clip.tracks_from_root();
        let step = clip.step_secs();
        let num = clip.num_samples() as isize;
        let reach = ((AROUND_SECS / step) as isize).min(num / 2);
        let closed = (-reach..=reach)
            .map(|sample| {
                let position = tracks.position(sample.rem_euclid(num) as usize, joint);
                (sample as f64 * step, position)
            })
            .collect();
        let last = source.num_intervals() as isize;
        let reach = reach.min(last);
        Self {
            of: (model.num_made, joint),
            closed,
            uncut: [(-reach..=0, last), (0..=reach, 0)].map(|(samples, seam)| {
                let at = |sample: isize| {
                    let world = source.pose(seam + sample).world(source.skeleton());
                    (sample as f64 * step, world.translations[joint])
                };
                samples.map(at).collect()
            }),
        }
    }

    /// Returns the path in the world, over the nearest seam.
    pub fn paths(&self, model: &Model, made: &Made) -> Paths {
        let clip = made.clip();
        let source = &made.done.made.source;
        let period = made.period_secs();
        Paths {
            closed: [false, true].map(|is_after| {
                self.closed
                    .iter()
                    .filter(|(secs, _)| if is_after { *secs >= 0.0 } else { *secs <= 0.0 })
                    .map(|&(secs, point)| clip.root_pose_at(model.root_secs(secs, period)).transform_point(point))
                    .collect()
            }),
            uncut: self.uncut.each_ref().map(|side| {
                side.iter()
                    .map(|&(secs, point)| source.root.at(model.root_secs(secs, period)).transform_point(point))
                    .collect()
            }),
        }
    }
}

/// A foot that moves while it should stand.
pub struct Fault {
    pub joint: usize,
    first_sample: usize,
    num_samples: usize,
    /// The fault as text.
    pub words: String,
}

/// Returns the faults of the shown loop at the time shown; they are found anew for another loop.
pub fn faults_now<'a>(slot: &'a mut Option<(u64, Vec<Fault>)>, model: &Model, made: &Made) -> Vec<&'a Fault> {
    slot.take_if(|(of, _)| *of != model.num_made);
    let (_, found) = slot.get_or_insert_with(|| (model.num_made, found(made)));
    let num = made.clip().num_samples();
    let sample = (model.playback.secs_in(made.period_secs()) / made.clip().step_secs()) as usize;
    found
        .iter()
        .filter(|fault| (sample + num - fault.first_sample % num) % num < fault.num_samples)
        .collect()
}

fn found(made: &Made) -> Vec<Fault> {
    let made_loop = &made.done.made;
    let keys = LoopKeys::from_loop(&made_loop.loop_clip);
    let skeleton = made_loop.loop_clip.skeleton();
    let size = made.quality.body_size;
    let source = &made_loop.source.clip;
    let closed = made_loop.loop_clip.tracks_from_root();
    let mut faults = Vec::new();
    for stand in stands(&keys, &made_loop.body, Some(&made_loop.source)) {
        let name = &skeleton.joint(stand.joint).name;
        let slid = farthest_slide_of_stances(&keys, &[stand]).map_or(0.0, |slide| slide.metres);
        let risen = risen(&stand, keys.num_samples(), |sample| {
            let pose = source.pose(sample as isize).world(source.skeleton());
            closed.position(sample, stand.joint).y - pose.translations[stand.joint].y
        });
        let words = if slid > GOOD_FOOT_SLIDE_METRES * size {
            format!("{name} slides {:.0} mm", 1e3 * slid)
        } else if risen.abs() > GOOD_FOOT_HEIGHT_METRES * size {
            let side = if risen > 0.0 { "floats" } else { "sinks" };
            format!("{name} {side} {:.0} mm", 1e3 * risen.abs())
        } else {
            continue;
        };
        faults.push(Fault {
            joint: stand.joint,
            first_sample: stand.first_sample,
            num_samples: stand.num_samples,
            words,
        });
    }
    faults
}

/// Mean height of a standing joint above its place in the take, metres.
fn risen(stand: &Stand, num_samples: usize, above: impl Fn(usize) -> f64) -> f64 {
    let samples = stand.first_sample..stand.first_sample + stand.num_samples.min(num_samples);
    let count = samples.len().max(1) as f64;
    samples.map(|sample| above(sample % num_samples)).sum::<f64>() / count
}
