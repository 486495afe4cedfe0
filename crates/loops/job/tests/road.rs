//! The road from a take to a file, by what its files say and hold.

use std::{f64::consts::TAU, sync::Arc};

use glam::{DQuat, DVec3};
use loopwright_core::{
    BodyOverrides, Take,
    math::{ops, rotation},
};
use loopwright_formats::{
    Character, Format, LoadedTake, ReadSettings, Sidecar, SidecarError, Source, Target,
    loop_file::{
        AnimationOutcome,
        facts::{CheckFacts, Grade},
    },
    write_take,
};
use loopwright_job::{
    CharacterTarget, DEFAULT_TOP, Following, JobError, Recipe, Request, Rows, SearchRequest, StoredLoop, Studied,
    Study, TurnSide, WrittenLoop, check, choose, make_loop,
    pack::PackJob,
    recipe::{ReferencePose, StudyArgs},
    search_rows,
};
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
        let unity = made.sidecar.target.as_ref().unwrap().importer.as_ref().unwrap();
        let written = made.stored().unwrap().folded().unwrap().file.take;
        let keys = 3 * samples + closing;
        assert_eq!(unity["clip"]["lastFrame"], (keys - 1) as f64);
        assert_eq!(written.num_frames(), keys);
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

fn studied(take: &Take, recipe: &Recipe) -> Studied {
    let study = Study::new(recipe.take.clone(), None).unwrap();
    study.analyse("walk.glb", in_glb(take), Vec::new()).unwrap()
}

/// A curve is a loop of the side to which it turns, and of no other.
#[test]
fn a_search_for_a_side_finds_turns_to_that_side_alone() {
    let sides = [(30.0, TurnSide::Left), (-30.0, TurnSide::Right), (0.0, TurnSide::None)];
    for (turn_dps, own) in sides {
        let take = synthesized(WalkSettings::default().turn_dps(turn_dps));
        let studied = studied(&take, &Recipe::default());
        for (_, side) in sides {
            let search = SearchRequest {
                turning: Some(side),
                ..SearchRequest::default()
            };
            let found = studied.analysis.find_loops(&search.settings(1)).unwrap();
            assert_eq!(
                found.best().is_some(),
                side == own,
                "{side:?} at {turn_dps} degrees per second"
            );
        }
    }
}

/// Rows are counted from 1, as they are listed, and a number beside them fails alone.
#[test]
fn picked_rows_are_those_of_the_list() {
    let recipe = Recipe::default();
    let search = SearchRequest {
        every_cycle: true,
        ..SearchRequest::default()
    };
    let studied = studied(&walk(), &recipe);
    let listed = search_rows(&studied, &search.settings(DEFAULT_TOP), &search).unwrap();
    let listed = listed.found.candidates;
    let count = listed.len();
    assert!(count > 2);
    let rows = Rows::Picked(vec![2, 1, count, 0, count + 1]);
    let request = Request {
        recipe: &recipe,
        search: Some(&search),
        rows: &rows,
    };
    let mut picked = choose(&studied, request, &mut Vec::new()).unwrap();
    for beside in picked.split_off(3) {
        assert!(
            matches!(beside, Err(JobError::NoSuchRow { count: of, .. }) if of == count),
            "{beside:?}"
        );
    }
    for (chosen, row) in picked.into_iter().zip([2, 1, count]) {
        let chosen = chosen.unwrap();
        assert_eq!((chosen.row, chosen.stretch.cut), (row, listed[row - 1].cut));
    }
}

/// A head that trembles at 12 Hz hardly does so in the loop of a take that was smoothed at 3 Hz, and the sidecar states it.
#[test]
fn a_smoothed_take_trembles_no_more() {
    let walk = walk();
    let head = walk.skeleton().find("Head").unwrap();
    let trembling = with_poses(&walk, walk.num_frames(), |frame| {
        let secs = frame as f64 * walk.frame_time_secs();
        let mut pose = walk.pose(frame).to_pose();
        pose.rotations[head] *= DQuat::from_rotation_x(0.05 * ops::sin(TAU * 12.0 * secs));
        pose
    });
    let [as_recorded, smoothed] = [None, Some(3.0)].map(|hertz| {
        let recipe = hertz.map_or_else(String::new, |hertz| format!("take.smooth = {hertz}"));
        let WrittenLoop { clip, sidecar, .. } = made(&trembling, &recipe);
        assert_eq!(sidecar.take.smooth_hz, hertz);
        let turn = |sample: usize| {
            let [from, to] = [sample, sample + 1].map(|at| clip.body_pose(at % clip.num_samples()).rotations[head]);
            rotation::difference(to, from)
        };
        (0..clip.num_samples())
            .map(|sample| turn(sample + 1).distance(turn(sample)))
            .fold(0.0, f64::max)
    });
    assert!(smoothed < 0.1 * as_recorded, "{smoothed} {as_recorded}");
}

/// Players of a loop whose body stays take its speed from the facts, not from its keys.
#[test]
fn a_sidecar_states_whether_the_body_stays_in_place() {
    for (recipe, in_place) in [
        ("", false),
        ("output.root-motion = \"in-place\"", true),
        ("output.root-motion = \"stationary\"", true),
        ("stretch.ping-pong = true", true),
    ] {
        assert_eq!(made(&walk(), recipe).sidecar.in_place, in_place, "{recipe}");
    }
}

/// An animation is kept as it is if its first key and its last are the same to the eye; a gap that shows is closed.
#[test]
fn a_pack_keeps_what_meets_and_closes_what_does_not() {
    let recipe = Recipe::default();
    let search = SearchRequest::default();
    let one_cycle = WalkSettings {
        seconds: 1.0,
        period_secs: 1.0,
        drift: 0.0,
        noise_deg: 0.0,
        ..WalkSettings::default()
    };
    let cycle = synthesized(one_cycle.turn_dps(0.0));
    let last = cycle.num_frames() - 1;
    for (gap_metres, gap_deg, outcome) in [
        (0.0, 0.0, AnimationOutcome::Kept),
        (5e-4, 0.05, AnimationOutcome::Kept),
        (3e-3, 0.0, AnimationOutcome::Closed),
        (0.0, 0.5, AnimationOutcome::Closed),
    ] {
        let torn = with_poses(&cycle, last + 1, |frame| {
            let mut pose = cycle.pose(frame).to_pose();
            if frame == last {
                pose.translations[0].y += gap_metres;
                pose.rotations[12] *= DQuat::from_rotation_x(f64::to_radians(gap_deg));
            }
            pose
        });
        let request = Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::Recommended,
        };
        let studied = studied(&torn, &recipe);
        let mut pack = PackJob::new(request, Format::Glb);
        pack.check(&studied).unwrap();
        pack.add(0, "Walk", &studied, &mut Vec::new(), |error| error.to_string());
        let written = pack.write("pack.glb".to_owned()).unwrap();
        let animation = &written.sidecar.animations[0];
        assert_eq!(
            animation.outcome, outcome,
            "{gap_metres} m, {gap_deg} degrees: {:?}",
            animation.reason
        );
    }
}

/// A body that stands for a while and then does what never repeats: its rest is no loop of the take, unless it is asked for.
#[test]
fn an_idle_part_is_a_loop_only_where_it_is_asked_for() {
    let settings = WalkSettings {
        lead_in_secs: 4.0,
        seconds: 9.0,
        ..WalkSettings::default()
    };
    let stands = synthesized(settings.turn_dps(0.0).frame_rate_hz(30.0));
    let (rests, frames) = (80, 200);
    let take = with_poses(&stands, frames, |frame| match frame.checked_sub(rests) {
        None => stands.pose(frame).to_pose(),
        // Once through little more than a cycle, slowly.
        Some(moves) => stands.sample(130.0 + 42.0 * (moves as f64 / 110.0)),
    });
    let recipe = Recipe::default();
    let studied = studied(&take, &recipe);
    let chosen = |search: SearchRequest| {
        let request = Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::Recommended,
        };
        choose(&studied, request, &mut Vec::new()).map(|mut chosen| chosen.remove(0).unwrap().stretch)
    };
    let found = chosen(SearchRequest::default());
    assert!(
        matches!(&found, Err(JobError::IdlePart(part)) if part.is_idle),
        "{found:?}"
    );
    let asked_for = [
        SearchRequest {
            idle: true,
            ..SearchRequest::default()
        },
        SearchRequest {
            within: Some((0, rests)),
            ..SearchRequest::default()
        },
    ];
    for search in asked_for {
        assert!(chosen(search).unwrap().is_idle);
    }
}

/// Faults of a stated pose are reported, and none if the pose is right.
#[test]
fn what_a_character_does_otherwise_is_seen() {
    let walk = walk();
    let skeleton = walk.skeleton();
    let made = made(&walk, "");
    let bytes = write_take(&walk, &Source::for_take(&walk, Format::Glb)).unwrap().bytes;
    let args = StudyArgs {
        reference: Some(ReferencePose::Frame(0)),
        ..StudyArgs::default()
    };
    let args = args.reading();
    // Frame 0 is a calibration pose, with a fault.
    let checks = |fault: &[(&str, DVec3)]| {
        let calibrated = with_poses(&walk, walk.num_frames(), |frame| {
            let mut pose = walk.pose(frame).to_pose();
            if frame == 0 {
                pose.rotations.fill(DQuat::IDENTITY);
                for &(joint, turn) in fault {
                    pose.rotations[skeleton.find(joint).unwrap()] = rotation::exp(turn);
                }
            }
            pose
        });
        let following = Following::new(None, &args, |_| Err::<LoadedTake, _>(())).unwrap();
        let hero = Character::read(&bytes, "hero", &ReadSettings::default()).unwrap();
        let hero = Arc::new(CharacterTarget::new("hero.glb", hero, following).unwrap());
        let matched = hero.matched(&in_glb(&calibrated), &BodyOverrides::default()).unwrap();
        let source = hero.form(Format::Glb, Target::Generic);
        let stored = made.stored().unwrap().folded().unwrap();
        let file = stored
            .onto(&matched, None, false, &source)
            .unwrap()
            .write(&source)
            .unwrap();
        let read = StoredLoop::read("hero", &file.bytes(), file.sidecar.clone()).unwrap();
        let checked = check(&read.file.take, Some(&file.sidecar), &BodyOverrides::default(), None).unwrap();
        assert_eq!(checked.verdict.grade, file.sidecar.quality.grade.unwrap());
        let of_rig = |check: &&CheckFacts| check.id.starts_with("rig-");
        let checks: Vec<_> = checked.verdict.checks.iter().filter(of_rig).cloned().collect();
        assert!(checks.iter().eq(file.sidecar.quality.checks.iter().filter(of_rig)));
        checks
    };
    let sound = checks(&[]);
    assert_eq!(sound.len(), 5);
    for check in sound {
        assert!(check.value.unwrap().abs() < 3.0, "{check:?}");
    }
    // The line of the trunk begins below the joint that is turned. Feet are laid flat as they stand, whatever the pose.
    for (id, joint, turn, degrees) in [
        ("rig-lean", "Spine", 0.3 * DVec3::X, 12.0),
        ("rig-gaze", "Head", 0.5 * DVec3::X, 28.6),
        ("rig-arms", "RightArm", 0.44 * DVec3::X, 25.2),
    ] {
        let found = checks(&[(joint, turn)]);
        let check = found.iter().find(|check| check.id == id).unwrap();
        let off = (check.value.unwrap().abs() - degrees).abs();
        assert!(off < 3.0 && check.grade > Some(Grade::Good), "{check:?}");
    }
}
