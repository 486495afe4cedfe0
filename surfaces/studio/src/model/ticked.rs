//! Takes, animations and loops that are ticked to be exported together: each is written as the shown loop would be.

use std::sync::Arc;

use loopwright_formats::Format;
use loopwright_job::{
    name_part,
    recipe::{Recipe, StretchRecipe},
};

use super::{Edit, Exported, Model, Stretch};
use crate::work::{Job, OfTake};

/// Something that is ticked.
#[derive(Clone, Debug, PartialEq)]
pub enum Ticked {
    /// An open take, by the name of its file.
    Take(String),
    /// An animation of the shown take's file, by its name.
    Animation(String),
    /// A loop in the list, by its index.
    Loop(usize),
}

/// A loop to make and write.
struct ToWrite {
    /// `None` once it is done.
    job: Option<Job>,
    /// Its take and the choices that make it, if these are the take's own.
    of: Option<(String, Edit)>,
    stem: String,
}

/// Ticked things that are not written yet.
#[derive(Default)]
pub(super) struct Batch {
    waiting: std::collections::VecDeque<ToWrite>,
    /// The one being written.
    now: Option<ToWrite>,
    /// Number of all of them.
    count: usize,
}

impl Batch {
    /// Marks what is being written as done, successfully or not. Returns its name.
    pub(super) fn finish(&mut self) -> Option<&str> {
        let now = self.now.as_mut()?;
        now.job = None;
        Some(&now.stem)
    }
}

/// Adapts a recipe to another animation of the file: frames and times do not carry over.
pub(super) fn for_animation(mut recipe: Recipe, animation: Option<String>) -> Recipe {
    recipe.stretch = StretchRecipe::default();
    recipe.stances.clear();
    recipe.edits.clear();
    recipe.take.animation = animation;
    recipe
}

impl Model {
    /// Returns all that is ticked; `None` while nothing can be ticked.
    pub fn ticked(&self) -> Option<&[Ticked]> {
        self.ticked.as_deref()
    }

    /// Returns the name of the ticked loop that is being written, its number, and how many there are.
    pub fn writing(&self) -> Option<(&str, usize, usize)> {
        let Batch { waiting, now, count } = &self.batch;
        now.as_ref()
            .map(|now| (now.stem.as_str(), count - waiting.len(), *count))
    }

    pub(super) fn tick(&mut self, ticked: Ticked, is_ticked: bool) {
        if let Some(all) = &mut self.ticked {
            all.retain(|other| *other != ticked);
            all.extend(is_ticked.then_some(ticked));
        }
    }

    /// Makes and writes all that is ticked, in the order of the ticks.
    pub(super) fn export_ticked(&mut self, format: Option<Format>) {
        let waiting: std::collections::VecDeque<ToWrite> = self
            .ticked
            .clone()
            .unwrap_or_default()
            .into_iter()
            .filter_map(|each| self.to_write(each, format))
            .collect();
        self.problem = None;
        self.batch = Batch {
            count: waiting.len(),
            waiting,
            now: None,
        };
    }

    fn to_write(&self, ticked: Ticked, format: Option<Format>) -> Option<ToWrite> {
        let shown = (self.opened.as_ref()?, self.history.as_ref()?);
        let (opened, history) = shown;
        // The take, the name of its file, and the choices unless they are the take's own.
        let ((opened, history), stem, other) = match ticked {
            Ticked::Take(file_name) => {
                let others = self.others.iter().map(|(opened, history)| (opened, history));
                let take = others
                    .chain([shown])
                    .find(|(opened, _)| opened.file_name == file_name)?;
                (take, Exported::stem_of(take.0), None)
            }
            Ticked::Loop(index) => {
                let edit = history.current().of_stretch(Stretch::Found(index));
                let stem = format!("{}-{}", Exported::stem_of(opened), index + 1);
                (shown, stem, Some(edit))
            }
            Ticked::Animation(name) => {
                let stem = format!("{}-{}-loop", opened.stem(), name_part(&name));
                // The loop of the shown animation has the choices on the screen.
                if name != opened.take().name() {
                    let recipe = for_animation(history.current().to_recipe(), Some(name));
                    let job = Job::ReadFile {
                        take: self.take_file(&opened.file_name, opened.bytes.as_ref()?, recipe),
                        format: format.unwrap_or(opened.format),
                        stem: stem.clone(),
                    };
                    let (job, of) = (Some(job), None);
                    return Some(ToWrite { job, of, stem });
                }
                (shown, stem, None)
            }
        };
        let own = history.current();
        let of = other.is_none().then(|| (opened.file_name.clone(), own.clone()));
        let write = OfTake::Write {
            edit: Box::new(other.unwrap_or_else(|| own.clone())),
            format: format.unwrap_or(opened.format),
            stem: Some(stem.clone()),
            made: None,
        };
        let job = Some(Job::OfTake(Arc::clone(opened), write));
        Some(ToWrite { job, of, stem })
    }

    /// Continues with what is ticked, if there is nothing else to do.
    pub(super) fn write_next(&mut self) {
        if self.work.progress().is_some() || self.exported.is_some() {
            return;
        }
        // An unfinished loop was interrupted by opening a take: it is made again.
        let given_up = self.batch.now.take().filter(|now| now.job.is_some());
        if let Some(next) = given_up.or_else(|| self.batch.waiting.pop_front()) {
            self.exporting.clone_from(&next.of);
            if let Some(job) = next.job.clone() {
                self.work.start(job);
            }
            self.batch.now = Some(next);
        }
    }
}
