//! Cost of reading: time compared with a bare parse of the same bytes, and memory.

use std::{ffi::OsStr, path::Path};

use loopwright_formats::{Format, ReadSettings, Source, read_take, write_take};
use loopwright_synth::{WalkSettings, synthesize};

use super::{survival, write};
use crate::{
    clock::{machine, time_both},
    memory,
    page::Sections,
    table::{Table, cell},
    takes::Captured,
};

pub(super) fn measure(captured: &Captured, scratch: &Path, sections: &mut Sections) -> Result<(), String> {
    sections.add("machine", machine());
    sections.add("speed", speed(captured)?);
    sections.add("memory", peak(scratch)?);
    Ok(())
}

fn speed(captured: &Captured) -> Result<Table, String> {
    let mut table = Table::new("file | MB | frames x joints | ours ms | bare ms | ours over bare | serde_json ms");
    for file in captured.files(&[Format::Fbx, Format::Glb, Format::Gltf]) {
        let path = captured.folder.join(file);
        let (bytes, loaded) = captured.read(file, &ReadSettings::default())?;
        let companions = |name: &str, _: u64| std::fs::read(path.with_file_name(name));
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
        let refused = |cell: String| if bare.is_none() { "refused".to_owned() } else { cell };
        table.row(format_args!(
            "{file} | {:.2} | {} x {} | {:.3} | {} | {} | {}",
            1e-6 * bytes.len() as f64,
            loaded.take.num_frames(),
            loaded.take.num_joints(),
            1e3 * ours_secs,
            refused(cell(bare.map(|secs| 1e3 * secs), 3)),
            refused(cell(ratio, 2)),
            cell(json.map(|secs| 1e3 * secs), 3),
        ));
    }
    Ok(table)
}

/// Size of the file whose reading is measured, bytes.
const LARGE_FILE: usize = 100_000_000;

/// Bytes per transform in a take.
const TRANSFORM_BYTES: usize = 7 * 8;

fn peak(scratch: &Path) -> Result<String, String> {
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
    let take = 1e-6 * (transforms * TRANSFORM_BYTES) as f64;
    let Some(mebibytes) = memory::of_child(&[OsStr::new(READ), path.as_os_str()]) else {
        return Ok("Skipped: this system does not report peak memory.".to_owned());
    };
    let peak = mebibytes * 1.048_576;
    let mut table = Table::new(
        "file MB | transforms | take in memory MB | rise of the peak MB | without the file's bytes MB | that over the take",
    );
    table.row(format_args!(
        "{file:.0} | {transforms} | {take:.0} | {peak:.0} | {:.0} | {:.2}",
        peak - file,
        (peak - file) / take
    ));
    Ok(table.to_string())
}

/// The argument that asks a child process for the memory of reading.
const READ: &str = "read";

/// In a child process: MiB by which reading a file raises the peak; `None` for any other work.
pub(crate) fn memory_of_reading(work: &str, path: &Path) -> Option<Result<f64, String>> {
    (work == READ).then(|| {
        memory::risen(|| {
            let bytes = std::fs::read(path).map_err(|error| error.to_string())?;
            let loaded = read_take(&bytes, "large", &ReadSettings::default(), &mut Vec::new());
            Ok((loaded.map_err(|error| error.to_string())?, bytes))
        })
    })
}
