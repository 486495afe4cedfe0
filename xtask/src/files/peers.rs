//! Other programs, asked by scripts of xtask/peers that answer in lines of JSON.

use std::{
    ffi::OsStr,
    io::ErrorKind,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

use super::write;
use crate::checkout;

/// How to reach other programs.
pub(super) struct Peers {
    /// Where files for them are written.
    pub(super) scratch: PathBuf,
}

/// What a program answered.
pub(super) enum Answer {
    /// Lines, one for each question, as the script says.
    Told(Vec<Value>),
    /// What is missing.
    Missing(String),
}

impl Peers {
    pub(super) fn new(scratch: PathBuf) -> Self {
        Self { scratch }
    }

    /// Writes the questions beside the files they are about; the path.
    fn ask(&self, name: &str, questions: &Value) -> Result<PathBuf, String> {
        let path = self.scratch.join(name);
        write(&path, questions.to_string().as_bytes())?;
        Ok(path)
    }

    /// Asks a script for Node.
    pub(super) fn node(&self, script: &str, questions: &Value) -> Result<Answer, String> {
        let needed = match script {
            "browser.mjs" => &["three", "puppeteer-core"][..],
            _ => &["three", "gltf-validator"],
        };
        let modules = PathBuf::from(std::env::var_os("NODE_PATH").unwrap_or_else(|| "node_modules".into()));
        if let Some(lacking) = needed.iter().find(|name| !modules.join(name).is_dir()) {
            return Ok(Answer::Missing(format!(
                "{lacking} from npm (the folder of modules is given by NODE_PATH)"
            )));
        }
        let questions = self.ask(&format!("{script}.json"), questions)?;
        let modules = modules.canonicalize().map_err(|error| error.to_string())?;
        run(Command::new("node")
            .env("NODE_PATH", modules)
            .arg(script_path(script))
            .arg(questions))
    }

    /// Asks Blender.
    pub(super) fn blender(&self, questions: &Value) -> Result<Answer, String> {
        let questions = self.ask("blender.py.json", questions)?;
        let arguments = ["-b", "--factory-startup", "--python-exit-code", "1", "-P"];
        run(Command::new("blender")
            .args(arguments)
            .arg(script_path("blender.py"))
            .arg("--")
            .arg(questions))
    }

    /// Has Godot import the project in a folder of the scratch folder, and asks it.
    pub(super) fn godot(&self, project: &Path, questions: &Value) -> Result<Answer, String> {
        write(&project.join("questions.json"), questions.to_string().as_bytes())?;
        let script = std::fs::read(script_path("godot.gd")).map_err(|error| error.to_string())?;
        write(&project.join("godot.gd"), &script)?;
        let server = |arguments: &[&str]| {
            let mut command = Command::new("godot3-server");
            // Its settings go there; without, some go unsaved.
            command.env("HOME", project).arg("--path").arg(project).args(arguments);
            command
        };
        let count = questions.as_array().map_or(0, Vec::len);
        let editor = server(&["--editor", "--quit"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        match editor {
            Ok(mut editor) => wait_for_imports(&mut editor, &project.join(".import"), count)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Answer::Missing("godot3-server".to_owned()));
            }
            Err(error) => return Err(format!("godot3-server: {error}")),
        }
        run(&mut server(&["--script", "godot.gd"]))
    }
}

/// Longest that an editor may take to import a project.
const MOST_IMPORT_TIME: Duration = Duration::from_secs(600);

/// Waits until an editor has ended, or imported so many files: with many it imports them all and then does not end by itself.
fn wait_for_imports(editor: &mut Child, folder: &Path, count: usize) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("godot3-server: {error}");
    let start = Instant::now();
    while editor.try_wait().map_err(failed)?.is_none() {
        let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
        // Written last of each.
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
    let path = checkout().join("xtask/peers").join(script);
    path.canonicalize().unwrap_or(path)
}

/// Runs a program to its end; lines that are no JSON objects are its own affair.
fn run(command: &mut Command) -> Result<Answer, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Answer::Missing(program)),
        Err(error) => return Err(format!("{program}: {error}")),
    };
    let told = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last: Vec<&str> = told.lines().chain(complaint.lines()).rev().take(12).collect();
        let last: Vec<&str> = last.into_iter().rev().collect();
        return Err(format!("{program} failed:\n{}", last.join("\n")));
    }
    let objects = told.lines().filter(|line| line.starts_with('{'));
    let lines = objects.map(|line| serde_json::from_str(line).map_err(|error| format!("{program}: {error}: {line}")));
    Ok(Answer::Told(lines.collect::<Result<_, _>>()?))
}

/// The version that a program says of itself, where it is there.
pub(super) fn version(program: impl AsRef<OsStr>) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let told = String::from_utf8_lossy(&output.stdout);
    told.lines().next().map(|line| line.trim().to_owned())
}

/// A number of an answer; 0 where it is not there would hide a fault, so it is not a number then.
pub(super) fn number(answer: &Value, key: &str) -> f64 {
    answer.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN)
}
