//! `loopwright.toml`: a recipe for all takes in a folder and below, found by its name, with the limits of `check` in `[check]`.
//!
//! The file lies in the folder of the input or the nearest one above it. Folders may come from strangers, so it may not name files or allow
//! files to be replaced.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
};

use clap::{Arg, ArgMatches, Args, Command, error::ErrorKind};
use loopwright_core::edit::{EditKind, EditValue};
use serde_json::{Map, Value as Json, json};
use toml::{Table, Value};

use crate::{
    args,
    exit::{Failure, Result},
    files,
    limits::Limits,
    recipe::{self, Recipe, RecipeError, Sets, Setting},
};

/// Name of the file.
pub const NAME: &str = "loopwright.toml";

/// The contents of the file.
pub struct Settings {
    pub recipe: Recipe,
    limits: Limits,
    /// Each setting of the recipe, as typed after `--set`.
    texts: Vec<String>,
}

/// Reads such a file. Errors: it holds a setting that the recipe of a folder may not have.
pub fn read(path: &Path) -> Result<Settings> {
    #[derive(Default, serde::Deserialize)]
    #[serde(default)]
    struct Checked {
        check: Limits,
    }
    let wrong = |why: &str| Failure::cannot("use", path, why.trim_end());
    let bytes = files::read_settings(path)?;
    let text = str::from_utf8(&bytes).map_err(|_| wrong("it is not text"))?;
    let mut tables: Table = toml::from_str(text).map_err(|error| wrong(&error.to_string()))?;
    let checked: Checked = toml::from_str(text).map_err(|error| {
        wrong(&error.to_string())
            .try_this("lines such as max-foot-slide = 3.0; `loopwright help check` lists the limits")
    })?;
    tables.remove("check");
    let texts = texts(&tables);
    let settings: Result<Vec<Setting>, RecipeError> = texts.iter().map(|text| text.parse()).collect();
    let recipe = settings
        .and_then(|settings| recipe::recipe_of(&settings))
        .map_err(|error| Failure::from(error).about(&format!("cannot use \"{}\"", path.display())))?;
    if recipe.stretch.start.or(recipe.stretch.end).is_some() {
        return Err(wrong("it names frames, which are those of one take").try_this("no start and end under [stretch]"));
    }
    if let Some((key, _)) = recipe.take.files().next() {
        return Err(wrong(&format!(
            "{key} names a file, which only a flag or a recipe can do"
        )));
    }
    Ok(Settings {
        recipe,
        limits: checked.check,
        texts,
    })
}

/// Returns every setting with its key; each joint, stance or edit counts as one setting.
fn texts(tables: &Table) -> Vec<String> {
    let mut texts = Vec::new();
    for (section, value) in tables {
        match value {
            Value::Table(keys) => texts.extend(keys.iter().map(|(key, value)| format!("{section}.{key}={value}"))),
            Value::Array(all) => texts.extend(all.iter().map(|each| format!("{section}={each}"))),
            value => texts.push(format!("{section}={value}")),
        }
    }
    texts
}

impl Settings {
    /// Returns the equivalent flags for a command, which takes recipes, or all or some of the settings.
    fn flags(&self, path: &Path, name: &str, command: &Command) -> Vec<OsString> {
        if has_flag(command, "recipe") && !self.texts.is_empty() {
            return vec!["--recipe".into(), path.into()];
        }
        self.texts
            .iter()
            .filter(|text| match name {
                "set" => true,
                "find" | "inspect" => {
                    let recipe = text
                        .parse::<Setting>()
                        .and_then(|setting| recipe::recipe_of([&setting]));
                    recipe.is_ok_and(|recipe| Sets(recipe).only_of_search().is_ok())
                }
                _ => Setting::of_reading(text).is_ok(),
            })
            .flat_map(|text| ["--set".into(), text.into()])
            .collect()
    }
}

/// Returns the limits in force: from flags, else from this file, or from one found in the current folder or above, where a build runs, so
/// that a folder of loops cannot relax the limits that it is checked against. Errors: the file cannot be read.
pub fn limits(flags: Limits, file: Option<&Path>) -> Result<Limits> {
    let file = file.map(Path::to_owned).or_else(|| nearest(Path::new(".")));
    Ok(match file {
        Some(path) => flags.or(read(&path)?.limits),
        None => flags,
    })
}

/// The arguments as typed, and parsed.
pub struct Typed {
    /// The arguments, with the settings of the file in front.
    pub args: Vec<OsString>,
    /// The parsed arguments. Errors: they do not parse, or ask for help or the version.
    pub matches: core::result::Result<ArgMatches, clap::Error>,
    /// The nearest `loopwright.toml`, if it has an effect.
    pub file: Option<PathBuf>,
    /// The inputs: files, folders and patterns.
    pub inputs: Vec<PathBuf>,
}

/// Inserts the settings of the nearest `loopwright.toml` in front of the typed flags.
///
/// Arguments that cannot be parsed are left unchanged: their errors come first. Errors: the file cannot be read, or is invalid.
pub fn with_settings(args: &[OsString]) -> Result<Typed> {
    let mut typed = Typed {
        args: args.to_vec(),
        matches: Err(clap::Error::new(ErrorKind::MissingSubcommand)),
        file: None,
        inputs: Vec::new(),
    };
    let (program, matches) = match args::parsed(args) {
        Ok(parsed) => parsed,
        Err(error) => {
            typed.matches = Err(error);
            return Ok(typed);
        }
    };
    let (names, command, of_command) = innermost(&program, &matches);
    let inputs = command
        .get_positionals()
        .filter_map(|arg| of_command.get_raw(arg.get_id().as_str()));
    typed.inputs = inputs.flatten().map(PathBuf::from).collect();
    // A recipe named on the command line replaces the file's.
    let has_recipe = has_flag(command, "recipe") && of_command.contains_id("recipe");
    // The first input may be a folder or a pattern.
    let above = typed
        .inputs
        .first()
        .and_then(|first| first.ancestors().find(|path| path.is_dir()));
    let heeded = (!has_recipe && has_flag(command, "set")).then(|| nearest(above.unwrap_or(Path::new("."))));
    if let Some(path) = heeded.flatten() {
        let flags = read(&path)?.flags(&path, &names[0], command);
        // After the name of the command, or after those of the command and its subcommand.
        let mut words = args.iter().skip(1);
        if !flags.is_empty() && names.iter().all(|name| words.any(|word| word.to_str() == Some(name))) {
            let place = args.len() - words.len();
            typed.args.splice(place..place, flags);
            typed.file = Some(path);
            typed.matches = args::parsed(&typed.args).map(|(_, matches)| matches);
            return Ok(typed);
        }
    }
    typed.matches = Ok(matches);
    Ok(typed)
}

fn has_flag(command: &Command, long: &str) -> bool {
    command.get_arguments().any(|arg| arg.get_long() == Some(long))
}

/// Returns the innermost subcommand, with its names and its matches.
fn innermost<'a>(program: &'a Command, matches: &'a ArgMatches) -> (Vec<String>, &'a Command, &'a ArgMatches) {
    let (mut names, mut command, mut matches) = (Vec::new(), program, matches);
    while let Some((name, below)) = matches.subcommand()
        && let Some(found) = command.find_subcommand(name)
    {
        names.push(found.get_name().to_owned());
        (command, matches) = (found, below);
    }
    (names, command, matches)
}

/// Finds the file in this folder or the nearest one above it.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().or_else(|_| env::current_dir()).ok()?;
    folder
        .ancestors()
        .map(|above| above.join(NAME))
        .find(|path| path.is_file())
}

/// Returns a JSON schema of recipes and of the file, for editors.
pub fn schema() -> String {
    let mut tables = Map::new();
    for (section, about, keys, is_list) in recipe::SECTIONS {
        let keys = keys.iter().filter_map(|(about, line)| {
            let line: Table = toml::from_str(line.trim_start_matches("# ")).ok()?;
            let (key, value) = line.into_iter().next()?;
            let kind = match value {
                Value::String(_) => json!("string"),
                Value::Boolean(_) => json!("boolean"),
                Value::Array(_) => json!("array"),
                _ => json!("number"),
            };
            Some((key, json!({"type": kind, "description": about.trim()})))
        });
        let table = table(about, keys.collect());
        let rules = if is_list {
            json!({"type": "array", "items": table})
        } else {
            table
        };
        tables.insert(section.to_owned(), rules);
    }
    let kinds: Vec<_> = EditKind::ALL.iter().map(|kind| kind.descriptor().name).collect();
    let mut edit = json!({"type": "object", "required": ["kind"], "properties": {
        "kind": {"enum": kinds}, "joint": {"type": "string"}, "off": {"type": "boolean"},
    }});
    for parameter in EditKind::ALL.iter().flat_map(|kind| kind.descriptor().parameters) {
        let kind = match parameter.default {
            EditValue::Vector(_) => "array",
            _ => "number",
        };
        edit["properties"][parameter.key.as_str()] = json!({"type": kind});
    }
    tables.insert("edit".to_owned(), json!({"type": "array", "items": edit}));
    let limits = Limits::augment_args(Command::new("check"));
    let limits = limits.get_arguments().filter_map(|arg: &Arg| {
        let about = arg.get_help().map(ToString::to_string);
        Some((
            arg.get_long()?.to_owned(),
            json!({"type": "number", "minimum": 0, "description": about}),
        ))
    });
    tables.insert("check".to_owned(), table("Limits of `check`.", limits.collect()));
    let mut schema = table("Recipes of loopwright, and loopwright.toml.", tables);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    format!("{schema:#}\n")
}

fn table(about: &str, keys: Map<String, Json>) -> Json {
    json!({"description": about, "type": "object", "additionalProperties": false, "properties": keys})
}
