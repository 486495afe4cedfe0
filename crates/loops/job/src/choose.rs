//! Chooses the stretches of a take to make loops of: the one a recipe names, or those a search finds.

use loopwright_core::{
    LoopCandidate, MadeLoop, SearchSettings,
    feet::RootSpeed,
    mirror::{Pairing, SymmetricPose},
    pipeline::MAX_STRETCHES,
};

use crate::{
    error::JobError,
    recipe::{self, Recipe, StretchRecipe},
    search::{DEFAULT_TOP, MOST_ROWS, SearchRequest, search_rows},
    study::Studied,
    warning::Warning,
};

/// Which rows of the list become loops.
#[value(Eq)]
pub enum Rows {
    /// The recommended row, or a later one if the seam shows or only the later one is graded good.
    Recommended,
    /// The rows with these numbers, from 1.
    Picked(Vec<usize>),
    /// All rows.
    All,
}

impl Rows {
    /// Whether a take gives exactly one loop.
    pub fn is_one(&self) -> bool {
        match self {
            Self::Recommended => true,
            Self::Picked(rows) => rows.len() == 1,
            Self::All => false,
        }
    }
}

/// A request for loops of a take.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// How loops are made and written.
    pub recipe: &'a Recipe,
    /// How to search for a stretch; without it the recipe must name one.
    pub search: Option<&'a SearchRequest>,
    /// Which rows of the list become loops.
    pub rows: &'a Rows,
}

impl<'a> Request<'a> {
    /// Requests the one loop of the stretch that a recipe names.
    pub fn of(recipe: &'a Recipe) -> Self {
        Self {
            recipe,
            search: None,
            rows: &Rows::Recommended,
        }
    }
}

/// A stretch to make a loop of.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its row in the list, from 1.
    pub row: usize,
    /// The stretch.
    pub stretch: LoopCandidate,
    /// Alternatives to try if it is not good; empty if the user chose it.
    pub others: Vec<LoopCandidate>,
    /// Settings of the search for alternatives, if it was postponed.
    pub(crate) search: Option<SearchSettings>,
    pub(crate) made: Option<MadeLoop>,
}

impl Chosen {
    /// Creates a choice for a stretch that the user picked.
    pub fn new(row: usize, stretch: LoopCandidate) -> Self {
        Self {
            row,
            stretch,
            others: Vec::new(),
            search: None,
            made: None,
        }
    }

    /// Takes the first of a list of stretches and keeps the later ones as alternatives.
    pub fn first_of(list: Vec<LoopCandidate>) -> Option<Self> {
        let mut list = list.into_iter();
        let first = Self::new(1, list.next()?);
        Some(Self {
            others: list.collect(),
            ..first
        })
    }
}

/// Chooses the stretches to make loops of. A requested row that does not exist fails alone.
///
/// Errors: [`JobError`] if the recipe or the search is invalid, or nothing is found.
pub fn choose(
    studied: &Studied,
    request: Request,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<Result<Chosen, JobError>>, JobError> {
    let pairing = pairing_of(studied, request.recipe, warnings)?;
    if let Some(chosen) = named(studied, &request.recipe.stretch, &pairing) {
        return Ok(vec![Ok(chosen?)]);
    }
    let search = request.search.ok_or(JobError::NoStretch)?;
    search.check(studied)?;
    search.check_pairing(&pairing)?;
    // Search for at least as many as are listed by default, since the requested number may change the list.
    let most = match request.rows {
        Rows::Recommended => DEFAULT_TOP,
        Rows::Picked(rows) => rows.iter().copied().fold(DEFAULT_TOP, usize::max),
        Rows::All => MOST_ROWS,
    };
    let settings = SearchSettings {
        pairing,
        ..search.settings(most)
    };
    match request.rows {
        Rows::Recommended => recommended(studied, settings).map(|chosen| vec![Ok(chosen)]),
        Rows::Picked(rows) => {
            let found = rows_of(studied, &settings, search, warnings)?;
            let of_row = |&row: &usize| match found.get(row.wrapping_sub(1)) {
                Some(stretch) => Ok(Chosen::new(row, stretch.clone())),
                None => Err(JobError::NoSuchRow {
                    row,
                    count: found.len(),
                }),
            };
            Ok(rows.iter().map(of_row).collect())
        }
        Rows::All => Ok((1..)
            .zip(rows_of(studied, &settings, search, warnings)?)
            .map(|(row, stretch)| Ok(Chosen::new(row, stretch)))
            .collect()),
    }
}

/// Returns the recommended stretch, with alternatives in case its seam shows. Errors: nothing is found, or unless idle loops are
/// wanted only an idle part of a take that moves.
pub(crate) fn recommended(studied: &Studied, mut settings: SearchSettings) -> Result<Chosen, JobError> {
    // Ranked by cost, the first loop is found without the alternatives, which are rarely needed.
    let later = (!settings.ranks_by_outcome()).then(|| settings.clone());
    // That list is as long for any number, and only loops that may be made are worked out on the take itself.
    let most = if later.is_some() { 1 } else { 1 + MAX_STRETCHES };
    settings.max_candidates = settings.max_candidates.min(most);
    let (mut found, made) = studied.analysis.find_and_make(&settings)?;
    // A user who names frames, or asks for a ping-pong loop, means exactly them.
    let is_of_take = settings.within.is_none() && !settings.pairing.is_ping_pong();
    let is_aside = |first: &Chosen| {
        let stretch = &first.stretch;
        let is_part = stretch.is_idle && stretch.whole.is_none();
        is_part && is_of_take && !settings.idle && !studied.analysis.is_mostly_idle()
    };
    match Chosen::first_of(core::mem::take(&mut found.candidates)) {
        Some(first) if is_aside(&first) => Err(JobError::IdlePart(Box::new(first.stretch))),
        Some(first) => Ok(Chosen {
            search: later,
            made,
            ..first
        }),
        None => Err(JobError::NothingFound(Box::new(found))),
    }
}

/// Returns all rows of the list. Errors: the list is empty.
fn rows_of(
    studied: &Studied,
    settings: &SearchSettings,
    request: &SearchRequest,
    warnings: &mut Vec<Warning>,
) -> Result<Vec<LoopCandidate>, JobError> {
    let found = search_rows(studied, settings, request)?.found;
    warnings.extend(Warning::of_cycles_left_out(&found));
    if found.candidates.is_empty() {
        return Err(JobError::NothingFound(Box::new(found)));
    }
    Ok(found.candidates)
}

/// Returns how the ends of stretches meet, as the recipe asks. Errors: the take does not allow it, or it contradicts other
/// settings.
pub(crate) fn pairing_of(studied: &Studied, recipe: &Recipe, warnings: &mut Vec<Warning>) -> Result<Pairing, JobError> {
    let pairs = &recipe.take.mirror;
    let pairing = recipe::pairing(&studied.analysis, &recipe.stretch, pairs)?;
    if pairing.is_ping_pong() && matches!(recipe.output.root_speed, Some(RootSpeed::Given(_))) {
        return Err(JobError::PingPongSpeed);
    }
    match pairing.mirror() {
        None if !pairs.is_empty() => warnings.push(Warning::MirrorUnused),
        Some(mirror) if mirror.symmetric_pose() == SymmetricPose::Mean => warnings.push(Warning::MirroredByMeanPose),
        _ => {}
    }
    Ok(pairing)
}

fn named(studied: &Studied, stretch: &StretchRecipe, pairing: &Pairing) -> Option<Result<Chosen, JobError>> {
    let (start, end) = stretch.start.zip(stretch.end)?;
    let settings = SearchSettings {
        cycles: stretch.cycles,
        pairing: pairing.clone(),
        ..SearchSettings::default()
    };
    let stretch = studied.analysis.appraise(start, end, &settings);
    Some(stretch.map(|stretch| Chosen::new(1, stretch)).map_err(JobError::from))
}
