//! Answers of `report`, and the figures that its page shows of a loop.

use loopwright_formats::{
    Sidecar,
    loop_file::facts::{QualityFacts, RootMotionFacts, TakeFacts},
};

use super::{
    figures::{counted, gap, held, root_motion, seam_step, whole_clip},
    table::{optional, rate},
};

/// The answer of `report`.
#[in_schema]
pub struct ReportAnswer {
    /// Loops on the page.
    pub loops: usize,
    /// Passages of a set on it.
    pub passages: usize,
    /// Of the loops, the ones that are shown beside the stretch of their take.
    pub with_take: usize,
    /// Length of the page.
    pub page_bytes: usize,
    /// Files of which the page shows nothing.
    pub not_shown: Vec<NotShown>,
}

/// A file of which the page shows nothing.
#[in_schema]
pub struct NotShown {
    /// The file, and the animation in it if it holds several loops.
    pub file: String,
    /// Why nothing of it is shown.
    pub reason: String,
}

pub fn human(answer: &ReportAnswer, page: &str) -> String {
    let mut text = format!(
        "{page}: {}{}, {} beside their takes, {:.1} MB\n",
        counted(answer.loops, "loop"),
        match answer.passages {
            0 => String::new(),
            count => format!(" and {}", counted(count, "passage")),
        },
        answer.with_take,
        answer.page_bytes as f64 / 1e6
    );
    if !answer.not_shown.is_empty() {
        text += &format!("{} not shown: the page lists them\n", answer.not_shown.len());
    }
    text
}

/// Lists figures of a loop: labels, and values as people read them.
pub fn figures(
    take: &TakeFacts,
    root: &RootMotionFacts,
    quality: &QualityFacts,
    sidecar: Option<&Sidecar>,
) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    let of_take = sidecar.map_or(take, |sidecar| &sidecar.take);
    let animation = of_take
        .animation
        .as_ref()
        .map_or_else(String::new, |name| format!(", {name}"));
    if let Some(sidecar) = sidecar {
        let candidate = &sidecar.candidate;
        rows.push(("Take", format!("{}{animation}", of_take.file)));
        rows.push((
            "Frames",
            format!(
                "{:.1} to {:.1} of {}, at {} fps",
                candidate.start_frame,
                candidate.end_frame,
                of_take.frames,
                rate(of_take.fps)
            ),
        ));
        rows.push((
            "Length",
            format!(
                "{:.3} s, {} samples, {}{}",
                candidate.period_secs,
                sidecar.playback.samples,
                counted(candidate.cycles, "cycle"),
                match candidate.ping_pong_ease_frames {
                    _ if sidecar.variation.is_some() => ", each varied",
                    Some(_) => ", there and back",
                    None if candidate.mirrored => ", one half mirrored",
                    None => "",
                }
            ),
        ));
        if let Some(whole) = &candidate.whole_clip {
            rows.push(("Whole take", whole_clip(whole)));
        }
    } else {
        rows.push((
            "Keys",
            format!(
                "{} at {} fps; no sidecar, so they alone say how it loops",
                take.frames,
                rate(take.fps)
            ),
        ));
    }
    rows.push(("Joints", take.joints.to_string()));
    rows.push(("Root motion", root_motion(root)));
    if let Some(sidecar) = sidecar {
        rows.push((
            "Closing",
            format!(
                "{}, {:.2} s after the seam and {:.2} s before it",
                sidecar.closure.method, sidecar.closure.blend_start_secs, sidecar.closure.blend_end_secs
            ),
        ));
        if let Some(feet) = &sidecar.feet {
            rows.push(("Feet", held(feet)));
        }
    }
    rows.extend(seam_step(quality).map(|step| ("Seam step", step)));
    for (label, value, decimals, unit) in [
        ("Seam rank", quality.seam_rank_percent, 0, "% (50 is average)"),
        ("Moved by closing", quality.displacement_mm, 1, "mm on average"),
        ("Turned by closing", quality.displacement_deg, 1, "deg on average"),
        ("Foot sliding", quality.foot_slide_cmps, 1, "cm/s"),
        ("Farthest slide", quality.foot_slide_mm, 1, "mm per contact"),
    ] {
        if value.is_some() {
            rows.push((label, format!("{} {unit}", optional(value, decimals))));
        }
    }
    rows.push(("Pose gap", gap(quality.pose_gap_mm, quality.pose_gap_deg)));
    for warning in sidecar.iter().flat_map(|sidecar| &sidecar.warnings) {
        rows.push(("Warning", warning.clone()));
    }
    rows
}
