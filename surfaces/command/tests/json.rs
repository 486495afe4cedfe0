//! Every JSON document is valid under docs/formats/loopwright.schema.json, also from commands that fail.

use serde_json::Value;

use crate::harness::{
    Folder, holds, items, lines, rows,
    schema::{assert_valid, resolve, schema},
    texts,
};

impl Folder {
    /// The document that a command printed; asserts its kind, and success.
    fn valid(&self, arguments: &str, kind: &str) -> Value {
        self.valid_with(0, arguments, kind)
    }

    /// Returns the valid answer of a command that ends with this status.
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

    /// Asserts that these are the written files that a document names, with spaces between them, and that they exist.
    fn wrote(&self, document: &Value, files: &str) {
        let names: Vec<&str> = items(&document["outputs"]).filter_map(Value::as_str).collect();
        assert_eq!(names.join(" "), files);
        assert!(files.is_empty() || self.has(files), "{files}");
    }
}

#[test]
fn what_commands_answer_about_takes_is_as_described() {
    let folder = Folder::with_walk();
    folder.runs(
        "
        synth -o run.bvh --seconds 2 --period 0.6 --speed 3.5
        convert walk.bvh again.bvh
        synth -o start.bvh --seconds 6 --fps 30 --lead-in 2 --turn-rate 20
        ",
    );
    folder.write("splits.csv", "distance,time\n10,2\n20,3\n30,4\n40,5\n");
    // Starts and stops give events of both kinds.
    assert_valid(&folder.run("fit start.bvh --json").json(), "fit");
    for [status, arguments, kind, outputs, facts] in rows(
        "
        0 | synth -o slow.bvh --seconds 3 --fps 15 --seed 9         | synth    | slow.bvh slow.bvh.truth.json | take/fps = 15; take/frames = 46
        0 | inspect walk.bvh --plot inspect.svg                     | inspect  | inspect.svg                  | take/frames = 121
        0 | find walk.bvh --plot find.svg                           | find     | find.svg                     | candidates/0/segment = walk; candidates/0/grade = good; candidates/0/versions > 1; segments/0/rank = 1
        0 | find walk.bvh --set search.shifted=true                 | find     |                              | candidates/0/versions = null; segments = null
        0 | find walk.bvh --like walk.bvh:40:72 --like run.bvh      | like     |                              | occurrences/0/start_frame = 40; sought/1/occurrences = 0; sought/1/nearest/sought = 1
        1 | find walk.bvh --like run.bvh                            | like     |                              | sought/0/nearest/cost_ratio > 0.4
        0 | convert walk.bvh walk.glb --mirror                      | convert  | walk.glb                     | is_loop = false; mirrored = true
        0 | retarget walk.bvh --rig slow.bvh -o moved.glb           | retarget | moved.glb                    | is_loop = false; take/rig/coverage = 1
        1 | fit walk.bvh slow.bvh --toml fit.toml                   | fit      | fit.toml                     | takes/1 != null
        0 | fit --profile splits.csv                                | fit      |                              | profile/rows/3/fitted_distance_m > 0; profile/error_mps = null
        0 | fit --speed 5 --half-life 0.2                           | fit      |                              | velocity/acceleration_mps2 > 0; takes = []
        0 | render walk.bvh -o sheet.png --size 16x16 --every 40    | render   | sheet.png                    | kind = contact sheet
        0 | cost walk.bvh:3 walk.bvh:40                             | cost     |                              | pair != null; table = null
        0 | cost walk.bvh walk.bvh --plot cost.svg                  | cost     | cost.svg                     | pair = null; table != null
        0 | cost walk.bvh slow.bvh again.bvh                        | cost     |                              | left = null; among != null
        ",
    ) {
        let document = folder.valid_with(status.parse().unwrap(), arguments, kind);
        folder.wrote(&document, outputs);
        holds(&document, facts);
    }
}

#[test]
fn loops_and_what_is_answered_about_them_are_as_described() {
    let folder = Folder::with_walk();
    folder.write(
        "edits.toml",
        "[[edit]]\nkind = \"move\"\njoint = \"Head\"\nrotation = [5, 0, 0]\n[[edit]]\nkind = \"smooth\"\ndeviation = 0.02\n",
    );
    for [status, arguments, more, facts] in rows(
        "
        0 | make walk.bvh -o loop.bvh --plot loop.svg --save-recipe loop.toml   | loop.svg loop.toml | quality/grade = good
        0 | make walk.bvh -o auto.fbx --closure auto --for unity                |  | target/name = unity
        0 | make walk.bvh -o path.glb --root-motion path --for godot            |  | root_motion/mode = path
        0 | close walk.bvh --range 20:54.5 -o full.glb --set output.root-space=full --for unreal |  | root_motion/space = full
        0 | make walk.bvh -o edited.bvh --recipe edits.toml --set edit=offset:Head:5,0,0 --set edit=noise:1 --set edit=aim:20 |  | edits/0/kind = move; edits/1/kind = smooth; edits/2/kind = offset; edits/3/kind = noise; edits/4/kind = aim
        0 | make walk.bvh -o other.bvh --set search.shifted=true --pick 2       |  | candidate/cycles = 1
        1 | close walk.bvh --range 20:54.5 -o pops.bvh --set joint=*:open       |  | quality/grade = bad
        0 | blend loop.bvh other.bvh -o blend.bvh                               |  | blend != null
        ",
    ) {
        let document = folder.valid_with(status.parse().unwrap(), arguments, "loop");
        let file = arguments.split(' ').skip_while(|word| *word != "-o").nth(1).unwrap();
        folder.wrote(&document, format!("{file} {file}.json {more}").trim());
        assert_eq!(document, folder.json(&format!("{file}.json")));
        holds(&document, facts);
    }
    let popping = folder.json("pops.bvh.json")["quality"].clone();
    let [reason, joint] = ["reason", "seam_joint"].map(|key| popping[key].as_str().unwrap());
    assert!(reason.starts_with(joint), "{reason}");
    let convert = folder.valid("convert loop.bvh copy.glb", "convert");
    folder.wrote(&convert, "copy.glb copy.glb.json");
    assert_valid(&folder.json("copy.glb.json"), "loop");
    let played = folder.valid("play loop.bvh other.bvh -o played.bvh --seconds 6", "play");
    folder.wrote(&played, "played.bvh");
    let mut exits: Vec<bool> = items(&played["played"]).map(|one| one["exit_secs"].is_f64()).collect();
    assert!(exits.len() > 1 && exits.pop() == Some(false) && !exits.contains(&false));
    folder.valid("render loop.bvh -o onion.png --onion --size 16x16", "render");
    folder.valid("cost loop.bvh other.bvh", "cost");
    let check = "check loop.bvh pops.bvh --max-foot-slide 0.001 --take walk.bvh";
    let checked = folder.valid_with(1, check, "check");
    assert_eq!(texts(&checked["loops"], "grade"), ["good", "bad"]);
    let demo = folder.valid("demo -o here", "demo");
    assert_eq!(items(&demo["outputs"]).len(), 5);
    assert_eq!(demo["loop"], folder.json("here/walk-loop.bvh.json"));
}

#[test]
fn commands_that_fail_answer_with_one_document_all_the_same() {
    let folder = Folder::with_walk();
    folder.write("broken.bvh", "HIERARCHY ROOT");
    folder.succeed("synth -o short.bvh --seconds 0.6 --fps 30");
    // The facts known before the error stand beside it.
    for [status, arguments, kind, facts] in rows(
        "
        1 | find short.bvh              | find  | candidates = []; take/frames = 19
        1 | make short.bvh              | error | take/frames = 19
        2 | check broken.bvh            | check | loops/0/grade = error; loops/0/error != null
        2 | fit walk.bvh broken.bvh     | fit   | takes/1/outcome = error
        ",
    ) {
        let document = folder.valid_with(status.parse().unwrap(), arguments, kind);
        holds(&document, facts);
    }
    // Nothing is known of a file that cannot be read; the last are invalid command lines.
    for arguments in lines(
        "
        inspect broken.bvh
        find broken.bvh
        make broken.bvh
        close missing.bvh --range 1:20
        blend missing.bvh -o out.bvh
        play missing.bvh -o out.bvh
        cost missing.bvh walk.bvh
        convert broken.bvh out.glb
        render broken.bvh -o out.png
        synth -o walk.bvh
        synth -o other.bvh --speed 99
        fit --speed 5
        demo -o walk.bvh
        make walk.bvh -o out.obj
        find walk.bvh --within 9:2
        make walk.bvh --no-such-flag
        find
        fly walk.bvh
        make walk.bvh --closure glue
        ",
    ) {
        let failed = folder.valid_with(2, arguments, "error");
        folder.wrote(&failed, "");
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
    let units = "_metre_secs m s|_spm steps/min|_radps rad/s|_mmps mm/s|_cmps cm/s|_mps2 m/s²|_mps m/s|_dps deg/s|_deg deg|_secs s|_hz Hz|fps Hz|_mm mm|_m m|_percent %|_px px";
    let mut units = units.split('|').map(|unit| unit.split_once(' ').unwrap());
    units.find(|(end, _)| key.ends_with(end)).map(|(_, unit)| unit)
}
