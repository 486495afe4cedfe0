//! Answers as JSON with stable keys.

use loopwright::{
    analysis::{energy::Activity, screen::SoilKind, segments::Segment},
    candidate::{MissReason, NearestMiss, SearchSettings},
    math::ops,
    motion::RootMotion,
    root_motion::{RootMode, RootSpace},
};
use loopwright_formats::sidecar::{CandidateFacts, QualityFacts, RootFacts, Sidecar, TakeFacts};
use serde::Serialize;

use super::facts;
use crate::{
    commands::find::Hunt,
    exit::Failure,
    limits::{Exceeded, Limits},
    load::Loaded,
};

/// Pretty JSON with a final line end.
pub(super) fn text<T: Serialize>(value: &T) -> String {
    // Structs of numbers and strings always serialise; an empty object would say nothing wrong.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_else(|_| "{}".to_owned());
    text.push('\n');
    text
}

#[derive(Serialize)]
struct FoundLoop {
    rank: usize,
    candidate: CandidateFacts,
    root: RootFacts,
    /// Likeness of the frames around with themselves one period on.
    strength: Option<f64>,
    /// Autocorrelation of the whole take at the period.
    take_strength: Option<f64>,
    idle: bool,
}

#[derive(Serialize)]
struct Miss {
    start_frame: usize,
    end_frame: usize,
    period_secs: f64,
    reason: &'static str,
    found: Option<f64>,
}

impl Miss {
    fn of(miss: &NearestMiss) -> Self {
        let (reason, found) = match miss.reason {
            MissReason::CostRatio { found } => ("cost_ratio", Some(found)),
            MissReason::Strength { found } => ("strength", Some(found)),
            MissReason::NoRhythm { found } => ("no_rhythm", Some(found)),
            MissReason::SeenOnce => ("seen_once", None),
            MissReason::Travel { found } => ("travel", Some(ops::hypot(found.linear.x, found.linear.z))),
            MissReason::Cycles { found } => ("cycles", Some(f64::from(found))),
        };
        Miss {
            start_frame: miss.pair.start_frame,
            end_frame: miss.pair.end_frame,
            period_secs: miss.period_secs,
            reason,
            found,
        }
    }
}

/// A segment and the place of its loop in the list.
#[derive(Serialize)]
struct SegmentLoop {
    #[serde(flatten)]
    segment: SegmentFacts,
    /// Rank of its loop; null where it has none.
    rank: Option<usize>,
    /// What came nearest, where it has none.
    nearest_miss: Option<Miss>,
}

/// How often the take repeats.
#[derive(Serialize)]
struct RhythmFacts {
    period_secs: f64,
    confidence: f64,
    /// Likeness of the take with itself after one cycle, two, three and so on.
    multiples: Vec<f64>,
}

#[derive(Serialize)]
struct FindAnswer<'a> {
    take: TakeFacts,
    random_cost: Option<f64>,
    candidates: Vec<FoundLoop>,
    nearest_miss: Option<Miss>,
    /// Null where nothing that moves repeats, and in a search by segments.
    rhythm: Option<RhythmFacts>,
    /// Null unless the search went by segments.
    segments: Option<Vec<SegmentLoop>>,
    /// Why nothing was found; null where something was.
    refusal: Option<Refusal<'a>>,
    warnings: &'a [String],
}

/// Why there is no answer, in the words of stderr.
#[derive(Serialize)]
struct Refusal<'a> {
    what: &'a str,
    because: &'a [String],
    #[serde(rename = "try")]
    hint: Option<&'a str>,
}

impl<'a> Refusal<'a> {
    fn of(failure: &'a Failure) -> Self {
        Self {
            what: failure.what(),
            because: failure.details(),
            hint: failure.hint(),
        }
    }
}

#[derive(Serialize)]
struct RefusedAnswer<'a> {
    take: TakeFacts,
    refusal: Refusal<'a>,
    warnings: &'a [String],
}

/// The answer of `make` and `close` where there is no loop to make.
pub(crate) fn refused(loaded: &Loaded, failure: &Failure) -> String {
    text(&RefusedAnswer {
        take: loaded.facts(),
        refusal: Refusal::of(failure),
        warnings: &loaded.warnings,
    })
}

/// The answer of `find`.
pub(crate) fn find(
    loaded: &Loaded,
    hunt: &Hunt,
    settings: &SearchSettings,
    failure: Option<&Failure>,
    warnings: &[String],
) -> String {
    let found = &hunt.found;
    let candidates = found
        .candidates
        .iter()
        .enumerate()
        .map(|(index, candidate)| FoundLoop {
            rank: index + 1,
            candidate: facts::candidate(candidate, candidate.source_period_secs),
            root: facts::root(
                &RootMotion {
                    start: candidate.root_start,
                    twist: candidate.twist,
                },
                RootMode::Screw,
                RootSpace::Ground,
            ),
            strength: candidate.strength,
            take_strength: candidate.take_strength,
            idle: candidate.is_idle,
        })
        .collect();
    let nearest_miss = found.nearest_miss.as_ref().map(Miss::of);
    let mut ranks = 1..;
    let segments = hunt.segments.as_ref().map(|segments| {
        let facts = segments.iter().map(|loops| SegmentLoop {
            segment: SegmentFacts::from(&loops.segment),
            rank: loops.best.as_ref().ok().and_then(|_| ranks.next()),
            nearest_miss: loops.best.as_ref().err().and_then(|miss| miss.as_ref().map(Miss::of)),
        });
        facts.collect()
    });
    let rhythm = (hunt.segments.is_none())
        .then(|| found.rhythm(&loaded.analysis, settings))
        .flatten()
        .map(|rhythm| RhythmFacts {
            period_secs: rhythm.period_secs,
            confidence: rhythm.confidence,
            multiples: rhythm.multiples,
        });
    text(&FindAnswer {
        take: loaded.facts(),
        random_cost: found.random_cost,
        candidates,
        nearest_miss,
        rhythm,
        segments,
        refusal: failure.map(Refusal::of),
        warnings,
    })
}

#[derive(Serialize)]
struct NamedJoint<'a> {
    name: &'a str,
    parent: Option<&'a str>,
}

#[derive(Serialize)]
struct NamedWeight<'a> {
    joint: &'a str,
    weight: f64,
}

#[derive(Serialize)]
struct Soiled {
    frame: usize,
    kind: &'static str,
}

#[derive(Serialize)]
struct Flipping<'a> {
    joint: &'a str,
    count: usize,
    largest_deg: f64,
}

#[derive(Serialize)]
struct Peak {
    period_secs: f64,
    strength: f64,
    prominence: f64,
}

#[derive(Serialize)]
struct StretchFacts {
    activity: &'static str,
    start_frame: usize,
    end_frame: usize,
}

/// A run of frames in which the body gets along in one way.
#[derive(Serialize)]
struct SegmentFacts {
    gait: &'static str,
    start_frame: usize,
    end_frame: usize,
}

impl From<&Segment> for SegmentFacts {
    fn from(segment: &Segment) -> Self {
        Self {
            gait: segment.gait.name(),
            start_frame: segment.start_frame,
            end_frame: segment.end_frame,
        }
    }
}

#[derive(Serialize)]
struct InspectAnswer<'a> {
    take: TakeFacts,
    duration_secs: f64,
    stature_m: Option<f64>,
    skeleton: Vec<NamedJoint<'a>>,
    hips: &'a str,
    feet: Vec<&'a str>,
    feet_found_by: &'static str,
    weights: Vec<NamedWeight<'a>>,
    soiled_frames: Vec<Soiled>,
    flipping_joints: Vec<Flipping<'a>>,
    rhythm: Vec<Peak>,
    pace_mps: f64,
    stretches: Vec<StretchFacts>,
    segments: Vec<SegmentFacts>,
    contacts: Vec<Stands<'a>>,
    warnings: &'a [String],
}

/// A span of frames in which a foot stands.
#[derive(Serialize)]
struct Stands<'a> {
    joint: &'a str,
    start_frame: usize,
    end_frame: usize,
}

/// The answer of `inspect`.
pub(crate) fn inspect(loaded: &Loaded) -> String {
    let (take, analysis) = (loaded.take(), &loaded.analysis);
    let name = |joint: usize| take.skeleton().joint(joint).name.as_str();
    let joints = take.skeleton().joints();
    text(&InspectAnswer {
        take: loaded.facts(),
        duration_secs: take.duration_secs(),
        stature_m: analysis.body.stature(take),
        skeleton: joints
            .iter()
            .map(|joint| NamedJoint {
                name: &joint.name,
                parent: joint.parent.map(name),
            })
            .collect(),
        hips: name(analysis.body.hips),
        feet: analysis.body.feet.iter().map(|foot| name(foot.ankle)).collect(),
        feet_found_by: super::human::found_by(analysis.body.found_by),
        weights: analysis
            .joints
            .iter()
            .map(|weighted| NamedWeight {
                joint: name(weighted.joint),
                weight: weighted.weight,
            })
            .collect(),
        soiled_frames: analysis
            .screen
            .soiled
            .iter()
            .map(|soiled| Soiled {
                frame: soiled.frame,
                kind: match soiled.kind {
                    SoilKind::Jump => "jump",
                    SoilKind::Frozen => "frozen",
                },
            })
            .collect(),
        flipping_joints: analysis
            .screen
            .flipping
            .iter()
            .map(|flipping| Flipping {
                joint: name(flipping.joint),
                count: flipping.count,
                largest_deg: flipping.largest.to_degrees(),
            })
            .collect(),
        rhythm: super::human::rhythm(loaded)
            .into_iter()
            .map(|peak| Peak {
                period_secs: peak.lag_frames * take.frame_time_secs(),
                strength: peak.height,
                prominence: peak.prominence,
            })
            .collect(),
        pace_mps: analysis.energy.pace(),
        stretches: analysis
            .energy
            .stretches()
            .into_iter()
            .map(|stretch| StretchFacts {
                activity: activity_name(stretch.activity),
                start_frame: stretch.start_frame,
                end_frame: stretch.end_frame,
            })
            .collect(),
        segments: analysis.segments.iter().map(SegmentFacts::from).collect(),
        contacts: (analysis.contacts.spans().iter())
            .map(|contact| Stands {
                joint: name(analysis.body.feet[contact.foot].lowest_joint()),
                start_frame: contact.start_frame,
                end_frame: contact.end_frame,
            })
            .collect(),
        warnings: &loaded.warnings,
    })
}

/// The name of an activity.
fn activity_name(activity: Activity) -> &'static str {
    match activity {
        Activity::Moving => "moving",
        Activity::Transition => "transition",
        Activity::Idle => "idle",
    }
}

/// The answer of `make`: what the sidecar holds.
pub(crate) fn make(sidecar: &Sidecar) -> String {
    text(sidecar)
}

/// The verdict on one loop.
#[derive(Serialize)]
pub(crate) struct Verdict {
    /// The loop's file.
    pub(crate) file: String,
    /// The animation, where the file holds several loops.
    pub(crate) animation: Option<String>,
    /// "loops", "pops", "fails" (a limit is exceeded, though nothing pops) or "error".
    pub(crate) verdict: &'static str,
    /// Limits that the loop exceeds; none where it loops.
    pub(crate) failed: Vec<Exceeded>,
    /// The loop as a take; null where it cannot be read.
    pub(crate) take: Option<TakeFacts>,
    /// What the sidecar says of the stretch; null without one.
    pub(crate) candidate: Option<CandidateFacts>,
    /// The travel; null where the file cannot be read.
    pub(crate) root: Option<RootFacts>,
    /// The figures; null where the file cannot be read.
    pub(crate) quality: Option<QualityFacts>,
    /// Why it pops or cannot be checked, and what was assumed.
    pub(crate) warnings: Vec<String>,
}

impl Verdict {
    /// The file, and the animation in it where that is not the only loop.
    pub(crate) fn title(&self) -> String {
        match &self.animation {
            Some(animation) => format!("{} ({animation})", self.file),
            None => self.file.clone(),
        }
    }
}

#[derive(Serialize)]
struct CheckAnswer<'a> {
    loops: &'a [Verdict],
    /// What they were held against.
    limits: &'a Limits,
}

/// The answer of `check`.
pub(crate) fn check(verdicts: &[Verdict], limits: &Limits) -> String {
    text(&CheckAnswer {
        loops: verdicts,
        limits,
    })
}

/// The answer of `render`.
#[derive(Serialize)]
pub(crate) struct RenderAnswer {
    /// The picture's file.
    pub(crate) file: String,
    /// "animation", "contact sheet" or "onion skin".
    pub(crate) kind: &'static str,
    /// Pictures of an animation, cells of a sheet.
    pub(crate) pictures: usize,
    /// Pixels across.
    pub(crate) width: u32,
    /// Pixels down.
    pub(crate) height: u32,
    /// Seconds of an animation; null for a still.
    pub(crate) seconds: Option<f64>,
}

/// What was drawn.
pub(crate) fn render(answer: &RenderAnswer) -> String {
    text(answer)
}

/// One loop as it was played.
#[derive(Serialize)]
pub(crate) struct PlayedLoop {
    /// The loop's file.
    pub(crate) file: String,
    /// When it starts.
    pub(crate) start_secs: f64,
    /// Where in the loop it starts.
    pub(crate) entry_secs: f64,
    /// What the jump into it cost, metre-seconds; 0 for the first.
    pub(crate) cost: f64,
}

/// The answer of `play`.
#[derive(Serialize)]
pub(crate) struct PlayAnswer {
    /// The motion's file.
    pub(crate) file: String,
    /// Seconds from its first frame to its last.
    pub(crate) seconds: f64,
    /// Number of frames.
    pub(crate) frames: usize,
    /// Seconds from one frame to the next.
    pub(crate) frame_time_secs: f64,
    /// Where the order came from.
    pub(crate) seed: u64,
    /// What plays when.
    pub(crate) played: Vec<PlayedLoop>,
}

/// What was played.
pub(crate) fn play(answer: &PlayAnswer) -> String {
    text(answer)
}

/// One of the two motions of a jump.
#[derive(Serialize)]
pub(crate) struct CostSide {
    /// Its file.
    pub(crate) file: String,
    /// "take" or "loop".
    pub(crate) kind: &'static str,
    /// The frame that is left or entered; null for all.
    pub(crate) frame: Option<usize>,
    /// Frames of the take, samples of the loop.
    pub(crate) frames: usize,
    /// Seconds from one frame to the next.
    pub(crate) frame_time_secs: f64,
    /// Seconds of a loop's cycle; null for a take.
    pub(crate) period_secs: Option<f64>,
}

/// What a jump costs under one decay, metre-seconds.
#[derive(Serialize)]
pub(crate) struct DecayCost {
    /// "spring", "cubic" or "quintic".
    pub(crate) decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    pub(crate) secs: f64,
    /// Exact cost.
    pub(crate) exact: f64,
    /// The feature form, which never exceeds it.
    pub(crate) feature: f64,
}

/// What a jump leaves of a joint or of the root.
#[derive(Serialize)]
pub(crate) struct GapFacts {
    /// The joint's name, or which part of the root's motion it is, in brackets.
    pub(crate) of: String,
    /// Whether it is a joint.
    pub(crate) joint: bool,
    /// A factor on metres.
    pub(crate) weight: f64,
    /// Left, up, ahead, metres.
    pub(crate) place_m: [f64; 3],
    /// The same, metres per second.
    pub(crate) velocity_mps: [f64; 3],
    /// Its part of the costs, in the order of the decays, metre-seconds.
    pub(crate) costs: [f64; 3],
}

/// A jump from one frame to another.
#[derive(Serialize)]
pub(crate) struct PairFacts {
    /// Under spring, cubic and quintic.
    pub(crate) costs: [DecayCost; 3],
    /// What it leaves, part by part.
    pub(crate) gaps: Vec<GapFacts>,
}

/// A good jump.
#[derive(Serialize)]
pub(crate) struct CrossingFacts {
    pub(crate) exit_frame: usize,
    pub(crate) exit_secs: f64,
    pub(crate) entry_frame: usize,
    pub(crate) entry_secs: f64,
    /// Exact cost, metre-seconds.
    pub(crate) exact: f64,
    /// Its feature form.
    pub(crate) feature: f64,
}

/// Jumps between many frames.
#[derive(Serialize)]
pub(crate) struct TableFacts {
    /// "spring", "cubic" or "quintic".
    pub(crate) decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    pub(crate) secs: f64,
    /// The best places to leave (or to enter, where one frame is left), cheapest first.
    pub(crate) best: Vec<CrossingFacts>,
    /// Median and largest cost of the table.
    pub(crate) median: Option<f64>,
    pub(crate) dearest: Option<f64>,
    /// Phase, 0 to 1, of the loop entered at which it does what the one left does at its start; null unless both are loops
    /// of as many cycles.
    pub(crate) matching_phase: Option<f64>,
    /// Frames of the rows of the table; of long motions a part, evenly.
    pub(crate) exit_frames: Vec<usize>,
    /// Frames of its columns, likewise.
    pub(crate) entry_frames: Vec<usize>,
    /// Exact costs, metre-seconds, a row for each exit.
    pub(crate) costs: Vec<Vec<f64>>,
}

/// The answer of `cost`.
#[derive(Serialize)]
pub(crate) struct CostAnswer {
    /// What is left.
    pub(crate) left: CostSide,
    /// What is entered.
    pub(crate) entered: CostSide,
    /// Unit of all costs.
    unit: &'static str,
    /// Null unless one frame of each is named.
    pub(crate) pair: Option<PairFacts>,
    /// Null where one frame of each is named.
    pub(crate) table: Option<TableFacts>,
}

impl CostAnswer {
    /// The answer before anything is known of the jumps.
    pub(crate) fn of([left, entered]: [CostSide; 2]) -> Self {
        Self {
            left,
            entered,
            unit: "metre-seconds",
            pair: None,
            table: None,
        }
    }
}

/// What jumps cost.
pub(crate) fn cost(answer: &CostAnswer) -> String {
    text(answer)
}
