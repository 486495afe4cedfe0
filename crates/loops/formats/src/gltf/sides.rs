//! Left and right of an avatar's gaze and expressions, by their names.

use glam::DQuat;
use serde_json::Value;

use super::{
    container::{Document, index_in},
    source::{Beside, NodeShapes},
    vrm,
};

/// Markers of sides in names: as words, and at the end.
const WITHIN: [(&str, &str); 4] = [
    ("Left", "Right"),
    ("Right", "Left"),
    ("left", "right"),
    ("right", "left"),
];
const AT_END: [(&str, &str); 4] = [("_L", "_R"), ("_R", "_L"), ("_l", "_r"), ("_r", "_l")];

/// Returns the name of this expression on the other side; `None` if it has no side.
fn partner(name: &str) -> Option<String> {
    let within = WITHIN
        .iter()
        .filter_map(|(own, other)| Some((find_word(name, own)?, own, other)));
    let mut end = AT_END
        .iter()
        .filter_map(|(own, other)| Some(format!("{}{other}", name.strip_suffix(own)?)));
    match within.min_by_key(|(at, ..)| *at) {
        Some((at, own, other)) => Some(format!("{}{other}{}", &name[..at], &name[at + own.len()..])),
        None => end.next(),
    }
}

/// Finds a word in a name such as `browUpLeft` or `left_brow`; "right" inside "fright" is not a side.
fn find_word(name: &str, word: &str) -> Option<usize> {
    let is_capital = word.starts_with(char::is_uppercase);
    let mut found = name.match_indices(word).map(|(at, _)| at);
    found.find(|&at| {
        let before = name[..at].chars().next_back();
        let after = name[at + word.len()..].chars().next();
        (is_capital || !before.is_some_and(char::is_alphabetic)) && !after.is_some_and(char::is_lowercase)
    })
}

/// Returns the place of the expressions of a kind in the file.
fn path_of(kind: &str) -> String {
    format!("/extensions/{}/expressions/{kind}", vrm::ANIMATION)
}

/// Returns the nodes of expressions that mirror each other; a node alone if the other side has none.
fn pairs(document: &Document) -> Vec<Vec<usize>> {
    let kinds = vrm::KINDS
        .into_iter()
        .filter_map(|kind| document.json.pointer(&path_of(kind))?.as_object());
    let pairs = kinds.flat_map(|listed| {
        listed.iter().filter_map(move |(name, stated)| {
            let other = partner(name)?;
            let beside = listed.get(&other);
            let nodes = core::iter::once(stated).chain(beside);
            let is_first = beside.is_none() || *name < other;
            is_first.then(|| nodes.filter_map(|stated| index_in(stated, "node")).collect())
        })
    });
    pairs.collect()
}

/// Gives the nodes of one-sided expressions the names of the other side.
pub(super) fn exchange_names(document: &mut Document) {
    for kind in vrm::KINDS {
        if let Some(Value::Object(listed)) = document.json.pointer_mut(&path_of(kind)) {
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

/// Averages both sides: the gaze is straight, and expressions of both sides are at their mean. The mirrored second half of a loop continues
/// from there.
pub(super) fn evened(document: &Document, shapes: &[NodeShapes]) -> Vec<NodeShapes> {
    let mut evened = shapes.to_vec();
    for shapes in evened.iter_mut().filter(|shapes| shapes.property == Beside::Gaze) {
        let turns = shapes.weights.weights.chunks_exact_mut(4);
        for turn in turns.filter(|turn| turn[1..3] != [0.0; 2]) {
            let mut ahead = DQuat::from_xyzw(turn[0], 0.0, 0.0, turn[3]);
            if ahead.length_squared() <= 0.0 {
                ahead = DQuat::IDENTITY;
            }
            turn.copy_from_slice(&ahead.normalize().to_array());
        }
    }
    for nodes in pairs(document) {
        let sides = nodes.iter().filter_map(|&node| {
            let mut all = shapes.iter();
            all.find(|shapes| shapes.node == node && shapes.property == Beside::Expression)
        });
        let sides: Vec<&[f64]> = sides.map(|shapes| &shapes.weights.weights[..]).collect();
        let frames = sides.iter().map(|weights| weights.len()).max().unwrap_or(0);
        // A side without motion has weight zero.
        let weights = |frame: usize| sides.iter().map(move |side| side.get(frame).copied().unwrap_or(0.0));
        let mean: Vec<f64> = (0..frames).map(|frame| 0.5 * weights(frame).sum::<f64>()).collect();
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
            json: serde_json::from_str(
                r#"{"extensions": {"VRMC_vrm_animation": {"expressions": {"preset": {
                    "blinkLeft": {"node": 1}, "blinkRight": {"node": 2}, "aa": {"node": 3}, "lookLeft": {"node": 4}
                }}}}}"#,
            )
            .unwrap(),
            buffers: Vec::new(),
        };
        let shapes = [
            beside(1, Beside::Expression, 1, &[1.0, 0.5]),
            beside(2, Beside::Expression, 1, &[0.0, 0.5]),
            beside(3, Beside::Expression, 1, &[0.2, 0.3]),
            beside(4, Beside::Expression, 1, &[0.2, 0.3]),
            beside(5, Beside::Gaze, 4, &[0.6, 0.48, 0.0, 0.64, 0.0, 1.0, 0.0, 0.0]),
            beside(6, Beside::Gaze, 4, &[0.3, 0.0, 0.0, 0.953]),
        ];
        let evened = evened(&document, &shapes);
        let weights: Vec<&[f64]> = evened.iter().map(|shapes| &shapes.weights.weights[..]).collect();
        assert_eq!(weights[..4], [&[0.5, 0.5], &[0.5, 0.5], &[0.2, 0.3], &[0.1, 0.15]]);
        let length = f64::hypot(0.6, 0.64);
        assert!((weights[4][0] - 0.6 / length).abs() < 1e-12 && weights[4][1..3] == [0.0, 0.0]);
        assert_eq!(weights[4][4..], [0.0, 0.0, 0.0, 1.0]);
        assert_eq!(evened[5], shapes[5], "what turns to no side stays, to the bit");
    }

    #[test]
    fn expressions_of_one_side_have_a_partner() {
        for (name, other) in [
            ("blinkLeft", Some("blinkRight")),
            ("lookRight", Some("lookLeft")),
            ("leftBrowUp", Some("rightBrowUp")),
            ("Fcl_EYE_Close_L", Some("Fcl_EYE_Close_R")),
            ("eye_left", Some("eye_right")),
            ("frightened", None),
            ("brightEyes", None),
            ("upright", None),
            ("Leftover", None),
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
