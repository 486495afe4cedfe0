//! The motion that is shown, and its time.

use super::{MIN_FRAMES, Model, Stretch};

/// The motion that the viewport shows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shown {
    /// The closed loop.
    #[default]
    Loop,
    /// The uncut stretch, which jumps back at its end.
    Uncut,
    /// The whole take.
    Take,
    /// The steered character of a set.
    Set,
}

/// How the viewport shows root motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum RootView {
    /// Every cycle starts where the first did.
    World,
    /// The root stays in place.
    InPlace,
    /// Every cycle continues where the one before ended.
    #[default]
    Accumulate,
}

/// Slowest and fastest playback.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=4.0;

/// The playback time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Playback {
    /// Seconds since the start of the loop, over any number of cycles, or of the take.
    pub secs: f64,
    /// Whether time advances.
    pub is_playing: bool,
    /// Speed, in seconds per second.
    pub speed: f64,
    /// Whether playback starts again at the end.
    pub repeats: bool,
    /// Whether only the time around the seam is played, again and again.
    pub is_seam_only: bool,
    /// Number of times the seam was crossed since the time was set.
    pub num_wraps: u64,
}

/// Time before and after the seam that is played in seam-only mode, seconds: enough to see where the body comes from.
pub(super) const AROUND_SEAM_SECS: f64 = 0.4;

impl Default for Playback {
    fn default() -> Self {
        Self {
            secs: 0.0,
            is_playing: true,
            speed: 1.0,
            repeats: true,
            is_seam_only: false,
            num_wraps: 0,
        }
    }
}

impl Playback {
    /// Advances by the time that passed on the clock. `span_secs` is the length of the shown motion; `accumulates` if time continues beyond
    /// its end.
    pub fn advance(&mut self, passed_secs: f64, span_secs: f64, accumulates: bool) {
        if !self.is_playing || span_secs <= 0.0 {
            return;
        }
        let pass = (self.secs / span_secs).floor();
        self.secs += passed_secs * self.speed;
        self.num_wraps += ((self.secs / span_secs).floor() - pass).max(0.0) as u64;
        if self.is_seam_only {
            let around = AROUND_SEAM_SECS.min(0.5 * span_secs);
            let start = span_secs - around;
            self.secs = start + (self.secs - start).rem_euclid(2.0 * around);
        } else if !self.repeats && self.secs >= span_secs {
            // Just before the end, since the end itself is shown as the start.
            self.secs = span_secs * (1.0 - 1e-9);
            self.is_playing = false;
        } else if !accumulates {
            self.secs = self.secs.rem_euclid(span_secs);
        }
    }

    /// Real seconds since playback last crossed the seam.
    pub fn since_wrap_secs(&self, span_secs: f64) -> Option<f64> {
        (self.is_playing && self.num_wraps > 0).then(|| self.secs_in(span_secs) / self.speed)
    }

    /// The time within one pass.
    pub fn secs_in(&self, span_secs: f64) -> f64 {
        if span_secs > 0.0 {
            self.secs.rem_euclid(span_secs)
        } else {
            0.0
        }
    }
}

impl Model {
    /// The shown frame of the take, which may be fractional.
    pub fn frame_shown(&self) -> f64 {
        let span = self.span_secs();
        let within = self.playback.secs_in(span);
        match (self.shown(), &self.made) {
            (Shown::Loop | Shown::Uncut, Some(made)) => {
                let cut = &made.candidate.cut;
                cut.start_frame() + within / span.max(f64::MIN_POSITIVE) * cut.num_frames()
            }
            _ => within / self.step_secs().max(f64::MIN_POSITIVE),
        }
    }

    /// Shows a frame of the take: in the loop, if the loop is shown and has the frame.
    pub(super) fn show_frame(&mut self, frame: f64) {
        let shown = self.shown();
        let span = self.span_secs();
        let cut = self.made.as_ref().map(|made| made.candidate.cut);
        match cut.filter(|cut| (cut.start_frame()..=cut.end_frame()).contains(&frame)) {
            Some(cut) if matches!(shown, Shown::Loop | Shown::Uncut) => {
                let share = (frame - cut.start_frame()) / cut.num_frames();
                // The last frame equals the first.
                self.seek((share * span).min(span * (1.0 - 1e-9)));
            }
            _ => {
                self.show(Shown::Take);
                self.seek(frame * self.step_secs());
            }
        }
    }

    /// Returns the chosen stretch with one of its ends at another whole frame; `end` is 0 for the start, 1 for the end.
    pub fn with_end(&self, end: usize, frame: f64) -> Option<Stretch> {
        let mut ends = self.ends()?;
        let last = self.opened.as_ref()?.last_frame();
        ends[end] = match end {
            0 => frame.round().min(ends[1] - MIN_FRAMES).max(0.0),
            _ => frame.round().max(ends[0] + MIN_FRAMES).min(last),
        };
        let [start_frame, end_frame] = ends;
        Some(Stretch::Frames { start_frame, end_frame })
    }

    /// Returns the chosen stretch with one end at the shown frame. If that lies beyond the other end, the other end moves along.
    pub fn with_end_shown(&self, end: usize) -> Option<Stretch> {
        let frame = self.frame_shown().round();
        let [start, stop] = self.ends()?;
        match (end, frame < stop, frame > start) {
            (0, false, _) => self.moved(frame - start),
            (1, _, false) => self.moved(frame - stop),
            _ => self.with_end(end, frame),
        }
    }

    /// Returns the chosen stretch so many frames later, as far as the take goes.
    pub fn moved(&self, frames: f64) -> Option<Stretch> {
        let [start, end] = self.ends()?;
        let last = self.opened.as_ref()?.last_frame();
        let start_frame = (start + frames)
            .round()
            .clamp(0.0, (last - (end - start)).max(0.0).floor());
        Some(Stretch::Frames {
            start_frame,
            end_frame: (start_frame + (end - start).round()).min(last),
        })
    }

    /// Returns the motion that is shown: the take, if there is no loop.
    pub fn shown(&self) -> Shown {
        match (self.shown, &self.made) {
            (Shown::Set, _) if self.steered_here().is_some() => Shown::Set,
            (Shown::Set, Some(_)) => Shown::Loop,
            (_, None) => Shown::Take,
            (shown, _) => shown,
        }
    }

    /// Length of the shown motion, seconds.
    pub fn span_secs(&self) -> f64 {
        self.span_of(self.shown())
    }

    /// Length of a motion, seconds; that of the take if there is no loop.
    pub fn span_of(&self, shown: Shown) -> f64 {
        self.span_and_step(shown)[0]
    }

    /// Length of a motion, and time from one frame of it to the next, seconds.
    fn span_and_step(&self, shown: Shown) -> [f64; 2] {
        match (shown, &self.made, &self.opened) {
            (Shown::Loop | Shown::Uncut, Some(made), _) => [made.period_secs(), made.clip().step_secs()],
            (_, _, Some(opened)) => [opened.take().duration_secs(), opened.take().frame_time_secs()],
            _ => [0.0; 2],
        }
    }

    /// How long the root has moved at a time relative to the nearest seam, seconds, as root motion is shown in cycles of this length.
    pub fn root_secs(&self, from_seam: f64, span: f64) -> f64 {
        match self.root_view {
            RootView::Accumulate => (self.playback.secs / span).round().max(1.0) * span + from_seam,
            RootView::World => span + from_seam,
            RootView::InPlace => 0.0,
        }
    }

    /// Time from one frame of the shown motion to the next, seconds.
    pub fn step_secs(&self) -> f64 {
        self.span_and_step(self.shown())[1]
    }

    /// Advances the playback time.
    pub fn advance(&mut self, passed_secs: f64) {
        if self.advance_steered(passed_secs) {
            return;
        }
        let accumulates = self.root_view == RootView::Accumulate && self.shown() != Shown::Take;
        self.playback.advance(passed_secs, self.span_secs(), accumulates);
    }

    /// Pauses, and steps by this many frames.
    pub(super) fn step(&mut self, frames: i32) {
        let step = self.step_secs();
        let span = self.span_secs();
        self.playback.is_playing = false;
        if step > 0.0 {
            let frame = (self.playback.secs_in(span) / step).round() + f64::from(frames);
            self.playback.secs = (frame * step).rem_euclid(span);
        }
    }

    /// Shows a time, and counts cycles anew from there.
    pub(super) fn seek(&mut self, secs: f64) {
        self.playback.secs = secs.clamp(0.0, self.span_secs());
        self.playback.num_wraps = 0;
    }

    /// Shows another motion at the same time of the loop, or the take where the loop begins.
    pub(super) fn show(&mut self, shown: Shown) {
        let before = self.shown();
        self.shown = shown;
        if shown == Shown::Take {
            self.playback.is_seam_only = false;
        }
        if (before == Shown::Take) != (self.shown() == Shown::Take) {
            self.playback.secs = match (self.shown(), &self.made) {
                (Shown::Take, Some(made)) => made.candidate.cut.start_frame() * self.step_secs(),
                _ => 0.0,
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_round_accumulates_or_stops() {
        let mut playback = Playback {
            speed: 2.0,
            ..Playback::default()
        };
        playback.advance(0.75, 1.0, false);
        assert_eq!(playback.secs, 0.5);
        playback.advance(0.75, 1.0, true);
        assert_eq!((playback.secs, playback.secs_in(1.0)), (2.0, 0.0));
        assert_eq!(playback.num_wraps, 3);
        playback.repeats = false;
        playback.secs = 0.9;
        playback.advance(1.0, 1.0, true);
        assert!(!playback.is_playing && playback.secs < 1.0);
        playback.is_playing = true;
        playback.advance(1.0, 0.0, false);
        assert!(playback.secs.is_finite() && playback.secs_in(0.0) == 0.0);
    }

    #[test]
    fn the_seam_alone_is_crossed_again_and_again() {
        let mut playback = Playback {
            is_seam_only: true,
            ..Playback::default()
        };
        let mut crossings = 0;
        for _ in 0..200 {
            let before = playback.secs_in(1.5);
            playback.advance(0.05, 1.5, true);
            let after = playback.secs_in(1.5);
            let from_seam = after.min(1.5 - after);
            assert!(from_seam <= AROUND_SEAM_SECS + 1e-9, "{after}");
            crossings += usize::from(before > 1.0 && after < 0.5);
        }
        assert_eq!(playback.num_wraps, crossings as u64);
        // Ten seconds in cycles of 0.8 s.
        assert!((12..=13).contains(&crossings), "{crossings}");
    }
}
