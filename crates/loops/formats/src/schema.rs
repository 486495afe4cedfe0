//! Schemas of JSON that is written, derived from its types: what a key means is the doc comment of its field.

use schemars::{JsonSchema, Schema, generate::SchemaSettings, transform::RecursiveTransform};
use serde_json::{Map, Value};

use crate::{loop_file::Sidecar, set::Manifest};

/// Keys of a loop that earlier versions, or the extras of a glTF animation, do without.
const NOT_ALWAYS: [(&str, &[&str]); 6] = [
    (
        "loopwright-loop",
        &[
            "program",
            "kind",
            "in_place",
            "recipe_sha256",
            "variation",
            "edits",
            "file_sha256",
        ],
    ),
    ("take", &["file_sha256", "licence"]),
    ("whole_clip", &["by_name"]),
    ("root_motion", &["basis", "periodic_loop"]),
    ("feet", &["bearing"]),
    ("foot", &["strike_phase", "stands_share"]),
];

/// Returns the schema of the manifest of a set.
fn of_set() -> Value {
    let Value::Object(mut schema) = derived::<Manifest>() else {
        unreachable!("the schema of a struct is an object")
    };
    schema.insert("title".to_owned(), "Manifest of a set of loopwright, version 1".into());
    Value::Object(schema)
}

/// Puts the definitions of a loop, and of all that it consists of, in place of those in the schema of all answers.
fn put_loop(answers: &mut Value) {
    let mut of_loop = derived::<Sidecar>();
    let mut parts = of_loop["$defs"].take();
    if let Some(rules) = of_loop.as_object_mut() {
        rules.retain(|rule, _| !rule.starts_with('$'));
    }
    parts["loopwright-loop"] = of_loop;
    for (name, keys) in NOT_ALWAYS {
        if let Some(Value::Array(required)) = parts[name].get_mut("required") {
            required.retain(|key| !keys.iter().any(|absent| key == absent));
        }
    }
    if let Value::Object(parts) = parts {
        for (name, part) in parts {
            answers["$defs"][name] = part;
        }
    }
}

/// Returns the schema of a type as it is written.
fn derived<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let mut schema = (settings.with_transform(RecursiveTransform(tidy)))
        .into_generator()
        .into_root_schema_for::<T>()
        .to_value();
    if let Some(Value::Object(parts)) = schema.get_mut("$defs") {
        *parts = (std::mem::take(parts).into_iter())
            .map(|(name, part)| (part_name(&name), part))
            .collect();
    }
    schema
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

/// Leaves of a schema what holds for JSON, and adds the units of keys.
fn tidy(schema: &mut Schema) {
    for of_rust in [
        "title",
        "default",
        "format",
        "minimum",
        "maximum",
        "additionalProperties",
    ] {
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
    {
        words.push(Value::Null);
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

/// Makes null invalid: a key that may be absent is absent where nothing is known.
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
        ("_mps", "m/s"),
        ("_dps", "deg/s"),
        ("_deg", "deg"),
        ("_secs", "s"),
        ("_hz", "Hz"),
        ("fps", "Hz"),
        ("_mm", "mm"),
        ("_m", "m"),
        ("_percent", "%"),
    ];
    let unit = units.into_iter().find(|(end, _)| key.ends_with(end));
    unit.map(|(_, unit)| unit)
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    /// Writes a schema that differs anew, so that a second run passes.
    fn assert_current(name: &str, derive: fn(tracked: Value) -> Value) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../docs/formats")
            .join(name);
        let tracked = fs::read_to_string(&path).unwrap().replace("\r\n", "\n");
        let derived = format!("{:#}\n", derive(serde_json::from_str(&tracked).unwrap()));
        if derived != tracked {
            fs::write(&path, derived).unwrap();
            panic!("docs/formats/{name} was not that of the types: it is written anew");
        }
    }

    #[test]
    fn the_schema_of_sets_is_that_of_the_manifest() {
        assert_current("set.schema.json", |_| of_set());
    }

    #[test]
    fn the_schema_of_answers_defines_a_loop_as_its_types_do() {
        assert_current("loopwright.schema.json", |mut answers| {
            put_loop(&mut answers);
            answers
        });
    }
}
