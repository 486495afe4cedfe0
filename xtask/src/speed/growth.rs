//! Growth of the search's time and memory with the length of the take: captured motion at 120 fps, joined end to end.

use std::{ffi::OsStr, path::Path};

use loopwright::SearchSettings;
use loopwright_synth::{WalkSettings, synthesize};

use super::{MAX_SECS, inputs, list};
use crate::{
    clock, memory,
    statistics::mean,
    table::{Table, cell},
    takes::Studied,
};

/// Lengths of the motion, frames.
const FRAMES: [usize; 6] = [5_000, 7_000, 10_000, 20_000, 35_000, 50_000];

/// Work whose memory is measured.
#[derive(Clone, Copy)]
enum Work {
    /// The tables of the search and the ten best of its list, on captured motion.
    List,
    /// Study and search of a synthetic take, as `find` does them.
    Find,
}

impl Work {
    /// The argument that asks a child process for this work.
    fn name(self) -> &'static str {
        match self {
            Self::List => "list",
            Self::Find => "find",
        }
    }

    /// MiB that the work takes in addition to its input of `num_frames`; `None` if the system does not report it.
    fn mebibytes(self, num_frames: usize) -> Option<f64> {
        memory::of_child(&[self.name(), &num_frames.to_string()].map(OsStr::new))
    }
}

/// In a child process: MiB that the named work takes in addition to its input of `num_frames`; `None` for an unknown name.
pub(crate) fn memory_of(work: &str, num_frames: &str) -> Option<Result<f64, String>> {
    let work = [Work::List, Work::Find]
        .into_iter()
        .find(|known| known.name() == work)?;
    let measure = || match (work, num_frames.parse()) {
        (_, Err(_)) => Err(format!("{num_frames} is no number of frames")),
        (Work::List, Ok(num_frames)) => {
            let (features, _) = inputs::captured(&loopwright_mocap::folder(), num_frames, 120.0)?;
            memory::risen(|| Ok(list(&features, MAX_SECS)))
        }
        (Work::Find, Ok(num_frames)) => {
            let settings = WalkSettings {
                seconds: (num_frames - 1) as f64 / 120.0,
                frame_rate_hz: 120.0,
                noise_deg: 0.2,
                speed_variation: 0.02,
                ..WalkSettings::default()
            };
            let take = synthesize(&settings).map_err(|error| error.to_string())?.take;
            memory::risen(|| {
                let studied = Studied::of("a synthetic walk", take)?;
                let found = studied.find(&SearchSettings::default())?;
                Ok((studied, found))
            })
        }
    };
    Some(measure())
}

/// Exponent of the best-fitting power law.
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
pub(super) fn table(folder: &Path) -> Result<Table, String> {
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
