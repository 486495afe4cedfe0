//! A set that is played by its manifest: a character steered by keys, by a stick, or by a point in its grid.

use std::sync::Arc;

use glam::DVec3;
use loopwright_core::math::percentile::extremes;
use loopwright_formats::{Format, set::Manifest};
use loopwright_job::recipe::{OutputRecipe, Recipe, StudyArgs};
use loopwright_player::{Goal, MotionSet, SteeredCharacter};

use super::{Beside, Model, NamedFile, Opened, SetOrder, Shown};
use crate::work::Job;

/// Most points of the drawn root path, and the time from one to the next, seconds.
const MOST_PLACES: usize = 120;
const PLACE_SECS: f64 = 0.05;

/// A set that was read, with the file that provides its body.
#[derive(Clone)]
pub struct SetRead {
    /// Its name.
    pub name: String,
    /// Its clips and spaces.
    pub set: Arc<MotionSet>,
    /// The file of one of its loops.
    pub file_name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl SetRead {
    /// Opens a set by its manifest, whose files lie beside it; `None` if the text is no manifest of a set.
    pub fn of_manifest(manifest: &[u8], beside: &Beside) -> Option<Result<Self, String>> {
        let named = Manifest::parse(manifest).ok()?;
        let find = |file: &str| beside.find(file).ok_or("it does not lie beside the manifest");
        let set = match MotionSet::read(manifest, find) {
            Ok(set) => set,
            Err(error) => return Some(Err(error.to_string())),
        };
        // A moving body is studied better than a standing one.
        let moving = set.clips().iter().position(|clip| clip.loops() && !clip.stands());
        let path = &named.clips.get(moving.unwrap_or(0))?.file;
        let bytes = beside.find(path)?;
        Some(Ok(Self {
            name: named.name,
            set: Arc::new(set),
            file_name: path.rsplit('/').next().unwrap_or(path).to_owned(),
            bytes,
        }))
    }
}

/// Where the character should go.
#[derive(Clone, Copy)]
pub enum Steer {
    /// A velocity over the ground, metres per second, until the next command.
    Velocity(DVec3),
    /// A speed and turn rate, from now on.
    Goal(Goal),
}

/// A set on the screen.
pub struct Steered {
    /// Its name.
    pub name: String,
    /// The character.
    pub hero: SteeredCharacter,
    /// The file that provides its body.
    pub file_name: String,
    /// Whether its body has not been shown yet.
    is_new: bool,
    wish: Steer,
    /// The path of the root so far.
    pub places: Vec<DVec3>,
}

impl Steered {
    /// Whether keys or a stick command a velocity.
    pub fn is_held(&self) -> bool {
        matches!(self.wish, Steer::Velocity(velocity) if velocity != DVec3::ZERO)
    }

    /// The speeds of its slowest and fastest loops that go forward, metres per second.
    pub fn speeds(&self) -> [f64; 2] {
        let ahead = self
            .hero
            .set()
            .clips()
            .iter()
            .filter(|clip| clip.loops())
            .map(|clip| clip.twist().linear.z)
            .filter(|speed| *speed > SLOWEST);
        let (slowest, fastest) = extremes(ahead);
        if fastest > 0.0 { [slowest, fastest] } else { [1.0; 2] }
    }

    fn advance(&mut self, secs: f64) {
        match self.wish {
            Steer::Velocity(velocity) => self.hero.steer(velocity, None),
            Steer::Goal(goal) => self.hero.set_goal(goal),
        }
        let before = self.hero.secs();
        self.hero.update(secs);
        if (before / PLACE_SECS).floor() < (self.hero.secs() / PLACE_SECS).floor() {
            self.places.push(self.hero.root().translation);
            if self.places.len() > MOST_PLACES {
                self.places.remove(0);
            }
        }
    }
}

/// Loops slower than this count as standing, metres per second.
const SLOWEST: f64 = 0.1;

impl Model {
    /// Returns the set on the screen, whatever is shown.
    pub fn steered(&self) -> Option<&Steered> {
        self.steered.as_ref()
    }

    /// Returns the set on the screen if the body of the take can play it.
    pub fn steered_here(&self) -> Option<&Steered> {
        let steered = self.steered.as_ref()?;
        steered.is_for(self.opened.as_ref()?).then_some(steered)
    }

    /// Lists the open takes, except those that were opened to provide the bodies of sets.
    fn takes_for_set(&self) -> impl Iterator<Item = &Arc<Opened>> {
        self.open_takes()
            .filter(|opened| !self.lent.contains(&opened.file_name))
    }

    /// Lists the files of a set, by name.
    pub fn files_for_set(&self) -> Vec<NamedFile> {
        let mut files: Vec<NamedFile> = self.takes_for_set().filter_map(|opened| opened.file()).collect();
        files.sort_by(|one, other| one.file_name.cmp(&other.file_name));
        files
    }

    /// Makes a set of the open takes, for the engine and at the rate of the shown one. All are read with the settings of the shown take, or
    /// if that provides the body of a set, with those of the newest other one.
    pub(super) fn make_set(&mut self, name: String, format: Option<Format>) {
        let Some(edit) = self.edit().filter(|_| self.work.progress().is_none()) else {
            return;
        };
        let OutputRecipe { target, fps, .. } = edit.recipe.output;
        let read = self.takes_for_set().last();
        let recipe = Recipe {
            take: StudyArgs {
                animation: None,
                ..read.map_or(&edit.recipe.take, |opened| &opened.study).clone()
            },
            output: OutputRecipe {
                target,
                fps,
                ..OutputRecipe::default()
            },
            ..Recipe::default()
        };
        let order = SetOrder {
            name,
            files: self.files_for_set(),
            named: self.named_by(&recipe.take),
            recipe: Box::new(recipe),
            format,
        };
        self.problem = None;
        // The file that provides the body is no character for the take.
        self.awaits_character = false;
        self.work.start(Job::MakeSet(Box::new(order)));
    }

    pub(super) fn open_set(&mut self, read: SetRead) {
        self.steered = Some(Steered {
            name: read.name,
            hero: SteeredCharacter::new(read.set),
            file_name: read.file_name.clone(),
            is_new: true,
            wish: Steer::Velocity(DVec3::ZERO),
            places: Vec::new(),
        });
        let lent = read.file_name.clone();
        self.open(read.file_name, read.bytes, Beside::default());
        self.lent.push(lent);
    }

    /// Returns what a take shows first: a new set if the take provides its body, else its loop.
    pub(super) fn first_shown(&mut self, opened: &Opened) -> Shown {
        match &mut self.steered {
            Some(steered) if steered.is_new && steered.is_for(opened) => {
                steered.is_new = false;
                Shown::Set
            }
            _ => Shown::Loop,
        }
    }

    pub(super) fn steer(&mut self, steer: Steer) {
        if let Some(steered) = &mut self.steered {
            steered.wish = steer;
        }
    }

    /// Has the character play something, which is shown at once.
    pub(super) fn play(&mut self, play: impl FnOnce(&mut SteeredCharacter) -> bool) {
        if self.steered.as_mut().is_some_and(|steered| play(&mut steered.hero)) && self.steered_here().is_some() {
            self.shown = Shown::Set;
        }
    }

    /// Advances the character, if it is shown. Returns whether it is.
    pub(super) fn advance_steered(&mut self, passed_secs: f64) -> bool {
        let is_shown = self.shown() == Shown::Set;
        if let Some(steered) = self.steered.as_mut().filter(|_| is_shown && self.playback.is_playing) {
            steered.advance(passed_secs * self.playback.speed);
        }
        is_shown
    }
}

impl Steered {
    fn is_for(&self, opened: &Opened) -> bool {
        let own = self.hero.set().skeleton();
        let shown = opened.skeleton();
        own.num_joints() == shown.num_joints()
            && own
                .joints()
                .iter()
                .zip(shown.joints())
                .all(|(own, shown)| own.name == shown.name)
    }
}
