//! `loopwright make`: from a take to a loop.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use loopwright::{LoopCandidate, SearchSettings, closure::ClosureName, mirror::Mirror, pipeline::Retry};
use loopwright_formats::{Format, Target};

use super::make_all::make_all;
use crate::{
    animations,
    args::{CloseArgs, DEFAULT_TOP, MakeArgs, SearchArgs, TargetArgs},
    exit::{Ending, Failure},
    files,
    load::{self, Loaded},
    making::{self, Making},
    memory, mirroring,
    output::{self, Outputs},
    plot::PlotFile,
    recipe::{Recipe, StretchRecipe},
    report::{failure, json, make as report},
    search, talk, written_loop,
};

pub(crate) fn run(args: MakeArgs) -> Result<Ending, Failure> {
    let cycles = args.search.as_ref().and_then(|search| search.cycles);
    let flags = args.settings.recipe(args.range, cycles)?;
    let mut recipe = with_file(&flags, &args.target)?;
    // Flags override the file: a stretch in the file does not replace a requested search.
    if args.range.is_none() && (args.pick.is_some() || args.search.is_some()) {
        recipe.stretch = recipe.stretch.searched_anew(cycles);
    }
    let mut search = args.search.unwrap_or_default();
    search.cycles = recipe.stretch.cycles;
    let is_one = args.pick.is_some() || recipe.stretch.start.is_some() || args.target.plot.is_some();
    let is_one = is_one || args.target.save_recipe.is_some();
    if args.all_animations || !is_one {
        let wanted = recipe.take.animation.as_deref();
        if args.all_animations || wanted.is_some_and(|wanted| wanted.contains(['*', '?'])) {
            let file = load::open(&args.take)?;
            let numbers = animations::asked_for(&args.take, &file, wanted)?;
            if args.all_animations && recipe.stretch.start.is_some() {
                return Err(
                    Failure::error("the recipe names frames, which are those of one animation")
                        .try_this("a recipe without [stretch], or no --all-animations"),
                );
            }
            if recipe.take.rig.is_some() && (args.all_animations || numbers.len() > 1) {
                return Err(Failure::error("--rig takes one animation at a time").try_this("--animation with one name"));
            }
            if args.all_animations || numbers.len() > 1 {
                return make_all(&args.take, &file, &numbers, (&recipe, &args.target, &search));
            }
        }
    }
    make(&args.take, &recipe, &args.target, Some((args.pick, &search)))
}

/// `loopwright close`: the same without a search.
pub(crate) fn close(args: CloseArgs) -> Result<Ending, Failure> {
    let flags = args.settings.recipe(args.range, args.cycles)?;
    make(&args.take, &with_file(&flags, &args.target)?, &args.target, None)
}

/// The recipe file that the flags name, overridden by the flags.
fn with_file(flags: &Recipe, target: &TargetArgs) -> Result<Recipe, Failure> {
    match &target.recipe {
        Some(path) => Ok(read_recipe(path)?.overlaid(flags)?),
        None => Ok(flags.clone()),
    }
}

fn read_recipe(path: &Path) -> Result<Recipe, Failure> {
    Recipe::read(&files::read_bytes(path)?).map_err(|error| {
        Failure::error(format!("cannot read the recipe \"{}\": {error}", path.display()))
            .try_this("`loopwright make TAKE --save-recipe FILE` writes one to start from")
    })
}

/// Makes a loop from a take. If the recipe names no stretch, `search` says how to find one and which result to use.
fn make(
    take: &Path,
    recipe: &Recipe,
    target: &TargetArgs,
    search: Option<(Option<usize>, &SearchArgs)>,
) -> Result<Ending, Failure> {
    let engine = recipe.output.engine();
    let loop_path = target
        .output
        .clone()
        .unwrap_or_else(|| default_output(take, recipe, engine));
    let format = output::format_of(&loop_path)?;
    let sidecar_path = output::sidecar_path(&loop_path);
    let mut outputs = Outputs::new(target.force);
    let extends = matches!(format, Format::Glb | Format::Gltf | Format::Fbx);
    match extends {
        true => outputs.spare_unless_in_place(take, &loop_path),
        false => outputs.spare(take),
    }
    if let Some(recipe) = &target.recipe {
        outputs.spare_as("recipe", recipe);
    }
    if let Some(rig) = &recipe.take.rig {
        outputs.spare_as("rig", rig);
    }
    let saved = target.save_recipe.as_ref();
    for path in [Some(&loop_path), Some(&sidecar_path), saved].into_iter().flatten() {
        outputs.check(path)?;
    }
    let plot = PlotFile::asked_for(target.plot.as_deref(), &outputs)?;

    let loaded = load::load(take, &recipe.take)?;
    if outputs.is_in_place(&loop_path) && !loaded.file.source.can_be_extended() {
        return Err(
            Failure::error(format!("\"{}\" is the take itself", loop_path.display()))
                .because("no animation can be added to FBX as text or older than 7.1")
                .try_this("another name; this take is not overwritten"),
        );
    }
    let mut warnings = loaded.warnings.clone();
    let mut soft: Vec<String> = Vec::new();
    let mirror = match recipe.stretch.symmetric {
        Some(true) => Some(mirroring::mirror(&loaded.analysis, &recipe.take.mirror)?),
        _ => None,
    };
    let (first, others) = match choose(&loaded, &recipe.stretch, mirror.as_ref(), search) {
        Err(failure) => {
            let document = failure::json(&failure, Some(loaded.facts()));
            return Err(failure.in_document(document));
        }
        Ok(chosen) => chosen,
    };
    soft.extend(engine.complaint(format));
    let output = recipe.output.filled(loaded.take().frame_rate_hz(), &first);
    let (skeleton, analysis) = (loaded.take().skeleton(), &loaded.analysis);
    let root_joint = analysis.root_joint();
    let writing = output.writing(format, root_joint, memory::limits());
    if let Some(joint) = root_joint.filter(|_| recipe.output.add_root == Some(true)) {
        soft.push(format!(
            "the take has a root joint above the hips, {}; --add-root adds no other",
            skeleton.joint(joint).name
        ));
    }
    let mut settings = recipe.loop_settings(&output, analysis, &mut soft)?;
    making::check_sampling(&loaded, &first, settings.sampling)?;
    let choice = (recipe.closure.method == Some(ClosureName::Auto))
        .then(|| analysis.choose_closure(&first, &settings))
        .transpose()
        .map_err(|error| making::failure(&loaded, error))?;
    if let Some(choice) = &choice {
        settings.closure.method = choice.method;
    }
    let retry = Retry {
        stretches: &others,
        closures: !recipe.states_closure(),
    };
    let source = engine.placed(loaded.file.source.in_format(format, loaded.take()));
    let Making {
        made,
        mut file,
        soft: of_making,
        retried,
    } = making::make(&loaded, (&first, retry), &settings, (&source, &writing))?;
    let (clip, chosen) = (&made.loop_clip, &made.candidate);
    if recipe.stretch.start.is_none() {
        let idle_asked = search.is_some_and(|(_, search)| search.idle);
        soft.extend(search::confidence_warning(&loaded, chosen).filter(|_| !idle_asked));
    }
    soft.extend(search::bad_frames_warning(&loaded, chosen));
    soft.extend(of_making);
    soft.extend(engine.rate_complaint(1.0 / clip.step_secs()).map(|complaint| {
        format!(
            "{complaint}; --fps {} writes such keys",
            engine.sampled_rate(1.0 / clip.step_secs())
        )
    }));
    for warning in &soft {
        talk::warn(warning);
    }
    warnings.extend(soft);
    let choice_in_words = retried.clone().or(choice.as_ref().map(ToString::to_string));
    if let Some(words) = &choice_in_words {
        talk::note(words);
    }

    let named = [Some(&loop_path), Some(&sidecar_path), target.plot.as_ref(), saved];
    let sidecar = &mut file.sidecar;
    sidecar.warnings = warnings;
    sidecar.outputs = named
        .into_iter()
        .flatten()
        .map(|path| path.display().to_string())
        .collect();
    sidecar.target =
        (recipe.output.target).map(|engine| engine.facts(sidecar, clip.skeleton(), 1.0 / clip.step_secs()));
    sidecar.closure.auto_choice = choice_in_words;
    if recipe.stretch.start.is_some() {
        sidecar.candidate.several_cycles_for = recipe.stretch.several_cycles_for;
    }
    let bytes = file.bytes().into_owned();
    outputs.add(&loop_path, &bytes)?;
    file.sidecar.state_file(&bytes);
    let beside = match outputs.is_in_place(&loop_path) {
        true => written_loop::with_other_loops(&file.sidecar, &loop_path, &bytes),
        false => file.sidecar.to_json(),
    };
    outputs.add(&sidecar_path, beside.map_err(Failure::error)?.as_bytes())?;
    if let Some(plot) = plot {
        plot.add(&mut outputs, &loopwright_draw::plot::make(&loaded.analysis, &made))?;
    }
    if let Some(path) = saved {
        let is_own_choice = choice.is_some() || retried.is_some();
        let done = recipe.done(chosen, is_own_choice.then_some(&made.closed.method));
        outputs.add(path, done.to_text()?.as_bytes())?;
    }
    outputs.commit()?;
    output::print(&if target.json {
        json::text(&file.sidecar)
    } else {
        report::human(&file.sidecar, target.verbose)
    })?;
    Ok(if file.quality.pops() {
        Ending::Negative
    } else {
        Ending::Done
    })
}

/// The stretch that the recipe names, or one that a search finds, and those to take instead where its seam shows: none if the user
/// chose it.
fn choose(
    loaded: &Loaded,
    stretch: &StretchRecipe,
    mirror: Option<&Mirror>,
    search: Option<(Option<usize>, &SearchArgs)>,
) -> Result<(LoopCandidate, Vec<LoopCandidate>), Failure> {
    if let (Some(start), Some(end)) = (stretch.start, stretch.end) {
        let settings = SearchSettings {
            cycles: stretch.cycles,
            pairing: mirror.cloned().into(),
            ..SearchSettings::default()
        };
        let chosen = loaded.analysis.appraise(start, end, &settings);
        return (chosen.map(|chosen| (chosen, Vec::new()))).map_err(|error| making::cut_failure(loaded, error));
    }
    let Some((pick, search)) = search else {
        return Err(Failure::error("the recipe does not say which frames to close")
            .because("a recipe needs both start and end under [stretch]")
            .try_this("--range START:END, or `loopwright make` to search for them"));
    };
    search::check(search, loaded)?;
    let (is_picked, pick) = (pick.is_some(), pick.unwrap_or(1));
    // Search for at least as many as `find` does by default, since the requested number may change the list.
    let settings = SearchSettings {
        pairing: mirror.cloned().into(),
        ..search::settings(search, pick.max(DEFAULT_TOP))
    };
    // The first row of any list is the first loop of the whole take, which takes no search of the rest.
    let found = match pick {
        1 => search::search(loaded, &settings)?,
        _ => search::hunt(loaded, &settings, search.shifted)?.found,
    };
    if found.candidates.is_empty() {
        return Err(search::nothing_found(loaded, &found, search));
    }
    let count = found.candidates.len();
    let mut rest = found.candidates.into_iter().skip(pick - 1);
    let chosen = rest.next().ok_or_else(|| {
        Failure::error(format!(
            "there is no loop number {pick} in \"{}\"",
            loaded.path.display()
        ))
        .because(format!("the search found {count}"))
        .try_this(format!(
            "--pick 1 to {count}; `loopwright find` lists them, and with --shifted the versions of each, which --pick counts then"
        ))
    })?;
    let others = if is_picked { Vec::new() } else { rest.collect() };
    Ok((chosen, others))
}

/// Maximum number of letters of an animation's name that go into a file name.
const MAX_NAMED: usize = 60;

/// `<stem>-loop.<extension>` in the current folder; `<stem>-<animation>-loop.<extension>` if an animation is given. The extension is
/// that of the file that the loop goes into: the rig's if there is one.
fn default_output(take: &Path, recipe: &Recipe, engine: Target) -> PathBuf {
    let animation = recipe.take.animation.as_deref();
    let goes_into = recipe.take.rig.as_deref().unwrap_or(take);
    let own = || {
        goes_into
            .extension()
            .map_or_else(|| "bvh".into(), |extension| extension.to_string_lossy())
    };
    let extension = engine.extension(goes_into).map_or_else(own, Cow::Borrowed);
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
