//! `loopwright find` as a process, from file to answer.

use std::{
    fmt::Write,
    path::{Path, PathBuf},
    process::Command,
};

use loopwright::{Analysis, SearchSettings};
use loopwright_formats::{ReadSettings, read_take};

use crate::{clock, page::Sections, statistics::Sorted, table::Table};

/// Takes of one skeleton that are joined end to end.
const TAKES: [&str; 2] = ["cmu/01_01_jump_turn.bvh", "cmu/01_03_climb.bvh"];

/// Frames of the file: 60 s at 120 fps.
const NUM_FRAMES: usize = 7200;

/// Number of runs of the process.
const RUNS: usize = 31;

/// The text of one file with the rows of several, without the T-pose at the start of each.
fn joined(folder: &Path) -> Result<String, String> {
    let mut text = String::new();
    let mut rows: Vec<String> = Vec::new();
    for name in TAKES {
        let path = folder.join(name);
        let file = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (hierarchy, motion) = file
            .split_once("MOTION")
            .ok_or_else(|| format!("{name} has no motion"))?;
        let mut lines = motion.lines().filter(|line| !line.trim().is_empty());
        let frame_time = lines.find(|line| line.starts_with("Frame Time")).unwrap_or_default();
        if text.is_empty() {
            let _ = write!(text, "{hierarchy}MOTION\nFrames: {NUM_FRAMES}\n{}\n", frame_time.trim());
        }
        rows.extend(lines.skip(1).map(|line| line.trim().to_owned()));
    }
    if rows.len() < NUM_FRAMES {
        return Err(format!("{} frames are too few for {NUM_FRAMES}", rows.len()));
    }
    rows.truncate(NUM_FRAMES);
    text.push_str(&rows.join("\n"));
    text.push('\n');
    Ok(text)
}

/// A file that is removed when the value is dropped.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Builds the command and returns its path.
fn command() -> Result<PathBuf, String> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--release", "--quiet", "--package", "loopwright_cli"])
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !built.success() {
        return Err("the command does not build".to_owned());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    Ok(own.with_file_name(format!("loopwright{}", std::env::consts::EXE_SUFFIX)))
}

pub(super) fn measure(folder: &Path, sections: &mut Sections) -> Result<(), String> {
    let text = joined(folder)?;
    let file = Temporary(std::env::temp_dir().join(format!("loopwright-speed-{}.bvh", std::process::id())));
    std::fs::write(&file.0, &text).map_err(|error| format!("{}: {error}", file.0.display()))?;
    let program = command()?;
    let mut runs = Vec::new();
    for _ in 0..RUNS {
        let start = clock::on_the_wall();
        let output = Command::new(&program)
            .arg("find")
            .arg(&file.0)
            .output()
            .map_err(|error| format!("{}: {error}", program.display()))?;
        runs.push(clock::on_the_wall() - start);
        if !output.status.success() {
            return Err(format!("find failed: {}", String::from_utf8_lossy(&output.stderr)));
        }
    }
    let runs: Sorted = runs.into_iter().collect();

    let bytes = text.as_bytes();
    let read = || read_take(bytes, "joined", &ReadSettings::default(), &mut Vec::new());
    let read_secs = clock::time(read);
    let take = read().map_err(|error| error.to_string())?.take;
    let study = || Analysis::new(&take);
    let study_secs = clock::time(study);
    let analysis = study().map_err(|error| error.to_string())?;
    let find_secs = clock::time(|| analysis.find_loops(&SearchSettings::default()));
    let mut file = Table::new("seconds of motion | joints | MB");
    file.row(format_args!(
        "{} | {} | {:.1}",
        NUM_FRAMES / 120,
        take.num_joints(),
        1e-6 * bytes.len() as f64
    ));
    sections.add("file", file);
    let mut table = Table::new("| seconds");
    table.row(format_args!(
        "median; fastest | {:.3}; {:.3}",
        runs.median(),
        runs.at(0.0).unwrap_or(0.0)
    ));
    for (part, secs) in [
        ("of that, in this process: reading", read_secs),
        ("study (world, defects, heading, features, autocorrelation)", study_secs),
        ("search and judgement", find_secs),
    ] {
        table.row(format_args!("{part} | {secs:.3}"));
    }
    sections.add("file-to-answer", table);
    Ok(())
}
