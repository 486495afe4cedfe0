//! The kinds of edits, one file each: their parameters, checks and application.

use glam::DVec3;

use super::{EditError, JointOffset};
use crate::{analysis::Body, closure::Image, loop_clip::LoopClip, math::rotation, unit::Unit};

pub(super) mod aim;
pub(super) mod move_joint;
pub(super) mod noise;
pub(super) mod offset;
pub(super) mod smooth;
pub(super) mod swing;

use aim::Aim;
use move_joint::Move;
use noise::Noise;
use offset::Offset;
use smooth::Smooth;
use swing::Swing;

/// Lists the kinds of edits: each a type that is an [`Edit`], and the file that describes it.
macro_rules! kinds {
    ($(#[doc = $doc:literal] $Kind:ident: $file:ident,)+) => {
        /// A kind of edit.
        #[value(Copy, Eq)]
        pub enum EditKind {
            $(#[doc = $doc] $Kind,)+
        }

        impl EditKind {
            /// Every kind, in the order in which they are listed.
            pub const ALL: &'static [Self] = &[$(Self::$Kind),+];

            /// Returns all that is known of it.
            pub fn descriptor(self) -> &'static EditDescriptor {
                match self {
                    $(Self::$Kind => &$file::DESCRIPTOR,)+
                }
            }
        }

        /// An edit of a closed loop.
        #[handed_over]
        pub enum LoopEdit {
            $(#[doc = $doc] $Kind($Kind),)+
        }

        impl LoopEdit {
            /// Returns its kind.
            pub fn kind(&self) -> EditKind {
                match self {
                    $(Self::$Kind(_) => EditKind::$Kind,)+
                }
            }

            fn inner(&self) -> &dyn Edit {
                match self {
                    $(Self::$Kind(edit) => edit,)+
                }
            }
        }

        $(impl From<$Kind> for LoopEdit {
            fn from(edit: $Kind) -> Self {
                Self::$Kind(edit)
            }
        })+
    };
}

kinds! {
    /// Offsets a joint at one time, less before and after it.
    Move: move_joint,
    /// Offsets a joint all the time.
    Offset: offset,
    /// Scales how far joints turn about their means.
    Swing: swing,
    /// Takes fast motion out of joints.
    Smooth: smooth,
    /// Makes the loop end in another heading than it begins.
    Aim: aim,
    /// Adds noise that repeats with the loop.
    Noise: noise,
}

/// An edit of a loop.
trait Edit {
    /// Returns the joints that it changes; their partners in a mirror aside.
    fn joints(&self) -> &[usize] {
        &[]
    }

    /// Returns the edited loop, which stays mirrored. Errors: its numbers are out of range, or do not suit the loop.
    fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError>;

    /// Returns its values for a loop, as people state them.
    fn values(&self, clip: &LoopClip) -> EditValues;
}

impl LoopEdit {
    /// Creates an edit of a kind from its stated values. A number that is not stated has its default, or is zero.
    pub fn new(kind: EditKind, joints: &[usize], values: &EditValues) -> Self {
        (kind.descriptor().new)(joints, values)
    }

    /// Returns the joints that it changes; their partners in a mirror aside.
    pub fn joints(&self) -> &[usize] {
        self.inner().joints()
    }

    /// Returns its values for a loop, as people state them; a moment always in seconds.
    pub fn values(&self, clip: &LoopClip) -> EditValues {
        self.inner().values(clip)
    }

    /// Returns the edit with its rotations in the axes of joints.
    pub(super) fn in_joint_axes(&self, clip: &LoopClip, body: &Body) -> Result<Self, EditError> {
        match self {
            Self::Offset(offset) => Ok(offset.in_joint_axes(clip, body)?.into()),
            other => Ok(other.clone()),
        }
    }

    pub(super) fn edited(&self, clip: LoopClip, mirror: Option<&Image>) -> Result<LoopClip, EditError> {
        self.inner().edited(clip, mirror)
    }
}

/// The properties of a kind of edit.
#[derive(Debug)]
pub struct EditDescriptor {
    /// Its name in recipes and sidecars.
    pub name: &'static str,
    /// Its name at a button.
    pub title: &'static str,
    /// Which joints it changes.
    pub joints: EditedJoints,
    /// The numbers that are stated of it.
    pub parameters: &'static [EditParameter],
    new: fn(&[usize], &EditValues) -> LoopEdit,
}

impl EditDescriptor {
    /// Returns the parameter of that key, if edits of this kind have it.
    pub fn parameter(&self, key: EditKey) -> Option<&'static EditParameter> {
        self.parameters.iter().find(|parameter| parameter.key == key)
    }
}

/// Which joints a kind of edit changes.
#[value(Copy, Eq)]
pub enum EditedJoints {
    /// No joint: it edits the root motion.
    Root,
    /// One, which is named.
    One,
    /// The joints that are named, or all.
    All,
    /// The joints that are named, or trunk, arms and head.
    UpperBody,
}

impl EditedJoints {
    /// Describes the joints that are edited if none is named.
    pub fn usual(self) -> &'static str {
        match self {
            Self::Root | Self::One => "",
            Self::All => "all joints",
            Self::UpperBody => "trunk, arms and head",
        }
    }
}

/// A number of an edit, by its key in recipes.
#[choice_in_words]
pub enum EditKey {
    /// When, seconds since the start of the loop.
    Time,
    /// When, as a share of the loop.
    Phase,
    /// Duration of the change.
    Width,
    /// Rotation vector in the axes of the joint's parent.
    Rotation,
    /// Offset of the position in the axes of the joint's parent.
    Position,
    /// Angle by which a limb goes forward and up, or trunk and head lean back: [`BodyTurn`](super::BodyTurn).
    Raise,
    /// Angle by which a limb goes away from the middle of the body, or trunk and head lean to the left.
    Spread,
    /// Angle by which a limb turns inward about its bone, or trunk and head turn to the left.
    Twist,
    /// Standard deviation of weights, or root mean square of angles.
    Deviation,
    /// Factor of rotations about their mean.
    Scale,
    /// Turn of the loop.
    Turn,
    /// Highest rate.
    Highest,
    /// Seed of random numbers.
    Seed,
}

impl EditKey {
    /// The angles about axes of the body.
    pub const TURNS: [Self; 3] = [Self::Raise, Self::Spread, Self::Twist];
}

/// A parameter of a kind of edit.
#[derive(Debug)]
pub struct EditParameter {
    /// Which it is.
    pub key: EditKey,
    /// Its label beside a number.
    pub label: &'static str,
    /// Its unit.
    pub unit: Unit,
    /// A small change of it.
    pub step: f64,
    /// Whether it has to be stated.
    pub is_required: bool,
    /// Its default if not stated; for required values, a value to start with.
    pub default: EditValue,
}

impl EditParameter {
    const fn number(key: EditKey, label: &'static str, unit: Unit, step: f64, default: f64) -> Self {
        Self {
            key,
            label,
            unit,
            step,
            is_required: matches!(key, EditKey::Deviation | EditKey::Scale | EditKey::Turn),
            default: EditValue::Number(default),
        }
    }

    const fn turn(key: EditKey, label: &'static str) -> Self {
        Self::number(key, label, Unit::Degrees, 0.5, 0.0)
    }

    const ROTATION: Self = Self {
        key: EditKey::Rotation,
        label: "Turn",
        unit: Unit::Degrees,
        step: 0.5,
        is_required: false,
        default: EditValue::Vector([0.0; 3]),
    };

    const POSITION: Self = Self {
        key: EditKey::Position,
        label: "Shift",
        unit: Unit::Metres,
        step: 0.002,
        ..Self::ROTATION
    };
}

/// The value of a parameter.
#[value(Copy)]
pub enum EditValue {
    /// A number.
    Number(f64),
    /// A vector.
    Vector([f64; 3]),
    /// A whole number from 0.
    Whole(u32),
}

impl From<f64> for EditValue {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

/// The values that people state for an edit, by key, in seconds, degrees, metres and hertz.
#[value(Default)]
pub struct EditValues([Option<EditValue>; EditKey::ALL.len()]);

impl EditValues {
    /// Adds a value.
    #[must_use]
    pub fn with(mut self, key: EditKey, value: impl Into<EditValue>) -> Self {
        self.set(key, value.into());
        self
    }

    /// States a value.
    pub fn set(&mut self, key: EditKey, value: EditValue) {
        self.0[key as usize] = Some(value);
    }

    /// Returns a value; `None` if it is not stated.
    pub fn get(&self, key: EditKey) -> Option<EditValue> {
        self.0[key as usize]
    }

    /// Returns a value that is a number; `None` if it is not stated.
    pub fn number(&self, key: EditKey) -> Option<f64> {
        match self.get(key)? {
            EditValue::Number(number) => Some(number),
            EditValue::Whole(number) => Some(f64::from(number)),
            EditValue::Vector(_) => None,
        }
    }

    /// Returns a value that is a vector; `None` if it is not stated.
    pub fn vector(&self, key: EditKey) -> Option<[f64; 3]> {
        match self.get(key)? {
            EditValue::Vector(vector) => Some(vector),
            _ => None,
        }
    }

    /// Returns a value that is a whole number; `None` if it is not stated.
    pub fn whole(&self, key: EditKey) -> Option<u32> {
        match self.get(key)? {
            EditValue::Whole(number) => Some(number),
            _ => None,
        }
    }

    /// Returns the offset that is stated.
    fn offset(&self) -> JointOffset {
        let [rotation, position] =
            [EditKey::Rotation, EditKey::Position].map(|key| self.vector(key).map_or(DVec3::ZERO, DVec3::from_array));
        JointOffset {
            rotation: rotation * (core::f64::consts::TAU / 360.0),
            position,
        }
    }
}

impl From<JointOffset> for EditValues {
    fn from(offset: JointOffset) -> Self {
        Self::default()
            .with(
                EditKey::Rotation,
                EditValue::Vector(offset.rotation.to_array().map(f64::to_degrees)),
            )
            .with(EditKey::Position, EditValue::Vector(offset.position.to_array()))
    }
}

/// Returns the first of the given joints, for kinds that edit one; without any, a joint that no skeleton has.
fn only(joints: &[usize]) -> usize {
    joints.first().copied().unwrap_or(usize::MAX)
}

/// Returns the joints, and in a mirror their partners too, each once.
fn with_partners(joints: &[usize], mirror: Option<&Image>) -> Vec<usize> {
    let mut all = joints.to_vec();
    for &joint in joints {
        let partner = mirror.map_or(joint, |mirror| mirror.partner(joint));
        if !all.contains(&partner) {
            all.push(partner);
        }
    }
    all
}

/// Returns the loop with one joint offset at every sample; unchanged values keep their bits.
fn offset_joint(clip: LoopClip, joint: usize, offset: impl Fn(usize) -> JointOffset) -> LoopClip {
    let mut tracks = clip.tracks().clone();
    tracks.set_joint(joint, |sample| {
        let mut own = clip.tracks().pose(sample).joint(joint);
        let JointOffset { rotation, position } = offset(sample);
        own.translation += position;
        if rotation != DVec3::ZERO {
            own.rotation = (rotation::exp(rotation) * own.rotation).normalize();
        }
        own
    });
    clip.with_tracks(tracks)
}
