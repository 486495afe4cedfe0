//! The worker's side: it does what is asked, and keeps the take for later requests.

use std::{error::Error, sync::Arc};

use super::answer::{Answer, OpenedParts, WorkedParts};
use super::ask::{Ask, Files, OfTake};
use crate::road::{Edit, Exported, Made, MadeError, OpenError, Opened, Tell};
use crate::work::{Done, TakeFile};

/// The state of the worker: the take that it opened last, and the last loop made of it.
#[derive(Default)]
pub struct Bench {
    opened: Option<Arc<Opened>>,
    made: Option<Made>,
}

impl Bench {
    /// Does what is asked. If long arrays belong to the answer, their take is returned with it.
    pub fn answer(
        &mut self,
        mut ask: Ask,
        files: Files,
        tell: Tell<'_>,
    ) -> (Answer, Option<Arc<Opened>>) {
        ask.take_files(files);
        let answer = match ask {
            Ask::OfFiles(job) => self.done(job.run(tell)),
            Ask::OfTake { again, what } => self.of_take(again, what),
        };
        let answer = answer.unwrap_or_else(|error| Answer::Failed(error.to_string()));
        let opened = answer.has_arrays().then(|| self.opened.clone()).flatten();
        (answer, opened)
    }

    /// Converts the result of work on files to an answer; an opened take is kept.
    fn done(&mut self, done: Done) -> Result<Answer, Box<dyn Error>> {
        Ok(match done {
            Done::Opened(opened) => Answer::Opened(Box::new(OpenedParts::new(self.keep(opened?))?)),
            Done::Followed(followed) => {
                let (opened, edit) = followed?;
                Answer::Followed(Box::new(OpenedParts::new(self.keep(opened))?), edit)
            }
            Done::Listed(names, listed) => Answer::Listed(names, listed),
            Done::Exported(exported) => Answer::Exported(exported?),
            Done::SetMade(set) => Answer::SetMade(set?),
            Done::Made(_) | Done::Compared(_) | Done::Judged(_) | Done::Studied(..) => {
                Answer::Failed(NO_TAKE.to_owned())
            }
        })
    }

    /// Answers a request about the take, which is first opened again if that is asked.
    fn of_take(&mut self, again: Option<TakeFile>, what: OfTake) -> Result<Answer, Box<dyn Error>> {
        if let Some(take) = again {
            self.opened = None;
            let opened = if take.bytes.is_empty() {
                Opened::walk()?
            } else {
                Opened::read_as(&take.file_name, take.bytes, &take.recipe.take, &take.named)?
            };
            self.keep(Arc::new(opened));
        }
        let opened = self
            .opened
            .clone()
            .ok_or_else(|| OpenError::Beside(NO_TAKE.to_owned()))?;
        Ok(match what {
            OfTake::Make { edit, is_draft } => {
                let made = self.made(&opened, &edit, is_draft)?;
                Answer::Made(Box::new(WorkedParts::new(made, &opened)))
            }
            OfTake::Judge { edit } => {
                let made = Made::of(&opened, &edit).ok();
                Answer::Judged(made.map(|made| made.verdict.grade.as_str().to_owned()))
            }
            OfTake::Write { edit, format, stem } => {
                let exported = Exported::of(&opened, self.made(&opened, &edit, false)?, format)?;
                Answer::Exported(match stem {
                    Some(stem) => exported.named(&stem)?,
                    None => exported,
                })
            }
            OfTake::Study(study) => Answer::Studied(study.of(&opened)),
        })
    }

    /// Keeps a take without its files, which the page holds, too.
    fn keep(&mut self, opened: Arc<Opened>) -> &Arc<Opened> {
        self.made = None;
        let kept = self.opened.insert(opened);
        if let Some(opened) = Arc::get_mut(kept) {
            (opened.bytes, opened.named) = (None, Vec::new());
        }
        kept
    }

    /// Returns the loop of these choices: the last one, if it matches.
    fn made(&mut self, opened: &Opened, edit: &Edit, is_draft: bool) -> Result<&Made, MadeError> {
        let is_that = |made: &Made| made.edit == *edit && made.is_draft == is_draft;
        let made = match self.made.take().filter(is_that) {
            Some(made) => made,
            None if is_draft => Made::draft(opened, edit)?,
            None => Made::of(opened, edit)?,
        };
        Ok(self.made.insert(made))
    }
}

/// The error for a request for a loop when there is no take.
const NO_TAKE: &str = "the worker has no take";
