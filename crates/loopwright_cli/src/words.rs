//! The words of the libraries' choices on the command line, with a help text for each, and in recipes.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use loopwright::{
    RootMode,
    closure::{ClosureName, Order, SeamMotion},
    controller_fit::Mode,
    feet::{FootLock, RootSpeed},
    math::DecayKind,
    root_motion::RootSpace,
};
use loopwright_draw::render::View;
use loopwright_formats::{ClosingKey, Target};

/// A choice with a word for flags and recipes.
pub(crate) trait Choice: Copy + Send + Sync + 'static {
    /// Every choice, in the order in which they are listed.
    const ALL: &'static [Self];

    /// What people write.
    fn word(self) -> &'static str;

    /// What `--help` says of it.
    fn help(self) -> &'static str;
}

/// Reads a choice from a flag.
pub(crate) fn choice<T: Choice>() -> impl TypedValueParser<Value = T> {
    let listed = (T::ALL.iter()).map(|choice| PossibleValue::new(choice.word()).help(choice.help()));
    PossibleValuesParser::new(listed).try_map(|word| T::read(&word))
}

/// States the help texts of a choice that knows its own words.
macro_rules! choices {
    ($($Choice:ident::$LIST:ident { $($Variant:ident: $help:literal),+ $(,)? })+) => {$(
        impl Choice for $Choice {
            const ALL: &'static [Self] = &$Choice::$LIST;

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

choices! {
    ClosureName::OF_BODIES {
        Auto: "The least visible of all, found by trying",
        Quintic: "Meets in pose, velocity and acceleration; exactly zero after the blend time",
        Cubic: "Meets in pose and velocity; exactly zero after the blend time",
        Spring: "Meets in pose and velocity; decays like a critically damped spring with the blend as half-life",
        Linear: "Spreads the pose evenly over the loop; velocity over the blend time",
        SoftFade: "Spreads the pose with a soft bend, whose hardness is --hardness; velocity over the blend time",
        Adjustment: "Spreads the pose where the joint moves most; velocity over the blend time",
        Crossfade: "Blends into the frames that precede the start in the take",
        Open: "Left as it is, with its jump",
    }
    Order::ALL {
        C1: "Pose and velocity",
        C2: "Acceleration as well, where the shape carries it",
    }
    SeamMotion::ALL {
        Layered: "Least squares over nine frames; what noise there is besides is met within a few frames",
        Central: "Central differences, noise and all",
    }
    RootMode::ALL {
        Screw: "One constant twist: straight, turning or climbing",
        Rabbit: "Straight ahead at a constant velocity, for loops that turn by less than 5 degrees",
        InPlace: "No travel; the twist is reported only",
        Keep: "Travel stays on the joint that carried it",
        Path: "The root follows the smoothed path of the hips; --add-root shows it",
        World: "No travel at all: the body comes back to where it started",
    }
    RootSpace::ALL {
        Ground: "Turns about the up axis, ways over the ground, and climbs above 3 cm per cycle",
        Full: "Any motion, about any axis: props, and animals that roll or climb",
    }
    RootSpeed::ALL {
        Auto: "The feet where the take has been set in place or they slide less for it, else the poses",
        Feet: "The feet: what stands does not move",
        Poses: "The poses around both ends of the cut",
    }
    FootLock::ALL {
        Auto: "Where their contacts can be trusted",
        On: "Wherever they seem to stand, however far they slide",
        Off: "Not at all",
    }
    ClosingKey::ALL {
        Repeat: "The last key equals the first, with the root carried on",
        Drop: "The last key is the last unique sample",
    }
    Target::ALL {
        Godot: "Godot: a root joint for root motion",
        Unity: "Unity: FBX, a root joint in every loop, its importer's settings in the sidecar",
        Unreal: "Unreal: FBX, a root joint in every loop, whole frames per second",
        Bevy: "Bevy: glTF in place, the twist in the sidecar",
        Blender: "Blender: BVH in metres with Y up",
        Three: "Three.js: in place, the twist in the userData of glTF clips",
        Generic: "Anything else: nothing but what is always done",
    }
    DecayKind::ALL {
        Spring: "A critically damped spring",
        Cubic: "A cubic blend",
        Quintic: "A quintic blend",
    }
    Mode::ALL {
        Idle: "It stays where it is",
        Walk: "It walks ahead",
        Run: "It runs ahead",
        Strafe: "It goes sideways",
        Back: "It goes backwards",
        TurnInPlace: "It turns and stays where it is",
    }
    View::ALL {
        ThreeQuarter: "From ahead, to the right and a little above",
        Side: "From the right: the body moves from left to right",
        Front: "From ahead",
        Back: "From behind, a little above",
        Top: "From above, heading upwards in the picture",
    }
}

/// A value that recipes hold as a text.
pub(crate) trait Written: Sized {
    /// The text.
    fn written(&self) -> String;

    /// Reads the text; what is wrong with it otherwise.
    fn read(text: &str) -> Result<Self, String>;
}

impl<T: Choice> Written for T {
    fn written(&self) -> String {
        self.word().to_owned()
    }

    fn read(text: &str) -> Result<Self, String> {
        read_one_of(T::ALL, text)
    }
}

/// The one of these choices that a text in a recipe names; what is wrong with it otherwise.
pub(crate) fn read_one_of<T: Choice>(choices: &[T], text: &str) -> Result<T, String> {
    let named = choices.iter().find(|choice| choice.word() == text);
    named.copied().ok_or_else(|| {
        let known: Vec<String> = choices.iter().map(|choice| format!("`{}`", choice.word())).collect();
        let expected = match &known[..] {
            [one, other] => format!("{one} or {other}"),
            _ => format!("one of {}", known.join(", ")),
        };
        format!("unknown variant `{text}`, expected {expected}")
    })
}

/// A text in a recipe.
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

/// A text that may be left out.
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

/// A list of texts.
pub(crate) mod texts {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use super::Written;

    pub(crate) fn serialize<T: Written, S: Serializer>(values: &[T], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(values.iter().map(Written::written))
    }

    pub(crate) fn deserialize<'de, T: Written, D: Deserializer<'de>>(from: D) -> Result<Vec<T>, D::Error> {
        let texts = Vec::<String>::deserialize(from)?;
        texts.iter().map(|text| T::read(text).map_err(Error::custom)).collect()
    }
}
