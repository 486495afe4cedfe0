//! The output: engine, root, feet, rate and keys, as requested and as settings of the libraries.

use loopwright_core::{
    FeetSettings, LoopCandidate, RootMode, RootSettings,
    feet::{FootLock, RootSpeed},
    pipeline::{Footfalls, Keep, Length, Sampling, StartAt, Timing},
    root_motion::{RootBlend, RootSpace},
    variation::VariationSettings,
};
use loopwright_formats::{ClosingKey, Format, KeyInterpolation, LoopWriteSettings, SizeLimits, Target};
use serde::{Deserialize, Deserializer, de::Error};

use super::{
    RecipeError,
    described::described,
    unusual,
    words::{Choice, choices, optional_text},
};
#[cfg(feature = "clap")]
use super::{
    headings::{ENGINE, FEET, OUTPUT, ROOT_MOTION},
    words::choice,
};

/// Whether a loop is brought to the origin.
#[choice_in_words]
pub enum Recenter {
    /// The loop starts at the origin and faces forward.
    On,
    /// The loop keeps the position of the take.
    Off,
}

choices! {
    Recenter {
        On: "Starts at the origin and faces forward",
        Off: "Stands where the take stood",
    }
}

impl Recenter {
    /// Whether a file for this engine is recentered, given the user's choice if any.
    pub fn or_for(asked: Option<Self>, engine: Target) -> bool {
        asked.map_or(engine.choices().is_engine, |asked| asked == Self::On)
    }
}

/// A setting without effect in this combination.
#[error_kinds(Copy, Eq)]
pub enum Ineffective {
    #[error("output.path-smoothing has no effect without --root-motion path or inertialized")]
    PathSmoothing,
    #[error("output.root-blend-start, root-blend-end and root-share have no effect without --root-motion inertialized")]
    RootBlend,
    #[error("output.force-straight has no effect without --root-motion linear")]
    ForceStraight,
}

/// Parses a whole number from 1 to 100000; the error states the range.
pub fn parse_count(text: &str) -> Result<usize, String> {
    match text.parse::<usize>() {
        Ok(count) if (1..=100_000).contains(&count) => Ok(count),
        _ => Err("must be a whole number from 1 to 100000".to_owned()),
    }
}

described! {
    /// What is written, as flags or as the table `[output]` of a recipe.
    #[derive(Copy, Default)]
    #[serde(default)]
    flags()
    pub struct OutputRecipe {
        /// What the root does [default: constant].
        flag(long, value_name = "MODE", help_heading = ROOT_MOTION, value_parser = choice::<RootMode>())
        pub root_motion: Option<RootMode> as "optional_text" = "# root-motion = \"constant\"",
        /// Which motion counts as root motion: ground, turning about the up axis, or full, about any axis, for props and rolls.
        pub root_space: Option<RootSpace> as "optional_text" = "root-space = \"ground\"",
        /// Smoothing of a root motion of path, or of an inertialized one without a root joint: standard deviation, seconds, above 0.
        pub path_smoothing: Option<f64> = "# path-smoothing = 0.25",
        /// Seconds over which an inertialized root fades its gap in velocity after the start [default: those of the closure].
        pub root_blend_start: Option<f64> = "# root-blend-start = 0.4",
        /// The same before the end.
        pub root_blend_end: Option<f64> = "# root-blend-end = 0.4",
        /// The start's share of that gap, 0 to 1 [default: that of the closure].
        pub root_share: Option<f64> = "# root-share = 0.5",
        /// What the speed of the root is measured from: auto, feet, pose, or the speed itself, m/s.
        pub root_speed: Option<RootSpeed> as "optional_text" = "root-speed = \"auto\"",
        /// Whether linear root motion may take loops that turn by 5 degrees or more.
        pub force_straight: Option<bool> = "force-straight = false",
        /// Add a root joint that carries the root motion, where the take has none.
        flag(long, num_args = 0, default_missing_value = "true", help_heading = ROOT_MOTION)
        pub add_root: Option<bool> = "# add-root = true",
        /// Whether planted feet are locked [default: auto].
        flag(long, value_name = "WHEN", help_heading = FEET, value_parser = choice::<FootLock>())
        pub lock_feet: Option<FootLock> as "optional_text" = "lock-feet = \"auto\"",
        /// Frames per second of the loop [default: those of the take].
        flag(long, value_name = "R", help_heading = OUTPUT)
        pub fps: Option<f64> = "# fps = 30.0",
        /// Frames of the loop in place of fps, not counting a repeated last key; with fps they are its length.
        pub frames: Option<usize> = "# frames = 30",
        /// Seconds that the loop lasts, 0.8 to 1.25 times those recorded [default: those recorded, in whole frames].
        pub seconds: Option<f64> = "# seconds = 0.7333",
        /// Steps a minute, in place of seconds.
        pub cadence: Option<f64> = "# cadence = 110.0",
        /// Metres per second over the ground, which its time is for.
        pub speed: Option<f64> = "# speed = 1.4",
        /// What stays where only its length or only its speed is given: stride, speed, or natural, as people change their pace.
        pub keep: Option<Keep> as "optional_text" = "keep = \"stride\"",
        /// When feet touch down in each cycle, which also says where the loop starts: shares of the cycle, or seconds (left:0.1833s).
        pub contact: Option<Footfalls> as "optional_text" = "# contact = \"left:0.25,right:0.75\"",
        /// Copies of the loop, one after another, 1 to 100000.
        #[serde(deserialize_with = "count")]
        pub repeat: Option<usize> = "repeat = 1",
        /// Seconds of many cycles, about, of which none is like another, as the take's own differ; they loop as a whole.
        pub vary: Option<f64> = "# vary = 60.0",
        /// The same seed varies them in the same way.
        pub vary_seed: Option<u32> = "# vary-seed = 0",
        /// Share of the take's own variation, above 0, up to 2.
        pub vary_amount: Option<f64> = "# vary-amount = 1.0",
        /// Whether the last key repeats the first, moved on by the root motion: repeat, or drop.
        pub last_key: Option<ClosingKey> as "optional_text" = "last-key = \"repeat\"",
        /// What happens between keys: linear, or step, each pose held until the next as in animation on twos (GLB, glTF, FBX).
        pub interpolation: Option<KeyInterpolation> as "optional_text" = "interpolation = \"linear\"",
        /// Where in its cycle the loop starts: left-contact, right-contact, passing, or a share of the cycle, 0 to 1 [default: at its seam].
        pub start_at: Option<StartAt> as "optional_text" = "# start-at = \"left-contact\"",
        /// Whether the loop starts at the origin and faces forward [default: on with --for, else off].
        pub recenter: Option<Recenter> as "optional_text" = "# recenter = \"off\"",
        /// Write for an engine.
        flag(long = "for", value_name = "ENGINE", help_heading = ENGINE, value_parser = choice::<Target>(), ignore_case = true)
        #[serde(rename = "for")]
        pub target: Option<Target> as "optional_text" = "# for = \"unity\"",
    }
}

/// Reads a number of copies.
fn count<'de, D: Deserializer<'de>>(from: D) -> Result<Option<usize>, D::Error> {
    parse_count(&usize::deserialize(from)?.to_string())
        .map(Some)
        .map_err(D::Error::custom)
}

impl OutputRecipe {
    /// Returns the engine for which the loop is written.
    pub fn engine(&self) -> Target {
        self.target.unwrap_or(Target::Generic)
    }

    /// Whether the loop is recentered.
    pub fn recenters(&self) -> bool {
        Recenter::or_for(self.recenter, self.engine())
    }

    /// Whether any setting apart from the engine is given.
    pub fn is_given_apart_from_engine(&self) -> bool {
        Self { target: None, ..*self } != Self::default()
    }

    /// Returns these settings with the engine's choices filled in where the user made none, for a stretch of a take at this
    /// frame rate; a motion that stays in place is kept in place.
    pub fn filled(&self, take_rate_hz: f64, stretch: &LoopCandidate) -> Self {
        let choices = self.engine().choices();
        let whole_rate = take_rate_hz.round().max(1.0);
        let is_uneven = whole_rate != take_rate_hz || stretch.whole.is_some_and(|whole| whole.ends_between_frames());
        let retimed = choices.whole_rate && self.frames.is_none() && is_uneven;
        Self {
            root_motion: self.root_motion.or(choices.root).or(stretch.root_mode()),
            recenter: self.recenter.or(choices.is_engine.then_some(Recenter::On)),
            add_root: self.add_root.or(choices.always_root_joint.then_some(true)),
            fps: self.fps.or(retimed.then_some(whole_rate)),
            ..*self
        }
    }

    /// Returns how root motion is extracted; adds settings without effect to `ineffective`.
    pub fn root_settings(&self, ineffective: &mut Vec<Ineffective>) -> RootSettings {
        let defaults = RootSettings::default();
        let mode = self.root_motion.unwrap_or(defaults.mode);
        if self.path_smoothing.is_some() && !mode.follows_path() {
            ineffective.push(Ineffective::PathSmoothing);
        }
        let blend = RootBlend {
            start_secs: self.root_blend_start,
            end_secs: self.root_blend_end,
            share: self.root_share,
        };
        if blend != RootBlend::default() && mode != RootMode::Inertialized {
            ineffective.push(Ineffective::RootBlend);
        }
        if self.force_straight == Some(true) && mode != RootMode::Linear {
            ineffective.push(Ineffective::ForceStraight);
        }
        RootSettings {
            mode,
            space: self.root_space.unwrap_or(defaults.space),
            path_smoothing_secs: self.path_smoothing.unwrap_or(defaults.path_smoothing_secs),
            blend,
            force_straight: self.force_straight.unwrap_or(defaults.force_straight),
            recenter: self.recenter == Some(Recenter::On),
        }
    }

    /// Returns this recipe with these settings written out, so that it gives them again.
    #[must_use]
    pub fn stating(&self, root: &RootSettings, feet: &FeetSettings) -> Self {
        let recenter = if root.recenter { Recenter::On } else { Recenter::Off };
        Self {
            // Always stated: whole takes may have another default.
            root_motion: Some(root.mode),
            root_space: unusual(root.space),
            path_smoothing: Some(root.path_smoothing_secs)
                .filter(|secs| *secs != RootSettings::default().path_smoothing_secs),
            root_blend_start: root.blend.start_secs,
            root_blend_end: root.blend.end_secs,
            root_share: root.blend.share,
            force_straight: unusual(root.force_straight),
            recenter: (root.recenter != self.engine().choices().is_engine).then_some(recenter),
            root_speed: unusual(feet.speed),
            lock_feet: unusual(feet.lock),
            ..*self
        }
    }

    /// Returns how the cycles of the loop are varied; `None` for a single cycle. Errors: settings of a variation without one.
    pub fn variation(&self) -> Result<Option<VariationSettings>, RecipeError> {
        let variation = self.vary.map(|secs| VariationSettings {
            secs,
            seed: self.vary_seed.unwrap_or_default(),
            amount: self.vary_amount.unwrap_or(1.0),
        });
        if variation.is_none() && (self.vary_seed.is_some() || self.vary_amount.is_some()) {
            return Err(RecipeError::VaryAlone);
        }
        Ok(variation)
    }

    /// Returns the time of the loop. Errors: numbers that are not positive, or settings that contradict each other.
    pub fn timing(&self) -> Result<Timing, RecipeError> {
        let is_positive = |value: f64| value > 0.0 && value.is_finite();
        if let Some(found) = self.fps.filter(|rate| !is_positive(*rate)) {
            return Err(RecipeError::Rate { found });
        }
        for (name, value) in [
            ("seconds", self.seconds),
            ("cadence", self.cadence),
            ("speed", self.speed),
        ] {
            if let Some(found) = value.filter(|value| !is_positive(*value)) {
                return Err(RecipeError::NotPositive { name, found });
            }
        }
        if self.contact.is_some() && self.start_at.is_some() {
            return Err(RecipeError::TwoStarts);
        }
        let of_frames = self.frames.zip(self.fps).map(|(count, rate)| count as f64 / rate);
        let mut lengths = [
            self.seconds.map(Length::Secs),
            of_frames.map(Length::Secs),
            self.cadence.map(Length::StepsPerMinute),
        ]
        .into_iter()
        .flatten();
        let length = lengths.next();
        if lengths.next().is_some() || (length.is_some() && self.speed.is_some() && self.keep.is_some()) {
            return Err(RecipeError::TwoLengths);
        }
        Ok(Timing {
            sampling: match (self.frames, self.fps) {
                (Some(count), _) => Sampling::Samples(count),
                (None, Some(rate)) => Sampling::Rate(rate),
                (None, None) => Sampling::SourceRate,
            },
            length,
            speed_mps: self.speed,
            keep: self.keep.unwrap_or_default(),
            footfalls: self.contact.unwrap_or_default(),
        })
    }

    /// Returns how the loop is laid out in a file of this format; `root_joint` is the take's own joint above the hips, and
    /// `limits` bounds the size of the file.
    ///
    /// A take with a root joint gets no second one; avatars never get one.
    pub fn writing(&self, format: Format, root_joint: Option<usize>, limits: SizeLimits) -> LoopWriteSettings {
        // Without root motion no joint is needed to carry it.
        let moves = matches!(
            self.root_motion.unwrap_or_default(),
            RootMode::Constant | RootMode::Linear | RootMode::Path | RootMode::Inertialized
        );
        let capabilities = format.capabilities();
        let adds_root = self.add_root.unwrap_or(capabilities.has_root_joint_for_motion && moves);
        LoopWriteSettings {
            limits,
            closing_key: self.last_key.unwrap_or_default(),
            copies: self.repeat.unwrap_or(1),
            add_root: adds_root && root_joint.is_none() && capabilities.takes_root_joint,
            in_place: !self.root_motion.unwrap_or_default().moves_root(),
            interpolation: self.interpolation.unwrap_or_default(),
        }
    }
}
