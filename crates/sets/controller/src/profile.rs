//! Velocity and facing of a take over its frames, smoothed, with their rates of change.
//!
//! The path is that of the hips over the ground, in the world, where controllers steer; the facing is the heading's. Both are
//! smoothed with Gaussian weights: hips speed up and slow down with every step, and without smoothing the largest acceleration
//! of a steady walk is that of its steps.

use core::{f64::consts::PI, ops::Range};

use glam::DVec3;
use loopwright_core::{
    Analysis,
    analysis::{BadFrameKind, velocities},
    math::{TimeStep, kernel, ops, percentile},
};

/// Speeds must be held for this long to count, seconds; runs of clean frames shorter than this are left out.
pub(crate) const SUSTAINED_SECS: f64 = 0.5;

/// A quantity over the frames of a take, smoothed, and its rate of change; frame-major.
#[handed_over]
pub struct Signal {
    /// Value at every frame: velocity over the ground in metres per second, or facing in radians about +Y.
    #[handed(with = "loopwright_core::plain_bytes")]
    pub values: Vec<DVec3>,
    /// Its rate of change, per second.
    #[handed(with = "loopwright_core::plain_bytes")]
    pub rates: Vec<DVec3>,
    /// Standard deviation of all smoothing of the values together, seconds; differences are a mean over two frames.
    pub deviation_secs: f64,
    /// Variance of noise in the values that is white in what was captured: positions, or facings.
    pub noise: f64,
    /// Whether the values are rates of what was captured, as velocities are.
    pub is_rate: bool,
}

impl Signal {
    /// Standard deviation of all smoothing of the rates together, seconds.
    pub fn rates_deviation_secs(&self, dt: f64) -> f64 {
        ops::hypot(self.deviation_secs, difference_deviation(dt))
    }

    /// Smooths raw values over each run; frames outside all runs hold zeros.
    pub(super) fn smoothed(raw: &[DVec3], runs: &[Range<usize>], dt: f64, smoothing_secs: f64) -> Self {
        let mut values = vec![DVec3::ZERO; raw.len()];
        let mut rates = values.clone();
        let weights = kernel::gaussian(smoothing_secs / dt);
        for run in runs {
            let smooth = kernel::averaged_mirrored(&raw[run.clone()], &weights);
            rates[run.clone()].copy_from_slice(&velocities(&smooth, dt));
            values[run.clone()].copy_from_slice(&smooth);
        }
        Self {
            values,
            rates,
            deviation_secs: smoothing_secs,
            noise: 0.0,
            is_rate: false,
        }
    }
}

/// Returns the variance of white noise in values, by the median of their fourth differences, which hold next to nothing of motion.
fn white_noise(values: &[DVec3], runs: &[Range<usize>]) -> f64 {
    /// Sum of the squares of 1, -4, 6, -4, 1, and the median of the squares of normal noise.
    const OF_DIFFERENCES: f64 = 70.0 * 0.4549;
    let squares = runs
        .iter()
        .flat_map(|run| values[run.clone()].windows(5))
        .flat_map(|at| {
            let difference = at[0] + at[4] - 4.0 * (at[1] + at[3]) + 6.0 * at[2];
            (difference * difference).to_array()
        })
        .filter(|square| *square > 0.0);
    percentile::of(squares, 0.5) / OF_DIFFERENCES
}

/// Returns the standard deviation, seconds, of a central difference, which is the mean rate over two frames.
fn difference_deviation(dt: f64) -> f64 {
    dt / 3.0_f64.sqrt()
}

/// Velocity and facing of a take. All arrays have one entry per frame; only frames within `runs` mean anything.
#[handed_over]
pub struct Profile {
    /// Seconds from frame to frame.
    pub frame_time_secs: f64,
    /// Runs of frames between which the pose jumps, each `SUSTAINED_SECS` or longer.
    pub runs: Vec<Range<usize>>,
    /// Velocity over the ground in the world, metres per second, not smoothed.
    #[handed(with = "loopwright_core::plain_bytes")]
    pub raw_velocity: Vec<DVec3>,
    /// The smoothed velocity, and the acceleration.
    pub velocity: Signal,
    /// Facing about +Y, radians, left positive, and the turn rate.
    pub facing: Signal,
    /// Rate of change of the smoothed speed, metres per second squared; negative where it decreases.
    #[handed(with = "loopwright_core::plain_bytes")]
    pub speed_rate: Vec<f64>,
}

impl Profile {
    /// Creates the profile of a take; `smoothing_secs` is the standard deviation of the weights.
    pub fn new(analysis: &Analysis, smoothing_secs: f64) -> Self {
        let take = &analysis.take;
        let dt = take.frame_time_secs();
        let count = take.num_frames();
        let runs = runs(analysis);
        let mut raw_velocity = vec![DVec3::ZERO; count];
        let ground: Vec<DVec3> = (0..count)
            .map(|frame| analysis.heading.ground(frame).with_y(0.0))
            .collect();
        for run in &runs {
            raw_velocity[run.clone()].copy_from_slice(&velocities(&ground[run.clone()], dt));
        }
        let yaw: Vec<DVec3> = (0..count).map(|frame| DVec3::Y * analysis.heading.yaw(frame)).collect();
        let mut velocity = Signal::smoothed(&raw_velocity, &runs, dt, smoothing_secs);
        velocity.deviation_secs = ops::hypot(smoothing_secs, difference_deviation(dt));
        velocity.is_rate = true;
        let mut facing = Signal::smoothed(&yaw, &runs, dt, smoothing_secs);
        // Gaussian weights leave dt / (2 sqrt(pi) deviation) of the variance of white noise, and of its rate 1 / (2 deviation^2) of that.
        let left = |noise: f64, deviation: f64| noise * dt / (2.0 * PI.sqrt() * deviation);
        facing.noise = left(white_noise(&yaw, &runs), smoothing_secs);
        velocity.noise =
            left(white_noise(&ground, &runs), velocity.deviation_secs) / (2.0 * velocity.deviation_secs.powi(2));
        let mut speed_rate = vec![0.0; count];
        for run in &runs {
            let speeds: Vec<DVec3> = velocity.values[run.clone()]
                .iter()
                .map(|velocity| DVec3::X * velocity.length())
                .collect();
            for (frame, rate) in run.clone().zip(velocities(&speeds, dt)) {
                speed_rate[frame] = rate.x;
            }
        }
        Self {
            frame_time_secs: dt,
            runs,
            raw_velocity,
            velocity,
            facing,
            speed_rate,
        }
    }

    /// Smoothed speed over the ground at a frame, metres per second.
    pub fn speed(&self, frame: usize) -> f64 {
        self.velocity.values[frame].length()
    }

    /// Returns the time of a frame, seconds.
    pub fn secs(&self, frame: usize) -> f64 {
        frame as f64 * self.frame_time_secs
    }

    /// Returns the number of frames between two frames that far apart in time, at least one.
    pub(super) fn frames_in(&self, secs: f64) -> usize {
        TimeStep::new(self.frame_time_secs).nearest_from_one(secs)
    }
}

/// Runs of frames between jumps of the pose, without the frames affected by a jump.
fn runs(analysis: &Analysis) -> Vec<Range<usize>> {
    let count = analysis.take.num_frames();
    let mut clean = vec![true; count];
    for bad in analysis
        .defects
        .bad_frames
        .iter()
        .filter(|bad| bad.kind == BadFrameKind::Jump)
    {
        clean[bad.frame] = false;
    }
    let mut starts_anew = vec![false; count];
    for &frame in &analysis.defects.jumps {
        starts_anew[frame] = true;
    }
    let mut runs: Vec<Range<usize>> = Vec::new();
    for frame in 0..count {
        match runs.last_mut() {
            _ if !clean[frame] => {}
            Some(run) if run.end == frame && !starts_anew[frame] => run.end += 1,
            _ => runs.push(frame..frame + 1),
        }
    }
    let dt = analysis.take.frame_time_secs();
    runs.retain(|run| run.len() >= 3 && (run.len() - 1) as f64 * dt >= SUSTAINED_SECS * (1.0 - 1e-9));
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steady_change_stays_and_waves_shrink_as_a_gaussian_lets_them() {
        let dt = 1.0 / 60.0;
        let line: Vec<DVec3> = (0..180)
            .map(|frame| DVec3::X * (0.3 * f64::from(frame) - 2.0))
            .collect();
        let signal = Signal::smoothed(&line, core::slice::from_ref(&(0..180)), dt, 0.2);
        let steady = 0.3 / dt;
        for frame in 0..180 {
            let off = (signal.values[frame] - line[frame]).length();
            assert!(off < 1e-12 || !(48..132).contains(&frame), "{frame}: {off}");
            // Near the ends, changes are underestimated.
            assert!((0.0..steady + 1e-9).contains(&signal.rates[frame].x), "{frame}");
        }
        let hertz = 1.8;
        let wave = |secs: f64| DVec3::X * ops::sin(core::f64::consts::TAU * hertz * secs);
        let raw: Vec<DVec3> = (0..600).map(|frame| wave(f64::from(frame) * dt)).collect();
        let signal = Signal::smoothed(&raw, core::slice::from_ref(&(0..600)), dt, 0.2);
        let largest = signal.values[120..480]
            .iter()
            .map(|value| value.x.abs())
            .fold(0.0, f64::max);
        let angle = core::f64::consts::TAU * hertz * 0.2;
        assert!(
            (largest / ops::exp(-0.5 * angle * angle) - 1.0).abs() < 0.01,
            "{largest}"
        );
    }
}
