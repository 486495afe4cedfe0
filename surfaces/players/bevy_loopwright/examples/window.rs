//! A character of a set that you drive: arrows or W, A, S, D, with Shift to run and Space for the first jump.
//!
//!     cargo run --release --features window --example window -- FOLDER
//!
//! The folder holds set.json and its files; the body is that of the first of them.

use std::path::PathBuf;

use bevy::prelude::*;
use bevy_loopwright::{FootMessage, Goal, LoopwrightCharacter, LoopwrightPlugin, LoopwrightSystems};
use serde_json::Value;

/// The first clip's file, the first jump, and the speeds of a walk and a run.
#[derive(Resource, Clone)]
struct Found {
    file: String,
    jump: Option<String>,
    walk: f64,
    run: f64,
    turn_rate: f64,
}

fn main() {
    let folder = PathBuf::from(std::env::args_os().nth(1).expect("usage: window FOLDER"));
    let text = std::fs::read(folder.join("set.json")).expect("the folder has no set.json");
    let manifest: Value = serde_json::from_slice(&text).expect("set.json is no JSON");
    let clips = manifest["clips"].as_array().cloned().unwrap_or_default();
    let speeds = clips
        .iter()
        .filter_map(|clip| clip["speed_mps"].as_f64())
        .filter(|speed| *speed > 0.3);
    let turns = clips.iter().filter_map(|clip| clip["turn_rate_dps"].as_f64());
    let found = Found {
        file: clips
            .first()
            .and_then(|clip| clip["file"].as_str())
            .unwrap_or_default()
            .to_owned(),
        jump: clips
            .iter()
            .find(|clip| clip["kind"] == "jump")
            .and_then(|clip| clip["name"].as_str())
            .map(str::to_owned),
        walk: speeds.clone().fold(f64::INFINITY, f64::min).min(1.4),
        run: speeds.fold(0.0, f64::max),
        turn_rate: turns.map(f64::abs).fold(0.0, f64::max).to_radians(),
    };
    let file_path = folder
        .canonicalize()
        .expect("no such folder")
        .to_string_lossy()
        .into_owned();
    App::new()
        .add_plugins(DefaultPlugins.set(AssetPlugin { file_path, ..default() }))
        .add_plugins(LoopwrightPlugin)
        .insert_resource(found)
        .add_systems(Startup, set_up)
        .add_systems(Update, (drive, lines, say))
        .add_systems(
            PostUpdate,
            follow.after(LoopwrightSystems).before(TransformSystems::Propagate),
        )
        .run();
}

fn set_up(
    mut commands: Commands,
    assets: Res<AssetServer>,
    found: Res<Found>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<StandardMaterial>>,
) {
    let body = assets.load(GltfAssetLabel::Scene(0).from_asset(found.file.clone()));
    commands.spawn((
        LoopwrightCharacter::new(assets.load("set.json")),
        Transform::default(),
        Visibility::default(),
        children![WorldAssetRoot(body)],
    ));
    commands.spawn((
        Mesh3d(meshes.add(Plane3d::default().mesh().size(200.0, 200.0))),
        MeshMaterial3d(materials.add(Color::srgb(0.5, 0.55, 0.5))),
        Transform::from_xyz(0.0, -0.02, 0.0),
    ));
    commands.spawn((
        DirectionalLight::default(),
        Transform::from_xyz(3.0, 8.0, -5.0).looking_at(Vec3::ZERO, Vec3::Y),
    ));
    commands.spawn((Camera3d::default(), Transform::from_xyz(0.0, 2.0, -5.0)));
}

fn drive(keys: Res<ButtonInput<KeyCode>>, found: Res<Found>, mut heroes: Query<&mut LoopwrightCharacter>) {
    let is_down = |codes: [KeyCode; 2]| keys.any_pressed(codes);
    let side = f64::from(u8::from(is_down([KeyCode::ArrowLeft, KeyCode::KeyA])))
        - f64::from(u8::from(is_down([KeyCode::ArrowRight, KeyCode::KeyD])));
    let speed = match (
        is_down([KeyCode::ArrowUp, KeyCode::KeyW]),
        is_down([KeyCode::ShiftLeft, KeyCode::ShiftRight]),
    ) {
        (true, true) => found.run,
        (true, false) => found.walk,
        (false, _) => 0.0,
    };
    for mut hero in &mut heroes {
        hero.goal = Goal {
            speed,
            turn_rate: if speed > 0.0 { side * found.turn_rate } else { 0.0 },
            turn: if speed == 0.0 && keys.any_just_pressed([KeyCode::ArrowLeft, KeyCode::ArrowRight]) {
                side * std::f64::consts::FRAC_PI_2
            } else {
                0.0
            },
            ..Goal::default()
        };
        if keys.just_pressed(KeyCode::Space) {
            hero.play = found.jump.clone();
        }
    }
}

fn follow(
    heroes: Query<&Transform, (With<LoopwrightCharacter>, Without<Camera3d>)>,
    mut cameras: Query<&mut Transform, With<Camera3d>>,
) {
    for (hero, mut camera) in heroes.iter().zip(&mut cameras) {
        camera.translation = hero.translation + Vec3::new(0.0, 2.0, -5.0);
        camera.look_at(hero.translation + Vec3::Y, Vec3::Y);
    }
}

/// A metre from line to line, without which nobody sees that it moves.
fn lines(mut gizmos: Gizmos) {
    let flat = Isometry3d::from_rotation(Quat::from_rotation_x(std::f32::consts::FRAC_PI_2));
    gizmos.grid(flat, UVec2::splat(200), Vec2::ONE, Color::srgb(0.35, 0.4, 0.35));
}

fn say(mut feet: MessageReader<FootMessage>) {
    for step in feet.read() {
        info!("{} {:?}", step.foot, step.kind);
    }
}
