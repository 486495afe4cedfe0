//! Schemas of JSON that is written, derived from its types.

mod schema;
mod words;

use serde_json::Value;

use self::schema::{ANSWERS, Definitions, assert_current, put};
pub(crate) use self::words::{optional_word, word};
use crate::{
    loop_file::{AnimationFacts, Sidecar},
    set::{Manifest, PassageFacts},
};

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

#[test]
fn the_schema_of_sets_is_that_of_the_manifest() {
    assert_current("set.schema.json", |schema| {
        let mut definitions = Definitions::new();
        let manifest = definitions.add::<Manifest>("").take();
        let mut parts = definitions.finish();
        parts.retain(|name, _| !name.is_empty());
        for (rule, value) in manifest.as_object().unwrap() {
            schema[rule] = value.clone();
        }
        schema["$defs"] = parts.into();
    });
}

#[test]
fn the_schema_of_answers_defines_loops_and_passages_as_their_types_do() {
    assert_current(ANSWERS, |answers| {
        let mut definitions = Definitions::new();
        definitions.add::<Sidecar>("loopwright-loop");
        definitions.add::<PassageFacts>("passage");
        definitions.add::<AnimationFacts>("animation");
        let mut parts = definitions.finish();
        for (name, keys) in NOT_ALWAYS {
            if let Some(Value::Array(required)) = parts[name].get_mut("required") {
                required.retain(|key| !keys.iter().any(|absent| key == absent));
            }
        }
        put(answers, parts);
    });
}
