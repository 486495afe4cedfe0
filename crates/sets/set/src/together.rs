//! Checks whether loops fit together: one skeleton, rate and phase, periods that can be blended, and speeds as stated.
//!
//! Each loop is compared with the majority. docs/checks.md says what each check means, its limits, and the remedy.

use glam::DVec3;
use loopwright_core::{
    BodyOverrides, LoopClip, RootMotion, Skeleton, Take,
    analysis::Body,
    feet,
    math::{ops, ordered},
    motion::SkeletonDifference,
};
use loopwright_formats::{
    LoopInFile, Sidecar,
    loop_file::facts::{CheckFacts, Unmeasured},
};
use loopwright_moves::blend::{PhaseError, PhaseMap};

use loopwright_job::{
    CheckError,
    checks::{CheckRow, Limits, LimitsFrom, not_passed},
};

/// How a check of a loop is measured against the majority; `None` if it does not apply.
type Measure = fn(&CheckRow, &LoopOfSet, &Most<'_>) -> Option<CheckFacts>;

loopwright_job::checks! {
    /// The checks of several loops together.
    pub enum SetCheckId: Measure {
        /// It has the skeleton of the others.
        Skeleton = SKELETON,
        /// Its root joint is theirs, and moves as the loop does.
        Root = ROOT,
        /// It has their frame rate.
        Rate = RATE,
        /// It starts at their phase.
        Phase = PHASE,
        /// It has as many cycles, of similar duration.
        Duration = DURATION,
        /// Its keys travel as far as its facts say, or its feet if it is in place.
        Speed = SPEED,
    }
}

/// Largest deviation of a root joint from the path of its loop within a minute, metres.
const STRAYS_METRES: f64 = 1e-3;

/// Largest difference between equal frame rates, percent: files round frame times.
const SAME_RATE: f64 = 0.01;

/// Largest distance of a loop's start from the phase of the others, percent of a cycle, ...
const PHASE_LIMITS: Limits = Limits::new(2.5, 5.0);

/// ... or in frames, if that is more: a loop starts at a whole frame.
const PHASE_FRAMES: Limits = Limits::new(1.0, 2.0);

/// Slower loops do not show their speed, metres per second.
const SHOWS_MPS: f64 = 0.3;

loopwright_job::check_rows! {
    of Measure;

    SKELETON {
        id: "set-skeleton",
        measures: "whether names or parents of joints differ",
        unit: "",
        limits: LimitsFrom::fixed(0.0, 0.0),
        cure: "`loopwright retarget` or --rig, which put all onto one character",
        reason: not_passed,
        measure: |row, own, most| {
            let difference = SkeletonDifference::between(&most.skeleton?.skeleton, &own.skeleton);
            let differs = difference.is_some();
            Some(CheckFacts {
                joint: match difference {
                    Some(SkeletonDifference::Name { found: name, .. } | SkeletonDifference::Parent { name, .. }) => {
                        Some(name)
                    }
                    _ => None,
                },
                ..row.answered(differs)
            })
        },
    }

    ROOT {
        id: "set-root",
        measures: "whether the root joint is missing, another one, or a millimetre off the loop's way after a minute",
        unit: "",
        limits: LimitsFrom::fixed(0.0, 0.0),
        cure: "`loopwright make --add-root` for all",
        reason: not_passed,
        measure: |row, own, most| {
            let expected = &most.root?.root_joint;
            let is_wrong = own.root_joint != *expected || own.root_strays_metres > STRAYS_METRES;
            let joint = own.root_joint.as_ref().or(expected.as_ref());
            Some(CheckFacts {
                joint: joint.filter(|_| is_wrong).cloned(),
                ..row.answered(is_wrong)
            })
        },
    }

    RATE {
        id: "set-rate",
        measures: "difference of the frame rate",
        unit: "%",
        limits: LimitsFrom::fixed(SAME_RATE, SAME_RATE),
        cure: "`loopwright make --fps` with one rate for all",
        reason: not_passed,
        measure: |row, own, most| Some(row.graded(rates_apart(own, most.rate?), 1.0)),
    }

    PHASE {
        id: "set-phase",
        measures: "how far the start is from the phase of the others, of a cycle; one frame is good and two are not bad",
        unit: "%",
        limits: LimitsFrom::Row(PHASE_LIMITS),
        cure: "`loopwright make --set output.start-at=passing` for all",
        reason: not_passed,
        measure: |row, own, most| {
            let (own_start, start) = own.start().zip(most.start)?;
            let cycles = own.num_cycles().unwrap_or(1);
            let frame = 100.0 * cycles as f64 / own.num_samples as f64;
            let limits = PHASE_LIMITS.or_wider(PHASE_FRAMES.scaled(frame));
            Some(row.graded_by(limits, phases_apart(own_start, start)))
        },
    }

    DURATION {
        id: "set-duration",
        measures: "how many times as long or short as the median; another number of cycles is bad",
        unit: "",
        // A walk and a sprint differ by a factor of 1.6.
        limits: LimitsFrom::fixed(1.8, 2.5),
        cure: "`loopwright make --cycles` with one number for all, or another loop from `loopwright find`",
        reason: not_passed,
        measure: |row, own, most| {
            let (found, expected) = own.num_cycles().zip(most.cycles)?;
            let period_secs = most.period_secs?;
            Some(if found == expected {
                row.graded(ratio(own.period_secs, period_secs), 1.0)
            } else {
                // Different numbers of steps are reported, however short the loops are.
                row.graded_by(Limits::new(1.0, 1.0), ratio(found as f64, expected as f64))
            })
        },
    }

    SPEED {
        id: "set-speed",
        measures: "difference of the stated speed from that of the keys, or of the feet where they stay in place",
        unit: "%",
        limits: LimitsFrom::fixed(5.0, 15.0),
        cure: "the sidecar that belongs to the loop, or `loopwright make --set output.root-speed=feet`",
        reason: not_passed,
        measure: |row, own, _| {
            let fastest = own.stated_mps.max(own.shown_mps.unwrap_or(0.0));
            let shown = own.shown_mps.filter(|_| fastest > SHOWS_MPS)?;
            Some(row.graded(100.0 * (own.stated_mps - shown).abs() / fastest, 1.0))
        },
    }
}

/// The figures of a loop that are compared with other loops.
#[derive(Clone, Debug)]
pub struct LoopOfSet {
    skeleton: Skeleton,
    /// The joint that carries the root motion and nothing else.
    root_joint: Option<String>,
    /// Deviation of the rig's own root joint from the root motion after a minute.
    root_strays_metres: f64,
    step_secs: f64,
    period_secs: f64,
    num_samples: usize,
    cycles: Option<usize>,
    map: Result<PhaseMap, PhaseError>,
    stated_mps: f64,
    shown_mps: Option<f64>,
}

impl LoopOfSet {
    /// Measures a loop from its keys, without an added root joint, and from its sidecar, if there is one. Errors:
    /// [`CheckError`].
    pub fn new(written: &Take, sidecar: Option<&Sidecar>, overrides: &BodyOverrides) -> Result<Self, CheckError> {
        let body = Body::find(written, overrides)?;
        let in_file = match sidecar {
            Some(sidecar) => LoopInFile::from_sidecar(sidecar, written)?,
            None => LoopInFile::recognised(written, &body)?,
        };
        let clip: LoopClip = in_file.clip(written)?;
        let map = PhaseMap::of_loop(&clip, &body, &overrides.contacts);
        let shown = in_file.layout.shown(clip.root());
        let (stated_mps, shown_mps) = if in_file.layout.in_place {
            // Feet that do not stand in turn do not carry the body: they kick, or spin.
            let by_feet = feet::speed_by_feet(&clip, &body, &overrides.contacts)
                .map(|speed| speed.twist)
                .filter(|twist| {
                    let carried = clip.clone().with_twist(*twist);
                    PhaseMap::of_loop(&carried, &body, &overrides.contacts).is_ok()
                })
                .map(|twist| ops::over_ground(twist.linear));
            (ops::over_ground(clip.root().twist.linear), by_feet)
        } else {
            // Only keys show the distance; relative to a moving root, the feet would merely repeat that root's motion.
            let last = clip.num_samples().min(written.num_frames() - 1);
            let secs = last as f64 * clip.step_secs();
            let [first, to, moved] = moved(written, body.hips, (last, secs), &shown);
            let [stated, shown] = [moved, to].map(|to| ops::over_ground(to - first) / secs);
            (stated, Some(shown))
        };
        let root_joint = sidecar.and_then(|sidecar| sidecar.playback.root_joint.clone());
        // An added root joint, folded away here, would differ by the offset of the hips.
        let of_rig = root_joint.as_ref().and_then(|name| written.skeleton().find(name));
        Ok(Self {
            root_strays_metres: of_rig.map_or(0.0, |joint| strays_in_a_minute(written, joint, &shown)),
            root_joint,
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

    /// Returns the phase at which the loop starts, 0 to 1; 0 is half through the left foot's contact.
    fn start(&self) -> Option<f64> {
        let map = self.map.as_ref().ok()?;
        Some((map.phase(0.0) * map.num_cycles() as f64).rem_euclid(1.0))
    }

    /// Returns its number of cycles, if it has a known gait.
    fn num_cycles(&self) -> Option<usize> {
        let map = self.map.as_ref().ok()?;
        Some(self.cycles.unwrap_or_else(|| map.num_cycles()))
    }
}

/// Returns the positions of a joint at the first key and at another, at a time, and the one to which a root motion moves the first by then.
fn moved(written: &Take, joint: usize, (key, secs): (usize, f64), root: &RootMotion) -> [DVec3; 3] {
    let [first, to] = [0, key].map(|key| written.pose(key).world(written.skeleton()).translations[joint]);
    [
        first,
        to,
        (root.at(secs) * root.at(0.0).inverse()).transform_point(first),
    ]
}

/// Extrapolates how far a joint deviates from a root motion after a minute from its deviation at the last key of a take, metres.
fn strays_in_a_minute(written: &Take, joint: usize, root: &RootMotion) -> f64 {
    let last = written.num_frames() - 1;
    let secs = last as f64 * written.frame_time_secs();
    let [_, to, moved] = moved(written, joint, (last, secs), root);
    if secs > 0.0 {
        to.distance(moved) * 60.0 / secs
    } else {
        0.0
    }
}

/// The figures of the majority of several loops.
struct Most<'a> {
    skeleton: Option<&'a LoopOfSet>,
    root: Option<&'a LoopOfSet>,
    rate: Option<&'a LoopOfSet>,
    cycles: Option<usize>,
    /// The phase at which they start, 0 to 1.
    start: Option<f64>,
    /// The median of the periods of gaits.
    period_secs: Option<f64>,
}

impl<'a> Most<'a> {
    fn among(loops: &'a [LoopOfSet]) -> Self {
        let starts: Vec<f64> = loops.iter().filter_map(LoopOfSet::start).collect();
        let total_away = |start: &f64| starts.iter().map(|other| phases_apart(*start, *other)).sum::<f64>();
        let mut periods: Vec<f64> = loops
            .iter()
            .filter(|of| of.map.is_ok())
            .map(|of| of.period_secs)
            .collect();
        periods.sort_by(f64::total_cmp);
        Self {
            skeleton: most_common(loops, |one, other| {
                SkeletonDifference::between(&one.skeleton, &other.skeleton).is_none()
            }),
            root: most_common(loops, |one, other| one.root_joint == other.root_joint),
            rate: most_common(loops, |one, other| rates_apart(one, other) <= SAME_RATE),
            cycles: most_common(loops, |one, other| {
                one.num_cycles().is_some() && one.num_cycles() == other.num_cycles()
            })
            .and_then(LoopOfSet::num_cycles),
            start: starts.iter().min_by_key(|start| ordered(total_away(start))).copied(),
            period_secs: periods.get(periods.len() / 2).copied(),
        }
    }
}

/// Returns the loop that resembles most others, the first of a tie.
fn most_common(loops: &[LoopOfSet], alike: impl Fn(&LoopOfSet, &LoopOfSet) -> bool) -> Option<&LoopOfSet> {
    loops
        .iter()
        .rev()
        .max_by_key(|one| loops.iter().filter(|other| alike(one, other)).count())
}

/// Returns the difference of two frame rates, percent.
fn rates_apart(one: &LoopOfSet, other: &LoopOfSet) -> f64 {
    100.0 * (one.step_secs / other.step_secs - 1.0).abs()
}

/// Returns the difference of two phases, percent of a cycle.
fn phases_apart(one: f64, other: f64) -> f64 {
    let apart = (one - other).rem_euclid(1.0);
    100.0 * apart.min(1.0 - apart)
}

/// Returns the ratio of the larger of two numbers to the smaller.
fn ratio(one: f64, other: f64) -> f64 {
    (one / other).max(other / one)
}

/// Returns the checks of each loop against the others, in their order. A loop without contacts in turn has no phase, and may have any
/// duration.
pub fn check_together(loops: &[LoopOfSet]) -> Vec<Vec<CheckFacts>> {
    let most = Most::among(loops);
    loops
        .iter()
        .map(|own| {
            SetCheckId::ALL
                .into_iter()
                .map(SetCheckId::check)
                .map(|check| {
                    (check.measure)(&check.row, own, &most)
                        .unwrap_or_else(|| check.row.unmeasured(Unmeasured::NotApplicable))
                })
                .collect()
        })
        .collect()
}
