//! Measurements of symmetric loops: half a cycle of every real take, closed against its mirror image.

use std::{fmt::Write, path::Path};

use glam::DVec3;
use loopwright::{
    candidate::{self, LoopCandidate, SearchSettings},
    loop_clip::LoopClip,
    pipeline::{self, LoopSettings},
    quality::{self, LoopKeys, Quality},
    take::{Mirror, mirror::SymmetricPose},
};

use crate::{
    manifest::Row,
    road::{Studied, median, study},
};

/// A symmetric loop of a take, beside the plain one.
struct Measured {
    plain_secs: Option<f64>,
    best: LoopCandidate,
    quality: Quality,
    asymmetry_metres: f64,
}

/// The page as Markdown.
pub(crate) fn page(folder: &Path, rows: &[Row]) -> Result<String, String> {
    let studied = study(folder, rows.iter().filter(|row| row.expect == "loop"))?;
    let mut page = String::from(
        "# Symmetric loops, measured\n\n\
         Written by `cargo xtask measure symmetric`; nothing here is typed by hand but the words. Every take that the list\n\
         expects to loop: the recommended half cycle, closed against its mirror image by the default method\n\
         ([mirror.md](../math/mirror.md)). Cycle: seconds of one cycle, here and of the plain recommended loop. Ratio: cost of\n\
         the seam over that of random frames. Off: farthest that any joint of the second half is from the mirror image of the\n\
         first, seen from the root, bones of equal length assumed; rounding, and what the two sides' bones differ by. Pose:\n\
         whether the skeleton at rest or the mean pose of the take is the symmetric one. The rest as in\n\
         [measures.md](../math/measures.md), displacement from the half and its image.\n\n\
         | take | pose | cycle s | plain s | cycles | ratio | rank | error | peak | mm | deg | skate cm/s | off mm |\n\
         | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    let (mut ranks, mut displacements, mut agreeing, mut pops, mut refused) =
        (Vec::new(), Vec::new(), 0, 0, Vec::new());
    for each in &studied {
        let yaw = |frame: usize| each.analysis.heading.yaw(frame);
        let mirror = match Mirror::of(&each.take, &[], yaw) {
            Ok(mirror) => mirror,
            Err(error) => {
                refused.push(format!("{}: {error}", each.row.file));
                continue;
            }
        };
        let Some(measured) = measure(each, &mirror)? else {
            refused.push(format!("{}: no half cycle that its image continues", each.row.file));
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
        let cell = |value: Option<f64>, decimals: usize| {
            value.map_or_else(|| "-".to_owned(), |value| format!("{value:.decimals$}"))
        };
        let _ = writeln!(
            page,
            "| {} | {} | {cycle_secs:.3} | {} | {} | {} | {:.0} | {} | {:.2} | {} | {} | {} | {:.1} |",
            each.row.file,
            match mirror.symmetric_pose() {
                SymmetricPose::Rest => "rest",
                SymmetricPose::Mean => "mean",
            },
            cell(plain_secs, 3),
            best.cycles,
            cell(best.cost_ratio, 3),
            100.0 * quality.seam_rank,
            cell(quality.seam_acceleration_error, 3),
            quality.seam_acceleration_p99,
            cell(quality.displacement_metres.map(|metres| 1e3 * metres), 1),
            cell(quality.displacement_radians.map(f64::to_degrees), 2),
            cell(quality.skate_mps.map(|speed| 1e2 * speed), 1),
            1e3 * asymmetry_metres,
        );
    }
    let _ = writeln!(
        page,
        "\n{} loops of {} takes; {pops} pop. Cycle within 5% of the plain loop's: {agreeing}. Median rank {:.0}, median\n\
         displacement {:.1} mm.\n\nWithout a symmetric loop:\n",
        ranks.len(),
        studied.len(),
        median(&mut ranks.clone()),
        median(&mut displacements)
    );
    for line in refused {
        let _ = writeln!(page, "- {line}");
    }
    Ok(page)
}

/// The recommended symmetric loop of a take; `None` where it has none.
fn measure(each: &Studied<'_>, mirror: &Mirror) -> Result<Option<Measured>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", each.row.file);
    let find = |mirror: Option<Mirror>| {
        let settings = SearchSettings {
            pairing: mirror.into(),
            ..SearchSettings::default()
        };
        candidate::find(&each.take, &each.analysis, &settings).map_err(|error| failed(&error))
    };
    let plain = find(None)?;
    let Some(best) = find(Some(mirror.clone()))?.best().cloned() else {
        return Ok(None);
    };
    let settings = LoopSettings {
        mirror: Some(mirror.clone()),
        ..LoopSettings::default()
    };
    let made = pipeline::make(&each.take, &each.analysis, &best.cut, best.cycles, &settings)
        .map_err(|error| failed(&error))?;
    let keys = LoopKeys::of_loop(&made.loop_clip);
    Ok(Some(Measured {
        plain_secs: (plain.best()).map(|plain| plain.source_period_secs / f64::from(plain.cycles)),
        best,
        quality: quality::measure(&keys, &each.analysis.body, Some(&made.source)),
        asymmetry_metres: asymmetry(&made.loop_clip, mirror),
    }))
}

/// Farthest that a joint of the second half is from the image of the first, seen from the root, metres.
fn asymmetry(clip: &LoopClip, mirror: &Mirror) -> f64 {
    let half = clip.num_samples() / 2;
    let mut farthest = 0.0_f64;
    for key in 0..half {
        let [(before, _), (after, _)] = [key, key + half].map(|key| clip.world_pose(key));
        let [from, to] = [key, key + half].map(|key| clip.root_pose(key).inverse());
        for (joint, &place) in before.iter().enumerate() {
            let seen = from.transform_point(place) * DVec3::new(-1.0, 1.0, 1.0);
            let image = to.transform_point(after[mirror.partner(joint)]);
            farthest = farthest.max((seen - image).length());
        }
    }
    farthest
}
