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
/// A BVH file gets the frame time of the take, in the source's own digits if it is the same. A joint that differs from its OFFSET
/// without having position channels is given some, and a joint with fewer than three rotation channels is rotated as accurately
/// as they allow; both are reported in the result. A glTF file keeps all contents and gets an animation of the take's name,
/// replacing one of that name; an FBX file likewise, but beside one of that name. Errors: [`WriteError`], if take and source have
/// different skeletons, or a value is out of range.
pub fn write_take(take: &Take, source: &Source) -> Result<Written, WriteError> {
    match source {
        Source::Bvh(source) => bvh::write::write_take(take, source),
        Source::Fbx(source) => fbx::write::write_take(take, source),
        Source::Gltf(source) => gltf::write::write_take(take, source),
    }
}

/// Writes a take whose first joint is a root joint that its source lacks; otherwise like [`write_take`].
///
/// The root joint is written as [`write_loop`] writes an added one.
pub fn write_take_with_root(take: &Take, source: &Source) -> Result<Written, WriteError> {
    match source {
        Source::Bvh(source) => bvh::write::write_take_with_root(take, source),
        Source::Fbx(source) => fbx::write::write_take_with_root(take, source),
        Source::Gltf(source) => gltf::write::write_take_with_root(take, source),
    }
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
pub fn write_loop(clip: &LoopClip, source: &Source, settings: &LoopWriteSettings) -> Result<Written, WriteError> {
    match source {
        Source::Bvh(source) => bvh::write::write_loop(clip, source, settings),
        Source::Fbx(source) => fbx::write::write_loop(clip, source, settings),
        Source::Gltf(source) => gltf::write::write_loop(clip, source, settings),
    }
}

/// The file of a loop with its facts inside it, if the format supports it.
///
/// In glTF they are in the extras of the animation, without the names of files. `None` for other formats, or if the file holds no
/// animation of the name in `facts.playback.animation`.
pub fn with_facts(written: &Written, facts: &Sidecar) -> Option<Vec<u8>> {
    written.animation.as_ref()?;
    gltf::facts::with_facts(&written.bytes, [facts])
}

/// The facts that [`with_facts`] put into a file for its animation of that name; `None` if there are none.
///
/// The take, the warnings and the names of files are left empty, because they are not in the file. Errors: there are facts, but
/// they cannot be read.
pub fn facts_in(bytes: &[u8], animation: &str) -> Option<Result<Sidecar, SidecarError>> {
    gltf::facts::facts_in(bytes, animation)
}
