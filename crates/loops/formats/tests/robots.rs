//! Robots: descriptions against MuJoCo, motion files against hand-written ones, loops against their own contact points.

use glam::{DQuat, DVec3};
use loopwright_core::{
    Analysis, LoopClip, SearchSettings, Skeleton, Take,
    feet::HingeError,
    math::Rigid,
    pipeline::{LoopSettings, MakeError},
};
use loopwright_formats::{
    Format, LoadedTake, LoopFile, ReadSettings, RobotError, Source, read_robot, read_take, write_take,
};
use loopwright_synth::{ROBOT_MJCF, WalkSettings, on_robot, synthesize};

const ODD: &str = include_str!("support/odd_robot.xml");

/// Places and rotations (w first) of the bodies of [`ODD`] by MuJoCo 4.0.0, at [`ODD_BASE`] and [`ODD_ANGLES`].
const BY_MUJOCO: [(&str, [f64; 3], [f64; 4]); 6] = [
    (
        "base",
        [0.3, -0.1, 0.9],
        [0.825136997, 0.103142125, -0.206284249, 0.515710623],
    ),
    (
        "left_thigh",
        [0.190798338, -0.021142057, 0.795171066],
        [0.561406212, 0.002597644, -0.239737694, 0.792049339],
    ),
    (
        "left_shin",
        [0.271480632, 0.094155864, 0.521057725],
        [0.474852467, -0.187153000, -0.088609425, 0.855357971],
    ),
    (
        "left_pad",
        [0.368827272, 0.128584729, 0.234983810],
        [0.153665704, -0.206172502, -0.019255527, 0.966182682],
    ),
    (
        "right_thigh",
        [0.457446809, -0.128723404, 0.817021277],
        [0.908603440, 0.197976202, -0.031792961, 0.366380157],
    ),
    (
        "right_shin",
        [0.431258394, -0.013805303, 0.541144498],
        [0.900869927, 0.233621247, -0.122492367, 0.344746441],
    ),
];
const ODD_ANGLES: [f64; 5] = [0.4, -0.1, 0.7, 0.2, -0.3];

#[test]
fn classes_that_inherit_much_are_refused() {
    let attributes: String = (0..1000).map(|number| format!("<joint a{number}=\"1\"/>")).collect();
    let classes: String = (0..1000)
        .map(|number| format!("<default class=\"c{number}\"/>"))
        .collect();
    let with = |defaults: String| SMALL.replace("<mujoco>", &format!("<mujoco><default>{defaults}</default>"));
    let inherited = read_robot(with(format!("{attributes}{classes}")).as_bytes());
    assert!(matches!(inherited, Err(RobotError::Defaults { .. })));
    // Classes beside that of many attributes do not inherit them.
    let beside = with(format!("{classes}<default class=\"all\">{attributes}</default>"));
    read_robot(beside.as_bytes()).unwrap();
}

fn biped() -> Skeleton {
    read_robot(ROBOT_MJCF.as_bytes()).unwrap()
}

fn walk(robot: &Skeleton) -> Take {
    let made = synthesize(&WalkSettings {
        frame_rate_hz: 50.0,
        seconds: 9.0,
        noise_deg: 0.2,
        speed_variation: 0.02,
        ..WalkSettings::default()
    });
    on_robot(&made.unwrap(), robot).unwrap()
}

fn read(bytes: &[u8], robot: &Skeleton) -> Result<LoadedTake, String> {
    let settings = ReadSettings {
        robot: Some(robot),
        ..ReadSettings::default()
    };
    read_take(bytes, "motion", &settings, &mut Vec::new()).map_err(|error| error.to_string())
}

/// Returns the angles of the hinges at a frame.
fn angles(take: &Take, frame: usize) -> Vec<f64> {
    let hinges = take.skeleton().hinges().unwrap().each();
    hinges
        .map(|(joint, hinge)| hinge.angle(take.rotations(frame)[joint]))
        .collect()
}

#[test]
fn bodies_are_where_mujoco_has_them() {
    let robot = read_robot(ODD.as_bytes()).unwrap();
    let hinges = robot.hinges().unwrap();
    let base = Rigid::new(
        DQuat::from_xyzw(0.1, -0.2, 0.5, 0.8).normalize(),
        DVec3::new(0.3, -0.1, 0.9),
    );
    let world = hinges.pose(&robot, base, ODD_ANGLES).as_ref().world(&robot);
    assert_eq!(hinges.links.len(), BY_MUJOCO.len());
    for (link, (name, place, [w, x, y, z])) in hinges.links.iter().zip(BY_MUJOCO) {
        let body = world.joint(link.joint) * link.at;
        assert_eq!(link.name, name);
        assert!(
            body.translation.distance(DVec3::from_array(place)) < 1e-8,
            "{name}: {body:?}"
        );
        let turned = body.rotation.dot(DQuat::from_xyzw(x, y, z, w)).abs();
        // MuJoCo's numbers have nine digits.
        assert!(turned > 1.0 - 1e-8, "{name}: {body:?} {turned}");
    }
    let limits: Vec<_> = hinges.each().map(|(_, hinge)| hinge.limits).collect();
    let [hip, twist] = [[-30.0_f64, 90.0], [-10.0, 10.0]].map(|limits| Some(limits.map(f64::to_radians)));
    assert_eq!(limits, [hip, twist, hip, hip, None]);
}

#[test]
fn a_urdf_is_the_same_robot() {
    let urdf = r#"<robot name="r"><link name="base"/>
      <link name="leg"><collision><origin xyz="0 0 -.4"/><geometry><sphere radius=".02"/></geometry></collision></link>
      <link name="imu"/>
      <joint name="fixed" type="fixed"><parent link="base"/><child link="imu"/><origin xyz="0 0 .3" rpy=".1 .2 .3"/></joint>
      <joint name="hip" type="revolute"><parent link="base"/><child link="leg"/><origin xyz=".1 .2 -.3" rpy=".3 -.2 .5"/>
        <axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="20" effort="1"/></joint></robot>"#;
    let robot = read_robot(urdf.as_bytes()).unwrap();
    let hinges = robot.hinges().unwrap();
    let (_, hip) = hinges.each().next().unwrap();
    assert_eq!((hip.limits, hip.speed), (Some([-1.0, 2.0]), Some(20.0)));
    // Fixed axes: roll, then pitch, then yaw.
    let rest = DQuat::from_rotation_z(0.5) * DQuat::from_rotation_y(-0.2) * DQuat::from_rotation_x(0.3);
    assert!(hip.rest.dot(rest).abs() > 1.0 - 1e-14);
    assert_eq!(hinges.links[1].joint, 0);
    assert_eq!(hinges.links[1].at.translation, DVec3::new(0.0, 0.0, 0.3));
}

#[test]
fn soles_come_from_shapes_and_meshes_are_refused_by_name() {
    let robot = biped();
    let soles = &robot.hinges().unwrap().soles;
    let names: Vec<&str> = soles.iter().map(|sole| &*robot.joint(sole.joint).name).collect();
    assert_eq!(names, ["left_ankle_roll_joint", "right_ankle_roll_joint"]);
    assert!(
        soles
            .iter()
            .all(|sole| sole.points.len() == 4 && sole.points.iter().all(|point| point.radius == 0.01))
    );
    let meshes = ROBOT_MJCF.replace("type=\"sphere\" size=\".01\"", "type=\"mesh\" mesh=\"m\"");
    let refused = read_robot(meshes.as_bytes()).unwrap_err();
    assert!(
        matches!(&refused, RobotError::MeshSoles { name } if name == "left_foot"),
        "{refused}"
    );
    let slides = ODD.replace(
        "<joint name=\"right_hip\"/>",
        "<joint name=\"right_hip\" type=\"slide\"/>",
    );
    assert!(matches!(read_robot(slides.as_bytes()), Err(RobotError::Kind { .. })));
    for end in (0..ODD.len()).step_by(97) {
        assert!(read_robot(&ODD.as_bytes()[..end]).is_err());
    }
}

/// A robot of two hinges whose files can be written by hand.
const SMALL: &str = r#"<mujoco><worldbody><body name="base"><freejoint/>
  <body name="l" pos="0 .1 0"><joint name="left_hip_joint" axis="0 1 0"/><geom type="sphere" size=".1" pos="0 0 -.9"/></body>
  <body name="r" pos="0 -.1 0"><joint name="right_hip_joint" axis="0 1 0"/><geom type="sphere" size=".1" pos="0 0 -.9"/></body>
</body></worldbody></mujoco>"#;

/// A quarter turn to the left, then two angles.
const HAND_CSV: &str = "1,2,1,0,0,0.70710678,0.70710678,.1,.2\n1,2.5,1,0,0,0.70710678,0.70710678,.3,.2\n1,3,1,0,0,0.70710678,0.70710678,.5,.2\n";
const HAND_SEED: &str = "Frame,root_translateX,root_translateY,root_translateZ,root_rotateX,root_rotateY,root_rotateZ,right_hip_joint_dof,left_hip_joint_dof
0,100,200,100,0,0,90,11.459156,5.729578\n1,100,250,100,0,0,90,11.459156,17.188734\n2,100,300,100,0,0,90,11.459156,28.64789\n";

fn hand_json(head: &str, row: impl Fn(f64) -> String) -> String {
    let rows: Vec<String> = (0..3).map(|frame| format!("[{}]", row(f64::from(frame)))).collect();
    format!("{{{head}, \"Frames\": [{}]}}", rows.join(","))
}

#[test]
fn hand_written_files_of_each_layout_are_read_and_written_again() {
    let robot = read_robot(SMALL.as_bytes()).unwrap();
    let quat = "0, 0, 0.70710678, 0.70710678";
    let imitation = hand_json("\"LoopMode\": \"Wrap\", \"FrameDuration\": 0.025", |t| {
        format!("1, {}, 1, {quat}, {}, 0.2", 2.0 + 0.5 * t, 0.1 + 0.2 * t)
    });
    // Y up: ahead is X, left is -Z.
    let deep_mimic = hand_json("\"Loop\": \"wrap\", \"FrameDuration\": 1", |t| {
        let quat = "0.70710678, 0, 0.70710678, 0";
        format!("0.025, 1, 1, {}, {quat}, {}, 0.2", -2.0 - 0.5 * t, 0.1 + 0.2 * t)
    });
    // Positions of feet: 0.1 to the left, a metre down where the leg hangs; then all velocities.
    let hardware = hand_json("\"LoopMode\": \"Wrap\", \"FrameDuration\": 0.025", |t| {
        let numbers = "0,0,0, 0,0,0, 20,0,0, 0,0,0, 8,0, 0,0,0, 0,0,0";
        format!("1, {}, 1, {quat}, {}, 0.2, {numbers}", 2.0 + 0.5 * t, 0.1 + 0.2 * t)
    });
    let tien_kung = hand_json("\"FrameDuration\": 0.025", |t| {
        let numbers = "20,0,0, 0,0,0, 8,0";
        format!(
            "1, {}, 1, 0, 0, 1.57079633, {}, 0.2, {numbers}",
            2.0 + 0.5 * t,
            0.1 + 0.2 * t
        )
    });
    let w_first = HAND_CSV.replace("0,0,0.70710678,0.70710678", "0.70710678,0,0,0.70710678");
    let cases = [
        ("Unitree", HAND_CSV.to_owned(), 30.0, Format::Csv),
        ("w first", w_first, 30.0, Format::Csv),
        ("SEED", HAND_SEED.to_owned(), 120.0, Format::Csv),
        ("motion_imitation", imitation, 40.0, Format::Txt),
        ("DeepMimic", deep_mimic, 40.0, Format::Txt),
        ("AMP_for_hardware", hardware, 40.0, Format::Txt),
        ("TienKung", tien_kung, 40.0, Format::Txt),
    ];
    let up = |v: [f64; 3]| DVec3::new(v[0], v[2], -v[1]);
    for (name, text, fps, format) in cases {
        assert_eq!(Format::detect(text.as_bytes()), Some(format), "{name}");
        let check = |file: &LoadedTake| {
            let take = &file.take;
            assert_eq!(take.num_frames(), 3, "{name}");
            assert!(
                (take.frame_rate_hz() - fps).abs() < 1e-6,
                "{name}: {}",
                take.frame_rate_hz()
            );
            for frame in 0..3 {
                let t = frame as f64;
                let expected = up([1.0, 2.0 + 0.5 * t, 1.0]);
                assert!(take.translations(frame)[0].distance(expected) < 1e-6, "{name}");
                // The robot's forward is +Y of the file.
                let ahead = take.rotations(frame)[0] * DVec3::X;
                assert!(ahead.distance(up([0.0, 1.0, 0.0])) < 1e-6, "{name}: {ahead}");
                let found = angles(take, frame);
                let off = (found[0] - 0.1 - 0.2 * t).abs().max((found[1] - 0.2).abs());
                assert!(off < 1e-6, "{name}: {found:?}");
            }
        };
        let file = read(text.as_bytes(), &robot).unwrap();
        check(&file);
        let again = write_take(&file.take, &file.source).unwrap().bytes;
        check(&read(&again, &robot).unwrap());
        // The values that the format's own reader takes from single columns, if these state velocities.
        if name == "AMP_for_hardware" || name == "TienKung" {
            let row = |bytes: &[u8]| {
                let file: serde_json::Value = serde_json::from_slice(bytes).unwrap();
                let row = file["Frames"][1].as_array().unwrap().clone();
                row.iter().map(|cell| cell.as_f64().unwrap()).collect::<Vec<f64>>()
            };
            let (own, made) = (row(text.as_bytes()), row(&again));
            assert_eq!(own.len(), made.len());
            let from = if name == "TienKung" { 8 } else { 15 };
            let until = if name == "TienKung" { 16 } else { 23 };
            for column in from..until {
                assert!((own[column] - made[column]).abs() < 1e-5, "{name}: {column}: {made:?}");
            }
        }
        let refused = read_take(text.as_bytes(), "motion", &ReadSettings::default(), &mut Vec::new());
        assert!(refused.unwrap_err().remedy().contains("--robot"), "{name}");
    }
    let other = biped();
    assert!(
        read(HAND_CSV.as_bytes(), &other)
            .unwrap_err()
            .contains("9 numbers, expected 24")
    );
    let no_base = hand_json("\"FrameDuration\": 0.025", |t| {
        format!(
            "{}, 0.2, 8,0, 1,2,3, 4,5,6, {}, 7,8,9, 1, 1",
            0.1 + 0.2 * t,
            5.0 * t * t
        )
    });
    assert!(read(no_base.as_bytes(), &robot).unwrap_err().contains("no base"));
}

#[test]
fn pickles_are_read_without_running_them() {
    let robot = biped();
    let take = walk(&robot);
    let source = Source::for_take(&take, Format::Pickle);
    let bytes = write_take(&take, &source).unwrap().bytes;
    let back = read(&bytes, &robot).unwrap().take;
    assert_eq!(angles(&back, 7).len(), 17);
    assert!((angles(&back, 7)[5] - angles(&take, 7)[5]).abs() < 1e-12);
    for (code, why) in [
        (&b"\x80\x04cos\nsystem\n\x8c\x02ls\x85R."[..], "os.system"),
        (
            b"\x80\x04\x8c\x08builtins\x8c\x04eval\x93\x8c\x011\x85R.",
            "builtins.eval",
        ),
        (
            b"\x80\x04cnumpy\ndtype\n\x8c\x01O\x85Rcnumpy\nndarray\nK\x01\x85h\x00R.",
            "",
        ),
    ] {
        let refused = read(code, &robot).unwrap_err();
        assert!(refused.contains(why), "{refused}");
    }
    for end in (2..bytes.len()).step_by(1009) {
        assert!(read(&bytes[..end], &robot).is_err());
    }
}

fn loop_of(take: &Take) -> (Analysis, loopwright_core::MadeLoop) {
    let analysis = Analysis::new(take).unwrap();
    let found = analysis.find_loops(&SearchSettings::default()).unwrap();
    let made = analysis
        .make_loop(&found.candidates[0], &LoopSettings::default())
        .unwrap();
    (analysis, made)
}

/// Returns the heights (mm) of touching contact points over the floor, and their speeds (cm/s), over two cycles.
fn contacts(clip: &LoopClip) -> (Vec<f64>, Vec<f64>) {
    let soles = &clip.skeleton().hinges().unwrap().soles;
    let places = |key: usize| -> Vec<DVec3> {
        let world = clip.world_pose(key);
        let points = soles
            .iter()
            .flat_map(|sole| sole.points.iter().map(|point| (sole.joint, point)));
        points
            .map(|(joint, point)| world.joint(joint).transform_point(point.at) - point.radius * DVec3::Y)
            .collect()
    };
    let (mut heights, mut speeds) = (Vec::new(), Vec::new());
    for key in 0..2 * clip.num_samples() {
        for (from, to) in places(key).iter().zip(places(key + 1)) {
            if from.y < 0.004 && to.y < 0.004 {
                let mut moved = to - *from;
                moved.y = 0.0;
                heights.push(1e3 * from.y.abs());
                speeds.push(100.0 * moved.length() / clip.step_secs());
            }
        }
    }
    heights.sort_by(f64::total_cmp);
    speeds.sort_by(f64::total_cmp);
    (heights, speeds)
}

#[test]
fn loops_stay_on_their_hinges_and_their_feet_where_they_stand() {
    let robot = biped();
    let take = walk(&robot);
    let (_, made) = loop_of(&take);
    let (clip, hinges) = (&made.loop_clip, robot.hinges().unwrap());
    let mut sharpest = [0.0_f64; 2];
    for (joint, hinge) in hinges.each() {
        let angle = |key: usize| hinge.angle(clip.body_pose(key).rotations[joint]);
        let count = clip.num_samples();
        for key in 0..count {
            assert!(hinge.off_axis(clip.body_pose(key).rotations[joint]) < 1e-9);
            assert!((hinge.within(angle(key)) - angle(key)).abs() < 1e-12);
            let bend = (angle(key) - 2.0 * angle(key + 1) + angle(key + 2)).abs();
            let is_at_seam = key + 3 > count;
            sharpest[usize::from(is_at_seam)] = sharpest[usize::from(is_at_seam)].max(bend);
        }
    }
    assert!(sharpest[1] <= 1.1 * sharpest[0], "{sharpest:?}");
    let (heights, speeds) = contacts(clip);
    let middle = |values: &[f64]| values[values.len() / 2];
    assert!(
        speeds.len() > 100 && middle(&speeds) < 0.6 && middle(&heights) < 3.0,
        "{} contacts, {} cm/s, {} mm",
        speeds.len(),
        middle(&speeds),
        middle(&heights)
    );
    assert!(
        made.feet
            .outcomes
            .iter()
            .all(loopwright_core::feet::FootOutcome::is_held),
        "{:?}",
        made.feet.outcomes
    );
    // Written for a tracker: ten seconds, whose velocities go on over the seam.
    let source = Source::for_take(&take, Format::Npz);
    let file = LoopFile::write(&made, &source).unwrap();
    let back = read(&file.written.bytes, &robot).unwrap().take;
    assert!((angles(&back, 3)[4] - angles_of(clip, 3)[4]).abs() < 1e-6);
    assert_eq!(file.quality.hinges.angle.map(|peak| peak.ratio < 1e-6), Some(true));
}

fn angles_of(clip: &LoopClip, key: usize) -> Vec<f64> {
    let hinges = clip.skeleton().hinges().unwrap().each();
    hinges
        .map(|(joint, hinge)| hinge.angle(clip.body_pose(key).rotations[joint]))
        .collect()
}

#[test]
fn a_stretch_that_is_no_cycle_is_refused_by_its_joint() {
    let robot = biped();
    let take = walk(&robot);
    let analysis = Analysis::new(&take).unwrap();
    // Half a cycle off.
    let stretch = analysis.appraise(100.0, 185.0, &SearchSettings::default()).unwrap();
    let refused = analysis.make_loop(&stretch, &LoopSettings::default()).unwrap_err();
    assert!(
        matches!(&refused, MakeError::Hinges(HingeError::Moved { degrees, .. }) if *degrees > 20.0),
        "{refused}"
    );
}
