//! Many files at once, the same way for all commands: names, folders and patterns become inputs; each is processed on its own; answers come
//! in the order of the inputs, the same for any number of threads.

mod inputs;
mod journal;
mod names;
mod pool;

use std::path::PathBuf;

use loopwright_catalog::LoopRow;
use loopwright_formats::loop_file::facts::Grade;
use serde::{Deserialize, Serialize};

use crate::exit::{ERROR_STATUS, Ending, Failure};

pub use inputs::{Input, Inputs, Shard, Wanted, are_many, find, in_order, is_many};
pub use journal::{Done, Journal, Line, Past};
pub use names::{Named, Names, Template};
pub use pool::{Work, each, jobs, run};

/// The outcome of a loop that was asked for, from best to worst.
#[in_schema(read)]
#[in_words(" ")]
#[derive(Copy, Eq, PartialOrd, Ord)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is there and can be used unchanged.
    Good,
    /// It is there, and a person should look at it.
    Review,
    /// It is there, and has a fault that anyone sees.
    Bad,
    /// The take gives none.
    NoLoop,
    /// The take cannot be read.
    Unreadable,
    /// It could not be made or written.
    #[default]
    Failed,
}

impl Verdict {
    /// The exit status of this verdict; of many, 2 goes before 1 and 1 before 0.
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Unreadable | Self::Failed => ERROR_STATUS,
            Self::NoLoop => Ending::Negative.exit_status(),
            Self::Good | Self::Review | Self::Bad => Ending::of_grade(self.grade()).exit_status(),
        }
    }

    /// The grade of the loop; `None` where there is none.
    pub fn grade(self) -> Option<Grade> {
        match self {
            Self::Good => Some(Grade::Good),
            Self::Review => Some(Grade::Review),
            Self::Bad => Some(Grade::Bad),
            Self::NoLoop | Self::Unreadable | Self::Failed => None,
        }
    }
}

impl From<Grade> for Verdict {
    fn from(grade: Grade) -> Self {
        match grade {
            Grade::Good => Self::Good,
            Grade::Review => Self::Review,
            Grade::Bad => Self::Bad,
        }
    }
}

#[value(Eq, Serialize, Deserialize)]
pub struct Written {
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Its SHA-256, by which a later run detects changes made by somebody else.
    pub sha256: String,
}

/// One loop that was asked for, or why it was not made. A take gives one, or several for several rows of `find`.
///
/// Lines, tables, JSON, catalogs and reports are all made from this value.
#[value(Default, Serialize, Deserialize)]
pub struct LoopResult {
    pub verdict: Verdict,
    /// The reason for the verdict, as a clause.
    pub reason: String,
    /// More about a failure, one line each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub because: Vec<String>,
    /// A hint after a failure.
    #[serde(rename = "try", default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// Files written: the loop first, then its sidecar.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outputs: Vec<Written>,
    /// Its figures; `None` where there is no loop.
    #[serde(rename = "loop", default, skip_serializing_if = "Option::is_none")]
    pub row: Option<Box<LoopRow>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

/// A failure of the run itself, or of the work on a loop.
impl From<Failure> for LoopResult {
    fn from(failure: Failure) -> Self {
        Self::failed(Verdict::Failed, &failure, Vec::new())
    }
}

impl LoopResult {
    /// A failed loop. `verdict` is what a failure with exit status 2 means here; one with status 1 means that there is no loop.
    pub fn failed(verdict: Verdict, failure: &Failure, warnings: Vec<String>) -> Self {
        Self {
            verdict: if failure.is_negative() {
                Verdict::NoLoop
            } else {
                verdict
            },
            reason: failure.what().to_owned(),
            because: failure.details().to_vec(),
            hint: failure.hint().map(str::to_owned),
            warnings,
            ..Self::default()
        }
    }
}

#[value(Default)]
pub struct TakeResult {
    /// The path of the take, as named or found.
    pub path: PathBuf,
    pub results: Vec<LoopResult>,
    /// Frames that were read for it.
    pub num_frames: u64,
    /// Notes on the take as a whole, such as parts that were left out.
    pub notes: Vec<String>,
    /// Whether an earlier run already did it.
    pub was_done: bool,
}
