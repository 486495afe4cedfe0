//! How the search grows with the take: captured motion at 120 fps laid end to end.

use std::{fmt::Write, path::Path};

use super::{
    clock, inputs, list,
    memory::{self, Work},
};

/// Longest loop of the second column, seconds.
pub(super) const MAX_SECS: f64 = 10.0;

/// Lengths of the motion, frames.
const FRAMES: [usize; 6] = [5_000, 7_000, 10_000, 20_000, 35_000, 50_000];

/// Exponent of the power law that fits best.
fn exponent(values: &[f64]) -> f64 {
    let points: Vec<(f64, f64)> = (FRAMES.iter().zip(values))
        .map(|(&frames, value)| ((frames as f64).ln(), value.ln()))
        .collect();
    let count = points.len() as f64;
    let (x, y) = (
        points.iter().map(|point| point.0).sum::<f64>() / count,
        points.iter().map(|point| point.1).sum::<f64>() / count,
    );
    let covariance: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    let variance: f64 = points.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    covariance / variance
}

/// The section as Markdown.
pub(super) fn section(folder: &Path, page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Growth\n\n\
         Tables and the ten best of the list on captured motion at 120 fps; where there is not enough of it, it is mirrored, and\n\
         both are run backwards. Memory: what the search holds at most beside the features; of study and search, beside the take\n\
         (a synthetic walk).\n\n\
         | frames | any length, s | up to {MAX_SECS} s, s | MiB of the search | MiB of study and search |\n\
         | --- | --- | --- | --- | --- |"
    );
    let (mut any, mut bounded) = (Vec::new(), Vec::new());
    for num_frames in FRAMES {
        let (features, _) = inputs::captured(folder, num_frames, 120.0)?;
        if features.num_frames() < num_frames {
            return Err(format!("the captured takes give no {num_frames} frames"));
        }
        any.push(clock::time(|| list(&features, f64::INFINITY)));
        bounded.push(clock::time(|| list(&features, MAX_SECS)));
        let mebibytes = |work: Work| {
            memory::of(work, num_frames, folder).map_or_else(|| "-".to_owned(), |mebibytes| format!("{mebibytes:.0}"))
        };
        let _ = writeln!(
            page,
            "| {num_frames} | {:.3} | {:.3} | {} | {} |",
            any[any.len() - 1],
            bounded[bounded.len() - 1],
            mebibytes(Work::List),
            mebibytes(Work::Find),
        );
    }
    let _ = writeln!(
        page,
        "| exponent | {:.2} | {:.2} | | |\n",
        exponent(&any),
        exponent(&bounded)
    );
    Ok(())
}
