//! Reads takes from files and prints warnings on stderr.

use std::path::{Component, Path};
use std::{borrow::Cow, fs::File, io, sync::Arc, thread};

use loopwright_core::retarget::Given;
use loopwright_formats::loop_file::sha256;
use loopwright_formats::{
    AnimatedFile, Character, CharacterError, FileWarning, LoadedTake, ReadError, ReadSettings, Sidecar,
};
use loopwright_job::{self as job, CharacterTarget, Following, Studied, Study, StudyError};

use crate::recipe::{self, StudyArgs};
use crate::{
    args::RigArgs,
    exit::Failure,
    failures,
    files::{self, InputFile},
    memory, talk,
};

/// Reads the character that the settings name. Errors: it cannot be read, or settings are for a character and none is named.
pub(crate) fn study(args: StudyArgs) -> Result<Study, Failure> {
    let target = character_if(args.rig.as_deref(), args.map.as_deref(), args.bone_stretch)?;
    Study::new(args, target).map_err(|error| match error {
        StudyError::Recipe(error) => error.into(),
        other => Failure::error(other),
    })
}

/// Reads a file that another file names, up to so many bytes.
///
/// It must lie in the same folder or below, once all links are followed: otherwise a foreign file could make us copy files that
/// are not its own. Pipes and devices are refused, since reading them may wait for ever.
pub(crate) fn companion(of: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: &str| Err(io::Error::other(why.to_owned()));
    let name = Path::new(name);
    if !name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return refused("it does not lie in the same folder or below");
    }
    let folder = files::folder_of(of).canonicalize()?;
    let path = match folder.join(name).canonicalize() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return refused("there is no such file"),
        path => path?,
    };
    if !path.starts_with(&folder) {
        return refused("it is a link to a file that does not lie in the same folder or below");
    }
    // Before it is opened, since opening a pipe waits for its other end; after, in case it was exchanged meanwhile.
    if !path.metadata()?.is_file() {
        return refused("it is no file but a folder, a pipe or a device");
    }
    let file = File::open(&path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return refused("it is no file but a folder, a pipe or a device");
    }
    files::read_at_most(file, found.len(), most)
}

/// Reads a file as a take; soft problems go to `warnings`.
pub(crate) fn read_take(
    path: &Path,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, Failure> {
    read_loop(path, settings, None, warnings)
}

/// Reads a loop with the sidecar beside it. Errors: the file is another one than the sidecar describes.
pub(crate) fn read_loop(
    path: &Path,
    settings: &ReadSettings<'_>,
    sidecar: Option<&Sidecar>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, Failure> {
    let bytes = files::read_bytes(path)?;
    check_file(path, &bytes, sidecar)?;
    parse_take(path, &bytes, settings, warnings)
}

/// The bytes of a file as a take.
fn parse_take(
    path: &Path,
    bytes: &[u8],
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    let settings = ReadSettings {
        companions: Some(&companions),
        ..*settings
    };
    read_hashed(bytes, &files::stem(path), &settings, warnings).map_err(|error| failures::read(path, &error))
}

/// Bytes from which on a thread of its own is worth it.
const LARGE_BYTES: usize = 1 << 20;

/// Reads a take while another thread works out the hash of its file, where that takes a while.
pub(crate) fn read_hashed(
    bytes: &[u8],
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    if bytes.len() < LARGE_BYTES {
        return loopwright_formats::read_take(bytes, name, settings, warnings);
    }
    thread::scope(|scope| {
        let beside = thread::Builder::new().spawn_scoped(scope, || sha256(bytes)).ok();
        let read = loopwright_formats::read_without_hash(bytes, name, settings, warnings)?;
        let hash = beside.and_then(|hash| hash.join().ok());
        Ok(LoadedTake {
            file_sha256: Some(hash.unwrap_or_else(|| sha256(bytes))),
            ..read
        })
    })
}

/// Parses a file once, to read several of its animations.
pub(crate) fn open(path: &Path) -> Result<AnimatedFile, Failure> {
    open_loops(path, &[])
}

/// Parses a file of loops with the sidecars beside it. Errors: the file is another one than they describe.
pub(crate) fn open_loops(path: &Path, sidecars: &[Sidecar]) -> Result<AnimatedFile, Failure> {
    let bytes = files::read_bytes(path)?;
    check_file(path, &bytes, sidecars.first())?;
    parse(path, &bytes)
}

pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<AnimatedFile, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    AnimatedFile::parse_within(bytes, &files::stem(path), Some(&companions), &memory::limits())
        .map_err(|error| failures::read(path, &error))
}

/// Errors: the file is another one than its sidecar describes.
fn check_file(path: &Path, bytes: &[u8], sidecar: Option<&Sidecar>) -> Result<(), Failure> {
    let Some(Err(other)) = sidecar.map(|sidecar| sidecar.check_file(bytes)) else {
        return Ok(());
    };
    let beside = files::sidecar_path(path);
    Err(Failure::error(format!(
        "\"{}\" is not the file that \"{}\" describes: one of them was changed or replaced",
        path.display(),
        beside.display()
    ))
    .because(format!("SHA-256 of the file:  {}", other.found))
    .because(format!("stated beside it:     {}", other.stated))
    .try_this(format!(
        "make the loop again; if you changed it on purpose, take \"file_sha256\" out of \"{}\"",
        beside.display()
    )))
}

/// The character that flags name, if they name one. Errors: it cannot be read.
pub(crate) fn character_of(args: &RigArgs) -> Result<Option<Arc<CharacterTarget>>, Failure> {
    character_if(args.rig.as_deref(), args.map.as_deref(), args.bone_stretch)
}

fn character_if(
    rig: Option<&Path>,
    map: Option<&Path>,
    bone_stretch: Option<f64>,
) -> Result<Option<Arc<CharacterTarget>>, Failure> {
    rig.map(|rig| character(rig, map, bone_stretch).map(Arc::new))
        .transpose()
}

/// Reads the character that motion goes onto, and the map of its joints. Errors: one of them cannot be read.
pub(crate) fn character(
    path: &Path,
    map: Option<&Path>,
    bone_stretch: Option<f64>,
) -> Result<CharacterTarget, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    let settings = ReadSettings {
        companions: Some(&companions),
        limits: memory::limits(),
        ..ReadSettings::default()
    };
    let read = Character::read(&files::read_bytes(path)?, &files::stem(path), &settings);
    let character = read.map_err(|error| match error {
        CharacterError::Read(error) => {
            failures::read(path, &error).because("--rig names it as the character that takes the motion")
        }
        CharacterError::Body(error) => failures::body(error),
    })?;
    let map = map.map(|map| Ok::<_, Failure>((map.display().to_string(), joint_map(map)?)));
    let following = Following {
        map: map.transpose()?,
        bone_stretch,
    };
    CharacterTarget::new(path.display().to_string(), character, following)
        .map_err(|error| failures::target(path, error))
}

/// Reads a map of joints. Errors: it cannot be read.
fn joint_map(path: &Path) -> Result<Vec<(String, Given)>, Failure> {
    recipe::read_joint_map(&files::read_settings(path)?).map_err(|error| {
        Failure::cannot("read", path, error).try_this(
            "lines such as \"upperarm_l\" = \"LeftArm\" below [joints]; `loopwright retarget` with --save-map writes the map that is used without one",
        )
    })
}

/// Reads and analyses a take, and prints its warnings.
pub(crate) fn load(path: &Path, study: &Study) -> Result<Studied, Failure> {
    let input = InputFile::named(path);
    load_bytes(&input.path, files::read_bytes(&input.path)?, &studied_as(&input, study))
}

/// Returns how a file is studied: the animation that its name says goes before that of the flags.
fn studied_as<'a>(input: &InputFile, study: &'a Study) -> Cow<'a, Study> {
    let mut study = Cow::Borrowed(study);
    if input.animation.is_some() {
        study.to_mut().args.animation.clone_from(&input.animation);
    }
    study
}

/// Analyses a take whose bytes are read already, and prints its warnings.
pub(crate) fn load_bytes(path: &Path, bytes: Vec<u8>, study: &Study) -> Result<Studied, Failure> {
    let mut soft = Vec::new();
    let file = parse_take(path, &bytes, &study.reading(memory::limits()), &mut soft)?;
    // The analysis needs the room.
    drop(bytes);
    analysed(path, file, soft, study).inspect(warn)
}

/// Reads and analyses a take, or of a file without animations its skeleton at rest; prints warnings.
pub(crate) fn load_or_rest(path: &Path, study: &Study) -> Result<Studied, Failure> {
    let input = InputFile::named(path);
    let (path, study) = (&input.path, &studied_as(&input, study));
    let mut soft = Vec::new();
    let settings = study.reading(memory::limits());
    // The parsed file goes before the analysis begins: both are large.
    let (read, moves) = {
        let file = open(path)?;
        let moves = file.num_animations() > 0;
        let read = if moves {
            file.read(&settings, &mut soft)
        } else {
            file.read_rest(&settings, &mut soft)
        };
        (read.map_err(|error| failures::read(path, &error))?, moves)
    };
    let mut studied = analysed(path, read, soft, study)?;
    if !moves {
        studied.warnings.insert(0, job::Warning::AtRest);
    }
    warn(&studied);
    Ok(studied)
}

/// Analyses a take that was read with the warnings `soft`; all warnings are kept and not printed.
pub(crate) fn analysed(
    path: &Path,
    file: LoadedTake,
    soft: Vec<FileWarning>,
    study: &Study,
) -> Result<Studied, Failure> {
    (study.analyse(path.display().to_string(), file, soft)).map_err(|error| failures::study(path, error))
}

/// Prints the warnings about a take.
fn warn(studied: &Studied) {
    talk::warn_all(&studied.warnings);
}
