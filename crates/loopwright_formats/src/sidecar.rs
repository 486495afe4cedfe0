//! The JSON beside a loop: where it comes from, how it was closed, how it travels, how good it is.
//!
//! Names are stable and in snake case; a new field may appear in any version, and readers skip those they do not know. The
//! same structs are what the command prints with `--json`. All lengths are in metres unless the name says otherwise, with
//! +Y up and +Z forward, whatever the file beside it uses; angles and rates carry their unit in the name. `null` stands for
//! what is not known.
//!
//! To play a loop, move the character's root by root(t) = start * exp(t * twist): `start` is the turn by
//! `start_yaw_deg` about +Y and the translation `start_position_m`, and the twist is the constant pair of linear and
//! angular velocity, both in the root's own axes. It holds for any t, over any number of cycles. In the space `full` the
//! start is turned about more than +Y, and `start_rotation_xyzw` says how; on the ground it says the same as the yaw.

use loopwright::take::Take;
use serde::{Deserialize, Serialize};

use crate::{space::Space, target::TargetFacts};

/// The word that marks the file.
pub const FORMAT: &str = "loopwright-loop";

/// The version written; a reader takes this one alone.
pub const VERSION: u32 = 1;

/// Largest sidecar that is read, in bytes: far above any, and small enough to hold in memory.
const MAX_BYTES: usize = 16 << 20;

/// Largest number in a sidecar, in whatever unit: sums and squares of it are far from overflow.
const MAX_NUMBER: f64 = 1e12;

/// Most joints, samples and copies: a guard against allocating by a number from a file.
const MAX_COUNT: usize = 1_000_000_000;

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
    /// What became of the travel: screw, rabbit, in-place, keep, path, world.
    pub mode: String,
    /// Which motions count as travel: ground (turns about +Y, ways over the ground, climbs) or full (any). Loops of versions
    /// that knew the ground alone leave it empty.
    #[serde(default)]
    pub space: String,
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
    /// What the speed of the root is told by: pose or feet.
    pub root_speed_from: String,
    /// The speed over the ground that the feet tell, whether or not it was taken, metres per second.
    pub feet_speed_mps: Option<f64>,
}

/// A foot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootFacts {
    /// Its lowest joint.
    pub joint: String,
    /// What became of it: held, not asked, no knee, never stands, slides.
    pub outcome: String,
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

/// All that is known about a written loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sidecar {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u32,
    /// The take that the loop was cut from; of a blend its first loop.
    pub take: TakeFacts,
    /// The stretch of it; of a blend one period from its start.
    pub candidate: CandidateFacts,
    /// How the seam was closed.
    pub closure: ClosureFacts,
    /// How the root travels.
    pub root: RootFacts,
    /// What its feet do; left out where that is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feet: Option<FeetFacts>,
    /// What was measured.
    pub quality: QualityFacts,
    /// How the loop lies in the file.
    pub playback: PlaybackFacts,
    /// What it was blended from; left out where it was cut from a take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blend: Option<BlendFacts>,
    /// The client that it was written for; left out where none was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetFacts>,
    /// What was odd on the way, one sentence each.
    pub warnings: Vec<String>,
    /// Files written, the loop first.
    pub outputs: Vec<String>,
}

impl Default for Sidecar {
    fn default() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            take: TakeFacts::default(),
            candidate: CandidateFacts::default(),
            closure: ClosureFacts::default(),
            root: RootFacts::default(),
            feet: None,
            quality: QualityFacts::default(),
            playback: PlaybackFacts::default(),
            blend: None,
            target: None,
            warnings: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// Why bytes are not a sidecar, or facts cannot be written as one.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SidecarError {
    /// More bytes than any sidecar has.
    #[error("a sidecar of {found} bytes is larger than the limit of {limit}")]
    TooLarge {
        /// Bytes given.
        found: usize,
        /// Most bytes read.
        limit: usize,
    },
    /// Not JSON, or without a field that is needed.
    #[error("line {line}, column {column}: {reason}")]
    Json {
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// What the JSON reader says.
        reason: String,
    },
    /// JSON of something else.
    #[error("this is not the sidecar of a loop: its format is \"{found}\", expected \"{FORMAT}\"")]
    Format {
        /// The format it states; empty when none.
        found: String,
    },
    /// A version that this reader does not know.
    #[error(
        "the sidecar has version {found}, this program knows version {VERSION}; write the loop again or update the program"
    )]
    Version {
        /// The version it states.
        found: u64,
    },
    /// A number that is not finite or beyond any plausible size.
    #[error("{field} is out of range: {found}")]
    OutOfRange {
        /// The field, such as `root.turn_dps`.
        field: &'static str,
        /// The number.
        found: f64,
    },
}

/// The two fields that say whether the rest is worth reading.
#[derive(Deserialize)]
struct Marks {
    #[serde(default)]
    format: String,
    #[serde(default)]
    version: u64,
}

fn json_error(error: &serde_json::Error) -> SidecarError {
    let reason = error.to_string();
    // The place is told in fields of its own.
    let reason = reason.rfind(" at line ").map_or(reason.as_str(), |end| &reason[..end]);
    SidecarError::Json {
        line: error.line(),
        column: error.column(),
        reason: reason.to_owned(),
    }
}

impl Sidecar {
    /// Reads a sidecar.
    ///
    /// Afterwards format and version are known ones, every number is finite, and counts, times and rates are of plausible
    /// size, so that a player may rely on them. Errors: [`SidecarError`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, SidecarError> {
        if bytes.len() > MAX_BYTES {
            return Err(SidecarError::TooLarge {
                found: bytes.len(),
                limit: MAX_BYTES,
            });
        }
        let marks: Marks = serde_json::from_slice(bytes).map_err(|error| json_error(&error))?;
        if marks.format != FORMAT {
            return Err(SidecarError::Format {
                found: crate::excerpt::excerpt(marks.format.as_bytes()),
            });
        }
        if marks.version != u64::from(VERSION) {
            return Err(SidecarError::Version { found: marks.version });
        }
        let sidecar: Self = serde_json::from_slice(bytes).map_err(|error| json_error(&error))?;
        sidecar.check()?;
        Ok(sidecar)
    }

    /// The sidecar of the same loop in a mirror across X: what goes to the left goes to the right.
    ///
    /// Where in its cycle the loop starts, and which foot stands when, is not known any more, because the other foot comes first.
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        let root = &mut self.root;
        root.twist_linear_mps[0] *= -1.0;
        if let Some(linear) = &mut root.take_twist_linear_mps {
            linear[0] *= -1.0;
        }
        for axis in 1..3 {
            root.twist_angular_radps[axis] *= -1.0;
        }
        root.turn_dps *= -1.0;
        root.start_position_m[0] *= -1.0;
        root.start_yaw_deg *= -1.0;
        if let Some([_, y, z, _]) = &mut root.start_rotation_xyzw {
            *y *= -1.0;
            *z *= -1.0;
        }
        self.candidate.contact_phase = None;
        // Which foot is whose image is not known here.
        self.feet = None;
        self
    }

    /// The sidecar as indented JSON with a final newline.
    ///
    /// Errors: [`SidecarError::OutOfRange`] for numbers that JSON or [`Self::from_json`] do not take.
    pub fn to_json(&self) -> Result<String, SidecarError> {
        self.check()?;
        let mut text = serde_json::to_string_pretty(self).map_err(|error| json_error(&error))?;
        text.push('\n');
        Ok(text)
    }

    fn check(&self) -> Result<(), SidecarError> {
        let in_range = |field, found: f64, range: core::ops::RangeInclusive<f64>| {
            if range.contains(&found) {
                Ok(())
            } else {
                Err(SidecarError::OutOfRange { field, found })
            }
        };
        let most = MAX_COUNT as f64;
        let Self {
            take,
            candidate,
            root,
            playback,
            ..
        } = self;
        in_range("take.frames", take.frames as f64, 1.0..=most)?;
        in_range("take.joints", take.joints as f64, 1.0..=most)?;
        in_range("take.frame_time_secs", take.frame_time_secs, 1e-6..=1e4)?;
        in_range(
            "candidate.source_period_secs",
            candidate.source_period_secs,
            1e-6..=MAX_NUMBER,
        )?;
        in_range("candidate.period_secs", candidate.period_secs, 1e-6..=MAX_NUMBER)?;
        in_range("candidate.cycles", candidate.cycles as f64, 0.0..=most)?;
        in_range("playback.samples", playback.samples as f64, 3.0..=most)?;
        in_range("playback.copies", playback.copies as f64, 1.0..=most)?;
        for speed in root.twist_linear_mps {
            in_range("root.twist_linear_mps", speed, -1e6..=1e6)?;
        }
        for speed in root.take_twist_linear_mps.into_iter().flatten() {
            in_range("root.take_twist_linear_mps", speed, -1e6..=1e6)?;
        }
        for rate in root.twist_angular_radps {
            in_range("root.twist_angular_radps", rate, -1e6..=1e6)?;
        }
        for part in root.start_rotation_xyzw.into_iter().flatten() {
            in_range("root.start_rotation_xyzw", part, -2.0..=2.0)?;
        }
        for coordinate in root.start_position_m {
            in_range("root.start_position_m", coordinate, -1e9..=1e9)?;
        }
        for (field, number) in self.other_numbers() {
            in_range(field, number, -MAX_NUMBER..=MAX_NUMBER)?;
        }
        Ok(())
    }

    fn other_numbers(&self) -> impl Iterator<Item = (&'static str, f64)> {
        let Self {
            candidate,
            closure,
            root,
            quality,
            ..
        } = self;
        let known = [
            ("candidate.start_frame", Some(candidate.start_frame)),
            ("candidate.end_frame", Some(candidate.end_frame)),
            ("candidate.seam_cost", candidate.seam_cost),
            ("candidate.cost_ratio", candidate.cost_ratio),
            ("candidate.steadiness", candidate.steadiness),
            ("closure.blend_start_secs", Some(closure.blend_start_secs)),
            ("closure.blend_end_secs", Some(closure.blend_end_secs)),
            ("closure.rho", Some(closure.rho)),
            ("closure.sigma", Some(closure.sigma)),
            ("closure.tau", Some(closure.tau)),
            ("root.speed_mps", Some(root.speed_mps)),
            ("root.turn_dps", Some(root.turn_dps)),
            ("root.radius_m", root.radius_m),
            ("root.climb_mps", Some(root.climb_mps)),
            ("root.start_yaw_deg", Some(root.start_yaw_deg)),
            ("root.path_smoothing_secs", root.path_smoothing_secs),
            ("root.fit_residual_mm", root.fit_residual_mm),
            ("root.arc_over_path", root.arc_over_path),
            ("quality.c0_deg", quality.c0_deg),
            ("quality.c0_mm", quality.c0_mm),
            ("quality.c1_dps", quality.c1_dps),
            ("quality.c1_mmps", quality.c1_mmps),
            ("quality.seam_acceleration_error", quality.seam_acceleration_error),
            ("quality.seam_acceleration_p99", quality.seam_acceleration_p99),
            ("quality.seam_rank", quality.seam_rank),
            ("quality.take_rank", quality.take_rank),
            ("quality.displacement_mm", quality.displacement_mm),
            ("quality.displacement_deg", quality.displacement_deg),
            ("quality.skate_cmps", quality.skate_cmps),
        ];
        known.into_iter().filter_map(|(field, number)| Some((field, number?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sidecar() -> Sidecar {
        Sidecar {
            take: TakeFacts {
                file: "walk.bvh".to_owned(),
                frames: 300,
                frame_time_secs: 1.0 / 30.0,
                joints: 21,
                unit: "cm".to_owned(),
                up: "y".to_owned(),
                ..TakeFacts::default()
            },
            candidate: CandidateFacts {
                start_frame: 10.25,
                end_frame: 52.75,
                source_period_secs: 42.5 / 30.0,
                period_secs: 1.4,
                cycles: 1,
                seam_cost: Some(0.071),
                ..CandidateFacts::default()
            },
            playback: PlaybackFacts {
                samples: 42,
                closing_key: true,
                copies: 1,
                root_joint_added: false,
                carrier_joint: "Hips".to_owned(),
                root_joint: None,
                ..PlaybackFacts::default()
            },
            ..Sidecar::default()
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let blended = Sidecar {
            blend: Some(BlendFacts {
                loops: vec!["a.bvh".to_owned(), "b.bvh".to_owned()],
                weights: vec![0.25, 0.75],
                phases: vec![0.0, 0.5],
            }),
            ..sidecar()
        };
        let text = blended.to_json().unwrap();
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(blended));
        let sidecar = sidecar();
        let text = sidecar.to_json().unwrap();
        assert!(text.ends_with("}\n") && !text.contains("\"blend\":"));
        assert!(text.contains("\"radius_m\": null"));
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(sidecar));
    }

    #[test]
    fn unknown_fields_are_skipped_and_unknown_values_may_be_missing() {
        let text = sidecar().to_json().unwrap();
        let text = text.replace("\"skate_cmps\": null", "\"glow\": [1, {}]");
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(sidecar()));
    }

    #[test]
    fn refuses_what_no_player_could_trust() {
        let text = sidecar().to_json().unwrap();
        let error = |from: &str, to: &str| {
            assert!(text.contains(from), "{from}");
            Sidecar::from_json(text.replace(from, to).as_bytes()).unwrap_err()
        };
        assert_eq!(
            error(FORMAT, "loop"),
            SidecarError::Format {
                found: "loop".to_owned()
            }
        );
        assert_eq!(
            error("\"version\": 1", "\"version\": 2"),
            SidecarError::Version { found: 2 }
        );
        let samples = error("\"samples\": 42", "\"samples\": 4000000000000");
        assert!(matches!(
            samples,
            SidecarError::OutOfRange {
                field: "playback.samples",
                ..
            }
        ));
        let period = error("\"period_secs\": 1.4", "\"period_secs\": 0.0");
        assert!(matches!(
            period,
            SidecarError::OutOfRange {
                field: "candidate.period_secs",
                ..
            }
        ));
        assert!(matches!(
            error("\"rho\": 0.0", "\"rho\": 1e999"),
            SidecarError::Json { .. }
        ));
        assert!(matches!(
            error("\"rho\": 0.0", "\"rho\": NaN"),
            SidecarError::Json { .. }
        ));
        assert!(matches!(
            error("\"rho\": 0.0", "\"rho\": 1e20"),
            SidecarError::OutOfRange { .. }
        ));
        assert!(matches!(
            error("\"samples\": 42", "\"samples\": -1"),
            SidecarError::Json { .. }
        ));
        assert!(matches!(Sidecar::from_json(b"{}"), Err(SidecarError::Format { .. })));
        assert!(matches!(Sidecar::from_json(b""), Err(SidecarError::Json { .. })));
        assert!(matches!(
            Sidecar::from_json("[".repeat(100_000).as_bytes()),
            Err(SidecarError::Json { .. })
        ));
    }

    #[test]
    fn nothing_that_is_not_finite_is_written() {
        let mut bad = sidecar();
        bad.root.radius_m = Some(f64::INFINITY);
        assert!(matches!(
            bad.to_json(),
            Err(SidecarError::OutOfRange {
                field: "root.radius_m",
                ..
            })
        ));
        let mut bad = sidecar();
        bad.root.twist_linear_mps[1] = f64::NAN;
        assert!(matches!(
            bad.to_json(),
            Err(SidecarError::OutOfRange {
                field: "root.twist_linear_mps",
                ..
            })
        ));
    }
}
