//! The sections of a loop in JSON, in the units people use: what the sidecar holds and what commands print.
//!
//! The name of a field is its key; docs/formats/loopwright.schema.json describes every one, and a test holds the two
//! together. A key ends in its unit. Positions and directions have +Y up and +Z forward, whatever the file uses. `None`
//! stands for what is not known.

use loopwright::{LoopCandidate, Quality, RootMode, Take, root_motion::RootSpace};
use serde::{Deserialize, Serialize};

use super::word::{self, optional_word};
use crate::space::Space;

/// The take that the loop was cut from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TakeFacts {
    /// The file, as it was named.
    pub file: String,
    /// Which of the file's animations it is; null where the format knows only one.
    pub animation: Option<String>,
    /// Number of frames.
    pub frames: usize,
    /// Frames per second.
    pub fps: f64,
    /// Seconds from one frame to the next.
    pub frame_time_secs: f64,
    /// Number of joints.
    pub joints: usize,
    /// The file's unit: m, cm, mm, in, cmu, or a number of metres such as `0.3 m`.
    pub unit: String,
    /// The axis that is up in the file: x, y or z.
    pub up: String,
    /// Frequency above which the take was smoothed before it was searched and cut; null where it was not.
    pub smooth_hz: Option<f64>,
}

impl TakeFacts {
    /// The facts of a take and of the space that its file used.
    pub fn of(file: impl Into<String>, take: &Take, space: &Space) -> Self {
        Self {
            file: file.into(),
            animation: None,
            frames: take.num_frames(),
            fps: take.frame_rate_hz(),
            frame_time_secs: take.frame_time_secs(),
            joints: take.num_joints(),
            unit: space.unit_name(),
            up: space.up.to_string().to_ascii_lowercase(),
            smooth_hz: None,
        }
    }
}

/// The stretch of the take that is the loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CandidateFacts {
    /// Frame of the take where the loop starts, from 0; may lie between two frames.
    pub start_frame: f64,
    /// Frame of the take whose pose, or its mirror image, meets the pose at the start.
    pub end_frame: f64,
    /// Whether the second half of the loop is the mirror image of the first.
    pub mirrored: bool,
    /// Length of the loop as recorded.
    pub source_period_secs: f64,
    /// Length of the loop as written.
    pub period_secs: f64,
    /// Cycles of the motion within the loop.
    pub cycles: usize,
    /// Cost of the jump from the end to the start.
    pub seam_cost_metre_secs: Option<f64>,
    /// That cost over the median cost of random jumps in the take.
    pub cost_ratio: Option<f64>,
    /// How little the root motion of a period changes around the stretch, 0 to 1.
    pub steadiness: Option<f64>,
    /// Share of the cycle since the first foot, the left one where sides are known, touched the ground, 0 to 1; null where
    /// it does not.
    pub contact_phase: Option<f64>,
    /// Mean speed of the body over the take's pace.
    pub activity_ratio: Option<f64>,
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
    /// Share of the gap in position that the start makes up for, 0 to 1; the end makes up for the rest.
    pub start_share_of_position: f64,
    /// The same share of the gap in velocity.
    pub start_share_of_velocity: f64,
    /// The same share of the gap in acceleration.
    pub start_share_of_acceleration: f64,
    /// What `--closure auto` chose and why; null where the method was given.
    pub auto_choice: Option<String>,
    /// Whether noise was closed over a few frames, separately from the motion.
    pub noise_closed_separately: bool,
}

/// How the root moves: root(t) = start * exp(t * twist), see `sidecar`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RootMotionFacts {
    /// What became of the root motion, as `--root-motion` names it.
    #[serde(with = "word")]
    pub mode: RootMode,
    /// Which motions count as root motion: ground (turns about +Y, motion over the ground, climbs) or full (any).
    #[serde(with = "word")]
    pub space: RootSpace,
    /// Velocity of the root in its own axes; constant.
    pub linear_velocity_mps: [f64; 3],
    /// Angular velocity of the root about its own axes; constant. +Y is a left turn.
    pub angular_velocity_radps: [f64; 3],
    /// Speed over the ground. In the space `full` it is the speed at the start, and so are the next two rates.
    pub speed_mps: f64,
    /// Rate of turn about +Y, left positive.
    pub turn_rate_dps: f64,
    /// Rate of climb.
    pub climb_mps: f64,
    /// Radius of the path; null for a straight one.
    pub radius_m: Option<f64>,
    /// Where the root is at the first key.
    pub start_position_m: [f64; 3],
    /// Which way it faces there: rotation about +Y from +Z, left positive.
    pub start_yaw_deg: f64,
    /// The same as a unit quaternion, tilt included; null where the yaw says all.
    pub start_rotation_xyzw: Option<[f64; 4]>,
    /// For the mode path: standard deviation of the weights that smooth it.
    pub path_smoothing_secs: Option<f64>,
    /// Velocity that the root had in the take, where the loop has the velocity of its feet instead; null otherwise.
    pub take_linear_velocity_mps: Option<[f64; 3]>,
    /// Distance from the poses at the end to those at the start moved on by the root motion, root mean square.
    pub fit_residual_mm: Option<f64>,
    /// Length of the arc of the root motion over the length of the recorded path: near 1 where one constant motion describes
    /// it; null where the body hardly moves.
    pub arc_to_path_ratio: Option<f64>,
}

/// When the feet of a loop stand, and how they were locked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FeetFacts {
    /// Whether any foot is locked to the ground while it stands.
    pub held: bool,
    /// What was done to each foot.
    pub outcomes: Vec<FootFacts>,
    /// When feet stand, within one period; a contact that runs over the end goes on at the start.
    pub contacts: Vec<ContactFacts>,
    /// When feet stood in the frames that the loop was cut from, by a fixed rule: foot sliding is measured over these.
    pub stances: Vec<ContactFacts>,
    /// Foot sliding before feet were locked.
    pub foot_slide_before_cmps: Option<f64>,
    /// Foot sliding after they were locked, before the loop was written.
    pub foot_slide_after_cmps: Option<f64>,
    /// Farthest that a foot was moved.
    pub farthest_moved_mm: f64,
    /// Most that the hips were lowered so that the legs reach the ground.
    pub hips_lowered_mm: f64,
    /// What the speed of the root was measured on: pose or feet.
    #[serde(with = "word")]
    pub root_speed_from: SpeedSource,
    /// Speed over the ground measured on the standing feet, whether or not the root has it.
    pub feet_speed_mps: Option<f64>,
}

/// What the speed of a root was measured on.
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
    /// Whether the loop can be used as it is; null in loops of version 1.
    #[serde(default, with = "optional_word")]
    pub grade: Option<Grade>,
    /// Pose gap at the seam, largest over joints, degrees.
    pub pose_gap_deg: Option<f64>,
    /// Pose gap at the seam, largest over joints, millimetres.
    pub pose_gap_mm: Option<f64>,
    /// Velocity gap at the seam, degrees per second.
    pub velocity_gap_dps: Option<f64>,
    /// Velocity gap at the seam, millimetres per second.
    pub velocity_gap_mmps: Option<f64>,
    /// Difference of the acceleration at the seam from the take's own there, over the RMS acceleration of the motion.
    pub seam_acceleration_error_ratio: Option<f64>,
    /// Acceleration at the seam over the 99th percentile of the loop's own, for the worst joint; above 1.5 the seam pops.
    pub seam_acceleration_ratio: Option<f64>,
    /// Rank of the seam's acceleration among all windows of the loop; 50 on average cannot be told from the rest.
    pub seam_rank_percent: Option<f64>,
    /// The same rank in the take, at the frames of the seam.
    pub take_rank_percent: Option<f64>,
    /// Mean distance of joints from the take.
    pub displacement_mm: Option<f64>,
    /// Mean rotation of joints away from the take.
    pub displacement_deg: Option<f64>,
    /// Foot sliding: mean speed of feet over the ground while they stand.
    pub foot_slide_cmps: Option<f64>,
}

/// Whether a loop can be used as it is: one word for those who sort many loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The seam does not pop, and the take as a whole repeats at the loop's period.
    Good,
    /// Somebody should look at it: the loop may stand only for its own stretch of the take, or its root motion is unsteady,
    /// or a limit of `check` is exceeded.
    Check,
    /// The seam pops; of a loop not made yet, it will hardly close well.
    Bad,
}

loopwright::words!(Grade {
    Good: "good",
    Check: "check",
    Bad: "bad",
});

impl Grade {
    /// The grade of a loop that is not made yet.
    ///
    /// Bad where the search does not recommend it ([`LoopCandidate::is_sound`]), good where it is confident
    /// ([`LoopCandidate::is_confident`]).
    pub fn of_candidate(candidate: &LoopCandidate) -> Self {
        match (candidate.is_sound(), candidate.is_confident()) {
            (false, _) => Self::Bad,
            (true, true) => Self::Good,
            (true, false) => Self::Check,
        }
    }

    /// The grade of a loop as written: bad where it pops; otherwise good only where nothing speaks against it.
    pub fn of_written(quality: &Quality, nothing_against: bool) -> Self {
        match (quality.pops(), nothing_against) {
            (true, _) => Self::Bad,
            (false, true) => Self::Good,
            (false, false) => Self::Check,
        }
    }
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
    /// Whether a root joint was added to carry the root motion.
    pub root_joint_added: bool,
    /// The joint of the take's skeleton whose track holds the root motion: the one that had it in the take, or the root
    /// joint of the rig. An added root joint holds it in its place.
    pub carrier_joint: String,
    /// The joint of the rig that carries the root motion and nothing else; null where the rig has none, or it is left alone.
    pub root_joint: Option<String>,
    /// The animation in the file that is the loop; null where the format knows only one.
    pub animation: Option<String>,
    /// The file's unit, where it differs from `take.unit`; null otherwise.
    pub unit: Option<String>,
    /// The axis that is up in the file, where it differs from `take.up`; null otherwise.
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
