//! The found loops of synthetic walks against their truth.

use std::fmt::Write;

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, SearchSettings},
};
use loopwright_synth::{SyntheticTake, Truth, WalkSettings, random_settings, synthesize};

/// Walks measured.
const WALKS: u64 = 500;

/// Fewest and most cycles in a walk.
const CYCLES: [f64; 2] = [1.0, 20.0];

/// Cycles below which a take proves no repeat: the search wants a quarter of the cycle seen twice.
const ONE_CYCLE: f64 = 1.25;

/// Part of a cycle by which a length may miss whole cycles and still be told as so many.
const CYCLE_TOLERANCE: f64 = 0.2;

/// What was found on a walk that shows its cycle twice.
enum Outcome {
    /// No loop.
    Refused,
    /// A loop, and how far it is off.
    Loop(LoopErrors),
}

/// How a found loop differs from the truth.
struct LoopErrors {
    told_cycles: u32,
    /// Cycles that the walker truly went from start to end.
    true_cycles: f64,
    /// Error of the whole loop's length, and of one cycle of it, in frames.
    length_frames: f64,
    cycle_frames: f64,
    start_frame: f64,
    found_frames: f64,
}

impl LoopErrors {
    /// Whether as many cycles were told as there are, or `None` where the length is no whole number of cycles.
    fn counts_right(&self) -> bool {
        (self.true_cycles - f64::from(self.told_cycles)).abs() <= CYCLE_TOLERANCE
    }

    fn within_half(&self) -> bool {
        self.counts_right() && self.cycle_frames.abs() <= 0.5
    }
}

/// A walk of random settings with 1 to 20 cycles in it, spread evenly over the seeds.
fn settings(seed: u64) -> WalkSettings {
    let walk = random_settings(seed);
    // Multiples of the golden ratio fill an interval more evenly than random numbers do.
    let spread = (seed as f64 * 0.618_033_988_749_894_9).fract();
    let cycles = CYCLES[0] + (CYCLES[1] - CYCLES[0]) * spread;
    WalkSettings {
        seconds: cycles * walk.period_secs,
        ..walk
    }
}

fn outcome(walk: &SyntheticTake) -> Result<Outcome, String> {
    let (take, truth) = (&walk.take, &walk.truth);
    let analysis = Analysis::of(take, &BodyOverrides::default()).map_err(|error| error.to_string())?;
    let found = candidate::find(take, &analysis, &SearchSettings::default());
    let Some(best) = found.as_ref().ok().and_then(|found| found.best()) else {
        return Ok(Outcome::Refused);
    };
    let dt = take.frame_time_secs();
    let [start_secs, end_secs] = [best.cut.start_frame(), best.cut.end_frame()].map(|frame| frame * dt);
    let cycles = f64::from(best.cycles);
    let length_frames = (best.source_period_secs - truth.period_from(start_secs, cycles)) / dt;
    Ok(Outcome::Loop(LoopErrors {
        told_cycles: best.cycles,
        true_cycles: truth.phase_at(end_secs) - truth.phase_at(start_secs),
        length_frames,
        cycle_frames: length_frames / cycles,
        start_frame: best.cut.start_frame(),
        found_frames: best.cut.num_frames(),
    }))
}

/// Cycles in the take of a walk.
fn cycles_in(truth: &Truth) -> f64 {
    match truth.phases.as_slice() {
        [first, .., last] => last - first,
        _ => 0.0,
    }
}

fn share(part: usize, whole: usize) -> String {
    format!("{part} of {whole} ({:.1}%)", 100.0 * part as f64 / whole.max(1) as f64)
}

/// Sorted sizes told as median, 99th percentile and worst.
fn spread(mut sizes: Vec<f64>) -> String {
    sizes.sort_by(f64::total_cmp);
    let at = |share: f64| sizes.get(((sizes.len().saturating_sub(1)) as f64 * share).round() as usize);
    [0.5, 0.99, 1.0]
        .map(|share| at(share).map_or_else(|| "-".to_owned(), |size| format!("{size:.3}")))
        .join(", ")
}

/// The section as Markdown.
pub(super) fn section(page: &mut String) -> Result<(), String> {
    let (mut repeating, mut once, mut once_refused) = (0, 0, 0);
    let (mut refused, mut counted, mut whole_within, mut cycle_within) = (0, 0, 0, 0);
    let (mut lengths, mut cycles) = (Vec::new(), Vec::new());
    let mut missed = String::new();
    for seed in 0..WALKS {
        let walk = synthesize(&settings(seed)).map_err(|error| error.to_string())?;
        let truth = &walk.truth;
        let in_take = cycles_in(truth);
        let outcome = outcome(&walk)?;
        if in_take < ONE_CYCLE {
            once += 1;
            once_refused += usize::from(matches!(outcome, Outcome::Refused));
            if let Outcome::Loop(errors) = &outcome {
                miss(&mut missed, seed, truth, in_take, Some(errors), "a loop in one cycle");
            }
            continue;
        }
        repeating += 1;
        match outcome {
            Outcome::Refused => {
                refused += 1;
                miss(&mut missed, seed, truth, in_take, None, "refused");
            }
            Outcome::Loop(errors) => {
                let counts = errors.counts_right();
                counted += usize::from(counts);
                cycle_within += usize::from(errors.within_half());
                whole_within += usize::from(counts && errors.length_frames.abs() <= 0.5);
                if counts {
                    lengths.push(errors.length_frames.abs());
                    cycles.push(errors.cycle_frames.abs());
                }
                if !counts {
                    miss(&mut missed, seed, truth, in_take, Some(&errors), "cycles told wrong");
                } else if !errors.within_half() {
                    miss(&mut missed, seed, truth, in_take, Some(&errors), "period off");
                }
            }
        }
    }
    let _ = writeln!(
        page,
        "## Against the truth\n\n\
         {WALKS} synthetic walks of random settings: 30 to 120 fps, {} to {} cycles in the take, straight and turning, climbing,\n\
         drifting, changing speed, noise up to 0.5 deg. Where the walk changes its speed the truth is that of the place of the\n\
         loop. A take that shows less than {ONE_CYCLE} cycles proves no repeat: there the right answer is that there is none.\n\n\
         | walks that repeat | |\n| --- | --- |\n\
         | number of cycles told right | {} |\n\
         | period of the cycle within half a frame, cycles right | {} |\n\
         | length of the whole loop within half a frame, cycles right | {} |\n\
         | no loop found (counted as wrong above) | {} |\n\
         | error of the cycle in frames: median, 99th percentile, worst | {} |\n\
         | error of the loop's length in frames | {} |\n\n\
         Walks of one cycle: {} refused.\n",
        CYCLES[0],
        CYCLES[1],
        share(counted, repeating),
        share(cycle_within, repeating),
        share(whole_within, repeating),
        share(refused, repeating),
        spread(cycles),
        spread(lengths),
        share(once_refused, once),
    );
    if !missed.is_empty() {
        let _ = writeln!(
            page,
            "Those told wrong:\n\n\
             | seed | fps | frames | cycles in take | period frames | noise deg | drift | variation | turn deg/s | start | found frames | cycles told | truly | error frames | |\n\
             | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n\
             {missed}"
        );
    }
    Ok(())
}

/// Adds a line to the table of walks told wrong.
fn miss(table: &mut String, seed: u64, truth: &Truth, in_take: f64, errors: Option<&LoopErrors>, what: &str) {
    let walk = &truth.settings;
    let found = errors.map_or_else(
        || "- | - | - | - | -".to_owned(),
        |errors| {
            format!(
                "{:.0} | {:.2} | {} | {:.2} | {:.2}",
                errors.start_frame, errors.found_frames, errors.told_cycles, errors.true_cycles, errors.cycle_frames
            )
        },
    );
    let _ = writeln!(
        table,
        "| {seed} | {:.0} | {} | {in_take:.2} | {:.2} | {:.2} | {:.3} | {:.3} | {:.0} | {found} | {what} |",
        walk.frame_rate_hz,
        truth.phases.len(),
        walk.period_secs * walk.frame_rate_hz,
        walk.noise_deg,
        walk.drift,
        walk.speed_variation,
        walk.turn_dps,
    );
}
