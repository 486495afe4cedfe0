//! Loops of motion that still comes: through a pipe, by VMC, at any pace, and when it stutters, stops, jumps or lies.

use std::{
    io::{BufRead, BufReader, Write},
    net::UdpSocket,
    process::{Child, ChildStdin, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use loopwright_core::Take;
use serde_json::Value;

use crate::harness::{Answer, Folder, command, holds, near, number, rows, schema::assert_valid};

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
        // A command that has heard enough stops reading.
        let _ = self.input.as_mut().unwrap().write_all(bytes);
    }

    /// Returns the port on which it listens, which is the first thing that it prints.
    fn port(&mut self) -> u16 {
        // Later output is left for the answer.
        let mut said = BufReader::with_capacity(1, self.child.stderr.as_mut().unwrap());
        let mut line = String::new();
        said.read_line(&mut line).unwrap();
        let port = line.split("port ").nth(1).and_then(|rest| rest.split(' ').next());
        port.unwrap_or_else(|| panic!("{line}")).parse().unwrap()
    }

    /// Presses Ctrl-C.
    #[cfg(unix)]
    fn interrupt(&self) {
        crate::harness::signal(&self.child, "INT");
    }

    /// The stream ends.
    fn ends(mut self) -> Answer {
        drop(self.input.take());
        self.wait()
    }

    /// It ends though the stream does not.
    fn wait(self) -> Answer {
        Answer::new(self.child.wait_with_output().unwrap())
    }
}

fn wait_for(is_there: impl Fn() -> bool) {
    let since = Instant::now();
    while !is_there() && since.elapsed() < Duration::from_secs(60) {
        sleep(Duration::from_millis(1));
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
        let files =
            || [output, &format!("{output}.json")].map(|name| String::from_utf8_lossy(&self.read(name)).into_owned());
        let written = files();
        self.run(&format!("make {recording} -o {output} --force")).wrote();
        let made = files();
        assert!(
            written[0] == made[0],
            "{output} is another loop than that of {recording}"
        );
        assert_eq!(written[1], made[1]);
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
    holds(first, "cycle = 3\nis_written = true");
    near(number(first, "frames") / 30.0 / period, 3.0, 0.15);
    near(number(first, "period_secs") / period, 1.0, 0.03);
    assert!(loops.len() >= 2, "{}", answer.stdout);
    holds(&last, &format!("is_of_recording = true\nlive_loops = {}", loops.len()));
    // Nothing is lost of a file that comes as a stream.
    assert!(folder.read("take.bvh") == walk);
    folder.is_made_of("take.bvh", "live.bvh");

    // As text, at another frame rate, with a wrong number of frames and with settings, and into another format.
    let (head, rows) = split(&folder.text("walk.bvh"));
    let declared = format!("Frames: {}", rows.len());
    assert!(head.contains(&declared));
    let mut listening = Listening::start(&folder, "-o live.glb --record take.glb.bvh --set closure.blend=0.2");
    listening.send(head.replace(&declared, "Frames: 0").as_bytes());
    for rows in rows.chunks(23) {
        listening.send(rows.concat().as_bytes());
    }
    let answer = listening.ends().done();
    answer.says("cycle 3: ");
    answer.says("ms after its end");
    answer.begins("live.glb: ");
    assert!(folder.read("take.glb.bvh") == walk);
    let files = || ["live.glb", "live.glb.json"].map(|name| folder.read(name));
    let written = files();
    folder.succeed("make take.glb.bvh -o live.glb --force --set closure.blend=0.2");
    assert!(files() == written);
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
    wait_for(|| folder.file("live.bvh.json").exists());
    let first = folder.text("live.bvh");
    let (head_of_loop, rows_of_loop) = split(&first);
    assert!(head_of_loop.contains(&format!("Frames: {}\n", rows_of_loop.len())));
    let warned = folder.json("live.bvh.json")["warnings"].to_string();
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
        let is_whole = head.contains(&format!("Frames: {}\n", rows.len()));
        assert!(is_whole, "a loop is not whole");
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
    rows.insert(101, "\x0B\n".to_owned());
    rows.push("1 2 3 4".to_owned());
    let text = head.clone() + &rows.concat();
    let answer = folder.heard(text.as_bytes(), "-o live.bvh --record take.bvh").wrote();
    answer.says("is no value of a channel; the row before stands in its place");
    answer.says(" has 3 values, and a row has ");
    answer.says("4 lines were no rows\n");
    answer.says("the stream ended within a line");
    assert_eq!(answer.stderr.matches("stands in its place").count(), 3);
    let (_, recorded) = split(&folder.text("take.bvh"));
    assert_eq!(recorded.len(), count);
    assert_eq!([&recorded[60], &recorded[61]], [&recorded[59]; 2]);
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
    let is_first = answer.stderr.contains("of number 1 is");
    folder.is_made_of(["part-2.bvh", "part.bvh"][usize::from(is_first)], "parts.bvh");

    // The loop and the recipe have names that recordings would have.
    folder.write("again-3.bvh", "");
    let flags = "-o again-2.bvh --record again.bvh --recipe again-3.bvh --force --json";
    let (_, last) = lines(&folder.heard(text.as_bytes(), flags).wrote());
    let written = ["again-2.bvh", "again-2.bvh.json", "again.bvh", "again-4.bvh"];
    assert_eq!(last["outputs"], serde_json::json!(written));
    assert_eq!(folder.read("again-4.bvh"), folder.read("part-2.bvh"));
    assert_eq!(folder.read("again-3.bvh"), b"");

    // A row in whose place none can stand; and one that is lost at the end makes no recording of its own.
    let text = [&head, "lost\n", &good[..20].concat(), &"lost\n".repeat(20)].concat();
    let answer = folder
        .heard(text.as_bytes(), "-o short.bvh --record first.bvh")
        .ended(1);
    answer.says("\"lost\" is no value of a channel\n");
    answer.says("too many rows are lost");
    assert_eq!(split(&folder.text("first.bvh")).1.len(), 28);
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
        -o new.bvh --port 0 --fps 1e9    | --fps must lie between 5 and 480
        -o new.bvh --port 0 --fps 1e-300 | --fps must lie between 5 and 480
        -o new.bvh --record new.bvh      | cannot be both the loop and what was heard
        -o new.bvh --record ./new.bvh    | cannot be both the loop and what was heard
        -o new.bvh --port 70000          | 70000
        -o new.bvh --recipe frames.toml  | names frames
        -o new.txt                       | unsupported extension
        ",
    );
    assert_eq!(folder.read("there.bvh"), b"mine");
    let (head, rows) = split(&folder.text("walk.bvh"));
    let row_text = rows.concat();
    // The last two are files that are read, and no streams of lines.
    for (file, status, words) in [
        (String::new(), 1, "no pose came"),
        ("hello\n".to_owned(), 2, "not a BVH file"),
        (
            head.replace("Frame Time: ", "Frame Time:\n") + &row_text,
            1,
            "the stream ended within its header",
        ),
        (
            head.replace('\n', "\r") + &row_text,
            1,
            "the stream ended within its header",
        ),
    ] {
        folder.heard(file.as_bytes(), "-o new.bvh").ended(status).says(words);
    }
    // Too short to hold a loop: nothing is found, and what was heard is kept.
    let short = head + &rows[..20].concat();
    let answer = folder
        .heard(short.as_bytes(), "-o new.bvh --record short.bvh --json")
        .ended(1);
    let error = answer.json();
    assert_valid(&error, "error");
    holds(&error, "outputs = [\"short.bvh\"]");
    assert_eq!(split(&folder.text("short.bvh")).1.len(), 20);
    assert!(!folder.has("new.bvh"));
    // As long as was asked for, and as long as there is memory for.
    let walk = folder.read("walk.bvh");
    let answer = folder
        .heard(&walk, "-o two.bvh --record two-take.bvh --seconds 2")
        .wrote();
    assert!(!answer.stderr.contains("within a line"), "{}", answer.stderr);
    assert_eq!(split(&folder.text("two-take.bvh")).1.len(), 60);
    let answer = folder.heard(&walk, "-o new.bvh --record little.bvh --max-memory 3M");
    answer.says("there is no memory for a longer recording");
    answer.says("--max-memory with more than");
    // A sender that stops.
    let mut listening = Listening::start(&folder, "-o stops.bvh --timeout 1");
    listening.send(&walk);
    let since = Instant::now();
    let answer = listening.wait().wrote();
    answer.says("no motion came for 1 s: the stream ends");
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
    wait_for(|| folder.file("live.bvh").exists());
    listening.interrupt();
    let answer = listening.wait().ended(130);
    answer.says("stopped: the last loop is made of the whole");
    folder.is_made_of("take.bvh", "live.bvh");

    // If no pose came there is no last loop, and the status still tells what ended the command.
    let mut listening = Listening::start(&folder, "--port 0 -o none.bvh --json");
    listening.port();
    listening.interrupt();
    let answer = listening.wait().ended(130);
    answer.says("no pose came");
    assert!(!answer.stderr.contains("stopped"), "{}", answer.stderr);
    let error = answer.json();
    assert_valid(&error, "error");
    holds(&error, "error/exit_status = 130");
}

/// A message of Open Sound Control: a name and numbers.
fn message(address: &str, name: Option<&str>, numbers: &[f32]) -> Vec<u8> {
    let filled = |text: &str| {
        let mut bytes = text.as_bytes().to_vec();
        bytes.resize((text.len() / 4 + 1) * 4, 0);
        bytes
    };
    let types = format!(
        ",{}{}",
        if name.is_some() { "s" } else { "" },
        "f".repeat(numbers.len())
    );
    let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_be_bytes()).collect();
    let name = name.map(filled).unwrap_or_default();
    [filled(address), filled(&types), name, numbers].concat()
}

/// The bundle of a frame, as a sender in Unity states it.
fn bundle(take: &Take, frame: usize, secs: f64) -> Vec<u8> {
    let root = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
    let mut parts = vec![message("/VMC/Ext/Root/Pos", Some("root"), &root)];
    for [joint, bone] in rows(
        "
        Hips          | Hips
        Spine         | Spine
        Spine1        | Chest
        Spine2        | UpperChest
        Neck          | Neck
        Head          | Head
        LeftShoulder  | LeftShoulder
        LeftArm       | LeftUpperArm
        LeftForeArm   | LeftLowerArm
        LeftHand      | LeftHand
        RightShoulder | RightShoulder
        RightArm      | RightUpperArm
        RightForeArm  | RightLowerArm
        RightHand     | RightHand
        LeftUpLeg     | LeftUpperLeg
        LeftLeg       | LeftLowerLeg
        LeftFoot      | LeftFoot
        LeftToeBase   | LeftToes
        RightUpLeg    | RightUpperLeg
        RightLeg      | RightLowerLeg
        RightFoot     | RightFoot
        RightToeBase  | RightToes
        ",
    ) {
        let place = take.pose(frame).joint(take.skeleton().find(joint).unwrap());
        let (p, q) = (place.translation.as_vec3(), place.rotation.as_quat());
        let numbers = [-p.x, p.y, p.z, q.x, -q.y, -q.z, q.w];
        parts.push(message("/VMC/Ext/Bone/Pos", Some(bone), &numbers));
    }
    parts.push(message("/VMC/Ext/T", None, &[secs as f32]));
    let mut bytes = b"#bundle\0\0\0\0\0\0\0\0\x01".to_vec();
    for part in parts {
        bytes.extend((part.len() as u32).to_be_bytes());
        bytes.extend(part);
    }
    bytes
}

/// Sends frames of a take to a run that listens; its clock says that they come at this rate.
fn send_frames(take: &Take, frames: usize, rate_hz: f64, port: u16) -> UdpSocket {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    for frame in 0..frames {
        let packet = bundle(take, frame, 7.0 + frame as f64 / rate_hz);
        socket.send_to(&packet, ("127.0.0.1", port)).unwrap();
        sleep(Duration::from_millis(3));
    }
    socket
}

#[test]
fn a_walk_that_comes_by_vmc_is_looped_too() {
    let folder = Folder::with_synth("--seconds 6 --fps 30");
    let take = folder.take("walk.bvh");
    let mut listening = Listening::start(&folder, "--port 0 -o live.bvh --record take.bvh --json --timeout 3");
    let port = listening.port();
    let socket = send_frames(&take, take.num_frames(), 30.0, port);
    // No packet, and no bone of this body.
    socket.send_to(b"#bundle\0", ("127.0.0.1", port)).unwrap();
    let answer = listening.wait().done();
    answer.says("none of Open Sound Control");
    let (loops, last) = lines(&answer);
    holds(&loops[0], "cycle = 3");
    holds(&last, &format!("frames = {}", take.num_frames()));
    folder.is_made_of("take.bvh", "live.bvh");
    // The same walk, at the same place.
    let heard = folder.take("take.bvh");
    let (own, world) = (take.world_tracks(), heard.world_tracks());
    for (joint, bone) in [
        ("LeftToeBase", "LeftToes"),
        ("RightHand", "RightHand"),
        ("Head", "Head"),
    ] {
        let [joint, bone] = [take.skeleton().find(joint), heard.skeleton().find(bone)].map(Option::unwrap);
        for frame in 0..heard.num_frames() {
            let off = own.position(frame, joint).distance(world.position(frame, bone));
            assert!(off < 1e-4, "{joint}: {off}");
        }
    }
}
