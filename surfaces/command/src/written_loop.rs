//! Reads loops back: the file, its sidecar, and the take they were cut from.

use std::path::{Path, PathBuf};
use std::{fmt::Display, sync::Arc};

use loopwright_core::Take;
use loopwright_core::motion::SkeletonDifference;
use loopwright_core::root_motion::RootRelativeClip;
use loopwright_formats::loop_file::{PackSidecar, PlaceError, facts::TakeFacts, importer::TargetFacts};
use loopwright_formats::{
    AnimatedFile, AnimationChoice, Format, LoadedTake, LoopInFile, ReadSettings, Sidecar, SidecarError, Source,
    SpaceSettings, Target, Warning,
};
use loopwright_job::{AddedRoot, CharacterTarget, StoredLoop, StoredLoopError, Studied, stated_space, take_facts};

use crate::{
    animations::{self, Excluded},
    exit::Failure,
    failures, files, load, memory, output,
    patterns::Pattern,
    recipe::TakeArgs,
    talk, written_passage,
};

/// A loop as read from its file, or any other file that may be a loop.
#[derive(Clone)]
pub(crate) struct WrittenLoop {
    pub(crate) sidecar: Option<Sidecar>,
    /// The keys, on the take's own skeleton.
    pub(crate) written: Take,
    /// The form of the file.
    pub(crate) source: Source,
    pub(crate) facts: TakeFacts,
    pub(crate) warnings: Vec<String>,
}

/// Reads a loop and its sidecar. Errors: either cannot be read, or they do not belong together.
pub(crate) fn read(path: &Path, reading: &TakeArgs) -> Result<WrittenLoop, Failure> {
    let sidecar = read_sidecar(path, reading)?;
    let space = reading.space();
    // A loop is in the space of its take, which the sidecar states.
    let space = sidecar
        .as_ref()
        .map_or(space, |sidecar| stated_space(reading.space(), sidecar));
    let mut warnings = Vec::new();
    let settings = settings(reading, space, sidecar.as_ref());
    let file = load::read_loop(path, &settings, sidecar.as_ref(), &mut warnings)?;
    WrittenLoop::of(path, file, sidecar, &warnings)
}

impl WrittenLoop {
    /// A file that was read, with these warnings. Errors: it is not the one that the sidecar describes.
    pub(crate) fn of(
        path: &Path,
        file: LoadedTake,
        sidecar: Option<Sidecar>,
        warnings: &[Warning],
    ) -> Result<Self, Failure> {
        let facts = take_facts(&path.display().to_string(), &file);
        Ok(Self {
            written: match &sidecar {
                Some(sidecar) => without_added_root(path, sidecar, file.take)?,
                None => file.take,
            },
            source: file.source,
            sidecar,
            facts,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// Whether the file has a root joint above those of the take.
    pub(crate) fn has_added_root(&self) -> bool {
        (self.sidecar.as_ref()).is_some_and(|sidecar| sidecar.playback.root_joint_added)
    }
}

/// A file of several loops and the JSON beside it, each parsed once.
pub(crate) struct LoopsInFile {
    path: PathBuf,
    file: AnimatedFile,
    sidecars: Vec<Sidecar>,
}

impl LoopsInFile {
    /// Errors: either cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, Failure> {
        let sidecars = all_sidecars(path)?;
        Ok(Self {
            file: load::open_loops(path, &sidecars)?,
            sidecars,
            path: path.to_owned(),
        })
    }

    /// The file that is open, or this one if that is another. Errors: those of [`Self::open`].
    pub(crate) fn kept<'a>(opened: &'a mut Option<Self>, path: &Path) -> Result<&'a Self, Failure> {
        if opened.as_ref().is_none_or(|opened| opened.path != path) {
            *opened = None;
        }
        match opened {
            Some(opened) => Ok(opened),
            None => Ok(opened.insert(Self::open(path)?)),
        }
    }

    /// Reads one of the loops, like [`read`].
    pub(crate) fn read(&self, reading: &TakeArgs) -> Result<WrittenLoop, Failure> {
        let sidecar = sidecar_of(&self.path, &self.sidecars, reading, |wanted| {
            names_of(&self.path, &self.file, wanted)
        })?;
        let space = (sidecar.as_ref()).map_or(reading.space(), |sidecar| stated_space(reading.space(), sidecar));
        let mut warnings = Vec::new();
        let read = self
            .file
            .read(&settings(reading, space, sidecar.as_ref()), &mut warnings);
        let loaded = read.map_err(|error| failures::read(&self.path, &error))?;
        WrittenLoop::of(&self.path, loaded, sidecar, &warnings)
    }
}

/// The keys on the take's own skeleton. Errors: the root joint that the sidecar names is missing.
fn without_added_root(path: &Path, sidecar: &Sidecar, written: Take) -> Result<Take, Failure> {
    sidecar.without_added_root(written).map_err(|_| no_root_joint(path))
}

fn no_root_joint(path: &Path) -> Failure {
    Failure::error(format!(
        "\"{}\" has no root joint above the hips, though its sidecar says so",
        path.display()
    ))
    .try_this(OTHER_SIDECAR)
}

/// Settings for reading a loop. The animation is the one that the sidecar names, else the one requested, else one that is named
/// like a loop. If one is requested, [`read_sidecar`] returns no sidecar of another.
pub(crate) fn settings<'a>(
    reading: &'a TakeArgs,
    space: SpaceSettings,
    sidecar: Option<&'a Sidecar>,
) -> ReadSettings<'a> {
    let named = sidecar.and_then(|sidecar| sidecar.playback.animation.as_deref());
    let mut settings = reading.settings(space, AnimationChoice::Loop, memory::limits());
    if let Some(name) = named {
        settings.animation = AnimationChoice::Given(name);
    }
    settings
}

/// Puts a loop onto a character by its pose alone, and says what is unsure of it.
pub(crate) fn on_character(
    read: StoredLoop,
    target: &Arc<CharacterTarget>,
    reading: &TakeArgs,
) -> Result<StoredLoop, Failure> {
    let file = read.facts.file.clone();
    let matched =
        (target.matched(&read.file, &reading.overrides())).map_err(|error| failures::study(Path::new(&file), error))?;
    for warning in matched.warnings() {
        talk::warn(&format!("{file}: {warning}"));
    }
    read.on_character(&matched).map_err(Failure::error)
}

/// Why a file gives no loop that can be used; `path` is its own.
pub(crate) fn unusable(path: &Path, error: StoredLoopError) -> Failure {
    match error {
        StoredLoopError::Place(PlaceError::NoRootJoint) => no_root_joint(path),
        StoredLoopError::Place(error) => contradicted(error),
        StoredLoopError::Keys(error) => apart(path, &error),
        StoredLoopError::Body(error) => failures::body(error),
        StoredLoopError::Mirror(error) => error.into(),
        StoredLoopError::Write(error) => failures::write(error),
        other => Failure::error(other),
    }
}

/// Reads a loop that must have its sidecar, and prints warnings about it.
///
/// Errors: there is no sidecar, either file cannot be read, or they do not belong together.
pub(crate) fn read_playable(path: &Path, reading: &TakeArgs, added_root: AddedRoot) -> Result<StoredLoop, Failure> {
    let sidecar = match read_sidecar(path, reading)? {
        Some(sidecar) => sidecar,
        None if has_sidecar(path) => {
            return Err(Failure::error(format!(
                "the sidecar beside \"{}\" is of another animation",
                path.display()
            ))
            .because("the sidecar holds the root motion and the period of the loop")
            .try_this(format!(
                "one of its loops: `loopwright check {}` lists them",
                path.display()
            )));
        }
        // If the file itself is missing, report that first.
        None => {
            files::read_bytes(path)?;
            return Err(
                Failure::error(format!("\"{}\" has no sidecar beside it", path.display()))
                    .because("the sidecar holds the root motion and the period of the loop")
                    .try_this(format!(
                        "`loopwright make` writes loops with their sidecars; keep \"{}\" beside the loop",
                        output::sidecar_path(path).display()
                    )),
            );
        }
    };
    let mut warnings = Vec::new();
    let file = load::read_loop(
        path,
        &settings(reading, stated_space(reading.space(), &sidecar), Some(&sidecar)),
        Some(&sidecar),
        &mut warnings,
    )?;
    for warning in &warnings {
        talk::warn(&format!("{}: {warning}", path.display()));
    }
    StoredLoop::new(&path.display().to_string(), file, sidecar, added_root).map_err(|error| unusable(path, error))
}

/// The section of the sidecar for an engine; `take` has the joints of the file, an added root joint among them or not.
pub(crate) fn target_facts(engine: Target, sidecar: &Sidecar, take: &Take, frame_rate_hz: f64) -> TargetFacts {
    let unrooted = take.without_root_joint().filter(|_| sidecar.playback.root_joint_added);
    let own = unrooted.as_ref().unwrap_or(take);
    engine.facts(sidecar, own.skeleton(), frame_rate_hz)
}

/// The failure for a loop that does not match its sidecar.
pub(crate) fn apart(path: &Path, error: &dyn Display) -> Failure {
    Failure::error(format!(
        "\"{}\" and its sidecar do not belong together: {error}",
        path.display()
    ))
    .try_this("make the loop again")
}

/// Fails at once for a name that no file has: a typing error, most likely. A pattern is none.
pub(crate) fn check_are_there(paths: &[PathBuf]) -> Result<(), Failure> {
    let mut named = paths.iter().filter(|path| Pattern::new(path).is_none());
    named.try_for_each(|path| files::check_is_there(path))
}

/// Replaces every folder in a list of paths by the loops in it, its files that have a sidecar, and every pattern by the files that match
/// it, sorted by name.
///
/// Errors: a folder cannot be listed, or holds no loop; nothing matches.
pub(crate) fn with_folders(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut loops = Vec::new();
    for path in paths {
        if !path.is_dir() {
            match Pattern::files_of(path)? {
                Some(files) => loops.extend(files),
                None => loops.push(path.clone()),
            }
            continue;
        }
        let failed = |error: std::io::Error| Failure::cannot("list", path, error);
        let mut found = Vec::new();
        for entry in std::fs::read_dir(path).map_err(failed)? {
            let file = entry.map_err(failed)?.path();
            if file.is_file() && has_sidecar(&file) {
                found.push(file);
            }
        }
        if found.is_empty() {
            return Err(
                Failure::error(format!("there is no loop in the folder \"{}\"", path.display()))
                    .because("loops have their sidecar beside them: walk-loop.bvh and walk-loop.bvh.json")
                    .try_this("`loopwright make TAKE -o FOLDER/NAME.bvh`"),
            );
        }
        found.sort();
        loops.extend(found);
    }
    Ok(loops)
}

/// The loops in a folder and its subfolders, sorted by name: files with a sidecar, and takes that are named like loops.
///
/// Links to folders are not followed, since they may form a cycle. Errors: a folder cannot be listed, or there is no loop.
pub(crate) fn loops_below(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let is_loop = |path: &Path| has_sidecar(path) || is_named_like_a_loop(path) && !written_passage::is_cut(path);
    let found = files::files_below(folder, is_loop)?;
    if found.is_empty() {
        return Err(Failure::error(format!(
            "there is no loop in the folder \"{}\" or below",
            folder.display()
        ))
        .because("in a folder, loops are files with a sidecar beside them, and those whose name ends in -loop")
        .try_this("name the files themselves"));
    }
    Ok(found)
}

/// Whether a file without a sidecar is named like a loop, `walk-loop.fbx`.
fn is_named_like_a_loop(path: &Path) -> bool {
    files::is_named_like_a_take(path) && files::stem(path).ends_with("-loop")
}

/// The animations of a file that are loops by their names or by the JSON beside it: those that are asked for, if there are several or others
/// are left out.
///
/// A file or sidecar that cannot be read is not reported here; reading the loop reports it later. Errors: no animation is meant, or no loop
/// is left.
pub(crate) fn several_loops(path: &Path, reading: &TakeArgs, excluded: Excluded<'_>) -> Result<Vec<String>, Failure> {
    let extension = path.extension().and_then(|extension| extension.to_str());
    // Files of one animation without a name may be large.
    let format = extension.and_then(Format::from_extension);
    if format.is_some_and(|format| !format.capabilities().holds_animations) {
        return Ok(Vec::new());
    }
    let Ok(file) = load::open(path) else {
        return Ok(Vec::new());
    };
    let described: Vec<String> = (sidecars_beside(path).into_iter())
        .filter_map(|sidecar| sidecar.playback.animation)
        .collect();
    let loops_without = |excluded| {
        let numbers = animations::asked_for(path, &file, reading.animation.as_deref(), excluded)?;
        let names = numbers.into_iter().map(|number| &file.animation_names()[number]);
        let is_loop = |name: &&String| name.ends_with("-loop") || described.contains(name);
        Ok::<Vec<String>, Failure>(names.filter(is_loop).cloned().collect())
    };
    let (all, left) = (loops_without(Excluded::NONE)?, loops_without(excluded)?);
    match (left.len(), left.len() < all.len()) {
        (0, true) => Err(animations::none_left(path, "loop")),
        (0 | 1, false) => Ok(Vec::new()),
        _ => Ok(left),
    }
}

/// All facts of loops in the JSON beside a file; none if it cannot be read.
fn sidecars_beside(path: &Path) -> Vec<Sidecar> {
    let beside = files::read_bytes(&output::sidecar_path(path)).ok();
    let read = beside.and_then(|bytes| Sidecar::all_from_json(&bytes).ok());
    read.unwrap_or_default()
}

/// Adds the facts of loops that are still in a file into which others were written; `bytes` are the file's new ones.
pub(crate) fn keep_other_loops(loops: &mut Vec<Sidecar>, path: &Path, bytes: &[u8]) {
    let names = loopwright_formats::animation_names(bytes);
    let mut kept: Vec<Sidecar> = sidecars_beside(path);
    kept.retain(|old| {
        let name = old.playback.animation.as_ref();
        name.is_some_and(|name| names.contains(name))
            && !loops.iter().any(|new| new.playback.animation.as_ref() == name)
    });
    kept.append(loops);
    Sidecar::state_file_of_all(&mut kept, bytes);
    *loops = kept;
}

/// The JSON beside a file into which a loop was written: that of the loop, and of the others that the file holds.
pub(crate) fn with_other_loops(sidecar: &Sidecar, path: &Path, bytes: &[u8]) -> Result<String, SidecarError> {
    let mut loops = vec![sidecar.clone()];
    keep_other_loops(&mut loops, path, bytes);
    if loops.len() == 1 {
        return sidecar.to_json();
    }
    PackSidecar {
        file: sidecar.take.file.clone(),
        warnings: sidecar.warnings.clone(),
        outputs: sidecar.outputs.clone(),
        loops,
        ..PackSidecar::default()
    }
    .to_json()
}

/// A loop to read: its file, and the animation if the file holds several loops.
#[derive(Clone, Debug)]
pub(crate) struct LoopName {
    pub(crate) path: PathBuf,
    pub(crate) animation: Option<String>,
}

impl LoopName {
    /// As it is named where files are: `pack.glb#Walk`.
    pub(crate) fn typed(&self) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        if let Some(animation) = &self.animation {
            name.push(format!("#{animation}"));
        }
        name.into()
    }

    /// Reads the loop, which must have its sidecar.
    pub(crate) fn read(&self, reading: &TakeArgs, added_root: AddedRoot) -> Result<StoredLoop, Failure> {
        let reading = TakeArgs {
            animation: self.animation.clone().or_else(|| reading.animation.clone()),
            ..reading.clone()
        };
        read_playable(&self.path, &reading, added_root)
    }
}

impl Display for LoopName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.animation {
            Some(animation) => write!(f, "{} ({animation})", self.path.display()),
            None => write!(f, "{}", self.path.display()),
        }
    }
}

/// All loops of these files and folders that are asked for: a file may hold several.
pub(crate) fn all_loops(paths: &[PathBuf], reading: &TakeArgs) -> Result<Vec<LoopName>, Failure> {
    let mut loops = Vec::new();
    for path in with_folders(paths)? {
        let (path, animation) = files::split_animation(&path);
        let wanted = TakeArgs {
            animation: animation.clone().or_else(|| reading.animation.clone()),
            ..reading.clone()
        };
        let animations = several_loops(&path, &wanted, Excluded::NONE)?;
        if animations.is_empty() {
            loops.push(LoopName { path, animation });
        } else {
            loops.extend(animations.into_iter().map(|animation| LoopName {
                path: path.clone(),
                animation: Some(animation),
            }));
        }
    }
    Ok(loops)
}

/// Reads one or more loops, each with its sidecar and all on the same skeleton.
pub(crate) fn read_all_playable(names: &[LoopName], reading: &TakeArgs) -> Result<Vec<StoredLoop>, Failure> {
    read_all_onto(names, reading, None)
}

/// The same on the skeleton of a character, where there is one; their own may then differ.
pub(crate) fn read_all_onto(
    names: &[LoopName],
    reading: &TakeArgs,
    target: Option<&Arc<CharacterTarget>>,
) -> Result<Vec<StoredLoop>, Failure> {
    let read = |name: &LoopName| match target {
        None => name.read(reading, AddedRoot::Kept),
        Some(target) => on_character(name.read(reading, AddedRoot::Folded)?, target, reading),
    };
    let loops = names.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    same_skeletons(names, &loops)?;
    Ok(loops)
}

/// Errors: loops of several skeletons.
pub(crate) fn same_skeletons(names: &[impl Display], loops: &[StoredLoop]) -> Result<(), Failure> {
    for (name, other) in names.iter().zip(loops) {
        if let Some(difference) = SkeletonDifference::between(loops[0].clip.skeleton(), other.clip.skeleton()) {
            return Err(
                Failure::error(format!("\"{name}\" has another skeleton than \"{}\"", names[0]))
                    .because(difference)
                    .try_this("loops made from takes of one skeleton, all with --add-root or none"),
            );
        }
    }
    Ok(())
}

/// What to try if a loop and its sidecar contradict each other.
pub(crate) const OTHER_SIDECAR: &str = "make the loop again, or remove the sidecar to check the loop by its keys alone";

/// Whether a file has a sidecar: it is then a loop, unless another animation is requested.
pub(crate) fn has_sidecar(path: &Path) -> bool {
    output::sidecar_path(path).exists()
}

/// Reads the sidecar of a loop. `None` if there is none, or if it belongs to another animation than the one requested; the
/// latter is reported.
///
/// Errors: the sidecar exists but cannot be read, or the file has no animation as requested.
pub(crate) fn read_sidecar(path: &Path, reading: &TakeArgs) -> Result<Option<Sidecar>, Failure> {
    let sidecars = all_sidecars(path)?;
    sidecar_of(path, &sidecars, reading, |wanted| {
        names_of(path, &load::open(path)?, wanted)
    })
}

/// The sidecar of the animation of that name; `None` if it is no loop. Errors: the JSON beside the file cannot be read.
pub(crate) fn sidecar_named(path: &Path, animation: &str) -> Result<Option<Sidecar>, Failure> {
    let is_its = |sidecar: &Sidecar| {
        sidecar
            .playback
            .animation
            .as_ref()
            .is_none_or(|named| named == animation)
    };
    Ok(all_sidecars(path)?.into_iter().find(is_its))
}

/// All facts of loops in the JSON beside a file; none if there is no such JSON. Errors: it cannot be read.
fn all_sidecars(path: &Path) -> Result<Vec<Sidecar>, Failure> {
    if !has_sidecar(path) {
        return Ok(Vec::new());
    }
    let beside = output::sidecar_path(path);
    let bytes = files::read_bytes(&beside)?;
    Sidecar::all_from_json(&bytes).map_err(|error| {
        Failure::cannot("read the sidecar", beside, error).try_this("remove it to check the loop by its keys alone")
    })
}

/// The sidecar of the animation that is asked for, of those beside a file; says which it is if there are several, or that there
/// is none. `matching` lists the animations of the file that are meant. Errors: those of `matching`.
fn sidecar_of(
    path: &Path,
    sidecars: &[Sidecar],
    reading: &TakeArgs,
    matching: impl FnOnce(&str) -> Result<Vec<String>, Failure>,
) -> Result<Option<Sidecar>, Failure> {
    let Some(wanted) = &reading.animation else {
        if sidecars.len() > 1
            && let Some(named) = sidecars.last().and_then(|last| last.playback.animation.as_ref())
        {
            talk::note(&format!(
                "{} holds {} loops; using \"{named}\", --animation names another",
                path.display(),
                sidecars.len()
            ));
        }
        return Ok(sidecars.last().cloned());
    };
    let is_named = |sidecar: &&Sidecar| sidecar.playback.animation.as_ref() == Some(wanted);
    // The only loop of a file without animations has no name.
    let is_only = |sidecar: &&Sidecar| sidecar.playback.animation.is_none();
    let exact = sidecars.iter().find(is_named).or_else(|| sidecars.iter().find(is_only));
    if sidecars.is_empty() || exact.is_some() {
        return Ok(exact.cloned());
    }
    let matching = matching(wanted)?;
    let named = |sidecar: &Sidecar| sidecar.playback.animation.clone();
    let is_wanted = |sidecar: &&Sidecar| named(sidecar).is_some_and(|named| matching.contains(&named));
    let found = sidecars.iter().find(is_wanted).cloned();
    if found.is_none() {
        let described: Vec<String> = sidecars.iter().filter_map(named).collect();
        let of = match &described[..] {
            [one] => format!("the animation \"{one}\""),
            others => format!("{} other animations", others.len()),
        };
        talk::note(&format!(
            "{}: its sidecar is of {of} and is not used for \"{wanted}\"",
            path.display()
        ));
    }
    Ok(found)
}

/// The names of the animations that are meant. Errors: there is none.
fn names_of(path: &Path, file: &AnimatedFile, wanted: &str) -> Result<Vec<String>, Failure> {
    let numbers = file.animations_matching(wanted);
    let numbers = numbers.map_err(|error| failures::read(path, &error))?;
    let name = |number: usize| file.animation_names()[number].clone();
    Ok(numbers.into_iter().map(name).collect())
}

/// The loop that the sidecar describes. Errors: the two contradict each other.
pub(crate) fn of_sidecar(sidecar: &Sidecar, written: &Take) -> Result<LoopInFile, Failure> {
    LoopInFile::from_sidecar(sidecar, written).map_err(contradicted)
}

fn contradicted(error: PlaceError) -> Failure {
    Failure::error(error).try_this(OTHER_SIDECAR)
}

/// The uncut frames that the loop was made from, relative to the same root. Errors: it was made from another take.
pub(crate) fn uncut(
    in_file: &LoopInFile,
    take: &Studied,
    sidecar: &Sidecar,
    written: &Take,
) -> Result<RootRelativeClip, Failure> {
    let uncut = in_file.uncut(sidecar, written, &take.analysis);
    uncut.map_err(|error| of_other_take(take, sidecar, &error))
}

/// The failure for a loop that was made from another take than this one.
pub(crate) fn of_other_take(take: &Studied, sidecar: &Sidecar, error: &PlaceError) -> Failure {
    if let Some(rig) = &sidecar.take.rig {
        return Failure::error(format!(
            "the loop is on the character \"{}\", and \"{}\" is on its own skeleton: they cannot be compared",
            rig.file, take.name
        ))
        .try_this("no --take; the loop is then measured by itself");
    }
    Failure::error(format!("\"{}\" is not the take of this loop: {error}", take.name))
        .try_this(format!("--take {}", sidecar.take.file))
}
