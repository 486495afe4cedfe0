//! The road from a take to a file, by what its files say and hold.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use loopwright_core::{BodyOverrides, Take};
use loopwright_formats::loop_file::facts::Grade;
use loopwright_formats::loop_file::importer::Importer;
use loopwright_formats::{Character, Format, LoadedTake, ReadSettings, Sidecar, SidecarError, Source, write_take};
use loopwright_job::{CharacterTarget, Following, Recipe, WrittenLoop, check, make_loop};
use loopwright_synth::{IdleSettings, WalkSettings, synthesize_idle};

use crate::verdict::{synthesized, with_poses};

fn walk() -> Take {
    synthesized(WalkSettings::default().turn_dps(0.0))
}

fn in_glb(take: &Take) -> LoadedTake {
    LoadedTake::new(take.clone(), Source::for_take(take, Format::Glb))
}

fn made(take: &Take, recipe: &str) -> WrittenLoop {
    make_loop(in_glb(take), &Recipe::read(recipe.as_bytes()).unwrap()).unwrap()
}

/// Every copy counts among the keys that an engine plays, and the seam of the last is judged as well as that of the first.
#[test]
fn copies_are_played_and_judged_to_the_last_key() {
    for (last_key, closing) in [("repeat", 1), ("drop", 0)] {
        let recipe = format!("[output]\nfor = \"unity\"\nrepeat = 3\nlast-key = \"{last_key}\"");
        let made = made(&walk(), &recipe);
        let samples = made.sidecar.playback.samples;
        let Some(Importer::Unity(unity)) = &made.sidecar.target.as_ref().unwrap().importer else {
            panic!("no settings of Unity");
        };
        let written = made.stored().unwrap().folded().unwrap().file.take;
        let keys = 3 * samples + closing;
        assert_eq!((unity.clip.last_frame, written.num_frames()), ((keys - 1) as f64, keys));
        let judged = |take: &Take| {
            let checked = check(take, Some(&made.sidecar), &BodyOverrides::default(), None);
            checked.unwrap().verdict.grade
        };
        // The last copy begins with a jump.
        let torn = with_poses(&written, keys, |frame| {
            let mut pose = written.pose(frame).to_pose();
            pose.translations[0].y += if frame == 2 * samples { 0.05 } else { 0.0 };
            pose
        });
        assert_ne!(judged(&written), Grade::Bad);
        assert_eq!(judged(&torn), Grade::Bad);
    }
}

/// A body that turns on its feet and is pulled back loses its turn, however little it goes.
#[test]
fn a_turn_that_is_pulled_back_is_told() {
    let idle = synthesize_idle(&IdleSettings::default()).unwrap();
    let turned = with_poses(&idle, idle.num_frames(), |frame| {
        let mut pose = idle.pose(frame).to_pose();
        pose.rotations[0] = DQuat::from_rotation_y(0.002 * frame as f64) * pose.rotations[0];
        pose
    });
    let recipe = "stretch = { start = 60.0, end = 300.0, cycles = 1 }\noutput.root-motion = \"stationary\"";
    let warnings = made(&turned, recipe).sidecar.warnings;
    assert!(
        warnings
            .iter()
            .any(|warning| warning.contains("stationary pulls it back")),
        "{warnings:?}"
    );
}

/// A take on a platform stands on a character's own ground, as the same take does on its floor.
#[test]
fn the_ground_below_a_take_is_not_that_of_its_character() {
    let walk = walk();
    let raised = with_poses(&walk, walk.num_frames(), |frame| {
        let mut pose = walk.pose(frame).to_pose();
        pose.translations[0] += DVec3::Y * 0.5;
        pose
    });
    let small = walk.scaled(0.8).unwrap();
    let bytes = write_take(&small, &Source::for_take(&small, Format::Glb))
        .unwrap()
        .bytes;
    let hero = Character::read(&bytes, "hero", &ReadSettings::default()).unwrap();
    let hero = Arc::new(CharacterTarget::new("hero.glb", hero, Following::default()).unwrap());
    let [plain, raised] = [walk, raised].map(|take| {
        let matched = hero.matched(&in_glb(&take), &BodyOverrides::default()).unwrap();
        matched.held_take(&take).unwrap().world_tracks()
    });
    for frame in 0..plain.num_frames() {
        for (one, other) in plain.positions(frame).iter().zip(raised.positions(frame)) {
            assert!(one.distance(*other) < 0.02, "{frame}: {one} {other}");
        }
    }
}

#[test]
fn a_sidecar_of_any_size_is_not_read() {
    let found = (16 << 20) + 1;
    let refused = Sidecar::from_json(&vec![b' '; found]).unwrap_err();
    assert!(matches!(refused, SidecarError::TooLarge { .. }), "{refused}");
}
