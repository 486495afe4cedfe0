//! The checks of loops: one row per check, with everything known about it. docs/checks.md lists them.

use loopwright_core::{
    Skeleton,
    pipeline::Retimed,
    retarget::{JointAngle, Likeness},
};
use loopwright_formats::loop_file::facts::{CheckFacts, Unmeasured};

mod body;
mod faults;
mod feet;
mod hinges;
mod rig;
mod root;
mod row;
mod seam;
mod stretch;
mod subject;
mod time;

pub use feet::{GOOD_FOOT_HEIGHT_METRES, GOOD_FOOT_SLIDE_METRES};
pub use row::{Check, CheckRow, Limits, LimitsFrom, not_passed, said};
pub(crate) use stretch::Stretch;
pub use subject::Authored;
pub(crate) use subject::{Subject, pulls_back, speed_is_unknown};

/// How a check of loops is measured; `None` if it is not.
#[derive(Debug)]
pub(crate) enum Measure {
    /// Measured on the loop, possibly compared with its source.
    OfLoop(fn(&CheckRow, &Subject<'_>) -> Option<CheckFacts>),
    /// Measured on its stretch of the take, whatever was made of it.
    OfTake(fn(&CheckRow, &Stretch<'_>) -> Option<CheckFacts>),
    /// Measured on the changes of its timing.
    OfTime(fn(&CheckRow, &Retimed) -> CheckFacts),
    /// Measured on the loop on a character, compared with its source.
    OnCharacter(fn(&Likeness) -> Option<JointAngle>),
}

crate::checks! {
    /// The checks of every loop.
    pub enum CheckId: Measure {
        /// A joint jumps over the seam.
        SeamPosition = seam::POSITION,
        /// A joint rotates abruptly over the seam.
        SeamRotation = seam::ROTATION,
        /// A joint changes its velocity over the seam.
        SeamVelocity = seam::VELOCITY,
        /// A joint changes its rate of turn over the seam.
        SeamTurnRate = seam::TURN_RATE,
        /// A joint jerks over the seam, compared with its own motion.
        SeamAcceleration = seam::ACCELERATION,
        /// A joint jerks inside the loop, and did not in the take.
        Kink = body::KINK,
        /// The whole body freezes while the loop travels.
        HeldPose = body::HELD_POSE,
        /// The pose of the take jumps inside the loop.
        Jumps = stretch::JUMPS,
        /// A foot slides while it is planted.
        FootSlide = feet::SLIDE,
        /// A foot stands higher or lower than in the take.
        FootHeight = feet::HEIGHT,
        /// A body that travels has feet that never stand.
        FeetStand = feet::STAND,
        /// A joint leaves its path for a moment.
        Spike = faults::SPIKE,
        /// Joints tremble.
        Shake = faults::SHAKE,
        /// Frames are held or lost.
        Stutter = faults::STUTTER,
        /// Nothing bears the body, and it does not fall.
        Bears = faults::BEARS,
        /// Limbs are as no body has them.
        Anatomy = faults::ANATOMY,
        /// A limb is still while its partner moves.
        Stiff = faults::STIFF,
        /// A robot's joint goes beyond its limits.
        LimitAngle = hinges::ANGLE,
        /// A robot's joint turns faster than it can.
        LimitSpeed = hinges::SPEED,
        /// The pace of the take changes from one end of the loop to the other.
        Pace = stretch::PACE,
        /// A turn is concentrated in a part of the loop.
        Turn = stretch::TURN,
        /// The loop turns, and the straight way of the take does not.
        Veer = stretch::VEER,
        /// One constant root motion replaces the take's poorly.
        RootSteady = stretch::ROOT_STEADY,
        /// Closing moved joints far from the take.
        Displacement = body::DISPLACEMENT,
        /// It is slower or faster than recorded.
        TimeLength = time::LENGTH,
        /// Its strides are longer or shorter than recorded.
        TimeStride = time::STRIDE,
        /// Touch-downs are moved against each other.
        TimeFootfalls = time::FOOTFALLS,
        /// Limbs accelerate harder than recorded.
        TimeAcceleration = time::ACCELERATION,
        /// The scale of joints changes, and the file does not hold it.
        Scale = body::SCALE,
        /// The root creeps.
        RootDrift = root::DRIFT,
        /// The speed of the root is known.
        RootSpeed = root::SPEED,
        /// The body lies, or hangs upside down.
        Upright = body::UPRIGHT,
        /// The clip may be a single action.
        SingleAction = stretch::SINGLE_ACTION,
        /// The clip shows one cycle only, whose ends did not meet.
        OneCycle = stretch::ONE_CYCLE,
        /// The take repeats at this length.
        Repeats = stretch::REPEATS,
        /// The trunk leans otherwise on the character.
        RigLean = rig::LEAN,
        /// A standing foot is tilted on the character.
        RigFeet = rig::FEET,
        /// The head looks higher or lower on the character.
        RigGaze = rig::GAZE,
        /// A knee bends otherwise on the character.
        RigKnees = rig::KNEES,
        /// An arm is twisted on the character.
        RigArms = rig::ARMS,
    }
}

impl CheckId {
    /// Whether the file of the loop does not answer the check: it concerns its take, or its source.
    pub(crate) fn is_recorded(self) -> bool {
        !matches!(self.check().measure, Measure::OfLoop(_))
    }

    /// Returns the checks of a loop on a character with this skeleton.
    pub(crate) fn on_character<'a>(likeness: &'a Likeness, skeleton: &'a Skeleton) -> impl Iterator<Item = CheckFacts> {
        Self::ALL.into_iter().filter_map(|id| {
            let Check { row, measure } = id.check();
            let Measure::OnCharacter(measure) = measure else {
                return None;
            };
            let check = measure(likeness).map(|found| rig::graded(row, found, skeleton));
            Some(check.unwrap_or_else(|| row.unmeasured(Unmeasured::NotApplicable)))
        })
    }

    /// Whether this is the id of a check of the seam; the only kink of an unchanged clip is there.
    pub(crate) fn is_of_seam(id: &str) -> bool {
        id.starts_with("seam-") || id == Self::Kink.as_str()
    }

    /// Returns the check of a loop: measured on the loop if possible, else as recorded before.
    pub(crate) fn of_loop(self, subject: &Subject) -> CheckFacts {
        let Check { row, measure } = self.check();
        let measured = match measure {
            Measure::OfLoop(measure) => measure(row, subject),
            Measure::OfTake(_) => None,
            Measure::OfTime(measure) => subject.retimed.map(|retimed| measure(row, retimed)),
            Measure::OnCharacter(measure) => subject
                .likeness
                .and_then(measure)
                .map(|found| rig::graded(row, found, subject.skeleton)),
        };
        let known = || subject.known.iter().find(|check| check.id == row.id).cloned();
        let check = measured
            .or_else(known)
            .unwrap_or_else(|| row.unmeasured(self.why_not(subject)));
        CheckFacts {
            grade: check.grade.filter(|_| !self.is_the_authors(subject)),
            ..check
        }
    }

    /// Returns why a loop gives the check no value.
    fn why_not(self, subject: &Subject) -> Unmeasured {
        let has_source = subject.quality.displacement_metres.is_some();
        let is_unknown = match self {
            Self::FootSlide => feet::are_to_stand(subject),
            Self::Kink | Self::FootHeight | Self::Displacement => !has_source && !subject.is_meant_to_differ,
            _ => matches!(self.check().measure, Measure::OfTake(_)),
        };
        if is_unknown {
            Unmeasured::Unknown
        } else {
            Unmeasured::NotApplicable
        }
    }

    /// Whether the check concerns what the author made, which may be intended: it is then stated without a grade.
    fn is_the_authors(self, subject: &Subject) -> bool {
        match self {
            Self::Spike | Self::Shake | Self::Stutter | Self::Bears | Self::Anatomy | Self::Stiff => {
                subject.authored >= Authored::Motion
            }
            Self::Scale | Self::RootSpeed | Self::Upright | Self::SingleAction | Self::OneCycle | Self::Repeats => {
                false
            }
            _ if matches!(self.check().measure, Measure::OnCharacter(_)) => false,
            // The checks that mending may change.
            Self::SeamPosition
            | Self::SeamRotation
            | Self::SeamVelocity
            | Self::SeamTurnRate
            | Self::SeamAcceleration
            | Self::Kink
            | Self::FootHeight
            | Self::Displacement => subject.authored == Authored::All,
            _ => subject.authored >= Authored::AllButTheSeam,
        }
    }

    /// Returns the check of a stretch of a take; `None` if it is one of the loop.
    pub(crate) fn of_take(self, stretch: &Stretch) -> Option<CheckFacts> {
        let Check { row, measure } = self.check();
        let Measure::OfTake(measure) = measure else {
            return None;
        };
        // A clip of one cycle that closes has no other cycle to be compared with.
        let why = if self == Self::Pace && stretch.goes() && stretch.candidate.whole.is_none() {
            Unmeasured::Unknown
        } else {
            Unmeasured::NotApplicable
        };
        Some(measure(row, stretch).unwrap_or_else(|| row.unmeasured(why)))
    }
}
