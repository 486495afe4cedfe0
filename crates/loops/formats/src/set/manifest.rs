//! The manifest of a set: everything that a player needs beside the clips, as JSON.
//!
//! docs/formats/set.md describes it; docs/formats/set.schema.json is its schema and states the units. Positions have +Y up and
//! +Z forward. Readers skip unknown keys, and accept missing lists, texts and figures that only describe a set.

use loopwright_core::analysis::MotionKind;

use super::facts::{ClipKind, FootEventFacts, LoopStateFacts, RootKeys};
use crate::loop_file::{
    facts::{Grade, TakeFacts},
    word::{if_known, optional_word},
};

/// The identifier of the format.
pub const SET_FORMAT: &str = "loopwright-set";

/// The version that is written and read.
pub const SET_VERSION: u32 = 1;

/// The name of the file beside the clips.
pub const SET_FILE: &str = "set.json";

/// All that a player needs beside the clips. docs/formats/set.md explains it.
#[in_schema(read)]
pub struct Manifest {
    /// The version of the program that wrote it.
    #[serde(default)]
    pub loopwright: String,
    /// What the document is.
    #[schemars(extend("const" = SET_FORMAT))]
    pub format: String,
    /// Version of the shape. Within a version keys are only added.
    #[schemars(extend("const" = SET_VERSION))]
    pub version: u32,
    /// The name of the set.
    #[serde(default)]
    pub name: String,
    /// Frames per second of all clips.
    #[serde(default)]
    pub fps: f64,
    /// The joint that carries nothing but the root motion; null if none does.
    pub root_joint: Option<String>,
    /// Whether the clips stay where they are; otherwise the root joint, or the carrier, moves as the manifest says.
    pub in_place: bool,
    /// The body.
    #[serde(default)]
    pub skeleton: SetSkeleton,
    /// The clips: loops first.
    pub clips: Vec<SetClip>,
    /// Which loops are blended by what.
    #[serde(default)]
    pub blend_spaces: Vec<SetSpace>,
    /// The jump of least cost from each loop into each other.
    #[serde(default)]
    pub transitions: Vec<SetTransition>,
    /// Constants for a character controller, measured on the takes; null if none can be measured.
    pub controller: Option<SetController>,
    /// Licences of the takes.
    #[serde(default)]
    pub licences: Vec<String>,
    /// Parts that the set lacks.
    #[serde(default)]
    pub missing: Vec<Missing>,
    /// Loops that fill holes between those of the takes.
    #[serde(default)]
    pub filled: Vec<Filled>,
    /// What was given and is not used.
    #[serde(default)]
    pub left_out: Vec<LeftOut>,
}

/// The body of all clips.
#[in_schema(read)]
#[serde(default)]
pub struct SetSkeleton {
    /// Number of joints, without a root joint that was added.
    pub joints: usize,
    /// The joint that the legs hang from.
    pub hips: String,
    /// The lowest joint of the left foot, by which contacts are listed; null if unknown.
    pub left_foot: Option<String>,
    /// The lowest joint of the right foot; null if unknown.
    pub right_foot: Option<String>,
    /// The joint that carries the travel where there is no root joint.
    pub carrier: String,
}

/// A clip.
#[in_schema(read)]
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
    #[serde(default, serialize_with = "optional_word::serialize", deserialize_with = "if_known")]
    #[cfg_attr(
        test,
        schemars(with = "Option<String>", extend("enum" = ["idle", "walk", "run", "turn_in_place"]))
    )]
    pub gait: Option<MotionKind>,
    /// Its length in seconds.
    pub seconds: f64,
    /// Its frames, without a last one that repeats the first.
    pub frames: usize,
    /// The phase of a loop; null for what happens once.
    pub phase: Option<SetPhase>,
    /// Speed over the ground, of a loop.
    #[absent]
    pub speed_mps: Option<f64>,
    /// Direction of that speed, seen from the facing: 0 forward, 90 left.
    #[absent]
    pub direction_deg: Option<f64>,
    /// Rate of turn of a loop, left positive.
    #[absent]
    pub turn_rate_dps: Option<f64>,
    /// Rate of climb of a loop.
    #[absent]
    pub climb_mps: Option<f64>,
    /// The constant motion of the root of a loop, in its own axes.
    #[absent]
    pub twist: Option<SetTwist>,
    /// The state of a loop that a passage begins with.
    #[absent]
    pub from: Option<LoopStateFacts>,
    /// The state of a loop that it ends with.
    #[absent]
    pub to: Option<LoopStateFacts>,
    /// The state of a loop whose pose the first one of an action is nearest to; absent where none is near.
    #[absent]
    pub entry: Option<LoopStateFacts>,
    /// What may follow an action, from its last pose: loops, the nearest pose first, and then other actions. None where it ends as nothing
    /// begins: the body stays in its last pose.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub next: Vec<LoopStateFacts>,
    /// When an action may be left for a loop of `next`, seconds since its start: that shows little more than at its end.
    #[absent]
    pub leave_secs: Option<f64>,
    /// How long the fades into an action and out of it last, more than 0: as long as joints need that go no faster than in the action and in
    /// the loops around it. 0.3 where it is absent.
    #[absent]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fade_secs: Option<f64>,
    /// By how much a passage turns, left positive.
    #[absent]
    pub turn_deg: Option<f64>,
    /// Where it ends, seen from its start.
    #[absent]
    pub travel_m: Option<[f64; 3]>,
    /// How much both joins of a passage show, metre-seconds.
    #[absent]
    pub cost: Option<f64>,
    /// The root of a passage, seen from its start: a key for each frame, both ends included.
    #[absent]
    pub root: Option<RootKeys>,
    /// When feet touch down and lift, in the order of time.
    #[serde(default)]
    pub events: Vec<FootEventFacts>,
    /// Whether it can be used unchanged.
    #[serde(default, serialize_with = "optional_word::serialize", deserialize_with = "if_known")]
    #[schemars(schema_with = "crate::tests::optional_word::<Grade>")]
    pub grade: Option<Grade>,
    /// What is wrong with one that is not good.
    #[absent]
    pub reason: Option<String>,
    /// The loop that it is another version of.
    #[absent]
    pub variant_of: Option<String>,
    /// What it was made from.
    #[serde(default)]
    pub made: SetMade,
}

/// The phase of a loop: 0 half through the contact of the left foot, 1/2 half through that of the right one.
#[in_schema(read)]
#[derive(Copy)]
pub struct SetPhase {
    /// The loop is at the phase p at the share p + warp sin^2(pi p) of its time.
    pub warp: f64,
    /// The share of the time at which the left foot is half through its contact; null if it always or never stands.
    pub left: Option<f64>,
    /// The share of the time at which the right foot is half through its contact; null if it always or never stands.
    pub right: Option<f64>,
}

/// A constant motion in its own axes.
#[in_schema(read)]
#[derive(Copy)]
pub struct SetTwist {
    /// Metres per second.
    pub linear: [f64; 3],
    /// Radians per second.
    pub angular: [f64; 3],
}

/// What a clip was made from.
#[in_schema(read)]
#[serde(default)]
pub struct SetMade {
    /// How it came about.
    pub from: MadeFrom,
    /// The take, as it was named; of a blend that of its first loop.
    pub take: String,
    /// The animation of that file.
    #[absent]
    pub animation: Option<String>,
    /// First and last frame of the take; absent for a blend.
    #[absent]
    pub frames: Option<[f64; 2]>,
    /// The licence that the take states.
    #[absent]
    pub licence: Option<String>,
}

impl SetMade {
    /// Describes a clip made of these frames of a take.
    pub fn of_take(take: &TakeFacts, frames: Option<[f64; 2]>) -> Self {
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
#[in_schema(read)]
#[derive(Copy, Eq)]
#[serde(rename_all = "snake_case")]
pub enum MadeFrom {
    /// Cut out of a take.
    #[default]
    Take,
    /// The mirror image of another clip.
    Mirror,
    /// A blend of others.
    Blend,
    /// A way that this version does not know.
    #[serde(other)]
    #[schemars(skip)]
    Other,
}

/// Loops at their points.
#[in_schema(read)]
pub struct SetSpace {
    /// Its name: move or strafe.
    pub name: String,
    /// What each axis measures: speed_mps, turn_rate_dps, left_mps or forward_mps.
    pub axes: Vec<String>,
    /// The loops.
    pub points: Vec<SetPoint>,
    /// Triples of points, by their numbers from 0, that cover what they span without overlap; empty if all are on a line.
    #[serde(default)]
    pub triangles: Vec<[usize; 3]>,
}

/// A loop in a blend space.
#[in_schema(read)]
pub struct SetPoint {
    /// Its clip.
    pub clip: String,
    /// One number for each axis.
    pub at: Vec<f64>,
}

/// A jump from one loop into another that fades.
#[in_schema(read)]
pub struct SetTransition {
    /// The loop that is left.
    pub from: String,
    /// The loop that is entered.
    pub to: String,
    /// When the first is left, seconds since its start.
    pub leave_secs: f64,
    /// Where the other one is entered, seconds since its start.
    pub enter_secs: f64,
    /// How the difference fades: quintic, cubic or spring.
    pub fade: String,
    /// How long it fades, more than 0.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub fade_secs: f64,
    /// How much the jump shows, metre-seconds.
    #[serde(default)]
    pub cost: f64,
}

/// Constants for a character controller.
#[in_schema(read)]
pub struct SetController {
    /// Takes that they were measured on.
    #[serde(default)]
    pub takes: usize,
    /// Of all motion, then of each mode that occurs.
    #[serde(default)]
    pub modes: Vec<SetMode>,
}

/// The constants of one way to move; null where the takes do not show them.
#[in_schema(read)]
pub struct SetMode {
    /// all, or one way to move as `fit` names it.
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
#[in_schema(read)]
pub struct Missing {
    /// The part.
    pub what: String,
    /// Why.
    pub why: String,
}

/// A loop that fills a hole.
#[in_schema(read)]
pub struct Filled {
    /// Its clip.
    pub clip: String,
    /// The clips that it comes of.
    pub from: Vec<String>,
    /// Their shares; 1 for a mirror image.
    pub weights: Vec<f64>,
}

/// Something that was given and is not used.
#[in_schema(read)]
pub struct LeftOut {
    /// The take or loop.
    pub take: String,
    /// Why.
    pub why: String,
}

impl Manifest {
    /// Returns the clip of that name.
    pub fn clip(&self, name: &str) -> Option<&SetClip> {
        self.clips.iter().find(|clip| clip.name == name)
    }

    /// Returns the files of the clips, each once.
    pub fn files(&self) -> Vec<&str> {
        let mut files: Vec<&str> = Vec::new();
        for clip in &self.clips {
            if !files.contains(&clip.file.as_str()) {
                files.push(&clip.file);
            }
        }
        files
    }
}

impl SetClip {
    /// Whether it repeats; otherwise it plays once.
    pub fn is_loop(&self) -> bool {
        self.kind == ClipKind::Loop
    }

    /// Whether it is played by name, over or instead of loops.
    pub fn is_action(&self) -> bool {
        use ClipKind::{Action, Attack, Death, Gesture, Hit};
        self.leave_secs.is_some() || matches!(self.kind, Action | Attack | Death | Gesture | Hit)
    }

    /// Returns the seconds from frame to frame.
    pub fn step_secs(&self) -> f64 {
        self.seconds / self.frames as f64
    }
}

#[cfg(test)]
mod tests {
    use crate::set::ManifestError;

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

    /// A loop and a turn as `loopwright set` writes them, with every key.
    const WRITTEN: &str = r#"{"loopwright":"0.1.0","format":"loopwright-set","version":1,"name":"hero","fps":60.0,"root_joint":null,"in_place":false,
"skeleton":{"joints":23,"hips":"Hips","left_foot":"LeftToe","right_foot":"RightToe","carrier":"Hips"},
"clips":[{"name":"run",
"file":"run.bvh","animation":null,"kind":"loop","gait":"run","seconds":0.783,"frames":47,
"phase":{"warp":-0.032,"left":0.0,"right":0.468},
"speed_mps":1.973,"direction_deg":-3.193,"turn_rate_dps":2.882,"climb_mps":0.0,
"twist":{"linear":[-0.11,0.0,1.97],"angular":[0.0,0.05,0.0]},
"events":[{"secs":0.0,
"phase":0.0,"foot":"left","kind":"strike"},{"secs":0.3,
"phase":0.413,"foot":"left","kind":"lift"}],
"grade":"good",
"variant_of":"run",
"made":{"from":"take","take":"run.bvh","frames":[489.0,536.343]}},
{"name":"turn",
"file":"run_turn_left_90.bvh","animation":null,"kind":"turn","gait":null,"seconds":1.267,"frames":76,
"phase":null,
"from":{"clip":"run","secs":0.6},"to":{"clip":"run","secs":0.25},"turn_deg":91.644,"travel_m":[0.829,0.0,1.121],"cost":0.203,
"root":{"secs":[0.0,0.017],"translation":[0.0,0.0,0.0,-0.002,0.0,0.033],
"rotation":[0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0]},
"events":[{"secs":0.007,"foot":"right","kind":"lift"}],
"grade":"good",
"reason":"LeftToe slides",
"made":{"from":"mirror","take":"run.bvh","frames":[758.0,833.998]}}],
"blend_spaces":[{"name":"move","axes":["speed_mps","turn_rate_dps"],"points":[{"clip":"run","at":[3.25,0.0]}],"triangles":[[0,0,0]]}],
"transitions":[{"from":"run","to":"run","leave_secs":0.973,"enter_secs":0.883,"fade":"quintic","fade_secs":0.4,"cost":0.214}],
"controller":{"takes":7,"modes":[{"mode":"all","top_speed_mps":1.041,"turn_rate_dps":186.181,"velocity_half_life_secs":0.327,"facing_half_life_secs":0.418}]},
"licences":["CC BY 4.0"],"missing":[{"what":"stop","why":"in no take: the body never goes somewhere for 0.8 s before it stands for 0.2 s"}],
"filled":[{"clip":"run","from":["run"],"weights":[1.0]}],"left_out":[{"take":"jump.bvh","why":"it moves on the spot"}]}"#;

    #[test]
    fn what_was_written_comes_back_to_the_byte() {
        let written = WRITTEN.replace('\n', "");
        let set = Manifest::from_json(written.as_bytes()).unwrap();
        assert_eq!(serde_json::to_string(&set).unwrap(), written);
        assert_eq!(
            (set.clips[0].gait, set.clips[1].grade),
            (Some(MotionKind::Run), Some(Grade::Good))
        );
    }

    #[test]
    fn what_only_describes_a_set_may_be_missing_or_unknown() {
        let later = r#"{"format": "loopwright-set", "version": 1, "in_place": true, "fps": 30, "clips": [{"name": "trot", "file": "a.glb",
            "kind": "loop", "gait": "trot", "grade": "splendid", "made": {"from": "thought"}, "seconds": 1, "frames": 30,
            "phase": {"warp": 0}, "twist": {"linear": [0, 0, 1], "angular": [0, 0, 0]}}]}"#;
        let set = Manifest::from_json(later.as_bytes()).unwrap();
        let clip = &set.clips[0];
        assert_eq!((clip.gait, clip.grade, clip.made.from), (None, None, MadeFrom::Other));
        assert_eq!(set.files(), ["a.glb"]);
        // An unknown kind plays once, so it needs its root.
        let kind = later.replace("\"loop\"", "\"somersault\"");
        let refused = Manifest::from_json(kind.as_bytes()).unwrap_err().to_string();
        assert_eq!(refused, "clips[0]: what happens once needs the keys of its root");
        assert_eq!(Manifest::parse(kind.as_bytes()).unwrap().clips[0].kind, ClipKind::Other);
        let fps = later.replace("\"fps\": 30, ", "");
        assert_eq!(
            Manifest::from_json(fps.as_bytes()).unwrap_err().to_string(),
            "fps is out of range: 0"
        );
    }

    #[test]
    fn what_a_player_cannot_rely_on_is_refused() {
        let text = set().to_json().unwrap();
        let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
        let walk = &whole["clips"][0];
        let twice = format!("[{walk}, {walk}]");
        let transition =
            r#"[{"from": "run", "to": "walk", "leave_secs": 0, "enter_secs": 0, "fade": "quintic", "fade_secs": 0.3}]"#;
        let sudden = transition.replace("0.3", "0");
        let space = r#"[{"name": "move", "axes": [], "points": [], "triangles": [[0, 1, 2]]}]"#;
        for (path, value, said) in [
            ("/clips", &*twice, "two clips are named \"walk\""),
            ("/clips/0/seconds", "1e300", "clips[0].seconds is out of range: 1"),
            ("/clips/0/twist", "null", "clips[0]: a loop needs its twist"),
            (
                "/clips/0/kind",
                "\"start\"",
                "clips[0]: what happens once needs the keys of its root",
            ),
            ("/clips/0/phase/warp", "0.4", "clips[0]: its phase runs backwards"),
            (
                "/transitions",
                transition,
                "transitions[0] names the clip \"run\", which the set does not have",
            ),
            ("/transitions", &*sudden, "transitions[0].fade_secs is out of range: 0"),
            (
                "/blend_spaces",
                space,
                "blend_spaces[0]: a triangle names a point that is not there",
            ),
        ] {
            let mut bad = whole.clone();
            *bad.pointer_mut(path).unwrap() = serde_json::from_str(value).unwrap();
            let refused = Manifest::from_json(bad.to_string().as_bytes());
            let found = refused.unwrap_err().to_string();
            assert!(found.starts_with(said), "{found}");
        }
        let refused = |change: fn(&mut SetClip)| {
            let mut bad = set();
            change(&mut bad.clips[0]);
            bad.to_json().unwrap_err().to_string()
        };
        let found = refused(|clip| clip.seconds = f64::NAN);
        assert_eq!(found, "clips[0].seconds is out of range: NaN");
        let found = refused(|clip| clip.twist.as_mut().unwrap().linear[2] = f64::INFINITY);
        assert_eq!(found, "clips[0].twist.linear is out of range: inf");
        // Players divide by it; the last is 0 in single precision.
        assert_eq!(
            refused(|clip| clip.fade_secs = Some(0.0)),
            "clips[0].fade_secs is out of range: 0"
        );
        assert_eq!(
            refused(|clip| clip.fade_secs = Some(-0.3)),
            "clips[0].fade_secs is out of range: -0.3"
        );
        assert_eq!(
            refused(|clip| clip.fade_secs = Some(1e-60)),
            "clips[0].fade_secs is out of range: 0"
        );
    }

    /// JSON has only null for such numbers; without the check they were written and could not be read again.
    #[test]
    fn what_would_not_be_read_again_is_not_written() {
        let start = r#"{"name": "start", "file": "start.bvh", "kind": "start", "seconds": 1, "frames": 1, "from": {"clip": "walk", "secs": 0},
            "to": {"clip": "walk", "secs": 0.5}, "root": {"secs": [0], "translation": [0, 0, 0], "rotation": [0, 0, 0, 1]}}"#;
        let start: SetClip = serde_json::from_str(start).unwrap();
        let written = |change: fn(&mut SetClip), weight: f64| {
            let mut set = set();
            set.clips.push(start.clone());
            change(&mut set.clips[1]);
            set.filled.push(Filled {
                clip: "walk".to_owned(),
                from: vec!["start".to_owned()],
                weights: vec![weight],
            });
            set.to_json().map(|text| Manifest::from_json(text.as_bytes()))
        };
        assert!(matches!(written(|_| (), 1.0), Ok(Ok(_))));
        for (bad, weight) in [
            (
                (|clip| clip.root.as_mut().unwrap().metres[1] = f64::NAN) as fn(&mut SetClip),
                1.0,
            ),
            (|clip| clip.from.as_mut().unwrap().secs = f64::NAN, 1.0),
            (|clip| clip.to.as_mut().unwrap().secs = f64::INFINITY, 1.0),
            (|_| (), f64::NAN),
        ] {
            let refused = written(bad, weight);
            assert!(
                matches!(refused, Err(ManifestError::Json { .. } | ManifestError::OutOfRange(_))),
                "{refused:?}"
            );
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
