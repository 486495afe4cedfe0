//! Measurements of the whole road: every real take, many cuts of them, and synthetic walks.

use std::{fmt::Write, path::Path};

use loopwright::{
    analysis::{Analysis, body::BodyOverrides},
    candidate::{self, LoopCandidate, SearchSettings},
    closure::{Method, Order},
    feet::FootLock,
    loop_clip::LoopClip,
    pipeline::{self, LoopSettings, Made, Sampling},
    quality::{self, KeyLayout, LoopKeys, Quality},
    take::Take,
};
use loopwright_formats::{LoopWriteSettings, ReadSettings, Source, SpaceSettings, UnitChoice, UpChoice};
use loopwright_synth::{random_settings, synthesize};

use crate::manifest::Row;

/// Cuts taken of each take for the seam rank, at most.
pub(crate) const CUTS_PER_TAKE: usize = 16;

/// Takes above this rate are halved for the second table, frames per second.
const FAST_RATE: f64 = 100.0;

/// A take of the list with its study.
pub(crate) struct Studied<'a> {
    pub(crate) row: &'a Row,
    pub(crate) take: Take,
    source: Source,
    pub(crate) analysis: Analysis,
}

/// Reads and studies the takes of the list.
pub(crate) fn study<'a>(folder: &Path, rows: impl Iterator<Item = &'a Row>) -> Result<Vec<Studied<'a>>, String> {
    rows.map(|row| {
        let path = folder.join(&row.file);
        let bytes = std::fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        let loaded = loopwright_formats::read_take(&bytes, &row.file, &ReadSettings::default(), &mut Vec::new())
            .map_err(|error| format!("{}: {error}", row.file))?;
        let analysis =
            Analysis::of(&loaded.take, &BodyOverrides::default()).map_err(|error| format!("{}: {error}", row.file))?;
        Ok(Studied {
            row,
            take: loaded.take,
            source: loaded.source,
            analysis,
        })
    })
    .collect()
}

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = study(folder, rows.iter().filter(|row| !row.expect.is_empty()))?;
    let mut page = String::from(
        "# The road, measured\n\n\
         Written by `cargo xtask measure road`; nothing here is typed by hand. Real takes as named, sources and licences in\n\
         [ATTRIBUTION.md](../../ATTRIBUTION.md); definitions in [measures.md](../math/measures.md). All figures are taken from\n\
         the loop as written to BVH and read back.\n\n",
    );
    every_take(&studied, &mut page)?;
    seam_ranks(&studied, &mut page)?;
    synthetic(&mut page)?;
    Ok(page)
}

/// Writes a loop, reads it back, and measures what was read.
fn measured(studied: &Studied<'_>, made: &Made, clip: &LoopClip) -> Result<Quality, String> {
    let writing = LoopWriteSettings::default();
    let written = loopwright_formats::write_loop(clip, &studied.source, &writing).map_err(|error| error.to_string())?;
    let space = studied.source.space();
    let settings = SpaceSettings {
        up: UpChoice::Given(space.up),
        unit: UnitChoice::Metres(space.unit_metres),
    };
    let back = loopwright_formats::read_take(
        &written.bytes,
        "loop",
        &ReadSettings::in_space(settings),
        &mut Vec::new(),
    )
    .map_err(|error| error.to_string())?;
    let layout = KeyLayout {
        num_samples: clip.num_samples(),
        has_closing_key: true,
    };
    let keys = LoopKeys::new(&back.take, layout, *clip.root(), clip.carrier()).map_err(|error| error.to_string())?;
    Ok(quality::measure(&keys, &studied.analysis.body, Some(&made.source)))
}

fn make(studied: &Studied<'_>, candidate: &LoopCandidate, settings: &LoopSettings) -> Result<Made, String> {
    pipeline::make(
        &studied.take,
        &studied.analysis,
        &candidate.cut,
        candidate.cycles,
        settings,
    )
    .map_err(|error| format!("{}: {error}", studied.row.file))
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
}

/// Median of values, 0 for none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

fn every_take(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "## Every take\n\n\
         Expected: *loop*, a steady repeat must be found; *warn*, a loop of low confidence or a refusal; *refuse*, there is\n\
         none. Low: the loop carries the warning of low confidence. Acceleration: seam acceleration over the loop's own 99th\n\
         percentile, worst joint.\n\n\
         | take | fps | expected | outcome | period s | cycles | ratio | C0 deg | C0 mm | acceleration | error | rank | take's | mm | skate cm/s |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let (mut as_expected, mut popping, mut accelerations, mut errors) = (0, 0, Vec::new(), Vec::new());
    let (mut c0_deg, mut c0_mm, mut skates, mut moved) = (0.0_f64, 0.0_f64, Vec::new(), Vec::new());
    for studied in studied {
        let found = candidate::find(&studied.take, &studied.analysis, &SearchSettings::default()).ok();
        let best = found.as_ref().and_then(|found| found.best());
        let row = studied.row;
        let rate = studied.take.frame_rate_hz();
        let _ = write!(page, "| {} | {rate:.0} | {} | ", row.file, row.expect);
        let Some(best) = best else {
            as_expected += usize::from(row.expect != "loop");
            page.push_str("refused | | | | | | | | | | | |\n");
            continue;
        };
        let low = !best.is_confident();
        as_expected += usize::from(row.expect == "loop" || (row.expect == "warn" && low));
        let made = make(studied, best, &LoopSettings::default())?;
        let quality = measured(studied, &made, &made.loop_clip)?;
        popping += usize::from(quality.pops());
        c0_deg = c0_deg.max(quality.c0_radians.to_degrees());
        c0_mm = c0_mm.max(1e3 * quality.c0_metres);
        if row.expect == "loop" {
            accelerations.push(quality.seam_acceleration_p99);
            errors.extend(quality.seam_acceleration_error);
            skates.extend(quality.skate_mps.map(|skate| 100.0 * skate));
            moved.extend(quality.displacement_metres.map(|metres| 1e3 * metres));
        }
        let _ = writeln!(
            page,
            "loop{} | {:.3} | {} | {} | {:.5} | {:.5} | {:.2} | {} | {:.0} | {} | {} | {} |",
            if low { ", low" } else { "" },
            best.source_period_secs,
            best.cycles,
            cell(best.cost_ratio, 3),
            quality.c0_radians.to_degrees(),
            1e3 * quality.c0_metres,
            quality.seam_acceleration_p99,
            cell(quality.seam_acceleration_error, 3),
            100.0 * quality.seam_rank,
            cell(quality.take_rank.map(|rank| 100.0 * rank), 0),
            cell(quality.displacement_metres.map(|metres| 1e3 * metres), 1),
            cell(quality.skate_mps.map(|speed| 1e2 * speed), 1),
        );
    }
    let _ = writeln!(
        page,
        "\n{as_expected} of {} takes as expected; {popping} loops pop. Largest C0: {c0_deg:.5} deg, {c0_mm:.5} mm. Medians over\n\
         the *loop* takes: seam acceleration {:.2} of the loop's own 99th percentile, its error {:.3}, displacement {:.1} mm,\n\
         skate {:.1} cm/s.\n",
        studied.len(),
        median(&mut accelerations),
        median(&mut errors),
        median(&mut moved),
        median(&mut skates),
    );
    Ok(())
}

/// Ranks in percent of many seams.
#[derive(Default)]
pub(crate) struct Ranks(pub(crate) Vec<f64>);

impl Ranks {
    /// Mean, standard error, and share above 90, as a table's cells.
    pub(crate) fn cells(&self) -> String {
        let count = self.0.len() as f64;
        let mean = self.0.iter().sum::<f64>() / count;
        let variance = self.0.iter().map(|rank| (rank - mean) * (rank - mean)).sum::<f64>() / (count - 1.0);
        let above = self.0.iter().filter(|&&rank| rank > 90.0).count() as f64;
        format!(
            "{mean:.1} | {:.1} | {:.0}%",
            (variance / count).sqrt(),
            100.0 * above / count
        )
    }
}

fn seam_ranks(studied: &[Studied<'_>], page: &mut String) -> Result<(), String> {
    page.push_str(
        "## Seam rank over many cuts\n\n\
         Not only the recommended loop: the distinct loops of every *loop* take in the order of the search, up to 16 each. 50\n\
         on average means that the seam cannot be told from other frames. Feet are as closing leaves them.\n\n",
    );
    for halved in [true, false] {
        let closures = [
            ("quintic C2 (default)", Some(Order::C2)),
            ("quintic C1", Some(Order::C1)),
            ("raw cut", None),
        ];
        let mut ranks = [Ranks::default(), Ranks::default(), Ranks::default()];
        let mut own = Ranks::default();
        let mut takes = 0;
        for studied in studied.iter().filter(|studied| studied.row.expect == "loop") {
            let settings = SearchSettings {
                max_candidates: CUTS_PER_TAKE,
                ..SearchSettings::default()
            };
            let Ok(found) = candidate::find(&studied.take, &studied.analysis, &settings) else {
                continue;
            };
            takes += usize::from(!found.candidates.is_empty());
            let rate = studied.take.frame_rate_hz();
            let sampling = if halved && rate > FAST_RATE {
                Sampling::Rate(0.5 * rate)
            } else {
                Sampling::SourceRate
            };
            for candidate in &found.candidates {
                for ((_, order), ranks) in closures.iter().zip(&mut ranks) {
                    let settings = LoopSettings {
                        closure: Method {
                            order: order.unwrap_or_default(),
                            ..Method::default()
                        }
                        .into(),
                        sampling,
                        feet: FootLock::Off.into(),
                        ..LoopSettings::default()
                    };
                    let made = make(studied, candidate, &settings)?;
                    let clip = if order.is_some() {
                        made.loop_clip.clone()
                    } else {
                        uncut(&made)?
                    };
                    let quality = measured(studied, &made, &clip)?;
                    ranks.0.push(100.0 * quality.seam_rank);
                    if *order == Some(Order::C2) {
                        own.0.extend(quality.take_rank.map(|rank| 100.0 * rank));
                    }
                }
            }
        }
        let how = if halved {
            "takes at 120 fps halved to 60"
        } else {
            "all at their own rate"
        };
        let _ = writeln!(
            page,
            "{} cuts of {takes} takes, {how}:\n\n| closure | mean rank | standard error | above 90 |\n| --- | --- | --- | --- |",
            ranks[0].0.len()
        );
        for ((name, _), ranks) in closures.iter().zip(&ranks) {
            let _ = writeln!(page, "| {name} | {} |", ranks.cells());
        }
        let _ = writeln!(page, "| the take's own frames there | {} |\n", own.cells());
    }
    Ok(())
}

/// The uncut samples as a loop that nobody closed.
pub(crate) fn uncut(made: &Made) -> Result<LoopClip, String> {
    let clip = &made.source.clip;
    let (mut translations, mut rotations) = (Vec::new(), Vec::new());
    for sample in 0..clip.num_intervals() as isize {
        translations.extend_from_slice(clip.translations(sample));
        rotations.extend_from_slice(clip.rotations(sample));
    }
    let skeleton = clip.skeleton().clone();
    LoopClip::new(
        "raw",
        loopwright::motion::Tracks::new(skeleton, clip.step_secs(), translations, rotations).unwrap(),
        made.source.carrier,
        made.source.root,
    )
    .map_err(|error| error.to_string())
}

/// Synthetic walks of random settings measured.
const WALKS: u64 = 200;

fn synthetic(page: &mut String) -> Result<(), String> {
    let (mut found_walks, mut fundamental, mut within_half) = (0, 0, 0);
    let mut errors = Vec::new();
    for seed in 0..WALKS {
        let walk = synthesize(&random_settings(seed)).map_err(|error| error.to_string())?;
        let (take, truth) = (&walk.take, &walk.truth);
        let analysis = Analysis::of(take, &BodyOverrides::default()).map_err(|error| error.to_string())?;
        let found = candidate::find(take, &analysis, &SearchSettings::default()).map_err(|error| error.to_string())?;
        let Some(best) = found.best() else {
            continue;
        };
        found_walks += 1;
        let cycles = f64::from(best.cycles);
        let period = truth.period_from(best.cut.start_frame() * take.frame_time_secs(), cycles);
        let counted = (best.source_period_secs / (cycles * truth.period_secs) - 1.0).abs() < 0.2;
        fundamental += usize::from(counted);
        let error = ((best.source_period_secs - period) / take.frame_time_secs()).abs();
        if counted {
            within_half += usize::from(error <= 0.5);
            errors.push(error);
        }
    }
    errors.sort_by(f64::total_cmp);
    let _ = writeln!(
        page,
        "## Synthetic walks\n\n\
         {WALKS} walks of random settings (30 to 120 fps, 4 to 20 cycles, straight and turning, climbing, drifting, changing\n\
         speed, noise up to 0.5 deg): a loop found in {found_walks}, cycles counted right in {fundamental}, period within half a\n\
         frame in {within_half}. Error of the period in frames: median {:.3}, 99th percentile {:.3}, worst {:.3}. The root's\n\
         twist is held against the truth on the same walks by `crates/loopwright/tests/synthetic.rs`.",
        errors[errors.len() / 2],
        errors[errors.len() * 99 / 100],
        errors[errors.len() - 1],
    );
    Ok(())
}
