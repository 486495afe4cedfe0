//! `loopwright set`: from takes to the loops of one character, in phase, with a manifest.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use loopwright_controller::{FitSettings, Pool, TakeFit};
use loopwright_formats::loop_file::{CarriedMotion, MotionPack, PackSidecar};
use loopwright_formats::{Format, Sidecar, loop_file::facts::Grade};
use loopwright_job::set::manifest::{LeftOut, Manifest, SET_FILE, SetController, SetMode};
use loopwright_job::set::{self, Member, Offered, Set, SetForm, SetRequest, TakeLoop};
use loopwright_job::{AddedRoot, Recipe, Study};

use crate::animations::{self, Excluded};
use crate::args::SetArgs;
use crate::batch::{self, Input, Wanted, Work};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::recipe::{StudyArgs, TakeArgs};
use crate::talk::{self, Progress};
use crate::{failures, files, load, loop_output, memory, report::set as report, written_loop};

pub(crate) fn run(args: &SetArgs) -> Result<Ending, Failure> {
    let rig = args.take.rig.as_deref();
    let mut outputs = Outputs::new(args.force);
    let manifest_path = args.output.join(SET_FILE);
    outputs.check(&manifest_path)?;
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
    let offers = Offers::gather(args, &recipe, &inputs)?;
    left_out.extend(offers.left_out);
    let form = form(args, &offers.loops)?;
    let members = members(offers.loops, &form, &mut left_out);
    let offered = of_one_skeleton(members, &mut left_out);
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
    output::make_folder(&args.output)?;
    let name = name_of(&args.output);
    let written = match args.single {
        true => write_one(&made, &request.form, args, &name, &mut outputs)?,
        false => write_each(&made, &request.form, args, &mut outputs)?,
    };
    let mut manifest = made.manifest(&name, &written, left_out).map_err(Failure::error)?;
    manifest.controller = controller(&offers.fits);
    let text = manifest.to_json().map_err(Failure::error)?;
    outputs.add(&manifest_path, text.as_bytes())?;
    outputs.commit()?;
    for missing in &manifest.missing {
        talk::warn(&format!("{} is missing: {}", missing.what, missing.why));
    }
    output::print(&match args.json {
        true => text,
        false => report::human(&manifest, &manifest_path),
    })?;
    let is_bad = |grade: &Option<String>| grade.as_deref() == Some(Grade::Bad.as_str());
    let has_bad = manifest.clips.iter().any(|clip| is_bad(&clip.grade));
    Ok(if has_bad || !manifest.missing.is_empty() {
        Ending::Negative
    } else {
        Ending::Done
    })
}

/// The name of a set: that of its folder.
fn name_of(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    name.filter(|name| !name.starts_with('.')).unwrap_or_else(|| "set".to_owned())
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
    let Some((&most, &count)) = counts.iter().max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0))) else {
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

impl Offers {
    fn gather(args: &SetArgs, recipe: &Recipe, inputs: &[Input]) -> Result<Self, Failure> {
        let work = Gather {
            args,
            recipe,
            study: load::study(args.take.clone())?,
            reading: reading(&args.take),
            names: args.takes.clone(),
        };
        let jobs = batch::jobs(args.jobs.jobs, inputs.len());
        memory::share_among(jobs);
        let progress = Progress::new("takes", inputs.len());
        let mut all = Self::default();
        batch::run(&work, inputs, jobs, |_, offers: Self| {
            all.loops.extend(offers.loops);
            all.left_out.extend(offers.left_out);
            all.fits.extend(offers.fits);
            progress.step();
        });
        progress.finish();
        Ok(all)
    }

    fn leave_out(&mut self, take: String, why: impl ToString) {
        self.left_out.push(LeftOut {
            take,
            why: why.to_string(),
        });
    }
}

fn reading(study: &StudyArgs) -> TakeArgs {
    TakeArgs {
        up: study.up,
        unit: study.unit,
        animation: study.animation.clone(),
        skin: study.skin.clone(),
        hips: study.hips.clone(),
        feet: study.feet.clone(),
    }
}

/// Finds what takes offer, one after the other.
struct Gather<'a> {
    args: &'a SetArgs,
    recipe: &'a Recipe,
    study: Study,
    reading: TakeArgs,
    names: Vec<PathBuf>,
}

impl Work for Gather<'_> {
    type Input = Input;
    type Studied = Offers;
    type Answer = Offers;

    fn study(&self, input: &Input) -> Offers {
        let (offers, _) = talk::aside(|| {
            let mut offers = Offers::default();
            if let Err(failure) = self.file(&input.path, &mut offers) {
                offers.leave_out(input.path.display().to_string(), failure.what());
            }
            offers
        });
        offers
    }

    fn settle(&self, _: &Input, _: &mut Offers) {}

    fn finish(&self, _: &Input, offers: Offers) -> Offers {
        offers
    }

    fn fault(&self, input: &Input) -> Offers {
        let mut offers = Offers::default();
        offers.leave_out(input.path.display().to_string(), "the program itself failed on it");
        offers
    }
}

impl Gather<'_> {
    fn file(&self, named: &Path, offers: &mut Offers) -> Result<(), Failure> {
        let (path, animation) = files::split_animation(named);
        if written_loop::has_sidecar(&path) {
            return self.loops(named, offers);
        }
        let file = load::open(&path)?;
        let wanted = animation.as_deref().or(self.args.take.animation.as_deref());
        let excluded = Excluded::of(&self.names, &self.args.left_out);
        let numbers = animations::asked_for(&path, &file, wanted, excluded)?;
        let is_pack = file.num_animations() > 1;
        for number in numbers {
            let animation = &file.animation_names()[number];
            let is_other = |style: &String| is_pack && !set::fits_style(style, &format!("{}/{animation}", path.display()));
            if self.args.style.as_ref().is_some_and(is_other) {
                continue;
            }
            let called = match is_pack {
                true => format!("{}#{animation}", path.display()),
                false => path.display().to_string(),
            };
            if let Err(failure) = self.take(&path, &file, number, offers) {
                offers.leave_out(called, failure.what());
            }
        }
        Ok(())
    }

    fn take(
        &self,
        path: &Path,
        file: &loopwright_formats::AnimatedFile,
        number: usize,
        offers: &mut Offers,
    ) -> Result<(), Failure> {
        let studied = animations::read(path, file, number, &self.study)?;
        if let Ok(fit) = loopwright_controller::fit(&studied.analysis, &FitSettings::default()) {
            offers.fits.push(fit);
        }
        let in_words = |error| failures::job(&studied, None, error);
        let loops = set::loops_of(&studied, self.recipe, self.args.variants.get()).map_err(in_words)?;
        let num_loops = loops.len();
        let mut failed = None;
        for made in loops {
            match made {
                Ok(made) => offers.loops.push(made),
                Err(error) => failed = Some(in_words(error)),
            }
        }
        match failed {
            Some(failure) if num_loops == 1 => Err(failure),
            _ => Ok(()),
        }
    }

    /// Loops that were made before.
    fn loops(&self, path: &Path, offers: &mut Offers) -> Result<(), Failure> {
        let target = load::character_of(&crate::args::RigArgs {
            rig: self.args.take.rig.clone(),
            map: self.args.take.map.clone(),
            bone_stretch: self.args.take.bone_stretch,
        })?;
        for name in written_loop::all_loops(&[path.to_owned()], &self.reading)? {
            let read = || {
                let stored = name.read(&self.reading, AddedRoot::Folded)?;
                let matched = (target.as_ref())
                    .map(|target| target.matched(&stored.file, &self.reading.overrides()))
                    .transpose()
                    .map_err(|error| failures::study(path, error))?;
                set::loop_made_before(stored, matched.as_ref()).map_err(|error| written_loop::unusable(path, error))
            };
            match read() {
                Ok(made) => offers.loops.push(made),
                Err(failure) => offers.leave_out(name.to_string(), failure.what()),
            }
        }
        Ok(())
    }
}

/// The form of the set: the rate and the format that most loops have, unless flags say otherwise.
fn form(args: &SetArgs, loops: &[TakeLoop]) -> Result<SetForm, Failure> {
    if let Some(rate) = args.fps.filter(|rate| !(*rate > 0.0 && rate.is_finite())) {
        return Err(Failure::error(format!("--fps must be a positive number, found {rate:?}"))
            .try_this("--fps 30 or --fps 60")
            .wrongly_called());
    }
    let mut rates: BTreeMap<u64, usize> = BTreeMap::new();
    for (stored, _) in loops {
        // In thousandths: files round frame times.
        *rates.entry((1e3 / stored.clip.step_secs()).round() as u64).or_default() += 1;
    }
    let most = rates.iter().max_by_key(|(rate, count)| (**count, **rate));
    let own = most.map_or(30.0, |(rate, _)| *rate as f64 / 1e3);
    // A rate that is whole but for rounding is whole.
    let own = if (own - own.round()).abs() < 0.02 { own.round() } else { own };
    let engine = args.target.unwrap_or(loopwright_formats::Target::Generic);
    let format = match (args.to, loops.first()) {
        (Some(format), _) => format,
        (None, Some((stored, _))) => {
            let own = stored.file.source.format();
            let named = PathBuf::from("loop").with_extension(own.extension());
            engine.extension(&named).and_then(Format::from_extension).unwrap_or(own)
        }
        (None, None) => Format::Bvh,
    };
    talk::warn_all(engine.complaint(format));
    Ok(SetForm {
        fps: args.fps.unwrap_or_else(|| engine.sampled_rate(own)),
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
        let take = match &made.animation {
            Some(animation) if holds_animations(Path::new(&made.take)) => format!("{}#{animation}", made.take),
            _ => made.take.clone(),
        };
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
        match groups.iter_mut().find(|group| each.member.differs_from(&group[0].member).is_none()) {
            Some(group) => group.push(each),
            None => groups.push(vec![each]),
        }
    }
    // The first of several of one size.
    let most = (0..groups.len()).rev().max_by_key(|&group| groups[group].len());
    let Some(most) = most else { return Vec::new() };
    let kept = groups.swap_remove(most);
    for other in groups.iter().flatten() {
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

/// Each clip in a file of its own.
fn write_each(
    made: &Set,
    form: &SetForm,
    args: &SetArgs,
    outputs: &mut Outputs,
) -> Result<Vec<(String, Sidecar)>, Failure> {
    let mut written = Vec::new();
    for entry in &made.entries {
        let file = format!("{}.{}", entry.name, form.format.extension());
        let path = args.output.join(&file);
        for path in [&path, &output::sidecar_path(&path)] {
            outputs.check(path)?;
        }
        let source = form.source(&entry.member.stored);
        let mut loop_file = entry.ready(form).write(&source).map_err(failures::write)?;
        loop_file.sidecar.kind.clone_from(&entry.member.stored.sidecar.kind);
        loop_output::add_file(outputs, &mut loop_file, &path)?;
        written.push((file, loop_file.sidecar));
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
) -> Result<Vec<(String, Sidecar)>, Failure> {
    let Some(first) = made.entries.first() else {
        return Ok(Vec::new());
    };
    let source = form.source(&first.member.stored);
    let file = format!("{name}.{}", form.format.extension());
    let path = args.output.join(&file);
    let beside = output::sidecar_path(&path);
    for path in [&path, &beside] {
        outputs.check(path)?;
    }
    let ready: Vec<_> = made.entries.iter().map(|entry| entry.ready(form)).collect();
    let carried: Vec<_> = ready.iter().map(|each| CarriedMotion::Loop(Box::new(each.derived.clone()))).collect();
    let pack = MotionPack::write(&carried, &source).map_err(|error| {
        Failure::error(error)
            .of_file(&path)
            .try_this("--to glb, or no --single for a file of each")
    })?;
    let bytes = pack.bytes();
    talk::warn_all(&pack.warnings);
    let mut loops = Vec::new();
    for ((entry, ready), measured) in made.entries.iter().zip(&ready).zip(pack.motions) {
        let measured = measured.map_err(failures::write)?;
        if let Some(measured) = measured {
            let mut sidecar = measured.sidecar;
            ready.judge(&measured.quality, &mut sidecar);
            sidecar.kind.clone_from(&entry.member.stored.sidecar.kind);
            loops.push(sidecar);
        }
    }
    Sidecar::state_file_of_all(&mut loops, &bytes);
    let sidecar = PackSidecar {
        file: file.clone(),
        loops: loops.clone(),
        outputs: [&path, &beside].map(|path| path.display().to_string()).to_vec(),
        ..PackSidecar::default()
    };
    outputs.add(&path, &bytes)?;
    outputs.add(&beside, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    Ok(loops.into_iter().map(|facts| (file.clone(), facts)).collect())
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
