//! What the page and its worker say to each other: bytes, and the long arrays of takes apart from them.
//!
//! Both are instances of one build, so that values cross as they lie in memory. A take that the worker opened stays there, too, for
//! the loops that are made of it.

use std::sync::Arc;

use loopwright::{
    FoundLoops, LoopSettings, Quality,
    handover::{AnalysisParts, MadeParts, NUM_LONG_ARRAYS},
    pipeline::ClosureChoice,
};
use loopwright_formats::{Format, Source};
use loopwright_recipe::{Recipe, RecipeError, StudyArgs};
use serde::{Deserialize, Serialize};

use super::{Done, Job};
use crate::road::{Edit, Exported, Made, MadeError, OpenError, Opened, Stretch, Worked};

/// What the page asks of its worker. The bytes of a file that is read are handed over beside it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// The walk that the studio opens with.
    Walk,
    /// A file.
    Open { file_name: String },
    /// A file, as a recipe says.
    Follow { file_name: String, recipe: String },
    /// A loop of the take that was opened last, or of that one.
    Make {
        again: Option<Again>,
        edit: EditParts,
        is_draft: bool,
    },
    /// A loop in a file.
    Export {
        again: Option<Again>,
        edit: EditParts,
        format: Format,
    },
}

/// How a take is opened again by a worker that does not have it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Again {
    file_name: String,
    recipe: String,
}

/// The choices.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct EditParts {
    stretch: Stretch,
    tries_closures: bool,
    settings: LoopSettings,
    recipe: String,
}

/// What the worker answers.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Answer {
    /// A take, whose long arrays are handed over beside it.
    Opened(Box<OpenedParts>),
    /// A take and the choices of a recipe.
    Followed(Box<OpenedParts>, Box<EditParts>),
    /// A loop.
    Made(Box<WorkedParts>),
    /// The name of a file, its bytes and its sidecar.
    Exported(String, #[serde(with = "bytes")] Vec<u8>, String),
    /// Why there is none of them.
    Failed(String),
}

/// A take without its long arrays and without its file.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct OpenedParts {
    file_name: String,
    source: Source,
    format: Format,
    analysis: AnalysisParts,
    found: FoundLoops,
    warnings: Vec<String>,
    study: String,
    speeds: Vec<f32>,
}

/// What was worked out about a loop.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct WorkedParts {
    made: MadeParts,
    tried: Option<ClosureChoice>,
    quality: Quality,
    warnings: Vec<String>,
    is_draft: bool,
}

/// Why something cannot be handed over.
#[derive(Debug, thiserror::Error)]
pub(super) enum ParcelError {
    /// A number that TOML cannot hold, or a recipe that does not fit.
    #[error("{0}")]
    Recipe(#[from] RecipeError),
    /// The bytes are not those of the value that is expected.
    #[error(transparent)]
    Bytes(#[from] postcard::Error),
    /// It is nothing for the worker.
    #[error("this is done in the page")]
    Here,
    /// The arrays do not fit.
    #[error(transparent)]
    Arrays(#[from] loopwright::handover::HandoverError),
}

/// The bytes of a file that is handed over beside what is asked.
pub(super) type File = Option<Arc<Vec<u8>>>;

/// The arrays that are handed over beside an answer.
pub(super) type Arrays = [Vec<f64>; NUM_LONG_ARRAYS];

/// A value as bytes. Errors: out of memory alone.
pub(super) fn packed(value: &impl Serialize) -> Result<Vec<u8>, ParcelError> {
    Ok(postcard::to_allocvec(value)?)
}

/// The value of bytes. Errors: they are not those of such a value.
pub(super) fn unpacked<T: for<'de> Deserialize<'de>>(bytes: &[u8]) -> Result<T, ParcelError> {
    Ok(postcard::from_bytes(bytes)?)
}

impl Ask {
    /// What is asked for a piece of work, and the file that it reads. `knows` is the take that the worker has.
    pub(super) fn of(job: &Job, knows: Option<&Arc<Opened>>) -> Result<(Self, File), ParcelError> {
        // A character is a file of its own, and so is what is worked out of a take: both are done in the page.
        let is_here = match job {
            Job::Walk | Job::Open { .. } => false,
            Job::Follow { recipe, edit, .. } => recipe.take.rig.is_some() || edit.is_some(),
            Job::Make { opened, .. } | Job::Export { opened, .. } => opened.rig.is_some(),
            Job::Study { .. } => true,
        };
        if is_here {
            return Err(ParcelError::Here);
        }
        let again = |opened: &Arc<Opened>| match knows.is_some_and(|known| Arc::ptr_eq(known, opened)) {
            true => Ok((None, None)),
            false => Again::of(opened).map(|again| (Some(again), opened.bytes.clone())),
        };
        Ok(match job {
            Job::Walk => (Self::Walk, None),
            Job::Open { file_name, bytes } => {
                let file_name = file_name.clone();
                (Self::Open { file_name }, Some(Arc::clone(bytes)))
            }
            Job::Follow {
                file_name,
                bytes,
                recipe,
                ..
            } => {
                let (file_name, recipe) = (file_name.clone(), recipe.to_text()?);
                (Self::Follow { file_name, recipe }, Some(Arc::clone(bytes)))
            }
            Job::Make { opened, edit, is_draft } => {
                let (again, bytes) = again(opened)?;
                let (edit, is_draft) = (EditParts::of(edit)?, *is_draft);
                (Self::Make { again, edit, is_draft }, bytes)
            }
            Job::Export { opened, made, format } => {
                let (again, bytes) = again(opened)?;
                let (edit, format) = (EditParts::of(&made.edit)?, *format);
                (Self::Export { again, edit, format }, bytes)
            }
            Job::Study { .. } => return Err(ParcelError::Here),
        })
    }
}

impl Again {
    fn of(opened: &Opened) -> Result<Self, ParcelError> {
        Ok(Self {
            file_name: opened.file_name.clone(),
            recipe: text_of(&opened.study)?,
        })
    }

    /// Opens the take; without a file it is the walk that the studio opens with.
    fn open(&self, bytes: Option<Vec<u8>>) -> Result<Opened, OpenError> {
        match bytes {
            Some(bytes) => {
                let recipe = Recipe::read(self.recipe.as_bytes()).map_err(OpenError::Recipe)?;
                Opened::read_as(&self.file_name, Arc::new(bytes), &recipe.take, None)
            }
            None => Opened::walk(),
        }
    }
}

/// How a take is read, as the text of a recipe.
fn text_of(study: &StudyArgs) -> Result<String, RecipeError> {
    let recipe = Recipe {
        take: study.clone(),
        ..Recipe::default()
    };
    recipe.to_text()
}

impl EditParts {
    fn of(edit: &Edit) -> Result<Self, ParcelError> {
        let Edit {
            stretch,
            tries_closures,
            settings,
            recipe,
        } = edit;
        Ok(Self {
            stretch: *stretch,
            tries_closures: *tries_closures,
            settings: settings.clone(),
            recipe: recipe.to_text()?,
        })
    }

    fn into_edit(self) -> Result<Edit, ParcelError> {
        Ok(Edit {
            stretch: self.stretch,
            tries_closures: self.tries_closures,
            settings: self.settings,
            recipe: Recipe::read(self.recipe.as_bytes())?,
        })
    }
}

impl OpenedParts {
    fn of(opened: &Opened) -> Result<Self, ParcelError> {
        // The file stays with the page.
        let Opened {
            file_name,
            source,
            format,
            analysis,
            found,
            warnings,
            bytes: _,
            study,
            // Takes on a character are the page's own.
            rig: _,
            character: _,
            followed: _,
            speeds,
        } = opened;
        Ok(Self {
            file_name: file_name.clone(),
            source: source.clone(),
            format: *format,
            analysis: analysis.to_parts(),
            found: found.clone(),
            warnings: warnings.clone(),
            study: text_of(study)?,
            speeds: speeds.clone(),
        })
    }

    fn join(self, bytes: Option<Arc<Vec<u8>>>, arrays: Arrays) -> Result<Opened, ParcelError> {
        Ok(Opened {
            file_name: self.file_name,
            source: self.source,
            format: self.format,
            analysis: Arc::new(self.analysis.with_arrays(arrays)?),
            found: self.found,
            warnings: self.warnings,
            bytes,
            study: Recipe::read(self.study.as_bytes())?.take,
            rig: None,
            character: None,
            followed: None,
            speeds: self.speeds,
        })
    }
}

impl Answer {
    /// The take whose long arrays belong to it.
    fn has_arrays(&self) -> bool {
        matches!(self, Self::Opened(_) | Self::Followed(..))
    }

    /// What is done by that, for the work that was asked for.
    pub(super) fn done(self, job: &Job, arrays: Option<Arrays>) -> Result<Done, ParcelError> {
        let file = match job {
            Job::Open { bytes, .. } | Job::Follow { bytes, .. } => Some(Arc::clone(bytes)),
            _ => None,
        };
        let arrays = arrays.unwrap_or_default();
        Ok(match (self, job) {
            (Self::Opened(parts), _) => Done::Opened(Ok(Arc::new(parts.join(file, arrays)?))),
            (Self::Followed(parts, edit), _) => {
                let opened = Arc::new(parts.join(file, arrays)?);
                Done::Followed(Ok((opened, Box::new(edit.into_edit()?))))
            }
            (Self::Made(parts), Job::Make { opened, edit, .. }) => {
                let worked = Worked {
                    made: parts.made.of_take(opened.take()),
                    tried: parts.tried,
                    quality: parts.quality,
                    warnings: parts.warnings,
                    is_draft: parts.is_draft,
                };
                Done::Made(Ok(Arc::new(Made::of_work(opened, edit, worked))))
            }
            (Self::Exported(file_name, bytes, sidecar), _) => Done::Exported(Ok(Exported {
                file_name,
                bytes,
                sidecar,
            })),
            (Self::Failed(reason), job) => job.lost()(reason),
            (Self::Made(_), job) => job.lost()("a loop came that nobody asked for".to_owned()),
        })
    }
}

/// What the worker has: the take that it opened last, and the loop that it made of it last.
#[derive(Debug, Default)]
pub(super) struct Bench {
    opened: Option<Arc<Opened>>,
    made: Option<Made>,
}

impl Bench {
    /// Does what is asked. The take whose arrays belong to the answer is returned with it.
    pub(super) fn answer(
        &mut self,
        ask: Ask,
        file: Option<Vec<u8>>,
        tell: &dyn Fn(crate::road::Step),
    ) -> (Answer, Option<Arc<Opened>>) {
        let answer = self
            .try_answer(ask, file, tell)
            .unwrap_or_else(|error| Answer::Failed(error.to_string()));
        let opened = answer.has_arrays().then(|| self.opened.clone()).flatten();
        (answer, opened)
    }

    fn try_answer(
        &mut self,
        ask: Ask,
        file: Option<Vec<u8>>,
        tell: &dyn Fn(crate::road::Step),
    ) -> Result<Answer, Box<dyn std::error::Error>> {
        match ask {
            Ask::Walk => self.opened(Job::Walk.run(tell)),
            Ask::Open { file_name } => {
                let bytes = Arc::new(file.unwrap_or_default());
                self.opened(Job::Open { file_name, bytes }.run(tell))
            }
            Ask::Follow { file_name, recipe } => {
                let (bytes, recipe) = (
                    Arc::new(file.unwrap_or_default()),
                    Box::new(Recipe::read(recipe.as_bytes())?),
                );
                self.opened(
                    Job::Follow {
                        file_name,
                        bytes,
                        recipe,
                        edit: None,
                        character: None,
                    }
                    .run(tell),
                )
            }
            Ask::Make { again, edit, is_draft } => {
                let made = self.made(again, file, edit, is_draft)?;
                let opened = self.opened.as_ref().ok_or(MadeError::Beside(NO_TAKE.to_owned()))?;
                let parts = WorkedParts {
                    made: made.made.to_parts(opened.take()),
                    tried: made.tried,
                    quality: made.quality,
                    warnings: made.warnings.clone(),
                    is_draft: made.is_draft,
                };
                self.made = Some(made);
                Ok(Answer::Made(Box::new(parts)))
            }
            Ask::Export { again, edit, format } => {
                let made = self.made(again, file, edit, false)?;
                let opened = self.opened.as_ref().ok_or(MadeError::Beside(NO_TAKE.to_owned()))?;
                let Exported {
                    file_name,
                    bytes,
                    sidecar,
                } = Exported::of(opened, &made, format)?;
                self.made = Some(made);
                Ok(Answer::Exported(file_name, bytes, sidecar))
            }
        }
    }

    /// Keeps a take that was opened.
    fn opened(&mut self, done: Done) -> Result<Answer, Box<dyn std::error::Error>> {
        self.made = None;
        let (opened, edit) = match done {
            Done::Opened(opened) => (opened?, None),
            Done::Followed(followed) => {
                let (opened, edit) = followed?;
                (opened, Some(edit))
            }
            Done::Made(_) | Done::Exported(_) | Done::Studied(..) => return Ok(Answer::Failed(NO_TAKE.to_owned())),
        };
        let opened = self.opened.insert(opened);
        if let Some(opened) = Arc::get_mut(opened) {
            // The page has the file, too.
            opened.bytes = None;
        }
        let parts = Box::new(OpenedParts::of(opened)?);
        Ok(match edit {
            Some(edit) => Answer::Followed(parts, Box::new(EditParts::of(&edit)?)),
            None => Answer::Opened(parts),
        })
    }

    /// The loop of these choices: the last one, if it is that.
    fn made(
        &mut self,
        again: Option<Again>,
        file: Option<Vec<u8>>,
        edit: EditParts,
        is_draft: bool,
    ) -> Result<Made, Box<dyn std::error::Error>> {
        if let Some(again) = again {
            (self.opened, self.made) = (None, None);
            self.opened = Some(Arc::new(again.open(file)?));
        }
        let opened = self.opened.as_ref().ok_or(MadeError::Beside(NO_TAKE.to_owned()))?;
        let edit = edit.into_edit()?;
        let last = self
            .made
            .take()
            .filter(|made| made.edit == edit && made.is_draft == is_draft);
        Ok(match last {
            Some(made) => made,
            None if is_draft => Made::draft(opened, &edit)?,
            None => Made::of(opened, &edit)?,
        })
    }
}

/// What is said where a loop is asked for and no take is there.
const NO_TAKE: &str = "the worker has no take";

/// Bytes in one piece.
mod bytes {
    use std::fmt;

    use serde::{Deserializer, Serializer, de::Visitor};

    pub(super) fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
        struct Piece;

        impl Visitor<'_> for Piece {
            type Value = Vec<u8>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
                Ok(bytes.to_vec())
            }
        }

        deserializer.deserialize_bytes(Piece)
    }
}

#[cfg(test)]
mod tests {
    use loopwright_formats::write_take;
    use loopwright_synth::{WalkSettings, synthesize};

    use super::*;

    /// A walk as a file.
    fn file(format: Format) -> Arc<Vec<u8>> {
        let settings = WalkSettings {
            seed: 5,
            seconds: 5.0,
            ..WalkSettings::default()
        };
        let take = synthesize(&settings).unwrap().take;
        let written = write_take(&take, &Source::for_take(&take, format)).unwrap();
        Arc::new(written.bytes)
    }

    /// What comes back from a worker for a piece of work: everything goes through bytes, as in a page.
    fn through(bench: &mut Bench, job: &Job, knows: Option<&Arc<Opened>>) -> Done {
        let (ask, file) = Ask::of(job, knows).unwrap();
        let ask = unpacked(&packed(&ask).unwrap()).unwrap();
        let (answer, opened) = bench.answer(ask, file.map(|file| file.to_vec()), &|_| {});
        let answer: Answer = unpacked(&packed(&answer).unwrap()).unwrap();
        let arrays = opened.map(|opened| opened.analysis.long_arrays().map(<[f64]>::to_vec));
        answer.done(job, arrays).unwrap()
    }

    fn opened(done: Done) -> Arc<Opened> {
        match done {
            Done::Opened(opened) => opened.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    fn same_take(there: &Opened, here: &Opened) {
        assert!(there.analysis == here.analysis && there.source == here.source && there.found == here.found);
        let facts = |opened: &Opened| {
            let Opened {
                file_name,
                format,
                warnings,
                bytes,
                study,
                speeds,
                ..
            } = opened.clone();
            (file_name, format, warnings, bytes, study, speeds)
        };
        assert_eq!(facts(there), facts(here));
    }

    #[test]
    fn a_take_and_its_loop_come_back_as_they_were() {
        for format in Format::ALL {
            let bytes = file(format);
            let file_name = format!("walk.{}", format.extension());
            let here = Opened::read_as(&file_name, Arc::clone(&bytes), &StudyArgs::default(), None).unwrap();
            let mut bench = Bench::default();
            let there = opened(through(&mut bench, &Job::Open { file_name, bytes }, None));
            same_take(&there, &here);

            let mut edit = Edit::first(&here);
            edit.settings.closure.method.shares.rho = 0.3;
            edit.settings.sampling = loopwright::pipeline::Sampling::Rate(24.0);
            let make = Job::Make {
                opened: Arc::clone(&there),
                edit: Box::new(edit.clone()),
                is_draft: false,
            };
            // Whether the worker still has the take, or has to open it again.
            for (mut bench, knows) in [(bench, Some(&there)), (Bench::default(), None)] {
                let Done::Made(Ok(made)) = through(&mut bench, &make, knows) else {
                    panic!("no loop")
                };
                let wanted = Made::of(&here, &edit).unwrap();
                assert!(made.made == wanted.made && made.edit == edit && made.recipe == wanted.recipe);
                assert!(made.quality == wanted.quality && made.verdict == wanted.verdict);
                assert!(made.candidate == wanted.candidate && made.output == wanted.output);
                for format in Format::ALL {
                    let export = Job::Export {
                        opened: Arc::clone(&there),
                        made: Arc::clone(&made),
                        format,
                    };
                    let Done::Exported(Ok(exported)) = through(&mut bench, &export, Some(&there)) else {
                        panic!("no file")
                    };
                    assert!(exported == Exported::of(&here, &wanted, format).unwrap(), "{format:?}");
                }
            }
        }
    }

    #[test]
    fn what_goes_wrong_is_said_in_the_same_words() {
        let mut bench = Bench::default();
        let bytes = Arc::new(b"HIERARCHY\nROOT".to_vec());
        let file_name = "torn.bvh".to_owned();
        let here = Opened::read_as(&file_name, Arc::clone(&bytes), &StudyArgs::default(), None).unwrap_err();
        let Done::Opened(Err(there)) = through(&mut bench, &Job::Open { file_name, bytes }, None) else {
            panic!("it is open")
        };
        assert_eq!(there.to_string(), here.to_string());

        let walk = opened(through(&mut bench, &Job::Walk, None));
        same_take(&walk, &Opened::walk().unwrap());
        let mut edit = Edit::first(&walk);
        edit.stretch = Stretch::Frames {
            start_frame: 10.0,
            end_frame: 10.5,
        };
        let here = Made::of(&walk, &edit).unwrap_err();
        let make = Job::Make {
            opened: Arc::clone(&walk),
            edit: Box::new(edit),
            is_draft: false,
        };
        let Done::Made(Err(there)) = through(&mut bench, &make, Some(&walk)) else {
            panic!("it is made")
        };
        assert_eq!(there.to_string(), here.to_string());
    }

    #[test]
    fn a_recipe_is_followed_there_as_here() {
        let text = "[take]\nup = \"y\"\nunit = \"0.02\"\n[closure]\nmethod = \"spring\"\n";
        let recipe = Recipe::read(text.as_bytes()).unwrap();
        let job = Job::Follow {
            file_name: "walk.bvh".to_owned(),
            bytes: file(Format::Bvh),
            recipe: Box::new(recipe),
            edit: None,
            character: None,
        };
        let Done::Followed(Ok((here, edit))) = job.clone().run(&|_| {}) else {
            panic!("not followed here")
        };
        let Done::Followed(Ok((there, same))) = through(&mut Bench::default(), &job, None) else {
            panic!("not followed there")
        };
        same_take(&there, &here);
        assert_eq!(same, edit);
    }
}
