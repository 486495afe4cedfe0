//! Settings of the search for loops.

use crate::{
    math::{Decay, TimeStep, Twist, ops},
    mirror::Pairing,
    take::Take,
};

/// Half-life of the spring for the cost of a seam, seconds, in the articles' convention (59.7% is left after it).
///
/// Longer ones weigh velocities more: at 0.1 s a gap of 1 m/s costs as much as one of 3.6 cm, at 0.2 s as one of 7.2 cm. From
/// 0.2 s on the noise of velocities hides repeats of mixed takes (a run with turns: 0.25 of the cost of random pairs at 0.1 s,
/// 0.31 at 0.2 s).
pub const DEFAULT_HALF_LIFE_SECS: f64 = 0.1;

/// Settings of the search for loops.
#[value]
pub struct SearchSettings {
    /// Shortest loop, seconds.
    pub min_secs: f64,
    /// Longest loop, seconds.
    pub max_secs: f64,
    /// Number of fundamental periods that the loop must span; `None` for as few as possible.
    pub cycles: Option<u32>,
    /// Largest number of distinct loops to propose.
    pub max_candidates: usize,
    /// How the offset of a jump fades; this determines the cost of seams.
    pub decay: Decay,
    /// First and last frame in which loops may lie; `None` for the whole take.
    pub within: Option<(usize, usize)>,
    /// Bounds on the root motion.
    pub root_motion: RootMotionBounds,
    /// Look for idle loops instead of loops that move.
    pub idle: bool,
    /// How the recommended loop is chosen.
    pub choose_by: ChooseBy,
    /// Whether to propose the whole take first if it already loops, and if it is one cycle and nothing in it repeats.
    pub whole_take: bool,
    /// How ends meet. For mirrored ends the search looks for half cycles; for ping-pong, for a stretch that reverses well.
    /// Bounds on length and cycles are those of the whole loop.
    pub pairing: Pairing,
}

impl Default for SearchSettings {
    fn default() -> Self {
        Self {
            min_secs: 0.4,
            max_secs: 10.0,
            cycles: None,
            max_candidates: 10,
            decay: Decay::Spring {
                half_life_secs: DEFAULT_HALF_LIFE_SECS,
            },
            within: None,
            root_motion: RootMotionBounds::default(),
            idle: false,
            choose_by: ChooseBy::Outcome,
            whole_take: true,
            pairing: Pairing::Same,
        }
    }
}

impl SearchSettings {
    /// Whether the whole take, or all of it that moves, may be proposed: not if the search has other conditions.
    pub(super) fn admits_whole_take(&self) -> bool {
        self.whole_take && self.cycles.is_none() && self.pairing == Pairing::Same
    }

    /// Whether the list is ranked by outcome: not half cycles, because the take shows no cycle around either end, and not
    /// ping-pong, whose ends need not be alike.
    pub fn ranks_by_outcome(&self) -> bool {
        self.choose_by == ChooseBy::Outcome && self.pairing == Pairing::Same
    }

    /// Returns the growth of the loop when its ends move apart by one frame.
    pub(super) fn lag_step(&self, take: &Take) -> TimeStep {
        let times = if self.pairing.is_ping_pong() {
            2.0
        } else {
            f64::from(self.pairing.num_stretches())
        };
        TimeStep::new(take.frame_time_secs() * times)
    }
}

/// How the recommended loop is chosen.
#[choice_in_words]
#[derive(Default)]
pub enum ChooseBy {
    /// By how good the loop looks: see [`Outcome`](super::Outcome).
    #[default]
    Outcome,
    /// By the cost of its seam.
    Cost,
}

/// Error of a root motion computed from the headings at two frames only: metres per second and radians per second.
const ROUGH_SPEED: f64 = 0.3;
const ROUGH_TURN: f64 = 0.35;

/// Bounds on the root motion of a loop; `None` for any.
#[value(Copy, Default)]
pub struct RootMotionBounds {
    /// Speed over the ground, metres per second.
    pub speed_mps: Option<[f64; 2]>,
    /// Rate of turn, radians per second, left positive.
    pub turn_radps: Option<[f64; 2]>,
    /// Rate of climb, metres per second.
    pub climb_mps: Option<[f64; 2]>,
}

impl RootMotionBounds {
    /// Whether a twist is within the bounds.
    pub(crate) fn admit(&self, twist: &Twist) -> bool {
        let within =
            |bounds: Option<[f64; 2]>, value: f64| bounds.is_none_or(|[low, high]| low <= value && value <= high);
        within(self.speed_mps, ops::over_ground(twist.linear))
            && within(self.turn_radps, twist.angular.y)
            && within(self.climb_mps, twist.linear.y)
    }

    /// Returns bounds wide enough for every root motion whose exact value may lie within these; the straight line between the
    /// ends of a curve gives only the lowest speed.
    pub(super) fn widened(&self, turn_radps: f64) -> Self {
        let wider = |bounds: Option<[f64; 2]>, by: f64| bounds.map(|[low, high]| [low - by, high + by]);
        let mut widened = Self {
            speed_mps: wider(self.speed_mps, ROUGH_SPEED),
            turn_radps: wider(self.turn_radps, ROUGH_TURN),
            climb_mps: wider(self.climb_mps, ROUGH_SPEED),
        };
        if turn_radps.abs() > ROUGH_TURN
            && let Some([low, _]) = &mut widened.speed_mps
        {
            *low = f64::NEG_INFINITY;
        }
        widened
    }
}
