//! A loop written to a file and read back, by the library alone.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, Joint, LoopSettings, MadeLoop, RootMode, RootSettings, SearchSettings, Skeleton, Take, feet::FootLock,
};
use loopwright_formats::{
    Format, LoadLoopError, LoopFile, LoopInFile, LoopWriteSettings, ReadSettings, Sidecar, Source, SpaceSettings,
    UnitChoice, UpChoice, load, load_loop,
    loop_file::{PlaceError, facts::TakeFacts},
    read_take, write_loop, write_take,
};
use loopwright_synth::{IdleSettings, WalkSettings, synthesize, synthesize_idle};

use crate::support::{Random, gltf_file::parts_of, take_of};

/// A walk, its analysis, and a loop of it written in a format.
struct Walk {
    take: Take,
    analysis: Analysis,
    made: MadeLoop,
    source: Source,
    file: LoopFile,
}

pub(crate) fn best_made(analysis: &Analysis, settings: &LoopSettings) -> MadeLoop {
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    analysis.make_loop(found.best().unwrap(), settings).unwrap()
}

fn walk(mode: RootMode, format: Format, add_root: bool) -> Walk {
    let settings = WalkSettings::default().turn_dps(20.0);
    let take = synthesize(&settings).unwrap().take;
    let analysis = Analysis::new(&take).unwrap();
    let settings = LoopSettings::with_root(mode);
    let made = best_made(&analysis, &settings);
    let source = Source::for_take(&take, format);
    let facts = TakeFacts::new("walk.bvh", &take, source.space());
    let writing = LoopWriteSettings {
        add_root,
        in_place: !mode.moves_root(),
        ..LoopWriteSettings::default()
    };
    let file = LoopFile::write_with(&made, facts, &source, &writing).unwrap();
    Walk {
        take,
        analysis,
        made,
        source,
        file,
    }
}

/// Returns the keys of a loop's file and its sidecar, both read from bytes.
fn read(walk: &Walk) -> (Take, Sidecar) {
    let sidecar = Sidecar::from_json(walk.file.sidecar.to_json().unwrap().as_bytes()).unwrap();
    assert_eq!(sidecar, walk.file.sidecar);
    let space = walk.source.space();
    let settings = ReadSettings::in_space(SpaceSettings::from(space));
    let loaded = read_take(&walk.file.bytes(), "walk", &settings, &mut Vec::new()).unwrap();
    (loaded.take, sidecar)
}

#[test]
fn a_loop_comes_back_from_its_file_in_every_mode_and_format() {
    for format in [Format::Bvh, Format::Glb] {
        for mode in [RootMode::Constant, RootMode::InPlace, RootMode::Keep] {
            for add_root in [false, true] {
                let walk = walk(mode, format, add_root);
                assert!(!walk.file.quality.pops(), "{mode} {format:?}: {:?}", walk.file.quality);
                let (whole, sidecar) = read(&walk);
                assert_eq!(sidecar.root_motion.mode, mode);
                let written = sidecar.without_added_root(whole.clone()).unwrap();
                assert_eq!(written.num_joints(), walk.take.num_joints());

                // With its root moving, every joint agrees with the loop, whatever the file shows.
                let in_file = LoopInFile::from_whole_file(&sidecar, &whole).unwrap();
                let clip = in_file.clip(&whole).unwrap();
                let added = usize::from(add_root);
                for key in [0, 7, clip.num_samples() + 3] {
                    let (here, there) = (walk.made.loop_clip.world_pose(key), clip.world_pose(key));
                    for (joint, position) in here.translations.iter().enumerate() {
                        let gap = (there.translations[joint + added] - *position).length();
                        let what = format!("{mode} {format:?} {add_root}, key {key}, joint {joint}");
                        assert!(gap < 1e-4, "{what}: {gap}");
                    }
                }
                let played = in_file.played(&whole).unwrap();
                let [start, end] = [0, played.num_samples()].map(|key| played.root_pose(key).translation);
                let distance = start.distance(end);
                assert_eq!(distance > 0.5, mode.moves_root(), "{mode}: {distance}");

                // The frames that it was cut from are recovered.
                let in_file = LoopInFile::from_sidecar(&sidecar, &written).unwrap();
                let uncut = in_file.uncut(&sidecar, &written, &walk.analysis).unwrap();
                let (ours, theirs) = (&walk.made.source.clip, &uncut.clip);
                for sample in [0, 5] {
                    let gap = (ours.translations(sample)[0] - theirs.translations(sample)[0]).length();
                    assert!(gap < 1e-4, "{mode} {format:?} {add_root}: {gap}");
                }
            }
        }
    }
}

/// Returns the take with its joints in another order, `next` choosing among those whose parents are listed.
fn reordered(take: &Take, mut next: impl FnMut(usize) -> usize) -> Take {
    let own = take.skeleton();
    let (mut open, mut order) = (vec![0], Vec::new());
    while !open.is_empty() {
        let joint = open.remove(next(open.len()));
        order.push(joint);
        open.extend(own.children(joint));
    }
    let place = |joint: usize| order.iter().position(|&other| other == joint);
    let joints = order.iter().map(|&joint| Joint {
        parent: own.parent(joint).and_then(place),
        ..own.joint(joint).clone()
    });
    take.on(&Skeleton::new(joints.collect()).unwrap()).unwrap()
}

/// Figures by index once compared the left foot with the head: files list joints branch by branch, arrays in any order.
#[test]
fn figures_do_not_depend_on_the_order_of_joints() {
    let take = synthesize(&WalkSettings::default()).unwrap().take;
    let mut random = Random(5);
    let orders = [
        take.clone(),
        reordered(&take, |_| 0),
        reordered(&take, |open| open - 1),
        reordered(&take, |open| random.below(open)),
    ];
    let made = orders.map(|take| {
        let analysis = Analysis::new(&take).unwrap();
        (best_made(&analysis, &LoopSettings::default()), analysis)
    });
    let mut all = formats();
    all.extend([Format::Npz, Format::Vrma]);
    for format in all {
        let figures = made.each_ref().map(|(made, analysis)| {
            let source = Source::for_take(&made.take, format);
            let file = LoopFile::write(made, &source).unwrap();
            let settings = ReadSettings::in_space(SpaceSettings::from(source.space()));
            let written = read_take(&file.bytes(), "walk", &settings, &mut Vec::new())
                .unwrap()
                .take;
            let ours = &made.source;
            if written.num_joints() == made.take.num_joints() {
                let in_file = LoopInFile::from_sidecar(&file.sidecar, &written).unwrap();
                let theirs = in_file.uncut(&file.sidecar, &written, analysis).unwrap();
                assert_eq!(
                    (theirs.clip.skeleton(), theirs.carrier),
                    (ours.clip.skeleton(), ours.carrier)
                );
                let turned = theirs
                    .clone()
                    .on(written.skeleton())
                    .unwrap()
                    .on(ours.clip.skeleton())
                    .unwrap();
                assert_eq!(turned, theirs);
            }
            let quality = file.quality;
            let slide = quality.farthest_slide.unwrap();
            [
                quality.displacement_metres.unwrap(),
                quality.foot_slide_mps.unwrap(),
                slide.metres,
                quality.pose_gap_metres,
                quality.body_size,
            ]
        });
        for other in &figures[1..] {
            for (one, other) in figures[0].iter().zip(other) {
                assert!((one - other).abs() < 1e-6, "{format:?}: {figures:?}");
            }
        }
    }
}

#[test]
fn a_sidecar_of_another_file_is_detected() {
    let walk = walk(RootMode::Constant, Format::Bvh, false);
    let (written, mut sidecar) = read(&walk);
    let take = &walk.take;
    let short = take_of(take.skeleton(), take.frame_time_secs(), 9, |frame, joint| {
        (take.translations(frame)[joint], take.rotations(frame)[joint])
    });
    let in_file = LoopInFile::from_sidecar(&sidecar, &written).unwrap();
    let other = in_file.uncut(&sidecar, &written, &Analysis::new(&short).unwrap());
    assert!(
        matches!(other, Err(PlaceError::OtherTake { frames: 9, .. })),
        "{other:?}"
    );
    sidecar.playback.carrier_joint = "Tail".to_owned();
    let lost = LoopInFile::from_sidecar(&sidecar, &written);
    assert!(matches!(lost, Err(PlaceError::NoCarrier { .. })), "{lost:?}");
}

/// An unknown word was once read as the first choice without a warning.
#[test]
fn an_unknown_root_mode_is_an_error() {
    let walk = walk(RootMode::Keep, Format::Bvh, false);
    let json = walk.file.sidecar.to_json().unwrap();
    let edited = json.replace("\"mode\": \"keep\"", "\"mode\": \"spin\"");
    assert_ne!(json, edited);
    let error = Sidecar::from_json(edited.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("constant") && error.contains("\"spin\""), "{error}");
}

#[test]
fn a_loop_is_loaded_from_its_file_and_its_sidecar() {
    let mut cases = vec![
        (RootMode::Constant, Format::Bvh, false),
        (RootMode::Constant, Format::Glb, true),
        (RootMode::InPlace, Format::Npz, false),
        (RootMode::Constant, Format::Npz, true),
    ];
    // Without the feature FBX is written, and not read back.
    cases.extend(cfg!(feature = "fbx").then_some((RootMode::InPlace, Format::Fbx, false)));
    for (mode, format, add_root) in cases {
        let walk = walk(mode, format, add_root);
        let json = walk.file.sidecar.to_json().unwrap();
        let loaded = load_loop(&walk.file.bytes(), json.as_bytes()).unwrap();
        let made = &walk.made.loop_clip;
        assert_eq!(loaded.num_samples(), made.num_samples());
        let gap = (loaded.root().twist.linear - made.root().twist.linear).length();
        assert!(gap < 1e-12, "{mode} {format:?}: {gap}");
        for key in [0, 7] {
            let [ours, theirs] = [made, &loaded].map(|clip| clip.world_pose(key).translations);
            for joint in 0..made.skeleton().num_joints() {
                let name = &made.skeleton().joint(joint).name;
                let there = loaded.skeleton().find(name).unwrap();
                let gap = (ours[joint] - theirs[there]).length();
                assert!(gap < 1e-4, "{mode} {format:?} {name}: {gap}");
            }
        }
    }
    assert!(matches!(load_loop(b"", b"{}"), Err(LoadLoopError::Sidecar(_))));
}

/// A body that stands has a root that rests: its keys are the same bits, or it would drift over hours of play.
#[test]
fn the_root_of_an_idle_loop_does_not_move_by_a_bit() {
    let idles = [1, 4, 9].map(|seed| IdleSettings {
        seed,
        ..IdleSettings::default()
    });
    for settings in idles {
        let take = synthesize_idle(&settings).unwrap();
        let analysis = Analysis::new(&take).unwrap();
        for recenter in [false, true] {
            let settings = LoopSettings::with_root(RootSettings {
                recenter,
                ..RootSettings::default()
            });
            let made = best_made(&analysis, &settings);
            for format in formats() {
                let writing = LoopWriteSettings {
                    add_root: true,
                    copies: 2,
                    ..LoopWriteSettings::default()
                };
                let source = Source::for_take(&take, format);
                let file = write_loop(&made.loop_clip, &source, &writing).unwrap();
                let settings = ReadSettings::in_space(SpaceSettings::new(
                    UpChoice::Y,
                    UnitChoice::Metres(source.space().unit_metres),
                ));
                let written = read_take(&file.bytes, "idle", &settings, &mut Vec::new()).unwrap().take;
                let first = written.pose(0).joint(0);
                for frame in 1..written.num_frames() {
                    assert_eq!(written.pose(frame).joint(0), first, "{format:?}, key {frame}");
                }
                let off = first.translation.x.abs() + first.translation.z.abs();
                assert!(!recenter || off < 1e-9, "{first:?}");
            }
        }
    }
}

/// Returns a walk whose head and hands never move, as fingers of many rigs.
fn with_still_joints(take: &Take) -> Take {
    take_of(
        take.skeleton(),
        take.frame_time_secs(),
        take.num_frames(),
        |frame, joint| {
            let still = DQuat::from_rotation_z(0.1 + 0.01 * joint as f64);
            let is_end = take.skeleton().children(joint).is_empty();
            let turn = if is_end { still } else { take.rotations(frame)[joint] };
            (take.translations(frame)[joint], turn)
        },
    )
}

/// Returns the numbers of keys of all curves or samplers.
fn key_counts(bytes: &[u8]) -> Vec<usize> {
    if bytes.starts_with(b"glTF") {
        let (json, _) = parts_of(bytes);
        let samplers = json["animations"][0]["samplers"].as_array().unwrap();
        return samplers
            .iter()
            .map(|sampler| {
                let count = |end: &str| json["accessors"][sampler[end].as_u64().unwrap() as usize]["count"].as_u64();
                assert_eq!(count("input"), count("output"));
                count("input").unwrap() as usize
            })
            .collect();
    }
    curve_lengths(bytes)
}

#[cfg(feature = "fbx")]
fn curve_lengths(bytes: &[u8]) -> Vec<usize> {
    let scene = ufbx::load_memory(bytes, ufbx::LoadOpts::default()).unwrap();
    scene.anim_curves.iter().map(|curve| curve.keyframes.len()).collect()
}

#[cfg(not(feature = "fbx"))]
fn curve_lengths(_: &[u8]) -> Vec<usize> {
    Vec::new()
}

/// Returns the formats that can be read, with names for animations or without.
fn formats() -> Vec<Format> {
    let mut formats = vec![Format::Bvh, Format::Glb];
    formats.extend(cfg!(feature = "fbx").then_some(Format::Fbx));
    formats
}

#[test]
fn tracks_that_do_not_move_have_one_key_for_engines_and_read_the_same() {
    let Walk { take, .. } = walk(RootMode::Constant, Format::Glb, false);
    let take = with_still_joints(&take);
    let analysis = Analysis::new(&take).unwrap();
    // Toes would bend where their tips sink.
    let settings = LoopSettings::with_feet(FootLock::Off);
    let made = best_made(&analysis, &settings);
    for &format in &formats()[1..] {
        let source = Source::for_take(&take, format);
        for add_root in [false, true] {
            let writing = LoopWriteSettings {
                add_root,
                ..LoopWriteSettings::default()
            };
            let [long, short] = [source.clone(), source.clone().for_engines()]
                .map(|source| write_loop(&made.loop_clip, &source, &writing).unwrap().bytes);
            let read = |bytes: &[u8]| load(bytes, "t").unwrap().take;
            assert_eq!(read(&long), read(&short), "{format:?}");
            let (before, after) = (key_counts(&long), key_counts(&short));
            let all = made.loop_clip.num_samples() + 1;
            assert!(before.iter().all(|&count| count == all), "{format:?}: {before:?}");
            let still = after.iter().filter(|&&count| count == 1).count();
            assert!(
                still >= 4 && after.iter().all(|&count| count == 1 || count == all),
                "{format:?}: {after:?}"
            );
            assert!(short.len() < long.len());
        }
    }
    // An animation in which nothing moves keeps its length.
    let pose = take.pose(0);
    let statue = take_of(take.skeleton(), 1.0 / 30.0, 12, |_, joint| {
        (pose.translations[joint], pose.rotations[joint])
    });
    for &format in &formats()[1..] {
        let source = Source::for_take(&statue, format).for_engines();
        let bytes = write_take(&statue, &source).unwrap().bytes;
        let read = load(&bytes, "t").unwrap();
        assert_eq!(read.take.num_frames(), 12, "{format:?}");
        assert!(key_counts(&bytes).iter().filter(|&&count| count > 1).count() <= 3);
    }
}

/// Mirrored facts describe the mirrored motion, whichever way the loop starts and turns.
#[test]
fn the_facts_of_a_mirror_image_are_of_its_motion() {
    let walk = walk(RootMode::Constant, Format::Bvh, false);
    let mirror = walk.analysis.mirror(&[]).unwrap();
    let facts = &walk.file.sidecar;
    let image = facts.clone().mirrored(&mirror, walk.take.skeleton());
    assert!(facts.root_motion.start_yaw_deg.abs() > 1.0);
    let [own, image] = [facts, &image].map(|facts| facts.root_motion.motion());
    for secs in [0.0, 0.4, 2.0] {
        let (own, image) = (own.at(secs), image.at(secs));
        let [x, y, z, w] = own.rotation.to_array();
        assert!(image.translation.distance(own.translation * DVec3::new(-1.0, 1.0, 1.0)) < 1e-9);
        assert!(image.rotation.angle_between(DQuat::from_xyzw(x, -y, -z, w)) < 1e-6);
    }
}
