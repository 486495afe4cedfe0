//! Recipes: everything that decides how a loop is made, from flags or from a file. Flags override the file.
//!
//! Each part of a recipe is one struct. The command line and the file both fill it, and it converts itself to the libraries'
//! settings. A recipe holds only what the user requested; everything else gets the current defaults. `--save-recipe` also writes
//! what was decided during the run (the frames, the method that was chosen), so that the recipe gives the same loop again.

use loopwright_core::{Analysis, FeetSettings, LoopCandidate, LoopSettings, closure::Method};
use loopwright_formats::loop_file::sha256;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

mod closure;
mod described;
mod edit;
mod edited_body;
mod error;

#[cfg(feature = "clap")]
pub mod headings;
mod joint_map;
mod keys;
mod mirror;
mod output;
mod pairing;
mod rig_pose;
mod robot_file;
mod search;
mod stance;
mod stretch;
mod take;
#[cfg(feature = "clap")]
mod take_flags;

pub mod words;

pub use closure::{ClosureRecipe, JointRecipe};
pub use edit::{EditRecipe, edits};
pub use edited_body::EditedBody;
pub use error::RecipeError;
pub use joint_map::{joint_map_text, read_joint_map};
pub use keys::{SECTIONS, Section, Sets, Setting, default_recipe, example, keys, recipe_of};
pub use mirror::{mirror, mirror_pair};
pub use output::{Ineffective, OutputRecipe, Recenter, parse_count};
pub use pairing::pairing;
pub use rig_pose::{Gaze, ReferencePose};
pub use robot_file::RobotFile;
pub use search::SearchRecipe;
pub use stance::{StanceRecipe, StanceUnit, stances};
pub use stretch::StretchRecipe;
pub use take::{StudyArgs, TakeArgs, bone_stretch, parse_bone_stretch};

/// How a loop is made. Written as TOML, with a table for each part.
#[value(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Recipe {
    /// How the take is read.
    #[serde(skip_serializing_if = "is_default")]
    pub take: StudyArgs,
    /// How loops are compared where they are searched for.
    #[serde(skip_serializing_if = "is_default")]
    pub search: SearchRecipe,
    /// Which frames.
    #[serde(skip_serializing_if = "is_default")]
    pub stretch: StretchRecipe,
    /// How the seam is closed.
    #[serde(skip_serializing_if = "is_default")]
    pub closure: ClosureRecipe,
    /// Joints that are closed in another way, the last that fits counting.
    #[serde(rename = "joint", skip_serializing_if = "Vec::is_empty")]
    pub joints: Vec<JointRecipe>,
    /// When feet stand or swing in place of what is detected, the last that covers a moment counting.
    #[serde(rename = "stance", skip_serializing_if = "Vec::is_empty")]
    pub stances: Vec<StanceRecipe>,
    /// Edits of the closed loop, in the order in which they apply.
    #[serde(rename = "edit", skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<EditRecipe>,
    /// What is written.
    #[serde(skip_serializing_if = "is_default")]
    pub output: OutputRecipe,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// Returns a value that recipes state because it is not the default.
fn unusual<T: Default + PartialEq>(value: T) -> Option<T> {
    (!is_default(&value)).then_some(value)
}

/// Keys of a part that a newer key removes: the ends of a stretch belong together, a setting for both ends of a seam replaces
/// settings for one end, and a rate and a number of frames exclude each other.
const SETS_ASIDE: [(&str, &str, &[&str]); 7] = [
    (
        "stretch",
        "start",
        &["end", "symmetric", "ping-pong", "ease", "several-cycles-for"],
    ),
    ("closure", "method", &["method-start", "method-end"]),
    ("closure", "blend", &["blend-start", "blend-end"]),
    (
        "closure",
        "velocity-blend",
        &["velocity-blend-start", "velocity-blend-end"],
    ),
    ("closure", "hardness", &["hardness-start", "hardness-end"]),
    ("output", "fps", &["frames"]),
    ("output", "frames", &["fps"]),
];

impl Recipe {
    /// Whether the user stated how seams are closed.
    pub fn states_closure(&self) -> bool {
        !is_default(&self.closure) || !self.joints.is_empty()
    }

    /// Reads a recipe from the bytes of a file. Errors: they are not text, or not a recipe.
    pub fn read(bytes: &[u8]) -> Result<Self, RecipeError> {
        toml::from_str(str::from_utf8(bytes).map_err(|_| RecipeError::NotText)?).map_err(RecipeError::from_toml)
    }

    /// Reads a recipe from a table. Errors: an unknown key, or a value of the wrong type.
    pub fn from_table(table: Table) -> Result<Self, RecipeError> {
        table
            .try_into()
            .map_err(|error: toml::de::Error| RecipeError::Text(error.message().to_owned()))
    }

    /// Returns the text of a recipe. Errors: a number that TOML cannot hold.
    pub fn to_text(&self) -> Result<String, RecipeError> {
        let text = toml::to_string(self).map_err(|error| RecipeError::Write(error.to_string()))?;
        Ok(format!(
            "# How a loop is made: `loopwright make TAKE --recipe FILE`.\n\n{text}"
        ))
    }

    /// Returns the SHA-256 of its text. Errors: as for [`Self::to_text`].
    pub fn sha256(&self) -> Result<String, RecipeError> {
        Ok(sha256(self.to_text()?.as_bytes()))
    }

    /// Returns this recipe with additional settings, which take precedence. Errors: a number that TOML cannot hold.
    pub fn with(&self, more: &Self) -> Result<Self, RecipeError> {
        let mut all = self.table()?;
        lay_over(&mut all, more.table()?);
        laid(all)
    }

    fn table(&self) -> Result<Table, RecipeError> {
        Table::try_from(self).map_err(|error| RecipeError::Overlay(error.to_string()))
    }

    /// Returns this recipe, overridden by another one. Errors: a number that TOML cannot hold.
    pub fn overlaid(&self, over: &Self) -> Result<Self, RecipeError> {
        let (mut under, over) = (self.table()?, over.table()?);
        for (part, newer, set_aside) in SETS_ASIDE {
            let is_said = over.get(part).is_some_and(|part| part.get(newer).is_some());
            if let Some(Value::Table(part)) = under.get_mut(part).filter(|_| is_said) {
                part.retain(|key, _| !set_aside.contains(&key));
            }
        }
        let rig = |recipe: &Table| recipe.get("take").and_then(|take| take.get("rig")).cloned();
        if let Some(Value::Table(take)) = under.get_mut("take")
            && rig(&over).is_some_and(|rig| Some(&rig) != take.get("rig"))
        {
            // A joint map belongs to one character.
            take.remove("map");
        }
        lay_over(&mut under, over);
        laid(under)
    }

    /// Returns the core's settings for a loop of a take; `output` is [`OutputRecipe::filled`] for the stretch, and `edited` is
    /// the body that edits and stances refer to. The closure of the method `auto` is chosen later. Settings without effect are
    /// added to `ineffective`.
    ///
    /// Errors: a number is out of its range, methods cannot be mixed, or a pattern matches no joint or foot.
    pub fn loop_settings(
        &self,
        output: &OutputRecipe,
        analysis: &Analysis,
        edited: &EditedBody,
        ineffective: &mut Vec<Ineffective>,
    ) -> Result<LoopSettings, RecipeError> {
        Ok(LoopSettings {
            closure: self.closure.settings(&self.joints, analysis.take.skeleton())?,
            root: output.root_settings(ineffective),
            timing: output.timing()?,
            feet: FeetSettings {
                lock: output.lock_feet.unwrap_or_default(),
                speed: output.root_speed.unwrap_or_default(),
            },
            stances: stances(&self.stances, edited)?,
            mend: self.stretch.mend == Some(true),
            mean_cycles: self.stretch.mean_cycles.unwrap_or_default(),
            edits: edits(&self.edits, edited)?,
            variation: output.variation()?,
            start_at: output.start_at,
            character: None,
        })
    }

    /// Returns this recipe with everything decided during the run: the stretch, and the method if one was chosen.
    pub fn done(&self, chosen: &LoopCandidate, method: Option<&Method>) -> Self {
        Self {
            stretch: match chosen.whole {
                // A whole take is detected again: its closing key may not be among its frames.
                Some(_) => StretchRecipe {
                    mend: self.stretch.mend,
                    ..StretchRecipe::default()
                },
                None => StretchRecipe {
                    start: Some(chosen.cut.start_frame()),
                    end: Some(chosen.cut.end_frame()),
                    cycles: Some(chosen.cycles),
                    symmetric: chosen.pairing.is_mirrored().then_some(true),
                    ping_pong: chosen.pairing.is_ping_pong().then_some(true),
                    ease: self.stretch.ease.filter(|_| chosen.pairing.is_ping_pong()),
                    mend: self.stretch.mend,
                    mean_cycles: self.stretch.mean_cycles,
                    several_cycles_for: match self.stretch.start {
                        Some(_) => self.stretch.several_cycles_for,
                        None => chosen.outcome.as_ref().and_then(|outcome| outcome.fewer_cycles_lose_by),
                    },
                },
            },
            closure: method.map_or_else(|| self.closure.clone(), |method| self.closure.chosen(method)),
            ..self.clone()
        }
    }
}

/// Reads the recipe of merged tables. Errors: they do not fit together.
fn laid(table: Table) -> Result<Recipe, RecipeError> {
    table
        .try_into()
        .map_err(|error: toml::de::Error| RecipeError::Overlay(error.to_string()))
}

/// Overrides one table with another. Tables merge key by key, tables in a list are appended so that the later ones count,
/// and anything else is replaced.
pub(crate) fn lay_over(under: &mut Table, over: Table) {
    for (key, value) in over {
        match (under.get_mut(&key), value) {
            (Some(Value::Table(under)), Value::Table(over)) => lay_over(under, over),
            (Some(Value::Array(under)), Value::Array(over)) if over.iter().all(Value::is_table) => under.extend(over),
            (_, value) => {
                under.insert(key, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recipe(text: &str) -> Recipe {
        toml::from_str(text).unwrap()
    }

    /// A preset stands for a method of the article; other settings override it, and the saved recipe states the result without
    /// it.
    #[test]
    fn a_preset_fills_what_is_not_said() {
        use loopwright_core::closure::{Method, Order, Preset, SeamMotion, ShapeKind, Shares};
        let skeleton = loopwright_synth::synthesize(&loopwright_synth::WalkSettings::default());
        let take = skeleton.unwrap().take;
        let settings = |text: &str| recipe(text).closure.settings(&[], take.skeleton()).unwrap();
        for (preset, kind, shares, order) in [
            (Preset::Start, ShapeKind::Spring, Shares::START, Order::C1),
            (Preset::End, ShapeKind::Spring, Shares::END, Order::C1),
            (Preset::Both, ShapeKind::Spring, Shares::EVEN, Order::C1),
            (Preset::Cubic, ShapeKind::Cubic, Shares::EVEN, Order::C1),
            (Preset::Linear, ShapeKind::Linear, Shares::EVEN, Order::C1),
            (Preset::LinearWithKink, ShapeKind::Linear, Shares::EVEN, Order::C0),
            (Preset::SoftFade, ShapeKind::SoftFade, Shares::EVEN, Order::C1),
        ] {
            let found = settings(&format!("[closure]\npreset = \"{preset}\"\nblend = 0.2"));
            let Method { start, end, .. } = found.method;
            assert_eq!((start.kind(), end, start.secs()), (kind, start, 0.2), "{preset}");
            assert_eq!((found.method.shares, found.method.order), (shares, order), "{preset}");
            assert_eq!(found.motion, SeamMotion::Central);
            let stated = ClosureRecipe::default().stating(&found.method, found.motion);
            assert_eq!(stated.settings(&[], take.skeleton()).unwrap(), found, "{preset}");
        }
        let own = settings("[closure]\npreset = \"start\"\nshare = [0.3]\nmethod = \"cubic\"");
        assert_eq!(own.method.start.kind(), ShapeKind::Cubic);
        assert_eq!(own.method.shares, Shares::all(0.3));
    }

    #[test]
    fn a_recipe_comes_back_from_its_text() {
        let text = r#"[take]
up = "z"
unit = "0.01"
feet = ["LeftFoot", "RightFoot"]
smooth = 6.0
weights = ["a=b=0.5", "Head=0"]

[stretch]
start = 219.0
end = 288.2201456789012
cycles = 1
mean-cycles = "all"

[closure]
method = "softfade"
share = [0.3, 0.7]
continuity = "c1"

[[joint]]
pattern = "Hand*"
method = "spring"
blend = 0.1

[[joint]]
pattern = "Prop"
method = "open"

[output]
root-motion = "in-place"
root-space = "full"
path-smoothing = 0.4
root-speed = "pose"
force-straight = true
last-key = "drop"
for = "unity"
"#;
        assert_eq!(toml::to_string(&recipe(text)).unwrap(), text);
        assert_eq!(recipe(""), Recipe::default());
        assert_eq!(recipe("[take]\nunit = \"cm\"\n"), recipe("[take]\nunit = \"0.01\"\n"));
        for (wrong, why) in [
            ("[closure]\nmetod = \"spring\"", "line 2"),
            ("[closure]\nmetod = \"spring\"", "unknown field `metod`"),
            ("[take]\nupp = \"z\"", "unknown field `upp`"),
            ("[closure]\nmethod = \"open\"", "unknown variant `open`"),
            (
                "[[joint]]\npattern = \"*\"\nmethod = \"auto\"",
                "unknown variant `auto`",
            ),
            ("[output]\nlast-key = \"keep\"", "expected `repeat` or `drop`"),
        ] {
            let error = toml::from_str::<Recipe>(wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_is_said_last_counts() {
        let file = recipe(
            "stretch = { start = 3.0, end = 40.5, cycles = 1, symmetric = true }\noutput.frames = 30\n\
             closure = { method = \"spring\", blend-start = 0.1, continuity = \"c1\" }\n\
             joint = [{ pattern = \"*\", method = \"open\" }]",
        );
        let flags = recipe(
            "closure.blend = 0.3\nstretch.cycles = 2\noutput.fps = 30.0\n\
             joint = [{ pattern = \"Hand\", method = \"cubic\" }]",
        );
        let both = recipe(
            "stretch = { start = 3.0, end = 40.5, cycles = 2, symmetric = true }\noutput.fps = 30.0\n\
             closure = { method = \"spring\", blend = 0.3, continuity = \"c1\" }\n\
             joint = [{ pattern = \"*\", method = \"open\" }, { pattern = \"Hand\", method = \"cubic\" }]",
        );
        assert_eq!(file.overlaid(&flags).unwrap(), both);
        let range = recipe("stretch = { start = 5.0, end = 9.0 }");
        let stretch = file.overlaid(&range).unwrap().stretch;
        assert_eq!(
            stretch,
            recipe("stretch = { start = 5.0, end = 9.0, cycles = 1 }").stretch
        );
    }
}
