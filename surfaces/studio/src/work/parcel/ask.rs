//! Requests from the page to its worker.

use std::sync::Arc;

use loopwright_job::recipe::{Recipe, StudyArgs};
use serde::{Deserialize, Serialize};

use crate::{
    road::{NamedFile, Opened},
    work::{Job, OfTake, TakeFile},
};

/// A request from the page to its worker. The bytes of files are handed over separately.
#[derive(Serialize, Deserialize)]
pub enum Ask {
    /// Work on files, whose bytes are empty here until they are filled in.
    OfFiles(Job),
    /// Work on the take that was opened last, or on the given one, which is then opened again.
    OfTake { again: Option<TakeFile>, what: OfTake },
}

/// The bytes of the files that are handed over beside a request.
pub type Files = Vec<Arc<Vec<u8>>>;

impl Ask {
    /// Creates the request for a job, and lists the files that it reads. `knows` is the take that the worker holds.
    pub fn new(job: &Job, knows: Option<&Arc<Opened>>) -> (Self, Files) {
        let mut ask = match job.clone() {
            Job::OfTake(opened, what) => {
                let is_known = knows.is_some_and(|known| Arc::ptr_eq(known, &opened));
                Self::OfTake {
                    again: (!is_known).then(|| again(&opened)),
                    what,
                }
            }
            job => Self::OfFiles(job),
        };
        let files = ask.files_mut().into_iter().map(std::mem::take).collect();
        (ask, files)
    }

    /// Fills in the bytes of the files that were handed over.
    pub fn take_files(&mut self, files: Files) {
        for (own, bytes) in self.files_mut().into_iter().zip(files) {
            *own = bytes;
        }
    }

    /// The files that the request reads.
    fn files_mut(&mut self) -> Vec<&mut Arc<Vec<u8>>> {
        let (file, named) = match self {
            Self::OfFiles(Job::Open(file, _)) => (Some(&mut file.bytes), &mut [][..]),
            Self::OfFiles(Job::Follow { take, .. } | Job::List { take, .. } | Job::ReadFile { take, .. })
            | Self::OfTake { again: Some(take), .. } => (Some(&mut take.bytes), &mut take.named[..]),
            Self::OfFiles(Job::MakeSet(order)) => {
                return order
                    .files
                    .iter_mut()
                    .chain(&mut order.named)
                    .map(|file| &mut file.bytes)
                    .collect();
            }
            Self::OfFiles(_) | Self::OfTake { .. } => (None, &mut [][..]),
        };
        file.into_iter()
            .chain(named.iter_mut().map(|file: &mut NamedFile| &mut file.bytes))
            .collect()
    }
}

/// Returns what a worker that lacks a take needs to open it again; the example walk has no file.
fn again(opened: &Opened) -> TakeFile {
    TakeFile {
        file_name: opened.file_name.clone(),
        bytes: opened.bytes.clone().unwrap_or_default(),
        recipe: Box::new(of_reading(&opened.study)),
        named: opened.named.clone(),
    }
}

/// Returns a recipe that holds only how a take is read.
pub fn of_reading(study: &StudyArgs) -> Recipe {
    Recipe {
        take: study.clone(),
        ..Recipe::default()
    }
}
