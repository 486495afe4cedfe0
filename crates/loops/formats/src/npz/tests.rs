//! Tests arrays against known truth, and against malformed files.

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Skeleton, Take};

use super::{
    array::{Array, bools, doubles, ints, singles, texts},
    error::NpzError,
    kimodo,
    zip::{Archive, entries},
};
use crate::{Format, ReadError, ReadSettings, SizeLimits, Source, read_take, write_take};

/// Returns the rotations that differ by joint and frame.
fn turn(frame: usize, joint: usize) -> DQuat {
    let axis = DVec3::new(0.3 + joint as f64, 1.0, 0.2 * frame as f64).normalize();
    DQuat::from_axis_angle(axis, 0.1 + 0.2 * frame as f64 + 0.05 * joint as f64)
}

/// Returns a take of moving joints, one of which slides in its parent.
fn take() -> Take {
    let joint = |name: &str, parent: Option<usize>, y: f64| Joint::new(name, parent, DVec3::new(0.01, y, 0.0));
    let mut joints = vec![
        joint("Hips", None, 0.0),
        joint("Spine", Some(0), 0.4),
        joint("Kopf \u{e4}", Some(1), 0.3),
        joint("Slider", Some(0), -0.5),
    ];
    joints[2].tip = Some(DVec3::new(0.0, 0.2, 0.0));
    let skeleton = Skeleton::new(joints).unwrap();
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for frame in 0..12 {
        for (joint, known) in skeleton.joints().iter().enumerate() {
            let along = 0.05 * frame as f64;
            translations.push(match joint {
                0 => DVec3::new(along, 1.0, 2.0 * along),
                3 => known.rest_offset + DVec3::Z * along,
                _ => known.rest_offset,
            });
            rotations.push(turn(frame, joint));
        }
    }
    Take::new("walk", skeleton, 1.0 / 60.0, translations, rotations).unwrap()
}

fn read(bytes: &[u8]) -> Result<Take, ReadError> {
    read_take(bytes, "walk", &ReadSettings::default(), &mut Vec::new()).map(|loaded| loaded.take)
}

/// Returns the take as a file.
fn written() -> Vec<u8> {
    let take = take();
    write_take(&take, &Source::for_take(&take, Format::Npz)).unwrap().bytes
}

fn fault(bytes: &[u8]) -> NpzError {
    match read(bytes) {
        Err(ReadError::Npz(error)) => error,
        other => panic!("{other:?}"),
    }
}

/// Returns a file of these arrays.
fn file(arrays: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = Archive::default();
    for (name, bytes) in arrays {
        archive.add(&format!("{name}.npy"), bytes);
    }
    archive.finish()
}

/// Returns the arrays of the smallest valid motion, with some of them replaced.
fn smallest(others: &[(&'static str, Vec<u8>)]) -> Vec<u8> {
    let identity = [0.0, 0.0, 0.0, 1.0];
    let mut arrays = vec![
        ("names", texts(&[2], &["Hips", "Head"])),
        ("parents", ints(&[2], [-1, 0].into_iter())),
        ("fps", doubles(&[], [25.0].into_iter())),
        ("positions", singles(&[3, 2, 3], (0..18).map(f64::from))),
        (
            "world_rotations",
            singles(&[3, 2, 4], (0..24).map(|index| identity[index % 4])),
        ),
    ];
    for (name, bytes) in others {
        match arrays.iter_mut().find(|(known, _)| known == name) {
            Some(array) => array.1.clone_from(bytes),
            None => arrays.push((name, bytes.clone())),
        }
    }
    arrays.retain(|(_, bytes)| !bytes.is_empty());
    file(&arrays)
}

/// A take survives writing and reading, and positions and rotations follow the documented definition: a joint is at its parent's
/// position plus its offset, rotated by its parent.
#[test]
fn arrays_hold_what_their_names_say() {
    let (take, bytes) = (take(), written());
    let all = entries(&bytes).unwrap();
    let numbers = |name: &'static str| {
        let entry = all.iter().find(|entry| entry.name == format!("{name}.npy")).unwrap();
        let unpacked = entry.unpacked(bytes.len(), &SizeLimits::default()).unwrap();
        let array = Array::read(name, unpacked).unwrap();
        (array.any_numbers().unwrap(), array.shape)
    };
    let (positions, shape) = numbers("positions");
    assert_eq!(shape, [12, 4, 3]);
    let (world, shape) = numbers("world_rotations");
    assert_eq!(shape, [12, 4, 4]);
    let (local, _) = numbers("local_rotations");
    assert_eq!(numbers("parents").0, [-1.0, 0.0, 1.0, 0.0]);
    assert_eq!((Format::detect(&bytes), &bytes), (Some(Format::Npz), &written()));
    let again = read(&bytes).unwrap();
    assert!((again.frame_time_secs() - take.frame_time_secs()).abs() < 1e-15);
    assert_eq!(again.skeleton(), take.skeleton());
    // Only the sliding joint leaves its offset.
    assert!(again.translations(11)[3].distance(again.translations(0)[3]) > 0.5);
    let read = again.world_tracks();
    assert!((numbers("fps").0[0] - 60.0).abs() < 1e-12);
    assert!(numbers("tips").0[..6].iter().all(|number| number.is_nan()));
    let known = take.world_tracks();
    let quat = |numbers: &[f64], at: usize| DQuat::from_slice(&numbers[4 * at..]);
    for frame in 0..12 {
        for joint in 0..4 {
            let at = 4 * frame + joint;
            let off = DVec3::from_slice(&positions[3 * at..]).distance(known.position(frame, joint));
            assert!(off < 1e-6, "{off}");
            // The order is x, y, z, w.
            let is = |one: DQuat, other: DQuat| one.normalize().dot(other).abs() > 1.0 - 1e-12;
            assert!(read.position(frame, joint).distance(known.position(frame, joint)) < 1e-6);
            assert!(
                is(read.rotation(frame, joint), known.rotation(frame, joint)),
                "{frame} {joint}"
            );
            assert!(joint != 1 || again.translations(frame)[1] == take.skeleton().joint(1).rest_offset);
            assert!(is(quat(&world, at), known.rotation(frame, joint)) && is(quat(&local, at), turn(frame, joint)));
            if frame > 0 {
                assert!(quat(&world, at).dot(quat(&world, at - 4)) > 0.0);
            }
        }
    }
}

/// A motion of Kimodo made of known bones and rotations.
#[test]
fn the_layout_of_kimodo_is_read() {
    let parents: Vec<Option<usize>> = kimodo::JOINTS.iter().map(|(_, above)| *above).collect();
    let bone = |joint: usize| DVec3::new(0.02 * (joint % 5) as f64, 0.1 + 0.01 * joint as f64, -0.03);
    let (mut positions, mut rotations) = (Vec::<DVec3>::new(), Vec::<DQuat>::new());
    for frame in 0..7 {
        let first = positions.len();
        for (joint, parent) in parents.iter().enumerate() {
            let local = turn(frame, joint);
            let (position, rotation) = match parent {
                Some(parent) => {
                    let above = rotations[first + parent];
                    (positions[first + parent] + above * bone(joint), above * local)
                }
                None => (DVec3::new(0.1 * frame as f64, 0.9, 0.0), local),
            };
            positions.push(position);
            rotations.push(rotation);
        }
    }
    // Row-major order, as in NumPy.
    let matrices = rotations
        .iter()
        .flat_map(|rotation| glam::DMat3::from_quat(*rotation).transpose().to_cols_array());
    let bytes = file(&[
        (
            "posed_joints",
            singles(&[7, 30, 3], positions.iter().flat_map(DVec3::to_array)),
        ),
        ("global_rot_mats", singles(&[7, 30, 3, 3], matrices)),
        ("foot_contacts", bools(&[7, 4], core::iter::repeat_n(true, 28))),
    ]);
    let take = read(&bytes).unwrap();
    assert_eq!((take.num_joints(), take.num_frames()), (30, 7));
    assert!((take.frame_rate_hz() - 30.0).abs() < 1e-12);
    let world = take.world_tracks();
    for (joint, known) in take.skeleton().joints().iter().enumerate() {
        assert_eq!(
            (known.name.as_str(), known.parent),
            (kimodo::JOINTS[joint].0, parents[joint])
        );
        if known.parent.is_some() {
            assert!(known.rest_offset.distance(bone(joint)) < 1e-6);
        }
        for frame in 0..7 {
            let at = 30 * frame + joint;
            assert!(world.position(frame, joint).distance(positions[at]) < 3e-6);
            assert!(world.rotation(frame, joint).dot(rotations[at]).abs() > 1.0 - 1e-11);
        }
    }
    let wrong = file(&[
        ("posed_joints", singles(&[1, 22, 3], core::iter::repeat_n(0.0, 66))),
        (
            "global_rot_mats",
            singles(&[1, 22, 3, 3], core::iter::repeat_n(0.0, 198)),
        ),
    ]);
    assert!(matches!(fault(&wrong), NpzError::Shape { .. }));
}

#[test]
fn what_is_wrong_is_said() {
    assert!(read(&smallest(&[])).is_ok());
    let with = |name: &'static str, bytes: Vec<u8>| fault(&smallest(&[(name, bytes)]));
    let zeros = |shape: &[usize]| singles(shape, core::iter::repeat_n(0.0, shape.iter().product()));
    #[rustfmt::skip]
    let headers = [
        ("names", "'descr': '|O', 'fortran_order': False, 'shape': (2,)", 16, "Python objects"),
        ("names", "'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)", 8, "of the kind several fields"),
        ("positions", "'descr': '>f4', 'fortran_order': False, 'shape': (3, 2, 3)", 72, "of the kind >f4"),
        ("positions", "'descr': '<f4', 'fortran_order': True, 'shape': (3, 2, 3)", 72, "the order of Fortran"),
        ("positions", "'descr': '<f4', 'fortran_order': False, 'shape': (3, 2, 3)", 71, "damaged: it has other bytes"),
        ("positions", "'descr': '<f4', 'fortran_order': False, 'shape': (18446744073709551615, 2, 3)", 72,
            "damaged: it has other bytes"),
    ];
    for (name, header, elements, said) in headers {
        let header = format!("{{{header}, }}\n");
        let length = (header.len() as u16).to_le_bytes();
        let array = [b"\x93NUMPY\x01\x00", &length[..], header.as_bytes(), &vec![0; elements]].concat();
        let found = with(name, array).to_string();
        assert!(found.contains(said), "{found}");
    }
    for (name, array, said) in [
        ("positions", b"no array".to_vec(), "damaged: it is no array of NumPy"),
        ("positions", zeros(&[3, 3, 3]), "has the shape [3, 3, 3]"),
        ("positions", zeros(&[3, 2]), "has the shape [3, 2]"),
        ("world_rotations", zeros(&[2, 2, 4]), "has the shape [2, 2, 4]"),
        ("fps", zeros(&[2]), "has the shape [2]"),
        ("names", zeros(&[2]), "of the kind <f4, expected text"),
        ("names", texts(&[2], &["Hips", "Hips"]), "two joints are named \"Hips\""),
    ] {
        let found = with(name, array).to_string();
        assert!(found.contains(said), "{found}");
    }
    assert_eq!(with("parents", Vec::new()), NpzError::NoArray { name: "parents" });
    let nan = singles(&[3, 2, 3], (0..18).map(|index| if index == 7 { f64::NAN } else { 0.0 }));
    let name = "positions".to_owned();
    assert_eq!(with("positions", nan), NpzError::OutOfRange { name, element: 7 });
    assert_eq!(
        fault(&file(&[("poses", zeros(&[2, 156])), ("trans", zeros(&[2, 3]))])),
        NpzError::Amass
    );
    let names = vec!["a".to_owned()];
    assert_eq!(fault(&file(&[("a", zeros(&[1]))])), NpzError::Unknown { names });
    assert!(matches!(fault(b"PK\x03\x04 and no more"), NpzError::Archive { .. }));

    // Arrays that do not form a skeleton or a take.
    for (parents, fps) in [
        ([-1, 1], 25.0),
        ([-1, -1], 25.0),
        ([1, -1], 25.0),
        ([-1, 0], 0.0),
        ([-1, 0], f64::MIN_POSITIVE),
    ] {
        let parents = ints(&[2], parents.into_iter());
        let bytes = smallest(&[("parents", parents), ("fps", doubles(&[], [fps].into_iter()))]);
        let error = read(&bytes).unwrap_err();
        assert!(matches!(error, ReadError::Skeleton(_) | ReadError::Take(_)), "{error}");
    }
    let still = smallest(&[("positions", zeros(&[0, 2, 3])), ("world_rotations", zeros(&[0, 2, 4]))]);
    assert!(matches!(read(&still), Err(ReadError::Take(_))));
    assert!(matches!(
        with("world_rotations", zeros(&[3, 2, 4])),
        NpzError::NoRotation { .. }
    ));
    let scaled = file(&[
        ("posed_joints", zeros(&[1, 30, 3])),
        (
            "global_rot_mats",
            singles(&[1, 30, 3, 3], core::iter::repeat_n(0.5, 270)),
        ),
    ]);
    assert!(matches!(fault(&scaled), NpzError::NoRotation { .. }));
    let deep: Vec<String> = (0..600).map(|joint| format!("j{joint}")).collect();
    let deep: Vec<&str> = deep.iter().map(String::as_str).collect();
    let chain = smallest(&[
        ("names", texts(&[600], &deep)),
        ("parents", ints(&[600], -1..599)),
        ("positions", zeros(&[1, 600, 3])),
        (
            "world_rotations",
            singles(&[1, 600, 4], core::iter::repeat_n(0.5, 2400)),
        ),
    ]);
    assert!(matches!(fault(&chain), NpzError::TooDeep { .. }));
}

#[test]
fn memory_is_limited() {
    let bytes = written();
    let settings = ReadSettings {
        limits: SizeLimits {
            max_memory_bytes: 1 << 12,
            ..SizeLimits::default()
        },
        ..ReadSettings::default()
    };
    let refused = read_take(&bytes, "walk", &settings, &mut Vec::new());
    assert!(matches!(refused, Err(ReadError::Memory(_))), "{refused:?}");
}
