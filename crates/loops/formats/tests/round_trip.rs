//! Motion is unchanged after writing and reading.

use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};
use loopwright_core::{
    Joint, LoopClip, RootMode, RootMotion, Skeleton, Take,
    math::{Rigid, Twist, rotation},
    take::Tail,
};
use loopwright_formats::{
    AnimationChoice, BvhWarning, ClosingKey, FileWarning, Format, LoadedTake, LoopWriteSettings, ReadSettings, Source,
    SpaceSettings, UnitChoice, Up, UpChoice, WrittenFile,
    bvh::{ChannelKind, Hierarchy},
    load, read_take, write_loop, write_take,
};
use loopwright_mocap::folder_or_skip;

use crate::support::{self, Random, assert_keys, loop_of, take_of};

fn hierarchy(source: &Source) -> &Hierarchy {
    let Source::Bvh(source) = source else {
        panic!("a BVH file")
    };
    source.hierarchy()
}

fn read(text: &str, up: Up, unit_metres: f64) -> LoadedTake {
    let settings = SpaceSettings::new(UpChoice::Given(up), UnitChoice::Metres(unit_metres));
    let settings = ReadSettings::in_space(settings);
    read_take(text.as_bytes(), "again", &settings, &mut Vec::new()).unwrap()
}

fn text_of(written: &WrittenFile) -> &str {
    core::str::from_utf8(&written.bytes).unwrap()
}

fn read_again(text: &str, source: &Source) -> LoadedTake {
    read(text, source.space().up, source.space().unit_metres)
}

/// Largest differences: local translation (metres), rotation (radians), world position (metres).
fn differences(take: &Take, other: &Take) -> [f64; 3] {
    let mut worst = [0.0_f64; 3];
    let (world, other_world) = (take.world_tracks(), other.world_tracks());
    for frame in 0..take.num_frames() {
        for joint in 0..take.num_joints() {
            let translation = take.translations(frame)[joint] - other.translations(frame)[joint];
            let translation = translation.abs().max_element();
            let turn = rotation::difference(take.rotations(frame)[joint], other.rotations(frame)[joint]).length();
            let position = world
                .position(frame, joint)
                .distance(other_world.position(frame, joint));
            for (worst, difference) in worst.iter_mut().zip([translation, turn, position]) {
                *worst = worst.max(difference);
            }
        }
    }
    worst
}

fn assert_no_minus_zero(text: &str) {
    let is_minus_zero = |token: &str| token.starts_with('-') && token.bytes().all(|byte| b"-0.".contains(&byte));
    assert!(!text.split_whitespace().any(is_minus_zero));
}

/// Returns the values of all rows of a text that we wrote.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let rows = text.lines().skip_while(|line| !line.starts_with("Frame Time:")).skip(1);
    rows.map(|row| row.split(' ').map(|value| value.parse().unwrap()).collect())
        .collect()
}

/// Returns the rotation curves of the text never jump by half a turn or more, unless the rotation itself does.
fn largest_step_degrees(text: &str, source: &Source) -> f64 {
    let again = read_again(text, source);
    let channels = hierarchy(&again.source)
        .joints()
        .iter()
        .flat_map(|joint| &joint.channels);
    let kinds: Vec<ChannelKind> = channels.map(|channel| channel.kind).collect();
    assert!(hierarchy(source).num_channels() <= kinds.len());
    let mut largest = 0.0_f64;
    for pair in rows(text).windows(2) {
        for (column, kind) in kinds.iter().enumerate() {
            if *kind == ChannelKind::Rotation {
                largest = largest.max((pair[1][column] - pair[0][column]).abs());
            }
        }
    }
    largest
}

fn bvh_files(folder: &Path, files: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "bad") {
            bvh_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "bvh") {
            files.push(path);
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are worth seeing")]
fn real_takes_come_back() {
    let Some(folder) = folder_or_skip() else { return };
    let mut files = Vec::new();
    bvh_files(&folder, &mut files);
    assert!(files.len() >= 60);
    let mut worst = [0.0_f64; 3];
    for path in files {
        let (bytes, path) = (std::fs::read(&path).unwrap(), path.display());
        let loaded = load(&bytes, "t").unwrap();
        let written = write_take(&loaded.take, &loaded.source).unwrap();
        assert_eq!(written.warnings, [], "{path}");
        assert_no_minus_zero(text_of(&written));
        let again = read_again(text_of(&written), &loaded.source);
        assert_eq!(hierarchy(&again.source), hierarchy(&loaded.source), "{path}");
        assert_eq!(again.take.frame_time_secs(), loaded.take.frame_time_secs());
        assert_eq!(again.take.skeleton(), loaded.take.skeleton());
        let [translation, turn, position] = differences(&loaded.take, &again.take);
        let unit = loaded.source.space().unit_metres;
        let found = [translation / unit, turn.to_degrees(), position / unit];
        assert!(
            found[0] < 1e-6 && found[1] < 1e-6 && found[2] < 1e-5,
            "{path}: {found:?}"
        );
        worst = [0, 1, 2].map(|i| worst[i].max(found[i]));
    }
    eprintln!(
        "largest differences: {:e} units, {:e} degrees, world {:e} units",
        worst[0], worst[1], worst[2]
    );
}

const TWO_JOINTS: &str = "HIERARCHY
ROOT Hips
{
  OFFSET 1 2 3
  CHANNELS 6 Yrotation Xposition Zrotation Yposition Xrotation Zposition
  JOINT Chest
  {
    OFFSET 0 -4.25 0
    CHANNELS 3 Xrotation Zrotation Yrotation
    End Site
    {
      OFFSET 0 0 0.125
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.0333333
0 0 0 0 0 0 0 0 0
";

fn source(up: Up) -> Source {
    read(TWO_JOINTS, up, 0.01).source
}

fn skeleton(source: &Source) -> Skeleton {
    let joints = hierarchy(source).joints().iter();
    let joints = joints.map(|bvh| Joint::new(&bvh.name, bvh.parent, bvh.offset * 0.01));
    Skeleton::new(joints.collect()).unwrap()
}

#[test]
fn any_rotation_and_any_up_axis_comes_back() {
    let mut random = Random(11);
    for up in Up::ALL {
        let source = source(up);
        let skeleton = skeleton(&source);
        let chest = skeleton.joint(1).rest_offset;
        let take = take_of(&skeleton, 0.033_333_300_5, 500, |_, joint| {
            let at = if joint == 0 { random.vector() } else { chest };
            (at, rotation::exp(random.vector() * 3.0))
        });
        let written = write_take(&take, &source).unwrap();
        let text = text_of(&written);
        assert!(text.contains("Frame Time: 0.0333333\n"), "the source's own digits");
        assert!(text.contains("CHANNELS 6 Yrotation Xposition Zrotation Yposition Xrotation Zposition\n"));
        let again = read_again(text_of(&written), &source).take;
        let [translation, turn, _] = differences(&take, &again);
        assert!(translation < 1e-8 && turn.to_degrees() < 1e-6, "{translation} {turn}");
    }
}

#[test]
fn a_joint_that_leaves_its_offset_is_given_position_channels() {
    let source = source(Up::Y);
    let skeleton = skeleton(&source);
    let take = take_of(&skeleton, 0.1, 2, |frame, joint| {
        let aside = if frame == 0 { 0.07 } else { 0.0 };
        let at = if joint == 0 {
            DVec3::ZERO
        } else {
            DVec3::new(0.0, -0.0425, aside)
        };
        (at, DQuat::IDENTITY)
    });
    let written = write_take(&take, &source).unwrap();
    assert!(text_of(&written).contains("CHANNELS 6 Xposition Yposition Zposition Xrotation Zrotation Yrotation\n"));
    assert!(text_of(&written).contains("Frame Time: 0.1\n"));
    let [FileWarning::Bvh(BvhWarning::PositionChannelsAdded { joint, distance })] = &written.warnings[..] else {
        panic!("{:?}", written.warnings);
    };
    assert_eq!(joint, "Chest");
    assert!((distance - 7.0).abs() < 1e-9);
    assert!(differences(&take, &read_again(text_of(&written), &source).take)[0] < 1e-8);
}

/// Returns a loop that spins its chest once a cycle and moves on a turning, climbing path.
fn clip(source: &Source, mode: RootMode, carrier: usize) -> LoopClip {
    let skeleton = skeleton(source);
    let num_samples = 24;
    let take = take_of(&skeleton, 0.033_333_3, num_samples, |sample, joint| {
        let phase = sample as f64 / num_samples as f64 * core::f64::consts::TAU;
        if joint == 0 {
            let at = DVec3::new(0.02 * phase.sin(), 0.9, 0.03 * phase.cos());
            return (at, rotation::exp(DVec3::new(0.2 * phase.sin(), 0.3 * phase.cos(), 0.1)));
        }
        let turn = rotation::exp(DVec3::Z * 0.3) * rotation::exp(DVec3::Y * phase);
        (skeleton.joint(1).rest_offset, turn)
    });
    let root = RootMotion::new(
        Rigid::from_yaw(0.7, DVec3::new(1.0, 0.1, -2.0)),
        Twist::new(DVec3::new(0.1, 0.05, 1.4), DVec3::new(0.0, 2.1, 0.0)),
    );
    let clip = loop_of(&take, num_samples, carrier, root);
    if mode != RootMode::Path {
        return clip;
    }
    let sway = |sample: usize| {
        let phase = sample as f64 / num_samples as f64 * core::f64::consts::TAU;
        Rigid::from_yaw(0.2 * phase.sin(), DVec3::new(0.05 * phase.cos(), 0.0, 0.02))
    };
    clip.along((0..num_samples).map(sway).collect()).unwrap()
}

#[test]
fn loops_come_back_for_any_layout() {
    for up in Up::ALL {
        let source = source(up);
        for mode in [RootMode::Constant, RootMode::InPlace, RootMode::Keep, RootMode::Path] {
            let clip = clip(&source, mode, 0);
            for add_root in [false, true] {
                for (closing_key, copies, num_keys) in [
                    (ClosingKey::Repeat, 1, 25),
                    (ClosingKey::Drop, 1, 24),
                    (ClosingKey::Repeat, 3, 73),
                ] {
                    let settings = LoopWriteSettings {
                        closing_key,
                        copies,
                        add_root,
                        in_place: mode == RootMode::InPlace,
                        ..LoopWriteSettings::default()
                    };
                    let written = write_loop(&clip, &source, &settings).unwrap();
                    let clip = if settings.in_place {
                        clip.clone().in_place()
                    } else {
                        clip.clone()
                    };
                    assert_eq!(written.warnings, []);
                    assert_no_minus_zero(text_of(&written));
                    let again = read_again(text_of(&written), &source).take;
                    assert_eq!(again.num_frames(), num_keys);
                    // An added root is upright in the file's axes, so its child has the rotation.
                    assert_keys(&again, &clip, usize::from(add_root), [1e-7; 2]);
                    // The fastest curve turns by 15 degrees a key, the root's pitch and roll by less.
                    let step = largest_step_degrees(text_of(&written), &source);
                    assert!(step < 60.0, "{up} {mode:?} {settings:?}: {step}");
                }
            }
        }
    }
}

#[test]
fn an_added_root_carries_exactly_the_root_motion() {
    let source = source(Up::Y);
    let clip = clip(&source, RootMode::Constant, 0);
    let settings = LoopWriteSettings {
        add_root: true,
        ..LoopWriteSettings::default()
    };
    let written = write_loop(&clip, &source, &settings).unwrap();
    assert!(text_of(&written).starts_with("HIERARCHY\nROOT root\n{\n\tOFFSET 0 0 0\n\tCHANNELS 6 Xposition"));
    assert!(text_of(&written).contains("\tJOINT Hips\n"));
    let again = read_again(text_of(&written), &source).take;
    for key in 0..=24 {
        let root = clip.root().at(key as f64 * clip.step_secs());
        assert!(again.translations(key)[0].distance(root.translation) < 1e-8);
        for (found, expected) in again
            .rotations(key)
            .iter()
            .zip([root.rotation, clip.body_pose(key).rotations[0]])
        {
            let off = rotation::difference(*found, expected).length().to_degrees();
            assert!(off < 1e-6, "{off} degrees");
        }
    }
    // A second root above it takes another name.
    let clip = loop_of(&again, 24, 0, *clip.root());
    let source = read_again(text_of(&written), &source).source;
    let twice = write_loop(&clip, &source, &settings).unwrap();
    assert!(text_of(&twice).starts_with("HIERARCHY\nROOT root_motion\n"));
}

#[test]
fn a_closing_key_repeats_the_first_to_the_last_digit() {
    let source = source(Up::Y);
    let clip = clip(&source, RootMode::Constant, 0);
    for copies in [1, 4] {
        let settings = LoopWriteSettings {
            copies,
            in_place: true,
            ..LoopWriteSettings::default()
        };
        let written = write_loop(&clip, &source, &settings).unwrap();
        let rows = rows(text_of(&written));
        let (first, last) = (&rows[0], &rows[24 * copies]);
        // The chest turns once a cycle about one of its axes, and the curve does not jump back.
        let mut num_turned = 0;
        for (first, last) in first.iter().zip(last) {
            let turns = ((last - first) / 360.0).round();
            num_turned += usize::from(turns != 0.0);
            assert!((last - first - 360.0 * turns).abs() < 1e-9, "{first} {last}");
        }
        assert_eq!(num_turned, 1);
    }
}

#[test]
fn the_root_motion_stays_on_the_joint_that_had_it() {
    let positions = "CHANNELS 6 Xposition Yposition Zposition Xrotation";
    let text = TWO_JOINTS.replace("CHANNELS 3 Xrotation", positions);
    let source = read(&text.replace("0 0 0\n", "0 0 0 0 0 0\n"), Up::Z, 0.01).source;
    let clip = clip(&source, RootMode::Constant, 1);
    let written = write_loop(&clip, &source, &LoopWriteSettings::default()).unwrap();
    let again = read_again(text_of(&written), &source).take;
    let world = again.world_tracks();
    for key in [1, 24] {
        let expected = clip.world_pose(key).translations[1];
        assert!(world.position(key, 1).distance(expected) < 1e-7);
    }
    // The joint above has the same track in every cycle.
    assert!(again.translations(24)[0].distance(again.translations(0)[0]) < 1e-12);
}

/// A last key off the even frames stays where it is, whatever rate an FBX file states, or is reported.
#[test]
fn a_key_off_the_grid_comes_back_where_files_state_times() {
    let walk = support::walk();
    let at = |frame: usize, joint: usize| (walk.translations(frame)[joint], walk.rotations(frame)[joint]);
    let pose = walk.pose(20).to_pose();
    let take = take_of(walk.skeleton(), 1.0 / 24.0, 20, at);
    let take = take.with_tail(Tail { frames: 0.4, pose }).unwrap();
    let assert_kept = |bytes: &[u8], name: Option<&str>, format: Format| {
        let animation = name.map_or(AnimationChoice::Auto, AnimationChoice::Given);
        let (loaded, _) = support::read(bytes, animation).unwrap();
        let (tail, frames) = (loaded.take.tail().unwrap(), loaded.take.num_frames());
        assert_eq!(frames, 20, "{format:?}");
        assert!((tail.frames - 0.4).abs() < 1e-4, "{format:?}: {}", tail.frames);
        assert!((loaded.take.frame_rate_hz() - 24.0).abs() < 1e-4);
        for joint in loaded.take.skeleton().joints() {
            let [own, read] = [&take, &loaded.take].map(|take| take.skeleton().find(&joint.name).unwrap());
            // The bones of an avatar have axes of their own.
            if format != Format::Vrma {
                let turn = rotation::difference(walk.rotations(20)[own], tail.pose.rotations[read]).length();
                assert!(turn < 1e-6, "{format:?}: {turn} radians at {}", joint.name);
            }
        }
        loaded
    };
    for format in Format::of_characters() {
        let written = write_take(&take, &Source::for_take(&take, format)).unwrap();
        let left_out = FileWarning::LastKeyLeftOut { frames: 0.4 };
        assert_eq!(
            written.warnings.contains(&left_out),
            !format.capabilities().has_key_times,
            "{format:?}"
        );
        if !format.capabilities().has_key_times {
            continue;
        }
        let loaded = assert_kept(&written.bytes, None, format);
        let again = write_take(&loaded.take, &loaded.source).unwrap();
        assert_kept(&again.bytes, again.animation.as_deref(), format);
        if format == Format::Fbx {
            let end_of = |name: &[u8], from: usize| {
                let found = written.bytes[from..]
                    .windows(name.len())
                    .position(|bytes| bytes == name);
                from + found.unwrap() + name.len()
            };
            let number = end_of(b"I", end_of(b"enum", end_of(b"TimeMode", 0)));
            for mode in [3, 12, 6] {
                let mut stated = written.bytes.clone();
                stated[number..number + 4].copy_from_slice(&i32::to_le_bytes(mode));
                assert_kept(&stated, None, format);
            }
        }
    }
}
