//! BVH files whose poses are read one after the other: what is found in them is what is found in the whole take, to the last bit.

use std::io::Cursor;

use glam::{DQuat, DVec3};
use loopwright_core::analysis::{BodyError, Survey, Surveyor, TakeSample, probe_stride};
use loopwright_core::{Analysis, BodyOverrides, Take, take::TakeError};
use loopwright_formats::{Format, PlainBvh, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice, read_take};
use loopwright_mocap::folder_or_skip;
use loopwright_synth::{WalkSettings, random_settings, synthesize};

use crate::support::{skeleton, take_of, written};

/// Reads the contents of a file pose by pose; `None` if it is not plain.
fn surveyed(bytes: &[u8], settings: &ReadSettings<'_>, overrides: &BodyOverrides) -> Option<Survey> {
    let (mut soft, mut of_whole) = (Vec::new(), Vec::new());
    let mut bvh = PlainBvh::open(Cursor::new(bytes), "t", settings, &mut soft)?;
    let whole = read_take(bytes, "t", settings, &mut of_whole).unwrap();
    assert_eq!(soft, of_whole);
    assert_eq!(Source::Bvh(bvh.source().clone()), whole.source);
    let sample = bvh.sample().clone();
    assert_eq!(sample.num_frames, whole.take.num_frames());
    let mut surveyor = Surveyor::new(&sample, overrides).unwrap();
    bvh.for_each_pose(|translations, rotations| surveyor.push(translations, rotations).is_ok())
        .unwrap();
    let survey = surveyor.survey().unwrap();
    assert!(survey == Survey::from(Analysis::with(&whole.take, overrides).unwrap()));
    Some(survey)
}

/// Returns the contents of a take written as BVH.
fn surveyed_take(take: &Take) -> Survey {
    let bytes = written(take, Format::Bvh);
    surveyed(&bytes, &ReadSettings::default(), &BodyOverrides::default()).unwrap()
}

fn walk() -> Take {
    let settings = WalkSettings::default().seconds(3.0);
    synthesize(&settings).unwrap().take
}

#[test]
fn poses_one_by_one_tell_what_the_whole_take_tells() {
    for seed in 0..8 {
        let take = synthesize(&random_settings(seed)).unwrap().take;
        let survey = surveyed_take(&take);
        assert!(!survey.contacts.spans().is_empty(), "{seed}");
    }
}

#[test]
fn so_they_do_in_other_axes_and_units_and_with_joints_of_the_users_choice() {
    let bytes = written(&walk(), Format::Bvh);
    let settings = ReadSettings::in_space(SpaceSettings::new(UpChoice::Z, UnitChoice::Metres(0.02)));
    let overrides = BodyOverrides {
        weights: vec![("*Arm*".to_owned(), 0.7), ("Head".to_owned(), 0.0)],
        ..BodyOverrides::default()
    };
    let survey = surveyed(&bytes, &settings, &overrides).unwrap();
    assert!(survey.joints.iter().any(|joint| joint.weight == 0.7));
}

#[test]
fn jumps_frozen_frames_and_flipping_joints_are_found_pose_by_pose() {
    let take = walk();
    let (num_frames, wrist) = (take.num_frames(), take.num_joints() - 1);
    let broken = take_of(take.skeleton(), take.frame_time_secs(), num_frames, |frame, joint| {
        let pose = take.pose(if frame == 40 { 39 } else { frame });
        let (mut at, mut turn) = (pose.translations[joint], pose.rotations[joint]);
        if frame == 100 && joint == 0 {
            at.x += 0.9;
        }
        if frame % 50 == 25 && joint == wrist {
            turn *= DQuat::from_rotation_x(2.5);
        }
        (at, turn)
    });
    let survey = surveyed_take(&broken);
    assert!(!survey.defects.jumps.is_empty() && !survey.defects.flipping.is_empty());
    assert!(survey.defects.bad_frames.iter().any(|bad| bad.frame == 40));
}

#[test]
fn bodies_without_feet_and_takes_of_a_few_frames_are_surveyed_too() {
    let names = ["bone0", "bone1", "bone2", "bone3", "bone4", "bone5"];
    let rows = [0, 1, 2, 3, 4, 5].map(|at: usize| (names[at], at.checked_sub(1), DVec3::Z * 0.3));
    let fish = skeleton(&rows);
    for num_frames in [1, 2, 3, 4, 65, 150] {
        let take = take_of(&fish, 1.0 / 30.0, num_frames, |frame, at| {
            let t = frame as f64 * 0.1;
            let turn = DQuat::from_rotation_y(0.2 * (t - at as f64).sin());
            (DVec3::Z * if at == 0 { t } else { 0.3 }, turn)
        });
        assert_eq!(surveyed_take(&take).contacts.num_feet(), 0);
    }
}

#[test]
fn whatever_is_not_plain_is_left_to_the_reader_of_whole_files() {
    let plain = String::from_utf8(written(&walk(), Format::Bvh)).unwrap();
    let is_plain =
        |text: &str| surveyed(text.as_bytes(), &ReadSettings::default(), &BodyOverrides::default()).is_some();
    assert!(is_plain(&plain));
    assert!(is_plain(&plain.replace('\n', "\r\n\r\n")));
    assert!(is_plain(&format!("\u{FEFF}{plain}\n \t\n")));
    let row = plain.trim_end().rsplit('\n').next().unwrap();
    for other in [
        // Too many rows, too few, parts of rows, rows in pieces, text after them.
        format!("{plain}{row}\n"),
        plain.trim_end().strip_suffix(row).unwrap().to_owned(),
        plain.trim_end().rsplit_once(' ').unwrap().0.to_owned(),
        plain.replacen(row, &row.replacen(' ', "\n", 1), 1),
        format!("{plain}the end"),
        plain.replacen(row, &row.replacen(' ', " NaN ", 1), 1),
        // Line ends of old Macs; an odd keyword; other kinds of files; nothing.
        plain.replace('\n', "\r"),
        plain.replace("Frame Time:", "Frames Time:"),
        plain.replace("HIERARCHY", "TREE"),
        "glTF".to_owned(),
        String::new(),
    ] {
        assert!(!is_plain(&other), "{}", &other[other.len().saturating_sub(200)..]);
    }
}

#[test]
fn a_file_that_changes_meanwhile_is_told() {
    let bytes = written(&walk(), Format::Bvh);
    let mut file = tempfile();
    std::io::Write::write_all(&mut file, &bytes).unwrap();
    let mut bvh = PlainBvh::open(&file, "t", &ReadSettings::default(), &mut Vec::new()).unwrap();
    file.set_len(bytes.len() as u64 / 2).unwrap();
    let error = bvh.for_each_pose(|_, _| true).unwrap_err();
    assert_eq!(error.to_string(), "the file changed while it was read");
}

/// Returns a file without a name.
fn tempfile() -> std::fs::File {
    let path = std::env::temp_dir().join(format!("loopwright-changing-{}.bvh", std::process::id()));
    let mut options = std::fs::File::options();
    let file = (options.read(true).write(true).create_new(true).open(&path)).unwrap();
    std::fs::remove_file(path).unwrap();
    file
}

#[test]
fn poses_that_no_take_has_are_refused() {
    let take = walk();
    let sample = TakeSample {
        num_frames: take.num_frames(),
        middle: take.clone(),
        some: take.clone(),
    };
    let mut surveyor = Surveyor::new(&sample, &BodyOverrides::default()).unwrap();
    let (translations, rotations) = (take.translations(0), take.rotations(0));
    let short = surveyor.push(&translations[1..], rotations);
    assert!(matches!(short, Err(TakeError::WrongLength { .. })));
    surveyor.push(translations, rotations).unwrap();
    let mut odd = translations.to_vec();
    odd[2].y = f64::NAN;
    let implausible = TakeError::Implausible { frame: 1, joint: 2 };
    assert_eq!(surveyor.push(&odd, rotations), Err(implausible));
    let unknown = BodyOverrides {
        hips: Some("nobody".to_owned()),
        ..BodyOverrides::default()
    };
    let refused = Surveyor::new(&sample, &unknown);
    assert!(matches!(refused, Err(BodyError::NoSuchJoint { .. })));
    assert_eq!((probe_stride(64), probe_stride(65), probe_stride(0)), (1, 2, 1));
}

#[test]
fn captured_takes_are_surveyed_as_whole_takes_are() {
    let Some(folder) = folder_or_skip() else { return };
    let (mut plain, mut all) = (0, 0);
    for row in loopwright_mocap::manifest(&folder).unwrap() {
        if row.format == "BVH" {
            let bytes = std::fs::read(folder.join(&row.file)).unwrap();
            let survey = surveyed(&bytes, &ReadSettings::default(), &BodyOverrides::default());
            plain += usize::from(survey.is_some());
            all += 1;
        }
    }
    // Others have odd hierarchies, or more rows than they declare.
    assert!(2 * plain > all, "{plain} of {all}");
}
