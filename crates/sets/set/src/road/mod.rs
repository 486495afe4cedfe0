//! Makes a set: from the takes of one character to the files of its set, in one call for every program.
//!
//! [`of_style`] selects files of one style by their names, [`make_set`] processes the caller's takes ([`SetTakes`], or
//! [`HeldSetFile`] if all are in memory), and [`MadeSet::write`] returns the files one by one. Takes are requested again for
//! each pass, so that the caller decides how many of them are in memory, and how many are processed at once.

mod choice;
mod style;
mod write;

use std::{path::PathBuf, sync::Arc};

use loopwright_controller::{FitSettings, Pool, TakeFit};
use loopwright_core::analysis::MotionKind;
use loopwright_formats::{
    Format, LoopFileError, SidecarError, Target,
    loop_file::Complaint,
    set::{LeftOut, ManifestError, SET_FILE, SetController, SetMode},
};
use loopwright_job::{Recipe, Studied};
use loopwright_moves::play::PlayError;

use crate::set::{self, Offered, Set, SetForm, SetRequest, TakeLoop, TakeOnce, called, godot};

pub use style::{ChosenStyle, OfStyle, SetFileName, of_style};
pub use write::{SetClipFile, WrittenSet};

/// Settings of a set.
#[derive(Clone, Debug)]
pub struct SetSettings {
    /// How its takes are studied, and how their loops are closed.
    pub recipe: Recipe,
    /// Number of loops per way to move, as different as the takes allow, 1 or more.
    pub variants: usize,
    /// Frames per second; `None` for the rate of most loops.
    pub fps: Option<f64>,
    /// The engine that it is written for.
    pub target: Option<Target>,
    /// The format of its clips; `None` for the engine's, the character's, or that of the first loop.
    pub format: Option<Format>,
    /// Whether each clip has a file of its own, even where one file can hold all.
    pub is_split: bool,
    /// The folder of its files, as sidecars state it; the set is named after it.
    pub folder: PathBuf,
}

impl SetSettings {
    /// Returns the name of the set: that of its folder.
    pub fn name(&self) -> String {
        let name = self.folder.file_name().map(|name| name.to_string_lossy().into_owned());
        name.filter(|name| !name.starts_with('.'))
            .unwrap_or_else(|| "set".to_owned())
    }

    /// Returns the names of the files beside the clips: the manifest, and those of the engine.
    pub fn files_beside(&self) -> &'static [&'static str] {
        match self.target {
            Some(Target::Godot) => &[SET_FILE, godot::TREE_FILE, godot::EVENTS_FILE],
            Some(Target::Unity | Target::UnityHumanoid) => &[SET_FILE, write::UNITY_FILE],
            Some(Target::Unreal) => &[SET_FILE, write::UNREAL_FILE],
            _ => &[SET_FILE],
        }
    }
}

/// The takes of a set, file by file.
///
/// The contents of files are requested several times. A file of loops made before has no takes.
pub trait SetTakes: Sync {
    /// Returns the number of files.
    fn num_files(&self) -> usize;

    /// Returns the name of a file, as the manifest states it.
    fn name(&self, file: usize) -> String;

    /// Passes each take of a file to `give`, with whether the file holds several. Errors: why it cannot be read, in words.
    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String>;

    /// Passes each loop of a file of loops made before to `give`, or why it cannot be used. Errors: why the file cannot be read,
    /// in words.
    fn loops(&self, file: usize, give: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String>;

    /// Receives each loop of a take as soon as it is made, to show it; the set may use another one.
    fn show(&self, _: &TakeLoop) {}

    /// Runs the work on each file and returns its results in the order of the files; the caller may run several at once. The
    /// work reports faults of a file as a whole.
    fn on_all<A: Default + Send>(
        &self,
        _: SetStage,
        work: impl Fn(usize, &mut A) -> Result<(), String> + Sync,
    ) -> Vec<A> {
        let mut all = Vec::new();
        for file in 0..self.num_files() {
            let mut given = A::default();
            // The manifest reports it, too.
            let _ = work(file, &mut given);
            all.push(given);
        }
        all
    }
}

/// The contents of a file read before: takes, or loops made before.
#[derive(Clone, Debug, Default)]
pub struct HeldSetFile {
    /// Its name, as the manifest states it.
    pub name: String,
    /// Its takes.
    pub takes: Vec<Arc<Studied>>,
    /// Whether it has several animations, of which these may be some.
    pub is_pack: bool,
    /// Its loops.
    pub loops: Vec<TakeLoop>,
}

impl SetTakes for [HeldSetFile] {
    fn num_files(&self) -> usize {
        self.len()
    }

    fn name(&self, file: usize) -> String {
        self[file].name.clone()
    }

    fn takes(&self, file: usize, give: &mut dyn FnMut(&Studied, bool)) -> Result<(), String> {
        let file = &self[file];
        for studied in &file.takes {
            give(studied, file.is_pack);
        }
        Ok(())
    }

    fn loops(&self, file: usize, give: &mut dyn FnMut(Result<TakeLoop, LeftOut>)) -> Result<(), String> {
        for made in &self[file].loops {
            give(Ok(made.clone()));
        }
        Ok(())
    }
}

/// The stage of making a set that processes all files.
#[value(Copy, Eq)]
pub enum SetStage {
    /// Loops.
    Loops,
    /// Passages between them.
    Passages,
}

/// A note to the user about a set.
#[error_kinds]
pub enum SetNote {
    /// Its engine does not read its files as they are.
    Engine(Complaint),
    /// A take is left out because of its skeleton.
    #[error("{}: {}", .0.take, .0.why)]
    Skeleton(LeftOut),
    /// Takes belong to different bodies, whose clips cannot meet.
    #[error(
        "bones of \"{one}\" and \"{other}\" differ by up to {:.0} mm, so that clips of both do not meet exactly; --rig FILE puts all on one character",
        1e3 * .metres
    )]
    Bones { one: String, other: String, metres: f64 },
    /// The mesh of a character is lost.
    #[error(
        "FBX is written without the mesh of a glTF file; `blender -b --python-expr \"import bpy; bpy.ops.wm.read_factory_settings(use_empty=True); bpy.ops.import_scene.gltf(filepath='hero.glb'); bpy.ops.export_scene.fbx(filepath='hero.fbx', add_leaf_bones=False)\"` makes one whose mesh stays"
    )]
    Mesh,
    /// A change made while writing.
    File(loopwright_formats::FileWarning),
}

/// Why no set can be made.
#[error_kinds]
pub enum MakeSetError {
    /// No file has the requested style; with some of the existing styles.
    #[error("no take is named like the style \"{style}\"")]
    NoStyle { style: String, there: Vec<String> },
    #[error("{wanted_hz} frames per second exceed the limit of {limit_hz:.0}")]
    Rate { wanted_hz: f64, limit_hz: f64 },
    /// There are no loops; lists everything that was left out.
    #[error("no take gives a loop for a set")]
    NoLoops(Vec<LeftOut>),
    /// Its loops cannot be played one after the other.
    Play(PlayError),
    /// A loop cannot be written.
    Loop(LoopFileError),
    /// A passage cannot be written.
    #[error("{error}")]
    Passage { file: String, error: LoopFileError },
    /// A passage does not form a take.
    Take(loopwright_core::take::TakeError),
    /// The clips do not all fit into one file.
    #[error("{error}")]
    Single { file: String, error: LoopFileError },
    /// A loop cannot be written into the common file.
    #[error("{error}")]
    LoopOfSingle { file: String, error: LoopFileError },
    /// The facts of a loop cannot be written.
    Sidecar(SidecarError),
    /// The manifest cannot be written.
    Manifest(ManifestError),
}

/// A set that is made but not yet written.
#[derive(Clone, Debug)]
pub struct MadeSet {
    set: Set,
    form: SetForm,
    settings: SetSettings,
    controller: Option<SetController>,
    left_out: Vec<LeftOut>,
}

/// The offers of files.
#[derive(Default)]
struct Offers {
    loops: Vec<TakeLoop>,
    left_out: Vec<LeftOut>,
    fits: Vec<TakeFit>,
}

/// Makes a set of takes: the most useful loops on one skeleton, mirror images and blends for missing ones, and passages between
/// them.
///
/// `left_out` lists what the caller left out, which the manifest then names, too. Remarks for the user go to `notes`. Errors:
/// [`MakeSetError`].
pub fn make_set(
    settings: SetSettings,
    takes: &(impl SetTakes + ?Sized),
    left_out: Vec<LeftOut>,
    notes: &mut Vec<SetNote>,
) -> Result<MadeSet, MakeSetError> {
    let Offers {
        loops,
        mut left_out,
        fits,
    } = offers(&settings, takes, left_out);
    let form = choice::form(&settings, &loops, notes)?;
    let members = choice::members(loops, &form, &mut left_out);
    let mut offered = choice::of_one_skeleton(members, &mut left_out, notes);
    if let Some(first) = offered.first()
        && !offered.iter().any(|each| each.gait == MotionKind::Idle)
    {
        offered.extend(stance(takes, first, &form));
    }
    notes.extend(choice::bones_apart(&offered));
    if offered.is_empty() {
        return Err(MakeSetError::NoLoops(left_out));
    }
    let request = SetRequest {
        form,
        variants: settings.variants,
        pairs: settings.recipe.take.mirror.clone(),
    };
    let set = Set::new(offered, &request);
    let once = once(takes, &set, &request.pairs)?;
    Ok(MadeSet {
        set: set.with_once(once),
        form: request.form,
        controller: controller(&fits),
        settings,
        left_out,
    })
}

/// Returns the offers of all files, in their order.
fn offers(settings: &SetSettings, takes: &(impl SetTakes + ?Sized), left_out: Vec<LeftOut>) -> Offers {
    let mut all = Offers {
        left_out,
        ..Offers::default()
    };
    let of_each = takes.on_all(SetStage::Loops, |file, offers: &mut Offers| {
        let done = of_file(settings, takes, file, offers);
        if let Err(why) = &done {
            offers.left_out.push(LeftOut {
                take: takes.name(file),
                why: why.clone(),
            });
        }
        done
    });
    for offers in of_each {
        all.loops.extend(offers.loops);
        all.left_out.extend(offers.left_out);
        all.fits.extend(offers.fits);
    }
    all
}

/// Adds the offers of a file: loops made before, or those of its takes.
fn of_file(
    settings: &SetSettings,
    takes: &(impl SetTakes + ?Sized),
    file: usize,
    offers: &mut Offers,
) -> Result<(), String> {
    takes.loops(file, &mut |made| match made {
        Ok(made) => offers.loops.push(made),
        Err(left_out) => offers.left_out.push(left_out),
    })?;
    takes.takes(file, &mut |studied, _| {
        let before = offers.loops.len();
        if let Err(why) = of_take(settings, studied, offers) {
            let take = called(&studied.name, studied.facts().animation.as_deref());
            offers.left_out.push(LeftOut { take, why });
        }
        offers.loops[before..].iter().for_each(|made| takes.show(made));
    })
}

/// Adds the offers of a take. Errors: why it has no loop.
fn of_take(settings: &SetSettings, studied: &Studied, offers: &mut Offers) -> Result<(), String> {
    let fit = loopwright_controller::fit(&studied.analysis, &FitSettings::default());
    offers.fits.extend(fit);
    let in_words = |error| studied.failure(&error, None);
    let loops = set::loops_of(studied, &settings.recipe, settings.variants).map_err(in_words)?;
    if loops.is_empty() {
        return Err("what repeats in it is uneven, or holds several cycles".to_owned());
    }
    let (made, failed): (Vec<_>, Vec<_>) = loops.into_iter().partition(Result::is_ok);
    offers.loops.extend(made.into_iter().flatten());
    match failed.into_iter().find_map(Result::err) {
        Some(error) if offers.loops.is_empty() => Err(in_words(error)),
        _ => Ok(()),
    }
}

/// Returns a still body on the skeleton of a set, from the first file with a take in which it stands.
fn stance(takes: &(impl SetTakes + ?Sized), like: &Offered, form: &SetForm) -> Option<Offered> {
    (0..takes.num_files()).find_map(|file| {
        let mut found = None;
        // Unreadable files have been left out before.
        let _ = takes.takes(file, &mut |studied, _| {
            if found.is_none()
                && let Some((stored, made)) = set::stance_of(studied)
            {
                let member = set::Member::new(stored, made, form).ok();
                found = member.filter(|member| member.differs_from(&like.member).is_none());
            }
        });
        found.map(|member| Offered {
            member,
            gait: MotionKind::Idle,
        })
    })
}

/// Returns the motions of all takes that play once. Errors: the loops of the set cannot be played.
fn once(takes: &(impl SetTakes + ?Sized), set: &Set, pairs: &[String]) -> Result<Vec<TakeOnce>, PlayError> {
    let loops = set.loops()?;
    let of_each = takes.on_all(SetStage::Passages, |file, once: &mut Vec<TakeOnce>| {
        // Unreadable files have been left out before.
        let _ = takes.takes(file, &mut |studied, is_of_pack| {
            once.push(set::once_of(studied, (set, &loops), is_of_pack, pairs));
        });
        Ok(())
    });
    Ok(of_each.into_iter().flatten().collect())
}

/// Returns constants for a controller, if the takes show any.
fn controller(fits: &[TakeFit]) -> Option<SetController> {
    let pool = Pool::new(&fits.iter().collect::<Vec<_>>());
    let modes: Vec<SetMode> = core::iter::once(&pool.all)
        .chain(&pool.modes)
        .map(|mode| SetMode {
            mode: mode.mode.map_or_else(|| "all".to_owned(), |mode| mode.to_string()),
            top_speed_mps: mode.top_speed.map(|speed| speed.median),
            turn_rate_dps: mode.turn_rate.map(|rate| rate.median.to_degrees()),
            velocity_half_life_secs: mode.velocity.chosen_secs(),
            facing_half_life_secs: mode.facing.chosen_secs(),
        })
        .collect();
    (pool.takes > 0).then_some(SetController {
        takes: pool.takes,
        modes,
    })
}
