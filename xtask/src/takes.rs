//! The takes for measurements: captured and synthetic ones, each with its analysis.

use std::{
    fmt::Display,
    path::{Path, PathBuf},
};

use loopwright::{
    Analysis, FoundLoops, LoopCandidate, LoopClip, LoopSettings, MadeLoop, Pose, Quality, SearchSettings, Take, Tracks,
    loop_clip::LoopKeys, quality,
};
use loopwright_formats::{
    Format, LoadedTake, LoopWriteSettings, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice,
    loop_file::written_keys, read_take, write_loop,
};
use loopwright_job::{Chosen, Recipe, Request, Rows};
use loopwright_mocap::{Expect, TakeRow};
use loopwright_synth::{WalkSettings, synthesize};

/// The captured takes.
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

    /// Reads and analyses the takes whose expected answer is one of these, each motion once: some are there in two dialects.
    pub(crate) fn expected_to(&self, answers: &[Expect]) -> Result<Vec<Studied>, String> {
        let mut all: Vec<Studied> = Vec::new();
        let rows = self.rows.iter();
        for row in rows.filter(|row| row.expect.is_some_and(|expect| answers.contains(&expect))) {
            let (_, loaded) = self.read(&row.file, &ReadSettings::default())?;
            if all.iter().any(|known| is_same_motion(&known.take, &loaded.take)) {
                continue;
            }
            let mut studied = Studied::of(&row.file, loaded.take)?;
            studied.expect = row.expect;
            studied.source = Some(loaded.source);
            all.push(studied);
        }
        Ok(all)
    }

    /// Takes in which a loop must be found.
    pub(crate) fn loops(&self) -> Result<Vec<Studied>, String> {
        self.expected_to(&[Expect::Loop])
    }

    /// All takes whose answer is known.
    pub(crate) fn judged(&self) -> Result<Vec<Studied>, String> {
        self.expected_to(&[Expect::Loop, Expect::Warn, Expect::Refuse])
    }
}

/// Whether two takes turn the same joints alike in every frame.
fn is_same_motion(one: &Take, other: &Take) -> bool {
    let shape = |take: &Take| (take.num_frames(), take.num_joints());
    shape(one) == shape(other) && (0..one.num_frames()).all(|frame| one.rotations(frame) == other.rotations(frame))
}

/// The format by the extension of a file's name.
fn format_of(file: &str) -> Option<Format> {
    Format::from_extension(Path::new(file).extension()?.to_str()?)
}

/// A take with its analysis.
pub(crate) struct Studied {
    /// Path of a captured take below its folder, or a name for a synthetic one; error messages begin with it.
    pub(crate) file: String,
    /// The answer that a search must give, if known.
    pub(crate) expect: Option<Expect>,
    pub(crate) take: Take,
    pub(crate) analysis: Analysis,
    /// The other contents of its file; `None` for synthetic takes.
    source: Option<Source>,
}

impl Studied {
    /// Analyses a take.
    pub(crate) fn of(file: &str, take: Take) -> Result<Self, String> {
        let analysis = Analysis::new(&take).map_err(|error| format!("{file}: {error}"))?;
        Ok(Self {
            file: file.to_owned(),
            expect: None,
            take,
            analysis,
            source: None,
        })
    }

    /// The same, of a file.
    pub(crate) fn in_file(self, source: Source) -> Self {
        Self {
            source: Some(source),
            ..self
        }
    }

    /// The form of its file. Errors: it has none.
    pub(crate) fn source(&self) -> Result<&Source, String> {
        self.source.as_ref().ok_or_else(|| self.failed("it has no file"))
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

    /// The loop of the first of a list, as every program makes it without options: other stretches and closures are tried where the seam
    /// shows.
    pub(crate) fn make_first(&self, list: &[LoopCandidate]) -> Result<MadeLoop, String> {
        let chosen = Chosen::first_of(list.to_vec()).ok_or_else(|| self.failed("no loop is recommended"))?;
        let studied = loopwright_job::Studied {
            name: self.file.clone(),
            file: LoadedTake {
                source: match &self.source {
                    Some(source) => source.clone(),
                    None => Source::for_take(&self.take, Format::Bvh),
                },
                take: self.take.clone(),
            },
            analysis: self.analysis.clone(),
            smooth_hz: None,
            character: None,
            warnings: Vec::new(),
        };
        let recipe = Recipe::default();
        let request = Request {
            recipe: &recipe,
            search: None,
            rows: &Rows::Recommended,
        };
        let made = loopwright_job::make(&studied, request, &chosen);
        Ok(made.map_err(|error| self.failed(error))?.made)
    }

    /// Measures a loop of the same stretch, closed by any method.
    pub(crate) fn quality(&self, made: &MadeLoop, clip: &LoopClip) -> Quality {
        quality::measure(&LoopKeys::from_loop(clip), &self.analysis.body, Some(&made.source))
    }

    /// Writes a loop in the take's own format, reads it back, and measures the result.
    pub(crate) fn written_quality(&self, made: &MadeLoop, clip: &LoopClip) -> Result<Quality, String> {
        let source = self.source()?;
        let writing = LoopWriteSettings::default();
        let written = write_loop(clip, source, &writing).map_err(|error| self.failed(error))?;
        let (_, keys) = written_keys(clip, &written, source, &writing).map_err(|error| self.failed(error))?;
        Ok(quality::measure(&keys, &self.analysis.body, Some(&made.source)))
    }
}

/// The axes and the unit of a source, for reading files written in its form: these have too few frames to detect them.
pub(crate) fn space_of(source: &Source) -> SpaceSettings {
    let space = source.space();
    SpaceSettings {
        up: UpChoice::Given(space.up),
        unit: UnitChoice::Metres(space.unit_metres),
    }
}

/// The uncut samples of a stretch as a loop without closure.
pub(crate) fn unclosed(made: &MadeLoop) -> Result<LoopClip, String> {
    let clip = &made.source.clip;
    let samples = 0..clip.num_intervals() as isize;
    with_samples(made, samples.map(|sample| clip.pose(sample).to_pose()))
}

/// A loop of the same stretch with other samples.
pub(crate) fn with_samples(made: &MadeLoop, samples: impl Iterator<Item = Pose>) -> Result<LoopClip, String> {
    let clip = &made.source.clip;
    let tracks = Tracks::from_poses(clip.skeleton().clone(), clip.step_secs(), samples);
    let tracks = tracks.map_err(|error| error.to_string())?;
    LoopClip::new("other", tracks, made.source.carrier, made.source.root).map_err(|error| error.to_string())
}
