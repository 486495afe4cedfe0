//! Detects styles and actors in the names of takes.

use std::collections::{BTreeMap, BTreeSet};

use loopwright_core::{candidate::NamedMotion, names};

/// Whether a name has a style: it matches a pattern, or contains the word.
pub fn fits_style(pattern: &str, name: &str) -> bool {
    let [pattern, name] = [pattern, name].map(str::to_lowercase);
    if pattern.contains(['*', '?']) {
        names::matches(&pattern, &name)
    } else {
        name.contains(&pattern)
    }
}

/// Words of direction and speed, which are not styles; words of gaits are known elsewhere.
const NO_STYLES: [&str; 16] = [
    "left",
    "right",
    "forward",
    "forwards",
    "backward",
    "backwards",
    "front",
    "back",
    "side",
    "straight",
    "slow",
    "fast",
    "start",
    "stop",
    "loop",
    "take",
];

/// Fewest motions that two styles share: with one, a word may as well name a motion.
const IN_COMMON: usize = 2;

/// Returns the style of each take if names show several: the word in which otherwise equal names differ, as in `Neutral_FW` and
/// `Angry_FW`, for at least two motions. Takes without such a word have none.
pub fn styles(takes: &[String]) -> Option<Vec<Option<String>>> {
    let words: Vec<Vec<String>> = takes.iter().map(|name| words_of(name)).collect();
    let longest = words.iter().map(Vec::len).max()?;
    // Names may have more words before or after the style.
    let told = (0..longest)
        .flat_map(|place| [(place, false), (place, true)])
        .filter_map(|(place, from_last)| styles_at(&words, place, from_last));
    // The position that explains most takes, the first of a tie.
    told.rev().max_by_key(|styles| styles.iter().flatten().count())
}

/// Returns the styles if they are the words at a place in names, counted from the first or from the last word.
fn styles_at(words: &[Vec<String>], place: usize, from_last: bool) -> Option<Vec<Option<String>>> {
    let word_of = |words: &Vec<String>| {
        let index = if from_last {
            words.len().checked_sub(place + 1)?
        } else {
            place
        };
        may_be_style(words.get(index)?).then_some(index)
    };
    // The motions of each style: the other words.
    let mut motions: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for words in words {
        let Some(index) = word_of(words) else { continue };
        let mut rest = words.clone();
        rest.remove(index);
        rest.retain(|word| !word.chars().all(|letter| letter.is_ascii_digit()));
        motions.entry(&words[index]).or_default().insert(rest.join(" "));
    }
    let shared: Vec<&str> = motions
        .iter()
        .filter(|(word, own)| {
            motions
                .iter()
                .filter(|(other, _)| other != word)
                .any(|(_, theirs)| theirs.intersection(own).count() >= IN_COMMON)
        })
        .map(|(word, _)| *word)
        .collect();
    let styles: Vec<Option<String>> = words.iter().map(|words| Some(words[word_of(words)?].clone())).collect();
    // Rare words occur by chance.
    let told = styles
        .iter()
        .flatten()
        .filter(|style| shared.contains(&style.as_str()))
        .count();
    (2 * told >= words.len() && told > 0).then_some(styles)
}

fn may_be_style(word: &str) -> bool {
    word.chars().count() > 2
        && word.chars().any(char::is_alphabetic)
        && NamedMotion::of(word).kind.is_none()
        && !NO_STYLES.contains(&word)
}

fn words_of(name: &str) -> Vec<String> {
    name.split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(takes: &[&str]) -> Option<Vec<Option<String>>> {
        styles(&takes.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn a_style_is_the_word_in_which_the_same_motions_differ() {
        let some = |word: &str| Some(word.to_owned());
        assert_eq!(
            told(&["Neutral_FW.bvh", "Neutral_BR.bvh", "Angry_FW.bvh", "Angry_BR.bvh"]),
            Some(vec![some("neutral"), some("neutral"), some("angry"), some("angry")])
        );
        assert_eq!(
            told(&[
                "d-1_walk_normal_001",
                "d-1_run_normal_001",
                "d-1_walk_elderly_002",
                "d-1_run_elderly_001"
            ]),
            Some(vec![some("normal"), some("normal"), some("elderly"), some("elderly")])
        );
        // Motions, sides and numbers are not styles.
        assert_eq!(told(&["walk_01", "walk_02", "run_01", "run_02"]), None);
        assert_eq!(told(&["walk_left", "run_left", "walk_right", "run_right"]), None);
        assert_eq!(told(&["hero_walk", "hero_run", "guard_jump"]), None);
        let few = ["one_a", "one_b", "two_a", "two_b", "x", "y", "z", "w", "v"];
        assert_eq!(told(&few), None);
    }

    #[test]
    fn a_style_is_a_word_or_a_pattern() {
        assert!(fits_style("neutral", "100style/Neutral_FW.bvh"));
        assert!(fits_style("*_FW*", "Neutral_FW.bvh"));
        assert!(!fits_style("angry", "Neutral_FW.bvh"));
    }
}
