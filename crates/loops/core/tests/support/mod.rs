//! Inputs shared by tests of several subjects: skeletons, takes and loops with known truth.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, Cut, Joint, LoopCandidate, LoopClip, LoopSettings, MadeLoop, Pose, Quality, RootMotion, SearchSettings,
    Skeleton, Take, Tracks,
    candidate::ChooseBy,
    loop_clip::LoopKeys,
    math::{Rigid, Twist},
    quality,
};
use loopwright_synth::{WalkSettings, synthesize};
use rand_pcg::{Pcg64, rand_core::Rng};

pub(crate) mod characters;
pub(crate) mod quadrature;

/// Numbers that are the same on every run.
pub(crate) struct Random(Pcg64);

impl Random {
    pub(crate) fn new(state: u128, stream: u128) -> Self {
        Self(Pcg64::new(state, stream))
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

/// Returns a joint without a tip.
pub(crate) fn joint(name: &str, parent: Option<usize>, rest_offset: DVec3) -> Joint {
    Joint::new(name, parent, rest_offset)
}

/// Returns the joints by name, parent and offset.
pub(crate) fn skeleton(rows: &[(&str, Option<usize>, DVec3)]) -> Skeleton {
    let joints = rows.iter().map(|&(name, parent, offset)| joint(name, parent, offset));
    Skeleton::new(joints.collect()).unwrap()
}

/// Returns the joints that hang from each other.
pub(crate) fn chain(names: &[&str], offset: DVec3) -> Skeleton {
    let joints = names.iter().enumerate();
    let joints = joints.map(|(at, name)| joint(name, at.checked_sub(1), offset));
    Skeleton::new(joints.collect()).unwrap()
}

/// Returns a take from the transform of each joint in each frame.
pub(crate) fn take_of(
    skeleton: Skeleton,
    frame_time_secs: f64,
    num_frames: usize,
    mut at: impl FnMut(usize, usize) -> (DVec3, DQuat),
) -> Take {
    let places = (0..num_frames).flat_map(|frame| (0..skeleton.num_joints()).map(move |joint| (frame, joint)));
    let (translations, rotations) = places.map(|(frame, joint)| at(frame, joint)).unzip();
    Take::new("made", skeleton, frame_time_secs, translations, rotations).unwrap()
}

/// Returns a loop from the transform of each joint at phases from 0 to 1.
pub(crate) fn clip_of(
    skeleton: Skeleton,
    step_secs: f64,
    num_samples: usize,
    root: RootMotion,
    at: impl Fn(f64, usize) -> (DVec3, DQuat),
) -> LoopClip {
    let take = take_of(skeleton, step_secs, num_samples, |sample, joint| {
        at(sample as f64 / num_samples as f64, joint)
    });
    let tracks = Tracks::from_poses(take.skeleton().clone(), step_secs, poses(&take)).unwrap();
    LoopClip::new("made", tracks, 0, root).unwrap()
}

pub(crate) fn poses(take: &Take) -> impl Iterator<Item = Pose> {
    (0..take.num_frames()).map(|frame| take.pose(frame).to_pose())
}

pub(crate) fn posed(take: &Take, change: impl Fn(usize, &mut Pose)) -> Take {
    posed_on(take, take.skeleton().clone(), change)
}

pub(crate) fn posed_on(take: &Take, skeleton: Skeleton, change: impl Fn(usize, &mut Pose)) -> Take {
    let poses = poses(take).enumerate().map(|(frame, mut pose)| {
        change(frame, &mut pose);
        pose
    });
    of_poses(take, skeleton, poses)
}

/// Returns the frames of the take, in any order and number.
pub(crate) fn of_frames(take: &Take, frames: impl Iterator<Item = usize>) -> Take {
    let poses = frames.map(|frame| take.pose(frame).to_pose());
    of_poses(take, take.skeleton().clone(), poses)
}

pub(crate) fn of_poses(take: &Take, skeleton: Skeleton, poses: impl Iterator<Item = Pose>) -> Take {
    let (translations, rotations): (Vec<_>, Vec<_>) = poses.map(|pose| (pose.translations, pose.rotations)).unzip();
    let (translations, rotations) = (translations.concat(), rotations.concat());
    Take::new(take.name(), skeleton, take.frame_time_secs(), translations, rotations).unwrap()
}

/// Returns the take's root goes by another motion in every frame.
pub(crate) fn moved(take: &Take, by: impl Fn(usize) -> Rigid) -> Take {
    posed(take, |frame, pose| {
        let joint = by(frame) * pose.as_ref().joint(0);
        pose.set_joint(0, joint);
    })
}

/// Returns a walk without noise and drift.
pub(crate) fn steady() -> WalkSettings {
    WalkSettings::default().noise_deg(0.0).drift(0.0)
}

pub(crate) fn walk_of(settings: WalkSettings) -> Take {
    synthesize(&settings).unwrap().take
}

pub(crate) fn captured(folder: &std::path::Path, file: &str) -> Take {
    let bytes = std::fs::read(folder.join(file)).unwrap();
    loopwright_formats::load(&bytes, file).unwrap().take
}

pub(crate) fn twist(linear: DVec3, angular: DVec3) -> Twist {
    Twist { linear, angular }
}

pub(crate) fn root(start: Rigid, twist: Twist) -> RootMotion {
    RootMotion { start, twist }
}

/// Returns the frames chosen by hand that hold one cycle.
pub(crate) fn stretch(analysis: &Analysis, cut: &Cut) -> LoopCandidate {
    let settings = SearchSettings {
        cycles: Some(1),
        ..SearchSettings::default()
    };
    analysis
        .appraise(cut.start_frame(), cut.end_frame(), &settings)
        .unwrap()
}

/// Returns the loop of the frames from `start` to `end`, one cycle.
pub(crate) fn made_of(take: &Take, start: usize, end: usize, settings: &LoopSettings) -> MadeLoop {
    let analysis = analysed(take);
    let cut = Cut::new(take, start as f64, end as f64).unwrap();
    analysis.make_loop(&stretch(&analysis, &cut), settings).unwrap()
}

pub(crate) fn analysed(take: &Take) -> Analysis {
    Analysis::new(take).unwrap()
}

pub(crate) fn best(analysis: &Analysis) -> LoopCandidate {
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    found.best().unwrap().clone()
}

pub(crate) fn best_made(analysis: &Analysis, settings: &LoopSettings) -> MadeLoop {
    analysis.make_loop(&best(analysis), settings).unwrap()
}

pub(crate) fn best_loop(take: &Take) -> LoopClip {
    best_made(&analysed(take), &LoopSettings::default()).loop_clip
}

/// Returns a search for the cheapest seams, whatever else comes of them.
pub(crate) fn by_cost() -> SearchSettings {
    SearchSettings {
        choose_by: ChooseBy::Cost,
        ..SearchSettings::default()
    }
}

pub(crate) fn measured(made: &MadeLoop) -> Quality {
    quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, Some(&made.source))
}
