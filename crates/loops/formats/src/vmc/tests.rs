use loopwright_core::math::rotation;
use loopwright_synth::{WalkSettings, synthesize};

use super::*;
use crate::{BvhRecording, BvhStream, ReadSettings, StreamedLine, read_take};

/// Returns the bytes of a message; texts and numbers in order.
fn message(address: &str, text: Option<&str>, numbers: &[f32]) -> Vec<u8> {
    let types = format!(",{}{}", "s".repeat(text.iter().len()), "f".repeat(numbers.len()));
    let mut bytes: Vec<u8> = [address, &types].into_iter().chain(text).flat_map(filled).collect();
    bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    bytes
}

/// Returns a text with the zeros that end it.
fn filled(text: &str) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((text.len() / 4 + 1) * 4, 0);
    bytes
}

fn state(numbers: &[i32]) -> Vec<u8> {
    let types = format!(",{}", "i".repeat(numbers.len()));
    let mut bytes = [filled("/VMC/Ext/OK"), filled(&types)].concat();
    bytes.extend(numbers.iter().flat_map(|number| number.to_be_bytes()));
    bytes
}

/// Returns the message of a place, as a sender in Unity states it.
fn place_of(address: &str, name: &str, (position, rotation): Place) -> Vec<u8> {
    let (p, q) = (position.as_vec3(), rotation.as_quat());
    message(address, Some(name), &[-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w])
}

/// Returns the humanoid bone of a joint of the synthetic walker.
fn bone_of(joint: &str) -> String {
    let of = |part: &str| joint.contains(part);
    let side = ["Left", "Right"]
        .into_iter()
        .find(|side| joint.starts_with(side))
        .unwrap_or("");
    let part = match joint {
        _ if of("UpLeg") => "UpperLeg",
        _ if of("ToeBase") => "Toes",
        _ if of("Foot") => "Foot",
        _ if of("Leg") => "LowerLeg",
        _ if of("ForeArm") => "LowerArm",
        _ if of("HandIndex1") => "IndexProximal",
        _ if of("Hand") => "Hand",
        _ if of("Shoulder") => "Shoulder",
        _ if of("Arm") => "UpperArm",
        "Spine1" => "Chest",
        "Spine2" => "UpperChest",
        other => other,
    };
    format!("{side}{part}")
}

/// Returns the messages of a frame of a take, as the reference sender orders them.
fn pose(take: &Take, frame: usize, secs: f64) -> Vec<Vec<u8>> {
    let own = take.pose(frame);
    let root = (DVec3::new(3.0, 0.0, 1.0), DQuat::from_rotation_y(1.0));
    let mut sent = vec![place_of("/VMC/Ext/Root/Pos", "root", root)];
    for (joint, stated) in take.skeleton().joints().iter().enumerate() {
        let place = own.joint(joint);
        let place = (place.translation, place.rotation);
        let name = bone_of(&stated.name);
        if bone(&name).is_some() {
            sent.push(place_of("/VMC/Ext/Bone/Pos", &name, place));
        }
    }
    sent.push(place_of(
        "/VMC/Ext/Bone/Pos",
        "LastBone",
        (DVec3::ZERO, DQuat::IDENTITY),
    ));
    sent.push(state(&[1, 3, 0, 1]));
    sent.push(message("/VMC/Ext/T", None, &[secs as f32]));
    sent
}

fn walk(seconds: f64) -> Take {
    let settings = WalkSettings {
        seconds,
        frame_rate_hz: 60.0,
        ..WalkSettings::default()
    };
    synthesize(&settings).unwrap().take
}

/// The outcome of packets: recordings, and why each except the last ended.
struct Heard {
    parts: Vec<BvhRecording>,
    cuts: Vec<VmcCut>,
    reader: VmcReader,
}

impl Heard {
    /// Packets with their times of arrival.
    fn of(packets: impl IntoIterator<Item = (Vec<u8>, f64)>) -> Self {
        let mut heard = Self {
            parts: Vec::new(),
            cuts: Vec::new(),
            reader: VmcReader::new(None),
        };
        let mut stream = BvhStream::new();
        for (packet, secs) in packets {
            heard.reader.push(&packet, secs);
            while let Some(event) = heard.reader.next_event() {
                match event {
                    VmcEvent::Text(text) => stream.push(&text),
                    VmcEvent::Cut(why) => {
                        heard.cuts.push(why);
                        stream = BvhStream::new();
                    }
                }
                loop {
                    let line = match stream.next_line(&mut Vec::new()).unwrap() {
                        None => break,
                        Some(StreamedLine::Head) => None,
                        Some(StreamedLine::Frame { text, .. }) => Some(text.to_vec()),
                        Some(other) => panic!("{other:?}"),
                    };
                    match line {
                        None => heard.parts.push(BvhRecording::new(stream.head().unwrap().clone())),
                        Some(line) => heard.parts.last_mut().unwrap().push(&line),
                    }
                }
            }
        }
        heard
    }

    fn takes(&self) -> Vec<Take> {
        let read = |part: &BvhRecording| {
            read_take(
                &part.file(0..usize::MAX),
                "t",
                &ReadSettings::default(),
                &mut Vec::new(),
            )
        };
        self.parts.iter().map(|part| read(part).unwrap().take).collect()
    }
}

/// Returns the largest distance of a bone from its position in a take, metres, sampled at intervals of frames.
fn farthest(take: &Take, heard: &Take, first: usize) -> f64 {
    let (own, world) = (take.world_tracks(), heard.world_tracks());
    let root = (DVec3::new(3.0, 0.0, 1.0), DQuat::from_rotation_y(1.0));
    let mut farthest = 0.0_f64;
    for (joint, stated) in take.skeleton().joints().iter().enumerate() {
        let Some(other) = heard.skeleton().find(&bone_of(&stated.name)) else {
            continue;
        };
        for frame in 0..heard.num_frames() {
            let expected = root.0 + root.1 * own.position(first + frame, joint);
            farthest = farthest.max(expected.distance(world.position(frame, other)));
            let turn = root.1 * own.rotation(first + frame, joint);
            farthest = farthest.max(0.1 * rotation::difference(turn, world.rotation(frame, other)).length());
        }
    }
    farthest
}

/// Returns the messages of a frame by the clocks of the sender and of the receiver.
fn at(take: &Take, frame: usize, [sent, received]: [f64; 2]) -> impl Iterator<Item = (Vec<u8>, f64)> + use<> {
    pose(take, frame, sent)
        .into_iter()
        .map(move |packet| (packet, received))
}

fn sent(take: &Take) -> Vec<(Vec<u8>, f64)> {
    let frames = (0..take.num_frames()).map(|frame| (frame, frame as f64 * take.frame_time_secs()));
    frames
        .flat_map(|(frame, secs)| at(take, frame, [100.0 + secs, secs]))
        .collect()
}

/// Sides, axes and positions: the recording equals the sent motion, within single precision.
#[test]
fn a_walk_that_is_sent_is_the_walk_that_is_recorded() {
    let take = walk(2.0);
    let packets = sent(&take);
    let heard = Heard::of(packets.clone());
    let [recorded] = &heard.takes()[..] else {
        panic!("{:?}", heard.cuts)
    };
    assert_eq!(recorded.num_frames(), take.num_frames());
    assert!((recorded.frame_rate_hz() - 60.0).abs() < 1e-9);
    let far = farthest(&take, recorded, 0);
    assert!(far < 2e-5, "{far}");
    let counts = heard.reader.counts();
    let odd = VmcCounts {
        poses: take.num_frames() as u64,
        ..VmcCounts::default()
    };
    assert_eq!(counts, &odd);
    // Bundles of a few messages give the same result; so does a stream that is joined in the middle of a pose, which starts with
    // the next pose.
    let bundle = |messages: &[(Vec<u8>, f64)]| {
        let mut bytes = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
        for (message, _) in messages {
            bytes.extend((message.len() as u32).to_be_bytes());
            bytes.extend_from_slice(message);
        }
        (bytes, messages[0].1)
    };
    let bundled = Heard::of(packets.chunks(7).map(bundle));
    assert_eq!(bundled.parts[0].file(0..500), heard.parts[0].file(0..500));
    let joined = Heard::of(packets.iter().skip(9).cloned());
    let joined = &joined.takes()[0];
    assert_eq!(joined.num_frames() + 1, take.num_frames());
    assert!(farthest(&take, joined, 1) < 2e-5);
    // The clock first, as some senders do: its times then belong to the previous pose, which changes nothing.
    let mut first = packets.clone();
    for pose in first.chunks_mut(pose(&take, 0, 0.0).len()) {
        pose.rotate_right(1);
    }
    let first = Heard::of(first);
    assert!(farthest(&take, &first.takes()[0], 0) < 2e-5);
}

#[test]
fn parts_of_the_body_are_found_by_the_names_of_the_protocol() {
    let take = walk(2.0);
    let heard = Heard::of(sent(&take)).takes().remove(0);
    let parts = |take: &Take| {
        let body = loopwright_core::analysis::Body::find(take, &loopwright_core::BodyOverrides::default()).unwrap();
        let name = |joint: usize| bone_of(&take.skeleton().joint(joint).name);
        let feet: Vec<String> = body.feet.iter().map(|foot| name(foot.ankle)).collect();
        (name(body.hips), body.head.map(name), feet, body.found_by)
    };
    assert_eq!(parts(&heard), parts(&take));
}

/// A sender that drops packets, sends late or twice, and sends unknown bones.
#[test]
fn a_stream_that_stutters_is_laid_on_its_grid() {
    let take = walk(3.0);
    let mut packets = Vec::new();
    for (index, (packet, secs)) in sent(&take).into_iter().enumerate() {
        let frame = index / pose(&take, 0, 0.0).len();
        // Frames 70 to 75 are lost, and every 31st packet of the rest but the first poses.
        if (70..76).contains(&frame) || (frame > 14 && index % 31 == 0) {
            continue;
        }
        packets.push((packet.clone(), secs + 0.04 * (frame % 3) as f64));
        if frame % 10 == 5 {
            packets.push((packet, secs));
        }
    }
    packets.push((
        place_of("/VMC/Ext/Bone/Pos", "Tail", (DVec3::ZERO, DQuat::IDENTITY)),
        3.0,
    ));
    packets.push((message("/VMC/Ext/Blend/Val", Some("Joy"), &[1.0]), 3.0));
    let heard = Heard::of(packets);
    assert_eq!(heard.cuts, []);
    let recorded = &heard.takes()[0];
    assert!(
        recorded.num_frames().abs_diff(take.num_frames()) <= 1,
        "{}",
        recorded.num_frames()
    );
    // A tenth of a second is interpolated; a bone whose packet is lost keeps its pose for a frame.
    let far = farthest(&take, recorded, 0);
    assert!((1e-4..0.15).contains(&far), "{far}");
    assert_eq!(heard.reader.counts().other_bones, ["Tail"]);
}

#[test]
fn what_does_not_continue_is_another_recording() {
    let take = walk(1.0);
    let part = |from: f64| -> Vec<(Vec<u8>, f64)> {
        let frames = (0..take.num_frames()).map(|frame| (frame, from + frame as f64 / 60.0));
        frames.flat_map(|(frame, secs)| at(&take, frame, [secs; 2])).collect()
    };
    // A pause; a clock that is set back; a calibration.
    let mut packets = [part(10.0), part(15.0), part(2.0)].concat();
    packets.push((state(&[1, 2]), 3.0));
    packets.extend(
        part(3.5)
            .into_iter()
            .filter(|(packet, _)| !packet.starts_with(b"/VMC/Ext/OK")),
    );
    packets.push((state(&[1, 3]), 4.6));
    packets.extend(part(5.0));
    let heard = Heard::of(packets);
    let [VmcCut::Silence(secs), VmcCut::Clock, VmcCut::NoBody] = heard.cuts[..] else {
        panic!("{:?}", heard.cuts)
    };
    assert!((secs - 4.0).abs() < 0.1, "{secs}");
    assert_eq!(heard.reader.counts().unused_poses(), take.num_frames() as u64);
    assert!(
        heard
            .takes()
            .iter()
            .all(|recorded| recorded.num_frames().abs_diff(take.num_frames()) <= 1)
    );

    // Longer legs: another body, whose file has its own lengths.
    let taller = take.scaled(1.2).unwrap();
    let of = |frame: usize| {
        let (of, secs) = if frame < 40 { (&take, frame) } else { (&taller, frame) };
        at(of, frame, [secs as f64 / 60.0; 2])
    };
    let heard = Heard::of((0..60).flat_map(of));
    assert_eq!((heard.cuts.len(), heard.cuts[0]), (1, VmcCut::OtherBody));
    let takes = heard.takes();
    assert_eq!(takes.iter().map(Take::num_frames).collect::<Vec<_>>(), [40, 20]);
    for (of, recorded, first) in [(&take, &takes[0], 0), (&taller, &takes[1], 40)] {
        let far = farthest(of, recorded, first);
        assert!(far < 2e-5, "{far}");
    }
    // Bones that stretch with each pose keep their last lengths.
    let sizes: Vec<Take> = (0..10)
        .map(|size| take.scaled(1.0 + 0.02 * f64::from(size)).unwrap())
        .collect();
    let of = |frame: usize| at(&sizes[frame % 10], frame, [frame as f64 / 60.0; 2]);
    let heard = Heard::of((0..60).flat_map(of));
    assert!(heard.reader.counts().bones_stretch && heard.cuts.is_empty());
    assert!(heard.takes()[0].num_frames() > 45);
}

#[test]
fn values_that_lie_are_counted_and_left_out() {
    let take = walk(1.0);
    let mut packets = sent(&take);
    let name = "LeftHand";
    let lies: [&[f32]; 7] = [
        &[f32::NAN, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
        &[0.0, f32::INFINITY, 0.0, 0.0, 0.0, 0.0, 1.0],
        &[0.0, 0.0, 3e38, 0.0, 0.0, 0.0, 1.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        &[0.0, 0.0, 0.0, 1e-40, 0.0, 1e-42, 0.0],
        &[0.0, 0.0, 0.0, f32::INFINITY, 0.0, 0.0, 1.0],
        &[0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    ];
    let expected = Heard::of(packets.clone()).parts[0].file(0..500);
    for (index, lie) in lies.into_iter().enumerate() {
        packets.insert(600 + 50 * index, (message("/VMC/Ext/Bone/Pos", Some(name), lie), 0.5));
    }
    packets.insert(1000, (message("/VMC/Ext/T", None, &[f32::NAN]), 0.6));
    packets.insert(1000, (b"/VMC/Ext/T".to_vec(), 0.6));
    // Filling frames up to there would never end.
    for _ in 0..2 {
        packets.extend(at(&take, 5, [3e38, 1.0]));
    }
    packets.insert(1000, (b"GET / HTTP/1.1\r\n".to_vec(), 0.6));
    let heard = Heard::of(packets);
    let counts = heard.reader.counts();
    assert_eq!((counts.values_refused, counts.packets_refused), (10, 2));
    assert_eq!(heard.parts[0].file(0..500), expected);
}
