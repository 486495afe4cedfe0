//! A loop as a file, with its sidecar.

use loopwright_formats::{Format, Sidecar, SidecarError};
use loopwright_job::{JobError, Warning, choose, warning, write};
use serde::{Deserialize, Serialize};

use super::{
    made::{Made, request},
    opened::Opened,
    stretch::Stretch,
};

/// The bytes of a loop's file and of its sidecar.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// Name of the file.
    pub file_name: String,
    /// The file.
    #[serde(with = "loopwright_core::plain_bytes")]
    pub bytes: Vec<u8>,
    /// The sidecar, whose file has the name of the loop's with `.json` after it.
    pub sidecar: String,
}

/// Why a loop cannot be exported.
#[error_sum]
pub enum ExportError {
    /// The loop cannot be written.
    Loop(JobError),
    /// The sidecar cannot be written.
    Sidecar(SidecarError),
    /// Background work failed.
    #[error("{0}")]
    Beside(String),
    /// There is no loop.
    #[error("there is no loop to export")]
    NoLoop,
}

impl Exported {
    /// Writes the loop in a format: the take's own keeps hierarchy, unit and up axis. Errors: [`ExportError`].
    pub fn of(opened: &Opened, made: &Made, format: Format) -> Result<Self, ExportError> {
        // The request is that of the saved recipe: for the stretch that it names, or for the whole take, which is searched anew.
        let request = request(&made.recipe);
        let mut done = made.done.clone();
        if made.recipe.stretch.start.is_some()
            && let Some(Ok(named)) = choose(&opened.studied, request, &mut Vec::new())?.pop()
        {
            done.made.candidate = named.stretch;
        }
        let mut pending = write(&opened.studied, request, done, format)?;
        // The stretch was found by a search, although the recipe names it.
        if !matches!(made.edit.stretch, Stretch::Frames { .. }) {
            let at = pending
                .warnings
                .iter()
                .take_while(|warning| {
                    matches!(
                        warning,
                        Warning::Engine(_) | Warning::RootJointThere { .. } | Warning::Ineffective(_)
                    )
                })
                .count();
            pending
                .warnings
                .splice(at..at, warning::confidence(opened.studied.take(), &made.candidate));
        }
        let file_name = Self::file_name(opened, format);
        let (bytes, sidecar) = pending.named(
            vec![file_name.clone(), Self::name_of_sidecar(&file_name)],
            opened.warnings.clone(),
        );
        Ok(Self {
            file_name,
            bytes,
            sidecar: sidecar.to_json()?,
        })
    }

    /// Returns the file under another name, given without extension; the sidecar states it. Errors: [`ExportError`].
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

    /// Returns the name of the file of a take's loop, without extension.
    pub fn stem_of(opened: &Opened) -> String {
        format!("{}-loop", opened.stem())
    }

    /// Returns the name of the file of a take's loop.
    pub fn file_name(opened: &Opened, format: Format) -> String {
        format!("{}.{}", Self::stem_of(opened), format.extension())
    }

    /// Returns the name of the sidecar of a file.
    pub fn name_of_sidecar(file_name: &str) -> String {
        format!("{file_name}.json")
    }

    /// Returns the name of the sidecar.
    pub fn sidecar_name(&self) -> String {
        Self::name_of_sidecar(&self.file_name)
    }
}
