//! The verdict on a loop: a list of checks, the worst grade of them, and the reason for it in one sentence.
//!
//! Every program takes grades from here. docs/checks.md says what each check means, its limits and what helps. Limits in metres grow with
//! the body.

use std::fmt;

use loopwright_core::analysis::{Body, FoundBy, MOVING_MPS};
use loopwright_core::candidate::{LastKey, MotionKind, WholeClip, WholeClipKind};
use loopwright_core::loop_clip::LoopKeys;
use loopwright_core::quality::{self, Step};
use loopwright_core::{Analysis, LoopCandidate, LoopClip, LoopSettings, MadeLoop, Quality, RootMode, Skeleton};
use loopwright_formats::loop_file::facts::{CheckFacts, Grade, QualityFacts};

use crate::warning::{self, RESTS_MPS};

/// What is checked of every loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum CheckId {
    /// A joint jumps over the seam.
    SeamPosition,
    /// A joint turns at once over the seam.
    SeamRotation,
    /// A joint changes its velocity over the seam.
    SeamVelocity,
    /// A joint changes its rate of turn over the seam.
    SeamTurnRate,
    /// A joint jerks over the seam, compared with its own motion.
    SeamAcceleration,
    /// A joint jerks inside the loop, and did not in the take.
    Kink,
    /// The whole body freezes while the loop goes somewhere.
    HeldPose,
    /// The pose of the take jumps inside the loop.
    Jumps,
    /// A foot slides while it is planted.
    FootSlide,
    /// A foot stands higher or lower than in the take.
    FootHeight,
    /// The feet of a body that goes somewhere never stand.
    FeetStand,
    /// The pace of the take changes from one end of the loop to the other.
    Pace,
    /// A turn happens in a part of the loop.
    Turn,
    /// One constant root motion replaces that of the take badly.
    RootSteady,
    /// Closing moved joints far from the take.
    Displacement,
    /// The root creeps.
    RootDrift,
    /// The speed of the root is known.
    RootSpeed,
    /// The body lies, or hangs upside down.
    Upright,
    /// The clip may be a single action.
    SingleAction,
    /// The clip shows one cycle only, whose ends did not meet.
    OneCycle,
    /// The take repeats at this length.
    Repeats,
}

loopwright_core::words!(CheckId {
    SeamPosition: "seam-position",
    SeamRotation: "seam-rotation",
    SeamVelocity: "seam-velocity",
    SeamTurnRate: "seam-turn-rate",
    SeamAcceleration: "seam-acceleration",
    Kink: "kink",
    HeldPose: "held-pose",
    Jumps: "jumps",
    FootSlide: "foot-slide",
    FootHeight: "foot-height",
    FeetStand: "feet-stand",
    Pace: "pace",
    Turn: "turn",
    RootSteady: "root-steady",
    Displacement: "displacement",
    RootDrift: "root-drift",
    RootSpeed: "root-speed",
    Upright: "upright",
    SingleAction: "single-action",
    OneCycle: "one-cycle",
    Repeats: "repeats",
});

impl CheckId {
    /// What to try where it fails, of a loop whose ends were closed or of one that goes there and back.
    pub fn cure(self, is_ping_pong: bool) -> &'static str {
        match self {
            Self::SeamPosition
            | Self::SeamRotation
            | Self::SeamVelocity
            | Self::SeamTurnRate
            | Self::SeamAcceleration
                if is_ping_pong =>
            {
                "a softer turn, such as --set stretch.ease=1, or other frames from `loopwright find --ping-pong`"
            }
            Self::SeamPosition | Self::SeamRotation | Self::SeamVelocity | Self::SeamTurnRate => {
                "close it again with `loopwright make` or `loopwright close`"
            }
            Self::SeamAcceleration => "a longer --blend, --closure auto, or another loop from `loopwright find`",
            Self::Kink if is_ping_pong => "a softer turn, such as --set stretch.ease=1, or --lock-feet off",
            Self::Kink => "--lock-feet off, or another loop from `loopwright find`",
            Self::FeetStand => {
                "a cleaner capture; --set take.feet names the feet, --unit and --up how the file is read"
            }
            Self::HeldPose | Self::Jumps | Self::Pace | Self::Turn | Self::RootSteady | Self::Repeats => {
                "another loop from `loopwright find`"
            }
            Self::FootSlide => "--lock-feet solve where feet are not locked, or another loop from `loopwright find`",
            Self::FootHeight => "--lock-feet off, which lets feet slide",
            Self::Displacement => "a shorter --blend, or another loop from `loopwright find`",
            Self::RootDrift => "--root-motion in-place",
            Self::RootSpeed => "--set output.root-speed=3.2 states it, in m/s",
            Self::Upright => "--up, if the file states another axis than the body shows",
            Self::SingleAction | Self::OneCycle => "a longer take of the same motion",
        }
    }

    /// Whether it is about the take, whatever was made of it.
    fn is_of_take(self) -> bool {
        matches!(
            self,
            Self::Jumps
                | Self::Pace
                | Self::Turn
                | Self::RootSteady
                | Self::SingleAction
                | Self::OneCycle
                | Self::Repeats
        )
    }
}

/// What is checked of passages alone; their feet are checked as those of loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PassageCheckId {
    /// Its ends are poses of its loops.
    JoinPosition,
    /// It is as fast there as they are.
    JoinVelocity,
}

loopwright_core::words!(PassageCheckId {
    JoinPosition: "join-position",
    JoinVelocity: "join-velocity",
});

impl PassageCheckId {
    /// What to try where it fails.
    pub fn cure(self) -> &'static str {
        "`loopwright cut` between the loops as they are now"
    }

    /// The check, not measured yet.
    /// A check of a loop without a value.
    pub fn unmeasured(self) -> CheckFacts {
        unmeasured_as(
            self.as_str(),
            match self {
                Self::JoinPosition => "mm",
                Self::JoinVelocity => "cm/s",
            },
        )
    }

    /// Largest values that are good and that are not bad yet: as of the seam of a loop.
    pub fn limits(self) -> Limits {
        match self {
            Self::JoinPosition => Limits::of(2.0, 10.0),
            Self::JoinVelocity => Limits::of(35.0, 70.0),
        }
    }

    /// What a person sees where it is not good.
    pub(crate) fn reason(self, check: &CheckFacts) -> String {
        let joint = check.joint.as_deref().unwrap_or("a joint");
        let value = check.value.unwrap_or_default();
        let end = match check.time_secs {
            Some(secs) if secs > 0.0 => "where it ends",
            _ => "where it begins",
        };
        match self {
            Self::JoinPosition => format!("{joint} jumps by {value:.0} mm {end}"),
            Self::JoinVelocity => format!("{joint} changes its speed by {value:.0} cm/s {end}"),
        }
    }
}

/// Largest values that are good and that are not bad yet: at the size of a man where they are lengths or speeds.
pub struct Limits {
    review: f64,
    bad: f64,
}

/// Second difference at the seam over the joint's own 99th percentile. An accent on a strike reaches 1.4 in captured takes.
const SEAM_ACCELERATION: Limits = Limits::of(1.5, 3.0);

/// Second difference of a joint inside the loop over its largest in the take.
const KINK: Limits = Limits::of(2.0, 4.0);

/// Seconds for which the whole body stands still while the loop goes somewhere.
const HELD_SECS: Limits = Limits::of(0.1, 0.25);

/// Metres by which a foot slides within a contact, at most, of an adult's loop that is good.
pub const GOOD_FOOT_SLIDE_METRES: f64 = 0.02;

/// Metres by which a planted foot is above or below its place in the take, at most, of an adult's loop that is good.
pub const GOOD_FOOT_HEIGHT_METRES: f64 = 0.009;

/// How far a foot may slide while it is planted, metres on the reference body.
pub const FOOT_SLIDE_METRES: Limits = Limits::of(GOOD_FOOT_SLIDE_METRES, 0.04);
const FOOT_HEIGHT_METRES: Limits = Limits::of(GOOD_FOOT_HEIGHT_METRES, 0.018);

/// Change of pace from one end to the other, as a share.
const PACE: Limits = Limits::of(0.075, 0.15);

/// Share of the turn in the busiest third of the loop.
const TURN: Limits = Limits::of(0.44, 0.6);

/// Mean distance of joints from the take, metres.
const DISPLACEMENT_METRES: Limits = Limits::of(0.022, 0.045);

/// Degrees between the way from the feet to the head and up. On all fours, and of bodies that lie, the head is
/// beside the feet.
const UPRIGHT_DEG: Limits = Limits::of(50.0, 110.0);
const LYING_DEG: Limits = Limits::of(100.0, 110.0);

/// A root that moves this slowly creeps, metres per second: nobody walks so slowly, and it leaves its place within a minute.
const DRIFT_MPS: [f64; 2] = [0.01, 0.05];

impl Limits {
    /// A check with its value, graded.
    pub fn graded(self, value: f64, unmeasured: CheckFacts) -> CheckFacts {
        CheckFacts {
            value: Some(value),
            limit: Some(self.review),
            grade: Some(self.grade(value)),
            ..unmeasured
        }
    }

    /// Limits of a figure that is better the smaller it is: from `review` on it is not good, from `bad` on it is bad.
    pub const fn of(review: f64, bad: f64) -> Self {
        Self { review, bad }
    }

    fn grade(&self, value: f64) -> Grade {
        match (value > self.review, value > self.bad) {
            (false, _) => Grade::Good,
            (true, false) => Grade::Review,
            (true, true) => Grade::Bad,
        }
    }

    fn never_bad(review: f64) -> Self {
        Self::of(review, f64::INFINITY)
    }

    /// The same for a body of so many times the size of the reference.
    pub fn of_size(self, size: f64) -> Self {
        Self::of(self.review * size, self.bad * size)
    }
}

/// A loop to judge.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject<'a> {
    /// Its figures.
    pub(crate) quality: &'a Quality,
    /// Its skeleton.
    pub(crate) skeleton: &'a Skeleton,
    /// Its body.
    pub(crate) body: &'a Body,
    /// Seconds between its samples.
    pub(crate) step_secs: f64,
    /// The sample at which its seam is, and their number.
    pub(crate) seam: [usize; 2],
    /// What became of its root motion.
    pub(crate) mode: RootMode,
    /// Whether its speed over the ground is known: nothing shows it of a clip in place whose feet hardly touch the ground.
    pub(crate) is_speed_known: bool,
    /// Whether its stretch of the take stays in its place, so that its speed is that of the feet, and so is the way they slide.
    pub(crate) was_in_place: bool,
    /// Whether it is meant to differ from its stretch of the take: a mean, edited, or pulled back to its start. What is left as it is
    /// differs in nothing, and is not compared either.
    pub(crate) is_meant_to_differ: bool,
    /// Checks that the loop does not answer, as they were found when it was made: those of [`of_take`], or those in its sidecar.
    pub(crate) known: &'a [CheckFacts],
}

/// One grade, the reason for it, and the checks that it comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The worst grade of the checks.
    pub grade: Grade,
    /// Why, as a clause without a full stop.
    pub reason: String,
    /// All checks, in the order of [`CheckId`].
    pub checks: Vec<CheckFacts>,
}

impl Verdict {
    /// The verdict on a loop.
    pub(crate) fn new(subject: &Subject<'_>) -> Self {
        Self::of_checks(CheckId::ALL.map(|id| subject.check(id)).to_vec())
    }

    /// The verdict on a loop that was made of a take: `quality` are its figures, as written or not, and `of_take` the checks of its stretch.
    pub fn of_made(made: &MadeLoop, quality: &Quality, of_take: &[CheckFacts]) -> Self {
        Self::new(&Subject::of_made(made, quality, of_take))
    }

    /// The verdict on a clip that loops already and is left as it is.
    pub(crate) fn of_kept(made: &MadeLoop, quality: &Quality, of_take: &[CheckFacts]) -> Self {
        Self::new(&Subject {
            is_meant_to_differ: true,
            ..Subject::of_made(made, quality, of_take)
        })
    }

    /// The verdict on a loop that was made of others; `of_others` are the checks of the one whose take it shows, if it shows one, and
    /// `seam_sample` is where its seam is.
    pub fn of_derived(
        clip: &LoopClip,
        body: &Body,
        mode: RootMode,
        quality: &Quality,
        of_others: &[CheckFacts],
        seam_sample: usize,
    ) -> Self {
        let is_of_take = |check: &&CheckFacts| check.id.parse().is_ok_and(CheckId::is_of_take);
        let known: Vec<CheckFacts> = of_others.iter().filter(is_of_take).cloned().collect();
        Self::new(&Subject {
            quality,
            skeleton: clip.skeleton(),
            body,
            step_secs: clip.step_secs(),
            seam: [seam_sample, clip.num_samples()],
            mode,
            is_speed_known: true,
            was_in_place: false,
            is_meant_to_differ: false,
            known: &known,
        })
    }

    /// The verdict of these checks: the worst of them, the first of equally bad ones.
    pub fn of_checks(checks: Vec<CheckFacts>) -> Self {
        let grade = checks.iter().filter_map(|check| check.grade).max().unwrap_or_default();
        let reason = match checks.iter().find(|check| check.grade == Some(grade)) {
            Some(check) if grade > Grade::Good => reason(check),
            _ => "the seam does not show".to_owned(),
        };
        Self { grade, reason, checks }
    }

    /// What to try where it is not good: against the check that gives the reason, of a loop whose ends were closed or of one that goes there
    /// and back.
    pub fn cure(&self, is_ping_pong: bool) -> Option<&'static str> {
        let is_reason = |check: &&CheckFacts| check.grade == Some(self.grade);
        let check = self
            .checks
            .iter()
            .find(is_reason)
            .filter(|_| self.grade > Grade::Good)?;
        check.id.parse().ok().map(|id: CheckId| id.cure(is_ping_pong))
    }

    /// The verdict that these figures hold; `None` if they hold none.
    pub fn from_facts(quality: &QualityFacts) -> Option<Self> {
        Some(Self {
            grade: quality.grade?,
            reason: quality.reason.clone()?,
            checks: quality.checks.clone(),
        })
    }

    /// States it among the figures of a loop.
    pub fn state(self, quality: &mut QualityFacts) {
        quality.grade = Some(self.grade);
        quality.reason = Some(self.reason);
        quality.checks = self.checks;
    }
}

/// `good: the seam does not show`.
impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.grade, self.reason)
    }
}

/// The verdict on the loop that a stretch gives with default settings, and its figures: the loop is made if the search did not. `None`
/// where it cannot be made.
pub fn default_loop(analysis: &Analysis, candidate: &LoopCandidate) -> Option<(Verdict, Quality)> {
    let of_take = of_take(analysis, candidate);
    let Some(&quality) = candidate.quality.as_deref() else {
        let made = analysis.make_loop(candidate, &LoopSettings::default()).ok()?;
        let quality = quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, Some(&made.source));
        return Some((Verdict::of_made(&made, &quality, &of_take), quality));
    };
    let subject = Subject {
        quality: &quality,
        skeleton: analysis.take.skeleton(),
        body: &analysis.body,
        step_secs: analysis.take.frame_time_secs(),
        seam: [0, usize::MAX],
        mode: RootMode::default(),
        // The search makes no whole takes, and others show their speed.
        is_speed_known: true,
        was_in_place: false,
        is_meant_to_differ: false,
        known: &of_take,
    };
    Some((Verdict::new(&subject), quality))
}

impl<'a> Subject<'a> {
    fn of_made(made: &'a MadeLoop, quality: &'a Quality, of_take: &'a [CheckFacts]) -> Self {
        Self {
            quality,
            skeleton: made.loop_clip.skeleton(),
            body: &made.body,
            step_secs: made.loop_clip.step_secs(),
            seam: [made.seam_sample(), made.loop_clip.num_samples()],
            mode: made.root.mode,
            is_speed_known: !warning::speed_is_unknown(made),
            was_in_place: made.candidate.is_in_place(),
            is_meant_to_differ: made.mean_cycle.is_some()
                || made.variation.is_some()
                || !made.edits.is_empty()
                || pulls_back(made.root.mode),
            known: of_take,
        }
    }

    /// Whether the take stays in its place, and so does the loop, whatever speed is known of it.
    fn stays_in_place(&self) -> bool {
        self.was_in_place && !self.mode.moves_root()
    }

    /// A body that is named as going somewhere, and stays in its place, shows no speed if its feet do not.
    fn is_root_speed_known(&self) -> bool {
        let rests = self.quality.root_mps < RESTS_MPS;
        self.is_speed_known && !(rests && is_missing(self.known, CheckId::RootSpeed))
    }

    fn check(&self, id: CheckId) -> CheckFacts {
        let known = || self.known.iter().find(|check| check.id == id.as_str()).cloned();
        self.measured(id).or_else(known).unwrap_or_else(|| unmeasured(id))
    }

    /// A check that the loop itself answers, perhaps beside its source; `None` if it does not.
    fn measured(&self, id: CheckId) -> Option<CheckFacts> {
        let Self { quality, .. } = *self;
        let size = quality.body_size;
        let name = |joint: usize| self.skeleton.joint(joint).name.clone();
        // Figures count from the seam, and times from the first key.
        let [seam_sample, num_samples] = self.seam;
        let secs = |sample: usize| ((sample + seam_sample) % num_samples) as f64 * self.step_secs;
        let of_seam = |step: Step, scale: f64| {
            let limits = Limits::of(scale * step.allowed, scale * step.allowed);
            CheckFacts {
                joint: Some(name(step.joint)),
                time_secs: Some(secs(step.sample)),
                ..graded(id, scale * step.size, limits)
            }
        };
        let of_joint = |joint: usize, sample: usize, check: CheckFacts| CheckFacts {
            joint: Some(name(joint)),
            time_secs: Some(secs(sample)),
            ..check
        };
        Some(match id {
            CheckId::SeamPosition => of_seam(quality.seam.position, 1e3),
            CheckId::SeamRotation => of_seam(quality.seam.rotation, 1f64.to_degrees()),
            CheckId::SeamVelocity => of_seam(quality.seam.velocity, 1e2),
            CheckId::SeamTurnRate => of_seam(quality.seam.angular_velocity, 1f64.to_degrees()),
            CheckId::SeamAcceleration => {
                let sharpest = quality.seam_acceleration;
                of_joint(
                    sharpest.joint,
                    sharpest.sample,
                    graded(id, sharpest.ratio, SEAM_ACCELERATION),
                )
            }
            CheckId::Kink => {
                let kink = quality.kink.filter(|_| !self.is_meant_to_differ)?;
                of_joint(kink.joint, kink.sample, graded(id, kink.ratio, KINK))
            }
            CheckId::HeldPose => {
                let held = quality.held_pose;
                // A pose may be held in an idle or a dance.
                if quality.root_mps < MOVING_MPS * size {
                    return None;
                }
                CheckFacts {
                    time_secs: Some(secs(held.sample)),
                    ..graded(id, held.secs, HELD_SECS)
                }
            }
            CheckId::FootSlide => {
                // What is made to walk on the spot has to slide, by the feet's own measure in parts only.
                let goes = quality.root_mps >= DRIFT_MPS[1] * size && !self.stays_in_place();
                let slide = quality.farthest_slide.filter(|_| goes)?;
                let check = graded(id, 1e3 * slide.metres, FOOT_SLIDE_METRES.of_size(1e3 * size));
                of_joint(slide.joint, slide.sample, check)
            }
            CheckId::FootHeight => {
                let height = quality.foot_height.filter(|_| !self.is_meant_to_differ)?;
                let check = CheckFacts {
                    value: Some(1e3 * height.metres),
                    ..graded(id, 1e3 * height.metres.abs(), FOOT_HEIGHT_METRES.of_size(1e3 * size))
                };
                of_joint(height.joint, height.sample, check)
            }
            CheckId::FeetStand => {
                let has_feet =
                    matches!(self.body.found_by, FoundBy::Names | FoundBy::Given) && !self.body.feet.is_empty();
                if !has_feet || quality.root_mps < MOVING_MPS * size || self.stays_in_place() {
                    return None;
                }
                let never = quality.farthest_slide.is_none();
                graded(id, f64::from(u8::from(never)), Limits::never_bad(0.0))
            }
            CheckId::Displacement => {
                let metres = quality.displacement_metres.filter(|_| !self.is_meant_to_differ)?;
                graded(id, 1e3 * metres, DISPLACEMENT_METRES.of_size(1e3 * size))
            }
            CheckId::RootDrift => {
                let [rests, walks] = DRIFT_MPS.map(|speed| speed * size);
                // Faster than that it goes somewhere.
                if !self.mode.moves_root() || quality.root_mps >= walks {
                    return None;
                }
                graded(id, 1e2 * quality.root_mps, Limits::never_bad(1e2 * rests))
            }
            CheckId::Upright => {
                // Whoever rests may lie.
                let goes_upright = self.body.feet.len() <= 2 && quality.root_mps >= MOVING_MPS * size;
                let limits = if goes_upright { UPRIGHT_DEG } else { LYING_DEG };
                graded(id, quality.lean_radians?.to_degrees(), limits)
            }
            CheckId::RootSpeed => CheckFacts {
                value: self.is_root_speed_known().then_some(quality.root_mps),
                ..unmeasured(id)
            },
            _ => return None,
        })
    }
}

/// The checks that a stretch of a take answers, whatever is made of it.
pub fn of_take(analysis: &Analysis, candidate: &LoopCandidate) -> Vec<CheckFacts> {
    let has_feet = analysis.body.found_by != FoundBy::AllLeaves;
    let named = analysis.named_motion();
    let is_of_take = CheckId::ALL.into_iter().filter(|id| id.is_of_take());
    let checks = is_of_take.filter_map(|id| match id {
        CheckId::Jumps => Some(jumps(analysis, candidate)),
        id => of_stretch(id, candidate, has_feet, named.repeats),
    });
    let goes = matches!(
        named.kind,
        Some(MotionKind::Walk | MotionKind::Run | MotionKind::Backward | MotionKind::Strafe)
    );
    let in_place = candidate.whole.as_ref().is_some_and(WholeClip::is_in_place);
    checks
        .chain((goes && in_place).then(|| unmeasured(CheckId::RootSpeed)))
        .collect()
}

/// The largest jump inside a stretch: how far a joint is from where it would be had it gone on evenly.
fn jumps(analysis: &Analysis, candidate: &LoopCandidate) -> CheckFacts {
    let (start, end) = (candidate.cut.start_frame(), candidate.cut.end_frame());
    let inside = (analysis.defects.jumps.iter()).filter(|&&frame| start < frame as f64 && frame as f64 <= end);
    let sizes = inside.flat_map(|&frame| {
        (0..analysis.take.num_joints()).map(move |joint| {
            let at = |frame: usize| analysis.world.position(frame, joint);
            let (to, from, before) = (at(frame), at(frame - 1), at(frame.saturating_sub(2)));
            (1e3 * (to - 2.0 * from + before).length(), frame, joint)
        })
    });
    match sizes.max_by(|one, other| one.0.total_cmp(&other.0)) {
        Some((millimetres, frame, joint)) => CheckFacts {
            joint: Some(analysis.take.skeleton().joint(joint).name.clone()),
            time_secs: Some(frame as f64 * analysis.take.frame_time_secs()),
            ..graded(CheckId::Jumps, millimetres, Limits::never_bad(0.0))
        },
        None => graded(CheckId::Jumps, 0.0, Limits::never_bad(0.0)),
    }
}

/// `None` where the take does not tell.
///
/// `named` is whether the take's name says that it repeats.
fn of_stretch(id: CheckId, candidate: &LoopCandidate, has_feet: bool, named: Option<bool>) -> Option<CheckFacts> {
    // What is thrown or swims need not be even.
    let is_going = has_feet && candidate.twist.linear.length() >= MOVING_MPS;
    let yes_or_no = |is_so: bool| graded(id, f64::from(u8::from(is_so)), Limits::never_bad(0.0));
    let (whole, steadiness) = (candidate.whole.as_ref(), &candidate.steadiness_around);
    Some(match id {
        CheckId::Pace => graded(
            id,
            1e2 * steadiness.pace_change.filter(|_| is_going)?,
            PACE.of_size(1e2),
        ),
        CheckId::Turn => graded(
            id,
            1e2 * steadiness.turn_in_third.filter(|_| is_going)?,
            TURN.of_size(1e2),
        ),
        CheckId::RootSteady => yes_or_no(!candidate.is_steady()),
        CheckId::SingleAction => yes_or_no(whole.is_some_and(|whole| {
            let ends_as_it_begins = whole.kind == WholeClipKind::EndsAsItBegins;
            ends_as_it_begins || (whole.is_in_place() && named == Some(false))
        })),
        CheckId::OneCycle => {
            let whole = whole.filter(|whole| whole.kind == WholeClipKind::Cycle)?;
            let gap = match whole.last_key {
                LastKey::BeforeClosing => 0.0,
                _ => 1e3 * whole.gap_metres,
            };
            CheckFacts {
                grade: Some(if whole.by_name { Grade::Good } else { Grade::Review }),
                ..graded(id, gap, Limits::never_bad(0.0))
            }
        }
        CheckId::Repeats => {
            // An idle body repeats nothing, and need not; what loops already need not do it twice.
            if candidate.is_idle || whole.is_some() || candidate.pairing.is_ping_pong() {
                return None;
            }
            // Ends that are as unlike as any two frames are joined by force, whatever the rest of the take does. A thing that tumbles
            // need not be alike as it stands on the ground.
            let is_forced = has_feet && candidate.cost_ratio.is_some_and(|ratio| ratio >= 1.0);
            let value = if is_forced {
                2.0
            } else {
                f64::from(u8::from(!candidate.is_confident()))
            };
            graded(id, value, Limits::of(0.0, 1.0))
        }
        _ => return None,
    })
}

/// Whether a root motion pulls the body back to its start, far from the take.
pub(crate) fn pulls_back(mode: RootMode) -> bool {
    mode == RootMode::Stationary
}

/// Whether a check is among these, and was not measured.
pub fn is_missing(checks: &[CheckFacts], id: CheckId) -> bool {
    checks
        .iter()
        .any(|check| check.id == id.as_str() && check.value.is_none())
}

/// A check of a loop without a value.
pub fn unmeasured(id: CheckId) -> CheckFacts {
    unmeasured_as(id.as_str(), unit(id))
}

/// A check of that name and unit that was not measured.
pub fn unmeasured_as(id: &str, unit: &str) -> CheckFacts {
    CheckFacts {
        id: id.to_owned(),
        unit: unit.to_owned(),
        ..CheckFacts::default()
    }
}

fn graded(id: CheckId, value: f64, limits: Limits) -> CheckFacts {
    limits.graded(value, unmeasured(id))
}

/// The unit of a check's value and limit, as sidecars write it; empty for plain numbers.
fn unit(id: CheckId) -> &'static str {
    match id {
        CheckId::SeamPosition
        | CheckId::FootSlide
        | CheckId::FootHeight
        | CheckId::Displacement
        | CheckId::Jumps
        | CheckId::OneCycle => "mm",
        CheckId::SeamRotation | CheckId::Upright => "deg",
        CheckId::SeamVelocity | CheckId::RootDrift => "cm/s",
        CheckId::SeamTurnRate => "deg/s",
        CheckId::HeldPose => "s",
        CheckId::Pace | CheckId::Turn => "%",
        CheckId::RootSpeed => "m/s",
        CheckId::SeamAcceleration
        | CheckId::Kink
        | CheckId::FeetStand
        | CheckId::RootSteady
        | CheckId::SingleAction
        | CheckId::Repeats => "",
    }
}

/// What a person sees, or has to know, where a check is not good.
fn reason(check: &CheckFacts) -> String {
    if let Ok(id) = check.id.parse::<PassageCheckId>() {
        return id.reason(check);
    }
    let Ok(id) = check.id.parse::<CheckId>() else {
        return format!("the check {} is not passed", check.id);
    };
    let value = check.value.unwrap_or_default();
    let number = short(value.abs());
    let joint = check.joint.as_deref().unwrap_or("a joint");
    let at = check
        .time_secs
        .map_or_else(String::new, |secs| format!(" at {secs:.2} s"));
    match id {
        CheckId::SeamPosition => format!("{joint} jumps by {number} mm at the seam"),
        CheckId::SeamRotation => format!("{joint} turns by {number} degrees at the seam"),
        CheckId::SeamVelocity => format!("{joint} changes its speed by {number} cm/s at the seam"),
        CheckId::SeamTurnRate => format!("{joint} changes its rate of turn by {number} degrees per second at the seam"),
        CheckId::SeamAcceleration => {
            format!("{joint} jerks at the seam, {number} times as much as in the rest of the loop")
        }
        CheckId::Kink => format!("{joint} jerks{at}, {number} times as much as in the take"),
        CheckId::HeldPose => format!("the body freezes for {value:.2} s{at}"),
        CheckId::Jumps => format!("the take jumps{at}, {joint} by {number} mm"),
        CheckId::FootSlide => format!("{joint} slides {number} mm while planted"),
        CheckId::FootHeight => {
            let side = if value > 0.0 { "above" } else { "below" };
            format!("{joint} is planted {number} mm {side} its height in the take")
        }
        CheckId::FeetStand => "the body moves, and no foot is ever planted".to_owned(),
        CheckId::Pace => format!("the pace of the take changes by {value:.0}% over the loop"),
        CheckId::Turn => format!("{value:.0}% of the turn happens in a third of the loop"),
        CheckId::RootSteady => {
            "the root motion of the take changes within the loop, so one constant motion replaces it badly".to_owned()
        }
        CheckId::Displacement => format!("closing moved joints by {value:.0} mm on average"),
        CheckId::RootDrift => {
            format!("the root creeps at {value:.1} cm/s; --root-motion in-place keeps it where it is")
        }
        CheckId::RootSpeed => "the speed over the ground is not known".to_owned(),
        CheckId::Upright if value > 90.0 => "the body is upside down".to_owned(),
        CheckId::Upright => format!("the body leans by {value:.0} degrees"),
        CheckId::SingleAction => "the clip may be a single action, which need not repeat".to_owned(),
        CheckId::OneCycle if value == 0.0 => "the clip shows one cycle only, without the key that closes it".to_owned(),
        CheckId::OneCycle => format!("the clip shows one cycle only, and its ends were {number} mm apart"),
        CheckId::Repeats if value > 1.0 => {
            "start and end of the stretch are as unlike as any two frames of the take".to_owned()
        }
        CheckId::Repeats => "the take does not repeat at this length; the loop covers only its own frames".to_owned(),
    }
}

/// Two significant digits or none after the point.
fn short(value: f64) -> String {
    if value < 10.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}
