//! The extensions of VRM, which map nodes to the bones of a human body, to expressions and to the gaze.
//!
//! A character (`VRMC_vrm`, or `VRM` of version 0) and a motion (`VRMC_vrm_animation`) map bones to nodes by the same names. In
//! a motion, nodes beside the skeleton represent expressions, whose weight is the x of their translation, and the gaze, which is
//! their rotation. Only bones rotate, only the hips translate, and programs play the first animation. See docs/formats/gltf.md.

use loopwright_core::retarget::HumanBone;
use serde_json::{Value, json};

use super::{
    container::{Document, text_in},
    error::GltfError,
};
use crate::excerpt::excerpt;

/// The extension of a motion.
pub(super) const ANIMATION: &str = "VRMC_vrm_animation";

/// Kinds of expressions that a motion lists.
pub(super) const KINDS: [&str; 2] = ["preset", "custom"];

/// Bones without a side, with the names of their body parts.
const MIDDLE: [(&str, &str); 6] = [
    ("hips", "Hips"),
    ("spine", "Spine"),
    ("chest", "Spine"),
    ("upperChest", "Spine"),
    ("neck", "Neck"),
    ("head", "Head"),
];

/// Bones of one side, without the side's name.
const SIDED: [(&str, &str); 8] = [
    ("Shoulder", "Collar"),
    ("UpperArm", "UpperArm"),
    ("LowerArm", "ForeArm"),
    ("Hand", "Hand"),
    ("UpperLeg", "UpLeg"),
    ("LowerLeg", "LowerLeg"),
    ("Foot", "Foot"),
    ("Toes", "ToeBase"),
];

const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Little"];

/// Bones of fingers; version 0 names those of the thumb like those of other fingers.
const PHALANGES: [&str; 4] = ["Metacarpal", "Proximal", "Intermediate", "Distal"];

/// Bones that an animation never moves, because the gaze is a separate node.
const EYES: [&str; 2] = ["leftEye", "rightEye"];

/// The body part of joints without a bone: hair, clothes, and twist joints.
const NO_BONE: &str = "helper";

/// Returns the body part of a bone, in the words of joint names; `None` for eyes, the jaw, and unknown bones.
fn part_of(bone: &str) -> Option<String> {
    if let Some((_, part)) = MIDDLE.iter().find(|(name, _)| *name == bone) {
        return Some((*part).to_owned());
    }
    let (side, rest) = [("left", "Left"), ("right", "Right")]
        .into_iter()
        .find_map(|(word, side)| Some((side, bone.strip_prefix(word)?)))?;
    if let Some((_, part)) = SIDED.iter().find(|(name, _)| *name == rest) {
        return Some(format!("{side}{part}"));
    }
    let mut fingers = FINGERS.iter();
    let finger = fingers.find(|finger| {
        rest.strip_prefix(**finger)
            .is_some_and(|bone| PHALANGES.contains(&bone))
    })?;
    Some(format!("{side}Hand{finger}"))
}

/// The nodes that are bones, and the nodes that represent expressions and the gaze.
#[derive(Debug, PartialEq)]
pub(super) struct Humanoid {
    /// The body part of each bone's node.
    bones: Vec<(usize, Option<String>)>,
    pub hips: usize,
    /// Whether it belongs to a motion rather than a character.
    pub is_motion: bool,
    /// The nodes of expressions, in ascending order.
    pub expressions: Vec<usize>,
    pub gaze: Option<usize>,
    /// The required bones that it lacks.
    pub missing: Vec<&'static str>,
}

/// Whether a document is a motion for avatars.
pub(super) fn is_motion(document: &Document) -> bool {
    extension(document, ANIMATION).is_some()
}

/// Whether a binary file is a motion for avatars, judged by its first chunk.
pub(super) fn is_motion_in_bytes(bytes: &[u8]) -> bool {
    let length = bytes.get(12..16).and_then(|length| <[u8; 4]>::try_from(length).ok());
    let length = length.map_or(0, |length| u32::from_le_bytes(length) as usize);
    let chunk = bytes.get(20..).unwrap_or_default();
    let json = &chunk[..length.min(chunk.len())];
    crate::text::contains(json, format!("\"{ANIMATION}\"").as_bytes())
}

fn extension<'a>(document: &'a Document, name: &str) -> Option<&'a Value> {
    let found = document.json.get("extensions")?.get(name)?;
    found.is_object().then_some(found)
}

impl Humanoid {
    /// Reads the bones of a motion, or else of a character; `None` if it is neither, or a character without bones or of a later
    /// version.
    ///
    /// Errors: the node of a bone does not exist, a node is two bones, or there are no hips; a motion states no bones, or has a
    /// later version.
    pub(super) fn of(document: &Document, num_nodes: usize) -> Result<Option<Self>, GltfError> {
        let found = [ANIMATION, "VRMC_vrm", "VRM"]
            .into_iter()
            .find_map(|name| Some((name, extension(document, name)?)));
        let Some((name, stated)) = found else {
            return Ok(None);
        };
        let is_motion = name == ANIMATION;
        let at = format!("extensions.{name}");
        let map = stated.pointer("/humanoid/humanBones");
        let version = text_in(stated, "specVersion");
        // The bones of a later version may differ.
        let later = version.filter(|version| !version.starts_with("1.") && !version.starts_with("0."));
        let map = match (map, later) {
            (Some(map), None) => map,
            _ if !is_motion => return Ok(None),
            (_, Some(version)) => {
                let reason = format!("only 1.x is read, found {}", excerpt(version));
                return Err(GltfError::form(format!("{at}.specVersion"), reason));
            }
            (None, None) => {
                let at = format!("{at}.humanoid.humanBones");
                return Err(GltfError::form(at, "there are no bones, so that no body moves"));
            }
        };
        let named = map.as_object().into_iter().flatten();
        let named = named.map(|(bone, stated)| (bone.as_str(), stated));
        // Version 0 uses a list.
        let listed = map.as_array().into_iter().flatten();
        let listed = listed.filter_map(|stated| Some((text_in(stated, "bone")?, stated)));
        let mut bones: Vec<(usize, Option<String>)> = Vec::new();
        let mut hips = None;
        let mut bone_of: Vec<Option<&str>> = vec![None; num_nodes];
        for (bone, stated) in named.chain(listed).filter(|(_, stated)| !stated.is_null()) {
            let at = || format!("{at}.humanoid.humanBones.{}", excerpt(bone));
            let node = match node_of(stated, num_nodes, at) {
                // Programs wrote missing bones with node -1 in version 0.
                Err(_) if stated.get("node").and_then(Value::as_i64) == Some(-1) => continue,
                node => node?,
            };
            if let Some(other) = bone_of[node].replace(bone) {
                let reason = format!("nodes[{node}] is {} already", excerpt(other));
                return Err(GltfError::form(at(), reason));
            }
            if bone == "hips" {
                hips = Some(node);
            }
            if !(is_motion && EYES.contains(&bone)) {
                bones.push((node, part_of(bone)));
            }
        }
        let Some(hips) = hips else {
            return Err(GltfError::form(
                format!("{at}.humanoid.humanBones"),
                "there are no hips",
            ));
        };
        let (mut expressions, mut gaze) = (Vec::new(), None);
        if is_motion {
            expressions = expression_nodes(stated, num_nodes, &at)?;
            // An entry without a node has other members only, and no gaze.
            let look_at = stated
                .get("lookAt")
                .filter(|stated| stated.get("node").is_some_and(|node| !node.is_null()));
            let look_at = look_at.map(|stated| node_of(stated, num_nodes, || format!("{at}.lookAt")));
            gaze = look_at
                .transpose()?
                .filter(|node| bone_of[*node].is_none() && !expressions.contains(node));
        }
        expressions.retain(|&node| bone_of[node].is_none());
        let missing = HumanBone::NEEDED
            .into_iter()
            .filter(|bone| !bone_of.contains(&Some(*bone)));
        Ok(Some(Self {
            bones,
            hips,
            is_motion,
            expressions,
            gaze,
            missing: missing.collect(),
        }))
    }

    /// Returns the nodes of all bones, for a motion without the eyes.
    pub(super) fn nodes(&self) -> impl Iterator<Item = usize> + '_ {
        self.bones.iter().map(|(node, _)| *node)
    }

    /// Returns the body part of each node, in the words of joint names; a node without a bone is a helper.
    pub(super) fn parts(&self, num_nodes: usize) -> Vec<String> {
        let mut parts = vec![NO_BONE.to_owned(); num_nodes];
        for (node, part) in &self.bones {
            if let Some(part) = part {
                parts[*node].clone_from(part);
            }
        }
        parts
    }
}

/// Reads the number of a node. Errors: it is not a number, or no such node exists.
fn node_of(stated: &Value, num_nodes: usize, at: impl Fn() -> String) -> Result<usize, GltfError> {
    let node = stated.get("node").and_then(Value::as_u64);
    let node = node.ok_or_else(|| GltfError::form(at(), "expected the number of a node"))?;
    let node = usize::try_from(node).unwrap_or(usize::MAX);
    GltfError::check_index(node, num_nodes, || format!("{}.node", at()))?;
    Ok(node)
}

/// Lists the nodes of a motion's expressions, in ascending order.
fn expression_nodes(stated: &Value, num_nodes: usize, at: &str) -> Result<Vec<usize>, GltfError> {
    let mut nodes = Vec::new();
    for kind in KINDS {
        let listed = stated
            .pointer(&format!("/expressions/{kind}"))
            .and_then(Value::as_object);
        for (name, stated) in listed.into_iter().flatten().filter(|(_, stated)| !stated.is_null()) {
            let at = || format!("{at}.expressions.{kind}.{}", excerpt(name));
            nodes.push(node_of(stated, num_nodes, at)?);
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}

/// Returns the extension of a motion with bones at these nodes, as the value of `extensions`.
pub(super) fn stated<'a>(bones: impl Iterator<Item = (&'a str, usize)>) -> Value {
    let map = bones.map(|(bone, node)| (bone.to_owned(), json!({ "node": node })));
    json!({ ANIMATION: {"specVersion": "1.0", "humanoid": {"humanBones": map.collect::<serde_json::Map<_, _>>()}} })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the bones of a file of nine nodes whose extension states them so.
    fn of(name: &str, stated: &str) -> Result<Option<Humanoid>, GltfError> {
        let stated: Value = serde_json::from_str(stated).unwrap();
        let document = Document {
            json: json!({"extensions": {name: stated}}),
            buffers: Vec::new(),
        };
        Humanoid::of(&document, 9)
    }

    #[test]
    fn bones_are_parts_of_the_body() {
        for (bone, part) in [
            ("upperChest", Some("Spine")),
            ("leftShoulder", Some("LeftCollar")),
            ("rightUpperLeg", Some("RightUpLeg")),
            ("leftThumbMetacarpal", Some("LeftHandThumb")),
            ("leftThumbIntermediate", Some("LeftHandThumb")),
            ("rightLittleDistal", Some("RightHandLittle")),
            ("leftEye", None),
            ("jaw", None),
            ("leftIndex", None),
            ("tail", None),
        ] {
            assert_eq!(part_of(bone).as_deref(), part, "{bone}");
        }
    }

    #[test]
    fn characters_of_both_versions_state_their_bones() {
        let map =
            r#"{"humanoid": {"humanBones": {"hips": {"node": 3}, "leftFoot": {"node": 4}, "leftEye": {"node": 5}}}}"#;
        let found = of("VRMC_vrm", map).unwrap().unwrap();
        assert!(!found.is_motion);
        assert_eq!(found.hips, 3);
        assert_eq!(found.parts(6)[2..], ["helper", "Hips", "LeftFoot", "helper"]);
        let list = r#"{"humanoid": {"humanBones": [
            {"bone": "hips", "node": 3}, {"bone": "leftFoot", "node": 4}, {"bone": "leftEye", "node": 5}, {"bone": "jaw", "node": -1}
        ]}}"#;
        assert_eq!(of("VRM", list).unwrap().unwrap(), found);
    }

    #[test]
    fn maps_that_contradict_themselves_are_refused() {
        for (map, fault) in [
            (r#"{"spine": {"node": 1}}"#, "there are no hips"),
            (
                r#"{"hips": {"node": 1}, "spine": {"node": 1}}"#,
                "nodes[1] is hips already",
            ),
            (r#"{"hips": {"node": 9}}"#, "names number 9 of 9"),
            (r#"{"hips": {"node": 18446744073709551615}}"#, "names number"),
            (r#"{"hips": {"node": -2}}"#, "expected the number of a node"),
            (r#"{"hips": 3}"#, "expected the number of a node"),
            ("[]", "there are no hips"),
            (r#""hips""#, "there are no hips"),
        ] {
            let error = of(ANIMATION, &format!(r#"{{"humanoid": {{"humanBones": {map}}}}}"#)).unwrap_err();
            assert!(error.to_string().contains(fault), "{map}: {error}");
        }
        let expression =
            r#"{"humanoid": {"humanBones": {"hips": {"node": 1}}}, "expressions": {"preset": {"aa": {"node": 12}}}}"#;
        let error = of(ANIMATION, expression).unwrap_err().to_string();
        assert!(
            error.contains("expressions.preset.aa.node names number 12 of 9"),
            "{error}"
        );
    }
}
