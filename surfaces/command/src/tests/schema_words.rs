//! Stand-ins for field types in the schema of answers: enumerations of words, and types of other crates, whose tests maintain their
//! definitions.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};

#[path = "../../../../crates/loops/formats/src/tests/schema.rs"]
pub mod schema;
#[path = "../../../../crates/loops/formats/src/tests/words.rs"]
mod words;

use self::schema::{ANSWERS, tracked};
pub(crate) use self::words::{optional_word, word};

/// Types of other crates, whose tests maintain their definitions.
macro_rules! kept {
    ($($Type:ident: $name:literal),+ $(,)?) => {
        pub const KEPT: &[&str] = &[$($name),+];

        $(
            pub enum $Type {}

            impl JsonSchema for $Type {
                fn schema_name() -> Cow<'static, str> {
                    $name.into()
                }

                fn json_schema(_: &mut SchemaGenerator) -> Schema {
                    tracked(ANSWERS)["$defs"][$name].take().try_into().unwrap()
                }
            }
        )+
    };
}

kept! {
    Animation: "animation",
    Blend: "blend",
    Candidate: "candidate",
    CatalogRow: "catalog_row",
    Check: "check",
    ClipKind: "clip_kind",
    Contact: "contact",
    Loop: "loopwright-loop",
    Passage: "passage",
    PeriodicLoop: "periodic_loop",
    Quality: "quality",
    RootMotion: "root_motion",
    Take: "take",
    Time: "time",
}
