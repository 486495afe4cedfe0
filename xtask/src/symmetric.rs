//! Symmetric loops: half a cycle of every real take, closed against its mirror image.

use glam::DVec3;
use loopwright::{
    LoopCandidate, LoopClip, LoopSettings, Quality, SearchSettings,
    mirror::{Mirror, Pairing, SymmetricPose},
};

use crate::{
    page::Sections,
    statistics::median,
    table::{Table, cell, list},
    takes::{Captured, Studied},
};

/// A symmetric loop of a take, compared with the plain one.
struct Measured {
    plain_secs: Option<f64>,
    best: LoopCandidate,
    quality: Quality,
    asymmetry_metres: f64,
}

pub(crate) fn measure(captured: &Captured) -> Result<Sections, String> {
    let studied = captured.loops()?;
    let mut table = Table::new(
        "take | pose | cycle s | plain s | cycles | ratio | rank | error | peak | mm | deg | foot slide cm/s | off mm",
    );
    let (mut ranks, mut displacements, mut agreeing, mut pops, mut refused) =
        (Vec::new(), Vec::new(), 0, 0, Vec::new());
    for each in &studied {
        let mirror = match each.analysis.mirror(&[]) {
            Ok(mirror) => mirror,
            Err(error) => {
                refused.push(each.failed(error));
                continue;
            }
        };
        let Some(measured) = symmetric_loop(each, &mirror)? else {
            refused.push(each.failed("no half cycle that its image continues"));
            continue;
        };
        let Measured {
            plain_secs,
            best,
            quality,
            asymmetry_metres,
        } = measured;
        let cycle_secs = best.source_period_secs / f64::from(best.cycles);
        if plain_secs.is_some_and(|plain| (plain / cycle_secs - 1.0).abs() < 0.05) {
            agreeing += 1;
        }
        ranks.push(100.0 * quality.seam_rank);
        displacements.extend(quality.displacement_metres.map(|metres| 1e3 * metres));
        pops += usize::from(quality.pops());
        table.row(format_args!(
            "{} | {} | {cycle_secs:.3} | {} | {} | {} | {:.0} | {} | {:.2} | {} | {} | {} | {:.1}",
            each.file,
            match mirror.symmetric_pose() {
                SymmetricPose::Rest => "rest",
                SymmetricPose::Mean => "mean",
            },
            cell(plain_secs, 3),
            best.cycles,
            cell(best.cost_ratio, 3),
            100.0 * quality.seam_rank,
            cell(quality.seam_acceleration_error_ratio, 3),
            quality.seam_acceleration_ratio,
            cell(quality.displacement_metres.map(|metres| 1e3 * metres), 1),
            cell(quality.displacement_radians.map(f64::to_degrees), 2),
            cell(quality.foot_slide_mps.map(|speed| 1e2 * speed), 1),
            1e3 * asymmetry_metres,
        ));
    }
    let mut summary = Table::new("loops | takes | pop | cycle within 5% of the plain loop's | median rank | median mm");
    summary.row(format_args!(
        "{} | {} | {pops} | {agreeing} | {:.0} | {:.1}",
        ranks.len(),
        studied.len(),
        median(ranks),
        median(displacements)
    ));
    let mut sections = Sections::default();
    sections.add("every-take", table);
    sections.add("all-takes", summary);
    sections.add("without-a-loop", list(&refused));
    Ok(sections)
}

/// The recommended symmetric loop of a take; `None` if it has none.
fn symmetric_loop(each: &Studied, mirror: &Mirror) -> Result<Option<Measured>, String> {
    let searched = SearchSettings {
        pairing: Pairing::Mirrored(mirror.clone()),
        ..SearchSettings::default()
    };
    let Some(best) = each.find(&searched)?.best().cloned() else {
        return Ok(None);
    };
    let made = each.make(&best, &LoopSettings::default())?;
    Ok(Some(Measured {
        plain_secs: (each.recommended()?).map(|plain| plain.source_period_secs / f64::from(plain.cycles)),
        best,
        quality: each.quality(&made, &made.loop_clip),
        asymmetry_metres: asymmetry(&made.loop_clip, mirror),
    }))
}

/// Largest distance of a joint in the second half from its mirror image in the first, relative to the root, metres.
fn asymmetry(clip: &LoopClip, mirror: &Mirror) -> f64 {
    let half = clip.num_samples() / 2;
    let mut farthest = 0.0_f64;
    for key in 0..half {
        let [before, after] = [key, key + half].map(|key| clip.world_pose(key).translations);
        let [from, to] = [key, key + half].map(|key| clip.root_pose(key).inverse());
        for (joint, &position) in before.iter().enumerate() {
            let seen = from.transform_point(position) * DVec3::new(-1.0, 1.0, 1.0);
            let image = to.transform_point(after[mirror.partner(joint)]);
            farthest = farthest.max((seen - image).length());
        }
    }
    farthest
}
