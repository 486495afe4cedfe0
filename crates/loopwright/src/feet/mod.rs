//! Feet of a loop: when they stand, how fast the ground goes by below them, and holding them in their place.
//!
//! Works on a closed loop, so what it finds and does repeats: `contact` finds when feet stand, and `speed` how fast the root
//! must go for them to rest. Held feet get offsets in the world (`stance`); two-bone legs (`leg`) then carry them there,
//! each foot keeping its turn, so that it rolls over heel and toe as captured. Where a leg cannot reach, or would have to bend
//! all at once, heel (`footing`) and hips (`hips`) give way, and knees that would jerk are eased (`stride`). Derivations:
//! docs/math/contacts.md and docs/math/feet.md.

use glam::DVec3;

use crate::{
    analysis::{
        body::{Body, FoundBy},
        standing::ContactLimits,
    },
    closure::boundary::BoundaryError,
    loop_clip::{LoopClip, LoopClipError},
    math::rigid::Twist,
    words,
};

pub(crate) mod contact;

mod stage;

mod stance;

mod leg;

mod footing;

mod hips;

mod stride;

mod hold;

pub(crate) mod speed;

pub use contact::LoopContact;
use footing::PlantedFoot;
use leg::Leg;
pub use speed::FeetSpeed;
use stage::Stage;

/// Whether feet are held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FootLock {
    /// Where their contacts can be trusted.
    #[default]
    Auto,
    /// Wherever they stand.
    On,
    /// Not at all.
    Off,
}

words!(FootLock {
    Auto: "auto",
    On: "on",
    Off: "off",
});

/// What the speed of the root goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootSpeed {
    /// The feet where they slide clearly less for it, else the poses.
    #[default]
    Auto,
    /// The feet, wherever they come to stand.
    Feet,
    /// The poses around both ends of the cut.
    Poses,
}

words!(RootSpeed {
    Auto: "auto",
    Feet: "feet",
    Poses: "pose",
});

/// How feet are treated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FeetSettings {
    /// Whether they are held.
    pub lock: FootLock,
    /// What the speed of the root goes by.
    pub speed: RootSpeed,
}

impl From<FootLock> for FeetSettings {
    fn from(lock: FootLock) -> Self {
        Self {
            lock,
            ..Self::default()
        }
    }
}

/// What became of a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FootOutcome {
    /// It is held wherever it stands.
    Held,
    /// Nobody asked for it to be held.
    NotAsked,
    /// Nothing bends between the hips and it.
    NoKnee,
    /// It does not come to stand.
    NeverStands,
    /// It slides this far while it seems to stand, metres: it is meant to, or it was misjudged.
    Slides {
        /// Farthest from the place of its stance.
        metres: f64,
    },
}

/// What was found about the feet of a loop and what was done to them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feet {
    /// When they stand, by foot and first sample.
    pub contacts: Vec<LoopContact>,
    /// When they are held: contacts and what goes before and after them.
    pub held: Vec<LoopContact>,
    /// What became of every foot; empty where feet cannot be told from other joints.
    pub outcomes: Vec<FootOutcome>,
    /// Most that the hips sank so that the legs reach, metres.
    pub hips_lowered_metres: f64,
    /// Farthest that a foot was moved, metres.
    pub moved_metres: f64,
    /// The root's speed by the feet; `None` where they never stand, or the root does not travel at all.
    pub speed: Option<FeetSpeed>,
    /// Whether that is the speed of the root.
    pub speed_is_theirs: bool,
    /// Speed of standing feet before and after they were held, metres per second; `None` where it is not known.
    pub foot_slide_mps: [Option<f64>; 2],
}

impl Feet {
    /// Whether any foot is held.
    pub fn is_locked(&self) -> bool {
        self.outcomes.contains(&FootOutcome::Held)
    }
}

/// A foot that is further than this from the place of its stance slides, metres; unless it must, it is not held then.
///
/// Captured feet that stand stray by a centimetre or two; beyond, a dancer's sole glides or the foot was in the air.
const SLIDES_METRES: f64 = 0.08;

/// The travel of a loop as its feet have it, and what they say; `None` in place of the travel where it stays as it is.
pub(crate) fn measure_speed(
    clip: &LoopClip,
    body: &Body,
    limits: &ContactLimits,
    settings: &FeetSettings,
) -> (Option<FeetSpeed>, Option<Twist>) {
    if body.found_by == FoundBy::AllLeaves || settings.speed == RootSpeed::Poses {
        return (None, None);
    }
    let stage = Stage::of(clip);
    let positions: Vec<Vec<DVec3>> = (body.feet.iter())
        .map(|foot| stage.positions(foot.lowest_joint()))
        .collect();
    let found = speed::of_feet(&stage, &positions, limits);
    let taken = found.filter(|found| settings.speed == RootSpeed::Feet || found.is_better());
    (found, taken.map(|found| found.twist))
}

/// Tells when the feet of a loop stand and holds them there.
///
/// `root_joint` is the joint of the rig that carries the root's motion and nothing else, where it has one; it stays where it
/// is. Afterwards the loop repeats as exactly as before. A foot that cannot be held is left alone, with the reason. Errors: a
/// fade between two stances has no solution; the samples are no loop clip any more. Neither is known to happen.
pub fn plant(
    clip: &LoopClip,
    body: &Body,
    root_joint: Option<usize>,
    limits: &ContactLimits,
    lock: FootLock,
) -> Result<(Option<LoopClip>, Feet), PlantError> {
    let mut feet = Feet::default();
    if body.found_by == FoundBy::AllLeaves {
        return Ok((None, feet));
    }
    if clip.follows_path() {
        // Feet stand in the world, and the world is seen from the constant twist.
        let path = clip.path().to_vec();
        let (planted, feet) = plant(&clip.clone().on_screw()?, body, root_joint, limits, lock)?;
        let planted = planted.map(|planted| planted.along(path)).transpose()?;
        return Ok((planted, feet));
    }
    let stage = Stage::of(clip);
    let mut planted: Vec<PlantedFoot> = Vec::new();
    for (index, foot) in body.feet.iter().enumerate() {
        let positions = stage.positions(foot.lowest_joint());
        let contacts = contact::of_foot(index, &positions, &stage.travel, clip.step_secs(), limits);
        feet.contacts.extend(&contacts);
        feet.outcomes.push(if lock == FootLock::Off {
            FootOutcome::NotAsked
        } else if contacts.is_empty() {
            FootOutcome::NeverStands
        } else if let Some(leg) = Leg::of(clip.skeleton(), &stage.world, body, foot) {
            let offsets = stance::offsets(&stage, &positions, &contacts)?;
            let slides = offsets.farthest_held(&contacts);
            if slides > SLIDES_METRES && lock == FootLock::Auto {
                FootOutcome::Slides { metres: slides }
            } else {
                planted.push(PlantedFoot::new(&stage, leg, foot.lowest_joint(), offsets));
                FootOutcome::Held
            }
        } else {
            FootOutcome::NoKnee
        });
    }
    if planted.is_empty() {
        return Ok((None, feet));
    }
    let path = clip.skeleton().path_from_root(body.hips);
    let lifted = match root_joint.and_then(|root| path.iter().position(|&joint| joint == root)) {
        Some(at) => path.get(at + 1).copied().unwrap_or(body.hips),
        None => clip.carrier(),
    };
    let held = hold::hold(&stage, &planted, lifted);
    for foot in &planted {
        let moved = foot.offsets.offsets.iter().map(|offset| offset.length());
        feet.moved_metres = moved.fold(feet.moved_metres, f64::max);
        feet.held.extend(&foot.offsets.spans);
    }
    feet.hips_lowered_metres = held.hips.iter().copied().fold(0.0, f64::min).abs();
    let clip = clip.clone().with_tracks(held.tracks);
    Ok((Some(clip), feet))
}

/// Why feet cannot be held.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PlantError {
    /// A fade between two stances has no solution.
    #[error(transparent)]
    Boundary(#[from] BoundaryError),
    /// The samples are not a loop clip.
    #[error(transparent)]
    LoopClip(#[from] LoopClipError),
}
