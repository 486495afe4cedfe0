//! Matches animations of a file with a name, a pattern or a number.

use std::collections::HashSet;

use loopwright_core::names;

use crate::excerpt::{self, cut};

/// Longest name in messages, and most names that resemble a wanted one.
const MAX_SHOWN_NAME: usize = 60;
const MAX_NEAR: usize = 8;

const WILDCARDS: [char; 2] = ['*', '?'];

/// Why a name, a pattern or a number matches no animation of a file, or several.
#[error_kinds(Eq)]
pub enum AnimationError {
    /// No animation has that name or number.
    #[error("there is no animation \"{wanted}\"; {}", there_are(.near, *.count))]
    NoSuch {
        wanted: String,
        near: Vec<String>,
        count: usize,
    },
    #[error("several animations are named \"{wanted}\" but for case: {}", excerpt::list(.names))]
    DifferInCase { wanted: String, names: Vec<String> },
    #[error("\"{wanted}\" matches {} animations: {}", .names.len(), excerpt::list(.names))]
    Several { wanted: String, names: Vec<String> },
}

fn there_are(near: &[String], count: usize) -> String {
    match (near.len(), count) {
        (_, 0) => "the file holds none".to_owned(),
        (0, _) => format!("no name is near it; there are {count} in all"),
        (shown, _) if shown == count => format!("there are: {}", excerpt::list(near)),
        _ => format!("the nearest: {}; {count} in all", excerpt::list(near)),
    }
}

/// Finds all animations that match a name, a pattern or a number, and returns their numbers in the order of the file.
///
/// A name matches exactly, else in any case, else behind a bar, as in `Armature|walk`; a pattern of `*` and `?` matches whole
/// names in any case, or the part behind a bar; a number counts from 0, also as `#1` where a name is that number. Errors: none matches, or several differ in case alone.
pub(crate) fn matching(names: &[String], wanted: &str) -> Result<Vec<usize>, AnimationError> {
    if let Some(exact) = names.iter().position(|name| name == wanted) {
        return Ok(vec![exact]);
    }
    let wanted_lower = wanted.to_lowercase();
    let lower: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let those = |is_wanted: &dyn Fn(&str) -> bool| -> Vec<usize> {
        (0..names.len()).filter(|&index| is_wanted(&lower[index])).collect()
    };
    let in_any_case = those(&|name| name == wanted_lower);
    if let Some(&first) = in_any_case.first() {
        if in_any_case.iter().all(|&index| names[index] == names[first]) {
            return Ok(vec![first]);
        }
        return Err(AnimationError::DifferInCase {
            wanted: cut(wanted, MAX_SHOWN_NAME),
            names: shown(in_any_case.iter().map(|&index| &names[index])),
        });
    }
    let behind = those(&|name| name.rsplit_once('|').is_some_and(|(_, name)| name == wanted_lower));
    if !behind.is_empty() {
        return Ok(behind);
    }
    if wanted.contains(WILDCARDS) {
        let fits = |name: &str| names::matches(&wanted_lower, name);
        let matching = those(&|name| fits(name) || name.rsplit_once('|').is_some_and(|(_, name)| fits(name)));
        if !matching.is_empty() {
            return Ok(matching);
        }
    }
    let number = wanted.strip_prefix('#').unwrap_or(wanted).parse().ok();
    if let Some(number) = number.filter(|&number| number < names.len()) {
        return Ok(vec![number]);
    }
    let near = if names.len() <= MAX_NEAR {
        shown(names.iter())
    } else {
        names::nearest(
            &wanted.replace(WILDCARDS, ""),
            names.iter().map(String::as_str),
            MAX_NEAR,
        )
        .into_iter()
        .map(|name| cut(name, MAX_SHOWN_NAME))
        .collect()
    };
    Err(AnimationError::NoSuch {
        wanted: cut(wanted, MAX_SHOWN_NAME),
        near,
        count: names.len(),
    })
}

/// Finds the one animation that matches a name, a pattern or a number. Errors: none matches, or several do.
pub(crate) fn one(names: &[String], wanted: &str) -> Result<usize, AnimationError> {
    let matching = matching(names, wanted)?;
    match matching[..] {
        [only] => Ok(only),
        _ => Err(AnimationError::Several {
            wanted: cut(wanted, MAX_SHOWN_NAME),
            names: shown(matching.iter().map(|&index| &names[index])),
        }),
    }
}

/// Returns the names of parts of a file; one without a name has its number, as `#1` if that is the name of another.
pub(crate) fn names_or_numbers<'a>(names: impl Iterator<Item = Option<&'a str>>) -> Vec<String> {
    let names: Vec<&str> = names.map(Option::unwrap_or_default).collect();
    let taken: HashSet<&str> = names.iter().copied().collect();
    names
        .iter()
        .enumerate()
        .map(|(index, name)| match *name {
            "" if taken.contains(index.to_string().as_str()) => format!("#{index}"),
            "" => index.to_string(),
            name => name.to_owned(),
        })
        .collect()
}

fn shown<'a>(names: impl Iterator<Item = &'a String>) -> Vec<String> {
    names.map(|name| cut(name, MAX_SHOWN_NAME)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_come_before_patterns_and_patterns_before_numbers() {
        let all = names(&["Idle", "walk", "Walk", "Run", "Armature|Jump", "Star*", "3"]);
        for (wanted, found) in [
            ("Walk", vec![2]),
            ("walk", vec![1]),
            ("idle", vec![0]),
            ("jump", vec![4]),
            ("JU?P", vec![4]),
            ("star*", vec![5]),
            ("*a*", vec![1, 2, 4, 5]),
            ("?u*", vec![3, 4]),
            ("3", vec![6]),
            ("4", vec![4]),
            ("#3", vec![3]),
        ] {
            assert_eq!(matching(&all, wanted), Ok(found), "{wanted}");
        }
        assert_eq!(one(&all, "r?n"), Ok(3));
        assert_eq!(
            matching(&all, "WALK"),
            Err(AnimationError::DifferInCase {
                wanted: "WALK".to_owned(),
                names: names(&["walk", "Walk"]),
            })
        );
        assert_eq!(
            one(&all, "w*").unwrap_err().to_string(),
            "\"w*\" matches 2 animations: walk, Walk"
        );
    }

    #[test]
    fn numbers_that_are_names_are_told_apart() {
        let all = names_or_numbers([Some("1"), None, None].into_iter());
        assert_eq!(all, ["1", "#1", "2"]);
        assert_eq!(
            ["1", "#0", "#1", "2"].map(|wanted| one(&all, wanted)),
            [Ok(0), Ok(0), Ok(1), Ok(2)]
        );
    }

    #[test]
    fn what_matches_nothing_is_answered_with_near_names() {
        let all = names(&["Idle", "Walk"]);
        assert_eq!(
            one(&all, "stroll").unwrap_err().to_string(),
            "there is no animation \"stroll\"; there are: Idle, Walk"
        );
        let many: Vec<String> = (0..76).map(|number| format!("Walk_{number:02}")).collect();
        assert_eq!(
            one(&many, "Wlak_07").unwrap_err().to_string(),
            "there is no animation \"Wlak_07\"; the nearest: Walk_07, Walk_00, Walk_01, Walk_02, Walk_03, Walk_04, Walk_05, \
             Walk_06; 76 in all"
        );
        let error = one(&many, "w*").unwrap_err().to_string();
        assert!(error.ends_with("Walk_06, Walk_07 and 68 more"), "{error}");
        assert_eq!(
            one(&many, "99").unwrap_err().to_string(),
            "there is no animation \"99\"; no name is near it; there are 76 in all"
        );
        assert_eq!(
            one(&[], "x").unwrap_err().to_string(),
            "there is no animation \"x\"; the file holds none"
        );
    }
}
