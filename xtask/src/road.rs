//! The whole pipeline on every real take, on many cuts of the takes, and on synthetic walks.

use loopwright::{
    LoopSettings, SearchSettings,
    closure::{Method, Order},
    feet::FootLock,
};
use loopwright_mocap::Expect;
use loopwright_synth::{random_settings, synthesize};

use crate::{
    cuts::{self, Ranks},
    page::Sections,
    statistics::{Sorted, median},
    table::{Table, cell},
    takes::{Captured, Studied, unclosed},
};

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.judged()?;
    let loops: Vec<&Studied> = studied
        .iter()
        .filter(|each| each.expect == Some(Expect::Loop))
        .collect();
    let mut sections = Sections::default();
    every_take(&studied, &mut sections)?;
    sections.add("seam-ranks-halved", seam_ranks(&loops, true)?);
    sections.add("seam-ranks", seam_ranks(&loops, false)?);
    sections.add("synthetic-walks", synthetic()?);
    Ok(sections)
}

fn every_take(studied: &[Studied], sections: &mut Sections) -> Result<(), String> {
    let mut table = Table::new(
        "take | fps | expected | outcome | period s | cycles | ratio | C0 deg | C0 mm | acceleration | error | rank | \
         take's | mm | foot slide cm/s",
    );
    let (mut as_expected, mut popping, mut accelerations, mut errors) = (0, 0, Vec::new(), Vec::new());
    let (mut gap_deg, mut gap_mm, mut slides, mut moved) = (0.0_f64, 0.0_f64, Vec::new(), Vec::new());
    for studied in studied {
        let found = studied.find(&SearchSettings::default()).ok();
        let best = found.as_ref().and_then(|found| found.best());
        let expect = studied.expect.ok_or_else(|| studied.failed("no answer is expected"))?;
        let rate = studied.take.frame_rate_hz();
        let Some(best) = best else {
            as_expected += usize::from(expect != Expect::Loop);
            table.row(format_args!(
                "{} | {rate:.0} | {expect} | refused |{}",
                studied.file,
                " |".repeat(10)
            ));
            continue;
        };
        let low = !best.is_confident();
        let is_whole = best.whole.is_some();
        as_expected += usize::from(match expect {
            Expect::Loop => true,
            Expect::Warn => low,
            Expect::Refuse => is_whole,
        });
        let made = studied.make_first(found.as_ref().map_or(&[][..], |found| &found.candidates))?;
        let quality = studied.written_quality(&made, &made.loop_clip)?;
        popping += usize::from(quality.pops());
        gap_deg = gap_deg.max(quality.pose_gap_radians.to_degrees());
        gap_mm = gap_mm.max(1e3 * quality.pose_gap_metres);
        if expect == Expect::Loop {
            accelerations.push(quality.seam_acceleration_ratio);
            errors.extend(quality.seam_acceleration_error_ratio);
            slides.extend(quality.foot_slide_mps.map(|slide| 100.0 * slide));
            moved.extend(quality.displacement_metres.map(|metres| 1e3 * metres));
        }
        table.row(format_args!(
            "{} | {rate:.0} | {expect} | {}{} | {:.3} | {} | {} | {:.5} | {:.5} | {:.2} | {} | {:.0} | {} | {} | {}",
            studied.file,
            if is_whole { "whole clip" } else { "loop" },
            if low { ", low" } else { "" },
            best.source_period_secs,
            best.cycles,
            cell(best.cost_ratio, 3),
            quality.pose_gap_radians.to_degrees(),
            1e3 * quality.pose_gap_metres,
            quality.seam_acceleration_ratio,
            cell(quality.seam_acceleration_error_ratio, 3),
            100.0 * quality.seam_rank,
            cell(quality.take_rank.map(|rank| 100.0 * rank), 0),
            cell(quality.displacement_metres.map(|metres| 1e3 * metres), 1),
            cell(quality.foot_slide_mps.map(|speed| 1e2 * speed), 1),
        ));
    }
    sections.add("every-take", table);
    let mut summary = Table::new(
        "takes as expected | loops that pop | largest C0 deg | mm | acceleration | error | mm | foot slide cm/s",
    );
    summary.row(format_args!(
        "{as_expected} of {} | {popping} | {gap_deg:.5} | {gap_mm:.5} | {:.2} | {:.3} | {:.1} | {:.1}",
        studied.len(),
        median(accelerations),
        median(errors),
        median(moved),
        median(slides),
    ));
    sections.add("all-takes", summary);
    Ok(())
}

/// Seams of the distinct loops of takes, closed by each method under comparison.
fn seam_ranks(loops: &[&Studied], is_halved: bool) -> Result<Table, String> {
    let closures = [
        ("quintic C2 (default)", Some(Order::C2)),
        ("quintic C1", Some(Order::C1)),
        ("raw cut", None),
    ];
    let mut ranks = [Ranks::default(), Ranks::default(), Ranks::default()];
    let mut own = Ranks::default();
    for studied in loops {
        cuts::for_each(studied, is_halved, |candidate, sampling| {
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
                let made = studied.make(candidate, &settings)?;
                let quality = match order {
                    Some(_) => studied.written_quality(&made, &made.loop_clip)?,
                    None => studied.written_quality(&made, &unclosed(&made)?)?,
                };
                ranks.0.push(100.0 * quality.seam_rank);
                if *order == Some(Order::C2) {
                    own.0.extend(quality.take_rank.map(|rank| 100.0 * rank));
                }
            }
            Ok(())
        })?;
    }
    let mut table = Table::new("closure | takes | cuts | mean rank | standard error | above 90");
    let named = closures.iter().map(|(name, _)| *name).zip(&ranks);
    for (name, ranks) in named.chain([("the take's own frames there", &own)]) {
        table.row(format_args!(
            "{name} | {} | {} | {}",
            loops.len(),
            ranks.0.len(),
            ranks.cells()
        ));
    }
    Ok(table)
}

/// Number of synthetic walks with random settings.
const WALKS: u64 = 200;

/// Loops of synthetic walks, compared with the truth.
fn synthetic() -> Result<Table, String> {
    let (mut found_walks, mut fundamental, mut within_half) = (0, 0, 0);
    let mut errors = Vec::new();
    for seed in 0..WALKS {
        let walk = synthesize(&random_settings(seed)).map_err(|error| error.to_string())?;
        let truth = &walk.truth;
        let studied = Studied::of("a synthetic walk", walk.take)?;
        let Some(best) = studied.recommended()? else {
            continue;
        };
        found_walks += 1;
        let cycles = f64::from(best.cycles);
        let dt = studied.take.frame_time_secs();
        let period = truth.period_from(best.cut.start_frame() * dt, cycles);
        let counted = (best.source_period_secs / (cycles * truth.period_secs) - 1.0).abs() < 0.2;
        fundamental += usize::from(counted);
        let error = ((best.source_period_secs - period) / dt).abs();
        if counted {
            within_half += usize::from(error <= 0.5);
            errors.push(error);
        }
    }
    let mut table = Table::new(
        "walks | loop found | cycles counted right | period within half a frame | error of the period in frames: median | \
         99th percentile | worst",
    );
    let errors: Sorted = errors.into_iter().collect();
    table.row(format_args!(
        "{WALKS} | {found_walks} | {fundamental} | {within_half} | {}",
        errors.spread(&[0.5, 0.99, 1.0], 3, " | ")
    ));
    Ok(table)
}
