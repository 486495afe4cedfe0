//! Compares the schema of answers with their types.

use schemars::JsonSchema;
use serde_json::Value;

use super::{check, failure, find, fit, inspect, json, json::Document, listen, make_many, page};
use crate::{
    commands::{
        catalog, convert, cost, cut, demo, like, list, matching, play, render, retarget, spec::SpecAnswer, synth,
    },
    schema_words::{
        KEPT, Passage,
        schema::{ANSWERS, Definitions, assert_current, put},
    },
};

/// Adds the document of a kind with these facts.
fn add<'d, T: JsonSchema>(definitions: &'d mut Definitions, kind: &str) -> &'d mut Value {
    let format = format!("loopwright-{kind}");
    let document = definitions.add::<Document<'static, T>>(&format);
    document["properties"]["format"]["const"] = format.into();
    document
}

/// Removes definitions that nothing refers to, and returns whether there were any.
fn forget_unused(answers: &mut Value) -> bool {
    let text = answers.to_string();
    let definitions = answers["$defs"].as_object_mut().unwrap();
    let count = definitions.len();
    definitions.retain(|name, _| text.contains(&format!("\"#/$defs/{name}\"")));
    definitions.len() < count
}

#[test]
fn the_schema_of_answers_is_that_of_their_types() {
    assert_current(ANSWERS, |answers| {
        let mut all = Definitions::new();
        add::<catalog::CatalogAnswer>(&mut all, "catalog");
        add::<check::CheckAnswer>(&mut all, "check");
        add::<convert::ConvertAnswer>(&mut all, "convert");
        add::<cost::CostAnswer>(&mut all, "cost");
        add::<cut::CutAnswer>(&mut all, "cut");
        add::<demo::DemoAnswer>(&mut all, "demo");
        let failed = add::<failure::FailureAnswer>(&mut all, "error");
        failed["required"].as_array_mut().unwrap().push("error".into());
        add::<find::FindAnswer>(&mut all, "find");
        add::<fit::FitAnswer>(&mut all, "fit");
        add::<inspect::InspectAnswer>(&mut all, "inspect");
        add::<json::PackAnswer>(&mut all, "loops");
        add::<like::LikeAnswer>(&mut all, "like");
        add::<list::ListAnswer>(&mut all, "list");
        add::<listen::ListenAnswer>(&mut all, "listen");
        add::<make_many::BatchFacts>(&mut all, "batch");
        add::<make_many::ResultFacts>(&mut all, "result");
        add::<matching::build::BuildAnswer>(&mut all, "match-build");
        add::<matching::export::ExportAnswer>(&mut all, "match-export");
        add::<matching::InspectAnswer>(&mut all, "match-inspect");
        add::<matching::query::QueryAnswer>(&mut all, "match-query");
        add::<matching::walk::WalkAnswer>(&mut all, "match-walk");
        add::<page::ReportAnswer>(&mut all, "report");
        add::<Passage>(&mut all, "passage");
        add::<play::PlayAnswer>(&mut all, "play");
        add::<render::RenderAnswer>(&mut all, "render");
        add::<retarget::RetargetAnswer>(&mut all, "retarget");
        add::<SpecAnswer>(&mut all, "spec");
        add::<synth::SynthAnswer>(&mut all, "synth");
        all.add::<listen::LiveLoop>("loopwright-live");
        let derived = all.finish().into_iter();
        put(answers, derived.filter(|(name, _)| !KEPT.contains(&name.as_str())));
        while forget_unused(answers) {}
        // Without a loop or a passage, the command answers with the document of an error instead.
        for name in ["loopwright-listen", "loopwright-passage"] {
            let keys = answers["$defs"][name]["properties"].as_object_mut().unwrap();
            keys.retain(|key, _| key != "error");
        }
    });
}
