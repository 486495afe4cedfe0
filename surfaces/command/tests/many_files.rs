//! Commands other than `make` over files, folders and patterns: what they say of one file they say of each, in order.

use std::fs;

use crate::harness::{Folder, items, schema::assert_valid};

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
        let alone: Vec<String> = ["takes/later/walk.bvh", "takes/turn.bvh", "takes/walk.bvh"]
            .map(|take| folder.succeed(&format!("{command} {take}")).stdout)
            .to_vec();
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
    // What is missing, the six files, and why the run failed.
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
    let files: Vec<&str> = items(&listed["files"])
        .map(|file| file["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["takes/later/walk.bvh", "takes/turn.bvh", "takes/walk.bvh"]);
    folder.succeed("make takes -o loops");
    let checked = folder.answer("check loops/w*.bvh loops/later --json");
    let files: Vec<&str> = items(&checked["loops"])
        .map(|one| one["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["loops/walk-loop.bvh", "loops/later/walk-loop.bvh"]);
}

#[test]
fn many_files_are_converted_into_a_folder() {
    let folder = with_takes();
    folder.succeed("make takes -o loops");
    let answer = folder.succeed("convert takes loops/turn-loop.bvh out --to glb");
    let made = [
        "out/loops/turn-loop.glb",
        "out/takes/later/walk.glb",
        "out/takes/turn.glb",
        "out/takes/walk.glb",
    ];
    assert_eq!(answer.stdout.lines().collect::<Vec<_>>(), made);
    assert!(folder.file("out/loops/turn-loop.glb.json").is_file());
    folder.succeed("convert takes/walk.bvh alone.glb");
    assert!(folder.read("out/takes/walk.glb") == folder.read("alone.glb"));
    // One that differs in its extension alone gets a number, and no input is overwritten.
    folder.copy("alone.glb", "takes/walk.glb");
    let answer = folder.succeed("convert takes/walk.bvh takes/walk.glb both --to bvh");
    assert_eq!(answer.stdout, "both/walk.bvh\nboth/walk-2.bvh\n");
    let before = folder.read("takes/walk.glb");
    let refused = folder.fail("convert takes/walk.bvh takes/walk.glb takes --to glb --force");
    refused.says("is one of the inputs");
    assert!(folder.read("takes/walk.glb") == before);
    folder.fail("convert takes out.glb");
    // A single one into a folder.
    folder.succeed("convert takes/walk.bvh single/ --to fbx");
    assert!(folder.file("single/walk.fbx").is_file());
}

#[test]
fn catalogs_are_asked() {
    let folder = with_takes();
    folder.succeed("synth -o takes/left.bvh --seconds 4 --fps 30 --turn-rate 40 --speed 1.0");
    folder.succeed("make takes -o loops --catalog all.jsonl --set take.licence=CC0");
    let rows = |arguments: &str| {
        let answer = folder.run(&format!("catalog {arguments} --json"));
        let document = answer.json();
        assert_valid(&document, "catalog");
        let rows = document["rows"].as_array().unwrap().clone();
        assert_eq!(answer.status, i32::from(rows.is_empty()), "{arguments}");
        rows
    };
    let all = rows("all.jsonl");
    assert_eq!(all.len(), 4);
    for row in &all {
        let sidecar = folder.json(&format!("{}.json", row["output"].as_str().unwrap()));
        assert_eq!(row["take_sha256"], sidecar["take"]["file_sha256"]);
        assert_eq!(row["recipe_sha256"], sidecar["recipe_sha256"]);
        assert_eq!(
            (&row["licence"], &sidecar["take"]["licence"]),
            (&"CC0".into(), &"CC0".into())
        );
        for (column, section) in [
            ("speed_mps", "root_motion"),
            ("turn_rate_dps", "root_motion"),
            ("foot_slide_cmps", "quality"),
            ("grade", "quality"),
            ("period_secs", "candidate"),
        ] {
            assert_eq!(row[column], sidecar[section][column], "{column}");
        }
        assert_eq!(
            row["angular_y_radps"],
            sidecar["root_motion"]["angular_velocity_radps"][1]
        );
        assert_eq!(row["skeleton_sha256"], all[0]["skeleton_sha256"]);
    }
    let turning = rows("all.jsonl --turn-rate 30:");
    assert_eq!(turning.len(), 1);
    assert_eq!(turning[0]["path"], "takes/left.bvh");
    assert_eq!(rows("all.jsonl --kind run").len(), 0);
    assert_eq!(turning[0]["kind"], "turning_walk");
    assert_eq!(
        rows("all.jsonl --kind walk,run --grade good --speed 0.5:2 --max-foot-slide 1000").len(),
        3
    );
    assert_eq!(rows("all.jsonl --path */later/*").len(), 1);
    assert_eq!(rows("all.jsonl --licence cc0 --top 2").len(), 2);
    assert_eq!(rows("all.jsonl --skeleton-of takes/left.bvh").len(), 4);
    let speeds: Vec<f64> = (rows("all.jsonl --sort speed").iter())
        .map(|row| row["speed_mps"].as_f64().unwrap())
        .collect();
    assert!(speeds.is_sorted());
    // Through every format, and of several catalogs.
    folder.succeed("catalog all.jsonl -o all.csv");
    folder.succeed("catalog all.csv -o again.jsonl");
    assert_eq!(rows("again.jsonl"), all);
    assert_eq!(rows("all.csv all.jsonl").len(), 8);
    folder.write("none.jsonl", "PAR1");
    for (arguments, message) in [
        ("catalog none.jsonl", "cannot read \"none.jsonl\""),
        ("catalog all.bvh", "check the path"),
        #[cfg(not(feature = "parquet"))]
        ("catalog all.csv -o all.parquet", "a build with --features parquet"),
        ("catalog takes/walk.bvh", "is not named like a catalog"),
        ("catalog all.csv -o all.csv --force", "is the catalog itself"),
        ("catalog all.csv --skeleton-of x", "no row of the catalogs"),
    ] {
        folder.refuse(arguments, message);
    }
}
