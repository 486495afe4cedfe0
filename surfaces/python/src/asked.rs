//! What is asked for: settings by the names of the recipe, a recipe, and the flags of a search.

use std::path::PathBuf;

use loopwright_cli::{Failure, answers};
use loopwright_job::{Recipe, SearchRequest};
use pyo3::prelude::*;

use crate::fault::Fault;

/// Settings as the package passes them.
#[derive(Clone, Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Asked {
    /// The text of a recipe, in JSON.
    recipe: Option<String>,
    /// The file of one.
    recipe_file: Option<PathBuf>,
    /// Settings, each as the flag `--set` takes it.
    sets: Vec<String>,
    rig: Option<PathBuf>,
    map: Option<PathBuf>,
    /// Flags of a search.
    search: Vec<String>,
    /// Whether one of the listed loops is asked for.
    picks: bool,
}

impl Asked {
    /// The recipe with its settings, and the search. Errors: one cannot be followed.
    pub(crate) fn settled(self) -> Result<(Recipe, SearchRequest), Fault> {
        let mut said = answers::recipe_of(&self.sets).map_err(Fault::setting)?;
        said.take.rig = self.rig;
        said.take.map = self.map;
        let under = match (&self.recipe_file, &self.recipe) {
            (Some(file), _) => answers::recipe(file).map_err(Fault::setting)?,
            (None, Some(text)) => of_json(text)?,
            (None, None) => Recipe::default(),
        };
        let mut recipe = under.overlaid(&said).map_err(Fault::setting)?;
        let search = answers::search(&self.search).map_err(Fault::setting)?;
        let searches = self.picks || !self.search.is_empty();
        if searches && said.stretch.start.is_none() {
            recipe.stretch = recipe.stretch.searched_anew(search.cycles.or(said.stretch.cycles));
        }
        let mut search = search.tuned(&recipe.search);
        search.cycles = recipe.stretch.cycles;
        Ok((recipe, search))
    }
}

/// A recipe in JSON. Errors: it is none.
fn of_json(text: &str) -> Result<Recipe, Fault> {
    let wrong = |why: String| Fault::setting(Failure::error(format!("the recipe cannot be followed: {why}")));
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let toml = toml::to_string(&value).map_err(|error| wrong(error.to_string()))?;
    Recipe::read(toml.as_bytes()).map_err(Fault::setting)
}
