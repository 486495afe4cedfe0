//! Edits of a closed loop that keep it closed: each adds something that repeats with the loop, or changes how the root goes on.
//!
//! What is added to a track is a periodic function with continuous first and second derivatives, the seam being no special
//! place. In a loop whose second half mirrors the first, the mirror image is added half a period later, so that it goes on to do
//! so. Formulae: docs/math/edits.md.

use core::ops::RangeInclusive;

use glam::DVec3;

use crate::{
    closure::Image,
    loop_clip::LoopClip,
    math::{
        rigid::{Rigid, Twist},
        rotation,
    },
    mirror::Mirror,
    motion::Tracks,
};

mod bump;

mod noise;

mod smooth;

pub use bump::bump;
pub use noise::num_harmonics;

/// A time in a loop; it may lie beyond its ends, round which it goes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    /// Seconds since its start.
    Secs(f64),
    /// Share of its period since its start.
    Phase(f64),
}

/// An offset of a joint, in the axes of its parent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointOffset {
    /// Rotation vector, multiplied on the left of the joint's rotation, radians.
    pub rotation: DVec3,
    /// Added to its translation, metres.
    pub position: DVec3,
}

impl JointOffset {
    /// No offset.
    pub const ZERO: Self = Self {
        rotation: DVec3::ZERO,
        position: DVec3::ZERO,
    };

    /// The same offset in a mirror across X, for the partner of the joint, as [`Mirror::take`] mirrors the poses of a take.
    #[must_use]
    pub fn mirrored(self, mirror: &Mirror, joint: usize) -> Self {
        Self {
            // A rotation is a vector whose sense the mirror reverses.
            rotation: -mirror.reflect(joint, self.rotation),
            position: mirror.reflect(joint, self.position),
        }
    }

    fn times(self, share: f64) -> Self {
        Self {
            rotation: self.rotation * share,
            position: self.position * share,
        }
    }

    fn plus(self, other: Self) -> Self {
        Self {
            rotation: self.rotation + other.rotation,
            position: self.position + other.position,
        }
    }

    /// Its image in a mirror, in the axes of the parent of the joint's partner.
    fn image(self, mirror: &Image<'_>, joint: usize) -> Self {
        Self {
            rotation: mirror.rotation_vector(joint, self.rotation),
            position: mirror.vector(joint, self.position),
        }
    }
}

/// An edit of a closed loop.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEdit {
    /// Offsets a joint at one time, less before and after it.
    Move {
        /// The joint.
        joint: usize,
        /// When the whole offset applies.
        at: Moment,
        /// Seconds from where nothing is changed yet to where nothing is changed any more; `None` for
        /// [`DEFAULT_WIDTH_SECS`], or the period of shorter loops.
        width_secs: Option<f64>,
        /// How far.
        offset: JointOffset,
    },
    /// Offsets a joint all the time.
    Offset {
        /// The joint.
        joint: usize,
        /// How far.
        offset: JointOffset,
    },
    /// Takes fast motion out of joints: a mean over the time about each sample, round the loop.
    Smooth {
        /// The joints.
        joints: Vec<usize>,
        /// Standard deviation of the Gaussian weights, seconds.
        deviation_secs: f64,
    },
    /// Turns the root so that the loop ends in another heading than it begins.
    Aim {
        /// Heading at its end from that at its start, radians, left positive.
        turn: f64,
    },
    /// Adds noise that repeats with the loop, to rotations.
    Noise {
        /// The joints, each with noise of its own.
        joints: Vec<usize>,
        /// Root mean square of the angle, radians.
        deviation: f64,
        /// Highest rate in it, hertz; the lowest is that of the loop.
        highest_hz: f64,
        /// The same seed gives the same noise.
        seed: u64,
    },
}

impl LoopEdit {
    /// What kind of edit it is, in a word.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Move { .. } => "move",
            Self::Offset { .. } => "offset",
            Self::Smooth { .. } => "smooth",
            Self::Aim { .. } => "aim",
            Self::Noise { .. } => "noise",
        }
    }

    /// How long an edit at one time lasts in a loop, seconds; `None` for the other kinds.
    pub fn width_secs(&self, clip: &LoopClip) -> Option<f64> {
        match self {
            Self::Move { width_secs, .. } => {
                let [least, most] = widths(clip);
                Some(width_secs.unwrap_or(DEFAULT_WIDTH_SECS.clamp(least, most)))
            }
            _ => None,
        }
    }
}

/// The shortest and the longest width of an edit of a loop, seconds.
fn widths(clip: &LoopClip) -> [f64; 2] {
    [
        FEWEST_SAMPLES.min(clip.num_samples()) as f64 * clip.step_secs(),
        clip.period_secs(),
    ]
}

/// How long an edit at one time lasts by default, seconds: half of it rises, half falls.
pub const DEFAULT_WIDTH_SECS: f64 = 0.5;

/// Highest rate of noise by default, hertz: bodies sway no faster at rest.
pub const DEFAULT_NOISE_HZ: f64 = 2.0;

/// Fewest samples that an edit at one time lasts: fewer would be a spike between two samples.
const FEWEST_SAMPLES: usize = 6;

/// Largest rotation of an edit, and largest turn of a loop, radians: one whole turn, beyond which only numbers grow.
const MAX_ROTATION: f64 = core::f64::consts::TAU;

/// Largest rotation of noise, radians.
const MAX_NOISE: f64 = core::f64::consts::FRAC_PI_2;

/// Farthest that a joint is moved, metres.
const MAX_METRES: f64 = 100.0;

/// Longest smoothing, seconds: what is left of a cycle is near its mean.
const MAX_SMOOTHING_SECS: f64 = 1.0;

/// Rates of noise, hertz.
const NOISE_HZ: RangeInclusive<f64> = 1e-3..=1e3;

/// Rounding of a number that a caller worked out.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Why a loop cannot be edited.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EditError {
    /// The joint does not exist.
    #[error("there is no joint {joint}, the skeleton has {num_joints}")]
    Joint {
        /// Index given.
        joint: usize,
        /// Joints of the skeleton.
        num_joints: usize,
    },
    /// The joint is the root of the rig, which carries the root motion alone.
    #[error("joint {name} carries the root motion of the rig and is not edited")]
    RootJoint {
        /// Its name.
        name: String,
    },
    /// The time is not a number.
    #[error("the time of an edit must be a number, found {found}")]
    Moment {
        /// Seconds or share given.
        found: f64,
    },
    /// The width is shorter than a few samples, or longer than the loop.
    #[error("the width of an edit must be {least:.3} to {most:.3} s for this loop, found {found}")]
    Width {
        /// Seconds given.
        found: f64,
        /// Six samples.
        least: f64,
        /// The period.
        most: f64,
    },
    /// The rotation is no number, or more than a whole turn.
    #[error("an edit turns a joint by up to {:.0} degrees, found {:.3}", MAX_ROTATION.to_degrees(), .found.to_degrees())]
    Rotation {
        /// Radians given.
        found: f64,
    },
    /// The distance is no number, or longer than any body.
    #[error("an edit moves a joint by up to {MAX_METRES:.0} m, found {found}")]
    Distance {
        /// Metres given.
        found: f64,
    },
    /// The smoothing time is out of range.
    #[error("smoothing takes 0 to {most:.3} s for this loop, found {found}")]
    Smoothing {
        /// Seconds given.
        found: f64,
        /// Half the period, at most a second.
        most: f64,
    },
    /// The size of the noise is out of range.
    #[error("noise turns joints by 0 to {:.0} degrees, found {:.3}", MAX_NOISE.to_degrees(), .found.to_degrees())]
    Noise {
        /// Radians given.
        found: f64,
    },
    /// The highest rate of the noise is out of range.
    #[error("the highest rate of noise must be {} to {} Hz, found {found}", NOISE_HZ.start(), NOISE_HZ.end())]
    NoiseRate {
        /// Hertz given.
        found: f64,
    },
    /// The turn of the loop is out of range.
    #[error("a loop turns by up to {:.0} degrees, found {:.3}", MAX_ROTATION.to_degrees(), .found.to_degrees())]
    Turn {
        /// Radians given.
        found: f64,
    },
    /// The root never turns: it moves straight ahead, or not at all.
    #[error("a root that moves straight ahead or not at all cannot be aimed")]
    RootNeverTurns,
    /// The root moves in space, where no one axis is up.
    #[error("a root that moves in full space cannot be aimed")]
    AimInFullSpace,
    /// The second half of the loop mirrors the first, so that what it turns in one it turns back in the other.
    #[error("a loop whose second half mirrors the first goes straight ahead and cannot be aimed")]
    AimMirrored,
    /// An offset all the time that differs from its own mirror image, of a joint that has no partner.
    #[error(
        "joint {name} is its own mirror image, and an offset to one side all the time cannot be in a loop whose second half \
         mirrors the first; one at a time can"
    )]
    Lopsided {
        /// Its name.
        name: String,
    },
    /// The joint lies above the one that carries the root motion, where a loop of two mirrored halves does not move.
    #[error("joint {name} lies above the hips and is not edited in a loop whose second half mirrors the first")]
    AboveMirrored {
        /// Its name.
        name: String,
    },
}

/// Share of an offset that may be lost where it is brought to its own mirror image: poses that are symmetric in the mean alone
/// are so to a few degrees.
const MAX_LOPSIDED: f64 = 0.2;

/// A loop after edits, the first of them first. A loop that is edited by nothing but zeros stays as it is, to the bit.
///
/// `root_joint` is the joint of the rig that carries the root motion alone, if there is one: it is not edited. Errors:
/// [`EditError`].
pub fn apply(clip: LoopClip, edits: &[LoopEdit], root_joint: Option<usize>) -> Result<LoopClip, EditError> {
    apply_mirrored(clip, edits, root_joint, None)
}

/// The same for a loop whose second half is the image of the first in `mirror`, if any; it stays so.
pub(crate) fn apply_mirrored(
    clip: LoopClip,
    edits: &[LoopEdit],
    root_joint: Option<usize>,
    mirror: Option<&Image<'_>>,
) -> Result<LoopClip, EditError> {
    (edits.iter()).try_fold(clip, |clip, edit| edited(clip, edit, root_joint, mirror))
}

fn edited(
    clip: LoopClip,
    edit: &LoopEdit,
    root_joint: Option<usize>,
    mirror: Option<&Image<'_>>,
) -> Result<LoopClip, EditError> {
    let joints: &[usize] = match edit {
        LoopEdit::Move { joint, .. } | LoopEdit::Offset { joint, .. } => core::slice::from_ref(joint),
        LoopEdit::Smooth { joints, .. } | LoopEdit::Noise { joints, .. } => joints,
        LoopEdit::Aim { .. } => &[],
    };
    let num_joints = clip.skeleton().num_joints();
    for &joint in joints {
        if joint >= num_joints {
            return Err(EditError::Joint { joint, num_joints });
        }
        let name = || clip.skeleton().joint(joint).name.clone();
        if root_joint == Some(joint) {
            return Err(EditError::RootJoint { name: name() });
        }
        if mirror.is_some_and(|mirror| mirror.is_above(joint)) {
            return Err(EditError::AboveMirrored { name: name() });
        }
    }
    let (count, period) = (clip.num_samples(), clip.period_secs());
    match *edit {
        LoopEdit::Move { joint, at, offset, .. } => {
            check_offset(&offset)?;
            let middle = match at {
                Moment::Secs(secs) => secs,
                Moment::Phase(phase) => phase * period,
            };
            if !middle.is_finite() {
                return Err(EditError::Moment { found: middle });
            }
            let [least, most] = widths(&clip);
            let found = edit.width_secs(&clip).unwrap_or(most);
            if !(least..=most * ROUNDING).contains(&found) {
                return Err(EditError::Width { found, least, most });
            }
            let step = clip.step_secs();
            let at = |middle: f64| {
                move |sample: usize, offset: JointOffset| {
                    offset.times(bump(bump::around(middle, sample as f64 * step, period), 0.5 * found))
                }
            };
            let (own, later) = (at(middle), at(middle + 0.5 * period));
            Ok(
                match mirror.map(|mirror| (mirror.partner(joint), offset.image(mirror, joint))) {
                    None => offset_joint(clip, joint, |sample| own(sample, offset)),
                    Some((partner, image)) if partner == joint => {
                        offset_joint(clip, joint, |sample| own(sample, offset).plus(later(sample, image)))
                    }
                    Some((partner, image)) => {
                        let clip = offset_joint(clip, joint, |sample| own(sample, offset));
                        offset_joint(clip, partner, |sample| later(sample, image))
                    }
                },
            )
        }
        LoopEdit::Offset { joint, offset } => {
            check_offset(&offset)?;
            Ok(
                match mirror.map(|mirror| (mirror.partner(joint), offset.image(mirror, joint))) {
                    None => offset_joint(clip, joint, |_| offset),
                    Some((partner, image)) if partner == joint => {
                        let even = offset.plus(image).times(0.5);
                        let lost = |whole: DVec3, even: DVec3| (whole - even).length() > MAX_LOPSIDED * whole.length();
                        if lost(offset.rotation, even.rotation) || lost(offset.position, even.position) {
                            let name = clip.skeleton().joint(joint).name.clone();
                            return Err(EditError::Lopsided { name });
                        }
                        offset_joint(clip, joint, |_| even)
                    }
                    Some((partner, image)) => {
                        let clip = offset_joint(clip, joint, |_| offset);
                        offset_joint(clip, partner, |_| image)
                    }
                },
            )
        }
        LoopEdit::Smooth {
            ref joints,
            deviation_secs,
        } => {
            let most = MAX_SMOOTHING_SECS.min(0.5 * period);
            if !(0.0..=most * ROUNDING).contains(&deviation_secs) {
                return Err(EditError::Smoothing {
                    found: deviation_secs,
                    most,
                });
            }
            if deviation_secs == 0.0 {
                return Ok(clip);
            }
            let deviation = deviation_secs / clip.step_secs();
            let mut tracks = clip.tracks().clone();
            for joint in with_partners(joints, mirror) {
                let (translations, rotations) = smooth::smoothed(clip.tracks(), joint, deviation);
                tracks.set_joint(joint, |sample| Rigid::new(rotations[sample], translations[sample]));
            }
            Ok(clip.with_tracks(tracks))
        }
        LoopEdit::Noise {
            ref joints,
            deviation,
            highest_hz,
            seed,
        } => {
            if !(0.0..=MAX_NOISE * ROUNDING).contains(&deviation) {
                return Err(EditError::Noise { found: deviation });
            }
            if !NOISE_HZ.contains(&highest_hz) {
                return Err(EditError::NoiseRate { found: highest_hz });
            }
            let harmonics = num_harmonics(count, period, highest_hz);
            let waves = noise::Waves::of(count);
            Ok(with_partners(joints, mirror).into_iter().fold(clip, |clip, joint| {
                let mut noise = waves.noise(harmonics, deviation, joint, seed);
                if let Some(mirror) = mirror {
                    let partner = mirror.partner(joint);
                    let other = waves.noise(harmonics, deviation, partner, seed);
                    for (sample, value) in noise.iter_mut().enumerate() {
                        *value += mirror.rotation_vector(partner, other[(sample + count / 2) % count]);
                    }
                    noise::scale_to(&mut noise, deviation);
                }
                offset_joint(clip, joint, |sample| JointOffset {
                    rotation: noise[sample],
                    ..JointOffset::ZERO
                })
            }))
        }
        LoopEdit::Aim { turn } => {
            if !(0.0..=MAX_ROTATION * ROUNDING).contains(&turn.abs()) {
                return Err(EditError::Turn { found: turn });
            }
            if mirror.is_some() {
                return Err(EditError::AimMirrored);
            }
            let Twist { linear, angular } = clip.root().twist;
            let angular = DVec3::new(angular.x, turn / period, angular.z);
            Ok(clip.with_twist(Twist { linear, angular }))
        }
    }
}

/// The joints, and in a mirror their partners too, each once.
fn with_partners(joints: &[usize], mirror: Option<&Image<'_>>) -> Vec<usize> {
    let mut all = joints.to_vec();
    for &joint in joints {
        let partner = mirror.map_or(joint, |mirror| mirror.partner(joint));
        if !all.contains(&partner) {
            all.push(partner);
        }
    }
    all
}

fn check_offset(offset: &JointOffset) -> Result<(), EditError> {
    let (rotation, position) = (offset.rotation.length(), offset.position.length());
    if !(0.0..=MAX_ROTATION * ROUNDING).contains(&rotation) {
        return Err(EditError::Rotation { found: rotation });
    }
    if !(0.0..=MAX_METRES).contains(&position) {
        return Err(EditError::Distance { found: position });
    }
    Ok(())
}

/// The loop with one joint offset at every sample; what is not offset keeps its bits.
fn offset_joint(clip: LoopClip, joint: usize, offset: impl Fn(usize) -> JointOffset) -> LoopClip {
    let mut tracks: Tracks = clip.tracks().clone();
    let before = clip.tracks();
    tracks.set_joint(joint, |sample| {
        let mut own = before.pose(sample).joint(joint);
        let JointOffset { rotation, position } = offset(sample);
        own.translation += position;
        if rotation != DVec3::ZERO {
            own.rotation = (rotation::exp(rotation) * own.rotation).normalize();
        }
        own
    });
    clip.with_tracks(tracks)
}
