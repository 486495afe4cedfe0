//! The size of a body, which scales every limit and weight of its feet in metres.

use glam::DVec3;

use super::{Stage, leg::NUM_JOINTS};
use crate::analysis::{Body, ContactLimits, standing::LimitsAtSize};

/// Largest bend of a character's knee beyond that of the motion's source, radians (8 degrees). With less, feet leave their
/// places while they stand; with more, the longer feet of a character with short legs fold them.
pub(crate) const KNEE_BEYOND_SOURCE: f64 = 0.14;

/// Largest bend of an elbow beyond that of the source while its hand is on the ground, radians (50 degrees): arms longer by a
/// tenth would otherwise reach below it.
pub(crate) const ELBOW_BEYOND_SOURCE: f64 = 0.87;

/// A bearing point is level within about this, metres on the reference body; a larger rise is a roll, and is kept.
const ROLL_METRES: f64 = 0.006;

/// Returns the part of a rise of a bearing point that is a roll and is kept, metres, on a body of a size.
pub(super) fn roll_kept(rise: f64, size: f64) -> f64 {
    let rise = rise / size;
    size * rise.powi(3) / (rise * rise + ROLL_METRES * ROLL_METRES)
}

/// The limits of a leg of a character, by the source of its motion.
#[value(Copy)]
pub(crate) struct LegLimits {
    /// The angle beyond which the knee does not bend, radians from the straightest.
    pub most_flexed: f64,
    /// The largest angular accelerations of thigh, knee, ankle and toes, radians per second squared; infinite where unknown.
    pub hardest: [f64; NUM_JOINTS],
    /// The front of its sole, if known: it stays above the ground.
    pub front: Option<SoleFront>,
}

/// The front of the sole of a foot with toes.
#[value(Copy)]
pub(crate) struct SoleFront {
    /// In the axes of the toes, metres.
    pub of_toes: DVec3,
    /// How far it is below the joint of the toes while they lie flat on the ground, metres.
    pub below_ball: f64,
}

impl LegLimits {
    /// A leg without limits.
    pub(crate) const NONE: Self = Self {
        most_flexed: f64::INFINITY,
        hardest: [f64::INFINITY; NUM_JOINTS],
        front: None,
    };
}

/// The measures of a body for its feet.
///
/// Limits and weights in metres are stated for a reference body of 1.7 m whose legs are 0.95 m long.
#[value]
pub(crate) struct FootModel {
    /// Size of the body over that of the reference body, which weighs rotations against displacements.
    pub size: f64,
    /// Limits below which a point starts to stand.
    pub contacts: LimitsAtSize,
    /// Scale of the distances and speeds by which a standing foot may stray: 1 on the body of a take, more on a larger character
    /// that moves in proportion.
    pub metre: f64,
    /// By foot, the limits of its leg; empty if not known from elsewhere.
    pub legs: Vec<LegLimits>,
    /// Whether the body is a character that follows another.
    pub is_character: bool,
}

impl FootModel {
    /// Creates the measures of the body of a take, by its bones at the first sample of a motion.
    pub(crate) fn new(stage: &Stage, body: &Body, limits: &ContactLimits) -> Self {
        let skeleton = stage.skeleton();
        Self {
            size: body.size_in(skeleton, stage.tracks.pose(0)),
            contacts: limits.at_size(body.leg_size(skeleton, |joint| stage.world.position(0, joint))),
            metre: 1.0,
            legs: Vec::new(),
            is_character: false,
        }
    }
}
