//! Reads passages that `cut` or `set` wrote, by the facts beside them.

use std::path::{Component, Path, PathBuf};

use loopwright_formats::{
    AnimationChoice, LoadedTake,
    loop_file::facts::TakeFacts,
    set::{ClipKind, Manifest, ManifestError, PassageFacts, SET_FILE, SetClip},
};
use loopwright_job::{AddedRoot, StoredLoop, Verdict, stated_space};
use loopwright_sets::{PassageInFile, check_passage};

use crate::{
    exit::Result,
    failures,
    files::{self, InputFile},
    memory,
    patterns::files_below,
    recipe::TakeArgs,
    written_loop,
};

/// A passage that `cut` or `set` wrote.
pub struct WrittenPassage {
    /// Its file, and the animation if the file holds several.
    pub place: InputFile,
    pub facts: PassageInFile,
    /// The loops that it begins and ends in, if they are beside it.
    loops: [Option<InputFile>; 2],
}

/// A passage with new measurements.
pub struct CheckedPassage {
    pub kind: ClipKind,
    pub file: LoadedTake,
    pub take: TakeFacts,
    pub verdict: Verdict,
    pub warnings: Vec<String>,
}

/// Lists the passages in a folder and below, sorted by name. Errors: a folder cannot be listed, or a set in it cannot be read.
pub fn below(folder: &Path) -> Result<Vec<WrittenPassage>> {
    let files = files_below(folder, files::is_take_of_a_folder)?;
    let mut passages = Vec::new();
    for files in files.chunk_by(|one, next| one.parent() == next.parent()) {
        passages.extend(of_files(files)?);
    }
    Ok(passages)
}

/// Lists the passages among files of one folder: those that `cut` wrote, and those that the set in the folder lists. Errors: the set cannot
/// be read.
pub fn of_files(files: &[PathBuf]) -> Result<Vec<WrittenPassage>> {
    let Some(first) = files.first() else {
        return Ok(Vec::new());
    };
    let path = first.with_file_name(SET_FILE);
    let set = match files::read_if_there(&path)?.map(|bytes| Manifest::from_json(&bytes)) {
        // Other programs may use the same file name.
        None | Some(Err(ManifestError::Format { .. })) => Manifest::default(),
        Some(read) => read.map_err(|error| failures::manifest(&path, error))?,
    };
    Ok(files
        .iter()
        .flat_map(|file| cut(file).map_or_else(|| of_set(file, &set), |passage| vec![passage]))
        .collect())
}

/// Resolves a name, if it is that of a file in the same folder.
fn beside(path: &Path, name: &str) -> Option<PathBuf> {
    let mut parts = Path::new(name).components();
    match (parts.next(), parts.next()) {
        (Some(Component::Normal(name)), None) => Some(path.with_file_name(name)),
        _ => None,
    }
}

/// Returns the loop in a file beside a passage, if the file is a loop.
fn loop_at(path: PathBuf, animation: Option<String>) -> Option<InputFile> {
    Some(InputFile::new(path, animation)).filter(|file| file.sidecar.is_some())
}

fn cut(path: &Path) -> Option<WrittenPassage> {
    let facts = PassageInFile::from(PassageFacts::from_json(
        &files::read_if_there(&path.with_extension("json")).ok()??,
    )?);
    let extension = files::extension(path).unwrap_or_default();
    let loops = facts
        .ends
        .each_ref()
        .map(|state| loop_at(beside(path, &format!("{}.{extension}", state.clip))?, None));
    Some(WrittenPassage {
        place: InputFile::new(path.to_owned(), None),
        facts,
        loops,
    })
}

fn of_set(path: &Path, set: &Manifest) -> Vec<WrittenPassage> {
    let own = path.file_name().map(|name| name.to_string_lossy());
    // The animation of a clip, if its file holds several.
    let animation_of = |clip: &SetClip| {
        let holds_several = set
            .clips
            .iter()
            .filter(|other| other.file == clip.file)
            .nth(1)
            .is_some();
        clip.animation.clone().filter(|_| holds_several)
    };
    set.clips
        .iter()
        .filter(|clip| Some(clip.file.as_str()) == own.as_deref())
        .filter_map(|clip| {
            let facts = PassageInFile::of_set(set, clip)?;
            let loops = facts.ends.each_ref().map(|state| {
                let clip = set.clip(&state.clip)?;
                loop_at(beside(path, &clip.file)?, animation_of(clip))
            });
            Some(WrittenPassage {
                place: InputFile::new(path.to_owned(), animation_of(clip)),
                facts,
                loops,
            })
        })
        .collect()
}

impl WrittenPassage {
    /// Measures the passage again. Errors: it, or a loop beside it, cannot be read.
    pub fn check(&self, reading: &TakeArgs) -> Result<CheckedPassage> {
        // The flags name the animation of the passage, not those of its loops.
        let of_loops = reading.of_animation(None);
        let [from, to] = self.loops.each_ref().map(|input| {
            input
                .as_ref()
                .map(|input| written_loop::read_playable(input, &of_loops, AddedRoot::Folded))
                .transpose()
        });
        let loops: [Option<StoredLoop>; 2] = [from?, to?];
        // The passage is in the space that its loops state.
        let space = loops
            .iter()
            .flatten()
            .next()
            .map_or(reading.space(), |stored| stated_space(reading.space(), &stored.sidecar));
        let InputFile { path, animation, .. } = &self.place;
        let animation = animation
            .as_deref()
            .map_or(AnimationChoice::Auto, AnimationChoice::Given);
        let mut soft = Vec::new();
        let file = files::read_take(path, &reading.settings(space, animation, memory::limits()), &mut soft)?;
        let verdict = check_passage(
            &file.take,
            &self.facts,
            loops
                .each_ref()
                .map(|stored| stored.as_ref().map(|stored| &stored.clip)),
            &reading.overrides(),
        )?;
        Ok(CheckedPassage {
            kind: self.facts.kind,
            take: file.facts(path.display().to_string()),
            file,
            verdict,
            warnings: soft.iter().map(ToString::to_string).collect(),
        })
    }
}

/// Whether a file is a passage whose loops have a root joint that was added to their rig. Errors: a set or a sidecar beside it cannot be
/// read.
pub fn has_added_root(path: &Path, reading: &TakeArgs) -> Result<bool> {
    for passage in of_files(&[path.to_owned()])? {
        for input in passage.loops.iter().flatten() {
            let sidecar = written_loop::read_sidecar(input, reading)?;
            if sidecar.is_some_and(|sidecar| sidecar.playback.root_joint_added) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

/// Whether `cut` wrote this file: it is then no loop, whatever its name.
pub fn is_cut(path: &Path) -> bool {
    cut(path).is_some()
}
