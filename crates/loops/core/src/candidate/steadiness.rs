//! Measures how even the pace and the turn of a take are over a stretch.

use glam::DVec3;

use crate::{
    analysis::Analysis,
    math::{mean, ops, percentile, rotation},
};

/// A difference of the speed over the ground, as shares of the mean.
#[handed_over(Copy, Default)]
pub struct PaceChange {
    /// The difference, from 0.
    pub share: f64,
    /// Standard error of an estimate; 0 if the difference was measured.
    pub std_error: f64,
}

impl PaceChange {
    /// Whether the difference is measured on the take, rather than estimated.
    pub fn is_measured(&self) -> bool {
        self.std_error == 0.0
    }

    /// Returns a cautious value: the estimate plus its standard error.
    pub fn likely(&self) -> f64 {
        self.share + self.std_error
    }
}

/// How even a stretch is, as far as is known, from best to worst.
#[value(Copy, Eq, PartialOrd, Ord)]
pub enum Regularity {
    /// Any unevenness is invisible.
    Sure,
    /// It seems so.
    Likely,
    /// The stretch is uneven.
    Uneven,
}

/// How even the motion of a take is over a stretch; unknown values are `None`.
#[handed_over(Copy, Default)]
pub struct Steadiness {
    /// Difference of the speed over the ground among cycles centred on the start, on the end, and on the ends of cycles between
    /// them; estimated where the take has too few frames around either end.
    pub pace_change: Option<PaceChange>,
    /// Difference of the turn among these cycles, radians; not estimated.
    pub turn_change_radians: Option<f64>,
    /// Difference between the turn of a cycle and that of the path around it, radians, if the path is straight; `None` otherwise.
    pub veer_radians: Option<f64>,
    /// Share of the turn of the whole stretch in its busiest third: a third for an even turn; `None` if it turns by less than
    /// [`TURNING_RADIANS`].
    pub turn_in_third: Option<f64>,
}

/// A smaller turn of a stretch is not checked for evenness: hips sway by some degrees in every walk.
pub const TURNING_RADIANS: f64 = 30.0_f64.to_radians();

/// Half of the shortest span over which a change is measured, as a share of a cycle.
const MIN_HALF_SHARE: f64 = 0.2;

/// Speeds below this do not count as changing, metres per second.
pub(super) const SLOW_MPS: f64 = 0.2;

/// Changes that are not visible: of the pace as a share, and the share of the turn in a third.
const EVEN_PACE: f64 = 0.07;
const EVEN_TURN: f64 = 0.42;

/// ... and the turn of a cycle on a straight way, radians.
pub const EVEN_VEER_RADIANS: f64 = 5.0_f64.to_radians();

/// A path is straight if the directions of its cycles lie within this, radians, over at least this many cycles; at most this many cycles on
/// either side are examined.
const STRAIGHT_RADIANS: f64 = 15.0_f64.to_radians();
const STRAIGHT_CYCLES: f64 = 3.0;
const MOST_CYCLES: usize = 10;

/// Directions are measured this many times a cycle.
const WAYS_PER_CYCLE: usize = 4;

impl Steadiness {
    /// Measures a take between two frames with this number of cycles.
    pub(crate) fn of(analysis: &Analysis, [start, end]: [f64; 2], cycles: u32) -> Self {
        let change = change_of_cycles(analysis, [start, end], cycles);
        Self {
            pace_change: change.map(|[share, _]| PaceChange { share, std_error: 0.0 }),
            turn_change_radians: change.map(|[_, turn]| turn),
            veer_radians: None,
            turn_in_third: turn_in_third(analysis, [start, end]),
        }
    }

    /// Whether the take shows that any unevenness is invisible.
    pub fn is_known_even(&self) -> bool {
        self.pace_change.is_some_and(|change| change.is_measured()) && self.is_even()
    }

    /// Whether any unevenness is invisible, as far as is known.
    pub fn is_even(&self) -> bool {
        self.regularity() != Regularity::Uneven
    }

    /// Returns how even the stretch is, as far as is known.
    pub fn regularity(&self) -> Regularity {
        let turns = self.turn_in_third.is_some_and(|share| share > EVEN_TURN)
            || self.veer_radians.is_some_and(|veer| veer > EVEN_VEER_RADIANS);
        match self.pace_change {
            _ if turns => Regularity::Uneven,
            Some(change) if change.likely() <= EVEN_PACE => Regularity::Sure,
            Some(change) if change.share > EVEN_PACE => Regularity::Uneven,
            _ => Regularity::Likely,
        }
    }
}

fn change_of_cycles(analysis: &Analysis, [start, end]: [f64; 2], cycles: u32) -> Option<[f64; 2]> {
    let cycle = (end - start) / f64::from(cycles.max(1));
    let last = analysis.take.last_frame() as f64;
    // Both spans have the same length, so that both contain the same part of a cycle.
    let half = (0.5 * cycle).min(start).min(last - end);
    if half < MIN_HALF_SHARE * cycle {
        return None;
    }
    // All cycles are compared, including those between the ends.
    let (mut ways, mut turns) = (Vec::new(), Vec::new());
    for index in 0..=cycles.max(1) {
        let middle = start + f64::from(index) * cycle;
        let [before, after] = [middle - half, middle + half].map(|frame| heading_at(analysis, frame));
        let moved = after.0 - before.0;
        ways.push(ops::over_ground(moved));
        turns.push(after.1 - before.1);
    }
    let secs = 2.0 * half * analysis.take.frame_time_secs();
    let mean = mean(ways.iter().copied());
    Some([
        percentile::spread(ways) / mean.max(SLOW_MPS * secs),
        percentile::spread(turns) * cycle / (2.0 * half),
    ])
}

fn turn_in_third(analysis: &Analysis, [start, end]: [f64; 2]) -> Option<f64> {
    let yaw = |frame: f64| heading_at(analysis, frame).1;
    let whole = yaw(end) - yaw(start);
    if whole.abs() < TURNING_RADIANS {
        return None;
    }
    let third = (end - start) / 3.0;
    let last = (end - third - start).floor().max(0.0) as usize;
    let shares = (0..=last).map(|step| {
        let from = start + step as f64;
        (yaw(from + third) - yaw(from)) / whole
    });
    shares.reduce(f64::max)
}

/// Returns the difference between the turn of a cycle and that of the straight path around the stretch, radians; `None` if the path is not
/// straight, or too short to decide.
pub(super) fn veer(analysis: &Analysis, [start, end]: [f64; 2], cycles: u32) -> Option<f64> {
    let cycle = (end - start) / f64::from(cycles.max(1));
    let last = analysis.take.last_frame() as f64;
    let slowest = SLOW_MPS * cycle * analysis.take.frame_time_secs();
    let middle = 0.5 * (start + end);
    let direction = |cycles: f64| {
        let ends = [-0.5, 0.5].map(|half| middle + (cycles + half) * cycle);
        if ends[0] < 0.0 || ends[1] > last {
            return None;
        }
        let [from, to] = ends.map(|frame| heading_at(analysis, frame).0);
        let way = (to - from).with_y(0.0);
        (way.length() > slowest).then(|| ops::atan2(way.x, way.z))
    };
    let ahead = direction(0.0)?;
    let (mut ways, mut range) = (vec![[0.0, 0.0]], [0.0_f64; 2]);
    for side in [1.0, -1.0] {
        for step in 1..=MOST_CYCLES * WAYS_PER_CYCLE {
            let cycles = side * step as f64 / WAYS_PER_CYCLE as f64;
            let Some(turned) = direction(cycles).map(|direction| rotation::wrap_angle(direction - ahead)) else {
                break;
            };
            let wider = [range[0].min(turned), range[1].max(turned)];
            if wider[1] - wider[0] > STRAIGHT_RADIANS {
                break;
            }
            range = wider;
            ways.push([cycles, turned]);
        }
    }
    if ways.len() as f64 / WAYS_PER_CYCLE as f64 + 1.0 < STRAIGHT_CYCLES {
        return None;
    }
    let [at, turned] = [0, 1].map(|part| mean(ways.iter().map(|way| way[part])));
    let (sum, squares) = ways.iter().fold((0.0, 0.0), |(sum, squares), way| {
        let off = way[0] - at;
        (sum + off * (way[1] - turned), squares + off * off)
    });
    let [from, to] = [start, end].map(|frame| heading_at(analysis, frame).1);
    Some(((to - from) / f64::from(cycles.max(1)) - sum / squares).abs())
}

/// Returns position over the ground and facing between two frames.
pub(super) fn heading_at(analysis: &Analysis, frame: f64) -> (DVec3, f64) {
    let last = analysis.take.last_frame();
    let (before, share) = (frame.floor().max(0.0) as usize, frame - frame.floor());
    let (before, after) = (before.min(last), (before + 1).min(last));
    let heading = &analysis.heading;
    (
        heading.ground(before).lerp(heading.ground(after), share),
        heading.yaw(before) + share * (heading.yaw(after) - heading.yaw(before)),
    )
}
