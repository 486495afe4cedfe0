//! `loopwright.toml`: flags for all files of a folder, in the folder of the input or the nearest above it.
//!
//! A table for each command, `[make]`, `[find]`, and `[all]` for those that have the flag; the keys are the flags, and what is typed goes before
//! them. Every command has them through its one definition: what the file says is put in front of what is typed, and read as that is.
//!
//! Folders come from others. So the file cannot name files to write or read, allow files to be replaced, or change how answers are printed.

use std::path::{Path, PathBuf};
use std::{any::TypeId, env, ffi::OsString};

use clap::{Arg, ArgAction, ArgMatches, Command, parser::ValueSource};
use loopwright_core::names;
use serde_json::{Map, Value as Json, json};
use toml::{Table, Value};

use crate::{args, exit::Failure, files, headings::LIMITS};

/// The file.
const NAME: &str = "loopwright.toml";

/// The table of all commands.
const ALL: &str = "all";

/// The command whose table holds limits, which have a reader of their own.
const CHECK: &str = "check";

/// Keys of recipes that are files: `set` cannot set them either.
const FILE_KEYS: [&str; 2] = ["take.rig", "take.map"];

/// Flags that are typed, besides those whose values are paths: they replace files, are about one run or one take, or are not about motion.
const TYPED: [&str; 14] = [
    "force",
    "resume",
    "shard",
    "dry-run",
    "json",
    "quiet",
    "verbose",
    "color",
    "help",
    "version",
    "max-memory",
    "title",
    "range",
    "pick",
];

/// What is typed, with the flags of the nearest `loopwright.toml` in front, and that file if it says anything.
///
/// What cannot be parsed is left as it is: its errors come first. Errors: the file cannot be read, or says what no flag is.
pub(crate) fn with_settings(typed: &[OsString]) -> Result<(Vec<OsString>, Option<PathBuf>), Failure> {
    let unchanged = || Ok((typed.to_vec(), None));
    let mut program = args::full_command();
    let Ok(matches) = program.try_get_matches_from_mut(typed) else {
        return unchanged();
    };
    let (names, command, matches) = innermost(&program, &matches);
    let Some(path) = nearest(&folder_of(command, matches)) else {
        return unchanged();
    };
    // The limits of `check` stand there, and who reads them says what is wrong.
    if names == [CHECK] && nearest(Path::new(".")).as_ref() == Some(&path) && !is_whole(&program, &path) {
        return unchanged();
    }
    let wrong = |why: String| Failure::cannot("use", &path, why);
    let text = String::from_utf8(files::read_settings(&path)?).map_err(|_| wrong("it is not text".to_owned()))?;
    let tables: Table = toml::from_str(&text).map_err(|error| wrong(error.to_string().trim_end().to_owned()))?;
    check_tables(&program, &tables).map_err(|(why, near)| match near {
        Some(near) => wrong(why).try_this(near),
        None => wrong(why),
    })?;
    let own = names.join("-");
    let mut flags: Vec<OsString> = Vec::new();
    // A recipe that is named says all that a loop needs.
    let has_recipe = is_typed(command, matches, "recipe");
    for table in [ALL, own.as_str()] {
        // The limits of `check` have a reader of their own: they are those of the current folder, where a build runs, so that
        // a folder of loops cannot relax the limits that it is checked against.
        if has_recipe || (table == CHECK) {
            continue;
        }
        let table = tables.get(table).and_then(Value::as_table);
        for (key, value) in table.into_iter().flatten() {
            let Some(arg) = flag(command, key) else { continue };
            let is_set_aside = (command.get_arg_conflicts_with(arg).into_iter())
                .chain([arg])
                .any(|arg| source(matches, arg) == Some(ValueSource::CommandLine));
            if key == "set"
                && let Some(file) = file_key(value)
            {
                let why = format!("{file} names a file, so it cannot be set here");
                return Err(wrong(why).try_this(format!("--set {file}=FILE on the command line")));
            }
            // Settings add up, and those that are typed come later.
            if !is_set_aside || key == "set" {
                add(&mut flags, key, value).map_err(&wrong)?;
            }
        }
    }
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

/// Whether nothing is wrong with a file.
fn is_whole(program: &Command, path: &Path) -> bool {
    let text = files::read_settings(path)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok());
    let tables = text.and_then(|text| toml::from_str::<Table>(&text).ok());
    tables.is_some_and(|tables| check_tables(program, &tables).is_ok())
}

/// The first table of a file that is of no command.
pub(crate) fn unknown_table(text: &str) -> Option<String> {
    let tables: Table = toml::from_str(text).ok()?;
    let program = args::full_command();
    let commands = commands(&program);
    let is_known = |name: &&String| name.as_str() != ALL && !commands.iter().any(|(known, _)| known == *name);
    tables.keys().find(is_known).cloned()
}

/// What is wrong with flags that a file adds to what is right as it is typed.
pub(crate) fn failure(path: &Path, error: &clap::Error) -> Failure {
    let text = error.render().to_string();
    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
    Failure::cannot("use", path, first).try_this("`loopwright schema` describes the file, --help what flags may be")
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
    let typed = command.get_positionals().filter(|arg| source(matches, arg).is_some());
    let typed = typed.filter_map(|arg| matches.get_raw(arg.get_id().as_str())).flatten();
    typed.map(PathBuf::from).collect()
}

fn source(matches: &ArgMatches, arg: &Arg) -> Option<ValueSource> {
    let is_known = matches.ids().any(|id| id == arg.get_id());
    is_known.then(|| matches.value_source(arg.get_id().as_str())).flatten()
}

fn is_typed(command: &Command, matches: &ArgMatches, long: &str) -> bool {
    let arg = command.get_arguments().find(|arg| arg.get_long() == Some(long));
    arg.is_some_and(|arg| source(matches, arg) == Some(ValueSource::CommandLine))
}

/// The folder of the first input, which may be a folder or a pattern; the current one if there is no input.
fn folder_of(command: &Command, matches: &ArgMatches) -> PathBuf {
    let mut inputs = command.get_positionals().filter(|arg| source(matches, arg).is_some());
    let first = inputs.find_map(|arg| matches.get_raw(arg.get_id().as_str())?.next());
    let folder = first.and_then(|first| {
        let mut above = Path::new(first).ancestors();
        above.find(|path| path.is_dir())
    });
    folder.map_or_else(|| PathBuf::from("."), Path::to_owned)
}

/// The file in this folder or the nearest above it.
fn nearest(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().or_else(|_| env::current_dir()).ok()?;
    folder
        .ancestors()
        .map(|above| above.join(NAME))
        .find(|path| path.is_file())
}

/// A flag that the file may set.
fn flag<'a>(command: &'a Command, key: &str) -> Option<&'a Arg> {
    let mut flags = command.get_arguments().filter(|arg| may_be_set(arg));
    flags.find(|arg| arg.get_long() == Some(key))
}

fn may_be_set(arg: &Arg) -> bool {
    let is_path = arg.get_action().takes_values() && arg.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    arg.get_long().is_some_and(|long| !TYPED.contains(&long)) && !is_path
}

/// All commands, each with its name; those of a command are joined to it by a hyphen.
fn commands(program: &Command) -> Vec<(String, &Command)> {
    let mut all = Vec::new();
    for command in program.get_subcommands().filter(|command| command.get_name() != "help") {
        let below: Vec<&Command> = (command.get_subcommands())
            .filter(|below| below.get_name() != "help")
            .collect();
        if below.is_empty() {
            all.push((command.get_name().to_owned(), command));
        }
        for below in below {
            all.push((format!("{}-{}", command.get_name(), below.get_name()), below));
        }
    }
    all
}

/// Errors: a table that is of no command, or a key that is no flag of it, with what is spelled alike.
fn check_tables(program: &Command, tables: &Table) -> Result<(), (String, Option<String>)> {
    let commands = commands(program);
    for (name, table) in tables {
        let Some(table) = table.as_table() else {
            let why = format!("{name} is in no table");
            let hint = format!("a line [make] above it, or [{ALL}] for every command");
            return Err((why, Some(hint)));
        };
        let command = commands.iter().find(|(known, _)| known == name);
        if command.is_none() && name != ALL {
            let known = commands.iter().map(|(known, _)| known.as_str()).chain([ALL]);
            let near = names::nearest(name, known, 1).first().map(|near| format!("[{near}]"));
            return Err((format!("[{name}] is the table of no command"), near));
        }
        if name == CHECK {
            continue;
        }
        for key in table.keys() {
            let of_any = || commands.iter().any(|(_, command)| flag(command, key).is_some());
            let is_flag = command.map_or_else(of_any, |(_, command)| flag(command, key).is_some());
            if is_flag {
                continue;
            }
            if TYPED.contains(&key.as_str()) || is_some_flag(&commands, key) {
                let why = format!("{key} cannot be set under [{name}], only typed");
                return Err((why, Some(format!("no line {key}; --{key} on the command line"))));
            }
            let flags = (commands.iter())
                .filter(|(known, _)| name == ALL || known == name)
                .flat_map(|(_, command)| command.get_arguments())
                .filter(|arg| may_be_set(arg))
                .filter_map(Arg::get_long);
            let near = names::nearest(key, flags, 1).first().map(|near| (*near).to_owned());
            return Err((format!("{key} under [{name}] is no flag"), near));
        }
    }
    Ok(())
}

fn is_some_flag(commands: &[(String, &Command)], key: &str) -> bool {
    let mut all = commands.iter().flat_map(|(_, command)| command.get_arguments());
    all.any(|arg| arg.get_long() == Some(key))
}

/// The key of a recipe among these that names a file.
fn file_key(settings: &Value) -> Option<&'static str> {
    let all = settings
        .as_array()
        .map_or(core::slice::from_ref(settings), Vec::as_slice);
    let keys = all
        .iter()
        .filter_map(Value::as_str)
        .filter_map(|text| text.split('=').next());
    let mut keys = keys.map(|key| key.trim().replace('_', "-"));
    keys.find_map(|key| FILE_KEYS.into_iter().find(|file| *file == key))
}

/// Adds a line of the file as flags.
fn add(flags: &mut Vec<OsString>, key: &str, value: &Value) -> Result<(), String> {
    match value {
        Value::Boolean(true) => flags.push(format!("--{key}").into()),
        Value::Boolean(false) => {}
        Value::String(text) => flags.push(format!("--{key}={text}").into()),
        Value::Integer(number) => flags.push(format!("--{key}={number}").into()),
        Value::Float(number) => flags.push(format!("--{key}={number}").into()),
        Value::Array(values) => values.iter().try_for_each(|value| add(flags, key, value))?,
        Value::Table(_) | Value::Datetime(_) => return Err(format!("{key} is neither a text nor a number")),
    }
    Ok(())
}

/// A JSON schema of the file, for editors.
pub(crate) fn schema() -> String {
    let mut program = args::full_command();
    program.build();
    let mut tables = Map::new();
    // Most flags are the same for several commands.
    let mut shared = Map::new();
    let reference = |long: &str| json!({"$ref": format!("#/$defs/{long}")});
    for (name, command) in commands(&program) {
        let mut keys = Map::new();
        let flags = command
            .get_arguments()
            .filter(|arg| may_be_set(arg) && !arg.is_hide_set())
            // Of `check`, the file holds the limits.
            .filter(|arg| name != CHECK || arg.get_help_heading() == Some(LIMITS));
        for arg in flags {
            let Some(long) = arg.get_long() else { continue };
            let own = rules(arg);
            let is_shared = *shared.entry(long.to_owned()).or_insert_with(|| own.clone()) == own;
            keys.insert(long.to_owned(), if is_shared { reference(long) } else { own });
        }
        if !keys.is_empty() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            tables.insert(name, table(&about, keys));
        }
    }
    let of_all = shared.keys().map(|long| (long.clone(), reference(long))).collect();
    tables.insert(ALL.to_owned(), table("For every command that has the flag.", of_all));
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "loopwright.toml",
        "description": "Flags for all files of a folder and below: a table for each command, whose keys are its flags.",
        "type": "object",
        "additionalProperties": false,
        "properties": tables,
        "$defs": shared,
    });
    format!("{schema:#}\n")
}

fn table(about: &str, keys: Map<String, Json>) -> Json {
    json!({"description": about, "type": "object", "additionalProperties": false, "properties": keys})
}

/// What a key may be.
fn rules(arg: &Arg) -> Json {
    let about = arg.get_help().map(ToString::to_string).unwrap_or_default();
    if !arg.get_action().takes_values() {
        return json!({"description": about, "type": "boolean"});
    }
    let values = (arg.get_possible_values().into_iter()).filter(|value| !value.is_hide_set());
    let values: Vec<String> = values.map(|value| value.get_name().to_owned()).collect();
    let one = if values.is_empty() {
        json!({"type": ["string", "number"]})
    } else {
        json!({"enum": values})
    };
    let is_repeated = matches!(arg.get_action(), ArgAction::Append);
    let mut rules = if is_repeated {
        json!({"anyOf": [one, {"type": "array", "items": one}]})
    } else {
        one
    };
    rules["description"] = about.into();
    rules
}
