//! `loopwright.toml`: a recipe of a folder, found upwards from the input, for every command that reads takes.

use crate::harness::{Folder, holds, rows};

#[test]
fn settings_come_from_the_folder_of_the_input_or_above_and_what_is_typed_counts_more() {
    let folder = Folder::with_walk();
    folder.make_folder("takes");
    folder.make_folder("takes/deep");
    folder.copy("walk.bvh", "takes/deep/walk.bvh");
    folder.write(
        "takes/loopwright.toml",
        "[take]\nunit = \"in\"\n[output]\nroot-motion = \"in-place\"\n[[joint]]\npattern = \"Head\"\nmethod = \"spring\"\nblend = 0.1\n",
    );
    // Typed, it is what it would be without the file, which is not for what lies elsewhere.
    folder.runs(
        "
        make takes/deep/walk.bvh -o a.bvh                                           | with the settings of
        make takes/deep/walk.bvh -o b.bvh --root-motion constant --unit cm
        make walk.bvh -o c.bvh
        ",
    );
    // Commands that make no loops heed how takes are read.
    for command in ["find takes/deep --json", "inspect takes/deep --json"] {
        holds(&folder.succeed(command).json_lines()[0], "take/unit = in");
    }
    // The nearest counts; a recipe that is named says all.
    folder.write("takes/deep/loopwright.toml", "");
    folder.succeed("make takes/deep/walk.bvh -o d.bvh --save-recipe d.toml");
    folder.write("takes/deep/loopwright.toml", "[output]\nroot-motion = \"in-place\"\n");
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
fn what_no_recipe_of_a_folder_says_is_refused() {
    let folder = Folder::with_walk();
    for (text, message) in [
        (
            "[output]\nroot-moton = \"in-place\"\n",
            "did you mean output.root-motion?",
        ),
        ("[outputs]\nfps = 30\n", "no setting outputs.fps"),
        ("top = 1\n", "no setting top"),
        ("[output\n", "line 1"),
        ("[output]\nlock-feet = \"maybe\"\n", "unknown variant `maybe`"),
        ("[[joint]]\nmethod = \"open\"\n", "pattern"),
        // Files of earlier versions held flags.
        (
            "[make]\nroot-motion = \"in-place\"\n",
            "did you mean output.root-motion?",
        ),
        ("[all]\nunit = \"cm\"\n", "did you mean take.unit?"),
        ("[find]\ntop = 3\n", "`loopwright recipe` lists all settings"),
        // A folder may come from anybody: it cannot say what is overwritten, or which files are read and written.
        ("[make]\nforce = true\n", "no setting make.force"),
        ("[take]\nrig = \"/etc/passwd\"\n", "take.rig names a file"),
        ("[take]\nmap = \"x\"\n[check]\n", "take.map names a file"),
        ("[take]\ngaze = \"neutral.bvh\"\n", "take.gaze names a file"),
        // Frames are those of one take.
        ("[stretch]\nstart = 1\nend = 9\n", "frames"),
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
    let schema = Folder::new().succeed("schema").stdout;
    assert!(
        schema == include_str!("../../../docs/formats/loopwright.toml.schema.json"),
        "loopwright schema > docs/formats/loopwright.toml.schema.json"
    );
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let output = &schema["properties"]["output"]["properties"];
    assert_eq!(output["force-straight"]["type"], "boolean");
    assert_eq!(
        schema["properties"]["joint"]["items"]["properties"]["blend"]["type"],
        "number"
    );
    assert_eq!(
        schema["properties"]["check"]["properties"]["max-gap-mm"]["type"],
        "number"
    );
}

/// The limit of memory counts beside a file of settings, which has a limit of its own.
#[test]
fn memory_is_limited_beside_a_project_file() {
    let folder = Folder::with_walk();
    folder.write("loopwright.toml", "[take]\n");
    folder.refuse("list walk.bvh --max-memory 20k", "the limit is 20 KiB");
    std::fs::File::create(folder.file("loopwright.toml"))
        .unwrap()
        .set_len(1 << 31)
        .unwrap();
    folder.refuse("list walk.bvh", "the limit for settings is 1 MiB");
}

#[test]
fn a_pack_of_which_nothing_can_be_read_is_not_written() {
    let folder = Folder::new();
    folder.write("bad.bvh", "no motion");
    folder.refuse("make bad.bvh --all-animations -o all.glb", "could not be looped");
    assert!(!folder.has("all.glb") && !folder.has("all.glb.json"));
}
