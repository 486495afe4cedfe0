//! Commands other than `make` over files, folders and patterns: what they say of one file they say of each, in order.

use std::fs;

use crate::harness::{Folder, items, rows, schema::assert_valid, texts};

/// A folder `takes` with three walks, one of them below, and a file that is no take.
fn with_takes() -> Folder {
    let folder = Folder::new();
    fs::create_dir_all(folder.file("takes/later")).unwrap();
    for (index, name) in ["walk", "later/walk", "turn"].into_iter().enumerate() {
        folder.succeed(&format!(
            "synth -o takes/{name}.bvh --seconds 3 --fps 30 --seed {index}"
        ));
        fs::remove_file(folder.file(&format!("takes/{name}.bvh.truth.json"))).unwrap();
    }
    folder
}

#[test]
fn each_file_has_the_answer_that_it_has_alone() {
    let folder = with_takes();
    for command in ["find", "inspect"] {
        let alone =
            ["later/walk", "turn", "walk"].map(|take| folder.succeed(&format!("{command} takes/{take}.bvh")).stdout);
        for names in [
            "takes",
            "takes/walk.bvh takes/turn.bvh takes/later/walk.bvh",
            "takes/**/*.bvh",
        ] {
            for jobs in ["-j1", "-j3"] {
                let all = folder.succeed(&format!("{command} {names} {jobs}"));
                assert_eq!(all.stdout, alone.concat(), "{command} {names}");
            }
        }
        let lines = folder.succeed(&format!("{command} takes --json")).json_lines();
        assert_eq!(lines.len(), 3);
        for (line, take) in lines.iter().zip(["later/walk", "turn", "walk"]) {
            assert_valid(line, command);
            assert_eq!(*line, folder.run(&format!("{command} takes/{take}.bvh --json")).json());
        }
    }
    folder.refuse("find takes --plot a.svg", "--plot is for one file");
}

#[test]
fn a_bad_file_stops_no_other_and_its_status_is_that_of_all() {
    let folder = with_takes();
    folder.succeed("synth -o takes/short.bvh --seconds 0.5 --fps 30");
    let none = folder.run("find takes").ended(1);
    assert_eq!(none.stdout.matches("takes/").count(), 3, "{}", none.stdout);
    folder.write("takes/broken.bvh", "HIERARCHY");
    let bad = folder.fail("find takes missing.bvh --json");
    let lines = bad.json_lines();
    // The missing files, the six files, and the reason why the run failed.
    let kinds = ["error", "error", "find", "find", "find", "find", "error"];
    assert_eq!(lines.len(), kinds.len());
    for (line, kind) in lines.iter().zip(kinds) {
        assert_valid(line, kind);
    }
    bad.says("2 of 6 files failed");
}

#[test]
fn folders_and_patterns_are_listed_and_checked() {
    let folder = with_takes();
    let listed = folder.answer("list takes --json");
    let files = texts(&listed["files"], "file");
    assert_eq!(files, ["takes/later/walk.bvh", "takes/turn.bvh", "takes/walk.bvh"]);
    folder.succeed("make takes -o loops");
    let checked = folder.answer("check loops/w*.bvh loops/later --json");
    let files = texts(&checked["loops"], "file");
    assert_eq!(files, ["loops/walk-loop.bvh", "loops/later/walk-loop.bvh"]);
}

#[test]
fn many_files_are_converted_into_a_folder() {
    let folder = with_takes();
    folder.succeed("make takes -o loops");
    let printed = |arguments: &str| folder.succeed(arguments).stdout.replace('\n', " ");
    assert_eq!(
        printed("convert takes loops/turn-loop.bvh out --to glb"),
        "out/loops/turn-loop.glb out/takes/later/walk.glb out/takes/turn.glb out/takes/walk.glb "
    );
    folder.succeed("convert takes/walk.bvh alone.glb");
    assert!(folder.read("out/takes/walk.glb") == folder.read("alone.glb"));
    // One that differs in its extension alone gets a number, and no input is overwritten.
    folder.copy("alone.glb", "takes/walk.glb");
    let both = printed("convert takes/walk.bvh takes/walk.glb both --to bvh");
    assert_eq!(both, "both/walk.bvh both/walk-2.bvh ");
    folder.runs(
        "
        2 convert takes/walk.bvh takes/walk.glb takes --to glb --force | is one of the inputs
        2 convert takes out.glb
        convert takes/walk.bvh single/ --to fbx
        ",
    );
    assert!(folder.read("takes/walk.glb") == folder.read("alone.glb"));
    assert!(folder.has("out/loops/turn-loop.glb.json single/walk.fbx"));
}

#[test]
fn catalogs_are_asked() {
    let folder = with_takes();
    folder.succeed("synth -o takes/left.bvh --seconds 4 --fps 30 --turn-rate 40 --speed 1.0");
    folder.succeed("make takes -o loops --catalog all.jsonl --set take.licence=CC0");
    let found = |arguments: &str| {
        let answer = folder.run(&format!("catalog {arguments} --json"));
        let document = answer.json();
        assert_valid(&document, "catalog");
        let is_empty = items(&document["rows"]).next().is_none();
        assert_eq!(answer.status, i32::from(is_empty), "{arguments}");
        document["rows"].clone()
    };
    let all = found("all.jsonl");
    for row in items(&all) {
        let sidecar = folder.json(&format!("{}.json", row["output"].as_str().unwrap()));
        for [column, key] in rows(
            "
            take_sha256     | take/file_sha256
            recipe_sha256   | recipe_sha256
            licence         | take/licence
            speed_mps       | root_motion/speed_mps
            turn_rate_dps   | root_motion/turn_rate_dps
            angular_y_radps | root_motion/angular_velocity_radps/1
            foot_slide_cmps | quality/foot_slide_cmps
            grade           | quality/grade
            period_secs     | candidate/period_secs
            ",
        ) {
            let stated = sidecar.pointer(&format!("/{key}"));
            assert_eq!(Some(&row[column]), stated, "{column}");
        }
        assert_eq!(row["licence"], "CC0");
        assert_eq!(row["skeleton_sha256"], all[0]["skeleton_sha256"]);
    }
    // Through every format, and of several catalogs.
    folder.runs("catalog all.jsonl -o all.csv\ncatalog all.csv -o again.jsonl");
    assert_eq!(found("again.jsonl"), all);
    for [arguments, count] in rows(
        "
        all.jsonl                                                                           | 4
        all.jsonl --kind run                                                                | 0
        all.jsonl --kind walk,run --grade good --speed 0.5:2 --max-foot-slide 1000          | 3
        all.jsonl --path */later/*                                                          | 1
        all.jsonl --licence cc0 --top 2                                                     | 2
        all.jsonl --skeleton-of takes/left.bvh                                              | 4
        all.csv all.jsonl                                                                   | 8
        ",
    ) {
        assert_eq!(items(&found(arguments)).len().to_string(), count, "{arguments}");
    }
    let turning = found("all.jsonl --turn-rate 30:");
    assert_eq!(texts(&turning, "path"), ["takes/left.bvh"]);
    assert_eq!(texts(&turning, "kind"), ["turning_walk"]);
    let speeds = found("all.jsonl --sort speed");
    assert!(items(&speeds).map(|row| row["speed_mps"].as_f64()).is_sorted());
    folder.write("none.jsonl", "PAR1");
    for (arguments, message) in [
        ("catalog none.jsonl", "cannot read \"none.jsonl\""),
        ("catalog all.bvh", "all.csv"),
        #[cfg(not(feature = "parquet"))]
        ("catalog all.csv -o all.parquet", "a build with --features parquet"),
        ("catalog takes/walk.bvh", "is not named like a catalog"),
        ("catalog all.csv -o all.csv --force", "is the catalog itself"),
        ("catalog all.csv --skeleton-of x", "no row of the catalogs"),
    ] {
        folder.refuse(arguments, message);
    }
}
