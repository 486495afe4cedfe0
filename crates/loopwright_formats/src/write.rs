//! From takes and loops to the bytes of a file, in the form of a source.

use std::borrow::Cow;

use loopwright::{
    loop_clip::LoopClip,
    take::{Skeleton, Take},
};

use crate::{bvh, error::WriteError, fbx, gltf, sidecar::Sidecar, source::Source, warning::Warning};

/// A file, and what had to be changed to write it.
#[derive(Clone, Debug, PartialEq)]
pub struct Written {
    /// The whole file.
    pub bytes: Vec<u8>,
    /// The name of the animation in it, where the format gives it one.
    pub animation: Option<String>,
    /// What could not be written as it is, such as joints with too few channels for their motion.
    pub warnings: Vec<Warning>,
}

/// Whether the file ends with the pose that it starts with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClosingKey {
    /// One more key, whose body is the first key's and whose root has travelled on.
    #[default]
    Repeat,
    /// The last key is the one before the first comes round again.
    Drop,
}

/// How a loop is laid out in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopWriteSettings {
    /// Whether the first key is repeated at the end; by default it is.
    pub closing_key: ClosingKey,
    /// Cycles written one after the other, the travel going on; at least one, which is the default.
    pub copies: usize,
    /// Whether a root joint above all others carries the travel; by default it stays on the joint that had it.
    pub add_root: bool,
    /// Whether the root stays where it starts; by default the keys show it moving.
    pub in_place: bool,
}

impl Default for LoopWriteSettings {
    fn default() -> Self {
        Self {
            closing_key: ClosingKey::Repeat,
            copies: 1,
            add_root: false,
            in_place: false,
        }
    }
}

impl LoopWriteSettings {
    /// The loop as its keys show it.
    pub(crate) fn shown<'a>(&self, clip: &'a LoopClip) -> Cow<'a, LoopClip> {
        if self.in_place {
            Cow::Owned(clip.in_place())
        } else {
            Cow::Borrowed(clip)
        }
    }

    /// Keys that a loop gets: its samples once for each cycle, and the closing one where it is wanted.
    ///
    /// Saturates; writers hold the number against what a file may have. Errors: [`WriteError::NoCopies`].
    pub(crate) fn num_keys(&self, clip: &LoopClip) -> Result<usize, WriteError> {
        if self.copies == 0 {
            return Err(WriteError::NoCopies);
        }
        let num_closing = usize::from(self.closing_key == ClosingKey::Repeat);
        Ok(clip
            .num_samples()
            .saturating_mul(self.copies)
            .saturating_add(num_closing))
    }
}

/// Writes a take in the form of its source.
///
/// A BVH file gets the frame time of the take, in the source's own digits where it is the same. A joint that lies off its
/// OFFSET without having position channels is given some, and a joint with fewer than three rotation channels turns as
/// nearly as they can; both are said in the result. A glTF file keeps everything that it holds and gets an animation of the
/// take's name, in place of one that had it; an FBX file likewise, beside one that had it. Errors: [`WriteError`], when take and source are not of one skeleton, or
/// a value is out of range.
pub fn write_take(take: &Take, source: &Source) -> Result<Written, WriteError> {
    match source {
        Source::Bvh(source) => bvh::write::write_take(take, source),
        Source::Fbx(source) => fbx::write::write_take(take, source),
        Source::Gltf(source) => gltf::write::write_take(take, source),
    }
}

/// Writes a loop in the form of the source it was cut from.
///
/// Keys stand at multiples of the clip's step, the first at time zero. Without `add_root` the travel is folded onto the
/// joint that carried it, see [`LoopClip::folded_pose`]. With it a new root joint of a name that is not taken yet carries
/// exactly the root, seen in the file's axes; the former root becomes its child and holds the body. A closing key shows each
/// repeated joint at the same rotation as the first key, to the last digit; in BVH its angles may differ by whole turns or be
/// the other way to write it. Otherwise like [`write_take`].
///
/// Errors: [`WriteError`]; besides those of [`write_take`], no copies and too many keys.
pub fn write_loop(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<Written, WriteError> {
    match source {
        Source::Bvh(source) => bvh::write::write_loop(clip, source, settings),
        Source::Fbx(source) => fbx::write::write_loop(clip, source, settings),
        Source::Gltf(source) => gltf::write::write_loop(clip, source, settings),
    }
}

/// The file of a loop with its facts inside it, where the format has a place for them.
///
/// In glTF they stand in the extras of the animation, without the names of files. `None` for formats that have no such
/// place, or where the file holds no animation of the name that `facts.playback.animation` says.
pub fn with_facts(written: &Written, facts: &Sidecar) -> Option<Vec<u8>> {
    written.animation.as_ref()?;
    gltf::write::with_facts(&written.bytes, facts)
}

/// The name of the root joint that `add_root` puts above the joints of a skeleton.
pub fn added_root_name(skeleton: &Skeleton) -> String {
    let joints = skeleton.joints();
    root_name(|name| joints.iter().any(|joint| joint.name.eq_ignore_ascii_case(name)))
}

/// A name for an added root that no joint has yet.
pub(crate) fn root_name(is_taken: impl Fn(&str) -> bool) -> String {
    ["root".to_owned(), "root_motion".to_owned()]
        .into_iter()
        .chain((2_u64..).map(|number| format!("root_motion_{number}")))
        .find(|name| !is_taken(name))
        .unwrap_or_default()
}
