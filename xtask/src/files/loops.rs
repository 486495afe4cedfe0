//! The loops under test: one from every take that has one, and one into every file that can be written into.

use loopwright::{LoopCandidate, LoopClip, LoopSettings, RootMode, Take};
use loopwright_formats::{Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, WrittenFile, write_loop};

use crate::{
    table::Table,
    takes::{Captured, Studied},
};

/// A take and a loop made from it.
pub(super) struct Looped {
    /// Path of the file below the folder of takes.
    pub(super) file: String,
    /// The file's path with underscores for slashes, dots and spaces, fit for a file name.
    pub(super) stem: String,
    pub(super) bytes: Vec<u8>,
    pub(super) take: Take,
    pub(super) source: Source,
    /// The loop that the pipeline makes by default.
    pub(super) clip: LoopClip,
    /// The same loop with its root in place.
    pub(super) in_place: LoopClip,
    /// Whether the search found it; otherwise it is the whole take, however large the seam gap.
    pub(super) is_found: bool,
}

/// Loops of all listed takes that have one. Files other than BVH hold short cycles: if no loop is found in one, the whole
/// take is used.
pub(super) fn make(captured: &Captured) -> Result<Vec<Looped>, String> {
    let mut all = Vec::new();
    for file in captured.files(&[Format::Bvh, Format::Fbx, Format::Glb, Format::Gltf]) {
        let (bytes, LoadedTake { take, source }) = captured.read(file, &ReadSettings::default())?;
        let Ok(studied) = Studied::of(file, take) else {
            continue;
        };
        let Some((stretch, is_found)) = choose(&studied, source.format() != Format::Bvh) else {
            continue;
        };
        let make = |mode: RootMode| {
            let settings = LoopSettings {
                root: mode.into(),
                ..LoopSettings::default()
            };
            studied.make(&stretch, &settings).map(|made| made.loop_clip)
        };
        let (Ok(clip), Ok(in_place)) = (make(RootMode::Constant), make(RootMode::InPlace)) else {
            continue;
        };
        all.push(Looped {
            file: file.to_owned(),
            stem: file.replace(['/', '.', ' '], "_"),
            bytes,
            take: studied.take,
            source,
            clip,
            in_place,
            is_found,
        });
    }
    Ok(all)
}

/// The stretch to make into a loop, and whether the search found it.
fn choose(studied: &Studied, whole_if_none: bool) -> Option<(LoopCandidate, bool)> {
    if let Ok(Some(best)) = studied.recommended() {
        return Some((best, true));
    }
    let last = studied.take.num_frames() as f64 - 1.0;
    let whole = whole_if_none.then(|| studied.stretch(0.0, last, 1).ok())??;
    Some((whole, false))
}

/// Number of loops by the format of their takes.
pub(super) fn table(made: &[Looped]) -> Table {
    let count = |of_kind: fn(&&Looped) -> bool| made.iter().filter(of_kind).count();
    let mut table = Table::new("loops | of BVH takes | of FBX files | of glTF files | whole takes without a repeat");
    table.row(format_args!(
        "{} | {} | {} | {} | {}",
        made.len(),
        count(|made| made.source.keeps_all_in(Format::Bvh)),
        count(|made| made.source.keeps_all_in(Format::Fbx)),
        count(|made| made.source.keeps_all_in(Format::Glb)),
        count(|made| !made.is_found),
    ));
    table
}

/// A loop as a file in a given form.
pub(super) fn written(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<WrittenFile, String> {
    write_loop(clip, source, settings).map_err(|error| error.to_string())
}
