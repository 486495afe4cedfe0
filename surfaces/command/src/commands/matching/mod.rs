//! `loopwright match`: builds databases of frames, and finds the frame nearest to a wanted motion.

use std::path::Path;

use loopwright_match::{
    ClipRows, CostDatabase, CostError, DatabaseError, FeatureSetKind, MatchDatabase, MatchSource,
    features::{Horizon, MatchError},
};

use crate::{
    args::{MatchArgs, MatchCommand},
    exit::{Ending, Failure, Result},
    files::{self, InputFile},
    output,
    recipe::TakeArgs,
    report::matching::{self as report, InspectAnswer},
};

pub mod build;
pub mod export;
pub mod query;
mod source;
mod tags;
mod walk;

pub fn run(args: &MatchArgs) -> Result<Ending> {
    match &args.command {
        MatchCommand::Build(args) => build::run(args),
        MatchCommand::Query(args) => query::run(args),
        MatchCommand::Walk(args) => walk::run(args),
        MatchCommand::Export(args) => export::run(args),
        MatchCommand::Inspect(args) => {
            // The file is not mapped: another program could change it while it is read, and the checksum reads all of it anyway.
            let bytes = files::read_bytes(&args.database)?;
            let answer = inspected(&args.database, &open(&args.database, &bytes)?, bytes.len());
            output::answer("match-inspect", &answer, None, &[], args.json, report::inspected)
        }
    }
}

/// Describes a database of this many bytes.
pub fn inspected(path: &Path, database: &Opened<'_>, num_bytes: usize) -> InspectAnswer {
    match database {
        Opened::Future(database) => InspectAnswer::of_future(path, database, num_bytes),
        Opened::Cost(database) => InspectAnswer::of_cost(path, database, num_bytes),
    }
}

/// A database of either set of features.
#[expect(clippy::large_enum_variant, reason = "there is one, on the stack")]
pub enum Opened<'a> {
    Future(MatchDatabase<'a>),
    Cost(CostDatabase<'a>),
}

impl Opened<'_> {
    pub fn kind(&self) -> FeatureSetKind {
        match self {
            Opened::Future(_) => FeatureSetKind::Future,
            Opened::Cost(_) => FeatureSetKind::Cost,
        }
    }

    pub fn clips(&self) -> &[ClipRows] {
        match self {
            Opened::Future(database) => database.clips(),
            Opened::Cost(database) => database.clips(),
        }
    }

    /// The times ahead for which motions have to be read; cost databases do not look ahead.
    pub fn horizon(&self) -> Horizon {
        match self {
            Opened::Future(database) => database.horizon(),
            Opened::Cost(_) => Horizon::default(),
        }
    }
}

/// Opens the database in the bytes of a file.
pub fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<Opened<'a>> {
    FeatureSetKind::from_bytes(bytes)
        .and_then(|kind| {
            Ok(match kind {
                FeatureSetKind::Future => Opened::Future(MatchDatabase::from_bytes(bytes)?),
                FeatureSetKind::Cost => Opened::Cost(CostDatabase::from_bytes(bytes)?),
            })
        })
        .map_err(|error| {
            let failure = Failure::cannot("use", path, &error);
            match error {
                DatabaseError::Magic => failure.try_this("a file that `loopwright match build` wrote"),
                _ => failure.try_this("build the database again: loopwright match build TAKES -o DB"),
            }
        })
}

/// Reads the one motion of a file whose frames are asked for.
fn asked_for(path: &Path, reading: &TakeArgs, horizon: Horizon) -> Result<MatchSource> {
    let mut sources = source::read_all(path, String::new(), reading, &[], horizon)?;
    let several = sources.len() > 1;
    match sources.pop().filter(|_| !several) {
        Some(motion) => motion.source,
        None => Err(failure!("\"{}\" holds several loops: which one?", path.display())
            .try_this("--animation NAME; `loopwright check FILE` lists them")),
    }
}

/// Words why a motion cannot be matched.
pub fn unmatched(path: &Path, error: impl Into<CostError>) -> Failure {
    let error = error.into();
    let failure = Failure::cannot("match", path, &error);
    let error = match error {
        CostError::Features(error) => error,
        CostError::Joint { .. } => {
            return failure.try_this("takes whose joints have the same names, or --joint-weight");
        }
        CostError::Flips { name } => {
            return failure.try_this(format!("build the database with --joint-weight '{name}=0'"));
        }
        _ => return failure.try_this("--joint-weight for fewer joints"),
    };
    // A file in a folder may hold nothing to match, which is not an error.
    let failure = Failure::nothing(failure.what());
    match error {
        MatchError::Short { .. } => {
            failure.try_this("a longer take, or a loop made from it: loops go on past their end")
        }
        // Its feet were measured when it was made, but hardly touch the ground.
        MatchError::InPlace { .. } if InputFile::named(path).sidecar.is_some() => {
            failure.try_this("make the loop again with --set output.root-speed=3.2, which states its speed in m/s")
        }
        MatchError::InPlace { .. } => failure.try_this(format!(
            "`loopwright make {}`, which measures the speed by the feet, and add the loop",
            path.display()
        )),
        MatchError::Feet => {
            failure.try_this("--set take.feet=LEFT,RIGHT; `loopwright inspect TAKE --json` lists the joints")
        }
        _ => failure,
    }
}
