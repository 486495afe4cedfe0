//! `loopwright make`: from a take to a loop.

use std::path::{Path, PathBuf};

use loopwright_formats::{AnimatedFile, Format};
use loopwright_job::{self as job, JobError, PendingLoop, Request, Rows, SearchRequest, Studied};

use super::make_all::{PackArgs, make_all};
use super::{make_many, make_paths};
use crate::animations::{self, Excluded};
use crate::args::{CloseArgs, MakeArgs, TargetArgs};
use crate::exit::{Ending, Failure};
use crate::output::{self, Outputs};
use crate::recipe::{Recipe, SearchRecipe};
use crate::report::{failure, json, make as report};
use crate::{batch, failures, files, input_file::InputFile, load, loop_output, plot::PlotFile, talk};

pub(crate) fn run(mut args: MakeArgs) -> Result<Ending, Failure> {
    if args.dry_run {
        output::write_nothing();
    }
    let (recipe, search) = settled(&mut args)?;
    let takes_several = args.all_animations || recipe.take.animation.as_deref().is_some_and(is_pattern);
    if !args.left_out.exclude.is_empty() && !takes_several {
        return Err(
            Failure::error("--exclude leaves out some of several animations, and one is asked for")
                .try_this("--all-animations, or a pattern such as --animation 'Walk*'"),
        );
    }
    let rows = args.pick.take().or(search.every_cycle.then_some(Rows::All));
    let pick = match &rows {
        Some(Rows::Picked(rows)) if rows.len() == 1 => Some(rows[0]),
        _ => None,
    };
    let is_many =
        batch::are_many(&args.takes) || args.many.are_given() || args.split || (rows.is_some() && pick.is_none());
    let take = match &args.takes[..] {
        [take] if !is_many => take,
        _ => {
            return make_many::run(make_many::Options {
                takes: &args.takes,
                all_animations: args.all_animations,
                excluded: Excluded::of(&args.takes, &args.left_out),
                split: args.split,
                recipe: &recipe,
                search: &search,
                rows: &rows.unwrap_or(Rows::Recommended),
                target: &args.target,
                many: &args.many,
            });
        }
    };
    if let Some((file, numbers)) = animations_for_one_file(&args, take, &recipe, pick)? {
        let request = PackArgs {
            recipe: &recipe,
            target: &args.target,
            search: &search,
        };
        return make_all(take, &file, &numbers, request);
    }
    make(take, &recipe, &args.target, Some((pick, &search)))
}

/// What the flags and the recipe in a file ask for together, with the animation that the name of a single take says.
fn settled(args: &mut MakeArgs) -> Result<(Recipe, SearchRequest), Failure> {
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

/// Whether the name of an animation may mean several.
fn is_pattern(animation: &str) -> bool {
    animation.contains(['*', '?'])
}

/// The animations of a take whose loops go into one file, and that file; `None` where a loop of one animation is asked for.
fn animations_for_one_file(
    args: &MakeArgs,
    take: &Path,
    recipe: &Recipe,
    pick: Option<usize>,
) -> Result<Option<(AnimatedFile, Vec<usize>)>, Failure> {
    let is_one = pick.is_some() || recipe.stretch.start.is_some();
    let is_one = is_one || args.target.plot.is_some() || args.target.save_recipe.is_some();
    let wanted = recipe.take.animation.as_deref();
    if !args.all_animations && (is_one || !wanted.is_some_and(is_pattern)) {
        return Ok(None);
    }
    let file = load::open(take)?;
    let numbers = animations::asked_for(take, &file, wanted, Excluded::of(&args.takes, &args.left_out))?;
    if args.all_animations && recipe.stretch.start.is_some() {
        return Err(
            Failure::error("the recipe names frames, which are those of one animation")
                .try_this("a recipe without [stretch], or no --all-animations"),
        );
    }
    let are_several = args.all_animations || numbers.len() > 1;
    Ok(are_several.then_some((file, numbers)))
}

/// `loopwright close`: the same without a search.
pub(crate) fn close(args: CloseArgs) -> Result<Ending, Failure> {
    let mut flags = args.settings.recipe(args.range, args.cycles)?;
    let input = InputFile::named(&args.take);
    flags.take.animation = input.animation.or(flags.take.animation);
    make(
        &input.path,
        &with_file(&flags, args.target.recipe.as_deref())?,
        &args.target,
        None,
    )
}

/// The recipe in a file, if one is named, with the flags that go before it. Errors: it is none, or names files where it may not.
pub(crate) fn with_file(flags: &Recipe, file: Option<&Path>) -> Result<Recipe, Failure> {
    let Some(path) = file else {
        return Ok(flags.clone());
    };
    let recipe = read_recipe(path)?;
    // What is typed goes before it.
    let is_other_rig = flags.take.rig.is_some();
    let rig = recipe.take.rig.iter().filter(|_| !is_other_rig);
    let map = (recipe.take.map.iter()).filter(|_| !is_other_rig && flags.take.map.is_none());
    for file in rig.chain(map) {
        files::check_named_by(path, file)?;
    }
    Ok(recipe.overlaid(flags)?)
}

fn read_recipe(path: &Path) -> Result<Recipe, Failure> {
    Recipe::read(&files::read_settings(path)?).map_err(|error| {
        Failure::cannot("read the recipe", path, error).try_this("`loopwright recipe` prints one with every setting")
    })
}

/// Makes a loop from a take. If the recipe names no stretch, `search` says how to find one and which result to use.
fn make(
    take: &Path,
    recipe: &Recipe,
    target: &TargetArgs,
    search: Option<(Option<usize>, &SearchRequest)>,
) -> Result<Ending, Failure> {
    files::check_is_there(take)?;
    let path = make_paths::of_loop(take, recipe, target)?;
    let asked = AskedLoop {
        format: output::format_of(&path)?,
        sidecar_path: output::sidecar_path(&path),
        path,
        take,
        recipe,
        target,
    };
    let outputs = asked.outputs()?;
    let plot = PlotFile::asked_for(target.plot.as_deref(), &outputs)?;
    let studied = load::load(take, &load::study(recipe.take.clone())?)?;
    if outputs.is_in_place(&asked.path) {
        asked.check_can_be_extended(&studied)?;
    }
    let rows = match search.and_then(|(pick, _)| pick) {
        Some(pick) => Rows::Picked(vec![pick]),
        None => Rows::Recommended,
    };
    let request = Request {
        recipe,
        search: search.map(|(_, search)| search),
        rows: &rows,
    };
    let pending = pending(&studied, request, asked.format)?;
    talk::warn_all(&pending.warnings);
    if let Some(decision) = &pending.done.decision {
        talk::note(&decision.to_string());
    }
    if asked.is_streamed() {
        stream(pending, outputs, target.save_recipe.as_deref(), plot.is_some())
    } else {
        asked.store(&studied, pending, outputs, plot)
    }
}

/// The loop of the stretch that is chosen, written into memory. Errors: there is none, or it cannot be made.
fn pending(studied: &Studied, request: Request<'_>, format: Format) -> Result<PendingLoop, Failure> {
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
    let made = job::make(studied, request, chosen).map_err(in_words)?;
    job::write(studied, request, made, format).map_err(in_words)
}

/// The loop that is asked for, and where it goes.
struct AskedLoop<'a> {
    take: &'a Path,
    recipe: &'a Recipe,
    target: &'a TargetArgs,
    path: PathBuf,
    sidecar_path: PathBuf,
    format: Format,
}

impl AskedLoop<'_> {
    /// Whether the loop goes to the standard output.
    fn is_streamed(&self) -> bool {
        self.target.output.as_deref().is_some_and(files::is_stream)
    }

    /// Outputs where all that is asked for may be written. Errors: it may not.
    fn outputs(&self) -> Result<Outputs, Failure> {
        let mut outputs = Outputs::new(self.target.force);
        self.protect_inputs(&mut outputs);
        if self.is_streamed() && self.target.json {
            return Err(
                Failure::error("the loop goes to the standard output, and so would its JSON")
                    .try_this("a file with -o, or no --json"),
            );
        }
        if !self.is_streamed() {
            outputs.check(&self.path)?;
            outputs.check(&self.sidecar_path)?;
        }
        if let Some(saved) = &self.target.save_recipe {
            outputs.check(saved)?;
        }
        Ok(outputs)
    }

    /// No output may replace an input; loops are added to a take whose format allows it.
    fn protect_inputs(&self, outputs: &mut Outputs) {
        let rig = &self.recipe.take.rig;
        if self.format.capabilities().is_extended && rig.is_none() {
            outputs.protect_unless_in_place(self.take, &self.path);
        } else {
            outputs.protect(self.take);
        }
        if let Some(recipe) = &self.target.recipe {
            outputs.protect_as("recipe", recipe);
        }
        if let Some(rig) = rig {
            outputs.protect_as("rig", rig);
        }
    }

    /// Errors: no animation can be added to a take that is to hold its loop.
    fn check_can_be_extended(&self, studied: &Studied) -> Result<(), Failure> {
        let source = &studied.file.source;
        if source.can_be_extended() {
            return Ok(());
        }
        Err(
            Failure::error(format!("\"{}\" is the take itself", self.path.display()))
                .because(format!(
                    "no animation can be added to {}",
                    source.capabilities().not_extended.unwrap_or_default()
                ))
                .try_this("another name; this take is not overwritten"),
        )
    }

    /// Writes the loop with its sidecar, and its plot and its recipe where they are asked for, and says what it is.
    fn store(
        &self,
        studied: &Studied,
        pending: PendingLoop,
        mut outputs: Outputs,
        plot: Option<PlotFile>,
    ) -> Result<Ending, Failure> {
        let target = self.target;
        let ending = Ending::of_grade(pending.grade());
        let recipe = pending.recipe.clone();
        // The take is compared with its own loop, one cycle of it.
        let drawn = |plot| {
            (
                plot,
                loopwright_draw::plot::make(&studied.analysis, pending.done.made.on_take()),
            )
        };
        let plot = plot.map(drawn);
        let saved = target.save_recipe.as_deref();
        let beside = [target.plot.as_deref(), saved].into_iter().flatten();
        let named: Vec<&Path> = [&*self.path, &*self.sidecar_path].into_iter().chain(beside).collect();
        let sidecar = loop_output::add(&mut outputs, pending, &named, loop_output::in_words(&studied.warnings))?;
        if let Some((plot, svg)) = plot {
            plot.add(&mut outputs, &svg)?;
        }
        if let Some(path) = saved {
            outputs.add(path, recipe.to_text()?.as_bytes())?;
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
}

/// Writes a loop to the standard output, where no sidecar can stand beside it.
fn stream(
    pending: PendingLoop,
    mut outputs: Outputs,
    saved: Option<&Path>,
    is_plotted: bool,
) -> Result<Ending, Failure> {
    if is_plotted {
        return Err(Failure::error("--plot needs a loop that is written to a file").try_this("a file with -o"));
    }
    if let Some(path) = saved {
        outputs.add(path, pending.recipe.to_text()?.as_bytes())?;
    }
    let (bytes, verdict) = (pending.file.bytes().into_owned(), pending.verdict());
    outputs.commit()?;
    if let Some(verdict) = verdict {
        talk::note(&format!("{verdict}; its sidecar is not written"));
    }
    if !output::writes_nothing() {
        output::print_bytes(&bytes)?;
    }
    output::say_if_nothing_was_written();
    Ok(Ending::of_grade(pending.grade()))
}
