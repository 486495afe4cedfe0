//! The loops under test: one from every take that has one, and one into every file that can be written into.

use loopwright_core::{LoopCandidate, LoopClip, LoopSettings, RootMode, Take};
use loopwright_formats::{Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, WrittenFile, write_loop};

use crate::takes::{Captured, Studied};

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
}

/// Loops of all listed takes that have one. Files other than BVH hold short cycles: if no loop is found in one, the whole
/// take is used.
pub(super) fn make(captured: &Captured) -> Result<Vec<Looped>, String> {
    let mut all = Vec::new();
    for file in captured.files(&[Format::Bvh, Format::Fbx, Format::Glb, Format::Gltf]) {
        let (bytes, LoadedTake { take, source, .. }) = captured.read(file, &ReadSettings::default())?;
        let Ok(studied) = Studied::of(file, take) else { continue };
        let Some(stretch) = choose(&studied, source.format() != Format::Bvh) else {
            continue;
        };
        let make = |mode: RootMode| {
            let settings = LoopSettings::with_root(mode);
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
        });
    }
    Ok(all)
}

/// The stretch to make into a loop: the one that is recommended, or the whole take.
fn choose(studied: &Studied, whole_if_none: bool) -> Option<LoopCandidate> {
    if let Ok(Some(best)) = studied.recommended() {
        return Some(best);
    }
    let last = studied.take.num_frames() as f64 - 1.0;
    whole_if_none.then(|| studied.stretch(0.0, last, 1).ok())?
}

/// A loop as a file in a given form.
pub(super) fn written(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<WrittenFile, String> {
    write_loop(clip, source, settings).map_err(|error| error.to_string())
}
