//! File names with wildcards: `takes/**/*.bvh`.

use std::{
    io,
    path::{Path, PathBuf},
};

use loopwright_core::names;
use loopwright_formats::Format;

use crate::{
    exit::{Failure, Result},
    files, talk,
};

/// A name with a wildcard.
#[value(Eq)]
pub struct Pattern {
    /// The folder in front of the first part with a wildcard.
    folder: PathBuf,
    parts: Vec<String>,
}

impl Pattern {
    /// Parses a name with a wildcard that is not itself the name of a file.
    pub fn new(name: &Path) -> Option<Self> {
        // After the name of a file, it is a pattern for animations.
        let is_missing = |error: io::Error| error.kind() == io::ErrorKind::NotFound;
        let is_of_files = || name.symlink_metadata().is_err_and(is_missing) && files::split_animation(name).1.is_none();
        if !name.to_str().is_some_and(has_wildcard) || !is_of_files() {
            return None;
        }
        let mut folder = PathBuf::new();
        let mut parts: Vec<String> = Vec::new();
        for part in name.components() {
            let text = part.as_os_str().to_string_lossy();
            if parts.is_empty() && !has_wildcard(&text) {
                folder.push(part);
            } else {
                parts.push(text.into_owned());
            }
        }
        if folder.as_os_str().is_empty() {
            folder.push(".");
        }
        Some(Self { folder, parts })
    }

    /// The folder that contains all its files, directly or below.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether a path below that folder matches; `**` stands for any number of folders, and links among them count.
    pub fn fits(&self, below: &Path) -> bool {
        let names: Vec<_> = below.iter().map(|name| name.to_string_lossy()).collect();
        fits_from(&self.parts, &names)
    }

    /// Lists its takes and loops, sorted by path; `None` if the name is no pattern. Errors: a folder cannot be listed, or nothing matches.
    pub fn files_of(name: &Path) -> Result<Option<Vec<PathBuf>>> {
        let Some(pattern) = Self::new(name) else {
            return Ok(None);
        };
        let fits = |path: &Path| {
            path.strip_prefix(&pattern.folder)
                .is_ok_and(|below| pattern.fits(below))
        };
        let found = files_below(&pattern.folder, |path| files::is_named_like_a_take(path) && fits(path))?;
        if found.is_empty() {
            return Err(failure!("nothing matches \"{}\"", name.display())
                .because(format!(
                    "takes and loops are files whose names end in {}",
                    Format::extensions(&Format::ALL, ".")
                ))
                .try_this("a folder, or the name of a file"));
        }
        Ok(Some(found))
    }
}

/// Lists the wanted files in a folder and its subfolders, sorted by name.
///
/// Links to folders are not followed, since they may form a cycle. Errors: a folder cannot be listed.
pub fn files_below(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |error: io::Error| Failure::cannot("list", &folder, error);
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let path = entry.path();
            // Links to files count; pipes do not, since reading one would wait forever.
            if entry.file_type().map_err(failed)?.is_dir() {
                folders.push(path);
            } else if path.is_file() && is_wanted(&path) {
                talk::keep_on_one_line(&path);
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

fn has_wildcard(text: &str) -> bool {
    text.contains(['*', '?'])
}

fn fits_from(parts: &[String], below: &[std::borrow::Cow<'_, str>]) -> bool {
    // The parts that may be matched so far: tracking all of them keeps a pattern with many `**` from taking exponential time.
    let mut reached = vec![false; parts.len() + 1];
    reached[0] = true;
    let skip_stars = |reached: &mut Vec<bool>| {
        for (index, part) in parts.iter().enumerate() {
            if reached[index] && part == "**" {
                reached[index + 1] = true;
            }
        }
    };
    skip_stars(&mut reached);
    for name in below {
        let mut next = vec![false; parts.len() + 1];
        for (index, part) in parts.iter().enumerate().filter(|&(index, _)| reached[index]) {
            if part == "**" {
                next[index] = true;
            } else if names::matches(part, name) {
                next[index + 1] = true;
            }
        }
        skip_stars(&mut next);
        reached = next;
    }
    reached[parts.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_parts_of_paths() {
        for (pattern, path, wanted) in [
            ("*.bvh", "walk.bvh", true),
            ("*.bvh", "a/walk.bvh", false),
            ("**/*.bvh", "walk.bvh", true),
            ("**/*.bvh", "a/b/walk.bvh", true),
            ("a/**/w?lk.bvh", "a/b/c/walk.bvh", true),
            ("a/**/w?lk.bvh", "b/c/walk.bvh", false),
            ("**", "a/walk.bvh", true),
            ("a*/x.bvh", "ab/x.bvh", true),
            ("a*/x.bvh", "ab/c/x.bvh", false),
        ] {
            let of = Pattern::new(Path::new(pattern)).expect("a wildcard");
            let path = Path::new(".").join(path);
            let below = path.strip_prefix(Path::new(".").join(of.folder()));
            assert_eq!(below.is_ok_and(|below| of.fits(below)), wanted, "{pattern} {path:?}");
        }
    }

    #[test]
    fn a_pattern_of_many_stars_takes_no_time() {
        let pattern = Pattern::new(Path::new(&("**/".repeat(60) + "y"))).expect("a wildcard");
        let deep = "a/".repeat(200) + "x";
        assert!(!pattern.fits(Path::new(&deep)));
    }
}
