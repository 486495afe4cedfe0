//! The manifest of a set: all that a player needs beside the clips, as JSON.
//!
//! docs/formats/set.md describes it, docs/formats/set.schema.json is its schema, in which units stand; positions have +Y up and +Z
//! forward. Readers skip keys that they do not know.

use std::collections::BTreeSet;

use loopwright_core::analysis::MotionKind;
use loopwright_formats::loop_file::facts::{Grade, TakeFacts};
use loopwright_formats::loop_file::{from_text, to_text, word::optional_word};
use serde::{Deserialize, Serialize};

use crate::cut;

/// The identifier of the format.
pub const SET_FORMAT: &str = "loopwright-set";

/// The version that is written and read.
pub const SET_VERSION: u32 = 1;

/// The name of the file beside the clips.
pub const SET_FILE: &str = "set.json";

/// Largest manifest that is read, bytes.
const MAX_BYTES: usize = 64 << 20;

/// Largest number in a manifest, in any unit.
const MAX_NUMBER: f64 = 1e9;

/// A set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the program that wrote it.
    pub loopwright: String,
    /// [`SET_FORMAT`].
    pub format: String,
    /// [`SET_VERSION`].
    pub version: u32,
    /// Its name.
    pub name: String,
    /// Frames per second of all clips.
    pub fps: f64,
    /// The joint that carries nothing but the root motion; null if none does.
    pub root_joint: Option<String>,
    /// Whether the clips stay where they are; otherwise the root joint, or the carrier, moves as the manifest states.
    pub in_place: bool,
    /// The body.
    pub skeleton: SetSkeleton,
    /// The clips: loops first.
    pub clips: Vec<SetClip>,
    /// Which loops are blended by what.
    pub blend_spaces: Vec<SetSpace>,
    /// The jump of least cost from each loop into each other.
    pub transitions: Vec<SetTransition>,
    /// Constants for a character controller, measured on the takes; null if none can be measured.
    pub controller: Option<SetController>,
    /// Licences of the takes.
    pub licences: Vec<String>,
    /// Parts that the set lacks.
    pub missing: Vec<Missing>,
    /// Loops that fill holes between those of the takes.
    pub filled: Vec<Filled>,
    /// What was given and is not used.
    pub left_out: Vec<LeftOut>,
}

/// The body of all clips.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetSkeleton {
    /// Number of joints, without a root joint that was added.
    pub joints: usize,
    /// The joint that the legs hang from.
    pub hips: String,
    /// The lowest joint of the left foot that contacts are listed by; null if unknown.
    pub left_foot: Option<String>,
    /// The same of the right.
    pub right_foot: Option<String>,
    /// The joint that carries the travel where there is no root joint.
    pub carrier: String,
}

/// What a clip is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the words say all")]
pub enum ClipKind {
    #[default]
    Loop,
    Start,
    Stop,
    TurnInPlace,
    Turn,
    Jump,
    Transition,
}

loopwright_core::words!(ClipKind {
    Loop: "loop",
    Start: "start",
    Stop: "stop",
    TurnInPlace: "turn_in_place",
    Turn: "turn",
    Jump: "jump",
    Transition: "transition",
});

/// A clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetClip {
    /// Its name, which no other clip has.
    pub name: String,
    /// Its file, from the folder of the manifest.
    pub file: String,
    /// The animation in that file; null where the format names none.
    pub animation: Option<String>,
    /// What it is for.
    pub kind: ClipKind,
    /// How a loop moves, in any direction: idle, walk, run or turn_in_place; null for what happens once.
    #[serde(default, with = "optional_word")]
    pub gait: Option<MotionKind>,
    /// Its length.
    pub seconds: f64,
    /// Its frames, without a last one that repeats the first.
    pub frames: usize,
    /// The phase of a loop; null for what happens once.
    pub phase: Option<SetPhase>,
    /// Speed over the ground, of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speed_mps: Option<f64>,
    /// Direction of that speed, seen from the facing: 0 forward, 90 left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction_deg: Option<f64>,
    /// Rate of turn of a loop, left positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_rate_dps: Option<f64>,
    /// Rate of climb of a loop.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub climb_mps: Option<f64>,
    /// The constant motion of the root of a loop, in its own axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub twist: Option<SetTwist>,
    /// The state of a loop that a passage begins with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<LoopState>,
    /// The state of a loop that it ends with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<LoopState>,
    /// By how much a passage turns, left positive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_deg: Option<f64>,
    /// Where it ends, seen from its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub travel_m: Option<[f64; 3]>,
    /// Cost of both joins, metre-seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// The root of a passage, seen from its start: a key for each frame, both ends included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<RootKeys>,
    /// When feet touch down and lift, in the order of time.
    pub events: Vec<FootEvent>,
    /// Whether it can be used unchanged.
    pub grade: Option<String>,
    /// What is wrong with it; null for a good one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The loop that it is another version of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant_of: Option<String>,
    /// What it was made from.
    pub made: SetMade,
}

/// The phase of a loop: 0 when the left foot touches down, 1/2 when the right one does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetPhase {
    /// The loop is at the phase p at the share p + warp sin^2(pi p) of its time.
    pub warp: f64,
    /// The share of the time at which the left foot touches down; null if it never does.
    pub left: Option<f64>,
    /// The same for the right.
    pub right: Option<f64>,
}

/// A constant motion in its own axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetTwist {
    /// Metres per second.
    pub linear: [f64; 3],
    /// Radians per second.
    pub angular: [f64; 3],
}

/// A moment of a loop.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LoopState {
    /// The name of its clip.
    pub clip: String,
    /// Seconds since its start.
    pub secs: f64,
}

/// Transforms of a root over time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RootKeys {
    /// When.
    pub secs: Vec<f64>,
    /// Three numbers for each key.
    pub translation: Vec<f64>,
    /// A quaternion for each key: x, y, z, w.
    pub rotation: Vec<f64>,
}

impl From<cut::RootKeys> for RootKeys {
    fn from(keys: cut::RootKeys) -> Self {
        Self {
            secs: keys.secs,
            translation: keys.translation_m,
            rotation: keys.rotation_xyzw,
        }
    }
}

/// A foot that touches down or lifts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FootEvent {
    /// Seconds since the start of the clip.
    pub secs: f64,
    /// The phase of a loop then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<f64>,
    /// left, right, or the joint where no side is known.
    pub foot: String,
    /// What it does.
    pub kind: FootEventKind,
}

/// What a foot does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FootEventKind {
    /// It touches down.
    #[default]
    Strike,
    /// It leaves the ground.
    Lift,
}

/// What a clip was made from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetMade {
    /// The way.
    pub from: MadeFrom,
    /// The take, as it was named.
    pub take: String,
    /// The animation of that file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub animation: Option<String>,
    /// Its first and last frame there; null for a blend.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub frames: Option<[f64; 2]>,
    /// The licence of the take.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
}

impl SetMade {
    /// Of these frames of a take.
    pub(super) fn of_take(take: &TakeFacts, frames: Option<[f64; 2]>) -> Self {
        Self {
            from: MadeFrom::Take,
            take: take.file.clone(),
            animation: take.animation.clone(),
            frames,
            licence: take.licence.clone(),
        }
    }
}

/// How a clip came about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MadeFrom {
    /// Cut out of a take.
    #[default]
    Take,
    /// The mirror image of another clip.
    Mirror,
    /// A blend of others.
    Blend,
}

/// Loops at their points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetSpace {
    /// Its name.
    pub name: String,
    /// What its axes measure, as the keys of clips: `speed_mps`, `turn_rate_dps`; or `left_mps`, `forward_mps`.
    pub axes: Vec<String>,
    /// The loops.
    pub points: Vec<SetPoint>,
    /// Triples of points, by their numbers, that cover what they span without overlap; empty if all are on a line.
    pub triangles: Vec<[usize; 3]>,
}

/// A loop in a blend space.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetPoint {
    /// Its clip.
    pub clip: String,
    /// One number for each axis.
    pub at: Vec<f64>,
}

/// A jump from one loop into another that fades.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetTransition {
    /// The loop that is left.
    pub from: String,
    /// The loop that is entered.
    pub to: String,
    /// When the first is left.
    pub leave_secs: f64,
    /// Where the other one is entered.
    pub enter_secs: f64,
    /// How the difference fades, as `play --fade` names it.
    pub fade: String,
    /// How long.
    pub fade_secs: f64,
    /// Metre-seconds.
    pub cost: f64,
}

/// Constants for a character controller.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetController {
    /// Takes that they were measured on.
    pub takes: usize,
    /// Of all motion, then of each mode that occurs.
    pub modes: Vec<SetMode>,
}

/// The constants of one way to move; null where the takes do not show them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SetMode {
    /// all, or the mode as `fit` names it.
    pub mode: String,
    /// Sustained top speed.
    pub top_speed_mps: Option<f64>,
    /// Largest rate of turn.
    pub turn_rate_dps: Option<f64>,
    /// Half-life of the spring that velocity follows.
    pub velocity_half_life_secs: Option<f64>,
    /// Half-life of the spring that the facing follows.
    pub facing_half_life_secs: Option<f64>,
}

/// A part that the set lacks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Missing {
    /// The part.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A loop that fills a hole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Filled {
    /// Its clip.
    pub clip: String,
    /// The clips that it comes of.
    pub from: Vec<String>,
    /// Their shares; 1 for a mirror image.
    pub weights: Vec<f64>,
}

/// Something that was given and is not used.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LeftOut {
    /// The take or loop.
    pub take: String,
    /// Why.
    pub why: String,
}

/// Why bytes are no manifest that a player can rely on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum ManifestError {
    #[error("a manifest of {found} bytes is larger than the limit of {MAX_BYTES}")]
    TooLarge { found: usize },
    #[error("line {line}, column {column}: {reason}")]
    Json { line: usize, column: usize, reason: String },
    #[error("this is no set: its format is \"{found}\", expected \"{SET_FORMAT}\"")]
    Format { found: String },
    #[error(
        "the set has version {found}, this program reads version {SET_VERSION}; update the program or make the set again"
    )]
    Version { found: u32 },
    /// A number is not finite or plausible.
    #[error("{at} is out of range: {found}")]
    OutOfRange { at: String, found: f64 },
    #[error("{at} names the clip \"{name}\", which the set does not have")]
    NoClip { at: String, name: String },
    #[error("two clips are named \"{name}\"")]
    Twice { name: String },
    /// Lists or keys that belong together do not.
    #[error("{at}: {reason}")]
    Contradicts { at: String, reason: &'static str },
}

fn json_error(error: &impl std::fmt::Display, line: usize, column: usize) -> ManifestError {
    let text = error.to_string();
    let end = text.rfind(" at line ").unwrap_or(text.len());
    ManifestError::Json {
        line,
        column,
        reason: text[..end].to_owned(),
    }
}

impl Manifest {
    /// The clip of that name.
    pub fn clip(&self, name: &str) -> Option<&SetClip> {
        self.clips.iter().find(|clip| clip.name == name)
    }

    /// Reads a manifest. Every number is then finite, every name that of a clip, and lists have the lengths that they must have. Errors:
    /// [`ManifestError`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, ManifestError> {
        #[derive(Deserialize)]
        struct Marks {
            #[serde(default)]
            format: String,
            #[serde(default)]
            version: u32,
        }
        if bytes.len() > MAX_BYTES {
            return Err(ManifestError::TooLarge { found: bytes.len() });
        }
        let marks: Marks = from_text(bytes).map_err(|error| json_error(&error, error.line(), error.column()))?;
        if marks.format != SET_FORMAT {
            let found = marks.format.chars().take(40).collect();
            return Err(ManifestError::Format { found });
        }
        if marks.version != SET_VERSION {
            return Err(ManifestError::Version { found: marks.version });
        }
        let manifest: Self = from_text(bytes).map_err(|error| json_error(&error, error.line(), error.column()))?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The manifest as indented JSON with a final newline. Errors: it would not be read again.
    pub fn to_json(&self) -> Result<String, ManifestError> {
        // Says of numbers which one it is; those that the form leaves out are null in the text.
        self.check()?;
        let text = to_text(self).map_err(|error| json_error(&error, error.line(), error.column()))?;
        Self::from_json(text.as_bytes())?;
        Ok(text)
    }

    /// Errors: what a player could not rely on.
    fn check(&self) -> Result<(), ManifestError> {
        in_range("fps", self.fps, 1e-3, 1e6)?;
        let mut names = BTreeSet::new();
        for clip in &self.clips {
            if !names.insert(clip.name.as_str()) {
                return Err(ManifestError::Twice {
                    name: clip.name.clone(),
                });
            }
        }
        for (index, clip) in self.clips.iter().enumerate() {
            clip.check(&format!("clips[{index}]"), &names)?;
        }
        for (index, space) in self.blend_spaces.iter().enumerate() {
            let at = format!("blend_spaces[{index}]");
            for point in &space.points {
                named(&names, &at, &point.clip)?;
                agree(
                    &at,
                    point.at.len() == space.axes.len(),
                    "a point needs one number for each axis",
                )?;
                each_in_range(&at, &point.at)?;
            }
            let most = space.points.len();
            let there = space.triangles.iter().flatten().all(|corner| *corner < most);
            agree(&at, there, "a triangle names a point that is not there")?;
        }
        for (index, each) in self.transitions.iter().enumerate() {
            let at = format!("transitions[{index}]");
            named(&names, &at, &each.from)?;
            named(&names, &at, &each.to)?;
            each_in_range(&at, &[each.leave_secs, each.enter_secs, each.fade_secs, each.cost])?;
        }
        for (index, each) in self.filled.iter().enumerate() {
            let at = format!("filled[{index}]");
            for name in each.from.iter().chain([&each.clip]) {
                named(&names, &at, name)?;
            }
            agree(&at, each.from.len() == each.weights.len(), "each clip needs one weight")?;
        }
        Ok(())
    }
}

/// Errors: none of the clips has that name.
fn named(names: &BTreeSet<&str>, at: &str, name: &str) -> Result<(), ManifestError> {
    match names.contains(name) {
        true => Ok(()),
        false => Err(ManifestError::NoClip {
            at: at.to_owned(),
            name: name.to_owned(),
        }),
    }
}

impl SetClip {
    fn check(&self, at: &str, names: &BTreeSet<&str>) -> Result<(), ManifestError> {
        in_range(&format!("{at}.seconds"), self.seconds, 1e-6, MAX_NUMBER)?;
        in_range(&format!("{at}.frames"), self.frames as f64, 1.0, MAX_NUMBER)?;
        let numbers = [self.speed_mps, self.direction_deg, self.turn_rate_dps, self.climb_mps];
        let more = [self.turn_deg, self.cost];
        let all: Vec<f64> = (numbers.into_iter().chain(more).flatten())
            .chain(self.events.iter().map(|event| event.secs))
            .chain(self.travel_m.into_iter().flatten())
            .collect();
        each_in_range(at, &all)?;
        for state in [&self.from, &self.to].into_iter().flatten() {
            named(names, at, &state.clip)?;
        }
        if self.kind == ClipKind::Loop {
            let twist = self.twist.as_ref();
            agree(at, twist.is_some(), "a loop needs its twist")?;
            each_in_range(
                at,
                &twist.map_or(Vec::new(), |twist| [twist.linear, twist.angular].concat()),
            )?;
            let phase = self.phase.as_ref();
            agree(at, phase.is_some(), "a loop needs its phase")?;
            let is_steady = phase.is_none_or(|phase| phase.warp.abs() * core::f64::consts::PI < 1.0);
            agree(
                at,
                is_steady,
                "its phase runs backwards: the warp must be less than 1/pi",
            )?;
        } else {
            let keys = self.root.as_ref();
            agree(at, keys.is_some(), "what happens once needs the keys of its root")?;
            let count = keys.map_or(0, |keys| keys.secs.len());
            let fits = keys.is_none_or(|keys| keys.translation.len() == 3 * count && keys.rotation.len() == 4 * count);
            agree(at, fits, "the keys of its root need three and four numbers each")?;
        }
        if let Some(name) = &self.variant_of {
            named(names, at, name)?;
        }
        Ok(())
    }
}

fn agree(at: &str, is_so: bool, reason: &'static str) -> Result<(), ManifestError> {
    match is_so {
        true => Ok(()),
        false => Err(ManifestError::Contradicts {
            at: at.to_owned(),
            reason,
        }),
    }
}

fn in_range(at: &str, found: f64, least: f64, most: f64) -> Result<(), ManifestError> {
    match (least..=most).contains(&found) {
        true => Ok(()),
        false => Err(ManifestError::OutOfRange {
            at: at.to_owned(),
            found,
        }),
    }
}

fn each_in_range(at: &str, numbers: &[f64]) -> Result<(), ManifestError> {
    numbers
        .iter()
        .try_for_each(|&found| in_range(at, found, -MAX_NUMBER, MAX_NUMBER))
}

/// The grade as manifests state it.
pub(crate) fn grade_word(grade: Option<Grade>) -> Option<String> {
    grade.map(|grade| grade.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set() -> Manifest {
        let walk = SetClip {
            name: "walk".to_owned(),
            seconds: 1.0,
            frames: 30,
            phase: Some(SetPhase::default()),
            twist: Some(SetTwist::default()),
            ..SetClip::default()
        };
        Manifest {
            format: SET_FORMAT.to_owned(),
            version: SET_VERSION,
            fps: 30.0,
            clips: vec![walk],
            ..Manifest::default()
        }
    }

    #[test]
    fn a_manifest_comes_back_and_unknown_keys_are_skipped() {
        let text = set().to_json().unwrap();
        assert_eq!(Manifest::from_json(text.as_bytes()), Ok(set()));
        let later = text.replacen('{', "{\"more\": [1],", 1);
        assert_eq!(Manifest::from_json(later.as_bytes()), Ok(set()));
    }

    #[test]
    fn what_a_player_cannot_rely_on_is_refused() {
        let refused = |change: fn(&mut Manifest)| {
            let mut bad = set();
            change(&mut bad);
            bad.to_json().unwrap_err().to_string()
        };
        for (change, said) in [
            (
                (|set| set.clips[0].seconds = f64::NAN) as fn(&mut Manifest),
                "clips[0].seconds is out of range: NaN",
            ),
            (
                |set| set.clips.push(set.clips[0].clone()),
                "two clips are named \"walk\"",
            ),
            (|set| set.clips[0].twist = None, "clips[0]: a loop needs its twist"),
            (
                |set| set.clips[0].kind = ClipKind::Start,
                "clips[0]: what happens once needs the keys of its root",
            ),
            (
                |set| {
                    set.clips[0].phase = Some(SetPhase {
                        warp: 0.4,
                        ..SetPhase::default()
                    });
                },
                "clips[0]: its phase runs backwards",
            ),
            (
                |set| {
                    set.transitions.push(SetTransition {
                        from: "run".to_owned(),
                        ..SetTransition::default()
                    });
                },
                "transitions[0] names the clip \"run\", which the set does not have",
            ),
            (
                |set| {
                    set.blend_spaces.push(SetSpace {
                        triangles: vec![[0, 1, 2]],
                        ..SetSpace::default()
                    });
                },
                "blend_spaces[0]: a triangle names a point that is not there",
            ),
        ] {
            let found = refused(change);
            assert!(found.starts_with(said), "{found}");
        }
    }

    /// JSON has no word for them but null: such numbers were written where no limits are checked, and then not read.
    #[test]
    fn what_would_not_be_read_again_is_not_written() {
        let state = |secs: f64| {
            Some(LoopState {
                clip: "walk".to_owned(),
                secs,
            })
        };
        let start = SetClip {
            name: "start".to_owned(),
            kind: ClipKind::Start,
            seconds: 1.0,
            frames: 1,
            root: Some(RootKeys {
                secs: vec![0.0],
                translation: vec![0.0; 3],
                rotation: vec![0.0, 0.0, 0.0, 1.0],
            }),
            from: state(0.0),
            to: state(0.5),
            ..SetClip::default()
        };
        let written = |start: SetClip, weight: f64| {
            let mut set = set();
            set.clips.push(start);
            set.filled.push(Filled {
                clip: "walk".to_owned(),
                from: vec!["start".to_owned()],
                weights: vec![weight],
            });
            set.to_json().map(|text| Manifest::from_json(text.as_bytes()))
        };
        assert!(matches!(written(start.clone(), 1.0), Ok(Ok(_))));
        let mut of_root = start.clone();
        of_root.root.as_mut().unwrap().translation[1] = f64::NAN;
        let (from, to) = (state(f64::NAN), state(f64::INFINITY));
        for (bad, weight) in [
            (of_root, 1.0),
            (SetClip { from, ..start.clone() }, 1.0),
            (SetClip { to, ..start.clone() }, 1.0),
            (start, f64::NAN),
        ] {
            let refused = written(bad, weight);
            assert!(matches!(refused, Err(ManifestError::Json { .. })), "{refused:?}");
        }
    }

    #[test]
    fn other_files_are_told_apart() {
        let said = |text: &str| Manifest::from_json(text.as_bytes()).unwrap_err().to_string();
        assert!(said("{}").starts_with("this is no set"));
        assert!(said("{\"format\": \"loopwright-set\", \"version\": 2}").contains("version 2"));
        assert!(said("{\"format\": \"loopwright-set\", \"version\": 1}").contains("missing field"));
        assert!(said("[").contains("line 1"));
    }
}
