//! The worker's side: it does what is asked, and keeps the take for what is asked next.

use std::{error::Error, sync::Arc};

use loopwright_job::recipe::{Recipe, RecipeError};

use super::answer::{Answer, OpenedParts, StudiedParts, WorkedParts};
use super::ask::{Ask, EditParts, Files, OfTake, Reading};
use crate::road::{Exported, Made, MadeError, NamedFile, OpenError, Opened, SetOrder, Tell, list};
use crate::work::{Done, Job, TakeFile, make_file};

/// What the worker has: the take that it opened last, and the loop that it made of it last.
#[derive(Debug, Default)]
pub(in crate::work) struct Bench {
    opened: Option<Arc<Opened>>,
    made: Option<Made>,
}

impl Bench {
    /// Does what is asked. The take whose arrays belong to the answer is returned with it.
    pub(in crate::work) fn answer(&mut self, ask: Ask, files: Files, tell: Tell<'_>) -> (Answer, Option<Arc<Opened>>) {
        let answer = self
            .try_answer(ask, files, tell)
            .unwrap_or_else(|error| Answer::Failed(error.to_string()));
        let opened = answer.has_arrays().then(|| self.opened.clone()).flatten();
        (answer, opened)
    }

    fn try_answer(&mut self, ask: Ask, files: Files, tell: Tell<'_>) -> Result<Answer, Box<dyn Error>> {
        match ask {
            Ask::Walk => self.opened(Job::Walk.run(tell)),
            Ask::Open { file_name } => {
                let bytes = files.into_iter().next().unwrap_or_default();
                self.opened(Job::Open { file_name, bytes }.run(tell))
            }
            Ask::Follow { reading, edit } => {
                let edit = edit.map(EditParts::into_edit).transpose()?.map(Box::new);
                let take = reading.file(files)?;
                self.opened(Job::Follow { take, edit }.run(tell))
            }
            Ask::List { reading, from } => {
                let recipe = Recipe::read(reading.recipe.as_bytes())?;
                let bytes = files.into_iter().next().unwrap_or_default();
                let (names, listed) = list(&reading.file_name, &bytes, &recipe.take, from);
                Ok(Answer::Listed(names, listed))
            }
            Ask::ReadFile { reading, format, stem } => Ok(reading.file(files)?.make_file(format, &stem)?.into()),
            Ask::MakeSet { takes, reading, format } => {
                let named = reading.named(&files);
                let takes = takes.into_iter().zip(files);
                let order = SetOrder {
                    recipe: Box::new(Recipe::read(reading.recipe.as_bytes())?),
                    files: takes.map(|(file_name, bytes)| NamedFile { file_name, bytes }).collect(),
                    name: reading.file_name,
                    named,
                    format,
                };
                Ok(order.make(tell)?.into())
            }
            Ask::OfTake { again, what } => {
                let opened = self.take(again, files)?;
                self.of_take(&opened, what)
            }
        }
    }

    /// Answers about the take.
    fn of_take(&mut self, opened: &Opened, what: OfTake) -> Result<Answer, Box<dyn Error>> {
        Ok(match what {
            OfTake::Make { edit, is_draft } => {
                let made = self.made(opened, edit, is_draft)?;
                let parts = Box::new(WorkedParts::new(&made, opened));
                self.made = Some(made);
                Answer::Made(parts)
            }
            OfTake::Judge { edit } => {
                let made = Made::of(opened, &edit.into_edit()?).ok();
                Answer::Judged(made.map(|made| made.verdict.grade.as_str().to_owned()))
            }
            OfTake::MakeFile { edit, format, stem } => make_file(opened, &edit.into_edit()?, format, &stem)?.into(),
            OfTake::Export { edit, format } => {
                let made = self.made(opened, edit, false)?;
                let exported = Exported::of(opened, &made, format)?;
                self.made = Some(made);
                exported.into()
            }
            OfTake::Study(study) => Answer::Studied(StudiedParts::new(study.of(opened))),
        })
    }

    /// What is answered about a take that was opened.
    fn opened(&mut self, done: Done) -> Result<Answer, Box<dyn Error>> {
        self.made = None;
        let (opened, edit) = match done {
            Done::Opened(opened) => (opened?, None),
            Done::Followed(followed) => {
                let (opened, edit) = followed?;
                (opened, Some(edit))
            }
            Done::Made(_)
            | Done::Judged(_)
            | Done::Listed(..)
            | Done::Exported(_)
            | Done::Studied(..)
            | Done::SetMade(_) => {
                return Ok(Answer::Failed(NO_TAKE.to_owned()));
            }
        };
        let parts = Box::new(OpenedParts::new(self.keep(opened))?);
        Ok(match edit {
            Some(edit) => Answer::Followed(parts, Box::new(EditParts::new(&edit)?)),
            None => Answer::Opened(parts),
        })
    }

    /// Keeps a take without its files, which the page has, too.
    fn keep(&mut self, opened: Arc<Opened>) -> &Arc<Opened> {
        let kept = self.opened.insert(opened);
        if let Some(opened) = Arc::get_mut(kept) {
            (opened.bytes, opened.named) = (None, Vec::new());
        }
        kept
    }

    fn take(&mut self, again: Option<Reading>, files: Files) -> Result<Arc<Opened>, OpenError> {
        if let Some(again) = again {
            (self.opened, self.made) = (None, None);
            self.keep(Arc::new(again.open(&files)?));
        }
        let opened = self.opened.as_ref().map(Arc::clone);
        opened.ok_or_else(|| OpenError::Beside(NO_TAKE.to_owned()))
    }

    /// The loop of these choices: the last one, if it is that.
    fn made(&mut self, opened: &Opened, edit: EditParts, is_draft: bool) -> Result<Made, MadeError> {
        let edit = edit.into_edit()?;
        let last = self
            .made
            .take()
            .filter(|made| made.edit == edit && made.is_draft == is_draft);
        match last {
            Some(made) => Ok(made),
            None if is_draft => Made::draft(opened, &edit),
            None => Made::of(opened, &edit),
        }
    }
}

impl Reading {
    /// The take with its files. Errors: the recipe cannot be read.
    fn file(self, files: Files) -> Result<TakeFile, RecipeError> {
        Ok(TakeFile {
            recipe: Box::new(Recipe::read(self.recipe.as_bytes())?),
            named: self.named(&files),
            bytes: files.into_iter().next().unwrap_or_default(),
            file_name: self.file_name,
        })
    }

    /// Opens the take; without a file it is the walk that the studio opens with.
    fn open(&self, files: &[Arc<Vec<u8>>]) -> Result<Opened, OpenError> {
        let named = self.named(files);
        if files.len() == named.len() {
            return Opened::walk();
        }
        let recipe = Recipe::read(self.recipe.as_bytes()).map_err(OpenError::Recipe)?;
        Opened::read_as(&self.file_name, Arc::clone(&files[0]), &recipe.take, &named)
    }
}

/// What is said where a loop is asked for and no take is there.
const NO_TAKE: &str = "the worker has no take";
