//! The form of all our JSON.

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Number, Value};

use crate::excerpt::one_line;

/// The keys of a document that are checked before the rest.
#[derive(Deserialize)]
pub(crate) struct Marks {
    #[serde(default)]
    pub format: String,
    #[serde(default)]
    pub version: u64,
}

/// Formats facts as indented JSON with a final newline; zeros have no sign.
///
/// Numbers keep all their digits. Control characters are escaped, even those that JSON allows, because terminals obey them.
/// Errors: a map whose keys are not texts.
pub fn to_text<T: Serialize>(facts: &T) -> Result<String, serde_json::Error> {
    Ok(escaped(serde_json::to_string_pretty(&to_value(facts)?)?))
}

/// Formats facts as JSON on one line with a final newline; numbers have the digits that single precision holds.
///
/// Otherwise as [`to_text`]. Errors: a map whose keys are not texts.
pub fn to_short_text<T: Serialize>(facts: &T) -> Result<String, serde_json::Error> {
    let mut value = to_value(facts)?;
    // The shortest number that is the same in single precision.
    change_numbers(&mut value, |number| {
        (number as f32).to_string().parse().unwrap_or(number)
    });
    Ok(escaped(value.to_string()))
}

fn escaped(mut text: String) -> String {
    text.push('\n');
    let is_harmful = |letter: char| letter.is_control() && letter != '\n';
    if text.contains(is_harmful) {
        text = text
            .chars()
            .map(|letter| {
                if is_harmful(letter) {
                    format!("\\u{:04x}", u32::from(letter))
                } else {
                    letter.to_string()
                }
            })
            .collect();
    }
    text
}

/// Reads JSON from other programs; its texts are put on one line. Errors: it is not JSON, or has another form.
pub fn from_text<T: DeserializeOwned>(text: &[u8]) -> Result<T, serde_json::Error> {
    let mut value: Value = serde_json::from_slice(text)?;
    put_on_one_line(&mut value);
    serde_json::from_value(value)
}

fn put_on_one_line(value: &mut Value) {
    match value {
        Value::String(text) if text.contains(char::is_control) => *text = one_line(text),
        Value::Array(values) => values.iter_mut().for_each(put_on_one_line),
        Value::Object(fields) => fields.values_mut().for_each(put_on_one_line),
        _ => {}
    }
}

/// Converts facts to JSON whose zeros have no sign. Errors: a map whose keys are not texts.
pub fn to_value<T: Serialize>(facts: &T) -> Result<Value, serde_json::Error> {
    let mut value = serde_json::to_value(facts)?;
    change_numbers(&mut value, |number| number + 0.0);
    Ok(value)
}

/// Changes all numbers of a floating type; those that would become infinite stay.
fn change_numbers(value: &mut Value, change: fn(f64) -> f64) {
    match value {
        Value::Number(number) if number.is_f64() => {
            *number = number
                .as_f64()
                .and_then(|value| Number::from_f64(change(value)))
                .unwrap_or_else(|| number.clone());
        }
        Value::Array(values) => values.iter_mut().for_each(|value| change_numbers(value, change)),
        Value::Object(fields) => fields.values_mut().for_each(|value| change_numbers(value, change)),
        _ => {}
    }
}

/// Returns the message of a JSON reader, without the position, which is reported separately.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let mut reason = error.to_string();
    reason.truncate(reason.rfind(" at line ").unwrap_or(reason.len()));
    reason
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_have_no_sign_and_numbers_all_their_digits() {
        let text = to_text(&[-0.0, 0.1 + 0.2, -1.0]).unwrap();
        assert_eq!(text, "[\n  0.0,\n  0.30000000000000004,\n  -1.0\n]\n");
        let short = to_short_text(&(-0.0, 1.0 / 3.0, 1e300, 16_777_217)).unwrap();
        assert_eq!(short, "[0.0,0.33333334,1e+300,16777217]\n");
    }

    #[test]
    fn texts_of_others_are_on_one_line() {
        let text = br#"{"a": ["walk\nerror: no", 1.5, {"b": "c\u001b[2J"}]}"#;
        let value: Value = from_text(text).unwrap();
        let wanted = serde_json::json!({"a": ["walk\u{FFFD}error: no", 1.5, {"b": "c\u{FFFD}[2J"}]});
        assert_eq!(value, wanted);
    }

    #[test]
    fn control_characters_are_escaped() {
        let odd = "a\u{1b}\u{7f}\u{9b}\n\u{E4}";
        let text = to_text(&odd).unwrap();
        assert_eq!(text, "\"a\\u001b\\u007f\\u009b\\n\u{E4}\"\n");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), odd);
    }
}
