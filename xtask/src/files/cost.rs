//! What reading takes: time against a bare parse of the same bytes, and memory.

use std::{fmt::Write, path::Path, process::Command};

use loopwright_formats::{Format, ReadSettings, Source, read_take, write_take};
use loopwright_synth::{WalkSettings, synthesize};

use super::{bvh_speed, loops, survival, write};
use crate::{
    manifest::Row,
    speed::{clock::time_both, machine, memory},
};

/// The sections as Markdown.
pub(super) fn sections(folder: &Path, rows: &[Row], scratch: &Path, page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Speed of reading\n\n\
         {}; one thread, medians of seconds of the processor. Ours: from bytes to a take, sampled frame by frame. The bare parse\n\
         makes no motion of what it reads: for FBX `ufbx::load_memory`, for glTF `gltf::Gltf::from_slice` (JSON, checked, without\n\
         buffers) and `serde_json` of the JSON alone.\n\n\
         | file | MB | frames x joints | ours ms | bare ms | ours over bare | serde_json ms |\n\
         | --- | --- | --- | --- | --- | --- | --- |",
        machine()
    );
    for row in rows
        .iter()
        .filter(|row| loops::is_read(row) && !row.file.ends_with(".bvh"))
    {
        let file = &row.file;
        let path = folder.join(file);
        let (bytes, loaded) = loops::read(folder, file, &ReadSettings::default())?;
        let companions = |name: &str| std::fs::read(path.with_file_name(name));
        let settings = ReadSettings {
            companions: Some(&companions),
            ..ReadSettings::default()
        };
        let ours = || read_take(&bytes, "take", &settings, &mut Vec::new());
        let (ours_secs, bare, ratio, json) = if file.ends_with(".fbx") {
            let bare = || ufbx::load_memory(&bytes, ufbx::LoadOpts::default()).is_ok();
            let (ours, bare, ratio) = time_both(ours, bare);
            (ours, Some(bare), Some(ratio), None)
        } else {
            let (text, _) = survival::parts_of(&bytes)?;
            let text = text.to_string();
            let (_, json, _) = time_both(|| (), || serde_json::from_str::<serde_json::Value>(&text));
            if gltf::Gltf::from_slice(&bytes).is_ok() {
                let (ours, bare, ratio) = time_both(ours, || gltf::Gltf::from_slice(&bytes));
                (ours, Some(bare), Some(ratio), Some(json))
            } else {
                let (ours, ..) = time_both(ours, || ());
                (ours, None, None, Some(json))
            }
        };
        let cell = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "refused".to_owned(), |value| format!("{value:.decimals$}"))
        };
        let _ = writeln!(
            page,
            "| {file} | {:.2} | {} x {} | {:.3} | {} | {} | {} |",
            1e-6 * bytes.len() as f64,
            loaded.take.num_frames(),
            loaded.take.num_joints(),
            1e3 * ours_secs,
            cell(bare.map(|secs| 1e3 * secs), 3),
            cell(ratio, 2),
            json.map_or_else(|| "-".to_owned(), |secs| format!("{:.3}", 1e3 * secs)),
        );
    }
    bvh_speed::section(page)?;
    peak(scratch, page)
}

/// Size of the file whose reading is watched, bytes.
const LARGE_FILE: usize = 100_000_000;

/// Bytes that a transform takes in a take.
const TRANSFORM_BYTES: usize = 7 * 8;

fn peak(scratch: &Path, page: &mut String) -> Result<(), String> {
    let settings = |seconds: f64| WalkSettings {
        seconds,
        frame_rate_hz: 120.0,
        ..WalkSettings::default()
    };
    let text = |seconds: f64| -> Result<(Vec<u8>, usize), String> {
        let take = synthesize(&settings(seconds)).map_err(|error| error.to_string())?.take;
        let written = write_take(&take, &Source::for_take(&take, Format::Bvh)).map_err(|error| error.to_string())?;
        Ok((written.bytes, take.num_joints() * take.num_frames()))
    };
    let probe = text(60.0)?.0.len();
    let (bytes, transforms) = text(60.0 * LARGE_FILE as f64 / probe as f64)?;
    let path = scratch.join("large.bvh");
    write(&path, &bytes)?;
    let file = 1e-6 * bytes.len() as f64;
    drop(bytes);
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let output = Command::new(program)
        .args(["memory", "read", "0"])
        .arg(&path)
        .output()
        .map_err(|error| error.to_string())?;
    let told = String::from_utf8_lossy(&output.stdout);
    let take = 1e-6 * (transforms * TRANSFORM_BYTES) as f64;
    let _ = match told.trim().parse::<f64>() {
        Ok(mebibytes) => {
            let peak = mebibytes * 1.048_576;
            writeln!(
                page,
                "## Memory of reading\n\n\
                 A synthetic walk of {file:.0} MB as BVH, {transforms} transforms, {take:.0} MB as a take of doubles, read in a process of its\n\
                 own: the peak rises by {peak:.0} MB from before the file is opened. Without the file's own bytes, which the caller holds,\n\
                 that is {:.0} MB, {:.2} times the take; two copies of the file would be {:.0} MB beside it.",
                peak - file,
                (peak - file) / take,
                2.0 * file
            )
        }
        Err(_) => writeln!(
            page,
            "## Memory of reading\n\nSkipped: this system does not tell peak memory."
        ),
    };
    Ok(())
}

/// The child's part of the measurement of memory: MiB by which reading a file raises the peak.
pub(crate) fn read_in_child(path: &Path) -> Result<f64, String> {
    memory::risen(|| {
        let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
        let loaded = read_take(&bytes, "large", &ReadSettings::default(), &mut Vec::new());
        Ok((loaded.map_err(|error| error.to_string())?, bytes))
    })
}
