//! Search requests, as flags and as settings of the search, and the list of loops that people choose from.

use loopwright_core::{
    FoundLoops, LoopCandidate, SearchSettings,
    candidate::{DEFAULT_HALF_LIFE_SECS, FoundStretch, FoundStretches, RootMotionBounds, SearchError, SegmentLoops},
    math::{Decay, DecayKind},
    mirror::Pairing,
    pipeline::Retry,
};
use loopwright_formats::loop_file::facts::Grade;

#[cfg(feature = "clap")]
use crate::recipe::{headings::WHICH_LOOP, words::parse_bounds};
use crate::{error::JobError, recipe::SearchRecipe, study::Studied, verdict};

/// Number of loops that `find` lists by default; `make --pick` counts in the same list.
pub const DEFAULT_TOP: usize = 10;

/// Largest number of rows per take: an hour of capture has fewer stretches.
pub(crate) const MOST_ROWS: usize = 1000;

/// Shortest and longest loop of a default search, seconds.
const DEFAULT_SECONDS: [f64; 2] = [0.4, 10.0];

/// Which loops to look for.
#[flags(WHICH_LOOP)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchRequest {
    /// Cycles in the loop, such as 2 for four steps [default: the fewest].
    #[flag(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub cycles: Option<u32>,
    /// Length of the loop, seconds; one end may be left out [default: 0.4:10].
    #[flag(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub seconds: Option<[f64; 2]>,
    /// Search these frames of the take only, counted from 0.
    #[flag(long, value_name = "START:END", value_parser = parse_range)]
    pub within: Option<(usize, usize)>,
    /// Only loops of this speed, m/s; one end may be left out.
    #[flag(long, value_name = "LOW:HIGH", value_parser = parse_bounds)]
    pub speed: Option<[f64; 2]>,
    /// Only loops of this turn rate, deg/s, left positive.
    #[flag(long, value_name = "LOW:HIGH", value_parser = parse_bounds, allow_hyphen_values = true)]
    pub turn_rate: Option<[f64; 2]>,
    /// Only loops that turn to this side by 5 deg/s or more, or to none by less.
    #[flag(long, value_enum, value_name = "SIDE", conflicts_with = "turn_rate")]
    pub turning: Option<TurnSide>,
    /// Only idle loops: the body stays about where it is.
    #[flag(long, conflicts_with_all = ["cycles", "speed", "turning"])]
    pub idle: bool,
    /// Each cycle of a gait by itself.
    #[flag(long, conflicts_with = "idle")]
    pub every_cycle: bool,
    /// How loops are compared.
    pub tuning: SearchRecipe,
}

/// A side to turn to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[expect(missing_docs, reason = "the words say all, and docs would be listed in the help")]
pub enum TurnSide {
    Left,
    Right,
    None,
}

/// Turn rate from which a loop counts as turning, degrees per second.
pub const TURNING_DPS: f64 = 5.0;

impl SearchRequest {
    /// Shortest and longest loop, seconds.
    pub fn bounds_secs(&self) -> [f64; 2] {
        let [low, high] = self.seconds.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]);
        let low = if low.is_finite() { low } else { DEFAULT_SECONDS[0] };
        [
            low,
            if high.is_finite() {
                high
            } else {
                DEFAULT_SECONDS[1].max(low)
            },
        ]
    }

    /// Applies the search settings of a recipe.
    #[must_use]
    pub fn tuned(self, recipe: &SearchRecipe) -> Self {
        Self {
            tuning: *recipe,
            ..self
        }
    }

    fn half_life_secs(&self) -> f64 {
        self.tuning.half_life.unwrap_or(DEFAULT_HALF_LIFE_SECS)
    }

    /// Returns how a jump at a seam would fade, by which seams are compared; blends last so many times the half-life of a spring.
    pub fn fade(&self, times: f64) -> Decay {
        let secs = self.half_life_secs();
        self.tuning
            .fade
            .unwrap_or(DecayKind::Spring)
            .lasting(secs, times * secs)
    }

    /// Returns the settings of the search for at most this many rows.
    pub fn settings(&self, max_candidates: usize) -> SearchSettings {
        let [min_secs, max_secs] = self.bounds_secs();
        SearchSettings {
            min_secs,
            max_secs,
            cycles: self.cycles,
            max_candidates,
            decay: self.fade(4.0),
            within: self.within,
            root_motion: RootMotionBounds {
                speed_mps: self.speed,
                turn_radps: self.turn_bounds().map(|bounds| bounds.map(f64::to_radians)),
                climb_mps: self.tuning.climb,
            },
            idle: self.idle,
            choose_by: self.tuning.choose.unwrap_or_default(),
            pairing: Pairing::Same,
            // A length limit applies to parts of the take, so the whole take is not considered.
            whole_take: self.seconds.is_none(),
        }
    }

    /// Returns the requested range of turn rates, degrees per second.
    fn turn_bounds(&self) -> Option<[f64; 2]> {
        match self.turning {
            Some(TurnSide::Left) => Some([TURNING_DPS, f64::INFINITY]),
            Some(TurnSide::Right) => Some([f64::NEG_INFINITY, -TURNING_DPS]),
            Some(TurnSide::None) => Some([-TURNING_DPS, TURNING_DPS]),
            None => self.turn_rate,
        }
    }

    /// Checks the numbers. Errors: the search of this take cannot use them.
    pub fn check(&self, studied: &Studied) -> Result<(), JobError> {
        let found = self.half_life_secs();
        if !(found > 0.0 && found.is_finite()) {
            return Err(JobError::HalfLife { found });
        }
        studied.check_search()?;
        let last = studied.take().num_frames() - 1;
        match self.within {
            Some((start, end)) if start >= end || end > last => Err(JobError::Within { start, end }),
            _ => Ok(()),
        }
    }

    /// Checks the conditions against the pairing. Errors: a condition that does not apply to a ping-pong loop.
    pub fn check_pairing(&self, pairing: &Pairing) -> Result<(), JobError> {
        let mut said = [
            ("--cycles", self.cycles.is_some()),
            ("--speed", self.speed.is_some()),
            ("--turn-rate", self.turn_rate.is_some()),
            ("--turning", self.turning.is_some()),
            ("search.climb", self.tuning.climb.is_some()),
            ("--idle", self.idle),
            ("--every-cycle", self.every_cycle),
            ("search.shifted", self.tuning.shifted == Some(true)),
        ]
        .into_iter()
        .filter(|(_, is_said)| *is_said);
        match said.next().filter(|_| pairing.is_ping_pong()) {
            Some((name, _)) => Err(JobError::PingPong { name }),
            None => Ok(()),
        }
    }
}

/// The numbered list of loops of a take, from which loops are picked.
#[derive(Clone, Debug, Default)]
pub struct SearchRows {
    /// The rows: the best loop of each stretch, or shifted and multiple versions one by one.
    pub found: FoundLoops,
    /// The stretches behind the rows, unless versions are listed one by one.
    pub stretches: Option<Stretches>,
}

/// The stretches behind the rows of a list.
#[derive(Clone, Debug)]
pub struct Stretches {
    /// For each row, the number of loops of that stretch, itself included.
    pub versions: Vec<usize>,
    /// Number of further rows beyond the requested count.
    pub num_left_out: usize,
    /// The segments of the take, and the row of each.
    pub segments: Vec<SegmentLoops>,
}

/// Searches for the rows of the request: stretches, single cycles, or shifted and multiple versions of loops. `settings` come
/// from the request, possibly with a mirror. Errors: the take cannot be searched.
pub fn search_rows(
    studied: &Studied,
    settings: &SearchSettings,
    request: &SearchRequest,
) -> Result<SearchRows, SearchError> {
    let of = |found| SearchRows { found, stretches: None };
    if request.every_cycle {
        // Search the cycles of all stretches, so that a number means the same cycle whatever the number of rows.
        let most = SearchSettings {
            max_candidates: MOST_ROWS,
            ..settings.clone()
        };
        return studied.analysis.find_cycles(&most).map(of);
    }
    if request.tuning.shifted == Some(true) {
        return studied.analysis.find_loops(settings).map(of);
    }
    let mut found = studied.analysis.find_stretches(settings)?;
    put_good_first(studied, settings, &mut found)?;
    Ok(SearchRows {
        stretches: Some(Stretches {
            versions: found.rows.iter().map(|row| 1 + row.versions.len()).collect(),
            num_left_out: found.num_left_out,
            segments: found.segments,
        }),
        found: FoundLoops {
            candidates: found.rows.into_iter().map(|row| row.best).collect(),
            random_cost: found.random_cost,
            nearest_miss: found.nearest_miss,
            ..FoundLoops::default()
        },
    })
}

/// Puts the loop first that [`crate::make`] makes without any settings: of a recommended loop that is not good, the first good one of those
/// that it tries instead.
fn put_good_first(studied: &Studied, settings: &SearchSettings, found: &mut FoundStretches) -> Result<(), SearchError> {
    let analysis = &studied.analysis;
    let is_good =
        |each: &LoopCandidate| verdict::of_stretch(studied, each).is_some_and(|verdict| verdict.grade == Grade::Good);
    let Some(first) = found.rows.first().map(|row| &row.best) else {
        return Ok(());
    };
    if !settings.ranks_by_outcome() || first.keeps_its_place() || is_good(first) {
        return Ok(());
    }
    let listed = analysis.find_loops(&SearchSettings {
        max_candidates: DEFAULT_TOP,
        ..settings.clone()
    })?;
    let retry = Retry {
        stretches: &listed.candidates,
        ..Retry::default()
    };
    let Some(good) = retry.instead_of(first).find(|other| is_good(other)) else {
        return Ok(());
    };
    let is_good = |each: &LoopCandidate| each.cut == good.cut;
    let in_row = |row: &FoundStretch| is_good(&row.best) || row.versions.iter().any(is_good);
    let Some(from) = found.rows.iter().position(in_row) else {
        return Ok(());
    };
    let row = &mut found.rows[from];
    if let Some(version) = row.versions.iter_mut().find(|version| is_good(version)) {
        core::mem::swap(&mut row.best, version);
    }
    found.rows[..=from].rotate_right(1);
    for segment in &mut found.segments {
        segment.row = segment.row.map(|row| match row {
            row if row == from => 0,
            row if row < from => row + 1,
            row => row,
        });
    }
    Ok(())
}

/// Parses `START:END`, whole frames.
#[cfg(feature = "clap")]
pub fn parse_range(text: &str) -> Result<(usize, usize), String> {
    let wrong = || "must be START:END, two whole frames counted from 0, such as 120:185".to_owned();
    let (start, end) = text.split_once(':').ok_or_else(wrong)?;
    Ok((
        start.trim().parse().map_err(|_| wrong())?,
        end.trim().parse().map_err(|_| wrong())?,
    ))
}
