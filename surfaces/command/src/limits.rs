//! Limits of `check`: read from flags and from `loopwright.toml`, and compared with the figures of loops.

use std::fmt;

use clap::Args;
use loopwright_formats::loop_file::facts::{CheckFacts, QualityFacts};
use loopwright_sets::check_row;
use serde::{Deserialize, Deserializer, de::Error as _};

use crate::headings::LIMITS;

/// Declares the limits: the flag, the name of its value, and the key in JSON.
macro_rules! limits {
    ($($(#[$($about:tt)*])* $flag:ident: $unit:tt = $key:tt,)+) => {
        /// Largest figures that loops may have.
        #[in_schema]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Args, Deserialize)]
        #[command(next_help_heading = LIMITS)]
        #[serde(default, deny_unknown_fields, rename_all(deserialize = "kebab-case"))]
        pub struct Limits {
            $(
                $(#[$($about)*])*
                #[arg(long, value_name = $unit, value_parser = parse_limit, allow_negative_numbers = true)]
                #[serde(rename(serialize = $key), deserialize_with = "checked")]
                $flag: Option<f64>,
            )+
        }

        impl Limits {
            /// Fills missing limits from others. Whether the seam shows is not a limit: a loop with a visible seam fails anyway.
            pub fn or(self, others: Self) -> Self {
                Self { $($flag: self.$flag.or(others.$flag),)+ }
            }
        }
    };
}

limits! {
    /// Largest rotation gap of a joint at the seam, degrees [default: what shows].
    max_gap_deg: "DEG" = "max_pose_gap_deg",
    /// Largest position gap of a joint at the seam, millimetres [default: what shows].
    max_gap_mm: "MM" = "max_pose_gap_mm",
    /// Largest acceleration at the seam, as a multiple of the loop's own peaks [default: none].
    max_seam_acceleration: "RATIO" = "max_seam_acceleration_ratio",
    /// Largest mean speed of feet on the ground, cm/s [default: none].
    max_foot_slide: "CMPS" = "max_foot_slide_cmps",
    /// Largest rank of the seam among all parts of the loop, percent; 50 is average [default: none].
    max_seam_rank: "PERCENT" = "max_seam_rank_percent",
}

fn parse_limit(text: &str) -> Result<f64, String> {
    text.trim()
        .parse()
        .ok()
        .filter(|limit| is_limit(*limit))
        .ok_or_else(|| NOT_A_LIMIT.to_owned())
}

const NOT_A_LIMIT: &str = "a limit is a number from 0 on, such as 3";

fn is_limit(limit: f64) -> bool {
    limit.is_finite() && limit >= 0.0
}

/// Reads a limit from the file; an error names its line.
fn checked<'de, D: Deserializer<'de>>(from: D) -> Result<Option<f64>, D::Error> {
    let limit = f64::deserialize(from)?;
    if is_limit(limit) {
        Ok(Some(limit))
    } else {
        Err(D::Error::custom(NOT_A_LIMIT))
    }
}

/// A figure above its limit.
#[in_schema]
#[derive(Clone, Debug, PartialEq)]
pub struct Exceeded {
    /// The id of the check, or the key of the figure under quality, which names the unit.
    pub measure: String,
    /// The figure, in that unit.
    pub found: f64,
    /// The limit, in that unit.
    pub allowed: f64,
    /// The joint that shows it; null for figures of the whole body.
    pub joint: Option<String>,
    /// What to try.
    #[serde(rename = "try")]
    pub hint: String,
    /// A description of the figure, and its unit.
    #[serde(skip)]
    pub words: (&'static str, String),
}

impl Exceeded {
    /// Describes a failed check of a loop; `is_ping_pong` if the loop plays forth and back.
    pub fn of_check(check: &CheckFacts, is_ping_pong: bool) -> Self {
        let row = check_row(&check.id);
        let (word, cure) = row.map_or(("check", ""), |row| (row.id, row.cure(is_ping_pong)));
        Self {
            measure: check.id.clone(),
            found: check.value.unwrap_or_default(),
            allowed: check.limit.unwrap_or_default(),
            joint: check.joint.clone(),
            hint: cure.to_owned(),
            words: (
                word,
                match check.unit.as_str() {
                    "" => String::new(),
                    unit => format!(" {unit}"),
                },
            ),
        }
    }
}

impl fmt::Display for Exceeded {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (what, unit) = &self.words;
        write!(f, "{what} {}{unit}", rounded(self.found))?;
        if let Some(joint) = &self.joint {
            write!(f, " at joint {joint}")?;
        }
        write!(f, ", allowed {}", rounded(self.allowed))
    }
}

/// Formats a value with four significant digits and no trailing zeros.
fn rounded(value: f64) -> String {
    let digits = (3.0 - value.abs().max(1e-9).log10().floor()).clamp(0.0, 9.0) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

impl Limits {
    /// Lists the limits that a loop exceeds; a figure that the loop lacks exceeds no limit. The joints are those with the largest rotation gap,
    /// position gap and acceleration at the seam.
    pub fn exceeded(&self, quality: &QualityFacts, [turn, gap, acceleration]: &[String; 3]) -> Vec<Exceeded> {
        const CLOSE: &str = "close it again with `loopwright make` or `loopwright close`";
        let figures = [
            (
                "pose_gap_deg",
                quality.pose_gap_deg,
                self.max_gap_deg,
                Some(turn),
                ("rotation gap", " deg"),
                CLOSE,
                "--max-gap-deg",
            ),
            (
                "pose_gap_mm",
                quality.pose_gap_mm,
                self.max_gap_mm,
                Some(gap),
                ("position gap", " mm"),
                CLOSE,
                "--max-gap-mm",
            ),
            (
                "seam_acceleration_ratio",
                quality.seam_acceleration_ratio,
                self.max_seam_acceleration,
                Some(acceleration),
                ("seam acceleration", " of the loop's own peaks"),
                "a longer --blend, --closure auto, or another loop from `loopwright find`",
                "--max-seam-acceleration",
            ),
            (
                "seam_rank_percent",
                quality.seam_rank_percent,
                self.max_seam_rank,
                None,
                ("seam rank", "%"),
                "--closure auto, or another loop from `loopwright find`",
                "--max-seam-rank",
            ),
            (
                "foot_slide_cmps",
                quality.foot_slide_cmps,
                self.max_foot_slide,
                None,
                ("foot sliding", " cm/s"),
                "another loop from `loopwright find`",
                "--max-foot-slide",
            ),
        ];
        figures
            .into_iter()
            .filter_map(|(measure, found, allowed, joint, (what, unit), hint, flag)| {
                let (found, allowed) = found.zip(allowed).filter(|(found, allowed)| found > allowed)?;
                Some(Exceeded {
                    measure: measure.to_owned(),
                    found,
                    allowed,
                    joint: joint.cloned(),
                    hint: format!("{hint}; or allow it with {flag}"),
                    words: (what, unit.to_owned()),
                })
            })
            .collect()
    }

    /// Words why a loop could not be checked against one of the limits.
    pub fn unchecked(&self, quality: &QualityFacts) -> Option<&'static str> {
        (self.max_foot_slide.is_some() && quality.foot_slide_cmps.is_none())
            .then_some("no foot is planted in this loop, so the limit of foot sliding was not checked")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_honest() {
        for (value, text) in [
            (0.1, "0.1"),
            (1.0, "1"),
            (20.0, "20"),
            (12_345.6, "12346"),
            (1.500_4, "1.5"),
            (0.012_345, "0.01235"),
            (0.0, "0"),
        ] {
            assert_eq!(rounded(value), text);
        }
    }
}
