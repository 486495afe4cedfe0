//! `loopwright match export`: writes rows as an array for NumPy.

use std::path::Path;

use loopwright_match::{MatchSource, features::NUM_FEATURES};

use super::{Opened, asked_for, open, unmatched};
use crate::{
    args::MatchExportArgs,
    exit::{Ending, Result},
    files,
    output::{self, Outputs},
};

pub fn run(args: &MatchExportArgs) -> Result<Ending> {
    let mut outputs = Outputs::keeping(args.force, &args.takes);
    outputs.protect_as("database", [&args.database]);
    outputs.check(&args.npy)?;
    let bytes = files::read_bytes(&args.database)?;
    let database = open(&args.database, &bytes)?;
    let mut rows: Vec<f32> = Vec::new();
    let mut columns = 0;
    if args.takes.is_empty() {
        columns = add_rows(&mut rows, &database, None)?;
    }
    for path in &args.takes {
        columns = add_rows(
            &mut rows,
            &database,
            Some((path, &asked_for(path, &args.reading, database.horizon())?)),
        )?;
    }
    outputs.add(&args.npy, &npy(&rows, columns))?;
    let outputs = outputs.commit()?;
    let answer = ExportAnswer {
        database: args.database.display().to_string(),
        rows: rows.len() / columns,
        columns,
    };
    output::answer("match-export", &answer, None, &outputs, args.json, |answer| {
        exported(answer, &args.npy)
    })
}

/// Adds the rows of a database, or the queries made from the frames of a motion; returns the length of a row. Errors: the motion cannot be
/// matched.
pub fn add_rows(rows: &mut Vec<f32>, database: &Opened, motion: Option<(&Path, &MatchSource)>) -> Result<usize> {
    match (database, motion) {
        (Opened::Future(database), None) => rows.extend((0..database.num_rows()).flat_map(|row| database.row(row))),
        (Opened::Future(database), Some((path, source))) => {
            let queries = source
                .queries(database.horizon())
                .map_err(|error| unmatched(path, error))?;
            rows.extend(queries.iter().flat_map(|features| database.standard().apply(features)));
        }
        (Opened::Cost(database), motion) => {
            let features = database.features();
            let of_database = || {
                Ok((0..database.num_rows())
                    .map(|row| database.row(row).collect())
                    .collect())
            };
            let of_motion = |(path, source)| features.queries(source).map_err(|error| unmatched(path, error));
            let found: Vec<Vec<f32>> = motion.map_or_else(of_database, of_motion)?;
            rows.extend(
                found
                    .iter()
                    .flat_map(|row| features.form(row))
                    .map(|number| number as f32),
            );
        }
    }
    Ok(match database {
        Opened::Future(_) => NUM_FEATURES,
        Opened::Cost(database) => database.features().num_axes(),
    })
}

/// Encodes 32-bit floats, row by row, in version 1.0 of NumPy's format. Source: NumPy, "NEP 1: A simple file format for NumPy arrays".
fn npy(numbers: &[f32], columns: usize) -> Vec<u8> {
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {columns}), }}",
        numbers.len() / columns
    );
    // Magic, version and length take ten bytes, the line feed one; the array starts at a multiple of 64.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.push_str(&" ".repeat(length - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}

/// The answer of `match export`.
#[in_schema]
pub struct ExportAnswer {
    /// The match database, as it was named.
    database: String,
    /// Rows of the array.
    rows: usize,
    /// Features of a row.
    columns: usize,
}

fn exported(answer: &ExportAnswer, npy: &Path) -> String {
    format!(
        "{}: {} rows of {} features\n",
        npy.display(),
        answer.rows,
        answer.columns
    )
}
