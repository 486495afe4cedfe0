//! What is written: the engine, the root, the feet, rate and keys, as asked for and as settings of the libraries.

use clap::Args;
use loopwright::{
    FeetSettings, RootMode, RootSettings,
    feet::{FootLock, RootSpeed},
    pipeline::Sampling,
    root_motion::RootSpace,
};
use loopwright_formats::{ClosingKey, Format, LoopWriteSettings, Target};
use serde::{Deserialize, Serialize};

use crate::{
    exit::Failure,
    numbers::parse_count,
    words::{choice, optional_text},
};

/// What is written, as flags or as the table `[output]` of a recipe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OutputRecipe {
    /// The client that will play the loop: sets what that needs and no other flag says (docs/formats/targets.md).
    #[arg(long = "for", value_name = "CLIENT", value_parser = choice::<Target>())]
    #[serde(rename = "for", with = "optional_text")]
    pub(crate) target: Option<Target>,
    /// What becomes of the travel; screw unless given.
    #[arg(long, value_parser = choice::<RootMode>())]
    #[serde(with = "optional_text")]
    root: Option<RootMode>,
    /// Which motions count as travel; ground unless given.
    #[arg(long, value_parser = choice::<RootSpace>())]
    #[serde(with = "optional_text")]
    root_space: Option<RootSpace>,
    /// How much --root path is smoothed: standard deviation of the weights, seconds; 0.25 unless given.
    #[arg(long, value_name = "SECONDS")]
    path_smoothing: Option<f64>,
    /// What tells the speed of the root; auto unless given.
    #[arg(long, value_parser = choice::<RootSpeed>())]
    #[serde(with = "optional_text")]
    root_speed: Option<RootSpeed>,
    /// Whether feet are held where they stand; auto unless given.
    #[arg(long, value_parser = choice::<FootLock>())]
    #[serde(with = "optional_text")]
    lock_feet: Option<FootLock>,
    /// With --root rabbit: take loops that turn by 5 degrees or more too, and close the turn like any gap.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    force_straight: Option<bool>,
    /// Insert a root joint that carries exactly the twist, where the take has none.
    #[arg(long, num_args = 0, default_missing_value = "true")]
    pub(crate) add_root: Option<bool>,
    /// Frames per second of the loop; the take's own unless given.
    #[arg(long, value_name = "R", conflicts_with = "frames")]
    fps: Option<f64>,
    /// Unique frames of the loop; as many as the take has unless given.
    #[arg(long, value_name = "N")]
    frames: Option<usize>,
    /// Copies of the loop, end to end, with the travel carried on; 1 unless given.
    #[arg(long, value_name = "N", value_parser = parse_count)]
    repeat: Option<usize>,
    /// Whether the last key repeats the first; repeat unless given.
    #[arg(long, value_parser = choice::<ClosingKey>())]
    #[serde(with = "optional_text")]
    last_key: Option<ClosingKey>,
}

impl OutputRecipe {
    /// Who will play the loop.
    pub(crate) fn client(&self) -> Target {
        self.target.unwrap_or(Target::Generic)
    }

    /// This with the client's choices where nothing is said; the take has that many frames per second.
    pub(crate) fn filled(&self, take_rate_hz: f64) -> Self {
        let choices = self.client().choices();
        let whole_rate = take_rate_hz.round().max(1.0);
        let retimed = choices.whole_rate && self.frames.is_none() && whole_rate != take_rate_hz;
        Self {
            root: self.root.or(choices.root),
            add_root: self.add_root.or(choices.always_root_joint.then_some(true)),
            fps: self.fps.or(retimed.then_some(whole_rate)),
            ..*self
        }
    }

    /// How root motion is taken out; `soft` gets what has no meaning.
    pub(crate) fn root_settings(&self, soft: &mut Vec<String>) -> RootSettings {
        let defaults = RootSettings::default();
        let mode = self.root.unwrap_or(defaults.mode);
        if self.path_smoothing.is_some() && mode != RootMode::Path {
            soft.push("--path-smoothing says how --root path is smoothed; here it changes nothing".to_owned());
        }
        if self.force_straight == Some(true) && mode != RootMode::Rabbit {
            soft.push("--force-straight is for --root rabbit; here it changes nothing".to_owned());
        }
        RootSettings {
            mode,
            space: self.root_space.unwrap_or(defaults.space),
            path_smoothing_secs: self.path_smoothing.unwrap_or(defaults.path_smoothing_secs),
            force_straight: self.force_straight.unwrap_or(defaults.force_straight),
        }
    }

    /// How the feet are treated.
    pub(crate) fn feet_settings(&self) -> FeetSettings {
        FeetSettings {
            lock: self.lock_feet.unwrap_or_default(),
            speed: self.root_speed.unwrap_or_default(),
        }
    }

    /// How densely the loop is sampled. Errors: a rate that is no positive number.
    pub(crate) fn sampling(&self) -> Result<Sampling, Failure> {
        match (self.fps, self.frames) {
            (Some(rate), _) if !(rate > 0.0 && rate.is_finite()) => {
                Err(Failure::error(format!("--fps must be a positive number, found {rate}"))
                    .try_this("--fps 30 or --fps 60"))
            }
            (Some(rate), _) => Ok(Sampling::Rate(rate)),
            (None, Some(count)) => Ok(Sampling::Samples(count)),
            (None, None) => Ok(Sampling::SourceRate),
        }
    }

    /// How the loop is laid out in a file of that format; `root_joint` is the one that the take has above its hips.
    ///
    /// A take with a root joint gets no second one.
    pub(crate) fn writing(&self, format: Format, root_joint: Option<usize>) -> LoopWriteSettings {
        // Engines that play glTF read the travel from a node of its own; where there is no travel, none is needed.
        let travels = matches!(
            self.root.unwrap_or_default(),
            RootMode::Screw | RootMode::Rabbit | RootMode::Path
        );
        let adds_root = (self.add_root).unwrap_or(matches!(format, Format::Glb | Format::Gltf) && travels);
        LoopWriteSettings {
            closing_key: self.last_key.unwrap_or_default(),
            copies: self.repeat.unwrap_or(1),
            add_root: adds_root && root_joint.is_none(),
            in_place: !self.root.unwrap_or_default().moves_root(),
        }
    }
}
