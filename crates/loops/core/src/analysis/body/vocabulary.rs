//! Interprets joint names in the naming conventions of many programs, by tables of words.
//!
//! Covers Mixamo, MotionBuilder, Maya and captures (LeftUpLeg), Unreal (thigh_l), Unity Humanoid, VRM and VRoid (LeftUpperLeg,
//! J_Bip_L_UpperLeg), CMU, Poser and DAZ (lfemur, lThigh, lThighBend), Rigify and Blender (DEF-thigh.L), Biped, Valve and
//! Character Creator (Bip01 L Thigh, CC_Base_L_Thigh), Advanced Skeleton and SMPL (Hip_L, Knee_L), Synty, KayKit and Quaternius
//! (upperleg.l), Source 2 (leg_upper_L), Xsens, Motive, Rokoko, Kinect and Roblox, MMD, and words of German, French, Spanish,
//! Italian, Portuguese and Japanese rigs.
//!
//! Programs use one word for different parts: a shoulder is a collar bone or an upper arm, a leg is a shin or a thigh. Such a
//! word is in both rows; the place of the joint in its limb decides.

use std::{collections::BTreeMap, sync::LazyLock};

use super::Side;
use crate::{math::distinct, motion::Skeleton};

/// A part of the body that a name can state.
#[handed_over(Copy, Eq)]
pub(crate) enum Word {
    Hips,
    Spine,
    Neck,
    Head,
    Tail,
    Clavicle,
    UpperArm,
    Forearm,
    Hand,
    /// A bone of the hand that belongs to no finger.
    Palm,
    Thigh,
    Shin,
    Foot,
    Toe,
    /// A finger, from the thumb (0) to the little finger (4).
    Finger(usize),
    /// The bone within the hand that carries a finger.
    FingerBase(usize),
}

use Word::{
    Clavicle, Finger, FingerBase, Foot, Forearm, Hand, Head, Hips, Neck, Palm, Shin, Spine, Tail, Thigh, Toe, UpperArm,
};

/// Number of fingers that have names.
pub(crate) const NUM_FINGERS: usize = 5;

/// Words of the limbs, in lower case and without accents. A word in two rows more often has the first meaning.
///
/// The words of one part may be written together or apart and in either order: "upperarm", "arm_upper".
const LIMBS: [(Word, &str); 9] = [
    (
        Clavicle,
        "clavicle collar collarbone clav scapula shoulder torsoclavicle sternoclavicular acromioclavicular \
         schulter schlusselbein epaule clavicule hombro clavicula spalla clavicola ombro 肩 鎖骨",
    ),
    (
        UpperArm,
        "arm upperarm uparm uarm shldr shoulder humerus bicep oberarm bras brazo braccio braco 腕 上腕 うで",
    ),
    (
        Forearm,
        "forearm lowerarm loarm lowarm farm elbow ulna radius arm \
         unterarm ellbogen ellenbogen avantbras coude antebrazo codo avambraccio gomito antebraco cotovelo ひじ 肘 前腕",
    ),
    (
        Hand,
        "hand wrist fist radiocarpal handgelenk main poignet mano muneca polso mao punho 手首 手",
    ),
    (Palm, "palm"),
    (
        Shin,
        "leg lowleg lowerleg loleg shin calf knee tibia \
         unterschenkel knie wade bein jambe genou mollet pierna rodilla pantorrilla gamba ginocchio polpaccio \
         perna joelho canela ひざ 膝 すね",
    ),
    (
        Thigh,
        "upleg upperleg uleg thigh hip femur leg \
         oberschenkel hufte bein cuisse hanche jambe muslo pierna coscia anca gamba coxa perna 足 太もも もも 脚",
    ),
    (
        Foot,
        "foot ankle talocrural fuss knochel pied cheville pie tobillo piede caviglia pe tornozelo 足首 足",
    ),
    (
        Toe,
        "toe toes toebase toejoint ball foot \
         zehe zehen orteil orteils dedospie dedopie ditapiede dita dedospe つま先 足先",
    ),
];

/// Words of the trunk. Words of the hips have another meaning with further words, as in "hip_pouch"; a spine is one whatever
/// follows.
const TRUNK: [(Word, &str); 5] = [
    (
        Hips,
        "hips hip pelvis lowertorso lowerbody center \
         becken hufte bassin hanches cadera bacino quadril センター 下半身 腰",
    ),
    (
        Spine,
        "spine chest upperchest abdomen ab torso back lowerback upperback thorax waist ribcage upperbody \
         wirbelsaule wirbel rucken bauch brust brustkorb colonne dos torse poitrine columna espalda pecho \
         colonna schiena torace petto coluna tronco peito 上半身 背骨 胸",
    ),
    (Neck, "neck lowerneck upperneck hals nacken cou cuello collo pescoco 首"),
    (Head, "head skullbase kopf tete cabeza testa cabeca 頭"),
    (Tail, "tail schwanz queue cola coda しっぽ 尻尾"),
];

/// Words of the five fingers.
const FINGERS: [&str; NUM_FINGERS] = [
    "thumb daumen pouce pulgar pollice polegar 親指",
    "index pointer fore zeigefinger indice indicador 人指 人差指 人差し指",
    "middle mid mittelfinger majeur medio 中指",
    "ring third ringfinger annulaire anular anulare anelar 薬指",
    "pinky little pinkie auriculaire menique mignolo mindinho 小指",
];

/// Additional words in the name of a finger.
const OF_FINGERS: &str =
    "hand finger fingers f in proximal intermediate medial distal metacarpal meta carpal base dedo";

/// Words of the bones within the hand.
const METACARPAL: &str = "in metacarpal meta carpal base";

/// Words of a finger's bones. With them fingers are counted from one, otherwise from zero.
const PHALANGES: &str = "metacarpal proximal intermediate medial distal";

/// Words without information about the part: rigs' own names, and the purpose of a joint.
const FILLERS: &str = "bip def deform mixamorig character b org j cc base valvebiped bind jnt jt jn bn bone skin skn drv avg bend stretch \
    ctrl ctl cntrl ctr control controls controller";

/// Letters of joints without a side.
const MIDDLE: &str = "c m x";

/// Words that only distinguish several in a row.
const PLACES: &str = "lower upper mid middle low up";

/// Words of helper joints, which twist with a bone, only mark an end, or steer.
const HELPERS: &str = "twist roll end leaf nub site tip adjust corrective share part ik fk pole target slot effector sec mch \
    tweak socket attach attachment prop weapon dummy aux helper 捩";

const LEFT: &str =
    "left l lf lft lt links gauche izquierda izquierdo izq sinistra sinistro sx esquerda esquerdo esq 左";
const RIGHT: &str = "right r rf rt rgt rechts droite droit derecha derecho der destra destro dx direita direito dir 右";

/// Letters for the sides in other languages, which often have other meanings: only at the end, and of a limb.
const LETTERS: [(&str, Side); 2] = [("g e s i", Side::Left), ("d", Side::Right)];

/// Whether a word is in a row of words.
pub(super) fn is_in(row: &str, word: &str) -> bool {
    row.split_ascii_whitespace().any(|listed| listed == word)
}

/// The parts that each word stands for, likeliest first.
type Words = BTreeMap<&'static str, Vec<Word>>;

static LIMB_WORDS: LazyLock<Words> = LazyLock::new(|| by_word(&LIMBS));
static TRUNK_WORDS: LazyLock<Words> = LazyLock::new(|| by_word(&TRUNK));
static FINGER_WORDS: LazyLock<BTreeMap<&'static str, usize>> = LazyLock::new(|| {
    let rows = FINGERS.iter().enumerate();
    rows.flat_map(|(finger, row)| row.split_ascii_whitespace().map(move |word| (word, finger)))
        .collect()
});

fn by_word(rows: &[(Word, &'static str)]) -> Words {
    let mut words = Words::new();
    for (word, row) in rows {
        for listed in row.split_ascii_whitespace() {
            words.entry(listed).or_default().push(*word);
        }
    }
    words
}

/// The meaning of a name.
#[handed_over(Eq)]
pub(crate) struct Meaning {
    /// Its possible parts, likeliest first.
    words: Vec<Word>,
    pub side: Option<Side>,
    /// Whether it is a twist joint, an end marker or a control.
    pub is_helper: bool,
}

impl Meaning {
    /// Interprets each name of a skeleton. A word in most of its names that is not a part of the body is the rig's own name.
    pub(crate) fn of_all(skeleton: &Skeleton) -> Vec<Self> {
        let names: Vec<Vec<String>> = skeleton.joints().iter().map(|joint| split(joint.says())).collect();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for words in &names {
            for word in distinct(words.iter().map(String::as_str)) {
                *counts.entry(word).or_default() += 1;
            }
        }
        let habits: Vec<String> = counts
            .into_iter()
            .filter(|&(word, count)| {
                let is_of_body =
                    LIMB_WORDS.contains_key(word) || TRUNK_WORDS.contains_key(word) || FINGER_WORDS.contains_key(word);
                2 * count > names.len() && !is_of_body && !is_number(word) && side_of(word).is_none()
            })
            .map(|(word, _)| word.to_owned())
            .collect();
        names
            .into_iter()
            .zip(skeleton.joints())
            .map(|(mut words, joint)| {
                if words.len() > 1 {
                    words.retain(|word| !habits.contains(word));
                }
                Self::of_words(words, numbers_fingers(joint.says()))
            })
            .collect()
    }

    /// Interprets a single name.
    pub(crate) fn of(name: &str) -> Self {
        Self::of_words(split(name), numbers_fingers(name))
    }

    /// Returns the likeliest part.
    pub(crate) fn word(&self) -> Option<Word> {
        self.words.first().copied()
    }

    /// Whether it may mean a part.
    pub(crate) fn may_be(&self, word: Word) -> bool {
        self.words.contains(&word)
    }

    fn of_words(mut words: Vec<String>, numbers_fingers: Option<bool>) -> Self {
        if let Some(vertebra) = vertebra(&words) {
            return Self {
                words: vec![vertebra],
                side: None,
                is_helper: false,
            };
        }
        let mut side = None;
        words.retain(|word| {
            let this = side_of(word);
            side = side.or(this);
            this.is_none()
        });
        let is_helper = words.iter().any(|word| is_in(HELPERS, word));
        let numbered = numbers_fingers.and_then(|is_hyphened| numbered_finger(&words, is_hyphened));
        words.retain(|word| !is_number(word));
        // At the end it has a meaning: "index1_base".
        let ends_in_base = words.last().is_some_and(|word| word == "base");
        words.retain(|word| !is_in(FILLERS, word));
        if ends_in_base {
            words.push("base".to_owned());
        }
        // At the end it is a word of its own: "hip joint".
        if words.len() > 1 && words[0] == "joint" {
            words.remove(0);
        }
        // The side at the beginning or the end of a joined word is not a separate word.
        if side.is_none() {
            side = take_side(&mut words);
        }
        if words.len() > 1 && is_in(MIDDLE, &words[0]) {
            words.remove(0);
        }
        let words = match side {
            Some(_) => match numbered.or_else(|| finger(&words)) {
                Some(finger) => vec![finger],
                None => limb(&words),
            },
            None => {
                words.retain(|word| !is_in(MIDDLE, word));
                trunk(&words).into_iter().collect()
            }
        };
        Self { words, side, is_helper }
    }
}

fn side_of(word: &str) -> Option<Side> {
    if is_in(LEFT, word) {
        Some(Side::Left)
    } else if is_in(RIGHT, word) {
        Some(Side::Right)
    } else {
        None
    }
}

/// Splits the side off words without a separate one: off "leftfoot", "lfoot" and "左足", and off the letter after "cuisse" and
/// "G".
fn take_side(words: &mut Vec<String>) -> Option<Side> {
    for (text, side) in [
        ("left", Side::Left),
        ("right", Side::Right),
        ("左", Side::Left),
        ("右", Side::Right),
    ] {
        let first = words.first_mut()?;
        let rest = first.strip_prefix(text).or_else(|| first.strip_suffix(text));
        if let Some(rest) = rest.filter(|rest| !rest.is_empty()) {
            *first = rest.to_owned();
            return Some(side);
        }
    }
    if let [rest @ .., last] = words.as_slice()
        && let Some((_, side)) = LETTERS.iter().find(|(letters, _)| is_in(letters, last))
        && (!limb(rest).is_empty() || finger(rest).is_some())
    {
        words.pop();
        return Some(*side);
    }
    let is_listed = |word: &str| LIMB_WORDS.contains_key(word) || FINGER_WORDS.contains_key(word);
    let [word] = words.as_mut_slice() else { return None };
    for (letter, side) in [("l", Side::Left), ("r", Side::Right)] {
        if let Some(rest) = word.strip_prefix(letter).filter(|rest| is_listed(rest))
            && !is_listed(word)
        {
            *word = rest.to_owned();
            return Some(side);
        }
    }
    None
}

/// Returns the possible parts of the words of a limb, joined in either order.
fn limb(words: &[String]) -> Vec<Word> {
    let found = match words {
        [one] => LIMB_WORDS.get(one.as_str()),
        [one, other] => LIMB_WORDS
            .get(format!("{one}{other}").as_str())
            .or_else(|| LIMB_WORDS.get(format!("{other}{one}").as_str())),
        _ => LIMB_WORDS.get(words.concat().as_str()),
    };
    found.cloned().unwrap_or_default()
}

/// Returns the part of the words of a trunk: all of them together, else the last one, else any that names a spine or neck.
fn trunk(words: &[String]) -> Option<Word> {
    let of = |word: &str| TRUNK_WORDS.get(word).map(|words| words[0]);
    let last = words.iter().rev().find(|word| !is_in(PLACES, word));
    of(&words.concat())
        .or_else(|| of(last?).filter(|word| *word != Hips))
        .or_else(|| {
            let mut any = words.iter().filter_map(|word| of(word));
            any.rfind(|word| [Spine, Neck, Tail].contains(word))
        })
}

/// Returns the finger that words name, if they name nothing else.
fn finger(words: &[String]) -> Option<Word> {
    // In names of a single case the hand is not a separate word.
    let of = |word: &String| {
        let finger = FINGER_WORDS.get(word.as_str());
        finger.or_else(|| FINGER_WORDS.get(word.strip_prefix("hand")?)).copied()
    };
    let finger = words.iter().rev().find_map(of)?;
    let says_else = words.iter().any(|word| of(word).is_none() && !is_in(OF_FINGERS, word));
    (!says_else).then(|| finger_or_base(finger, words))
}

/// Returns the bone within the hand or one of the finger itself. The one within the hand is the first of the thumb's three.
fn finger_or_base(finger: usize, words: &[String]) -> Word {
    let mut bases = words.iter().filter(|word| is_in(METACARPAL, word));
    if bases.any(|word| finger > 0 || word == "in") {
        FingerBase(finger)
    } else {
        Finger(finger)
    }
}

/// Returns a finger named by number: "Finger0" to "Finger42" in Biped, of which the first digit is the finger, or
/// "Finger1Proximal" and "finger1-1".
fn numbered_finger(words: &[String], is_hyphened: bool) -> Option<Word> {
    let at = words.windows(2).position(|pair| pair[0] == "finger")?;
    let digits = words[at + 1].as_bytes();
    let first = usize::from(digits[0].checked_sub(b'0')?);
    if words[..at].iter().any(|word| !is_in(FILLERS, word) && !is_number(word)) || digits.len() > 2 {
        return None;
    }
    let counts_from_one = is_hyphened || words.iter().any(|word| is_in(PHALANGES, word));
    let finger = if counts_from_one { first.checked_sub(1)? } else { first };
    (finger < NUM_FINGERS).then(|| finger_or_base(finger, words))
}

/// Returns how fingers are numbered in a name, if they are: whether a second number follows after a hyphen. "Finger_01" is the
/// first bone of the only finger.
fn numbers_fingers(name: &str) -> Option<bool> {
    let name = name.to_lowercase();
    let number = name.split("finger").skip(1).find(|after| after.starts_with(is_digit))?;
    let after = number.trim_start_matches(is_digit);
    Some(after.strip_prefix('-').is_some_and(|after| after.starts_with(is_digit)))
}

fn is_digit(letter: char) -> bool {
    letter.is_ascii_digit()
}

pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns a vertebra by its anatomical name: "L5", "T12", "C7", "vl5". The number distinguishes it from a left joint.
fn vertebra(words: &[String]) -> Option<Word> {
    let [letter, number] = words else { return None };
    let number: usize = number.parse().ok()?;
    match (letter.as_str(), number) {
        ("l" | "vl", 1..=5) | ("t" | "vt", 1..=12) => Some(Spine),
        ("c" | "vc", 1..=7) => Some(Neck),
        _ => None,
    }
}

/// Splits a name into words in lower case without accents, at separators, numbers and changes of case or script, without a
/// namespace. Numbers are words.
pub(super) fn split(name: &str) -> Vec<String> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    // Combining accents stand in the file names of some systems.
    let letters = name.chars().filter(|letter| !('\u{300}'..='\u{36f}').contains(letter));
    let letters = letters.map(halfwidth);
    let letters: Vec<char> = letters.collect();
    let mut words: Vec<String> = Vec::new();
    let mut before = Kind::Separator;
    for (at, &letter) in letters.iter().enumerate() {
        let kind = Kind::of(letter);
        let comes = |kind: Kind, ahead: usize| letters.get(at + ahead).is_some_and(|&next| Kind::of(next) == kind);
        let starts = match (before, kind) {
            (_, Kind::Separator) => {
                before = kind;
                continue;
            }
            (Kind::Upper, Kind::Lower) => false,
            // "LFoot", "IKFoot" and "LUArm" have no lower letter before the second word.
            (Kind::Upper, Kind::Upper) => {
                let last = words.last().map_or("", String::as_str);
                let is_side = ["l", "r"].contains(&last);
                (comes(Kind::Lower, 1) && (is_side || ["ik", "fk"].contains(&last)))
                    || (comes(Kind::Upper, 1) && comes(Kind::Lower, 2) && is_side)
            }
            _ => before != kind,
        };
        if starts {
            words.push(String::new());
        }
        before = kind;
        if let Some(word) = words.last_mut() {
            fold(letter, word);
        }
    }
    words
}

/// The kind of a letter, for splitting words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Separator,
    Digit,
    Lower,
    Upper,
    /// A letter of a script without cases.
    Uncased,
}

impl Kind {
    fn of(letter: char) -> Self {
        if letter.is_ascii_digit() {
            Self::Digit
        } else if !letter.is_alphabetic() {
            Self::Separator
        } else if letter.is_uppercase() {
            Self::Upper
        } else if letter.is_lowercase() {
            Self::Lower
        } else {
            Self::Uncased
        }
    }
}

/// Converts wide Latin letters and digits of Japanese names to plain ones.
fn halfwidth(letter: char) -> char {
    match letter {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(letter) - 0xfee0).unwrap_or(letter),
        _ => letter,
    }
}

/// Appends a letter in lower case without its accent.
fn fold(letter: char, word: &mut String) {
    for letter in letter.to_lowercase() {
        match letter {
            'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' => word.push('a'),
            'ç' => word.push('c'),
            'è' | 'é' | 'ê' | 'ë' => word.push('e'),
            'ì' | 'í' | 'î' | 'ï' => word.push('i'),
            'ñ' => word.push('n'),
            'ò' | 'ó' | 'ô' | 'õ' | 'ö' => word.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => word.push('u'),
            'ß' => word.push_str("ss"),
            _ => word.push(letter),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_part_into_words() {
        for (name, words) in [
            ("mixamorig:LeftUpLeg", "left up leg"),
            ("LUArm", "l uarm"),
            ("HEad", "head"),
            ("IKFoot_L", "ik foot l"),
            ("Bip01LFinger0Nub", "bip 01 l finger 0 nub"),
            ("左足ＩＫ親", "左足 ik 親"),
            ("Schlüsselbein.Fuß", "schlusselbein fuss"),
            ("DEF-thigh.L.001", "def thigh l 001"),
        ] {
            assert_eq!(split(name).join(" "), words, "{name}");
        }
    }

    #[test]
    fn names_of_limbs_say_part_and_side() {
        let rows = [
            (
                Thigh,
                "LeftUpLeg thigh_l lThighBend Hip_L leg_upper_L lfemur 左足 cuisse.G",
            ),
            (Shin, "LeftLeg calf_l knee_L leg_lower_L 左ひざ gamba_sx"),
            (Foot, "foot.l LeftAnkle 左足首 Fuß.L pie_izq pé.E"),
            (Toe, "LeftToeBase ball_l Bip01LToe0"),
            (Clavicle, "LeftShoulder lCollar Scapula_L Épaule.G"),
            (UpperArm, "LeftArm lShldrBend LUArm arm_upper_L 左腕"),
            (Forearm, "lForearmBend LFArm elbow_L avant-bras.G"),
            (Hand, "LeftHand wrist.l Fist.L 左手首 main.G"),
            (Finger(0), "LeftHandThumb1 leftThumbMetacarpal Bip01LFinger02 左親指０"),
            (Finger(1), "f_index.01.L fore1_L Bip01LFinger11 LeftFinger2Proximal"),
            (Finger(4), "LeftLittleProximal pinky_02_l CC_Base_L_Pinky1"),
            (FingerBase(1), "LeftInHandIndex index_metacarpal_l finger_index_meta_L"),
        ];
        for (word, names) in rows {
            for name in names.split(' ') {
                let found = Meaning::of(name);
                assert_eq!((found.word(), found.side), (Some(word), Some(Side::Left)), "{name}");
            }
        }
    }

    #[test]
    fn words_that_programs_use_otherwise_may_be_either() {
        for (name, one, other) in [
            ("LeftShoulder", Clavicle, UpperArm),
            ("leg_L", Shin, Thigh),
            ("L_Foot", Foot, Toe),
            ("左足", Thigh, Foot),
        ] {
            let found = Meaning::of(name);
            assert!(found.may_be(one) && found.may_be(other), "{name} {found:?}");
        }
    }

    #[test]
    fn names_of_trunks_have_no_side() {
        for (word, names) in [
            (Hips, "Hips pelvis hip J_Bip_C_Hips LowerTorso センター"),
            (Spine, "Spine1 chestUpper lowerback_torso L5 T12 upper_body 上半身2"),
            (Neck, "Neck1 neckLower CC_Base_NeckTwist01 C7"),
            (Head, "Head torso_head Tête"),
            (Tail, "tail_2 Tail_Base"),
        ] {
            for name in names.split(' ') {
                let found = Meaning::of(name);
                assert_eq!((found.word(), found.side), (Some(word), None), "{name}");
            }
        }
    }

    #[test]
    fn what_shares_a_turn_or_hangs_along_is_no_part() {
        for name in "LeftHandRoll upperarm_twist_01_l CC_Base_L_BigToe1 IndexToe1_L prop_hand_L 左足D head_hair hip_pouch Bip01Footsteps leg_mid_l"
            .split(' ')
        {
            assert_eq!(Meaning::of(name).word(), None, "{name}");
        }
        assert!(Meaning::of("upperarm_twist_01_l").is_helper);
    }
}
