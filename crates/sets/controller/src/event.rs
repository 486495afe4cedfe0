//! Starts, stops and turns: changes of a quantity from one steady value to another.
//!
//! Such a change is a peak of the rate that rises from quiet and returns to it, and over which the value moves straight from one
//! to the other. Steps of the gait and long curves are excluded.

use core::ops::Range;

use glam::DVec3;
use loopwright_core::{
    analysis::{MOVING_MPS, MotionKind},
    math::{greatest, mean},
};

use super::{
    least_squares::{self, FittedResponse},
    profile::{Profile, Signal},
    response,
};

/// The changing quantity.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
#[in_words]
pub enum Quantity {
    /// Velocity over the ground, in the world.
    Velocity,
    /// Facing about +Y.
    Facing,
}

impl Quantity {
    /// Returns its signal in a profile.
    pub fn signal(self, profile: &Profile) -> &Signal {
        match self {
            Self::Velocity => &profile.velocity,
            Self::Facing => &profile.facing,
        }
    }
}

/// The kind of a change.
#[handed_over(Copy, Eq, PartialOrd, Ord)]
#[in_words]
pub enum EventKind {
    /// From standing to moving.
    Start,
    /// From moving to standing.
    Stop,
    /// Faster than before.
    Faster,
    /// Slower than before.
    Slower,
    /// Another direction: a turn of the velocity by 30 degrees or more, or any change of the facing.
    Turn,
}

impl EventKind {
    /// Whether the body gains speed.
    pub(crate) fn speeds_up(self) -> bool {
        matches!(self, Self::Start | Self::Faster)
    }

    /// Whether the body loses speed.
    pub(crate) fn slows_down(self) -> bool {
        matches!(self, Self::Stop | Self::Slower)
    }
}

/// A change from one steady value to another.
#[handed_over]
pub struct Event {
    /// The changing quantity.
    pub quantity: Quantity,
    /// The kind of the change.
    pub kind: EventKind,
    /// The mode it belongs to: the mode after a start, before a stop or turn; for the facing, the mode at the peak.
    pub mode: MotionKind,
    /// The frames of the event, including the steady ends.
    pub frames: Range<usize>,
    /// Frame of the largest rate.
    pub peak_frame: usize,
    /// Smoothed value at the first of the frames: metres per second in the world, or radians about +Y.
    pub from: DVec3,
    /// Smoothed value at the last of the frames.
    pub to: DVec3,
    /// Largest smoothed rate along the change, per second.
    pub peak_rate: f64,
    /// Half-life by the closed form of the peak, seconds; `None` if the change is as sharp as the smoothing allows.
    pub closed_secs: Option<f64>,
    /// Half-life by least squares over the whole response; `None` if no spring fits.
    pub fitted: Option<FittedResponse>,
    /// Fit of a ramped goal, if it takes away far more of the error of a step than noise explains.
    pub ramped: Option<FittedResponse>,
}

impl Event {
    /// Returns the size of the change, metres per second or radians.
    pub fn step(&self) -> f64 {
        (self.to - self.from).length()
    }

    /// Returns the fit if it is close enough to be useful: see `LARGEST_ERROR`.
    pub fn trusted(&self) -> Option<&FittedResponse> {
        self.fitted
            .as_ref()
            .filter(|fitted| fitted.error <= least_squares::LARGEST_ERROR)
    }
}

/// Smallest changes that count: metres per second, and radians (30 degrees).
///
/// The smoothed sway of a steady walk must stay below; no captured straight walk has a change at these values.
const LEAST_STEP: [f64; 2] = [0.4, core::f64::consts::FRAC_PI_6];

/// An event extends from its peak to where the rate along the change is below this share of it ...
const QUIET_SHARE: f64 = 0.2;

/// ... within this many seconds before and after; a longer change is not a response to a stick.
const REACH_SECS: [f64; 2] = [2.0, 5.0];

/// Least ratio of the change to the path of the value: gait oscillates, and a curve turns (0.9 for a quarter turn).
const STRAIGHT_SHARE: f64 = 0.9;

/// Around an event the mean rate is below this share of the peak, in any direction, over this many seconds; on a curve the rate
/// stays as large and turns.
const CALM_SHARE: f64 = 0.4;
const CALM_SECS: f64 = 0.3;

/// Events are this many deviations of the smoothing away from the ends of a run: nearer to an end, changes are underestimated,
/// and a steady turn appears to begin and end.
const END_DEVIATIONS: f64 = 2.0;

/// Between its steady ends a change is at least this share of the change between its quiet ends; a change that is reversed at
/// once is excluded.
const SETTLED_SHARE: f64 = 0.8;

/// Steady values are measured this long before and after, seconds. After the event it is also at least this share of the time
/// since the peak, since a spring at a fifth of its largest rate has 7% of the step left.
const QUIET_SECS: f64 = 0.5;
const QUIET_TAIL: f64 = 0.6;

/// Cosine of the angle from which a change of velocity is a turn (30 degrees).
const TURNED: f64 = 0.866;

impl Event {
    /// Returns the frames in which the facing turns at a substantial share of its peak rate.
    pub(super) fn turning_frames<'a>(&'a self, profile: &'a Profile) -> impl Iterator<Item = usize> + 'a {
        self.frames
            .clone()
            .filter(|&frame| profile.facing.rates[frame].length() > QUIET_SHARE * self.peak_rate)
    }
}

pub(super) fn find(profile: &Profile, modes: &[MotionKind], quantity: Quantity) -> Vec<Event> {
    let signal = quantity.signal(profile);
    let least_step = LEAST_STEP[quantity as usize];
    let mut events = Vec::new();
    let margin = profile.frames_in(END_DEVIATIONS * signal.deviation_secs);
    for run in profile.runs.iter().filter(|run| run.len() > 2 * margin + 2) {
        let run = run.start + margin..run.end - margin;
        let cores = cores(profile, signal, &run, least_step);
        for (index, core) in cores.iter().enumerate() {
            // Steady values are measured up to the next change, never in it.
            let left = index.checked_sub(1).map_or(run.start, |index| cores[index].end - 1);
            let right = cores.get(index + 1).map_or(run.end, |next| next.start + 1);
            let event = measured_event(profile, modes, quantity, core, left..right);
            let quiet_step = (signal.values[core.end - 1] - signal.values[core.start]).length();
            if event.step() >= SETTLED_SHARE * quiet_step {
                events.push(event);
            }
        }
    }
    let changes: Vec<_> = events
        .iter()
        .map(|event| (event.frames.clone(), event.peak_frame))
        .collect();
    let fits = least_squares::fit(signal, &changes, profile.frame_time_secs);
    for (event, fit) in events.iter_mut().zip(fits) {
        (event.fitted, event.ramped) = fit.map(|(step, ramped)| (Some(step), ramped)).unwrap_or_default();
    }
    events
}

/// Frames from quiet to quiet around a peak.
struct Core {
    start: usize,
    peak: usize,
    end: usize,
}

/// Finds changes that are large and straight enough, in order of sharpness, and returns them in order of time.
fn cores(profile: &Profile, signal: &Signal, run: &Range<usize>, least_step: f64) -> Vec<Core> {
    let rate = |frame: usize| signal.rates[frame].length();
    // At a lower mean rate, no change is large enough within the time limit.
    let floor = least_step / (REACH_SECS[0] + REACH_SECS[1]);
    let mut peaks: Vec<usize> = run
        .clone()
        .filter(|&frame| {
            let (before, after) = (frame.max(run.start + 1) - 1, (frame + 1).min(run.end - 1));
            rate(frame) > floor && rate(frame) >= rate(before) && rate(frame) >= rate(after)
        })
        .collect();
    peaks.sort_by(|&one, &other| rate(other).total_cmp(&rate(one)).then(one.cmp(&other)));
    let [back, ahead] = REACH_SECS.map(|secs| profile.frames_in(secs));
    let mut claimed = vec![false; run.len()];
    let mut cores = Vec::new();
    for peak in peaks {
        if claimed[peak - run.start] {
            continue;
        }
        let direction = signal.rates[peak] / rate(peak);
        let goes_on =
            |frame: usize| !claimed[frame - run.start] && signal.rates[frame].dot(direction) > QUIET_SHARE * rate(peak);
        let mut start = peak;
        while start > run.start && peak - start < back && goes_on(start - 1) {
            start -= 1;
        }
        let mut end = peak + 1;
        while end < run.end && end - peak < ahead && goes_on(end) {
            end += 1;
        }
        let is_whole = start > run.start && end < run.end && peak - start < back && end - peak < ahead;
        let step = (signal.values[end - 1] - signal.values[start]).length();
        let path_length: f64 = (start..end - 1)
            .map(|frame| (signal.values[frame + 1] - signal.values[frame]).length())
            .sum();
        let calm = profile.frames_in(CALM_SECS);
        let is_calm = [
            start.saturating_sub(calm).max(run.start)..start,
            end..(end + calm).min(run.end),
        ]
        .into_iter()
        .all(|frames| mean(frames.map(rate)) <= CALM_SHARE * rate(peak));
        if is_whole && is_calm && step >= least_step && step >= STRAIGHT_SHARE * path_length {
            claimed[start - run.start..end - run.start].fill(true);
            cores.push(Core { start, peak, end });
        }
    }
    cores.sort_by_key(|core| core.start);
    cores
}

/// Measures the change of a quantity around its core, in frames of `room`; `modes` are those of all frames.
fn measured_event(
    profile: &Profile,
    modes: &[MotionKind],
    quantity: Quantity,
    core: &Core,
    room: Range<usize>,
) -> Event {
    let signal = quantity.signal(profile);
    let dt = profile.frame_time_secs;
    let quiet = profile.frames_in(QUIET_SECS);
    let tail = (QUIET_TAIL * (core.end - core.peak) as f64).ceil() as usize;
    let frames = core.start.saturating_sub(quiet).max(room.start)..(core.end + tail.max(quiet)).min(room.end);
    let (from, to) = (signal.values[frames.start], signal.values[frames.end - 1]);
    let step = to - from;
    let along = step.normalize_or_zero();
    let peak_rate = greatest(frames.clone().map(|frame| signal.rates[frame].dot(along)));
    let (kind, mode_frame) = match quantity {
        Quantity::Facing => (EventKind::Turn, core.peak),
        Quantity::Velocity => {
            let kind = kind_of(from, to);
            let mode_frame = match kind {
                EventKind::Start | EventKind::Faster => core.end - 1,
                EventKind::Stop | EventKind::Slower => core.start,
                EventKind::Turn => frames.start,
            };
            (kind, mode_frame)
        }
    };
    let mode = match (modes[mode_frame], quantity) {
        // A turn of this size is not idle, even if the limbs are still.
        (MotionKind::Idle, Quantity::Facing) => MotionKind::TurnInPlace,
        // The mode may change slightly early or late, so the frames around are searched for one that moves.
        (MotionKind::Idle, Quantity::Velocity) => frames
            .clone()
            .map(|frame| modes[frame])
            .find(|mode| mode.travels())
            .unwrap_or(MotionKind::Idle),
        (mode, _) => mode,
    };
    Event {
        quantity,
        kind,
        mode,
        peak_frame: core.peak,
        from,
        to,
        peak_rate,
        closed_secs: response::half_life_of_smoothed_peak(step.length(), peak_rate, signal.rates_deviation_secs(dt)),
        fitted: None,
        ramped: None,
        frames,
    }
}

fn kind_of(from: DVec3, to: DVec3) -> EventKind {
    let (before, after) = (from.length(), to.length());
    if before < MOVING_MPS && after >= before {
        EventKind::Start
    } else if after < MOVING_MPS {
        EventKind::Stop
    } else if from.dot(to) < TURNED * before * after {
        EventKind::Turn
    } else if after >= before {
        EventKind::Faster
    } else {
        EventKind::Slower
    }
}
