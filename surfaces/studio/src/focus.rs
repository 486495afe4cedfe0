//! The widget that the keyboard is at: scrolled into view, and said in the page, whose canvas screen readers cannot read.

use eframe::egui::{
    Context, EventFilter, FocusDirection, Key, Memory, Popup, Rect, Response, Role, Ui, WidgetInfo, output::OutputEvent,
};

/// The rectangle of the widget that has the keyboard, points.
fn place(ctx: &Context) -> Option<Rect> {
    let focused = ctx.memory(Memory::focused)?;
    Some(ctx.read_response(focused)?.rect)
}

/// Shows widgets in an area that scrolls, and scrolls to the one that gets the keyboard.
pub(crate) fn scrolled_to(ui: &mut Ui, widgets: impl FnOnce(&mut Ui)) {
    let num_before = ui.ctx().output(|output| output.events.len());
    widgets(ui);
    let is_gained = ui.ctx().output(|output| {
        let mut events = output.events.iter().skip(num_before);
        events.any(|event| matches!(event, OutputEvent::FocusGained(_)))
    });
    if let Some(rect) = place(ui.ctx()).filter(|_| is_gained) {
        ui.scroll_to_rect(rect, None);
    }
}

/// Keeps arrow keys from taking the keyboard to another widget: they move what has it, and nothing else. In a list that is open they go from
/// row to row. Call it at the start of a frame.
pub(crate) fn hold(ctx: &Context) {
    const ARROWS: [Key; 4] = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
    if !Popup::is_any_open(ctx) && ctx.input(|input| ARROWS.iter().any(|arrow| input.key_pressed(*arrow))) {
        ctx.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
}

/// Steps to the right by the arrow keys while a widget has the keyboard, if there are any; ten at once with shift.
pub(crate) fn steps(ui: &Ui, response: &Response) -> Option<i32> {
    if !response.has_focus() {
        return None;
    }
    let filter = EventFilter {
        horizontal_arrows: true,
        ..EventFilter::default()
    };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let steps = ui.input(|input| {
        let [on, back] = [Key::ArrowRight, Key::ArrowLeft].map(|key| input.num_presses(key) as i32);
        (on - back) * if input.modifiers.shift { 10 } else { 1 }
    });
    Some(steps).filter(|steps| *steps != 0)
}

/// Says what a widget is that is drawn here, and its name.
pub(crate) fn label(response: &Response, role: Role, name: &str) {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
}

/// Gives a widget the name that is said of it, where it has none of its own.
pub(crate) fn named(response: Response, name: &str) -> Response {
    if response.gained_focus() || response.changed() || response.clicked() {
        response.ctx.output_mut(|output| {
            if let Some(OutputEvent::FocusGained(info) | OutputEvent::ValueChanged(info) | OutputEvent::Clicked(info)) =
                output.events.last_mut()
            {
                info.label = Some(name.to_owned());
            }
        });
    }
    response
        .ctx
        .accesskit_node_builder(response.id, |node| node.set_label(name));
    response
}

/// Describes a widget in words, numbers with as many digits as one can use.
#[cfg(any(target_arch = "wasm32", test))]
pub(crate) fn words(info: &WidgetInfo) -> String {
    let mut info = info.clone();
    let value = info.value.take();
    let mut words = info.description();
    if let Some(value) = value {
        let digits = format!("{value:.3}");
        words += &format!(" {}", digits.trim_end_matches('0').trim_end_matches('.'));
    }
    match info.current_text_value.filter(|_| info.role == Role::ComboBox) {
        Some(chosen) => format!("{words} {chosen}"),
        None => words,
    }
}

/// The words of the page about the widget that has the keyboard.
#[cfg(target_arch = "wasm32")]
#[derive(Default)]
pub(crate) struct SaidFocus {
    words: String,
    place: Option<Rect>,
}

#[cfg(target_arch = "wasm32")]
impl SaidFocus {
    /// Says it in the page, at its place, where it is another one or changed. Call it at the end of a frame.
    pub(crate) fn follow(&mut self, ctx: &Context) {
        let place = place(ctx).map(|rect| rect * ctx.zoom_factor());
        let event = ctx.output(|output| output.events.last().map(|event| words(event.widget_info())));
        let words = match (place, event) {
            (None, _) => String::new(),
            (Some(_), Some(words)) => words,
            (Some(_), None) => self.words.clone(),
        };
        if words != self.words || place != self.place {
            crate::platform::say_focus(&words, place);
            (self.words, self.place) = (words, place);
        }
    }
}

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, kittest::Queryable as _};

    use super::*;
    use crate::Studio;

    /// Whatever the keyboard comes to has a name, and is said as what it is: not "combo box", and no number of sixteen digits.
    #[test]
    fn every_control_has_a_name_that_can_be_said() {
        let mut harness = Harness::builder().with_size([1280.0, 5200.0]).build_ui_state(
            |ui, (studio, met): &mut (Option<Studio>, Vec<WidgetInfo>)| {
                let ctx = ui.ctx().clone();
                studio.get_or_insert_with(|| Studio::in_context(&ctx)).studio_ui(ui);
                ctx.output(|output| {
                    // The page says the last of those of a frame.
                    met.extend(output.events.iter().next_back().and_then(|event| match event {
                        OutputEvent::FocusGained(info) => Some(info.clone()),
                        _ => None,
                    }));
                });
            },
            (None, Vec::new()),
        );
        while harness
            .state()
            .0
            .as_ref()
            .is_none_or(|studio| studio.model().finished().is_none())
        {
            harness.step();
        }
        harness.key_press(Key::Space);
        for tab in [
            "Loops of the take",
            "Close the seam",
            "Feet on the ground",
            "Edit the motion",
            "Export to a file",
        ] {
            harness.get_by_label(tab).click();
            harness.run_steps(3);
            for _ in 0..120 {
                harness.key_press(Key::Tab);
                harness.step();
            }
        }
        let mut said = std::collections::BTreeSet::new();
        for info in &harness.state().1 {
            let words = words(info);
            assert!(info.label.as_ref().is_some_and(|label| !label.is_empty()), "{words}");
            let digits = words.rsplit('.').next().unwrap_or_default();
            let is_long = digits.len() > 3 && digits.chars().all(|digit| digit.is_ascii_digit());
            assert!(!is_long, "{words}");
            said.insert(words);
        }
        for (name, role) in [
            ("Method", "combo box"),
            ("Share of the start", "slider"),
            ("Root motion", "combo box"),
            ("Joint of the curves", "combo box"),
            ("End frame", "spin button"),
            ("Time", "slider"),
        ] {
            let start = format!("{name}: {role} ");
            let is_said = said.iter().any(|words| words.starts_with(&start));
            assert!(is_said, "{start} is not among {said:?}");
        }
    }
}
