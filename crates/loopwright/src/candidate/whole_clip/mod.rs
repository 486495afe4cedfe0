//! Whole clips: most clips in the world are cut to one cycle already, by somebody who knew where it begins.
//!
//! No search can prove a repeat that a clip shows once. What can be seen is whether its last pose leads back to its first, up to
//! the root motion, as smoothly as the clip moves elsewhere. Readings differ in what the last keys are: the closing key, the key
//! before it, or copies of it. Limits and how they were measured: docs/math/whole_clips.md.

mod completed;
mod cycles;
mod pace;
mod reading;

use self::{
    pace::Pace,
    reading::{Reading, Scale},
};
use super::{finder::Finder, report::LoopCandidate, settings::SearchSettings};
use crate::{
    analysis::{Analysis, activity::ActivityKind},
    math::rigid::{Rigid, Twist},
    root_motion::RootMode,
    take::Cut,
};

/// What the last keys of a whole clip are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LastKey {
    /// The first key again, moved on by the root motion.
    Closing,
    /// The key before the first comes round again: the closing key is missing.
    BeforeClosing,
    /// Several copies of the closing key; the clip ends at the first of them.
    Repeated,
}

crate::words!(LastKey {
    Closing: "closing",
    BeforeClosing: "before-closing",
    Repeated: "repeated",
});

/// How well a whole clip loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WholeClipKind {
    /// It loops already: it moves all the time, goes somewhere, or is calm throughout.
    Loops,
    /// It ends as it begins, where it began, but moves in bursts: it can be repeated, but may be a single action.
    EndsAsItBegins,
    /// One cycle whose ends do not quite meet; closing bends it.
    Cycle,
}

crate::words!(WholeClipKind {
    Loops: "loops",
    EndsAsItBegins: "ends-as-it-begins",
    Cycle: "cycle",
});

/// A whole clip as a loop.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WholeClip {
    /// How well it loops.
    pub kind: WholeClipKind,
    /// What its last keys are.
    pub last_key: LastKey,
    /// Length of the loop in frames; fractional where the closing key of a cycle is missing.
    pub num_frames: f64,
    /// World motion from the first pose to the one that closes the loop; the identity where the root rests.
    pub motion: Rigid,
    /// Largest distance of a joint between the last pose and the first, moved on; metres. Where the closing key is missing, how
    /// far the step over the seam departs from its neighbours.
    pub gap_metres: f64,
    /// Largest rotation of a joint between them, radians; 0 where the closing key is missing.
    pub gap_radians: f64,
    /// Second differences over the seam relative to the 99th percentile of the clip's own, root mean square over joints.
    pub roughness: f64,
}

impl WholeClip {
    /// Whether the clip loops as it is, so that closing changes next to nothing.
    pub fn loops_already(&self) -> bool {
        self.kind != WholeClipKind::Cycle
    }

    /// Whether motion at the ends is measured over the seam: the frames beyond the end are those after the start.
    pub(crate) fn goes_on_over_the_seam(&self) -> bool {
        self.loops_already() || self.last_key == LastKey::BeforeClosing
    }

    /// Whether the root rests: the clip returns to where it began.
    pub fn is_in_place(&self) -> bool {
        self.motion == Rigid::IDENTITY
    }

    /// The root motion that keeps the clip as it is: in place where it stays in place.
    pub fn root_mode(&self) -> RootMode {
        if self.is_in_place() {
            RootMode::InPlace
        } else {
            RootMode::default()
        }
    }
}

/// Poses of a loop meet within this, metres at the size of a man: what a cut by hand leaves.
const MEETS_METRES: f64 = 5e-3;

/// The same for rotations, radians (1.5 degrees).
const MEETS_RADIANS: f64 = 1.5 * core::f64::consts::PI / 180.0;

/// Most roughness of a seam whose poses meet. Finished loops of four packs reach 1.2 where keys rest at the extremes of a walk;
/// half a swing, which ends where it began but moves the other way, exceeds 5.
const SMOOTH: f64 = 1.5;

/// Most roughness of a seam whose closing key is missing.
const SMOOTH_STEP: f64 = 1.3;

/// Keys that differ by less than this are copies, metres and radians.
const COPY: f64 = 1e-4;

/// Most copies of the closing key that are left out; more of them are a hold that somebody wanted.
const MAX_COPIES: usize = 2;

/// Most that closing may bend a cycle: the gap as a share of the body's height, and radians (45 degrees).
const MAX_GAP_SHARE: f64 = 0.12;
const MAX_GAP_RADIANS: f64 = core::f64::consts::FRAC_PI_4;

/// Frames by which a cycle is trimmed at most, to close better.
const MAX_TRIMMED: usize = 2;

/// Most roughness of a cycle that closing can mend.
const MENDABLE: f64 = 2.0;

/// Fewest frames of a whole clip.
const MIN_FRAMES: usize = 4;

impl Analysis {
    /// The whole take as one loop, where it loops already beyond doubt: its ends meet, or the closing key is missing and the step
    /// over the seam is like any other, in a take of one cycle or of exact copies of one.
    ///
    /// `None` where its ends do not meet, or where nothing moves.
    pub fn whole_loop(&self) -> Option<WholeClip> {
        let num_frames = self.take.num_frames();
        if num_frames <= MIN_FRAMES || self.activity.is_still() {
            return None;
        }
        let scale = Scale::of(self);
        let (closing, missing) = (num_frames - 1, num_frames);
        // Copies of the closing key make the clip hold its pose; the smoothest reading leaves them out.
        let copies = 1..=MAX_COPIES.min(closing - MIN_FRAMES);
        let copied = copies.map(|copies| Reading::of(self, &scale, closing - copies));
        let closed = core::iter::once(Reading::of(self, &scale, closing))
            .filter(|first| first.meets(&scale))
            .chain(copied.take_while(Reading::is_copy))
            .take_while(|reading| reading.meets(&scale))
            .min_by(|one, other| one.roughness.total_cmp(&other.roughness))
            .filter(|reading| reading.roughness <= SMOOTH);
        let is_single_action = self.is_single_action();
        let (last_key, reading) = if let Some(reading) = closed {
            let is_whole = reading.num_frames == closing;
            let last_key = if is_whole { LastKey::Closing } else { LastKey::Repeated };
            (last_key, reading)
        } else {
            let reading = Reading::of(self, &scale, missing);
            // At rest, any two poses follow each other slowly enough.
            let is_smooth = reading.roughness <= SMOOTH_STEP && reading.unevenness <= reading.usual_unevenness;
            let is_calm_jump = self.is_all_idle() && !reading.meets(&scale);
            if is_single_action || is_calm_jump || !is_smooth || !cycles::are_copies(&self.features, num_frames) {
                return None;
            }
            (LastKey::BeforeClosing, reading)
        };
        let kind = if is_single_action && reading.is_in_place() {
            WholeClipKind::EndsAsItBegins
        } else {
            WholeClipKind::Loops
        };
        Some(reading.as_whole(kind, last_key))
    }

    /// Whether the take moves in bursts, as a strike does: then its ends are at rest, and prove nothing.
    pub(in crate::candidate) fn is_single_action(&self) -> bool {
        !self.is_all_idle() && !Pace::of(self).is_even()
    }

    /// The whole take as one cycle that closing mends, at the length at which it closes best.
    ///
    /// `None` where it is plainly no cycle: where its ends are too far apart, or where it moves in one burst, as a strike does.
    pub fn whole_cycle(&self) -> Option<WholeClip> {
        let num_frames = self.take.num_frames();
        if num_frames <= MIN_FRAMES + MAX_TRIMMED || self.activity.is_still() || !Pace::of(self).is_even() {
            return None;
        }
        let scale = Scale::of(self);
        let reading = (num_frames - 1 - MAX_TRIMMED..=num_frames)
            .map(|length| Reading::of(self, &scale, length))
            .filter(|reading| {
                reading.roughness <= MENDABLE
                    && reading.gap_metres <= MAX_GAP_SHARE * scale.height_metres()
                    && reading.gap_radians <= MAX_GAP_RADIANS
            })
            .min_by(|a, b| a.bend(&scale).total_cmp(&b.bend(&scale)))?;
        if reading.num_frames < num_frames {
            return Some(reading.as_whole(WholeClipKind::Cycle, LastKey::Closing));
        }
        let (seam_frames, motion) = reading::best_seam(self, &scale, reading.is_in_place());
        Some(WholeClip {
            num_frames: (num_frames - 1) as f64 + seam_frames,
            motion,
            ..reading.as_whole(WholeClipKind::Cycle, LastKey::BeforeClosing)
        })
    }

    /// Whether the body is idle in all frames.
    pub fn is_all_idle(&self) -> bool {
        let mut kinds = self.activity.kinds().iter();
        kinds.all(|&activity| activity == ActivityKind::Idle)
    }

    /// The whole take as a candidate, with all figures that a search reports.
    pub(super) fn whole_candidate(&self, whole: &WholeClip, settings: &SearchSettings) -> Option<LoopCandidate> {
        let analysis = self.completed(whole);
        let cut = Cut::new(&analysis.take, 0.0, whole.num_frames).ok()?;
        let last = whole.num_frames.round() as usize;
        let finder = Finder::new(&analysis, settings, &analysis.features);
        let candidate = finder.describe(&finder.pair(0, last), cut, None, self.is_all_idle());
        let twist = if whole.is_in_place() {
            Twist::default()
        } else {
            candidate.twist
        };
        Some(LoopCandidate {
            cycles: cycles::count(&self.features, last.min(self.take.num_frames())),
            cost_ratio: None,
            take_strength: None,
            twist,
            whole: Some(*whole),
            ..candidate
        })
    }
}
