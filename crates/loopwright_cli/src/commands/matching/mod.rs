//! `loopwright match`: a database of frames, and the frame that is nearest to a wanted motion.

use std::path::Path;

use loopwright::{
    Analysis,
    matching::{
        DatabaseError, MatchDatabase,
        features::{self, FeaturesError, RawFeatures},
    },
};

use crate::{
    args::{MatchArgs, MatchCommand},
    exit::{Ending, Failure},
    output,
    report::{
        json,
        matching::{self as report, InspectAnswer},
    },
};

mod build;
mod export;
mod query;
mod walk;

pub(crate) fn run(args: &MatchArgs) -> Result<Ending, Failure> {
    match &args.command {
        MatchCommand::Build(args) => build::run(args),
        MatchCommand::Query(args) => query::run(args),
        MatchCommand::Walk(args) => walk::run(args),
        MatchCommand::Export(args) => export::run(args),
        MatchCommand::Inspect(args) => {
            // A mapped file that another program changes would change under our feet, and the checksum reads it whole anyway.
            let bytes = crate::files::read_bytes(&args.database)?;
            let answer = InspectAnswer::of(&args.database, &open(&args.database, &bytes)?, bytes.len());
            output::print(&if args.json {
                json::document("match-inspect", answer, None, &[])
            } else {
                report::inspected(&answer)
            })?;
            Ok(Ending::Done)
        }
    }
}

/// The database in the bytes of a file.
fn open<'a>(path: &Path, bytes: &'a [u8]) -> Result<MatchDatabase<'a>, Failure> {
    MatchDatabase::from_bytes(bytes).map_err(|error| {
        let failure = Failure::error(format!("cannot use \"{}\": {error}", path.display()));
        match error {
            DatabaseError::Magic => failure.try_this("a file that `loopwright match build` wrote"),
            _ => failure.try_this("build the database again: loopwright match build TAKES -o DB"),
        }
    })
}

/// The features of a take. Errors: it cannot be matched.
fn features_of(path: &Path, analysis: &Analysis) -> Result<Vec<RawFeatures>, Failure> {
    features::of_take(analysis).map_err(|error| unmatched(path, error))
}

fn unmatched(path: &Path, error: FeaturesError) -> Failure {
    let failure = Failure::error(format!("cannot match \"{}\": {error}", path.display()));
    match error {
        FeaturesError::InPlace { .. } => failure.try_this(format!(
            "`loopwright make {}`, which measures the speed by the feet, and add the loop",
            path.display()
        )),
        FeaturesError::Feet => failure.try_this("--feet LEFT,RIGHT; `loopwright inspect TAKE --json` lists the joints"),
        _ => failure.try_this("a longer take, or a loop made from it: loops go on past their end"),
    }
}
