//! The player of sets for loopwright.js: sets and characters by their numbers. Bytes and JSON go both ways through one buffer, and functions that answer
//! in JSON return its length there.

use std::{cell::RefCell, collections::BTreeMap, sync::Arc};

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Pose, Skeleton, Take, Tracks, math::Rigid};
use loopwright_player::{ClipSource, FootEventKind, Goal, MotionSet, PlayerEvent, SetError, SteeredCharacter};
use serde::Deserialize;
use serde_json::{Value, json};

thread_local! {
    static STAGE: RefCell<Stage> = RefCell::default();
}

#[derive(Default)]
struct Stage {
    buffer: Vec<u8>,
    sets: BTreeMap<u32, Arc<MotionSet>>,
    heroes: BTreeMap<u32, SteeredCharacter>,
    next: u32,
    /// The last update in numbers.
    shown: Vec<f64>,
}

/// A set without its keys.
#[derive(Deserialize)]
struct Given {
    /// The text of set.json.
    manifest: String,
    /// Names, parents and rest offsets in metres.
    joints: Vec<(String, Option<usize>, [f64; 3])>,
}

impl Stage {
    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn answer(&mut self, answer: &Value) -> usize {
        self.buffer = answer.to_string().into_bytes();
        self.buffer.len()
    }

    fn outcome(&mut self, outcome: Result<u32, String>) -> usize {
        self.answer(&match outcome {
            Ok(number) => json!({ "number": number }),
            Err(error) => json!({ "error": error }),
        })
    }

    fn read_set(&mut self, text: usize) -> Result<u32, String> {
        let (text, keys) = self
            .buffer
            .split_at_checked(text)
            .ok_or("the text has another length")?;
        let Given { manifest, joints } = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        let skeleton = Skeleton::new(
            joints
                .into_iter()
                .map(|(name, parent, rest)| Joint::new(name, parent, rest.into()))
                .collect(),
        )
        .map_err(|error| error.to_string())?;
        let mut transforms = keys.chunks_exact(56).map(|bytes| {
            let number = |at: usize| f64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().unwrap_or_default());
            (
                DVec3::new(number(0), number(1), number(2)),
                DQuat::from_xyzw(number(3), number(4), number(5), number(6)).normalize(),
            )
        });
        let set = MotionSet::from_takes(manifest.as_bytes(), |source| take(source, &skeleton, &mut transforms));
        let (set, number) = (set.map_err(|error| error.to_string())?, self.number());
        self.sets.insert(number, Arc::new(set));
        Ok(number)
    }

    fn begin(&mut self, set: u32, seed: u32) -> Result<u32, String> {
        let set = Arc::clone(self.sets.get(&set).ok_or("there is no such set")?);
        let name = String::from_utf8_lossy(&self.buffer);
        let hero = if name.is_empty() {
            SteeredCharacter::new(set)
        } else {
            SteeredCharacter::in_loop(set, &name).ok_or_else(|| format!("this set has no loop {name}"))?
        };
        let number = self.number();
        self.heroes.insert(number, hero.with_seed(seed));
        Ok(number)
    }
}

/// The next keys as the take of a clip.
fn take(
    source: &ClipSource<'_>,
    skeleton: &Skeleton,
    transforms: &mut impl Iterator<Item = (DVec3, DQuat)>,
) -> Result<Take, SetError> {
    let wrong = |reason: String| SetError::MotionClip {
        name: source.clip.to_owned(),
        reason,
    };
    Take::from_tracks(
        source.clip,
        Tracks::from_poses(
            skeleton.clone(),
            source.step_secs,
            (0..source.keys).map(|_| transforms.by_ref().take(skeleton.num_joints()).collect::<Pose>()),
        )
        .map_err(|error| wrong(error.to_string()))?,
    )
    .map_err(|error| wrong(error.to_string()))
}

fn numbers(motion: Rigid) -> impl Iterator<Item = f64> {
    motion
        .translation
        .to_array()
        .into_iter()
        .chain(motion.rotation.to_array())
}

/// Returns where that many bytes can be written, or read if they are an answer.
#[unsafe(no_mangle)]
pub extern "C" fn room(length: usize) -> *const u8 {
    STAGE.with_borrow_mut(|stage| {
        stage.buffer.resize(length, 0);
        stage.buffer.as_ptr()
    })
}

/// Reads a set: so many bytes of JSON (`Given`), then transforms of all joints at the keys of each clip as 64-bit numbers. Answers its number or an
/// error.
#[unsafe(no_mangle)]
pub extern "C" fn read_set(text: usize) -> usize {
    STAGE.with_borrow_mut(|stage| {
        let outcome = stage.read_set(text);
        stage.outcome(outcome)
    })
}

/// Creates a character in the loop whose name is in the buffer, or a standing one. Answers its number or an error.
#[unsafe(no_mangle)]
pub extern "C" fn begin(set: u32, seed: u32) -> usize {
    STAGE.with_borrow_mut(|stage| {
        let outcome = stage.begin(set, seed);
        stage.outcome(outcome)
    })
}

/// Forgets a character or a set.
#[unsafe(no_mangle)]
pub extern "C" fn forget(number: u32) {
    STAGE.with_borrow_mut(|stage| {
        stage.heroes.remove(&number);
        stage.sets.remove(&number);
    });
}

/// Sets the goal of a character; what is NaN stays.
#[unsafe(no_mangle)]
pub extern "C" fn set_goal(hero: u32, speed: f64, turn_rate: f64, direction: f64, climb: f64, turn: f64) {
    STAGE.with_borrow_mut(|stage| {
        let Some(hero) = stage.heroes.get_mut(&hero) else {
            return;
        };
        let mut goal = hero.goal();
        for (part, new) in [
            (&mut goal.speed, speed),
            (&mut goal.turn_rate, turn_rate),
            (&mut goal.direction, direction),
            (&mut goal.climb, climb),
            (&mut goal.turn, turn),
        ] {
            if !new.is_nan() {
                *part = new;
            }
        }
        hero.set_goal(goal);
    });
}

/// Plays the clip whose name is in the buffer, or its upper body over what plays. Returns whether that can be.
#[unsafe(no_mangle)]
pub extern "C" fn play(hero: u32, is_over: bool) -> bool {
    STAGE.with_borrow_mut(|stage| {
        let name = String::from_utf8_lossy(&stage.buffer);
        let hero = stage.heroes.get_mut(&hero);
        hero.is_some_and(|hero| {
            if is_over {
                hero.play_over(&name)
            } else {
                hero.play(&name)
            }
        })
    })
}

/// Advances a character. Returns where numbers lie: how many events there were, seconds played, the root's step and the root, then its joints.
#[unsafe(no_mangle)]
pub extern "C" fn update(hero: u32, secs: f64, patience_secs: f64, varies: bool, holds_feet: bool) -> *const f64 {
    STAGE.with_borrow_mut(|stage| {
        stage.shown.clear();
        if let Some(hero) = stage.heroes.get_mut(&hero) {
            (hero.patience_secs, hero.varies, hero.holds_feet) = (patience_secs, varies, holds_feet);
            let before = hero.root();
            hero.update(secs);
            stage.shown.extend([hero.events().len() as f64, hero.secs()]);
            stage.shown.extend(
                [before.inverse() * hero.root(), hero.root()]
                    .into_iter()
                    .flat_map(numbers),
            );
            stage.shown.extend(
                hero.pose()
                    .rotations
                    .iter()
                    .zip(&hero.pose().translations)
                    .flat_map(|(rotation, translation)| numbers(Rigid::new(*rotation, *translation))),
            );
        }
        stage.shown.as_ptr()
    })
}

/// Answers the events of the last update, or of a [`play`] before it.
#[unsafe(no_mangle)]
pub extern "C" fn events(hero: u32) -> usize {
    STAGE.with_borrow_mut(|stage| {
        let events = stage.heroes.get(&hero).map(|hero| {
            hero.events().iter().map(|event| match event {
                PlayerEvent::Foot { foot, kind, clip, late_secs } => {
                    let kind = if *kind == FootEventKind::Strike { "strike" } else { "lift" };
                    json!({ "type": kind, "foot": **foot, "clip": **clip, "secs": hero.secs() - late_secs, "late": late_secs })
                }
                PlayerEvent::Switch { from, to, fade_secs } => {
                    json!({ "type": "switch", "from": from, "to": to, "secs": hero.secs(), "fade_secs": fade_secs })
                }
            }).collect::<Value>()
        });
        stage.answer(&json!(events))
    })
}

/// Answers what plays, the goal as far as it can be met, and which feet step.
#[unsafe(no_mangle)]
pub extern "C" fn state(hero: u32) -> usize {
    STAGE.with_borrow_mut(|stage| {
        let state = stage.heroes.get(&hero).map(|hero| {
            let playing = hero.playing();
            let over = playing.over.map(|(clip, secs)| json!({ "clip": clip.name, "secs": secs }));
            let playing = match (playing.space, &playing.clips[..]) {
                (None, [alone, ..]) => json!({ "clip": playing.name, "secs": alone.secs }),
                (space, clips) => json!({
                    "space": playing.name,
                    "at": space.map(|(space, at)| at[..space.axes.len()].to_vec()),
                    "phase": playing.phase,
                    "clips": clips.iter().map(|part| json!({ "clip": part.clip.name, "weight": part.weight })).collect::<Value>(),
                }),
            };
            let Goal { speed, turn_rate, direction, climb, turn } = hero.met_goal();
            let met = json!({ "speed": speed, "turnRate": turn_rate, "direction": direction, "climb": climb, "turn": turn });
            json!({ "playing": playing, "over": over, "met": met, "stepping": hero.stepping() })
        });
        stage.answer(&json!(state))
    })
}
