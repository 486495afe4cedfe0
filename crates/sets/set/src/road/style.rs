//! Selects the files of a set by their names.

use std::collections::BTreeMap;

use super::MakeSetError;
use crate::set::{fits_style, styles};
use loopwright_formats::set::LeftOut;

/// The names of a file of takes.
#[derive(Clone, Debug)]
pub struct SetFileName {
    /// Its name, as the manifest states it.
    pub name: String,
    /// Its path below the folder that all files share.
    pub below: String,
    /// Whether it may hold several animations with names.
    pub holds_animations: bool,
}

/// The most frequent style, if there are several.
#[value(Eq)]
pub struct ChosenStyle {
    /// The word of the style.
    pub style: String,
    /// Number of its files.
    pub count: usize,
    /// The words of the other styles.
    pub others: Vec<String>,
}

/// The files of one style.
#[derive(Clone, Debug, Default)]
pub struct OfStyle {
    /// For each file whether it is kept.
    pub is_kept: Vec<bool>,
    /// The other files, if no style was requested.
    pub left_out: Vec<LeftOut>,
    /// The style, if none was requested.
    pub chosen: Option<ChosenStyle>,
}

/// Selects the files of the requested style, or of the most frequent one; all if names show no styles. Errors: no file has that
/// style.
pub fn of_style(files: &[SetFileName], style: Option<&str>) -> Result<OfStyle, MakeSetError> {
    match style {
        Some(style) => of_asked_style(files, style),
        None => Ok(of_most_frequent_style(files)),
    }
}

fn of_asked_style(files: &[SetFileName], style: &str) -> Result<OfStyle, MakeSetError> {
    // In files of several animations, the names of these decide.
    let is_kept: Vec<bool> = files
        .iter()
        .map(|file| fits_style(style, &file.below) || file.holds_animations)
        .collect();
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
    // The first by name of equally frequent ones.
    let Some((&most, &count)) = counts
        .iter()
        .max_by(|one, other| one.1.cmp(other.1).then(other.0.cmp(one.0)))
    else {
        return OfStyle {
            is_kept: vec![true; files.len()],
            ..OfStyle::default()
        };
    };
    let is_kept: Vec<bool> = styles
        .iter()
        .map(|style| style.as_ref().is_none_or(|style| style == most))
        .collect();
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
            others: counts
                .keys()
                .filter(|style| **style != most)
                .map(ToString::to_string)
                .collect(),
        }),
        is_kept,
    }
}
