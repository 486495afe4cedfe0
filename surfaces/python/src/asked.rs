//! Keyword arguments as the settings of a recipe and the conditions of a search.

use std::path::PathBuf;

use loopwright_cli::answers;
use loopwright_core::names;
use loopwright_job::{
    Recipe, SearchRequest, TurnSide,
    recipe::{self, EditRecipe, JointRecipe, RecipeError, StanceRecipe, words::Written},
};
use pyo3::prelude::*;
use serde::Serialize;
use toml::{Table, Value};

use crate::{
    arguments::{Argument, Arguments},
    fault::Fault,
    words::keyword_of,
};

/// Conditions of a search; all other keywords are keys of the recipe.
const SEARCH: [&str; 8] = [
    "cycles",
    "seconds",
    "within",
    "speed",
    "turn_rate",
    "turning",
    "idle",
    "every_cycle",
];

/// Settings, a recipe and a search that a call asks for.
#[pyclass(frozen, from_py_object, module = "loopwright._native")]
#[derive(Clone, Debug)]
pub struct Asked {
    /// The settings of the call.
    said: Recipe,
    /// The recipe that they override.
    under: Under,
    search: SearchRequest,
    /// Whether one of the listed loops is asked for.
    picks: bool,
}

/// The recipe that a call names.
#[derive(Clone, Debug)]
enum Under {
    Recipe(Box<Recipe>),
    File(PathBuf),
}

/// Settings, the recipe that they override, and whether one of the listed loops is asked for. Errors: a setting that there is not, or a value
/// that is none of it.
#[pyfunction]
pub fn asked(settings: Arguments, recipe: Option<Bound<'_, PyAny>>, picks: bool) -> PyResult<Asked> {
    settings.exclude("turning", &["turn_rate"])?;
    if settings.get("idle", Argument::switch)? == Some(true) {
        settings.exclude("idle", &["cycles", "speed", "turning"])?;
        if settings.get("every_cycle", Argument::switch)? == Some(true) {
            settings.exclude("idle", &["every_cycle"])?;
        }
    }
    let mut search = SearchRequest::default();
    let (mut table, mut rig, mut map) = (Table::new(), None, None);
    for argument in settings.all()? {
        match argument.name.as_str() {
            "cycles" => search.cycles = Some(argument.count(1)?),
            "seconds" => search.seconds = Some(argument.bounds()?),
            "within" => search.within = Some(argument.frames()?),
            "speed" => search.speed = Some(argument.bounds()?),
            "turn_rate" => search.turn_rate = Some(argument.bounds()?),
            "turning" => {
                let sides = [
                    ("left", TurnSide::Left),
                    ("right", TurnSide::Right),
                    ("none", TurnSide::None),
                ];
                search.turning = Some(argument.word(&sides)?);
            }
            "idle" => search.idle = argument.switch()?,
            "every_cycle" => search.every_cycle = argument.switch()?,
            "rig" => rig = Some(argument.path()?),
            "map" => map = Some(argument.path()?),
            _ => set(&mut table, &argument)?,
        }
    }
    let mut said = Recipe::from_table(table).map_err(Fault::setting)?;
    (said.take.rig, said.take.map) = (rig, map);
    Ok(Asked {
        said,
        under: under(recipe)?,
        search,
        picks,
    })
}

/// The recipe of a table, or the file of one.
fn under(recipe: Option<Bound<'_, PyAny>>) -> Result<Under, Fault> {
    let Some(recipe) = recipe else {
        return Ok(Under::Recipe(Box::default()));
    };
    let argument = Argument::new("recipe", recipe);
    match argument.value()? {
        Value::Table(table) => {
            let recipe = Recipe::from_table(table).map_err(|error| Fault::setting(format!("recipe: {error}")))?;
            Ok(Under::Recipe(Box::new(recipe)))
        }
        _ => Ok(Under::File(argument.path()?)),
    }
}

/// Names of all settings.
#[pyfunction]
pub fn setting_names() -> Vec<String> {
    let conditions = SEARCH.iter().map(|&name| name.to_owned());
    let settings = recipe::keys().into_iter().map(|key| keyword_of(&key));
    conditions
        .chain(settings.filter(|name| !SEARCH.contains(&name.as_str())))
        .collect()
}

/// Puts a setting at its place in the table of a recipe. Errors: there is none of this name, or its value is none.
fn set(table: &mut Table, argument: &Argument) -> Result<(), Fault> {
    let Some(key) = recipe::keys().into_iter().find(|key| keyword_of(key) == argument.name) else {
        let known = setting_names();
        let near = names::nearest(&argument.name, known.iter().map(String::as_str), 1);
        let hint = near.first().map_or_else(
            || "help(loopwright.Settings), which lists all".to_owned(),
            |near| format!("{near}="),
        );
        return Err(Fault::setting(format!("there is no setting '{}'", argument.name)).hinting(hint));
    };
    let value = match recipe::example(&key) {
        Some(like) => like_that(argument, &like)?,
        None => Value::Array(tables(argument)?),
    };
    let part = match key.split_once('.') {
        Some((section, name)) => {
            let part = table.entry(section).or_insert_with(|| Value::Table(Table::new()));
            let alone = Table::from_iter([(name.to_owned(), value.clone())]);
            if let Value::Table(part) = part {
                part.insert(name.to_owned(), value);
            }
            Table::from_iter([(section.to_owned(), Value::Table(alone))])
        }
        None => {
            table.insert(key.clone(), value.clone());
            Table::from_iter([(key, value)])
        }
    };
    match Recipe::from_table(part) {
        Ok(_) => Ok(()),
        Err(error) => Err(refused(argument, &error)),
    }
}

/// Words the error of a value that its key does not take.
fn refused(argument: &Argument, error: &RecipeError) -> Fault {
    let said = error.to_string();
    let said = said.lines().next().unwrap_or_default();
    match said.split_once(", expected ") {
        Some((found, expected)) if found.starts_with("unknown variant") => {
            let (words, near) = expected.split_once("; did you mean ").unwrap_or((expected, ""));
            let fault = argument.expected(&words.replace('`', "\""));
            match near.strip_suffix('?') {
                Some(near) => fault.hinting(format!("{}=\"{near}\"", argument.name)),
                None => fault,
            }
        }
        Some((found, "u32" | "usize" | "u64")) if found.starts_with("invalid value") => {
            argument.expected("a whole number from 0")
        }
        _ => Fault::setting(format!("{}: {said}", argument.name)),
    }
}

/// A value of the type that the example has: texts also of numbers, of ranges and of switches, lists also of what stands for one.
fn like_that(argument: &Argument, like: &Value) -> Result<Value, Fault> {
    if argument.name == "climb" {
        return Ok(Value::String(argument.bounds()?.written()));
    }
    let value = argument.value()?;
    match (like, value) {
        (Value::Float(_), Value::Integer(number)) => Ok(Value::Float(number as f64)),
        (Value::String(_), Value::Integer(number)) => Ok(Value::String(number.to_string())),
        (Value::String(_), Value::Float(number)) => Ok(Value::String(format!("{number:?}"))),
        (Value::String(_), Value::Boolean(is_on)) if argument.name == "recenter" => {
            Ok(Value::String(if is_on { "on" } else { "off" }.to_owned()))
        }
        (Value::Array(like), _) if like.iter().all(Value::is_str) => {
            let texts = argument.texts()?.into_iter().map(Value::String);
            Ok(Value::Array(texts.collect()))
        }
        (Value::Array(_), _) => {
            let numbers = argument.numbers()?.into_iter().map(Value::Float);
            Ok(Value::Array(numbers.collect()))
        }
        (like, value) if like.same_type(&value) => Ok(value),
        (Value::Float(_), _) => Err(argument.expected("a number")),
        (Value::Integer(_), _) => Err(argument.expected("a whole number from 0")),
        (Value::Boolean(_), _) => Err(argument.expected("True or False")),
        _ => Err(argument.expected("text")),
    }
}

/// Tables of which there may be several, each as one or short, such as `aim:30`.
fn tables(argument: &Argument) -> Result<Vec<Value>, Fault> {
    let listed = match argument.value()? {
        Value::Array(listed) => listed,
        single => vec![single],
    };
    listed.into_iter().map(|each| table(argument, each)).collect()
}

fn table(argument: &Argument, value: Value) -> Result<Value, Fault> {
    let text = match value {
        Value::String(text) => text,
        Value::Table(table) => return Ok(Value::Table(table)),
        _ => return Err(argument.expected("a table or a list of them")),
    };
    let read = match argument.name.as_str() {
        "joint" => text.parse::<JointRecipe>().map(of_parts),
        "stance" => text.parse::<StanceRecipe>().map(of_parts).map_err(str::to_owned),
        _ => text.parse::<EditRecipe>().map(of_parts),
    };
    let read = read.map_err(|why| Fault::setting(format!("{}: {why}", argument.name)))?;
    read.map_err(|_| argument.expected("numbers that a recipe can hold"))
}

fn of_parts(parts: impl Serialize) -> Result<Value, toml::ser::Error> {
    Value::try_from(parts)
}

impl Asked {
    /// The recipe with its settings, and the search. Errors: one cannot be followed.
    pub fn settled(self) -> Result<(Recipe, SearchRequest), Fault> {
        let under = match self.under {
            Under::File(file) => answers::recipe(&file).map_err(Fault::setting)?,
            Under::Recipe(recipe) => *recipe,
        };
        let mut recipe = under.overlaid(&self.said).map_err(Fault::setting)?;
        let searches = self.picks || self.search != SearchRequest::default();
        if searches && self.said.stretch.start.is_none() {
            recipe.stretch = recipe
                .stretch
                .searched_anew(self.search.cycles.or(self.said.stretch.cycles));
        }
        let mut search = self.search.tuned(&recipe.search);
        search.cycles = recipe.stretch.cycles;
        Ok((recipe, search))
    }
}
