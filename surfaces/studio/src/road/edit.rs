//! The user's choices: the stretch of the take, and how it becomes a loop. Undo restores a previous value.

use glam::DVec3;
use loopwright_core::{
    LoopClip, LoopSettings,
    candidate::WholeClip,
    closure::{ClosureName, Method, Preset, SeamMotion},
    edit::{EditKey, EditKind, EditValue, EditValues},
    math::rotation,
};
use loopwright_formats::Target;
use loopwright_job::recipe::{ClosureRecipe, EditRecipe, OutputRecipe, Recipe, RecipeError, StretchRecipe};
use serde::{Deserialize, Serialize};

use super::{opened::Opened, stretch::Stretch};

/// All choices that determine the loop.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Edit {
    /// The stretch.
    pub stretch: Stretch,
    /// Whether several closures are tried and the best is kept; the shares and the order of the method below stay.
    pub tries_closures: bool,
    /// How the seam is closed, the root motion, and whether feet are held.
    pub settings: LoopSettings,
    /// All other settings, as a recipe; its closure, root and feet are replaced by the settings above.
    #[serde(with = "super::recipe_text")]
    pub recipe: Recipe,
}

impl Edit {
    /// Returns the choices with which a take is shown first: the defaults of the library, and the root motion that suits a whole clip.
    pub fn first(opened: &Opened) -> Self {
        let mut settings = LoopSettings::default();
        let best = opened.found.best();
        if let Some(mode) = best.and_then(|best| best.whole.as_ref()).map(WholeClip::root_mode) {
            settings.root.mode = mode;
        }
        Self {
            stretch: opened.first_stretch(),
            tries_closures: false,
            settings,
            recipe: Recipe {
                take: opened.study.clone(),
                ..Recipe::default()
            },
        }
    }

    /// Reads the choices from a recipe. Errors: [`RecipeError`].
    pub fn of_recipe(recipe: &Recipe, opened: &Opened) -> Result<Self, RecipeError> {
        let stretch = match (recipe.stretch.start, recipe.stretch.end) {
            (Some(start_frame), Some(end_frame)) => Stretch::Frames { start_frame, end_frame },
            _ => opened.first_stretch(),
        };
        let mut output = recipe.output;
        // An engine sets defaults, and so does a take that is a loop as a whole; other stretches are measured when the loop is made.
        if let Ok(candidate) = opened.candidate(stretch) {
            output = output.filled(opened.take().frame_rate_hz(), &candidate);
        }
        let settings = recipe.loop_settings(
            &output,
            &opened.studied.analysis,
            &opened.studied.body_of_loops(),
            &mut Vec::new(),
        )?;
        Ok(Self {
            stretch,
            tries_closures: recipe.closure.method == Some(ClosureName::Auto),
            settings,
            recipe: recipe.clone(),
        })
    }

    /// Returns the same stretch and closure for an engine, whose root motion and placement replace the earlier ones. Errors:
    /// [`RecipeError`].
    pub fn for_engine(&self, target: Option<Target>, opened: &Opened) -> Result<Self, RecipeError> {
        let mut recipe = self.to_recipe();
        recipe.output = OutputRecipe {
            target,
            root_motion: None,
            recenter: None,
            ..recipe.output
        };
        Ok(Self {
            stretch: self.stretch,
            ..Self::of_recipe(&recipe, opened)?
        })
    }

    /// Returns the choices as the recipe of `make --recipe`, except for the stretch, which [`Recipe::done`] states.
    pub fn to_recipe(&self) -> Recipe {
        let closure = &self.settings.closure;
        let stated = self.recipe.closure.stating(&closure.method, closure.motion);
        Recipe {
            closure: if self.tries_closures {
                ClosureRecipe {
                    method: Some(ClosureName::Auto),
                    blend: None,
                    ..stated
                }
            } else {
                stated
            },
            output: OutputRecipe::stating(&self.recipe.output, &self.settings.root, &self.settings.feet),
            ..self.recipe.clone()
        }
    }

    /// Returns the choices with a change.
    pub fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut edit = self.clone();
        change(&mut edit);
        edit
    }

    /// Returns the choices for another stretch, without what the recipe states for the old one.
    pub fn of_stretch(&self, stretch: Stretch) -> Self {
        self.with(|edit| {
            edit.stretch = stretch;
            edit.recipe.stretch = StretchRecipe {
                mean_cycles: self.recipe.stretch.mean_cycles,
                ..StretchRecipe::default()
            };
        })
    }

    /// Returns the choices with a joint turned further at a time of the loop, by a rotation vector in the axes of its parent: in the edit
    /// that already moves the joint then, or in a new one.
    pub fn turned(&self, joint: &str, secs: f64, turn: DVec3, clip: &LoopClip) -> Self {
        let mut edit = self.clone();
        let edits = &mut edit.recipe.edits;
        let index = edits
            .iter()
            .rposition(|edit| {
                let apart = time_of_move(edit, clip).map(|at| (at - secs).rem_euclid(clip.period_secs()));
                !edit.is_off
                    && edit.joint.as_deref() == Some(joint)
                    && apart.is_some_and(|apart| apart.min(clip.period_secs() - apart) < 0.5 * clip.step_secs())
            })
            .unwrap_or_else(|| {
                edits.push(EditRecipe {
                    kind: EditKind::Move,
                    joint: Some(joint.to_owned()),
                    values: EditValues::default().with(EditKey::Time, (secs * 1e3).round() / 1e3),
                    is_off: false,
                });
                edits.len() - 1
            });
        let values = &mut edits[index].values;
        let before = DVec3::from_array(values.vector(EditKey::Rotation).unwrap_or_default()).map(f64::to_radians);
        let after = rotation::log(rotation::exp(turn) * rotation::exp(before)).map(f64::to_degrees);
        // Hundredths of a degree are finer than a drag.
        let after = after.to_array().map(|degrees| (degrees * 1e2).round() / 1e2);
        values.set(EditKey::Rotation, EditValue::Vector(after));
        edit
    }

    /// Names the first difference from other choices, in a word or two.
    pub fn difference(&self, other: &Self) -> &'static str {
        let one = &self.recipe;
        let two = &other.recipe;
        [
            (self.stretch == other.stretch && one.stretch == two.stretch, "stretch"),
            (one.take == two.take, "how the take is read"),
            (one.edits == two.edits, "edit of joints"),
            (one.stances == two.stances, "stance"),
            (one.joints == two.joints, "joints of their own"),
            (one.output.target == two.output.target, "engine"),
            (self.settings.root == other.settings.root, "root motion"),
            (self.settings.feet == other.settings.feet, "feet"),
            (self.closure() == other.closure(), "method of closing"),
        ]
        .into_iter()
        .find(|(is_same, _)| !is_same)
        .map_or("closure", |(_, name)| name)
    }

    /// Names the closure.
    pub fn closure(&self) -> ClosureName {
        if self.tries_closures {
            ClosureName::Auto
        } else {
            self.settings.closure.method.names()[0]
        }
    }

    /// Returns the choices closed by a method of the article.
    pub fn closed_as(&self, preset: Preset) -> Self {
        self.with(|edit| {
            edit.tries_closures = false;
            edit.settings.closure.method = preset.method();
            edit.settings.closure.motion = SeamMotion::Central;
        })
    }

    /// Returns the choices with another closure; shares and order stay, times become the closure's defaults.
    pub fn closed_by(&self, name: ClosureName) -> Self {
        let mut edit = self.clone();
        let former = edit.settings.closure.method;
        edit.tries_closures = name == ClosureName::Auto;
        if let Some(shape) = name.shape(|_| None) {
            edit.settings.closure.method = Method {
                shares: former.shares,
                order: former.order,
                crossfade_secs: (name == ClosureName::Crossfade).then(|| shape.secs()),
                ..Method::new(shape)
            };
        }
        edit
    }
}

/// Returns the time in a loop at which an edit moves its joint the most, seconds; `None` for an edit of another kind.
pub fn time_of_move(edit: &EditRecipe, clip: &LoopClip) -> Option<f64> {
    (edit.kind == EditKind::Move).then(|| match edit.values.number(EditKey::Time) {
        Some(secs) => secs,
        None => edit.values.number(EditKey::Phase).unwrap_or(0.0) * clip.period_secs(),
    })
}
