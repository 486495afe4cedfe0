//! `check` as a lint: many loops and folders, limits by flags and by `loopwright.toml`, exit statuses for builds.

use crate::harness::{Answer, Folder, command, number};
use serde_json::Value;

/// A folder with a take, and three loops of it below `loops`, in three formats.
fn with_loops() -> Folder {
    let folder = Folder::with_walk();
    folder.make_folder("loops");
    folder.make_folder("loops/deep");
    for out in ["loops/a.bvh", "loops/deep/b.glb", "loops/deep/c.fbx"] {
        folder.succeed(&format!("make walk.bvh -o {out}"));
    }
    folder
}

/// The verdicts by file, in order.
fn verdicts(answer: &Answer) -> Vec<(String, String)> {
    let json = answer.json();
    let text = |value: &Value| value.as_str().unwrap().replace('\\', "/");
    let loops = json["loops"].as_array().unwrap();
    loops
        .iter()
        .map(|one| (text(&one["file"]), text(&one["grade"])))
        .collect()
}

fn verdict_of(file: &str, verdict: &str) -> (String, String) {
    (file.to_owned(), verdict.to_owned())
}

#[test]
fn a_folder_stands_for_the_loops_below_it() {
    let folder = with_loops();
    // Neither has a sidecar: one is a take, and the other is a loop by its name.
    folder.copy("walk.bvh", "loops/take.bvh");
    folder.copy("loops/a.bvh", "loops/deep/alone-loop.bvh");
    let checked = folder.run("check loops --json");
    assert_eq!(checked.status, 0, "{}", checked.stderr);
    assert_eq!(
        verdicts(&checked),
        [
            "loops/a.bvh",
            "loops/deep/alone-loop.bvh",
            "loops/deep/b.glb",
            "loops/deep/c.fbx"
        ]
        .map(|file| verdict_of(file, "good"))
    );

    folder.make_folder("empty");
    let checked = folder.fail("check empty loops --json");
    assert_eq!(verdicts(&checked)[0], verdict_of("empty", "error"));
    assert_eq!(verdicts(&checked).len(), 5);
    checked.says("no loop in the folder \"empty\"");
}

#[test]
fn a_limit_that_is_exceeded_is_reported_with_what_to_try() {
    let folder = with_loops();
    let found = number(&folder.json("loops/a.bvh.json"), "quality/foot_slide_cmps");
    assert!(found > 0.02, "{found}");
    let checked = folder.run("check loops --max-foot-slide 0.01 --json").ended(1);
    let json = checked.json();
    for one in json["loops"].as_array().unwrap() {
        assert_eq!(one["grade"], "good");
        let failed = one["failed"].as_array().unwrap();
        assert_eq!(failed.len(), 1);
        assert_eq!(failed[0]["measure"], "foot_slide_cmps");
        assert_eq!(number(&failed[0], "allowed"), 0.01);
        assert_eq!(number(&failed[0], "found"), number(one, "quality/foot_slide_cmps"));
        assert_eq!(failed[0]["joint"], Value::Null);
        assert!(failed[0]["try"].as_str().unwrap().contains("--max-foot-slide"));
    }
    assert_eq!(number(&json, "limits/max_foot_slide_cmps"), 0.01);
    assert_eq!(json["limits"]["max_pose_gap_mm"], Value::Null);

    let text = folder.run("check loops --max-foot-slide 0.01").ended(1);
    text.shows("a.bvh: good: the seam does not show");
    text.shows("failed: foot sliding ");
    text.shows(", allowed 0.01\n    try: ");
    text.says("3 of 3 loops fail");

    // The reason is what fails, and not what else is wrong.
    let only = folder
        .run("check walk.bvh loops/a.bvh --only root-steady --max-foot-slide 0.01")
        .ended(1);
    only.shows("walk.bvh: bad: ");
    only.says("  walk.bvh: foot sliding ");
    assert!(!only.stdout.contains("seam-position"), "{}", only.stdout);
}

#[test]
fn a_report_replaces_no_loop() {
    let folder = with_loops();
    let before = folder.contents();
    for junit in ["loops/a.bvh", "loops/a.bvh.json", "walk.bvh"] {
        folder.refuse(
            &format!("check loops --take walk.bvh --junit {junit} --force"),
            "never overwritten",
        );
    }
    assert!(folder.contents() == before);
}

#[test]
fn a_pop_names_the_joint_that_shows_it() {
    let folder = with_loops();
    let checked = folder.run("check walk.bvh loops/a.bvh --json").ended(1);
    let json = checked.json();
    assert_eq!(json["loops"][0]["grade"], "bad");
    let failed = json["loops"][0]["failed"].as_array().unwrap();
    let measures: Vec<&Value> = failed.iter().map(|one| &one["measure"]).collect();
    assert_eq!(measures[0], "seam-position");
    let reason = json["loops"][0]["quality"]["reason"].as_str().unwrap();
    let joint = failed[0]["joint"].as_str().unwrap();
    let is_right = reason.starts_with(&format!("{joint} jumps by ")) && reason.ends_with(" mm at the seam");
    assert!(is_right, "{reason}");
    let take = folder.take("walk.bvh");
    let names = take.skeleton().joints().iter();
    let names: Vec<String> = names.map(|joint| joint.name.clone()).collect();
    for one in failed {
        assert!(names.contains(&one["joint"].as_str().unwrap().to_owned()), "{one}");
        assert!(number(one, "found") > number(one, "allowed"));
    }
    assert!(json["loops"][1]["failed"].as_array().unwrap().is_empty());
    // The checks that are named decide alone.
    let allowed = folder.run("check walk.bvh --only foot-slide,kink");
    assert_eq!(allowed.status, 0, "{}", allowed.stdout);
    allowed.begins("walk.bvh: bad: ");
}

/// What a build server reads: a case for each check of each loop, with names that XML has to escape.
#[test]
fn a_report_for_build_servers_has_a_case_for_each_check() {
    let folder = with_loops();
    folder.copy("walk.bvh", "loops/a&b-loop.bvh");
    folder.write("loops/c-loop.bvh", "not a take");
    let checked = folder.run("check loops --junit report.xml").ended(2);
    let report = folder.text("report.xml");
    assert!(
        report.contains("<testsuite name=\"loops/a&amp;b-loop.bvh\" tests=\"21\""),
        "{report}"
    );
    assert!(
        report.contains("<testsuite name=\"loops/c-loop.bvh\" tests=\"1\" failures=\"0\" errors=\"1\""),
        "{report}"
    );
    assert_eq!(report.matches("<testcase ").count(), 4 * 21 + 1);
    let pop = "name=\"seam-position\"><failure message=\"seam-position ";
    assert_eq!(report.matches(pop).count(), 1, "{report}");
    assert!(
        report.contains("name=\"turn\"><skipped message=\"not measured\"/>"),
        "{report}"
    );
    // The table counts the loops that each check finds wanting.
    checked.shows("check ");
    checked.shows("\nseam-position ");
    assert!(!checked.stdout.contains("\nfoot-slide "), "{}", checked.stdout);
    folder.refuse("check loops --junit report.xml", "report.xml");
    assert!(folder.run("check loops --junit report.xml --force").status == 2);
}

/// Loops to review pass a build unless it asks for more, and checks that are not named do not decide.
#[test]
fn a_build_chooses_what_fails_it() {
    let folder = Folder::with_walk();
    // A root that creeps is to be reviewed.
    folder
        .run("synth -o slow.bvh --speed 0.02 --turn-rate 0 --seconds 4 --fps 30")
        .done();
    let made = folder.run("make slow.bvh -o loop.bvh").wrote();
    made.shows("  try                  --root-motion in-place\n");
    let checked = folder.answer("check loop.bvh --json");
    assert_eq!(checked["loops"][0]["grade"], "review", "{checked:#}");
    for (options, status, what) in [("", 0, "review"), ("--fail-on review", 1, "failed")] {
        let checked = folder.run(&format!("check loop.bvh {options}")).ended(status);
        checked.shows(&format!("  {what}: root-drift "));
        assert_eq!(checked.stdout.matches("    try: --root-motion in-place").count(), 1);
    }
    folder.run("check loop.bvh --fail-on review --only root-drift").ended(1);
    folder.run("check loop.bvh --fail-on review --only kink").done();
    folder.refuse("check loop.bvh --only glow", "glow");
}

#[test]
fn limits_come_from_the_nearest_file_and_flags_count_more() {
    let folder = with_loops();
    folder.write(
        "loopwright.toml",
        "[check]\nmax-foot-slide = 0.01\nmax-seam-rank = 100\n",
    );
    let status = |arguments: &str, below: &str| {
        let mut run = command();
        run.args(arguments.split_whitespace()).current_dir(folder.file(below));
        Answer::new(run.output().unwrap()).status
    };
    assert_eq!(status("check loops", "."), 1);
    assert_eq!(status("check b.glb", "loops/deep"), 1, "a file above counts");
    assert_eq!(status("check loops --max-foot-slide 100", "."), 0, "flags count more");
    folder.write("loops/loopwright.toml", "[check]\nmax-foot-slide = 100\n");
    assert_eq!(status("check deep", "loops"), 0, "the nearest counts");
    assert_eq!(status("check loops", "."), 1, "not one beside the loops");
    assert_eq!(status("check loops --config loops/loopwright.toml", "."), 0);
    assert_eq!(status("check loops --config missing.toml", "."), 2);
    folder.write("other.toml", "");
    assert_eq!(
        status("check loops --config other.toml", "."),
        0,
        "no table, no limits of its own"
    );
}

#[test]
fn a_malformed_file_of_limits_is_reported_with_its_line() {
    let folder = with_loops();
    for (text, message) in [
        ("[check]\nmax-foot-slide 3\n", "line 2"),
        ("[check]\n\nmax-skating = 3\n", "unknown field `max-skating`"),
        ("[check]\n\nmax-skating = 3\n", "line 3"),
        (
            "[check]\nmax-skating = 3\n",
            "expected one of `max-gap-deg`, `max-gap-mm`, `max-seam-acceleration`, `max-foot-slide`, `max-seam-rank`",
        ),
        ("[check]\nmax-seam-rank = \"50\"\n", "line 2"),
        ("[check]\nmax-seam-rank = -1\n", "a limit is a number from 0 on"),
        ("[check]\nmax-seam-rank = nan\n", "a limit is a number from 0 on"),
        ("[chek]\nmax-seam-rank = 1\n", "no setting chek.max-seam-rank"),
    ] {
        folder.write("loopwright.toml", text);
        let checked = folder.fail("check loops");
        let is_right = checked.stdout.is_empty();
        assert!(is_right, "nothing is checked against half of the limits");
        checked.says("cannot use");
        checked.says(message);
    }
    for wrong in [
        "--max-foot-slide -1",
        "--max-seam-rank nan",
        "--max-gap-mm inf",
        "--max-gap-deg much",
    ] {
        folder.fail(&format!("check loops {wrong}"));
    }
}

#[test]
fn unreadable_files_are_listed_at_the_end_and_the_rest_is_checked() {
    let folder = with_loops();
    folder.write("loops/bad-loop.bvh", "not a take");
    folder.write("loops/deep/worse-loop.glb", b"glTF\x02\0\0\0");
    let checked = folder.fail("check loops --max-foot-slide 0.01 missing.bvh");
    for file in ["a.bvh", "b.glb", "c.fbx"] {
        checked.shows(&format!("{file}: good: the seam does not show"));
    }
    let (_, end) = (checked.stderr)
        .rsplit_once("3 of 6 loops could not be checked")
        .unwrap();
    for file in ["bad-loop.bvh", "worse-loop.glb", "missing.bvh"] {
        assert!(end.contains(file), "{file} is not listed in {end}");
    }
}

#[test]
fn the_seam_after_several_copies_is_played_too() {
    let folder = Folder::with_walk();
    folder.made("--set output.repeat=2");
    folder.loops();
    // The closing key of the file is broken; the first copy is intact.
    let mut lines: Vec<String> = folder.text("loop.bvh").lines().map(str::to_owned).collect();
    let last = lines.last_mut().unwrap();
    let mut numbers: Vec<String> = last.split_whitespace().map(str::to_owned).collect();
    let tenth: f64 = numbers[9].parse().unwrap();
    numbers[9] = format!("{}", tenth + 5.0);
    *last = numbers.join(" ");
    folder.write("loop.bvh", lines.join("\n") + "\n");
    // It was changed on purpose.
    let mut sidecar = folder.json("loop.bvh.json");
    sidecar.as_object_mut().unwrap().remove("file_sha256");
    folder.write("loop.bvh.json", sidecar.to_string());
    let checked = folder.run("check loop.bvh --json").ended(1);
    assert_eq!(checked.json()["loops"][0]["grade"], "bad");
}

#[test]
fn a_limit_of_foot_sliding_that_cannot_be_checked_gets_a_warning() {
    let folder = Folder::new();
    folder.succeed("synth -o walk.bvh --seconds 4 --fps 30");
    // Without foot names and with all leaf joints equal, no feet are detected.
    let prop = "HIERARCHY\nROOT Box\n{\n OFFSET 0 0 0\n CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n End Site\n {\n  OFFSET 0 10 0\n }\n}\nMOTION\nFrames: 5\nFrame Time: 0.1\n0 0 0 0 0 0\n0 1 0 3 0 0\n0 2 0 0 0 0\n0 1 0 -3 0 0\n0 0 0 0 0 0\n";
    folder.write("box.bvh", prop);
    let checked = folder.run(
        "check box.bvh --max-foot-slide 1 --unit cm --up y --max-gap-deg 90 --max-seam-acceleration 9 --max-gap-mm 99 --only foot-slide",
    );
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
    checked.says("the limit of foot sliding was not checked");
}

#[test]
fn every_loop_of_a_file_is_checked_and_the_sidecar_counts_for_its_own() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.fbx");
    folder.succeed("make walk.fbx -o one.fbx");
    folder.succeed("make one.fbx --animation walk --range 1:33 --root-motion stationary -o two.fbx");
    let checked = folder.answer("check two.fbx --json");
    let loops = checked["loops"].as_array().unwrap();
    let names: Vec<&str> = loops.iter().map(|one| one["animation"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 2, "{names:?}");
    let sidecar = folder.json("two.fbx.json");
    let own = sidecar["playback"]["animation"].as_str().unwrap();
    for (one, name) in loops.iter().zip(names) {
        assert_eq!(one["candidate"].is_null(), name != own, "{name}");
        let alone = folder.answer(&format!("check two.fbx --animation {name} --json"));
        assert_eq!(alone["loops"][0]["quality"], one["quality"], "{name}");
    }
    folder.refuse("check two.fbx --animation nope", "no animation \"nope\"");
}

#[test]
fn foot_sliding_is_what_make_measured() {
    let folder = Folder::with_walk();
    for flags in ["", "--root-motion stationary", "--symmetric", "--add-root"] {
        folder.succeed(&format!("make walk.bvh {flags} -o loop.bvh --force"));
        let made = number(&folder.json("loop.bvh.json"), "quality/foot_slide_cmps");
        let checked = folder.answer("check loop.bvh --json");
        let found = number(&checked["loops"][0], "quality/foot_slide_cmps");
        assert!((found - made).abs() < 1e-9 * made, "{flags}: {found}, made {made}");
    }
}

#[test]
fn a_loop_at_a_lower_rate_in_the_file_of_its_take_is_read_at_its_own() {
    let folder = Folder::with_walk();
    folder.succeed("convert walk.bvh walk.fbx");
    for rate in [15, 24] {
        folder.succeed(&format!("make walk.fbx --fps {rate} -o loop.fbx --force"));
        let checked = folder.answer("check loop.fbx --json");
        let gap = number(&checked["loops"][0], "quality/pose_gap_mm");
        assert!(gap < 1e-3, "{gap} mm at {rate}");
    }
}

#[test]
fn all_figures_are_printed_on_request() {
    let folder = Folder::with_walk();
    for (command, figure) in [
        ("make walk.bvh -o loop.bvh --force", "seam rank"),
        ("close walk.bvh --range 20:54.5 -o loop.bvh --force", "seam rank"),
        ("check loop.bvh", "seam rank"),
        ("find walk.bvh", "seam cost"),
    ] {
        let [short, long] = ["", "-v"].map(|flag| folder.succeed(&format!("{command} {flag}")).stdout);
        let is_right = !short.contains(figure) && long.contains(figure);
        assert!(is_right, "{command}:\n{short}{long}");
        assert!(long.lines().count() >= short.lines().count());
    }
}
