//! A file that is parsed once and whose animations are read one by one.

use loopwright_core::{Skeleton, Take, analysis::guess_parts};

use crate::{
    animations,
    entry::ParsedFile,
    error::ReadError,
    excerpt::one_line,
    format::Format,
    leg_ends::with_leg_ends,
    limits::SizeLimits,
    loop_file::sha256,
    settings::{AnimationChoice, Companions, ReadSettings},
    source::LoadedTake,
    take_warning::warn_of_take,
    text,
    warning::FileWarning,
};

/// A file of any supported kind, parsed once; each of its animations is a take.
///
/// [`Self::take`] reads one by name. All of them, by number:
///
/// ```
/// # let walk = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default())?.take;
/// # let source = loopwright_formats::Source::for_take(&walk, loopwright_formats::Format::Glb);
/// # let bytes = loopwright_formats::write_take(&walk, &source)?.bytes;
/// use loopwright_formats::{AnimatedFile, AnimationChoice, ReadSettings};
///
/// let file = AnimatedFile::parse(&bytes, "pack", None)?;
/// for number in 0..file.num_animations() {
///     let settings = ReadSettings {
///         animation: AnimationChoice::Number(number),
///         ..ReadSettings::default()
///     };
///     let take = file.read(&settings, &mut Vec::new())?.take;
///     println!("{} lasts {:.2} s", file.animation_names()[number], take.duration_secs());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnimatedFile {
    name: String,
    names: Vec<String>,
    format: Format,
    content: Box<dyn ParsedFile>,
    sha256: String,
}

impl AnimatedFile {
    /// Parses the bytes of a file, except for its motion.
    ///
    /// `name` becomes the name of takes that have none in the file; usually it is the file's stem. `companions` reads other
    /// files that this one refers to, by a relative path and up to a number of bytes; `None` is enough for a file in one piece,
    /// as most `.glb` files are. Errors: [`ReadError`]; no input panics.
    pub fn parse(bytes: &[u8], name: &str, companions: Option<Companions>) -> Result<Self, ReadError> {
        Self::parse_within(bytes, name, companions, &SizeLimits::default())
    }

    /// Parses like [`Self::parse`], within limits. Errors: [`ReadError`]; no input panics.
    pub fn parse_within(
        bytes: &[u8],
        name: &str,
        companions: Option<Companions>,
        limits: &SizeLimits,
    ) -> Result<Self, ReadError> {
        let (format, content) = parsed(bytes, companions, limits)?;
        let content = content.into_owned();
        Ok(Self {
            name: name.to_owned(),
            names: if format.capabilities().holds_animations {
                content.animation_names().iter().map(|name| one_line(name)).collect()
            } else {
                vec![name.to_owned()]
            },
            format,
            content,
            sha256: sha256(bytes),
        })
    }

    /// Returns the number of animations in the file. A BVH or NPZ file has one.
    pub fn num_animations(&self) -> usize {
        self.names.len()
    }

    /// Returns the names of the animations in the order of the file; one without a name has its number, from 0.
    pub fn animation_names(&self) -> &[String] {
        &self.names
    }

    /// Finds all animations that match a name, a pattern or a number, and returns their numbers in the order of the file.
    ///
    /// A name matches exactly, else in any case, else behind a bar, as in `Armature|walk`; a pattern of `*` and `?` matches
    /// whole names in any case; a number counts from 0. Errors: [`ReadError::Animation`], if none matches, or if several names
    /// differ from the wanted one in case alone.
    pub fn animations_matching(&self, wanted: &str) -> Result<Vec<usize>, ReadError> {
        Ok(animations::matching(&self.names, wanted)?)
    }

    /// Reads the animation that the settings choose, like [`crate::read_take`]. Companions in the settings are not used.
    ///
    /// Errors: [`ReadError`]; no input panics, and memory stays in proportion to the bytes.
    pub fn read(&self, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake, ReadError> {
        Ok(LoadedTake {
            file_sha256: Some(self.sha256.clone()),
            ..read_warned(&*self.content, &self.name, settings, warnings)?
        })
    }

    /// Reads the take of an animation by name, pattern or number, in the space that its file states. Errors: as [`Self::read`].
    pub fn take(&self, animation: &str) -> Result<LoadedTake, ReadError> {
        self.read(
            &ReadSettings {
                animation: AnimationChoice::Given(animation),
                ..ReadSettings::default()
            },
            &mut Vec::new(),
        )
    }

    /// Reads a character: its skeleton at rest, or its first animation if only that shows which nodes are joints; and an
    /// animation of the same joints, if the file has one, which shows how it stands. Errors: as [`Self::read`].
    pub(crate) fn read_character(&self, settings: &ReadSettings) -> Result<(LoadedTake, Option<Take>), ReadError> {
        // The only motion of a file without animations comes with the skeleton.
        let has_animations = self.format.capabilities().holds_animations && self.num_animations() > 0;
        let motion = has_animations.then(|| self.read(settings, &mut Vec::new()));
        let at_rest = self.read_rest(settings, &mut Vec::new());
        match (at_rest, motion) {
            (Ok(mut at_rest), motion) => {
                let motion = motion.and_then(Result::ok).map(|motion| motion.take);
                let motion = motion.and_then(|motion| on_skeleton(&motion, at_rest.take.skeleton()));
                let parts = guess_parts(motion.as_ref().unwrap_or(&at_rest.take));
                let Some(parts) = parts else {
                    return Ok((at_rest, motion));
                };
                at_rest.take = at_rest.take.with_parts(parts.clone());
                Ok((at_rest, motion.map(|motion| motion.with_parts(parts))))
            }
            (Err(_), Some(motion)) => Ok((motion?, None)),
            (Err(error), None) => Err(error),
        }
    }

    /// Reads the skeleton as a take of one frame, in its pose without animation: for files that have none.
    ///
    /// Errors: [`ReadError`]; a BVH file without frames has no pose.
    pub fn read_rest(&self, settings: &ReadSettings, warnings: &mut Vec<FileWarning>) -> Result<LoadedTake, ReadError> {
        self.content
            .read_rest(&self.name, &within(settings, &*self.content)?, warnings)
    }
}

/// Parses a file of any kind, except for its motion: an unknown format is reported as a broken BVH file.
pub(crate) fn parsed<'a>(
    bytes: &'a [u8],
    companions: Option<Companions<'_>>,
    limits: &SizeLimits,
) -> Result<(Format, Box<dyn ParsedFile + 'a>), ReadError> {
    let limit = limits.max_input_bytes;
    if bytes.len() as u64 > limit {
        return Err(ReadError::TooLarge { limit });
    }
    let text = text::from_first_letter(bytes);
    let begins_with = |word: &[u8]| {
        text.get(..word.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    if begins_with(b"version https://git-lfs.github.com/spec/") {
        return Err(ReadError::LfsPointer);
    }
    if begins_with(b"<!doctype html") || begins_with(b"<html") {
        return Err(ReadError::WebPage);
    }
    let format = Format::detect(bytes).unwrap_or(Format::Bvh);
    Ok((format, (format.entry().parse)(bytes, companions, limits)?))
}

/// Reads an animation and warns about its oddities.
pub(crate) fn read_warned(
    file: &dyn ParsedFile,
    name: &str,
    settings: &ReadSettings<'_>,
    warnings: &mut Vec<FileWarning>,
) -> Result<LoadedTake, ReadError> {
    let num_before = warnings.len();
    let settings = within(settings, file)?;
    let mut loaded = file.read(name, &settings, warnings)?;
    loaded.limits = settings.limits;
    if let Some(factor) = settings.speed_up {
        loaded.take = loaded.take.sped_up(factor)?;
    }
    if let AnimationChoice::Given(wanted) = settings.animation
        && file.animation_names().is_empty()
        && animations::matching(&[name.to_owned()], wanted).is_err()
    {
        warnings.push(FileWarning::NoNames {
            wanted: one_line(wanted),
        });
    }
    warn_of_take(&loaded.take, num_before, warnings);
    if let Some(parts) = guess_parts(&loaded.take) {
        warnings.push(FileWarning::PartsGuessed);
        loaded.take = loaded.take.with_parts(parts);
    }
    Ok(with_leg_ends(loaded, file.bytes()))
}

/// Returns settings with limits for this file. Errors: their unit is implausible.
fn within<'a>(settings: &ReadSettings<'a>, file: &dyn ParsedFile) -> Result<ReadSettings<'a>, ReadError> {
    settings.check_unit()?;
    Ok(ReadSettings {
        limits: settings.limits.for_file(file.num_bytes() as u64),
        ..*settings
    })
}

/// Moves a take to a skeleton with the same joints, whose rest offsets may differ by the rounding of the file; `None` if joints
/// differ.
fn on_skeleton(take: &Take, skeleton: &Skeleton) -> Option<Take> {
    let [own, other] =
        [take.skeleton(), skeleton].map(|skeleton| skeleton.joints().iter().map(|joint| (&joint.name, joint.parent)));
    if !own.eq(other) {
        return None;
    }
    Take::from_poses(
        take.name(),
        skeleton.clone(),
        take.frame_time_secs(),
        (0..take.num_frames()).map(|frame| take.pose(frame).to_pose()),
    )
    .ok()
}

impl core::fmt::Debug for AnimatedFile {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        f.debug_struct("AnimatedFile")
            .field("name", &self.name)
            .field("animations", &self.names)
            .finish_non_exhaustive()
    }
}
