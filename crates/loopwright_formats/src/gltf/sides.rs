//! Left and right of what an avatar shows beside its pose: its gaze, and expressions of one side, by their names.

use glam::DQuat;
use serde_json::{Map, Value};

use super::container::Document;
use super::source::{Beside, NodeShapes};
use super::vrm;

/// Kinds of expressions that a motion lists.
pub(super) const KINDS: [&str; 2] = ["preset", "custom"];

/// Words of sides in names: within them, and at their end.
const WITHIN: [(&str, &str); 2] = [("Left", "Right"), ("left", "right")];
const AT_END: [(&str, &str); 2] = [("_L", "_R"), ("_l", "_r")];

/// The name of the same expression on the other side; `None` for one of both.
fn partner(name: &str) -> Option<String> {
    let both_ways = |&(left, right): &(&'static str, &'static str)| [(left, right), (right, left)];
    let within = WITHIN.iter().flat_map(both_ways);
    let within = within.filter_map(|(own, other)| Some((name.find(own)?, own, other)));
    let end = AT_END.iter().flat_map(both_ways);
    let mut end = end.filter_map(|(own, other)| Some(format!("{}{other}", name.strip_suffix(own)?)));
    match within.min_by_key(|(at, ..)| *at) {
        Some((at, own, other)) => Some(format!("{}{other}{}", &name[..at], &name[at + own.len()..])),
        None => end.next(),
    }
}

fn listed<'a>(document: &'a Document, kind: &str) -> Option<&'a Map<String, Value>> {
    let path = format!("/extensions/{}/expressions/{kind}", vrm::ANIMATION);
    document.json.pointer(&path)?.as_object()
}

/// The nodes of expressions that mirror each other.
fn pairs(document: &Document) -> Vec<[usize; 2]> {
    let node = |stated: &Value| usize::try_from(stated.get("node")?.as_u64()?).ok();
    let pairs_of = |listed: &Map<String, Value>| -> Vec<[usize; 2]> {
        let pairs = listed.iter().filter_map(|(name, stated)| {
            let other = partner(name).filter(|other| name < other)?;
            Some([node(stated)?, node(listed.get(&other)?)?])
        });
        pairs.collect()
    };
    KINDS
        .iter()
        .filter_map(|kind| listed(document, kind))
        .flat_map(pairs_of)
        .collect()
}

/// Gives the nodes of expressions of one side the names of the other.
pub(super) fn exchange_names(document: &mut Document) {
    for kind in KINDS {
        let path = format!("/extensions/{}/expressions/{kind}", vrm::ANIMATION);
        if let Some(Value::Object(listed)) = document.json.pointer_mut(&path) {
            let named = core::mem::take(listed).into_iter();
            *listed = named
                .map(|(name, stated)| (partner(&name).unwrap_or(name), stated))
                .collect();
        }
    }
}

/// Mirrors a gaze across X.
pub(super) fn mirror_gaze(shapes: &mut NodeShapes) {
    if shapes.property == Beside::Gaze {
        for turn in shapes.weights.weights.chunks_exact_mut(4) {
            (turn[1], turn[2]) = (-turn[1], -turn[2]);
        }
    }
}

/// What both sides have in common: a gaze that turns to no side, and expressions of both sides at their mean. The second half of a loop that mirrors the
/// first goes on from there.
pub(super) fn evened(document: &Document, shapes: &[NodeShapes]) -> Vec<NodeShapes> {
    let mut evened = shapes.to_vec();
    for shapes in evened.iter_mut().filter(|shapes| shapes.property == Beside::Gaze) {
        for turn in shapes.weights.weights.chunks_exact_mut(4) {
            let ahead = DQuat::from_xyzw(turn[0], 0.0, 0.0, turn[3]);
            let ahead = if ahead.length_squared() > 0.0 {
                ahead.normalize()
            } else {
                DQuat::IDENTITY
            };
            turn.copy_from_slice(&ahead.to_array());
        }
    }
    let weights_of = |node: usize| {
        let of_node = |shapes: &&NodeShapes| shapes.node == node && shapes.property == Beside::Expression;
        shapes.iter().find(of_node).map(|shapes| &shapes.weights.weights)
    };
    for nodes in pairs(document) {
        let [Some(one), Some(other)] = nodes.map(weights_of) else {
            continue;
        };
        let mean: Vec<f64> = one.iter().zip(other).map(|(one, other)| 0.5 * (one + other)).collect();
        for shapes in evened.iter_mut().filter(|shapes| nodes.contains(&shapes.node)) {
            shapes.weights.weights.clone_from(&mean);
        }
    }
    evened
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes::ShapeWeights;

    #[test]
    fn both_sides_have_in_common_what_is_not_aside() {
        let beside = |node: usize, property: Beside, width: usize, weights: &[f64]| NodeShapes {
            node,
            property,
            weights: ShapeWeights {
                width,
                weights: weights.to_vec(),
            },
        };
        let document = Document {
            json: serde_json::json!({"extensions": {vrm::ANIMATION: {"expressions": {"preset": {
                "blinkLeft": {"node": 1}, "blinkRight": {"node": 2}, "aa": {"node": 3}, "lookLeft": {"node": 4}
            }}}}}),
            buffers: Vec::new(),
        };
        let shapes = [
            beside(1, Beside::Expression, 1, &[1.0, 0.5]),
            beside(2, Beside::Expression, 1, &[0.0, 0.5]),
            beside(3, Beside::Expression, 1, &[0.2, 0.3]),
            beside(4, Beside::Expression, 1, &[0.2, 0.3]),
            beside(5, Beside::Gaze, 4, &[0.6, 0.48, 0.0, 0.64, 0.0, 1.0, 0.0, 0.0]),
        ];
        let evened = evened(&document, &shapes);
        let weights: Vec<&[f64]> = evened.iter().map(|shapes| &shapes.weights.weights[..]).collect();
        assert_eq!(weights[..4], [&[0.5, 0.5], &[0.5, 0.5], &[0.2, 0.3], &[0.2, 0.3]]);
        let length = f64::hypot(0.6, 0.64);
        assert!((weights[4][0] - 0.6 / length).abs() < 1e-12 && weights[4][1..3] == [0.0, 0.0]);
        assert_eq!(weights[4][4..], [0.0, 0.0, 0.0, 1.0]);
    }

    #[test]
    fn expressions_of_one_side_have_a_partner() {
        for (name, other) in [
            ("blinkLeft", Some("blinkRight")),
            ("lookRight", Some("lookLeft")),
            ("leftBrowUp", Some("rightBrowUp")),
            ("Fcl_EYE_Close_L", Some("Fcl_EYE_Close_R")),
            ("blink", None),
            ("happy", None),
            ("", None),
        ] {
            assert_eq!(partner(name).as_deref(), other, "{name}");
            if let Some(other) = other {
                assert_eq!(partner(other).as_deref(), Some(name), "{other}");
            }
        }
    }
}
