//! Facts about a loop, in the units people use: what the sidecar holds and what commands print as JSON.
//!
//! Names are stable and in snake case. All lengths are in metres unless the name says otherwise, with +Y up and +Z forward,
//! whatever the file uses; angles and rates carry their unit in the name. `None` stands for what is not known.

use loopwright::{
    root_motion::{RootMode, RootSpace},
    take::Take,
};
use serde::{Deserialize, Serialize};

use super::word::{self, word_or_default};
use crate::space::Space;

/// The take that the loop was cut from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TakeFacts {
    /// The file, as it was named.
    pub file: String,
    /// Number of frames.
    pub frames: usize,
    /// Seconds from one frame to the next.
    pub frame_time_secs: f64,
    /// Number of joints.
    pub joints: usize,
    /// The file's unit: m, cm, mm, in, cmu, or a number of metres such as `0.3 m`.
    pub unit: String,
    /// The axis that is up in the file: x, y or z.
    pub up: String,
    /// Hertz above which the take was smoothed before it was searched and cut; null where it was not.
    #[serde(default)]
    pub smooth_hz: Option<f64>,
    /// Which of the file's animations it is; left out where the format knows but one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub animation: Option<String>,
}

impl TakeFacts {
    /// The facts of a take and of the space that its file used.
    pub fn of(file: impl Into<String>, take: &Take, space: &Space) -> Self {
        Self {
            file: file.into(),
            frames: take.num_frames(),
            frame_time_secs: take.frame_time_secs(),
            joints: take.num_joints(),
            unit: space.unit_name(),
            up: space.up.to_string().to_ascii_lowercase(),
            smooth_hz: None,
            animation: None,
        }
    }
}

/// The stretch that was made into a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CandidateFacts {
    /// Source frame of the start, from 0, fractional.
    pub start_frame: f64,
    /// Source frame whose pose, or the mirror image of it, meets the start.
    pub end_frame: f64,
    /// Whether the stretch is the first half of the loop, and its mirror image the second.
    #[serde(default)]
    pub mirrored: bool,
    /// Length of the stretch in the take.
    pub source_period_secs: f64,
    /// Length of the loop as written.
    pub period_secs: f64,
    /// Cycles of the motion within the loop.
    pub cycles: usize,
    /// Cost of the jump from end to start, metre-seconds.
    pub seam_cost: Option<f64>,
    /// That cost over the median cost of random jumps.
    pub cost_ratio: Option<f64>,
    /// How little the travel of a period changes around the stretch, 0 to 1.
    pub steadiness: Option<f64>,
    /// Share of the cycle since the first foot, the left one where sides are known, came to stand; null where it does not.
    #[serde(default)]
    pub contact_phase: Option<f64>,
    /// Mean speed of the body over the take's pace.
    #[serde(default)]
    pub energy: Option<f64>,
}

/// How the seam was closed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClosureFacts {
    /// Name of the method.
    pub method: String,
    /// Length of the correction after the start.
    pub blend_start_secs: f64,
    /// Length of the correction before the end.
    pub blend_end_secs: f64,
    /// The start's share of the gap in position.
    pub rho: f64,
    /// The start's share of the gap in velocity.
    pub sigma: f64,
    /// The start's share of the gap in acceleration.
    pub tau: f64,
    /// What was chosen and why, where the choice was left to us.
    #[serde(default)]
    pub chosen: Option<String>,
    /// Whether noise was closed over a few frames, apart from the motion.
    #[serde(default)]
    pub layered: bool,
}

/// How the root travels: root(t) = start * exp(t * twist), see the module's page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RootFacts {
    /// What became of the root motion: constant, linear, in-place, keep, path or stationary.
    #[serde(with = "word")]
    pub mode: RootMode,
    /// Which motions count as travel: ground (turns about +Y, ways over the ground, climbs) or full (any). Loops of versions
    /// that knew the ground alone leave it out or empty.
    #[serde(default, with = "word_or_default")]
    pub space: RootSpace,
    /// Linear velocity of the root, metres per second in the root's own axes.
    pub twist_linear_mps: [f64; 3],
    /// Angular velocity of the root, radians per second in the root's own axes; +Y is a left turn.
    pub twist_angular_radps: [f64; 3],
    /// Speed over the ground; in the space full at the start, as the two rates below.
    pub speed_mps: f64,
    /// Rate of turn about +Y, degrees per second, left positive.
    pub turn_dps: f64,
    /// Radius of the path; null for a straight one.
    pub radius_m: Option<f64>,
    /// Rate of climb.
    pub climb_mps: f64,
    /// Where the root stands at the first key.
    pub start_position_m: [f64; 3],
    /// Which way it faces there: turn about +Y from +Z, left positive.
    pub start_yaw_deg: f64,
    /// The same as a unit quaternion, tilt included; null where the yaw says all.
    #[serde(default)]
    pub start_rotation_xyzw: Option<[f64; 4]>,
    /// For the mode path: standard deviation of the weights that smooth it, seconds.
    #[serde(default)]
    pub path_smoothing_secs: Option<f64>,
    /// Linear velocity that the take's own root has where the loop is given another, that of its feet; null otherwise.
    #[serde(default)]
    pub take_twist_linear_mps: Option<[f64; 3]>,
    /// How far poses at the end are from those at the start moved on by the travel, root mean square, millimetres.
    #[serde(default)]
    pub fit_residual_mm: Option<f64>,
    /// Length of the twist's arc over that of the way recorded: near 1 where one twist explains the travel; null where there
    /// is none.
    #[serde(default)]
    pub arc_over_path: Option<f64>,
}

/// When the feet of a loop stand, and what was done to them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeetFacts {
    /// Whether any foot is held where it stands.
    pub held: bool,
    /// Every foot that was found.
    pub feet: Vec<FootFacts>,
    /// When they stand, within one period; one that runs over the end goes on at the start.
    pub contacts: Vec<ContactFacts>,
    /// When feet stood in the frames that the loop was cut from, by a fixed rule: over these spans skate is measured.
    #[serde(default)]
    pub stances: Vec<ContactFacts>,
    /// Speed of standing feet before they were held, centimetres per second.
    pub skate_before_cmps: Option<f64>,
    /// The same afterwards, before the loop was written.
    pub skate_after_cmps: Option<f64>,
    /// Farthest that a foot was moved, millimetres.
    pub farthest_moved_mm: f64,
    /// Most that the hips were lowered so that legs reach, millimetres.
    pub hips_lowered_mm: f64,
    /// What the speed of the root goes by: pose or feet.
    #[serde(with = "word")]
    pub root_speed_from: SpeedSource,
    /// The speed over the ground that the feet tell, whether or not it was taken, metres per second.
    pub feet_speed_mps: Option<f64>,
}

/// What the speed of a root goes by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpeedSource {
    /// The poses around both ends of the cut.
    #[default]
    Poses,
    /// The feet: what stands does not move.
    Feet,
}

loopwright::words!(SpeedSource {
    Poses: "pose",
    Feet: "feet",
});

/// What became of a foot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FootTreatment {
    /// Held where it stands.
    Held,
    /// Left alone, as asked for.
    #[default]
    NotAsked,
    /// Left alone: no joint bends between the hips and it.
    NoKnee,
    /// Left alone: it never stands.
    NeverStands,
    /// Left alone: it slides while it stands.
    Slides,
}

loopwright::words!(FootTreatment {
    Held: "held",
    NotAsked: "not asked",
    NoKnee: "no knee",
    NeverStands: "never stands",
    Slides: "slides",
});

/// A foot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootFacts {
    /// Its lowest joint.
    pub joint: String,
    /// What became of it.
    #[serde(with = "word")]
    pub outcome: FootTreatment,
}

/// A span over which a foot stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactFacts {
    /// The foot's lowest joint.
    pub joint: String,
    /// Seconds after the start of the loop.
    pub start_secs: f64,
    /// Seconds that it stands, at most a period.
    pub length_secs: f64,
}

/// What was measured on the loop as written; null where it is not known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QualityFacts {
    /// Pose gap, largest over joints, degrees.
    pub c0_deg: Option<f64>,
    /// Pose gap, largest over joints, millimetres.
    pub c0_mm: Option<f64>,
    /// Velocity gap, degrees per second.
    pub c1_dps: Option<f64>,
    /// Velocity gap, millimetres per second.
    pub c1_mmps: Option<f64>,
    /// Seam acceleration against the take's own, as a share of the motion's RMS.
    pub seam_acceleration_error: Option<f64>,
    /// Seam acceleration over the loop's own 99th percentile.
    pub seam_acceleration_p99: Option<f64>,
    /// Rank of the seam among all windows of the loop, percent; 50 cannot be told from the rest.
    pub seam_rank: Option<f64>,
    /// The same rank in the take, at the frames of the seam.
    pub take_rank: Option<f64>,
    /// Mean distance from the take, millimetres.
    pub displacement_mm: Option<f64>,
    /// Mean distance from the take, degrees.
    pub displacement_deg: Option<f64>,
    /// Speed of the feet while they stand, centimetres per second.
    pub skate_cmps: Option<f64>,
}

/// How the loop lies in the file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PlaybackFacts {
    /// Unique samples of one period.
    pub samples: usize,
    /// Whether a last key repeats the first.
    pub closing_key: bool,
    /// Cycles written one after the other.
    pub copies: usize,
    /// Whether a root joint was added to carry the travel.
    pub root_joint_added: bool,
    /// The joint whose track holds the travel in the file, but for a joint that was added: the one that had it in the take, or
    /// the root joint of the rig.
    pub carrier_joint: String,
    /// The joint of the rig that carries the root's motion and nothing else; null where the rig has none, or it is left alone.
    #[serde(default)]
    pub root_joint: Option<String>,
    /// The animation in the file that is the loop; left out where the format knows but one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub animation: Option<String>,
    /// The file's unit, where it is not that of the take; as in `take.unit`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The axis that is up in the file, where it is not that of the take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<String>,
}

impl PlaybackFacts {
    /// The same facts for a loop written in that space, cut from that take.
    #[must_use]
    pub fn in_space(mut self, space: &Space, take: &TakeFacts) -> Self {
        let up = space.up.to_string().to_ascii_lowercase();
        self.unit = Some(space.unit_name()).filter(|unit| *unit != take.unit);
        self.up = Some(up).filter(|up| *up != take.up);
        self
    }
}

/// The loops that were blended into this one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BlendFacts {
    /// Their files, as they were named.
    pub loops: Vec<String>,
    /// Their weights, of sum 1.
    pub weights: Vec<f64>,
    /// The phase of each, 0 to 1, at which it does what the first does at its start.
    pub phases: Vec<f64>,
}
