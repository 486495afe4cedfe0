//! Jumps, tremor and lost frames: what the neighbours of a sample do not foretell.

use glam::DVec3;

use super::{Cycle, DEGREE, JointPeak, STEP_SECS, largest, worst};
use crate::{
    analysis::FoundBy,
    math::{TimeStep, mean, percentile},
};

/// When an error shows: from `least` on, and from `ratio` times the usual step, which counts as `floor` more.
struct Limits {
    least: f64,
    floor: f64,
    ratio: f64,
}

impl Limits {
    fn of(&self, error: f64, usual: f64) -> f64 {
        (error / self.least).min(error / (self.ratio * (usual + self.floor)))
    }
}

/// Limits of a moment and of the mean over the loop, of one kind of motion.
struct Kind {
    moment: Limits,
    mean: Limits,
}

/// Limits of places, metres.
const PLACES: Kind = Kind {
    moment: Limits {
        least: 0.04,
        floor: 0.008,
        ratio: 2.5,
    },
    mean: Limits {
        least: 0.015,
        floor: 0.01,
        ratio: 0.45,
    },
};

/// Limits of rotations, radians.
const TURNS: Kind = Kind {
    moment: Limits {
        least: 15.0 * DEGREE,
        floor: 3.0 * DEGREE,
        ratio: 3.0,
    },
    mean: Limits {
        least: 5.0 * DEGREE,
        floor: 3.0 * DEGREE,
        ratio: 0.55,
    },
};

/// Limits of the root mean square over all joints' places, metres.
const BODY: Limits = Limits {
    least: 0.005,
    floor: 0.003,
    ratio: 0.25,
};

/// The errors of a joint, and its steps to the sample [`STEP_SECS`] later.
struct Track {
    errors: Vec<f64>,
    steps: Vec<f64>,
}

/// Steps of a joint from each sample to one later.
struct Along {
    reach: isize,
    steps: Vec<DVec3>,
}

impl Along {
    /// Returns the step from a sample less the one to it.
    fn change(&self, at: isize) -> DVec3 {
        self.steps[at as usize] - self.steps[(at - self.reach).rem_euclid(self.steps.len() as isize) as usize]
    }
}

impl Track {
    /// Creates the track from the difference of two samples, the second from the first.
    ///
    /// The error is the distance from the cubic through the two samples before and the two after.
    fn new(cycle: &Cycle<'_>, difference: impl Fn(isize, isize) -> DVec3) -> Self {
        let [near, far] = [1, 2].map(|times| Along {
            reach: times * cycle.reach,
            steps: cycle
                .samples()
                .map(|at| difference(at, at + times * cycle.reach))
                .collect(),
        });
        Self {
            errors: cycle
                .samples()
                .map(|at| {
                    // Samples farther apart foretell less.
                    (4.0 * near.change(at) - far.change(at)).length()
                        / 6.0
                        / (cycle.keys.step_secs() / STEP_SECS).max(1.0)
                })
                .collect(),
            steps: near.steps.iter().map(|step| step.length()).collect(),
        }
    }

    /// Returns the median of the four steps next to a sample that do not touch it: a fault there does not excuse itself.
    fn usual(&self, at: isize, reach: isize) -> f64 {
        let mut near =
            [-3, -2, 1, 2].map(|step| self.steps[(at + step * reach).rem_euclid(self.steps.len() as isize) as usize]);
        near.sort_unstable_by(f64::total_cmp);
        0.5 * (near[1] + near[2])
    }

    /// Returns the largest error, and the mean one at the same sample.
    fn peaks(&self, cycle: &Cycle, joint: usize, kind: &Kind) -> [JointPeak; 2] {
        let moments = self.errors.iter().zip(0..);
        let (at, moment) = largest(moments.map(|(&error, at)| kind.moment.of(error, self.usual(at, cycle.reach))));
        let mean = kind
            .mean
            .of(mean(self.errors.iter().copied()), mean(self.steps.iter().copied()));
        [
            cycle.peak(joint, at, moment),
            cycle.peak(joint, largest(self.errors.iter().copied()).0, mean),
        ]
    }
}

/// Returns where a joint leaves its path, and which trembles, by places and rotations.
///
/// A joint that turns for a moment takes all with it that hangs from it, so it is named first. Toes roll off within a frame.
pub(super) fn spike_and_shake(cycle: &Cycle) -> [Option<JointPeak>; 2] {
    let keys = cycle.keys;
    let toes: Vec<usize> = cycle.body.feet.iter().filter_map(|foot| foot.toe).collect();
    let mut squares = vec![[0.0; 2]; keys.num_samples()];
    let (mut moved, mut turned, mut shaken, mut roughest) = (Vec::new(), Vec::new(), Vec::new(), (0, 0.0));
    for &joint in &cycle.joints {
        let places = Track::new(cycle, |from, to| cycle.place(to, joint) - cycle.place(from, joint));
        let turns = Track::new(cycle, |from, to| keys.turn(from, to, joint));
        for (square, (error, step)) in squares.iter_mut().zip(places.errors.iter().zip(&places.steps)) {
            *square = [square[0] + error * error, square[1] + step * step];
        }
        let rough = mean(places.errors.iter().copied());
        if rough > roughest.1 {
            roughest = (joint, rough);
        }
        let [spike, shake] = places.peaks(cycle, joint, &PLACES);
        moved.push(spike);
        shaken.push(shake);
        if !toes.contains(&joint) {
            let [spike, shake] = turns.peaks(cycle, joint, &TURNS);
            turned.push(spike);
            shaken.push(shake);
        }
    }
    let roots = |of: usize| {
        squares
            .iter()
            .map(move |square| (square[of] / cycle.joints.len() as f64).sqrt())
    };
    shaken.push(cycle.peak(roughest.0, largest(roots(0)).0, BODY.of(mean(roots(0)), mean(roots(1)))));
    let (moved, turned) = (worst(moved), worst(turned));
    let spike = match (moved, turned.filter(|turned| turned.ratio > 1.0)) {
        (Some(moved), Some(turned)) => Some(JointPeak {
            ratio: turned.ratio.max(moved.ratio),
            ..turned
        }),
        _ => worst(moved.into_iter().chain(turned)),
    };
    [spike, worst(shaken)]
}

/// A body that moves more slowly than this may stop, metres per second: root mean square over joints.
const MOVES_MPS: f64 = 0.15;

/// Steps are compared with those within this long.
const NEAR_SECS: f64 = 0.1;

/// How far a step may fall short of its neighbours or exceed them, as a share of the mean near it, once and as root mean square.
const UNEVEN: [f64; 2] = [0.8, 0.25];

/// Between keys that are joined by straight lines, rotations keep their rate: the median change of rate within this time is below this
/// share of the mean.
const LINES: f64 = 0.5;
const LINES_SECS: f64 = 0.4;

/// Returns to what degree the rotation rates of all joints change only now and then.
fn lines(cycle: &Cycle) -> f64 {
    let mut squares = vec![0.0; cycle.keys.num_samples()];
    for &joint in &cycle.joints {
        let turns: Vec<DVec3> = (-1..cycle.count).map(|at| cycle.keys.turn(at, at + 1, joint)).collect();
        for (square, pair) in squares.iter_mut().zip(turns.windows(2)) {
            *square += pair[1].distance_squared(pair[0]);
        }
    }
    let changes: Vec<f64> = squares.into_iter().map(f64::sqrt).collect();
    let width = TimeStep::new(cycle.keys.step_secs())
        .nearest(LINES_SECS)
        .clamp(1, changes.len());
    let ratios = (0..changes.len()).step_by(width.div_ceil(2)).map(|from| {
        let near: Vec<f64> = (from..from + width).map(|at| changes[at % changes.len()]).collect();
        let all = mean(near.iter().copied());
        if all > 0.0 {
            percentile::of(near, 0.5) / all
        } else {
            1.0
        }
    });
    LINES / mean(ratios).max(LINES / MOST_LINES)
}

/// The figure for rotations whose rates change only at keys.
const MOST_LINES: f64 = 5.0;

/// Returns where the step of the whole body differs most from those before and after it: a missing frame doubles a step.
pub(super) fn stutter(cycle: &Cycle) -> Option<JointPeak> {
    let (count, secs) = (cycle.keys.num_samples(), cycle.keys.step_secs());
    // Squares of steps, of the means of their neighbours, and the products of the two.
    let mut sums = vec![[0.0; 3]; count];
    for &joint in &cycle.joints {
        let steps: Vec<DVec3> = (-1..=cycle.count)
            .map(|at| cycle.place(at + 1, joint) - cycle.place(at, joint))
            .collect();
        for (sums, three) in sums.iter_mut().zip(steps.windows(3)) {
            let (near, own) = (0.5 * (three[0] + three[2]), three[1]);
            let more = [own.length_squared(), near.length_squared(), own.dot(near)];
            *sums = core::array::from_fn(|of| sums[of] + more[of]);
        }
    }
    let lengths: Vec<f64> = sums.iter().map(|sums| sums[0].sqrt()).collect();
    let reach = TimeStep::new(secs).nearest_from_one(NEAR_SECS).min(count / 2);
    let least = MOVES_MPS * secs * (cycle.joints.len() as f64).sqrt();
    let uneven = sums.iter().enumerate().map(|(at, &[_, near, product])| {
        let usual = mean((0..=2 * reach).map(|by| lengths[(at + count + by - reach) % count]));
        let near = near.sqrt();
        let along = if near > 0.0 { product / near - near } else { lengths[at] };
        if usual > least { along / usual } else { 0.0 }
    });
    let uneven: Vec<f64> = uneven.collect();
    let (at, once) = largest(uneven.iter().copied());
    let always = mean(uneven.iter().map(|along| along * along)).sqrt();
    let straight = match cycle.body.found_by {
        FoundBy::Names | FoundBy::Given => lines(cycle),
        _ => 0.0,
    };
    let ratio = (once / UNEVEN[0]).max(always / UNEVEN[1]).max(straight);
    Some(cycle.peak(cycle.body.hips, at + 1, ratio))
}
