//! The loops that are written: one of every take that has one, and one into every file that can be written into.

use std::{fmt::Write, path::Path};

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, SearchSettings},
    loop_clip::LoopClip,
    pipeline::{self, LoopSettings},
    root_motion::RootMode,
    take::{Cut, Take},
};
use loopwright_formats::{
    Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice, Written,
    read_take, write_loop,
};

use crate::manifest::Row;

/// A take with a loop of it.
pub(super) struct Made {
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

/// Reads a file of the folder as it tells of itself; files beside it come along.
pub(super) fn read(folder: &Path, file: &str, settings: &ReadSettings<'_>) -> Result<(Vec<u8>, LoadedTake), String> {
    let path = folder.join(file);
    let bytes = std::fs::read(&path).map_err(|error| format!("{file}: {error}"))?;
    let companions = |name: &str| std::fs::read(path.with_file_name(name));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let settings = ReadSettings {
        companions: Some(&companions),
        ..*settings
    };
    let loaded = read_take(&bytes, &stem, &settings, &mut Vec::new()).map_err(|error| format!("{file}: {error}"))?;
    Ok((bytes, loaded))
}

/// Whether a row of the list is a file that is read by itself.
pub(super) fn is_read(row: &Row) -> bool {
    Path::new(&row.file)
        .extension()
        .and_then(|extension| Format::of_extension(extension.to_str()?))
        .is_some()
}

/// Loops of all takes of the list that have one; of files other than BVH, which hold short cycles, the whole take where none
/// is found.
pub(super) fn make(folder: &Path, rows: &[Row]) -> Result<Vec<Made>, String> {
    let mut all = Vec::new();
    for row in rows.iter().filter(|row| is_read(row)) {
        let (bytes, LoadedTake { take, source }) = read(folder, &row.file, &ReadSettings::default())?;
        let Some((cut, cycles, analysis, is_found)) = choose(&take, source.as_bvh().is_none()) else {
            continue;
        };
        let make = |mode| {
            let mut settings = LoopSettings::default();
            settings.root.mode = mode;
            pipeline::make(&take, &analysis, &cut, cycles, &settings).map(|made| made.loop_clip)
        };
        let (Ok(clip), Ok(in_place)) = (make(RootMode::Screw), make(RootMode::InPlace)) else {
            continue;
        };
        all.push(Made {
            file: row.file.clone(),
            stem: row.file.replace(['/', '.', ' '], "_"),
            bytes,
            take,
            source,
            clip,
            in_place,
            is_found,
        });
    }
    Ok(all)
}

/// The stretch that is made into a loop, its cycles, and whether the search found it.
fn choose(take: &Take, whole_if_none: bool) -> Option<(Cut, u32, Analysis, bool)> {
    let analysis = Analysis::of(take, &BodyOverrides::default()).ok()?;
    let found = candidate::find(take, &analysis, &SearchSettings::default()).ok();
    if let Some(best) = found.as_ref().and_then(|found| found.best()) {
        return Some((best.cut, best.cycles, analysis, true));
    }
    let cut = whole_if_none.then(|| Cut::new(take, 0.0, take.num_frames() as f64 - 1.0).ok())??;
    Some((cut, 1, analysis, false))
}

/// What was made, as Markdown.
pub(super) fn section(made: &[Made], page: &mut String) {
    let count = |format: fn(&Made) -> bool| made.iter().filter(|made| format(made)).count();
    let _ = writeln!(
        page,
        "## The loops written\n\n\
         {} loops: the recommended one of {} BVH takes (the others have none), and one into each of {} FBX and {} glTF files,\n\
         of which {} are whole takes in which the search finds no repeat.\n",
        made.len(),
        count(|made| made.source.as_bvh().is_some()),
        count(|made| made.source.as_fbx().is_some()),
        count(|made| made.source.as_gltf().is_some()),
        count(|made| !made.is_found),
    );
}

/// A loop as a file in some form.
pub(super) fn written(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<Written, String> {
    write_loop(clip, source, settings).map_err(|error| error.to_string())
}

/// The space of a form, for reading what is written in it: a loop of a few frames need not tell it as the take did.
pub(super) fn space_of(source: &Source) -> SpaceSettings {
    let space = source.space();
    SpaceSettings {
        up: UpChoice::Given(space.up),
        unit: UnitChoice::Metres(space.unit_metres),
    }
}
