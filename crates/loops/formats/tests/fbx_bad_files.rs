//! FBX that is truncated, altered, without motion or out of proportion: an error, never a panic.
//!
//! All files are made here, by hand as text or by the writer.

use glam::{DQuat, DVec3};
use loopwright_core::{Joint, Skeleton, Take};
use loopwright_formats::{
    AnimationChoice, AnimationError, FbxError, FileWarning, Format, LoadedTake, ReadError, ReadSettings, SpaceWarning,
    read_take,
};

use crate::support::{self, skeleton, take_of};

/// Ticks of a second.
const SECOND: i64 = 46_186_158_000;

fn read(bytes: &[u8]) -> Result<(LoadedTake, Vec<FileWarning>), ReadError> {
    support::read(bytes, AnimationChoice::Auto)
}

fn warnings(bytes: &[u8]) -> Vec<FileWarning> {
    read(bytes).unwrap().1
}

/// Returns a bone, with properties.
fn model(id: i32, name: &str, entries: &str) -> String {
    format!(
        "Model: {id}, \"Model::{name}\", \"LimbNode\" {{\n Version: 232\n Properties70: {{\n{entries}\n}}\n}}\n\
         NodeAttribute: {}, \"NodeAttribute::{name}\", \"LimbNode\" {{\n TypeFlags: \"Skeleton\"\n}}\n",
        id + 10
    )
}

fn fault(bytes: &[u8]) -> FbxError {
    match read(bytes) {
        Err(ReadError::Fbx(error)) => error,
        other => panic!("{other:?}"),
    }
}

fn chain(num_joints: usize, num_frames: usize) -> Take {
    let joints = (0..num_joints).map(|at| Joint::new(format!("j{at}"), at.checked_sub(1), DVec3::Y * 0.1));
    let skeleton = Skeleton::new(joints.collect()).unwrap();
    take_of(&skeleton, 0.1, num_frames, |frame, _| {
        (DVec3::new(0.0, 0.1, 0.01 * frame as f64), DQuat::IDENTITY)
    })
}

fn written(take: &Take) -> Vec<u8> {
    support::written(take, Format::Fbx)
}

/// Returns a text file: one bone that moves along X between two keys, with optional settings, properties of the bone, and
/// records.
fn text(settings: &str, bone: &str, stop: i64, more: &str) -> Vec<u8> {
    format!(
        r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {{
	FBXHeaderVersion: 1003
	FBXVersion: 7400
}}
GlobalSettings:  {{
	Version: 1000
	Properties70:  {{
		P: "UpAxis", "int", "Integer", "",1
		P: "UpAxisSign", "int", "Integer", "",1
		P: "FrontAxis", "int", "Integer", "",2
		P: "FrontAxisSign", "int", "Integer", "",1
		P: "CoordAxis", "int", "Integer", "",0
		{settings}
	}}
}}
Objects:  {{
	Model: 10, "Model::Hips", "LimbNode" {{
		Version: 232
		Properties70:  {{
			{bone}
		}}
	}}
	NodeAttribute: 20, "NodeAttribute::Hips", "LimbNode" {{
		TypeFlags: "Skeleton"
	}}
	AnimationStack: 100, "AnimStack::Walk", "" {{
		Properties70:  {{
			P: "LocalStart", "KTime", "Time", "",0
			P: "LocalStop", "KTime", "Time", "",{stop}
		}}
	}}
	AnimationLayer: 101, "AnimLayer::Base", "" {{
	}}
	AnimationCurveNode: 102, "AnimCurveNode::T", "" {{
		Properties70:  {{
			P: "d|X", "Number", "", "A",0
		}}
	}}
	AnimationCurve: 103, "AnimCurve::", "" {{
		Default: 0
		KeyVer: 4008
		KeyTime: *2 {{
			a: 0,{SECOND}
		}}
		KeyValueFloat: *2 {{
			a: 0,50
		}}
		KeyAttrFlags: *1 {{
			a: 4
		}}
		KeyAttrDataFloat: *4 {{
			a: 0,0,0,0
		}}
		KeyAttrRefCount: *1 {{
			a: 2
		}}
	}}
	{more}
}}
Connections:  {{
	C: "OO",10,0
	C: "OO",101,100
	C: "OO",102,101
	C: "OP",102,10, "Lcl Translation"
	C: "OP",103,102, "d|X"
	C: "OO",11,0
	C: "OO",12,10
	C: "OO",13,10
	C: "OO",20,10
	C: "OO",21,11
	C: "OO",22,12
	C: "OO",23,13
}}
"#
    )
    .into_bytes()
}

const RIGHT_HANDED: &str = r#"P: "CoordAxisSign", "int", "Integer", "",1
		P: "TimeMode", "enum", "", "",6"#;

fn plain() -> Vec<u8> {
    text(RIGHT_HANDED, "", SECOND, "")
}

#[test]
fn a_file_made_by_hand_is_a_take() {
    let (LoadedTake { take, source, .. }, warnings) = read(&plain()).unwrap();
    assert_eq!((take.num_joints(), take.num_frames()), (1, 31));
    assert_eq!((take.name(), take.skeleton().joint(0).name.as_str()), ("Walk", "Hips"));
    assert!(take.translations(30)[0].distance(DVec3::X * 0.5) < 1e-12);
    assert!(take.translations(15)[0].distance(DVec3::X * 0.25) < 1e-12);
    assert_eq!(source.space().unit_metres, 0.01);
    assert_eq!(warnings, []);
}

#[test]
fn files_that_are_cut_off_are_errors() {
    let bytes = written(&chain(3, 4));
    // Nothing after the last record is needed.
    let num_errors = (0..bytes.len()).filter(|&length| read(&bytes[..length]).is_err());
    assert!(num_errors.count() > bytes.len() / 2);
    for length in 27..200 {
        assert_eq!(fault(&bytes[..length]), FbxError::CutOff, "{length}");
    }
}

#[test]
fn every_fault_is_reported() {
    let edited = |from: &str, to: &str| String::from_utf8(plain()).unwrap().replace(from, to);
    assert_eq!(read(b"").unwrap_err(), ReadError::Empty);
    let malformed = fault(b"; FBX 7.4.0 project file\nObjects: {\n\tModel: \"\n");
    assert!(matches!(malformed, FbxError::Malformed { .. } | FbxError::CutOff));
    let mut future = written(&chain(2, 2));
    future[23..27].copy_from_slice(&9000_u32.to_le_bytes());
    let camera = edited("LimbNode", "Camera").replace("Skeleton", "Camera").into_bytes();
    let no_keys = edited("C: \"OP\",103,102", "C: \"OP\",103,999").into_bytes();
    let far = edited("a: 0,50", "a: 1e15,50").into_bytes();
    let (joint, frame) = ("Hips".to_owned(), 0);
    for (file, expected) in [
        (future, FbxError::Version),
        (written(&chain(600, 2)), FbxError::TooDeep { limit: 513 }),
        (camera, FbxError::NoSkeleton),
        (no_keys, FbxError::NoAnimation),
        (far, FbxError::OutOfRange { joint, frame }),
    ] {
        assert_eq!(fault(&file), expected);
    }
    let no_such = AnimationError::NoSuch {
        wanted: "run".to_owned(),
        near: vec!["Walk".to_owned()],
        count: 1,
    };
    let error = support::read(&plain(), AnimationChoice::Given("run")).unwrap_err();
    assert_eq!(error, ReadError::Animation(no_such));
    let error = read(&text(RIGHT_HANDED, "", 100_000_000 * SECOND, "")).unwrap_err();
    assert!(matches!(error, ReadError::Memory(_)), "{error}");
    let rate = r#"P: "CoordAxisSign", "int", "Integer", "",1
		P: "TimeMode", "enum", "", "",14
		P: "CustomFrameRate", "double", "Number", "",1e9"#;
    assert!(matches!(fault(&text(rate, "", SECOND, "")), FbxError::FrameRate { .. }));
}

#[test]
fn what_is_odd_is_warned_of() {
    let shorter = FileWarning::AnimationShorter {
        keys_end_secs: 1.0,
        stated_secs: 3.0,
    };
    let left_handed = RIGHT_HANDED.replacen(",1", ",-1", 1);
    let up = loopwright_formats::Up::Y;
    let (name, joint) = ("Leg".to_owned(), "Leg".to_owned());
    let (numbered, varies) = (FileWarning::NamesNumbered { name, count: 2 }, false);
    let scaled = FileWarning::ScaledJoints {
        joint,
        count: 1,
        varies,
    };
    let scale = r#"P: "Lcl Scaling", "Lcl Scaling", "", "A",2,2,2"#;
    let twins = model(12, "Leg", scale) + &model(13, "Leg", "");
    // An animation without keys is no choice.
    let second = r#"AnimationStack: 200, "AnimStack::Run", "" {
		Properties70:  {
			P: "LocalStop", "KTime", "Time", "",1
		}
	}"#;
    for (file, expected) in [
        (text(RIGHT_HANDED, "", 3 * SECOND, ""), vec![shorter]),
        (
            text(&left_handed, "", SECOND, ""),
            vec![SpaceWarning::LeftHandedAxes { up }.into()],
        ),
        (text(RIGHT_HANDED, "", SECOND, &twins), vec![numbered, scaled]),
        (text(RIGHT_HANDED, "", SECOND, second), vec![]),
    ] {
        assert_eq!(warnings(&file), expected);
    }
    assert_eq!(
        read(&text(RIGHT_HANDED, "", SECOND, second))
            .unwrap()
            .0
            .take
            .num_frames(),
        31
    );
}

#[test]
fn of_several_skeletons_one_is_chosen() {
    let two = text(RIGHT_HANDED, "", SECOND, &model(11, "Other", ""));
    let names = || ["Hips", "Other"].map(str::to_owned).to_vec();
    let others = |taken: &str| FileWarning::OtherSkeletons {
        taken: taken.to_owned(),
        names: names(),
        count: 1,
    };
    assert_eq!(warnings(&two), [others("Hips")]);
    let read_of = |skin: &str| {
        let settings = ReadSettings {
            skin: Some(skin),
            ..ReadSettings::default()
        };
        let mut warnings = Vec::new();
        let read = read_take(&two, "two", &settings, &mut warnings);
        read.map(|loaded| (loaded.take.skeleton().joint(0).name.clone(), warnings))
    };
    for (skin, name) in [("Hips", "Hips"), ("0", "Hips"), ("Other", "Other"), ("1", "Other")] {
        let (read, warnings) = read_of(skin).unwrap();
        assert_eq!(read, name, "{skin}");
        let are_others = |warning: &FileWarning| matches!(warning, FileWarning::OtherSkeletons { .. });
        assert!(!warnings.iter().any(are_others), "{skin}: {warnings:?}");
    }
    let (wanted, names) = ("Wing".to_owned(), names());
    assert_eq!(read_of("Wing"), Err(FbxError::NoSuchSkeleton { wanted, names }.into()));
}

/// Legs and a spine of a body of that height in metres; it walks a little.
fn body(height: f64) -> Take {
    let at = |x: f64, y: f64| height * DVec3::new(x, y, 0.0);
    let skeleton = skeleton(&[
        ("Hips", None, at(0.0, 0.52)),
        ("LeftUpLeg", Some(0), at(0.05, 0.0)),
        ("LeftLeg", Some(1), at(0.0, -0.24)),
        ("LeftFoot", Some(2), at(0.0, -0.24)),
        ("RightUpLeg", Some(0), at(-0.05, 0.0)),
        ("RightLeg", Some(4), at(0.0, -0.24)),
        ("RightFoot", Some(5), at(0.0, -0.24)),
        ("Spine", Some(0), at(0.0, 0.15)),
        ("Head", Some(7), at(0.0, 0.2)),
    ]);
    take_of(&skeleton, 1.0 / 30.0, 31, |frame, joint| {
        let ahead = if joint == 0 { 0.01 * frame as f64 * height } else { 0.0 };
        let turn = DQuat::from_rotation_x(0.01 * frame as f64);
        (skeleton.joint(joint).rest_offset + DVec3::Z * ahead, turn)
    })
}

#[test]
fn implausible_sizes_are_reported() {
    let read_sized = |height: f64| read(&written(&body(height))).unwrap();
    let (loaded, warnings) = read_sized(1.7);
    assert_eq!(warnings, []);
    assert_eq!(loaded.source.space().unit_metres, 0.01);
    // So many units of a centimetre that they must be millimetres.
    let (loaded, warnings) = read_sized(17.0);
    let [
        FileWarning::Space(SpaceWarning::UnitOverruled {
            stated_metres,
            unit_metres,
            ..
        }),
    ] = warnings.as_slice()
    else {
        panic!("{warnings:?}");
    };
    assert_eq!(*stated_metres, 0.01);
    assert_eq!(*unit_metres, loaded.source.space().unit_metres);
    // Between a person in centimetres and one in inches.
    let (_, warnings) = read_sized(0.43);
    let is_unusual = matches!(
        warnings.as_slice(),
        [FileWarning::Space(SpaceWarning::SizeUnusual { .. })]
    );
    assert!(is_unusual, "{warnings:?}");
}

/// Returns the file with other keys on its one curve: times in ticks, and values.
fn keyed(times: &[i64], values: &[f32], more: &str) -> Vec<u8> {
    let list = |numbers: Vec<String>| format!("*{} {{\n a: {}\n}}", numbers.len(), numbers.join(","));
    let stop = times[times.len() - 1];
    let plain_times = format!("KeyTime: *2 {{\n\t\t\ta: 0,{SECOND}\n\t\t}}");
    let plain_values = "KeyValueFloat: *2 {\n\t\t\ta: 0,50\n\t\t}";
    let [times_list, values_list] = [
        list(times.iter().map(ToString::to_string).collect()),
        list(values.iter().map(ToString::to_string).collect()),
    ];
    let text = String::from_utf8(text(RIGHT_HANDED, "", stop, more)).unwrap();
    text.replace(&plain_times, &format!("KeyTime: {times_list}"))
        .replace(plain_values, &format!("KeyValueFloat: {values_list}"))
        .replace("a: 2\n", &format!("a: {}\n", times.len()))
        .into_bytes()
}

#[test]
fn keys_off_the_frames_are_reported() {
    let values: Vec<f32> = (0..21).map(|key| key as f32).collect();
    // 60 keys a second in a file of 30 frames.
    let times: Vec<i64> = (0..21).map(|key| key * SECOND / 60).collect();
    let (loaded, warnings) = read(&keyed(&times, &values, "")).unwrap();
    let (keys_hz, scene_hz) = (60.0, 30.0);
    assert_eq!(warnings, [FileWarning::KeyRate { keys_hz, scene_hz }]);
    assert_eq!(loaded.take.num_frames(), 21);
    // Uneven ones.
    let times: Vec<i64> = (0..21).map(|key| (key * key + 3 * key) * SECOND / 100).collect();
    let (_, warnings) = read(&keyed(&times, &values, "")).unwrap();
    let (animation, rate_hz) = ("Walk".to_owned(), 30.0);
    assert_eq!(warnings, [FileWarning::KeysOffGrid { animation, rate_hz }]);
    // Far apart, but on frames.
    let times: Vec<i64> = (0..21).map(|key| (key * key + 3 * key) * SECOND / 30).collect();
    assert_eq!(read(&keyed(&times, &values, "")).unwrap().1, []);
}

#[test]
fn other_animated_nodes_are_reported() {
    let prop = r#"Model: 13, "Model::Prop", "Mesh" {
		Version: 232
	}"#;
    let text = String::from_utf8(text(RIGHT_HANDED, "", SECOND, prop)).unwrap();
    let warnings = |connection: &str| {
        let more = format!("C: \"OP\",103,102, \"d|X\"\n\tC: \"OP\",102,13, \"{connection}\"\n\tC: \"OO\",13,0\n");
        let text = text.replace("C: \"OP\",103,102, \"d|X\"\n", &more);
        read(text.as_bytes()).unwrap().1
    };
    assert_eq!(warnings("Lcl Translation"), [FileWarning::NodesLeftOut { count: 1 }]);
    assert_eq!(warnings("Visibility"), [FileWarning::ChannelsLeftOut { count: 1 }]);
}

/// Returns a bone that hangs 40 cm below the hips, and the pose in which a skin was bound to the hips, and to the leg where it
/// is given.
fn bound(leg: Option<&str>) -> Vec<u8> {
    let node = |id: i32, matrix: &str| format!("PoseNode: {{\n Node: {id}\n Matrix: *16 {{\n a: {matrix}\n}}\n}}\n");
    let leg_model = model(12, "Leg", r#"P: "Lcl Translation", "Lcl Translation", "", "A",0,-40,0"#);
    // A quarter turn about +Y, a metre above the ground.
    let hips = node(10, "0,0,-1,0,0,1,0,0,1,0,0,0,0,100,0,1");
    let leg = leg.map(|matrix| node(12, matrix)).unwrap_or_default();
    let pose = format!(
        "Pose: 300, \"Pose::Skin\", \"BindPose\" {{\n Type: \"BindPose\"\n Version: 100\n NbPoseNodes: 2\n{hips}{leg}}}\n"
    );
    text(RIGHT_HANDED, "", SECOND, &(leg_model + &pose))
}

#[test]
fn the_pose_in_which_a_skin_was_bound_is_the_rest() {
    let quarter = DQuat::from_rotation_y(core::f64::consts::FRAC_PI_2);
    // The leg turned by a quarter about +X in the world: Y to Z, Z to -Y, 40 cm below the hips.
    let turned = "1,0,0,0,0,0,1,0,0,-1,0,0,0,60,0,1";
    let bent = quarter.conjugate() * DQuat::from_rotation_x(core::f64::consts::FRAC_PI_2);
    for (leg, local) in [(None, DQuat::IDENTITY), (Some(turned), bent)] {
        let (LoadedTake { take, source, .. }, _) = read(&bound(leg)).unwrap();
        let rest = source.rest(take.skeleton());
        let [hips, leg] = ["Hips", "Leg"].map(|name| take.skeleton().find(name).unwrap());
        for (joint, turn) in [(hips, quarter), (leg, local)] {
            let found = rest.rotations[joint];
            assert!(found.angle_between(turn) < 1e-9, "{found}");
        }
        assert!((rest.translations[hips] - DVec3::new(0.0, 1.0, 0.0)).length() < 1e-9);
        assert!((rest.translations[leg] - DVec3::new(0.0, -0.4, 0.0)).length() < 1e-9);
    }
    // Without such a pose it is that of the nodes.
    let (LoadedTake { take, source, .. }, _) = read(&plain()).unwrap();
    assert_eq!(source.rest(take.skeleton()).rotations[0], DQuat::IDENTITY);
    // A mirrored matrix is no rotation.
    let mirrored = "-1,0,0,0,0,1,0,0,0,0,1,0,0,60,0,1";
    let (LoadedTake { take, source, .. }, _) = read(&bound(Some(mirrored))).unwrap();
    let leg = take.skeleton().find("Leg").unwrap();
    assert!(source.rest(take.skeleton()).rotations[leg].angle_between(DQuat::IDENTITY) < 1e-9);
}
