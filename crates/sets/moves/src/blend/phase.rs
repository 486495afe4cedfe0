//! The phase of a gait by the contacts of its feet, and the map from phase to the share of a loop's time.
//!
//! Phase 0 is half through a contact of the left foot and 1/2 half through one of the right, however long each step takes in a loop: a walk stands
//! longer than a run, on both sides of it. The map to shares of
//! time is the trigonometric polynomial of least degree through them. It is periodic and smooth, so motion sampled
//! through it repeats as exactly as the loop. Derivation: docs/math/blend.md.

use loopwright_core::{
    analysis::{Body, ContactLimits, FoundBy, Side},
    loop_clip::LoopClip,
    math::{
        ops::{cos, sin},
        smallest,
    },
    retarget::FollowedFeet,
};

const TAU: f64 = core::f64::consts::TAU;

/// Least slope of a map; with less, a blend nearly stops or rushes.
const LEAST_SLOPE: f64 = 0.1;

/// Number of phases per contact at which the slope of a map is measured: its degree is half the number of contacts.
const SLOPES: usize = 32;

/// Number of steps after which an inverse is as exact as rounding allows; each halves the interval if Newton's step leaves it.
const MOST_STEPS: usize = 60;

/// Why a loop has no phase by the contacts of its feet.
#[error_kinds(Copy, Eq)]
pub enum PhaseError {
    /// The body does not have exactly one left and one right foot.
    #[error("the body does not stand on one left and one right foot")]
    Feet,
    /// A foot never lifts, or never stands.
    #[error("no contacts of both feet")]
    NoContacts,
    /// The feet do not stand in turn.
    #[error("left and right stand {left} and {right} times, and not in turn", left = found[0], right = found[1])]
    NotInTurn {
        /// Contacts of the left and of the right foot.
        found: [usize; 2],
    },
    /// The number of cycles differs from that of the first loop whose feet stand in turn.
    #[error("{found} cycles, where another loop has {expected}")]
    Cycles {
        /// Cycles of this loop and of the first one.
        found: usize,
        expected: usize,
    },
    /// One step takes so much longer than the other that no smooth map fits.
    #[error("one step takes several times as long as the other")]
    Uneven,
}

/// A map from the phase of a gait to the share of its loop's time.
///
/// For a loop of one cycle that starts half through the left foot's contact, share(p) = p + c sin^2(pi p), with c the share half through the
/// right foot's less 1/2.
#[value]
pub struct PhaseMap {
    /// The share at phase 0.
    start: f64,
    /// Deviations of the shares from even ones, without start and phase, at even phases; 0 at the first.
    deviations: Vec<f64>,
}

impl PhaseMap {
    /// Returns the map of one cycle from half through the left foot's contact on, with the right one's at the share 1/2 + `warp`: share(p)
    /// = p + warp sin^2(pi p), which increases for |warp| < 1/pi.
    pub fn warped(warp: f64) -> Self {
        Self {
            start: 0.0,
            deviations: vec![0.0, warp],
        }
    }

    /// Builds the map through the middles of contacts at these shares of a loop's time, each 0 to 1: those of the left foot and those of the
    /// right.
    ///
    /// Phase 0 is the first of the left foot. Errors: [`PhaseError`].
    pub fn through(left: &[f64], right: &[f64]) -> Result<Self, PhaseError> {
        let map = Self::alternating(left, right)?;
        if map.least_slope() >= LEAST_SLOPE {
            Ok(map)
        } else {
            Err(PhaseError::Uneven)
        }
    }

    /// Builds the map as [`Self::through`] does, with as much of their deviations as a smooth map allows.
    pub(super) fn near(left: &[f64], right: &[f64]) -> Result<Self, PhaseError> {
        let mut map = Self::alternating(left, right)?;
        let least = map.least_slope();
        if least < LEAST_SLOPE {
            // The slope is 1 plus a multiple of the deviations.
            let share = (1.0 - LEAST_SLOPE) / (1.0 - least);
            map.deviations.iter_mut().for_each(|deviation| *deviation *= share);
        }
        Ok(map)
    }

    fn alternating(left: &[f64], right: &[f64]) -> Result<Self, PhaseError> {
        let found = [left.len(), right.len()];
        let Some(start) = left.iter().copied().reduce(f64::min).filter(|_| found[1] > 0) else {
            return Err(PhaseError::NoContacts);
        };
        let [mut left, mut right] = [left, right].map(|shares| {
            shares
                .iter()
                .map(|share| (share - start).rem_euclid(1.0))
                .collect::<Vec<_>>()
        });
        left.sort_by(f64::total_cmp);
        right.sort_by(f64::total_cmp);
        let shares: Vec<f64> = left
            .iter()
            .zip(&right)
            .flat_map(|(left, right)| [*left, *right])
            .collect();
        if found[0] != found[1] || !shares.is_sorted_by(|one, next| one < next) {
            return Err(PhaseError::NotInTurn { found });
        }
        let count = shares.len() as f64;
        let deviations = shares
            .iter()
            .enumerate()
            .map(|(index, share)| share - index as f64 / count);
        Ok(Self {
            start,
            deviations: deviations.collect(),
        })
    }

    /// Builds the map of a loop from the contacts of its feet, interpolated between samples. Errors: [`PhaseError`].
    pub fn of_loop(clip: &LoopClip, body: &Body, limits: &ContactLimits) -> Result<Self, PhaseError> {
        let sides = left_and_right(body)?;
        let straight = clip.clone().on_screw();
        let feet = FollowedFeet::of_itself(straight.as_ref().unwrap_or(clip), body, *limits);
        let [left, right] = sides.map(|foot| middles(&feet, foot));
        Self::through(&left, &right)
    }

    /// Returns the share of the loop's time at phase 0.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Returns the number of cycles of the gait in the loop.
    pub fn num_cycles(&self) -> usize {
        self.deviations.len() / 2
    }

    /// Returns the largest deviation of a contact from its even phase, as a share of the loop's time: for a loop of one cycle
    /// the share between the left and the right one, less 1/2.
    pub fn warp(&self) -> f64 {
        self.deviations
            .iter()
            .fold(0.0, |most, next| if next.abs() > most.abs() { *next } else { most })
    }

    /// Returns the share of the loop's time at a phase; both continue beyond 0 to 1.
    pub fn share(&self, phase: f64) -> f64 {
        self.start + phase + self.deviation(phase)
    }

    /// Returns the phase at a share of the loop's time.
    pub fn phase(&self, share: f64) -> f64 {
        inverse(share, share - self.start, |phase| {
            (self.share(phase), self.slope(phase))
        })
    }

    /// Returns the deviation of the share from the phase, without the start.
    pub(super) fn deviation(&self, phase: f64) -> f64 {
        if let [_, half] = self.deviations[..] {
            let sine = sin(0.5 * TAU * phase);
            return half * sine * sine;
        }
        self.sum(phase, |harmonic, angle| {
            if harmonic == 0 {
                1.0
            } else {
                self.multiplicity(harmonic) * cos(angle)
            }
        })
    }

    /// Returns the derivative of the share by the phase.
    pub(super) fn slope(&self, phase: f64) -> f64 {
        if let [_, half] = self.deviations[..] {
            return 1.0 + half * 0.5 * TAU * sin(TAU * phase);
        }
        1.0 + self.sum(phase, |harmonic, angle| {
            -self.multiplicity(harmonic) * TAU * harmonic as f64 * sin(angle)
        })
    }

    /// Returns the multiplicity of a harmonic, from 1 on: two, since it represents the negative one too, but one for the highest of an even
    /// number of contacts.
    fn multiplicity(&self, harmonic: usize) -> f64 {
        if 2 * harmonic == self.deviations.len() {
            1.0
        } else {
            2.0
        }
    }

    /// Averages over the contacts their deviations times the sum of a term over all harmonics of the distance to each.
    fn sum(&self, phase: f64, term: impl Fn(usize, f64) -> f64) -> f64 {
        let count = self.deviations.len();
        self.deviations
            .iter()
            .enumerate()
            .map(|(index, deviation)| {
                let away = phase - index as f64 / count as f64;
                let terms = (0..=count / 2).map(|harmonic| term(harmonic, TAU * harmonic as f64 * away));
                deviation * terms.sum::<f64>()
            })
            .sum::<f64>()
            / count as f64
    }

    fn least_slope(&self) -> f64 {
        let count = SLOPES * self.deviations.len();
        smallest((0..count).map(|index| self.slope(index as f64 / count as f64)))
    }
}

/// Inverts an increasing function that gains 1 per turn: by Newton's method between bounds, from a guess less than 1 away.
pub(super) fn inverse(value: f64, guess: f64, function: impl Fn(f64) -> (f64, f64)) -> f64 {
    let (mut low, mut high) = (guess - 1.0, guess + 1.0);
    let mut at = guess;
    for _ in 0..MOST_STEPS {
        let (here, slope) = function(at);
        let off = here - value;
        if off > 0.0 {
            high = at;
        } else {
            low = at;
        }
        let next = at - off / slope;
        let next = if next > low && next < high {
            next
        } else {
            0.5 * (low + high)
        };
        if (next - at).abs() <= f64::EPSILON {
            return next;
        }
        at = next;
    }
    at
}

/// Returns the shares of a loop's time half through each contact of a foot.
pub(super) fn middles(feet: &FollowedFeet, foot: usize) -> Vec<f64> {
    feet.stances(foot)
        .into_iter()
        .map(|[from, to]| (0.5 * (from + to)).rem_euclid(1.0))
        .collect()
}

/// Returns the left and the right foot of a body that stands on these two.
pub(super) fn left_and_right(body: &Body) -> Result<[usize; 2], PhaseError> {
    let feet = [Side::Left, Side::Right].map(|side| body.feet.iter().position(|foot| foot.side == Some(side)));
    match feet {
        [Some(left), Some(right)] if body.feet.len() == 2 && body.found_by != FoundBy::AllLeaves => Ok([left, right]),
        _ => Err(PhaseError::Feet),
    }
}
