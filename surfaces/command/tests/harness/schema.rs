//! Validates documents against docs/formats/loopwright.schema.json, strictly: a key without a description is an error.

use serde_json::Value;

pub(crate) fn schema() -> Value {
    serde_json::from_str(include_str!("../../../../docs/formats/loopwright.schema.json")).unwrap()
}

pub(crate) fn assert_valid(document: &Value, kind: &str) {
    let schema = schema();
    let mut faults = Vec::new();
    let name = format!("loopwright-{kind}");
    check(&schema, &schema["$defs"][&name], document, &name, &mut faults);
    assert_eq!(faults, Vec::<String>::new(), "{document:#}");
}

/// Asserts that the manifest of a set is valid under its own schema.
pub(crate) fn assert_valid_set(document: &Value) {
    let schema: Value = serde_json::from_str(include_str!("../../../../docs/formats/set.schema.json")).unwrap();
    let mut rules = schema.as_object().unwrap().clone();
    rules.retain(|rule, _| !rule.starts_with('$') && rule != "title");
    let mut faults = Vec::new();
    check(&schema, &Value::Object(rules), document, "set", &mut faults);
    assert_eq!(faults, Vec::<String>::new(), "{document:#}");
}

/// The part of the schema that a reference names.
pub(crate) fn resolve<'a>(schema: &'a Value, reference: &Value) -> &'a Value {
    let pointer = reference.as_str().and_then(|text| text.strip_prefix('#')).unwrap();
    schema.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"))
}

/// The rules of JSON Schema that our schema uses; an unknown rule fails the test.
fn check(schema: &Value, rules: &Value, value: &Value, path: &str, faults: &mut Vec<String>) {
    let rules = rules.as_object().unwrap_or_else(|| panic!("no rules for {path}"));
    for (rule, argument) in rules {
        match rule.as_str() {
            "description" | "unit" | "required" | "minItems" | "maxItems" | "additionalProperties" => {}
            "$ref" => check(schema, resolve(schema, argument), value, path, faults),
            "const" if value != argument => faults.push(format!("{path}: {value} is not {argument}")),
            "enum" if !list(argument).contains(value) => faults.push(format!("{path}: {value} is none of {argument}")),
            "const" | "enum" => {}
            "type" if !is_of_type(value, argument) => faults.push(format!("{path}: {value} is no {argument}")),
            "type" => {}
            "minimum" if value.as_f64().is_some_and(|number| Some(number) < argument.as_f64()) => {
                faults.push(format!("{path}: {value} is below {argument}"));
            }
            "maximum" if value.as_f64().is_some_and(|number| Some(number) > argument.as_f64()) => {
                faults.push(format!("{path}: {value} is above {argument}"));
            }
            "exclusiveMinimum" if value.as_f64().is_some_and(|number| Some(number) <= argument.as_f64()) => {
                faults.push(format!("{path}: {value} is not above {argument}"));
            }
            "minimum" | "maximum" | "exclusiveMinimum" => {}
            "anyOf" => {
                let fits = |rules: &Value| {
                    let mut faults = Vec::new();
                    check(schema, rules, value, path, &mut faults);
                    faults.is_empty()
                };
                // The first alternative explains the error best; the last one is null.
                if !list(argument).iter().any(fits) {
                    check(schema, &argument[0], value, path, faults);
                }
            }
            "oneOf" => {
                let words: Vec<&Value> = list(argument).iter().map(|choice| &choice["const"]).collect();
                if !words.contains(&value) {
                    faults.push(format!("{path}: {value} is none of {words:?}"));
                }
            }
            "items" => {
                let values = value.as_array().map_or(&[][..], Vec::as_slice);
                let bound = |name: &str| rules.get(name).and_then(Value::as_u64);
                let (least, most) = (bound("minItems").unwrap_or(0), bound("maxItems").unwrap_or(u64::MAX));
                if value.is_array() && !(least..=most).contains(&(values.len() as u64)) {
                    faults.push(format!("{path}: {} items, not {least} to {most}", values.len()));
                }
                for (index, value) in values.iter().enumerate() {
                    check(schema, argument, value, &format!("{path}[{index}]"), faults);
                }
            }
            "properties" => {
                let Some(fields) = value.as_object() else { continue };
                for key in list(&rules["required"]) {
                    if !fields.contains_key(key.as_str().unwrap()) {
                        faults.push(format!("{path}: no {key}"));
                    }
                }
                for (key, value) in fields {
                    match argument.get(key) {
                        Some(rules) => check(schema, rules, value, &format!("{path}.{key}"), faults),
                        None => faults.push(format!("{path}: {key} is not described")),
                    }
                }
            }
            other => panic!("the rule {other} is not known to this test"),
        }
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn is_of_type(value: &Value, types: &Value) -> bool {
    let is = |name: &Value| match name.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the type {other} is not known to this test"),
    };
    match types {
        Value::Array(types) => types.iter().any(is),
        one => is(one),
    }
}
