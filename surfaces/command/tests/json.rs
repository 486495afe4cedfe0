//! Every JSON document is valid under docs/formats/loopwright.schema.json, also from commands that fail.

use serde_json::Value;

use crate::harness::schema::{assert_valid, resolve, schema};
use crate::harness::{Folder, items};

impl Folder {
    /// The document that a command printed; asserts its kind, and success.
    fn valid(&self, arguments: &str, kind: &str) -> Value {
        self.valid_with(0, arguments, kind)
    }

    /// The same of a command that ends with this status.
    fn valid_with(&self, status: i32, arguments: &str, kind: &str) -> Value {
        let answer = self.run(&format!("{arguments} --json")).ended(status);
        let document = answer.json();
        assert_valid(&document, kind);
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(keys[..2], ["format", "version"], "{arguments}");
        if let Some(error) = document.get("error") {
            assert_eq!(error["exit_status"], status, "{arguments}");
            answer.says(error["message"].as_str().unwrap());
        } else {
            assert_ne!(status, 2, "{arguments}");
        }
        let has_minus = ["-0.0,", "-0.0\n"].iter().any(|zero| answer.stdout.contains(zero));
        assert!(!has_minus, "{arguments}");
        document
    }

    /// The written files that a document names; asserts that they exist.
    fn outputs(&self, document: &Value) -> Vec<String> {
        let names = items(&document["outputs"]);
        let names: Vec<String> = names.map(|name| name.as_str().unwrap().to_owned()).collect();
        for name in &names {
            assert!(self.file(name).is_file(), "{name}");
        }
        names
    }
}

#[test]
fn what_commands_answer_about_takes_is_as_described() {
    let folder = Folder::with_walk();
    let synth = folder.valid("synth -o slow.bvh --seconds 3 --fps 15 --seed 9 --force", "synth");
    assert_eq!(folder.outputs(&synth), ["slow.bvh", "slow.bvh.truth.json"]);
    assert_eq!(synth["take"]["fps"], 15.0);
    assert_eq!(synth["take"]["frames"], 46);
    let inspect = folder.valid("inspect walk.bvh --plot inspect.svg", "inspect");
    assert_eq!(folder.outputs(&inspect), ["inspect.svg"]);
    let find = folder.valid("find walk.bvh --plot find.svg", "find");
    assert_eq!(folder.outputs(&find), ["find.svg"]);
    let best = &find["candidates"][0];
    assert_eq!((&best["segment"], &best["grade"]), (&"walk".into(), &"good".into()));
    assert!(best["versions"].as_u64() > Some(1) && find["segments"][0]["rank"] == 1);
    let shifted = folder.valid("find walk.bvh --set search.shifted=true", "find");
    folder.succeed("synth -o run.bvh --seconds 2 --period 0.6 --speed 3.5");
    let like = folder.valid("find walk.bvh --like walk.bvh:40:72 --like run.bvh", "like");
    assert_eq!(like["occurrences"][0]["start_frame"], 40);
    assert_eq!(
        (
            &like["sought"][1]["occurrences"],
            &like["sought"][1]["nearest"]["sought"]
        ),
        (&0.into(), &1.into())
    );
    let unlike = folder.valid_with(1, "find walk.bvh --like run.bvh", "like");
    assert!(unlike["sought"][0]["nearest"]["cost_ratio"].as_f64() > Some(0.4));
    assert!(shifted["candidates"][0]["versions"].is_null() && shifted["segments"].is_null());
    let convert = folder.valid("convert walk.bvh walk.glb --mirror", "convert");
    assert_eq!(folder.outputs(&convert), ["walk.glb"]);
    assert_eq!(convert["is_loop"], false);
    assert_eq!(convert["mirrored"], true);
    let retarget = folder.valid("retarget walk.bvh --rig slow.bvh -o moved.glb", "retarget");
    assert_eq!(folder.outputs(&retarget), ["moved.glb"]);
    assert_eq!(retarget["is_loop"], false);
    assert_eq!(retarget["take"]["rig"]["coverage"], 1.0);
    let fit = folder.valid_with(1, "fit walk.bvh slow.bvh --toml fit.toml", "fit");
    assert_eq!(folder.outputs(&fit), ["fit.toml"]);
    folder.write("splits.csv", "distance,time\n10,2\n20,3\n30,4\n40,5\n");
    let table = folder.valid("fit --profile splits.csv", "fit");
    assert!(table["profile"]["rows"][3]["fitted_distance_m"].is_number() && table["profile"]["error_mps"].is_null());
    let numbers = folder.valid("fit --speed 5 --half-life 0.2", "fit");
    assert!(numbers["velocity"]["acceleration_mps2"].is_number() && numbers["takes"] == Value::Array(vec![]));
    let sheet = folder.valid("render walk.bvh -o sheet.png --size 16x16 --every 40", "render");
    assert_eq!(folder.outputs(&sheet), ["sheet.png"]);
    let pair = folder.valid("cost walk.bvh:3 walk.bvh:40", "cost");
    assert!(pair["pair"].is_object() && pair["table"].is_null());
    let table = folder.valid("cost walk.bvh walk.bvh --plot cost.svg", "cost");
    assert!(table["pair"].is_null() && table["table"].is_object());
    assert_eq!(folder.outputs(&table), ["cost.svg"]);
    folder.copy("walk.bvh", "again.bvh");
    let among = folder.valid("cost walk.bvh slow.bvh again.bvh", "cost");
    assert!(among["left"].is_null() && among["among"].is_object());
    // Starts and stops give events of both kinds.
    folder.succeed("synth -o start.bvh --seconds 6 --fps 30 --lead-in 2 --turn-rate 20");
    let start = folder.run("fit start.bvh --json").json();
    assert_valid(&start, "fit");
}

#[test]
fn loops_and_what_is_answered_about_them_are_as_described() {
    let folder = Folder::with_walk();
    let make = folder.valid(
        "make walk.bvh -o loop.bvh --plot loop.svg --save-recipe loop.toml",
        "loop",
    );
    assert_eq!(
        folder.outputs(&make),
        ["loop.bvh", "loop.bvh.json", "loop.svg", "loop.toml"]
    );
    assert_eq!(make, folder.json("loop.bvh.json"));
    assert_eq!(make["quality"]["grade"], "good");
    folder.valid("make walk.bvh -o auto.fbx --closure auto --for unity", "loop");
    folder.valid("make walk.bvh -o path.glb --root-motion path --for godot", "loop");
    folder.valid(
        "close walk.bvh --range 20:54.5 -o full.glb --set output.root-space=full --for unreal",
        "loop",
    );
    folder.write(
        "edits.toml",
        "[[edit]]\nkind = \"move\"\njoint = \"Head\"\nrotation = [5, 0, 0]\n[[edit]]\nkind = \"smooth\"\ndeviation = 0.02\n",
    );
    let edited = folder.valid("make walk.bvh -o edited.bvh --recipe edits.toml --set edit=offset:Head:5,0,0 --set edit=noise:1 --set edit=aim:20", "loop");
    let kinds: Vec<&Value> = items(&edited["edits"]).map(|edit| &edit["kind"]).collect();
    assert_eq!(kinds, ["move", "smooth", "offset", "noise", "aim"]);
    folder.valid("make walk.bvh -o other.bvh --set search.shifted=true --pick 2", "loop");
    let popping = folder.valid_with(
        1,
        "close walk.bvh --range 20:54.5 -o pops.bvh --set joint=*:open",
        "loop",
    );
    assert_eq!(popping["quality"]["grade"], "bad");
    let reason = popping["quality"]["reason"].as_str().unwrap();
    let is_right = reason.starts_with(popping["quality"]["seam_joint"].as_str().unwrap());
    assert!(is_right, "{reason}");
    let blend = folder.valid("blend loop.bvh other.bvh -o blend.bvh", "loop");
    assert!(blend["blend"].is_object());
    let convert = folder.valid("convert loop.bvh copy.glb", "convert");
    assert_eq!(folder.outputs(&convert), ["copy.glb", "copy.glb.json"]);
    for name in ["auto.fbx", "path.glb", "full.glb", "pops.bvh", "blend.bvh", "copy.glb"] {
        assert_valid(&folder.json(&format!("{name}.json")), "loop");
    }
    let played = folder.valid("play loop.bvh other.bvh -o played.bvh --seconds 6", "play");
    assert_eq!(folder.outputs(&played), ["played.bvh"]);
    let exits = items(&played["played"]).map(|one| &one["exit_secs"]);
    let is_left: Vec<bool> = exits.map(Value::is_f64).collect();
    assert!(is_left.len() > 1);
    assert!(is_left.iter().rev().skip(1).all(|&left| left) && !is_left[is_left.len() - 1]);
    folder.valid("render loop.bvh -o onion.png --onion --size 16x16", "render");
    folder.valid("cost loop.bvh other.bvh", "cost");

    let checked = folder.valid_with(
        1,
        "check loop.bvh pops.bvh --max-foot-slide 0.001 --take walk.bvh",
        "check",
    );
    let verdicts = [0, 1].map(|index| &checked["loops"][index]);
    let words = verdicts.map(|one| [&one["grade"], &one["quality"]["grade"]]);
    assert_eq!(words, [["good", "good"], ["bad", "bad"]]);
}

#[test]
fn the_demo_answers_with_what_find_and_make_say() {
    let folder = Folder::new();
    let demo = folder.valid("demo -o here", "demo");
    assert_eq!(folder.outputs(&demo).len(), 5);
    assert_eq!(demo["loop"], folder.json("here/walk-loop.bvh.json"));
}

#[test]
fn commands_that_fail_answer_with_one_document_all_the_same() {
    let folder = Folder::with_walk();
    folder.write("broken.bvh", "HIERARCHY ROOT");
    folder.succeed("synth -o short.bvh --seconds 0.6 --fps 30");
    // The facts known before the error stand beside it.
    let none = folder.valid_with(1, "find short.bvh", "find");
    assert_eq!(
        (&none["candidates"], &none["take"]["frames"]),
        (&Value::Array(vec![]), &19.into())
    );
    let none = folder.valid_with(1, "make short.bvh", "error");
    assert_eq!(none["take"]["frames"], 19);
    let checked = folder.valid_with(2, "check broken.bvh", "check");
    assert!(
        checked["loops"][0]["error"]["message"]
            .as_str()
            .unwrap()
            .contains("line 1")
    );
    let fitted = folder.valid_with(2, "fit walk.bvh broken.bvh", "fit");
    assert_eq!(fitted["takes"][1]["outcome"], "error");
    // Nothing is known of a file that cannot be read.
    for arguments in [
        "inspect broken.bvh",
        "find broken.bvh",
        "make broken.bvh",
        "close missing.bvh --range 1:20",
        "blend missing.bvh -o out.bvh",
        "play missing.bvh -o out.bvh",
        "cost missing.bvh walk.bvh",
        "convert broken.bvh out.glb",
        "render broken.bvh -o out.png",
        "synth -o walk.bvh",
        "synth -o other.bvh --speed 99",
        "fit --speed 5",
        "demo -o walk.bvh",
        "make walk.bvh -o out.obj",
        "find walk.bvh --within 9:2",
        // Invalid command lines.
        "make walk.bvh --no-such-flag",
        "find",
        "fly walk.bvh",
        "make walk.bvh --closure glue",
    ] {
        let failed = folder.valid_with(2, arguments, "error");
        assert_eq!(folder.outputs(&failed), Vec::<String>::new());
    }
    // Without --json there is no JSON, and help is no failure.
    assert_eq!(folder.run("find broken.bvh").stdout, "");
    assert_eq!(folder.run("find -- --json").stdout, "");
    folder.succeed("find --json --help").shows("--json");
}

/// The schema alone gives the meaning of every key, and its unit if it has one.
#[test]
fn every_key_is_described_with_its_unit() {
    let schema = schema();
    let mut count = 0;
    let mut waiting = vec![("schema".to_owned(), &schema)];
    while let Some((path, part)) = waiting.pop() {
        if let Some(properties) = part.get("properties").and_then(Value::as_object) {
            for (key, rules) in properties {
                let described = match (rules.get("description"), rules.get("$ref")) {
                    (None, Some(reference)) => resolve(&schema, reference),
                    _ => rules,
                };
                let text = described["description"].as_str().unwrap_or_default();
                assert!(text.ends_with('.') && text.len() > 5, "{path}.{key}: {text:?}");
                let numbers = described["type"].to_string();
                if numbers.contains("number") {
                    assert_eq!(described["unit"].as_str(), unit_of(key), "{path}.{key}");
                }
                count += 1;
            }
        }
        match part {
            Value::Object(fields) => waiting.extend(fields.iter().map(|(key, part)| (format!("{path}/{key}"), part))),
            Value::Array(parts) => waiting.extend(parts.iter().map(|part| (path.clone(), part))),
            _ => {}
        }
    }
    assert!(count > 250, "{count}");
}

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
        ("fps", "Hz"),
        ("_mm", "mm"),
        ("_m", "m"),
        ("_percent", "%"),
        ("_px", "px"),
    ];
    let unit = units.into_iter().find(|(end, _)| key.ends_with(end));
    unit.map(|(_, unit)| unit)
}
