//! How a stretch continues after its end: with its own start, with the mirror image of its start, or backwards.

use std::borrow::Cow;

use super::Mirror;
use crate::{
    analysis::{Analysis, Features, WeightedJoint},
    take::{Cut, PingPong},
};

/// How the two ends of a stretch meet in a loop.
#[handed_over(Default)]
pub enum Pairing {
    /// The end meets the start: the stretch is the whole loop.
    #[default]
    Same,
    /// The end meets the mirror image of the start: the stretch is half of the loop, and its image the other half.
    Mirrored(Mirror),
    /// The end meets itself, and so does the start: the stretch is played there and back, with soft turns.
    PingPong {
        /// Frames that a turn takes, about: see [`PingPong::new`].
        ease_frames: f64,
    },
}

impl Pairing {
    /// Returns the mirror, if there is one.
    pub fn mirror(&self) -> Option<&Mirror> {
        match self {
            Self::Mirrored(mirror) => Some(mirror),
            _ => None,
        }
    }

    /// Whether ends meet mirror images.
    pub fn is_mirrored(&self) -> bool {
        self.mirror().is_some()
    }

    /// Whether the stretch is played there and back.
    pub fn is_ping_pong(&self) -> bool {
        matches!(self, Self::PingPong { .. })
    }

    /// Returns the course of frames over time, for ping-pong.
    pub fn ping_pong(&self, cut: &Cut) -> Option<PingPong> {
        match *self {
            Self::PingPong { ease_frames } => Some(PingPong::new(cut, ease_frames)),
            _ => None,
        }
    }

    /// Returns the joint whose motion continues that of `joint` over the seam.
    pub fn partner(&self, joint: usize) -> usize {
        self.mirror().map_or(joint, |mirror| mirror.partner(joint))
    }

    /// Returns the number of clips in the loop: one, or two if the image follows.
    pub(crate) fn num_stretches(&self) -> u8 {
        1 + u8::from(self.is_mirrored())
    }

    /// Whether a repeating stretch may consist of this many shorter ones that repeat in the same way. For mirrored ends only an
    /// odd number can: an even number of halves ends on the start itself, not on its image.
    pub(crate) fn divides_into(&self, parts: usize) -> bool {
        !self.is_mirrored() || parts % 2 == 1
    }

    /// Returns the features in which ends are compared: the take's own, followed for mirrored ends by those of the images.
    ///
    /// With images, both partners count with the smaller weight of the two. The features that meet frame `n` of a take of `N`
    /// frames are `N` rows before the end plus `n`.
    pub(crate) fn features<'a>(&self, analysis: &'a Analysis) -> Cow<'a, Features> {
        let Self::Mirrored(mirror) = self else {
            return Cow::Borrowed(&analysis.features);
        };
        let joints = balanced_weights(&analysis.joints, mirror);
        // Each joint left has its partner among the others.
        let partners: Vec<usize> = joints
            .iter()
            .enumerate()
            .map(|(index, weighted)| {
                let partner = mirror.partner(weighted.joint);
                joints.iter().position(|other| other.joint == partner).unwrap_or(index)
            })
            .collect();
        Cow::Owned(analysis.features_of(&joints).with_images(&partners))
    }
}

impl From<Option<Mirror>> for Pairing {
    fn from(mirror: Option<Mirror>) -> Self {
        mirror.map_or(Self::Same, Self::Mirrored)
    }
}

/// Returns the weights for comparing poses with mirror images: both partners get the smaller weight of the two.
fn balanced_weights(joints: &[WeightedJoint], mirror: &Mirror) -> Vec<WeightedJoint> {
    joints
        .iter()
        .filter_map(|weighted| {
            let partner = mirror.partner(weighted.joint);
            let other = joints.iter().find(|other| other.joint == partner)?;
            Some(WeightedJoint {
                weight: weighted.weight.min(other.weight),
                ..*weighted
            })
        })
        .filter(|weighted| weighted.weight > 0.0)
        .collect()
}
