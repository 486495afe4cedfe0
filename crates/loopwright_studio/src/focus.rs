//! The widget that the keyboard is at: scrolled into view, and said in the page, whose canvas screen readers cannot read.

use eframe::egui::{Context, Memory, Rect, Ui, output::OutputEvent};

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

/// What the page says of the widget.
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
        let event = ctx.output(|output| output.events.last().map(|event| event.widget_info().description()));
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
