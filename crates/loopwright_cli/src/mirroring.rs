//! Left and right: which joints mirror each other, by their names or by a file.

use std::path::Path;

use loopwright::{
    Analysis,
    mirror::{Mirror, MirrorError, SymmetricPose},
};

use crate::{exit::Failure, files, talk};

/// Reads the pairs from a file, if one is given.
pub(crate) fn pairs_of(file: Option<&Path>) -> Result<Vec<String>, Failure> {
    file.map_or_else(|| Ok(Vec::new()), read_pairs)
}

/// Reads a file of pairs: two names a line, separated by `=`; a single name is a joint on the mirror plane.
fn read_pairs(path: &Path) -> Result<Vec<String>, Failure> {
    let wrong = |line: usize, why: &str| {
        Failure::error(format!("cannot read \"{}\": line {line}: {why}", path.display()))
            .try_this("lines such as LeftArm = RightArm; # begins a comment")
    };
    let bytes = files::read_bytes(path)?;
    let text = String::from_utf8(bytes).map_err(|_| wrong(1, "it is not text"))?;
    let mut pairs = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            continue;
        }
        parse(line).map_err(|why| wrong(index + 1, &why))?;
        pairs.push(line.to_owned());
    }
    Ok(pairs)
}

/// `LEFT=RIGHT`, or one name.
fn parse(pair: &str) -> Result<(String, String), String> {
    let names: Vec<&str> = pair.split('=').map(str::trim).collect();
    match names.as_slice() {
        [left, right] if !left.is_empty() && !right.is_empty() => Ok(((*left).to_owned(), (*right).to_owned())),
        [alone] if !alone.is_empty() => Ok(((*alone).to_owned(), (*alone).to_owned())),
        _ => Err(format!("\"{pair}\" is not a pair of names")),
    }
}

/// The mirror of a take, from the names of its joints and from pairs that override them.
pub(crate) fn mirror(analysis: &Analysis, pairs: &[String]) -> Result<Mirror, Failure> {
    let pairs = pairs
        .iter()
        .map(|pair| parse(pair).map_err(Failure::error))
        .collect::<Result<Vec<_>, _>>()?;
    let mirror = analysis.mirror(&pairs).map_err(|error| {
        let failure = Failure::error("left and right cannot be exchanged on this skeleton").because(error.to_string());
        match error {
            MirrorError::NoSuchJoint { .. } => failure.try_this("`loopwright inspect TAKE --json` lists the joints"),
            _ => failure.try_this("--mirror-map FILE with lines such as LeftArm = RightArm"),
        }
    })?;
    if mirror.symmetric_pose() == SymmetricPose::Mean {
        talk::warn("the skeleton at rest is not symmetric; the mean pose of the take is used as the symmetric pose");
    }
    Ok(mirror)
}
