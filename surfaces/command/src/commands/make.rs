//! `loopwright make`: makes a loop from a take.

use std::path::Path;

use loopwright_formats::{AnimatedFile, Format};
use loopwright_job::{self as job, JobError, PendingLoop, Request, Rows, SearchRequest, Studied};
use loopwright_moves::PassageKind;
use loopwright_sets::{FrameError, Framed};

use super::{
    make_all::{self, make_all},
    make_many,
};
use crate::{
    animations::{self, Excluded, is_pattern},
    args::{CloseArgs, MakeArgs, TargetArgs},
    batch,
    exit::{Ending, Failure, Result},
    failures,
    files::{self, InputFile},
    load, loop_output,
    output::{self, Outputs},
    plot::PlotFile,
    project,
    recipe::{Recipe, SearchRecipe},
    report::{failure, json, make as report},
    talk,
};

pub fn run(args: &MakeArgs) -> Result<Ending> {
    let mut args = args.clone();
    if args.dry_run {
        output::write_nothing();
    }
    let (recipe, search) = combine_settings(&mut args)?;
    let takes_several = args.all_animations || recipe.take.animation.as_deref().is_some_and(is_pattern);
    if !args.left_out.exclude.is_empty() && !takes_several {
        return Err(
            Failure::error("--exclude leaves out some of several animations, and one is asked for")
                .try_this("--all-animations, or a pattern such as --animation 'Walk*'"),
        );
    }
    let rows = args
        .pick
        .take()
        .or(search.every_cycle.then_some(Rows::All))
        .unwrap_or(Rows::Recommended);
    let request = Request {
        recipe: &recipe,
        search: Some(&search),
        rows: &rows,
    };
    let excluded = Excluded::of(&args.takes, &args.left_out);
    match &args.takes[..] {
        [take] if rows.is_one() && !batch::are_many(&args.takes) && !args.many.are_given() && !args.split => {
            match animations_for_one_file(&args, take, request, excluded)? {
                Some((file, numbers)) => make_all(take, &file, &numbers, request, &args.target),
                None => make(take, request, &args.target, &args.with),
            }
        }
        _ if !args.with.is_empty() => {
            Err(Failure::error("--with frames one loop").try_this("one take, without --pick of several rows"))
        }
        takes => make_many::run(make_many::Options {
            takes,
            all_animations: args.all_animations,
            excluded,
            split: args.split,
            request,
            target: &args.target,
            many: &args.many,
        }),
    }
}

/// Combines the settings of flags with those of the recipe in a file, over which flags win.
///
/// Changes `args`: its search is moved out, and if the take is named with an animation, such as `pack.glb#Walk`, the path stays and the
/// animation moves into the recipe.
fn combine_settings(args: &mut MakeArgs) -> Result<(Recipe, SearchRequest)> {
    let cycles = args.search.as_ref().and_then(|search| search.cycles);
    let searches = args.search.is_some() || args.settings.sets.0.search != SearchRecipe::default();
    let mut flags = args.settings.recipe(args.range, cycles)?;
    if let [take] = &mut args.takes[..] {
        let input = InputFile::named(take);
        *take = input.path;
        flags.take.animation = input.animation.or(flags.take.animation);
    }
    let mut recipe = with_file(&flags, args.target.recipe.as_deref())?;
    // Flags override the file: a stretch in the file does not replace a requested search.
    if args.range.is_none() && (args.pick.is_some() || searches) {
        recipe.stretch = recipe.stretch.searched_anew(cycles);
    }
    let mut search = args.search.take().unwrap_or_default().tuned(&recipe.search);
    search.cycles = recipe.stretch.cycles;
    Ok((recipe, search))
}

/// Returns the animations of a take whose loops go into one file, and that file; `None` if only a loop of one animation is asked for.
fn animations_for_one_file(
    args: &MakeArgs,
    take: &Path,
    Request { recipe, rows, .. }: Request,
    excluded: Excluded,
) -> Result<Option<(AnimatedFile, Vec<usize>)>> {
    let names_stretch = recipe.stretch.start.is_some();
    let is_one = names_stretch || *rows != Rows::Recommended;
    let is_one = is_one || args.target.plot.is_some() || args.target.save_recipe.is_some();
    let wanted = recipe.take.animation.as_deref();
    if !args.all_animations && (is_one || !wanted.is_some_and(is_pattern)) {
        return Ok(None);
    }
    let file = files::read_animated(take)?;
    let numbers = animations::asked_for(take, &file, wanted, excluded)?;
    if args.all_animations && names_stretch {
        return Err(make_all::frames_of_one());
    }
    // A file without any is refused as one take.
    let are_several = numbers.len() > usize::from(!args.all_animations);
    Ok(are_several.then_some((file, numbers)))
}

/// `loopwright close`: `make` without a search.
pub fn close(args: &CloseArgs) -> Result<Ending> {
    let mut flags = args.settings.recipe(args.range, args.cycles)?;
    let input = InputFile::named(&args.take);
    flags.take.animation = input.animation.or(flags.take.animation);
    make(
        &input.path,
        Request::of(&with_file(&flags, args.target.recipe.as_deref())?),
        &args.target,
        &[],
    )
}

/// Combines flags with the recipe in a file, if one is named; flags take precedence. Errors: the file is no recipe, or names files where it
/// may not.
pub fn with_file(flags: &Recipe, file: Option<&Path>) -> Result<Recipe> {
    let Some(path) = file else {
        return Ok(flags.clone());
    };
    let recipe = if path.ends_with(project::NAME) {
        project::read(path)?.recipe
    } else {
        Recipe::read(&files::read_settings(path)?).map_err(|error| {
            Failure::cannot("read the recipe", path, error)
                .try_this("`loopwright recipe` prints one with every setting")
        })?
    };
    // Files named by flags take precedence.
    let is_other_rig = flags.take.rig.is_some();
    let typed: Vec<&str> = flags.take.files().map(|(key, _)| key).collect();
    for (key, file) in recipe.take.files() {
        if !(typed.contains(&key) || is_other_rig && key == "take.map") {
            files::check_named_by(path, file)?;
        }
    }
    Ok(recipe.overlaid(flags)?)
}

/// Makes and writes the requested loop of a take with its sidecar, and its plot and recipe if asked for.
fn make(take: &Path, request: Request, target: &TargetArgs, with: &[PassageKind]) -> Result<Ending> {
    files::check_is_there(take)?;
    let recipe = request.recipe;
    let path = loop_output::of_loop(take, recipe, target)?;
    let format = output::format_of(&path)?;
    let is_streamed = target.output.as_deref().is_some_and(files::is_stream);
    let mut outputs = loop_output::outputs(take, recipe, target, &path, format.capabilities().is_extended);
    if !is_streamed {
        outputs.check_loop(&path)?;
    } else if target.json {
        return Err(
            Failure::error("the loop goes to the standard output, and so would its JSON")
                .try_this("a file with -o, or no --json"),
        );
    }
    let saved = target.save_recipe.as_deref();
    if let Some(saved) = saved {
        outputs.check(saved)?;
    }
    let plot = PlotFile::asked_for(target.plot.as_deref(), &outputs)?;
    let study = load::study(recipe.take.clone())?;
    let studied = load::load_bytes(take, files::read_bytes(take)?, &study)?;
    let source = &studied.file.source;
    if outputs.is_in_place(&path) && !source.can_be_extended() {
        let why = source.capabilities().not_extended.unwrap_or_default();
        return Err(failure!("\"{}\" is the take itself", path.display())
            .because(format!("no animation can be added to {why}"))
            .try_this("another name; this take is not overwritten"));
    }
    let pending = pending(&studied, request, format)?;
    if !with.is_empty() && !is_streamed {
        return framed(&studied, &pending, with, (outputs, &path, target));
    }
    if is_streamed && plot.is_some() {
        return Err(Failure::error("--plot needs a loop that is written to a file").try_this("a file with -o"));
    }
    if let Some(path) = saved {
        outputs.add(path, pending.recipe.to_text()?.as_bytes())?;
    }
    if is_streamed {
        return stream(pending, outputs);
    }
    let ending = Ending::of_grade(pending.grade());
    // The plot compares the take with its own loop, one cycle of it.
    let plot = plot.map(|plot| {
        (
            plot,
            loopwright_draw::plot::make(&studied.analysis, pending.done.made.on_take()),
        )
    });
    let beside: Vec<&Path> = [target.plot.as_deref(), saved].into_iter().flatten().collect();
    let sidecar = loop_output::add(
        &mut outputs,
        pending,
        &path,
        &beside,
        loop_output::in_words(&studied.warnings),
    )?;
    if let Some((plot, svg)) = plot {
        plot.add(&mut outputs, &svg)?;
    }
    outputs.commit()?;
    output::say_if_nothing_was_written();
    output::print(&if target.json {
        json::text(&sidecar)
    } else {
        report::human(&sidecar, target.verbose)
    })?;
    Ok(ending)
}

/// Writes a loop with the motions in `with`, its start and its stop, around it, and its facts beside it. Errors: the take lacks one of
/// them.
fn framed(
    studied: &Studied,
    pending: &PendingLoop,
    with: &[PassageKind],
    (mut outputs, path, target): (Outputs, &Path, &TargetArgs),
) -> Result<Ending> {
    let output = &pending.done.output;
    let framed = Framed::new(
        studied,
        pending.done.made.from_start().into_owned(),
        with,
        (output.repeat.unwrap_or(1), output.engine()),
    )
    .map_err(|error| match error {
        FrameError::Missing { .. } => Failure::nothing(error).try_this("a take in which it starts and stops"),
        other => Failure::error(other).try_this("--with start,stop, start or stop"),
    })?;
    let written = framed.write(studied, output::format_of(path)?)?;
    talk::warn_all(&written.warnings);
    let facts = framed.facts(studied);
    let document = loop_output::add_passage(&mut outputs, path, &written, &facts)?;
    outputs.commit()?;
    output::print(&if target.json { document } else { report::framed(&facts) })?;
    Ok(Ending::of_grade(facts.grade))
}

/// Makes the loop of the chosen stretch, written into memory, and prints warnings. Errors: there is none, or it cannot be made.
fn pending(studied: &Studied, request: Request, format: Format) -> Result<PendingLoop> {
    let in_words = |error: JobError| failures::job(studied, request.search, error);
    let mut warnings = Vec::new();
    let chosen = job::choose(studied, request, &mut warnings)
        .and_then(|chosen| chosen.into_iter().collect::<Result<Vec<_>, _>>());
    talk::warn_all(&warnings);
    let chosen = chosen.map_err(|error| {
        let failure = in_words(error);
        let document = failure::json(&failure, Some(studied.facts()));
        failure.in_document(document)
    })?;
    let Some(chosen) = chosen.first() else {
        return Err(Failure::nothing(format!("no loop found in \"{}\"", studied.name)));
    };
    let pending = loop_output::made(studied, request, chosen, format).map_err(in_words)?;
    loop_output::say(&pending);
    Ok(pending)
}

/// Writes a loop to the standard output, which has no place for a sidecar, after the files that are written with it.
fn stream(pending: PendingLoop, outputs: Outputs) -> Result<Ending> {
    outputs.commit()?;
    if let Some(verdict) = pending.verdict() {
        note!("{verdict}; its sidecar is not written");
    }
    if !output::writes_nothing() {
        output::print_bytes(&pending.file.bytes())?;
    }
    output::say_if_nothing_was_written();
    Ok(Ending::of_grade(pending.grade()))
}
