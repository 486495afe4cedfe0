//! Warnings about a take or its loop, each with its facts.
//!
//! A warning has the same sentence in every program, because the loop's sidecar holds it; settings are named after their flags.

use glam::DVec3;
use loopwright_core::{
    Analysis, FoundLoops, LoopCandidate, MadeLoop, RootMode, Skeleton, Take,
    analysis::{BadFrameKind, Body, FoundBy, OddPace, TakeDefects, WeightedJoint},
    candidate::{CONFIDENT_TAKE_STRENGTH, CyclesLeftOut, WholeClip},
    closure::Clamp,
    feet::FootOutcome,
    math::{Rigid, greatest, ops, percentile, rotation},
    mean_cycle::MeanCycle,
    pipeline::{StartAt, StartError},
};

use loopwright_formats::{Format, loop_file::Complaint};

use crate::{checks::speed_is_unknown, decision::Decision, recipe::Ineffective};

/// A warning about a take or its loop.
#[error_kinds]
pub enum Warning {
    /// Unusual contents of a file that was read or written.
    File(loopwright_formats::FileWarning),
    #[error("the file holds no animation; this is its skeleton at rest")]
    AtRest,
    #[error("the search does not use {} as an end of a loop: {}", list_frames(frames), fault(*kind))]
    BadFrames { kind: BadFrameKind, frames: Vec<usize> },
    #[error(
        "joint {joint} flips {} (up to {:.0} degrees in one frame); {}",
        times(*count),
        largest.to_degrees(),
        if *is_weighed { "the search uses it because you gave it a weight" } else { "the search ignores it" }
    )]
    FlippingJoint {
        joint: String,
        count: usize,
        /// Radians.
        largest: f64,
        /// Whether the user gave the joint a weight in the search.
        is_weighed: bool,
    },
    /// No body of this size takes such strides.
    #[error(
        "a stride takes {:.2} s, which no legs of this length do unless it is meant so: the file may state a wrong rate; \
         --set take.speed-up={} corrects it",
        .0.stride_secs,
        factor(.0.speed_up)
    )]
    OddPace(OddPace),
    #[error("no feet found by name; found by shape and position: {feet} (name others with --set take.feet=LEFT,RIGHT)")]
    FeetByGeometry { feet: String },
    #[error(
        "no feet found by name or position, so there are no contacts; comparing every end of a limb: {feet} (name feet with --set take.feet=LEFT,RIGHT)"
    )]
    NoFeet { feet: String },
    #[error("unsure: {joint} follows {follows} (confidence {confidence:.2}); --map states another")]
    UnsureJoint {
        joint: String,
        follows: String,
        confidence: f64,
    },
    #[error("joints without motion, which keep their rest pose: {}", joints.join(", "))]
    RestingJoints { joints: Vec<String> },
    #[error(
        "{} never stands in its file, so its rest pose is uncertain and limbs may be rotated wrongly",
        if *is_character { "the rig" } else { "the motion's skeleton" }
    )]
    NoStandingPose { is_character: bool },
    /// A reference pose of which the motion does not show all.
    #[error(
        "the rest pose of {} is worked out from motion that does not show {}; these are guessed{}",
        if *is_character { "the rig" } else { "the motion's skeleton" },
        parts_of(guessed),
        if *is_character { "" } else { " (--set take.reference=FRAME names a frame in which it stands straight, or a file)" }
    )]
    GuessedReference {
        is_character: bool,
        /// Joints with soles, hinges and axes that are guessed.
        guessed: [Vec<String>; 3],
    },
    #[error(
        "the head looks {} by {:.0} degrees; --set take.gaze={:.0} levels it, or take.gaze=FILE with a neutral take of this skeleton",
        if *radians > 0.0 { "down" } else { "up" },
        radians.abs().to_degrees(),
        radians.to_degrees()
    )]
    Gaze { radians: f64 },
    #[error("the skeleton at rest is not symmetric; the mean pose of the take is used as the symmetric pose")]
    MirroredByMeanPose,
    /// The engine does not accept several loops in this file; other formats hold one each.
    #[error("{0}; --split -o loops/ writes each loop into a file that it reads")]
    PackForEngine(Complaint),
    #[error(
        "{} of the gait left out: {left_out}",
        match left_out.count() {
            1 => "1 cycle".to_owned(),
            count => format!("{count} cycles"),
        }
    )]
    CyclesLeftOut { left_out: CyclesLeftOut },
    #[error("take.reference has no effect without --rig, but in VRM animations")]
    ReferenceUnused,
    #[error("take.mirror has no effect without --symmetric")]
    MirrorUnused,
    /// Content that the engine does not import as it is written.
    #[error("{}{}", .0, remedy(.0))]
    Engine(Complaint),
    #[error(
        "{} has a root joint above the hips, {joint}; --add-root adds no other",
        if *is_character { "the character" } else { "the take" }
    )]
    RootJointThere { is_character: bool, joint: String },
    /// A root joint is requested in a format whose bodies have none.
    #[error("{} holds bodies that travel by their hips; --add-root adds no joint above them", .format.capabilities().name)]
    NoRootJoint { format: Format },
    /// A setting without effect.
    Ineffective(Ineffective),
    #[error("{}{}", if *repeats_here { "" } else { "low confidence: " }, match take_strength {
        None => format!("the take is too short to show whether it is periodic at {period_secs:.2} s"),
        Some(strength) => format!(
            "the take is not periodic at {period_secs:.2} s ({strength:.2}, periodic takes reach \
             {CONFIDENT_TAKE_STRENGTH:.2}); the loop covers frames {:.0}-{:.0} of {num_frames}",
            frames[0], frames[1],
        ),
    })]
    LowConfidence {
        period_secs: f64,
        take_strength: Option<f64>,
        frames: [f64; 2],
        num_frames: usize,
        /// Whether the surrounding frames show that it repeats after all.
        repeats_here: bool,
    },
    #[error("the loop contains {}, where the take jumps or repeats frames", list_frames(frames))]
    BadFramesInside { frames: Vec<usize> },
    /// A time of the closure was shortened to fit.
    #[error("{0}")]
    Clamped(Clamp),
    #[error(
        "the body moves by {metres:.2} m and turns by {:.0} degrees over the loop; --root-motion stationary pulls it back within \
         the blend, constant or in-place would not",
        radians.to_degrees()
    )]
    TornBack { metres: f64, radians: f64 },
    /// The rig's root joint keeps its path alone.
    #[error(
        "the root joint rises by {:.0} mm and leans by {:.1} degrees in the take: an inertialized root keeps its way over the ground, and \
         the body carries the rest",
        1e3 * .metres,
        .radians.to_degrees()
    )]
    RootLevelled { metres: f64, radians: f64 },
    #[error(
        "the body goes {metres:.1} m and comes back by the same way, backwards; a loop of cycles goes on, without --ping-pong"
    )]
    GoesBackwards { metres: f64 },
    /// A foot, named by its lowest joint, is left as it is.
    #[error("foot {foot} is not locked{}", why_free(*outcome).unwrap_or_default())]
    FootNotHeld { foot: String, outcome: FootOutcome },
    /// The loop lacks the phase at which it should start.
    Start(StartError),
    #[error(
        "the clip stays in place and its feet hardly touch the ground, so its speed is unknown; --set output.root-speed=3.2 states \
         it, in m/s"
    )]
    UnknownSpeed,
    #[error(
        "the speed over the ground is {mps:.3} m/s, measured from the feet; the poses give {by_poses_mps:.3} m/s (--set \
         output.root-speed=pose keeps that)"
    )]
    SpeedByFeet { mps: f64, by_poses_mps: f64 },
    #[error(
        "stretch.mean-cycles={} asks for more cycles than there are: the loop is the mean of {}; before them, {}; after them, {}",
        .0.asked, .0.cycles.len(), .0.before, .0.after
    )]
    FewerCycles(MeanCycle),
    #[error("the seam shows: {reason}; {remedy}")]
    SeamShows { reason: String, remedy: SeamRemedy },
    #[error(
        "where the cycle ends is uncertain: {:.2} to {:.2} frames after the last key; {:.3} s is taken",
        limits[0], limits[1], period_secs
    )]
    EndUncertain { limits: [f64; 2], period_secs: f64 },
    /// A clip that is kept as authored has a fault, which may be meant.
    #[error("the clip has it as it is: {reason}")]
    OfTheClip { reason: String },
    /// A kept loop of a pack is renamed, and another animation has the name.
    #[error("another animation has the name of its loop, which is therefore \"{0}\"")]
    NameTaken(String),
    /// The seam of a loop in a pack shows.
    #[error("the seam pops")]
    SeamPops,
    /// A pack contains another loop than the requested one.
    #[error("{0}")]
    Instead(Box<Decision>),
}

impl Warning {
    /// Reports the cycles that a search for single cycles left out, if any.
    pub fn of_cycles_left_out(found: &FoundLoops) -> Option<Self> {
        Some(Self::CyclesLeftOut {
            left_out: found.left_out.filter(|left_out| left_out.count() > 0)?,
        })
    }
}

/// The remedy for a visible seam.
#[error_kinds(Copy, Eq)]
pub enum SeamRemedy {
    #[error("the clip has it as it is, and --set stretch.mend=true closes it")]
    OfTheClip,
    #[error("try a softer turn, such as --set stretch.ease=1, or other frames")]
    OfTheTurn,
    #[error("{0} loops were tried, and all of them show it")]
    Tried(usize),
    #[error("try a longer --blend, --closure auto, or other frames")]
    None,
}

/// Returns a factor in one digit, as a person would state it.
fn factor(exact: f64) -> f64 {
    if exact < 1.0 {
        (1e2 * exact).round() / 1e2
    } else {
        exact.round()
    }
}

fn fault(kind: BadFrameKind) -> &'static str {
    match kind {
        BadFrameKind::Frozen => "frozen or doubled",
        _ => "the pose jumps there",
    }
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_owned(),
        count => format!("{count} times"),
    }
}

fn remedy(complaint: &Complaint) -> String {
    match complaint {
        Complaint::Rate { sampled_hz, .. } => format!("; --fps {sampled_hz} writes such keys"),
        _ => String::new(),
    }
}

/// Says why a foot that could have been held was not; `None` for others.
fn why_free(outcome: FootOutcome) -> Option<String> {
    let why = match outcome {
        FootOutcome::HeldInPart { metres } => {
            let cm = 1e2 * metres;
            return Some(format!(
                " in contacts in which it slides, by up to {cm:.0} cm; --lock-feet solve locks it there too"
            ));
        }
        FootOutcome::Slides { metres } => {
            let cm = 1e2 * metres;
            return Some(format!(
                ": it slides by {cm:.0} cm while planted; --lock-feet solve locks it anyway"
            ));
        }
        FootOutcome::NoKnee => "there is no knee between it and the hips",
        FootOutcome::Unsettled => "no correction of legs and hips was found that locks it",
        FootOutcome::Released => "locking it would make the feet slide more",
        _ => return None,
    };
    Some(format!(": {why}"))
}

/// Returns the warnings of an analysis.
pub fn of_study(skeleton: &Skeleton, body: &Body, defects: &TakeDefects, joints: &[WeightedJoint]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for kind in [BadFrameKind::Jump, BadFrameKind::Frozen] {
        let bad = defects.bad_frames.iter().filter(|bad| bad.kind == kind);
        let frames: Vec<usize> = bad.map(|bad| bad.frame).collect();
        if !frames.is_empty() {
            warnings.push(Warning::BadFrames { kind, frames });
        }
    }
    for flipping in &defects.flipping {
        warnings.push(Warning::FlippingJoint {
            joint: skeleton.joint(flipping.joint).name.clone(),
            count: flipping.count,
            largest: flipping.largest,
            is_weighed: joints
                .iter()
                .any(|known| known.joint == flipping.joint && known.weight > 0.0),
        });
    }
    let feet = || feet_names(skeleton, body);
    match body.found_by {
        FoundBy::Geometry => warnings.push(Warning::FeetByGeometry { feet: feet() }),
        FoundBy::AllLeaves => warnings.push(Warning::NoFeet { feet: feet() }),
        FoundBy::Given | FoundBy::Names => {}
    }
    warnings
}

/// Warns if the loop represents only its own stretch of the take. Idle loops and loops of whole clips get no such warning.
pub fn confidence(take: &Take, best: &LoopCandidate) -> Option<Warning> {
    let repeats_here = best.is_confident();
    let whole_repeats = match best.take_strength {
        Some(strength) => strength >= CONFIDENT_TAKE_STRENGTH,
        None => repeats_here,
    };
    (!whole_repeats && best.whole.is_none() && !best.is_idle && !best.pairing.is_ping_pong()).then(|| {
        Warning::LowConfidence {
            period_secs: best.source_period_secs,
            take_strength: best.take_strength,
            frames: [best.cut.start_frame(), best.cut.end_frame()],
            num_frames: take.num_frames(),
            repeats_here,
        }
    })
}

/// Warns if the loop contains bad frames.
pub fn bad_frames(analysis: &Analysis, chosen: &LoopCandidate) -> Option<Warning> {
    let inside = chosen.cut.start_frame().floor() as usize..=chosen.last_frame();
    let frames: Vec<usize> = analysis
        .defects
        .bad_frames
        .iter()
        .map(|bad| bad.frame)
        .filter(|frame| inside.contains(frame))
        .collect();
    (!frames.is_empty()).then_some(Warning::BadFramesInside { frames })
}

/// Returns warnings about a loop that do not depend on its file.
pub(crate) fn of_loop(made: &MadeLoop, start_at: Option<StartAt>) -> impl Iterator<Item = Warning> {
    let start = start_at.and_then(|start| made.sample_of(start).err());
    let clamps = made.closed.clamps.iter().copied().map(Warning::Clamped);
    let mean = made.mean_cycle.as_ref().filter(|mean| mean.is_fewer_than_asked());
    clamps
        .chain(end_uncertain(made))
        .chain(torn_back(made))
        .chain(root_levelled(made))
        .chain(goes_backwards(made))
        .chain(of_feet(made))
        .chain(mean.cloned().map(Warning::FewerCycles))
        .chain(start.map(Warning::Start))
}

/// Limits of the end of a clip that are farther apart, in frames, give a warning.
const UNCERTAIN_FRAMES: f64 = 0.2;

/// Warns if the motion hardly tells where a finished clip ends.
fn end_uncertain(made: &MadeLoop) -> Option<Warning> {
    let limits = made.candidate.whole.filter(WholeClip::loops_already)?.end_limits;
    (limits[1] - limits[0] > UNCERTAIN_FRAMES).then_some(Warning::EndUncertain {
        limits,
        period_secs: made.candidate.source_period_secs,
    })
}

/// Motion of the hips over a loop, metres and radians, above which pulling the body back gives a warning.
const TORN_METRES: f64 = 0.1;
const TORN_RADIANS: f64 = 5.0_f64.to_radians();

/// Warns if pulling the body back removes much motion.
fn torn_back(made: &MadeLoop) -> Option<Warning> {
    if made.root.mode != RootMode::Stationary {
        return None;
    }
    let (clip, hips) = (&made.source.clip, made.body.hips);
    let world = clip.world_tracks();
    let start = clip.sample_range().start().unsigned_abs();
    let end = start + clip.num_intervals();
    let metres = (world.position(end, hips) - world.position(start, hips)).length();
    let radians = rotation::difference(world.rotation(end, hips), world.rotation(start, hips)).length();
    (metres > TORN_METRES || radians > TORN_RADIANS).then_some(Warning::TornBack { metres, radians })
}

/// Height and lean of a root joint above which levelling it gives a warning.
const LEVELLED_METRES: f64 = 1e-3;
const LEVELLED_RADIANS: f64 = 0.5_f64.to_radians();

/// Warns if an inertialized root lacks the height and lean that its joint has in the take, apart from a steady climb.
fn root_levelled(made: &MadeLoop) -> Option<Warning> {
    let made = made.on_take();
    let joint = made.source.root_joint.filter(|_| !made.source.captured.is_empty())?;
    let cut = &made.candidate.cut;
    let frames: Vec<Rigid> = (cut.start_frame() as usize..=cut.end_frame() as usize)
        .map(|frame| {
            made.take
                .pose(frame.min(made.take.num_frames() - 1))
                .world_of(made.take.skeleton(), joint)
        })
        .collect();
    let (first, last) = (*frames.first()?, *frames.last()?);
    let climb = (last.translation.y - first.translation.y) / (frames.len() - 1).max(1) as f64;
    let (low, high) = percentile::extremes((0..frames.len()).map(|at| frames[at].translation.y - climb * at as f64));
    let up = |frame: &Rigid| frame.rotation.inverse() * DVec3::Y;
    let (metres, still) = (high - low, up(&first));
    let radians = greatest(frames.iter().map(|frame| up(frame).angle_between(still)));
    (metres > LEVELLED_METRES || radians > LEVELLED_RADIANS).then_some(Warning::RootLevelled { metres, radians })
}

/// Motion of the hips over the ground above which a body travels, metres at the size of an adult; shifting weight moves them
/// less.
const GOES_METRES: f64 = 0.5;

/// Warns if a body with feet walks there and back.
fn goes_backwards(made: &MadeLoop) -> Option<Warning> {
    if !made.candidate.pairing.is_ping_pong() || made.body.found_by == FoundBy::AllLeaves {
        return None;
    }
    let on_take = made.on_take();
    // From the first frame of the stretch, to which the return leads.
    let world = on_take.source.clip.world_tracks_between_the_ends();
    let hips = |frame: usize| world.position(frame, on_take.body.hips);
    let metres = greatest((0..world.num_frames()).map(|frame| ops::over_ground(hips(frame) - hips(0))));
    (metres > GOES_METRES * on_take.body.size(&on_take.take)).then_some(Warning::GoesBackwards { metres })
}

/// Returns warnings about feet that could have been held but were not, and about the source of the root's speed.
fn of_feet(made: &MadeLoop) -> Vec<Warning> {
    let (skeleton, body, feet) = (made.loop_clip.skeleton(), &made.body, &made.feet);
    let mut warnings = Vec::new();
    for (foot, outcome) in body.feet.iter().zip(&feet.outcomes) {
        if why_free(*outcome).is_some() {
            warnings.push(Warning::FootNotHeld {
                foot: skeleton.joint(foot.lowest_joint()).name.clone(),
                outcome: *outcome,
            });
        }
    }
    if speed_is_unknown(made) {
        warnings.push(Warning::UnknownSpeed);
    }
    if let Some(speed) = feet.speed.filter(|_| feet.speed_is_theirs) {
        warnings.push(Warning::SpeedByFeet {
            mps: ops::over_ground(speed.twist.linear),
            by_poses_mps: ops::over_ground(speed.of_poses),
        });
    }
    warnings
}

/// Joins the names of the feet.
pub fn feet_names(skeleton: &Skeleton, body: &Body) -> String {
    const MOST: usize = 8;
    let feet = &body.feet;
    let names = feet.iter().take(MOST);
    let mut names: Vec<&str> = names.map(|foot| skeleton.joint(foot.ankle).name.as_str()).collect();
    if feet.len() > MOST {
        names.push("...");
    }
    names.join(", ")
}

/// Names the parts of a reference pose that the motion does not show.
fn parts_of(guessed: &[Vec<String>; 3]) -> String {
    (["flat soles of", "the bending of", "how to twist"]
        .into_iter()
        .zip(guessed))
    .filter(|(_, joints)| !joints.is_empty())
    .map(|(what, joints)| format!("{what} {}", joints.join(", ")))
    .collect::<Vec<_>>()
    .join(", ")
}

/// Formats frame numbers as runs: "frames 0, 17-19".
pub fn list_frames(frames: &[usize]) -> String {
    const MOST: usize = 8;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &frame in frames {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == frame => run.1 = frame,
            _ => runs.push((frame, frame)),
        }
    }
    let mut parts: Vec<String> = runs
        .iter()
        .take(MOST)
        .map(|&(from, to)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from}-{to}")
            }
        })
        .collect();
    if runs.len() > MOST {
        parts.push(format!("and {} more", runs.len() - MOST));
    }
    let noun = if frames.len() == 1 { "frame" } else { "frames" };
    format!("{noun} {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_listed_as_runs() {
        assert_eq!(list_frames(&[0]), "frame 0");
        assert_eq!(list_frames(&[0, 17, 18, 19]), "frames 0, 17-19");
    }
}
