//! Writes takes and loops as the bytes of a file, in the form of a source.

use std::borrow::Cow;

use loopwright_core::{LoopClip, Take};
use serde_json::json;

use crate::{
    LoopInFile,
    error::WriteError,
    format::Format,
    keyed_motion::KeyedMotion,
    loop_file::{
        facts::FeetFacts,
        json,
        sidecar::{Sidecar, SidecarError},
    },
    set::CyclesFacts,
    settings::{ClosingKey, LoopWriteSettings},
    source::Source,
    written::WrittenFile,
};

/// How often a loop's file is held while it is made: as read, as written, as text, and as read back; measured.
const CARRIED_COPIES: u64 = 5;

/// Writes a take in the form of its source.
///
/// A BVH file gets the frame time of the take, in the source's own digits if it is the same. A joint that differs from its OFFSET
/// without having position channels is given some, and a joint with fewer than three rotation channels is rotated as accurately
/// as they allow; both are reported in the result. A glTF file keeps all contents and gets an animation of the take's name,
/// replacing one of that name; an FBX file likewise, but beside one of that name. Errors: [`WriteError`], if take and source have
/// different skeletons, or a value is out of range.
pub fn write_take(take: &Take, source: &Source) -> Result<WrittenFile, WriteError> {
    written(KeyedMotion::from_take(take, false), source)
}

/// Writes a motion as its format requires; a last key that the format cannot place is reported.
fn written(motion: KeyedMotion, source: &Source) -> Result<WrittenFile, WriteError> {
    let motion = motion.in_format(source.capabilities());
    let mut file = source.form().write(&motion)?;
    file.warnings.extend(motion.left_out());
    Ok(file)
}

/// Writes a take whose first joint is a root joint that its source lacks; otherwise like [`write_take`].
///
/// The root joint is written as [`write_loop`] writes an added one.
pub fn write_take_with_root(take: &Take, source: &Source) -> Result<WrittenFile, WriteError> {
    written(KeyedMotion::from_take(take, true), source)
}

/// Writes a loop in the form of the source it was cut from.
///
/// Keys are at multiples of the clip's step, the first at time zero. Without `add_root` the root motion is added to the joint
/// that carried it, see [`LoopClip::folded_pose`]. With it a new root joint with an unused name carries exactly the root, seen in
/// the file's axes; the former root becomes its child and holds the body. A closing key has each repeated joint at the same
/// rotation as the first key, to the last digit; in BVH its angles may differ by whole turns or be the alternative form.
/// Otherwise like [`write_take`].
///
/// Errors: [`WriteError`]; in addition to those of [`write_take`], no copies and too many keys.
pub fn write_loop(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<WrittenFile, WriteError> {
    write_loop_on_feet(clip, None, source, settings)
}

/// Writes a loop with its contacts, for formats that hold them.
pub(crate) fn write_loop_on_feet(
    clip: &LoopClip,
    feet: Option<&FeetFacts>,
    source: &Source,
    settings: &LoopWriteSettings,
) -> Result<WrittenFile, WriteError> {
    settings
        .limits
        .check_room(source.form().carried_bytes().saturating_mul(CARRIED_COPIES))?;
    written(KeyedMotion::from_loop(clip, feet, settings)?, source)
}

/// Writes the keys of a loop, given as a take on the joints of its source; formats that hold contacts get those of the facts.
///
/// Keys whose last step is shorter than the others become even samples in a format without times of keys. Otherwise like
/// [`write_take`].
pub fn write_keys(keys: &Take, facts: &Sidecar, source: &Source) -> Result<WrittenFile, WriteError> {
    let playback = &facts.playback;
    let must_be_even = playback.last_step.is_some() && !source.capabilities().has_key_times;
    let clip = must_be_even.then(|| LoopInFile::from_whole_file(facts, keys).ok()?.clip(keys).ok());
    let Some(clip) = clip.flatten() else {
        return written(KeyedMotion::from_keys(keys, facts), source);
    };
    let settings = LoopWriteSettings {
        closing_key: if playback.closing_key {
            ClosingKey::Repeat
        } else {
            ClosingKey::Drop
        },
        ..LoopWriteSettings::of_mode(facts.root_motion.mode)
    };
    write_loop_on_feet(&clip, facts.feet.as_ref(), source, &settings)
}

/// Returns the file of a loop with its facts inside, if the format supports it.
///
/// In glTF they are in the extras of the animation, without file names. `None` for other formats, or if the file holds no
/// animation of the name in `facts.playback.animation`.
pub fn with_facts(written: &WrittenFile, facts: &Sidecar) -> Option<Vec<u8>> {
    written.animation.as_ref()?;
    with_facts_of_all(&written.bytes, &[facts])
}

impl WrittenFile {
    /// Returns the bytes of the file of a loop, with its facts inside if the format supports it, and its sidecar with the names
    /// of the outputs, the file first and the sidecar second.
    pub fn named(&self, facts: Sidecar, outputs: Vec<String>) -> (Cow<'_, [u8]>, Sidecar) {
        let mut sidecar = Sidecar { outputs, ..facts };
        let bytes = with_facts(self, &sidecar).map_or(Cow::Borrowed(&*self.bytes), Cow::Owned);
        sidecar.state_file(&bytes);
        (bytes, sidecar)
    }

    /// Returns the file of a clip with the part of it that repeats stated inside, if the format supports it: in glTF in the
    /// extras of its animation.
    #[must_use]
    pub fn with_cycles(mut self, cycles: &CyclesFacts, frame_time_secs: f64) -> Self {
        let with_cycles = self.animation.as_deref().and_then(|name| {
            let write = Format::detect(&self.bytes)?.entry().facts.as_ref()?.write;
            let facts = json!({ "frame_time_secs": frame_time_secs, "cycles": cycles });
            write(&self.bytes, vec![(name, facts)])
        });
        self.bytes = with_cycles.unwrap_or(self.bytes);
        self
    }
}

/// Puts the facts of all loops of a file into it, as [`with_facts`] does.
pub(crate) fn with_facts_of_all(bytes: &[u8], facts: &[&Sidecar]) -> Option<Vec<u8>> {
    let named = facts.iter().map(|facts| {
        let mut value = json::to_value(facts).ok()?;
        let fields = value.as_object_mut()?;
        // Local paths belong only in the sidecar, no file holds its own hash, and a loop has the same bytes whatever its recipe.
        for beside in ["take", "recipe_sha256", "file_sha256", "outputs", "warnings"] {
            fields.shift_remove(beside);
        }
        Some((facts.playback.animation.as_deref()?, value))
    });
    (Format::detect(bytes)?.entry().facts.as_ref()?.write)(bytes, named.collect::<Option<Vec<_>>>()?)
}

/// Reads the facts that [`with_facts`] put into a file for its animation of that name; `None` if there are none.
///
/// The take, the warnings and the file names are empty, because they are not in the file. Errors: the facts cannot be read.
pub fn facts_in(bytes: &[u8], animation: &str) -> Option<Result<Sidecar, SidecarError>> {
    (Format::detect(bytes)?.entry().facts.as_ref()?.read)(bytes, animation)
}
