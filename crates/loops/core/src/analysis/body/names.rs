//! Reads the part of the body and its side from joint names.
//!
//! Names differ between exporters, so each is split into words and a side.

use super::{
    BodyError, Side,
    vocabulary::{Meaning, Word, is_in, split},
};
use crate::{motion::Skeleton, names::nearest};

/// Words for the purpose of a joint or the rig it belongs to, not for a part of the body.
const RIG_WORDS: &str = "bind jnt jt jn bn bone def deform skin skn drv org";

/// Words before every joint name in some exporters.
const PREFIXES: &str = "bip def mixamorig character joint b org";

/// Words of controls. Some rigs also use them for the joints of the body.
pub(super) const CONTROL_WORDS: &str = "ctrl ctl cntrl ctr control controls controller";

/// Words that distinguish several legs.
const PLACE_WORDS: &str =
    "front fore back hind rear mid middle first second third fourth inner outer leg legs limb upper lower";

/// Words of joints that end a leg above its toes.
const FOOT_WORDS: &str = "foot ankle paw hoof fetlock pastern tarsus";

/// Words of joints below those.
const TOE_WORDS: &str = "toe toes toebase toejoint ball claw claws digit talon pad nail";

/// Words of joints that only mark the end of a bone.
const END_WORDS: &str = "tip end leaf nub site effector";

/// Words of the bones of a leg, beside those that end in "leg".
const LEG_WORDS: &str = "thigh shin calf knee tibia femur coxa";

/// Words of limbs' ends that never stand.
const NEVER_FEET: &str = "fin fins flipper fluke tail wing wings feather head nose snout mouth jaw chin beak tongue teeth tooth \
    fang ear eye hair horn antenna feeler whisker neck mane trunk belly stomach breast cape cloth skirt \
    hand finger";

#[value(Eq)]
pub(super) struct JointName {
    /// Its words without the side.
    words: Vec<String>,
    /// The numbers in it, which distinguish legs of one name.
    digits: String,
    /// The part of the body that it names.
    pub part: Option<Word>,
    pub side: Option<Side>,
    is_helper: bool,
    /// Whether it names the end of a leg above its toes: an ankle, a paw, a hoof, and so on.
    pub is_foot: bool,
    /// Whether it names toes, claws or the ball of a foot; other parts may have these names, unless they are below a foot.
    pub is_toe: bool,
}

impl JointName {
    /// Reads a name, with its meaning among those of its skeleton.
    pub(super) fn of(name: &str, meaning: &Meaning) -> Self {
        let mut words = split(name);
        words.retain(|word| !word.starts_with(|first: char| first.is_ascii_digit()));
        // Some exporters put the rig's own name before every joint name.
        if words.len() > 1 && is_in(PREFIXES, &words[0]) {
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
        let (part, last) = (meaning.word(), last_word(&words));
        // In names of a single case the place at the front is not a separate word: "forepaw".
        let mut places = PLACE_WORDS.split_ascii_whitespace();
        let placed = places.find_map(|place| last.strip_prefix(place).filter(|rest| !rest.is_empty()));
        Self {
            part,
            digits: name.chars().filter(char::is_ascii_digit).collect(),
            is_foot: part == Some(Word::Foot) || is_in(FOOT_WORDS, placed.unwrap_or(last)),
            is_toe: part == Some(Word::Toe) || is_in(TOE_WORDS, last),
            is_helper: meaning.is_helper,
            words,
            side: side.or(meaning.side),
        }
    }

    /// Whether one of its words is this one.
    pub(super) fn has(&self, word: &str) -> bool {
        self.words.iter().any(|found| found == word)
    }

    /// Whether one of its words is in a row of words.
    pub(super) fn has_any(&self, row: &str) -> bool {
        self.words.iter().any(|word| is_in(row, word))
    }

    /// Whether it names a part of the body.
    pub(super) fn has_part(&self) -> bool {
        self.part.is_some() || self.is_foot || self.is_toe
    }

    /// Whether two names are equal word for word, apart from words for the purpose of a joint.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|name| name.words.iter().filter(|word| !is_in(RIG_WORDS, word)));
        (self.side, &self.digits) == (other.side, &other.digits) && own.eq(others)
    }

    /// Whether two names name the same part of the same side.
    pub(super) fn is_same_part(&self, other: &Self) -> bool {
        let [own, others] = [self, other].map(|name| (name.part, name.is_foot, name.is_toe, name.side));
        own == others
    }

    /// Whether it names a part from which the rest of the body descends.
    pub(super) fn is_core(&self) -> bool {
        use Word::{Clavicle, Head, Hips, Neck, Thigh, UpperArm};
        self.part
            .is_some_and(|part| [Hips, Head, Neck, Thigh, Clavicle, UpperArm].contains(&part))
    }

    /// Whether it only marks the end of a bone.
    pub(super) fn is_end(&self) -> bool {
        self.has_any(END_WORDS)
    }

    /// Whether its name belongs to a leg.
    pub(super) fn is_leg(&self) -> bool {
        let mut words = self.words.iter();
        matches!(self.part, Some(Word::Thigh | Word::Shin))
            || words.any(|word| word.ends_with("leg") || word.ends_with("legs") || is_in(LEG_WORDS, word))
    }

    /// Whether it is the name of a leg's bone, which may end the leg.
    pub(super) fn may_end_leg(&self) -> bool {
        self.is_leg() && !(self.is_helper || self.is_foot || self.is_toe || self.never_stands())
    }

    /// Whether it is the name of a bone that is not part of a leg, such as an arm.
    pub(super) fn is_of_elsewhere(&self) -> bool {
        self.has_part() && !self.may_end_leg()
    }

    /// Whether a part of this name never stands.
    pub(super) fn never_stands(&self) -> bool {
        self.has_any(NEVER_FEET)
    }
}

/// Returns the last word beyond those for the place and the purpose of the joint.
fn last_word(words: &[String]) -> &str {
    let rows = [PLACE_WORDS, RIG_WORDS, CONTROL_WORDS];
    let mut words = words.iter().rev().filter(|word| word.len() > 1);
    let last = words.find(|word| !rows.iter().any(|row| is_in(row, word)));
    last.map_or("", String::as_str)
}

/// Returns the side of a word, alone or with the end of the body: "fl" is front left, "lh" left hind.
fn side_word(word: &str) -> Option<Side> {
    match word {
        "left" | "l" | "fl" | "bl" | "hl" | "ml" | "lf" | "lh" | "lb" => Some(Side::Left),
        "right" | "r" | "fr" | "br" | "hr" | "mr" | "rf" | "rh" | "rb" => Some(Side::Right),
        _ => None,
    }
}

/// Returns the names of a few joints that a missing one may stand for: those of the same part of the body, as other rigs call it, then those
/// spelled alike.
pub fn similar_joints(skeleton: &Skeleton, name: &str) -> Vec<String> {
    const MOST: usize = 5;
    let wanted = Meaning::of(name);
    let joints = || {
        skeleton
            .joints()
            .iter()
            .map(|joint| joint.name.as_str())
            .zip(Meaning::of_all(skeleton))
    };
    let is_alike = |own: &Meaning| (own.side, own.is_helper) == (wanted.side, false);
    let is_sure = |own: &Meaning| is_alike(own) && own.word().is_some() && own.word() == wanted.word();
    let may_be = |own: &Meaning| is_alike(own) && wanted.word().is_some_and(|word| own.may_be(word));
    // A shoulder may be a collar bone or an upper arm.
    let some_are_sure = joints().any(|(_, own)| is_sure(&own));
    let (meant, others): (Vec<_>, Vec<_>) =
        joints().partition(|(_, own)| if some_are_sure { is_sure(own) } else { may_be(own) });
    let [meant, others] = [meant, others].map(|joints| joints.into_iter().map(|(name, _)| name));
    meant
        .chain(nearest(name, others, MOST))
        .take(MOST)
        .map(str::to_owned)
        .collect()
}

/// Finds the joint of an exact name. Errors: [`BodyError::NoSuchJoint`], with a few joints that may be meant.
pub(in crate::analysis) fn find_given(skeleton: &Skeleton, name: &str) -> Result<usize, BodyError> {
    skeleton.find(name).ok_or_else(|| BodyError::NoSuchJoint {
        name: name.to_owned(),
        similar: similar_joints(skeleton, name),
    })
}
