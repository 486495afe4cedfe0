//! Decides when the next frame is drawn during playback and background work, and how far playback advances by it.

use std::time::Duration;

use eframe::egui::Context;

/// Longest time between two frames that playback advances by, seconds, beyond the pause that was asked for: so that it does not leap after
/// the window was covered.
const MAX_FRAME_SECS: f32 = 0.1;

/// Least time between frames while somebody waits for background work: software rendering takes all of the processor that it gets.
const BESIDE_WORK_SECS: f32 = 0.033;

/// Time between frames if nothing moves: work asks for a frame when it has something to say, unless it ends without a word.
const WAITING_FOR_WORK: Duration = Duration::from_secs(1);

/// What takes longer than this is no drawing: the window was covered. Seconds.
const COVERED_SECS: f32 = 1.0;

/// A frame that takes longer is drawn in software, and competes with background work for the processors. Seconds.
const SLOW_FRAME_SECS: f32 = 0.025;

/// Weight of the newest frame in the mean.
const NEWEST: f32 = 0.1;

/// The state of background work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Busy {
    Idle,
    /// Work that nobody waits for.
    Quiet,
    /// Work that somebody waits for.
    Waited,
}

/// Measures how quickly frames follow each other.
pub struct Pace {
    /// Mean time that a frame takes, seconds.
    frame_secs: f32,
    /// The pause after which the last frame requested this one, seconds; `None` if it did not.
    asked: Option<f32>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            frame_secs: 1.0 / 60.0,
            asked: None,
        }
    }
}

impl Pace {
    /// Returns the time to advance playback by, seconds. Call it once a frame.
    pub fn passed(&mut self, ctx: &Context) -> f64 {
        let (stable, since_last) = ctx.input(|input| (input.stable_dt, input.unstable_dt));
        // Input may bring a frame before its time.
        let drawn_secs = self.asked.map(|pause| since_last - pause);
        if let Some(drawn_secs) = drawn_secs.filter(|secs| (0.0..COVERED_SECS).contains(secs)) {
            self.frame_secs += NEWEST * (drawn_secs - self.frame_secs);
        }
        // egui treats a frame that was requested after a delay as the first one after a sleep.
        let passed = if self.asked.is_some() { since_last } else { stable };
        f64::from(passed.min(MAX_FRAME_SECS + self.asked.unwrap_or(0.0)))
    }

    /// Requests the next frame. During background work, a slow frame is followed by as long a pause, so that neither waits for the other.
    pub fn ask(&mut self, ctx: &Context, plays: bool, beside: Busy) {
        let secs = match beside {
            Busy::Idle => 0.0,
            _ if self.frame_secs > SLOW_FRAME_SECS => 2.0 * self.frame_secs,
            Busy::Quiet => 0.0,
            Busy::Waited => BESIDE_WORK_SECS,
        };
        self.asked = plays.then_some(secs);
        if plays {
            ctx.request_repaint_after(Duration::from_secs_f32(secs));
        } else if beside == Busy::Waited {
            ctx.request_repaint_after(WAITING_FOR_WORK);
        }
    }
}

#[cfg(test)]
mod tests {
    use eframe::egui::RawInput;

    use super::*;

    /// Plays frames that take this long; returns the time that playback advanced by, and how long it then waits for the next.
    fn play(pace: &mut Pace, ctx: &Context, from: f64, secs: f64, beside: Busy) -> (f64, Duration) {
        let mut passed = 0.0;
        let mut waits = Duration::ZERO;
        for frame in 0..100 {
            let input = RawInput {
                time: Some(from + secs * f64::from(frame)),
                ..RawInput::default()
            };
            let mut output = ctx.run_ui(input, |ui| {
                let ctx = ui.ctx().clone();
                let step = pace.passed(&ctx);
                if frame > 0 {
                    passed += step;
                }
                pace.ask(&ctx, true, beside);
            });
            waits = output.viewport_output.values().next().unwrap().repaint_delay;
            output.textures_delta.clear();
        }
        (passed, waits)
    }

    /// At the start there is nothing but work, during which frames are found to be slow all the same.
    #[test]
    fn frames_that_are_slow_beside_work_leave_time_for_it_and_nothing_is_drawn_while_nothing_moves() {
        let (ctx, mut pace) = (Context::default(), Pace::default());
        let (_, waits) = play(&mut pace, &ctx, 0.0, 0.2, Busy::Quiet);
        assert!((0.1..0.4).contains(&waits.as_secs_f64()), "{waits:?}");
        let mut output = ctx.run_ui(RawInput::default(), |ui| pace.ask(ui.ctx(), false, Busy::Waited));
        output.textures_delta.clear();
        let still = output.viewport_output.values().next().unwrap().repaint_delay;
        assert!(still >= Duration::from_millis(500), "{still:?}");
    }

    #[test]
    fn playback_keeps_its_speed_beside_work_and_slow_frames_leave_time_for_it() {
        for (secs, quiet, waited) in [(0.016, 0.0, 0.033), (0.04, 0.08, 0.08)] {
            let (ctx, mut pace) = (Context::default(), Pace::default());
            for (number, (beside, expected)) in [(Busy::Idle, 0.0), (Busy::Quiet, quiet), (Busy::Waited, waited)]
                .into_iter()
                .enumerate()
            {
                let (passed, waits) = play(&mut pace, &ctx, 100.0 * number as f64, secs, beside);
                assert!((passed - 99.0 * secs).abs() < 1e-3, "{beside:?}: {passed}");
                assert!((waits.as_secs_f64() - expected).abs() < 1e-3, "{beside:?}: {waits:?}");
            }
        }
    }
}
