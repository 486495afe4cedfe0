//! `loopwright make --all-animations`: loops of many animations in one copy of their file, or of a character's.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use loopwright::{
    FeetSettings, LoopCandidate, LoopSettings, MadeLoop,
    blend::SkeletonDifference,
    candidate::{LastKey, MotionKind, WholeClip, WholeClipKind},
    closure::ClosureName,
    feet::FootLock,
    loop_clip::LoopKeys,
    math::{ops, rotation},
    pipeline::Retry,
    quality,
};
use loopwright_catalog::skeleton_sha256;
use loopwright_formats::{
    AnimatedFile, Format, Source,
    loop_file::{AnimationFacts, AnimationOutcome, LoopPack, MeasuredLoop, PackSidecar, PackedLoop, facts::Grade},
};

use crate::{
    animations,
    args::{DEFAULT_TOP, SearchArgs, TargetArgs},
    exit::{Ending, Failure},
    files,
    load::{Loaded, Study},
    making, memory, mirroring,
    output::{self, Outputs},
    recipe::Recipe,
    report::{json, make_all as report},
    search,
    talk::{self, Progress},
    written_loop,
};

/// A gap below this is not seen, metres and radians (0.1 degrees).
const UNSEEN_METRES: f64 = 1e-3;
const UNSEEN_RADIANS: f64 = 0.1 * core::f64::consts::PI / 180.0;

/// The suffix of loops, which are not looped again.
const LOOP_SUFFIX: &str = "-loop";

/// What is to become of an animation.
enum Fate {
    /// It loops already.
    Kept(Box<Kept>),
    /// A loop to be written: its place in the list of those.
    Made(usize),
    /// It is no loop.
    LeftAlone(String),
    /// It cannot be read or looped.
    Failed(Failure),
}

/// An animation that loops already, and the loop made of it, which is not written.
struct Kept {
    made: MadeLoop,
    measured: MeasuredLoop,
}

/// An animation with its fate.
struct Animation {
    number: usize,
    name: String,
    kind: Option<MotionKind>,
    fate: Fate,
    warnings: Vec<String>,
}

/// All loops of a file, in a copy of it, before anything is printed or written.
pub(super) struct LoopedAnimations {
    pub(super) bytes: Vec<u8>,
    /// What became of every animation; its outputs are not named yet.
    pub(super) sidecar: PackSidecar,
    /// Why animations could not be looped.
    pub(super) failed: Vec<Failure>,
    /// SHA-256 of the skeleton of the first animation.
    pub(super) skeleton_sha256: String,
    /// What the file states about its copyright.
    pub(super) copyright: Option<String>,
}

impl LoopedAnimations {
    /// Loops the animations of these numbers; the others stay as they are.
    pub(super) fn of(
        take: &Path,
        file: &AnimatedFile,
        numbers: &[usize],
        (recipe, study, search, format): (&Recipe, &Study, &SearchArgs, Format),
    ) -> Result<Self, Failure> {
        let mut work = Work {
            recipe,
            study,
            search,
            format,
            packed: Vec::new(),
            form: None,
        };
        let progress = Progress::new("looping", numbers.len());
        let mut done = Vec::with_capacity(numbers.len());
        for &number in numbers {
            let name = file.animation_names()[number].clone();
            done.push(work.loop_animation(take, file, number, name)?);
            progress.step();
        }
        progress.finish();
        let Work { mut packed, form, .. } = work;
        with_one_skeleton(&mut packed);
        let (bytes, made) = written(copied(take, recipe), form.as_ref(), format, &packed)?;
        let mut sidecar = facts(take, &mut done, &packed, made);
        let mut said = summarized_warnings(&done);
        said.extend(recipe.output.engine().complaint(format));
        for warning in &said {
            talk::warn(warning);
        }
        for each in &mut sidecar.loops {
            each.state_file(&bytes);
        }
        sidecar.warnings = said;
        let failed = done.into_iter().filter_map(|animation| match animation.fate {
            Fate::Failed(failure) => Some(failure),
            _ => None,
        });
        let first = form.as_ref().map(|(source, take)| (source, take.skeleton()));
        Ok(Self {
            bytes,
            sidecar,
            failed: failed.collect(),
            skeleton_sha256: first.map_or_else(String::new, |(_, skeleton)| skeleton_sha256(skeleton)),
            copyright: first.and_then(|(source, _)| source.copyright().map(str::to_owned)),
        })
    }

    /// Names the file and the JSON beside it, and adds both to what is written.
    pub(super) fn add_to(
        &mut self,
        outputs: &mut Outputs,
        [loop_path, sidecar_path]: [&Path; 2],
    ) -> Result<(), Failure> {
        if outputs.is_in_place(loop_path) {
            written_loop::keep_other_loops(&mut self.sidecar.loops, loop_path, &self.bytes);
        }
        self.sidecar.outputs = [loop_path, sidecar_path]
            .map(|path| path.display().to_string())
            .to_vec();
        outputs.add(loop_path, &self.bytes)?;
        let beside = self.sidecar.to_json().map_err(Failure::error)?;
        outputs.add(sidecar_path, beside.as_bytes())
    }
}

/// Loops the animations of these numbers; the others stay as they are.
pub(super) fn make_all(
    take: &Path,
    file: &AnimatedFile,
    numbers: &[usize],
    (recipe, target, search): (&Recipe, &TargetArgs, &SearchArgs),
) -> Result<Ending, Failure> {
    let loop_path = match &target.output {
        Some(folder) if output::is_named_as_folder(folder) => {
            output::make_folder(folder)?;
            folder.join(default_output(take, recipe))
        }
        Some(path) => path.clone(),
        None => default_output(take, recipe),
    };
    let format = output::format_of(&loop_path)?;
    let sidecar_path = output::sidecar_path(&loop_path);
    let mut outputs = Outputs::new(target.force);
    match &recipe.take.rig {
        Some(rig) => {
            outputs.spare(take);
            outputs.spare_as("rig", rig);
        }
        None => outputs.spare_unless_in_place(take, &loop_path),
    }
    if let Some(recipe) = &target.recipe {
        outputs.spare_as("recipe", recipe);
    }
    for path in [&loop_path, &sidecar_path] {
        outputs.check(path)?;
    }
    let study = Study::of(recipe.take.clone())?;
    let mut looped = LoopedAnimations::of(take, file, numbers, (recipe, &study, search, format))?;
    looped.add_to(&mut outputs, [&loop_path, &sidecar_path])?;
    outputs.commit()?;
    output::say_if_nothing_was_written();

    let LoopedAnimations { sidecar, failed, .. } = looped;
    let failure = (!failed.is_empty()).then(|| {
        let what = format!("{} of {} animations could not be looped", failed.len(), numbers.len());
        Failure::of_all(what, &failed.iter().collect::<Vec<_>>())
    });
    let document = json::pack(&sidecar, failure.as_ref());
    if !target.json {
        output::print(&report::human(&sidecar))?;
    }
    if let Some(failure) = failure {
        return Err(failure.in_document(document));
    }
    if target.json {
        output::print(&document)?;
    }
    let pops = (sidecar.animations.iter()).any(|animation| animation.grade == Some(Grade::Bad));
    Ok(if pops { Ending::Negative } else { Ending::Done })
}

/// `<stem>-loops.<extension>` in the current folder, with the extension of the file that is copied.
fn default_output(take: &Path, recipe: &Recipe) -> PathBuf {
    let extension = copied(take, recipe)
        .extension()
        .map_or_else(|| "glb".into(), |extension| extension.to_string_lossy());
    PathBuf::from(format!("{}-loops.{extension}", files::stem(take)))
}

/// The file that takes the loops: the character's, or that of the animations.
fn copied<'a>(take: &'a Path, recipe: &'a Recipe) -> &'a Path {
    recipe.take.rig.as_deref().unwrap_or(take)
}

/// What is made so far, and how.
struct Work<'a> {
    recipe: &'a Recipe,
    study: &'a Study,
    search: &'a SearchArgs,
    format: Format,
    packed: Vec<PackedLoop>,
    /// The form of the file, from the first animation that was read.
    form: Option<(Source, loopwright::Take)>,
}

impl Work<'_> {
    /// Errors: those that all animations would have.
    fn loop_animation(
        &mut self,
        path: &Path,
        file: &AnimatedFile,
        number: usize,
        name: String,
    ) -> Result<Animation, Failure> {
        let animation = Animation {
            number,
            name,
            kind: None,
            fate: Fate::LeftAlone(String::new()),
            warnings: Vec::new(),
        };
        let loaded = match animations::load(path, file, number, self.study) {
            Ok(loaded) => loaded,
            Err(failure) if failure.is_negative() => {
                return Ok(Animation {
                    fate: Fate::LeftAlone(failure.what().to_owned()),
                    ..animation
                });
            }
            Err(failure) => {
                return Ok(Animation {
                    fate: Fate::Failed(failure),
                    ..animation
                });
            }
        };
        if self.form.is_none() {
            let of_loops = loaded.goes_into();
            let source = &of_loops.source;
            if !source.can_be_extended() || !source.keeps_all_in(self.format) {
                return Err(cannot_hold_them(copied(path, self.recipe), source));
            }
            self.form = Some((loaded.form(self.format), of_loops.take.clone()));
        }
        let mut warnings = loaded.warnings.clone();
        let (best, fate) = match self.fate(&loaded, &animation.name, &mut warnings) {
            Ok((best, fate)) => (best, fate),
            Err(failure) => (None, Fate::Failed(failure)),
        };
        let speed = match &fate {
            Fate::Kept(kept) => Some(ground_speed(&kept.made)),
            Fate::Made(index) => Some(ground_speed(&self.packed[*index].made)),
            _ => None,
        };
        Ok(Animation {
            kind: Some(loaded.analysis.motion_kind(best.as_ref(), speed)),
            fate,
            warnings,
            ..animation
        })
    }

    /// What becomes of an animation, and the loop that it gives.
    fn fate(
        &mut self,
        loaded: &Loaded,
        name: &str,
        warnings: &mut Vec<String>,
    ) -> Result<(Option<LoopCandidate>, Fate), Failure> {
        let recipe = self.recipe;
        let mirror = match recipe.stretch.symmetric {
            Some(true) => Some(mirroring::mirror(&loaded.analysis, &recipe.take.mirror)?),
            _ => None,
        };
        let settings = loopwright::SearchSettings {
            pairing: mirror.into(),
            ..search::settings(self.search, DEFAULT_TOP)
        };
        let (best, others) = match animations::best_loop(loaded, &settings).map_err(Failure::error)? {
            Ok(best_and_others) => best_and_others,
            Err(why_not) => return Ok((None, Fate::LeftAlone(why_not))),
        };
        let was_made_before = name.ends_with(LOOP_SUFFIX);
        // The character has no such animation yet.
        let is_there = recipe.take.rig.is_none();
        if is_there && loops_as_it_is(&best) && (was_made_before || !changes_loops(recipe)) {
            let kept = kept(loaded, &best, name)?;
            let is_elsewhere = !was_made_before && recipe.output.recenters() && stands_elsewhere(&kept.made);
            // A seam that pops is closed, unless that does not help: some clips are that abrupt throughout.
            let closing_helps = || -> Result<bool, Failure> {
                let closed = self.made(loaded, &best, &[], &mut Vec::new())?.made;
                let keys = LoopKeys::of_loop(&closed.loop_clip);
                Ok(!quality::measure(&keys, &closed.body, Some(&closed.source)).pops())
            };
            let pops = kept.measured.quality.pops();
            let may_be_an_action = (best.whole).is_some_and(|whole| whole.kind == WholeClipKind::EndsAsItBegins);
            if pops && may_be_an_action && !was_made_before {
                let why = "it ends as it begins, but its seam shows, as that of a single action may".to_owned();
                return Ok((Some(best), Fate::LeftAlone(why)));
            }
            if was_made_before || (!is_elsewhere && (!pops || !closing_helps()?)) {
                return Ok((Some(best), Fate::Kept(Box::new(kept))));
            }
        }
        if was_made_before && is_there {
            return Ok((Some(best), Fate::LeftAlone("it is named like a loop".to_owned())));
        }
        let made = self.made(loaded, &best, &others, warnings)?;
        if self
            .packed
            .iter()
            .any(|other| other.made.loop_clip.name() == made.made.loop_clip.name())
        {
            return Ok((
                Some(best),
                Fate::LeftAlone("another animation has the same name".to_owned()),
            ));
        }
        self.packed.push(made);
        Ok((Some(best), Fate::Made(self.packed.len() - 1)))
    }

    /// The loop of a stretch, ready to be written.
    fn made(
        &self,
        loaded: &Loaded,
        chosen: &LoopCandidate,
        others: &[LoopCandidate],
        warnings: &mut Vec<String>,
    ) -> Result<PackedLoop, Failure> {
        let recipe = self.recipe;
        let output = recipe.output.filled(loaded.take().frame_rate_hz(), chosen);
        let analysis = &loaded.analysis;
        warnings.extend(search::confidence_warning(loaded, chosen).filter(|_| !self.search.idle));
        warnings.extend(search::bad_frames_warning(loaded, chosen));
        let body = loaded.body_of_loops();
        let mut settings = recipe.loop_settings(&output, analysis, &body, warnings)?;
        making::check_sampling(loaded, chosen, settings.sampling)?;
        if recipe.closure.method == Some(ClosureName::Auto) {
            let choice = analysis.choose_closure(chosen, &making::on_take(loaded, &settings));
            settings.closure.method = choice.map_err(|error| making::failure(loaded, error))?.method;
        }
        let retry = Retry {
            stretches: others,
            closures: !recipe.states_closure(),
            ..Retry::default()
        };
        let found = making::made_or_retried(loaded, chosen, &settings, retry)?;
        warnings.extend(making::retried_in_words(&found));
        let made = making::on_character(loaded, &found.made, &settings)?.unwrap_or(found.made);
        warnings.extend(making::about(&made));
        Ok(PackedLoop {
            made,
            take: loaded.facts(),
            source: recipe.output.engine().placed(loaded.form(self.format)),
            writing: output.writing(self.format, body.root_joint, memory::limits()),
        })
    }
}

fn cannot_hold_them(path: &Path, source: &Source) -> Failure {
    let what = format!("the loops of \"{}\" go into a copy of it", path.display());
    if source.can_be_extended() {
        let own = Format::extensions(source.formats(), ".");
        Failure::error(what)
            .because("the output is of another kind, which keeps one animation")
            .try_this(format!("-o with a name that ends in {own}"))
    } else {
        let without: Vec<&str> = (Format::ALL.iter())
            .filter_map(|format| format.capabilities().not_extended)
            .collect();
        Failure::error(what)
            .because(format!("no animation can be added to {}", without.join(", or to ")))
            .try_this("a loop of one animation, without --all-animations, or an export as glTF or binary FBX")
    }
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

/// A loop that stands farther from the origin than this, metres, or faces farther from +Z, radians, is brought there for an engine.
const ELSEWHERE_METRES: f64 = 0.5;
const ELSEWHERE_RADIANS: f64 = 0.5;

/// Whether a loop is not where an engine needs it: authored loops are, but for the sway of the body.
fn stands_elsewhere(made: &MadeLoop) -> bool {
    let motion = made.clone().recentered().recentered_by;
    motion.is_some_and(|motion| {
        motion.translation.length() > ELSEWHERE_METRES || rotation::yaw_of(motion.rotation).abs() > ELSEWHERE_RADIANS
    })
}

/// Whether the settings change animations that loop already.
fn changes_loops(recipe: &Recipe) -> bool {
    let choices = recipe.output.engine().choices();
    recipe.output.is_given_apart_from_engine()
        || choices.root.is_some()
        || choices.always_root_joint
        || recipe.take.smooth.is_some()
        || recipe.stretch.symmetric == Some(true)
        || !recipe.edits.is_empty()
}

/// An animation that stays as it is, measured as a loop.
fn kept(loaded: &Loaded, best: &LoopCandidate, name: &str) -> Result<Kept, Failure> {
    let settings = LoopSettings {
        feet: FeetSettings {
            lock: FootLock::Off,
            ..FeetSettings::default()
        },
        root: loopwright::RootSettings {
            mode: best.whole.as_ref().map_or_else(Default::default, WholeClip::root_mode),
            ..loopwright::RootSettings::default()
        },
        ..LoopSettings::default()
    };
    let made = (loaded.analysis.make_loop(best, &settings)).map_err(|error| making::failure(loaded, error))?;
    let measured = MeasuredLoop::kept(&made, loaded.facts(), &loaded.file.source, name).map_err(Failure::error)?;
    Ok(Kept { made, measured })
}

fn ground_speed(made: &MadeLoop) -> f64 {
    let linear = made.loop_clip.root().twist.linear;
    ops::hypot(linear.x, linear.z)
}

/// Gives every loop a root joint if one of the same skeleton gets one: loops of one character must share a skeleton.
fn with_one_skeleton(packed: &mut [PackedLoop]) {
    let skeleton = |each: &PackedLoop| each.made.loop_clip.skeleton().clone();
    let rooted: Vec<_> = packed
        .iter()
        .filter(|each| each.writing.add_root)
        .map(skeleton)
        .collect();
    for each in packed {
        let own = each.made.loop_clip.skeleton();
        let has_root = each.made.source.root_joint.is_some();
        each.writing.add_root |=
            !has_root && (rooted.iter()).any(|other| SkeletonDifference::between(own, other).is_none());
    }
}

/// The file with all loops, and what was written of each.
#[expect(clippy::type_complexity, reason = "one list of results")]
fn written(
    copied: &Path,
    form: Option<&(Source, loopwright::Take)>,
    format: Format,
    packed: &[PackedLoop],
) -> Result<(Vec<u8>, Vec<Result<MeasuredLoop, Failure>>), Failure> {
    if !packed.is_empty() {
        let pack = LoopPack::write(packed).map_err(making::write_failure)?;
        for warning in &pack.warnings {
            talk::warn(&warning.to_string());
        }
        let made = pack.loops.into_iter().map(|made| made.map_err(making::write_failure));
        return Ok((pack.bytes, made.collect()));
    }
    // What may refer to other files, which are not copied, is written anew.
    let repacked = form
        .filter(|_| format.capabilities().names_other_files)
        .and_then(|(source, first)| source.kept(first, false));
    let bytes = match repacked {
        Some(repacked) => repacked.map_err(Failure::error)?.bytes,
        None => files::read_bytes(copied)?,
    };
    Ok((bytes, Vec::new()))
}

/// What became of every animation; loops that could not be written become failures.
fn facts(
    take: &Path,
    done: &mut [Animation],
    packed: &[PackedLoop],
    made: Vec<Result<MeasuredLoop, Failure>>,
) -> PackSidecar {
    let mut made: Vec<Option<Result<MeasuredLoop, Failure>>> = made.into_iter().map(Some).collect();
    let mut pack = PackSidecar {
        file: take.display().to_string(),
        ..PackSidecar::default()
    };
    let written: Vec<String> = (made.iter().flatten().flatten())
        .filter_map(|measured| measured.sidecar.playback.animation.clone())
        .collect();
    for animation in done.iter_mut() {
        let mut facts = AnimationFacts {
            number: animation.number,
            name: animation.name.clone(),
            kind: animation.kind.map(|kind| kind.as_str().to_owned()),
            outcome: AnimationOutcome::LeftAlone,
            reason: None,
            loop_animation: None,
            start_frame: None,
            end_frame: None,
            gap_before_mm: None,
            gap_before_deg: None,
            gap_after_mm: None,
            gap_after_deg: None,
            speed_mps: None,
            grade: None,
        };
        let mut add = |facts: &mut AnimationFacts, measured: &MeasuredLoop, made: &MadeLoop| {
            let [mm, deg] = gap_before(made);
            let MeasuredLoop { sidecar, .. } = measured;
            facts.outcome = match made.candidate.whole {
                Some(_) => AnimationOutcome::Closed,
                None => AnimationOutcome::Cut,
            };
            facts.loop_animation.clone_from(&sidecar.playback.animation);
            facts.start_frame = Some(sidecar.candidate.start_frame);
            facts.end_frame = Some(sidecar.candidate.end_frame);
            (facts.gap_before_mm, facts.gap_before_deg) = (Some(mm), Some(deg));
            (facts.gap_after_mm, facts.gap_after_deg) = (sidecar.quality.pose_gap_mm, sidecar.quality.pose_gap_deg);
            facts.speed_mps = Some(sidecar.root_motion.speed_mps);
            facts.grade = sidecar.quality.grade;
            pack.loops.push(sidecar.clone());
        };
        match &mut animation.fate {
            Fate::Kept(_) if written.contains(&animation.name) => {
                facts.reason = Some("replaced by the new loop of that name".to_owned());
            }
            Fate::Kept(kept) => {
                add(&mut facts, &kept.measured, &kept.made);
                facts.outcome = AnimationOutcome::Kept;
            }
            Fate::Made(index) => match made.get_mut(*index).and_then(Option::take) {
                Some(Ok(mut measured)) => {
                    if measured.quality.pops() {
                        animation.warnings.push("the seam pops".to_owned());
                    }
                    measured.sidecar.warnings.clone_from(&animation.warnings);
                    add(&mut facts, &measured, &packed[*index].made);
                }
                Some(Err(failure)) => animation.fate = Fate::Failed(failure),
                None => {}
            },
            Fate::LeftAlone(why) => facts.reason = Some(why.clone()),
            Fate::Failed(_) => {}
        }
        if let Fate::Failed(failure) = &animation.fate {
            facts.outcome = AnimationOutcome::Error;
            facts.reason = Some(failure.what().to_owned());
        }
        pack.animations.push(facts);
    }
    pack
}

/// Largest distance and rotation of a joint between both ends before closing, millimetres and degrees.
fn gap_before(made: &MadeLoop) -> [f64; 2] {
    let (metres, radians) = match &made.candidate.whole {
        Some(whole) => (whole.gap_metres, whole.gap_radians),
        None => {
            let gaps = made.closed.seam.largest();
            (gaps.position, gaps.angle)
        }
    };
    [1e3 * metres, radians.to_degrees()]
}

/// Each warning once, with the animations that it is about.
fn summarized_warnings(done: &[Animation]) -> Vec<String> {
    const MOST: usize = 4;
    let mut about: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for animation in done {
        if let Fate::Kept(kept) = &animation.fate
            && kept.measured.quality.pops()
        {
            let said = "it was kept, and its seam pops; closing does not help";
            about.entry(said).or_default().push(&animation.name);
        }
        // Other warnings about animations that stay as they are help nobody.
        if !matches!(animation.fate, Fate::Made(_)) {
            continue;
        }
        for warning in &animation.warnings {
            about.entry(warning).or_default().push(&animation.name);
        }
    }
    let text = |(warning, names): (&str, Vec<&str>)| {
        let shown = names[..names.len().min(MOST)].join(", ");
        match names.len().saturating_sub(MOST) {
            0 => format!("{shown}: {warning}"),
            more => format!("{shown} and {more} more: {warning}"),
        }
    };
    about.into_iter().map(text).collect()
}
