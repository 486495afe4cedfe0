//! What the page asks of its worker.

use std::sync::Arc;

use loopwright_core::LoopSettings;
use loopwright_formats::Format;
use loopwright_job::recipe::{Recipe, RecipeError, StudyArgs};
use serde::{Deserialize, Serialize};

use super::ParcelError;
use crate::road::{Edit, NamedFile, Opened, SetOrder, Stretch, Study};
use crate::work::{Job, TakeFile};

/// What the page asks of its worker. The bytes of the files that are read are handed over beside it.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) enum Ask {
    /// The walk that the studio opens with.
    Walk,
    /// A file.
    Open { file_name: String },
    /// A file, as a recipe says.
    Follow { reading: Reading, edit: Option<EditParts> },
    /// Animations of a file, from one on.
    List { reading: Reading, from: usize },
    /// A loop, in a file of that name, of a take that is read first.
    ReadFile {
        reading: Reading,
        format: Format,
        stem: String,
    },
    /// A set of takes of these names; that of the reading is the set's.
    MakeSet {
        takes: Vec<String>,
        reading: Reading,
        format: Option<Format>,
    },
    /// Something of the take that was opened last, or of that one.
    OfTake { again: Option<Reading>, what: OfTake },
}

/// What the page asks of its worker about a take.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) enum OfTake {
    /// A loop.
    Make { edit: EditParts, is_draft: bool },
    /// The grade of a loop.
    Judge { edit: EditParts },
    /// A loop in a file of that name.
    MakeFile {
        edit: EditParts,
        format: Format,
        stem: String,
    },
    /// A loop in a file.
    Export { edit: EditParts, format: Format },
    /// A study.
    Study(Study),
}

/// The bytes of the files that are handed over beside what is asked: that of the take, and those that its recipe names.
pub(in crate::work) type Files = Vec<Arc<Vec<u8>>>;

/// How a take is read from its file; the walk that the studio opens with has none.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) struct Reading {
    pub(super) file_name: String,
    pub(super) recipe: String,
    /// Names of the files that the recipe names.
    pub(super) named: Vec<String>,
}

/// The choices.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::work) struct EditParts {
    stretch: Stretch,
    tries_closures: bool,
    settings: LoopSettings,
    recipe: String,
}

impl Ask {
    /// What is asked for a piece of work, and the files that it reads. `knows` is the take that the worker has. Errors: a number that
    /// TOML cannot hold.
    pub(in crate::work) fn new(job: &Job, knows: Option<&Arc<Opened>>) -> Result<(Self, Files), ParcelError> {
        let (opened, what) = match job {
            Job::Walk => return Ok((Self::Walk, Files::new())),
            Job::Open { file_name, bytes } => {
                let file_name = file_name.clone();
                return Ok((Self::Open { file_name }, vec![Arc::clone(bytes)]));
            }
            Job::Follow { take, edit } => {
                let (reading, files) = Reading::of_file(take)?;
                let edit = edit.as_ref().map(|edit| EditParts::new(edit)).transpose()?;
                return Ok((Self::Follow { reading, edit }, files));
            }
            Job::List {
                file_name,
                bytes,
                study,
                from,
            } => {
                let (reading, files) = Reading::new(file_name, Some(bytes), &of_reading(study), &[])?;
                return Ok((Self::List { reading, from: *from }, files));
            }
            Job::ReadFile { take, format, stem } => {
                let (reading, files) = Reading::of_file(take)?;
                let (format, stem) = (*format, stem.clone());
                return Ok((Self::ReadFile { reading, format, stem }, files));
            }
            Job::MakeSet(order) => return Self::make_set(order),
            Job::Make { opened, edit, is_draft } => {
                let (edit, is_draft) = (EditParts::new(edit)?, *is_draft);
                (opened, OfTake::Make { edit, is_draft })
            }
            Job::Judge { opened, edit } => {
                let edit = EditParts::new(edit)?;
                (opened, OfTake::Judge { edit })
            }
            Job::MakeFile {
                opened,
                edit,
                format,
                stem,
            } => {
                let (edit, format, stem) = (EditParts::new(edit)?, *format, stem.clone());
                (opened, OfTake::MakeFile { edit, format, stem })
            }
            Job::Export { opened, made, format } => {
                let (edit, format) = (EditParts::new(&made.edit)?, *format);
                (opened, OfTake::Export { edit, format })
            }
            Job::Study { opened, study } => (opened, OfTake::Study(*study)),
        };
        if knows.is_some_and(|known| Arc::ptr_eq(known, opened)) {
            return Ok((Self::OfTake { again: None, what }, Files::new()));
        }
        let (again, files) = Reading::again(opened)?;
        let again = Some(again);
        Ok((Self::OfTake { again, what }, files))
    }

    fn make_set(order: &SetOrder) -> Result<(Self, Files), ParcelError> {
        let (reading, named) = Reading::new(&order.name, None, &order.recipe, &order.named)?;
        let ask = Self::MakeSet {
            takes: order.files.iter().map(|file| file.file_name.clone()).collect(),
            reading,
            format: order.format,
        };
        let files = order.files.iter().map(|file| Arc::clone(&file.bytes));
        Ok((ask, files.chain(named).collect()))
    }
}

impl Reading {
    fn new(
        file_name: &str,
        bytes: Option<&Arc<Vec<u8>>>,
        recipe: &Recipe,
        named: &[NamedFile],
    ) -> Result<(Self, Files), ParcelError> {
        let reading = Self {
            file_name: file_name.to_owned(),
            recipe: recipe.to_text()?,
            named: named.iter().map(|file| file.file_name.clone()).collect(),
        };
        let files = bytes.into_iter().chain(named.iter().map(|file| &file.bytes));
        Ok((reading, files.cloned().collect()))
    }

    fn of_file(take: &TakeFile) -> Result<(Self, Files), ParcelError> {
        Self::new(&take.file_name, Some(&take.bytes), &take.recipe, &take.named)
    }

    /// How a take is opened again by a worker that does not have it.
    fn again(opened: &Opened) -> Result<(Self, Files), ParcelError> {
        let recipe = of_reading(&opened.study);
        Self::new(&opened.file_name, opened.bytes.as_ref(), &recipe, &opened.named)
    }

    /// The files that the recipe names, of those that were handed over; the take's own comes before them, if it has one.
    pub(super) fn named(&self, files: &[Arc<Vec<u8>>]) -> Vec<NamedFile> {
        let before = files.len().saturating_sub(self.named.len());
        (self.named.iter().zip(&files[before..]))
            .map(|(file_name, bytes)| NamedFile {
                file_name: file_name.clone(),
                bytes: Arc::clone(bytes),
            })
            .collect()
    }
}

/// A recipe that says how a take is read, and no more.
pub(super) fn of_reading(study: &StudyArgs) -> Recipe {
    Recipe {
        take: study.clone(),
        ..Recipe::default()
    }
}

impl EditParts {
    pub(super) fn new(edit: &Edit) -> Result<Self, RecipeError> {
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

    pub(super) fn into_edit(self) -> Result<Edit, RecipeError> {
        Ok(Edit {
            stretch: self.stretch,
            tries_closures: self.tries_closures,
            settings: self.settings,
            recipe: Recipe::read(self.recipe.as_bytes())?,
        })
    }
}
