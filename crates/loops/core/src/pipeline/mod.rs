//! Makes a loop clip of a chosen stretch, in one call.

mod along;

pub(crate) mod auto;

mod choice;

mod kept;

mod onto;

mod path;

mod placement;

mod retry;

mod start;

mod timing;

pub(crate) use auto::choose_closure;
pub use auto::{ClosureChoice, Score};
pub use choice::by_recommendation;
pub(crate) use choice::{find_and_make, find_cycles, find_loops, find_stretches};
pub(crate) use kept::curve_through;
pub use placement::Recentered;
pub(crate) use retry::make_loop_or_retry;
pub use retry::{MAX_STRETCHES, RetriedLoop, Retry};
pub use start::{StartAt, StartError};
pub use timing::{FallsAt, Footfalls, Keep, Length, Retimed, Timing, TimingError};

use std::{borrow::Cow, sync::Arc};

use crate::{
    analysis::{Analysis, Body},
    candidate::{self, LastKey, LoopCandidate, WholeClip, WholeClipKind},
    closure::{
        self, Closed, ClosureError, ClosureSettings, DEFAULT_BLEND_SECS, Image, ImageError, Method, Shape, ShapeKind,
    },
    edit::{self, EditError, EditKind, LoopEdit},
    feet::{
        self, EditedStance, Feet, FeetSettings, FootLock, HingeError, HoldError, Holding, RootSpeed, StanceEdit,
        StanceSpan, hinged,
    },
    loop_clip::{LoopClip, LoopClipError, LoopKeys},
    math::{Rigid, Twist},
    mean_cycle::{LaidCycles, MeanCycle, MeanCycleError, MeanCycles},
    mirror::{Mirror, MirrorError},
    motion::{RootMotion, Tracks},
    quality::{self, Quality},
    retarget::{Likeness, RigPair},
    root_motion::{self, RootError, RootMode, RootRelativeClip, RootSettings, RootSpace, root_joint},
    take::{Clip, CutError, Take, TakeError},
    variation::{self, Variation, VariationError, VariationSettings},
};

use timing::Timed;

/// The times at which the loop is sampled.
#[handed_over(Copy, Default)]
pub enum Sampling {
    /// At the take's own rate; the period is retimed by at most half a frame to a whole number of them.
    #[default]
    SourceRate,
    /// This many samples per second, retimed likewise.
    Rate(f64),
    /// At this many samples over the recorded period.
    Samples(usize),
}

/// Settings for making a stretch into a loop.
#[handed_over(Default)]
pub struct LoopSettings {
    /// How the seam is closed.
    pub closure: ClosureSettings,
    /// How the root motion is extracted and used.
    pub root: RootSettings,
    /// The time of the loop.
    pub timing: Timing,
    /// Whether a whole clip that already loops is closed like a cut, over its own frames.
    pub mend: bool,
    /// How feet are processed.
    pub feet: FeetSettings,
    /// Stances in place of those detected, the last that covers a moment applying.
    pub stances: Vec<StanceEdit>,
    /// Whether the loop is the mean of several cycles of the take.
    pub mean_cycles: MeanCycles,
    /// Edits of the closed loop, in the order in which they apply, before its feet are held.
    pub edits: Vec<LoopEdit>,
    /// Whether many cycles are written, each varied as the take's own cycles differ, and how; applied last.
    pub variation: Option<VariationSettings>,
    /// The phase at which the written loop starts; `None` for the seam, which is also used if the loop has no such phase.
    pub start_at: Option<StartAt>,
    /// The character that receives the loop, matched with the take; `None` if it stays on its own skeleton. Edits, stances, a
    /// given speed and the place at the origin then refer to the character. Not handed over: both sides have it.
    #[handed(skip)]
    pub character: Option<Arc<RigPair>>,
}

impl LoopSettings {
    /// Returns default settings except for the root motion.
    pub fn with_root(root: impl Into<RootSettings>) -> Self {
        Self {
            root: root.into(),
            ..Self::default()
        }
    }

    /// Returns default settings except for the feet.
    pub fn with_feet(feet: impl Into<FeetSettings>) -> Self {
        Self {
            feet: feet.into(),
            ..Self::default()
        }
    }
}

/// Largest acceleration at a mended seam over the joint's own 99th percentile, if a blend reaches that.
const SMOOTH_SEAM: f64 = 1.1;

/// Blend times with which a seam is mended, seconds; the first that is smooth is taken, else the first that leaves no kink.
const MENDING_SECS: [f64; 6] = [0.15, 0.2, 0.3, 0.42, 0.6, 0.85];

/// Blend time for a take that already loops, seconds: the remaining gap is closed over few samples.
const WHOLE_BLEND_SECS: f64 = 0.2;

/// Blend time of idle loops by default, seconds, and the largest share of the period: a slow body is moved slowly.
const IDLE_BLEND_SECS: f64 = 1.0;
const IDLE_BLEND_SHARE: f64 = 0.25;

impl LoopSettings {
    /// Returns the settings with blends as long as the candidate needs them; times that differ from the defaults are kept for
    /// idle loops.
    fn fitted_to(&self, candidate: &LoopCandidate) -> Self {
        let mut settings = self.clone();
        let method = &mut settings.closure.method;
        if candidate.loops_already() {
            let most = WHOLE_BLEND_SECS;
            (method.start, method.end) = (method.start.fitted(most), method.end.fitted(most));
        } else if candidate.is_idle && *method == Method::default() {
            let blend_secs = IDLE_BLEND_SECS.min(IDLE_BLEND_SHARE * candidate.source_period_secs);
            let blend_secs = blend_secs.max(DEFAULT_BLEND_SECS);
            *method = Method::new(Shape::new(ShapeKind::Quintic, blend_secs));
        }
        settings
    }
}

/// A loop with all data that it was made from.
#[value]
#[non_exhaustive]
pub struct MadeLoop {
    /// The loop.
    pub loop_clip: LoopClip,
    /// The take it was cut from.
    pub take: Take,
    /// The body of the loop: that of the take, or of the character that it was put onto.
    pub body: Body,
    /// The stretch of it.
    pub candidate: LoopCandidate,
    /// The requested root motion.
    pub root: RootSettings,
    /// The uncut samples it was made from, on the skeleton of the loop and relative to the same root; for a mean, those of the
    /// candidate's own stretch, relative to its root.
    pub source: RootRelativeClip,
    /// The cycles whose mean it is; `None` if it is the candidate's stretch alone.
    pub mean_cycle: Option<MeanCycle>,
    /// How its cycles were varied; `None` if they are equal.
    pub variation: Option<Variation>,
    /// The loop before variation; `None` if its cycles are equal.
    pub unvaried: Option<Box<MadeLoop>>,
    /// The corrections by the closure and the remaining gap.
    pub closed: Closed,
    /// The contacts of its feet, and the corrections applied to them.
    pub feet: Feet,
    /// The edits of the closed loop, their rotations in the axes of joints.
    pub edits: Vec<LoopEdit>,
    /// The changes of its timing; `None` if it is as recorded.
    pub retimed: Option<Retimed>,
    /// The sample that is written first; all samples here count from the seam.
    pub first_sample: usize,
    /// The motion from its place in the take to the origin; `None` if it was not recentered.
    pub recentered_by: Option<Rigid>,
    /// How far it is from the loop of the take, if it is on a character and was not edited there.
    pub likeness: Option<Likeness>,
    /// The loop of the take, if this one is on a character.
    pub of_take: Option<Box<MadeLoop>>,
}

/// Why a stretch cannot be made into a loop.
#[error_kinds]
pub enum MakeError {
    /// The cut gives too few or too many samples.
    Cut(CutError),
    /// The settings of the closure are not valid.
    Closure(ClosureError),
    #[error("the rate must be a positive number of frames per second, found {found}")]
    Rate { found: f64 },
    #[error("a loop whose second half mirrors the first needs an even number of frames, found {found}")]
    OddSamples { found: usize },
    /// The stretch has no mirror image.
    Image(ImageError),
    /// The loop cannot have that time.
    Timing(TimingError),
    /// The feet cannot be held.
    Feet(HoldError),
    /// The stretch is no loop of a robot.
    Hinges(HingeError),
    /// The loop cannot be edited.
    Edit(EditError),
    /// The root motion cannot be extracted as requested.
    Root(RootError),
    /// There are no cycles for a mean.
    MeanCycle(MeanCycleError),
    /// A loop of two mirrored halves cannot be edited on a character without a mirror image.
    Mirror(MirrorError),
    /// The cycles of the loop cannot be varied.
    Variation(VariationError),
    /// The samples do not form a motion on the character.
    Take(TakeError),
    /// The closed samples do not form a loop clip.
    LoopClip(LoopClipError),
}

/// As [`Analysis::make_loop`].
pub(crate) fn make_loop(
    analysis: &Analysis,
    candidate: &LoopCandidate,
    settings: &LoopSettings,
) -> Result<MadeLoop, MakeError> {
    let plan = Plan {
        analysis: &completed_for(analysis, candidate),
        candidate,
        settings: &settings.of_take().fitted_to(candidate),
    };
    let mut made = plan.finish(plan.prepare()?)?;
    if settings.mend && candidate.is_finished_clip() && made.measured().has_a_kink() {
        made = plan.mended()?;
    }
    made.completed(analysis, settings)
}

impl MadeLoop {
    /// Measures the loop.
    fn measured(&self) -> Quality {
        quality::measure(&LoopKeys::from_loop(&self.loop_clip), &self.body, Some(&self.source))
    }

    /// Reduces its takes to their first frames, which suffice to name joints, so that the loops of many takes can be held at once.
    pub fn drop_takes(&mut self) {
        self.take = self.take.of_first_frame();
        for made in self.unvaried.iter_mut().chain(&mut self.of_take) {
            made.drop_takes();
        }
    }

    /// Completes the requested loop from the take's loop, which was made with [`LoopSettings::of_take`]: puts it onto the
    /// character, then varies it.
    fn completed(self, analysis: &Analysis, settings: &LoopSettings) -> Result<Self, MakeError> {
        let made = match &settings.character {
            Some(pair) => self.onto(pair, settings)?,
            None => self,
        };
        match &settings.variation {
            Some(variation) => made.varied(analysis, settings.character.as_deref(), variation),
            None => Ok(made),
        }
    }

    /// Returns many varied cycles of a loop. Its uncut samples are repeated unchanged, so that both have equally many.
    fn varied(
        self,
        analysis: &Analysis,
        pair: Option<&RigPair>,
        settings: &VariationSettings,
    ) -> Result<Self, MakeError> {
        let (loop_clip, variation) = variation::varied(
            &self.loop_clip,
            &self.body,
            analysis,
            &self.candidate,
            pair.map(|pair| pair.of_loop(&self.on_take().loop_clip)).as_ref(),
            settings,
        )?;
        let (count, copies) = (self.loop_clip.num_samples(), variation.copies);
        let unvaried = Some(Box::new(self.clone()));
        Ok(Self {
            feet: self.feet.repeated(count, copies),
            source: RootRelativeClip {
                clip: self.source.clip.repeated(copies),
                captured: Vec::new(),
                ..self.source
            },
            loop_clip,
            variation: Some(variation),
            unvaried,
            ..self
        })
    }

    /// Returns the loop of the take itself, that this one was put onto a character or varied from; else this one.
    pub fn on_take(&self) -> &Self {
        let before = self.unvaried.as_deref().or(self.of_take.as_deref());
        before.map_or(self, Self::on_take)
    }

    /// Returns the number of consecutive loops in it: 1 if its cycles do not vary.
    pub fn num_copies(&self) -> usize {
        self.variation.as_ref().map_or(1, |variation| variation.copies)
    }

    /// Returns its keys, before they are written.
    pub fn keys(&self) -> LoopKeys {
        let mut keys = LoopKeys::from_loop(&self.loop_clip);
        keys.layout.num_cycles = self.num_copies();
        keys
    }
}

/// Returns the analysis of the take with all keys of the candidate: the closing key of a whole take may be missing.
fn completed_for<'a>(analysis: &'a Analysis, candidate: &LoopCandidate) -> Cow<'a, Analysis> {
    match &candidate.whole {
        Some(whole) => analysis.completed(whole),
        None => Cow::Borrowed(analysis),
    }
}

/// A stretch of a take, and the settings for making a loop from it.
struct Plan<'a> {
    analysis: &'a Analysis,
    candidate: &'a LoopCandidate,
    settings: &'a LoopSettings,
}

/// A stretch that is ready to be closed.
#[derive(Clone)]
struct Prepared {
    /// The sampled stretch without its root motion.
    source: RootRelativeClip,
    /// The mean of cycles that replaces it, if requested.
    mean: Option<(RootRelativeClip, MeanCycle)>,
    /// The keys between which its samples lie, without root motion.
    recorded: Option<Tracks>,
}

/// Returns the samples of a stretch, with the surrounding ones that are needed to measure and close it.
fn clip_of(take: &Take, candidate: &LoopCandidate, num_intervals: usize, step_secs: f64) -> Result<Clip, CutError> {
    if let Some(course) = candidate.pairing.ping_pong(&candidate.cut) {
        return Clip::ping_pong(take, &course, num_intervals, step_secs);
    }
    let mut clip = Clip::new(take, &candidate.cut, num_intervals, step_secs)?;
    if let Some(whole) = &candidate.whole {
        if whole.last_key == LastKey::Repeated {
            clip = clip.without_context();
        }
        if whole.goes_on_over_the_seam() {
            clip = clip.known_as_cycle();
        }
    }
    Ok(clip)
}

/// A stretch whose ends meet, before its feet are held.
struct ClosedStretch {
    loop_clip: LoopClip,
    /// The uncut stretch, all of it for a loop of two mirrored halves.
    source: RootRelativeClip,
    mean_cycle: Option<MeanCycle>,
    closed: Closed,
}

impl<'a> Plan<'a> {
    /// Samples the stretch and extracts its root motion.
    fn prepare(&self) -> Result<Prepared, MakeError> {
        let Self {
            analysis,
            candidate,
            settings,
        } = *self;
        let (take, cut) = (&analysis.take, &candidate.cut);
        let sampling = settings.timing.before();
        // Half a cycle has half the samples; ping-pong is sampled all the way.
        let halves = usize::from(candidate.pairing.num_stretches());
        let source_frames = match candidate.pairing.ping_pong(cut) {
            Some(course) => course.num_frames(),
            None => cut.num_frames(),
        };
        let source_secs = source_frames * take.frame_time_secs();
        let kept = candidate
            .whole
            .as_ref()
            .filter(|whole| whole.ends_between_frames() && sampling == Sampling::SourceRate);
        let (num_intervals, step_secs) = match sampling {
            Sampling::SourceRate => (source_frames.round() as usize, take.frame_time_secs()),
            Sampling::Rate(rate) => {
                if !(rate > 0.0 && rate.is_finite()) {
                    return Err(MakeError::Rate { found: rate });
                }
                ((source_secs * rate).round() as usize, 1.0 / rate)
            }
            Sampling::Samples(count) if count % halves != 0 => return Err(MakeError::OddSamples { found: count }),
            Sampling::Samples(count) => (count / halves, source_secs / (count / halves).max(1) as f64),
        };
        let mut clip = match kept {
            Some(whole) => curve_through(analysis, whole)?,
            None => clip_of(take, candidate, num_intervals, step_secs)?,
        };
        if kept.is_none() && !candidate.pairing.is_ping_pong() && candidate::is_cut_off(analysis, cut) {
            clip = clip.without_context();
        }
        let mean = self.mean_of_cycles(&clip)?;
        let (root, known) = (&settings.root, candidate.known_motion());
        let source = match candidate.pairing.mirror() {
            Some(mirror) => root_motion::half_cycle::extract_half(&clip, analysis, mirror, root)?,
            None => root_motion::extract_root_motion(analysis, &clip, candidate.cycles, root, known)?,
        };
        let recorded = kept
            .filter(|_| mean.is_none() && settings.edits.is_empty())
            .map(|whole| {
                source
                    .of_other_samples(&kept::as_recorded(take, whole), analysis)
                    .clip
                    .into_tracks()
            });
        Ok(Prepared { source, mean, recorded })
    }

    /// Returns the mean that the settings request; `None` if they request none. `clip` is the candidate's own stretch.
    fn mean_of_cycles(&self, clip: &Clip) -> Result<Option<(RootRelativeClip, MeanCycle)>, MakeError> {
        let Self {
            analysis,
            candidate,
            settings,
        } = *self;
        if settings.mean_cycles == MeanCycles::Off {
            return Ok(None);
        }
        if settings.root.space == RootSpace::Full {
            return Err(MeanCycleError::FullSpace.into());
        }
        let laid = LaidCycles::find(analysis, candidate, settings.mean_cycles, clip.num_intervals())?;
        // Fine detail needs the candidate closed by itself, whatever happens to its root later.
        let root =
            root_motion::extract_root_motion(analysis, clip, candidate.cycles, &RootSettings::default(), None)?.root;
        let closed = closure::close(&laid.own(clip, root).clip, &settings.closure)?;
        let (mean, about) = laid.mean(&closed.tracks);
        let mean = root_motion::extract_root_motion(analysis, &mean, candidate.cycles, &settings.root, None)?;
        Ok(Some((mean, about)))
    }

    /// Makes the loop of the stretch.
    fn finish(&self, prepared: Prepared) -> Result<MadeLoop, MakeError> {
        let (closed, image) = self.close(prepared)?;
        self.make(closed, image.as_ref())
    }

    /// Makes the loop of a clip that loops with a kink at its seam, without it if possible.
    fn mended(&self) -> Result<MadeLoop, MakeError> {
        let candidate = self.candidate.clone().mended();
        let plan = Plan {
            candidate: &candidate,
            ..*self
        };
        let prepared = plan.prepare()?;
        let over = |secs: f64| {
            let mut settings = self.settings.clone();
            settings.closure.method = Method::new(Shape::new(ShapeKind::Least, secs));
            let made = Plan {
                settings: &settings,
                ..plan
            }
            .finish(prepared.clone())?;
            let quality = made.measured();
            Ok::<_, MakeError>((
                made,
                [quality.has_a_kink(), quality.seam_acceleration.ratio > SMOOTH_SEAM],
            ))
        };
        let [shortest, longer @ ..] = MENDING_SECS;
        let (mut made, mut roughness) = over(shortest)?;
        for secs in longer {
            if roughness == [false; 2] {
                break;
            }
            let other = over(secs)?;
            if roughness[0] || other.1 < roughness {
                (made, roughness) = other;
            }
        }
        Ok(made)
    }

    /// Closes the ends of the stretch; also returns the image of the first half if the second half must mirror it.
    fn close(&self, prepared: Prepared) -> Result<(ClosedStretch, Option<Image<'a>>), MakeError> {
        let Self {
            analysis,
            candidate,
            settings,
        } = *self;
        let Prepared { source, mean, recorded } = prepared;
        let (mean, mean_cycle) = mean.unzip();
        let (source, closed, image) = match candidate.pairing.mirror() {
            Some(_) if source.clip.skeleton().hinges().is_some() => return Err(HingeError::Mirrored.into()),
            Some(mirror) => {
                // A joint of the rig that is the root does not move in the root's frame; the hips move.
                let carrier = source.root_joint.map_or(source.carrier, |_| analysis.body.hips);
                let image = Image::new(&source.clip, mirror, carrier)?;
                let closed = closure::close_half(&source.clip, &image, &settings.closure)?;
                let both_halves = RootRelativeClip {
                    clip: source.clip.followed_by_image(|pose| image.pose(pose)),
                    ..source
                };
                (both_halves, closed, Some(image))
            }
            None => {
                let clip = &mean.as_ref().unwrap_or(&source).clip;
                let mended = candidate
                    .whole
                    .is_some_and(|whole| whole.kind == WholeClipKind::Mended)
                    .then(|| closure::ring::mend(clip, settings.closure.method));
                let closed = match (clip.skeleton().hinges(), mended.flatten()) {
                    (Some(hinges), _) => hinged::close(clip, hinges, &settings.closure)?,
                    (None, Some(mended)) => mended,
                    (None, None) => closure::close(clip, &settings.closure)?,
                };
                (source, closed, None)
            }
        };
        let RootRelativeClip { carrier, root, .. } = *mean.as_ref().unwrap_or(&source);
        let loop_clip = LoopClip::new(
            format!("{}-loop", analysis.take.name()),
            closed.tracks.clone(),
            carrier,
            root,
        )?;
        let closed = ClosedStretch {
            loop_clip: match recorded {
                Some(keys) => loop_clip.recorded_at(keys),
                None => loop_clip,
            },
            source,
            mean_cycle,
            closed,
        };
        Ok((closed, image))
    }

    /// Makes the loop of the closed stretch, and holds its feet as the settings say.
    fn make(&self, closed: ClosedStretch, image: Option<&Image>) -> Result<MadeLoop, MakeError> {
        let Self {
            analysis,
            candidate,
            settings,
        } = *self;
        let (timed, feet) = self.on_its_feet(closed.loop_clip, closed.source, image)?;
        let Timed {
            loop_clip,
            source,
            edits,
            ..
        } = timed;
        let path = match settings.root.mode {
            RootMode::Path => path::smoothed(&loop_clip, &analysis.body, settings.root.path_smoothing_secs),
            RootMode::Inertialized => {
                path::inertialized(&source, &analysis.body, &settings.root, &settings.closure.method)
                    .map_err(ClosureError::from)?
            }
            _ => Vec::new(),
        };
        let (loop_clip, source) = if path.is_empty() {
            (loop_clip, source)
        } else {
            led_along(loop_clip, source, path, analysis)?
        };
        let made = MadeLoop {
            loop_clip,
            take: analysis.take.clone(),
            body: analysis.body.clone(),
            candidate: candidate.clone(),
            root: settings.root,
            source,
            mean_cycle: closed.mean_cycle,
            variation: None,
            unvaried: None,
            closed: closed.closed,
            feet,
            edits,
            retimed: timed.retimed,
            first_sample: timed.first_sample,
            recentered_by: None,
            likeness: None,
            of_take: None,
        };
        Ok(made.placed(settings))
    }

    /// Sets the loop to the speed of its feet, if that is more accurate, and to its time, and holds its feet during contacts.
    ///
    /// `image` is that of the first half if the second half must mirror it.
    fn on_its_feet(
        &self,
        loop_clip: LoopClip,
        source: RootRelativeClip,
        image: Option<&Image>,
    ) -> Result<(Timed, Feet), MakeError> {
        let of_poses = loop_clip.root().twist.linear;
        let is_given = matches!(self.settings.feet.speed, RootSpeed::Given(_));
        let (analysis, settings) = (self.analysis, self.settings);
        // A body that is moved back to its start has no speed to measure; nor has one that rests, or that ends where it began
        // after a single action.
        let (speed, twist) = if settings.root.mode == RootMode::Stationary || self.candidate.root_rests() && !is_given {
            (None, None)
        } else {
            feet::measure_speed(&loop_clip, &analysis.body, analysis.contacts.limits(), &settings.feet)
        };
        // A root that moves as its own joint was captured keeps that travel.
        let twist = twist.filter(|_| source.captured.is_empty() || is_given);
        let (loop_clip, source) = match twist {
            Some(twist) => at_twist(loop_clip, source, twist),
            None => (loop_clip, source),
        };
        let mut timed = self.timed(loop_clip, source)?;
        let image = image.filter(|_| timed.is_even());
        (timed.loop_clip, timed.source, timed.edits) =
            edited(timed.loop_clip, timed.source, &analysis.body, image, settings)?;
        let (held, mut feet) = self.with_feet_held(&timed, image)?;
        feet.speed = speed;
        feet.speed_is_theirs = twist.is_some() && !is_given;
        feet.replaced_velocity = (twist.is_some() && is_given).then_some(of_poses);
        timed.loop_clip = held.unwrap_or(timed.loop_clip);
        timed.measure();
        Ok((timed, feet))
    }

    /// Returns the loop with its feet held, if that is an improvement, and the outcome.
    fn with_feet_held(&self, timed: &Timed, image: Option<&Image>) -> Result<(Option<LoopClip>, Feet), MakeError> {
        let Self {
            analysis,
            candidate,
            settings,
        } = *self;
        let Timed {
            loop_clip,
            source,
            bearing,
            ..
        } = timed;
        if let Some(hinges) = loop_clip.skeleton().hinges() {
            let stride = timed.retimed.as_ref().map_or(1.0, |retimed| retimed.stride);
            let holds = settings.feet.lock != FootLock::Off;
            let (held, feet) = hinged::hold(loop_clip, source, hinges, &analysis.body, stride, holds)?;
            if settings.mean_cycles == MeanCycles::default() && settings.edits.is_empty() {
                hinged::check_moved(&held, source, hinges)?;
            }
            return Ok((Some(held), feet));
        }
        let edited = edited_stances(
            settings,
            &analysis.body,
            candidate.pairing.mirror(),
            candidate,
            loop_clip,
        )?;
        let holding = Holding {
            source: Some(source),
            image,
            edited: &edited,
            known: bearing.as_deref(),
            ..Holding::new(
                &analysis.body,
                source.root_joint,
                match settings.feet.lock {
                    // Strides of another length slide until their feet are held.
                    FootLock::Auto if bearing.is_some() => FootLock::Solve,
                    lock => lock,
                },
            )
        };
        let limits = analysis.contacts.limits();
        let is_loop = candidate.loops_already() || candidate.whole.as_ref().is_some_and(WholeClip::is_authored_loop);
        if holding.weighs() && is_loop && settings.edits.is_empty() && !timed.has_short_contacts {
            return Ok((None, holding.measured(loop_clip, limits)));
        }
        Ok(holding.hold_if_better(loop_clip, limits)?)
    }
}

/// Returns the loop and its uncut samples on a root that moves by another twist.
fn at_twist(loop_clip: LoopClip, source: RootRelativeClip, twist: Twist) -> (LoopClip, RootRelativeClip) {
    (
        loop_clip.with_twist(twist),
        RootRelativeClip {
            root: RootMotion { twist, ..source.root },
            ..source
        },
    )
}

/// Returns the stances that the user edited, in samples of a loop; if the second half of the loop mirrors the first, with the
/// mirrored stances of the other foot.
fn edited_stances(
    settings: &LoopSettings,
    body: &Body,
    mirror: Option<&Mirror>,
    candidate: &LoopCandidate,
    loop_clip: &LoopClip,
) -> Result<Vec<EditedStance>, HoldError> {
    let edited = settings
        .stances
        .iter()
        .map(|edit| EditedStance::from_edit(edit, body.feet.len(), candidate, loop_clip))
        .collect::<Result<Vec<_>, _>>()?;
    if candidate.pairing.is_ping_pong() {
        // Frames of the take are shown twice: on the way there and on the way back.
        let both_ways = settings.stances.iter().zip(edited).flat_map(|(edit, edited)| {
            let is_of_take = matches!(edit.span, StanceSpan::Frames(_));
            let back = is_of_take.then(|| edited.on_the_way_back(loop_clip.num_samples()));
            core::iter::once(edited).chain(back)
        });
        return Ok(both_ways.collect());
    }
    if !candidate.pairing.is_mirrored() {
        return Ok(edited);
    }
    let opposite = |foot: usize| {
        let ankle = body.feet[foot].ankle;
        let ankle = mirror.map_or(ankle, |mirror| mirror.partner(ankle));
        let other = body.feet.iter().position(|other| other.ankle == ankle);
        other.unwrap_or(foot)
    };
    // The other foot does the same half a cycle later.
    Ok(edited
        .into_iter()
        .flat_map(|edit| [edit, edit.half_a_cycle_later(loop_clip.num_samples(), opposite)])
        .collect())
}

/// Returns the closed loop after its edits, the uncut samples relative to its root, and the edits in the axes of joints.
fn edited(
    loop_clip: LoopClip,
    source: RootRelativeClip,
    body: &Body,
    image: Option<&Image>,
    settings: &LoopSettings,
) -> Result<(LoopClip, RootRelativeClip, Vec<LoopEdit>), EditError> {
    if settings.edits.is_empty() {
        return Ok((loop_clip, source, Vec::new()));
    }
    if settings.edits.iter().any(|edit| edit.kind() == EditKind::Aim) {
        if settings.root.space == RootSpace::Full {
            return Err(EditError::AimInFullSpace);
        }
        if matches!(settings.root.mode, RootMode::Linear | RootMode::Stationary) {
            return Err(EditError::RootNeverTurns);
        }
    }
    let (loop_clip, edits) = edit::apply_mirrored(loop_clip, &settings.edits, source.root_joint, body, image)?;
    let twist = loop_clip.root().twist;
    let (loop_clip, source) = at_twist(loop_clip, source, twist);
    Ok((loop_clip, source, edits))
}

/// Returns the loop with its root on a path. If a joint of the rig is the root, the path is applied to it in the uncut samples,
/// too, so that both can be compared joint by joint.
fn led_along(
    loop_clip: LoopClip,
    source: RootRelativeClip,
    path: Vec<Rigid>,
    analysis: &Analysis,
) -> Result<(LoopClip, RootRelativeClip), MakeError> {
    let Some(joint) = source.root_joint else {
        return Ok((loop_clip.along(path)?, source));
    };
    let tilt = root_joint::tilt(source.clip.skeleton(), source.clip.pose(0), joint);
    let root_from_joint: Vec<_> = path.iter().map(|&sway| sway * tilt).collect();
    let loop_clip = loop_clip.along_with_joint(joint, path)?;
    let clip = root_joint::with_root_joint_at(&source.clip, None, joint, analysis, &root_from_joint);
    Ok((loop_clip, RootRelativeClip { clip, ..source }))
}
