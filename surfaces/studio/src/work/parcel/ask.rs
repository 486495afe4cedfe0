//! Requests from the page to its worker.

use std::sync::Arc;

use loopwright_formats::Format;
use loopwright_job::recipe::{Recipe, StudyArgs};
use serde::{Deserialize, Serialize};

use crate::road::{Edit, NamedFile, Opened, Study};
use crate::work::{Job, TakeFile};

/// A request from the page to its worker. The bytes of files are handed over separately.
#[derive(Debug, Serialize, Deserialize)]
pub enum Ask {
    /// Work on files, whose bytes are empty here until they are filled in.
    OfFiles(Job),
    /// Work on the take that was opened last, or on the given one, which is then opened again.
    OfTake { again: Option<TakeFile>, what: OfTake },
}

/// A request about a take.
#[derive(Debug, Serialize, Deserialize)]
pub enum OfTake {
    /// A loop.
    Make { edit: Box<Edit>, is_draft: bool },
    /// The grade of a loop.
    Judge { edit: Box<Edit> },
    /// A loop in a file, under a name if one is given.
    Write {
        edit: Box<Edit>,
        format: Format,
        stem: Option<String>,
    },
    /// A study.
    Study(Study),
}

/// The bytes of the files that are handed over beside a request.
pub type Files = Vec<Arc<Vec<u8>>>;

impl Ask {
    /// Creates the request for a job, and lists the files that it reads. `knows` is the take that the worker holds.
    pub fn new(job: &Job, knows: Option<&Arc<Opened>>) -> (Self, Files) {
        let (opened, what) = match job.clone() {
            Job::Make { opened, edit, is_draft } => (opened, OfTake::Make { edit, is_draft }),
            Job::Compare { opened, edit } => {
                let is_draft = false;
                (opened, OfTake::Make { edit, is_draft })
            }
            Job::Judge { opened, edit } => (opened, OfTake::Judge { edit }),
            Job::MakeFile {
                opened,
                edit,
                format,
                stem,
            } => {
                let stem = Some(stem);
                (opened, OfTake::Write { edit, format, stem })
            }
            Job::Export { opened, made, format } => {
                let (edit, stem) = (Box::new(made.edit.clone()), None);
                (opened, OfTake::Write { edit, format, stem })
            }
            Job::Study { opened, study } => (opened, OfTake::Study(study)),
            job => return Self::OfFiles(job).without_files(),
        };
        let again = if knows.is_some_and(|known| Arc::ptr_eq(known, &opened)) {
            None
        } else {
            Some(again(&opened))
        };
        Self::OfTake { again, what }.without_files()
    }

    fn without_files(mut self) -> (Self, Files) {
        let files = self.files_mut().into_iter().map(std::mem::take).collect();
        (self, files)
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
                let files = order.files.iter_mut().chain(&mut order.named);
                return files.map(|file| &mut file.bytes).collect();
            }
            Self::OfFiles(_) | Self::OfTake { .. } => (None, &mut [][..]),
        };
        let named = named.iter_mut().map(|file: &mut NamedFile| &mut file.bytes);
        file.into_iter().chain(named).collect()
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
