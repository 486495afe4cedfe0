//! The road of a set on synthetic takes: what they show is in the set, what they lack is named, and files are what the manifest says.

use std::{collections::BTreeSet, sync::Arc};

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, Skeleton, Take, Tracks,
    analysis::{FootEventKind, MotionKind},
};
use loopwright_formats::{
    Format, LoadedTake, ReadSettings, Sidecar, Source, Target, read_take,
    set::{ClipKind, LeftOut, Manifest},
};
use loopwright_job::{Recipe, Studied, Study, recipe::StudyArgs};
use loopwright_sets::{
    road::{
        HeldSetFile, MadeSet, MakeSetError, SetClipFile, SetFileName, SetSettings, SetStage, SetTakes, WrittenSet,
        make_set, of_style,
    },
    set::TakeLoop,
};
use loopwright_synth::{WalkSettings, synthesize};

fn walk(name: &str, settings: WalkSettings) -> HeldSetFile {
    held(name, synthesized(settings))
}

fn synthesized(settings: WalkSettings) -> Take {
    let settings = settings.frame_rate_hz(30.0).drift(0.0).noise_deg(0.0);
    synthesize(&settings).unwrap().take
}

fn held(name: &str, take: Take) -> HeldSetFile {
    let source = Source::for_take(&take, Format::Bvh);
    let args = StudyArgs {
        licence: Some("CC0-1.0".to_owned()),
        ..StudyArgs::default()
    };
    let study = Study::new(args, None).unwrap();
    let studied = study.analyse(name, LoadedTake::new(take, source), Vec::new()).unwrap();
    HeldSetFile {
        name: name.to_owned(),
        takes: vec![Arc::new(studied)],
        ..HeldSetFile::default()
    }
}

/// Takes of one walker: it stands and walks, walks on a curve, and runs.
fn takes() -> Vec<HeldSetFile> {
    let still_then_walk = WalkSettings {
        speed_mps: 1.3,
        turn_dps: 0.0,
        lead_in_secs: 4.0,
        seconds: 9.0,
        ..WalkSettings::default()
    };
    let curve = WalkSettings {
        speed_mps: 1.2,
        turn_dps: 40.0,
        seconds: 6.0,
        ..WalkSettings::default()
    };
    let run = WalkSettings {
        speed_mps: 3.2,
        turn_dps: 0.0,
        period_secs: 0.7,
        seconds: 5.0,
        ..WalkSettings::default()
    };
    vec![
        walk("walk.bvh", still_then_walk),
        walk("left.bvh", curve),
        walk("run.bvh", run),
    ]
}

fn settings() -> SetSettings {
    SetSettings {
        recipe: Recipe::default(),
        variants: 1,
        fps: None,
        target: None,
        format: None,
        is_split: false,
        folder: "hero".into(),
    }
}

fn made(settings: SetSettings, takes: &(impl SetTakes + ?Sized)) -> MadeSet {
    make_set(settings, takes, Vec::new(), &mut Vec::new()).unwrap()
}

fn written(made: MadeSet) -> (WrittenSet, Vec<SetClipFile>) {
    let mut files = Vec::new();
    let written = made.write(&mut Vec::new(), |file| {
        files.push(file);
        Ok::<(), Box<MakeSetError>>(())
    });
    (written.unwrap(), files)
}

#[test]
fn a_set_has_what_its_takes_show_and_its_files_are_what_the_manifest_says() {
    let (set, files) = written(made(settings(), takes().as_slice()));
    let manifest = &set.manifest;
    assert_eq!(Manifest::from_json(set.json.as_bytes()).unwrap(), *manifest);
    assert_eq!(manifest.name, "hero");
    assert_eq!(manifest.fps, 30.0);
    let speed = |name: &str| manifest.clip(name).unwrap().speed_mps.unwrap();
    assert!((speed("walk") - 1.3).abs() < 0.02, "{}", speed("walk"));
    assert!((speed("run") - 3.2).abs() < 0.05, "{}", speed("run"));
    let turn = |name: &str| manifest.clip(name).unwrap().turn_rate_dps.unwrap();
    assert!((turn("walk_left_40") - 40.0).abs() < 1.0);
    assert!((turn("walk_right_40") + 40.0).abs() < 1.0);
    assert_eq!(manifest.clip("start_walk").unwrap().kind, ClipKind::Start);
    assert_eq!(speed("idle"), 0.0);
    let missing: BTreeSet<&str> = manifest.missing.iter().map(|part| &*part.what).collect();
    assert!(missing.contains("stop"), "{missing:?}");
    let controller = manifest.controller.as_ref().unwrap();
    assert_eq!(controller.takes, 3);

    assert_eq!(files.len(), manifest.clips.len());
    for (clip, file) in manifest.clips.iter().zip(&files) {
        assert_eq!(clip.file, file.name);
        let read = read_take(&file.bytes, "clip", &ReadSettings::default(), &mut Vec::new()).unwrap();
        assert_eq!(read.take.num_frames(), clip.frames + 1, "{}", clip.name);
        let facts = file
            .sidecar
            .as_ref()
            .map(|json| Sidecar::from_json(json.as_bytes()).unwrap());
        assert_eq!(facts.is_some(), clip.kind == ClipKind::Loop);
        if let Some(facts) = facts {
            assert_eq!(facts.outputs[0], format!("hero/{}", file.name));
            facts.check_file(&file.bytes).unwrap();
        }
    }
}

#[test]
fn one_file_for_all_and_the_files_of_an_engine() {
    let of_godot = SetSettings {
        target: Some(Target::Godot),
        format: Some(Format::Glb),
        ..settings()
    };
    assert_eq!(of_godot.files_beside(), ["set.json", "tree.tres", "events.tres"]);
    let (set, files) = written(made(of_godot, takes().as_slice()));
    let [file] = &files[..] else {
        panic!("{} files", files.len())
    };
    assert_eq!(file.name, "hero.glb");
    let names = loopwright_formats::animation_names(&file.bytes);
    let of_clips = set.manifest.clips.iter().map(|clip| clip.animation.clone().unwrap());
    assert_eq!(names.iter().cloned().collect::<BTreeSet<_>>(), of_clips.collect());
    let loops = set.manifest.clips.iter().filter(|clip| clip.kind == ClipKind::Loop);
    let facts = Sidecar::all_from_json(file.sidecar.as_ref().unwrap().as_bytes()).unwrap();
    assert_eq!(facts.len(), loops.count());
    assert_eq!(set.engine_files.len(), 2);
}

/// Takes of which one file cannot be read, and whose files are worked on in another order.
struct Odd(Vec<HeldSetFile>);

impl SetTakes for Odd {
    fn num_files(&self) -> usize {
        self.0.len() + 1
    }

    fn name(&self, file: usize) -> String {
        self.0.get(file).map_or("torn.bvh", |file| &file.name).to_owned()
    }

    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String> {
        if file == self.0.len() {
            return Err("it ends within a line".to_owned());
        }
        self.0.takes(file, give)
    }

    fn loops(&self, _: usize, _: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String> {
        Ok(())
    }

    fn on_all<A: Default + Send>(
        &self,
        _: SetStage,
        work: impl Fn(usize, &mut A) -> Result<(), String> + Sync,
    ) -> Vec<A> {
        let mut all: Vec<A> = (0..self.num_files()).map(|_| A::default()).collect();
        for (file, given) in all.iter_mut().enumerate().rev() {
            let _ = work(file, given);
        }
        all
    }
}

#[test]
fn a_file_that_cannot_be_read_is_named_and_the_order_of_work_changes_nothing() {
    let (mut torn, files) = written(made(settings(), &Odd(takes())));
    let (whole, of_whole) = written(made(settings(), takes().as_slice()));
    let left_out = torn.manifest.left_out.pop().unwrap();
    assert_eq!((&*left_out.take, &*left_out.why), ("torn.bvh", "it ends within a line"));
    assert_eq!(torn.manifest, whole.manifest);
    for (one, other) in files.iter().zip(&of_whole) {
        assert!(one.bytes == other.bytes, "{}", one.name);
    }
}

#[test]
fn without_a_loop_there_is_no_set_and_it_says_of_each_take_why() {
    let short = WalkSettings {
        seconds: 0.3,
        ..WalkSettings::default()
    };
    let files = [walk("short.bvh", short)];
    let Err(MakeSetError::NoLoops(left_out)) = make_set(settings(), &files[..], Vec::new(), &mut Vec::new()) else {
        panic!("a set of nothing");
    };
    assert_eq!(left_out.len(), 1);
    assert_eq!(left_out[0].take, "short.bvh");
    assert_eq!(left_out[0].why, "no loop found in \"short.bvh\": the take is too short");

    let dense = SetSettings {
        fps: Some(1e6),
        ..settings()
    };
    let error = make_set(dense, takes().as_slice(), Vec::new(), &mut Vec::new()).unwrap_err();
    assert!(matches!(error, MakeSetError::Rate { wanted_hz: 1e6, .. }), "{error}");
}

#[test]
fn files_are_of_the_style_that_most_have_or_of_the_one_that_is_asked_for() {
    let names = [
        "Neutral_FW.bvh",
        "Neutral_BR.bvh",
        "Neutral_FR.bvh",
        "Angry_FW.bvh",
        "Angry_BR.bvh",
    ];
    let files = names.map(|name| SetFileName {
        name: format!("takes/{name}"),
        below: name.to_owned(),
        holds_animations: false,
    });
    let most = of_style(&files, None).unwrap();
    assert_eq!(most.is_kept, [true, true, true, false, false]);
    let chosen = most.chosen.unwrap();
    assert_eq!((&*chosen.style, chosen.count), ("neutral", 3));
    assert_eq!(chosen.others, ["angry"]);
    assert_eq!(most.left_out[1].take, "takes/Angry_BR.bvh");
    let angry = of_style(&files, Some("angry")).unwrap();
    assert_eq!(angry.is_kept, [false, false, false, true, true]);
    assert!(angry.left_out.is_empty());
    let none = of_style(&files, Some("sad")).unwrap_err();
    assert!(matches!(none, MakeSetError::NoStyle { there, .. } if there.len() == 3));
    // Two names that differ in no word that is a style.
    let plain = of_style(&files[..1], None).unwrap();
    assert_eq!((plain.is_kept, plain.chosen), (vec![true], None));
}

/// Returns a walk whose hips and chest are turned to the left of its way by so many degrees, and whose feet stay as they are.
fn aside(settings: WalkSettings, degrees: f64) -> Take {
    let take = synthesized(settings);
    let legs = ["LeftUpLeg", "RightUpLeg"].map(|name| take.skeleton().find(name).unwrap());
    let turn = DQuat::from_rotation_y(degrees.to_radians());
    let poses = (0..take.num_frames()).map(|frame| {
        let mut pose = take.pose(frame).to_pose();
        let own = pose.rotations[0];
        pose.rotations[0] = turn * own;
        for leg in legs {
            pose.rotations[leg] = pose.rotations[0].conjugate() * own * pose.rotations[leg];
        }
        pose
    });
    Take::from_tracks(
        take.name(),
        Tracks::from_poses(take.skeleton().clone(), take.frame_time_secs(), poses).unwrap(),
    )
    .unwrap()
}

/// Every walk of a set starts at the origin, faces ahead, and starts half through its left foot's contact; the right one follows half a cycle
/// later.
#[test]
fn loops_start_alike_whatever_their_takes_do() {
    let (set, files) = written(made(settings(), takes().as_slice()));
    for (clip, file) in set.manifest.clips.iter().zip(&files) {
        let Some(json) = &file.sidecar else { continue };
        let root = Sidecar::from_json(json.as_bytes()).unwrap().root_motion;
        let [x, _, z] = root.start_position_m;
        assert_eq!((x, z, root.start_yaw_deg), (0.0, 0.0, 0.0), "{}", clip.name);
        if clip.gait == Some(MotionKind::Idle) {
            continue;
        }
        let phase = clip.phase.unwrap();
        assert_eq!(phase.left, Some(0.0), "{}", clip.name);
        assert!((phase.right.unwrap() - 0.5).abs() < 0.05, "{}: {phase:?}", clip.name);
        let of_left = |kind| {
            let mut events = clip.events.iter();
            events
                .find(|event| event.foot == "left" && event.kind == kind)
                .unwrap()
                .secs
        };
        let [strike, lift] = [FootEventKind::Strike, FootEventKind::Lift].map(of_left);
        let middle = strike + 0.5 * (lift - strike).rem_euclid(clip.seconds);
        assert!(
            (middle - clip.seconds).abs() < 1e-6,
            "{}: {middle} of {}",
            clip.name,
            clip.seconds
        );
    }
}

/// A body that goes aside has its place in a space of directions; a speed that is far from all others is missing; and what the takes
/// are licensed under is stated.
#[test]
fn ways_holes_and_licences_are_those_of_the_takes() {
    let go = |speed_mps: f64, period_secs: f64| {
        WalkSettings::default()
            .speed_mps(speed_mps)
            .period_secs(period_secs)
            .turn_dps(0.0)
            .seconds(6.0)
    };
    let takes = [
        walk("walk.bvh", go(1.0, 1.1)),
        walk("sprint.bvh", go(4.6, 0.5)),
        held("aside.bvh", aside(go(1.2, 1.1), -90.0)),
    ];
    let set = written(made(settings(), &takes[..])).0.manifest;
    let strafes = set.blend_spaces.iter().find(|space| space.name == "strafe").unwrap();
    assert_eq!(strafes.axes, ["left_mps", "forward_mps"]);
    for (clip, at) in [
        ("walk", [0.0, 1.0]),
        ("walk_strafe_left", [1.2, 0.0]),
        ("walk_strafe_right", [-1.2, 0.0]),
    ] {
        let point = strafes.points.iter().find(|point| point.clip == clip).unwrap();
        let off = [0, 1].map(|axis| (point.at[axis] - at[axis]).abs());
        assert!(off[0].max(off[1]) < 0.1, "{clip}: {:?}", point.at);
    }
    let hole = set.missing.iter().find(|part| part.what == "forward at 2.8 m/s");
    assert!(
        hole.is_some_and(|hole| hole.why.starts_with("too far")),
        "{:?}",
        set.missing
    );
    assert_eq!(set.licences, ["CC0-1.0"]);
}

/// The take below a root joint, which follows the hips over the floor or hangs a metre above it.
fn rooted(take: &Take, follows: bool) -> Take {
    let joints = take.skeleton().joints().iter();
    let below = joints.map(|joint| {
        Joint::new(
            joint.name.clone(),
            Some(joint.parent.map_or(0, |parent| parent + 1)),
            joint.rest_offset,
        )
    });
    let skeleton = Skeleton::new(
        core::iter::once(Joint::new("Root", None, DVec3::ZERO))
            .chain(below)
            .collect(),
    )
    .unwrap();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..take.num_frames() {
        let pose = take.pose(frame);
        let place = if follows {
            pose.translations[0].with_y(0.0)
        } else {
            DVec3::Y
        };
        translations.extend([place, pose.translations[0] - place]);
        translations.extend(&pose.translations[1..]);
        rotations.push(DQuat::IDENTITY);
        rotations.extend(pose.rotations);
    }
    Take::new(take.name(), skeleton, take.frame_time_secs(), translations, rotations).unwrap()
}

/// A take in which the root joint rests decides nothing: all files move the same joint, by the twist that the manifest states.
#[test]
fn all_files_of_a_set_move_one_root_joint() {
    let standing = WalkSettings {
        speed_mps: 0.0,
        seconds: 6.0,
        ..WalkSettings::default()
    };
    let walking = |speed_mps| WalkSettings {
        speed_mps,
        turn_dps: 0.0,
        seconds: 6.0,
        ..WalkSettings::default()
    };
    let takes = [
        held("stand.bvh", rooted(&synthesized(standing), false)),
        held("slow.bvh", rooted(&synthesized(walking(0.7)), false)),
        held("walk.bvh", rooted(&synthesized(walking(1.3)), true)),
    ];
    let settings = SetSettings {
        format: Some(Format::Glb),
        ..settings()
    };
    let (set, files) = written(made(settings, takes.as_slice()));
    let root = set.manifest.root_joint.as_deref().unwrap();
    assert!(set.manifest.clips.len() > 1);
    for (clip, file) in set.manifest.clips.iter().zip(&files) {
        let take = read_take(&file.bytes, &clip.name, &ReadSettings::default(), &mut Vec::new())
            .unwrap()
            .take;
        let joint = take
            .skeleton()
            .find(root)
            .unwrap_or_else(|| panic!("{} has no {root}", clip.name));
        let world = take.world_tracks();
        let way = *world.positions(take.num_frames() - 1).get(joint).unwrap() - world.positions(0)[joint];
        let metres = clip.speed_mps.unwrap() * take.duration_secs();
        assert!(
            (way.length() - metres).abs() < 1e-3,
            "{}: {} of {metres}",
            clip.name,
            way.length()
        );
    }
}
