//! Left and right: which joints mirror each other, by their names or by a file.

use std::path::Path;

use loopwright_core::{
    Analysis, Take,
    mirror::{Mirror, SymmetricPose},
};
use loopwright_job::Warning;

use crate::{
    exit::Result,
    files,
    recipe::{self, TakeArgs},
    talk,
};

/// Reads the file of pairs, if one is given: two names a line, separated by `=`; a single name is a joint on the mirror plane.
pub fn pairs_of(file: Option<&Path>) -> Result<Vec<String>> {
    let Some(path) = file else {
        return Ok(Vec::new());
    };
    let wrong = |line: usize, why: &str| {
        failure!("cannot read \"{}\": line {line}: {why}", path.display())
            .try_this("lines such as LeftArm = RightArm; # begins a comment")
    };
    let text = String::from_utf8(files::read_bytes(path)?).map_err(|_| wrong(1, "it is not text"))?;
    let mut pairs = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        recipe::mirror_pair(line).map_err(|why| wrong(index + 1, &why.to_string()))?;
        pairs.push(line.to_owned());
    }
    Ok(pairs)
}

/// Returns the mirror of a take, from the names of its joints and from pairs that override them; warns if its skeleton is not symmetric.
pub fn mirror(analysis: &Analysis, pairs: &[String]) -> Result<Mirror> {
    let mirror = recipe::mirror(analysis, pairs)?;
    warn(&mirror);
    Ok(mirror)
}

/// Warns if the skeleton is not symmetric.
pub fn warn(mirror: &Mirror) {
    if mirror.symmetric_pose() == SymmetricPose::Mean {
        talk::warn(&Warning::MirroredByMeanPose.to_string());
    }
}

/// Mirrors a take across the world's X, by the names of its joints and by pairs that override them; also returns the mirror.
pub fn mirrored(take: &Take, pairs: &[String], reading: &TakeArgs) -> Result<(Take, Mirror)> {
    let mirror = mirror(&Analysis::with(take, &reading.overrides())?, pairs)?;
    let image = mirror.take(take);
    let off = (0..image.num_frames()).find_map(|frame| image.skeleton().off_hinge(image.pose(frame)));
    if let Some(joint) = off {
        let name = &image.skeleton().joint(joint).name;
        return Err(failure!(
            "the mirror image takes {name} off its hinge: its other side is built otherwise"
        ));
    }
    Ok((image, mirror))
}
