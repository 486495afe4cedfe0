//! What is ticked to be exported together, and how it goes into files: each by the road of the loop that is shown.

use std::sync::Arc;

use loopwright_formats::Format;
use loopwright_job::recipe::{Recipe, StretchRecipe};

use super::{Edit, Exported, Model, Opened, Stretch};
use crate::work::Job;

/// Something that is ticked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ticked {
    /// An open take, by the name of its file.
    Take(String),
    /// An animation of the file of the take that is shown, by its name.
    Animation(String),
    /// A loop of the list, by its index.
    Loop(usize),
}

/// A loop that is to be made and written.
#[derive(Debug)]
pub(super) struct ToWrite {
    job: Job,
    /// The take that it is of, and the choices that it is made by, where they are those of the take.
    of: Option<(String, Edit)>,
    stem: String,
}

/// What was ticked and is not written yet.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) waiting: std::collections::VecDeque<ToWrite>,
    /// What is written now.
    pub(super) now: Option<String>,
    /// How many there were.
    pub(super) count: usize,
}

/// A word of a file as a part of a name, as the command makes it: letters, digits and underscores, others become hyphens.
fn tame(text: &str) -> String {
    let fit = |letter: char| match letter.is_alphanumeric() || matches!(letter, '_' | '.') {
        true => letter,
        false => '-',
    };
    text.chars().map(fit).collect()
}

/// The recipe of a loop for another animation of its file: frames and times of one say nothing of another.
pub(super) fn for_animation(mut recipe: Recipe, animation: Option<String>) -> Recipe {
    recipe.stretch = StretchRecipe::default();
    recipe.stances.clear();
    recipe.edits.clear();
    recipe.take.animation = animation;
    recipe
}

impl Model {
    /// What is ticked; `None` where nothing can be.
    pub fn ticked(&self) -> Option<&[Ticked]> {
        self.ticked.as_deref()
    }

    /// What is written now of what was ticked, its number, and how many there are.
    pub fn writing(&self) -> Option<(&str, usize, usize)> {
        let Batch { waiting, now, count } = &self.batch;
        now.as_deref().map(|stem| (stem, count - waiting.len(), *count))
    }

    pub(super) fn tick(&mut self, ticked: Ticked, is_ticked: bool) {
        if let Some(all) = &mut self.ticked {
            all.retain(|other| *other != ticked);
            all.extend(is_ticked.then_some(ticked));
        }
    }

    /// Makes and writes all that is ticked, in the order of the ticks.
    pub(super) fn export_ticked(&mut self, format: Option<Format>) {
        let ticked = self.ticked.clone().unwrap_or_default();
        let jobs = ticked.into_iter().filter_map(|each| self.to_write(each, format));
        let waiting: std::collections::VecDeque<ToWrite> = jobs.collect();
        self.problem = None;
        self.batch = Batch {
            count: waiting.len(),
            waiting,
            now: None,
        };
    }

    fn to_write(&self, ticked: Ticked, format: Option<Format>) -> Option<ToWrite> {
        let shown = (self.opened.as_ref()?, self.history.as_ref()?);
        let of_take = |opened: &Arc<Opened>, edit: Edit, stem: String| Job::MakeFile {
            format: format.unwrap_or(opened.format),
            opened: Arc::clone(opened),
            edit: Box::new(edit),
            stem,
        };
        Some(match ticked {
            Ticked::Take(file_name) => {
                let others = self.others.iter().map(|(opened, history)| (opened, history));
                let mut all = others.chain([shown]);
                let (opened, history) = all.find(|(opened, _)| opened.file_name == file_name)?;
                let (stem, edit) = (Exported::stem_of(opened), history.current().clone());
                ToWrite {
                    job: of_take(opened, edit.clone(), stem.clone()),
                    of: Some((file_name, edit)),
                    stem,
                }
            }
            Ticked::Loop(index) => {
                let (opened, history) = shown;
                let stem = format!("{}-{}", Exported::stem_of(opened), index + 1);
                ToWrite {
                    job: of_take(
                        opened,
                        history.current().of_stretch(Stretch::Found(index)),
                        stem.clone(),
                    ),
                    of: None,
                    stem,
                }
            }
            Ticked::Animation(name) => {
                let (opened, history) = shown;
                let stem = format!("{}-{}-loop", opened.stem(), tame(&name));
                let recipe = for_animation(history.current().to_recipe(), Some(name));
                ToWrite {
                    job: Job::ReadFile {
                        file_name: opened.file_name.clone(),
                        bytes: opened.bytes.clone()?,
                        named: self.named_by(&recipe.take),
                        recipe: Box::new(recipe),
                        format: format.unwrap_or(opened.format),
                        stem: stem.clone(),
                    },
                    of: None,
                    stem,
                }
            }
        })
    }

    /// Goes on with what is ticked, where nothing else is to do.
    pub(super) fn write_next(&mut self) {
        if self.work.progress().is_some() || self.exported.is_some() {
            return;
        }
        self.batch.now = None;
        if let Some(ToWrite { job, of, stem }) = self.batch.waiting.pop_front() {
            self.exporting = of;
            self.batch.now = Some(stem);
            self.work.start(job);
        }
    }
}
