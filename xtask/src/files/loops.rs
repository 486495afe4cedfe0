//! The loops that are written: one of every take that has one, and one into every file that can be written into.

use loopwright::{LoopCandidate, LoopClip, LoopSettings, RootMode, Take};
use loopwright_formats::{Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, Written, write_loop};

use crate::{
    table::Table,
    takes::{Captured, Studied},
};

/// A take with a loop of it.
pub(super) struct Looped {
    /// The file below the folder of takes.
    pub(super) file: String,
    /// The file's name without folder and ending, with the folder before it: fit for a file's name.
    pub(super) stem: String,
    pub(super) bytes: Vec<u8>,
    pub(super) take: Take,
    pub(super) source: Source,
    /// The loop that the road makes by default.
    pub(super) clip: LoopClip,
    /// The same with its root in its place.
    pub(super) in_place: LoopClip,
    /// Whether the search found it; else it is the whole take, whatever its seam.
    pub(super) is_found: bool,
}

/// Loops of all takes of the list that have one; of files other than BVH, which hold short cycles, the whole take where none
/// is found.
pub(super) fn make(captured: &Captured) -> Result<Vec<Looped>, String> {
    let mut all = Vec::new();
    for file in captured.files(&[Format::Bvh, Format::Fbx, Format::Glb, Format::Gltf]) {
        let (bytes, LoadedTake { take, source }) = captured.read(file, &ReadSettings::default())?;
        let Ok(studied) = Studied::of(file, take) else {
            continue;
        };
        let Some((stretch, is_found)) = choose(&studied, source.as_bvh().is_none()) else {
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

/// The stretch that is made into a loop, and whether the search found it.
fn choose(studied: &Studied, whole_if_none: bool) -> Option<(LoopCandidate, bool)> {
    if let Ok(Some(best)) = studied.recommended() {
        return Some((best, true));
    }
    let last = studied.take.num_frames() as f64 - 1.0;
    let whole = whole_if_none.then(|| studied.stretch(0.0, last, 1).ok())??;
    Some((whole, false))
}

/// How many loops there are, by the format of their takes.
pub(super) fn table(made: &[Looped]) -> Table {
    let count = |of_kind: fn(&&Looped) -> bool| made.iter().filter(of_kind).count();
    let mut table = Table::new("loops | of BVH takes | of FBX files | of glTF files | whole takes without a repeat");
    table.row(format_args!(
        "{} | {} | {} | {} | {}",
        made.len(),
        count(|made| made.source.as_bvh().is_some()),
        count(|made| made.source.as_fbx().is_some()),
        count(|made| made.source.as_gltf().is_some()),
        count(|made| !made.is_found),
    ));
    table
}

/// A loop as a file in some form.
pub(super) fn written(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<Written, String> {
    write_loop(clip, source, settings).map_err(|error| error.to_string())
}
