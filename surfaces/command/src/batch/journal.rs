//! The record of a run over many takes, kept beside its outputs, so that a run that was stopped can go on.
//!
//! The file `.loopwright-batch.jsonl` in the output folder holds a JSON object per line. One line, with the names of a take's outputs, is
//! appended in one write before they appear; a second line, with the results of the take, follows after that. A run that is killed leaves
//! at most one incomplete line, which is skipped. A take with the first line but not the second is done again and replaces its outputs. An
//! output that differs from its second line was changed by somebody else and is not replaced.

use std::{
    collections::{HashMap, HashSet},
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::Mutex,
};

use loopwright_formats::loop_file::{self, facts::Grade};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{LoopResult, Names, Shard};
use crate::{
    exit::{Failure, Result},
    files, memory, output,
    parallel::locked,
    talk,
};

/// Prefix of the names of journals.
const PREFIX: &str = ".loopwright-batch";

/// A line of a journal.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Line {
    /// The outputs of a take will appear under these names.
    Writes { take: String, outputs: Vec<PathBuf> },
    /// The outputs are there, or the take gives none.
    Done(Box<Done>),
    /// A catalog of all loops will appear here.
    Catalog {
        path: PathBuf,
        #[serde(default)]
        sha256: String,
    },
}

impl Line {
    /// Reads a line: texts are put on one line, while file names stay as they are.
    fn read(text: &[u8]) -> serde_json::Result<Self> {
        let named = serde_json::from_slice(text)?;
        let (Self::Done(mut done), Self::Done(named)) = (loop_file::from_text(text)?, named) else {
            // The other lines hold only names.
            return serde_json::from_slice(text);
        };
        done.take = named.take;
        for (result, named) in done.results.iter_mut().zip(named.results) {
            result.outputs = named.outputs;
            result
                .outputs
                .iter()
                .for_each(|output| talk::keep_on_one_line(&output.path));
        }
        Ok(Self::Done(done))
    }
}

/// The results of a take.
#[value(Serialize, Deserialize)]
pub struct Done {
    /// Its path below the folder that all inputs share.
    pub take: String,
    pub take_sha256: String,
    pub recipe_sha256: String,
    pub results: Vec<LoopResult>,
}

/// The lines of earlier runs.
#[derive(Debug, Default)]
pub struct Past {
    /// Results by take; the last line of each counts.
    done: HashMap<String, Done>,
    /// Takes whose last run was stopped before it recorded their results.
    unfinished: HashSet<String>,
    /// Everything that runs wrote, by path and hash: the journals of shards are not read in order of time.
    written: HashSet<(PathBuf, String)>,
    /// The names of the outputs of takes.
    pub names: Names,
    /// Catalogs of earlier runs, by path and hash.
    catalogs: HashSet<(PathBuf, String)>,
    /// The folder of all outputs, without links.
    folder: PathBuf,
}

impl Past {
    /// Returns the results of a take if file and settings are unchanged, and all its outputs are still there as they were written.
    pub fn done(&self, take: &str, take_sha256: &str, recipe_sha256: &str) -> Option<&Done> {
        let done = self.done.get(take)?;
        let is_same = done.take_sha256 == take_sha256 && done.recipe_sha256 == recipe_sha256;
        (is_same && done.results.iter().all(|result| self.is_so(result))).then_some(done)
    }

    /// Whether the outputs of a result confirm it. A folder may come from others, with a journal that says anything.
    fn is_so(&self, result: &LoopResult) -> bool {
        let Some(grade) = result.verdict.grade().map(Grade::as_str) else {
            return result.outputs.is_empty();
        };
        let stated = result.row.as_ref().map(|row| row.grade.as_deref().unwrap_or("review"));
        if stated != Some(grade)
            || !result
                .outputs
                .iter()
                .all(|output| self.hash_of(&output.path).as_ref() == Some(&output.sha256))
        {
            return false;
        }
        let sidecar: Value = result
            .outputs
            .get(1)
            .and_then(|sidecar| loop_file::from_text(&files::read_json(&sidecar.path).ok()?).ok())
            .unwrap_or_default();
        let is_stated = |of_loop: &Value| of_loop["quality"]["grade"].as_str().unwrap_or("review") == grade;
        // The sidecar of a file with several loops has an entry for each.
        match sidecar["loops"].as_array() {
            Some(loops) => loops.iter().any(is_stated),
            None => sidecar.is_object() && is_stated(&sidecar),
        }
    }

    /// Returns an output of a take that exists, but is not what any run wrote under its name: somebody else changed it.
    pub fn changed_output(&self, take: &str) -> Option<&Path> {
        let done = self.done.get(take).filter(|_| !self.unfinished.contains(take))?;
        let mut paths = done
            .results
            .iter()
            .flat_map(|result| &result.outputs)
            .map(|output| output.path.as_path());
        paths.find(|path| {
            self.hash_of(path)
                .is_some_and(|hash| !self.written.contains(&(path.into(), hash)))
        })
    }

    /// The hash of a file in the folder of all outputs; `None` if there is none.
    fn hash_of(&self, path: &Path) -> Option<String> {
        let folder = files::folder_of(path).canonicalize().ok()?;
        folder.starts_with(&self.folder).then(|| hash(path))?
    }

    /// Whether a catalog is as an earlier run wrote it, so that a resumed run may replace it.
    pub fn has_catalog(&self, path: &Path) -> bool {
        let place = output::place(files::folder_of(path), path);
        hash(&place).is_some_and(|sha256| self.catalogs.contains(&(place, sha256)))
    }

    /// Whether an earlier run worked on a take.
    pub fn knows(&self, take: &str) -> bool {
        self.done.contains_key(take) || self.unfinished.contains(take)
    }

    fn add(&mut self, line: Line) {
        match line {
            Line::Writes { take, outputs } => {
                for output in outputs {
                    self.names.keep(&output, &take);
                }
                self.unfinished.insert(take);
            }
            Line::Done(done) => {
                self.unfinished.remove(&done.take);
                let outputs = done.results.iter().flat_map(|result| &result.outputs);
                self.written
                    .extend(outputs.map(|output| (output.path.clone(), output.sha256.clone())));
                self.done.insert(done.take.clone(), *done);
            }
            Line::Catalog { path, sha256 } => {
                self.catalogs.insert((path, sha256));
            }
        }
    }
}

/// The hash of a file; `None` if there is none.
fn hash(path: &Path) -> Option<String> {
    let bytes = path.is_file().then(|| files::read_bytes(path).ok())??;
    Some(loop_file::sha256(&bytes))
}

pub struct Journal {
    path: PathBuf,
    /// Locked while the run lives; `None` in a run that writes nothing.
    file: Option<Mutex<File>>,
}

impl Journal {
    /// Opens the journal of a folder, which exists, and reads what earlier runs did; with `anew` it starts empty.
    ///
    /// Errors: another run writes into the folder, or the file cannot be written.
    pub fn open(folder: &Path, shard: Option<Shard>, anew: bool) -> Result<(Self, Past)> {
        let name = match shard {
            Some(Shard { number, of }) => format!("{PREFIX}-{number}-of-{of}.jsonl"),
            None => format!("{PREFIX}.jsonl"),
        };
        let path = folder.join(name);
        let failed = |error: io::Error| {
            Failure::cannot("write", &path, error)
                .try_this("check that the folder may be written to and has room, or name another one with -o")
        };
        if let Ok(there) = path.symlink_metadata() {
            // A pipe would wait for its reader for ever.
            if !there.is_file() {
                return Err(failed(io::Error::other("it is no file")));
            }
            if has_other_names(&there) {
                return Err(failed(io::Error::other("it is also another file, by a hard link")));
            }
        }
        let mut past = Past {
            folder: folder.canonicalize().unwrap_or_default(),
            ..Past::default()
        };
        if output::writes_nothing() {
            if !anew {
                read_others(folder, Path::new(""), &mut past);
            }
            return Ok((Self { path, file: None }, past));
        }
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(failed)?;
        // Where the file system has no locks, two runs into one folder still leave whole files.
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(failure!("another run writes into \"{}\"", folder.display())
                .try_this("wait for it, name another folder with -o, or give each run its part with --shard"));
        }
        if anew {
            file.set_len(0).map_err(failed)?;
        } else {
            read_others(folder, &path, &mut past);
            let whole = read_lines(&file, &mut past).map_err(|error| {
                Failure::cannot("read", &path, error)
                    .try_this("--force to make everything again, or another folder with -o")
            })?;
            file.set_len(whole).map_err(failed)?;
        }
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok((
            Self {
                path: path.clone(),
                file: Some(Mutex::new(file)),
            },
            past,
        ))
    }

    /// Records where the catalog of the run will be, and its hash.
    pub fn catalog(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        self.append(&Line::Catalog {
            path: output::place(files::folder_of(path), path),
            sha256: loop_file::sha256(bytes),
        })
    }

    /// Appends a line.
    pub fn append(&self, line: &Line) -> Result<()> {
        let failed = |error: io::Error| {
            Failure::cannot("write", &self.path, error).try_this("make room on the disk, then go on with --resume")
        };
        let mut text = serde_json::to_vec(line).map_err(|error| failed(error.into()))?;
        text.push(b'\n');
        let Some(file) = &self.file else { return Ok(()) };
        let mut file = locked(file);
        let before = file.stream_position().map_err(failed)?;
        file.write_all(&text).map_err(|error| {
            // Part of a line would spoil the next one.
            let _ = file.set_len(before);
            let _ = file.seek(SeekFrom::Start(before));
            failed(error)
        })
    }
}

/// Reads the journals of other parts of the work.
fn read_others(folder: &Path, own: &Path, past: &mut Past) {
    let mut others: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with(PREFIX) && name.ends_with(".jsonl") && path != own && path.is_file()
        })
        .collect();
    others.sort();
    for path in others {
        // If one cannot be read, its takes are merely done again.
        if let Ok(file) = File::open(&path) {
            let _ = read_lines(&file, past);
        }
    }
}

/// Whether a file has other hard links, so that writing to it would change those too.
fn has_other_names(file: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        std::os::unix::fs::MetadataExt::nlink(file) > 1
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        false
    }
}

/// Longest line of a journal, bytes: enough for a take of a thousand loops.
const MAX_LINE_BYTES: u64 = 16 << 20;

/// Part of the memory of a run that journals may take.
const MEMORY_SHARE: u64 = 8;

/// Adds all complete lines; returns the number of bytes up to the end of the last one. Errors: the file cannot be read, or is no journal.
fn read_lines(file: &File, past: &mut Past) -> io::Result<u64> {
    let mut left = memory::limits().max_memory_bytes / MEMORY_SHARE;
    let mut reader = BufReader::new(file);
    let mut whole = 0;
    loop {
        let mut line = Vec::new();
        reader.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)?;
        if line.last() != Some(&b'\n') {
            return if line.len() as u64 == MAX_LINE_BYTES {
                Err(io::Error::other("it is no journal of a run: a line has no end"))
            } else {
                Ok(whole)
            };
        }
        whole += line.len() as u64;
        // A line that cannot be parsed is from another version, or damaged: its take is done again.
        if let Ok(read) = Line::read(&line) {
            left = left
                .checked_sub(line.len() as u64)
                .ok_or_else(|| io::Error::other("it is too large"))?;
            past.add(read);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::{Verdict, Written};

    const SIDECAR: &str = r#"{"quality": {"grade": "good"}}"#;

    fn done(take: &str, output: &Path) -> Done {
        Done {
            take: take.to_owned(),
            take_sha256: "a".to_owned(),
            recipe_sha256: "b".to_owned(),
            results: vec![LoopResult {
                verdict: Verdict::Good,
                outputs: [
                    (output.to_owned(), "new"),
                    (output.with_added_extension(files::SIDECAR), SIDECAR),
                ]
                .map(|(path, text)| Written {
                    path,
                    bytes: text.len() as u64,
                    sha256: loop_file::sha256(text.as_bytes()),
                })
                .to_vec(),
                row: Some(Box::new(loopwright_catalog::LoopRow {
                    grade: Some("good".to_owned()),
                    ..Default::default()
                })),
                ..LoopResult::default()
            }],
        }
    }

    #[test]
    fn a_killed_run_leaves_what_it_did() {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("walk-loop.bvh");
        fs::write(output.with_added_extension(files::SIDECAR), SIDECAR).unwrap();
        let (journal, past) = Journal::open(folder.path(), None, false).unwrap();
        assert!(!past.knows("walk.bvh"));
        let writes = Line::Writes {
            take: "walk.bvh".to_owned(),
            outputs: vec![output.clone()],
        };
        journal.append(&writes).unwrap();
        journal
            .append(&Line::Done(Box::new(done("walk.bvh", &output))))
            .unwrap();
        // While this journal is open, no other run may open it.
        let other = Journal::open(folder.path(), None, false).err().unwrap();
        assert!(other.what().contains("another run"), "{other:?}");
        drop(journal);

        // Simulates a run killed in the middle of a line.
        let path = folder.path().join(".loopwright-batch.jsonl");
        let mut bytes = fs::read(&path).unwrap();
        let whole = bytes.len();
        bytes.extend_from_slice(b"{\"event\":\"writes\",\"ta");
        fs::write(&path, &bytes).unwrap();
        let shard = Some(Shard { number: 1, of: 2 });
        for shard in [shard, None] {
            let (_, past) = Journal::open(folder.path(), shard, false).unwrap();
            let mut names = Names::default();
            names.keep(&output, "walk.bvh");
            assert_eq!(past.names, names);
            assert_eq!(past.done("walk.bvh", "a", "b"), None, "its output is gone");
            fs::write(&output, "new").unwrap();
            assert!(past.done("walk.bvh", "a", "b").is_some());
            for (take, take_sha256, recipe_sha256) in
                [("run.bvh", "a", "b"), ("walk.bvh", "x", "b"), ("walk.bvh", "a", "x")]
            {
                assert_eq!(past.done(take, take_sha256, recipe_sha256), None);
            }
            assert_eq!(past.changed_output("walk.bvh"), None);
            // The second text holds the bytes of another output.
            for text in ["old", SIDECAR] {
                fs::write(&output, text).unwrap();
                assert_eq!(past.done("walk.bvh", "a", "b"), None);
                assert_eq!(past.changed_output("walk.bvh"), Some(output.as_path()));
            }
            fs::remove_file(&output).unwrap();
            assert_eq!(past.changed_output("walk.bvh"), None);
        }
        assert_eq!(fs::read(&path).unwrap().len(), whole, "the torn line is gone");
        // A killed run may replace the files that it was writing.
        let (journal, _) = Journal::open(folder.path(), None, false).unwrap();
        journal.append(&writes).unwrap();
        drop(journal);
        fs::write(&output, "newer").unwrap();
        let (_, past) = Journal::open(folder.path(), None, false).unwrap();
        assert_eq!(past.changed_output("walk.bvh"), None);
        let (_, past) = Journal::open(folder.path(), None, true).unwrap();
        assert!(!past.knows("walk.bvh") && past.names == Names::default());
    }
}
