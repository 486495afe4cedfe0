//! `loopwright make`: from a take to a loop.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use loopwright::{
    candidate::{self, LoopCandidate, SearchSettings},
    closure::ClosureName,
    loop_clip::{KeyLayout, LoopKeys},
    math::rotation,
    pipeline::{self, LoopSettings, Made, MakeError},
    quality::{self, Quality, Stand},
    root_motion::{MAX_RABBIT_TURN, RootError, RootMode, root_joint},
    take::{CutError, Mirror},
};
use loopwright_formats::{
    AnimationChoice, ClosingKey, LoadedTake, LoopWriteSettings, ReadSettings, Sidecar, Source, Space, Written,
    sidecar::{FeetFacts, PlaybackFacts},
};

use crate::{
    args::{CloseArgs, DEFAULT_TOP, MakeArgs, SearchArgs, TargetArgs},
    exit::{Ending, Failure},
    files,
    load::{self, Loaded},
    mirroring,
    output::{self, Outputs},
    plot::PlotFile,
    recipe::{Recipe, StretchRecipe},
    report::{facts, json, make as report},
    search::{self, Hunt},
    talk,
    targets::Target,
};

/// Most keys a file may get: `--repeat` and `--fps` multiply, and a slip should not fill the disk.
const MAX_KEYS: usize = 2_000_000;

pub(crate) fn run(args: MakeArgs) -> Result<Ending, Failure> {
    let cycles = args.search.as_ref().and_then(|search| search.cycles);
    let flags = args.settings.recipe(args.range, cycles)?;
    let mut recipe = with_file(&flags, &args.target)?;
    // Flags count more: the stretch in a file is no answer to a search that is asked for.
    if args.range.is_none() && (args.pick.is_some() || args.search.is_some()) {
        recipe.stretch = recipe.stretch.searched_anew(cycles);
    }
    let mut search = args.search.unwrap_or_default();
    search.cycles = recipe.stretch.cycles;
    make(
        &args.take,
        &recipe,
        &args.target,
        Some((args.pick.unwrap_or(1), &search)),
    )
}

/// `loopwright close`: the same without a search.
pub(crate) fn close(args: CloseArgs) -> Result<Ending, Failure> {
    let flags = args.settings.recipe(args.range, args.cycles)?;
    make(&args.take, &with_file(&flags, &args.target)?, &args.target, None)
}

/// What flags ask for, laid over the recipe that they name.
fn with_file(flags: &Recipe, target: &TargetArgs) -> Result<Recipe, Failure> {
    match &target.recipe {
        Some(path) => Recipe::read(path)?.overlaid(flags),
        None => Ok(flags.clone()),
    }
}

/// Makes a loop from a take; `search` says how a stretch is looked for, and which of those found is made, where the recipe
/// names none.
fn make(
    take: &Path,
    recipe: &Recipe,
    target: &TargetArgs,
    search: Option<(usize, &SearchArgs)>,
) -> Result<Ending, Failure> {
    let client = recipe.output.client();
    let loop_path = target
        .output
        .clone()
        .unwrap_or_else(|| default_output(take, recipe.take.animation.as_deref(), client));
    let format = output::format_of(&loop_path)?;
    let sidecar_path = sidecar_path(&loop_path);
    let mut outputs = Outputs::new(target.force);
    outputs.spare(take);
    if let Some(recipe) = &target.recipe {
        outputs.spare(recipe);
    }
    let saved = target.save_recipe.as_ref();
    for path in [Some(&loop_path), Some(&sidecar_path), saved].into_iter().flatten() {
        outputs.check(path)?;
    }
    let plot = PlotFile::asked_for(target.plot.as_deref(), &outputs)?;

    let loaded = load::load(take, &recipe.take)?;
    let mut warnings = loaded.warnings.clone();
    let mut soft: Vec<String> = Vec::new();
    let mirror = match recipe.stretch.symmetric {
        Some(true) => Some(mirroring::mirror(
            loaded.take(),
            &loaded.analysis.heading,
            &recipe.take.mirror,
        )?),
        _ => None,
    };
    let chosen = match choose(&loaded, &recipe.stretch, mirror.as_ref(), search) {
        Err(failure) if failure.is_negative() && target.json => {
            output::print(&report::refused(&loaded, &failure))?;
            return Err(failure);
        }
        chosen => chosen?,
    };
    if recipe.stretch.start.is_none() {
        let idle_asked = search.is_some_and(|(_, search)| search.idle);
        soft.extend(search::confidence_warning(&loaded, &chosen).filter(|_| !idle_asked));
    }
    soft.extend(search::soiled_warning(&loaded, &chosen));
    soft.extend(client.complaint(format));
    let output = recipe.output.filled(loaded.take().frame_rate_hz());
    let (skeleton, analysis) = (loaded.take().skeleton(), &loaded.analysis);
    let root_joint = root_joint::find(skeleton, &analysis.world, &analysis.body);
    let writing = output.writing(format, root_joint);
    if let Some(joint) = root_joint.filter(|_| recipe.output.add_root == Some(true)) {
        soft.push(format!(
            "the take has a root joint above the hips, {}; --add-root adds no other",
            skeleton.joint(joint).name
        ));
    }
    let mut settings = LoopSettings {
        closure: recipe.closure.settings(&recipe.joints, skeleton)?,
        root: output.root_settings(&mut soft),
        sampling: output.sampling()?,
        mirror,
        feet: output.feet_settings(),
    };
    let choice = (recipe.closure.method == Some(ClosureName::Auto))
        .then(|| pipeline::auto::choose(loaded.take(), analysis, &chosen.cut, chosen.cycles, &settings))
        .transpose()
        .map_err(|error| make_failure(&loaded, error))?;
    if let Some(choice) = &choice {
        settings.closure.method = choice.method;
    }
    let source = client.placed(loaded.file.source.in_format(format, loaded.take()));
    let product = produce(&loaded, &chosen, &settings, (&source, &writing))?;
    soft.extend(product.soft.iter().cloned());
    soft.extend(client.rate_complaint(1.0 / product.made.loop_clip.step_secs()));
    for warning in &soft {
        talk::warn(warning);
    }
    warnings.extend(soft);
    if let Some(choice) = &choice {
        talk::note(&choice.to_string());
    }

    let named = [Some(&loop_path), Some(&sidecar_path), target.plot.as_ref(), saved];
    let mut sidecar = product.sidecar(
        &loaded,
        &chosen,
        (&settings, &writing),
        warnings,
        &named.into_iter().flatten().map(PathBuf::as_path).collect::<Vec<_>>(),
    );
    sidecar.target = recipe.output.target.map(|client| {
        let clip = &product.made.loop_clip;
        client.facts(&sidecar, clip.skeleton(), 1.0 / clip.step_secs())
    });
    sidecar.closure.chosen = choice.as_ref().map(ToString::to_string);
    outputs.add(&loop_path, &product.bytes(&sidecar))?;
    outputs.add(&sidecar_path, sidecar.to_json().map_err(Failure::error)?.as_bytes())?;
    if let Some(plot) = plot {
        plot.add(&mut outputs, &product.plot(&loaded, &chosen, settings.root.mode))?;
    }
    if let Some(path) = saved {
        let done = recipe.done(&chosen, choice.as_ref().map(|choice| &choice.method));
        outputs.add(path, done.to_text()?.as_bytes())?;
    }
    outputs.commit()?;
    output::print(&if target.json {
        json::text(&sidecar)
    } else {
        report::human(&sidecar)
    })?;
    Ok(if product.quality.pops() {
        Ending::Negative
    } else {
        Ending::Done
    })
}

/// A loop as bytes, with its figures.
pub(crate) struct Product {
    pub(crate) written: Written,
    /// The space of the file.
    space: Space,
    pub(crate) made: Made,
    pub(crate) quality: Quality,
    /// When feet stood in the take.
    stands: Vec<Stand>,
    /// What is worth a warning.
    pub(crate) soft: Vec<String>,
}

/// Makes, writes into memory, reads back, and measures what was read.
pub(crate) fn produce(
    loaded: &Loaded,
    chosen: &LoopCandidate,
    settings: &LoopSettings,
    (source, writing): (&Source, &LoopWriteSettings),
) -> Result<Product, Failure> {
    let made = pipeline::make(loaded.take(), &loaded.analysis, &chosen.cut, chosen.cycles, settings)
        .map_err(|error| make_failure(loaded, error))?;
    let keys = made.loop_clip.num_samples().saturating_mul(writing.copies);
    if keys > MAX_KEYS {
        return Err(
            Failure::error(format!("{keys} keys are asked for, the limit is {MAX_KEYS}"))
                .try_this("a smaller --repeat, --fps or --frames"),
        );
    }
    let written = loopwright_formats::write_loop(&made.loop_clip, source, writing).map_err(Failure::error)?;
    let mut soft: Vec<String> = written.warnings.iter().map(ToString::to_string).collect();
    soft.extend(made.closed.clamps.iter().map(ToString::to_string));
    soft.extend(torn_back(loaded, &made, settings.root.mode));
    soft.extend(facts::feet_left_alone(
        loaded.take().skeleton(),
        &loaded.analysis.body,
        &made.feet,
    ));
    let (quality, stands) = measure(loaded, &made, (source, writing), &written)?;
    if quality.pops() {
        soft.push(format!(
            "the seam pops: gap {:.3} deg and {:.3} mm, seam acceleration {:.2} of the clip's own peaks",
            quality.c0_radians.to_degrees(),
            1e3 * quality.c0_metres,
            quality.seam_acceleration_p99
        ));
    }
    Ok(Product {
        written,
        space: *source.space(),
        made,
        quality,
        stands,
        soft,
    })
}

impl Product {
    /// The file, with the facts inside it where its format has a place for them.
    pub(crate) fn bytes(&self, sidecar: &Sidecar) -> Cow<'_, [u8]> {
        loopwright_formats::with_facts(&self.written, sidecar).map_or(Cow::Borrowed(&self.written.bytes), Cow::Owned)
    }

    /// What closing did, as SVG.
    pub(crate) fn plot(&self, loaded: &Loaded, chosen: &LoopCandidate, mode: RootMode) -> String {
        loopwright_draw::plot::make(loaded.take(), &loaded.analysis, &chosen.cut, &self.made, mode)
    }

    /// All facts about the loop, as the file beside it has them.
    pub(crate) fn sidecar(
        &self,
        loaded: &Loaded,
        chosen: &LoopCandidate,
        (settings, writing): (&LoopSettings, &LoopWriteSettings),
        warnings: Vec<String>,
        outputs: &[&Path],
    ) -> Sidecar {
        let clip = &self.made.loop_clip;
        let name_of = |joint: usize| clip.skeleton().joint(joint).name.clone();
        let take = loaded.facts();
        Sidecar {
            candidate: facts::candidate(chosen, clip.period_secs()),
            closure: facts::closure(&self.made.closed),
            root: facts::root_as_made(
                facts::root(clip.root(), settings.root.mode, settings.root.space),
                &self.made,
                (settings.root.mode == RootMode::Path).then_some(settings.root.path_smoothing_secs),
            ),
            feet: Some(FeetFacts {
                stances: facts::stances(clip, &self.stands),
                ..facts::feet(clip, &loaded.analysis.body, &self.made.feet)
            }),
            quality: facts::quality(&self.quality, Some(&self.made.closed)),
            playback: PlaybackFacts {
                samples: clip.num_samples(),
                closing_key: writing.closing_key == ClosingKey::Repeat,
                copies: writing.copies,
                root_joint_added: writing.add_root,
                carrier_joint: name_of(clip.carrier()),
                root_joint: self.made.source.root_joint.map(name_of),
                animation: self.written.animation.clone(),
                ..PlaybackFacts::default()
            }
            .in_space(&self.space, &take),
            take,
            warnings,
            outputs: outputs.iter().map(|path| path.display().to_string()).collect(),
            ..Sidecar::default()
        }
    }
}

/// Figures of a loop from the bytes that will stand in its file, and when its feet stand.
fn measure(
    loaded: &Loaded,
    made: &Made,
    (source, writing): (&Source, &LoopWriteSettings),
    written: &Written,
) -> Result<(Quality, Vec<Stand>), Failure> {
    let settings = ReadSettings {
        animation: written
            .animation
            .as_deref()
            .map_or(AnimationChoice::Auto, AnimationChoice::Given),
        ..ReadSettings::in_space(load::known_space(source.space()))
    };
    let unreadable = |why: String| Failure::error(format!("the loop cannot be read back: {why}"));
    let LoadedTake { take, .. } = loopwright_formats::read_take(&written.bytes, "loop", &settings, &mut Vec::new())
        .map_err(|error| unreadable(error.to_string()))?;
    let take = if writing.add_root {
        take.without_root_joint()
            .ok_or_else(|| unreadable("the root joint is not where it was put".to_owned()))?
    } else {
        take
    };
    let clip = &made.loop_clip;
    let layout = KeyLayout {
        num_samples: clip.num_samples(),
        has_closing_key: writing.closing_key == ClosingKey::Repeat || writing.copies > 1,
        in_place: writing.in_place,
    };
    // Folding an added root joint away leaves the travel on the topmost joint, whichever had it in the take.
    let carrier = if writing.add_root { 0 } else { clip.carrier() };
    let keys = LoopKeys::new(&take, layout, *clip.root(), carrier).map_err(|error| unreadable(error.to_string()))?;
    let (body, uncut) = (&loaded.analysis.body, Some(&made.source));
    Ok((
        quality::measure(&keys, body, uncut),
        quality::stands(&keys, body, uncut),
    ))
}

/// The stretch that the recipe names, or one that a search finds.
fn choose(
    loaded: &Loaded,
    stretch: &StretchRecipe,
    mirror: Option<&Mirror>,
    search: Option<(usize, &SearchArgs)>,
) -> Result<LoopCandidate, Failure> {
    if let (Some(start), Some(end)) = (stretch.start, stretch.end) {
        let settings = SearchSettings {
            cycles: stretch.cycles,
            pairing: mirror.cloned().into(),
            ..SearchSettings::default()
        };
        let mut candidate = candidate::appraise(loaded.take(), &loaded.analysis, &settings, start, end)
            .map_err(|error| cut_failure(loaded, error))?;
        candidate.cycles = stretch.cycles.unwrap_or(candidate.cycles);
        return Ok(candidate);
    }
    let Some((pick, search)) = search else {
        return Err(Failure::error("the recipe does not say which frames to close")
            .because("a stretch needs both start and end")
            .try_this("--range START:END, or `loopwright make` to search for them"));
    };
    search::check(search, loaded)?;
    // At least what `find` asks for: how many are asked for may change the list.
    let settings = SearchSettings {
        pairing: mirror.cloned().into(),
        ..search::settings(search, pick.max(DEFAULT_TOP))
    };
    let Hunt { found, .. } = search::hunt(loaded, &settings, search)?;
    if found.candidates.is_empty() {
        return Err(search::nothing_found(loaded, &found, search));
    }
    let count = found.candidates.len();
    found.candidates.into_iter().nth(pick - 1).ok_or_else(|| {
        Failure::error(format!(
            "there is no loop number {pick} in \"{}\"",
            loaded.path.display()
        ))
        .because(format!("the search found {count}"))
        .try_this(format!(
            "--pick 1 to {count}; `loopwright find --top {count}` lists them"
        ))
    })
}

fn cut_failure(loaded: &Loaded, error: CutError) -> Failure {
    let last = loaded.take().num_frames() - 1;
    match error {
        CutError::OutOfRange {
            start_frame, end_frame, ..
        } => Failure::error(format!(
            "frames {start_frame:.0}:{end_frame:.0} are not a range of \"{}\"",
            loaded.path.display()
        ))
        .because(format!(
            "its frames are 0 to {last}, and the start must lie before the end"
        ))
        .try_this(format!("--range START:END within 0:{last}")),
        CutError::TooShort { num_intervals } => Failure::error(format!(
            "{num_intervals} frames are too few for a loop in \"{}\"",
            loaded.path.display()
        ))
        .because("a loop needs at least 3 frames to have a velocity")
        .try_this("a longer --range, or more --frames or --fps"),
        CutError::TooLong { num_intervals, limit } => {
            Failure::error(format!("{num_intervals} frames are asked for, the limit is {limit}"))
                .try_this("a smaller --fps or --frames")
        }
        other => Failure::error(other),
    }
}

fn make_failure(loaded: &Loaded, error: MakeError) -> Failure {
    match error {
        MakeError::Cut(error) => cut_failure(loaded, error),
        MakeError::Rate { found } => {
            Failure::error(format!("--fps must be a positive number, found {found}")).try_this("--fps 30 or --fps 60")
        }
        MakeError::OddSamples { .. } => Failure::error(error).try_this("an even number of --frames"),
        MakeError::Image(error) => Failure::error("this stretch has no mirror image")
            .because(error.to_string())
            .try_this("a loop of whole cycles, without --symmetric"),
        MakeError::Root(error) => root_failure(loaded, error),
        other => Failure::error(other).try_this("another --blend"),
    }
}

fn root_failure(loaded: &Loaded, error: RootError) -> Failure {
    match error {
        RootError::Turns { found } => Failure::error(format!(
            "the loop of \"{}\" turns by {:.1} degrees, too much for --root rabbit",
            loaded.path.display(),
            found.to_degrees()
        ))
        .because(format!(
            "a straight root takes up to {:.0} degrees, by which closing then bends the body at the seam",
            MAX_RABBIT_TURN.to_degrees()
        ))
        .try_this("--root screw, which turns; --straight for another stretch; or --force-straight to close the turn all the same"),
        RootError::Smoothing { found } => {
            Failure::error(format!("--path-smoothing must be a positive number of seconds, found {found}"))
                .try_this("--path-smoothing 0.25")
        }
        RootError::PathInFullSpace => Failure::error("--root path lies on the ground, --root-space full leaves it")
            .try_this("--root screw with --root-space full, or --root path without"),
        other => Failure::error(other).try_this("--root screw"),
    }
}

/// Ways and turns of the hips over a loop that are told when the body is brought back over them, metres and radians.
const TORN_METRES: f64 = 0.1;
const TORN_RADIANS: f64 = 5.0 * core::f64::consts::PI / 180.0;

/// Says so when the body is brought back over a way that the take travels.
fn torn_back(loaded: &Loaded, made: &Made, mode: RootMode) -> Option<String> {
    if mode != RootMode::World {
        return None;
    }
    let (clip, hips) = (&made.source.clip, loaded.analysis.body.hips);
    let world = clip.world_tracks();
    let start = clip.sample_range().start().unsigned_abs();
    let end = start + clip.num_intervals();
    let metres = (world.position(end, hips) - world.position(start, hips)).length();
    let radians = rotation::difference(world.rotation(end, hips), world.rotation(start, hips)).length();
    (metres > TORN_METRES || radians > TORN_RADIANS).then(|| {
        format!(
            "the take travels {metres:.2} m and turns {:.0} degrees over the loop; --root world tears the body back over \
             that within the blend, --root screw or in-place would not",
            radians.to_degrees()
        )
    })
}

/// Most letters of an animation's name in the name of a file.
const MAX_NAMED: usize = 60;

/// `<stem>-loop.<extension>` in the current folder, `<stem>-<animation>-loop.<extension>` where one is asked for.
fn default_output(take: &Path, animation: Option<&str>, client: Target) -> PathBuf {
    let own = || {
        take.extension()
            .map_or_else(|| "bvh".into(), |extension| extension.to_string_lossy())
    };
    let extension = client.extension(take).map_or_else(own, Cow::Borrowed);
    let animation = animation.map_or_else(String::new, |name| {
        let fit = |letter: char| {
            if letter.is_alphanumeric() || letter == '_' {
                letter
            } else {
                '-'
            }
        };
        format!("-{}", name.chars().take(MAX_NAMED).map(fit).collect::<String>())
    });
    PathBuf::from(format!("{}{animation}-loop.{extension}", files::stem(take)))
}

/// `<output>.json`.
pub(crate) fn sidecar_path(output: &Path) -> PathBuf {
    let mut name = output.as_os_str().to_owned();
    name.push(".json");
    PathBuf::from(name)
}
