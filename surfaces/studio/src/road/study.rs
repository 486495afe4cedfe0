//! Studies of a take on demand: the cost of every seam, and the fit of a controller.

use loopwright_controller::{FitSettings, TakeFit};
use loopwright_core::{SearchSettings, analysis::Spectrum};
use serde::{Deserialize, Serialize};

use super::Opened;

/// Number of starts and of ends in the map of costs: more than the screen has points to click on would be useless.
const MAP: usize = 160;

/// A kind of study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Study {
    /// The cost of the seam from every frame to every other.
    Costs,
    /// The parameters of a character controller.
    Fit,
}

/// The costs of seams on a grid of starts and ends, relative to the cost of random frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostMap {
    /// Frames of the grid, for both starts and ends.
    pub frames: Vec<usize>,
    /// Ratios to the cost of random frames, start by start; infinite where the end is not after the start.
    pub ratios: Vec<f64>,
}

/// The result of a study.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Studied {
    /// The cost of seams.
    Costs(CostMap),
    /// The fit, or why there is none.
    Fit(Box<Result<TakeFit, String>>),
}

impl Study {
    /// Runs the study.
    pub fn of(self, opened: &Opened) -> Studied {
        match self {
            Self::Costs => Studied::Costs(CostMap::of(opened)),
            Self::Fit => Studied::Fit(Box::new(
                loopwright_controller::fit(&opened.studied.analysis, &FitSettings::default())
                    .map_err(|error| error.to_string()),
            )),
        }
    }
}

impl CostMap {
    fn of(opened: &Opened) -> Self {
        let count = opened.take().num_frames();
        let decay = SearchSettings::default().decay;
        let columns = count.min(MAP);
        let frames: Vec<usize> = (0..columns)
            .map(|column| column * (count - 1) / (columns - 1).max(1))
            .collect();
        let unit = opened.found.random_cost.filter(|&cost| cost > 0.0);
        let mut ratios: Vec<f64> = frames
            .iter()
            .flat_map(|&start| frames.iter().map(move |&end| (start, end)))
            .map(|(start, end)| {
                if start < end {
                    opened.studied.analysis.seam_cost(start, end, decay)
                } else {
                    f64::INFINITY
                }
            })
            .collect();
        let largest = ratios
            .iter()
            .copied()
            .filter(|cost| cost.is_finite())
            .fold(f64::MIN_POSITIVE, f64::max);
        for ratio in &mut ratios {
            *ratio /= unit.unwrap_or(largest);
        }
        Self { frames, ratios }
    }
}

/// Returns the lengths at which a take repeats, seconds, each with its likeness; the most alike first.
pub fn lengths(spectrum: &Spectrum, frame_time_secs: f64) -> Vec<[f64; 2]> {
    let settings = SearchSettings::default();
    let [least, most] = [settings.min_secs, settings.max_secs].map(|secs| (secs / frame_time_secs).ceil() as usize);
    spectrum
        .peaks(least, most, Spectrum::SHOWN_PROMINENCE)
        .iter()
        .map(|peak| [peak.lag_frames * frame_time_secs, peak.height])
        .collect()
}
