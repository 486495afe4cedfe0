//! Errors of recipes: what is wrong, why, and what to write instead. Settings are named after their flags or keys.

use loopwright_core::mirror::MirrorError;

/// A recipe that cannot be read, written or followed.
#[error_kinds]
pub enum RecipeError {
    /// Bytes that are not UTF-8.
    #[error("it is not text")]
    NotText,
    /// The text is not a recipe; holds the place and the existing keys.
    #[error("{0}")]
    Text(String),
    /// A setting without a key and a value.
    #[error("\"{text}\" is no setting: it must be KEY=VALUE, such as closure.hardness=9")]
    Setting { text: String },
    /// An unknown key.
    #[error("no setting {key}{}", near.as_ref().map(|near| format!("; did you mean {near}?")).unwrap_or_default())]
    NoSetting { key: String, near: Option<String> },
    /// A setting of another command.
    #[error("{key} has no effect on this command")]
    OtherSetting { key: String },
    /// A file path, which has a flag of its own.
    #[error("{key} names a file, which only a flag or a recipe can do")]
    FileSetting { key: String },
    /// A number that TOML cannot hold.
    #[error("cannot write the recipe: {0}")]
    Write(String),
    /// Two recipes that cannot be merged.
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
    /// A whole-seam method chosen for one end.
    #[error("auto and crossfade close the whole seam, not one of its ends")]
    WholeSeam,
    /// A pattern that matches no joint.
    #[error("no joint matches \"{pattern}\"")]
    NoSuchJoint { pattern: String, similar: Vec<String> },
    /// A velocity blend although no method has one.
    #[error("closure.velocity-blend sets spring and softfade, and nothing is closed by either")]
    VelocityBlend,
    /// A rate that is not a positive number of frames per second.
    #[error("--fps must be a positive number, found {found:?}")]
    Rate { found: f64 },
    #[error("output.{name} must be a positive number, found {found:?}")]
    NotPositive { name: &'static str, found: f64 },
    /// More settings than determine the length of a loop.
    #[error(
        "output.seconds, cadence, and frames with fps each say how long a loop lasts; with output.speed nothing is left for output.keep"
    )]
    TwoLengths,
    #[error("output.contact says where a loop starts, and so does output.start-at")]
    TwoStarts,
    /// Bone growth above the limit or below zero.
    #[error("take.bone-stretch must be a number from 0 to 1, percent, found {found:?}")]
    BoneStretch { found: f64 },
    /// A character setting without a character.
    #[error("{name} says how a character follows the take, and none is named")]
    NoRig { name: &'static str },
    /// A pattern that matches no foot.
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
    /// An edit with a time and a share of the loop.
    #[error("the edit of joint {joint} has both a time and a phase")]
    TwoTimes { joint: String },
    /// A stretch that is both ping-pong and mirrored.
    #[error("--ping-pong plays the stretch back, --symmetric its mirror image")]
    TwoPairings,
    /// A turn time without turns.
    #[error("stretch.ease sets the time of each turn of --ping-pong, which is not asked for")]
    EaseAlone,
    /// A seed or an amount without a variation.
    #[error("output.vary-seed and output.vary-amount say how output.vary varies cycles, which is not asked for")]
    VaryAlone,
    /// A mirror pair that is not two names.
    #[error("\"{pair}\" is not a pair of names")]
    Pair { pair: String },
    /// The two sides of the skeleton cannot be exchanged.
    #[error("left and right cannot be exchanged on this skeleton")]
    Mirror(MirrorError),
}

impl RecipeError {
    /// Converts the error of a TOML file, with the line.
    pub(crate) fn from_toml(error: toml::de::Error) -> Self {
        Self::Text(error.to_string().trim_end().to_owned())
    }

    /// Explains the reason in one line.
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

    /// Suggests one thing to try.
    pub fn hint(&self) -> Option<String> {
        Some(match self {
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
            Self::TwoPairings | Self::TwoStarts => "one of the two",
            Self::TwoLengths => "one of them",
            Self::NotPositive { .. } => "--set output.seconds=0.7333, output.cadence=110 or output.speed=1.4",
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
        }
        .to_owned())
    }
}
