//! Starts, stops and turns: places where a quantity leaves one steady value for another.
//!
//! Such a place is a peak of the rate of change that grows out of quiet and goes back to it, and over which the value goes
//! straight from one to the other. Steps of the gait, and curves that go on and on, are none.

use core::ops::Range;

use glam::DVec3;

use super::{
    least_squares::{self, FittedResponse},
    mode::Mode,
    profile::{Profile, Signal},
    response,
};
use crate::analysis::segments::TRAVEL_MPS;

/// What changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Quantity {
    /// Velocity over the ground, in the world.
    Velocity,
    /// Facing about +Y.
    Facing,
}

/// What kind of change it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EventKind {
    /// From standing to going.
    Start,
    /// From going to standing.
    Stop,
    /// Faster than before.
    Faster,
    /// Slower than before.
    Slower,
    /// Another direction: of the velocity by 30 degrees and more, or any change of the facing.
    Turn,
}

impl EventKind {
    /// The kind in a word.
    pub fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Stop => "stop",
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Turn => "turn",
        }
    }

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
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// What changes.
    pub quantity: Quantity,
    /// What kind of change it is.
    pub kind: EventKind,
    /// The mode it belongs to: the one set out into, stopped from, or turned from; of the facing, the one at its peak.
    pub mode: Mode,
    /// Frames that are looked at, with the steady ends.
    pub frames: Range<usize>,
    /// Frame of the largest rate.
    pub peak_frame: usize,
    /// Smoothed value at the first of the frames: metres per second in the world, or radians about +Y.
    pub from: DVec3,
    /// Smoothed value at the last of the frames.
    pub to: DVec3,
    /// Largest smoothed rate along the change, per second.
    pub peak_rate: f64,
    /// Half-life by the closed form of the peak, seconds; `None` where the change is as sharp as the smoothing lets it be.
    pub closed_secs: Option<f64>,
    /// Half-life by least squares over the whole response; `None` where no spring comes near it.
    pub fitted: Option<FittedResponse>,
}

impl Event {
    /// Size of the change, metres per second or radians.
    pub fn step(&self) -> f64 {
        (self.to - self.from).length()
    }

    /// The fit, where it is close enough to say anything: see [`LARGEST_ERROR`].
    pub fn trusted(&self) -> Option<&FittedResponse> {
        self.fitted.as_ref().filter(|fitted| fitted.error <= LARGEST_ERROR)
    }
}

/// Largest error of a fit that is trusted, as a share of the step.
///
/// Captured changes of velocity have 4 to 5% in the median, of the facing 1.5% (docs/measurements/fit.md); what exceeds 10% is not
/// one change but several.
pub(crate) const LARGEST_ERROR: f64 = 0.1;

/// Smallest changes that are looked at: metres per second, and radians (30 degrees).
///
/// The sway of a steady walk must stay below, smoothed; no captured straight walk has a change at these.
const LEAST_STEP: [f64; 2] = [0.4, core::f64::consts::FRAC_PI_6];

/// An event reaches from its peak to where the rate along the change is below this share of it ...
const QUIET_SHARE: f64 = 0.2;

/// ... within so many seconds before and after; a change that takes longer is no answer to a stick.
const REACH_SECS: [f64; 2] = [2.0, 5.0];

/// Share of the way that the change is of it, at least: gait goes to and fro, and a curve goes round (of a quarter turn 0.9).
const STRAIGHT_SHARE: f64 = 0.9;

/// Around an event the rate is on average below this share of the peak, whatever its direction, over so many seconds: on a curve
/// it stays as large and turns.
const CALM_SHARE: f64 = 0.4;
const CALM_SECS: f64 = 0.3;

/// Events lie so many deviations of the smoothing away from the ends of a run: nearer, change comes out too small, and a steady turn
/// looks like one that begins and ends.
const END_DEVIATIONS: f64 = 2.0;

/// Between its steady ends a change is at least this share of what it is at its quiet ends: one that goes back at once is none.
const SETTLED_SHARE: f64 = 0.8;

/// Steady values are taken so long before and after, seconds; after, at least this share of the time from the peak on too,
/// since a spring at a fifth of its largest rate still has 7% to go.
const QUIET_SECS: f64 = 0.5;
const QUIET_TAIL: f64 = 0.6;

/// Cosine of the angle from which a velocity turns (30 degrees).
const TURNED: f64 = 0.866;

impl Event {
    /// Frames in which the facing turns at a fair share of its peak.
    pub(super) fn turning_frames<'a>(&'a self, profile: &'a Profile) -> impl Iterator<Item = usize> + 'a {
        let rate = |frame: usize| profile.facing.rates[frame].length();
        self.frames
            .clone()
            .filter(move |&frame| rate(frame) > QUIET_SHARE * self.peak_rate)
    }
}

/// The events of a quantity, in order.
pub(super) fn find(profile: &Profile, modes: &[Mode], quantity: Quantity) -> Vec<Event> {
    let (signal, least_step) = match quantity {
        Quantity::Velocity => (&profile.velocity, LEAST_STEP[0]),
        Quantity::Facing => (&profile.facing, LEAST_STEP[1]),
    };
    let mut events = Vec::new();
    let margin = profile.frames_in(END_DEVIATIONS * signal.deviation_secs);
    for run in profile.runs.iter().filter(|run| run.len() > 2 * margin + 2) {
        let run = run.start + margin..run.end - margin;
        let cores = cores(profile, signal, &run, least_step);
        for (index, core) in cores.iter().enumerate() {
            // Steady values are looked for up to the next change, never in it.
            let left = index.checked_sub(1).map_or(run.start, |index| cores[index].end - 1);
            let right = cores.get(index + 1).map_or(run.end, |next| next.start + 1);
            let event = event(profile, modes, quantity, core, left..right);
            let quiet_step = (signal.values[core.end - 1] - signal.values[core.start]).length();
            if event.step() >= SETTLED_SHARE * quiet_step {
                events.push(event);
            }
        }
    }
    events
}

/// Frames from quiet to quiet around a peak.
struct Core {
    start: usize,
    peak: usize,
    end: usize,
}

/// Changes that are large and straight enough, the sharpest first looked at, in order.
fn cores(profile: &Profile, signal: &Signal, run: &Range<usize>, least_step: f64) -> Vec<Core> {
    let rate = |frame: usize| signal.rates[frame].length();
    // Slower on average than this, no change is large enough within reach.
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
        let way: f64 = (start..end - 1)
            .map(|frame| (signal.values[frame + 1] - signal.values[frame]).length())
            .sum();
        let calm = profile.frames_in(CALM_SECS);
        let mean_rate = |frames: Range<usize>| {
            let count = frames.len().max(1) as f64;
            frames.map(rate).sum::<f64>() / count
        };
        let is_calm = [
            start.saturating_sub(calm).max(run.start)..start,
            end..(end + calm).min(run.end),
        ]
        .into_iter()
        .all(|frames| mean_rate(frames) <= CALM_SHARE * rate(peak));
        if is_whole && is_calm && step >= least_step && step >= STRAIGHT_SHARE * way {
            claimed[start - run.start..end - run.start].fill(true);
            cores.push(Core { start, peak, end });
        }
    }
    cores.sort_by_key(|core| core.start);
    cores
}

fn event(profile: &Profile, modes: &[Mode], quantity: Quantity, core: &Core, room: Range<usize>) -> Event {
    let signal = match quantity {
        Quantity::Velocity => &profile.velocity,
        Quantity::Facing => &profile.facing,
    };
    let dt = profile.frame_time_secs;
    let quiet = profile.frames_in(QUIET_SECS);
    let tail = (QUIET_TAIL * (core.end - core.peak) as f64).ceil() as usize;
    let frames = core.start.saturating_sub(quiet).max(room.start)..(core.end + tail.max(quiet)).min(room.end);
    let (from, to) = (signal.values[frames.start], signal.values[frames.end - 1]);
    let step = to - from;
    let along = step.normalize_or_zero();
    let peak_rate = frames
        .clone()
        .map(|frame| signal.rates[frame].dot(along))
        .fold(0.0, f64::max);
    let (kind, told_at) = match quantity {
        Quantity::Facing => (EventKind::Turn, core.peak),
        Quantity::Velocity => {
            let kind = kind_of(from, to);
            let told_at = match kind {
                EventKind::Start | EventKind::Faster => core.end - 1,
                EventKind::Stop | EventKind::Slower => core.start,
                EventKind::Turn => frames.start,
            };
            (kind, told_at)
        }
    };
    let mode = match (modes[told_at], quantity) {
        // A turn of this size is no standing, however still the limbs are held.
        (Mode::Idle, Quantity::Facing) => Mode::TurnInPlace,
        // Where the mode changes a little late or early, the frames around have the one that travels.
        (Mode::Idle, Quantity::Velocity) => {
            let mut others = frames.clone().map(|frame| modes[frame]);
            others.find(|mode| mode.travels()).unwrap_or(Mode::Idle)
        }
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
        fitted: least_squares::fit(signal, frames.clone(), core.peak, dt),
        frames,
    }
}

fn kind_of(from: DVec3, to: DVec3) -> EventKind {
    let (before, after) = (from.length(), to.length());
    if before < TRAVEL_MPS && after >= before {
        EventKind::Start
    } else if after < TRAVEL_MPS {
        EventKind::Stop
    } else if from.dot(to) < TURNED * before * after {
        EventKind::Turn
    } else if after >= before {
        EventKind::Faster
    } else {
        EventKind::Slower
    }
}
