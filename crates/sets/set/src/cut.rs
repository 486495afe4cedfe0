//! Cuts passages out of a take: starts, stops, turns, jumps; and makes transitions between loops.

use crate::passage_check::{check_cut, clip_kind, events, state_facts};
use loopwright_core::{
    LoopCandidate, LoopClip,
    analysis::{Analysis, Gait, MotionKind, Segment},
    math::TimeStep,
    take::TakeError,
};
use loopwright_formats::{
    Format, LoopFileError, Target, WrittenFile, added_root_name,
    loop_file::CarriedMotion,
    set::{PassageFacts, RootKeys},
};
use loopwright_moves::{
    LoopSet, Passage, PassageKind,
    passage::{self, FoundPassages, Looked, PassageError},
};

use loopwright_job::{
    CarryError, Chosen, JobError, LoopMade, Recipe, Request, Rows, SearchRequest, Studied, choose, make, max_rate_hz,
    name_part,
};

/// Which passages to cut.
#[derive(Clone, Debug)]
pub struct CutRequest {
    /// The kinds to look for.
    pub kinds: Vec<PassageKind>,
    /// Frames per second; `None` for the rate of the first loop.
    pub fps: Option<f64>,
    /// The engine that passages are written for.
    pub engine: Target,
}

/// Why nothing can be cut.
#[error_sum]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum CutTakeError {
    /// More frames per second than an engine uses.
    #[error("{wanted_hz} frames per second exceed the limit of {limit_hz:.0}")]
    Rate {
        wanted_hz: f64,
        limit_hz: f64,
    },
    #[error("there is no loop to begin or end in: the take neither stands nor repeats")]
    NoLoops,
    Passage(PassageError),
    Carry(CarryError),
    Job(JobError),
}

impl From<loopwright_moves::play::PlayError> for CutTakeError {
    fn from(error: loopwright_moves::play::PlayError) -> Self {
        Self::Passage(error.into())
    }
}

/// The name of a loop of one pose; further ones are numbered.
pub const STANCE: &str = "stance";

/// Shorter segments contain no loop of their gait, seconds.
const SHORTEST_SECS: f64 = 1.2;

/// Number of segments of a gait that are searched, the longest first.
const MOST_SEGMENTS: usize = 3;

/// Returns the name of the loop of a gait; `None` for gaits that passages do not connect.
fn name_of(gait: Gait) -> Option<String> {
    let kind = gait.kind.straight();
    let side = gait.side.map_or_else(String::new, |side| format!("_{side}"));
    (kind == MotionKind::Idle || kind.travels()).then(|| format!("{kind}{side}"))
}

/// Finds the recommended loop of each gait of a take, with names, in a fixed order of gaits.
///
/// Gaits that never repeat have none. Errors: the take cannot be searched.
pub fn own_loops(studied: &Studied, recipe: &Recipe) -> Result<Vec<(String, LoopMade)>, JobError> {
    let step = TimeStep::new(studied.take().frame_time_secs());
    let length = |segment: &Segment| segment.end_frame - segment.start_frame;
    let mut loops = Vec::new();
    for gait in Gait::ALL {
        let Some(name) = name_of(gait) else { continue };
        let mut segments: Vec<&Segment> = studied
            .analysis
            .segments
            .iter()
            .filter(|segment| segment.gait == gait)
            .filter(|segment| length(segment) >= step.nearest(SHORTEST_SECS))
            .collect();
        segments.sort_by_key(|segment| core::cmp::Reverse(length(segment)));
        for segment in segments.into_iter().take(MOST_SEGMENTS) {
            let search = SearchRequest {
                within: Some((segment.start_frame, segment.end_frame)),
                idle: gait.kind == MotionKind::Idle,
                ..SearchRequest::default()
            };
            let request = Request {
                recipe,
                search: Some(&search),
                rows: &Rows::Recommended,
            };
            if let Some(made) = recommended(studied, request)? {
                loops.push((name, made));
                break;
            }
        }
    }
    if !(loops.iter()).any(|(_, made)| passage::moves(&made.made.loop_clip, &studied.analysis)) {
        loops.extend(stride(studied, recipe)?);
    }
    Ok(loops)
}

/// Finds the stride of a walk that is too short to repeat: from one strike of a foot to its next, where closing costs least.
fn stride(studied: &Studied, recipe: &Recipe) -> Result<Option<(String, LoopMade)>, JobError> {
    let analysis = &studied.analysis;
    let settings = SearchRequest::default().settings(1);
    let spans = analysis.contacts.spans();
    let mut best: Option<(String, LoopCandidate)> = None;
    for foot in 0..analysis.contacts.num_feet() {
        let strikes: Vec<usize> = spans
            .iter()
            .filter(|span| span.foot == foot && span.start_frame > 0)
            .map(|span| span.start_frame)
            .collect();
        for &[from, to] in strikes.array_windows() {
            let Some(name) = analysis
                .segments
                .iter()
                .find(|segment| (segment.start_frame..=segment.end_frame).contains(&((from + to) / 2)))
                .and_then(|segment| name_of(segment.gait))
                .filter(|name| *name != "idle")
            else {
                continue;
            };
            let Ok(stretch) = analysis.appraise(from as f64, to as f64, &settings) else {
                continue;
            };
            if best.as_ref().is_none_or(|(_, best)| stretch.seam_cost < best.seam_cost) {
                best = Some((name, stretch));
            }
        }
    }
    best.map(|(name, stretch)| {
        let made = make(studied, Request::of(recipe), &Chosen::new(1, stretch))?;
        Ok((name, made))
    })
    .transpose()
}

/// Returns the recommended loop, if there is one.
fn recommended(studied: &Studied, request: Request) -> Result<Option<LoopMade>, JobError> {
    let chosen = match choose(studied, request, &mut Vec::new()) {
        Ok(chosen) => chosen.into_iter().collect::<Result<Vec<Chosen>, _>>()?,
        Err(JobError::NothingFound(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    chosen.first().map(|chosen| make(studied, request, chosen)).transpose()
}

/// Makes names unique: a name already in use gets the next free number from 2 on.
pub(crate) fn unique_names(wanted: impl Iterator<Item = String>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for wanted in wanted {
        let numbers = (2..).map(|number| format!("{wanted}_{number}"));
        let mut free = core::iter::once(wanted.clone()).chain(numbers);
        names.extend(free.find(|name| !names.contains(name)));
    }
    names
}

/// Passages that were found between loops.
pub(crate) struct Found {
    pub loops: LoopSet,
    pub found: FoundPassages,
    pub step_secs: f64,
}

/// Looks for the requested passages between these loops, and stances of the take if none of them stands.
pub(crate) fn found_in(
    studied: &Studied,
    mut loops: Vec<LoopClip>,
    request: &CutRequest,
) -> Result<Found, CutTakeError> {
    let analysis = &*studied.analysis_of_loops()?;
    let own_hz = loops
        .first()
        .map_or(studied.take().frame_rate_hz(), |clip| 1.0 / clip.step_secs());
    let wanted_hz = request.fps.unwrap_or_else(|| request.engine.sampled_rate(own_hz));
    let limit_hz = max_rate_hz(own_hz);
    if wanted_hz > limit_hz {
        return Err(CutTakeError::Rate { wanted_hz, limit_hz });
    }
    let step_secs = if wanted_hz == own_hz {
        loops
            .first()
            .map_or(studied.take().frame_time_secs(), LoopClip::step_secs)
    } else {
        1.0 / wanted_hz
    };
    if !loops.iter().any(|clip| passage::stands(clip, analysis)) {
        for (index, frame) in passage::calmest_stands(analysis).into_iter().enumerate() {
            let name = match index {
                0 => STANCE.to_owned(),
                _ => format!("{STANCE}_{}", index + 1),
            };
            loops.push(passage::stance(analysis, frame, &name, step_secs)?);
        }
    }
    if loops.is_empty() {
        return Err(CutTakeError::NoLoops);
    }
    let loops = LoopSet::with(loops, analysis.overrides())?;
    Ok(Found {
        found: passage::find(&loops, analysis, &request.kinds)?,
        loops,
        step_secs,
    })
}

/// Passages that were cut out of a take, and the loops in which they begin and end.
#[derive(Clone, Debug)]
pub struct CutPassages {
    /// The loops, and after the given ones stances of the take if none of them stands.
    pub loops: LoopSet,
    /// The passages.
    pub passages: Vec<Passage>,
    /// The kinds that were not found, with reasons.
    pub missing: Vec<(PassageKind, Looked)>,
    /// Names of the feet of their body.
    feet: Vec<String>,
    pub(crate) engine: Target,
}

impl CutPassages {
    /// Cuts passages of the requested kinds between these loops; transitions connect all of them. The loops carry their names.
    ///
    /// Errors: [`CutTakeError`].
    pub fn new(studied: &Studied, loops: Vec<LoopClip>, request: &CutRequest) -> Result<Self, CutTakeError> {
        let analysis = &*studied.analysis_of_loops()?;
        let Found {
            loops,
            found,
            step_secs,
        } = found_in(studied, loops, request)?;
        let overrides = analysis.overrides();
        let mut passages =
            Passage::all_from_take(&loops, analysis, &found.passages, step_secs)?.collect::<Result<Vec<_>, _>>()?;
        if request.kinds.contains(&PassageKind::Transition) {
            let count = loops.loops().len();
            for from in 0..count {
                for to in (0..count).filter(|&to| to != from) {
                    passages.push(Passage::between(&loops, [from, to], step_secs, overrides)?);
                }
            }
        }
        // They are named after loops, whose names come from files, and they name files.
        let names = unique_names(passages.iter().map(|passage| name_part(passage.name())));
        Ok(Self {
            loops,
            passages: passages
                .into_iter()
                .zip(names)
                .map(|(passage, name)| passage.named(name))
                .collect(),
            missing: found.missing,
            feet: foot_names(analysis),
            engine: request.engine,
        })
    }

    /// Wraps passages of these loops.
    pub(crate) fn of(loops: LoopSet, passages: Vec<Passage>, analysis: &Analysis, engine: Target) -> Self {
        Self {
            loops,
            passages,
            missing: Vec::new(),
            feet: foot_names(analysis),
            engine,
        }
    }

    /// Writes a passage in a format, in the form of the take's file: in place, or below a root joint, like loops.
    ///
    /// Errors: it does not fit into the format, or into a take.
    pub fn write(&self, studied: &Studied, passage: &Passage, format: Format) -> Result<WrittenFile, CutWriteError> {
        let source = self.engine.placed(studied.form(format));
        let has_root_joint = studied.body_of_loops().root_joint.is_some();
        Ok(carried(passage, self.engine, format, has_root_joint)?.write(&source)?)
    }

    /// Whether the root is at the origin in the files, and only the facts describe its motion.
    pub fn is_in_place(&self) -> bool {
        self.engine.choices().root.is_some_and(|mode| !mode.moves_root())
    }

    /// Returns the facts of a passage.
    pub fn facts(&self, studied: &Studied, passage: &Passage) -> PassageFacts {
        let [from, to] = passage.ends.map(|end| state_facts(&self.loops, end));
        let take = studied.facts();
        let verdict = check_cut(passage, &self.loops, &self.feet, studied.analysis.overrides());
        PassageFacts {
            grade: verdict.as_ref().map(|verdict| verdict.grade),
            reason: verdict.map(|verdict| verdict.reason),
            name: passage.name().to_owned(),
            kind: clip_kind(passage.kind),
            frames: passage.num_samples() - 1,
            fps: 1.0 / passage.step_secs(),
            duration_secs: passage.duration_secs(),
            from,
            to,
            turn_deg: passage.turn().to_degrees() + 0.0,
            travel_m: passage.travel().to_array().map(|metres| metres + 0.0),
            cost_metre_secs: passage.cost,
            feet_held: passage.has_held_feet,
            in_place: self.is_in_place(),
            cycles: None,
            root: RootKeys::new(passage.step_secs(), passage.roots()),
            events: events(passage, &self.feet),
            source_frames: passage.source_frames,
            take,
        }
    }
}

/// Returns the names of the lowest joints of the feet.
pub(crate) fn foot_names(analysis: &Analysis) -> Vec<String> {
    analysis
        .body
        .feet
        .iter()
        .map(|foot| analysis.take.skeleton().joint(foot.lowest_joint()).name.clone())
        .collect()
}

/// Whether files for an engine in a format get a joint for the root motion, if the skeleton has none.
pub(crate) fn adds_root(engine: Target, format: Format, has_root_joint: bool) -> bool {
    let moves = engine.choices().root.unwrap_or_default().moves_root();
    let of_format = format.capabilities().has_root_joint_for_motion && moves;
    !has_root_joint && format.capabilities().takes_root_joint && (of_format || engine.choices().always_root_joint)
}

/// Returns a passage as a file for an engine in a format holds it. Errors: it does not form a take.
pub(crate) fn carried(
    passage: &Passage,
    engine: Target,
    format: Format,
    has_root_joint: bool,
) -> Result<CarriedMotion, TakeError> {
    if adds_root(engine, format, has_root_joint) {
        let root = added_root_name(passage.skeleton());
        return Ok(CarriedMotion::TakeWithRoot(passage.to_take_with_root(&root)?));
    }
    let moves = engine.choices().root.unwrap_or_default().moves_root();
    Ok(CarriedMotion::Take(if moves {
        passage.to_take()?
    } else {
        passage.in_place().to_take()?
    }))
}

/// Why a passage cannot be written.
#[error_kinds]
pub enum CutWriteError {
    Write(LoopFileError),
    Take(TakeError),
}

#[cfg(test)]
mod tests {
    use super::unique_names;

    /// A start into the loop `walk_2`, and the second one into `walk`, were both `start_walk_2`: one file could not be written.
    #[test]
    fn numbers_are_none_that_names_have_of_themselves() {
        let all = |names: &[&str]| unique_names(names.iter().map(|name| (*name).to_owned()));
        let walks = ["start_walk", "start_walk", "start_walk_2", "start_walk"];
        assert_eq!(
            all(&walks),
            ["start_walk", "start_walk_2", "start_walk_2_2", "start_walk_3"]
        );
        assert_eq!(
            all(&["start_walk_2", "start_walk", "start_walk"]),
            ["start_walk_2", "start_walk", "start_walk_3"]
        );
    }
}
