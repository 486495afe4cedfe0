//! Other programs, queried by scripts in xtask/peers that answer in lines of JSON.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{ffi::OsStr, io::ErrorKind};

use serde_json::{Value, json};

use super::write;
use crate::CHECKOUT;

/// Access to other programs.
pub(super) struct Peers {
    /// Where files for them are written.
    pub(super) scratch: PathBuf,
}

pub(super) enum Answer {
    /// One line for each question, in the format of the script.
    Given(Vec<Value>),
    /// No answer because this is missing.
    Skipped(String),
}

impl Answer {
    fn missing(what: &str) -> Self {
        Self::Skipped(what.to_owned())
    }
}

impl Peers {
    pub(super) fn new(scratch: PathBuf) -> Self {
        Self { scratch }
    }

    /// Writes the questions beside the files they are about, and returns the path.
    fn ask(&self, name: &str, questions: &[Value]) -> Result<PathBuf, String> {
        let path = self.scratch.join(name);
        write(&path, json!(questions).to_string().as_bytes())?;
        Ok(path)
    }

    pub(super) fn node(&self, script: &str, questions: &[Value]) -> Result<Answer, String> {
        let needed = match script {
            "browser.mjs" => &["three", "puppeteer-core"][..],
            _ => &["three", "gltf-validator"],
        };
        let modules = PathBuf::from(std::env::var_os("NODE_PATH").unwrap_or_else(|| "node_modules".into()));
        if let Some(lacking) = needed.iter().find(|name| !modules.join(name).is_dir()) {
            return Ok(Answer::missing(&format!(
                "{lacking} from npm (the folder of modules is given by NODE_PATH)"
            )));
        }
        let path = self.ask(&format!("{script}.json"), questions)?;
        let modules = modules.canonicalize().map_err(|error| error.to_string())?;
        let mut node = Command::new("node");
        node.env("NODE_PATH", modules).arg(script_path(script)).arg(path);
        run(&mut node, questions.len())
    }

    pub(super) fn blender(&self, questions: &[Value]) -> Result<Answer, String> {
        let path = self.ask("blender.py.json", questions)?;
        let mut blender = Command::new("blender");
        blender.args(["-b", "--factory-startup", "--python-exit-code", "1", "-P"]);
        blender.arg(script_path("blender.py")).arg("--").arg(path);
        run(&mut blender, questions.len())
    }

    /// Has Godot import the project in a folder of the scratch folder, and asks it.
    pub(super) fn godot(&self, project: &Path, questions: &[Value]) -> Result<Answer, String> {
        write(&project.join("questions.json"), json!(questions).to_string().as_bytes())?;
        let script = std::fs::read(script_path("godot.gd")).map_err(|error| error.to_string())?;
        write(&project.join("godot.gd"), &script)?;
        let server = |arguments: &[&str]| {
            let mut command = Command::new("godot3-server");
            // Godot saves its settings there; without it, some are not saved.
            command.env("HOME", project).arg("--path").arg(project).args(arguments);
            command
        };
        let mut editor = server(&["--editor", "--quit"]);
        match editor.stdout(Stdio::null()).stderr(Stdio::null()).spawn() {
            Ok(mut editor) => wait_for_imports(&mut editor, &project.join(".import"), questions.len())?,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answer::missing("godot3-server")),
            Err(error) => return Err(format!("godot3-server: {error}")),
        }
        run(&mut server(&["--script", "godot.gd"]), questions.len())
    }
}

/// Longest that an editor may take to import a project.
const MOST_IMPORT_TIME: Duration = Duration::from_secs(600);

/// Waits until an editor exits or has imported `count` files: with many files it imports all of them but never exits.
fn wait_for_imports(editor: &mut Child, folder: &Path, count: usize) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("godot3-server: {error}");
    let start = Instant::now();
    while editor.try_wait().map_err(failed)?.is_none() {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        // The last file written of each import.
        let imported = files.filter(|file| file.path().extension().is_some_and(|extension| extension == "md5"));
        if imported.count() >= count || start.elapsed() > MOST_IMPORT_TIME {
            editor.kill().map_err(failed)?;
            editor.wait().map_err(failed)?;
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    Ok(())
}

fn script_path(script: &str) -> PathBuf {
    let path = Path::new(CHECKOUT).join("xtask/peers").join(script);
    path.canonicalize().unwrap_or(path)
}

/// Runs a program to its end. Output lines that are JSON objects are its answers, one per question; others are ignored.
fn run(command: &mut Command, num_asked: usize) -> Result<Answer, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answer::missing(&program)),
        Err(error) => return Err(format!("{program}: {error}")),
    };
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = printed.lines().chain(complaint.lines()).rev().take(12).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(format!("{program} failed:\n{}", last.join("\n")));
    }
    let objects = printed.lines().filter(|line| line.starts_with('{'));
    let answers: Vec<Value> = objects
        .map(|line| serde_json::from_str(line).map_err(|error| format!("{program}: {error}: {line}")))
        .collect::<Result<_, _>>()?;
    if answers.len() != num_asked {
        return Err(format!("{program} answered {} of {num_asked} questions", answers.len()));
    }
    Ok(Answer::Given(answers))
}

/// The version that a program reports; `None` if it is not installed.
pub(super) fn version(program: impl AsRef<OsStr>) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.lines().next().map(|line| line.trim().to_owned())
}

/// A number of an answer; NaN if it is missing, because 0 would hide a fault.
pub(super) fn number(answer: &Value, key: &str) -> f64 {
    answer.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
