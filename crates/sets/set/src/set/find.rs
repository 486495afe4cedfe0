//! Finds the loops that a take offers to a set.

use loopwright_core::{LoopCandidate, RootMode, analysis::MotionKind, math::ops};
use loopwright_formats::{
    LoadedTake, Sidecar,
    set::{MadeFrom, SetMade},
};

use super::member::as_take;
use loopwright_job::{
    Chosen, JobError, Matched, Recipe, Request, Rows, SearchRequest, StoredLoop, StoredLoopError, Studied, choose,
    make,
    recipe::{OutputRecipe, Recenter},
    write,
};

/// Tolerances within which stretches of one take move alike, metres per second and degrees per second, and the number of them
/// that are tried.
const ALIKE_MPS: f64 = 0.2;
const ALIKE_DPS: f64 = 12.0;
const ALIKE: usize = 2;

/// Most loops of one take.
const MOST: usize = 24;

/// A loop of a take, and its origin.
pub type TakeLoop = (StoredLoop, SetMade);

/// Returns the loops of a take: one cycle each, the best of each repeated motion, `variants` of each; and idle ones. Failures
/// are in the list, too. Errors: the take cannot be searched.
pub fn loops_of(
    studied: &Studied,
    recipe: &Recipe,
    variants: usize,
) -> Result<Vec<Result<TakeLoop, JobError>>, JobError> {
    let mut loops = Vec::new();
    let mut failure = None;
    let mut has_longer = false;
    for search in searches(studied, variants) {
        if search.cycles.is_some() && !has_longer {
            continue;
        }
        let recipe = recipe_for(recipe, &search);
        let request = Request {
            recipe: &recipe,
            search: Some(&search),
            rows: &Rows::All,
        };
        let chosen = match choose(studied, request, &mut Vec::new()) {
            Ok(chosen) => chosen,
            Err(error) => {
                failure.get_or_insert(error);
                continue;
            }
        };
        let mut chosen: Vec<Chosen> = chosen.into_iter().flatten().collect();
        let found = chosen.len();
        // Breaths of an idle body are no strides: all that its author looped is kept.
        let kind = |stretch: &LoopCandidate| studied.analysis.motion_kind(Some(stretch), None);
        chosen.retain(|Chosen { stretch, .. }| stretch.cycles <= 1 || kind(stretch) == MotionKind::Idle);
        has_longer |= chosen.len() < found;
        for chosen in differing(chosen, ALIKE.max(variants.saturating_mul(2))) {
            loops.push(made_of(studied, request, &chosen));
        }
    }
    match (loops.is_empty(), failure) {
        (true, Some(error)) => Err(error),
        _ => Ok(loops),
    }
}

/// Returns the searches in a take.
fn searches(studied: &Studied, variants: usize) -> impl Iterator<Item = SearchRequest> {
    let gaits = SearchRequest::default();
    let each_cycle = SearchRequest {
        every_cycle: true,
        ..SearchRequest::default()
    };
    // If several cycles are recommended, a single one may still be good enough.
    let of_one_cycle = SearchRequest {
        cycles: Some(1),
        ..gaits.clone()
    };
    let idle = SearchRequest {
        idle: true,
        ..SearchRequest::default()
    };
    let rests = studied.analysis.is_mostly_idle()
        || studied
            .analysis
            .segments
            .iter()
            .any(|part| part.gait.kind == MotionKind::Idle);
    let searches = [
        Some(gaits),
        Some(of_one_cycle),
        (variants > 1).then_some(each_cycle),
        rests.then_some(idle),
    ];
    searches.into_iter().flatten()
}

/// Returns the recipe for the loops of a search: at the place of the take, on its own joints; an idle body is kept in place.
fn recipe_for(recipe: &Recipe, search: &SearchRequest) -> Recipe {
    Recipe {
        output: OutputRecipe {
            root_motion: search.idle.then_some(RootMode::Stationary),
            add_root: Some(false),
            recenter: Some(Recenter::Off),
            ..OutputRecipe::default()
        },
        ..recipe.clone()
    }
}

/// Returns the first `most` loops of each group of similar motions, if the take repeats there.
fn differing(chosen: Vec<Chosen>, most: usize) -> Vec<Chosen> {
    let mut kept: Vec<Chosen> = Vec::new();
    for each in chosen {
        let stretch = &each.stretch;
        let is_usable = stretch.whole.is_some() || stretch.is_idle || stretch.is_sound();
        let before = kept.iter().filter(|kept| move_alike(&kept.stretch, stretch)).count();
        if is_usable && before < most && kept.len() < MOST {
            kept.push(each);
        }
    }
    kept
}

fn move_alike(one: &LoopCandidate, other: &LoopCandidate) -> bool {
    let [(speed, way, turn), (of_speed, of_way, of_turn)] = [one, other].map(|stretch| {
        let twist = stretch.twist;
        (
            ops::over_ground(twist.linear),
            ops::atan2(twist.linear.x, twist.linear.z),
            twist.angular.y.to_degrees(),
        )
    });
    let apart = (way - of_way).abs();
    let is_same_way = speed.max(of_speed) < ALIKE_MPS || ops::cos(apart) > 0.9;
    (speed - of_speed).abs() < ALIKE_MPS && (turn - of_turn).abs() < ALIKE_DPS && is_same_way
}

/// Returns the loop of a stretch of a take, on its own joints and where it stands. Errors: it cannot be made.
pub fn loop_of(studied: &Studied, recipe: &Recipe, chosen: &Chosen) -> Result<TakeLoop, JobError> {
    let mut own = recipe_for(recipe, &SearchRequest::default());
    own.output.fps = recipe.output.fps;
    let request = Request::of(&own);
    made_of(studied, request, chosen)
}

fn made_of(studied: &Studied, request: Request, chosen: &Chosen) -> Result<TakeLoop, JobError> {
    let goes_into = studied.goes_into();
    let done = make(studied, request, chosen)?;
    let written = write(studied, request, done, goes_into.source.format())?;
    let made = &written.done.made;
    let clip = made.from_start().into_owned();
    let mut sidecar = written.file.sidecar;
    sidecar.playback.root_joint_added = false;
    let file = LoadedTake {
        take: as_take(&clip, made.root.mode).unwrap_or_else(|_| goes_into.take.clone()),
        source: goes_into.source.clone(),
        file_sha256: None,
        limits: goes_into.limits,
    };
    let facts = studied.facts();
    let candidate = &sidecar.candidate;
    let from = SetMade::of_take(&facts, Some([candidate.start_frame, candidate.end_frame]));
    let stored = StoredLoop {
        clip,
        file,
        sidecar,
        facts,
        followed: None,
    };
    Ok((stored, from))
}

/// Returns a loop made before, on the character if there is one. Errors: it cannot be put onto the character.
pub fn loop_made_before(stored: StoredLoop, matched: Option<&Matched>) -> Result<TakeLoop, StoredLoopError> {
    let Sidecar {
        take, candidate, blend, ..
    } = &stored.sidecar;
    let frames = [candidate.start_frame, candidate.end_frame];
    let from = match blend {
        Some(_) => SetMade {
            from: MadeFrom::Blend,
            ..SetMade::of_take(take, None)
        },
        None => SetMade::of_take(take, Some(frames)),
    };
    let mut stored = match matched {
        None => stored,
        Some(matched) => {
            let own = &matched.target.character.file;
            let onto = stored.onto(matched, None, false, &own.source)?;
            let sidecar = onto.write(&own.source)?.sidecar;
            StoredLoop {
                file: own.clone(),
                facts: sidecar.take.clone(),
                sidecar,
                clip: onto.clip,
                followed: None,
            }
        }
    };
    stored.sidecar.playback.root_joint_added = false;
    Ok((stored, from))
}
