//! Recipes: everything that decides how a loop is made, as flags or as a file, one laid over the other.
//!
//! A recipe holds only what somebody asked for; what is left out has the defaults of today. What `--save-recipe` writes
//! holds everything that was decided on the way as well (the frames, the method that was chosen), so that it gives the same
//! loop again.

use std::{
    fmt,
    path::{Path, PathBuf},
    str::FromStr,
};

use clap::ValueEnum;
use loopwright_formats::{Axis, UnitChoice, UpChoice};
use serde::{Deserialize, Serialize};

use crate::{
    args::{self, ContactArgs, LastKeyChoice, LockChoice, RootChoice, SpaceChoice, SpeedChoice, StudyArgs, TakeArgs},
    exit::Failure,
    load,
    targets::Target,
};

/// How a loop is made. Written as TOML, with a table for each part.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct Recipe {
    /// How the take is read.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) take: TakeRecipe,
    /// Which frames.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) stretch: StretchRecipe,
    /// How the seam is closed.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) closure: ClosureRecipe,
    /// Joints that are closed in another way, the last that fits counting.
    #[serde(rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub(crate) joints: Vec<JointRecipe>,
    /// What is written.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) output: OutputRecipe,
}

/// How the take is read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TakeRecipe {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) up: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) unit: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) animation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) skin: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hips: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feet: Vec<String>,
    /// Hertz above which the take is smoothed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) smooth: Option<f64>,
    /// How much joints count, as `PATTERN=WEIGHT`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) weights: Vec<String>,
    /// Speed and height below which a foot comes to stand, metres per second and metres.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact_speed: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) contact_height: Option<f64>,
    /// Joints that are images of each other, as `LEFT=RIGHT`, where names do not tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) mirror: Vec<String>,
}

/// Which frames are closed; a search finds them where they are not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct StretchRecipe {
    /// Source frames, counted from 0, fractional.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) start: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<f64>,
    /// Fundamental periods in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cycles: Option<u32>,
    /// Whether the stretch is half a cycle and its mirror image follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) symmetric: Option<bool>,
}

/// How the seam is closed. Times in seconds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct ClosureRecipe {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method: Option<Method>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method_start: Option<Method>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) method_end: Option<Method>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blend: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blend_start: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) blend_end: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hardness: Option<f64>,
    /// Shares of the start: of pose, velocity and acceleration; those left out are as the one before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) share: Vec<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) order: Option<OrderChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) motion: Option<MotionChoice>,
}

/// Joints that are closed in their own way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct JointRecipe {
    /// Names, `*` for any letters and `?` for any one.
    pub(crate) pattern: String,
    pub(crate) method: JointMethod,
    /// Seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blend: Option<f64>,
}

/// What is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct OutputRecipe {
    /// The client that will play it.
    #[serde(rename = "for", skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root: Option<RootChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root_space: Option<SpaceChoice>,
    /// Seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_smoothing: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) root_speed: Option<SpeedChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) lock_feet: Option<LockChoice>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) force_straight: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) add_root: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) fps: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) frames: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repeat: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) last_key: Option<LastKeyChoice>,
}

/// How a seam is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Method {
    /// The least visible of all, found by trying.
    Auto,
    /// Meets in pose, velocity and acceleration; exactly zero after the blend time.
    Quintic,
    /// Meets in pose and velocity; exactly zero after the blend time.
    Cubic,
    /// Meets in pose and velocity; decays like a critically damped spring with the blend as half-life.
    Spring,
    /// Spreads the pose evenly over the loop; velocity over the blend time.
    Linear,
    /// Spreads the pose with a soft bend, whose hardness is --hardness; velocity over the blend time.
    Softfade,
    /// Spreads the pose where the joint moves most; velocity over the blend time.
    Adjustment,
    /// Blends into the frames that precede the start in the take.
    Crossfade,
}

/// How the seam of some joints is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum JointMethod {
    Quintic,
    Cubic,
    Spring,
    Linear,
    Softfade,
    Adjustment,
    Crossfade,
    /// Left as it is, with its jump.
    Open,
}

/// How far the seam is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum OrderChoice {
    /// Pose and velocity.
    C1,
    /// Acceleration as well, where the shape carries it.
    C2,
}

/// How velocities and accelerations at the seam are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MotionChoice {
    /// Least squares over nine frames; what noise there is besides is met within a few frames.
    Layered,
    /// Central differences, noise and all.
    Central,
}

impl fmt::Display for JointMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.to_possible_value();
        f.write_str(name.as_ref().map_or("", |name| name.get_name()))
    }
}

impl FromStr for JointRecipe {
    type Err = String;

    /// `PATTERN:METHOD[:SECONDS]`, read from its end: names of joints may hold colons.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            let methods: Vec<String> = JointMethod::value_variants().iter().map(ToString::to_string).collect();
            format!(
                "must be PATTERN:METHOD[:SECONDS], such as 'Hand*:spring:0.1', with a method of {}",
                methods.join(", ")
            )
        };
        let (rest, last) = text.rsplit_once(':').ok_or_else(wrong)?;
        let method = |word: &str| JointMethod::from_str(word, true).ok();
        let (pattern, method, blend) = match (method(last), last.trim().parse::<f64>()) {
            (Some(method), _) => (rest, method, None),
            (None, Ok(secs)) => {
                let (pattern, word) = rest.rsplit_once(':').ok_or_else(wrong)?;
                (pattern, method(word).ok_or_else(wrong)?, Some(secs))
            }
            (None, Err(_)) => return Err(wrong()),
        };
        if pattern.is_empty() {
            return Err(wrong());
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            method,
            blend,
        })
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Recipe {
    /// Reads a recipe. Errors: the file cannot be read, or is no recipe.
    pub(crate) fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = load::read_bytes(path)?;
        let no_recipe = |why: String| {
            Failure::error(format!("cannot read the recipe \"{}\": {why}", path.display()))
                .try_this("`loopwright make TAKE --save-recipe FILE` writes one to start from")
        };
        let text = String::from_utf8(bytes).map_err(|_| no_recipe("it is not text".to_owned()))?;
        toml::from_str(&text).map_err(|error| no_recipe(error.to_string().trim_end().to_owned()))
    }

    /// The text of a recipe.
    pub(crate) fn to_text(&self) -> Result<String, Failure> {
        let text =
            toml::to_string(self).map_err(|error| Failure::error(format!("cannot write the recipe: {error}")))?;
        Ok(format!(
            "# How a loop is made: `loopwright make TAKE --recipe FILE`.\n\n{text}"
        ))
    }

    /// This recipe with whatever another one says laid over it.
    pub(crate) fn overlaid(self, over: Self) -> Self {
        Self {
            take: TakeRecipe {
                up: over.take.up.or(self.take.up),
                unit: over.take.unit.or(self.take.unit),
                animation: over.take.animation.or(self.take.animation),
                skin: over.take.skin.or(self.take.skin),
                hips: over.take.hips.or(self.take.hips),
                feet: either(over.take.feet, self.take.feet),
                smooth: over.take.smooth.or(self.take.smooth),
                weights: either(over.take.weights, self.take.weights),
                contact_speed: over.take.contact_speed.or(self.take.contact_speed),
                contact_height: over.take.contact_height.or(self.take.contact_height),
                mirror: either(over.take.mirror, self.take.mirror),
            },
            // The ends of a stretch belong together.
            stretch: StretchRecipe {
                cycles: over.stretch.cycles.or(self.stretch.cycles),
                ..if over.stretch.start.is_some() {
                    over.stretch
                } else {
                    StretchRecipe {
                        symmetric: over.stretch.symmetric.or(self.stretch.symmetric),
                        ..self.stretch
                    }
                }
            },
            closure: self.closure.overlaid(over.closure),
            // Later ones count, so those that were asked for last come last.
            joints: self.joints.into_iter().chain(over.joints).collect(),
            output: OutputRecipe {
                target: over.output.target.or(self.output.target),
                root: over.output.root.or(self.output.root),
                root_space: over.output.root_space.or(self.output.root_space),
                path_smoothing: over.output.path_smoothing.or(self.output.path_smoothing),
                root_speed: over.output.root_speed.or(self.output.root_speed),
                lock_feet: over.output.lock_feet.or(self.output.lock_feet),
                force_straight: over.output.force_straight.or(self.output.force_straight),
                add_root: over.output.add_root.or(self.output.add_root),
                // A rate and a number of frames exclude each other.
                fps: over
                    .output
                    .fps
                    .or(self.output.fps.filter(|_| over.output.frames.is_none())),
                frames: over
                    .output
                    .frames
                    .or(self.output.frames.filter(|_| over.output.fps.is_none())),
                repeat: over.output.repeat.or(self.output.repeat),
                last_key: over.output.last_key.or(self.output.last_key),
            },
        }
    }
}

impl ClosureRecipe {
    fn overlaid(self, over: Self) -> Self {
        // What is said of both ends takes the place of what was said of one.
        let one_end = |of_both: bool, over: Option<Method>, this| if of_both { over } else { over.or(this) };
        let blends = over.blend.is_some();
        Self {
            method_start: one_end(over.method.is_some(), over.method_start, self.method_start),
            method_end: one_end(over.method.is_some(), over.method_end, self.method_end),
            blend_start: if blends {
                over.blend_start
            } else {
                over.blend_start.or(self.blend_start)
            },
            blend_end: if blends {
                over.blend_end
            } else {
                over.blend_end.or(self.blend_end)
            },
            method: over.method.or(self.method),
            blend: over.blend.or(self.blend),
            hardness: over.hardness.or(self.hardness),
            share: if over.share.is_empty() { self.share } else { over.share },
            order: over.order.or(self.order),
            motion: over.motion.or(self.motion),
        }
    }
}

fn either<T>(over: Vec<T>, this: Vec<T>) -> Vec<T> {
    if over.is_empty() { this } else { over }
}

impl TakeRecipe {
    /// What the flags say of the take.
    pub(crate) fn of(study: &StudyArgs) -> Self {
        let args = &study.reading;
        Self {
            up: match args.up {
                UpChoice::Auto => None,
                UpChoice::Given(Axis::X) => Some("x".to_owned()),
                UpChoice::Given(Axis::Y) => Some("y".to_owned()),
                UpChoice::Given(Axis::Z) => Some("z".to_owned()),
            },
            unit: match args.unit {
                UnitChoice::Auto => None,
                UnitChoice::Metres(metres) => Some(metres.to_string()),
            },
            animation: args.animation.clone(),
            skin: args.skin.clone(),
            hips: args.hips.clone(),
            feet: args.feet.clone(),
            smooth: study.smooth,
            weights: (study.weights.iter())
                .map(|(pattern, weight)| format!("{pattern}={weight}"))
                .collect(),
            contact_speed: study.contacts.contact_speed,
            contact_height: study.contacts.contact_height,
            mirror: Vec::new(),
        }
    }

    /// The same as flags. Errors: an axis, a unit or a weight that is none, with the recipe's path.
    pub(crate) fn to_args(&self, path: Option<&PathBuf>) -> Result<StudyArgs, Failure> {
        let wrong = |key: &str, why: String| {
            let place = path.map_or_else(String::new, |path| format!(" in the recipe \"{}\"", path.display()));
            Failure::error(format!("take.{key}{place}: {why}"))
        };
        let reading = TakeArgs {
            up: match &self.up {
                Some(up) => up.parse().map_err(|why| wrong("up", format!("{why}")))?,
                None => UpChoice::Auto,
            },
            unit: match &self.unit {
                Some(unit) => unit.parse().map_err(|why| wrong("unit", format!("{why}")))?,
                None => UnitChoice::Auto,
            },
            animation: self.animation.clone(),
            skin: self.skin.clone(),
            hips: self.hips.clone(),
            feet: self.feet.clone(),
        };
        Ok(StudyArgs {
            reading,
            smooth: self.smooth,
            weights: (self.weights.iter())
                .map(|text| args::parse_weight(text).map_err(|why| wrong("weights", why)))
                .collect::<Result<_, _>>()?,
            contacts: ContactArgs {
                contact_speed: self.contact_speed,
                contact_height: self.contact_height,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joints_are_read_from_the_end() {
        let joint = |text: &str| text.parse::<JointRecipe>();
        let hands = joint("Hand*:spring:0.1").unwrap();
        assert_eq!(
            (hands.pattern.as_str(), hands.method, hands.blend),
            ("Hand*", JointMethod::Spring, Some(0.1))
        );
        let with_colons = joint("mixamorig:Left*:open").unwrap();
        assert_eq!(
            (with_colons.pattern.as_str(), with_colons.method, with_colons.blend),
            ("mixamorig:Left*", JointMethod::Open, None)
        );
        for wrong in ["", "Hand", "Hand*:0.1", "Hand*:fast", ":spring", "Hand*:spring:long"] {
            assert!(joint(wrong).unwrap_err().contains("PATTERN:METHOD"), "{wrong}");
        }
    }

    #[test]
    fn a_recipe_comes_back_from_its_text() {
        let recipe = Recipe {
            stretch: StretchRecipe {
                start: Some(219.0),
                end: Some(288.220_145_678_901_2),
                symmetric: None,
                cycles: Some(1),
            },
            closure: ClosureRecipe {
                method: Some(Method::Softfade),
                share: vec![0.3, 0.7],
                ..ClosureRecipe::default()
            },
            joints: vec!["Hand*:spring:0.1".parse().unwrap(), "Prop:open".parse().unwrap()],
            output: OutputRecipe {
                target: Some(Target::Unity),
                root: Some(RootChoice::InPlace),
                root_space: Some(SpaceChoice::Full),
                path_smoothing: Some(0.4),
                force_straight: Some(true),
                ..OutputRecipe::default()
            },
            ..Recipe::default()
        };
        let text = recipe.to_text().unwrap();
        assert_eq!(toml::from_str::<Recipe>(&text).unwrap(), recipe, "{text}");
        assert_eq!(toml::from_str::<Recipe>("").unwrap(), Recipe::default());
        assert!(toml::from_str::<Recipe>("[closure]\nmetod = \"spring\"").is_err());
    }

    #[test]
    fn what_is_said_last_counts() {
        let file = Recipe {
            closure: ClosureRecipe {
                method: Some(Method::Spring),
                blend_start: Some(0.1),
                order: Some(OrderChoice::C1),
                ..ClosureRecipe::default()
            },
            stretch: StretchRecipe {
                start: Some(3.0),
                end: Some(40.5),
                symmetric: None,
                cycles: Some(1),
            },
            output: OutputRecipe {
                frames: Some(30),
                ..OutputRecipe::default()
            },
            ..Recipe::default()
        };
        let flags = Recipe {
            closure: ClosureRecipe {
                blend: Some(0.3),
                ..ClosureRecipe::default()
            },
            stretch: StretchRecipe {
                symmetric: None,
                cycles: Some(2),
                ..StretchRecipe::default()
            },
            output: OutputRecipe {
                fps: Some(30.0),
                ..OutputRecipe::default()
            },
            ..Recipe::default()
        };
        let both = file.overlaid(flags);
        assert_eq!(both.closure.method, Some(Method::Spring));
        assert_eq!((both.closure.blend, both.closure.blend_start), (Some(0.3), None));
        assert_eq!((both.stretch.end, both.stretch.cycles), (Some(40.5), Some(2)));
        assert_eq!((both.output.fps, both.output.frames), (Some(30.0), None));
    }
}
