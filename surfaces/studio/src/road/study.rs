//! Studies of a take on demand: the cost of every seam, jumps between its loops, and the fit of a controller.

use loopwright_controller::{FitError, FitSettings, TakeFit};
use loopwright_core::SearchSettings;
use loopwright_core::analysis::Spectrum;
use loopwright_core::candidate::DEFAULT_HALF_LIFE_SECS;
use loopwright_core::math::DecayKind;
use loopwright_moves::Transitions;
use loopwright_moves::play::DEFAULT_FADE_SECS;
use loopwright_moves::transition::{Crossing, TransitionClip, TransitionError};
use serde::{Deserialize, Serialize};

use super::{Edit, Made, MadeError, Opened, Stretch};

/// Starts and ends of the map of costs: more than there are points of the screen to click on are of no use.
const MAP: usize = 160;

/// Loops between which jumps are listed.
const MOST_LOOPS: usize = 4;

/// Which study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Study {
    /// The cost of the seam from every frame to every other.
    Costs,
    /// The cheapest jumps between the loops found.
    Jumps,
    /// The parameters of a character controller.
    Fit,
}

/// The cost of seams on a grid of starts and ends, as shares of that of random frames.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CostMap {
    /// Frames of the grid, of starts and ends alike.
    pub frames: Vec<usize>,
    /// Share of the cost of random frames, start by start; infinite where the end is not after the start.
    pub ratios: Vec<f64>,
}

/// The cheapest jump from a loop into another one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Jump {
    /// The loop that is left, by its place in the list.
    pub from: usize,
    /// The loop that is entered.
    pub to: usize,
    /// Time at which it is left, seconds since its start.
    pub exit_secs: f64,
    /// Time at which the other is entered.
    pub entry_secs: f64,
    /// Its cost, metre-seconds, as `loopwright cost` counts.
    pub cost: f64,
}

/// Why there is no such study; between the page and its worker in words.
#[derive(Clone, Debug, PartialEq, thiserror::Error, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum StudyError {
    /// A loop cannot be made.
    #[error(transparent)]
    Made(#[from] MadeError),
    /// Loops cannot be compared.
    #[error(transparent)]
    Transition(#[from] TransitionError),
    /// The controller cannot be fitted.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// A failure beside the window.
    #[error("{0}")]
    Beside(String),
}

impl From<String> for StudyError {
    fn from(reason: String) -> Self {
        Self::Beside(reason)
    }
}

impl From<StudyError> for String {
    fn from(error: StudyError) -> Self {
        error.to_string()
    }
}

/// The result of a study.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Studied {
    /// The cost of seams.
    Costs(CostMap),
    /// Jumps.
    Jumps(Result<Vec<Jump>, StudyError>),
    /// The fit.
    Fit(Box<Result<TakeFit, StudyError>>),
}

impl Study {
    /// Works it out.
    pub fn of(self, opened: &Opened) -> Studied {
        match self {
            Self::Costs => Studied::Costs(CostMap::of(opened)),
            Self::Jumps => Studied::Jumps(jumps(opened)),
            Self::Fit => Studied::Fit(Box::new(
                loopwright_controller::fit(&opened.studied.analysis, &FitSettings::default()).map_err(StudyError::from),
            )),
        }
    }
}

impl CostMap {
    fn of(opened: &Opened) -> Self {
        let (count, decay) = (opened.take().num_frames(), SearchSettings::default().decay);
        let columns = count.min(MAP);
        let frames: Vec<usize> = (0..columns)
            .map(|column| column * (count - 1) / (columns - 1).max(1))
            .collect();
        let unit = opened.found.random_cost.filter(|&cost| cost > 0.0);
        let seams = frames
            .iter()
            .flat_map(|&start| frames.iter().map(move |&end| (start, end)));
        let costs = seams.map(|(start, end)| {
            if start < end {
                opened.studied.analysis.seam_cost(start, end, decay)
            } else {
                f64::INFINITY
            }
        });
        let mut ratios: Vec<f64> = costs.collect();
        let largest = (ratios.iter().copied())
            .filter(|cost| cost.is_finite())
            .fold(f64::MIN_POSITIVE, f64::max);
        for ratio in &mut ratios {
            *ratio /= unit.unwrap_or(largest);
        }
        Self { frames, ratios }
    }

    /// Starts, and as many ends.
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}

/// The cheapest jump from each of the first loops into each other one, the cheapest first.
fn jumps(opened: &Opened) -> Result<Vec<Jump>, StudyError> {
    let count = opened.found.candidates.len().min(MOST_LOOPS);
    let first = Edit::first(opened);
    let mut clips = Vec::new();
    for index in 0..count {
        let made = Made::of(opened, &first.of_stretch(Stretch::Found(index)))?;
        let clip = made.done.made.loop_clip;
        clips.push(TransitionClip::from_loop(&clip, &opened.study.overrides())?);
    }
    // The defaults of `loopwright cost`.
    let decay = DecayKind::Spring.lasting(DEFAULT_HALF_LIFE_SECS, DEFAULT_FADE_SECS);
    let mut jumps = Vec::new();
    for (from, left) in clips.iter().enumerate() {
        for (to, entered) in clips.iter().enumerate().filter(|(to, _)| *to != from) {
            let transitions = Transitions::between(left, entered, &opened.study.weights)?;
            let (exits, entries) = (0..left.num_frames(), 0..entered.num_frames());
            let best = transitions.best(exits, entries, decay, 1);
            jumps.extend(best.first().map(|&Crossing { exit, entry, cost }| Jump {
                from,
                to,
                exit_secs: exit as f64 * left.step_secs(),
                entry_secs: entry as f64 * entered.step_secs(),
                cost,
            }));
        }
    }
    jumps.sort_by(|one, other| one.cost.total_cmp(&other.cost));
    Ok(jumps)
}

/// The lengths at which a take repeats, seconds, with how alike it is there; the most alike first.
pub fn lengths(spectrum: &Spectrum, frame_time_secs: f64) -> Vec<[f64; 2]> {
    let settings = SearchSettings::default();
    let [least, most] = [settings.min_secs, settings.max_secs].map(|secs| (secs / frame_time_secs).ceil() as usize);
    let peaks = spectrum.peaks(least, most, Spectrum::SHOWN_PROMINENCE);
    (peaks.iter())
        .map(|peak| [peak.lag_frames * frame_time_secs, peak.height])
        .collect()
}
