//! Keyboard focus, and what screen readers announce about widgets.

use eframe::egui::{
    Context, EventFilter, FocusDirection, Key, Memory, Popup, Response, Role, Ui, WidgetInfo, output::OutputEvent,
};

/// Shows widgets in a scrolling area, and scrolls to the one that gains the focus.
pub fn scrolled_to(ui: &mut Ui, widgets: impl FnOnce(&mut Ui)) {
    let num_before = ui.ctx().output(|output| output.events.len());
    widgets(ui);
    let is_gained = ui.ctx().output(|output| {
        output
            .events
            .iter()
            .skip(num_before)
            .any(|event| matches!(event, OutputEvent::FocusGained(_)))
    });
    let focused = ui.ctx().memory(Memory::focused).filter(|_| is_gained);
    if let Some(response) = focused.and_then(|id| ui.ctx().read_response(id)) {
        ui.scroll_to_rect(response.rect, None);
    }
}

/// Keeps arrow keys from moving the focus: they change the focused widget and nothing else. In an open list they move from row to row. Call
/// it at the start of a frame.
pub fn hold(ctx: &Context) {
    const ARROWS: [Key; 4] = [Key::ArrowLeft, Key::ArrowRight, Key::ArrowUp, Key::ArrowDown];
    if !Popup::is_any_open(ctx) && ctx.input(|input| ARROWS.iter().any(|arrow| input.key_pressed(*arrow))) {
        ctx.memory_mut(|memory| memory.move_focus(FocusDirection::None));
    }
}

/// Returns the steps to the right by arrow keys while a widget has the focus, if any; ten at once with shift.
pub fn steps(ui: &Ui, response: &Response) -> Option<i32> {
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

/// Makes a part of the window a group of its own for screen readers. Call it before the first widget of the part.
pub fn group(ui: &Ui, role: Role, name: &str) {
    ui.ctx().accesskit_node_builder(ui.unique_id(), |node| {
        node.set_role(role);
        node.set_label(name);
    });
}

/// Announces the role and the name of a widget that is drawn by hand.
pub fn label(response: &Response, role: Role, name: &str) {
    response.widget_info(|| WidgetInfo::labeled(role, true, name));
}

/// Gives a widget a name for screen readers, if it has none of its own.
pub fn named(response: Response, name: &str) -> Response {
    response
        .ctx
        .accesskit_node_builder(response.id, |node| node.set_label(name));
    response
}

#[cfg(test)]
mod tests {
    use egui_kittest::{Harness, kittest::Queryable as _};

    use std::{collections::BTreeSet, sync::Arc};

    use eframe::egui::{accesskit::Action, mutex::Mutex};

    use crate::Studio;
    use crate::widgets::{Widget, Widgets, Wishes};

    /// Every usable control has a name, and announces its value or state.
    #[test]
    fn every_control_says_what_it_is() {
        let builder = Harness::builder().with_size([1280.0, 5200.0]);
        let mut harness = builder.build_ui_state(
            |ui, studio: &mut Option<Studio>| {
                let ctx = ui.ctx().clone();
                studio.get_or_insert_with(|| Studio::in_context(&ctx)).studio_ui(ui);
            },
            None,
        );
        while harness
            .state()
            .as_ref()
            .is_none_or(|studio| studio.model().finished().is_none())
        {
            harness.step();
        }
        let (wishes, seen) = (Wishes::default(), Arc::<Mutex<Vec<Widget>>>::default());
        let shown = Arc::clone(&seen);
        let show = move |widgets: &[Widget], _| shown.lock().clone_from(&widgets.to_vec());
        harness.ctx.add_plugin(Widgets::new(wishes.clone(), Box::new(show)));
        let mut frames = Vec::new();
        for tab in [
            "Loops of the take",
            "Close the seam",
            "Feet on the ground",
            "Edit the motion",
            "Export to a file",
        ] {
            harness.get_by_label(tab).click();
            harness.run_steps(3);
            frames.push(seen.lock().clone());
        }
        let said = frames.concat();
        for widget in &said {
            assert!(!widget.name.is_empty(), "{widget:?}");
            match widget.role {
                "slider" => assert!(widget.number.is_some(), "{widget:?}"),
                "combobox" | "spinbutton" => assert!(widget.value.is_some(), "{widget:?}"),
                "checkbox" | "tab" => assert!(widget.is_on.is_some(), "{widget:?}"),
                _ => {}
            }
        }
        for (name, role) in [
            ("Method", "combobox"),
            ("Share of the start", "slider"),
            ("End frame", "spinbutton"),
            ("End of the stretch", "slider"),
            ("Time", "slider"),
            ("Lock planted feet", "checkbox"),
            ("Plots of the take", "disclosure"),
        ] {
            let found = said.iter().find(|widget| widget.name == name && widget.role == role);
            assert!(found.is_some(), "{name} {role}");
        }
        let plots = said.iter().find(|widget| widget.name == "Plots of the take");
        assert_eq!(plots.unwrap().is_on, Some(false));
        // Widgets can be browsed by the parts of the window.
        for (name, group) in [
            ("Pause", "Playback"),
            ("Method", "Panel Close"),
            ("Close the seam", "Panels"),
            ("walk.bvh, shown", "Takes, animations and loops"),
        ] {
            let groups = frames.iter().filter_map(|frame| {
                let widget = frame.iter().find(|widget| widget.name == name)?;
                frame.iter().find(|other| Some(&other.id) == widget.within.as_ref())
            });
            let groups: BTreeSet<&str> = groups.map(|within| within.name.as_str()).collect();
            assert_eq!(Vec::from_iter(groups), [group], "{name}");
        }
        // An action that a screen reader requests by number is done.
        let pause = said.iter().rfind(|widget| widget.name == "Pause").unwrap();
        wishes.lock().push_back((pause.id.parse().unwrap(), Action::Click));
        harness.run_steps(3);
        harness.get_by_label("Play");
    }
}
