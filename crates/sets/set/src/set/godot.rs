//! Writes resources for Godot 4 that play a set: a state machine with its blend spaces, and the feet's events as method tracks.
//!
//! The text has the form that the editor saves (`format=3`), with properties in the order in which the engine's own reader sets
//! them. Not tried in the editor. docs/guide/players.md lists differences of Godot from a player of the manifest.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_core::math::percentile;
use loopwright_formats::set::{Manifest, SetClip, SetSpace};
use loopwright_moves::play::switch::FADE_SECS;

/// The name of the state machine's file, for the root of an `AnimationTree`.
pub const TREE_FILE: &str = "tree.tres";

/// The name of the file with the events: an animation with a method track for each clip with events.
pub const EVENTS_FILE: &str = "events.tres";

/// The method that is called at each event, with the foot and "strike" or "lift" as arguments.
pub const EVENT_METHOD: &str = "foot";

/// Crossfade at the end of a passage, seconds: a blend space is entered at its start, not at the phase where the passage ends.
const END_FADE_SECS: f64 = 0.2;

/// Crossfade into a passage, which begins in a loop, seconds.
const BEGIN_FADE_SECS: f64 = 0.1;

/// Least time between two keys of a track, seconds.
const LEAST_APART_SECS: f64 = 1e-3;

/// Distance between drawn states, pixels.
const GRID: usize = 200;

/// Distances below the others of actions, and of a passage for each degree that it turns, pixels.
const ACTIONS_AT: f64 = 20_000.0;
const TURNS_AT: f64 = 10.0;

/// States per row.
const ACROSS: usize = 4;

/// When a transition switches: at once, or at the end of the previous state.
const AT_ONCE: u8 = 0;
const AT_END: u8 = 2;

/// What triggers a transition: `travel` called by a script, or the end of its state.
const ON_TRAVEL: u8 = 1;
const BY_ITSELF: u8 = 2;

/// Synchronizes the loops of blend spaces at their mean length: `SYNC_MODE_CYCLIC_MUTABLE`, from Godot 4.7 on.
const ONE_PHASE: u8 = 2;

/// A transition from state to state: the seconds of its fade, when it switches, and what triggers it.
#[derive(Clone, Copy)]
struct Link(f64, u8, u8);

/// Returns Godot's name of a clip's animation: the suffix that switches looping on is removed.
fn animation_of(clip: &SetClip) -> &str {
    let name = clip.animation.as_deref().unwrap_or(&clip.name);
    name.strip_suffix("-loop").unwrap_or(name)
}

/// Quotes a name.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Returns the name of a state, without path separators.
fn state_name(name: &str) -> String {
    name.replace(['/', ':', '"', '\\', '.'], "_")
}

/// Formats a number as Godot does.
fn number(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
}

/// Returns the state machine of a set: a state for each blend space, each loop that is in none or stands, and each passage.
///
/// A script travels from the start of a passage to the passage, which continues by itself at its end. Loops in different states
/// that a transition of the manifest connects fade for its time.
pub fn tree(manifest: &Manifest) -> String {
    let mut resources = String::new();
    let states = States::new(manifest, &mut resources);
    let links = links(manifest, &states);
    for (index, Link(fade_secs, switch_mode, advance_mode)) in links.values().enumerate() {
        resources += &format!(
            "[sub_resource type=\"AnimationNodeStateMachineTransition\" id=\"link_{index}\"]\nxfade_time = {}\nswitch_mode = {switch_mode}\nadvance_mode = {advance_mode}\n\n",
            number(*fade_secs)
        );
    }
    let mut text = header("AnimationNodeStateMachine", &resources);
    text.push_str("[resource]\nstates/Start/position = Vector2(0, 0)\n");
    for (index, (state, id)) in states.all.iter().enumerate() {
        // `travel` takes the shortest way on the canvas, which must not lead through turns and actions.
        let clip = manifest.clips.iter().find(|clip| state_name(&clip.name) == *state);
        let aside = clip.map_or(0.0, |clip| match clip.is_action() {
            true => ACTIONS_AT,
            false => TURNS_AT * clip.turn_deg.unwrap_or(0.0).abs(),
        });
        let at = [
            GRID * (1 + index % ACROSS),
            GRID * (index / ACROSS) / 2 + aside as usize,
        ];
        text += &format!(
            "states/{state}/node = SubResource(\"{id}\")\nstates/{state}/position = Vector2({}, {})\n",
            at[0], at[1]
        );
    }
    let ways: Vec<String> = links
        .keys()
        .enumerate()
        .map(|(index, (from, to))| format!("{}, {}, SubResource(\"link_{index}\")", quoted(from), quoted(to)))
        .collect();
    text += &format!("transitions = [{}]\n", ways.join(", "));
    text
}

/// Appends the resource of a state that plays an animation.
fn animation_node(resources: &mut String, id: &str, name: &str) {
    *resources += &format!(
        "[sub_resource type=\"AnimationNodeAnimation\" id=\"{id}\"]\nanimation = &{}\n\n",
        quoted(name)
    );
}

/// Whether a loop is in place.
fn stands(clip: &SetClip) -> bool {
    clip.twist
        .is_some_and(|twist| twist.linear == [0.0; 3] && twist.angular == [0.0; 3])
}

/// The states of a set.
struct States<'a> {
    /// Their names and the names of their resources.
    all: Vec<(String, String)>,
    /// The states of each clip, starting with the one in which it is entered: a standing loop is played alone, any other in each space that
    /// contains it.
    of_clip: BTreeMap<&'a str, Vec<String>>,
}

impl<'a> States<'a> {
    /// Appends the resource of each state.
    fn new(manifest: &'a Manifest, resources: &mut String) -> Self {
        let placed: BTreeSet<&str> = manifest
            .blend_spaces
            .iter()
            .flat_map(|space| &space.points)
            .map(|point| &*point.clip)
            .collect();
        let mut of_clip: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut all: Vec<(String, String)> = Vec::new();
        for space in &manifest.blend_spaces {
            let id = format!("space_{}", all.len());
            blend_space(resources, manifest, space, &id);
            all.push((state_name(&space.name), id));
            for point in &space.points {
                of_clip.entry(&point.clip).or_default().push(state_name(&space.name));
            }
        }
        for clip in manifest
            .clips
            .iter()
            .filter(|clip| !clip.is_loop() || !placed.contains(&*clip.name) || stands(clip))
        {
            let id = format!("clip_{}", all.len());
            animation_node(resources, &id, animation_of(clip));
            all.push((state_name(&clip.name), id));
            of_clip.insert(&clip.name, vec![state_name(&clip.name)]);
        }
        Self { all, of_clip }
    }

    fn of(&self, clip: &str) -> &[String] {
        self.of_clip.get(clip).map_or(&[], Vec::as_slice)
    }
}

/// The links between states, by the names of both.
type Links = BTreeMap<(String, String), Link>;

/// Links the start to the standing state, passages to their states, and states by the transitions of the manifest.
fn links(manifest: &Manifest, states: &States) -> Links {
    let mut links = Links::new();
    let first = manifest
        .clips
        .iter()
        .find(|clip| stands(clip))
        .or(manifest.clips.first());
    if let Some(state) = first.and_then(|clip| states.of(&clip.name).first()) {
        let begins = Link(0.0, AT_ONCE, BY_ITSELF);
        links.insert(("Start".to_owned(), state.clone()), begins);
    }
    let (actions, passages): (Vec<_>, Vec<_>) = manifest
        .clips
        .iter()
        .filter(|clip| !clip.is_loop())
        .partition(|clip| clip.is_action());
    for clip in passages {
        let state = state_name(&clip.name);
        let [from, to] = [&clip.from, &clip.to].map(|end| end.as_ref().map_or(&[][..], |end| states.of(&end.clip)));
        for from in from {
            let begins = Link(BEGIN_FADE_SECS, AT_ONCE, ON_TRAVEL);
            links.insert((from.clone(), state.clone()), begins);
        }
        // It leads to other spaces with its loop only for `travel`.
        for (index, to) in to.iter().enumerate() {
            let advance_mode = if index == 0 { BY_ITSELF } else { ON_TRAVEL };
            links.insert((state.clone(), to.clone()), Link(END_FADE_SECS, AT_END, advance_mode));
        }
    }
    for (ends, link) in fades(manifest, states, &links) {
        links.entry(ends).or_insert(link);
    }
    for clip in actions {
        let state = state_name(&clip.name);
        let fade_secs = clip.fade_secs.unwrap_or(FADE_SECS);
        // It begins in any loop that leads to it or may follow it.
        for from in clip.entry.iter().chain(&clip.next) {
            let from = states.of(&from.clip).iter().filter(|from| **from != state);
            let begins = Link(fade_secs, AT_ONCE, ON_TRAVEL);
            links.extend(from.map(|from| ((from.clone(), state.clone()), begins)));
        }
        let to = clip.next.first().and_then(|to| states.of(&to.clip).first());
        // Such a fade ends with the action, and begins after that into it.
        let ends = Link(fade_secs.min(0.5 * clip.seconds), AT_END, BY_ITSELF);
        links.extend(to.filter(|to| **to != state).map(|to| ((state, to.clone()), ends)));
    }
    links
}

/// Returns the transitions of the manifest between states that no passage connects: `travel` takes the shortest way, which must
/// not bypass a start or a stop.
fn fades(manifest: &Manifest, states: &States, links: &Links) -> Vec<((String, String), Link)> {
    manifest
        .transitions
        .iter()
        .filter_map(|transition| {
            let [from, to] = [&transition.from, &transition.to].map(|clip| states.of(clip).first());
            let (from, to) = (from?, to?);
            let leads = |from: &String, to: &String| links.contains_key(&(from.clone(), to.clone()));
            let mut between = states.all.iter();
            let is_passed = between.any(|(between, _)| leads(between, to) && leads(from, between));
            let link = Link(transition.fade_secs, AT_ONCE, ON_TRAVEL);
            (from != to && !is_passed).then(|| ((from.clone(), to.clone()), link))
        })
        .collect()
}

/// Appends a blend space under this id with the nodes of its points.
///
/// A space without triangles becomes one on one axis, the one with the larger extent: Godot blends nothing on two axes without
/// triangles.
fn blend_space(resources: &mut String, manifest: &Manifest, space: &SetSpace, id: &str) {
    let places = space
        .points
        .iter()
        .map(|point| [0, 1].map(|axis| point.at.get(axis).copied().unwrap_or(0.0)));
    let ranges = [0, 1].map(|axis| percentile::extremes(places.clone().map(|place| place[axis])));
    // A range must not be empty.
    let ends = ranges.map(|(low, high)| if high > low { (low, high) } else { (low, low + 1.0) });
    let is_flat = !space.triangles.is_empty();
    let [width, height] = ranges.map(|(low, high)| high - low);
    let line = usize::from(height > 1e3 * width);
    let place = |at: [f64; 2]| {
        if is_flat {
            format!("Vector2({}, {})", number(at[0]), number(at[1]))
        } else {
            number(at[line])
        }
    };
    let mut body = String::new();
    for (index, (point, at)) in space.points.iter().zip(places).enumerate() {
        let name = manifest.clip(&point.clip).map_or(&*point.clip, animation_of);
        animation_node(resources, &format!("{id}_{index}"), name);
        let at = place(at);
        body += &format!(
            "blend_point_{index}/node = SubResource(\"{id}_{index}\")\nblend_point_{index}/pos = {at}\nblend_point_{index}/name = &{}\n",
            quoted(&state_name(&point.clip))
        );
    }
    let labels = [0, 1].map(|axis| quoted(space.axes.get(axis).map_or("-", String::as_str)));
    let (kind, triangles, labels) = if is_flat {
        let corners: Vec<String> = space.triangles.iter().flatten().map(usize::to_string).collect();
        // Before the triangles, because setting it would remove them.
        let triangles = format!(
            "auto_triangles = false\ntriangles = PackedInt32Array({})\n",
            corners.join(", ")
        );
        (
            "2D",
            triangles,
            format!("x_label = {}\ny_label = {}", labels[0], labels[1]),
        )
    } else {
        ("1D", String::new(), format!("value_label = {}", labels[line]))
    };
    // Releases before 4.7 know the first of the last two; later ones derive it from the second.
    *resources += &format!(
        "[sub_resource type=\"AnimationNodeBlendSpace{kind}\" id=\"{id}\"]\n{body}{triangles}min_space = {}\nmax_space = {}\n{labels}\nsync = true\nsync_mode = {ONE_PHASE}\n\n",
        place(ends.map(|(low, _)| low)),
        place(ends.map(|(_, high)| high)),
    );
}

/// Returns the times at which the events of a clip are called: in order, and at least a millisecond apart, because Godot keeps only the
/// last of two keys at one time.
fn times(clip: &SetClip) -> Vec<f64> {
    let mut last = f64::NEG_INFINITY;
    clip.events
        .iter()
        .map(|event| {
            last = event.secs.max(last + LEAST_APART_SECS);
            last
        })
        .collect()
}

/// Returns the events of all clips: for each clip an animation with its name and length, and only a track that calls
/// [`EVENT_METHOD`] of the node at `.`; it can be copied into the animations of the files.
pub fn events(manifest: &Manifest) -> String {
    let mut resources = String::new();
    let mut names = Vec::new();
    for clip in manifest.clips.iter().filter(|clip| !clip.events.is_empty()) {
        let id = format!("events_{}", names.len());
        let calls: Vec<String> = clip
            .events
            .iter()
            .map(|event| {
                let foot = quoted(&event.foot);
                format!(
                    "{{\n\"args\": [{foot}, \"{}\"],\n\"method\": &\"{EVENT_METHOD}\"\n}}",
                    event.kind
                )
            })
            .collect();
        resources += &format!(
            "[sub_resource type=\"Animation\" id=\"{id}\"]\nresource_name = {}\nlength = {}\n{}step = {}\n",
            quoted(animation_of(clip)),
            number(clip.seconds),
            if clip.is_loop() { "loop_mode = 1\n" } else { "" },
            number(1.0 / manifest.fps),
        );
        resources.push_str("tracks/0/type = \"method\"\ntracks/0/imported = false\ntracks/0/enabled = true\ntracks/0/path = NodePath(\".\")\n");
        resources += &format!(
            "tracks/0/interp = 1\ntracks/0/loop_wrap = true\ntracks/0/keys = {{\n\"times\": PackedFloat32Array({}),\n\"transitions\": PackedFloat32Array({}),\n\"values\": [{}]\n}}\n\n",
            times(clip).into_iter().map(number).collect::<Vec<_>>().join(", "),
            vec!["1"; calls.len()].join(", "),
            calls.join(", "),
        );
        names.push(format!("&{}: SubResource(\"{id}\")", quoted(animation_of(clip))));
    }
    let mut text = header("AnimationLibrary", &resources);
    text += &format!("[resource]\n_data = {{\n{}\n}}\n", names.join(",\n"));
    text
}

/// Returns the first line of a resource's file, and its resources.
fn header(kind: &str, resources: &str) -> String {
    let steps = 1 + resources.matches("[sub_resource").count();
    format!("[gd_resource type=\"{kind}\" load_steps={steps} format=3]\n\n{resources}")
}

#[cfg(test)]
mod tests {
    use loopwright_core::analysis::FootEventKind;
    use loopwright_formats::set::{ClipKind, FootEventFacts, LoopStateFacts, SetPoint, SetTransition, SetTwist};

    use super::*;

    fn walking() -> Manifest {
        let walk = |name: &str, speed: f64| SetClip {
            name: name.to_owned(),
            animation: Some(format!("{name}-loop")),
            seconds: 1.1,
            twist: Some(SetTwist {
                linear: [0.0, 0.0, speed],
                ..SetTwist::default()
            }),
            events: vec![FootEventFacts {
                secs: 0.55,
                foot: "right".to_owned(),
                ..FootEventFacts::default()
            }],
            ..SetClip::default()
        };
        let state = |clip: &str| {
            Some(LoopStateFacts {
                clip: clip.to_owned(),
                secs: 0.2,
            })
        };
        let mut idle = walk("idle", 0.0);
        idle.events.clear();
        let start = SetClip {
            name: "start \"walk\"".to_owned(),
            kind: ClipKind::Start,
            seconds: 0.9,
            from: state("idle"),
            to: state("walk"),
            ..SetClip::default()
        };
        let point = |clip: &str, at: [f64; 2]| SetPoint {
            clip: clip.to_owned(),
            at: at.to_vec(),
        };
        Manifest {
            fps: 30.0,
            clips: vec![idle, walk("walk", 1.3), walk("run", 3.0), start],
            blend_spaces: vec![SetSpace {
                name: "move".to_owned(),
                axes: vec!["speed_mps".to_owned(), "turn_rate_dps".to_owned()],
                points: vec![
                    point("idle", [0.0, 0.0]),
                    point("walk", [1.3, 0.0]),
                    point("run", [3.0, 20.0]),
                ],
                triangles: vec![[0, 1, 2]],
            }],
            transitions: [("walk", "idle"), ("idle", "walk")]
                .map(|(from, to)| SetTransition {
                    from: from.to_owned(),
                    to: to.to_owned(),
                    fade_secs: 0.4,
                    ..SetTransition::default()
                })
                .to_vec(),
            ..Manifest::default()
        }
    }

    /// Returns the names in `SubResource("...")`, and those that are declared.
    fn used_and_declared(text: &str) -> (BTreeSet<&str>, BTreeSet<&str>) {
        let between = |text: &'static str, whole| -> BTreeSet<&str> {
            let whole: &str = whole;
            whole
                .split(text)
                .skip(1)
                .filter_map(|rest| rest.split('"').next())
                .collect()
        };
        (between("SubResource(\"", text), between("id=\"", text))
    }

    #[test]
    fn resources_name_each_other_and_steps_are_counted() {
        for text in [tree(&walking()), events(&walking())] {
            let (used, declared) = used_and_declared(&text);
            assert_eq!(used, declared, "{text}");
            assert!(
                text.contains(&format!("load_steps={} format=3", declared.len() + 1)),
                "{text}"
            );
            assert_eq!(text.matches('"').count() % 2, 0, "{text}");
        }
    }

    #[test]
    fn passages_lead_from_loop_to_loop() {
        let text = tree(&walking());
        let transitions = text.lines().find(|line| line.starts_with("transitions")).unwrap();
        for way in [
            "\"Start\", \"idle\"",
            "\"idle\", \"start _walk_\"",
            "\"start _walk_\", \"move\"",
            "\"move\", \"idle\"",
        ] {
            assert!(transitions.contains(way), "{way}: {transitions}");
        }
        // The start is in between.
        assert!(!transitions.contains("\"idle\", \"move\""), "{transitions}");
        assert!(text.contains("blend_point_1/pos = Vector2(1.3, 0)"), "{text}");
        assert!(text.contains("triangles = PackedInt32Array(0, 1, 2)"), "{text}");
        assert!(text.contains("animation = &\"walk\"\n"), "{text}");
    }

    /// A start of a loop in two spaces leads to both, by itself only to the first.
    #[test]
    fn spaces_that_share_a_loop_share_its_passages() {
        let mut both = walking();
        let strafe = SetSpace {
            name: "strafe".to_owned(),
            ..both.blend_spaces[0].clone()
        };
        both.blend_spaces.push(strafe);
        let states = States::new(&both, &mut String::new());
        let links = links(&both, &states);
        let mode = |to: &str| links[&("start _walk_".to_owned(), to.to_owned())].2;
        assert_eq!([mode("move"), mode("strafe")], [BY_ITSELF, ON_TRAVEL]);
    }

    #[test]
    fn actions_fade_for_the_time_of_the_manifest() {
        let mut fights = walking();
        let blow = |name: &str, fade_secs: Option<f64>| SetClip {
            name: name.to_owned(),
            kind: ClipKind::Attack,
            seconds: 0.9,
            next: vec![LoopStateFacts {
                clip: "idle".to_owned(),
                secs: 0.2,
            }],
            leave_secs: Some(0.6),
            fade_secs,
            ..SetClip::default()
        };
        fights.clips.extend([blow("punch", Some(0.6)), blow("kick", None)]);
        let states = States::new(&fights, &mut String::new());
        let links = links(&fights, &states);
        let secs = |from: &str, to: &str| links[&(from.to_owned(), to.to_owned())].0;
        assert_eq!([secs("idle", "punch"), secs("punch", "idle")], [0.6, 0.45]);
        assert_eq!([secs("idle", "kick"), secs("kick", "idle")], [FADE_SECS; 2]);
        assert_eq!(secs("idle", "start _walk_"), BEGIN_FADE_SECS);
    }

    /// Returns the names of the properties of each resource, in their order.
    fn properties(text: &str) -> BTreeMap<&str, Vec<&str>> {
        let blocks = text.split("\n[").skip(1).map(|block| {
            let kind = block.split('"').nth(1).filter(|_| block.starts_with("sub_resource"));
            let lines = block.lines().skip(1).filter_map(|line| line.split_once(" = "));
            (kind.unwrap_or("resource"), lines.map(|(name, _)| name).collect())
        });
        blocks.collect()
    }

    /// Compared with the engine's readers: `AnimationNodeBlendSpace2D::_set` and `_bind_methods`, and those of `AnimationNodeStateMachine`
    /// and its transition.
    #[test]
    fn properties_are_those_of_the_engine_in_an_order_in_which_they_can_be_set() {
        let tree = tree(&walking());
        let found = properties(&tree);
        let of_points: Vec<String> = (0..3)
            .flat_map(|point| ["node", "pos", "name"].map(|part| format!("blend_point_{point}/{part}")))
            .collect();
        let (points, rest) = found["AnimationNodeBlendSpace2D"].split_at(9);
        assert_eq!(points, of_points);
        assert_eq!(
            rest,
            [
                "auto_triangles",
                "triangles",
                "min_space",
                "max_space",
                "x_label",
                "y_label",
                "sync",
                "sync_mode"
            ]
        );
        let transition = &found["AnimationNodeStateMachineTransition"];
        assert_eq!(transition, &["xfade_time", "switch_mode", "advance_mode"]);
        // Links lead between existing states.
        let states = &found["resource"];
        assert_eq!(states.last(), Some(&"transitions"));
        assert!(states[1..states.len() - 1].chunks(2).all(|state| {
            let name = state[0].strip_suffix("/node");
            name.is_some() && name == state[1].strip_suffix("/position")
        }));
        let events = events(&walking());
        assert_eq!(
            properties(&events)["Animation"][4..10],
            ["type", "imported", "enabled", "path", "interp", "loop_wrap"].map(|part| format!("tracks/0/{part}"))
        );
    }

    /// Godot blends nothing on two axes without triangles.
    #[test]
    fn loops_on_a_line_are_a_space_of_one_axis() {
        let mut line = walking();
        line.blend_spaces[0].triangles.clear();
        let text = tree(&line);
        assert_eq!(
            properties(&text)["AnimationNodeBlendSpace1D"][9..],
            ["min_space", "max_space", "value_label", "sync", "sync_mode"]
        );
        assert!(
            text.contains("blend_point_2/pos = 3\n") && text.contains("max_space = 3\n"),
            "{text}"
        );
    }

    #[test]
    fn feet_are_called_at_their_times() {
        let mut both = walking();
        let lift = FootEventFacts {
            foot: "left".to_owned(),
            kind: FootEventKind::Lift,
            ..both.clips[1].events[0].clone()
        };
        both.clips[1].events.push(lift);
        // Godot would keep only the last of two keys at one time.
        assert!(events(&both).contains("\"times\": PackedFloat32Array(0.55, 0.551)"));
        let text = events(&walking());
        assert!(text.contains("\"times\": PackedFloat32Array(0.55)"), "{text}");
        assert!(
            text.contains("\"args\": [\"right\", \"strike\"],\n\"method\": &\"foot\""),
            "{text}"
        );
        assert!(!text.contains("&\"idle\""), "{text}");
    }
}
