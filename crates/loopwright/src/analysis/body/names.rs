//! Reads the part of the body and its side from joint names.
//!
//! Names differ between exporters, so each is split into words and a side.

use super::{BodyError, Foot, FoundBy, Side};
use crate::{motion::Skeleton, names};

/// Parts of a body that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Hips,
    Head,
    Thigh,
    Ankle,
    Toe,
    Clavicle,
    UpperArm,
    Hand,
}

/// A name's words in lower case: split at separators, digits and changes of case, without a namespace before a colon.
fn words(name: &str) -> Vec<String> {
    let name = name.rsplit(':').next().unwrap_or(name);
    let mut words: Vec<String> = Vec::new();
    let mut previous_lower = false;
    let mut fresh = true;
    for letter in name.chars() {
        if !letter.is_alphabetic() {
            fresh = true;
            previous_lower = false;
            continue;
        }
        if fresh || (letter.is_uppercase() && previous_lower) {
            words.push(String::new());
        }
        fresh = false;
        previous_lower = letter.is_lowercase();
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

/// The part and the side that a joint's name stands for.
fn parse(name: &str) -> (Option<Part>, Option<Side>) {
    let mut words = words(name);
    // Some exporters put the rig's own name before every joint name.
    if words.len() > 1 && ["bip", "def", "mixamorig", "character", "joint"].contains(&words[0].as_str()) {
        words.remove(0);
    }
    let mut side = None;
    words.retain(|word| {
        let this = match word.as_str() {
            "left" | "l" => Some(Side::Left),
            "right" | "r" => Some(Side::Right),
            _ => None,
        };
        side = side.or(this);
        this.is_none()
    });
    // In names of a single case the side at the front is not a separate word.
    if side.is_none()
        && let [word] = words.as_mut_slice()
    {
        for (prefix, which) in [("left", Side::Left), ("right", Side::Right)] {
            if let Some(rest) = word.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
                side = Some(which);
                *word = rest.to_owned();
                break;
            }
        }
    }
    let last = words.last().map_or("", String::as_str);
    let joined = words.concat();
    let sided = side.is_some();
    let part = match (joined.as_str(), last) {
        ("upleg" | "upperleg" | "thigh", _) => Some(Part::Thigh),
        ("hip" | "femur", _) if sided => Some(Part::Thigh),
        ("foot" | "ankle", _) => Some(Part::Ankle),
        ("toe" | "toes" | "toebase" | "toejoint" | "ball", _) => Some(Part::Toe),
        ("collar" | "clavicle" | "shoulder" | "torsoclavicle", _) if sided => Some(Part::Clavicle),
        ("arm" | "upperarm" | "uparm" | "shldr" | "humerus", _) if sided => Some(Part::UpperArm),
        ("hand" | "wrist", _) if sided => Some(Part::Hand),
        ("hips" | "hip" | "pelvis", _) if !sided => Some(Part::Hips),
        (_, "head") if !sided => Some(Part::Head),
        _ => None,
    };
    (part, side)
}

/// The joints of a skeleton with the parts and sides read from their names.
pub(super) struct NamedJoints {
    parts: Vec<(Option<Part>, Option<Side>)>,
}

impl NamedJoints {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        Self {
            parts: skeleton.joints().iter().map(|joint| parse(&joint.name)).collect(),
        }
    }

    fn first(&self, part: Part, side: Option<Side>) -> Option<usize> {
        self.parts.iter().position(|&found| found == (Some(part), side))
    }

    pub(super) fn sided(&self, part: Part, side: Side) -> Option<usize> {
        self.first(part, Some(side))
    }

    pub(super) fn unsided(&self, part: Part) -> Option<usize> {
        self.first(part, None)
    }

    pub(super) fn side_of(&self, joint: usize) -> Option<Side> {
        self.parts[joint].1
    }

    /// The first joint of a part somewhere below `above`.
    pub(super) fn below(&self, skeleton: &Skeleton, part: Part, above: usize) -> Option<usize> {
        (above + 1..skeleton.num_joints())
            .find(|&joint| self.parts[joint].0 == Some(part) && skeleton.path_from_root(joint).contains(&above))
    }

    /// The feet whose ankles have names, left before right.
    pub(super) fn feet(&self, skeleton: &Skeleton) -> Vec<Foot> {
        let mut feet: Vec<Foot> = Vec::new();
        for side in [Some(Side::Left), Some(Side::Right), None] {
            let Some(ankle) = self.first(Part::Ankle, side) else {
                continue;
            };
            feet.push(Foot {
                ankle,
                toe: self.below(skeleton, Part::Toe, ankle),
                side,
            });
        }
        feet
    }

    /// The joint from which both legs hang, whatever its name; else the joint named as hips, else the first.
    pub(super) fn hips(&self, skeleton: &Skeleton, feet: &[Foot], found_by: FoundBy) -> usize {
        if feet.len() >= 2 && found_by != FoundBy::AllLeaves {
            let paths: Vec<Vec<usize>> = feet.iter().map(|foot| skeleton.path_from_root(foot.ankle)).collect();
            let common = paths[0]
                .iter()
                .take_while(|joint| paths.iter().all(|path| path.contains(joint)))
                .last();
            if let Some(&common) = common {
                return common;
            }
        }
        self.unsided(Part::Hips).unwrap_or(0)
    }
}

/// The joint of an exact name. Errors: [`BodyError::NoSuchJoint`], with up to three joints whose names are similar.
pub(in crate::analysis) fn find_given(skeleton: &Skeleton, name: &str) -> Result<usize, BodyError> {
    skeleton.find(name).ok_or_else(|| {
        let joints = skeleton.joints().iter().map(|joint| joint.name.as_str());
        let similar = names::nearest(name, joints, 3);
        BodyError::NoSuchJoint {
            name: name.to_owned(),
            similar: similar.into_iter().map(str::to_owned).collect(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_exporters() {
        let left = Some(Side::Left);
        for (name, part) in [
            ("LeftFoot", Part::Ankle),
            ("mixamorig:LeftFoot", Part::Ankle),
            ("lFoot", Part::Ankle),
            ("Foot_L", Part::Ankle),
            ("foot.l", Part::Ankle),
            ("LeftAnkle", Part::Ankle),
            ("leftfoot", Part::Ankle),
            ("Bip01 L Foot", Part::Ankle),
            ("Toes_L", Part::Toe),
            ("LeftToeBase", Part::Toe),
            ("lToeJoint", Part::Toe),
            ("LeftHip", Part::Thigh),
            ("UpperLeg_L", Part::Thigh),
            ("lThigh", Part::Thigh),
            ("lShldr", Part::UpperArm),
            ("LeftWrist", Part::Hand),
        ] {
            assert_eq!(parse(name), (Some(part), left), "{name}");
        }
        assert_eq!(parse("HEad"), (Some(Part::Head), None));
        assert_eq!(parse("torso_head"), (Some(Part::Head), None));
        assert_eq!(parse("hip"), (Some(Part::Hips), None));
        assert_eq!(parse("HeadTop_End").0, None);
        assert_eq!(parse("LeftHandThumb1").0, None);
        assert_eq!(parse("LHipJoint").0, None);
    }
}
