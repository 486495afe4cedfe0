//! The verdict on a loop: one word, and the reason for it.

use core::fmt;

use loopwright::{
    LoopCandidate, MadeLoop, Quality, RootMode, RootMotion, Skeleton,
    candidate::{LastKey, WholeClipKind},
    loop_clip::LoopKeys,
    math::ops,
    quality::{self, StepKind},
};

use super::facts::{Grade, QualityFacts};

/// One word about a loop and the reason for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The word.
    pub grade: Grade,
    /// Why, as a clause without a full stop.
    pub reason: String,
}

/// Feet that slide faster while they stand are seen, m/s at the size of a man. Captured takes have up to 0.07 after closing, loops
/// whose speed was guessed 0.2 and more.
const SLIDE_MPS: f64 = 0.1;

/// Closing that moves joints farther on average bends the motion, metres at the size of a man. Recommended loops have up to 13 mm.
const BENT_METRES: f64 = 0.02;

/// A root that moves this slowly drifts, m/s at the size of a man: nobody walks so slowly, and it leaves its place within a minute.
const DRIFT_MPS: [f64; 2] = [0.01, 0.05];

impl Verdict {
    /// The verdict on a loop as written, of joints of this skeleton. `doubt` is a reason to look at it that its keys do not show.
    ///
    /// Bad if the seam shows. A person should look at it where feet slide, closing bent the motion, the root drifts, or for the
    /// doubt; else it is good.
    pub fn new(
        quality: &Quality,
        root: &RootMotion,
        mode: RootMode,
        skeleton: &Skeleton,
        doubt: Option<String>,
    ) -> Self {
        if quality.pops() {
            return Self {
                grade: Grade::Bad,
                reason: seam(quality, skeleton),
            };
        }
        let speed = ops::hypot(root.twist.linear.x, root.twist.linear.z);
        let [rests, walks] = DRIFT_MPS.map(|speed| speed * quality.body_size);
        let slide = quality
            .foot_slide_mps
            // Where the root rests, a clip may be made to walk on the spot: its feet have to slide.
            .filter(|&slide| speed >= walks && slide > SLIDE_MPS * quality.body_size)
            .map(|slide| format!("feet slide at {:.0} cm/s", 1e2 * slide));
        let bent = quality
            .displacement_metres
            .filter(|&metres| metres > BENT_METRES * quality.body_size)
            .map(|metres| format!("closing moved joints by {:.0} mm on average", 1e3 * metres));
        let drift = (mode.moves_root() && (rests..walks).contains(&speed)).then(|| {
            format!(
                "the root drifts at {:.1} cm/s; --root-motion in-place keeps it where it is",
                1e2 * speed
            )
        });
        match slide.or(bent).or(drift).or(doubt) {
            Some(reason) => Self {
                grade: Grade::Check,
                reason,
            },
            None => Self {
                grade: Grade::Good,
                reason: format!(
                    "no joint moves over the seam by more than {:.1} mm beyond its own motion",
                    (1e3 * quality.seam.excess_metres).max(0.1)
                ),
            },
        }
    }

    /// The verdict that these figures hold; `None` if they hold none.
    pub fn from_facts(quality: &QualityFacts) -> Option<Self> {
        Some(Self {
            grade: quality.grade?,
            reason: quality.verdict_reason.clone()?,
        })
    }
}

/// `good: no joint moves ...`; the word for [`Grade::Check`] is "check it".
impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.grade.spoken(), self.reason)
    }
}

/// What a person sees at the seam of a loop before it is written; `None` if the seam does not show.
pub fn what_shows(made: &MadeLoop) -> Option<String> {
    let quality = quality::measure(&LoopKeys::from_loop(&made.loop_clip), &made.body, None);
    quality.pops().then(|| seam(&quality, made.loop_clip.skeleton()))
}

/// What a person sees at a seam.
fn seam(quality: &Quality, skeleton: &Skeleton) -> String {
    let (kind, step) = quality.seam.worst();
    let joint = &skeleton.joint(step.joint).name;
    match kind {
        StepKind::Position => format!("{joint} jumps by {} mm over the seam", short(1e3 * step.size)),
        StepKind::Rotation => format!("{joint} turns by {} deg over the seam", short(step.size.to_degrees())),
        StepKind::Velocity => format!(
            "{joint} changes its speed by {} cm/s over the seam",
            short(1e2 * step.size)
        ),
        StepKind::AngularVelocity => format!(
            "{joint} changes its rate of turn by {} deg/s over the seam",
            short(step.size.to_degrees())
        ),
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

/// Why somebody should look at a loop of this stretch, though its seam does not show; `None` where nothing speaks against it.
pub fn doubt(candidate: &LoopCandidate) -> Option<String> {
    if let Some(whole) = &candidate.whole {
        return match whole.kind {
            WholeClipKind::Loops => None,
            WholeClipKind::EndsAsItBegins => {
                Some("the clip ends as it begins, but may be a single action, such as a strike".to_owned())
            }
            WholeClipKind::Cycle if whole.last_key == LastKey::BeforeClosing => {
                Some("the clip shows one cycle only, without the key that closes it".to_owned())
            }
            WholeClipKind::Cycle => Some(format!(
                "the clip shows one cycle only, and its ends were {} mm and {} deg apart before they were closed",
                short(1e3 * whole.gap_metres),
                short(whole.gap_radians.to_degrees())
            )),
        };
    }
    if candidate.num_jumps > 0 {
        return Some(format!(
            "the pose of the take jumps inside, {} times",
            candidate.num_jumps
        ));
    }
    if !candidate.is_steady() {
        return Some(
            "the root motion of the take changes within the loop, so one constant motion replaces it badly".to_owned(),
        );
    }
    // An idle body repeats nothing, and need not.
    (!candidate.is_confident() && !candidate.is_idle).then(|| {
        format!(
            "low confidence: the take as a whole does not repeat at {:.2} s; the loop shows only its frames {:.0}-{:.0}",
            candidate.source_period_secs,
            candidate.cut.start_frame(),
            candidate.cut.end_frame()
        )
    })
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use loopwright::{
        Joint,
        math::{Rigid, Twist},
        quality::{SeamSteps, Step},
    };

    use super::*;

    /// The verdict on a loop that walks at this speed.
    fn graded(quality: &Quality, speed: f64, mode: RootMode, doubt: Option<&str>) -> String {
        let head = Joint {
            name: "Head".to_owned(),
            parent: None,
            rest_offset: DVec3::ZERO,
            tip: None,
        };
        let skeleton = Skeleton::new(vec![head]).unwrap();
        let root = RootMotion {
            start: Rigid::IDENTITY,
            twist: Twist {
                linear: DVec3::Z * speed,
                angular: DVec3::ZERO,
            },
        };
        Verdict::new(quality, &root, mode, &skeleton, doubt.map(str::to_owned)).to_string()
    }

    fn reference_body() -> Quality {
        Quality {
            body_size: 1.0,
            ..Quality::default()
        }
    }

    #[test]
    fn the_word_comes_with_the_first_reason_that_holds() {
        let constant = RootMode::Constant;
        let good = "good: no joint moves over the seam by more than 0.1 mm beyond its own motion";
        assert_eq!(graded(&reference_body(), 1.2, constant, None), good);
        assert_eq!(graded(&reference_body(), 1.2, constant, Some("so")), "check it: so");

        let sliding = Quality {
            foot_slide_mps: Some(0.14),
            ..reference_body()
        };
        assert_eq!(
            graded(&sliding, 1.2, constant, Some("so")),
            "check it: feet slide at 14 cm/s"
        );
        assert_eq!(
            graded(&sliding, 0.0, constant, None),
            good,
            "on the spot feet have to slide"
        );

        let bent = Quality {
            displacement_metres: Some(0.034),
            ..reference_body()
        };
        let reason = "check it: closing moved joints by 34 mm on average";
        assert_eq!(graded(&bent, 1.2, constant, None), reason);
        let of_a_giant = Quality { body_size: 4.0, ..bent };
        assert_eq!(graded(&of_a_giant, 1.2, constant, None), good);

        let drifts = graded(&reference_body(), 0.02, constant, None);
        assert!(drifts.starts_with("check it: the root drifts at 2.0 cm/s"), "{drifts}");
        assert_eq!(graded(&reference_body(), 0.02, RootMode::InPlace, None), good);

        let jumps = Quality {
            seam: SeamSteps {
                position: Step {
                    joint: 0,
                    size: 0.101,
                    allowed: 0.002,
                },
                ..SeamSteps::default()
            },
            ..bent
        };
        let bad = "bad: Head jumps by 101 mm over the seam";
        assert_eq!(graded(&jumps, 1.2, constant, Some("so")), bad);
    }
}
