//! Interprets the name of a take: most animations are named after their motion.
//!
//! A name is used if the motion is ambiguous, and never against clear motion: docs/math/whole_clips.md.

use crate::analysis::{
    Analysis,
    MotionKind::{self, Backward, Idle, Jump, OneShot, Other, Run, Strafe, Walk},
};

use Meaning::{Kind, Once, Repeats};

/// The motion that the name of a take states.
#[value(Copy, Default, Eq)]
pub struct NamedMotion {
    /// The activity of the body; `None` if the name states none, or several.
    pub kind: Option<MotionKind>,
    /// Whether the motion is meant to repeat; `None` if the name does not say.
    pub repeats: Option<bool>,
}

/// Whole words in names of motions, in any case, in languages with spaces or capitals between words.
const WORDS: [(&str, Meaning); 7] = [
    ("loop loops looped looping cycle cycles ciclo boucle schleife", Repeats),
    (
        "idle idles breathing breathe warten esperando attente inactif reposo покой ожидание",
        Kind(Idle),
    ),
    (
        "walk walks walking walkcycle stroll trot trotting sneak sneaking marching gehen caminar caminando andar \
         marche marcher camminata ходьба идти",
        Kind(Walk),
    ),
    (
        "run runs running runcycle jog jogging sprint sprinting gallop galloping canter rennen correr corriendo course \
         courir corsa бег",
        Kind(Run),
    ),
    ("strafe strafes strafing sidestep sidestepping", Kind(Strafe)),
    (
        "swim swims swimming fly flying flap flapping glide gliding hover hovering float floating dance dances dancing \
         crawl crawling nadar nager schwimmen volar voler fliegen tanzen bailar танец плавание полёт",
        Kind(Other),
    ),
    (
        "attack attacks death die dies dying dead hit hits hurt punch kick stab slash chop bite throw shoot fire reload pickup \
         pick wave waves raise rear rears rearing clap bow salute cheer taunt dodge land landing start stop open close equip unequip use interact \
         react reaction transition knockback getup standup sitdown liedown emote thumbsup yes no angriff tod sterben ataque \
         muerte morir attaque mort mourir атака смерть удар",
        Once,
    ),
];

/// Words for backwards and jumps change the meaning of other words.
const BACKWARD: &str = "backward backwards back backpedal rückwärts atrás arrière назад";
const JUMP: &str = "jump jumps leap salto saut sprung прыжок";

/// Words of languages without spaces, anywhere in a name.
const PARTS: [(&str, Meaning); 8] = [
    ("待機", Kind(Idle)),
    ("待机", Kind(Idle)),
    ("歩", Kind(Walk)),
    ("行走", Kind(Walk)),
    ("走り", Kind(Run)),
    ("跑", Kind(Run)),
    ("攻撃", Once),
    ("攻击", Once),
];

#[derive(Clone, Copy)]
enum Meaning {
    /// A motion that repeats.
    Kind(MotionKind),
    Repeats,
    /// A single action.
    Once,
}

impl Analysis {
    /// Reads the name of the take, unless names are to be ignored.
    pub fn named_motion(&self) -> NamedMotion {
        if self.overrides.ignore_name {
            NamedMotion::default()
        } else {
            NamedMotion::of(self.take.name())
        }
    }
}

impl NamedMotion {
    /// Interprets a name.
    pub fn of(name: &str) -> Self {
        let words = words(name);
        let has = |list: &str| list.split_whitespace().any(|word| words.iter().any(|own| own == word));
        let said = WORDS
            .iter()
            .filter(|(list, _)| has(list))
            .chain(PARTS.iter().filter(|(part, _)| name.contains(part)))
            .map(|(_, meaning)| *meaning);
        let (mut kinds, mut repeats, mut once) = (Vec::new(), false, false);
        for meaning in said {
            match meaning {
                Kind(kind) => kinds.push(kind),
                Repeats => repeats = true,
                Once => once = true,
            }
        }
        let (jumps, is_backward) = (has(JUMP), has(BACKWARD));
        if !kinds.is_empty() && has("to") {
            // A change from one motion into another.
            return Self {
                kind: Some(OneShot),
                repeats: Some(false),
            };
        }
        let ends = once || jumps;
        let kind = match kinds[..] {
            // Strafing and going backwards are also walks or runs.
            [.., Strafe] if !ends => Some(Strafe),
            [Walk | Run] if is_backward && !ends => Some(Backward),
            [kind] if !ends => Some(kind),
            [] if jumps && !once && !repeats => Some(Jump),
            [] if once && !repeats => Some(OneShot),
            _ => None,
        };
        let is_idle = kinds.contains(&Idle);
        Self {
            kind,
            // The idle of an attack is an idle; a walk into a jump is neither.
            repeats: match (repeats || is_idle, !kinds.is_empty(), ends) {
                (true, _, _) | (false, true, false) => Some(true),
                (false, false, true) => Some(false),
                _ => None,
            },
        }
    }
}

/// Splits a name into words in lower case: letters between other characters, and before a capital that follows a small letter.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = ' ';
    for letter in name.chars() {
        if !letter.is_alphabetic() || (letter.is_uppercase() && before.is_lowercase()) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphabetic()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_people_mean_by_them() {
        for (name, kind, repeats) in [
            ("Walking_A", Some(Walk), Some(true)),
            ("Armature|walk", Some(Walk), Some(true)),
            ("Man_Walk", Some(Walk), Some(true)),
            ("RunningStrafeLeft", Some(Strafe), Some(true)),
            ("Walking_Backwards", Some(Backward), Some(true)),
            ("Idle Alert", Some(Idle), Some(true)),
            ("2H_Melee_Idle", Some(Idle), Some(true)),
            ("Jump_Idle", None, Some(true)),
            ("Attack_Loop", None, Some(true)),
            ("Dance", Some(Other), Some(true)),
            ("lay_to_idle", Some(OneShot), Some(false)),
            ("WALK_CYCLE_01", Some(Walk), Some(true)),
            ("Jump_Full_Long", Some(Jump), Some(false)),
            ("WalkJump", None, None),
            ("Walk to Idle", Some(OneShot), Some(false)),
            ("1H_Melee_Attack_Chop", Some(OneShot), Some(false)),
            ("Death_A", Some(OneShot), Some(false)),
            ("raise-up-both-hands_elderly_026", Some(OneShot), Some(false)),
            ("бег", Some(Run), Some(true)),
            ("歩きモーション", Some(Walk), Some(true)),
            ("take 001", None, None),
            ("12_01", None, None),
            ("walker's notes", None, None),
            ("", None, None),
        ] {
            assert_eq!(NamedMotion::of(name), NamedMotion { kind, repeats }, "{name}");
        }
    }
}
