//! Plays a set without a window, by its manifest alone, and measures what a viewer would see.
//!
//!     cargo run --release --example headless -- FOLDER...
//!
//! A folder holds set.json and the files that it names. For each a line of JSON; status 1 where a joint steps further at a switch than 1.1 times
//! what it does inside clips or is not where the player has it, the root is more than 1 cm from the closed form after a minute, or nothing switches or no foot strikes on the way.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bevy::ecs::message::MessageReader;
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy_loopwright::{
    FootEventKind, FootMessage, Goal, LoopwrightCharacter, LoopwrightPlugin, LoopwrightSet, MotionSet,
    SteeredCharacter, SwitchMessage,
};
use glam::DVec3;
use loopwright_core::math::{Rigid, Twist};
use loopwright_core::{Joint, Pose};

type Failure = Box<dyn std::error::Error>;

/// Frames per second of the path.
const RATE: f64 = 120.0;

/// Largest step at a switch, over that inside clips.
const MOST_STEP: f64 = 1.1;

/// The root after a minute against the closed form.
const MOST_DRIFT_METRES: f64 = 0.01;

/// Returns the places of the set's joints in the world.
fn places(set: &MotionSet, pose: &Pose, root: Rigid) -> Vec<DVec3> {
    pose.as_ref().world(set.skeleton()).moved(root).translations
}

/// The longest step and second difference of any joint around each frame.
fn measured(frames: &[Vec<DVec3>]) -> Vec<[f64; 2]> {
    let mut found = vec![[0.0; 2]];
    for near in frames.windows(3) {
        let joints = 0..near[1].len();
        let most = |of: &dyn Fn(usize) -> f64| joints.clone().map(of).fold(0.0, f64::max);
        let step = |joint: usize| {
            near[1][joint]
                .distance(near[0][joint])
                .max(near[1][joint].distance(near[2][joint]))
        };
        let bend = |joint: usize| (near[0][joint] + near[2][joint] - near[1][joint] * 2.0).length();
        found.push([most(&step), most(&bend)]);
    }
    found
}

fn most(steps: &[[f64; 2]], of: usize) -> f64 {
    steps.iter().map(|step| step[of]).fold(0.0, f64::max)
}

/// Messages by frame.
#[derive(Resource, Default)]
struct Log {
    switches: Vec<(String, String, f64)>,
    feet: Vec<(String, FootEventKind)>,
}

fn write_down(mut log: ResMut<Log>, mut feet: MessageReader<FootMessage>, mut switches: MessageReader<SwitchMessage>) {
    log.feet.extend(feet.read().map(|step| (step.foot.clone(), step.kind)));
    log.switches.extend(
        switches
            .read()
            .map(|switch| (switch.from.clone(), switch.to.clone(), switch.fade_secs)),
    );
}

/// The player of a character, once its set is loaded.
fn player_of(app: &App, hero: Entity) -> Option<&SteeredCharacter> {
    app.world()
        .get::<LoopwrightCharacter>(hero)
        .and_then(LoopwrightCharacter::player)
}

/// An application with one character, its set loaded.
fn application(folder: &Path, joints: &[Joint], rate: f64) -> Result<(App, Entity), Failure> {
    let mut app = App::new();
    let file_path = folder.canonicalize()?.to_string_lossy().into_owned();
    app.add_plugins((
        MinimalPlugins,
        AssetPlugin { file_path, ..default() },
        TransformPlugin,
        LoopwrightPlugin,
    ))
    .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / rate)))
    .init_resource::<Log>()
    .add_systems(Last, write_down);
    app.finish();
    app.cleanup();
    let set = app.world().resource::<AssetServer>().load("set.json");
    let hero = app
        .world_mut()
        .spawn((LoopwrightCharacter::new(set), Transform::default()))
        .id();
    for joint in joints {
        let spawned = app
            .world_mut()
            .spawn((Name::new(joint.name.clone()), Transform::default()))
            .id();
        app.world_mut().entity_mut(hero).add_child(spawned);
    }
    for _ in 0..2000 {
        app.update();
        if player_of(&app, hero).is_some() {
            return Ok((app, hero));
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("the set was not loaded within ten seconds".into())
}

/// Returns the places of the player's joints, and the largest distance of the engine's local places from the player's.
fn seen(app: &mut App, hero: Entity) -> Option<(Vec<DVec3>, f64)> {
    let player = player_of(app, hero)?.clone();
    let skeleton = player.set().skeleton();
    let mut joints = app.world_mut().query::<(&Name, &Transform)>();
    let off = joints.iter(app.world()).filter_map(|(name, place)| {
        let meant = player.pose().translations[skeleton.find(name)?];
        Some(meant.distance(DVec3::from_array(place.translation.to_array().map(f64::from))))
    });
    let off = off.fold(0.0, f64::max);
    Some((places(player.set(), player.pose(), player.root()), off))
}

/// The root in closed form as docs/formats/twist.md has it.
fn root_at(twist: Twist, secs: f64) -> DVec3 {
    let sinc = |x: f64| if x.abs() < 1e-4 { 1.0 - x * x / 6.0 } else { x.sin() / x };
    let a = twist.angular.y * secs;
    let (ahead, aside) = (secs * sinc(a), secs * (a / 2.0) * sinc(a / 2.0).powi(2));
    let (v, w) = (twist.linear.x, twist.linear.z);
    DVec3::new(v * ahead + w * aside, twist.linear.y * secs, w * ahead - v * aside)
}

fn play(folder: &Path) -> Result<(serde_json::Value, Vec<String>), Failure> {
    let manifest = std::fs::read(folder.join("set.json"))?;
    let mut files = BTreeMap::new();
    for name in MotionSet::files(&manifest)? {
        let bytes = std::fs::read(folder.join(&name))?;
        files.insert(name, bytes);
    }
    let LoopwrightSet(set) = LoopwrightSet::read(&manifest, &files)?;
    let mut faults = Vec::new();

    // Each clip alone.
    let mut inside: BTreeMap<&str, [f64; 2]> = BTreeMap::new();
    for clip in set.clips() {
        let count = (clip.seconds * RATE) as usize;
        let frames: Vec<Vec<DVec3>> = (0..=count)
            .map(|frame| frame as f64 / RATE)
            .map(|secs| places(&set, &clip.pose(secs), clip.root(secs)))
            .collect();
        let steps = measured(&frames);
        inside.insert(&clip.name, [most(&steps, 0), most(&steps, 1)]);
    }
    let moving: Vec<_> = set
        .clips()
        .iter()
        .filter(|clip| clip.loops() && !clip.stands())
        .collect();
    let calmest = moving
        .iter()
        .map(|clip| inside[clip.name.as_str()][1])
        .fold(f64::INFINITY, f64::min);

    // The root after a minute, in uneven frames.
    let mut drift: f64 = 0.0;
    for clip in set.clips().iter().filter(|clip| clip.loops()) {
        let mut player = SteeredCharacter::in_loop(Arc::clone(&set), &clip.name).ok_or("a loop is in no space")?;
        player.varies = false;
        let mut left = 60.0;
        for step in [1.0 / 60.0, 1.0 / 144.0, 1.0 / 31.0].into_iter().cycle() {
            player.update(f64::min(step, left));
            left -= step;
            if left <= 0.0 {
                break;
            }
        }
        let off = player.root().translation.distance(root_at(clip.twist(), 60.0));
        drift = drift.max(off);
        if off > MOST_DRIFT_METRES {
            faults.push(format!("the root of {} is {off} m off after a minute", clip.name));
        }
    }

    // A path over what the set has.
    let speed = |clip: &&bevy_loopwright::MotionClip| clip.twist().linear.x.hypot(clip.twist().linear.z);
    let speeds = moving.iter().map(speed);
    let slow = speeds.clone().fold(f64::INFINITY, f64::min).min(1e3);
    let ahead = moving.iter().filter(|clip| clip.twist().linear.z > 0.8 * speed(clip));
    let fast = ahead.map(speed).fold(slow, f64::max);
    let turns = moving.iter().map(|clip| clip.twist().angular.y);
    let (left, right) = (turns.clone().fold(0.0, f64::max), turns.fold(0.0, f64::min));
    let goal = |speed: f64, turn_rate: f64, turn: f64| Goal {
        speed,
        turn_rate,
        turn,
        ..Goal::default()
    };
    let path = [
        (1.5, goal(0.0, 0.0, 0.0)),
        (4.0, goal(slow, 0.0, 0.0)),
        (3.0, goal(slow, left, 0.0)),
        (3.0, goal(slow, right, 0.0)),
        (4.0, goal(fast, 0.0, 0.0)),
        (2.0, goal(fast, 0.5 * left, 0.0)),
        (3.0, goal(slow, 0.0, 0.0)),
        (4.0, goal(0.0, 0.0, 0.0)),
        (3.0, goal(0.0, 0.0, std::f64::consts::FRAC_PI_2)),
        (3.0, goal(fast, 0.0, 0.0)),
        (1.0, goal(0.0, 0.0, 0.0)),
        (0.4, goal(slow, 0.0, 0.0)),
        (6.0, goal(0.0, 0.0, 0.0)),
    ];
    let (mut app, hero) = application(folder, set.skeleton().joints(), RATE)?;
    let (first, mut off) = seen(&mut app, hero).ok_or("no player")?;
    let mut frames = vec![first];
    let taking = |app: &App| -> BTreeSet<String> {
        player_of(app, hero).map_or_else(BTreeSet::new, |player| {
            player
                .playing()
                .clips
                .iter()
                .map(|part| part.clip.name.clone())
                .collect()
        })
    };
    let mut parts = vec![taking(&app)];
    let mut switches: Vec<(usize, String, String, f64)> = Vec::new();
    for (secs, goal) in path {
        if let Some(mut hero) = app.world_mut().get_mut::<LoopwrightCharacter>(hero) {
            hero.goal = goal;
        }
        for _ in 0..(secs * RATE) as usize {
            app.update();
            let (places, apart) = seen(&mut app, hero).ok_or("no player")?;
            frames.push(places);
            off = off.max(apart);
            parts.push(taking(&app));
            let found = std::mem::take(&mut app.world_mut().resource_mut::<Log>().switches);
            switches.extend(
                found
                    .into_iter()
                    .map(|(from, to, fade)| (frames.len() - 1, from, to, fade)),
            );
        }
    }
    let steps = measured(&frames);
    let mut worst = [0.0_f64; 2];
    let mut listed = Vec::new();
    for (at, from, to, fade_secs) in &switches {
        let near = &steps[at.saturating_sub(2)..(at + 2).min(steps.len())];
        let clips: BTreeSet<&String> = parts[at - 1].iter().chain(&parts[*at]).collect();
        let reference = |of: usize| clips.iter().map(|name| inside[name.as_str()][of]).fold(0.0, f64::max);
        let over = [most(near, 0) / reference(0), most(near, 1) / reference(1).max(calmest)];
        for of in 0..2 {
            worst[of] = worst[of].max(over[of]);
        }
        if over[0] > MOST_STEP || over[1] > MOST_STEP {
            faults.push(format!(
                "from {from} to {to} a joint steps {:.2} and bends {:.2} times what it does inside",
                over[0], over[1]
            ));
        }
        listed.push(serde_json::json!({ "from": from, "to": to, "secs": *at as f64 / RATE, "fade_secs": fade_secs, "step": over[0], "bend": over[1] }));
    }
    let strikes = app
        .world()
        .resource::<Log>()
        .feet
        .iter()
        .filter(|(_, kind)| *kind == FootEventKind::Strike)
        .count();
    if off > 1e-3 {
        faults.push(format!("a joint is {off} m from where the player has it"));
    }
    // A path on which nothing happens shows nothing.
    if switches.is_empty() {
        faults.push("nothing switches".to_owned());
    }
    let entries: serde_json::Value = serde_json::from_slice(&manifest)?;
    let has_events = |clip: &serde_json::Value| clip["events"].as_array().is_some_and(|events| !events.is_empty());
    if strikes == 0
        && entries["clips"]
            .as_array()
            .is_some_and(|clips| clips.iter().any(has_events))
    {
        faults.push("no foot strikes".to_owned());
    }

    // More than a minute of frames in single precision.
    let (mut app, hero) = application(folder, set.skeleton().joints(), 60.0)?;
    if let Some(mut hero) = app.world_mut().get_mut::<LoopwrightCharacter>(hero) {
        hero.goal = goal(slow, 0.0, 0.0);
    }
    (0..4200).for_each(|_| app.update());
    let root = player_of(&app, hero).ok_or("no player")?.root();
    let shown = app
        .world()
        .get::<Transform>(hero)
        .copied()
        .unwrap_or_default()
        .translation;
    let shown = root
        .translation
        .distance(DVec3::from_array(shown.to_array().map(f64::from)));
    if shown > MOST_DRIFT_METRES {
        faults.push(format!("the entity is {shown} m from its root after a minute"));
    }
    Ok((
        serde_json::json!({
            "set": folder.file_name().map(|name| name.to_string_lossy().into_owned()),
            "worst_step": worst[0],
            "worst_bend": worst[1],
            "worst_drift_m": drift,
            "entity_off_m": shown,
            "strikes": strikes,
            "switches": listed,
        }),
        faults,
    ))
}

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut status = ExitCode::SUCCESS;
    for folder in &folders {
        match play(folder) {
            Ok((figures, faults)) => {
                println!("{figures}");
                for fault in faults {
                    println!("FAULT {}: {fault}", folder.display());
                    status = ExitCode::FAILURE;
                }
            }
            Err(error) => {
                println!("FAULT {}: {error}", folder.display());
                status = ExitCode::FAILURE;
            }
        }
    }
    if folders.is_empty() {
        eprintln!("usage: headless FOLDER...");
        status = ExitCode::from(2);
    }
    status
}
