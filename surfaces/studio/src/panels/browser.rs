//! Takes, animations and loops as a tree of rows that can be sorted, searched, chosen, ticked and closed.

use std::{
    cmp::Ordering,
    sync::{Arc, Weak},
};

use eframe::egui::{
    Align, Align2, Checkbox, ComboBox, FontId, Id, Pos2, Rect, Role, ScrollArea, Sense, Stroke, TextEdit, Ui,
    UiBuilder, Vec2, WidgetInfo, pos2,
    text::{LayoutJob, TextWrapping},
    vec2,
};
use loopwright_core::analysis::Gait;
use loopwright_formats::loop_file::facts::Grade;
use loopwright_job::recipe::StudyArgs;

use super::{dropdown_ui, edged_ui};
use crate::{
    focus::{group, named},
    grade,
    icons::{self, Icon},
    model::{Action, Comparison, Judgement, Listed, Model, Opened, Sketch, Stretch, Ticked},
    theme,
};

/// Height of a row with its sketch, points; the least number of visible rows; and the share of the window that more rows may take.
const ROW_POINTS: f32 = 28.0;
const FEWEST_ROWS: f32 = 4.0;
const SHARE: f32 = 0.25;

/// Width of the columns of grade, speed, length and kind, from the right, points.
const COLUMNS: [f32; 4] = [56.0, 50.0, 48.0, 56.0];

/// Indent per level, points.
const LEVEL_POINTS: f32 = 12.0;

/// Room for the sign that closes a take, and for the scroll bar, points.
const CLOSE_POINTS: f32 = 24.0;
const SCROLL_POINTS: f32 = 8.0;

/// A sort order of rows: its name, and how two rows compare.
type Order = (&'static str, fn(&Row, &Row) -> Ordering);

/// The sort orders, the first that in which rows were opened or found.
const ORDERS: [Order; 6] = [
    ("as found", |_, _| Ordering::Equal),
    ("by name", |one, other| one.name.cmp(&other.name)),
    ("by kind", |one, other| one.is.kind.cmp(&other.is.kind)),
    ("by length", |one, other| {
        known(one.is.secs).total_cmp(&known(other.is.secs))
    }),
    ("by speed", |one, other| {
        known(one.is.mps).total_cmp(&known(other.is.mps))
    }),
    ("by grade", |one, other| {
        (one.grade.is_none(), one.grade).cmp(&(other.grade.is_none(), other.grade))
    }),
];

/// Returns a number to sort by; unknown ones come last.
fn known(value: Option<f64>) -> f64 {
    value.unwrap_or(f64::INFINITY)
}

/// The subject of a row.
#[derive(Debug, PartialEq)]
enum What {
    /// A take: by its number among the others, or the shown one.
    Take(Option<usize>),
    Animation(String),
    Loop(usize),
}

struct Row {
    what: What,
    level: u8,
    name: String,
    /// What screen readers announce in place of the columns.
    said: String,
    /// Its kind, length, speed and sketch.
    is: Listed,
    grade: Option<Grade>,
    is_shown: bool,
}

/// The search words, the sort order, and the take that is about to be closed.
#[derive(Default)]
pub struct Browser {
    wanted: String,
    /// The index of the sort order.
    by: usize,
    /// The name of the take's file: another take may be shown before the question is answered.
    closing: Option<String>,
    /// Sketches of bodies in the middle of stretches, drawn once.
    sketches: Vec<(Weak<Opened>, usize, Sketch)>,
    /// The row shown last; when it changes, the tree scrolls to it.
    shown: Option<(String, String, Option<usize>)>,
}

impl Browser {
    pub fn browser_ui(&mut self, ui: &mut Ui, model: &Model) {
        let Some(opened) = model.opened() else {
            ui.label("No take yet.");
            return;
        };
        if model.may_have_animations() {
            model.ask(Action::ListAnimations);
        }
        ui.horizontal(|ui| {
            let search = TextEdit::singleline(&mut self.wanted).desired_width(110.0);
            let search = edged_ui(ui, |ui| ui.add(search.hint_text("name, kind or grade")));
            named(search, "Search takes, animations and loops");
            let list = ComboBox::from_id_salt("sorted").width(76.0);
            dropdown_ui(ui, list.selected_text(ORDERS[self.by].0), "Sorted", |ui| {
                for (by, (word, _)) in ORDERS.into_iter().enumerate() {
                    ui.selectable_value(&mut self.by, by, word);
                }
            });
            let mut can_tick = model.ticked().is_some();
            let tip = "Tick takes, animations or loops, to export them together or to compare loops";
            if ui.checkbox(&mut can_tick, "Tick several").on_hover_text(tip).changed() {
                model.ask(Action::TickSeveral(can_tick));
            }
        });
        let rows = self.rows(model, opened);
        self.ticks_ui(ui, model, &rows);
        let shown = (
            opened.file_name.clone(),
            opened.take().name().to_owned(),
            model.chosen_row(),
        );
        let is_new = self.shown.replace(shown.clone()) != Some(shown);
        let place = rows.iter().rposition(|row| row.is_shown).filter(|_| is_new);
        let height = ROW_POINTS.max(ui.spacing().interact_size.y);
        let spacing = std::mem::replace(&mut ui.spacing_mut().item_spacing.y, 0.0);
        ScrollArea::vertical()
            .id_salt("clips")
            .max_height((SHARE * ui.ctx().content_rect().height()).max(FEWEST_ROWS * height))
            .auto_shrink([false, true])
            .show_viewport(ui, |ui, seen| {
                group(ui, Role::Tree, "Takes, animations and loops");
                let size = vec2(ui.available_width(), height * rows.len() as f32);
                let (all, _) = ui.allocate_exact_size(size, Sense::hover());
                for (number, row) in rows.iter().enumerate() {
                    let top = height * number as f32;
                    let rect = Rect::from_min_size(all.min + vec2(0.0, top), vec2(size.x, height));
                    if place == Some(number) {
                        ui.scroll_to_rect(rect, Some(Align::Center));
                    }
                    if top + height > seen.top() && top < seen.bottom() {
                        self.row_ui(ui, model, row, rect);
                    }
                }
            });
        ui.spacing_mut().item_spacing.y = spacing;
        self.closing_ui(ui, model, opened);
    }

    /// Lists the rows of the tree that match the search, sorted within their level.
    fn rows(&mut self, model: &Model, opened: &Arc<Opened>) -> Vec<Row> {
        let all = model
            .other_takes()
            .enumerate()
            .map(|(index, other)| (Some(index), other))
            .chain([(None, opened)]);
        let mut takes: Vec<Row> = all.map(|(index, take)| self.take_row(model, index, take)).collect();
        self.sort(&mut takes);
        let mut animations: Vec<Row> = model
            .animations()
            .map(|(name, listed, grade)| {
                let unknown = Listed {
                    kind: "...".to_owned(),
                    ..Listed::default()
                };
                let is = listed.cloned().unwrap_or(unknown);
                let secs = is.secs.map(|secs| format!("{secs:.2} s"));
                let said = [
                    Some(name),
                    Some(is.kind.as_str()),
                    secs.as_deref(),
                    grade.map(Grade::as_str),
                ];
                let said: Vec<&str> = said.into_iter().flatten().filter(|word| !word.is_empty()).collect();
                Row {
                    what: What::Animation(name.to_owned()),
                    level: 1,
                    name: name.to_owned(),
                    said: said.join(", "),
                    is,
                    grade,
                    is_shown: name == opened.take().name(),
                }
            })
            .collect();
        self.sort(&mut animations);
        let mut loops = self.loop_rows(model, opened, 1 + u8::from(!animations.is_empty()));
        self.sort(&mut loops);
        // Loops go below the shown animation, or without any below the shown take, and animations below that.
        let mut below = animations;
        let place = below.iter().position(|row| row.is_shown).map(|shown| shown + 1);
        if let Some(place) = place.or(below.is_empty().then_some(0)) {
            below.splice(place..place, loops);
        }
        let mut rows = takes;
        let shown = rows.iter().position(|row| row.is_shown).map_or(0, |shown| shown + 1);
        rows.splice(shown..shown, below);
        let wanted = self.wanted.to_lowercase();
        rows.retain(|row| {
            let all = format!("{} {} {}", row.said, row.is.kind, row.grade.map_or("", Grade::as_str)).to_lowercase();
            row.what == What::Take(None) || wanted.split_whitespace().all(|word| all.contains(word))
        });
        rows
    }

    fn take_row(&mut self, model: &Model, index: Option<usize>, take: &Arc<Opened>) -> Row {
        let name = &take.file_name;
        let motion = take.take();
        let (mark, unsaved) = if model.is_unsaved(index) {
            ("\u{2022} ", ", not written")
        } else {
            ("", "")
        };
        let best = take.found.best();
        Row {
            what: What::Take(index),
            level: 0,
            name: format!("{mark}{name}"),
            said: match index {
                Some(_) => format!("Go on with {name}{unsaved}"),
                None => format!("{name}, shown{unsaved}"),
            },
            is: Listed {
                kind: kind_of(best.and_then(|best| take.gait_within(&best.cut))),
                secs: Some(motion.duration_secs()),
                mps: best.map(|best| best.twist.linear.length()),
                sketch: self.sketch(take, motion.num_frames() / 2),
            },
            grade: model.grade_of(name, motion.name()),
            is_shown: index.is_none(),
        }
    }

    /// Lists the loops of the shown take; loops that equal an earlier one except for where they begin are indented below it.
    fn loop_rows(&mut self, model: &Model, opened: &Arc<Opened>, level: u8) -> Vec<Row> {
        opened
            .found
            .candidates
            .iter()
            .enumerate()
            .map(|(index, candidate)| {
                let judgement = model.judgement(index);
                let [best, recommended] = if model.recommended() == Some(index) {
                    [", best", ", recommended"]
                } else {
                    [""; 2]
                };
                let secs = candidate.source_period_secs;
                let number = index + 1;
                let word = match judgement {
                    Judgement::NotYet => "not yet judged",
                    Judgement::Impossible => "cannot be made",
                    Judgement::Graded(grade) => grade.as_str(),
                };
                let listed = Listed {
                    kind: kind_of(opened.gait_within(&candidate.cut)),
                    secs: Some(secs),
                    mps: Some(candidate.twist.linear.length()),
                    sketch: self.sketch(opened, candidate.cut.start_frame() as usize),
                };
                Row {
                    what: What::Loop(index),
                    level: level + u8::from(opened.like(index).is_some()),
                    name: format!("Loop {number}{best}"),
                    said: format!("Loop {number}: {secs:.2} s, {word}{recommended}"),
                    is: listed,
                    grade: judgement.grade(),
                    is_shown: model.chosen_row() == Some(index),
                }
            })
            .collect()
    }

    fn sort(&self, rows: &mut [Row]) {
        rows.sort_by(ORDERS[self.by].1);
    }

    fn row_ui(&mut self, ui: &mut Ui, model: &Model, row: &Row, rect: Rect) {
        let response = ui.interact(rect, Id::unique(("clip", format!("{:?}", row.what))), Sense::click());
        response.widget_info(|| WidgetInfo::selected(Role::TreeItem, true, row.is_shown, &row.said));
        response
            .ctx
            .accesskit_node_builder(response.id, |node| node.set_level(usize::from(row.level) + 1));
        let colours = theme::of(ui);
        if row.is_shown {
            ui.painter().rect_filled(rect, 4.0, colours.chosen);
        } else if response.hovered() || response.has_focus() {
            ui.painter().rect_filled(rect, 4.0, colours.raised);
        }
        let mut left = rect.left() + 4.0 + LEVEL_POINTS * f32::from(row.level);
        left += tick_ui(ui, model, row, pos2(left, rect.center().y));
        let body = Rect::from_min_size(pos2(left, rect.top() + 1.0), Vec2::splat(rect.height() - 2.0));
        paint_sketch(ui, &row.is.sketch, body);
        let mut right = rect.right() - CLOSE_POINTS - SCROLL_POINTS;
        let painter = ui.painter_at(rect);
        let figure = |value: Option<f64>, digits: usize, unit: &str| {
            value.map_or_else(String::new, |value| format!("{value:.digits$} {unit}"))
        };
        let mut graded = colours.weak;
        if let Some(grade) = row.grade {
            graded = grade::colour(grade, &colours);
            grade::paint_light(
                &painter,
                pos2(right - COLUMNS[0] + 10.0, rect.center().y),
                grade,
                graded,
            );
        }
        let grade = row.grade.map_or("", Grade::as_str).to_owned();
        let cells = [
            (grade, graded),
            (figure(row.is.mps, 1, "m/s"), colours.weak),
            (figure(row.is.secs, 2, "s"), colours.weak),
            (row.is.kind.clone(), colours.weak),
        ];
        for ((words, colour), width) in cells.into_iter().zip(COLUMNS) {
            // Weak words and those of grades cannot be read on the ground of the shown row.
            let colour = if row.is_shown { colours.text } else { colour };
            painter.text(
                pos2(right, rect.center().y),
                Align2::RIGHT_CENTER,
                words,
                theme::small(),
                colour,
            );
            right -= width;
        }
        let colour = if row.is_shown { colours.strong } else { colours.text };
        let name = Rect::from_x_y_ranges(body.right() + 6.0..=right, rect.y_range());
        let mut words = LayoutJob::simple_singleline(row.name.clone(), FontId::proportional(13.0), colour);
        words.wrap = TextWrapping::truncate_at_width(name.width().max(20.0));
        let words = ui.fonts_mut(|fonts| fonts.layout_job(words));
        painter.galley(pos2(name.left(), name.center().y - 0.5 * words.size().y), words, colour);
        if response
            .on_hover_text(format!("{}\n{}", row.name, row.is.kind))
            .clicked()
        {
            model.ask_all(row.action(model));
        }
        self.close_ui(ui, model, row, rect);
    }

    /// Shows the sign that closes a take. The example walk has no file and cannot be closed.
    fn close_ui(&mut self, ui: &mut Ui, model: &Model, row: &Row, rect: Rect) {
        let What::Take(index) = row.what else { return };
        let take = match index {
            Some(index) => model.other_takes().nth(index),
            None => model.opened(),
        };
        let Some(take) = take.filter(|take| take.bytes.is_some()) else {
            return;
        };
        let right = rect.right() - SCROLL_POINTS;
        let place = rect.with_min_x(right - CLOSE_POINTS).with_max_x(right);
        let name = format!("Close {}", take.file_name);
        let closes = ui
            .scope_builder(UiBuilder::new().max_rect(place), |ui| {
                icons::button(ui, Icon::Remove, &name, &name, true)
            })
            .inner;
        if closes.clicked() && model.is_unsaved(index) {
            self.closing = Some(take.file_name.clone());
        } else if closes.clicked() {
            model.ask(Action::Close(index));
            self.closing = None;
        }
    }

    fn closing_ui(&mut self, ui: &mut Ui, model: &Model, opened: &Opened) {
        let Some(name) = self.closing.clone() else { return };
        let index = model.others().position(|other| other == name);
        if index.is_none() && opened.file_name != name {
            self.closing = None;
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(
                ui.visuals().warn_fg_color,
                format!("Changes of {name} are not written."),
            );
            let [closes, leaves] = ["Close it all the same", "Leave it open"].map(|word| ui.button(word).clicked());
            if closes {
                model.ask(Action::Close(index));
            }
            if closes || leaves {
                self.closing = None;
            }
        });
    }

    /// Shows actions on all visible rows, and on ticked loops.
    fn ticks_ui(&self, ui: &mut Ui, model: &Model, rows: &[Row]) {
        let Some(ticked) = model.ticked() else { return };
        ui.horizontal_wrapped(|ui| {
            for (word, is_ticked) in [("Tick these", true), ("Tick none of them", false)] {
                if ui.button(word).clicked() {
                    let animations = rows
                        .iter()
                        .map(Row::ticked)
                        .filter(|ticked| matches!(ticked, Ticked::Animation(_)));
                    model.ask_all(animations.map(|ticked| Action::Tick(ticked, is_ticked)));
                }
            }
            let loops: Vec<usize> = ticked
                .iter()
                .filter_map(|ticked| match ticked {
                    Ticked::Loop(index) => Some(*index),
                    _ => None,
                })
                .collect();
            if loops.len() > 1 && ui.button(format!("Compare {} loops", loops.len())).clicked() {
                model.ask(Action::Compare(Some(Comparison::Loops(loops))));
            }
        });
    }

    /// Returns the sketch of a take at a frame.
    fn sketch(&mut self, take: &Arc<Opened>, frame: usize) -> Sketch {
        self.sketches.retain(|(of, ..)| of.strong_count() > 0);
        let is_of = |(of, at, _): &&(Weak<Opened>, usize, Sketch)| of.as_ptr() == Arc::as_ptr(take) && *at == frame;
        if let Some((.., sketch)) = self.sketches.iter().find(is_of) {
            return sketch.clone();
        }
        let sketch = Sketch::of_take(&take.studied.analysis, frame);
        self.sketches.push((Arc::downgrade(take), frame, sketch.clone()));
        sketch
    }
}

impl Row {
    fn ticked(&self) -> Ticked {
        match &self.what {
            What::Take(_) => Ticked::Take(self.name.trim_start_matches("\u{2022} ").to_owned()),
            What::Animation(name) => Ticked::Animation(name.clone()),
            What::Loop(index) => Ticked::Loop(*index),
        }
    }

    /// Returns the action of a click.
    fn action(&self, model: &Model) -> Option<Action> {
        Some(match &self.what {
            What::Take(index) => Action::TakeUp((*index)?),
            What::Loop(index) => Action::Choose(Stretch::Found(*index)),
            What::Animation(_) if self.is_shown => return None,
            What::Animation(name) => Action::Read(Box::new(StudyArgs {
                animation: Some(name.clone()),
                ..model.opened()?.study.clone()
            })),
        })
    }
}

/// Names the kind of a gait in one word.
fn kind_of(gait: Option<Gait>) -> String {
    gait.map_or_else(String::new, |gait| gait.kind.to_string())
}

fn paint_sketch(ui: &Ui, Sketch(lines): &Sketch, rect: Rect) {
    let side = rect.height();
    let colour = ui.visuals().text_color();
    let at = |x: f32, y: f32| rect.min + side * vec2(x, y);
    for &[x0, y0, x1, y1, width] in lines {
        ui.painter()
            .line_segment([at(x0, y0), at(x1, y1)], Stroke::new((side * width).max(1.0), colour));
    }
}

/// Shows a box to tick a row, if ticks are enabled. Returns its width.
fn tick_ui(ui: &mut Ui, model: &Model, row: &Row, at: Pos2) -> f32 {
    let Some(all) = model.ticked() else { return 0.0 };
    let ticked = row.ticked();
    let side = ui.spacing().icon_width + 6.0;
    let mut is_ticked = all.contains(&ticked);
    let rect = Rect::from_min_size(at - vec2(0.0, 0.5 * side), Vec2::splat(side));
    let name = match &ticked {
        Ticked::Loop(index) => format!("Tick loop {}", index + 1),
        Ticked::Take(name) | Ticked::Animation(name) => format!("Tick {name}"),
    };
    if named(ui.put(rect, Checkbox::without_text(&mut is_ticked)), &name).changed() {
        model.ask(Action::Tick(ticked, is_ticked));
    }
    side + 4.0
}
