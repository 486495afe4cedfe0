//! Runs the real command in a fresh folder and keeps its output.

pub(crate) mod schema;

use std::{
    cmp::Ordering,
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use base64::prelude::{BASE64_STANDARD, Engine};
use glam::DVec3;
use loopwright_core::{Take, math::Twist};
use loopwright_formats::{ReadSettings, SpaceSettings, UnitChoice, UpChoice};
use serde_json::Value;
use tempfile::TempDir;

/// The program under test, without the colour settings of the caller's environment.
pub(crate) fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_loopwright"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(variable);
    }
    command
}

/// Status and output of the command.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The arguments.
    asked: String,
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Answer {
    /// Fails the test if the command panicked or was killed.
    pub(crate) fn new(output: Output) -> Self {
        Self::to("", output)
    }

    fn to(asked: &str, output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("answers are UTF-8");
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        let status = output.status.code();
        let status = status.unwrap_or_else(|| panic!("killed by a signal: {:?}\n{stderr}", output.status));
        assert!(
            status != 101 && !stderr.contains("panicked"),
            "{asked} panicked:\n{stderr}"
        );
        Self {
            asked: asked.to_owned(),
            status,
            stdout,
            stderr,
        }
    }

    /// Asserts the exit status.
    pub(crate) fn ended(self, status: i32) -> Self {
        assert_eq!(self.status, status, "{}: {}{}", self.asked, self.stdout, self.stderr);
        self
    }

    /// Asserts success.
    pub(crate) fn done(self) -> Self {
        self.ended(0)
    }

    /// Asserts that a loop was written, whatever its grade.
    pub(crate) fn wrote(self) -> Self {
        assert!(self.status < 2, "{}: {}{}", self.asked, self.stdout, self.stderr);
        self
    }

    /// Asserts that it ended with an error.
    pub(crate) fn refused(self) -> Self {
        self.ended(2)
    }

    /// Asserts that these words are among the messages.
    pub(crate) fn says(&self, words: &str) {
        assert!(
            self.stderr.contains(words),
            "{}: not {words:?}: {}",
            self.asked,
            self.stderr
        );
    }

    pub(crate) fn shows(&self, words: &str) {
        assert!(
            self.stdout.contains(words),
            "{}: not {words:?}: {}",
            self.asked,
            self.stdout
        );
    }

    pub(crate) fn begins(&self, words: &str) {
        assert!(
            self.stdout.starts_with(words),
            "{}: not {words:?}: {}",
            self.asked,
            self.stdout
        );
    }

    /// The one JSON document on stdout.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error} in {:?}", self.stdout))
    }

    /// The JSON documents on stdout, one a line.
    pub(crate) fn json_lines(&self) -> Vec<Value> {
        let lines = self.stdout.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

/// Bytes with a part replaced by another of the same length, wherever it is.
pub(crate) fn replaced(bytes: &[u8], part: &[u8], other: &[u8]) -> Vec<u8> {
    assert_eq!(part.len(), other.len());
    let places = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(part));
    let places: Vec<usize> = places.collect();
    assert!(!places.is_empty(), "{} is not there", String::from_utf8_lossy(part));
    let mut bytes = bytes.to_vec();
    for at in places {
        bytes[at..at + part.len()].copy_from_slice(other);
    }
    bytes
}

/// A fresh folder in which the command runs; removed when the value is dropped.
pub(crate) struct Folder(TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    /// A folder with `walk.bvh`, four seconds at 30 fps, and its truth.
    pub(crate) fn with_walk() -> Self {
        Self::with_synth("--seconds 4 --fps 30")
    }

    /// A folder with `walk.bvh` made with these options, and its truth.
    pub(crate) fn with_synth(options: &str) -> Self {
        let folder = Self::new();
        folder.run(&format!("synth -o walk.bvh {options}")).done();
        folder
    }

    /// A folder with `hero.glb`: the walk with a mesh that does not state that it only stands in for a character.
    pub(crate) fn with_character() -> Self {
        let folder = Self::new();
        folder.run("synth -o hero.glb --seconds 4 --fps 30").done();
        let named = replaced(
            &folder.read("hero.glb"),
            b"\"generator\":\"loopwright\"",
            b"\"generator\":\"else_where\"",
        );
        folder.write("hero.glb", named);
        folder
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    /// Runs the command with arguments split at spaces.
    pub(crate) fn run(&self, arguments: &str) -> Answer {
        self.run_list(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_list(&self, arguments: &[&str]) -> Answer {
        let output = command().args(arguments).current_dir(self.path()).output().unwrap();
        Answer::to(&arguments.join(" "), output)
    }

    /// Starts the command without a word of it.
    #[cfg(unix)]
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        let mut run = command();
        run.args(arguments).current_dir(self.path());
        run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    }

    /// Runs the command with a file from elsewhere, whose name may hold anything, in place of the word FILE.
    pub(crate) fn run_on(&self, file: &Path, arguments: &str) -> Answer {
        let words = arguments.split_whitespace();
        let named = words.map(|word| if word == "FILE" { file.to_str().unwrap() } else { word });
        self.run_list(&named.collect::<Vec<_>>())
    }

    /// Runs the command and asserts success.
    pub(crate) fn succeed(&self, arguments: &str) -> Answer {
        self.run(arguments).done()
    }

    /// Runs the command, asserts success, and returns its JSON.
    pub(crate) fn answer(&self, arguments: &str) -> Value {
        self.succeed(arguments).json()
    }

    /// Runs the command and asserts that it ends with an error.
    pub(crate) fn fail(&self, arguments: &str) -> Answer {
        self.run(arguments).refused()
    }

    /// Runs the command and asserts that it ends with an error that says these words.
    pub(crate) fn refuse(&self, arguments: &str, words: &str) -> Answer {
        let answer = self.fail(arguments);
        answer.says(words);
        answer
    }

    /// Asserts of each row of a table that the command with these arguments is refused with these words.
    pub(crate) fn refuse_all(&self, command: &str, table: &str) {
        for [arguments, words] in rows(table) {
            self.refuse(&format!("{command} {arguments}"), words);
        }
    }

    /// Runs commands, a row each, and asserts what each prints on either stream: the words behind every `|`, and not those behind
    /// `|!`. A command ends with the status that its row begins with, or with 0.
    pub(crate) fn runs(&self, table: &str) {
        for row in lines(table) {
            let mut columns = row.split('|').map(str::trim);
            let command = columns.next().unwrap();
            let stated = command.split_once(' ').map(|(first, rest)| (first.parse(), rest));
            let (status, arguments) = match stated {
                Some((Ok(status), arguments)) => (status, arguments),
                _ => (0, command),
            };
            let answer = self.run(arguments).ended(status);
            let printed = answer.stdout + &answer.stderr;
            for words in columns {
                let unwanted = words.strip_prefix('!');
                assert!(!words.is_empty(), "{row} says no words");
                let is_there = printed.contains(unwanted.unwrap_or(words));
                assert_eq!(is_there, unwanted.is_none(), "{row}: {printed}");
            }
        }
    }

    /// Whether all these files are there, with spaces between their names.
    pub(crate) fn has(&self, names: &str) -> bool {
        names.split(' ').all(|name| self.file(name).exists())
    }

    pub(crate) fn remove(&self, name: &str) {
        fs::remove_file(self.file(name)).unwrap();
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        fs::write(self.file(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn copy(&self, from: &str, to: &str) {
        fs::copy(self.file(from), self.file(to)).unwrap();
    }

    pub(crate) fn make_folder(&self, name: &str) {
        fs::create_dir(self.file(name)).unwrap();
    }

    /// All entries of the folder with their bytes, including hidden files; folders have no bytes.
    pub(crate) fn contents(&self) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
        let mut contents = BTreeMap::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let name = path.strip_prefix(self.path()).unwrap().to_owned();
                if path.is_dir() {
                    contents.insert(name, None);
                    folders.push(path);
                } else {
                    contents.insert(name, Some(fs::read(path).unwrap()));
                }
            }
        }
        contents
    }

    /// Names of all entries of the folder, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        self.contents().keys().map(|name| name.display().to_string()).collect()
    }

    /// Makes `loop.bvh` from `walk.bvh` and returns the JSON of the command.
    pub(crate) fn made(&self, options: &str) -> Value {
        self.answer(&format!("make walk.bvh -o loop.bvh --force --json {options}"))
    }

    /// Asserts that `check` finds that `loop.bvh` loops.
    pub(crate) fn loops(&self) {
        let checked = self.run("check loop.bvh").done();
        assert!(checked.stdout.starts_with("loop.bvh: "), "{}", checked.stdout);
        assert!(!checked.stdout.starts_with("loop.bvh: bad"), "{}", checked.stdout);
    }

    /// A file as a take in metres, read as centimetres with Y up, as synthetic takes are written.
    pub(crate) fn take(&self, name: &str) -> Take {
        let space = SpaceSettings::new(UpChoice::Y, UnitChoice::Metres(0.01));
        loopwright_formats::read_take(&self.read(name), name, &ReadSettings::in_space(space), &mut Vec::new())
            .unwrap_or_else(|error| panic!("{name}: {error}"))
            .take
    }
}

/// The lines of a table in a text that are not empty.
pub(crate) fn lines(table: &str) -> impl Iterator<Item = &str> {
    table.lines().map(str::trim).filter(|row| !row.is_empty())
}

/// Rows of a table in a text: a row a line, `|` between its columns.
pub(crate) fn rows<const N: usize>(table: &str) -> impl Iterator<Item = [&str; N]> {
    lines(table).map(|row| {
        let columns: Vec<&str> = row.split('|').map(str::trim).collect();
        columns
            .try_into()
            .unwrap_or_else(|_| panic!("{row:?} has other columns than {N}"))
    })
}

/// A number in a JSON document, by the path of its keys and indices, separated by slashes.
pub(crate) fn number(json: &Value, keys: &str) -> f64 {
    let value = json.pointer(&format!("/{keys}"));
    let number = value.and_then(Value::as_f64);
    number.unwrap_or_else(|| panic!("{keys} is {value:?}, not a number"))
}

/// Asserts of a JSON document what rows say, with `;` or new lines between them: each has the path of a value, a sign (=, !=, <
/// or >), and JSON or plain words. What is not there is null.
#[track_caller]
pub(crate) fn holds(json: &Value, table: &str) {
    for row in table.split(['\n', ';']).map(str::trim).filter(|row| !row.is_empty()) {
        let mut words = row.splitn(3, ' ');
        let [path, sign, wanted] = [(); 3].map(|()| words.next().unwrap_or_else(|| panic!("{row:?} lacks a word")));
        let found = json.pointer(&format!("/{path}")).unwrap_or(&Value::Null);
        let wanted: Value = serde_json::from_str(wanted).unwrap_or_else(|_| wanted.into());
        let order = match (found.as_f64(), wanted.as_f64()) {
            (Some(found), Some(wanted)) => found.partial_cmp(&wanted),
            _ => (*found == wanted).then_some(Ordering::Equal),
        };
        let is_so = match sign {
            "=" => order == Some(Ordering::Equal),
            "!=" => order != Some(Ordering::Equal) && !found.is_null(),
            "<" => order == Some(Ordering::Less),
            ">" => order == Some(Ordering::Greater),
            _ => panic!("{sign} is no sign"),
        };
        assert!(is_so, "{row}: {found} in {json}");
    }
}

/// Asserts that two numbers differ by less than this.
#[track_caller]
pub(crate) fn near(found: f64, wanted: f64, within: f64) {
    assert!((found - wanted).abs() < within, "{found}, not {wanted}");
}

/// A glTF file as text whose motion lies in another file of this name, and the bytes of that file.
pub(crate) fn with_companion(mut gltf: Value, name: &str) -> (String, Vec<u8>) {
    // The body comes first, the motion last.
    let motion = gltf["buffers"].as_array_mut().unwrap().last_mut().unwrap();
    let (_, base64) = motion["uri"].as_str().unwrap().split_once("base64,").unwrap();
    let bytes = BASE64_STANDARD.decode(base64).unwrap();
    motion["uri"] = name.into();
    (gltf.to_string(), bytes)
}

/// The parts of a list in a JSON document.
pub(crate) fn items(list: &Value) -> impl DoubleEndedIterator<Item = &Value> + ExactSizeIterator {
    list.as_array().unwrap_or_else(|| panic!("{list} is no list")).iter()
}

/// The texts of this key in the parts of a list; empty where a part has none.
pub(crate) fn texts<'a>(list: &'a Value, key: &str) -> Vec<&'a str> {
    items(list).map(|part| part[key].as_str().unwrap_or_default()).collect()
}

/// The JSON of a binary glTF file, and the bytes of its buffer.
pub(crate) fn parts_of_glb(glb: &[u8]) -> (Value, &[u8]) {
    let end = 20 + u32::from_le_bytes(glb[12..16].try_into().unwrap()) as usize;
    (serde_json::from_slice(&glb[20..end]).unwrap(), &glb[end + 8..])
}

/// A binary glTF file of one buffer.
pub(crate) fn glb_of(json: &Value, buffer: &[u8]) -> Vec<u8> {
    let mut text = serde_json::to_vec(json).unwrap();
    text.resize(text.len().next_multiple_of(4), b' ');
    let number = |length: usize| (length as u32).to_le_bytes();
    let chunk = |kind: &[u8], data: &[u8]| [&number(data.len()), kind, data].concat();
    let chunks = [chunk(b"JSON", &text), chunk(b"BIN\0", buffer)].concat();
    [b"glTF", &number(2)[..], &number(12 + chunks.len()), &chunks].concat()
}

/// Three numbers of a JSON document.
pub(crate) fn vector(value: &Value) -> DVec3 {
    let numbers = value.as_array().unwrap();
    assert_eq!(numbers.len(), 3);
    DVec3::from_array([0, 1, 2].map(|index: usize| numbers[index].as_f64().unwrap()))
}

pub(crate) fn root_twist(sidecar: &Value) -> Twist {
    Twist {
        linear: vector(&sidecar["root_motion"]["linear_velocity_mps"]),
        angular: vector(&sidecar["root_motion"]["angular_velocity_radps"]),
    }
}

/// Makes a pipe, which has no end.
#[cfg(unix)]
pub(crate) fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Sends a signal to a run, such as that of Ctrl-C.
#[cfg(unix)]
pub(crate) fn signal(run: &Child, name: &str) {
    let id = run.id().to_string();
    assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
}
