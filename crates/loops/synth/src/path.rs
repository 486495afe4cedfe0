//! The clock and the path of a walk: from seconds to phase, and from phase to the position of the root.
//!
//! Take time runs evenly. Gait time is take time warped by the lead-in, the speed variation and the lead-out. Phase is gait time
//! over the period. Travel is gait time minus the time lost while the strides grow after a lead-in and shrink before a lead-out.
//! The root is exp(travel * twist), or straight on before and after a turn. All are monotone, the first four C2, and every step
//! between them has a closed form but that from gait time to take time.

use core::f64::consts::{PI, TAU};

use glam::DVec3;
use loopwright_core::math::{Rigid, Twist, ops};
use serde::{Deserialize, Serialize};

use crate::{WalkSettings, ease, noise::Noise};

/// Cycles of the standing pose: half-way through the double support before the right foot stands alone.
///
/// The left foot starts; half a cycle later it is the right.
const STANDING_PHASE: f64 = 0.25;

/// Share of a period in which the clock reaches its full rate after a lead-in.
const CLOCK_RAMP: f64 = 0.35;

/// Cycles in which the strides grow to their full length after a lead-in.
const STRIDE_RAMP: f64 = 1.0;

/// One slow wave of the gait's rate: relative amplitude, period, and its phase at the start.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct Wave {
    amplitude: f64,
    secs: f64,
    start_radians: f64,
}

/// Clock and path of one walk.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Path {
    pub period_secs: f64,
    pub start_phase: f64,
    lead_in_secs: f64,
    /// When the clock stops, by take time and by gait time, seconds.
    stop: Option<[f64; 2]>,
    /// Between which travel the path turns, seconds; all of it without.
    turn_span_secs: Option<[f64; 2]>,
    waves: [Wave; 2],
    linear: DVec3Record,
    angular: DVec3Record,
}

/// Three numbers: vectors are stored as plain lists.
type DVec3Record = [f64; 3];

/// Returns when a walk stops, in take time and gait time: both feet on the ground, as late as requested, or a little earlier.
fn stop(settings: &WalkSettings, start_phase: f64) -> [f64; 2] {
    let ramp = CLOCK_RAMP * settings.period_secs;
    let lead_in = settings.lead_in_secs;
    let lost = 0.5 * ramp + if lead_in > 0.0 { lead_in + 0.5 * ramp } else { 0.0 };
    let latest = start_phase + (settings.seconds - settings.lead_out_secs - lost) / settings.period_secs;
    let phase = STANDING_PHASE + 0.5 * ((latest - STANDING_PHASE) / 0.5).floor();
    let gait_secs = (phase - start_phase) * settings.period_secs;
    [gait_secs + lost, gait_secs]
}

impl Path {
    pub(crate) fn new(settings: &WalkSettings) -> Self {
        // The noise has the stream of the seed itself; the waves use another, so that noise alone does not change the gait.
        let mut random = Noise::new(settings.seed ^ 0x005E_ED0F_ACE5);
        let start_phase = if settings.lead_in_secs > 0.0 {
            if settings.start_phase - settings.start_phase.floor() < 0.5 {
                STANDING_PHASE
            } else {
                STANDING_PHASE + 0.5
            }
        } else {
            settings.start_phase
        };
        Self {
            period_secs: settings.period_secs,
            start_phase,
            lead_in_secs: settings.lead_in_secs,
            stop: (settings.lead_out_secs > 0.0).then(|| stop(settings, start_phase)),
            turn_span_secs: settings.turn_span_secs,
            waves: [(0.6, 4.7), (0.4, 7.3)].map(|(share, cycles)| Wave {
                amplitude: share * settings.speed_variation,
                secs: cycles * settings.period_secs,
                start_radians: random.between(0.0, TAU),
            }),
            linear: [0.0, settings.climb_mps, settings.speed_mps],
            angular: [0.0, settings.turn_dps * PI / 180.0, 0.0],
        }
    }

    /// Whether the take starts with standing.
    pub(crate) fn has_lead_in(&self) -> bool {
        self.lead_in_secs > 0.0
    }

    /// Returns the phase in which the walker stands at the end, if it stops.
    pub(crate) fn stop_phase(&self) -> Option<f64> {
        self.stop.map(|[_, gait_secs]| self.phase(gait_secs))
    }

    /// Nominal rate of the root per second of travel, in its own axes.
    pub(crate) fn twist(&self) -> Twist {
        Twist::new(DVec3::from_array(self.linear), DVec3::from_array(self.angular))
    }

    /// Gait time at a take time, seconds.
    pub(crate) fn gait_secs(&self, time_secs: f64) -> f64 {
        if let Some([stop_secs, last]) = self.stop {
            let ramp = CLOCK_RAMP * self.period_secs;
            if stop_secs - time_secs < ramp {
                return last - ramp * ease::step_integral((stop_secs - time_secs) / ramp);
            }
        }
        let started = if self.has_lead_in() {
            let ramp = CLOCK_RAMP * self.period_secs;
            ramp * ease::step_integral((time_secs - self.lead_in_secs) / ramp)
        } else {
            time_secs
        };
        let mut gait = started;
        for wave in &self.waves {
            let rate = TAU / wave.secs;
            gait +=
                wave.amplitude / rate * (ops::cos(wave.start_radians) - ops::cos(wave.start_radians + rate * started));
        }
        gait
    }

    /// Take time at a gait time, seconds: the inverse of [`Self::gait_secs`], by bisection to the last bit.
    ///
    /// While the walker stands the clock does too; of those times the result is the latest.
    pub(crate) fn time_secs(&self, gait_secs: f64) -> f64 {
        if !self.has_lead_in() && self.stop.is_none() && self.waves.iter().all(|wave| wave.amplitude == 0.0) {
            return gait_secs;
        }
        // After the lead-in the clock runs at least at half speed, so the bracket holds the answer.
        let reach = 2.0 * gait_secs.abs()
            + self.lead_in_secs
            + self.stop.map_or(0.0, |[stop_secs, _]| stop_secs)
            + self.period_secs;
        let (mut before, mut after) = (-reach, reach);
        loop {
            let middle = 0.5 * (before + after);
            if middle <= before || middle >= after {
                return before;
            }
            if self.gait_secs(middle) <= gait_secs {
                before = middle;
            } else {
                after = middle;
            }
        }
    }

    /// Returns the phase at a gait time, cycles, unwrapped.
    pub(crate) fn phase(&self, gait_secs: f64) -> f64 {
        self.start_phase + gait_secs / self.period_secs
    }

    /// Gait time at a phase, seconds.
    pub(crate) fn gait_secs_at_phase(&self, phase: f64) -> f64 {
        (phase - self.start_phase) * self.period_secs
    }

    /// Returns the seconds of travel at full speed that the root has covered at a gait time.
    pub(crate) fn travel_secs(&self, gait_secs: f64) -> f64 {
        if let Some([_, last]) = self.stop {
            let ramp = STRIDE_RAMP * self.period_secs;
            if last - gait_secs < ramp {
                let before = if self.has_lead_in() { 0.5 * ramp } else { 0.0 };
                return last - before - 0.5 * ramp - ramp * ease::step_integral((last - gait_secs) / ramp);
            }
        }
        if self.has_lead_in() {
            let ramp = STRIDE_RAMP * self.period_secs;
            ramp * ease::step_integral(gait_secs / ramp)
        } else {
            gait_secs
        }
    }

    /// Amount of walking, from 0 (standing) to 1 (full stride); rises over `share` of the first cycle.
    pub(crate) fn vigour(&self, gait_secs: f64, share: f64) -> f64 {
        let grown = |gait_secs: f64| ease::step(gait_secs / (share * STRIDE_RAMP * self.period_secs));
        let starts = if self.has_lead_in() { grown(gait_secs) } else { 1.0 };
        starts * self.stop.map_or(1.0, |[_, last]| grown(last - gait_secs))
    }

    /// Returns the root in the world after some seconds of travel; it starts at the origin towards +Z.
    pub(crate) fn root(&self, travel_secs: f64) -> Rigid {
        let Some([from, to]) = self.turn_span_secs else {
            return self.twist().exp(travel_secs);
        };
        let straight = Twist::new(self.twist().linear, DVec3::ZERO);
        straight.exp(travel_secs.min(from))
            * self.twist().exp((travel_secs.min(to) - from).max(0.0))
            * straight.exp((travel_secs - to).max(0.0))
    }

    /// Yaw of the root after some seconds of travel, radians, unwrapped.
    pub(crate) fn yaw(&self, travel_secs: f64) -> f64 {
        let turning = match self.turn_span_secs {
            Some([from, to]) => (travel_secs.min(to) - from).max(0.0),
            None => travel_secs,
        };
        self.angular[1] * turning
    }
}
