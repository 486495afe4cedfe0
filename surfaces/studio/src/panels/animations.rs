//! The takes that are open and the animations of a file, to be searched, chosen, ticked and closed.

use std::sync::{Arc, Weak};

use eframe::egui::{self, Button, ScrollArea, Sense, Stroke, TextEdit, Ui, Vec2, vec2};
use loopwright_job::recipe::StudyArgs;

use super::weak_line_ui;
use crate::focus::named;
use crate::grade::light_ui;
use crate::model::{Action, Model, Opened, Sketch, Ticked};

/// Height of the list of animations, points: files of characters have a dozen or a hundred.
const LIST_POINTS: f32 = 180.0;

/// Room for the length of an animation and what it is, points.
const FACTS_POINTS: f32 = 150.0;

/// Width and height of a body in a list, points.
const SKETCH_POINTS: f32 = 26.0;

/// The words that are searched for, and the take that is about to be closed.
#[derive(Default)]
pub(crate) struct AnimationsPanel {
    wanted: String,
    /// The name of its file: another take may be shown before one answers.
    closing: Option<String>,
    /// The bodies of takes, drawn once.
    sketches: Vec<(Weak<Opened>, Sketch)>,
}

impl AnimationsPanel {
    pub(crate) fn animations_ui(&mut self, ui: &mut Ui, model: &Model) {
        let Some(opened) = model.opened() else { return };
        let has_several = model.may_have_animations() || model.other_takes().next().is_some();
        ui.horizontal(|ui| {
            if has_several {
                let label = ui.label("Search");
                let field = TextEdit::singleline(&mut self.wanted).desired_width(110.0);
                named(ui.add(field).labelled_by(label.id), "Search takes and animations");
            }
            let mut can_tick = model.ticked().is_some();
            let tip = "Tick takes, animations or loops, and export them together";
            if ui
                .checkbox(&mut can_tick, "Export several")
                .on_hover_text(tip)
                .changed()
            {
                model.ask(Action::TickSeveral(can_tick));
            }
        });
        self.takes_ui(ui, model, opened);
        if model.may_have_animations() {
            let list = egui::CollapsingHeader::new("Animation").default_open(true);
            let list = list.show(ui, |ui| self.list_ui(ui, model, opened));
            if list.body_returned.is_some() {
                model.ask(Action::ListAnimations);
            }
        }
    }

    fn is_wanted(&self, name: &str) -> bool {
        let (name, wanted) = (name.to_lowercase(), self.wanted.to_lowercase());
        wanted.split_whitespace().all(|word| name.contains(word))
    }

    fn takes_ui(&mut self, ui: &mut Ui, model: &Model, opened: &Arc<Opened>) {
        let others = model
            .other_takes()
            .enumerate()
            .map(|(index, other)| (Some(index), other));
        for (index, take) in others.chain([(None, opened)]) {
            if index.is_some() && !self.is_wanted(&take.file_name) {
                continue;
            }
            ui.horizontal(|ui| {
                tick_ui(ui, model, Ticked::Take(take.file_name.clone()), &take.file_name);
                sketch_ui(ui, self.sketch(take));
                self.take_ui(ui, model, index, take);
            });
        }
        let Some(name) = self.closing.clone() else { return };
        let index = model.others().position(|other| other == name);
        if index.is_none() && opened.file_name != name {
            self.closing = None;
            return;
        }
        ui.horizontal_wrapped(|ui| {
            ui.colored_label(ui.visuals().warn_fg_color, "Its changes are not written.");
            if ui.button("Close it all the same").clicked() {
                model.ask(Action::Close(index));
                self.closing = None;
            }
            if ui.button("Leave it open").clicked() {
                self.closing = None;
            }
        });
    }

    fn sketch(&mut self, take: &Arc<Opened>) -> &Sketch {
        self.sketches.retain(|(of, _)| of.strong_count() > 0);
        let is_of = |(of, _): &(Weak<Opened>, Sketch)| of.as_ptr() == Arc::as_ptr(take);
        let at = self.sketches.iter().position(is_of).unwrap_or_else(|| {
            let sketch = Sketch::of_take(&take.studied.analysis);
            self.sketches.push((Arc::downgrade(take), sketch));
            self.sketches.len() - 1
        });
        &self.sketches[at].1
    }

    fn take_ui(&mut self, ui: &mut Ui, model: &Model, index: Option<usize>, take: &Opened) {
        let name = &take.file_name;
        let is_unsaved = model.is_unsaved(index);
        let mark = if is_unsaved { "\u{2022} " } else { "" };
        let button = ui.add(Button::selectable(index.is_none(), format!("{mark}{name}")).truncate());
        let button = if is_unsaved {
            button.on_hover_text("Changed, and not written yet")
        } else {
            button
        };
        let said = if is_unsaved { ", not written" } else { "" };
        match index {
            Some(index) => {
                if named(button, &format!("Go on with {name}{said}")).clicked() {
                    model.ask(Action::TakeUp(index));
                }
            }
            None => {
                named(button, &format!("{name}, shown{said}"));
            }
        }
        // The walk that the studio opens with has no file and cannot be closed.
        if take.bytes.is_some() {
            let closes = named(ui.small_button("Close"), &format!("Close {name}"));
            if closes.clicked() && is_unsaved {
                self.closing = Some(name.clone());
            } else if closes.clicked() {
                model.ask(Action::Close(index));
                self.closing = None;
            }
        }
        let motion = take.take();
        let facts = format!(
            "{:.2} s, {} frames, {} joints",
            motion.duration_secs(),
            motion.num_frames(),
            motion.num_joints()
        );
        weak_line_ui(ui, facts);
    }

    fn list_ui(&self, ui: &mut Ui, model: &Model, opened: &Opened) {
        let wanted: Vec<_> = model.animations().filter(|(name, ..)| self.is_wanted(name)).collect();
        if model.ticked().is_some() {
            ui.horizontal(|ui| {
                for (word, is_ticked) in [("Tick these", true), ("Tick none of them", false)] {
                    if ui.button(word).clicked() {
                        let names = wanted.iter().map(|(name, ..)| Ticked::Animation((*name).to_owned()));
                        model.ask_all(names.map(|name| Action::Tick(name, is_ticked)));
                    }
                }
            });
        }
        ui.weak(format!("{} of {} animations", wanted.len(), model.animations().count()));
        let rows = ScrollArea::vertical().id_salt("animations").max_height(LIST_POINTS);
        rows.auto_shrink([false, true]).show(ui, |ui| {
            for (name, listed, grade) in wanted {
                ui.horizontal(|ui| {
                    tick_ui(ui, model, Ticked::Animation(name.to_owned()), name);
                    sketch_ui(ui, listed.map_or(&Sketch::default(), |listed| &listed.sketch));
                    let is_shown = name == opened.take().name();
                    let width = (ui.available_width() - FACTS_POINTS).max(80.0);
                    let button = Button::selectable(is_shown, name).truncate();
                    let size = vec2(width, ui.spacing().interact_size.y);
                    // The facts of all animations stand in one column.
                    let button = ui.allocate_ui(size, |ui| {
                        ui.set_min_width(width);
                        ui.add(button)
                    });
                    let button = button.inner;
                    if button.clicked() && !is_shown {
                        model.ask(Action::Read(Box::new(StudyArgs {
                            animation: Some(name.to_owned()),
                            ..opened.study.clone()
                        })));
                    }
                    if let Some(grade) = grade {
                        light_ui(ui, grade);
                        ui.label(grade.as_str());
                    }
                    let facts = match listed {
                        Some(listed) => match listed.secs {
                            Some(secs) => format!("{secs:.2} s {}", listed.kind),
                            None => "cannot be read".to_owned(),
                        },
                        None => "...".to_owned(),
                    };
                    weak_line_ui(ui, facts);
                });
            }
        });
    }
}

/// A body, as high as a row.
fn sketch_ui(ui: &mut Ui, Sketch(lines): &Sketch) {
    let (rect, _) = ui.allocate_exact_size(Vec2::splat(SKETCH_POINTS), Sense::hover());
    let colour = ui.visuals().text_color();
    let at = |x: f32, y: f32| rect.min + SKETCH_POINTS * vec2(x, y);
    for &[x0, y0, x1, y1, width] in lines {
        let stroke = Stroke::new((SKETCH_POINTS * width).max(1.0), colour);
        ui.painter().line_segment([at(x0, y0), at(x1, y1)], stroke);
    }
}

/// A box to tick something, where things can be.
pub(super) fn tick_ui(ui: &mut Ui, model: &Model, ticked: Ticked, name: &str) {
    let Some(all) = model.ticked() else { return };
    let mut is_ticked = all.contains(&ticked);
    if named(ui.checkbox(&mut is_ticked, ""), &format!("Tick {name}")).changed() {
        model.ask(Action::Tick(ticked, is_ticked));
    }
}
