//! Reads loops back: the file, its sidecar, and the take they were cut from.

use std::{
    fmt::Display,
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use loopwright_core::{Take, motion::SkeletonDifference};
use loopwright_formats::{
    AnimatedFile, AnimationChoice, FileWarning, LoadedTake, LoopInFile, ReadSettings, Sidecar, SidecarError, Source,
    loop_file::{PackSidecar, PlaceError, facts::TakeFacts},
};
use loopwright_job::{AddedRoot, CharacterTarget, StoredLoop, StoredLoopError, Studied, stated_space};

use crate::{
    animations::{self, Excluded},
    exit::{Failure, Result},
    failures,
    files::{self, InputFile},
    load, memory,
    patterns::Pattern,
    recipe::TakeArgs,
    talk,
};

/// A loop as read from its file, or any other file that may be a loop.
#[derive(Clone)]
pub struct WrittenLoop {
    pub sidecar: Option<Sidecar>,
    /// The keys, on the take's own skeleton.
    pub written: Take,
    /// The form of the file.
    pub source: Source,
    pub facts: TakeFacts,
    pub warnings: Vec<String>,
}

/// Reads a loop and its sidecar. Errors: either cannot be read, or they do not belong together.
pub fn read(input: &InputFile, flags: &TakeArgs) -> Result<WrittenLoop> {
    let sidecar = read_sidecar(input, flags)?;
    let reading = &input.reading(flags);
    let mut warnings = Vec::new();
    WrittenLoop::of(
        &input.path,
        files::read_loop(
            &input.path,
            &settings(reading, sidecar.as_ref()),
            sidecar.as_ref(),
            &mut warnings,
        )?,
        sidecar,
        &warnings,
    )
}

impl WrittenLoop {
    /// Creates a loop from a file that was read with these warnings. Errors: the file is not the one that the sidecar describes.
    pub fn of(path: &Path, file: LoadedTake, sidecar: Option<Sidecar>, warnings: &[FileWarning]) -> Result<Self> {
        let facts = file.facts(path.display().to_string());
        Ok(Self {
            written: match &sidecar {
                Some(sidecar) => sidecar.without_added_root(file.take).map_err(|_| no_root_joint(path))?,
                None => file.take,
            },
            source: file.source,
            sidecar,
            facts,
            warnings: warnings.iter().map(ToString::to_string).collect(),
        })
    }

    /// Whether the file has a root joint above those of the take.
    pub fn has_added_root(&self) -> bool {
        self.sidecar
            .as_ref()
            .is_some_and(|sidecar| sidecar.playback.root_joint_added)
    }
}

/// A file of several loops and the JSON beside it, each parsed once.
pub struct LoopsInFile {
    path: PathBuf,
    file: AnimatedFile,
    sidecars: Vec<Sidecar>,
}

impl LoopsInFile {
    /// Opens a file of loops and its sidecar. Errors: either cannot be read.
    fn open(input: &InputFile) -> Result<Self> {
        let sidecars = all_sidecars(input)?;
        Ok(Self {
            file: files::read_described(&input.path, &sidecars)?,
            sidecars,
            path: input.path.clone(),
        })
    }

    /// Returns the file that is open already, or opens this one. Errors: those of [`Self::open`].
    pub fn kept<'a>(opened: &'a mut Option<Self>, input: &InputFile) -> Result<&'a Self> {
        if opened.as_ref().is_none_or(|opened| opened.path != input.path) {
            *opened = None;
        }
        match opened {
            Some(opened) => Ok(opened),
            None => Ok(opened.insert(Self::open(input)?)),
        }
    }

    /// Reads one of the loops, like [`read`].
    pub fn read(&self, reading: &TakeArgs) -> Result<WrittenLoop> {
        let wanted = reading.animation.as_deref();
        let sidecar = sidecar_of(&self.path, &self.sidecars, wanted, |wanted| {
            names_of(&self.path, &self.file, wanted)
        })?;
        let mut warnings = Vec::new();
        WrittenLoop::of(
            &self.path,
            self.file
                .read(&settings(reading, sidecar.as_ref()), &mut warnings)
                .map_err(|error| files::cannot_read(&self.path, &error))?,
            sidecar,
            &warnings,
        )
    }
}

fn no_root_joint(path: &Path) -> Failure {
    failure!(
        "\"{}\" has no root joint above the hips, though its sidecar says so",
        path.display()
    )
    .try_this(OTHER_SIDECAR)
}

/// Settings for reading a loop. The animation is the one that the sidecar names, else the one requested, else one that is named like a
/// loop. If one is requested, [`read_sidecar`] returns no sidecar of another.
pub fn settings<'a>(reading: &'a TakeArgs, sidecar: Option<&'a Sidecar>) -> ReadSettings<'a> {
    // A loop is in the space of its take, which the sidecar states.
    let space = sidecar.map_or(reading.space(), |sidecar| stated_space(reading.space(), sidecar));
    let named = sidecar.and_then(|sidecar| sidecar.playback.animation.as_deref());
    let settings = reading.settings(space, AnimationChoice::Loop, memory::limits());
    ReadSettings {
        animation: named.map_or(settings.animation, AnimationChoice::Given),
        ..settings
    }
}

/// Puts a loop onto a character by its pose alone, and prints warnings about it.
pub fn on_character(read: StoredLoop, target: &Arc<CharacterTarget>, reading: &TakeArgs) -> Result<StoredLoop> {
    let file = read.facts.file.clone();
    let matched = load::matched(Path::new(&file), &read.file, target, reading)?;
    talk::warn_of(&file, matched.warnings());
    Ok(read.on_character(&matched)?)
}

/// Words why a file gives no usable loop; `path` is the file's own.
pub fn unusable(path: &Path, error: StoredLoopError) -> Failure {
    match error {
        StoredLoopError::Place(PlaceError::NoRootJoint) => no_root_joint(path),
        StoredLoopError::Place(error) => contradicted(error),
        StoredLoopError::Keys(error) => apart(path, &error),
        StoredLoopError::Body(error) => error.into(),
        StoredLoopError::Mirror(error) => error.into(),
        StoredLoopError::Write(error) => failures::write(error),
        other => Failure::error(other),
    }
}

/// Reads a loop that must have its sidecar, and prints warnings about it.
///
/// Errors: there is no sidecar, either file cannot be read, or they do not belong together.
pub fn read_playable(input: &InputFile, flags: &TakeArgs, added_root: AddedRoot) -> Result<StoredLoop> {
    match read_sidecar(input, flags)? {
        Some(sidecar) => read_described(input, sidecar, flags, added_root),
        None => Err(not_described(input)),
    }
}

/// Words why a loop without a sidecar cannot be used.
fn not_described(input: &InputFile) -> Failure {
    let path = input.path.display();
    if input.sidecar.is_some() {
        return failure!("the sidecar beside \"{path}\" is of another animation")
            .because("the sidecar holds the root motion and the period of the loop")
            .try_this(format!("one of its loops: `loopwright check {path}` lists them"));
    }
    // If the file itself is missing, report that first.
    if let Err(failure) = files::read_bytes(&input.path) {
        return failure;
    }
    failure!("\"{path}\" has no sidecar beside it")
        .because("the sidecar holds the root motion and the period of the loop")
        .try_this(format!(
            "`loopwright make` writes loops with their sidecars; keep \"{}\" beside the loop",
            input.path.with_added_extension(files::SIDECAR).display()
        ))
}

/// Reads a loop whose sidecar is read already, and prints warnings about it. Errors: it cannot be read, or they do not belong together.
pub fn read_described(
    input: &InputFile,
    sidecar: Sidecar,
    flags: &TakeArgs,
    added_root: AddedRoot,
) -> Result<StoredLoop> {
    let (path, reading) = (&input.path, input.reading(flags));
    let settings = settings(&reading, Some(&sidecar));
    let mut warnings = Vec::new();
    let file = files::read_loop(path, &settings, Some(&sidecar), &mut warnings)?;
    talk::warn_of(path.display(), &warnings);
    StoredLoop::new(&path.display().to_string(), file, sidecar, added_root).map_err(|error| unusable(path, error))
}

/// The failure for a loop that does not match its sidecar.
pub fn apart(path: &Path, error: &dyn Display) -> Failure {
    failure!("\"{}\" and its sidecar do not belong together: {error}", path.display()).try_this("make the loop again")
}

/// Expands a list of paths: a folder into the loops in it, that is its files with a sidecar, and a pattern into the files that match it,
/// sorted by name.
///
/// Errors: a folder cannot be listed, or holds no loop; nothing matches a pattern; or a name belongs to no file, most likely since it is
/// mistyped.
fn with_folders(paths: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut named = paths.iter().filter(|path| Pattern::new(path).is_none());
    named.try_for_each(|path| files::check_is_there(path))?;
    let mut loops = Vec::new();
    for path in paths {
        if !path.is_dir() {
            loops.extend(Pattern::files_of(path)?.unwrap_or_else(|| vec![path.clone()]));
            continue;
        }
        let mut found = fs::read_dir(path)
            .and_then(Iterator::collect::<io::Result<Vec<_>>>)
            .map_err(|error| Failure::cannot("list", path, error))?
            .iter()
            .map(fs::DirEntry::path)
            .filter(|file| file.is_file() && files::has_sidecar(file))
            .collect::<Vec<PathBuf>>();
        if found.is_empty() {
            return Err(failure!("there is no loop in the folder \"{}\"", path.display())
                .because("loops have their sidecar beside them: walk-loop.bvh and walk-loop.bvh.json")
                .try_this("`loopwright make TAKE -o FOLDER/NAME.bvh`"));
        }
        found.sort();
        loops.extend(found);
    }
    Ok(loops)
}

/// Lists the loops of a file. If it has several animations that are loops by their names or by the JSON beside it, these are the requested
/// ones of them; otherwise it is the file itself.
///
/// A file or sidecar that cannot be read is not reported here; reading the loop reports it later. Errors: no animation matches, or no loop
/// is left.
pub fn loops_of(input: &InputFile, flags: &TakeArgs, excluded: Excluded) -> Result<Vec<InputFile>> {
    let path = &input.path;
    let one = || vec![input.clone()];
    // Formats without named animations are not opened here, since the file may be large.
    if files::format_of_name(path).is_some_and(|format| !format.capabilities().holds_animations) {
        return Ok(one());
    }
    let Ok(file) = files::read_animated(path) else {
        return Ok(one());
    };
    let described: Vec<String> = sidecars_beside(path)
        .into_iter()
        .filter_map(|sidecar| sidecar.playback.animation)
        .collect();
    let loops_without = |excluded| {
        let names = animations::asked_for(path, &file, input.wanted(flags), excluded)?
            .into_iter()
            .map(|number| &file.animation_names()[number]);
        Ok::<Vec<String>, Failure>(
            names
                .filter(|name| name.ends_with("-loop") || described.contains(name))
                .cloned()
                .collect(),
        )
    };
    let (all, left) = (loops_without(Excluded::NONE)?, loops_without(excluded)?);
    match (left.len(), left.len() < all.len()) {
        (0, true) => Err(animations::none_left(path, "loop")),
        (0 | 1, false) => Ok(one()),
        _ => Ok(left.into_iter().map(|name| input.with_animation(name)).collect()),
    }
}

/// Returns all facts of loops in the JSON beside a file; none if it cannot be read.
fn sidecars_beside(path: &Path) -> Vec<Sidecar> {
    files::read_if_there(&path.with_added_extension(files::SIDECAR))
        .ok()
        .flatten()
        .and_then(|bytes| Sidecar::all_from_json(&bytes).ok())
        .unwrap_or_default()
}

/// Adds the facts of loops that remain in a file into which others were written; `bytes` are the new contents of the file.
pub fn keep_other_loops(loops: &mut Vec<Sidecar>, path: &Path, bytes: &[u8]) {
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

/// Returns the JSON beside a file into which a loop was written: the facts of the loop, and of the other loops in the file.
pub fn with_other_loops(sidecar: &Sidecar, path: &Path, bytes: &[u8]) -> Result<String, SidecarError> {
    let mut loops = vec![sidecar.clone()];
    keep_other_loops(&mut loops, path, bytes);
    if loops.len() == 1 {
        return sidecar.to_json();
    }
    PackSidecar {
        warnings: sidecar.warnings.clone(),
        outputs: sidecar.outputs.clone(),
        loops,
        ..PackSidecar::new(sidecar.take.file.clone())
    }
    .to_json()
}

/// Lists all requested loops in these files and folders; a file may hold several.
pub fn all_loops(paths: &[PathBuf], flags: &TakeArgs) -> Result<Vec<InputFile>> {
    let mut loops = Vec::new();
    for path in with_folders(paths)? {
        loops.extend(loops_of(&InputFile::named(&path), flags, Excluded::NONE)?);
    }
    Ok(loops)
}

/// Reads one or more loops, each with its sidecar and all on the same skeleton: that of a character, if there is one, and their own skeletons
/// may then differ.
pub fn read_all_onto(
    names: &[InputFile],
    reading: &TakeArgs,
    target: Option<&Arc<CharacterTarget>>,
) -> Result<Vec<StoredLoop>> {
    let loops = names
        .iter()
        .map(|name| match target {
            None => read_playable(name, reading, AddedRoot::Kept),
            Some(target) => on_character(read_playable(name, reading, AddedRoot::Folded)?, target, reading),
        })
        .collect::<Result<Vec<_>, _>>()?;
    same_skeletons(names, &loops)?;
    Ok(loops)
}

/// Errors: the loops have different skeletons.
pub fn same_skeletons(names: &[impl Display], loops: &[StoredLoop]) -> Result<()> {
    for (name, other) in names.iter().zip(loops) {
        if let Some(difference) = SkeletonDifference::between(loops[0].clip.skeleton(), other.clip.skeleton()) {
            return Err(failure!("\"{name}\" has another skeleton than \"{}\"", names[0])
                .because(difference)
                .try_this("loops made from takes of one skeleton, all with --add-root or none"));
        }
    }
    Ok(())
}

/// A hint for a loop and a sidecar that contradict each other.
pub const OTHER_SIDECAR: &str = "make the loop again, or remove the sidecar to check the loop by its keys alone";

/// Reads the sidecar of a loop. `None` if there is none, or if it belongs to another animation than the one requested; the
/// latter is reported.
///
/// Errors: the sidecar exists but cannot be read, or the file has no animation as requested.
pub fn read_sidecar(input: &InputFile, flags: &TakeArgs) -> Result<Option<Sidecar>> {
    sidecar_of(&input.path, &all_sidecars(input)?, input.wanted(flags), |wanted| {
        names_of(&input.path, &files::read_animated(&input.path)?, wanted)
    })
}

/// Returns the sidecar of the animation with this name; `None` if the animation is no loop. Errors: the JSON beside the file cannot be
/// read.
pub fn sidecar_named(input: &InputFile, animation: &str) -> Result<Option<Sidecar>> {
    let mut sidecars = all_sidecars(input)?.into_iter();
    Ok(sidecars.find(|sidecar| {
        sidecar
            .playback
            .animation
            .as_ref()
            .is_none_or(|named| named == animation)
    }))
}

/// Returns all facts of loops in the JSON beside a file; none if there is no such JSON. Errors: it cannot be read.
fn all_sidecars(input: &InputFile) -> Result<Vec<Sidecar>> {
    let Some(beside) = &input.sidecar else {
        return Ok(Vec::new());
    };
    Sidecar::all_from_json(&files::read_json(beside)?).map_err(|error| {
        Failure::cannot("read the sidecar", beside, error).try_this("remove it to check the loop by its keys alone")
    })
}

/// Selects the sidecar of the requested animation from those beside a file; prints which one if there are several, or that there is none.
/// `matching` lists the animations of the file that match a request. Errors: those of `matching`.
fn sidecar_of(
    path: &Path,
    sidecars: &[Sidecar],
    wanted: Option<&str>,
    matching: impl FnOnce(&str) -> Result<Vec<String>>,
) -> Result<Option<Sidecar>> {
    let Some(wanted) = wanted else {
        if sidecars.len() > 1
            && let Some(named) = sidecars.last().and_then(|last| last.playback.animation.as_ref())
        {
            note!(
                "{} holds {} loops; using \"{named}\", --animation names another",
                path.display(),
                sidecars.len()
            );
        }
        return Ok(sidecars.last().cloned());
    };
    let mut all = sidecars.iter();
    let exact = all
        .find(|sidecar| sidecar.playback.animation.as_deref() == Some(wanted))
        // The only loop of a file without animations has no name.
        .or_else(|| sidecars.iter().find(|sidecar| sidecar.playback.animation.is_none()));
    if sidecars.is_empty() || exact.is_some() {
        return Ok(exact.cloned());
    }
    let matching = matching(wanted)?;
    for sidecar in sidecars {
        if sidecar
            .playback
            .animation
            .as_ref()
            .is_some_and(|named| matching.contains(named))
        {
            return Ok(Some(sidecar.clone()));
        }
    }
    let of = match sidecars {
        [one] => format!(
            "the animation \"{}\"",
            one.playback.animation.as_deref().unwrap_or_default()
        ),
        others => format!("{} other animations", others.len()),
    };
    note!(
        "{}: its sidecar is of {of} and is not used for \"{wanted}\"",
        path.display()
    );
    Ok(None)
}

/// Returns the names of the animations that match. Errors: none does.
fn names_of(path: &Path, file: &AnimatedFile, wanted: &str) -> Result<Vec<String>> {
    Ok(file
        .animations_matching(wanted)
        .map_err(|error| files::cannot_read(path, &error))?
        .into_iter()
        .map(|number| file.animation_names()[number].clone())
        .collect())
}

/// Returns the loop that the sidecar describes. Errors: file and sidecar contradict each other.
pub fn of_sidecar(sidecar: &Sidecar, written: &Take) -> Result<LoopInFile> {
    LoopInFile::from_sidecar(sidecar, written).map_err(contradicted)
}

fn contradicted(error: PlaceError) -> Failure {
    Failure::error(error).try_this(OTHER_SIDECAR)
}

/// The failure for a loop that was made from another take than this one. `alone` names the command without the take; `flag` stands before
/// the name of a take.
pub fn of_other_take(take: &Studied, sidecar: &Sidecar, error: &PlaceError, [alone, flag]: [&str; 2]) -> Failure {
    if let Some(rig) = &sidecar.take.rig {
        return failure!(
            "the loop is on the character \"{}\", and \"{}\" is on its own skeleton: they cannot be compared",
            rig.file,
            take.name
        )
        .try_this(alone);
    }
    failure!("\"{}\" is not the take of this loop: {error}", take.name).try_this(format!("{flag}{}", sidecar.take.file))
}
