//! Finds the cheapest jump from each of many motions into each other one.

use loopwright_core::math::ordered;
use loopwright_moves::{
    Transitions,
    transition::{Crossing, TransitionError},
};

use super::{CostAnswer, CostSide, Side, decays};
use crate::{
    args::{CostArgs, JumpSettings},
    batch::{self, Wanted},
    exit::{Ending, Failure, Result},
    files, memory,
    motions::{self, ReadMotion},
    output::{self, Outputs},
    plot::PlotFile,
    report::table::in_columns,
    talk::{self, Progress},
};

/// Most motions that are compared at once: all are held in memory, and their pairs grow with the square.
const MOST_MOTIONS: usize = 256;

/// Compares all named motions with each other. Files that cannot be read are reported and left out; the run then ends as an error.
///
/// Errors: more motions than `MOST_MOTIONS`, or no two that can be compared.
pub fn run(args: &CostArgs) -> Result<Ending> {
    let mut outputs = Outputs::new(args.force);
    let plot = PlotFile::asked_for(args.plot.as_deref(), &outputs)?;
    decays(&args.jumps)?;
    let found = batch::find(&args.motions, Wanted::All, None, None);
    let num_files = found.files.len() + found.problems.len();
    if num_files > MOST_MOTIONS {
        return Err(failure!("{num_files} motions are named, of at most {MOST_MOTIONS}")
            .try_this("a pattern that fits fewer, such as 'set/walk*.bvh'"));
    }
    let mut failed: Vec<Failure> = found.problems.into_iter().map(|(_, problem)| problem).collect();
    memory::share_among(num_files);
    let progress = Progress::new("motions read", found.files.len());
    let mut sides = Vec::new();
    for input in &found.files {
        outputs.protect_named(&input.path);
        let (side, said) =
            talk::aside(|| Side::new(input.path.clone(), ReadMotion::read(&input.path, &args.reading)?, None));
        progress.beside(|| talk::warn_of(input.path.display(), &said.warnings));
        match side {
            Ok(side) => sides.push(side),
            Err(failure) => failed.push(failure),
        }
        progress.step();
    }
    progress.finish();
    if num_files < 2 {
        return Err(failed.pop().unwrap_or_else(|| {
            failure!("{num_files} motion to compare").try_this("two motions, or a folder that holds several")
        }));
    }
    for failure in &failed {
        talk::fail(failure);
    }
    let failure = Failure::of_some(&failed, num_files, "files failed");
    if sides.len() < 2 {
        return Err(failure.unwrap_or_else(|| Failure::error("no two motions to compare")));
    }
    let answer = compared(&sides, &args.jumps)?;
    if let (Some(plot), Some(among)) = (plot, &answer.among) {
        let names: Vec<String> = sides.iter().map(|side| files::stem(&side.path)).collect();
        let decay = decays(&args.jumps)?[args.jumps.fade as usize];
        plot.add(
            &mut outputs,
            &loopwright_plots::transitions_among(&names, decay, &among.costs_metre_secs),
        )?;
    }
    output::answer("cost", &answer, failure, &outputs.commit()?, args.json, super::human)
}

/// Returns the cheapest jump of each pair of motions, cheapest first.
///
/// Errors: no two motions have one skeleton, or no jump exists between any.
pub fn compared(sides: &[Side], settings: &JumpSettings) -> Result<CostAnswer> {
    let decay = decays(settings)?[settings.fade as usize];
    let mut best: Vec<([usize; 2], Crossing)> = Vec::new();
    let (mut num_apart, mut mismatch) = (0, None);
    let progress = Progress::new("motions compared", sides.len());
    for (exit, left) in sides.iter().enumerate() {
        for (entry, entered) in sides.iter().enumerate().filter(|(entry, _)| *entry != exit) {
            let transitions = match Transitions::between(&left.motion, &entered.motion, &settings.weights) {
                Ok(transitions) => transitions,
                Err(error) => {
                    let is_apart = matches!(error, TransitionError::Skeleton { .. });
                    let failure = motions::mismatch([&left.path, &entered.path], error);
                    if !is_apart {
                        return Err(failure);
                    }
                    num_apart += 1;
                    mismatch.get_or_insert(failure);
                    continue;
                }
            };
            let frames = [left, entered].map(|side| 0..side.motion.num_frames());
            let [exits, entries] = frames;
            best.extend(
                transitions
                    .best(exits, entries, decay, 1)
                    .into_iter()
                    .map(|jump| ([exit, entry], jump)),
            );
        }
        progress.step();
    }
    progress.finish();
    if best.is_empty() {
        return Err(
            mismatch.unwrap_or_else(|| Failure::nothing("no jump between any of the motions").because(super::NO_JUMP))
        );
    }
    if num_apart > 0 {
        let num_pairs = sides.len() * (sides.len() - 1);
        warning!("{num_apart} of {num_pairs} jumps lead to another skeleton, and are left out");
    }
    best.sort_by_key(|(_, jump)| ordered(jump.cost));
    let table = |figure: &dyn Fn(&[usize; 2], &Crossing) -> f64| {
        let mut table = vec![vec![None; sides.len()]; sides.len()];
        for (pair @ [exit, entry], jump) in &best {
            table[*exit][*entry] = Some(figure(pair, jump));
        }
        table
    };
    let secs = |frame: usize, side: usize| frame as f64 * sides[side].motion.step_secs();
    let jump = |&([exit, entry], jump): &([usize; 2], Crossing)| JumpFacts {
        left: sides[exit].path.display().to_string(),
        exit_frame: jump.exit,
        exit_secs: secs(jump.exit, exit),
        entered: sides[entry].path.display().to_string(),
        entry_frame: jump.entry,
        entry_secs: secs(jump.entry, entry),
        cost_metre_secs: jump.cost,
    };
    Ok(CostAnswer {
        among: Some(JumpsFacts {
            decay: decay.name(),
            decay_secs: decay.secs(),
            best: best.iter().take(settings.top).map(jump).collect(),
            motions: sides.iter().map(Side::facts).collect(),
            costs_metre_secs: table(&|_, jump| jump.cost),
            exits_secs: table(&|&[exit, _], jump| secs(jump.exit, exit)),
            entries_secs: table(&|&[_, entry], jump| secs(jump.entry, entry)),
        }),
        ..CostAnswer::default()
    })
}

/// The cheapest jump from one motion of many into another.
#[in_schema]
struct JumpFacts {
    /// The file that is left.
    left: String,
    /// The frame at which it is left, from 0.
    exit_frame: usize,
    /// Its time.
    exit_secs: f64,
    /// The file that is entered.
    entered: String,
    /// The frame at which it is entered, from 0.
    entry_frame: usize,
    /// Its time.
    entry_secs: f64,
    /// Exact cost.
    cost_metre_secs: f64,
}

/// Jumps among many motions.
#[in_schema]
pub struct JumpsFacts {
    /// How the gap fades: spring, cubic or quintic.
    #[schemars(schema_with = "crate::schema_words::word::<loopwright_core::math::DecayKind>")]
    decay: &'static str,
    /// Half-life of the spring, blend time of the others.
    decay_secs: f64,
    /// The cheapest jumps, cheapest first.
    best: Vec<JumpFacts>,
    /// The motions that could be read.
    motions: Vec<CostSide>,
    /// Cost of the cheapest jump, one row per motion to leave, one column per motion to enter, in the order of the motions; null from a motion
    /// into itself, and where no jump exists.
    pub costs_metre_secs: Vec<Vec<Option<f64>>>,
    /// When that jump leaves, in the same order.
    exits_secs: Vec<Vec<Option<f64>>>,
    /// When it enters.
    entries_secs: Vec<Vec<Option<f64>>>,
}

/// Words jumps among many motions.
pub fn jumps_among(among: &JumpsFacts) -> String {
    let jumps = (1_usize..).zip(&among.best).map(|(number, jump)| {
        [
            number.to_string(),
            jump.left.clone(),
            format!("{:.3}", jump.exit_secs),
            jump.entered.clone(),
            format!("{:.3}", jump.entry_secs),
            format!("{:.4}", jump.cost_metre_secs),
        ]
    });
    format!(
        "{} motions, {} of {:.3} s\n{}",
        among.motions.len(),
        among.decay,
        among.decay_secs,
        in_columns("# | <leave | at s | <enter | at s | cost", jumps)
    )
}
