//! Loops found in synthetic walks, compared with the truth.

use loopwright_synth::{Truth, WalkSettings, random_settings, synthesize};

use crate::{page::Sections, statistics::Sorted, table::Table, takes::Studied};

/// Walks measured.
const WALKS: u64 = 500;

/// Fewest and most cycles in a walk.
const CYCLES: [f64; 2] = [1.0, 20.0];

/// Fewest cycles that prove a repeat: the search needs a quarter of the cycle twice.
const ONE_CYCLE: f64 = 1.25;

/// Largest distance of a length from whole cycles at which it counts as that many, cycles.
const CYCLE_TOLERANCE: f64 = 0.2;

/// Result of the search on a walk that shows its cycle twice.
enum Outcome {
    /// No loop.
    Refused,
    /// A loop and its errors.
    Loop(LoopErrors),
}

/// Differences of a found loop from the truth.
struct LoopErrors {
    found_cycles: u32,
    /// True number of cycles from start to end.
    true_cycles: f64,
    /// Error of the whole loop's length, and of one cycle of it, in frames.
    length_frames: f64,
    cycle_frames: f64,
    start_frame: f64,
    found_frames: f64,
}

impl LoopErrors {
    /// Whether the estimated number of cycles is the true one.
    fn counts_right(&self) -> bool {
        (self.true_cycles - f64::from(self.found_cycles)).abs() <= CYCLE_TOLERANCE
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

fn outcome(walk: &Studied, truth: &Truth) -> Outcome {
    let Ok(Some(best)) = walk.recommended() else {
        return Outcome::Refused;
    };
    let dt = walk.take.frame_time_secs();
    let [start_secs, end_secs] = [best.cut.start_frame(), best.cut.end_frame()].map(|frame| frame * dt);
    let cycles = f64::from(best.cycles);
    let length_frames = (best.source_period_secs - truth.period_from(start_secs, cycles)) / dt;
    Outcome::Loop(LoopErrors {
        found_cycles: best.cycles,
        true_cycles: truth.phase_at(end_secs) - truth.phase_at(start_secs),
        length_frames,
        cycle_frames: length_frames / cycles,
        start_frame: best.cut.start_frame(),
        found_frames: best.cut.num_frames(),
    })
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

pub(super) fn measure(sections: &mut Sections) -> Result<(), String> {
    let (mut repeating, mut once, mut once_refused) = (0, 0, 0);
    let (mut refused, mut counted, mut whole_within, mut cycle_within) = (0, 0, 0, 0);
    let (mut lengths, mut cycles) = (Vec::new(), Vec::new());
    let mut missed = Table::new(
        "seed | fps | frames | cycles in take | period frames | noise deg | drift | variation | turn deg/s | start | \
         found frames | cycles found | truly | error frames |",
    );
    for seed in 0..WALKS {
        let walk = synthesize(&settings(seed)).map_err(|error| error.to_string())?;
        let truth = &walk.truth;
        let in_take = cycles_in(truth);
        let outcome = outcome(&Studied::of("a synthetic walk", walk.take)?, truth);
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
                    miss(
                        &mut missed,
                        seed,
                        truth,
                        in_take,
                        Some(&errors),
                        "wrong number of cycles",
                    );
                } else if !errors.within_half() {
                    miss(&mut missed, seed, truth, in_take, Some(&errors), "period off");
                }
            }
        }
    }
    // Median, 99th percentile and worst.
    let spread = |sizes: Vec<f64>| sizes.into_iter().collect::<Sorted>().spread(&[0.5, 0.99, 1.0], 3, ", ");
    let mut table = Table::new("walks that repeat |");
    for (what, figure) in [
        ("number of cycles right", share(counted, repeating)),
        (
            "period of the cycle within half a frame, cycles right",
            share(cycle_within, repeating),
        ),
        (
            "length of the whole loop within half a frame, cycles right",
            share(whole_within, repeating),
        ),
        ("no loop found (counted as wrong above)", share(refused, repeating)),
        (
            "error of the cycle in frames: median, 99th percentile, worst",
            spread(cycles),
        ),
        ("error of the loop's length in frames", spread(lengths)),
        ("walks of one cycle, refused", share(once_refused, once)),
    ] {
        table.row(format_args!("{what} | {figure}"));
    }
    sections.add("truth", table);
    sections.add("wrong-cycle-counts", missed);
    Ok(())
}

/// Adds a row to the table of walks with wrong results.
fn miss(table: &mut Table, seed: u64, truth: &Truth, in_take: f64, errors: Option<&LoopErrors>, what: &str) {
    let walk = &truth.settings;
    let found = errors.map_or_else(
        || "- | - | - | - | -".to_owned(),
        |errors| {
            format!(
                "{:.0} | {:.2} | {} | {:.2} | {:.2}",
                errors.start_frame, errors.found_frames, errors.found_cycles, errors.true_cycles, errors.cycle_frames
            )
        },
    );
    table.row(format_args!(
        "{seed} | {:.0} | {} | {in_take:.2} | {:.2} | {:.2} | {:.3} | {:.3} | {:.0} | {found} | {what}",
        walk.frame_rate_hz,
        truth.phases.len(),
        walk.period_secs * walk.frame_rate_hz,
        walk.noise_deg,
        walk.drift,
        walk.speed_variation,
        walk.turn_dps,
    ));
}
