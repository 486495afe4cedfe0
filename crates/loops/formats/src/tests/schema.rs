//! Derives schema definitions from types: the description of a key is the doc comment of its field. Tests of several crates
//! share this file.

use std::{
    fs,
    path::{Path, PathBuf},
};

use schemars::{
    JsonSchema, Schema, SchemaGenerator,
    generate::SchemaSettings,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Map, Value};

/// The schema of all answers.
pub(crate) const ANSWERS: &str = "loopwright.schema.json";

/// Definitions of types as written, by name.
pub(crate) struct Definitions {
    generator: SchemaGenerator,
    named: Map<String, Value>,
}

impl Definitions {
    pub(crate) fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().for_serialize();
        Self {
            generator: settings.with_transform(RecursiveTransform(tidy)).into_generator(),
            named: Map::new(),
        }
    }

    /// Adds the definition of a type under a name, and later those of all its parts.
    pub(crate) fn add<T: JsonSchema>(&mut self, name: &str) -> &mut Value {
        let mut schema = T::json_schema(&mut self.generator);
        RecursiveTransform(tidy).transform(&mut schema);
        self.named.entry(name).or_insert(schema.to_value())
    }

    /// Returns all of them.
    pub(crate) fn finish(mut self) -> Map<String, Value> {
        for (of_type, part) in self.generator.take_definitions(true) {
            let name = part_name(&of_type);
            assert!(
                self.named.insert(name, part).is_none(),
                "{of_type} has the name of another"
            );
        }
        self.named
    }
}

/// Replaces definitions of the same names.
pub(crate) fn put(answers: &mut Value, definitions: impl IntoIterator<Item = (String, Value)>) {
    for (name, definition) in definitions {
        answers["$defs"][name] = definition;
    }
}

/// Reads the tracked schema.
pub(crate) fn tracked(name: &str) -> Value {
    serde_json::from_str(&text(name)).unwrap()
}

/// Rewrites a schema that differs, so that a second run passes.
pub(crate) fn assert_current(name: &str, derive: impl FnOnce(&mut Value)) {
    let mut schema = tracked(name);
    derive(&mut schema);
    let derived = format!("{schema:#}\n");
    if derived != text(name) {
        fs::write(path(name), derived).unwrap();
        panic!("docs/formats/{name} was not that of the types: it is written anew");
    }
}

fn text(name: &str) -> String {
    fs::read_to_string(path(name)).unwrap().replace("\r\n", "\n")
}

fn path(name: &str) -> PathBuf {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above
        .find_map(|folder| Some(folder.join("docs/formats").join(name)).filter(|path| path.is_file()))
        .unwrap()
}

/// Returns the name of a part in schemas: `mean_cycle` for `MeanCycleFacts`.
fn part_name(of_type: &str) -> String {
    let plain = of_type.strip_prefix("Set").unwrap_or(of_type);
    let plain = plain.strip_suffix("Facts").unwrap_or(plain);
    let mut name = String::new();
    for letter in plain.chars() {
        if letter.is_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(letter.to_ascii_lowercase());
    }
    name
}

/// Removes rules that do not hold for JSON, and adds the units of keys.
fn tidy(schema: &mut Schema) {
    let width = schema.remove("format");
    if width.is_some_and(|width| width.as_str().is_some_and(|width| width.contains("int"))) {
        schema.remove("maximum");
    }
    for of_rust in ["title", "default", "additionalProperties"] {
        schema.remove(of_rust);
    }
    if let Some(Value::String(text)) = schema.get_mut("description") {
        *text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    if let Some(Value::String(to)) = schema.get_mut("$ref")
        && let Some(name) = to.strip_prefix("#/$defs/")
    {
        *to = format!("#/$defs/{}", part_name(name));
    }
    let types = schema.get("type").and_then(Value::as_array);
    let nullable = types.is_some_and(|types| types.contains(&"null".into()));
    if let Some(Value::Array(words)) = schema.get_mut("enum")
        && nullable
        && !words.contains(&Value::Null)
    {
        words.push(Value::Null);
    }
    // Words come last, for a stable order.
    if let Some(words) = schema.remove("enum") {
        schema.insert("enum".to_owned(), words);
    }
    let required = schema.get("required").and_then(Value::as_array).cloned();
    let required = required.unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for (key, rules) in properties {
        let Some(rules) = rules.as_object_mut() else { continue };
        if !required.iter().any(|name| name == key.as_str()) {
            remove_null(rules);
        }
        if let Some(unit) = unit_of(key) {
            rules.insert("unit".to_owned(), unit.into());
        }
    }
}

/// Makes null invalid: an optional key is omitted if its value is unknown.
fn remove_null(rules: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = rules.get_mut("type") {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            rules.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(choices)) = rules.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            rules.remove("anyOf");
            rules.extend(only);
        }
    }
}

/// Returns the unit that a key ends in.
fn unit_of(key: &str) -> Option<&'static str> {
    let units = [
        ("_metre_secs", "m s"),
        ("_radps", "rad/s"),
        ("_mmps", "mm/s"),
        ("_cmps", "cm/s"),
        ("_mps2", "m/s²"),
        ("_mps", "m/s"),
        ("_dps", "deg/s"),
        ("_deg", "deg"),
        ("_secs", "s"),
        ("_hz", "Hz"),
        ("_spm", "steps/min"),
        ("fps", "Hz"),
        ("_mm", "mm"),
        ("_m", "m"),
        ("_percent", "%"),
        ("_px", "px"),
    ];
    let unit = units.into_iter().find(|(end, _)| key.ends_with(end));
    unit.map(|(_, unit)| unit)
}
