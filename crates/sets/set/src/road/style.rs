//! Which files a set is made of, by their names.

use std::collections::BTreeMap;

use super::MakeSetError;
use crate::set::{fits_style, styles};
use loopwright_formats::set::LeftOut;

/// A file of takes, by its names.
#[derive(Clone, Debug)]
pub struct SetFileName {
    /// Its name, as the manifest states it.
    pub name: String,
    /// The part of it that tells files apart: below the folder that all share.
    pub below: String,
    /// Whether it may hold several animations, which have names of their own.
    pub holds_animations: bool,
}

/// The style that most files have, where they are of several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChosenStyle {
    /// Its word.
    pub style: String,
    /// Files of it.
    pub count: usize,
    /// The words of the other styles.
    pub others: Vec<String>,
}

/// The files of one style.
#[derive(Clone, Debug, Default)]
pub struct OfStyle {
    /// For each file whether it is kept.
    pub is_kept: Vec<bool>,
    /// The others, where nobody asked for the style.
    pub left_out: Vec<LeftOut>,
    /// The style, where nobody asked for it.
    pub chosen: Option<ChosenStyle>,
}

/// The files of the style that is asked for, or of the one that most have; all where names tell no styles. Errors: none is of that style.
pub fn of_style(files: &[SetFileName], style: Option<&str>) -> Result<OfStyle, MakeSetError> {
    match style {
        Some(style) => of_asked_style(files, style),
        None => Ok(of_most_frequent_style(files)),
    }
}

fn of_asked_style(files: &[SetFileName], style: &str) -> Result<OfStyle, MakeSetError> {
    // Files of many animations are asked for theirs.
    let fits = |file: &SetFileName| fits_style(style, &file.below) || file.holds_animations;
    let is_kept: Vec<bool> = files.iter().map(fits).collect();
    if is_kept.contains(&true) {
        return Ok(OfStyle {
            is_kept,
            ..OfStyle::default()
        });
    }
    Err(MakeSetError::NoStyle {
        style: style.to_owned(),
        there: files.iter().take(3).map(|file| file.below.clone()).collect(),
    })
}

fn of_most_frequent_style(files: &[SetFileName]) -> OfStyle {
    let names: Vec<String> = files.iter().map(|file| file.below.clone()).collect();
    let styles = styles(&names).unwrap_or_default();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for style in styles.iter().flatten() {
        *counts.entry(style).or_default() += 1;
    }
    // Of several that most files have, the first by name.
    let most = (counts.iter()).max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)));
    let Some((&most, &count)) = most else {
        return OfStyle {
            is_kept: vec![true; files.len()],
            ..OfStyle::default()
        };
    };
    let is_kept = styles
        .iter()
        .map(|style| style.as_ref().is_none_or(|style| style == most));
    let is_kept: Vec<bool> = is_kept.collect();
    let others = files.iter().zip(&is_kept).filter(|(_, is_kept)| !**is_kept);
    OfStyle {
        left_out: others
            .map(|(file, _)| LeftOut {
                take: file.name.clone(),
                why: format!("it is of another style than \"{most}\""),
            })
            .collect(),
        chosen: Some(ChosenStyle {
            style: most.to_owned(),
            count,
            others: (counts.keys().filter(|style| **style != most))
                .map(ToString::to_string)
                .collect(),
        }),
        is_kept,
    }
}
