//! Makes loops of many animations of one file, in a copy of it or of a character's file, and determines what each animation is.

use std::collections::BTreeMap;

use loopwright_core::{
    FeetSettings, LoopCandidate, LoopSettings, MadeLoop, RootSettings, SearchSettings, Take,
    candidate::{LastKey, MissReason, MotionKind, SearchError, WholeClip, WholeClipKind},
    feet::FootLock,
    math::rotation,
    motion::SkeletonDifference,
};
use loopwright_formats::{
    Format, LOOP_SUFFIX, Source,
    loop_file::{
        AnimationFacts, AnimationOutcome, MeasuredLoop, MotionPack, PackSidecar, PackedLoop, Sidecar,
        facts::{CheckFacts, Grade},
    },
    loop_name,
};

use crate::{
    choose::{Request, Rows, pairing_of, recommended},
    decision::Decision,
    error::JobError,
    make::{self, LoopMade, ground_speed},
    recipe::Recipe,
    search::{DEFAULT_TOP, SearchRequest},
    study::Studied,
    verdict::{self, Verdict},
    warning::{self, Warning},
};

/// Gaps below these limits are not visible, metres and radians (0.1 degrees).
const UNSEEN_METRES: f64 = 1e-3;
const UNSEEN_RADIANS: f64 = 0.1_f64.to_radians();

/// Whether an animation loops.
#[value(Copy, Eq)]
pub enum Loops {
    /// The whole animation loops as it is.
    Already,
    /// It ends as it begins but may be a single action.
    EndsAsItBegins,
    /// It is one whole cycle whose ends must be closed.
    OneCycle,
    /// A part of it can be closed.
    InPart,
    /// No part of it repeats.
    No,
}

loopwright_core::words!(Loops {
    Already: "already loops",
    EndsAsItBegins: "ends as it begins",
    OneCycle: "one cycle",
    InPart: "holds loops",
    No: "no",
});

impl From<Option<&LoopCandidate>> for Loops {
    fn from(best: Option<&LoopCandidate>) -> Self {
        let Some(best) = best else { return Self::No };
        match best.whole.as_ref().map(|whole| whole.kind) {
            Some(WholeClipKind::Loops | WholeClipKind::Mended) => Self::Already,
            Some(WholeClipKind::EndsAsItBegins) => Self::EndsAsItBegins,
            Some(WholeClipKind::Cycle) => Self::OneCycle,
            None => Self::InPart,
        }
    }
}

/// Why an animation gives no loop.
#[error_kinds]
pub enum NoLoop {
    #[error("only scale changes, and no joint moves")]
    OnlyScale,
    /// It cannot be searched.
    Search(SearchError),
    /// Nothing qualified; holds what the nearest miss lacks.
    #[error("{}", missed(.0.as_ref()))]
    Missed(Option<MissReason>),
    #[error("only a part in which the body is idle repeats")]
    IdlePart,
    #[error("what repeats is uneven, or jumps")]
    Unsound,
    #[error("it is named like a loop")]
    NamedLikeALoop,
}

impl NoLoop {
    /// Returns what an error says about the animation. Errors: it says nothing about it.
    fn of(studied: &Studied, error: JobError) -> Result<Self, JobError> {
        Ok(match error {
            JobError::NothingFound(found) => Self::Missed(found.nearest_miss.map(|miss| miss.reason)),
            JobError::IdlePart(_) => Self::IdlePart,
            JobError::Search(SearchError::Still) if studied.file.source.changes_scale() => Self::OnlyScale,
            JobError::Search(SearchError::Bounds { .. }) => return Err(error),
            JobError::Search(error) => Self::Search(error),
            other => return Err(other),
        })
    }
}

/// Describes in a few words what the nearest miss lacks.
fn missed(reason: Option<&MissReason>) -> &'static str {
    match reason {
        Some(MissReason::CostRatio { .. }) => "no pose comes back closely enough",
        Some(MissReason::Strength { .. }) => "two poses meet, but the motion around them differs",
        Some(MissReason::NoRhythm { .. }) => "it only drifts or is idle",
        Some(MissReason::SeenOnce) => "it shows its cycle only once",
        Some(MissReason::RootMotion { .. }) => "no part has this root motion",
        Some(MissReason::Cycles { .. }) => "no part has as many cycles",
        None => "no valid loop points",
    }
}

/// The judgement on an animation.
#[derive(Clone, Debug)]
pub struct Judged {
    /// Its kind, in one word.
    pub kind: MotionKind,
    /// Whether it loops.
    pub loops: Loops,
    /// The verdict on the loop with default settings; `None` without a loop.
    pub verdict: Option<Verdict>,
    /// Speed of the loop over the ground, metres per second; `None` without a loop, or if nothing shows it.
    pub speed_mps: Option<f64>,
    /// Why there is no loop.
    pub why_not: Option<String>,
}

/// Judges an animation by the loop that is made of it with default settings.
pub fn judge(studied: &Studied, name: &str) -> Judged {
    let request = Request {
        recipe: &Recipe::default(),
        search: Some(&SearchRequest::default()),
        rows: &Rows::Recommended,
    };
    let (best, why_not) = match looped(studied, name, request, &mut Vec::new(), |_| Some(name.to_owned())) {
        Ok(Looped::Made(_, done)) => {
            let verdict = make::graded(studied, &done.made);
            (Some((done.made, Some(verdict))), None)
        }
        Ok(Looped::Kept(_, kept)) => {
            let verdict = Verdict::from_facts(&kept.1.sidecar.quality);
            (Some((kept.0, verdict)), None)
        }
        Ok(Looped::No(_, why_not)) => (None, Some(why_not.to_string())),
        Err(error) => (None, Some(error.to_string())),
    };
    let stretch = best.as_ref().map(|(made, _)| &made.candidate);
    // A walk in place shows its speed only once the loop is made.
    let speed_mps = best.as_ref().and_then(|(made, verdict)| {
        let is_known = !verdict::is_speed_unknown(&verdict.as_ref()?.checks);
        is_known.then(|| ground_speed(made))
    });
    Judged {
        kind: studied.analysis.motion_kind(stretch, speed_mps),
        loops: Loops::from(stretch),
        verdict: best.and_then(|(_, verdict)| verdict),
        speed_mps,
        why_not,
    }
}

/// The loop of an animation.
#[derive(Debug)]
enum OwnLoop {
    /// It already loops and is left as it is.
    Kept(Box<MeasuredLoop>),
    /// A loop to be written: its index among those.
    Made(usize),
    None,
}

#[derive(Debug)]
struct Animation {
    /// Its outcome, as far as it is known.
    facts: AnimationFacts,
    own_loop: OwnLoop,
    warnings: Vec<Warning>,
}

/// The origin of a loop that was made of an animation.
#[derive(Debug)]
struct Origin {
    /// The checks of its stretch.
    of_take: Vec<CheckFacts>,
    recipe_sha256: String,
}

/// Makes the loops of all animations of one file, one after the other.
#[derive(Debug)]
pub struct PackJob<'a> {
    request: Request<'a>,
    /// The format of the file that holds the loops.
    format: Format,
    packed: Vec<PackedLoop>,
    origins: Vec<Origin>,
    animations: Vec<Animation>,
    /// The form of the file, from the first animation read.
    form: Option<(Source, Take)>,
    /// Numbers and new names of loops that stay and are renamed, for engines that loop by name.
    renamed: Vec<(usize, String)>,
    /// Number of transforms in all loops, which are held until they are written together.
    held: u64,
}

/// Why a file cannot hold the loops of its animations.
#[value(Copy, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "messages show what they are")]
pub enum NoPack {
    #[error("no animation can be added to the file")]
    NotExtended,
    #[error("the output is of another kind, which keeps one animation")]
    OtherKind {
        /// The formats of that kind that the file can be written in.
        own: &'static [Format],
    },
}

/// All loops of a file, in a copy of it.
#[derive(Debug)]
pub struct PackedFile {
    /// The bytes of the copy; `None` if the file is unchanged.
    pub bytes: Option<Vec<u8>>,
    /// The outcome of every animation, without the names of its outputs.
    pub sidecar: PackSidecar,
    /// Changes made while writing, which no sidecar lists.
    pub written: Vec<loopwright_formats::FileWarning>,
    /// The form of the first animation, and its take.
    pub first: Option<(Source, Take)>,
}

impl<'a> PackJob<'a> {
    /// Starts a job without animations, for a file of this format.
    pub fn new(request: Request<'a>, format: Format) -> Self {
        Self {
            request,
            format,
            packed: Vec::new(),
            origins: Vec::new(),
            animations: Vec::new(),
            form: None,
            renamed: Vec::new(),
            held: 0,
        }
    }

    /// Records an animation without a loop: one that holds no motion or cannot be read.
    pub fn leave_out(&mut self, number: usize, name: &str, outcome: AnimationOutcome, why: String) {
        self.animations.push(Animation {
            facts: AnimationFacts {
                number,
                name: name.to_owned(),
                outcome,
                reason: Some(why),
                ..AnimationFacts::default()
            },
            own_loop: OwnLoop::None,
            warnings: Vec::new(),
        });
    }

    /// Checks whether the file of these takes can hold loops. Errors: it cannot, for any animation.
    pub fn check(&mut self, studied: &Studied) -> Result<(), NoPack> {
        if self.form.is_some() {
            return Ok(());
        }
        let of_loops = studied.goes_into();
        let source = &of_loops.source;
        if !source.can_be_extended() {
            return Err(NoPack::NotExtended);
        }
        if !source.keeps_all_in(self.format) {
            return Err(NoPack::OtherKind { own: source.formats() });
        }
        self.form = Some((studied.form(self.format), of_loops.take.clone()));
        Ok(())
    }

    /// Makes a loop of an animation, or finds that it needs none. `in_words` words the reason for a failure; warnings about the
    /// settings go to `said`.
    pub fn add(
        &mut self,
        number: usize,
        name: &str,
        studied: &Studied,
        said: &mut Vec<Warning>,
        in_words: impl FnOnce(JobError) -> String,
    ) {
        let mut warnings = Vec::new();
        let mut facts = AnimationFacts {
            number,
            name: name.to_owned(),
            ..AnimationFacts::default()
        };
        let kind_of = |stretch: Option<&LoopCandidate>, made: Option<&MadeLoop>| {
            Some(
                studied
                    .analysis
                    .motion_kind(stretch, made.map(ground_speed))
                    .as_str()
                    .to_owned(),
            )
        };
        let looped = looped(studied, name, self.request, said, |stretch| {
            self.stays_as(number, name, stretch, &mut warnings)
        });
        let looped = looped.and_then(|looped| match looped {
            Looped::Made(stretch, done) => {
                facts.kind = kind_of(Some(&stretch), Some(&done.made));
                self.pack(studied, &stretch, *done, &mut warnings).map(OwnLoop::Made)
            }
            Looped::Kept(stretch, kept) => {
                let (made, mut measured) = *kept;
                facts.kind = kind_of(Some(&stretch), Some(&made));
                state(&mut facts, &mut measured, &made);
                facts.outcome = AnimationOutcome::Kept;
                // Other warnings about unchanged animations are of no use.
                let verdict = Verdict::from_facts(&measured.sidecar.quality);
                warnings.extend(verdict.iter().flat_map(Verdict::of_the_clip));
                target(self.request, &made, &mut measured.sidecar);
                Ok(OwnLoop::Kept(Box::new(measured)))
            }
            Looped::No(stretch, why_not) => {
                facts.kind = kind_of(stretch.as_ref(), None);
                facts.reason = Some(why_not.to_string());
                Ok(OwnLoop::None)
            }
        });
        let own_loop = looped.unwrap_or_else(|error| {
            facts.kind = kind_of(None, None);
            (facts.outcome, facts.reason) = (AnimationOutcome::Error, Some(in_words(error)));
            OwnLoop::None
        });
        self.animations.push(Animation {
            facts,
            own_loop,
            warnings,
        });
    }

    /// Returns the name by which a loop stays as it is: its own, or a new one if the engine loops by name; `None` if it cannot be renamed.
    /// A name with a number goes to `warnings`.
    fn stays_as(
        &mut self,
        number: usize,
        name: &str,
        stretch: &LoopCandidate,
        warnings: &mut Vec<Warning>,
    ) -> Option<String> {
        let is_renamed = Loops::from(Some(stretch)) == Loops::Already
            && !name.ends_with(LOOP_SUFFIX)
            && self.request.recipe.output.engine().choices().loops_by_name;
        if !is_renamed {
            return Some(name.to_owned());
        }
        let given = self.form.as_mut()?.0.rename_as_loop(number, name)?;
        if given != loop_name(name) {
            warnings.push(Warning::NameTaken(given.clone()));
        }
        self.renamed.push((number, given.clone()));
        Some(given)
    }

    /// Adds a finished loop to those that are written together, and returns its index.
    ///
    /// Errors: [`JobError::Recipe`], [`JobError::Memory`].
    fn pack(
        &mut self,
        studied: &Studied,
        stretch: &LoopCandidate,
        mut done: LoopMade,
        warnings: &mut Vec<Warning>,
    ) -> Result<usize, JobError> {
        let Request { recipe, search, .. } = self.request;
        let clip = &done.made.loop_clip;
        let held = self.held + (clip.num_samples() * clip.skeleton().num_joints()) as u64;
        studied.file.limits.check_held(held)?;
        self.held = held;
        warnings.extend_from_slice(&studied.warnings);
        warnings
            .extend(warning::confidence(studied.take(), stretch).filter(|_| !search.is_some_and(|search| search.idle)));
        warnings.extend(warning::bad_frames(&studied.analysis, stretch));
        warnings.extend(done.ineffective.iter().copied().map(Warning::Ineffective));
        self.origins.push(Origin {
            of_take: verdict::of_written(studied, &done.made.candidate, self.format),
            recipe_sha256: done.recipe(recipe).sha256()?,
        });
        if let Some(instead @ Decision::Instead { .. }) = done.decision {
            warnings.push(Warning::Instead(Box::new(instead)));
        }
        warnings.extend(warning::of_loop(&done.made, recipe.output.start_at));
        let root_joint = studied.body_of_loops().root_joint;
        done.made.drop_takes();
        self.packed.push(PackedLoop {
            made: done.made,
            take: studied.facts(),
            source: recipe.output.engine().placed(studied.form(self.format)),
            writing: done.output.writing(self.format, root_joint, studied.file.limits),
        });
        Ok(self.packed.len() - 1)
    }

    /// Writes all loops into a copy of the file; `file` is its name for the sidecar. Errors: they cannot be written.
    pub fn write(self, file: String) -> Result<PackedFile, JobError> {
        let Self {
            request,
            format,
            mut packed,
            origins,
            mut animations,
            form,
            renamed,
            held: _,
        } = self;
        with_one_skeleton(&mut packed);
        if let Some(first) = packed.first_mut() {
            for (number, name) in &renamed {
                first.source.rename_as_loop(*number, name);
            }
        }
        let (mut written, mut measured) = (Vec::new(), Vec::new());
        let bytes = if !packed.is_empty() {
            let mut pack = MotionPack::of_loops(&packed)?;
            for ((measured, each), origin) in pack.motions.iter_mut().zip(&packed).zip(&origins) {
                if let Ok(Some(measured)) = measured {
                    Verdict::of_made(&each.made, &measured.quality, &origin.of_take)
                        .state(&mut measured.sidecar.quality);
                    target(request, &each.made, &mut measured.sidecar);
                    measured.sidecar.recipe_sha256 = Some(origin.recipe_sha256.clone());
                }
            }
            let bytes = pack.bytes();
            written = pack.warnings;
            measured = pack.motions;
            Some(bytes)
        } else {
            // The copy may refer to other files, which are not copied, so it is written as a new file.
            let repacked = form
                .as_ref()
                .filter(|_| !renamed.is_empty() || format.capabilities().names_other_files)
                .and_then(|(source, first)| source.kept(first, false));
            let repacked = repacked.transpose().map_err(loopwright_formats::LoopFileError::from)?;
            repacked.map(|repacked| repacked.bytes)
        };
        let mut sidecar = facts(file, &mut animations, &packed, measured);
        sidecar.warnings = summarized_warnings(&animations);
        let complaint = request.recipe.output.engine().complaint(format);
        sidecar
            .warnings
            .extend(complaint.map(|complaint| Warning::PackForEngine(complaint).to_string()));
        Ok(PackedFile {
            bytes,
            sidecar,
            written,
            first: form,
        })
    }
}

/// States the settings of the engine, if there is one.
fn target(request: Request, made: &MadeLoop, sidecar: &mut Sidecar) {
    let clip = &made.loop_clip;
    let engine = request.recipe.output.target;
    let rate_hz = sidecar.playback.rate_hz(clip.period_secs());
    sidecar.target = engine.map(|engine| engine.facts(sidecar, clip.skeleton(), rate_hz));
}

/// Makes the loop of an animation for a file of its own, or returns why there is none; warnings about the settings go to `said`.
/// Errors: it cannot be looped.
pub fn loop_of(
    studied: &Studied,
    name: &str,
    request: Request,
    said: &mut Vec<Warning>,
) -> Result<Result<LoopMade, NoLoop>, JobError> {
    Ok(match looped(studied, name, request, said, |_| Some(name.to_owned()))? {
        Looped::Made(_, done) => Ok(*done),
        Looped::Kept(_, kept) => {
            let (_, output, ineffective) = make::settings(studied, request.recipe, &kept.0.candidate)?;
            Ok(LoopMade::alone(kept.0, output, ineffective))
        }
        Looped::No(_, why_not) => Err(why_not),
    })
}

/// The result of an animation, with the stretch that represents it.
enum Looped {
    Kept(LoopCandidate, Box<(MadeLoop, MeasuredLoop)>),
    Made(LoopCandidate, Box<LoopMade>),
    No(Option<LoopCandidate>, NoLoop),
}

/// Makes the loop of an animation, or finds that it needs none. `stays_as` returns the name by which an animation that already loops stays
/// as it is; `None` if it cannot.
fn looped(
    studied: &Studied,
    name: &str,
    request: Request,
    said: &mut Vec<Warning>,
    stays_as: impl FnOnce(&LoopCandidate) -> Option<String>,
) -> Result<Looped, JobError> {
    let recipe = request.recipe;
    let search = request.search.ok_or(JobError::NoStretch)?;
    studied.check_search()?;
    let pairing = pairing_of(studied, recipe, said)?;
    search.check_pairing(&pairing)?;
    let chosen = match recommended(
        studied,
        SearchSettings {
            pairing,
            ..search.settings(DEFAULT_TOP)
        },
    ) {
        Ok(chosen) => chosen,
        Err(error) => return NoLoop::of(studied, error).map(|why_not| Looped::No(None, why_not)),
    };
    let best = chosen.stretch.clone();
    let was_made_before = name.ends_with(LOOP_SUFFIX);
    // The character does not have this animation yet.
    let is_there = recipe.take.rig.is_none();
    if is_there && loops_as_it_is(&best) && (was_made_before || !changes_loops(recipe)) {
        let mut kept = kept(studied, &best, name)?;
        let is_elsewhere = !was_made_before && recipe.output.recenters() && stands_elsewhere(&kept.0);
        if !is_elsewhere && let Some(name) = stays_as(&best) {
            kept.1.sidecar.playback.animation = Some(name);
            return Ok(Looped::Kept(best, Box::new(kept)));
        }
    }
    if was_made_before && is_there {
        return Ok(Looped::No(Some(best), NoLoop::NamedLikeALoop));
    }
    let done = make::make(studied, request, &chosen)?;
    let stretch = &done.made.candidate;
    if stretch.whole.is_none() && !stretch.is_sound() && make::graded(studied, &done.made).grade != Grade::Good {
        return Ok(Looped::No(Some(best), NoLoop::Unsound));
    }
    Ok(Looped::Made(best, Box::new(done)))
}

/// Whether a whole animation needs no closing.
fn loops_as_it_is(best: &LoopCandidate) -> bool {
    best.whole.as_ref().is_some_and(|whole| {
        whole.loops_already()
            && whole.last_key == LastKey::Closing
            && whole.gap_metres <= UNSEEN_METRES
            && whole.gap_radians <= UNSEEN_RADIANS
    })
}

/// A loop farther from the origin than this (metres), or turned farther from +Z (radians), is recentered for an engine.
const ELSEWHERE_METRES: f64 = 0.5;
const ELSEWHERE_RADIANS: f64 = 0.5;

/// Whether a loop is off the origin. Authored loops are at the origin, apart from the sway of the body.
fn stands_elsewhere(made: &MadeLoop) -> bool {
    let motion = made.clone().recentered().recentered_by;
    motion.is_some_and(|motion| {
        motion.translation.length() > ELSEWHERE_METRES || rotation::yaw_of(motion.rotation).abs() > ELSEWHERE_RADIANS
    })
}

/// Whether the settings change animations that already loop.
fn changes_loops(recipe: &Recipe) -> bool {
    let choices = recipe.output.engine().choices();
    recipe.output.is_given_apart_from_engine()
        || choices.root.is_some()
        || choices.always_root_joint
        || recipe.take.smooth.is_some()
        || recipe.stretch.symmetric == Some(true)
        || recipe.stretch.ping_pong == Some(true)
        || recipe.stretch.mend == Some(true)
        || recipe.edits.iter().any(|edit| !edit.is_off)
}

/// Measures an animation that is kept unchanged as a loop.
fn kept(studied: &Studied, best: &LoopCandidate, name: &str) -> Result<(MadeLoop, MeasuredLoop), JobError> {
    let settings = LoopSettings {
        feet: FeetSettings {
            lock: FootLock::Off,
            ..FeetSettings::default()
        },
        root: RootSettings {
            mode: best.whole.as_ref().map_or_else(Default::default, WholeClip::root_mode),
            ..RootSettings::default()
        },
        ..LoopSettings::default()
    };
    studied.check_samples(studied.take().num_frames() as f64)?;
    let made = studied.analysis.make_loop(best, &settings)?;
    let mut measured = MeasuredLoop::kept(&made, studied.facts(), &studied.file.source, name)?;
    Verdict::of_kept(
        &made,
        &measured.quality,
        &verdict::of_take(&studied.analysis, &made.candidate),
    )
    .state(&mut measured.sidecar.quality);
    Ok((made, measured))
}

/// Adds a root joint to every loop of a skeleton if one of them has one: loops of one character must share a skeleton.
fn with_one_skeleton(packed: &mut [PackedLoop]) {
    let skeleton = |each: &PackedLoop| each.made.loop_clip.skeleton().clone();
    let rooted = packed.iter().filter(|each| each.writing.add_root).map(skeleton);
    let rooted: Vec<_> = rooted.collect();
    for each in packed {
        let own = each.made.loop_clip.skeleton();
        each.writing.add_root |= each.made.source.root_joint.is_none()
            && rooted
                .iter()
                .any(|other| SkeletonDifference::between(own, other).is_none());
    }
}

/// Returns the outcome of every animation; loops that could not be written become failures.
fn facts(
    file: String,
    animations: &mut [Animation],
    packed: &[PackedLoop],
    measured: Vec<Result<Option<MeasuredLoop>, loopwright_formats::LoopFileError>>,
) -> PackSidecar {
    let mut measured: Vec<Option<_>> = measured.into_iter().map(Some).collect();
    let mut pack = PackSidecar::new(file);
    let written: Vec<Option<String>> = measured
        .iter()
        .flatten()
        .flatten()
        .flatten()
        .map(|measured| measured.sidecar.playback.animation.clone())
        .collect();
    for animation in animations {
        let facts = &mut animation.facts;
        match &animation.own_loop {
            OwnLoop::Kept(_) if written.contains(&facts.loop_animation) => {
                *facts = AnimationFacts {
                    number: facts.number,
                    name: core::mem::take(&mut facts.name),
                    kind: facts.kind.take(),
                    reason: Some("replaced by the new loop of that name".to_owned()),
                    ..AnimationFacts::default()
                };
            }
            OwnLoop::Kept(kept) => pack.loops.push(kept.sidecar.clone()),
            OwnLoop::Made(index) => match measured.get_mut(*index).and_then(Option::take) {
                Some(Ok(Some(mut measured))) => {
                    if packed[*index].made.candidate.is_finished_clip() {
                        let verdict = Verdict::from_facts(&measured.sidecar.quality);
                        let of_the_clip = verdict.iter().flat_map(Verdict::of_the_clip);
                        animation.warnings.extend(of_the_clip);
                    } else if measured.quality.pops() {
                        animation.warnings.push(Warning::SeamPops);
                    }
                    measured.sidecar.warnings = animation.warnings.iter().map(ToString::to_string).collect();
                    state(facts, &mut measured, &packed[*index].made);
                    pack.loops.push(measured.sidecar);
                }
                Some(Err(error)) => {
                    (facts.outcome, facts.reason) = (AnimationOutcome::Error, Some(error.to_string()));
                    animation.own_loop = OwnLoop::None;
                }
                Some(Ok(None)) | None => {}
            },
            OwnLoop::None => {}
        }
        pack.animations.push(animation.facts.clone());
    }
    pack
}

/// Adds a loop to the facts of its animation, and the verdict to the loop's own facts.
fn state(facts: &mut AnimationFacts, measured: &mut MeasuredLoop, made: &MadeLoop) {
    let (outcome, metres, radians) = match &made.candidate.whole {
        Some(whole) => (AnimationOutcome::Closed, whole.gap_metres, whole.gap_radians),
        None => {
            let gaps = made.closed.seam.largest();
            (AnimationOutcome::Cut, gaps.position, gaps.angle)
        }
    };
    let sidecar = &mut measured.sidecar;
    sidecar.kind.clone_from(&facts.kind);
    sidecar.in_place = make::is_in_place(made);
    facts.outcome = outcome;
    facts.loop_animation.clone_from(&sidecar.playback.animation);
    facts.start_frame = Some(sidecar.candidate.start_frame);
    facts.end_frame = Some(sidecar.candidate.end_frame);
    (facts.gap_before_mm, facts.gap_before_deg) = (Some(1e3 * metres), Some(radians.to_degrees()));
    (facts.gap_after_mm, facts.gap_after_deg) = (sidecar.quality.pose_gap_mm, sidecar.quality.pose_gap_deg);
    facts.speed_mps = (!verdict::is_speed_unknown(&sidecar.quality.checks)).then_some(sidecar.root_motion.speed_mps);
    facts.grade = sidecar.quality.grade;
}

/// Lists each warning once, with the animations it concerns.
fn summarized_warnings(animations: &[Animation]) -> Vec<String> {
    const MOST: usize = 4;
    let mut about: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    let with_loops = animations
        .iter()
        .filter(|animation| !matches!(animation.own_loop, OwnLoop::None));
    for animation in with_loops {
        for warning in &animation.warnings {
            about
                .entry(warning.to_string())
                .or_default()
                .push(&animation.facts.name);
        }
    }
    let text = |(warning, names): (String, Vec<&str>)| {
        let shown = names[..names.len().min(MOST)].join(", ");
        match names.len().saturating_sub(MOST) {
            0 => format!("{shown}: {warning}"),
            more => format!("{shown} and {more} more: {warning}"),
        }
    };
    about.into_iter().map(text).collect()
}
