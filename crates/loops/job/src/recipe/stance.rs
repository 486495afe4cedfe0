//! Edited stances, which override the detected contacts of feet.

use std::str::FromStr;

use loopwright_core::{
    feet::{StanceEdit, StanceSpan},
    names,
};
use serde::{Deserialize, Serialize};

use super::{RecipeError, described::described, edited_body::EditedBody};

/// The unit of a stance's ends.
#[value(Copy, Default, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StanceUnit {
    /// Frames of the take.
    #[default]
    Frames,
    /// Seconds of the loop.
    Seconds,
}

described! {
    /// A stance, as a table `[[stance]]` of a recipe or short, `FOOT:FROM:TO[:swing]`.
    pub struct StanceRecipe {
        /// Name of a joint of the foot, * for any letters and ? for any one.
        pub foot: String = "# foot = \"LeftFoot\"",
        /// When it begins.
        pub from: f64 = "# from = 130.0",
        /// When it ends.
        pub to: f64 = "# to = 142.0",
        /// What both are counted in: frames of the take, or seconds of the loop.
        #[serde(default)]
        pub unit: StanceUnit = "# unit = \"frames\"",
        /// Whether the foot stands; it swings otherwise.
        #[serde(default = "stands")]
        pub stands: bool = "# stands = true",
    }
}

fn stands() -> bool {
    true
}

impl FromStr for StanceRecipe {
    type Err = &'static str;

    /// Parses `FOOT:FROM:TO[:swing]` from its end, because joint names may contain colons.
    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let wrong = "must be FOOT:FROM:TO, frames of the take or seconds of the loop, such as 'LeftFoot:130:142' or \
                     'LeftFoot:0.2s:0.5s', with :swing at its end where the foot does not stand";
        let (rest, stands) = match given.strip_suffix(":swing") {
            Some(rest) => (rest, false),
            None => (given, true),
        };
        let (rest, to) = rest.rsplit_once(':').ok_or(wrong)?;
        let (foot, from) = rest.rsplit_once(':').ok_or(wrong)?;
        let moment = |word: &str| -> Option<(f64, StanceUnit)> {
            let word = word.trim();
            match word.strip_suffix('s') {
                Some(secs) => Some((secs.parse().ok()?, StanceUnit::Seconds)),
                None => Some((word.parse().ok()?, StanceUnit::Frames)),
            }
        };
        match (moment(from), moment(to)) {
            (Some((from, unit)), Some((to, of_end))) if unit == of_end && !foot.is_empty() => Ok(Self {
                foot: foot.to_owned(),
                from,
                to,
                unit,
                stands,
            }),
            _ => Err(wrong),
        }
    }
}

/// Converts to the core's settings. Errors: no joint of a foot has a matching name.
pub fn stances(recipes: &[StanceRecipe], edited: &EditedBody) -> Result<Vec<StanceEdit>, RecipeError> {
    let feet = &edited.body.feet;
    let joint_name = |joint: usize| edited.skeleton.joint(joint).name.as_str();
    let mut edits = Vec::new();
    for recipe in recipes {
        let span = [recipe.from, recipe.to];
        let before = edits.len();
        for (foot, joints) in feet.iter().enumerate() {
            let mut joints = [Some(joints.ankle), joints.toe].into_iter().flatten();
            if joints.any(|joint| names::matches(&recipe.foot, joint_name(joint))) {
                edits.push(StanceEdit {
                    foot,
                    span: match recipe.unit {
                        StanceUnit::Frames => StanceSpan::Frames(span),
                        StanceUnit::Seconds => StanceSpan::Secs(span),
                    },
                    stands: recipe.stands,
                });
            }
        }
        if edits.len() == before {
            return Err(RecipeError::NoSuchFoot {
                pattern: recipe.foot.clone(),
                feet: feet.iter().map(|foot| joint_name(foot.ankle).to_owned()).collect(),
            });
        }
    }
    Ok(edits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stances_are_read_from_the_end() {
        let read = |text: &str| text.parse::<StanceRecipe>();
        let stance = read("rig:LeftFoot:130:142.5").unwrap();
        assert_eq!(
            (stance.foot.as_str(), stance.from, stance.to, stance.unit, stance.stands),
            ("rig:LeftFoot", 130.0, 142.5, StanceUnit::Frames, true)
        );
        let swing = read("LeftFoot:0.2s:0.5s:swing").unwrap();
        assert_eq!(
            (swing.foot.as_str(), swing.from, swing.to, swing.unit, swing.stands),
            ("LeftFoot", 0.2, 0.5, StanceUnit::Seconds, false)
        );
        for wrong in [
            "",
            "LeftFoot",
            "LeftFoot:1",
            ":1:2",
            "LeftFoot:1:2s",
            "LeftFoot:a:b",
            "LeftFoot:1:2:fly",
        ] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
