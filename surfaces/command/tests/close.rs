//! Closing with every setting: methods, settings per joint, and recipes that make the same loop again.

use crate::harness::{Folder, number};

#[test]
fn every_method_closes() {
    let folder = Folder::with_walk();
    let mut files: Vec<Vec<u8>> = Vec::new();
    for method in "quintic cubic spring linear least softfade adjustment crossfade".split(' ') {
        let json = folder.answer(&format!(
            "close walk.bvh --range 20:55 -o loop.bvh --force --json --closure {method}"
        ));
        assert_eq!(json["closure"]["method"], method);
        assert_eq!(json["candidate"]["start_frame"], 20.0);
        assert!(number(&json, "quality/pose_gap_mm") < 0.01, "{method}");
        assert!(number(&json, "quality/velocity_gap_dps") < 1e-6 && number(&json, "quality/velocity_gap_mmps") < 1e-6);
        folder.loops();
        let bytes = folder.read("loop.bvh");
        assert!(!files.contains(&bytes), "{method} does something of its own");
        files.push(bytes);
    }
}

#[test]
fn the_ends_may_differ() {
    let folder = Folder::with_walk();
    let json = folder.made("--closure spring --set closure.method-end=cubic --set closure.blend-start=0.08 --set closure.blend-end=0.3 --set closure.share=0.2,0.6");
    assert_eq!(json["closure"]["method"], "spring+cubic");
    for (key, value) in [
        ("blend_start_secs", 0.08),
        ("blend_end_secs", 0.3),
        ("start_share_of_position", 0.2),
        ("start_share_of_velocity", 0.6),
        ("start_share_of_acceleration", 0.6),
    ] {
        assert_eq!(json["closure"][key], value, "{key}");
    }
    folder.loops();
    // With the whole share at the start, the end stays as recorded.
    folder.made("--range 20:55 --set closure.share=1");
    let (take, closed) = (folder.take("walk.bvh"), folder.take("loop.bvh"));
    let hand = take.skeleton().find("LeftHand").unwrap();
    let apart = |key: usize| take.rotations(20 + key)[hand].angle_between(closed.rotations(key)[hand]);
    assert!(apart(34) < 1e-6 && apart(0) > 1e-6, "{} {}", apart(34), apart(0));
}

#[test]
fn joints_of_their_own() {
    let folder = Folder::with_synth("--seconds 4 --fps 30 --noise 1");
    let closed = |options: &str| {
        folder.made(&format!("--range 20:55 {options}"));
        folder.take("loop.bvh")
    };
    let plain = closed("");
    let own = closed("--set joint=*Hand*:open --set joint=RightHand*:spring:0.05");
    let take = folder.take("walk.bvh");
    let same = |a: &loopwright_core::take::Take, from: usize, joint: &str| {
        let joint = take.skeleton().find(joint).unwrap();
        (0..35).all(|key| a.rotations(from + key)[joint].angle_between(own.rotations(key)[joint]) < 1e-6)
    };
    assert!(same(&take, 20, "LeftHand"), "open joints stay as they were recorded");
    assert!(!same(&take, 20, "RightHand") && !same(&plain, 0, "RightHand"));
    assert!(same(&plain, 0, "RightFoot"));
    let refused = folder.fail("make walk.bvh -o other.bvh --set joint=Tail*:open");
    refused.says("no joint matches \"Tail*\"");
}

/// Each end has its own hardness and its own times; what one end takes of them is no setting of the other.
#[test]
fn each_end_fades_as_it_is_told() {
    let folder = Folder::with_walk();
    let closure = |flags: &str| {
        let command =
            format!("close walk.bvh --range 10:45 -o loop.bvh --save-recipe done.toml --force --json {flags}");
        let closure = folder.answer(&command)["closure"].clone();
        let loop_bytes = folder.read("loop.bvh");
        folder.succeed("close walk.bvh -o again.bvh --recipe done.toml --force");
        assert!(folder.read("again.bvh") == loop_bytes, "{flags}");
        (closure, loop_bytes)
    };
    let (soft, _) = closure(
        "--closure softfade --set closure.blend-start=0.3 --set closure.blend-end=0.5 --set closure.hardness=9 --set closure.hardness-end=4 --set closure.velocity-blend=0.2 \
         --set closure.velocity-blend-start=0.1",
    );
    assert_eq!(soft["hardness_start"], 9.0);
    assert_eq!(soft["hardness_end"], 4.0);
    assert_eq!(soft["blend_start_secs"], 0.3);
    assert_eq!(soft["blend_end_secs"], 0.5);
    assert_eq!(soft["velocity_blend_start_secs"], 0.1);
    assert_eq!(soft["velocity_blend_end_secs"], 0.2);
    let (one, bytes) = closure("--closure spring --blend 0.1");
    assert!(one["velocity_blend_start_secs"].is_null() && one["hardness_start"].is_null());
    // A velocity that fades with the pose is no other closure, ...
    let (same, same_bytes) = closure("--closure spring --blend 0.1 --set closure.velocity-blend=0.1");
    assert_eq!(same["velocity_blend_end_secs"], 0.1);
    assert!(bytes == same_bytes);
    // ... one that fades sooner is.
    assert!(bytes != closure("--closure spring --blend 0.1 --set closure.velocity-blend=0.05").1);
}

/// A stance that is stated is in the sidecar, and the saved recipe makes the same bytes again.
#[test]
fn stances_are_overruled() {
    let folder = Folder::with_walk();
    let made = |flags: &str| {
        let command =
            format!("close walk.bvh --range 10:45 -o loop.bvh --save-recipe done.toml --force --json {flags}");
        let contacts = folder.run(&command).wrote().json()["feet"]["contacts"].clone();
        let bytes = folder.read("loop.bvh");
        folder
            .run("close walk.bvh -o again.bvh --recipe done.toml --force")
            .wrote();
        assert!(folder.read("again.bvh") == bytes, "{flags}");
        (contacts, bytes)
    };
    let (detected, plain) = made("");
    let (without, free) = made("--set stance=LeftFoot:10:45:swing");
    assert!(without.as_array().unwrap().len() < detected.as_array().unwrap().len());
    assert!(plain != free);
    assert!(folder.text("done.toml").contains("[[stance]]"));
    let (stated, _) = made("--set stance=Left*:10:45:swing --set stance=LeftFoot:0.1s:0.4s");
    assert_eq!(stated.as_array().unwrap().len(), without.as_array().unwrap().len() + 1);
    for (flag, words) in [
        ("Tail:10:20", "no foot matches \"Tail\""),
        ("LeftFoot:10", "must be FOOT:FROM:TO"),
        ("LeftFoot:20:10", "found 20 to 10"),
        ("LeftFoot:100:110", "lies outside the loop"),
    ] {
        let answer = folder.fail(&format!(
            "close walk.bvh --range 10:45 -o wrong.bvh --set stance={flag}"
        ));
        answer.says(words);
        assert!(!answer.stderr.contains("--blend"), "{flag}: {}", answer.stderr);
    }
}

#[test]
fn a_recipe_makes_the_same_loop_again() {
    let folder = Folder::with_walk();
    let answer = folder.succeed("make walk.bvh -o first.bvh --set search.shifted=true --pick 2 --closure softfade --set closure.hardness=9 --set joint=*Hand:cubic --root-motion in-place --fps 24 --save-recipe done.toml --json");
    let outputs = answer.json()["outputs"].as_array().unwrap().clone();
    assert!(outputs.contains(&"done.toml".into()));
    let text = folder.text("done.toml");
    for words in [
        "start = ",
        "end = ",
        "cycles = ",
        "method = \"softfade\"",
        "[[joint]]",
        "root-motion = \"in-place\"",
    ] {
        assert!(text.contains(words), "no {words} in {text}");
    }
    for command in ["make", "close"] {
        folder.succeed(&format!("{command} walk.bvh -o again.bvh --recipe done.toml --force"));
        assert!(folder.read("first.bvh") == folder.read("again.bvh"), "{command}");
    }
    // Flags override the recipe; a flag for both ends replaces the recipe's setting for either end.
    let json = folder.answer("close walk.bvh -o other.bvh --recipe done.toml --closure cubic --range 10:45 --json");
    assert_eq!(json["closure"]["method"], "cubic");
    assert_eq!(json["root_motion"]["mode"], "in-place");
    assert_eq!(json["candidate"]["end_frame"], 45.0);
    // A recipe without frames searches for them.
    folder.write("style.toml", "[closure]\nmethod = \"spring\"\nblend = 0.12\n");
    let json = folder.answer("make walk.bvh -o styled.bvh --recipe style.toml --json");
    assert_eq!(json["closure"]["method"], "spring");
    assert_eq!(number(&json, "closure/blend_start_secs"), 0.12);
}

#[test]
fn auto_says_what_it_chose_and_its_recipe_makes_it_again() {
    let folder = Folder::with_synth("--seconds 5 --fps 30 --noise 0.4 --drift 0.1");
    let answer = folder.succeed("make walk.bvh -o auto.bvh --closure auto --save-recipe chosen.toml --json");
    answer.says("note: closed by ");
    let chosen = answer.json()["closure"]["auto_choice"].as_str().unwrap().to_owned();
    assert!(chosen.contains("the least visible of ") && answer.stderr.contains(&chosen));
    assert!(!folder.text("chosen.toml").contains("auto"));
    folder.succeed("make walk.bvh -o again.bvh --recipe chosen.toml");
    assert!(folder.read("auto.bvh") == folder.read("again.bvh"));
    let score = |words: &str| -> f64 {
        let rest = chosen.split(words).nth(1).unwrap();
        rest.split(|letter: char| !(letter.is_ascii_digit() || letter == '.'))
            .next()
            .unwrap()
            .parse()
            .unwrap()
    };
    assert!(score("score ") <= score("of the default "));
}

#[test]
fn a_seam_that_shows_is_closed_otherwise_unless_the_closure_is_given() {
    let folder = Folder::with_synth("--seconds 5 --fps 24 --period 0.6 --noise 1");
    let answer = folder.succeed("make walk.bvh --range 20:33 -o instead.bvh --save-recipe chosen.toml --json");
    let taken = answer.json()["closure"]["auto_choice"].as_str().unwrap().to_owned();
    let is_said = taken.starts_with("took frames 20-33 closed by ") && taken.contains("the seam shows: ");
    assert!(is_said, "{taken}");
    answer.says(&format!("note: {taken}"));
    folder.succeed("make walk.bvh -o again.bvh --recipe chosen.toml");
    assert!(folder.read("instead.bvh") == folder.read("again.bvh"));

    let given = folder.run("make walk.bvh --range 20:33 --closure quintic -o given.bvh --json");
    assert_eq!(
        (given.status, given.json()["quality"]["grade"].as_str()),
        (1, Some("bad"))
    );
    assert!(given.json()["closure"]["auto_choice"].is_null());
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
        --range 10:45 --set joint=*Hand:spring:0 | must be a positive number of seconds
        --range 10:45 --set closure.method-start=crossfade | not one of its ends
        --range 10:45 --closure auto --set closure.method-end=cubic | not one of its ends
        --range 10.5:10.9 | too few
        --range 10:1e9 | are not a range of
    ";
    folder.refuse_all("close walk.bvh -o loop.bvh", refused);
    assert_eq!(folder.contents(), before);
    // A crossfade without frames to fade into gives a warning and still closes.
    let whole = folder
        .run("close walk.bvh --range 0:120 --closure crossfade -o loop.bvh")
        .wrote();
    whole.says("no frames around the loop to crossfade into");
}
