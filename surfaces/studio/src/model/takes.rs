//! Open takes: how they are read, and which one is shown.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_job::recipe::{Recipe, StudyArgs};

use super::{
    Beside, CharacterFiles, Edit, History, Link, MAX_BESIDE, MAX_NAMED, Model, NamedFile, OpenError, Opened, Problem,
    Room, Stretch, Studies, Ticked,
};
use crate::work::{Job, TakeFile};

/// A stretch with a smaller share of its take than the first is shown in a part of the bar, of which it fills the second.
const SHORT_SHARE: f64 = 0.08;
const STRETCH_SHARE: f64 = 0.5;

/// Returns the frames that the bar shows around a stretch.
pub fn around_stretch([start, end]: [f64; 2]) -> [f64; 2] {
    let beside = 0.5 * (end - start) * (1.0 / STRETCH_SHARE - 1.0);
    [start - beside, end + beside]
}

impl Model {
    /// Opens a take, or the awaited character for the shown take.
    pub(super) fn open(&mut self, file_name: String, bytes: Vec<u8>, beside: Beside) {
        // Neighbours of an earlier file with this name are forgotten.
        self.beside.retain(|(other, _)| *other != file_name);
        self.beside.push((file_name.clone(), beside));
        if self.beside.len() > MAX_BESIDE {
            self.beside.remove(0);
        }
        if self.awaits_character {
            return self.put_on(file_name, bytes);
        }
        self.problem = None;
        self.lent.retain(|lent| *lent != file_name);
        let bytes = Arc::new(bytes);
        let waiting = self.waiting.iter().map(|job| match job {
            Job::Open(file, _) => file.bytes.len(),
            _ => 0,
        });
        let held = self.open_bytes(&file_name) + waiting.sum::<usize>();
        if self.work.reads_a_file() && held + bytes.len() > self.takes_bytes {
            let megabytes = self.takes_bytes >> 20;
            let why = OpenError::NoRoom { megabytes }.to_string();
            return self.left_out.push((file_name, why));
        }
        self.read_in_turn(Job::Open(NamedFile { file_name, bytes }, None));
    }

    /// Reads a file, after the one being read: files that are dropped together are read one after the other.
    fn read_in_turn(&mut self, job: Job) {
        if self.work.reads_a_file() {
            self.waiting.push_back(job);
        } else {
            self.start_reading(job);
        }
    }

    /// Reads takes again that were open at the last visit.
    pub(super) fn reopen(&mut self, files: Vec<NamedFile>, takes: Vec<(String, String)>) {
        for file in &files {
            if takes.iter().all(|(name, _)| *name != file.file_name) {
                self.keep_named(file.file_name.clone(), file.bytes.to_vec());
            }
        }
        for (name, recipe) in takes {
            let file = files.iter().find(|file| file.file_name == name);
            let (Some(file), Ok(recipe)) = (file, Recipe::read(recipe.as_bytes())) else {
                self.links.push(Link {
                    take: name,
                    recipe,
                    camera: None,
                });
                continue;
            };
            let take = self.take_file(&name, &file.bytes, recipe);
            self.read_in_turn(Job::Follow { take, edit: None });
        }
    }

    /// Returns the open takes, the shown one first, each with a recipe that states its chosen frames.
    pub fn recipes(&self) -> impl Iterator<Item = (&Arc<Opened>, Recipe)> {
        let shown = self.opened.iter().zip(&self.history);
        shown
            .chain(self.others.iter().rev().map(|(opened, history)| (opened, history)))
            .map(|(opened, history)| {
                let edit = history.current();
                let mut recipe = edit.to_recipe();
                let chosen = opened
                    .ends(edit.stretch)
                    .filter(|_| edit.stretch != opened.first_stretch());
                if let Some([start, end]) = chosen {
                    (recipe.stretch.start, recipe.stretch.end) = (Some(start), Some(end));
                }
                (opened, recipe)
            })
    }

    pub(super) fn start_reading(&mut self, mut job: Job) {
        self.reading_on = None;
        match &mut job {
            Job::Open(NamedFile { file_name, .. }, room) => {
                self.reading.clone_from(file_name);
                // The first take is opened however long it is.
                if self.open_takes().any(|other| other.bytes.is_some()) {
                    let all = self.takes_bytes;
                    *room = Some(Room {
                        left: all.saturating_sub(self.open_bytes(file_name)),
                        all,
                    });
                }
            }
            Job::Follow { take, .. } => {
                self.reading.clone_from(&take.file_name);
                self.reading_on = take
                    .recipe
                    .take
                    .rig
                    .clone()
                    .map(|rig| (rig, take.recipe.take.map.clone()));
            }
            _ => {}
        }
        self.work.start(job);
    }

    /// Estimates the memory that open takes fill, except the one with this name, bytes.
    fn open_bytes(&self, but_for: &str) -> usize {
        self.open_takes()
            .filter(|opened| opened.file_name != but_for && opened.bytes.is_some())
            .map(|opened| opened.memory_bytes())
            .sum()
    }

    /// Follows a recipe: at once, or after reading the take as the recipe says.
    pub(super) fn follow(&mut self, bytes: &[u8]) {
        let Some(opened) = self.opened.clone() else { return };
        let edit = Recipe::read(bytes).and_then(|recipe| match &opened.bytes {
            Some(bytes) if recipe.take != opened.study => {
                let take = self.take_file(&opened.file_name, bytes, recipe);
                self.start_reading(Job::Follow { take, edit: None });
                Ok(None)
            }
            _ => Edit::of_recipe(&recipe, &opened).map(Some),
        });
        match edit {
            Ok(Some(edit)) => {
                self.problem = None;
                self.change(edit, true);
            }
            Ok(None) => {}
            Err(error) => self.problem = Some(OpenError::Recipe(error).into()),
        }
    }

    /// Reads the take with other settings, and keeps the chosen frames.
    pub(super) fn read_as(&mut self, study: StudyArgs) {
        let (Some(opened), Some(edit)) = (&self.opened, self.edit()) else {
            return;
        };
        let Some(bytes) = &opened.bytes else {
            self.problem = Some(Problem::Example);
            return;
        };
        let mut recipe = edit.to_recipe();
        if study.animation != opened.study.animation {
            recipe = super::ticked::for_animation(recipe, None);
        } else if let Some(made) = self.finished() {
            recipe.stretch = made.recipe.stretch;
        }
        recipe.take = study;
        let take = self.take_file(&opened.file_name, bytes, recipe);
        self.problem = None;
        self.start_reading(Job::Follow { take, edit: None });
    }

    /// Returns the files beside the take's character, or beside the take if it has none.
    pub fn beside(&self, opened: &Opened) -> Beside {
        let file_name = opened
            .studied
            .character
            .as_ref()
            .map_or(&opened.file_name, |on| &on.target.file);
        self.beside
            .iter()
            .find(|(name, _)| name == file_name)
            .map(|(_, beside)| beside.clone())
            .unwrap_or_default()
    }

    /// Puts the take, and takes that are opened later, on a character.
    fn put_on(&mut self, file_name: String, bytes: Vec<u8>) {
        self.awaits_character = false;
        self.try_character((file_name.clone().into(), None));
        self.keep_named(file_name, bytes);
        self.put_on_character();
    }

    /// Keeps another character until a take cannot be put on it.
    fn try_character(&mut self, character: CharacterFiles) {
        let former = self.character.replace(character);
        self.former_character.get_or_insert(former);
    }

    /// Puts the shown take on the character, if there is one.
    fn put_on_character(&mut self) {
        if let (Some(opened), Some((rig, map))) = (&self.opened, &self.character) {
            self.read_as(StudyArgs {
                rig: Some(rig.clone()),
                map: map.clone(),
                ..opened.study.clone()
            });
        }
    }

    /// Puts the shown take back on its own body, and leaves takes that are opened later on theirs.
    pub(super) fn close_character(&mut self) {
        (self.character, self.former_character) = (None, None);
        if let Some(opened) = self.opened.as_ref().filter(|opened| opened.study.rig.is_some()) {
            self.read_as(StudyArgs {
                rig: None,
                map: None,
                bone_stretch: None,
                ..opened.study.clone()
            });
        }
    }

    /// Maps joints of the character as a file says; without a character, the map is stored for a recipe that names it.
    pub(super) fn map_joints(&mut self, file_name: String, bytes: Vec<u8>) {
        self.keep_named(file_name.clone(), bytes);
        let shown = self.opened.as_ref().and_then(|opened| opened.study.rig.clone());
        match shown.or_else(|| Some(self.character.as_ref()?.0.clone())) {
            Some(rig) => {
                self.try_character((rig, Some(file_name.into())));
                self.put_on_character();
            }
            None => self.problem = Some(Problem::MapAlone),
        }
    }

    fn keep_named(&mut self, file_name: String, bytes: Vec<u8>) {
        self.named.retain(|known| known.file_name != file_name);
        self.named.push(NamedFile {
            file_name,
            bytes: Arc::new(bytes),
        });
        if self.named.len() > MAX_NAMED {
            // The kept character stays.
            let kept = self.character.iter().flat_map(|(rig, map)| [Some(rig), map.as_ref()]);
            let kept: Vec<&Path> = kept.flatten().map(PathBuf::as_path).collect();
            let is_other = |file: &NamedFile| !kept.contains(&Path::new(&file.file_name));
            let oldest = self.named.iter().position(is_other);
            self.named.remove(oldest.unwrap_or(0));
        }
    }

    /// Returns a take as a recipe reads it, with the files that the recipe names.
    pub(super) fn take_file(&self, file_name: &str, bytes: &Arc<Vec<u8>>, recipe: Recipe) -> TakeFile {
        TakeFile {
            file_name: file_name.to_owned(),
            bytes: Arc::clone(bytes),
            named: self.named_by(&recipe.take),
            recipe: Box::new(recipe),
        }
    }

    /// Returns the opened files that a recipe names: by the names in the recipe, or if no such file exists, by the last part alone, because
    /// a browser does not reveal folders.
    pub(super) fn named_by(&self, study: &StudyArgs) -> Vec<NamedFile> {
        let shown = self.opened.iter().flat_map(|opened| &opened.named);
        let known: Vec<&NamedFile> = self.named.iter().rev().chain(shown).collect();
        let find = |path: &Path| {
            let file_name = path.display().to_string();
            let is_alike = |file: &&&NamedFile| Path::new(&file.file_name).file_name() == path.file_name();
            let found = known
                .iter()
                .find(|file| file.file_name == file_name)
                .or_else(|| known.iter().find(is_alike).filter(|_| !path.exists()))?;
            Some(NamedFile {
                file_name,
                bytes: Arc::clone(&found.bytes),
            })
        };
        study.files().filter_map(|(_, path)| find(path)).collect()
    }

    /// Shows a take that was read as a recipe says, possibly in place of the present one.
    pub(super) fn take_in_read(&mut self, opened: Arc<Opened>, edit: Edit) {
        if self.reading_on == self.character {
            self.former_character = None;
        }
        let is_shown = self
            .opened
            .as_ref()
            .is_some_and(|shown| shown.file_name == opened.file_name);
        match is_shown.then(|| self.history.take()).flatten() {
            Some(mut history) => {
                let kept = self.kept.take();
                history.set(edit, true);
                self.show_take(opened, history);
                self.kept = kept;
            }
            None => {
                // The choices of the recipe count as an unsaved change.
                let first = Edit::first(&opened);
                self.take_in_with(opened, first);
                self.change(edit, true);
            }
        }
    }

    /// Reports why a take cannot be opened; if it is the first one, shows the example walk that it should have replaced.
    pub(super) fn take_in_failure(&mut self, error: OpenError) {
        let is_walk = matches!(error, OpenError::Synth(_));
        if self.reading_on.is_some()
            && self.reading_on == self.character
            && let Some(former) = self.former_character.take()
        {
            self.character = former;
        }
        if self.waiting.is_empty() && self.left_out.is_empty() {
            self.problem = Some(error.into());
        } else {
            self.left_out.push((self.reading.clone(), error.to_string()));
        }
        if self.opened.is_none() && self.waiting.is_empty() && !is_walk {
            self.work.start(Job::Walk);
        }
    }

    pub(super) fn take_in(&mut self, opened: Arc<Opened>) {
        let edit = Edit::first(&opened);
        // If this is the walk, another take failed to open, which remains to be reported.
        let problem = self.problem.take().filter(|_| opened.bytes.is_none());
        // The body of a set stays its own, and a recipe that waits for the take says which it has.
        let has_own = opened.bytes.is_none() || self.lent.contains(&opened.file_name);
        self.take_in_with(opened, edit);
        self.problem = problem;
        if !self.follow_link() && !has_own {
            self.put_on_character();
        }
    }

    /// Returns the names of the files of other open takes.
    pub fn others(&self) -> impl Iterator<Item = &str> {
        self.other_takes().map(|opened| opened.file_name.as_str())
    }

    /// Returns the other open takes.
    pub fn other_takes(&self) -> impl Iterator<Item = &Arc<Opened>> {
        self.others.iter().map(|(opened, _)| opened)
    }

    /// Returns all open takes, the shown one last.
    pub(super) fn open_takes(&self) -> impl Iterator<Item = &Arc<Opened>> {
        self.other_takes().chain(&self.opened)
    }

    /// Switches to another take, as it was left.
    pub(super) fn take_up(&mut self, index: usize) {
        if index >= self.others.len() || self.work.opens() {
            return;
        }
        let (opened, history) = self.others.remove(index);
        self.put_aside();
        self.show_take(opened, history);
    }

    /// Whether the settings of a take were changed since they were written: one of [`Self::others`], or the shown one.
    pub fn is_unsaved(&self, index: Option<usize>) -> bool {
        let history = match index {
            Some(index) => self.others.get(index).map(|(_, history)| history),
            None => self.history.as_ref(),
        };
        history.is_some_and(|history| *history.current() != history.saved)
    }

    /// Closes a take; if it is the shown one, the last of the others is shown, or the walk.
    pub(super) fn close(&mut self, index: Option<usize>) {
        match index {
            Some(index) if index < self.others.len() => {
                self.others.remove(index);
            }
            Some(_) => {}
            None if self.work.opens() => {}
            None => match self.others.pop() {
                Some((opened, history)) => self.show_take(opened, history),
                None => {
                    (self.opened, self.history, self.made) = (None, None, None);
                    self.compare(None);
                    self.work.start(Job::Walk);
                }
            },
        }
    }

    /// Marks the choices of a take as written.
    pub(super) fn mark_written(&mut self, of: Option<(String, Edit)>) {
        self.problem = None;
        let Some((file_name, edit)) = of else { return };
        let shown = self.opened.iter().zip(&mut self.history);
        let mut all = self
            .others
            .iter_mut()
            .map(|(opened, history)| (&*opened, history))
            .chain(shown);
        if let Some((_, history)) = all.find(|(opened, _)| opened.file_name == file_name) {
            history.saved = edit;
        }
    }

    /// Marks the choices of the loop as written.
    pub(super) fn mark_recipe_saved(&mut self) {
        self.problem = None;
        if let (Some(made), Some(history)) = (self.finished().cloned(), &mut self.history) {
            history.saved = made.edit.clone();
        }
    }

    /// Moves the view of the take's bar to a stretch that lies outside.
    pub(super) fn show_in_bar(&mut self, stretch: Stretch) {
        let candidate = self.opened.as_ref().and_then(|opened| opened.candidate(stretch).ok());
        if let (Some([first, last]), Some(candidate)) = (self.bar_frames, candidate) {
            let start = candidate.cut.start_frame();
            let end = candidate.cut.end_frame();
            if start < first || end > last {
                let half = 0.5 * (last - first).max(end - start);
                let middle = 0.5 * (start + end);
                self.bar_frames = Some([middle - half, middle + half]);
            }
        }
    }

    /// Moves the shown take to the others.
    fn put_aside(&mut self) {
        if let (Some(opened), Some(history)) = (self.opened.take(), self.history.take()) {
            self.others.push((opened, history));
        }
    }

    fn take_in_with(&mut self, opened: Arc<Opened>, edit: Edit) {
        let is_of = |other: &Arc<Opened>| other.file_name == opened.file_name || other.bytes.is_none();
        self.others.retain(|(other, _)| !is_of(other));
        if !self.opened.as_ref().is_some_and(is_of) {
            self.put_aside();
        }
        self.show_take(opened, History::new(edit));
    }

    fn show_take(&mut self, opened: Arc<Opened>, history: History<Edit>) {
        self.kept = None;
        self.made = None;
        self.problem = None;
        self.compare(None);
        self.studies = Studies::default();
        self.judged = super::judged::Judged::default();
        let is_of_file = self
            .opened
            .as_ref()
            .is_some_and(|shown| shown.file_name == opened.file_name);
        if let Some(ticked) = &mut self.ticked {
            // Ticks of loops, and of animations of another file, are dropped.
            ticked.retain(|each| match each {
                Ticked::Take(_) => true,
                Ticked::Animation(_) => is_of_file,
                Ticked::Loop(_) => false,
            });
        }
        let last = opened.last_frame();
        let ends = opened.ends(history.current().stretch);
        let short = ends.filter(|[start, end]| end - start < SHORT_SHARE * last);
        self.bar_frames = short.map(|ends| {
            let [first, end] = around_stretch(ends);
            let moved = first.clamp(0.0, last - (end - first)) - first;
            [first + moved, end + moved]
        });
        self.shown = self.first_shown(&opened);
        self.playback.secs = 0.0;
        self.camera = self.camera.facing(&opened);
        let body = opened.body();
        self.watched = body.feet.first().map_or(body.hips, |foot| foot.ankle);
        self.history = Some(history);
        self.opened = Some(opened);
        self.make();
    }
}
