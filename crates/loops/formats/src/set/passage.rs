//! The JSON beside a passage: a motion that plays once between two loops.

use core::ops::Range;

use serde::{Deserialize, Serialize, Serializer};

use super::facts::{ClipKind, FootEventFacts, LoopStateFacts, RootKeys};
use crate::loop_file::facts::{Grade, TakeFacts};

/// The identifier of the format.
const PASSAGE_FORMAT: &str = "loopwright-passage";

/// A passage from one loop to another.
#[in_schema(read)]
pub struct PassageFacts {
    /// The name of the passage, and of its files.
    pub name: String,
    /// What it does.
    pub kind: ClipKind,
    /// The take that it was cut from; of a transition the one that it was made with.
    pub take: TakeFacts,
    /// First and last frame of the take; null for a transition.
    pub source_frames: Option<[f64; 2]>,
    /// Steps from key to key: one less than keys.
    pub frames: usize,
    /// Keys per second.
    pub fps: f64,
    /// Seconds from the first key to the last.
    pub duration_secs: f64,
    /// The loop that it begins in.
    #[serde(serialize_with = "state")]
    #[schemars(with = "LoopState")]
    pub from: LoopStateFacts,
    /// The loop that it ends in.
    #[serde(serialize_with = "state")]
    #[schemars(with = "LoopState")]
    pub to: LoopStateFacts,
    /// Change of the heading, left positive.
    pub turn_deg: f64,
    /// Where the root is at the end, seen from where it began.
    pub travel_m: [f64; 3],
    /// What it costs to leave the one loop and to enter the other.
    pub cost_metre_secs: f64,
    /// Its grade, as `check` gives it; null where it cannot be checked.
    #[serde(default)]
    #[optional_word(Grade)]
    pub grade: Option<Grade>,
    /// The reason for the grade, as a clause.
    pub reason: Option<String>,
    /// Whether standing feet are held.
    pub feet_held: bool,
    /// Whether the root stays at the origin in the file.
    pub in_place: bool,
    /// The part of it that repeats, if it is a loop between its start and its stop.
    #[absent]
    pub cycles: Option<CyclesFacts>,
    /// How the root moves, whether the file moves it or not: seen from where it is at the first key.
    #[serde(serialize_with = "root")]
    #[schemars(with = "PassageRoot")]
    pub root: RootKeys,
    /// When feet come to stand and leave the ground, in order of time.
    pub events: Vec<FootEventFacts>,
}

/// The part of a clip that repeats: its last frame is the first again, moved on.
#[in_schema(read)]
#[derive(Copy)]
pub struct CyclesFacts {
    /// First frame, from 0.
    pub start_frame: usize,
    /// Last frame.
    pub end_frame: usize,
    /// Seconds of the first frame.
    pub start_secs: f64,
    /// Seconds of the last frame.
    pub end_secs: f64,
    /// Share of the clip before the first frame.
    pub start_percent: f64,
    /// Share of the clip before the last frame.
    pub end_percent: f64,
}

impl CyclesFacts {
    /// Describes these frames of a clip with this many steps.
    pub fn new(frames: Range<usize>, num_steps: usize, step_secs: f64) -> Self {
        let percent = |frame: usize| 100.0 * frame as f64 / num_steps.max(1) as f64;
        Self {
            start_frame: frames.start,
            end_frame: frames.end,
            start_secs: frames.start as f64 * step_secs,
            end_secs: frames.end as f64 * step_secs,
            start_percent: percent(frames.start),
            end_percent: percent(frames.end),
        }
    }
}

/// A loop at a time.
#[in_schema]
struct LoopState<'a> {
    /// The name of the loop.
    #[serde(rename = "loop")]
    name: &'a str,
    /// Seconds since its start.
    secs: f64,
}

fn state<S: Serializer>(state: &LoopStateFacts, to: S) -> Result<S::Ok, S::Error> {
    let (name, secs) = (&state.clip, state.secs);
    LoopState { name, secs }.serialize(to)
}

/// The root of a passage over time.
#[in_schema]
struct PassageRoot<'a> {
    /// Times of the keys.
    secs: &'a [f64],
    /// Places, three numbers a key.
    translation_m: &'a [f64],
    /// Rotations, four numbers a key.
    rotation_xyzw: &'a [f64],
}

fn root<S: Serializer>(root: &RootKeys, to: S) -> Result<S::Ok, S::Error> {
    PassageRoot {
        secs: &root.secs,
        translation_m: &root.metres,
        rotation_xyzw: &root.xyzw,
    }
    .serialize(to)
}

impl PassageFacts {
    /// Reads the JSON beside a passage; `None` if it is something else.
    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        struct Document {
            format: String,
            #[serde(flatten)]
            facts: PassageFacts,
        }
        let document: Document = serde_json::from_slice(bytes).ok()?;
        (document.format == PASSAGE_FORMAT).then_some(document.facts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_the_format_and_come_back() {
        let document = r#"{"format":"loopwright-passage","name":"start_walk","kind":"start","take":TAKE,"source_frames":[3.0,33.5],
"frames":1,"fps":30.0,"duration_secs":0.04,"from":{"loop":"idle","secs":0.5},"to":{"loop":"walk","secs":0.25},
"turn_deg":0.0,"travel_m":[0.0,0.0,0.5],"cost_metre_secs":0.125,"grade":"good","reason":"it meets its loops","feet_held":true,"in_place":false,
"root":{"secs":[0.0,0.04],"translation_m":[0.0,0.0,0.0,0.0,0.0,0.5],"rotation_xyzw":[0.0,0.0,0.0,1.0,0.0,0.0,0.0,1.0]},
"events":[{"secs":0.01,"foot":"left","kind":"strike"}]}"#;
        let take = serde_json::to_string(&TakeFacts::default()).unwrap();
        let document = document.replace('\n', "").replace("TAKE", &take);
        let facts = PassageFacts::from_json(document.as_bytes()).unwrap();
        assert_eq!((facts.from.clip.as_str(), facts.root.metres[5]), ("idle", 0.5));
        let mut text = serde_json::to_string(&facts).unwrap();
        text.insert_str(1, "\"format\":\"loopwright-passage\",");
        assert_eq!(text, document);

        let other = document.replace("loopwright-passage", "loopwright-cut");
        assert!(PassageFacts::from_json(other.as_bytes()).is_none());
        let other = document.replace("\"kind\":\"start\"", "\"kind\":\"somersault\"");
        let later = PassageFacts::from_json(other.as_bytes()).unwrap();
        assert_eq!(later.kind, ClipKind::Other);
    }
}
