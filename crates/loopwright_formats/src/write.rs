//! From takes and loops to the bytes of a file, in the form of a source.

use loopwright::{LoopClip, Take};

use crate::{
    bvh,
    error::WriteError,
    fbx, gltf,
    loop_file::sidecar::{Sidecar, SidecarError},
    settings::LoopWriteSettings,
    source::Source,
    written::Written,
};

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
    gltf::facts::with_facts(&written.bytes, facts)
}

/// The facts that [`with_facts`] put into a file for its animation of that name; `None` where there are none.
///
/// The take, the warnings and the names of files are left empty, because they are not in the file. Errors: there are facts, but
/// they cannot be read.
pub fn facts_in(bytes: &[u8], animation: &str) -> Option<Result<Sidecar, SidecarError>> {
    gltf::facts::facts_in(bytes, animation)
}
