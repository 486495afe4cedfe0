//! `loopwright.toml`: flags of a folder, found upwards from the input, for every command.

use crate::harness::{Folder, holds, rows};

#[test]
fn flags_come_from_the_folder_of_the_input_or_above_and_what_is_typed_counts_more() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.make_folder("takes/deep");
    folder.copy("walk.bvh", "takes/deep/walk.bvh");
    folder.write(
        "takes/loopwright.toml",
        "[all]\nunit = \"in\"\n[make]\nroot-motion = \"in-place\"\nset = [\"joint=Head:spring:0.1\"]\n[find]\ntop = 1\n",
    );
    // Typed, it is what it would be without the file, which is not for what lies elsewhere.
    folder.runs(
        "
        make takes/deep/walk.bvh -o a.bvh                                           | with the settings of
        make takes/deep/walk.bvh -o b.bvh --root-motion constant --unit cm
        make walk.bvh -o c.bvh
        inspect takes/deep/walk.bvh -q                                              |! with the settings of
        ",
    );
    let found = &folder.succeed("find takes/deep --json").json_lines()[0];
    holds(found, "candidates/0 != null\ncandidates/1 = null\ntake/unit = in");
    // The nearest counts; a recipe that is named says all.
    folder.write("takes/deep/loopwright.toml", "");
    folder.succeed("make takes/deep/walk.bvh -o d.bvh --save-recipe d.toml");
    folder.write("takes/deep/loopwright.toml", "[make]\nroot-motion = \"in-place\"\n");
    folder.succeed("make takes/deep/walk.bvh -o e.bvh --recipe d.toml");
    assert_eq!(folder.read("e.bvh"), folder.read("d.bvh"));
    for [name, unit, mode] in rows(
        "
        a | in | in-place
        b | cm | constant
        c | cm | constant
        d | cm | constant
        ",
    ) {
        let facts = format!("take/unit = {unit}\nroot_motion/mode = {mode}");
        holds(&folder.json(&format!("{name}.bvh.json")), &facts);
    }
}

#[test]
fn what_is_no_flag_is_said() {
    let folder = Folder::with_walk();
    for (text, message) in [
        (
            "[make]\nroot-moton = \"in-place\"\n",
            "root-moton under [make] is no flag",
        ),
        ("[makes]\ntop = 1\n", "[makes] is the table of no command"),
        ("top = 1\n", "top is in no table"),
        ("[make\n", "line 1"),
        (
            "[make]\nroot-motion = \"sideways\"\n",
            "invalid value 'sideways' for '--root-motion",
        ),
        ("[make]\nblend = {}\n", "blend is neither a text nor a number"),
        // A folder may come from anybody: it cannot say what is overwritten, or which files are read and written.
        ("[make]\nforce = true\n", "force cannot be set"),
        ("[all]\nforce = true\n", "force cannot be set"),
        ("[make]\noutput = \"../x.bvh\"\n", "output cannot be set"),
        ("[make]\nsave-recipe = \"x\"\n", "save-recipe cannot be set"),
        ("[make]\nrig = \"/etc/passwd\"\n", "rig cannot be set"),
        ("[make]\ncatalog = \"x.csv\"\n", "catalog cannot be set"),
        ("[report]\ntake = \"x\"\n", "take cannot be set"),
        ("[retarget]\nsave-map = \"x\"\n", "save-map cannot be set"),
    ] {
        folder.write("loopwright.toml", text);
        let made = folder.refuse("make walk.bvh -o loop.bvh --json", "cannot use");
        made.says(message);
        let said = made.json()["error"]["message"].to_string();
        assert!(said.contains("loopwright.toml"), "{said}");
    }
    assert!(!folder.file("loop.bvh").exists());
}

#[test]
fn the_published_schema_is_that_of_the_program() {
    let folder = Folder::new();
    let schema = folder.succeed("schema").stdout;
    let is_right = schema == include_str!("../../../docs/formats/loopwright.toml.schema.json");
    assert!(is_right, "loopwright schema > docs/formats/loopwright.toml.schema.json");
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let make = &schema["properties"]["make"]["properties"];
    let rules = |key: &str| match make[key]["$ref"].as_str() {
        Some(shared) => schema.pointer(shared.trim_start_matches('#')).unwrap(),
        None => &make[key],
    };
    assert!(rules("root-motion")["enum"].to_string().contains("\"in-place\""));
    assert_eq!(rules("symmetric")["type"], "boolean");
    for file in ["output", "force", "recipe", "rig", "plot", "catalog"] {
        assert!(make[file].is_null(), "{file}");
    }
    assert!(schema["properties"]["match-query"]["properties"]["speed"].is_object());
}

/// The limit of memory counts beside a file of settings, which has a limit of its own.
#[test]
fn memory_is_limited_beside_a_project_file() {
    let folder = Folder::with_walk();
    folder.write("loopwright.toml", "[list]\n");
    folder.refuse("list walk.bvh --max-memory 20k", "the limit is 20 KiB");
    std::fs::File::create(folder.file("loopwright.toml"))
        .unwrap()
        .set_len(1 << 31)
        .unwrap();
    folder.refuse("list walk.bvh", "the limit for settings is 16 MiB");
}

#[test]
fn a_pack_of_which_nothing_can_be_read_is_not_written() {
    let folder = Folder::new();
    folder.write("bad.bvh", "no motion");
    folder.refuse("make bad.bvh --all-animations -o all.glb", "could not be looped");
    assert!(!folder.has("all.glb") && !folder.has("all.glb.json"));
}
