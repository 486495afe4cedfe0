//! The keys of recipes: their meanings, the recipe that lists them all, and settings as `KEY=VALUE`.

use std::{
    fmt::{Display, Write as _},
    str::FromStr,
};

use loopwright_core::{
    edit::{EditKind, EditValue, EditedJoints},
    names,
    unit::Unit,
};
use serde::Serialize;
use toml::{Table, Value};

use super::{
    Recipe,
    closure::{ClosureRecipe, JointRecipe},
    edit::EditRecipe,
    error::RecipeError,
    laid, lay_over,
    output::OutputRecipe,
    search::SearchRecipe,
    stance::StanceRecipe,
    stretch::StretchRecipe,
    take::StudyArgs,
};

/// A table of recipes: its name, its meaning, its keys with their lines in the recipe that lists all, and whether it may occur
/// several times.
pub type Section = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    bool,
);

/// All tables of recipes except edits, whose keys differ by kind.
pub const SECTIONS: [Section; 7] = [
    (
        "take",
        "How the take is read and what is seen in it.",
        StudyArgs::KEYS,
        false,
    ),
    (
        "search",
        "How loops are compared where they are searched for.",
        SearchRecipe::KEYS,
        false,
    ),
    (
        "stretch",
        "Which frames; they are searched for where none are named.",
        StretchRecipe::KEYS,
        false,
    ),
    (
        "closure",
        "How the seam is closed; other ways are tried only where nothing is set here.",
        ClosureRecipe::KEYS,
        false,
    ),
    ("output", "What is written.", OutputRecipe::KEYS, false),
    (
        "joint",
        "Joints that are closed in another way, one table for each.",
        JointRecipe::KEYS,
        true,
    ),
    (
        "stance",
        "Stances that replace detected contacts, one table for each.",
        StanceRecipe::KEYS,
        true,
    ),
];

/// The table of edits, whose keys differ by kind.
const EDIT: &str = "edit";

/// Returns the name of the key of a line.
fn name_of(line: &str) -> &str {
    line.trim_start_matches("# ").split(" = ").next().unwrap_or_default()
}

/// Returns all keys with their tables; a table that may occur several times is one key.
pub fn keys() -> Vec<String> {
    let mut keys: Vec<String> = SECTIONS.iter().flat_map(keys_of).collect();
    keys.push(EDIT.to_owned());
    keys
}

/// Returns the keys of one table.
fn keys_of(&(section, _, keys, is_list): &Section) -> Vec<String> {
    if is_list {
        return vec![section.to_owned()];
    }
    keys.iter()
        .map(|(_, line)| format!("{section}.{}", name_of(line)))
        .collect()
}

/// Returns the value of a key in the recipe that lists all keys, which has the key's type. `None` for a table that may occur
/// several times, and for an unknown key.
pub fn example(key: &str) -> Option<Value> {
    let (section, name) = key.split_once('.')?;
    let (_, _, keys, _) = SECTIONS
        .iter()
        .find(|(known, _, _, is_list)| *known == section && !is_list)?;
    let (_, line) = keys.iter().find(|(_, line)| name_of(line) == name)?;
    let table: Table = toml::from_str(line.trim_start_matches("# ")).ok()?;
    table.get(name).cloned()
}

/// Returns a recipe with every key: its meaning and its default. With a name, only that table or key. Errors:
/// [`RecipeError::NoSetting`].
pub fn default_recipe(only: Option<&str>) -> Result<String, RecipeError> {
    let mut text = String::new();
    for (section, about, keys, is_list) in SECTIONS {
        let is_whole = only.is_none_or(|only| only == section);
        let chosen: Vec<_> = keys
            .iter()
            .filter(|(_, line)| is_whole || only == Some(&format!("{section}.{}", name_of(line))))
            .collect();
        if chosen.is_empty() {
            continue;
        }
        let head = if is_list {
            format!("# [[{section}]]")
        } else {
            format!("[{section}]")
        };
        let _ = write!(text, "# {about}\n{head}\n");
        for (doc, line) in chosen {
            let _ = write!(text, "# {}\n{line}\n", doc.trim());
        }
        text.push('\n');
    }
    if only.is_none_or(|only| only == EDIT) {
        text.push_str(&edits());
    }
    match only {
        Some(key) if text.is_empty() => Err(no_setting(key)),
        _ => Ok(text),
    }
}

/// Returns the kinds of edits, each as a table.
fn edits() -> String {
    let mut text =
        "# Edits of the closed loop, one table for each, in the order in which they apply; off = true leaves one out. Kinds:\n"
            .to_owned();
    for kind in EditKind::ALL {
        let descriptor = kind.descriptor();
        let _ = write!(text, "# [[{EDIT}]]\n# kind = \"{}\"\n", descriptor.name);
        if descriptor.joints != EditedJoints::Root {
            let usual = match descriptor.joints.usual() {
                "" => String::new(),
                usual => format!(" [default: {usual}]"),
            };
            let _ = write!(
                text,
                "# Names of joints, * for any letters{usual}\n# joint = \"Head\"\n"
            );
        }
        for parameter in descriptor.parameters {
            let value = match parameter.default {
                EditValue::Number(number) => format!("{number:?}"),
                EditValue::Vector(vector) => format!("{vector:?}"),
                EditValue::Whole(whole) => whole.to_string(),
            };
            let needed = if parameter.is_required { ", required" } else { "" };
            let unit = match parameter.unit {
                Unit::Number => "",
                Unit::Secs => ", seconds",
                Unit::Degrees => ", degrees",
                Unit::Metres => ", metres",
                Unit::Hertz => ", hertz",
            };
            let _ = write!(
                text,
                "# {}{unit}{needed}\n# {} = {value}\n",
                parameter.label, parameter.key
            );
        }
        text.push('\n');
    }
    text
}

fn no_setting(key: &str) -> RecipeError {
    let keys = keys();
    let last = key.rsplit('.').next().unwrap_or_default();
    // The last part of the key may exist in another table.
    let tables = SECTIONS.iter().map(|&(table, ..)| table).filter(|_| !key.contains('.'));
    let near = names::nearest(key, tables.chain(keys.iter().map(String::as_str)), 1)
        .first()
        .filter(|near| **near != key)
        .map(|near| (*near).to_owned());
    let elsewhere = || {
        keys.iter()
            .find(|known| known.rsplit('.').next() == Some(last))
            .cloned()
    };
    RecipeError::NoSetting {
        key: key.to_owned(),
        near: near.or_else(elsewhere),
    }
}

/// A setting of a recipe, `KEY=VALUE`.
#[value]
pub struct Setting {
    /// The key with its table.
    pub key: String,
    table: Table,
}

impl Setting {
    /// Parses a setting of how a file is read. Errors: another setting, or none.
    pub fn of_reading(text: &str) -> Result<Self, RecipeError> {
        let setting: Self = text.parse()?;
        match setting.key.strip_prefix("take.") {
            Some("up" | "unit" | "animation" | "skin" | "speed-up" | "hips" | "feet" | "reference" | "gaze") => {
                Ok(setting)
            }
            _ => Err(RecipeError::OtherSetting { key: setting.key }),
        }
    }
}

impl FromStr for Setting {
    type Err = RecipeError;

    /// Parses a setting. Values follow TOML; quotes, and the brackets of a list, may be left out. A joint, a stance or an edit is a
    /// table or its short form: `joint=Hand*:spring:0.1`.
    fn from_str(text: &str) -> Result<Self, RecipeError> {
        let (key, value) = text
            .split_once('=')
            .ok_or_else(|| RecipeError::Setting { text: text.to_owned() })?;
        let (key, value) = (key.trim(), value.trim());
        let table = match key {
            "joint" | "stance" | EDIT if value.starts_with('{') => read(&format!("{key} = [{value}]"))?,
            "joint" => short::<JointRecipe>(key, value)?,
            "stance" => short::<StanceRecipe>(key, value)?,
            EDIT => short::<EditRecipe>(key, value)?,
            "take.rig" | "take.map" | "take.robot" => return Err(RecipeError::FileSetting { key: key.to_owned() }),
            _ => {
                let example = example(key).ok_or_else(|| no_setting(key))?;
                read(&format!("{key} = {}", written(value, Some(&example))))?
            }
        };
        Ok(Self {
            key: key.to_owned(),
            table,
        })
    }
}

/// Reads the short form of a table that may occur several times. Errors: it is none.
fn short<T: FromStr<Err: Display> + Serialize>(key: &str, value: &str) -> Result<Table, RecipeError> {
    let table: T = value.parse().map_err(|why| RecipeError::Text(format!("{key} {why}")))?;
    Ok(Table::from_iter([(
        key.to_owned(),
        Value::try_from([table]).map_err(|error| RecipeError::Overlay(error.to_string()))?,
    )]))
}

/// Reads a line of a recipe. Errors: as for a file with this line.
fn read(line: &str) -> Result<Table, RecipeError> {
    Recipe::read(line.as_bytes())?;
    toml::from_str(line).map_err(RecipeError::from_toml)
}

/// Converts a value to TOML of this type.
fn written(value: &str, like: Option<&Value>) -> String {
    let quoted = || Value::String(value.to_owned()).to_string();
    let is_toml = || toml::from_str::<Table>(&format!("x = {value}")).is_ok();
    match like {
        Some(Value::String(_)) if !(value.starts_with(['"', '\'']) && is_toml()) => quoted(),
        Some(Value::Array(like)) if !value.starts_with('[') => {
            let parts = value.split(',').map(|part| written(part.trim(), like.first()));
            let parts: Vec<String> = parts.collect();
            format!("[{}]", parts.join(", "))
        }
        _ if is_toml() => value.to_owned(),
        // TOML has no numbers like `.5` and `5.`.
        Some(Value::Float(_)) => value
            .parse()
            .map_or_else(|_| quoted(), |number: f64| Value::Float(number).to_string()),
        _ => quoted(),
    }
}

/// Builds the recipe of several settings; later ones override earlier ones, and lists are appended. Errors: they cannot be
/// merged.
pub fn recipe_of<'a>(settings: impl IntoIterator<Item = &'a Setting>) -> Result<Recipe, RecipeError> {
    let mut all = Table::new();
    for setting in settings {
        let mut table = setting.table.clone();
        for (section, value) in &mut table {
            let Value::Table(value) = value else { continue };
            for (key, value) in value {
                let former = all.get(section).and_then(|section| section.get(key.as_str()));
                if let (Value::Array(value), Some(Value::Array(former))) = (value, former) {
                    value.splice(0..0, former.iter().cloned());
                }
            }
        }
        lay_over(&mut all, table);
    }
    laid(all)
}

/// The recipe of the settings given with `--set`.
#[value(Default)]
pub struct Sets(pub Recipe);

impl Sets {
    /// Returns the recipe. Errors: it sets something other than how a take is read and searched, and how ends of stretches meet.
    pub fn only_of_search(&self) -> Result<&Recipe, RecipeError> {
        let set = self.0.table()?;
        let mut keys = set.iter().flat_map(|(section, value)| match value.as_table() {
            Some(keys) => keys.keys().map(|name| format!("{section}.{name}")).collect(),
            None => vec![section.clone()],
        });
        let is_of_search = |key: &String| {
            matches!(key.as_str(), "stretch.symmetric" | "stretch.ping-pong" | "stretch.ease")
                || key.starts_with("take.")
                || key.starts_with("search.")
        };
        match keys.find(|key| !is_of_search(key)) {
            None => Ok(&self.0),
            Some(key) => Err(RecipeError::OtherSetting { key }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line of each key has its type, and each table has all the keys that a file may have.
    #[test]
    fn every_key_is_listed_and_may_be_set() {
        let text = default_recipe(None).unwrap();
        Recipe::read(text.as_bytes()).unwrap();
        for (section, _, keys, is_list) in SECTIONS {
            let wrong = if is_list {
                format!("[[{section}]]\nnone = 1")
            } else {
                format!("[{section}]\nnone = 1")
            };
            let error = Recipe::read(wrong.as_bytes()).unwrap_err().to_string();
            let (_, known) = error.split_once("expected one of ").unwrap();
            let known: Vec<&str> = known.split(", ").map(|key| key.trim().trim_matches('`')).collect();
            let listed: Vec<&str> = keys.iter().map(|(_, line)| name_of(line)).collect();
            assert_eq!(listed, known, "{section}");
            // The file of a robot is read with the key that names it.
            let lines = keys.iter().map(|(_, line)| line.trim_start_matches("# "));
            let lines: Vec<&str> = lines.filter(|line| !line.starts_with("robot = ")).collect();
            let head = if is_list {
                format!("[[{section}]]")
            } else {
                format!("[{section}]")
            };
            Recipe::read(format!("{head}\n{}", lines.join("\n")).as_bytes()).unwrap();
        }
        // Each kind of edit, as it is printed.
        for edit in edits().split("# [[edit]]\n").skip(1) {
            let lines = edit.lines().map(|line| line.trim_start_matches("# "));
            let lines: Vec<&str> = lines.filter(|line| line.contains(" = ")).collect();
            // A time excludes a phase.
            let lines: Vec<&str> = lines.into_iter().filter(|line| !line.starts_with("phase")).collect();
            Recipe::read(format!("[[edit]]\n{}", lines.join("\n")).as_bytes()).unwrap();
        }
    }

    #[test]
    fn a_setting_that_no_search_has_is_named() {
        let sets = |text: &str| Sets(recipe_of([&text.parse().unwrap()]).unwrap());
        assert!(sets("search.half-life=0.05").only_of_search().is_ok());
        assert!(sets("take.weights=Head=0").only_of_search().is_ok());
        assert!(sets("stretch.ease=1").only_of_search().is_ok());
        for (text, named) in [
            ("closure.blend=1", "closure.blend"),
            ("stretch.start=1", "stretch.start"),
            ("joint=Head:open", "joint"),
        ] {
            let error = sets(text).only_of_search().unwrap_err();
            assert_eq!(error, RecipeError::OtherSetting { key: named.to_owned() });
        }
    }

    #[test]
    fn numbers_need_no_leading_zero() {
        let read = |text: &str| text.parse::<Setting>().unwrap().table;
        assert_eq!(read("output.seconds=.7333"), read("output.seconds=0.7333"));
        assert!("output.seconds=.7.3".parse::<Setting>().is_err());
    }

    #[test]
    fn settings_of_a_list_add_up() {
        let set = |texts: &[&str]| recipe_of(&texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Setting>>());
        let recipe = set(&[
            "take.weights=Head=0",
            "take.weights=*Hand*=1",
            "take.skin=0",
            "joint=Head:open",
            "joint=Prop:open",
        ]);
        let recipe = recipe.unwrap();
        assert_eq!(
            recipe.take.weights,
            [("Head".to_owned(), 0.0), ("*Hand*".to_owned(), 1.0)]
        );
        assert_eq!((recipe.take.skin.as_deref(), recipe.joints.len()), (Some("0"), 2));
    }
}
