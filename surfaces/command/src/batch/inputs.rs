//! Resolves the names on a command line: files, folders and patterns become one sorted list.

use std::{
    collections::BTreeSet,
    fs, io,
    path::{Component, Path, PathBuf},
};

use loopwright_formats::Format;

use crate::{exit::Failure, files, patterns::Pattern, talk};

/// One of many files.
#[value(Eq)]
pub struct Input {
    /// The file, as named or found.
    pub path: PathBuf,
    /// Its path below the deepest folder that all inputs share: the same on every machine, and mirrored by the outputs.
    pub below: PathBuf,
}

impl Input {
    /// The key of the file among all inputs and in journals: unique, and the same on every machine.
    pub fn key(&self) -> String {
        let below = &self.below;
        below.to_str().map_or_else(|| format!("{below:?}"), str::to_owned)
    }
}

/// The files that a command line names.
#[derive(Debug, Default)]
pub struct Inputs {
    /// Sorted by path, each once.
    pub files: Vec<Input>,
    /// Files that are missing or cannot be read, by the name that was typed or found, and why.
    pub problems: Vec<(PathBuf, Failure)>,
    /// Files in folders that were left out: they are loops with their sidecars.
    pub num_loops: usize,
}

/// Whether names mean several files, even if there is only one in the end: more than one name, a folder or a pattern.
pub fn are_many(names: &[PathBuf]) -> bool {
    names.len() != 1 || names.iter().any(|name| is_many(name))
}

/// Whether a name means several files, even if there is only one in the end: a folder or a pattern.
pub fn is_many(name: &Path) -> bool {
    name.is_dir() || Pattern::new(name).is_some()
}

/// Which files of a folder count.
#[value(Copy, Eq)]
pub enum Wanted {
    /// Takes only: no loops, which in many folders stand beside their takes.
    Takes,
    /// Takes and loops.
    All,
}

/// Lists the files that these names stand for. Files below the folder `output` come from an earlier run and are left out, and so is the
/// character that takes the motion if a folder holds it.
pub fn find(names: &[PathBuf], wanted: Wanted, output: Option<&Path>, character: Option<&Path>) -> Inputs {
    let mut inputs = Inputs::default();
    let character = character.and_then(|path| path.canonicalize().ok());
    let is_character = |path: &Path| character.is_some() && path.canonicalize().ok() == character;
    let output = output.and_then(|output| output.canonicalize().ok());
    let mut seen = BTreeSet::new();
    // Every file that was found, with the folder that was searched for it.
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for name in names {
        let pattern = Pattern::new(name).filter(|_| !name.is_dir());
        if pattern.is_none() && !name.is_dir() {
            match files::check_is_there(name) {
                Ok(()) => found.push((files::folder_of(name).to_owned(), name.clone())),
                Err(missing) => inputs.problems.push((name.clone(), missing)),
            }
            continue;
        }
        let folder = pattern.as_ref().map_or(&**name, Pattern::folder);
        let count = (inputs.num_loops, inputs.problems.len());
        let mut ours = takes_below(
            folder,
            |below: &Path| match &pattern {
                Some(pattern) => pattern.fits(below),
                None => files::format_of_name(below).is_none() || files::is_take_of_a_folder(below),
            },
            wanted,
            output.as_deref(),
            &mut inputs,
        );
        ours.retain(|path| !is_character(path));
        if ours.is_empty() && count == (inputs.num_loops, inputs.problems.len()) {
            inputs
                .problems
                .push((name.clone(), nothing_in(name, pattern.is_some())));
        }
        found.extend(ours.into_iter().map(|path| (folder.to_owned(), path)));
    }
    found.retain(|(_, path)| seen.insert(path.clone()));
    let shared = shared_folder(found.iter().map(|(folder, _)| folder));
    inputs.files = found
        .into_iter()
        .map(|(folder, path)| Input {
            below: below(&shared, &folder, &path),
            path,
        })
        .collect();
    inputs
        .files
        .sort_by(|one, other| (&one.below, &one.path).cmp(&(&other.below, &other.path)));
    inputs
}

/// The failure when a folder or a pattern gives no input.
fn nothing_in(name: &Path, is_pattern: bool) -> Failure {
    let what = if is_pattern {
        format!("no take matches \"{}\"", name.display())
    } else {
        format!("there is no take in the folder \"{}\" or below", name.display())
    };
    Failure::error(what)
        .because(format!(
            "takes are files whose names end in {}",
            Format::extensions(&Format::ALL, ".")
        ))
        .try_this("another folder, or the name of a file")
}

/// Lists the files that names stand for, in the order of the names: folders and patterns are replaced by their files, sorted by path.
pub fn in_order(names: &[PathBuf]) -> Vec<Result<PathBuf, (PathBuf, Failure)>> {
    let mut files = Vec::new();
    for name in names {
        if is_many(name) {
            let found = find(core::slice::from_ref(name), Wanted::All, None, None);
            files.extend(found.problems.into_iter().map(Err));
            files.extend(found.files.into_iter().map(|input| Ok(input.path)));
        } else {
            files.push(Ok(name.clone()));
        }
    }
    files
}

/// Lists the files in a folder and below that are asked for; `inputs` keeps what is left out. Links to folders are not followed, since they
/// may form a cycle. A folder that cannot be listed does not stop the others.
fn takes_below(
    top: &Path,
    is_asked_for: impl Fn(&Path) -> bool,
    wanted: Wanted,
    output: Option<&Path>,
    inputs: &mut Inputs,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![top.to_owned()];
    while let Some(folder) = folders.pop() {
        if output.is_some() && folder.canonicalize().ok().as_deref() == output {
            continue;
        }
        let entries = match fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>) {
            Ok(entries) => entries,
            Err(error) => {
                let failure = Failure::cannot("list", &folder, &error).try_this(match error.kind() {
                    io::ErrorKind::NotFound => {
                        "check the folder in front of the pattern; paths begin at the current folder"
                    }
                    _ => "allow yourself to list it: chmod u+rx",
                });
                inputs.problems.push((folder, failure));
                continue;
            }
        };
        for entry in entries {
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                folders.push(path);
                continue;
            }
            let below = path.strip_prefix(top).unwrap_or(&path);
            if !files::is_named_like_a_take(&path) || path.is_dir() || !is_asked_for(below) {
                continue;
            }
            talk::keep_on_one_line(below);
            if wanted == Wanted::Takes && files::has_sidecar(&path) {
                inputs.num_loops += 1;
                continue;
            }
            found.push(path);
        }
    }
    found
}

/// The deepest folder that contains all of these, with links resolved.
fn shared_folder<'a>(folders: impl Iterator<Item = &'a PathBuf>) -> PathBuf {
    let mut shared: Option<PathBuf> = None;
    let mut last: Option<&PathBuf> = None;
    for folder in folders {
        if last == Some(folder) {
            continue;
        }
        last = Some(folder);
        let folder = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        shared = Some(match shared {
            None => folder,
            Some(shared) => shared
                .components()
                .zip(folder.components())
                .take_while(|(one, other)| one == other)
                .map(|(part, _)| part)
                .collect(),
        });
    }
    shared.unwrap_or_default()
}

/// The path of a file that was found in or below `folder`, relative to the folder that all inputs share.
fn below(shared: &Path, folder: &Path, path: &Path) -> PathBuf {
    let real = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let above = real.strip_prefix(shared).unwrap_or(Path::new(""));
    let rest = match path.strip_prefix(folder) {
        Ok(rest) => rest,
        Err(_) => Path::new(path.file_name().unwrap_or_default()),
    };
    // Parts such as `..` are dropped, so the path cannot leave the output folder.
    let inside = |part: &Component<'_>| matches!(part, Component::Normal(_));
    above.components().chain(rest.components()).filter(inside).collect()
}

/// A part of the inputs for one of several machines: `2/8`.
#[value(Copy, Eq)]
pub struct Shard {
    /// From 1.
    pub number: usize,
    pub of: usize,
}

impl Shard {
    pub fn parse(text: &str) -> Result<Self, String> {
        let part = |text: &str| text.trim().parse::<usize>().ok();
        text.split_once('/')
            .and_then(|(number, of)| {
                Some(Self {
                    number: part(number)?,
                    of: part(of)?,
                })
            })
            .filter(|shard| (1..=shard.of).contains(&shard.number))
            .ok_or_else(|| "must be I/N, such as 2/8: the second of eight parts".to_owned())
    }

    /// Whether an input is in this part. That depends on its path alone, not on the other inputs, so a file that is added meanwhile moves
    /// no other. Files that differ only in their extension stay together, since their outputs may have the same name.
    pub fn has(self, input: &Input) -> bool {
        // The hash must be the same on every machine and in every version, and depend on every letter.
        let parts = input.below.with_extension("");
        let parts: Vec<_> = parts.iter().map(|part| part.to_string_lossy()).collect();
        let digits = loopwright_formats::loop_file::sha256(parts.join("/").as_bytes());
        let hash = u64::from_str_radix(&digits[..16], 16).unwrap_or_default();
        hash % self.of as u64 == self.number as u64 - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_is_in_one_shard() {
        let inputs: Vec<Input> = (0..1000)
            .map(|index| Input {
                path: PathBuf::new(),
                below: PathBuf::from(format!("walks/take_{index:03}.bvh")),
            })
            .collect();
        for of in [1, 3, 8] {
            let sizes = (1..=of).map(|number| inputs.iter().filter(|input| Shard { number, of }.has(input)).count());
            let sizes: Vec<usize> = sizes.collect();
            assert_eq!(sizes.iter().sum::<usize>(), 1000);
            let even = 1000 / of;
            let is_right = sizes.iter().all(|&size| size > even / 2 && size < even * 2);
            assert!(is_right, "{sizes:?}");
        }
        let named = |name: &str| Input {
            path: PathBuf::new(),
            below: PathBuf::from(name),
        };
        let shard = Shard { number: 2, of: 5 };
        assert_eq!(shard.has(&named("a/walk.bvh")), shard.has(&named("a/walk.fbx")));
    }
}
