//! How a take is read and analysed.

use std::{
    ops::Deref,
    path::{Path, PathBuf},
    str::FromStr,
};

use loopwright_core::{BodyOverrides, analysis::ContactLimits};
use loopwright_formats::{AnimationChoice, ReadSettings, SizeLimits, SpaceSettings, UnitChoice, UpChoice};

use super::{
    RecipeError,
    described::described,
    rig_pose::{Gaze, ReferencePose},
    robot_file::RobotFile,
    words::{Written, optional_text, texts},
};

described! {
    /// How a take is read and what is seen in it, as flags or as the table `[take]` of a recipe.
    #[derive(Default)]
    #[serde(default)]
    pub struct StudyArgs {
        /// Axis that points up in the file: x, y, z, -x, -y, -z or auto.
        pub up: Option<UpChoice> as "optional_text" = "up = \"auto\"",
        /// Length unit of the file: m, cm, mm, in, cmu, a number of metres, or auto.
        pub unit: Option<UnitChoice> as "optional_text" = "unit = \"auto\"",
        /// Animation to read, by name in any case, pattern or number from 0 [default: the longest].
        pub animation: Option<String> = "# animation = \"Walk\"",
        /// Skin, in FBX and BVH skeleton, whose joints are read, by name or number from 0 [default: the one that moves most, or has most joints].
        pub skin: Option<String> = "# skin = \"Body\"",
        /// How many times as fast as the file says its motion is, where its rate is wrong.
        pub speed_up: Option<f64> = "speed-up = 1.0",
        /// The joint of the hips [default: detected].
        pub hips: Option<String> = "# hips = \"Hips\"",
        /// The joints of the feet (ankles) [default: detected].
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub feet: Vec<String> = "# feet = [\"LeftFoot\", \"RightFoot\"]",
        /// Remove motion faster than this from the take first, hertz.
        pub smooth: Option<f64> = "# smooth = 6.0",
        /// How much joints count where poses are compared, 0 for not at all [default: ankles, toes, hands, head and hips].
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub weights: Vec<(String, f64)> as "texts" = "# weights = [\"*Hand*=0\"]",
        /// A foot stands below this speed, m/s [default: a tenth of its fast speed].
        pub contact_speed: Option<f64> = "# contact-speed = 0.3",
        /// A foot stands below this height above its lowest point nearby, metres.
        pub contact_height: Option<f64> = "contact-height = 0.03",
        /// Whether names of animations and files, such as Walk or Attack, tell what the motion leaves open.
        pub names: Option<bool> = "names = true",
        /// The character's file, whose skeleton takes the loop.
        pub rig: Option<PathBuf> = "# rig = \"hero.glb\"",
        /// The robot whose motion the take is: its MJCF or URDF file.
        pub robot: Option<RobotFile> as "optional_text" = "# robot = \"g1.xml\"",
        /// A file of which joints of the character follow which, in TOML [default: found].
        pub map: Option<PathBuf> = "# map = \"hero.toml\"",
        /// By how much bones of the character's legs may grow so that feet reach their places, percent, 0 to 1.
        pub bone_stretch: Option<f64> = "# bone-stretch = 0.0",
        /// The pose of the take's skeleton that is laid onto the character's rest pose: rest, motion (worked out from it), a frame, or a
        /// file of the same skeleton [default: the file's rest pose if it is one, else motion].
        pub reference: Option<ReferencePose> as "optional_text" = "reference = \"auto\"",
        /// Where the take looks on the character: keep, degrees by which its gaze is raised, or a neutral take of the same skeleton,
        /// whose gaze becomes level.
        pub gaze: Option<Gaze> as "optional_text" = "gaze = \"keep\"",
        /// Joints that mirror each other, LEFT=RIGHT, where their names do not say so [default: by name].
        #[serde(skip_serializing_if = "Vec::is_empty")]
        pub mirror: Vec<String> = "# mirror = [\"LeftArm=RightArm\"]",
        /// The licence of the take, where its file states none.
        pub licence: Option<String> = "# licence = \"CC-BY-4.0\"",
    }
}

/// How a file is read, and which joints of it are the hips and the feet: those settings of a study alone.
#[value(Default)]
pub struct TakeArgs(StudyArgs);

impl Deref for TakeArgs {
    type Target = StudyArgs;

    fn deref(&self) -> &StudyArgs {
        &self.0
    }
}

impl From<TakeArgs> for StudyArgs {
    fn from(reading: TakeArgs) -> Self {
        reading.0
    }
}

impl TakeArgs {
    /// Returns the settings for another animation of the file.
    #[must_use]
    pub fn of_animation(&self, animation: Option<String>) -> Self {
        Self(StudyArgs {
            animation,
            ..self.0.clone()
        })
    }
}

/// Largest growth of a character's leg bones, percent; more is visible.
const MOST_BONE_STRETCH: f64 = 1.0;

/// Parses a growth of bones, percent. Errors: it is not a number from 0 to 1.
pub fn parse_bone_stretch(text: &str) -> Result<f64, &'static str> {
    let percent = text.parse().ok();
    percent
        .filter(|&percent| bone_stretch(Some(percent)).is_ok())
        .ok_or("must be a number from 0 to 1, percent")
}

/// Converts the growth of bones from percent to a share; 0 if not stated. Errors: [`RecipeError::BoneStretch`].
pub fn bone_stretch(percent: Option<f64>) -> Result<f64, RecipeError> {
    let found = percent.unwrap_or(0.0);
    if !(0.0..=MOST_BONE_STRETCH).contains(&found) {
        return Err(RecipeError::BoneStretch { found });
    }
    Ok(found / 100.0)
}

impl StudyArgs {
    /// Returns the settings for the file's axes and unit.
    pub fn space(&self) -> SpaceSettings {
        SpaceSettings::new(self.up.unwrap_or_default(), self.unit.unwrap_or_default())
    }

    /// Returns the settings for reading a file. `space` may come from a better source; `animation` is used if the user
    /// names none, and `limits` bounds how much is read.
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
            speed_up: self.speed_up,
            companions: None,
            robot: self.robot.as_ref().map(|file| &*file.robot),
            limits,
        }
    }

    /// Returns how its files are read.
    pub fn reading(&self) -> TakeArgs {
        TakeArgs(Self {
            up: self.up,
            unit: self.unit,
            animation: self.animation.clone(),
            skin: self.skin.clone(),
            speed_up: self.speed_up,
            robot: self.robot.clone(),
            hips: self.hips.clone(),
            feet: self.feet.clone(),
            reference: self.reference.clone(),
            gaze: self.gaze.clone(),
            ..Self::default()
        })
    }

    /// Returns the files that it names, with their keys.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &Path)> {
        [
            ("take.rig", self.rig.as_deref()),
            ("take.robot", self.robot.as_ref().map(|file| &*file.path)),
            ("take.map", self.map.as_deref()),
            ("take.reference", self.reference.as_ref().and_then(ReferencePose::file)),
            ("take.gaze", self.gaze.as_ref().and_then(Gaze::file)),
        ]
        .into_iter()
        .filter_map(|(key, file)| Some((key, file?)))
    }

    /// Checks the settings. Errors: a mirror pair is invalid, or there are character settings but no character.
    pub fn check(&self) -> Result<(), RecipeError> {
        for pair in &self.mirror {
            super::mirror_pair(pair)?;
        }
        let of_rig = [
            ("--map", self.map.is_some()),
            ("take.bone-stretch", self.bone_stretch.is_some()),
            ("take.gaze", self.gaze.as_ref().is_some_and(|gaze| *gaze != Gaze::Keep)),
        ];
        match of_rig.into_iter().find(|(_, is_said)| *is_said) {
            Some((name, _)) if self.rig.is_none() => Err(RecipeError::NoRig { name }),
            _ => Ok(()),
        }
    }

    /// Returns the user's settings for the body, for the analysis of the take.
    pub fn overrides(&self) -> BodyOverrides {
        BodyOverrides {
            hips: self.hips.clone(),
            feet: self.feet.clone(),
            weights: self.weights.clone(),
            contacts: ContactLimits {
                speed_mps: self.contact_speed,
                height_metres: self.contact_height,
            },
            ignore_name: self.names == Some(false),
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
        text.rsplit_once('=')
            .filter(|(pattern, _)| !pattern.is_empty())
            .and_then(|(pattern, weight)| Some((pattern.to_owned(), weight.trim().parse().ok()?)))
            .ok_or_else(|| "must be PATTERN=WEIGHT, such as 'Head=0' or '*Hand*=1'".to_owned())
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
