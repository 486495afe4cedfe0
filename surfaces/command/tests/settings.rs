//! `--set KEY=VALUE`, and the recipe that lists every key.

use loopwright_formats::loop_file::sha256;
use serde_json::Value;

use crate::harness::{Folder, holds, rows};

#[test]
fn a_sidecar_says_of_which_take_and_by_which_recipe_it_was_made() {
    let folder = Folder::with_walk();
    let sidecar = folder.made("--save-recipe r.toml");
    assert_eq!(sidecar["recipe_sha256"], sha256(&folder.read("r.toml")));
    assert_eq!(sidecar["take"]["file_sha256"], sha256(&folder.read("walk.bvh")));
    assert!(sidecar["take"]["licence"].is_null());
}

#[test]
fn wrong_settings_are_named_with_what_is_near() {
    let folder = Folder::with_walk();
    let refused = "
        closure.blnd=0.2 | no setting closure.blnd; did you mean closure.blend?
        closre.share=0.2 | no setting closre.share; did you mean closure.share?
        nothing.whatever=1 | no setting nothing.whatever
        closure.blend=long | invalid type: string \"long\", expected f64
        output.lock-feet=maybe | unknown variant `maybe`, expected one of `auto`, `solve`, `off`
        closure.share | must be KEY=VALUE
        take.rig=/etc/passwd | take.rig names a file
        edit=twist:3 | aim:DEG, noise:DEG[:SEED], offset:JOINT:X,Y,Z
    ";
    folder.refuse_all("make walk.bvh -o loop.bvh --set", refused);
    // In a file, the error is the same.
    folder.write("wrong.toml", "closure.blend = \"long\"\n");
    folder.runs(
        "
        2 render walk.bvh -o walk.png --set closure.blend=1     | no effect on this command
        2 find walk.bvh --set closure.blend=1                   | no effect on this command
        2 make walk.bvh -o loop.bvh --recipe wrong.toml         | invalid type: string \"long\", expected f64
        ",
    );
}

#[test]
fn flags_go_before_settings_and_settings_before_the_recipe() {
    let folder = Folder::with_walk();
    folder.write(
        "file.toml",
        "[closure]\nmethod = \"cubic\"\nblend = 0.1\nhardness = 3\n",
    );
    for [flags, secs] in rows(
        "
                                                               | 0.1
        --set closure.blend=0.2                                | 0.2
        --set closure.blend=0.2 --set closure.blend=0.25       | 0.25
        --set closure.blend=0.2 --blend 0.3                    | 0.3
        ",
    ) {
        let made = folder.made(&format!("--range 10:45 --recipe file.toml {flags}"));
        holds(&made, &format!("closure/blend_start_secs = {secs}"));
    }
    // A table of TOML says what its short form does.
    let made = |set: &str| {
        folder.made(&format!("--range 10:45 --set {set}"));
        folder.read("loop.bvh")
    };
    assert!(made("joint=Head:spring:0.1") == made("joint={pattern='Head',method='spring',blend=0.1}"));
    assert!(made("take.feet=LeftFoot,RightFoot") == made("take.feet=['LeftFoot','RightFoot']"));
}

#[test]
fn the_recipe_of_defaults_changes_nothing() {
    let folder = Folder::with_walk();
    let text = folder.succeed("recipe").stdout;
    folder.write("default.toml", &text);
    for flags in ["", "--for unity"] {
        let plain = folder.made(flags);
        let bytes = folder.read("loop.bvh");
        // The stated recipe differs, but the loop is the same.
        let without_recipe = |mut sidecar: Value| {
            sidecar.as_object_mut().unwrap().remove("recipe_sha256");
            sidecar
        };
        let stated = folder.made(&format!("--recipe default.toml {flags}"));
        assert_eq!(without_recipe(stated), without_recipe(plain));
        assert!(folder.read("loop.bvh") == bytes, "{flags}");
    }
    let closure = folder.succeed("recipe closure").stdout;
    assert!(text.contains(&closure), "{closure}");
    folder.runs(
        "
        recipe closure           | # How the seam is closed
        recipe closure.share     | [closure] | # Share of the gaps
        2 recipe closure.shar    | did you mean closure.share?
        ",
    );
}
