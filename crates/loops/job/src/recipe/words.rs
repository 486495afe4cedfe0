//! Names for the libraries' choices on the command line, with a help text for each, and in recipes.

#[cfg(feature = "clap")]
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
#[cfg(feature = "clap")]
use loopwright_core::candidate::MotionKind;
use loopwright_core::{
    RootMode,
    candidate::{ChooseBy, OutcomePart},
    closure::{ClosureName, Order, Preset, SeamMotion},
    feet::{FootLock, RootSpeed},
    math::DecayKind,
    mean_cycle::MeanCycles,
    pipeline::{Footfalls, Keep, StartAt},
    root_motion::RootSpace,
    words::did_you_mean,
};
use loopwright_formats::{ClosingKey, KeyInterpolation, Target};

/// A choice with a name for flags and recipes.
pub trait Choice: Copy + Send + Sync + 'static {
    /// Every choice, in the order in which `--help` lists them.
    const ALL: &'static [Self];

    /// Returns the name that people write.
    fn word(self) -> &'static str;

    /// Returns the help text; empty if the name explains itself.
    fn help(self) -> &'static str;
}

/// Reads a choice from a flag.
#[cfg(feature = "clap")]
pub fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(T::ALL.iter().map(|choice| possible(choice.word(), choice.help())))
        .try_map(|word| T::read(&word))
}

/// Reads one of some kinds of motion from a flag.
#[cfg(feature = "clap")]
pub fn kind_among(kinds: &[MotionKind]) -> impl TypedValueParser<Value = MotionKind> + use<> {
    PossibleValuesParser::new(
        kinds
            .iter()
            .map(|kind| PossibleValue::new(kind.as_str()))
            .collect::<Vec<_>>(),
    )
    .try_map(|word| word.parse::<MotionKind>())
}

/// Returns a word that a flag accepts, and its help text, which may be empty.
#[cfg(feature = "clap")]
pub fn possible(word: &'static str, help: &'static str) -> PossibleValue {
    let value = PossibleValue::new(word);
    if help.is_empty() { value } else { value.help(help) }
}

/// Defines the help texts of choices that already have names.
macro_rules! choices {
    ($($Choice:ident { $($Variant:ident: $help:literal),+ $(,)? })+) => {$(
        impl Choice for $Choice {
            const ALL: &'static [Self] = &$Choice::ALL;

            fn word(self) -> &'static str {
                self.as_str()
            }

            fn help(self) -> &'static str {
                match self {
                    $(Self::$Variant => $help),+
                }
            }
        }
    )+};
}
pub(super) use choices;

choices! {
    Order {
        C0: "Pose alone meets, to compare with: the seam is a kink",
        C1: "Pose and velocity meet",
        C2: "Acceleration meets as well",
    }
    Preset {
        Start: "A spring at the start takes the whole gap",
        End: "A spring at the end takes the whole gap",
        Both: "A spring at either end takes its share",
        Cubic: "Cubics at both ends",
        Linear: "The pose gap spread evenly, velocities by cubics",
        LinearWithKink: "The pose gap spread evenly, nothing else",
        SoftFade: "Soft ramps at both ends",
    }
    SeamMotion {
        Layered: "From nine frames; noise is closed apart",
        Central: "From neighbouring frames, noise included",
    }
    RootMode {
        Constant: "Moves at one constant velocity and turn rate",
        Linear: "Moves straight ahead; for loops that turn by under 5 deg",
        InPlace: "Stays in place; its motion is only reported",
        Keep: "Leaves its motion on the joint that has it in the take",
        Path: "Follows the smoothed path of the hips",
        Inertialized: "Moves as captured; its gap in velocity at the seam is faded out",
        Stationary: "Does not move: the body returns to where it started",
    }
    RootSpace {
        Ground: "Over the ground, turning about the up axis, and climbing",
        Full: "In any direction, about any axis: props, rolls",
    }
    FootLock {
        Auto: "Where contacts are detected reliably and feet then slide less",
        Solve: "Always",
        Off: "Never",
    }
    Keep {
        Stride: "Strides keep their length: nothing but time changes",
        Speed: "Strides are as long as the speed needs",
        Natural: "Strides and cadence change as those of people do",
    }
    ClosingKey {
        Repeat: "The last key is the first again, moved on by the root motion",
        Drop: "The last key is the one before the first",
    }
    KeyInterpolation {
        Linear: "Poses go evenly from key to key",
        Step: "Each pose is held until the next key",
    }
    Target {
        Godot: "glTF or FBX with a root joint for root motion",
        Unity: "FBX with a root joint; importer settings in the sidecar",
        UnityHumanoid: "FBX; root motion from the body; importer settings likewise",
        Unreal: "FBX with a root joint, at whole frames per second",
        Bevy: "glTF in place; root motion in the sidecar",
        Blender: "BVH in metres with Y up",
        Three: "In place; root motion in the userData of glTF clips",
        Generic: "Anything else",
    }
    ChooseBy {
        Outcome: "",
        Cost: "",
    }
    DecayKind {
        Spring: "",
        Cubic: "",
        Quintic: "",
    }
}

impl Choice for ClosureName {
    const ALL: &'static [Self] = Self::OF_BODIES;

    fn word(self) -> &'static str {
        self.as_str()
    }

    fn help(self) -> &'static str {
        ClosureName::help(self)
    }
}

/// A value that recipes hold as a string.
pub trait Written: Sized {
    /// Returns the string.
    fn written(&self) -> String;

    /// Parses the string; the error says what is wrong with it.
    fn read(text: &str) -> Result<Self, String>;
}

/// Implements [`Written`] for types that parse and display as text.
macro_rules! written_by_text {
    ($($value:ty),+) => {$(
        impl Written for $value {
            fn written(&self) -> String {
                self.to_string()
            }

            fn read(text: &str) -> Result<Self, String> {
                text.parse()
                    .map_err(|why: <Self as std::str::FromStr>::Err| format!("{why}, found \"{text}\""))
            }
        }
    )+};
}

written_by_text!(Footfalls, MeanCycles, StartAt, RootSpeed, OutcomePart);

/// Two bounds, of which one may be infinite.
impl Written for [f64; 2] {
    fn written(&self) -> String {
        let [low, high] = self.map(|end| {
            if end.is_finite() {
                end.to_string()
            } else {
                String::new()
            }
        });
        format!("{low}:{high}")
    }

    fn read(text: &str) -> Result<Self, String> {
        parse_bounds(text)
    }
}

impl<T: Choice> Written for T {
    fn written(&self) -> String {
        self.word().to_owned()
    }

    fn read(text: &str) -> Result<Self, String> {
        read_one_of(T::ALL, text)
    }
}

/// Finds the choice that a string in a recipe names; the error says what is wrong with the string.
pub fn read_one_of<T: Choice>(choices: &[T], text: &str) -> Result<T, String> {
    choices
        .iter()
        .find(|choice| choice.word().eq_ignore_ascii_case(text))
        .copied()
        .ok_or_else(|| {
            let words: Vec<&str> = choices.iter().map(|choice| choice.word()).collect();
            let expected = match words[..] {
                [one, other] => format!("`{one}` or `{other}`"),
                _ => format!("one of `{}`", words.join("`, `")),
            };
            format!(
                "unknown variant `{text}`, expected {expected}{}",
                did_you_mean(text, &words)
            )
        })
}

/// A string in a recipe.
pub(crate) mod text {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Written;

    pub(crate) fn serialize<T: Written, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&value.written())
    }

    pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        T::read(&String::deserialize(from)?).map_err(Error::custom)
    }
}

/// A string that may be left out.
pub(crate) mod optional_text {
    use serde::{Deserializer, Serialize, Serializer};

    use super::{Written, text};

    pub(crate) fn serialize<T: Written, S: Serializer>(value: &Option<T>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().map(Written::written).serialize(to)
    }

    pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(from: D) -> Result<Option<T>, D::Error> {
        text::deserialize(from).map(Some)
    }
}

/// A list of strings.
pub(crate) mod texts {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Written;

    pub(crate) fn serialize<T: Written, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(Written::written))
    }

    pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        Vec::<String>::deserialize(from)?
            .iter()
            .map(|text| T::read(text).map_err(Error::custom))
            .collect()
    }
}

/// `LOW:HIGH`; either may be left out.
pub fn parse_bounds(text: &str) -> Result<[f64; 2], String> {
    let wrong =
        || "must be LOW:HIGH, two numbers in order of which one may be left out, such as 1.2:1.6 or 2:".to_owned();
    let (low, high) = text.split_once(':').ok_or_else(wrong)?;
    let end = |text: &str, open: f64| match text.trim() {
        "" => Some(open),
        number => number.parse::<f64>().ok().filter(|number| number.is_finite()),
    };
    match (end(low, f64::NEG_INFINITY), end(high, f64::INFINITY)) {
        (Some(low), Some(high)) if low <= high && !(low.is_infinite() && high.is_infinite()) => Ok([low, high]),
        _ => Err(wrong()),
    }
}
