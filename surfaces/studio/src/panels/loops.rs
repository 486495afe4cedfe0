//! The chosen loop: its ends, its figures, and notes about the take.

use eframe::egui::{Grid, Ui};
use loopwright_core::candidate::{MissReason, OutcomePart};

use super::{edged_ui, row_ui, settings::number, turning, weak_line_ui};
use crate::{
    focus::named,
    model::{Action, MIN_FRAMES, Model, Opened, Stretch},
};

pub fn loops_ui(ui: &mut Ui, model: &Model) {
    let Some(opened) = model.opened() else { return };
    if opened.found.candidates.is_empty() {
        no_loops_ui(ui, model, opened);
    }
    ends_ui(ui, model, opened);
    figures_ui(ui, model);
    for warning in &opened.warnings {
        let words = without_flags(warning);
        if !words.is_empty() {
            ui.weak(words);
        }
    }
}

/// Shows why there are no loops, and what to do about it.
fn no_loops_ui(ui: &mut Ui, model: &Model, opened: &Opened) {
    match &opened.no_loops {
        Some(why) => ui.label(format!("There is no loop in it: {why}.")),
        None => ui.label("No stretch of this take repeats."),
    };
    if let Some(miss) = opened.found.nearest_miss {
        ui.label(format!(
            "The nearest is {:.2} s long: {}.",
            miss.period_secs,
            reason(&miss.reason)
        ));
        if ui.button("Close the nearest all the same").clicked() {
            let [start_frame, end_frame] = [miss.pair.start_frame, miss.pair.end_frame].map(|frame| frame as f64);
            model.ask(Action::Choose(Stretch::Frames { start_frame, end_frame }));
        }
    }
    if opened.can_close() {
        ui.label("Drag the ends in the bar below to close frames of your own choice.");
    }
}

/// Returns the text of a warning without its advice about command-line flags.
pub fn without_flags(warning: &str) -> String {
    let mut words = warning.to_owned();
    while let Some(at) = words.find("--") {
        // A flag in brackets is removed with the brackets, another one with its clause.
        let (from, to) = match (words[..at].rfind('('), words[at..].find(')')) {
            (Some(from), Some(to)) if !words[from..at].contains(')') => (from, at + to + 1),
            _ => (words[..at].rfind(';').unwrap_or(0), words.len()),
        };
        words.replace_range(words[..from].trim_end().len()..to, "");
    }
    words
}

/// Shows the ends of the stretch as numbers.
fn ends_ui(ui: &mut Ui, model: &Model, opened: &Opened) {
    let Some(ends) = model.ends() else { return };
    let reach = [0.0..=ends[1] - MIN_FRAMES, ends[0] + MIN_FRAMES..=opened.last_frame()];
    ui.horizontal(|ui| {
        for (end, (name, reach)) in ["Start frame", "End frame"].into_iter().zip(reach).enumerate() {
            let label = ui.label(name);
            let mut frame = ends[end];
            let field = number(&mut frame).speed(0.2).range(reach).update_while_editing(false);
            let response = named(edged_ui(ui, |ui| ui.add(field)).labelled_by(label.id), name)
                .on_hover_text(["[ takes the time shown", "] takes the time shown"][end]);
            if response.changed()
                && let Some(stretch) = model.with_end(end, frame)
            {
                let choose = if response.dragged() {
                    Action::Drag
                } else {
                    Action::Choose
                };
                model.ask(choose(stretch));
            } else if response.drag_stopped() {
                model.ask_all(model.edit().map(|edit| Action::Choose(edit.stretch)));
            }
        }
        let word = match model.edit().map(|edit| edit.stretch) {
            Some(Stretch::Frames { .. }) => "chosen by hand",
            _ => "as found",
        };
        // A wider row would widen the panel, and move the bar under the mouse that drags its ends.
        weak_line_ui(ui, word);
    });
}

/// Height of a row of figures, points.
const FIGURE_POINTS: f32 = 16.0;

/// Shows the figures of the loop and of its stretch; the verdict is at the top.
fn figures_ui(ui: &mut Ui, model: &Model) {
    let (Some(chosen), Some(made)) = (model.chosen(), model.made()) else {
        return;
    };
    let quality = &made.quality;
    let gap = made.done.made.closed.seam.largest();
    let mut rows = vec![
        (
            "Frames",
            format!("{:.2} to {:.2}", chosen.cut.start_frame(), chosen.cut.end_frame()),
        ),
        ("Cycles", chosen.cycles.to_string()),
        ("Speed", format!("{:.2} m/s", chosen.twist.linear.length())),
        ("Turn rate", turning(chosen.twist.angular.y, 1)),
        (
            "Pose gap, uncut",
            format!("{:.1} mm, {:.2}\u{b0}", 1e3 * gap.position, gap.angle.to_degrees()),
        ),
        (
            "Pose gap, closed",
            small(1e3 * quality.pose_gap_metres, " mm, ") + &small(quality.pose_gap_radians.to_degrees(), "\u{b0}"),
        ),
        ("Step beyond own motion", small(1e3 * quality.seam.excess_metres, " mm")),
        (
            "Seam percentile",
            format!("{:.0} of its own steps", 1e2 * quality.seam_rank),
        ),
    ];
    let given =
        |value: Option<f64>, factor: f64, unit: &str| value.map(|value| format!("{:.1} {unit}", factor * value));
    let more = [
        (
            "Seam cost",
            chosen
                .cost_ratio
                .map(|ratio| format!("{:.0}% of random frames", 1e2 * ratio)),
        ),
        (
            "Autocorrelation",
            chosen.strength.map(|strength| format!("{strength:.2}")),
        ),
        ("Displacement", given(quality.displacement_metres, 1e3, "mm on average")),
        ("Foot sliding", given(quality.foot_slide_mps, 1e2, "cm/s")),
        (
            "Longest slide",
            given(quality.farthest_slide.map(|slide| slide.metres), 1e3, "mm"),
        ),
        (
            "Jumps inside",
            (chosen.num_jumps > 0).then(|| chosen.num_jumps.to_string()),
        ),
    ];
    rows.extend(more.into_iter().filter_map(|(name, value)| Some((name, value?))));
    Grid::new("figures")
        .num_columns(2)
        .striped(true)
        .min_row_height(FIGURE_POINTS)
        .spacing([16.0, 2.0])
        .show(ui, |ui| {
            for (name, value) in rows {
                row_ui(ui, name, value);
            }
        });
    if let (Some(outcome), Some(row)) = (&chosen.outcome, model.chosen_row()) {
        let mut parts: Vec<_> = PARTS.into_iter().zip(outcome.parts()).collect();
        parts.sort_by(|one, other| other.1.total_cmp(&one.1));
        let most: Vec<String> = parts
            .iter()
            .take(MOST_PARTS)
            .map(|(part, value)| format!("{part} {value:.2}"))
            .collect();
        ui.weak(format!(
            "Ranked {} of {} by a score of {:.2}, the lower the better: {}. The grade judges the loop as it is made.",
            row + 1,
            model.opened().map_or(0, |opened| opened.found.candidates.len()),
            outcome.score(),
            most.join(", ")
        ));
    }
}

/// Most parts of a score that are named.
const MOST_PARTS: usize = 3;

/// Names of the parts, in the order of [`OutcomePart::ALL`].
const PARTS: [&str; OutcomePart::ALL.len()] = [
    "seam gap",
    "displacement",
    "speed drift",
    "turn drift",
    "abruptness",
    "cycles",
    "foot sliding",
    "knee pops",
    "uneven turn",
    "uneven pace",
    "foot height",
    "jerk",
    "veer",
];

/// Words why the nearest stretch is no loop.
fn reason(reason: &MissReason) -> String {
    match reason {
        MissReason::CostRatio { found } => format!("its seam cost is {:.0}% of random frames", 1e2 * found),
        MissReason::Strength { found } => format!("its autocorrelation is only {found:.2}"),
        MissReason::NoRhythm { .. } => "it repeats equally at every length, as drift does".to_owned(),
        MissReason::SeenOnce => "too little of it is seen twice".to_owned(),
        MissReason::RootMotion { .. } => "its motion does not match the search".to_owned(),
        MissReason::Cycles { found } => format!("it has {found} cycles"),
    }
}

/// Formats a figure as precisely as a person can use it.
fn small(value: f64, unit: &str) -> String {
    if value < 0.001 {
        format!("< 0.001{unit}")
    } else {
        format!("{value:.3}{unit}")
    }
}
