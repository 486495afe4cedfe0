//! Rates how good a loop looks, in parts that can be summed.

use crate::math::ordered;

/// A visible property of a loop.
#[handed_over(Copy, Eq)]
#[in_words]
pub enum OutcomePart {
    /// The cost of the seam.
    Price,
    /// Distance of joints from the take.
    Displacement,
    /// Difference of speed between both ends.
    SpeedDrift,
    /// Difference of turning between both ends.
    TurnDrift,
    /// The take's own acceleration at the seam.
    Abruptness,
    /// Cycles beyond the fewest.
    Cycles,
    /// Speed of standing feet.
    FootSlide,
    /// Acceleration of the knees.
    Knees,
    /// A turn that happens in a part of the loop.
    Turn,
    /// Another pace than the take's usual one.
    Pace,
    /// Height of standing feet.
    FootHeight,
    /// A jerk that the take does not have.
    Kink,
    /// A turn that the straight path around the loop does not have.
    Veer,
}

/// How good a loop made of a stretch looks; lengths and speeds at the size of an adult.
#[handed_over(Copy, Default)]
pub struct Outcome {
    /// Cost of the seam over that of random frames, see [`super::LoopCandidate::cost_ratio`].
    pub cost_ratio: f64,
    /// Mean distance of joints from the take after closing, without holding feet, metres; `None` if it was not closed.
    pub displacement_metres: Option<f64>,
    /// Difference in speed between a cycle around the end and one around the start, as a share of their mean; an estimate counts with
    /// its standard error. `None` if it is unknown.
    pub speed_drift: Option<f64>,
    /// Difference in turn between these cycles, radians.
    pub turn_drift_radians: Option<f64>,
    /// Share of the turn in the busiest third of the stretch; `None` if it hardly turns.
    pub turn_in_third: Option<f64>,
    /// Difference of its speed from the usual one of its gait in the take, as a share; `None` if it does not travel.
    pub pace_off: Option<f64>,
    /// The take's own acceleration at the seam, see [`super::LoopCandidate::abruptness`].
    pub abruptness: f64,
    /// Cycles beyond the fewest of any loop in the list.
    pub extra_cycles: u32,
    /// Speed of standing feet in the finished loop, metres per second; `None` if it was not made.
    pub foot_slide_mps: Option<f64>,
    /// The sharpest acceleration of a knee in the finished loop over its own in the take; `None` if it was not made.
    pub knee_ratio: Option<f64>,
    /// Largest distance of a standing foot above or below its height in the take, metres; `None` if the loop was not made.
    pub foot_height_metres: Option<f64>,
    /// Sharpest jerk of a joint over its own in the take; `None` if the loop was not made.
    pub kink_ratio: Option<f64>,
    /// Difference between the turn of a cycle and that of the straight path around it, radians; `None` if the path is not straight.
    pub veer_radians: Option<f64>,
    /// For a recommended loop with extra cycles, the part at which the best loop of fewer cycles is most worse.
    pub fewer_cycles_lose_by: Option<OutcomePart>,
}

/// Just noticeable value of each part, which counts 1.
const COST_RATIO: f64 = 0.15;
const DISPLACEMENT_METRES: f64 = 0.005;
const SPEED_DRIFT: f64 = 0.05;
const TURN_DRIFT_RADIANS: f64 = 5.0_f64.to_radians();
const ABRUPTNESS: f64 = 1.0;
const EXTRA_CYCLES: f64 = 1.0;
const FOOT_SLIDE_MPS: f64 = 0.02;
const KNEE_RATIO: f64 = 0.5;
const TURN_IN_THIRD: f64 = 0.1;
const PACE_OFF: f64 = 0.1;
const FOOT_HEIGHT_METRES: f64 = 0.006;
const KINK_RATIO: f64 = 1.0;
const VEER_RADIANS: f64 = 2.5_f64.to_radians();

/// Largest count of a part: a loop that is bad in one respect is bad, and need not be compared further.
const MOST: f64 = 3.0;

/// An unknown drift counts as a just noticeable one.
const UNKNOWN: f64 = 1.0;

impl Outcome {
    /// Returns the parts in their units, from 0 to 3 each, in the order of [`OutcomePart::ALL`]; 0 if not computed.
    pub fn parts(&self) -> [f64; 13] {
        [
            self.cost_ratio / COST_RATIO,
            self.displacement_metres.unwrap_or(0.0) / DISPLACEMENT_METRES,
            self.speed_drift.map_or(UNKNOWN, |drift| drift / SPEED_DRIFT),
            self.turn_drift_radians
                .map_or(UNKNOWN, |drift| drift / TURN_DRIFT_RADIANS),
            self.abruptness / ABRUPTNESS,
            f64::from(self.extra_cycles) / EXTRA_CYCLES,
            self.foot_slide_mps.unwrap_or(0.0) / FOOT_SLIDE_MPS,
            (self.knee_ratio.unwrap_or(1.0) - 1.0) / KNEE_RATIO,
            self.turn_in_third.map_or(0.0, |share| share - 1.0 / 3.0) / TURN_IN_THIRD,
            self.pace_off.unwrap_or(0.0) / PACE_OFF,
            self.foot_height_metres.unwrap_or(0.0) / FOOT_HEIGHT_METRES,
            (self.kink_ratio.unwrap_or(1.0) - 1.0) / KINK_RATIO,
            self.veer_radians.unwrap_or(0.0) / VEER_RADIANS,
        ]
        .map(|part| part.clamp(0.0, MOST))
    }

    /// Returns the part at which this outcome is most worse than another; `None` if it is worse at none.
    pub(crate) fn worst_against(&self, other: &Self) -> Option<OutcomePart> {
        let losses = self
            .parts()
            .into_iter()
            .zip(other.parts())
            .map(|(own, theirs)| own - theirs);
        let worst = OutcomePart::ALL
            .into_iter()
            .zip(losses)
            .max_by_key(|(_, loss)| ordered(*loss));
        worst.filter(|(_, loss)| *loss > 0.0).map(|(part, _)| part)
    }

    /// Returns the sum of the parts; less is better.
    pub fn score(&self) -> f64 {
        self.parts().iter().sum()
    }
}
