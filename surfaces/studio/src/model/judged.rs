//! Facts that are computed in the background: grades of the loops in the list, each made with the present settings, and the kinds of a
//! file's animations.

use std::sync::{Arc, Weak};

use loopwright_formats::loop_file::facts::Grade;
use loopwright_job::Recipe;

use super::{Edit, Listed, Made, Model, Shown, Stretch};
use crate::work::{Job, OfTake};

/// The grade of a loop in the list, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Judgement {
    /// The loop has not been made yet.
    NotYet,
    /// The loop cannot be made.
    Impossible,
    /// Its grade.
    Graded(Grade),
}

impl Judgement {
    /// Returns the grade, once it is known.
    pub fn grade(self) -> Option<Grade> {
        match self {
            Self::Graded(grade) => Some(grade),
            _ => None,
        }
    }
}

/// Judgements of the loops in the list under some settings.
#[derive(Default)]
pub(super) struct Judged {
    /// The settings.
    by: Option<Edit>,
    rows: Vec<Judgement>,
    /// The row that is being made.
    now: Option<usize>,
    /// The row that was made when the recommended one was asked for.
    recommended: Option<usize>,
}

impl Judged {
    /// Forgets the judgements if the settings differ.
    pub(super) fn follow(&mut self, edit: &Edit, num_rows: usize) {
        let by = edit.of_stretch(Stretch::Recommended);
        if self.by.as_ref() != Some(&by) {
            *self = Self {
                by: Some(by),
                rows: vec![Judgement::NotYet; num_rows],
                now: None,
                recommended: self.recommended,
            };
        }
    }

    /// Records the grade of a loop that was made to be shown.
    fn take_in(&mut self, made: &Made, recommended: Option<usize>) {
        let row = match made.edit.stretch {
            Stretch::Recommended => {
                self.recommended = recommended;
                // A chosen row is made without trying other stretches with other closures, so its grade may differ.
                if matches!(made.done.decision, Some(loopwright_job::Decision::Instead { .. })) {
                    return;
                }
                0
            }
            Stretch::Found(index) => index,
            Stretch::Frames { .. } => return,
        };
        if let Some(row) = self.rows.get_mut(row) {
            *row = Judgement::Graded(made.verdict.grade);
        }
    }
}

/// The animations of the file that was listed last.
#[derive(Default)]
pub(super) struct Listing {
    /// The file.
    of: Weak<Vec<u8>>,
    /// The names, once they are known.
    names: Option<Vec<String>>,
    listed: Vec<Listed>,
}

impl Listing {
    fn is_of(&self, bytes: &Arc<Vec<u8>>) -> bool {
        std::ptr::eq(self.of.as_ptr(), Arc::as_ptr(bytes))
    }

    pub(super) fn take_in(&mut self, names: Vec<String>, listed: Vec<Listed>) {
        self.listed.extend(listed);
        self.names = Some(names);
    }
}

impl Model {
    /// Returns the file whose animations can be listed; `None` on a character, since the format is then that of the character's file.
    fn file_of_animations(&self) -> Option<&Arc<Vec<u8>>> {
        let opened = self.opened.as_ref()?;
        let holds = opened.format.capabilities().holds_animations && opened.studied.character.is_none();
        opened.bytes.as_ref().filter(|_| holds)
    }

    /// Whether the file of the take may hold several animations.
    pub fn may_have_animations(&self) -> bool {
        self.file_of_animations().is_some()
    }

    /// Returns the animations of the take's file: their names, what is known of each, and the grade of the loop that was made from it;
    /// empty until they are asked for.
    pub fn animations(&self) -> impl Iterator<Item = (&str, Option<&Listed>, Option<Grade>)> {
        let listing = &self.listing;
        let is_shown = self.file_of_animations().is_some_and(|bytes| listing.is_of(bytes));
        let file_name = self.opened.as_ref().map_or("", |opened| &opened.file_name);
        listing
            .names
            .iter()
            .flatten()
            .enumerate()
            .filter(move |_| is_shown)
            .map(move |(number, name)| {
                (
                    name.as_str(),
                    listing.listed.get(number),
                    self.grade_of(file_name, name),
                )
            })
    }

    /// Lists the animations of the file, unless they are listed already.
    pub(super) fn start_listing(&mut self) {
        let Some(bytes) = self.file_of_animations().filter(|bytes| !self.listing.is_of(bytes)) else {
            return;
        };
        self.listing = Listing {
            of: Arc::downgrade(bytes),
            ..Listing::default()
        };
    }

    /// Returns the grade of the loop that was last made from an animation of a file.
    pub fn grade_of(&self, file_name: &str, animation: &str) -> Option<Grade> {
        Some(
            self.grades
                .iter()
                .find(|(file, of, _)| file == file_name && of == animation)?
                .2,
        )
    }

    /// Studies the next animations of the listed file, if there is nothing else to do.
    pub(super) fn list_next(&mut self) {
        let listing = &self.listing;
        let is_done = listing
            .names
            .as_ref()
            .is_some_and(|names| listing.listed.len() >= names.len());
        if is_done || !self.is_at_rest() || self.owes_loop {
            return;
        }
        let bytes = self.file_of_animations().filter(|bytes| listing.is_of(bytes));
        if let (Some(opened), Some(bytes)) = (&self.opened, bytes) {
            let recipe = Recipe {
                take: opened.study.clone(),
                ..Recipe::default()
            };
            let mut take = self.take_file(&opened.file_name, bytes, recipe);
            // Of a character nothing is listed.
            take.named.clear();
            self.work.start(Job::List {
                take,
                from: listing.listed.len(),
            });
        }
    }

    /// Returns the grade of a loop in the list, as far as it is known, by its index.
    pub fn judgement(&self, index: usize) -> Judgement {
        self.judged.rows.get(index).copied().unwrap_or(Judgement::NotYet)
    }

    /// Returns the recommended loop of the list: the first, or the one that was made in its place.
    pub fn recommended(&self) -> Option<usize> {
        self.opened.as_ref()?.found.best()?;
        Some(self.judged.recommended.unwrap_or(0))
    }

    /// Returns the chosen loop of the list.
    pub fn chosen_row(&self) -> Option<usize> {
        match self.edit()?.stretch {
            Stretch::Recommended => self.recommended(),
            Stretch::Found(index) => Some(index),
            Stretch::Frames { .. } => None,
        }
    }

    /// Returns changed choices that keep the loop that was made as the recommended one, whatever the new settings would recommend.
    pub(super) fn settled(&self, edit: Edit) -> Edit {
        match (edit.stretch, self.chosen_row(), self.edit()) {
            (Stretch::Recommended, Some(row), Some(current)) if edit != *current => Edit {
                stretch: Stretch::Found(row),
                ..edit
            },
            _ => edit,
        }
    }

    /// Records the loop of the choices.
    pub(super) fn take_in_made(&mut self, made: Arc<Made>) {
        self.num_made += 1;
        self.made = Some(made);
        if let (Some(opened), Some(made)) = (&self.opened, self.finished().cloned()) {
            let row = opened
                .found
                .candidates
                .iter()
                .position(|candidate| candidate.cut == made.candidate.cut);
            self.judged.take_in(&made, row);
            let (file_name, animation) = (&opened.file_name, opened.take().name());
            self.grades.retain(|(file, of, _)| file != file_name || of != animation);
            self.grades
                .push((file_name.clone(), animation.to_owned(), made.verdict.grade));
        }
    }

    pub(super) fn take_in_grade(&mut self, grade: Option<Grade>) {
        if let Some(row) = self.judged.now.take() {
            self.judged.rows[row] = grade.map_or(Judgement::Impossible, Judgement::Graded);
        }
    }

    /// Makes the next loop of the list that is not judged yet, if there is nothing else to do.
    pub(super) fn judge_next(&mut self) {
        // The list of loops is hidden while a set is shown.
        if !self.is_at_rest() || self.finished().is_none() || self.shown() == Shown::Set {
            return;
        }
        // Loops that are folded under another one come last.
        let mut all = (0..self.judged.rows.len()).filter(|row| self.judged.rows[*row] == Judgement::NotYet);
        let like = |row: usize| self.opened.as_ref().and_then(|opened| opened.like(row));
        let next = all.clone().find(|&row| like(row).is_none()).or_else(|| all.next());
        if let (Some(opened), Some(row), Some(by)) = (&self.opened, next, &self.judged.by) {
            let job = Job::OfTake(
                Arc::clone(opened),
                OfTake::Judge(Box::new(by.of_stretch(Stretch::Found(row)))),
            );
            self.judged.now = Some(row);
            self.work.start(job);
        }
    }
}
