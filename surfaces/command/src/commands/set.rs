//! `loopwright set`: from takes to the loops of one character, in phase, with a manifest.

use std::collections::BTreeMap;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use loopwright_controller::{FitSettings, Pool, TakeFit};
use loopwright_core::analysis::MotionKind;
use loopwright_formats::loop_file::{CarriedMotion, MotionPack};
use loopwright_formats::set::{LeftOut, Manifest, SET_FILE, SetController, SetMode};
use loopwright_formats::{Format, Sidecar, Target, loop_file::facts::Grade};
use loopwright_job::{AddedRoot, Recipe, Studied, Study, max_rate_hz};
use loopwright_sets::set::{self, Member, Offered, Set, SetForm, SetRequest, TakeLoop, TakePassages, godot};

use crate::animations::{self, Excluded};
use crate::args::SetArgs;
use crate::batch::{self, Input, Wanted, Work};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::recipe::TakeArgs;
use crate::talk::{self, Progress};
use crate::{failures, files, load, loop_output, memory, report::set as report, written_loop};

pub(crate) fn run(args: &SetArgs) -> Result<Ending, Failure> {
    let rig = args.take.rig.as_deref();
    let mut outputs = Outputs::new(args.force);
    let manifest_path = args.output.join(SET_FILE);
    failures::check_rate(args.fps)?;
    let found = batch::find(&args.takes, Wanted::All, Some(&args.output), rig);
    if let Some((_, failure)) = found.problems.into_iter().next() {
        return Err(failure);
    }
    let mut left_out = Vec::new();
    let inputs = of_style(found.files, args, &mut left_out)?;
    for input in &inputs {
        outputs.protect(&files::split_animation(&input.path).0);
    }
    if let Some(rig) = rig {
        outputs.protect_as("rig", rig);
    }
    let recipe = Recipe {
        take: args.take.clone(),
        ..args.sets.0.clone()
    };
    let takes = Takes {
        args,
        recipe: &recipe,
        study: load::study(args.take.clone())?,
        reading: args.take.reading(),
    };
    output::make_folder(&args.output)?;
    outputs.check(&manifest_path)?;
    let is_for_godot = args.target == Some(Target::Godot);
    for file in [godot::TREE_FILE, godot::EVENTS_FILE] {
        if is_for_godot {
            outputs.check(&args.output.join(file))?;
        }
    }
    let (mut loops, mut fits) = (Vec::new(), Vec::new());
    for offers in takes.on_all(&inputs, "takes", |path, offers: &mut Offers| takes.offer(path, offers)) {
        loops.extend(offers.loops);
        fits.extend(offers.fits);
        left_out.extend(offers.left_out);
    }
    let form = form(args, &loops)?;
    let members = members(loops, &form, &mut left_out);
    let mut offered = of_one_skeleton(members, &mut left_out);
    if !offered.is_empty() && !offered.iter().any(|each| each.gait == MotionKind::Idle) {
        offered.extend(takes.stance(&inputs, &offered[0].member, &form));
    }
    warn_of_bones(&offered);
    if offered.is_empty() {
        let mut failure = Failure::nothing("no take gives a loop for a set");
        for LeftOut { take, why } in left_out.iter().take(8) {
            failure = failure.because(format!("{take}: {why}"));
        }
        return Err(failure.try_this("`loopwright list` on the takes, which says what they hold"));
    }
    let request = SetRequest {
        form,
        variants: args.variants.get(),
        pairs: args.take.mirror.clone(),
    };
    let made = Set::new(offered, &request);
    let loops = made.loops().map_err(Failure::error)?;
    let once = takes.on_all(
        &inputs,
        "starts, stops and turns",
        |path, once: &mut Vec<TakePassages>| {
            // What cannot be read was said before.
            let _ = takes.each(path, |studied, is_of_pack| {
                once.extend(set::passages_of(
                    studied,
                    (&made, &loops),
                    is_of_pack,
                    &args.take.mirror,
                ));
                Ok(())
            });
            Ok(())
        },
    );
    let made = made.with_passages(once.into_iter().flatten().collect());
    let name = name_of(&args.output);
    let written = match args.single {
        true => write_one(&made, &request.form, args, &name, &mut outputs)?,
        false => write_each(&made, &request.form, args, &mut outputs)?,
    };
    let manifest = made.manifest(&name, &written.loops, &written.passages, left_out);
    let mut manifest = manifest.map_err(Failure::error)?;
    manifest.controller = controller(&fits);
    let text = manifest.to_json().map_err(Failure::error)?;
    outputs.add(&manifest_path, text.as_bytes())?;
    clear_set_before(&manifest_path, args, &mut outputs);
    for (file, text) in godot::resources(&manifest) {
        if is_for_godot {
            outputs.add(&args.output.join(file), text.as_bytes())?;
        }
    }
    outputs.commit()?;
    for missing in &manifest.missing {
        talk::warn(&format!("{} is missing: {}", missing.what, missing.why));
    }
    output::print(&match args.json {
        true => text,
        false => report::human(&manifest, &manifest_path),
    })?;
    let has_bad = manifest.clips.iter().any(|clip| clip.grade == Some(Grade::Bad));
    Ok(if has_bad || !manifest.missing.is_empty() {
        Ending::Negative
    } else {
        Ending::Done
    })
}

/// Clips of the set that was in the folder before go with it: a player or an engine that takes all files of the folder would mix both.
fn clear_set_before(manifest_path: &Path, args: &SetArgs, outputs: &mut Outputs) {
    let Some(before) = files::read_bytes(manifest_path)
        .ok()
        .and_then(|bytes| Manifest::from_json(&bytes).ok())
    else {
        return;
    };
    for file in before.clips.iter().map(|clip| Path::new(&clip.file)) {
        // Only files beside the manifest.
        if file.file_name() == Some(file.as_os_str()) {
            outputs.clear(&args.output.join(file));
        }
    }
}

/// The name of a set: that of its folder.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| !name.starts_with('.'))
        .unwrap_or_else(|| "set".to_owned())
}

/// The takes of the style that is asked for, or of the one that most takes have.
fn of_style(inputs: Vec<Input>, args: &SetArgs, left_out: &mut Vec<LeftOut>) -> Result<Vec<Input>, Failure> {
    let name = |input: &Input| input.below.to_string_lossy().into_owned();
    if let Some(style) = &args.style {
        // Files of many animations are asked for theirs.
        let fits = |input: &Input| set::fits_style(style, &name(input)) || holds_animations(&input.path);
        let (kept, others): (Vec<Input>, Vec<Input>) = inputs.into_iter().partition(fits);
        if kept.is_empty() {
            let known: Vec<String> = others.iter().take(3).map(name).collect();
            return Err(Failure::nothing(format!("no take is named like the style \"{style}\""))
                .because(format!("there are {}", known.join(", ")))
                .try_this("a word of these names, or no --style"));
        }
        return Ok(kept);
    }
    let names: Vec<String> = inputs.iter().map(name).collect();
    let Some(styles) = set::styles(&names) else {
        return Ok(inputs);
    };
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for style in styles.iter().flatten() {
        *counts.entry(style).or_default() += 1;
    }
    // Of several that most takes have, the first by name.
    let Some((&most, &count)) = counts
        .iter()
        .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)))
    else {
        return Ok(inputs);
    };
    let others: Vec<&str> = counts.keys().copied().filter(|style| *style != most).collect();
    talk::note(&format!(
        "the takes are of several styles, and the set is made of the {count} of \"{most}\": others are {}; --style names another",
        others.join(", ")
    ));
    let is_other = |style: &Option<String>| style.as_ref().is_some_and(|style| style != most);
    let mut kept = Vec::new();
    for (input, style) in inputs.into_iter().zip(&styles) {
        if is_other(style) {
            left_out.push(LeftOut {
                take: input.path.display().to_string(),
                why: format!("it is of another style than \"{most}\""),
            });
        } else {
            kept.push(input);
        }
    }
    Ok(kept)
}

fn holds_animations(path: &Path) -> bool {
    let (path, _) = files::split_animation(path);
    let format = files::extension(&path).and_then(|extension| Format::from_extension(&extension));
    format.is_some_and(|format| format.capabilities().holds_animations)
}

/// What takes offer.
#[derive(Default)]
struct Offers {
    loops: Vec<TakeLoop>,
    left_out: Vec<LeftOut>,
    fits: Vec<TakeFit>,
}

/// The takes of a set.
struct Takes<'a> {
    args: &'a SetArgs,
    recipe: &'a Recipe,
    study: Study,
    reading: TakeArgs,
}

/// Does something with each of many takes, several at once.
struct OnAll<A, F> {
    work: F,
    of: PhantomData<fn() -> A>,
}

impl<A, F> Work for OnAll<A, F>
where
    A: Default + Send,
    F: Fn(&Path, &mut A) -> Result<(), Failure> + Sync,
{
    type Input = Input;
    type Studied = (A, Option<String>);
    type Answer = (A, Option<String>);

    fn study(&self, input: &Input) -> Self::Studied {
        let mut all = A::default();
        let (done, _) = talk::aside(|| (self.work)(&input.path, &mut all));
        (all, done.err().map(|failure| failure.what().to_owned()))
    }

    fn settle(&self, _: &Input, _: &mut Self::Studied) {}

    fn finish(&self, _: &Input, studied: Self::Studied) -> Self::Answer {
        studied
    }

    fn fault(&self, _: &Input) -> Self::Answer {
        (A::default(), Some("the program itself failed on it".to_owned()))
    }
}

impl Takes<'_> {
    /// What work on each file gives, in their order; of those on which it fails a warning is said.
    fn on_all<A: Default + Send>(
        &self,
        inputs: &[Input],
        what: &'static str,
        work: impl Fn(&Path, &mut A) -> Result<(), Failure> + Sync,
    ) -> Vec<A> {
        let jobs = batch::jobs(self.args.jobs.jobs, inputs.len());
        memory::share_among(jobs);
        let progress = Progress::new(what, inputs.len());
        let mut all = Vec::with_capacity(inputs.len());
        let work = OnAll { work, of: PhantomData };
        batch::run(&work, inputs, jobs, |input, (answer, problem)| {
            all.push(answer);
            if let Some(problem) = problem {
                progress.beside(|| talk::warn(&format!("{}: {problem}", input.path.display())));
            }
            progress.step();
        });
        progress.finish();
        all
    }

    /// What a file offers: loops that were made before, or those of its takes.
    fn offer(&self, named: &Path, offers: &mut Offers) -> Result<(), Failure> {
        let (path, _) = files::split_animation(named);
        let done = match output::has_sidecar(&path) {
            true => self.loops(named, offers),
            false => self.each(named, |studied, _| {
                if let Err(failure) = self.take(studied, offers) {
                    offers.left_out.push(LeftOut {
                        take: called(&studied.name, studied.facts().animation.as_deref()),
                        why: failure.what().to_owned(),
                    });
                }
                Ok(())
            }),
        };
        if let Err(failure) = &done {
            offers.left_out.push(LeftOut {
                take: named.display().to_string(),
                why: failure.what().to_owned(),
            });
        }
        done
    }

    /// Each take of a file, if it is of the style, and whether the file has several; a file of loops has none.
    fn each(&self, named: &Path, mut work: impl FnMut(&Studied, bool) -> Result<(), Failure>) -> Result<(), Failure> {
        let (path, animation) = files::split_animation(named);
        if output::has_sidecar(&path) {
            return Ok(());
        }
        let file = load::open(&path)?;
        let wanted = animation.as_deref().or(self.args.take.animation.as_deref());
        let excluded = Excluded::of(&self.args.takes, &self.args.left_out);
        let is_pack = file.num_animations() > 1;
        for number in animations::asked_for(&path, &file, wanted, excluded)? {
            let animation = &file.animation_names()[number];
            let is_other =
                |style: &String| is_pack && !set::fits_style(style, &format!("{}/{animation}", path.display()));
            if self.args.style.as_ref().is_some_and(is_other) {
                continue;
            }
            match animations::read(&path, &file, number, &self.study) {
                Ok(studied) => work(&studied, is_pack)?,
                // Of many animations some hold no motion.
                Err(_) if is_pack => {}
                Err(failure) => return Err(failure),
            }
        }
        Ok(())
    }

    fn take(&self, studied: &Studied, offers: &mut Offers) -> Result<(), Failure> {
        offers
            .fits
            .extend(loopwright_controller::fit(&studied.analysis, &FitSettings::default()));
        let in_words = |error| failures::job(studied, None, error);
        let loops = set::loops_of(studied, self.recipe, self.args.variants.get()).map_err(in_words)?;
        if loops.is_empty() {
            return Err(Failure::nothing(
                "what repeats in it is uneven, or holds several cycles",
            ));
        }
        let (made, failed): (Vec<_>, Vec<_>) = loops.into_iter().partition(Result::is_ok);
        offers.loops.extend(made.into_iter().flatten());
        match failed.into_iter().find_map(Result::err) {
            Some(error) if offers.loops.is_empty() => Err(in_words(error)),
            _ => Ok(()),
        }
    }

    /// Loops that were made before.
    fn loops(&self, path: &Path, offers: &mut Offers) -> Result<(), Failure> {
        for name in written_loop::all_loops(&[path.to_owned()], &self.reading)? {
            let read = || {
                let stored = written_loop::read_playable(&name, &self.reading, AddedRoot::Folded)?;
                let matched = (self.study.character())
                    .map(|target| target.matched(&stored.file, &self.reading.overrides()))
                    .transpose()
                    .map_err(|error| failures::study(path, error))?;
                set::loop_made_before(stored, matched.as_ref()).map_err(|error| written_loop::unusable(path, error))
            };
            match read() {
                Ok(made) => offers.loops.push(made),
                Err(failure) => offers.left_out.push(LeftOut {
                    take: name.to_string(),
                    why: failure.what().to_owned(),
                }),
            }
        }
        Ok(())
    }

    /// A still body on the skeleton of a set, out of the first take in which it stands.
    fn stance(&self, inputs: &[Input], like: &Member, form: &SetForm) -> Option<Offered> {
        inputs.iter().find_map(|input| {
            let mut found = None;
            let _ = talk::aside(|| {
                self.each(&input.path, |studied, _| {
                    if found.is_none()
                        && let Ok(Some((stored, made))) = set::stance_of(studied)
                    {
                        let member = Member::new(stored, made, form).ok();
                        found = member.filter(|member| member.differs_from(like).is_none());
                    }
                    Ok(())
                })
            });
            found.map(|member| Offered {
                member,
                gait: MotionKind::Idle,
            })
        })
    }
}

/// How a take is named, of several in one file with its animation.
fn called(take: &str, animation: Option<&str>) -> String {
    match animation {
        Some(animation) if holds_animations(Path::new(take)) => format!("{take}#{animation}"),
        _ => take.to_owned(),
    }
}

/// The form of the set: the rate and the format that most loops have, unless flags say otherwise.
fn form(args: &SetArgs, loops: &[TakeLoop]) -> Result<SetForm, Failure> {
    let mut rates: BTreeMap<u64, usize> = BTreeMap::new();
    for (stored, _) in loops {
        // In thousandths: files round frame times.
        *rates.entry((1e3 / stored.clip.step_secs()).round() as u64).or_default() += 1;
    }
    let most = rates.iter().max_by_key(|(rate, count)| (**count, **rate));
    let own = most.map_or(30.0, |(rate, _)| *rate as f64 / 1e3);
    // A rate that is whole but for rounding is whole.
    let own = if (own - own.round()).abs() < 0.02 {
        own.round()
    } else {
        own
    };
    let engine = args.target.unwrap_or(Target::Generic);
    let format = match (args.to, loops.first()) {
        (Some(format), _) => format,
        (None, Some((stored, _))) => {
            let own = stored.file.source.format();
            let named = PathBuf::from("loop").with_extension(own.extension());
            engine.extension(&named).and_then(Format::from_extension).unwrap_or(own)
        }
        (None, None) => Format::Bvh,
    };
    let fps = args.fps.unwrap_or_else(|| engine.sampled_rate(own));
    let limit_hz = max_rate_hz(own);
    if fps > limit_hz {
        return Err(failures::rate(fps, limit_hz));
    }
    talk::warn_all(engine.complaint(format).into_iter().chain(engine.rate_complaint(fps)));
    Ok(SetForm {
        fps,
        target: args.target,
        format,
        overrides: match args.take.rig {
            Some(_) => Default::default(),
            None => args.take.overrides(),
        },
    })
}

/// The loops that a set has a use for.
fn members(loops: Vec<TakeLoop>, form: &SetForm, left_out: &mut Vec<LeftOut>) -> Vec<Offered> {
    let mut offered = Vec::new();
    for (stored, made) in loops {
        let take = called(&made.take, made.animation.as_deref());
        let member = Member::new(stored, made, form).map_err(|error| error.to_string());
        match member.and_then(|member| Ok((set::gait_of(&member)?, member))) {
            Ok((gait, member)) => offered.push(Offered { member, gait }),
            Err(why) => left_out.push(LeftOut { take, why }),
        }
    }
    offered
}

/// The loops on the skeleton that most of them are on.
fn of_one_skeleton(offered: Vec<Offered>, left_out: &mut Vec<LeftOut>) -> Vec<Offered> {
    let mut groups: Vec<Vec<Offered>> = Vec::new();
    for each in offered {
        match groups
            .iter_mut()
            .find(|group| each.member.differs_from(&group[0].member).is_none())
        {
            Some(group) => group.push(each),
            None => groups.push(vec![each]),
        }
    }
    // The first of several of one size.
    let most = (0..groups.len()).rev().max_by_key(|&group| groups[group].len());
    let Some(most) = most else { return Vec::new() };
    let kept = groups.swap_remove(most);
    let mut said: Vec<&str> = Vec::new();
    for other in groups.iter().flatten() {
        let take = other.member.made.take.as_str();
        if said.contains(&take) {
            continue;
        }
        said.push(take);
        if let Some(difference) = other.member.differs_from(&kept[0].member) {
            let why = format!(
                "it has another skeleton than \"{}\": {difference}; --rig FILE puts all on one",
                kept[0].member.made.take
            );
            talk::warn(&format!("{}: {why}", other.member.made.take));
            left_out.push(LeftOut {
                take: other.member.made.take.clone(),
                why,
            });
        }
    }
    kept
}

/// Bones of takes that differ by more than this show where their clips meet, metres: as a step over a seam.
const SHOWS_METRES: f64 = 0.002;

/// Says of takes of several bodies that their clips cannot meet.
fn warn_of_bones(kept: &[Offered]) {
    let Some((first, others)) = kept.split_first() else {
        return;
    };
    let apart = others
        .iter()
        .map(|other| (other.member.bones_apart(&first.member), other));
    let Some((most, other)) = apart.max_by(|one, other| one.0.total_cmp(&other.0)) else {
        return;
    };
    if most > SHOWS_METRES {
        talk::warn(&format!(
            "bones of \"{}\" and \"{}\" differ by up to {:.0} mm, so that clips of both do not meet exactly; --rig FILE puts all on one character",
            first.member.made.take,
            other.member.made.take,
            1e3 * most
        ));
    }
}

/// What was written: the file of each loop and its facts there, the file and the animation of each passage.
#[derive(Default)]
struct WrittenSet {
    loops: Vec<(String, Sidecar)>,
    passages: Vec<(String, Option<String>)>,
}

/// Each clip in a file of its own.
fn write_each(made: &Set, form: &SetForm, args: &SetArgs, outputs: &mut Outputs) -> Result<WrittenSet, Failure> {
    let mut written = WrittenSet::default();
    for entry in &made.entries {
        let file = format!("{}.{}", entry.name, form.format.extension());
        let path = args.output.join(&file);
        for path in [&path, &output::sidecar_path(&path)] {
            outputs.check(path)?;
        }
        let source = form.source(&entry.member.stored);
        let mut loop_file = entry.ready(form).write(&source).map_err(failures::write)?;
        loop_output::add_file(outputs, &mut loop_file, &path)?;
        written.loops.push((file, loop_file.sidecar));
    }
    let Some(first) = made.entries.first() else {
        return Ok(written);
    };
    let source = form.source(&first.member.stored);
    for each in &made.passages {
        let file = format!("{}.{}", each.passage.name(), form.format.extension());
        let path = args.output.join(&file);
        outputs.check(&path)?;
        outputs.clear_sidecar(&path)?;
        let ready = each.ready(form, made.has_root_joint()).map_err(Failure::error)?;
        let of_file = ready
            .write(&source)
            .map_err(|error| Failure::error(error).of_file(&path))?;
        outputs.add(&path, &of_file.bytes)?;
        written.passages.push((file, of_file.animation));
    }
    Ok(written)
}

/// All clips as animations of one file.
fn write_one(
    made: &Set,
    form: &SetForm,
    args: &SetArgs,
    name: &str,
    outputs: &mut Outputs,
) -> Result<WrittenSet, Failure> {
    let Some(first) = made.entries.first() else {
        return Ok(WrittenSet::default());
    };
    let source = form.source(&first.member.stored);
    let file = format!("{name}.{}", form.format.extension());
    let path = args.output.join(&file);
    let beside = output::sidecar_path(&path);
    for path in [&path, &beside] {
        outputs.check(path)?;
    }
    let (mut carried, mut onto) = (Vec::new(), Vec::new());
    for entry in &made.entries {
        let ready = entry.ready(form);
        carried.push(CarriedMotion::Loop(Box::new(ready.derived.clone())));
        onto.push(Some(ready));
    }
    for each in &made.passages {
        carried.push(each.ready(form, made.has_root_joint()).map_err(Failure::error)?);
        onto.push(None);
    }
    let pack = MotionPack::write(&carried, &source).map_err(|error| {
        Failure::error(error)
            .of_file(&path)
            .try_this("--to glb, or no --single for a file of each")
    })?;
    let loops = loop_output::add_pack(outputs, pack, &onto, file.clone(), &path)?.loops;
    Ok(WrittenSet {
        loops: loops.into_iter().map(|facts| (file.clone(), facts)).collect(),
        passages: (made.passages.iter())
            .map(|each| (file.clone(), Some(each.passage.name().to_owned())))
            .collect(),
    })
}

/// Constants for a controller, where the takes show any.
fn controller(fits: &[TakeFit]) -> Option<SetController> {
    let pool = Pool::new(&fits.iter().collect::<Vec<_>>());
    let modes: Vec<SetMode> = (core::iter::once(&pool.all).chain(&pool.modes))
        .map(|mode| SetMode {
            mode: mode.mode.map_or_else(|| "all".to_owned(), |mode| mode.to_string()),
            top_speed_mps: mode.top_speed.map(|speed| speed.median),
            turn_rate_dps: mode.turn_rate.map(|rate| rate.median.to_degrees()),
            velocity_half_life_secs: mode.velocity.chosen_secs(),
            facing_half_life_secs: mode.facing.chosen_secs(),
        })
        .collect();
    (pool.takes > 0).then_some(SetController {
        takes: pool.takes,
        modes,
    })
}

/// The manifest in a folder, or the file itself. Errors: it cannot be read.
pub(crate) fn read_manifest(path: &Path) -> Result<Manifest, Failure> {
    Manifest::from_json(&files::read_bytes(path)?)
        .map_err(|error| Failure::cannot("read the set", path, error).try_this("`loopwright set` writes one"))
}
