//! What people should know of a take or of its loop, each with its facts.
//!
//! A warning's sentence is the same for every program, since it stands in the sidecar of the loop; settings are named as the flags that
//! set them.

use std::fmt;

use loopwright::{
    LoopCandidate, MadeLoop, RootMode, Skeleton,
    analysis::{BadFrameKind, Body, FoundBy, TakeDefects, WeightedJoint},
    candidate::{CONFIDENT_TAKE_STRENGTH, WholeClipKind},
    closure::Clamp,
    feet::FootOutcome,
    math::{ops, rotation},
    mean_cycle::MeanCycle,
};

use loopwright_formats::loop_file::Complaint;

use crate::{Decision, Studied, recipe::Ineffective};

/// What people should know of a take or of its loop.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// Something odd in a file that was read or written.
    File(loopwright_formats::Warning),
    /// The file holds no animation; what is shown is its skeleton at rest.
    AtRest,
    /// Frames that are never ends of a loop.
    BadFrames {
        /// What is wrong with them.
        kind: BadFrameKind,
        /// Which.
        frames: Vec<usize>,
    },
    /// A joint that flips between two frames.
    FlippingJoint {
        /// Its name.
        joint: String,
        /// How often.
        count: usize,
        /// Largest turn in one frame, radians.
        largest: f64,
        /// Whether the user gave it a weight in the search.
        is_weighed: bool,
    },
    /// Feet were found by where they are, not by name.
    FeetByGeometry {
        /// Names of the joints, the first of them.
        feet: String,
    },
    /// No feet were found; every end of a limb is compared.
    NoFeet {
        /// Names of the joints, the first of them.
        feet: String,
    },
    /// It is not sure which joint of the motion one of the character follows.
    UnsureJoint {
        /// The character's.
        joint: String,
        /// The motion's.
        follows: String,
        /// How sure it is, 0 to 1.
        confidence: f64,
    },
    /// Main joints of the character that nothing moves.
    RestingJoints {
        /// Their names.
        joints: Vec<String>,
    },
    /// A skeleton that stands in no pose of its file.
    NoStandingPose {
        /// Whether it is the character's; otherwise the motion's.
        is_character: bool,
    },
    /// The skeleton at rest is not symmetric, so the mean pose of the take mirrors it.
    MirroredByMeanPose,
    /// What an engine does not take as it is written.
    Engine(Complaint),
    /// A root joint is asked for where there is one.
    RootJointThere {
        /// Whether the skeleton is a character's.
        is_character: bool,
        /// Name of the joint.
        joint: String,
    },
    /// A setting without effect.
    Ineffective(Ineffective),
    /// The take as a whole does not show that the loop repeats.
    LowConfidence {
        /// Period of the loop, seconds.
        period_secs: f64,
        /// How strongly the take repeats at that period; `None` where it is too short to tell.
        take_strength: Option<f64>,
        /// First and last frame of the loop.
        frames: [f64; 2],
        /// Frames of the take.
        num_frames: usize,
        /// Whether the frames around it show that it repeats all the same.
        repeats_here: bool,
    },
    /// Bad frames lie inside the loop.
    BadFramesInside {
        /// Which.
        frames: Vec<usize>,
    },
    /// A time of the closure was shortened.
    Clamped(Clamp),
    /// Pulling the body back to its start removes much motion.
    TornBack {
        /// How far it moves over the loop, metres.
        metres: f64,
        /// How far it turns, radians.
        radians: f64,
    },
    /// A foot is left as it is.
    FootNotHeld {
        /// Its lowest joint.
        foot: String,
        /// Why.
        outcome: FootOutcome,
    },
    /// Nothing shows how fast a clip in place goes.
    UnknownSpeed,
    /// The root moves at the speed of the feet.
    SpeedByFeet {
        /// That speed, metres per second.
        mps: f64,
        /// The speed by the poses, metres per second.
        by_poses_mps: f64,
    },
    /// The mean is one of fewer cycles than asked for.
    FewerCycles(MeanCycle),
    /// The seam shows.
    SeamShows {
        /// What shows.
        reason: String,
        /// What was done about it.
        remedy: SeamRemedy,
    },
    /// The seam of a loop in a pack shows.
    SeamPops,
    /// Another loop of a pack was made than the one asked for.
    Instead(Box<Decision>),
}

/// What was done about a seam that shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeamRemedy {
    /// The clip has it of its own.
    OfTheClip,
    /// So many loops were tried, and all show it.
    Tried(usize),
    /// Nothing.
    None,
}

impl fmt::Display for Warning {
    // Whole, though longer than a screen: a sentence for each warning, in their order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(warning) => warning.fmt(f),
            Self::AtRest => f.write_str("the file holds no animation; this is its skeleton at rest"),
            Self::BadFrames { kind, frames } => {
                let why = match kind {
                    BadFrameKind::Frozen => "frozen or doubled",
                    _ => "the pose jumps there",
                };
                write!(
                    f,
                    "the search does not use {} as an end of a loop: {why}",
                    list_frames(frames)
                )
            }
            Self::FlippingJoint {
                joint,
                count,
                largest,
                is_weighed,
            } => {
                let times = match count {
                    1 => "once".to_owned(),
                    count => format!("{count} times"),
                };
                let use_of_it = match is_weighed {
                    true => "the search uses it because you gave it a weight",
                    false => "the search ignores it",
                };
                let degrees = largest.to_degrees();
                write!(
                    f,
                    "joint {joint} flips {times} (up to {degrees:.0} degrees in one frame); {use_of_it}"
                )
            }
            Self::FeetByGeometry { feet } => write!(f, "no feet found by name; using the lowest joints: {feet}"),
            Self::NoFeet { feet } => write!(
                f,
                "no feet found by name or position, so none stands; comparing every end of a limb: {feet} (name feet with --set take.feet=LEFT,RIGHT)"
            ),
            Self::UnsureJoint {
                joint,
                follows,
                confidence,
            } => write!(
                f,
                "unsure: {joint} follows {follows} (confidence {confidence:.2}); --map states another"
            ),
            Self::RestingJoints { joints } => {
                write!(f, "joints that nothing in the motion moves: {}", joints.join(", "))
            }
            Self::NoStandingPose { is_character } => {
                let whose = match is_character {
                    true => "the rig",
                    false => "the motion's skeleton",
                };
                write!(f, "{whose} stands in no pose of its file, so limbs may be turned wrongly")
            }
            Self::MirroredByMeanPose => f.write_str(
                "the skeleton at rest is not symmetric; the mean pose of the take is used as the symmetric pose",
            ),
            Self::Engine(complaint) => {
                complaint.fmt(f)?;
                match complaint {
                    Complaint::Rate { sampled_hz, .. } => write!(f, "; --fps {sampled_hz} writes such keys"),
                    Complaint::Format { .. } => Ok(()),
                }
            }
            Self::RootJointThere { is_character, joint } => {
                let whose = match is_character {
                    true => "the character",
                    false => "the take",
                };
                write!(
                    f,
                    "{whose} has a root joint above the hips, {joint}; --add-root adds no other"
                )
            }
            Self::Ineffective(setting) => setting.fmt(f),
            Self::LowConfidence {
                period_secs,
                take_strength: None,
                ..
            } => write!(
                f,
                "low confidence: the take is too short to show whether all of it repeats at {period_secs:.2} s"
            ),
            Self::LowConfidence {
                period_secs,
                take_strength: Some(strength),
                frames: [start, end],
                num_frames,
                repeats_here,
            } => write!(
                f,
                "{}the take as a whole does not repeat at {period_secs:.2} s ({strength:.2}, steady takes reach \
                 {CONFIDENT_TAKE_STRENGTH:.2}); the loop represents only frames {start:.0}-{end:.0} of {num_frames}",
                if *repeats_here { "" } else { "low confidence: " }
            ),
            Self::BadFramesInside { frames } => write!(
                f,
                "the loop contains {}, where the take jumps or repeats frames",
                list_frames(frames)
            ),
            Self::Clamped(clamped) => clamped.fmt(f),
            Self::TornBack { metres, radians } => write!(
                f,
                "the body moves by {metres:.2} m and turns by {:.0} degrees over the loop; --root-motion stationary pulls it back \
                 within the blend, constant or in-place would not",
                radians.to_degrees()
            ),
            Self::FootNotHeld { foot, outcome } => {
                write!(f, "foot {foot} is not held: ")?;
                match outcome {
                    FootOutcome::Slides { metres } => write!(
                        f,
                        "it slides by {:.0} cm while it is on the ground; --lock-feet solve holds it anyway",
                        1e2 * metres
                    ),
                    FootOutcome::NoKnee => f.write_str("there is no knee between the hips and it"),
                    FootOutcome::Unsettled => f.write_str(
                        "the search for a correction of legs and hips that holds it did not settle",
                    ),
                    _ => f.write_str("holding it would make the feet slide more; --lock-feet solve holds it anyway"),
                }
            }
            Self::UnknownSpeed => f.write_str(
                "the clip stays in place and its feet hardly touch the ground, so its speed is unknown; --set output.root-speed=3.2 states it, \
                 in m/s",
            ),
            Self::SpeedByFeet { mps, by_poses_mps } => write!(
                f,
                "the root moves at {mps:.3} m/s, measured from the feet; the poses give {by_poses_mps:.3} m/s (--set output.root-speed=pose \
                 keeps that)"
            ),
            Self::FewerCycles(mean) => write!(
                f,
                "--mean-cycles {} asks for more cycles than there are: the loop is the mean of {}; before them, {}; after them, {}",
                mean.asked,
                mean.cycles.len(),
                mean.before,
                mean.after
            ),
            Self::SeamShows { reason, remedy } => {
                write!(f, "the seam shows: {reason}; ")?;
                match remedy {
                    SeamRemedy::OfTheClip => f.write_str("the clip has it as it is"),
                    SeamRemedy::Tried(tried) => write!(f, "{tried} loops were tried, and all of them show it"),
                    SeamRemedy::None => f.write_str("try a longer --blend, --closure auto, or other frames"),
                }
            }
            Self::SeamPops => f.write_str("the seam pops"),
            Self::Instead(decision) => decision.fmt(f),
        }
    }
}

/// What an analysis found that people should know.
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

/// Warns if the loop represents only its own stretch of the take. That a loop is idle, or how a whole clip loops, is no warning.
pub fn confidence(studied: &Studied, best: &LoopCandidate) -> Option<Warning> {
    let repeats_here = best.is_confident();
    let whole_repeats = match best.take_strength {
        Some(strength) => strength >= CONFIDENT_TAKE_STRENGTH,
        None => repeats_here,
    };
    (!whole_repeats && best.whole.is_none() && !best.is_idle).then(|| Warning::LowConfidence {
        period_secs: best.source_period_secs,
        take_strength: best.take_strength,
        frames: [best.cut.start_frame(), best.cut.end_frame()],
        num_frames: studied.take().num_frames(),
        repeats_here,
    })
}

/// Warns if the loop contains bad frames.
pub fn bad_frames(studied: &Studied, chosen: &LoopCandidate) -> Option<Warning> {
    let inside = chosen.cut.start_frame().floor() as usize..=chosen.cut.end_frame().ceil() as usize;
    let bad = studied.analysis.defects.bad_frames.iter().map(|bad| bad.frame);
    let frames: Vec<usize> = bad.filter(|frame| inside.contains(frame)).collect();
    (!frames.is_empty()).then_some(Warning::BadFramesInside { frames })
}

/// Warnings about a loop that do not depend on its file.
pub(crate) fn of_loop(made: &MadeLoop) -> impl Iterator<Item = Warning> {
    let clamps = made.closed.clamps.iter().copied().map(Warning::Clamped);
    let mean = made.mean_cycle.as_ref().filter(|mean| mean.is_fewer_than_asked());
    clamps
        .chain(torn_back(made))
        .chain(of_feet(made))
        .chain(mean.cloned().map(Warning::FewerCycles))
}

/// Motion of the hips over a loop, metres and radians. Above it, pulling the body back gets a warning.
const TORN_METRES: f64 = 0.1;
const TORN_RADIANS: f64 = 5.0 * core::f64::consts::PI / 180.0;

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

/// Warnings about feet that could have been held but were not, and about the source of the root's speed.
fn of_feet(made: &MadeLoop) -> Vec<Warning> {
    let (skeleton, body, feet) = (made.loop_clip.skeleton(), &made.body, &made.feet);
    let mut warnings = Vec::new();
    for (foot, outcome) in body.feet.iter().zip(&feet.outcomes) {
        let is_told = match outcome {
            FootOutcome::Slides { .. } | FootOutcome::NoKnee | FootOutcome::Unsettled => true,
            FootOutcome::Released => made.candidate.whole.is_none(),
            _ => false,
        };
        if is_told {
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
        let over_ground = |v: glam::DVec3| ops::hypot(v.x, v.z);
        warnings.push(Warning::SpeedByFeet {
            mps: over_ground(speed.twist.linear),
            by_poses_mps: over_ground(speed.of_poses),
        });
    }
    warnings
}

/// Speed below which a root rests, metres per second.
pub(crate) const RESTS_MPS: f64 = 0.01;

/// Whether a clip moves in place and its feet never stand, so that nothing shows its speed.
pub(crate) fn speed_is_unknown(made: &MadeLoop) -> bool {
    let Some(whole) = &made.candidate.whole else {
        return false;
    };
    let never_stands = |outcome: &FootOutcome| *outcome == FootOutcome::NeverStands;
    let may_walk = whole.is_in_place() && whole.kind != WholeClipKind::EndsAsItBegins && !made.candidate.is_idle;
    let is_unknown = !made.feet.outcomes.is_empty() && made.feet.outcomes.iter().all(never_stands);
    may_walk && is_unknown && made.loop_clip.root().twist.linear.length() < RESTS_MPS
}

/// Names of the feet, as text.
pub fn feet_names(skeleton: &Skeleton, body: &Body) -> String {
    const MOST: usize = 8;
    let feet = &body.feet;
    let mut names: Vec<&str> = feet
        .iter()
        .take(MOST)
        .map(|foot| skeleton.joint(foot.ankle).name.as_str())
        .collect();
    if feet.len() > MOST {
        names.push("...");
    }
    names.join(", ")
}

/// Frame numbers as runs: "frames 0, 17-19".
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
