//! The loops found: a light and words first, figures on demand.

use eframe::egui::{DragValue, Grid, ProgressBar, Ui};
use loopwright_core::LoopCandidate;
use loopwright_core::candidate::{MissReason, OutcomePart};

use super::{animations::tick_ui, row_ui, turning, weak_line_ui};
use crate::focus::named;
use crate::grade::light_ui;
use crate::model::{Action, Judgement, MIN_FRAMES, Model, Opened, Stretch, Ticked};

/// Loops that are listed before one asks for more: the others are mostly the same, begun elsewhere.
const FIRST_LOOPS: usize = 5;

pub(crate) fn loops_ui(ui: &mut Ui, model: &Model) {
    let Some(opened) = model.opened() else {
        ui.label("No take yet.");
        return;
    };
    if opened.found.candidates.is_empty() {
        ui.label("No stretch of this take repeats.");
        if let Some(miss) = opened.found.nearest_miss {
            ui.label(format!(
                "The nearest is {:.2} s long: {}.",
                miss.period_secs,
                reason(&miss.reason)
            ));
        }
        ui.label("Drag the ends in the bar below to close frames of your own choice.");
    }
    let heads: Vec<usize> = (0..opened.found.candidates.len())
        .filter(|&index| opened.like(index).is_none())
        .collect();
    let (first, more) = heads.split_at(heads.len().min(FIRST_LOOPS));
    for &index in first {
        loops_alike_ui(ui, model, opened, index);
    }
    if !more.is_empty() {
        ui.collapsing(format!("{} more", more.len()), |ui| {
            for &index in more {
                loops_alike_ui(ui, model, opened, index);
            }
        });
    }
    ends_ui(ui, model, opened);
    numbers_ui(ui, model);
    for warning in &opened.warnings {
        ui.weak(format!("Note: {warning}"));
    }
}

/// The ends of the stretch as numbers.
fn ends_ui(ui: &mut Ui, model: &Model, opened: &Opened) {
    let Some(ends) = model.ends() else { return };
    let last = (opened.take().num_frames() - 1) as f64;
    let reach = [0.0..=ends[1] - MIN_FRAMES, ends[0] + MIN_FRAMES..=last];
    ui.horizontal(|ui| {
        for (end, (name, reach)) in ["Start frame", "End frame"].into_iter().zip(reach).enumerate() {
            let label = ui.label(name);
            let mut frame = ends[end];
            let drag = DragValue::new(&mut frame)
                .speed(0.2)
                .range(reach)
                .max_decimals(2)
                .update_while_editing(false);
            let response = named(ui.add(drag).labelled_by(label.id), name);
            let response = response.on_hover_text(["[ takes the time shown", "] takes the time shown"][end]);
            if response.changed()
                && let Some(stretch) = model.with_end(end, frame)
            {
                model.ask(if response.dragged() {
                    Action::Drag(stretch)
                } else {
                    Action::Choose(stretch)
                });
            } else if response.drag_stopped() {
                model.ask_all(model.edit().map(|edit| Action::Choose(edit.stretch)));
            }
        }
        let by_hand = matches!(model.edit().map(|edit| edit.stretch), Some(Stretch::Frames { .. }));
        let word = if by_hand { "chosen by hand" } else { "as found" };
        // A wider row would widen the panel, and move the bar below the mouse that drags its ends.
        weak_line_ui(ui, word);
    });
}

/// A loop, and behind it those that are the same, begun elsewhere.
fn loops_alike_ui(ui: &mut Ui, model: &Model, opened: &Opened, index: usize) {
    loop_ui(ui, model, opened, index);
    let all = index + 1..opened.found.candidates.len();
    let alike: Vec<usize> = all.filter(|&other| opened.like(other) == Some(index)).collect();
    if alike.is_empty() {
        return;
    }
    ui.indent(("alike", index), |ui| {
        let words = format!("{} like loop {}, begun elsewhere", alike.len(), index + 1);
        ui.collapsing(words, |ui| {
            for other in alike {
                loop_ui(ui, model, opened, other);
            }
        });
    });
}

fn loop_ui(ui: &mut Ui, model: &Model, opened: &Opened, index: usize) {
    let candidate = &opened.found.candidates[index];
    let judgement = model.judgement(index);
    let is_chosen = model.chosen_row() == Some(index);
    let mut text = format!("Loop {}: {:.2} s, ", index + 1, candidate.source_period_secs);
    text += judgement_word(judgement);
    if model.recommended() == Some(index) {
        text += ", recommended";
    }
    ui.horizontal(|ui| {
        let name = format!("loop {}", index + 1);
        tick_ui(ui, model, Ticked::Loop(index), &name);
        if let Judgement::Graded(grade) = judgement {
            light_ui(ui, grade);
        }
        if ui.selectable_label(is_chosen, text).clicked() {
            model.ask(Action::Choose(Stretch::Found(index)));
        }
        weak_line_ui(ui, what_it_does(opened, candidate));
    });
}

/// Returns the words about a loop before its kind.
pub(crate) fn judgement_word(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::NotYet => "not yet judged",
        Judgement::Impossible => "cannot be made",
        Judgement::Graded(grade) => grade.as_str(),
    }
}

/// Says what the body does in most of a loop, and how fast it goes.
fn what_it_does(opened: &Opened, candidate: &LoopCandidate) -> String {
    let Some(gait) = opened.gait_within(&candidate.cut) else {
        return String::new();
    };
    let speed = candidate.twist.linear.length();
    // The speed before the side, which a narrow panel cuts off first.
    match gait.side {
        _ if speed < LEAST_MPS => gait.to_string(),
        Some(side) => format!("{} {speed:.1} m/s, {side}", gait.kind),
        None => format!("{} {speed:.1} m/s", gait.kind),
    }
}

/// Slower than this, a speed is not written beside a loop, metres per second.
const LEAST_MPS: f64 = 0.05;

/// Shows the figures of the chosen stretch.
fn numbers_ui(ui: &mut Ui, model: &Model) {
    let Some(chosen) = model.chosen() else { return };
    ui.collapsing("Numbers of this stretch", |ui| {
        Grid::new("stretch").num_columns(2).show(ui, |ui| {
            let frames = format!("{:.2} to {:.2}", chosen.cut.start_frame(), chosen.cut.end_frame());
            row_ui(ui, "Frames", frames);
            row_ui(ui, "Cycles", chosen.cycles.to_string());
            row_ui(ui, "Speed", format!("{:.2} m/s", chosen.twist.linear.length()));
            row_ui(ui, "Turning", turning(chosen.twist.angular.y, 1));
            if let Some(ratio) = chosen.cost_ratio {
                row_ui(ui, "Seam, of a random one", format!("{:.0}%", 1e2 * ratio));
            }
            if let Some(strength) = chosen.strength {
                row_ui(ui, "Repeats here", format!("{strength:.2} of 1"));
            }
            row_ui(ui, "Steadiness", format!("{:.2} of 1", chosen.steadiness));
            row_ui(ui, "Abruptness", format!("{:.2}", chosen.abruptness));
            if chosen.num_jumps > 0 {
                row_ui(ui, "Jumps inside", chosen.num_jumps.to_string());
            }
        });
    });
    let Some(outcome) = &chosen.outcome else { return };
    ui.collapsing("Parts of its score", |ui| {
        Grid::new("score").num_columns(2).show(ui, |ui| {
            for (part, value) in OutcomePart::ALL.into_iter().zip(outcome.parts()) {
                ui.label(part_word(part));
                let bar = ProgressBar::new((value / WORST_PART) as f32).desired_width(120.0);
                ui.add(bar.corner_radius(2.0).text(format!("{value:.2}")));
                ui.end_row();
            }
        });
        ui.weak(format!(
            "Together {:.2}. 1 is what a person notices; less is better.",
            outcome.score()
        ));
    });
}

/// The most that a part of the score counts.
const WORST_PART: f64 = 3.0;

fn part_word(part: OutcomePart) -> &'static str {
    match part {
        OutcomePart::Price => "Gap at the seam",
        OutcomePart::Displacement => "Moved by closing",
        OutcomePart::SpeedDrift => "Change of speed",
        OutcomePart::TurnDrift => "Change of turning",
        OutcomePart::Abruptness => "Haste at the seam",
        OutcomePart::Cycles => "More cycles than needed",
        OutcomePart::FootSlide => "Foot sliding",
        OutcomePart::Knees => "Sharp knees",
        OutcomePart::Turn => "Turn in a part of it",
        OutcomePart::Pace => "Other pace than usual",
        OutcomePart::FootHeight => "Feet high or low",
        OutcomePart::Kink => "Jerks inside",
        OutcomePart::Veer => "Veering",
    }
}

/// Why the nearest stretch is no loop.
fn reason(reason: &MissReason) -> String {
    match reason {
        MissReason::CostRatio { found } => format!("its ends are apart by {:.0}% of random frames", 1e2 * found),
        MissReason::Strength { found } => format!("it repeats by {found:.2} only"),
        MissReason::NoRhythm { .. } => "it repeats equally at every length, as drift does".to_owned(),
        MissReason::SeenOnce => "too little of it is seen twice".to_owned(),
        MissReason::RootMotion { .. } => "its motion does not match the search".to_owned(),
        MissReason::Cycles { found } => format!("it has {found} cycles"),
    }
}

/// The figures of the loop, on demand: how good it is says the verdict at the top.
pub(crate) fn figures_ui(ui: &mut Ui, model: &Model) {
    let Some(made) = model.made() else { return };
    let quality = &made.quality;
    ui.collapsing("Numbers of this loop", |ui| {
        Grid::new("figures").num_columns(2).show(ui, |ui| {
            let gap = made.done.made.closed.seam.largest();
            let before = format!("{:.1} mm, {:.2} deg", 1e3 * gap.position, gap.angle.to_degrees());
            row_ui(ui, "Pose gap, uncut", before);
            let after = format!(
                "{}, {}",
                small(1e3 * quality.pose_gap_metres, "mm"),
                small(quality.pose_gap_radians.to_degrees(), "deg")
            );
            row_ui(ui, "Pose gap, closed", after);
            row_ui(
                ui,
                "Step beyond own motion",
                small(1e3 * quality.seam.excess_metres, "mm"),
            );
            row_ui(ui, "Rank of the seam", format!("{:.0} of 100", 1e2 * quality.seam_rank));
            if let (Some(metres), Some(radians)) = (quality.displacement_metres, quality.displacement_radians) {
                let moved = format!("{:.1} mm, {:.2} deg on average", 1e3 * metres, radians.to_degrees());
                row_ui(ui, "Moved from the take", moved);
            }
            if let Some(slide) = quality.foot_slide_mps {
                row_ui(ui, "Foot sliding", format!("{:.1} cm/s", 1e2 * slide));
            }
            if let Some(slide) = quality.farthest_slide {
                row_ui(ui, "Farthest slide", format!("{:.1} mm", 1e3 * slide.metres));
            }
        });
    });
}

/// A figure as far as a person can use it.
fn small(value: f64, unit: &str) -> String {
    if value < 0.001 {
        format!("below 0.001 {unit}")
    } else {
        format!("{value:.3} {unit}")
    }
}
