//! Plays a set without a window, by its manifest alone, and measures what a viewer would see.
//!
//!     cargo run --release --example headless -- FOLDER...
//!
//! A folder holds set.json and the files that it names. For each a line; status 1 where a joint steps further at a switch than 1.1 times what it
//! does inside clips, joints or the entity are not where the player has them, or nothing switches or no foot strikes on the way.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
    time::Duration,
};

use bevy::{ecs::message::MessageReader, prelude::*, time::TimeUpdateStrategy};
use bevy_loopwright::{
    CharacterMessage, FootEventKind, Goal, LoopwrightCharacter, LoopwrightPlugin, MotionClip, MotionSet, PlayerEvent,
    SteeredCharacter,
};
use glam::DVec3;
use loopwright_core::{
    Pose,
    math::{Rigid, Twist},
};

type Failure = Box<dyn std::error::Error>;

/// Frames per second of the path.
const RATE: f64 = 120.0;

/// Largest step at a switch, over that inside clips.
const MOST_STEP: f64 = 1.1;

/// What Bevy shows against what the player has: single precision.
const MOST_OFF_METRES: f64 = 1e-3;

/// Size and height of the node that the body hangs from, as exporters leave it: turned, and in centimetres.
const ARMATURE: Transform = Transform {
    translation: Vec3::new(0.0, 0.2, 0.1),
    rotation: Quat::from_xyzw(-0.5, 0.5, 0.5, 0.5),
    scale: Vec3::splat(0.01),
};

/// Returns the places of the set's joints in the world.
fn places(set: &MotionSet, pose: &Pose, root: Rigid) -> Vec<DVec3> {
    pose.as_ref().world(set.skeleton()).moved(root).translations
}

/// The longest step and second difference of any joint around each frame.
fn measured(frames: &[Vec<DVec3>]) -> Vec<[f64; 2]> {
    let around = |near: &[Vec<DVec3>]| {
        let mut most = [0.0_f64; 2];
        for ((before, at), after) in near[0].iter().zip(&near[1]).zip(&near[2]) {
            most[0] = most[0].max(at.distance(*before)).max(at.distance(*after));
            most[1] = most[1].max((before + after - at * 2.0).length());
        }
        most
    };
    std::iter::once([0.0; 2]).chain(frames.windows(3).map(around)).collect()
}

/// Returns the largest step and second difference of some.
fn most<'a>(steps: impl IntoIterator<Item = &'a [f64; 2]>) -> [f64; 2] {
    steps
        .into_iter()
        .fold([0.0; 2], |most, step| [most[0].max(step[0]), most[1].max(step[1])])
}

/// Switches since they were taken last, from what and to what, and strikes of all times.
#[derive(Resource, Default)]
struct Log {
    switches: Vec<[String; 2]>,
    strikes: usize,
}

fn write_down(mut log: ResMut<Log>, mut messages: MessageReader<CharacterMessage>) {
    for message in messages.read() {
        match &message.event {
            PlayerEvent::Foot { kind, .. } => log.strikes += usize::from(*kind == FootEventKind::Strike),
            PlayerEvent::Switch { from, to, .. } => log.switches.push([from.clone(), to.clone()]),
        }
    }
}

/// An application with one character, whose set is loaded by its file.
struct Stage {
    app: App,
    hero: Entity,
    joints: Vec<Entity>,
}

impl Stage {
    fn new(folder: &Path, set: &MotionSet) -> Result<Self, Failure> {
        let mut app = App::new();
        let file_path = folder.canonicalize()?.to_string_lossy().into_owned();
        app.add_plugins((
            MinimalPlugins,
            AssetPlugin { file_path, ..default() },
            TransformPlugin,
            LoopwrightPlugin,
        ))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / RATE)))
        .init_resource::<Log>()
        .add_systems(Last, write_down);
        app.finish();
        app.cleanup();
        let handle = app.world().resource::<AssetServer>().load("set.json");
        let world = app.world_mut();
        let hero = world
            .spawn((LoopwrightCharacter::new(handle), Transform::default()))
            .id();
        let armature = world.spawn((ARMATURE, ChildOf(hero))).id();
        let mut joints: Vec<Entity> = Vec::new();
        for joint in set.skeleton().joints() {
            let spawned = world.spawn((
                Name::new(joint.name.clone()),
                Transform::default(),
                ChildOf(joint.parent.map_or(armature, |parent| joints[parent])),
            ));
            joints.push(spawned.id());
        }
        let mut stage = Self { app, hero, joints };
        for _ in 0..2000 {
            stage.app.update();
            if stage.player().is_ok() {
                return Ok(stage);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("the set was not loaded within ten seconds".into())
    }

    fn player(&self) -> Result<&SteeredCharacter, Failure> {
        Ok(self
            .app
            .world()
            .get::<LoopwrightCharacter>(self.hero)
            .and_then(LoopwrightCharacter::player)
            .ok_or("no player")?)
    }

    /// Returns the places of the player's joints, and the largest distance of what Bevy shows from them.
    fn seen(&self) -> Result<(Vec<DVec3>, f64), Failure> {
        let player = self.player()?;
        let meant = places(player.set(), player.pose(), player.root());
        let shown = |entity: &Entity| {
            let place = self.app.world().get::<GlobalTransform>(*entity);
            place.map(|place| DVec3::from_array(place.translation().to_array().map(f64::from)))
        };
        let off = self
            .joints
            .iter()
            .zip(meant.iter().copied())
            .chain([(&self.hero, player.root().translation)])
            .map(|(entity, meant)| shown(entity).map_or(f64::INFINITY, |place| place.distance(meant)))
            .fold(0.0, f64::max);
        Ok((meant, off))
    }

    /// Returns the names of the clips that play.
    fn clips(&self) -> Result<BTreeSet<String>, Failure> {
        Ok(self
            .player()?
            .playing()
            .clips
            .iter()
            .map(|part| part.clip.name.clone())
            .collect())
    }
}

/// Goals over what the set has, by the motions of its moving loops, each with its seconds.
fn path(twists: &[Twist]) -> [(f64, Goal); 13] {
    let speed = |twist: &Twist| twist.linear.x.hypot(twist.linear.z);
    let slow = twists.iter().map(speed).fold(1e3, f64::min);
    let fast = twists
        .iter()
        .filter(|twist| twist.linear.z > 0.8 * speed(twist))
        .map(speed)
        .fold(slow, f64::max);
    let turns = twists.iter().map(|twist| twist.angular.y);
    let (left, right) = (turns.clone().fold(0.0, f64::max), turns.fold(0.0, f64::min));
    [
        (1.5, 0.0, 0.0, 0.0),
        (4.0, slow, 0.0, 0.0),
        (3.0, slow, left, 0.0),
        (3.0, slow, right, 0.0),
        (4.0, fast, 0.0, 0.0),
        (2.0, fast, 0.5 * left, 0.0),
        (3.0, slow, 0.0, 0.0),
        (4.0, 0.0, 0.0, 0.0),
        (3.0, 0.0, 0.0, std::f64::consts::FRAC_PI_2),
        (3.0, fast, 0.0, 0.0),
        (1.0, 0.0, 0.0, 0.0),
        (0.4, slow, 0.0, 0.0),
        (6.0, 0.0, 0.0, 0.0),
    ]
    .map(|(secs, speed, turn_rate, turn)| {
        (
            secs,
            Goal {
                speed,
                turn_rate,
                turn,
                ..Goal::default()
            },
        )
    })
}

/// Plays a set: what was measured, and faults.
fn play(folder: &Path) -> Result<(String, Vec<String>), Failure> {
    let set = Arc::new(MotionSet::read(&std::fs::read(folder.join("set.json"))?, |file| {
        std::fs::read(folder.join(file))
    })?);
    let mut faults = Vec::new();

    // Each clip alone.
    let inside: BTreeMap<&str, [f64; 2]> = set
        .clips()
        .iter()
        .map(|clip| {
            let frames: Vec<_> = (0..=(clip.seconds * RATE) as usize)
                .map(|frame| frame as f64 / RATE)
                .map(|secs| places(&set, &clip.pose(secs), clip.root(secs)))
                .collect();
            (&*clip.name, most(&measured(&frames)))
        })
        .collect();
    let moving = set.clips().iter().filter(|clip| clip.loops() && !clip.stands());
    let calmest = moving
        .clone()
        .map(|clip| inside[&*clip.name][1])
        .fold(f64::INFINITY, f64::min);
    let twists: Vec<Twist> = moving.map(MotionClip::twist).collect();

    let mut stage = Stage::new(folder, &set)?;
    let (first, mut off) = stage.seen()?;
    let (mut frames, mut parts, mut switches) = (vec![first], vec![stage.clips()?], Vec::new());
    for (secs, goal) in path(&twists) {
        if let Some(mut hero) = stage.app.world_mut().get_mut::<LoopwrightCharacter>(stage.hero) {
            hero.goal = goal;
        }
        for _ in 0..(secs * RATE) as usize {
            stage.app.update();
            let (places, apart) = stage.seen()?;
            off = off.max(apart);
            switches.extend(
                std::mem::take(&mut stage.app.world_mut().resource_mut::<Log>().switches)
                    .into_iter()
                    .map(|switch| (frames.len(), switch)),
            );
            frames.push(places);
            parts.push(stage.clips()?);
        }
    }
    let steps = measured(&frames);
    let mut worst = [0.0; 2];
    for (at, [from, to]) in &switches {
        let near = most(&steps[at.saturating_sub(2)..(at + 2).min(steps.len())]);
        let reference = most(parts[at - 1].union(&parts[*at]).map(|name| &inside[&**name]));
        let over = [near[0] / reference[0], near[1] / reference[1].max(calmest)];
        worst = most([&worst, &over]);
        if over[0].max(over[1]) > MOST_STEP {
            faults.push(format!(
                "from {from} to {to} a joint steps {:.2} and bends {:.2} times what it does inside",
                over[0], over[1]
            ));
        }
    }
    if off > MOST_OFF_METRES {
        faults.push(format!("a joint or the entity is {off} m from where the player has it"));
    }
    // A path on which nothing happens shows nothing.
    if switches.is_empty() {
        faults.push("nothing switches".to_owned());
    }
    let strikes = stage.app.world().resource::<Log>().strikes;
    if strikes == 0 && set.clips().iter().any(|clip| !clip.events.is_empty()) {
        faults.push("no foot strikes".to_owned());
    }
    let switches = switches.len();
    let [step, bend] = worst;
    Ok((
        format!("{switches} switches, steps {step:.3}, bends {bend:.3}; {strikes} strikes; {off:.6} m off"),
        faults,
    ))
}

fn main() -> ExitCode {
    let folders: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let mut status = ExitCode::SUCCESS;
    for folder in &folders {
        let faults = match play(folder) {
            Ok((figures, faults)) => {
                println!("{}: {figures}", folder.display());
                faults
            }
            Err(error) => vec![error.to_string()],
        };
        for fault in faults {
            println!("FAULT {}: {fault}", folder.display());
            status = ExitCode::FAILURE;
        }
    }
    if folders.is_empty() {
        eprintln!("usage: headless FOLDER...");
        status = ExitCode::from(2);
    }
    status
}
