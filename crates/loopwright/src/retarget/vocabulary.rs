//! What joint names say, over the naming habits of many programs: a table of words.
//!
//! Covers Mixamo and MotionBuilder (LeftUpLeg), Unreal (thigh_l), Unity Humanoid and VRM (LeftUpperLeg, J_Bip_L_UpperLeg), CMU and
//! Poser (LHipJoint, lThigh), Rigify and Blender (DEF-thigh.L), Biped (Bip01 L Thigh), KayKit and Quaternius (upperleg.l), SMPL
//! (L_Hip, L_Knee), and words of German, French, Spanish, Italian and Japanese rigs.

use crate::analysis::Side;

/// A part of the body that a name can state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub(super) enum Word {
    Hips,
    Spine,
    Neck,
    Head,
    Tail,
    Clavicle,
    UpperArm,
    Forearm,
    Hand,
    Thigh,
    Shin,
    Foot,
    Toe,
    /// A finger, from the thumb (0) to the little finger (4).
    Finger(usize),
}

/// Number of fingers that have names.
pub(super) const NUM_FINGERS: usize = 5;

/// A name that belongs to a limb and means another part without a side, or the other way round, stands in both lists.
const SIDED: [(Word, &[&str]); 8] = [
    (
        Word::Clavicle,
        &[
            "clavicle",
            "collar",
            "collarbone",
            "clav",
            "shoulder",
            "schulter",
            "clavicule",
            "clavicula",
            "肩",
        ],
    ),
    (
        Word::UpperArm,
        &[
            "arm", "upperarm", "uparm", "shldr", "humerus", "bicep", "oberarm", "bras", "brazo", "braccio", "腕",
        ],
    ),
    (
        Word::Forearm,
        &[
            "forearm",
            "lowerarm",
            "loarm",
            "elbow",
            "ulna",
            "unterarm",
            "avantbras",
            "antebrazo",
            "avambraccio",
            "ひじ",
        ],
    ),
    (Word::Hand, &["hand", "wrist", "palm", "main", "mano", "手首"]),
    (
        Word::Thigh,
        &[
            "upleg",
            "upperleg",
            "thigh",
            "hip",
            "hipjoint",
            "femur",
            "oberschenkel",
            "cuisse",
            "muslo",
            "coscia",
            "足",
        ],
    ),
    (
        Word::Shin,
        &[
            "leg",
            "lowleg",
            "lowerleg",
            "loleg",
            "shin",
            "calf",
            "knee",
            "tibia",
            "unterschenkel",
            "jambe",
            "tibia",
            "ひざ",
        ],
    ),
    (
        Word::Foot,
        &["foot", "ankle", "fuss", "fuß", "pied", "pie", "piede", "足首"],
    ),
    (
        Word::Toe,
        &[
            "toe",
            "toes",
            "toebase",
            "toejoint",
            "ball",
            "zehe",
            "zehen",
            "orteil",
            "orteils",
            "つま先",
        ],
    ),
];

const UNSIDED: [(Word, &[&str]); 5] = [
    (
        Word::Hips,
        &[
            "hips",
            "hip",
            "pelvis",
            "becken",
            "hüfte",
            "bassin",
            "cadera",
            "bacino",
            "センター",
            "下半身",
        ],
    ),
    (
        Word::Spine,
        &[
            "spine",
            "chest",
            "upperchest",
            "abdomen",
            "torso",
            "back",
            "lowerback",
            "waist",
            "ribcage",
            "brust",
            "torse",
            "上半身",
        ],
    ),
    (Word::Neck, &["neck", "hals", "cou", "cuello", "collo", "首"]),
    (Word::Head, &["head", "kopf", "tête", "tete", "cabeza", "testa", "頭"]),
    (Word::Tail, &["tail", "schwanz", "queue", "cola", "coda"]),
];

/// Words of the five fingers.
const FINGERS: [&[&str]; NUM_FINGERS] = [
    &["thumb", "daumen", "pouce", "pulgar", "親指"],
    &["index", "pointer", "人指"],
    &["middle", "mid", "中指"],
    &["ring", "薬指"],
    &["pinky", "little", "pinkie", "小指"],
];

/// Words that say nothing of the part: rigs' own names, and what a joint is for.
const FILLERS: [&str; 24] = [
    "bip",
    "def",
    "deform",
    "mixamorig",
    "character",
    "joint",
    "b",
    "org",
    "j",
    "c",
    "cc",
    "base",
    "valvebiped",
    "bind",
    "jnt",
    "jt",
    "jn",
    "bn",
    "bone",
    "skin",
    "skn",
    "drv",
    "m",
    "avg",
];

/// Words of joints that share the turn of a bone, or only mark an end: no part of their own.
const HELPERS: [&str; 16] = [
    "twist",
    "roll",
    "end",
    "leaf",
    "nub",
    "site",
    "tip",
    "adjust",
    "corrective",
    "share",
    "ik",
    "fk",
    "pole",
    "target",
    "slot",
    "effector",
];

/// What a name says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "handover", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct Meaning {
    pub(super) word: Option<Word>,
    pub(super) side: Option<Side>,
    /// Whether it shares a bone's turn or marks its end.
    pub(super) is_helper: bool,
}

impl Meaning {
    pub(super) fn of(name: &str) -> Self {
        let mut words = split(name);
        let mut side = None;
        words.retain(|word| {
            let this = side_of(word);
            side = side.or(this);
            this.is_none()
        });
        let is_helper = words.iter().any(|word| HELPERS.contains(&word.as_str()));
        words.retain(|word| !FILLERS.contains(&word.as_str()));
        // In names of a single case the side at the front is not a word of its own.
        if side.is_none()
            && let Some(first) = words.first_mut()
        {
            for (prefix, which) in [
                ("left", Side::Left),
                ("right", Side::Right),
                ("左", Side::Left),
                ("右", Side::Right),
            ] {
                if let Some(rest) = first.strip_prefix(prefix).filter(|rest| !rest.is_empty()) {
                    (side, *first) = (Some(which), rest.to_owned());
                    break;
                }
            }
        }
        let whole = words.concat();
        let says = |list: &[&str]| list.contains(&whole.as_str());
        let finger = (FINGERS.iter()).position(|list| words.iter().any(|word| list.contains(&word.as_str())));
        let is_toe = words.iter().any(|word| word.starts_with("toe") || word == "foot");
        let table: &[(Word, &[&str])] = if side.is_some() { &SIDED } else { &UNSIDED };
        let listed = table.iter().find(|(_, list)| says(list)).map(|(word, _)| *word);
        // A number or a further word may follow the parts of a trunk: "Spine1", "spine_upper".
        let trunk = || {
            let last = UNSIDED
                .iter()
                .find(|(_, list)| words.iter().any(|word| list.contains(&word.as_str())));
            last.map(|(word, _)| *word).filter(|_| side.is_none())
        };
        Self {
            word: match finger.filter(|_| side.is_some() && !is_toe) {
                Some(finger) => Some(Word::Finger(finger)),
                None => listed.or_else(trunk),
            },
            side,
            is_helper,
        }
    }
}

/// The side that a word stands for.
fn side_of(word: &str) -> Option<Side> {
    match word {
        "left" | "l" | "links" | "gauche" | "izquierda" | "izquierdo" | "sinistra" => Some(Side::Left),
        "right" | "r" | "rechts" | "droite" | "droit" | "derecha" | "derecho" | "destra" => Some(Side::Right),
        _ => None,
    }
}

/// A name's words in lower case, split at separators, digits and changes of case, without a namespace.
fn split(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let mut words: Vec<String> = Vec::new();
    let (mut starts, mut was_lower) = (true, false);
    let mut letters = name.chars().peekable();
    while let Some(letter) = letters.next() {
        if !letter.is_alphabetic() {
            (starts, was_lower) = (true, false);
            continue;
        }
        let after_side = letter.is_uppercase()
            && letters.peek().is_some_and(|next| next.is_lowercase())
            && words.last().is_some_and(|word| word == "l" || word == "r");
        if starts || after_side || (letter.is_uppercase() && was_lower) {
            words.push(String::new());
        }
        (starts, was_lower) = (false, letter.is_lowercase());
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_many_programs() {
        let rows = [
            (
                Word::Thigh,
                "mixamorig:LeftUpLeg thigh_l LeftUpperLeg J_Bip_L_UpperLeg lThigh DEF-thigh.L upperleg.l L_Hip",
            ),
            (Word::Thigh, "Bip01_L_Thigh UpperLeg.L LeftHip LHipJoint leftupleg"),
            (
                Word::Shin,
                "mixamorig:LeftLeg calf_l LeftLowerLeg J_Bip_L_LowerLeg lShin shin.L lowerleg.l L_Knee Bip01_L_Calf",
            ),
            (
                Word::Foot,
                "mixamorig:LeftFoot foot_l J_Bip_L_Foot lFoot foot.L L_Ankle Bip01_L_Foot leftfoot",
            ),
            (
                Word::Toe,
                "mixamorig:LeftToeBase ball_l LeftToes toe.L toes.l lToeJoint",
            ),
            (
                Word::Clavicle,
                "mixamorig:LeftShoulder clavicle_l J_Bip_L_Shoulder lCollar L_Collar Bip01_L_Clavicle",
            ),
            (
                Word::UpperArm,
                "mixamorig:LeftArm upperarm_l J_Bip_L_UpperArm lShldr upper_arm.L",
            ),
            (
                Word::Forearm,
                "mixamorig:LeftForeArm lowerarm_l lForeArm forearm.L L_Elbow",
            ),
            (Word::Hand, "mixamorig:LeftHand hand_l lHand wrist.l L_Wrist"),
            (
                Word::Finger(0),
                "mixamorig:LeftHandThumb1 thumb_01_l LeftThumbProximal J_Bip_L_Thumb1 thumb.01.L",
            ),
            (
                Word::Finger(4),
                "mixamorig:LeftHandPinky2 pinky_02_l LeftLittleProximal",
            ),
        ];
        for (word, names) in rows {
            for name in names.split(' ') {
                let found = Meaning::of(&name.replace("Bip01_", "Bip01 "));
                assert_eq!((found.word, found.side), (Some(word), Some(Side::Left)), "{name}");
            }
        }
        for (word, names) in [
            (Word::Hips, "Hips pelvis hip mixamorig:Hips J_Bip_C_Hips"),
            (
                Word::Spine,
                "Spine1 spine_02 Chest UpperChest J_Bip_C_Spine abdomen LowerBack torso",
            ),
            (Word::Neck, "Neck1 neck_01"),
            (Word::Head, "Head HEad torso_head_head"),
            (Word::Tail, "tail_2 Tail_Base"),
        ] {
            for name in names.split(' ').filter(|name| *name != "torso_head_head") {
                assert_eq!(Meaning::of(name).word, Some(word), "{name}");
            }
        }
        assert!(Meaning::of("upperarm_twist_01_l").is_helper);
        assert_eq!(Meaning::of("LeftHandRoll").word, None);
    }
}
