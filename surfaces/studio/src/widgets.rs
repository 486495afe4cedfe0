//! The widgets as elements of the page: a canvas is opaque to screen readers, so on request a tree of all widgets is kept beside it.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use eframe::egui::{
    Context, Event, FullOutput, Plugin, RawInput,
    accesskit::{Action, ActionRequest, Node, NodeId, Role, Toggled, TreeId, TreeUpdate},
    mutex::Mutex,
};
use serde::Serialize;

/// A widget as the page shows it, or a group of widgets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Widget {
    pub id: String,
    /// The id of the group that holds it.
    pub within: Option<String>,
    /// Its role, as ARIA names it; `disclosure` is a button that unfolds a part.
    pub role: &'static str,
    pub name: String,
    pub value: Option<String>,
    /// For a number: minimum, value, maximum.
    pub number: Option<[f64; 3]>,
    /// Whether it is on, for a widget that can be.
    pub is_on: Option<bool>,
    is_enabled: bool,
    /// Depth of a row in its tree, from 1.
    level: Option<usize>,
    /// Left, top, width and height, points; `None` for a group.
    place: Option<[f64; 4]>,
}

/// Receives widgets, and the id of the focused one.
type Show = Box<dyn Fn(&[Widget], u64) + Send + Sync>;

/// Actions that screen readers requested.
pub type Wishes = Arc<Mutex<VecDeque<(u64, Action)>>>;

/// Passes on the widgets of each frame when they change, and applies the requested actions.
pub struct Widgets {
    wishes: Wishes,
    /// Receives widgets, and the id of the focused one.
    show: Show,
    shown: (Vec<Widget>, u64),
}

impl Widgets {
    pub fn new(wishes: Wishes, show: Show) -> Self {
        Self {
            wishes,
            show,
            shown: Default::default(),
        }
    }
}

impl Plugin for Widgets {
    fn debug_name(&self) -> &'static str {
        "widgets"
    }

    fn input_hook(&mut self, _ctx: &Context, input: &mut RawInput) {
        let wishes = self.wishes.lock().drain(..).collect::<Vec<_>>();
        input.events.extend(wishes.into_iter().map(|(id, action)| {
            Event::AccessKitActionRequest(ActionRequest {
                action,
                target_tree: TreeId::ROOT,
                target_node: NodeId(id),
                data: None,
            })
        }));
    }

    fn output_hook(&mut self, _ctx: &Context, output: &mut FullOutput) {
        if let Some(update) = &output.platform_output.accesskit_update {
            let widgets = (widgets_of(update), update.focus.0);
            if widgets != self.shown {
                (self.show)(&widgets.0, widgets.1);
                self.shown = widgets;
            }
        }
    }
}

/// Returns the groups of a frame, and its widgets that have a name or need one, in reading order.
fn widgets_of(update: &TreeUpdate) -> Vec<Widget> {
    let nodes: HashMap<NodeId, &Node> = update.nodes.iter().map(|(id, node)| (*id, node)).collect();
    let mut found = Vec::new();
    let mut waiting: Vec<(NodeId, Option<NodeId>)> = update.tree.iter().map(|tree| (tree.root, None)).collect();
    while let Some((id, within)) = waiting.pop() {
        let Some(node) = nodes.get(&id) else { continue };
        let widget = Widget::new(id, within, node);
        let is_group = widget.as_ref().is_some_and(|widget| widget.place.is_none());
        let below = if is_group { Some(id) } else { within };
        waiting.extend(node.children().iter().rev().map(|&child| (child, below)));
        found.extend(widget);
    }
    found
}

impl Widget {
    /// Returns the widget of a node; `None` if there is nothing to say about it.
    fn new(id: NodeId, within: Option<NodeId>, node: &Node) -> Option<Self> {
        let role = match node.role() {
            Role::Region => "region",
            Role::Tree => "tree",
            Role::TabList => "tablist",
            Role::TabPanel => "tabpanel",
            Role::Dialog => "dialog",
            Role::Label => "text",
            Role::Button | Role::DefaultButton => "button",
            Role::TreeItem => "treeitem",
            Role::CheckBox => "checkbox",
            Role::Slider => "slider",
            Role::SpinButton => "spinbutton",
            Role::ComboBox => "combobox",
            Role::TextInput | Role::MultilineTextInput => "textbox",
            Role::Tab => "tab",
            Role::DisclosureTriangle => "disclosure",
            Role::Image => "img",
            Role::Link => "link",
            _ => return None,
        };
        let is_group = matches!(role, "region" | "tree" | "tablist" | "tabpanel" | "dialog");
        let name = node.label().unwrap_or_default();
        let value = node.value();
        let name = if role == "text" { value.unwrap_or(name) } else { name };
        // A usable widget without a name is a fault that should be noticed rather than hidden.
        let is_said = !name.is_empty() || !matches!(role, "text" | "img");
        let place = node.bounds().filter(|_| !is_group);
        if !is_said || place.is_none() && !is_group {
            return None;
        }
        Some(Self {
            id: id.0.to_string(),
            within: within.map(|within| within.0.to_string()),
            role,
            name: name.to_owned(),
            value: value.filter(|_| role != "text").map(str::to_owned),
            number: node.numeric_value().map(|now| {
                let ends = [node.min_numeric_value(), node.max_numeric_value()];
                [ends[0].unwrap_or(now), now, ends[1].unwrap_or(now)]
            }),
            is_on: node.toggled().map(|toggled| toggled == Toggled::True),
            is_enabled: !node.is_disabled(),
            level: node.level(),
            place: place.map(|bounds| [bounds.x0, bounds.y0, bounds.width(), bounds.height()]),
        })
    }
}
