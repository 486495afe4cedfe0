//! How a take is read and analysed.

use std::{ffi::OsStr, path::PathBuf, str::FromStr};

use clap::{Arg, Args, Command, builder::TypedValueParser, parser::ValueSource};
use loopwright::{BodyOverrides, analysis::ContactLimits};
use loopwright_formats::{AnimationChoice, ReadSettings, SpaceSettings, UnitChoice, UpChoice};
use serde::{Deserialize, Serialize};

use crate::{
    headings::{FEET, INPUT, WHICH_LOOP},
    memory,
    words::{Written, optional_text, texts},
};

/// The value of a flag whose default appears in the help: `None` if the user did not type it, so that a recipe's value counts.
type Typed<T> = Option<T>;

/// Reads a [`Typed`] value.
#[derive(Clone)]
struct IfTyped<P>(P);

impl<P: TypedValueParser> TypedValueParser for IfTyped<P> {
    type Value = Typed<P::Value>;

    fn parse_ref(&self, cmd: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<Self::Value, clap::Error> {
        self.0.parse_ref(cmd, arg, value).map(Some)
    }

    fn parse_ref_(
        &self,
        cmd: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
        source: ValueSource,
    ) -> Result<Self::Value, clap::Error> {
        match source {
            ValueSource::DefaultValue => Ok(None),
            _ => self.parse_ref(cmd, arg, value),
        }
    }
}

/// Defines a struct of flags and of a recipe table; it begins with the settings for reading a file.
///
/// Flattening one struct into the other would work for flags, but serde would then lose the line number of an error in a
/// recipe.
macro_rules! reading {
    ($(#[$meta:meta])* struct $Name:ident { $($more:tt)* }) => {
        $(#[$meta])*
        #[derive(Clone, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
        #[command(next_help_heading = INPUT)]
        #[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
        pub(crate) struct $Name {
            /// Axis that points up in the file: x, y, z or auto.
            #[arg(long, value_name = "AXIS", default_value = "auto", value_parser = IfTyped(UpChoice::from_str))]
            #[serde(with = "optional_text")]
            pub(crate) up: Typed<UpChoice>,
            /// Length unit of the file: m, cm, mm, in, cmu, a number of metres, or auto.
            #[arg(long, value_name = "UNIT", default_value = "auto", value_parser = IfTyped(UnitChoice::from_str))]
            #[serde(with = "optional_text")]
            pub(crate) unit: Typed<UnitChoice>,
            /// Animation to read, by name in any case, pattern ('Walk*') or number from 0 [default: the longest].
            #[arg(long, value_name = "NAME")]
            pub(crate) animation: Option<String>,
            /// Skin whose joints are read, by name or number from 0 [default: the one that moves most].
            #[arg(long, value_name = "NAME")]
            pub(crate) skin: Option<String>,
            /// The joint of the hips [default: detected].
            #[arg(long, value_name = "NAME")]
            pub(crate) hips: Option<String>,
            /// The joints of the feet (ankles), separated by commas [default: detected].
            #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
            #[serde(skip_serializing_if = "Vec::is_empty")]
            pub(crate) feet: Vec<String>,
            $($more)*
        }

        impl $Name {
            /// The settings for the file's axes and unit.
            pub(crate) fn space(&self) -> SpaceSettings {
                SpaceSettings {
                    up: self.up.unwrap_or_default(),
                    unit: self.unit.unwrap_or_default(),
                }
            }

            /// Settings for reading a file. `space` may come from a better source; `animation` is used if the user names none.
            pub(crate) fn settings<'a>(
                &'a self,
                space: SpaceSettings,
                animation: AnimationChoice<'a>,
            ) -> ReadSettings<'a> {
                ReadSettings {
                    space,
                    animation: self.animation.as_deref().map_or(animation, AnimationChoice::Given),
                    skin: self.skin.as_deref(),
                    companions: None,
                    limits: memory::limits(),
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
        #[arg(long, value_name = "HZ")]
        pub(crate) smooth: Option<f64>,
        /// Weight of joints in the search: 'Head=0', '*Hand*=1'; repeatable.
        #[arg(long = "joint-weight", alias = "joints", help_heading = WHICH_LOOP, value_name = "PATTERN=W", value_parser = <(String, f64)>::read)]
        #[serde(with = "texts", skip_serializing_if = "Vec::is_empty")]
        weights: Vec<(String, f64)>,
        /// A foot stands below this speed, m/s [default: a tenth of its fast speed].
        #[arg(long, help_heading = FEET, value_name = "S")]
        contact_speed: Option<f64>,
        /// A foot stands below this height above its lowest point nearby, metres [default: 0.03].
        #[arg(long, help_heading = FEET, value_name = "M")]
        contact_height: Option<f64>,
        /// The character that takes the motion (BVH, FBX, GLB or glTF); everything after reading is on its skeleton.
        #[arg(long, value_name = "FILE")]
        pub(crate) rig: Option<PathBuf>,
        /// Which of its joints follow which, in TOML [default: found].
        #[arg(long, value_name = "FILE", requires = "rig")]
        pub(crate) map: Option<PathBuf>,
        /// Joints that mirror each other, as `LEFT=RIGHT`, where their names do not say so; flags name a file of them.
        #[arg(skip)]
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub(crate) mirror: Vec<String>,
    }
}

impl TakeArgs {
    /// The joints that the user named.
    pub(crate) fn overrides(&self) -> BodyOverrides {
        BodyOverrides {
            hips: self.hips.clone(),
            feet: self.feet.clone(),
            ..BodyOverrides::default()
        }
    }
}

impl StudyArgs {
    /// The user's settings for the body, for the analysis of the take.
    pub(crate) fn overrides(&self) -> BodyOverrides {
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
