//! Which stretches of a take become loops: the one that a recipe names, or those that a search finds.

use loopwright_core::feet::RootSpeed;
use loopwright_core::mirror::{Pairing, SymmetricPose};
use loopwright_core::{LoopCandidate, MadeLoop, SearchSettings};

use crate::error::JobError;
use crate::recipe::Recipe;
use crate::recipe::{self, StretchRecipe};
use crate::search::{DEFAULT_TOP, SearchRequest};
use crate::search::{MOST_ROWS, search_rows};
use crate::study::Studied;
use crate::warning::Warning;

/// Which rows of the list become loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// The recommended one, or a later one where its seam shows or where it is not good and the later one is.
    Recommended,
    /// Those of these numbers, from 1.
    Picked(Vec<usize>),
    /// All of them.
    All,
}

impl Rows {
    /// Whether a take gives one loop.
    pub fn is_one(&self) -> bool {
        match self {
            Self::Recommended => true,
            Self::Picked(rows) => rows.len() == 1,
            Self::All => false,
        }
    }
}

/// Settings of the loops that are made of a take.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// How its loops are made and written.
    pub recipe: &'a Recipe,
    /// How to search for a stretch; without it, the recipe has to name one.
    pub search: Option<&'a SearchRequest>,
    /// Which rows of the list become loops.
    pub rows: &'a Rows,
}

/// A stretch to make a loop of.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// Its row in the list, from 1.
    pub row: usize,
    /// The stretch.
    pub stretch: LoopCandidate,
    /// Those to take instead where it is not good: none if the user chose it.
    pub others: Vec<LoopCandidate>,
    /// The search for those, where it was left for later.
    pub(crate) search: Option<SearchSettings>,
    pub(crate) made: Option<MadeLoop>,
}

impl Chosen {
    /// A stretch of the user's choice.
    pub fn new(row: usize, stretch: LoopCandidate) -> Self {
        Self {
            row,
            stretch,
            others: Vec::new(),
            search: None,
            made: None,
        }
    }

    /// The first of a list of stretches, with the later ones to take instead where its seam shows.
    pub fn first_of(list: Vec<LoopCandidate>) -> Option<Self> {
        let mut list = list.into_iter();
        let first = Self::new(1, list.next()?);
        Some(Self {
            others: list.collect(),
            ..first
        })
    }
}

/// The stretches to make loops of. A row that is asked for and not there is a failure of its own.
///
/// Errors: the recipe or the search cannot be followed, or nothing is found: [`JobError`].
pub fn choose(
    studied: &Studied,
    request: Request<'_>,
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
        // The first row of any list is the first loop of the whole take, which takes no search of the rest.
        Rows::Picked(rows) if rows == &[1] && !search.every_cycle => {
            let (found, made) = studied.analysis.find_and_make(&settings)?;
            let Some(first) = found.candidates.first() else {
                return Err(JobError::NothingFound(Box::new(found)));
            };
            let chosen = Chosen::new(1, first.clone());
            Ok(vec![Ok(Chosen { made, ..chosen })])
        }
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
        Rows::All => {
            let found = rows_of(studied, &settings, search, warnings)?;
            let rows = (1..).zip(found);
            Ok(rows.map(|(row, stretch)| Ok(Chosen::new(row, stretch))).collect())
        }
    }
}

/// The recommended stretch, with others to take where its seam shows.
fn recommended(studied: &Studied, mut settings: SearchSettings) -> Result<Chosen, JobError> {
    // By price the first loop is found without the others, which few need.
    let later = (!settings.ranks_by_outcome()).then(|| settings.clone());
    if later.is_some() {
        settings.max_candidates = 1;
    }
    let (mut found, made) = studied.analysis.find_and_make(&settings)?;
    match Chosen::first_of(core::mem::take(&mut found.candidates)) {
        Some(first) => Ok(Chosen {
            search: later,
            made,
            ..first
        }),
        None => Err(JobError::NothingFound(Box::new(found))),
    }
}

/// All rows of the list. Errors: there is none.
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

/// How the ends of stretches meet, as a recipe asks for it. Errors: it cannot be so, or what else is asked for contradicts it.
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
    let appraised = studied.analysis.appraise(start, end, &settings);
    Some(appraised.map(|stretch| Chosen::new(1, stretch)).map_err(JobError::from))
}
