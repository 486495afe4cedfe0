//! A loop as a file, with the sidecar that stands beside it.

use loopwright::{LoopCandidate, SearchSettings};
use loopwright_formats::{
    Format, LoopFile, LoopFileError, Sidecar, SidecarError, SizeLimits, loop_file::facts::TakeFacts,
};

use super::{made::Made, opened::Opened};

/// The bytes of a loop's file and of its sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// Name of the file.
    pub file_name: String,
    /// The file.
    pub bytes: Vec<u8>,
    /// The sidecar, whose file has the name of the loop's with `.json` after it.
    pub sidecar: String,
}

/// Why a loop cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The loop cannot be written.
    #[error(transparent)]
    Loop(#[from] LoopFileError),
    /// The sidecar cannot be written.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// What went wrong beside the window.
    #[error("{0}")]
    Beside(String),
    /// There is no loop.
    #[error("there is no loop to export")]
    NoLoop,
}

impl Exported {
    /// Writes the loop in a format: the take's own keeps hierarchy, unit and up axis. Errors: [`ExportError`].
    pub fn of(opened: &Opened, made: &Made, format: Format) -> Result<Self, ExportError> {
        let engine = made.output.engine();
        let source = engine.placed(opened.form(format));
        let writing = made
            .output
            .writing(format, opened.body_of_loops().root_joint, SizeLimits::default());
        let take = TakeFacts {
            smooth_hz: opened.study.smooth,
            rig: opened.character.as_ref().map(|on| on.facts.clone()),
            ..TakeFacts::from_source(&opened.file_name, opened.take(), &opened.source)
        };
        let mut loop_made = made.made.clone();
        // As the command line sees the stretch that the recipe names.
        loop_made.candidate = named(opened, made);
        let written = LoopFile::write_with(&loop_made, take, &source, &writing)?;
        let file_name = Self::file_name(opened, format);
        let mut written = written;
        let clip = &made.made.loop_clip;
        let sidecar = &mut written.sidecar;
        sidecar.target =
            (made.output.target).map(|engine| engine.facts(sidecar, clip.skeleton(), 1.0 / clip.step_secs()));
        if made.recipe.stretch.start.is_some() {
            sidecar.candidate.several_cycles_for = made.recipe.stretch.several_cycles_for;
        }
        let bytes = written.bytes().into_owned();
        let mut sidecar = written.sidecar;
        sidecar.warnings.extend(opened.warnings.iter().cloned());
        sidecar.warnings.extend(made.warnings.iter().cloned());
        sidecar.outputs = vec![file_name.clone(), Self::name_of_sidecar(&file_name)];
        sidecar.state_file(&bytes);
        Ok(Self {
            file_name,
            bytes,
            sidecar: sidecar.to_json()?,
        })
    }

    /// The same file by another name, without its extension, which the sidecar states. Errors: [`ExportError`].
    pub fn named(self, stem: &str) -> Result<Self, ExportError> {
        let extension = self.file_name.rsplit_once('.').map_or("", |(_, extension)| extension);
        let file_name = format!("{stem}.{extension}");
        let mut sidecar = Sidecar::from_json(self.sidecar.as_bytes())?;
        sidecar.outputs = vec![file_name.clone(), Self::name_of_sidecar(&file_name)];
        Ok(Self {
            file_name,
            bytes: self.bytes,
            sidecar: sidecar.to_json()?,
        })
    }

    /// Name of the file without its extension.
    pub fn stem(&self) -> &str {
        self.file_name
            .rsplit_once('.')
            .map_or(&self.file_name, |(stem, _)| stem)
    }

    /// Name of the file of a loop of that take, without its extension.
    pub fn stem_of(opened: &Opened) -> String {
        format!("{}-loop", opened.stem())
    }

    /// Name of the file of a loop of that take.
    pub fn file_name(opened: &Opened, format: Format) -> String {
        format!("{}.{}", Self::stem_of(opened), format.extension())
    }

    /// Name of the sidecar of a file.
    pub fn name_of_sidecar(file_name: &str) -> String {
        format!("{file_name}.json")
    }

    /// Name of the sidecar.
    pub fn sidecar_name(&self) -> String {
        Self::name_of_sidecar(&self.file_name)
    }
}

/// The stretch as the command line sees it: the one that the recipe names, or a whole take, which it finds anew.
fn named(opened: &Opened, made: &Made) -> LoopCandidate {
    let stretch = &made.recipe.stretch;
    let named = stretch.start.zip(stretch.end).and_then(|(start, end)| {
        let settings = SearchSettings {
            cycles: stretch.cycles,
            pairing: made.candidate.pairing.clone(),
            ..SearchSettings::default()
        };
        opened.analysis.appraise(start, end, &settings).ok()
    });
    named.unwrap_or_else(|| made.candidate.clone())
}
