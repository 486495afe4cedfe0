//! Whether the second derivative of the autocorrelation predicts where loops end: its zero crossings compared with peaks.

use super::field::Field;
use crate::{statistics::median, table::Table, takes::Studied};

/// The marks that loop lengths are compared with.
const MARKS: [&str; 3] = [
    "zero crossings of the second derivative",
    "peaks",
    "peaks that stand out by 0.1",
];

/// Distances of one kind of marks.
#[derive(Default)]
struct Distances {
    /// From the recommended loop's length to the nearest mark, frames.
    frames: Vec<f64>,
    /// The same distance divided by the mean distance of all lags to their nearest mark.
    over_random: Vec<f64>,
    /// Lags between two marks, frames.
    spacing: Vec<f64>,
}

/// Lags at which the second difference changes its sign, interpolated linearly between frames.
fn crossings(values: &[f64], lags: &core::ops::RangeInclusive<usize>) -> Vec<f64> {
    let second = |lag: usize| values[lag + 1] - 2.0 * values[lag] + values[lag - 1];
    let last = (*lags.end()).min(values.len().saturating_sub(3));
    ((*lags.start()).max(1)..=last)
        .filter_map(|lag| {
            let (here, next) = (second(lag), second(lag + 1));
            ((here < 0.0) != (next < 0.0)).then(|| lag as f64 + here / (here - next))
        })
        .collect()
}

fn nearest(marks: &[f64], lag: f64) -> Option<f64> {
    marks.iter().map(|mark| (mark - lag).abs()).min_by(f64::total_cmp)
}

/// Distances of loop ends from marks of each kind.
pub(super) fn table(studied: &[Studied]) -> Result<Table, String> {
    let mut distances: [Distances; 3] = Default::default();
    let mut takes = 0;
    for studied in studied {
        let field = Field::new(studied)?;
        let values = studied.analysis.spectrum.values();
        let (first, last) = (
            *field.lags.start(),
            (*field.lags.end()).min(values.len().saturating_sub(3)),
        );
        let length = field.best.cut.num_frames();
        if field.best.is_idle || length > last as f64 {
            continue;
        }
        takes += 1;
        let peaks = |min_prominence: f64| -> Vec<f64> {
            let peaks = studied.analysis.spectrum.peaks(first, last, min_prominence);
            peaks.iter().map(|peak| peak.lag_frames).collect()
        };
        let marks = [crossings(values, &(first..=last)), peaks(0.0), peaks(0.1)];
        for (distances, marks) in distances.iter_mut().zip(&marks) {
            let Some(own) = nearest(marks, length) else {
                continue;
            };
            let all: f64 = (first..=last).filter_map(|lag| nearest(marks, lag as f64)).sum();
            let random = all / (last - first + 1) as f64;
            distances.frames.push(own);
            distances.over_random.push(own / random);
            distances.spacing.push((last - first) as f64 / marks.len() as f64);
        }
    }
    let mut table = Table::new(
        "marks | takes | takes that have any | frames | over random | within 1 frame | a mark every so many frames",
    );
    for (name, distances) in MARKS.iter().zip(distances) {
        let within = distances.frames.iter().filter(|&&frames| frames <= 1.0).count();
        table.row(format_args!(
            "{name} | {takes} | {} | {:.2} | {:.2} | {within} | {:.0}",
            distances.frames.len(),
            median(distances.frames),
            median(distances.over_random),
            median(distances.spacing),
        ));
    }
    Ok(table)
}
