//! How the search grows with the take: captured motion at 120 fps laid end to end.

use std::path::Path;

use super::{MAX_SECS, Work, inputs, list};
use crate::{
    clock,
    statistics::mean,
    table::{Table, cell},
};

/// Lengths of the motion, frames.
const FRAMES: [usize; 6] = [5_000, 7_000, 10_000, 20_000, 35_000, 50_000];

/// Exponent of the power law that fits best.
fn exponent(values: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = (FRAMES.iter().zip(values))
        .map(|(&frames, value)| ((frames as f64).ln(), value.ln()))
        .collect();
    let x = mean(&points.iter().map(|point| point.0).collect::<Vec<f64>>());
    let y = mean(&points.iter().map(|point| point.1).collect::<Vec<f64>>());
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    covariance / variance
}

/// Seconds and memory for motion of several lengths.
pub(super) fn growth(folder: &Path) -> Result<Table, String> {
    let mut table = Table::new(&format!(
        "frames | any length, s | up to {MAX_SECS} s, s | MiB of the search | MiB of study and search"
    ));
    let (mut any, mut bounded) = (Vec::new(), Vec::new());
    for num_frames in FRAMES {
        let (features, _) = inputs::captured(folder, num_frames, 120.0)?;
        if features.num_frames() < num_frames {
            return Err(format!("the captured takes give no {num_frames} frames"));
        }
        any.push(clock::time(|| list(&features, f64::INFINITY)));
        bounded.push(clock::time(|| list(&features, MAX_SECS)));
        table.row(format_args!(
            "{num_frames} | {:.3} | {:.3} | {} | {}",
            any[any.len() - 1],
            bounded[bounded.len() - 1],
            cell(Work::List.mebibytes(num_frames), 0),
            cell(Work::Find.mebibytes(num_frames), 0),
        ));
    }
    table.row(format_args!(
        "exponent | {:.2} | {:.2} | |",
        exponent(&any),
        exponent(&bounded)
    ));
    Ok(table)
}
