//! The answer of `make` for several animations.

use loopwright_formats::loop_file::{AnimationFacts, AnimationOutcome, PackSidecar};

use super::{
    figures::{counted, gap},
    table::{Table, optional, or_dash},
};

/// Lists the outcome of every animation as a table.
pub fn human(pack: &PackSidecar) -> String {
    let mut text = format!("{}\n", pack.outputs.first().map_or("", String::as_str));
    let mut table = Table::new("<animation | <kind | <done | m/s | <gap before | <gap after | <grade");
    for animation in &pack.animations {
        table.row(row(animation));
    }
    text += &table.render();
    let count = |outcome: AnimationOutcome| {
        pack.animations
            .iter()
            .filter(|animation| animation.outcome == outcome)
            .count()
    };
    let counts: Vec<String> = AnimationOutcome::ALL
        .into_iter()
        .map(|outcome| (outcome, count(outcome)))
        .filter(|&(_, count)| count > 0)
        .map(|(outcome, count)| format!("{count} {outcome}"))
        .collect();
    text += &format!(
        "{}: {}\n",
        counted(pack.animations.len(), "animation"),
        counts.join(", ")
    );
    for output in pack.outputs.iter().skip(1) {
        text += &format!("{output}\n");
    }
    text
}

fn row(animation: &AnimationFacts) -> Vec<String> {
    let done = match (animation.outcome, animation.start_frame, animation.end_frame) {
        (AnimationOutcome::Cut, Some(start), Some(end)) => format!("cut {start:.0}-{end:.2}"),
        (outcome, ..) => match &animation.reason {
            Some(reason) => format!("{outcome}: {reason}"),
            None => outcome.to_string(),
        },
    };
    vec![
        animation.name.clone(),
        or_dash(animation.kind.as_ref()),
        done,
        optional(animation.speed_mps, 2),
        gap(animation.gap_before_mm, animation.gap_before_deg),
        gap(animation.gap_after_mm, animation.gap_after_deg),
        or_dash(animation.grade),
    ]
}
