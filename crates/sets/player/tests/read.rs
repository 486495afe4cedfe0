//! A set of files of every kind shows the loops that were written.

use std::sync::Arc;

use loopwright_core::{
    Analysis, LoopClip, LoopSettings, RootMotion, SearchSettings, loop_clip::Interpolation, math::Rigid,
};
use loopwright_formats::{Format, LoopWriteSettings, Source, write_loop};
use loopwright_player::{ClipKind, MotionSet, SetError, SteeredCharacter};
use loopwright_synth::{WalkSettings, synthesize};
use serde_json::{Value, json};

fn walk() -> (LoopClip, Source, impl Fn(Format) -> Source) {
    let take = synthesize(&WalkSettings::default()).unwrap().take;
    let analysis = Analysis::new(&take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let made = analysis
        .make_loop(found.best().unwrap(), &LoopSettings::default())
        .unwrap();
    let source = Source::for_take(&take, Format::Glb);
    let found = made.loop_clip;
    // Clips of sets begin with the root at the origin.
    let root = RootMotion::new(Rigid::IDENTITY, found.root().twist);
    let clip = LoopClip::new(found.name(), found.tracks().clone(), found.carrier(), root).unwrap();
    (clip, source, move |format| Source::for_take(&take, format))
}

fn manifest(clip: &LoopClip, file: &str, change: impl Fn(&mut Value)) -> Vec<u8> {
    let twist = clip.root().twist;
    let carrier = &clip.skeleton().joint(clip.carrier()).name;
    let mut manifest = json!({
        "format": "loopwright-set", "version": 1, "in_place": false, "root_joint": null, "skeleton": { "carrier": carrier },
        "clips": [{ "name": "walk", "file": file, "animation": clip.name(), "kind": "loop", "seconds": clip.period_secs(),
            "frames": clip.num_samples(), "twist": { "linear": twist.linear.to_array(), "angular": twist.angular.to_array() } }],
    });
    change(&mut manifest);
    serde_json::to_vec(&manifest).unwrap()
}

#[test]
fn what_is_played_is_the_loop_as_it_was_written() {
    let (clip, _, source) = walk();
    for (format, add_root, in_place) in [
        (Format::Glb, false, false),
        (Format::Glb, true, false),
        (Format::Glb, false, true),
        (Format::Bvh, false, false),
    ] {
        let settings = LoopWriteSettings {
            add_root,
            in_place,
            ..LoopWriteSettings::default()
        };
        let written = write_loop(&clip, &source(format), &settings).unwrap();
        let set = MotionSet::read(
            &manifest(&clip, "walk.any", |manifest| {
                manifest["in_place"] = json!(in_place);
                manifest["root_joint"] = if add_root { json!("root") } else { Value::Null };
            }),
            |_| Ok::<_, SetError>(written.bytes.clone()),
        )
        .unwrap();
        let mut hero = SteeredCharacter::in_loop(Arc::new(set), "walk").unwrap();
        for _ in 0..40 {
            hero.update(0.05);
            let shown = hero.pose().as_ref().world(hero.set().skeleton());
            let shown = shown.moved(hero.root());
            let meant = clip.world_pose_at(hero.secs(), Interpolation::Cubic);
            for (joint, place) in clip.skeleton().joints().iter().zip(&meant.translations) {
                let index = hero.set().skeleton().find(&joint.name).unwrap();
                let off = shown.translations[index].distance(*place);
                assert!(
                    off < 2e-4,
                    "{format:?} {add_root} {in_place}: {} is {off} m off",
                    joint.name
                );
            }
        }
    }
}

/// Entries that only describe a set may be missing, or may hold words of a later version; an unknown kind plays once.
#[test]
fn sets_of_later_versions_play() {
    let (clip, source, _) = walk();
    let written = write_loop(&clip, &source, &LoopWriteSettings::default()).unwrap();
    let later = manifest(&clip, "walk.glb", |manifest| {
        let keys = clip.num_samples() + 1;
        let mut once = manifest["clips"][0].clone();
        once["name"] = json!("over");
        once["kind"] = json!("somersault");
        once["from"] = json!({ "clip": "walk", "secs": 0.0 });
        once["to"] = json!({ "clip": "walk", "secs": 0.1 });
        let rotations = [0.0, 0.0, 0.0, 1.0].repeat(keys);
        once["root"] = json!({ "translation": vec![0.0; 3 * keys], "rotation": rotations });
        let walk = &mut manifest["clips"][0];
        walk["gait"] = json!("trot");
        walk["grade"] = json!("splendid");
        walk["made"] = json!({ "from": "thought" });
        manifest["clips"].as_array_mut().unwrap().push(once);
    });
    let set = MotionSet::read(&later, |_| Ok::<_, SetError>(written.bytes.clone())).unwrap();
    let kinds: Vec<ClipKind> = set.clips().iter().map(|clip| clip.kind).collect();
    assert_eq!(kinds, [ClipKind::Loop, ClipKind::Other]);
    assert!(!set.clips()[1].loops());
}

#[test]
fn what_cannot_be_played_is_said() {
    let (clip, source, _) = walk();
    let written = write_loop(&clip, &source, &LoopWriteSettings::default()).unwrap();
    let refused = |change: &dyn Fn(&mut Value)| {
        let read = |_: &str| Ok::<_, SetError>(written.bytes.clone());
        MotionSet::read(&manifest(&clip, "walk.glb", change), read)
            .unwrap_err()
            .to_string()
    };
    let of_clip = |key: &'static str, value: Value| refused(&|manifest| manifest["clips"][0][key] = value.clone());
    assert!(of_clip("seconds", json!(0.0)).contains("frames in 0 s are no clip"));
    assert!(of_clip("frames", json!(900_000)).contains("frames, not 900000"));
    assert!(of_clip("phase", json!({ "warp": 0.5 })).contains("its warp is 0.5, and below 1/pi is wanted"));
    assert!(of_clip("kind", json!("jump")).contains("it has no root keys"));
    assert!(of_clip("fade_secs", json!(0)).contains("clips[0].fade_secs is out of range: 0"));
    let jump =
        json!({ "from": "walk", "to": "walk", "leave_secs": 0, "enter_secs": 0, "fade": "quintic", "fade_secs": -0.4 });
    let of_jump = refused(&|manifest| manifest["transitions"] = json!([jump.clone()]));
    assert!(of_jump.contains("transitions[0].fade_secs is out of range: -0.4"));
    let short = json!({ "translation": [0.0, 0.0, 0.0], "rotation": [0.0, 0.0, 0.0, 1.0] });
    let of_root = |root: Value| {
        refused(&|manifest| {
            manifest["clips"][0]["kind"] = json!("somersault");
            manifest["clips"][0]["root"] = root.clone();
        })
    };
    assert!(of_root(short).contains("3 numbers for places and 4 for rotations, not those of"));
    let keys = clip.num_samples() + 1;
    let zeros = json!({ "translation": vec![0.0; 3 * keys], "rotation": vec![0.0; 4 * keys] });
    assert!(of_root(zeros).contains("cannot be played"));
    assert!(of_clip("events", json!([{ "secs": 0.0, "foot": "left", "kind": "slip" }])).contains("found \"slip\""));
    assert!(of_clip("to", json!({ "clip": "hop", "secs": 0.0 })).contains("names the clip \"hop\""));
    assert!(refused(&|manifest| manifest["clips"] = json!([])).contains("no loop to begin with"));
    let lost = MotionSet::read(&manifest(&clip, "walk.glb", |_| ()), |_| {
        Err::<Vec<u8>, _>("it is gone")
    });
    assert!(
        lost.unwrap_err()
            .to_string()
            .contains("\"walk.glb\" of the set cannot be read: it is gone")
    );
}
