//! Reads takes from files and prints warnings on stderr.

use std::{
    fs::File,
    io,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use loopwright::{
    Analysis, BodyOverrides, Skeleton, Take,
    analysis::{BadFrameKind, Body, BodyError, FoundBy, TakeDefects, WeightedJoint},
    take::SmoothError,
};
use loopwright_formats::{
    AnimatedFile, AnimationChoice, Character, CharacterError, Format, LoadedTake, ReadError, ReadSettings, Sidecar,
    Source, SpaceSettings, UnitChoice, UpChoice, Warning, loop_file::facts::TakeFacts,
};

use crate::{
    args::RigArgs,
    exit::Failure,
    files, memory, output,
    recipe::{EditedBody, StudyArgs, TakeArgs},
    rig::{self, Following, Matched, Onto},
    talk,
};

/// A take with its analysis and warnings.
pub(crate) struct Loaded {
    pub(crate) path: PathBuf,
    pub(crate) file: LoadedTake,
    pub(crate) analysis: Analysis,
    /// Frequency above which the take was smoothed.
    pub(crate) smooth_hz: Option<f64>,
    /// The character that its loops go onto, if any.
    pub(crate) character: Option<TakesLoops>,
    pub(crate) warnings: Vec<String>,
}

/// A character that takes the loops of a take.
pub(crate) struct TakesLoops {
    onto: Arc<Onto>,
    pub(crate) matched: Matched,
}

/// How takes are read and studied, and the character that their loops go onto, which is read once for all of them.
pub(crate) struct Study {
    pub(crate) args: StudyArgs,
    onto: Option<Arc<Onto>>,
}

impl Study {
    /// Reads the character that the settings name. Errors: it cannot be read, or settings are for a character and none is named.
    pub(crate) fn of(args: StudyArgs) -> Result<Self, Failure> {
        args.check()?;
        let following = Following {
            map: args.map.as_deref(),
            bone_stretch: args.bone_stretch,
        };
        let onto = args.rig.as_deref().map(|rig| onto(rig, following)).transpose()?;
        Ok(Self {
            onto: onto.map(Arc::new),
            args,
        })
    }
}

impl From<TakeArgs> for Study {
    fn from(reading: TakeArgs) -> Self {
        Self {
            args: reading.into(),
            onto: None,
        }
    }
}

impl Loaded {
    /// The take itself.
    pub(crate) fn take(&self) -> &Take {
        &self.file.take
    }

    /// The file that its loops go into: the character's, or its own.
    pub(crate) fn goes_into(&self) -> &LoadedTake {
        (self.character.as_ref()).map_or(&self.file, |takes| &takes.onto.character.file)
    }

    /// The form of that file.
    pub(crate) fn form(&self, format: Format) -> Source {
        let file = self.goes_into();
        file.source.in_format(format, &file.take)
    }

    /// The body of its loops: the character's, or its own.
    pub(crate) fn body_of_loops(&self) -> EditedBody<'_> {
        match &self.character {
            Some(character) => EditedBody::of_character(&character.matched.pair.target),
            None => EditedBody::of_take(&self.analysis),
        }
    }

    /// Prints its warnings.
    fn warn(&self) {
        for warning in &self.warnings {
            talk::warn(warning);
        }
    }

    /// The facts at the start of every JSON answer.
    pub(crate) fn facts(&self) -> TakeFacts {
        TakeFacts {
            smooth_hz: self.smooth_hz,
            rig: self.character.as_ref().map(|character| character.matched.facts()),
            ..take_facts(&self.path, &self.file)
        }
    }
}

/// The facts of a take for JSON.
pub(crate) fn take_facts(path: &Path, file: &LoadedTake) -> TakeFacts {
    TakeFacts::from_source(path.display().to_string(), &file.take, &file.source)
}

/// Reads a file that another file names, up to so many bytes.
///
/// It must lie in the same folder or below, once all links are followed: otherwise a foreign file could make us copy files that
/// are not its own. Pipes and devices are refused, since reading them may wait for ever.
fn companion(of: &Path, name: &str, most: u64) -> io::Result<Vec<u8>> {
    let refused = |why: &str| Err(io::Error::other(why.to_owned()));
    let name = Path::new(name);
    if !name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
    {
        return refused("it does not lie in the same folder or below");
    }
    let folder = match of.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let folder = folder.canonicalize()?;
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
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, Failure> {
    read_loop(path, settings, None, warnings)
}

/// The same for a loop with the sidecar beside it. Errors: the file is another one than the sidecar describes.
pub(crate) fn read_loop(
    path: &Path,
    settings: &ReadSettings<'_>,
    sidecar: Option<&Sidecar>,
    warnings: &mut Vec<Warning>,
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
    warnings: &mut Vec<Warning>,
) -> Result<LoadedTake, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    let settings = ReadSettings {
        companions: Some(&companions),
        ..*settings
    };
    loopwright_formats::read_take(bytes, &files::stem(path), &settings, warnings)
        .map_err(|error| read_failure(path, &error))
}

/// Parses a file once, to read several of its animations.
pub(crate) fn open(path: &Path) -> Result<AnimatedFile, Failure> {
    open_loops(path, &[])
}

/// The same for a file of loops with the sidecars beside it. Errors: the file is another one than they describe.
pub(crate) fn open_loops(path: &Path, sidecars: &[Sidecar]) -> Result<AnimatedFile, Failure> {
    let bytes = files::read_bytes(path)?;
    check_file(path, &bytes, sidecars.first())?;
    parse(path, &bytes)
}

/// Parses the bytes of a file.
pub(crate) fn parse(path: &Path, bytes: &[u8]) -> Result<AnimatedFile, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    AnimatedFile::parse_within(bytes, &files::stem(path), Some(&companions), &memory::limits())
        .map_err(|error| read_failure(path, &error))
}

/// Errors: the file is another one than its sidecar describes.
fn check_file(path: &Path, bytes: &[u8], sidecar: Option<&Sidecar>) -> Result<(), Failure> {
    let Some(Err(other)) = sidecar.map(|sidecar| sidecar.check_file(bytes)) else {
        return Ok(());
    };
    let beside = output::sidecar_path(path);
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
pub(crate) fn onto_of(args: &RigArgs) -> Result<Option<Onto>, Failure> {
    let rig = args.rig.as_deref();
    rig.map(|rig| onto(rig, args.following())).transpose()
}

/// Reads the character that motion goes onto, and the map of its joints. Errors: one of them cannot be read.
pub(crate) fn onto(path: &Path, following: Following<'_>) -> Result<Onto, Failure> {
    let companions = |name: &str, most: u64| companion(path, name, most);
    let settings = ReadSettings {
        companions: Some(&companions),
        limits: memory::limits(),
        ..ReadSettings::default()
    };
    let read = Character::read(&files::read_bytes(path)?, &files::stem(path), &settings);
    let character = read.map_err(|error| match error {
        CharacterError::Read(error) => {
            read_failure(path, &error).because("--rig names it as the character that takes the motion")
        }
        CharacterError::Body(error) => body_failure(error),
    })?;
    Onto::new(path, character, following)
}

/// The failure for a file that is not a take.
pub(crate) fn read_failure(path: &Path, error: &ReadError) -> Failure {
    let more_memory = memory::hint();
    let listed = format!("`loopwright list {}`", path.display());
    let formats = format!("a file exported as {}", Format::names("or"));
    let hint = match error {
        ReadError::Animation(_) => &listed,
        ReadError::Memory { .. } => &more_memory,
        ReadError::NoSuchSkin { .. } => "--skin with one of those names, or its number from 0",
        _ if error.is_of_no_format() => &formats,
        _ => error.remedy(),
    };
    Failure::error(format!("cannot read \"{}\": {error}", path.display())).try_this(hint)
}

/// Reads and analyses a take, and prints its warnings.
pub(crate) fn load(path: &Path, study: &Study) -> Result<Loaded, Failure> {
    load_bytes(path, files::read_bytes(path)?, study)
}

/// The same for a file whose bytes are read already.
pub(crate) fn load_bytes(path: &Path, bytes: Vec<u8>, study: &Study) -> Result<Loaded, Failure> {
    let mut soft = Vec::new();
    let args = &study.args;
    let settings = args.settings(args.space(), AnimationChoice::Auto, memory::limits());
    let file = parse_take(path, &bytes, &settings, &mut soft)?;
    // The analysis needs the room.
    drop(bytes);
    analysed(path, file, &soft, study).inspect(Loaded::warn)
}

/// The same, or of a file that holds no animation its skeleton at rest.
pub(crate) fn load_or_rest(path: &Path, study: &Study) -> Result<Loaded, Failure> {
    let mut soft = Vec::new();
    let args = &study.args;
    let settings = args.settings(args.space(), AnimationChoice::Auto, memory::limits());
    // The parsed file goes before the analysis begins: both are large.
    let (read, moves) = {
        let file = open(path)?;
        let moves = file.num_animations() > 0;
        let read = match moves {
            true => file.read(&settings, &mut soft),
            false => file.read_rest(&settings, &mut soft),
        };
        (read.map_err(|error| read_failure(path, &error))?, moves)
    };
    let mut loaded = analysed(path, read, &soft, study)?;
    if !moves {
        let at_rest = "the file holds no animation; this is its skeleton at rest";
        loaded.warnings.insert(0, at_rest.to_owned());
    }
    loaded.warn();
    Ok(loaded)
}

/// Analyses a take that was read with the warnings `soft`; all warnings are kept and not printed.
pub(crate) fn analysed(
    path: &Path,
    mut file: LoadedTake,
    soft: &[Warning],
    Study { args, onto }: &Study,
) -> Result<Loaded, Failure> {
    let overrides = args.overrides();
    if let Some(hertz) = args.smooth {
        file.take = smoothed(&file.take, hertz, &overrides)?;
    }
    let mut warnings: Vec<String> = soft.iter().map(ToString::to_string).collect();
    let mut takes_loops = None;
    if let Some(onto) = onto {
        let from = rig::rig_of(&file.take, &file.source, &overrides).map_err(body_failure)?;
        let matched = onto.matched(path, from)?;
        warnings.extend(matched.warnings());
        takes_loops = Some(TakesLoops {
            onto: Arc::clone(onto),
            matched,
        });
    }
    let analysis = Analysis::with(&file.take, &overrides).map_err(body_failure)?;
    warnings.extend(study_warnings(
        file.take.skeleton(),
        &analysis.body,
        &analysis.defects,
        &analysis.joints,
    ));
    Ok(Loaded {
        path: path.to_owned(),
        file,
        analysis,
        smooth_hz: args.smooth,
        character: takes_loops,
        warnings,
    })
}

/// Removes motion faster than `hertz` from a take; poses before and after a jump are not mixed.
fn smoothed(take: &Take, hertz: f64, overrides: &BodyOverrides) -> Result<Take, Failure> {
    let body = Body::find(take, overrides).map_err(body_failure)?;
    let defects = TakeDefects::of(take, &take.world_tracks(), &body);
    take.smoothed(hertz, &defects.jumps).map_err(|error| match error {
        SmoothError::Frequency { found, limit, rate } => Failure::error(format!(
            "--smooth must lie above 0 and up to {limit:.4} Hz, found {found:?}"
        ))
        .because(format!(
            "{rate:.4} frames per second show nothing faster; walks need about 6 Hz, fast kicks 12"
        ))
        .try_this("--smooth 6"),
        other => Failure::error(other),
    })
}

/// The space that a sidecar states for its loop; the user's settings take precedence.
///
/// Unknown axes or units in the sidecar have no effect, since it may have been edited by hand.
pub(crate) fn stated_space(args: &TakeArgs, sidecar: &Sidecar) -> SpaceSettings {
    let (asked, stated) = (args.space(), sidecar.space());
    SpaceSettings {
        up: match asked.up {
            UpChoice::Auto => stated.up,
            asked => asked,
        },
        unit: match asked.unit {
            UnitChoice::Auto => stated.unit,
            asked => asked,
        },
    }
}

/// Turns an error about the body, such as a missing joint, into a failure with something to try.
pub(crate) fn body_failure(error: BodyError) -> Failure {
    let failure = Failure::error(&error);
    match error {
        BodyError::NoSuchJoint { similar, .. } if !similar.is_empty() => {
            failure.try_this(format!("one of: {}", similar.join(", ")))
        }
        BodyError::ContactLimit { limit, .. } => failure.try_this(format!(
            "--contact-{limit} {}",
            if limit == "speed" { "0.3" } else { "0.03" }
        )),
        BodyError::Weight { .. } => failure.try_this("--joint-weight 'Head=0' or --joint-weight '*Hand*=1'"),
        _ => failure.try_this("`loopwright inspect TAKE --json` lists the joints"),
    }
}

/// Findings of an analysis that the user should know.
pub(crate) fn study_warnings(
    skeleton: &Skeleton,
    body: &Body,
    defects: &TakeDefects,
    joints: &[WeightedJoint],
) -> Vec<String> {
    let mut warnings = Vec::new();
    for (kind, why) in [
        (BadFrameKind::Jump, "the pose jumps there"),
        (BadFrameKind::Frozen, "frozen or doubled"),
    ] {
        let bad = defects.bad_frames.iter().filter(|bad| bad.kind == kind);
        let frames: Vec<usize> = bad.map(|bad| bad.frame).collect();
        if !frames.is_empty() {
            warnings.push(format!(
                "the search does not use {} as an end of a loop: {why}",
                list_frames(&frames)
            ));
        }
    }
    for flipping in &defects.flipping {
        let is_weighed = joints
            .iter()
            .any(|known| known.joint == flipping.joint && known.weight > 0.0);
        warnings.push(format!(
            "joint {} flips {} (up to {:.0} degrees in one frame); {}",
            skeleton.joint(flipping.joint).name,
            if flipping.count == 1 {
                "once".to_owned()
            } else {
                format!("{} times", flipping.count)
            },
            flipping.largest.to_degrees(),
            if is_weighed {
                "the search uses it because you gave it a weight"
            } else {
                "the search ignores it"
            }
        ));
    }
    match body.found_by {
        FoundBy::Geometry => warnings.push(format!(
            "no feet found by name; using the lowest joints: {}",
            feet_names(skeleton, body)
        )),
        FoundBy::AllLeaves => warnings.push(format!(
            "no feet found by name or position, so none stands; comparing every end of a limb: {} (name feet with --feet)",
            feet_names(skeleton, body)
        )),
        FoundBy::Given | FoundBy::Names => {}
    }
    warnings
}

/// Names of the feet, as text.
pub(crate) fn feet_names(skeleton: &Skeleton, body: &Body) -> String {
    const MOST: usize = 8;
    let feet = &body.feet;
    let mut names: Vec<&str> = feet
        .iter()
        .take(MOST)
        .map(|foot| skeleton.joint(foot.ankle).name.as_str())
        .collect();
    if feet.len() > MOST {
        names.push("...");
    }
    names.join(", ")
}

/// Frame numbers as runs: "frames 0, 17-19".
pub(crate) fn list_frames(frames: &[usize]) -> String {
    const MOST: usize = 8;
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for &frame in frames {
        match runs.last_mut() {
            Some(run) if run.1 + 1 == frame => run.1 = frame,
            _ => runs.push((frame, frame)),
        }
    }
    let mut parts: Vec<String> = runs
        .iter()
        .take(MOST)
        .map(|&(from, to)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from}-{to}")
            }
        })
        .collect();
    if runs.len() > MOST {
        parts.push(format!("and {} more", runs.len() - MOST));
    }
    let noun = if frames.len() == 1 { "frame" } else { "frames" };
    format!("{noun} {}", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_listed_as_runs() {
        assert_eq!(list_frames(&[0]), "frame 0");
        assert_eq!(list_frames(&[0, 17, 18, 19]), "frames 0, 17-19");
    }
}
