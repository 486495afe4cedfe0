//! The panel of a played set: what plays, its grid of loops, their phases below each other, and its passages.

use eframe::egui::{self, Align2, FontId, Pos2, Rect, Response, Role, Sense, Stroke, Ui, pos2, vec2};
use loopwright_core::math::percentile::extremes;
use loopwright_player::{FootEventKind, Goal, MotionClip, PlayedSpace, Playing, SpaceAxis};

use super::chart::{Chart, SCROLL_POINTS};
use crate::{
    focus::{self, named},
    model::{Action, Model, SetLoop, Shown, Steer, Steered},
    theme,
};

/// Height of a grid, and of a loop's row, points; and the room for the loop's name and its share.
const GRID_POINTS: f32 = 130.0;
const ROW_POINTS: f32 = 16.0;
const NAME_POINTS: f32 = 110.0;
const SHARE_POINTS: f32 = 36.0;

pub fn played_ui(ui: &mut Ui, model: &Model) {
    let Some(steered) = model.steered() else { return };
    let playing = steered.hero.playing();
    let set = steered.hero.set();
    ui.horizontal(|ui| {
        let is_shown = model.shown() == Shown::Set;
        let is_here = model.steered_here().is_some();
        let show = egui::Button::selectable(is_shown, format!("Show the set {}", steered.name));
        let reason = format!("Go on with {} first: it has the body of the set", steered.file_name);
        if ui.add_enabled(is_here, show).on_disabled_hover_text(reason).clicked() {
            model.ask(Action::Show(if is_shown { Shown::Loop } else { Shown::Set }));
        }
        if ui.button("Close the set").clicked() {
            model.ask(Action::CloseSet);
        }
    });
    ui.weak("In the view: W A S D or arrows walk, Shift runs; or drag the stick.");
    for space in set.spaces().iter().filter(|space| !space.axes.is_empty()) {
        grid_ui(ui, steered, space, model);
    }
    phases_ui(ui, steered);
    let (actions, passages): (Vec<_>, Vec<_>) = set
        .clips()
        .iter()
        .filter(|clip| !clip.loops())
        .partition(|clip| clip.leave_secs.is_some());
    if !actions.is_empty() {
        ui.strong("Actions");
        ui.weak("A click plays one; over what plays, its upper body alone.");
    }
    egui::Grid::new("actions").num_columns(3).show(ui, |ui| {
        for clip in actions {
            clip_ui(ui, clip, &playing, model);
            let is_over = playing.over.is_some_and(|(over, _)| over.name == clip.name);
            let over = ui.selectable_label(is_over, "over");
            if named(over, &format!("Play {} over what plays", clip.name)).clicked() {
                model.ask(Action::PlayOver(clip.name.clone()));
            }
            ui.weak(format!("{}, {:.2} s", clip.kind, clip.seconds));
            ui.end_row();
        }
    });
    if !passages.is_empty() {
        ui.strong("Starts, stops and turns");
    }
    egui::Grid::new("passages").num_columns(2).show(ui, |ui| {
        for clip in passages {
            clip_ui(ui, clip, &playing, model);
            let [from, to] = [&clip.from, &clip.to].map(|state| match state {
                Some(state) => set.clips()[state.loop_index].name.as_str(),
                None => "any",
            });
            ui.weak(format!("{from} to {to}, {:.2} s", clip.seconds));
            ui.end_row();
        }
    });
}

/// Shows a clip that happens once; a click plays it.
fn clip_ui(ui: &mut Ui, clip: &MotionClip, playing: &Playing, model: &Model) {
    if named(
        ui.selectable_label(playing.name == clip.name, &clip.name),
        &format!("Play {}", clip.name),
    )
    .clicked()
    {
        model.ask(Action::PlayClip(clip.name.clone()));
    }
}

/// Names an axis, with its unit.
fn axis_word(axis: SpaceAxis) -> &'static str {
    match axis {
        SpaceAxis::Speed => "speed, m/s",
        SpaceAxis::TurnRateDegrees => "turn, °/s",
        SpaceAxis::DirectionDegrees => "direction, °",
        SpaceAxis::Climb => "climb, m/s",
        SpaceAxis::Forward => "forward, m/s",
        SpaceAxis::Left => "left, m/s",
    }
}

/// Shows the loops so far of the set that is being made.
pub fn growing_ui(ui: &mut Ui, model: &Model) {
    let loops = model.work.loops();
    ui.strong(format!("Loops so far: {}", loops.len()));
    let points: Vec<[f64; 2]> = loops.iter().map(|found| [found.speed_mps, found.turn_dps]).collect();
    if points.is_empty() {
        return;
    }
    let axes = [SpaceAxis::Speed, SpaceAxis::TurnRateDegrees];
    let (chart, rect, _) = empty_grid_ui(ui, "the set being made", &axes, &points);
    let colours = theme::of(ui);
    for (SetLoop { name, .. }, point) in loops.iter().zip(points) {
        chart.dot(ui, point[0], point[1], colours.accent);
        name_ui(ui, rect, chart.at(point[0], point[1]), name);
    }
}

/// Shows a grid without its points, large enough for these, and its axes. Returns it with its rectangle.
fn empty_grid_ui(ui: &mut Ui, name: &str, axes: &[SpaceAxis], points: &[[f64; 2]]) -> (Chart, Rect, Response) {
    let (rect, response) = ui.allocate_exact_size(
        vec2(ui.available_width() - SCROLL_POINTS, GRID_POINTS),
        Sense::click_and_drag(),
    );
    let axes: Vec<&str> = axes.iter().map(|axis| axis_word(*axis)).collect();
    focus::label(
        &response,
        Role::Image,
        &format!("Loops of {name} by {}", axes.join(" and ")),
    );
    ui.painter().rect_filled(rect, 3.0, theme::of(ui).sunken);
    let [across, up] = [0, 1].map(|axis| {
        let (low, high) = extremes(points.iter().map(|point| point[axis]));
        let margin = (0.15 * (high - low)).max(0.1);
        [low - margin, high + margin]
    });
    let chart = Chart::over(rect.shrink2(vec2(24.0, 4.0)), across, up);
    for (corner, word) in [Align2::RIGHT_BOTTOM, Align2::LEFT_TOP].into_iter().zip(axes) {
        chart.word(ui, corner, word);
    }
    (chart, rect, response)
}

/// Names a point of a grid.
fn name_ui(ui: &Ui, rect: Rect, at: Pos2, name: &str) {
    let painter = ui.painter_at(rect);
    let colours = theme::of(ui);
    let (corner, aside) = if at.x > rect.center().x {
        (Align2::RIGHT_BOTTOM, -6.0)
    } else {
        (Align2::LEFT_BOTTOM, 6.0)
    };
    // A background keeps the name readable over lines.
    let name = painter.layout_no_wrap(name.to_owned(), FontId::proportional(10.5), colours.text);
    let place = corner.anchor_size(at + vec2(aside, -3.0), name.size());
    painter.rect_filled(place, 2.0, colours.sunken.gamma_multiply(0.85));
    painter.galley(place.min, name, colours.text);
}

/// Shows the loops of a space as points, and the point that is played; a click or drag sets speed and turn rate.
fn grid_ui(ui: &mut Ui, steered: &Steered, space: &PlayedSpace, model: &Model) {
    let (chart, rect, response) = empty_grid_ui(ui, &space.name, &space.axes, &space.points);
    points_ui(ui, rect, &chart, steered, space);
    let is_used = response.clicked() || response.dragged();
    if let Some(at) = response.interact_pointer_pos().filter(|_| is_used) {
        model.ask(Action::Show(Shown::Set));
        model.ask(Action::Steer(Steer::Goal(goal_at(space, chart.values(at)))));
    }
    response.on_hover_text("Click or drag: that speed and turn");
}

/// Draws the loops of a space, larger if they play, and the point that is played.
fn points_ui(ui: &Ui, rect: Rect, chart: &Chart, steered: &Steered, space: &PlayedSpace) {
    let playing = steered.hero.playing();
    let colours = theme::of(ui);
    let painter = ui.painter_at(rect);
    for simplex in &space.simplices {
        for (number, &from) in simplex.iter().enumerate() {
            let to = simplex[(number + 1) % simplex.len()];
            let ends = [from, to].map(|point| chart.at(space.points[point][0], space.points[point][1]));
            painter.line_segment(ends, Stroke::new(1.0, colours.ground_line.gamma_multiply(0.5)));
        }
    }
    for (&clip, point) in space.clips.iter().zip(&space.points) {
        let clip = &steered.hero.set().clips()[clip];
        let share = share_of(&playing, clip);
        let at = chart.at(point[0], point[1]);
        let colour = if share > 0.0 {
            colours.accent
        } else {
            colours.ground_line
        };
        painter.circle_filled(at, 3.0 + 4.0 * share as f32, colour);
        name_ui(ui, rect, at, &clip.name);
    }
    if let Some((_, at)) = playing.space.filter(|(shown, _)| shown.name == space.name) {
        painter.circle_stroke(chart.at(at[0], at[1]), 6.0, Stroke::new(2.0, colours.strong));
    }
}

/// Returns the goal that a point of a space stands for.
fn goal_at(space: &PlayedSpace, at: [f64; 2]) -> Goal {
    let mut goal = Goal::default();
    let mut velocity = [0.0; 2];
    for (axis, value) in space.axes.iter().zip(at) {
        match axis {
            SpaceAxis::Speed => goal.speed = value.max(0.0),
            SpaceAxis::TurnRateDegrees => goal.turn_rate = value.to_radians(),
            SpaceAxis::DirectionDegrees => goal.direction = value.to_radians(),
            SpaceAxis::Climb => goal.climb = value,
            SpaceAxis::Forward => velocity[0] = value,
            SpaceAxis::Left => velocity[1] = value,
        }
    }
    if velocity != [0.0; 2] {
        goal.speed = velocity[0].hypot(velocity[1]);
        goal.direction = velocity[1].atan2(velocity[0]);
    }
    goal
}

fn share_of(playing: &Playing, clip: &MotionClip) -> f64 {
    playing
        .clips
        .iter()
        .filter(|part| part.clip.name == clip.name)
        .map(|part| part.weight)
        .sum()
}

/// Draws when the feet of each loop stand, over a common phase, and the phase that is played.
fn phases_ui(ui: &mut Ui, steered: &Steered) {
    let playing = steered.hero.playing();
    let colours = theme::of(ui);
    let loops: Vec<&MotionClip> = steered.hero.set().clips().iter().filter(|clip| clip.loops()).collect();
    let (rect, response) = ui.allocate_exact_size(
        vec2(ui.available_width() - SCROLL_POINTS, ROW_POINTS * loops.len() as f32),
        Sense::hover(),
    );
    focus::label(&response, Role::Image, "Phases of the loops: when each foot stands");
    let painter = ui.painter_at(rect);
    let bars = rect
        .with_min_x(rect.left() + NAME_POINTS)
        .with_max_x(rect.right() - SHARE_POINTS);
    let x = |phase: f64| bars.left() + bars.width() * phase as f32;
    for (row, clip) in loops.iter().enumerate() {
        let top = rect.top() + ROW_POINTS * row as f32;
        let share = share_of(&playing, clip);
        let is_on = share > 0.0;
        let colour = if is_on { colours.strong } else { colours.weak };
        let percent = format!("{:.0}%", 1e2 * share);
        for (x, corner, text) in [
            (rect.left(), Align2::LEFT_TOP, clip.name.as_str()),
            (
                rect.right(),
                Align2::RIGHT_TOP,
                if is_on { percent.as_str() } else { "" },
            ),
        ] {
            painter.text(pos2(x, top + 1.0), corner, text, FontId::proportional(11.5), colour);
        }
        let ground = Rect::from_min_max(pos2(bars.left(), top + 2.0), pos2(bars.right(), top + ROW_POINTS - 2.0));
        painter.rect_filled(ground, 2.0, colours.sunken);
        for (foot, colour, lane) in [
            ("left", colours.left, ground.top() + 1.0),
            ("right", colours.right, ground.center().y),
        ] {
            for [from, to] in stances(clip, foot) {
                painter.rect_filled(
                    Rect::from_min_max(pos2(x(from), lane), pos2(x(to), lane + 4.5)),
                    1.0,
                    colour,
                );
            }
        }
    }
    if playing.space.is_some() {
        painter.vline(
            x(playing.phase.rem_euclid(1.0)),
            rect.y_range(),
            Stroke::new(1.0, colours.strong),
        );
    }
}

/// Returns the phases between which a foot stands; a stance over the end of the cycle gives two parts.
fn stances(clip: &MotionClip, foot: &str) -> Vec<[f64; 2]> {
    let phases_of = |kind: FootEventKind| {
        clip.events
            .iter()
            .filter(move |event| event.foot == foot && event.kind == kind)
            .map(|event| clip.phase_of(event).rem_euclid(1.0))
    };
    phases_of(FootEventKind::Strike)
        .filter_map(|strike| {
            let lasts = phases_of(FootEventKind::Lift).map(|lift| (lift - strike).rem_euclid(1.0));
            Some((strike, strike + lasts.min_by(f64::total_cmp)?))
        })
        .flat_map(|(from, to)| {
            if to > 1.0 {
                vec![[from, 1.0], [0.0, to - 1.0]]
            } else {
                vec![[from, to]]
            }
        })
        .collect()
}
