//! Measurements of what jumps cost: the closed forms against quadrature, the feature form against them, and the time it takes.

use std::{fmt::Write, path::Path};

use loopwright::{
    analysis::body::BodyOverrides,
    blend::{SkeletonDifference, phase},
    candidate::{self, SearchSettings},
    loop_clip::LoopClip,
    math::{
        decay::{Decay, decay_rate},
        ops,
    },
    pipeline::{self, LoopSettings},
    transition::{Motion, Transitions},
};
use rand_pcg::{Pcg64, rand_core::Rng};

use crate::{
    manifest::Row,
    road::{self, Studied, median},
    speed::{clock::time_both, machine},
};

// The tests' own, told from offsets alone.
#[path = "../../crates/loopwright/tests/quadrature/mod.rs"]
mod quadrature;

/// The decays that are measured on motion: the defaults of the command.
const DECAYS: [Decay; 3] = [
    Decay::Spring { half_life_secs: 0.1 },
    Decay::Cubic { blend_secs: 0.4 },
    Decay::Quintic { blend_secs: 0.4 },
];

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = road::study(folder, rows.iter().filter(|row| row.expect == "loop"))?;
    let mut page = String::from(
        "# What jumps cost, measured\n\n\
         Written by `cargo xtask measure cost`; nothing here is typed by hand. Real takes as named, sources and licences in\n\
         [ATTRIBUTION.md](../../ATTRIBUTION.md); the mathematics in [transition_cost.md](../math/transition_cost.md).\n\n",
    );
    closed_forms(&mut page);
    loops(&studied, &mut page)?;
    time(&studied, &mut page)?;
    Ok(page)
}

fn between(random: &mut Pcg64, low: f64, high: f64) -> f64 {
    low + (high - low) * (random.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
}

/// Random cases for each decay.
const CASES: u32 = 20_000;

/// Closed forms against quadrature of the offsets that closing and playing use.
fn closed_forms(page: &mut String) {
    let _ = writeln!(
        page,
        "## Closed forms against quadrature\n\n\
         {CASES} random jumps for each decay: x up to 1 m, v up to 20 m/s, half-lives 0.02 to 0.5 s, blend times 0.05 to 1.5 s; a\n\
         fifth of them on the line where the crossing runs out of the fade (v = -xy for the spring), where the published form has\n\
         no value. Quadrature of the size of the offset as the closure shapes have it, parted where its sign changes.\n\n\
         | decay | offset crosses zero | largest difference, m s | on the line, m s | published form: no number |\n\
         | --- | --- | --- | --- | --- |"
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
        let _ = writeln!(
            page,
            "| {} | {:.0}% | {worst:.0e} | {worst_on_line:.0e} | {} |",
            DECAYS[kind].name(),
            100.0 * f64::from(crossing) / f64::from(CASES),
            if kind == 0 {
                no_number.to_string()
            } else {
                "-".to_owned()
            }
        );
    }
    page.push('\n');
}

/// The area of the spring as the article has it: signed areas on both sides of t0 = -x/(v + xy), wherever that lies.
fn published(x: f64, v: f64, y: f64) -> f64 {
    let whole = (2.0 * x * y + v) / (y * y);
    let crossing = (-x / (v + x * y)).max(0.0);
    let beyond = ops::exp(-y * crossing) / (y * y) * (crossing * v * y + x * y * (crossing * y + 2.0) + v);
    (whole - beyond).abs() + beyond.abs()
}

/// Integral of the size of the offset that starts at x with the rate v.
fn area(decay: Decay, x: f64, v: f64) -> f64 {
    let end = match decay {
        // e^-60 of it is left.
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
    motion: Motion,
}

fn looped<'a>(studied: &'a Studied<'_>) -> Result<Option<Looped<'a>>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", studied.row.file);
    let found =
        candidate::find(&studied.take, &studied.analysis, &SearchSettings::default()).map_err(|e| failed(&e))?;
    let Some(best) = found.best() else { return Ok(None) };
    let settings = LoopSettings::default();
    let made =
        pipeline::make(&studied.take, &studied.analysis, &best.cut, best.cycles, &settings).map_err(|e| failed(&e))?;
    let motion = Motion::of_loop(&made.loop_clip, &BodyOverrides::default()).map_err(|e| failed(&e))?;
    Ok(Some(Looped {
        name: &studied.row.file,
        cycles: best.cycles,
        clip: made.loop_clip,
        motion,
    }))
}

/// Jumps between loops of one skeleton: the best, any, those at matching phase, and what choosing by feature form costs.
fn loops(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "## Jumps between captured loops\n\n\
         Every loop of the takes that must loop, as `make` makes it by default, into every other of the same skeleton. Best: the\n\
         cheapest entry, the median over all exits. Any: the median of all jumps. Matching: at the phase of the second that matches\n\
         the first, the median over exits, for loops of as many cycles. By feature: the entry that the feature form prefers, by its\n\
         exact cost, over the best. Tight: the feature form over the exact cost, mean of all jumps. Spring of 0.1 s, metre-seconds.\n\n\
         | from | into | best exit | best | matching | any | by feature | tight |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let all: Vec<Looped<'_>> = studied
        .iter()
        .map(looped)
        .collect::<Result<Vec<_>, _>>()?
        .into_iter()
        .flatten()
        .collect();
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
            let told = DECAYS.map(|decay| Told::of(&transitions, decay));
            let matching = (left.cycles == entered.cycles)
                .then(|| at_matching_phase(&transitions, left, entered, DECAYS[0]))
                .flatten();
            let spring = &told[0];
            matched.extend(matching.map(|matching| matching / spring.best));
            let _ = writeln!(
                page,
                "| {} | {} | {:.3} | {:.3} | {} | {:.3} | {:.3} | {:.1}% |",
                left.name,
                entered.name,
                spring.best_exit,
                spring.best,
                matching.map_or_else(|| "-".to_owned(), |cost| format!("{cost:.3}")),
                spring.any,
                spring.by_feature,
                100.0 * spring.tight
            );
            for (sum, told) in sums.iter_mut().zip(told) {
                sum.best_of_any.push(told.best / told.any);
                sum.by_feature.push(told.by_feature);
                sum.same.push(told.same);
                sum.tight.push(told.tight);
            }
        }
    }
    let _ = writeln!(
        page,
        "\n{} pairs of loops. At matching phase a jump costs {:.2} times the best in the median of {}.\n\n\
         | decay | best over any | same entry by feature form | extra cost by feature form, median | largest | feature form over exact |\n\
         | --- | --- | --- | --- | --- | --- |",
        sums[0].tight.len(),
        median(&mut matched.clone()),
        matched.len()
    );
    for (decay, sum) in DECAYS.iter().zip(&mut sums) {
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let _ = writeln!(
            page,
            "| {} of {} s | {:.2} | {:.0}% | {:.2}% | {:.1}% | {:.1}% |",
            decay.name(),
            decay.secs(),
            median(&mut sum.best_of_any),
            100.0 * mean(&sum.same),
            100.0 * (median(&mut sum.by_feature) - 1.0),
            100.0 * (sum.by_feature.iter().copied().fold(1.0, f64::max) - 1.0),
            100.0 * mean(&sum.tight),
        );
    }
    page.push('\n');
    Ok(())
}

#[derive(Default)]
struct Tally {
    best_of_any: Vec<f64>,
    by_feature: Vec<f64>,
    same: Vec<f64>,
    tight: Vec<f64>,
}

/// What is told of the jumps from one loop into another.
struct Told {
    best_exit: f64,
    best: f64,
    any: f64,
    by_feature: f64,
    same: f64,
    tight: f64,
}

impl Told {
    fn of(transitions: &Transitions, decay: Decay) -> Self {
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
        let mut costs: Vec<f64> = best.iter().map(|crossing| crossing.cost).collect();
        let sum: f64 = costs.iter().sum();
        let ratios = grid
            .feature
            .iter()
            .zip(&grid.exact)
            .map(|(feature, exact)| feature / exact.max(1e-12));
        Self {
            best_exit: costs.iter().copied().fold(f64::INFINITY, f64::min),
            best: median(&mut costs),
            any: median(&mut grid.sorted()),
            by_feature: chosen / sum,
            same: same as f64 / best.len().max(1) as f64,
            tight: ratios.sum::<f64>() / grid.exact.len().max(1) as f64,
        }
    }
}

/// Median cost of jumps that keep the phase.
fn at_matching_phase(transitions: &Transitions, left: &Looped<'_>, entered: &Looped<'_>, decay: Decay) -> Option<f64> {
    let phase = *phase::align(&[left.clip.clone(), entered.clip.clone()]).last()?;
    let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
    let mut costs: Vec<f64> = (0..exits)
        .map(|exit| {
            let met = (exit as f64 / exits as f64 + phase).rem_euclid(1.0) * entries as f64;
            transitions.cost(exit, met.round() as usize % entries, decay)
        })
        .collect();
    Some(median(&mut costs))
}

/// The time of one jump, and of the best entries of long takes beside comparing all pairs.
fn time(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    let _ = writeln!(
        page,
        "## Time\n\n\
         The best entry for every exit between two whole takes of one skeleton, both ways exact: by bounds, and by the exact cost of\n\
         every pair. On {}, one thread, medians of seconds of the processor.\n\n\
         | from | into | pairs | axes | decay | by bounds, ms | all pairs, ms | ratio | a pair, ns |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
        machine()
    );
    let mut longest: Option<(&Studied<'_>, &Studied<'_>)> = None;
    let mut shown = 0;
    for (index, left) in studied.iter().enumerate() {
        for entered in &studied[index + 1..] {
            let differs = SkeletonDifference::between(left.take.skeleton(), entered.take.skeleton()).is_some();
            let pairs = |(a, b): (&Studied<'_>, &Studied<'_>)| a.take.num_frames() * b.take.num_frames();
            if !differs && longest.is_none_or(|known| pairs((left, entered)) > pairs(known)) {
                longest = Some((left, entered));
            }
        }
    }
    if let Some((left, entered)) = longest {
        let [one, other] =
            [left, entered].map(|studied| Motion::of_take(studied.take.clone(), studied.analysis.clone()));
        let transitions = Transitions::between(&one, &other, &[]).map_err(|error| error.to_string())?;
        let (exits, entries) = (transitions.num_exits(), transitions.num_entries());
        for decay in DECAYS {
            let sum_of = |costs: &mut dyn Iterator<Item = f64>| costs.sum::<f64>();
            let (bounded, brute, _) = time_both(
                || {
                    sum_of(
                        &mut transitions
                            .best_entries(0..exits, 0..entries, decay)
                            .iter()
                            .map(|best| best.cost),
                    )
                },
                || {
                    sum_of(&mut (0..exits).map(|exit| {
                        (0..entries)
                            .map(|entry| transitions.cost(exit, entry, decay))
                            .fold(f64::INFINITY, f64::min)
                    }))
                },
            );
            let pairs = exits * entries;
            let _ = writeln!(
                page,
                "| {} | {} | {pairs} | {} | {} | {:.1} | {:.1} | {:.3} | {:.0} |",
                left.row.file,
                entered.row.file,
                3 * transitions.joints().len() + 4,
                decay.name(),
                1e3 * bounded,
                1e3 * brute,
                bounded / brute,
                1e9 * brute / pairs as f64
            );
            shown += 1;
        }
    }
    if shown == 0 {
        page.push_str("\nNo two takes of one skeleton.\n");
    }
    Ok(())
}
