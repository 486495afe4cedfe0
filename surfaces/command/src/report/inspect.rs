//! Answers of `inspect`.

use loopwright_core::analysis::{self, FoundBy, Segment, Side, Spectrum, Strides};
use loopwright_formats::loop_file::{
    Sidecar,
    facts::{PeriodicLoopFacts, TakeFacts},
};
use loopwright_job::{Studied, warning};

use super::{
    figures::{duration_secs, headline},
    gait::GaitFacts,
    table::{joined, width_of},
};

/// Returns the highest peaks of the autocorrelation, highest first.
fn rhythm(studied: &Studied) -> Vec<analysis::Peak> {
    const MOST: usize = 5;
    let dt = studied.take().frame_time_secs();
    let [shortest, longest] = [(0.25 / dt).ceil() as usize, (10.0 / dt) as usize];
    studied
        .analysis
        .spectrum
        .peaks(shortest, longest, Spectrum::RHYTHM_PROMINENCE)
        .into_iter()
        .take(MOST)
        .collect()
}

/// Returns the names of the lowest joints of the feet.
pub fn feet(studied: &Studied) -> Vec<&str> {
    let name = |joint: usize| studied.take().skeleton().joint(joint).name.as_str();
    studied
        .analysis
        .body
        .feet
        .iter()
        .map(|foot| name(foot.lowest_joint()))
        .collect()
}

impl InspectAnswer<'_> {
    pub fn human(&self, studied: &Studied, with_contacts: bool) -> String {
        let mut text = headline(&self.take);
        let mut line = |label: &str, value: String| {
            text += &format!("  {label:<10} {value}\n");
        };
        // Neither the file nor the user stated the up axis.
        let source = &studied.file.source;
        if !(source.capabilities().states_space || source.space().up_given) {
            line("up axis", format!("{}, detected (--up states another)", self.take.up));
        }
        let feet = match studied.analysis.body.found_by {
            FoundBy::AllLeaves => "none found".to_owned(),
            _ => format!(
                "{} (found by {})",
                warning::feet_names(studied.take().skeleton(), &studied.analysis.body),
                self.feet_found_by
            ),
        };
        let stature = self
            .stature_m
            .map_or_else(|| "unknown".to_owned(), |height| format!("{height:.2} m"));
        line("body", format!("hips {}, feet {feet}, standing {stature}", self.hips));
        if self.take.frames > 1 {
            let weights = self
                .weights
                .iter()
                .map(|weighted| format!("{} {}", weighted.joint, weighted.weight));
            line("weights", joined(weights, ", "));
            line(
                "bad frames",
                format!(
                    "{} of {}; {} joints flip",
                    self.bad_frames.len(),
                    self.take.frames,
                    self.flipping_joints.len()
                ),
            );
            let peaks = self
                .rhythm_peaks
                .iter()
                .map(|peak| format!("{:.3} s ({:.2})", peak.period_secs, peak.repeat_strength));
            line(
                "rhythm",
                match joined(peaks, ", ") {
                    none if none.is_empty() => "none over the whole take".to_owned(),
                    peaks => peaks,
                },
            );
            let segments = self
                .segments
                .iter()
                .map(|segment| format!("{} {}-{}", segment.gait, segment.start_frame, segment.end_frame));
            line("segments", joined(segments, "; "));
        }
        if let Some(mps) = self.ground_mps {
            line(
                "ground",
                format!("moves at {mps:.2} m/s below the feet: a treadmill, or a clip without its travel"),
            );
        }
        for gait in self.gait.human().iter().map(String::as_str).chain(self.gait.note()) {
            line("gait", gait.to_owned());
        }
        if let Some(PeriodicLoopFacts {
            radius_m,
            angle_radps,
            climb_mps,
            axis,
            ..
        }) = self.periodic_loop
        {
            let [x, y, z] = axis;
            line(
                "loop",
                format!(
                    "radius {radius_m:.3} m, {:.3} deg/s about the axis, {climb_mps:.3} m/s along it ({x:.3} {y:.3} {z:.3})",
                    angle_radps.to_degrees()
                ),
            );
        }
        if with_contacts {
            text.push('\n');
            text += &contacts(studied);
        }
        text.push('\n');
        text += &tree(studied);
        text
    }
}

/// Maximum width of the contact bars, columns.
const BARS: usize = 72;

/// Draws when each foot stands, as bars over the time of the take.
fn contacts(studied: &Studied) -> String {
    let (facts, contacts) = (studied.facts(), &studied.analysis.contacts);
    let num_frames = facts.frames;
    let columns = num_frames.min(BARS);
    let mut text = String::new();
    let names = feet(studied);
    let width = width_of(names.iter());
    if contacts.num_feet() == 0 {
        return "  no feet detected, so no contacts\n".to_owned();
    }
    for (foot, name) in names.iter().enumerate() {
        let bars: String = (0..columns)
            .map(|column| {
                let frames = column * num_frames / columns..(column + 1) * num_frames / columns;
                let count = frames.len();
                let stands = frames.filter(|&frame| contacts.is_planted(foot, frame)).count();
                if 2 * stands > count { '#' } else { '.' }
            })
            .collect();
        text += &format!("  {name:<width$}  {bars}\n");
    }
    let end = format!("{:.2} s", duration_secs(&facts));
    text += &format!(
        "  {:<width$}  0{end:>at$}\n",
        "",
        at = columns.saturating_sub(1).max(end.len() + 1)
    );
    let secs = |frame: Option<f64>, end: &str| match frame {
        Some(frame) => format!("{:.3} s", frame * facts.frame_time_secs),
        None => end.to_owned(),
    };
    for stay in contacts.stays() {
        let (from, to) = (secs(stay.strike, "the start"), secs(stay.lift, "the end"));
        text += &format!("  {:<width$}  from {from} to {to}\n", names[stay.foot]);
    }
    text
}

/// Draws the skeleton as an indented tree. No recursion, since the file determines the depth.
fn tree(studied: &Studied) -> String {
    const DEEPEST: usize = 40;
    let skeleton = studied.take().skeleton();
    let mut depths = vec![0_usize; skeleton.num_joints()];
    let mut text = String::new();
    for (index, joint) in skeleton.joints().iter().enumerate() {
        depths[index] = joint.parent.map_or(0, |parent| depths[parent] + 1);
        text += &format!("  {}{}\n", "  ".repeat(depths[index].min(DEEPEST)), joint.name);
    }
    text
}

/// A joint.
#[in_schema]
struct NamedJoint<'a> {
    /// Its name.
    name: &'a str,
    /// The joint that it hangs on; null for the topmost.
    parent: Option<&'a str>,
}

/// A weight.
#[in_schema]
struct NamedWeight<'a> {
    /// The joint.
    joint: &'a str,
    /// How much it counts in seam costs.
    weight: f64,
}

/// A bad frame.
#[in_schema]
struct BadFrame {
    /// The frame.
    frame: usize,
    /// Whether the pose jumps there, or stands still though the body moves.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::analysis::BadFrameKind>")]
    kind: &'static str,
}

/// A joint that flips.
#[in_schema]
struct Flipping<'a> {
    /// The joint.
    joint: &'a str,
    /// How often.
    count: usize,
    /// Largest rotation within one frame.
    largest_deg: f64,
}

/// A peak of the autocorrelation of the take.
#[in_schema]
struct RhythmPeak {
    /// Its lag.
    period_secs: f64,
    /// Its height, at most 1.
    repeat_strength: f64,
    /// How far it stands out from the lags around.
    prominence: f64,
}

/// A run of frames of one activity.
#[in_schema]
struct StretchFacts {
    /// How much the body moves.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::analysis::ActivityKind>")]
    activity: &'static str,
    /// First frame.
    start_frame: usize,
    /// Last frame.
    end_frame: usize,
}

/// A run of frames with one gait.
#[in_schema]
pub struct SegmentFacts {
    /// What the body does, such as walk, run or idle.
    pub gait: String,
    /// First frame.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
}

impl From<&Segment> for SegmentFacts {
    fn from(segment: &Segment) -> Self {
        Self {
            gait: segment.gait.to_string(),
            start_frame: segment.start_frame,
            end_frame: segment.end_frame,
        }
    }
}

/// The answer of `inspect`.
#[in_schema]
pub struct InspectAnswer<'a> {
    /// The take.
    #[schemars(with = "crate::schema_words::Take")]
    take: TakeFacts,
    /// Seconds from the first frame to the last.
    duration_secs: f64,
    /// Height of the hips over the feet in a standing body, and what is above; null where it cannot be estimated.
    stature_m: Option<f64>,
    /// The joints, parents before children.
    skeleton: Vec<NamedJoint<'a>>,
    /// The joint that is the hips.
    hips: &'a str,
    /// The ankles.
    feet: Vec<&'a str>,
    /// How the feet were found.
    #[schemars(schema_with = "crate::schema_words::word::<FoundBy>")]
    feet_found_by: &'static str,
    /// Joints that count in the search.
    weights: Vec<NamedWeight<'a>>,
    /// Frames that no loop starts or ends at.
    bad_frames: Vec<BadFrame>,
    /// Joints that flip, and so do not count.
    flipping_joints: Vec<Flipping<'a>>,
    /// The highest peaks first.
    rhythm_peaks: Vec<RhythmPeak>,
    /// Speed of the body where it moves.
    pace_mps: f64,
    /// The take by activity.
    stretches: Vec<StretchFacts>,
    /// The take by gait.
    segments: Vec<SegmentFacts>,
    /// When feet are on the ground: from the first point that bears to the last.
    contacts: Vec<Stands<'a>>,
    /// When heel, ball and tip of each foot bear.
    bearing: Vec<BearsFacts<'a>>,
    /// Mean speed at which the ground moves below the feet, on a treadmill or in a clip without its travel; null if it rests.
    ground_mps: Option<f64>,
    /// The strides of the body.
    gait: GaitFacts<'a>,
    /// The path as numbers of a closed form; null where there is none.
    #[schemars(with = "Option<crate::schema_words::PeriodicLoop>")]
    periodic_loop: Option<PeriodicLoopFacts>,
}

/// A time for which a foot is on the ground.
#[in_schema]
struct Stands<'a> {
    /// The foot's lowest joint.
    joint: &'a str,
    /// Its side; null if unknown.
    side: Option<&'static str>,
    /// First frame.
    start_frame: usize,
    /// Last frame.
    end_frame: usize,
    /// When it touches down; null if it is down from the start on.
    strike_secs: Option<f64>,
    /// When it leaves the ground; null if it is down to the end.
    lift_secs: Option<f64>,
}

/// A time for which a point of a foot bears.
#[in_schema]
struct BearsFacts<'a> {
    /// The foot's lowest joint.
    joint: &'a str,
    /// heel, ball, tip, or ankle for a foot without others.
    point: &'static str,
    /// When it begins; null if before the start.
    start_secs: Option<f64>,
    /// When it ends; null if after the end.
    end_secs: Option<f64>,
}

impl<'a> InspectAnswer<'a> {
    /// Collects the facts of a take, and those of its root if its sidecar says that it is a loop.
    pub fn new(studied: &'a Studied, strides: &'a Strides, sidecar: Option<Sidecar>) -> Self {
        let (facts, survey, take) = (studied.facts(), &studied.analysis, studied.take());
        let secs = |frame: Option<f64>| frame.map(|frame| frame * facts.frame_time_secs);
        let name = |joint: usize| take.skeleton().joint(joint).name.as_str();
        let feet = feet(studied);
        Self {
            periodic_loop: sidecar.and_then(|sidecar| sidecar.root_motion.periodic_loop),
            duration_secs: duration_secs(&facts),
            stature_m: survey.body.stature(take),
            skeleton: take
                .skeleton()
                .joints()
                .iter()
                .map(|joint| NamedJoint {
                    name: &joint.name,
                    parent: joint.parent.map(name),
                })
                .collect(),
            hips: name(survey.body.hips),
            feet: survey.body.feet.iter().map(|foot| name(foot.ankle)).collect(),
            feet_found_by: survey.body.found_by.as_str(),
            weights: survey
                .joints
                .iter()
                .map(|weighted| NamedWeight {
                    joint: name(weighted.joint),
                    weight: weighted.weight,
                })
                .collect(),
            bad_frames: survey
                .defects
                .bad_frames
                .iter()
                .map(|bad| BadFrame {
                    frame: bad.frame,
                    kind: bad.kind.as_str(),
                })
                .collect(),
            flipping_joints: survey
                .defects
                .flipping
                .iter()
                .map(|flipping| Flipping {
                    joint: name(flipping.joint),
                    count: flipping.count,
                    largest_deg: flipping.largest.to_degrees(),
                })
                .collect(),
            rhythm_peaks: rhythm(studied)
                .into_iter()
                .map(|peak| RhythmPeak {
                    period_secs: peak.lag_frames * facts.frame_time_secs,
                    repeat_strength: peak.height,
                    prominence: peak.prominence,
                })
                .collect(),
            pace_mps: survey.heading.pace_mps(take.frame_time_secs()),
            stretches: survey
                .activity
                .stretches()
                .map(|(activity, start_frame, end_frame)| StretchFacts {
                    activity: activity.as_str(),
                    start_frame,
                    end_frame,
                })
                .collect(),
            segments: survey.segments.iter().map(SegmentFacts::from).collect(),
            gait: GaitFacts::new(strides, &feet),
            contacts: survey
                .contacts
                .stays()
                .iter()
                .map(|stay| {
                    let frames = stay.frames(facts.frames - 1);
                    Stands {
                        joint: feet[stay.foot],
                        side: survey.body.feet[stay.foot].side.map(Side::as_str),
                        start_frame: *frames.start(),
                        end_frame: *frames.end(),
                        strike_secs: secs(stay.strike),
                        lift_secs: secs(stay.lift),
                    }
                })
                .collect(),
            bearing: survey
                .contacts
                .points()
                .iter()
                .map(|of| BearsFacts {
                    joint: feet[of.stay.foot],
                    point: of.point.as_str(),
                    start_secs: secs(of.stay.strike),
                    end_secs: secs(of.stay.lift),
                })
                .collect(),
            ground_mps: survey.contacts.ground().mean_mps(),
            take: facts,
        }
    }
}
