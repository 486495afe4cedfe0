//! The takes for measurements and pictures: captured and synthetic ones, each with its analysis.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use loopwright_core::{Analysis, FoundLoops, LoopCandidate, LoopSettings, MadeLoop, SearchSettings, Take};
use loopwright_formats::{Format, LoadedTake, ReadSettings, Source, SpaceSettings, read_take};
use loopwright_mocap::TakeRow;
use loopwright_synth::{WalkSettings, synthesize};

pub(crate) struct Captured {
    pub(crate) folder: PathBuf,
    rows: Vec<TakeRow>,
}

impl Captured {
    /// Reads the list of takes: files with motion in a supported format.
    pub(crate) fn open() -> Result<Self, String> {
        let folder = loopwright_mocap::folder();
        let mut rows = loopwright_mocap::manifest(&folder)?;
        // Every animation of a glTF file is listed; files without one are bodies to put motion on.
        let clips = loopwright_mocap::clips(&folder)?;
        rows.retain(|row| match format_of(&row.file) {
            Some(Format::Glb | Format::Gltf) => clips.iter().any(|clip| clip.file == row.file),
            format => format.is_some(),
        });
        Ok(Self { folder, rows })
    }

    /// The files in these formats, by their path below the folder.
    pub(crate) fn files(&self, formats: &[Format]) -> Vec<&str> {
        let files = self.rows.iter().map(|row| row.file.as_str());
        files
            .filter(|file| format_of(file).is_some_and(|format| formats.contains(&format)))
            .collect()
    }

    /// Reads a file of the folder and any files that it refers to; returns its bytes and its take.
    pub(crate) fn read(&self, file: &str, settings: &ReadSettings<'_>) -> Result<(Vec<u8>, LoadedTake), String> {
        let path = self.folder.join(file);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let companions = |name: &str, _: u64| std::fs::read(path.with_file_name(name));
        let settings = ReadSettings {
            companions: Some(&companions),
            ..*settings
        };
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let loaded =
            read_take(&bytes, &stem, &settings, &mut Vec::new()).map_err(|error| format!("{file}: {error}"))?;
        Ok((bytes, loaded))
    }
}

/// The format by the extension of a file's name.
fn format_of(file: &str) -> Option<Format> {
    Format::from_extension(Path::new(file).extension()?.to_str()?)
}

/// A take with its analysis.
pub(crate) struct Studied {
    /// Path of a captured take below its folder, or a name for a synthetic one; error messages begin with it.
    file: String,
    pub(crate) take: Take,
    pub(crate) analysis: Analysis,
}

impl Studied {
    pub(crate) fn of(file: &str, take: Take) -> Result<Self, String> {
        let analysis = Analysis::new(&take).map_err(|error| format!("{file}: {error}"))?;
        Ok(Self {
            file: file.to_owned(),
            take,
            analysis,
        })
    }

    /// Makes and analyses a synthetic walk.
    pub(crate) fn walk(settings: &WalkSettings) -> Result<Self, String> {
        let name = "the synthetic walk";
        let walk = synthesize(settings).map_err(|error| format!("{name}: {error}"))?;
        Self::of(name, walk.take)
    }

    /// An error message that names the take.
    pub(crate) fn failed(&self, error: impl Display) -> String {
        format!("{}: {error}", self.file)
    }

    pub(crate) fn find(&self, settings: &SearchSettings) -> Result<FoundLoops, String> {
        self.analysis.find_loops(settings).map_err(|error| self.failed(error))
    }

    /// A loop candidate from frames chosen by hand, with their number of cycles.
    pub(crate) fn stretch(&self, start_frame: f64, end_frame: f64, cycles: u32) -> Result<LoopCandidate, String> {
        let settings = SearchSettings {
            cycles: Some(cycles),
            ..SearchSettings::default()
        };
        self.analysis
            .appraise(start_frame, end_frame, &settings)
            .map_err(|error| self.failed(error))
    }

    /// The loop recommended by default; `None` if the take has no steady loop.
    pub(crate) fn recommended(&self) -> Result<Option<LoopCandidate>, String> {
        Ok(self.find(&SearchSettings::default())?.best().cloned())
    }

    pub(crate) fn make(&self, candidate: &LoopCandidate, settings: &LoopSettings) -> Result<MadeLoop, String> {
        self.analysis
            .make_loop(candidate, settings)
            .map_err(|error| self.failed(error))
    }
}

/// The axes and the unit of a source, for reading files written in its form: these have too few frames to detect them.
pub(crate) fn space_of(source: &Source) -> SpaceSettings {
    let space = source.space();
    SpaceSettings::from(space)
}
