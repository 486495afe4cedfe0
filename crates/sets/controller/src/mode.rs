//! Modes of locomotion that a controller treats separately, and the largest values that a take reaches in each.

use loopwright_core::{
    analysis::{MotionKind, Segment},
    math::smallest,
};

use super::profile::{Profile, SUSTAINED_SECS};

/// The modes that a controller treats separately. They are kinds of motion; curves and motions in place have no mode of their
/// own.
pub const MODES: [MotionKind; 6] = [
    MotionKind::Idle,
    MotionKind::Walk,
    MotionKind::Run,
    MotionKind::Strafe,
    MotionKind::Backward,
    MotionKind::TurnInPlace,
];

/// Returns the mode of a kind of motion.
pub(super) fn mode_of(kind: MotionKind) -> MotionKind {
    let straight = kind.straight();
    if MODES.contains(&straight) {
        straight
    } else {
        MotionKind::Idle
    }
}

pub(super) fn of_frames(segments: &[Segment], num_frames: usize) -> Vec<MotionKind> {
    let mut modes = vec![MotionKind::Idle; num_frames];
    for segment in segments {
        modes[segment.start_frame..=segment.end_frame].fill(mode_of(segment.gait.kind));
    }
    modes
}

/// A largest value, and when it was reached.
#[handed_over(Copy)]
pub struct Maximum {
    /// The value, above zero.
    pub value: f64,
    /// Seconds from the first frame; of a sustained speed, the middle of the time for which it was held.
    pub secs: f64,
}

/// The largest values of a take in one mode, from the smoothed profile.
#[handed_over(Copy)]
pub struct ModeFigures {
    /// The mode.
    pub mode: MotionKind,
    /// Seconds spent in it.
    pub secs: f64,
    /// Largest speed over the ground held for `SUSTAINED_SECS`, metres per second; `None` if the mode never lasts that long or
    /// the body stays at one point.
    pub top_speed: Option<Maximum>,
    /// Largest increase of the speed, metres per second squared. Modes that move include half a second around them: the mode of a
    /// frame is determined by the second around it, so a start is at the edge.
    pub acceleration: Option<Maximum>,
    /// Largest decrease of the speed, likewise.
    pub deceleration: Option<Maximum>,
    /// Largest turn rate to either side, radians per second.
    pub turn_rate: Option<Maximum>,
}

/// Returns the values of every mode that occurs, in the order of [`MODES`].
pub(super) fn figures(profile: &Profile, modes: &[MotionKind]) -> Vec<ModeFigures> {
    MODES
        .into_iter()
        .filter_map(|mode| figures_of(profile, modes, mode))
        .collect()
}

fn figures_of(profile: &Profile, modes: &[MotionKind], mode: MotionKind) -> Option<ModeFigures> {
    let frames: Vec<usize> = profile
        .runs
        .iter()
        .cloned()
        .flatten()
        .filter(|&frame| modes[frame] == mode)
        .collect();
    if frames.is_empty() {
        return None;
    }
    let around = if mode.travels() {
        widened(profile, modes, mode)
    } else {
        Vec::new()
    };
    let changes = around.iter().map(|&frame| (frame, profile.speed_rate[frame]));
    let turns = frames.iter().map(|&frame| (frame, profile.facing.rates[frame].y.abs()));
    Some(ModeFigures {
        mode,
        secs: frames.len() as f64 * profile.frame_time_secs,
        top_speed: mode.travels().then(|| top_speed(profile, modes, mode)).flatten(),
        acceleration: largest(profile, changes.clone()),
        deceleration: largest(profile, changes.map(|(frame, rate)| (frame, -rate))),
        turn_rate: largest(profile, turns),
    })
}

/// Returns the largest value and its frame; `None` if none is above 0.
fn largest(profile: &Profile, values: impl Iterator<Item = (usize, f64)>) -> Option<Maximum> {
    values.fold(None, |best: Option<Maximum>, (frame, value)| {
        if value > best.map_or(0.0, |best| best.value) {
            Some(Maximum {
                value,
                secs: profile.secs(frame),
            })
        } else {
            best
        }
    })
}

/// Returns the frames of a mode, and those of the same run within half a second of one.
fn widened(profile: &Profile, modes: &[MotionKind], mode: MotionKind) -> Vec<usize> {
    let reach = profile.frames_in(SUSTAINED_SECS);
    profile
        .runs
        .iter()
        .flat_map(|run| {
            run.clone().filter(move |&frame| {
                let around = frame.saturating_sub(reach).max(run.start)..(frame + reach + 1).min(run.end);
                modes[around].contains(&mode)
            })
        })
        .collect()
}

/// Returns the largest minimum of the speed over windows of the sustained length within the mode.
fn top_speed(profile: &Profile, modes: &[MotionKind], mode: MotionKind) -> Option<Maximum> {
    let window = profile.frames_in(SUSTAINED_SECS) + 1;
    let mut best: Option<Maximum> = None;
    for run in &profile.runs {
        for start in run.start..(run.end + 1).saturating_sub(window) {
            let frames = start..start + window;
            if modes[frames.clone()].iter().any(|other| *other != mode) {
                continue;
            }
            let least = smallest(frames.map(|frame| profile.speed(frame)));
            if best.is_none_or(|best| least > best.value) {
                best = Some(Maximum {
                    value: least,
                    secs: profile.secs(start) + 0.5 * (window - 1) as f64 * profile.frame_time_secs,
                });
            }
        }
    }
    best
}
