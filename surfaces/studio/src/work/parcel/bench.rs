//! The worker's side: it does what is asked, and keeps the take for later requests.

use std::{error::Error, sync::Arc};

use super::{
    answer::{Answer, OpenedParts, WorkedParts},
    ask::{Ask, Files},
};
use crate::{
    road::{Made, OpenError, Opened, Tell},
    work::{Done, OfTake, TakeFile},
};

/// The state of the worker: the take that it opened last, and the last loop made of it.
#[derive(Default)]
pub struct Bench {
    opened: Option<Arc<Opened>>,
    made: Option<Arc<Made>>,
}

impl Bench {
    /// Does what is asked. If long arrays belong to the answer, their take is returned with it.
    pub fn answer(&mut self, mut ask: Ask, files: Files, tell: Tell) -> (Answer, Option<Arc<Opened>>) {
        ask.take_files(files);
        let done = match ask {
            Ask::OfFiles(job) => Ok(job.run(tell)),
            Ask::OfTake { again, what } => self.of_take(again, what),
        };
        let answer = done
            .map_err(Into::into)
            .and_then(|done| self.answer_of(done))
            .unwrap_or_else(|error| Answer::Failed(error.to_string()));
        let has_arrays = matches!(answer, Answer::Opened(_) | Answer::Followed(..));
        let opened = self.opened.clone().filter(|_| has_arrays);
        (answer, opened)
    }

    /// Converts the result of work to an answer; an opened take is kept.
    fn answer_of(&mut self, done: Done) -> Result<Answer, Box<dyn Error>> {
        Ok(match done {
            Done::Opened(opened) => Answer::Opened(Box::new(OpenedParts::new(self.keep(opened?)))),
            Done::Followed(followed) => {
                let (opened, edit) = followed?;
                Answer::Followed(Box::new(OpenedParts::new(self.keep(opened))), edit)
            }
            Done::Made(made) | Done::Compared(made) => {
                let made = made?;
                Answer::Made(Box::new(WorkedParts::new(&made, self.opened.as_ref().ok_or(NO_TAKE)?)))
            }
            Done::Judged(grade) => Answer::Judged(grade.map(|grade| grade.as_str().to_owned())),
            Done::Studied(_, studied) => Answer::Studied(studied),
            Done::Listed(names, listed) => Answer::Listed(names, listed),
            Done::Exported(exported) => Answer::Exported(exported?),
            Done::SetMade(set) => Answer::SetMade(set?),
        })
    }

    /// Works on the take, which is first opened again if that is asked.
    fn of_take(&mut self, again: Option<TakeFile>, what: OfTake) -> Result<Done, OpenError> {
        if let Some(take) = again {
            self.opened = None;
            let opened = if take.bytes.is_empty() {
                Opened::walk()?
            } else {
                Opened::read_as(&take.file_name, take.bytes, &take.recipe.take, &take.named)?
            };
            self.keep(Arc::new(opened));
        }
        Ok(what.run(
            self.opened
                .clone()
                .ok_or_else(|| OpenError::Beside(NO_TAKE.to_owned()))?,
            &mut self.made,
        ))
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
}

/// The error for work on a take when there is none.
const NO_TAKE: &str = "the worker has no take";
