//! Ping-pong: maps time to the frames of a stretch that is played there and back.

use super::Cut;

/// Seconds that either turn takes by default: as long as a body takes that swings about once a second.
pub const DEFAULT_EASE_SECS: f64 = 0.5;

/// Largest share of the stretch by which a turn may delay the motion: at this share one turn begins where the other ends.
const MOST_HELD: f64 = 0.3;

/// The course of a stretch that is played from its start to its end, and back.
///
/// Forwards the frames pass at their own speed, backwards at its opposite. Around both ends the speed changes from one to the
/// other by an odd cubic: at u, from -1 to 1, it is (u^3 - 3 u) / 2, whose own slope is 0 where it begins and ends. So the place
/// is C2 in time, and so is every pose of a smooth motion. A turn of `e` frames covers 5/8 of the frames of its time at full
/// speed: the motion is 3/16 `e` frames late after the first half of a turn, and the cycle is 3/4 `e` longer than twice the
/// stretch.
#[value(Copy)]
pub struct PingPong {
    cut: Cut,
    /// Frames by which half a turn holds the motion back.
    held: f64,
}

impl PingPong {
    /// Creates a course with turns of about this many frames each, at most 8/5 of the stretch.
    ///
    /// Turns are lengthened or shortened so that they delay the motion by whole frames, at least one for each half of a turn:
    /// between the turns the frames of the take are then shown unchanged.
    pub fn new(cut: &Cut, ease_frames: f64) -> Self {
        let most = MOST_HELD * cut.num_frames();
        let wanted = (3.0 / 16.0 * ease_frames).round().max(1.0);
        Self {
            cut: *cut,
            held: wanted.min(if most < 1.0 { most } else { most.floor() }),
        }
    }

    /// Returns the frames from one start to the next.
    pub fn num_frames(&self) -> f64 {
        2.0 * self.cut.num_frames() + 4.0 * self.held
    }

    /// Returns the frames that half a turn takes.
    fn half_turn(&self) -> f64 {
        16.0 / 6.0 * self.held
    }

    /// Returns the frame of the take that is shown `at` frames after the start; the same before and after a turn.
    pub fn frame_at(&self, at: f64) -> f64 {
        let period = self.num_frames();
        let at = at.rem_euclid(period);
        let at = at.min(period - at);
        let (since_start, until_end) = (at, 0.5 * period - at);
        let half = self.half_turn();
        // The integral of the speed from the turn on.
        let left = |time: f64| {
            let share = time / half;
            half * share * share * (6.0 - share * share) / 8.0
        };
        if since_start < half {
            self.cut.start_frame() + left(since_start)
        } else if until_end < half {
            self.cut.end_frame() - left(until_end)
        } else {
            self.cut.start_frame() + (at - self.held)
        }
    }

    /// Returns the frames after the start at which a frame of the take is shown on the way there; ends for those outside the
    /// stretch.
    pub(crate) fn time_of(&self, frame: f64) -> f64 {
        let half = self.half_turn();
        // The inverse of the course of a turn: u^4 - 6 u^2 + 8 p = 0.
        let until = |places: f64| half * (3.0 - (9.0 - 8.0 * (places / half).clamp(0.0, 0.625)).sqrt()).sqrt();
        let (since_start, until_end) = (frame - self.cut.start_frame(), self.cut.end_frame() - frame);
        if since_start < 0.625 * half {
            until(since_start)
        } else if until_end < 0.625 * half {
            0.5 * self.num_frames() - until(until_end)
        } else {
            since_start + self.held
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::{skeleton, take_of};
    use glam::{DQuat, DVec3};

    fn cut(start: f64, end: f64) -> Cut {
        let skeleton = skeleton(&[("root", None, DVec3::ZERO)]);
        let take = take_of(skeleton, 0.1, 101, |_, _| (DVec3::ZERO, DQuat::IDENTITY));
        Cut::new(&take, start, end).unwrap()
    }

    #[test]
    fn goes_there_and_back_at_full_speed_between_soft_turns() {
        let course = PingPong::new(&cut(10.0, 50.0), 16.0);
        // 3/16 of 16 frames.
        assert_eq!(course.num_frames(), 92.0);
        for (at, frame) in [
            (0.0, 10.0),
            (8.0, 15.0),
            (20.0, 27.0),
            (38.0, 45.0),
            (46.0, 50.0),
            (54.0, 45.0),
            (92.0, 10.0),
        ] {
            assert!(
                (course.frame_at(at) - frame).abs() < 1e-12,
                "{at} {}",
                course.frame_at(at)
            );
        }
        for step in 0..920 {
            let at = 0.1 * f64::from(step);
            assert!((course.frame_at(at) - course.frame_at(92.0 - at)).abs() < 1e-12);
            let there = at.min(92.0 - at);
            assert!((course.time_of(course.frame_at(at)) - there).abs() < 1e-6, "{at}");
        }
    }

    /// The speed is the odd cubic of the docs, and its slope is continuous over the joins and the turns.
    #[test]
    fn speed_and_acceleration_are_those_of_the_odd_cubic() {
        let course = PingPong::new(&cut(0.0, 60.0), 32.0);
        let half = course.half_turn();
        assert!((half - 16.0).abs() < 1e-12);
        let (mut before, h) = (None, 1e-3);
        for step in -20_000..80_000 {
            let at = 2e-3 * f64::from(step);
            let around = [at - h, at, at + h].map(|at| course.frame_at(at));
            let speed = (around[2] - around[0]) / (2.0 * h);
            let acceleration = (around[2] - 2.0 * around[1] + around[0]) / (h * h);
            if at.abs() < half {
                let u = at / half;
                assert!((speed - 0.5 * (3.0 * u - u * u * u)).abs() < 1e-6, "{at} {speed}");
            }
            if let Some(before) = before.replace(acceleration) {
                // The third derivative is at most 3 over the square of half a turn.
                assert!((acceleration - before).abs() < 1e-2, "{at} {before} {acceleration}");
            }
            assert!(acceleration.abs() < 1.51 / half);
        }
    }

    #[test]
    fn short_stretches_turn_all_the_time_and_odd_numbers_do_no_harm() {
        for ease in [0.0, 1.0, 9.0, 1e9, f64::NAN, f64::INFINITY, -4.0] {
            for end in [13.0, 14.0, 17.5, 90.0] {
                let course = PingPong::new(&cut(10.0, end), ease);
                let period = course.num_frames();
                assert!(period > 2.0 * (end - 10.0) && period <= 3.2 * (end - 10.0) + 1e-12);
                assert!((course.frame_at(0.5 * period) - end).abs() < 1e-12);
                let mut last = 10.0;
                for step in 0..=100 {
                    let frame = course.frame_at(0.005 * f64::from(step) * period);
                    assert!(frame >= last - 1e-12 && frame <= end + 1e-12);
                    last = frame;
                }
            }
        }
    }
}
