//! What is wrong with a recipe, why, and what to write instead; settings are named as the flags that set them, or as keys.

use loopwright_core::mirror::MirrorError;

/// A recipe that cannot be read, written or followed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "messages show what their fields are")]
pub enum RecipeError {
    /// Bytes that are no UTF-8.
    #[error("it is not text")]
    NotText,
    /// The text is no recipe; with the place and the keys that exist.
    #[error("{0}")]
    Text(String),
    /// A setting that is no key with a value.
    #[error("\"{text}\" is no setting: it must be KEY=VALUE, such as closure.hardness=9")]
    Setting { text: String },
    /// A key that recipes do not have.
    #[error("no setting {key}{}", near.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    NoSetting { key: String, near: Option<String> },
    /// A setting that another command has.
    #[error("{key} has no effect on this command")]
    OtherSetting { key: String },
    /// A file, which has a flag of its own.
    #[error("{key} names a file, which only a flag or a recipe can do")]
    FileSetting { key: String },
    /// A number that TOML cannot hold.
    #[error("cannot write the recipe: {0}")]
    Write(String),
    /// Two recipes cannot be laid over each other.
    #[error("cannot use the recipe: {0}")]
    Overlay(String),
    /// A time that is not a positive number of seconds.
    #[error("{name} must be a positive number of seconds, found {found:?}")]
    Secs { name: String, found: f64, hint: String },
    /// A hardness that is not a positive number.
    #[error("{name} must be a positive number, found {found:?}")]
    Hardness { name: String, found: f64 },
    /// Shares that are not one to three numbers from 0 to 1.
    #[error("closure.share takes one to three numbers from 0 to 1: for pose, velocity and acceleration")]
    Shares,
    /// A method for the whole seam was chosen for one end.
    #[error("auto and crossfade close the whole seam, not one of its ends")]
    WholeSeam,
    /// A pattern that fits no joint.
    #[error("no joint matches \"{pattern}\"")]
    NoSuchJoint { pattern: String, similar: Vec<String> },
    /// A velocity's blend where no method has one.
    #[error("closure.velocity-blend sets spring and softfade, and nothing is closed by either")]
    VelocityBlend,
    /// A rate that is not a positive number of frames per second.
    #[error("--fps must be a positive number, found {found:?}")]
    Rate { found: f64 },
    /// Bones that grow by too much, or by less than nothing.
    #[error("take.bone-stretch must be a number from 0 to 1, percent, found {found:?}")]
    BoneStretch { found: f64 },
    /// A setting of how a character follows, where none is named.
    #[error("{name} says how a character follows the take, and none is named")]
    NoRig { name: &'static str },
    /// A pattern that fits no foot.
    #[error("no foot matches \"{pattern}\"")]
    NoSuchFoot { pattern: String, feet: Vec<String> },
    /// A name that no joint has.
    #[error("{} has no joint named \"{name}\"", if *is_character { "the character" } else { "the take" })]
    NoJointNamed {
        name: String,
        is_character: bool,
        similar: Vec<String>,
    },
    /// A name that several joints have.
    #[error("{count} joints are named \"{name}\"")]
    AmbiguousJoint { name: String, count: usize },
    /// An edit at a time and at another share of the loop.
    #[error("the edit of joint {joint} has both a time and a phase")]
    TwoTimes { joint: String },
    /// A stretch that is played there and back, and whose mirror image follows.
    #[error("--ping-pong plays the stretch back, --symmetric its mirror image")]
    TwoPairings,
    /// A time of turns that nothing makes.
    #[error("stretch.ease is the time of each turn of --ping-pong, which is not asked for")]
    EaseAlone,
    /// A seed or an amount of a variation that nothing has.
    #[error("output.vary-seed and output.vary-amount say how output.vary varies cycles, which is not asked for")]
    VaryAlone,
    /// What is said of left and right is no pair of names.
    #[error("\"{pair}\" is not a pair of names")]
    Pair { pair: String },
    /// The two sides of the skeleton cannot be exchanged.
    #[error("left and right cannot be exchanged on this skeleton")]
    Mirror(MirrorError),
}

impl RecipeError {
    /// What is wrong with a TOML file, with the line.
    pub(crate) fn from_toml(error: toml::de::Error) -> Self {
        Self::Text(error.to_string().trim_end().to_owned())
    }

    /// Why, in one line.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::NoSuchJoint { .. } => {
                Some("a pattern must match the whole name; * stands for any letters, ? for one letter".to_owned())
            }
            Self::NoSuchFoot { feet, .. } => Some(format!("the feet are {}", feet.join(", "))),
            Self::Mirror(error) => Some(error.to_string()),
            Self::NoJointNamed { is_character: true, .. } => {
                Some("with --rig, edits and stances name joints of the character".to_owned())
            }
            Self::AmbiguousJoint { .. } => Some("an edit changes one joint".to_owned()),
            _ => None,
        }
    }

    /// One thing to try.
    pub fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Secs { hint, .. } => hint,
            Self::Hardness { name, .. } => return Some(format!("--set {name}=16")),
            Self::Shares => "--set closure.share=0.5, or 1 to leave the end unchanged",
            Self::WholeSeam => "--closure for both ends, or other methods for each end",
            Self::NoSuchJoint { similar, .. }
            | Self::NoJointNamed { similar, .. }
            | Self::Mirror(MirrorError::NoSuchJoint { similar, .. }) => {
                return Some(if similar.is_empty() {
                    "`loopwright inspect TAKE --json` lists the joints".to_owned()
                } else {
                    format!("one of: {}", similar.join(", "))
                });
            }
            Self::AmbiguousJoint { .. } => "export the take with a name for each joint",
            Self::TwoTimes { .. } => "time, in seconds, or phase, from 0 to 1",
            Self::VelocityBlend => {
                "--closure spring, or --blend, which is the velocity's blend of linear and adjustment"
            }
            Self::TwoPairings => "one of the two",
            Self::VaryAlone => "--set output.vary=60, or neither of the two",
            Self::EaseAlone => "--ping-pong, or no stretch.ease",
            Self::BoneStretch { .. } => "take.bone-stretch=1, the most",
            Self::NoRig { .. } => "--rig with the character's file",
            Self::Rate { .. } => "--fps 30 or --fps 60",
            Self::NoSuchFoot { .. } => "--set take.feet=NAME,NAME names the joints of others",
            Self::Mirror(_) | Self::Pair { .. } => {
                "--set take.mirror=LeftArm=RightArm,LeftHand=RightHand; of convert, --mirror-map FILE with a pair a line"
            }
            Self::NoSetting { .. } | Self::Setting { .. } => "`loopwright recipe` lists all settings",
            Self::FileSetting { .. } => "--rig or --map",
            Self::OtherSetting { .. } => "--set take.hips=NAME, or another key of [take]",
            Self::NotText | Self::Text(_) | Self::Write(_) | Self::Overlay(_) => return None,
        };
        Some(hint.to_owned())
    }
}
