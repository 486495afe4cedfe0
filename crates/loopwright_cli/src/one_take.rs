//! The road of one take, as a value: the loops that it gives, before anything is printed or written.

use std::path::{Path, PathBuf};

use loopwright::{
    LoopCandidate, MadeLoop, SearchSettings,
    closure::{ClosureName, Method},
    math::ops,
    mirror::Mirror,
    pipeline::Retry,
};
use loopwright_formats::{Format, LoopFile, loop_file::Verdict};

use crate::{
    args::{DEFAULT_TOP, SearchArgs},
    exit::Failure,
    files,
    load::Loaded,
    making::{self, Making},
    memory, mirroring,
    output::Outputs,
    recipe::{Recipe, StretchRecipe},
    search, written_loop,
};

/// Most rows that `--all` takes of one take: an hour of capture has fewer stretches.
const MOST_ROWS: usize = 1000;

/// Which rows of `find` become loops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rows {
    /// The recommended one, or a later one where its seam shows.
    Recommended,
    /// Those of these numbers, from 1.
    Picked(Vec<usize>),
    All,
}

/// What is asked of a take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wish<'a> {
    pub(crate) recipe: &'a Recipe,
    /// How to search for a stretch; without it, the recipe has to name one.
    pub(crate) search: Option<&'a SearchArgs>,
    pub(crate) rows: &'a Rows,
}

/// A stretch to make a loop of.
pub(crate) struct Chosen {
    /// Its row in the list of `find`, from 1.
    pub(crate) row: usize,
    pub(crate) stretch: LoopCandidate,
    /// Those to take instead where its seam shows: none if the user chose it.
    pub(crate) others: Vec<LoopCandidate>,
    /// The search for those, where it was left for later.
    search: Option<SearchSettings>,
    /// The loop of it that the search made.
    made: Option<MadeLoop>,
}

/// A loop that is made, and has no name yet.
pub(crate) struct UnnamedLoop {
    /// The row of `find` that it was made from, from 1.
    pub(crate) row: usize,
    pub(crate) made: MadeLoop,
    /// The loop of the take, where that went onto a character.
    of_take: Option<MadeLoop>,
    file: LoopFile,
    /// Warnings about the loop; those about the take come before them in the sidecar.
    pub(crate) warnings: Vec<String>,
    /// What was chosen for the user, and why.
    pub(crate) decision: Option<String>,
    /// The method that was chosen, if it was not the user.
    own_method: Option<Method>,
    /// What the body does, in one word.
    pub(crate) kind: &'static str,
}

impl UnnamedLoop {
    /// Speed over the ground, m/s.
    pub(crate) fn speed_mps(&self) -> f64 {
        let linear = self.made.loop_clip.root().twist.linear;
        ops::hypot(linear.x, linear.z)
    }

    /// Whether its seam shows.
    pub(crate) fn pops(&self) -> bool {
        self.file.quality.pops()
    }

    /// The file alone, for a stream that nothing can stand beside, and its verdict.
    pub(crate) fn into_bytes(self) -> (Vec<u8>, Option<Verdict>) {
        let verdict = Verdict::of_facts(&self.file.sidecar.quality);
        (self.file.bytes().into_owned(), verdict)
    }

    /// The recipe that makes the same loop again.
    pub(crate) fn recipe(&self, recipe: &Recipe) -> Recipe {
        recipe.done(&self.made.candidate, self.own_method.as_ref())
    }

    /// Adds the loop and its sidecar to what is written, and returns the sidecar and the loop of the take. `named` are all files that will
    /// be, the loop first, its sidecar second.
    pub(crate) fn add_to(
        self,
        outputs: &mut Outputs,
        named: &[&Path],
        of_take: Vec<String>,
    ) -> Result<(loopwright_formats::Sidecar, MadeLoop), Failure> {
        let Self {
            mut file,
            warnings,
            decision,
            made,
            of_take: before_character,
            ..
        } = self;
        let sidecar = &mut file.sidecar;
        sidecar.warnings = of_take;
        sidecar.warnings.extend(warnings);
        sidecar.outputs = named.iter().map(|path| path.display().to_string()).collect();
        sidecar.closure.auto_choice = decision;
        let bytes = file.bytes().into_owned();
        let [loop_path, sidecar_path, ..] = named else {
            return Err(Failure::error("a loop needs two names"));
        };
        outputs.add(loop_path, &bytes)?;
        file.sidecar.state_file(&bytes);
        let beside = match outputs.is_in_place(loop_path) {
            true => written_loop::with_other_loops(&file.sidecar, loop_path, &bytes),
            false => file.sidecar.to_json(),
        };
        outputs.add(sidecar_path, beside.map_err(Failure::error)?.as_bytes())?;
        // The take is compared with its own loop.
        Ok((file.sidecar, before_character.unwrap_or(made)))
    }
}

/// The mirror that a recipe asks for.
fn mirror_of(loaded: &Loaded, recipe: &Recipe) -> Result<Option<Mirror>, Failure> {
    match recipe.stretch.symmetric {
        Some(true) => mirroring::mirror(&loaded.analysis, &recipe.take.mirror).map(Some),
        _ => Ok(None),
    }
}

/// The stretches to make loops of: the one that the recipe names, or those that a search finds. A row that is asked for and not there
/// is a failure of its own.
pub(crate) fn choose(loaded: &Loaded, wish: Wish<'_>) -> Result<Vec<Result<Chosen, Failure>>, Failure> {
    let mirror = mirror_of(loaded, wish.recipe)?;
    if let Some(appraised) = named(loaded, &wish.recipe.stretch, mirror.as_ref()) {
        return Ok(vec![Ok(appraised?)]);
    }
    let Some(search) = wish.search else {
        return Err(Failure::error("the recipe does not say which frames to close")
            .because("a recipe needs both start and end under [stretch]")
            .try_this("--range START:END, or `loopwright make` to search for them"));
    };
    search::check(search, loaded)?;
    // Search for at least as many as `find` does by default, since the requested number may change the list.
    let most = match wish.rows {
        Rows::Recommended => DEFAULT_TOP,
        Rows::Picked(rows) => rows.iter().copied().fold(DEFAULT_TOP, usize::max),
        Rows::All => MOST_ROWS,
    };
    let settings = SearchSettings {
        pairing: mirror.into(),
        ..search::settings(search, most)
    };
    // The first row of any list is the first loop of the whole take, which takes no search of the rest.
    let is_first = match wish.rows {
        Rows::Recommended => true,
        Rows::Picked(rows) => rows == &[1],
        Rows::All => false,
    };
    // By price the first loop is found without the others, which few need.
    let later = (matches!(wish.rows, Rows::Recommended) && !settings.ranks_by_outcome()).then(|| settings.clone());
    let (found, made) = match is_first {
        true if later.is_some() => {
            let first = SearchSettings {
                max_candidates: 1,
                ..settings
            };
            search::search_and_make(loaded, &first)?
        }
        true => search::search_and_make(loaded, &settings)?,
        false => (search::hunt(loaded, &settings, search.shifted)?.found, None),
    };
    if found.candidates.is_empty() {
        return Err(search::nothing_found(loaded, &found, search));
    }
    let count = found.candidates.len();
    let of_row = |row: usize, stretch: Option<&LoopCandidate>| match stretch {
        Some(stretch) => Ok(Chosen {
            row,
            stretch: stretch.clone(),
            others: Vec::new(),
            search: None,
            made: None,
        }),
        None => Err(no_such_row(loaded, row, count)),
    };
    Ok(match wish.rows {
        Rows::Picked(rows) => {
            let found = |&row: &usize| of_row(row, found.candidates.get(row.wrapping_sub(1)));
            rows.iter().map(found).collect()
        }
        Rows::All => {
            let rows = found.candidates.iter().enumerate();
            rows.map(|(index, stretch)| of_row(index + 1, Some(stretch))).collect()
        }
        Rows::Recommended => {
            let mut candidates = found.candidates.into_iter();
            let first = candidates.next().map(|stretch| Chosen {
                row: 1,
                stretch,
                others: candidates.collect(),
                search: later,
                made,
            });
            first.map(Ok).into_iter().collect()
        }
    })
}

fn no_such_row(loaded: &Loaded, row: usize, count: usize) -> Failure {
    Failure::error(format!(
        "there is no loop number {row} in \"{}\"",
        loaded.path.display()
    ))
    .because(format!("the search found {count}"))
    .try_this(format!(
        "--pick 1 to {count}; `loopwright find` lists them, and with --shifted the versions of each, which --pick counts then"
    ))
}

/// The stretch that a recipe names, if it does.
fn named(loaded: &Loaded, stretch: &StretchRecipe, mirror: Option<&Mirror>) -> Option<Result<Chosen, Failure>> {
    let (start, end) = stretch.start.zip(stretch.end)?;
    let settings = SearchSettings {
        cycles: stretch.cycles,
        pairing: mirror.cloned().into(),
        ..SearchSettings::default()
    };
    let chosen = loaded.analysis.appraise(start, end, &settings);
    let chosen = chosen.map(|stretch| Chosen {
        row: 1,
        stretch,
        others: Vec::new(),
        search: None,
        made: None,
    });
    Some(chosen.map_err(|error| making::cut_failure(loaded, error)))
}

/// Makes the loop of a stretch, for a file of this format.
pub(crate) fn make(loaded: &Loaded, wish: Wish<'_>, chosen: &Chosen, format: Format) -> Result<UnnamedLoop, Failure> {
    let Wish { recipe, search, .. } = wish;
    let engine = recipe.output.engine();
    let first = &chosen.stretch;
    let mut soft: Vec<String> = Vec::new();
    soft.extend(engine.complaint(format));
    let output = recipe.output.filled(loaded.take().frame_rate_hz(), first);
    let (analysis, body) = (&loaded.analysis, loaded.body_of_loops());
    let root_joint = body.root_joint;
    let writing = output.writing(format, root_joint, memory::limits());
    if let Some(joint) = root_joint.filter(|_| recipe.output.add_root == Some(true)) {
        soft.push(format!(
            "{} has a root joint above the hips, {}; --add-root adds no other",
            if loaded.character.is_some() {
                "the character"
            } else {
                "the take"
            },
            body.skeleton.joint(joint).name
        ));
    }
    let mut settings = recipe.loop_settings(&output, analysis, &body, &mut soft)?;
    making::check_sampling(loaded, first, settings.sampling)?;
    let choice = (recipe.closure.method == Some(ClosureName::Auto))
        .then(|| analysis.choose_closure(first, &making::on_take(loaded, &settings)))
        .transpose()
        .map_err(|error| making::failure(loaded, error))?;
    if let Some(choice) = &choice {
        settings.closure.method = choice.method;
    }
    let retry = Retry {
        stretches: &chosen.others,
        search: chosen.search.as_ref(),
        closures: !recipe.states_closure(),
        made: chosen.made.as_ref(),
    };
    let source = engine.placed(loaded.form(format));
    let Making {
        made,
        of_take,
        mut file,
        soft: of_making,
        retried,
    } = making::make(loaded, (first, retry), &settings, (&source, &writing))?;
    let (clip, candidate) = (&made.loop_clip, &made.candidate);
    if recipe.stretch.start.is_none() {
        let idle_asked = search.is_some_and(|search| search.idle);
        soft.extend(search::confidence_warning(loaded, candidate).filter(|_| !idle_asked));
    }
    soft.extend(search::bad_frames_warning(loaded, candidate));
    soft.extend(of_making);
    soft.extend(engine.rate_complaint(1.0 / clip.step_secs()).map(|complaint| {
        format!(
            "{complaint}; --fps {} writes such keys",
            engine.sampled_rate(1.0 / clip.step_secs())
        )
    }));
    let sidecar = &mut file.sidecar;
    sidecar.target =
        (recipe.output.target).map(|engine| engine.facts(sidecar, clip.skeleton(), 1.0 / clip.step_secs()));
    if recipe.stretch.start.is_some() {
        sidecar.candidate.several_cycles_for = recipe.stretch.several_cycles_for;
    }
    let is_own_choice = choice.is_some() || retried.is_some();
    Ok(UnnamedLoop {
        row: chosen.row,
        kind: kind(loaded, &made),
        own_method: is_own_choice.then_some(made.closed.method),
        decision: retried.or(choice.as_ref().map(ToString::to_string)),
        made,
        of_take,
        file,
        warnings: soft,
    })
}

/// What the body does in a loop, in one word: that of its segment, or of the whole take.
fn kind(loaded: &Loaded, made: &MadeLoop) -> &'static str {
    let candidate = &made.candidate;
    let segment = loaded
        .analysis
        .segment_of(candidate)
        .filter(|_| candidate.whole.is_none());
    if let Some(segment) = segment {
        // "walk, curving left" and "turn right" are a walk and a turn; the rate of turn says the rest.
        let name = segment.gait.name();
        let end = [",", " left", " right"].iter().filter_map(|end| name.find(end)).min();
        return &name[..end.unwrap_or(name.len())];
    }
    let linear = made.loop_clip.root().twist.linear;
    let speed = ops::hypot(linear.x, linear.z);
    loaded.analysis.motion_kind(Some(candidate), Some(speed)).as_str()
}

/// The extension of the file that a loop goes into: the engine's, that of the rig if there is one, or the take's.
pub(crate) fn extension(take: &Path, recipe: &Recipe) -> String {
    // What comes in has no name, but a format.
    let take = match files::is_stream(take) {
        true => PathBuf::from(files::stem(take)).with_extension(files::extension(take).unwrap_or_default()),
        false => take.to_owned(),
    };
    let goes_into = recipe.take.rig.as_deref().unwrap_or(&take);
    let own = || files::extension(goes_into).unwrap_or_else(|| "bvh".to_owned());
    let engine = recipe.output.engine().extension(goes_into);
    engine.map_or_else(own, str::to_owned)
}
