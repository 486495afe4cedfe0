//! Studies takes, puts them onto characters, and words their failures.

use std::{borrow::Cow, path::Path, sync::Arc};

use loopwright_core::{retarget::MapError, take::SmoothError};
use loopwright_formats::{AnimationChoice, Character, CharacterError, FileWarning, LoadedTake, ReadSettings};
use loopwright_job::{
    self as job, CharacterTarget, Following, Matched, Studied, Study, StudyError, TargetError, recipe::ReferencePose,
};

use crate::{
    args::RigArgs,
    exit::{Failure, Result},
    files::{self, InputFile},
    memory,
    recipe::{self, StudyArgs, TakeArgs},
    talk,
};

/// Reads the character that the settings name. Errors: it cannot be read, or settings need a character and none is named.
pub fn study(args: StudyArgs) -> Result<Study> {
    let target = args
        .rig
        .as_deref()
        .map(|rig| character(rig, (args.map.as_deref(), args.bone_stretch), &args.reading()))
        .transpose()?;
    let avatars = (args.rig.is_none() && ReferencePose::is_stated(args.reference.as_ref()))
        .then(|| following(None, &args.reading()))
        .transpose()?;
    let study = Study::new(args, target).map_err(|error| match error {
        StudyError::Recipe(error) => error.into(),
        other => Failure::error(other),
    })?;
    Ok(match avatars {
        Some(following) => study.for_avatars(following),
        None => study,
    })
}

/// Returns the settings for reading a take as these say, or the animation that counts most in it.
pub fn settings(reading: &TakeArgs) -> ReadSettings<'_> {
    reading.settings(reading.space(), AnimationChoice::Auto, memory::limits())
}

/// Reads the takes that the settings of a motion name. Errors: one cannot be read.
pub fn following(bone_stretch: Option<f64>, reading: &TakeArgs) -> Result<Following, Failure> {
    Following::new(bone_stretch, reading, |path| {
        files::read_take(path, &settings(reading), &mut Vec::new())
    })
}

/// Reads the character that flags name, if any. Errors: it cannot be read.
pub fn character_of(args: &RigArgs, reading: &TakeArgs) -> Result<Option<Arc<CharacterTarget>>> {
    args.rig
        .as_deref()
        .map(|rig| character(rig, (args.map.as_deref(), args.bone_stretch), reading))
        .transpose()
}

/// Reads the character that motion goes onto, the map of its joints, and the takes that the settings of the motion name. Errors:
/// one of them cannot be read.
pub fn character(
    path: &Path,
    (map, bone_stretch): (Option<&Path>, Option<f64>),
    reading: &TakeArgs,
) -> Result<Arc<CharacterTarget>> {
    let companions = |name: &str, most: u64| files::companion(path, name, most);
    let read = Character::read(
        &files::read_bytes(path)?,
        &files::stem(path),
        &ReadSettings {
            companions: Some(&companions),
            limits: memory::limits(),
            ..ReadSettings::default()
        },
    );
    let character = read.map_err(|error| match error {
        CharacterError::Read(error) => {
            files::cannot_read(path, &error).because("--rig names it as the character that takes the motion")
        }
        CharacterError::Body(error) => error.into(),
    })?;
    let mut following = following(bone_stretch, reading)?;
    if let Some(map) = map {
        let joints = recipe::read_joint_map(&files::read_settings(map)?).map_err(|error| {
            Failure::cannot("read", map, error).try_this(
                "lines such as \"upperarm_l\" = \"LeftArm\" below [joints]; `loopwright retarget` with --save-map writes the map that is used without one",
            )
        })?;
        following.map = Some((map.display().to_string(), joints));
    }
    CharacterTarget::new(path.display().to_string(), character, following)
        .map(Arc::new)
        .map_err(|error| match error {
            TargetError::NoSkeleton(error) => joints(&error).of_file(path),
            TargetError::Recipe(error) => error.into(),
            other => Failure::error(other),
        })
}

/// Reads and analyses a take, and prints its warnings.
pub fn load(input: &InputFile, study: &Study) -> Result<Studied> {
    load_bytes(&input.path, files::read_bytes(&input.path)?, &studied_as(input, study))
}

/// Returns the settings for studying a file: the animation in its name takes precedence over that of the flags.
fn studied_as<'a>(input: &InputFile, study: &'a Study) -> Cow<'a, Study> {
    let mut study = Cow::Borrowed(study);
    if input.animation.is_some() {
        study.to_mut().args.animation.clone_from(&input.animation);
    }
    study
}

/// Analyses a take whose bytes are read already, and prints its warnings.
pub fn load_bytes(path: &Path, bytes: Vec<u8>, study: &Study) -> Result<Studied> {
    let mut soft = Vec::new();
    let file = files::parse_take(path, &bytes, &study.reading(memory::limits()), &mut soft)?;
    // Makes room for the analysis.
    drop(bytes);
    analysed(path, file, soft, study).inspect(warn)
}

/// Reads and analyses a take; a file without animations gives its skeleton at rest. Prints warnings.
pub fn load_or_rest(input: &InputFile, study: &Study) -> Result<Studied> {
    let (path, study) = (&input.path, &studied_as(input, study));
    let mut soft = Vec::new();
    let settings = study.reading(memory::limits());
    // The parsed file is dropped before the analysis begins, since both are large.
    let (read, moves) = {
        let file = files::read_animated(path)?;
        let moves = file.num_animations() > 0;
        let read = if moves {
            file.read(&settings, &mut soft)
        } else {
            file.read_rest(&settings, &mut soft)
        };
        (read.map_err(|error| files::cannot_read(path, &error))?, moves)
    };
    let mut studied = analysed(path, read, soft, study)?;
    if !moves {
        studied.warnings.insert(0, job::Warning::AtRest);
    }
    warn(&studied);
    Ok(studied)
}

/// Reads and analyses a take; all warnings are kept and not printed.
pub fn studied(path: &Path, settings: &ReadSettings, study: &Study) -> Result<Studied> {
    let mut soft = Vec::new();
    analysed(path, files::read_take(path, settings, &mut soft)?, soft, study)
}

/// Analyses a take that was read with the warnings `soft`; all warnings are kept and not printed.
pub fn analysed(path: &Path, file: LoadedTake, soft: Vec<FileWarning>, study: &Study) -> Result<Studied> {
    study
        .analyse(path.display().to_string(), file, soft)
        .map_err(|error| cannot_study(path, error))
}

/// Prints the warnings about a take.
fn warn(studied: &Studied) {
    talk::warn_all(&studied.warnings);
}

/// Matches the joints of a motion with those of a character; `path` is the motion's file. Errors: they do not match.
pub fn matched(path: &Path, file: &LoadedTake, target: &Arc<CharacterTarget>, reading: &TakeArgs) -> Result<Matched> {
    target
        .matched(file, &reading.overrides())
        .map_err(|error| cannot_study(path, error))
}

/// Words why a take cannot be studied; `path` is its file.
pub fn cannot_study(path: &Path, error: StudyError) -> Failure {
    match error {
        StudyError::Recipe(error) => error.into(),
        StudyError::Body(error) => error.into(),
        StudyError::Memory(memory) => {
            failure!("\"{}\" is too large: {error}", path.display()).try_this(memory::hint(memory.needed))
        }
        StudyError::Smooth(SmoothError::Frequency { found, limit, rate }) => {
            failure!("--smooth must lie above 0 and up to {limit:.4} Hz, found {found:?}")
                .because(format!(
                    "{rate:.4} frames per second show nothing faster; walks need about 6 Hz, fast kicks 12"
                ))
                .try_this("--smooth 6")
        }
        StudyError::Joints { error, map } => map
            .map(|map| format!("the map is \"{map}\""))
            .into_iter()
            .fold(joints(&error), Failure::because)
            .of_file(path),
        other => Failure::error(other),
    }
}

/// Words why the joints of a character and of a motion do not match.
fn joints(error: &MapError) -> Failure {
    let failure = Failure::error(error);
    match error {
        MapError::NoSuchJoint { similar, .. } if !similar.is_empty() => {
            failure.try_this(format!("one of: {}", similar.join(", ")))
        }
        MapError::NoSkeleton { .. } => failure.try_this(
            "a file whose mesh is bound to a skeleton: joints that hang from each other, exported with the skin (armature)",
        ),
        MapError::NothingMapped => {
            failure.try_this("--map FILE with lines such as \"upperarm_l\" = \"LeftArm\" below [joints]")
        }
        _ => failure.try_this("`loopwright retarget` with --save-map FILE, which writes the map that is used without one"),
    }
}
