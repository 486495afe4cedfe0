//! How a take is read and analysed.

use std::{path::PathBuf, str::FromStr};

#[cfg(feature = "clap")]
use clap::Args;
use loopwright::{BodyOverrides, analysis::ContactLimits};
use loopwright_formats::{AnimationChoice, ReadSettings, SizeLimits, SpaceSettings, UnitChoice, UpChoice};
use serde::{Deserialize, Serialize};

use super::{
    RecipeError,
    words::{Written, optional_text, texts},
};
#[cfg(feature = "clap")]
use super::{
    headings::{FEET, INPUT, WHICH_LOOP},
    typed::IfTyped,
};

/// The value of a flag whose default appears in the help: `None` if the user did not type it, so that a recipe's value counts.
///
/// A name of its own, since clap would take a plain `Option` for a flag without a default.
type Typed<T> = Option<T>;

/// Defines a struct of flags and of a recipe table; it begins with the settings for reading a file.
///
/// Flattening one struct into the other would work for flags, but serde would then lose the line number of an error in a
/// recipe.
macro_rules! reading {
    ($(#[$meta:meta])* struct $Name:ident { $($more:tt)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(Args))]
        #[cfg_attr(feature = "clap", command(next_help_heading = INPUT))]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub struct $Name {
            /// Axis that points up in the file: x, y, z or auto.
            #[cfg_attr(feature = "clap", arg(long, value_name = "AXIS", default_value = "auto", value_parser = IfTyped(UpChoice::from_str)))]
            #[serde(with = "optional_text")]
            pub up: Typed<UpChoice>,
            /// Length unit of the file: m, cm, mm, in, cmu, a number of metres, or auto.
            #[cfg_attr(feature = "clap", arg(long, value_name = "UNIT", default_value = "auto", value_parser = IfTyped(UnitChoice::from_str)))]
            #[serde(with = "optional_text")]
            pub unit: Typed<UnitChoice>,
            /// Animation to read, by name in any case, pattern ('Walk*') or number from 0 [default: the longest].
            #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
            pub animation: Option<String>,
            /// Skin whose joints are read, by name or number from 0 [default: the one that moves most].
            #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
            pub skin: Option<String>,
            /// The joint of the hips [default: detected].
            #[cfg_attr(feature = "clap", arg(long, value_name = "NAME"))]
            pub hips: Option<String>,
            /// The joints of the feet (ankles), separated by commas [default: detected].
            #[cfg_attr(feature = "clap", arg(long, value_name = "NAME,NAME", value_delimiter = ','))]
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub feet: Vec<String>,
            $($more)*
        }

        impl $Name {
            /// The settings for the file's axes and unit.
            pub fn space(&self) -> SpaceSettings {
                SpaceSettings {
                    up: self.up.unwrap_or_default(),
                    unit: self.unit.unwrap_or_default(),
                }
            }

            /// Settings for reading a file. `space` may come from a better source; `animation` is used if the user names none, and
            /// `limits` says how much may be read.
            pub fn settings<'a>(
                &'a self,
                space: SpaceSettings,
                animation: AnimationChoice<'a>,
                limits: SizeLimits,
            ) -> ReadSettings<'a> {
                ReadSettings {
                    space,
                    animation: self.animation.as_deref().map_or(animation, AnimationChoice::Given),
                    skin: self.skin.as_deref(),
                    companions: None,
                    limits,
                }
            }
        }
    };
}

reading! {
    /// How a file is read.
    struct TakeArgs {}
}

reading! {
    /// How a take is read and what is seen in it, as flags or as the table `[take]` of a recipe.
    struct StudyArgs {
        /// Smooth the take first: remove motion faster than this, hertz.
        #[cfg_attr(feature = "clap", arg(long, value_name = "HZ"))]
        pub smooth: Option<f64>,
        /// Weight of joints in the search: 'Head=0', '*Hand*=1'; repeatable.
        #[cfg_attr(feature = "clap", arg(long = "joint-weight", help_heading = WHICH_LOOP, value_name = "PATTERN=W", value_parser = <(String, f64)>::read))]
        #[serde(with = "texts", skip_serializing_if = "Vec::is_empty")]
        pub weights: Vec<(String, f64)>,
        /// A foot stands below this speed, m/s [default: a tenth of its fast speed].
        #[cfg_attr(feature = "clap", arg(long, help_heading = FEET, value_name = "S"))]
        pub contact_speed: Option<f64>,
        /// A foot stands below this height above its lowest point nearby, metres [default: 0.03].
        #[cfg_attr(feature = "clap", arg(long, help_heading = FEET, value_name = "M"))]
        pub contact_height: Option<f64>,
        /// The character that takes the loop ({formats}): the loop of the take goes onto it, into a copy of its file.
        #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
        pub rig: Option<PathBuf>,
        /// Which of its joints follow which, in TOML [default: found].
        #[cfg_attr(feature = "clap", arg(long, value_name = "FILE"))]
        pub map: Option<PathBuf>,
        /// By how much bones of its legs may grow so that feet reach their places, percent, up to 1 [default: 0].
        #[cfg_attr(feature = "clap", arg(long, value_name = "PERCENT", value_parser = parse_bone_stretch, allow_negative_numbers = true))]
        pub bone_stretch: Option<f64>,
        /// Joints that mirror each other, as `LEFT=RIGHT`, where their names do not say so; flags name a file of them.
        #[cfg_attr(feature = "clap", arg(skip))]
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub mirror: Vec<String>,
    }
}

/// Largest share by which bones of a character's legs may grow, percent: more is seen.
const MOST_BONE_STRETCH: f64 = 1.0;

/// A share by which bones may grow, percent. Errors: it is no number from 0 to 1.
pub fn parse_bone_stretch(text: &str) -> Result<f64, &'static str> {
    let percent = text.parse().ok();
    percent
        .filter(|&percent| bone_stretch(Some(percent)).is_ok())
        .ok_or("must be a number from 0 to 1, percent")
}

/// The share by which bones may grow, none where nothing is said of it, from percent. Errors: [`RecipeError::BoneStretch`].
pub fn bone_stretch(percent: Option<f64>) -> Result<f64, RecipeError> {
    let found = percent.unwrap_or(0.0);
    match (0.0..=MOST_BONE_STRETCH).contains(&found) {
        true => Ok(found / 100.0),
        false => Err(RecipeError::BoneStretch { found }),
    }
}

impl TakeArgs {
    /// The joints that the user named.
    pub fn overrides(&self) -> BodyOverrides {
        BodyOverrides {
            hips: self.hips.clone(),
            feet: self.feet.clone(),
            ..BodyOverrides::default()
        }
    }
}

impl StudyArgs {
    /// Errors: a setting of how a character follows, where none is named: [`RecipeError::NoRig`].
    pub fn check(&self) -> Result<(), RecipeError> {
        let settings = [
            ("--map", self.map.is_some()),
            ("--bone-stretch", self.bone_stretch.is_some()),
        ];
        match settings.into_iter().find(|(_, is_said)| *is_said) {
            Some((name, _)) if self.rig.is_none() => Err(RecipeError::NoRig { name }),
            _ => Ok(()),
        }
    }

    /// The user's settings for the body, for the analysis of the take.
    pub fn overrides(&self) -> BodyOverrides {
        BodyOverrides {
            hips: self.hips.clone(),
            feet: self.feet.clone(),
            weights: self.weights.clone(),
            contacts: ContactLimits {
                speed_mps: self.contact_speed,
                height_metres: self.contact_height,
            },
        }
    }
}

impl From<TakeArgs> for StudyArgs {
    fn from(reading: TakeArgs) -> Self {
        Self {
            up: reading.up,
            unit: reading.unit,
            animation: reading.animation,
            skin: reading.skin,
            hips: reading.hips,
            feet: reading.feet,
            ..Self::default()
        }
    }
}

/// The weight of joints whose names match a pattern: `PATTERN=WEIGHT`, parsed from its end because names may contain equals
/// signs.
impl Written for (String, f64) {
    fn written(&self) -> String {
        format!("{}={}", self.0, self.1)
    }

    fn read(text: &str) -> Result<Self, String> {
        let weight = text.rsplit_once('=').and_then(|(pattern, weight)| {
            let weight = weight.trim().parse().ok()?;
            (!pattern.is_empty()).then(|| (pattern.to_owned(), weight))
        });
        weight.ok_or_else(|| "must be PATTERN=WEIGHT, such as 'Head=0' or '*Hand*=1'".to_owned())
    }
}

impl Written for UpChoice {
    fn written(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Given(axis) => axis.to_string().to_lowercase(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        Self::from_str(text).map_err(|error| error.to_string())
    }
}

impl Written for UnitChoice {
    fn written(&self) -> String {
        match self {
            Self::Auto => "auto".to_owned(),
            Self::Metres(metres) => metres.to_string(),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        Self::from_str(text).map_err(|error| error.to_string())
    }
}
