//! Root motion, feet and figures of loops in words, and the line about a take.

use std::fmt::Write;

use loopwright::root_motion::{RootMode, RootSpace};
use loopwright_formats::loop_file::facts::{FeetFacts, FootTreatment, QualityFacts, RootFacts};

use super::table::{optional, rate};
use crate::load::Loaded;

/// The first line of every answer: which take, how long, in what space.
pub(super) fn headline(loaded: &Loaded) -> String {
    let facts = loaded.facts();
    format!(
        "{}: {} frames, {:.2} s at {} fps, {} joints, unit {}, {} up\n",
        facts.file,
        facts.frames,
        loaded.take().duration_secs(),
        rate(loaded.take().frame_rate_hz()),
        facts.joints,
        facts.unit,
        facts.up
    )
}

/// The root motion in words.
pub(super) fn root_motion(root: &RootFacts) -> String {
    if root.mode == RootMode::Stationary {
        return "none".to_owned();
    }
    let is_in_place = root.mode == RootMode::InPlace;
    let mut text = if is_in_place {
        format!("in place ({:.3} m/s removed", root.speed_mps)
    } else {
        format!("{:.3} m/s", root.speed_mps)
    };
    let radius = root
        .radius_m
        .map_or_else(String::new, |radius| format!(" on a radius of {radius:.2} m"));
    if root.space == RootSpace::Full {
        let [x, y, z] = root.twist_angular_radps;
        let rate = (x * x + y * y + z * z).sqrt();
        let _ = write!(text, ", turning {:.2} deg/s about any axis{radius}", rate.to_degrees());
    } else {
        let _ = write!(text, ", turning {:+.2} deg/s{radius}", root.turn_dps);
    }
    // Below half a millimetre a second it is rounding of a file.
    if root.climb_mps.abs() >= 5e-4 {
        let _ = write!(text, ", climbing {:+.3} m/s", root.climb_mps);
    }
    if is_in_place {
        text.push(')');
    }
    text
}

/// A figure that should be zero, to three decimals.
fn small(value: Option<f64>, unit: &str) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() < 1e-3 => format!("below 0.001 {unit}"),
        Some(value) => format!("{value:.3} {unit}"),
    }
}

/// The figures, a line each.
pub(super) fn figures(quality: &QualityFacts) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(text, "  {label:<20} {value}");
    };
    line(
        "pose gap",
        format!("{}, {}", small(quality.c0_deg, "deg"), small(quality.c0_mm, "mm")),
    );
    if quality.c1_dps.is_some() {
        line(
            "velocity gap",
            format!("{}, {}", small(quality.c1_dps, "deg/s"), small(quality.c1_mmps, "mm/s")),
        );
    }
    line("seam acceleration", {
        let error = quality
            .seam_acceleration_error
            .map_or_else(String::new, |error| format!("error {error:.3}, "));
        format!(
            "{error}{} of the loop's own peaks (pops above 1.5)",
            optional(quality.seam_acceleration_p99, 2)
        )
    });
    line("seam rank", {
        let take = quality
            .take_rank
            .map_or_else(String::new, |rank| format!("; the take there {rank:.0}"));
        format!("{}{take} (50 is average)", optional(quality.seam_rank, 0))
    });
    if quality.displacement_mm.is_some() {
        line(
            "displacement",
            format!(
                "{} mm, {} deg",
                optional(quality.displacement_mm, 2),
                optional(quality.displacement_deg, 2)
            ),
        );
    }
    line(
        "foot sliding",
        quality.skate_cmps.map_or_else(
            || "no foot on the ground".to_owned(),
            |slide| format!("{slide:.1} cm/s"),
        ),
    );
    text
}

/// What became of the feet, in words.
pub(super) fn held(feet: &FeetFacts) -> String {
    let names = |held: bool| -> String {
        let of = feet
            .feet
            .iter()
            .filter(|foot| (foot.outcome == FootTreatment::Held) == held);
        let named = of.map(|foot| {
            if held {
                foot.joint.clone()
            } else {
                format!("{} {}", foot.joint, foot.outcome)
            }
        });
        named.collect::<Vec<_>>().join(", ")
    };
    if feet.feet.is_empty() {
        return "none detected".to_owned();
    }
    if !feet.held {
        return names(false);
    }
    let mut text = format!("{} held", names(true));
    if let (Some(before), Some(after)) = (feet.skate_before_cmps, feet.skate_after_cmps) {
        let _ = write!(text, ": sliding from {before:.1} to {after:.1} cm/s");
    }
    if feet.hips_lowered_mm >= 0.1 {
        let _ = write!(text, ", hips down by up to {:.1} mm", feet.hips_lowered_mm);
    }
    let others = names(false);
    if !others.is_empty() {
        let _ = write!(text, "; {others}");
    }
    text
}
