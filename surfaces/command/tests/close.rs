//! Closing with every setting: methods, settings per joint, and recipes that make the same loop again.

use crate::harness::{Folder, holds, lines, rows};
use serde_json::Value;

/// Closes frames of the walk with these flags and saves the recipe, which must make the same bytes again; returns the sidecar and
/// the bytes.
fn closed(folder: &Folder, flags: &str) -> (Value, Vec<u8>) {
    let close = format!("close walk.bvh --range 10:45 -o loop.bvh --save-recipe done.toml --force --json {flags}");
    let sidecar = folder.run(&close).wrote().json();
    let bytes = folder.read("loop.bvh");
    folder
        .run("close walk.bvh -o again.bvh --recipe done.toml --force")
        .wrote();
    assert!(folder.read("again.bvh") == bytes, "{flags}");
    (sidecar, bytes)
}

#[test]
fn every_method_closes() {
    let folder = Folder::with_walk();
    let mut files: Vec<Vec<u8>> = Vec::new();
    for method in lines("quintic\ncubic\nspring\nlinear\nleast\nsoftfade\nadjustment\ncrossfade") {
        let (sidecar, bytes) = closed(&folder, &format!("--closure {method}"));
        holds(
            &sidecar,
            "
            candidate/start_frame = 10
            quality/pose_gap_mm < 0.01
            quality/velocity_gap_dps < 1e-6
            quality/velocity_gap_mmps < 1e-6
            ",
        );
        assert_eq!(sidecar["closure"]["method"], method);
        folder.loops();
        assert!(!files.contains(&bytes), "{method} does something of its own");
        files.push(bytes);
    }
}

#[test]
fn a_recipe_makes_the_same_loop_again() {
    let folder = Folder::with_walk();
    let made = folder.answer("make walk.bvh -o first.bvh --set search.shifted=true --pick 2 --closure softfade --set closure.hardness=9 --set joint=*Hand:cubic --root-motion in-place --fps 24 --save-recipe done.toml --json");
    assert!(made["outputs"].to_string().contains("done.toml"));
    let text = folder.text("done.toml");
    for words in lines("start =\nend =\ncycles =\nmethod = \"softfade\"\n[[joint]]\nroot-motion = \"in-place\"") {
        assert!(text.contains(words), "no {words} in {text}");
    }
    for command in ["make", "close"] {
        folder.succeed(&format!("{command} walk.bvh -o again.bvh --recipe done.toml --force"));
        assert!(folder.read("first.bvh") == folder.read("again.bvh"), "{command}");
    }
    // Flags override the recipe; a flag for both ends replaces the recipe's setting for either end. One without frames searches
    // for them.
    folder.write("style.toml", "[closure]\nmethod = \"spring\"\nblend = 0.12\n");
    for [command, facts] in rows(
        "
        close walk.bvh -o other.bvh --recipe done.toml --closure cubic --range 10:45 | closure/method = cubic; root_motion/mode = in-place; candidate/end_frame = 45
        make walk.bvh -o styled.bvh --recipe style.toml                              | closure/method = spring; closure/blend_start_secs = 0.12
        ",
    ) {
        holds(&folder.answer(&format!("{command} --json")), facts);
    }
}

#[test]
fn auto_says_what_it_chose_and_its_recipe_makes_it_again() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --noise 0.2 --drift 0.1");
    let answer = folder.succeed("make walk.bvh -o auto.bvh --closure auto --save-recipe chosen.toml --json");
    let json = answer.json();
    let chosen = json["closure"]["auto_choice"].as_str().unwrap();
    assert!(chosen.contains("the least visible of "), "{chosen}");
    answer.says("note: closed by ");
    answer.says(chosen);
    assert!(!folder.text("chosen.toml").contains("auto"));
    folder.runs("make walk.bvh -o again.bvh --recipe chosen.toml");
    assert!(folder.read("auto.bvh") == folder.read("again.bvh"));
    let score = |words: &str| {
        let rest = chosen.split(words).nth(1).unwrap();
        let number = rest
            .split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .next();
        number.unwrap().parse::<f64>().unwrap()
    };
    assert!(score("score ") <= score("of the default "));
}

#[test]
fn a_seam_that_shows_is_closed_otherwise_unless_the_closure_is_given() {
    let folder = Folder::with_synth("--seconds 5 --fps 24 --speed 3 --period 0.6");
    // Two thirds of a cycle stay bad.
    let answer = folder
        .run("make walk.bvh --range 20:31 -o instead.bvh --save-recipe chosen.toml --json")
        .ended(1);
    let json = answer.json();
    let taken = json["closure"]["auto_choice"].as_str().unwrap();
    assert!(
        taken.starts_with("took frames 20-31 closed by ") && taken.contains("the seam shows: "),
        "{taken}"
    );
    answer.says(&format!("note: {taken}"));
    folder.runs("1 make walk.bvh -o again.bvh --recipe chosen.toml");
    assert!(folder.read("instead.bvh") == folder.read("again.bvh"));
    let given = folder
        .run("make walk.bvh --range 20:31 --closure quintic -o given.bvh --json")
        .ended(1);
    holds(&given.json(), "quality/grade = bad\nclosure/auto_choice = null");
}

#[test]
fn what_cannot_be_closed_is_said() {
    let folder = Folder::with_walk();
    folder.write("wrong.toml", "[closure]\nmethode = \"spring\"\n");
    folder.write("axis.toml", "[take]\nup = \"w\"\n");
    folder.write("half.toml", "[stretch]\nstart = 10.0\n");
    let before = folder.contents();
    let refused = "
        --range 10:45 --recipe wrong.toml | unknown field `methode`
        --range 10:45 --recipe axis.toml | \"w\" is not an up axis
        --range 10:45 --recipe nowhere.toml | cannot read \"nowhere.toml\"
        --recipe half.toml | does not say which frames to close
         | --range <START:END>
        --range 10:45 --set closure.share=2 | closure.share takes one to three numbers from 0 to 1
        --range 10:45 --set closure.share=0.1,0.2,0.3,0.4 | closure.share
        --range 10:45 --set closure.blend-start=0 | closure.blend-start must be a positive number
        --range 10:45 --closure softfade --set closure.hardness=0 | closure.hardness must be a positive number
        --range 10:45 --closure softfade --set closure.hardness-end=0 | closure.hardness-end must be a positive number
        --range 10:45 --closure spring --set closure.velocity-blend-start=0 | closure.velocity-blend-start must be a positive number
        --range 10:45 --set closure.velocity-blend=0.1 | nothing is closed by either
        --range 10:45 --set joint=Hand | must be PATTERN:METHOD[:SECONDS]
        --range 10:45 --set joint=Tail*:open | no joint matches \"Tail*\"
        --range 10:45 --set joint=*Hand:spring:0 | must be a positive number of seconds
        --range 10:45 --set closure.method-start=crossfade | not one of its ends
        --range 10:45 --closure auto --set closure.method-end=cubic | not one of its ends
        --range 10.5:10.9 | too few
        --range 10:1e9 | are not a range of
    ";
    folder.refuse_all("close walk.bvh -o loop.bvh", refused);
    assert_eq!(folder.contents(), before);
    // A crossfade without frames to fade into gives a warning and still closes.
    let whole = folder.run("close walk.bvh --range 0:120 --closure crossfade -o loop.bvh");
    whole.wrote().says("no frames around the loop to crossfade into");
}
