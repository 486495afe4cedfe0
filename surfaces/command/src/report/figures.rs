//! Root motion, feet and figures of loops as text, and the line about a take.

use std::fmt::Display;

use loopwright_core::{
    RootMode,
    candidate::{LastKey, OutcomePart, WholeClipKind},
    root_motion::RootSpace,
};
use loopwright_formats::loop_file::facts::{
    CandidateFacts, FeetFacts, FootTreatment, QualityFacts, RootMotionFacts, TakeFacts, WholeClipFacts,
};

use super::table::{optional, rate};

/// Returns the first line of every answer: the take's file, its length and its space.
pub fn headline(take: &TakeFacts) -> String {
    if take.frames == 1 {
        return format!(
            "{}: no motion, {} joints, unit {}, {} up\n",
            take.file, take.joints, take.unit, take.up
        );
    }
    format!(
        "{}: {} frames, {:.2} s at {} fps, {} joints, unit {}, {} up\n",
        take.file,
        take.frames,
        duration_secs(take),
        rate(take.fps),
        take.joints,
        take.unit,
        take.up
    )
}

/// Seconds from the first frame to the last.
pub fn duration_secs(take: &TakeFacts) -> f64 {
    take.frames.saturating_sub(1) as f64 * take.frame_time_secs
}

pub fn root_motion(root: &RootMotionFacts) -> String {
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
        let [x, y, z] = root.angular_velocity_radps;
        let rate = (x * x + y * y + z * z).sqrt();
        text += &format!(", turning {:.2} deg/s about any axis{radius}", rate.to_degrees());
    } else {
        text += &format!(", turning {:+.2} deg/s{radius}", root.turn_rate_dps);
    }
    // Below half a millimetre per second, it is rounding in the file.
    if root.climb_mps.abs() >= 5e-4 {
        text += &format!(", climbing {:+.3} m/s", root.climb_mps);
    }
    if is_in_place {
        text.push(')');
    }
    text
}

/// Words why the recommended loop has several cycles.
pub fn several_cycles(candidate: &CandidateFacts) -> Option<String> {
    let worse = match candidate.several_cycles_for? {
        OutcomePart::Price => "has a dearer seam",
        OutcomePart::Displacement => "is moved further by closing",
        OutcomePart::SpeedDrift => "changes its speed more",
        OutcomePart::TurnDrift => "changes its turning more",
        OutcomePart::Abruptness => "is rougher at its seam",
        OutcomePart::Cycles => "has more cycles",
        OutcomePart::FootSlide => "slides its feet more",
        OutcomePart::Knees => "jerks its knees more",
        OutcomePart::Turn => "turns less evenly",
        OutcomePart::Pace => "is farther from the take's usual pace",
        OutcomePart::FootHeight => "lifts or sinks its feet more",
        OutcomePart::Kink => "has a sharper jerk",
        OutcomePart::Veer => "veers more",
    };
    Some(format!("the best loop of fewer cycles {worse}"))
}

/// Words how the ends of a whole take meet.
pub fn whole_clip(whole: &WholeClipFacts) -> String {
    let meets = match whole.last_key {
        LastKey::Closing | LastKey::Repeated => {
            format!(
                "its ends meet within {:.1} mm and {:.1} deg",
                whole.gap_mm, whole.gap_deg
            )
        }
        LastKey::BeforeClosing => match whole.end_limits_frames {
            [low, high] if low == high && high > 0.0 => {
                format!("its last key, {high:.2} frames after the one before, is the first again")
            }
            [low, high] if low < 1.0 && high > 0.0 => {
                format!("its closing key was missing, {low:.2} to {high:.2} frames after the last")
            }
            _ => "its closing key was missing".to_owned(),
        },
    };
    let more = match whole.left_out {
        0 => String::new(),
        1 => "; a frame beside it is left out".to_owned(),
        left_out => format!("; {left_out} frames beside it are left out"),
    };
    let kind = match whole.kind {
        WholeClipKind::Loops => "already loops",
        WholeClipKind::EndsAsItBegins => "ends as it begins, but may be a single action",
        WholeClipKind::Cycle => "one cycle, closed",
        WholeClipKind::Mended => "loops, with its seam mended",
    };
    let by_name = if whole.by_name { ", by its name" } else { "" };
    format!("{kind}{by_name}; {meets}{more}")
}

/// Formats a pose gap for a cell of a table.
pub fn gap(mm: Option<f64>, deg: Option<f64>) -> String {
    match (mm, deg) {
        (Some(mm), Some(deg)) if mm < 0.005 && deg < 0.005 => "none".to_owned(),
        (Some(mm), Some(deg)) => format!("{mm:.2} mm, {deg:.2} deg"),
        _ => "-".to_owned(),
    }
}

/// Formats a figure that should be zero, to three decimals.
fn small(value: Option<f64>, unit: &str) -> String {
    match value {
        None => "-".to_owned(),
        Some(value) if value.abs() < 1e-3 => format!("below 0.001 {unit}"),
        Some(value) => format!("{value:.3} {unit}"),
    }
}

/// Words the step over the seam for the joint where it is most visible.
pub fn seam_step(quality: &QualityFacts) -> Option<String> {
    let (ratio, joint) = (quality.seam_step_ratio?, quality.seam_joint.as_ref()?);
    Some(format!(
        "{} mm, {} deg, {} m/s, {} deg/s; at most {ratio:.2} of what shows (joint {joint})",
        optional(quality.seam_step_mm, 2),
        optional(quality.seam_step_deg, 2),
        optional(quality.seam_velocity_step_mps, 2),
        optional(quality.seam_velocity_step_dps, 0)
    ))
}

/// Words the figures, one line each: those that a person can judge, and all others if `verbose`.
///
/// `displaced_from` names what the displacement is measured from, if joints were moved by more than closing.
pub fn figures(quality: &QualityFacts, verbose: bool, displaced_from: &str) -> String {
    let mut text = String::new();
    let mut line = |label, value: String| text += &labelled(label, value);
    if verbose {
        if let Some(step) = seam_step(quality) {
            line("seam step", step);
        }
        line(
            "pose gap",
            format!(
                "{}, {}",
                small(quality.pose_gap_deg, "deg"),
                small(quality.pose_gap_mm, "mm")
            ),
        );
        line("seam acceleration", {
            let error = quality
                .seam_acceleration_error_ratio
                .map_or_else(String::new, |error| format!("error {error:.3}, "));
            format!(
                "{error}{} of the loop's own peaks",
                optional(quality.seam_acceleration_ratio, 2)
            )
        });
        line("seam rank", {
            let take = quality
                .take_rank_percent
                .map_or_else(String::new, |rank| format!("; the take there {rank:.0}"));
            format!("{}{take} (50 is average)", optional(quality.seam_rank_percent, 0))
        });
    }
    if quality.displacement_mm.is_some() {
        line(
            "displacement",
            format!(
                "{} mm, {} deg on average{displaced_from}",
                optional(quality.displacement_mm, 1),
                optional(quality.displacement_deg, 1)
            ),
        );
    }
    line(
        "foot sliding",
        quality.foot_slide_cmps.map_or_else(
            || "no foot on the ground".to_owned(),
            |slide| match quality.foot_slide_mm {
                Some(farthest) => format!("at most {farthest:.1} mm per contact, {slide:.1} cm/s on average"),
                None => format!("{slide:.1} cm/s"),
            },
        ),
    );
    text
}

/// Words what was done to the feet.
pub fn held(feet: &FeetFacts) -> String {
    let names = |held: bool| -> String {
        feet.outcomes
            .iter()
            .filter(|foot| matches!(foot.outcome, FootTreatment::Held | FootTreatment::HeldInPart) == held)
            .map(|foot| match foot.outcome {
                FootTreatment::Held => foot.joint.clone(),
                FootTreatment::HeldInPart => format!("{} in part", foot.joint),
                outcome => format!("{} {outcome}", foot.joint),
            })
            .collect::<Vec<_>>()
            .join(", ")
    };
    if feet.outcomes.is_empty() {
        return "none detected".to_owned();
    }
    if !feet.held {
        return names(false);
    }
    let mut text = format!("{} locked", names(true));
    if let (Some(before), Some(after)) = (feet.foot_slide_before_cmps, feet.foot_slide_after_cmps) {
        text += &format!(": sliding from {before:.1} to {after:.1} cm/s");
    }
    if feet.hips_lowered_mm >= 0.1 {
        text += &format!(", hips lowered by up to {:.1} mm", feet.hips_lowered_mm);
    }
    let others = names(false);
    if !others.is_empty() {
        text += &format!("; {others}");
    }
    text
}

/// Returns a line with a label in front.
pub fn labelled(label: &str, what: impl Display) -> String {
    format!("  {label:<20} {what}\n")
}

pub use loopwright_formats::counted;
