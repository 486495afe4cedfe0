//! Measures what docs/benchmark.md states.
//!
//! Scripts that share no code with the project measure how good loops are and how fast the command is, and ask other programs what they
//! see in its files.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::page::Page;

/// The parts that can be measured alone.
pub(crate) const PARTS: [&str; 4] = ["loops", "speed", "truth", "files"];

/// The page that is filled, below the checkout.
pub(crate) const PAGE: &str = "docs/benchmark.md";

/// Measures some parts, and replaces their tables on the page.
pub(crate) fn measure(checkout: &Path, parts: &[&str]) -> Result<(), String> {
    let path = checkout.join(PAGE);
    let mut page = Page::read(&path)?;
    let scratch = scratch()?;
    for part in parts {
        match *part {
            "files" => page.fill("files", &clients(checkout)?)?,
            script => {
                let about = match script {
                    "loops" | "truth" => loopwright_mocap::folder(),
                    _ => checkout.join(".ci/batch-takes"),
                };
                let answer = ask(checkout, script, &about, &scratch)?;
                for (section, table) in &answer {
                    page.fill(section, table.as_str().unwrap_or_default())?;
                }
            }
        }
    }
    page.write(&path)
}

/// Runs a script of bench, which prints the contents of sections as JSON.
fn ask(checkout: &Path, script: &str, about: &Path, scratch: &Path) -> Result<serde_json::Map<String, Value>, String> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let output = Command::new(python)
        // Leaves no compiled files beside the scripts.
        .arg("-B")
        .arg(checkout.join(format!("bench/{script}.py")))
        .args([&command()?, about, scratch])
        .output()
        .map_err(|error| format!("Python cannot be run: {error}"))?;
    if !output.status.success() {
        return Err(format!("{script}.py: {}", String::from_utf8_lossy(&output.stderr)));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("{script}.py: {error}"))
}

/// The table of `.ci/clients`, which builds the command, and passes over programs that cannot be had.
fn clients(checkout: &Path) -> Result<String, String> {
    let output = Command::new(checkout.join(".ci/clients"))
        .output()
        .map_err(|error| format!(".ci/clients cannot be run: {error}"))?;
    let printed = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() {
        return Err(format!(
            ".ci/clients: {printed}{}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let lines = printed.lines().skip_while(|line| !line.starts_with('|'));
    let table: Vec<&str> = lines.take_while(|line| line.starts_with('|')).collect();
    Ok(table.join("\n"))
}

/// The command to measure: built as it is shipped.
fn command() -> Result<PathBuf, String> {
    if let Some(given) = std::env::var_os("LOOPWRIGHT") {
        return Ok(given.into());
    }
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let built = Command::new(cargo)
        .args(["build", "--profile", "dist", "--quiet", "--package", "loopwright_cli"])
        .status()
        .map_err(|error| format!("cargo cannot be run: {error}"))?;
    if !built.success() {
        return Err("the command does not build".to_owned());
    }
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let built = format!("../dist/loopwright{}", std::env::consts::EXE_SUFFIX);
    Ok(own.with_file_name(built))
}

/// An empty folder beside this program, where the files of the last run stay to be looked at.
fn scratch() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let scratch = own.with_file_name("measured");
    let failed = |error: std::io::Error| format!("{}: {error}", scratch.display());
    if scratch.is_dir() {
        std::fs::remove_dir_all(&scratch).map_err(failed)?;
    }
    std::fs::create_dir_all(&scratch).map_err(failed)?;
    Ok(scratch)
}
