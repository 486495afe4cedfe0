//! Answers of the worker.

use std::sync::Arc;

use loopwright_core::{
    FoundLoops, Pose, Quality, Take,
    handover::{AnalysisParts, MadeParts},
    retarget::{Rig, RigPair},
};
use loopwright_formats::{Character, Format, LoadedTake, Source};
use loopwright_job::{CharacterTarget, Decision, Following, LoopMade, Matched, Recipe};
use serde::{Deserialize, Serialize};

use super::{Arrays, ParcelError, ask::of_reading};
use crate::road::{Edit, Exported, Listed, Made, NamedFile, Opened, SetFiles, Studied, recipe_text, retarget_of};
use crate::work::{Done, Job, OfTake};

#[derive(Serialize, Deserialize)]
pub enum Answer {
    /// A take; its long arrays are handed over separately.
    Opened(Box<OpenedParts>),
    /// A take and the choices of a recipe.
    Followed(Box<OpenedParts>, Box<Edit>),
    /// A loop.
    Made(Box<WorkedParts>),
    /// The grade of a loop as a word, if it can be made.
    Judged(Option<String>),
    /// The names of the animations of a file, and descriptions of some.
    Listed(Vec<String>, Vec<Listed>),
    /// A loop as a file.
    Exported(Exported),
    /// The result of a study.
    Studied(Studied),
    /// A set.
    SetMade(SetFiles),
    /// The reason of a failure.
    Failed(String),
}

/// A take without its long arrays and without its files.
#[derive(Serialize, Deserialize)]
pub struct OpenedParts {
    file_name: String,
    source: Source,
    file_sha256: Option<String>,
    format: Format,
    analysis: AnalysisParts,
    found: FoundLoops,
    no_loops: Option<String>,
    warnings: Vec<String>,
    /// The settings that it was read with.
    #[serde(with = "recipe_text")]
    study: Recipe,
    character: Option<CharacterParts>,
    rig: Option<Rig>,
}

/// The character for the loops of a take.
#[derive(Serialize, Deserialize)]
struct CharacterParts {
    pair: RigPair,
    source: Source,
    /// Name, frame time and first pose of the take in its file.
    name: String,
    frame_time_secs: f64,
    first: Pose,
    file: String,
    gaze: Option<f64>,
}

impl CharacterParts {
    fn new(on: &Matched) -> Self {
        let LoadedTake { take, source, .. } = &on.target.character.file;
        Self {
            pair: (*on.pair).clone(),
            source: source.clone(),
            name: take.name().to_owned(),
            frame_time_secs: take.frame_time_secs(),
            first: take.pose(0).to_pose(),
            file: on.target.file.clone(),
            gaze: on.gaze,
        }
    }

    fn join(self) -> Result<Matched, ParcelError> {
        let skeleton = self.pair.target.skeleton().clone();
        let Pose {
            translations,
            rotations,
        } = self.first;
        let take = Take::new(self.name, skeleton, self.frame_time_secs, translations, rotations)?;
        let character = Character {
            rig: self.pair.target.clone(),
            file: LoadedTake::new(take, self.source),
        };
        // Its joints are matched already.
        Ok(Matched {
            pair: Arc::new(self.pair),
            target: Arc::new(CharacterTarget::new(self.file, character, Following::default())?),
            gaze: self.gaze,
        })
    }
}

/// A loop with what was computed about it.
#[derive(Serialize, Deserialize)]
pub struct WorkedParts {
    row: usize,
    made: MadeParts,
    decision: Option<Decision>,
    tried: usize,
    may_move: bool,
    /// Settings of its file.
    #[serde(with = "recipe_text")]
    output: Recipe,
    quality: Quality,
    is_draft: bool,
}

impl OpenedParts {
    pub fn new(opened: &Opened) -> Self {
        // The files stay with the page.
        let Opened {
            file_name,
            studied,
            format,
            found,
            no_loops,
            warnings,
            bytes: _,
            study,
            retarget: _,
            named: _,
        } = opened;
        Self {
            file_name: file_name.clone(),
            source: studied.file.source.clone(),
            file_sha256: studied.file.file_sha256.clone(),
            format: *format,
            analysis: AnalysisParts::from_analysis(&studied.analysis),
            found: found.clone(),
            no_loops: no_loops.clone(),
            warnings: warnings.clone(),
            study: of_reading(study),
            character: studied.character.as_ref().map(CharacterParts::new),
            rig: studied.rig.clone(),
        }
    }

    fn join(self, bytes: Option<Arc<Vec<u8>>>, named: Vec<NamedFile>, arrays: Arrays) -> Result<Opened, ParcelError> {
        let analysis = self.analysis.with_arrays(arrays)?;
        let study = self.study.take;
        let studied = loopwright_job::Studied {
            name: self.file_name.clone(),
            file: LoadedTake {
                file_sha256: self.file_sha256,
                ..LoadedTake::new(analysis.take.clone(), self.source)
            },
            analysis,
            smooth_hz: study.smooth,
            licence: study.licence.clone(),
            character: self.character.map(CharacterParts::join).transpose()?,
            rig: self.rig,
            // The opened take holds them as text.
            warnings: Vec::new(),
        };
        Ok(Opened {
            file_name: self.file_name,
            format: self.format,
            found: self.found,
            no_loops: self.no_loops,
            warnings: self.warnings,
            bytes,
            study,
            retarget: retarget_of(&studied),
            named,
            studied,
        })
    }
}

impl WorkedParts {
    pub fn new(made: &Made, opened: &Opened) -> Self {
        Self {
            row: made.done.row,
            made: made.done.made.to_parts(opened.take()),
            decision: made.done.decision.clone(),
            tried: made.done.tried,
            may_move: made.done.may_move,
            output: Recipe {
                output: made.done.output,
                ..Recipe::default()
            },
            quality: made.quality,
            is_draft: made.is_draft,
        }
    }

    fn join(self, opened: &Opened, edit: &Edit) -> Made {
        let output = self.output.output;
        let mut ineffective = Vec::new();
        output.root_settings(&mut ineffective);
        let done = LoopMade {
            row: self.row,
            made: self.made.of_take(opened.take()),
            decision: self.decision,
            tried: self.tried,
            may_move: self.may_move,
            output,
            ineffective,
        };
        Made::of_work(opened, edit, done, self.quality, self.is_draft)
    }
}

impl Answer {
    pub fn done(self, job: &Job, arrays: Option<Arrays>) -> Result<Done, ParcelError> {
        let arrays = arrays.unwrap_or_default();
        Ok(match (self, job) {
            (Self::Opened(parts), job) => {
                let bytes = match job {
                    Job::Open(file, _) => Some(Arc::clone(&file.bytes)),
                    _ => None,
                };
                Done::Opened(Ok(Arc::new(parts.join(bytes, Vec::new(), arrays)?)))
            }
            (Self::Followed(parts, edit), Job::Follow { take, .. }) => Done::Followed(Ok((
                Arc::new(parts.join(Some(Arc::clone(&take.bytes)), take.named.clone(), arrays)?),
                edit,
            ))),
            (Self::Made(parts), Job::OfTake(opened, OfTake::Make { edit, .. })) => {
                Done::Made(Ok(Arc::new(parts.join(opened, edit))))
            }
            (Self::Made(parts), Job::OfTake(opened, OfTake::Compare(edit))) => {
                Done::Compared(Ok(Arc::new(parts.join(opened, edit))))
            }
            (Self::Judged(grade), _) => Done::Judged(grade.and_then(|grade| grade.parse().ok())),
            (Self::Listed(names, listed), _) => Done::Listed(names, listed),
            (Self::Exported(exported), _) => Done::Exported(Ok(exported)),
            (Self::SetMade(set), _) => Done::SetMade(Ok(set)),
            (Self::Studied(studied), Job::OfTake(opened, _)) => Done::Studied(Arc::clone(opened), studied),
            (Self::Failed(reason), job) => job.lost()(reason),
            (Self::Followed(..) | Self::Made(_) | Self::Studied(_), job) => {
                job.lost()("an unexpected answer came".to_owned())
            }
        })
    }
}
