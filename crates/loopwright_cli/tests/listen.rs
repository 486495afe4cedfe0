//! Loops of motion that still comes: through a pipe, by VMC, at any pace, and when it stutters, stops, jumps or lies.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::UdpSocket;
use std::process::{Child, ChildStdin, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use loopwright::Take;
use serde_json::Value;

use crate::harness::schema::assert_valid;
use crate::harness::{Answer, Folder, command, number};

/// A run that listens.
struct Listening {
    child: Child,
    input: Option<ChildStdin>,
}

impl Listening {
    fn start(folder: &Folder, arguments: &str) -> Self {
        let mut run = command();
        run.arg("listen")
            .args(arguments.split_whitespace())
            .current_dir(folder.path());
        let run = run.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = run.spawn().unwrap();
        let input = child.stdin.take();
        Self { child, input }
    }

    fn send(&mut self, bytes: &[u8]) {
        // Who has heard enough reads no more.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    fn ends(mut self) -> Answer {
        drop(self.input.take());
        Answer::new(self.child.wait_with_output().unwrap())
    }
}

impl Folder {
    fn heard(&self, bytes: &[u8], arguments: &str) -> Answer {
        let mut listening = Listening::start(self, arguments);
        listening.send(bytes);
        listening.ends()
    }

    /// Asserts that `make` makes the loop that was written last, to the byte, of the recording.
    fn is_made_of(&self, recording: &str, output: &str) {
        let beside = format!("{output}.json");
        let written = [output, &beside].map(|name| self.read(name));
        self.run(&format!("make {recording} -o {output} --force")).wrote();
        let made = [output, &beside].map(|name| self.read(name));
        assert!(
            written[0] == made[0],
            "{output} is another loop than that of {recording}"
        );
        assert_eq!(String::from_utf8_lossy(&written[1]), String::from_utf8_lossy(&made[1]));
    }
}

/// The lines for loops, and the last one; each is valid under the schema.
fn lines(answer: &Answer) -> (Vec<Value>, Value) {
    let mut lines = answer.json_lines();
    let last = lines.pop().unwrap();
    for line in &lines {
        assert_valid(line, "live");
    }
    assert_valid(&last, "listen");
    (lines, last)
}

/// The head of a BVH file, and its rows.
fn split(file: &str) -> (String, Vec<String>) {
    let at = file.find("Frame Time:").unwrap();
    let end = at + file[at..].find('\n').unwrap() + 1;
    let rows = file[end..].lines().map(|row| format!("{row}\n"));
    (file[..end].to_owned(), rows.collect())
}

#[test]
fn a_walk_through_a_pipe_gives_loops_as_it_comes_and_the_loop_of_the_whole() {
    let folder = Folder::with_synth("--seconds 6 --fps 30");
    let period = number(&folder.json("walk.bvh.truth.json"), "period_secs");
    let walk = folder.read("walk.bvh");
    let answer = folder.heard(&walk, "-o live.bvh --record take.bvh --json").done();
    let (loops, last) = lines(&answer);
    let first = &loops[0];
    assert_eq!((&first["cycle"], &first["is_written"]), (&3.into(), &true.into()));
    let heard_secs = number(first, "frames") / 30.0;
    assert!((heard_secs / period - 3.0).abs() < 0.15, "{heard_secs} s");
    assert!((number(first, "period_secs") / period - 1.0).abs() < 0.03);
    assert!(loops.len() >= 2, "{}", answer.stdout);
    assert_eq!(
        (&last["is_of_recording"], last["live_loops"].as_u64()),
        (&true.into(), Some(loops.len() as u64))
    );
    // Nothing is lost of a file that comes as a stream.
    assert!(folder.read("take.bvh") == walk);
    folder.is_made_of("take.bvh", "live.bvh");

    // The same without a recording, as text, with another pace, a number of frames that lies, and into another format.
    let text = folder.text("walk.bvh");
    let (head, rows) = split(&text);
    let declared = format!("Frames: {}", rows.len());
    assert!(head.contains(&declared));
    let lying = head.replace(&declared, "Frames: 0");
    let mut listening = Listening::start(&folder, "-o live.glb --record take.glb.bvh --set closure.blend=0.2");
    listening.send(lying.as_bytes());
    for rows in rows.chunks(23) {
        listening.send(rows.concat().as_bytes());
    }
    let answer = listening.ends().done();
    answer.says("cycle 3: ");
    answer.says("ms after its end");
    answer.begins("live.glb: ");
    assert!(folder.read("take.glb.bvh") == walk);
    let written = ["live.glb", "live.glb.json"].map(|name| folder.read(name));
    folder.succeed("make take.glb.bvh -o live.glb --force --set closure.blend=0.2");
    assert!(["live.glb", "live.glb.json"].map(|name| folder.read(name)) == written);
}

/// Each loop is in its file while the motion goes on, whole at any time.
#[test]
fn loops_are_there_while_the_actor_walks() {
    let folder = Folder::with_synth("--seconds 5 --fps 30");
    let (head, rows) = split(&folder.text("walk.bvh"));
    let mut listening = Listening::start(&folder, "-o live.bvh --json");
    listening.send(head.as_bytes());
    let period = number(&folder.json("walk.bvh.truth.json"), "period_secs");
    let frames = |cycles: f64| (cycles * period * 30.0) as usize;
    listening.send(rows[..frames(2.8)].concat().as_bytes());
    sleep(Duration::from_millis(500));
    assert!(!folder.file("live.bvh").exists());
    listening.send(rows[frames(2.8)..frames(3.2)].concat().as_bytes());
    let since = Instant::now();
    while !folder.file("live.bvh.json").exists() && since.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(5));
    }
    let first = folder.text("live.bvh");
    let (head_of_loop, rows_of_loop) = split(&first);
    assert!(head_of_loop.contains(&format!("Frames: {}\n", rows_of_loop.len())));
    let sidecar = folder.json("live.bvh.json");
    let warned = sidecar["warnings"].to_string();
    assert!(
        warned.contains("made while the motion still came, of frames 0 to "),
        "{warned}"
    );
    folder.run("check live.bvh").done();
    // The rest at the pace of the walk.
    for row in &rows[frames(3.2)..] {
        listening.send(row.as_bytes());
        sleep(Duration::from_millis(33));
        let (head, rows) = split(&folder.text("live.bvh"));
        assert!(
            head.contains(&format!("Frames: {}\n", rows.len())),
            "a loop is not whole"
        );
    }
    let (loops, _) = lines(&listening.ends().done());
    assert_eq!(loops[0]["cycle"], 3);
}

#[test]
fn rows_that_lie_are_lost_and_the_rest_goes_on() {
    let folder = Folder::with_synth("--seconds 6 --fps 30");
    let (head, mut rows) = split(&folder.text("walk.bvh"));
    let count = rows.len();
    rows[50] = rows[50].replacen(' ', " nan ", 1);
    rows[60] = "1 2 3\n".to_owned();
    rows[61] = format!("{} 7\n", rows[61].trim_end());
    rows[90] = "hello\n".to_owned();
    rows.insert(100, "\n".to_owned());
    rows.push("1 2 3 4".to_owned());
    let text = head.clone() + &rows.concat();
    let answer = folder.heard(text.as_bytes(), "-o live.bvh --record take.bvh").wrote();
    for words in [
        "is no value of a channel; the row before stands in its place",
        " has 3 values, and a row has ",
        "4 lines were no rows",
        "the stream ended within a line",
    ] {
        answer.says(words);
    }
    let (_, recorded) = split(&folder.text("take.bvh"));
    assert_eq!(
        (recorded.len(), &recorded[60], &recorded[61]),
        (count, &recorded[59], &recorded[59])
    );
    folder.is_made_of("take.bvh", "live.bvh");

    // So many in a row that nothing bridges them: two recordings. A second file is none of this one.
    let (_, good) = split(&folder.text("walk.bvh"));
    let text = [
        head.as_str(),
        &good[..100].concat(),
        &"lost\n".repeat(20),
        &good[..150].concat(),
        &head,
        &good.concat(),
    ]
    .concat();
    let answer = folder.heard(text.as_bytes(), "-o parts.bvh --record part.bvh").wrote();
    answer.says("too many rows are lost");
    answer.says("another file begins");
    answer.says("of 2 recordings, the loop of number");
    let frames = ["part.bvh", "part-2.bvh"].map(|name| split(&folder.text(name)).1.len());
    assert_eq!(frames, [108, 150]);
    let best = if answer.stderr.contains("of number 1 is") {
        "part.bvh"
    } else {
        "part-2.bvh"
    };
    folder.is_made_of(best, "parts.bvh");
}

/// A walk, a body that is somewhere else from one frame to the next, and another walk: no loop has both.
#[test]
fn no_loop_reaches_across_a_jump() {
    let folder = Folder::with_synth("--seconds 5 --fps 30");
    let (head, rows) = split(&folder.text("walk.bvh"));
    folder.succeed("synth -o other.bvh --seconds 5 --fps 30 --seed 3 --turn-rate 40");
    let (_, other) = split(&folder.text("other.bvh"));
    let cut = 110;
    let moved = other[37..].iter().map(|row| {
        let (x, rest) = row.split_once(' ').unwrap();
        format!("{:.6} {rest}", x.parse::<f64>().unwrap() + 500.0)
    });
    let text = head + &rows[..cut].concat() + &moved.collect::<String>();
    let answer = folder
        .heard(text.as_bytes(), "-o live.bvh --record take.bvh --json")
        .wrote();
    let (loops, last) = lines(&answer);
    assert!(loops.len() >= 2, "{}", answer.stdout);
    let is_across = |sidecar: &Value, first: f64| {
        let ends = ["start_frame", "end_frame"].map(|end| first + number(sidecar, &format!("candidate/{end}")));
        ends[0] < cut as f64 && ends[1] > cut as f64
    };
    assert!(!is_across(&last["loop"], 0.0), "{last:#}");
    folder.is_made_of("take.bvh", "live.bvh");
}

#[test]
fn what_cannot_be_listened_to_is_said() {
    let folder = Folder::with_walk();
    folder.write("there.bvh", "mine");
    folder.write("frames.toml", "[stretch]\nstart = 1.0\nend = 40.0\n");
    folder.refuse_all(
        "listen",
        "
        -o there.bvh                     | \"there.bvh\" exists already
        -o new.bvh --record there.bvh    | \"there.bvh\" exists already
        -o new.bvh --record new.bvh.json | cannot write \"new.bvh.json\"
        -o new.bvh --record take.glb     | is not named like a BVH file
        -o new.bvh --seconds 0           | --seconds must be a positive number
        -o new.bvh --timeout nan         | --timeout must be a positive number
        -o new.bvh --fps 60              | --port
        -o new.bvh --port 70000          | 70000
        -o new.bvh --recipe frames.toml  | names frames
        -o new.txt                       | unsupported extension
        ",
    );
    assert_eq!(folder.read("there.bvh"), b"mine");
    let nothing = folder.heard(b"", "-o new.bvh").ended(1);
    nothing.says("no pose came");
    folder.heard(b"hello\n", "-o new.bvh").ended(2).says("not a BVH file");
    let (head, rows) = split(&folder.text("walk.bvh"));
    // Too short to hold a loop: nothing is found, and what was heard is kept.
    let short = head.clone() + &rows[..20].concat();
    folder.heard(short.as_bytes(), "-o new.bvh --record short.bvh").ended(1);
    assert_eq!(split(&folder.text("short.bvh")).1.len(), 20);
    assert!(!folder.file("new.bvh").exists());
    // As long as was asked for, and as long as there is memory for.
    let walk = folder.read("walk.bvh");
    folder
        .heard(&walk, "-o two.bvh --record two-take.bvh --seconds 2")
        .wrote();
    assert_eq!(split(&folder.text("two-take.bvh")).1.len(), 60);
    let answer = folder.heard(&walk, "-o new.bvh --record little.bvh --max-memory 3M");
    answer.says("there is no memory for a longer recording");
    answer.says("--max-memory with more than");
    // A sender that stops.
    let mut listening = Listening::start(&folder, "-o stops.bvh --timeout 1");
    listening.send(&walk);
    let since = Instant::now();
    let answer = Answer::new(listening.child.wait_with_output().unwrap()).wrote();
    answer.says("nothing came for 1 s: the stream ends");
    assert!(since.elapsed() > Duration::from_secs(1));
    assert!(folder.file("stops.bvh").exists());
}

/// Ctrl-C ends the stream and not the work: the last loop and the recording are whole.
#[test]
#[cfg(unix)]
fn the_keyboard_ends_the_stream() {
    let folder = Folder::with_synth("--seconds 5 --fps 30");
    let walk = folder.read("walk.bvh");
    let mut listening = Listening::start(&folder, "-o live.bvh --record take.bvh");
    listening.send(&walk);
    let since = Instant::now();
    while !folder.file("live.bvh").exists() && since.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(20));
    }
    let id = listening.child.id().to_string();
    let sent = std::process::Command::new("kill").args(["-INT", &id]).status().unwrap();
    assert!(sent.success());
    let answer = Answer::new(listening.child.wait_with_output().unwrap()).ended(130);
    answer.says("stopped: the last loop is made of the whole");
    folder.is_made_of("take.bvh", "live.bvh");
}

/// A message of Open Sound Control: a name and numbers.
fn message(address: &str, name: Option<&str>, numbers: &[f32]) -> Vec<u8> {
    let filled = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((text.len() / 4 + 1) * 4, 0);
        bytes
    };
    let types: String = name.iter().map(|_| 's').chain(numbers.iter().map(|_| 'f')).collect();
    let numbers = numbers.iter().flat_map(|number| number.to_be_bytes());
    let named = name.into_iter().flat_map(filled);
    filled(address)
        .into_iter()
        .chain(filled(&format!(",{types}")))
        .chain(named)
        .chain(numbers)
        .collect()
}

/// The bundle of a frame, as a sender in Unity states it.
fn bundle(take: &Take, frame: usize, secs: f64) -> Vec<u8> {
    const BONES: [(&str, &str); 21] = [
        ("Hips", "Hips"),
        ("Spine", "Spine"),
        ("Spine1", "Chest"),
        ("Spine2", "UpperChest"),
        ("Neck", "Neck"),
        ("Head", "Head"),
        ("LeftShoulder", "LeftShoulder"),
        ("LeftArm", "LeftUpperArm"),
        ("LeftForeArm", "LeftLowerArm"),
        ("LeftHand", "LeftHand"),
        ("RightShoulder", "RightShoulder"),
        ("RightArm", "RightUpperArm"),
        ("RightForeArm", "RightLowerArm"),
        ("RightHand", "RightHand"),
        ("LeftUpLeg", "LeftUpperLeg"),
        ("LeftLeg", "LeftLowerLeg"),
        ("LeftFoot", "LeftFoot"),
        ("LeftToeBase", "LeftToes"),
        ("RightUpLeg", "RightUpperLeg"),
        ("RightLeg", "RightLowerLeg"),
        ("RightFoot", "RightFoot"),
    ];
    let mut parts = vec![message(
        "/VMC/Ext/Root/Pos",
        Some("root"),
        &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0],
    )];
    for (joint, bone) in BONES.into_iter().chain([("RightToeBase", "RightToes")]) {
        let place = take.pose(frame).joint(take.skeleton().find(joint).unwrap());
        let (p, q) = (place.translation.as_vec3(), place.rotation.as_quat());
        parts.push(message(
            "/VMC/Ext/Bone/Pos",
            Some(bone),
            &[-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w],
        ));
    }
    parts.push(message("/VMC/Ext/T", None, &[secs as f32]));
    let mut bytes = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
    for part in parts {
        bytes.extend((part.len() as u32).to_be_bytes());
        bytes.extend(part);
    }
    bytes
}

#[test]
fn a_walk_that_comes_by_vmc_is_looped_too() {
    let folder = Folder::with_synth("--seconds 6 --fps 30");
    let take = folder.take("walk.bvh");
    let mut listening = Listening::start(&folder, "--port 0 -o live.bvh --record take.bvh --json --timeout 3");
    let mut said = BufReader::new(listening.child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    let port = line.split("port ").nth(1).and_then(|rest| rest.split(' ').next());
    let port: u16 = port.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for frame in 0..take.num_frames() {
        let secs = 7.0 + frame as f64 / 30.0;
        socket
            .send_to(&bundle(&take, frame, secs), ("127.0.0.1", port))
            .unwrap();
        // No packet, and no bone of this body.
        socket.send_to(b"#bundle\0", ("127.0.0.1", port)).unwrap();
        sleep(Duration::from_millis(5));
    }
    let output = listening.child.wait_with_output().unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let answer = Answer::new(output).done();
    assert!(rest.contains("packets were none of Open Sound Control"), "{rest}");
    let (loops, last) = lines(&answer);
    assert_eq!(loops[0]["cycle"], 3, "{}", answer.stdout);
    assert_eq!(number(&last, "frames") as usize, take.num_frames());
    folder.is_made_of("take.bvh", "live.bvh");
    // The same walk, at the same place.
    let heard = folder.take("take.bvh");
    let (own, world) = (take.world_tracks(), heard.world_tracks());
    for (joint, bone) in [
        ("LeftToeBase", "LeftToes"),
        ("RightHand", "RightHand"),
        ("Head", "Head"),
    ] {
        let joints = [
            take.skeleton().find(joint).unwrap(),
            heard.skeleton().find(bone).unwrap(),
        ];
        let far = |frame: usize| {
            own.position(frame, joints[0])
                .distance(world.position(frame, joints[1]))
        };
        let farthest = (0..heard.num_frames()).map(far).fold(0.0, f64::max);
        assert!(farthest < 1e-4, "{joint}: {farthest}");
    }
}
