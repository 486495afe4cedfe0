//! Reads the part of the body and its side from joint names.
//!
//! Names differ between exporters, so each is split into words and a side.

use super::{BodyError, Foot, FoundBy, Side, controls};
use crate::{motion::Skeleton, names};

/// Parts of a body that have names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Hips,
    Head,
    Neck,
    Thigh,
    Ankle,
    Toe,
    Clavicle,
    UpperArm,
    Forearm,
    Hand,
    Palm,
}

/// Words that say what a joint is for, or which rig it belongs to, but not which part of the body it is.
const RIG_WORDS: [&str; 12] = [
    "bind", "jnt", "jt", "jn", "bn", "bone", "def", "deform", "skin", "skn", "drv", "org",
];

/// Words before every joint name in some exporters.
const PREFIXES: [&str; 7] = ["bip", "def", "mixamorig", "character", "joint", "b", "org"];

/// Words of controls. Some rigs also name the joints of the body so.
pub(super) const CONTROL_WORDS: [&str; 7] = ["ctrl", "ctl", "cntrl", "ctr", "control", "controls", "controller"];

/// Words that say which of several legs a foot belongs to.
const PLACE_WORDS: [&str; 18] = [
    "front", "fore", "back", "hind", "rear", "mid", "middle", "first", "second", "third", "fourth", "inner", "outer",
    "leg", "legs", "limb", "upper", "lower",
];

/// Words of joints that end a leg above its toes.
const FOOT_WORDS: [&str; 7] = ["foot", "ankle", "paw", "hoof", "fetlock", "pastern", "tarsus"];

/// Words of joints below those.
const TOE_WORDS: [&str; 11] = [
    "toe", "toes", "toebase", "toejoint", "ball", "claw", "claws", "digit", "talon", "pad", "nail",
];

/// Words of joints that only mark the end of a bone.
const END_WORDS: [&str; 6] = ["tip", "end", "leaf", "nub", "site", "effector"];

/// Words of limbs' ends that never stand.
const NEVER_FEET: [&str; 37] = [
    "fin", "fins", "flipper", "fluke", "tail", "wing", "wings", "feather", "head", "nose", "snout", "mouth", "jaw",
    "chin", "beak", "tongue", "teeth", "tooth", "fang", "ear", "eye", "hair", "horn", "antenna", "feeler", "whisker",
    "neck", "mane", "trunk", "belly", "stomach", "breast", "cape", "cloth", "skirt", "hand", "finger",
];

/// A name's words in lower case: split at separators, digits and changes of case, without a namespace before a colon.
fn words(name: &str) -> Vec<String> {
    let name = name.rsplit(':').next().unwrap_or(name);
    let mut words: Vec<String> = Vec::new();
    let mut previous_lower = false;
    let mut fresh = true;
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_alphabetic() {
            fresh = true;
            previous_lower = false;
            continue;
        }
        // "LFoot" and "IKFoot" have no lower letter before the second word.
        let after_marker = letter.is_uppercase()
            && letters.peek().is_some_and(|next| next.is_lowercase())
            && (words.last()).is_some_and(|word| ["l", "r", "ik", "fk"].contains(&word.as_str()));
        if fresh || after_marker || (letter.is_uppercase() && previous_lower) {
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

/// What a joint's name says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct JointName {
    /// Its words without the side.
    words: Vec<String>,
    /// The numbers in it, which tell legs of one name apart.
    digits: String,
    part: Option<Part>,
    side: Option<Side>,
}

impl JointName {
    fn of(name: &str) -> Self {
        let mut words = words(name);
        // Some exporters put the rig's own name before every joint name.
        if words.len() > 1 && PREFIXES.contains(&words[0].as_str()) {
            words.remove(0);
        }
        let mut side = None;
        words.retain(|word| {
            let this = side_word(word);
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
        let is_control_word = |word: &&str| CONTROL_WORDS.contains(word);
        let says: Vec<&str> = (words.iter().map(String::as_str))
            .filter(|word| !is_control_word(word))
            .collect();
        Self {
            part: part_of(&says, side.is_some()),
            digits: name.chars().filter(char::is_ascii_digit).collect(),
            words,
            side,
        }
    }

    /// Whether one of its words is this one.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|found| found == word)
    }

    /// Whether it names a part of the body.
    pub(super) fn has_part(&self) -> bool {
        self.part.is_some() || self.is_foot() || self.is_toe()
    }

    /// Whether two names are the same word for word, apart from words for the purpose of a joint.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let says = |word: &&String| !RIG_WORDS.contains(&word.as_str());
        let words = |name: &Self| name.words.iter().filter(says).cloned().collect::<Vec<_>>();
        (self.side, &self.digits) == (other.side, &other.digits) && words(self) == words(other)
    }

    /// Whether two names name the same part of the same side.
    pub(super) fn is_same_part(&self, other: &Self) -> bool {
        let kind = |name: &Self| (name.part, name.is_foot(), name.is_toe(), name.side);
        kind(self) == kind(other)
    }

    /// Whether it names a part from which the rest of the body hangs.
    pub(super) fn is_core(&self) -> bool {
        use Part::{Clavicle, Head, Hips, Neck, Thigh, UpperArm};
        (self.part).is_some_and(|part| [Hips, Head, Neck, Thigh, Clavicle, UpperArm].contains(&part))
    }

    /// The last word that says more than the place and the purpose of the joint.
    fn last_word(&self) -> &str {
        let says_little = [&PLACE_WORDS[..], &RIG_WORDS, &CONTROL_WORDS];
        let says = |word: &&String| word.len() > 1 && !says_little.iter().any(|list| list.contains(&word.as_str()));
        self.words.iter().rev().find(says).map_or("", String::as_str)
    }

    /// Whether it names an ankle, a paw, a hoof, or what else ends a leg above its toes.
    pub(super) fn is_foot(&self) -> bool {
        let word = self.last_word();
        // In names of a single case the place at the front is not a separate word: "forepaw".
        let place = (PLACE_WORDS.iter()).find_map(|place| word.strip_prefix(place).filter(|rest| !rest.is_empty()));
        self.part == Some(Part::Ankle) || FOOT_WORDS.contains(&place.unwrap_or(word))
    }

    /// Whether it names toes, claws or the ball of a foot; also said of other things, unless they are below a foot.
    pub(super) fn is_toe(&self) -> bool {
        self.part == Some(Part::Toe) || TOE_WORDS.contains(&self.last_word())
    }

    /// Whether it only marks the end of a bone.
    pub(super) fn is_end(&self) -> bool {
        self.words.iter().any(|word| END_WORDS.contains(&word.as_str()))
    }

    /// Whether it belongs to a leg by its name.
    pub(super) fn is_leg(&self) -> bool {
        self.words
            .iter()
            .any(|word| word.ends_with("leg") || word.ends_with("legs"))
    }

    /// Whether it never stands by its name.
    pub(super) fn never_stands(&self) -> bool {
        self.words.iter().any(|word| NEVER_FEET.contains(&word.as_str()))
    }
}

/// The side that a word stands for, alone or with the end of the body: "fl" is front left, "lh" left hind.
fn side_word(word: &str) -> Option<Side> {
    match word {
        "left" | "l" | "fl" | "bl" | "hl" | "ml" | "lf" | "lh" | "lb" => Some(Side::Left),
        "right" | "r" | "fr" | "br" | "hr" | "mr" | "rf" | "rh" | "rb" => Some(Side::Right),
        _ => None,
    }
}

/// The part that the words of a name stand for.
fn part_of(words: &[&str], sided: bool) -> Option<Part> {
    let last = words.last().copied().unwrap_or("");
    match (words.concat().as_str(), last) {
        ("upleg" | "upperleg" | "thigh", _) => Some(Part::Thigh),
        ("hip" | "femur", _) if sided => Some(Part::Thigh),
        ("foot" | "ankle", _) => Some(Part::Ankle),
        ("toe" | "toes" | "toebase" | "toejoint" | "ball", _) => Some(Part::Toe),
        ("collar" | "clavicle" | "shoulder" | "torsoclavicle", _) if sided => Some(Part::Clavicle),
        ("arm" | "upperarm" | "uparm" | "shldr" | "humerus", _) if sided => Some(Part::UpperArm),
        ("forearm" | "lowerarm" | "loarm" | "elbow", _) if sided => Some(Part::Forearm),
        ("hand" | "wrist", _) if sided => Some(Part::Hand),
        ("palm", _) if sided => Some(Part::Palm),
        ("hips" | "hip" | "pelvis", _) if !sided => Some(Part::Hips),
        (_, "neck") if !sided => Some(Part::Neck),
        (_, "head") if !sided => Some(Part::Head),
        _ => None,
    }
}

/// The joints of a skeleton with what their names say.
pub(super) struct NamedJoints {
    names: Vec<JointName>,
    /// Whether each joint only steers the rig; such a joint is no part of the body.
    is_control: Vec<bool>,
}

impl NamedJoints {
    pub(super) fn of(skeleton: &Skeleton) -> Self {
        let names: Vec<JointName> = (skeleton.joints().iter())
            .map(|joint| JointName::of(&joint.name))
            .collect();
        let is_control = controls::find(skeleton, &names);
        Self { names, is_control }
    }

    /// What the name of a joint says.
    pub(super) fn name(&self, joint: usize) -> &JointName {
        &self.names[joint]
    }

    /// Whether a joint only steers the rig.
    pub(super) fn is_control(&self, joint: usize) -> bool {
        self.is_control[joint]
    }

    /// The joints that only steer the rig, in order.
    pub(super) fn controls(&self) -> Vec<usize> {
        (0..self.names.len()).filter(|&joint| self.is_control[joint]).collect()
    }

    /// A joint's children that are part of the body.
    pub(super) fn children<'a>(&'a self, skeleton: &'a Skeleton, joint: usize) -> impl Iterator<Item = usize> + 'a {
        (skeleton.children(joint).iter().copied()).filter(|&child| !self.is_control[child])
    }

    /// The first joint of a part and side, one whose name does not speak of controls if there is one.
    fn first(&self, part: Part, side: Option<Side>) -> Option<usize> {
        let mut found = (0..self.names.len()).filter(|&joint| {
            let name = &self.names[joint];
            !self.is_control[joint] && name.part == Some(part) && name.side == side
        });
        let first = found.next()?;
        let speaks_of_controls = |joint: usize| CONTROL_WORDS.iter().any(|word| self.names[joint].has(word));
        let plain = core::iter::once(first)
            .chain(found)
            .find(|&joint| !speaks_of_controls(joint));
        Some(plain.unwrap_or(first))
    }

    pub(super) fn sided(&self, part: Part, side: Side) -> Option<usize> {
        self.first(part, Some(side))
    }

    pub(super) fn unsided(&self, part: Part) -> Option<usize> {
        self.first(part, None)
    }

    pub(super) fn side_of(&self, joint: usize) -> Option<Side> {
        self.names[joint].side
    }

    /// The first joint somewhere below `above` that `is_wanted`.
    pub(super) fn below(
        &self,
        skeleton: &Skeleton,
        above: usize,
        is_wanted: impl Fn(&JointName) -> bool,
    ) -> Option<usize> {
        let mut is_below = vec![false; self.names.len()];
        is_below[above] = true;
        (above + 1..self.names.len()).find(|&joint| {
            is_below[joint] = skeleton.parent(joint).is_some_and(|parent| is_below[parent]);
            is_below[joint] && !self.is_control[joint] && is_wanted(&self.names[joint])
        })
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

    fn parse(name: &str) -> (Option<Part>, Option<Side>) {
        let name = JointName::of(name);
        (name.part, name.side)
    }

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
