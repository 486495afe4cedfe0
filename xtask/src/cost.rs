//! The cost of jumps: the closed forms compared with quadrature, the feature form compared with them, and the running time.

use loopwright::{
    BodyOverrides, LoopClip, LoopSettings, Transitions,
    blend::{SkeletonDifference, align},
    math::{Decay, decay_rate, ops},
    transition::TransitionClip,
};
use rand_pcg::{Pcg64, rand_core::Rng};

use crate::{
    clock::{machine, time_both},
    page::Sections,
    statistics::{Sorted, mean, median},
    table::{Table, cell},
    takes::{Captured, Studied},
};

// The quadrature of the tests, which uses offsets alone.
#[path = "../../crates/loopwright/tests/support/quadrature.rs"]
mod quadrature;

/// The decays measured on motion: the defaults of the command.
const DECAYS: [Decay; 3] = [
    Decay::Spring { half_life_secs: 0.1 },
    Decay::Cubic { blend_secs: 0.4 },
    Decay::Quintic { blend_secs: 0.4 },
];

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut sections = Sections::default();
    sections.add("closed-forms", closed_forms());
    loops(&studied, &mut sections)?;
    sections.add("machine", machine());
    sections.add("time", time(&studied)?);
    Ok(sections)
}

fn between(random: &mut Pcg64, low: f64, high: f64) -> f64 {
    low + (high - low) * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Number of random cases for each decay.
const CASES: u32 = 20_000;

/// Closed forms, compared with quadrature of the offsets that closing and playing use.
fn closed_forms() -> Table {
    let mut table = Table::new(
        "decay | offset crosses zero | largest difference, m s | on the line, m s | published form: no number",
    );
    let random = &mut Pcg64::new(3, 17);
    for kind in 0..3 {
        let (mut crossing, mut worst, mut worst_on_line, mut no_number) = (0, 0.0_f64, 0.0_f64, 0);
        for case in 0..CASES {
            let (half_life_secs, blend_secs) = (between(random, 0.02, 0.5), between(random, 0.05, 1.5));
            let (x, v) = (between(random, -1.0, 1.0), between(random, -20.0, 20.0));
            let y = decay_rate(half_life_secs);
            let (decay, line) = match kind {
                0 => (Decay::Spring { half_life_secs }, -x * y),
                1 => (Decay::Cubic { blend_secs }, -3.0 * x / blend_secs),
                _ => (Decay::Quintic { blend_secs }, -2.5 * x / blend_secs),
            };
            let on_line = case % 5 == 0;
            let v = if on_line { line } else { v };
            let exact = decay.displacement(x, v);
            let off = (exact - area(decay, x, v)).abs();
            worst = worst.max(off);
            if on_line {
                worst_on_line = worst_on_line.max(off);
            }
            crossing += u32::from(exact > decay.signed_area(x, v).abs() * (1.0 + 1e-12));
            no_number += u32::from(kind == 0 && !published(x, v, y).is_finite());
        }
        table.row(format_args!(
            "{} | {:.0}% | {worst:.0e} | {worst_on_line:.0e} | {}",
            DECAYS[kind].name(),
            100.0 * f64::from(crossing) / f64::from(CASES),
            if kind == 0 {
                no_number.to_string()
            } else {
                "-".to_owned()
            }
        ));
    }
    table
}

/// The area of the spring as in the article: signed areas on both sides of t0 = -x/(v + xy), wherever t0 lies.
fn published(x: f64, v: f64, y: f64) -> f64 {
    let whole = (2.0 * x * y + v) / (y * y);
    let crossing = (-x / (v + x * y)).max(0.0);
    let beyond = ops::exp(-y * crossing) / (y * y) * (crossing * v * y + x * y * (crossing * y + 2.0) + v);
    (whole - beyond).abs() + beyond.abs()
}

/// Integral of the size of the offset that starts at x with the rate v.
fn area(decay: Decay, x: f64, v: f64) -> f64 {
    let end = match decay {
        // e^-60 of the offset is left.
        Decay::Spring { half_life_secs } => 60.0 / decay_rate(half_life_secs),
        other => other.secs(),
    };
    let offset = |t: f64| {
        let fading = decay.at(t);
        x * fading.position.value + v * fading.velocity.value
    };
    quadrature::area(offset, end)
}

/// A loop of a captured take, and its name.
struct Looped<'a> {
    name: &'a str,
    cycles: u32,
    clip: LoopClip,
    motion: TransitionClip,
}

impl<'a> Looped<'a> {
    /// The recommended loop as `make` makes it by default; `None` if the take has none.
    fn new(studied: &'a Studied) -> Result<Option<Self>, String> {
        let Some(best) = studied.recommended()? else {
            return Ok(None);
        };
        let clip = studied.make(&best, &LoopSettings::default())?.loop_clip;
        Ok(Some(Self {
            name: &studied.file,
            cycles: best.cycles,
            motion: TransitionClip::from_loop(&clip, &BodyOverrides::default())
                .map_err(|error| studied.failed(error))?,
            clip,
        }))
    }
}

/// Jumps between loops of one skeleton: the best, any, those at matching phases, and the loss of choosing by feature form.
fn loops(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new("from | into | best exit | best | matching | any | by feature | tight");
    let mut all = Vec::new();
    for studied in studied {
        all.extend(Looped::new(studied)?);
    }
    let mut sums = [Tally::default(), Tally::default(), Tally::default()];
    let mut matched = Vec::new();
    for left in &all {
        for entered in &all {
            let is_other = !core::ptr::eq(left, entered);
            if !is_other || SkeletonDifference::between(left.clip.skeleton(), entered.clip.skeleton()).is_some() {
                continue;
            }
            let transitions =
                Transitions::between(&left.motion, &entered.motion, &[]).map_err(|error| error.to_string())?;
            let figures = DECAYS.map(|decay| JumpFigures::new(&transitions, decay));
            let matching = (left.cycles == entered.cycles)
                .then(|| at_matching_phase(&transitions, left, entered, DECAYS[0]))
                .flatten();
            let spring = &figures[0];
            matched.extend(matching.map(|matching| matching / spring.best));
            table.row(format_args!(
                "{} | {} | {:.3} | {:.3} | {} | {:.3} | {:.3} | {:.1}%",
                left.name,
                entered.name,
                spring.best_exit,
                spring.best,
                cell(matching, 3),
                spring.any,
                spring.by_feature,
                100.0 * spring.tight
            ));
            for (sum, figures) in sums.iter_mut().zip(figures) {
                sum.best_of_any.push(figures.best / figures.any);
                sum.by_feature.push(figures.by_feature);
                sum.same.push(figures.same);
                sum.tight.push(figures.tight);
            }
        }
    }
    sections.add("jumps", table);
    let mut summary = Table::new("pairs of loops | of as many cycles | matching over best, median");
    summary.row(format_args!(
        "{} | {} | {:.2}",
        sums[0].tight.len(),
        matched.len(),
        median(matched)
    ));
    sections.add("matching-phase", summary);
    let mut table = Table::new(
        "decay | best over any | same entry by feature form | extra cost by feature form, median | largest | \
         feature form over exact",
    );
    for (decay, sum) in DECAYS.iter().zip(sums) {
        let by_feature: Sorted = sum.by_feature.into_iter().collect();
        table.row(format_args!(
            "{} of {} s | {:.2} | {:.0}% | {:.2}% | {:.1}% | {:.1}%",
            decay.name(),
            decay.secs(),
            median(sum.best_of_any),
            100.0 * mean(&sum.same),
            100.0 * (by_feature.median() - 1.0),
            100.0 * (by_feature.largest().max(1.0) - 1.0),
            100.0 * mean(&sum.tight),
        ));
    }
    sections.add("decays", table);
    Ok(())
}

#[derive(Default)]
struct Tally {
    best_of_any: Vec<f64>,
    by_feature: Vec<f64>,
    same: Vec<f64>,
    tight: Vec<f64>,
}

/// Figures of the jumps from one loop into another.
struct JumpFigures {
    best_exit: f64,
    best: f64,
    any: f64,
    by_feature: f64,
    same: f64,
    tight: f64,
}

impl JumpFigures {
    fn new(transitions: &Transitions, decay: Decay) -> Self {
        let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
        let best = transitions.best_entries(0..exits, 0..entries, decay);
        let grid = transitions.grid(0..exits, 0..entries, decay, usize::MAX);
        let (mut chosen, mut same) = (0.0, 0);
        for crossing in &best {
            let row = &grid.feature[crossing.exit * entries..(crossing.exit + 1) * entries];
            let entry = (0..entries).min_by(|&a, &b| row[a].total_cmp(&row[b])).unwrap_or(0);
            chosen += transitions.cost(crossing.exit, entry, decay);
            same += usize::from(entry == crossing.entry);
        }
        let sum: f64 = best.iter().map(|crossing| crossing.cost).sum();
        let costs: Sorted = best.iter().map(|crossing| crossing.cost).collect();
        let ratios = grid
            .feature
            .iter()
            .zip(&grid.exact)
            .map(|(feature, exact)| feature / exact.max(1e-12));
        Self {
            best_exit: costs.at(0.0).unwrap_or(f64::INFINITY),
            best: costs.median(),
            any: median(grid.sorted()),
            by_feature: chosen / sum,
            same: same as f64 / best.len().max(1) as f64,
            tight: ratios.sum::<f64>() / grid.exact.len().max(1) as f64,
        }
    }
}

/// Median cost of jumps that keep the phase.
fn at_matching_phase(transitions: &Transitions, left: &Looped<'_>, entered: &Looped<'_>, decay: Decay) -> Option<f64> {
    let phase = *align(&[left.clip.clone(), entered.clip.clone()]).last()?;
    let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
    Some(median((0..exits).map(|exit| {
        let met = (exit as f64 / exits as f64 + phase).rem_euclid(1.0) * entries as f64;
        transitions.cost(exit, met.round() as usize % entries, decay)
    })))
}

/// The time for one jump, and for the best entries of long takes compared with trying all pairs.
fn time(studied: &[Studied]) -> Result<Table, String> {
    let mut table =
        Table::new("from | into | pairs | axes | decay | by bounds, ms | all pairs, ms | ratio | a pair, ns");
    let others = studied.iter().enumerate().flat_map(|(index, left)| {
        let entered = studied[index + 1..].iter();
        entered.map(move |entered| (left, entered))
    });
    let longest = others
        .filter(|(left, entered)| SkeletonDifference::between(left.take.skeleton(), entered.take.skeleton()).is_none())
        .rev()
        .max_by_key(|(left, entered)| left.take.num_frames() * entered.take.num_frames());
    let (left, entered) = longest.ok_or("no two takes have one skeleton")?;
    let [one, other] = [left, entered].map(|studied| TransitionClip::from_take(studied.analysis.clone()));
    let transitions = Transitions::between(&one, &other, &[]).map_err(|error| error.to_string())?;
    let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
    let pairs = exits * entries;
    for decay in DECAYS {
        let by_bounds = || -> f64 {
            let best = transitions.best_entries(0..exits, 0..entries, decay);
            best.iter().map(|best| best.cost).sum()
        };
        let by_all_pairs = || -> f64 {
            let cost = |exit, entry| transitions.cost(exit, entry, decay);
            let best = |exit| {
                (0..entries)
                    .map(|entry| cost(exit, entry))
                    .fold(f64::INFINITY, f64::min)
            };
            (0..exits).map(best).sum()
        };
        let (bounded, brute, _) = time_both(by_bounds, by_all_pairs);
        table.row(format_args!(
            "{} | {} | {pairs} | {} | {} | {:.1} | {:.1} | {:.3} | {:.0}",
            left.file,
            entered.file,
            3 * transitions.joints().len() + 4,
            decay.name(),
            1e3 * bounded,
            1e3 * brute,
            bounded / brute,
            1e9 * brute / pairs as f64
        ));
    }
    Ok(table)
}
