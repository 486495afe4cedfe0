//! Inputs shared by tests of plots and renders.

use glam::{DQuat, DVec3};
use loopwright_core::{Analysis, Cut, Joint, LoopSettings, MadeLoop, SearchSettings, Skeleton, Take};
use loopwright_synth::{WalkSettings, synthesize};

pub(crate) mod snapshot;

pub(crate) fn walk(seconds: f64, change: impl FnOnce(&mut WalkSettings)) -> Analysis {
    let mut settings = WalkSettings::default().seconds(seconds).frame_rate_hz(30.0);
    change(&mut settings);
    Analysis::new(&synthesize(&settings).unwrap().take).unwrap()
}

/// Returns the loop of frames chosen by hand that hold one cycle.
pub(crate) fn made(analysis: &Analysis, cut: &Cut, settings: &LoopSettings) -> MadeLoop {
    let search = SearchSettings {
        cycles: Some(1),
        ..SearchSettings::default()
    };
    let chosen = analysis.appraise(cut.start_frame(), cut.end_frame(), &search).unwrap();
    analysis.make_loop(&chosen, settings).unwrap()
}

/// Two joints with names that have to be escaped, the second of which is a frame ahead.
pub(crate) fn stick(num_frames: usize, position: impl Fn(usize) -> DVec3) -> Analysis {
    let joints = ["a<b>&\"c\"", "\u{540d}\u{524d}"].iter().enumerate();
    let joints = joints.map(|(at, name)| Joint::new(*name, at.checked_sub(1), DVec3::Y));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    let translations = (0..num_frames)
        .flat_map(|frame| [position(frame), position(frame + 1)])
        .collect();
    let rotations = vec![DQuat::IDENTITY; 2 * num_frames];
    let take = Take::new("<take> & co", skeleton, 1.0 / 30.0, translations, rotations).unwrap();
    Analysis::new(&take).unwrap()
}
