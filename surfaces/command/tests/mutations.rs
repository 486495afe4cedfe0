//! Input that nobody wrote: changed files, changed recipes, random flags. Nothing panics, hangs, loses a file or leaves half of
//! one.
//!
//! `LOOPWRIGHT_MUTATIONS=40` runs forty times as many, `LOOPWRIGHT_SEED=3` others. A failure prints what gives it again.

use std::{
    collections::BTreeMap,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
    process::{Output, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use crate::harness::{Answer, Folder, command, lines};
use rand_pcg::{Pcg64, rand_core::Rng};

/// No run of the command on these small takes may take longer than this, on however busy a machine.
const HANGS: Duration = Duration::from_secs(120);

struct Random(Pcg64);

impl Random {
    /// The stream of one kind of mutation.
    fn new(stream: u64) -> Self {
        Self(Pcg64::new(
            u128::from(from_environment("LOOPWRIGHT_SEED", 7)),
            u128::from(stream),
        ))
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.0.next_u64() % limit as u64) as usize
    }

    fn chance(&mut self, one_in: usize) -> bool {
        self.below(one_in) == 0
    }

    fn of<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

fn from_environment(name: &str, otherwise: u64) -> u64 {
    env::var(name).map_or(otherwise, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is a number"))
    })
}

/// So many, or more if the environment asks for them.
fn rounds(usual: u64) -> u64 {
    usual * from_environment("LOOPWRIGHT_MUTATIONS", 1)
}

/// Values that programs trip over.
const NASTY: &str = "0 1 -1 2 3 0.5 -0.0 1e-300 1e300 -1e300 1e999 nan inf -inf 4294967296 18446744073709551616 \
    99999999999 0.0001 17 a auto all off 0:0 0:20 20:0 30:60 -5:40 0:999999 : 1: :2 0:1e9 Hips LeftFoot \
    * LeftFoot:3:9 Nobody [] {}";

/// Further bad values that are not words.
const NASTIER: [&str; 4] = ["", " ", "\u{E4}\u{1F9B6}", "\x1b[31m"];

fn nasty(random: &mut Random) -> &'static str {
    let all: Vec<&str> = NASTY.split(' ').chain(NASTIER).collect();
    random.of(&all)
}

/// Changes some bytes: of text, of a binary file, of anything.
fn mutated(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    for _ in 0..=random.below(4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.below(bytes.len());
        let to = (at + 1 + random.below(60)).min(bytes.len());
        match random.below(8) {
            0 => bytes[at] = random.below(256) as u8,
            1 => bytes[at] ^= 1 << random.below(8),
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..to)),
            4 => {
                let copy = bytes[at..to].to_vec();
                let target = random.below(bytes.len());
                bytes.splice(target..target, copy);
            }
            5 => drop(bytes.splice(at..at, nasty(random).bytes())),
            6 => {
                // Sizes and counts of binary files are numbers of four bytes.
                let number = [0, 1, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, 0x0100_0000_u32][random.below(6)];
                let number = number.to_le_bytes();
                let at = at & !3;
                let room = (bytes.len() - at).min(4);
                bytes[at..at + room].copy_from_slice(&number[..room]);
            }
            _ => replace_word(&mut bytes, at, random),
        }
    }
    bytes
}

/// Replaces the number or word around a place, as a person who edits a text would.
fn replace_word(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-._".contains(byte);
    let from = bytes[..at]
        .iter()
        .rposition(|byte| !is_word(byte))
        .map_or(0, |before| before + 1);
    let to = bytes[at..]
        .iter()
        .position(|byte| !is_word(byte))
        .map_or(bytes.len(), |after| at + after);
    bytes.splice(from..to.max(from), nasty(random).bytes());
}

/// A folder with the same short take in every format, a loop with its sidecar, and a recipe.
fn seeds() -> Folder {
    let folder = Folder::new();
    folder.succeed("synth -o walk.bvh --seconds 2.6 --fps 20");
    fs::remove_file(folder.file("walk.bvh.truth.json")).unwrap();
    folder.runs(
        "
        convert walk.bvh walk.fbx
        convert walk.bvh walk.glb
        convert walk.bvh walk.gltf
        convert walk.bvh walk.npz
        match build walk.bvh -o takes.lwmatch
        ",
    );
    folder.write("path.csv", "0,0,0\n3,0,3.6\n6,2,6\n");
    folder.succeed(
        "make walk.bvh -o loop.bvh --save-recipe recipe.toml --set closure.method-start=spring --set closure.method-end=quintic \
             --set closure.blend-start=0.1 --set closure.blend-end=0.3 --set joint=*Hand:spring:0.1 --set stance=LeftFoot:0.1s:0.4s \
             --set take.feet=LeftFoot,RightFoot --smooth 6 --set take.weights=Head=0 --set output.root-space=ground --set output.last-key=drop",
    );
    folder
}

/// Ends a test with how to repeat its round.
fn repeating<T>(what: &str, round: u64, input: &[u8], body: impl FnOnce() -> T) -> T {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        let kept = env::temp_dir().join(format!("loopwright-mutation-{what}-{round}"));
        let _ = fs::write(&kept, input);
        let seed = from_environment("LOOPWRIGHT_SEED", 7);
        panic!(
            "{what}, round {round} of seed {seed}; the input is in {}",
            kept.display()
        )
    })
}

/// Runs the command in a folder, whose first files it may not change.
struct Trial {
    folder: Folder,
    first: BTreeMap<PathBuf, Option<Vec<u8>>>,
}

impl Trial {
    fn new(folder: Folder) -> Self {
        let first = folder.contents();
        Self { folder, first }
    }

    /// One run, judged; the folder is then as before.
    fn run(&self, arguments: &[String]) -> i32 {
        let answer = Answer::new(self.output(arguments));
        let Answer {
            status, stdout, stderr, ..
        } = &answer;
        assert!((0..=2).contains(status), "status {status}: {stderr}");
        let after = self.folder.contents();
        for (name, bytes) in &self.first {
            let now = after.get(name).unwrap_or_else(|| panic!("{} is gone", name.display()));
            // Only what is asked for with --force may be replaced, and never by less than a whole file.
            if now != bytes {
                let forced = arguments.iter().any(|argument| argument == "--force") && *status != 2;
                assert!(
                    forced && !now.as_ref().is_some_and(Vec::is_empty),
                    "{} changed",
                    name.display()
                );
            }
        }
        for name in after.keys().filter(|name| !self.first.contains_key(*name)) {
            assert!(
                *status != 2,
                "{} is left by a run that failed: {stderr}",
                name.display()
            );
            let text = name.display().to_string();
            // The journal of many takes stays, so that a later run can go on.
            let is_journal = text == ".loopwright-batch.jsonl";
            assert!(is_journal || !text.starts_with('.'), "{text} is left");
            // Settings, plots and recipes are written under any name that is asked for.
            let is_no_motion = |flag: &String| !flag.starts_with("--output=") && flag.ends_with(&format!("={text}"));
            let kinds = [".bvh", ".glb", ".gltf", ".fbx"];
            if kinds.iter().any(|kind| text.ends_with(kind)) && !arguments.iter().any(is_no_motion) {
                self.folder.run_list(&["inspect", "--", &text]).done();
            }
        }
        if *status == 2 {
            assert!(stderr.contains("error: "), "{stderr}");
            assert!(
                !stderr.contains('\x1b') && !stdout.contains('\x1b'),
                "escape codes: {stderr}"
            );
        }
        if arguments.iter().any(|argument| argument == "--json") && !asks_for_text(arguments) {
            answer.json();
        }
        self.restore(&after);
        *status
    }

    fn restore(&self, after: &BTreeMap<PathBuf, Option<Vec<u8>>>) {
        for name in after.keys().filter(|name| !self.first.contains_key(*name)).rev() {
            let path = self.folder.file(&name.display().to_string());
            if path.is_dir() {
                let _ = fs::remove_dir_all(path);
            } else {
                fs::remove_file(path).unwrap();
            }
        }
        for (name, bytes) in &self.first {
            if let Some(bytes) = bytes.as_ref().filter(|bytes| after[name].as_ref() != Some(bytes)) {
                self.folder.write(&name.display().to_string(), bytes);
            }
        }
    }

    /// Returns the output of the command, if it ends in time.
    fn output(&self, arguments: &[String]) -> Output {
        let mut run = command();
        run.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        let (send, received) = mpsc::channel();
        thread::spawn(move || send.send(run.output()));
        let output = received.recv_timeout(HANGS);
        output
            .unwrap_or_else(|_| panic!("still running after {HANGS:?}: {arguments:?}"))
            .unwrap()
    }
}

/// Help and version are text whatever else is asked for.
fn asks_for_text(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| {
        ["-h", "--help", "-V", "--version"].contains(&argument.as_str()) || argument == "help" || argument == "--"
    })
}

fn words(arguments: &str) -> Vec<String> {
    arguments.split(' ').map(str::to_owned).collect()
}

#[test]
fn changed_takes_lose_nothing() {
    let seeds = seeds();
    let mut random = Random::new(10);
    let mut ends = [0; 3];
    for round in 0..rounds(120) {
        let kind = random.of(&["bvh", "fbx", "glb", "gltf", "npz"]);
        let bytes = mutated(&seeds.read(&format!("walk.{kind}")), &mut random);
        let folder = Folder::new();
        folder.write(&format!("changed.{kind}"), &bytes);
        let command = random.of(&[
            "inspect changed.KIND --json",
            "find changed.KIND --json",
            "convert changed.KIND out.bvh --json",
            "convert changed.KIND out.glb --json",
            "convert changed.KIND out.fbx --json",
            "check changed.KIND --json",
            "list changed.KIND --json",
            "make changed.KIND --range 4:28 -o out.KIND --json",
        ]);
        let (run, changed) = (words(&command.replace("KIND", kind)), Trial::new(folder));
        ends[repeating("take", round, &bytes, || changed.run(&run)) as usize] += 1;
    }
    assert!(ends[0] > 5 && ends[2] > 5, "{ends:?}");
}

/// Files that are read beside takes, each with a command that reads it.
const READ_BESIDE: [(&str, &str); 8] = [
    ("recipe.toml", "make walk.bvh --recipe recipe.toml -o out.bvh --json"),
    ("map.toml", "retarget walk.bvh --rig walk.glb --map map.toml -o out.glb"),
    ("loop.bvh.json", "check loop.bvh --json"),
    ("loop.bvh.json", "report loop.bvh -o out.html"),
    ("loops.csv", "catalog loops.csv --json"),
    ("loops.jsonl", "catalog loops.jsonl --json"),
    ("takes.lwmatch", "match inspect takes.lwmatch"),
    ("takes.lwmatch", "match walk takes.lwmatch path.csv -o out.bvh"),
];

#[test]
fn changed_settings_and_facts_are_followed_or_refused() {
    let mut trial = Trial::new(seeds());
    trial.folder.runs(
        "
        make walk.bvh -o loops/ --catalog loops.csv
        catalog loops.csv -o loops.jsonl
        retarget walk.bvh --rig walk.glb -o moved.glb --save-map map.toml
        ",
    );
    trial.first = trial.folder.contents();
    let mut random = Random::new(11);
    let mut ends = [0; 3];
    for round in 0..rounds(200) {
        let (name, run) = READ_BESIDE[random.below(READ_BESIDE.len())];
        let original = trial.folder.read(name);
        let bytes = mutated(&original, &mut random);
        trial.folder.write(name, &bytes);
        trial.first.insert(name.into(), Some(bytes.clone()));
        ends[repeating("beside", round, &bytes, || trial.run(&words(run))) as usize] += 1;
        trial.folder.write(name, &original);
        trial.first.insert(name.into(), Some(original));
    }
    assert!(ends[0] > 5 && ends[2] > 5, "{ends:?}");
}

/// A flag as the help lists it.
struct Flag {
    name: String,
    takes_value: bool,
    /// Values that the help names.
    values: Vec<String>,
}

/// The flags of a command, read from its help, so that none is forgotten.
fn flags(folder: &Folder, command: &str) -> Vec<Flag> {
    let help = folder.succeed(&format!("{command} --help")).stdout;
    let mut flags: Vec<Flag> = Vec::new();
    for line in help.lines() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        let long = text
            .split_once("--")
            .filter(|(before, _)| before.is_empty() || before.starts_with('-'));
        if let Some((_, long)) = long.filter(|_| (2..=8).contains(&indent)) {
            let end = long.find([' ', '=']).unwrap_or(long.len());
            flags.push(Flag {
                name: format!("--{}", &long[..end]),
                takes_value: long[end..].trim_start().starts_with('<'),
                values: Vec::new(),
            });
        } else if indent > 24
            && let Some(flag) = flags.last_mut()
            && let Some((value, _)) = text.split_once("  ")
        {
            flag.values.push(value.to_owned());
        }
    }
    flags.retain(|flag| flag.name != "--help" && flag.name != "--max-memory");
    flags
}

/// Commands with what they need: files to read, and names to write.
const COMMANDS: &str = "
    inspect FILE
    list FILE
    find FILE
    make FILE
    close FILE
    blend FILE LOOP
    play FILE LOOP
    cost FILE LOOP
    check FILE
    fit FILE
    render FILE
    convert FILE CONVERTED
    retarget FILE --rig FILE -o MOVED
    match build FILE -o DATABASE
    match query takes.lwmatch QUERY
    match walk takes.lwmatch PATH -o out.bvh
";

/// A file for a word of these commands.
fn filled<'a>(word: &'a str, random: &mut Random) -> &'a str {
    let files = match word {
        "FILE" => "walk.bvh walk.glb walk.fbx walk.gltf walk.npz loop.bvh",
        "LOOP" => "loop.bvh walk.bvh",
        "CONVERTED" => "out.bvh out.glb out.fbx out.xyz walk.bvh",
        "MOVED" => "out.bvh out.glb",
        "DATABASE" => "out.lwmatch takes.lwmatch",
        "QUERY" => "walk.bvh:0 walk.bvh:20 walk.bvh:999 loop.bvh",
        "PATH" => "path.csv walk.bvh",
        _ => word,
    };
    random.of(&files.split(' ').collect::<Vec<_>>())
}

#[test]
fn random_flags_are_followed_or_refused() {
    let trial = Trial::new(seeds());
    let is_name = |word: &&str| word.bytes().all(|byte| byte.is_ascii_lowercase());
    let commands: Vec<(&str, Vec<Flag>)> = lines(COMMANDS)
        .map(|command| {
            let name: Vec<&str> = command.split(' ').take_while(is_name).collect();
            (command, flags(&trial.folder, &name.join(" ")))
        })
        .collect();
    let of_make = commands[3].1.len();
    assert!(of_make > 40, "the flags of make are read from its help: {of_make}");
    let mut random = Random::new(12);
    let mut ends = [0; 3];
    for round in 0..rounds(300) {
        let (command, flags) = &commands[random.below(commands.len())];
        let command = command.split(' ');
        let mut run: Vec<String> = command.map(|word| filled(word, &mut random).to_owned()).collect();
        for _ in 0..random.below(5) {
            let flag = &flags[random.below(flags.len())];
            let value = if !flag.values.is_empty() && !random.chance(3) {
                &flag.values[random.below(flag.values.len())]
            } else if random.chance(3) {
                random.of(&["out.bvh", "out.svg", "out.glb", "out.gif", "no/x.bvh", "."])
            } else {
                nasty(&mut random)
            };
            // A value that begins with a hyphen would be a flag.
            run.push(if flag.takes_value {
                format!("{}={value}", flag.name)
            } else {
                flag.name.clone()
            });
        }
        let input = run.join(" ");
        ends[repeating("flags", round, input.as_bytes(), || trial.run(&run)) as usize] += 1;
    }
    assert!(ends[0] > 20 && ends[2] > 20, "{ends:?}");
}
