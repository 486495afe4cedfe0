//! What the end of a stretch meets: its own start, or the mirror image of it.

use std::borrow::Cow;

use super::Mirror;
use crate::analysis::{
    Analysis,
    features::{Features, WeightedJoint},
};

/// How the two ends of a stretch belong together in a loop.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Pairing {
    /// The end meets the start: the stretch is the whole loop.
    #[default]
    Same,
    /// The end meets the mirror image of the start: the stretch is half of the loop, and its image the other half.
    Mirrored(Mirror),
}

impl Pairing {
    /// The mirror, where there is one.
    pub fn mirror(&self) -> Option<&Mirror> {
        match self {
            Self::Same => None,
            Self::Mirrored(mirror) => Some(mirror),
        }
    }

    /// Whether images are met.
    pub fn is_mirrored(&self) -> bool {
        self.mirror().is_some()
    }

    /// The joint whose motion continues that of `joint` over the seam.
    pub fn partner(&self, joint: usize) -> usize {
        self.mirror().map_or(joint, |mirror| mirror.partner(joint))
    }

    /// How many times the length of the stretch the loop is long: itself, and its image where that follows.
    pub(crate) fn num_stretches(&self) -> u8 {
        1 + u8::from(self.is_mirrored())
    }

    /// Whether a stretch that repeats may be so many shorter ones that repeat in the same way: where images are met only an odd
    /// number, since after an even number of halves a body is where it began and not in the mirror.
    pub(crate) fn divides_into(&self, parts: usize) -> bool {
        !self.is_mirrored() || parts % 2 == 1
    }

    /// The features in which ends are compared: the take's own, and behind them those of what every frame is met as, where that
    /// is not the frame itself.
    ///
    /// Where images are met both partners count with the lesser weight of the two. What meets frame `n` of a take of `N` frames
    /// stands `N` frames before the end of the features plus `n`.
    pub(crate) fn features<'a>(&self, analysis: &'a Analysis) -> Cow<'a, Features> {
        let Self::Mirrored(mirror) = self else {
            return Cow::Borrowed(&analysis.features);
        };
        let joints = balanced_weights(&analysis.joints, mirror);
        // Every joint left has its partner among the others.
        let partners: Vec<usize> = (joints.iter().enumerate())
            .map(|(index, weighted)| {
                let partner = mirror.partner(weighted.joint);
                joints.iter().position(|other| other.joint == partner).unwrap_or(index)
            })
            .collect();
        let features = Features::of(
            &analysis.take,
            &analysis.world,
            &analysis.heading,
            &analysis.body,
            &joints,
        );
        Cow::Owned(features.with_images(&partners))
    }
}

impl From<Option<Mirror>> for Pairing {
    fn from(mirror: Option<Mirror>) -> Self {
        mirror.map_or(Self::Same, Self::Mirrored)
    }
}

/// Weights for comparing poses with images of others: both partners count as the lesser of them does.
fn balanced_weights(joints: &[WeightedJoint], mirror: &Mirror) -> Vec<WeightedJoint> {
    let weight_of = |joint: usize| {
        let known = joints.iter().find(|weighted| weighted.joint == joint);
        known.map_or(0.0, |weighted| weighted.weight)
    };
    joints
        .iter()
        .map(|weighted| WeightedJoint {
            weight: weighted.weight.min(weight_of(mirror.partner(weighted.joint))),
            ..*weighted
        })
        .filter(|weighted| weighted.weight > 0.0)
        .collect()
}
