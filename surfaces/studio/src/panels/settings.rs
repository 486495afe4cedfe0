//! Rows of settings: the name on the left, a slider as wide as there is room, its number, and a button for the default.

use std::ops::RangeInclusive;

use eframe::egui::{self, DragValue, Response, Sense, Slider, SliderClamping, Ui, emath, vec2};

use super::{dropdown_ui, edged_ui};
use crate::{
    focus::named,
    icons::{self, Icon},
};

/// Room for the name, and for the number, points.
const NAME_POINTS: f32 = 112.0;
const NUMBER_POINTS: f32 = 56.0;

/// Room for the scroll bar of the panels, points.
const SCROLL_POINTS: f32 = 6.0;

/// A setting with a slider.
pub struct Setting<'a> {
    /// The label on the left, and the name for screen readers.
    pub word: &'a str,
    pub name: &'a str,
    pub range: RangeInclusive<f64>,
    pub is_logarithmic: bool,
    pub suffix: &'a str,
    /// The value that a double click on the label, or the button, sets.
    pub default: Option<f64>,
}

/// Shows a list to choose from, with its name on the left.
pub fn choice_ui(ui: &mut Ui, word: &str, chosen: &str, choices: impl FnOnce(&mut Ui)) {
    ui.horizontal(|ui| {
        let label = word_ui(ui, word, Sense::hover());
        let width = ui.available_width() - SCROLL_POINTS;
        let list = egui::ComboBox::from_id_salt(word).width(width).selected_text(chosen);
        named(dropdown_ui(ui, list, word, choices).labelled_by(label.id), word);
    });
}

/// Shows a list of values to choose from, with its name on the left; returns a value that is chosen.
pub fn pick_ui<T: Copy + PartialEq, W: AsRef<str>>(
    ui: &mut Ui,
    word: &str,
    chosen: T,
    all: impl IntoIterator<Item = T>,
    name: impl Fn(T) -> W,
) -> Option<T> {
    let mut picked = None;
    choice_ui(ui, word, name(chosen).as_ref(), |ui| {
        for other in all {
            if ui.selectable_label(other == chosen, name(other).as_ref()).clicked() {
                picked = Some(other);
            }
        }
    });
    picked
}

/// Shows the label of a row, as wide as those of the others.
fn word_ui(ui: &mut Ui, word: &str, sense: Sense) -> Response {
    ui.allocate_ui_with_layout(
        vec2(NAME_POINTS, ui.spacing().interact_size.y),
        egui::Layout::left_to_right(egui::Align::Center),
        |ui| {
            ui.set_min_width(NAME_POINTS);
            ui.add(egui::Label::new(word).truncate().sense(sense))
        },
    )
    .inner
}

/// Shows a setting, and changes it; returns the response of the widget that was used.
pub fn setting_ui(ui: &mut Ui, value: &mut f64, setting: &Setting) -> Response {
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = 6.0;
        let height = ui.spacing().interact_size.y;
        // The keyboard skips the label: the button beside the number does the same.
        let label = word_ui(ui, setting.word, Sense::CLICK);
        let reset_points = height.max(26.0) + ui.spacing().item_spacing.x;
        let beside = NUMBER_POINTS + ui.spacing().item_spacing.x + reset_points + SCROLL_POINTS;
        ui.spacing_mut().slider_width = (ui.available_width() - beside).max(40.0);
        let slider = ui.add(
            Slider::new(value, setting.range.clone())
                .logarithmic(setting.is_logarithmic)
                .clamping(SliderClamping::Edits)
                .show_value(false),
        );
        let before = *value;
        slider.widget_info(|| egui::WidgetInfo::slider(true, before, setting.name));
        let number = number(value)
            .range(setting.range.clone())
            .clamp_existing_to_range(false)
            .speed(0.005 * (setting.range.end() - setting.range.start()))
            .suffix(setting.suffix);
        let number = edged_ui(ui, |ui| ui.add_sized(vec2(NUMBER_POINTS, height), number));
        let mut moved = slider.union(named(number.labelled_by(label.id), setting.name));
        let is_default = setting.default.is_none_or(|default| (default - *value).abs() < 1e-12);
        let reset = format!("Reset {}", setting.name);
        let reset = ui
            .scope(|ui| {
                if is_default {
                    // The hidden button keeps its room, so that the slider does not become wider.
                    ui.set_invisible();
                }
                icons::button(ui, Icon::Reset, &reset, &reset, !is_default)
            })
            .inner;
        let label = label.on_hover_text("Double click: back to the default");
        if let Some(default) = setting
            .default
            .filter(|_| reset.clicked() || label.double_clicked() && !is_default)
        {
            *value = default;
            moved.mark_changed();
        }
        moved
    })
    .inner
}

/// Shows a number to drag or to type. It shows fewer digits than it has, but keeps all of them if its text is not changed: moving the focus
/// through it changes nothing.
pub fn number<N: emath::Numeric>(value: &mut N) -> DragValue<'_> {
    let exact = value.to_f64();
    let shown = three_digits(exact);
    DragValue::new(value)
        .custom_formatter(|value, _| three_digits(value))
        .custom_parser(move |text| {
            let text = text.replace(char::is_whitespace, "").replace('\u{2212}', "-");
            if text == shown { Some(exact) } else { text.parse().ok() }
        })
}

/// Formats a number as it is shown.
fn three_digits(value: f64) -> String {
    format!("{value:.3}")
        .trim_end_matches('0')
        .trim_end_matches('.')
        .to_owned()
}
