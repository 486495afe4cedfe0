//! When the next frame of what plays is drawn, and how long playback goes on by it.

use std::time::Duration;

use eframe::egui::Context;

/// Longest time between two frames that playback follows, seconds: a window that was covered does not leap ahead.
const MAX_FRAME_SECS: f32 = 0.1;

/// Least time between frames beside work that somebody waits for: drawing in software takes as much of the processor as it gets.
const BESIDE_WORK_SECS: f32 = 0.033;

/// The same where nothing moves but the sign that work goes on.
const WAITING_FOR_WORK: Duration = Duration::from_millis(100);

/// A frame that takes longer is drawn in software, and shares the processors with the work beside. Seconds.
const SLOW_FRAME_SECS: f32 = 0.025;

/// Share of the newest frame in the mean.
const NEWEST: f32 = 0.1;

/// What goes on beside the window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Busy {
    Idle,
    /// Work that nobody waits for.
    Quiet,
    /// Work that somebody waits for.
    Waited,
}

/// How quickly frames come.
pub(crate) struct Pace {
    /// Mean time between frames that follow at once, while nothing goes on beside. Seconds.
    frame_secs: f32,
    /// What went on beside when the last frame asked for this one; none where it did not.
    asked: Option<Busy>,
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
    /// The time that playback goes on by, seconds. Call it once a frame.
    pub(crate) fn passed(&mut self, ctx: &Context) -> f64 {
        let (stable, since_last) = ctx.input(|input| (input.stable_dt, input.unstable_dt));
        // The time of a frame after the window was covered does not show how quickly it draws.
        if self.asked == Some(Busy::Idle) && since_last < MAX_FRAME_SECS {
            self.frame_secs += NEWEST * (since_last - self.frame_secs);
        }
        // egui takes a frame that was asked for by its time for the first after a sleep.
        let passed = if self.asked.is_some() { since_last } else { stable };
        f64::from(passed.min(MAX_FRAME_SECS))
    }

    /// Asks for the next frame. Beside work a slow frame is followed by as much time without one, so that neither waits for the other.
    pub(crate) fn ask(&mut self, ctx: &Context, plays: bool, beside: Busy) {
        let secs = match beside {
            Busy::Idle => 0.0,
            _ if self.frame_secs > SLOW_FRAME_SECS => 2.0 * self.frame_secs,
            Busy::Quiet => 0.0,
            Busy::Waited => BESIDE_WORK_SECS,
        };
        self.asked = plays.then_some(beside);
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

    /// Plays frames that take so long beside something; the time that playback goes on by, and how long it then waits for the next.
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
