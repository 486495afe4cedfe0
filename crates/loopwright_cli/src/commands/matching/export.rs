//! `loopwright match export`: rows as an array for NumPy.

use loopwright_match::features::{Horizon, NUM_FEATURES};

use super::{Opened, asked_for, open, unmatched, unmatched_cost};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::report::json;
use crate::report::matching::{self as report, ExportAnswer};
use crate::{args::MatchExportArgs, files};

pub(super) fn run(args: &MatchExportArgs) -> Result<Ending, Failure> {
    let mut outputs = Outputs::new(args.force);
    outputs.protect_as("database", &args.database);
    for path in &args.takes {
        outputs.protect(path);
    }
    outputs.check(&args.npy)?;
    let bytes = files::read_bytes(&args.database)?;
    let mut rows: Vec<f32> = Vec::new();
    let columns = match open(&args.database, &bytes)? {
        Opened::Future(database) => {
            if args.takes.is_empty() {
                rows.extend((0..database.num_rows()).flat_map(|row| database.row(row)));
            }
            for path in &args.takes {
                let queries = asked_for(path, &args.reading, database.horizon())?.queries(database.horizon());
                let queries = queries.map_err(|error| unmatched(path, error))?;
                rows.extend(queries.iter().flat_map(|features| database.standard().apply(features)));
            }
            NUM_FEATURES
        }
        Opened::Cost(database) => {
            let features = database.features();
            let mut add = |row: &[f32]| rows.extend(features.form(row).iter().map(|&number| number as f32));
            if args.takes.is_empty() {
                for row in 0..database.num_rows() {
                    add(&database.row(row).collect::<Vec<f32>>());
                }
            }
            for path in &args.takes {
                let queries = features.queries(&asked_for(path, &args.reading, Horizon::default())?);
                for row in queries.map_err(|error| unmatched_cost(path, error))? {
                    add(&row);
                }
            }
            features.num_axes()
        }
    };
    outputs.add(&args.npy, &npy(&rows, columns))?;
    let outputs = outputs.commit()?;
    let answer = ExportAnswer {
        database: args.database.display().to_string(),
        rows: rows.len() / columns,
        columns,
    };
    output::print(&if args.json {
        json::document("match-export", answer, None, &outputs)
    } else {
        report::exported(&answer, &args.npy)
    })?;
    Ok(Ending::Done)
}

/// An array of 32-bit floats, row by row, in version 1.0 of NumPy's format. Source: NumPy, "NEP 1: A simple file format for NumPy
/// arrays".
fn npy(numbers: &[f32], columns: usize) -> Vec<u8> {
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {columns}), }}",
        numbers.len() / columns
    );
    // Magic, version and length take ten bytes, the line feed one; the array begins at a multiple of 64.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.push_str(&" ".repeat(length - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    bytes
}
