//! `loopwright.toml`: a recipe for all takes of a folder and below, which is found by its name, and in `[check]` the limits of `check`.
//!
//! It lies in the folder of the input or the nearest above it. Folders come from others: it names no files, and nothing that recipes say
//! lets files be replaced.

use std::path::{Path, PathBuf};
use std::{any::TypeId, env, ffi::OsString};

use clap::{Arg, ArgMatches, Command, parser::ValueSource};
use loopwright_core::{edit::EditKind, names};
use serde_json::{Map, Value as Json, json};
use toml::{Table, Value};

use crate::recipe::{self, Recipe, Sets, Setting};
use crate::{args, exit::Failure, files, headings::LIMITS, limits::Limits};

/// The file.
pub(crate) const NAME: &str = "loopwright.toml";

/// The table of limits, which is none of recipes.
const CHECK: &str = "check";

/// Keys of recipes that are files, and those that are frames of one take.
const NOT_OF_FOLDERS: [&str; 4] = ["take.rig", "take.map", "stretch.start", "stretch.end"];

/// What the file says.
pub(crate) struct Settings {
    pub(crate) recipe: Recipe,
    limits: Limits,
    /// The tables of the recipe.
    tables: Table,
}

/// Reads such a file. Errors: it says what no recipe of a folder does.
pub(crate) fn read(path: &Path) -> Result<Settings, Failure> {
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
    let has_limits = tables.remove(CHECK).is_some();
    check_tables(&tables).map_err(|(why, hint)| wrong(&why).try_this(hint))?;
    // Its errors say the line, where it is all of the file.
    let recipe = match has_limits {
        true => Recipe::from_table(tables.clone()),
        false => Recipe::read(&bytes),
    };
    let recipe = recipe.map_err(|error| wrong(&error.to_string()).try_this("`loopwright recipe` lists all keys"))?;
    let of_file = settings(&tables).find(|(key, _)| NOT_OF_FOLDERS.contains(&key.as_str()));
    if let Some((key, _)) = of_file {
        return Err(wrong(&format!("{key} cannot be set for a folder"))
            .try_this("a recipe of another name, and --recipe, or a flag"));
    }
    Ok(Settings {
        recipe,
        limits: checked.check,
        tables,
    })
}

/// Every setting with its key; a joint, a stance or an edit is one.
fn settings(tables: &Table) -> impl Iterator<Item = (String, &Value)> {
    tables.iter().flat_map(|(section, value)| match value {
        Value::Table(keys) => keys
            .iter()
            .map(|(key, value)| (format!("{section}.{key}"), value))
            .collect(),
        Value::Array(all) => all.iter().map(|each| (section.clone(), each)).collect::<Vec<_>>(),
        _ => Vec::new(),
    })
}

/// Errors: a table that recipes do not have, with what to write instead. Files of earlier versions had one for each command.
fn check_tables(tables: &Table) -> Result<(), (String, String)> {
    let keys = recipe::keys();
    let sections = || keys.iter().map(|key| key.split('.').next().unwrap_or_default());
    let Some((name, table)) = tables.iter().find(|(name, _)| sections().all(|known| known != *name)) else {
        return Ok(());
    };
    let mut named = table.as_table().into_iter().flat_map(Table::keys).chain([name]);
    let place = named.find_map(|name| {
        let known = keys
            .iter()
            .find_map(|key| key.split_once('.').filter(|(_, key)| key == name))?;
        Some(format!("[{}], where {name} stands", known.0))
    });
    let near = || {
        names::nearest(name, sections(), 1)
            .first()
            .map(|near| format!("[{near}]"))
    };
    let place = place
        .or_else(near)
        .unwrap_or_else(|| "[take], [closure] or [output]".to_owned());
    Err((
        format!("{name} is no table of recipes"),
        format!("{place}; `loopwright recipe` lists all keys, and what is none is typed"),
    ))
}

impl Settings {
    /// The flags that say the same to a command, which heeds all or some settings, or reads recipes.
    fn flags(&self, path: &Path, name: &str, command: &Command) -> Vec<OsString> {
        if self.tables.is_empty() {
            return Vec::new();
        }
        if flag(command, "recipe").is_some() {
            return vec!["--recipe".into(), path.into()];
        }
        let heeds = |text: &str| match name {
            "set" => true,
            "find" | "inspect" => {
                let recipe = text
                    .parse::<Setting>()
                    .and_then(|setting| recipe::recipe_of([&setting]));
                recipe.is_ok_and(|recipe| Sets(recipe).only_of_search().is_ok())
            }
            _ => Setting::of_reading(text).is_ok(),
        };
        let all = settings(&self.tables).map(|(key, value)| format!("{key}={value}"));
        all.filter(|text| heeds(text))
            .flat_map(|text| ["--set".into(), text.into()])
            .collect()
    }
}

/// Returns the limits in force: from flags, else from this file, or one found in the current folder or above, where a build runs: a folder of
/// loops cannot relax the limits that it is checked against. Errors: the file cannot be read.
pub(crate) fn limits(flags: Limits, file: Option<&Path>) -> Result<Limits, Failure> {
    let file = file.map(Path::to_owned).or_else(|| nearest(Path::new(".")));
    Ok(match file {
        Some(path) => flags.or(read(&path)?.limits),
        None => flags,
    })
}

/// What is typed, with the settings of the nearest `loopwright.toml` in front, and that file if it says anything.
///
/// What cannot be parsed is left as it is: its errors come first. Errors: the file cannot be read, or is none.
pub(crate) fn with_settings(typed: &[OsString]) -> Result<(Vec<OsString>, Option<PathBuf>), Failure> {
    let unchanged = || Ok((typed.to_vec(), None));
    let mut program = args::full_command();
    let Ok(matches) = program.try_get_matches_from_mut(typed) else {
        return unchanged();
    };
    let (names, command, matches) = innermost(&program, &matches);
    // A recipe that is named says all that a loop needs.
    let has_recipe = flag(command, "recipe").is_some_and(|arg| source(matches, arg) == Some(ValueSource::CommandLine));
    if has_recipe || flag(command, "set").is_none() {
        return unchanged();
    }
    let Some(path) = nearest(&folder_of(command, matches)) else {
        return unchanged();
    };
    let flags = read(&path)?.flags(&path, &names[0], command);
    if flags.is_empty() {
        return unchanged();
    }
    // Behind the name of the command, or those of the command and of the one within it.
    let mut place = 0;
    for name in &names {
        let after = typed
            .iter()
            .skip(place + 1)
            .position(|word| word.to_str() == Some(name));
        place += after.map_or(0, |after| after + 1);
    }
    let (front, rest) = typed.split_at((place + 1).min(typed.len()));
    Ok(([front, &flags, rest].concat(), Some(path)))
}

fn flag<'a>(command: &'a Command, long: &str) -> Option<&'a Arg> {
    command.get_arguments().find(|arg| arg.get_long() == Some(long))
}

/// The command that is asked for, within others, with its names and its matches.
fn innermost<'a>(program: &'a Command, matches: &'a ArgMatches) -> (Vec<String>, &'a Command, &'a ArgMatches) {
    let (mut names, mut command, mut matches) = (Vec::new(), program, matches);
    while let Some((name, below)) = matches.subcommand() {
        let Some(found) = command.find_subcommand(name) else {
            break;
        };
        names.push(found.get_name().to_owned());
        (command, matches) = (found, below);
    }
    (names, command, matches)
}

/// The inputs that are typed: files, folders and patterns.
pub(crate) fn inputs(matches: &ArgMatches) -> Vec<PathBuf> {
    let program = args::full_command();
    let (_, command, matches) = innermost(&program, matches);
    typed_inputs(command, matches).collect()
}

fn typed_inputs<'a>(command: &'a Command, matches: &'a ArgMatches) -> impl Iterator<Item = PathBuf> + 'a {
    let typed = command.get_positionals().filter(|arg| source(matches, arg).is_some());
    let typed = typed.filter_map(|arg| matches.get_raw(arg.get_id().as_str())).flatten();
    typed.map(PathBuf::from)
}

fn source(matches: &ArgMatches, arg: &Arg) -> Option<ValueSource> {
    let is_known = matches.ids().any(|id| id == arg.get_id());
    is_known.then(|| matches.value_source(arg.get_id().as_str())).flatten()
}

/// The folder of the first input, which may be a folder or a pattern; the current one if there is no input.
fn folder_of(command: &Command, matches: &ArgMatches) -> PathBuf {
    let first = typed_inputs(command, matches).next();
    let folder = first.and_then(|first| Some(first.ancestors().find(|path| path.is_dir())?.to_owned()));
    folder.unwrap_or_else(|| PathBuf::from("."))
}

/// The file in this folder or the nearest above it.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().or_else(|_| env::current_dir()).ok()?;
    folder
        .ancestors()
        .map(|above| above.join(NAME))
        .find(|path| path.is_file())
}

/// A JSON schema of recipes and of the file, for editors.
pub(crate) fn schema() -> String {
    let mut program = args::full_command();
    program.build();
    let flag = |command: &str, long: &str| program.find_subcommand(command).and_then(|command| flag(command, long));
    let mut tables = Map::new();
    for (section, about, keys, is_list) in recipe::SECTIONS {
        let keys = keys.iter().filter_map(|(about, line)| {
            let (key, value) = toml::from_str::<Table>(line.trim_start_matches("# "))
                .ok()?
                .into_iter()
                .next()?;
            let words = flag("make", &key).map(Arg::get_possible_values).unwrap_or_default();
            let words: Vec<_> = words
                .iter()
                .filter(|word| !word.is_hide_set())
                .map(|word| word.get_name())
                .collect();
            let mut rules = match &value {
                _ if !words.is_empty() => json!({"enum": words}),
                Value::String(_) => json!({"type": ["string", "number"]}),
                Value::Boolean(_) => json!({"type": "boolean"}),
                Value::Array(_) => json!({"type": "array"}),
                _ => json!({"type": "number"}),
            };
            rules["description"] = about.trim().into();
            Some((key, rules))
        });
        let table = table(keys.collect());
        let mut rules = match is_list {
            true => json!({"type": "array", "items": table}),
            false => table,
        };
        rules["description"] = about.into();
        tables.insert(section.to_owned(), rules);
    }
    let kinds: Vec<_> = EditKind::ALL.iter().map(|kind| kind.descriptor().name).collect();
    let edit = json!({"type": "object", "required": ["kind"], "properties": {"kind": {"enum": kinds}}});
    tables.insert("edit".to_owned(), json!({"type": "array", "items": edit}));
    let check = program
        .find_subcommand(CHECK)
        .into_iter()
        .flat_map(Command::get_arguments);
    let limits = check.filter(|arg| arg.get_help_heading() == Some(LIMITS));
    let limits = limits.filter(|arg| arg.get_value_parser().type_id() == TypeId::of::<f64>());
    let limits = limits.filter_map(|arg| {
        let about = arg.get_help().map(ToString::to_string);
        Some((
            arg.get_long()?.to_owned(),
            json!({"type": "number", "minimum": 0, "description": about}),
        ))
    });
    tables.insert(CHECK.to_owned(), table(limits.collect()));
    let mut schema = table(tables);
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = "Recipes of loopwright, and loopwright.toml".into();
    format!("{schema:#}\n")
}

fn table(keys: Map<String, Json>) -> Json {
    json!({"type": "object", "additionalProperties": false, "properties": keys})
}
