//! The JSON beside a loop: its source, closure, root motion and quality.
//!
//! `make`, `close` and `blend` print the same document with `--json`, and glTF has it in the extras of the animation, without
//! names of files. docs/formats/json.md describes it, docs/formats/loopwright.schema.json is its schema. Readers
//! skip keys that they do not know.
//!
//! To play a loop, move the character's root by root(t) = start * exp(t * twist). `start` is the rotation by `start_yaw_deg`
//! about +Y and the translation `start_position_m`; the twist is the constant pair of `linear_velocity_mps` and
//! `angular_velocity_radps`, both in the root's own axes. It holds for any t, over any number of cycles. In the space `full`
//! the start is turned about more than +Y, and `start_rotation_xyzw` says how; on the ground it says the same as the yaw.

use loopwright_core::{Skeleton, mirror::Mirror};
use serde_json::{Value, json};

use super::{
    facts::{
        BasisFacts, BlendFacts, CandidateFacts, ClosureFacts, EditFacts, FeetFacts, MeanCycleFacts, PeriodicLoopFacts,
        PlaybackFacts, QualityFacts, RootMotionFacts, TakeFacts, TargetFacts, TimeFacts, VariationFacts,
    },
    json::{self, Marks, to_text},
    numbers::{WildNumber, check_numbers, in_range},
};

/// The identifier of the format.
pub const FORMAT: &str = "loopwright-loop";

/// The version that is written and read.
pub const VERSION: u32 = 2;

/// Largest sidecar that is read, in bytes: far above any, and small enough to hold in memory.
const MAX_BYTES: usize = 16 << 20;

/// Largest number in a sidecar, in any unit: sums and squares of it are far from overflow.
const MAX_NUMBER: f64 = 1e12;

/// Most joints, samples and copies: a guard against allocating by a number from a file.
const MAX_COUNT: f64 = 1e9;

/// A written loop: the sidecar beside it, and the answer of make, close and blend. In the extras of a glTF animation it stands
/// without take, recipe_sha256, file_sha256, warnings and outputs.
#[in_schema(read)]
pub struct Sidecar {
    /// What the document is.
    #[schemars(extend("const" = FORMAT))]
    pub format: String,
    /// Version of the shape. Within a version keys are only added.
    #[schemars(extend("const" = VERSION))]
    pub version: u32,
    /// The program that wrote it, with its version; null where it is not known.
    pub program: Option<String>,
    /// What the body does: still, idle, walk, turning_walk, run, backward, strafe, turn_in_place, jump, one_shot or other; null
    /// where it is not known.
    pub kind: Option<String>,
    /// Whether the body stays where it is, whatever its feet do.
    #[serde(default)]
    pub in_place: bool,
    /// SHA-256 of the recipe that makes it again, as --save-recipe writes it: 64 hexadecimal digits; null where it is not known.
    pub recipe_sha256: Option<String>,
    /// The take that the loop was cut from; of a blend its first loop.
    pub take: TakeFacts,
    /// The stretch of the take; of a blend one period from its start.
    pub candidate: CandidateFacts,
    /// The cycles of the take whose mean the loop is; null where it is the stretch alone.
    pub mean_cycle: Option<MeanCycleFacts>,
    /// What the cycles of the loop were varied by; null where they are all one.
    pub variation: Option<VariationFacts>,
    /// What of its time is not as recorded; null where all is.
    pub time: Option<TimeFacts>,
    /// How the seam was closed.
    pub closure: ClosureFacts,
    /// How the closed loop was edited, in the order in which the edits apply.
    pub edits: Vec<EditFacts>,
    /// How the root moves.
    pub root_motion: RootMotionFacts,
    /// When its feet stand, and how they were locked; null where that is not known.
    pub feet: Option<FeetFacts>,
    /// What was measured.
    pub quality: QualityFacts,
    /// How the loop lies in the file.
    pub playback: PlaybackFacts,
    /// What it was blended from; null where it was cut from a take.
    pub blend: Option<BlendFacts>,
    /// The engine that it was written for; null where none was named.
    pub target: Option<TargetFacts>,
    /// SHA-256 of the loop's file, 64 hexadecimal digits; null where it is not known. Check and other commands refuse a file with
    /// another.
    pub file_sha256: Option<String>,
    /// What the user was warned about, one sentence each.
    pub warnings: Vec<String>,
    /// Files written, as they were named.
    pub outputs: Vec<String>,
}

/// Why bytes are not a sidecar, or facts cannot be written as one.
#[error_kinds]
pub enum SidecarError {
    #[error("a sidecar of {found} bytes is larger than the limit of {limit}")]
    TooLarge { found: usize, limit: usize },
    /// The text is not JSON, or lacks a required field.
    #[error("line {line}, column {column}: {reason}")]
    Json { line: usize, column: usize, reason: String },
    /// The JSON has another format.
    #[error("this is not the sidecar of a loop: its format is \"{found}\", expected \"{FORMAT}\"")]
    Format { found: String },
    #[error(
        "the sidecar has version {found}, this program reads version {VERSION}; update the program or make the loop again"
    )]
    Version { found: u64 },
    /// A number is not finite, or beyond any plausible size.
    OutOfRange(WildNumber),
}

impl From<serde_json::Error> for SidecarError {
    fn from(error: serde_json::Error) -> Self {
        Self::Json {
            line: error.line(),
            column: error.column(),
            reason: json::reason(&error),
        }
    }
}

impl Sidecar {
    /// Returns the facts of a loop of which nothing is known, as this program states them.
    pub fn new() -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            program: Some(concat!("loopwright ", env!("CARGO_PKG_VERSION")).to_owned()),
            ..Self::default()
        }
    }

    /// Reads a sidecar.
    ///
    /// Afterwards format and version are known, every number is finite, and counts, times and rates are plausible, so that a
    /// player may rely on them. Errors: [`SidecarError`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, SidecarError> {
        if bytes.len() > MAX_BYTES {
            return Err(SidecarError::TooLarge {
                found: bytes.len(),
                limit: MAX_BYTES,
            });
        }
        let sidecar = Self::parse(bytes)?;
        sidecar.check()?;
        Ok(sidecar)
    }

    /// Reads the extras of a glTF animation, which contain everything except the take, the warnings and the names of files.
    ///
    /// Errors: those of [`Self::from_json`].
    pub(crate) fn from_extras(extras: &Value) -> Result<Self, SidecarError> {
        let mut document = extras.clone();
        if let Some(fields) = document.as_object_mut() {
            fields.entry("take").or_insert(json!(TakeFacts::default()));
            for list in ["warnings", "outputs"] {
                fields.entry(list).or_insert(json!([]));
            }
        }
        let sidecar = Self::parse(document.to_string().as_bytes())?;
        sidecar.check_loop()?;
        Ok(sidecar)
    }

    /// Errors: the document is invalid, or lacks a required field.
    fn parse(bytes: &[u8]) -> Result<Self, SidecarError> {
        let marks: Marks = serde_json::from_slice(bytes)?;
        if marks.format != FORMAT {
            return Err(SidecarError::Format {
                found: crate::excerpt::excerpt(&marks.format),
            });
        }
        if marks.version != u64::from(VERSION) {
            return Err(SidecarError::Version { found: marks.version });
        }
        Ok(json::from_text(bytes)?)
    }

    /// Returns the sidecar of the loop mirrored across X: left and right are exchanged, by the mirror of the skeleton of its
    /// keys.
    ///
    /// Facts of a foot become those of the other one. The phase of the loop's start becomes unknown, because the other foot
    /// comes first; so do seeds of noise, which would give the noise of the unmirrored loop.
    #[must_use]
    pub fn mirrored(mut self, mirror: &Mirror, skeleton: &Skeleton) -> Self {
        let root_motion = &mut self.root_motion;
        root_motion.linear_velocity_mps[0] *= -1.0;
        if let Some(linear) = &mut root_motion.take_linear_velocity_mps {
            linear[0] *= -1.0;
        }
        for axis in 1..3 {
            root_motion.angular_velocity_radps[axis] *= -1.0;
        }
        root_motion.turn_rate_dps *= -1.0;
        root_motion.start_position_m[0] *= -1.0;
        root_motion.start_yaw_deg *= -1.0;
        root_motion.basis = root_motion.basis.take().map(BasisFacts::mirrored);
        if let Some(recentered) = &mut root_motion.recentered {
            recentered.turn_deg *= -1.0;
            recentered.moved_m[0] *= -1.0;
        }
        if let Some([_, y, z, _]) = &mut root_motion.start_rotation_xyzw {
            *y *= -1.0;
            *z *= -1.0;
        }
        root_motion.periodic_loop = Some(PeriodicLoopFacts::new(&root_motion.motion()));
        self.candidate.contact_phase = None;
        if let Some(feet) = &mut self.feet {
            feet.mirror(mirror, skeleton);
        }
        for edit in &mut self.edits {
            edit.mirror(mirror, skeleton);
        }
        self
    }

    /// Returns the sidecar as indented JSON with a final newline.
    ///
    /// Errors: [`SidecarError::OutOfRange`] for numbers that JSON or [`Self::from_json`] do not accept.
    pub fn to_json(&self) -> Result<String, SidecarError> {
        self.check()?;
        Ok(to_text(self)?)
    }

    pub(super) fn check(&self) -> Result<(), SidecarError> {
        let take = &self.take;
        for count in [("take.frames", take.frames), ("take.joints", take.joints)] {
            in_range(count.0, [count.1 as f64], 1.0..=MAX_COUNT)?;
        }
        in_range("take.frame_time_secs", [take.frame_time_secs], 1e-6..=1e4)?;
        in_range("take.fps", [take.fps], 1e-4..=1e6)?;
        self.check_loop()
    }

    /// Checks the facts apart from the take.
    fn check_loop(&self) -> Result<(), SidecarError> {
        let Self {
            candidate,
            root_motion,
            playback,
            ..
        } = self;
        let last = playback.samples as f64 - 1.0;
        for (field, found, range) in [
            (
                "candidate.source_period_secs",
                candidate.source_period_secs,
                1e-6..=MAX_NUMBER,
            ),
            ("candidate.period_secs", candidate.period_secs, 1e-6..=MAX_NUMBER),
            ("candidate.cycles", candidate.cycles as f64, 0.0..=MAX_COUNT),
            ("playback.samples", playback.samples as f64, 3.0..=MAX_COUNT),
            ("playback.last_step", playback.last_step.unwrap_or(1.0), 1e-3..=2.1),
            ("playback.seam_sample", playback.seam_sample as f64, 0.0..=last),
            ("playback.copies", playback.copies as f64, 1.0..=MAX_COUNT),
        ] {
            in_range(field, [found], range)?;
        }
        let speeds = -1e6..=1e6;
        let take_velocity = root_motion.take_linear_velocity_mps.into_iter().flatten();
        let (angular, turn) = (root_motion.angular_velocity_radps, root_motion.start_rotation_xyzw);
        in_range(
            "root_motion.linear_velocity_mps",
            root_motion.linear_velocity_mps,
            speeds.clone(),
        )?;
        in_range("root_motion.take_linear_velocity_mps", take_velocity, speeds.clone())?;
        in_range("root_motion.angular_velocity_radps", angular, speeds)?;
        in_range(
            "root_motion.start_rotation_xyzw",
            turn.into_iter().flatten(),
            -2.0..=2.0,
        )?;
        in_range("root_motion.start_position_m", root_motion.start_position_m, -1e9..=1e9)?;
        if let Some(recentered) = &root_motion.recentered {
            in_range("root_motion.recentered.turn_deg", [recentered.turn_deg], -1e6..=1e6)?;
            in_range("root_motion.recentered.moved_m", recentered.moved_m, -1e9..=1e9)?;
        }
        if let Some(variation) = &self.variation {
            // Each copy has as many samples.
            let copies = match self.playback.samples.checked_rem(variation.copies) {
                Some(0) => variation.copies as f64,
                _ => 0.0,
            };
            in_range("variation.copies", [copies], 1.0..=MAX_NUMBER)?;
        }
        for cycle in self.mean_cycle.iter().flat_map(|mean| &mean.cycles) {
            in_range(
                "mean_cycle.cycles",
                [cycle.start_frame, cycle.end_frame],
                0.0..=MAX_COUNT,
            )?;
            in_range("mean_cycle.cycles.share", [cycle.share], 0.0..=1.0)?;
        }
        Ok(check_numbers(self, MAX_NUMBER)?)
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
                fps: 30.0,
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
                seam_cost_metre_secs: Some(0.071),
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
            ..Sidecar::new()
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let edited = |position: f64| Sidecar {
            edits: vec![EditFacts {
                kind: "move".to_owned(),
                joints: vec!["Hips".to_owned()],
                time_secs: Some(0.5),
                position_m: Some([-0.02, 0.0, position]),
                ..EditFacts::default()
            }],
            ..sidecar()
        };
        let text = edited(0.01).to_json().unwrap();
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(edited(0.01)));
        for position in [-1e20, 1e20] {
            let refused = edited(position).to_json();
            let is_named = |field: &str| field == "edits.position_m";
            assert!(matches!(refused, Err(SidecarError::OutOfRange(number)) if is_named(&number.path)));
        }
        let blended = Sidecar {
            blend: Some(BlendFacts {
                loops: vec!["a.bvh".to_owned(), "b.bvh".to_owned()],
                weights: vec![0.25, 0.75],
                phases: vec![0.0, 0.5],
                warps: vec![Some(0.01), None],
            }),
            ..sidecar()
        };
        let text = blended.to_json().unwrap();
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(blended));
        let sidecar = sidecar();
        let text = sidecar.to_json().unwrap();
        assert!(text.ends_with("}\n") && text.contains("\"blend\": null"));
        assert!(text.contains("\"radius_m\": null"));
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(sidecar));
    }

    #[test]
    fn unknown_fields_are_skipped_and_unknown_values_may_be_missing() {
        let text = sidecar().to_json().unwrap();
        let text = text.replace("\"foot_slide_cmps\": null", "\"glow\": [1, {}]");
        assert_eq!(Sidecar::from_json(text.as_bytes()), Ok(sidecar()));
    }

    #[test]
    fn refuses_what_no_player_could_trust() {
        let text = sidecar().to_json().unwrap();
        for (from, to, says) in [
            (FORMAT, "loop", "its format is \"loop\""),
            ("\"version\": 2", "\"version\": 3", "has version 3"),
            (
                "\"samples\": 42",
                "\"samples\": 4000000000000",
                "playback.samples is out of range",
            ),
            (
                "\"period_secs\": 1.4",
                "\"period_secs\": 0.0",
                "candidate.period_secs is out of range",
            ),
            (
                "start_share_of_position\": 0.0",
                "start_share_of_position\": 1e999",
                "line ",
            ),
            (
                "start_share_of_position\": 0.0",
                "start_share_of_position\": NaN",
                "line ",
            ),
            (
                "start_share_of_position\": 0.0",
                "start_share_of_position\": 1e20",
                "is out of range",
            ),
            ("\"samples\": 42", "\"samples\": -1", "line "),
        ] {
            assert!(text.contains(from), "{from}");
            let error = Sidecar::from_json(text.replace(from, to).as_bytes()).unwrap_err();
            assert!(error.to_string().contains(says), "{error}");
        }
        assert!(matches!(Sidecar::from_json(b"{}"), Err(SidecarError::Format { .. })));
        assert!(matches!(Sidecar::from_json(b""), Err(SidecarError::Json { .. })));
        let deep = Sidecar::from_json("[".repeat(100_000).as_bytes());
        assert!(matches!(deep, Err(SidecarError::Json { .. })));
    }

    #[test]
    fn nothing_that_is_not_finite_is_written() {
        let field = |change: fn(&mut Sidecar)| {
            let mut bad = sidecar();
            change(&mut bad);
            match bad.to_json() {
                Err(SidecarError::OutOfRange(number)) => number.path,
                other => panic!("{other:?}"),
            }
        };
        let radius = field(|bad| bad.root_motion.radius_m = Some(f64::INFINITY));
        assert_eq!(radius, "root_motion.radius_m");
        let velocity = field(|bad| bad.root_motion.linear_velocity_mps[1] = f64::NAN);
        assert_eq!(velocity, "root_motion.linear_velocity_mps");
    }
}
