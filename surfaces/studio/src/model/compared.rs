//! Loops that are compared side by side: by closing method, by stretch, or by kept settings.

use std::sync::Arc;

use loopwright_core::closure::Preset;

use super::{Edit, Made, MadeError, Model, Stretch};
use crate::work::{Job, OfTake};

/// Most loops side by side: one per method, and the present settings.
const MOST: usize = 8;

/// The subject of a comparison.
#[derive(Clone)]
pub enum Comparison {
    /// All closing methods.
    Methods,
    /// Loops of the list, by their indices.
    Loops(Vec<usize>),
    /// The kept settings, and the present ones.
    Kept,
}

/// A loop that is compared with others.
pub struct Compared {
    /// The name of what distinguishes it.
    pub name: String,
    /// The choices that make it.
    pub edit: Edit,
    /// The loop, or why it cannot be made, once that is known.
    pub made: Option<Result<Arc<Made>, String>>,
}

impl Compared {
    /// Returns the loop, once it is made.
    pub fn loop_made(&self) -> Option<&Arc<Made>> {
        self.made.as_ref()?.as_ref().ok()
    }
}

impl Model {
    /// Starts a comparison; loops that are made already are reused.
    pub(super) fn compare(&mut self, comparison: Option<Comparison>) {
        let edits = match (&comparison, self.edit()) {
            (Some(comparison), Some(edit)) => self.edits_of(comparison, edit),
            _ => Vec::new(),
        };
        let compared = edits.into_iter().take(MOST).map(|(name, edit)| {
            let known = self.compared.iter().find(|known| known.edit == edit);
            let shown = self.finished().filter(|made| made.edit == edit);
            let made = known.and_then(|known| known.made.clone());
            Compared {
                name,
                made: made.or_else(|| shown.map(|made| Ok(Arc::clone(made)))),
                edit,
            }
        });
        self.compared = compared.collect();
        self.comparison = comparison.filter(|_| !self.compared.is_empty());
    }

    fn edits_of(&self, comparison: &Comparison, edit: &Edit) -> Vec<(String, Edit)> {
        let as_set = |name: String| (name, edit.clone());
        match comparison {
            Comparison::Methods => {
                let all = Preset::ALL
                    .into_iter()
                    .map(|preset| (preset.as_str().to_owned(), edit.closed_as(preset)));
                let all: Vec<_> = all.collect();
                all.iter()
                    .all(|(_, other)| other != edit)
                    .then(|| as_set(edit.closure().as_str().to_owned()))
                    .into_iter()
                    .chain(all)
                    .collect()
            }
            Comparison::Loops(loops) => loops
                .iter()
                .map(|index| (format!("Loop {}", index + 1), edit.of_stretch(Stretch::Found(*index))))
                .collect(),
            Comparison::Kept => {
                let [shown, kept] = [self.shows_a, !self.shows_a].map(|is_a| if is_a { "A" } else { "B" });
                let mut both: Vec<_> = self
                    .kept
                    .iter()
                    .map(|other| (kept.to_owned(), other.clone()))
                    .chain([as_set(shown.to_owned())])
                    .collect();
                both.sort_by(|(one, _), (other, _)| one.cmp(other));
                both
            }
        }
    }

    /// Chooses one of the compared loops, and ends the comparison.
    pub(super) fn take_compared(&mut self, index: usize) {
        if let Some(compared) = self.compared.get(index) {
            let edit = compared.edit.clone();
            self.compare(None);
            self.change(edit, true);
        }
    }

    /// Makes the next compared loop, if there is nothing else to do.
    pub(super) fn compare_next(&mut self) {
        if !self.is_at_rest() || self.owes_loop {
            return;
        }
        let next = self.compared.iter().find(|compared| compared.made.is_none());
        if let (Some(opened), Some(next)) = (self.opened.clone(), next) {
            let edit = Box::new(next.edit.clone());
            self.comparing = Some(next.edit.clone());
            self.work.start(Job::OfTake(opened, OfTake::Compare(edit)));
        }
    }

    pub(super) fn take_in_compared(&mut self, made: Result<Arc<Made>, MadeError>) {
        let Some(edit) = self.comparing.take() else { return };
        if let Some(compared) = self.compared.iter_mut().find(|compared| compared.edit == edit) {
            compared.made = Some(made.map_err(|error| error.to_string()));
        }
    }
}
