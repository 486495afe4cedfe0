//! What the worker answers.

use std::sync::Arc;

use loopwright::{
    FoundLoops, Pose, Quality, Take,
    handover::{AnalysisParts, MadeParts},
    pipeline::ClosureChoice,
    retarget::{Retarget, RigPair},
};
use loopwright_controller::TakeFit;
use loopwright_formats::{Format, LoadedTake, Source, loop_file::facts::RigFacts};
use loopwright_job::recipe::Recipe;
use serde::{Deserialize, Serialize};

use super::{
    Arrays, ParcelError,
    ask::{EditParts, of_reading},
    bytes,
};
use crate::{
    road::{CostMap, Exported, Jump, Made, NamedFile, OnCharacter, Opened, Studied, StudyError, Worked},
    work::{Done, Job},
};

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) enum Answer {
    /// A take, whose long arrays are handed over beside it.
    Opened(Box<OpenedParts>),
    /// A take and the choices of a recipe.
    Followed(Box<OpenedParts>, Box<EditParts>),
    /// A loop.
    Made(Box<WorkedParts>),
    /// The name of a file, its bytes and its sidecar.
    Exported(String, #[serde(with = "bytes")] Vec<u8>, String),
    /// What was worked out of a take.
    Studied(StudiedParts),
    /// Why there is none of them.
    Failed(String),
}

/// A take without its long arrays and without its files.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) struct OpenedParts {
    file_name: String,
    source: Source,
    format: Format,
    analysis: AnalysisParts,
    found: FoundLoops,
    warnings: Vec<String>,
    study: String,
    character: Option<CharacterParts>,
    speeds: Vec<f32>,
}

/// The character that takes the loops of a take.
#[derive(Debug, Serialize, Deserialize)]
struct CharacterParts {
    pair: RigPair,
    retarget: Retarget,
    source: Source,
    /// The name, the seconds of a frame and the first pose of the take that its file holds.
    name: String,
    frame_time_secs: f64,
    first: Pose,
    facts: RigFacts,
}

impl CharacterParts {
    fn new(on: &OnCharacter) -> Self {
        let take = &on.file.take;
        Self {
            pair: on.pair.clone(),
            retarget: on.retarget.clone(),
            source: on.file.source.clone(),
            name: take.name().to_owned(),
            frame_time_secs: take.frame_time_secs(),
            first: take.pose(0).to_pose(),
            facts: on.facts.clone(),
        }
    }

    fn join(self) -> Result<OnCharacter, ParcelError> {
        let skeleton = self.pair.target.skeleton().clone();
        let Pose {
            translations,
            rotations,
        } = self.first;
        let take = Take::new(self.name, skeleton, self.frame_time_secs, translations, rotations)?;
        Ok(OnCharacter {
            file: LoadedTake {
                take,
                source: self.source,
            },
            pair: self.pair,
            retarget: self.retarget,
            facts: self.facts,
        })
    }
}

/// What was worked out about a loop.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) struct WorkedParts {
    made: MadeParts,
    tried: Option<ClosureChoice>,
    quality: Quality,
    warnings: Vec<String>,
    is_draft: bool,
}

/// What was worked out of a take, or why it cannot be.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) enum StudiedParts {
    Costs(CostMap),
    Jumps(Result<Vec<Jump>, String>),
    Fit(Box<Result<TakeFit, String>>),
}

impl OpenedParts {
    pub(super) fn new(opened: &Opened) -> Result<Self, ParcelError> {
        // The files stay with the page.
        let Opened {
            file_name,
            source,
            format,
            analysis,
            found,
            warnings,
            bytes: _,
            study,
            character,
            named: _,
            speeds,
        } = opened;
        Ok(Self {
            file_name: file_name.clone(),
            source: source.clone(),
            format: *format,
            analysis: analysis.to_parts(),
            found: found.clone(),
            warnings: warnings.clone(),
            study: of_reading(study).to_text()?,
            character: character.as_deref().map(CharacterParts::new),
            speeds: speeds.clone(),
        })
    }

    fn join(self, bytes: Option<Arc<Vec<u8>>>, named: Vec<NamedFile>, arrays: Arrays) -> Result<Opened, ParcelError> {
        Ok(Opened {
            file_name: self.file_name,
            source: self.source,
            format: self.format,
            analysis: Arc::new(self.analysis.with_arrays(arrays)?),
            found: self.found,
            warnings: self.warnings,
            bytes,
            study: Recipe::read(self.study.as_bytes())?.take,
            character: self.character.map(CharacterParts::join).transpose()?.map(Arc::new),
            named,
            speeds: self.speeds,
        })
    }
}

impl WorkedParts {
    pub(super) fn new(made: &Made, opened: &Opened) -> Self {
        Self {
            made: made.made.to_parts(opened.take()),
            tried: made.tried,
            quality: made.quality,
            warnings: made.warnings.clone(),
            is_draft: made.is_draft,
        }
    }

    fn join(self, opened: &Opened) -> Worked {
        Worked {
            made: self.made.of_take(opened.take()),
            tried: self.tried,
            quality: self.quality,
            warnings: self.warnings,
            is_draft: self.is_draft,
        }
    }
}

impl StudiedParts {
    pub(super) fn new(studied: Studied) -> Self {
        match studied {
            Studied::Costs(costs) => Self::Costs(costs),
            Studied::Jumps(jumps) => Self::Jumps(jumps.map_err(|error| error.to_string())),
            Studied::Fit(fit) => Self::Fit(Box::new(fit.map_err(|error| error.to_string()))),
        }
    }

    fn join(self) -> Studied {
        match self {
            Self::Costs(costs) => Studied::Costs(costs),
            Self::Jumps(jumps) => Studied::Jumps(jumps.map_err(StudyError::Beside)),
            Self::Fit(fit) => Studied::Fit(Box::new(fit.map_err(StudyError::Beside))),
        }
    }
}

impl Answer {
    /// The take whose long arrays belong to it.
    pub(super) fn has_arrays(&self) -> bool {
        matches!(self, Self::Opened(_) | Self::Followed(..))
    }

    /// What is done by that, for the work that was asked for.
    pub(in crate::work) fn done(self, job: &Job, arrays: Option<Arrays>) -> Result<Done, ParcelError> {
        let arrays = arrays.unwrap_or_default();
        Ok(match (self, job) {
            (Self::Opened(parts), Job::Open { bytes, .. }) => {
                let opened = parts.join(Some(Arc::clone(bytes)), Vec::new(), arrays)?;
                Done::Opened(Ok(Arc::new(opened)))
            }
            (Self::Opened(parts), _) => Done::Opened(Ok(Arc::new(parts.join(None, Vec::new(), arrays)?))),
            (Self::Followed(parts, edit), Job::Follow { bytes, named, .. }) => {
                let opened = Arc::new(parts.join(Some(Arc::clone(bytes)), named.clone(), arrays)?);
                Done::Followed(Ok((opened, Box::new(edit.into_edit()?))))
            }
            (Self::Made(parts), Job::Make { opened, edit, .. }) => {
                Done::Made(Ok(Arc::new(Made::of_work(opened, edit, parts.join(opened)))))
            }
            (Self::Exported(file_name, bytes, sidecar), _) => Done::Exported(Ok(Exported {
                file_name,
                bytes,
                sidecar,
            })),
            (Self::Studied(studied), Job::Study { opened, .. }) => Done::Studied(Arc::clone(opened), studied.join()),
            (Self::Failed(reason), job) => job.lost()(reason),
            (Self::Followed(..) | Self::Made(_) | Self::Studied(_), job) => {
                job.lost()("an answer came that nobody asked for".to_owned())
            }
        })
    }
}
