//! The grades of the loops of the list, each known once that loop is made by the present settings.

use std::sync::Arc;

use loopwright_formats::loop_file::facts::Grade;

use super::{Edit, Made, Model, Stretch};
use crate::work::Job;

/// What is known of a loop of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// Nobody made it yet.
    NotYet,
    /// It cannot be made.
    Impossible,
    /// Its grade.
    Graded(Grade),
}

/// The loops of the list as they are made by some settings.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// The settings.
    by: Option<Edit>,
    rows: Vec<Judgement>,
    /// The row that is made now.
    now: Option<usize>,
    /// The row that was made where the recommended one was asked for.
    recommended: Option<usize>,
}

impl Judged {
    /// Forgets what other settings gave.
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

    /// Takes in a loop that was made for another reason than to judge it.
    fn take_in(&mut self, made: &Made, recommended: Option<usize>) {
        let grade = Judgement::Graded(made.verdict.grade);
        match made.edit.stretch {
            Stretch::Recommended => {
                self.recommended = recommended;
                // Chosen itself, it is made without another closure being tried together with other stretches.
                let is_instead = matches!(made.done.decision, Some(loopwright_job::Decision::Instead { .. }));
                if let Some(row) = self.rows.first_mut().filter(|_| !is_instead) {
                    *row = grade;
                }
            }
            Stretch::Found(index) => {
                if let Some(row) = self.rows.get_mut(index) {
                    *row = grade;
                }
            }
            Stretch::Frames { .. } => {}
        }
    }
}

impl Model {
    /// What is known of a loop of the list, by its index.
    pub fn judgement(&self, index: usize) -> Judgement {
        self.judged.rows.get(index).copied().unwrap_or(Judgement::NotYet)
    }

    /// The loop of the list that is recommended: the first, or the one that was made in its place.
    pub fn recommended(&self) -> Option<usize> {
        self.opened.as_ref()?.found.best()?;
        Some(self.judged.recommended.unwrap_or(0))
    }

    /// The loop of the list that is chosen.
    pub fn chosen_row(&self) -> Option<usize> {
        match self.edit()?.stretch {
            Stretch::Recommended => self.recommended(),
            Stretch::Found(index) => Some(index),
            Stretch::Frames { .. } => None,
        }
    }

    /// Choices that were changed: what was recommended stays chosen, whatever else would be now.
    pub(super) fn settled(&self, edit: Edit) -> Edit {
        match (edit.stretch, self.chosen_row(), self.edit()) {
            (Stretch::Recommended, Some(row), Some(current)) if edit != *current => Edit {
                stretch: Stretch::Found(row),
                ..edit
            },
            _ => edit,
        }
    }

    /// Takes in the loop of what is chosen.
    pub(super) fn take_in_made(&mut self, made: Arc<Made>) {
        self.num_made += 1;
        self.made = Some(made);
        if let (Some(opened), Some(made)) = (&self.opened, self.finished().cloned()) {
            let found = &opened.found.candidates;
            let row = found.iter().position(|candidate| candidate.cut == made.candidate.cut);
            self.judged.take_in(&made, row);
        }
    }

    pub(super) fn take_in_grade(&mut self, grade: Option<Grade>) {
        if let Some(row) = self.judged.now.take() {
            self.judged.rows[row] = grade.map_or(Judgement::Impossible, Judgement::Graded);
        }
    }

    /// Makes the next loop of the list that is not judged yet, where nothing else is to do.
    pub(super) fn judge_next(&mut self) {
        if !self.work.is_idle() || !self.waiting.is_empty() || self.finished().is_none() {
            return;
        }
        let next = self.judged.rows.iter().position(|row| *row == Judgement::NotYet);
        if let (Some(opened), Some(row), Some(by)) = (&self.opened, next, &self.judged.by) {
            let job = Job::Judge {
                opened: Arc::clone(opened),
                edit: Box::new(by.of_stretch(Stretch::Found(row))),
            };
            self.judged.now = Some(row);
            self.work.start(job);
        }
    }
}
