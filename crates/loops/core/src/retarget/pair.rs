//! Two rigs and their matched joints.

use super::{JointMap, MapError, Rig};

/// The rig of a motion, the character that takes it, and which of its joints follow which.
#[handed_over]
pub struct RigPair {
    /// The rig of the motion.
    pub source: Rig,
    /// The character.
    pub target: Rig,
    /// The joint of the source that each joint of the character follows.
    pub map: JointMap,
    /// The rig of the motion in the pose that its file and its motion show, if the transfer goes by another.
    pub neutral: Option<Rig>,
    /// Largest growth of the leg bones that lets feet reach their goals, as a share; 0 by default.
    pub stretch: f64,
}

impl RigPair {
    /// Two rigs with the joint map that is found for them. Errors: [`MapError::NoSkeleton`], [`MapError::NothingMapped`].
    pub fn new(source: Rig, target: Rig) -> Result<Self, MapError> {
        let map = JointMap::between(&source, &target)?;
        Ok(Self {
            source,
            target,
            map,
            neutral: None,
            stretch: 0.0,
        })
    }

    /// Returns the scale of the motion of root and hips: the ratio of the legs' lengths.
    pub fn scale(&self) -> f64 {
        self.target.scale_from(&self.source)
    }
}
