//! The sections of a loop in JSON, in everyday units: the content of the sidecar and of the commands' output.
//!
//! The name of a field is its key. docs/formats/loopwright.schema.json takes its description from
//! here. A key ends in its unit. Positions and directions have +Y up and +Z forward, whatever the file uses. `None`
//! stands for an unknown value.

use core::f64::consts::TAU;

use glam::DVec3;
use loopwright_core::{
    RootMode, RootMotion, Skeleton, Take,
    analysis::Footing,
    candidate::{LastKey, OutcomePart, WholeClipKind},
    edit::JointOffset,
    feet::FootPoint,
    loop_clip::KeyLayout,
    math::{Rigid, Screw, Twist, rotation},
    mirror::Mirror,
    retarget::RigPair,
    root_motion::RootSpace,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{format::Capabilities, space::Space};

/// A recording as it was read.
#[in_schema(read)]
pub struct TakeFacts {
    /// The file, as it was named.
    pub file: String,
    /// SHA-256 of the file, 64 hexadecimal digits, without files that it refers to; null where it is not known.
    pub file_sha256: Option<String>,
    /// The licence or the copyright that the file states (glTF), or that was given; null where it is not known.
    pub licence: Option<String>,
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
    /// The file's unit of length: m, cm, mm, in, cmu, or a number of metres such as "0.3 m".
    pub unit: String,
    /// The axis that is up in the file; with a minus where it points down.
    #[schemars(extend("enum" = ["x", "y", "z", "-x", "-y", "-z"]))]
    pub up: String,
    /// Frequency above which the take was smoothed before anything else; null where it was not.
    pub smooth_hz: Option<f64>,
    /// The rig that the motion was carried over to; absent where it is on its own skeleton.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rig: Option<RigFacts>,
}

/// The rig that a motion was carried over to.
#[in_schema(read)]
pub struct RigFacts {
    /// Its file, as it was named.
    pub file: String,
    /// Length of its legs over that of the motion's own skeleton; the root moves at this scale.
    pub scale: f64,
    /// Joints of the rig that follow a joint of the motion; the others rest.
    pub joints_followed: usize,
    /// Share of its trunk and limbs that do, 0 to 1.
    pub coverage: f64,
    /// Joints whose counterpart is unsure.
    pub unsure: Vec<String>,
    /// The pose of the motion's skeleton that is laid onto the rest pose of the rig: rest, rest-but-arms, motion (worked out from it), upright
    /// (a frame) or given.
    #[serde(default)]
    pub reference: String,
}

impl RigFacts {
    /// Describes a character that receives a motion; `file` is its name.
    pub fn new(file: &str, pair: &RigPair) -> Self {
        let skeleton = pair.target.skeleton();
        Self {
            file: file.to_owned(),
            scale: pair.scale(),
            joints_followed: pair.map.links.iter().flatten().count(),
            coverage: pair.map.coverage(&pair.target),
            unsure: pair
                .map
                .unsure()
                .map(|(joint, _)| skeleton.joint(joint).name.clone())
                .collect(),
            reference: pair.source.reference_source().to_string(),
        }
    }
}

impl TakeFacts {
    /// Describes a take, and the axes and unit of its file in any format.
    pub fn new(file: impl Into<String>, take: &Take, space: &Space) -> Self {
        Self {
            file: file.into(),
            frames: take.num_frames(),
            fps: take.frame_rate_hz(),
            frame_time_secs: take.frame_time_secs(),
            joints: take.num_joints(),
            unit: space.unit_name(),
            up: space.up.to_string().to_ascii_lowercase(),
            ..Self::default()
        }
    }
}

/// The stretch of the take that is the loop.
#[in_schema(read)]
pub struct CandidateFacts {
    /// Frame of the take where the loop starts, from 0; may lie between two frames.
    pub start_frame: f64,
    /// Frame of the take whose pose, or its mirror image, meets the pose at the start.
    pub end_frame: f64,
    /// Whether the second half of the loop is the mirror image of the first.
    pub mirrored: bool,
    /// Frames of the take that each turn takes, about, where the frames are played there and back; null where they are not.
    pub ping_pong_ease_frames: Option<f64>,
    /// Length of the loop as recorded; where its cycles vary, times the copies.
    pub source_period_secs: f64,
    /// Length of the loop as written; as recorded where nothing is written.
    pub period_secs: f64,
    /// Cycles of the motion within the loop; where they vary, those of all copies, of which the frames hold one.
    pub cycles: usize,
    /// What the best loop of fewer cycles is worse at where the search recommends several: price, displacement, speed-drift,
    /// turn-drift, abruptness, foot-slide, knees, turn, pace, foot-height, kink or veer; null otherwise.
    #[optional_word(OutcomePart)]
    pub several_cycles_for: Option<OutcomePart>,
    /// Cost of the jump from the end to the start: how far weighted joints are from where they should be, summed over time.
    pub seam_cost_metre_secs: Option<f64>,
    /// That cost over the median cost of random jumps in the take.
    pub cost_ratio: Option<f64>,
    /// How little the root motion of a period changes around the stretch, 0 to 1.
    pub steadiness: Option<f64>,
    /// Share of the cycle since the first foot, the left one where sides are known, touched the ground, 0 to 1; null where it
    /// does not.
    pub contact_phase: Option<f64>,
    /// Mean speed of the body over the take's pace.
    pub activity_ratio: Option<f64>,
    /// How the ends of the take meet where the loop is the whole take; null where it was cut out of it.
    pub whole_clip: Option<WholeClipFacts>,
}

/// How the ends of a whole take meet.
#[in_schema]
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct WholeClipFacts {
    /// loops: it loops already; ends-as-it-begins: it can be repeated but may be a single action; cycle: its ends did not quite
    /// meet and were closed; mended: it loops with a kink at its seam, which was mended.
    #[word(WholeClipKind)]
    pub kind: WholeClipKind,
    /// closing: the last key is the first again; before-closing: the closing key is missing; repeated: frames follow it
    /// that do not belong to the cycle.
    #[word(LastKey)]
    pub last_key: LastKey,
    /// Frames of the take that do not belong to it: held or setup poses, and the start of the next cycle.
    #[serde(default)]
    pub left_out: usize,
    /// Limits within which the cycle ends, likely, in frames after the last key that belongs to it; both 0 at a closing key.
    #[serde(default)]
    pub end_limits_frames: [f64; 2],
    /// Whether its name says that it repeats, where its motion leaves that open.
    #[serde(default)]
    pub by_name: bool,
    /// Largest distance of a joint between the last pose and the first, moved on; where the closing key is missing, how far the
    /// step over the seam differs from the steps around it.
    pub gap_mm: f64,
    /// Largest rotation of a joint between them; 0 where the closing key is missing.
    pub gap_deg: f64,
    /// Second differences over the seam over the 99th percentile of the clip's own.
    pub roughness_ratio: f64,
}

/// Many cycles of a loop, each varied as the take's own cycles differ; they loop as a whole.
#[in_schema(read)]
pub struct VariationFacts {
    /// The same seed gives the same motion.
    pub seed: u32,
    /// Share of the take's own variation.
    pub amount: f64,
    /// Number of loops after which all repeats.
    pub copies: usize,
    /// Cycles of the take whose deviations from their mean are mixed.
    pub take_cycles: usize,
    /// Joints that vary.
    pub joints: usize,
    /// Joints that move as in the loop, because they flip or differ too much between the cycles.
    #[serde(default)]
    pub joints_left_out: Vec<String>,
    /// Root mean square over time and joints of the rotation that is added.
    pub rotation_deg: f64,
}

/// The cycles of the take whose mean a loop is. Displacement, and when feet stand, are still measured against the chosen cycle.
#[in_schema(read)]
pub struct MeanCycleFacts {
    /// What was asked for: a number of cycles, or all.
    pub asked: String,
    /// The cycles, in order of time; each ends where the next one starts.
    pub cycles: Vec<UsedCycleFacts>,
    /// Index of the chosen cycle, from 0: the loop has its time and its fine detail.
    pub chosen: usize,
    /// Joints that move as in the chosen cycle alone, because they flip or differ too much between the cycles.
    pub joints_left_out: Vec<String>,
}

/// A cycle of the take that a mean includes.
#[in_schema(read)]
pub struct UsedCycleFacts {
    /// Frame at which it starts, from 0, fractional.
    pub start_frame: f64,
    /// Frame at which it ends.
    pub end_frame: f64,
    /// Its share of the mean, 0 to 1; all shares sum to 1.
    pub share: f64,
}

/// What of the time of a loop is not as recorded.
#[in_schema(read)]
pub struct TimeFacts {
    /// Its length over the recorded one.
    pub length_ratio: f64,
    /// Length of its strides over the recorded one.
    pub stride_ratio: f64,
    /// The least rate at which the recorded cycle is shown, over the mean rate.
    pub slowest: f64,
    /// The greatest of these.
    pub fastest: f64,
    /// How far its touch-downs are moved against each other, as a share of a cycle.
    pub footfalls_moved: f64,
    /// The 95th percentile of the accelerations of joints over the recorded one at that length.
    pub acceleration_ratio: f64,
}

/// How the seam was closed.
#[in_schema(read)]
pub struct ClosureFacts {
    /// Name of the method; two with a plus sign where the ends were closed differently, blend for a blend.
    pub method: String,
    /// Length of the correction after the start.
    pub blend_start_secs: f64,
    /// Length of the correction before the end.
    pub blend_end_secs: f64,
    /// Length of the correction of velocities after the start: half-life of a spring's, blend of a soft fade's; null where it has
    /// no time of its own.
    pub velocity_blend_start_secs: Option<f64>,
    /// The same before the end.
    pub velocity_blend_end_secs: Option<f64>,
    /// How sharply a soft fade levels off after the start; null for other methods.
    pub hardness_start: Option<f64>,
    /// The same before the end.
    pub hardness_end: Option<f64>,
    /// Share of the gap in position that the start makes up for, 0 to 1; the end makes up for the rest.
    pub start_share_of_position: f64,
    /// The same share of the gap in velocity.
    pub start_share_of_velocity: f64,
    /// The same share of the gap in acceleration.
    pub start_share_of_acceleration: f64,
    /// What was chosen for the user and why: by --closure auto, or because the seam asked for shows; null if nothing was.
    pub auto_choice: Option<String>,
    /// Whether noise was closed over a few frames, separately from the motion.
    pub noise_closed_separately: bool,
}

/// An edit of the closed loop; what its kind does not have is null.
#[in_schema(read)]
pub struct EditFacts {
    /// What is done: move (a joint, at one time), offset (a joint, all the time), swing (how far joints turn), smooth, aim (the root's turn) or noise.
    #[schemars(extend("enum" = ["move", "offset", "swing", "smooth", "aim", "noise"]))]
    pub kind: String,
    /// Joints that it changes; none where it changes the root.
    pub joints: Vec<String>,
    /// When a joint is moved, since the start of the loop.
    pub time_secs: Option<f64>,
    /// How long it is moved: from where nothing is changed yet to where nothing is changed any more.
    pub width_secs: Option<f64>,
    /// Rotation vector of the offset, in the axes of the joint's parent.
    pub rotation_deg: Option<[f64; 3]>,
    /// Offset of the position, in the axes of the joint's parent.
    pub position_m: Option<[f64; 3]>,
    /// By which rotations from their mean are multiplied.
    pub scale: Option<f64>,
    /// Standard deviation of the weights of smoothing.
    pub deviation_secs: Option<f64>,
    /// Turn of the loop from its start to its end, left positive.
    pub turn_deg: Option<f64>,
    /// Root mean square of the noise.
    pub deviation_deg: Option<f64>,
    /// Highest rate in the noise.
    pub highest_hz: Option<f64>,
    /// Seed of the noise.
    pub seed: Option<u64>,
}

impl EditFacts {
    /// Exchanges left and right; joints that the skeleton lacks keep their names and offsets.
    pub(super) fn mirror(&mut self, mirror: &Mirror, skeleton: &Skeleton) {
        for name in &mut self.joints {
            let Some(joint) = skeleton.find(name) else {
                continue;
            };
            let JointOffset { rotation, position } = JointOffset {
                rotation: self.rotation_deg.map_or(DVec3::ZERO, DVec3::from_array),
                position: self.position_m.map_or(DVec3::ZERO, DVec3::from_array),
            }
            .mirrored(mirror, joint);
            self.rotation_deg = self.rotation_deg.and(Some(rotation.to_array()));
            self.position_m = self.position_m.and(Some(position.to_array()));
            name.clone_from(&skeleton.joint(mirror.partner(joint)).name);
        }
        self.turn_deg = self.turn_deg.map(|turn| -turn);
        self.seed = None;
    }
}

/// How the root moves: root(t) = start * exp(t * twist), see `sidecar`.
#[in_schema(read)]
pub struct RootMotionFacts {
    /// What became of the root motion, as --root-motion names it; in-place and keep among others.
    #[word(RootMode)]
    pub mode: RootMode,
    /// Which motions count as root motion: ground (turns about +Y, motion over the ground, climbs) or full (any).
    #[word(RootSpace)]
    pub space: RootSpace,
    /// Velocity of the root in its own axes; constant.
    pub linear_velocity_mps: [f64; 3],
    /// Angular velocity of the root about its own axes; constant. +Y is a left turn.
    pub angular_velocity_radps: [f64; 3],
    /// Speed over the ground. In the space full it is the speed at the start, and so are the next two rates.
    pub speed_mps: f64,
    /// Rate of turn about +Y, left positive.
    pub turn_rate_dps: f64,
    /// Rate of climb.
    pub climb_mps: f64,
    /// Radius of the path; null for a straight one.
    pub radius_m: Option<f64>,
    /// The path of the root in terms of its axis, at the first key and where the loop stands. Of a straight path only the
    /// direction is known.
    pub basis: Option<BasisFacts>,
    /// The path as the numbers of its closed form.
    pub periodic_loop: Option<PeriodicLoopFacts>,
    /// Where the root is at the first key.
    pub start_position_m: [f64; 3],
    /// Which way it faces there: rotation about +Y from +Z, left positive.
    pub start_yaw_deg: f64,
    /// The same as a unit quaternion, tilt included; null where the yaw says all.
    pub start_rotation_xyzw: Option<[f64; 4]>,
    /// The motion that brought the loop from its place in the take to the origin, facing +Z; null where it stands as the take
    /// stood.
    pub recentered: Option<RecenteredFacts>,
    /// For the modes path and inertialized (there without a root joint): standard deviation of the weights that smooth the path
    /// of the hips; null otherwise.
    pub path_smoothing_secs: Option<f64>,
    /// Velocity that the root had in the take, where the loop has the velocity of its feet instead; null otherwise.
    pub take_linear_velocity_mps: Option<[f64; 3]>,
    /// Distance from the poses at the end to those at the start moved on by the root motion, root mean square.
    pub fit_residual_mm: Option<f64>,
    /// Length of the arc of the root motion over the length of the recorded path: near 1 where one constant motion describes it;
    /// null where the body hardly moves.
    pub arc_to_path_ratio: Option<f64>,
}

/// The path of a constant root motion, at its first key: a circle or a helix around an axis, or a straight line.
///
/// In the directions of the ground, +Y up, and at the places where the loop stands.
#[in_schema(read)]
pub struct BasisFacts {
    /// Direction in which the root moves at the start, a unit vector; null where it does not move.
    pub direction: Option<[f64; 3]>,
    /// Direction of the axis, a unit vector about which the root turns to the left; null for a straight path.
    pub axis: Option<[f64; 3]>,
    /// The point of the axis nearest to the start.
    pub axis_point_m: Option<[f64; 3]>,
    /// Distance of the path from the axis.
    pub radius_m: Option<f64>,
    /// How far the path climbs along the axis in a whole turn, negative against it.
    pub pitch_m: Option<f64>,
}

impl BasisFacts {
    /// Describes the path of a root motion. As everywhere, a radius above one kilometre counts as straight.
    pub fn new(root: &RootMotion) -> Self {
        let screw = Screw::from(root.twist);
        let turned = |v: DVec3| (root.start.rotation * v).to_array();
        let direction = root.twist.linear.try_normalize().map(turned);
        match root.twist.radius() {
            Some(radius) => Self {
                direction,
                axis: Some(turned(screw.axis)),
                axis_point_m: Some(root.start.transform_point(-screw.basis_x * radius).to_array()),
                radius_m: Some(radius),
                pitch_m: Some(screw.climb * TAU / screw.rate),
            },
            None => Self {
                direction,
                ..Self::default()
            },
        }
    }

    /// Returns the path mirrored across X: a left turn becomes a right turn, about the mirrored axis.
    #[must_use]
    pub(super) fn mirrored(mut self) -> Self {
        for v in [&mut self.direction, &mut self.axis_point_m].into_iter().flatten() {
            v[0] *= -1.0;
        }
        if let Some([_, y, z]) = &mut self.axis {
            *y *= -1.0;
            *z *= -1.0;
        }
        self.pitch_m = self.pitch_m.map(|pitch| -pitch);
        self
    }
}

/// An axis farther away turns the path by less than a micrometre in a minute; nearer axes turn it by more than rounding.
const FARTHEST_AXIS_METRES: f64 = 4e9;

/// The path as numbers of a closed form, in the directions of the ground: t seconds after the first key the root has moved by
/// climb t axis + radius (cos(angle t) - 1) basis_x + radius sin(angle t) basis_y and turned by angle t about the axis. A
/// straight path moves along its axis.
#[in_schema(read)]
pub struct PeriodicLoopFacts {
    /// Radius of the circle.
    pub radius_m: f64,
    /// Rate of turn about the axis.
    pub angle_radps: f64,
    /// Speed along the axis.
    pub climb_mps: f64,
    /// From the axis to the start.
    pub basis_x: [f64; 3],
    /// The direction of the circle there.
    pub basis_y: [f64; 3],
    /// The axis.
    pub axis: [f64; 3],
}

impl PeriodicLoopFacts {
    /// Describes the path of a root motion.
    pub fn new(root: &RootMotion) -> Self {
        let linear = root.twist.linear;
        let screw = Screw::from(root.twist);
        let turns = screw.rate > 0.0 && screw.radius() < FARTHEST_AXIS_METRES;
        // A straight path moves along its own axis and does not turn.
        let screw = match (turns, linear.try_normalize()) {
            (false, Some(ahead)) => Screw::from(Twist::new(linear, ahead)),
            _ => screw,
        };
        let [basis_x, basis_y, axis] =
            [screw.basis_x, screw.basis_y, screw.axis].map(|v| (root.start.rotation * v).to_array());
        Self {
            radius_m: if turns { screw.radius() } else { 0.0 },
            angle_radps: if turns { screw.rate } else { 0.0 },
            climb_mps: screw.climb,
            basis_x,
            basis_y,
            axis,
        }
    }
}

/// The motion that brought a loop to the origin: a turn about +Y through the take's origin, then a move over the ground.
#[in_schema(read)]
pub struct RecenteredFacts {
    /// The turn about +Y through the take's origin, left positive.
    pub turn_deg: f64,
    /// The move over the ground that follows it; heights are unchanged.
    pub moved_m: [f64; 3],
}

impl RecenteredFacts {
    /// Describes a motion over the ground.
    pub fn new(motion: Rigid) -> Self {
        Self {
            turn_deg: rotation::yaw_of(motion.rotation).to_degrees(),
            moved_m: motion.translation.to_array(),
        }
    }

    /// Returns the motion that the facts describe.
    pub fn motion(&self) -> Rigid {
        Rigid::from_yaw(self.turn_deg.to_radians(), DVec3::from_array(self.moved_m))
    }
}

/// When the feet of a loop stand, and how they were locked.
#[in_schema(read)]
pub struct FeetFacts {
    /// Whether any foot is locked to the ground while it stands.
    pub held: bool,
    /// When heel, ball and tip of each foot bear; a heel that rolls on bears ever less.
    pub bearing: Vec<BearingFacts>,
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
    /// What the speed of the root was measured on; given where the user stated it.
    #[word(SpeedSource)]
    pub root_speed_from: SpeedSource,
    /// Speed over the ground measured on the standing feet, whether or not the root has it.
    pub feet_speed_mps: Option<f64>,
}

impl FeetFacts {
    /// Returns what the feet do in a period of the loop, of a body whose feet all leave the ground.
    pub fn footing(&self, period_secs: f64) -> Option<Footing> {
        let sum = self
            .outcomes
            .iter()
            .map(|foot| foot.strike_phase.and(foot.stands_share))
            .sum::<Option<f64>>()?;
        let mut stands: Vec<[f64; 2]> = self
            .contacts
            .iter()
            .flat_map(|contact| [0.0, period_secs].map(|later| (contact, contact.start_secs - later)))
            .map(|(contact, start)| [start, start + contact.length_secs].map(|at| at.clamp(0.0, period_secs)))
            .collect();
        stands.sort_by(|one, other| one[0].total_cmp(&other[0]));
        let (down, _) = stands.into_iter().fold((0.0, 0.0_f64), |(down, until), [start, end]| {
            (down + (end - start.max(until)).max(0.0), until.max(end))
        });
        (sum > 0.0).then(|| Footing {
            duty: sum / self.outcomes.len() as f64,
            flight: 1.0 - down / period_secs,
        })
    }

    /// Exchanges left and right; joints that the skeleton lacks keep their names.
    pub(super) fn mirror(&mut self, mirror: &Mirror, skeleton: &Skeleton) {
        let joints = self
            .contacts
            .iter_mut()
            .chain(&mut self.stances)
            .map(|contact| &mut contact.joint)
            .chain(self.bearing.iter_mut().map(|bearing| &mut bearing.joint))
            .chain(self.outcomes.iter_mut().map(|foot| &mut foot.joint));
        for name in joints {
            if let Some(joint) = skeleton.find(name) {
                name.clone_from(&skeleton.joint(mirror.partner(joint)).name);
            }
        }
    }
}

/// When a point of a foot bears.
#[in_schema]
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct BearingFacts {
    /// The foot's lowest joint.
    pub joint: String,
    /// The point; ankle for a foot without toes.
    #[word(FootPoint)]
    pub point: FootPoint,
    /// Its first moment.
    pub start_secs: f64,
    /// How long it bears.
    pub length_secs: f64,
}

/// What the speed of the root was measured on.
#[choice_in_words]
#[derive(Default)]
pub enum SpeedSource {
    /// The poses around both ends of the cut.
    #[default]
    Pose,
    /// The feet: a standing foot does not move.
    Feet,
    /// The user.
    Given,
}

/// What was done with a foot.
#[choice_in_words(" ")]
#[derive(Default)]
pub enum FootTreatment {
    /// Locked during its contacts.
    Held,
    /// Locked, but for contacts in which it slides.
    HeldInPart,
    /// Not locked, as requested.
    #[default]
    NotAsked,
    /// Not locked: there is no joint between the hips and the foot that can bend.
    NoKnee,
    /// Not locked: it never stands.
    NeverStands,
    /// Not locked: on a character that it was carried onto, it stands as still as that of its source.
    Still,
    /// Not locked: it slides during its contacts.
    Slides,
    /// Not locked: holding it would make feet slide more.
    Released,
    /// Not locked: the take loops already, and its feet stay as they were authored.
    Kept,
    /// Not locked: the search for a correction that holds it did not settle.
    NotSettled,
}

/// What was done with one foot.
#[in_schema(read)]
pub struct FootFacts {
    /// Its lowest joint.
    pub joint: String,
    /// What was done to it: held, or why it was left alone.
    #[word(FootTreatment)]
    pub outcome: FootTreatment,
    /// When its longest contact begins, as a share of the cycle from the start of the loop; null where it never stands, or never
    /// leaves the ground.
    pub strike_phase: Option<f64>,
    /// The share of the cycle over which it stands.
    pub stands_share: Option<f64>,
}

/// A contact: a span over which a foot stands.
#[in_schema(read)]
pub struct ContactFacts {
    /// The foot's lowest joint.
    pub joint: String,
    /// Seconds after the start of the loop.
    pub start_secs: f64,
    /// Seconds that it stands, at most a period.
    pub length_secs: f64,
}

/// What was measured on the loop as written.
#[in_schema(read)]
pub struct QualityFacts {
    /// good: nothing speaks against the loop; review: somebody should look at it; bad: it has a fault that anyone sees.
    #[optional_word(Grade)]
    pub grade: Option<Grade>,
    /// The reason for the grade, as a clause.
    pub reason: Option<String>,
    /// The checks that the grade comes from; it is the worst of theirs. docs/checks.md lists them.
    #[serde(default)]
    pub checks: Vec<CheckFacts>,
    /// The joint whose step over the seam shows most.
    pub seam_joint: Option<String>,
    /// Its step as a share of the largest one that does not show; above 1 the seam shows.
    pub seam_step_ratio: Option<f64>,
    /// Jump in position over the seam, of the joint at which it shows most.
    pub seam_step_mm: Option<f64>,
    /// Jump in rotation over the seam, of the joint at which it shows most.
    pub seam_step_deg: Option<f64>,
    /// Change of velocity over the seam beyond the change around it, of the joint at which it shows most.
    pub seam_velocity_step_mps: Option<f64>,
    /// Change of the rate of turn over the seam beyond the change around it, of the joint at which it shows most.
    pub seam_velocity_step_dps: Option<f64>,
    /// Pose gap at the seam, largest over joints.
    pub pose_gap_deg: Option<f64>,
    /// Pose gap at the seam, largest over joints.
    pub pose_gap_mm: Option<f64>,
    /// What the equations of the closure left of the velocity gap: rounding only. The motion as written has
    /// seam_velocity_step_dps.
    pub velocity_gap_dps: Option<f64>,
    /// The same for positions; the motion as written has seam_velocity_step_mps.
    pub velocity_gap_mmps: Option<f64>,
    /// Difference of the acceleration at the seam from the take's own there, over the RMS acceleration of the motion.
    pub seam_acceleration_error_ratio: Option<f64>,
    /// Acceleration at the seam over the 99th percentile of the loop's own, for the worst joint.
    pub seam_acceleration_ratio: Option<f64>,
    /// Rank of the seam's acceleration among all windows of the loop; an average of 50 means that the seam does not stand out.
    pub seam_rank_percent: Option<f64>,
    /// The same rank in the take, at the frames of the seam.
    pub take_rank_percent: Option<f64>,
    /// Mean distance of joints from the take.
    pub displacement_mm: Option<f64>,
    /// Mean rotation of joints away from the take.
    pub displacement_deg: Option<f64>,
    /// Foot sliding: mean speed of feet over the ground while they stand.
    pub foot_slide_cmps: Option<f64>,
    /// The largest distance that a foot moves over the ground while it stands.
    pub foot_slide_mm: Option<f64>,
}

/// Whether a loop can be used unchanged: one word for sorting many loops, the better one first.
#[choice_in_words]
#[derive(Default, PartialOrd, Ord)]
pub enum Grade {
    /// Nothing speaks against it.
    #[default]
    Good,
    /// A person should look at it.
    Review,
    /// It has a fault that anyone sees.
    Bad,
}

/// Why a check has no value.
#[choice_in_words]
pub enum Unmeasured {
    /// There is nothing of the kind in such a loop.
    NotApplicable,
    /// It applies, and what is at hand does not tell.
    Unknown,
}

/// One of the checks that a grade comes from.
#[in_schema(read)]
pub struct CheckFacts {
    /// Its name: docs/checks.md.
    pub id: String,
    /// What was found; null where it was not measured.
    pub value: Option<f64>,
    /// Why it was not measured; null where it was.
    #[serde(default)]
    #[optional_word(Unmeasured)]
    pub unmeasured: Option<Unmeasured>,
    /// Standard error of a value that is an estimate; null where it was measured.
    pub std_error: Option<f64>,
    /// The largest value that is good; null where none is graded.
    pub limit: Option<f64>,
    /// The unit of both; empty for plain numbers.
    pub unit: String,
    /// The joint at which it was found; null where it is one of the whole body.
    pub joint: Option<String>,
    /// When, from the first key of the loop, or of the take for jumps; null where it is one of the whole loop.
    pub time_secs: Option<f64>,
    /// Its grade; null where it was not measured, or is not graded.
    #[optional_word(Grade)]
    pub grade: Option<Grade>,
}

/// How the loop lies in the file.
#[in_schema(read)]
pub struct PlaybackFacts {
    /// Unique samples of one period.
    pub samples: usize,
    /// Time from the last sample to the closing key, in steps from sample to sample; null or missing where it is one step. A finished
    /// clip whose cycle ends between two keys keeps its keys.
    pub last_step: Option<f64>,
    /// The sample at which the cut frames begin, and the seam is; 0 but for loops that start at another phase.
    #[serde(default)]
    pub seam_sample: usize,
    /// Whether a last key repeats the first.
    pub closing_key: bool,
    /// Cycles written one after the other.
    pub copies: usize,
    /// Whether a root joint was added to carry the root motion.
    pub root_joint_added: bool,
    /// The joint of the take's skeleton whose track holds the root motion; an added root joint holds it in its place.
    pub carrier_joint: String,
    /// The joint that carries the root motion and nothing else: of the rig, or the one that was added; null where there is none,
    /// or it is left alone. Sidecars of earlier versions do not name an added one.
    pub root_joint: Option<String>,
    /// The animation in the file that is the loop; null where the format knows only one.
    pub animation: Option<String>,
    /// The file's unit, where it differs from take.unit; null otherwise.
    pub unit: Option<String>,
    /// The axis that is up in the file, where it differs from take.up; null otherwise.
    #[schemars(extend("enum" = ["x", "y", "z", "-x", "-y", "-z"]))]
    pub up: Option<String>,
}

impl PlaybackFacts {
    /// Whether a joint carries nothing but the root motion: one of the rig, or one that was added.
    pub fn has_root_joint(&self) -> bool {
        self.root_joint_added || self.root_joint.is_some()
    }

    /// Returns the frames per second of a loop of that period.
    pub fn rate_hz(&self, period_secs: f64) -> f64 {
        (self.samples as f64 - 1.0 + self.last_step.unwrap_or(1.0)) / period_secs
    }

    /// Returns the facts of a loop whose keys a format holds, which may need even ones.
    #[must_use]
    pub fn in_format(self, format: &Capabilities) -> Self {
        match self.last_step.filter(|_| !format.has_key_times) {
            Some(last_step) => Self {
                samples: KeyLayout::num_samples_between(self.samples, last_step),
                last_step: None,
                ..self
            },
            None => self,
        }
    }

    /// Returns the facts of a loop that is written with those axes and units and cut from that take.
    #[must_use]
    pub fn in_space(mut self, space: &Space, take: &TakeFacts) -> Self {
        let up = space.up.to_string().to_ascii_lowercase();
        self.unit = Some(space.unit_name()).filter(|unit| *unit != take.unit);
        self.up = Some(up).filter(|up| *up != take.up);
        self
    }
}

/// The engine that a loop was written for.
#[in_schema(read)]
pub struct TargetFacts {
    /// Its name, as --for has it.
    pub name: String,
    /// Settings of its importer, under the importer's own names (docs/guide/engines.md); null where it needs none.
    pub importer: Option<Map<String, Value>>,
}

/// The loops that were blended into this one.
#[in_schema(read)]
pub struct BlendFacts {
    /// Their files, as they were named.
    pub loops: Vec<String>,
    /// Their weights, of sum 1.
    pub weights: Vec<f64>,
    /// The phase of each, 0 to 1, at which it does what the first does at its start.
    pub phases: Vec<f64>,
    /// How far the contacts of each are from even, as a share of its time; null where it is aligned by a shift alone.
    #[serde(default)]
    pub warps: Vec<Option<f64>>,
}

#[cfg(test)]
mod tests {

    use super::*;

    /// A left turn of 90 deg/s at 2 m/s that climbs at 0.5 m/s, from a start that faces +X: the axis is 4/pi m to its left, at -Z.
    #[test]
    fn the_basis_of_a_helix_is_that_of_its_axis() {
        let quarter = core::f64::consts::FRAC_PI_2;
        let root = RootMotion::new(
            Rigid::from_yaw(quarter, DVec3::new(1.0, 0.2, 3.0)),
            Twist::new(DVec3::new(0.0, 0.5, 2.0), DVec3::Y * quarter),
        );
        let basis = BasisFacts::new(&root);
        let near = |found: Option<[f64; 3]>, expected: DVec3| {
            let found = DVec3::from_array(found.unwrap());
            assert!((found - expected).length() < 1e-12, "{found} {expected}");
        };
        let radius = 4.0 / core::f64::consts::PI;
        near(basis.axis, DVec3::Y);
        near(basis.axis_point_m, DVec3::new(1.0, 0.2, 3.0 - radius));
        near(basis.direction, DVec3::new(2.0, 0.5, 0.0).normalize());
        assert!((basis.radius_m.unwrap() - radius).abs() < 1e-12);
        assert!((basis.pitch_m.unwrap() - 2.0).abs() < 1e-12);
        // Every point of the path has that distance from the axis.
        for secs in [0.3, 1.7, 3.1] {
            let away = (root.at(secs).translation - DVec3::from_array(basis.axis_point_m.unwrap()))
                * DVec3::new(1.0, 0.0, 1.0);
            assert!((away.length() - radius).abs() < 1e-12);
        }
        let mirrored = basis.mirrored();
        near(mirrored.axis, DVec3::NEG_Y);
        near(mirrored.axis_point_m, DVec3::new(-1.0, 0.2, 3.0 - radius));
        assert!((mirrored.pitch_m.unwrap() + 2.0).abs() < 1e-12);
        let straight = BasisFacts::new(&RootMotion {
            twist: Twist {
                angular: DVec3::ZERO,
                ..root.twist
            },
            ..root
        });
        assert!(straight.direction.is_some() && straight.axis.is_none() && straight.radius_m.is_none());
        assert_eq!(BasisFacts::new(&RootMotion::NONE), BasisFacts::default());
    }

    /// The published formula moves a character as its root moves: turning, climbing, straight and in place.
    #[test]
    fn the_formula_of_the_periodic_loop_is_the_root_motion() {
        for (linear, angular) in [
            (DVec3::new(0.1, 0.5, 2.0), DVec3::Y * 1.3),
            (DVec3::new(0.3, 0.0, -1.0), DVec3::Y * -0.4),
            (DVec3::new(0.0, 0.4, 1.2), DVec3::ZERO),
            (DVec3::ZERO, DVec3::Y * -2.0),
            (DVec3::ZERO, DVec3::ZERO),
            (DVec3::new(0.2, 0.1, 1.0), DVec3::new(0.3, -0.8, 0.5)),
            // Nearly straight: the axis is two kilometres away, then ten million, then out of range.
            (DVec3::new(0.0, 0.1, 1.25), DVec3::Y * 7e-4),
            (DVec3::new(0.0, 0.0, 1.25), DVec3::Y * -1.25e-7),
            (DVec3::new(0.0, 0.2, 1.25), DVec3::Y * 1e-10),
        ] {
            let start = Rigid::from_yaw(0.7, DVec3::new(1.0, 0.2, 3.0));
            let root = RootMotion::new(start, Twist::new(linear, angular));
            let of = PeriodicLoopFacts::new(&root);
            let [axis, x, y] = [of.axis, of.basis_x, of.basis_y].map(DVec3::from_array);
            for secs in [0.0, 0.7, 13.0, 60.0] {
                let (sin, cos) = (of.angle_radps * secs).sin_cos();
                let moved = of.climb_mps * secs * axis + of.radius_m * ((cos - 1.0) * x + sin * y);
                let now = root.at(secs);
                assert!(
                    (start.translation + moved - now.translation).length() < 1e-6,
                    "{linear} {angular}"
                );
                assert!((x.cross(y) - axis).length() < 1e-12, "{x} {y} {axis}");
                let turned = rotation::exp(of.angle_radps * secs * axis) * start.rotation;
                assert!(rotation::difference(turned, now.rotation).length() < 1e-6);
            }
        }
    }
}
