//! What a run over many takes has done, beside its outputs, so that a run that was stopped can go on.
//!
//! A JSON object on each line of `.loopwright-batch.jsonl` in the output folder. A line is appended in one write before the outputs of
//! a take appear, with their names, and another one after that, with what the take gave. A run that is killed leaves at most one line
//! that has no end, which is skipped; takes of the first kind without the second are done again, and replace what is theirs.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use super::{LoopResult, Shard};
use crate::{exit::Failure, output};

/// How the names of journals begin.
const PREFIX: &str = ".loopwright-batch";

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
enum Line {
    /// The outputs of a take will appear under these names.
    Writes { take: String, outputs: Vec<PathBuf> },
    /// They have, or the take gives none.
    Done(Box<Done>),
}

/// What a take gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// Its path below the folder that all inputs share.
    pub(crate) take: String,
    pub(crate) take_sha256: String,
    pub(crate) recipe_sha256: String,
    pub(crate) results: Vec<LoopResult>,
}

/// What earlier runs did.
#[derive(Debug, Default)]
pub(crate) struct Past {
    /// By take; the last line of each counts.
    done: HashMap<String, Done>,
    known: HashSet<String>,
    /// Takes whose outputs have these names.
    pub(crate) owners: Vec<(PathBuf, String)>,
}

impl Past {
    /// What a take gave, if it was this file with these settings and all its outputs are still there.
    pub(crate) fn done(&self, take: &str, take_sha256: &str, recipe_sha256: &str) -> Option<&Done> {
        let done = self.done.get(take)?;
        let is_same = done.take_sha256 == take_sha256 && done.recipe_sha256 == recipe_sha256;
        let outputs = done.results.iter().flat_map(|result| &result.outputs);
        let mut are_there =
            outputs.map(|output| fs::metadata(&output.path).is_ok_and(|there| there.len() == output.bytes));
        (is_same && are_there.all(|is_there| is_there)).then_some(done)
    }

    /// Whether an earlier run worked on a take.
    pub(crate) fn knows(&self, take: &str) -> bool {
        self.known.contains(take)
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Writes { take, outputs } => {
                self.known.insert(take.clone());
                self.owners
                    .extend(outputs.into_iter().map(|output| (output, take.clone())));
            }
            Line::Done(done) => {
                self.known.insert(done.take.clone());
                self.done.insert(done.take.clone(), *done);
            }
        }
    }
}

pub(crate) struct Journal {
    path: PathBuf,
    /// Locked while the run lives; `None` in a run that writes nothing.
    file: Option<Mutex<File>>,
}

impl Journal {
    /// Opens the journal of a folder, which exists, and reads what earlier runs did; with `anew`, it begins empty.
    ///
    /// Errors: another run writes into the folder, or the file cannot be written.
    pub(crate) fn open(folder: &Path, shard: Option<Shard>, anew: bool) -> Result<(Self, Past), Failure> {
        let name = match shard {
            Some(Shard { number, of }) => format!("{PREFIX}-{number}-of-{of}.jsonl"),
            None => format!("{PREFIX}.jsonl"),
        };
        let path = folder.join(name);
        let failed = |error: io::Error| {
            Failure::cannot("write", &path, error)
                .try_this("check that the folder may be written to and has room, or name another one with -o")
        };
        // A pipe would wait for its reader for ever.
        if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
            return Err(failed(io::Error::other("it is no file")));
        }
        let mut past = Past::default();
        if output::writes_nothing() {
            if !anew {
                read_others(folder, Path::new(""), &mut past);
            }
            return Ok((Self { path, file: None }, past));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(failed)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(
                    Failure::error(format!("another run writes into \"{}\"", folder.display()))
                        .try_this("wait for it, name another folder with -o, or give each run its part with --shard"),
                );
            }
            // Where the file system has no locks, two runs into one folder still leave whole files.
            Err(TryLockError::Error(_)) | Ok(()) => {}
        }
        if anew {
            file.set_len(0).map_err(failed)?;
        } else {
            read_others(folder, &path, &mut past);
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes).map_err(failed)?;
            let whole = read_lines(&bytes, &mut past);
            file.set_len(whole as u64).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        let journal = Self {
            path: path.clone(),
            file: Some(Mutex::new(file)),
        };
        Ok((journal, past))
    }

    pub(crate) fn writes(&self, take: &str, outputs: Vec<PathBuf>) -> Result<(), Failure> {
        self.append(&Line::Writes {
            take: take.to_owned(),
            outputs,
        })
    }

    /// Says what a take gave, once its outputs are there.
    pub(crate) fn done(&self, done: Done) -> Result<(), Failure> {
        self.append(&Line::Done(Box::new(done)))
    }

    fn append(&self, line: &Line) -> Result<(), Failure> {
        let failed = |error: io::Error| {
            Failure::cannot("write", &self.path, error).try_this("make room on the disk, then go on with --resume")
        };
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let Some(file) = &self.file else { return Ok(()) };
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let before = file.stream_position().map_err(failed)?;
        file.write_all(&text).map_err(|error| {
            // What was written of it would spoil the next line.
            let _ = file.set_len(before);
            let _ = file.seek(SeekFrom::Start(before));
            failed(error)
        })
    }
}

/// Reads the journals of other parts of the work.
fn read_others(folder: &Path, own: &Path, past: &mut Past) {
    let mut others: Vec<PathBuf> = (fs::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(PREFIX) && name.ends_with(".jsonl") && path != own && path.is_file()
        })
        .collect();
    others.sort();
    for path in others {
        // One that cannot be read only means that its takes are done again.
        if let Ok(bytes) = fs::read(&path) {
            read_lines(&bytes, past);
        }
    }
}

/// Adds all lines that are whole; returns the bytes up to the end of the last one.
fn read_lines(bytes: &[u8], past: &mut Past) -> usize {
    let mut whole = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.last() == Some(&b'\n') {
            whole += line.len();
            // A line that cannot be read is of another version, or damaged: its take is done again.
            if let Ok(line) = serde_json::from_slice(line) {
                past.add(line);
            }
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Verdict, Written};

    fn done(take: &str, output: &Path) -> Done {
        Done {
            take: take.to_owned(),
            take_sha256: "a".to_owned(),
            recipe_sha256: "b".to_owned(),
            results: vec![LoopResult {
                verdict: Verdict::Good,
                outputs: vec![Written {
                    path: output.to_owned(),
                    bytes: 3,
                }],
                ..LoopResult::default()
            }],
        }
    }

    #[test]
    fn a_killed_run_leaves_what_it_did() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("walk-loop.bvh");
        let (journal, past) = Journal::open(folder.path(), None, false).unwrap();
        assert!(past.owners.is_empty());
        journal.writes("walk.bvh", vec![output.clone()]).unwrap();
        journal.done(done("walk.bvh", &output)).unwrap();
        // While it lives, no other run gets in.
        let other = Journal::open(folder.path(), None, false).err().unwrap();
        assert!(other.what().contains("another run"), "{other:?}");
        drop(journal);

        // Killed in the middle of a line.
        let path = folder.path().join(".loopwright-batch.jsonl");
        let mut bytes = fs::read(&path).unwrap();
        let whole = bytes.len();
        bytes.extend_from_slice(b"{\"event\":\"writes\",\"ta");
        fs::write(&path, &bytes).unwrap();
        let shard = Some(Shard { number: 1, of: 2 });
        for shard in [shard, None] {
            let (_, past) = Journal::open(folder.path(), shard, false).unwrap();
            assert_eq!(past.owners, [(output.clone(), "walk.bvh".to_owned())]);
            assert_eq!(past.done("walk.bvh", "a", "b"), None, "its output is gone");
            fs::write(&output, "new").unwrap();
            assert!(past.done("walk.bvh", "a", "b").is_some());
            for (take, take_sha256, recipe_sha256) in
                [("run.bvh", "a", "b"), ("walk.bvh", "x", "b"), ("walk.bvh", "a", "x")]
            {
                assert_eq!(past.done(take, take_sha256, recipe_sha256), None);
            }
            fs::remove_file(&output).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap().len(), whole, "the torn line is gone");
        let (_, past) = Journal::open(folder.path(), None, true).unwrap();
        assert!(past.owners.is_empty() && past.done.is_empty());
    }
}
