//! Whether loops belong together: one skeleton, rate and phase, periods that blend, and speeds that are what they are stated to be.
//!
//! Each loop is compared with what most of them have. docs/checks.md says what each check means, its limits and what helps.

use glam::DVec3;
use loopwright_core::analysis::Body;
use loopwright_core::math::{Twist, ops};
use loopwright_core::motion::SkeletonDifference;
use loopwright_core::{BodyOverrides, LoopClip, Skeleton, Take, feet};
use loopwright_formats::loop_file::facts::CheckFacts;
use loopwright_formats::{LoopInFile, Sidecar};
use loopwright_moves::blend::{PhaseError, PhaseMap};

use loopwright_job::CheckError;
use loopwright_job::verdict::{self, Limits};

/// What is checked of loops together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum SetCheckId {
    /// Its skeleton is that of the others.
    Skeleton,
    /// So is its frame rate.
    Rate,
    /// It starts at their phase.
    Phase,
    /// It holds as many cycles, of about their length.
    Duration,
    /// Its keys go as far as its facts say, or its feet where it is in place.
    Speed,
}

loopwright_core::words!(SetCheckId {
    Skeleton: "set-skeleton",
    Rate: "set-rate",
    Phase: "set-phase",
    Duration: "set-duration",
    Speed: "set-speed",
});

impl SetCheckId {
    /// What to try where it fails.
    pub fn cure(self) -> &'static str {
        match self {
            Self::Skeleton => "`loopwright retarget` or --rig, which put all onto one character",
            Self::Rate => "`loopwright make --fps` with one rate for all",
            Self::Phase => "`loopwright make --start-at left-contact` for all",
            Self::Duration => {
                "`loopwright make --cycles` with one number for all, or another loop from `loopwright find`"
            }
            Self::Speed => "the sidecar that belongs to the loop, or `loopwright make --set output.root-speed=feet`",
        }
    }

    fn unit(self) -> &'static str {
        match self {
            Self::Rate | Self::Phase | Self::Speed => "%",
            Self::Skeleton | Self::Duration => "",
        }
    }
}

/// Largest difference of frame rates that are one, percent: files round frame times.
const SAME_RATE: f64 = 0.01;

/// How far the start of a loop may be from the phase of the others, percent of a cycle, to be good and not to be bad, ...
const PHASE: [f64; 2] = [2.5, 5.0];

/// ... or as many of its frames, if that is more: where a loop starts is a whole frame.
const PHASE_FRAMES: [f64; 2] = [1.0, 2.0];

/// How many times as long or as short as the median a loop may be: a walk and a sprint are 1.6 apart.
const DURATION: [f64; 2] = [1.8, 2.5];

/// How much the speed that is shown may differ from that stated, percent of the larger.
const SPEED: [f64; 2] = [5.0, 15.0];

/// Slower loops show no speed, metres per second.
const SHOWS_MPS: f64 = 0.3;

/// What one loop brings to others.
#[derive(Clone, Debug)]
pub struct LoopOfSet {
    skeleton: Skeleton,
    step_secs: f64,
    period_secs: f64,
    num_samples: usize,
    cycles: Option<usize>,
    map: Result<PhaseMap, PhaseError>,
    stated_mps: f64,
    shown_mps: Option<f64>,
}

impl LoopOfSet {
    /// A loop from its keys without an added root joint and from its sidecar, if there is one. Errors: [`CheckError`].
    pub fn new(written: &Take, sidecar: Option<&Sidecar>, overrides: &BodyOverrides) -> Result<Self, CheckError> {
        let body = Body::find(written, overrides)?;
        let in_file = match sidecar {
            Some(sidecar) => LoopInFile::from_sidecar(sidecar, written)?,
            None => LoopInFile::recognised(written, &body)?,
        };
        let clip: LoopClip = in_file.clip(written)?;
        let map = PhaseMap::of_loop(&clip, &body, &overrides.contacts);
        let over_ground = |way: DVec3| ops::hypot(way.x, way.z);
        let (stated_mps, shown_mps) = if in_file.layout.in_place {
            // Feet that do not touch down in turn carry the body nowhere: they kick, or spin.
            let steps = |twist: &Twist| {
                let carried = clip.clone().with_twist(*twist);
                PhaseMap::of_loop(&carried, &body, &overrides.contacts).is_ok()
            };
            let by_feet = feet::speed_by_feet(&clip, &body, &overrides.contacts).map(|speed| speed.twist);
            let shown = by_feet.filter(steps).map(|twist| over_ground(twist.linear));
            (over_ground(clip.root().twist.linear), shown)
        } else {
            // What keys show is how far they go: seen from any root, feet move as that root says.
            let hips = |key: usize| written.pose(key).world(written.skeleton()).translations[body.hips];
            let last = clip.num_samples().min(written.num_frames() - 1);
            let (root, secs) = (in_file.layout.shown(clip.root()), last as f64 * clip.step_secs());
            let moved = (root.at(secs) * root.at(0.0).inverse()).transform_point(hips(0));
            let speed = |to: DVec3| over_ground(to - hips(0)) / secs;
            (speed(moved), Some(speed(hips(last))))
        };
        Ok(Self {
            map,
            shown_mps,
            stated_mps,
            skeleton: written.skeleton().clone(),
            step_secs: clip.step_secs(),
            period_secs: clip.period_secs(),
            num_samples: clip.num_samples(),
            cycles: sidecar.map(|sidecar| sidecar.candidate.cycles),
        })
    }

    /// Where in its cycle the loop starts, 0 to 1; 0 where the left foot touches down.
    fn start(&self) -> Option<f64> {
        let map = self.map.as_ref().ok()?;
        Some((map.phase(0.0) * map.num_cycles() as f64).rem_euclid(1.0))
    }

    /// How many cycles it holds, where that is known of a gait.
    fn num_cycles(&self) -> Option<usize> {
        let map = self.map.as_ref().ok()?;
        Some(self.cycles.unwrap_or_else(|| map.num_cycles()))
    }
}

/// The checks of each loop together with the others, in their order. Without touch-downs a loop has no phase, and lasts as long as it
/// likes.
pub fn check_together(loops: &[LoopOfSet]) -> Vec<Vec<CheckFacts>> {
    let common = Common::of(loops);
    let ids = || SetCheckId::ALL.into_iter();
    let checks = loops.iter().map(|own| ids().zip(common.compare(own)));
    checks
        .map(|checks| {
            checks
                .map(|(id, check)| check.unwrap_or_else(|| unmeasured(id)))
                .collect()
        })
        .collect()
}

/// What most loops have.
struct Common<'a> {
    skeleton: Option<&'a Skeleton>,
    step_secs: Option<f64>,
    cycles: Option<usize>,
    /// Where in their cycle they start, 0 to 1.
    start: Option<f64>,
    period_secs: Option<f64>,
}

/// By how much frame times differ, percent.
fn rates_apart(one_secs: f64, other_secs: f64) -> f64 {
    100.0 * (one_secs / other_secs - 1.0).abs()
}

/// By how much starts differ, percent of a cycle.
fn starts_apart(one: f64, other: f64) -> f64 {
    let apart = (one - other).rem_euclid(1.0);
    100.0 * apart.min(1.0 - apart)
}

impl<'a> Common<'a> {
    fn of(loops: &'a [LoopOfSet]) -> Self {
        let most_common = |alike: &dyn Fn(&LoopOfSet, &LoopOfSet) -> bool| -> Option<&LoopOfSet> {
            let votes = |one: &&LoopOfSet| loops.iter().filter(|other| alike(one, other)).count();
            // The first of those that have as many.
            loops.iter().rev().max_by_key(votes)
        };
        let skeleton = most_common(&|one, other| SkeletonDifference::between(&one.skeleton, &other.skeleton).is_none());
        let rate = most_common(&|one, other| rates_apart(one.step_secs, other.step_secs) <= SAME_RATE);
        let cycles = most_common(&|one, other| one.num_cycles().is_some() && one.num_cycles() == other.num_cycles());
        let starts: Vec<f64> = loops.iter().filter_map(LoopOfSet::start).collect();
        let total_apart = |start: &f64| starts.iter().map(|other| starts_apart(*start, *other)).sum::<f64>();
        let start = starts
            .iter()
            .min_by(|one, other| total_apart(one).total_cmp(&total_apart(other)));
        let gaits = loops.iter().filter(|of| of.map.is_ok());
        let mut periods: Vec<f64> = gaits.map(|of| of.period_secs).collect();
        periods.sort_by(f64::total_cmp);
        Self {
            skeleton: skeleton.map(|most| &most.skeleton),
            step_secs: rate.map(|most| most.step_secs),
            cycles: cycles.and_then(LoopOfSet::num_cycles),
            start: start.copied(),
            period_secs: periods.get(periods.len() / 2).copied(),
        }
    }

    /// The checks of one loop in the order of [`SetCheckId::ALL`]; `None` for what cannot be measured.
    fn compare(&self, own: &LoopOfSet) -> [Option<CheckFacts>; 5] {
        let rate = self.step_secs.map(|most| {
            let apart = rates_apart(own.step_secs, most);
            graded(SetCheckId::Rate, apart, [SAME_RATE; 2])
        });
        let phase = own.start().zip(self.start).map(|(own_start, start)| {
            let cycles = own.num_cycles().unwrap_or(1);
            let frame = 100.0 * cycles as f64 / own.num_samples as f64;
            let limits = [0, 1].map(|end| PHASE[end].max(PHASE_FRAMES[end] * frame));
            graded(SetCheckId::Phase, starts_apart(own_start, start), limits)
        });
        let fastest = own.stated_mps.max(own.shown_mps.unwrap_or(0.0));
        let speed = (own.shown_mps).filter(|_| fastest > SHOWS_MPS).map(|shown| {
            let apart = 100.0 * (own.stated_mps - shown).abs() / fastest;
            graded(SetCheckId::Speed, apart, SPEED)
        });
        [self.skeleton(own), rate, phase, self.duration(own), speed]
    }

    fn skeleton(&self, own: &LoopOfSet) -> Option<CheckFacts> {
        let difference = SkeletonDifference::between(self.skeleton?, &own.skeleton);
        let joint = match &difference {
            Some(SkeletonDifference::Name { found: name, .. } | SkeletonDifference::Parent { name, .. }) => {
                Some(name.clone())
            }
            _ => None,
        };
        let differs = if difference.is_some() { 1.0 } else { 0.0 };
        Some(CheckFacts {
            joint,
            ..graded(SetCheckId::Skeleton, differs, [0.0; 2])
        })
    }

    fn duration(&self, own: &LoopOfSet) -> Option<CheckFacts> {
        let (found, expected, period_secs) = (own.num_cycles()?, self.cycles?, self.period_secs?);
        let ratio = |one: f64, other: f64| (one / other).max(other / one);
        Some(if found == expected {
            graded(SetCheckId::Duration, ratio(own.period_secs, period_secs), DURATION)
        } else {
            // However short they are, these are not the same steps.
            graded(SetCheckId::Duration, ratio(found as f64, expected as f64), [1.0; 2])
        })
    }
}

fn unmeasured(id: SetCheckId) -> CheckFacts {
    verdict::unmeasured_as(id.as_str(), id.unit())
}

fn graded(id: SetCheckId, value: f64, [review, bad]: [f64; 2]) -> CheckFacts {
    Limits::of(review, bad).graded(value, unmeasured(id))
}
