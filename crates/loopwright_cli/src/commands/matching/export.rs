//! `loopwright match export`: rows as an array for NumPy.

use loopwright::matching::features::NUM_FEATURES;

use super::{features_of, open};
use crate::{
    args::MatchExportArgs,
    exit::{Ending, Failure},
    files, load,
    output::{self, Outputs},
    report::{
        json,
        matching::{self as report, ExportAnswer},
    },
};

pub(super) fn run(args: &MatchExportArgs) -> Result<Ending, Failure> {
    let mut outputs = Outputs::new(args.force);
    outputs.spare_as("database", &args.database);
    for path in &args.takes {
        outputs.spare(path);
    }
    outputs.check(&args.npy)?;
    let bytes = files::read_bytes(&args.database)?;
    let database = open(&args.database, &bytes)?;
    let mut rows: Vec<[f32; NUM_FEATURES]> = Vec::new();
    if args.takes.is_empty() {
        rows.extend((0..database.num_rows()).map(|row| database.row(row)));
    }
    for path in &args.takes {
        let loaded = load::load(path, &args.reading.clone().into())?;
        let frames = features_of(path, &loaded.analysis)?;
        rows.extend(frames.iter().map(|features| database.standard().apply(features)));
    }
    outputs.add(&args.npy, &npy(&rows))?;
    let outputs = outputs.commit()?;
    let answer = ExportAnswer {
        database: args.database.display().to_string(),
        rows: rows.len(),
        columns: NUM_FEATURES,
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
fn npy(rows: &[[f32; NUM_FEATURES]]) -> Vec<u8> {
    let mut header = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}, {NUM_FEATURES}), }}",
        rows.len()
    );
    // Magic, version and length take ten bytes, the line feed one; the array begins at a multiple of 64.
    let length = (10 + header.len() + 1).next_multiple_of(64) - 10;
    header.push_str(&" ".repeat(length - header.len() - 1));
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((length as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(rows.iter().flatten().flat_map(|number| number.to_le_bytes()));
    bytes
}
