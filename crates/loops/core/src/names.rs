//! Matches names with patterns, and finds names that resemble a wanted one.

/// Whether a whole name matches a pattern: `*` matches any letters, including none, and `?` any one letter.
pub fn matches(pattern: &str, name: &str) -> bool {
    let [pattern, name]: [Vec<char>; 2] = [pattern, name].map(|text| text.chars().collect());
    let (mut at, mut letter) = (0, 0);
    // Position of the last star, and the letter up to which it matches; it matches further when the rest of the pattern fails.
    let mut star: Option<(usize, usize)> = None;
    while letter < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, letter));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[letter] => {
                at += 1;
                letter += 1;
            }
            _ => {
                let Some((star_at, reached)) = star else {
                    return false;
                };
                star = Some((star_at, reached + 1));
                at = star_at + 1;
                letter = reached + 1;
            }
        }
    }
    pattern[at..].iter().all(|&wanted| wanted == '*')
}

/// Returns the names that resemble a wanted one, the most similar first, at most `most` of them.
///
/// Case, punctuation and a prefix before a colon or a bar are ignored. Names that contain the wanted one come before those that
/// differ from it in a few letters, or that are at least half of it; others are left out.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let wanted = folded(wanted);
    let mut near: Vec<(usize, &str)> = names
        .into_iter()
        .filter_map(|name| Some((distance(&wanted, &folded(name))?, name)))
        .collect();
    // The sort is stable.
    near.sort_by_key(|&(distance, _)| distance);
    near.into_iter().take(most).map(|(_, name)| name).collect()
}

/// Returns the letters and digits of a name in lower case, without a namespace.
fn folded(name: &str) -> Vec<char> {
    let name = name.rsplit([':', '|']).next().unwrap_or(name);
    let kept = name.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).take(MAX_COMPARED).collect()
}

/// Longest compared part of a name, in letters: the effort grows with its square.
const MAX_COMPARED: usize = 64;

/// One letter in this many may be wrong.
const LETTERS_A_FAULT: usize = 3;

/// Returns the difference of two folded names; `None` if they do not resemble each other.
fn distance(wanted: &[char], name: &[char]) -> Option<usize> {
    if wanted.is_empty() || name.is_empty() {
        return None;
    }
    if wanted == name {
        return Some(0);
    }
    let contains = |whole: &[char], part: &[char]| whole.windows(part.len()).any(|window| window == part);
    if contains(name, wanted) {
        return Some(1);
    }
    if contains(wanted, name) && 2 * name.len() >= wanted.len() {
        return Some(1 + wanted.len() - name.len());
    }
    let edits = edits(wanted, name);
    (edits * LETTERS_A_FAULT <= wanted.len().max(LETTERS_A_FAULT)).then_some(1 + edits)
}

/// Returns the number of letters to change, add, drop or swap to turn one name into the other.
fn edits(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, &letter) in from.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, &other) in to.iter().enumerate() {
            let mut least = (row[j] + usize::from(letter != other))
                .min(row[j + 1] + 1)
                .min(next[j] + 1);
            if i > 0 && j > 0 && letter == to[j - 1] && from[i - 1] == other {
                least = least.min(before[j - 1] + 1);
            }
            next.push(least);
        }
        before = core::mem::replace(&mut row, next);
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_in_order() {
        let names = ["Idle", "Walking_A", "Walking_B", "mixamorig:Walk", "Talk", "Death"];
        assert_eq!(
            nearest("walk", names, 8),
            ["mixamorig:Walk", "Walking_A", "Walking_B", "Talk"]
        );
        assert_eq!(nearest("wlaking_a", names, 8), ["Walking_A", "Walking_B"]);
        assert_eq!(nearest("wlaking_a", names, 0), [""; 0]);
        assert_eq!(nearest("Deaht", names, 2), ["Death"]);
        assert_eq!(nearest("swim", names, 2), [""; 0]);
        assert_eq!(nearest("hreo", ["h", "hero"], 2), ["hero"]);
        assert_eq!(
            nearest("walk-lop", ["w", "walk", "walk-loop"], 8),
            ["walk-loop", "walk"]
        );
        assert_eq!(nearest("?", names, 2), [""; 0]);
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, wanted) in [
            ("Walk*", "Walk_A", true),
            ("*walk*", "a walk", true),
            ("Walk?", "Walk", false),
            ("W*k*b", "Walk_a_b", true),
            ("", "", true),
            ("*", "", true),
        ] {
            assert_eq!(matches(pattern, name), wanted, "{pattern} {name}");
        }
    }
}
